//! Power sets, function spaces and sequence spaces over explicit sets: visiting the members one by one, counting them without
//! visiting, and testing membership.
//!
//! Invariant: each member is visited exactly once, in a fixed order, and nothing but the current member is held in memory; the
//! visitor ends the visit with `Break`. Counts are exact for every size.

use super::relation::{domain, is_function, is_injective, pairs, range};
use super::{SequenceKind, Set, Value};
use bcheck_ir::FunctionKind;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Pow, Zero};
use std::ops::ControlFlow;

/// A visitor of members: `Break` ends the visit.
pub type Visit<'a> = &'a mut dyn FnMut(Set) -> ControlFlow<()>;

/// Visits all subsets as choices of positions below `size`, by binary counting.
fn visit_choices(size: usize, visit: &mut dyn FnMut(&[bool]) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut chosen = vec![false; size];
    loop {
        visit(&chosen)?;
        // Increments a binary number, lowest bit first: ones before the first zero become zeros, and the zero a one.
        let Some(place) = chosen.iter().position(|chosen| !chosen) else { return ControlFlow::Continue(()) };
        chosen[..place].fill(false);
        chosen[place] = true;
    }
}

/// Visits the subsets of `set`, the empty one first unless `nonempty`.
///
/// # Errors
/// `Break` when the visitor returned it.
pub fn visit_subsets(set: &Set, nonempty: bool, visit: Visit<'_>) -> ControlFlow<()> {
    if let Some((given, mask)) = set.as_bits() {
        let mut subset = 0u64;
        loop {
            if subset != 0 || !nonempty {
                visit(Set::from_bits(given, subset))?;
            }
            // The next submask: count in the bits of the mask only.
            subset = subset.wrapping_sub(mask) & mask;
            if subset == 0 {
                return ControlFlow::Continue(());
            }
        }
    }
    let elements: Vec<Value> = set.iter().collect();
    visit_choices(elements.len(), &mut |chosen| {
        let subset = Set::from_sorted(elements.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(value, _)| value.clone()).collect());
        if nonempty && subset.is_empty() { ControlFlow::Continue(()) } else { visit(subset) }
    })
}

/// A partly built relation: arguments are decided in ascending order, so the pairs stay sorted.
struct Search {
    kind: FunctionKind,
    from: Vec<Value>,
    to: Vec<Value>,
    pairs: Vec<Value>,
    /// The value that each pair uses, by its place in `to`.
    values: Vec<usize>,
    /// The number of pairs that use each value.
    used: Vec<usize>,
    /// The number of values that no pair uses.
    unused: usize,
}

/// The outcome of trying one alternative for one argument.
enum Decision {
    Taken,
    Refused,
    /// There are no more alternatives.
    Exhausted,
}

impl Search {
    fn relate(&mut self, argument: usize, value: usize) {
        self.pairs.push(Value::pair(self.from[argument].clone(), self.to[value].clone()));
        self.values.push(value);
        self.used[value] += 1;
        if self.used[value] == 1 {
            self.unused -= 1;
        }
    }

    /// Takes pairs back until `length` are left.
    fn unrelate(&mut self, length: usize) {
        self.pairs.truncate(length);
        for value in self.values.drain(length..) {
            self.used[value] -= 1;
            // Not as a sum of truth values: rustc 1.95 (LLVM 22.1) loses such an update next to a store into a vector of the same
            // struct, from opt-level 2 on.
            if self.used[value] == 0 {
                self.unused += 1;
            }
        }
    }

    /// Assigns an image to an argument. Alternatives for functions: none, then each value; for relations: each subset by its bits.
    fn decide(&mut self, argument: usize, alternative: u64) -> Decision {
        let values = self.to.len();
        // Other images of the last argument would leave values unused: of 2^values alternatives, nearly all would fail.
        if self.kind.is_surjective() && !self.kind.is_functional() && argument + 1 == self.from.len() {
            return self.decide_last(argument, alternative);
        }
        if alternative == 0 {
            return if self.kind.is_total() { Decision::Refused } else { Decision::Taken };
        }
        if !self.kind.is_functional() {
            if values < 64 && alternative >> values != 0 {
                return Decision::Exhausted;
            }
            // With 64 values or more, the 2^64 subsets of the first 64 are never exhausted.
            (0..values.min(64)).filter(|value| alternative >> value & 1 == 1).for_each(|value| self.relate(argument, value));
            return Decision::Taken;
        }
        match usize::try_from(alternative - 1) {
            Ok(value) if value < values => {
                if self.kind.is_injective() && self.used[value] > 0 {
                    return Decision::Refused;
                }
                self.relate(argument, value);
                Decision::Taken
            }
            _ => Decision::Exhausted,
        }
    }

