//! The number of elements of a set, as far as its description determines it.
//!
//! Invariant: no set is enumerated, and known answers are correct: a set that is merely too large to be counted never counts as infinite.
//! Deliberately elsewhere: counting by enumeration (`eval`).

use super::{Integer, SequenceKind, Set, Symbolic, Value, space};
use crate::thresholds::{COUNTED_INTERVALS, LISTED_INTERVAL};
use bcheck_ir::FunctionKind;
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

/// What is known about the number of elements of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// This number.
    Finite(BigUint),
    /// Finite, but too large to be computed; at least 2^64.
    Large,
    /// Infinite.
    Infinite,
    /// Not known without enumeration.
    Unknown,
}

impl Cardinality {
    /// Whether sets with these numbers of elements cannot be equal.
    pub fn differs_from(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Finite(one), Self::Finite(other)) => one != other,
            (Self::Finite(count), Self::Large) | (Self::Large, Self::Finite(count)) => count.to_u64().is_some(),
            (Self::Infinite, Self::Finite(_) | Self::Large) | (Self::Finite(_) | Self::Large, Self::Infinite) => true,
            (Self::Large, Self::Large) | (Self::Infinite, Self::Infinite) | (Self::Unknown, _) | (_, Self::Unknown) => false,
        }
    }
}

/// The set `from..to`, in the one form that its length demands, so that equal intervals are equal values.
pub fn interval(from: &Integer, to: &Integer) -> Value {
    if from > to {
        return Value::Set(Set::empty());
    }
    if let (Some(low), Some(high)) = (from.to_i64(), to.to_i64())
        && high.abs_diff(low) < LISTED_INTERVAL.get()
    {
        return Value::Set(Set::from_sorted((low..=high).map(Value::integer).collect()));
    }
    Value::Symbolic(Arc::new(Symbolic::Interval(from.clone(), to.clone())))
}

/// The number in words, as used in messages.
pub fn describe(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::Finite(count) => format!("a set of {count} elements"),
        Cardinality::Large => "a set too large to be counted".to_owned(),
        Cardinality::Infinite => "an infinite set".to_owned(),
        Cardinality::Unknown => "a set that nothing bounds".to_owned(),
    }
}

/// The number of elements as far as the description shows it.
pub fn cardinality(set: &Value) -> Cardinality {
    match size(set) {
        Size::Finite(count) => Cardinality::Finite(count),
        Size::Large => Cardinality::Large,
        Size::Countable | Size::Uncountable | Size::Infinite => Cardinality::Infinite,
        Size::Unknown => Cardinality::Unknown,
    }
}

/// A number of elements. Of infinite ones, those known to be countable are distinguished, because injections and surjections between
/// infinite sets exist or not by that (Cantor).
#[derive(Clone, Debug, PartialEq)]
enum Size {
    Finite(BigUint),
    /// As [`Cardinality::Large`].
    Large,
    /// That of NATURAL.
    Countable,
    /// Greater than that of NATURAL.
    Uncountable,
    /// Infinite, and not known whether countable.
    Infinite,
    Unknown,
}

impl Size {
    fn exactly(count: u32) -> Self {
        Size::Finite(BigUint::from(count))
    }

    fn is(&self, count: u32) -> bool {
        *self == Size::exactly(count)
    }

    fn is_finite(&self) -> bool {
        matches!(self, Size::Finite(_) | Size::Large)
    }

    fn is_infinite(&self) -> bool {
        matches!(self, Size::Countable | Size::Uncountable | Size::Infinite)
    }

