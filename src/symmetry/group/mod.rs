//! The group of all permutations of elements that preserve a value: its order, generators, and relations whose automorphism group it is.
//!
//! The order comes from canonical labelling; generators from comparing canonical forms: in the stabiliser of the points `p1 … pk`, there
//! is a member that maps `p` to `q` exactly if the value with `p` individualised and the value with `q` individualised have equal
//! canonical forms (a stabiliser chain as in Schreier and Sims). The relations are orbits of points and of pairs.
//! Invariant: every generator preserves the value, by a check or as a product of checked ones; the orbit lengths along the chain multiply
//! to the order; relations are used only if their automorphism group has this order. If any of this fails, the group is given up, never
//! guessed.

pub(super) mod conjunct_orbits;
pub(super) mod described;
pub(super) mod movable;
pub(super) mod named;
pub(super) mod skeleton;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(super) mod text_colours;
pub(super) mod well_defined;

use super::permutation::Permutation;
use super::{Scratch, Symmetry};
use crate::thresholds::{GENERATOR_FORMS, GENERATOR_NODES, PAIR_ORBITS, PRUNED_GROUP};
use bcheck_ir::SetId;
use bcheck_value::{Element, Value};
use num_bigint::BigUint;
use num_traits::One as _;
use std::borrow::Borrow;
use std::collections::BTreeSet;
use text::nodes;

/// Elements that may move, by set, ascending; sets without any are left out.
pub(super) type Movable = Vec<(SetId, Vec<u32>)>;

/// All these elements, set by set.
pub(super) fn elements(movable: &[(SetId, Vec<u32>)]) -> impl Iterator<Item = Element> + Clone + '_ {
    movable.iter().flat_map(|(set, indices)| indices.iter().map(|&index| Element { set: *set, index }))
}

/// A group of permutations.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) order: BigUint,
    pub(super) generators: Vec<Permutation>,
}

/// The order of the automorphism group of a value; `None` if the labelling is not exact.
pub(super) fn order(all: &Symmetry, value: &[Value], scratch: &mut Scratch) -> Option<BigUint> {
    let canonical = all.canonical(value, scratch);
    canonical.is_exact.then(|| canonical.automorphisms.order())
}

/// The group of a value; `all` is the group of all permutations of the elements that may move.
pub(super) fn of_value(all: &Symmetry, value: &Value) -> Option<Group> {
    let left = GENERATOR_FORMS.get().min(GENERATOR_NODES.get() / nodes(value).max(1));
    let mut chain = Chain { all, value, scratch: Scratch::default(), generators: Vec::new(), left };
    let order = order(all, std::slice::from_ref(value), &mut chain.scratch)?;
    if order.is_one() {
        return Some(Group { order, generators: Vec::new() });
    }
    let classes = chain.transpositions();
    let of_transpositions: BigUint = classes.iter().flat_map(|class| 1..=class.len()).map(BigUint::from).product();
    // The transpositions generate a direct product of symmetric groups; mostly it is the whole group.
    let reached = if of_transpositions == order { of_transpositions } else { chain.complete(&classes.concat())? };
    let generators = if order <= PRUNED_GROUP.get().into() { needed(chain.generators) } else { chain.generators };
    // Two independent computations of the order have to agree.
    (reached == order).then_some(Group { order, generators })
}

/// Removes generators that the remaining ones generate, from the last one on.
fn needed(mut generators: Vec<Permutation>) -> Vec<Permutation> {
    // A subgroup of equal order is the whole group. Generators are dropped from the last one on, because the first are transpositions,
    // which are easy to read.
    let order = members(&generators).len();
    for at in (0..generators.len()).rev() {
        let generator = generators.remove(at);
        if members(&generators).len() < order {
            generators.insert(at, generator);
        }
    }
    generators
}

/// The search for generators along a chain of stabilisers.
struct Chain<'a> {
    all: &'a Symmetry,
    value: &'a Value,
    scratch: Scratch,
    generators: Vec<Permutation>,
    /// The number of canonical forms that may still be computed.
    left: usize,
}

