//! The subject of a search: the states of a machine, or the configurations of a refinement check (`refine`).
//!
//! Invariant: a search is compiled for each subject, so none of these calls is dynamic. Whatever the subject, states are numbered, stored
//! and counted in the same way. Deliberately elsewhere: the schedule (`breadth_first`, `depth_first`).

use super::columns::Entry;
use super::engine::Engine;
use super::expander::Expander;
use super::ledger::{Batch, Ledger};
use super::set_ups::Beginnings;
use super::store::Store;
use super::up_to_fault::UpToFault;
use crate::count::set_up::SetUp;
use crate::property::Examination;
use crate::trace::Origin;
use bcheck_durable::log::Key;
use bcheck_state::StateId;
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;

/// The states of a search: their beginning, storage and expansion.
pub(crate) trait Subject: Sync {
    /// The data with which one thread expands states.
    type Worker<'e>: Worker<'e>
    where
        Self: 'e;

    /// A new worker.
    fn worker<'e>(&'e self, engine: &'e Engine<'e>) -> Self::Worker<'e>;

    /// The store of the states reachable from these set-ups.
    fn store(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Store;

    /// Enters the initial states of some set-ups through `enter`, which returns an id of the representative state, or `None` when a limit
    /// on states forbids storing it.
    fn initial(&self, set_ups: &[SetUp], enter: &mut dyn FnMut(Valuation, Origin) -> Option<StateId>) -> Beginnings;

    /// The further data of a search that ends at its first fault.
    fn up_to_fault(&self) -> Option<UpToFault> {
        None
    }
}

/// The data with which one thread expands states.
pub(crate) trait Worker<'e> {
    /// The part of a worker that offers states and stores counts and findings.
    fn expander(&mut self) -> &mut Expander<'e>;

    /// Expands a state; nothing of it is counted when it is interrupted. `state`: the state, if it need not be decoded.
    fn expand(&mut self, entry: Entry, state: Option<&Valuation>, distance: u64);

    /// Expands a state beyond memory, which has a key and may have no id.
    fn expand_key(&mut self, entry: Entry, key: Key<'_>, distance: u64);

    /// Examines a state that is in the tables; `None` if it is known to have no finding.
    fn examine(&mut self, id: StateId) -> Option<Examination> {
        Some(self.expander().examine(id))
    }

    /// Additions since the last call.
    fn take_batch(&mut self) -> Batch;

    /// Enters one initial state, unless it is known; `None` when the limit forbids to store it, or when interrupted.
    fn enter_initial(&mut self, ledger: &mut Ledger, state: Valuation, origin: Origin, limit: u32) -> Option<StateId> {
        let id = self.expander().offer(state, ledger.initial_rank(), None)?;
        let first = ledger.end();
        let batch = self.take_batch();
        let engine = self.expander().engine;
        ledger.number(engine, [batch], &engine.store.close_slice(), 0, limit);
        if ledger.is_full {
            return None;
        }
        ledger.note_initial(first, origin);
        Some(id)
    }
}
