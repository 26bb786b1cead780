//! Floor 3: run-time values: ordered, canonical, deterministic, persistent.
//!
//! Invariant: a mathematical value has exactly one representation, so that `==`, `Ord` and `Hash` on the representation are
//! equality and a total order of the values. Only [`Symbolic`] sets are exempt: two different descriptions may denote one set,
//! and whoever compares them must expand or refuse.
//! Deliberately elsewhere: what a plan's closure means (`eval`), state keys (`state`), renaming of elements (`symmetry`).

mod ill_defined;
mod integer;
mod set;
mod symbolic;

pub use ill_defined::IllDefined;
pub use integer::Integer;
pub use set::Set;
pub use symbolic::{FunctionKind, SequenceKind, Symbolic};

use crate::ir::SetId;
use std::sync::Arc;

/// An element of a given set: its position in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// The given set.
    pub set: SetId,
    /// Position from 0.
    pub index: u32,
}

/// A B value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// TRUE or FALSE.
    Bool(bool),
    /// An integer of any size.
    Integer(Integer),
    /// An element of a given set.
    Element(Element),
    /// A string.
    String(Arc<str>),
    /// `a |-> b`
    Pair(Arc<(Value, Value)>),
    /// Field values with names, sorted by name.
    Record(Arc<[(Arc<str>, Value)]>),
    /// An explicit finite set (relations, functions and sequences too).
    Set(Set),
    /// A set that is not expanded: infinite, or too large to be worth it.
    Symbolic(Arc<Symbolic>),
}

/// A valuation: the constants, then the variables, in declaration order.
pub type Valuation = Vec<Value>;

impl Value {
    /// A pair.
    #[must_use]
    pub fn pair(first: Value, second: Value) -> Self {
        Value::Pair(Arc::new((first, second)))
    }

    /// A machine-size integer.
    #[must_use]
    pub fn integer(value: i64) -> Self {
        Value::Integer(Integer::from(value))
    }
}
