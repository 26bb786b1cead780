//! Records of a state during its expansion, if the graph is recorded; otherwise nothing.
//!
//! Invariant: if nothing is recorded, each of these calls is one test of a pointer. Deliberately elsewhere: letters (`note_taker`), the use
//! of records (`recorder`).

use super::columns::Entry;
use super::engine::Engine;
use super::note_taker::{NoteTaker, PackedSubject, StepLetters};
use super::notes::{NotedState, NotedStep, Notes};
use super::pending::Pending;
use bcheck_eval::Successors;
use bcheck_ir::OperationId;
use bcheck_state::StateId;
use bcheck_value::Value;

/// The expansion of a state was interrupted.
pub(super) struct Interrupted;

/// The writer of one worker's records, if there are any.
pub(super) struct Noting<'e>(Option<Box<NoteTaker<'e>>>);

/// The record of a state on values, in progress.
pub(super) struct Noted {
    state: Option<NotedState>,
    /// By operation.
    letters: std::vec::IntoIter<StepLetters>,
}

impl Noted {
    /// The letters of the steps of the next operation.
    pub(super) fn next_letters(&mut self) -> StepLetters {
        self.letters.next().unwrap_or(StepLetters::Same(0))
    }
}

impl<'e> Noting<'e> {
    pub(super) fn new(engine: &'e Engine<'e>) -> Self {
        Self(NoteTaker::new(engine).map(Box::new))
    }

    /// Whether letters depend on the values of steps: then they are found on values.
    #[inline]
    pub(super) fn needs_values(&self) -> bool {
        self.0.as_ref().is_some_and(|taker| taker.asks_for_values)
    }

    /// A state on values, all of whose operations have run; an error is an interrupt. `is_whole`: whether no operation is left out.
    pub(super) fn state(
        &self,
        (number, state): (u32, &[Value]),
        all: &[(OperationId, Successors)],
        is_whole: bool,
        notes: &mut Notes,
    ) -> Result<Noted, Interrupted> {
        let Some(taker) = &self.0 else { return Ok(Noted { state: None, letters: Vec::new().into_iter() }) };
        let (state, letters) = taker.state((number, state), all, is_whole, notes).ok_or(Interrupted)?;
        Ok(Noted { state: Some(state), letters: letters.into_iter() })
    }

    /// Ends a state whose steps are entered. Last: if an interrupt left out a step, for want of its representative, the state has no
    /// record.
    pub(super) fn state_ends(&self, noted: Noted, notes: &mut Notes) {
        if let Some(taker) = &self.0
            && !taker.is_stopped()
        {
            notes.states.extend(noted.state);
        }
    }

    /// A step on values.
    #[inline]
    pub(super) fn step(&self, from: u32, to: StateId, (letters, index): (&StepLetters, usize), notes: &mut Notes) {
        let Some(taker) = &self.0 else { return };
        notes.steps.push(NotedStep { from, to });
        if taker.has_steps {
            // A letter for each step, in the order of the steps: the recorder pairs them by place.
            notes.letters.push(letters.of(index));
        }
    }

    /// A packed state is to be expanded.
    #[inline]
    pub(super) fn packed_state_begins(&mut self) {
        if let Some(taker) = &mut self.0 {
            taker.begin();
        }
    }

    /// An operation of a packed state is to run.
    #[inline]
    pub(super) fn operation_begins(&self, operation: OperationId, pending: &mut Pending) {
        if let Some(taker) = self.0.as_ref().filter(|taker| taker.has_steps) {
            pending.begin_letter(taker.letter_of(operation));
        }
    }

    /// An operation of a packed state ran on words: the number of its steps, and of those that are self-loops.
    #[inline]
    pub(super) fn ran(&mut self, number: u32, operation: OperationId, (steps, loops): (u64, u64), notes: &mut Notes) {
        if let Some(taker) = &mut self.0 {
            taker.ran(number, operation, steps, loops, notes);
        }
    }

    /// An operation of a packed state ran on values, possibly without steps that are left out; returns the letters of its steps.
    pub(super) fn ran_in_general(
        &mut self,
        (number, state): (u32, &[Value]),
        operation: OperationId,
        (successors, is_whole): (&Successors, bool),
        notes: &mut Notes,
    ) -> StepLetters {
        let Some(taker) = &mut self.0 else { return StepLetters::Same(0) };
        taker.outlook.is_open |= !is_whole;
        taker.ran_in_general(operation, state, successors);
        notes.ran(number, successors);
        StepLetters::Same(taker.letter_of(operation))
    }

    /// Packed successors were offered together.
    #[inline]
    pub(super) fn offered(&self, pending: &mut Pending, first: usize, notes: &mut Notes) {
        if self.0.is_some() {
            let Pending { ranks, offered, letters, .. } = pending;
            notes.offered(ranks, &offered[first..], letters);
            // The last run stays open: further steps of the same operation may follow.
            letters.drain(..letters.len().saturating_sub(1));
            letters.iter_mut().for_each(|(start, _)| *start = 0);
        }
    }

    /// A packed state, whose operations have all run. `is_unexpanded`: whether it is outside of SCOPE.
    #[inline]
    pub(super) fn packed_state_ends(&mut self, entry: Entry, is_unexpanded: bool, subject: PackedSubject<'_>, notes: &mut Notes) {
        let Some(taker) = &mut self.0 else { return };
        // After all its steps were found: an interrupted labelling has left some of them out, and the flag stays raised.
        if taker.is_stopped() {
            return;
        }
        taker.outlook.is_open |= is_unexpanded;
        let (number, is_open) = (entry.number, taker.outlook.is_open);
        // Last, as the letter depends on which operations had steps. After an interrupt the state has no record, and no row follows it.
        if let Some(letter) = taker.packed_letter(number, subject, notes) {
            notes.states.push(NotedState { number, is_open, letter });
        }
    }
}
