//! The graph of a search: Graphviz (`.dot`), Aldebaran (`.aut`), GraphML, CSV.
//!
//! Texts are made state by state, so that a graph need not fit memory. Invariant: a graph up to symmetry is marked as a quotient in the
//! file; each of its edges has its multiplicity, its weight in the full space (as text: such numbers outgrow 64 bits), and the
//! permutation that takes the successor to its representative, without which the full graph is not determined (see `unfold`).
//! Deliberately elsewhere: layout (`dot -Tsvg`), the walk (`explore`), files (`cli`).

use super::graph_attribute::AttributeType;
use super::graphviz_look;
use super::markup::{Markup, markup};
use super::named::{Spelling, named_step_by};
use super::trace::title;
use super::unfold::{FullEdge, FullState, Quotient};
use bcheck_explore::{GraphEdge, GraphState, GraphTotals, MergedEdge, MergedState};
use bcheck_ir::Model;
use bcheck_source::{Shown, Vocabulary, escaped, shown};
use bcheck_value::Value;
use bcheck_value::display::display;
use num_bigint::BigUint;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Graphviz.
    Dot,
    /// Aldebaran, as CADP and mCRL2 read it.
    Aut,
    /// For Gephi and yEd.
    GraphMl,
    /// Two tables: edges, and states in a separate file.
    Csv,
}

/// Writes the parts of one graph.
#[derive(Clone, Debug)]
pub struct GraphText {
    format: GraphFormat,
    title: String,
    /// The names of the constants and variables.
    names: Vec<String>,
    /// The types of their attributes in GraphML.
    types: Vec<AttributeType>,
    /// Whether labels of edges are free of multiplicities and permutations.
    has_plain_labels: bool,
    /// Generators of the group, in cycles; only for a quotient.
    generators: Option<Vec<String>>,
    /// The expression whose value the states of a node share, when states were merged.
    merged_by: Option<String>,
    /// The number of initial states, if a root precedes them: a graph in `.aut` has exactly one initial state, so a root is added where
    /// there are several, or none.
    root: Option<usize>,
}

/// A piece of text, and one for the file of states (CSV only).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPart {
    /// For the file itself.
    pub main: Shown,
    /// For the file of states.
    pub states: Shown,
}

impl From<Shown> for GraphPart {
    fn from(main: Shown) -> Self {
        Self { main, states: Shown::new() }
    }
}

impl From<Markup> for GraphPart {
    fn from(main: Markup) -> Self {
        Shown::from(main).into()
    }
}

/// Length to which the first line of `.aut` is padded: its numbers are known only at the end. Two of 20 digits fit.
const AUT_HEADER: usize = 64;

impl GraphText {
    /// The graph of a machine in this format; with generators of the group where symmetric states are one node.
    #[must_use]
    pub fn new(format: GraphFormat, model: &Model, generators: Option<Vec<String>>) -> Self {
        let names = model.constants.keys().chain(model.variables.keys()).cloned().collect();
        let (title, types) = (model.name.clone(), AttributeType::all_of(model));
        Self { format, title, names, types, has_plain_labels: false, generators, merged_by: None, root: None }
    }

    /// The full graph of a quotient.
    #[must_use]
    pub fn unfolded(format: GraphFormat, quotient: &Quotient) -> Self {
        let (title, names) = (quotient.title.clone(), quotient.names.clone());
        let types = quotient.types.iter().map(|word| AttributeType::of_word(word)).collect();
        Self { format, title, names, types, has_plain_labels: false, generators: None, merged_by: None, root: None }
    }

    /// This graph with states merged by this expression.
    #[must_use]
    pub fn merged(self, by: &str) -> Self {
        Self { merged_by: Some(by.to_owned()), ..self }
    }

    /// This graph with labels for comparison by other tools: without multiplicities and permutations.
    #[must_use]
    pub fn with_plain_labels(self, has_plain_labels: bool) -> Self {
        Self { has_plain_labels, ..self }
    }

