//! Colours of the elements in a value by where they occur: elements that a permutation can map to each other have equal ones.
//!
//! Each round gives an element a hash of its old one and of all places where it occurs, down from the whole value, until no
//! round tells more elements apart (colour refinement on the syntax tree, with hashes instead of partitions). A round takes time in
//! proportion to size times depth of the value, and most texts, and most states with large values, tell all their elements apart by it.
//! Invariant: hashes are made without regard to names, so different ones mean that no automorphism relates the elements; equal ones mean
//! nothing (two may collide).

use crate::encode::description::opened;
use crate::label::Stop;
use bcheck_value::{Element, Set, Value};
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

/// By element: its colour.
pub(crate) type ElementColours = BTreeMap<Element, u64>;

/// The colours of these elements in a value.
pub(super) fn colours(value: &Value, elements: impl IntoIterator<Item = Element>) -> ElementColours {
    colours_of(std::iter::once(value), elements, &Stop::default())
}

/// The colours of these elements in a list of values; those of an earlier round when stopped.
pub(crate) fn colours_of<'v>(
    values: impl Iterator<Item = &'v Value> + Clone,
    elements: impl IntoIterator<Item = Element>,
    stop: &Stop,
) -> ElementColours {
    // The first colour of an element is its set, which no permutation changes.
    let mut colours: ElementColours = elements.into_iter().map(|element| (element, mixed(u64::from(element.set.0), 0))).collect();
    // Each hash contains the old one, so that rounds only split classes (but for collisions): there are at most as many as elements.
    let mut different = count(&colours);
    loop {
        let mut places: BTreeMap<Element, Vec<u64>> = BTreeMap::new();
        for (at, value) in (0..).zip(values.clone()) {
            visit(value, at, &colours, stop, &mut places);
        }
        let next: ElementColours = colours
            .iter()
            .map(|(element, colour)| {
                // Sorted, because the order in which places occur depends on names. Likewise for members of sets in `number`.
                let mut own = places.remove(element).unwrap_or_default();
                own.sort_unstable();
                (*element, own.into_iter().fold(*colour, mixed))
            })
            .collect();
        // A round that was stopped has seen only part of the sets, so its result is dropped.
        let now = count(&next);
        if now == different || stop.is_raised() {
            return colours;
        }
        (colours, different) = (next, now);
    }
}

/// Elements whose colour no other element has.
pub(super) fn singled_out(colours: &ElementColours) -> impl Iterator<Item = Element> + '_ {
    let mut users: BTreeMap<u64, u32> = BTreeMap::new();
    colours.values().for_each(|colour| *users.entry(*colour).or_default() += 1);
    colours.iter().filter(move |(_, colour)| users[colour] == 1).map(|(element, _)| *element)
}

fn count(colours: &ElementColours) -> usize {
    colours.values().collect::<std::collections::BTreeSet<_>>().len()
}

fn mixed(a: u64, b: u64) -> u64 {
    let mut hasher = FxHasher::default();
    (a, b).hash(&mut hasher);
    hasher.finish()
}

/// A hash of a value that depends on elements that may move by their colours only; other elements count under their own names.
fn number(value: &Value, colours: &ElementColours, stop: &Stop) -> u64 {
    match value {
        // The first arguments distinguish the kinds of values, and in `visit` the components.
        Value::Element(element) => {
            mixed(1, colours.get(element).copied().unwrap_or_else(|| mixed(u64::from(element.set.0), u64::from(element.index))))
        }
        Value::Pair(pair) => mixed(2, mixed(number(&pair.0, colours, stop), number(&pair.1, colours, stop))),
        Value::Free(free) => {
            let mut hasher = FxHasher::default();
            free.constructor.hash(&mut hasher);
            mixed(hasher.finish(), free.argument.as_ref().map_or(3, |argument| number(argument, colours, stop)))
        }
        Value::Set(set) => {
            let mut members: Vec<u64> = until(stop, set).map(|member| number(&member, colours, stop)).collect();
            members.sort_unstable();
            members.into_iter().fold(4, mixed)
        }
        Value::Record(fields) => fields.iter().fold(7, |sum, (name, field)| {
            let mut hasher = FxHasher::default();
            (sum, name).hash(&mut hasher);
            mixed(hasher.finish(), number(field, colours, stop))
        }),
        Value::Symbolic(symbolic) => {
            let (shape, inner) = opened(symbolic);
            let mut hasher = FxHasher::default();
            shape.hash(&mut hasher);
            inner.iter().fold(hasher.finish(), |sum, value| mixed(sum, number(value, colours, stop)))
        }
        Value::Bool(_) | Value::Integer(_) | Value::String(_) => {
            let mut hasher = FxHasher::default();
            value.hash(&mut hasher);
            hasher.finish()
        }
    }
}

/// The members of a set, as long as the flag is not raised.
fn until<'a>(stop: &'a Stop, set: &'a Set) -> impl Iterator<Item = Value> + 'a {
    set.iter().take_while(|_| !stop.is_raised())
}

/// Lists the occurrences of elements, each as a hash of its path and of the values along it.
fn visit(value: &Value, context: u64, colours: &ElementColours, stop: &Stop, places: &mut BTreeMap<Element, Vec<u64>>) {
    match value {
        Value::Element(element) => places.entry(*element).or_default().push(context),
        Value::Pair(pair) => {
            let context = mixed(context, number(value, colours, stop));
            visit(&pair.0, mixed(context, 5), colours, stop, places);
            visit(&pair.1, mixed(context, 6), colours, stop, places);
        }
        Value::Free(free) => {
            if let Some(argument) = &free.argument {
                visit(argument, mixed(context, number(value, colours, stop)), colours, stop, places);
            }
        }
        Value::Set(set) => {
            let context = mixed(context, number(value, colours, stop));
            until(stop, set).for_each(|member| visit(&member, context, colours, stop, places));
        }
        Value::Record(fields) => {
            let context = mixed(context, number(value, colours, stop));
            (8..).zip(fields.iter()).for_each(|(at, (_, field))| visit(field, mixed(context, at), colours, stop, places));
        }
        Value::Symbolic(symbolic) => {
            let context = mixed(context, number(value, colours, stop));
            (8..).zip(&opened(symbolic).1).for_each(|(at, inner)| visit(inner, mixed(context, at), colours, stop, places));
        }
        Value::Bool(_) | Value::Integer(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::SetId;

    fn element(index: u32) -> Element {
        Element { set: SetId(0), index }
    }

    fn arrow(from: u32, to: u32) -> Value {
        Value::pair(Value::Element(element(from)), Value::Element(element(to)))
    }

    #[test]
    fn a_path_is_told_apart_from_its_end_and_a_ring_is_not() {
        let path = Value::set(vec![arrow(0, 1), arrow(1, 2), arrow(2, 3)]);
        let found = colours(&path, (0..6).map(element));
        assert_eq!(singled_out(&found).map(|element| element.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(found[&element(4)], found[&element(5)], "neither occurs");
        let ring = Value::set(vec![arrow(0, 1), arrow(1, 2), arrow(2, 0)]);
        assert_eq!(singled_out(&colours(&ring, (0..3).map(element))).count(), 0);
    }
}
