//! Explicit finite sets in one canonical representation per content.
//!
//! Invariant: no elements → `Empty`; all elements of one given set with index below 64 → `Bits`; otherwise up to
//! [`TREE_FROM`] elements → a sorted slice; otherwise `Long`, a sorted slice as well, or a persistent ordered tree (`im`), which shares
//! structure when one element changes. But for these two, whose equality, order and hashes are those of their elements, the representation
//! depends on the content alone, never on how the set was made.
//! Deliberately elsewhere: union and its relatives (`algebra`), operators on sets of pairs (`relation`).

use super::{Element, Integer, Value};
use crate::thresholds::TREE_FROM;
use bcheck_ir::SetId;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Elements of a given set below this index fit the bit representation.
pub(super) const BITS: u32 = 64;

/// A finite set of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set(pub(super) Repr);

#[derive(Clone, Debug)]
pub(super) enum Repr {
    Empty,
    /// A bit per element of a given set, by index; not 0.
    Bits(SetId, u64),
    /// Strictly increasing.
    Sorted(Arc<[Value]>),
    /// More elements, which were made at once.
    Long(Arc<Long>),
    Tree(im::OrdSet<Value>),
}

/// Many elements, strictly increasing. A tree of them takes many times as long to make, so it is made where elements are added or removed.
#[derive(Debug)]
pub(super) struct Long {
    pub(super) values: Box<[Value]>,
    tree: OnceLock<im::OrdSet<Value>>,
}

impl Long {
    pub(super) fn tree(&self) -> &im::OrdSet<Value> {
        self.tree.get_or_init(|| self.values.iter().cloned().collect())
    }
}

impl PartialEq for Repr {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::Bits(set, bits), Self::Bits(other, more)) => (set, bits) == (other, more),
            (Self::Sorted(values), Self::Sorted(others)) => values == others,
            (Self::Long(_) | Self::Tree(_), Self::Long(_) | Self::Tree(_)) => match (self.ends_of_interval(), other.ends_of_interval()) {
                (Some(ends), Some(others)) => ends == others,
                (None, None) => match (self, other) {
                    (Self::Tree(values), Self::Tree(others)) => values == others,
                    (Self::Long(values), Self::Long(others)) => Arc::ptr_eq(values, others) || values.values == others.values,
                    _ => self.len() == other.len() && self.large().eq(other.large()),
                },
                _ => false,
            },
            _ => false,
        }
    }
}

impl Eq for Repr {}

impl Hash for Repr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Empty => 0u8.hash(state),
            Self::Bits(set, bits) => (1u8, set, bits).hash(state),
            Self::Sorted(values) => (2u8, values).hash(state),
            // Alike for both.
            Self::Long(_) | Self::Tree(_) => match self.ends_of_interval() {
                Some(ends) => (3u8, ends).hash(state),
                None => {
                    (4u8, self.len()).hash(state);
                    self.large().for_each(|value| value.hash(state));
                }
            },
        }
    }
}

impl Repr {
    fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Bits(_, bits) => bits.count_ones() as usize,
            Self::Sorted(values) => values.len(),
            Self::Long(long) => long.values.len(),
            Self::Tree(values) => values.len(),
        }
    }

    /// The elements of a large set, ascending; empty for any other set.
    fn large(&self) -> impl Iterator<Item = &Value> {
        let (long, tree) = match self {
            Self::Long(long) => (&long.values[..], None),
            Self::Tree(values) => (&[][..], Some(values)),
            Self::Empty | Self::Bits(..) | Self::Sorted(_) => (&[][..], None),
        };
        long.iter().chain(tree.into_iter().flatten())
    }

    /// The least and the greatest of many integers without gaps: such sets are compared and hashed by these alone, as constants of some
    /// machines are intervals of many thousand numbers, which each set-up would walk through.
    fn ends_of_interval(&self) -> Option<(&Integer, &Integer)> {
        let ends = match self {
            Self::Long(long) => (long.values.first(), long.values.last()),
            Self::Tree(values) => (values.get_min(), values.get_max()),
            Self::Empty | Self::Bits(..) | Self::Sorted(_) => (None, None),
        };
        let (Some(Value::Integer(from)), Some(Value::Integer(to))) = ends else { return None };
        // The elements are distinct and between the two, so as many as there are numbers are all of them.
        let gaps = to.subtract(from).to_i64()?.checked_sub(i64::try_from(self.len()).ok()?)?;
        (gaps == -1).then_some((from, to))
    }
}

/// The set and index of an element that fits the bit representation.
pub(super) fn as_small_element(value: &Value) -> Option<(SetId, u32)> {
    match value {
        Value::Element(element) if element.index < BITS => Some((element.set, element.index)),
        _ => None,
    }
}

