//! Operands of one word: what is known, what is read from the frame, and what is computed.
//!
//! Invariant: the common kinds need no call. Deliberately elsewhere: expressions (`expression`), values of several words (`value`).

use super::{BailOut, Words};

/// A compiled expression.
type Compute = Box<dyn Fn(&mut Words) -> Result<u64, BailOut> + Send + Sync>;

/// An operand of one word. The common kinds need no call.
pub(super) enum Operand {
    Known(u64),
    /// A place in the frame.
    Slot(usize),
    Computed(Compute),
}

impl Operand {
    /// An operand that a closure computes.
    pub(super) fn new(compute: impl Fn(&mut Words) -> Result<u64, BailOut> + Send + Sync + 'static) -> Self {
        Operand::Computed(Box::new(compute))
    }

    /// The word of the operand.
    #[inline]
    pub(super) fn get(&self, words: &mut Words) -> Result<u64, BailOut> {
        match self {
            Operand::Known(word) => Ok(*word),
            Operand::Slot(slot) => Ok(words.slots[*slot]),
            Operand::Computed(compute) => compute(words),
        }
    }

    /// This operand, with a bail-out unless its word is below a bound.
    pub(super) fn below(self, bound: u32, bail_out: BailOut) -> Self {
        let bound = u64::from(bound);
        // As an unsigned word a negative integer is beyond every bound.
        if matches!(self, Operand::Known(number) if number < bound) {
            return self;
        }
        Operand::new(move |words| self.get(words).and_then(|number| if number < bound { Ok(number) } else { Err(bail_out) }))
    }
}

/// The integer encoded by a word.
#[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation of integers")]
pub(super) fn signed(word: u64) -> i64 {
    word as i64
}

/// The word that encodes an integer.
#[allow(clippy::cast_sign_loss, reason = "two's complement is the representation of integers")]
pub(super) fn unsigned(number: i64) -> u64 {
    number as u64
}
