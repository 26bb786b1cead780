//! Checkpoints: a folder stores what a search has done so far, and another run resumes it.
//!
//! Invariant: a checkpoint is taken at a barrier, and the last complete one is never touched; so a resumed run ends with the counts,
//! finding and trace of one that was never interrupted. Nothing that can be recomputed is stored: of findings and errors only the states
//! in which they occurred. Deliberately elsewhere: files and their formats (`durable`), when a search has reached a barrier
//! (`breadth_first`), which runs may resume a checkpoint (`cli`), the visited set beyond memory (`disk`; its relation to checkpoints is in
//! `beyond`).

mod again;
mod beyond;
mod passing;
mod restore;
mod rows;
mod shared;
mod snapshot;
mod steps;

use super::disk::{SavedRuns, Share, Tier};
use super::engine::Engine;
use super::internal_steps::Cycle;
use super::ledger::Ledger;
use super::partition::Partition;
use super::position::Position;
use super::saved::{SavedClaim, SavedKey};
use crate::LimitHit;
use crate::count::conclusion::Ending;
use crate::count::first_errors::FirstErrors;
use crate::count::set_up::SetUp;
use crate::count::tally::Orbits;
use crate::number::StateNumber;
use bcheck_durable::folder::Folder;
use bcheck_durable::log::LogWriter;
use bcheck_durable::log_reader::{has_length, read_log};
use bcheck_durable::run::RunFile;
use bcheck_durable::trouble::Trouble;
use bcheck_mesh::Loss;
use rustc_hash::FxHashMap;
pub use snapshot::Manifest;
use snapshot::{Earlier, EarlierClaim, EarlierCycle, Met, SavedBatch, SavedLog, SavedSearch, Snapshot, digest};
use std::time::{Duration, Instant};
use steps::StepLog;

/// Why there is no result: neither the search nor the machine is at fault.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointFault {
    /// The folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] Trouble),
    /// Another process that shares the search is lost, or this one has left it.
    #[error(transparent)]
    Lost(#[from] Loss),
    /// The checkpoint is of another search, although the machine and the options are the same.
    #[error("the checkpoint cannot be continued: {0}")]
    Other(&'static str),
}

/// Facts about the checkpoints of a completed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckpointFacts {
    /// How many checkpoints were written before the last one, including those of earlier runs.
    pub epoch: u64,
    /// States in the last one.
    pub states: u64,
    /// States in the one that this run went on with.
    pub resumed_from: Option<u64>,
    /// Of a search whose states may go beyond memory.
    pub disk: Option<DiskFacts>,
    /// How many processes shared the search; `None` if there was only one.
    pub processes: Option<u32>,
}

/// Facts about a visited set that was allowed to go beyond memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskFacts {
    /// The sorted runs in the end; zero if memory was enough.
    pub runs: u64,
    /// The bytes of states and runs in the end.
    pub bytes: u64,
    /// How many passes there were: how often candidates were looked up in the runs.
    pub passes: u64,
}

/// The open log of the current batch.
struct OpenLog {
    writer: LogWriter,
    /// States below this number are written; of a search beyond memory, the log itself knows how many are.
    written: StateNumber,
}

/// The checkpoints of one run.
pub struct Checkpoints {
    folder: Folder,
    /// The description that the command records about itself.
    pub about: serde_json::Value,
    every: Duration,
    /// Called when writing begins (`true`) and ends: meanwhile the search does not react to limits.
    is_writing: Box<dyn Fn(bool) + Send>,
    epoch: u64,
    /// When the next one is to be written; `None` if that is too far away for the clock.
    due: Option<Instant>,
    /// The checkpoint to resume, until the search has come there.
    resumed: Option<SavedSearch>,
    /// Whether batches before that of the checkpoint are explored again: temporal formulas must be judged under their set-ups as well.
    is_judging: bool,
    earlier: Earlier,
    /// The current batch of set-ups, and a digest of its constants.
    batch: (u64, String),
    log: Option<OpenLog>,
    /// How much memory the visited set may take before it goes beyond, and with how many threads.
    share: Option<(Share, usize)>,
    /// Set where it may.
    tier: Option<Tier>,
    /// Set where several processes share the search.
    partition: Option<Partition>,
    /// Keys of states of other processes that are needed to recompute findings.
    fetched: FxHashMap<StateNumber, SavedKey>,
    /// The rows of that batch, where a graph is recorded.
    rows: Option<OpenLog>,
    /// The internal steps of a refinement check.
    steps: Option<StepLog>,
    /// At the last barrier.
    latest: Option<Snapshot>,
    /// The files that the last manifest names, and those of the one before.
    named: Vec<String>,
    before: Vec<String>,
    /// A manifest to be committed again when the logs are truncated to the lengths it names.
    first: Option<Vec<u8>>,
    facts: CheckpointFacts,
    /// The failure after which nothing more is written.
    fault: Option<CheckpointFault>,
}