    /// The names that the values of a node belong to.
    fn names(&self) -> Vec<&str> {
        match &self.merged_by {
            Some(by) => vec![by],
            None => self.names.iter().map(String::as_str).collect(),
        }
    }

    /// The type of the attribute for the name at this position.
    fn type_at(&self, index: usize) -> AttributeType {
        // The common value of merged states is a text, as one of them may have none.
        self.types.get(index).copied().filter(|_| self.merged_by.is_none()).unwrap_or_default()
    }

    fn is_quotient(&self) -> bool {
        self.generators.is_some()
    }

    /// Whether edges represent several steps.
    fn is_counted(&self) -> bool {
        self.is_quotient() || self.merged_by.is_some()
    }

    /// The text before the first state; the states `0..initial` are the initial ones.
    #[must_use]
    pub fn begin(&mut self, initial: usize) -> GraphPart {
        match self.format {
            GraphFormat::Dot => self.begin_dot().into(),
            GraphFormat::Aut => self.begin_aut(initial).into(),
            GraphFormat::GraphMl => self.begin_graphml().into(),
            GraphFormat::Csv => {
                let names: Shown = self.names().iter().map(|name| shown!(",{}", csv(name))).collect();
                GraphPart {
                    main: shown!("from,to,operation,label,multiplicity,weight,permutation\n"),
                    states: shown!("id,initial,depth,orbit,deadlock,findings{}\n", names),
                }
            }
        }
    }

    fn begin_dot(&self) -> Shown {
        let name = &self.title;
        // Comments: attributes that Graphviz knows would be drawn.
        let mut note = Shown::new();
        if self.is_quotient() {
            note += shown!(
                "// A quotient: a node stands for all states that are symmetric to it, an edge for all steps that are.\n\
                 // It leads to the representative of its successor, so a path of this graph need not be a run.\n"
            );
        }
        let mut label = if self.is_quotient() { format!("{name} up to symmetry") } else { name.clone() };
        if let Some(by) = &self.merged_by {
            label.push_str(&format!(", by {by}"));
            note += shown!("// States are merged, so a path of this graph need not be a run.\n");
        }
        shown!("{}digraph {} {{\n  label={};\n{}", note, dot(name), dot(&label), graphviz_look::defaults())
    }

    /// A line of blanks where the header will be written, and the edges of the root if there is one.
    fn begin_aut(&mut self, initial: usize) -> Shown {
        // Blanks in place of the header: its counts are known at the end, and it is written over them.
        let mut text = Shown::new().left(AUT_HEADER) + shown!("\n");
        // A single initial state is state 0 already, as initial states are numbered first. Else the root is state 0, and all others move
        // up by one (see `arrow`).
        if initial != 1 {
            self.root = Some(initial);
            text.extend((0..initial).map(|number| shown!("(0, \"INITIALISATION\", {})\n", number + 1)));
        }
        text
    }

    fn begin_graphml(&self) -> Markup {
        // The schema: attributes of nodes, edges and the graph, each with its type.
        let keys = [
            // Names serve as ids as well, which are global in GraphML, so no two kinds of elements share one.
            ("node", "state", "string"),
            ("node", "initial", "boolean"),
            ("node", "depth", "int"),
            // Numbers of any length in decimal digits, which readers of doubles round.
            ("node", "orbit", "double"),
            ("node", "deadlock", "boolean"),
            ("node", "findings", "string"),
            ("edge", "operation", "string"),
            ("edge", "label", "string"),
            ("edge", "multiplicity", "long"),
            ("edge", "weight", "double"),
            ("edge", "permutation", "string"),
            ("graph", "quotient", "boolean"),
            ("graph", "generators", "string"),
            ("graph", "merged", "string"),
            ("graph", "complete", "boolean"),
        ];
        // All are declared, whether this graph has them or not: readers ignore keys that no element uses.
        let key = |id: &str, of: &str, name: &str, ty: &str| {
            markup!("  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", id, of, name, ty)
        };
        let is_taken = |name: &str| keys.iter().any(|(of, taken, _)| *of == "node" && *taken == name);
        let of_names = self.names().into_iter().enumerate().map(|(index, name)| {
            // Readers identify attributes by their names: that of a variable `depth` is not the distance.
            let name = if is_taken(name) { format!("value of {name}") } else { name.to_owned() };
            key(&value_key(index), "node", &name, self.type_at(index).word())
        });
        let keys: Markup = keys.iter().map(|(of, name, ty)| key(name, of, name, ty)).chain(of_names).collect();
        let mut about = vec![("quotient", shown!("{}", self.is_quotient()))];
        about.extend(self.generators.as_ref().map(|generators| ("generators", in_lines(generators))));
        about.extend(self.merged_by.as_ref().map(|by| ("merged", Shown::line(by))));
        markup!(
            // The id of the graph is the name of the machine, which `unfold` takes over.
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n{}  \
             <graph id=\"{}\" edgedefault=\"directed\">\n    {}\n",
            keys,
            self.title,
            graphml_data(&about)
        )
    }

