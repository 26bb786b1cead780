//! Property tests: canonical forms of random typed valuations, and agreement with an independent canoniser of graphs.

use crate::label::Stop;
use crate::{Mode, Permutation, Scratch, Symmetry, exhaustive};
use bcheck_ir::{FreeType, SetId, Type};
use bcheck_value::{Symbolic, Valuation, Value};
use canonaut::structs::{CanonautManager, DenseGraph};
use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SIZES: [u32; 3] = [4, 3, 2];

fn any_type() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        5 => (0u16..3).prop_map(|set| Type::Given(SetId(set))),
        1 => Just(Type::Integer),
        1 => Just(Type::Bool),
    ];
    leaf.prop_recursive(4, 8, 3, |inner| {
        prop_oneof![
            3 => inner.clone().prop_map(Type::set),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Type::relation(a, b)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Type::pair(a, b)),
            1 => inner.clone().prop_map(|_| Type::Free(Arc::new(FreeType { name: Arc::from("F"), sets: vec![SetId(0), SetId(1)] }))),
            1 => (inner.clone(), inner).prop_map(|(a, b)| Type::Record(Arc::from([(Arc::from("f"), a), (Arc::from("g"), b)]))),
        ]
    })
}

/// Values of a type; some sets stay descriptions.
fn any_value(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Integer => (0i64..3).prop_map(Value::integer).boxed(),
        Type::String => Just(Value::string("text")).boxed(),
        Type::Given(set) => {
            let set = *set;
            (0..SIZES[set.index()]).prop_map(move |index| Value::element(set, index)).boxed()
        }
        Type::Set(element) => {
            let explicit = vec(any_value(element), 0..5).prop_map(Value::set);
            let closure = vec(any_value(element), 1..3)
                .prop_map(|captured| Value::Symbolic(Arc::new(Symbolic::Closure { plan: 1, captured: captured.into() })));
            prop_oneof![12 => explicit, 1 => closure].boxed()
        }
        Type::Pair(first, second) => (any_value(first), any_value(second)).prop_map(|(a, b)| Value::pair(a, b)).boxed(),
        Type::Free(_) => {
            let one = (0..SIZES[0]).prop_map(|index| Some(Value::element(SetId(0), index)));
            let two =
                (0..SIZES[0], 0..SIZES[1]).prop_map(|(a, b)| Some(Value::pair(Value::element(SetId(1), b), Value::element(SetId(0), a))));
            let leaf = prop_oneof![Just(("none", None)), one.prop_map(|one| ("one", one)), two.prop_map(|two| ("two", two))];
            let made = leaf.prop_map(|(name, argument)| Value::free(&Arc::from(name), argument));
            made.prop_recursive(2, 3, 1, |inner| inner.prop_map(|inner| Value::free(&Arc::from("again"), Some(inner)))).boxed()
        }
        Type::Record(fields) => {
            let names: Vec<Arc<str>> = fields.iter().map(|(name, _)| name.clone()).collect();
            let values: Vec<_> = fields.iter().map(|(_, ty)| any_value(ty)).collect();
            values.prop_map(move |values| Value::Record(names.iter().cloned().zip(values).collect())).boxed()
        }
    }
}

fn any_state() -> impl Strategy<Value = Valuation> {
    vec(any_type(), 1..4).prop_flat_map(|types| types.iter().map(any_value).collect::<Vec<_>>())
}

/// Two valuations of the same types.
fn any_two_states() -> impl Strategy<Value = (Valuation, Valuation)> {
    vec(any_type(), 1..3).prop_flat_map(|types| {
        let values = || types.iter().map(any_value).collect::<Vec<_>>();
        (values(), values())
    })
}

