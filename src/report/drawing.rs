//! A small graph of states as a picture (SVG), without another program.
//!
//! The layers are the distances from the initial states, so what is left of a layout by layers (Sugiyama, Tagawa, Toda, "Methods for
//! visual understanding of hierarchical system structures", 1981) is the order within each: by barycentres, then places as near to the
//! neighbours as the order allows. Invariant: no two boxes and no two words overlap; a word for which there is no room is left out and
//! stays in the title of its arrow. Nothing is shown by colour alone. Deliberately elsewhere: large graphs (Graphviz).

use super::graph::dot;
use super::markup::{Markup, markup};
use crate::explore::{Merged, MergedState, Verdict};
use crate::ir::Model;
use crate::source::{Shown, Vocabulary, escaped, shown};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// The style sheet of the picture.
pub(super) const STYLE: &str = include_str!("drawing.css");

/// The most states of a graph that is drawn here.
pub(crate) const MOST_STATES: usize = 80;
/// The most states of a graph that is drawn however many arrows it has.
// Up to 80 states with up to 200 arrows, an arrow crosses at most two others on average; in a cube of 64 states with 384 arrows no arrow
// can be followed. The crate rust-sugiyama 0.4 gives layers, orders and places with more crossings, gives arrows no ways, and panics at a
// state that has a step to itself.
const DENSE_STATES: usize = 40;
/// The most arrows of a larger one.
const SPARSE_ARROWS: usize = 200;

/// Estimated width of a letter, in pixels of the picture.
// The viewer chooses the font; DejaVu Sans Mono, which the style sheet names, takes 7.2 pixels at this size.
const LETTER: f64 = 7.3;
/// Height of a line.
const LINE: f64 = 17.0;
/// The most letters of a line; longer ones are cut.
const LONGEST: usize = 56;
/// The most lines of a box; the others are left out.
const MOST_LINES: usize = 8;
/// Space between boxes: side by side, and between layers.
const GAP: (f64, f64) = (46.0, 78.0);
/// Passes over the layers; the order rarely changes after a few.
const PASSES: usize = 12;
/// How far an arrow that passes layers swerves to the side, the best first.
const DETOURS: [f64; 9] = [40.0, 120.0, 200.0, 280.0, 360.0, 480.0, 600.0, 760.0, 960.0];
/// Places along an arrow for its word, as shares of its length, the best first.
const ALONG: [f64; 9] = [0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75, 0.18, 0.82];

/// Whether a picture that is drawn here can be read; larger graphs are for Graphviz.
#[must_use]
pub(crate) fn is_readable(graph: &Merged) -> bool {
    let states = graph.states.len();
    // The same arrows as in the picture: one for each pair.
    let arrows = || graph.edges.iter().map(|edge| (edge.from, edge.to)).collect::<BTreeSet<_>>().len();
    states <= DENSE_STATES || (states <= MOST_STATES && arrows() <= SPARSE_ARROWS)
}

/// The picture; with `is_quotient`, nodes stand for classes of symmetric states.
#[must_use]
pub(crate) fn draw(model: &Model, graph: &Merged, is_quotient: bool) -> Shown {
    picture(model, graph, is_quotient).into()
}

/// The id of the arrow heads of a picture. A page about a chain of refinements has a picture of each, and ids of a page are distinct.
fn head_id(machine: &str) -> String {
    // In `url(#…)`, other letters would have to be escaped.
    let letter = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_string(),
        letter => format!("_{:x}", u32::from(letter)),
    };
    format!("head-{}", machine.chars().map(letter).collect::<String>())
}

