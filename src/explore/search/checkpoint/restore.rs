//! A search goes on where a checkpoint was taken.
//!
//! Set-ups are enumerated again, and so are the initial states of the batch at hand; the other states come from the log, in the order of
//! their numbers. Findings and errors are computed again in the states in which they were met.
//! Invariant: a checkpoint that does not belong to this search is refused, not continued: set-ups and initial states must be those of the
//! log, each state must be new to the visited set, and expanding the first and last states again must lead to states of the log only.

use super::super::expander::Expander;
use super::super::ledger::{Entry, Ledger};
use super::super::position::Position;
use super::super::recording::Interims;
use super::again::{Again, OTHER_STATES, Parts, entry};
use super::snapshot::{Earlier, EarlierClaim, ForFormulas, Met, SavedBatch, SavedClaim, SavedLog, Snapshot, digest};
use super::{CheckpointFault, Checkpoints, OpenLog, rows};
use crate::durable::folder::Folder;
use crate::durable::log::{Key, LogWriter, read_log};
use crate::eval::EvalError;
use crate::explore::count::conclusion::Ending;
use crate::explore::count::first_errors::FirstErrors;
use crate::explore::count::set_up::SetUp;
use crate::explore::count::tally::Orbits;
use crate::explore::property::{Claim, Place, rank};
use crate::ir::OperationId;
use std::ops::ControlFlow;

/// States expanded again at each end of the log.
const SAMPLE: u32 = 64;

