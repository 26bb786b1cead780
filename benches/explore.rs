//! Whole searches, reduced and plain, from one worker to two: the figure that users feel.
//!
//! The sizes are chosen so that one run takes a fraction of a second. Counts are asserted, so a bench cannot become fast by
//! becoming wrong.

use bcheck::symmetry::Mode;
use bcheck::{Request, check_text};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Name, text, size, states with and without reduction.
const MACHINES: [(&str, &str, u32, u64, u64); 4] = [
    ("phonebook", include_str!("../machines/classic/phonebook.mch"), 5, 19, 7_776),
    ("russian_postal", include_str!("../machines/classic/russian_postal.mch"), 5, 458, 11_984),
    ("scheduler0", include_str!("../machines/classic/scheduler0.mch"), 6, 49, 2_187),
    ("graphs", include_str!("../machines/symmetry/closed_forms/graphs.mch"), 5, 34, 1_024),
];

fn explore(criterion: &mut Criterion) {
    for (name, text, size, reduced, full) in MACHINES {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for (mode, title, states) in [(Mode::Exact, "exact", reduced), (Mode::Off, "off", full)] {
            for workers in [1, 2] {
                let mut request = Request { size: Some(size), ..Request::default() };
                request.options.symmetry = mode;
                request.options.workers = workers;
                group.throughput(Throughput::Elements(states));
                group.bench_function(BenchmarkId::new(title, workers), |bencher| {
                    bencher.iter(|| {
                        let checked = check_text("bench.mch", text, &request).unwrap_or_else(|rejected| panic!("{rejected}"));
                        assert_eq!(checked.outcome.explored.states, states);
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, explore);
criterion_main!(benches);
