//! The states of an unfinished search, for a walk that shows them and no others.
//!
//! A search numbers states as it finds them, and a walk finds them in the same order if it continues from the same representatives. So the
//! numbers in an [`Extent`] determine which states are stored, and which of them are expanded; if the search has chosen states in another
//! order, its choices are repeated. Invariant: representatives are those of the search. Deliberately elsewhere: choices
//! (`search::depth_first`), the walk (`mod`).

use super::space::Space;
use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::count::tally::Orbits;
use crate::number::StateNumber;
use crate::search::depth_first::Agenda;
use crate::visited::Visited;
use crate::{Extent, Strategy};
use bcheck_eval::EvalError;
use bcheck_symmetry::{Canonical, Scratch, Symmetry};
use bcheck_value::{Valuation, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// The representatives of a search that did not go level by level, each with whether it is expanded.
type Choices = FxHashMap<Valuation, bool>;

/// The states under the last set-ups of a search; all others are expanded.
pub(super) struct Stopped<'a> {
    extent: &'a Extent,
    reduction: Reduction<'a>,
    /// Set where the search did not go level by level.
    replayed: Option<Choices>,
    /// The number behind those of these states that are found.
    pub(super) found: StateNumber,
}

impl<'a> Stopped<'a> {
    /// The states of a search under these set-ups, which were its last ones.
    pub(super) fn new(
        (space, symmetry): (&dyn Space, &'a Symmetry),
        extent: &'a Extent,
        last: &[SetUp],
        mut reduction: Reduction<'a>,
    ) -> Result<Self, EvalError> {
        let replay = |order| replay((space, symmetry), (extent, order), last, &mut reduction);
        let replayed = extent.order.map(replay).transpose()?;
        Ok(Self { extent, reduction, replayed, found: StateNumber::new(0) })
    }

    /// Whether a valuation of the constants is one of the last ones, by its index among all; `None` behind them.
    pub(super) fn is_last(&self, place: u64) -> Option<bool> {
        (place < self.extent.whole + self.extent.last).then_some(place >= self.extent.whole)
    }

    /// The representative of a state as the search has found it; `None` when interrupted.
    pub(super) fn canonical(&mut self, state: &[Value], scratch: &mut Scratch) -> Option<Canonical> {
        match self.reduction.is_trivial() {
            true => Some(self.reduction.symmetry.canonical(state, scratch)),
            false => self.reduction.representative(state.to_vec())?.canonical(),
        }
    }

    /// Whether the search has stored the representative that the walk has reached.
    pub(super) fn has(&self, state: &Valuation) -> bool {
        self.replayed.as_ref().map_or(self.found.number() < self.extent.states, |replayed| replayed.contains_key(state))
    }

    /// Whether the search has expanded a representative, the walk's one with this number of these.
    pub(super) fn has_expanded(&self, state: &Valuation, number: StateNumber) -> bool {
        self.replayed.as_ref().map_or_else(|| self.extent.expanded.has(number), |replayed| replayed.get(state) == Some(&true))
    }
}

/// The last set-ups of a search, under at most `most` valuations of the constants.
pub(super) fn last_set_ups(space: &dyn Space, symmetry: &Symmetry, extent: &Extent, most: Option<u64>) -> Result<Vec<SetUp>, EvalError> {
    // As in the search: where the number of valuations is limited, all of them are visited.
    let most = most.filter(|_| space.machine().model().set_up_steps() > 0);
    let renamings = if most.is_none() { symmetry.renamings() } else { Vec::new() };
    let (mut seen, mut scratch, mut place, mut last) = (FxHashSet::default(), Scratch::default(), 0, Vec::new());
    let visited = space.machine().for_each_setup_but_images(&renamings, &mut |constants| {
        if place == extent.whole + extent.last {
            return ControlFlow::Break(());
        }
        place += 1;
        let is_new = seen.insert(symmetry.canonical(&constants, &mut scratch).state);
        last.extend((is_new && place > extent.whole).then_some(SetUp { constants, class: Orbits::SINGLE }));
        ControlFlow::Continue(())
    });
    // If first values of a choice were taken, there are others.
    visited.or_else(|error| if error.kind.is_left_out() { Ok(()) } else { Err(error) }).map(|()| last)
}

/// Makes the choices of a search again.
fn replay(
    (space, symmetry): (&dyn Space, &Symmetry),
    (extent, order): (&Extent, Strategy),
    last: &[SetUp],
    reduction: &mut Reduction<'_>,
) -> Result<Choices, EvalError> {
    let (mut scratch, mut agenda) = (Scratch::default(), Agenda::new(order));
    // Numbered as the search did; of each it is known in the end whether it is expanded.
    let mut stored: Visited<Valuation, ()> = Visited::new(extent.states as usize);
    let mut enter = |stored: &mut Visited<Valuation, ()>, state: Valuation| {
        if let Some(found) = reduction.representative(state) {
            stored.enter(found.state, || ());
        }
    };
    for SetUp { constants, .. } in last {
        let entered = space.initial(constants, &mut |state| {
            enter(&mut stored, state);
            ControlFlow::Continue(())
        });
        entered.or_else(|error| if error.kind.is_left_out() { Ok(()) } else { Err(error) })?;
    }
    agenda.extend(StateNumber::new(0)..end(&stored), 0);
    let (mut expanded, mut left) = (FxHashSet::default(), extent.expanded.count);
    while left > 0
        && let Some((at, distance)) = agenda.take()
    {
        if extent.depth.is_some_and(|depth| distance >= depth) {
            continue;
        }
        left -= 1;
        expanded.insert(at);
        let Some((state, ())) = stored.get(at.index()) else { break };
        let (state, first) = (state.clone(), end(&stored));
        for steps in space.expand(symmetry, &state, &mut scratch)?.alike {
            steps.into_iter().take(1).for_each(|step| enter(&mut stored, step.state));
        }
        agenda.extend(first..end(&stored), distance + 1);
    }
    let states = StateNumber::all(stored.len()).map_while(|at| Some((stored.get(at.index())?.0.clone(), expanded.contains(&at))));
    Ok(states.collect())
}

/// The number behind the last state.
fn end(stored: &Visited<Valuation, ()>) -> StateNumber {
    StateNumber::at(stored.len())
}
