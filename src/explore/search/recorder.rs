//! The graph of a search, written at its barriers: the rows of a slice are written when the new states of that slice get their numbers.
//!
//! Invariant: rows are written in the order of the numbers of their states, and without gaps: after a state whose expansion was
//! interrupted, no row follows. A step to a state without a number, which a limit prevents from being stored, is left out, and its state is
//! open. Nothing depends on the schedule: the records of all workers are merged by number, and letters get their indices row by row.
//! Deliberately elsewhere: the records of workers (`edge_records`), how rows are packed (`temporal::graph`), who is shown the graph
//! (`recording`).

use super::edge_records::{EdgeRecords, RecordedLoop, RecordedState, RecordedStep, WithoutValue};
use crate::number::StateNumber;
use crate::temporal::letters::{LetterBit, Letters};
use crate::thresholds::{FIRST_INTERIM, INTERIM_FACTOR};
use bcheck_eval::EvalError;
use bcheck_state::StateId;
use bcheck_temporal::graph::{Edge, Graph, GraphBuilder};
use std::collections::BTreeMap;

/// Writes the graph.
pub(super) struct Recorder {
    builder: GraphBuilder,
    has_letters: bool,
    next_check: u64,
    /// Whether all initial states of the batch are entered, except for those that an error leaves out.
    pub(super) has_begun: bool,
    /// Why initial states are missing although no limit was hit.
    pub(super) initial_left_out: Option<EvalError>,
    /// The first ill-defined body, with its state.
    pub(super) ill_defined: Option<(StateNumber, EvalError)>,
    /// By proposition: the first state in which it has no value.
    pub(super) without_value: BTreeMap<LetterBit, (StateNumber, EvalError)>,
    /// Edges of the graph, with equal steps merged.
    pub(super) edges: u64,
    /// Scratch: the targets of a row, its targets with letters, its edges.
    targets: Vec<StateNumber>,
    steps: Vec<(StateNumber, u64)>,
    row: Vec<Edge>,
}

/// The rest of the records of one worker.
struct Rest<'n> {
    states: &'n [RecordedState],
    steps: &'n [RecordedStep],
    letters: &'n [u64],
    loops: &'n [RecordedLoop],
}

impl Recorder {
    pub(super) fn new(letters: &Letters) -> Self {
        Self {
            builder: GraphBuilder::new(letters.has_steps()),
            has_letters: letters.has_steps(),
            next_check: FIRST_INTERIM.get(),
            has_begun: false,
            initial_left_out: None,
            ill_defined: None,
            without_value: BTreeMap::new(),
            edges: 0,
            targets: Vec::new(),
            steps: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Marks the states below this number as initial.
    pub(super) fn begin(&mut self, initial: StateNumber) {
        StateNumber::all(initial.index()).for_each(|number| self.builder.mark_initial(number));
    }

    /// The graph written so far.
    pub(super) fn graph(&self) -> &Graph {
        self.builder.graph()
    }

    /// Whether enough states are expanded for the next on-the-fly check.
    pub(super) fn is_due(&self, expanded: StateNumber) -> bool {
        u64::from(expanded.number()) >= self.next_check
    }

    /// Advances to the first on-the-fly check that needs more states.
    pub(super) fn pass(&mut self, expanded: StateNumber) {
        while self.is_due(expanded) {
            self.next_check *= INTERIM_FACTOR.get();
        }
    }

    /// Writes the rows of states recorded by workers; `number_of` returns the number of a state, if it has one.
    pub(super) fn write<'n>(&mut self, records: impl Iterator<Item = &'n EdgeRecords>, number_of: impl Fn(StateId) -> Option<StateNumber>) {
        let mut lists = Vec::new();
        for records in records {
            let EdgeRecords { states, steps, letters, loops, .. } = records;
            lists.push(Rest { states, steps, letters, loops });
            self.keep_errors(records);
        }
        loop {
            let next = self.builder.graph().known();
            let Some(list) = lists.iter_mut().find(|list| list.states.first().is_some_and(|state| state.number == next)) else { break };
            // Chunks are neighbouring states, so much of a list follows.
            while let Some((state, rest)) = list.states.split_first().filter(|(state, _)| state.number == self.builder.graph().known()) {
                list.states = rest;
                self.row(*state, list, &number_of);
            }
        }
    }

    /// Of each kind of error in the records, stores the one in the state with the least number.
    pub(super) fn keep_errors(&mut self, records: &EdgeRecords) {
        if let Some((number, error)) = &records.ill_defined
            && self.ill_defined.as_ref().is_none_or(|(known, _)| number < known)
        {
            self.ill_defined = Some((*number, error.clone()));
        }
        for WithoutValue { number, proposition, error } in &records.without_value {
            let first = self.without_value.entry(*proposition).or_insert_with(|| (*number, error.clone()));
            if *number < first.0 {
                *first = (*number, error.clone());
            }
        }
    }

    /// Writes the next row from a checkpoint: the steps of its state, in any order.
    pub(super) fn restore(&mut self, (letter, is_open): (u64, bool), steps: &mut Vec<(StateNumber, u64)>) {
        let number = self.builder.push_steps(letter, steps, &mut self.row);
        self.edges += self.row.len() as u64;
        if is_open {
            self.builder.mark_open(number);
        }
    }

    /// Writes one row, whose steps come first in the lists.
    fn row(&mut self, state: RecordedState, list: &mut Rest<'_>, number_of: &impl Fn(StateId) -> Option<StateNumber>) {
        let Self { builder, targets, steps, row, .. } = self;
        let RecordedState { number, mut is_open, letter } = state;
        let count = list.steps.iter().position(|step| step.from != number).unwrap_or(list.steps.len());
        let (own, rest) = list.steps.split_at(count);
        list.steps = rest;
        let count = list.loops.iter().position(|step| step.number != number).unwrap_or(list.loops.len());
        let (loops, rest) = list.loops.split_at(count);
        list.loops = rest;
        if self.has_letters {
            let (letters, rest) = list.letters.split_at(own.len());
            list.letters = rest;
            steps.clear();
            for (step, letter) in own.iter().zip(letters) {
                match number_of(step.to) {
                    Some(to) => steps.push((to, *letter)),
                    None => is_open = true,
                }
            }
            steps.extend(loops.iter().map(|own| (number, own.letter)));
            builder.push_steps(letter, steps, row);
            self.edges += row.len() as u64;
        } else {
            targets.clear();
            for step in own {
                match number_of(step.to) {
                    Some(to) => targets.push(to),
                    None => is_open = true,
                }
            }
            if !loops.is_empty() {
                targets.push(number);
            }
            builder.push_targets(letter, targets);
            self.edges += targets.len() as u64;
        }
        if is_open {
            builder.mark_open(number);
        }
    }
}