    /// Whether there are more elements than in another set, if that is known.
    fn exceeds(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Size::Finite(own), Size::Finite(other)) => Some(own > other),
            (Size::Finite(own), Size::Large) => own.to_u64().map(|_| false),
            (Size::Large, Size::Finite(other)) => other.to_u64().map(|_| true),
            (own, other) if own.is_finite() && other.is_infinite() => Some(false),
            (own, other) if own.is_infinite() && other.is_finite() => Some(true),
            (Size::Uncountable, Size::Countable) => Some(true),
            // No infinite set is smaller than a countable one.
            (Size::Countable, other) if other.is_infinite() => Some(false),
            _ => None,
        }
    }

    /// The size of a set with at least one element for each element of either of two sets, at least one of them infinite, and at most one
    /// for each pair.
    fn infinite(one: &Self, other: &Self) -> Self {
        match (one, other) {
            (Size::Uncountable, _) | (_, Size::Uncountable) => Size::Uncountable,
            (Size::Countable, other) | (other, Size::Countable) if *other == Size::Countable || other.is_finite() => Size::Countable,
            _ => Size::Infinite,
        }
    }
}

fn size(set: &Value) -> Size {
    let symbolic = match set {
        Value::Set(set) => return Size::Finite(BigUint::from(set.len())),
        Value::Symbolic(symbolic) => symbolic,
        _ => unreachable!("the type checker only allows sets here"),
    };
    match &**symbolic {
        Symbolic::Integers(_) | Symbolic::Strings => Size::Countable,
        // A free type stays symbolic even where it has more values than are made explicit during compilation: they are not counted.
        Symbolic::Free { is_finite: true, .. } => Size::Unknown,
        Symbolic::Free { is_finite: false, .. } => Size::Infinite,
        Symbolic::Interval(from, to) => {
            // Descriptions of intervals are never empty (see `interval`).
            let count = to.subtract(from).to_big() + 1u32;
            Size::Finite(count.to_biguint().expect("an interval is not empty"))
        }
        Symbolic::Power { base, nonempty, finite } => match size(base) {
            // The count has one bit more than the base has elements: the limit is a megabit.
            Size::Finite(count) => match count.to_usize() {
                Some(count) if count <= 1 << 20 => Size::Finite(space::count_subsets(count) - u32::from(*nonempty)),
                _ => Size::Large,
            },
            // An infinite set has as many finite subsets as elements, and more subsets.
            base if base.is_infinite() && !finite => Size::Uncountable,
            base => base,
        },
        Symbolic::Product(left, right) | Symbolic::ParallelProduct(left, right) => product_of([left, right].into_iter()),
        Symbolic::Struct(fields) => product_of(fields.iter().map(|(_, set)| set)),
        Symbolic::Functions(kind, from, to) => functions(*kind, &size(from), &size(to)),
        Symbolic::Sequences(kind, base) => sequences(*kind, size(base)),
        Symbolic::Identity(base) => size(base),
        Symbolic::Inverse(relation) => size(relation),
        Symbolic::Union(left, right) => match (size(left), size(right)) {
            (left, right) if left.is_infinite() || right.is_infinite() => Size::infinite(&left, &right),
            // Finite sides may have elements in common, so their numbers do not add up.
            (Size::Large, other) | (other, Size::Large) if other.is_finite() => Size::Large,
            _ => match (numbers_between(left), numbers_between(right)) {
                (Some(left), Some(right)) => Size::Finite(count_between(left, right)),
                _ => Size::Unknown,
            },
        },
        Symbolic::Difference(left, right) => match (size(left), size(right)) {
            (left, right) if left.is_infinite() && right.is_finite() => left,
            _ => Size::Unknown,
        },
        // An override may replace infinitely many pairs of one argument by one; in other cases the description alone shows nothing.
        Symbolic::Override(..)
        | Symbolic::Intersection(..)
        | Symbolic::Compose(..)
        | Symbolic::Transitive(_)
        | Symbolic::Domain(_)
        | Symbolic::DomainRestrict(..)
        | Symbolic::RangeRestrict(..)
        | Symbolic::DirectProduct(..)
        | Symbolic::Closure { .. } => Size::Unknown,
    }
}

