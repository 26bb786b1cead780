//! Tests against closed forms: the number of classes of *all* values of a type, and orbit sizes that add up to the number of
//! values. Any fault of labelling or automorphism counting shows as a wrong sum.
//!
//! Class counts are OEIS sequences (named at each test) or Burnside's count over all permutations.

use crate::{Mode, Scratch, Symmetry, exhaustive};
use bcheck_ir::{FunctionKind, SetId, Type};
use bcheck_value::{Set, Valuation, Value, space};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

fn s() -> Type {
    Type::Given(SetId(0))
}

fn t() -> Type {
    Type::Given(SetId(1))
}

/// All values of a type, where integers are 0 and 1.
fn all_values(ty: &Type, sizes: &[u32]) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Integer => vec![Value::integer(0), Value::integer(1)],
        Type::String => vec![Value::string("a"), Value::string("b")],
        Type::Given(set) => (0..sizes[set.index()]).map(|index| Value::element(*set, index)).collect(),
        Type::Set(element) => {
            let base = Set::from_values(all_values(element, sizes));
            let mut subsets = Vec::new();
            let _ = space::visit_subsets(&base, false, &mut |subset| {
                subsets.push(Value::Set(subset));
                ControlFlow::Continue(())
            });
            subsets
        }
        Type::Pair(first, second) => {
            let (first, second) = (all_values(first, sizes), all_values(second, sizes));
            first.iter().flat_map(|a| second.iter().map(|b| Value::pair(a.clone(), b.clone()))).collect()
        }
        Type::Record(_) | Type::Free(_) => unreachable!("no closed form here uses records or free types"),
    }
}

/// The number of classes; panics unless the orbit sizes add up and every representative is a permuted input.
fn classes(sizes: &[u32], mode: Mode, states: &[Valuation]) -> usize {
    let symmetry = Symmetry::over(sizes, mode);
    let mut scratch = Scratch::default();
    let mut orbits: BTreeMap<Valuation, BigUint> = BTreeMap::new();
    for state in states {
        let canonical = symmetry.canonical(state, &mut scratch);
        assert!(canonical.is_exact);
        assert_eq!(canonical.permutation.apply_all(state), canonical.state);
        let size = symmetry.orbit_size(&canonical.automorphisms);
        let known = orbits.entry(canonical.state).or_insert_with(|| size.clone());
        assert_eq!(*known, size, "two members of an orbit disagree about its size");
    }
    assert_eq!(orbits.values().sum::<BigUint>(), BigUint::from(states.len()), "orbit sizes do not add up");
    orbits.len()
}

fn single(values: Vec<Value>) -> Vec<Valuation> {
    values.into_iter().map(|value| vec![value]).collect()
}

/// Burnside: the number of orbits is the average number of states that a permutation keeps.
fn burnside(sizes: &[u32], states: &[Valuation]) -> usize {
    let symmetry = Symmetry::over(sizes, Mode::Exhaustive);
    let (mut kept, mut group) = (0, 0);
    exhaustive::for_each_permutation(&symmetry.movable, &mut |permutation| {
        group += 1;
        kept += states.iter().filter(|state| permutation.apply_all(state) == **state).count();
        ControlFlow::Continue(())
    });
    assert_eq!(kept % group, 0);
    kept / group
}

/// Both implementations find as many classes of all values of these types as Burnside says.
fn check(sizes: &[u32], types: &[Type]) {
    let mut states: Vec<Valuation> = vec![Vec::new()];
    for ty in types {
        let values = all_values(ty, sizes);
        states = states.iter().flat_map(|state| values.iter().map(move |value| state.iter().chain([value]).cloned().collect())).collect();
    }
    check_states(sizes, &states);
}

/// The same for these states, which permutations must map to each other.
fn check_states(sizes: &[u32], states: &[Valuation]) {
    let expected = burnside(sizes, states);
    assert_eq!(classes(sizes, Mode::Exact, states), expected, "exact mode on states like {:?}", states.last());
    assert_eq!(classes(sizes, Mode::Exhaustive, states), expected, "exhaustive mode on states like {:?}", states.last());
}

/// All symmetric relations without loops on `n` elements.
fn graphs(n: u32) -> Vec<Valuation> {
    let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let edge = |a, b| Value::pair(Value::element(SetId(0), a), Value::element(SetId(0), b));
    let graph = |mask: u32| {
        let chosen = (0..).zip(&pairs).filter(|(at, _)| mask >> at & 1 == 1);
        Value::set(chosen.flat_map(|(_, &(a, b))| [edge(a, b), edge(b, a)]).collect())
    };
    single((0..1 << pairs.len()).map(graph).collect())
}

fn functions(kind: FunctionKind, sizes: &[u32], from: &Type, to: &Type) -> Vec<Valuation> {
    let (from, to) = (Set::from_values(all_values(from, sizes)), Set::from_values(all_values(to, sizes)));
    let mut found = Vec::new();
    let _ = space::visit_functions(kind, &from, &to, &mut |function| {
        found.push(vec![Value::Set(function)]);
        ControlFlow::Continue(())
    });
    found
}

