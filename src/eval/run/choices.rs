//! Choices of a machine among more values than can be enumerated: the first ones are taken, and it is noted that others were left out.
//!
//! Invariant: where the limit applies, every value taken is one of the set, and `Doubts::undecided` is set, so that the values do not count
//! as complete. The first values depend on the set alone, not on the state or the schedule; those of symmetric states need not be
//! symmetric, so a limit is for searches without symmetry. Deliberately elsewhere: sets that can be enumerated (`sets::enumeration`), and
//! the requested mode (`choice_mode`).

use super::choice_mode::ChoiceMode;
use super::frame::{Flow, Frame};
use super::sets::{SetVisitor, is_quickly_explicit};
use crate::plan::{ExprPlan, Search, Slot};
use crate::thresholds::{FULL_CHOICE, TESTED_BINDINGS, TESTED_SET_UPS, UNREAD_VALUES, VISITED_SET, WRITTEN_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{FunctionKind, IntegerSet};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality};
use bcheck_value::{Integer, Set, Symbolic, Value, space};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The names bound by a choice, for messages; and whether conjuncts test them.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'n> {
    pub(crate) slots: &'n [Slot],
    /// Nothing reads them.
    pub(crate) is_unread: bool,
    /// Nothing tests them, so each value yields a step or a set-up.
    pub(crate) is_untested: bool,
}

impl<'n> Chosen<'n> {
    /// The names of the action at this place of a search, with these slots.
    pub(crate) fn of(search: &Search, place: usize, slots: &'n [Slot]) -> Self {
        let is_unread = slots.iter().all(|slot| search.unread.contains(slot));
        Self { slots, is_unread, is_untested: search.takes_all_from(place) }
    }
}

type ElementVisitor<'v, 'm> = &'v mut dyn FnMut(&mut Frame<'m>, Value) -> Result<Flow, EvalError>;

