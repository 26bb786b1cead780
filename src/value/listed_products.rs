//! Relations between explicit sets and products of such sets, which are not expanded.
//!
//! Invariant: no element is symbolic or contains a symbolic set, so members are found by the order of values. Deliberately elsewhere:
//! other sets, whose membership is decided by the evaluator.

use super::cardinality::{Cardinality, cardinality};
use super::relation::{domain, is_function, is_injective, pairs, range};
use super::{Set, Symbolic, Value};
use bcheck_ir::FunctionKind;
use rustc_hash::FxHashSet;

/// Whether a set is explicit, or a product of such sets, so that members are found by the order of values.
#[must_use]
pub fn is_product_of_lists(set: &Value) -> bool {
    match set {
        Value::Set(set) => !set.holds_description(),
        Value::Symbolic(symbolic) => {
            matches!(&**symbolic, Symbolic::Product(left, right) if is_product_of_lists(left) && is_product_of_lists(right))
        }
        _ => false,
    }
}

/// Membership in such sets. Where elements recur that share memory, as those of a large table do, each is looked up once.
#[derive(Default)]
struct Members {
    /// The address of a list, and that of a set found among its elements. Both live longer than this, so an address is of one set.
    known: FxHashSet<(usize, usize)>,
}

impl Members {
    fn has(&mut self, element: &Value, set: &Value) -> bool {
        match set {
            Value::Set(list) => {
                let Some(address) = element.as_set().and_then(Set::address) else { return list.contains(element) };
                let key = (std::ptr::from_ref(list).addr(), address);
                self.known.contains(&key) || list.contains(element) && self.known.insert(key)
            }
            Value::Symbolic(symbolic) => {
                let (Symbolic::Product(left, right), Some((first, second))) = (&**symbolic, element.as_pair()) else { return false };
                self.has(first, left) && self.has(second, right)
            }
            _ => false,
        }
    }
}

/// Whether a relation is of this kind between two such sets. Their products are not expanded: they may be much larger than their factors.
#[must_use]
pub fn maps_lists(kind: FunctionKind, relation: &Set, from: &Value, to: &Value) -> bool {
    // Numbers of elements suffice where all are known to be in a set.
    let has_all = |set: &Value, found: usize| matches!(cardinality(set), Cardinality::Finite(count) if count == found.into());
    let mut members = Members::default();
    (!kind.is_functional() || is_function(relation))
        && pairs(relation).all(|(first, second)| members.has(first, from) && members.has(second, to))
        && (!kind.is_injective() || is_injective(relation))
        && (!kind.is_total() || has_all(from, if kind.is_functional() { relation.len() } else { domain(relation).len() }))
        && (!kind.is_surjective() || has_all(to, range(relation).len()))
}
