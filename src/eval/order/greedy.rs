//! The greedy order: at each point the tests that can be run, then the cheapest generator, until all names are bound.
//!
//! Invariant: a conjunct is left out of the actions only where the generator taken implies it. Deliberately elsewhere: the generators
//! (`generators` and the analyses beside it), the choice among several orders (`mod`).

use super::candidate::{Candidate, How};
use super::conjunction::{Conjunction, Remainder, Unordered};
use super::{choose_from, implied, sequences};
use crate::compile::Compiler;
use crate::compile::cost::clamped;
use crate::compile::names::Names;
use crate::compile::position::Cut;
use crate::plan::problem::Problem;
use crate::plan::{Action, ExprPlan, ExprPlanKind, Pattern, Slot};
use crate::thresholds::{BRANCH_DEPTH, BRANCHES_TRIED_ABOVE, NEAR_NUMBERS, ORDERED_BRANCHES};
use bcheck_ir::{Expr, ExprKind, Pred, PredKind, Type};
use bcheck_source::Span;
use bcheck_value::Value;
use bcheck_value::samples::samples;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// The requirements on an order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish {
    /// The number of branches around this search.
    pub(super) depth: usize,
    /// The name that is bound first, unless another one costs nothing or nothing generates it. An order with such a wish has no fallback:
    /// fallbacks are for names without a generator, and some leave values out, so that the order would only seem to be cheaper.
    pub(super) first: Option<Slot>,
    /// Whether the names that are unbound at the first choice among several values go to the solver.
    pub(super) solves: bool,
}

/// An order of conjuncts.
pub(super) struct Ordered {
    pub(super) actions: Vec<Action>,
    /// By action, the estimated factor by which it multiplies the number of bindings.
    pub(super) factors: Vec<f64>,
    /// The estimated number of bindings visited: the product of the factors.
    pub(super) cost: f64,
    /// The names and conjuncts for the solver, and the position of that action among the others.
    pub(super) problem: Option<(usize, Problem)>,
}

impl Ordered {
    fn push(&mut self, action: Action, factor: f64) {
        self.actions.push(action);
        self.factors.push(factor);
        self.cost = clamped(self.cost * factor, &[self.cost, factor]);
    }
}

/// The fallbacks, in this order, if no conjunct is a generator.
#[derive(Clone, Copy, Debug)]
enum Fallback {
    /// `P => Q` with P known: names that Q bounds where P holds, and the other conjuncts where it does not.
    Implication,
    /// `a .. b = S` with S known.
    Interval,
    /// A disjunction that bounds its names in every branch, together with the other conjuncts about them.
    Disjunction,
    /// An argument from the domain of its function, as if the conjunct were false elsewhere; `x + 1 : S` solved for x.
    Late,
    /// A set that has no room for more than the elements that memberships put into it.
    FilledSet,
    /// In a choice of the machine: a disjunction that bounds the name in some branches; in the others it is tried in a window.
    CutBranches,
    /// In a choice of the machine: integers in a window, and values made of such integers.
    WithinBounds,
    /// `s : seq(A) & s : seq(B)`: a sequence over what both share.
    SequenceOverBoth,
}

impl Fallback {
    const ALL: [Fallback; 8] = [
        Self::Implication,
        Self::Interval,
        Self::Disjunction,
        Self::Late,
        Self::FilledSet,
        Self::CutBranches,
        Self::WithinBounds,
        Self::SequenceOverBoth,
    ];
}

