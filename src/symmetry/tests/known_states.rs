//! Tests on single states: known automorphism groups, near misses that must not be merged, states wider than a machine word,
//! and what happens when the search is cut short.

use crate::encode::values;
use crate::{Effort, Labeller, Mode, Permutation, Scratch, Symmetry};
use bcheck_ir::SetId;
use bcheck_value::{Symbolic, Value};
use num_bigint::BigUint;
use std::sync::Arc;

fn s(index: u32) -> Value {
    Value::element(SetId(0), index)
}

fn t(index: u32) -> Value {
    Value::element(SetId(1), index)
}

fn set(values: impl IntoIterator<Item = Value>) -> Value {
    Value::set(values.into_iter().collect())
}

fn pair(first: Value, second: Value) -> Value {
    Value::pair(first, second)
}

fn undirected(edges: impl IntoIterator<Item = (u32, u32)>) -> Value {
    set(edges.into_iter().flat_map(|(a, b)| [pair(s(a), s(b)), pair(s(b), s(a))]))
}

/// All pairs `a < b < n` for which `joined` holds.
fn graph_on(n: u32, joined: impl Fn(u32, u32) -> bool) -> Value {
    undirected((0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| joined(a, b)))
}

fn cycle(n: u32) -> Value {
    undirected((0..n).map(|a| (a, (a + 1) % n)))
}

/// Two points of a 4 by 4 board in one row or column.
fn rook() -> Value {
    graph_on(16, |a, b| a / 4 == b / 4 || a % 4 == b % 4)
}

/// The other strongly regular graph with the same parameters as [`rook`]: differences (0,1), (1,0), (1,1) on the 4 by 4 torus.
fn shrikhande() -> Value {
    graph_on(16, |a, b| {
        let difference = ((a / 4 + 4 - b / 4) % 4, (a % 4 + 4 - b % 4) % 4);
        [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&difference)
    })
}

/// A permutation of the first set that has nothing to do with the states' structure.
fn scramble(n: u32) -> Permutation {
    let step = (n / 2..n).find(|&step| (2..=step).all(|d| !step.is_multiple_of(d) || !n.is_multiple_of(d))).unwrap_or(1);
    Permutation::from_images(vec![(0..n).map(|index| (index * step + 1) % n).collect()])
}

/// The order of the automorphism group; also checks that a renamed state has the same representative.
fn automorphisms(n: u32, state: Value) -> BigUint {
    let symmetry = Symmetry::over(&[n], Mode::Exact);
    let mut scratch = Scratch::default();
    let canonical = symmetry.canonical(std::slice::from_ref(&state), &mut scratch);
    let renamed = symmetry.canonical(&[scramble(n).apply(&state)], &mut scratch);
    assert!(canonical.is_exact && renamed.is_exact);
    assert_eq!(canonical.state, renamed.state);
    assert_eq!(canonical.automorphisms.order(), renamed.automorphisms.order());
    assert_eq!(canonical.permutation.apply(&state), canonical.state[0]);
    canonical.automorphisms.order()
}

fn are_merged(sizes: &[u32], first: &[Value], second: &[Value]) -> bool {
    let mut scratch = Scratch::default();
    let symmetry = Symmetry::over(sizes, Mode::Exact);
    symmetry.canonical(first, &mut scratch).state == symmetry.canonical(second, &mut scratch).state
}

#[test]
fn famous_graphs_have_their_automorphism_groups() {
    let petersen = graph_on(10, |a, b| {
        // Two-element subsets of five, joined when disjoint.
        let subsets: Vec<u32> = (0..32u32).filter(|mask| mask.count_ones() == 2).collect();
        subsets[a as usize] & subsets[b as usize] == 0
    });
    assert_eq!(automorphisms(10, petersen), BigUint::from(120u32));
    assert_eq!(automorphisms(16, graph_on(16, |a, b| (a ^ b).count_ones() == 1)), BigUint::from(384u32), "the 4-cube");
    assert_eq!(automorphisms(16, rook()), BigUint::from(1152u32));
    assert_eq!(automorphisms(16, shrikhande()), BigUint::from(192u32));
    let squares = [1, 3, 4, 9, 10, 12];
    assert_eq!(automorphisms(13, graph_on(13, |a, b| squares.contains(&(b - a)))), BigUint::from(78u32), "Paley's graph");
    assert_eq!(automorphisms(8, graph_on(8, |a, b| a / 4 != b / 4)), BigUint::from(1152u32), "complete bipartite");
    assert_eq!(automorphisms(12, graph_on(12, |a, b| a / 3 == b / 3)), BigUint::from(6u32.pow(4) * 24), "four triangles");
}

