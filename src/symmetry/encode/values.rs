//! From a state to its coloured, layered structure: the state graph.
//!
//! Vertices are the movable elements, then one auxiliary vertex per distinct nested value that contains some. What cannot move is
//! colour: a tuple with one movable component is a fact about that element, a tuple with two an edge in the layer of its
//! variable and fixed components; only tuples with more, and values inside values, need vertices of their own (hash-consed).
//! A set-valued function is read as the relation it curries.
//! Invariant (faithfulness): an automorphism of the structure is determined by what it does to the movable elements, and those
//! that extend to automorphisms are exactly the permutations that keep the state. Hence: tuples inside nested values always have
//! a vertex; equal nested values share one; loops are colours; colours are compared exactly and ordered by the values of fixed
//! parts only. Source: Turner, Leuschel, Spermann, Butler 2007 (state graphs), flattened.

use super::description;
use crate::group::Movable;
use crate::label::{Labeller, Stop, Vertex};
use crate::permutation::never_moves;
use bcheck_value::{Element, Set, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The vertices of movable elements, computed once per run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    /// By set and index: the vertex, or [`FIXED`].
    vertex: Vec<Vec<Vertex>>,
    /// By set: the mask of the movable elements with an index below 64.
    mask: Vec<u64>,
    /// By vertex: the element.
    pub(crate) elements: Vec<Element>,
}

/// Stands for the vertex of an element that does not move.
const FIXED: Vertex = Vertex::new(u32::MAX);

impl Ground {
    /// Gives every movable element a vertex, except where a set has only one, which cannot move.
    pub(crate) fn new(movable: &Movable) -> Self {
        let mut ground = Ground::default();
        for (set, indices) in movable.iter().filter(|(_, indices)| indices.len() > 1) {
            ground.vertex.resize(set.index() + 1, Vec::new());
            ground.mask.resize(set.index() + 1, 0);
            for &index in indices {
                let part = &mut ground.vertex[set.index()];
                part.resize(index as usize + 1, FIXED);
                part[index as usize] = Vertex::new(u32::try_from(ground.elements.len()).expect("fewer than 2^32 movable elements"));
                if index < 64 {
                    ground.mask[set.index()] |= 1 << index;
                }
                ground.elements.push(Element { set: *set, index });
            }
        }
        ground
    }

    /// The vertex of an element that can move.
    fn vertex(&self, element: Element) -> Option<Vertex> {
        let vertex = *self.vertex.get(element.set.index())?.get(element.index as usize)?;
        (vertex != FIXED).then_some(vertex)
    }
}

/// The subject of a fact or a layer. The order of labels is the order of colours and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    /// The part of the state, or the kind of nested value.
    site: u32,
    /// Which components of a tuple are vertices, or which component is the target of an edge.
    columns: u64,
    /// The fixed components: an index into the pool of fixed values while building, its rank (from 1) afterwards; 0 for none.
    fixed: u32,
}

const GIVEN: u32 = 0;
const TUPLE: u32 = 1;
const NESTED_SET: u32 = 2;
const DESCRIPTION: u32 = 3;
const COMPONENT: u32 = 4;
const ELEMENT: u32 = 5;
const CONSTRUCTED: u32 = 6;
/// Part `k` of the state has the three sites from `SITES + 3 * k`.
const SITES: u32 = 7;
/// The sites of a part: its members (or itself), its arguments if it is a set-valued function, its description.
const MEMBER: u32 = 0;
const ARGUMENT: u32 = 1;
const WHOLE: u32 = 2;

/// Tuples with at most this many components list those that are vertices in a mask; it has to fit [`Label::columns`].
const MAX_COLUMNS: usize = 60;

/// Working memory for building structures, reused from state to state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    /// Parts of colours: a label and the vertex that has it.
    facts: Vec<(Label, Vertex)>,
    edges: Vec<(Label, Vertex, Vertex)>,
    /// Fixed values that occur in labels, with repetitions.
    pool: Vec<Value>,
    /// The nested values found so far (hash-consing): their vertex, or `None` for fixed ones.
    nested: FxHashMap<Value, Option<Vertex>>,
    vertices: u32,
    parts: u32,
    layers: usize,
    stop: Stop,
    /// Whether `stop` was seen to be raised.
    is_stopped: bool,
}

/// The size of a structure; isomorphic ones are equally large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    vertices: usize,
    layers: usize,
}

impl Size {
    /// The number of words of its rows and columns.
    pub(crate) fn words(self) -> usize {
        2 * self.layers * self.vertices * self.vertices.div_ceil(64)
    }
}

/// The number of vertices between two polls of the flag.
const VERTICES_AT_ONCE: u32 = 1 << 12;

