//! Resumes a search from a checkpoint.
//!
//! Set-ups are enumerated again, and so are the initial states of the current batch; the other states come from the log, in the order of
//! their numbers. Findings and errors are recomputed in the states in which they occurred.
//! Invariant: a checkpoint that does not belong to this search is refused, not continued: set-ups and initial states must be those of the
//! log, each state must be new to the visited set, and expanding the first and last states again must lead to states of the log only.

use super::super::columns::Entry;
use super::super::disk::{Tier, in_log};
use super::super::entry_batch::{EntryBatch, EntryOutcome};
use super::super::internal_steps::Cycle;
use super::super::ledger::Ledger;
use super::super::partition::{NUMBER_WORDS, Partition, number_at, numbers_name, places};
use super::super::position::Position;
use super::super::recorder::Recorder;
use super::super::recording::OnTheFlyChecks;
use super::super::saved::SavedClaim;
use super::super::subject::Worker;
use super::super::up_to_fault::RunFacts;
use super::again::{Again, OTHER_STATES, Parts, note};
use super::snapshot::{Earlier, EarlierClaim, Met, SavedBatch, SavedLog, Snapshot, digest};
use super::steps::{StepLog, read_steps};
use super::{CheckpointFault, Checkpoints, OpenLog, rows};
use crate::count::conclusion::Ending;
use crate::count::first_errors::FirstErrors;
use crate::count::set_up::SetUp;
use crate::count::tally::{OrbitClass, Orbits};
use crate::number::{LogPlace, ParentNumber, StateNumber};
use crate::property::Claim;
use crate::thresholds::RESTORED_SAMPLE;
use bcheck_durable::folder::Folder;
use bcheck_durable::log::{Key, LogIndex, LogWriter};
use bcheck_durable::log_reader::{read_log, read_states};
use bcheck_eval::EvalError;
use bcheck_state::Rank;
use std::ops::ControlFlow;

/// States entered between two looks at the memory that they take.
const ENTERED_AT_ONCE: u32 = if cfg!(test) { 1 << 3 } else { 1 << 14 };

const OTHER_SET_UPS: CheckpointFault = CheckpointFault::Other("the machine has other set-ups now");
pub(super) const OTHER_FINDINGS: CheckpointFault = CheckpointFault::Other("a finding or warning of the checkpoint does not recur");

/// How a batch of set-ups is treated.
pub(in super::super) enum Way {
    /// It is explored from its initial states.
    Explore,
    /// It was explored before the checkpoint was taken, and only its sums are needed.
    PassOver,
    /// It was explored before, and has the finding of the search.
    Finding,
    /// The checkpoint was taken when it was explored.
    GoOn,
}

impl Checkpoints {
    /// How this batch of set-ups is treated.
    pub(in super::super) fn way(&self, ordinal: u64) -> Way {
        let Some(search) = &self.resumed else { return Way::Explore };
        let has_claim = search.earlier.claim.as_ref().is_some_and(|claim| claim.ordinal == ordinal);
        let has_finding = has_claim || self.cycle_in(ordinal).is_some();
        match ordinal.cmp(&search.batch.ordinal) {
            std::cmp::Ordering::Less if self.is_judging => Way::Explore,
            std::cmp::Ordering::Less if has_finding => Way::Finding,
            std::cmp::Ordering::Less => Way::PassOver,
            std::cmp::Ordering::Equal => Way::GoOn,
            std::cmp::Ordering::Greater => Way::Explore,
        }
    }

    /// The cycle of internal steps that a batch before the one of the checkpoint has.
    pub(in super::super) fn cycle_in(&self, ordinal: u64) -> Option<Cycle> {
        let earlier = &self.resumed.as_ref()?.earlier;
        earlier.cycle.as_ref().filter(|cycle| cycle.ordinal == ordinal && earlier.claim.is_none()).map(|cycle| cycle.cycle())
    }