impl Checkpoints {
    /// Checkpoints in a new folder. `about` must be equal for another run to resume them.
    pub fn begin(folder: Folder, about: serde_json::Value, every: Duration) -> Result<Self, CheckpointFault> {
        let checkpoints = Self::of((folder, about), every, (0, None));
        // So that a run that is killed before its first barrier can be resumed as well.
        let manifest = Manifest { about: checkpoints.about.clone(), epoch: 0, search: None };
        checkpoints.folder.commit(&to_json(&manifest))?;
        Ok(checkpoints)
    }

    /// Goes on with the checkpoint that a folder holds; `is_older`: a later one was damaged.
    pub fn go_on(folder: Folder, (manifest, is_older): (Manifest, bool), every: Duration) -> Self {
        let named = manifest.files();
        // Before anything is appended, or files might grow until the damaged one seems valid.
        let first = is_older.then(|| to_json(&manifest));
        let Manifest { about, epoch, search } = manifest;
        Self { named, first, ..Self::of((folder, about), every, (epoch, search)) }
    }

    fn of((folder, about): (Folder, serde_json::Value), every: Duration, (epoch, resumed): (u64, Option<SavedSearch>)) -> Self {
        let earlier = resumed.as_ref().map(|search| search.earlier.clone()).unwrap_or_default();
        let resumed_from = resumed.as_ref().map(|search| earlier.states + u64::from(search.batch.snapshot.states.number()));
        Self {
            folder,
            about,
            every,
            is_writing: Box::new(|_| ()),
            epoch,
            due: Instant::now().checked_add(every),
            resumed,
            is_judging: false,
            earlier,
            batch: (0, String::new()),
            log: None,
            share: None,
            tier: None,
            partition: None,
            fetched: FxHashMap::default(),
            rows: None,
            steps: None,
            latest: None,
            named: Vec::new(),
            before: Vec::new(),
            first: None,
            facts: CheckpointFacts { epoch, states: resumed_from.unwrap_or(0), resumed_from, ..CheckpointFacts::default() },
            fault: None,
        }
    }

    /// Calls this when writing begins (`true`) and ends.
    pub fn when_writing(&mut self, call: impl Fn(bool) + Send + 'static) {
        self.is_writing = Box::new(call);
    }

    /// The facts about the checkpoints for the report.
    pub fn facts(&self) -> CheckpointFacts {
        self.facts
    }

    /// The fault that makes the result of the search worthless, if any. A full disk does not: it is a limit.
    ///
    /// Among several processes that share the search, none has the sums of all by then.
    pub(crate) fn take_fault(&mut self) -> Option<CheckpointFault> {
        if self.partition.is_some() {
            return self.fault.take();
        }
        self.fault.take_if(|fault| !matches!(fault, CheckpointFault::Folder(Trouble::Full { .. } | Trouble::Limit { .. })))
    }

    /// The limit that ends a search whose checkpoints cannot be written.
    pub(super) fn limit(&self) -> Option<LimitHit> {
        self.fault.as_ref().map(|fault| match fault {
            CheckpointFault::Folder(Trouble::Full { .. }) => LimitHit::DiskFull,
            CheckpointFault::Folder(Trouble::Limit { bytes, .. }) => LimitHit::DiskLimit(*bytes),
            // No outcome is shown.
            _ => LimitHit::Interrupted,
        })
    }

