//! Successors and invariants of single states: what every state of a search costs before symmetry and storage.
//!
//! Each machine stands for a kind of work: functions, relations with a closure, sequences of records, a loop.

use bcheck::eval::Machine;
use bcheck::value::Valuation;
use bcheck::{Request, check_text};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::ops::ControlFlow;

const MACHINES: [(&str, u32, &str); 4] = [
    ("functions", 6, include_str!("../machines/classic/phonebook.mch")),
    ("relations", 4, include_str!("../machines/tour/tour4_postman.mch")),
    ("records", 3, include_str!("../machines/tour/tour3_box_office.mch")),
    ("loop", 3, include_str!("../machines/tour/tour5_allowance.mch")),
];

/// States some random-looking steps away from the first initial state.
fn some_states(machine: &Machine) -> Vec<Valuation> {
    let mut first = None;
    let _ = machine.for_each_setup(&mut |constants| {
        let _ = machine.for_each_initial(&constants, &mut |state| {
            first.get_or_insert(state);
            ControlFlow::Break(())
        });
        ControlFlow::Break(())
    });
    let mut states = vec![first.expect("an initial state")];
    for turn in 0..40_usize {
        let state = states.last().expect("never empty").clone();
        let steps: Vec<Valuation> = operations(machine).flat_map(|operation| successors(machine, &state, operation)).collect();
        match steps.len() {
            0 => break,
            count => states.push(steps[(turn * 7 + 3) % count].clone()),
        }
    }
    states
}

fn operations(machine: &Machine) -> impl Iterator<Item = bcheck::ir::OperationId> {
    (0..u32::try_from(machine.model().operations.len()).expect("few operations")).map(bcheck::ir::OperationId)
}

fn successors(machine: &Machine, state: &Valuation, operation: bcheck::ir::OperationId) -> Vec<Valuation> {
    let found = machine.successors(state, operation).expect("well-defined");
    found.steps.into_iter().map(|step| step.next).collect()
}

fn evaluate(criterion: &mut Criterion) {
    for (name, size, text) in MACHINES {
        // Only the compiled machine is wanted, so its search stops at once.
        let mut request = Request { size: Some(size), ..Request::default() };
        request.options.limits.states = Some(1);
        let machine = check_text("bench.mch", text, &request).unwrap_or_else(|rejected| panic!("{rejected}")).machine;
        let states = some_states(&machine);
        let mut group = criterion.benchmark_group(name);
        let mut turn = 0;
        group.bench_function("successors", |bencher| {
            bencher.iter(|| {
                turn = (turn + 1) % states.len();
                operations(&machine).map(|operation| black_box(successors(&machine, &states[turn], operation)).len()).sum::<usize>()
            });
        });
        group.bench_function("invariant", |bencher| {
            bencher.iter(|| {
                turn = (turn + 1) % states.len();
                black_box(machine.violated_invariant(&states[turn])).is_ok()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, evaluate);
criterion_main!(benches);
