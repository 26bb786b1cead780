//! Strongly connected components, judged one by one; a component may be split by removing nodes and decomposed again.
//!
//! Tarjan's algorithm with one number per node (Pearce, A space-efficient algorithm for finding strongly connected components, Information
//! Processing Letters 2016), without recursion. Only components with an inner edge are judged: the others have no infinite path.
//! Invariant: the numbers of nodes on the path are below the marks of finished nodes, as there are less than 2^32 - 3 nodes. When a
//! component is split, its remaining nodes become unvisited while the search continues around them. This is sound: nodes still on the
//! stack cannot be reached from them, or they would be in the same component. Deliberately elsewhere: what makes a component good
//! (`fair`).

/// A graph that is searched.
pub trait Successors {
    /// A node as the graph names it.
    type Node: Copy;
    /// A place among the edges of a node.
    type Place;

    /// The number of a node, by which it is marked.
    fn number(&self, node: Self::Node) -> usize;

    /// The beginning of the edges of a node.
    fn place(&self, node: Self::Node) -> Self::Place;

    /// The target of the edge at a place; the place moves on.
    fn next(&self, place: &mut Self::Place) -> Option<Self::Node>;
}

/// The decision on a component.
#[derive(Debug)]
pub enum Fate<N> {
    /// It is removed, with all its parts.
    Dropped,
    /// It is a result.
    Kept,
    /// These of its nodes remain, and are decomposed again; the others are removed. At least one node must be removed.
    Split(Vec<N>),
}

/// A component that is judged.
#[derive(Debug)]
pub struct Component<'a, N> {
    /// Its nodes, in the order in which the search left them.
    pub nodes: &'a [N],
    marks: &'a [u32],
}

impl<N> Component<'_, N> {
    /// Whether the node with this number is one of its nodes.
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.marks[number] == CURRENT
    }
}

/// The components that were kept.
#[derive(Debug)]
pub struct Components {
    marks: Vec<u32>,
    last_kept: u32,
}

impl Components {
    /// Whether any component was kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.last_kept == CURRENT
    }

    /// The stored component of the node with this number, by its index.
    #[must_use]
    pub fn of(&self, number: usize) -> Option<u32> {
        let mark = self.marks[number];
        (self.last_kept <= mark && mark < CURRENT).then_some(mark)
    }
}

/// Marks of nodes: not visited; on the path or waiting: the least number reached (Pearce's `rindex`); removed; being judged. Those below
/// `CURRENT`, from the top down, are the kept components.
const UNVISITED: u32 = 0;
const REMOVED: u32 = u32::MAX;
const CURRENT: u32 = u32::MAX - 1;

/// Roughly how many edges are examined between two tests whether to stop.
const PATIENCE: u32 = 1 << 14;

/// A node on the path of the depth-first search.
struct Frame<N> {
    node: N,
    number: usize,
    /// The position of its next target among those that wait, and of its first one.
    next: usize,
    first: usize,
    /// No earlier node on the path is known to be reachable from it.
    is_root: bool,
    has_loop: bool,
}

/// The state of a search.
struct Decomposition<'g, G: Successors> {
    graph: &'g G,
    marks: Vec<u32>,
    next_number: u32,
    last_kept: u32,
    path: Vec<Frame<G::Node>>,
    /// The targets of the nodes on the path that were unvisited when the node was entered, node by node.
    targets: Vec<G::Node>,
    /// Nodes that were left and whose component is not complete.
    waiting: Vec<G::Node>,
    /// Nodes that became unvisited when their component was split.
    again: Vec<G::Node>,
    patience: u32,
}

