//! Relations as row-major bit matrices in one word: `columns` bits per row, row 0 lowest.
//!
//! Invariant: bits beyond `rows * columns`, which is at most 64, are zero in operands and results.
//! Deliberately elsewhere: relations of several words (`wide_matrix`).

use bcheck_value::packing::{bits, low_bits};

/// One row, as a set of columns.
pub(super) fn row(matrix: u64, columns: u32, row: u64) -> u64 {
    (matrix >> (row * u64::from(columns))) & low_bits(columns)
}

/// The rows from the first one up to the last one that is not empty.
#[inline]
fn rows(mut matrix: u64, columns: u32) -> impl Iterator<Item = u64> {
    let all = low_bits(columns);
    // A row of 64 columns is the whole matrix: a shift by 64 is undefined, and nothing is left.
    std::iter::from_fn(move || {
        let row = matrix & all;
        let is_over = matrix == 0;
        matrix = matrix.checked_shr(columns).unwrap_or(0);
        (!is_over).then_some(row)
    })
}

/// Rows that have a bit.
#[inline]
pub(super) fn domain(matrix: u64, columns: u32) -> u64 {
    rows(matrix, columns).zip(0..).fold(0, |domain, (row, at)| domain | u64::from(row != 0) << at)
}

/// Columns that have a bit.
pub(super) fn range(matrix: u64, columns: u32) -> u64 {
    if columns >= 64 {
        return matrix;
    }
    // Columns of later rows come to lie above those of the first, where they are harmless until all rows are through.
    let (mut rest, mut all) = (matrix, 0);
    while rest != 0 {
        all |= rest;
        rest >>= columns;
    }
    all & low_bits(columns)
}

/// The union of the rows of a set.
pub(super) fn image(matrix: u64, columns: u32, rows: u64) -> u64 {
    bits(rows).fold(0, |all, at| all | row(matrix, columns, at))
}

/// All bits of the rows of a set.
pub(super) fn full_rows(rows: u64, columns: u32) -> u64 {
    bits(rows).fold(0, |all, at| all | low_bits(columns) << (at * u64::from(columns)))
}

/// This row in each of the rows of a set.
pub(super) fn product(rows: u64, columns: u32, row: u64) -> u64 {
    bits(rows).fold(0, |all, at| all | row << (at * u64::from(columns)))
}

/// The matrix with rows and columns exchanged; the result has `rows` columns.
pub(super) fn transpose(matrix: u64, columns: u32, rows: u32) -> u64 {
    bits(matrix).fold(0, |all, at| {
        let (row, column) = (at / u64::from(columns), at % u64::from(columns));
        all | 1 << (column * u64::from(rows) + row)
    })
}

/// `(r ; s)`, r with `middle` columns, s with `columns`.
pub(super) fn compose(left: u64, middle: u32, right: u64, columns: u32) -> u64 {
    bits(domain(left, middle)).fold(0, |all, at| all | image(right, columns, row(left, middle, at)) << (at * u64::from(columns)))
}

/// The pairs `(x, x)` of a set.
pub(super) fn identity(set: u64, columns: u32) -> u64 {
    bits(set).fold(0, |all, at| all | 1 << (at * u64::from(columns) + at))
}

/// The transitive closure of a square matrix (Warshall).
pub(super) fn closure1(mut matrix: u64, size: u32) -> u64 {
    // Invariant: all paths whose inner elements are below `through` are known. The row of `through` is read before the loop, as a path
    // from `through` to itself and on adds nothing to it.
    for through in 0..u64::from(size) {
        let reached = row(matrix, size, through);
        for from in 0..u64::from(size) {
            if matrix >> (from * u64::from(size) + through) & 1 == 1 {
                matrix |= reached << (from * u64::from(size));
            }
        }
    }
    matrix
}

/// Whether no row has two bits.
#[inline]
pub(super) fn is_function(matrix: u64, columns: u32) -> bool {
    rows(matrix, columns).all(|row| row & row.wrapping_sub(1) == 0)
}

/// Whether no column has two bits.
pub(super) fn is_injective(matrix: u64, columns: u32) -> bool {
    let mut seen = 0;
    rows(matrix, columns).all(|row| {
        let fresh = seen & row == 0;
        seen |= row;
        fresh
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_64_bits_do_not_overflow() {
        assert_eq!(domain(u64::MAX, 8), 0xff);
        assert_eq!(range(u64::MAX, 64), u64::MAX);
        assert_eq!(domain(1 << 63, 1), 1 << 63);
        assert_eq!(full_rows(0b11, 32), u64::MAX);
        assert_eq!(row(u64::MAX, 64, 0), u64::MAX);
    }

    #[test]
    fn a_cycle_of_three_closes_to_everything() {
        let cycle = 1 << 1 | 1 << (3 + 2) | 1 << 6;
        assert_eq!(closure1(cycle, 3), 0x1ff);
        assert_eq!(compose(cycle, 3, cycle, 3), transpose(cycle, 3, 3));
        assert!(is_function(cycle, 3) && is_injective(cycle, 3));
        assert!(!is_injective(1 | 1 << 3, 3));
    }
}
