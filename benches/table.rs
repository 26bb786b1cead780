//! The visited set and the packing of states: what every generated successor pays before it is known to be old or new.
//!
//! `offer` stands for a search in which three of four successors are old; `encode` for a phone book of twelve names.

use bcheck::ir::{Scope, SetId, Type};
use bcheck::state::{Layout, Rank, StateTable};
use bcheck::value::Value;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const OFFERS: u64 = 400_000;

/// A key of 24 bytes; each occurs four times.
fn key(number: u64) -> [u8; 24] {
    let mut key = [7; 24];
    key[8..16].copy_from_slice(&(number % (OFFERS / 4)).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    key
}

fn offer(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("offer");
    group.throughput(Throughput::Elements(OFFERS)).sample_size(10);
    for threads in [1, 2] {
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter(|| {
                let table = StateTable::new();
                std::thread::scope(|scope| {
                    for worker in 0..threads {
                        let table = &table;
                        scope.spawn(move || {
                            for number in (worker..OFFERS).step_by(threads as usize) {
                                black_box(table.offer(&key(number), Rank(number)));
                            }
                        });
                    }
                });
                assert_eq!(table.close_slice() as u64, OFFERS / 4);
            });
        });
    }
    group.finish();
}

fn pack(criterion: &mut Criterion) {
    let scope = Scope { sizes: vec![12, 12], minint: -1, maxint: 3 };
    let (names, codes) = (Type::Given(SetId(0)), Type::Given(SetId(1)));
    let layout = Layout::new(&[Type::relation(names.clone(), codes), Type::set(names)], &scope, &[]);
    let pair = |index| Value::pair(Value::element(SetId(0), index), Value::element(SetId(1), 11 - index));
    let valuation = vec![Value::set((0..9).map(pair).collect()), Value::set((0..9).map(|index| Value::element(SetId(0), index)).collect())];
    let mut key = Vec::new();
    criterion.bench_function("encode", |bencher| {
        bencher.iter(|| {
            key.clear();
            layout.encode(None, black_box(&valuation), &mut key);
            key.len()
        });
    });
    criterion.bench_function("decode", |bencher| bencher.iter(|| layout.decode(black_box(&key))));
}

criterion_group!(benches, offer, pack);
criterion_main!(benches);
