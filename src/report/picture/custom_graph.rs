//! `CUSTOM_GRAPH…`: nodes and edges from the values of definitions, as ProB reads them.
//!
//! A node is a value: equal values are one node, and an edge brings its ends. Invariant: each node and each edge of the values is drawn,
//! its attributes in its title. Of Graphviz's attributes `label`, `color` and `fillcolor` are obeyed; boxes stand for every shape, and the
//! layout is that of graphs of states. Deliberately elsewhere: places of boxes and arrows (`layout`).

use crate::layout::{DrawnArrow, DrawnNode, LaidOut, laid_out};
use bcheck_ir::{GraphPart, Model};
use bcheck_source::{Shown, escaped};
use bcheck_value::display::display;
use bcheck_value::{Set, Value};
use indexmap::IndexMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The most nodes of a graph: nobody can look at more.
const MOST_NODES: usize = 200;
/// The most edges: nobody can follow more.
const MOST_EDGES: usize = 2_000;

/// The stripes for values that are not colours, in the order of the values.
const STRIPES: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Names that Graphviz and SVG have for the same colours, as far as machines use them.
const COLOURS: &[&str] = &[
    "black",
    "blue",
    "brown",
    "cyan",
    "darkgreen",
    "gold",
    "gray",
    "green",
    "grey",
    "lightblue",
    "lightgray",
    "lightgreen",
    "lightgrey",
    "magenta",
    "navy",
    "olive",
    "orange",
    "orangered",
    "pink",
    "purple",
    "red",
    "salmon",
    "steelblue",
    "tomato",
    "turquoise",
    "violet",
    "white",
    "yellow",
];

/// Attributes by name.
type Attributes = BTreeMap<Arc<str>, Value>;

/// A graph as specified by definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CustomGraph {
    nodes: IndexMap<Value, Attributes>,
    edges: Vec<GraphEdge>,
    /// Whether a definition was left out because of its size: the rest alone would be another graph.
    is_cut: bool,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GraphEdge {
    from: Value,
    to: Value,
    attributes: Attributes,
}

impl CustomGraph {
    /// Adds the value of a definition; an error if it cannot be interpreted.
    pub(super) fn add(&mut self, part: GraphPart, value: &Value) -> Result<(), String> {
        match part {
            GraphPart::Nodes => self.nodes_of(value, &Attributes::new()),
            GraphPart::Edges => self.edges_of(value, &Attributes::new()),
            GraphPart::Whole => {
                let Value::Record(fields) = value else { return Err("it is no record with nodes and edges".to_owned()) };
                // Nodes first: whether a pair is a node decides how edges are read.
                for (_, value) in fields.iter().filter(|(name, _)| is_part(name, "nodes")) {
                    self.nodes_of(value, &Attributes::new())?;
                }
                for (_, value) in fields.iter().filter(|(name, _)| is_part(name, "edges")) {
                    self.edges_of(value, &Attributes::new())?;
                }
                Ok(())
            }
        }
    }

