//! Fairness of every single instance, on a graph of representatives, where each step renames.
//!
//! An instance that has one name in the state before a step has another one in the representative of the state after. Along a path an
//! instance is a *thread* of nodes, each a product state and the name that the instance has there. Inside a strongly connected component
//! of the product, from whatever node is reached the first one is reached again: a cycle of product states permutes names, and a power of
//! the permutation is the identity. So the nodes reachable from a node are a component of the graph of threads.
//! Where no step renames, as always without symmetry, a thread is one name at every product state: then its nodes are counted, not
//! visited.
//!
//! A thread that is enabled nowhere imposes no condition. Weak fairness of another one is satisfied if it is disabled at some node or
//! taken by some step, strong fairness if it is taken; a closed walk through the whole component satisfies all. Where a thread is enabled
//! and never taken, each instance of every fair path must avoid its enabled nodes, so their product states are removed, and the rest is
//! decomposed again.
//! Invariant: all names that an instance can get inside a component are nodes of one thread, so a verdict on a thread is one on each
//! instance that lives through it. This does not require a state to be the only representative of its class. Deliberately elsewhere: what
//! an instance is and where steps come from (`explore::temporal`), the loop that serves all (`tour`).

use super::components::Fate;
use super::graph::{StateNumber, StepOrdinal};
use super::product::{Arc, Product};
use super::product_states::ProductState;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

bcheck_source::numbers! {
    /// An instance, by its name in a state.
    pub InstanceName;
    /// The number of a permutation of names.
    pub Renaming;
    /// The position of a product state in a component.
    pub(super) MemberPosition;
}

/// A step of a state, as seen by single instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceStep {
    /// Its target.
    pub to: StateNumber,
    /// Its propositions.
    pub letter: u64,
    /// The instance that it takes, by its name in the state before.
    pub instance: InstanceName,
    /// How it renames, for [`InstanceSteps::renamed`].
    pub renaming: Renaming,
}

/// The steps of a state, individually, however many share a target and letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSteps {
    steps: Vec<InstanceStep>,
    /// The instances that some step takes, sorted.
    enabled: Vec<InstanceName>,
}

impl StateSteps {
    /// All steps of a state, in a stable order.
    #[must_use]
    pub fn new(steps: Vec<InstanceStep>) -> Self {
        let mut enabled: Vec<InstanceName> = steps.iter().map(|step| step.instance).collect();
        enabled.sort_unstable();
        enabled.dedup();
        Self { steps, enabled }
    }
}

/// The steps of the states of a graph, with their effects on instances.
pub trait InstanceSteps {
    /// All steps of a state that is not open; `None` if they cannot be made, as after an interrupt.
    fn of_state(&self, state: StateNumber) -> Option<Rc<StateSteps>>;

    /// The name that an instance has after a step that renames in this manner. Renamings are permutations, and by them only finitely many
    /// names are reached from one.
    fn renamed(&self, instance: InstanceName, renaming: Renaming) -> InstanceName;

    /// Whether any instance gets another name by it.
    fn renames(&self, renaming: Renaming) -> bool;
}

/// The assumption that paths are fair to each instance.
#[derive(Clone, Copy)]
pub struct EachInstance<'a> {
    /// Strong fairness; otherwise weak.
    pub is_strong: bool,
    /// The steps of the graph.
    pub steps: &'a dyn InstanceSteps,
}

/// A node of a thread: the position of a product state, and an instance by its name there.
pub(super) type ThreadNode = (MemberPosition, InstanceName);

/// A step from a product state to another one of the same component.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadLink {
    /// The position of its target.
    pub(super) to: MemberPosition,
    /// The step, as a position among those of the state.
    pub(super) ordinal: StepOrdinal,
}

/// The threads of a strongly connected component of a product.
pub(super) struct Threads<'a> {
    product: &'a Product<'a>,
    pub(super) fairness: EachInstance<'a>,
    /// The product states of the component by position.
    pub(super) product_states: Vec<ProductState>,
    positions: FxHashMap<ProductState, MemberPosition>,
    /// By position of a product state: the steps of its state.
    steps: Vec<Rc<StateSteps>>,
    links: Vec<ThreadLink>,
    /// The beginning of the links of a product state, by position; then the end of the last ones.
    starts: Vec<usize>,
    /// Whether no link renames.
    pub(super) is_still: bool,
}

/// Where the instances of a thread are enabled and whether a step takes them.
#[derive(Debug, Default)]
struct Happening {
    is_taken: bool,
    is_disabled: bool,
    /// The positions of the product states where it is enabled.
    enabled: Vec<MemberPosition>,
}

