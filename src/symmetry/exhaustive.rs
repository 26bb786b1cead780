//! The reference implementation: tries every permutation and keeps the least valuation.
//!
//! Invariant: the result is the least member of the orbit by the order of values, and the count is exactly the stabiliser.
//! Deliberately simple and factorial; the other implementation is in [`label`](super::label).

use super::Permutation;
use super::group::Movable;
use super::label::Stop;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;

/// The least member of the orbit, a permutation that maps the state to it, and the order of the state's stabiliser, in the group of those
/// permutations that `accepts` admits.
///
/// `stop` ends it early, with the least image found until then.
pub(super) fn least(
    movable: &Movable,
    state: &[Value],
    accepts: &dyn Fn(&Permutation) -> bool,
    stop: &Stop,
) -> (Valuation, Permutation, u64) {
    let mut least = Least::new(state);
    for_each_permutation(movable, &mut |permutation| {
        if accepts(permutation) {
            least.try_out(permutation);
        }
        if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    least.end()
}

/// As [`least`], for a group given by the list of its members.
pub(super) fn least_of(members: &[Permutation], state: &[Value], stop: &Stop) -> (Valuation, Permutation, u64) {
    let mut least = Least::new(state);
    members.iter().take_while(|_| !stop.is_raised()).for_each(|permutation| least.try_out(permutation));
    least.end()
}

struct Least<'s> {
    state: &'s [Value],
    best: (Valuation, Permutation),
    fixing: u64,
}

impl<'s> Least<'s> {
    fn new(state: &'s [Value]) -> Self {
        Least { state, best: (state.to_vec(), Permutation::identity()), fixing: 0 }
    }

    fn try_out(&mut self, permutation: &Permutation) {
        // The first of several permutations with the least image is stored; the choice does not matter, as the image is the same.
        let image = permutation.apply_all(self.state);
        if image == self.state {
            self.fixing += 1;
        }
        if image < self.best.0 {
            self.best = (image, permutation.clone());
        }
    }

    fn end(self) -> (Valuation, Permutation, u64) {
        (self.best.0, self.best.1, self.fixing)
    }
}

/// Calls `visit` with every member of the group until it breaks off.
pub(super) fn for_each_permutation(movable: &Movable, visit: &mut dyn FnMut(&Permutation) -> ControlFlow<()>) {
    let mut arrangements: Vec<Vec<u32>> = movable.iter().map(|(_, elements)| elements.clone()).collect();
    loop {
        if visit(&arrange(movable, &arrangements)).is_break() {
            return;
        }
        // An odometer whose wheels are the arrangements of each set in lexicographic order: `any` turns one wheel after the other, and
        // stops at the first that did not come back to its beginning.
        if !arrangements.iter_mut().any(|arrangement| next_arrangement(arrangement)) {
            return;
        }
    }
}

/// The permutation that sends the k-th of `arrangement` to the k-th movable element, for each set.
pub(super) fn arrange(movable: &Movable, arrangements: &[Vec<u32>]) -> Permutation {
    let sets = movable.iter().map(|(set, _)| set.index() + 1).max().unwrap_or(0);
    let mut images = vec![Vec::new(); sets];
    for ((set, elements), arrangement) in movable.iter().zip(arrangements) {
        let size = elements.last().map_or(0, |&last| last + 1);
        let part = &mut images[set.index()];
        part.extend(0..size);
        for (&from, &to) in arrangement.iter().zip(elements) {
            part[from as usize] = to;
        }
    }
    Permutation::from_images(images)
}

/// Steps to the next arrangement in lexicographic order; after the last one, back to the first and `false`.
fn next_arrangement(items: &mut [u32]) -> bool {
    // The standard algorithm: the last ascent is the pivot, and everything behind it descends. The pivot is swapped with the least
    // larger item behind it, which is the last larger one, and what is behind is put in ascending order.
    let Some(pivot) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        items.reverse();
        return false;
    };
    let successor = items.iter().rposition(|&item| item > items[pivot]).expect("the pivot's right neighbour is larger");
    items.swap(pivot, successor);
    items[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::SetId;
    use std::collections::HashSet;

    #[test]
    fn every_permutation_is_visited_once() {
        let movable = vec![(SetId(0), vec![0, 1, 2, 3]), (SetId(2), vec![1, 2, 4])];
        let mut seen = HashSet::new();
        for_each_permutation(&movable, &mut |permutation| {
            assert!(seen.insert(permutation.clone()));
            ControlFlow::Continue(())
        });
        assert_eq!(seen.len(), 24 * 6);
    }
}
