//! A small graph of states as a picture (SVG), without another program.
//!
//! The layers are the distances from the initial states.
//! Invariant: every state and every step is in the picture, or in the title of the arrow that it shares. Deliberately elsewhere: the
//! positions of boxes and arrows (`layout`), large graphs (Graphviz).

use super::graph::dot;
use super::graphviz_look;
use super::layout::{DrawnArrow, DrawnNode, laid_out};
use super::markup::Markup;
use bcheck_explore::{Merged, MergedState, Verdict};
use bcheck_ir::Model;
use bcheck_source::{Shown, Vocabulary, shown};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// The most states of a graph that is drawn here.
const MOST_STATES: usize = 80;
/// The most states of a graph that is drawn however many arrows it has.
// Up to 80 states with up to 200 arrows, an arrow crosses at most two others on average; in a cube of 64 states with 384 arrows no arrow
// can be followed. The crate rust-sugiyama 0.4 computes layers, orders and places with more crossings, no routes of arrows, and panics at a
// state with a self-loop.
const DENSE_STATES: usize = 40;
/// The most arrows of a larger one.
const SPARSE_ARROWS: usize = 200;

/// Whether a picture that is drawn here can be read; larger graphs are for Graphviz.
#[must_use]
pub fn is_readable(graph: &Merged) -> bool {
    let states = graph.states.len();
    // The arrows of the picture: one for each pair.
    let arrows = || graph.edges.iter().map(|edge| (edge.from, edge.to)).collect::<BTreeSet<_>>().len();
    states <= DENSE_STATES || (states <= MOST_STATES && arrows() <= SPARSE_ARROWS)
}

/// The picture; with `is_quotient`, nodes are classes of symmetric states.
#[must_use]
pub fn draw(model: &Model, graph: &Merged, is_quotient: bool) -> Shown {
    picture(model, graph, is_quotient).into()
}

/// The picture as part of a page.
pub fn picture(model: &Model, graph: &Merged, is_quotient: bool) -> Markup {
    let mut nodes: Vec<DrawnNode> = graph.states.iter().map(|state| box_of(state, is_quotient)).collect();
    let arrows = arrows(model, graph);
    let label = format!("The graph of {}: {} states, {} arrows", model.name, nodes.len(), arrows.len());
    laid_out(&mut nodes, &arrows, &model.name).svg(&label)
}

/// A picture of named boxes with labelled arrows between them; layers are distances from the boxes without incoming arrows.
pub(super) fn draw_named(name: &str, what: &str, boxes: &[String], arrows: &[(usize, usize, String)]) -> Shown {
    let mut words: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for (from, to, word) in arrows {
        words.entry((*from, *to)).or_default().push(word);
    }
    let is_first = |at: usize| !words.keys().any(|(from, to)| *to == at && *from != at);
    let mut layers: Vec<Option<usize>> = (0..boxes.len()).map(|at| is_first(at).then_some(0)).collect();
    // In a cycle without incoming arrows, the first box is taken as initial.
    while let Some(next) = layers.iter().position(Option::is_none) {
        let near = words.keys().filter_map(|(from, to)| Some((layers[*from]? + 1, *to))).filter(|(_, to)| layers[*to].is_none()).min();
        let (layer, at) = near.unwrap_or((0, next));
        layers[at] = Some(layer);
    }
    let mut nodes: Vec<DrawnNode> =
        boxes.iter().zip(&layers).map(|(text, layer)| DrawnNode::new(std::slice::from_ref(text), layer.unwrap_or_default())).collect();
    let arrows: Vec<DrawnArrow> = words.into_iter().map(|((from, to), words)| DrawnArrow::new(from, to, words.join(", "))).collect();
    laid_out(&mut nodes, &arrows, name).svg(&format!("{what} of {name}")).into()
}

/// This graph for Graphviz, which lays out large ones better.
#[must_use]
pub fn text_for_graphviz(model: &Model, graph: &Merged, is_quotient: bool) -> Shown {
    let mut text = shown!("digraph {} {{\n{}", dot(&model.name), graphviz_look::defaults());
    for (number, state) in graph.states.iter().enumerate() {
        let node = box_of(state, is_quotient);
        let mut look = if node.is_initial { shown!(", penwidth=3") } else { Shown::new() };
        match node.class {
            "node goal" => look += shown!(", {}", graphviz_look::GOAL),
            "node wrong" => look += shown!(", {}", graphviz_look::WRONG),
            _ => {}
        }
        text += shown!("  s{} [label={}, tooltip={}{}];\n", number, dot(&node.lines().join("\n")), dot(&node.title), look);
    }
    for arrow in arrows(model, graph) {
        text += shown!("  s{} -> s{} [label={}, tooltip={}];\n", arrow.from, arrow.to, dot(&arrow.word), dot(&arrow.title));
    }
    text + shown!("}}\n")
}

/// The box of a state, or of a class of states.
fn box_of(state: &MergedState, is_quotient: bool) -> DrawnNode {
    let mut lines: Vec<String> = state.key.lines().map(str::to_owned).collect();
    if is_quotient && state.orbit != BigUint::from(1u32) {
        lines.push(format!("({} states)", state.orbit));
    }
    let wrong = state.findings.iter().map(|verdict| verdict.word()).chain(state.is_deadlock.then_some("deadlock"));
    let wrong: Vec<&str> = wrong.collect();
    if !wrong.is_empty() {
        // First, so that it is not truncated.
        lines.insert(0, wrong.join(", "));
    }
    if lines.is_empty() {
        lines.push("(no variables)".to_owned());
    }
    // A reached goal is what was searched for, so a state with nothing else is not marked as wrong.
    let is_goal = state.findings.iter().all(|verdict| *verdict == Verdict::GoalFound) && !state.is_deadlock;
    let class = match (wrong.is_empty(), is_goal) {
        (true, _) => "node",
        (false, true) => "node goal",
        (false, false) => "node wrong",
    };
    let mut node = DrawnNode::new(&lines, state.depth);
    (node.class, node.is_initial) = (class, state.is_initial);
    node
}

/// One arrow for each pair of boxes.
fn arrows(model: &Model, graph: &Merged) -> Vec<DrawnArrow> {
    let mut pairs: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for edge in &graph.edges {
        let name = edge.operation.map_or("INITIALISATION", |operation| model.operation_name(operation));
        let counted = if edge.multiplicity > 1 { format!("{name} ×{}", edge.multiplicity) } else { name.to_owned() };
        pairs.entry((edge.from, edge.to)).or_default().push(counted);
    }
    pairs.into_iter().map(|((from, to), words)| DrawnArrow::new(from, to, words.join(", "))).collect()
}