impl Set {
    /// The empty set.
    #[must_use]
    pub fn empty() -> Self {
        Set(Repr::Empty)
    }

    /// The set of one value.
    #[must_use]
    pub fn singleton(value: Value) -> Self {
        match as_small_element(&value) {
            Some((set, index)) => Set(Repr::Bits(set, 1 << index)),
            None => Set(Repr::Sorted(Arc::from([value]))),
        }
    }

    /// The set of the listed values, in any order, repetitions allowed.
    #[must_use]
    pub fn from_values(mut values: Vec<Value>) -> Self {
        // Most lists are enumerated in order; checking that costs less than sorting.
        if !values.is_sorted_by(|a, b| a < b) {
            values.sort_unstable();
            values.dedup();
        }
        Self::from_sorted(values)
    }

    /// The set of values that are already strictly increasing.
    ///
    /// # Panics
    /// In debug builds, when they are not.
    #[must_use]
    pub fn from_sorted(values: Vec<Value>) -> Self {
        debug_assert!(values.is_sorted_by(|a, b| a < b), "values must be strictly increasing");
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return Self::empty() };
        // Elements are ordered by set, then index: when both ends belong to one set, so does everything between, and all indices are below
        // that of the last.
        if let (Value::Element(first), Some((set, _))) = (first, as_small_element(last))
            && first.set == set
        {
            return Set(Repr::Bits(set, values.iter().filter_map(as_small_element).fold(0, |bits, (_, index)| bits | 1 << index)));
        }
        if values.len() <= TREE_FROM.get() {
            return Set(Repr::Sorted(values.into()));
        }
        Set(Repr::Long(Arc::new(Long { values: values.into(), tree: OnceLock::new() })))
    }

    /// The whole given set `set` of `size` elements.
    #[must_use]
    pub fn full(set: SetId, size: u32) -> Self {
        match size {
            0 => Self::empty(),
            1..=BITS => Set(Repr::Bits(set, u64::MAX >> (BITS - size))),
            _ => Self::from_sorted((0..size).map(|index| Value::Element(Element { set, index })).collect()),
        }
    }

    /// The elements of `set` whose bits are 1.
    #[must_use]
    pub fn from_bits(set: SetId, bits: u64) -> Self {
        if bits == 0 { Self::empty() } else { Set(Repr::Bits(set, bits)) }
    }

    /// The given set and the mask of a non-empty set in bit representation; `None` for the empty set, which has no given set.
    #[must_use]
    pub fn as_bits(&self) -> Option<(SetId, u64)> {
        match self.0 {
            Repr::Bits(set, bits) => Some((set, bits)),
            Repr::Empty | Repr::Sorted(_) | Repr::Long(_) | Repr::Tree(_) => None,
        }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Where the elements of a list are in memory: two sets with one address are equal while both live.
    pub(crate) fn address(&self) -> Option<usize> {
        match &self.0 {
            Repr::Sorted(values) => Some(values.as_ptr().addr()),
            Repr::Long(long) => Some(long.values.as_ptr().addr()),
            Repr::Empty | Repr::Bits(..) | Repr::Tree(_) => None,
        }
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Repr::Empty)
    }

    /// Whether `value` is an element.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        match &self.0 {
            Repr::Empty => false,
            Repr::Bits(set, bits) => as_small_element(value).is_some_and(|(other, index)| other == *set && bits >> index & 1 == 1),
            Repr::Sorted(values) => values.binary_search(value).is_ok(),
            Repr::Long(long) => long.values.binary_search(value).is_ok(),
            Repr::Tree(values) => values.contains(value),
        }
    }

    /// The elements in ascending order.
    #[must_use]
    pub fn iter(&self) -> SetIter<'_> {
        SetIter(match &self.0 {
            Repr::Empty => Iter::Slice([].iter()),
            Repr::Bits(set, bits) => Iter::Bits(*set, *bits),
            Repr::Sorted(values) => Iter::Slice(values.iter()),
            Repr::Long(long) => Iter::Slice(long.values.iter()),
            Repr::Tree(values) => Iter::Tree(values.iter(), values.len()),
        })
    }

    /// Whether an element is a description or contains one.
    pub fn holds_description(&self) -> bool {
        // Matches by reference: every comparison of sets calls this.
        match &self.0 {
            Repr::Empty | Repr::Bits(..) => false,
            Repr::Sorted(values) => hold_description(values.last(), values.iter()),
            Repr::Long(long) => hold_description(long.values.last(), long.values.iter()),
            Repr::Tree(values) => hold_description(values.get_max(), values.iter()),
        }
    }

    /// Whether elements of this set's type hold no set at all.
    fn has_plain_elements(&self) -> bool {
        match &self.0 {
            Repr::Empty | Repr::Bits(..) => true,
            Repr::Sorted(values) => values.first().is_some_and(Value::is_plain),
            Repr::Long(long) => long.values.first().is_some_and(Value::is_plain),
            Repr::Tree(values) => values.get_min().is_some_and(Value::is_plain),
        }
    }

    /// The least element.
    #[must_use]
    pub fn first_element(&self) -> Option<Value> {
        self.iter().next()
    }
}

