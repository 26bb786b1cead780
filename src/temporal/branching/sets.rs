//! The sets of states where formulas of branching time hold, by bits, bottom up.
//!
//! Only EX, EU and EG are computed: EX by rows, EU backwards on transposed rows, EG by repeatedly removing states without a successor in
//! the set. The other operators are their duals. Invariant: `surely` uses known steps only, and no open state is the end of a path; in
//! `possibly`, an open state may have any step to a state where anything holds, and may be an end. So `surely` is within `possibly`, and
//! without open states they are equal. Deliberately elsewhere: why a formula holds or fails in a state (`branching::explain`).

use super::super::formula::{Branching, Proposition};
use super::super::graph::{Edge, Graph, StateNumber};
use fixedbitset::FixedBitSet;
use std::cell::{Cell, OnceCell};

/// A set of states, by number.
pub(super) type States = FixedBitSet;

/// Where a formula surely holds, and where it possibly does.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) surely: States,
    pub(super) possibly: States,
}

/// Evaluates formulas on a graph. `None` from any of its functions: interrupted.
pub(super) struct Sets<'a> {
    graph: &'a Graph,
    unknown_when_open: u64,
    interrupted: &'a dyn Fn() -> bool,
    /// States examined until the next test whether to stop.
    patience: Cell<u32>,
    is_partial: bool,
    transposed: OnceCell<Transposed>,
}

/// By state, the states with a step to it, each once.
struct Transposed {
    starts: Vec<usize>,
    sources: Vec<StateNumber>,
}

const PATIENCE: u32 = 1 << 14;

impl std::fmt::Debug for Sets<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sets").field("states", &self.graph.size()).finish_non_exhaustive()
    }
}

impl Bounds {
    /// Where the formula surely has a value.
    pub(super) fn surely_is(self, value: bool) -> States {
        if value { self.surely } else { complement(self.possibly) }
    }

    fn not(self) -> Self {
        Self { surely: complement(self.possibly), possibly: complement(self.surely) }
    }

    fn and(mut self, other: &Self) -> Self {
        self.surely &= &other.surely;
        self.possibly &= &other.possibly;
        self
    }

    fn or(mut self, other: &Self) -> Self {
        self.surely |= &other.surely;
        self.possibly |= &other.possibly;
        self
    }
}

fn complement(mut states: States) -> States {
    states.toggle_range(..);
    states
}

impl<'a> Sets<'a> {
    pub(super) fn new(graph: &'a Graph, unknown_when_open: u64, interrupted: &'a dyn Fn() -> bool) -> Self {
        let is_partial = graph.is_partial();
        Self { graph, unknown_when_open, interrupted, patience: Cell::new(PATIENCE), is_partial, transposed: OnceCell::new() }
    }

