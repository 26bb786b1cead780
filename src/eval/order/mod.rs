//! Conjunctions → searches: which conjuncts generate values for which names, and in which order.
//!
//! The order is greedy (`greedy`): closed conjuncts are tested as soon as possible; otherwise the cheapest generator (`generators`) comes
//! next: `x = e`, `x |-> y : r`, `x <: S`, integer bounds, a disjunction or an existential that bounds the name in every branch, and at
//! last the whole type. Costs are static estimates of the number of generated values.
//! Invariant: every binding that satisfies the conjunction is visited exactly once, except for integers outside of a noted window; a
//! conjunct is left out only where its generator implies it. Must not know: frames, values at run time, the solver.

mod bounds;
mod branches;
mod candidate;
mod choose_from;
mod conjunction;
pub(super) mod conjuncts;
mod contexts;
mod currying;
mod equation;
mod generators;
mod greedy;
mod guards;
mod implied;
mod interval;
mod log;
mod narrowing;
mod numbers;
mod parts;
mod pattern;
mod problem;
mod ranges;
mod recurrence;
mod roots;
mod self_subset;
mod sequences;
mod spaces;
mod terms;
#[cfg(test)]
mod tests;
mod totals;
mod windows;
mod within_bounds;

use super::compile::Compiler;
use super::compile::position::Cut;
use super::plan::{Action, PredPlan, PredPlanKind, Search, Slot, Wanted};
use crate::thresholds::{BOUNDED_BINDINGS, ORDERED_NAMES, ORDERS_TRIED_ABOVE, PARTIAL_SOLVING_FACTOR};
use bcheck_ir::{Comparison, Expr, ExprKind, Pred, PredKind, Type};
use bcheck_source::Span;
use greedy::{Ordered, Wish};
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// The search for all bindings of `locals` that satisfy the conjuncts, and its estimated number of visits.
    pub(super) fn search(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> (Search, f64) {
        let position = self.position().cutting(Cut::Nowhere);
        let (plain, cost) = self.within(position, |this| this.search_at_depth(locals, conjuncts, span, 0));
        // Bounds are computed only where they are missing: that takes longer than an order.
        if cost.is_infinite()
            && let Some(bounded) = spaces::bounded_where_total(&self.names(), locals, conjuncts)
        {
            let bounded: Vec<&Pred> = bounded.iter().collect();
            let (again, cost) = self.within(position, |this| this.search_at_depth(locals, &bounded, span, 0));
            if cost < BOUNDED_BINDINGS.get() {
                return (again, cost);
            }
        }
        (plain, cost)
    }

    /// As [`Self::search`], but if the plain search would visit more than `above` bindings, the names that are unbound at the first choice
    /// among several values go to the solver.
    pub(super) fn propagating_search(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, above: f64) -> (Search, f64) {
        let (plain, cost) = self.search(locals, conjuncts, span);
        if cost > above
            && let Some((locals, conjuncts)) = self.uncurried(locals, conjuncts)
        {
            let conjuncts: Vec<&Pred> = conjuncts.iter().collect();
            return self.propagating_search(&locals, &conjuncts, span, above);
        }
        // Not if the estimate is infinite: the set may be one that is never written out.
        if cost <= above || cost.is_infinite() {
            return (plain, cost);
        }
        // Where the plain search is hopeless, even a problem that leaves conjuncts out is better.
        let wanted = Wanted { whole: cost <= self.propagate_above * PARTIAL_SOLVING_FACTOR.get(), defined: true };
        (self.within(self.position().cutting(Cut::Nowhere), |this| this.solving(locals, conjuncts, span, plain, wanted)), cost)
    }

    /// The search for a choice of the machine: integers that nothing bounds are tried in a window. Bindings for which a conjunct is
    /// ill-defined are noted, so the solver must not pass over them.
    pub(super) fn choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> Search {
        self.propagating_choice(locals, conjuncts, span, self.propagate_above, true)
    }

    /// As [`Self::propagating_search`] for constants, with a separate limit for the solver: ill-definedness counts only if there is no
    /// solution.
    pub(super) fn constants(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64) -> Search {
        self.propagating_choice(locals, conjuncts, span, limit, false)
    }

    fn propagating_choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64, defined: bool) -> Search {
        let position = self.position().cutting(Cut::OutsideBranches);
        let chosen = |this: &mut Self, conjuncts: &[&Pred]| {
            this.noting(|this| this.within(position, |this| this.cut_choice(locals, conjuncts, span, limit, defined)))
        };
        let (mut search, mut notes) = chosen(self, conjuncts);
        // Bounds are computed only where they are missing: that takes longer than an order.
        if (!notes.tried.is_empty() || search.is_open())
            && let Some(bounded) = self.bounded(locals, conjuncts)
        {
            let bounded: Vec<&Pred> = bounded.iter().collect();
            let (again, noted) = chosen(self, &bounded);
            if noted.tried.len() < notes.tried.len() || notes.tried.is_empty() && noted.tried.is_empty() && !again.is_open() {
                (search, notes) = (again, noted);
            }
        }
        // A plain search has an action for each range. The solver gets ranges as conjuncts: then what it leaves out is noted before it.
        if let Some(tried) = notes.tried.first()
            && !search.has_cut()
        {
            let at = search.actions.iter().position(|action| matches!(action, Action::Solve { .. })).unwrap_or(0);
            search.actions.insert(at, Action::Cut(Box::new(tried.clone())));
        }
        // `by_type` is about this choice alone, so it is dropped.
        self.notes.tried.extend(notes.tried);
        search
    }

    /// The conjuncts with bounds that follow from them, if there are any.
    fn bounded(&self, locals: &[(Slot, Type)], conjuncts: &[&Pred]) -> Option<Vec<Pred>> {
        let supersets = self_subset::bounds_of_self_defined(&self.names(), locals, conjuncts);
        if supersets.is_empty() {
            return spaces::bounded(&self.names(), locals, conjuncts);
        }
        let all: Vec<&Pred> = conjuncts.iter().copied().chain(&supersets).collect();
        spaces::bounded(&self.names(), locals, &all).or_else(|| Some(all.into_iter().cloned().collect()))
    }

    /// The search for a choice, at its position: plain; with the solver where that visits too much; with the solver and sets of integers
    /// cut to a window where the plain search is infinite.
    fn cut_choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64, defined: bool) -> Search {
        // Noted separately: only ranges of the chosen search are tried.
        let ((plain, cost), noted) = self.noting(|this| this.search_at_depth(locals, conjuncts, span, 0));
        if cost > limit
            && let Some((locals, conjuncts)) = self.uncurried(locals, conjuncts)
        {
            let conjuncts: Vec<&Pred> = conjuncts.iter().collect();
            return self.propagating_choice(&locals, &conjuncts, span, limit, defined);
        }
        if cost <= limit {
            self.notes.add(noted);
            return plain;
        }
        let wanted = Wanted { whole: cost <= limit * PARTIAL_SOLVING_FACTOR.get(), defined };
        if cost.is_infinite()
            && let Some(solved) = self.solving_within_bounds(locals, conjuncts, span, limit)
        {
            return solved;
        }
        self.notes.add(noted);
        // The solver needs the bounds that the plain search has derived from types, or its names would be unbounded.
        let bounds = self.bounds_by_type(locals);
        let all: Vec<&Pred> = conjuncts.iter().copied().chain(&bounds).collect();
        self.solving(locals, &all, span, plain, wanted)
    }

    /// A search that passes the names that are unbound at the first choice among several values to the solver; `plain` if there are none.
    fn solving(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, plain: Search, wanted: Wanted) -> Search {
        let flat = conjuncts::conjuncts(conjuncts);
        let flat: Vec<&Pred> = flat.iter().collect();
        let (ordered, noted) = self.noting(|this| this.order(locals, &flat, span, Wish { solves: true, ..Wish::default() }));
        let Ordered { mut actions, factors, cost, problem } = ordered;
        let Some((at, problem)) = problem else { return plain };
        self.notes.add(noted);
        actions.insert(at, Action::Solve { problem: Box::new(problem), plain: Box::new(plain), wanted });
        let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| self.pred(pred)).collect()), span };
        let search =
            Search { actions, cost, source: Box::new(source), span, is_choice: self.position().is_choice(), unread: BTreeSet::new() };
        log::order(&search, &factors, &self.context.slot_names);
        search
    }

    /// The search inside `depth` branches, and its estimated number of visits.
    fn search_at_depth(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, depth: usize) -> (Search, f64) {
        let flat = conjuncts::conjuncts(conjuncts);
        let flat: Vec<&Pred> = flat.iter().collect();
        // All conjuncts in the order of the text: they decide about a full binding for which a test was ill-defined on the way.
        let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| self.pred(pred)).collect()), span };
        let (mut best, mut noted) = self.noting(|this| this.order(locals, &flat, span, Wish { depth, ..Wish::default() }));
        // The cheapest generator need not be the best one to begin with: another may leave equations for the other names.
        if best.cost > ORDERS_TRIED_ABOVE.get() && (2..=ORDERED_NAMES.get()).contains(&locals.len()) {
            for (first, _) in locals {
                let wish = Wish { depth, first: Some(*first), ..Wish::default() };
                let (other, noted_of_other) = self.noting(|this| this.order(locals, &flat, span, wish));
                // Estimates are too rough for smaller differences.
                if other.cost < best.cost / 2.0 {
                    (best, noted) = (other, noted_of_other);
                }
            }
        }
        self.notes.add(noted);
        let Ordered { actions, factors, cost, .. } = best;
        // In a branch its choices are those of the search around it.
        let is_choice = depth == 0 && self.position().is_choice();
        let search = Search { actions, cost, source: Box::new(source), span, is_choice, unread: BTreeSet::new() };
        // A branch is a part of another search, which need not use it.
        if depth == 0 {
            log::order(&search, &factors, &self.context.slot_names);
        }
        (search, cost)
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
        let target = Expr { kind: ExprKind::Local(self.names().local_of(target_slot)), ty: value.ty.clone(), span: value.span };
        let equation = PredKind::Compare(Comparison::Equal, Box::new(value.clone()), Box::new(target));
        let mut flat = conjuncts::conjuncts(&[pred]);
        flat.push(Pred { kind: equation, span });
        let flat: Vec<&Pred> = flat.iter().collect();
        self.within(self.position().cutting(Cut::Nowhere), |this| {
            let source = flat.iter().map(|pred| this.pred(pred)).collect();
            let Ordered { actions, factors, cost, .. } = this.order(locals, &flat, span, Wish::default());
            let search = Search {
                actions,
                cost,
                source: Box::new(PredPlan { kind: PredPlanKind::And(source), span }),
                span,
                is_choice: false,
                unread: BTreeSet::new(),
            };
            log::order(&search, &factors, &this.context.slot_names);
            search
        })
    }
}
