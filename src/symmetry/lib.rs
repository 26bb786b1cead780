//! Floor 4: symmetry of given sets: which elements may be permuted, and one representative per orbit of states.
//!
//! The parts of this folder: [`Symmetry::new`] asks `group` which elements a machine cannot tell apart;
//! [`Symmetry::canonical`] turns a state into a coloured structure (`encode`), gives it to a [`Labeller`] (`label`), and applies the
//! [`Permutation`] found. `exchange` lists what may be swapped in one state. A state whose structure would be too large is not labelled:
//! `trying` goes through the few permutations that colours leave. `exhaustive` is the slow reference. Elements that the machine names move
//! where its text, itself read as a structure, is symmetric in them (`group::named`): then the group is any, and each state is labelled
//! together with a skeleton that has this group.
//! Invariant: a representative is a really permuted input, never a graph label. A fault here can lose reduction, but cannot merge
//! states that are not symmetric.
//! Deliberately elsewhere: evaluation, which does not know that there are symmetries.

mod encode;
mod exchange;
mod exhaustive;
mod generators;
mod group;
mod label;
mod permutation;
pub mod statistics;
#[cfg(test)]
mod tests;
pub mod thresholds;
mod trying;

use crate::thresholds::{BRANCH_NODES, LARGE_STRUCTURE, LARGEST_STRUCTURE, LISTED_GROUP};
pub use encode::packed::{PackedScratch, PackedSymmetry};
pub use exchange::Exchangeable;
pub use group::conjunct_orbits::{ConjunctOrbits, LeastImages};
pub use group::movable::Detail;
pub use label::{Effort, Labeller, Labelling, Vertex};
pub use permutation::Permutation;

use bcheck_ir::{Model, Scope, SetId, Type};
use bcheck_source::{Vocabulary as _, vocabulary};
use bcheck_value::{Valuation, Value};
use group::skeleton::Skeleton;
use group::well_defined::Trust;
use label::Stop;
use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::Zero as _;
use smallvec::SmallVec;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use trying::Arrangements;

/// How a representative is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No reduction: every state represents itself.
    Off,
    /// One representative per orbit.
    #[default]
    Exact,
    /// Refinement and one arbitrary choice where it leaves any: sound, but an orbit may have several representatives.
    Fast,
    /// Elements sorted by their colours alone, without refinement: sound, and weaker still.
    Sorted,
    /// The least of all permuted states: one representative per orbit, in factorial time.
    Exhaustive,
}

vocabulary! { Mode,
    Exact: "exact", "One state per class of symmetric states";
    Fast: "fast", "Cheaper per state; may keep several states of a class";
    Sorted: "sorted", "Sorting only; may keep several states of a class";
    Exhaustive: "exhaustive", "All permutations: slow, the reference for exact";
    Off: "off", "No reduction";
}

/// The symmetry group of a machine at given sizes: the permutations of the movable elements of each given set, or those that preserve a
/// skeleton.
#[derive(Clone, Debug)]
pub struct Symmetry {
    mode: Mode,
    movable: group::Movable,
    detail: Detail,
    ground: encode::values::Ground,
    order: BigUint,
    node_budget: u32,
    /// None when all permutations are symmetries.
    skeleton: Option<Skeleton>,
    /// Generators of the group, if there is a skeleton.
    generators: Vec<Permutation>,
    /// All members of the group, enumerated on first use where they are tried one by one.
    members: OnceLock<Vec<Permutation>>,
    /// More words than this make a structure large.
    large: usize,
    /// Which conjuncts are images of each other.
    conjunct_orbits: ConjunctOrbits,
}

/// Working memory for [`Symmetry::canonical`]; one per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    builder: encode::values::Builder,
    labeller: Labeller,
    backs: group::skeleton::BackCache,
    stop: Stop,
}

impl Scratch {
    /// Working memory for representatives whose search ends when this flag is raised; they are then not exact.
    #[must_use]
    pub fn interruptible(flag: &Arc<AtomicBool>) -> Self {
        let stop = Stop::on(flag);
        let mut scratch = Self { stop: stop.clone(), ..Self::default() };
        scratch.builder.watch(stop.clone());
        scratch.labeller.watch(&stop);
        scratch
    }
}

/// The representative of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The input with `permutation` applied.
    pub state: Valuation,
    /// The permutation that was applied.
    pub permutation: Permutation,
    /// The size of the state's stabiliser; meaningless if `is_exact` is false.
    pub automorphisms: Automorphisms,
    /// Whether every member of the orbit has this representative.
    pub is_exact: bool,
}