#[test]
fn equal_components_are_found_among_others_that_refinement_cannot_tell_from_them() {
    // Alternately K(3,3) and the prism: both have six vertices with three neighbours each. 72 and 12 automorphisms.
    let joined = |a: u32, b: u32| match (a / 6 == b / 6, a / 6 % 2) {
        (true, 0) => a % 6 / 3 != b % 6 / 3,
        (true, _) => (a % 6 / 3 == b % 6 / 3) || b - a == 3,
        (false, _) => false,
    };
    assert_eq!(automorphisms(24, graph_on(24, joined)), BigUint::from(72u32 * 72 * 2 * 12 * 12 * 2));
    assert_eq!(automorphisms(30, graph_on(30, joined)), BigUint::from(72u64.pow(3) * 6 * 12 * 12 * 2));
}

#[test]
fn cycles_have_dihedral_groups_at_any_width() {
    for n in [3, 5, 16, 60, 64, 65, 130] {
        assert_eq!(automorphisms(n, cycle(n)), BigUint::from(2 * n), "undirected, {n}");
        let directed = set((0..n).map(|a| pair(s(a), s((a + 1) % n))));
        assert_eq!(automorphisms(n, directed), BigUint::from(n), "directed, {n}");
    }
}

#[test]
fn a_function_on_a_hundred_elements_is_solved_by_its_components() {
    // Ten lists of three, twenty pairs swapped with each other, thirty elements unused.
    let lists = (0..10).flat_map(|k| [pair(s(3 * k), s(3 * k + 1)), pair(s(3 * k + 1), s(3 * k + 2))]);
    let swaps = (0..20).flat_map(|k| [pair(s(30 + 2 * k), s(31 + 2 * k)), pair(s(31 + 2 * k), s(30 + 2 * k))]);
    let factorial = |n: u32| (1..=n).map(BigUint::from).product::<BigUint>();
    let expected = factorial(10) * factorial(20) * BigUint::from(2u32).pow(20) * factorial(30);
    assert_eq!(automorphisms(100, set(lists.chain(swaps))), expected);
}

#[test]
fn nested_values_wider_than_a_word_are_solved() {
    // The 66 two-element subsets of 12: every permutation keeps the set of them. The sets are vertices beside the elements.
    let subsets = |n: u32| (0..n).flat_map(move |a| (a + 1..n).map(move |b| set([s(a), s(b)])));
    assert_eq!(automorphisms(12, set(subsets(12))), (1..=12u32).map(BigUint::from).product::<BigUint>());
    // Only those of neighbours on a cycle of 40.
    assert_eq!(automorphisms(40, set((0..40).map(|a| set([s(a), s((a + 1) % 40)])))), BigUint::from(80u32));
}

#[test]
fn the_states_of_the_state_graph_paper_are_refined_to_single_vertices() {
    // Figure 8: v1 = {({s0},{s1})}, v2 = {{s2}} over one set of three.
    let figure_8 = [set([pair(set([s(0)]), set([s(1)]))]), set([set([s(2)])])];
    // Figure 9 and Example 4.5: v1 = {{s0}}, v2 = {{(s1,s2)}}, with s2 alone in the second set.
    let figure_9 = [set([set([s(0)])]), set([set([pair(s(1), t(0))])])];
    for (sizes, state) in [(vec![3], figure_8), (vec![2, 1], figure_9)] {
        let symmetry = Symmetry::over(&sizes, Mode::Exact);
        let mut labeller = Labeller::default();
        let mut builder = values::Builder::default();
        builder.read(&symmetry.ground, &state);
        builder.give(&mut labeller);
        let labelling = labeller.label(Effort::Exact { nodes: 0 });
        assert!(labelling.is_exact && labelling.factors.is_empty());
        let canonical = symmetry.canonical(&state, &mut Scratch::default());
        assert!(canonical.automorphisms.factors().is_empty());
        assert_eq!(symmetry.orbit_size(&canonical.automorphisms), symmetry.group_order());
    }
}

