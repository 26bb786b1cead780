//! Sorted runs are a set of keys: what is struck out, added and merged is held against a set in memory.

use super::*;
use crate::coding::{Coding, SortedBytes, SortedKeys, SortedNumbers, TwoWords};
use crate::duplicates::{Duplicates, MOST_RUNS, Runs};
use std::collections::BTreeSet;

/// Keys of one kind, as tests have them.
trait Sample: Coding + std::fmt::Debug {
    type List: SortedKeys<Self>;
    fn list(keys: &[Self]) -> Self::List;
}

impl Sample for u64 {
    type List = SortedNumbers<u64>;
    fn list(keys: &[Self]) -> SortedNumbers<u64> {
        numbers(keys)
    }
}

impl Sample for TwoWords {
    type List = SortedNumbers<TwoWords>;
    fn list(keys: &[Self]) -> SortedNumbers<TwoWords> {
        numbers(keys)
    }
}

fn numbers<K: Coding + Copy>(keys: &[K]) -> SortedNumbers<K> {
    let mut list = SortedNumbers::with_capacity(keys.len());
    keys.iter().zip(0..).for_each(|(key, place)| list.push(*key, place));
    list.sort(2);
    list
}

impl Sample for Vec<u8> {
    type List = SortedBytes;
    fn list(keys: &[Self]) -> SortedBytes {
        let mut list = SortedBytes::default();
        keys.iter().zip(0..).for_each(|(key, place)| list.push(Key::Bytes(key), place));
        list.sort(2);
        list
    }
}

/// Strikes out each batch, adds what is left, and merges; in the end the runs are opened by another process.
fn compare<K: Sample>(batches: &[BTreeSet<K>], threads: usize) {
    let (files, folder) = in_memory();
    let (mut runs, mut known, mut names) = (Runs::<K>::default(), BTreeSet::new(), (0..).map(|run| format!("run-{run}")));
    let mut name = || names.next().expect("endless");
    for batch in batches {
        // In another order than that of keys.
        let (even, odd): (Vec<_>, Vec<_>) = batch.iter().cloned().zip(0..).partition(|(_, at): &(K, usize)| at % 2 == 0);
        let batch: Vec<K> = odd.into_iter().chain(even).map(|(key, _)| key).collect();
        let duplicates = Duplicates::new(batch.len());
        runs.mark_duplicates(&folder, &K::list(&batch), &duplicates, threads).expect("runs");
        let mut new = Vec::new();
        for (place, key) in batch.into_iter().enumerate() {
            assert_eq!(duplicates.is_duplicate(place), known.contains(&key), "{key:?}");
            if !duplicates.is_duplicate(place) {
                new.push(key);
            }
        }
        if !new.is_empty() {
            runs.add(&folder, name(), &K::list(&new)).expect("a run");
            known.extend(new);
        }
        for replaced in runs.merge(&folder, &mut name).expect("runs") {
            files.remove(&replaced.name).expect("it was there");
        }
        assert!(runs.files().count() <= MOST_RUNS);
    }
    let named: Vec<_> = runs.files().cloned().collect();
    assert_eq!(named.iter().map(|run| run.keys).sum::<u64>(), known.len() as u64);
    let opened = Runs::<K>::open(&folder, &named).expect("runs");
    let all: Vec<K> = known.iter().cloned().collect();
    for runs in [&runs, &opened] {
        let duplicates = Duplicates::new(all.len());
        runs.mark_duplicates(&folder, &K::list(&all), &duplicates, 1).expect("runs");
        assert!((0..all.len()).all(|place| duplicates.is_duplicate(place)));
    }
    // Each key is in one run, or merging would find it twice.
    for run in 0..named.len() {
        let mut rest = named.clone();
        rest.remove(run);
        let missing = Duplicates::new(all.len());
        Runs::<K>::open(&folder, &rest).expect("runs").mark_duplicates(&folder, &K::list(&all), &missing, 1).expect("runs");
        let missing = (0..all.len()).filter(|place| !missing.is_duplicate(*place)).count();
        assert_eq!(missing as u64, named[run].keys);
    }
}

fn batches<K: Sample>(key: impl Strategy<Value = K>) -> impl Strategy<Value = Vec<BTreeSet<K>>> {
    proptest::collection::vec(proptest::collection::btree_set(key, 0..120), 0..9)
}

