//! Union, intersection, difference, inclusion, and change of one element.
//!
//! Invariant: results are canonical (see `set`); no operation is worse than one merge of the two operands.

use super::Value;
use super::set::{Repr, Set, as_small_element};
use crate::thresholds::{LOPSIDED, TREE_FROM};
use std::cmp::Ordering;
use std::sync::Arc;

/// Elements by reference; masks are written out first.
enum Listed<'a> {
    Owned(Vec<Value>),
    Slice(&'a [Value]),
    Tree(&'a im::OrdSet<Value>),
}

impl<'a> Listed<'a> {
    fn of(set: &'a Set) -> Self {
        match &set.0 {
            Repr::Empty => Listed::Slice(&[]),
            Repr::Bits(..) => Listed::Owned(set.iter().collect()),
            Repr::Sorted(values) => Listed::Slice(values),
            Repr::Long(long) => Listed::Slice(&long.values),
            Repr::Tree(values) => Listed::Tree(values),
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match self {
            Listed::Owned(values) => Box::new(values.iter()),
            Listed::Slice(values) => Box::new(values.iter()),
            Listed::Tree(values) => Box::new(values.iter()),
        }
    }
}

/// Which elements a merge returns: those only on the left, on both sides, only on the right.
#[derive(Clone, Copy)]
struct Keep {
    left: bool,
    both: bool,
    right: bool,
}

/// Merges two strictly ascending sequences into a strictly ascending one.
fn merge<'a>(left: impl Iterator<Item = &'a Value>, right: impl Iterator<Item = &'a Value>, keep: Keep) -> Vec<Value> {
    // Invariant: what is merged is below both heads, as both sequences ascend strictly.
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let mut merged = Vec::new();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let order = a.cmp(b);
        let (first, wanted) = match order {
            Ordering::Less => (*a, keep.left),
            Ordering::Equal => (*a, keep.both),
            Ordering::Greater => (*b, keep.right),
        };
        if wanted {
            merged.push(first.clone());
        }
        if order.is_le() {
            left.next();
        }
        if order.is_ge() {
            right.next();
        }
    }
    if keep.left {
        merged.extend(left.cloned());
    }
    if keep.right {
        merged.extend(right.cloned());
    }
    merged
}

impl Set {
    fn merged(&self, other: &Set, keep: Keep) -> Set {
        // Slices, the commonest operands, are merged without dynamic dispatch.
        let values = match (self.as_list(), other.as_list()) {
            (Some(a), Some(b)) => merge(a.iter(), b.iter(), keep),
            _ => merge(Listed::of(self).iter(), Listed::of(other).iter(), keep),
        };
        Set::from_sorted(values)
    }

    /// `self \/ other`
    #[must_use]
    pub fn union(&self, other: &Set) -> Set {
        match (&self.0, &other.0) {
            (Repr::Empty, _) => other.clone(),
            (_, Repr::Empty) => self.clone(),
            (Repr::Bits(set, a), Repr::Bits(other_set, b)) if set == other_set => Set::from_bits(*set, a | b),
            // A tree shares structure with the result. A slice is copied in any case, so that there is nothing better than a merge.
            _ => match (self.tree_beside(other), other.tree_beside(self)) {
                (Some(tree), _) => with_all(tree, other),
                (_, Some(tree)) => with_all(tree, self),
                _ => self.merged(other, Keep { left: true, both: true, right: true }),
            },
        }
    }

    /// `self /\ other`
    #[must_use]
    pub fn intersection(&self, other: &Set) -> Set {
        match (&self.0, &other.0) {
            (Repr::Empty, _) | (_, Repr::Empty) => Set::empty(),
            // Elements of different given sets are different.
            (Repr::Bits(set, a), Repr::Bits(other_set, b)) => {
                if set == other_set {
                    Set::from_bits(*set, a & b)
                } else {
                    Set::empty()
                }
            }
            // Elements are visited in ascending order, so collecting them does not sort.
            _ if self.len() * LOPSIDED.get() < other.len() => self.iter().filter(|value| other.contains(value)).collect(),
            _ if other.len() * LOPSIDED.get() < self.len() => other.iter().filter(|value| self.contains(value)).collect(),
            _ => self.merged(other, Keep { left: false, both: true, right: false }),
        }
    }

    /// `self - other`
    #[must_use]
    pub fn difference(&self, other: &Set) -> Set {
        match (&self.0, &other.0) {
            (Repr::Empty, _) => Set::empty(),
            (_, Repr::Empty) => self.clone(),
            (Repr::Bits(set, a), Repr::Bits(other_set, b)) => {
                if set == other_set {
                    Set::from_bits(*set, a & !b)
                } else {
                    self.clone()
                }
            }
            // A small set minus a large one is computed by lookups; the other way round, a slice is copied anyway, which is what a merge
            // does.
            _ if self.len() * LOPSIDED.get() < other.len() => self.iter().filter(|value| !other.contains(value)).collect(),
            _ => match self.tree_beside(other) {
                Some(tree) => {
                    let mut tree = tree.clone();
                    for value in other {
                        tree.remove(&value);
                    }
                    from_tree(tree)
                }
                None => self.merged(other, Keep { left: true, both: false, right: false }),
            },
        }
    }