    /// The orbit sizes to begin with: classes in the checkpoint are indices into them.
    pub(crate) fn orbits(&mut self) -> Orbits {
        let Some(search) = &self.resumed else { return Orbits::new() };
        let sizes: Option<Vec<_>> = search.orbits.iter().map(|size| size.parse().ok()).collect();
        // Class 0 denotes orbits of one state, also where the class is omitted.
        match sizes.filter(|sizes| sizes.first().is_some_and(|first| *first == 1u32.into())) {
            Some(sizes) => Orbits::of_list(sizes),
            None => {
                self.fault = Some(CheckpointFault::Other("its orbit sizes are not numbers"));
                Orbits::new()
            }
        }
    }

    /// Whether the current batch is that of the checkpoint to resume.
    pub(super) fn is_to_resume(&self) -> bool {
        self.resumed.as_ref().is_some_and(|search| search.batch.ordinal == self.batch.0)
    }

    /// Formulas are judged meanwhile.
    pub(super) fn judging(&mut self) {
        self.is_judging = true;
    }

    /// The search of a batch of set-ups begins.
    pub(super) fn begin_batch(&mut self, ordinal: u64, set_ups: &[SetUp]) {
        self.batch = (ordinal, digest(set_ups));
        (self.log, self.rows, self.steps, self.latest) = (None, None, None, None);
        self.partition.iter_mut().for_each(Partition::begin_batch);
        self.begin_tier();
    }

    /// A barrier: everything expanded and numbered so far may be stored.
    pub(super) fn barrier(&mut self, engine: &Engine<'_>, ledger: &Ledger, position: &Position) {
        // The checkpoint to resume stays until the search has reached it.
        if self.fault.is_some() || self.resumed.is_some() {
            return;
        }
        // A copy of the sums at each barrier: what is counted between it and a limit that stops the search is not stored.
        self.latest = Some(Snapshot::of(ledger, position));
        if self.is_due() {
            self.write(engine, ledger);
        }
    }

    /// Writes the state of the last barrier; states numbered later are not part of it.
    pub(super) fn write(&mut self, engine: &Engine<'_>, ledger: &Ledger) {
        if self.fault.is_some() || self.latest.is_none() {
            return;
        }
        (self.is_writing)(true);
        let committed = self.commit(engine, ledger);
        self.kept(committed);
        (self.is_writing)(false);
        self.due = Instant::now().checked_add(self.every);
    }

    /// Whether a checkpoint must be written; processes that share the search have agreed on it.
    fn is_due(&self) -> bool {
        self.partition.as_ref().map_or_else(|| self.is_due_by_clock(), |partition| partition.is_due)
    }

