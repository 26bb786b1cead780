//! Images that are left out: what is found are solutions, and each solution is found or an image of one.

use super::{NAMES, Writer, machine_with, valuations};
use crate::{EvalError, Machine};
use bcheck_source::SplitMix64;
use bcheck_value::{Element, Renaming, Valuation, Value};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The image of a value under the transposition of two elements of the first given set.
fn exchanged(value: &Value, pair: [u32; 2]) -> Value {
    match value {
        Value::Element(Element { set, index }) if set.0 == 0 => {
            let index = if *index == pair[0] {
                pair[1]
            } else if *index == pair[1] {
                pair[0]
            } else {
                *index
            };
            Value::Element(Element { set: *set, index })
        }
        Value::Pair(sides) => Value::pair(exchanged(&sides.0, pair), exchanged(&sides.1, pair)),
        Value::Set(set) => Value::Set(set.iter().map(|element| exchanged(&element, pair)).collect()),
        other => other.clone(),
    }
}

/// The transpositions of a set with `size` elements.
fn transpositions(size: u32) -> Vec<[u32; 2]> {
    (0..size).flat_map(|one| (one + 1..size).map(move |other| [one, other])).collect()
}

/// The valuations visited where images may be left out, each once.
fn leaders(machine: &Machine, size: u32) -> Result<BTreeSet<Valuation>, EvalError> {
    let renaming = |pair| -> Renaming { Box::new(move |value| exchanged(value, pair)) };
    let renamings: Vec<Renaming> = transpositions(size).into_iter().map(renaming).collect();
    let mut found = BTreeSet::new();
    machine.for_each_setup_but_images(&renamings, &mut |valuation| {
        assert!(found.insert(valuation), "each once");
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The orbits of some valuations.
fn orbits(found: &BTreeSet<Valuation>, size: u32) -> BTreeSet<Valuation> {
    let (mut all, mut waiting) = (found.clone(), Vec::from_iter(found.clone()));
    while let Some(valuation) = waiting.pop() {
        for pair in transpositions(size) {
            let image: Valuation = valuation.iter().map(|value| exchanged(value, pair)).collect();
            if all.insert(image.clone()) {
                waiting.push(image);
            }
        }
    }
    all
}

/// How many valuations are visited, and how many there are; none where PROPERTIES do not type or have none.
fn compared(names: &str, properties: &str, size: u32) -> Option<(usize, usize)> {
    let [plain, solved] = [f64::INFINITY, 0.0].map(|limit| machine_with(names, properties, limit, vec![size, 2]));
    let all: BTreeSet<Valuation> = valuations(&plain?).ok().filter(|all| !all.is_empty())?.into_iter().collect();
    let found = leaders(&solved?, size).expect("solved as it is enumerated");
    assert!(found.is_subset(&all), "{properties}: nothing is invented");
    assert_eq!(orbits(&found, size), all, "{properties}");
    Some((found.len(), all.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn each_solution_is_an_image_of_one_that_is_found(seed in any::<u64>()) {
        compared(NAMES, &Writer(SplitMix64::new(seed)).properties(), 2);
    }
}

#[test]
fn of_few_kinds_of_values_few_are_left() {
    for (names, properties, expected) in [
        // Subsets by their size.
        ("ss", "ss <: S & card(ss) < 4", 4),
        // Partitions of three elements by equal colours: the colours stay, as only elements of S change.
        ("ff", "ff : S --> T & card(ff) = 3", 4),
        // Functions by the numbers of their images, between bounds too far apart for a list.
        ("hh", "hh : S --> 0..1000 & SIGMA(u).(u : S | hh(u)) = 5", 5),
        // Permutations by their cycles, in one or more forms.
        ("gg", "gg : S >->> S & card(gg) = 3", 3),
    ] {
        let machine = machine_with(names, properties, 0.0, vec![3, 2]).expect(properties);
        assert_eq!(leaders(&machine, 3).expect(properties).len(), expected, "{properties}");
    }
}

#[test]
fn what_is_bound_before_the_others_are_solved_stays_as_it_is() {
    // Each choice of `ee` with a subset of the other two elements, whichever of the names comes first.
    for properties in ["ee : S & ss <: S & ee /: ss & card(ss) /= 2", "ss <: S & card(ss) /= 2 & ee : S - ss & card(ss) < 2"] {
        let (found, all) = compared("ee, ss", properties, 3).expect("solutions");
        assert_eq!((all, found < all), (9, true), "{properties}");
    }
}