impl Compiler<'_> {
    /// Orders the conjuncts into actions and estimates how many bindings are visited.
    pub(super) fn order(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, wish: Wish) -> Ordered {
        // Branches share the remaining budget of the order that they belong to. An order may be nested in another without belonging to it:
        // that of a comprehension in a conjunct.
        let left = if wish.depth == 0 { ORDERED_BRANCHES.get() } else { self.branches_left.saturating_sub(1) };
        let outer = std::mem::replace(&mut self.branches_left, left);
        let ordered = self.order_with_sizes(locals, conjuncts, span, wish);
        if wish.depth == 0 {
            self.branches_left = outer;
        }
        ordered
    }

    fn order_with_sizes(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, wish: Wish) -> Ordered {
        // Sequences are not encoded for the solver, so names for their sizes would only be more to solve.
        // Names for the lengths of sequences, bounded by conjuncts: then a sequence is generated within a length instead of being infinite.
        let (names, sizes) = if wish.solves { (Vec::new(), Vec::new()) } else { self.bounded_sizes(locals, conjuncts) };
        if sizes.is_empty() {
            return self.greedy(locals, conjuncts, span, wish);
        }
        let locals: Vec<(Slot, Type)> = locals.iter().cloned().chain(names).collect();
        let conjuncts: Vec<&Pred> = conjuncts.iter().copied().chain(&sizes).collect();
        self.greedy(&locals, &conjuncts, span, wish)
    }

    fn greedy(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, wish: Wish) -> Ordered {
        let conjunction = Conjunction::new(self.names(), locals, conjuncts);
        let mut remainder = Remainder::new(&conjunction);
        let mut ordered = Ordered { actions: Vec::new(), factors: Vec::new(), cost: 1.0, problem: None };
        // Each round binds a name or, once, passes some to the solver: the loop ends.
        loop {
            let closed = remainder.take_closed();
            self.test(closed, locals, conjuncts, &mut ordered);
            if remainder.unbound.is_empty() {
                return ordered;
            }
            if let Some(only) = self.names().only_value(&mut remainder, conjuncts) {
                self.take(only, &mut remainder, &mut ordered);
                continue;
            }
            // No action is undone. The caller tries other orders, with another name first or with the solver (`mod`).
            let left = remainder.left();
            let first = wish.first.filter(|slot| left.unbound.contains(slot));
            let wished = first.and_then(|_| self.names().best_candidate(left, first));
            let best = wished.or_else(|| self.names().best_candidate(left, None));
            // From the first real choice on all names are solved together, once; names that the problem leaves open are ordered after it.
            if wish.solves
                && ordered.problem.is_none()
                && best.as_ref().is_none_or(|best| best.cost > 1.0)
                && let Some(problem) = self.problem_left(left, span)
            {
                remainder.bind(problem.slots());
                ordered.problem = Some((ordered.actions.len(), problem));
                continue;
            }
            if let Some(best) = self.branches_or_fallback(best, left, wish, span) {
                self.take(best, &mut remainder, &mut ordered);
            } else {
                // Where no generator is left, the actions after this one run for the samples only. They are ordered as for any other name.
                // A set that is too large to be enumerated is one to choose from all the same.
                let names = self.names();
                let set_for = |&slot: &Slot| {
                    let set = conjuncts.iter().find_map(|pred| choose_from::set_to_choose_from(&names, pred, slot, left.unbound))?;
                    Some((slot, set))
                };
                if self.position().is_choice()
                    && wish.depth == 0
                    && let Some((slot, set)) = left.unbound.iter().find_map(set_for)
                {
                    let set = self.expr(set);
                    ordered.push(Action::Each(Pattern::Slot(slot), set), f64::INFINITY);
                    remainder.bind([slot]);
                    continue;
                }
                let slot = *left.unbound.first().expect("not empty");
                let samples = samples_of(slot, left);
                let name = format!("`{}`", self.context.slot_names[slot]);
                ordered.push(Action::Unbounded { slot, samples, name, span }, f64::INFINITY);
                remainder.bind([slot]);
            }
        }
    }

    /// Tests the conjuncts at some places, all of whose names have values.
    fn test(&mut self, closed: Vec<usize>, locals: &[(Slot, Type)], conjuncts: &[&Pred], ordered: &mut Ordered) {
        // Cheap tests first: they may save the evaluation of a quantifier.
        let (quick, slow): (Vec<usize>, Vec<usize>) = closed.into_iter().partition(|&at| !has_binder(conjuncts[at]));
        for at in quick.into_iter().chain(slow) {
            let test = self.pred(conjuncts[at]);
            if !self.names().follows_from_type(&test, locals) {
                ordered.push(Action::Test(test), 1.0);
            }
        }
    }

    /// Makes a candidate the next action.
    fn take(&mut self, mut candidate: Candidate<'_>, remainder: &mut Remainder<'_, '_>, ordered: &mut Ordered) {
        let mut bound = Vec::new();
        if let How::Within(tried, how) = candidate.how {
            ordered.push(Action::Cut(Box::new(tried)), 1.0);
            candidate.how = *how;
        }
        let action = self.action(candidate.how, &remainder.unbound, &mut bound);
        // A factor below one would hide that the generator runs for each binding of the names before it.
        ordered.push(action, candidate.cost.max(1.0));
        remainder.consume(&mut candidate.consumes);
        remainder.bind(bound);
    }

    /// The problem of finding values for all names left, under all conjuncts left.
    fn problem_left(&mut self, left: Unordered<'_, '_>, span: Span) -> Option<Problem> {
        let names: Vec<(Slot, Type)> = left.names().cloned().collect();
        let conjuncts: Vec<&Pred> = left.conjuncts().map(|(_, pred)| pred).collect();
        self.problem(&names, &conjuncts, span)
    }

    /// The next candidate: `best`; a disjunction or existential if `best` is expensive and that is cheaper; a fallback if there is neither.
    fn branches_or_fallback<'p>(
        &mut self,
        mut best: Option<Candidate<'p>>,
        left: Unordered<'_, 'p>,
        Wish { depth, first, .. }: Wish,
        span: Span,
    ) -> Option<Candidate<'p>> {
        // Each branch is ordered as a separate search, possibly with branches: too much work if the generators are good enough.
        if best.as_ref().is_none_or(|best| best.cost > BRANCHES_TRIED_ABOVE.get()) && self.may_branch(depth) {
            let limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
            // Only candidates cheaper than `limit` are returned.
            best = self.branch_candidate(left, depth, limit).or(best);
        }
        if first.is_some() {
            return best;
        }
        best.or_else(|| Fallback::ALL.into_iter().find_map(|fallback| self.fallback(fallback, left, depth, span)))
    }

    fn may_branch(&self, depth: usize) -> bool {
        depth < BRANCH_DEPTH.get() && self.branches_left > 0
    }

    fn fallback<'p>(&mut self, fallback: Fallback, left: Unordered<'_, 'p>, depth: usize, span: Span) -> Option<Candidate<'p>> {
        let may_branch = self.may_branch(depth);
        let cut = self.position().cut;
        match fallback {
            Fallback::Implication if may_branch => self.implication_candidate(left, depth),
            Fallback::Interval if may_branch => self.interval_candidate(left, depth),
            Fallback::Disjunction if may_branch => self.disjunction_candidate(left, depth),
            Fallback::Late => implied::late_candidate(&self.names(), left),
            Fallback::FilledSet => implied::filled_set(&self.names(), left),
            Fallback::CutBranches if cut == Cut::OutsideBranches && depth == 0 => {
                self.within(self.position().cutting(Cut::InBranches), |this| this.branch_candidate(left, depth, f64::INFINITY))
            }
            Fallback::WithinBounds if cut == Cut::InBranches || cut == Cut::OutsideBranches && depth == 0 => {
                self.candidate_within_bounds(left, span)
            }
            Fallback::SequenceOverBoth => sequences::sequence_over_both(&self.names(), left),
            Fallback::Implication | Fallback::Interval | Fallback::Disjunction | Fallback::CutBranches | Fallback::WithinBounds => None,
        }
    }

    fn action(&mut self, how: How<'_>, unbound: &BTreeSet<Slot>, bound: &mut Vec<Slot>) -> Action {
        match how {
            How::Bind(pattern, value) => {
                let pattern = self.pattern(pattern, unbound, bound);
                Action::Bind(pattern, self.expr(value))
            }
            // The comprehensions of the value stay closures, which read the constant when they are applied.
            How::Recursive(slot, value) => {
                bound.push(slot);
                self.assume_one_solution(slot, value);
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
            How::Roots(found) => {
                bound.push(found.slot);
                Action::Roots(Box::new(self.roots(&found)))
            }
            How::Parts(slot, whole) => {
                bound.push(slot);
                let kind = ExprPlanKind::Parts(Box::new(self.expr(whole)));
                Action::Each(Pattern::Slot(slot), ExprPlan { kind, ty: Type::set(whole.ty.clone()), span: whole.span })
            }
            How::Within(_, how) => self.action(*how, unbound, bound),
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
}

impl Names<'_> {
    /// A conjunct that determines names uniquely, if there is one: no other candidate can be better.
    fn only_value<'p>(&self, remainder: &mut Remainder, conjuncts: &[&'p Pred]) -> Option<Candidate<'p>> {
        while let Some(at) = remainder.fresh.pop_first() {
            if remainder.remaining.binary_search(&at).is_err() {
                continue;
            }
            let mut only = None;
            self.direct_candidates(conjuncts[at], at, &remainder.unbound, &mut |candidate| {
                // A cost of 0 marks a candidate with a single value.
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
}

/// Values to try for a name that nothing bounds: a witness among them is as good as any.
fn samples_of(slot: Slot, left: Unordered<'_, '_>) -> Vec<Value> {
    let ty = left.names().find(|(local, _)| *local == slot).map_or(&Type::Bool, |(_, ty)| ty);
    let mut samples = samples(ty);
    if *ty == Type::Integer {
        let near = numbers_near(left.about(slot).map(|(_, pred)| pred)).into_iter().map(Value::integer);
        // Each value once, those of the type first.
        let new: Vec<Value> = near.filter(|number| !samples.contains(number)).collect();
        samples.extend(new);
    }
    samples
}

fn has_binder(pred: &Pred) -> bool {
    let mut found = false;
    bcheck_ir::walk_pred(pred, &mut |node| {
        found |= match node {
            bcheck_ir::Node::Pred(pred) => matches!(pred.kind, PredKind::Forall(..) | PredKind::Exists(..)),
            bcheck_ir::Node::Expr(expr) => matches!(expr.kind, ExprKind::Comprehension { .. } | ExprKind::Binder { .. }),
            bcheck_ir::Node::Subst(_) => false,
        };
    });
    found
}

/// A few integers next to the numbers in some conjuncts, in order.
fn numbers_near<'p>(conjuncts: impl Iterator<Item = &'p Pred>) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    for pred in conjuncts {
        bcheck_ir::walk_pred(pred, &mut |node| {
            if let bcheck_ir::Node::Expr(Expr { kind: ExprKind::Integer(number), .. }) = node
                && let Some(number) = number.to_i64()
                && found.len() < NEAR_NUMBERS.get()
            {
                found.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
            }
        });
    }
    found
}
