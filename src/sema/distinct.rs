//! Which constants PROPERTIES make distinct: a graph of disequalities, in which a clique is a lower bound of the size of a set.
//!
//! Invariant: only stated facts are known; nothing is derived from types or other conjuncts. A fact is stored in the form in which it is
//! stated, not edge by edge: a partition of n constants has n² edges. Deliberately elsewhere: which conjuncts state it (`hints`).

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// Which constants are known to differ, and which to be equal.
#[derive(Default)]
pub(super) struct Distinct<'e> {
    /// Each a list of pairwise disjoint sets of constants. Constants of one set may be equal, unless another list excludes it.
    disjoint: Vec<Vec<BTreeSet<&'e str>>>,
    /// By constant, the sets that it is in: the number of the list, and the place in it.
    places: BTreeMap<&'e str, Vec<(usize, usize)>>,
    equal: Vec<(&'e str, &'e str)>,
}

/// A largest set of distinct constants is searched for among this many, in exponential time at worst; of the others, each that differs from
/// all found before is added.
const MOST_CONSTANTS: usize = 24;

impl<'e> Distinct<'e> {
    /// All of these differ from each other.
    pub(super) fn each_other(&mut self, names: &BTreeSet<&'e str>) {
        self.disjoint(names.iter().map(|name| BTreeSet::from([*name])).collect());
    }

    /// Two constants differ if they are in different sets of these, unless they are identical.
    pub(super) fn disjoint(&mut self, sets: Vec<BTreeSet<&'e str>>) {
        for (place, set) in sets.iter().enumerate() {
            for name in set {
                self.places.entry(name).or_default().push((self.disjoint.len(), place));
            }
        }
        self.disjoint.push(sets);
    }

    /// These two are equal.
    pub(super) fn equal(&mut self, one: &'e str, other: &'e str) {
        self.equal.push((one, other));
    }

    /// The greatest number of different values that these constants can have, by the stated equations between constants.
    pub(super) fn classes(&self, names: &BTreeSet<&'e str>) -> usize {
        // A constant without an entry represents its class; of any other the entry leads towards the representative.
        let mut towards: FxHashMap<&str, &str> = FxHashMap::default();
        for &(one, other) in &self.equal {
            let (kept, replaced) = (representative(&mut towards, one), representative(&mut towards, other));
            if kept != replaced {
                towards.insert(replaced, kept);
            }
        }
        names.iter().map(|name| representative(&mut towards, name)).collect::<BTreeSet<_>>().len()
    }

