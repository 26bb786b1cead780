//! Data attached to the numbering of a slice: the rows of the recorded graph, and the counts up to a fault.
//!
//! Invariant: a search with neither pays two tests for each slice. Deliberately elsewhere: rows (`recorder`), counts up to a fault
//! (`up_to_fault`), work between slices (`hooks`).

use super::columns::Columns;
use super::formula_action::FormulaAction;
use super::offers::Offers;
use super::recorder::Recorder;
use super::up_to_fault::{End, Sums, Uncounted, UpToFault};
use crate::number::StateNumber;
use bcheck_eval::EvalError;
use bcheck_state::Rank;

/// Data attached to the numbering of slices.
#[derive(Default)]
pub(super) struct Attached {
    /// Set where the graph is recorded.
    pub(super) recorder: Option<Box<Recorder>>,
    /// Set if the search ends at its first fault, which is that of a single worker.
    pub(super) up_to_fault: Option<Box<UpToFault>>,
    /// The work done for formulas so far, in order.
    pub(super) passed: Vec<FormulaAction>,
}

/// A slice that is being numbered.
pub(super) struct Closing {
    parts: Vec<Uncounted>,
    end: Option<End>,
}

impl Attached {
    pub(super) fn new(recorder: Option<Recorder>, up_to_fault: Option<UpToFault>) -> Self {
        Self { recorder: recorder.map(Box::new), up_to_fault: up_to_fault.map(Box::new), passed: Vec::new() }
    }

    /// Whether the numbers of ids are needed.
    pub(super) fn needs_numbers(&self) -> bool {
        self.recorder.is_some() || self.up_to_fault.as_ref().is_some_and(|own| own.has_internal)
    }

    /// Marks the states below the number `initial` as the initial ones of the graph; `are_all`: except for those left out.
    pub(super) fn begin_rows(&mut self, initial: StateNumber, are_all: bool, left_out: Option<EvalError>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(initial);
            recorder.has_begun = are_all;
            recorder.initial_left_out = recorder.initial_left_out.take().or(left_out);
        }
    }

    /// Takes what does not count out of the new states of a slice that was expanded. `has_fault`: a state of this level has a fault.
    pub(super) fn slice_closed<'o>(&self, parts: Vec<Uncounted>, has_fault: bool, offers: impl Iterator<Item = &'o mut Offers>) -> Closing {
        let end = self.up_to_fault.as_ref().map(|before| End::of(&parts, has_fault, before));
        if let Some(end) = &end {
            end.cut(offers);
        }
        Closing { parts, end }
    }

    /// Writes the rows of the expanded states and adds the counts of their expansions, now that all targets of their steps have numbers.
    /// Returns the number after the last state whose expansion counts.
    pub(super) fn slice_numbered(&mut self, offers: &[Offers], closing: Closing, sums: Sums<'_>, columns: &Columns) -> StateNumber {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(offers.iter().map(|own| &own.records), |id| columns.number_of(id));
        }
        let (Some(up_to_fault), Closing { parts, end: Some(end) }) = (&mut self.up_to_fault, closing) else {
            return StateNumber::new(u32::MAX);
        };
        let counted = end.states();
        up_to_fault.count(parts, end, sums, |id| columns.number_of(id));
        counted
    }

    /// Whether the search ends with the first fault.
    pub(super) fn ends_at_fault(&self) -> bool {
        self.up_to_fault.is_some()
    }

    /// Why the search cannot continue.
    pub(super) fn stuck(&self) -> Option<&EvalError> {
        self.up_to_fault.as_ref()?.stuck.as_ref()
    }
}

impl Closing {
    /// The target of the step with this rank is beyond the limit on states: later steps do not count.
    pub(super) fn limit_at(&mut self, rank: Rank) {
        if let Some(end) = &mut self.end {
            end.limit_at(rank);
        }
    }
}
