//! Emptiness: is there a fair path of a graph that an automaton accepts?
//!
//! The product is explored on the fly. A pair *decides* if its state is a deadlock whose letter the automaton accepts, or if the automaton
//! accepts whatever follows; such a pair ends the search, and the run leads to the nearest one, so a finite counterexample is a shortest
//! one. Otherwise the product is decomposed, and the run is a lasso to the nearest good component.
//! The rule for runs that end with [`End::Prefix`]: without assumptions of fairness a run can always go on to a maximal path, and the
//! automaton accepts each of these. With assumptions, all that follows may be unfair, so the search goes on to a lasso or a deadlock.
//! Invariant: a run is never wrong about the whole graph, however much of it is open or without rows: known steps are steps, and no run
//! ends in a deadlock where there may be more of them. That there is no run is final only for graphs that are not partial.
//! Deliberately elsewhere: how a formula becomes an automaton, which pairs are reached (`exploration`).

use super::automaton::{Automaton, Cube, Transition};
use super::components::{Fate, decompose};
use super::exploration::{Deciding, Exploration, Reach};
use super::fair::Demands;
use super::formula::Fairness;
use super::graph::{End, Graph, Run};
use super::lasso::{lasso, way_to};
use super::pairs::{Pair, Pairs};
use super::product::{Product, Reached};
use super::threads::EachInstance;
use super::tour::tour;

/// A graph, an automaton, and what is assumed of paths.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The graph whose paths are read.
    pub graph: &'a Graph,
    /// The automaton that reads them.
    pub automaton: &'a Automaton,
    /// Only paths that satisfy all of these count. Finite paths do.
    pub fairness: &'a [Fairness],
    /// Only paths that are fair to each instance count, if this is assumed.
    pub each: Option<EachInstance<'a>>,
    /// Whether paths may go through open states. They must not if the formula or the fairness asks about a proposition that is unknown
    /// there.
    pub uses_open: bool,
    /// Looked at now and then: whether to give up.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Question<'_> {
    fn is_without_assumptions(&self) -> bool {
        self.fairness.is_empty() && self.each.is_none()
    }
}

/// The answer, and the size of what was searched for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emptiness {
    /// The answer.
    pub found: Found,
    /// The pairs of a state of the graph and one of the automaton that were reached.
    pub states: u64,
    /// The edges between these that were followed.
    pub edges: u64,
    /// Whether paths that go on from an open state may be accepted: where nothing is found, that is final only for known paths.
    pub is_open: bool,
}

/// What was found.
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

/// A fair path that the automaton accepts: a counterexample to what it is the negation of.
#[must_use]
pub fn counterexample(question: &Question<'_>) -> Emptiness {
    counterexample_from(question, &mut Exploration::default())
}

/// The same, where a part of the graph may have been explored before with the same automaton and the same assumptions.
#[must_use]
pub fn counterexample_from(question: &Question<'_>, exploration: &mut Exploration) -> Emptiness {
    let product = Product::new(question.graph, question.automaton, question.uses_open);
    let may_be_prefix = question.is_without_assumptions();
    let accepting = accepting_phases(question.automaton);
    let decides = |pair: Pair| end_at(&product, pair, &accepting, may_be_prefix);
    let leads_on = |row: &Vec<Transition>| row.iter().any(|transition| leads_on(transition, &accepting));
    let rows = accepting.iter().zip(&question.automaton.transitions);
    let deciding = Deciding {
        at_end: question.automaton.accepts_end.iter().map(|ends| !ends.is_empty()).collect(),
        anywhere: rows.map(|(is_accepting, row)| may_be_prefix && (*is_accepting || leads_on(row))).collect(),
        decides: &|pair| decides(pair).is_some(),
    };
    let found = match exploration.advance(&product, &deciding, question.interrupted) {
        Reach::Decided => {
            // Searched for once more, as only a counterexample has to be a shortest one and most formulas hold.
            match way_to(&product, deciding.decides, question.interrupted) {
                None => Found::Interrupted,
                Some(way) => {
                    let end = decides(way.end()).expect("the way ends where this is decided");
                    Found::Accepted(way.run(end))
                }
            }
        }
        // Only now: a lasso is never preferred to a finite run, however short it is.
        Reach::Complete => exploration.complete().map_or(Found::Nothing, |pairs| infinite(question, &product, pairs)),
        Reach::Interrupted => Found::Interrupted,
        Reach::TooLarge => Found::TooLarge,
    };
    // Only asked where it decides: a counterexample is one however the graph goes on.
    let is_open = found == Found::Nothing && question.graph.is_partial() && leads_into_open(question, &product, exploration);
    let (states, edges) = exploration.size();
    Emptiness { found, states, edges, is_open }
}

