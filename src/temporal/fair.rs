//! Conditions on the loop of an accepted infinite path: it carries every acceptance mark, and it is fair.
//!
//! A component has such a path exactly if its edges carry all marks, for each weak assumption it has a state where that is disabled or a
//! step that takes it, and for each strong one a step that takes it or no state where that is enabled: a closed walk through the whole
//! component does all of this. Where only strong assumptions fail, a path may still avoid the states where they are enabled: the component
//! is decomposed again without these (Emerson and Lei 1987).
//! Invariant: all conditions are checked on one and the same component, after all removals. Deliberately elsewhere: components
//! (`components`), conditions of single instances (`threads`), the run (`lasso`, `tour`).

use super::components::{Component, Fate};
use super::formula::Fairness;
use super::graph::StepLetter;
use super::product::{Arc, Product};
use super::product_states::{ProductState, ProductStates};
use super::threads::{EachInstance, Threads};

/// The demands on the infinite paths of a product.
#[derive(Clone, Copy)]
pub(super) struct Demands<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) fairness: &'a [Fairness],
    pub(super) each: Option<EachInstance<'a>>,
}

/// Which ways to satisfy an assumption occur in a component.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    is_enabled: bool,
    is_disabled: bool,
    is_taken: bool,
}

/// Conditions that the loop of a run does not satisfy yet.
#[derive(Clone, Debug)]
pub(super) struct Remaining<'a> {
    product: &'a Product<'a>,
    marks: u64,
    fairness: Vec<Fairness>,
}

fn is_enabled(assumption: &Fairness, product: &Product<'_>, product_state: ProductState) -> bool {
    product.graph.letter(product_state.state) >> assumption.enabled & 1 == 1
}

fn is_taken(assumption: &Fairness, product: &Product<'_>, letter: StepLetter) -> bool {
    product.graph.step(letter) >> assumption.taken & 1 == 1
}

impl<'a> Demands<'a> {
    /// The decision on a component whose nodes are numbered by a set of product states; `None` if interrupted.
    pub(super) fn judge(
        &self,
        product_states: &ProductStates,
        component: &Component<'_, ProductState>,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<Fate<ProductState>> {
        match (self.of_all(product_states, component), self.each) {
            (Fate::Kept, Some(each)) => Threads::new(self.product, each, component.nodes.to_vec(), interrupted)?.judge(interrupted),
            (fate, _) => Some(fate),
        }
    }

    /// As [`Self::judge`], without the conditions of single instances.
    fn of_all(&self, product_states: &ProductStates, component: &Component<'_, ProductState>) -> Fate<ProductState> {
        let all = self.product.automaton.all_marks();
        // Without decoding edges: marks that no transition of any of these product states carries.
        let possible = component.nodes.iter().fold(0, |marks, &product_state| marks | self.product.inner(product_state).1);
        if possible & all != all {
            return Fate::Dropped;
        }
        let mut marks = 0;
        let mut met = vec![Met::default(); self.fairness.len()];
        for &product_state in component.nodes {
            // Enough, whatever the rest of the component is like. Without demands this is true before the first edge.
            if marks == all && met.iter().all(|met| met.is_taken) {
                return Fate::Kept;
            }
            for (assumption, met) in self.fairness.iter().zip(&mut met) {
                let is_enabled = is_enabled(assumption, self.product, product_state);
                met.is_enabled |= is_enabled;
                // For weak fairness one state where it is disabled is enough, as the tour passes it again and again.
                met.is_disabled |= !is_enabled;
            }
            for arc in self.product.inner_arcs(product_state).filter(|arc| component.contains(product_states.number(arc.to))) {
                marks |= arc.marks & all;
                for (assumption, met) in self.fairness.iter().zip(&mut met) {
                    met.is_taken |= is_taken(assumption, self.product, arc.letter);
                }
            }
        }
        let fails = |is_strong: bool| {
            let judged = self.fairness.iter().zip(&met).filter(move |(assumption, _)| assumption.is_strong == is_strong);
            judged.filter(|(assumption, met)| !met.is_taken && if assumption.is_strong { met.is_enabled } else { !met.is_disabled })
        };
        // Every part fails as well, as it has fewer edges and states. Strong assumptions differ: removing the states where they are
        // enabled satisfies them.
        if marks != all || fails(false).next().is_some() {
            return Fate::Dropped;
        }
        let failing: Vec<Fairness> = fails(true).map(|(assumption, _)| *assumption).collect();
        if failing.is_empty() {
            return Fate::Kept;
        }
        // All failing assumptions at once: each fails in every part that contains a state where it is enabled, as no edge of the component
        // takes it.
        let stays = |product_state: &ProductState| !failing.iter().any(|assumption| is_enabled(assumption, self.product, *product_state));
        Fate::Split(component.nodes.iter().copied().filter(stays).collect())
    }

    /// The conditions for a loop through the product states of a good component.
    pub(super) fn of_component(&self, component: &[ProductState]) -> Remaining<'a> {
        // A strong assumption that is enabled nowhere in the component demands nothing of the loop.
        let concerns = |assumption: &&Fairness| {
            !assumption.is_strong || component.iter().any(|&product_state| is_enabled(assumption, self.product, product_state))
        };
        Remaining {
            product: self.product,
            marks: self.product.automaton.all_marks(),
            fairness: self.fairness.iter().filter(concerns).copied().collect(),
        }
    }
}

impl Remaining<'_> {
    /// Whether all conditions are satisfied.
    pub(super) fn is_empty(&self) -> bool {
        self.marks == 0 && self.fairness.is_empty()
    }

    /// Whether an edge, or the product state at its end, satisfies any.
    pub(super) fn is_met_by(&self, arc: &Arc) -> bool {
        arc.marks & self.marks != 0
            || self.fairness.iter().any(|assumption| is_taken(assumption, self.product, arc.letter) || self.is_idle(assumption, arc.to))
    }

    /// The loop visits a product state.
    pub(super) fn visit(&mut self, product_state: ProductState) {
        let mut fairness = std::mem::take(&mut self.fairness);
        fairness.retain(|assumption| !self.is_idle(assumption, product_state));
        self.fairness = fairness;
    }

    /// The loop takes an edge, and so visits the product state at its end.
    pub(super) fn take(&mut self, arc: &Arc) {
        // One edge may satisfy many conditions, also those that it was not chosen for.
        self.marks &= !arc.marks;
        self.fairness.retain(|assumption| !is_taken(assumption, self.product, arc.letter));
        self.visit(arc.to);
    }

    /// Whether it is enough for an assumption to visit a product state.
    fn is_idle(&self, assumption: &Fairness, product_state: ProductState) -> bool {
        !assumption.is_strong && !is_enabled(assumption, self.product, product_state)
    }
}
