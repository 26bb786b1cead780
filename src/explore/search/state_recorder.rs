//! Records of a state during its expansion, if the graph is recorded; otherwise nothing.
//!
//! Invariant: if nothing is recorded, each of these calls is one test of a pointer. Deliberately elsewhere: letters (`record_writer`),
//! the use of records (`recorder`).

use super::columns::Entry;
use super::edge_records::{EdgeRecords, RecordedState, RecordedStep};
use super::engine::Engine;
use super::pending::Pending;
use super::record_writer::{PackedSubject, RecordWriter, StepLetters};
use crate::number::StateNumber;
use bcheck_eval::Successors;
use bcheck_ir::OperationId;
use bcheck_state::StateId;
use bcheck_value::Value;

/// The expansion of a state was interrupted.
pub(super) struct Interrupted;

/// The writer of one worker's records, if there are any.
pub(super) struct StateRecorder<'e>(Option<Box<RecordWriter<'e>>>);

/// The record of a state on values, in progress.
pub(super) struct StateRecord {
    state: Option<RecordedState>,
    /// By operation.
    letters: std::vec::IntoIter<StepLetters>,
}

impl StateRecord {
    /// The letters of the steps of the next operation.
    pub(super) fn next_letters(&mut self) -> StepLetters {
        self.letters.next().unwrap_or(StepLetters::Same(0))
    }
}

impl<'e> StateRecorder<'e> {
    pub(super) fn new(engine: &'e Engine<'e>) -> Self {
        Self(RecordWriter::new(engine).map(Box::new))
    }

    /// Whether letters depend on the values of steps: then they are found on values.
    #[inline]
    pub(super) fn needs_values(&self) -> bool {
        self.0.as_ref().is_some_and(|writer| writer.asks_for_values)
    }

    /// A state on values, all of whose operations have run; an error is an interrupt. `is_whole`: whether no operation is left out.
    pub(super) fn state(
        &self,
        (number, state): (StateNumber, &[Value]),
        all: &[(OperationId, Successors)],
        is_whole: bool,
        records: &mut EdgeRecords,
    ) -> Result<StateRecord, Interrupted> {
        let Some(writer) = &self.0 else { return Ok(StateRecord { state: None, letters: Vec::new().into_iter() }) };
        let (state, letters) = writer.state((number, state), all, is_whole, records).ok_or(Interrupted)?;
        Ok(StateRecord { state: Some(state), letters: letters.into_iter() })
    }

    /// Ends a state whose steps are entered. Last: if an interrupt left out a step, for want of its representative, the state has no
    /// record.
    pub(super) fn state_ends(&self, record: StateRecord, records: &mut EdgeRecords) {
        if let Some(writer) = &self.0
            && !writer.is_stopped()
        {
            records.states.extend(record.state);
        }
    }

    /// A step on values.
    #[inline]
    pub(super) fn step(&self, from: StateNumber, to: StateId, (letters, index): (&StepLetters, usize), records: &mut EdgeRecords) {
        let Some(writer) = &self.0 else { return };
        records.steps.push(RecordedStep { from, to });
        if writer.has_steps {
            // A letter for each step, in the order of the steps: the recorder pairs them by place.
            records.letters.push(letters.of(index));
        }
    }

    /// A packed state is to be expanded.
    #[inline]
    pub(super) fn packed_state_begins(&mut self) {
        if let Some(writer) = &mut self.0 {
            writer.begin();
        }
    }

    /// An operation of a packed state is to run.
    #[inline]
    pub(super) fn operation_begins(&self, operation: OperationId, pending: &mut Pending) {
        if let Some(writer) = self.0.as_ref().filter(|writer| writer.has_steps) {
            pending.begin_letter(writer.letter_of(operation));
        }
    }

    /// An operation of a packed state ran on words: the number of its steps, and of those that are self-loops.
    #[inline]
    pub(super) fn ran(&mut self, number: StateNumber, operation: OperationId, (steps, loops): (u64, u64), records: &mut EdgeRecords) {
        if let Some(writer) = &mut self.0 {
            writer.ran(number, operation, steps, loops, records);
        }
    }

    /// An operation of a packed state ran on values, possibly without steps that are left out; returns the letters of its steps.
    pub(super) fn ran_in_general(
        &mut self,
        (number, state): (StateNumber, &[Value]),
        operation: OperationId,
        (successors, is_whole): (&Successors, bool),
        records: &mut EdgeRecords,
    ) -> StepLetters {
        let Some(writer) = &mut self.0 else { return StepLetters::Same(0) };
        writer.outlook.is_open |= !is_whole;
        writer.ran_in_general(operation, state, successors);
        records.ran(number, successors);
        StepLetters::Same(writer.letter_of(operation))
    }

    /// Packed successors were offered together.
    #[inline]
    pub(super) fn offered(&self, pending: &mut Pending, first: usize, records: &mut EdgeRecords) {
        if self.0.is_some() {
            let Pending { ranks, offered, letters, .. } = pending;
            records.offered(ranks, &offered[first..], letters);
            // The last run stays open: further steps of the same operation may follow.
            letters.drain(..letters.len().saturating_sub(1));
            letters.iter_mut().for_each(|(start, _)| *start = 0);
        }
    }

    /// A packed state, whose operations have all run. `is_unexpanded`: whether it is outside of SCOPE.
    #[inline]
    pub(super) fn packed_state_ends(&mut self, entry: Entry, is_unexpanded: bool, subject: PackedSubject<'_>, records: &mut EdgeRecords) {
        let Some(writer) = &mut self.0 else { return };
        // After all its steps were found: an interrupted labelling has left some of them out, and the flag stays raised.
        if writer.is_stopped() {
            return;
        }
        writer.outlook.is_open |= is_unexpanded;
        let (number, is_open) = (entry.number, writer.outlook.is_open);
        // Last, as the letter depends on which operations had steps. After an interrupt the state has no record, and no row follows it.
        if let Some(letter) = writer.packed_letter(number, subject, records) {
            records.states.push(RecordedState { number, is_open, letter });
        }
    }
}