fn any_permutation(sizes: &[u32]) -> impl Strategy<Value = Permutation> + use<> {
    let parts: Vec<_> = sizes.iter().map(|&size| Just((0..size).collect::<Vec<u32>>()).prop_shuffle()).collect();
    parts.prop_map(Permutation::from_images)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn all_members_of_an_orbit_have_one_representative(state in any_state(), moved in any_permutation(&SIZES)) {
        let symmetry = Symmetry::over(&SIZES, Mode::Exact);
        let mut scratch = Scratch::default();
        let first = symmetry.canonical(&state, &mut scratch);
        let second = symmetry.canonical(&moved.apply_all(&state), &mut scratch);
        prop_assert!(first.is_exact && second.is_exact);
        prop_assert_eq!(first.permutation.apply_all(&state), first.state.clone());
        prop_assert_eq!(&first.state, &second.state);
        prop_assert_eq!(first.automorphisms.order(), second.automorphisms.order());
        let again = symmetry.canonical(&first.state, &mut scratch);
        prop_assert_eq!(&again.state, &first.state);
    }

    #[test]
    fn the_automorphisms_are_the_permutations_that_keep_the_state(state in any_state()) {
        let symmetry = Symmetry::over(&SIZES, Mode::Exact);
        let canonical = symmetry.canonical(&state, &mut Scratch::default());
        let mut keeping = 0u32;
        exhaustive::for_each_permutation(&symmetry.movable, &mut |permutation| {
            keeping += u32::from(permutation.apply_all(&state) == state);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(canonical.automorphisms.order(), BigUint::from(keeping));
        prop_assert_eq!(symmetry.orbit_size(&canonical.automorphisms) * keeping, symmetry.group_order());
    }

    #[test]
    fn states_too_large_to_be_labelled_obey_the_same_laws((first, second) in any_two_states(), moved in any_permutation(&SIZES)) {
        let tried = Symmetry { large: 0, ..Symmetry::over(&SIZES, Mode::Exact) };
        let mut scratch = Scratch::default();
        let [one, image, other] =
            [first.clone(), moved.apply_all(&first), second.clone()].map(|state| tried.canonical(&state, &mut scratch));
        prop_assert!(one.is_exact && image.is_exact && other.is_exact);
        prop_assert_eq!(one.permutation.apply_all(&first), one.state.clone());
        prop_assert_eq!(&one.state, &image.state);
        prop_assert_eq!(one.automorphisms.order(), image.automorphisms.order());
        let labelled = Symmetry::over(&SIZES, Mode::Exact);
        let [first, second] = [first, second].map(|state| labelled.canonical(&state, &mut scratch));
        prop_assert_eq!(first.automorphisms.order(), one.automorphisms.order());
        prop_assert_eq!(first.state == second.state, one.state == other.state);
    }

    #[test]
    fn exact_and_exhaustive_agree_on_which_states_are_symmetric((first, second) in any_two_states()) {
        let mut scratch = Scratch::default();
        let same = [Mode::Exact, Mode::Exhaustive].map(|mode| {
            let symmetry = Symmetry::over(&SIZES, mode);
            symmetry.canonical(&first, &mut scratch).state == symmetry.canonical(&second, &mut scratch).state
        });
        prop_assert_eq!(same[0], same[1]);
    }

    #[test]
    fn the_cheap_modes_stay_inside_the_orbit(state in any_state()) {
        let exact = Symmetry::over(&SIZES, Mode::Exact);
        let mut scratch = Scratch::default();
        for mode in [Mode::Fast, Mode::Sorted] {
            let cheap = Symmetry::over(&SIZES, mode).canonical(&state, &mut scratch);
            prop_assert_eq!(cheap.permutation.apply_all(&state), cheap.state.clone());
            prop_assert_eq!(exact.canonical(&cheap.state, &mut scratch).state, exact.canonical(&state, &mut scratch).state);
            if cheap.is_exact {
                prop_assert!(exact.canonical(&state, &mut scratch).automorphisms.factors().is_empty());
            }
        }
    }

    #[test]
    fn permutations_act_as_a_group(state in any_state(), g in any_permutation(&SIZES), h in any_permutation(&SIZES)) {
        prop_assert_eq!(g.then(&h).apply_all(&state), h.apply_all(&g.apply_all(&state)));
        prop_assert_eq!(g.inverse().apply_all(&g.apply_all(&state)), state);
    }
}

type Edges = Vec<(u32, u32)>;

/// A relation on one set of `n` elements as edges.
fn any_edges(n: u32, density: f64) -> impl Strategy<Value = Edges> {
    let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (0..n).filter(move |&b| a != b).map(move |b| (a, b))).collect();
    vec(proptest::bool::weighted(density), pairs.len())
        .prop_map(move |chosen| pairs.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(&pair, _)| pair).collect())
}

