//! Tests equivariance on a sample of reachable states: succ(g·s) = g·succ(s).
//!
//! What the analysis of the text says is a proof; this is a test of it, and of the evaluator. Invariant: a doubt is a real difference,
//! found in the plain evaluator; finding none proves nothing. Deliberately elsewhere: what is done about a doubt (`cli`).

use super::space::state_lines;
use crate::eval::{EvalError, EvalErrorKind, Machine, Step};
use crate::explore::trace::{Visit, operations};
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
    /// A state, or a valuation of the constants, as text.
    pub state: String,
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
    /// The steps of this operation, or where it is ill-defined; of a refinement also how the refined machine follows.
    Steps(OperationId),
    /// Whether the invariant holds.
    Invariant,
    /// Whether the assertions hold.
    Assertions,
    /// Whether the goal is reached.
    Goal,
    /// Whether a refinement refuses too much.
    Refusals,
}

/// Some initial states, and whether they are all.
pub(in crate::explore) type Listed = (Vec<Valuation>, bool);

/// What one part of a machine shows in a state.
#[derive(Clone, Debug, Default)]
pub(in crate::explore) struct Look {
    pub(in crate::explore) steps: Vec<Step>,
    /// The arguments of calls whose body is ill-defined.
    pub(in crate::explore) ill_defined: Vec<Vec<Value>>,
    /// What does not depend on names, in a word.
    pub(in crate::explore) word: &'static str,
}

/// States that can be looked at: those of a machine, or the configurations of a refinement.
pub(in crate::explore) trait Sampled {
    fn machine(&self) -> &Machine;
    /// The first initial states under these constants; nothing if they cannot be listed.
    fn initial(&self, constants: &[Value], limit: usize) -> Option<Listed>;
    /// What is looked at in each state.
    fn parts(&self) -> Vec<Difference>;
    fn look(&self, part: Difference, state: &[Value]) -> Result<Look, EvalError>;
    /// A state as text.
    fn told(&self, state: &[Value]) -> String;
}

/// Looks for a permutation among these that is not a symmetry; `None` if no state of the sample shows one.
#[must_use]
pub fn doubt(machine: &Machine, permutations: &[Permutation], limits: SampleLimits) -> Option<Doubt> {
    doubt_in(machine, permutations, limits)
}

/// The same for any states.
pub(in crate::explore) fn doubt_in(sampled: &impl Sampled, permutations: &[Permutation], limits: SampleLimits) -> Option<Doubt> {
    let machine = sampled.machine();
    let constants = machine.model().constants.len();
    // The first permutation for which this is so.
    let find = |differs: &dyn Fn(usize, &Permutation) -> bool| {
        let found = permutations.iter().enumerate().find(|(number, permutation)| differs(*number, permutation));
        found.map(|(_, permutation)| permutation.clone())
    };
    let (set_ups, are_all) = first(limits.set_ups, |visit| machine.for_each_setup(visit))?;
    let of_set_up = |set_up: &Valuation| state_lines(machine.model(), set_up);
    // Constants may be large, so they are renamed once.
    let images: Vec<Vec<Valuation>> =
        set_ups.iter().map(|set_up| permutations.iter().map(|permutation| permutation.apply_all(set_up)).collect()).collect();
    if are_all {
        let known: FxHashSet<&Valuation> = set_ups.iter().collect();
        for (set_up, images) in set_ups.iter().zip(&images) {
            if let Some(permutation) = find(&|number, _| !known.contains(&images[number])) {
                return Some(Doubt { permutation, state: of_set_up(set_up), difference: Difference::SetUp });
            }
        }
    }
    // States are kept as the number of a set-up and the values of variables.
    let mut waiting: VecDeque<(usize, Valuation)> = VecDeque::new();
    let mut met: FxHashSet<(usize, Valuation)> = FxHashSet::default();
    for (at, set_up) in set_ups.iter().enumerate() {
        let Some((initial, are_all)) = sampled.initial(set_up, limits.initial) else { continue };
        let variables: Vec<Valuation> = initial.iter().map(|state| state[constants..].to_vec()).collect();
        if are_all {
            let doubt = find(&|number, permutation| {
                let there = sampled.initial(&images[at][number], limits.initial);
                there.is_some_and(|(there, _)| {
                    let there: FxHashSet<&[Value]> = there.iter().map(|state| &state[constants..]).collect();
                    let known: Vec<Valuation> = variables.iter().map(|values| permutation.apply_all(values)).collect();
                    there != known.iter().map(Vec::as_slice).collect()
                })
            });
            if let Some(permutation) = doubt {
                return Some(Doubt { permutation, state: of_set_up(set_up), difference: Difference::Initial });
            }
        }
        waiting.extend(variables.into_iter().map(|values| (at, values)).filter(|state| met.insert(state.clone())));
    }
    let parts = sampled.parts();
    let mut looked_at = 0;
    while let Some((at, variables)) = waiting.pop_front() {
        if looked_at == limits.states {
            break;
        }
        looked_at += 1;
        let state = [set_ups[at].as_slice(), &variables].concat();
        let image = |number: usize, permutation: &Permutation| [images[at][number].clone(), permutation.apply_all(&variables)].concat();
        for &difference in &parts {
            let Ok(here) = sampled.look(difference, &state) else { return None };
            let doubt =
                find(&|number, permutation| here.differs(sampled.look(difference, &image(number, permutation)), permutation, constants));
            if let Some(permutation) = doubt {
                return Some(Doubt { permutation, state: sampled.told(&state), difference });
            }
            let next = here.steps.into_iter().map(|mut step| (at, step.next.split_off(constants))).take(limits.states);
            waiting.extend(next.filter(|state| met.len() < 4 * limits.states && met.insert(state.clone())));
        }
    }
    None
}