impl<'m> Frame<'m> {
    /// Visits the elements of a set that a machine chooses from: the first ones where there are too many, if a search allows that.
    pub(crate) fn visit_choice(
        &mut self,
        set: &Value,
        chosen: Chosen<'_>,
        span: Span,
        visitor: ElementVisitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        if !self.limits_choices() {
            return self.visit(set, span, visitor);
        }
        let choices = &*self.context.choices;
        let mode = choices.mode();
        let fewest = FULL_CHOICE.get().max(self.most_choices() as u64);
        if mode == ChoiceMode::OnlyUnread && !chosen.is_unread && !is_beyond(set, VISITED_SET.get()) || !is_beyond(set, fewest) {
            return self.visit(set, span, visitor);
        }
        if !chosen.is_unread && !chosen.is_untested && !is_beyond(set, VISITED_SET.get()) {
            return self.visit_tested(set, chosen.slots, span, visitor);
        }
        // One value will do for what nothing reads, if it is the same in symmetric states and the conjuncts about it hold.
        if chosen.is_unread {
            for value in self.first_values(set, UNREAD_VALUES.get(), span)? {
                if !self.stands_for_others(std::iter::once(Some(&value))) {
                    break;
                }
                self.tick(span)?;
                let before = self.chosen.accepted;
                if visitor(self, value)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                if self.chosen.accepted > before {
                    choices.leave_unchosen(chosen.slots);
                    return Ok(Flow::Continue);
                }
            }
        }
        let Some(most) = mode.most() else { return Err(self.no_choice(chosen.slots, span)) };
        let mut values = Vec::new();
        if let ChoiceMode::Random { seed, .. } = mode {
            values.extend(self.random_values(set, most, seed, span)?);
        }
        if values.is_empty() {
            values = self.first_values(set, most, span)?;
        }
        for value in choices.wanted().into_iter().chain(self.chosen.wanted.clone()) {
            if has_form_of(&value, set) && !values.contains(&value) && self.member(&value, set, span)? {
                values.push(value);
            }
        }
        if values.is_empty() {
            return self.visit(set, span, visitor);
        }
        self.leave_out((chosen.slots, values.len(), values.len() >= most), span);
        for value in values {
            self.tick(span)?;
            if visitor(self, value)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Visits the wanted values that are elements of a set cut to a range, beyond those of the range.
    pub(super) fn visit_wanted(&mut self, cut: &Value, whole: &ExprPlan, visitor: ElementVisitor<'_, 'm>) -> Result<Flow, EvalError> {
        let whole_set = self.eval(whole)?;
        for value in self.wanted_beyond(cut, whole.span)? {
            if self.member(&value, &whole_set, whole.span)? && visitor(self, value)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The wanted values that have the form of the elements of a set, and are not among them.
    pub(super) fn wanted_beyond(&mut self, set: &Value, span: Span) -> Result<Vec<Value>, EvalError> {
        let mut beyond = Vec::new();
        for value in self.chosen.wanted.clone() {
            if has_form_of(&value, set) && !beyond.contains(&value) && !self.member(&value, set, span)? {
                beyond.push(value);
            }
        }
        Ok(beyond)
    }

    /// Visits the elements of a large set that conjuncts may reject: until too many have led to steps or set-ups.
    fn visit_tested(&mut self, set: &Value, slots: &[Slot], span: Span, visitor: ElementVisitor<'_, 'm>) -> Result<Flow, EvalError> {
        let (bindings, accepted) = (self.chosen.bindings, self.chosen.accepted);
        let (mut tried, mut is_cut) = (0, false);
        let most = self.most_choices() as u64;
        let flow = self.visit(set, span, &mut |frame, value| {
            if frame.chosen.bindings - bindings >= TESTED_BINDINGS.get().max(most)
                || frame.chosen.accepted - accepted >= TESTED_SET_UPS.get().max(most)
            {
                is_cut = true;
                return frame.leave_out_rest(slots, tried, span);
            }
            tried += 1;
            visitor(frame, value)
        })?;
        // Values of other names are tried all the same.
        Ok(if is_cut { Flow::Continue } else { flow })
    }

    /// Notes that names of a binding that was accepted need no other values, because nothing reads them. False where the values would have
    /// to be the same in symmetric states and are not.
    pub(super) fn leaves_unread(&mut self, slots: &[Slot]) -> bool {
        let stands = self.stands_for_others(slots.iter().map(|slot| self.content(*slot)));
        if stands {
            self.context.choices.leave_unchosen(slots);
        }
        stands
    }

    /// Whether values of names that nothing reads may represent all others: if symmetries count, only if they are the same in symmetric
    /// states.
    fn stands_for_others<'v>(&self, mut values: impl Iterator<Item = Option<&'v Value>>) -> bool {
        self.context.choices.mode().most().is_some() || values.all(|value| value.is_some_and(|value| !mentions_elements(value)))
    }

    /// Whether choices among too many values are limited instead of being errors.
    pub(crate) fn limits_choices(&self) -> bool {
        self.context.choices.mode() != ChoiceMode::Refuse
    }

    /// How many values are taken of too many.
    pub(super) fn most_choices(&self) -> usize {
        self.context.choices.mode().most().unwrap_or(0)
    }

    /// Whether a choice may end before all of its values are tried.
    pub(crate) fn may_leave_out(&self) -> bool {
        self.limits_choices() && self.context.choices.mode() != ChoiceMode::OnlyUnread
    }

    /// Notes that only some values of these names were tried; `has_more`: a higher limit tries more of them.
    fn leave_out(&mut self, (slots, tried, has_more): (&[Slot], usize, bool), span: Span) {
        let kind = EvalErrorKind::LeftOut { what: self.names_of(slots), tried, has_more };
        let span = self.declaration(slots).unwrap_or(span);
        self.doubts.undecided.get_or_insert(EvalError { kind, span });
    }

    fn names_of(&self, slots: &[Slot]) -> String {
        let names: Vec<String> = slots.iter().map(|slot| format!("`{}`", self.context.slot_names[*slot])).collect();
        names.join(", ")
    }

    /// The error of a choice of which no value is taken. Where it ends the search, that restarts, whatever it has found.
    fn no_choice(&self, slots: &[Slot], span: Span) -> EvalError {
        let kind = match self.context.choices.mode() {
            ChoiceMode::EndSearch => {
                self.context.choices.end_search();
                EvalErrorKind::Interrupted
            }
            _ => EvalErrorKind::NotChosen(self.names_of(slots)),
        };
        EvalError { kind, span: self.declaration(slots).unwrap_or(span) }
    }

    /// Where the first of these names is declared, if it is a constant: no text chooses its value.
    pub(crate) fn declaration(&self, slots: &[Slot]) -> Option<Span> {
        // Constants have the first slots.
        self.context.model.constants.get_index(*slots.first()?).map(|(_, constant)| constant.span)
    }

    /// Leaves out the values after those that were tried, which is an error where the first values are not requested.
    pub(crate) fn leave_out_rest(&mut self, slots: &[Slot], tried: usize, span: Span) -> Result<Flow, EvalError> {
        if self.context.choices.mode().most().is_none() {
            return Err(self.no_choice(slots, span));
        }
        // How many are tried here does not depend on the limit.
        self.leave_out((slots, tried, false), span);
        Ok(Flow::Stop)
    }

    /// The first `most` elements of a set, in an order that depends on the set alone; empty if none is known. Short sequences and small
    /// sets come first.
    fn first_values(&mut self, set: &Value, most: usize, span: Span) -> Result<Vec<Value>, EvalError> {
        let symbolic = match set {
            Value::Set(set) => return Ok(set.iter().take(most).collect()),
            Value::Symbolic(symbolic) => symbolic,
            _ => return Ok(Vec::new()),
        };
        let numbers = |from: i64, step: i64| (0..most as i64).map(|by| Value::integer(from + by * step)).collect::<Vec<_>>();
        Ok(match &**symbolic {
            Symbolic::Integers(IntegerSet::Natural1 | IntegerSet::Nat1) => numbers(1, 1),
            Symbolic::Integers(IntegerSet::Natural | IntegerSet::Nat) => numbers(0, 1),
            // 0, 1, -1, 2, -2, …
            Symbolic::Integers(_) => (0..most as i64).map(|at| Value::integer(if at % 2 == 1 { at / 2 + 1 } else { -(at / 2) })).collect(),
            Symbolic::Interval(from, to) => {
                (0..most as i64).map(|by| from.add(&Integer::from(by))).take_while(|number| number <= to).map(Value::Integer).collect()
            }
            // "", "a", …, "z", "aa", "ab", …
            Symbolic::Strings => (0..most).map(|at| Value::String(nth_string(at).into())).collect(),
            Symbolic::Power { base, nonempty, .. } => {
                let base = self.listed_or_first(base, most, span)?;
                collected(most, &mut |visit| space::visit_subsets(&base, *nonempty, visit))
            }
            Symbolic::Sequences(kind, base) => {
                let base = self.listed_or_first(base, most, span)?;
                collected(most, &mut |visit| space::visit_sequences(*kind, &base, None, visit))
            }
            Symbolic::Functions(kind, from, to) => self.first_functions(*kind, from, to, most, span)?,
            Symbolic::Product(left, right) => {
                let (left, right) = (self.first_values(left, most, span)?, self.first_values(right, most, span)?);
                diagonal(&left, &right, most)
            }
            Symbolic::Struct(fields) => {
                let mut records: Vec<Vec<(Arc<str>, Value)>> = vec![Vec::new()];
                for (name, set) in fields.iter() {
                    let values = self.first_values(set, most, span)?;
                    let with = |record: &Vec<(Arc<str>, Value)>, value: &Value| {
                        record.iter().cloned().chain([(name.clone(), value.clone())]).collect()
                    };
                    let pairs = values.iter().flat_map(|value| records.iter().map(move |record| with(record, value)));
                    records = pairs.take(most).collect();
                }
                records.into_iter().map(|fields| Value::Record(fields.as_slice().into())).collect()
            }
            Symbolic::Identity(base) => {
                self.first_values(base, most, span)?.into_iter().map(|value| Value::pair(value.clone(), value)).collect()
            }
            Symbolic::Union(left, right) => {
                let (left, right) = (self.first_values(left, most, span)?, self.first_values(right, most, span)?);
                let all: BTreeSet<Value> = left.into_iter().chain(right).collect();
                all.into_iter().take(most).collect()
            }
            Symbolic::Intersection(left, right) | Symbolic::Difference(left, right) => {
                let wanted = matches!(&**symbolic, Symbolic::Intersection(..));
                let mut found = Vec::new();
                for value in self.first_values(left, most.saturating_mul(64), span)? {
                    if found.len() < most && self.member(&value, right, span)? == wanted {
                        found.push(value);
                    }
                }
                found
            }
            _ => Vec::new(),
        })
    }

    /// The first functions of a space.
    fn first_functions(&mut self, kind: FunctionKind, from: &Value, to: &Value, most: usize, span: Span) -> Result<Vec<Value>, EvalError> {
        // A total function whose domain is not explicit can only be built as a symbolic one: a constant function.
        if !is_quickly_explicit(from) && kind.is_total() {
            if kind != FunctionKind::TotalFunctions && kind != FunctionKind::TotalRelations {
                return Ok(Vec::new());
            }
            let constant = |value| Value::Symbolic(Arc::new(Symbolic::Product(from.clone(), Value::Set(Set::singleton(value)))));
            return Ok(self.first_values(to, most, span)?.into_iter().map(constant).collect());
        }
        let from = self.listed_or_first(from, most, span)?;
        let enough = if kind.is_total() { from.len().max(most) } else { most };
        let to = self.listed_or_first(to, enough, span)?;
        Ok(collected(most, &mut |visit| space::visit_functions(kind, &from, &to, visit)))
    }

    /// A set as a list, or its first elements where it is too large for one.
    fn listed_or_first(&mut self, set: &Value, most: usize, span: Span) -> Result<Set, EvalError> {
        match cardinality(set) {
            Cardinality::Finite(count) if count <= BigUint::from(WRITTEN_SET.get()) => self.explicit(set, span),
            Cardinality::Unknown => self.explicit(set, span),
            _ => Ok(Set::from_values(self.first_values(set, most, span)?)),
        }
    }
}

/// Whether a set has more elements than a limit.
fn is_beyond(set: &Value, limit: u64) -> bool {
    let Value::Symbolic(_) = set else { return false };
    match cardinality(set) {
        Cardinality::Finite(count) => count > BigUint::from(limit),
        Cardinality::Infinite | Cardinality::Large => true,
        Cardinality::Unknown => false,
    }
}

/// Whether a value has the form of the elements of a set, so that membership may be tested: a wanted value need not have the type.
fn has_form_of(value: &Value, set: &Value) -> bool {
    let symbolic = match set {
        Value::Symbolic(symbolic) => symbolic,
        Value::Set(set) => return set.first_element().is_some_and(|element| has_form(value, &element)),
        _ => return false,
    };
    let are_pairs_of = |value: &Value, fits: &dyn Fn(&Value, &Value) -> bool| {
        let Value::Set(pairs) = value else { return false };
        pairs.iter().all(|pair| pair.as_pair().is_some_and(|(first, second)| fits(first, second)))
    };
    match &**symbolic {
        Symbolic::Integers(_) | Symbolic::Interval(..) => matches!(value, Value::Integer(_)),
        Symbolic::Power { base, .. } => matches!(value, Value::Set(set) if set.iter().all(|element| has_form_of(&element, base))),
        Symbolic::Sequences(_, base) => are_pairs_of(value, &|place, item| matches!(place, Value::Integer(_)) && has_form_of(item, base)),
        Symbolic::Functions(_, from, to) => are_pairs_of(value, &|first, second| has_form_of(first, from) && has_form_of(second, to)),
        Symbolic::Product(left, right) => {
            value.as_pair().is_some_and(|(first, second)| has_form_of(first, left) && has_form_of(second, right))
        }
        _ => false,
    }
}

/// Whether a value surely has the type of another one.
fn has_form(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Bool(_), Value::Bool(_)) | (Value::Integer(_), Value::Integer(_)) | (Value::String(_), Value::String(_)) => true,
        (Value::Element(one), Value::Element(other)) => one.set == other.set,
        (Value::Pair(one), Value::Pair(other)) => has_form(&one.0, &other.0) && has_form(&one.1, &other.1),
        // Of an empty set only the empty one is surely of the same type.
        (Value::Set(one), Value::Set(other)) => {
            one.is_empty() || other.first_element().is_some_and(|element| one.iter().all(|value| has_form(&value, &element)))
        }
        _ => false,
    }
}

/// Whether an element of a given set occurs in a value.
fn mentions_elements(value: &Value) -> bool {
    match value {
        Value::Element(_) => true,
        Value::Pair(pair) => mentions_elements(&pair.0) || mentions_elements(&pair.1),
        Value::Record(fields) => fields.iter().any(|(_, value)| mentions_elements(value)),
        Value::Set(set) => set.iter().any(|value| mentions_elements(&value)),
        Value::Integer(_) | Value::Bool(_) | Value::String(_) => false,
        _ => true,
    }
}

/// The string at a place of all strings of small letters: shorter ones first, in the order of the alphabet.
fn nth_string(mut place: usize) -> String {
    let mut letters = Vec::new();
    while place > 0 {
        letters.push(char::from(b'a' + ((place - 1) % 26) as u8));
        place = (place - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// The first sets in an enumeration of the value floor.
fn collected(most: usize, enumerate: &mut dyn FnMut(&mut SetVisitor<'_>) -> ControlFlow<()>) -> Vec<Value> {
    let mut found = Vec::new();
    if most > 0 {
        let _ = enumerate(&mut |set| {
            found.push(Value::Set(set));
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    found
}

/// The first pairs, by the sum of their places.
fn diagonal(left: &[Value], right: &[Value], most: usize) -> Vec<Value> {
    let sums = 0..(left.len() + right.len()).saturating_sub(1);
    let pairs = sums.flat_map(|sum| (0..=sum).filter_map(move |at| Some((left.get(at)?, right.get(sum - at)?))));
    pairs.take(most).map(|(one, other)| Value::pair(one.clone(), other.clone())).collect()
}
