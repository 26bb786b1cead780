//! Representatives of states whose structure would be too large to label, by brute force over cosets: elements are coloured, transpositions
//! that are automorphisms are found by testing them, and one arrangement of each remaining coset is tried.
//!
//! A state whose value has tens of thousands of members has a vertex for each of them, and rows of as many bits; the group is often small.
//! A round of colouring takes time in proportion to size times depth of the value, and each trial renames the value once. Let `C` be the
//! members of the group under whose images the colours, listed by element, are least, `A` the automorphisms of the state and `H` the
//! subgroup of `A` that its transpositions generate. Colours are equivariant and `A` preserves them, so `C` is a union of cosets of `A`,
//! and members of an orbit have the same images under their `C`; the least is the representative. One member of each coset of `H` is
//! tried, the one that is increasing on interchangeable elements; `|A| / |H|` of them give the least image.
//! Invariant: whether a state is handled here depends only on what its orbit shares ([`Size`](super::encode::values::Size)). Equal
//! colours of elements that no automorphism relates cost time, never exactness.

use super::group::Movable;
use super::group::text_colours;
use super::label::Stop;
use super::permutation::Permutation;
use super::{Automorphisms, Canonical, Symmetry, exhaustive, group};
use crate::thresholds::{CROWDED_SET, TRIED_ARRANGEMENTS, TRIED_GROUP};
use bcheck_ir::SetId;
use bcheck_value::{Element, Value};
use num_bigint::BigUint;
use num_traits::ToPrimitive as _;

/// Whether a state has a set of more than [`CROWDED_SET`] sets.
pub(super) fn is_crowded(state: &[Value]) -> bool {
    state.iter().any(|value| match value {
        Value::Set(set) => set.len() > CROWDED_SET.get() && set.first_element().is_some_and(|first| matches!(first, Value::Set(_))),
        _ => false,
    })
}

/// Elements of one set and colour, divided into classes of interchangeable ones; each class ascends.
type Class = Vec<Vec<u32>>;

/// The colours and classes of a state's elements, from which the arrangements to try are made.
pub(super) struct Arrangements<'a> {
    symmetry: &'a Symmetry,
    state: &'a [Value],
    stop: &'a Stop,
    colours: text_colours::ElementColours,
    /// By movable set: classes in the order of their colours.
    classes: Vec<Vec<Class>>,
}

impl<'a> Arrangements<'a> {
    /// Colours the elements of a state and finds the transpositions that preserve it.
    pub(crate) fn new(symmetry: &'a Symmetry, state: &'a [Value], stop: &'a Stop) -> Self {
        let elements = group::elements(&symmetry.movable);
        let colours = text_colours::colours_of(state.iter().chain(symmetry.relations()), elements, stop);
        let mut arrangements = Self { symmetry, state, stop, colours, classes: Vec::new() };
        arrangements.classes = symmetry.movable.iter().map(|(set, elements)| arrangements.divide(*set, elements)).collect();
        arrangements
    }

    /// Divides the elements of a set by colour.
    fn divide(&self, set: SetId, elements: &[u32]) -> Vec<Class> {
        let colour = |index: u32| self.colours.get(&Element { set, index });
        let mut sorted = elements.to_vec();
        sorted.sort_by_key(|&index| (colour(index), index));
        sorted.chunk_by(|&a, &b| colour(a) == colour(b)).map(|class| self.divide_by_transpositions(set, class)).collect()
    }

    /// Divides elements of one colour into classes whose transpositions preserve the state. This is an equivalence relation, because `(a
    /// c) = (b c)(a b)(b c)`, so it is enough to compare with one element of each class.
    fn divide_by_transpositions(&self, set: SetId, elements: &[u32]) -> Class {
        let mut parts = Class::new();
        for &index in elements {
            let keeps = |part: &Vec<u32>| !self.stop.is_raised() && self.keeps(&group::transposition(set, part[0], index));
            match parts.iter_mut().find(|part| keeps(part)) {
                Some(part) => part.push(index),
                None => parts.push(vec![index]),
            }
        }
        parts
    }

    /// Whether a permutation is an automorphism of the state.
    fn keeps(&self, permutation: &Permutation) -> bool {
        let skeleton = self.symmetry.skeleton.as_ref();
        skeleton.is_none_or(|skeleton| skeleton.keeps(permutation)) && self.state.iter().all(|value| self.keeps_value(permutation, value))
    }

    fn keeps_value(&self, permutation: &Permutation, value: &Value) -> bool {
        match value {
            // A permutation is injective, so a set that holds all images of its members is its own image; the first that is missing
            // ends this, and so does the flag.
            Value::Set(set) if set.as_bits().is_none() => {
                set.iter().all(|member| !self.stop.is_raised() && set.contains(&permutation.apply(&member)))
            }
            _ => permutation.apply(value) == *value,
        }
    }

    /// The representative, by trying all arrangements; `None` if there are too many.
    pub(super) fn canonical(&self) -> Option<Canonical> {
        // A skeleton makes the group smaller than all permutations; then its members have to be enumerated.
        let candidates = if self.symmetry.skeleton.is_some() { self.members()? } else { self.all()? };
        let mut best: Option<(Vec<Value>, Permutation)> = None;
        let mut reached = 0;
        for candidate in candidates {
            if self.stop.is_raised() {
                return Some(self.unfinished());
            }
            let image = candidate.apply_all(self.state);
            match best.as_ref().map(|(least, _)| image.cmp(least)) {
                None | Some(std::cmp::Ordering::Less) => (best, reached) = (Some((image, candidate)), 1),
                Some(std::cmp::Ordering::Equal) => reached += 1,
                Some(std::cmp::Ordering::Greater) => {}
            }
        }
        // Two candidates have the same image if and only if they are in one coset of `A`, and one candidate per coset of `H` was tried: so
        // `|A| / |H|` of them reached the least image, and `|H|` is the product of the factorials of the parts' sizes.
        let (state, permutation) = best?;
        let parts = self.classes.iter().flatten().flatten();
        let mut factors: Vec<u32> = parts.flat_map(|part| 2..=u32::try_from(part.len()).unwrap_or(u32::MAX)).collect();
        factors.extend(Some(reached).filter(|reached| *reached > 1));
        // A stop flag that was raised earlier may have hidden transpositions.
        Some(Canonical { state, permutation, automorphisms: Automorphisms::of(&factors), is_exact: !self.stop.is_raised() })
    }