    /// The members of a definition's value; an error where they are more than a picture has.
    fn bounded<'v>(&mut self, value: &'v Value, (most, what): (usize, &str)) -> Result<&'v Set, String> {
        let members = members(value)?;
        if members.len() > most {
            self.is_cut = true;
            return Err(format!("a graph of {} {what} is no picture: define at most {most}", members.len()));
        }
        Ok(members)
    }

    fn node(&mut self, node: &Value, attributes: &Attributes) {
        let known = self.nodes.entry(node.clone()).or_default();
        known.extend(attributes.iter().map(|(name, value)| (name.clone(), value.clone())));
    }

    fn nodes_of(&mut self, value: &Value, defaults: &Attributes) -> Result<(), String> {
        if let Value::Record(fields) = value {
            let (own, defaults) = split(fields, defaults, "nodes");
            let own = own.ok_or("it is a record without a field nodes")?;
            return self.nodes_of(&own, &defaults);
        }
        for member in self.bounded(value, (MOST_NODES, "nodes"))?.iter() {
            match &member {
                Value::Record(fields) => {
                    let (node, attributes) = split(fields, defaults, "value");
                    self.node(&node.ok_or("a node has no field value")?, &attributes);
                }
                // A node with its colour, or with a value that determines it.
                Value::Pair(pair) => {
                    let mut attributes = defaults.clone();
                    attributes.insert(Arc::from("color"), pair.1.clone());
                    self.node(&pair.0, &attributes);
                }
                node => self.node(node, defaults),
            }
        }
        Ok(())
    }

    fn edges_of(&mut self, value: &Value, defaults: &Attributes) -> Result<(), String> {
        if let Value::Record(fields) = value {
            let (own, defaults) = split(fields, defaults, "edges");
            let own = own.ok_or("it is a record without a field edges")?;
            return self.edges_of(&own, &defaults);
        }
        for member in self.bounded(value, (MOST_EDGES, "edges"))?.iter() {
            let (from, to, attributes) = match &member {
                Value::Record(fields) => {
                    let (from, attributes) = split(fields, defaults, "from");
                    let to = attributes.get("to").cloned();
                    let ends = from.zip(to).ok_or("an edge has no fields from and to")?;
                    (ends.0, ends.1, attributes.into_iter().filter(|(name, _)| &**name != "to").collect())
                }
                Value::Pair(pair) => match pair.0.as_pair() {
                    // `from |-> label |-> to`, unless the pair is a node.
                    Some((from, label)) if !self.nodes.contains_key(&pair.0) => {
                        let mut attributes = defaults.clone();
                        let is_colour = matches!(label, Value::String(text) if colour(text).is_some());
                        attributes.insert(Arc::from(if is_colour { "color" } else { "label" }), label.clone());
                        (from.clone(), pair.1.clone(), attributes)
                    }
                    _ => (pair.0.clone(), pair.1.clone(), defaults.clone()),
                },
                _ => return Err("its members are neither pairs nor records".to_owned()),
            };
            self.node(&from, &Attributes::new());
            self.node(&to, &Attributes::new());
            self.edges.push(GraphEdge { from, to, attributes });
        }
        Ok(())
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.is_cut || self.nodes.is_empty()
    }

    /// Why it is not drawn, if it is too large.
    pub(super) fn too_large(&self) -> Option<String> {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        match () {
            () if nodes > MOST_NODES => Some(format!("a graph of {nodes} nodes is no picture: define at most {MOST_NODES}")),
            () if edges > MOST_EDGES => Some(format!("a graph of {edges} edges is no picture: define at most {MOST_EDGES}")),
            () => None,
        }
    }

    /// The number of nodes and edges.
    pub(super) fn parts(&self) -> usize {
        self.nodes.len() + self.edges.len()
    }

    /// Draws it. `name` is the prefix of its ids, which are unique in a page.
    pub(super) fn draw(&self, model: &Model, name: &str) -> LaidOut {
        let layers = self.layers();
        let values = self.values_for_colours();
        let mut nodes: Vec<DrawnNode> = Vec::new();
        for ((node, attributes), layer) in self.nodes.iter().zip(layers) {
            let label = attributes.get("label").map_or_else(|| display(node, model), |label| text(label, model));
            let mut lines = vec![label];
            let marks = ["fillcolor", "color"].iter().find_map(|name| attributes.get(*name));
            let stripe = marks.and_then(|mark| match mark {
                Value::String(name) => colour(name),
                other => values.iter().position(|value| value == other).map(|at| STRIPES[at % STRIPES.len()].to_owned()),
            });
            // Colours need words too.
            lines.extend(marks.map(|mark| format!("({})", text(mark, model))));
            let others = attributes.iter().filter(|(name, _)| !["label", "color", "fillcolor"].contains(&&***name));
            let others: Vec<String> = others.map(|(name, value)| format!("{name}: {}", text(value, model))).collect();
            let mut node = DrawnNode::new(&lines, layer);
            node.stripe = stripe;
            let whole: Vec<String> = lines.iter().chain(&others).map(|line| escaped(line).into_owned()).collect();
            node.title = Shown::lines(&whole.join("\n"));
            nodes.push(node);
        }
        laid_out(&mut nodes, &self.arrows(model), name)
    }

    /// One arrow for each pair of nodes, with all labels.
    fn arrows(&self, model: &Model) -> Vec<DrawnArrow> {
        let mut words: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for edge in &self.edges {
            let ends = self.nodes.get_index_of(&edge.from).zip(self.nodes.get_index_of(&edge.to));
            let word = ["label", "color"].iter().find_map(|name| edge.attributes.get(*name)).map(|word| text(word, model));
            if let Some(ends) = ends {
                words.entry(ends).or_default().extend(word);
            }
        }
        words.into_iter().map(|((from, to), words)| DrawnArrow::new(from, to, words.join(", "))).collect()
    }

    /// The edges as lines of text, and the nodes without edges.
    pub(super) fn lines(&self, model: &Model) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (node, attributes) in &self.nodes {
            let own: Vec<String> = attributes.iter().map(|(name, value)| format!("{name} = {}", text(value, model))).collect();
            let ends = self.edges.iter().any(|edge| edge.from == *node || edge.to == *node);
            if !own.is_empty() || !ends {
                lines.push(format!("{} {}", display(node, model), own.join(", ")).trim_end().to_owned());
            }
        }
        for edge in &self.edges {
            let own: Vec<String> = edge.attributes.values().map(|value| text(value, model)).collect();
            let arrow = if own.is_empty() { "->".to_owned() } else { format!("-[{}]->", own.join(", ")) };
            lines.push(format!("{} {arrow} {}", display(&edge.from, model), display(&edge.to, model)));
        }
        lines
    }

    /// The values that are not colours and occur where a colour is expected, in order.
    fn values_for_colours(&self) -> Vec<Value> {
        let all = self.nodes.values().flat_map(|attributes| ["fillcolor", "color"].iter().find_map(|name| attributes.get(*name)));
        let values: Set = all.filter(|value| !matches!(value, Value::String(_))).cloned().collect();
        values.iter().collect()
    }

    /// The layer of each node: its distance from those without incoming edges, then, for unreachable ones, from the first one left.
    fn layers(&self) -> Vec<usize> {
        let index = |value: &Value| self.nodes.get_index_of(value);
        let edges: Vec<(usize, usize)> = self.edges.iter().filter_map(|edge| index(&edge.from).zip(index(&edge.to))).collect();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut is_target = vec![false; self.nodes.len()];
        for (from, to) in edges {
            next[from].push(to);
            is_target[to] |= from != to;
        }
        let mut layers: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut queue: VecDeque<usize> = (0..self.nodes.len()).filter(|&node| !is_target[node]).collect();
        queue.iter().for_each(|&node| layers[node] = Some(0));
        loop {
            while let Some(node) = queue.pop_front() {
                for &to in &next[node] {
                    if layers[to].is_none() {
                        layers[to] = layers[node].map(|layer| layer + 1);
                        queue.push_back(to);
                    }
                }
            }
            let Some(first) = layers.iter().position(Option::is_none) else { break };
            layers[first] = Some(0);
            queue.push_back(first);
        }
        layers.into_iter().flatten().collect()
    }
}

