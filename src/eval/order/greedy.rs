//! The greedy order: at each point the tests that can be run, then the cheapest generator, until all names are bound.
//!
//! Invariant: a conjunct is left out of the actions only where the generator taken implies it. Deliberately elsewhere: the generators
//! (`generators` and the analyses beside it), the choice among several orders (`mod`).

use super::branches::{branch_candidate, disjunction_candidate, implication_candidate, interval_candidate};
use super::branching::Branching;
use super::candidate::{Candidate, How};
use super::conjunction::{Conjunction, Remainder, Unordered};
use super::generators::{best_candidate, direct_candidates};
use super::pattern::pattern_of;
use super::problem::problem_of;
use super::recurrence::recurrence_plan;
use super::roots::root_plan;
use super::sequences::bounded_sizes;
use super::totals::total_plan;
use super::within_bounds::candidate_within_bounds;
use super::{choose_from, implied, sequences};
use crate::compile::Compiler;
use crate::compile::cost::clamped;
use crate::compile::names::Names;
use crate::compile::position::Cut;
use crate::compile::recursion::{assume_one_solution, recursive};
use crate::plan::problem::Problem;
use crate::plan::{Action, ExprPlan, ExprPlanKind, Pattern, Slot};
use crate::thresholds::{BRANCHES_TRIED_ABOVE, NEAR_NUMBERS, ORDERED_BRANCHES};
use bcheck_ir::{Expr, ExprKind, Pred, PredKind, Type};
use bcheck_source::Span;
use bcheck_value::Value;
use bcheck_value::samples::samples;
use num_traits::ToPrimitive;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The requirements on an order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish<'b> {
    /// The branches around this search, if it is one of a branch.
    pub(super) around: Option<Branching<'b>>,
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

/// Orders the conjuncts into actions and estimates how many bindings are visited.
pub(super) fn order(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, wish: Wish<'_>) -> Ordered {
    // Branches share the remaining budget of the order that they belong to. An order may be nested in another without belonging to it:
    // that of a comprehension in a conjunct.
    let own = Cell::new(ORDERED_BRANCHES.get());
    let branching = wish.around.unwrap_or(Branching::outermost(&own));
    if wish.around.is_some() {
        branching.take_one();
    }
    // Sequences are not encoded for the solver, so names for their sizes would only be more to solve.
    // Names for the lengths of sequences, bounded by conjuncts: then a sequence is generated within a length instead of being infinite.
    let (names, sizes) = if wish.solves { (Vec::new(), Vec::new()) } else { bounded_sizes(compiler, locals, conjuncts) };
    if sizes.is_empty() {
        return greedy(compiler, locals, conjuncts, span, wish, branching);
    }
    let locals: Vec<(Slot, Type)> = locals.iter().cloned().chain(names).collect();
    let conjuncts: Vec<&Pred> = conjuncts.iter().copied().chain(&sizes).collect();
    greedy(compiler, &locals, &conjuncts, span, wish, branching)
}

