//! Sets and relations of several words: bit masks, and row-major bit matrices of any number of columns, without padding.
//!
//! Rows begin at any bit, so a row is read and written in pieces of at most 64 columns, each of which lies in one word or across two.
//! Invariant: bits beyond the universe are zero in operands and results; every function that takes `out` overwrites all of it.
//! Deliberately elsewhere: relations of one word (`matrix`).

use bcheck_value::packing::{Universe, all_bits, bits, low_bits};

/// The size of a relation's matrix; neither number is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimensions {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Dimensions {
    /// The dimensions of relations between two universes.
    pub(super) fn of(rows: &Universe, columns: &Universe) -> Self {
        Self { rows: rows.size() as usize, columns: columns.size() as usize }
    }

    /// The pieces of any row: the columns where they begin, which are multiples of 64, and their numbers of columns.
    fn pieces(self) -> impl Iterator<Item = (usize, u32)> {
        (0..self.columns).step_by(64).map(move |at| (at, u32::try_from(64.min(self.columns - at)).expect("at most 64")))
    }

    /// The pieces of a row: where they begin in the matrix, where in the row, and their numbers of columns.
    fn pieces_of(self, row: usize) -> impl Iterator<Item = (usize, usize, u32)> {
        self.pieces().map(move |(at, count)| (row * self.columns + at, at, count))
    }
}

/// Whether a number is in a set.
#[inline]
pub(super) fn holds(mask: &[u64], number: u64) -> bool {
    mask[number as usize / 64] >> (number % 64) & 1 == 1
}

/// Adds a number to a set.
#[inline]
pub(super) fn insert(mask: &mut [u64], number: u64) {
    mask[number as usize / 64] |= 1 << (number % 64);
}

/// Removes a number from a set.
#[inline]
pub(super) fn remove(mask: &mut [u64], number: u64) {
    mask[number as usize / 64] &= !(1 << (number % 64));
}

/// The number of elements of a set.
pub(super) fn count(mask: &[u64]) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

/// Whether all elements of a set are in another.
pub(super) fn is_subset(part: &[u64], whole: &[u64]) -> bool {
    part.iter().zip(whole).all(|(part, whole)| part & !whole == 0)
}

/// Reads at most 64 bits from a position on.
#[inline]
fn read(mask: &[u64], start: usize, count: u32) -> u64 {
    let (word, shift) = (start / 64, start % 64);
    let low = mask[word] >> shift;
    // If the bits span two words, the shift is not 0, so that of the second word is less than 64; and the second word exists, since the
    // bits do.
    let all = if shift + count as usize > 64 { low | mask[word + 1] << (64 - shift) } else { low };
    all & low_bits(count)
}

/// Adds the bits of a word from a position on.
#[inline]
fn merge(mask: &mut [u64], start: usize, bits: u64) {
    let (word, shift) = (start / 64, start % 64);
    mask[word] |= bits << shift;
    // Tested on the bits themselves, not on a count: behind the last word there may be no other for bits that are zero.
    if shift > 0 && bits >> (64 - shift) != 0 {
        mask[word + 1] |= bits >> (64 - shift);
    }
}

/// Clears at most 64 bits from a position on.
#[inline]
fn clear(mask: &mut [u64], start: usize, count: u32) {
    let (word, shift) = (start / 64, start % 64);
    mask[word] &= !(low_bits(count) << shift);
    if shift + count as usize > 64 {
        mask[word + 1] &= !(low_bits(count) >> (64 - shift));
    }
}

/// Whether a row has a bit.
#[inline]
pub(super) fn has_row(matrix: &[u64], size: Dimensions, row: usize) -> bool {
    size.pieces_of(row).any(|(start, _, count)| read(matrix, start, count) != 0)
}

/// Whether a column has a bit.
pub(super) fn has_column(matrix: &[u64], size: Dimensions, column: usize) -> bool {
    (0..size.rows).any(|row| holds(matrix, (row * size.columns + column) as u64))
}

