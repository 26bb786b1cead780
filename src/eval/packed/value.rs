//! Packed values of one or several words, and moving them within the frame.
//!
//! A value of one word is computed into a register; one of several words is computed into a range of the frame, and read there. Invariant:
//! a value of several words is in its range of the frame from its evaluation until the next one, or until the slot that owns the range is
//! assigned. Deliberately elsewhere: allocation of places (`places`), kinds of values (`set`, `expression`).

use super::operand::Operand;
use super::{BailOut, Packer, Words};
use crate::plan::{ExprPlan, Slot};
use bcheck_value::packing::{Packing, low_bits};
use std::ops::Range;

/// Computes a value into its range, or checks that it is there.
type Fill = Box<dyn Fn(&mut Words) -> Result<(), BailOut> + Send + Sync>;

/// A value in a range of the frame, which may have to be computed before it is read.
pub(super) struct Wide {
    at: usize,
    words: usize,
    compute: Option<Fill>,
    /// Whether the range belongs to this value alone.
    is_own: bool,
}

impl Wide {
    /// The contents of a range, which need no evaluation.
    pub(super) fn at(at: usize, words: usize) -> Self {
        Self { at, words, compute: None, is_own: false }
    }

    /// The contents of the range of a slot, which may be undefined: then the check fails.
    pub(super) fn checked(at: usize, words: usize, check: impl Fn(&mut Words) -> Result<(), BailOut> + Send + Sync + 'static) -> Self {
        Self { at, words, compute: Some(Box::new(check)), is_own: false }
    }

    /// A value that is computed into a separate range.
    pub(super) fn computed(at: usize, words: usize, compute: impl Fn(&mut Words) -> Result<(), BailOut> + Send + Sync + 'static) -> Self {
        Self { at, words, compute: Some(Box::new(compute)), is_own: true }
    }

    /// Computes the value into its range, unless it is there already.
    #[inline]
    pub(super) fn evaluate(&self, words: &mut Words) -> Result<(), BailOut> {
        self.compute.as_ref().map_or(Ok(()), |compute| compute(words))
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.at..self.at + self.words
    }

    /// Its words, once evaluated.
    #[inline]
    pub(super) fn read<'w>(&self, words: &'w Words) -> &'w [u64] {
        &words.slots[self.at..self.at + self.words]
    }
}

/// A packed value.
pub(super) enum PackedValue {
    /// Of one word.
    Word(Operand),
    /// Of several words.
    Wide(Wide),
}

impl PackedValue {
    /// The value, if it has one word.
    pub(super) fn word(self) -> Option<Operand> {
        match self {
            PackedValue::Word(operand) => Some(operand),
            PackedValue::Wide(_) => None,
        }
    }

    /// The elements of a set, ascending.
    pub(super) fn elements(&self, words: &mut Words) -> Result<Elements, BailOut> {
        Ok(match self {
            PackedValue::Word(operand) => Elements { word: operand.get(words)?, base: 0, next: 0, end: 0 },
            PackedValue::Wide(wide) => {
                wide.evaluate(words)?;
                let Range { start, end } = wide.range();
                Elements { word: words.slots[start], base: 0, next: start + 1, end }
            }
        })
    }
}

/// An iterator over the elements of a set: one in a register, or one in a range of the frame, word by word.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    /// The bits of the current word that are still to come.
    word: u64,
    /// The number of its lowest bit.
    base: u64,
    /// The places of the words to come; both are 0 for a set in a register.
    next: usize,
    end: usize,
}

impl Elements {
    /// Whether no element is left.
    pub(super) fn is_empty(mut self, words: &Words) -> bool {
        self.next(words).is_none()
    }

    /// The elements of one row of a relation with at most 64 columns, as numbers of columns; to be called before any element is taken.
    #[inline]
    pub(super) fn row(self, words: &Words, row: u64, columns: u32) -> Self {
        let bit = usize::try_from(row).expect("a number of a universe") * columns as usize;
        let mut own = self.word;
        if self.end > 0 {
            // No element was taken, so the word before `next` is the first. A row lies in one word or across two.
            let (at, shift) = (self.next - 1 + bit / 64, bit % 64);
            own = words.slots[at] >> shift;
            if shift + columns as usize > 64 {
                own |= words.slots[at + 1] << (64 - shift);
            }
        } else {
            own >>= bit;
        }
        Self { word: own & low_bits(columns), base: 0, next: 0, end: 0 }
    }

