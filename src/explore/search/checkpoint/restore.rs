//! A search goes on where a checkpoint was taken.
//!
//! Set-ups are enumerated again, and so are the initial states of the batch at hand; the other states come from the log, in the order of
//! their numbers. Findings and errors are computed again in the states in which they were met.
//! Invariant: a checkpoint that does not belong to this search is refused, not continued: set-ups and initial states must be those of the
//! log, each state must be new to the visited set, and expanding the first and last states again must lead to states of the log only.

use super::super::internal_steps::Cycle;
use super::super::ledger::{Batch, Entry, Ledger};
use super::super::position::Position;
use super::super::subject::Worker;
use super::super::up_to_fault::RunFacts;
use super::snapshot::{Earlier, EarlierClaim, Met, SavedBatch, SavedClaim, SavedLog, Snapshot, digest};
use super::steps::{StepLog, read_steps};
use super::{CheckpointFault, Checkpoints, OpenLog};
use crate::durable::folder::Folder;
use crate::durable::log::{Key, LogWriter, read_log};
use crate::eval::EvalError;
use crate::explore::count::conclusion::Ending;
use crate::explore::count::first_errors::FirstErrors;
use crate::explore::count::set_up::SetUp;
use crate::explore::count::tally::Orbits;
use crate::explore::property::{Claim, Place, examine, rank};
use crate::ir::OperationId;
use std::ops::ControlFlow;

/// States expanded again at each end of the log.
const SAMPLE: u32 = 64;

/// From this kind on (see `property::rank`), findings are met when a state is expanded, else when it is examined.
const MET_IN_EXPANSION: u8 = 8;

const OTHER_STATES: CheckpointFault = CheckpointFault::Other("the machine has other states now than those of the log");
const OTHER_SET_UPS: CheckpointFault = CheckpointFault::Other("the machine has other set-ups now");
const OTHER_FINDINGS: CheckpointFault = CheckpointFault::Other("a finding or warning of the checkpoint is not met again");

/// What becomes of a batch of set-ups.
pub(in super::super) enum Way {
    /// It is explored from its initial states.
    Explore,
    /// It was explored before the checkpoint was taken, and nothing of it is needed but its sums.
    PassOver,
    /// It was explored before, and has the finding of the search.
    Finding,
    /// The checkpoint was taken when it was explored.
    GoOn,
}

