//! Conjunctions → searches: which conjuncts generate values for which names, and in which order.
//!
//! Greedy: closed conjuncts are tested as soon as possible; otherwise the cheapest generator comes next (`x = e`, `x |-> y : r`,
//! `x <: S`, integer bounds, a disjunction or an existential that bounds the name in every branch, at last the whole type).
//! Costs are static estimates of how many values a generator gives. Invariant: every binding that satisfies the conjunction is
//! visited exactly once; a conjunct is left out only where its generator implies it.
//! Must not know: frames, values at run time, the solver.

pub(super) mod bounds;
pub(super) mod branches;
mod candidate;
pub(super) mod conjunction;
pub(super) mod conjuncts;
pub(super) mod cost;
pub(super) mod currying;
pub(super) mod equation;
pub(super) mod guards;
pub(super) mod implied;
pub(super) mod pattern;
pub(super) mod problem;
pub(super) mod ranges;
pub(super) mod recurrence;
pub(super) mod sequences;
pub(super) mod totals;
pub(super) mod windows;
pub(super) mod within_bounds;

use super::compile::Compiler;
use super::plan::{Action, ExprPlan, ExprPlanKind, Pattern, PredPlan, PredPlanKind, Search, Slot, Wanted};
use crate::ir::build::{image, union_of};
use crate::ir::{BinaryOp, Comparison, Expr, ExprKind, Pred, PredKind, Type};
use crate::source::Span;
use crate::value::Value;
use crate::value::samples::samples;
use candidate::{Candidate, How};
use conjunction::{Agenda, Conjunction, Unordered};
use num_traits::ToPrimitive;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// PROPERTIES that a plain search would look at more bindings for (by estimate) are solved by propagation.
pub(super) const PROPAGATE_CONSTANTS_ABOVE: f64 = 20_000.0;

/// Above this estimated cost a disjunction or existential is tried as a generator.
const TRY_BRANCHES_ABOVE: f64 = 64.0;

/// By how much a plain search may exceed the limit and still be better than solving only a part of the conjuncts.
const AFFORDABLE: f64 = 50_000.0;

/// Above this estimated cost other orders of the names are tried, if there are not too many names.
const TRY_ORDERS_ABOVE: f64 = 1_000.0;
const MOST_ORDERS: usize = 6;

/// How deep branches are tried inside branches.
const BRANCH_DEPTH: usize = 4;

/// Numbers next to those of the text that are tried for a name that nothing bounds.
const MOST_NEAR: usize = 12;

