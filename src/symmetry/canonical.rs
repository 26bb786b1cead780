//! The canonical order of a structure's vertices, and the size of its automorphism group.
//!
//! After equitable refinement, joins between cells that are uniform (all or nothing) are dropped, the rest falls into connected
//! components, and each is solved alone: single vertices of a cell are interchangeable, and so are components with equal
//! certificates. Only a component that is connected and not discrete is searched, by singling out each vertex of one cell.
//! Invariant: every choice is made by cells, traces and certificates, which isomorphic structures share, or between
//! alternatives that an automorphism exchanges. Factors multiply to the order of the automorphism group.
//! Sources: McKay's individualisation-refinement; component recursion as in bliss (Junttila, Kaski 2011).

use super::equitable::{Partition, Refiner};
use super::structure::{Structure, has_bit, ones, set_bit};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// How many vertices are singled out per state before the search settles for what it has.
pub(super) const NODE_BUDGET: u32 = 20_000;

/// A solved structure.
#[derive(Clone, Debug, Default)]
pub(super) struct Labelling {
    /// The vertices in canonical order.
    pub(super) order: Vec<u32>,
    /// Factors of the order of the automorphism group, none of them 1.
    pub(super) factors: SmallVec<[u32; 8]>,
    /// Pairs of vertices that an automorphism exchanges or maps to each other.
    orbits: Vec<(u32, u32)>,
    /// Groups of copies, aligned blocks of vertices, any two of which can be swapped; only when asked for.
    pub(super) groups: Vec<Vec<Vec<u32>>>,
}

impl Labelling {
    /// An order with no automorphisms known.
    pub(super) fn of_order(order: Vec<u32>) -> Self {
        Labelling { order, ..Labelling::default() }
    }
}

/// The recursive solver.
#[derive(Debug)]
pub(super) struct Solver<'a> {
    refiner: &'a mut Refiner,
    budget: u32,
    /// Whether no alternative was left out.
    pub(super) is_exact: bool,
    /// Whether to list groups of copies.
    pub(super) lists_groups: bool,
}

/// A connected component of the non-uniform joins.
struct Component {
    /// How many vertices in which cells: what distinguishes components before they are solved.
    signature: SmallVec<[(u32, u32); 4]>,
    /// Its vertices in canonical order.
    order: Vec<u32>,
    /// Its edges under that order; empty while no other component has the same signature.
    certificate: Vec<u64>,
    /// Groups of copies inside it.
    groups: Vec<Vec<Vec<u32>>>,
}

/// A candidate of the search.
struct Candidate {
    trace: u64,
    labelling: Labelling,
    /// Made when a second candidate has the same trace.
    certificate: Option<Vec<u64>>,
    vertex: u32,
}

impl<'a> Solver<'a> {
    /// A solver that may single out `budget` vertices.
    pub(super) fn new(refiner: &'a mut Refiner, budget: u32) -> Self {
        Solver { refiner, budget, is_exact: true, lists_groups: false }
    }

    /// Solves a structure with an equitable partition.
    pub(super) fn solve(&mut self, structure: &Structure, partition: &Partition) -> Labelling {
        if partition.is_discrete() {
            return Labelling::of_order(partition.order.clone());
        }
        let mut classes = components(structure, partition);
        let live = partition.order.iter().filter(|&&vertex| partition.size[partition.start[vertex as usize] as usize] > 1);
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut place = vec![u32::MAX; structure.len];
        // In cell order, so that each component lists its vertices cell by cell.
        for &vertex in live {
            let root = classes.find(vertex) as usize;
            if place[root] == u32::MAX {
                place[root] = u32::try_from(members.len()).expect("fewer components than vertices");
                members.push(Vec::new());
            }
            members[place[root] as usize].push(vertex);
        }
        if members.len() == 1 {
            return self.search(structure, partition);
        }

        let mut labelling = Labelling::of_order(vec![u32::MAX; structure.len]);
        let mut cursor = vec![0; structure.len];
        for start in partition.starts() {
            cursor[start as usize] = start;
            if partition.size[start as usize] == 1 {
                labelling.order[start as usize] = partition.cell(start)[0];
            }
        }
        let mut put = |vertex: u32, order: &mut [u32]| {
            let cursor = &mut cursor[partition.start[vertex as usize] as usize];
            order[*cursor as usize] = vertex;
            *cursor += 1;
        };
        members.sort_by_key(Vec::len);
        let singles = members.partition_point(|vertices| vertices.len() == 1);
        let solved: Vec<Component> =
            members[singles..].iter().map(|vertices| self.component(structure, partition, vertices, &mut labelling)).collect();
        for single in &members[..singles] {
            put(single[0], &mut labelling.order);
        }
        bulk_singles(partition, &members[..singles], self.lists_groups, &mut labelling);
        for component in sorted(structure, solved, self.lists_groups, &mut labelling) {
            component.order.iter().for_each(|&vertex| put(vertex, &mut labelling.order));
        }
        labelling
    }