impl Checkpoints {
    /// What becomes of this batch of set-ups.
    pub(in super::super) fn way(&self, ordinal: u64) -> Way {
        let Some(search) = &self.resumed else { return Way::Explore };
        let has_claim = search.earlier.claim.as_ref().is_some_and(|claim| claim.ordinal == ordinal);
        let has_finding = has_claim || self.cycle_in(ordinal).is_some();
        match ordinal.cmp(&search.batch.ordinal) {
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
        let Earlier { tally, states, depth, is_initialised, facts, .. } = &self.resumed.as_ref()?.earlier;
        Some((Ending { tally: tally.clone(), depth: *depth, ..Ending::default() }, *states, *is_initialised, *facts))
    }

    /// Adds what was met in a batch that is not explored again to the warnings of the search, and gives why steps are missing and why a
    /// property is undecided, where that was met in this batch.
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
            let (id, _) = expander.engine.store.offer_key(&mut expander.writer, met.key.key(), 0)?;
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

    /// Enters the states of the batch that has the finding or the cycle of the search, for its trace; gives the finding where it is in a
    /// state.
    pub(in super::super) fn restore_finding<'e>(&mut self, worker: &mut impl Worker<'e>, ledger: &mut Ledger) -> Option<Claim> {
        let Earlier { claim: earlier, cycle, .. } = &self.resumed.as_ref()?.earlier;
        let (in_state, log) = match (earlier, cycle) {
            (Some(EarlierClaim { in_state, log, .. }), _) => (*in_state, log.clone()),
            (None, cycle) => (None, cycle.as_ref()?.log.clone()),
        };
        match read(&self.folder, worker, ledger, &log).and_then(|()| in_state.map(|saved| claim(worker, ledger, saved)).transpose()) {
            Ok(claim) => claim,
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    /// Goes on with a batch whose initial states are in the ledger; gives the position in it, or nothing where that is impossible.
    pub(in super::super) fn restore<'e>(
        &mut self,
        worker: &mut impl Worker<'e>,
        ledger: &mut Ledger,
        set_ups: &[SetUp],
    ) -> Option<Position> {
        let search = self.resumed.take()?;
        let first = self.first.take();
        let cut_back = |writers| match &first {
            Some(manifest) => self.folder.commit(manifest).map(|()| writers).map_err(CheckpointFault::from),
            None => Ok(writers),
        };
        let restored = restored(&self.folder, worker, ledger, (&search.batch, set_ups));
        match restored.and_then(|(position, writers)| Ok((position, cut_back(writers)?))) {
            Ok((position, (writer, steps))) => {
                let snapshot = search.batch.snapshot;
                (self.log, self.steps) = (Some(OpenLog { writer, written: snapshot.states }), steps);
                self.latest = Some(snapshot);
                Some(position)
            }
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    fn fail<'e>(&mut self, worker: &mut impl Worker<'e>, fault: CheckpointFault) {
        // What was interrupted has not come to its end, and is no sign of another machine.
        if !worker.expander().engine.control.is_stopped() {
            self.fault.get_or_insert(fault);
        }
    }
}

fn restored<'e>(
    folder: &Folder,
    worker: &mut impl Worker<'e>,
    ledger: &mut Ledger,
    (batch, set_ups): (&SavedBatch, &[SetUp]),
) -> Result<(Position, (LogWriter, Option<StepLog>)), CheckpointFault> {
    if digest(set_ups) != batch.digest {
        return Err(OTHER_SET_UPS);
    }
    read(folder, worker, ledger, &batch.log)?;
    let Snapshot { level, distance, expanded, states, tally, guards, unassigned, skipped, undecided, before, of_level, facts, .. } =
        batch.snapshot.clone();
    let is_in_order = level.0 <= expanded && expanded <= level.1 && level.1 <= states && states == ledger.len();
    if !is_in_order {
        return Err(CheckpointFault::Other("its numbers contradict each other"));
    }
    sample(worker, ledger, expanded, distance)?;
    ledger.tally = tally;
    let operations = worker.expander().engine.machine.model().operations.len();
    if let (Some(own), Some(log)) = (&mut ledger.up_to_fault, &batch.steps) {
        own.facts = facts;
        read_steps(folder, log, (expanded, states, operations), &mut own.internal)?;
    }
    let find = |found: bool| if found { Ok(()) } else { Err(OTHER_FINDINGS) };
    for (operation, state) in guards {
        let again = Again::of(worker, entry(ledger, state)?, distance, Parts::Expansion);
        find(note(&mut ledger.guards, &again.batch.guards, operation, state))?;
    }
    for (operation, state) in unassigned {
        let again = Again::of(worker, entry(ledger, state)?, distance, Parts::Expansion);
        find(note(&mut ledger.unassigned, &again.batch.unassigned, operation, state))?;
    }
    if let Some(state) = skipped {
        ledger.skipped = Again::of(worker, entry(ledger, state)?, distance, Parts::Expansion).batch.skipped;
        find(ledger.skipped.is_some())?;
    }
    if let Some(state) = undecided {
        ledger.undecided = Again::of(worker, entry(ledger, state)?, distance, Parts::Examination).undecided.map(|error| (state, error));
        find(ledger.undecided.is_some())?;
    }
    let before = before.map(|saved| claim(worker, ledger, saved)).transpose()?;
    ledger.claim = of_level.map(|saved| claim(worker, ledger, saved)).transpose()?;
    let writer = LogWriter::go_on(folder, &format!("states-{}", batch.ordinal), batch.log.width, &batch.log.length)?;
    let steps = batch.steps.as_ref().map(|log| StepLog::go_on(folder, batch.ordinal, &log.length)).transpose()?;
    Ok((Position { level: level.0..level.1, expanded, distance, before }, (writer, steps)))
}

/// Enters the states of a log behind the initial ones, which are in the ledger and must begin the log.
fn read<'e>(folder: &Folder, worker: &mut impl Worker<'e>, ledger: &mut Ledger, log: &SavedLog) -> Result<(), CheckpointFault> {
    let initial = ledger.len();
    let engine = worker.expander().engine;
    let store = &engine.store;
    let writer = &mut worker.expander().writer;
    // Alone, so that entries are handed out in the order of numbers.
    writer.words.alone = true;
    let mut fault = None;
    if log.width != store.key_words() || log.length.states < u64::from(initial) {
        return Err(OTHER_STATES);
    }
    read_log(folder, log.width, &log.length, &mut |number, key: Key<'_>, parent, class| {
        let entered = store.offer_key(writer, key, 0);
        let class = engine.orbits.class_at(class);
        let is_parent_known = parent <= number && (parent == 0) == (number < u64::from(initial));
        let is_expected = match (entered, class) {
            (Some((id, is_new)), Some(class)) if is_parent_known => match u32::try_from(number) {
                Ok(number) if number < initial => !is_new && ledger.logged(number) == (id, (0, class)),
                Ok(_) => {
                    ledger.restore(id, (u32::try_from(parent).unwrap_or(u32::MAX), class));
                    is_new
                }
                Err(_) => false,
            },
            _ => false,
        };
        if is_expected && !engine.control.is_stopped() {
            return ControlFlow::Continue(());
        }
        fault = (!is_expected).then_some(OTHER_STATES);
        ControlFlow::Break(())
    })?;
    // The states of the log are no finds of the slice to come.
    let _ = store.close_slice();
    let _ = worker.take_batch();
    fault.map_or(Ok(()), Err)
}

