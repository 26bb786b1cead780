//! The sizes of deferred sets with which PROPERTIES have a solution, when they have none with those of this run.
//!
//! Invariant: a solution has been found with the sizes named; if none are named, there may still be some. Candidates come nearest first,
//! and larger before smaller, so that of the sizes of one set the nearest that has a solution within the budget is named. Budgets count
//! work, not time, so the result is always the same. Deliberately elsewhere: sizes that follow from the form of a conjunct, before anything
//! is searched (`sema::hints`).

pub(crate) use super::contradiction::Answer;
use super::contradiction::Subproblem;
use crate::compile::Compiler;
use crate::run::context::Context;
use crate::thresholds::{CONJUNCTS_OF_WORK, OTHER_SIZE_DISTANCE, OTHER_SIZE_WORK, OTHER_SIZES_DISTANCE, OTHER_SIZES_WORK};
use bcheck_ir::{GivenSetKind, Model, Scope, SetId};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The first candidate that has a solution: the sets whose sizes change, with their new sizes. Empty if none was found.
pub(super) fn nearest(context: &Context) -> Vec<(SetId, u32)> {
    let Context { model, scope, interrupt, .. } = context;
    let deferred: Vec<SetId> =
        (0u16..).zip(model.sets.values()).filter(|(_, set)| matches!(set.kind, GivenSetKind::Deferred)).map(|(id, _)| SetId(id)).collect();
    nearest_of(model, scope, &deferred, interrupt).unwrap_or_default()
}

/// Sizes of some sets.
pub(crate) type Sizes = Vec<(SetId, u32)>;

/// As [`nearest`], where only some sets may change; an error has the sizes of one set alone that are known to have no solution.
pub(crate) fn nearest_of(model: &Arc<Model>, scope: &Scope, free: &[SetId], interrupt: &Arc<AtomicBool>) -> Result<Sizes, Sizes> {
    let left = Cell::new(OTHER_SIZES_WORK.get());
    let compiling = u32::try_from(model.properties.len() / CONJUNCTS_OF_WORK.get()).unwrap_or(OTHER_SIZES_WORK.get());
    let mut contradictory = Vec::new();
    for sizes in candidates(free, scope) {
        // Each candidate is compiled anew, because plans contain sizes; that also counts as work.
        left.set(left.get().saturating_sub(compiling));
        if left.get() == 0 {
            break;
        }
        let mut scope = scope.clone();
        for (set, size) in &sizes {
            scope.sizes[set.index()] = *size;
        }
        match solvable(model, &scope, interrupt, (&left, OTHER_SIZE_WORK.get())) {
            Answer::Satisfiable => return Ok(sizes),
            Answer::Contradictory if sizes.len() == 1 => contradictory.extend(sizes),
            _ => {}
        }
    }
    Err(contradictory)
}

/// Whether PROPERTIES have a solution with these sizes and bounds, as far as it can be decided within a budget, which is taken from
/// `left`.
pub(crate) fn solvable(model: &Arc<Model>, scope: &Scope, interrupt: &Arc<AtomicBool>, (left, budget): (&Cell<u32>, u32)) -> Answer {
    if left.get() == 0 {
        return Answer::Unknown;
    }
    let context = Compiler::new(model, scope, Arc::clone(interrupt)).context;
    // Folding gets a budget too: with larger sets, a closed expression may be too large to evaluate.
    let subproblem = Subproblem { model, context: &context, left, folding_work: Some(1) };
    subproblem.ask(&(0..model.properties.len()).collect::<Vec<_>>(), budget)
}

/// The candidates in the order of trial: one set, then all sets of one size, then two sets.
fn candidates<'a>(deferred: &'a [SetId], scope: &'a Scope) -> impl Iterator<Item = Vec<(SetId, u32)>> + 'a {
    let others = |set: SetId, distance: u32| {
        let size = scope.size(set);
        [size.checked_add(distance), size.checked_sub(distance)].into_iter().flatten().filter(|size| *size > 0)
    };
    let of_one = (1..=OTHER_SIZE_DISTANCE.get())
        .flat_map(move |distance| deferred.iter().flat_map(move |&set| others(set, distance).map(move |size| vec![(set, size)])));
    // With one set, these have been tried.
    let same = (1..=OTHER_SIZE_DISTANCE.get()).filter(|_| deferred.len() > 1).map(|size| deferred.iter().map(|set| (*set, size)).collect());
    let pairs = deferred.iter().enumerate().flat_map(|(at, first)| deferred[at + 1..].iter().map(move |second| (*first, *second)));
    let of_two = pairs.flat_map(move |(first, second)| {
        let distances = (2..=OTHER_SIZES_DISTANCE.get()).flat_map(|sum| (1..sum).map(move |part| (part, sum - part)));
        distances.flat_map(move |(one, other)| {
            others(first, one).flat_map(move |size| others(second, other).map(move |other| vec![(first, size), (second, other)]))
        })
    });
    of_one.chain(same).chain(of_two)
}
