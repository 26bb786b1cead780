//! Disjunctions, existentials, conditionals and implications as generators: names that every branch bounds.
//!
//! Invariant: the branches together have every binding that satisfies the conjunct; what several of them give counts once when the
//! search runs. Deliberately elsewhere: when branches are worth trying (`generate`).

use super::compile::Compiler;
use super::generate::{Candidate, How, Unordered};
use super::plan::{Search, Slot};
use crate::ir::{Pred, PredKind, Type};
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// A disjunction or existential all of whose branches bound the names it mentions, if cheaper than `limit`.
    pub(super) fn branch_candidate<'p>(&mut self, left: Unordered<'_, 'p>, depth: usize, limit: f64) -> Option<Candidate<'p>> {
        let Unordered { locals, conjuncts, remaining, mentions, unbound } = left;
        let mut best: Option<Candidate<'p>> = None;
        for &at in remaining {
            let (wanted, slots) = names_in(&mentions[at], locals, unbound);
            let searches: Vec<(Search, f64)> = match &conjuncts[at].kind {
                PredKind::Or(parts) => parts.iter().map(|part| self.search_at_depth(&wanted, &[part], part.span, depth + 1)).collect(),
                PredKind::Exists(inner, body) => {
                    let mut all = wanted.clone();
                    all.extend(self.with_slots(inner));
                    vec![self.search_at_depth(&all, &[body], body.span, depth + 1)]
                }
                PredKind::If(condition, then, otherwise) => {
                    let negated = Pred { span: condition.span, kind: PredKind::Not(condition.clone()) };
                    vec![
                        self.search_at_depth(&wanted, &[condition, then], then.span, depth + 1),
                        self.search_at_depth(&wanted, &[&negated, otherwise], otherwise.span, depth + 1),
                    ]
                }
                _ => continue,
            };
            let cost: f64 = searches.iter().map(|(_, cost)| cost).sum();
            if cost.is_finite() && cost < limit && best.as_ref().is_none_or(|best| cost < best.cost) {
                let searches = searches.into_iter().map(|(search, _)| search).collect();
                best = Some(Candidate { cost, how: How::Branches(slots, searches), consumes: vec![at] });
            }
        }
        best
    }

    /// `P => Q` with P known: names that Q bounds where P holds, and that the other conjuncts bound where it does not.
    pub(super) fn implication_candidate<'p>(&mut self, left: Unordered<'_, 'p>, depth: usize) -> Option<Candidate<'p>> {
        let Unordered { locals, conjuncts, remaining, mentions, unbound } = left;
        for &at in remaining {
            let PredKind::Implies(hypothesis, conclusion) = &conjuncts[at].kind else { continue };
            if !self.slots_of_pred(hypothesis).is_disjoint(unbound) {
                continue;
            }
            let (wanted, slots) = names_in(&mentions[at], locals, unbound);
            let is_bounded = self.search_at_depth(&wanted, &[hypothesis, conclusion], conclusion.span, depth + 1).1.is_finite();
            if !is_bounded {
                continue;
            }
            let negated = Pred { span: hypothesis.span, kind: PredKind::Not(hypothesis.clone()) };
            let speaks_of_these = |other: &usize| mentions[*other].iter().all(|slot| !unbound.contains(slot) || slots.contains(slot));
            let mut consumes: Vec<usize> = remaining.iter().copied().filter(|other| *other != at && speaks_of_these(other)).collect();
            let others: Vec<&Pred> = consumes.iter().map(|&other| conjuncts[other]).collect();
            let (holds, cost) =
                self.search_at_depth(&wanted, &[&[&**hypothesis, &**conclusion], &others[..]].concat(), conclusion.span, depth + 1);
            // Where nothing bounds them, that shows when it comes to it.
            let fails = self.search_at_depth(&wanted, &[&[&negated], &others[..]].concat(), hypothesis.span, depth + 1).0;
            consumes.push(at);
            return Some(Candidate { cost, how: How::Branches(slots, vec![holds, fails]), consumes });
        }
        None
    }
}

/// The unbound names that a conjunct mentions, with and without their types.
fn names_in(mentioned: &BTreeSet<Slot>, locals: &[(Slot, Type)], unbound: &BTreeSet<Slot>) -> (Vec<(Slot, Type)>, Vec<Slot>) {
    locals
        .iter()
        .filter(|(slot, _)| unbound.contains(slot) && mentioned.contains(slot))
        .map(|(slot, ty)| ((*slot, ty.clone()), *slot))
        .unzip()
}
