//! The lock-free table under loom: every order of the steps of two workers, and every value that the memory model lets a load see
//! (`scripts/loom.sh`).
//!
//! Invariant: the table is that of the program, with lines of two slots, two lines to begin with, and batches of one key, so that a few
//! keys meet full lines and slots that grow.
#![cfg(loom)]
#![allow(dead_code, missing_docs, unreachable_pub, reason = "a part of another crate")]

#[path = "../../../src/state/atomic.rs"]
mod atomic;
#[path = "../../../src/state/prefetch.rs"]
mod prefetch;
#[path = "../../../src/state/recent.rs"]
mod recent;
#[path = "../../../src/state/segments.rs"]
mod segments;
#[path = "../../../src/state/slots.rs"]
mod slots;
#[path = "../../../src/state/word_table.rs"]
mod word_table;
#[path = "../../../src/state/word_writer.rs"]
mod word_writer;

#[cfg(test)]
mod races {
    use crate::word_table::WordTable;
    use crate::word_writer::{Find, Offered, WordWriter};
    use loom::sync::Arc;
    use loom::thread;
    use std::collections::BTreeMap;

    /// The outcome of one worker: of each key it offered the entry, and whether it is new; and what it found of others.
    type Outcome = (Vec<(Vec<u64>, Offered)>, Vec<Find>);

    fn offer(table: &WordTable, keys: &[(u64, Vec<u64>)]) -> Outcome {
        let mut writer = WordWriter::default();
        let offers = keys.iter().map(|(rank, key)| {
            let mut out = Vec::new();
            table.offer_all(&mut writer, key, &[*rank], &mut out);
            (key.clone(), out[0])
        });
        let offers = offers.collect();
        (offers, writer.take_finds(Vec::new()))
    }

    /// Runs two workers in every order with at most this many preemptions, and checks their outcomes: one entry per key, which is new for one
    /// of them and a find for the other, and which holds the key.
    fn every_order(bits: u32, workers: [Vec<Vec<u64>>; 2], preemptions: usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(move || {
            let width = workers[0][0].len();
            let table = Arc::new(WordTable::new(width, bits));
            // Ranks of a worker ascend, and no two offers have the same.
            let ranked = |worker: usize| -> Vec<(u64, Vec<u64>)> {
                workers[worker].iter().enumerate().map(|(at, key)| ((2 * at + worker) as u64, key.clone())).collect()
            };
            let (own, other) = (ranked(0), ranked(1));
            let shared = Arc::clone(&table);
            let handle = thread::spawn(move || offer(&shared, &other));
            let mut outcomes = vec![offer(&table, &own)];
            outcomes.push(handle.join().expect("it ends"));
            let mut entries: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
            let mut new: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
            for (key, Offered { entry, is_new }) in outcomes.iter().flat_map(|(offers, _)| offers) {
                assert_eq!(*entries.entry(key.clone()).or_insert(*entry), *entry, "one entry per key");
                *new.entry(key.clone()).or_default() += usize::from(*is_new);
                let mut stored = vec![0; width];
                table.read(*entry, &mut stored);
                assert_eq!(stored, *key, "an entry holds its key");
            }
            assert!(new.values().all(|count| *count == 1), "a key is new once: {new:?}");
            for (offers, finds) in &outcomes {
                let found = offers.iter().filter(|(_, offered)| !offered.is_new).map(|(_, offered)| offered.entry);
                assert_eq!(finds.iter().map(|find| find.entry).collect::<Vec<_>>(), found.collect::<Vec<_>>(), "what others made is noted");
            }
            assert!(table.close_slice().len() >= entries.len());
        });
    }

    #[test]
    fn two_workers_race_for_one_slot() {
        every_order(64, [vec![vec![7]], vec![vec![7]]], 4);
        every_order(64, [vec![vec![7, 8]], vec![vec![7, 8]]], 4);
        every_order(8, [vec![vec![7]], vec![vec![7]]], 4);
    }

    #[test]
    fn keys_of_one_line_do_not_get_into_each_others_way() {
        every_order(64, [vec![vec![7]], vec![vec![9]]], 4);
        every_order(64, [vec![vec![1, 2]], vec![vec![1, 3]]], 4);
    }

    #[test]
    fn slots_grow_while_others_offer() {
        every_order(8, [vec![vec![1], vec![2]], vec![vec![2], vec![1]]], 2);
        every_order(64, [vec![vec![1], vec![2]], vec![vec![3], vec![1]]], 2);
        every_order(64, [vec![vec![1, 1], vec![2, 2]], vec![vec![2, 2], vec![3, 3]]], 2);
        every_order(64, [vec![vec![1, 1], vec![2, 2], vec![3, 3]], vec![vec![3, 3], vec![4, 4], vec![1, 1]]], 2);
    }
}