    /// The sums of the batches before the one of the checkpoint: tally, states, depth, whether there was an initial state, facts.
    pub(in super::super) fn sums(&self) -> Option<(Ending, u64, bool, RunFacts)> {
        let Earlier { tally, states, depth, is_initialised, facts, .. } = &self.resumed.as_ref().filter(|_| !self.is_judging)?.earlier;
        Some((Ending { tally: tally.clone(), depth: *depth, ..Ending::default() }, *states, *is_initialised, *facts))
    }

    /// Adds the errors of a batch that is not explored again to the warnings of the search, and returns why steps are missing and why a
    /// property is undecided, if that occurred in this batch.
    pub(in super::super) fn met_again<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        ordinal: u64,
        (guards, unassigned): (&mut FirstErrors, &mut FirstErrors),
    ) -> (Option<EvalError>, Option<EvalError>) {
        let Some(search) = &self.resumed else { return (None, None) };
        let Earlier { guards: of_guards, unassigned: of_results, skipped, undecided, .. } = search.earlier.clone();
        let mut again = |met: &Met| {
            let expander = worker.expander();
            let (id, _) = expander.engine.store.offer(&mut expander.writer.words, met.key.key(), Rank(0))?;
            Some(Again::of(worker, Entry { number: met.state, id, class: Orbits::SINGLE }, 0, Parts::Both))
        };
        let of_batch = |met: &&Met| met.ordinal == ordinal;
        let mut is_met = true;
        for (operation, met) in of_guards.iter().filter(|(_, met)| of_batch(&met)) {
            is_met &= again(met).is_some_and(|again| note(guards, &again.batch.guards, *operation, met.state));
        }
        for (operation, met) in of_results.iter().filter(|(_, met)| of_batch(&met)) {
            is_met &= again(met).is_some_and(|again| note(unassigned, &again.batch.unassigned, *operation, met.state));
        }
        let skipped = skipped.as_ref().filter(of_batch).map(|met| again(met)?.batch.skipped);
        let undecided = undecided.as_ref().filter(of_batch).map(|met| again(met)?.undecided);
        is_met &= !matches!(skipped, Some(None)) && !matches!(undecided, Some(None));
        if !is_met {
            self.fail(worker, OTHER_FINDINGS);
        }
        (skipped.flatten().map(|(_, error)| error), undecided.flatten())
    }

    /// Enters the states of the batch that has the finding or the cycle of the search, for its trace; returns the finding if it is in a
    /// state.
    pub(in super::super) fn restore_finding<'e>(&mut self, worker: &mut impl Worker<'e>, ledger: &mut Ledger) -> Option<Claim> {
        let Earlier { claim: earlier, cycle, .. } = &self.resumed.as_ref()?.earlier;
        let (in_state, log) = match (earlier, cycle) {
            (Some(EarlierClaim { in_state, log, .. }), _) => (*in_state, log.clone()),
            (None, cycle) => (None, cycle.as_ref()?.log.clone()),
        };
        if self.partition.is_some() {
            // Each process has only a part of the states, and no later batch needs them.
            self.fail(worker, CheckpointFault::Other("several processes cannot trace the finding of an earlier batch of set-ups"));
            return None;
        }
        let restored = read(&self.folder, worker, ledger, (&log, true)).and_then(|_| {
            let mut restoring = Restoring { folder: &self.folder, worker, ledger, log: None, tier: None, partition: None };
            in_state.map(|saved| restoring.claim(saved)).transpose()
        });
        match restored {
            Ok(claim) => claim,
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    /// Resumes the batch of the checkpoint, whose initial states are in the ledger; returns the position in it, or `None` if that is
    /// impossible or the search was stopped meanwhile: then nothing is written, and the checkpoint remains. Breaks if a formula already
    /// ends the search.
    pub(in super::super) fn restore<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        ledger: &mut Ledger,
        set_ups: &[SetUp],
        checks: Option<&mut OnTheFlyChecks<'_, '_>>,
    ) -> Option<(Position, ControlFlow<()>)> {
        let search = self.resumed.take()?;
        let first = self.first.take();
        let SavedBatch { ordinal, runs, rows, snapshot, .. } = &search.batch;
        let restored = self.open_tier(runs.as_ref()).and_then(|()| {
            let (folder, tier, partition) = (&self.folder, self.tier.as_mut(), self.partition.as_mut());
            let restoring = Restoring { folder, worker: &mut *worker, ledger: &mut *ledger, log: None, tier, partition };
            let (position, writer, steps) = restoring.run(&search.batch, set_ups)?;
            let graph = (*ordinal, rows.as_ref(), snapshot);
            let graph = checks.map(|checks| rows::restore(folder, worker, ledger, graph, checks)).transpose()?;
            // An older checkpoint is committed again, now that its files are cut back.
            first.as_ref().map_or(Ok(()), |manifest| folder.commit(manifest))?;
            Ok((position, (writer, steps), graph.unwrap_or((None, ControlFlow::Continue(())))))
        });
        let engine = worker.expander().engine;
        let is_stopped = engine.control.is_stopped();
        if restored.is_err() || is_stopped {
            // Interrupted work may be incomplete: rows without the errors in their states, say. Neither is a checkpoint written from it,
            // nor a formula judged on it.
            ledger.attached.recorder = engine.letters.map(|letters| Box::new(Recorder::new(letters)));
        }
        match restored {
            Ok(_) if is_stopped => None,
            Ok((mut position, (writer, steps), (rows, flow))) => {
                let snapshot = search.batch.snapshot;
                self.log = Some(OpenLog { writer, written: snapshot.states });
                (self.rows, self.steps) = (rows, steps);
                // All processes have the same one, which is in a state of one of them.
                if let Some(saved) = snapshot.before.filter(|_| self.is_shared()) {
                    let fetched = self.fetch(engine, saved.state)?;
                    position.before = self.met(worker, saved, &fetched, OTHER_FINDINGS);
                }
                self.latest = Some(snapshot);
                Some((position, flow))
            }
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    fn fail<'e>(&mut self, worker: &mut impl Worker<'e>, fault: CheckpointFault) {
        // An interrupted re-expansion is not evidence of another machine.
        if !worker.expander().engine.control.is_stopped() {
            self.fail_alone(fault);
        }
    }
}

/// A batch of set-ups that is resumed.
struct Restoring<'r, W> {
    folder: &'r Folder,
    worker: &'r mut W,
    ledger: &'r mut Ledger,
    /// Set once its states were entered.
    log: Option<LogWriter>,
    /// Set where states may go beyond memory.
    tier: Option<&'r mut Tier>,
    /// Set where several processes share the search: then the log has the states of this one.
    partition: Option<&'r mut Partition>,
}

