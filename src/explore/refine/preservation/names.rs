//! The meaning of the names of a refined machine in its refinement.
//!
//! Invariant: names are found only if the refined machine by itself, whose formulas were judged, is the one in the model of both: the same
//! variables, steps, sets and guards. Deliberately elsewhere: the names in formulas (`shape`).

use super::Obstacle;
use bcheck_eval::Machine;
use bcheck_ir::{GivenSetKind, Model, Operation, PredKind, Refinement, SubstKind};

/// The names of the refined machine, by their ids in its own model.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) variables: Vec<NamedVariable>,
    pub(super) operations: Vec<NamedOperation>,
}

#[derive(Debug)]
pub(super) struct NamedVariable {
    pub(super) name: String,
    /// The refinement has a variable of this name, which is equal in related states.
    pub(super) is_kept: bool,
}

#[derive(Debug)]
pub(super) struct NamedOperation {
    pub(super) name: String,
    /// The operations of the refinement that refine it.
    pub(super) refining: Vec<String>,
    /// The refinement has an operation of this name that does not.
    pub(super) is_other: bool,
}

impl Names {
    /// `both` is the model of both machines, `alone` the refined machine by itself.
    pub(super) fn of(both: &Model, refinement: &Refinement, alone: &Machine) -> Result<Self, Obstacle> {
        // An unbounded integer was tried in a range: "it holds" refers to that range only, which the refinement need not respect.
        if !alone.tried().is_empty() {
            return Err(Obstacle::Tried);
        }
        let own = alone.model();
        // States outside of SCOPE were not expanded, so the formula was judged on a part of the runs.
        if own.expanded.is_some() {
            return Err(Obstacle::Scope);
        }
        for (name, set) in &own.sets {
            let same = both.sets.get(name).is_some_and(|other| is_alike(&set.kind, &other.kind));
            if !same {
                return Err(Obstacle::Valued(name.clone()));
            }
        }
        let of_side = |name: &str| format!("{}::{name}", refinement.refined);
        let mut variables = Vec::new();
        // In a refinement by itself, the last variable has the states of the machines that it refines; no formula can name it.
        let count = own.variables.len() - usize::from(!own.within.is_empty());
        for name in own.variables.keys().take(count) {
            if !both.variables.contains_key(&of_side(name)) {
                return Err(Obstacle::Seen(name.clone()));
            }
            // Concrete variables come first in the model of both. Without a prefix a name is the refinement's, whether it is the same
            // variable or a seen one.
            let is_kept = both.variables.get_index_of(name).is_some_and(|index| index < refinement.concrete.len());
            variables.push(NamedVariable { name: name.clone(), is_kept });
        }
        let mut operations = Vec::new();
        for (name, operation) in &own.operations {
            let Some((index, _, found)) = both.operations.get_full(&of_side(name)) else { return Err(Obstacle::Seen(name.clone())) };
            // Formulas were judged on the machine by itself: `e(op)` and `[op]` have the same meaning there only with the same guards.
            if guards(operation) != guards(found) {
                return Err(Obstacle::Guard(name.clone()));
            }
            operations.push(named(both, refinement, name, index));
        }
        Ok(Self { variables, operations })
    }
}

/// The refinement of an operation of the refined machine; `index` is its index in the model of both.
fn named(both: &Model, refinement: &Refinement, name: &str, index: usize) -> NamedOperation {
    let mut refining = Vec::new();
    let mut is_other = false;
    for own in &refinement.operations {
        let own_name = both.operation_name(own.operation);
        if own.refined.is_some_and(|refined| refined.index() == index) {
            refining.push(own_name.to_owned());
        } else {
            is_other |= own_name == name;
        }
    }
    NamedOperation { name: name.to_owned(), refining, is_other }
}

fn is_alike(one: &GivenSetKind, other: &GivenSetKind) -> bool {
    match (one, other) {
        (GivenSetKind::Deferred, GivenSetKind::Deferred) => true,
        (GivenSetKind::Enumerated(one), GivenSetKind::Enumerated(other)) => one == other,
        _ => false,
    }
}

/// The number of conjuncts that guard an operation. An operation read with and without the preconditions from further up has different
/// numbers.
fn guards(operation: &Operation) -> usize {
    let mut count = 0;
    let mut body = &operation.body;
    while let SubstKind::Pre { pred, body: inner, is_guard: true } = &body.kind {
        count += match &pred.kind {
            PredKind::And(conjuncts) => conjuncts.len(),
            _ => 1,
        };
        body = inner;
    }
    count
}
