//! Bindings that decide a quantifier: counterexamples, witnesses, and what rejects each candidate.
//!
//! Invariant: a binding that is returned was evaluated; it is the first in the order of values if all were visited. Deliberately elsewhere:
//! the evidence for a body under a binding (`tree`).

use super::explainer::Explainer;
use crate::plan::{PredPlan, Search, Slot};
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{EVIDENCE_BINDINGS, EVIDENCE_COST};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{LocalId, Pred, PredKind, Type};
use bcheck_value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The bindings that were found.
#[derive(Debug, Default)]
pub(super) struct FoundBindings {
    /// The first one in the order of values.
    pub(super) least: Option<Vec<Value>>,
    /// How many there are.
    pub(super) count: usize,
    /// Whether all bindings were visited.
    pub(super) is_all: bool,
}

/// Which conjunct rejects how many of the values tried.
#[derive(Debug, Default)]
pub(super) struct RejectedBindings {
    /// How many of the first conjuncts all of them satisfy.
    pub(super) satisfied: usize,
    /// How many there are.
    pub(super) count: usize,
    /// Whether all were visited.
    pub(super) is_all: bool,
    /// By the position of the conjunct: how many, and the least.
    pub(super) by_conjunct: BTreeMap<usize, (usize, Vec<Value>)>,
}

impl FoundBindings {
    fn add(&mut self, values: Vec<Value>) {
        self.count += 1;
        keep_least(&mut self.least, values);
    }
}

fn keep_least(least: &mut Option<Vec<Value>>, values: Vec<Value>) {
    if least.as_ref().is_none_or(|kept| values < *kept) {
        *least = Some(values);
    }
}

/// The hypotheses and the conclusion of the body of a `!`: `P => (Q => R)` has two hypotheses.
pub(super) fn hypotheses_of(body: &Pred) -> (Vec<&Pred>, &Pred) {
    let mut hypotheses = Vec::new();
    let mut conclusion = body;
    while let PredKind::Implies(hypothesis, rest) = &conclusion.kind {
        hypotheses.push(&**hypothesis);
        conclusion = rest;
    }
    (hypotheses, conclusion)
}

/// The conjuncts of a predicate as written.
pub(super) fn parts_of(pred: &Pred) -> Vec<&Pred> {
    if let PredKind::And(parts) = &pred.kind { parts.iter().flat_map(parts_of).collect() } else { vec![pred] }
}

