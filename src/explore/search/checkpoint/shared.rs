//! A search that several processes share (`partition`), each with its own folder: their common work at barriers.
//!
//! A checkpoint covers all processes: each writes its own when all have reported that they are ready, and none continues before all have
//! done so. So their last checkpoints differ by one at most, and each folder has the previous one as well. Invariant: every function here
//! that sends anything is called by all processes, or by none; one whose folder failed sends nothing more. Deliberately elsewhere: the
//! messages (`partition`).

use super::super::columns::Entry;
use super::super::disk::pass::ExpandedSlice;
use super::super::engine::Engine;
use super::super::ledger::Ledger;
use super::super::offers::{NewState, Offers};
use super::super::partition::contribution::Contribution;
use super::super::partition::{Agreed, Fetched, Flags, FoundInSlice, NumberedSlice, Owners, Pace, Partition, alone};
use super::super::saved::{SavedClaim, SavedKey};
use super::super::subject::Worker;
use super::again::{Again, Parts, note};
use super::snapshot::places;
use super::{CheckpointFault, Checkpoints};
use crate::number::StateNumber;
use crate::property::Claim;
use bcheck_durable::log::{Key, LogWriter};
use bcheck_mesh::Loss;
use bcheck_state::Rank;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why a process is considered lost whose message is well formed but refers to nothing that exists.
const NOT_MET: &str = "it has reported something that occurs nowhere";

impl Checkpoints {
    /// Shares the search with other processes.
    pub fn share_with(&mut self, partition: Partition) {
        self.facts.processes = u32::try_from(partition.processes()).ok();
        self.partition = Some(partition);
    }

    /// Whether several processes share the search.
    pub(in super::super) fn is_shared(&self) -> bool {
        self.partition.is_some()
    }

    /// Does something with the other processes, unless this one is alone or has failed; `None` as well when one of them is lost.
    fn together<T>(&mut self, act: impl FnOnce(&mut Partition) -> Result<T, Loss>) -> Option<T> {
        if self.fault.is_some() {
            return None;
        }
        match act(self.partition.as_mut()?) {
            Ok(done) => Some(done),
            Err(loss) => {
                self.fail_alone(loss.into());
                None
            }
        }
    }

    /// Records the fault and closes all connections, so that the other processes fail as well.
    pub(super) fn fail_alone(&mut self, fault: CheckpointFault) {
        self.fault.get_or_insert(fault);
        self.partition.iter_mut().for_each(Partition::leave);
    }

    /// The initial states are known, to all processes: each logs its own. From here on only the log has states.
    pub(in super::super) fn begin_shared(&mut self, engine: &Engine<'_>, ledger: &mut Ledger) {
        let (ordinal, width) = (self.batch.0, engine.store.key_words());
        let Some(partition) = &mut self.partition else { return };
        self.log.get_or_insert_with(|| super::OpenLog {
            writer: LogWriter::new(&format!("states-{ordinal}"), width),
            written: StateNumber::new(0),
        });
        if !partition.is_first() {
            // Counted once, by the first process.
            ledger.tally = Default::default();
        }
        let mut words = Vec::new();
        for number in StateNumber::all(ledger.end().index()) {
            let (id, (parent, class)) = ledger.columns.saved(number);
            let is_own = engine.store.with_key(id, &mut words, |key| {
                let is_own = self.partition.as_ref().is_some_and(|partition| partition.owners().is_own(key));
                is_own && self.push_key(key, number, (parent, class.number()))
            });
            // As for any other state, its owner knows its findings.
            if !is_own {
                ledger.undecided.take_if(|(met, _)| *met == number);
            }
        }
        ledger.spill(ledger.end());
        engine.store.look_up_candidates();
    }

    /// Decides how to continue, with the other processes if there are any. `None`: one of them is lost, or this process has failed.
    pub(in super::super) fn agree(&mut self, engine: &Engine<'_>, flags: Flags) -> Option<Flags> {
        if !self.is_shared() {
            return Some(flags);
        }
        let is_due = self.is_due_by_clock();
        self.together(|partition| partition.agree(engine.control, Flags { is_due, ..flags }))
    }

    /// As [`Self::agree`], after a superstep, of which this process has completely expanded `whole` slices.
    pub(in super::super) fn agree_after(&mut self, engine: &Engine<'_>, flags: Flags, (whole, pace): (usize, Pace)) -> Option<Agreed> {
        if !self.is_shared() {
            return Some(Agreed { flags, whole });
        }
        let is_due = self.is_due_by_clock();
        let memory = self.share.map_or(0, |(share, _)| share.of_process);
        self.together(|partition| partition.agree_after(engine.control, Flags { is_due, ..flags }, (whole, pace), memory))
    }