/// How many nodes are examined between two tests whether to stop.
const PATIENCE: usize = 1 << 10;

impl<'a> Threads<'a> {
    /// The threads of a component with these product states; `None` if interrupted.
    pub(crate) fn new(
        product: &'a Product<'a>,
        fairness: EachInstance<'a>,
        product_states: Vec<ProductState>,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        // A product state has many nodes, so they refer to product states by position; the numbers of the set of all product states would
        // be too sparse.
        let members = product_states.iter().copied();
        let positions: FxHashMap<ProductState, MemberPosition> = members.zip(MemberPosition::all(product_states.len())).collect();
        let mut threads =
            Self { product, fairness, product_states, positions, steps: Vec::new(), links: Vec::new(), starts: vec![0], is_still: true };
        for position in 0..threads.product_states.len() {
            // Steps are made for each product state, so they take longer than nodes.
            if interrupted() {
                return None;
            }
            let product_state = threads.product_states[position];
            let steps = fairness.steps.of_state(product_state.state)?;
            let inside = product.inner_arcs(product_state).filter_map(|arc| Some((threads.read(&arc), *threads.positions.get(&arc.to)?)));
            // The graph merges steps with equal target and letter into one edge, yet each of them takes and renames different instances: so
            // steps are recomputed, and matched with edges by target and letter.
            let mut ends: Vec<((StateNumber, u64), MemberPosition)> = inside.collect();
            ends.sort_unstable();
            ends.dedup();
            for (step, ordinal) in steps.steps.iter().zip(StepOrdinal::all(steps.steps.len())) {
                // Several edges may match a step, one for each target in the automaton; none matches if the step leaves the component.
                let wanted = (step.to, step.letter);
                let first = ends.partition_point(|(end, _)| *end < wanted);
                let fitting = ends[first..].iter().take_while(|(end, _)| *end == wanted);
                let before = threads.links.len();
                threads.links.extend(fitting.map(|&(_, to)| ThreadLink { to, ordinal }));
                threads.is_still &= threads.links.len() == before || !fairness.steps.renames(step.renaming);
            }
            threads.steps.push(steps);
            threads.starts.push(threads.links.len());
        }
        Some(threads)
    }

    /// The key by which steps are matched with edges.
    fn read(&self, arc: &Arc) -> (StateNumber, u64) {
        (arc.to.state, self.product.graph.step(arc.letter))
    }

    /// The positions of all product states of the component.
    fn all_positions(&self) -> impl Iterator<Item = MemberPosition> {
        MemberPosition::all(self.product_states.len())
    }

    /// The position of a product state of the component.
    pub(super) fn position(&self, product_state: ProductState) -> MemberPosition {
        self.positions[&product_state]
    }

    pub(crate) fn links(&self, position: MemberPosition) -> &[ThreadLink] {
        &self.links[self.starts[position.index()]..self.starts[position.index() + 1]]
    }

    pub(super) fn step(&self, position: MemberPosition, link: ThreadLink) -> InstanceStep {
        self.steps[position.index()].steps[link.ordinal.index()]
    }

    pub(super) fn is_enabled(&self, (position, instance): ThreadNode) -> bool {
        self.steps[position.index()].enabled.binary_search(&instance).is_ok()
    }

    /// The target of a link from a node.
    pub(super) fn next(&self, (position, instance): ThreadNode, link: ThreadLink) -> ThreadNode {
        (link.to, self.fairness.steps.renamed(instance, self.step(position, link).renaming))
    }

    /// The edge of the product that a link belongs to.
    pub(super) fn arc(&self, position: MemberPosition, link: ThreadLink) -> Arc {
        let InstanceStep { to, letter, .. } = self.step(position, link);
        let end = self.product_states[link.to.index()];
        let mut arcs = self.product.inner_arcs(self.product_states[position.index()]);
        arcs.find(|arc| arc.to == end && self.read(arc) == (to, letter)).expect("a link was made of an edge")
    }

    /// The first link that belongs to an edge inside the component.
    pub(super) fn link(&self, position: MemberPosition, arc: &Arc) -> ThreadLink {
        let (to, read) = (self.position(arc.to), self.read(arc));
        let fits = |link: &&ThreadLink| {
            let InstanceStep { to: state, letter, .. } = self.step(position, **link);
            link.to == to && (state, letter) == read
        };
        *self.links(position).iter().find(fits).expect("an edge stands for at least one step")
    }