impl Compiler<'_> {
    /// The search for all bindings of `locals` that satisfy the conjuncts, and its estimated number of visits.
    pub(super) fn search(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> (Search, f64) {
        let outer = std::mem::replace(&mut self.is_choice, false);
        let found = self.search_at_depth(locals, conjuncts, span, 0);
        self.is_choice = outer;
        found
    }

    /// The same, with names solved together from the first real choice on where a plain search has too much to visit.
    pub(super) fn propagating_search(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, above: f64) -> (Search, f64) {
        let outer = std::mem::replace(&mut self.is_choice, false);
        let (plain, cost) = self.search_at_depth(locals, conjuncts, span, 0);
        if cost > above
            && let Some((locals, conjuncts)) = self.uncurried(locals, conjuncts)
        {
            self.is_choice = outer;
            let conjuncts: Vec<&Pred> = conjuncts.iter().collect();
            return self.propagating_search(&locals, &conjuncts, span, above);
        }
        let is_large = cost > above && cost.is_finite();
        let found = if is_large {
            self.solving(locals, conjuncts, span, plain, Wanted { whole: cost <= self.propagate_above * AFFORDABLE, defined: true })
        } else {
            plain
        };
        self.is_choice = outer;
        (found, cost)
    }

    /// A choice of the machine: names that nothing bounds are tried within the bounds of integers.
    pub(super) fn choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> Search {
        self.propagating_choice(locals, conjuncts, span, self.propagate_above, true)
    }

    /// The same for constants: names are solved together from the first real choice on when the estimate is larger than a limit, and
    /// what is ill-defined counts only where there is no solution.
    pub(super) fn constants(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64) -> Search {
        self.propagating_choice(locals, conjuncts, span, limit, false)
    }

    fn propagating_choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64, defined: bool) -> Search {
        let outer = std::mem::replace(&mut self.is_choice, true);
        self.known_by_type.clear();
        let (plain, cost) = self.search_at_depth(locals, conjuncts, span, 0);
        if cost > limit
            && let Some((locals, conjuncts)) = self.uncurried(locals, conjuncts)
        {
            self.is_choice = outer;
            let conjuncts: Vec<&Pred> = conjuncts.iter().collect();
            return self.propagating_choice(&locals, &conjuncts, span, limit, defined);
        }
        let wanted = Wanted { whole: cost <= limit * AFFORDABLE, defined };
        let found = if cost <= limit {
            plain
        } else if cost.is_infinite()
            && let Some(solved) = self.solving_within_bounds(locals, conjuncts, span, limit)
        {
            solved
        } else {
            let bounds = self.bounds_by_type(locals);
            let all: Vec<&Pred> = conjuncts.iter().copied().chain(&bounds).collect();
            self.solving(locals, &all, span, plain, wanted)
        };
        self.is_choice = outer;
        found
    }

    pub(super) fn solving(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, plain: Search, wanted: Wanted) -> Search {
        let flat = conjuncts::conjuncts(conjuncts);
        let flat: Vec<&Pred> = flat.iter().collect();
        let mut plain = Some((plain, wanted));
        let (actions, _) = self.order(locals, &flat, span, 0, None, &mut plain);
        if let Some((plain, _)) = plain {
            return plain;
        }
        let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| self.pred(pred)).collect()), span };
        Search { actions, source: Box::new(source), span }
    }

    pub(super) fn search_at_depth(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, depth: usize) -> (Search, f64) {
        let flat = conjuncts::conjuncts(conjuncts);
        let flat: Vec<&Pred> = flat.iter().collect();
        let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| self.pred(pred)).collect()), span };
        let (mut actions, mut cost) = self.order(locals, &flat, span, depth, None, &mut None);
        // The cheapest generator need not be the best one to begin with: another may leave equations for the other names.
        if cost > TRY_ORDERS_ABOVE && (2..=MOST_ORDERS).contains(&locals.len()) {
            for (first, _) in locals {
                let (other, other_cost) = self.order(locals, &flat, span, depth, Some(*first), &mut None);
                if other_cost < cost / 2.0 {
                    (actions, cost) = (other, other_cost);
                }
            }
        }
        (Search { actions, source: Box::new(source), span }, cost)
    }

    /// The search for bindings with `target = value` besides the condition: membership in `{x . P | value}`.
    pub(super) fn search_with_target(
        &mut self,
        locals: &[(Slot, Type)],
        pred: &Pred,
        value: &Expr,
        target_slot: Slot,
        span: Span,
    ) -> Search {
        let outer = std::mem::replace(&mut self.is_choice, false);
        let target = Expr { kind: ExprKind::Local(self.local_of(target_slot)), ty: value.ty.clone(), span: value.span };
        let equation = PredKind::Compare(Comparison::Equal, Box::new(value.clone()), Box::new(target));
        let mut flat = conjuncts::conjuncts(&[pred]);
        flat.push(Pred { kind: equation, span });
        let flat: Vec<&Pred> = flat.iter().collect();
        let source = flat.iter().map(|pred| self.pred(pred)).collect();
        let (actions, _) = self.order(locals, &flat, span, 0, None, &mut None);
        self.is_choice = outer;
        Search { actions, source: Box::new(PredPlan { kind: PredPlanKind::And(source), span }), span }
    }

    /// Orders the conjuncts into actions and estimates how many bindings are visited. `first` forces one name to be bound first. If a
    /// fallback is given, the names unbound at the first nondeterministic action go to the SAT-based solver; the fallback is kept for
    /// problems that cannot be encoded.
    fn order(
        &mut self,
        locals: &[(Slot, Type)],
        conjuncts: &[&Pred],
        span: Span,
        depth: usize,
        first: Option<Slot>,
        plain: &mut Option<(Search, Wanted)>,
    ) -> (Vec<Action>, f64) {
        let (names, says) = if plain.is_none() { self.bounded_sizes(locals, conjuncts) } else { (Vec::new(), Vec::new()) };
        let extended: (Vec<(Slot, Type)>, Vec<&Pred>);
        let (locals, conjuncts) = if says.is_empty() {
            (locals, conjuncts)
        } else {
            extended = (locals.iter().cloned().chain(names).collect(), conjuncts.iter().copied().chain(&says).collect());
            (extended.0.as_slice(), extended.1.as_slice())
        };
        let conjunction = Conjunction::new(self, conjuncts);
        let mut agenda = Agenda::new(locals, &conjunction);
        let mut actions = Vec::new();
        let mut total = 1.0;
        loop {
            let closed = agenda.take_closed();
            // Simple tests first: a quantifier is worth waiting for.
            let (quick, slow): (Vec<usize>, Vec<usize>) = closed.into_iter().partition(|&at| !has_binder(conjuncts[at]));
            for at in quick.into_iter().chain(slow) {
                let test = self.pred(conjuncts[at]);
                if !self.says_only_the_type(&test, locals) {
                    actions.push(Action::Test(test));
                }
            }
            if agenda.unbound.is_empty() {
                return (actions, total);
            }
            if let Some(mut only) = self.only_value(&mut agenda, conjuncts) {
                agenda.consume(&mut only.consumes);
                let mut bound = Vec::new();
                actions.push(self.action(only.how, &agenda.unbound, &mut bound));
                agenda.bind(bound, &conjunction);
                continue;
            }
            let Agenda { unbound, remaining, .. } = &agenda;
            let first = first.filter(|slot| unbound.contains(slot));
            let left = conjunction.left(locals, remaining, unbound);
            let mut best = self.best_candidate(left, first);
            if plain.is_some() && best.as_ref().is_none_or(|best| best.cost > 1.0) {
                let names: Vec<(Slot, Type)> = locals.iter().filter(|(slot, _)| unbound.contains(slot)).cloned().collect();
                let others: Vec<&Pred> = remaining.iter().map(|&at| conjuncts[at]).collect();
                if let Some(problem) = self.problem(&names, &others, span)
                    && let Some((plain, wanted)) = plain.take()
                {
                    agenda.bind(problem.slots(), &conjunction);
                    actions.push(Action::Solve { problem: Box::new(problem), plain: Box::new(plain), wanted });
                    continue;
                }
            }
            if best.as_ref().is_none_or(|best| best.cost > TRY_BRANCHES_ABOVE) && depth < BRANCH_DEPTH {
                let limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
                if let Some(branches) = self.branch_candidate(left, depth, limit) {
                    best = Some(branches);
                }
            }
            if best.is_none() && depth < BRANCH_DEPTH {
                best = self.implication_candidate(left, depth);
            }
            if best.is_none() && depth < BRANCH_DEPTH {
                best = self.interval_candidate(left, depth);
            }
            if best.is_none() && depth < BRANCH_DEPTH {
                best = self.disjunction_candidate(left, depth);
            }
            if best.is_none() {
                best = self.late_candidate(left).or_else(|| self.filled_set(left));
            }
            if best.is_none() && self.is_choice && depth == 0 {
                // A disjunction may bound the name in some branches.
                self.cuts_in_branches = true;
                best = self.branch_candidate(left, depth, f64::INFINITY);
                self.cuts_in_branches = false;
            }
            if best.is_none() && self.is_choice && (depth == 0 || self.cuts_in_branches) {
                best = self.candidate_within_bounds(left, span);
            }
            let best = best.or_else(|| self.sequence_over_both(left));
            let Some(mut best) = best else {
                let slot = *unbound.first().expect("not empty");
                let name = format!("`{}`", self.context.slot_names[slot]);
                let ty = locals.iter().find(|(local, _)| *local == slot).map_or(&Type::Bool, |(_, ty)| ty);
                let mut samples = samples(ty);
                if *ty == Type::Integer {
                    samples.extend(numbers_near(left.about(slot).map(|at| conjuncts[at])));
                }
                actions.push(Action::Unbounded { slot, samples, name, span });
                agenda.bind([slot], &conjunction);
                total = f64::INFINITY;
                continue;
            };
            total *= best.cost.max(1.0);
            let mut bound = Vec::new();
            actions.push(self.action(best.how, unbound, &mut bound));
            agenda.consume(&mut best.consumes);
            agenda.bind(bound, &conjunction);
        }
    }

    /// What gives names their only values, if there is such a conjunct: nothing could be better.
    fn only_value<'p>(&self, agenda: &mut Agenda, conjuncts: &[&'p Pred]) -> Option<Candidate<'p>> {
        while let Some(at) = agenda.fresh.pop_first() {
            if agenda.remaining.binary_search(&at).is_err() {
                continue;
            }
            let mut only = None;
            self.direct_candidates(conjuncts[at], at, &agenda.unbound, &mut |candidate| {
                if candidate.cost == 0.0 && only.is_none() {
                    only = Some(candidate);
                }
            });
            if only.is_some() {
                return only;
            }
        }
        None
    }

    fn action(&mut self, how: How<'_>, unbound: &BTreeSet<Slot>, bound: &mut Vec<Slot>) -> Action {
        match how {
            How::Bind(pattern, value) => {
                let pattern = self.pattern(pattern, unbound, bound);
                Action::Bind(pattern, self.expr(value))
            }
            How::Recursive(slot, value) => {
                bound.push(slot);
                Action::Bind(Pattern::Slot(slot), self.recursive(value))
            }
            How::Solve(slot, value) => {
                bound.push(slot);
                Action::Bind(Pattern::Slot(slot), self.expr(&value))
            }
            How::Each(pattern, set) => {
                let pattern = self.pattern(pattern, unbound, bound);
                Action::Each(pattern, self.expr(&set))
            }
            How::Subset(slot, set) => {
                bound.push(slot);
                Action::EachSubset(slot, self.expr(&set))
            }
            How::Recurrence(found) => {
                bound.push(found.slot);
                Action::Recurrence(Box::new(self.recurrence(&found)))
            }
            How::Total(found) => {
                bound.push(found.slot);
                Action::Total(Box::new(self.total(&found)))
            }
            How::Parts(slot, whole) => {
                bound.push(slot);
                let kind = ExprPlanKind::Parts(Box::new(self.expr(whole)));
                Action::Each(Pattern::Slot(slot), ExprPlan { kind, ty: Type::set(whole.ty.clone()), span: whole.span })
            }
            How::Range(slot, lower, upper) => {
                bound.push(slot);
                Action::Range { slot, lower: self.exprs(&lower), upper: self.exprs(&upper) }
            }
            How::Branches(slots, searches) => {
                bound.extend(&slots);
                Action::EachOf(slots, searches)
            }
            How::Values(slot, set) => {
                bound.push(slot);
                Action::Each(Pattern::Slot(slot), self.expr(&set))
            }
        }
    }

    fn best_candidate<'p>(&mut self, left: Unordered<'_, 'p>, first: Option<Slot>) -> Option<Candidate<'p>> {
        let Unordered { locals, conjuncts, remaining, unbound, .. } = left;
        let mut best: Option<Candidate<'p>> = None;
        let mut offer = |candidate: Candidate<'p>| {
            if candidate.cost.is_finite()
                && first.is_none_or(|slot| candidate.cost <= 1.0 || self.binds(&candidate.how, slot))
                && best.as_ref().is_none_or(|best| self.is_better(&candidate, best, left))
            {
                best = Some(candidate);
            }
        };
        for &at in remaining {
            self.direct_candidates(conjuncts[at], at, unbound, &mut offer);
            self.parts_of_sets(conjuncts[at], unbound, &mut offer);
        }
        for &at in remaining {
            [self.sequence_of_size(at, left), self.part_of_sequence(conjuncts[at], unbound)].into_iter().flatten().for_each(&mut offer);
            if let Some((slot, value)) = self.pointwise(at, left) {
                // What cannot be tested for each argument is what the function was made of.
                let is_endless = matches!(&value.kind, ExprKind::Binder { locals, pred, .. } if self.is_endless_over(locals, pred));
                let consumes = if is_endless { vec![at] } else { Vec::new() };
                offer(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes });
            }
            self.recurrence_candidate(at, left).into_iter().for_each(&mut offer);
            self.total_candidate(at, left).into_iter().for_each(&mut offer);
            self.complement(at, left).into_iter().for_each(&mut offer);
        }
        for (slot, ty) in locals.iter().filter(|(slot, _)| unbound.contains(slot)) {
            if *ty == Type::Integer {
                self.range_candidate(*slot, left, &mut offer);
            }
            // The whole type comes last among equals: a conjunct usually says more.
            let values = Expr { kind: ExprKind::TypeSet, ty: Type::set(ty.clone()), span: Span::nowhere() };
            offer(Candidate { cost: self.type_cost(ty) * 1.01 + 0.01, how: How::Values(*slot, values), consumes: Vec::new() });
        }
        best
    }

    /// Whether to prefer `candidate`: lower cost or, at equal high cost, names that occur in more remaining conjuncts.
    #[allow(clippy::float_cmp, reason = "equal estimates are equal")]
    fn is_better(&self, candidate: &Candidate<'_>, other: &Candidate<'_>, left: Unordered<'_, '_>) -> bool {
        let Unordered { remaining, mentions, unbound, .. } = left;
        let says = |candidate: &Candidate<'_>| {
            let mentions_its_name =
                |at: &&usize| mentions[**at].iter().any(|slot| unbound.contains(slot) && self.binds(&candidate.how, *slot));
            remaining.iter().filter(|at| !candidate.consumes.contains(at)).filter(mentions_its_name).count()
        };
        candidate.cost < other.cost || candidate.cost == other.cost && candidate.cost > TRY_ORDERS_ABOVE && says(candidate) > says(other)
    }

    /// Whether a candidate gives a value to this name.
    fn binds(&self, how: &How<'_>, slot: Slot) -> bool {
        match how {
            How::Bind(pattern, _) | How::Each(pattern, _) => self.slots_of_expr(pattern).contains(&slot),
            How::Branches(slots, _) => slots.contains(&slot),
            How::Recursive(bound, _)
            | How::Solve(bound, _)
            | How::Subset(bound, _)
            | How::Parts(bound, _)
            | How::Range(bound, ..)
            | How::Values(bound, _) => *bound == slot,
            How::Recurrence(found) => found.slot == slot,
            How::Total(found) => found.slot == slot,
        }
    }

    fn direct_candidates<'p>(&self, pred: &'p Pred, at: usize, unbound: &BTreeSet<Slot>, offer: &mut dyn FnMut(Candidate<'p>)) {
        match &pred.kind {
            PredKind::Compare(Comparison::Equal, left, right) => {
                for (pattern, value) in [(left, right), (right, left)] {
                    if let Some(slot) = self.recursive_definition(pattern, value, unbound) {
                        offer(Candidate { cost: 0.0, how: How::Recursive(slot, value), consumes: vec![at] });
                    }
                    if !self.is_closed(value, unbound) {
                        continue;
                    }
                    if self.can_match(pattern, unbound, &mut Vec::new()) {
                        offer(Candidate { cost: 0.0, how: How::Bind(pattern, value), consumes: vec![at] });
                    } else if let Some((slot, value)) = self.solve(pattern, (**value).clone(), unbound) {
                        offer(Candidate { cost: 0.0, how: How::Solve(slot, value), consumes: vec![at] });
                    } else if let Some((slot, value)) = self.solve_multiple(pattern, (**value).clone(), unbound) {
                        offer(Candidate { cost: 0.5, how: How::Solve(slot, value), consumes: Vec::new() });
                    }
                }
            }
            PredKind::Compare(Comparison::Member, pattern, set) if self.is_closed(set, unbound) => {
                let mut binds = Vec::new();
                if self.can_match(pattern, unbound, &mut binds) {
                    let partial = matches!(pattern.kind, ExprKind::Binary(..)) && !self.all_bound_by(pattern, &binds);
                    let cost = self.set_cost(set) / if partial { 2.0 } else { 1.0 };
                    offer(Candidate { cost, how: How::Each(pattern, Cow::Borrowed(&**set)), consumes: vec![at] });
                    // Of an infinite relation only the values of one argument are needed once that is known.
                    if let ExprKind::Binary(BinaryOp::Pair, argument, value) = &pattern.kind
                        && cost.is_infinite()
                        && self.is_closed(argument, unbound)
                    {
                        let values = image(set, argument);
                        offer(Candidate {
                            cost: self.type_cost(&value.ty).min(1.5),
                            how: How::Each(value, Cow::Owned(values)),
                            consumes: vec![at],
                        });
                    }
                }
            }
            PredKind::Compare(op @ (Comparison::Subset | Comparison::StrictSubset), part, set) if self.is_closed(set, unbound) => {
                if let Some(slot) = self.slot_of(part).filter(|slot| unbound.contains(slot)) {
                    let consumes = if *op == Comparison::Subset { vec![at] } else { Vec::new() };
                    offer(Candidate { cost: self.set_cost(set).exp2(), how: How::Subset(slot, Cow::Borrowed(&**set)), consumes });
                }
            }
            PredKind::Partition(set, parts) => {
                if self.is_closed(set, unbound) {
                    for part in parts {
                        if let Some(slot) = self.slot_of(part).filter(|slot| unbound.contains(slot)) {
                            offer(Candidate {
                                cost: self.set_cost(set).exp2(),
                                how: How::Subset(slot, Cow::Borrowed(&**set)),
                                consumes: Vec::new(),
                            });
                        }
                    }
                } else if let Some(slot) = self.slot_of(set).filter(|slot| unbound.contains(slot))
                    && parts.iter().all(|part| self.is_closed(part, unbound))
                    && let Some(union) = union_of(parts)
                {
                    offer(Candidate { cost: 0.0, how: How::Solve(slot, union), consumes: Vec::new() });
                }
            }
            _ => {}
        }
    }

    /// Whether an expression reads none of these slots.
    pub(super) fn is_closed(&self, expr: &Expr, unbound: &BTreeSet<Slot>) -> bool {
        self.slots_of_expr(expr).is_disjoint(unbound)
    }
}

fn has_binder(pred: &Pred) -> bool {
    let mut found = false;
    crate::ir::walk_pred(pred, &mut |node| {
        found |= match node {
            crate::ir::Node::Pred(pred) => matches!(pred.kind, PredKind::Forall(..) | PredKind::Exists(..)),
            crate::ir::Node::Expr(expr) => matches!(expr.kind, ExprKind::Comprehension { .. } | ExprKind::Binder { .. }),
            crate::ir::Node::Subst(_) => false,
        };
    });
    found
}

/// A few integers next to the numbers in some conjuncts, none of which the samples of the type have.
fn numbers_near<'p>(conjuncts: impl Iterator<Item = &'p Pred>) -> Vec<Value> {
    let mut found = BTreeSet::new();
    for pred in conjuncts {
        crate::ir::walk_pred(pred, &mut |node| {
            if let crate::ir::Node::Expr(Expr { kind: ExprKind::Integer(number), .. }) = node
                && let Some(number) = number.to_i64()
                && found.len() < MOST_NEAR
            {
                found.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
            }
        });
    }
    found.into_iter().filter(|number| !(-3..=5).contains(number)).map(Value::integer).collect()
}
