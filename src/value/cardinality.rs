//! The number of elements of a set, as far as its description shows it.
//!
//! Invariant: no set is enumerated. A number too large to be computed counts as infinite, and [`is_surely_finite`] distinguishes the two.
//! Deliberately elsewhere: counting by enumeration (`eval`).

use super::{FunctionKind, Integer, SequenceKind, Set, Symbolic, Value, space};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::sync::Arc;

/// Intervals of up to this many numbers are listed at once; longer ones stay descriptions.
const INTERVAL_EXPLICIT: u64 = 1024;

/// What is known about the number of elements of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    /// This number.
    Finite(BigUint),
    /// Infinite, or too large to be computed.
    Infinite,
    /// Not known without enumeration.
    Unknown,
}

/// The set `from..to`, in the one form that its length demands, so that equal intervals are equal values.
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

/// The number in words, as messages say it.
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
        // A free type stays a description where it is recursive, or has more values than are listed when it is compiled.
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free { .. } => Cardinality::Infinite,
        Symbolic::Interval(from, to) => {
            // Descriptions of intervals are never empty (see `interval`).
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
        Symbolic::Functions(kind, from, to) => functions(*kind, from, to),
        Symbolic::Sequences(kind, base) => sequences(*kind, base),
        Symbolic::Identity(base) => cardinality(base),
        Symbolic::Inverse(relation) => cardinality(relation),
        // Finite sides may have elements in common, so their numbers do not add up.
        Symbolic::Union(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, _) | (_, Cardinality::Infinite) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Difference(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, Cardinality::Finite(_)) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        // An override may replace infinitely many pairs of one argument by one; of the others the description alone shows nothing.
        Symbolic::Override(..)
        | Symbolic::Intersection(..)
        | Symbolic::Compose(..)
        | Symbolic::Transitive(_)
        | Symbolic::Domain(_)
        | Symbolic::DomainRestrict(..)
        | Symbolic::RangeRestrict(..)
        | Symbolic::DirectProduct(..)
        | Symbolic::Closure { .. } => Cardinality::Unknown,
    }
}

/// The number of functions of a kind between two sets.
fn functions(kind: FunctionKind, from: &Value, to: &Value) -> Cardinality {
    match (cardinality(from), cardinality(to)) {
        (Cardinality::Finite(n), Cardinality::Finite(m)) => match (n.to_usize(), m.to_usize()) {
            (Some(n), Some(m)) if is_counted(kind, n, m) => Cardinality::Finite(space::count_functions(kind, n, m)),
            _ => many_functions(kind, &Size::Finite(n), &Size::Finite(m)),
        },
        // An unknown side may be empty, and then there is one function, or none.
        (Cardinality::Unknown, _) | (_, Cardinality::Unknown) => Cardinality::Unknown,
        (n, m) => many_functions(kind, &Size::of(n, from), &Size::of(m, to)),
    }
}

/// The number of sequences of a kind over a set.
fn sequences(kind: SequenceKind, base: &Value) -> Cardinality {
    match cardinality(base) {
        Cardinality::Finite(count) => match count.to_usize() {
            // Of n items there are about e * n! injective sequences: for 4,096 items a number of some 43,000 bits.
            Some(count) if count <= 1 << 12 => space::count_sequences(kind, count).map_or(Cardinality::Infinite, Cardinality::Finite),
            _ => Cardinality::Infinite,
        },
        // No finite sequence reaches all elements of an infinite set.
        Cardinality::Infinite if kind == SequenceKind::Perm && !is_surely_finite(base) => Cardinality::Finite(BigUint::zero()),
        other => other,
    }
}

/// Whether the description shows that a set has more than `limit` elements, even where it does not show their number.
pub(crate) fn is_larger(set: &Value, limit: u64) -> bool {
    if let Value::Symbolic(symbolic) = set {
        match &**symbolic {
            Symbolic::Union(left, right) => return is_larger(left, limit) || is_larger(right, limit),
            // Each argument keeps a value.
            Symbolic::Override(relation, _) => return has_larger_domain(relation, limit),
            _ => {}
        }
    }
    match cardinality(set) {
        Cardinality::Finite(count) => count > BigUint::from(limit),
        Cardinality::Infinite => true,
        Cardinality::Unknown => false,
    }
}

