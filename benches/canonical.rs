//! What a canonical representative costs, by shape of state and number of elements, against canonaut (a port of nauty) on the
//! same relation where one relation is all there is.
//!
//! Partial functions and lists are what B machines hold; random graphs and cycles are the hard ends: no symmetry to find, and
//! one component that looks the same everywhere.

use bcheck::ir::{GivenSet, GivenSetKind, Model, Scope, SetId, Settings, Subst, SubstKind};
use bcheck::source::Span;
use bcheck::symmetry::{Mode, Scratch, Symmetry};
use bcheck::value::Value;
use canonaut::structs::{CanonautManager, DenseGraph};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(bound)).expect("below a u32")
    }
}

/// A machine with two deferred sets and nothing that could break their symmetry.
fn machine() -> Model {
    let given = || GivenSet { kind: GivenSetKind::Deferred, span: Span::nowhere() };
    Model {
        name: "bench".to_owned(),
        sets: [("S".to_owned(), given()), ("T".to_owned(), given())].into_iter().collect(),
        constants: Default::default(),
        variables: Default::default(),
        properties: vec![],
        has_properties: false,
        invariant: vec![],
        assertions: vec![],
        initialisation: Subst { kind: SubstKind::Skip, span: Span::nowhere() },
        operations: Default::default(),
        goal: None,
        settings: Settings::default(),
        locals: vec![],
    }
}

/// A relation by edges; vertices from `split` on belong to the second set.
struct Shape {
    name: &'static str,
    elements: u32,
    split: u32,
    states: Vec<Vec<(u32, u32)>>,
}

impl Shape {
    fn value(&self, edges: &[(u32, u32)]) -> Value {
        let vertex = |at: u32| {
            if at < self.split { Value::element(SetId(0), at) } else { Value::element(SetId(1), at - self.split) }
        };
        Value::set(edges.iter().map(|&(a, b)| Value::pair(vertex(a), vertex(b))).collect())
    }

    fn graph(&self, edges: &[(u32, u32)]) -> DenseGraph {
        let n = self.elements as usize;
        let mut graph = DenseGraph::new_directed(n);
        edges.iter().for_each(|&(a, b)| graph.add_arc(a as usize, b as usize));
        let colours = (0..self.elements).map(|at| u32::from(at >= self.split)).collect();
        graph.set_colors(colours);
        graph
    }
}

fn shapes(n: u32) -> Vec<Shape> {
    let mut numbers = Numbers(u64::from(n));
    let half = n / 2;
    let mut many = |make: &mut dyn FnMut(&mut Numbers) -> Vec<(u32, u32)>| (0..16).map(|_| make(&mut numbers)).collect();
    let partial =
        many(&mut |numbers| (0..half).filter_map(|a| Some(numbers.below(half + 1)).filter(|&b| b < half).map(|b| (a, half + b))).collect());
    let lists = many(&mut |numbers| {
        let (first, second) = (numbers.below(half), half + numbers.below(half));
        (0..first).chain(half..second).map(|at| (at, at + 1)).collect()
    });
    let random = many(&mut |numbers| {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        pairs.into_iter().filter(|_| numbers.below(4) == 0).flat_map(|(a, b)| [(a, b), (b, a)]).collect()
    });
    let cycle = many(&mut |_| (0..n).flat_map(|a| [(a, (a + 1) % n), ((a + 1) % n, a)]).collect());
    vec![
        Shape { name: "partial functions", elements: n, split: half, states: partial },
        Shape { name: "linked lists", elements: n, split: n, states: lists },
        Shape { name: "random graphs", elements: n, split: n, states: random },
        Shape { name: "cycles", elements: n, split: n, states: cycle },
    ]
}

fn canonical(criterion: &mut Criterion) {
    for n in [16, 32, 60] {
        for shape in shapes(n) {
            let mut group = criterion.benchmark_group(shape.name);
            let scope = Scope { sizes: vec![shape.split, n - shape.split], minint: 0, maxint: 3 };
            let symmetry = Symmetry::new(&machine(), &scope, Mode::Exact);
            let values: Vec<[Value; 1]> = shape.states.iter().map(|edges| [shape.value(edges)]).collect();
            let mut scratch = Scratch::default();
            let mut turn = 0;
            group.bench_function(BenchmarkId::new("bcheck", n), |bencher| {
                bencher.iter(|| {
                    turn = (turn + 1) % values.len();
                    black_box(symmetry.canonical(&values[turn], &mut scratch))
                });
            });
            // Its time on functions grows beyond all patience from 32 vertices on (nauty's dense digraph mode does likewise).
            if shape.name == "partial functions" && n > 16 {
                continue;
            }
            let graphs: Vec<DenseGraph> = shape.states.iter().map(|edges| shape.graph(edges)).collect();
            let mut manager = CanonautManager::new(n as usize).with_canonization();
            group.bench_function(BenchmarkId::new("canonaut", n), |bencher| {
                bencher.iter(|| {
                    turn = (turn + 1) % graphs.len();
                    manager.canonize_graph(&graphs[turn]);
                    black_box(manager.statistics().number_of_orbits)
                });
            });
        }
    }
}

criterion_group!(benches, canonical);
criterion_main!(benches);
