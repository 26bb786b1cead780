//! Finite domains of the names to be solved, as inputs of the circuit.
//!
//! Invariant: every solution is among the values of the inputs, and different inputs mean different values.

use super::grounding::{Ground, Grounded, Grounding, Open, Stop};
use super::integers::number;
use super::sat::Lit;
use crate::plan::ExprPlan;
use crate::plan::problem::{Bound, Problem, Term, TermKind, Unknown};
use crate::thresholds::{SOLVED_CANDIDATES, SOLVED_NUMBERS};
use bcheck_ir::{FunctionKind, UnaryOp};
use bcheck_source::Span;
use bcheck_value::{SequenceKind, Set, Symbolic, Value, relation};
use std::rc::Rc;

/// Candidates, and whether the name is a function (so that rows hold one pair).
struct Candidates {
    values: Set,
    is_function: bool,
}

impl Grounding<'_, '_> {
    /// Gives all names to be solved their inputs; unsupported when one of them has no finite bound. Numbers are listed only if so wanted,
    /// or if there are few.
    pub(super) fn inputs(&mut self, problem: &Problem, is_listing: bool) -> Grounded<()> {
        let mut waiting: Vec<&Unknown> = problem.unknowns.iter().collect();
        while !waiting.is_empty() {
            // Bounds may depend on names that already have inputs; the whole type is the last resort.
            let mut left = Vec::new();
            let before = waiting.len();
            for unknown in waiting {
                if !self.is_given_input(unknown, is_listing)? {
                    left.push(unknown);
                }
            }
            // None of the bounds can be enumerated so far. One name takes the values of its type, on which bounds of the others may
            // depend.
            if left.len() == before {
                let unknown = left.remove(0);
                let candidates = self.candidates(unknown, true)?.ok_or(Stop::Unsupported)?;
                self.input(unknown, &candidates);
            }
            waiting = left;
        }
        Ok(())
    }

    /// Creates the inputs of a name, if its bounds can be enumerated or are known as numbers.
    fn is_given_input(&mut self, unknown: &Unknown, is_listing: bool) -> Grounded<bool> {
        let is_given = |unlisted: Grounded<()>| match unlisted {
            Ok(()) => Ok(true),
            Err(Stop::Unsupported) => Ok(false),
            Err(stop) => Err(stop),
        };
        if let Some(values) = unknown.unlisted_from
            && !is_listing
            && is_given(self.unlisted(unknown, values))?
        {
            return Ok(true);
        }
        match self.candidates(unknown, false) {
            Ok(Some(candidates)) => {
                self.input(unknown, &candidates);
                Ok(true)
            }
            Ok(None) => is_given(self.unlisted(unknown, 1)),
            // Too many candidates for a list.
            Err(Stop::Unsupported) => self.unlisted(unknown, 1).map(|()| true),
            Err(stop) => Err(stop),
        }
    }

    fn input(&mut self, unknown: &Unknown, candidates: &Candidates) {
        let values = &candidates.values;
        let value = if unknown.is_set {
            // The value tried first: a true pair of a function makes the others of its row false by propagation, while other sets are tried
            // with few elements first.
            let members = values.iter().map(|value| (value, self.circuit.input(candidates.is_function))).collect();
            Open::Set(Rc::new(members))
        } else if values.len() == 2 {
            // One input distinguishes two values; with one for each, clauses would have to exclude both and neither.
            let one = self.circuit.input(true);
            Open::Choice(Rc::new(values.iter().zip([one, !one]).collect()))
        } else {
            let choices: Vec<(Value, Lit)> = values.iter().map(|value| (value, self.circuit.input(true))).collect();
            let literals: Vec<Lit> = choices.iter().map(|(_, literal)| *literal).collect();
            // Without values this is false, and the problem has no model.
            let one = self.circuit.exactly_one(&literals);
            self.circuit.assert(one);
            Open::Choice(Rc::new(choices))
        };
        self.open.insert(unknown.slot, Ground { value, defined: Lit::TRUE });
    }