impl<'e, W: Worker<'e>> Restoring<'_, W> {
    fn run(mut self, batch: &SavedBatch, set_ups: &[SetUp]) -> Result<(Position, LogWriter, Option<StepLog>), CheckpointFault> {
        if digest(set_ups) != batch.digest {
            return Err(OTHER_SET_UPS);
        }
        let is_within = self.tier.is_none();
        if is_within && batch.runs.is_some() {
            return Err(CheckpointFault::Other("its states are beyond memory"));
        }
        if self.partition.is_some() != batch.numbers.is_some() {
            return Err(CheckpointFault::Other("it was written by a different number of processes"));
        }
        // If states may be on disk, this pass only verifies checksums and numbers; `enter` enters those that are in no run.
        let mut index = match &batch.numbers {
            Some(numbers) => self.read_own(batch, numbers)?,
            None => read(self.folder, self.worker, self.ledger, (&batch.log, is_within))?,
        };
        let (folder, length) = (self.folder, &batch.log.length);
        let go_on = |index| LogWriter::go_on(folder, &format!("states-{}", batch.ordinal), batch.log.width, length, index);
        if !is_within {
            let log = go_on(std::mem::take(&mut index))?;
            let own = places(self.partition.as_deref(), StateNumber::new(0)..batch.snapshot.states).end;
            self.enter(&log, own)?;
            if self.partition.is_some() {
                // From here on it counts the states of all processes again.
                self.ledger.spill(batch.snapshot.states);
            }
            self.log = Some(log);
        }
        let position = self.take_over(batch.snapshot.clone())?;
        let operations = self.worker.expander().engine.machine.model().operations.len();
        let numbers = (batch.snapshot.expanded, batch.snapshot.states, operations);
        let own = self.ledger.attached.up_to_fault.as_mut().zip(batch.steps.as_ref());
        let steps = own.map(|(own, log)| read_steps(folder, log, numbers, &mut own.internal).map(|index| (log, index))).transpose()?;
        // Re-expansion may have entered states of runs.
        let _ = self.worker.expander().engine.store.close_slice();
        // Within memory the log is cut back last, when nothing can be refused any more.
        let log = self.log.take().map_or_else(|| go_on(index), Ok)?;
        let steps = steps.map(|(log, index)| StepLog::go_on(folder, batch.ordinal, &log.length, index)).transpose()?;
        Ok((position, log, steps))
    }

    /// Restores counts and findings.
    fn take_over(&mut self, snapshot: Snapshot) -> Result<Position, CheckpointFault> {
        let Snapshot {
            level,
            distance,
            expanded,
            states,
            tally,
            guards,
            unassigned,
            skipped,
            undecided,
            before,
            of_level,
            formulas,
            facts,
            ..
        } = snapshot;
        let is_in_order = level.0 <= expanded && expanded <= level.1 && level.1 <= states && states == self.ledger.end();
        if !is_in_order {
            return Err(CheckpointFault::Other("its numbers contradict each other"));
        }
        // Must run before the counters are restored: re-expanded states would be counted twice.
        self.sample(expanded, distance)?;
        self.ledger.tally = tally;
        if let Some(own) = &mut self.ledger.attached.up_to_fault {
            own.facts = facts;
        }
        let find = |found: bool| if found { Ok(()) } else { Err(OTHER_FINDINGS) };
        for (operation, state) in guards {
            let again = self.again(state, distance, Parts::Expansion)?;
            find(note(&mut self.ledger.guards, &again.batch.guards, operation, state))?;
        }
        for (operation, state) in unassigned {
            let again = self.again(state, distance, Parts::Expansion)?;
            find(note(&mut self.ledger.unassigned, &again.batch.unassigned, operation, state))?;
        }
        if let Some(state) = skipped {
            self.ledger.skipped = self.again(state, distance, Parts::Expansion)?.batch.skipped;
            find(self.ledger.skipped.is_some())?;
        }
        if let Some(state) = undecided {
            self.ledger.undecided = self.again(state, distance, Parts::Examination)?.undecided.map(|error| (state, error));
            find(self.ledger.undecided.is_some())?;
        }
        // If several processes share the search, it may be in a state of another one: that is requested later.
        let before = before.filter(|_| self.partition.is_none()).map(|saved| self.claim(saved)).transpose()?;
        self.ledger.claim = of_level.map(|saved| self.claim(saved)).transpose()?;
        let engine = self.worker.expander().engine;
        engine.control.resume(engine.stored_before + u64::from(states.number()), self.ledger.tally.transitions());
        Ok(Position { level: level.0..level.1, expanded, distance, before, is_check_due: formulas.is_check_due })
    }

    /// Reads the log of one of several processes, and the numbers of its states; returns the index of the log.
    fn read_own(&mut self, batch: &SavedBatch, numbers: &SavedLog) -> Result<LogIndex, CheckpointFault> {
        let Some(partition) = &mut self.partition else { return Err(OTHER_STATES) };
        let engine = self.worker.expander().engine;
        if batch.log.width != engine.store.key_words() || numbers.width != NUMBER_WORDS || numbers.length.states != batch.log.length.states
        {
            return Err(OTHER_STATES);
        }
        let mut is_expected = true;
        let flow = |goes_on: bool| if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        partition.numbers.clear();
        let index_of_numbers = read_log(self.folder, NUMBER_WORDS, &numbers.length, &mut |_, key, _, _| {
            let number = match key {
                Key::Words(&[number]) => u32::try_from(number).ok().map(StateNumber::new).filter(|number| *number < batch.snapshot.states),
                _ => None,
            };
            is_expected &= number.is_some_and(|number| partition.numbers.last().is_none_or(|last| *last < number));
            partition.numbers.extend(number);
            flow(is_expected && !engine.control.is_stopped())
        })?;
        let index = read_log(self.folder, batch.log.width, &batch.log.length, &mut |place, key, parent, class| {
            let number = partition.numbers.get(usize::try_from(place).unwrap_or(usize::MAX)).copied();
            // One more than its number, so this means that the parent has a lower number.
            is_expected &= number.is_some_and(|number| parent <= u64::from(number.number()))
                && engine.orbits.class_at(class).is_some()
                && partition.owners().is_own(key);
            flow(is_expected && !engine.control.is_stopped())
        })?;
        if !is_expected {
            return Err(OTHER_STATES);
        }
        let name = numbers_name(batch.ordinal);
        partition.log = Some(LogWriter::go_on(self.folder, &name, NUMBER_WORDS, &numbers.length, index_of_numbers)?);
        Ok(index)
    }

    /// Enters the states of the log that are in no run, behind the initial ones; spills them if there are too many. Meanwhile the ledger
    /// counts the states of this process only: their places are its numbers.
    fn enter(&mut self, log: &LogWriter, end: LogPlace) -> Result<(), CheckpointFault> {
        let Self { folder, worker, ledger, tier: Some(tier), .. } = self else { return Ok(()) };
        let engine = worker.expander().engine;
        let store = &engine.store;
        if tier.states > LogPlace::new(0) || self.partition.is_some() {
            // The initial states, which were entered as in any search, are in runs as well: their numbers are those of the log.
            store.spill();
            worker.expander().writer.words.forget();
            ledger.spill(numbered(tier.states));
        }
        worker.expander().writer.words.alone = true;
        let mut batch = EntryBatch::default();
        // In parts, since they may be more than fit: the resumed run may have less memory than the one before.
        while ledger.end() < numbered(end) && !engine.control.is_stopped() {
            let next = LogPlace::new(ledger.len());
            let end = end.min(LogPlace::new(next.number().saturating_add(ENTERED_AT_ONCE)));
            let mut is_expected = true;
            let writer = &mut worker.expander().writer.words;
            read_states(folder, log, in_log(&(next..end)), &mut |_, key, parent, class| {
                is_expected = match engine.orbits.class_at(class) {
                    Some(class) => restore_all(batch.add((store, writer), key, (parent, class)), ledger),
                    None => false,
                };
                if is_expected { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if !(is_expected && restore_all(batch.enter_all((store, writer)), ledger)) {
                return Err(OTHER_STATES);
            }
            let _ = store.close_slice();
            if tier.is_full(store, (0, 0), (ledger.columns.memory(), engine.control.resident())) {
                ledger.spill(numbered(end));
                // Manifests may name those that were merged.
                let _ = tier.spill(folder, log, store, end)?;
                worker.expander().writer.keep_up(tier.spills);
            }
        }
        let _ = worker.take_batch();
        Ok(())
    }

    /// A state of the log, in the tables.
    fn entry(&mut self, state: StateNumber) -> Result<Entry, CheckpointFault> {
        if state >= self.ledger.end() {
            return Err(OTHER_STATES);
        }
        let Some(log) = self.log.as_ref().filter(|_| self.ledger.is_spilled()) else { return Ok(self.ledger.entry(state)) };
        let (mut entered, expander) = (None, self.worker.expander());
        let places = places(self.partition.as_deref(), state..state.next());
        read_states(self.folder, log, in_log(&places), &mut |_, key, _, class| {
            let id = expander.engine.store.offer(&mut expander.writer.words, key, Rank(0)).map(|(id, _)| id);
            entered = id.zip(expander.engine.orbits.class_at(class));
            ControlFlow::Continue(())
        })?;
        let (id, class) = entered.ok_or(OTHER_STATES)?;
        Ok(Entry { number: state, id, class })
    }

    fn again(&mut self, state: StateNumber, distance: u64, parts: Parts) -> Result<Again, CheckpointFault> {
        let entry = self.entry(state)?;
        Ok(Again::of(self.worker, entry, distance, parts))
    }

    /// Expands the first and the last of the states that are expanded again: nothing new may be found.
    fn sample(&mut self, expanded: StateNumber, distance: u64) -> Result<(), CheckpointFault> {
        // All successors of expanded states have numbers. The first states show whether the machine still produces the same ones, the last
        // ones whether `expanded` is correct, as their successors are the newest states.
        let own = places(self.partition.as_deref(), StateNumber::new(0)..expanded).end.number();
        let first = 0..own.min(RESTORED_SAMPLE.get());
        let last = own.saturating_sub(RESTORED_SAMPLE.get()).max(first.end)..own;
        for place in first.chain(last) {
            let state = number_at(self.partition.as_deref(), LogPlace::new(place));
            let again = self.again(state, distance, Parts::Expansion)?;
            // Of foreign states, which are not among these, it is not known here whether their owners have them.
            let found = &again.batch.offers.found;
            let is_known = match &self.tier {
                Some(tier) if self.ledger.is_spilled() => {
                    tier.has_all(self.folder, &self.worker.expander().engine.store, found.iter().map(|new| new.id))?
                }
                _ => found.is_empty(),
            };
            if !is_known {
                return Err(OTHER_STATES);
            }
        }
        Ok(())
    }

    /// A finding of the checkpoint, recomputed.
    fn claim(&mut self, saved: SavedClaim) -> Result<Claim, CheckpointFault> {
        self.again(saved.state, saved.distance, Parts::of(saved))?.claim(saved).ok_or(OTHER_FINDINGS)
    }
}

/// The number of a state with this place in a ledger that counts the states of this process only.
fn numbered(place: LogPlace) -> StateNumber {
    StateNumber::new(place.number())
}

/// Adds entered states to the ledger; returns whether each was new to the tables, otherwise the log has a state twice.
fn restore_all(entered: impl Iterator<Item = (EntryOutcome, (u64, OrbitClass))>, ledger: &mut Ledger) -> bool {
    let mut are_new = true;
    for (outcome, (parent, class)) in entered {
        match outcome {
            Some((id, true)) => ledger.columns.restore(id, (ParentNumber::new(u32::try_from(parent).unwrap_or(u32::MAX)), class)),
            _ => are_new = false,
        }
    }
    are_new
}

/// Reads the states of a log, which must begin with the initial states in the ledger; returns its index. `is_entered`: whether the other
/// states are entered behind them.
fn read<'e>(
    folder: &Folder,
    worker: &mut impl Worker<'e>,
    ledger: &mut Ledger,
    (log, is_entered): (&SavedLog, bool),
) -> Result<LogIndex, CheckpointFault> {
    let initial = ledger.len();
    let engine = worker.expander().engine;
    let store = &engine.store;
    let writer = &mut worker.expander().writer.words;
    // Alone, so that entries are handed out in the order of numbers.
    writer.alone = true;
    if log.width != store.key_words() || log.length.states < u64::from(initial) {
        return Err(OTHER_STATES);
    }
    let (mut batch, mut is_expected) = (EntryBatch::default(), true);
    let index = read_log(folder, log.width, &log.length, &mut |number, key: Key<'_>, parent, class| {
        let is_initial = number < u64::from(initial);
        let class = engine.orbits.class_at(class);
        // `parent` is one more than the parent's number: so the parent has a lower number, and exactly the initial states have none.
        let is_parent_known = parent <= number && (parent == 0) == is_initial;
        match class.filter(|_| is_parent_known).zip(u32::try_from(number).ok()) {
            None => is_expected = false,
            Some((class, number)) if is_initial => {
                let found = store.offer(writer, key, Rank(0)).filter(|(_, is_new)| !is_new);
                is_expected =
                    found.is_some_and(|(id, _)| ledger.columns.saved(StateNumber::new(number)) == (id, (ParentNumber::NONE, class)));
            }
            Some((class, _)) if is_entered => {
                is_expected = restore_all(batch.add((store, writer), key, (parent, class)), ledger);
            }
            Some(_) => {}
        }
        if is_expected && !engine.control.is_stopped() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    is_expected &= restore_all(batch.enter_all((store, writer)), ledger);
    // The states of the log are not finds of the next slice.
    let _ = store.close_slice();
    let _ = worker.take_batch();
    if is_expected { Ok(index) } else { Err(OTHER_STATES) }
}
