//! Sets of numbers as bit masks, least number lowest, 64 in each word.
//!
//! Invariant: numbers come in ascending order. Deliberately elsewhere: the values that the numbers represent (`universe`); matrices
//! (`eval::packed`).

use std::cmp::Ordering;

/// The lowest `count` bits.
#[must_use]
pub fn low_bits(count: u32) -> u64 {
    // A word cannot be shifted by 64.
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Makes the mask of the interval `from..to`, whose numbers its words have room for; empty when `from` is above `to`.
pub fn set_interval(mask: &mut [u64], from: u64, to: u64) {
    for (word, at) in mask.iter_mut().zip((0..).step_by(64)) {
        // The bits of this word, which begins at number `at`, that represent numbers below a bound: none, some, or all 64.
        let below = |number: u64| low_bits(u32::try_from(number.saturating_sub(at)).unwrap_or(64));
        *word = below(to + 1) & !below(from);
    }
}

/// The positions of the bits of a mask of one word, ascending.
pub fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let position = u64::from(mask.trailing_zeros());
        // Subtracting 1 flips the lowest bit and the zeros below it: this clears that bit.
        mask &= mask - 1;
        Some(position)
    })
}

/// The positions of the bits of a mask of several words, ascending.
pub fn all_bits(mask: &[u64]) -> impl Iterator<Item = u64> + '_ {
    (0..).zip(mask).flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
}

/// The order of the sets that two masks of the same length represent: smaller ones first, then element by element, the lowest first.
#[must_use]
pub fn compare_sets(a: &[u64], b: &[u64]) -> Ordering {
    let count = |set: &[u64]| set.iter().map(|word| word.count_ones()).sum::<u32>();
    count(a).cmp(&count(b)).then_with(|| match a.iter().zip(b).find(|(a, b)| a != b) {
        None => Ordering::Equal,
        // Below the lowest differing bit both sets agree, and at it the set that has the bit has the lesser element next. The other
        // one has a next element as well, since both have as many.
        Some((a, b)) if a >> (a ^ b).trailing_zeros() & 1 == 1 => Ordering::Less,
        Some(_) => Ordering::Greater,
    })
}

/// The number of bits of the numbers below `count`: none where there is only one.
#[must_use]
pub fn number_width(count: usize) -> u32 {
    // The largest number is `count - 1`; as many bits as that has.
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::packing::Packing;
    use bcheck_ir::{Scope, SetId, Type};

    #[test]
    fn masks_are_in_the_order_of_their_sets() {
        let scope = Scope { sizes: vec![70], minint: -1, maxint: 3 };
        let packing = Packing::of(&Type::set(Type::Given(SetId(0))), &scope, 0).expect("70 bits fit");
        let sets: Vec<Value> = [&[][..], &[0], &[1], &[69], &[0, 1], &[0, 69], &[1, 2], &[1, 68], &[68, 69], &[0, 1, 2]]
            .map(|set| Value::set(set.iter().map(|&index| Value::element(SetId(0), index)).collect()))
            .to_vec();
        let mask = |value: &Value| {
            let mut words = [0; 2];
            assert!(packing.pack(value, &mut words));
            words
        };
        for a in &sets {
            for b in &sets {
                assert_eq!(compare_sets(&mask(a), &mask(b)), a.cmp(b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn widths_are_the_least_that_hold_all_numbers() {
        assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(number_width), [0, 0, 1, 2, 2, 3, 3, 4]);
    }
}
