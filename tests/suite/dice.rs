//! The one source of chance of all random tests.
//!
//! Invariant: the same seed, or the same bytes, give the same numbers, on every platform and in every version of the toolchain.

/// A small deterministic generator (SplitMix64), which a fuzzer may lead by bytes.
pub(crate) struct Dice {
    state: u64,
    /// Bytes that decide first, the next one last.
    bytes: Vec<u8>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice { state: seed, bytes: Vec::new() }
    }

    /// Dice that these bytes decide as long as there are any, so that a fuzzer that changes a byte changes one decision.
    #[allow(dead_code, reason = "for fuzz targets, which include this file")]
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let state = bytes.iter().fold(0, |state: u64, byte| state.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        Dice { state, bytes: bytes.iter().rev().copied().collect() }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n <= 256
            && let Some(byte) = self.bytes.pop()
        {
            return usize::from(byte) % n;
        }
        usize::try_from(self.next() % n as u64).expect("fits")
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