    /// Whether the time between two checkpoints is over.
    fn is_due_by_clock(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// Notes what went wrong, if anything did.
    fn kept<T>(&mut self, done: Result<T, Trouble>) -> Option<T> {
        done.map_err(|trouble| {
            if let Trouble::Full { .. } = trouble {
                // As room for the run that resumes: this one writes nothing more.
                self.folder.release_reserve();
            }
            // The last complete checkpoint stays valid; a run that resumes it cuts off later additions to its log.
            self.fail_alone(trouble.into());
        })
        .ok()
    }

    fn commit(&mut self, engine: &Engine<'_>, ledger: &Ledger) -> Result<(), Trouble> {
        let Some(snapshot) = self.latest.clone() else { return Ok(()) };
        // Whatever the manifest will name is synchronised before it is committed, contents and names: states, rows, runs, internal steps. A
        // manifest that survives a loss of power therefore names only what survives it too.
        let log = self.logged(engine, ledger, snapshot.states)?;
        let numbers = self.logged_numbers()?;
        let graph =
            engine.letters.zip(ledger.attached.recorder.as_ref()).map(|(letters, recorder)| (recorder.graph(), letters.has_steps()));
        let place = (self.batch.0, snapshot.expanded);
        let rows = graph.map(|graph| rows::append(&self.folder, &mut self.rows, graph, place)).transpose()?;
        let states = self.earlier.states + u64::from(snapshot.states.number());
        let (ordinal, digest) = self.batch.clone();
        // States before runs: a run has only keys of states that the log has.
        let runs = self.durable_runs()?;
        let steps = match &ledger.attached.up_to_fault {
            None => None,
            Some(own) => {
                let log = self.steps.get_or_insert_with(|| StepLog::new(ordinal));
                Some(log.append(&self.folder, &own.internal, snapshot.internal)?)
            }
        };
        let manifest = Manifest {
            about: self.about.clone(),
            epoch: self.epoch + 1,
            search: Some(SavedSearch {
                orbits: engine.orbits.decimals(),
                earlier: self.earlier.clone(),
                batch: SavedBatch { ordinal, digest, log, numbers, runs, rows, steps, snapshot },
            }),
        };
        if !self.wait_for_all() {
            return Ok(());
        }
        // Whatever fails from here on, this checkpoint is valid.
        self.folder.commit(&to_json(&manifest))?;
        self.epoch += 1;
        if !self.wait_for_all() {
            return Ok(());
        }
        tracing::debug!(target: "bcheck::explore", epoch = self.epoch, states, "checkpoint written");
        (self.facts.epoch, self.facts.states) = (self.epoch, states);
        engine.control.note_checkpoint(self.epoch, states);
        // Only after the commit, and the files of the previous one are kept as well: it must remain valid in case this one gets damaged.
        let named = manifest.files();
        self.before = std::mem::replace(&mut self.named, named);
        self.folder.keep_only(&self.before.iter().chain(&self.named).map(String::as_str).collect::<Vec<_>>())
    }

    /// Appends the states below this number to the log of the batch.
    fn log_states(&mut self, engine: &Engine<'_>, ledger: &Ledger, end: StateNumber) -> Result<(), Trouble> {
        let width = engine.store.key_words();
        let ordinal = self.batch.0;
        let log = self
            .log
            .get_or_insert_with(|| OpenLog { writer: LogWriter::new(&format!("states-{ordinal}"), width), written: StateNumber::new(0) });
        let mut words = Vec::new();
        // Beyond memory all states are there already: they were pushed when they got their numbers.
        let begin = if ledger.is_spilled() { end } else { log.written };
        for number in StateNumber::each(begin..end) {
            let (id, (parent, class)) = ledger.columns.saved(number);
            let (folder, writer) = (&self.folder, &mut log.writer);
            engine.store.with_key(id, &mut words, |key| writer.push(folder, key, parent.number().into(), class.number()))?;
            log.written = number.next();
        }
        Ok(())
    }

    /// Writes the states to the log, and makes them durable.
    fn logged(&mut self, engine: &Engine<'_>, ledger: &Ledger, end: StateNumber) -> Result<SavedLog, Trouble> {
        self.log_states(engine, ledger, end)?;
        let log = self.log.as_mut().expect("it was begun");
        Ok(SavedLog { width: engine.store.key_words(), length: log.writer.flush(&self.folder)? })
    }

    /// A batch of set-ups has been explored to its end; `ending` has its sums, `cycle` is the first cycle of the search.
    pub(super) fn end_batch(
        &mut self,
        engine: &Engine<'_>,
        ledger: &Ledger,
        (ending, cycle): (&Ending, Option<&Cycle>),
        is_initialised: bool,
    ) {
        // The data of earlier batches in the resumed checkpoint remain valid.
        if self.resumed.is_some() {
            return;
        }
        let ordinal = self.batch.0;
        // By key as well: the log of this batch is removed, unless it has the finding, so a number will not identify the state.
        let keys = self.met_keys(engine, ledger);
        let Some(keys) = self.kept(keys) else { return };
        let met = |state: StateNumber| Met { ordinal, state, key: keys[&state].clone() };
        let add = |into: &mut Vec<(u32, Met)>, errors: &FirstErrors| {
            let is_known = |operation: u32| into.iter().any(|(known, _)| *known == operation);
            let new: Vec<_> = errors.places().filter(|(operation, _)| !is_known(operation.0)).collect();
            into.extend(new.into_iter().map(|(operation, state)| (operation.0, met(state))));
        };
        let earlier = &mut self.earlier;
        add(&mut earlier.guards, &ledger.guards);
        add(&mut earlier.unassigned, &ledger.unassigned);
        earlier.skipped = earlier.skipped.take().or_else(|| Some(met(ledger.skipped.as_ref()?.0)));
        earlier.undecided = earlier.undecided.take().or_else(|| Some(met(ledger.undecided.as_ref()?.0)));
        earlier.tally.merge(&ending.tally);
        earlier.states += u64::from(ledger.len());
        earlier.depth = earlier.depth.max(ending.depth);
        earlier.is_initialised |= is_initialised;
        ledger.attached.up_to_fault.iter().for_each(|own| earlier.facts.merge(own.facts));
        if self.fault.is_none()
            && earlier.claim.is_none()
            && let Some(claim) = &ending.claim
        {
            let in_state = SavedClaim::of(claim);
            // All states of the batch, not only those of the trace: it is found again by following parents backwards.
            match self.logged(engine, ledger, ledger.end()) {
                Ok(log) => self.earlier.claim = Some(EarlierClaim { ordinal, in_state, log }),
                Err(trouble) => self.fault = Some(trouble.into()),
            }
        }
        if self.fault.is_none()
            && let Some(cycle) = cycle
        {
            match self.logged(engine, ledger, ledger.end()) {
                Ok(log) => self.earlier.cycle = Some(EarlierCycle::of(cycle, ordinal, log)),
                Err(trouble) => self.fault = Some(trouble.into()),
            }
        }
    }
}

impl Manifest {
    /// A manifest as a folder has it.
    pub fn of_json(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok().filter(Self::is_countable)
    }