impl Explainer<'_> {
    /// The bindings for which the body of a `!` is false; if there are none, the first for which it is ill-defined.
    pub(super) fn counterexamples(&mut self, locals: &[(LocalId, Type)], body: &Pred) -> FoundBindings {
        let (hypotheses, conclusion) = hypotheses_of(body);
        let names = self.compiler.names().with_slots(locals);
        let search = self.compiler.counterexamples(&names, &hypotheses, conclusion, body.span);
        let body = self.compiler.pred(body);
        let found = self.visit(&search, &slots(&names), |frame| frame.holds(&body).map(|holds| !holds));
        if found.count > 0 {
            return found;
        }
        let is_ill_defined = |frame: &mut Frame<'_>| match frame.holds(&body) {
            Err(error) if error.kind.is_ill_defined() => Ok(true),
            other => other.map(|_| false),
        };
        self.visit(&search, &slots(&names), is_ill_defined)
    }

    /// The bindings for which the body of a `#` is true.
    pub(super) fn witnesses(&mut self, locals: &[(LocalId, Type)], body: &Pred) -> FoundBindings {
        let names = self.compiler.names().with_slots(locals);
        let search = self.compiler.witnesses(&names, body, body.span);
        let body = self.compiler.pred(body);
        self.visit(&search, &slots(&names), |frame| frame.holds(&body))
    }

    /// The wanted bindings of a search, as far as they could be visited.
    fn visit(&mut self, search: &Search, slots: &[Slot], is_wanted: impl Fn(&mut Frame<'_>) -> Result<bool, EvalError>) -> FoundBindings {
        let (mut found, mut visited) = (FoundBindings::default(), 0);
        let ended = self.in_frame(|frame| {
            frame.run_guard(search, &mut |frame| {
                visited += 1;
                if visited > EVIDENCE_BINDINGS.get() {
                    return Ok(Flow::Stop);
                }
                match is_wanted(frame) {
                    Ok(true) => found.add(values_of(frame, slots, search)?),
                    Ok(false) => {}
                    // The evidence, if any, is that of a binding without a value.
                    Err(error) if error.kind.is_ill_defined() => {}
                    Err(error) => return Err(error),
                }
                Ok(Flow::Continue)
            })
        });
        found.is_all = matches!(ended, Ok(Flow::Continue));
        found
    }

    /// What rejects the values of a false `#`. Candidates are the values that satisfy its first conjuncts, the fewest that bound all its
    /// names; `None` if no conjuncts do.
    pub(super) fn rejections(&mut self, locals: &[(LocalId, Type)], body: &Pred) -> Option<RejectedBindings> {
        let conjuncts = parts_of(body);
        let names = self.compiler.names().with_slots(locals);
        // The fewest conjuncts that mention all names are those that generate their values; where this takes all conjuncts, values of the
        // types are tried, if they are few.
        let wanted: BTreeSet<Slot> = names.iter().map(|(slot, _)| *slot).collect();
        let mentions_all = |this: &Self, satisfied: usize| {
            let mentioned = conjuncts[..satisfied].iter().flat_map(|conjunct| this.compiler.names().slots_of_pred(conjunct));
            wanted.is_subset(&mentioned.collect())
        };
        let typing: Vec<usize> = (1..conjuncts.len()).filter(|satisfied| mentions_all(self, *satisfied)).collect();
        let (satisfied, search) = typing.into_iter().chain(0..=conjuncts.len()).find_map(|satisfied| {
            let (search, cost) = self.compiler.search(&names, &conjuncts[..satisfied], body.span);
            (cost <= EVIDENCE_COST.get()).then_some((satisfied, search))
        })?;
        let rest: Vec<PredPlan> = conjuncts[satisfied..].iter().map(|conjunct| self.compiler.pred(conjunct)).collect();
        let slots = slots(&names);
        let mut rejected = RejectedBindings { satisfied, ..RejectedBindings::default() };
        let ended = self.in_frame(|frame| {
            frame.run_guard(&search, &mut |frame| {
                if rejected.count == EVIDENCE_BINDINGS.get() {
                    return Ok(Flow::Stop);
                }
                rejected.count += 1;
                for (at, conjunct) in rest.iter().enumerate() {
                    match frame.holds(conjunct) {
                        Ok(true) => continue,
                        Ok(false) => {}
                        // False wins over ill-defined: another conjunct rejects these values.
                        Err(error) if error.kind.is_ill_defined() => continue,
                        Err(error) => return Err(error),
                    }
                    let values = values_of(frame, &slots, &search)?;
                    let (count, least) = rejected.by_conjunct.entry(satisfied + at).or_insert_with(|| (0, values.clone()));
                    *count += 1;
                    if values < *least {
                        *least = values;
                    }
                    break;
                }
                Ok(Flow::Continue)
            })
        });
        rejected.is_all = matches!(ended, Ok(Flow::Continue));
        // An error at the first binding leaves nothing to show.
        let is_shown = rejected.is_all || rejected.count > 0;
        is_shown.then_some(rejected)
    }
}

fn slots(names: &[(Slot, Type)]) -> Vec<Slot> {
    names.iter().map(|(slot, _)| *slot).collect()
}

/// The values of names, with symbolic sets written out if possible.
fn values_of(frame: &mut Frame<'_>, slots: &[Slot], search: &Search) -> Result<Vec<Value>, EvalError> {
    let mut values = Vec::with_capacity(slots.len());
    for slot in slots {
        let value = frame.get(*slot, search.span)?.clone();
        values.push(match frame.listed(value.clone(), search.span) {
            Err(error) if error.kind != EvalErrorKind::Interrupted => value,
            listed => listed?,
        });
    }
    Ok(values)
}
