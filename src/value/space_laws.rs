//! Laws of power sets, function spaces and sequence spaces: exactly the members are visited, once each, and counts agree with visits.
//!
//! Invariant: every kind is visited in full for all small sizes; a few large sets only show that a visit gets on and a count ends.
//! Deliberately elsewhere: operators on single values (`laws`).

use super::relation::{is_injective, product};
use super::space::{count_functions, count_sequences, count_subsets, satisfies, visit_functions, visit_sequences, visit_subsets};
use super::{SequenceKind, Set, Value};
use bcheck_ir::{FunctionKind, SetId};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn collected(visit: impl FnOnce(&mut dyn FnMut(Set) -> ControlFlow<()>) -> ControlFlow<()>) -> Vec<Set> {
    let mut members = Vec::new();
    let flow = visit(&mut |member| {
        members.push(member);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, ControlFlow::Continue(()));
    members
}

#[test]
fn function_spaces_are_the_relations_that_satisfy_the_kind_and_counts_agree() {
    for n in 0..4 {
        for m in 0..4 {
            let (from, to) = (Set::full(SetId(0), n), (0..m).map(|number| Value::integer(i64::from(number))).collect::<Set>());
            let relations = collected(|visit| visit_subsets(&product(&from, &to), false, visit));
            for kind in FunctionKind::ALL {
                let members = collected(|visit| visit_functions(kind, &from, &to, visit));
                let distinct: BTreeSet<Set> = members.iter().cloned().collect();
                let expected: BTreeSet<Set> = relations.iter().filter(|relation| satisfies(kind, relation, &from, &to)).cloned().collect();
                assert_eq!(members.len(), distinct.len(), "{kind:?} {n} {m}: no member twice");
                assert_eq!(distinct, expected, "{kind:?} {n} {m}");
                assert_eq!(count_functions(kind, n as usize, m as usize), BigUint::from(members.len()), "{kind:?} {n} {m}");
            }
        }
    }
}

#[test]
fn functions_from_or_to_nothing_are_counted_whatever_the_other_set_is() {
    // Found by fuzzing: the surjections of `1 .. 0 -->> 1 .. 29999999999999999` were counted by a sum over all values.
    let many = usize::MAX;
    for kind in FunctionKind::ALL {
        let (from_none, to_none) = (u32::from(!kind.is_surjective()), u32::from(!kind.is_total()));
        assert_eq!([count_functions(kind, 0, many), count_functions(kind, many, 0)], [from_none.into(), to_none.into()], "{kind:?}");
    }
}

#[test]
fn the_last_argument_of_a_surjective_relation_takes_what_is_left() {
    // Found by fuzzing: all 2 ** 3325 images in `1 .. 1 <<->> 1 .. 3325` were tried.
    let many: Set = (0..3325).map(Value::integer).collect();
    let one = Set::full(SetId(0), 1);
    for kind in [FunctionKind::SurjectiveRelations, FunctionKind::TotalSurjectiveRelations] {
        assert_eq!(collected(|visit| visit_functions(kind, &one, &many, visit)), [product(&one, &many)]);
    }
}

#[test]
fn large_domains_need_no_stack() {
    let many: Set = (0..200_000).map(Value::integer).collect();
    let one = Set::full(SetId(0), 1);
    for kind in [FunctionKind::TotalFunctions, FunctionKind::TotalRelations] {
        assert_eq!(collected(|visit| visit_functions(kind, &many, &one, visit)), [product(&many, &one)]);
    }
    let mut length = 0;
    let many: Set = (0..20_000).map(Value::integer).collect();
    let flow = visit_sequences(SequenceKind::Perm, &many, None, &mut |sequence| {
        length = sequence.len();
        ControlFlow::Break(())
    });
    assert_eq!((flow, length), (ControlFlow::Break(()), 20_000));
}

#[test]
fn subsets_are_visited_once_each_in_masks_and_lists() {
    for base in [Set::from_bits(SetId(0), 0b1011_0100_0001), (0..5).map(Value::integer).collect(), Set::empty()] {
        for nonempty in [false, true] {
            let members: BTreeSet<Set> = collected(|visit| visit_subsets(&base, nonempty, visit)).into_iter().collect();
            assert_eq!(BigUint::from(members.len() + usize::from(nonempty)), count_subsets(base.len()));
            assert!(members.iter().all(|member| member.is_subset(&base) && !(nonempty && member.is_empty())));
        }
    }
    let full = Set::full(SetId(0), 64);
    let mut seen = 0;
    let flow = visit_subsets(&full, false, &mut |_| {
        seen += 1;
        if seen == 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((flow, seen), (ControlFlow::Break(()), 1000));
}

#[test]
fn sequence_spaces_have_the_counted_number_of_members() {
    for n in 0..5 {
        let base = Set::full(SetId(0), n);
        for kind in [SequenceKind::Iseq, SequenceKind::Iseq1, SequenceKind::Perm] {
            let members: BTreeSet<Set> = collected(|visit| visit_sequences(kind, &base, None, visit)).into_iter().collect();
            assert_eq!(count_sequences(kind, n as usize), Some(BigUint::from(members.len())), "{kind:?} {n}");
            assert!(members.iter().all(is_injective));
        }
        let words = collected(|visit| visit_sequences(SequenceKind::Seq, &base, Some(3), visit)).len();
        assert_eq!(words, (0..=3).map(|length| (n as usize).pow(length)).sum::<usize>());
    }
    assert_eq!(count_sequences(SequenceKind::Seq, 2), None);
    assert_eq!(count_sequences(SequenceKind::Seq1, 0), Some(BigUint::from(0u8)));
}
