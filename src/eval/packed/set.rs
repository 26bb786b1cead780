//! Sets over words.
//!
//! Each operator has two forms: on one word, where the result stays in a register, and on ranges of the frame. Invariant: both give
//! the bits of their plan's value in its universe, and none beyond. Deliberately elsewhere: operators on relations (`relation`),
//! comprehensions (`comprehension`), sequences (`sequences`), where results are put (`places`).

use super::comprehension::comprehension;
use super::operand::signed;
use super::pair::only_pair;
use super::relation::{columns_restricted, composed, image, of_relation, overridden, product, rows_restricted};
use super::sequences::{binary_sequence, changed_sequence, listed_sequence};
use super::table::{listed_set, row_of_table};
use super::value::{PackedValue, copied, packed_bindings, word};
use super::wide_matrix::{self as wide};
use super::{BailOut, Packer, matrix};
use crate::plan::{ExprPlan, ExprPlanKind, Fold, Search};
use crate::run::frame::Flow;
use crate::thresholds::WRITTEN_COMPREHENSION;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_value::packing::{Packing, Universe, set_interval};

pub(super) fn set(packer: &mut Packer<'_>, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let words = universe.mask_words();
    Some(match &plan.kind {
        ExprPlanKind::Value(value) => packer.places.known(&Packing::Mask(universe.clone()), value)?,
        ExprPlanKind::Slot(slot) => packer.places.slot(*slot, &Packing::Mask(universe.clone())),
        ExprPlanKind::SlotOrEmpty(slot) => packer.places.slot_or_empty(*slot, &Packing::Mask(universe.clone())),
        ExprPlanKind::Unary(op, operand) => unary_set(packer, *op, operand, universe)?,
        ExprPlanKind::Binary(op, left, right) => binary_set(packer, *op, left, right, universe)?,
        ExprPlanKind::SetExtension(items) => extension(packer, items, universe)?,
        ExprPlanKind::SequenceExtension(items) => listed_sequence(packer, items, universe)?,
        ExprPlanKind::If(pred, then, otherwise) => {
            let pred = packer.pred(pred)?;
            match (packer.set(then, universe)?, packer.set(otherwise, universe)?) {
                (PackedValue::Word(then), PackedValue::Word(otherwise)) => {
                    word(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
                }
                (then, otherwise) => {
                    // Only the chosen one is computed, since the other may be ill-defined.
                    let (then, otherwise) = (packer.places.wide(then), packer.places.wide(otherwise));
                    packer.places.own(words, move |words, at| {
                        let chosen = if pred(words)? { &then } else { &otherwise };
                        copied(chosen, words, at)
                    })
                }
            }
        }
        ExprPlanKind::ApplyExtension(pairs, argument) => listed_set(packer, pairs, argument, universe)?,
        ExprPlanKind::Let(bindings, body) => {
            let bindings = packed_bindings(packer, bindings)?;
            let body = packer.set(body, universe)?;
            let body = packer.places.wide(body);
            packer.places.own(words, move |words, at| {
                bindings.iter().try_for_each(|binding| binding.bind(words))?;
                copied(&body, words, at)
            })
        }
        // A larger one stays symbolic in the general tier too, and may still be tested for single elements (`membership`).
        ExprPlanKind::Comprehension(closure) if closure.cost <= WRITTEN_COMPREHENSION.get() => comprehension(packer, closure, universe)?,
        ExprPlanKind::Closure(closure) => {
            // The general tier does not write it out, so what is ill-defined here may have a value there.
            let set = comprehension(packer, closure, universe)?;
            let set = packer.places.wide(set);
            packer.places.own(words, move |words, at| copied(&set, words, at).map_err(|_| BailOut::Left))
        }
        ExprPlanKind::Fold(fold @ (Fold::Union | Fold::Inter), search, body) => fold_sets(packer, *fold, search, body, universe)?,
        _ => return None,
    })
}

/// `{a, b, …}`
fn extension(packer: &mut Packer<'_>, items: &[ExprPlan], universe: &Universe) -> Option<PackedValue> {
    let items = packer.numbers(items, universe)?;
    let count = universe.mask_words();
    if count == 1 {
        return Some(word(move |words| {
            let mut mask = 0;
            for item in &items {
                // Numbers are below the size of the universe, which is at most 64 here.
                mask |= 1 << item.get(words)?;
            }
            Ok(mask)
        }));
    }
    Some(packer.places.own(count, move |words, at| {
        words.slots[at..at + count].fill(0);
        for item in &items {
            let number = item.get(words)?;
            wide::insert(&mut words.slots[at..at + count], number);
        }
        Ok(())
    }))
}

fn fold_sets(packer: &mut Packer<'_>, fold: Fold, search: &Search, body: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let search = packer.search(search)?;
    let body = packer.set(body, universe)?;
    let (body, count) = (packer.places.wide(body), universe.mask_words());
    Some(packer.places.own(count, move |words, at| {
        words.slots[at..at + count].fill(0);
        let mut is_first = true;
        search.run(words, &mut |words| {
            body.evaluate(words)?;
            let (before, own) = words.slots.split_at_mut(at);
            let value = &before[body.range()];
            match fold {
                // The first set of an intersection joins the empty start, as those of a union do.
                Fold::Inter if !is_first => own.iter_mut().zip(value).for_each(|(all, word)| *all &= word),
                _ => own.iter_mut().zip(value).for_each(|(all, word)| *all |= word),
            }
            is_first = false;
            Ok(Flow::Continue)
        })?;
        if is_first && fold == Fold::Inter { Err(BailOut::IllDefined) } else { Ok(()) }
    }))
}

fn unary_set(packer: &mut Packer<'_>, op: UnaryOp, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let count = universe.mask_words();
    if op == UnaryOp::Identity {
        let (set, of) = packer.mask(plan)?;
        let size = of.size();
        return Some(match set {
            PackedValue::Word(set) if count == 1 => word(move |words| Ok(matrix::identity(set.get(words)?, size))),
            set => packer.places.map_one(set, count, move |set, out| wide::identity(set, size as usize, out)),
        });
    }
    match op {
        UnaryOp::Front | UnaryOp::Tail | UnaryOp::Reverse => changed_sequence(packer, op, plan, universe),
        UnaryOp::Domain | UnaryOp::Range | UnaryOp::Inverse | UnaryOp::Closure1 => of_relation(packer, op, plan, universe),
        _ => None,
    }
}

/// A binary operator with a set as its result; extensions come first, since `s \/ {x}` changes one bit of a copy.
fn binary_set(packer: &mut Packer<'_>, op: BinaryOp, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    Some(match op {
        BinaryOp::Union if is_wide_extension(right, universe) => changed(packer, left, right, universe, wide::insert)?,
        BinaryOp::Union => bitwise(packer, left, right, universe, |a, b| a | b)?,
        BinaryOp::Difference if is_wide_extension(right, universe) => changed(packer, left, right, universe, wide::remove)?,
        BinaryOp::Difference => bitwise(packer, left, right, universe, |a, b| a & !b)?,
        BinaryOp::Intersection => bitwise(packer, left, right, universe, |a, b| a & b)?,
        BinaryOp::Product => product(packer, left, right, universe)?,
        BinaryOp::Apply => row_of_table(packer, left, right)?,
        BinaryOp::Override => overridden(packer, left, right, universe)?,
        BinaryOp::Interval => interval(packer, left, right, universe)?,
        BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail | BinaryOp::TakeFirst | BinaryOp::DropFirst => {
            binary_sequence(packer, op, left, right, universe)?
        }
        BinaryOp::Compose => composed(packer, left, right, universe)?,
        BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => {
            rows_restricted(packer, left, right, universe, op == BinaryOp::DomainRestrict)?
        }
        BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => {
            columns_restricted(packer, left, right, universe, op == BinaryOp::RangeRestrict)?
        }
        BinaryOp::Image => image(packer, left, right, universe)?,
        _ => return None,
    })
}