    /// A number of pairwise distinct constants, among these and those that have the same type because they are compared with them: the
    /// size of a clique in the graph of disequalities, a largest one up to [`MOST_CONSTANTS`] constants.
    pub(super) fn most(&self, names: &[&'e str]) -> usize {
        self.most_of(&self.connected(names))
    }

    /// As [`Self::most`], among these constants alone.
    pub(super) fn most_of(&self, alike: &[&'e str]) -> usize {
        let (first, rest) = alike.split_at(alike.len().min(MOST_CONSTANTS));
        let near: Neighbours<'_> =
            first.iter().map(|name| (*name, self.of(name).filter(|other| first.contains(other)).collect())).collect();
        let mut best = Vec::new();
        extend(&near, &mut Vec::new(), first, &mut best);
        for name in rest {
            let near: FxHashSet<&str> = self.of(name).collect();
            if best.iter().all(|other| near.contains(other)) {
                best.push(*name);
            }
        }
        best.len()
    }

    /// These constants and all that disequalities connect with them: depth first, of the neighbours of one the last first.
    fn connected(&self, names: &[&'e str]) -> Vec<&'e str> {
        let mut alike: Vec<&str> = Vec::new();
        let mut met: FxHashSet<&str> = FxHashSet::default();
        // By list, the unvisited constants, each with its positions in the list: visited ones are never examined again.
        let in_order = |list: &Vec<BTreeSet<&'e str>>| {
            list.iter().zip(0..).flat_map(|(set, place)| set.iter().map(move |name| (*name, place))).collect()
        };
        let mut left: Vec<BTreeSet<(&str, usize)>> = self.disjoint.iter().map(in_order).collect();
        for name in names {
            // The constants on the path, innermost last, each with the neighbour that was visited last: all later ones are visited.
            let mut open: Vec<(&str, Option<&str>)> = Vec::new();
            let mut next = Some(*name).filter(|name| !met.contains(name));
            loop {
                if let Some(name) = next {
                    met.insert(name);
                    alike.push(name);
                    open.push((name, None));
                    for place in self.places.get(name).into_iter().flatten() {
                        left[place.0].remove(&(name, place.1));
                    }
                }
                let Some((name, last)) = open.last_mut() else { break };
                let places = self.places.get(name).into_iter().flatten();
                let nearest = places.filter_map(|&(list, place)| {
                    let before = last.map_or(Bound::Unbounded, |last| Bound::Excluded((last, 0)));
                    left[list].range((Bound::Unbounded, before)).rev().find(|(_, other)| *other != place).map(|(other, _)| *other)
                });
                next = nearest.max();
                match next {
                    Some(_) => *last = next,
                    None => drop(open.pop()),
                }
            }
        }
        alike
    }

    /// The constants that differ from one, in no order, perhaps repeatedly.
    fn of(&self, name: &str) -> impl Iterator<Item = &'e str> {
        let places = self.places.get(name).into_iter().flatten();
        let others = places.flat_map(|&(list, place)| self.disjoint[list].iter().enumerate().filter(move |(other, _)| *other != place));
        others.flat_map(|(_, set)| set).copied().filter(move |other| *other != name)
    }
}

/// Constants with those that differ from them, among a few.
type Neighbours<'n> = FxHashMap<&'n str, BTreeSet<&'n str>>;

/// Branch and bound for a maximum clique: each candidate is taken or left. All of `taken` differ from each other and from every candidate.
fn extend<'n>(near: &Neighbours<'n>, taken: &mut Vec<&'n str>, candidates: &[&'n str], best: &mut Vec<&'n str>) {
    if taken.len() > best.len() {
        best.clone_from(taken);
    }
    let Some((first, rest)) = candidates.split_first() else { return };
    // The bound of Carraghan and Pardalos ("An exact algorithm for the maximum clique problem", 1990):
    // even with all candidates the clique would be no larger than the best.
    if taken.len() + candidates.len() <= best.len() {
        return;
    }
    let close: Vec<&str> = rest.iter().copied().filter(|other| near[first].contains(other)).collect();
    taken.push(*first);
    extend(near, taken, &close, best);
    taken.pop();
    extend(near, taken, rest, best);
}

/// The constant that represents the class of one.
fn representative<'n>(towards: &mut FxHashMap<&'n str, &'n str>, name: &'n str) -> &'n str {
    let mut name = name;
    while let Some(&next) = towards.get(name) {
        // Path halving: each visited entry is redirected past its successor, so that later paths are shorter.
        if let Some(&after) = towards.get(next) {
            towards.insert(name, after);
        }
        name = next;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

    /// The order in which constants are reached when all edges are listed.
    fn connected_by_edges<'e>(lists: &[Vec<BTreeSet<&'e str>>], names: &[&'e str]) -> Vec<&'e str> {
        let mut differ: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for list in lists {
            for (at, one) in list.iter().enumerate() {
                for other in list.iter().enumerate().filter(|(place, _)| *place != at).flat_map(|(_, set)| set) {
                    one.iter().filter(|name| *name != other).for_each(|name| {
                        differ.entry(name).or_default().insert(other);
                    });
                }
            }
        }
        let mut alike: Vec<&str> = Vec::new();
        let mut next: Vec<&str> = names.iter().rev().copied().collect();
        while let Some(name) = next.pop() {
            if !alike.contains(&name) {
                alike.push(name);
                next.extend(differ.get(name).into_iter().flatten());
            }
        }
        alike
    }

    fn constants() -> impl Strategy<Value = BTreeSet<&'static str>> {
        prop::collection::btree_set(prop::sample::select(&NAMES[..]), 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn constants_are_met_in_the_order_of_the_edges(
            lists in prop::collection::vec(prop::collection::vec(constants(), 0..4), 0..5),
            names in prop::collection::vec(prop::sample::select(&NAMES[..]), 0..4),
        ) {
            let mut distinct = Distinct::default();
            lists.iter().for_each(|list| distinct.disjoint(list.clone()));
            prop_assert_eq!(distinct.connected(&names), connected_by_edges(&lists, &names));
        }
    }

    #[test]
    fn a_partition_of_many_constants_is_counted() {
        let names: Vec<String> = (0..1_000).map(|number| format!("c{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut distinct = Distinct::default();
        distinct.disjoint(names.iter().map(|name| BTreeSet::from([*name])).collect());
        assert_eq!(distinct.most(&names[..1]), 1_000);
        names.windows(2).for_each(|pair| distinct.equal(pair[0], pair[1]));
        assert_eq!(distinct.classes(&names.iter().copied().collect()), 1);
    }
}
