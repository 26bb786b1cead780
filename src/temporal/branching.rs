//! Formulas of branching time, evaluated on all states of a graph at once.
//!
//! Invariant: unknown facts about open states never decide. A formula *surely* holds in a state if it does however the open states
//! continue, and *possibly* holds if it may; between these two the answer is [`Judgement::Unknown`]. Deliberately elsewhere: the sets of
//! states (`branching::sets`), the runs that explain an answer (`branching::explain`), formulas of linear time (`emptiness`).

mod explain;
mod sets;

use super::formula::Branching;
use super::graph::{Graph, Run};
use explain::Explanation;
use sets::Sets;

/// Whether a formula holds in all initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It does.
    Holds,
    /// It does not; the run ends where it fails.
    Violated(Run),
    /// This depends on open states.
    Unknown,
    /// The evaluation was interrupted.
    Interrupted,
}

/// A graph on which formulas are judged.
#[derive(Debug)]
pub struct BranchingJudge<'a> {
    sets: Sets<'a>,
}

impl<'a> BranchingJudge<'a> {
    /// A judge of formulas on a graph. In open states the propositions with these bits are unknown. `interrupted` is polled from time to
    /// time.
    #[must_use]
    pub fn new(graph: &'a Graph, unknown_when_open: u64, interrupted: &'a dyn Fn() -> bool) -> Self {
        Self { sets: Sets::new(graph, unknown_when_open, interrupted) }
    }

    /// Whether a formula holds in all initial states.
    #[must_use]
    pub fn judge(&self, formula: &Branching) -> Judgement {
        self.decide(formula).unwrap_or(Judgement::Interrupted)
    }

    fn decide(&self, formula: &Branching) -> Option<Judgement> {
        let bounds = self.sets.bounds(formula)?;
        let initial = || self.sets.graph().initial().iter().copied();
        // One initial state where it cannot hold is enough, whatever is unknown of others.
        if let Some(fails) = initial().find(|&state| !bounds.possibly.contains(state.index())) {
            return Some(Judgement::Violated(Explanation::new(&self.sets, fails).of(formula, false)?));
        }
        let holds = initial().all(|state| bounds.surely.contains(state.index()));
        Some(if holds { Judgement::Holds } else { Judgement::Unknown })
    }

    /// A run that shows why a formula with EX, EF, EG or EU outermost holds, from the first initial state where it surely does.
    #[must_use]
    pub fn witness(&self, formula: &Branching) -> Option<Run> {
        // A run is evidence of a formula about some path only; that one about all paths holds, no single run shows.
        let is_existential = matches!(
            formula,
            Branching::ExistsNext(..) | Branching::ExistsFinally(_) | Branching::ExistsGlobally(_) | Branching::ExistsUntil(..)
        );
        let bounds = is_existential.then(|| self.sets.bounds(formula))??;
        let holds = self.sets.graph().initial().iter().copied().find(|&state| bounds.surely.contains(state.index()))?;
        Explanation::new(&self.sets, holds).of(formula, true)
    }
}

#[cfg(test)]
mod tests;
