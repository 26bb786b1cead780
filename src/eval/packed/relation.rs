//! Relations over words: the operators on their bit matrices.
//!
//! Invariant: as of sets, each operator has a form on one word and one on ranges of the frame, which agree. The first form needs all
//! operands and the result to have one word each. Deliberately elsewhere: the bit matrices themselves (`matrix`, `wide_matrix`); union and
//! its relatives, which do not depend on rows and columns (`set`).

use super::pair::only_pair;
use super::types::rows_and_columns;
use super::value::{PackedValue, copied, word};
use super::wide_matrix::{self as wide, Dimensions};
use super::{Packer, matrix};
use crate::plan::{ExprPlan, ExprPlanKind};
use bcheck_ir::UnaryOp;
use bcheck_value::packing::{Universe, low_bits};

/// The size of the matrix of a relation, unless its universe is empty.
pub(super) fn dimensions(universe: &Universe) -> Option<Dimensions> {
    rows_and_columns(universe)?;
    universe.rows_and_columns().map(|(rows, columns)| Dimensions::of(rows, columns))
}

/// `dom(r)`, `ran(r)`, `r~` or `closure1(r)`
pub(super) fn of_relation(packer: &mut Packer<'_>, op: UnaryOp, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let count = universe.mask_words();
    let (relation, rows, columns) = packer.relation(plan)?;
    let size = Dimensions::of(&rows, &columns);
    let (rows, columns) = (rows.size(), columns.size());
    Some(match relation {
        // Domain, range and inverse of a relation of one word need no more bits than it has; its closure is as large.
        PackedValue::Word(relation) => match op {
            UnaryOp::Domain => word(move |words| Ok(matrix::domain(relation.get(words)?, columns))),
            UnaryOp::Range => word(move |words| Ok(matrix::range(relation.get(words)?, columns))),
            UnaryOp::Inverse => word(move |words| Ok(matrix::transpose(relation.get(words)?, columns, rows))),
            _ => word(move |words| Ok(matrix::closure1(relation.get(words)?, columns))),
        },
        relation => match op {
            UnaryOp::Domain => packer.places.map_one(relation, count, move |relation, out| wide::domain(relation, size, out)),
            UnaryOp::Range => packer.places.map_one(relation, count, move |relation, out| wide::range(relation, size, out)),
            UnaryOp::Inverse => packer.places.map_one(relation, count, move |relation, out| wide::transpose(relation, size, out)),
            _ => packer.places.map_one(relation, count, move |relation, out| wide::close(relation, size, out)),
        },
    })
}

/// `a * b`
pub(super) fn product(packer: &mut Packer<'_>, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let (rows, columns) = universe.rows_and_columns()?;
    let (row, size) = (columns.size(), dimensions(universe)?);
    // The product may need several words although each factor has one.
    Some(match (packer.set(left, rows)?, packer.set(right, columns)?) {
        (PackedValue::Word(a), PackedValue::Word(b)) if universe.mask_words() == 1 => word(move |words| {
            let rows = a.get(words)?;
            Ok(matrix::product(rows, row, b.get(words)?))
        }),
        (a, b) => packer.places.map_two(a, b, universe.mask_words(), move |a, b, out| wide::product(a, b, size, out)),
    })
}

/// `(r ; s)`
pub(super) fn composed(packer: &mut Packer<'_>, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let (a, a_rows, middle) = packer.relation(left)?;
    let (b, _, columns) = packer.relation(right)?;
    let (first, second) = (Dimensions::of(&a_rows, &middle), Dimensions::of(&middle, &columns));
    let (middle, columns) = (middle.size(), columns.size());
    Some(match (a, b) {
        (PackedValue::Word(a), PackedValue::Word(b)) if universe.mask_words() == 1 => word(move |words| {
            let relation = a.get(words)?;
            Ok(matrix::compose(relation, middle, b.get(words)?, columns))
        }),
        (a, b) => packer.places.map_two(a, b, universe.mask_words(), move |a, b, out| wide::compose(a, first, b, second, out)),
    })
}

