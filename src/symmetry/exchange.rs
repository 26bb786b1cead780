//! Interchangeable blocks of a state: generators of a subgroup of its stabiliser.
//!
//! The canonical order finds cells whose vertices are interchangeable, and components with equal certificates. Both are
//! groups of *copies*: blocks of elements, aligned position by position, any two of which may be swapped. All swaps of all
//! groups generate a subgroup of the state's stabiliser: a direct product of symmetric groups, in which it is easy to tell
//! whether two tuples of elements are images of each other.
//! Invariant: every group was verified on the state itself, swap by swap; a fault in the solver can lose groups, not invent
//! them. Groups are disjoint. Deliberately elsewhere: what is saved by knowing them (`explore`).

use super::Permutation;
use bcheck_value::{Element, Value};
use rustc_hash::FxHashMap;

/// The place of an element: its group, its copy in the group, and its position in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    group: u32,
    copy: u32,
    position: u32,
}

/// The exchangeable blocks of one state.
#[derive(Clone, Debug, Default)]
pub struct Exchangeable {
    /// Group, copy, position.
    groups: Vec<Vec<Vec<Element>>>,
    places: FxHashMap<Element, Place>,
}

impl Exchangeable {
    /// Those groups whose swaps preserve the state and the relations of the skeleton, and that are disjoint from earlier ones.
    pub(super) fn verified(groups: Vec<Vec<Vec<Element>>>, state: &[Value], skeleton: &[Value]) -> Self {
        let mut kept = Exchangeable::default();
        for group in groups.into_iter().filter(|group| group.len() > 1 && !group[0].is_empty()) {
            // Swaps of neighbouring copies generate all permutations of the copies.
            let is_sound =
                group.windows(2).all(|pair| swap(&pair[0], &pair[1]).is_some_and(|swap| keeps(&swap, state) && keeps(&swap, skeleton)));
            debug_assert!(is_sound, "equal components and interchangeable vertices can be swapped: {group:?}");
            // Outer groups come first, so that a group inside their copies is left out: that loses swaps, but the product stays direct, on
            // which `normal` relies.
            let is_disjoint = group.iter().flatten().all(|element| !kept.places.contains_key(element));
            if is_sound && is_disjoint {
                kept.add(group);
            }
        }
        kept
    }

    fn add(&mut self, group: Vec<Vec<Element>>) {
        let number = u32::try_from(self.groups.len()).expect("fewer groups than elements");
        for (copy, block) in (0..).zip(&group) {
            for (position, element) in (0..).zip(block) {
                self.places.insert(*element, Place { group: number, copy, position });
            }
        }
        self.groups.push(group);
    }

    /// Whether no swap is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// A normal form of a tuple under all swaps: two tuples have the same one exactly when a product of swaps maps one to the other. The
    /// copies of each group are renamed in the order in which the tuple first mentions them.
    ///
    /// The tuple may contain pairs and records, but neither sets of movable elements, which mention them in no order, nor values of free
    /// types with such elements, which are not renamed.
    #[must_use]
    pub fn normal(&self, tuple: &[Value]) -> Vec<Value> {
        // By group: the copies that have occurred so far; the new number of a copy is its position in the list. Any injective renumbering
        // extends to a permutation of the copies, so the normal form is an image of the tuple; and copies occur in images of a tuple in
        // the same pattern.
        let mut met: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        tuple.iter().map(|value| self.rename(value, &mut met)).collect()
    }

    fn rename(&self, value: &Value, met: &mut [Vec<u32>]) -> Value {
        match value {
            Value::Element(element) => match self.places.get(element) {
                None => value.clone(),
                Some(place) => {
                    let met = &mut met[place.group as usize];
                    let copy = met.iter().position(|copy| *copy == place.copy).unwrap_or_else(|| {
                        met.push(place.copy);
                        met.len() - 1
                    });
                    Value::Element(self.groups[place.group as usize][copy][place.position as usize])
                }
            },
            Value::Pair(pair) => {
                let first = self.rename(&pair.0, met);
                Value::pair(first, self.rename(&pair.1, met))
            }
            Value::Record(fields) => Value::Record(fields.iter().map(|(name, field)| (name.clone(), self.rename(field, met))).collect()),
            Value::Bool(_) | Value::Integer(_) | Value::String(_) | Value::Free(_) | Value::Set(_) | Value::Symbolic(_) => value.clone(),
        }
    }
}

