//! Names that are bound by a disjunction of searches (`x : S or x = y`): each value that a branch yields, once, in the order of values.
//!
//! Invariant: values are ordered as in the general tier. Deliberately elsewhere: the branches themselves (`search`), continuing with
//! each value (`visit`).

use super::operand::signed;
use super::search::PackedSearch;
use super::visit::Mode;
use super::{BailOut, Packer, Words};
use crate::plan::{Search, Slot};
use crate::run::frame::Flow;
use bcheck_value::packing::{Packing, compare_sets};
use std::cmp::Ordering;
use std::ops::Range;

/// Names, and the branches that bind them.
pub(super) struct Branches {
    searches: Vec<PackedSearch>,
    names: Vec<Name>,
}

struct Name {
    place: Range<usize>,
    compare: fn(&[u64], &[u64]) -> Ordering,
}

/// The distinct values that branches yield.
pub(super) struct Values {
    /// The words of all names, value after value, as found.
    words: Vec<u64>,
    /// Where the distinct values begin, in their order.
    order: Vec<usize>,
}

/// The branches of a disjunction, which bind these slots.
pub(super) fn branches_of(packer: &mut Packer<'_>, slots: &[Slot], searches: &[Search]) -> Option<Branches> {
    // First, because compiling the branches allocates the words of the names.
    let searches = searches.iter().map(|search| packer.search(search)).collect::<Option<Vec<_>>>()?;
    let names = slots.iter().map(|&slot| {
        let compare: fn(&[u64], &[u64]) -> Ordering = match packer.places.held(slot)? {
            Packing::Integer => |a, b| signed(a[0]).cmp(&signed(b[0])),
            Packing::Index(_) => |a, b| a[0].cmp(&b[0]),
            Packing::Mask(_) => compare_sets,
        };
        Some(Name { place: packer.places.place(slot), compare })
    });
    let names = names.collect::<Option<Vec<_>>>()?;
    Some(Branches { searches, names })
}

impl Branches {
    /// The distinct values of the names, in order.
    pub(super) fn values(&self, mode: Mode, words: &mut Words) -> Result<Values, BailOut> {
        let size: usize = self.names.iter().map(|name| name.place.len()).sum();
        let mut values = Values { words: Vec::new(), order: Vec::new() };
        for search in &self.searches {
            // All values are collected before any is continued with, since a later branch may yield a lesser one.
            search.run_in(mode, words, &mut |words| {
                values.order.push(values.words.len());
                self.names.iter().for_each(|name| values.words.extend_from_slice(&words.slots[name.place.clone()]));
                Ok(Flow::Continue)
            })?;
        }
        let Values { words, order } = &mut values;
        // Equal values have equal words, so neither which of them is kept nor their order in the unstable sort matters.
        order.sort_unstable_by(|&a, &b| self.compare(&words[a..], &words[b..]));
        order.dedup_by(|a, b| words[*a..*a + size] == words[*b..*b + size]);
        Ok(values)
    }

    fn compare(&self, mut a: &[u64], mut b: &[u64]) -> Ordering {
        for name in &self.names {
            let size = name.place.len();
            match (name.compare)(&a[..size], &b[..size]) {
                Ordering::Equal => (a, b) = (&a[size..], &b[size..]),
                unequal => return unequal,
            }
        }
        Ordering::Equal
    }

    /// Binds the names to the value at this place of the order; false after the last.
    pub(super) fn bind(&self, values: &Values, at: usize, words: &mut Words) -> bool {
        let Some(&start) = values.order.get(at) else { return false };
        let mut rest = &values.words[start..];
        for name in &self.names {
            let (own, others) = rest.split_at(name.place.len());
            words.slots[name.place.clone()].copy_from_slice(own);
            rest = others;
        }
        true
    }
}
