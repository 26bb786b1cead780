//! Shows the graph that a search has recorded to its judge: at the end, at a limit, and on the fly before.
//!
//! Invariant: nobody expands or numbers states while it is judged, or while other searches have their turn. Deliberately elsewhere: how it
//! is written (`recorder`), when it is shown (`breadth_first`), how it is judged (`temporal`).

use super::Search;
use super::engine::Engine;
use super::family::Family;
use super::formula_action::{Done, FormulaAction};
use super::hooks::Hook;
use super::ledger::Ledger;
use super::subject::Subject;
use crate::LimitHit;
use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::number::StateNumber;
use crate::temporal::letters::{LetterBit, Letters};
use crate::trace::Ancestry;
use bcheck_eval::EvalError;
use bcheck_temporal::graph::Graph;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A graph, as far as it is recorded, with everything needed to map its numbers back to states.
pub(crate) struct Recording<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) family: &'a dyn Ancestry,
    pub(crate) reduction: Reduction<'a>,
    pub(crate) set_ups: &'a [SetUp],
    /// The limit that ended it early.
    pub(crate) limit: Option<LimitHit>,
    /// Whether initial states are missing: what holds in all that are there need not hold in all there are.
    pub(crate) lacks_initial: bool,
    /// Why initial states, or steps of some state, are missing.
    pub(crate) left_out: Option<EvalError>,
    /// By proposition: the first state in which it has no value.
    pub(crate) without_value: &'a BTreeMap<LetterBit, (StateNumber, EvalError)>,
    /// Edges of the graph.
    pub(crate) edges: u64,
}

/// When a recording is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// An on-the-fly check, as the search continues: only final results count.
    OnTheFly,
    /// All states that will be expanded under these set-ups are; other set-ups may follow.
    Batch,
    /// As at a limit, and no other recording follows.
    End,
}

/// Judges what a search records, and lets other searches run meanwhile.
pub(crate) trait Judging: Send {
    /// Judges a recording; breaks if the search need not continue.
    fn judge(&mut self, recording: &mut Recording<'_>, stage: Stage) -> ControlFlow<()>;

    /// Whether other searches are due now that this one has stored this many states.
    fn is_turn_due(&self, states: u64) -> bool;

    /// Runs them; breaks if this search need not continue.
    fn turn(&mut self, states: u64) -> ControlFlow<()>;
}

/// What a search records, and its judge.
pub(crate) struct Record<'r> {
    /// Without letters nothing is recorded: only other searches have their turns.
    pub(crate) letters: Option<&'r Letters>,
    /// Whether it is also judged on the fly, before the search has ended.
    pub(crate) is_on_the_fly: bool,
    pub(crate) judge: &'r mut dyn Judging,
}

impl Record<'_> {
    /// Shows the recording to its judge.
    pub(super) fn show(
        &mut self,
        engine: &Engine<'_>,
        ledger: &Ledger,
        set_ups: &[SetUp],
        (limit, stage): (Option<LimitHit>, Stage),
    ) -> ControlFlow<()> {
        let Some(recorder) = &ledger.attached.recorder else { return ControlFlow::Continue(()) };
        // On the same words as the search, so that its representatives are the stored ones.
        let reduction = Reduction::new(engine.machine, engine.symmetry, engine.orbits).on_words(engine.store.words.as_ref());
        // Of both kinds the one in the state with the least number, whichever occurred first.
        let obstacles = ledger.skipped.iter().chain(&recorder.ill_defined);
        let of_states = || obstacles.min_by_key(|(number, _)| *number).map(|(_, error)| error.clone());
        // A limit that ends the search before the last batch leaves out those that follow.
        let is_cut = !recorder.has_begun || limit.is_some() && stage != Stage::End;
        let mut recording = Recording {
            graph: recorder.graph(),
            family: &Family { engine, ledger },
            reduction,
            set_ups,
            limit,
            lacks_initial: is_cut || recorder.initial_left_out.is_some(),
            left_out: recorder.initial_left_out.clone().or_else(of_states),
            without_value: &recorder.without_value,
            edges: recorder.edges,
        };
        self.judge.judge(&mut recording, stage)
    }
}

