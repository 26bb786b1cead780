//! The canonical order of a structure's vertices, and the order of its automorphism group.
//!
//! After equitable refinement, adjacencies between cells that are empty or complete are dropped, the rest falls into connected components,
//! and each is solved alone: isolated vertices are interchangeable in their cell, and so are components with equal certificates. Only a
//! component that is connected and not discrete is searched (`branch`).
//! Invariant: every choice is made by cells, traces and certificates, which isomorphic structures share, or between vertices in one orbit.
//! Factors multiply to the order of the automorphism group. Each part owns its working memory: results, components and certificates are
//! stacks, on which each call leaves its findings.
//! Sources: individualisation and refinement (McKay 1981; McKay, Piperno 2014); component recursion as in bliss (Junttila, Kaski 2011).
//! What differs: components are those of the adjacencies that are left after dense ones are complemented, and copies of one component are
//! recognised by certificate instead of being found again as automorphisms.

use super::Effort;
use super::adjacency::Adjacencies;
use super::bits::{Bits, Vertex};
use super::branch::Searches;
use super::certificates::Certificates;
use super::colours::Colours;
use super::components::{Component, Components};
use super::equitable::Refiner;
use super::partition::Partition;
use super::results::Results;
use super::stop::Stop;
use super::structure::Structure;

/// The recursive solver with its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver<B> {
    pub(super) structure: Structure<B>,
    pub(super) refiner: Refiner<B>,
    /// A partition per level of the recursion.
    pub(super) levels: Vec<Partition<B>>,
    /// Used only until the components of a partition are found, so that the recursion may overwrite them.
    adjacencies: Adjacencies<B>,
    components: Components<B>,
    pub(super) certificates: Certificates<B>,
    pub(super) results: Results,
    pub(super) searches: Searches<B>,
    /// By cell: the position of its next vertex while the orders of components are concatenated.
    cursor: Vec<u32>,
    /// Used only until the colours are a partition.
    sets: Vec<B>,
}

impl<B: Bits> Solver<B> {
    /// Lets a flag end the labelling of a structure, which is then not exact.
    pub(super) fn watch(&mut self, stop: &Stop) {
        self.refiner.stop.clone_from(stop);
    }

    /// Labels the structure; the result is in `results`.
    pub(super) fn label(&mut self, colours: &mut Colours, effort: Effort, lists_groups: bool) {
        self.results.begin(lists_groups);
        self.searches.begin(if let Effort::Exact { nodes } = effort { nodes } else { 0 });
        self.need_level(0);
        self.structure.complete();
        let partition = &mut self.levels[0];
        colours.partition(&self.structure.loops, &mut self.sets, partition);
        if effort != Effort::Sorted {
            self.refiner.refine(&self.structure, partition);
        }
        match effort {
            // Colours and refinement are canonical, so that this is exact for every effort, and the group is trivial.
            _ if partition.is_discrete() => self.results.list(partition),
            Effort::Exact { .. } => {
                self.certificates.begin(&self.structure);
                self.solve(0);
                // A search that was cut short has missed automorphisms.
                if !self.searches.is_exact() {
                    self.results.factors.clear();
                }
            }
            Effort::Fast | Effort::Sorted => {
                // An arbitrary vertex is individualised: the result is sound, but not canonical.
                while let (Effort::Fast, Some(cell)) = (effort, partition.smallest_cell()) {
                    if let Some(vertex) = partition.vertices(cell).first() {
                        let alone = partition.individualise(vertex);
                        self.refiner.refine_from(&self.structure, partition, alone, None);
                    }
                }
                self.results.list(partition);
                self.searches.cut_short();
            }
        }
    }