fn greedy(
    compiler: &mut Compiler<'_>,
    locals: &[(Slot, Type)],
    conjuncts: &[&Pred],
    span: Span,
    wish: Wish<'_>,
    branching: Branching<'_>,
) -> Ordered {
    let conjunction = Conjunction::new(compiler.names(), locals, conjuncts);
    let mut remainder = Remainder::new(&conjunction);
    let mut ordered = Ordered { actions: Vec::new(), factors: Vec::new(), cost: 1.0, problem: None };
    // Each round binds a name or, once, passes some to the solver: the loop ends.
    loop {
        let closed = remainder.take_closed();
        test(compiler, closed, locals, conjuncts, &mut ordered);
        if remainder.unbound.is_empty() {
            return ordered;
        }
        if let Some(only) = only_value(&compiler.names(), &mut remainder, conjuncts) {
            take(compiler, only, &mut remainder, &mut ordered);
            continue;
        }
        // No action is undone. The caller tries other orders, with another name first or with the solver (`mod`).
        let left = remainder.left();
        let first = wish.first.filter(|slot| left.unbound.contains(slot));
        let wished = first.and_then(|_| best_candidate(&compiler.names(), left, first));
        let best = wished.or_else(|| best_candidate(&compiler.names(), left, None));
        // From the first real choice on all names are solved together, once; names that the problem leaves open are ordered after it.
        if wish.solves
            && ordered.problem.is_none()
            && best.as_ref().is_none_or(|best| best.cost > 1.0)
            && let Some(problem) = problem_left(compiler, left, span)
        {
            remainder.bind(problem.slots());
            ordered.problem = Some((ordered.actions.len(), problem));
            continue;
        }
        if let Some(best) = branches_or_fallback(compiler, best, left, (branching, wish.first.is_some()), span) {
            take(compiler, best, &mut remainder, &mut ordered);
        } else {
            // Where no generator is left, the actions after this one run for the samples only. They are ordered as for any other name.
            // A set that is too large to be enumerated is one to choose from all the same.
            let names = compiler.names();
            let set_for = |&slot: &Slot| {
                let set = conjuncts.iter().find_map(|pred| choose_from::set_to_choose_from(&names, pred, slot, left.unbound))?;
                Some((slot, set))
            };
            if compiler.position().is_choice()
                && branching.depth == 0
                && let Some((slot, set)) = left.unbound.iter().find_map(set_for)
            {
                let set = compiler.expr(set);
                ordered.push(Action::Each(Pattern::Slot(slot), set), f64::INFINITY);
                remainder.bind([slot]);
                continue;
            }
            let slot = *left.unbound.first().expect("not empty");
            let samples = samples_of(slot, left);
            let name = format!("`{}`", compiler.context.slot_names[slot]);
            ordered.push(Action::Unbounded { slot, samples, name, span }, f64::INFINITY);
            remainder.bind([slot]);
        }
    }
}

/// Tests the conjuncts at some places, all of whose names have values.
fn test(compiler: &mut Compiler<'_>, closed: Vec<usize>, locals: &[(Slot, Type)], conjuncts: &[&Pred], ordered: &mut Ordered) {
    // Cheap tests first: they may save the evaluation of a quantifier.
    let (quick, slow): (Vec<usize>, Vec<usize>) = closed.into_iter().partition(|&at| !has_binder(conjuncts[at]));
    for at in quick.into_iter().chain(slow) {
        let test = compiler.pred(conjuncts[at]);
        if !compiler.names().follows_from_type(&test, locals) {
            ordered.push(Action::Test(test), 1.0);
        }
    }
}

/// Makes a candidate the next action.
fn take(compiler: &mut Compiler<'_>, mut candidate: Candidate<'_>, remainder: &mut Remainder<'_, '_>, ordered: &mut Ordered) {
    let mut bound = Vec::new();
    if let How::Within(tried, how) = candidate.how {
        ordered.push(Action::Cut(Box::new(tried)), 1.0);
        candidate.how = *how;
    }
    let action = action_of(compiler, candidate.how, &remainder.unbound, &mut bound);
    // A factor below one would hide that the generator runs for each binding of the names before it.
    ordered.push(action, candidate.cost.max(1.0));
    remainder.consume(&mut candidate.consumes);
    remainder.bind(bound);
}

/// The problem of finding values for all names left, under all conjuncts left.
fn problem_left(compiler: &mut Compiler<'_>, left: Unordered<'_, '_>, span: Span) -> Option<Problem> {
    let names: Vec<(Slot, Type)> = left.names().cloned().collect();
    let conjuncts: Vec<&Pred> = left.conjuncts().map(|(_, pred)| pred).collect();
    problem_of(compiler, &names, &conjuncts, span)
}

/// The next candidate: `best`; a disjunction or existential if `best` is expensive and that is cheaper; a fallback if there is neither.
fn branches_or_fallback<'p>(
    compiler: &mut Compiler<'_>,
    mut best: Option<Candidate<'p>>,
    left: Unordered<'_, 'p>,
    (branching, is_wished): (Branching<'_>, bool),
    span: Span,
) -> Option<Candidate<'p>> {
    // Each branch is ordered as a separate search, possibly with branches: too much work if the generators are good enough.
    if best.as_ref().is_none_or(|best| best.cost > BRANCHES_TRIED_ABOVE.get()) && branching.may_branch() {
        let limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
        // Only candidates cheaper than `limit` are returned.
        best = branch_candidate(compiler, left, branching, limit).or(best);
    }
    if is_wished {
        return best;
    }
    best.or_else(|| Fallback::ALL.into_iter().find_map(|fallback| fallback_candidate(compiler, fallback, left, branching, span)))
}