/// The picture as part of a page.
pub(super) fn picture(model: &Model, graph: &Merged, is_quotient: bool) -> Markup {
    let mut nodes: Vec<DrawnNode> = graph.states.iter().map(|state| DrawnNode::new(state, is_quotient)).collect();
    let arrows = arrows(model, graph);
    arrange(&mut nodes, &arrows);
    let head = head_id(&model.name);
    let mut canvas = Canvas::default();
    // Boxes take their places before any word looks for one.
    for node in &nodes {
        canvas.keep(node.corner(), node.size);
    }
    let mut lines = Markup::new();
    let mut words = Markup::new();
    // Short arrows first: they have the least choice of a place for their word.
    let mut order: Vec<&DrawnArrow> = arrows.iter().collect();
    order.sort_by_key(|arrow| (nodes[arrow.from].layer.abs_diff(nodes[arrow.to].layer), arrow.from, arrow.to));
    for arrow in order {
        let curve = Curve::of(&nodes, arrow);
        canvas.extend(&curve);
        lines +=
            markup!("<path class=\"arrow\" marker-end=\"url(#{})\" d=\"{}\"><title>{}</title></path>\n", head, curve.path(), arrow.title);
        if let Some((x, y)) = canvas.room(&curve, &arrow.word) {
            words += markup!("<text class=\"word\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n", x, y + 4.0, arrow.word);
        }
    }
    let boxes: Markup = nodes.iter().map(DrawnNode::svg).collect();
    let (left, top, width, height) = canvas.frame();
    let label = format!("The graph of {}: {} states, {} arrows", model.name, nodes.len(), arrows.len());
    markup!(
        "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.0} {:.0} {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" role=\"img\" aria-label=\"{}\">\n\
         {}<defs><marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path class=\"head\" d=\"M0 1L10 5L0 9z\"/></marker></defs>\n<rect class=\"paper\" x=\"{:.0}\" y=\"{:.0}\" width=\"{:.0}\" height=\"{:.0}\"/>\n{}{}{}</svg>\n",
        left,
        top,
        width,
        height,
        width,
        height,
        label,
        Markup::style(STYLE),
        head,
        left,
        top,
        width,
        height,
        lines,
        boxes,
        words
    )
}

/// The same graph for Graphviz, which lays out large ones better.
#[must_use]
pub(crate) fn text_for_graphviz(model: &Model, graph: &Merged, is_quotient: bool) -> Shown {
    let mut text = shown!(
        "digraph {} {{\n  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"monospace\", fontsize=10];\n",
        dot(&model.name)
    );
    for (number, state) in graph.states.iter().enumerate() {
        let node = DrawnNode::new(state, is_quotient);
        // Line styles in place of colours, as in the picture that is drawn here.
        let look = match (node.class, node.is_initial) {
            ("node", true) => ", penwidth=3",
            ("node", false) => "",
            (_, true) => ", penwidth=3, style=dashed",
            (_, false) => ", style=dashed",
        };
        text += shown!("  s{} [label={}, tooltip={}{}];\n", number, dot(&node.lines.join("\n")), dot(&node.title), look);
    }
    for arrow in arrows(model, graph) {
        text += shown!("  s{} -> s{} [label={}, tooltip={}];\n", arrow.from, arrow.to, dot(&arrow.word), dot(&arrow.title));
    }
    text + shown!("}}\n")
}

/// A box.
struct DrawnNode {
    lines: Vec<String>,
    /// All lines in full, shown when the pointer is on the box.
    title: Shown,
    class: &'static str,
    layer: usize,
    is_initial: bool,
    /// The middle.
    at: (f64, f64),
    size: (f64, f64),
}