    /// Makes sure that there is a partition for a level.
    fn need_level(&mut self, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(Partition::default());
        }
    }

    /// Solves the equitable partition of a level, which is unchanged.
    pub(super) fn solve(&mut self, level: usize) {
        let partition = std::mem::take(&mut self.levels[level]);
        if partition.is_discrete() {
            self.results.list(&partition);
        } else if self.refiner.stop.is_raised() {
            // It need not be equitable.
            self.results.list(&partition);
            self.searches.cut_short();
        } else {
            self.need_level(level + 1);
            let adjacent = self.adjacencies.find(&self.structure, &partition);
            let first = self.components.stack.len();
            self.components.find(&self.structure, &partition, &self.adjacencies, &adjacent);
            // One component with all live vertices: there is nothing to take apart, so it is searched. Otherwise each component is smaller
            // than the partition, so the recursion ends.
            if self.components.stack.len() == first + 1 && adjacent == partition.live {
                self.components.stack.pop();
                self.search(&partition, level);
            } else {
                self.assemble(&partition, level, &adjacent, first);
            }
        }
        self.levels[level] = partition;
    }

    /// Solves the components from `first` on and concatenates their orders.
    fn assemble(&mut self, partition: &Partition<B>, level: usize, adjacent: &B, first: usize) {
        // Joins between components are empty or complete for each pair of cells, once those that are dense are complemented. So the
        // components' automorphisms and orders can be combined freely, and each component's part of the partition is still equitable.
        let mut bottom = self.components.marks();
        bottom.components = first;
        let (found, rows) = (self.results.marks(), self.certificates.mark());
        let base = found.order;
        self.results.order.resize(base + partition.len(), Vertex::default());
        self.components.sort(partition, first);
        let mut begin = first;
        while begin < self.components.stack.len() {
            let end = begin + self.components.rivals(begin);
            let is_uniform = self.components.is_uniform(&self.structure, partition, begin);
            for at in begin..end {
                self.components.stack[at].order = self.results.order.len();
                if is_uniform {
                    self.list_uniform(partition, at);
                } else {
                    self.components.restrict(self.structure.words, partition, at, &mut self.levels[level + 1]);
                    self.solve(level + 1);
                }
            }
            // Uniform components of one signature are all isomorphic, so that they need no certificates.
            let inner = self.results.groups.len();
            if end > begin + 1 && is_uniform {
                self.results.count_copies(self.components.stack[begin..end].iter().map(Component::block));
            } else if end > begin + 1 {
                self.sort_rivals(begin, end);
            }
            self.results.move_out(found.groups, inner);
            begin = end;
        }
        let inner = self.results.groups.len();
        self.place_isolated(partition, adjacent, base);
        self.results.move_out(found.groups, inner);
        // Each cell keeps its positions and lists the components' vertices in their order; `place_isolated` has reset the cursors.
        let order = &mut self.results.order;
        for component in &self.components.stack[first..] {
            for at in component.block() {
                let vertex = order[at];
                let cursor = &mut self.cursor[partition.cell_of(vertex).index()];
                order[base + *cursor as usize] = vertex;
                *cursor += 1;
            }
        }
        order.truncate(base + partition.len());
        self.components.truncate(bottom);
        self.certificates.truncate(rows);
    }

    /// Places the isolated vertices: those of one cell are interchangeable.
    fn place_isolated(&mut self, partition: &Partition<B>, adjacent: &B, base: usize) {
        self.cursor.resize(partition.len(), 0);
        for cell in partition.cells() {
            self.cursor[cell.index()] = cell.number();
            let vertices = partition.vertices(cell);
            if vertices.meets(adjacent) {
                continue;
            }
            let at = base + cell.index();
            for (place, vertex) in self.results.order[at..].iter_mut().zip(vertices.ones()) {
                *place = vertex;
            }
            let size = partition.size(cell);
            if size > 1 {
                self.results.count_alike(at, size);
            }
        }
    }

    /// Puts the order of a uniform component on the stack: the vertices of one part are interchangeable.
    fn list_uniform(&mut self, partition: &Partition<B>, at: usize) {
        let vertices = &self.components.stack[at].vertices;
        for part in self.components.signature(at) {
            let order = self.results.order.len();
            self.results.order.extend(partition.vertices(part.cell).and(vertices).ones());
            if part.size > 1 {
                self.results.count_alike(order, part.size);
            }
        }
    }

    /// Sorts components of equal signature by certificate, and counts those that are copies.
    fn sort_rivals(&mut self, begin: usize, end: usize) {
        let components = &mut self.components.stack[begin..end];
        for component in &mut *components {
            component.certificate = self.certificates.mark();
            self.certificates.push(&self.structure, &self.results.order[component.block()], &component.vertices);
        }
        // Equal signatures mean equal sizes, so certificates are equally long.
        let rows = components[0].size as usize * self.structure.layers;
        let certificate = |component: &Component<B>| self.certificates.rows(component.certificate, rows);
        components.sort_unstable_by(|a, b| certificate(a).cmp(certificate(b)));
        for copies in components.chunk_by(|a, b| certificate(a) == certificate(b)) {
            self.results.count_copies(copies.iter().map(Component::block));
        }
    }
}
