//! The contents of a checkpoint, as plain data: position and sums, and the places of findings and errors, so that they can be recomputed.
//!
//! Invariant: a snapshot is taken at a barrier: its sums are those of the expansions of the states below `expanded`, and of nothing else.
//! Deliberately elsewhere: the states themselves (`durable::log`), how they are read back (`restore`).

use super::super::disk::SavedRuns;
use super::super::formula_action::FormulaAction;
use super::super::internal_steps::Cycle;
use super::super::ledger::Ledger;
use super::super::position::Position;
use super::super::saved::{SavedClaim, SavedKey};
use super::super::up_to_fault::RunFacts;
use crate::count::first_errors::FirstErrors;
use crate::count::set_up::SetUp;
use crate::count::tally::{MOST_COUNTED, Tally};
use crate::number::StateNumber;
use bcheck_durable::log::LogLength;
use bcheck_ir::OperationId;
use bcheck_value::codec;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// The content of a manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// What must be equal for a run to resume another one, in words; this floor only stores it.
    pub(super) about: serde_json::Value,
    /// How many checkpoints were written before this one.
    pub(super) epoch: u64,
    /// `None` before the first barrier.
    pub(super) search: Option<SavedSearch>,
}

/// A search that has reached a barrier.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedSearch {
    /// The orbit sizes, in decimal; classes are indices into this list.
    pub(super) orbits: Vec<String>,
    pub(super) earlier: Earlier,
    pub(super) batch: SavedBatch,
}

/// The current batch of set-ups.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedBatch {
    pub(super) ordinal: u64,
    /// Of its constants.
    pub(super) digest: String,
    pub(super) log: SavedLog,
    /// The numbers of the states of the log, if several processes share the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) numbers: Option<SavedLog>,
    /// The sorted runs of a search beyond memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) runs: Option<SavedRuns>,
    /// The rows of the expanded states, if a graph is recorded.
    #[serde(default)]
    pub(super) rows: Option<SavedLog>,
    /// The internal steps of a refinement check.
    pub(super) steps: Option<SavedLog>,
    pub(super) snapshot: Snapshot,
}

/// The states of a batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedLog {
    /// The words of a key of words.
    pub(super) width: usize,
    pub(super) length: LogLength,
}

/// The progress of the search of a batch, and its counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Snapshot {
    /// The states of the current level.
    pub(super) level: (StateNumber, StateNumber),
    pub(super) distance: u64,
    /// States below this number are expanded.
    pub(super) expanded: StateNumber,
    /// States below this number are numbered.
    pub(super) states: StateNumber,
    pub(super) tally: Tally,
    /// Operations with the states of the first warnings about them.
    pub(super) guards: Vec<(u32, StateNumber)>,
    pub(super) unassigned: Vec<(u32, StateNumber)>,
    pub(super) skipped: Option<StateNumber>,
    pub(super) undecided: Option<StateNumber>,
    /// The finding of the levels before.
    pub(super) before: Option<SavedClaim>,
    /// That of the current level so far.
    pub(super) of_level: Option<SavedClaim>,
    /// Facts about runs established by a refinement check, and the number of internal steps.
    pub(super) facts: RunFacts,
    pub(super) internal: usize,
    #[serde(default)]
    pub(super) formulas: ForFormulas,
}

/// Actions for temporal formulas, besides the rows written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ForFormulas {
    /// On-the-fly checks and turns of other searches, in order: a resumed search repeats them.
    pub(super) passed: Vec<FormulaAction>,
    // The name in checkpoints that exist already.
    #[serde(rename = "is_interim_due")]
    pub(super) is_check_due: bool,
    /// The state with the first ill-defined body.
    pub(super) ill_defined: Option<StateNumber>,
    /// States in which propositions have no value for the first time.
    pub(super) without_value: Vec<StateNumber>,
}

/// The sums and findings of the batches of set-ups before the current one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Earlier {
    /// Enumeration of these set-ups included.
    pub(super) tally: Tally,
    pub(super) states: u64,
    pub(super) depth: u64,
    pub(super) is_initialised: bool,
    pub(super) guards: Vec<(u32, Met)>,
    pub(super) unassigned: Vec<(u32, Met)>,
    pub(super) skipped: Option<Met>,
    pub(super) undecided: Option<Met>,
    pub(super) claim: Option<EarlierClaim>,
    pub(super) facts: RunFacts,
    pub(super) cycle: Option<EarlierCycle>,
}