/// The on-the-fly checks of a search among the states of one batch of set-ups.
pub(super) struct OnTheFlyChecks<'c, 'r> {
    pub(super) record: &'c mut Record<'r>,
    pub(super) engine: &'c Engine<'c>,
    pub(super) set_ups: &'c [SetUp],
}

impl OnTheFlyChecks<'_, '_> {
    fn is_judged(&self, ledger: &Ledger, expanded: StateNumber) -> bool {
        self.record.is_on_the_fly && ledger.attached.recorder.as_ref().is_some_and(|recorder| recorder.is_due(expanded))
    }

    /// The states of all batches.
    fn stored(&self, ledger: &Ledger) -> u64 {
        self.engine.stored_before + u64::from(ledger.len())
    }

    /// Does the work due at a barrier, or due at one before a checkpoint. The rows of all states expanded by then are written.
    pub(super) fn again(&mut self, ledger: &mut Ledger, passed: FormulaAction) -> ControlFlow<()> {
        ledger.attached.passed.push(passed);
        match passed.what {
            Done::Judged => {
                if let Some(recorder) = &mut ledger.attached.recorder {
                    recorder.pass(passed.expanded);
                }
                self.record.show(self.engine, ledger, self.set_ups, (None, Stage::OnTheFly))
            }
            Done::Turn(stored) => self.record.judge.turn(stored),
        }
    }
}

impl<S: Subject> Hook<S> for OnTheFlyChecks<'_, '_> {
    fn is_pause_due(&self, ledger: &Ledger, expanded: StateNumber) -> bool {
        self.is_judged(ledger, expanded) || self.record.judge.is_turn_due(self.stored(ledger))
    }

    /// Judges the recorded graph, then runs other searches, each if it is due.
    fn pause(&mut self, ledger: &mut Ledger, expanded: StateNumber) -> ControlFlow<()> {
        if self.is_judged(ledger, expanded) {
            self.again(ledger, FormulaAction { expanded, what: Done::Judged })?;
        }
        let stored = self.stored(ledger);
        match self.record.judge.is_turn_due(stored) {
            true => self.again(ledger, FormulaAction { expanded, what: Done::Turn(stored) }),
            false => ControlFlow::Continue(()),
        }
    }
}

impl<'a, 'r: 'a, S: Subject> Search<'a, 'r, S> {
    /// Judges the recorded graph of a batch; returns whether that ends the search.
    pub(super) fn judge_batch(
        &mut self,
        (engine, set_ups): (&Engine<'_>, &[SetUp]),
        ledger: &mut Ledger,
        limit: Option<LimitHit>,
        is_last: bool,
    ) -> bool {
        let Some(record) = &mut self.record else { return false };
        let stage = if is_last { Stage::End } else { Stage::Batch };
        // If time or memory ran out there is no time to judge; a limit on states or depth leaves a graph whose open states are marked.
        let is_cut = matches!(limit, Some(LimitHit::Time(_) | LimitHit::Memory(_) | LimitHit::Interrupted));
        let flow = match is_cut {
            // Which states were expanded by then depends on the clock, so only final results count, as in an on-the-fly check.
            true => self.control.last_judgement(|| record.show(engine, ledger, set_ups, (None, Stage::OnTheFly))),
            false => record.show(engine, ledger, set_ups, (limit, stage)),
        };
        ledger.attached.recorder = None;
        flow.is_break()
    }

    /// Runs other searches between two batches of set-ups, if they are due: batches may be too small for on-the-fly checks, and unbounded
    /// in number.
    pub(super) fn turn_of_others(&mut self) -> ControlFlow<()> {
        match &mut self.record {
            Some(record) if record.judge.is_turn_due(self.states) => record.judge.turn(self.states),
            _ => ControlFlow::Continue(()),
        }
    }
}