impl Chain<'_> {
    fn keeps(&self, permutation: &Permutation) -> bool {
        permutation.apply(self.value) == *self.value
    }

    /// Divides the elements into classes whose transpositions are in the group. This is an equivalence relation, because `(a c) = (b c)(a
    /// b)(b c)`, so it is enough to compare with one element of each class.
    fn transpositions(&mut self) -> Vec<Vec<Element>> {
        let colours = text_colours::colours(self.value, elements(self.all.movable()));
        let mut all = Vec::new();
        for (set, elements) in self.all.movable() {
            let mut classes: Vec<Vec<u32>> = Vec::new();
            let colour = |index: u32| colours.get(&Element { set: *set, index });
            for &index in elements {
                let class = classes.iter().position(|class| {
                    let first = class[0];
                    colour(first) == colour(index) && self.keeps(&transposition(*set, first, index))
                });
                match class {
                    // `(last index)` is a product of two kinds of transpositions that were checked: `(first last)` and `(first index)`.
                    Some(at) => {
                        let last = classes[at][classes[at].len() - 1];
                        self.generators.push(transposition(*set, last, index));
                        classes[at].push(index);
                    }
                    None => classes.push(vec![index]),
                }
            }
            let elements = |class: Vec<u32>| class.into_iter().map(|index| Element { set: *set, index }).collect();
            all.extend(classes.into_iter().map(elements));
        }
        all
    }

    /// Completes the generators along a base; returns the order of the group that they generate.
    fn complete(&mut self, base: &[Element]) -> Option<BigUint> {
        // A stabiliser chain (Schreier–Sims) with canonical forms in place of sifting: each form decides one point, so there are no
        // Schreier generators to reduce.
        //
        // Invariant: `parts` is the value with the points before `at`, so its group is their pointwise stabiliser, and `reached` is the
        // index of that in the whole group. By orbit-stabiliser, each step multiplies it by the length of an orbit.
        let mut parts = vec![self.value.clone()];
        let mut reached = BigUint::one();
        for (at, &point) in base.iter().enumerate() {
            let held = &base[..at];
            self.spend()?;
            if order(self.all, &parts, &mut self.scratch)?.is_one() {
                break;
            }
            // Every later point is proved to be in the orbit, by a generator, or outside of it, by a form that differs. Earlier ones are
            // held. An orbit does not reach other sets.
            let mut orbit = self.orbit(held, point);
            let mut rejected: BTreeSet<Element> = BTreeSet::new();
            let mut form = None;
            for &other in base[at + 1..].iter().filter(|other| other.set == point.set) {
                if orbit.contains(&other) || rejected.contains(&other) {
                    continue;
                }
                // The form of `point` is computed at most once.
                let (own, from) = match form.take() {
                    Some(form) => form,
                    None => self.form(&parts, point)?,
                };
                let (its, to) = self.form(&parts, other)?;
                if own == its {
                    // Both have the same canonical form, so one composed with the inverse of the other maps `point` to `other` and
                    // preserves all of `parts`.
                    let member = from.then(&to.inverse());
                    if !self.keeps(&member) {
                        return None;
                    }
                    self.generators.push(member);
                    orbit = self.orbit(held, point);
                } else {
                    // If `other` is not an image of `point`, no image of `other` is.
                    rejected.extend(self.orbit(held, other));
                }
                form = Some((own, from));
            }
            reached *= BigUint::from(orbit.len());
            parts.push(Value::Element(point));
        }
        Some(reached)
    }

    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// The canonical form with one more point individualised, and the permutation to it.
    fn form(&mut self, parts: &[Value], point: Element) -> Option<(Vec<Value>, Permutation)> {
        self.spend()?;
        let parts: Vec<Value> = parts.iter().cloned().chain([Value::Element(point)]).collect();
        let canonical = self.all.canonical(&parts, &mut self.scratch);
        canonical.is_exact.then_some((canonical.state, canonical.permutation))
    }

    /// The orbit of a point under those generators that fix the given points.
    fn orbit(&self, held: &[Element], point: Element) -> BTreeSet<Element> {
        let holds = |generator: &&Permutation| held.iter().all(|point| generator.element(*point) == *point);
        let generators: Vec<&Permutation> = self.generators.iter().filter(holds).collect();
        orbits([point], &generators).concat().into_iter().collect()
    }
}

/// The transposition of two elements of a set.
pub(super) fn transposition(set: SetId, one: u32, other: u32) -> Permutation {
    let mut images = vec![Vec::new(); set.index() + 1];
    images[set.index()] = (0..=one.max(other)).collect();
    images[set.index()].swap(one as usize, other as usize);
    Permutation::from_images(images)
}

