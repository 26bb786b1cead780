//! The greedy order: at each point the tests that can be run, then the cheapest generator, until all names are bound.
//!
//! Invariant: a conjunct is left out of the actions only where the generator taken implies it. Deliberately elsewhere: the generators
//! themselves (`generators` and the analyses beside it), which of several orders is taken (`mod`).

use super::candidate::{Candidate, How};
use super::conjunction::{Agenda, Conjunction, Unordered};
use crate::eval::compile::Compiler;
use crate::eval::compile::names::Names;
use crate::eval::compile::position::Cut;
use crate::eval::plan::problem::Problem;
use crate::eval::plan::{Action, ExprPlan, ExprPlanKind, Pattern, Slot};
use crate::ir::{Expr, ExprKind, Pred, PredKind, Type};
use crate::source::Span;
use crate::value::Value;
use crate::value::samples::samples;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Above this estimated cost a disjunction or existential is tried as a generator.
const TRY_BRANCHES_ABOVE: f64 = 64.0;

/// How deep branches are tried inside branches.
const BRANCH_DEPTH: usize = 4;

/// Numbers next to those of the text that are tried for a name that nothing bounds.
const MOST_NEAR: usize = 12;

/// What is asked of an order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish {
    /// How many branches this search is inside of.
    pub(super) depth: usize,
    /// The name that is bound first, unless another one costs nothing.
    pub(super) first: Option<Slot>,
    /// Whether names without a cheap generator are left to the solver together.
    pub(super) solves: bool,
}

/// An order of conjuncts.
pub(super) struct Ordered {
    pub(super) actions: Vec<Action>,
    /// The estimated number of bindings visited.
    pub(super) cost: f64,
    /// The names and conjuncts that are left to the solver, and the position of its action among the others.
    pub(super) problem: Option<(usize, Problem)>,
}

/// What is tried, in this order, where no conjunct is a generator.
#[derive(Clone, Copy, Debug)]
enum Fallback {
    /// `P => Q` with P known: names that Q bounds where P holds, and the other conjuncts where it does not.
    Implication,
    /// `a .. b = S` with S known.
    Interval,
    /// A disjunction that bounds its names in every branch.
    Disjunction,
    /// An argument from the domain of its function; `x + 1 : S` solved for x.
    Late,
    /// A set that has no room for more than the elements that memberships put into it.
    FilledSet,
    /// In a choice of the machine: a disjunction that bounds the name in some branches; in the others it is tried within bounds.
    CutBranches,
    /// In a choice of the machine: integers from MININT to MAXINT, and what is made of them.
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
        let Wish { depth, first, solves } = wish;
        let (names, says) = if !solves { self.bounded_sizes(locals, conjuncts) } else { (Vec::new(), Vec::new()) };
        let extended: (Vec<(Slot, Type)>, Vec<&Pred>);
        let (locals, conjuncts) = if says.is_empty() {
            (locals, conjuncts)
        } else {
            extended = (locals.iter().cloned().chain(names).collect(), conjuncts.iter().copied().chain(&says).collect());
            (extended.0.as_slice(), extended.1.as_slice())
        };
        let conjunction = Conjunction::new(self.names(), locals, conjuncts);
        let mut agenda = Agenda::new(&conjunction);
        let mut ordered = Ordered { actions: Vec::new(), cost: 1.0, problem: None };
        loop {
            let closed = agenda.take_closed();
            // Simple tests first: a quantifier is worth waiting for.
            let (quick, slow): (Vec<usize>, Vec<usize>) = closed.into_iter().partition(|&at| !has_binder(conjuncts[at]));
            for at in quick.into_iter().chain(slow) {
                let test = self.pred(conjuncts[at]);
                if !self.names().follows_from_type(&test, locals) {
                    ordered.actions.push(Action::Test(test));
                }
            }
            if agenda.unbound.is_empty() {
                return ordered;
            }
            if let Some(mut only) = self.names().only_value(&mut agenda, conjuncts) {
                agenda.consume(&mut only.consumes);
                let mut bound = Vec::new();
                ordered.actions.push(self.action(only.how, &agenda.unbound, &mut bound));
                agenda.bind(bound, &conjunction);
                continue;
            }
            let left = agenda.left(&conjunction);
            let first = first.filter(|slot| left.unbound.contains(slot));
            let mut best = self.names().best_candidate(left, first);
            if solves && ordered.problem.is_none() && best.as_ref().is_none_or(|best| best.cost > 1.0) {
                let names: Vec<(Slot, Type)> = left.names().cloned().collect();
                let others: Vec<&Pred> = left.conjuncts().map(|(_, pred)| pred).collect();
                if let Some(problem) = self.problem(&names, &others, span) {
                    agenda.bind(problem.slots(), &conjunction);
                    ordered.problem = Some((ordered.actions.len(), problem));
                    continue;
                }
            }
            if best.as_ref().is_none_or(|best| best.cost > TRY_BRANCHES_ABOVE) && depth < BRANCH_DEPTH {
                let limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
                best = self.branch_candidate(left, depth, limit).or(best);
            }
            let best = best.or_else(|| Fallback::ALL.into_iter().find_map(|fallback| self.fallback(fallback, left, depth, span)));
            let Some(mut best) = best else {
                let slot = *left.unbound.first().expect("not empty");
                let name = format!("`{}`", self.context.slot_names[slot]);
                let ty = locals.iter().find(|(local, _)| *local == slot).map_or(&Type::Bool, |(_, ty)| ty);
                let mut samples = samples(ty);
                if *ty == Type::Integer {
                    samples.extend(numbers_near(left.about(slot).map(|(_, pred)| pred)));
                }
                ordered.actions.push(Action::Unbounded { slot, samples, name, span });
                agenda.bind([slot], &conjunction);
                ordered.cost = f64::INFINITY;
                continue;
            };
            ordered.cost *= best.cost.max(1.0);
            let mut bound = Vec::new();
            ordered.actions.push(self.action(best.how, left.unbound, &mut bound));
            agenda.consume(&mut best.consumes);
            agenda.bind(bound, &conjunction);
        }
    }

    fn fallback<'p>(&mut self, fallback: Fallback, left: Unordered<'_, 'p>, depth: usize, span: Span) -> Option<Candidate<'p>> {
        let may_branch = depth < BRANCH_DEPTH;
        let cut = self.position().cut;
        match fallback {
            Fallback::Implication if may_branch => self.implication_candidate(left, depth),
            Fallback::Interval if may_branch => self.interval_candidate(left, depth),
            Fallback::Disjunction if may_branch => self.disjunction_candidate(left, depth),
            Fallback::Late => self.names().late_candidate(left),
            Fallback::FilledSet => self.names().filled_set(left),
            Fallback::CutBranches if cut == Cut::OutsideBranches && depth == 0 => {
                self.within(self.position().cutting(Cut::InBranches), |this| this.branch_candidate(left, depth, f64::INFINITY))
            }
            Fallback::WithinBounds if cut == Cut::InBranches || cut == Cut::OutsideBranches && depth == 0 => {
                self.candidate_within_bounds(left, span)
            }
            Fallback::SequenceOverBoth => self.names().sequence_over_both(left),
            Fallback::Implication | Fallback::Interval | Fallback::Disjunction | Fallback::CutBranches | Fallback::WithinBounds => None,
        }
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
}

impl Names<'_> {
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