/// Half of the time the second is the first renamed, else the first with one edge turned or removed, renamed.
fn any_pair_of_graphs() -> impl Strategy<Value = (u32, Edges, Edges, bool)> {
    (3u32..11, 0.05f64..0.5, any::<bool>()).prop_flat_map(|(n, density, is_directed)| {
        let shuffle = Just((0..n).collect::<Vec<u32>>()).prop_shuffle();
        (any_edges(n, density), shuffle, any::<Option<bool>>(), any::<prop::sample::Index>()).prop_map(
            move |(mut edges, shuffle, change, at)| {
                if !is_directed {
                    edges.retain(|&(a, b)| a < b);
                }
                let mut other = edges.clone();
                if let (Some(turn), false) = (change, edges.is_empty()) {
                    let at = at.index(other.len());
                    let (a, b) = other.swap_remove(at);
                    if turn && is_directed && !other.contains(&(b, a)) {
                        other.push((b, a));
                    } else if turn && !is_directed {
                        let c = (b + 1) % n;
                        if c != a && !other.contains(&(a.min(c), a.max(c))) {
                            other.push((a.min(c), a.max(c)));
                        }
                    }
                }
                let rename = |&(a, b): &(u32, u32)| (shuffle[a as usize], shuffle[b as usize]);
                (n, edges, other.iter().map(rename).collect(), is_directed)
            },
        )
    })
}

fn as_value(edges: &[(u32, u32)], is_directed: bool) -> Value {
    let pair = |a, b| Value::pair(Value::element(SetId(0), a), Value::element(SetId(0), b));
    let both = edges.iter().flat_map(|&(a, b)| if is_directed { vec![pair(a, b)] } else { vec![pair(a, b), pair(b, a)] });
    Value::set(both.collect())
}

/// The results of canonaut: the canonical graph and the order of the automorphism group.
fn canonaut(n: u32, edges: &[(u32, u32)], is_directed: bool) -> (Vec<usize>, f64) {
    let n = n as usize;
    let mut graph = if is_directed { DenseGraph::new_directed(n) } else { DenseGraph::new(n) };
    for &(a, b) in edges {
        if is_directed { graph.add_arc(a as usize, b as usize) } else { graph.add_edge(a as usize, b as usize) }
    }
    let mut manager = CanonautManager::new(n).with_canonization();
    manager.canonize_graph(&graph);
    let statistics = manager.statistics();
    let order = statistics.group_size1 * 10f64.powi(i32::try_from(statistics.group_size2).unwrap());
    (manager.canonical_graph.clone(), order)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn graphs_and_digraphs_are_told_apart_as_canonaut_does((n, first, second, is_directed) in any_pair_of_graphs()) {
        let symmetry = Symmetry::over(&[n], Mode::Exact);
        let mut scratch = Scratch::default();
        let ours = [&first, &second].map(|edges| symmetry.canonical(&[as_value(edges, is_directed)], &mut scratch));
        let theirs = [&first, &second].map(|edges| canonaut(n, edges, is_directed));
        prop_assert_eq!(ours[0].state == ours[1].state, theirs[0].0 == theirs[1].0);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let order = u64::try_from(ours.automorphisms.order()).unwrap();
            if order as f64 != theirs.1.round() {
                // It counts 16 for a triangle beside a cycle of four and a single vertex, which have 6 * 8.
                let (_, _, fixing) = exhaustive::least(&symmetry.movable, &ours.state, &|_| true, &Stop::default());
                prop_assert_eq!(order, fixing);
            }
        }
    }
}

