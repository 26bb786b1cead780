//! Runs through a product: shortest finite paths, and the lasso through an accepting component.
//!
//! Invariant: paths are shortest, and the first ones in the order of the edges, so a run depends on its product alone. The loop repeatedly
//! goes to the nearest edge that satisfies a remaining condition, then back: each part is shortest, the whole need not be. Every goal here
//! is known to be reachable, so `None` always means interrupted. Deliberately elsewhere: which components are good (`fair`, `components`),
//! loops that are fair to single instances (`tour`).

use super::fair::Demands;
use super::graph::{End, Run};
use super::product::{Arc, Product};
use super::product_states::ProductState;
use std::collections::VecDeque;

/// How many product states are expanded between two questions whether to stop.
pub(super) const PATIENCE: usize = 1 << 12;

/// A path through a product: its first product state, and its edges.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) start: ProductState,
    pub(super) arcs: Vec<Arc>,
}

/// A shortest path of at least one edge, from one of some product states inside a set, to an edge that is a goal; one exists. `None` if
/// interrupted.
pub(super) fn shortest(
    product: &Product<'_>,
    from: impl Iterator<Item = ProductState>,
    inside: &dyn Fn(ProductState) -> bool,
    is_goal: &dyn Fn(&Arc) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Path> {
    let mut visited = product.no_product_states();
    // Each product state with the index of its predecessor; the first ones have their own index.
    let mut reached: Vec<(ProductState, u32)> = Vec::new();
    for product_state in from {
        if visited.insert(product_state) {
            reached.push((product_state, reached.len() as u32));
        }
    }
    let mut at = 0;
    while let Some(&(product_state, _)) = reached.get(at) {
        for arc in product.arcs(product_state).filter(|arc| inside(arc.to)) {
            // Tested before the visited set: the goal is an edge, and may end where the path began.
            if is_goal(&arc) {
                return Some(path_back(product, &reached, at, arc));
            }
            if visited.insert(arc.to) {
                // Products have less than 2^32 product states: see `emptiness`.
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

/// The path to the product state at a position, extended by an edge.
fn path_back(product: &Product<'_>, reached: &[(ProductState, u32)], mut at: usize, last: Arc) -> Path {
    let mut arcs = VecDeque::from([last]);
    loop {
        let (product_state, before) = reached[at];
        if before as usize == at {
            return Path { start: product_state, arcs: arcs.into() };
        }
        // The first edge between the two is the one by which it was reached, so edges need not be remembered.
        let mut between = product.arcs(reached[before as usize].0);
        arcs.push_front(
            between.find(|arc| arc.to == product_state).expect("the product_state was reached by an edge of the one before it"),
        );
        at = before as usize;
    }
}

/// A shortest path from an initial product state to a product state that is a goal; one exists. `None` if interrupted.
pub(super) fn path_to(product: &Product<'_>, is_goal: &dyn Fn(ProductState) -> bool, interrupted: &dyn Fn() -> bool) -> Option<Path> {
    // The empty path, which `shortest` does not consider.
    if let Some(start) = product.initial().find(|&product_state| is_goal(product_state)) {
        return Some(Path { start, arcs: Vec::new() });
    }
    shortest(product, product.initial(), &|_| true, &|arc| is_goal(arc.to), interrupted)
}

impl Path {
    /// The product state where it ends.
    pub(super) fn end(&self) -> ProductState {
        self.arcs.last().map_or(self.start, |arc| arc.to)
    }

    /// The path as a run with this end.
    pub(super) fn run(&self, end: End) -> Run {
        let states = std::iter::once(self.start.state).chain(self.arcs.iter().map(|arc| arc.to.state)).collect();
        Run { states, letters: self.arcs.iter().map(|arc| arc.letter).collect(), end, ordinals: Vec::new() }
    }
}

/// The run that enters a good component by a path, and loops inside it so that all conditions are satisfied; `None` if interrupted.
pub(super) fn lasso(
    demands: &Demands<'_>,
    mut path: Path,
    inside: &dyn Fn(ProductState) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Run> {
    let product = demands.product;
    let entry = path.end();
    let stem = path.arcs.len();
    let mut remaining = demands.of_component(&all_within(product, entry, inside, interrupted)?);
    // The entry lies on the loop: an assumption that is disabled there is satisfied without a step.
    remaining.visit(entry);
    while !remaining.is_empty() {
        // A good component can satisfy every condition.
        let next = shortest(product, std::iter::once(path.end()), inside, &|arc| remaining.is_met_by(arc), interrupted)?;
        // All of them, not only the last one: conditions may also be satisfied in passing.
        next.arcs.iter().for_each(|arc| remaining.take(arc));
        path.arcs.extend(next.arcs);
    }
    // A loop has at least one step, also where nothing is demanded.
    if path.arcs.len() == stem || path.end() != entry {
        // A component is strongly connected.
        let back = shortest(product, std::iter::once(path.end()), inside, &|arc| arc.to == entry, interrupted)?;
        path.arcs.extend(back.arcs);
    }
    let mut run = path.run(End::Loop(stem));
    // The last step closes the loop: its target is already in the list.
    run.states.pop();
    Some(run)
}

/// The product states that can be reached from one inside a set, itself included; `None` if interrupted.
pub(super) fn all_within(
    product: &Product<'_>,
    from: ProductState,
    inside: &dyn Fn(ProductState) -> bool,
    interrupted: &dyn Fn() -> bool,
) -> Option<Vec<ProductState>> {
    let mut visited = product.no_product_states();
    visited.insert(from);
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(&product_state) = reached.get(at) {
        reached.extend(product.arcs(product_state).map(|arc| arc.to).filter(|&to| inside(to) && visited.insert(to)));
        at += 1;
        if at.is_multiple_of(PATIENCE) && interrupted() {
            return None;
        }
    }
    Some(reached)
}
