//! Numbering what a slice beyond memory has found: the log gets the columns.
//!
//! Invariant: sums, findings and the limit on states are treated as within memory (`ledger`).

use super::super::engine::Engine;
use super::super::ledger::{Batch, Ledger, More};
use super::super::offers::NewState;
use crate::number::StateNumber;
use crate::property::Examination;
use rustc_hash::FxHashMap;

impl Ledger {
    /// Leaves the columns of the states below this number to the log, which has them.
    pub(in crate::search) fn spill(&mut self, end: StateNumber) {
        self.columns.spill(end);
        self.decoded = FxHashMap::default();
    }

    /// Numbers a slice whose new states are known with their numbers, of which the last one is before `end`; `log` gets each, and refuses
    /// where it cannot be written.
    pub(in crate::search) fn number_in_log(
        &mut self,
        engine: &Engine<'_>,
        sums: Batch,
        (found, end): (impl IntoIterator<Item = (NewState, u64, Option<Examination>)>, u64),
        (distance, limit): (u64, u32),
        log: &mut dyn FnMut(&NewState, StateNumber) -> bool,
    ) {
        self.add_up(sums, &mut FxHashMap::default());
        self.is_full = end > u64::from(limit);
        // A checkpoint that another limit was given for may have more states than this one allows.
        let end = StateNumber::new(u32::try_from(end).unwrap_or(u32::MAX).min(limit)).max(self.end());
        for (new, number, examination) in found {
            let Some(number) = u32::try_from(number).ok().map(StateNumber::new).filter(|number| *number < end) else { break };
            if !log(&new, number) {
                self.columns.spill(number);
                return;
            }
            self.tally.state(new.class);
            self.keep(number, new.class, More { examination, state: None }, distance);
        }
        self.columns.spill(end);
        self.show_states(engine);
    }
}