/// The number of functions of a kind between two sets.
fn functions(kind: FunctionKind, from: &Size, to: &Size) -> Size {
    match (from, to) {
        (Size::Finite(n), Size::Finite(m)) => match (n.to_usize(), m.to_usize()) {
            (Some(n), Some(m)) if is_counted(kind, n, m) => Size::Finite(space::count_functions(kind, n, m)),
            _ => many_functions(kind, from, to),
        },
        // An unknown side may be empty, and then there is one function, or none.
        (Size::Unknown, _) | (_, Size::Unknown) => Size::Unknown,
        _ => many_functions(kind, from, to),
    }
}

/// The number of sequences of a kind over a set.
fn sequences(kind: SequenceKind, base: Size) -> Size {
    match base {
        Size::Finite(count) if !kind.is_injective() => match count.is_zero() {
            true => Size::exactly(u32::from(!kind.is_nonempty())),
            false => Size::Countable,
        },
        Size::Large if !kind.is_injective() => Size::Countable,
        Size::Finite(count) => match count.to_usize() {
            // Of n items there are about e * n! injective sequences: for 4,096 items a number of some 43,000 bits.
            Some(count) if count <= 1 << 12 => space::count_sequences(kind, count).map_or(Size::Countable, Size::Finite),
            _ => Size::Large,
        },
        // No finite sequence reaches all elements of an infinite set.
        base if kind == SequenceKind::Perm && base.is_infinite() => Size::exactly(0),
        // There are as many finite sequences over an infinite set as it has elements.
        base => base,
    }
}

/// Whether the description shows that a set has more than `limit` elements, even where it does not show their number.
pub fn is_larger(set: &Value, limit: u64) -> bool {
    if let Value::Symbolic(symbolic) = set {
        match &**symbolic {
            Symbolic::Union(left, right) => return is_larger(left, limit) || is_larger(right, limit),
            // The right side takes as many elements as it has, at most.
            Symbolic::Difference(left, right) => {
                let Size::Finite(count) = size(right) else { return cardinality(set) == Cardinality::Infinite };
                return count.to_u64().and_then(|count| limit.checked_add(count)).is_some_and(|limit| is_larger(left, limit));
            }
            // Each constructor has a value; how many there are is not known here.
            Symbolic::Free { is_finite: true, .. } => return limit == 0,
            // Each argument still has a value.
            Symbolic::Override(relation, _) => return has_larger_domain(relation, limit),
            _ => {}
        }
    }
    match cardinality(set) {
        Cardinality::Finite(count) => count > BigUint::from(limit),
        Cardinality::Large | Cardinality::Infinite => true,
        Cardinality::Unknown => false,
    }
}

/// Whether the description shows that a relation has more than `limit` arguments.
fn has_larger_domain(relation: &Value, limit: u64) -> bool {
    let Value::Symbolic(symbolic) = relation else { return false };
    match &**symbolic {
        Symbolic::Product(from, to) => is_larger(from, limit) && is_larger(to, 0),
        Symbolic::Identity(base) => is_larger(base, limit),
        Symbolic::Override(relation, changes) => has_larger_domain(relation, limit) || has_larger_domain(changes, limit),
        _ => false,
    }
}