proptest! {
    #[test]
    fn runs_of_words_are_a_set(batches in batches(prop_oneof![0..300u64, any::<u64>(), Just(u64::MAX)])) {
        compare(&batches, 1);
    }

    #[test]
    fn runs_of_two_words_are_a_set(batches in batches([0..3u64, 0..300].prop_map(TwoWords).boxed().prop_union(any::<[u64; 2]>().prop_map(TwoWords).boxed()))) {
        compare(&batches, 1);
    }

    #[test]
    fn runs_of_bytes_are_a_set(batches in batches(prop_oneof![
        proptest::collection::vec(0..3u8, 0..5), proptest::collection::vec(any::<u8>(), 0..90), Just(Vec::new()),
    ])) {
        compare(&batches, 1);
    }

    #[test]
    fn damaged_runs_are_refused(changes in proptest::collection::vec((any::<usize>(), 1..=255u8), 1..4), count in 1..400u64) {
        let (files, folder) = in_memory();
        let keys: Vec<u64> = (0..count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut runs = Runs::<u64>::default();
        runs.add(&folder, "run-0".to_owned(), &u64::list(&keys)).expect("a run");
        let named: Vec<_> = runs.files().cloned().collect();
        for (at, mask) in &changes {
            files.flip("run-0", at % usize::try_from(named[0].bytes).expect("few"), *mask);
        }
        // Opened again it is refused; as it was opened before, what is read of it is right or refused.
        let is_same = { let mut undone = changes.clone(); undone.sort_unstable(); undone.chunk_by(|a, b| a.0 == b.0).all(|same| same.iter().fold(0, |sum, (_, mask)| sum ^ mask) == 0) };
        prop_assert!(Runs::<u64>::open(&folder, &named).is_err() || is_same);
        let duplicates = Duplicates::new(keys.len());
        if runs.mark_duplicates(&folder, &u64::list(&keys), &duplicates, 1).is_ok() {
            prop_assert!((0..keys.len()).all(|place| duplicates.is_duplicate(place)));
        }
    }
}

#[test]
fn long_lists_are_struck_out_by_several_threads() {
    let key = |number: u64| (number * 7919) % 100_003;
    let batches: Vec<BTreeSet<u64>> = [0..40_000, 30_000..75_000, 0..100_000].map(|part| part.map(key).collect()).into();
    compare(&batches, 3);
}

#[test]
fn regular_keys_take_little_and_random_ones_less_than_they_are() {
    let (_, folder) = in_memory();
    let bytes = |keys: &[u64]| {
        let mut runs = Runs::<u64>::default();
        runs.add(&folder, "run".to_owned(), &u64::list(keys)).expect("a run");
        let bytes = runs.files().next().expect("one").bytes;
        bytes as f64 / keys.len() as f64
    };
    // Short blocks in tests have a large part of heads.
    assert!(bytes(&(0..50_000).collect::<Vec<_>>()) < 1.6);
    assert!(bytes(&(0..50_000u64).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect::<Vec<_>>()) < 12.0);
}

#[test]
fn states_are_read_by_their_numbers() {
    let (_, folder) = in_memory();
    let states = sample_in_blocks(300);
    let mut log = LogWriter::with_file_bytes("log", 1, SHORT_FILE);
    for (at, (key, parent, class)) in states.iter().enumerate() {
        log.push(&folder, key.key(), *parent, *class).expect("pushed");
        if at % 70 == 69 {
            log.write_out(&folder).expect("written");
        }
    }
    let length = log.flush(&folder).expect("written");
    assert!(length.files.len() > 3);
    let index = read_log(&folder, 1, &length, &mut |_, _, _, _| ControlFlow::Continue(())).expect("a log");
    let again = LogWriter::go_on(&folder, "log", 1, &length, index).expect("a log");
    for log in [&log, &again] {
        for numbers in [0..300, 0..1, 299..300, 7..8, 8..9, 100..200, 69..71, 50..50] {
            let mut read = Vec::new();
            read_states(&folder, log, numbers.clone(), &mut |number, key, parent, class| {
                assert_eq!(number, numbers.start + read.len() as u64);
                read.push((OwnKey::of(key), parent, class));
                ControlFlow::Continue(())
            })
            .expect("they are there");
            assert_eq!(read, states[usize::try_from(numbers.start).expect("few")..usize::try_from(numbers.end).expect("few")]);
        }
        assert!(read_states(&folder, log, 290..301, &mut |_, _, _, _| ControlFlow::Continue(())).is_err());
    }
}