#[test]
fn near_misses_are_not_merged() {
    let int = Value::integer;
    let rel = |pairs: &[(u32, u32)]| set(pairs.iter().map(|&(a, b)| pair(s(a), s(b))));
    let misses: Vec<(&str, Vec<Value>, Vec<Value>)> = vec![
        ("a variable's value in another variable", vec![set([s(0)]), set([])], vec![set([]), set([s(0)])]),
        ("an element and another one", vec![s(0), s(0)], vec![s(0), s(1)]),
        ("a loop and an edge", vec![rel(&[(0, 0)])], vec![rel(&[(0, 1)])]),
        ("an edge turned round", vec![rel(&[(0, 1)]), rel(&[(0, 1)])], vec![rel(&[(0, 1)]), rel(&[(1, 0)])]),
        ("other numbers", vec![set([pair(s(0), int(1))])], vec![set([pair(s(0), int(2))])]),
        (
            "numbers on one and on two elements",
            vec![set([pair(s(0), int(1)), pair(s(0), int(2))])],
            vec![set([pair(s(0), int(1)), pair(s(1), int(2))])],
        ),
        ("one set of two, two sets of one", vec![set([set([s(0), s(1)])])], vec![set([set([s(0)]), set([s(1)])])]),
        ("undefined and empty", vec![set([pair(s(0), set([]))])], vec![set([])]),
        (
            "one image set and two",
            vec![set([pair(s(0), set([t(0), t(1)]))])],
            vec![set([pair(s(0), set([t(0)])), pair(s(0), set([t(1)]))])],
        ),
        ("relations in one set and in two", vec![set([rel(&[(0, 1), (2, 3)])])], vec![set([rel(&[(0, 1)]), rel(&[(2, 3)])])]),
        ("a marked source and a marked target", vec![s(0), set([rel(&[(0, 1)])])], vec![s(1), set([rel(&[(0, 1)])])]),
        (
            "sequences in another order",
            vec![set([pair(int(1), s(0)), pair(int(2), s(0)), pair(int(3), s(1))])],
            vec![set([pair(int(1), s(0)), pair(int(2), s(1)), pair(int(3), s(0))])],
        ),
        (
            "a sequence of one set twice and of two",
            vec![set([pair(int(1), set([s(0)])), pair(int(2), set([s(0)]))])],
            vec![set([pair(int(1), set([s(0)])), pair(int(2), set([s(1)]))])],
        ),
        ("relations over relations", vec![set([pair(rel(&[(0, 1)]), rel(&[(1, 0)]))])], vec![set([pair(rel(&[(0, 1)]), rel(&[(0, 1)]))])]),
        (
            "triples that agree on all pairs of columns",
            vec![set((0..2).flat_map(|a| (0..2).map(move |b| pair(pair(s(a), s(2 + b)), s(4 + (a ^ b))))))],
            vec![set((0..2).flat_map(|a| (0..2).map(move |b| pair(pair(s(a), s(2 + b)), s(4 + b)))))],
        ),
        ("one hexagon, two triangles", vec![cycle(6)], vec![undirected([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])]),
        (
            "descriptions of different sets",
            vec![Value::Symbolic(Arc::new(Symbolic::Product(set([s(0)]), set([s(0)]))))],
            vec![Value::Symbolic(Arc::new(Symbolic::Product(set([s(0)]), set([s(1)]))))],
        ),
    ];
    for (what, first, second) in misses {
        assert!(!are_merged(&[6, 3], &first, &second), "{what}");
    }
    assert!(!are_merged(&[16], &[rook()], &[shrikhande()]), "strongly regular graphs with equal parameters");
}

#[test]
fn very_wide_records_are_told_apart() {
    let wide = |at: usize| {
        let fields = (0..70).map(|field| (Arc::from(format!("f{field:02}")), if field == at { s(0) } else { s(1) }));
        set([Value::Record(fields.collect())])
    };
    assert!(are_merged(&[2], &[wide(3)], &[Permutation::from_images(vec![vec![1, 0]]).apply(&wide(3))]));
    assert!(!are_merged(&[2], &[wide(3)], &[wide(66)]));
}

#[test]
fn an_exhausted_budget_gives_a_sound_representative_and_no_claim() {
    let mut symmetry = Symmetry::over(&[16], Mode::Exact);
    symmetry.node_budget = 1;
    let canonical = symmetry.canonical(&[shrikhande()], &mut Scratch::default());
    assert!(!canonical.is_exact);
    assert!(canonical.automorphisms.factors().is_empty());
    assert_eq!(canonical.permutation.apply(&shrikhande()), canonical.state[0]);
}

#[test]
fn one_element_sets_and_empty_states_are_trivial() {
    let symmetry = Symmetry::over(&[1, 1], Mode::Exact);
    assert!(symmetry.is_trivial());
    assert_eq!(symmetry.group_order(), BigUint::from(1u32));
    let canonical = symmetry.canonical(&[set([pair(s(0), t(0))])], &mut Scratch::default());
    assert!(canonical.permutation.is_identity() && canonical.is_exact);
    let empty = Symmetry::over(&[3], Mode::Exact).canonical(&[], &mut Scratch::default());
    assert_eq!(empty.automorphisms.order(), BigUint::from(6u32));
}
