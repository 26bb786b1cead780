//! Expressions of one word: elements, pairs, truth values and integers.
//!
//! Invariant: every operand is a word of its plan's type; integer arithmetic is checked and bails out where 64 bits do not suffice.
//! Deliberately elsewhere: sets (`set`), which may have several words.

use super::comprehension::apply_lambda;
use super::operand::{Operand, signed, unsigned};
use super::sequences::{sequence_end, sequence_size};
use super::table::listed_word;
use super::types::rows_and_columns;
use super::value::{PackedValue, packed_bindings};
use super::wide_matrix::Dimensions;
use super::{BailOut, Packer, matrix, wide_matrix};
use crate::plan::{ExprPlan, ExprPlanKind, Fold};
use crate::run::frame::Flow;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_value::packing::Universe;

/// The number of a value in a universe; an integer outside causes this bail-out.
pub(super) fn number_or(packer: &mut Packer<'_>, plan: &ExprPlan, universe: &Universe, bail_out: BailOut) -> Option<Operand> {
    // Numbers of different universes are not comparable, as of pairs with another number of columns.
    if packer.types.numbered(&plan.ty)? != *universe {
        return None;
    }
    let value = packer.scalar(plan)?;
    Some(if let Universe::Integers(size) = universe { value.below(*size, bail_out) } else { value })
}

