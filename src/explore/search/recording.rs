//! The graph that a search has recorded, shown to whoever judges it: at its end, and at checkpoints before.
//!
//! Invariant: nobody expands or numbers states while it is looked at. Deliberately elsewhere: how it is written (`recorder`), when
//! (`breadth_first`), what is said about it (`temporal`).

use super::engine::Engine;
use super::ledger::{Family, Ledger};
use crate::eval::EvalError;
use crate::explore::LimitHit;
use crate::explore::count::reduction::Reduction;
use crate::explore::count::set_up::SetUp;
use crate::explore::temporal::letters::{LetterBit, Letters};
use crate::explore::trace::Ancestry;
use crate::temporal::graph::Graph;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A graph, or as much of it as is recorded, with all that leads from its numbers back to states.
pub(in crate::explore) struct Recording<'a> {
    pub(in crate::explore) graph: &'a Graph,
    pub(in crate::explore) family: &'a dyn Ancestry,
    pub(in crate::explore) reduction: Reduction<'a>,
    pub(in crate::explore) set_ups: &'a [SetUp],
    /// The limit that ended it early.
    pub(in crate::explore) limit: Option<LimitHit>,
    /// Why steps of some state are missing.
    pub(in crate::explore) left_out: Option<EvalError>,
    /// By proposition: the first state in which it has no value.
    pub(in crate::explore) without_value: &'a BTreeMap<LetterBit, (u32, EvalError)>,
    /// Edges of the graph.
    pub(in crate::explore) edges: u64,
}

/// When a recording is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) enum Stage {
    /// The search goes on: only what is final counts.
    Checkpoint,
    /// All states that will be expanded under these set-ups are; other set-ups may follow.
    Batch,
    /// The same, and no others follow.
    End,
}

/// Judges a recording; breaks if the search need not go on.
pub(in crate::explore) type Judging<'j> = dyn FnMut(&mut Recording<'_>, Stage) -> ControlFlow<()> + Send + 'j;

/// What a search is to record, and who judges it.
pub(in crate::explore) struct Record<'r> {
    pub(in crate::explore) letters: &'r Letters,
    /// Whether it is judged before the search has ended, too.
    pub(in crate::explore) has_checkpoints: bool,
    pub(in crate::explore) judge: &'r mut Judging<'r>,
}

impl Record<'_> {
    /// Shows what is recorded.
    pub(super) fn show(
        &mut self,
        engine: &Engine<'_>,
        ledger: &Ledger,
        set_ups: &[SetUp],
        (limit, stage): (Option<LimitHit>, Stage),
    ) -> ControlFlow<()> {
        let Some(recorder) = &ledger.recorder else { return ControlFlow::Continue(()) };
        // On the same words as the search, so that its representatives are the stored ones.
        let reduction = Reduction::new(engine.machine, engine.symmetry, engine.orbits).on_words(engine.store.words.as_ref());
        // Of both kinds the one in the state with the least number, whatever was met first.
        let obstacles = ledger.skipped.iter().chain(&recorder.ill_defined);
        let mut recording = Recording {
            graph: recorder.graph(),
            family: &Family { engine, ledger },
            reduction,
            set_ups,
            limit,
            left_out: obstacles.min_by_key(|(number, _)| *number).map(|(_, error)| error.clone()),
            without_value: &recorder.without_value,
            edges: recorder.edges,
        };
        (self.judge)(&mut recording, stage)
    }
}
