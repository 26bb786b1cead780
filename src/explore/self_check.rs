//! A look at some reachable states, without reduction, whether permutations are symmetries of the machine: succ(g·s) = g·succ(s).
//!
//! What the analysis of the text says is a proof; this is a test of it, and of the evaluator. Invariant: a doubt is a real difference,
//! found in the plain evaluator; finding none proves nothing. Deliberately elsewhere: what is done about a doubt (`cli`).

use super::trace::operations;
use crate::eval::{EvalError, EvalErrorKind, Machine, Successors};
use crate::ir::OperationId;
use crate::symmetry::Permutation;
use crate::value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct SampleLimits {
    /// Valuations of the constants.
    pub set_ups: usize,
    /// Initial states of each.
    pub initial: usize,
    /// States in all.
    pub states: usize,
}

impl Default for SampleLimits {
    fn default() -> Self {
        Self { set_ups: 20, initial: 500, states: 300 }
    }
}

/// A permutation that is not a symmetry, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The permutation.
    pub permutation: Permutation,
    /// A state, or a valuation of the constants.
    pub state: Valuation,
    /// What differs there.
    pub difference: Difference,
}

/// What differs between a state and its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The image of these constants does not satisfy PROPERTIES.
    SetUp,
    /// The initial states of these constants.
    Initial,
    /// The steps of this operation, or where it is ill-defined.
    Steps(OperationId),
    /// Whether the invariant holds.
    Invariant,
    /// Whether the assertions hold.
    Assertions,
    /// Whether the goal is reached.
    Goal,
}

/// Looks for a permutation among these that is not a symmetry; `None` if no state of the sample shows one.
#[must_use]
pub fn doubt(machine: &Machine, permutations: &[Permutation], limits: SampleLimits) -> Option<Doubt> {
    let sample = Sample { machine, permutations, limits };
    let (set_ups, are_all) = first(limits.set_ups, |visit| machine.for_each_setup(visit))?;
    if are_all {
        let known: FxHashSet<&Valuation> = set_ups.iter().collect();
        for set_up in &set_ups {
            let doubt = sample.find(|permutation| !known.contains(&permutation.apply_all(set_up)));
            if let Some(permutation) = doubt {
                return Some(Doubt { permutation, state: set_up.clone(), difference: Difference::SetUp });
            }
        }
    }
    let mut waiting = VecDeque::new();
    let mut met = FxHashSet::default();
    for set_up in &set_ups {
        let Some((initial, are_all)) = sample.initial(set_up) else { continue };
        if are_all {
            let known: FxHashSet<&Valuation> = initial.iter().collect();
            let doubt = sample.find(|permutation| {
                let there = sample.initial(&permutation.apply_all(set_up));
                there.is_some_and(|(there, _)| {
                    there.len() != known.len() || initial.iter().any(|state| !there.contains(&permutation.apply_all(state)))
                })
            });
            if let Some(permutation) = doubt {
                return Some(Doubt { permutation, state: set_up.clone(), difference: Difference::Initial });
            }
        }
        waiting.extend(initial.into_iter().filter(|state| met.insert(state.clone())));
    }
    let mut looked_at = 0;
    while let Some(state) = waiting.pop_front() {
        if looked_at == limits.states {
            break;
        }
        looked_at += 1;
        if let Some(doubt) = sample.properties(&state) {
            return Some(doubt);
        }
        for operation in operations(machine) {
            let Ok(steps) = machine.successors(&state, operation) else { return None };
            let doubt = sample.find(|permutation| sample.steps_differ(&state, &steps, operation, permutation));
            if let Some(permutation) = doubt {
                return Some(Doubt { permutation, state, difference: Difference::Steps(operation) });
            }
            let next = steps.steps.into_iter().map(|step| step.next).take(limits.states);
            waiting.extend(next.filter(|state| met.len() < 4 * limits.states && met.insert(state.clone())));
        }
    }
    None
}

struct Sample<'a> {
    machine: &'a Machine,
    permutations: &'a [Permutation],
    limits: SampleLimits,
}

impl Sample<'_> {
    /// The first permutation for which this is so.
    fn find(&self, differs: impl Fn(&Permutation) -> bool) -> Option<Permutation> {
        self.permutations.iter().find(|permutation| differs(permutation)).cloned()
    }

    fn initial(&self, set_up: &[Value]) -> Option<(Vec<Valuation>, bool)> {
        first(self.limits.initial, |visit| self.machine.for_each_initial(set_up, visit))
    }

    fn properties(&self, state: &[Value]) -> Option<Doubt> {
        [Difference::Invariant, Difference::Assertions, Difference::Goal].into_iter().find_map(|difference| {
            let here = self.property(difference, state);
            let permutation = self.find(|permutation| self.property(difference, &permutation.apply_all(state)) != here)?;
            Some(Doubt { permutation, state: state.to_vec(), difference })
        })
    }

    /// Whether one of the properties fails (or the goal holds) in a state; nothing where it is ill-defined.
    fn property(&self, which: Difference, state: &[Value]) -> Option<bool> {
        let machine = self.machine;
        match which {
            Difference::Invariant => machine.violated_invariant(state).ok().map(|violated| violated.is_some()),
            Difference::Assertions => {
                let statics = machine.violated_assertion(state, true).ok()?.is_some();
                Some(statics || machine.violated_assertion(state, false).ok()?.is_some())
            }
            Difference::Goal => machine.is_goal(state).ok(),
            Difference::SetUp | Difference::Initial | Difference::Steps(_) => None,
        }
    }

    fn steps_differ(&self, state: &[Value], here: &Successors, operation: OperationId, permutation: &Permutation) -> bool {
        let there = match self.machine.successors(&permutation.apply_all(state), operation) {
            Ok(there) => there,
            Err(EvalError { kind: EvalErrorKind::Interrupted, .. }) => return false,
            Err(_) => return true,
        };
        let steps: FxHashSet<(Vec<Value>, Vec<Option<Value>>, Valuation)> =
            there.steps.into_iter().map(|step| (step.arguments, step.results, step.next)).collect();
        let image = |value: &Option<Value>| value.as_ref().map(|value| permutation.apply(value));
        let all_there = here.steps.iter().all(|step| {
            steps.contains(&(
                permutation.apply_all(&step.arguments),
                step.results.iter().map(image).collect(),
                permutation.apply_all(&step.next),
            ))
        });
        let ill_defined: FxHashSet<&Vec<Value>> = there.ill_defined.iter().map(|(arguments, _)| arguments).collect();
        let ill_too = here.ill_defined.iter().all(|(arguments, _)| ill_defined.contains(&permutation.apply_all(arguments)));
        !all_there
            || !ill_too
            || steps.len() != here.steps.len()
            || there.ill_defined.len() != here.ill_defined.len()
            || there.ill_defined_guard.is_some() != here.ill_defined_guard.is_some()
    }
}

type Visit<'v> = dyn FnMut(Valuation) -> ControlFlow<()> + 'v;

/// The first things that an enumeration visits, and whether they are all; `None` if it cannot be carried out.
fn first(limit: usize, enumerate: impl FnOnce(&mut Visit<'_>) -> Result<(), EvalError>) -> Option<(Vec<Valuation>, bool)> {
    let mut found = Vec::new();
    let mut are_all = true;
    let result = enumerate(&mut |valuation| {
        if found.len() == limit {
            are_all = false;
            return ControlFlow::Break(());
        }
        found.push(valuation);
        ControlFlow::Continue(())
    });
    result.is_ok().then_some((found, are_all))
}