/// Whether a field is `nodes`, or `nodes` with one digit.
fn is_part(name: &str, part: &str) -> bool {
    name.strip_prefix(part).is_some_and(|rest| rest.len() <= 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The field of this name, and the other fields, which override the defaults.
fn split(fields: &[(Arc<str>, Value)], defaults: &Attributes, own: &str) -> (Option<Value>, Attributes) {
    let mut attributes = defaults.clone();
    attributes.extend(fields.iter().filter(|(name, _)| &**name != own).cloned());
    (fields.iter().find(|(name, _)| &**name == own).map(|(_, value)| value.clone()), attributes)
}

fn members(value: &Value) -> Result<&Set, String> {
    value.as_set().ok_or_else(|| "it is no set that can be written out".to_owned())
}

/// A value as a text: strings without quotes.
fn text(value: &Value, model: &Model) -> String {
    if let Value::String(text) = value { text.to_string() } else { display(value, model) }
}

/// A colour that SVG has under this name, or with these hexadecimal digits.
fn colour(name: &str) -> Option<String> {
    let is_hex =
        name.strip_prefix('#').is_some_and(|digits| [3, 6].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let name = name.to_ascii_lowercase();
    (is_hex || COLOURS.contains(&name.as_str())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Span;

    fn number(value: i64) -> Value {
        Value::integer(value)
    }

    fn pair(first: Value, second: Value) -> Value {
        Value::pair(first, second)
    }

    fn record(fields: &[(&str, Value)]) -> Value {
        let mut fields: Vec<(Arc<str>, Value)> = fields.iter().map(|(name, value)| (Arc::from(*name), value.clone())).collect();
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        Value::Record(fields.into())
    }

    fn lines(parts: &[(GraphPart, Value)]) -> Vec<String> {
        let mut graph = CustomGraph::default();
        parts.iter().for_each(|(part, value)| graph.add(*part, value).expect("a graph"));
        graph.lines(&Model::empty("M", Span::nowhere()))
    }

    #[test]
    fn relations_triples_and_records_are_graphs() {
        let relation = Value::set(vec![pair(number(1), number(2)), pair(number(2), number(1))]);
        assert_eq!(lines(&[(GraphPart::Edges, relation.clone())]), ["1 -> 2", "2 -> 1"]);
        let labelled = Value::set(vec![pair(pair(number(1), Value::string("to")), number(2))]);
        assert_eq!(lines(&[(GraphPart::Edges, labelled.clone())]), ["1 -[to]-> 2"]);
        let nodes = Value::set(vec![pair(number(1), Value::string("red")), pair(number(3), Value::string("green"))]);
        let whole = record(&[("nodes", nodes.clone()), ("edges", record(&[("label", Value::string("e")), ("edges", relation)]))]);
        let all = ["1 color = red", "3 color = green", "1 -[e]-> 2", "2 -[e]-> 1"];
        assert_eq!(lines(&[(GraphPart::Whole, whole)]), all);
        let records = Value::set(vec![record(&[("value", number(7)), ("shape", Value::string("box"))])]);
        let edges = Value::set(vec![record(&[("from", number(7)), ("to", number(8))])]);
        assert_eq!(lines(&[(GraphPart::Nodes, records), (GraphPart::Edges, edges)]), ["7 shape = box", "7 -> 8"]);
    }

    #[test]
    fn a_pair_that_is_a_node_is_no_label() {
        let place = pair(number(1), number(1));
        let nodes = record(&[("nodes", Value::set(vec![record(&[("value", place.clone())])]))]);
        let edges = Value::set(vec![pair(place, number(5))]);
        assert_eq!(lines(&[(GraphPart::Nodes, nodes), (GraphPart::Edges, edges)]), ["(1|->1) -> 5"]);
    }

    #[test]
    fn layers_are_distances_also_within_circles() {
        let mut graph = CustomGraph::default();
        let edge = |from, to| pair(number(from), number(to));
        graph.add(GraphPart::Edges, &Value::set(vec![edge(1, 2), edge(2, 3), edge(8, 9), edge(9, 8)])).expect("a graph");
        assert_eq!(graph.layers(), [0, 1, 2, 0, 1]);
    }

    #[test]
    fn colours_are_names_and_digits_only() {
        assert_eq!(
            ["Red", "#0aF", "#12345", "url(x)", "red\" onload=\""].map(|name| colour(name).is_some()),
            [true, true, false, false, false]
        );
    }
}
