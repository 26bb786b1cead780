//! A search beyond memory in the folder of its checkpoints: the log has its states, and sorted runs are named by its manifests.
//!
//! Invariant: every failure becomes the fault of the checkpoints, and ends the search; files named by the last manifest are never changed.
//! Deliberately elsewhere: tables and runs (`disk`).

use super::super::columns::Entry;
use super::super::disk::pass::Pass;
use super::super::disk::{SavedRuns, Share, Tier, in_log};
use super::super::engine::Engine;
use super::super::ledger::{Ledger, Waiting};
use super::super::offers::NewState;
use super::super::partition::{Fetched, NUMBER_WORDS, number_at, places};
use super::super::position::Position;
use super::super::rank::parent_of;
use super::super::saved::SavedKey;
use super::snapshot::{SavedLog, Snapshot};
use super::{CheckpointFault, Checkpoints, DiskFacts};
use crate::number::{LogPlace, ParentNumber, StateNumber};
use crate::property::{Claim, Place};
use bcheck_durable::log::Key;
use bcheck_durable::log_reader::read_states;
use bcheck_durable::run::RunFile;
use bcheck_durable::trouble::Trouble;
use bcheck_state::StateId;
use rustc_hash::FxHashMap;
use std::ops::{ControlFlow, Range};

/// Candidates whose ranks several processes send each other at once: tens of megabytes.
const MOST_RANKS: usize = if cfg!(test) { 1 << 5 } else { 1 << 23 };

/// The id in entries of states that are given by their keys.
const NO_ID: StateId = StateId(u32::MAX);

impl Checkpoints {
    /// Lets the visited set go beyond memory when it has taken its share; this many `threads` look candidates up.
    pub fn go_beyond(&mut self, share: Share, threads: usize) {
        self.share = Some((share, threads));
        self.facts.disk = Some(DiskFacts::default());
    }

    /// Whether the checkpoint to resume is of a search beyond memory, which can only continue there.
    pub fn is_beyond(&self) -> bool {
        self.resumed.as_ref().is_some_and(|search| search.batch.runs.is_some())
    }

    /// A batch of set-ups begins within memory.
    pub(super) fn begin_tier(&mut self) {
        self.tier = self.share.map(|(share, threads)| Tier::new(share, threads, self.run_name()));
    }

    /// The prefix of the names of the runs of a batch of set-ups.
    pub(super) fn run_name(&self) -> String {
        format!("run-{}", self.batch.0)
    }

    /// Whether the visited set, so far within memory, has taken its share of it.
    pub(in super::super) fn is_to_spill(&self, engine: &Engine<'_>, ledger: &Ledger, more: usize) -> bool {
        self.fault.is_none()
            && self.tier.as_ref().is_some_and(|tier| {
                let taken = (ledger.columns.memory(), engine.control.resident());
                tier.is_full(&engine.store, (0, more), taken)
            })
    }

    /// Whether the slices since the last pass make a pass: the tables are full, there is enough to send, or a checkpoint is due.
    pub(in super::super) fn is_pass_over(&self, engine: &Engine<'_>, pass: &Pass) -> bool {
        let is_enough = self.is_shared() && pass.candidates.len() >= MOST_RANKS;
        is_enough || self.is_due() || self.is_full(engine, pass)
    }

    /// Whether the tables have taken their share of memory, with the candidates of a pass.
    pub(in super::super) fn is_full(&self, engine: &Engine<'_>, pass: &Pass) -> bool {
        let tier = self.tier.as_ref().expect("a search beyond memory has a lower tier");
        tier.is_full(&engine.store, (pass.candidates.len(), pass.of_last_superstep()), (0, engine.control.resident()))
    }

    /// How often this process has emptied the tables.
    pub(in super::super) fn spills(&self) -> u64 {
        self.tier.as_ref().map_or(0, |tier| tier.spills)
    }

    /// An empty pass.
    pub(in super::super) fn pass(&self) -> Pass {
        Pass::with_room(self.tier.as_ref().map_or(0, Tier::most_candidates))
    }

    /// Writes the states that are in no sorted run to a new one, and empties the tables.
    pub(in super::super) fn spill(&mut self, engine: &Engine<'_>, ledger: &mut Ledger) {
        (self.is_writing)(true);
        let spilled = self.spill_states(engine, ledger);
        self.kept(spilled);
        self.keep_within(engine);
        (self.is_writing)(false);
    }