    /// Some member of the orbit: elements in the order of their colours, where the group allows any order.
    pub(super) fn unfinished(&self) -> Canonical {
        let permutation = match self.symmetry.skeleton {
            // Renaming a large value takes time as well.
            _ if self.stop.is_raised() => Permutation::identity(),
            Some(_) => Permutation::identity(),
            None => {
                let orders: Vec<Vec<u32>> =
                    self.classes.iter().map(|classes| classes.iter().flatten().flatten().copied().collect()).collect();
                exhaustive::arrange(&self.symmetry.movable, &orders)
            }
        };
        let state = permutation.apply_all(self.state);
        Canonical { state, permutation, automorphisms: Automorphisms::default(), is_exact: false }
    }

    /// One member of each coset where all permutations are symmetries: elements in the order of their colours, those of one colour in any
    /// order in which interchangeable ones ascend.
    fn all(&self) -> Option<Vec<Permutation>> {
        let classes: Vec<&Class> = self.classes.iter().flatten().collect();
        let many: BigUint = classes.iter().map(|class| orders(class)).product();
        many.to_u64().filter(|many| *many <= TRIED_ARRANGEMENTS.get())?;
        let mut found: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
        for classes in &self.classes {
            let mut of_set: Vec<Vec<u32>> = vec![Vec::new()];
            for class in classes {
                let shuffles = shuffles(class);
                of_set = of_set.iter().flat_map(|before| shuffles.iter().map(move |own| [before.as_slice(), own].concat())).collect();
            }
            found = found
                .iter()
                .flat_map(|before| of_set.iter().map(move |own| before.iter().cloned().chain([own.clone()]).collect()))
                .collect();
        }
        let movable: &Movable = &self.symmetry.movable;
        Some(found.iter().map(|arrangement| exhaustive::arrange(movable, arrangement)).collect())
    }

    /// One member of each coset of a group given by its members.
    fn members(&self) -> Option<Vec<Permutation>> {
        if self.symmetry.order > TRIED_GROUP.get().into() {
            return None;
        }
        // By image: the colour of the element that is mapped to it. The members of `C` are those for which this list is least.
        let colours = |member: &Permutation| {
            let mut colours: Vec<(Element, u64)> =
                self.colours.iter().map(|(element, colour)| (member.element(*element), *colour)).collect();
            colours.sort_unstable();
            colours
        };
        // One member of each coset of `H`: any order of interchangeable elements is reached by transpositions, and exactly one of them
        // ascends.
        let ascends = |member: &Permutation| {
            let index = |set: SetId, index: u32| member.element(Element { set, index }).index;
            self.symmetry
                .movable
                .iter()
                .zip(&self.classes)
                .all(|((set, _), classes)| classes.iter().flatten().all(|part| part.is_sorted_by_key(|&element| index(*set, element))))
        };
        // Any order on lists of colours that depends on colours and images alone would do; this one is that of vectors.
        let mut least = None;
        let mut kept = Vec::new();
        for member in self.symmetry.members().iter().filter(|member| ascends(member)) {
            let own = colours(member);
            if least.as_ref().is_none_or(|least| own < *least) {
                least = Some(own);
                kept.clear();
                kept.push(member.clone());
            } else if least.as_ref() == Some(&own) {
                kept.push(member.clone());
            }
        }
        (kept.len() as u64 <= TRIED_ARRANGEMENTS.get()).then_some(kept)
    }
}

/// The number of orders of a class's elements in which interchangeable ones ascend: a multinomial coefficient.
fn orders(class: &Class) -> BigUint {
    let mut many = BigUint::from(1u32);
    let mut placed = 0u32;
    for part in class {
        for at in 1..=u32::try_from(part.len()).unwrap_or(u32::MAX) {
            placed += 1;
            // A binomial coefficient, built up so that each division is exact.
            many = many * placed / at;
        }
    }
    many
}

/// The orders that [`orders`] counts: interleavings of the parts.
fn shuffles(class: &Class) -> Vec<Vec<u32>> {
    fn extend(class: &Class, taken: &mut Vec<usize>, order: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
        let mut is_complete = true;
        for (at, part) in class.iter().enumerate() {
            let Some(&next) = part.get(taken[at]) else { continue };
            is_complete = false;
            taken[at] += 1;
            order.push(next);
            extend(class, taken, order, found);
            order.pop();
            taken[at] -= 1;
        }
        if is_complete {
            found.push(order.clone());
        }
    }
    let mut found = Vec::new();
    extend(class, &mut vec![0; class.len()], &mut Vec::new(), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_as_many_as_shuffles() {
        for class in [vec![vec![1, 2], vec![3]], vec![vec![1], vec![2], vec![3]], vec![vec![1, 4, 5], vec![2, 3]], vec![]] {
            assert_eq!(orders(&class), BigUint::from(shuffles(&class).len()), "{class:?}");
        }
    }
}
