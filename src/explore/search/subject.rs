//! What is searched, as far as searches differ by it: the states of a machine, or the configurations of a refinement check (`refine`).
//!
//! Invariant: a search is compiled for each subject, so that none of these calls is dynamic. Whatever is searched, states are numbered,
//! kept and counted in the same way. Deliberately elsewhere: who expands what when (`breadth_first`, `depth_first`).

use super::engine::Engine;
use super::expander::Expander;
use super::ledger::{Batch, Entry};
use super::set_ups::{Beginnings, initial_states};
use super::store::Store;
use super::up_to_fault::UpToFault;
use crate::Options;
use crate::count::set_up::SetUp;
use crate::trace::Origin;
use bcheck_durable::log::Key;
use bcheck_eval::Machine;
use bcheck_state::StateId;
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;

/// The states of a search: where they begin, how they are kept and expanded.
pub(crate) trait Subject: Sync {
    /// What one thread expands states with.
    type Worker<'e>: Worker<'e>
    where
        Self: 'e;

    /// A new worker.
    fn worker<'e>(&'e self, engine: &'e Engine<'e>) -> Self::Worker<'e>;

    /// Where the states that are reached from these set-ups are kept.
    fn store(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Store;

    /// Enters the initial states of some set-ups through `enter`, which returns an id of the representative state, or `None` when a limit
    /// on states forbids storing it.
    fn initial(&self, set_ups: &[SetUp], enter: &mut dyn FnMut(Valuation, Origin) -> Option<StateId>) -> Beginnings;

    /// What is kept besides states, where the search ends at its first fault.
    fn up_to_fault(&self) -> Option<UpToFault> {
        None
    }
}

/// What one thread expands states with.
pub(crate) trait Worker<'e> {
    /// What offers states, and keeps what is counted and found.
    fn expander(&mut self) -> &mut Expander<'e>;

    /// Expands a state; nothing of it is counted when it is interrupted. `state`: the state, if it need not be decoded.
    fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64);

    /// Expands a state beyond memory, which has a key and may have no id.
    fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64);

    /// What was added since the last call.
    fn take_batch(&mut self) -> Batch;
}

/// The states of a machine.
pub(super) struct MachineStates<'a> {
    pub(super) machine: &'a Machine,
    pub(super) options: &'a Options,
}

impl Subject for MachineStates<'_> {
    type Worker<'e>
        = Expander<'e>
    where
        Self: 'e;

    fn worker<'e>(&'e self, engine: &'e Engine<'e>) -> Expander<'e> {
        Expander::new(engine)
    }

    fn store(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Store {
        Store::new(self.machine, symmetry, set_ups)
    }

    fn initial(&self, set_ups: &[SetUp], enter: &mut dyn FnMut(Valuation, Origin) -> Option<StateId>) -> Beginnings {
        initial_states(self.machine, self.options, set_ups, &mut |state, origin| enter(state, origin).map(|id| u64::from(id.0)))
    }
}

impl<'e> Worker<'e> for Expander<'e> {
    fn expander(&mut self) -> &mut Expander<'e> {
        self
    }

    #[inline]
    fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64) {
        Expander::expand(self, entry, state, distance);
    }

    #[inline]
    fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64) {
        Expander::expand_key(self, entry, key, distance);
    }

    fn take_batch(&mut self) -> Batch {
        Expander::take_batch(self)
    }
}
