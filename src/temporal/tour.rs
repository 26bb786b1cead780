//! The loop of a run that is fair to each instance: a tour that serves one after the other.
//!
//! Invariant: the loop begins and ends at one product state. Whatever names its round permutes, the next round begins with the same set of
//! names, and serves each of them; so every instance is served in every round. A step of the loop is chosen among those of its state,
//! because steps between the same product states may take and rename different instances. Deliberately elsewhere: the loop in concrete
//! names (`explore::temporal`), which component it goes through (`threads`).

use super::fair::{Demands, Remaining};
use super::graph::{End, Run, StepOrdinal};
use super::lasso::{Path, all_within, shortest};
use super::product::Arc;
use super::product_states::ProductState;
use super::threads::{EachInstance, InstanceName, MemberPosition, ThreadLink, ThreadNode, Threads};
use rustc_hash::FxHashMap;

/// A loop under construction.
struct Tour<'t, 'a> {
    threads: &'t Threads<'a>,
    remaining: Remaining<'a>,
    /// The instances that are not served yet, by their names here.
    waiting: Vec<InstanceName>,
    /// The position of the product state that it has reached.
    at: MemberPosition,
    path: Path,
    /// By step of the loop: which one it is among those of its state.
    ordinals: Vec<StepOrdinal>,
}

/// The run that enters a good component by a path, and loops inside it so that all conditions are satisfied and each instance is served;
/// `None` if interrupted.
pub(super) fn tour(
    demands: &Demands<'_>,
    each: EachInstance<'_>,
    path: Path,
    inside: &dyn Fn(ProductState) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Run> {
    let entry = path.end();
    let stem = path.arcs.len();
    // As in `lasso`, edges of the product need no check that they are inner: both ends lie in one component with all marks, and so do the
    // automaton states.
    let product_states = all_within(demands.product, entry, inside, interrupted)?;
    let remaining = demands.of_component(&product_states);
    // Built again: those of the decomposition were dropped with it, as only one component gets a tour.
    let threads = Threads::new(demands.product, each, product_states, interrupted)?;
    let at = threads.position(entry);
    // All names at the entry that are enabled somewhere. A round maps this set onto itself, so it is enough that the loop serves each of
    // them once.
    let waiting = threads.concerned(at, interrupted)?;
    let mut tour = Tour { threads: &threads, remaining, waiting, at, path, ordinals: Vec::new() };
    tour.visit();
    // First the conditions on the loop as a whole; instances are served in passing.
    while !tour.remaining.is_empty() {
        let is_met = |arc: &Arc| tour.remaining.is_met_by(arc);
        let next = shortest(demands.product, std::iter::once(tour.path.end()), inside, &is_met, interrupted)?;
        tour.follow(&next.arcs);
    }
    // It terminates: each path serves one instance, and renaming permutes the others without adding any.
    while !tour.waiting.is_empty() {
        if interrupted() {
            return None;
        }
        for link in tour.to_witness() {
            tour.take(link, &threads.arc(tour.at, link));
        }
    }
    if tour.path.arcs.len() == stem || tour.path.end() != entry {
        let back = shortest(demands.product, std::iter::once(tour.path.end()), inside, &|arc| arc.to == entry, interrupted)?;
        tour.follow(&back.arcs);
    }
    let mut run = tour.path.run(End::Loop(stem));
    // The last step closes the loop: its target is already in the list.
    run.states.pop();
    run.ordinals = tour.ordinals;
    Some(run)
}

impl Tour<'_, '_> {
    /// Takes the first of the steps that each edge of the product merges.
    fn follow(&mut self, arcs: &[Arc]) {
        for arc in arcs {
            self.take(self.threads.link(self.at, arc), arc);
        }
    }

    fn take(&mut self, link: ThreadLink, arc: &Arc) {
        let (threads, from) = (self.threads, self.at);
        // By the name before the step; only those that still wait are renamed by it.
        let taken = threads.step(from, link).instance;
        self.waiting.retain(|&instance| instance != taken);
        for instance in &mut self.waiting {
            *instance = threads.next((from, *instance), link).1;
        }
        self.remaining.take(arc);
        self.path.arcs.push(*arc);
        self.ordinals.push(link.ordinal);
        self.at = link.to;
        self.visit();
    }

    /// Serves those that need only be disabled here.
    fn visit(&mut self) {
        let (threads, at) = (self.threads, self.at);
        if !threads.fairness.is_strong {
            self.waiting.retain(|&instance| threads.is_enabled((at, instance)));
        }
        self.remaining.visit(threads.product_states[at.index()]);
    }

    /// The shortest path that serves a waiting instance.
    fn to_witness(&self) -> Vec<ThreadLink> {
        let threads = self.threads;
        let is_weak = !threads.fairness.is_strong;
        // Taken by the step, or (weak fairness) disabled in its target.
        let serves = |node: ThreadNode, link: ThreadLink| match threads.is_still {
            // One node represents all waiting instances: their names are those at the beginning, in order.
            true => {
                self.waiting.binary_search(&threads.step(node.0, link).instance).is_ok()
                    || is_weak && self.waiting.iter().any(|&instance| !threads.is_enabled((link.to, instance)))
            }
            false => threads.step(node.0, link).instance == node.1 || is_weak && !threads.is_enabled(threads.next(node, link)),
        };
        // Each reached node, with its predecessor and the link between them; `None` for the first ones.
        let mut before: FxHashMap<ThreadNode, Option<(ThreadNode, ThreadLink)>> = FxHashMap::default();
        // Breadth-first from all waiting instances at once: the nearest one is served first, which keeps the loop short though not
        // shortest (that would be a travelling salesman's problem).
        let nodes = if threads.is_still { 1 } else { self.waiting.len() };
        let mut reached: Vec<ThreadNode> = self.waiting.iter().take(nodes).map(|&instance| (self.at, instance)).collect();
        before.extend(reached.iter().map(|&node| (node, None)));
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            at += 1;
            for &link in threads.links(node.0) {
                if serves(node, link) {
                    let mut links = vec![link];
                    let mut node = node;
                    while let Some((earlier, link)) = before[&node] {
                        links.push(link);
                        node = earlier;
                    }
                    links.reverse();
                    return links;
                }
                let next = threads.next(node, link);
                before.entry(next).or_insert_with(|| {
                    reached.push(next);
                    Some((node, link))
                });
            }
        }
        unreachable!("in a good component each thread that is enabled somewhere can be served")
    }
}
