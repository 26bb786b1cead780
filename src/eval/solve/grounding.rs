//! Symbolic values during encoding, and the state of the encoder.
//!
//! Values in open sets are compared by form, so no value there holds a description of a set: descriptions of one set may differ in form.
//! Invariant: for every solution of the inputs, an open value has exactly one meaning where its `defined` literal is true; a
//! truth is true where `holds` is, false where `fails` is, and ill-defined where neither is. `holds` may be true too often,
//! `fails` too rarely, never the other way round.

use super::circuit::Circuit;
use super::sat::{IntegerVariable, Lit};
use crate::plan::problem::{Bindings, Formula, Term};
use crate::plan::{Pattern, Slot};
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{GATED_BINDINGS, GATED_COMBINATIONS, GATED_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::BinaryOp;
use bcheck_source::Span;
use bcheck_value::{Set, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values, ascending and each once, with the literals under which they occur.
pub(super) type Members = Rc<Vec<(Value, Lit)>>;

/// A function by its arguments, ascending, with the integer that each is mapped to.
pub(super) type Images = Rc<Vec<(Value, IntegerVariable)>>;

/// A sum of integers that is at most a limit or, where `is_exact`, equal to it.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct SumComparison {
    /// Factors other than 0, each integer once.
    pub(super) summands: Vec<(i64, IntegerVariable)>,
    pub(super) limit: i64,
    pub(super) is_exact: bool,
}

/// A value that depends on names to be solved.
#[derive(Clone)]
pub(super) enum Open {
    Known(Value),
    /// Exactly one of these.
    Choice(Members),
    /// The set of those whose literal is true; none of them holds a description.
    Set(Members),
    /// An integer between bounds that are too far apart for a list.
    Integer(IntegerVariable),
    /// A total function to such integers.
    Function(Images),
}

/// An open value and where it is well-defined.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) value: Open,
    pub(super) defined: Lit,
}

impl Ground {
    pub(super) fn known(value: Value) -> Self {
        Ground { value: Open::Known(value), defined: Lit::TRUE }
    }

    pub(super) fn set(members: Vec<(Value, Lit)>, defined: Lit) -> Self {
        Ground { value: Open::Set(Rc::new(members)), defined }
    }

    pub(super) fn undefined() -> Self {
        Ground { value: Open::Choice(Rc::new(Vec::new())), defined: Lit::FALSE }
    }
}

/// Where a formula holds and where it is false.
#[derive(Clone, Copy)]
pub(super) struct Truth {
    pub(super) holds: Lit,
    pub(super) fails: Lit,
}

impl Truth {
    pub(super) const TRUE: Truth = Truth { holds: Lit::TRUE, fails: Lit::FALSE };
    pub(super) const UNDEFINED: Truth = Truth { holds: Lit::FALSE, fails: Lit::FALSE };

    pub(super) fn known(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::TRUE.negated() }
    }

    /// The truth of a formula that is well-defined everywhere.
    pub(super) fn total(holds: Lit) -> Self {
        Truth { holds, fails: !holds }
    }

    /// Whether the gates show that it is well-defined in every model.
    pub(super) fn is_total(self) -> bool {
        self.holds == !self.fails
    }

    pub(super) fn negated(self) -> Self {
        Truth { holds: self.fails, fails: self.holds }
    }
}

/// Why a formula is not written out.
pub(super) enum Stop {
    /// Its kind or size is not supported: it is tested instead.
    Unsupported,
    Error(EvalError),
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Self {
        // Here operands are evaluated in every case. The conjunct may be false before the fault is reached, so the fault is left to its
        // test.
        if error.kind == EvalErrorKind::Interrupted { Stop::Error(error) } else { Stop::Unsupported }
    }
}

pub(super) type Grounded<T> = Result<T, Stop>;