type Leaves<'a> = SmallVec<[&'a Value; 8]>;

impl Builder {
    /// Lets a flag end the reading of a state, which is then of no use.
    pub(crate) fn watch(&mut self, stop: Stop) {
        self.stop = stop;
    }

    /// Reads a state; returns the size of its structure, which [`give`](Self::give) passes to a labeller.
    pub(crate) fn read<'v>(&mut self, ground: &Ground, state: impl IntoIterator<Item = &'v Value>) -> Size {
        self.is_stopped = false;
        self.facts.clear();
        self.edges.clear();
        self.pool.clear();
        self.nested.clear();
        self.parts = 0;
        self.vertices = u32::try_from(ground.elements.len()).expect("fewer than 2^32 movable elements");
        // The least label of all: the set of an element comes first in its colour, so elements of different sets never share a cell, nor
        // do auxiliary vertices, which lack this label, share one with elements.
        for (vertex, element) in Vertex::all(ground.elements.len()).zip(&ground.elements) {
            self.facts.push((Label { site: GIVEN, columns: u64::from(element.set.0), fixed: 0 }, vertex));
        }
        for value in state {
            self.part(ground, value);
        }
        self.finish();
        self.layers = self.edges.chunk_by(|(a, _, _), (b, _, _)| a == b).count();
        Size { vertices: self.vertices as usize, layers: self.layers }
    }

    /// A part of the state that is not inside a set: tuples and records of parts are several parts.
    fn part(&mut self, ground: &Ground, value: &Value) {
        // The types of variables determine the number of parts, so equal numbers mean corresponding parts in all states.
        match value {
            Value::Pair(pair) => {
                self.part(ground, &pair.0);
                self.part(ground, &pair.1);
                return;
            }
            Value::Record(fields) => {
                fields.iter().for_each(|(_, field)| self.part(ground, field));
                return;
            }
            // No permutation changes these, so that they distinguish no vertices.
            Value::Bool(_) | Value::Integer(_) | Value::String(_) => {}
            Value::Element(element) => {
                if let Some(vertex) = ground.vertex(*element) {
                    self.facts.push((self.label(MEMBER), vertex));
                }
            }
            Value::Set(set) => self.relation(ground, set),
            Value::Free(_) | Value::Symbolic(_) => {
                if let Some(vertex) = self.node(ground, value) {
                    self.facts.push((self.label(WHOLE), vertex));
                }
            }
        }
        self.parts += 1;
    }

    fn label(&self, kind: u32) -> Label {
        Label { site: SITES + 3 * self.parts + kind, columns: 0, fixed: 0 }
    }

    /// A part of the state that is an explicit set.
    fn relation(&mut self, ground: &Ground, set: &Set) {
        if set.first_element().is_none_or(|first| never_moves(&first)) {
            return;
        }
        // `{a |-> {x, y}, b |-> {}}` is read as edges from `a` to `x` and `y`, which needs no vertices for the nested sets.
        if is_set_valued_function(set) {
            for pair in set.iter() {
                let Some((argument, Value::Set(images))) = pair.as_pair() else { continue };
                self.curried(ground, argument, images);
            }
        } else {
            let label = self.label(MEMBER);
            set.iter().for_each(|element| self.place(ground, label, &leaves(&element), None));
        }
    }

    /// One argument of a set-valued function with its images.
    fn curried(&mut self, ground: &Ground, argument: &Value, images: &Set) {
        let mut fixed = Vec::new();
        let label = self.label(MEMBER);
        let arguments = leaves(argument);
        for image in images.iter() {
            let own = leaves(&image);
            if own.iter().all(|leaf| self.node(ground, leaf).is_none()) {
                fixed.push(image.clone());
            } else {
                let tuple: Leaves<'_> = arguments.iter().copied().chain(own).collect();
                self.place(ground, label, &tuple, None);
            }
        }
        // The argument is in the domain, also if it is mapped to the empty set; and the images that cannot move are part of the label.
        let rest = Value::Set(Set::from_sorted(fixed));
        let label = self.label(ARGUMENT);
        self.place(ground, label, &arguments, Some(rest));
    }

    /// A tuple that belongs to a part of the state, as colour, edge or vertex.
    fn place(&mut self, ground: &Ground, label: Label, leaves: &[&Value], extra: Option<Value>) {
        let (vertices, mut fixed) = self.divide(ground, leaves);
        fixed.extend(extra);
        // A tuple without vertices is the same in all states of the orbit.
        if vertices.is_empty() {
            return;
        }
        let label = self.describe(label, &vertices, fixed, leaves.len());
        // The label consists of the columns that are vertices and the fixed components, so with its vertices it determines the tuple. In a
        // loop both columns are vertices, so its label differs from that of a tuple with one.
        match vertices[..] {
            [(_, vertex)] => self.facts.push((label, vertex)),
            [(_, first), (_, second)] if first == second => self.facts.push((label, first)),
            [(_, first), (_, second)] => self.edges.push((label, first, second)),
            _ => {
                let tuple = self.fresh(label);
                self.connect(tuple, COMPONENT, &vertices);
            }
        }
    }

    /// Divides leaves into vertices, with their columns, and fixed values, in order.
    fn divide(&mut self, ground: &Ground, leaves: &[&Value]) -> (SmallVec<[(u32, Vertex); 4]>, Vec<Value>) {
        let mut vertices = SmallVec::new();
        let mut fixed = Vec::new();
        for (column, leaf) in (0..).zip(leaves) {
            match self.node(ground, leaf) {
                Some(vertex) => vertices.push((column, vertex)),
                None => fixed.push(Value::clone(leaf)),
            }
        }
        (vertices, fixed)
    }

    /// Completes a tuple's label: which columns are vertices, and what is in the other ones.
    fn describe(&mut self, label: Label, vertices: &[(u32, Vertex)], mut fixed: Vec<Value>, width: usize) -> Label {
        if width <= MAX_COLUMNS {
            let columns = vertices.iter().fold(0, |mask, &(column, _)| mask | 1 << column);
            return Label { columns, fixed: self.pooled(fixed), ..label };
        }
        // Too wide for a mask: a fixed value lists the columns that are vertices.
        let columns = vertices.iter().map(|&(column, _)| Value::integer(i64::from(column)));
        fixed.push(Value::Set(Set::from_sorted(columns.collect())));
        Label { fixed: self.pooled(fixed), ..label }
    }

    /// Adds an auxiliary vertex with this label.
    fn fresh(&mut self, label: Label) -> Vertex {
        let vertex = Vertex::new(self.vertices);
        if self.vertices.is_multiple_of(VERTICES_AT_ONCE) {
            self.is_stopped |= self.stop.is_raised();
        }
        self.vertices += 1;
        self.facts.push((label, vertex));
        vertex
    }

    /// Adds edges from an auxiliary vertex to its components, in layers by column.
    fn connect(&mut self, owner: Vertex, site: u32, vertices: &[(u32, Vertex)]) {
        for &(column, vertex) in vertices {
            self.edges.push((Label { site, columns: u64::from(column), fixed: 0 }, owner, vertex));
        }
    }

    /// One place in the pool for a list of fixed values (its length is known from the columns).
    fn pooled(&mut self, fixed: Vec<Value>) -> u32 {
        let Some(value) = fixed.into_iter().reduce(Value::pair) else { return 0 };
        self.pool.push(value);
        u32::try_from(self.pool.len()).expect("fewer than 2^32 tuples")
    }

    /// The vertex of a value inside a tuple or set; `None` when the value cannot move.
    fn node(&mut self, ground: &Ground, value: &Value) -> Option<Vertex> {
        if self.is_stopped {
            return None;
        }
        match value {
            Value::Bool(_) | Value::Integer(_) | Value::String(_) => return None,
            Value::Element(element) => return ground.vertex(*element),
            Value::Set(set) => {
                if set.is_empty() || self.is_invariant(ground, set) {
                    return None;
                }
            }
            Value::Pair(_) | Value::Record(_) | Value::Free(_) | Value::Symbolic(_) => {}
        }
        // Equal values share a vertex; otherwise an automorphism could permute their copies and be counted more than once.
        if let Some(&known) = self.nested.get(value) {
            return known;
        }
        // Depth first: the parts of a nested value have their vertices before the value itself.
        let vertex = match value {
            Value::Set(set) => self.nested_set(ground, set),
            Value::Symbolic(symbolic) => {
                // The values inside become components, and the description without them is part of the label.
                let (shape, inner) = description::opened(symbolic);
                self.nested_tuple(ground, DESCRIPTION, &inner.iter().collect::<Vec<_>>(), Some(shape))
            }
            Value::Free(free) => match &free.argument {
                Some(argument) => self.nested_tuple(ground, CONSTRUCTED, &[&free.constructor, argument], None),
                None => None,
            },
            _ => self.nested_tuple(ground, TUPLE, &leaves(value), None),
        };
        // After its parts: a value is never part of itself, so it cannot have been entered meanwhile.
        self.nested.insert(value.clone(), vertex);
        vertex
    }

    /// Whether a set is invariant under all permutations, judged by its outermost level.
    fn is_invariant(&self, ground: &Ground, set: &Set) -> bool {
        match set.as_bits() {
            Some((id, bits)) => {
                // No or all movable elements; all of them can be in the bits only if none has an index above 63.
                let mask = ground.mask.get(id.index()).copied().unwrap_or(0);
                let all = ground.vertex.get(id.index()).is_none_or(|part| part.len() <= 64);
                bits & mask == 0 || (all && bits & mask == mask)
            }
            None => set.first_element().is_none_or(|first| never_moves(&first)),
        }
    }

    fn nested_set(&mut self, ground: &Ground, set: &Set) -> Option<Vertex> {
        let mut vertices: Vec<(u32, Vertex)> = Vec::new();
        let mut fixed = Vec::new();
        for element in set.iter() {
            match self.node(ground, &element) {
                Some(vertex) => vertices.push((0, vertex)),
                None => fixed.push(element),
            }
        }
        if vertices.is_empty() {
            return None;
        }
        // Also where no member is fixed: then the label has the empty set, and sets with other fixed members differ in colour.
        let fixed = self.pooled(vec![Value::Set(Set::from_sorted(fixed))]);
        let vertex = self.fresh(Label { site: NESTED_SET, columns: 0, fixed });
        self.connect(vertex, ELEMENT, &vertices);
        Some(vertex)
    }

    fn nested_tuple(&mut self, ground: &Ground, site: u32, leaves: &[&Value], extra: Option<Value>) -> Option<Vertex> {
        let (vertices, mut fixed) = self.divide(ground, leaves);
        if vertices.is_empty() {
            return None;
        }
        fixed.extend(extra);
        let label = self.describe(Label { site, columns: 0, fixed: 0 }, &vertices, fixed, leaves.len());
        let vertex = self.fresh(label);
        self.connect(vertex, COMPONENT, &vertices);
        Some(vertex)
    }

    /// Ranks the fixed values, and sorts facts and edges by label.
    fn finish(&mut self) {
        // Isomorphic states have the same fixed values, perhaps in another order: their ranks agree, their places in the pool need not.
        let ranks = ranks(&self.pool);
        let rank = |label: &mut Label| {
            if label.fixed > 0 {
                label.fixed = ranks[label.fixed as usize - 1];
            }
        };
        self.facts.iter_mut().for_each(|(label, _)| rank(label));
        self.edges.iter_mut().for_each(|(label, _, _)| rank(label));
        self.facts.sort_unstable();
        self.facts.dedup();
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// Gives the structure of the state that was read to a labeller: colours and layers in the order of their labels.
    pub(crate) fn give(&self, labeller: &mut Labeller) {
        let layers = || self.edges.chunk_by(|(a, _, _), (b, _, _)| a == b);
        labeller.begin(self.vertices as usize, self.layers);
        // The rank of a label will do: isomorphic states have the same labels.
        for (part, facts) in (0..).zip(self.facts.chunk_by(|(a, _), (b, _)| a == b)) {
            facts.iter().for_each(|&(_, vertex)| labeller.colour(vertex, part));
        }
        for (layer, edges) in layers().enumerate() {
            edges.iter().for_each(|&(_, from, to)| labeller.edge(layer, from, to));
        }
    }
}

