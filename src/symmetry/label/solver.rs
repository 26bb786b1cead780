//! The canonical order of a structure's vertices, and the size of its automorphism group.
//!
//! After equitable refinement, joins between cells that are uniform (all or nothing) are dropped, the rest falls into connected
//! components, and each is solved alone: vertices without joins are interchangeable in their cell, and so are components with
//! equal certificates. Only a component that is connected and not discrete is searched (`branch`).
//! Invariant: every choice is made by cells, traces and certificates, which isomorphic structures share, or between
//! alternatives that an automorphism exchanges. Factors multiply to the order of the automorphism group.
//! All working memory is kept: orders, factors and so on are stacks, on which each call leaves its result.
//! Sources: individualisation and refinement (McKay 1981; McKay, Piperno 2014); component recursion as in bliss (Junttila, Kaski 2011).
//! What differs: components are those of the joins that are left after dense ones are complemented, and copies of one component are
//! recognised by certificate instead of being found again as automorphisms.

use super::Effort;
use super::bits::{Bits, number};
use super::branch::Frame;
use super::colours::Colours;
use super::equitable::Refiner;
use super::partition::{CellPart, Partition};
use super::structure::Structure;
use std::cmp::Ordering;

/// The cells to which the joins of one cell are neither empty nor full, on one side of one layer.
#[derive(Clone, Debug)]
struct Join<B> {
    /// Cells of which at most half are neighbours.
    plain: B,
    /// Cells of which more than half are; taken as their complement.
    flipped: B,
}

/// A connected component of the joins.
#[derive(Clone, Debug)]
struct Component<B> {
    vertices: B,
    size: u32,
    /// Where its order begins on the stack of orders.
    order: usize,
    /// The range of its signature on the stack of parts of cells.
    parts: (usize, usize),
    /// Where its certificate begins on the stack of rows; only while other components have the same signature.
    certificate: usize,
}

/// The recursive solver with all its working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver<B> {
    pub(crate) structure: Structure<B>,
    pub(crate) refiner: Refiner<B>,
    /// A partition per level of the recursion.
    pub(crate) levels: Vec<Partition<B>>,
    /// Used only until the components of a partition are found, so that the recursion may overwrite it.
    joins: Vec<Join<B>>,
    /// By start of a cell: the index of its first join; it has one per side.
    join: Vec<u32>,
    components: Vec<Component<B>>,
    parts: Vec<CellPart>,
    pub(crate) certificates: Vec<B>,
    /// By vertex: its place in the order that a certificate is made for.
    place: Vec<u32>,
    /// By start of a cell: where its next vertex goes.
    cursor: Vec<u32>,
    sets: Vec<B>,
    /// Working memory per nested search.
    pub(crate) frames: Vec<Frame<B>>,
    /// The number of searches under way, one inside the other.
    pub(crate) depth: usize,
    /// Stack of vertices in canonical order.
    pub(crate) order: Vec<u32>,
    /// Stack of factors of the order of the automorphism group, none of them 1.
    pub(crate) factors: Vec<u32>,
    /// Stack of pairs of vertices that an automorphism maps to each other; filled only inside a search.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// Groups of copies, aligned blocks of vertices, any two of which can be swapped; only when asked for.
    pub(crate) groups: Vec<Vec<Vec<u32>>>,
    lists_groups: bool,
    /// The number of vertices that may still be singled out.
    pub(crate) budget: u32,
    /// Whether no alternative was left out.
    pub(crate) is_exact: bool,
    /// Whether searches take the first alternative only (a greedy descent).
    pub(crate) is_greedy: bool,
    /// Whether a search did so since this was last reset.
    pub(crate) was_greedy: bool,
}