    /// A state.
    #[must_use]
    pub fn state(&self, state: &GraphState<'_>, model: &Model) -> GraphPart {
        self.node(&Node {
            number: state.number,
            values: state.state.iter().map(|value| display(value, model)).collect(),
            is_initial: state.is_initial,
            depth: state.depth,
            orbit: &state.orbit,
            is_deadlock: state.is_deadlock,
            findings: state.findings.iter().map(|fault| fault.verdict().word()).collect(),
        })
    }

    /// A node that represents several states, with its position in the merged graph.
    #[must_use]
    pub fn merged_state(&self, number: usize, state: &MergedState) -> GraphPart {
        self.node(&Node {
            number,
            values: vec![state.key.clone()],
            is_initial: state.is_initial,
            depth: state.depth,
            orbit: &state.orbit,
            is_deadlock: state.is_deadlock,
            findings: state.findings.iter().map(|verdict| verdict.word()).collect(),
        })
    }

    /// A state of an unfolded graph.
    #[must_use]
    pub fn full_state(&self, number: usize, state: &FullState, quotient: &Quotient) -> GraphPart {
        let node = &quotient.nodes[state.node];
        self.node(&Node {
            number,
            values: state.values.clone(),
            is_initial: node.is_initial,
            depth: node.depth,
            orbit: &BigUint::from(1u32),
            is_deadlock: node.is_deadlock,
            findings: node.findings.iter().map(String::as_str).collect(),
        })
    }

    fn node(&self, state: &Node<'_>) -> GraphPart {
        let Node { number, values, findings, .. } = state;
        let lines: Vec<String> = self.names().iter().zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
        match self.format {
            GraphFormat::Dot => {
                let mut label = lines;
                if self.is_counted() {
                    let states = if *state.orbit == BigUint::from(1u32) { "state" } else { "states" };
                    label.push(format!("({} {states})", state.orbit));
                }
                let mut more = Shown::new();
                if state.is_initial {
                    more += shown!(", penwidth=3");
                }
                if !findings.is_empty() || state.is_deadlock {
                    // A reached goal alone is what was searched for.
                    let is_goal = findings.as_slice() == ["goal_found"] && !state.is_deadlock;
                    let look = if is_goal { graphviz_look::GOAL } else { graphviz_look::WRONG };
                    let what = findings.iter().copied().chain(state.is_deadlock.then_some("deadlock")).collect::<Vec<_>>().join(", ");
                    more += shown!(", {}, tooltip={}", look, dot(&what));
                }
                shown!("  s{} [label={}{}];\n", number, dot(&in_lines(&label)), more).into()
            }
            // Aldebaran has no list of states: they are the numbers in its edges.
            GraphFormat::Aut => GraphPart::default(),
            GraphFormat::GraphMl => {
                let mut data = vec![
                    ("state", in_lines(&lines)),
                    ("initial", shown!("{}", state.is_initial)),
                    ("depth", shown!("{}", state.depth)),
                    ("orbit", shown!("{}", state.orbit)),
                    ("deadlock", shown!("{}", state.is_deadlock)),
                    ("findings", Shown::line(&findings.join(" "))),
                ];
                let keys: Vec<String> = (0..values.len()).map(value_key).collect();
                let typed = values.iter().enumerate().map(|(index, value)| self.type_at(index).text(value));
                data.extend(keys.iter().zip(typed).filter_map(|(key, text)| Some((key.as_str(), Shown::line(text?)))));
                markup!("    <node id=\"s{}\">{}</node>\n", number, graphml_data(&data)).into()
            }
            GraphFormat::Csv => {
                let values: Shown = values.iter().map(|value| shown!(",{}", csv(value))).collect();
                let (initial, depth, deadlock) = (state.is_initial, state.depth, state.is_deadlock);
                let findings = findings.join(" ");
                let states = shown!("{},{},{},{},{},{}{}\n", number, initial, depth, state.orbit, deadlock, csv(&findings), values);
                GraphPart { main: Shown::new(), states }
            }
        }
    }