    /// What must be equal for a run to resume it.
    pub fn about(&self) -> &serde_json::Value {
        &self.about
    }

    /// How many checkpoints were written before.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// States, level and states expanded at the barrier; `None` before the first one.
    pub fn progress(&self) -> Option<(u64, u64, u64)> {
        let SavedSearch { earlier, batch, .. } = self.search.as_ref()?;
        let Snapshot { states, distance, expanded, .. } = batch.snapshot;
        Some((earlier.states + u64::from(states.number()), distance, earlier.states + u64::from(expanded.number())))
    }

    fn logs(&self) -> impl Iterator<Item = &SavedLog> {
        let search = self.search.iter();
        search.flat_map(|SavedSearch { earlier, batch, .. }| {
            let of_claim = earlier.claim.as_ref().map(|claim| &claim.log);
            let of_cycle = earlier.cycle.as_ref().map(|cycle| &cycle.log);
            let of_batch = [Some(&batch.log), batch.numbers.as_ref(), batch.rows.as_ref(), batch.steps.as_ref()];
            of_batch.into_iter().chain([of_claim, of_cycle]).flatten()
        })
    }

    fn saved_runs(&self) -> Option<&SavedRuns> {
        self.search.as_ref()?.batch.runs.as_ref()
    }

    /// The sorted runs of a search beyond memory: how many they are, their keys and bytes.
    pub fn runs(&self) -> Option<(usize, u64, u64)> {
        let add = |(runs, keys, bytes): (usize, u64, u64), run: &RunFile| (runs + 1, keys + run.keys, bytes + run.bytes);
        Some(self.saved_runs()?.files().fold((0, 0, 0), add))
    }

    /// Whether a folder has all that it names.
    pub fn stands(&self, folder: &Folder) -> Result<bool, Trouble> {
        for log in self.logs() {
            if !has_length(folder, &log.length)? {
                return Ok(false);
            }
        }
        for run in self.saved_runs().into_iter().flat_map(SavedRuns::files) {
            if !run.is_there(folder)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The bytes of states and runs.
    pub fn bytes(&self) -> u64 {
        let of_logs: u64 = self.logs().flat_map(|log| &log.length.files).map(|(_, length)| length).sum();
        of_logs + self.runs().map_or(0, |(_, _, bytes)| bytes)
    }

    fn files(&self) -> Vec<String> {
        let of_logs = self.logs().flat_map(|log| log.length.files.iter().map(|(name, _)| name.clone()));
        of_logs.chain(self.saved_runs().into_iter().flat_map(SavedRuns::files).map(|run| run.name.clone())).collect()
    }

    /// Reads all states and runs that it names; an error says where they are damaged. Returns the number of entries of its logs.
    pub fn read_all(&self, folder: &Folder) -> Result<u64, Trouble> {
        let mut states = 0;
        for SavedLog { width, length } in self.logs() {
            read_log(folder, *width, length, &mut |_, _, _, _| {
                states += 1;
                std::ops::ControlFlow::Continue(())
            })?;
        }
        self.saved_runs().map_or(Ok(()), |runs| runs.read_all(folder))?;
        Ok(states)
    }
}

fn to_json(manifest: &Manifest) -> Vec<u8> {
    serde_json::to_vec(manifest).expect("a manifest is plain data with texts as keys")
}
