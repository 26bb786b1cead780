//! Runs that show why a formula of branching time holds or fails in a state.
//!
//! AG that fails, and EF or EU that hold: a shortest path to the deciding state, from where the inner formula is explained. AX that fails,
//! EX that holds: one step, then the same. AF that fails, EG that holds: a lasso or a path to a deadlock. If a formula about all paths
//! holds, or one about some path fails, no run shows it: all successors were examined, and the run ends. Invariant: a run consists of known
//! steps, and everything explained about its states is sure. Deliberately elsewhere: where a formula holds (`branching::sets`).

use super::super::components::{Fate, Successors, decompose};
use super::super::formula::{Branching, Proposition};
use super::super::graph::{Edge, End, Graph, Run, StateNumber, StepLetter};
use super::super::rows::RowCursor;
use super::sets::{Sets, States};

/// A run that gets longer as formulas are explained. `None` from any of its functions: interrupted.
pub(super) struct Explanation<'a> {
    sets: &'a Sets<'a>,
    states: Vec<StateNumber>,
    letters: Vec<StepLetter>,
}

/// The part of a graph between some of its states.
struct Part<'a> {
    graph: &'a Graph,
    inside: &'a States,
}

impl Successors for Part<'_> {
    type Node = StateNumber;
    type Place = RowCursor;

    fn number(&self, node: StateNumber) -> usize {
        node.index()
    }

    fn place(&self, node: StateNumber) -> RowCursor {
        self.graph.cursor(node)
    }

    fn next(&self, place: &mut RowCursor) -> Option<StateNumber> {
        std::iter::from_fn(|| self.graph.next(place)).map(|edge| edge.to).find(|&to| self.has(to))
    }
}

impl Part<'_> {
    /// Whether a state is one of those, and has a row.
    fn has(&self, state: StateNumber) -> bool {
        state < self.graph.known() && self.inside.contains(state.index())
    }
}

impl<'a> Explanation<'a> {
    /// A run that begins in a state.
    pub(super) fn new(sets: &'a Sets<'a>, state: StateNumber) -> Self {
        Self { sets, states: vec![state], letters: Vec::new() }
    }

    /// The run that shows that a formula surely has a value in the state where the run is.
    pub(super) fn of(mut self, formula: &Branching, value: bool) -> Option<Run> {
        let end = self.show(formula, value)?;
        Some(Run { states: self.states, letters: self.letters, end, ordinals: Vec::new() })
    }

    fn here(&self) -> StateNumber {
        *self.states.last().expect("a run has a state")
    }

    /// Nothing more can be shown by a run.
    fn stop(&self) -> End {
        if self.sets.graph().is_deadlock(self.here()) { End::Deadlock } else { End::Prefix }
    }

    fn show(&mut self, formula: &Branching, value: bool) -> Option<End> {
        match (formula, value) {
            (Branching::Not(inner), _) => self.show(inner, !value),
            // De Morgan: what makes a conjunction true makes a disjunction false, with the opposite value of both sides.
            (Branching::And(left, right), true) | (Branching::Or(left, right), false) => self.show_both(left, value, right, value),
            (Branching::And(left, right), false) | (Branching::Or(left, right), true) => self.show_one(left, value, right, value),
            (Branching::Implies(left, right), true) => self.show_one(left, false, right, true),
            (Branching::Implies(left, right), false) => self.show_both(left, true, right, false),
            (Branching::Equivalent(left, right), _) => {
                // Where the equivalence is decided, both sides are: with one of them unknown the whole would be.
                let is_left = self.is_surely(left, true)?;
                self.show_both(left, is_left, right, is_left == value)
            }
            (Branching::ExistsNext(letter, inner), true) => self.show_next(*letter, inner, true),
            (Branching::AllNext(inner), false) => self.show_next(None, inner, false),
            // `EF f` is `E true U f`, and AG fails where EF of the negation holds: the path may go through any known states.
            (Branching::ExistsFinally(inner), true) | (Branching::AllGlobally(inner), false) => {
                let goal = self.where_surely(inner, value)?;
                let _ = self.go(&self.where_surely(&Branching::True, true)?, &goal)?;
                self.show(inner, value)
            }
            (Branching::ExistsUntil(left, right), true) => {
                let goal = self.where_surely(right, true)?;
                let _ = self.go(&self.where_surely(left, true)?, &goal)?;
                self.show(right, true)
            }
            // AF fails where EG of the negation holds.
            (Branching::ExistsGlobally(inner), true) | (Branching::AllFinally(inner), false) => {
                self.show_lasting(&self.where_surely(inner, value)?)
            }
            (Branching::AllUntil(left, right), false) => {
                let within = self.where_surely(right, false)?;
                // First a state that breaks the until, the simpler explanation; only if none is reached, a path on which the right side
                // never comes.
                let mut goal = self.where_surely(left, false)?;
                goal &= &within;
                if self.go(&within, &goal)? { self.show_both(left, false, right, false) } else { self.show_lasting(&within) }
            }
            _ => Some(self.stop()),
        }
    }

