//! Emptiness: is there a fair path of a graph that an automaton accepts?
//!
//! The product is explored on the fly. A product state *decides* if its state is a deadlock whose letter the automaton accepts, or if the
//! automaton accepts every continuation. Such a product state ends the search, and the run is a shortest path to the nearest one, so a
//! finite counterexample is a shortest one. Otherwise the product is decomposed, and the run is a lasso to the nearest good component.
//! Runs that end with [`End::Prefix`]: without fairness assumptions every run extends to a maximal path, and the automaton accepts all
//! extensions. With assumptions, every extension may be unfair, so the search goes on to a lasso or a deadlock.
//! Invariant: a run is correct for the whole graph, however much of it is open or without rows: known steps are steps, and no run ends in
//! a deadlock where steps may be missing. The answer that there is no run is final only for graphs that are not partial. Deliberately
//! elsewhere: how a formula becomes an automaton, which product states are reached (`exploration`).

use super::automaton::{Automaton, AutomatonState, Cube, Transition};
use super::components::{Fate, decompose};
use super::exploration::{Deciding, Exploration, Reach};
use super::fair::Demands;
use super::formula::Fairness;
use super::graph::{End, Graph, Run};
use super::lasso::{lasso, path_to};
use super::product::{Product, Reached};
use super::product_states::{ProductState, ProductStates};
use super::threads::EachInstance;
use super::tour::tour;

/// A graph, an automaton, and what is assumed of paths.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The graph whose paths are the input words.
    pub graph: &'a Graph,
    /// The automaton that reads them.
    pub automaton: &'a Automaton,
    /// Only paths that satisfy all of these count. Finite paths do.
    pub fairness: &'a [Fairness],
    /// Only paths that are fair to each instance count, if this is assumed.
    pub each: Option<EachInstance<'a>>,
    /// Whether paths may go through open states. They must not if the formula or the fairness depends on a proposition that is unknown
    /// there.
    pub uses_open: bool,
    /// Polled from time to time: whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Question<'_> {
    fn is_without_assumptions(&self) -> bool {
        self.fairness.is_empty() && self.each.is_none()
    }
}

/// The answer, and the size of the explored product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emptiness {
    /// The answer.
    pub found: Found,
    /// The product states of a state of the graph and one of the automaton that were reached.
    pub states: u64,
    /// The edges between these that were followed.
    pub edges: u64,
    /// Whether paths that continue from an open state may be accepted: a negative answer is then final only for known paths.
    pub is_open: bool,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No known path is fair and accepted.
    Nothing,
    /// This one is.
    Accepted(Run),
    /// The search was interrupted.
    Interrupted,
    /// The product has 2^31 states or more.
    TooLarge,
}

/// A fair path that the automaton accepts: a counterexample, if the automaton is that of the negation.
#[must_use]
pub fn counterexample(question: &Question<'_>) -> Emptiness {
    counterexample_from(question, &mut Exploration::default())
}

/// As [`counterexample`], continuing an exploration of a part of the graph with the same automaton and the same assumptions.
#[must_use]
pub fn counterexample_from(question: &Question<'_>, exploration: &mut Exploration) -> Emptiness {
    let product = Product::new(question.graph, question.automaton, question.uses_open);
    let may_be_prefix = question.is_without_assumptions();
    let accepting = universal_states(question.automaton);
    let decides = |product_state: ProductState| end_at(&product, product_state, &accepting, may_be_prefix);
    let leads_on = |row: &Vec<Transition>| row.iter().any(|transition| leads_on(transition, &accepting));
    let rows = accepting.iter().zip(&question.automaton.transitions);
    let deciding = Deciding {
        at_end: question.automaton.accepts_end.iter().map(|ends| !ends.is_empty()).collect(),
        anywhere: rows.map(|(is_accepting, row)| may_be_prefix && (*is_accepting || leads_on(row))).collect(),
        decides: &|product_state| decides(product_state).is_some(),
    };
    let found = match exploration.advance(&product, &deciding, question.interrupted) {
        Reach::Decided => {
            // Searched for again, as only a counterexample must be shortest, and most formulas hold.
            match path_to(&product, deciding.decides, question.interrupted) {
                None => Found::Interrupted,
                Some(path) => {
                    let end = decides(path.end()).expect("the path ends where this is decided");
                    Found::Accepted(path.run(end))
                }
            }
        }
        // Only now: a lasso is never preferred to a finite run, however short it is.
        Reach::Complete => exploration.complete().map_or(Found::Nothing, |product_states| infinite(question, &product, product_states)),
        Reach::Interrupted => Found::Interrupted,
        Reach::TooLarge => Found::TooLarge,
    };
    // Computed only where it decides: a counterexample is one whatever the rest of the graph is.
    let is_open = found == Found::Nothing && question.graph.is_partial() && leads_into_open(question, &product, exploration);
    let (states, edges) = exploration.size();
    Emptiness { found, states, edges, is_open }
}

