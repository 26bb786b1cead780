//! Permutations of the elements of given sets, and their action on values.
//!
//! Invariant: the part of each set is a bijection of its indices; a set without a part is fixed pointwise. `apply` is a group action:
//! `apply(identity, v) = v` and `apply(g.then(h), v) = apply(h, apply(g, v))`, inside descriptions of symbolic sets too.

use bcheck_ir::{Model, SetId};
use bcheck_value::{Element, Free, Set, Value};
use std::sync::Arc;

/// A permutation of the elements of given sets, which maps each set to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// By set, then by index: the index of the image, up to the last element that moves; elements without an entry stay.
    images: Vec<Vec<u32>>,
}

impl Permutation {
    /// The identity.
    #[must_use]
    pub fn identity() -> Self {
        Permutation::default()
    }

    /// The permutation with the given images: by set, then by index; an empty part fixes its set pointwise.
    ///
    /// # Panics
    /// When a part is not a bijection of its indices.
    #[must_use]
    pub fn from_images(mut images: Vec<Vec<u32>>) -> Self {
        for part in &mut images {
            let mut seen = vec![false; part.len()];
            for &image in part.iter() {
                assert!(!std::mem::replace(&mut seen[image as usize], true), "a permutation maps two elements to one");
            }
            // A normal form, up to the last element that moves: equal permutations are equal as data, and have equal hashes.
            let moved = part.iter().enumerate().rposition(|(index, &image)| index != image as usize);
            part.truncate(moved.map_or(0, |last| last + 1));
        }
        while images.last().is_some_and(Vec::is_empty) {
            images.pop();
        }
        Permutation { images }
    }

    /// Whether nothing moves.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.images.is_empty()
    }

    fn part(&self, set: SetId) -> &[u32] {
        self.images.get(set.index()).map_or(&[], Vec::as_slice)
    }

    /// The image of an element.
    #[must_use]
    pub fn element(&self, element: Element) -> Element {
        let index = self.part(element.set).get(element.index as usize).copied().unwrap_or(element.index);
        Element { set: element.set, index }
    }

    /// The cycles of elements that move, each from its least element on.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<Element>> {
        let mut cycles = Vec::new();
        for (set, part) in (0..).map(SetId).zip(&self.images) {
            let mut met = vec![false; part.len()];
            for start in 0..part.len() {
                let mut cycle = Vec::new();
                let mut at = start;
                while !std::mem::replace(&mut met[at], true) {
                    cycle.push(Element { set, index: u32::try_from(at).expect("a given set has u32 indices") });
                    at = part[at] as usize;
                }
                if cycle.len() > 1 {
                    cycles.push(cycle);
                }
            }
        }
        cycles
    }

    /// The cycles as text, with the names of elements.
    #[must_use]
    pub fn in_names(&self, model: &Model) -> String {
        let cycle = |cycle: &Vec<Element>| {
            let names: Vec<String> = cycle.iter().map(|element| model.element_name(element.set, element.index)).collect();
            format!("({})", names.join(" "))
        };
        self.cycles().iter().map(cycle).collect()
    }

    /// The permutation that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let inverted = self.images.iter().map(|part| {
            let mut inverse = vec![0; part.len()];
            for (index, &image) in part.iter().enumerate() {
                inverse[image as usize] = u32::try_from(index).expect("an index came from a u32 position");
            }
            inverse
        });
        Permutation { images: inverted.collect() }
    }

    /// This permutation, followed by `next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let sets = self.images.len().max(next.images.len());
        let composed = (0..sets).map(|at| {
            let (first, second) = (self.images.get(at), next.images.get(at));
            let size = first.map_or(0, Vec::len).max(second.map_or(0, Vec::len));
            let step = |part: Option<&Vec<u32>>, index: u32| part.and_then(|part| part.get(index as usize).copied()).unwrap_or(index);
            (0..u32::try_from(size).expect("a given set has u32 indices")).map(|index| step(second, step(first, index))).collect()
        });
        // An element may move under both and stay under the product, which `from_images` then writes without it.
        Permutation::from_images(composed.collect())
    }

    /// The image of a value.
    #[must_use]
    pub fn apply(&self, value: &Value) -> Value {
        if self.is_identity() {
            return value.clone();
        }
        match value {
            Value::Bool(_) | Value::Integer(_) | Value::String(_) => value.clone(),
            Value::Element(element) => Value::Element(self.element(*element)),
            Value::Pair(pair) => Value::pair(self.apply(&pair.0), self.apply(&pair.1)),
            // Fields are ordered by their names, which nothing moves.
            Value::Record(fields) => Value::Record(fields.iter().map(|(name, field)| (Arc::clone(name), self.apply(field))).collect()),
            Value::Free(free) => {
                let argument = free.argument.as_ref().map(|argument| self.apply(argument));
                Value::Free(Arc::new(Free { constructor: free.constructor.clone(), argument }))
            }
            Value::Set(set) => Value::Set(self.apply_set(set)),
            Value::Symbolic(symbolic) => Value::Symbolic(Arc::new(symbolic.map(&mut |inner| self.apply(inner)))),
        }
    }

    fn apply_set(&self, set: &Set) -> Set {
        if let Some((id, mut bits)) = set.as_bits() {
            let part = self.part(id);
            // A bijection of at most 64 indices maps bits to bits; with more, an image may have no bit.
            if part.len() <= 64 {
                if part.is_empty() {
                    return set.clone();
                }
                let mut image = 0;
                while bits != 0 {
                    let index = bits.trailing_zeros();
                    image |= 1u64 << part.get(index as usize).copied().unwrap_or(index);
                    bits &= bits - 1;
                }
                return Set::from_bits(id, image);
            }
        }
        // The members of a set have one type, so the first one decides for all.
        if set.first_element().is_none_or(|first| never_moves(&first)) {
            return set.clone();
        }
        // Renaming does not preserve the order of values, so the images are sorted again.
        Set::from_values(set.iter().map(|value| self.apply(&value)).collect())
    }

    /// The image of a valuation.
    #[must_use]
    pub fn apply_all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|value| self.apply(value)).collect()
    }
}