/// The permutation that swaps two blocks; `None` when they are not of the same kind.
fn swap(one: &[Element], other: &[Element]) -> Option<Permutation> {
    let mut images: Vec<Vec<u32>> = Vec::new();
    let mut send = |from: Element, to: Element| {
        let set = from.set.index();
        if images.len() <= set {
            images.resize(set + 1, Vec::new());
        }
        // Elements that were not mentioned stay.
        let needed = from.index.max(to.index) + 1;
        let known = u32::try_from(images[set].len()).expect("a given set has u32 indices");
        images[set].extend(known..needed);
        images[set][from.index as usize] = to.index;
    };
    if one.len() != other.len() {
        return None;
    }
    for (&a, &b) in one.iter().zip(other) {
        if a.set != b.set {
            return None;
        }
        send(a, b);
        send(b, a);
    }
    Some(Permutation::from_images(images))
}

fn keeps(permutation: &Permutation, state: &[Value]) -> bool {
    state.iter().all(|value| permutation.apply(value) == *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Scratch, Symmetry};
    use bcheck_ir::SetId;
    use std::collections::BTreeSet;

    fn element(set: u16, index: u32) -> Value {
        Value::Element(Element { set: SetId(set), index })
    }

    fn relation(pairs: &[(u32, u32)]) -> Vec<Value> {
        vec![Value::set(pairs.iter().map(|&(from, to)| Value::pair(element(0, from), element(1, to))).collect())]
    }

    /// The orbits of all pairs (element of the first set, element of the second) under the swaps.
    fn orbits(state: &[Value], size: u32) -> usize {
        let symmetry = Symmetry::over(&[size, size], Mode::Exact);
        let exchangeable = symmetry.exchangeable(state, &mut Scratch::default());
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| [element(0, from), element(1, to)]));
        pairs.map(|pair| exchangeable.normal(&pair)).collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn in_the_empty_state_all_tuples_of_a_shape_are_one_orbit() {
        assert_eq!(orbits(&relation(&[]), 4), 1);
    }

    #[test]
    fn unused_elements_and_equal_pairs_are_exchangeable() {
        // Three equal pairs and two unused elements on each side: own partner, other partner, unused, and so on.
        assert_eq!(orbits(&relation(&[(0, 0), (1, 1), (2, 2)]), 5), 5);
    }

    #[test]
    fn names_that_share_a_code_are_exchangeable() {
        // Names 0 and 1 share code 0; name 2 has code 1; name 3 and codes 2, 3 are unused: 3 classes of names, 3 of codes.
        assert_eq!(orbits(&relation(&[(0, 0), (1, 0), (2, 1)]), 4), 9);
    }

    #[test]
    fn a_repeated_element_is_told_from_two_different_ones() {
        let symmetry = Symmetry::over(&[4], Mode::Exact);
        let exchangeable = symmetry.exchangeable(&[Value::set(vec![])], &mut Scratch::default());
        let normal = |a, b| exchangeable.normal(&[element(0, a), element(0, b)]);
        assert_eq!(normal(1, 3), normal(2, 0));
        assert_eq!(normal(1, 1), normal(3, 3));
        assert_ne!(normal(1, 1), normal(1, 2));
    }

    #[test]
    fn groups_that_do_not_keep_the_state_would_be_dropped() {
        let block = |set, index| vec![Element { set: SetId(set), index }];
        assert_eq!(swap(&block(0, 1), &block(1, 1)), None);
        let swap = swap(&block(0, 0), &block(0, 2)).unwrap();
        assert!(keeps(&swap, &relation(&[(0, 0), (2, 0)])) && !keeps(&swap, &relation(&[(0, 0)])));
    }
}
