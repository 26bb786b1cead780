//! The one source of chance of all random tests.
//!
//! Invariant: the same seed, or the same bytes, give the same numbers, on every platform and in every version of the toolchain.

use bcheck::source::SplitMix64;

/// A generator of pseudo-random numbers, which a fuzzer may lead by bytes.
pub(crate) struct Dice {
    random: SplitMix64,
    /// Bytes that decide first, the next one last.
    bytes: Vec<u8>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice { random: SplitMix64::new(seed), bytes: Vec::new() }
    }

    /// Dice that these bytes decide as long as there are any, so that a fuzzer that changes a byte changes one decision.
    #[allow(dead_code, reason = "for fuzz targets, which include this file")]
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let seed = bytes.iter().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        Dice { random: SplitMix64::new(seed), bytes: bytes.iter().rev().copied().collect() }
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n <= 256
            && let Some(byte) = self.bytes.pop()
        {
            return usize::from(byte) % n;
        }
        self.random.below(n)
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Any of these.
    pub(crate) fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// Changes the order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