/// `a..b`
fn interval(packer: &mut Packer<'_>, from: &ExprPlan, to: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
    let (from, to) = (packer.scalar(from)?, packer.scalar(to)?);
    let (count, size) = (universe.mask_words(), u64::from(universe.size()));
    Some(packer.places.own(count, move |words, at| {
        let (from, to) = (from.get(words)?, to.get(words)?);
        if signed(from) > signed(to) {
            words.slots[at..at + count].fill(0);
            return Ok(());
        }
        // As unsigned words, negative integers are too large as well.
        if from.max(to) >= size {
            return Err(BailOut::Left);
        }
        // Both numbers are below the size, so the mask has words for them.
        set_interval(&mut words.slots[at..at + count], from, to);
        Ok(())
    }))
}

/// Two sets, combined bit by bit; a right side that is one pair becomes its bit without a set being made.
// `combine` is a type parameter and no function pointer, so that each operator has closures of its own without a call in them.
fn bitwise(
    packer: &mut Packer<'_>,
    left: &ExprPlan,
    right: &ExprPlan,
    universe: &Universe,
    combine: impl Fn(u64, u64) -> u64 + Copy + Send + Sync + 'static,
) -> Option<PackedValue> {
    if universe.mask_words() == 1
        && let Some(pair) = only_pair(packer, right, universe)
    {
        // The bit of the pair is shifted into place, without a mask being stored and read again.
        let set = packer.set(left, universe)?.word()?;
        return Some(word(move |words| {
            let (bit, _) = pair.bit_and_row(words)?;
            Ok(combine(set.get(words)?, bit))
        }));
    }
    Some(match (packer.set(left, universe)?, packer.set(right, universe)?) {
        (PackedValue::Word(a), PackedValue::Word(b)) => word(move |words| {
            let a = a.get(words)?;
            Ok(combine(a, b.get(words)?))
        }),
        (a, b) => packer.places.map_two(a, b, universe.mask_words(), move |a, b, out| {
            a.iter().zip(b).zip(out).for_each(|((&a, &b), out)| *out = combine(a, b));
        }),
    })
}

/// A copy of a wide set with the elements of an extension added or removed in sequence.
fn changed(
    packer: &mut Packer<'_>,
    set: &ExprPlan,
    items: &ExprPlan,
    universe: &Universe,
    change: fn(&mut [u64], u64),
) -> Option<PackedValue> {
    let ExprPlanKind::SetExtension(items) = &items.kind else { return None };
    let count = universe.mask_words();
    let set = packer.set(set, universe)?;
    let (set, items) = (packer.places.wide(set), packer.numbers(items, universe)?);
    Some(packer.places.own(count, move |words, at| {
        copied(&set, words, at)?;
        for item in &items {
            let number = item.get(words)?;
            change(&mut words.slots[at..at + count], number);
        }
        Ok(())
    }))
}

fn is_wide_extension(plan: &ExprPlan, universe: &Universe) -> bool {
    matches!(plan.kind, ExprPlanKind::SetExtension(_)) && universe.mask_words() > 1
}
