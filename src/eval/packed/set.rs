//! Sets over words.
//!
//! Each operator has two forms: on one word, where the result stays in a register, and on ranges of the frame. Invariant: both give
//! the bits of their plan's value in its universe, and none beyond. Deliberately elsewhere: operators on relations (`relation`),
//! comprehensions (`comprehension`), sequences (`sequences`), where results are put (`packer`).

use super::expression::{Operand, signed};
use super::value::{PackedValue, Wide};
use super::wide_matrix::{self as wide};
use super::{BailOut, Packer, Words, matrix};
use crate::plan::{ExprPlan, ExprPlanKind, Fold, Search};
use crate::run::frame::Flow;
use crate::thresholds::WRITTEN_COMPREHENSION;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_value::packing::{Packing, Universe, set_interval};

impl Packer<'_> {
    /// A set and its universe.
    pub(super) fn mask(&mut self, plan: &ExprPlan) -> Option<(PackedValue, Universe)> {
        let universe = self.universe(&plan.ty)?;
        Some((self.set(plan, &universe)?, universe))
    }

    /// A set whose elements are numbered by this universe.
    pub(super) fn set(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let packed = self.set_here(plan, universe);
        self.noted(plan.span, packed)
    }

    fn set_here(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let words = universe.mask_words();
        Some(match &plan.kind {
            ExprPlanKind::Value(value) => self.known(&Packing::Mask(universe.clone()), value)?,
            ExprPlanKind::Slot(slot) => self.slot(*slot, &Packing::Mask(universe.clone())),
            ExprPlanKind::SlotOrEmpty(slot) => self.slot_or_empty(*slot, &Packing::Mask(universe.clone())),
            ExprPlanKind::Unary(op, operand) => self.unary_set(*op, operand, universe)?,
            ExprPlanKind::Binary(op, left, right) => self.binary_set(*op, left, right, universe)?,
            ExprPlanKind::SetExtension(items) => self.extension(items, universe)?,
            ExprPlanKind::SequenceExtension(items) => self.listed(items, universe)?,
            ExprPlanKind::If(pred, then, otherwise) => {
                let pred = self.pred(pred)?;
                match (self.set(then, universe)?, self.set(otherwise, universe)?) {
                    (PackedValue::Word(then), PackedValue::Word(otherwise)) => {
                        word(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
                    }
                    (then, otherwise) => {
                        // Only the chosen one is computed, since the other may be ill-defined.
                        let (then, otherwise) = (self.wide(then), self.wide(otherwise));
                        self.own(words, move |words, at| {
                            let chosen = if pred(words)? { &then } else { &otherwise };
                            copied(chosen, words, at)
                        })
                    }
                }
            }
            ExprPlanKind::ApplyExtension(pairs, argument) => self.listed_set(pairs, argument, universe)?,
            ExprPlanKind::Let(bindings, body) => {
                let bindings = self.bindings(bindings)?;
                let body = self.set(body, universe)?;
                let body = self.wide(body);
                self.own(words, move |words, at| {
                    bindings.iter().try_for_each(|binding| binding.bind(words))?;
                    copied(&body, words, at)
                })
            }
            // A larger one stays symbolic in the general tier too, and may still be tested for single elements (`membership`).
            ExprPlanKind::Comprehension(closure) if closure.cost <= WRITTEN_COMPREHENSION.get() => self.comprehension(closure, universe)?,
            ExprPlanKind::Closure(closure) => {
                // The general tier does not write it out, so what is ill-defined here may have a value there.
                let set = self.comprehension(closure, universe)?;
                let set = self.wide(set);
                self.own(words, move |words, at| copied(&set, words, at).map_err(|_| BailOut::Left))
            }
            ExprPlanKind::Fold(fold @ (Fold::Union | Fold::Inter), search, body) => self.fold_sets(*fold, search, body, universe)?,
            _ => return None,
        })
    }

    /// `{a, b, …}`
    fn extension(&mut self, items: &[ExprPlan], universe: &Universe) -> Option<PackedValue> {
        let items = self.numbers(items, universe)?;
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
        Some(self.own(count, move |words, at| {
            words.slots[at..at + count].fill(0);
            for item in &items {
                let number = item.get(words)?;
                wide::insert(&mut words.slots[at..at + count], number);
            }
            Ok(())
        }))
    }

    pub(super) fn numbers(&mut self, items: &[ExprPlan], universe: &Universe) -> Option<Vec<Operand>> {
        items.iter().map(|item| self.number(item, universe)).collect()
    }

    fn fold_sets(&mut self, fold: Fold, search: &Search, body: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let search = self.search(search)?;
        let body = self.set(body, universe)?;
        let (body, count) = (self.wide(body), universe.mask_words());
        Some(self.own(count, move |words, at| {
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

    fn unary_set(&mut self, op: UnaryOp, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let count = universe.mask_words();
        if op == UnaryOp::Identity {
            let (set, of) = self.mask(plan)?;
            let size = of.size();
            return Some(match set {
                PackedValue::Word(set) if count == 1 => word(move |words| Ok(matrix::identity(set.get(words)?, size))),
                set => self.map_one(set, count, move |set, out| wide::identity(set, size as usize, out)),
            });
        }
        match op {
            UnaryOp::Front | UnaryOp::Tail | UnaryOp::Reverse => self.changed_sequence(op, plan, universe),
            UnaryOp::Domain | UnaryOp::Range | UnaryOp::Inverse | UnaryOp::Closure1 => self.of_relation(op, plan, universe),
            _ => None,
        }
    }

    /// A binary operator with a set as its result; extensions come first, since `s \/ {x}` changes one bit of a copy.
    fn binary_set(&mut self, op: BinaryOp, left: &ExprPlan, right: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        Some(match op {
            BinaryOp::Union if is_wide_extension(right, universe) => self.changed(left, right, universe, wide::insert)?,
            BinaryOp::Union => self.bitwise(left, right, universe, |a, b| a | b)?,
            BinaryOp::Difference if is_wide_extension(right, universe) => self.changed(left, right, universe, wide::remove)?,
            BinaryOp::Difference => self.bitwise(left, right, universe, |a, b| a & !b)?,
            BinaryOp::Intersection => self.bitwise(left, right, universe, |a, b| a & b)?,
            BinaryOp::Product => self.product(left, right, universe)?,
            BinaryOp::Apply => self.row_of_table(left, right)?,
            BinaryOp::Override => self.overridden(left, right, universe)?,
            BinaryOp::Interval => self.interval(left, right, universe)?,
            BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail | BinaryOp::TakeFirst | BinaryOp::DropFirst => {
                self.binary_sequence(op, left, right, universe)?
            }
            BinaryOp::Compose => self.composed(left, right, universe)?,
            BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => {
                self.rows_restricted(left, right, universe, op == BinaryOp::DomainRestrict)?
            }
            BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => {
                self.columns_restricted(left, right, universe, op == BinaryOp::RangeRestrict)?
            }
            BinaryOp::Image => self.image(left, right, universe)?,
            _ => return None,
        })
    }

    /// `a..b`
    fn interval(&mut self, from: &ExprPlan, to: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let (from, to) = (self.scalar(from)?, self.scalar(to)?);
        let (count, size) = (universe.mask_words(), u64::from(universe.size()));
        Some(self.own(count, move |words, at| {
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
        &mut self,
        left: &ExprPlan,
        right: &ExprPlan,
        universe: &Universe,
        combine: impl Fn(u64, u64) -> u64 + Copy + Send + Sync + 'static,
    ) -> Option<PackedValue> {
        if universe.mask_words() == 1
            && let Some(pair) = self.only_pair(right, universe)
        {
            // The bit of the pair is shifted into place, without a mask being stored and read again.
            let set = self.set(left, universe)?.word()?;
            return Some(word(move |words| {
                let (bit, _) = pair.bit_and_row(words)?;
                Ok(combine(set.get(words)?, bit))
            }));
        }
        Some(match (self.set(left, universe)?, self.set(right, universe)?) {
            (PackedValue::Word(a), PackedValue::Word(b)) => word(move |words| {
                let a = a.get(words)?;
                Ok(combine(a, b.get(words)?))
            }),
            (a, b) => self.map_two(a, b, universe.mask_words(), move |a, b, out| {
                a.iter().zip(b).zip(out).for_each(|((&a, &b), out)| *out = combine(a, b));
            }),
        })
    }

    /// A copy of a wide set with the elements of an extension added or removed in sequence.
    fn changed(&mut self, set: &ExprPlan, items: &ExprPlan, universe: &Universe, change: fn(&mut [u64], u64)) -> Option<PackedValue> {
        let ExprPlanKind::SetExtension(items) = &items.kind else { return None };
        let count = universe.mask_words();
        let set = self.set(set, universe)?;
        let (set, items) = (self.wide(set), self.numbers(items, universe)?);
        Some(self.own(count, move |words, at| {
            copied(&set, words, at)?;
            for item in &items {
                let number = item.get(words)?;
                change(&mut words.slots[at..at + count], number);
            }
            Ok(())
        }))
    }
}

fn is_wide_extension(plan: &ExprPlan, universe: &Universe) -> bool {
    matches!(plan.kind, ExprPlanKind::SetExtension(_)) && universe.mask_words() > 1
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
