//! Explicit finite sets in one canonical representation per content.
//!
//! Invariant: no elements → `Empty`; all elements of one given set with index below 64 → `Bits`; otherwise up to
//! [`TREE_FROM`] elements → a sorted slice; otherwise a persistent ordered tree (`im`), which shares structure when one
//! element changes. The representation depends on the content alone, never on how the set was made.

use super::Value;
use crate::ir::SetId;
use std::sync::Arc;

/// Sets with more elements than this are trees.
pub const TREE_FROM: usize = 256;

/// A finite set of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set(Repr);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Empty,
    Bits(SetId, u64),
    Sorted(Arc<[Value]>),
    Tree(im::OrdSet<Value>),
}