/// Whether the automaton has not rejected all that may follow when a path comes to an open state.
fn leads_into_open(question: &Question<'_>, product: &Product<'_>, exploration: &mut Exploration) -> bool {
    // Where paths must not go through open states, which of them paths come to is not recorded.
    if !question.uses_open {
        return true;
    }
    let is_left = |pair: Pair| product.graph.is_open(pair.state) && product.goes_on(pair);
    exploration.complete().is_none_or(|pairs| pairs.members().any(is_left))
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
        initial: vec![0],
        // The automaton of `true`: what is left to ask is whether any path is fair.
        transitions: vec![vec![Transition { reads: Cube::default(), to: 0, kept: 0 }]],
        accepts_end: vec![vec![Cube::default()]],
        promises: 0,
    };
    match counterexample(&Question { graph, automaton: &always, fairness, each, uses_open, interrupted }).found {
        Found::Nothing => Some(false),
        Found::Accepted(_) => Some(true),
        Found::Interrupted | Found::TooLarge => None,
    }
}

/// The phases that accept everything: whatever is read they stay, keep all promises, and accept every end.
fn accepting_phases(automaton: &Automaton) -> Vec<bool> {
    let promises = automaton.all_promises();
    let phases = automaton.transitions.iter().zip(&automaton.accepts_end).zip(0_u32..);
    phases
        .map(|((transitions, ends), phase)| {
            let stays = Transition { reads: Cube::default(), to: phase, kept: promises };
            // A syntactic test: where another phase accepts everything as well, the run only gets longer.
            transitions.iter().any(|transition| Transition { kept: transition.kept & promises, ..*transition } == stays)
                && ends.contains(&Cube::default())
        })
        .collect()
}

/// How the run to a pair ends if it decides.
fn end_at(product: &Product<'_>, pair: Pair, accepting: &[bool], may_be_prefix: bool) -> Option<End> {
    let (graph, automaton) = (product.graph, product.automaton);
    // Before anything else: at the end of a path there is no step to read, only the letter.
    if graph.is_deadlock(pair.state) {
        return product.accepts_end(pair).then_some(End::Deadlock);
    }
    if !may_be_prefix {
        return None;
    }
    let letter = graph.letter(pair.state);
    // The state itself may decide, whatever step is taken there. It need not have one if no step is known.
    let leads_on = |transition: &Transition| leads_on(transition, accepting) && transition.reads.allows(letter, 0);
    let is_decided = accepting[pair.phase as usize]
        || automaton.transitions[pair.phase as usize].iter().any(leads_on)
            && (graph.edges(pair.state).next().is_some() || product.accepts_end(pair));
    is_decided.then_some(End::Prefix)
}

/// Whether a transition leads to a phase that accepts everything, whatever step is taken.
fn leads_on(transition: &Transition, accepting: &[bool]) -> bool {
    let Cube { step_true, step_false, .. } = transition.reads;
    accepting[transition.to as usize] && step_true | step_false == 0
}

/// An accepted infinite path of a product whose pairs were all reached.
fn infinite(question: &Question<'_>, product: &Product<'_>, pairs: &Pairs) -> Found {
    let Question { fairness, each, interrupted, .. } = *question;
    let demands = Demands { product, fairness, each };
    let reached = Reached { product, pairs };
    let mut is_cut = false;
    // Inner edges alone do not reach every pair from the initial ones. Each good component keeps the promise that the fewest pairs keep, so
    // it is found from one of these; where no pair keeps it, nothing is left to do.
    let rarest = product.rarest_promise(pairs);
    let is_root = |pair: &Pair| {
        let (has_inner, kept) = product.inner(*pair);
        has_inner && kept & rarest == rarest
    };
    let decomposed = decompose(&reached, pairs.len(), pairs.members().filter(is_root), interrupted, |component| {
        demands.judge(pairs, component, interrupted).unwrap_or_else(|| {
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
    let Some(way) = way_to(product, &|pair| good.of(pairs.number(pair)).is_some(), interrupted) else {
        return Found::Interrupted;
    };
    // The nearest good component. The loop stays inside it, since demands were checked of it as a whole.
    let component = good.of(pairs.number(way.end()));
    let inside = |pair: Pair| good.of(pairs.number(pair)) == component;
    let run = match each {
        None => lasso(&demands, way, &inside, interrupted),
        Some(each) => tour(&demands, each, way, &inside, interrupted),
    };
    run.map_or(Found::Interrupted, Found::Accepted)
}

#[cfg(test)]
mod tests;
