//! Conjunctions → searches: which conjuncts generate values for which names, and in which order.
//!
//! The order is greedy (`greedy`): closed conjuncts are tested as soon as possible; otherwise the cheapest generator (`generators`) comes
//! next: `x = e`, `x |-> y : r`, `x <: S`, integer bounds, a disjunction or an existential that bounds the name in every branch, and at
//! last the whole type. Costs are static estimates of the number of generated values.
//! Invariant: every binding that satisfies the conjunction is visited exactly once, except for integers outside of a noted window; a
//! conjunct is left out only where its generator implies it. The methods of the [`Compiler`] here are all that it asks of this folder; the
//! other files are functions: of the compiler where they make plans, of its [`Names`] where they only read formulas. Must not know: frames,
//! values at run time, the solver.

mod bounds;
mod branches;
mod branching;
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
use super::compile::names::Names;
use super::compile::position::Cut;
use super::plan::{Action, PredPlan, PredPlanKind, Search, Slot, TriedRange, Wanted};
use crate::thresholds::{BOUNDED_BINDINGS, ORDERED_NAMES, ORDERS_TRIED_ABOVE, PARTIAL_SOLVING_FACTOR};
use bcheck_ir::{Comparison, Expr, ExprKind, Pred, PredKind, Subst, Type};
use bcheck_source::Span;
use branching::Branching;
use currying::uncurried;
use greedy::order;
use greedy::{Ordered, Wish};
pub(super) use guards::{collect_guards, collect_shown_guards, guard};
use std::borrow::Cow;
use std::collections::BTreeSet;
use within_bounds::{bounds_by_type, solving_within_bounds};

// What the compiler asks of this folder.
impl Compiler<'_> {
    /// The search for all bindings of `locals` that satisfy the conjuncts, and its estimated number of visits.
    pub(super) fn search(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> (Search, f64) {
        let position = self.position().cutting(Cut::Nowhere);
        let (plain, cost) = self.within(position, |this| search_inside(this, locals, conjuncts, span, None));
        // Bounds are computed only where they are missing: that takes longer than an order.
        if cost.is_infinite()
            && let Some(bounded) = spaces::bounded_where_total(&self.names(), locals, conjuncts)
        {
            let bounded: Vec<&Pred> = bounded.iter().collect();
            let (again, cost) = self.within(position, |this| search_inside(this, locals, &bounded, span, None));
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
            && let Some((locals, conjuncts)) = uncurried(self, locals, conjuncts)
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
        (self.within(self.position().cutting(Cut::Nowhere), |this| solving(this, locals, conjuncts, span, plain, wanted)), cost)
    }

    /// The search for a choice of the machine: integers that nothing bounds are tried in a window. Bindings for which a conjunct is
    /// ill-defined are noted, so the solver must not pass over them.
    pub(super) fn choice(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> Search {
        propagating_choice(self, locals, conjuncts, span, self.propagate_above, true)
    }

    /// As [`Self::propagating_search`] for constants, with a separate limit for the solver: ill-definedness counts only if there is no
    /// solution.
    pub(super) fn constants(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64) -> Search {
        propagating_choice(self, locals, conjuncts, span, limit, false)
    }

    /// See [`branches::counterexamples`].
    pub(super) fn counterexamples(&mut self, locals: &[(Slot, Type)], hypotheses: &[&Pred], conclusion: &Pred, span: Span) -> Search {
        branches::counterexamples(self, locals, hypotheses, conclusion, span)
    }

    /// See [`branches::witnesses`].
    pub(super) fn witnesses(&mut self, locals: &[(Slot, Type)], body: &Pred, span: Span) -> Search {
        branches::witnesses(self, locals, body, span)
    }

    /// See [`guards::choice_before`].
    pub(super) fn choice_before(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], body: &Subst, span: Span) -> Search {
        guards::choice_before(self, locals, conjuncts, body, span)
    }

    /// See [`within_bounds::choice_within_bounds`].
    pub(super) fn choice_within_bounds<'p>(&mut self, set: &'p Expr, slots: &[Slot]) -> (Cow<'p, Expr>, Option<TriedRange>) {
        within_bounds::choice_within_bounds(self, set, slots)
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
            let Ordered { actions, factors, cost, .. } = order(this, locals, &flat, span, Wish::default());
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

fn propagating_choice(
    compiler: &mut Compiler<'_>,
    locals: &[(Slot, Type)],
    conjuncts: &[&Pred],
    span: Span,
    limit: f64,
    defined: bool,
) -> Search {
    let position = compiler.position().cutting(Cut::OutsideBranches);
    let chosen = |compiler: &mut Compiler<'_>, conjuncts: &[&Pred]| {
        compiler.noting(|compiler| compiler.within(position, |compiler| cut_choice(compiler, locals, conjuncts, span, limit, defined)))
    };
    let (mut search, mut notes) = chosen(compiler, conjuncts);
    // Bounds are computed only where they are missing: that takes longer than an order.
    if (!notes.tried.is_empty() || search.is_open())
        && let Some(bounded) = bounded(&compiler.names(), locals, conjuncts)
    {
        let bounded: Vec<&Pred> = bounded.iter().collect();
        let (again, noted) = chosen(compiler, &bounded);
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
    compiler.notes.tried.extend(notes.tried);
    search
}

/// The conjuncts with bounds that follow from them, if there are any.
fn bounded(names: &Names<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred]) -> Option<Vec<Pred>> {
    let supersets = self_subset::bounds_of_self_defined(names, locals, conjuncts);
    if supersets.is_empty() {
        return spaces::bounded(names, locals, conjuncts);
    }
    let all: Vec<&Pred> = conjuncts.iter().copied().chain(&supersets).collect();
    spaces::bounded(names, locals, &all).or_else(|| Some(all.into_iter().cloned().collect()))
}

/// The search for a choice, at its position: plain; with the solver where that visits too much; with the solver and sets of integers
/// cut to a window where the plain search is infinite.
fn cut_choice(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64, defined: bool) -> Search {
    // Noted separately: only ranges of the chosen search are tried.
    let ((plain, cost), noted) = compiler.noting(|compiler| search_inside(compiler, locals, conjuncts, span, None));
    if cost > limit
        && let Some((locals, conjuncts)) = uncurried(compiler, locals, conjuncts)
    {
        let conjuncts: Vec<&Pred> = conjuncts.iter().collect();
        return propagating_choice(compiler, &locals, &conjuncts, span, limit, defined);
    }
    if cost <= limit {
        compiler.notes.add(noted);
        return plain;
    }
    let wanted = Wanted { whole: cost <= limit * PARTIAL_SOLVING_FACTOR.get(), defined };
    if cost.is_infinite()
        && let Some(solved) = solving_within_bounds(compiler, locals, conjuncts, span, limit)
    {
        return solved;
    }
    compiler.notes.add(noted);
    // The solver needs the bounds that the plain search has derived from types, or its names would be unbounded.
    let bounds = bounds_by_type(&compiler.names(), &compiler.notes.by_type, locals);
    let all: Vec<&Pred> = conjuncts.iter().copied().chain(&bounds).collect();
    solving(compiler, locals, &all, span, plain, wanted)
}

/// A search that passes the names that are unbound at the first choice among several values to the solver; `plain` if there are none.
fn solving(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, plain: Search, wanted: Wanted) -> Search {
    let flat = conjuncts::conjuncts(conjuncts);
    let flat: Vec<&Pred> = flat.iter().collect();
    let (ordered, noted) = compiler.noting(|compiler| order(compiler, locals, &flat, span, Wish { solves: true, ..Wish::default() }));
    let Ordered { mut actions, factors, cost, problem } = ordered;
    let Some((at, problem)) = problem else { return plain };
    compiler.notes.add(noted);
    actions.insert(at, Action::Solve { problem: Box::new(problem), plain: Box::new(plain), wanted });
    let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| compiler.pred(pred)).collect()), span };
    let search =
        Search { actions, cost, source: Box::new(source), span, is_choice: compiler.position().is_choice(), unread: BTreeSet::new() };
    log::order(&search, &factors, &compiler.context.slot_names);
    search
}

