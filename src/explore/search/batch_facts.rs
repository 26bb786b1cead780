//! Facts about runs found in a batch of set-ups, in a search that ends at its first fault: a refinement check.
//!
//! Deliberately elsewhere: counts up to a fault (`up_to_fault`), which cycle is reported (`internal_steps`).

use super::Search;
use super::internal_steps::Cycle;
use super::ledger::Ledger;
use super::subject::Subject;

impl<'a, 'r: 'a, S: Subject> Search<'a, 'r, S> {
    /// Adds what a batch of set-ups has found out about runs. Returns the first cycle of internal steps, if the search `may_be_cyclic` and
    /// has none so far.
    pub(super) fn cycle(&mut self, ledger: &Ledger, may_be_cyclic: bool) -> Option<Cycle> {
        let own = ledger.attached.up_to_fault.as_deref()?;
        self.facts.merge(own.facts);
        // A finding comes first: a run that goes wrong is a shorter explanation than one that never ends. Where a limit stopped the search,
        // the internal steps found so far may contain a cycle all the same.
        if may_be_cyclic && self.cyclic.is_none() { own.internal.cycle() } else { None }
    }
}