    /// Both formulas have their values here: shows one about more than this state, if there is any.
    fn show_both(&mut self, left: &Branching, is_left: bool, right: &Branching, is_right: bool) -> Option<End> {
        if is_temporal(left) { self.show(left, is_left) } else { self.show(right, is_right) }
    }

    /// One of the formulas has its value here: shows the first that does.
    fn show_one(&mut self, left: &Branching, is_left: bool, right: &Branching, is_right: bool) -> Option<End> {
        // If it is not the left one, it is the right one: a disjunction is sure only where one of its sides is.
        if self.is_surely(left, is_left)? { self.show(left, is_left) } else { self.show(right, is_right) }
    }

    fn where_surely(&self, formula: &Branching, value: bool) -> Option<States> {
        Some(self.sets.bounds(formula)?.surely_is(value))
    }

    fn is_surely(&self, formula: &Branching, value: bool) -> Option<bool> {
        Some(self.where_surely(formula, value)?.contains(self.here().index()))
    }

    /// One step, to the first state where the formula has this value.
    fn show_next(&mut self, letter: Option<Proposition>, inner: &Branching, value: bool) -> Option<End> {
        let goal = self.where_surely(inner, value)?;
        let graph = self.sets.graph();
        let leads_there =
            |edge: &Edge| goal.contains(edge.to.index()) && letter.is_none_or(|letter| graph.step(edge.letter) >> letter & 1 == 1);
        let edge = graph.edges(self.here()).find(leads_there).expect("there is such a step where EX surely holds");
        self.states.push(edge.to);
        self.letters.push(edge.letter);
        self.show(inner, value)
    }

    /// A path inside a set that is a lasso or ends in a deadlock: there is one from here.
    fn show_lasting(&mut self, inside: &States) -> Option<End> {
        let graph = self.sets.graph();
        let part = Part { graph, inside };
        // All cycles of the part, wherever they are; the search for the nearest one follows.
        let roots = graph.states().filter(|&state| part.has(state));
        let cycles = decompose(&part, graph.size().index(), roots, self.sets.interrupted(), |_| Fate::Kept)?;
        let mut goal = self.sets.none();
        for state in inside.ones() {
            // A path can last where it may go round, or where it ends because nothing follows.
            goal.set(state, cycles.of(state).is_some() || graph.is_deadlock(StateNumber::at(state)));
        }
        let has_path = self.go(inside, &goal)?;
        assert!(has_path, "a maximal path reaches a cycle or a deadlock");
        let entry = self.here();
        if graph.is_deadlock(entry) {
            return Some(End::Deadlock);
        }
        let position = self.states.len() - 1;
        let mut goal = self.sets.none();
        goal.insert(entry.index());
        // `walk`, not `go`: the entry is the goal, and the loop needs at least one step.
        let closes = self.walk(inside, &goal)?;
        assert!(closes, "a state on a cycle can be reached again");
        // The last step closes the loop: its target is already in the list, as the entry.
        self.states.pop();
        Some(End::Loop(position))
    }

    /// Goes to the nearest state of a set through states inside another one; whether there is a path.
    fn go(&mut self, inside: &States, goal: &States) -> Option<bool> {
        if goal.contains(self.here().index()) { Some(true) } else { self.walk(inside, goal) }
    }

    /// As [`Self::go`], by at least one step.
    fn walk(&mut self, inside: &States, goal: &States) -> Option<bool> {
        let graph = self.sets.graph();
        if !inside.contains(self.here().index()) {
            return Some(false);
        }
        let mut visited = self.sets.none();
        // Each state with the letter that led to it, and the position of the one before it.
        let mut reached: Vec<(Edge, usize)> = vec![(Edge { to: self.here(), letter: StepLetter::default() }, 0)];
        visited.insert(self.here().index());
        let mut at = 0;
        while let Some(&(from, _)) = reached.get(at) {
            self.sets.go_on()?;
            for edge in graph.edges(from.to) {
                // Tested before whether it was visited: the goal may be the state where the walk began.
                if goal.contains(edge.to.index()) {
                    self.append(&reached, at, edge);
                    return Some(true);
                }
                if inside.contains(edge.to.index()) && !visited.put(edge.to.index()) {
                    reached.push((edge, at));
                }
            }
            at += 1;
        }
        Some(false)
    }

    /// Appends the path to a position of a search, and one more edge.
    fn append(&mut self, reached: &[(Edge, usize)], mut at: usize, last: Edge) {
        let mut path = vec![last];
        while at > 0 {
            path.push(reached[at].0);
            at = reached[at].1;
        }
        for edge in path.into_iter().rev() {
            self.states.push(edge.to);
            self.letters.push(edge.letter);
        }
    }
}

/// Whether a formula is about more than one state.
fn is_temporal(formula: &Branching) -> bool {
    match formula {
        Branching::True | Branching::False | Branching::State(_) => false,
        Branching::Not(inner) => is_temporal(inner),
        Branching::And(left, right) | Branching::Or(left, right) | Branching::Implies(left, right) | Branching::Equivalent(left, right) => {
            is_temporal(left) || is_temporal(right)
        }
        _ => true,
    }
}
