//! The data shared by all workers of one search: the machine, its symmetry, the properties to check, the visited set.
//!
//! Invariant: nothing here changes while workers run, except concurrent data structures (`store`, `control`, `orbits`, free lists).
//! Deliberately elsewhere: expanding a state (`expander`), numbering new states (`ledger`), the schedule (`breadth_first`, `depth_first`).

use super::argument_orbits;
use super::offers::Offers;
use super::partition::{Owners, StatesWriter};
use super::store::Store;
use super::watch::Control;
use crate::Options;
use crate::count::tally::Orbits;
use crate::property::Checks;
use crate::temporal::letters::Letters;
use crate::trace::operations;
use bcheck_eval::Machine;
use bcheck_state::StateId;
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;
use crossbeam::queue::SegQueue;

/// The shared data.
pub(crate) struct Engine<'a> {
    pub(super) machine: &'a Machine,
    pub(super) symmetry: &'a Symmetry,
    pub(super) orbits: &'a Orbits,
    pub(super) control: &'a Control<'a>,
    pub(super) checks: Checks,
    pub(crate) store: Store,
    /// Set where several processes share the search.
    pub(super) owners: Option<Owners>,
    /// Whether one binding of parameters may represent others.
    pub(super) orbit_parameters: bool,
    /// By operation: whether steps can be sorted into orbits of arguments.
    pub(super) flat: Vec<bool>,
    /// States of earlier batches of set-ups, for the progress line.
    pub(super) stored_before: u64,
    /// Set where the graph is recorded.
    pub(super) letters: Option<&'a Letters>,
    /// Free list of buffers: returning large ones to the system (munmap) stalls all threads.
    pub(super) emptied: SegQueue<Offers>,
    /// Free lists of foreign states.
    pub(super) emptied_lists: SegQueue<StatesWriter>,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        (machine, symmetry, options): (&'a Machine, &'a Symmetry, &Options),
        store: Store,
        orbits: &'a Orbits,
        control: &'a Control<'a>,
        stored_before: u64,
    ) -> Self {
        let flat = operations(machine).map(|operation| argument_orbits::has_flat_parameters(machine, operation)).collect();
        Self {
            machine,
            symmetry,
            orbits,
            control,
            checks: Checks::new(machine, options),
            store,
            owners: None,
            orbit_parameters: options.orbit_parameters,
            flat,
            stored_before,
            letters: None,
            emptied: SegQueue::new(),
            emptied_lists: SegQueue::new(),
        }
    }

    /// Whether states are shared out to several processes, as all are but the initial ones, which each process enters.
    #[inline]
    pub(super) fn is_shared_out(&self) -> bool {
        self.owners.is_some() && self.store.is_spilled()
    }

    pub(crate) fn state(&self, id: StateId) -> Valuation {
        self.store.state(self.machine, id)
    }
}