    /// An edge of the state with these values.
    #[must_use]
    pub fn edge(&self, edge: &GraphEdge<'_>, state: &[Value], model: &Model) -> GraphPart {
        self.arrow(&Arrow {
            from: edge.from,
            to: edge.to,
            operation: edge.step.operation.map_or("", |operation| model.operation_name(operation)),
            label: &title(&named_step_by(model, edge.step, state, &Spelling::Uniform(display))),
            multiplicity: edge.multiplicity as u64,
            weight: &edge.weight,
            permutation: self.is_quotient().then(|| edge.permutation.in_names(model)),
        })
    }

    /// An edge that represents all steps of an operation between two merged nodes.
    #[must_use]
    pub fn merged_edge(&self, edge: &MergedEdge, model: &Model) -> GraphPart {
        let operation = edge.operation.map_or("", |operation| model.operation_name(operation));
        let MergedEdge { from, to, multiplicity, ref weight, .. } = *edge;
        self.arrow(&Arrow { from, to, operation, label: operation, multiplicity, weight, permutation: None })
    }

    /// An edge of an unfolded graph.
    #[must_use]
    pub fn full_edge(&self, edge: &FullEdge, quotient: &Quotient) -> GraphPart {
        let (operation, weight) = (&quotient.edges[edge.edge].operation, &BigUint::from(1u32));
        self.arrow(&Arrow { from: edge.from, to: edge.to, operation, label: &edge.label, multiplicity: 1, weight, permutation: None })
    }

    fn arrow(&self, arrow: &Arrow<'_>) -> GraphPart {
        let Arrow { from, to, operation, label, multiplicity, weight, permutation } = arrow;
        match self.format {
            GraphFormat::Dot => {
                let mut more =
                    // Not `weight`, an attribute by which Graphviz lays edges out.
                    if self.is_counted() { shown!(", multiplicity={}, weight_in_full=\"{}\"", multiplicity, weight) } else { Shown::new() };
                more.extend(permutation.as_ref().map(|permutation| shown!(", permutation={}", dot(permutation))));
                // In a quotient the steps of an edge are images of each other; in a merged graph they only share their operation.
                let what = if self.merged_by.is_some() { "steps" } else { "alike" };
                let text = if *multiplicity > 1 && !self.has_plain_labels {
                    shown!("{}\n({} {})", label, multiplicity, what)
                } else {
                    Shown::line(label)
                };
                shown!("  s{} -> s{} [label={}{}];\n", from, to, dot(&text), more).into()
            }
            GraphFormat::Aut => {
                // The root has the number 0.
                let shift = usize::from(self.root.is_some());
                let mut counted = if self.has_plain_labels {
                    String::new()
                } else if self.is_counted() {
                    format!(" *{multiplicity} ({weight} in full)")
                } else {
                    String::new()
                };
                counted.extend(
                    permutation
                        .iter()
                        .filter(|permutation| !permutation.is_empty() && !self.has_plain_labels)
                        .map(|permutation| format!(" {permutation}")),
                );
                let text = escaped(label).replace('\\', "\\\\").replace('"', "'");
                shown!("({}, \"{}{}\", {})\n", from + shift, text, counted, to + shift).into()
            }
            GraphFormat::GraphMl => {
                let mut data = vec![
                    ("operation", Shown::line(operation)),
                    ("label", Shown::line(label)),
                    ("multiplicity", shown!("{}", multiplicity)),
                    ("weight", shown!("{}", weight)),
                ];
                data.extend(permutation.as_ref().map(|permutation| ("permutation", Shown::line(permutation))));
                markup!("    <edge source=\"s{}\" target=\"s{}\">{}</edge>\n", from, to, graphml_data(&data)).into()
            }
            GraphFormat::Csv => {
                let permutation = permutation.as_deref().unwrap_or("");
                let (operation, label, permutation) = (csv(operation), csv(label), csv(permutation));
                shown!("{},{},{},{},{},{},{}\n", from, to, operation, label, multiplicity, weight, permutation).into()
            }
        }
    }