    /// Gives the last argument of a surjective relation its image: all values that are left, and each subset of the others by its bits.
    fn decide_last(&mut self, argument: usize, alternative: u64) -> Decision {
        let others = self.to.len() - self.unused;
        if others < 64 && alternative >> others != 0 {
            return Decision::Exhausted;
        }
        if alternative == 0 && self.unused == 0 && self.kind.is_total() {
            return Decision::Refused;
        }
        // In the order of values, so that pairs stay sorted; `place` counts the values whose choice is free.
        let mut place = 0;
        for value in 0..self.to.len() {
            let is_chosen = self.used[value] == 0 || {
                place += 1;
                place <= 64 && alternative >> (place - 1) & 1 == 1
            };
            if is_chosen {
                self.relate(argument, value);
            }
        }
        Decision::Taken
    }

    /// Whether no decision about the `left` other arguments yields a member.
    fn is_hopeless(&self, left: usize) -> bool {
        // A function uses one new value for each argument at most, any one argument of a relation all of them. In a total injection
        // each argument takes a value that no other one has.
        let reachable = if self.kind.is_functional() || left == 0 { left } else { usize::MAX };
        let too_few_arguments = self.kind.is_surjective() && self.unused > reachable;
        let too_few_values = self.kind.is_total() && self.kind.is_injective() && self.unused < left;
        too_few_arguments || too_few_values
    }

