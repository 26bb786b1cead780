//! Sequences over words: relations whose rows are indices, row 0 empty.
//!
//! Since rows are contiguous, shifting the matrix by whole rows moves all items at once.
//! Invariant: an operand that is not a sequence, or too short for the operator, is ill-defined, as in the general tier; a result that is
//! longer than the universe has rows for bails out. Deliberately elsewhere: the bit matrices (`wide_matrix`).

use super::operand::{Operand, signed};
use super::places::Places;
use super::value::{PackedValue, Wide};
use super::wide_matrix::{self as wide, Dimensions};
use super::{BailOut, Packer, Pred, Words};
use crate::plan::ExprPlan;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_value::SequenceKind;
use bcheck_value::packing::Universe;

/// The length of a sequence.
fn length(matrix: &[u64], size: Dimensions) -> Result<usize, BailOut> {
    wide::sequence_length(matrix, size).ok_or(BailOut::IllDefined)
}

/// Writes the result of an operator on a matrix, whose length and dimensions are given, into words that are zero.
type Change = fn(&[u64], usize, Dimensions, &mut [u64]) -> Result<(), BailOut>;

/// A sequence and the size of its matrix.
fn matrix_of(packer: &mut Packer<'_>, plan: &ExprPlan) -> Option<(Wide, Dimensions)> {
    let (relation, rows, columns) = packer.relation(plan)?;
    let Universe::Integers(_) = rows else { return None };
    Some((packer.places.wide(relation), Dimensions::of(&rows, &columns)))
}

/// `size(s)`
pub(super) fn sequence_size(packer: &mut Packer<'_>, sequence: &ExprPlan) -> Option<Operand> {
    let (sequence, size) = matrix_of(packer, sequence)?;
    Some(Operand::new(move |words| {
        sequence.evaluate(words)?;
        length(sequence.read(words), size).map(|length| length as u64)
    }))
}

/// `first(s)` or `last(s)`
pub(super) fn sequence_end(packer: &mut Packer<'_>, op: UnaryOp, sequence: &ExprPlan) -> Option<Operand> {
    let (sequence, size) = matrix_of(packer, sequence)?;
    Some(Operand::new(move |words| {
        sequence.evaluate(words)?;
        let matrix = sequence.read(words);
        let length = length(matrix, size)?;
        // Row 0 is that of `first([])` and `last([])`: it is empty, so these are ill-defined.
        wide::only_column(matrix, size, if op == UnaryOp::First { length.min(1) } else { length }).ok_or(BailOut::IllDefined)
    }))
}

/// `front(s)`, `tail(s)` or `rev(s)`
pub(super) fn changed_sequence(packer: &mut Packer<'_>, op: UnaryOp, sequence: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let change: Change = match op {
        UnaryOp::Front => |matrix, length, size, out| {
            out.copy_from_slice(matrix);
            wide::clear_row(out, size, length);
            if length > 0 { Ok(()) } else { Err(BailOut::IllDefined) }
        },
        UnaryOp::Tail => |matrix, length, size, out| {
            // The first item has moved to row 0.
            wide::move_down(matrix, size.columns, out);
            wide::clear_row(out, size, 0);
            if length > 0 { Ok(()) } else { Err(BailOut::IllDefined) }
        },
        // The only one that no shift does: rows change their order.
        _ => |matrix, length, size, out| {
            for place in 1..=length {
                let item = wide::only_column(matrix, size, place).expect("each place up to the length has one item");
                wide::insert(out, ((length + 1 - place) * size.columns) as u64 + item);
            }
            Ok(())
        },
    };
    let (sequence, size) = matrix_of(packer, sequence)?;
    sequence_of(&mut packer.places, universe, move |words, at| {
        sequence.evaluate(words)?;
        let (before, own) = words.slots.split_at_mut(at);
        let matrix = &before[sequence.range()];
        change(matrix, length(matrix, size)?, size, &mut own[..matrix.len()])
    })
}

/// A sequence that is computed into zeros.
fn sequence_of(
    places: &mut Places,
    universe: &Universe,
    compute: impl Fn(&mut Words, usize) -> Result<(), BailOut> + Send + Sync + 'static,
) -> Option<PackedValue> {
    let count = universe.mask_words();
    Some(places.own(count, move |words, at| {
        words.slots[at..at + count].fill(0);
        compute(words, at)
    }))
}

/// `s ^ t`, `x -> s`, `s <- x`, `s /|\ n` or `s \|/ n`
pub(super) fn binary_sequence(
    packer: &mut Packer<'_>,
    op: BinaryOp,
    left: &ExprPlan,
    right: &ExprPlan,
    universe: &Universe,
) -> Option<PackedValue> {
    match op {
        BinaryOp::Concat => concatenated(packer, left, right, universe),
        BinaryOp::InsertFront => with_item(packer, left, right, true, universe),
        BinaryOp::InsertTail => with_item(packer, right, left, false, universe),
        _ => part_of(packer, left, right, op == BinaryOp::TakeFirst, universe),
    }
}

/// `s ^ t`
fn concatenated(packer: &mut Packer<'_>, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let ((left, size), (right, _)) = (matrix_of(packer, left)?, matrix_of(packer, right)?);
    sequence_of(&mut packer.places, universe, move |words, at| {
        left.evaluate(words)?;
        right.evaluate(words)?;
        let (before, own) = words.slots.split_at_mut(at);
        let (left, right) = (&before[left.range()], &before[right.range()]);
        let (first, second) = (length(left, size)?, length(right, size)?);
        let own = &mut own[..left.len()];
        // Before the items move: there must be words for them.
        room(first + second, size)?;
        wide::move_up(right, first * size.columns, own);
        own.iter_mut().zip(left).for_each(|(own, word)| *own |= word);
        Ok(())
    })
}

