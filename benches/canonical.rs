//! What a canonical representative costs, by shape of state and number of elements, against canonaut (a port of nauty) on the
//! same relation where one relation is all there is.
//!
//! Partial functions and lists are what B machines hold; random graphs, cycles and hypercubes are the hard ends: no symmetry to
//! find, and one component that looks the same everywhere. "bcheck" begins with a value and ends with a permuted one; "labeller"
//! begins with bit rows, as canonaut does, and ends with an order.

use bcheck::ir::{GivenSet, GivenSetKind, Model, Scope, SetId, Settings, Subst, SubstKind};
use bcheck::source::{Span, SplitMix64};
use bcheck::symmetry::{Effort, Labeller, Mode, Scratch, Symmetry, Vertex};
use bcheck::value::Value;
use canonaut::structs::{CanonautManager, DenseGraph};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// The same numbers in every run.
struct Numbers(SplitMix64);

impl Numbers {
    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.0.below(bound as usize)).expect("below a u32")
    }
}

/// A machine with two deferred sets and nothing that could break their symmetry.
fn machine() -> Model {
    let given =
        |name: &str| (name.to_owned(), GivenSet { kind: GivenSetKind::Deferred, element_prefix: name.to_owned(), span: Span::nowhere() });
    Model {
        name: "bench".to_owned(),
        sets: [given("S"), given("T")].into_iter().collect(),
        free_types: Default::default(),
        constants: Default::default(),
        variables: Default::default(),
        properties: vec![],
        has_properties: false,
        invariant: vec![],
        assertions: vec![],
        initialisation: Subst { kind: SubstKind::Skip, span: Span::nowhere() },
        operations: Default::default(),
        goal: None,
        expanded: None,
        temporal: Vec::new(),
        settings: Settings::default(),
        not_checked: Vec::new(),
        only_seen: false,
        within: Vec::new(),
        callable: None,
        locals: vec![],
        comprehensions: Default::default(),
    }
}

/// Relations by edges; vertices from `split` on belong to the second set.
struct Shape {
    name: &'static str,
    elements: u32,
    split: u32,
    /// For each state the edges of one or two relations.
    states: Vec<Vec<Edges>>,
}

type Edges = Vec<(u32, u32)>;

impl Shape {
    fn value(&self, edges: &[(u32, u32)]) -> Value {
        let vertex = |at: u32| {
            if at < self.split { Value::element(SetId(0), at) } else { Value::element(SetId(1), at - self.split) }
        };
        Value::set(edges.iter().map(|&(a, b)| Value::pair(vertex(a), vertex(b))).collect())
    }

    /// For each relation and vertex, whom it points to.
    fn rows(&self, state: &[Edges]) -> Vec<Vec<u64>> {
        let row = |edges: &Edges, from: u32| edges.iter().filter(|edge| edge.0 == from).fold(0, |row, edge| row | 1 << edge.1);
        state.iter().map(|edges| (0..self.elements).map(|from| row(edges, from)).collect()).collect()
    }

    fn label(&self, rows: &[Vec<u64>], labeller: &mut Labeller) -> Vertex {
        labeller.begin(self.elements as usize, rows.len());
        if self.split < self.elements {
            (0..self.elements).for_each(|vertex| labeller.colour(Vertex::new(vertex), u64::from(vertex >= self.split)));
        }
        for (layer, rows) in rows.iter().enumerate() {
            for (from, &row) in (0..).zip(rows).filter(|(_, row)| **row != 0) {
                labeller.row(layer, Vertex::new(from), &[row]);
            }
        }
        labeller.label(Effort::Exact { nodes: 20_000 }).order[0]
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

/// Both directions of an edge.
fn both(a: u32, b: u32) -> [(u32, u32); 2] {
    [(a, b), (b, a)]
}

fn shapes(n: u32) -> Vec<Shape> {
    let mut numbers = Numbers(SplitMix64::new(u64::from(n)));
    let half = n / 2;
    let partial = |numbers: &mut Numbers| -> Edges {
        (0..half).filter_map(|a| Some(numbers.below(half + 1)).filter(|&b| b < half).map(|b| (a, half + b))).collect()
    };
    let mut many = |make: &mut dyn FnMut(&mut Numbers) -> Vec<Edges>| (0..16).map(|_| make(&mut numbers)).collect();
    let one = many(&mut |numbers| vec![partial(numbers)]);
    let two = many(&mut |numbers| vec![partial(numbers), partial(numbers)]);
    let lists = many(&mut |numbers| {
        let (first, second) = (numbers.below(half), half + numbers.below(half));
        vec![(0..first).chain(half..second).map(|at| (at, at + 1)).collect()]
    });
    let random = many(&mut |numbers| {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        vec![pairs.into_iter().filter(|_| numbers.below(4) == 0).flat_map(|(a, b)| both(a, b)).collect()]
    });
    let cycle = many(&mut |_| vec![(0..n).flat_map(|a| both(a, (a + 1) % n)).collect()]);
    let shape = |name, split, states| Shape { name, elements: n, split, states };
    let mut shapes = vec![
        shape("partial functions", half, one),
        shape("two partial functions", half, two),
        shape("linked lists", n, lists),
        shape("random graphs", n, random),
        shape("cycles", n, cycle),
    ];
    // The hypercube with as many vertices as fit: 16, 32, 32.
    let corners = 1 << n.ilog2();
    let cube = (0..corners).flat_map(|a| (0..n.ilog2()).map(move |bit| (a, a ^ 1 << bit))).collect();
    shapes.push(Shape { name: "hypercubes", elements: corners, split: corners, states: vec![vec![cube]] });
    shapes
}

fn canonical(criterion: &mut Criterion) {
    for n in [16, 32, 60] {
        for shape in shapes(n) {
            let mut group = criterion.benchmark_group(shape.name);
            let scope = Scope { sizes: vec![shape.split, shape.elements - shape.split], minint: 0, maxint: 3 };
            let symmetry = Symmetry::new(&machine(), &scope, Mode::Exact);
            let values: Vec<Vec<Value>> = shape.states.iter().map(|state| state.iter().map(|edges| shape.value(edges)).collect()).collect();
            let mut scratch = Scratch::default();
            let mut turn = 0;
            group.bench_function(BenchmarkId::new("bcheck", n), |bencher| {
                bencher.iter(|| {
                    turn = (turn + 1) % values.len();
                    black_box(symmetry.canonical(&values[turn], &mut scratch))
                });
            });
            let rows: Vec<Vec<Vec<u64>>> = shape.states.iter().map(|state| shape.rows(state)).collect();
            let mut labeller = Labeller::default();
            group.bench_function(BenchmarkId::new("labeller", n), |bencher| {
                bencher.iter(|| {
                    turn = (turn + 1) % rows.len();
                    black_box(shape.label(&rows[turn], &mut labeller))
                });
            });
            // It takes one relation only. Its time on functions grows beyond all patience from 32 vertices on (nauty's dense
            // digraph mode does likewise).
            if shape.states[0].len() > 1 || shape.name == "partial functions" && n > 16 {
                continue;
            }
            let graphs: Vec<DenseGraph> = shape.states.iter().map(|state| shape.graph(&state[0])).collect();
            let mut manager = CanonautManager::new(shape.elements as usize).with_canonization();
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