/// Whether no value of this value's type can be moved, as far as its outer shape shows.
pub(super) fn never_moves(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Integer(_) | Value::String(_) => true,
        Value::Pair(pair) => never_moves(&pair.0) && never_moves(&pair.1),
        Value::Record(fields) => fields.iter().all(|(_, field)| never_moves(field)),
        // One set shows nothing of the others of an outer set: it may be empty where another one holds elements.
        Value::Element(_) | Value::Free(_) | Value::Set(_) | Value::Symbolic(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_value::Symbolic;

    fn element(set: u16, index: u32) -> Value {
        Value::element(SetId(set), index)
    }

    fn rotation() -> Permutation {
        Permutation::from_images(vec![vec![1, 2, 0]])
    }

    #[test]
    fn a_rotation_moves_elements_inside_pairs_sets_and_descriptions() {
        let pair = Value::pair(element(0, 2), Value::integer(7));
        assert_eq!(rotation().apply(&pair), Value::pair(element(0, 0), Value::integer(7)));
        let set = Value::Set(Set::from_values(vec![pair]));
        assert_eq!(rotation().apply(&set), Value::Set(Set::from_values(vec![Value::pair(element(0, 0), Value::integer(7))])));
        let power = |inner| Value::Symbolic(Arc::new(Symbolic::Power { base: inner, nonempty: false, finite: true }));
        let singleton = |value| Value::Set(Set::from_values(vec![value]));
        assert_eq!(rotation().apply(&power(singleton(element(0, 0)))), power(singleton(element(0, 1))));
    }

    #[test]
    fn other_given_sets_stay() {
        assert_eq!(rotation().apply(&element(1, 0)), element(1, 0));
    }

    #[test]
    fn inverse_and_then_are_group_operations() {
        let swap = Permutation::from_images(vec![vec![1, 0, 2], vec![1, 0]]);
        assert!(rotation().then(&rotation().inverse()).is_identity());
        assert!(rotation().then(&rotation()).then(&rotation()).is_identity());
        let composed = rotation().then(&swap);
        assert_eq!(composed.apply(&element(0, 0)), swap.apply(&rotation().apply(&element(0, 0))));
        assert_eq!(composed.apply(&element(1, 0)), element(1, 1));
        assert_eq!(composed.inverse(), swap.inverse().then(&rotation().inverse()));
    }

    #[test]
    fn equal_permutations_are_written_alike() {
        let short = Permutation::from_images(vec![vec![1, 0], vec![0, 1]]);
        assert_eq!(short, Permutation::from_images(vec![vec![1, 0, 2, 3]]));
        let swap = |a: usize, b: usize| {
            let mut images: Vec<u32> = (0..4).collect();
            images.swap(a, b);
            Permutation::from_images(vec![images])
        };
        assert_eq!(swap(2, 3).then(&swap(0, 1)).then(&swap(2, 3)), short);
        assert_eq!(swap(1, 3).cycles(), [[Element { set: SetId(0), index: 1 }, Element { set: SetId(0), index: 3 }]]);
    }

    #[test]
    #[should_panic(expected = "maps two elements to one")]
    fn a_map_that_is_not_injective_is_refused() {
        let _ = Permutation::from_images(vec![vec![0, 0]]);
    }
}