/// An operation on values.
type Operation<'o> = &'o mut dyn FnMut(&mut Frame<'_>, &[Value]) -> Result<Value, EvalError>;

/// The state of the encoder, which translates a problem into gates.
pub(super) struct Grounding<'g, 'm> {
    pub(super) frame: &'g mut Frame<'m>,
    pub(super) circuit: Circuit,
    /// The open values of names: those to be solved, definitions encoded so far, and names that LET bound to open terms.
    pub(super) open: FxHashMap<Slot, Ground>,
    pub(super) definitions: FxHashMap<Slot, &'g Term>,
    /// Bindings of quantifiers encoded for the present conjunct.
    pub(super) bindings: u64,
    /// Integers whose values were enumerated after all.
    pub(super) listed: FxHashMap<IntegerVariable, Members>,
    /// Where comparisons of sums hold.
    pub(super) sums: FxHashMap<SumComparison, Lit>,
    /// The results of operations on integers, and the integers for numbers.
    pub(super) results: FxHashMap<(BinaryOp, IntegerVariable, IntegerVariable), IntegerVariable>,
    pub(super) numbers: FxHashMap<i64, IntegerVariable>,
}

impl<'g, 'm> Grounding<'g, 'm> {
    pub(super) fn new(frame: &'g mut Frame<'m>, definitions: FxHashMap<Slot, &'g Term>) -> Self {
        Grounding {
            frame,
            circuit: Circuit::new(),
            open: FxHashMap::default(),
            definitions,
            bindings: 0,
            listed: FxHashMap::default(),
            sums: FxHashMap::default(),
            results: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }
}

impl Grounding<'_, '_> {
    /// Merges equal values into one with the disjunction of its literals; ascending, without values that never occur.
    pub(super) fn gathered(&mut self, pairs: impl IntoIterator<Item = (Value, Lit)>) -> Vec<(Value, Lit)> {
        // Ordered, because members are found by binary search.
        let mut by_value: BTreeMap<Value, Vec<Lit>> = BTreeMap::new();
        for (value, literal) in pairs {
            if literal != Lit::FALSE {
                by_value.entry(value).or_default().push(literal);
            }
        }
        by_value
            .into_iter()
            .map(|(value, literals)| (value, self.circuit.any(literals)))
            .filter(|(_, literal)| *literal != Lit::FALSE)
            .collect()
    }

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
            Open::Function(arguments) => self.pairs_of(arguments),
            Open::Choice(choices) => {
                let mut pairs = Vec::new();
                for (set, literal) in choices.iter() {
                    let set = self.written_out(set, span)?;
                    pairs.extend(set.iter().map(|element| (element, *literal)));
                }
                Ok(Rc::new(self.gathered(pairs)))
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
        Ok(Rc::new(self.gathered(written)))
    }

    /// Whether a value is an element of an open set.
    pub(super) fn contains(&mut self, set: &Open, element: &Value, span: Span) -> Grounded<Lit> {
        match set {
            Open::Known(set) => Ok(if self.frame.member(element, set, span)? { Lit::TRUE } else { Lit::FALSE }),
            Open::Set(_) if element.holds_description() => Err(Stop::Unsupported),
            Open::Set(members) => Ok(literal_of(members, element)),
            Open::Integer(_) => Err(Stop::Unsupported),
            Open::Function(arguments) => Ok(literal_of(&self.pairs_of(arguments)?, element)),
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
            Open::Integer(variable) => self.listed(*variable),
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
        let results = self.gathered(results);
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

    /// Visits the bindings of a quantifier, with the truth of its conditions. Each binding is visited once.
    pub(super) fn each_binding(&mut self, bindings: &Bindings, visit: &mut dyn FnMut(&mut Self, Truth) -> Grounded<()>) -> Grounded<()> {
        self.each_element(&bindings.elements, Truth::TRUE, &mut |grounding, element| {
            // Collected first, because encoding the conditions needs the frame that runs this search.
            let mut known: Vec<Vec<Value>> = Vec::new();
            let slots = &bindings.slots;
            // The known conjuncts of the binding bound its names; the rest are `conditions`, encoded for each binding.
            grounding.frame.run(&bindings.known, &mut |frame| {
                known.push(slots.iter().map(|&slot| frame.get(slot, bindings.known.span).cloned()).collect::<Result<_, _>>()?);
                Ok(if known.len() as u64 > GATED_BINDINGS.get() { Flow::Stop } else { Flow::Continue })
            })?;
            for values in known {
                grounding.bindings += 1;
                if grounding.bindings > GATED_BINDINGS.get() {
                    return Err(Stop::Unsupported);
                }
                grounding.frame.tick(bindings.known.span)?;
                grounding.is_room(bindings.known.span)?;
                for (&slot, value) in slots.iter().zip(values) {
                    grounding.frame.set(slot, value);
                }
                let truth = grounding.conditions(element, &bindings.conditions)?;
                // A binding whose conditions are false in every model adds nothing to any quantifier or fold.
                if truth.fails != Lit::TRUE {
                    visit(grounding, truth)?;
                }
            }
            Ok(())
        })
    }

    /// The conjunction of conditions as a search evaluates it: one that is false outweighs those that are ill-defined, in any order.
    fn conditions(&mut self, element: Truth, conditions: &[Formula]) -> Grounded<Truth> {
        let (mut holds, mut fails) = (vec![element.holds], vec![element.fails]);
        for condition in conditions {
            let truth = self.truth(condition)?;
            holds.push(truth.holds);
            fails.push(truth.fails);
        }
        // Then `fails` is the negation of `holds` for the conjunction too.
        let is_total = holds.iter().zip(&fails).all(|(holds, fails)| *holds == !*fails);
        let holds = self.circuit.all(holds);
        Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: self.circuit.any(fails) } })
    }

    /// Matches the patterns with the elements that their sets may have, one pattern after the other: a later set may depend on names bound
    /// by an earlier pattern.
    fn each_element(
        &mut self,
        elements: &[(Pattern, Term)],
        outer: Truth,
        visit: &mut dyn FnMut(&mut Self, Truth) -> Grounded<()>,
    ) -> Grounded<()> {
        let Some(((pattern, term), rest)) = elements.split_first() else { return visit(self, outer) };
        let set = self.term(term)?;
        let members = self.members(&set.value, term.span)?;
        for (value, literal) in members.iter() {
            if self.frame.matches(pattern, value)? {
                // An element is bound where the outer binding holds, the set has a value, and the element is in it.
                let holds = self.circuit.all(vec![outer.holds, *literal, set.defined]);
                let truth = if outer.is_total() && set.defined == Lit::TRUE {
                    Truth::total(holds)
                } else {
                    // An ill-defined set has neither this element nor not.
                    let fails = self.circuit.and(!*literal, set.defined);
                    Truth { holds, fails: self.circuit.or(outer.fails, fails) }
                };
                self.is_room(term.span)?;
                self.each_element(rest, truth, visit)?;
            }
        }
        Ok(())
    }
}

/// The literal of a value among others; false if it does not occur. Neither contains a symbolic set.
pub(super) fn literal_of(members: &[(Value, Lit)], value: &Value) -> Lit {
    members.binary_search_by(|(other, _)| other.cmp(value)).map_or(Lit::FALSE, |at| members[at].1)
}

/// The literals of the pairs with this first component, and their second components.
pub(super) fn row<'r>(relation: &'r [(Value, Lit)], first: &Value) -> &'r [(Value, Lit)] {
    // Pairs are ordered by their first components first, so those with the same one are neighbours.
    let argument = |member: &Value| member.as_pair().map(|(argument, _)| argument.cmp(first));
    let from = relation.partition_point(|(member, _)| argument(member).is_some_and(std::cmp::Ordering::is_lt));
    let length = relation[from..].partition_point(|(member, _)| argument(member).is_some_and(std::cmp::Ordering::is_eq));
    &relation[from..from + length]
}

/// The components of a pair.
pub(super) fn sides(pair: &Value) -> (&Value, &Value) {
    pair.as_pair().expect("the type checker makes every member of a relation a pair")
}
