//! Recomputes steps of states with their arguments and permutations, to judge fairness to each instance of an operation.
//!
//! A recorded graph stores neither permutations nor arguments, so the steps of states on possible loops are recomputed. An instance has its
//! name in the representative that the step leaves; the permutation from the state after the step to that state's representative maps it to
//! its name there. Invariant: instances and permutations have fixed numbers while a formula is judged, and steps come in the order of the
//! evaluator. Deliberately elsewhere: the requirements of fairness (`temporal::threads`), the run (`concrete`).

use super::letters::{Letters, SeenStep};
use crate::TraceStep;
use crate::count::reduction::Reduction;
use crate::trace::{Ancestry, TraceFault};
use crate::walk::animation::steps_after;
use bcheck_eval::Machine;
use bcheck_ir::OperationId;
use bcheck_symmetry::Permutation;
use bcheck_temporal::graph::{Graph, StateNumber};
use bcheck_temporal::threads::{InstanceName, InstanceStep, InstanceSteps, Renaming, StateSteps};
use bcheck_value::{Valuation, Value};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::rc::Rc;

/// An operation with its arguments.
pub(super) type Instance = (OperationId, Vec<Value>);

/// The instance that a step of a state takes.
pub(super) fn instance_of(step: &TraceStep) -> Instance {
    (step.operation.expect("a step of a state is one of an operation"), step.arguments.clone())
}

/// The steps made so far, with the numbers of their instances and permutations.
#[derive(Default)]
pub(super) struct KnownSteps {
    instances: IndexSet<Instance, FxBuildHasher>,
    renamings: IndexSet<Permutation, FxBuildHasher>,
    /// By renaming, then by instance: its image, if that is known.
    images: Vec<Vec<Option<InstanceName>>>,
    by_state: FxHashMap<StateNumber, Rc<StateSteps>>,
    /// Why steps could not be made, other than an interrupt.
    fault: Option<TraceFault>,
}

/// Makes the steps of the states of a recorded graph.
pub(super) struct StepsAgain<'r, 'a> {
    pub(super) machine: &'r Machine,
    pub(super) letters: &'r Letters,
    pub(super) graph: &'r Graph,
    pub(super) family: &'r dyn Ancestry,
    pub(super) reduction: RefCell<&'r mut Reduction<'a>>,
    pub(super) known: &'r RefCell<KnownSteps>,
}

/// All steps of a state in the order of operations, arguments and choices.
pub(super) fn steps_of(machine: &Machine, state: &[Value]) -> Result<Vec<TraceStep>, TraceFault> {
    let enabled = steps_after(machine, machine.model().set_up_steps() + 1, state).map_err(TraceFault::at(0))?;
    Ok(enabled.alike.into_iter().flatten().collect())
}

impl KnownSteps {
    pub(super) fn take_fault(&mut self) -> Option<TraceFault> {
        self.fault.take()
    }

    fn renaming(&mut self, permutation: Option<Permutation>) -> Renaming {
        let (renaming, is_new) = self.renamings.insert_full(permutation.unwrap_or_default());
        if is_new {
            self.images.push(Vec::new());
        }
        Renaming::at(renaming)
    }
}

impl StepsAgain<'_, '_> {
    fn make(&self, state: StateNumber) -> Result<StateSteps, TraceFault> {
        // From the representative, not from a concrete state: nodes of a thread have instances in the names of representatives.
        let representative = self.family.state(state);
        // A table of the targets of this state only: a packed visited set cannot look up values.
        let mut targets: FxHashMap<Valuation, StateNumber> = FxHashMap::default();
        let mut last = None;
        for edge in self.graph.edges(state).filter(|edge| last.replace(edge.to) != Some(edge.to)) {
            targets.insert(self.family.state(edge.to), edge.to);
        }
        let mut made = Vec::new();
        for step in steps_of(self.machine, &representative)? {
            let seen = SeenStep::of(&step).ok_or(TraceFault::Broken(state))?;
            let letter = self.letters.step(&representative, seen).map_err(TraceFault::at(0))?.letter;
            let instance = instance_of(&step);
            // The canonical form of the search, so the target is one of the edges. Any permutation to it suffices: two of them differ by an
            // automorphism of the target, under which its threads are the same up to names.
            let found = self.reduction.borrow_mut().representative(step.state).ok_or(TraceFault::Interrupted)?;
            let to = *targets.get(&found.state).ok_or(TraceFault::Broken(state))?;
            let mut known = self.known.borrow_mut();
            let instance = InstanceName::at(known.instances.insert_full(instance).0);
            made.push(InstanceStep { to, letter, instance, renaming: known.renaming(found.permutation) });
        }
        Ok(StateSteps::new(made))
    }
}

impl InstanceSteps for StepsAgain<'_, '_> {
    fn of_state(&self, state: StateNumber) -> Option<Rc<StateSteps>> {
        if let Some(steps) = self.known.borrow().by_state.get(&state) {
            return Some(Rc::clone(steps));
        }
        match self.make(state) {
            Ok(steps) => Some(Rc::clone(self.known.borrow_mut().by_state.entry(state).or_insert(Rc::new(steps)))),
            Err(fault) => {
                if fault != TraceFault::Interrupted {
                    self.known.borrow_mut().fault.get_or_insert(fault);
                }
                None
            }
        }
    }

    fn renamed(&self, instance: InstanceName, renaming: Renaming) -> InstanceName {
        let KnownSteps { instances, renamings, images, .. } = &mut *self.known.borrow_mut();
        // A table filled on demand: a tour needs the same few images again and again, and applying a permutation to values allocates.
        let images = &mut images[renaming.index()];
        if images.len() <= instance.index() {
            images.resize(instances.len(), None);
        }
        *images[instance.index()].get_or_insert_with(|| {
            let (operation, arguments) = &instances[instance.index()];
            // An image may be an instance that no step has taken yet: it gets a number like any other, and is enabled nowhere.
            let image = (*operation, renamings[renaming.index()].apply_all(arguments));
            InstanceName::at(instances.insert_full(image).0)
        })
    }

    fn renames(&self, renaming: Renaming) -> bool {
        !self.known.borrow().renamings[renaming.index()].is_identity()
    }
}