fn fallback_candidate<'p>(
    compiler: &mut Compiler<'_>,
    fallback: Fallback,
    left: Unordered<'_, 'p>,
    branching: Branching<'_>,
    span: Span,
) -> Option<Candidate<'p>> {
    let may_branch = branching.may_branch();
    let cut = compiler.position().cut;
    match fallback {
        Fallback::Implication if may_branch => implication_candidate(compiler, left, branching),
        Fallback::Interval if may_branch => interval_candidate(compiler, left, branching),
        Fallback::Disjunction if may_branch => disjunction_candidate(compiler, left, branching),
        Fallback::Late => implied::late_candidate(&compiler.names(), left),
        Fallback::FilledSet => implied::filled_set(&compiler.names(), left),
        Fallback::CutBranches if cut == Cut::OutsideBranches && branching.depth == 0 => compiler
            .within(compiler.position().cutting(Cut::InBranches), |compiler| branch_candidate(compiler, left, branching, f64::INFINITY)),
        Fallback::WithinBounds if cut == Cut::InBranches || cut == Cut::OutsideBranches && branching.depth == 0 => {
            candidate_within_bounds(compiler, left, span)
        }
        Fallback::SequenceOverBoth => sequences::sequence_over_both(&compiler.names(), left),
        Fallback::Implication | Fallback::Interval | Fallback::Disjunction | Fallback::CutBranches | Fallback::WithinBounds => None,
    }
}

fn action_of(compiler: &mut Compiler<'_>, how: How<'_>, unbound: &BTreeSet<Slot>, bound: &mut Vec<Slot>) -> Action {
    match how {
        How::Bind(pattern, value) => {
            let pattern = pattern_of(compiler, pattern, unbound, bound);
            Action::Bind(pattern, compiler.expr(value))
        }
        // The comprehensions of the value stay closures, which read the constant when they are applied.
        How::Recursive(slot, value) => {
            bound.push(slot);
            assume_one_solution(compiler, slot, value);
            Action::Bind(Pattern::Slot(slot), recursive(compiler, value))
        }
        How::Solve(slot, value) => {
            bound.push(slot);
            Action::Bind(Pattern::Slot(slot), compiler.expr(&value))
        }
        How::Each(pattern, set) => {
            let pattern = pattern_of(compiler, pattern, unbound, bound);
            Action::Each(pattern, compiler.expr(&set))
        }
        How::Subset(slot, set) => {
            bound.push(slot);
            Action::EachSubset(slot, compiler.expr(&set))
        }
        How::Recurrence(found) => {
            bound.push(found.slot);
            Action::Recurrence(Box::new(recurrence_plan(compiler, &found)))
        }
        How::Total(found) => {
            bound.push(found.slot);
            Action::Total(Box::new(total_plan(compiler, &found)))
        }
        How::Roots(found) => {
            bound.push(found.slot);
            Action::Roots(Box::new(root_plan(compiler, &found)))
        }
        How::Parts(slot, whole) => {
            bound.push(slot);
            let kind = ExprPlanKind::Parts(Box::new(compiler.expr(whole)));
            Action::Each(Pattern::Slot(slot), ExprPlan { kind, ty: Type::set(whole.ty.clone()), span: whole.span })
        }
        How::Within(_, how) => action_of(compiler, *how, unbound, bound),
        How::Range(slot, lower, upper) => {
            bound.push(slot);
            Action::Range { slot, lower: compiler.exprs(&lower), upper: compiler.exprs(&upper) }
        }
        How::Branches(slots, searches) => {
            bound.extend(&slots);
            Action::EachOf(slots, searches)
        }
        How::Values(slot, set) => {
            bound.push(slot);
            Action::Each(Pattern::Slot(slot), compiler.expr(&set))
        }
    }
}

/// A conjunct that determines names uniquely, if there is one: no other candidate can be better.
fn only_value<'p>(names: &Names<'_>, remainder: &mut Remainder, conjuncts: &[&'p Pred]) -> Option<Candidate<'p>> {
    while let Some(at) = remainder.fresh.pop_first() {
        if remainder.remaining.binary_search(&at).is_err() {
            continue;
        }
        let mut only = None;
        direct_candidates(names, conjuncts[at], at, &remainder.unbound, &mut |candidate| {
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
