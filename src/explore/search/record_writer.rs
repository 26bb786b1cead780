//! Writes the edge records of one worker: the letters of the states that it expands, and of their steps.
//!
//! Invariant: a letter is the same on either tier; predicates that cannot be evaluated on words are evaluated on values. Letters of steps
//! that depend on more than the operation are computed on values only, so then all states are expanded there. Deliberately elsewhere: the
//! meaning of letters (`temporal::letters`), the use of records (`recorder`).

use super::edge_records::{EdgeRecords, RecordedLoop, RecordedState};
use super::engine::Engine;
use super::word_store::WordStore;
use crate::number::StateNumber;
use crate::temporal::letters::{Letters, Outlook, SeenStep, StatePred, Valued};
use crate::trace::operations;
use bcheck_eval::{PackedPred, PackedState, Successors};
use bcheck_ir::OperationId;
use bcheck_state::ConstantsNumber;
use bcheck_value::{Valuation, Value};

/// The letters of the steps of one operation in one state.
#[derive(Clone, Debug)]
pub(super) enum StepLetters {
    /// All have this one.
    Same(u64),
    /// By index of the step.
    Each(Vec<u64>),
}

impl StepLetters {
    pub(super) fn of(&self, step: usize) -> u64 {
        match self {
            Self::Same(letter) => *letter,
            Self::Each(letters) => letters[step],
        }
    }
}

/// Writes the records of one worker.
pub(super) struct RecordWriter<'e> {
    engine: &'e Engine<'e>,
    letters: &'e Letters,
    pub(super) has_steps: bool,
    /// Whether letters of steps depend on more than the operation.
    pub(super) asks_for_values: bool,
    /// By operation: the letter of its steps, if their values make no difference.
    by_operation: Vec<u64>,
    /// By number of a proposition of states: a frame, if it is a predicate that runs on words.
    frames: Vec<Option<PredFrame>>,
    /// Of the packed state that is being expanded.
    pub(super) outlook: Outlook,
}

/// A frame of a packed predicate, with the constants with this number.
struct PredFrame {
    set_up: ConstantsNumber,
    state: PackedState,
}

/// A packed state of which a letter is wanted.
pub(super) struct PackedSubject<'s> {
    pub(super) store: &'s WordStore,
    pub(super) set_up: ConstantsNumber,
    pub(super) words: &'s [u64],
    /// The state as values, once they were needed.
    pub(super) general: &'s mut Option<Valuation>,
}

impl<'e> RecordWriter<'e> {
    /// `None` where nothing is recorded.
    pub(super) fn new(engine: &'e Engine<'e>) -> Option<Self> {
        let letters = engine.letters?;
        let by_operation: Vec<u64> = operations(engine.machine).map(|operation| letters.letter_of(operation)).collect();
        let constants = engine.store.words.as_ref().and_then(|store| store.constants.first());
        // One frame for each predicate: running one needs registers, and constants of the set-up are written into it once.
        let frame =
            |pred: &StatePred| Some(PredFrame { set_up: ConstantsNumber::default(), state: pred.packed.as_ref()?.frame(constants?)? });
        let frames = letters.predicates().map(|pred| pred.and_then(frame)).collect();
        let outlook = Outlook { enabled: vec![false; by_operation.len()], ..Outlook::default() };
        let (has_steps, asks_for_values) = (letters.has_steps(), letters.asks_for_values());
        Some(Self { engine, letters, has_steps, asks_for_values, by_operation, frames, outlook })
    }

    /// The letter of the steps of an operation, if it does not depend on their values.
    pub(super) fn letter_of(&self, operation: OperationId) -> u64 {
        self.by_operation[operation.index()]
    }

    /// Forgets the packed state that was expanded last.
    pub(super) fn begin(&mut self) {
        self.outlook.enabled.fill(false);
        (self.outlook.leads_on, self.outlook.is_open) = (false, false);
    }

    /// An operation ran on words: the number of its steps, and of those that are self-loops.
    pub(super) fn ran(&mut self, number: StateNumber, operation: OperationId, steps: u64, loops: u64, records: &mut EdgeRecords) {
        // On words, nothing more is read of the steps; where a proposition reads their values, `asks_for_values` has sent all states to
        // the general tier.
        self.outlook.enabled[operation.index()] = steps > 0;
        self.outlook.leads_on |= steps > loops;
        if loops > 0 {
            records.loops.push(RecordedLoop { number, letter: self.letter_of(operation) });
        }
    }