/// Whether the automaton still accepts some continuation when a path reaches an open state.
fn leads_into_open(question: &Question<'_>, product: &Product<'_>, exploration: &mut Exploration) -> bool {
    // If paths must not use open states, the ones reached are not recorded.
    if !question.uses_open {
        return true;
    }
    let is_left = |product_state: ProductState| product.graph.is_open(product_state.state) && product.goes_on(product_state);
    exploration.complete().is_none_or(|product_states| product_states.members().any(is_left))
}

/// Whether any known path is fair: if not, and the graph is not partial, every formula holds vacuously. `None`: this was not decided.
#[must_use]
pub fn has_fair_path(
    graph: &Graph,
    fairness: &[Fairness],
    each: Option<EachInstance<'_>>,
    uses_open: bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<bool> {
    let always = Automaton {
        initial: vec![AutomatonState::new(0)],
        // The automaton of `true`: then emptiness asks only whether any path is fair.
        transitions: vec![vec![Transition { reads: Cube::default(), to: AutomatonState::new(0), marks: 0 }]],
        accepts_end: vec![vec![Cube::default()]],
        acceptance_sets: 0,
    };
    match counterexample(&Question { graph, automaton: &always, fairness, each, uses_open, interrupted }).found {
        Found::Nothing => Some(false),
        Found::Accepted(_) => Some(true),
        Found::Interrupted | Found::TooLarge => None,
    }
}

/// The automaton states that accept everything: whatever is read they stay, carry all acceptance marks, and accept every end.
fn universal_states(automaton: &Automaton) -> Vec<bool> {
    let all = automaton.all_marks();
    let rows = automaton.transitions.iter().zip(&automaton.accepts_end);
    AutomatonState::all(automaton.transitions.len())
        .zip(rows)
        .map(|(automaton_state, (transitions, ends))| {
            let stays = Transition { reads: Cube::default(), to: automaton_state, marks: all };
            // A syntactic test: where another automaton state accepts everything as well, the run only gets longer.
            transitions.iter().any(|transition| Transition { marks: transition.marks & all, ..*transition } == stays)
                && ends.contains(&Cube::default())
        })
        .collect()
}

/// How the run to a product state ends if it decides.
fn end_at(product: &Product<'_>, product_state: ProductState, accepting: &[bool], may_be_prefix: bool) -> Option<End> {
    let (graph, automaton) = (product.graph, product.automaton);
    // First, because the end of a path has no step to read, only the letter.
    if graph.is_deadlock(product_state.state) {
        return product.accepts_end(product_state).then_some(End::Deadlock);
    }
    if !may_be_prefix {
        return None;
    }
    let letter = graph.letter(product_state.state);
    // The state itself may decide, whatever step is taken there. It may have no known step.
    let leads_on = |transition: &Transition| leads_on(transition, accepting) && transition.reads.allows(letter, 0);
    let is_decided = accepting[product_state.automaton_state.index()]
        || automaton.transitions[product_state.automaton_state.index()].iter().any(leads_on)
            && (graph.edges(product_state.state).next().is_some() || product.accepts_end(product_state));
    is_decided.then_some(End::Prefix)
}

/// Whether the target of a transition accepts everything, whatever step is taken.
fn leads_on(transition: &Transition, accepting: &[bool]) -> bool {
    let Cube { step_true, step_false, .. } = transition.reads;
    accepting[transition.to.index()] && step_true | step_false == 0
}

/// An accepted infinite path of a product whose product states were all reached.
fn infinite(question: &Question<'_>, product: &Product<'_>, product_states: &ProductStates) -> Found {
    let Question { fairness, each, interrupted, .. } = *question;
    let demands = Demands { product, fairness, each };
    let reached = Reached { product, product_states };
    let mut is_cut = false;
    // Inner edges alone do not reach every product state from the initial ones. Each good component has the mark that occurs at the fewest
    // product states, so it is found from one of these; where the mark does not occur at all, there is no good component.
    let rarest = product.rarest_mark(product_states);
    let is_root = |product_state: &ProductState| {
        let (has_inner, marks) = product.inner(*product_state);
        has_inner && marks & rarest == rarest
    };
    let decomposed = decompose(&reached, product_states.len(), product_states.members().filter(is_root), interrupted, |component| {
        demands.judge(product_states, component, interrupted).unwrap_or_else(|| {
            is_cut = true;
            Fate::Dropped
        })
    });
    let Some(good) = decomposed.filter(|_| !is_cut) else {
        return Found::Interrupted;
    };
    if good.is_empty() {
        return Found::Nothing;
    }
    let Some(path) = path_to(product, &|product_state| good.of(product_states.number(product_state)).is_some(), interrupted) else {
        return Found::Interrupted;
    };
    // The nearest good component. The loop stays inside it, since demands were checked of it as a whole.
    let component = good.of(product_states.number(path.end()));
    let inside = |product_state: ProductState| good.of(product_states.number(product_state)) == component;
    let run = match each {
        None => lasso(&demands, path, &inside, interrupted),
        Some(each) => tour(&demands, each, path, &inside, interrupted),
    };
    run.map_or(Found::Interrupted, Found::Accepted)
}

#[cfg(test)]
mod tests;