    /// Depth-first search with its own stack, since a domain may have more arguments than a thread has stack.
    fn run(&mut self, visit: Visit<'_>) -> ControlFlow<()> {
        // For each decided argument and the current one, the next alternative, and the number of pairs before it.
        let mut stack = vec![(0u64, 0usize)];
        while let Some((next, before)) = stack.last_mut() {
            let (alternative, before) = (*next, *before);
            *next += 1;
            self.unrelate(before);
            let argument = stack.len() - 1;
            let left = self.from.len() - argument;
            // Pruned on the first visit only: the answer depends on the decisions before this argument.
            if alternative == 0 && self.is_hopeless(left) {
                stack.pop();
            } else if left == 0 {
                visit(Set::from_sorted(self.pairs.clone()))?;
                stack.pop();
            } else {
                match self.decide(argument, alternative) {
                    Decision::Taken => stack.push((0, self.pairs.len())),
                    Decision::Refused => {}
                    Decision::Exhausted => {
                        stack.pop();
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Visits the relations or functions of a kind between two sets.
///
/// # Errors
/// `Break` when the visitor returned it.
pub fn visit_functions(kind: FunctionKind, from: &Set, to: &Set, visit: Visit<'_>) -> ControlFlow<()> {
    let (from, to): (Vec<Value>, Vec<Value>) = (from.iter().collect(), to.iter().collect());
    let (used, unused) = (vec![0; to.len()], to.len());
    Search { kind, from, to, pairs: Vec::new(), values: Vec::new(), used, unused }.run(visit)
}

/// Visits the sequences of a kind over `base`, shorter ones first. Without `max_length`, `seq` and `seq1` over a non-empty base
/// never end by themselves.
///
/// # Errors
/// `Break` when the visitor returned it.
pub fn visit_sequences(kind: SequenceKind, base: &Set, max_length: Option<usize>, visit: Visit<'_>) -> ControlFlow<()> {
    let base: Vec<Value> = base.iter().collect();
    let injective = kind.is_injective();
    let shortest = match kind {
        SequenceKind::Seq | SequenceKind::Iseq => 0,
        SequenceKind::Seq1 | SequenceKind::Iseq1 => 1,
        SequenceKind::Perm => base.len(),
    };
    // Over no elements there is only the empty sequence, so `seq({})` ends as well.
    let longest = if injective || base.is_empty() { Some(base.len()) } else { None };
    let longest = match (longest, max_length) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    for length in shortest.. {
        if longest.is_some_and(|longest| length > longest) {
            break;
        }
        visit_words(&base, injective, length, visit)?;
    }
    ControlFlow::Continue(())
}

/// Visits the sequences of one length, in lexicographic order: depth-first search with its own stack, as for functions.
fn visit_words(base: &[Value], injective: bool, length: usize, visit: Visit<'_>) -> ControlFlow<()> {
    let mut used = vec![false; base.len()];
    let mut pairs: Vec<Value> = Vec::new();
    // For each position: the next item to try; the item in use is the one before.
    let mut stack = vec![0usize];
    while let Some(next) = stack.last_mut() {
        if pairs.len() == length {
            visit(Set::from_sorted(pairs.clone()))?;
        } else if let Some(place) = (*next..base.len()).find(|place| !(injective && used[*place])) {
            *next = place + 1;
            used[place] = true;
            let position = i64::try_from(stack.len()).expect("a sequence in memory has fewer than 2^63 items");
            pairs.push(Value::pair(Value::integer(position), base[place].clone()));
            stack.push(0);
            continue;
        }
        stack.pop();
        if let Some(next) = stack.last() {
            used[*next - 1] = false;
            pairs.pop();
        }
    }
    ControlFlow::Continue(())
}

/// Whether `relation` belongs to the space of a kind between two explicit sets.
#[must_use]
pub fn satisfies(kind: FunctionKind, relation: &Set, from: &Set, to: &Set) -> bool {
    if !pairs(relation).all(|(first, second)| from.contains(first) && to.contains(second)) {
        return false;
    }
    // Numbers of elements suffice: domain and range are known to be subsets by now.
    (!kind.is_functional() || is_function(relation))
        && (!kind.is_injective() || is_injective(relation))
        && (!kind.is_total() || domain(relation).len() == from.len())
        && (!kind.is_surjective() || range(relation).len() == to.len())
}

/// The number of subsets of a set of `size` elements.
#[must_use]
pub(crate) fn count_subsets(size: usize) -> BigUint {
    BigUint::one() << size
}

fn power(base: &BigUint, exponent: usize) -> BigUint {
    Pow::pow(base, exponent)
}

/// `n! / (n - k)!`
fn arrangements(n: usize, k: usize) -> BigUint {
    if k > n { BigUint::zero() } else { (n - k + 1..=n).fold(BigUint::one(), |product, factor| product * factor) }
}

/// The sum over k of (-1)^k * C(m, k) * term(m - k): the number of choices that miss none of m values, where `term` counts those within
/// some of the values. Of m + 1 terms, so not for large m.
fn inclusion_exclusion(m: usize, term: impl Fn(usize) -> BigUint) -> BigUint {
    let (mut sum, mut binomial) = (BigInt::zero(), BigUint::one());
    for k in 0..=m {
        let summand = BigInt::from(&binomial * term(m - k));
        if k % 2 == 0 {
            sum += summand
        } else {
            sum -= summand
        }
        // C(m, k + 1), so the division leaves no remainder.
        binomial = binomial * (m - k) / (k + 1);
    }
    sum.to_biguint().expect("a count is never negative")
}

/// The sum over k of C(n, k) * C(m, k) * k!: partial injections by the size of their domain.
fn count_partial_injections(n: usize, m: usize) -> BigUint {
    let (mut sum, mut summand) = (BigUint::zero(), BigUint::one());
    for k in 0..=n.min(m) {
        sum += &summand;
        summand = summand * (n - k) * (m - k) / (k + 1);
    }
    sum
}

/// The number of relations or functions of a kind from `n` to `m` elements.
#[must_use]
pub(crate) fn count_functions(kind: FunctionKind, n: usize, m: usize) -> BigUint {
    if n == 0 || m == 0 {
        // Only the empty relation; the other set may be too large to count with.
        let is_of_kind = (n == 0 || !kind.is_total()) && (m == 0 || !kind.is_surjective());
        return BigUint::from(u32::from(is_of_kind));
    }
    let (one, values) = (BigUint::one(), BigUint::from(m));
    match kind {
        FunctionKind::Relations => one << (n * m),
        FunctionKind::TotalRelations => power(&((BigUint::one() << m) - one), n),
        FunctionKind::SurjectiveRelations => power(&((BigUint::one() << n) - one), m),
        // Each of n arguments has one of the 2^hit - 1 sets of values that are not empty. The inverses are the relations of this kind from
        // m to n elements, so the smaller number takes the part of the values.
        FunctionKind::TotalSurjectiveRelations => {
            let (fewer, more) = (n.min(m), n.max(m));
            inclusion_exclusion(fewer, |hit| power(&((BigUint::one() << hit) - BigUint::one()), more))
        }
        FunctionKind::PartialFunctions => power(&(values + one), n),
        FunctionKind::TotalFunctions => power(&values, n),
        FunctionKind::PartialInjections => count_partial_injections(n, m),
        FunctionKind::TotalInjections => arrangements(m, n),
        // Not an argument for each value.
        FunctionKind::PartialSurjections | FunctionKind::TotalSurjections if m > n => BigUint::zero(),
        // One more value encodes "undefined": it may be used, and need not be hit.
        FunctionKind::PartialSurjections => inclusion_exclusion(m, |hit| power(&BigUint::from(hit + 1), n)),
        FunctionKind::TotalSurjections => inclusion_exclusion(m, |hit| power(&BigUint::from(hit), n)),
        // The inverse is a total injection from the values.
        FunctionKind::PartialBijections => arrangements(n, m),
        // Total bijections.
        _ if n == m => arrangements(n, n),
        _ => BigUint::zero(),
    }
}

/// The number of sequences of a kind over `n` elements; `None` if there are infinitely many.
#[must_use]
pub(crate) fn count_sequences(kind: SequenceKind, n: usize) -> Option<BigUint> {
    // The sum of n! / (n - k)! over all lengths k, by a(i) = i * a(i - 1) + 1: the empty sequence, or a first item and one of the others.
    let injective = || (1..=n).fold(BigUint::one(), |count, items| count * items + 1u32);
    match kind {
        SequenceKind::Seq => (n == 0).then(BigUint::one),
        SequenceKind::Seq1 => (n == 0).then(BigUint::zero),
        SequenceKind::Iseq => Some(injective()),
        SequenceKind::Iseq1 => Some(injective() - BigUint::one()),
        SequenceKind::Perm => Some(arrangements(n, n)),
    }
}
