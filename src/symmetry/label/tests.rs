//! Property tests of the labelling of structures: against all permutations on few vertices, and on many vertices, at every
//! width of bit sets, against what is known of the shape.

use crate::{Effort, Labeller, Vertex};
use bcheck_source::SplitMix64;
use num_bigint::BigUint;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A structure that is easy to rename and compare.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    colours: Vec<Vec<u64>>,
    marks: Vec<BTreeSet<u32>>,
    layers: Vec<BTreeSet<(u32, u32)>>,
}

impl Shape {
    /// Without colours, with all edges both ways.
    fn undirected(len: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let both = edges.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        Shape { colours: vec![vec![]; len as usize], marks: vec![], layers: vec![both] }
    }

    fn renamed(&self, images: &[u32]) -> Self {
        let mut colours = self.colours.clone();
        self.colours.iter().zip(images).for_each(|(colour, &image)| colours[image as usize].clone_from(colour));
        let image = |vertex: &u32| images[*vertex as usize];
        Shape {
            colours,
            marks: self.marks.iter().map(|mark| mark.iter().map(image).collect()).collect(),
            layers: self.layers.iter().map(|layer| layer.iter().map(|(a, b)| (image(a), image(b))).collect()).collect(),
        }
    }

    fn bits(&self, vertices: impl Iterator<Item = u32>) -> Vec<u64> {
        let mut words = vec![0; self.colours.len().div_ceil(64)];
        vertices.for_each(|vertex| words[vertex as usize / 64] |= 1 << (vertex % 64));
        words
    }

    /// Gives itself to a labeller, each layer by another of its methods.
    fn give(&self, labeller: &mut Labeller) {
        labeller.begin(self.colours.len(), self.layers.len());
        for (vertex, colour) in Vertex::all(self.colours.len()).zip(&self.colours) {
            colour.iter().for_each(|&part| labeller.colour(vertex, part));
        }
        self.marks.iter().for_each(|mark| labeller.mark(&self.bits(mark.iter().copied())));
        for (at, layer) in self.layers.iter().enumerate() {
            for from in 0..u32::try_from(self.colours.len()).unwrap() {
                let targets = self.bits(layer.range((from, 0)..=(from, u32::MAX)).map(|edge| edge.1));
                match at % 3 {
                    0 => labeller.row(at, Vertex::new(from), &targets),
                    1 => layer
                        .iter()
                        .filter(|edge| edge.0 == from)
                        .for_each(|edge| labeller.edge(at, Vertex::new(edge.0), Vertex::new(edge.1))),
                    // In pieces that do not begin where words do.
                    _ => (0..).zip(&targets).for_each(|(word, bits)| {
                        labeller.row_at(at, Vertex::new(from), Vertex::new(word * 64), bits & 0xFFFF);
                        if bits >> 16 != 0 {
                            labeller.row_at(at, Vertex::new(from), Vertex::new(word * 64 + 16), bits >> 16);
                        }
                    }),
                }
            }
        }
    }

    /// The number of renamings that map this to the other structure, by backtracking over all vertices.
    fn renamings_to(&self, other: &Shape) -> u32 {
        fn extend(one: &Shape, other: &Shape, images: &mut Vec<u32>) -> u32 {
            let Some(vertex) = (0..one.colours.len()).nth(images.len()) else { return 1 };
            let kind = |shape: &Shape, vertex: u32| -> Vec<bool> { shape.marks.iter().map(|mark| mark.contains(&vertex)).collect() };
            let from = u32::try_from(vertex).unwrap();
            let mut found = 0;
            for image in 0..u32::try_from(one.colours.len()).unwrap() {
                let is_free = !images.contains(&image);
                if !is_free || one.colours[vertex] != other.colours[image as usize] || kind(one, from) != kind(other, image) {
                    continue;
                }
                images.push(image);
                let agrees = one.layers.iter().zip(&other.layers).all(|(ours, theirs)| {
                    (0..).zip(&*images).all(|(met, &met_image)| {
                        ours.contains(&(from, met)) == theirs.contains(&(image, met_image))
                            && ours.contains(&(met, from)) == theirs.contains(&(met_image, image))
                    })
                });
                if agrees {
                    found += extend(one, other, images);
                }
                images.pop();
            }
            found
        }
        extend(self, other, &mut Vec::new())
    }
}

/// The canonical form, the order of the automorphism group, and the order of the vertices, all at one width.
fn solve(shape: &Shape, words: usize) -> (Shape, BigUint, Vec<Vertex>) {
    let mut labeller = Labeller::of_width(words);
    // Twice, the first time with something else in between: nothing may be left over.
    Shape::undirected(5, [(0, 1), (2, 3)]).give(&mut labeller);
    labeller.label(Effort::Exact { nodes: 100 });
    shape.give(&mut labeller);
    let first = labeller.label(Effort::Exact { nodes: 100_000 }).order.to_vec();
    let labelling = labeller.label(Effort::Exact { nodes: 100_000 });
    assert!(labelling.is_exact);
    assert_eq!(labelling.order, first);
    let automorphisms = labelling.factors.iter().map(|&factor| BigUint::from(factor)).product();
    let mut images = vec![u32::MAX; first.len()];
    (0..).zip(&first).for_each(|(place, &vertex)| images[vertex.index()] = place);
    assert!(!images.contains(&u32::MAX), "an order has every vertex once");
    (shape.renamed(&images), automorphisms, first)
}