    /// The next element.
    #[inline]
    pub(super) fn next(&mut self, words: &Words) -> Option<u64> {
        // An exhausted word: the next one begins 64 numbers later. Words of zeros are skipped.
        while self.word == 0 {
            if self.next == self.end {
                return None;
            }
            self.word = words.slots[self.next];
            self.base += 64;
            self.next += 1;
        }
        // Ascending, which is the order of the general tier: universes are numbered in the order of values.
        let element = self.base + u64::from(self.word.trailing_zeros());
        self.word &= self.word - 1;
        Some(element)
    }
}

/// A value and the place to put it.
pub(super) struct PackedBinding {
    at: usize,
    value: PackedValue,
}

impl PackedBinding {
    /// Computes the value and puts it in its place.
    #[inline]
    pub(super) fn bind(&self, words: &mut Words) -> Result<(), BailOut> {
        match &self.value {
            PackedValue::Word(operand) => words.slots[self.at] = operand.get(words)?,
            PackedValue::Wide(wide) => {
                wide.evaluate(words)?;
                // A computed value may be in its place already (`assignment`).
                if wide.at != self.at {
                    words.slots.copy_within(wide.range(), self.at);
                }
            }
        }
        Ok(())
    }
}

/// The move of a new value to its target, and of the old one back.
pub(super) struct Move {
    /// Where the new value is.
    pub(super) from: usize,
    /// The variable.
    pub(super) to: usize,
    /// Where the old value is saved meanwhile.
    pub(super) saved: usize,
    pub(super) words: usize,
}

impl Words {
    /// Copies the words of a value, and whether it is defined.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: usize, to: usize, words: usize) {
        self.defined[to] = self.defined[from];
        if words == 1 {
            self.slots[to] = self.slots[from];
        } else {
            self.slots.copy_within(from..from + words, to);
        }
    }

    /// Whether two ranges hold the same words and are both defined, or both not.
    #[inline(always)]
    pub(super) fn same(&self, a: usize, b: usize, words: usize) -> bool {
        // Mostly one word: a comparison in line beats a call.
        let mut pairs = self.slots[a..a + words].iter().zip(&self.slots[b..b + words]);
        self.defined[a] == self.defined[b] && pairs.all(|(a, b)| a == b)
    }
}

/// A value of any type, in the words of its type.
pub(super) fn packed_value(packer: &mut Packer<'_>, plan: &ExprPlan) -> Option<PackedValue> {
    match packer.types.universe(&plan.ty) {
        Some(universe) => packer.set(plan, &universe),
        None => packer.scalar(plan).map(PackedValue::Word),
    }
}

/// A value of one word.
pub(super) fn packed_operand(packer: &mut Packer<'_>, plan: &ExprPlan) -> Option<Operand> {
    packed_value(packer, plan)?.word()
}

/// The binding of a name to the value of a plan.
pub(super) fn packed_binding(packer: &mut Packer<'_>, slot: Slot, plan: &ExprPlan) -> Option<PackedBinding> {
    let (value, packing) = value_and_packing(packer, plan)?;
    Some(PackedBinding { at: packer.places.hold(slot, &packing), value })
}

pub(super) fn packed_bindings(packer: &mut Packer<'_>, bindings: &[(Slot, ExprPlan)]) -> Option<Vec<PackedBinding>> {
    bindings.iter().map(|(slot, value)| packed_binding(packer, *slot, value)).collect()
}

fn value_and_packing(packer: &mut Packer<'_>, plan: &ExprPlan) -> Option<(PackedValue, Packing)> {
    let packing = packer.types.packing(&plan.ty)?;
    Some((packed_value(packer, plan)?, packing))
}

/// An assignment in two steps: the value is computed into a separate place, and moved to its target once those of all are computed.
pub(super) fn assignment(packer: &mut Packer<'_>, slot: Slot, plan: &ExprPlan) -> Option<(PackedBinding, Move)> {
    let (value, packing) = value_and_packing(packer, plan)?;
    let words = packing.words();
    let from = match &value {
        // A computed value is in a separate place already. One that is read from a slot is copied out of it, because that slot may be
        // the next target: `x, y := y, x`.
        PackedValue::Wide(wide) if wide.is_own => wide.at,
        PackedValue::Wide(_) | PackedValue::Word(_) => packer.places.take(words),
    };
    let to = packer.places.hold(slot, &packing);
    Some((PackedBinding { at: from, value }, Move { from, to, saved: packer.places.take(words), words }))
}

/// A set of one word.
pub(super) fn word(compute: impl Fn(&mut Words) -> Result<u64, BailOut> + Send + Sync + 'static) -> PackedValue {
    PackedValue::Word(Operand::new(compute))
}

/// Evaluates a set and copies it to a place.
pub(super) fn copied(set: &Wide, words: &mut Words, at: usize) -> Result<(), BailOut> {
    set.evaluate(words)?;
    words.slots.copy_within(set.range(), at);
    Ok(())
}
