//! Runs through a product: shortest finite paths (*ways*), and the lasso through an accepting component.
//!
//! Invariant: ways are shortest, and the first ones in the order of the edges, so a run depends on nothing but its product. The loop meets
//! the remaining demand that is nearest, again and again, then goes back: each part is shortest, the whole need not be. Every goal here is
//! known to be reachable, so only an interrupt leaves it without a way: `None` always means interrupted.
//! Deliberately elsewhere: which components are good (`fair`, `components`), loops that are fair to single instances (`tour`).

use super::fair::Demands;
use super::graph::{End, Run};
use super::pairs::Pair;
use super::product::{Arc, Product};
use std::collections::VecDeque;

/// How many pairs are expanded between two questions whether to stop.
pub(super) const PATIENCE: usize = 1 << 12;

/// A way through a product: where it begins, and its edges.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) start: Pair,
    pub(super) arcs: Vec<Arc>,
}

/// A shortest way of at least one edge, from one of some pairs inside a set, to an edge that is a goal; there is one. `None` if
/// interrupted.
pub(super) fn shortest(
    product: &Product<'_>,
    from: impl Iterator<Item = Pair>,
    inside: &dyn Fn(Pair) -> bool,
    is_goal: &dyn Fn(&Arc) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Way> {
    let mut visited = product.no_pairs();
    // Each pair with the position of the one before it; of the first ones, their own.
    let mut reached: Vec<(Pair, u32)> = Vec::new();
    for pair in from {
        if visited.insert(pair) {
            reached.push((pair, reached.len() as u32));
        }
    }
    let mut at = 0;
    while let Some(&(pair, _)) = reached.get(at) {
        for arc in product.arcs(pair).filter(|arc| inside(arc.to)) {
            // Tested before whether the pair was visited: the goal is an edge, and may lead back to where the way began.
            if is_goal(&arc) {
                return Some(way_back(product, &reached, at, arc));
            }
            if visited.insert(arc.to) {
                // Products have less than 2^32 pairs: see `emptiness`.
                reached.push((arc.to, at as u32));
            }
        }
        at += 1;
        if at.is_multiple_of(PATIENCE) && interrupted() {
            return None;
        }
    }
    unreachable!("the goal can be reached")
}

/// The way to the pair at a position, and from there along an edge.
fn way_back(product: &Product<'_>, reached: &[(Pair, u32)], mut at: usize, last: Arc) -> Way {
    let mut arcs = VecDeque::from([last]);
    loop {
        let (pair, before) = reached[at];
        if before as usize == at {
            return Way { start: pair, arcs: arcs.into() };
        }
        // The first edge between the two is the one by which it was reached, so edges need not be remembered.
        let mut between = product.arcs(reached[before as usize].0);
        arcs.push_front(between.find(|arc| arc.to == pair).expect("the pair was reached by an edge of the one before it"));
        at = before as usize;
    }
}

/// The shortest way from an initial pair to a pair that is a goal; there is one. `None` if interrupted.
pub(super) fn way_to(product: &Product<'_>, is_goal: &dyn Fn(Pair) -> bool, interrupted: &dyn Fn() -> bool) -> Option<Way> {
    // The empty way, which `shortest` does not consider.
    if let Some(start) = product.initial().find(|&pair| is_goal(pair)) {
        return Some(Way { start, arcs: Vec::new() });
    }
    shortest(product, product.initial(), &|_| true, &|arc| is_goal(arc.to), interrupted)
}

impl Way {
    /// The pair where it ends.
    pub(super) fn end(&self) -> Pair {
        self.arcs.last().map_or(self.start, |arc| arc.to)
    }

    /// The way as a run that ends in this manner.
    pub(super) fn run(&self, end: End) -> Run {
        let states = std::iter::once(self.start.state).chain(self.arcs.iter().map(|arc| arc.to.state)).collect();
        Run { states, letters: self.arcs.iter().map(|arc| arc.letter).collect(), end, ordinals: Vec::new() }
    }
}

/// The run that enters a good component by a way, and goes round inside it so that all demands are met; `None` if interrupted.
pub(super) fn lasso(demands: &Demands<'_>, mut way: Way, inside: &dyn Fn(Pair) -> bool, interrupted: &dyn Fn() -> bool) -> Option<Run> {
    let product = demands.product;
    let entry = way.end();
    let stem = way.arcs.len();
    let mut remaining = demands.of_component(&all_within(product, entry, inside, interrupted)?);
    // The entry lies on the loop: an assumption that is disabled there is met without a step.
    remaining.visit(entry);
    while !remaining.is_empty() {
        // A good component can meet every demand.
        let next = shortest(product, std::iter::once(way.end()), inside, &|arc| remaining.is_met_by(arc), interrupted)?;
        // All of them, not only the last one: demands are also met in passing.
        next.arcs.iter().for_each(|arc| remaining.take(arc));
        way.arcs.extend(next.arcs);
    }
    // A loop has at least one step, also where nothing is demanded.
    if way.arcs.len() == stem || way.end() != entry {
        // A component is strongly connected.
        let back = shortest(product, std::iter::once(way.end()), inside, &|arc| arc.to == entry, interrupted)?;
        way.arcs.extend(back.arcs);
    }
    let mut run = way.run(End::Loop(stem));
    // The step that closes the loop leads back to a state that is listed already.
    run.states.pop();
    Some(run)
}

/// The pairs that can be reached from one inside a set, itself included; `None` if interrupted.
pub(super) fn all_within(
    product: &Product<'_>,
    from: Pair,
    inside: &dyn Fn(Pair) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Vec<Pair>> {
    let mut visited = product.no_pairs();
    visited.insert(from);
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(&pair) = reached.get(at) {
        reached.extend(product.arcs(pair).map(|arc| arc.to).filter(|&to| inside(to) && visited.insert(to)));
        at += 1;
        if at.is_multiple_of(PATIENCE) && interrupted() {
            return None;
        }
    }
    Some(reached)
}
