//! Numbers of pairs, composed and split: the bulk of the work in assignments to `f(x)` and loops over relations.
//!
//! Invariant: the number of `(a, b)` is `a * columns + b`, as in [`bcheck_value::packing`].

use super::operand::Operand;
use super::{BailOut, Packer, Words};
use crate::plan::{ExprPlan, ExprPlanKind};
use bcheck_ir::BinaryOp;
use bcheck_value::packing::{Universe, low_bits};

/// A pair that is computed from its two components.
pub(super) struct PairNumber {
    first: Operand,
    second: Operand,
    columns: u32,
}

/// The only element of a set extension, if it is written as a pair.
pub(super) fn only_pair(packer: &mut Packer<'_>, set: &ExprPlan, universe: &Universe) -> Option<PairNumber> {
    let ExprPlanKind::SetExtension(items) = &set.kind else { return None };
    let [ExprPlan { kind: ExprPlanKind::Binary(BinaryOp::Pair, first, second), .. }] = items.as_slice() else { return None };
    let (rows, columns) = universe.rows_and_columns()?;
    Some(PairNumber { first: packer.number(first, rows)?, second: packer.number(second, columns)?, columns: columns.size() })
}

impl PairNumber {
    /// The bit of the pair, and all bits of its row, in a relation of one word: so no shift reaches 64.
    #[inline(always)]
    pub(super) fn bit_and_row(&self, words: &mut Words) -> Result<(u64, u64), BailOut> {
        let shift = self.first.get(words)? * u64::from(self.columns);
        Ok((1 << (shift + self.second.get(words)?), low_bits(self.columns) << shift))
    }
}

/// Division by a fixed number of columns, as multiplication by the reciprocal where numbers are small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    columns: u64,
    /// The next integer above 2^32 / columns, for numbers below 2^16; 0 where they may be greater.
    reciprocal: u64,
}

impl Columns {
    /// For the numbers of a universe of pairs of this size.
    pub(super) fn of(columns: u32, size: u32) -> Self {
        // Without columns there are no numbers to split, but the division below must still be defined.
        let columns = u64::from(columns.max(1));
        Self { columns, reciprocal: if size <= 1 << 16 { (1 << 32) / columns + 1 } else { 0 } }
    }

    /// Row and column of a number.
    #[inline]
    pub(super) fn split(self, number: u64) -> (u64, u64) {
        // Exact below 2^16: the reciprocal is too large by at most 1, so the quotient by less than 2^16 / 2^32 = 2^-16. The true quotient
        // is a multiple of 1 / columns, so it lacks at least that much to the next integer, and 1 / columns is 2^-16 or more.
        let row = if self.reciprocal > 0 { (number * self.reciprocal) >> 32 } else { number / self.columns };
        (row, number - row * self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplying_by_the_reciprocal_divides() {
        for columns in (1..=300).chain([4095, 65_535, 65_536]) {
            for size in [1 << 16, 1 << 17] {
                let division = Columns::of(columns, size);
                for number in (0..1 << 16).step_by(if columns < 20 { 1 } else { 37 }).chain([(1 << 16) - 1]) {
                    assert_eq!(division.split(number), (number / u64::from(columns), number % u64::from(columns)));
                }
            }
        }
    }
}