    /// The decision on the component; `None` if interrupted.
    pub(super) fn judge(&self, interrupted: &dyn Fn() -> bool) -> Option<Fate<ProductState>> {
        let mut avoided: FxHashSet<MemberPosition> = FxHashSet::default();
        let mut is_hopeless = false;
        // The conditions of `fair`, for each thread in the place of each assumption.
        self.each_thread(interrupted, &mut |_, happening| {
            if self.fairness.is_strong && !happening.is_taken {
                // No step of the component takes it, hence no step of any part: its enabled nodes are avoided, and with a node its whole
                // product state, since a path that visits the product state carries all instances at once.
                avoided.extend(happening.enabled);
            }
            // Enabled at every node and never taken: this also holds in every part, so no removal helps.
            is_hopeless |= !self.fairness.is_strong && !happening.is_taken && !happening.is_disabled;
        })?;
        if is_hopeless {
            return Some(Fate::Dropped);
        }
        if avoided.is_empty() {
            return Some(Fate::Kept);
        }
        let remaining = self.product_states.iter().zip(self.all_positions()).filter(|(_, position)| !avoided.contains(position));
        Some(Fate::Split(remaining.map(|(&product_state, _)| product_state).collect()))
    }

    /// The names at a position of the instances that are enabled somewhere, sorted; `None` if interrupted.
    pub(super) fn concerned(&self, position: MemberPosition, interrupted: &dyn Fn() -> bool) -> Option<Vec<InstanceName>> {
        let mut concerned = Vec::new();
        self.each_thread(interrupted, &mut |nodes, _| {
            concerned.extend(nodes.iter().filter(|node| self.is_still || node.0 == position).map(|node| node.1));
        })?;
        concerned.sort_unstable();
        Some(concerned)
    }

    /// Visits all threads that are enabled somewhere, each with its nodes, or one of them where no step renames; `None` if interrupted.
    fn each_thread(&self, interrupted: &dyn Fn() -> bool, visit: &mut dyn FnMut(&[ThreadNode], Happening)) -> Option<()> {
        if self.is_still {
            for (instance, happening) in self.of_names(interrupted)? {
                visit(&[(happening.enabled[0], instance)], happening);
            }
            return Some(());
        }
        // Threads are disjoint, as components are, so one set serves all. Those that are enabled nowhere demand nothing and are not
        // entered.
        let mut visited: FxHashSet<ThreadNode> = FxHashSet::default();
        for (steps, position) in self.steps.iter().zip(self.all_positions()) {
            for &instance in &steps.enabled {
                let first = (position, instance);
                if visited.insert(first) {
                    let (nodes, happening) = self.thread(first, &mut visited, interrupted)?;
                    visit(&nodes, happening);
                }
            }
        }
        Some(())
    }

    /// As for threads, where no step renames, by name: for those that are enabled somewhere. `None` if interrupted.
    fn of_names(&self, interrupted: &dyn Fn() -> bool) -> Option<BTreeMap<InstanceName, Happening>> {
        let mut by_name: BTreeMap<InstanceName, Happening> = BTreeMap::new();
        for (steps, position) in self.steps.iter().zip(self.all_positions()) {
            if position.index().is_multiple_of(PATIENCE) && interrupted() {
                return None;
            }
            for &instance in &steps.enabled {
                by_name.entry(instance).or_default().enabled.push(position);
            }
            for &link in self.links(position) {
                // The step is one of this product state, so what it takes is enabled here.
                by_name.entry(self.step(position, link).instance).or_default().is_taken = true;
            }
        }
        for happening in by_name.values_mut() {
            happening.is_disabled = happening.enabled.len() < self.product_states.len();
        }
        Some(by_name)
    }

    /// The thread of a node that is visited first, and the events along it; `None` if interrupted.
    fn thread(
        &self,
        first: ThreadNode,
        visited: &mut FxHashSet<ThreadNode>,
        interrupted: &dyn Fn() -> bool,
    ) -> Option<(Vec<ThreadNode>, Happening)> {
        let (mut nodes, mut happening) = (vec![first], Happening::default());
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            if at.is_multiple_of(PATIENCE) && interrupted() {
                return None;
            }
            if self.is_enabled(node) {
                // A product state occurs twice if two names of the thread are enabled there. That is harmless: callers read a set.
                happening.enabled.push(node.0);
            } else {
                happening.is_disabled = true;
            }
            for &link in self.links(node.0) {
                // Links are inside the component; a step that leaves it is taken at most once.
                happening.is_taken |= self.step(node.0, link).instance == node.1;
                let next = self.next(node, link);
                if visited.insert(next) {
                    nodes.push(next);
                }
            }
        }
        Some((nodes, happening))
    }
}