impl DrawnNode {
    fn new(state: &MergedState, is_quotient: bool) -> Self {
        let mut lines: Vec<String> = state.key.lines().map(|line| escaped(line).into_owned()).collect();
        let counted = is_quotient && state.orbit != BigUint::from(1u32);
        if counted {
            lines.push(format!("({} states)", state.orbit));
        }
        let wrong = state.findings.iter().map(|verdict| verdict.word()).chain(state.is_deadlock.then_some("deadlock"));
        let wrong: Vec<&str> = wrong.collect();
        if !wrong.is_empty() {
            // First, so that the cut below cannot drop it.
            lines.insert(0, wrong.join(", "));
        }
        let title = Shown::lines(&lines.join("\n"));
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES - 1);
            lines.push("…".to_owned());
        }
        for line in &mut lines {
            if line.chars().count() > LONGEST {
                *line = line.chars().take(LONGEST - 1).chain(['…']).collect();
            }
        }
        if lines.is_empty() {
            lines.push("(no variables)".to_owned());
        }
        // A reached goal is what was looked for, so a state with nothing else is not marked as wrong.
        let is_goal = state.findings.iter().all(|verdict| *verdict == Verdict::GoalFound) && !state.is_deadlock;
        let class = match (wrong.is_empty(), is_goal) {
            (true, _) => "node",
            (false, true) => "node goal",
            (false, false) => "node wrong",
        };
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let size = (number(longest) * LETTER + 18.0, number(lines.len()) * LINE + 10.0);
        Self { lines, title, class, layer: state.depth, is_initial: state.is_initial, at: (0.0, 0.0), size }
    }

    fn corner(&self) -> (f64, f64) {
        (self.at.0 - self.size.0 / 2.0, self.at.1 - self.size.1 / 2.0)
    }

    /// Whether a point is in the box, or within 8 pixels of it.
    fn holds(&self, (x, y): (f64, f64)) -> bool {
        (x - self.at.0).abs() < self.size.0 / 2.0 + 8.0 && (y - self.at.1).abs() < self.size.1 / 2.0 + 8.0
    }

    fn svg(&self) -> Markup {
        let ((x, y), (width, height)) = (self.corner(), self.size);
        let initial = if self.is_initial { " initial" } else { "" };
        let lines: Markup = self
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| {
                let down = y + 5.0 + LINE * number(index) + 12.5;
                markup!("<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 9.0, down, line)
            })
            .collect();
        markup!(
            "<g class=\"{}{}\"><title>{}</title><rect class=\"box\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>{}</g>\n",
            self.class,
            initial,
            self.title,
            x,
            y,
            width,
            height,
            lines
        )
    }
}

/// All steps from one box to another.
struct DrawnArrow {
    from: usize,
    to: usize,
    word: String,
    title: String,
}