/// The first cycle of internal steps, found in an earlier batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EarlierCycle {
    pub(super) ordinal: u64,
    start: StateNumber,
    /// The target of each step, and its operation.
    steps: Vec<(StateNumber, u32)>,
    /// The states of that batch: the trace leads through them.
    pub(super) log: SavedLog,
}

impl Manifest {
    /// Whether its numbers can be added to, as those of any search can.
    pub(super) fn is_countable(&self) -> bool {
        let search = self.search.as_ref();
        let of_search = search.is_none_or(|SavedSearch { earlier, batch: SavedBatch { ordinal, snapshot, runs, .. }, .. }| {
            let numbers = [earlier.states, earlier.depth, *ordinal, snapshot.distance];
            let tallies = [&earlier.tally, &snapshot.tally];
            numbers.into_iter().all(|number| number <= MOST_COUNTED)
                && tallies.into_iter().all(Tally::is_countable)
                && runs.as_ref().is_none_or(SavedRuns::is_countable)
        });
        self.epoch <= MOST_COUNTED && of_search
    }
}

impl EarlierCycle {
    pub(super) fn of(cycle: &Cycle, ordinal: u64, log: SavedLog) -> Self {
        let steps = cycle.steps.iter().map(|(to, operation)| (*to, operation.0)).collect();
        Self { ordinal, start: cycle.start, steps, log }
    }

    pub(super) fn cycle(&self) -> Cycle {
        Cycle { start: self.start, steps: self.steps.iter().map(|(to, operation)| (*to, OperationId(*operation))).collect() }
    }
}

/// The first finding of a search, in an earlier batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EarlierClaim {
    pub(super) ordinal: u64,
    /// `None` where it is found again when the set-ups and their initial states are enumerated.
    pub(super) in_state: Option<SavedClaim>,
    /// The states of that batch: the trace of the finding leads through them.
    pub(super) log: SavedLog,
}

/// A state of an earlier batch with a finding or error.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Met {
    pub(super) ordinal: u64,
    pub(super) state: StateNumber,
    pub(super) key: SavedKey,
}

impl Snapshot {
    /// All states below `position.expanded` are expanded, and their successors are numbered.
    pub(super) fn of(ledger: &Ledger, position: &Position) -> Self {
        let recorder = ledger.attached.recorder.as_ref();
        Self {
            level: (position.level.start, position.level.end),
            distance: position.distance,
            expanded: position.expanded,
            states: ledger.end(),
            tally: ledger.tally.clone(),
            // Errors are stored only with their first states; a resumed run re-expands or re-examines these.
            guards: places(&ledger.guards),
            unassigned: places(&ledger.unassigned),
            skipped: ledger.skipped.as_ref().map(|(state, _)| *state),
            undecided: ledger.undecided.as_ref().map(|(state, _)| *state),
            before: position.before.as_ref().and_then(SavedClaim::of),
            of_level: ledger.claim.as_ref().and_then(SavedClaim::of),
            // The steps are append-only, so their number determines which of them belong to this barrier.
            facts: ledger.attached.up_to_fault.as_ref().map(|own| own.facts).unwrap_or_default(),
            internal: ledger.attached.up_to_fault.as_ref().map_or(0, |own| own.internal.len()),
            formulas: ForFormulas {
                passed: ledger.attached.passed.clone(),
                is_check_due: position.is_check_due,
                ill_defined: recorder.and_then(|recorder| Some(recorder.ill_defined.as_ref()?.0)),
                without_value: recorder.iter().flat_map(|recorder| recorder.without_value.values().map(|(state, _)| *state)).collect(),
            },
        }
    }
}

/// Operations with the states of their first errors.
pub(super) fn places(errors: &FirstErrors) -> Vec<(u32, StateNumber)> {
    errors.places().map(|(operation, state)| (operation.0, state)).collect()
}

/// A digest of the constants of a batch.
pub(super) fn digest(set_ups: &[SetUp]) -> String {
    let (mut hash, mut bytes) = (Xxh3::new(), Vec::new());
    for SetUp { constants, .. } in set_ups {
        bytes.clear();
        for constant in constants {
            codec::encode(constant, &mut bytes);
        }
        // Lengths in front, so that no two batches of constants are the same bytes.
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    format!("{:016x}", hash.digest())
}