    /// The text after the last edge.
    #[must_use]
    pub fn end(&self, totals: &GraphTotals) -> Shown {
        let incomplete = if totals.is_complete { "" } else { "incomplete: states beyond these, and steps to them, are left out" };
        match self.format {
            GraphFormat::Dot if incomplete.is_empty() => shown!("}}\n"),
            GraphFormat::Dot => shown!("}}\n// {}\n", incomplete),
            GraphFormat::Aut | GraphFormat::Csv => Shown::new(),
            GraphFormat::GraphMl => {
                let complete = graphml_data(&[("complete", shown!("{}", totals.is_complete))]);
                let comment = if incomplete.is_empty() { Markup::new() } else { markup!("<!-- {} -->\n", incomplete) };
                markup!("    {}\n  </graph>\n</graphml>\n{}", complete, comment).into()
            }
        }
    }

    /// The text that replaces the beginning of the file at the end; `None` for most formats.
    #[must_use]
    pub fn header(&self, totals: &GraphTotals) -> Option<Shown> {
        // The root is one more state, with an edge to each initial one.
        let (more_states, more_edges) = self.root.map_or((0, 0), |initial| (1, initial));
        // The initial state, the number of transitions, the number of states, in this order.
        let header = || shown!("des (0, {}, {})", totals.edges + more_edges, totals.states + more_states);
        (self.format == GraphFormat::Aut).then(|| header().left(AUT_HEADER))
    }
}

/// A node in its textual form.
struct Node<'a> {
    number: usize,
    values: Vec<String>,
    is_initial: bool,
    depth: usize,
    orbit: &'a BigUint,
    is_deadlock: bool,
    findings: Vec<&'a str>,
}

/// An edge in its textual form.
struct Arrow<'a> {
    from: usize,
    to: usize,
    operation: &'a str,
    label: &'a str,
    multiplicity: u64,
    weight: &'a BigUint,
    permutation: Option<String>,
}

/// The key of the value at this position.
fn value_key(index: usize) -> String {
    format!("v{index}")
}

fn graphml_data(data: &[(&str, Shown)]) -> Markup {
    data.iter().map(|(key, value)| markup!("<data key=\"{}\">{}</data>", key, value)).collect()
}

fn in_lines(texts: &[String]) -> Shown {
    Shown::join(texts.iter().map(|text| Shown::line(text)), "\n")
}

/// A quoted text of Graphviz, lines aligned to the left.
pub(super) fn dot(text: &str) -> Shown {
    let escaped = Shown::lines(text).replace('\\', "\\\\").replace('"', "\\\"");
    // `\l` ends a line that is aligned to the left; a single line stays centred.
    let end = if escaped.contains('\n') { "\\l" } else { "" };
    shown!("\"{}{}\"", escaped.replace('\n', "\\l"), end)
}

/// A field of CSV, quoted where it must be (RFC 4180).
fn csv(text: &str) -> Shown {
    let text = Shown::line(text);
    if text.contains(['"', ',']) { shown!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