    /// `self <: other`
    #[must_use]
    pub fn is_subset(&self, other: &Set) -> bool {
        match (&self.0, &other.0) {
            (Repr::Empty, _) => true,
            (_, Repr::Empty) => false,
            (Repr::Bits(set, a), Repr::Bits(other_set, b)) => set == other_set && a & !b == 0,
            // By the lengths, which are known without a look at the elements.
            _ if self.len() > other.len() => false,
            _ if self.len() * LOPSIDED.get() < other.len() => self.iter().all(|value| other.contains(&value)),
            _ => {
                // One pass over both: candidates below an element are below all later ones too, and are not needed again.
                let (listed, other) = (Listed::of(self), Listed::of(other));
                let mut candidates = other.iter();
                listed.iter().all(|value| candidates.by_ref().find(|candidate| *candidate >= value) == Some(value))
            }
        }
    }

    /// `self \/ {value}`
    #[must_use]
    pub fn insert(&self, value: Value) -> Set {
        match &self.0 {
            Repr::Empty => Set::singleton(value),
            Repr::Bits(set, bits) => match as_small_element(&value) {
                Some((other, index)) if other == *set => Set::from_bits(*set, bits | 1 << index),
                // An index beyond the mask, or a value of another kind: with it no mask holds the elements.
                _ => Set::from_values(self.iter().chain([value]).collect()),
            },
            Repr::Sorted(values) => match values.binary_search(&value) {
                Ok(_) => self.clone(),
                // A slice with anything but small elements of one set still has them after insertion.
                Err(_) if values.len() == TREE_FROM.get() => Set(Repr::Tree(values.iter().cloned().chain([value]).collect())),
                Err(place) => {
                    let (before, after) = values.split_at(place);
                    Set(Repr::Sorted(before.iter().cloned().chain([value]).chain(after.iter().cloned()).collect()))
                }
            },
            // A copy of one path; the rest of the tree is shared with the old set.
            Repr::Long(long) => Set(Repr::Tree(long.tree().update(value))),
            Repr::Tree(tree) => Set(Repr::Tree(tree.update(value))),
        }
    }

    /// `self - {value}`
    #[must_use]
    pub fn remove(&self, value: &Value) -> Set {
        match &self.0 {
            Repr::Empty => Set::empty(),
            Repr::Bits(set, bits) => match as_small_element(value) {
                Some((other, index)) if other == *set => Set::from_bits(*set, bits & !(1 << index)),
                _ => self.clone(),
            },
            Repr::Sorted(values) => match values.binary_search(value) {
                // May have become a mask: the element may have been the only one that fits none.
                Ok(place) => Set::from_sorted(values[..place].iter().chain(&values[place + 1..]).cloned().collect()),
                Err(_) => self.clone(),
            },
            Repr::Long(long) => from_tree(long.tree().without(value)),
            Repr::Tree(tree) => from_tree(tree.without(value)),
        }
    }
}

/// A tree with more elements; it only grows, so it stays the right representation.
fn with_all(tree: &im::OrdSet<Value>, others: &Set) -> Set {
    let mut tree = tree.clone();
    for value in others {
        tree.insert(value);
    }
    Set(Repr::Tree(tree))
}

/// The set of a tree from which elements were removed, so that it may have to become a slice or smaller. A set that remains a tree has more
/// elements than fit a mask.
pub(super) fn from_tree(tree: im::OrdSet<Value>) -> Set {
    if tree.len() > TREE_FROM.get() { Set(Repr::Tree(tree)) } else { Set::from_sorted(tree.iter().cloned().collect()) }
}

impl Set {
    /// The elements by reference. A mask has none to refer to: the iterator is empty (a relation is never a mask).
    pub(super) fn listed(&self) -> impl Iterator<Item = &Value> + '_ {
        let tree = if let Repr::Tree(tree) = &self.0 { Some(tree) } else { None };
        self.as_list().unwrap_or_default().iter().chain(tree.into_iter().flatten())
    }

    /// The elements as a slice, where they are one.
    pub(super) fn as_list(&self) -> Option<&[Value]> {
        match &self.0 {
            Repr::Sorted(values) => Some(values),
            Repr::Long(long) => Some(&long.values),
            Repr::Empty | Repr::Bits(..) | Repr::Tree(_) => None,
        }
    }

    /// The slice behind a set of middle size.
    pub(super) fn as_slice(&self) -> Option<&Arc<[Value]>> {
        match &self.0 {
            Repr::Sorted(values) => Some(values),
            Repr::Empty | Repr::Bits(..) | Repr::Long(_) | Repr::Tree(_) => None,
        }
    }

    /// The tree of a large set that is changed by a small one: the result shares most of its memory.
    pub(super) fn tree_beside(&self, small: &Set) -> Option<&im::OrdSet<Value>> {
        match &self.0 {
            Repr::Long(long) if small.len() * LOPSIDED.get() < self.len() => Some(long.tree()),
            Repr::Tree(tree) if small.len() * LOPSIDED.get() < self.len() => Some(tree),
            _ => None,
        }
    }
}