/// One arrow for each pair of boxes.
fn arrows(model: &Model, graph: &Merged) -> Vec<DrawnArrow> {
    let mut pairs: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for edge in &graph.edges {
        let name = edge.operation.map_or("INITIALISATION", |operation| model.operation_name(operation));
        let counted = if edge.multiplicity > 1 { format!("{name} ×{}", edge.multiplicity) } else { name.to_owned() };
        pairs.entry((edge.from, edge.to)).or_default().push(counted);
    }
    let arrow = |((from, to), words): ((usize, usize), Vec<String>)| {
        let title = words.join(", ");
        // The whole text is in the title of the arrow.
        let cut = title.chars().count() > LONGEST;
        let word = if cut { title.chars().take(LONGEST - 1).chain(['…']).collect() } else { title.clone() };
        DrawnArrow { from, to, word, title }
    };
    pairs.into_iter().map(arrow).collect()
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn number(count: usize) -> f64 {
    count as f64
}

/// Finds a place for each box.
fn arrange(nodes: &mut [DrawnNode], arrows: &[DrawnArrow]) {
    let depth = nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (index, node) in nodes.iter().enumerate() {
        layers[node.layer].push(index);
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut loops = vec![0.0; nodes.len()];
    for arrow in arrows {
        if arrow.from == arrow.to {
            // The arrow and its word stand to the right of the box.
            loops[arrow.from] = 40.0 + LETTER * number(arrow.word.chars().count());
        } else {
            neighbours[arrow.from].push(arrow.to);
            neighbours[arrow.to].push(arrow.from);
        }
    }
    let mut down = 0.0;
    for layer in &layers {
        let height = layer.iter().map(|&index| nodes[index].size.1).fold(0.0, f64::max);
        let mut right = 0.0;
        for &index in layer {
            // In the order of numbers: what the sweeps start from must not depend on anything but the graph.
            nodes[index].at = (right + nodes[index].size.0 / 2.0, down + height / 2.0);
            right += nodes[index].size.0 + GAP.0 + loops[index];
        }
        // Layers begin centred on each other.
        layer.iter().for_each(|&index| nodes[index].at.0 -= right / 2.0);
        // Many arrows need room for their words.
        down += height + GAP.1 + 8.0 * number(layer.len().min(10));
    }
    // Sweeps down and up by turns. Long arrows have no dummy nodes in the layers that they pass, as in the paper: neighbours of all
    // other layers count alike.
    for pass in 0..PASSES {
        let order: Vec<usize> = if pass % 2 == 0 { (0..depth).collect() } else { (0..depth).rev().collect() };
        for at in order {
            // The barycentre of the neighbours; a box without any stays where it is.
            let wanted = |nodes: &[DrawnNode], index: usize| {
                let around: Vec<f64> = neighbours[index]
                    .iter()
                    .filter(|&&other| nodes[other].layer != nodes[index].layer)
                    .map(|&other| nodes[other].at.0)
                    .collect();
                if around.is_empty() { nodes[index].at.0 } else { around.iter().sum::<f64>() / number(around.len()) }
            };
            let mut wants: Vec<(f64, usize)> = layers[at].iter().map(|&index| (wanted(nodes, index), index)).collect();
            // The last two sweeps keep the order and only move. The sort is stable, so equal barycentres keep their order.
            if pass < PASSES - 2 {
                wants.sort_by(|one, other| one.0.total_cmp(&other.0));
                layers[at] = wants.iter().map(|(_, index)| *index).collect();
            }
            place(nodes, &wants, &loops);
        }
    }
}

/// Moves the boxes of a layer as near to the wanted places as their order and sizes allow.
fn place(nodes: &mut [DrawnNode], wants: &[(f64, usize)], loops: &[f64]) {
    let apart = |left: usize, right: usize| nodes[left].size.0 / 2.0 + loops[left] + GAP.0 + nodes[right].size.0 / 2.0;
    // Two solutions that respect order and distances: one that pushes boxes to the right where they would overlap, and one that pushes
    // them to the left.
    let mut from_left: Vec<f64> = wants.iter().map(|(want, _)| *want).collect();
    let mut from_right = from_left.clone();
    for at in 1..wants.len() {
        from_left[at] = from_left[at].max(from_left[at - 1] + apart(wants[at - 1].1, wants[at].1));
    }
    for at in (1..wants.len()).rev() {
        from_right[at - 1] = from_right[at - 1].min(from_right[at] - apart(wants[at - 1].1, wants[at].1));
    }
    // Distances are lower bounds on differences, so the mean of two solutions satisfies them too.
    for (at, (_, index)) in wants.iter().enumerate() {
        nodes[*index].at.0 = f64::midpoint(from_left[at], from_right[at]);
    }
}

/// A cubic Bézier curve.
struct Curve([(f64, f64); 4]);

impl Curve {
    /// The curve of an arrow; one that passes layers goes around their boxes where it can.
    fn of(nodes: &[DrawnNode], arrow: &DrawnArrow) -> Self {
        let (from, to) = (&nodes[arrow.from], &nodes[arrow.to]);
        let between = |out| Self::between(from, to, arrow.from == arrow.to, out);
        // Layers are shortest distances, so an arrow down passes none (unless states are merged), nor does one up by a single layer.
        if from.layer <= to.layer + 1 {
            return between(0.0);
        }
        let others = || nodes.iter().enumerate().filter(|(index, _)| *index != arrow.from && *index != arrow.to);
        // Tested at points of the curve, not exactly; `holds` has a margin.
        let is_free = |curve: &Self| (1..32u32).all(|step| !others().any(|(_, node)| node.holds(curve.at(f64::from(step) / 32.0))));
        let detours = DETOURS.iter().flat_map(|out| [*out, -out]);
        detours.map(between).find(is_free).unwrap_or_else(|| between(DETOURS[0]))
    }

    fn between(from: &DrawnNode, to: &DrawnNode, is_loop: bool, out: f64) -> Self {
        let half = |node: &DrawnNode| (node.size.0 / 2.0, node.size.1 / 2.0);
        let (start, end) = (from.at, to.at);
        if is_loop {
            let (right, reach) = (start.0 + half(from).0, 34.0);
            // Low boxes have short sides, which the arrow must not leave.
            let rise = half(from).1.min(14.0);
            return Self([
                (right, start.1 - rise),
                (right + reach, start.1 - rise - 6.0),
                (right + reach, start.1 + rise + 6.0),
                (right, start.1 + rise),
            ]);
        }
        // Arrows down and arrows up leave on different sides, so that both can be seen.
        let side = |node: &DrawnNode| (half(node).0 / 3.0).min(26.0);
        match from.layer.cmp(&to.layer) {
            std::cmp::Ordering::Less => {
                let (a, b) = ((start.0 - side(from), start.1 + half(from).1), (end.0 - side(to), end.1 - half(to).1));
                let bend = (b.1 - a.1) * 0.45;
                Self([a, (a.0, a.1 + bend), (b.0, b.1 - bend), b])
            }
            std::cmp::Ordering::Greater => {
                let (a, b) = ((start.0 + side(from), start.1 - half(from).1), (end.0 + side(to), end.1 + half(to).1));
                let bend = (a.1 - b.1) * 0.45;
                Self([a, (a.0 + out, a.1 - bend), (b.0 + out, b.1 + bend), b])
            }
            std::cmp::Ordering::Equal => {
                let (a, b) = ((start.0, start.1 - half(from).1), (end.0, end.1 - half(to).1));
                let rise = 30.0 + (a.0 - b.0).abs() * 0.08;
                // Arrows between two boxes in both directions run at different heights.
                let rise = if a.0 < b.0 { rise } else { rise + 22.0 };
                Self([a, (a.0, a.1 - rise), (b.0, b.1 - rise), b])
            }
        }
    }

    fn path(&self) -> String {
        let [a, b, c, d] = self.0;
        format!("M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1)
    }

    fn at(&self, share: f64) -> (f64, f64) {
        let rest = 1.0 - share;
        // The Bernstein polynomials of degree 3.
        let weights = [rest.powi(3), 3.0 * rest * rest * share, 3.0 * rest * share * share, share.powi(3)];
        self.0.iter().zip(weights).fold((0.0, 0.0), |(x, y), (point, weight)| (x + point.0 * weight, y + point.1 * weight))
    }
}

/// What is taken on the paper.
#[derive(Default)]
struct Canvas {
    /// Corner and size of each box and word.
    taken: Vec<((f64, f64), (f64, f64))>,
    /// Left, top, right, bottom of everything.
    frame: Option<[f64; 4]>,
}

impl Canvas {
    fn keep(&mut self, corner: (f64, f64), size: (f64, f64)) {
        self.grow(corner);
        self.grow((corner.0 + size.0, corner.1 + size.1));
        self.taken.push((corner, size));
    }

    fn grow(&mut self, (x, y): (f64, f64)) {
        let [left, top, right, bottom] = self.frame.unwrap_or([x, y, x, y]);
        self.frame = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
    }

    fn extend(&mut self, curve: &Curve) {
        (0..=16u32).for_each(|step| self.grow(curve.at(f64::from(step) / 16.0)));
    }

    /// A place for a word along a curve where nothing stands yet: its middle.
    fn room(&mut self, curve: &Curve, word: &str) -> Option<(f64, f64)> {
        let size = (number(word.chars().count()) * LETTER + 6.0, LINE);
        // A loop is recognised by its form: it starts and ends at one side, and bends to the right. Its word stands outside of it.
        let is_loop = curve.0[0].0 == curve.0[3].0 && curve.0[1].0 == curve.0[2].0 && curve.0[1].0 > curve.0[0].0;
        for share in ALONG {
            let (mut x, y) = curve.at(share);
            if is_loop {
                x += size.0 / 2.0 + 2.0;
            }
            let corner = (x - size.0 / 2.0, y - size.1 / 2.0);
            // Two rectangles overlap exactly if they do so in both directions.
            let meets = |(other, extent): &((f64, f64), (f64, f64))| {
                // Touching is no overlap: boxes of a row may stand side by side.
                corner.0 < other.0 + extent.0 && other.0 < corner.0 + size.0 && corner.1 < other.1 + extent.1 && other.1 < corner.1 + size.1
            };
            if !self.taken.iter().any(meets) {
                self.keep(corner, size);
                return Some((x, y));
            }
        }
        None
    }

    /// Left, top, width and height, with a margin.
    fn frame(&self) -> (f64, f64, f64, f64) {
        let [left, top, right, bottom] = self.frame.unwrap_or([0.0; 4]);
        ((left - 14.0).floor(), (top - 14.0).floor(), (right - left + 28.0).ceil(), (bottom - top + 28.0).ceil())
    }
}