impl<B: Bits> Solver<B> {
    /// Labels the structure; the result is in `order`, `factors`, `groups` and `is_exact`.
    pub(super) fn label(&mut self, colours: &mut Colours, effort: Effort, lists_groups: bool) {
        self.order.clear();
        self.factors.clear();
        self.pairs.clear();
        self.groups.clear();
        self.lists_groups = lists_groups;
        self.is_exact = true;
        self.need_level(0);
        self.structure.complete();
        let partition = &mut self.levels[0];
        colours.partition(&self.structure.loops, &mut self.sets, partition);
        if effort != Effort::Sorted {
            self.refiner.refine(&self.structure, partition);
        }
        match effort {
            // Colours and refinement are canonical, so that this is exact for every effort, and the group is trivial.
            _ if partition.is_discrete() => list(partition, &mut self.order),
            Effort::Exact { nodes } => {
                self.budget = nodes;
                self.place.resize(self.structure.len, 0);
                self.solve(0);
                // A search that was cut short has missed automorphisms.
                if !self.is_exact {
                    self.factors.clear();
                }
            }
            Effort::Fast | Effort::Sorted => {
                // An arbitrary vertex is singled out: the result is sound, but not canonical.
                while let (Effort::Fast, Some(cell)) = (effort, partition.smallest_cell()) {
                    if let Some(vertex) = partition.cells[cell as usize].first() {
                        let start = partition.individualise(vertex);
                        self.refiner.refine_from(&self.structure, partition, start, None);
                    }
                }
                list(partition, &mut self.order);
                self.is_exact = false;
            }
        }
    }

