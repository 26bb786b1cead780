//! Text to typed model: what is paid before a search starts. A machine of many operations stands for generated and industrial
//! ones; deep nesting and long conjunctions are where parsers turn quadratic.

use bcheck::sema::analyse;
use bcheck::source::SourceMap;
use bcheck::syntax::{parse_machine, parse_predicate};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;

/// A machine with as many operations as asked for, each with a few lines of ordinary B.
fn machine(operations: usize) -> String {
    let mut text = String::from(
        "MACHINE bench SETS ITEM; STATE = {idle, busy, done}\nVARIABLES items, state, next, count\n\
         INVARIANT items <: ITEM & state : items --> STATE & next : ITEM >+> ITEM & count : 0..9 & card(items) <= 9\n\
         INITIALISATION items := {} || state := {} || next := {} || count := 0\nOPERATIONS\n",
    );
    for number in 0..operations {
        let separator = if number == 0 { "" } else { ";\n" };
        let _ = write!(
            text,
            "{separator}  result <-- step{number}(item, other) =\n    PRE item : ITEM & other : ITEM & item /= other & count + {} < 9 THEN\n      \
             IF item : items & state(item) = busy THEN\n        ANY third WHERE third : ITEM - {{item, other}} & !x.(x : items => x /= third)\n        \
             THEN next := next <+ {{third |-> item}} || state(item) := done END\n      ELSE\n        items := items \\/ {{item}} || state := state <+ \
             {{item |-> idle}}\n      END || count := count + 1 || result := {{y | y : items & y : dom(state |> {{busy}})}}\n    END",
            number % 7
        );
    }
    text.push_str("\nEND\n");
    text
}

fn machines(criterion: &mut Criterion) {
    for operations in [10, 200] {
        let text = machine(operations);
        let mut sources = SourceMap::new();
        let file = sources.add("bench.mch", text.clone());
        let tree = parse_machine(file, &text).tree.expect("a correct machine");
        assert!(analyse(&tree).0.is_some(), "a well-typed machine: {:?}", analyse(&tree).1);

        let mut group = criterion.benchmark_group("machine");
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
        group.bench_function(BenchmarkId::new("parse", operations), |bencher| bencher.iter(|| black_box(parse_machine(file, &text))));
        group.bench_function(BenchmarkId::new("analyse", operations), |bencher| bencher.iter(|| black_box(analyse(&tree))));
        group.finish();
    }
}

fn formulas(criterion: &mut Criterion) {
    let mut sources = SourceMap::new();
    let file = sources.add("bench", "");
    let nested = format!("{}x{} = 1", "(".repeat(200), ")".repeat(200));
    let long = vec!["x : 0..9 & f[{x}] /= {}"; 500].join(" & ");
    let mut group = criterion.benchmark_group("formula");
    for (name, text) in [("nested", nested), ("long conjunction", long)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(parse_predicate(file, &text))));
    }
    group.finish();
}

criterion_group!(benches, machines, formulas);
criterion_main!(benches);