#[test]
fn graphs_have_as_many_classes_as_unlabelled_graphs() {
    // A000088
    for (n, expected) in [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34), (6, 156)] {
        assert_eq!(classes(&[n], Mode::Exact, &graphs(n)), expected);
    }
}

#[test]
fn relations_on_one_set_have_as_many_classes_as_unlabelled_digraphs_with_loops() {
    // A000595
    for (n, expected) in [(1, 2), (2, 10), (3, 104)] {
        assert_eq!(classes(&[n], Mode::Exact, &single(all_values(&Type::relation(s(), s()), &[n]))), expected);
    }
}

#[test]
fn relations_on_four_elements_have_3044_classes() {
    assert_eq!(classes(&[4], Mode::Exact, &single(all_values(&Type::relation(s(), s()), &[4]))), 3044);
}

#[test]
fn relations_between_two_sets_have_as_many_classes_as_binary_matrices() {
    // A002724
    for (n, expected) in [(1, 2), (2, 7), (3, 36)] {
        assert_eq!(classes(&[n, n], Mode::Exact, &single(all_values(&Type::relation(s(), t()), &[n, n]))), expected);
    }
}

#[test]
fn sets_of_sets_have_as_many_classes_as_boolean_functions() {
    // A003180
    for (n, expected) in [(1, 4), (2, 12), (3, 80)] {
        assert_eq!(classes(&[n], Mode::Exact, &single(all_values(&Type::set(Type::set(s())), &[n]))), expected);
    }
}

#[test]
fn sets_of_sets_over_four_elements_have_3984_classes() {
    assert_eq!(classes(&[4], Mode::Exact, &single(all_values(&Type::set(Type::set(s())), &[4]))), 3984);
}

#[test]
fn functions_have_as_many_classes_as_mapping_patterns() {
    // A126285, A001372 and A000041
    for (n, partial, total, bijections) in [(1, 2, 1, 1), (2, 6, 3, 2), (3, 16, 7, 3), (4, 45, 19, 5), (5, 121, 47, 7)] {
        for (kind, expected) in
            [(FunctionKind::PartialFunctions, partial), (FunctionKind::TotalFunctions, total), (FunctionKind::TotalBijections, bijections)]
        {
            assert_eq!(classes(&[n], Mode::Exact, &functions(kind, &[n], &s(), &s())), expected, "{kind:?} on {n}");
        }
    }
}

#[test]
fn the_phonebook_has_as_many_classes_as_partitions_up_to_its_size() {
    // Partial functions between two sets: the sum of the partition numbers p(0)+…+p(n); (n+1)^n states.
    for (n, expected) in [(1, 2), (2, 4), (3, 7), (4, 12), (5, 19)] {
        let states = functions(FunctionKind::PartialFunctions, &[n, n], &s(), &t());
        assert_eq!(classes(&[n, n], Mode::Exact, &states), expected);
    }
}

#[test]
fn all_flat_shapes_agree_with_burnside() {
    let int = || Type::Integer;
    check(&[3, 2], &[s(), t(), Type::set(s())]);
    check(&[3], &[Type::relation(s(), int()), s()]);
    check(&[3], &[Type::relation(int(), s()), Type::set(s())]);
    check(&[2, 2], &[Type::set(Type::pair(Type::pair(s(), t()), int()))]);
    check(&[2, 2], &[Type::relation(s(), Type::pair(int(), t()))]);
    check(&[2], &[Type::set(Type::pair(Type::pair(s(), s()), s()))]);
    check(&[2], &[Type::relation(s(), s()), Type::relation(s(), s())]);
    check(&[3, 2], &[Type::relation(s(), t()), Type::relation(t(), s())]);
}

#[test]
fn all_nested_shapes_agree_with_burnside() {
    let pow = Type::set;
    check(&[2, 2], &[Type::relation(s(), pow(t()))]);
    check(&[2], &[Type::relation(Type::Bool, pow(s()))]);
    check_states(&[3], &functions(FunctionKind::PartialFunctions, &[3], &Type::Bool, &pow(s())));
    check(&[3, 1], &[Type::pair(pow(s()), pow(pow(s())))]);
    check(&[2, 1], &[pow(Type::relation(s(), t())), pow(pow(s()))]);
    check(&[2], &[pow(Type::pair(s(), pow(s())))]);
    check_states(&[2], &functions(FunctionKind::PartialFunctions, &[2], &pow(s()), &pow(s())));
    check(&[2], &[pow(pow(pow(s())))]);
}

#[test]
#[ignore = "65,536 states each: scripts/long.sh"]
fn large_nested_shapes_agree_with_burnside() {
    let pow = Type::set;
    check(&[3], &[Type::relation(Type::Bool, pow(s()))]);
    check(&[2], &[pow(Type::relation(s(), Type::Bool))]);
    check(&[2], &[pow(Type::pair(pow(s()), pow(s())))]);
    check(&[2], &[pow(Type::pair(Type::pair(s(), pow(s())), Type::Bool))]);
}

#[test]
#[ignore = "131,072 states: scripts/long.sh"]
fn sets_of_relations_agree_with_burnside() {
    check(&[2, 2], &[Type::set(Type::relation(s(), t()))]);
    check(&[2], &[Type::set(Type::relation(s(), s()))]);
}
