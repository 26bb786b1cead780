//! Values in B's ASCII notation.
//!
//! Invariant: the text of a value without comprehensions parses back to the same value. A relation with domain `1..n` is written as
//! the sequence it is. A comprehension is marked as one; its text is that of the formula, with values for the names that it reads.

use super::sequence::as_sequence;
use super::symbolic::Regular;
use super::{Element, SequenceKind, Set, Symbolic, Value};
use bcheck_ir::{Comprehension, ExprKind, FormulaWriter, Model};
use bcheck_source::{in_back_quotes, is_hidden, word_in_back_quotes};
use std::fmt::Write;

/// Prefix of the text of a comprehension that stays symbolic, as in ProB.
pub const DESCRIBED: &str = "/*@symbolic*/ ";

/// Gives elements of given sets their names, and comprehensions their text.
pub trait ElementNames {
    /// The name of an element of a given set.
    fn element(&self, element: Element) -> String;

    /// The text of a comprehension by its number, with the text of each captured value; `None` where it is not known.
    fn comprehension(&self, _plan: u32, _captured: &dyn Fn(usize) -> String) -> Option<String> {
        None
    }
}

impl ElementNames for Model {
    fn element(&self, element: Element) -> String {
        self.element_name(element.set, element.index)
    }

    fn comprehension(&self, plan: u32, captured: &dyn Fn(usize) -> String) -> Option<String> {
        comprehension_text(self, plan, captured, &|_| None)
    }
}

/// As [`ElementNames::comprehension`], with the text of the value of other names that it reads, where that is to be written.
pub fn comprehension_text(
    model: &Model,
    plan: u32,
    captured: &dyn Fn(usize) -> String,
    other: &dyn Fn(&ExprKind) -> Option<String>,
) -> Option<String> {
    let Comprehension { expr, is_domain, captured: names } = model.comprehensions.get(plan as usize)?;
    let value = |name: &ExprKind| match names.iter().find(|(known, _)| known == name) {
        Some((_, place)) => Some(captured(*place)),
        None => other(name),
    };
    let writer = FormulaWriter::replacing(model, &value);
    Some(if *is_domain { writer.domain(expr) } else { writer.expression(expr) })
}

/// The text of a value. Hidden characters of strings are escaped, as in `\u{1b}`, which the parser reads.
#[must_use]
pub fn display(value: &Value, names: &dyn ElementNames) -> String {
    printed(value, names, true)
}

/// The text of a value for other tools, which do not know the escape `\u{1b}`: hidden characters are left as they are, so it must not be
/// shown.
#[must_use]
pub fn display_for_tools(value: &Value, names: &dyn ElementNames) -> String {
    printed(value, names, false)
}

fn printed(value: &Value, names: &dyn ElementNames, has_escapes: bool) -> String {
    let mut printer = Printer { names, has_escapes, text: String::new() };
    printer.operand(value);
    printer.text
}

struct Printer<'a> {
    names: &'a dyn ElementNames,
    /// Whether hidden characters are escaped.
    has_escapes: bool,
    text: String,
}