/// `s <| r`, or `s <<| r` if the rows of the set are removed.
pub(super) fn rows_restricted(
    packer: &mut Packer<'_>,
    set: &ExprPlan,
    relation: &ExprPlan,
    universe: &Universe,
    is_kept: bool,
) -> Option<PackedValue> {
    let (rows, columns) = universe.rows_and_columns()?;
    let (columns, size) = (columns.size(), dimensions(universe)?);
    Some(match (packer.set(set, rows)?, packer.set(relation, universe)?) {
        (PackedValue::Word(set), PackedValue::Word(relation)) => word(move |words| {
            let rows = matrix::full_rows(set.get(words)?, columns);
            Ok(relation.get(words)? & if is_kept { rows } else { !rows })
        }),
        (set, relation) => {
            let restrict = if is_kept { wide::keep_rows } else { wide::drop_rows };
            packer.places.map_two(set, relation, universe.mask_words(), move |set, relation, out| restrict(relation, size, set, out))
        }
    })
}

/// `r |> s`, or `r |>> s` if the columns of the set are removed.
pub(super) fn columns_restricted(
    packer: &mut Packer<'_>,
    relation: &ExprPlan,
    set: &ExprPlan,
    universe: &Universe,
    is_kept: bool,
) -> Option<PackedValue> {
    let (rows, columns) = universe.rows_and_columns()?;
    let (rows, row, size) = (low_bits(rows.size()), columns.size(), dimensions(universe)?);
    Some(match (packer.set(relation, universe)?, packer.set(set, columns)?) {
        (PackedValue::Word(relation), PackedValue::Word(set)) => word(move |words| {
            let relation = relation.get(words)?;
            // A mask with the columns of the set in every row: one operation restricts all rows at once.
            let kept = matrix::product(rows, row, set.get(words)?);
            Ok(relation & if is_kept { kept } else { !kept })
        }),
        (relation, set) => packer.places.map_two(relation, set, universe.mask_words(), move |relation, set, out| {
            wide::keep_columns(relation, size, set, is_kept, out);
        }),
    })
}

/// `r[s]`
pub(super) fn image(packer: &mut Packer<'_>, relation: &ExprPlan, set: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let (relation, rows, columns) = packer.relation(relation)?;
    let size = Dimensions::of(&rows, &columns);
    let columns = columns.size();
    Some(match (relation, packer.set(set, &rows)?) {
        (PackedValue::Word(relation), PackedValue::Word(set)) => word(move |words| {
            let relation = relation.get(words)?;
            Ok(matrix::image(relation, columns, set.get(words)?))
        }),
        (relation, set) => {
            packer.places.map_two(relation, set, universe.mask_words(), move |relation, set, out| wide::image(relation, size, set, out))
        }
    })
}

/// `r <+ s`
pub(super) fn overridden(packer: &mut Packer<'_>, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let (size, count) = (dimensions(universe)?, universe.mask_words());
    let columns = universe.rows_and_columns()?.1.size();
    // `r <+ {a |-> b}`, which is the meaning of `r(a) := b`.
    if count > 1
        && let ExprPlanKind::SetExtension(items) = &right.kind
        && let [item] = items.as_slice()
    {
        let set = packer.set(left, universe)?;
        let (set, pair) = (packer.places.wide(set), packer.number(item, universe)?);
        return Some(packer.places.own(count, move |words, at| {
            copied(&set, words, at)?;
            let pair = pair.get(words)?;
            let own = &mut words.slots[at..at + count];
            wide::clear_row(own, size, pair as usize / size.columns);
            wide::insert(own, pair);
            Ok(())
        }));
    }
    // Likewise in one word: bit and row are computed from the components of the pair, without a division.
    if count == 1
        && let Some(pair) = only_pair(packer, right, universe)
    {
        let relation = packer.set(left, universe)?.word()?;
        return Some(word(move |words| {
            let (bit, row) = pair.bit_and_row(words)?;
            Ok(relation.get(words)? & !row | bit)
        }));
    }
    Some(match (packer.set(left, universe)?, packer.set(right, universe)?) {
        (PackedValue::Word(relation), PackedValue::Word(changes)) => word(move |words| {
            let relation = relation.get(words)?;
            let changes = changes.get(words)?;
            // Rows in which the changes have a pair are replaced entirely.
            Ok(relation & !matrix::full_rows(matrix::domain(changes, columns), columns) | changes)
        }),
        (relation, changes) => {
            packer.places.map_two(relation, changes, count, move |relation, changes, out| wide::override_with(relation, changes, size, out))
        }
    })
}
