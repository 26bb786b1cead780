//! The sizes of deferred sets with which PROPERTIES have a solution, when they have none with those of this run.
//!
//! Invariant: a solution has been found with the sizes named; if none are named, there may still be some. Candidates come nearest first,
//! and larger before smaller, so that of the sizes of one set the nearest that has a solution within the budget is named. Budgets count
//! work, not time, so the result is always the same. Deliberately elsewhere: sizes that follow from the form of a conjunct, before anything
//! is searched (`sema::hints`).

use super::contradiction::{Answer, Subproblem};
use crate::eval::compile::Compiler;
use crate::eval::run::frame::Context;
use crate::ir::{GivenSetKind, Scope, SetId};
use std::cell::Cell;
use std::sync::Arc;

/// The work budgets of one candidate and of all together (`Frame::limit_work`).
const BUDGET: u32 = 16;
const TOTAL: u32 = 128;

/// By how much the size of one set may differ from that of this run, and the sizes of two sets together.
const FARTHEST: u32 = 8;
const FARTHEST_OF_TWO: u32 = 4;

/// The number of conjuncts whose compilation counts as one unit of the budget.
const CONJUNCTS_AT_ONCE: usize = 64;

/// The first candidate that has a solution: the sets whose sizes change, with their new sizes. Empty if none was found.
pub(super) fn nearest(context: &Context) -> Vec<(SetId, u32)> {
    let Context { model, scope, interrupt, .. } = context;
    let deferred: Vec<SetId> =
        (0u16..).zip(model.sets.values()).filter(|(_, set)| matches!(set.kind, GivenSetKind::Deferred)).map(|(id, _)| SetId(id)).collect();
    let conjuncts: Vec<usize> = (0..model.properties.len()).collect();
    let left = Cell::new(TOTAL);
    let compiling = u32::try_from(conjuncts.len() / CONJUNCTS_AT_ONCE).unwrap_or(TOTAL);
    let satisfies = |sizes: &[(SetId, u32)]| {
        // Each candidate is compiled anew, because plans contain sizes; that is work too.
        left.set(left.get().saturating_sub(compiling));
        if left.get() == 0 {
            return false;
        }
        let mut scope = scope.clone();
        for (set, size) in sizes {
            scope.sizes[set.index()] = *size;
        }
        let context = Compiler::new(model, &scope, Arc::clone(interrupt)).context;
        // Folding gets a budget too: with larger sets, a closed expression may be too large to evaluate.
        let subproblem = Subproblem { model, context: &context, left: &left, folding_work: Some(1) };
        subproblem.ask(&conjuncts, BUDGET) == Answer::Satisfiable
    };
    candidates(&deferred, scope).find(|sizes| satisfies(sizes)).unwrap_or_default()
}

/// The candidates in the order of trial: one set, then all sets of one size, then two sets.
fn candidates<'a>(deferred: &'a [SetId], scope: &'a Scope) -> impl Iterator<Item = Vec<(SetId, u32)>> + 'a {
    let others = |set: SetId, distance: u32| {
        let size = scope.size(set);
        [size.checked_add(distance), size.checked_sub(distance)].into_iter().flatten().filter(|size| *size > 0)
    };
    let of_one = (1..=FARTHEST)
        .flat_map(move |distance| deferred.iter().flat_map(move |&set| others(set, distance).map(move |size| vec![(set, size)])));
    // With one set, these have been tried.
    let same = (1..=FARTHEST).filter(|_| deferred.len() > 1).map(|size| deferred.iter().map(|set| (*set, size)).collect());
    let pairs = deferred.iter().enumerate().flat_map(|(at, first)| deferred[at + 1..].iter().map(move |second| (*first, *second)));
    let of_two = pairs.flat_map(move |(first, second)| {
        let distances = (2..=FARTHEST_OF_TWO).flat_map(|sum| (1..sum).map(move |part| (part, sum - part)));
        distances.flat_map(move |(one, other)| {
            others(first, one).flat_map(move |size| others(second, other).map(move |other| vec![(first, size), (second, other)]))
        })
    });
    of_one.chain(same).chain(of_two)
}