/// The search inside these branches, and its estimated number of visits.
fn search_inside(
    compiler: &mut Compiler<'_>,
    locals: &[(Slot, Type)],
    conjuncts: &[&Pred],
    span: Span,
    around: Option<Branching<'_>>,
) -> (Search, f64) {
    let flat = conjuncts::conjuncts(conjuncts);
    let flat: Vec<&Pred> = flat.iter().collect();
    // All conjuncts in the order of the text: they decide about a full binding for which a test was ill-defined on the way.
    let source = PredPlan { kind: PredPlanKind::And(flat.iter().map(|pred| compiler.pred(pred)).collect()), span };
    let (mut best, mut noted) = compiler.noting(|compiler| order(compiler, locals, &flat, span, Wish { around, ..Wish::default() }));
    // The cheapest generator need not be the best one to begin with: another may leave equations for the other names.
    if best.cost > ORDERS_TRIED_ABOVE.get() && (2..=ORDERED_NAMES.get()).contains(&locals.len()) {
        for (first, _) in locals {
            let wish = Wish { around, first: Some(*first), ..Wish::default() };
            let (other, noted_of_other) = compiler.noting(|compiler| order(compiler, locals, &flat, span, wish));
            // Estimates are too rough for smaller differences.
            if other.cost < best.cost / 2.0 {
                (best, noted) = (other, noted_of_other);
            }
        }
    }
    compiler.notes.add(noted);
    let Ordered { actions, factors, cost, .. } = best;
    // In a branch its choices are those of the search around it.
    let is_choice = around.is_none() && compiler.position().is_choice();
    let search = Search { actions, cost, source: Box::new(source), span, is_choice, unread: BTreeSet::new() };
    // A branch is a part of another search, which need not use it.
    if around.is_none() {
        log::order(&search, &factors, &compiler.context.slot_names);
    }
    (search, cost)
}
