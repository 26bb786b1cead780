//! Boxes and arrows between them as a picture (SVG), in given layers.
//!
//! With given layers, a layered layout (Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system structures",
//! 1981) only has to order each layer: by barycentres, then at positions as near to the neighbours as the order allows.
//! Invariant: no two boxes and no two words overlap; a word for which there is no room is left out and stays in the title of its arrow.
//! Nothing is shown by colour alone. Deliberately elsewhere: the contents of boxes (`drawing`, `picture`).

use super::markup::{Markup, markup};
use bcheck_source::{Shown, escaped};

/// The style sheet of the picture.
pub(super) const STYLE: &str = include_str!("drawing.css");

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
/// In a graph with more arrows, these are drawn straight and their words are in titles only.
const MOST_WORDS: usize = 600;
/// Passes over the layers; the order rarely changes after a few.
const PASSES: usize = 12;
/// How far an arrow that passes layers swerves to the side, the best first.
const DETOURS: [f64; 9] = [40.0, 120.0, 200.0, 280.0, 360.0, 480.0, 600.0, 760.0, 960.0];
/// Places along an arrow for its word, as shares of its length, the best first.
const ALONG: [f64; 9] = [0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75, 0.18, 0.82];

/// A box.
pub(super) struct DrawnNode {
    lines: Vec<String>,
    /// All lines in full, shown when the pointer is on the box.
    pub(super) title: Shown,
    pub(super) class: &'static str,
    layer: usize,
    pub(super) is_initial: bool,
    /// A coloured stripe at the left: the lines or the title show the meaning of the colour, too.
    pub(super) stripe: Option<String>,
    /// The middle.
    at: (f64, f64),
    size: (f64, f64),
}

impl DrawnNode {
    /// A box with these lines, of which long ones and surplus ones are cut; the title has all of them.
    pub(crate) fn new(lines: &[String], layer: usize) -> Self {
        let mut lines: Vec<String> = lines.iter().map(|line| escaped(line).into_owned()).collect();
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
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let size = (number(longest) * LETTER + 18.0, number(lines.len()) * LINE + 10.0);
        Self { lines, title, class: "node", layer, is_initial: false, stripe: None, at: (0.0, 0.0), size }
    }

    /// The displayed lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
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
        let stripe = self.stripe.as_ref().map(|colour| {
            markup!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"{:.1}\" fill=\"{}\"/>", x + 1.0, y + 1.0, height - 2.0, colour)
        });
        let stripe = stripe.unwrap_or_default();
        markup!(
            "<g class=\"{}{}\"><title>{}</title><rect class=\"box\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>{}{}</g>\n",
            self.class,
            initial,
            self.title,
            x,
            y,
            width,
            height,
            stripe,
            lines
        )
    }
}

/// All steps from one box to another.
pub(super) struct DrawnArrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) word: String,
    pub(super) title: String,
}

impl DrawnArrow {
    /// An arrow with this title, whose beginning is its word.
    pub(crate) fn new(from: usize, to: usize, title: String) -> Self {
        // The title of the arrow has the full text.
        let cut = title.chars().count() > LONGEST;
        let word = if cut { title.chars().take(LONGEST - 1).chain(['…']).collect() } else { title.clone() };
        Self { from, to, word, title }
    }
}

/// A picture with its frame.
pub(super) struct LaidOut {
    /// The drawing.
    pub(super) content: Markup,
    /// Left and upper end, width and height.
    pub(super) frame: (f64, f64, f64, f64),
}

/// Draws boxes and arrows. The id of the arrow heads is made of `name`, and distinct for distinct names.
pub(super) fn laid_out(nodes: &mut [DrawnNode], arrows: &[DrawnArrow], name: &str) -> LaidOut {
    arrange(nodes, arrows);
    // Routes around boxes, and placing words, take quadratic time; the words of so many arrows would cover each other anyway.
    let is_large = arrows.len() > MOST_WORDS;
    let head = head_id(name);
    let mut canvas = Canvas::default();
    // Boxes take their places before any word looks for one.
    for node in nodes.iter() {
        canvas.keep(node.corner(), node.size);
    }
    let mut lines = Markup::new();
    let mut words = Markup::new();
    // Short arrows first: they have the least choice of a place for their word.
    let mut order: Vec<&DrawnArrow> = arrows.iter().collect();
    order.sort_by_key(|arrow| (nodes[arrow.from].layer.abs_diff(nodes[arrow.to].layer), arrow.from, arrow.to));
    for arrow in order {
        let curve = if is_large {
            Curve::between(&nodes[arrow.from], &nodes[arrow.to], arrow.from == arrow.to, 0.0)
        } else {
            Curve::of(nodes, arrow)
        };
        canvas.extend(&curve);
        lines +=
            markup!("<path class=\"arrow\" marker-end=\"url(#{})\" d=\"{}\"><title>{}</title></path>\n", head, curve.path(), arrow.title);
        if !is_large && let Some((x, y)) = canvas.room(&curve, &arrow.word) {
            words += markup!("<text class=\"word\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n", x, y + 4.0, arrow.word);
        }
    }
    let boxes: Markup = nodes.iter().map(DrawnNode::svg).collect();
    let heads = markup!(
        "<defs><marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path class=\"head\" d=\"M0 1L10 5L0 9z\"/></marker></defs>\n",
        head
    );
    let (left, top, width, height) = canvas.frame();
    let paper = markup!("<rect class=\"paper\" x=\"{:.0}\" y=\"{:.0}\" width=\"{:.0}\" height=\"{:.0}\"/>\n", left, top, width, height);
    LaidOut { content: heads + paper + lines + boxes + words, frame: (left, top, width, height) }
}

impl LaidOut {
    /// The picture as part of a page or by itself, with a text for screen readers.
    pub(super) fn svg(self, label: &str) -> Markup {
        let (left, top, width, height) = self.frame;
        markup!(
            "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.0} {:.0} {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" role=\"img\" aria-label=\"{}\">\n{}{}</svg>\n",
            left,
            top,
            width,
            height,
            width,
            height,
            label,
            Markup::style(STYLE),
            self.content
        )
    }
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
            // The arrow and its word are to the right of the box.
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
    // Alternating sweeps down and up. Unlike in the paper, long arrows have no dummy nodes in the layers that they pass: neighbours in all
    // other layers count equally.
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
        // Layers are shortest distances, so a downward arrow passes none (unless states are merged), nor does an upward one by a single
        // layer.
        if from.layer <= to.layer + 1 {
            return between(0.0);
        }
        let others = || nodes.iter().enumerate().filter(|(index, _)| *index != arrow.from && *index != arrow.to);
        // Tested at sample points of the curve; `holds` has a margin.
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

/// The occupied areas.
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

    /// A place for a word along a curve where nothing is drawn yet: its middle.
    fn room(&mut self, curve: &Curve, word: &str) -> Option<(f64, f64)> {
        let size = (number(word.chars().count()) * LETTER + 6.0, LINE);
        // A loop is recognised by its form: it starts and ends at one side, and bends to the right. Its word is outside of it.
        let is_loop = curve.0[0].0 == curve.0[3].0 && curve.0[1].0 == curve.0[2].0 && curve.0[1].0 > curve.0[0].0;
        for share in ALONG {
            let (mut x, y) = curve.at(share);
            if is_loop {
                x += size.0 / 2.0 + 2.0;
            }
            let corner = (x - size.0 / 2.0, y - size.1 / 2.0);
            // Two rectangles overlap exactly if they do so in both directions.
            let meets = |(other, extent): &((f64, f64), (f64, f64))| {
                // Touching is not overlapping: boxes of a row may be adjacent.
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