    /// Solves one component, whose vertices are listed cell by cell; its automorphisms go to `labelling`.
    fn component(&mut self, structure: &Structure, partition: &Partition, vertices: &[u32], labelling: &mut Labelling) -> Component {
        let cell_of = |vertex: u32| partition.start[vertex as usize];
        let signature: SmallVec<[(u32, u32); 4]> = vertices
            .chunk_by(|&a, &b| cell_of(a) == cell_of(b))
            .map(|cell| (cell_of(cell[0]), u32::try_from(cell.len()).expect("a cell has u32 vertices")))
            .collect();
        let mut order = vertices.to_vec();
        let mut groups = Vec::new();
        if signature.len() < vertices.len() {
            let part = structure.induced(vertices);
            let local = (0..).zip(vertices).map(|(at, _)| at).collect();
            let cells = Partition::from_runs(local, |a, b| cell_of(vertices[a as usize]) == cell_of(vertices[b as usize]));
            let inner = self.solve(&part, &cells);
            let here = |block: &[u32]| -> Vec<u32> { block.iter().map(|&at| vertices[at as usize]).collect() };
            order = here(&inner.order);
            groups = inner.groups.iter().map(|group| group.iter().map(|block| here(block)).collect()).collect();
            labelling.factors.extend(inner.factors);
            labelling.orbits.extend(inner.orbits.iter().map(|&(a, b)| (vertices[a as usize], vertices[b as usize])));
        }
        Component { signature, order, certificate: Vec::new(), groups }
    }