    /// An operation of a packed state ran on values.
    pub(super) fn ran_in_general(&mut self, operation: OperationId, state: &[Value], successors: &Successors) {
        let Successors { steps, ill_defined, .. } = successors;
        self.outlook.enabled[operation.index()] = !steps.is_empty();
        self.outlook.leads_on |= steps.iter().any(|step| step.next != state);
        self.outlook.is_open |= !ill_defined.is_empty();
    }

    /// The letter of the packed state that was expanded; `None` if this was interrupted.
    pub(super) fn packed_letter(&mut self, number: StateNumber, subject: PackedSubject<'_>, records: &mut EdgeRecords) -> Option<u64> {
        let Self { engine, letters, frames, outlook, .. } = self;
        let PackedSubject { store, set_up, words, general } = subject;
        // On words first; a predicate that does not fit or bails out is evaluated on values, which are unpacked at most once for all of
        // them.
        let valued = letters.state_with(outlook, |number, pred| {
            if let (Some(packed), Some(frame)) = (&pred.packed, &mut frames[number]) {
                let frame = frame.with_constants(packed, store, set_up, words);
                if let Some(holds) = packed.holds(frame, &words[store.moving_words..]) {
                    return Ok(holds);
                }
            }
            pred.general.holds(general.get_or_insert_with(|| store.unpack(engine.machine, set_up, words)))
        });
        let Valued { letter, without } = valued.ok()?;
        records.without(number, &without);
        Some(letter)
    }

    /// Whether the search is being stopped: states expanded meanwhile may lack steps.
    pub(super) fn is_stopped(&self) -> bool {
        self.engine.control.is_stopped()
    }

    /// The record of a state on values, and by operation the letters of its steps; `None` if this was interrupted. `is_whole`: whether no
    /// operation is left out.
    pub(super) fn state(
        &self,
        (number, state): (StateNumber, &[Value]),
        all: &[(OperationId, Successors)],
        is_whole: bool,
        records: &mut EdgeRecords,
    ) -> Option<(RecordedState, Vec<StepLetters>)> {
        all.iter().for_each(|(_, successors)| records.ran(number, successors));
        let is_ill_defined = all.iter().any(|(_, successors)| !successors.ill_defined.is_empty());
        let has_steps = all.iter().any(|(_, successors)| !successors.steps.is_empty());
        let is_open = !is_whole || is_ill_defined || !has_steps && !self.engine.machine.is_expanded(state);
        let (letter, of_steps) = self.letters((number, state), all, is_open, records)?;
        Some((RecordedState { number, is_open, letter }, of_steps))
    }

    /// The letters of a state on values and, by operation, of its steps; `None` if this was interrupted.
    fn letters(
        &self,
        (number, state): (StateNumber, &[Value]),
        all: &[(OperationId, Successors)],
        is_open: bool,
        records: &mut EdgeRecords,
    ) -> Option<(u64, Vec<StepLetters>)> {
        let steps: Vec<Vec<SeenStep<'_>>> = all.iter().map(|(operation, successors)| seen(*operation, successors)).collect();
        // All operations together: propositions such as `deadlock` are about all steps.
        let Valued { letter, without } = self.letters.state(state, &steps.concat(), is_open).ok()?;
        records.without(number, &without);
        let mut of_steps = Vec::with_capacity(all.len());
        for ((operation, _), steps) in all.iter().zip(&steps) {
            if !self.has_steps || !self.asks_for_values {
                of_steps.push(StepLetters::Same(self.letter_of(*operation)));
                continue;
            }
            let mut each = Vec::with_capacity(steps.len());
            for step in steps {
                let Valued { letter, without } = self.letters.step(state, *step).ok()?;
                records.without(number, &without);
                each.push(letter);
            }
            of_steps.push(StepLetters::Each(each));
        }
        Some((letter, of_steps))
    }
}

/// The steps of an operation as propositions see them.
fn seen(operation: OperationId, successors: &Successors) -> Vec<SeenStep<'_>> {
    successors.steps.iter().map(|step| SeenStep { operation, arguments: &step.arguments, next: &step.next }).collect()
}

impl PredFrame {
    /// The frame with the constants of a state: those of its set-up, and those in its words.
    fn with_constants(&mut self, pred: &PackedPred, store: &WordStore, set_up: ConstantsNumber, words: &[u64]) -> &mut PackedState {
        if self.set_up != set_up {
            let state = pred.frame(&store.constants[set_up.index()]).expect("states are words only if all constants fit");
            *self = Self { set_up, state };
        }
        for (constant, _, own) in store.moving_in(words) {
            pred.set_constant(&mut self.state, constant, own);
        }
        &mut self.state
    }
}
