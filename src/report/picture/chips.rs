//! The picture of a state whose machine defines none: sets as chips, functions and relations as arrows, sequences as rows of chips.
//!
//! Invariant: each constant and variable has its name and its value, written by its type, in the picture; what is too large for chips or
//! arrows is a text.
//! Elements of a given set that do not belong to the set shown are drawn with a dashed outline and a tooltip.

use super::Drawn;
use crate::markup::{Markup, markup};
use crate::notation::{Notation, item, notations, written};
use bcheck_ir::{Model, Scope, SetId, Type};
use bcheck_source::{columns, escaped};
use bcheck_value::sequence::as_sequence;
use bcheck_value::{Set, Value};

/// Height of a chip.
const CHIP: f64 = 24.0;
/// Between chips.
const GAP: f64 = 6.0;
/// Estimated width of a letter: 13 pixels of DejaVu Sans Mono.
const LETTER: f64 = 7.9;
/// Height of a heading.
const HEADING: f64 = 22.0;
/// A row of chips, and a row of blocks, is not longer.
const WIDEST: f64 = 620.0;
/// The most chips of a set, and on each side of arrows.
const MOST_CHIPS: usize = 24;
/// The room for arrows.
const REACH: f64 = 84.0;
/// Around and between blocks.
const MARGIN: f64 = 10.0;
/// The most letters of a chip, and of a text.
const LONGEST: usize = 28;
const LONGEST_TEXT: usize = 70;

/// The names and types of a machine.
pub(super) struct Chips<'a> {
    pub(super) model: &'a Model,
    pub(super) scope: &'a Scope,
}

/// A chip, and whether it is in the set that is drawn.
struct Chip {
    value: Value,
    text: String,
    is_in: bool,
}

impl Chips<'_> {
    /// The picture of a state.
    pub(super) fn draw(&self, state: &[Value]) -> Drawn {
        let model = self.model;
        let names = model.constants.iter().chain(&model.variables).zip(notations(model));
        let mut blocks = Vec::new();
        // Single values share a block: one line each.
        let mut lines = Vec::new();
        for (((name, declaration), notation), value) in names.zip(state) {
            match self.block(name, (&declaration.ty, &notation), value) {
                Some(block) => blocks.push(block),
                None => lines.push(format!("{name} = {}", written(value, &notation, model))),
            }
        }
        if !lines.is_empty() {
            // First, so that they stay where they are while sets grow.
            blocks.insert(0, texts(&lines));
        }
        flowing(blocks)
    }

    /// A set, function, relation or sequence; nothing for another value, or one that is too large.
    fn block(&self, name: &str, (ty, notation): (&Type, &Notation), value: &Value) -> Option<Drawn> {
        let set = value.as_set()?;
        let content = match ty.element()? {
            Type::Pair(first, second) => match as_sequence(set).filter(|_| **first == Type::Integer && notation.is_sequence(value)) {
                Some(items) => {
                    let chips = items.into_iter().map(|value| self.chip_of(value, notation.of_image(), true));
                    (set.len() <= MOST_CHIPS).then(|| self.row(chips, "[]"))?
                }
                None if set.is_empty() && **first == Type::Integer => self.row(std::iter::empty(), "{}"),
                None => self.arrows(set, (first, second), notation)?,
            },
            of => self.row(self.chips(set, of, notation.of_member())?.into_iter(), "{}"),
        };
        let heading = markup!("<text class=\"caption\" x=\"0\" y=\"14\">{}</text>\n", name);
        let width = content.width.max(length(&escaped(name)));
        let below = markup!("<g transform=\"translate(0 {:.1})\">\n{}</g>\n", HEADING, content.content);
        Some(Drawn { content: heading + below, width, height: HEADING + content.height })
    }

    /// All elements of a given set, or else the values that occur.
    fn chips(&self, occurring: &Set, ty: &Type, notation: &Notation) -> Option<Vec<Chip>> {
        let all: Vec<Value> = match ty {
            Type::Given(set) if self.size(*set) <= MOST_CHIPS => {
                (0..self.scope.sizes[set.index()]).map(|index| Value::element(*set, index)).collect()
            }
            Type::Pair(..) => return None,
            _ => occurring.iter().collect(),
        };
        let chip = |value: Value| {
            let is_in = occurring.contains(&value);
            self.chip_of(value, notation, is_in)
        };
        (all.len() <= MOST_CHIPS).then(|| all.into_iter().map(chip).collect())
    }

    fn chip_of(&self, value: Value, notation: &Notation, is_in: bool) -> Chip {
        Chip { text: written(&value, notation, self.model), value, is_in }
    }

    fn size(&self, set: SetId) -> usize {
        self.scope.sizes.get(set.index()).map_or(usize::MAX, |size| *size as usize)
    }

    /// Chips side by side; a word instead if there are none.
    fn row(&self, chips: impl Iterator<Item = Chip>, none: &str) -> Drawn {
        let mut content = Markup::new();
        let (mut right, mut down, mut widest) = (0.0, 0.0, 0.0_f64);
        for chip in chips {
            let width = width(&chip);
            if right > 0.0 && right + width > WIDEST {
                (right, down) = (0.0, down + CHIP + GAP);
            }
            content += self.chip(&chip, (right, down), width);
            right += width + GAP;
            widest = widest.max(right - GAP);
        }
        if content.is_empty() {
            // For example an empty set of numbers.
            return Drawn { content: markup!("<text x=\"0\" y=\"16\">{}</text>\n", none), width: 2.0 * LETTER, height: CHIP };
        }
        Drawn { content, width: widest, height: down + CHIP }
    }

    /// Two columns of chips with arrows between them.
    fn arrows(&self, set: &Set, (from, to): (&Type, &Type), notation: &Notation) -> Option<Drawn> {
        let pairs = || set.iter().filter_map(|member| member.as_pair().map(|(first, second)| (first.clone(), second.clone())));
        let (firsts, seconds): (Set, Set) = (pairs().map(|(first, _)| first).collect(), pairs().map(|(_, second)| second).collect());
        let (left, right) = (self.chips(&firsts, from, notation.of_member())?, self.chips(&seconds, to, notation.of_image())?);
        let widest = |chips: &[Chip]| chips.iter().map(width).fold(0.0, f64::max);
        let (left_width, right_width) = (widest(&left), widest(&right));
        let at = |index: usize| (CHIP + GAP) * count(index);
        let mut content = Markup::new();
        for (index, chip) in left.iter().enumerate() {
            // At the right of their column, where the arrows begin.
            let width = width(chip);
            content += self.chip(chip, (left_width - width, at(index)), width);
        }
        for (index, chip) in right.iter().enumerate() {
            content += self.chip(chip, (left_width + REACH, at(index)), width(chip));
        }
        for (first, second) in pairs() {
            let place = |chips: &[Chip], value: &Value| chips.iter().position(|chip| chip.value == *value);
            let (Some(start), Some(end)) = (place(&left, &first), place(&right, &second)) else { continue };
            let maplet = Notation::Pair(Box::new(notation.of_member().clone()), Box::new(notation.of_image().clone()));
            let title = item(&Value::pair(first.clone(), second.clone()), &maplet, self.model);
            let ((x, y), (to_x, to_y)) = ((left_width + 2.0, at(start) + CHIP / 2.0), (left_width + REACH - 2.0, at(end) + CHIP / 2.0));
            content += markup!(
                "<path class=\"link\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"><title>{}</title></path>{}\n",
                x,
                y,
                to_x - 6.0,
                to_y,
                title,
                markup!("<path class=\"point\" d=\"M{:.1} {:.1}l-8 -4v8z\"/>", to_x, to_y)
            );
        }
        let rows = left.len().max(right.len());
        Some(Drawn { content, width: left_width + REACH + right_width, height: at(rows) - GAP })
    }

    fn chip(&self, chip: &Chip, (x, y): (f64, f64), width: f64) -> Markup {
        let text = &chip.text;
        let (class, title) = if chip.is_in { ("in", text.clone()) } else { ("out", format!("{text} is not in it")) };
        markup!(
            "<g class=\"chip {}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"11\"/>\
             <text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\n",
            class,
            title,
            x,
            y,
            width,
            CHIP,
            x + width / 2.0,
            y + 16.5,
            shortened(text, LONGEST)
        )
    }
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn count(number: usize) -> f64 {
    number as f64
}