/// Whether the description shows that a relation has more than `limit` arguments.
fn has_larger_domain(relation: &Value, limit: u64) -> bool {
    let Value::Symbolic(symbolic) = relation else { return false };
    match &**symbolic {
        Symbolic::Product(from, to) => is_larger(from, limit) && matches!(cardinality(to), Cardinality::Finite(count) if !count.is_zero()),
        Symbolic::Identity(base) => is_larger(base, limit),
        Symbolic::Override(relation, changes) => has_larger_domain(relation, limit) || has_larger_domain(changes, limit),
        _ => false,
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
        Symbolic::Free { is_finite, .. } => *is_finite,
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Closure { .. } | Symbolic::Compose(..) => false,
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
        // One finite side bounds an intersection, as the left side does a difference.
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

/// Whether the number of functions of a kind is computed: it has at most some 2^16 bits.
fn is_counted(kind: FunctionKind, n: usize, m: usize) -> bool {
    // No kind has more members than there are relations, 2^(n * m), and no kind of functions more than (m + 1)^n.
    let of_relations = n.saturating_mul(m);
    let bits = usize::BITS - m.leading_zeros();
    // The sums over inclusions and exclusions for surjections have m terms of that size.
    let is_product = kind.is_functional() && !matches!(kind, FunctionKind::PartialSurjections | FunctionKind::TotalSurjections);
    of_relations <= 1 << 16 || is_product && n.saturating_mul(bits as usize) <= 1 << 16
}

/// The number of elements of a set that functions go from or to.
#[derive(PartialEq)]
enum Size {
    /// A known number.
    Finite(BigUint),
    /// A finite number that is too large to be computed.
    Large,
    Infinite,
}

impl Size {
    fn of(count: Cardinality, set: &Value) -> Self {
        match count {
            Cardinality::Finite(count) => Size::Finite(count),
            _ if is_surely_finite(set) => Size::Large,
            _ => Size::Infinite,
        }
    }

    fn is(&self, count: u32) -> bool {
        *self == Size::Finite(BigUint::from(count))
    }

    /// Whether there are more elements than in another set, if that is known.
    fn exceeds(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Size::Finite(own), Size::Finite(other)) => Some(own > other),
            (Size::Infinite, Size::Finite(_) | Size::Large) => Some(true),
            (_, Size::Infinite) => Some(false),
            (Size::Large, _) | (_, Size::Large) => None,
        }
    }
}

/// The number of functions of a kind between two sets, where it is not computed: none, one, or a number far beyond what is enumerated.
fn many_functions(kind: FunctionKind, from: &Size, to: &Size) -> Cardinality {
    let exactly = |count: u32| Cardinality::Finite(BigUint::from(count));
    // From or to the empty set there is at most the empty relation.
    if from.is(0) || to.is(0) {
        let is_of_kind = (from.is(0) || !kind.is_total()) && (to.is(0) || !kind.is_surjective());
        return exactly(u32::from(is_of_kind));
    }
    // A total injection needs a value of its own for each argument, a surjective function an argument of its own for each value.
    let needs_values = kind.is_total() && kind.is_injective();
    let needs_arguments = kind.is_functional() && kind.is_surjective();
    match (needs_values.then(|| from.exceeds(to)), needs_arguments.then(|| to.exceeds(from))) {
        (Some(Some(true)), _) | (_, Some(Some(true))) => return exactly(0),
        (Some(None), _) | (_, Some(None)) => return Cardinality::Unknown,
        _ => {}
    }
    // All arguments have the only value, or the only argument has all values.
    if kind.is_total() && to.is(1) || kind.is_surjective() && from.is(1) {
        return exactly(1);
    }
    Cardinality::Infinite
}

fn product_of(parts: &[Cardinality]) -> Cardinality {
    // An empty factor makes the product empty, whatever the others are.
    let zero = Cardinality::Finite(BigUint::zero());
    if parts.contains(&zero) {
        return zero;
    }
    // An unknown factor may be empty.
    if parts.contains(&Cardinality::Unknown) {
        return Cardinality::Unknown;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_counting_it_is_known_whether_there_are_no_functions_one_or_more() {
        for kind in FunctionKind::ALL {
            for (n, m) in (0..6usize).flat_map(|n| (0..6).map(move |m| (n, m))) {
                let count = space::count_functions(kind, n, m);
                let expected = if count > BigUint::one() { Cardinality::Infinite } else { Cardinality::Finite(count) };
                let found = many_functions(kind, &Size::Finite(BigUint::from(n)), &Size::Finite(BigUint::from(m)));
                assert_eq!(found, expected, "{kind:?} {n} {m}");
            }
        }
    }

    #[test]
    fn sets_of_functions_between_infinite_sets_may_be_small() {
        let (natural, one) = (Size::Infinite, Size::Finite(BigUint::one()));
        let (two, none) = (Size::Finite(BigUint::from(2u32)), Size::Finite(BigUint::zero()));
        let count = |kind, from: &Size, to: &Size| many_functions(kind, from, to);
        let exactly = |count: u32| Cardinality::Finite(BigUint::from(count));
        assert_eq!(count(FunctionKind::TotalInjections, &natural, &two), exactly(0));
        assert_eq!(count(FunctionKind::TotalSurjections, &two, &natural), exactly(0));
        assert_eq!(count(FunctionKind::TotalFunctions, &natural, &one), exactly(1));
        assert_eq!(count(FunctionKind::TotalFunctions, &natural, &none), exactly(0));
        assert_eq!(count(FunctionKind::PartialFunctions, &natural, &none), exactly(1));
        assert_eq!(count(FunctionKind::TotalInjections, &two, &natural), Cardinality::Infinite);
        assert_eq!(count(FunctionKind::TotalInjections, &Size::Large, &two), Cardinality::Unknown);
    }
}
