//! The encoder of open values: the circuit, the integers in it, and the frame that evaluates what is known.
//!
//! It knows neither names nor formulas: `comparison`, `operators`, `sets` and `images` are functions of it, for the values of operands.
//! Invariant: every loop that makes gates asks whether there is room, so that it can be interrupted and counts as work.

use super::arithmetic::Arithmetic;
use super::circuit::Circuit;
use super::integers::UnlistedIntegers;
use super::open::{Ground, Grounded, Members, Open, Stop, gathered, literal_of};
use super::sat::Lit;
use crate::EvalError;
use crate::run::frame::Frame;
use crate::thresholds::{GATED_COMBINATIONS, GATED_SET};
use bcheck_source::Span;
use bcheck_value::{Set, Value};
use std::rc::Rc;

/// An operation on values.
type Operation<'o> = &'o mut dyn FnMut(&mut Frame<'_>, &[Value]) -> Result<Value, EvalError>;

/// Encodes operations on open values as gates.
pub(super) struct Encoder<'g, 'm> {
    pub(super) frame: &'g mut Frame<'m>,
    pub(super) circuit: Circuit,
    pub(super) integers: UnlistedIntegers,
    pub(super) arithmetic: Arithmetic,
}

impl<'g, 'm> Encoder<'g, 'm> {
    pub(super) fn new(frame: &'g mut Frame<'m>) -> Self {
        Encoder { frame, circuit: Circuit::new(), integers: UnlistedIntegers::default(), arithmetic: Arithmetic::default() }
    }
}

impl Encoder<'_, '_> {
    /// The elements that a set may have, each with the literal that is true where it has it.
    pub(super) fn members(&mut self, value: &Open, span: Span) -> Grounded<Members> {
        match value {
            Open::Set(members) => Ok(members.clone()),
            Open::Known(set) => {
                let set = self.written_out(set, span)?;
                Ok(Rc::new(set.iter().map(|element| (element, Lit::TRUE)).collect()))
            }
            // A set that is one of several: an element occurs in those models that choose a set with it.
            Open::Integer(_) => Err(Stop::Unsupported),
            Open::Function(arguments) => self.integers.pairs_of(&mut self.circuit, arguments),
            Open::Choice(choices) => {
                let mut pairs = Vec::new();
                for (set, literal) in choices.iter() {
                    let set = self.written_out(set, span)?;
                    pairs.extend(set.iter().map(|element| (element, *literal)));
                }
                Ok(Rc::new(gathered(&mut self.circuit, pairs)))
            }
        }
    }

    /// A set by its elements, which are fit for comparisons by form.
    pub(super) fn written_out(&mut self, set: &Value, span: Span) -> Grounded<Set> {
        let set = match set {
            Value::Set(set) if set.len() as u64 <= GATED_SET.get() => set.clone(),
            Value::Symbolic(_) => self.frame.try_explicit(set, GATED_SET.get(), span)?.ok_or(Stop::Unsupported)?,
            _ => return Err(Stop::Unsupported),
        };
        if set.holds_description() { Err(Stop::Unsupported) } else { Ok(set) }
    }

    /// As [`Self::choices`], for comparisons by form: sets are written out.
    pub(super) fn written_choices(&mut self, value: &Open, span: Span) -> Grounded<Members> {
        let choices = self.choices(value)?;
        if !choices.iter().any(|(value, _)| value.holds_description()) {
            return Ok(choices);
        }
        let mut written = Vec::with_capacity(choices.len());
        for (value, literal) in choices.iter() {
            let value = match value {
                Value::Symbolic(_) => Value::Set(self.written_out(value, span)?),
                value if value.holds_description() => return Err(Stop::Unsupported),
                value => value.clone(),
            };
            written.push((value, *literal));
        }
        // Choices that described one set are now one.
        Ok(Rc::new(gathered(&mut self.circuit, written)))
    }

    /// Whether a value is an element of an open set.
    pub(super) fn contains(&mut self, set: &Open, element: &Value, span: Span) -> Grounded<Lit> {
        match set {
            Open::Known(set) => Ok(if self.frame.member(element, set, span)? { Lit::TRUE } else { Lit::FALSE }),
            Open::Set(_) if element.holds_description() => Err(Stop::Unsupported),
            Open::Set(members) => Ok(literal_of(members, element)),
            Open::Integer(_) => Err(Stop::Unsupported),
            Open::Function(arguments) => Ok(literal_of(&self.integers.pairs_of(&mut self.circuit, arguments)?, element)),
            Open::Choice(choices) => {
                let mut literals = Vec::new();
                for (set, literal) in choices.iter() {
                    if self.frame.member(element, set, span)? {
                        literals.push(*literal);
                    }
                }
                Ok(self.circuit.any(literals))
            }
        }
    }

    /// The possible values of an open value that is not an open set.
    pub(super) fn choices(&mut self, value: &Open) -> Grounded<Members> {
        match value {
            Open::Known(value) => Ok(Rc::new(vec![(value.clone(), Lit::TRUE)])),
            Open::Choice(choices) => Ok(choices.clone()),
            Open::Integer(variable) => self.integers.listed(&mut self.circuit, *variable),
            Open::Set(_) | Open::Function(_) => Err(Stop::Unsupported),
        }
    }

    /// An operation carried out on every combination of the operands' possible values.
    pub(super) fn lifted(&mut self, operands: &[&Ground], span: Span, run: Operation<'_>) -> Grounded<Ground> {
        // The values of the operands so far, with the conjunction of the literals under which the operands have them.
        let mut combinations: Vec<(Vec<Value>, Lit)> = vec![(Vec::new(), Lit::TRUE)];
        let mut defined = vec![];
        for operand in operands {
            defined.push(operand.defined);
            let choices = self.choices(&operand.value)?;
            if combinations.len().saturating_mul(choices.len()) > GATED_COMBINATIONS.get() {
                return Err(Stop::Unsupported);
            }
            let mut longer = Vec::with_capacity(combinations.len() * choices.len());
            for (values, literal) in &combinations {
                self.is_room(span)?;
                for (value, chosen) in choices.iter() {
                    // False at once if the literals are opposite, or one is known to be false: such a combination never occurs.
                    let both = self.circuit.and(*literal, *chosen);
                    if both != Lit::FALSE {
                        let mut values = values.clone();
                        values.push(value.clone());
                        longer.push((values, both));
                    }
                }
            }
            combinations = longer;
        }
        let mut results = Vec::new();
        for (values, literal) in combinations {
            // Results are merged by equality, so equal sets must have equal representations.
            match run(self.frame, &values).and_then(|value| self.frame.listed(value, span)) {
                Ok(value) => results.push((value, literal)),
                // Undefined in just those models that have this combination.
                Err(error) if error.kind.is_ill_defined() => defined.push(!literal),
                Err(error) => return Err(error.into()),
            }
        }
        let defined = self.circuit.all(defined);
        let results = gathered(&mut self.circuit, results);
        Ok(match results.as_slice() {
            // A value without alternatives is known again, so operators on it are plain evaluation.
            [(value, Lit::TRUE)] => Ground { value: Open::Known(value.clone()), defined },
            _ => Ground { value: Open::Choice(Rc::new(results)), defined },
        })
    }

    /// Errors when the circuit is full; every loop that makes gates calls it, so that it can be interrupted and counts as work.
    pub(super) fn is_room(&mut self, span: Span) -> Grounded<()> {
        let work = self.circuit.take_work();
        self.frame.spend(work, span)?;
        if self.circuit.is_full() { Err(Stop::Unsupported) } else { Ok(()) }
    }
}