pub(super) fn scalar(packer: &mut Packer<'_>, plan: &ExprPlan) -> Option<Operand> {
    let packing = packer.types.packing(&plan.ty)?;
    Some(match &plan.kind {
        ExprPlanKind::Value(value) => packer.places.known(&packing, value)?.word()?,
        ExprPlanKind::Slot(slot) => packer.places.slot(*slot, &packing).word()?,
        ExprPlanKind::Unary(op, operand) => unary(packer, *op, operand)?,
        ExprPlanKind::Binary(op, left, right) => binary(packer, *op, left, right)?,
        ExprPlanKind::BoolOf(pred) => {
            let pred = packer.pred(pred)?;
            Operand::new(move |words| pred(words).map(u64::from))
        }
        ExprPlanKind::If(pred, then, otherwise) => {
            let (pred, then, otherwise) = (packer.pred(pred)?, packer.scalar(then)?, packer.scalar(otherwise)?);
            Operand::new(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
        }
        ExprPlanKind::ApplyExtension(pairs, argument) => listed_word(packer, pairs, argument)?,
        ExprPlanKind::Let(bindings, body) => {
            let (bindings, body) = (packed_bindings(packer, bindings)?, packer.scalar(body)?);
            Operand::new(move |words| {
                bindings.iter().try_for_each(|binding| binding.bind(words))?;
                body.get(words)
            })
        }
        ExprPlanKind::Fold(fold @ (Fold::Sum | Fold::Product), search, body) => {
            let is_sum = *fold == Fold::Sum;
            // The empty sum is 0, the empty product 1.
            let combine = if is_sum { i64::checked_add } else { i64::checked_mul };
            let (search, body) = (packer.search(search)?, packer.scalar(body)?);
            // Over the bindings, each with its value, and not over the set of their values. Beyond 64 bits only the general tier
            // counts.
            Operand::new(move |words| {
                let mut total = i64::from(!is_sum);
                search.run(words, &mut |words| {
                    total = combine(total, signed(body.get(words)?)).ok_or(BailOut::Left)?;
                    Ok(Flow::Continue)
                })?;
                Ok(unsigned(total))
            })
        }
        _ => return None,
    })
}

fn unary(packer: &mut Packer<'_>, op: UnaryOp, operand: &ExprPlan) -> Option<Operand> {
    Some(match op {
        UnaryOp::Negate => {
            let operand = packer.scalar(operand)?;
            Operand::new(move |words| signed(operand.get(words)?).checked_neg().map(unsigned).ok_or(BailOut::Left))
        }
        UnaryOp::Card => match packer.mask(operand)?.0 {
            PackedValue::Word(set) => Operand::new(move |words| Ok(u64::from(set.get(words)?.count_ones()))),
            PackedValue::Wide(set) => Operand::new(move |words| {
                set.evaluate(words)?;
                Ok(u64::from(wide_matrix::count(set.read(words))))
            }),
        },
        UnaryOp::Min | UnaryOp::Max => {
            // Listed numbers are compared directly: as members of a mask they would have to fit the universe.
            let ExprPlanKind::SetExtension(items) = &operand.kind else { return extreme(packer, op == UnaryOp::Min, operand) };
            let items = items.iter().map(|item| packer.scalar(item)).collect::<Option<Vec<_>>>()?;
            let pick = if op == UnaryOp::Min { i64::min } else { i64::max };
            Operand::new(move |words| {
                let mut best: Option<i64> = None;
                for item in &items {
                    let item = signed(item.get(words)?);
                    best = Some(best.map_or(item, |best| pick(best, item)));
                }
                best.map(unsigned).ok_or(BailOut::IllDefined)
            })
        }
        UnaryOp::Size => sequence_size(packer, operand)?,
        UnaryOp::First | UnaryOp::Last => sequence_end(packer, op, operand)?,
        UnaryOp::First2 | UnaryOp::Second2 => {
            let (_, columns) = rows_and_columns(&packer.types.numbered(&operand.ty)?)?;
            let columns = u64::from(columns);
            let operand = packer.scalar(operand)?;
            let first = op == UnaryOp::First2;
            Operand::new(move |words| operand.get(words).map(|pair| if first { pair / columns } else { pair % columns }))
        }
        _ => return None,
    })
}

fn binary(packer: &mut Packer<'_>, op: BinaryOp, left: &ExprPlan, right: &ExprPlan) -> Option<Operand> {
    Some(match op {
        BinaryOp::Pair => {
            let (rows, columns) = (packer.types.numbered(&left.ty)?, packer.types.numbered(&right.ty)?);
            let (a, b) = (packer.number(left, &rows)?, packer.number(right, &columns)?);
            let columns = u64::from(columns.size());
            // Both numbers are below their sizes, whose product is the size of a universe: nothing overflows.
            Operand::new(move |words| Ok(a.get(words)? * columns + b.get(words)?))
        }
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Power => {
            let (a, b) = (packer.scalar(left)?, packer.scalar(right)?);
            let compute: fn(i64, i64) -> Option<i64> = match op {
                BinaryOp::Add => i64::checked_add,
                BinaryOp::Subtract => i64::checked_sub,
                BinaryOp::Multiply => i64::checked_mul,
                BinaryOp::Divide => i64::checked_div,
                BinaryOp::Power => |a, b| a.checked_pow(u32::try_from(b).ok()?),
                _ => |a, b| if a < 0 || b <= 0 { None } else { Some(a % b) },
            };
            // `None` is division by zero and the like, or an overflow, which big integers do not have: the general tier
            // distinguishes them.
            Operand::new(move |words| compute(signed(a.get(words)?), signed(b.get(words)?)).map(unsigned).ok_or(BailOut::Left))
        }
        BinaryOp::Apply => application(packer, left, right)?,
        _ => return None,
    })
}

/// `min(S)`, or `max(S)`
fn extreme(packer: &mut Packer<'_>, is_least: bool, set: &ExprPlan) -> Option<Operand> {
    let (set, _) = packer.mask(set)?;
    let set = packer.places.wide(set);
    Some(Operand::new(move |words| {
        set.evaluate(words)?;
        // Only sets of integers have a minimum, and an integer is its own number.
        let mut words = set.read(words).iter().enumerate().filter(|(_, word)| **word != 0);
        let extreme = if is_least {
            words.next().map(|(at, word)| at as u64 * 64 + u64::from(word.trailing_zeros()))
        } else {
            words.next_back().map(|(at, word)| at as u64 * 64 + u64::from(word.ilog2()))
        };
        extreme.ok_or(BailOut::IllDefined)
    }))
}

/// `f(x)`
fn application(packer: &mut Packer<'_>, function: &ExprPlan, argument: &ExprPlan) -> Option<Operand> {
    if let ExprPlanKind::Closure(closure) = &function.kind {
        return apply_lambda(packer, closure, argument);
    }
    let (function, rows, columns) = packer.relation(function)?;
    // An integer outside the universe is outside of the domain of every packed function: the application is ill-defined.
    let (argument, size) = (number_or(packer, argument, &rows, BailOut::IllDefined)?, Dimensions::of(&rows, &columns));
    let columns = columns.size();
    Some(match function {
        PackedValue::Word(function) => Operand::new(move |words| {
            let function = function.get(words)?;
            let row = matrix::row(function, columns, argument.get(words)?);
            // Exactly one bit: 0 is not a power of two. With several values, as with none, the application is ill-defined.
            if row.is_power_of_two() { Ok(u64::from(row.trailing_zeros())) } else { Err(BailOut::IllDefined) }
        }),
        PackedValue::Wide(function) => Operand::new(move |words| {
            function.evaluate(words)?;
            let row = argument.get(words)?;
            wide_matrix::only_column(function.read(words), size, row as usize).ok_or(BailOut::IllDefined)
        }),
    })
}