    /// How many slices the next superstep has.
    pub(in super::super) fn slices_at_once(&self) -> usize {
        self.partition.as_ref().map_or(1, |partition| partition.slices_at_once)
    }

    /// Sends the foreign states found in a superstep to their owners; returns those that arrive. `None`: one of them is lost, and the
    /// tables may have states from it that nobody lists.
    pub(in super::super) fn share_out(
        &mut self,
        engine: &Engine<'_>,
        superstep: &mut [ExpandedSlice],
        states: &Range<StateNumber>,
    ) -> Option<Vec<Offers>> {
        if !self.is_shared() {
            return Some(Vec::new());
        }
        let spills = self.spills();
        self.together(|partition| partition.share_out(engine, superstep, (states, spills)))
    }

    /// Which states belong to this process, if several share the search.
    pub(in super::super) fn owners(&self) -> Option<Owners> {
        self.partition.as_ref().map(Partition::owners)
    }

    /// Numbers the states found by the slices of a pass, with the other processes if there are any.
    pub(in super::super) fn numbered(&mut self, candidates: &[NewState], found: Vec<FoundInSlice>) -> Option<Vec<NumberedSlice>> {
        match self.is_shared() {
            true => self.together(|partition| partition.number(candidates, &found)),
            false => Some(alone(found)),
        }
    }