/// `x -> s`, or `s <- x` if the item does not become the first one.
fn with_item(packer: &mut Packer<'_>, item: &ExprPlan, sequence: &ExprPlan, is_front: bool, universe: &Universe) -> Option<PackedValue> {
    let (_, columns) = universe.rows_and_columns()?;
    let item = packer.number(item, columns)?;
    let (sequence, size) = matrix_of(packer, sequence)?;
    sequence_of(&mut packer.places, universe, move |words, at| {
        sequence.evaluate(words)?;
        let item = item.get(words)?;
        let (before, own) = words.slots.split_at_mut(at);
        let matrix = &before[sequence.range()];
        let length = length(matrix, size)?;
        room(length + 1, size)?;
        let own = &mut own[..matrix.len()];
        // Row 0 is empty, so moving up by one row frees row 1.
        wide::move_up(matrix, if is_front { size.columns } else { 0 }, own);
        wide::insert(own, (size.columns * if is_front { 1 } else { length + 1 }) as u64 + item);
        Ok(())
    })
}

/// `s /|\ n`, the first items, or `s \|/ n`, all others.
fn part_of(packer: &mut Packer<'_>, sequence: &ExprPlan, count: &ExprPlan, is_kept: bool, universe: &Universe) -> Option<PackedValue> {
    let (sequence, size) = matrix_of(packer, sequence)?;
    let count = packer.scalar(count)?;
    sequence_of(&mut packer.places, universe, move |words, at| {
        sequence.evaluate(words)?;
        // A negative number of items is ill-defined, as is one above the length.
        let count = usize::try_from(signed(count.get(words)?)).map_err(|_| BailOut::IllDefined)?;
        let (before, own) = words.slots.split_at_mut(at);
        let matrix = &before[sequence.range()];
        let length = length(matrix, size)?;
        if count > length {
            return Err(BailOut::IllDefined);
        }
        let own = &mut own[..matrix.len()];
        wide::move_down(matrix, if is_kept { 0 } else { count * size.columns }, own);
        if is_kept {
            (count + 1..=length).for_each(|place| wide::clear_row(own, size, place));
        } else {
            // The last of the dropped items has moved to row 0.
            wide::clear_row(own, size, 0);
        }
        Ok(())
    })
}

/// `[a, b, …]`
pub(super) fn listed_sequence(packer: &mut Packer<'_>, items: &[ExprPlan], universe: &Universe) -> Option<PackedValue> {
    let (rows, columns) = universe.rows_and_columns()?;
    let (Universe::Integers(rows), columns_size) = (rows, u64::from(columns.size())) else { return None };
    // Row 0 takes no item, so with n rows there is room for n - 1.
    if items.len() >= *rows as usize {
        return None;
    }
    let items = packer.numbers(items, columns)?;
    let count = universe.mask_words();
    sequence_of(&mut packer.places, universe, move |words, at| {
        for (item, place) in items.iter().zip(1..) {
            let item = item.get(words)?;
            wide::insert(&mut words.slots[at..at + count], place * columns_size + item);
        }
        Ok(())
    })
}

/// `s : seq(S)` and the like, for a packed S.
pub(super) fn member_of_sequences(
    packer: &mut Packer<'_>,
    element: &ExprPlan,
    kind: SequenceKind,
    base: impl FnOnce(&mut Packer<'_>, &Universe) -> Option<PackedValue>,
) -> Option<Pred> {
    let universe = packer.types.universe(&element.ty)?;
    let (rows, columns) = universe.rows_and_columns()?;
    if !matches!(rows, Universe::Integers(_)) || rows.size() == 0 || columns.size() == 0 {
        return None;
    }
    let base = base(packer, columns)?;
    let (base, size) = (packer.places.wide(base), Dimensions::of(rows, columns));
    let sequence = packer.set(element, &universe)?;
    let sequence = packer.places.wide(sequence);
    let column_words = columns.mask_words();
    // Taken when compiled, after the operands, so that it lies above both and can be written while they are read.
    let scratch = packer.places.take(column_words);
    Some(Box::new(move |words| {
        sequence.evaluate(words)?;
        base.evaluate(words)?;
        let (before, own) = words.slots.split_at_mut(scratch);
        let (matrix, base, own) = (&before[sequence.range()], &before[base.range()], &mut own[..column_words]);
        // A sequence is injective if it has as many values as items, and a permutation if in addition these are all of the base. A
        // relation that is not a sequence is not an element here, rather than ill-defined: `s : seq(S)` is how machines state that s
        // is one.
        let Some(length) = wide::sequence_length(matrix, size) else { return Ok(false) };
        wide::range(matrix, size, own);
        Ok((!kind.is_nonempty() || length > 0)
            && (!kind.is_injective() || wide::count(own) as usize == length)
            && if kind == SequenceKind::Perm { own == base } else { wide::is_subset(own, base) })
    }))
}

/// Traps when a sequence of this length has no room.
fn room(length: usize, size: Dimensions) -> Result<(), BailOut> {
    if length < size.rows { Ok(()) } else { Err(BailOut::Left) }
}