/// A configuration of a refinement check is the refinement's state with the set of states in which the refined machine may be. With
/// one permutation for both there are as many representatives as orbits; canonising the refinement's state alone and carrying the
/// set along gives more, because the permutation is arbitrary where that state has automorphisms.
#[test]
fn representatives_of_configurations_are_found_jointly_or_there_are_too_many() {
    let symmetry = Symmetry::over(&[4], Mode::Exact);
    let mut scratch = Scratch::default();
    let elements = |mask: u32| Value::set((0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| Value::element(SetId(0), bit)).collect());
    let configurations =
        || (0..16).flat_map(move |own| (0..16).map(move |refined| vec![elements(own), Value::set(vec![elements(refined)])]));
    let (mut joint, mut pair_wise, mut full) = (BTreeSet::new(), BTreeSet::new(), BigUint::ZERO);
    for configuration in configurations() {
        let canonical = symmetry.canonical(&configuration, &mut scratch);
        if joint.insert(canonical.state) {
            full += symmetry.orbit_size(&canonical.automorphisms);
        }
        let alone = symmetry.canonical(&configuration[..1], &mut scratch);
        pair_wise.insert(alone.permutation.apply_all(&configuration));
    }
    let orbits: BTreeSet<Valuation> =
        configurations().map(|configuration| exhaustive::least(&symmetry.movable, &configuration, &|_| true, &Stop::default()).0).collect();
    // Each element is in both, in one, in the other, or in neither: C(4 + 3, 3).
    assert_eq!((joint.len(), orbits.len(), full), (35, 35, BigUint::from(256u32)));
    assert!(pair_wise.len() > 35, "{}", pair_wise.len());
}

#[test]
fn a_raised_flag_ends_every_search_for_a_representative() {
    // Cubic graphs on many vertices, a set of many sets, and a group with twelve factorial members.
    let cube: Vec<Value> = (0..512u32)
        .flat_map(|at| (0..9).map(move |bit| Value::pair(Value::element(SetId(0), at), Value::element(SetId(0), at ^ 1 << bit))))
        .collect();
    let subsets = (0..1u64 << 14).map(|bits| Value::Set(bcheck_value::Set::from_bits(SetId(0), bits))).collect();
    let cases = [
        (512, Mode::Exact, Value::set(cube.clone())),
        (512, Mode::Fast, Value::set(cube)),
        (14, Mode::Exact, Value::set(subsets)),
        (12, Mode::Exhaustive, Value::set(vec![Value::element(SetId(0), 3)])),
    ];
    let raised = Arc::new(AtomicBool::new(true));
    for (size, mode, value) in cases {
        let symmetry = Symmetry::over(&[size], mode);
        let canonical = symmetry.canonical(std::slice::from_ref(&value), &mut Scratch::interruptible(&raised));
        assert!(!canonical.is_exact, "{mode:?} of {size}");
        assert_eq!(canonical.permutation.apply_all(&[value]), canonical.state, "{mode:?} of {size}");
    }
}

#[test]
fn a_set_of_many_sets_is_represented_without_a_structure() {
    // All sets of 14 elements but for one pair.
    let missing = |a: u32, b: u32| {
        let subsets = (0..1u64 << 14).filter(move |bits| *bits != (1 << a | 1 << b));
        vec![Value::set(subsets.map(|bits| Value::Set(bcheck_value::Set::from_bits(SetId(0), bits))).collect())]
    };
    let symmetry = Symmetry::over(&[14], Mode::Exact);
    let mut scratch = Scratch::default();
    let [one, other] = [missing(0, 1), missing(5, 11)].map(|state| symmetry.canonical(&state, &mut scratch));
    assert_eq!(one.state, other.state);
    assert!(one.is_exact && other.is_exact);
    // One of 91 pairs is missing.
    assert_eq!((symmetry.orbit_size(&one.automorphisms), symmetry.orbit_size(&other.automorphisms)), (91u32.into(), 91u32.into()));
}
