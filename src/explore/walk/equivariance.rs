//! Tests equivariance on a sample of reachable states: succ(g·s) = g·succ(s).
//!
//! The analysis of the text is a proof; this is a test of it, and of the evaluator.
//! Invariant: a doubt is a real difference, found in the plain evaluator; finding none proves nothing. Deliberately elsewhere: the
//! consequences of a doubt (`cli`).

use super::space::{Space, States, state_lines};
use crate::trace::{Visit, operations, renamed_results};
use crate::visited::Visited;
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Step};
use bcheck_ir::OperationId;
use bcheck_symmetry::Permutation;
use bcheck_value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// The size of a sample.
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
    /// The difference there.
    pub difference: Difference,
}

/// A difference between a state and its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The image of these constants does not satisfy PROPERTIES.
    SetUp,
    /// Which initial states these constants have.
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

/// The first valuations of an enumeration.
pub(crate) struct Listed {
    pub(crate) valuations: Vec<Valuation>,
    pub(crate) are_all: bool,
}

/// The results of one part of a machine in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) steps: Vec<Step>,
    /// The arguments of calls whose body is ill-defined.
    pub(crate) ill_defined: Vec<Vec<Value>>,
    /// The part of the result that does not depend on names, as a word; empty where there is nothing to report.
    pub(crate) word: &'static str,
}

/// A space whose states can be compared with their images part by part.
pub(crate) trait Sampled: Space {
    /// The first initial states under these constants; `None` if they cannot be enumerated.
    fn first_initial(&self, constants: &[Value], limit: usize) -> Option<Listed> {
        first(limit, |visit| self.initial(constants, visit))
    }
    /// The parts that are compared in each state.
    fn parts(&self) -> Vec<Difference>;
    fn look(&self, part: Difference, state: &[Value]) -> Result<Look, EvalError>;
}

/// Looks for a permutation among these that is not a symmetry; `None` if no state of the sample shows one.
#[must_use]
pub fn doubt(machine: &Machine, permutations: &[Permutation], limits: SampleLimits) -> Option<Doubt> {
    doubt_in(&States::with_all_properties(machine), permutations, limits)
}

/// As [`doubt`], for any space.
pub(crate) fn doubt_in(sampled: &impl Sampled, permutations: &[Permutation], limits: SampleLimits) -> Option<Doubt> {
    let Listed { valuations: set_ups, are_all } = first(limits.set_ups, |visit| sampled.machine().for_each_setup(visit))?;
    // Constants may be large, so they are renamed once.
    let renamed = |set_up: &Valuation| permutations.iter().map(|permutation| permutation.apply_all(set_up)).collect();
    let images: Vec<Vec<Valuation>> = set_ups.iter().map(renamed).collect();
    let constants = sampled.machine().model().constants.len();
    let sample = Sample { sampled, permutations, limits, constants, set_ups, images };
    if are_all && let Some(doubt) = sample.doubt_in_set_ups() {
        return Some(doubt);
    }
    sample.doubt_in_states()
}

/// Some reachable states, and the permutations that are tested on them.
struct Sample<'a, S> {
    sampled: &'a S,
    permutations: &'a [Permutation],
    limits: SampleLimits,
    /// The number of constants, with which each state begins and which steps do not change.
    constants: usize,
    set_ups: Vec<Valuation>,
    /// Of each set-up, by permutation.
    images: Vec<Vec<Valuation>>,
}

/// The states of a sample: each is the number of its set-up and the values of its variables.
type Variables = Visited<(usize, Valuation), ()>;

