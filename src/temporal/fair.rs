//! What an accepted infinite path has to do again and again: keep the promises of the automaton, and be fair.
//!
//! A component has such a path exactly if its edges keep all promises, for each weak assumption it has a state where that is disabled or a
//! step that takes it, and for each strong one a step that takes it or no state where that is enabled: a tour of the whole component does
//! all of this. Where only strong assumptions fail, a path may still avoid the states where they are enabled: without these the component
//! is decomposed again (Emerson and Lei 1987).
//! Invariant: everything is demanded of one and the same component, after all removals. Deliberately elsewhere: components
//! (`components`), what single instances demand (`threads`), the run that does it (`lasso`, `tour`).

use super::components::{Component, Fate};
use super::formula::Fairness;
use super::pairs::{Pair, Pairs};
use super::product::{Arc, Product};
use super::threads::{EachInstance, Threads};

/// The demands on the infinite paths of a product.
#[derive(Clone, Copy)]
pub(super) struct Demands<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) fairness: &'a [Fairness],
    pub(super) each: Option<EachInstance<'a>>,
}

/// What was met of an assumption in a component.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    is_enabled: bool,
    is_disabled: bool,
    is_taken: bool,
}

/// Demands that a run has not met yet in its loop.
#[derive(Clone, Debug)]
pub(super) struct Remaining<'a> {
    product: &'a Product<'a>,
    promises: u64,
    fairness: Vec<Fairness>,
}

fn is_enabled(assumption: &Fairness, product: &Product<'_>, pair: Pair) -> bool {
    product.graph.letter(pair.state) >> assumption.enabled & 1 == 1
}

fn is_taken(assumption: &Fairness, product: &Product<'_>, letter: u32) -> bool {
    product.graph.step(letter) >> assumption.taken & 1 == 1
}

impl<'a> Demands<'a> {
    /// What becomes of a component whose nodes are numbered by a set of pairs; `None` if interrupted.
    pub(super) fn judge(&self, pairs: &Pairs, component: &Component<'_, Pair>, interrupted: &dyn Fn() -> bool) -> Option<Fate<Pair>> {
        match (self.of_all(pairs, component), self.each) {
            (Fate::Kept, Some(each)) => Threads::new(self.product, each, component.nodes.to_vec(), interrupted)?.judge(interrupted),
            (fate, _) => Some(fate),
        }
    }

    /// The same without a look at single instances.
    fn of_all(&self, pairs: &Pairs, component: &Component<'_, Pair>) -> Fate<Pair> {
        let promises = self.product.automaton.all_promises();
        // Without a look at the edges: promises that no transition of any of these pairs keeps.
        let may_keep = component.nodes.iter().fold(0, |kept, &pair| kept | self.product.inner(pair).1);
        if may_keep & promises != promises {
            return Fate::Dropped;
        }
        let mut kept = 0;
        let mut met = vec![Met::default(); self.fairness.len()];
        for &pair in component.nodes {
            // Enough, whatever the rest of the component is like. Without demands this is true before the first edge.
            if kept == promises && met.iter().all(|met| met.is_taken) {
                return Fate::Kept;
            }
            for (assumption, met) in self.fairness.iter().zip(&mut met) {
                let is_enabled = is_enabled(assumption, self.product, pair);
                met.is_enabled |= is_enabled;
                // For weak fairness one state where it is disabled is enough, as the tour passes it again and again.
                met.is_disabled |= !is_enabled;
            }
            for arc in self.product.inner_arcs(pair).filter(|arc| component.contains(pairs.number(arc.to))) {
                kept |= arc.kept & promises;
                for (assumption, met) in self.fairness.iter().zip(&mut met) {
                    met.is_taken |= is_taken(assumption, self.product, arc.letter);
                }
            }
        }
        let fails = |is_strong: bool| {
            let judged = self.fairness.iter().zip(&met).filter(move |(assumption, _)| assumption.is_strong == is_strong);
            judged.filter(|(assumption, met)| !met.is_taken && if assumption.is_strong { met.is_enabled } else { !met.is_disabled })
        };
        // Hopeless in every part too, which has no more edges and states. Strong assumptions differ: to remove the states where they are
        // enabled meets them.
        if kept != promises || fails(false).next().is_some() {
            return Fate::Dropped;
        }
        let failing: Vec<Fairness> = fails(true).map(|(assumption, _)| *assumption).collect();
        if failing.is_empty() {
            return Fate::Kept;
        }
        // All failing assumptions at once: each fails in every part that keeps a state where it is enabled, as no edge of the component
        // takes it.
        let stays = |pair: &Pair| !failing.iter().any(|assumption| is_enabled(assumption, self.product, *pair));
        Fate::Split(component.nodes.iter().copied().filter(stays).collect())
    }

    /// What a loop through the pairs of a good component has to do.
    pub(super) fn of_component(&self, component: &[Pair]) -> Remaining<'a> {
        // A strong assumption that is enabled nowhere in the component demands nothing of the loop.
        let concerns =
            |assumption: &&Fairness| !assumption.is_strong || component.iter().any(|&pair| is_enabled(assumption, self.product, pair));
        Remaining {
            product: self.product,
            promises: self.product.automaton.all_promises(),
            fairness: self.fairness.iter().filter(concerns).copied().collect(),
        }
    }
}

impl Remaining<'_> {
    /// Whether all demands are met.
    pub(super) fn is_empty(&self) -> bool {
        self.promises == 0 && self.fairness.is_empty()
    }

    /// Whether an edge, or the pair that it leads to, meets any.
    pub(super) fn is_met_by(&self, arc: &Arc) -> bool {
        arc.kept & self.promises != 0
            || self.fairness.iter().any(|assumption| is_taken(assumption, self.product, arc.letter) || self.is_idle(assumption, arc.to))
    }

    /// The loop visits a pair.
    pub(super) fn visit(&mut self, pair: Pair) {
        let mut fairness = std::mem::take(&mut self.fairness);
        fairness.retain(|assumption| !self.is_idle(assumption, pair));
        self.fairness = fairness;
    }

    /// The loop takes an edge, and so visits the pair that it leads to.
    pub(super) fn take(&mut self, arc: &Arc) {
        // One edge may meet many demands, also those that it was not chosen for.
        self.promises &= !arc.kept;
        self.fairness.retain(|assumption| !is_taken(assumption, self.product, arc.letter));
        self.visit(arc.to);
    }

    /// Whether it is enough for an assumption to visit a pair.
    fn is_idle(&self, assumption: &Fairness, pair: Pair) -> bool {
        !assumption.is_strong && !is_enabled(assumption, self.product, pair)
    }
}