    fn spill_states(&mut self, engine: &Engine<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
        let end = ledger.end();
        let own = places(self.partition.as_ref(), StateNumber::new(0)..end).end;
        if !ledger.is_spilled() {
            self.log_states(engine, ledger, end)?;
        }
        let log = self.log.as_mut().expect("states were logged");
        // Written out, not synchronised: the run is made from what can be read, and the next commit makes both durable.
        log.writer.write_out(&self.folder)?;
        // From here on only the log has the columns, even where the spill fails: the trace of a finding is read from it.
        ledger.spill(end);
        let tier = self.tier.as_mut().expect("only a search with a lower tier spills");
        let replaced = tier.spill(&self.folder, &log.writer, &engine.store, own)?;
        // Those that a manifest names are removed after the next commit.
        for RunFile { name, .. } in replaced.iter().filter(|run| !self.named.contains(&run.name) && !self.before.contains(&run.name)) {
            self.folder.files().remove(name).map_err(|error| Trouble::io(name, error))?;
        }
        self.note_disk();
        Ok(())
    }

    /// Lists states that are to be expanded, with their keys.
    pub(in super::super) fn list(&mut self, engine: &Engine<'_>, numbers: Range<StateNumber>, waiting: &mut Waiting) {
        waiting.spills = self.spills();
        let read = self.read(numbers, |number, key, (_, class)| {
            waiting.entries.push(Entry { number, id: NO_ID, class: engine.orbits.class_at(class).expect("classes of this search") });
            waiting.keys.push(key);
        });
        self.kept(read);
    }