    /// The least finding of a level, of all processes: it is recomputed here if another one has it.
    pub(in super::super) fn least_claim<'e>(&mut self, worker: &mut impl Worker<'e>, own: Option<Claim>) -> Option<Claim> {
        if !self.is_shared() {
            return own;
        }
        let saved = own.as_ref().and_then(SavedClaim::of);
        let (process, least) = self.together(|partition| partition.least_claim(saved)).flatten()?;
        let is_own = saved.is_some_and(|saved| saved.order() == least.order());
        // Also where it is known here: all processes take the same steps.
        let fetched = self.fetch_for(worker.expander().engine, least.state, Some(process))?;
        let other = CheckpointFault::Lost(Loss::Broken { process, what: NOT_MET });
        if is_own { own } else { self.met(worker, least, &fetched, other) }
    }

    /// A finding, recomputed in its state; if it does not occur there, the fault of whoever saved it.
    pub(super) fn met<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        saved: SavedClaim,
        fetched: &Fetched,
        other: CheckpointFault,
    ) -> Option<Claim> {
        let again = self.again_in(worker, (saved.state, saved.distance), fetched, Parts::of(saved));
        let claim = again.and_then(|again| again.claim(saved));
        if claim.is_none() && !worker.expander().engine.control.is_stopped() {
            self.fail_alone(other);
        }
        claim
    }

    /// Re-expands or re-examines a state of another process; the targets of the steps have numbers, in whatever process.
    fn again_in<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        (number, distance): (StateNumber, u64),
        fetched: &Fetched,
        parts: Parts,
    ) -> Option<Again> {
        let expander = worker.expander();
        let engine = expander.engine;
        // The tables may have been emptied since its last offer: entries that it reserved are no longer its own.
        expander.writer.keep_up(self.spills());
        let key = fetched.key.key();
        let has_width = matches!(key, Key::Bytes(_)) || matches!(key, Key::Words(words) if engine.store.has_words(words.len()));
        if !has_width || !engine.store.can_be(key, &mut Vec::new()) {
            return None;
        }
        let (id, _) = engine.store.offer(&mut expander.writer.words, key, Rank(0))?;
        let entry = Entry { number, id, class: fetched.class };
        let mut again = || Again::of(worker, entry, distance, parts);
        // After a limit as well: the findings of the others must also be reported.
        let again = if engine.control.is_stopped() { engine.control.last_judgement(again) } else { again() };
        let _ = engine.store.close_slice();
        Some(again)
    }

    /// The state with this number, whichever process has it.
    pub(super) fn fetch(&mut self, engine: &Engine<'_>, number: StateNumber) -> Option<Fetched> {
        self.fetch_for(engine, number, None)
    }

    /// As [`Self::fetch`]; if no process has it, the one that named it is lost.
    fn fetch_for(&mut self, engine: &Engine<'_>, number: StateNumber, namer: Option<usize>) -> Option<Fetched> {
        if self.fault.is_some() {
            return None;
        }
        let mut own = None;
        let read = self.read(number..number.next(), |_, key, (parent, class)| {
            own = engine.orbits.class_at(class).map(|class| Fetched { key: SavedKey::of(key), parent, class });
        });
        self.kept(read)?;
        if self.partition.is_none() {
            return own;
        }
        let fetched = self.together(|partition| partition.fetch(engine.orbits, number, own))?;
        if fetched.is_none() {
            let nobody = CheckpointFault::Other("no process has a state that one of them has found");
            self.fail_alone(namer.map_or(nobody, |process| Loss::Broken { process, what: NOT_MET }.into()));
        }
        fetched
    }

    /// Adds up the counts and findings of all processes in this batch of set-ups: afterwards each has all of it.
    pub(in super::super) fn gather<'e>(&mut self, worker: &mut impl Worker<'e>, ledger: &mut Ledger) {
        let engine = worker.expander().engine;
        if self.partition.is_none() || !ledger.is_spilled() {
            return;
        }
        let disk = self.facts.disk.unwrap_or_default();
        let own = Contribution {
            tally: ledger.tally.clone(),
            sizes: engine.orbits.decimals(),
            guards: places(&ledger.guards),
            unassigned: places(&ledger.unassigned),
            skipped: ledger.skipped.as_ref().map(|(state, _)| *state),
            undecided: ledger.undecided.as_ref().map(|(state, _)| *state),
            runs: disk.runs,
            bytes: disk.bytes,
        };
        let Some(all) = self.together(|partition| partition.gather(&own)) else { return };
        let me = self.partition.as_ref().map_or(0, Partition::me);
        for (process, sums) in all.iter().enumerate().filter(|(process, _)| *process != me) {
            match sums.tally_here(engine.orbits, engine.machine.model().operations.len()) {
                Some(tally) => ledger.tally.merge(&tally),
                None => return self.fail_alone(Loss::Broken { process, what: "its sums are impossible" }.into()),
            }
        }
        if let Some(facts) = &mut self.facts.disk {
            // The number sent by another process is untrusted.
            facts.runs = all.iter().fold(0, |all, sums| sums.runs.saturating_add(all));
            facts.bytes = all.iter().fold(0, |all, sums| sums.bytes.saturating_add(all));
        }
        for (operation, met) in least(all.iter().map(|sums| &sums.guards[..])) {
            let is_met = |again: Again| note(&mut ledger.guards, &again.batch.guards, operation, met.0);
            self.meet_again(worker, met, Parts::Expansion, is_met);
        }
        for (operation, met) in least(all.iter().map(|sums| &sums.unassigned[..])) {
            let is_met = |again: Again| note(&mut ledger.unassigned, &again.batch.unassigned, operation, met.0);
            self.meet_again(worker, met, Parts::Expansion, is_met);
        }
        let first = |of: fn(&Contribution) -> Option<StateNumber>| {
            all.iter().zip(0..).filter_map(|(sums, process)| Some((of(sums)?, process))).min()
        };
        if let Some(met) = first(|sums| sums.skipped) {
            self.meet_again(worker, met, Parts::Expansion, |again| {
                let is_met = again.batch.skipped.is_some();
                ledger.skipped = again.batch.skipped.or(ledger.skipped.take());
                is_met
            });
        }
        if let Some(met) = first(|sums| sums.undecided) {
            self.meet_again(worker, met, Parts::Examination, |again| {
                let is_met = again.undecided.is_some();
                ledger.undecided = again.undecided.map(|error| (met.0, error)).or(ledger.undecided.take());
                is_met
            });
        }
    }

    /// Recomputes what a process reported for a state; the process is lost if it does not occur there.
    fn meet_again<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        (state, process): (StateNumber, usize),
        parts: Parts,
        is_met: impl FnOnce(Again) -> bool,
    ) {
        let engine = worker.expander().engine;
        let Some(fetched) = self.fetch_for(engine, state, Some(process)) else { return };
        self.fetched.insert(state, fetched.key.clone());
        let again = self.again_in(worker, (state, 0), &fetched, parts);
        if !again.is_some_and(is_met) && !engine.control.is_stopped() {
            self.fail_alone(Loss::Broken { process, what: NOT_MET }.into());
        }
    }

    /// Waits until all processes can commit, or have committed, a checkpoint; false if one of them is lost.
    pub(super) fn wait_for_all(&mut self) -> bool {
        self.partition.is_none() || self.together(Partition::wait_for_all).is_some()
    }
}

/// Each operation with the least of its states, and the process that reported it there.
fn least<'p>(places: impl Iterator<Item = &'p [(u32, StateNumber)]>) -> BTreeMap<u32, (StateNumber, usize)> {
    let mut least = BTreeMap::new();
    for (places, process) in places.zip(0..) {
        for (operation, state) in places {
            let met = (*state, process);
            least.entry(*operation).and_modify(|kept: &mut (StateNumber, usize)| *kept = met.min(*kept)).or_insert(met);
        }
    }
    least
}
