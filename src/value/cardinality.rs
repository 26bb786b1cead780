//! The number of elements of a set, as far as its description shows it.
//!
//! Invariant: no set is enumerated. A number too large to be computed counts as infinite, and [`is_surely_finite`] distinguishes the two.
//! Deliberately elsewhere: counting by enumeration (`eval`).

use super::{Integer, SequenceKind, Set, Symbolic, Value, space};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::sync::Arc;

/// Intervals of up to this many numbers are listed at once; longer ones stay descriptions.
const INTERVAL_EXPLICIT: u64 = 1024;

/// What is known about the number of elements of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    Finite(BigUint),
    Infinite,
    /// Not known without enumeration.
    Unknown,
}

/// The set `from..to`.
pub(crate) fn interval(from: &Integer, to: &Integer) -> Value {
    if from > to {
        return Value::Set(Set::empty());
    }
    if let (Some(low), Some(high)) = (from.to_i64(), to.to_i64())
        && high.abs_diff(low) < INTERVAL_EXPLICIT
    {
        return Value::Set(Set::from_sorted((low..=high).map(Value::integer).collect()));
    }
    Value::Symbolic(Arc::new(Symbolic::Interval(from.clone(), to.clone())))
}

pub(crate) fn describe(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::Finite(count) => format!("a set of {count} elements"),
        Cardinality::Infinite => "an infinite set".to_owned(),
        Cardinality::Unknown => "a set that nothing bounds".to_owned(),
    }
}

/// The number of elements as far as the description shows it.
pub(crate) fn cardinality(set: &Value) -> Cardinality {
    let symbolic = match set {
        Value::Set(set) => return Cardinality::Finite(BigUint::from(set.len())),
        Value::Symbolic(symbolic) => symbolic,
        _ => unreachable!("the type checker only allows sets here"),
    };
    match &**symbolic {
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free(_) => Cardinality::Infinite,
        Symbolic::Interval(from, to) => {
            let count = to.subtract(from).to_big() + 1u32;
            Cardinality::Finite(count.to_biguint().expect("an interval is not empty"))
        }
        Symbolic::Power { base, nonempty, .. } => match cardinality(base) {
            // The count has one bit more than the base has elements: the limit is a megabit.
            Cardinality::Finite(count) => match count.to_usize() {
                Some(count) if count <= 1 << 20 => Cardinality::Finite(space::count_subsets(count) - u32::from(*nonempty)),
                _ => Cardinality::Infinite,
            },
            other => other,
        },
        Symbolic::Product(left, right) | Symbolic::ParallelProduct(left, right) => {
            let parts = [cardinality(left), cardinality(right)];
            product_of(&parts)
        }
        Symbolic::Struct(fields) => {
            let mut parts = Vec::new();
            for (_, set) in fields.iter() {
                parts.push(cardinality(set));
            }
            product_of(&parts)
        }
        Symbolic::Functions(kind, from, to) => match (cardinality(from), cardinality(to)) {
            // No kind has more members than there are relations, 2^(n * m): the limit is on the bits of the count.
            (Cardinality::Finite(n), Cardinality::Finite(m)) => match (n.to_usize(), m.to_usize()) {
                (Some(n), Some(m)) if n.saturating_mul(m) <= 1 << 16 => Cardinality::Finite(space::count_functions(*kind, n, m)),
                _ => Cardinality::Infinite,
            },
            // From or to the empty set there is the empty relation at most, however large the other set is.
            (Cardinality::Finite(n), _) | (_, Cardinality::Finite(n)) if n.is_zero() => Cardinality::Unknown,
            (Cardinality::Unknown, _) | (_, Cardinality::Unknown) => Cardinality::Unknown,
            _ => Cardinality::Infinite,
        },
        Symbolic::Sequences(kind, base) => match cardinality(base) {
            Cardinality::Finite(count) => match count.to_usize() {
                Some(count) if count <= 1 << 12 => space::count_sequences(*kind, count).map_or(Cardinality::Infinite, Cardinality::Finite),
                _ => Cardinality::Infinite,
            },
            other => other,
        },
        Symbolic::Identity(base) => cardinality(base),
        Symbolic::Inverse(relation) => cardinality(relation),
        Symbolic::Union(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, _) | (_, Cardinality::Infinite) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Difference(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, Cardinality::Finite(_)) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Override(relation, _) => match cardinality(relation) {
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Intersection(..)
        | Symbolic::Compose(..)
        | Symbolic::Transitive(_)
        | Symbolic::Domain(_)
        | Symbolic::DomainRestrict(..)
        | Symbolic::RangeRestrict(..)
        | Symbolic::DirectProduct(..)
        | Symbolic::Closure { .. } => Cardinality::Unknown,
    }
}

/// Whether the description shows that a set has more than `limit` elements, even where it does not show their number.
pub(crate) fn is_larger(set: &Value, limit: u64) -> bool {
    let part = match set {
        Value::Symbolic(symbolic) => match &**symbolic {
            Symbolic::Override(relation, _) => relation,
            Symbolic::Union(left, right) => return is_larger(left, limit) || is_larger(right, limit),
            _ => set,
        },
        _ => set,
    };
    match cardinality(part) {
        Cardinality::Finite(count) => count > BigUint::from(limit),
        Cardinality::Infinite => true,
        Cardinality::Unknown => false,
    }
}

/// Whether the description shows that a set is finite, however many elements it has; false where it is infinite or unknown.
pub(crate) fn is_surely_finite(set: &Value) -> bool {
    let symbolic = match set {
        Value::Symbolic(symbolic) => symbolic,
        _ => return true,
    };
    match &**symbolic {
        Symbolic::Interval(..) => true,
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free(_) | Symbolic::Closure { .. } | Symbolic::Compose(..) => false,
        Symbolic::Power { base, .. } => is_surely_finite(base),
        Symbolic::Sequences(SequenceKind::Iseq | SequenceKind::Iseq1 | SequenceKind::Perm, base) => is_surely_finite(base),
        Symbolic::Sequences(..) => false,
        Symbolic::Struct(fields) => fields.iter().all(|(_, set)| is_surely_finite(set)),
        Symbolic::Product(left, right)
        | Symbolic::ParallelProduct(left, right)
        | Symbolic::DirectProduct(left, right)
        | Symbolic::Functions(_, left, right)
        | Symbolic::Union(left, right)
        | Symbolic::Override(left, right) => is_surely_finite(left) && is_surely_finite(right),
        Symbolic::Intersection(left, right) => is_surely_finite(left) || is_surely_finite(right),
        Symbolic::Identity(base)
        | Symbolic::Inverse(base)
        | Symbolic::Transitive(base)
        | Symbolic::Domain(base)
        | Symbolic::Difference(base, _)
        | Symbolic::DomainRestrict(_, base, _)
        | Symbolic::RangeRestrict(base, ..) => is_surely_finite(base),
    }
}

fn product_of(parts: &[Cardinality]) -> Cardinality {
    // An empty factor makes the product empty, whatever the others are.
    let zero = Cardinality::Finite(BigUint::zero());
    if parts.contains(&zero) {
        return zero;
    }
    let mut product = BigUint::one();
    for part in parts {
        match part {
            Cardinality::Finite(count) => product *= count,
            other => return other.clone(),
        }
    }
    Cardinality::Finite(product)
}
