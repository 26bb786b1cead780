//! The plain breadth-first search, on one thread and general values, which the reference searches of machines and refinements share.
//!
//! Invariant: representatives are numbered in breadth-first order, so a parent has a lower number than its children, and the states of one
//! level have consecutive numbers. Deliberately elsewhere: how a state is expanded and checked (`reference`, `refine::reference`); levels
//! expanded by several workers (`search::breadth_first`).

use super::count::conclusion::Ending;
use super::count::reduction::Reduction;
use super::count::tally::OrbitClass;
use super::number::StateNumber;
use super::trace::{Ancestry, Origin};
use super::visited::Visited;
use super::{LimitHit, Options};
use bcheck_value::Valuation;
use std::ops::{ControlFlow, Range};

/// The state of a plain search.
pub(super) struct PlainSearch<'a> {
    pub(super) options: &'a Options,
    pub(super) reduction: Reduction<'a>,
    pub(super) family: PlainFamily,
    pub(super) ending: Ending,
}

/// The representatives by number, with their parents and the sizes of their orbits.
pub(super) struct PlainFamily {
    visited: Visited<Valuation, (Origin, OrbitClass)>,
}

/// A state that was entered.
pub(super) struct Entered {
    pub(super) number: StateNumber,
    pub(super) class: OrbitClass,
    pub(super) is_new: bool,
}

/// States at one distance from the initial ones.
pub(super) struct Level {
    pub(super) numbers: Range<StateNumber>,
    pub(super) distance: u64,
}

impl PlainFamily {
    /// The number behind the last one.
    pub(super) fn end(&self) -> StateNumber {
        StateNumber::at(self.visited.len())
    }

    fn get(&self, number: StateNumber) -> (&Valuation, &(Origin, OrbitClass)) {
        self.visited.get(number.index()).expect("a number that was given to a state")
    }

    pub(super) fn representative(&self, number: StateNumber) -> &Valuation {
        self.get(number).0
    }

    /// The orbit size of a representative.
    pub(super) fn class(&self, number: StateNumber) -> OrbitClass {
        self.get(number).1.1
    }
}

impl Ancestry for PlainFamily {
    fn origin(&self, number: StateNumber) -> Origin {
        self.get(number).1.0
    }

    fn state(&self, number: StateNumber) -> Valuation {
        self.representative(number).clone()
    }
}

impl<'a> PlainSearch<'a> {
    pub(crate) fn new(options: &'a Options, reduction: Reduction<'a>) -> Self {
        let limit = options.limits.states.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        Self { options, reduction, family: PlainFamily { visited: Visited::new(limit) }, ending: Ending::default() }
    }

    pub(super) fn may_go_on(&self) -> bool {
        self.ending.may_go_on(self.options)
    }

    /// Stores the representative of a state unless it is known, and counts it if it is new; `None` at the limit on states or the interrupt,
    /// which ends the search.
    pub(super) fn enter(&mut self, state: Valuation, origin: Origin) -> Option<Entered> {
        let Self { options, reduction, family, ending } = self;
        let Some(mut representative) = reduction.representative(state) else {
            ending.limit = Some(LimitHit::Interrupted);
            return None;
        };
        // One inexact form is enough for several members of an orbit to be stored: from then on full counts are bounds.
        if !representative.is_exact {
            ending.tally.inexact();
        }
        // The orbit size is computed for new states only, and needs the automorphisms but not the state.
        let key = std::mem::take(&mut representative.state);
        let Some((number, is_new)) = family.visited.enter(key, || (origin, reduction.class(&representative))) else {
            ending.limit = options.limits.states.map(LimitHit::States);
            return None;
        };
        let number = StateNumber::at(number);
        let class = family.class(number);
        if is_new {
            ending.tally.state(class);
        }
        Some(Entered { number, class, is_new })
    }
}

/// A search that goes level by level.
pub(super) trait BreadthFirst<'a> {
    fn plain(&mut self) -> &mut PlainSearch<'a>;

    /// Expands a state of this level; breaks where the rest of the level is to be left out.
    fn expand(&mut self, number: StateNumber, level: &Level) -> ControlFlow<()>;

    /// Expands the states from number `first` on, which are initial ones, then those found from them, until nothing is new or the search
    /// must stop.
    fn levels(&mut self, first: StateNumber) {
        let mut level = Level { numbers: first..self.plain().family.end(), distance: 0 };
        // Invariant: states up to the end of the level are numbered, those before it are expanded, those in it have its distance.
        while self.plain().may_go_on() && !level.numbers.is_empty() {
            let plain = self.plain();
            if plain.options.limits.depth.is_some_and(|limit| level.distance >= limit) {
                plain.ending.limit = Some(LimitHit::Depth(level.distance));
                break;
            }
            // The verdict of the first stage with a finding is final. Within a stage all states are expanded, because only then the least
            // finding is known.
            let earlier = plain.ending.claim.take();
            for number in StateNumber::each(level.numbers.clone()) {
                if self.expand(number, &level).is_break() {
                    break;
                }
            }
            // Children have the numbers after their level, as parents are expanded in order and numbers are never reused.
            let PlainSearch { family, ending, .. } = self.plain();
            ending.claim = earlier.or(ending.claim.take());
            let Range { start, end } = level.numbers;
            let (states, found) = (end.since(start), family.end().since(end));
            tracing::debug!(target: "bcheck::explore", depth = level.distance, states, found, "level expanded");
            level = Level { numbers: end..family.end(), distance: level.distance + 1 };
            if !level.numbers.is_empty() {
                ending.depth = ending.depth.max(level.distance);
            }
        }
        // A finding in a level that led nowhere new leaves nothing unexplored.
        let ending = &mut self.plain().ending;
        ending.is_exhausted = level.numbers.is_empty() && ending.limit.is_none();
    }
}
