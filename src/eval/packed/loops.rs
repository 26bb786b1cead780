//! Loop transformations of a search: membership tests that become intersections, and inner sets that are evaluated once.
//!
//! Invariant: the same bindings are visited in the same order as if every action ran by itself.
//! Deliberately elsewhere: compiling the actions (`search`), running them (`visit`).

use super::types::{PackedTypes, is_symbolic_set};
use crate::plan::{Action, ExprPlan, ExprPlanKind, Pattern, PredPlan, PredPlanKind, Search, Slot};
use bcheck_ir::Comparison;

/// An action, with the tests that it takes over from the actions behind it.
pub(super) type Merged<'p> = (&'p Action, Vec<Lookup<'p>>);

/// The actions of a search, each with the tests that it takes over: where all elements of a set are next looked up in another
/// set, and sets are single words, the two are intersected instead.
/// Sets of several words are left alone: a test reads one bit of them, an intersection would write them all.
// Which names are tried only in a range is computed on the general tier.
pub(super) fn merged<'p>(types: &PackedTypes<'_>, search: &'p Search) -> Vec<Merged<'p>> {
    let mut merged: Vec<Merged<'_>> = Vec::new();
    let mut actions = search.actions.iter().filter(|action| !matches!(action, Action::Cut(_))).peekable();
    while let Some(action) = actions.next() {
        let mut tests = Vec::new();
        if let Action::Each(Pattern::Slot(slot), set) = action
            // A symbolic set is enumerated by a search of its own; there are no words of it to intersect.
            && !is_symbolic_set(set)
            && let Some(universe) = types.universe(&set.ty)
            && universe.mask_words() == 1
        {
            // Bit n of both masks must denote the same value.
            let same = |test: &Lookup<'_>| types.universe(&test.set.ty).as_ref() == Some(&universe);
            // Only tests that follow at once: one that is moved over another action could be ill-defined for bindings that this
            // action rejects.
            while let Some(test) = actions.peek().and_then(|next| Lookup::of(next, *slot)).filter(same) {
                tests.push(test);
                actions.next();
            }
        }
        merged.push((action, tests));
    }
    merged
}

/// Whether the last two actions are loops over names, and the inner one is over a set that does not depend on the outer name, or over
/// the row of that name in a relation that does not.
pub(super) fn end_in_product(actions: &[Merged<'_>]) -> bool {
    let [.., (Action::Each(Pattern::Slot(outer), _), _), (Action::Each(pattern, set), tests)] = actions else { return false };
    let is_loop = match pattern {
        Pattern::Slot(_) => true,
        // `outer |-> inner : r`: the relation is evaluated once, its row is another one for each outer element.
        Pattern::Pair(first, second) => {
            matches!(&**second, Pattern::Slot(_))
                && matches!(&**first, Pattern::Equal(ExprPlan { kind: ExprPlanKind::Slot(row), .. }) if row == outer)
        }
        Pattern::Equal(_) | Pattern::Solved { .. } | Pattern::Record(_) => false,
    };
    is_loop && is_free_of(set, *outer) && tests.iter().all(|test| is_free_of(test.set, *outer))
}

/// A test whether the value of a slot is in a set (or not in it) that does not depend on the slot.
pub(super) struct Lookup<'p> {
    pub(super) set: &'p ExprPlan,
    pub(super) is_in: bool,
}

impl<'p> Lookup<'p> {
    fn of(action: &'p Action, slot: Slot) -> Option<Self> {
        let Action::Test(PredPlan { kind: PredPlanKind::Compare(comparison, element, set), .. }) = action else { return None };
        let is_in = match comparison {
            Comparison::Member => true,
            Comparison::NotMember => false,
            _ => return None,
        };
        // The set must not read the slot: it is evaluated before the loop binds it.
        let is_its_value = matches!(element.kind, ExprPlanKind::Slot(own) if own == slot);
        (is_its_value && is_free_of(set, slot)).then_some(Self { set, is_in })
    }
}

/// Whether an expression surely does not read a slot; false also where its form is not looked into.
fn is_free_of(plan: &ExprPlan, slot: Slot) -> bool {
    match &plan.kind {
        ExprPlanKind::Value(_) => true,
        ExprPlanKind::Slot(own) => *own != slot,
        ExprPlanKind::Unary(_, operand) => is_free_of(operand, slot),
        ExprPlanKind::Binary(_, left, right) => is_free_of(left, slot) && is_free_of(right, slot),
        ExprPlanKind::SetExtension(items) => items.iter().all(|item| is_free_of(item, slot)),
        _ => false,
    }
}