    fn candidates(&mut self, unknown: &Unknown, last_resort: bool) -> Grounded<Option<Candidates>> {
        let mut values: Option<Set> = None;
        let mut is_function = false;
        for bound in &unknown.bounds {
            // The last of the bounds, so it is known here whether another one can be enumerated.
            if matches!(bound, Bound::Type(_)) && (!last_resort || values.is_some()) {
                continue;
            }
            let more = match self.bound(bound, unknown.is_set, &mut is_function) {
                Ok(more) => more,
                // Bounds are intersected, so any of them may be missing: the conjunct itself is encoded all the same.
                Err(Stop::Unsupported) => continue,
                Err(stop) => return Err(stop),
            };
            values = Some(match values {
                None => more,
                Some(values) => values.intersection(&more),
            });
        }
        let most = if unknown.is_set { SOLVED_CANDIDATES.get() } else { SOLVED_NUMBERS.get() };
        match values {
            Some(values) if values.len() > most => Err(Stop::Unsupported),
            values => Ok(values.map(|values| Candidates { values, is_function })),
        }
    }

    /// The candidates that one bound leaves.
    fn bound(&mut self, bound: &Bound, is_set: bool, is_function: &mut bool) -> Grounded<Set> {
        match bound {
            Bound::Member(set) if is_set => self.elements_of_members(set, is_function),
            Bound::Member(set) | Bound::Subset(set) => self.elements(set),
            Bound::Type(set) => self.elements(set),
            Bound::Range(lower, upper) => {
                let (from, to) = self.ends(lower, upper)?;
                if from <= to && to.abs_diff(from) >= SOLVED_CANDIDATES.get() as u64 {
                    return Err(Stop::Unsupported);
                }
                Ok(Set::from_sorted((from..=to).map(Value::integer).collect()))
            }
        }
    }

    /// The ends of the range that bounds leave.
    pub(super) fn ends(&mut self, lower: &[ExprPlan], upper: &[ExprPlan]) -> Grounded<(i64, i64)> {
        let mut numbers = |bounds: &[ExprPlan]| -> Grounded<Vec<i64>> {
            // Bounds beyond 64 bits are left to the other bounds of the name.
            bounds.iter().map(|plan| number(&self.frame.eval(plan)?)).collect()
        };
        // The greatest of the lower bounds counts, and the least of the upper ones.
        let (from, to) = (numbers(lower)?.into_iter().max(), numbers(upper)?.into_iter().min());
        from.zip(to).ok_or(Stop::Unsupported)
    }

    fn elements(&mut self, set: &Term) -> Grounded<Set> {
        let ground = self.term(set)?;
        self.keys(&ground.value, set.span)
    }

    /// Every element that the set can have in some model.
    fn keys(&mut self, set: &Open, span: Span) -> Grounded<Set> {
        Ok(Set::from_sorted(self.members(set, span)?.iter().map(|(value, _)| value.clone()).collect()))
    }

    /// The elements that members of a set of sets can have.
    fn elements_of_members(&mut self, set: &Term, is_function: &mut bool) -> Grounded<Set> {
        match &set.kind {
            TermKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => return self.elements(base),
            TermKind::Binary(op, from, to) => {
                if let Some(kind) = FunctionKind::of(*op) {
                    *is_function |= kind.is_functional();
                    let (from, to) = (self.elements(from)?, self.elements(to)?);
                    // The inputs are the pairs, not the functions: `from × to` many instead of `to` to the power of `from`. That the
                    // chosen pairs form such a function is left to the conjunct, which is still encoded.
                    return pairs(&from, &to);
                }
            }
            _ => {}
        }
        let ground = self.term(set)?;
        if let Open::Known(Value::Symbolic(symbolic)) = &ground.value {
            return match &**symbolic {
                Symbolic::Power { base, .. } => self.written_out(base, set.span),
                Symbolic::Functions(kind, from, to) => {
                    *is_function |= kind.is_functional();
                    let (from, to) = (self.written_out(from, set.span)?, self.written_out(to, set.span)?);
                    pairs(&from, &to)
                }
                Symbolic::Sequences(SequenceKind::Perm, base) => {
                    *is_function = true;
                    let base = self.written_out(base, set.span)?;
                    let places = (1..=i64::try_from(base.len()).expect("a set in memory")).map(Value::integer).collect();
                    pairs(&Set::from_sorted(places), &base)
                }
                _ => Err(Stop::Unsupported),
            };
        }
        // An explicit set of sets.
        let mut union = Set::empty();
        for (member, _) in self.members(&ground.value, set.span)?.iter() {
            union = union.union(&self.written_out(member, set.span)?);
        }
        Ok(union)
    }
}

fn pairs(from: &Set, to: &Set) -> Grounded<Set> {
    if from.len().saturating_mul(to.len()) > SOLVED_CANDIDATES.get() {
        return Err(Stop::Unsupported);
    }
    Ok(relation::product(from, to))
}