/// From this kind on (see `property::rank`), findings are met when a state is expanded, else when it is examined.
const MET_IN_EXPANSION: u8 = 8;

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
        let has_finding = search.earlier.claim.as_ref().is_some_and(|claim| claim.ordinal == ordinal);
        match ordinal.cmp(&search.batch.ordinal) {
            std::cmp::Ordering::Less if self.is_judging => Way::Explore,
            std::cmp::Ordering::Less if has_finding => Way::Finding,
            std::cmp::Ordering::Less => Way::PassOver,
            std::cmp::Ordering::Equal => Way::GoOn,
            std::cmp::Ordering::Greater => Way::Explore,
        }
    }

    /// The sums of the batches before the one of the checkpoint: tally, states, depth, whether there was an initial state.
    pub(in super::super) fn sums(&self) -> Option<(Ending, u64, bool)> {
        let Earlier { tally, states, depth, is_initialised, .. } = &self.resumed.as_ref().filter(|_| !self.is_judging)?.earlier;
        Some((Ending { tally: tally.clone(), depth: *depth, ..Ending::default() }, *states, *is_initialised))
    }

    /// Adds what was met in a batch that is not explored again to the warnings of the search, and gives why steps are missing and why a
    /// property is undecided, where that was met in this batch.
    pub(in super::super) fn met_again(
        &mut self,
        worker: &mut Expander<'_>,
        ordinal: u64,
        (guards, unassigned): (&mut FirstErrors, &mut FirstErrors),
    ) -> (Option<EvalError>, Option<EvalError>) {
        let Some(search) = &self.resumed else { return (None, None) };
        let Earlier { guards: of_guards, unassigned: of_results, skipped, undecided, .. } = search.earlier.clone();
        let mut again = |met: &Met| {
            let (id, _) = worker.engine.store.offer_key(&mut worker.writer, met.key.key(), 0)?;
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

    /// Enters the states of the batch that has the finding of the search, for its trace; gives the finding where it is in a state.
    pub(in super::super) fn restore_finding(&mut self, worker: &mut Expander<'_>, ledger: &mut Ledger) -> Option<Claim> {
        let EarlierClaim { in_state, log, .. } = self.resumed.as_ref()?.earlier.claim.clone()?;
        match read(&self.folder, worker, ledger, &log).and_then(|()| in_state.map(|saved| claim(worker, ledger, saved)).transpose()) {
            Ok(claim) => claim,
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    /// Goes on with a batch whose initial states are in the ledger; gives the position in it, or nothing where that is impossible. Breaks
    /// where a formula ends the search already.
    pub(in super::super) fn restore(
        &mut self,
        worker: &mut Expander<'_>,
        ledger: &mut Ledger,
        set_ups: &[SetUp],
        interims: Option<&mut Interims<'_, '_>>,
    ) -> Option<(Position, ControlFlow<()>)> {
        let search = self.resumed.take()?;
        let first = self.first.take();
        let cut_back = |writer| match &first {
            Some(manifest) => self.folder.commit(manifest).map(|()| writer).map_err(CheckpointFault::from),
            None => Ok(writer),
        };
        let SavedBatch { ordinal, rows, snapshot, .. } = &search.batch;
        let restored = restored(&self.folder, worker, ledger, (&search.batch, set_ups)).and_then(|(position, writer)| {
            let graph = (*ordinal, rows.as_ref(), snapshot);
            let graph = interims.map(|interims| rows::restore(&self.folder, worker, ledger, graph, interims)).transpose()?;
            Ok((position, cut_back(writer)?, graph.unwrap_or((None, ControlFlow::Continue(())))))
        });
        match restored {
            Ok((position, writer, (rows, flow))) => {
                let snapshot = search.batch.snapshot;
                self.log = Some(OpenLog { writer, written: snapshot.states });
                self.rows = rows;
                self.latest = Some(snapshot);
                Some((position, flow))
            }
            Err(fault) => {
                self.fail(worker, fault);
                None
            }
        }
    }

    fn fail(&mut self, worker: &Expander<'_>, fault: CheckpointFault) {
        // What was interrupted has not come to its end, and is no sign of another machine.
        if !worker.engine.control.is_stopped() {
            self.fault.get_or_insert(fault);
        }
    }
}

fn restored(
    folder: &Folder,
    worker: &mut Expander<'_>,
    ledger: &mut Ledger,
    (batch, set_ups): (&SavedBatch, &[SetUp]),
) -> Result<(Position, LogWriter), CheckpointFault> {
    if digest(set_ups) != batch.digest {
        return Err(OTHER_SET_UPS);
    }
    read(folder, worker, ledger, &batch.log)?;
    let Snapshot { level, distance, expanded, states, tally, guards, unassigned, skipped, undecided, before, of_level, formulas } =
        batch.snapshot.clone();
    let ForFormulas { is_interim_due, .. } = formulas;
    let is_in_order = level.0 <= expanded && expanded <= level.1 && level.1 <= states && states == ledger.len();
    if !is_in_order {
        return Err(CheckpointFault::Other("its numbers contradict each other"));
    }
    sample(worker, ledger, expanded, distance)?;
    ledger.tally = tally;
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
    Ok((Position { level: level.0..level.1, expanded, distance, before, is_interim_due }, writer))
}

/// Enters the states of a log behind the initial ones, which are in the ledger and must begin the log.
fn read(folder: &Folder, worker: &mut Expander<'_>, ledger: &mut Ledger, log: &SavedLog) -> Result<(), CheckpointFault> {
    let initial = ledger.len();
    let store = &worker.engine.store;
    // Alone, so that entries are handed out in the order of numbers.
    worker.writer.words.alone = true;
    let mut fault = None;
    if log.width != store.key_words() || log.length.states < u64::from(initial) {
        return Err(OTHER_STATES);
    }
    read_log(folder, log.width, &log.length, &mut |number, key: Key<'_>, parent, class| {
        let entered = store.offer_key(&mut worker.writer, key, 0);
        let class = worker.engine.orbits.class_at(class);
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
        if is_expected && !worker.engine.control.is_stopped() {
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

/// Expands the first and the last of the states that are expanded again: nothing new may be found.
fn sample(worker: &mut Expander<'_>, ledger: &Ledger, expanded: u32, distance: u64) -> Result<(), CheckpointFault> {
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

/// Notes the error that an operation has in a state; false if it has none.
fn note(into: &mut FirstErrors, again: &FirstErrors, operation: u32, state: u32) -> bool {
    let operation = OperationId(operation);
    let error = again.error_in(operation, state).cloned();
    let is_met = error.is_some();
    error.into_iter().for_each(|error| into.note(operation, state, error));
    is_met
}

/// A finding of the checkpoint, made again.
fn claim(worker: &mut Expander<'_>, ledger: &Ledger, saved: SavedClaim) -> Result<Claim, CheckpointFault> {
    let SavedClaim { distance, state, kind, part } = saved;
    let parts = if kind < MET_IN_EXPANSION { Parts::Examination } else { Parts::Expansion };
    let again = Again::of(worker, entry(ledger, state)?, distance, parts);
    let met = again.findings.into_iter().chain(again.batch.claim.map(|claim| claim.property));
    let property = met.into_iter().find(|property| rank(property) == (kind, part)).ok_or(OTHER_FINDINGS)?;
    Ok(Claim { distance, place: Place::State(state), property })
}
