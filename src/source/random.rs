//! Pseudo-random numbers: sequences determined by a seed, the same on every platform and in every version of the toolchain.
//!
//! Invariant: the sequences never change. `--strategy random` and random walks are reproducible by them, and so are the seeds in tests.
//! Deliberately elsewhere: hash functions, which are defined in the modules that use them.

/// 2^64 divided by the golden ratio: its multiples modulo 2^64 are spread evenly from the first ones on (Knuth, The Art of Computer
/// Programming, volume 3, 6.4).
pub const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence whose members are mixed, so that any seed is good.
///
/// ```
/// use bcheck_source::SplitMix64;
///
/// let mut random = SplitMix64::new(1);
/// assert_eq!(random.word(), 0x910a_2dec_8902_5cc1);
/// assert!(random.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_RATIO);
        let mut mixed = self.0;
        // Constants of Stafford's thirteenth variant of MurmurHash3's finaliser, as in Java's SplittableRandom.
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below a bound.
    ///
    /// # Panics
    /// When the bound is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        reduced(self.word(), bound)
    }
}

/// Xorshift64 (Marsaglia 2003).
#[derive(Clone, Debug)]
pub struct Xorshift64(u64);

impl Xorshift64 {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        assert!(seed != 0, "from 0, the sequence would never leave 0");
        Self(seed)
    }

    /// The next number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        // The triple (13, 7, 17) is one of those with the full period of 2^64 - 1.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        reduced(self.0, bound)
    }
}

/// A remainder: slightly uneven, which does not matter for bounds far below 2^64.
fn reduced(word: u64, bound: usize) -> usize {
    usize::try_from(word % bound as u64).expect("less than a usize")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequences_are_those_that_were_published() {
        // The first numbers of the seed 1234567 by the reference implementation of SplitMix64 (Vigna).
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| random.word()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(first, published);
        // From 1, the three shifts can be followed by hand: 2^13 + 1, then 2^6 more, then all of it again 17 bits higher.
        let mut random = Xorshift64::new(1);
        assert_eq!(random.below(usize::MAX), 0x4082_2041);
    }
}