/// The cycle through elements of a set, in ascending order.
pub(super) fn cycle(set: SetId, elements: &[u32]) -> Permutation {
    let mut images = vec![Vec::new(); set.index() + 1];
    let Some(last) = elements.last() else { return Permutation::identity() };
    let part = &mut images[set.index()];
    part.extend(0..=*last);
    for (from, to) in elements.iter().zip(elements.iter().skip(1).chain(&elements[..1])) {
        part[*from as usize] = *to;
    }
    Permutation::from_images(images)
}

/// The orbits of points under generators, each ascending; in the order of their first points.
pub(super) fn orbits(points: impl IntoIterator<Item = Element>, generators: &[impl Borrow<Permutation>]) -> Vec<Vec<Element>> {
    classes(points.into_iter().collect(), generators, |generator, point| generator.element(*point))
}

/// The orbits of things under generators, each ascending. In a finite group, inverses are powers, so forward images are enough.
fn classes<T: Ord + Copy>(things: Vec<T>, generators: &[impl Borrow<Permutation>], image: impl Fn(&Permutation, &T) -> T) -> Vec<Vec<T>> {
    let mut met: BTreeSet<T> = BTreeSet::new();
    let mut found = Vec::new();
    for thing in things {
        if !met.insert(thing) {
            continue;
        }
        let mut class = vec![thing];
        let mut at = 0;
        while let Some(thing) = class.get(at).copied() {
            at += 1;
            class.extend(generators.iter().map(|generator| image(generator.borrow(), &thing)).filter(|image| met.insert(*image)));
        }
        class.sort_unstable();
        found.push(class);
    }
    found
}

/// Relations on the movable elements whose automorphism group is the given group: none if that is all permutations; sets and binary
/// relations where they suffice (the group is then 2-closed); otherwise the value itself.
pub(super) fn relations(movable: &[(SetId, Vec<u32>)], group: &Group, value: &Value) -> Option<Vec<Value>> {
    let all = Symmetry::of_all(movable.to_vec());
    let mut reached = all.group_order();
    let mut relations = Vec::new();
    if reached == group.order {
        return Some(relations);
    }
    let mut scratch = Scratch::default();
    let points: Vec<Element> = elements(movable).collect();
    let of_points = orbits(points.iter().copied(), &group.generators).into_iter();
    let of_points = of_points.map(|orbit| Value::set(orbit.into_iter().map(Value::Element).collect()));
    let pairs = points.iter().flat_map(|&one| points.iter().filter(move |&&other| one != other).map(move |&other| (one, other)));
    let image = |generator: &Permutation, &(one, other): &(Element, Element)| (generator.element(one), generator.element(other));
    let mut of_pairs = classes(pairs.collect(), &group.generators, image);
    of_pairs.sort_by_key(Vec::len);
    let pair = |(one, other)| Value::pair(Value::Element(one), Value::Element(other));
    let of_pairs = of_pairs.into_iter().take(PAIR_ORBITS.get()).map(|orbit| Value::set(orbit.into_iter().map(pair).collect()));
    // The group preserves each of its orbits, so it is always contained in the group of the relations; where the orders are equal, so are
    // the groups. Orbits of pairs are tried smallest first, which makes for a small skeleton.
    for relation in of_points.chain(of_pairs) {
        relations.push(relation);
        let order = order(&all, &relations, &mut scratch)?;
        // A relation that removes no permutation would only enlarge the skeleton.
        if order == reached {
            relations.pop();
        }
        reached = order;
        if reached == group.order {
            return Some(relations);
        }
    }
    Some(vec![value.clone()])
}

/// All members of the group that permutations generate, by a breadth-first walk of its Cayley graph.
pub(super) fn members(generators: &[Permutation]) -> Vec<Permutation> {
    let mut met = rustc_hash::FxHashSet::from_iter([Permutation::identity()]);
    let mut all = vec![Permutation::identity()];
    let mut at = 0;
    while let Some(member) = all.get(at).cloned() {
        at += 1;
        for generator in generators {
            let next = member.then(generator);
            if met.insert(next.clone()) {
                all.push(next);
            }
        }
    }
    all
}