    /// Makes sure that there is a partition for a level.
    pub(super) fn need_level(&mut self, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(Partition::default());
        }
    }

    /// Solves the equitable partition of a level, which stays as it is.
    pub(super) fn solve(&mut self, level: usize) {
        let partition = std::mem::take(&mut self.levels[level]);
        if partition.is_discrete() {
            list(&partition, &mut self.order);
        } else if self.refiner.stop.is_raised() {
            // It need not be equitable.
            list(&partition, &mut self.order);
            self.is_exact = false;
        } else {
            self.need_level(level + 1);
            let joined = self.find_joins(&partition);
            let first = self.components.len();
            self.find_components(&partition, &joined);
            // One component with all live vertices: there is nothing to take apart, so it is searched. Otherwise each component is smaller
            // than the partition, so the recursion ends.
            if self.components.len() == first + 1 && joined == partition.live {
                self.components.pop();
                self.search(&partition, level);
            } else {
                self.assemble(&partition, level, &joined, first);
            }
        }
        self.levels[level] = partition;
    }

    /// Lists the joins of all cells that are neither empty nor full; returns the vertices that have some.
    fn find_joins(&mut self, partition: &Partition<B>) -> B {
        let words = self.structure.words;
        let mut joined = B::none(words);
        self.joins.clear();
        // Stale entries remain for cells of one vertex, which are in no component.
        self.join.resize(partition.len(), 0);
        for start in partition.starts() {
            let cell = &partition.cells[start as usize];
            // A cell has at least one vertex; one with no other has only empty and full joins.
            let (1.., Some(vertex)) = (partition.size[start as usize] - 1, cell.first()) else { continue };
            self.join[start as usize] = number(self.joins.len());
            let mut has_join = false;
            for side in &self.structure.sides {
                let mut join = Join { plain: B::none(words), flipped: B::none(words) };
                // The partition is equitable: all vertices of the cell have equally many neighbours in each cell.
                let row = self.structure.rows(side)[vertex as usize].and(&partition.live);
                let (mut rest, mut word) = (row.clone(), 0);
                while let Some(other) = rest.first_from(&mut word) {
                    let begin = partition.start[other as usize];
                    let target = &partition.cells[begin as usize];
                    rest.remove(target);
                    let full = partition.size[begin as usize] - u32::from(begin == start);
                    let met = row.and(target).count();
                    // Complementing a join keeps the automorphisms, and the sparser of both connects fewer vertices. By double
                    // counting, the density is the same seen from either cell, so both sides choose alike: connection is symmetric.
                    if met < full {
                        (if 2 * met <= full { &mut join.plain } else { &mut join.flipped }).add(target);
                        has_join = true;
                    }
                }
                self.joins.push(join);
            }
            if has_join {
                joined.add(cell);
            }
        }
        joined
    }

    /// Puts the connected components of the joins on the stack, by their first cells.
    fn find_components(&mut self, partition: &Partition<B>, joined: &B) {
        // Inside a cell, components are met in the order of vertex numbers, which is not canonical; `assemble` sorts them.
        let mut rest = joined.clone();
        for start in partition.starts() {
            while let Some(seed) = partition.cells[start as usize].and(&rest).first() {
                let vertices = self.connected(partition, seed, &mut rest);
                self.components.push(Component { vertices, size: 0, order: 0, parts: (0, 0), certificate: 0 });
            }
        }
    }

    /// Moves what is connected to a vertex out of `rest`.
    #[inline]
    fn connected(&self, partition: &Partition<B>, seed: u32, rest: &mut B) -> B {
        let mut found = B::none(self.structure.words);
        found.set(seed);
        rest.clear(seed);
        let mut border = found.clone();
        while let Some(vertex) = border.first() {
            border.clear(vertex);
            let joins = &self.joins[self.join[partition.start[vertex as usize] as usize] as usize..];
            for (side, join) in self.structure.sides.iter().zip(joins) {
                let row = &self.structure.rows(side)[vertex as usize];
                // A flipped join connects a vertex with those that it has no edge to.
                let mut near = join.flipped.minus(row);
                near.add(&join.plain.and(row));
                near = near.and(rest);
                if !near.is_empty() {
                    border.add(&near);
                    found.add(&near);
                    rest.remove(&near);
                }
            }
        }
        found
    }

    /// Solves the components from `first` on and puts their orders together.
    fn assemble(&mut self, partition: &Partition<B>, level: usize, joined: &B, first: usize) {
        // Joins between components are all or nothing for each pair of cells, once those that are dense are complemented. So the
        // components' automorphisms and orders can be combined freely, and each component's part of the partition is still equitable.
        let base = self.order.len();
        let bottom = (self.parts.len(), self.certificates.len(), self.groups.len());
        self.order.resize(base + partition.len(), 0);
        for component in &mut self.components[first..] {
            let begin = self.parts.len();
            component.size = partition.parts(&component.vertices, &mut self.parts);
            component.parts = (begin, self.parts.len());
        }
        let parts = &self.parts;
        let signature = |component: &Component<B>| &parts[component.parts.0..component.parts.1];
        // No automorphism of the partition maps a component to one with another signature, since it keeps the cells; those of one signature
        // are compared by certificate below.
        self.components[first..].sort_unstable_by(|a, b| signature(a).cmp(signature(b)));
        let mut begin = first;
        while begin < self.components.len() {
            let end = begin + self.rivals(begin);
            let is_uniform = self.is_uniform(partition, &self.components[begin]);
            for at in begin..end {
                self.components[at].order = self.order.len();
                if is_uniform {
                    self.list_uniform(partition, at);
                } else {
                    let Component { vertices, parts, .. } = &self.components[at];
                    partition.restrict(self.structure.words, vertices, &self.parts[parts.0..parts.1], &mut self.levels[level + 1]);
                    self.solve(level + 1);
                }
            }
            // Uniform components of one signature are all isomorphic, so that they need no certificates.
            let inner = self.groups.len();
            if end > begin + 1 && is_uniform {
                self.count_copies(begin, end);
            } else if end > begin + 1 {
                self.sort_rivals(begin, end);
            }
            self.move_out(bottom.2, inner);
            begin = end;
        }
        let inner = self.groups.len();
        self.place_joinless(partition, joined, base);
        self.move_out(bottom.2, inner);
        // Each cell keeps its positions and lists the components' vertices in their order; `place_joinless` has reset the cursors.
        for component in &self.components[first..] {
            for at in component.order..component.order + component.size as usize {
                let vertex = self.order[at];
                let cursor = &mut self.cursor[partition.start[vertex as usize] as usize];
                self.order[base + *cursor as usize] = vertex;
                *cursor += 1;
            }
        }
        self.order.truncate(base + partition.len());
        self.components.truncate(first);
        self.parts.truncate(bottom.0);
        self.certificates.truncate(bottom.1);
    }

    /// Moves the groups from `inner` on before those from `outer` on: groups inside of others are used only where those were not
    /// (see `exchange`).
    #[inline]
    fn move_out(&mut self, outer: usize, inner: usize) {
        let many = self.groups.len() - inner;
        if many > 0 {
            self.groups[outer..].rotate_right(many);
        }
    }

    /// Places the vertices that have no joins: those of one cell are interchangeable.
    fn place_joinless(&mut self, partition: &Partition<B>, joined: &B, base: usize) {
        self.cursor.resize(partition.len(), 0);
        for start in partition.starts() {
            self.cursor[start as usize] = start;
            let cell = &partition.cells[start as usize];
            if cell.meets(joined) {
                continue;
            }
            let at = base + start as usize;
            for (place, vertex) in self.order[at..].iter_mut().zip(cell.ones()) {
                *place = vertex;
            }
            let size = partition.size[start as usize];
            if size > 1 {
                self.count_alike(at, size);
            }
        }
    }

    /// Whether all joins inside a component are all or nothing. Then its signature determines it up to isomorphism, and the same holds
    /// for all components with that signature: as all vertices of a cell have equally many neighbours in another cell, they also have
    /// equally many in that cell's part of their component, whose size the signature gives.
    fn is_uniform(&self, partition: &Partition<B>, component: &Component<B>) -> bool {
        let parts = &self.parts[component.parts.0..component.parts.1];
        if parts.len() == component.size as usize {
            return true;
        }
        // The test is quadratic in the number of parts. With many of them the component is solved, which is correct for uniform ones too.
        parts.len() <= 6
            && parts.iter().all(|part| {
                let mut others = component.vertices.clone();
                let own = partition.cells[part.start as usize].and(&others);
                let Some(vertex) = own.first() else { return true };
                others.clear(vertex);
                // One vertex of each part will do: in an equitable partition all vertices of a cell have equally many neighbours in every
                // cell.
                self.structure.sides.iter().all(|side| {
                    let near = self.structure.rows(side)[vertex as usize].and(&others);
                    let far = others.minus(&near);
                    let is_whole = |part: &CellPart| {
                        let cell = &partition.cells[part.start as usize];
                        !near.meets(cell) || !far.meets(cell)
                    };
                    near.is_empty() || far.is_empty() || parts.iter().all(is_whole)
                })
            })
    }

    /// Puts the order of a uniform component on the stack: the vertices of one part are interchangeable.
    fn list_uniform(&mut self, partition: &Partition<B>, at: usize) {
        for place in self.components[at].parts.0..self.components[at].parts.1 {
            let (part, order) = (self.parts[place], self.order.len());
            let mut rest = partition.cells[part.start as usize].and(&self.components[at].vertices);
            while let Some(vertex) = rest.first() {
                rest.clear(vertex);
                self.order.push(vertex);
            }
            if part.size > 1 {
                self.count_alike(order, part.size);
            }
        }
    }

    /// Records that the vertices from a place in the order on are interchangeable.
    #[inline]
    fn count_alike(&mut self, order: usize, size: u32) {
        // They contribute the symmetric group of degree `size`, whose order is written as its factors.
        self.factors.extend(2..=size);
        let alike = &self.order[order..order + size as usize];
        // Pairs of neighbours are enough for the orbit.
        if self.depth > 0 {
            self.pairs.extend(alike.windows(2).map(|pair| (pair[0], pair[1])));
        }
        if self.lists_groups {
            self.groups.push(alike.iter().map(|&vertex| vec![vertex]).collect());
        }
    }

    /// The number of components with the signature of the one at `begin`, from there on.
    fn rivals(&self, begin: usize) -> usize {
        let signature = |component: &Component<B>| self.parts[component.parts.0..component.parts.1].iter();
        let first = signature(&self.components[begin]);
        self.components[begin..].iter().take_while(|other| signature(other).eq(first.clone())).count()
    }

    /// Sorts components of equal signature by certificate, and counts those that are copies.
    fn sort_rivals(&mut self, begin: usize, end: usize) {
        for at in begin..end {
            self.components[at].certificate = self.certificates.len();
            let Component { order, size, .. } = self.components[at];
            let vertices = self.components[at].vertices.clone();
            // The certificate is the structure in canonical order, so equal certificates are an isomorphism, not only a likely one.
            self.certify(order, size as usize, &vertices);
        }
        // Equal signatures mean equal sizes, so certificates are equally long.
        let rows = self.components[begin].size as usize * self.structure.layers;
        let certificates = &self.certificates;
        let certificate = |component: &Component<B>| &certificates[component.certificate..component.certificate + rows];
        self.components[begin..end].sort_unstable_by(|a, b| certificate(a).cmp(certificate(b)));
        let mut begin = begin;
        while begin < end {
            let certificate = |at: usize| &self.certificates[self.components[at].certificate..][..rows];
            let next = (begin + 1..end).find(|&at| certificate(at) != certificate(begin)).unwrap_or(end);
            self.count_copies(begin, next);
            begin = next;
        }
    }

    /// Records that components are copies of each other: any permutation of `n` copies is an automorphism.
    fn count_copies(&mut self, begin: usize, end: usize) {
        // The group of the copies is a wreath product: the symmetric group on the copies here, and the group of each copy, whose factors
        // were put on the stack when it was solved.
        self.factors.extend(2..=number(end - begin));
        let block = |component: &Component<B>| component.order..component.order + component.size as usize;
        let copies = &self.components[begin..end];
        if self.depth > 0 {
            for pair in copies.windows(2) {
                let (one, other) = (&self.order[block(&pair[0])], &self.order[block(&pair[1])]);
                self.pairs.extend(one.iter().copied().zip(other.iter().copied()));
            }
        }
        if self.lists_groups && copies.len() > 1 {
            self.groups.push(copies.iter().map(|component| self.order[block(component)].to_vec()).collect());
        }
    }

    /// Puts the certificate of an order on the stack: the edges between its vertices, as bit rows by place in the order. Equal
    /// for two orders exactly when mapping one to the other place by place keeps every layer.
    pub(super) fn certify(&mut self, order: usize, size: usize, vertices: &B) {
        self.set_places(order, size);
        // Rows only: columns are their transposes, so they agree as well.
        for side in &self.structure.sides[..self.structure.layers] {
            let rows = self.structure.rows(side);
            for &vertex in &self.order[order..order + size] {
                self.certificates.push(moved(&rows[vertex as usize], vertices, &self.place));
            }
        }
    }

    /// Compares the certificate of an order with another one, up to the first difference.
    pub(super) fn compare(&mut self, order: usize, size: usize, vertices: &B, certificate: &[B]) -> Ordering {
        self.set_places(order, size);
        let mut theirs = certificate.iter();
        for side in &self.structure.sides[..self.structure.layers] {
            let rows = self.structure.rows(side);
            for (&vertex, theirs) in self.order[order..order + size].iter().zip(&mut theirs) {
                match moved(&rows[vertex as usize], vertices, &self.place).cmp(theirs) {
                    Ordering::Equal => {}
                    unequal => return unequal,
                }
            }
        }
        Ordering::Equal
    }

    /// Notes where each vertex of an order is; other entries of `place` are stale.
    fn set_places(&mut self, order: usize, size: usize) {
        for (place, &vertex) in (0..).zip(&self.order[order..order + size]) {
            self.place[vertex as usize] = place;
        }
    }
}

/// A row with its neighbours among `vertices` at their places.
#[inline]
fn moved<B: Bits>(row: &B, vertices: &B, place: &[u32]) -> B {
    // Joins with other components are all or nothing, hence alike for all vertices of a cell.
    let near = row.and(vertices);
    // The empty set, of the same width.
    let mut moved = near.xor(&near);
    for vertex in near.ones() {
        moved.set(place[vertex as usize]);
    }
    moved
}

/// Lists the vertices of a partition cell by cell.
fn list<B: Bits>(partition: &Partition<B>, order: &mut Vec<u32>) {
    for start in partition.starts() {
        order.extend(partition.cells[start as usize].ones());
    }
}
