//! The internal steps of a refinement check in a folder, in a log beside that of the states.
//!
//! A step is stored like a state: the word of its key is the number of its target, its parent is its source, its class the operation.
//! Invariant: a checkpoint has exactly the steps from the states that are expanded there. Deliberately elsewhere: their graph
//! (`internal_steps`).

use super::super::internal_steps::InternalSteps;
use super::CheckpointFault;
use super::snapshot::SavedLog;
use crate::number::StateNumber;
use bcheck_durable::folder::Folder;
use bcheck_durable::log::{Key, LogIndex, LogLength, LogWriter};
use bcheck_durable::log_reader::read_log;
use bcheck_durable::trouble::Trouble;
use bcheck_ir::OperationId;
use std::ops::{ControlFlow, Range};

const WIDTH: usize = 1;
const OTHER_STEPS: CheckpointFault = CheckpointFault::Other("its internal steps are not those of its states");

/// The open log of the internal steps of a batch.
pub(super) struct StepLog {
    writer: LogWriter,
    /// Steps written so far.
    written: usize,
}

fn name(ordinal: u64) -> String {
    format!("steps-{ordinal}")
}

impl StepLog {
    /// A log without steps, of the batch with this ordinal.
    pub(super) fn new(ordinal: u64) -> Self {
        Self { writer: LogWriter::new(&name(ordinal), WIDTH), written: 0 }
    }

    /// Goes on with a log from a length.
    pub(super) fn go_on(folder: &Folder, ordinal: u64, length: &LogLength, index: LogIndex) -> Result<Self, CheckpointFault> {
        let written = usize::try_from(length.states).map_err(|_| OTHER_STEPS)?;
        Ok(Self { writer: LogWriter::go_on(folder, &name(ordinal), WIDTH, length, index)?, written })
    }

    /// Appends the steps up to this index, and makes them durable.
    pub(super) fn append(&mut self, folder: &Folder, steps: &InternalSteps, end: usize) -> Result<SavedLog, Trouble> {
        for index in self.written..end {
            let (from, to, operation) = steps.get(index);
            self.writer.push(folder, Key::Words(&[to.number().into()]), from.number().into(), operation.0)?;
            self.written = index + 1;
        }
        Ok(SavedLog { width: WIDTH, length: self.writer.flush(folder)? })
    }
}

/// Reads the steps of a log, from states below `expanded` to states below `states`; returns its index.
pub(super) fn read_steps(
    folder: &Folder,
    log: &SavedLog,
    (expanded, states, operations): (StateNumber, StateNumber, usize),
    into: &mut InternalSteps,
) -> Result<LogIndex, CheckpointFault> {
    let within =
        |number: u64, range: Range<StateNumber>| u32::try_from(number).ok().map(StateNumber::new).filter(|number| range.contains(number));
    let mut fault = (log.width != WIDTH).then_some(OTHER_STEPS);
    let first = StateNumber::new(0);
    let mut last = first;
    // A step that is out of range would be an index out of bounds, or a cycle through states that there are not.
    let index = read_log(folder, WIDTH, &log.length, &mut |_, key, from, operation| {
        let to = if let Key::Words(&[to]) = key { within(to, first..states) } else { None };
        // States are expanded in the order of their numbers.
        let from = within(from, last..expanded);
        if let (Some(from), Some(to), true, None) = (from, to, (operation as usize) < operations, &fault) {
            last = from;
            into.add(from, to, OperationId(operation));
            return ControlFlow::Continue(());
        }
        fault = Some(OTHER_STEPS);
        ControlFlow::Break(())
    })?;
    // Of several steps between two states one was stored, so none is left out here.
    let is_whole = u64::try_from(into.len()).is_ok_and(|read| read == log.length.states);
    fault.or((!is_whole).then_some(OTHER_STEPS)).map_or(Ok(index), Err)
}