impl Printer<'_> {
    /// A value where an operand is expected: a pair gets parentheses, and infix operators have their own.
    fn operand(&mut self, value: &Value) {
        if let Value::Pair(_) = value {
            self.text.push('(');
            self.item(value);
            self.text.push(')');
        } else {
            self.item(value);
        }
    }

    /// A value between commas: pairs bare.
    fn item(&mut self, value: &Value) {
        match value {
            Value::Bool(true) => self.text.push_str("TRUE"),
            Value::Bool(false) => self.text.push_str("FALSE"),
            // Without parentheses also below 0: the sign binds more tightly than any operator that is printed here.
            Value::Integer(integer) => self.push(integer),
            // An element of a deferred set has no name in B; formulas about a run read the name that is printed.
            Value::Element(element) => self.text.push_str(&self.names.element(*element)),
            Value::String(text) => self.string(text),
            Value::Pair(pair) => {
                // `|->` associates to the left: only a pair on the right needs parentheses.
                self.item(&pair.0);
                self.text.push_str("|->");
                self.operand(&pair.1);
            }
            Value::Record(fields) => {
                self.text.push_str("rec(");
                self.list(fields.iter(), |printer, (name, field)| {
                    printer.push(format_args!("{}:", word_in_back_quotes(name)));
                    printer.operand(field);
                });
                self.text.push(')');
            }
            Value::Free(free) => {
                // A constructor is a name here, without the quotes of a string.
                if let Value::String(name) = &free.constructor {
                    self.text.push_str(&in_back_quotes(name));
                }
                if let Some(argument) = &free.argument {
                    self.text.push('(');
                    self.item(argument);
                    self.text.push(')');
                }
            }
            Value::Set(set) => self.set(set),
            Value::Symbolic(symbolic) => self.symbolic(symbolic),
        }
    }

    fn push(&mut self, what: impl std::fmt::Display) {
        write!(self.text, "{what}").expect("writing to a string cannot fail");
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for (place, item) in items.enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            print(self, item);
        }
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for character in text.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                '\r' => self.text.push_str("\\r"),
                hidden if self.has_escapes && is_hidden(hidden) => self.push(format_args!("\\u{{{:x}}}", u32::from(hidden))),
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    fn set(&mut self, set: &Set) {
        // The empty sequence is the empty set, and is written as such.
        let sequence = as_sequence(set).filter(|items| !items.is_empty());
        self.text.push(if sequence.is_some() { '[' } else { '{' });
        match &sequence {
            Some(items) => self.list(items.iter(), Self::item),
            None => self.list(set.iter(), |printer, value| printer.item(&value)),
        }
        self.text.push(if sequence.is_some() { ']' } else { '}' });
    }

    fn call(&mut self, operator: &str, operand: &Value) {
        self.push(format_args!("{operator}("));
        self.item(operand);
        self.text.push(')');
    }

    fn infix(&mut self, left: &Value, operator: &str, right: &Value) {
        self.text.push('(');
        self.operand(left);
        self.text.push_str(operator);
        self.operand(right);
        self.text.push(')');
    }

    fn symbolic(&mut self, symbolic: &Symbolic) {
        match symbolic {
            Symbolic::Integers(set) => self.text.push_str(set.notation()),
            // In parentheses like every infix operator here, so that no operand needs a look at priorities.
            Symbolic::Interval(low, high) => self.push(format_args!("({low}..{high})")),
            Symbolic::Strings => self.text.push_str("STRING"),
            Symbolic::Free { name, .. } => self.text.push_str(&in_back_quotes(name)),
            Symbolic::Power { base, nonempty, finite } => {
                let operator = match (finite, nonempty) {
                    (false, false) => "POW",
                    (false, true) => "POW1",
                    (true, false) => "FIN",
                    (true, true) => "FIN1",
                };
                self.call(operator, base);
            }
            Symbolic::Functions(kind, from, to) => self.infix(from, kind.notation(), to),
            Symbolic::Sequences(kind, base) => {
                self.call(sequence_operator(*kind), base);
            }
            Symbolic::Struct(fields) => {
                self.text.push_str("struct(");
                self.list(fields.iter(), |printer, (name, field)| {
                    printer.push(format_args!("{}:", word_in_back_quotes(name)));
                    printer.operand(field);
                });
                self.text.push(')');
            }
            Symbolic::DomainRestrict(set, relation, subtract) => self.infix(set, if *subtract { "<<|" } else { "<|" }, relation),
            Symbolic::RangeRestrict(relation, set, subtract) => self.infix(relation, if *subtract { "|>>" } else { "|>" }, set),
            Symbolic::Closure { plan, captured } => {
                // Behind a sign like `\/`, the mark of a comment would be read with it.
                if self.text.ends_with(['/', '*']) {
                    self.text.push(' ');
                }
                self.text.push_str(DESCRIBED);
                let value = |place: usize| printed(&captured[place], self.names, self.has_escapes);
                match self.names.comprehension(*plan, &value) {
                    Some(text) if text.starts_with('%') => self.push(format_args!("({text})")),
                    Some(text) => self.text.push_str(&text),
                    None => self.text.push_str("{…}"),
                }
            }
            regular => match regular.regular().expect("all other forms are listed here").1 {
                Regular::Call(sign, operand) => self.call(sign, operand),
                Regular::Postfix(operand, sign) => {
                    self.text.push('(');
                    self.operand(operand);
                    self.push(format_args!("{sign})"));
                }
                Regular::Infix(left, sign, right) => self.infix(left, sign, right),
            },
        }
    }
}

/// B's name of a kind of sequence set.
fn sequence_operator(kind: SequenceKind) -> &'static str {
    match kind {
        SequenceKind::Seq => "seq",
        SequenceKind::Seq1 => "seq1",
        SequenceKind::Iseq => "iseq",
        SequenceKind::Iseq1 => "iseq1",
        SequenceKind::Perm => "perm",
    }
}