/// The width of a chip.
fn width(chip: &Chip) -> f64 {
    length(&shortened(&chip.text, LONGEST)) + 16.0
}

fn length(text: &str) -> f64 {
    count(columns(text)) * LETTER
}

fn shortened(text: &str, most: usize) -> String {
    let shown = escaped(text);
    if shown.chars().count() <= most { shown.into_owned() } else { shown.chars().take(most - 1).chain(['…']).collect() }
}

/// Lines of text; the title has all of long ones.
fn texts(lines: &[String]) -> Drawn {
    let row = |(index, line): (usize, &String)| {
        let text = shortened(line, LONGEST_TEXT);
        markup!("<text x=\"0\" y=\"{:.1}\"><title>{}</title>{}</text>\n", 14.0 + HEADING * count(index), line, text)
    };
    let width = lines.iter().map(|line| length(&shortened(line, LONGEST_TEXT))).fold(0.0, f64::max);
    Drawn { content: lines.iter().enumerate().map(row).collect(), width, height: HEADING * count(lines.len()) }
}

/// Blocks side by side, in lines.
fn flowing(blocks: Vec<Drawn>) -> Drawn {
    let mut content = Markup::new();
    let (mut right, mut down, mut line, mut widest) = (MARGIN, MARGIN, 0.0_f64, 0.0_f64);
    for block in blocks {
        if right > MARGIN && right + block.width > WIDEST {
            (right, down, line) = (MARGIN, down + line + 2.0 * MARGIN, 0.0);
        }
        content += markup!("<g class=\"block\" transform=\"translate({:.1} {:.1})\">\n{}</g>\n", right, down, block.content);
        right += block.width + 3.0 * MARGIN;
        line = line.max(block.height);
        widest = widest.max(right);
    }
    Drawn { content, width: widest - 2.0 * MARGIN, height: down + line + MARGIN }
}
