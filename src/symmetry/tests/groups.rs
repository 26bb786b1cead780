//! Groups that are not all permutations, by their orders, and representatives under them against the slow reference.
//!
//! Invariant: the orders are known from elsewhere: 2n, n, 48, wreath products, alternating groups.

use crate::group::skeleton::Skeleton;
use crate::group::{self, Group};
use crate::{Detail, Mode, Scratch, Symmetry};
use bcheck_ir::SetId;
use bcheck_source::SplitMix64;
use bcheck_value::{Element, Value};
use num_bigint::BigUint;
use std::collections::BTreeMap;

const S: u16 = 0;
const T: u16 = 1;

fn at(set: u16, index: u32) -> Value {
    Value::element(SetId(set), index)
}

fn arrow(from: u32, to: u32) -> Value {
    Value::pair(at(S, from), at(S, to))
}

fn edge(one: u32, other: u32) -> Value {
    Value::set(vec![at(S, one), at(S, other)])
}

/// A value over sets of these sizes, and the order of its group.
#[derive(Clone)]
struct Case {
    sizes: &'static [u32],
    value: Value,
    order: u32,
    /// Whether sets and binary relations have this group.
    is_binary: bool,
}

fn cases() -> Vec<Case> {
    let ring = |n: u32| (0..n).map(move |a| (a, (a + 1) % n));
    let cube = (0..8u32).flat_map(|a| [1, 2, 4].map(|bit| edge(a, a ^ bit)));
    let tree = (0..6).map(|leaf| Value::pair(at(S, leaf), at(T, leaf / 2)));
    let even: Vec<[u32; 4]> = vec![
        [0, 1, 2, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [1, 0, 3, 2],
        [1, 2, 0, 3],
        [1, 3, 2, 0],
        [2, 0, 1, 3],
        [2, 1, 3, 0],
        [2, 3, 0, 1],
        [3, 0, 2, 1],
        [3, 1, 0, 2],
        [3, 2, 1, 0],
    ];
    let even = even.iter().map(|word| word.iter().map(|&letter| at(S, letter)).reduce(Value::pair).unwrap());
    let matching = (0..4).map(|place| Value::pair(at(S, place), at(T, place)));
    vec![
        Case { sizes: &[6], value: Value::set(ring(6).map(|(a, b)| arrow(a, b)).collect()), order: 6, is_binary: true },
        Case { sizes: &[6], value: Value::set(ring(6).map(|(a, b)| edge(a, b)).collect()), order: 12, is_binary: true },
        Case { sizes: &[8], value: Value::set(cube.collect()), order: 48, is_binary: true },
        Case { sizes: &[6, 3], value: Value::set(tree.collect()), order: 48, is_binary: true },
        Case { sizes: &[4], value: Value::set(even.collect()), order: 12, is_binary: false },
        Case { sizes: &[4, 4], value: Value::set(matching.collect()), order: 24, is_binary: true },
        Case { sizes: &[5], value: Value::set(vec![at(S, 0), at(S, 3)]), order: 12, is_binary: true },
        Case { sizes: &[4], value: arrow(0, 1), order: 2, is_binary: true },
        Case { sizes: &[3, 3], value: Value::set(vec![]), order: 36, is_binary: true },
    ]
}

fn group_of(case: &Case) -> (Symmetry, Group) {
    let all = Symmetry::over(case.sizes, Mode::Exact);
    let group = group::of_value(&all, &case.value).expect("small values have their groups found");
    (all, group)
}

/// The symmetry that keeps a value.
fn narrowed(case: &Case, mode: Mode) -> Symmetry {
    let (all, group) = group_of(case);
    let relations = group::relations(all.movable(), &group, &case.value).expect("small groups have relations");
    let mut symmetry = Symmetry::of_elements(all.movable().to_vec(), Detail::default(), mode);
    if !relations.is_empty() {
        symmetry.narrow(group, Skeleton::new(all, relations).expect("small relations have a canonical form"));
    }
    symmetry
}

/// A state: two sets and a function of elements, drawn from a number.
fn state(case: &Case, number: u64) -> Vec<Value> {
    let mut random = SplitMix64::new(number);
    let mut draw = |below: u32| u32::try_from(random.below(below as usize)).unwrap();
    let n = case.sizes[0];
    let some = |chosen: &mut dyn FnMut() -> bool| Value::set((0..n).filter(|_| chosen()).map(|index| at(S, index)).collect());
    let marks = some(&mut || draw(2) == 0);
    let last = u16::try_from(case.sizes.len() - 1).unwrap();
    let size = case.sizes[usize::from(last)];
    let pairs = (0..n).filter_map(|index| match draw(3) {
        0 => Some(Value::pair(at(S, index), at(last, draw(size)))),
        _ => None,
    });
    vec![marks, Value::set(pairs.collect())]
}

#[test]
fn orders_are_those_that_are_known() {
    for case in cases() {
        let (_, group) = group_of(&case);
        assert_eq!(group.order, BigUint::from(case.order), "{:?}", case.value);
        assert_eq!(group::members(&group.generators).len(), case.order as usize, "the generators generate {:?}", case.value);
        let symmetry = narrowed(&case, Mode::Exact);
        assert_eq!(symmetry.group_order(), BigUint::from(case.order));
        let has_value = symmetry.relations().contains(&case.value) && case.order == 12 && case.sizes == [4];
        assert_eq!(has_value, !case.is_binary, "{:?}", symmetry.relations());
    }
}

#[test]
fn representatives_are_those_of_the_group_and_orbits_have_their_sizes() {
    // By labelling, and as for states too large to be labelled.
    for (case, is_tried) in cases().into_iter().flat_map(|case| [(case.clone(), false), (case, true)]) {
        let (mut exact, slow) = (narrowed(&case, Mode::Exact), narrowed(&case, Mode::Exhaustive));
        if is_tried {
            exact.large = 0;
        }
        let members = group::members(&group_of(&case).1.generators);
        let mut scratch = Scratch::default();
        let mut by_least: BTreeMap<Vec<Value>, Vec<Value>> = BTreeMap::new();
        for number in 0..60 {
            let state = state(&case, number);
            let found = exact.canonical(&state, &mut scratch);
            let least = slow.canonical(&state, &mut scratch);
            assert!(found.is_exact);
            assert_eq!(found.permutation.apply_all(&state), found.state);
            assert!(members.contains(&found.permutation), "only symmetries are applied");
            assert_eq!(found.automorphisms.order(), least.automorphisms.order());
            let known = by_least.entry(least.state).or_insert_with(|| found.state.clone());
            assert_eq!(*known, found.state, "one representative per orbit");
            for member in members.iter().step_by(7) {
                assert_eq!(exact.canonical(&member.apply_all(&state), &mut scratch).state, found.state);
            }
            let swaps = exact.exchangeable(&state, &mut scratch);
            assert!(swaps.is_empty() || found.automorphisms.order() > BigUint::from(1u32));
        }
        let mut forms: Vec<&Vec<Value>> = by_least.values().collect();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), by_least.len(), "different orbits have different representatives");
    }
}

#[test]
fn without_a_way_back_a_state_stands_for_itself() {
    let case = &cases()[0];
    let (all, group) = group_of(case);
    let relations = group::relations(all.movable(), &group, &case.value).unwrap();
    let skeleton = Skeleton::new(all, relations).unwrap();
    assert!(skeleton.back(vec![Value::set(vec![arrow(0, 1)])], &mut Default::default()).is_none());
}

#[test]
fn a_point_that_nothing_moves_is_in_no_orbit_of_others() {
    let case = &cases()[7];
    let (all, group) = group_of(case);
    let points = all.movable()[0].1.iter().map(|&index| Element { set: SetId(S), index });
    let orbits: Vec<usize> = group::orbits(points, &group.generators).iter().map(Vec::len).collect();
    assert_eq!(orbits, [1, 1, 2]);
}