/// Whether one of some values, of one type and in ascending order, contains a description.
fn hold_description<'a>(last: Option<&Value>, mut values: impl Iterator<Item = &'a Value>) -> bool {
    // Symbolic sets come after all explicit ones, and the largest explicit set before them: its type is that of all elements.
    match last {
        None => false,
        Some(Value::Symbolic(_)) => true,
        Some(Value::Set(largest)) if largest.has_plain_elements() => false,
        Some(last) => !last.is_plain() && values.any(Value::holds_description),
    }
}

impl Default for Set {
    fn default() -> Self {
        Self::empty()
    }
}

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return Self::empty() };
        // Stay in a mask as long as the values allow, so that the common case allocates nothing.
        let Some((set, index)) = as_small_element(&first) else {
            // With this one no mask holds the values, whatever follows.
            let mut list = Vec::with_capacity(values.size_hint().0 + 1);
            list.push(first);
            list.extend(values);
            return Self::from_values(list);
        };
        let mut bits = 1u64 << index;
        for value in values.by_ref() {
            match as_small_element(&value) {
                Some((other, index)) if other == set => bits |= 1 << index,
                // The first value that does not fit the mask: all continue as a list.
                _ => {
                    let mut list: Vec<Value> = Self::from_bits(set, bits).iter().collect();
                    list.push(value);
                    list.extend(values);
                    return Self::from_values(list);
                }
            }
        }
        Self::from_bits(set, bits)
    }
}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Sets with fewer elements first, then element by element. Slices and trees that share memory are equal without a look at their values.
impl Ord for Set {
    fn cmp(&self, other: &Self) -> Ordering {
        // By size first: most sets differ in it already, and `relation::general_inter` begins with the smallest.
        self.len().cmp(&other.len()).then_with(|| match (&self.0, &other.0) {
            (Repr::Bits(set, bits), Repr::Bits(other_set, other_bits)) if set == other_set => {
                // Below the lowest differing bit both have the same elements. The next element of the set with this bit is smaller than
                // that of the other one, which has a next element too, as the sets are of one size.
                let lowest = (bits ^ other_bits) & (bits ^ other_bits).wrapping_neg();
                (other_bits & lowest).cmp(&(bits & lowest))
            }
            (Repr::Sorted(a), Repr::Sorted(b)) => {
                if Arc::ptr_eq(a, b) {
                    Ordering::Equal
                } else {
                    a.cmp(b)
                }
            }
            (Repr::Long(a), Repr::Long(b)) => {
                if Arc::ptr_eq(a, b) {
                    Ordering::Equal
                } else {
                    a.values.cmp(&b.values)
                }
            }
            (Repr::Tree(a), Repr::Tree(b)) => {
                if a.ptr_eq(b) {
                    Ordering::Equal
                } else {
                    a.iter().cmp(b.iter())
                }
            }
            // Masks of different given sets, or sets of one size in different representations. But for long lists and trees their elements
            // differ, because a content has one representation.
            _ => self.iter().cmp(other.iter()),
        })
    }
}

/// The elements of a [`Set`], ascending.
#[derive(Clone)]
pub struct SetIter<'a>(Iter<'a>);

#[derive(Clone)]
enum Iter<'a> {
    Bits(SetId, u64),
    Slice(std::slice::Iter<'a, Value>),
    Tree(im::ordset::Iter<'a, Value, im::shared_ptr::DefaultSharedPtr>, usize),
}

impl Iterator for SetIter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match &mut self.0 {
            Iter::Bits(set, bits) => {
                if *bits == 0 {
                    return None;
                }
                let index = bits.trailing_zeros();
                // Clears the lowest bit.
                *bits &= *bits - 1;
                Some(Value::Element(Element { set: *set, index }))
            }
            Iter::Slice(values) => values.next().cloned(),
            Iter::Tree(values, left) => {
                *left = left.saturating_sub(1);
                values.next().cloned()
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Iter::Bits(_, bits) => bits.count_ones() as usize,
            Iter::Slice(values) => values.len(),
            Iter::Tree(_, left) => *left,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for SetIter<'_> {}

impl<'a> IntoIterator for &'a Set {
    type Item = Value;
    type IntoIter = SetIter<'a>;

    fn into_iter(self) -> SetIter<'a> {
        self.iter()
    }
}