/// Solves at every width there is; they must agree to the last vertex.
fn solve_at_all_widths(shape: &Shape) -> (Shape, BigUint) {
    let (form, automorphisms, order) = solve(shape, 0);
    for words in [2, 4, 5] {
        let other = solve(shape, words);
        assert_eq!((&other.1, &other.2), (&automorphisms, &order), "{words} words");
    }
    (form, automorphisms)
}

/// Swapping neighbours in each group keeps the structure.
fn check_groups(shape: &Shape) -> usize {
    let mut labeller = Labeller::default();
    shape.give(&mut labeller);
    let groups = labeller.groups(100_000);
    for group in &groups {
        for pair in group.windows(2) {
            let mut images: Vec<u32> = (0..).take(shape.colours.len()).collect();
            for (&a, &b) in pair[0].iter().zip(&pair[1]) {
                images.swap(a.index(), b.index());
            }
            assert_eq!(shape.renamed(&images), *shape, "{pair:?}");
        }
    }
    groups.len()
}

fn any_images(len: u32) -> impl Strategy<Value = Vec<u32>> {
    Just((0..len).collect::<Vec<u32>>()).prop_shuffle()
}

/// Few colours, so that there is something to do.
fn any_small_shape() -> impl Strategy<Value = Shape> {
    (1u32..10, 1usize..4).prop_flat_map(|(len, layers)| {
        let colour = prop_oneof![6 => Just(vec![]), 1 => Just(vec![3]), 1 => Just(vec![3, 1 << 40]), 1 => vec(0u64..300, 0..20)];
        let edges = || {
            prop_oneof![
                btree_set((0..len, 0..len), 0..=(len * 2) as usize),
                btree_set((0..len, 0..len), 0..=(len * len) as usize / 2),
                // Symmetric, with few orbits of edges: differences on a circle.
                btree_set(1..=len, 0..3).prop_map(move |steps| {
                    (0..len).flat_map(|a| steps.iter().map(move |step| (a, (a + step) % len)).collect::<Vec<_>>()).collect()
                }),
            ]
        };
        (vec(colour, len as usize), vec(btree_set(0..len, 0..3), 0..2), vec(edges(), layers), any::<bool>()).prop_map(
            |(mut colours, marks, layers, is_plain)| {
                if is_plain {
                    colours.fill(vec![]);
                }
                Shape { colours, marks, layers }
            },
        )
    })
}

