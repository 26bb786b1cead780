//! The rows of the graph that formulas are judged on, in a checkpoint: a log of their own, one entry for each state that was expanded.
//!
//! | part of an entry | how |
//! |---|---|
//! | letter of the state | varint |
//! | whether it is open | varint, 0 or 1 |
//! | steps | zigzag varint of the difference of the target to the one before, of the first to the state; letter, where steps have any |
//!
//! Letters are written as bits, not as indices: the recorder gives indices in the order of the rows, so a graph that is written again is
//! the same. Judgements and turns of other searches before the checkpoint are not kept. They are done again when as many rows are
//! there as were then, so that what they leave behind (sizes of products, which searches are complete) is as in a search that was never
//! stopped.
//! Invariant: an entry is of a state below `Snapshot::expanded`, whose steps lead to states with numbers.

use super::super::ledger::Ledger;
use super::super::recording::OnTheFlyChecks;
use super::super::subject::Worker;
use super::again::{Again, OTHER_STATES, Parts};
use super::snapshot::{ForFormulas, SavedLog, Snapshot};
use super::{CheckpointFault, OpenLog};
use crate::number::StateNumber;
use bcheck_durable::folder::Folder;
use bcheck_durable::log::{Key, LogWriter};
use bcheck_durable::log_reader::read_log;
use bcheck_durable::trouble::Trouble;
use bcheck_durable::varint::{push_varint, take_varint, unzigzag, zigzag};
use bcheck_temporal::graph::Graph;
use std::ops::ControlFlow;

/// The entries have no keys of words.
const WIDTH: usize = 0;
const DAMAGED: CheckpointFault = CheckpointFault::Other("the rows of its graph contradict its states");

fn name(ordinal: u64) -> String {
    format!("rows-{ordinal}")
}

/// A row as read: letter of the state, whether it is open, steps with their letters.
type Row = (u64, bool, Vec<(StateNumber, u64)>);

/// Appends the rows of the states below this number to the log of a batch, and makes them durable.
pub(super) fn append(
    folder: &Folder,
    log: &mut Option<OpenLog>,
    (graph, has_steps): (&Graph, bool),
    (ordinal, expanded): (u64, StateNumber),
) -> Result<SavedLog, Trouble> {
    let log = log.get_or_insert_with(|| OpenLog { writer: LogWriter::new(&name(ordinal), WIDTH), written: StateNumber::new(0) });
    let mut bytes = Vec::new();
    for number in StateNumber::each(log.written..expanded) {
        encode(graph, number, has_steps, &mut bytes);
        log.writer.push(folder, Key::Bytes(&bytes), 0, 0)?;
        log.written = number.next();
    }
    Ok(SavedLog { width: WIDTH, length: log.writer.flush(folder)? })
}

/// Rebuilds the graph of a batch, and repeats the work done for formulas by then; its states are in the ledger. Breaks if a formula ends
/// the search.
pub(super) fn restore<'e>(
    folder: &Folder,
    worker: &mut impl Worker<'e>,
    ledger: &mut Ledger,
    (ordinal, rows, snapshot): (u64, Option<&SavedLog>, &Snapshot),
    checks: &mut OnTheFlyChecks<'_, '_>,
) -> Result<(Option<OpenLog>, ControlFlow<()>), CheckpointFault> {
    let ForFormulas { passed, ill_defined, without_value, .. } = &snapshot.formulas;
    let mut passed = passed.iter().copied().peekable();
    let mut flow = ControlFlow::Continue(());
    let mut pass = |ledger: &mut Ledger, known: StateNumber, flow: &mut ControlFlow<()>| {
        while flow.is_continue()
            && let Some(due) = passed.next_if(|due| due.expanded <= known)
        {
            *flow = checks.again(ledger, due);
        }
        flow.is_continue()
    };
    let engine = worker.expander().engine;
    let control = engine.control;
    let (Some(letters), Some(SavedLog { width: WIDTH, length })) = (engine.letters, rows) else {
        // Nothing is recorded: others had their turns.
        pass(ledger, snapshot.expanded, &mut flow);
        return if engine.letters.is_none() && rows.is_none() { Ok((None, flow)) } else { Err(DAMAGED) };
    };
    let (has_steps, states) = (letters.has_steps(), ledger.end());
    // One row for each state that was expanded, as rows are written without gaps.
    let mut is_wrong = length.states != u64::from(snapshot.expanded.number());
    let index = read_log(folder, WIDTH, length, &mut |number, key, _, _| {
        // The work that was due before the row of this state was written.
        let number = StateNumber::new(u32::try_from(number).unwrap_or(u32::MAX));
        let row = if let Key::Bytes(bytes) = key { decode(bytes, number, has_steps) } else { None };
        let row = row.filter(|(_, _, steps)| steps.iter().all(|(to, _)| *to < states));
        is_wrong |= row.is_none();
        let (false, Some((letter, is_open, mut steps))) = (is_wrong, row) else { return ControlFlow::Break(()) };
        if !pass(ledger, number, &mut flow) || control.is_stopped() {
            return ControlFlow::Break(());
        }
        if let Some(recorder) = &mut ledger.attached.recorder {
            recorder.restore((letter, is_open), &mut steps);
        }
        ControlFlow::Continue(())
    })?;
    if is_wrong {
        return Err(DAMAGED);
    }
    pass(ledger, snapshot.expanded, &mut flow);
    for state in ill_defined.iter().chain(without_value) {
        if *state >= states {
            return Err(OTHER_STATES);
        }
        let records = Again::of(worker, ledger.entry(*state), snapshot.distance, Parts::Expansion).batch.offers.records;
        let recorder = ledger.attached.recorder.as_mut().ok_or(OTHER_STATES)?;
        recorder.keep_errors(&records);
    }
    // Last: until here the checkpoint can still be refused, and then its files are unchanged.
    let writer = LogWriter::go_on(folder, &name(ordinal), WIDTH, length, index)?;
    Ok((Some(OpenLog { writer, written: snapshot.expanded }), flow))
}