/// The only column of a row, if there is exactly one.
#[inline]
pub(super) fn only_column(matrix: &[u64], size: Dimensions, row: usize) -> Option<u64> {
    let mut found = None;
    for (start, at, count) in size.pieces_of(row) {
        let piece = read(matrix, start, count);
        if piece != 0 {
            if found.is_some() || !piece.is_power_of_two() {
                return None;
            }
            found = Some(at as u64 + u64::from(piece.trailing_zeros()));
        }
    }
    found
}

/// Clears a row.
#[inline]
pub(super) fn clear_row(matrix: &mut [u64], size: Dimensions, row: usize) {
    for (start, _, count) in size.pieces_of(row) {
        clear(matrix, start, count);
    }
}

/// The number of consecutive rows from row 1 on that have one bit each, if all other rows have none.
pub(super) fn sequence_length(matrix: &[u64], size: Dimensions) -> Option<usize> {
    // Row 0 is that of index 0, at which no sequence has an item.
    let length = (1..size.rows).take_while(|&row| only_column(matrix, size, row).is_some()).count();
    // As many bits as rows counted: then row 0 and all later rows are empty.
    (count(matrix) as usize == length).then_some(length)
}

/// The set with all numbers increased by `by`; none may exceed the words of `out`.
pub(super) fn move_up(mask: &[u64], by: usize, out: &mut [u64]) {
    out.fill(0);
    for (at, word) in mask.iter().enumerate().filter(|(_, word)| **word != 0) {
        merge(out, at * 64 + by, *word);
    }
}

/// The set whose numbers are less by `by`, without those that would be negative.
pub(super) fn move_down(mask: &[u64], by: usize, out: &mut [u64]) {
    // First whole words are moved, then bits across the border of two neighbours; a shift by 64 would be undefined, hence the test.
    let (words, shift) = (by / 64, by % 64);
    let word = |at: usize| mask.get(at).copied().unwrap_or(0);
    for (at, out) in out.iter_mut().enumerate() {
        let high = if shift > 0 { word(at + words + 1) << (64 - shift) } else { 0 };
        *out = word(at + words) >> shift | high;
    }
}

/// Rows that have a bit.
pub(super) fn domain(matrix: &[u64], size: Dimensions, out: &mut [u64]) {
    out.fill(0);
    (0..size.rows).filter(|&row| has_row(matrix, size, row)).for_each(|row| insert(out, row as u64));
}

/// Columns that have a bit.
pub(super) fn range(matrix: &[u64], size: Dimensions, out: &mut [u64]) {
    out.fill(0);
    for row in 0..size.rows {
        add_row(matrix, size, row, out);
    }
}

/// Adds the columns of a row to a set.
fn add_row(matrix: &[u64], size: Dimensions, row: usize, set: &mut [u64]) {
    // In the row pieces begin at multiples of 64, so each is a word of the set as it is.
    for (start, at, count) in size.pieces_of(row) {
        set[at / 64] |= read(matrix, start, count);
    }
}

/// The union of the rows of a set.
pub(super) fn image(matrix: &[u64], size: Dimensions, rows: &[u64], out: &mut [u64]) {
    out.fill(0);
    for row in all_bits(rows) {
        add_row(matrix, size, row as usize, out);
    }
}

/// The matrix with no rows but those of a set.
pub(super) fn keep_rows(matrix: &[u64], size: Dimensions, rows: &[u64], out: &mut [u64]) {
    out.fill(0);
    for row in all_bits(rows) {
        for (start, _, count) in size.pieces_of(row as usize) {
            merge(out, start, read(matrix, start, count));
        }
    }
}

/// The matrix without the rows of a set.
pub(super) fn drop_rows(matrix: &[u64], size: Dimensions, rows: &[u64], out: &mut [u64]) {
    out.copy_from_slice(matrix);
    all_bits(rows).for_each(|row| clear_row(out, size, row as usize));
}