    /// Singles out each vertex of one cell in turn and keeps the least result.
    fn search(&mut self, structure: &Structure, partition: &Partition) -> Labelling {
        let target = partition.smallest_cell().expect("the partition is not discrete");
        let cell = partition.cell(target).to_vec();
        let mut classes = Classes::new(structure.len);
        let mut orbits = Vec::new();
        let mut treated: Vec<u32> = Vec::new();
        let mut best: Option<Candidate> = None;
        for &vertex in &cell {
            let root = classes.find(vertex);
            if treated.iter().any(|&other| classes.find(other) == root) {
                continue;
            }
            if self.budget == 0 && best.is_some() {
                self.is_exact = false;
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            treated.push(vertex);
            let mut split = partition.clone();
            let start = split.individualise(vertex);
            let trace = self.refiner.refine_from(structure, &mut split, start);
            if best.as_ref().is_some_and(|best| trace > best.trace) {
                continue;
            }
            let mut labelling = self.solve(structure, &split);
            // They keep `vertex`, and are automorphisms of the whole all the same, also when `vertex` loses.
            for (a, b) in std::mem::take(&mut labelling.orbits) {
                classes.unite(a, b);
                orbits.push((a, b));
            }
            let Some(leader) = best.as_mut().filter(|best| best.trace == trace) else {
                best = Some(Candidate { trace, labelling, certificate: None, vertex });
                continue;
            };
            let certificate = certificate(structure, &labelling.order);
            let least = leader.certificate.get_or_insert_with(|| self::certificate(structure, &leader.labelling.order));
            match certificate.cmp(least) {
                Ordering::Greater => {}
                Ordering::Less => best = Some(Candidate { trace, labelling, certificate: Some(certificate), vertex }),
                Ordering::Equal => {
                    for (&a, &b) in leader.labelling.order.iter().zip(&labelling.order) {
                        if classes.unite(a, b) {
                            orbits.push((a, b));
                        }
                    }
                }
            }
        }
        let best = best.expect("the first vertex is always tried");
        let mut labelling = best.labelling;
        let root = classes.find(best.vertex);
        let orbit = cell.iter().filter(|&&vertex| classes.find(vertex) == root).count();
        // Orbit and stabiliser: the group is as large as the orbit times the group that keeps the vertex.
        push_factor(&mut labelling.factors, orbit);
        labelling.orbits = orbits;
        labelling
    }
}

/// Counts single-vertex components: those of one cell are interchangeable.
fn bulk_singles(partition: &Partition, singles: &[Vec<u32>], lists_groups: bool, labelling: &mut Labelling) {
    // `singles` follows the order of cells, because the sort by size was stable.
    for same in singles.chunk_by(|a, b| partition.start[a[0] as usize] == partition.start[b[0] as usize]) {
        (2..=same.len()).for_each(|factor| push_factor(&mut labelling.factors, factor));
        labelling.orbits.extend(same.windows(2).map(|pair| (pair[0][0], pair[1][0])));
        if lists_groups && same.len() > 1 {
            labelling.groups.push(same.to_vec());
        }
    }
}

/// Sorts components by signature and certificate; equal ones are interchangeable.
fn sorted(structure: &Structure, mut components: Vec<Component>, lists_groups: bool, labelling: &mut Labelling) -> Vec<Component> {
    components.sort_by(|a, b| a.signature.cmp(&b.signature));
    for rivals in components.chunk_by_mut(|a, b| a.signature == b.signature).filter(|rivals| rivals.len() > 1) {
        for component in &mut *rivals {
            component.certificate = certificate(structure, &component.order);
        }
        rivals.sort_by(|a, b| a.certificate.cmp(&b.certificate));
        for equal in rivals.chunk_by(|a, b| a.certificate == b.certificate) {
            (2..=equal.len()).for_each(|factor| push_factor(&mut labelling.factors, factor));
            for pair in equal.windows(2) {
                labelling.orbits.extend(pair[0].order.iter().copied().zip(pair[1].order.iter().copied()));
            }
            if lists_groups && equal.len() > 1 {
                labelling.groups.push(equal.iter().map(|component| component.order.clone()).collect());
            }
        }
    }
    // Whole components first: groups inside them are used only where those were not (see `exchange`).
    labelling.groups.extend(components.iter_mut().flat_map(|component| std::mem::take(&mut component.groups)));
    components
}

fn push_factor(factors: &mut SmallVec<[u32; 8]>, factor: usize) {
    if factor > 1 {
        factors.push(u32::try_from(factor).expect("a factor counts vertices"));
    }
}

/// The edges between the listed vertices, as bit rows by place in the list. Equal for two lists exactly when mapping one to
/// the other place by place keeps every layer.
fn certificate(structure: &Structure, order: &[u32]) -> Vec<u64> {
    let mut place = vec![u32::MAX; structure.len];
    for (at, &vertex) in (0..).zip(order) {
        place[vertex as usize] = at;
    }
    let words = order.len().div_ceil(64);
    let mut rows = vec![0; words * order.len() * structure.layers.len()];
    let mut targets = rows.chunks_exact_mut(words);
    for layer in 0..structure.layers.len() {
        for &vertex in order {
            let target = targets.next().expect("one row per layer and vertex");
            for to in ones(structure.row(layer, vertex)).map(|to| place[to as usize]).filter(|&to| to != u32::MAX) {
                set_bit(target, to);
            }
        }
    }
    rows
}

/// The connected components of the joins that are neither empty nor full, each taken as it is or as its complement, whichever
/// has fewer edges. Vertices alone in their cell do not take part.
fn components(structure: &Structure, partition: &Partition) -> Classes {
    let mut classes = Classes::new(structure.len);
    let mut count = vec![0u32; structure.len];
    let mut touched: Vec<u32> = Vec::new();
    for &vertex in &partition.order {
        let own = partition.start[vertex as usize];
        if partition.size[own as usize] == 1 {
            continue;
        }
        for layer in 0..structure.layers.len() {
            let row = structure.row(layer, vertex);
            for other in ones(row) {
                let start = partition.start[other as usize];
                if count[start as usize] == 0 {
                    touched.push(start);
                }
                count[start as usize] += 1;
            }
            for &start in &touched {
                let all = partition.size[start as usize];
                let full = all - u32::from(start == own);
                let met = std::mem::take(&mut count[start as usize]);
                if all == 1 || met == full {
                    continue;
                }
                let wanted = 2 * met <= full;
                for &other in partition.cell(start) {
                    if other != vertex && has_bit(row, other) == wanted {
                        classes.unite(vertex, other);
                    }
                }
            }
            touched.clear();
        }
    }
    classes
}

/// Union-find on vertices.
#[derive(Clone, Debug)]
struct Classes(Vec<u32>);

impl Classes {
    fn new(len: usize) -> Self {
        Classes((0..u32::try_from(len).expect("structures have fewer than 2^32 vertices")).collect())
    }

    fn find(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        while self.0[at as usize] != at {
            self.0[at as usize] = self.0[self.0[at as usize] as usize];
            at = self.0[at as usize];
        }
        at
    }

    /// Whether the two were apart.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