    /// Reads states of the log: calls `state` with number, key, parent and class.
    pub(super) fn read(
        &mut self,
        numbers: Range<StateNumber>,
        mut state: impl FnMut(StateNumber, Key<'_>, (ParentNumber, u32)),
    ) -> Result<(), Trouble> {
        let log = self.log.as_mut().expect("a search beyond memory has a log");
        // The index of a log has whole blocks only, so the open one is closed, which costs a short block for each read.
        log.writer.write_out(&self.folder)?;
        let partition = self.partition.as_ref();
        let places = places(partition, numbers);
        read_states(&self.folder, &log.writer, in_log(&places), &mut |place, key, parent, class| {
            let small = |number: u64| u32::try_from(number).expect("numbers of this search");
            state(number_at(partition, LogPlace::new(small(place))), key, (ParentNumber::new(small(parent)), class));
            ControlFlow::Continue(())
        })
    }

    /// Removes the candidates of a pass that are in runs. Until it is closed, the search does not react to limits: a resumed run would have
    /// to expand its slices again.
    pub(in super::super) fn remove_duplicates(&mut self, engine: &Engine<'_>, pass: &mut Pass) {
        // Until `closed`.
        (self.is_writing)(true);
        let tier = self.tier.as_mut().expect("a search beyond memory has a lower tier");
        let removed = tier.remove_duplicates(&self.folder, &engine.store, pass);
        self.kept(removed);
    }

    /// Called when a pass is closed.
    pub(in super::super) fn closed(&mut self, engine: &Engine<'_>) {
        self.note_disk();
        self.keep_within(engine);
        (self.is_writing)(false);
    }

    /// Appends the next state, which has this number, to the log; false where that is impossible.
    pub(in super::super) fn push(
        &mut self,
        engine: &Engine<'_>,
        (NewState { rank, id, class }, number): (&NewState, StateNumber),
        words: &mut Vec<u64>,
    ) -> bool {
        let columns = (parent_of(*rank), class.number());
        engine.store.with_key(*id, words, |key| self.push_key(key, number, columns))
    }

    /// As [`Self::push`], for a state with this key, parent and class.
    pub(super) fn push_key(&mut self, key: Key<'_>, number: StateNumber, (parent, class): (ParentNumber, u32)) -> bool {
        let (folder, log) = (&self.folder, self.log.as_mut().expect("a search beyond memory has a log"));
        let mut pushed = log.writer.push(folder, key, parent.number().into(), class);
        if let (Some(partition), Ok(())) = (&mut self.partition, &pushed) {
            pushed = partition.push_number(folder, self.batch.0, number);
        }
        self.kept(pushed).is_some()
    }

    /// Makes the numbers of the own states durable, if several processes share the search.
    pub(super) fn logged_numbers(&mut self) -> Result<Option<SavedLog>, Trouble> {
        let Some(partition) = &mut self.partition else { return Ok(None) };
        partition.flush_numbers(&self.folder, self.batch.0).map(|length| Some(SavedLog { width: NUMBER_WORDS, length }))
    }

    /// Writes a checkpoint of the work before states that are not part of one.
    pub(in super::super) fn write_before(&mut self, engine: &Engine<'_>, ledger: &Ledger, position: &Position) {
        if self.fault.is_none() {
            self.latest = Some(Snapshot::of(ledger, position));
            self.write(engine, ledger);
        }
        self.latest = None;
    }

    /// Makes the runs durable; returns their records for a manifest.
    pub(super) fn durable_runs(&mut self) -> Result<Option<SavedRuns>, Trouble> {
        let Some(tier) = &self.tier else { return Ok(None) };
        let is_new = |run: &&RunFile| !self.named.contains(&run.name);
        for RunFile { name, .. } in tier.files().filter(is_new) {
            self.folder.files().sync(name).map_err(|error| Trouble::io(name, error))?;
        }
        if let Some(run) = tier.files().find(is_new) {
            // The names after the contents, and both before a manifest names the files.
            self.folder.files().sync_folder().map_err(|error| Trouble::io(&run.name, error))?;
        }
        Ok(tier.saved())
    }

    /// Reads the states of a finding's trace into the ledger, which lacks them beyond memory.
    pub(in super::super) fn trace(&mut self, engine: &Engine<'_>, ledger: &mut Ledger, claim: &mut Option<Claim>) {
        let Some(Claim { place: Place::State(number), .. }) = *claim else { return };
        if !ledger.is_spilled() {
            return;
        }
        if self.log.is_none() || self.fault.is_some() && self.is_shared() {
            // Stopped before its states were restored: a resumed run finds it again.
            *claim = None;
            return;
        }
        // One state at a time, back along the parents: a trace is short compared with the log, and each read takes a block or two.
        let mut next = Some(number);
        while let Some(number) = next {
            let Some(Fetched { key, parent, .. }) = self.fetch(engine, number) else {
                // Where the disk is full, unwritten states are lost: a resumed run finds it again.
                *claim = None;
                return;
            };
            ledger.columns.trace(number, engine.store.decode(engine.machine, key.key()), parent);
            next = parent.state();
        }
    }

    /// The keys of the states in which this batch of set-ups found what is reported.
    pub(super) fn met_keys(&mut self, engine: &Engine<'_>, ledger: &Ledger) -> Result<FxHashMap<StateNumber, SavedKey>, Trouble> {
        let met = ledger.guards.places().chain(ledger.unassigned.places()).map(|(_, state)| state);
        let others = ledger.skipped.iter().chain(&ledger.undecided).map(|(state, _)| *state);
        let mut keys = FxHashMap::default();
        for state in met.chain(others) {
            if let Some(key) = self.fetched.get(&state) {
                keys.insert(state, key.clone());
            } else if ledger.is_spilled() {
                self.read(state..state.next(), |_, key, _| _ = keys.insert(state, SavedKey::of(key)))?;
            } else {
                keys.insert(state, engine.store.with_key(ledger.entry(state).id, &mut Vec::new(), SavedKey::of));
            }
        }
        Ok(keys)
    }

    /// Opens the runs of the checkpoint to resume.
    pub(super) fn open_tier(&mut self, saved: Option<&SavedRuns>) -> Result<(), CheckpointFault> {
        if let (Some((share, threads)), Some(saved)) = (self.share, saved) {
            self.tier = Some(Tier::open(&self.folder, (share, threads, self.run_name()), saved)?);
            self.note_disk();
        }
        Ok(())
    }

    fn keep_within(&mut self, engine: &Engine<'_>) {
        if let Some(tier) = &mut self.tier {
            tier.keep_within(engine.control.take_most_resident());
        }
    }

    fn note_disk(&mut self) {
        let log = self.log.as_ref().map_or(0, |log| log.writer.bytes());
        if let (Some(facts), Some(tier)) = (&mut self.facts.disk, &self.tier) {
            let runs = tier.files().map(|run| run.bytes).sum::<u64>();
            *facts = DiskFacts { runs: tier.files().count() as u64, bytes: log + runs, passes: tier.passes };
        }
    }
}