/// The matrix restricted to the columns of a set or, without `is_kept`, to the others.
pub(super) fn keep_columns(matrix: &[u64], size: Dimensions, columns: &[u64], is_kept: bool, out: &mut [u64]) {
    out.fill(0);
    for row in 0..size.rows {
        for (start, at, count) in size.pieces_of(row) {
            let piece = read(matrix, start, count);
            // Complementing also sets bits beyond the columns, which the piece does not have.
            let kept = if is_kept { columns[at / 64] } else { !columns[at / 64] };
            merge(out, start, piece & kept);
        }
    }
}

/// This row in each of the rows of a set.
pub(super) fn product(rows: &[u64], columns: &[u64], size: Dimensions, out: &mut [u64]) {
    out.fill(0);
    for row in all_bits(rows) {
        for (start, at, _) in size.pieces_of(row as usize) {
            merge(out, start, columns[at / 64]);
        }
    }
}

/// Visits the bits, row by row.
fn each_pair(matrix: &[u64], size: Dimensions, mut visit: impl FnMut(usize, usize)) {
    for row in 0..size.rows {
        for (start, at, count) in size.pieces_of(row) {
            bits(read(matrix, start, count)).for_each(|bit| visit(row, at + bit as usize));
        }
    }
}

/// The matrix with rows and columns exchanged.
pub(super) fn transpose(matrix: &[u64], size: Dimensions, out: &mut [u64]) {
    out.fill(0);
    each_pair(matrix, size, |row, column| insert(out, (column * size.rows + row) as u64));
}

/// `(r ; s)`: each bit of the first relation adds a row of the second.
pub(super) fn compose(left: &[u64], left_size: Dimensions, right: &[u64], right_size: Dimensions, out: &mut [u64]) {
    out.fill(0);
    each_pair(left, left_size, |row, middle| {
        for (start, at, count) in right_size.pieces_of(middle) {
            // Rows are or-ed in 64 columns at a time, instead of pair by pair.
            merge(out, row * right_size.columns + at, read(right, start, count));
        }
    });
}

/// `r <+ s`.
pub(super) fn override_with(matrix: &[u64], changes: &[u64], size: Dimensions, out: &mut [u64]) {
    out.copy_from_slice(matrix);
    for row in (0..size.rows).filter(|&row| has_row(changes, size, row)) {
        for (start, _, count) in size.pieces_of(row) {
            clear(out, start, count);
            merge(out, start, read(changes, start, count));
        }
    }
}

/// The pairs `(x, x)` of a set.
pub(super) fn identity(set: &[u64], size: usize, out: &mut [u64]) {
    out.fill(0);
    // Row `at`, column `at`: at * size + at.
    all_bits(set).for_each(|at| insert(out, at * (size as u64 + 1)));
}

/// The transitive closure of a square matrix (Warshall).
pub(super) fn close(matrix: &[u64], size: Dimensions, out: &mut [u64]) {
    out.copy_from_slice(matrix);
    // Invariant: all paths whose inner elements are below `through` are known. A path from `through` to itself and on adds nothing to its
    // row, so `from` may leave it out, and the row may be read while other rows are written.
    for through in 0..size.rows {
        for from in 0..size.rows {
            if from != through && holds(out, (from * size.columns + through) as u64) {
                for (start, at, count) in size.pieces_of(through) {
                    let reached = read(out, start, count);
                    merge(out, from * size.columns + at, reached);
                }
            }
        }
    }
}

/// Whether no row has two bits.
pub(super) fn is_function(matrix: &[u64], size: Dimensions) -> bool {
    (0..size.rows).all(|row| {
        let mut is_empty = true;
        size.pieces_of(row).all(|(start, _, count)| {
            let piece = read(matrix, start, count);
            // The bit of a row may be in any of its pieces, but in one only.
            let fits = piece == 0 || is_empty && piece.is_power_of_two();
            is_empty &= piece == 0;
            fits
        })
    })
}