impl<S: Sampled> Sample<'_, S> {
    /// A doubt about the first permutation, with its number, for which `differs` holds.
    fn doubt(&self, state: &[Value], difference: Difference, differs: impl Fn(usize, &Permutation) -> bool) -> Option<Doubt> {
        let (_, permutation) = self.permutations.iter().enumerate().find(|(number, permutation)| differs(*number, permutation))?;
        let state = match difference {
            Difference::SetUp | Difference::Initial => state_lines(self.sampled.machine().model(), state),
            _ => self.sampled.lines(state),
        };
        Some(Doubt { permutation: permutation.clone(), state, difference })
    }

    /// Whether the image of each set-up is a set-up; `set_ups` are all that there are.
    fn doubt_in_set_ups(&self) -> Option<Doubt> {
        // A set of valuations is closed under a permutation exactly if it has the image of each: no second enumeration is needed.
        let known: FxHashSet<&Valuation> = self.set_ups.iter().collect();
        let mut pairs = self.set_ups.iter().zip(&self.images);
        pairs.find_map(|(set_up, images)| self.doubt(set_up, Difference::SetUp, |number, _| !known.contains(&images[number])))
    }

    /// Looks at states breadth first, beginning with the initial ones.
    fn doubt_in_states(&self) -> Option<Doubt> {
        let mut visited: Variables = Visited::new(usize::MAX);
        for at in 0..self.set_ups.len() {
            if let Err(doubt) = self.enter_initial(at, &mut visited) {
                return Some(doubt);
            }
        }
        // Enough for the sample, however many successors the states have. Initial states are limited already.
        visited.limit = 4 * self.limits.states;
        let parts = self.sampled.parts();
        for number in 0..self.limits.states {
            let Some(((at, variables), ())) = visited.get(number) else { break };
            let (at, variables) = (*at, variables.clone());
            let state = [self.set_ups[at].as_slice(), &variables].concat();
            for &part in &parts {
                // A state that cannot be evaluated, or an interrupt, ends the test without a doubt.
                let here = self.sampled.look(part, &state).ok()?;
                let doubt = self.doubt(&state, part, |number, permutation| {
                    let image = [self.images[at][number].clone(), permutation.apply_all(&variables)].concat();
                    here.differs(self.sampled.look(part, &image), permutation, self.constants)
                });
                if doubt.is_some() {
                    return doubt;
                }
                // Which elements move may follow from the invariant: of other states nothing is claimed, and a search ends there.
                if part == Difference::Invariant && !here.word.is_empty() {
                    break;
                }
                for mut step in here.steps.into_iter().take(self.limits.states) {
                    visited.enter((at, step.next.split_off(self.constants)), || ());
                }
            }
        }
        None
    }

    /// Enters the initial states of a set-up, unless those of an image of it are not their images.
    fn enter_initial(&self, at: usize, visited: &mut Variables) -> Result<(), Doubt> {
        let Some(initial) = self.sampled.first_initial(&self.set_ups[at], self.limits.initial) else { return Ok(()) };
        let variables: Vec<Valuation> = initial.valuations.iter().map(|state| state[self.constants..].to_vec()).collect();
        let differs = |number: usize, permutation: &Permutation| {
            let there = self.sampled.first_initial(&self.images[at][number], self.limits.initial);
            there.is_some_and(|there| {
                let there: FxHashSet<&[Value]> = there.valuations.iter().map(|state| &state[self.constants..]).collect();
                let known: Vec<Valuation> = variables.iter().map(|values| permutation.apply_all(values)).collect();
                there != known.iter().map(Vec::as_slice).collect()
            })
        };
        // If both sets are truncated, each may contain what the other one lacks.
        if initial.are_all
            && let Some(doubt) = self.doubt(&self.set_ups[at], Difference::Initial, differs)
        {
            return Err(doubt);
        }
        for values in variables {
            visited.enter((at, values), || ());
        }
        Ok(())
    }
}

impl Look {
    /// Whether its image differs from what is observed there; states begin with this number of constants, which steps do not change.
    fn differs(&self, there: Result<Look, EvalError>, permutation: &Permutation, constants: usize) -> bool {
        let mut there = match there {
            Ok(there) => there,
            // The state itself could be evaluated, so an image that cannot be is a difference, unless time was up.
            Err(EvalError { kind: EvalErrorKind::Interrupted, .. }) => return false,
            Err(_) => return true,
        };
        let image = |step: &Step| Step {
            arguments: permutation.apply_all(&step.arguments),
            results: renamed_results(permutation, &step.results),
            next: permutation.apply_all(&step.next[constants..]),
        };
        // As sets: renaming changes the order in which the evaluator enumerates.
        there.steps.iter_mut().for_each(|step| step.next = step.next.split_off(constants));
        let steps: FxHashSet<Step> = self.steps.iter().map(image).collect();
        let ill_defined: FxHashSet<Valuation> = self.ill_defined.iter().map(|arguments| permutation.apply_all(arguments)).collect();
        // Ill-definedness is compared too: a permutation that makes an error out of a step is not a symmetry.
        self.word != there.word || steps != there.steps.into_iter().collect() || ill_defined != there.ill_defined.into_iter().collect()
    }
}

impl Sampled for States<'_> {
    fn parts(&self) -> Vec<Difference> {
        let properties = [Difference::Invariant, Difference::Assertions, Difference::Goal];
        properties.into_iter().chain(operations(self.machine()).map(Difference::Steps)).collect()
    }

    fn look(&self, part: Difference, state: &[Value]) -> Result<Look, EvalError> {
        let machine = self.machine();
        // Where one property is ill-defined, the others of its kind are not evaluated, so that only this is known of them.
        let property = |found: Option<bool>| match found {
            Some(true) => "violated or reached",
            Some(false) => "",
            None => "ill-defined",
        };
        let word = match part {
            Difference::Invariant => property(machine.violated_invariant(state).ok().map(|violated| violated.is_some())),
            Difference::Assertions => {
                let of = |statics| machine.violated_assertion(state, statics).ok().map(|violated| violated.is_some());
                property(of(true).and_then(|violated| if violated { Some(true) } else { of(false) }))
            }
            Difference::Goal => property(machine.is_goal(state).ok()),
            Difference::Steps(operation) => {
                let found = machine.successors(state, operation)?;
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
}

/// The first valuations that an enumeration visits; `None` if it cannot be carried out.
fn first(limit: usize, enumerate: impl FnOnce(&mut Visit<'_>) -> Result<(), EvalError>) -> Option<Listed> {
    let mut found = Vec::new();
    // Only one more shows that there are more.
    let mut are_all = true;
    let result = enumerate(&mut |valuation| {
        if found.len() == limit {
            are_all = false;
            return ControlFlow::Break(());
        }
        found.push(valuation);
        ControlFlow::Continue(())
    });
    result.is_ok().then_some(Listed { valuations: found, are_all })
}