/// The components of a value that is a tuple or record (of tuples and records); any other value is its own only component.
fn leaves(value: &Value) -> Leaves<'_> {
    fn collect<'a>(value: &'a Value, into: &mut Leaves<'a>) {
        match value {
            Value::Pair(pair) => {
                collect(&pair.0, into);
                collect(&pair.1, into);
            }
            Value::Record(fields) => fields.iter().for_each(|(_, field)| collect(field, into)),
            _ => into.push(value),
        }
    }
    let mut leaves = Leaves::new();
    collect(value, &mut leaves);
    leaves
}

/// Whether a set of pairs maps arguments without sets inside to explicit sets, each argument to one.
fn is_set_valued_function(set: &Set) -> bool {
    let is_flat = |value: &Value| leaves(value).iter().all(|leaf| !matches!(leaf, Value::Set(_) | Value::Free(_) | Value::Symbolic(_)));
    // Sets of pairs are sorted by their first components, so a repeated argument follows itself. It has to be refused: `{a |-> {x},
    // a |-> {y}}` would be read as `{a |-> {x, y}}`.
    let mut previous: Option<Value> = None;
    set.iter().all(|element| {
        let Some((argument, Value::Set(_))) = element.as_pair() else { return false };
        let is_new = previous.as_ref() != Some(argument) && is_flat(argument);
        previous = Some(argument.clone());
        is_new
    })
}

/// For each value, its rank from 1 among the distinct values.
fn ranks(values: &[Value]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    let mut rank = 0;
    for (at, &index) in order.iter().enumerate() {
        if at == 0 || values[order[at - 1]] != values[index] {
            rank += 1;
        }
        ranks[index] = rank;
    }
    ranks
}