fn encode(graph: &Graph, number: StateNumber, has_steps: bool, bytes: &mut Vec<u8>) {
    // Breadth first, most steps lead to states found at about the same time: differences take fewer bytes than numbers.
    bytes.clear();
    push_varint(bytes, graph.letter(number));
    push_varint(bytes, u64::from(graph.is_open(number)));
    let mut last = number;
    for edge in graph.edges(number) {
        push_varint(bytes, zigzag(last.number().into(), edge.to.number().into()));
        if has_steps {
            push_varint(bytes, graph.step(edge.letter));
        }
        last = edge.to;
    }
}

fn decode(mut bytes: &[u8], number: StateNumber, has_steps: bool) -> Option<Row> {
    let letter = take_varint(&mut bytes)?;
    let is_open = take_varint(&mut bytes)?;
    let (mut last, mut steps) = (u64::from(number.number()), Vec::new());
    while !bytes.is_empty() {
        last = unzigzag(last, take_varint(&mut bytes)?);
        let letter = if has_steps { take_varint(&mut bytes)? } else { 0 };
        steps.push((StateNumber::new(u32::try_from(last).ok()?), letter));
    }
    (is_open <= 1).then_some((letter, is_open == 1, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_temporal::graph::GraphBuilder;

    /// Letter, whether the state is open, and steps.
    type Written = (u64, bool, &'static [(u32, u64)]);

    #[test]
    fn rows_are_read_as_they_were_written() {
        for has_steps in [false, true] {
            let mut builder = GraphBuilder::new(has_steps);
            let rows: [Written; 4] = [
                (5, false, &[(3, 0), (0, 2), (3, 1 << 63)]),
                (u64::MAX, true, &[]),
                (0, false, &[(2, 7)]),
                (1, true, &[(u32::MAX - 2, 3), (1, 3)]),
            ];
            for (letter, is_open, steps) in rows {
                let mut steps = steps.iter().map(|(to, letter)| (StateNumber::new(*to), *letter)).collect();
                let number = builder.push_steps(letter, &mut steps, &mut Vec::new());
                if is_open {
                    builder.mark_open(number);
                }
            }
            let (graph, mut again) = (builder.graph(), GraphBuilder::new(has_steps));
            let mut bytes = Vec::new();
            for number in StateNumber::all(4) {
                encode(graph, number, has_steps, &mut bytes);
                let (letter, is_open, mut steps) = decode(&bytes, number, has_steps).expect("what was written");
                assert_eq!((letter, is_open), (graph.letter(number), graph.is_open(number)));
                again.push_steps(letter, &mut steps, &mut Vec::new());
                assert!(graph.edges(number).eq(again.graph().edges(number)), "{number}");
            }
            assert_eq!((graph.steps(), graph.letters()), (again.graph().steps(), again.graph().letters()));
        }
    }

    #[test]
    fn what_is_no_row_is_refused() {
        for bytes in [&[][..], &[1], &[1, 2], &[1, 0, 0x80], &[1, 0, 1], &[1, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]] {
            assert_eq!(decode(bytes, StateNumber::new(0), true), None, "{bytes:?}");
        }
    }
}
