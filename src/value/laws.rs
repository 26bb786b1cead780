//! Laws of the operators on values, against a naive model: `BTreeSet` and the definitions of the B-Book written as loops.
//!
//! Invariant: sets are drawn so that all representations and all borders between them occur: masks, masks that spill over index 63,
//! slices, trees, and mixtures of them. Deliberately elsewhere: power sets, function spaces and sequence spaces (`space_laws`).

use super::display::{ElementNames, display};
use super::relation::*;
use super::{Element, IllDefined, Integer, SequenceKind, Set, Symbolic, Value, codec, sequence};
use crate::thresholds::TREE_FROM;
use bcheck_ir::{FunctionKind, IntegerSet, SetId};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

type Model = BTreeSet<Value>;

fn element(index: u32) -> Value {
    Value::element(SetId(0), index)
}

fn set_of(model: &Model) -> Set {
    Set::from_sorted(model.iter().cloned().collect())
}

fn model_of(set: &Set) -> Model {
    set.iter().collect()
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Values for set tests: one kind per draw, with a range that decides how many distinct values there can be.
fn values() -> impl Strategy<Value = Vec<Value>> {
    let drawn = |range: u32, count: usize| prop::collection::vec(0..range, 0..count);
    prop_oneof![
        drawn(8, 8).prop_map(|indices| indices.into_iter().map(element).collect()),
        drawn(70, 40).prop_map(|indices| indices.into_iter().map(element).collect()),
        drawn(400, 700).prop_map(|indices| indices.into_iter().map(element).collect()),
        drawn(12, 10).prop_map(|numbers| numbers.into_iter().map(|number| Value::integer(i64::from(number) - 4)).collect()),
        drawn(300, 900).prop_map(|numbers| numbers.into_iter().map(|number| Value::integer(i64::from(number))).collect()),
        drawn(6, 9).prop_map(|indices| indices.into_iter().map(|index| Value::element(SetId((index % 2) as u16), index)).collect()),
    ]
}

/// Two sets of related content, so that overlaps are common.
fn two_sets() -> impl Strategy<Value = (Model, Model)> {
    (values(), values(), any::<u64>()).prop_map(|(first, second, mask)| {
        let shared = first.iter().enumerate().filter(|(place, _)| mask >> (place % 64) & 1 == 1).map(|(_, value)| value.clone());
        let second: Model = second.into_iter().take(20).chain(shared).collect();
        (first.into_iter().collect(), second)
    })
}

/// Relations from integers to elements; the wide ones are trees.
fn relation_from(arguments: i64, results: u32, count: usize) -> impl Strategy<Value = Model> {
    prop::collection::btree_set(
        (0..arguments, 0..results).prop_map(|(first, second)| Value::pair(Value::integer(first), element(second))),
        0..count,
    )
}

fn relation() -> impl Strategy<Value = Model> {
    prop_oneof![relation_from(5, 4, 12), relation_from(40, 30, 60), relation_from(60, 30, 900)]
}

/// Relations on one set of elements.
fn graph(size: u32, count: usize) -> impl Strategy<Value = Model> {
    prop::collection::btree_set((0..size, 0..size).prop_map(|(a, b)| Value::pair(element(a), element(b))), 0..count)
}

fn loops(relation: &Model) -> impl Iterator<Item = (&Value, &Value)> + Clone {
    relation.iter().map(|member| member.as_pair().unwrap())
}

fn naive_compose(r: &Model, s: &Model) -> Model {
    let mut result = Model::new();
    for (a, b) in loops(r) {
        for (c, d) in loops(s) {
            if b == c {
                result.insert(Value::pair(a.clone(), d.clone()));
            }
        }
    }
    result
}

fn naive_override(r: &Model, s: &Model) -> Model {
    let kept = r.iter().filter(|member| loops(s).all(|(first, _)| first != member.as_pair().unwrap().0));
    kept.chain(s).cloned().collect()
}

/// Any value, nested.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::integer),
        (any::<i64>(), any::<i64>())
            .prop_map(|(a, b)| Value::Integer(Integer::from(BigInt::from(a) * BigInt::from(b) * BigInt::from(i64::MAX)))),
        (0..3u16, 0..100u32).prop_map(|(set, index)| Value::element(SetId(set), index)),
        "\\PC{0,6}".prop_map(|text| Value::string(&text)),
        prop::sample::select(vec![
            Symbolic::Integers(IntegerSet::Natural),
            Symbolic::Interval(Integer::from(-3), Integer::from(i64::MAX)),
            Symbolic::Strings,
            Symbolic::Free { name: Arc::from("List"), is_finite: false },
            Symbolic::Free { name: Arc::from("Large"), is_finite: true }
        ])
        .prop_map(|symbolic| Value::Symbolic(Arc::new(symbolic))),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let symbolic = (inner.clone(), inner.clone(), 0..40u32).prop_map(|(a, b, which)| {
            Value::Symbolic(Arc::new(match which {
                0 => Symbolic::Power { base: a, nonempty: true, finite: false },
                1 => Symbolic::Power { base: a, nonempty: false, finite: true },
                3 => Symbolic::Functions(FunctionKind::TotalInjections, a, b),
                4 => Symbolic::Functions(FunctionKind::Relations, a, b),
                5 => Symbolic::Sequences(SequenceKind::Perm, a),
                6 => Symbolic::Struct(Arc::from([(Arc::from("f"), a), (Arc::from("g"), b)])),
                14 => Symbolic::DomainRestrict(a, b, true),
                15 => Symbolic::RangeRestrict(a, b, false),
                36.. => Symbolic::Closure { plan: which * 1000, captured: Arc::from([a, b]) },
                _ => {
                    let number = Symbolic::REGULAR[which as usize % Symbolic::REGULAR.len()];
                    let mut operands = [a, b].into_iter();
                    Symbolic::of_number(number, || operands.next().expect("at most two operands")).expect("a regular form")
                }
            }))
        });
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Value::pair(a, b)),
            ("[a-z]{1,4}", proptest::option::of(inner.clone())).prop_map(|(name, argument)| Value::free(&Arc::from(name), argument)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Value::Record(Arc::from([(Arc::from("f"), a), (Arc::from("g"), b)]))),
            prop::collection::vec(inner, 0..5).prop_map(Value::set),
            symbolic,
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_set_has_one_representation_however_it_is_made(list in values()) {
        let model: Model = list.iter().cloned().collect();
        let set = Set::from_values(list.clone());
        prop_assert_eq!(&set, &set_of(&model));
        prop_assert_eq!(&set, &list.iter().cloned().collect::<Set>());
        let inserted = list.iter().fold(Set::empty(), |set, value| set.insert(value.clone()));
        prop_assert_eq!(&set, &inserted);
        prop_assert_eq!(hash_of(&set), hash_of(&inserted));
        prop_assert_eq!(set.cmp(&inserted), Ordering::Equal);
        prop_assert_eq!(set.len(), model.len());
        prop_assert_eq!(set.iter().len(), model.len());
        prop_assert_eq!(model_of(&set), model);
    }

    #[test]
    fn removing_undoes_inserting_in_every_representation(list in values(), extra in values()) {
        let set = Set::from_values(list);
        for value in extra {
            let without = set.remove(&value);
            prop_assert!(!without.contains(&value));
            if set.contains(&value) {
                prop_assert_eq!(&without.insert(value), &set);
            } else {
                prop_assert_eq!(&without, &set);
                prop_assert_eq!(&set.insert(value.clone()).remove(&value), &set);
            }
        }
    }

    #[test]
    fn set_algebra_agrees_with_the_model((a, b) in two_sets()) {
        let (x, y) = (set_of(&a), set_of(&b));
        for (x, y, a, b) in [(&x, &y, &a, &b), (&y, &x, &b, &a)] {
            prop_assert_eq!(x.union(y), a.union(b).cloned().collect::<Set>());
            prop_assert_eq!(x.intersection(y), a.intersection(b).cloned().collect::<Set>());
            prop_assert_eq!(x.difference(y), a.difference(b).cloned().collect::<Set>());
            prop_assert_eq!(x.is_subset(y), a.is_subset(b));
            prop_assert!(x.intersection(y).is_subset(x) && x.is_subset(&x.union(y)));
            prop_assert_eq!(x == y, a == b);
            let by_size = a.len().cmp(&b.len()).then_with(|| a.iter().cmp(b.iter()));
            prop_assert_eq!(x.cmp(y), by_size);
        }
    }

    #[test]
    fn the_order_of_values_is_total(a in value(), b in value(), c in value()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        prop_assert!(Value::Bool(false) <= a, "FALSE bounds the search for an argument's pairs");
    }

    #[test]
    fn bytes_decode_to_the_value_and_differ_for_different_values(a in value(), b in value()) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        codec::encode(&a, &mut first);
        codec::encode(&b, &mut second);
        prop_assert_eq!(a == b, first == second);
        prop_assert!(a == b || !(first.starts_with(&second) || second.starts_with(&first)));
        let length = first.len();
        first.extend(second);
        let mut at = 0;
        prop_assert_eq!(codec::decode(&first, &mut at), a);
        prop_assert_eq!(at, length);
        prop_assert_eq!(codec::decode(&first, &mut at), b);
        prop_assert_eq!(at, first.len());
    }

    #[test]
    fn relations_agree_with_the_definitions(a in relation(), b in relation(), arguments in prop::collection::btree_set(0..60i64, 0..30)) {
        let (r, s) = (set_of(&a), set_of(&b));
        let dom: Model = loops(&a).map(|(first, _)| first.clone()).collect();
        let ran: Model = loops(&a).map(|(_, second)| second.clone()).collect();
        prop_assert_eq!(domain(&r), set_of(&dom));
        prop_assert_eq!(range(&r), set_of(&ran));
        let swapped: Model = loops(&a).map(|(first, second)| Value::pair(second.clone(), first.clone())).collect();
        prop_assert_eq!(inverse(&r), set_of(&swapped));
        prop_assert_eq!(override_with(&r, &s), set_of(&naive_override(&a, &b)));
        let arguments: Model = arguments.into_iter().map(Value::integer).collect();
        let chosen = set_of(&arguments);
        let keep = |inside: bool| -> Set {
            a.iter().filter(|member| arguments.contains(member.as_pair().unwrap().0) == inside).cloned().collect()
        };
        prop_assert_eq!(domain_restrict(&chosen, &r), keep(true));
        prop_assert_eq!(domain_subtract(&chosen, &r), keep(false));
        prop_assert_eq!(image(&r, &chosen), range(&keep(true)));
        let half: Set = range(&r).iter().step_by(2).collect();
        let keep = |inside: bool| -> Set { a.iter().filter(|member| half.contains(member.as_pair().unwrap().1) == inside).cloned().collect() };
        prop_assert_eq!(range_restrict(&r, &half), keep(true));
        prop_assert_eq!(range_subtract(&r, &half), keep(false));
        prop_assert_eq!(is_function(&r), dom.len() == a.len());
        prop_assert_eq!(is_injective(&r), ran.len() == a.len());
        prop_assert_eq!(from_set_function(&to_set_function(&r)), Ok(r.clone()));
        prop_assert!(is_function(&to_set_function(&r)));
        for argument in &arguments {
            let values: Vec<Value> = loops(&a).filter(|(first, _)| *first == argument).map(|(_, second)| second.clone()).collect();
            match (apply(&r, argument), values.as_slice()) {
                (Ok(value), [only]) => prop_assert_eq!(&value, only),
                (Err(IllDefined::NotInDomain { .. }), []) | (Err(IllDefined::NotAFunction { .. }), [_, _, ..]) => {}
                (other, _) => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn changing_one_argument_of_a_large_function_is_an_override(a in relation_from(400, 3, 800), argument in 0..450i64, result in 0..5u32) {
        let change = Model::from([Value::pair(Value::integer(argument), element(result))]);
        prop_assert_eq!(override_with(&set_of(&a), &set_of(&change)), set_of(&naive_override(&a, &change)));
    }

    #[test]
    fn products_agree_with_the_definitions(a in relation_from(5, 4, 12), b in relation_from(5, 4, 12)) {
        let (r, s) = (set_of(&a), set_of(&b));
        let mut direct = Model::new();
        let mut parallel = Model::new();
        for (x, m) in loops(&a) {
            for (y, n) in loops(&b) {
                if x == y {
                    direct.insert(Value::pair(x.clone(), Value::pair(m.clone(), n.clone())));
                }
                parallel.insert(Value::pair(Value::pair(x.clone(), y.clone()), Value::pair(m.clone(), n.clone())));
            }
        }
        prop_assert_eq!(direct_product(&r, &s), set_of(&direct));
        prop_assert_eq!(parallel_product(&r, &s), set_of(&parallel));
        let (x, y) = (domain(&r), range(&s));
        let all: Model = x.iter().flat_map(|first| y.iter().map(move |second| Value::pair(first.clone(), second))).collect();
        prop_assert_eq!(product(&x, &y), set_of(&all));
        prop_assert_eq!(compose(&inverse(&prj1(&x, &y)), &prj2(&x, &y)), product(&x, &y));
        prop_assert_eq!(domain(&prj1(&x, &y)), product(&x, &y));
    }

    #[test]
    fn closure_and_iteration_agree_with_repeated_composition(a in graph(7, 14), times in 1..9u32) {
        let r = set_of(&a);
        let mut power = set_of(&a);
        let mut closed = r.clone();
        for _ in 0..8 {
            power = set_of(&naive_compose(&model_of(&power), &a));
            closed = closed.union(&power);
        }
        prop_assert_eq!(closure1(&r), closed);
        let mut power = r.clone();
        for _ in 1..times {
            power = set_of(&naive_compose(&model_of(&power), &a));
        }
        prop_assert_eq!(iterate(&r, &BigUint::from(times)), power);
    }

    #[test]
    fn general_union_and_intersection_fold_the_members(a in prop::collection::vec(values(), 1..5)) {
        let sets: Vec<Set> = a.into_iter().map(Set::from_values).collect();
        let members: Set = sets.iter().cloned().map(Value::Set).collect();
        prop_assert_eq!(general_union(&members), Ok(sets.iter().fold(Set::empty(), |union, set| union.union(set))));
        let intersection = sets.iter().skip(1).fold(sets[0].clone(), |intersection, set| intersection.intersection(set));
        prop_assert_eq!(general_inter(&members), Ok(intersection));
        prop_assert_eq!(general_inter(&Set::empty()), Err(IllDefined::InterOfEmpty));
    }

    #[test]
    fn sequence_operators_agree_with_vectors(a in prop::collection::vec(0..5u32, 0..300), b in prop::collection::vec(0..5u32, 0..5), n in -1..310i64) {
        let (a, b): (Vec<Value>, Vec<Value>) = (a.into_iter().map(element).collect(), b.into_iter().map(element).collect());
        let (s, t) = (sequence::from_sequence(a.clone()), sequence::from_sequence(b.clone()));
        let made = |items: &[Value]| sequence::from_sequence(items.to_vec());
        prop_assert_eq!(sequence::as_sequence(&s), Some(a.clone()));
        prop_assert_eq!(sequence::size(&s), Ok(a.len()));
        prop_assert_eq!(sequence::concat(&s, &t), Ok(made(&[a.clone(), b].concat())));
        let both = sequence::from_sequence(vec![Value::Set(s.clone()), Value::Set(t.clone())]);
        prop_assert_eq!(sequence::concat_all(&both), sequence::concat(&s, &t));
        prop_assert_eq!(sequence::insert_tail(&s, element(9)), sequence::concat(&s, &made(&[element(9)])));
        prop_assert_eq!(sequence::insert_front(element(9), &s), sequence::concat(&made(&[element(9)]), &s));
        let reversed: Vec<Value> = a.iter().rev().cloned().collect();
        prop_assert_eq!(sequence::reverse(&s), Ok(made(&reversed)));
        match usize::try_from(n).ok().filter(|n| *n <= a.len()) {
            Some(place) => {
                prop_assert_eq!(sequence::take_first(&s, &Integer::from(n)), Ok(made(&a[..place])));
                prop_assert_eq!(sequence::drop_first(&s, &Integer::from(n)), Ok(made(&a[place..])));
            }
            None => {
                prop_assert_eq!(sequence::take_first(&s, &Integer::from(n)), Err(IllDefined::IndexOutOfRange));
                prop_assert_eq!(sequence::drop_first(&s, &Integer::from(n)), Err(IllDefined::IndexOutOfRange));
            }
        }
        match a.as_slice() {
            [] => {
                prop_assert_eq!(sequence::first(&s), Err(IllDefined::EmptySequence("first")));
                prop_assert_eq!(sequence::last(&s), Err(IllDefined::EmptySequence("last")));
                prop_assert_eq!(sequence::front(&s), Err(IllDefined::EmptySequence("front")));
                prop_assert_eq!(sequence::tail(&s), Err(IllDefined::EmptySequence("tail")));
            }
            [first, .., last] => {
                prop_assert_eq!(sequence::first(&s), Ok(first.clone()));
                prop_assert_eq!(sequence::last(&s), Ok(last.clone()));
                prop_assert_eq!(sequence::front(&s), Ok(made(&a[..a.len() - 1])));
                prop_assert_eq!(sequence::tail(&s), Ok(made(&a[1..])));
            }
            [_] => prop_assert_eq!(sequence::tail(&s), Ok(Set::empty())),
        }
    }
}

#[test]
fn infinite_members_are_refused_by_operators_on_explicit_sets() {
    let naturals = Value::Symbolic(Arc::new(Symbolic::Integers(IntegerSet::Natural)));
    let sets = Set::from_values(vec![naturals.clone(), Value::set(vec![Value::integer(1)])]);
    assert_eq!(general_union(&sets), Err(IllDefined::NotFinite("union")));
    assert_eq!(general_inter(&sets), Err(IllDefined::NotFinite("inter")));
    assert_eq!(from_set_function(&Set::singleton(Value::pair(element(0), naturals))), Err(IllDefined::NotFinite("rel")));
}

#[test]
fn what_is_no_sequence_is_refused() {
    let gap = Set::from_values(vec![Value::pair(Value::integer(2), element(0))]);
    let twice = Set::from_values(vec![Value::pair(Value::integer(1), element(0)), Value::pair(Value::integer(1), element(1))]);
    for relation in [gap, twice, Set::full(SetId(0), 2)] {
        assert_eq!(sequence::as_sequence(&relation), None);
        assert_eq!(sequence::size(&relation), Err(IllDefined::NotASequence));
        assert_eq!(sequence::first(&relation), Err(IllDefined::NotASequence));
        assert_eq!(sequence::front(&relation), Err(IllDefined::NotASequence));
    }
}

#[test]
fn a_given_set_is_full_at_every_size_around_the_mask() {
    for size in [0, 1, 63, 64, 65, TREE_FROM.get() as u32, TREE_FROM.get() as u32 + 1] {
        let full = Set::full(SetId(3), size);
        assert_eq!(full, (0..size).map(|index| Value::element(SetId(3), index)).collect());
        assert_eq!(full.as_bits().is_some(), (1..=64).contains(&size));
    }
}

struct Letters;

impl ElementNames for Letters {
    fn element(&self, element: Element) -> String {
        format!("{}{}", if element.set == SetId(0) { "Name" } else { "Code" }, element.index + 1)
    }
}

#[test]
fn values_are_printed_in_b_notation() {
    let code = |index| Value::element(SetId(1), index);
    let shown = |value: Value| display(&value, &Letters);
    assert_eq!(shown(Value::set(vec![])), "{}");
    assert_eq!(
        shown(Value::set(vec![Value::pair(element(1), code(2)), Value::pair(element(0), code(0))])),
        "{Name1|->Code1,Name2|->Code3}"
    );
    let pair = |a, b| Value::pair(a, b);
    assert_eq!(shown(pair(pair(element(0), code(0)), Value::integer(-1))), "(Name1|->Code1|->-1)");
    assert_eq!(shown(pair(element(0), pair(code(0), Value::Bool(true)))), "(Name1|->(Code1|->TRUE))");
    assert_eq!(shown(Value::Set(sequence::from_sequence(vec![code(1), code(0)]))), "[Code2,Code1]");
    assert_eq!(shown(Value::set(vec![pair(Value::integer(2), code(0))])), "{2|->Code1}");
    assert_eq!(shown(Value::string("a\"b\\c\n")), "\"a\\\"b\\\\c\\n\"");
    let record = Value::Record(Arc::from([(Arc::from("f"), Value::integer(1)), (Arc::from("g"), pair(element(0), code(0)))]));
    assert_eq!(shown(record), "rec(f:1,g:(Name1|->Code1))");
    let symbolic = |symbolic| Value::Symbolic(Arc::new(symbolic));
    let naturals = symbolic(Symbolic::Integers(IntegerSet::Natural));
    let functions = symbolic(Symbolic::Functions(FunctionKind::PartialFunctions, naturals.clone(), Value::Set(Set::full(SetId(1), 2))));
    assert_eq!(shown(symbolic(Symbolic::Power { base: functions, nonempty: false, finite: true })), "FIN((NATURAL+->{Code1,Code2}))");
    assert_eq!(shown(symbolic(Symbolic::Closure { plan: 0, captured: Arc::from([]) })), "/*@symbolic*/ {…}");
}

#[test]
fn a_long_list_and_a_tree_with_the_same_elements_are_one_set() {
    let numbers = |by: i64| -> Vec<Value> { (0..600).map(|number| Value::integer(by * number)).collect() };
    let pairs = numbers(3).into_iter().map(|number| Value::pair(number.clone(), number)).collect();
    // With gaps, without, and a function.
    for values in [numbers(2), numbers(1), pairs] {
        let (list, least) = (Set::from_sorted(values.clone()), Value::Bool(true));
        let tree = list.insert(least.clone()).remove(&least);
        assert_eq!((&list, list.cmp(&tree), hash_of(&list)), (&tree, Ordering::Equal, hash_of(&tree)));
        for part in [&values[7..9], &values[300..]].map(|part| Set::from_sorted(part.to_vec())) {
            assert!(part.is_subset(&list) && part.is_subset(&tree) && list != part);
            assert_eq!((list.union(&part), list.intersection(&part)), (tree.clone(), part.clone()));
            let rest = list.difference(&part);
            assert_eq!((&rest, rest.union(&part)), (&tree.difference(&part), list.clone()));
            assert_ne!(rest, tree);
        }
    }
}

#[test]
fn a_long_list_is_applied_as_its_tree() {
    let list = Set::from_sorted((0..600).map(|number| Value::pair(Value::integer(3 * number), Value::integer(number))).collect());
    let twice = Value::pair(Value::integer(300), Value::integer(7));
    let tree = list.insert(twice.clone());
    let both = Set::from_values(list.iter().chain([twice]).collect());
    for argument in [-3, 0, 1, 299, 300, 1797, 1800].map(Value::integer) {
        assert_eq!(apply(&both, &argument), apply(&tree, &argument));
        assert_eq!(related(&both, &argument).collect::<Vec<_>>(), related(&tree, &argument).collect::<Vec<_>>());
    }
}