/// The strongly connected components that `judge` accepts, among those reachable from `roots` in a graph of `count` nodes. `None` if
/// interrupted.
pub fn decompose<G: Successors>(
    graph: &G,
    count: usize,
    roots: impl Iterator<Item = G::Node>,
    interrupted: &dyn Fn() -> bool,
    mut judge: impl FnMut(&Component<'_, G::Node>) -> Fate<G::Node>,
) -> Option<Components> {
    assert!(count < CURRENT as usize - 1, "numbers on the path are below the marks of kept components");
    let mut search = Decomposition {
        graph,
        marks: vec![UNVISITED; count],
        next_number: 1,
        last_kept: CURRENT,
        path: Vec::new(),
        targets: Vec::new(),
        waiting: Vec::new(),
        again: Vec::new(),
        patience: PATIENCE,
    };
    for root in roots {
        search.visit(root, interrupted, &mut judge)?;
    }
    // It ends, as each split removes a node.
    while let Some(root) = search.again.pop() {
        search.visit(root, interrupted, &mut judge)?;
    }
    debug_assert!(search.next_number == 1 && search.waiting.is_empty(), "every node that was entered belongs to a complete component");
    Some(Components { marks: search.marks, last_kept: search.last_kept })
}

impl<G: Successors> Decomposition<'_, G> {
    fn visit(
        &mut self,
        root: G::Node,
        interrupted: &dyn Fn() -> bool,
        judge: &mut impl FnMut(&Component<'_, G::Node>) -> Fate<G::Node>,
    ) -> Option<()> {
        let number = self.graph.number(root);
        // A root may have been reached from another one, or found again after a split.
        if self.marks[number] != UNVISITED {
            return Some(());
        }
        self.enter(root, number);
        while let Some(frame) = self.path.last_mut() {
            if self.patience == 0 {
                if interrupted() {
                    return None;
                }
                self.patience = PATIENCE;
            }
            match self.targets.get(frame.next) {
                Some(&next) => {
                    frame.next += 1;
                    let number = self.graph.number(next);
                    let mark = self.marks[number];
                    if mark == UNVISITED {
                        self.enter(next, number);
                    // Finished nodes have the largest marks and never pass this test: no flag "on the stack" is needed, which is Pearce's
                    // point.
                    } else if mark < self.marks[frame.number] {
                        self.marks[frame.number] = mark;
                        frame.is_root = false;
                    }
                }
                None => self.leave(judge),
            }
        }
        Some(())
    }

    /// Enters a node, and looks at all its edges at once: of nodes that were visited before, only the least mark counts, and rows are read
    /// from one end to the other.
    fn enter(&mut self, node: G::Node, number: usize) {
        let own = self.next_number;
        self.marks[number] = own;
        self.next_number += 1;
        let first = self.targets.len();
        let (mut least, mut has_loop, mut looked_at) = (own, false, 1);
        let mut place = self.graph.place(node);
        while let Some(next) = self.graph.next(&mut place) {
            looked_at += 1;
            let other = self.graph.number(next);
            // A self-loop is an inner edge even of a single node; it does not affect reachability.
            has_loop |= other == number;
            match self.marks[other] {
                UNVISITED => self.targets.push(next),
                mark => least = least.min(mark),
            }
        }
        self.marks[number] = least;
        self.patience = self.patience.saturating_sub(looked_at);
        self.path.push(Frame { node, number, next: first, first, is_root: least == own, has_loop });
    }

    fn leave(&mut self, judge: &mut impl FnMut(&Component<'_, G::Node>) -> Fate<G::Node>) {
        let Some(frame) = self.path.pop() else { return };
        self.targets.truncate(frame.first);
        if frame.is_root {
            self.complete(&frame, judge);
            return;
        }
        // Only non-roots wait: a trivial component never touches this stack.
        self.waiting.push(frame.node);
        let mark = self.marks[frame.number];
        let parent = self.path.last_mut().expect("from a node that is not a root, one before it on the path is reachable");
        if mark < self.marks[parent.number] {
            self.marks[parent.number] = mark;
            parent.is_root = false;
        }
    }

    /// The component of a root is complete: the root, and what waits with numbers that are not smaller.
    fn complete(&mut self, root: &Frame<G::Node>, judge: &mut impl FnMut(&Component<'_, G::Node>) -> Fate<G::Node>) {
        let own = self.marks[root.number];
        // Waiting nodes with smaller marks reach something before the root, so they belong to a component that is still open.
        let belongs = |node: &&G::Node| self.marks[self.graph.number(**node)] >= own;
        let others = self.waiting.iter().rev().take_while(belongs).count();
        // Numbers are released with the component, so they never exceed the number of open nodes.
        self.next_number -= 1 + others as u32;
        if others == 0 && !root.has_loop {
            self.marks[root.number] = REMOVED;
            return;
        }
        let mut nodes = self.waiting.split_off(self.waiting.len() - others);
        nodes.push(root.node);
        self.mark(&nodes, CURRENT);
        match judge(&Component { nodes: &nodes, marks: &self.marks }) {
            Fate::Dropped => self.mark(&nodes, REMOVED),
            Fate::Kept => {
                // A kept component takes a mark from the top but has released at least one number at the bottom: the two ranges never
                // overlap.
                self.last_kept -= 1;
                self.mark(&nodes, self.last_kept);
            }
            Fate::Split(remaining) => {
                assert!(remaining.len() < nodes.len(), "a component that is split loses a node");
                self.mark(&nodes, REMOVED);
                self.mark(&remaining, UNVISITED);
                // Not visited here: the search around them is not finished, and may reach them before they are taken from this list.
                self.again.extend(remaining);
            }
        }
    }

    fn mark(&mut self, nodes: &[G::Node], mark: u32) {
        for &node in nodes {
            self.marks[self.graph.number(node)] = mark;
        }
    }
}

#[cfg(test)]
mod tests;