/// The product of numbers, by divide and conquer, which multiplies factors of similar length.
fn product(factors: &[u32]) -> BigUint {
    if factors.len() <= 16 {
        return factors.iter().map(|&factor| BigUint::from(factor)).product();
    }
    let (first, second) = factors.split_at(factors.len() / 2);
    product(first) * product(second)
}

/// The size of a state's stabiliser as a product of small factors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Automorphisms(SmallVec<[u32; 8]>);

impl Automorphisms {
    /// The product of these factors, each at least 2.
    #[must_use]
    pub fn of(factors: &[u32]) -> Self {
        Self(factors.into())
    }

    /// The factors, each at least 2; none for the trivial group.
    #[must_use]
    pub fn factors(&self) -> &[u32] {
        &self.0
    }

    /// The order of the state's stabiliser.
    #[must_use]
    pub fn order(&self) -> BigUint {
        product(&self.0)
    }
}

impl Symmetry {
    /// Analyses a machine.
    #[must_use]
    pub fn new(model: &Model, scope: &Scope, mode: Mode) -> Symmetry {
        Self::analysed(model, scope, mode, Some(Trust::Invariant))
    }

    /// As [`new`](Self::new), for a search that does not check the invariant, which need not hold then.
    #[must_use]
    pub fn without_invariant(model: &Model, scope: &Scope, mode: Mode) -> Symmetry {
        Self::analysed(model, scope, mode, Some(Trust::Properties))
    }

    /// As [`new`](Self::new), without looking for permutations of elements that the machine names.
    #[must_use]
    pub fn of_unnamed(model: &Model, scope: &Scope, mode: Mode) -> Symmetry {
        Self::analysed(model, scope, mode, None)
    }

    /// Named elements stay where the text is not read.
    fn analysed(model: &Model, scope: &Scope, mode: Mode, text: Option<Trust>) -> Symmetry {
        if mode == Mode::Off {
            let why = vec!["symmetry reduction is switched off".to_owned()];
            return Self::of_elements(Vec::new(), Detail { why, ..Detail::default() }, mode);
        }
        let group::movable::Analysis { movable, detail, narrowed } = group::movable::analyse(model, scope, text);
        let mut symmetry = Self::of_elements(movable, detail, mode);
        if let Some((group, relations)) = narrowed {
            let ground = Self::of_all(symmetry.movable.clone());
            match Skeleton::new(ground, relations) {
                Some(skeleton) => symmetry.narrow(group, skeleton),
                // Without a canonical form of the skeleton, its image could not be mapped back: named elements stay fixed.
                None => return Self::analysed(model, scope, mode, None),
            }
        }
        // Without a symmetry of named elements, each conjunct is its own only image.
        if let Some(trust) = text
            && !symmetry.detail.generators.is_empty()
        {
            symmetry.conjunct_orbits = ConjunctOrbits::new(model, trust, &symmetry.generators());
        }
        symmetry.log();
        symmetry
    }

    /// Logs the result of the analysis, once for each machine.
    fn log(&self) {
        let Detail { movable, fixed, why, generators, .. } = &self.detail;
        // An order of thousands of digits would take long to write, and nobody would read it.
        let order = || match self.order.bits() {
            0..=200 => self.order.to_string(),
            bits => format!("about 2^{}", bits - 1),
        };
        tracing::debug!(
            target: "bcheck::symmetry",
            mode = self.mode.word(),
            ?movable,
            order = order(),
            ?generators,
            relations = self.relations().len(),
            nodes = self.skeleton.as_ref().map_or(0, Skeleton::nodes),
            "symmetry group"
        );
        for (set, elements) in fixed {
            tracing::debug!(target: "bcheck::symmetry", set, ?elements, "fixed");
        }
        for reason in why {
            tracing::debug!(target: "bcheck::symmetry", reason, "why elements are fixed");
        }
    }

    fn narrow(&mut self, group: group::Group, skeleton: Skeleton) {
        // The elements that move stay the same: only fewer of their permutations are symmetries.
        self.order = group.order;
        self.detail.order = self.order.clone();
        self.detail.is_narrowed = true;
        self.generators = group.generators;
        self.skeleton = Some(skeleton);
    }

    /// All permutations of these elements.
    fn of_all(movable: group::Movable) -> Symmetry {
        Self::of_elements(movable, Detail::default(), Mode::Exact)
    }

