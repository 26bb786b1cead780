//! The states of a machine as the subject of a search.
//!
//! Deliberately elsewhere: the configurations of a refinement check (`refine::worker`).

use super::engine::Engine;
use super::packed::StateWorker;
use super::set_ups::{Beginnings, initial_states};
use super::store::Store;
use super::subject::Subject;
use crate::Options;
use crate::count::set_up::SetUp;
use crate::trace::Origin;
use bcheck_eval::Machine;
use bcheck_state::StateId;
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;

/// The states of a machine.
pub(super) struct MachineStates<'a> {
    pub(super) machine: &'a Machine,
    pub(super) options: &'a Options,
}

impl Subject for MachineStates<'_> {
    type Worker<'e>
        = StateWorker<'e>
    where
        Self: 'e;

    fn worker<'e>(&'e self, engine: &'e Engine<'e>) -> StateWorker<'e> {
        StateWorker::new(engine)
    }

    fn store(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Store {
        Store::new(self.machine, symmetry, set_ups)
    }

    fn initial(&self, set_ups: &[SetUp], enter: &mut dyn FnMut(Valuation, Origin) -> Option<StateId>) -> Beginnings {
        initial_states(self.machine, self.options, set_ups, &mut |state, origin| enter(state, origin).map(|id| u64::from(id.0)))
    }
}