/// Whether no column has two bits; `seen` is as long as a row and is overwritten.
pub(super) fn is_injective(matrix: &[u64], size: Dimensions, seen: &mut [u64]) -> bool {
    seen.fill(0);
    (0..size.rows).all(|row| {
        size.pieces_of(row).all(|(start, at, count)| {
            let piece = read(matrix, start, count);
            let fresh = seen[at / 64] & piece == 0;
            seen[at / 64] |= piece;
            fresh
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::matrix;
    use bcheck_source::SplitMix64;
    use std::collections::BTreeSet;

    type Pairs = BTreeSet<(usize, usize)>;

    fn transposed(size: Dimensions) -> Dimensions {
        Dimensions { rows: size.columns, columns: size.rows }
    }

    struct Dice(SplitMix64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0.below(n)
        }

        fn set(&mut self, size: usize, density: usize) -> BTreeSet<usize> {
            (0..size).filter(|_| self.below(8) < density).collect()
        }

        fn pairs(&mut self, size: Dimensions, density: usize) -> Pairs {
            (0..size.rows).flat_map(|row| (0..size.columns).map(move |column| (row, column))).filter(|_| self.below(8) < density).collect()
        }
    }

    fn words(size: usize) -> usize {
        size.div_ceil(64).max(1)
    }

    fn mask(set: &BTreeSet<usize>, size: usize) -> Vec<u64> {
        let mut mask = vec![0; words(size)];
        set.iter().for_each(|&at| insert(&mut mask, at as u64));
        mask
    }

    fn matrix_of(pairs: &Pairs, size: Dimensions) -> Vec<u64> {
        mask(&pairs.iter().map(|(row, column)| row * size.columns + column).collect(), size.rows * size.columns)
    }

    /// The result of a function whose output has `size` bits, and is full of rubbish before.
    fn out(size: usize, run: impl FnOnce(&mut [u64])) -> Vec<u64> {
        let mut out = vec![0x5555_5555_5555_5555; words(size)];
        run(&mut out);
        out
    }

    fn one_step(relation: &Pairs, other: &Pairs) -> Pairs {
        relation.iter().flat_map(|&(a, b)| other.iter().filter(move |pair| pair.0 == b).map(move |pair| (a, pair.1))).collect()
    }

    #[test]
    fn every_function_agrees_with_sets_of_pairs() {
        let mut dice = Dice(SplitMix64::new(7));
        for round in 0..400 {
            let sizes = [(9, 12), (12, 12), (1, 70), (70, 1), (5, 64), (3, 130), (30, 30), (2, 3), (8, 8)];
            let (rows, columns) = sizes[round % sizes.len()];
            let size = Dimensions { rows, columns };
            let density = [0, 1, 1, 4, 8][dice.below(5)];
            let (r, s) = (dice.pairs(size, density), dice.pairs(size, 1));
            let (a, b) = (dice.set(rows, 3), dice.set(columns, 3));
            let (m, n) = (matrix_of(&r, size), matrix_of(&s, size));
            let (in_a, in_b) = (mask(&a, rows), mask(&b, columns));
            let whole = rows * columns;
            let filtered = |keep: &dyn Fn(&(usize, usize)) -> bool| matrix_of(&r.iter().copied().filter(keep).collect(), size);

            let domain_of: BTreeSet<usize> = r.iter().map(|pair| pair.0).collect();
            let range_of: BTreeSet<usize> = r.iter().map(|pair| pair.1).collect();
            assert_eq!(count(&m) as usize, r.len());
            assert_eq!(out(rows, |out| domain(&m, size, out)), mask(&domain_of, rows));
            assert_eq!(out(columns, |out| range(&m, size, out)), mask(&range_of, columns));
            let reached = r.iter().filter(|pair| a.contains(&pair.0)).map(|pair| pair.1).collect();
            assert_eq!(out(columns, |out| image(&m, size, &in_a, out)), mask(&reached, columns));
            assert_eq!(out(whole, |out| keep_rows(&m, size, &in_a, out)), filtered(&|pair| a.contains(&pair.0)));
            assert_eq!(out(whole, |out| drop_rows(&m, size, &in_a, out)), filtered(&|pair| !a.contains(&pair.0)));
            assert_eq!(out(whole, |out| keep_columns(&m, size, &in_b, true, out)), filtered(&|pair| b.contains(&pair.1)));
            assert_eq!(out(whole, |out| keep_columns(&m, size, &in_b, false, out)), filtered(&|pair| !b.contains(&pair.1)));
            let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect();
            assert_eq!(out(whole, |out| product(&in_a, &in_b, size, out)), matrix_of(&pairs, size));
            let swapped: Pairs = r.iter().map(|&(a, b)| (b, a)).collect();
            assert_eq!(out(whole, |out| transpose(&m, size, out)), matrix_of(&swapped, transposed(size)));
            let changed: BTreeSet<usize> = s.iter().map(|pair| pair.0).collect();
            let overridden = r.iter().filter(|pair| !changed.contains(&pair.0)).chain(&s).copied().collect();
            assert_eq!(out(whole, |out| override_with(&m, &n, size, out)), matrix_of(&overridden, size));
            let back = matrix_of(&swapped, transposed(size));
            let square = Dimensions { rows, columns: rows };
            let there_and_back = one_step(&r, &swapped);
            assert_eq!(out(rows * rows, |out| compose(&m, size, &back, transposed(size), out)), matrix_of(&there_and_back, square));
            assert_eq!(out(rows * rows, |out| identity(&in_a, rows, out)), matrix_of(&a.iter().map(|&at| (at, at)).collect(), square));
            for row in 0..rows {
                let mut in_row = r.iter().filter(|pair| pair.0 == row).map(|pair| pair.1 as u64);
                assert_eq!(has_row(&m, size, row), domain_of.contains(&row));
                let only = in_row.next().filter(|_| in_row.next().is_none());
                assert_eq!(only_column(&m, size, row), only);
            }
            assert!((0..columns).all(|column| has_column(&m, size, column) == range_of.contains(&column)));
            assert_eq!(is_function(&m, size), r.len() == domain_of.len());
            assert_eq!(is_injective(&m, size, &mut mask(&range_of, columns)), r.len() == range_of.len());
            assert_eq!(is_subset(&m, &n), r.is_subset(&s));
        }
    }

    #[test]
    fn closures_agree_with_repeated_steps() {
        let mut dice = Dice(SplitMix64::new(11));
        for _ in 0..60 {
            let size = [4, 9, 12][dice.below(3)];
            let size = Dimensions { rows: size, columns: size };
            let r: Pairs = (0..dice.below(14)).map(|_| (dice.below(size.rows), dice.below(size.rows))).collect();
            let mut closed = r.clone();
            loop {
                let more: Pairs = closed.union(&one_step(&closed, &r)).copied().collect();
                if more == closed {
                    break;
                }
                closed = more;
            }
            let m = matrix_of(&r, size);
            assert_eq!(out(size.rows * size.rows, |out| close(&m, size, out)), matrix_of(&closed, size));
        }
    }

    #[test]
    fn one_word_gives_what_the_narrow_matrices_give() {
        let mut dice = Dice(SplitMix64::new(3));
        for _ in 0..200 {
            let size = Dimensions { rows: 1 + dice.below(8), columns: 1 + dice.below(8) };
            let [rows, columns] = [size.rows, size.columns].map(|size| u32::try_from(size).expect("small"));
            let m = matrix_of(&dice.pairs(size, 2), size);
            let rows_set = mask(&dice.set(size.rows, 3), size.rows);
            assert_eq!(out(1, |out| domain(&m, size, out)), [matrix::domain(m[0], columns)]);
            assert_eq!(out(1, |out| range(&m, size, out)), [matrix::range(m[0], columns)]);
            assert_eq!(out(1, |out| transpose(&m, size, out)), [matrix::transpose(m[0], columns, rows)]);
            assert_eq!(out(1, |out| image(&m, size, &rows_set, out)), [matrix::image(m[0], columns, rows_set[0])]);
            assert_eq!(is_function(&m, size), matrix::is_function(m[0], columns));
            assert_eq!(is_injective(&m, size, &mut [0]), matrix::is_injective(m[0], columns));
        }
    }
}