fn entry(ledger: &Ledger, state: u32) -> Result<Entry, CheckpointFault> {
    if state < ledger.len() { Ok(ledger.entry(state)) } else { Err(OTHER_STATES) }
}

/// Expands the first and the last of the states that are expanded again: nothing new may be found.
fn sample<'e>(worker: &mut impl Worker<'e>, ledger: &Ledger, expanded: u32, distance: u64) -> Result<(), CheckpointFault> {
    let first = 0..expanded.min(SAMPLE);
    let last = expanded.saturating_sub(SAMPLE).max(first.end)..expanded;
    for state in first.chain(last) {
        let again = Again::of(worker, ledger.entry(state), distance, Parts::Expansion);
        if !again.batch.offers.found.is_empty() {
            return Err(OTHER_STATES);
        }
    }
    Ok(())
}

/// Which parts of the work on a state are done again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Expansion,
    Examination,
    Both,
}

/// What working on a state a second time gives.
struct Again {
    batch: Batch,
    findings: Vec<crate::explore::PropertyKind>,
    undecided: Option<EvalError>,
}

impl Again {
    fn of<'e>(worker: &mut impl Worker<'e>, entry: Entry, distance: u64, parts: Parts) -> Self {
        let engine = worker.expander().engine;
        let examined = match parts {
            Parts::Expansion => Default::default(),
            _ => examine(engine.machine, engine.checks, engine.symmetry.alike(), &engine.state(entry.id)),
        };
        // A state that was examined only leads to states that are not in the visited set.
        if parts != Parts::Examination {
            worker.expand(entry, None, distance);
        }
        Self { batch: worker.take_batch(), findings: examined.findings, undecided: examined.undecided }
    }
}

/// Notes the error that an operation has in a state; false if it has none.
fn note(into: &mut FirstErrors, again: &FirstErrors, operation: u32, state: u32) -> bool {
    let operation = OperationId(operation);
    let error = again.error_in(operation, state).cloned();
    let is_met = error.is_some();
    error.into_iter().for_each(|error| into.note(operation, state, error));
    is_met
}

/// A finding of the checkpoint, made again.
fn claim<'e>(worker: &mut impl Worker<'e>, ledger: &Ledger, saved: SavedClaim) -> Result<Claim, CheckpointFault> {
    let SavedClaim { distance, state, kind, part } = saved;
    let parts = if kind < MET_IN_EXPANSION { Parts::Examination } else { Parts::Expansion };
    let again = Again::of(worker, entry(ledger, state)?, distance, parts);
    let met = again.findings.into_iter().chain(again.batch.claim.map(|claim| claim.property));
    let property = met.into_iter().find(|property| rank(property) == (kind, part)).ok_or(OTHER_FINDINGS)?;
    Ok(Claim { distance, place: Place::State(state), property })
}