impl Look {
    /// Whether its image is not what is seen there; a state begins with so many constants, which steps do not change.
    fn differs(&self, there: Result<Look, EvalError>, permutation: &Permutation, constants: usize) -> bool {
        let mut there = match there {
            Ok(there) => there,
            Err(EvalError { kind: EvalErrorKind::Interrupted, .. }) => return false,
            Err(_) => return true,
        };
        let image = |step: &Step| Step {
            arguments: permutation.apply_all(&step.arguments),
            results: step.results.iter().map(|value| value.as_ref().map(|value| permutation.apply(value))).collect(),
            next: permutation.apply_all(&step.next[constants..]),
        };
        there.steps.iter_mut().for_each(|step| step.next = step.next.split_off(constants));
        let steps: FxHashSet<Step> = self.steps.iter().map(image).collect();
        let ill_defined: FxHashSet<Valuation> = self.ill_defined.iter().map(|arguments| permutation.apply_all(arguments)).collect();
        self.word != there.word || steps != there.steps.into_iter().collect() || ill_defined != there.ill_defined.into_iter().collect()
    }
}

impl Sampled for Machine {
    fn machine(&self) -> &Machine {
        self
    }

    fn initial(&self, constants: &[Value], limit: usize) -> Option<Listed> {
        first(limit, |visit| self.for_each_initial(constants, visit))
    }

    fn parts(&self) -> Vec<Difference> {
        let properties = [Difference::Invariant, Difference::Assertions, Difference::Goal];
        properties.into_iter().chain(operations(self).map(Difference::Steps)).collect()
    }

    fn look(&self, part: Difference, state: &[Value]) -> Result<Look, EvalError> {
        // Where a property is ill-defined, the others of its kind are not looked at, so that only this can be told.
        let property = |found: Option<bool>| match found {
            Some(true) => "violated or reached",
            Some(false) => "",
            None => "ill-defined",
        };
        let word = match part {
            Difference::Invariant => property(self.violated_invariant(state).ok().map(|violated| violated.is_some())),
            Difference::Assertions => {
                let of = |statics| self.violated_assertion(state, statics).ok().map(|violated| violated.is_some());
                property(of(true).and_then(|violated| if violated { Some(true) } else { of(false) }))
            }
            Difference::Goal => property(self.is_goal(state).ok()),
            Difference::Steps(operation) => {
                let found = self.successors(state, operation)?;
                return Ok(Look {
                    steps: found.steps,
                    ill_defined: found.ill_defined.into_iter().map(|(arguments, _)| arguments).collect(),
                    word: if found.ill_defined_guard.is_some() { "ill-defined guard" } else { "" },
                });
            }
            Difference::SetUp | Difference::Initial | Difference::Refusals => "",
        };
        Ok(Look { word, ..Look::default() })
    }

    fn told(&self, state: &[Value]) -> String {
        state_lines(self.model(), state)
    }
}

/// The first things that an enumeration visits, and whether they are all; `None` if it cannot be carried out.
fn first(limit: usize, enumerate: impl FnOnce(&mut Visit<'_>) -> Result<(), EvalError>) -> Option<Listed> {
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