    pub(super) fn graph(&self) -> &'a Graph {
        self.graph
    }

    pub(super) fn interrupted(&self) -> &'a dyn Fn() -> bool {
        self.interrupted
    }

    /// Looks from time to time whether to stop.
    pub(super) fn go_on(&self) -> Option<()> {
        let left = self.patience.get() - 1;
        self.patience.set(if left == 0 { PATIENCE } else { left });
        (left > 0 || !(self.interrupted)()).then_some(())
    }

    /// All states, those without a row included.
    fn states(&self) -> impl Iterator<Item = StateNumber> + use<> {
        StateNumber::all(self.graph.size().index())
    }

    pub(super) fn none(&self) -> States {
        States::with_capacity(self.graph.size().index())
    }

    fn constant(&self, value: bool) -> Bounds {
        let states = if value { complement(self.none()) } else { self.none() };
        Bounds { surely: states.clone(), possibly: states }
    }

    /// Where a formula holds.
    pub(super) fn bounds(&self, formula: &Branching) -> Option<Bounds> {
        let all = || self.constant(true);
        Some(match formula {
            Branching::True => all(),
            Branching::False => self.constant(false),
            Branching::State(proposition) => self.proposition(*proposition)?,
            Branching::Not(inner) => self.bounds(inner)?.not(),
            Branching::And(left, right) => self.bounds(left)?.and(&self.bounds(right)?),
            Branching::Or(left, right) => self.bounds(left)?.or(&self.bounds(right)?),
            Branching::Implies(left, right) => self.bounds(left)?.not().or(&self.bounds(right)?),
            Branching::Equivalent(left, right) => {
                let (left, right) = (self.bounds(left)?, self.bounds(right)?);
                let neither = left.clone().not().and(&right.clone().not());
                left.and(&right).or(&neither)
            }
            Branching::ExistsNext(letter, inner) => self.exists_next(*letter, &self.bounds(inner)?)?,
            Branching::AllNext(inner) => self.exists_next(None, &self.bounds(inner)?.not())?.not(),
            Branching::ExistsFinally(inner) => self.exists_until(&all(), &self.bounds(inner)?)?,
            Branching::AllGlobally(inner) => self.exists_until(&all(), &self.bounds(inner)?.not())?.not(),
            Branching::ExistsGlobally(inner) => self.exists_globally(&self.bounds(inner)?)?,
            Branching::AllFinally(inner) => self.exists_globally(&self.bounds(inner)?.not())?.not(),
            Branching::ExistsUntil(left, right) => self.exists_until(&self.bounds(left)?, &self.bounds(right)?)?,
            Branching::AllUntil(left, right) => {
                // It fails where the right side never comes, or where neither holds before it comes.
                // `A l U r` is `not E (not r) U (not l and not r)` and `not EG not r` (Clarke, Emerson and Sistla, TOPLAS 1986).
                let (fails_left, fails_right) = (self.bounds(left)?.not(), self.bounds(right)?.not());
                let breaks = self.exists_until(&fails_right, &fails_left.and(&fails_right))?;
                breaks.or(&self.exists_globally(&fails_right)?).not()
            }
        })
    }

    fn proposition(&self, proposition: Proposition) -> Option<Bounds> {
        let mut bounds = self.constant(false);
        for state in self.states() {
            self.go_on()?;
            // For a state without a row the letter itself is unknown, so all its propositions are.
            let is_unknown = self.graph.is_open(state) && (state >= self.graph.known() || self.unknown_when_open >> proposition & 1 == 1);
            let holds = !is_unknown && self.graph.letter(state) >> proposition & 1 == 1;
            bounds.surely.set(state.index(), holds);
            bounds.possibly.set(state.index(), holds || is_unknown);
        }
        Some(bounds)
    }

    /// Applies an operator to lower and upper bound; only once if they coincide.
    fn both(&self, operator: impl Fn(bool) -> Option<States>) -> Option<Bounds> {
        let surely = operator(false)?;
        // The bounds differ only because of open states: without any, one pass is enough.
        let possibly = if self.is_partial { operator(true)? } else { surely.clone() };
        Some(Bounds { surely, possibly })
    }

    fn exists_next(&self, letter: Option<Proposition>, inner: &Bounds) -> Option<Bounds> {
        self.both(|optimistic| {
            let goal = if optimistic { &inner.possibly } else { &inner.surely };
            let mut found = self.none();
            for state in self.states() {
                self.go_on()?;
                let leads_there = |edge: Edge| {
                    goal.contains(edge.to.index()) && letter.is_none_or(|letter| self.graph.step(edge.letter) >> letter & 1 == 1)
                };
                // An unknown step may have any target, and may be of any operation.
                let holds = optimistic && self.graph.is_open(state) || self.graph.edges(state).any(leads_there);
                found.set(state.index(), holds);
            }
            Some(found)
        })
    }

    fn exists_until(&self, left: &Bounds, right: &Bounds) -> Option<Bounds> {
        self.both(|optimistic| {
            let (within, mut reached) =
                if optimistic { (&left.possibly, right.possibly.clone()) } else { (&left.surely, right.surely.clone()) };
            if optimistic {
                // From an open state where the left side holds, one unknown step may reach the right side.
                within.ones().filter(|&state| self.graph.is_open(StateNumber::at(state))).for_each(|state| reached.insert(state));
            }
            // Backwards from the goal, so each edge is examined once.
            let mut waiting: Vec<StateNumber> = reached.ones().map(StateNumber::at).collect();
            while let Some(state) = waiting.pop() {
                self.go_on()?;
                for &source in self.transposed()?.sources(state) {
                    if within.contains(source.index()) && !reached.put(source.index()) {
                        waiting.push(source);
                    }
                }
            }
            Some(reached)
        })
    }

    fn exists_globally(&self, inner: &Bounds) -> Option<Bounds> {
        self.both(|optimistic| {
            // The greatest fixed point by counters of successors: each edge is visited twice, however long the chains of removals are
            // (Arnold and Crubillé, A linear algorithm to solve fixed-point equations on transition systems, IPL 1988).
            let mut stays = if optimistic { inner.possibly.clone() } else { inner.surely.clone() };
            // By state, how many of its targets stay; states that may be the end of a path need none.
            let mut successors_left = vec![u32::MAX; self.graph.size().index()];
            let mut waiting = Vec::new();
            for state in self.states() {
                self.go_on()?;
                let may_end = self.graph.is_deadlock(state) || optimistic && self.graph.is_open(state);
                if !may_end {
                    // Targets, not edges: the transposed rows list each source once, so that counts and decrements agree.
                    let count = distinct_targets(self.graph, state).filter(|&to| stays.contains(to.index())).count() as u32;
                    successors_left[state.index()] = count;
                    if count == 0 && stays.contains(state.index()) {
                        waiting.push(state);
                    }
                }
            }
            while let Some(state) = waiting.pop() {
                self.go_on()?;
                stays.set(state.index(), false);
                for &source in self.transposed()?.sources(state) {
                    let successors_left = &mut successors_left[source.index()];
                    // States that may end a path are never removed for lack of a successor.
                    if *successors_left != u32::MAX {
                        *successors_left -= 1;
                        if *successors_left == 0 && stays.contains(source.index()) {
                            waiting.push(source);
                        }
                    }
                }
            }
            Some(stays)
        })
    }

    fn transposed(&self) -> Option<&Transposed> {
        if self.transposed.get().is_none() {
            // Set here at most once: there is one thread.
            let _ = self.transposed.set(self.transpose()?);
        }
        self.transposed.get()
    }

    fn transpose(&self) -> Option<Transposed> {
        let size = self.graph.size().index();
        let mut starts = vec![0; size + 1];
        // Two passes, counts then entries: two arrays instead of a list for each state.
        for state in self.graph.states() {
            self.go_on()?;
            distinct_targets(self.graph, state).for_each(|to| starts[to.index() + 1] += 1);
        }
        for state in 0..size {
            starts[state + 1] += starts[state];
        }
        // A moving end for each list; `starts` itself stays the index.
        let mut next = starts.clone();
        let mut sources = vec![StateNumber::default(); starts[size]];
        for state in self.graph.states() {
            self.go_on()?;
            for to in distinct_targets(self.graph, state) {
                sources[next[to.index()]] = state;
                next[to.index()] += 1;
            }
        }
        Some(Transposed { starts, sources })
    }
}

impl Transposed {
    fn sources(&self, state: StateNumber) -> &[StateNumber] {
        &self.sources[self.starts[state.index()]..self.starts[state.index() + 1]]
    }
}

/// The targets of a state, each once: edges are sorted by them.
fn distinct_targets(graph: &Graph, state: StateNumber) -> impl Iterator<Item = StateNumber> {
    let mut last = None;
    graph.edges(state).map(|edge| edge.to).filter(move |&to| last.replace(to) != Some(to))
}