    fn of_elements(movable: group::Movable, detail: Detail, mode: Mode) -> Symmetry {
        // The product of factorials: sets are permuted independently of each other.
        let order: BigUint = movable.iter().map(|(_, elements)| product(&(1..).take(elements.len()).collect::<Vec<u32>>())).product();
        let ground = encode::values::Ground::new(&movable);
        let detail = Detail { order: order.clone(), ..detail };
        Symmetry {
            mode,
            movable,
            detail,
            ground,
            order,
            node_budget: BRANCH_NODES.get(),
            skeleton: None,
            generators: Vec::new(),
            members: OnceLock::new(),
            large: LARGE_STRUCTURE.get(),
            conjunct_orbits: ConjunctOrbits::default(),
        }
    }

    /// All elements of given sets of these sizes, movable.
    #[cfg(test)]
    fn over(sizes: &[u32], mode: Mode) -> Symmetry {
        let movable = (0..).map(SetId).zip(sizes).map(|(set, &size)| (set, (0..size).collect())).collect();
        Self::of_elements(movable, Detail::default(), mode)
    }

    /// How representatives are found.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the group has one member.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        // An element that is the only movable one of its set has no vertex.
        self.ground.elements.is_empty()
    }

    /// The order of the group: without a skeleton, the product of the factorials of the numbers of movable elements.
    #[must_use]
    pub fn group_order(&self) -> BigUint {
        self.order.clone()
    }

    /// Whether some of these are symmetries only of states that satisfy the invariant.
    #[must_use]
    pub fn relies_on_invariant(&self, model: &Model, scope: &Scope) -> bool {
        !self.detail.generators.is_empty() && Self::without_invariant(model, scope, self.mode).order != self.order
    }

    /// The number of states symmetric to one with these automorphisms.
    ///
    /// # Panics
    /// When the automorphisms cannot be a subgroup of this group, because its order is not divisible by theirs.
    #[must_use]
    pub fn orbit_size(&self, automorphisms: &Automorphisms) -> BigUint {
        let (size, rest) = self.order.div_rem(&automorphisms.order());
        assert!(rest.is_zero(), "the order of a subgroup divides the order of the group");
        size
    }

    /// The indices of the elements that may move, by set; sets without any are left out.
    #[must_use]
    pub fn movable(&self) -> &[(SetId, Vec<u32>)] {
        &self.movable
    }

    /// Which conjuncts of the invariant, and which assertions, are images of each other.
    #[must_use]
    pub fn conjunct_orbits(&self) -> &ConjunctOrbits {
        &self.conjunct_orbits
    }

    /// Which elements may move, which may not and why, in names.
    #[must_use]
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// Whether values of this type can change under the group.
    #[must_use]
    pub fn moves_type(&self, ty: &Type) -> bool {
        ty.mentions(&mut |set| self.ground.elements.iter().any(|element| element.set == set))
    }

    /// The representative of a valuation (or of the constants alone).
    #[must_use]
    pub fn canonical(&self, state: &[Value], scratch: &mut Scratch) -> Canonical {
        if self.is_trivial() {
            return Canonical {
                state: state.to_vec(),
                permutation: Permutation::identity(),
                automorphisms: Automorphisms::default(),
                is_exact: true,
            };
        }
        if self.mode == Mode::Exhaustive {
            return self.least(state, scratch);
        }
        // Whether a state is large depends on orbit invariants alone, so that all members of an orbit get their representative by the same
        // method. Even reading a crowded state takes long, so it is read only if trying yields no representative.
        let is_crowded = trying::is_crowded(state);
        let mut words = if is_crowded { usize::MAX } else { self.read(state, scratch) };
        if words > self.large {
            let stop = scratch.stop.clone();
            // The structure needs memory quadratic in its vertices; ordering elements by colours and trying the rest does not.
            let arrangements = Arrangements::new(self, state, &stop);
            let tried = if self.mode == Mode::Exact { arrangements.canonical() } else { None };
            if tried.is_none() && is_crowded {
                words = self.read(state, scratch);
            }
            if tried.is_some() || words > LARGEST_STRUCTURE.get() || stop.is_raised() {
                return tried.unwrap_or_else(|| arrangements.unfinished());
            }
        }
        scratch.builder.give(&mut scratch.labeller);
        let effort = match self.mode {
            Mode::Exact => Effort::Exact { nodes: self.node_budget },
            Mode::Fast => Effort::Fast,
            // Not `Exhaustive`, which has returned, nor `Off`, whose group is trivial.
            _ => Effort::Sorted,
        };
        let labelling = scratch.labeller.label(effort);
        let permutation = self.permutation(labelling.order);
        // The skeleton is part of the structure, so these are automorphisms of the state that lie in the group.
        let automorphisms = Automorphisms(labelling.factors.into());
        // The group is the stabiliser of the skeleton in all permutations. The order was found for state and skeleton together, so it may
        // have moved the skeleton; composing with the permutation that maps it back yields a member of the group.
        let (permutation, is_back) = match &self.skeleton {
            None => (permutation, true),
            Some(skeleton) => {
                let back = skeleton.back(permutation.apply_all(&skeleton.relations), &mut scratch.backs);
                // If the skeleton cannot be led back, a state represents itself, which is sound.
                back.map_or_else(|| (Permutation::identity(), false), |back| (permutation.then(&back), true))
            }
        };
        Canonical { state: permutation.apply_all(state), permutation, automorphisms, is_exact: labelling.is_exact && is_back }
    }

    /// The least of all images of a state: the representative of the reference mode.
    fn least(&self, state: &[Value], scratch: &Scratch) -> Canonical {
        let (state, permutation, fixing) = match &self.skeleton {
            // Members are tried from a list or, if they are too many, by filtering all permutations for those that preserve the skeleton.
            Some(_) if self.order <= LISTED_GROUP.get().into() => exhaustive::least_of(self.members(), state, &scratch.stop),
            Some(skeleton) => exhaustive::least(&self.movable, state, &|permutation| skeleton.keeps(permutation), &scratch.stop),
            None => exhaustive::least(&self.movable, state, &|_| true, &scratch.stop),
        };
        if scratch.stop.is_raised() {
            return Canonical { state, permutation, automorphisms: Automorphisms::default(), is_exact: false };
        }
        let fixing = u32::try_from(fixing).expect("an exhaustive search of more than 2^32 permutations does not end");
        let factors = [fixing].into_iter().filter(|&factor| factor > 1).collect();
        Canonical { state, permutation, automorphisms: Automorphisms(factors), is_exact: true }
    }

    /// Reads the structure of a state; returns its size in words.
    fn read(&self, state: &[Value], scratch: &mut Scratch) -> usize {
        scratch.builder.read(&self.ground, state.iter().chain(self.relations())).words()
    }

    /// All members of a group with a skeleton.
    fn members(&self) -> &[Permutation] {
        self.members.get_or_init(|| group::members(&self.generators))
    }

    /// The relations of the skeleton.
    fn relations(&self) -> &[Value] {
        self.skeleton.as_ref().map_or(&[], |skeleton| &skeleton.relations)
    }

    /// Blocks of elements that can be swapped in a state without changing it: as many as the canonical order shows, none in other modes
    /// than [`Mode::Exact`].
    #[must_use]
    pub fn exchangeable(&self, state: &[Value], scratch: &mut Scratch) -> Exchangeable {
        if self.is_trivial() || self.mode != Mode::Exact {
            return Exchangeable::default();
        }
        // By the rule of `canonical`: a large state is not labelled. That loses swaps, which only save work.
        if trying::is_crowded(state) || self.read(state, scratch) > self.large {
            return Exchangeable::default();
        }
        scratch.builder.give(&mut scratch.labeller);
        let groups = scratch.labeller.groups(self.node_budget);
        // Auxiliary vertices, which have no element, go with the elements that are in them.
        let elements = |block: &Vec<Vertex>| block.iter().filter_map(|vertex| self.ground.elements.get(vertex.index()).copied()).collect();
        let groups = groups.iter().map(|group| group.iter().map(elements).collect()).collect();
        Exchangeable::verified(groups, state, self.relations())
    }

    /// The permutation that maps the k-th element of each set in the given order of vertices to the set's k-th movable index.
    fn permutation(&self, order: &[Vertex]) -> Permutation {
        let mut arrangements: Vec<Vec<u32>> = self.movable.iter().map(|_| Vec::new()).collect();
        for element in order.iter().filter_map(|vertex| self.ground.elements.get(vertex.index())) {
            let at = self.movable.iter().position(|(set, _)| *set == element.set).expect("vertices are movable elements");
            arrangements[at].push(element.index);
        }
        // A single movable element has no vertex (see `Ground::new`), so it is in no order.
        for (arrangement, (_, elements)) in arrangements.iter_mut().zip(&self.movable) {
            if elements.len() == 1 {
                arrangement.clone_from(elements);
            }
        }
        exhaustive::arrange(&self.movable, &arrangements)
    }
}
