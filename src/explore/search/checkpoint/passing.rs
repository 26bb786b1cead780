//! Batches of set-ups and checkpoints: the begin and end of a batch, and what a search restores from the batches before that of the
//! checkpoint: sums, and the finding.
//!
//! Invariant: the restored data equal what exploring these batches again would yield. Deliberately elsewhere: the batch to resume
//! (`restore`).

use super::super::engine::Engine;
use super::super::internal_steps::Cycle;
use super::super::ledger::Ledger;
use super::super::set_ups::SetUps;
use super::super::subject::{Subject, Worker};
use super::super::{Part, Search};
use super::Checkpoints;
use super::restore::Way;
use crate::count::conclusion::Ending;
use crate::count::set_up::SetUp;
use crate::property::Claim;
use std::ops::ControlFlow;

impl<'a, 'r: 'a, S: Subject> Search<'a, 'r, S> {
    /// Enables checkpoints, possibly those of an earlier run, whose sums are restored.
    pub(crate) fn keep(&mut self, checkpoints: &'r mut Checkpoints) {
        if self.record.is_some() {
            checkpoints.judging();
        }
        if let Some((ending, states, is_initialised, facts)) = checkpoints.sums() {
            let ending = Ending { extent: self.ending.extent.take(), ..ending };
            (self.ending, self.states, self.is_initialised, self.facts) = (ending, states, is_initialised, facts);
        }
        self.checkpoints = Some(checkpoints);
    }

    /// Whether a checkpoint has all of a batch already; then, whether it has the finding.
    pub(in crate::search) fn passes_over(&self, ordinal: u64) -> Option<bool> {
        match self.checkpoints.as_ref()?.way(ordinal) {
            Way::PassOver => Some(false),
            Way::Finding => Some(true),
            Way::GoOn | Way::Explore => None,
        }
    }

    /// Takes over what a checkpoint has of a batch that was explored before it was taken. The states of the one that `has_finding` are
    /// needed for the trace.
    pub(in crate::search) fn pass_over(&mut self, batch: SetUps, ordinal: u64, has_finding: bool) -> ControlFlow<()> {
        let SetUps { list: set_ups, visited, claim, limit, undecided, .. } = batch;
        self.visited.add(visited);
        self.ending.extent.iter_mut().for_each(|extent| extent.pass_over(visited.number));
        let engine = self.engine(&set_ups);
        if limit.is_some() {
            // The enumeration ends here, so this batch lacks set-ups that states of the checkpoint may need.
            self.ending.limit = limit;
            self.keep_any(set_ups, engine);
            return ControlFlow::Break(());
        }
        let checkpoints = self.checkpoints.as_mut().expect("only a checkpoint has batches that were explored before");
        let errors = (&mut self.ending.guards, &mut self.ending.unassigned);
        let (skipped, of_states) = checkpoints.met_again(&mut self.subject.worker(&engine), ordinal, errors);
        self.skipped = self.skipped.take().or(skipped);
        self.undecided = self.undecided.take().or(undecided).or(of_states);
        if has_finding {
            // Another engine: in the one above, states have different numbers.
            let engine = self.engine(&set_ups);
            let mut ledger = Ledger::new(None, self.subject.up_to_fault());
            let mut worker = self.subject.worker(&engine);
            let beginnings =
                self.subject.initial(&set_ups, &mut |state, origin| worker.enter_initial(&mut ledger, state, origin, u32::MAX));
            let initial = [claim, beginnings.claim, ledger.claim.take()];
            let checkpoints = self.checkpoints.as_mut().expect("as above");
            let in_state = checkpoints.restore_finding(&mut worker, &mut ledger);
            for found in initial.into_iter().flatten() {
                Claim::keep_least(&mut self.ending.claim, found);
            }
            self.ending.claim = self.ending.claim.take().or(in_state);
            drop(worker);
            let part = Part { set_ups, engine, ledger };
            match checkpoints.cycle_in(ordinal) {
                Some(cycle) => self.cyclic = Some((cycle, part)),
                None => self.part = Some(part),
            }
        } else {
            self.keep_any(set_ups, engine);
        }
        let fault = self.checkpoints.as_ref().and_then(|checkpoints| checkpoints.limit());
        self.ending.limit = fault.or_else(|| self.control.stop_reason());
        self.ending.suffices = self.set_ups_suffice();
        if self.ending.limit.is_none() && !self.ending.suffices { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Stores a batch that was skipped, without its states, if there is none: the search may end before it reaches another one.
    fn keep_any(&mut self, set_ups: Vec<SetUp>, engine: Engine<'a>) {
        let ledger = Ledger::new(None, self.subject.up_to_fault());
        self.part.get_or_insert(Part { set_ups, engine, ledger });
    }

    /// The search of a batch of set-ups begins.
    pub(in crate::search) fn batch_begins(&mut self, ordinal: u64, set_ups: &[SetUp]) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.begin_batch(ordinal, set_ups);
        }
    }

    /// The states of a batch are explored: fetches the data needed from other processes and from disk.
    pub(in crate::search) fn gather(&mut self, engine: &Engine<'_>, ledger: &mut Ledger, ending: &mut Ending) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.gather(&mut self.subject.worker(engine), ledger);
            checkpoints.trace(engine, ledger, &mut ending.claim);
        }
    }

    /// All of a batch is known.
    pub(in crate::search) fn batch_ends(&mut self, (engine, ledger): (&Engine<'_>, &Ledger), ending: &Ending, cycle: Option<&Cycle>) {
        if let Some(checkpoints) = self.checkpoints.as_mut().filter(|_| ending.limit.is_none()) {
            checkpoints.end_batch(engine, ledger, (ending, cycle), self.is_initialised);
        }
    }
}
