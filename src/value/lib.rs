//! Floor 3: run-time values: ordered, canonical, deterministic, persistent.
//!
//! Invariant: a mathematical value has exactly one representation, so that `==`, `Ord` and `Hash` on the representation are
//! equality and a total order of the values. Only [`Symbolic`] sets are exempt: two different descriptions may denote one set,
//! and whoever compares them must expand or refuse.
//! Deliberately elsewhere: evaluation of a closure's plan (`eval`), state keys (`state`), renaming of elements (`symmetry`).

mod algebra;
pub mod cardinality;
pub mod codec;
pub mod display;
mod ill_defined;
mod integer;
#[cfg(test)]
mod laws;
pub mod listed_products;
pub mod packing;
pub mod progressions;
pub mod quasi_affine;
pub mod relation;
pub mod samples;
pub mod sequence;
mod set;
pub mod space;
#[cfg(test)]
mod space_laws;
mod symbolic;
pub mod thresholds;

pub use ill_defined::IllDefined;
pub use integer::{Integer, MOST_BITS};
pub use set::{Set, SetIter};
pub use symbolic::{SequenceKind, Symbolic};

use bcheck_ir::SetId;
use std::cmp::Ordering;
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
// The order is that of the variants, and some code relies on it: FALSE is the least value of all (`relation::members_at`), and symbolic
// sets come after all explicit ones (`relation::general_inter`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// A value of a free type.
    Free(Arc<Free>),
    /// An explicit finite set (relations, functions and sequences too).
    Set(Set),
    /// A set that is not expanded: infinite, or too large to be worth it.
    Symbolic(Arc<Symbolic>),
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As a derived order would be, but pairs that share memory are equal without a look at their values: elements of function spaces share
/// most of theirs.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Integer(left), Self::Integer(right)) => left.cmp(right),
            (Self::Element(left), Self::Element(right)) => left.cmp(right),
            (Self::String(left), Self::String(right)) => left.cmp(right),
            (Self::Pair(left), Self::Pair(right)) if Arc::ptr_eq(left, right) => Ordering::Equal,
            (Self::Pair(left), Self::Pair(right)) => left.0.cmp(&right.0).then_with(|| left.1.cmp(&right.1)),
            (Self::Record(left), Self::Record(right)) => left.cmp(right),
            (Self::Free(left), Self::Free(right)) => left.cmp(right),
            (Self::Set(left), Self::Set(right)) => left.cmp(right),
            (Self::Symbolic(left), Self::Symbolic(right)) => left.cmp(right),
            _ => self.variant().cmp(&other.variant()),
        }
    }
}

/// A permutation of values, as a function.
pub type Renaming = Box<dyn Fn(&Value) -> Value>;

/// A value of a free type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Free {
    /// The name of the constructor, as a string.
    pub constructor: Value,
    /// The argument of the constructor; none for a constant.
    pub argument: Option<Value>,
}

/// A valuation: the constants, then the variables, in declaration order.
pub type Valuation = Vec<Value>;

impl Value {
    /// Whether the value is a description or contains one: then equal values may differ in form.
    #[must_use]
    #[inline]
    pub fn holds_description(&self) -> bool {
        match self {
            Value::Bool(_) | Value::Integer(_) | Value::Element(_) | Value::String(_) => false,
            _ => self.has_part_with_description(),
        }
    }

    fn has_part_with_description(&self) -> bool {
        match self {
            Value::Bool(_) | Value::Integer(_) | Value::Element(_) | Value::String(_) => false,
            Value::Pair(pair) => pair.0.holds_description() || pair.1.holds_description(),
            Value::Record(fields) => fields.iter().any(|(_, value)| value.holds_description()),
            Value::Free(free) => free.argument.as_ref().is_some_and(Value::holds_description),
            Value::Set(set) => set.holds_description(),
            Value::Symbolic(_) => true,
        }
    }

    /// The place of the variant.
    fn variant(&self) -> u8 {
        match self {
            Self::Bool(_) => 0,
            Self::Integer(_) => 1,
            Self::Element(_) => 2,
            Self::String(_) => 3,
            Self::Pair(_) => 4,
            Self::Record(_) => 5,
            Self::Free(_) => 6,
            Self::Set(_) => 7,
            Self::Symbolic(_) => 8,
        }
    }

    /// Whether no value of this value's type holds a set.
    pub fn is_plain(&self) -> bool {
        match self {
            Value::Bool(_) | Value::Integer(_) | Value::Element(_) | Value::String(_) => true,
            Value::Pair(pair) => pair.0.is_plain() && pair.1.is_plain(),
            Value::Record(fields) => fields.iter().all(|(_, value)| value.is_plain()),
            // Another value of the type may be made by a constructor that takes a set.
            Value::Free(_) | Value::Set(_) | Value::Symbolic(_) => false,
        }
    }

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

    /// The explicit set of the listed values, in any order.
    #[must_use]
    pub fn set(values: Vec<Value>) -> Self {
        Value::Set(Set::from_values(values))
    }

    /// An element of a given set.
    #[must_use]
    pub fn element(set: SetId, index: u32) -> Self {
        Value::Element(Element { set, index })
    }

    /// A value of a free type.
    #[must_use]
    pub fn free(constructor: &Arc<str>, argument: Option<Value>) -> Self {
        Value::Free(Arc::new(Free { constructor: Value::String(constructor.clone()), argument }))
    }

    /// A string.
    #[must_use]
    pub fn string(text: &str) -> Self {
        Value::String(Arc::from(text))
    }

    /// The explicit set that the value is.
    #[must_use]
    pub fn as_set(&self) -> Option<&Set> {
        if let Value::Set(set) = self { Some(set) } else { None }
    }

    /// The two sides of a pair.
    #[must_use]
    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        if let Value::Pair(pair) = self { Some((&pair.0, &pair.1)) } else { None }
    }

    /// The integer that the value is.
    #[must_use]
    pub fn as_integer(&self) -> Option<&Integer> {
        if let Value::Integer(integer) = self { Some(integer) } else { None }
    }

    /// The truth value that the value is.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<Integer> for Value {
    fn from(value: Integer) -> Self {
        Value::Integer(value)
    }
}

impl From<Set> for Value {
    fn from(value: Set) -> Self {
        Value::Set(value)
    }
}