/// Whether the description shows that a set is finite, however many elements it has; false where it is infinite or unknown.
pub fn is_surely_finite(set: &Value) -> bool {
    let symbolic = match set {
        Value::Symbolic(symbolic) => symbolic,
        _ => return true,
    };
    // First the number, as a set made of infinite ones may be finite: `NATURAL --> {1}`.
    match size(set) {
        Size::Unknown => {}
        known => return known.is_finite(),
    }
    match &**symbolic {
        Symbolic::Interval(..) => true,
        Symbolic::Free { is_finite, .. } => *is_finite,
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Closure { .. } | Symbolic::Compose(..) => false,
        Symbolic::Power { base, .. } => is_surely_finite(base),
        // Of an infinite set there are none.
        Symbolic::Sequences(SequenceKind::Perm, _) => true,
        Symbolic::Sequences(SequenceKind::Iseq | SequenceKind::Iseq1, base) => is_surely_finite(base),
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

/// The ends of intervals that together are a set of numbers, in any order; they may overlap.
type Intervals = Vec<(Integer, Integer)>;

/// A set that is made of a few intervals.
fn numbers_between(set: &Value) -> Option<Intervals> {
    match set {
        Value::Set(numbers) if numbers.len() <= COUNTED_INTERVALS.get() => {
            numbers.iter().map(|number| number.as_integer().map(|number| (number.clone(), number.clone()))).collect()
        }
        Value::Symbolic(symbolic) => match &**symbolic {
            Symbolic::Interval(from, to) => Some(vec![(from.clone(), to.clone())]),
            Symbolic::Union(left, right) => {
                let ends = [numbers_between(left)?, numbers_between(right)?].concat();
                (ends.len() <= COUNTED_INTERVALS.get()).then_some(ends)
            }
            _ => None,
        },
        _ => None,
    }
}

/// How many numbers are between these ends.
fn count_between(left: Intervals, right: Intervals) -> BigUint {
    let mut ends = [left, right].concat();
    ends.sort_unstable();
    let mut count = BigInt::from(0);
    let mut counted_to: Option<Integer> = None;
    for (from, to) in ends {
        // What is up to `counted_to` is counted: intervals come in the order of their beginnings.
        let begin = counted_to.iter().map(|last| last.add(&Integer::from(1))).chain([from]).max().expect("at least the beginning");
        if begin <= to {
            count += to.subtract(&begin).to_big() + 1;
            counted_to = Some(to);
        }
    }
    count.to_biguint().unwrap_or_default()
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

/// The number of functions of a kind between two sets of known size, without computing it: zero, one, or at least 2^64. The last holds
/// because of two finite sets one has at least 2^64 elements, or both together have more than 2^16 pairs (see [`is_counted`]).
fn many_functions(kind: FunctionKind, from: &Size, to: &Size) -> Size {
    // From or to the empty set there is at most the empty relation.
    if from.is(0) || to.is(0) {
        let is_of_kind = (from.is(0) || !kind.is_total()) && (to.is(0) || !kind.is_surjective());
        return Size::exactly(u32::from(is_of_kind));
    }
    // A total injection needs a separate value for each argument, a surjective function a separate argument for each value.
    let needs_values = kind.is_total() && kind.is_injective();
    let needs_arguments = kind.is_functional() && kind.is_surjective();
    match (needs_values.then(|| from.exceeds(to)), needs_arguments.then(|| to.exceeds(from))) {
        (Some(Some(true)), _) | (_, Some(Some(true))) => return Size::exactly(0),
        (Some(None), _) | (_, Some(None)) => return Size::Unknown,
        _ => {}
    }
    // All arguments have the only value, or the only argument has all values.
    if kind.is_total() && to.is(1) || kind.is_surjective() && from.is(1) {
        return Size::exactly(1);
    }
    match (from, to) {
        (from, to) if from.is_finite() && to.is_finite() => Size::Large,
        // Finite sets of pairs, of which there are countably many.
        (from, Size::Countable) if kind.is_functional() && from.is_finite() => Size::Countable,
        (Size::Countable, to) if kind.is_injective() && to.is_finite() => Size::Countable,
        _ => Size::Infinite,
    }
}

fn product_of<'v>(parts: impl Iterator<Item = &'v Value>) -> Size {
    let parts: Vec<Size> = parts.map(size).collect();
    // An empty factor makes the product empty, whatever the others are.
    if parts.iter().any(|part| part.is(0)) {
        return Size::exactly(0);
    }
    // An unknown factor may be empty.
    if parts.contains(&Size::Unknown) {
        return Size::Unknown;
    }
    parts.into_iter().fold(Size::exactly(1), |product, part| match (product, part) {
        (Size::Finite(product), Size::Finite(part)) => Size::Finite(product * part),
        (product, part) if product.is_finite() && part.is_finite() => Size::Large,
        (product, part) => Size::infinite(&product, &part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_ir::IntegerSet;
    use num_traits::One;

    fn symbolic(set: Symbolic) -> Value {
        Value::Symbolic(Arc::new(set))
    }

    fn up_to(count: i64) -> Value {
        interval(&Integer::from(1), &Integer::from(count))
    }

    fn natural() -> Value {
        symbolic(Symbolic::Integers(IntegerSet::Natural))
    }

    fn power(base: Value) -> Value {
        symbolic(Symbolic::Power { base, nonempty: false, finite: false })
    }

    fn functions_of(kind: FunctionKind, from: Value, to: Value) -> Value {
        symbolic(Symbolic::Functions(kind, from, to))
    }

    #[test]
    fn numbers_of_intervals_that_overlap_count_once() {
        let between = |from: i64, to: i64| symbolic(Symbolic::Interval(Integer::from(from), Integer::from(to)));
        let union = |left, right| symbolic(Symbolic::Union(left, right));
        let listed = || Value::set([-5, 3, 70_000].map(Value::integer).to_vec());
        for (set, count) in [
            (union(between(0, 65_535), between(100_000, 165_535)), 131_072_u32),
            (union(between(0, 9_999), between(5_000, 14_999)), 15_000),
            (union(between(5_000, 6_000), between(0, 9_999)), 10_000),
            (union(listed(), union(between(0, 9_999), between(10_000, 19_999))), 20_002),
        ] {
            assert_eq!(cardinality(&set), Cardinality::Finite(count.into()));
        }
    }

    #[test]
    fn without_counting_it_is_known_whether_there_are_no_functions_one_or_more() {
        for kind in FunctionKind::ALL {
            for (n, m) in (0..6usize).flat_map(|n| (0..6).map(move |m| (n, m))) {
                let count = space::count_functions(kind, n, m);
                let expected = if count > BigUint::one() { Size::Large } else { Size::Finite(count) };
                let found = many_functions(kind, &Size::Finite(BigUint::from(n)), &Size::Finite(BigUint::from(m)));
                assert_eq!(found, expected, "{kind:?} {n} {m}");
            }
        }
    }

    #[test]
    fn sets_of_functions_between_infinite_sets_may_be_small() {
        let (natural, one, two, none) = (Size::Countable, Size::exactly(1), Size::exactly(2), Size::exactly(0));
        let count = |kind, from: &Size, to: &Size| many_functions(kind, from, to);
        assert_eq!(count(FunctionKind::TotalInjections, &natural, &two), none);
        assert_eq!(count(FunctionKind::TotalSurjections, &two, &natural), none);
        assert_eq!(count(FunctionKind::TotalFunctions, &natural, &one), one);
        assert_eq!(count(FunctionKind::TotalFunctions, &natural, &none), none);
        assert_eq!(count(FunctionKind::PartialFunctions, &natural, &none), one);
        assert_eq!(count(FunctionKind::TotalInjections, &two, &natural), Size::Countable);
        assert_eq!(count(FunctionKind::TotalInjections, &natural, &natural), Size::Infinite);
        assert_eq!(count(FunctionKind::TotalInjections, &Size::Large, &two), none);
        assert_eq!(count(FunctionKind::TotalInjections, &Size::Large, &Size::Large), Size::Unknown);
    }

    #[test]
    fn a_set_that_is_too_large_to_be_counted_is_not_infinite() {
        let only = || functions_of(FunctionKind::TotalFunctions, natural(), up_to(1));
        assert_eq!((cardinality(&only()), is_surely_finite(&only())), (Cardinality::Finite(BigUint::one()), true));
        let large = || symbolic(Symbolic::Product(only(), power(up_to(2_000_000))));
        assert_eq!((cardinality(&large()), is_surely_finite(&large())), (Cardinality::Large, true));
        for kind in [SequenceKind::Perm, SequenceKind::Iseq] {
            assert_eq!(cardinality(&symbolic(Symbolic::Sequences(kind, large()))), Cardinality::Large);
        }
        assert_eq!(cardinality(&symbolic(Symbolic::Sequences(SequenceKind::Seq, large()))), Cardinality::Infinite);
        let injections = functions_of(FunctionKind::TotalInjections, large(), power(up_to(3_000_000)));
        assert_eq!((cardinality(&injections), is_surely_finite(&injections)), (Cardinality::Unknown, true));
        // Large and finite: removing from it may leave nothing.
        let surjections = || functions_of(FunctionKind::TotalSurjections, up_to(300), up_to(300));
        let relations = power(symbolic(Symbolic::Product(up_to(300), up_to(300))));
        assert_eq!(cardinality(&surjections()), Cardinality::Large);
        assert_eq!(cardinality(&symbolic(Symbolic::Difference(surjections(), relations))), Cardinality::Unknown);
        assert!(is_larger(&symbolic(Symbolic::Difference(surjections(), up_to(1_000_000))), 5));
        let infinite = symbolic(Symbolic::Difference(natural(), surjections()));
        assert_eq!((cardinality(&infinite), is_surely_finite(&infinite)), (Cardinality::Infinite, false));
    }

    /// Each of these took seconds.
    #[test]
    fn numbers_with_a_simple_form_are_found_at_once() {
        let count = |kind, n, m| cardinality(&functions_of(kind, up_to(n), up_to(m)));
        let finite = |count: u32| Cardinality::Finite(BigUint::from(count));
        for (n, m) in [(1, 60_000), (60_000, 1)] {
            assert_eq!(count(FunctionKind::TotalSurjectiveRelations, n, m), finite(1));
        }
        let power = num_traits::pow(BigUint::from(3u32), 32_000);
        assert_eq!(count(FunctionKind::TotalSurjectiveRelations, 2, 32_000), Cardinality::Finite(power - 2u32));
        for kind in [FunctionKind::TotalSurjections, FunctionKind::PartialSurjections] {
            assert_eq!(count(kind, 1, 60_000), finite(0));
        }
        let sequences = |count| cardinality(&symbolic(Symbolic::Sequences(SequenceKind::Iseq, up_to(count))));
        assert_eq!((0..5).map(sequences).collect::<Vec<_>>(), [1, 2, 5, 16, 65].map(finite));
        assert!(matches!(sequences(4_096), Cardinality::Finite(count) if count.bits() > 43_000));
    }

    #[test]
    fn sizes_of_infinite_sets_are_compared_only_where_they_are_known() {
        let none = Cardinality::Finite(BigUint::zero());
        let injections = |from: Value, to: Value| cardinality(&functions_of(FunctionKind::TotalInjections, from, to));
        let finite = || symbolic(Symbolic::Power { base: natural(), nonempty: false, finite: true });
        let pairs = || symbolic(Symbolic::Product(natural(), up_to(3)));
        let triples = || functions_of(FunctionKind::TotalFunctions, up_to(3), natural());
        let unknown = || functions_of(FunctionKind::TotalFunctions, natural(), natural());
        assert_eq!(injections(power(natural()), natural()), none);
        assert_eq!(cardinality(&functions_of(FunctionKind::TotalSurjections, natural(), power(natural()))), none);
        for countable in [natural(), finite(), pairs(), triples(), symbolic(Symbolic::Sequences(SequenceKind::Seq, up_to(2)))] {
            assert_eq!(injections(countable.clone(), natural()), Cardinality::Infinite, "{countable:?}");
            assert_eq!(injections(power(pairs()), countable.clone()), none, "{countable:?}");
        }
        assert_eq!(injections(natural(), unknown()), Cardinality::Infinite);
        assert_eq!(injections(unknown(), natural()), Cardinality::Unknown);
        assert_eq!(injections(power(natural()), power(natural())), Cardinality::Unknown);
    }
}