/// A shape, and one that is the same renamed, or nearly so: one edge gone or turned.
fn any_two_small_shapes() -> impl Strategy<Value = (Shape, Shape)> {
    any_small_shape().prop_flat_map(|shape| {
        let len = u32::try_from(shape.colours.len()).unwrap();
        (Just(shape), any_images(len), any::<Option<bool>>(), any::<prop::sample::Index>()).prop_map(|(shape, images, change, at)| {
            let mut other = shape.clone();
            let layer = at.index(other.layers.len());
            let layer = &mut other.layers[layer];
            if let (Some(turns), false) = (change, layer.is_empty()) {
                let edge = *layer.iter().nth(at.index(layer.len())).unwrap();
                layer.remove(&edge);
                if turns {
                    layer.insert((edge.1, edge.0));
                }
            }
            (shape, other.renamed(&images))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn small_structures_agree_with_all_permutations((first, second) in any_two_small_shapes()) {
        let (form, automorphisms) = solve_at_all_widths(&first);
        let (other, others) = solve_at_all_widths(&second);
        prop_assert_eq!(form == other, first.renamings_to(&second) > 0);
        prop_assert_eq!(automorphisms, BigUint::from(first.renamings_to(&first)));
        prop_assert_eq!(others, BigUint::from(second.renamings_to(&second)));
        check_groups(&first);
    }
}

fn factorial(n: u32) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

/// Large shapes with the orders of their groups.
fn large_shapes() -> Vec<(&'static str, Shape, BigUint)> {
    let cycle = |n: u32, first: u32| (0..n).map(move |a| (first + a, first + (a + 1) % n));
    let cube = |d: u32| Shape::undirected(1 << d, (0..1u32 << d).flat_map(move |a| (0..d).map(move |bit| (a, a ^ 1 << bit))));
    let path = |first: u32, n: u32| (0..n - 1).map(move |a| (first + a, first + a + 1));
    // Two points of an n by n board in one row or column.
    let rook = |n: u32| {
        Shape::undirected(
            n * n,
            (0..n * n).flat_map(move |a| (a + 1..n * n).map(move |b| (a, b))).filter(move |(a, b)| a / n == b / n || a % n == b % n),
        )
    };
    let mut shapes = vec![
        ("cube", cube(6), factorial(6) << 6),
        ("cube", cube(7), factorial(7) << 7),
        ("cube", cube(9), factorial(9) << 9),
        ("rook", rook(8), factorial(8).pow(2) * 2u32),
        ("rook", rook(9), factorial(9).pow(2) * 2u32),
    ];
    for n in [60, 64, 65, 100, 129, 260] {
        shapes.push(("cycle", Shape::undirected(n, cycle(n, 0)), BigUint::from(2 * n)));
        let directed = Shape { layers: vec![cycle(n, 0).collect()], ..Shape::undirected(n, []) };
        shapes.push(("directed cycle", directed, BigUint::from(n)));
        let triangles = Shape::undirected(n, (0..n / 3).flat_map(|k| cycle(3, 3 * k)));
        let order = factorial(n / 3) * BigUint::from(6u32).pow(n / 3) * factorial(n % 3);
        shapes.push(("triangles and the rest", triangles, order));
        // The middle vertex of a binary tree on 2^k - 1 vertices; the rest of n are leaves of the root.
        let k = n.ilog2();
        let inner = (1 << k) - 1;
        let tree = (1..inner).map(|a| ((a - 1) / 2, a)).chain((inner..n).map(|a| (0, a)));
        let order = (BigUint::from(1u32) << ((1u32 << (k - 1)) - 1)) * factorial(n - inner);
        shapes.push(("tree", Shape::undirected(n, tree), order));
        // Six unequal paths and a cycle.
        let starts = [0, 3, 7, 12, 18, 25];
        let paths = starts.iter().zip(3..).flat_map(|(&first, n)| path(first, n)).chain(cycle(n - 33, 33));
        shapes.push(("paths and a cycle", Shape::undirected(n, paths), BigUint::from(2 * (n - 33)) << 6));
        let parts = Shape::undirected(n, (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|(a, b)| a % 4 != b % 4));
        let order = (0..4).map(|r| factorial((n + 3 - r) / 4)).product::<BigUint>();
        let alike = [24u32, 6, 4, 6][n as usize % 4];
        shapes.push(("complete in four parts", parts, order * alike));
    }
    shapes
}

/// The same numbers in every run.
fn scrambled(len: u32, seed: u64) -> Vec<u32> {
    let mut images: Vec<u32> = (0..len).collect();
    let mut random = SplitMix64::new(seed);
    for at in (1..images.len()).rev() {
        images.swap(at, random.below(at + 1));
    }
    images
}

#[test]
fn large_structures_have_their_groups_and_one_form_at_every_width() {
    for (what, shape, expected) in large_shapes() {
        let len = u32::try_from(shape.colours.len()).unwrap();
        let (form, automorphisms) = solve_at_all_widths(&shape);
        assert_eq!(automorphisms, expected, "{what} on {len}");
        for seed in 0..2 {
            let renamed = shape.renamed(&scrambled(len, seed));
            let (other, automorphisms) = solve_at_all_widths(&renamed);
            assert_eq!(automorphisms, expected, "{what} on {len}, renamed");
            assert!(form == other, "{what} on {len}: another form when renamed");
            let mut near = renamed.clone();
            let edge = near.layers[0].pop_first().unwrap();
            near.layers[0].remove(&(edge.1, edge.0));
            assert!(solve(&near, 0).0 != form, "{what} on {len}: the same form without an edge");
        }
        check_groups(&shape);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn renamed_structures_of_any_width_have_one_form(
        (len, edges, images, marked) in (40u32..150).prop_flat_map(|len| {
            let edges = vec(btree_set((0..len, 0..len), 0..=(len as usize)), 1..3);
            (Just(len), edges, any_images(len), btree_set(0..len, 0..10))
        })
    ) {
        let shape = Shape { colours: vec![vec![]; len as usize], marks: vec![marked], layers: edges };
        let (form, automorphisms) = solve_at_all_widths(&shape);
        let (other, others) = solve_at_all_widths(&shape.renamed(&images));
        prop_assert!(form == other);
        prop_assert_eq!(automorphisms, others);
        check_groups(&shape);
    }

    #[test]
    fn cubic_graphs_of_any_width_have_one_form((len, first, second) in (10u32..70).prop_flat_map(|half| {
        let len = 2 * half;
        (Just(len), any_images(len), any_images(len))
    })) {
        // A cycle and chords: nothing for refinement to begin with.
        let cycle = (0..len).map(|at| (first[at as usize], first[((at + 1) % len) as usize]));
        let chords = second.chunks(2).map(|pair| (pair[0], pair[1]));
        let shape = Shape::undirected(len, cycle.chain(chords).filter(|(a, b)| a != b));
        let (form, automorphisms) = solve_at_all_widths(&shape);
        let (other, others) = solve_at_all_widths(&shape.renamed(&second));
        prop_assert!(form == other);
        prop_assert_eq!(automorphisms, others);
    }
}
