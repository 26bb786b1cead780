//! Expanding states that are words: the fast way of a plain search, with the general way behind it.
//!
//! Invariant: the same steps are offered under the same ranks as in the general way. Where a packed run traps, the operation is
//! run again in general; the steps offered before the trap are a prefix of its steps, and offering a state twice under one rank
//! changes nothing.

use super::engine::{Engine, Entry, Expander, Parent, first_rank};
use super::property::{Examination, examine};
use super::trace::operations;
use crate::eval::{EvalErrorKind, PackedState};
use crate::state::StateId;
use crate::value::Valuation;

/// Scratch memory of a worker that expands words.
pub(super) struct WordExpander {
    /// The current state.
    own: Vec<u64>,
    key: Vec<u8>,
    /// The frame of packed runs, for the set-up with this number.
    frame: (u32, PackedState),
    /// New states of the current operation, to be examined after the run.
    fresh: Vec<(StateId, Vec<u64>)>,
}

impl WordExpander {
    /// The scratch memory, if the states of this run are words.
    pub(super) fn new(engine: &Engine<'_>) -> Option<Self> {
        let constants = engine.keys.words.as_ref()?.constants.first()?;
        let frame = (0, engine.machine.packed_state(constants)?);
        Some(Self { own: Vec::new(), key: Vec::new(), frame, fresh: Vec::new() })
    }
}

impl Expander<'_> {
    /// Expands the state whose key is in `self.key`; false when it does not fit words.
    pub(super) fn expand_words(&mut self, entry: Entry, distance: u64) -> bool {
        let engine = self.engine;
        let (Some(mut scratch), Some(keys)) = (self.words.take(), &engine.keys.words) else { return false };
        let (set_up, fits) = keys.layout.decode(&self.key, &mut scratch.own);
        if fits.is_err() {
            self.words = Some(scratch);
            return false;
        }
        if scratch.frame.0 != set_up {
            let frame = engine.machine.packed_state(&keys.constants[set_up as usize]);
            scratch.frame = (set_up, frame.expect("the keys are words only if all constants fit"));
        }
        self.run_operations(entry, distance, set_up, &mut scratch);
        self.words = Some(scratch);
        true
    }

    fn run_operations(&mut self, entry: Entry, distance: u64, set_up: u32, scratch: &mut WordExpander) {
        let engine = self.engine;
        let keys = engine.keys.words.as_ref().expect("the caller checked that states are words");
        let WordExpander { own, key, frame, fresh } = scratch;
        let frame = &mut frame.1;
        let mut rank = first_rank(entry.number);
        let (mut is_deadlock, mut transitions) = (true, 0);
        let mut general = None;
        for operation in operations(engine.machine) {
            let first = rank;
            let run = engine.machine.packed_successors(operation, frame, own, &mut |step| {
                // Queries lead back to the state itself.
                if step.next != own.as_slice() {
                    key.clear();
                    keys.layout.encode(set_up, step.next, key);
                    let (id, is_new) = engine.table.offer(key, rank);
                    if is_new {
                        fresh.push((id, step.next.to_vec()));
                    }
                }
                rank += 1;
            });
            for (id, words) in fresh.drain(..) {
                let examination = self.examine_words(set_up, &words, frame);
                self.enter(id, examination);
            }
            let needs_general = match run {
                None => true,
                // Only for the warning, whose text the general way knows.
                Some(run) => run.ill_defined_guard && self.batch.guards.is_first(operation, entry.number),
            };
            if !needs_general {
                let steps = rank - first;
                is_deadlock &= steps == 0;
                if steps > 0 {
                    self.count_steps(entry, operation, steps);
                }
                transitions += steps;
                continue;
            }
            let state: &Valuation = general.get_or_insert_with(|| engine.machine.unpack(&keys.constants[set_up as usize], own));
            let successors = match engine.machine.successors(state, operation) {
                Ok(successors) => successors,
                // The watcher knows why.
                Err(error) if error.kind == EvalErrorKind::Interrupted => return,
                Err(error) => return self.batch.stick(entry.number, error),
            };
            is_deadlock &= successors.steps.is_empty() && successors.ill_defined.is_empty();
            rank = first;
            let mut parent = Parent::new(state, entry.id, None);
            transitions += self.follow(entry, distance, &mut parent, operation, successors, &mut rank);
        }
        self.conclude(entry, distance, is_deadlock, transitions);
    }

    /// What there is to say of a new state; `None` when nothing.
    fn examine_words(&self, set_up: u32, words: &[u64], frame: &mut PackedState) -> Option<Box<Examination>> {
        let engine = self.engine;
        if engine.checks.only_invariant() && (!engine.checks.invariant || engine.machine.packed_invariant_holds(frame, words)) {
            return None;
        }
        let keys = engine.keys.words.as_ref().expect("the caller checked that states are words");
        let state = engine.machine.unpack(&keys.constants[set_up as usize], words);
        let seen = examine(engine.machine, engine.checks, &state);
        (!seen.is_clean()).then(|| Box::new(seen))
    }
}
