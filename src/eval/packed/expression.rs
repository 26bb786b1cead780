//! Expressions over words.
//!
//! Invariant: every operand is a word of its plan's type; integer arithmetic is checked and traps where it would overflow.

use super::{Expr, Packer, Trap, Words, matrix};
use crate::eval::frame::Flow;
use crate::eval::plan::{ClosurePlan, ExprPlan, ExprPlanKind, Fold, Shape, Slot};
use crate::ir::{BinaryOp, Type, UnaryOp};
use crate::value::Value;
use crate::value::packing::{Packing, Universe, low_bits};

/// An operand: the common ones need no call.
pub(super) enum Operand {
    Known(u64),
    Slot(Slot),
    Computed(Expr),
}

impl Operand {
    /// Its word.
    #[inline]
    pub(super) fn get(&self, words: &mut Words) -> Result<u64, Trap> {
        match self {
            Operand::Known(word) => Ok(*word),
            Operand::Slot(slot) => Ok(words.slots[*slot]),
            Operand::Computed(compute) => compute(words),
        }
    }
}

/// Turns a closure into an operand.
fn computed(compute: impl Fn(&mut Words) -> Result<u64, Trap> + Send + Sync + 'static) -> Operand {
    Operand::Computed(Box::new(compute))
}

#[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation of integers")]
fn signed(word: u64) -> i64 {
    word as i64
}

#[allow(clippy::cast_sign_loss, reason = "two's complement is the representation of integers")]
fn unsigned(number: i64) -> u64 {
    number as u64
}

/// The numbers of rows and columns of a universe of pairs, unless there are none.
pub(super) fn rows_and_columns(universe: &Universe) -> Option<(u32, u32)> {
    let (rows, columns) = universe.rows_and_columns()?;
    (rows.size() > 0 && columns.size() > 0).then(|| (rows.size(), columns.size()))
}

/// A value of one word.
pub(super) fn one_word(packing: &Packing, value: &Value) -> Option<u64> {
    let mut word = [0];
    packing.pack(value, &mut word).then_some(word[0])
}

impl Packer<'_> {
    /// A set and its universe.
    pub(super) fn mask(&self, plan: &ExprPlan) -> Option<(Operand, Universe)> {
        match self.word(&plan.ty)? {
            Packing::Mask(universe) => Some((self.operand(plan)?, universe)),
            Packing::Index(_) | Packing::Integer => None,
        }
    }

    /// A relation and the sizes of its rows and columns.
    pub(super) fn matrix(&self, plan: &ExprPlan) -> Option<(Operand, u32, u32)> {
        let (operand, universe) = self.mask(plan)?;
        let (rows, columns) = rows_and_columns(&universe)?;
        Some((operand, rows, columns))
    }

    pub(super) fn bindings(&self, bindings: &[(Slot, ExprPlan)]) -> Option<Vec<(Slot, Operand)>> {
        bindings.iter().map(|(slot, value)| Some((self.place(*slot), self.operand(value)?))).collect()
    }

    /// An expression, if its value and all its parts fit words.
    pub(super) fn operand(&self, plan: &ExprPlan) -> Option<Operand> {
        let packing = self.word(&plan.ty)?;
        Some(match &plan.kind {
            ExprPlanKind::Value(value) => Operand::Known(one_word(&packing, value)?),
            ExprPlanKind::Slot(slot) => {
                let is_checked = self.checked[*slot];
                let slot = self.place(*slot);
                if is_checked {
                    computed(move |words| if words.defined[slot] { Ok(words.slots[slot]) } else { Err(Trap::IllDefined) })
                } else {
                    Operand::Slot(slot)
                }
            }
            ExprPlanKind::Unary(op, operand) => self.unary(*op, operand)?,
            ExprPlanKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprPlanKind::SetExtension(items) => {
                let items = items.iter().map(|item| self.operand(item)).collect::<Option<Vec<_>>>()?;
                computed(move |words| {
                    let mut mask = 0;
                    for item in &items {
                        mask |= 1 << item.get(words)?;
                    }
                    Ok(mask)
                })
            }
            ExprPlanKind::BoolOf(pred) => {
                let pred = self.pred(pred)?;
                computed(move |words| pred(words).map(u64::from))
            }
            ExprPlanKind::If(pred, then, otherwise) => {
                let (pred, then, otherwise) = (self.pred(pred)?, self.operand(then)?, self.operand(otherwise)?);
                computed(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
            }
            ExprPlanKind::Let(bindings, body) => {
                let (bindings, body) = (self.bindings(bindings)?, self.operand(body)?);
                computed(move |words| {
                    for (slot, value) in &bindings {
                        words.slots[*slot] = value.get(words)?;
                    }
                    body.get(words)
                })
            }
            ExprPlanKind::Comprehension(closure) | ExprPlanKind::Closure(closure) => self.comprehension(closure, &plan.ty)?,
            ExprPlanKind::Fold(fold, search, body) => {
                let fold = *fold;
                let (search, body) = (self.search(search)?, self.operand(body)?);
                computed(move |words| {
                    let mut total: Option<u64> = None;
                    search.run(words, &mut |words| {
                        let value = body.get(words)?;
                        total = Some(match (fold, total) {
                            (Fold::Sum, before) => unsigned(signed(before.unwrap_or(0)).checked_add(signed(value)).ok_or(Trap::Left)?),
                            (Fold::Product, before) => unsigned(signed(before.unwrap_or(1)).checked_mul(signed(value)).ok_or(Trap::Left)?),
                            (_, None) => value,
                            (Fold::Union, Some(before)) => before | value,
                            (Fold::Inter, Some(before)) => before & value,
                        });
                        Ok(Flow::Continue)
                    })?;
                    match (fold, total) {
                        (_, Some(total)) => Ok(total),
                        (Fold::Sum | Fold::Union, None) => Ok(0),
                        (Fold::Product, None) => Ok(1),
                        (Fold::Inter, None) => Err(Trap::IllDefined),
                    }
                })
            }
            ExprPlanKind::SequenceExtension(_)
            | ExprPlanKind::Record(_)
            | ExprPlanKind::Struct(_)
            | ExprPlanKind::Field(..)
            | ExprPlanKind::External(..) => return None,
        })
    }

    /// A comprehension or lambda, written out.
    fn comprehension(&self, closure: &ClosurePlan, ty: &Type) -> Option<Operand> {
        let Packing::Mask(universe) = self.word(ty)? else { return None };
        let search = self.search(&closure.search)?;
        let sizes: Vec<u64> = closure
            .types
            .iter()
            .map(|ty| Universe::of(ty, self.scope).map(|universe| u64::from(universe.size())))
            .collect::<Option<_>>()?;
        let locals: Vec<Slot> = closure.locals.iter().map(|&slot| self.place(slot)).collect();
        let tuple = move |words: &Words| locals.iter().zip(&sizes).fold(0u64, |tuple, (slot, size)| tuple * size + words.slots[*slot]);
        Some(match &closure.shape {
            Shape::Tuple { .. } => computed(move |words| {
                let mut mask = 0;
                search.run(words, &mut |words| {
                    mask |= 1 << tuple(words);
                    Ok(Flow::Continue)
                })?;
                Ok(mask)
            }),
            Shape::Function { body, .. } => {
                let columns = u64::from(rows_and_columns(&universe)?.1);
                let body = self.operand(body)?;
                computed(move |words| {
                    let mut mask = 0;
                    search.run(words, &mut |words| {
                        mask |= 1 << (tuple(words) * columns + body.get(words)?);
                        Ok(Flow::Continue)
                    })?;
                    Ok(mask)
                })
            }
            Shape::Image { value, .. } => {
                let value = self.operand(value)?;
                computed(move |words| {
                    let mut mask = 0;
                    search.run(words, &mut |words| {
                        mask |= 1 << value.get(words)?;
                        Ok(Flow::Continue)
                    })?;
                    Ok(mask)
                })
            }
        })
    }

    fn unary(&self, op: UnaryOp, operand: &ExprPlan) -> Option<Operand> {
        Some(match op {
            UnaryOp::Negate => {
                let operand = self.operand(operand)?;
                computed(move |words| signed(operand.get(words)?).checked_neg().map(unsigned).ok_or(Trap::Left))
            }
            UnaryOp::Card => {
                let operand = self.mask(operand)?.0;
                computed(move |words| Ok(u64::from(operand.get(words)?.count_ones())))
            }
            UnaryOp::Domain => {
                let (relation, _, columns) = self.matrix(operand)?;
                computed(move |words| Ok(matrix::domain(relation.get(words)?, columns)))
            }
            UnaryOp::Range => {
                let (relation, _, columns) = self.matrix(operand)?;
                computed(move |words| Ok(matrix::range(relation.get(words)?, columns)))
            }
            UnaryOp::Inverse => {
                let (relation, rows, columns) = self.matrix(operand)?;
                computed(move |words| Ok(matrix::transpose(relation.get(words)?, columns, rows)))
            }
            UnaryOp::Identity => {
                let (set, universe) = self.mask(operand)?;
                let size = universe.size();
                if size > 8 {
                    return None;
                }
                computed(move |words| Ok(matrix::identity(set.get(words)?, size)))
            }
            UnaryOp::Closure1 | UnaryOp::Closure => {
                let (relation, size, _) = self.matrix(operand)?;
                let reflexive = op == UnaryOp::Closure;
                computed(move |words| {
                    let relation = relation.get(words)?;
                    let field = matrix::domain(relation, size) | matrix::range(relation, size);
                    Ok(matrix::closure1(relation, size) | if reflexive { matrix::identity(field, size) } else { 0 })
                })
            }
            UnaryOp::First2 | UnaryOp::Second2 => {
                let (_, columns) = rows_and_columns(&Universe::of(&operand.ty, self.scope)?)?;
                let columns = u64::from(columns);
                let operand = self.operand(operand)?;
                let first = op == UnaryOp::First2;
                computed(move |words| operand.get(words).map(|pair| if first { pair / columns } else { pair % columns }))
            }
            _ => return None,
        })
    }

    fn binary(&self, op: BinaryOp, left: &ExprPlan, right: &ExprPlan) -> Option<Operand> {
        Some(match op {
            BinaryOp::Pair => {
                let columns = u64::from(Universe::of(&right.ty, self.scope)?.size());
                let (a, b) = (self.operand(left)?, self.operand(right)?);
                computed(move |words| Ok(a.get(words)? * columns + b.get(words)?))
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                let (a, b) = (self.operand(left)?, self.operand(right)?);
                let compute: fn(i64, i64) -> Option<i64> = match op {
                    BinaryOp::Add => i64::checked_add,
                    BinaryOp::Subtract => i64::checked_sub,
                    BinaryOp::Multiply => i64::checked_mul,
                    BinaryOp::Divide => i64::checked_div,
                    _ => |a, b| if a < 0 || b <= 0 { None } else { Some(a % b) },
                };
                // What is ill-defined and what overflows is told apart by the general evaluator.
                computed(move |words| compute(signed(a.get(words)?), signed(b.get(words)?)).map(unsigned).ok_or(Trap::Left))
            }
            BinaryOp::Union => self.masks(left, right, |a, b| a | b)?,
            BinaryOp::Intersection => self.masks(left, right, |a, b| a & b)?,
            BinaryOp::Difference => self.masks(left, right, |a, b| a & !b)?,
            BinaryOp::Product => {
                let ((a, rows), (b, columns)) = (self.mask(left)?, self.mask(right)?);
                let size = columns.size();
                if rows.size().checked_mul(size)? > 64 {
                    return None;
                }
                computed(move |words| {
                    let rows = a.get(words)?;
                    Ok(matrix::product(rows, size, b.get(words)?))
                })
            }
            BinaryOp::Override => {
                let (relation, _, columns) = self.matrix(left)?;
                let changes = self.operand(right)?;
                computed(move |words| {
                    let relation = relation.get(words)?;
                    let changes = changes.get(words)?;
                    Ok(relation & !matrix::full_rows(matrix::domain(changes, columns), columns) | changes)
                })
            }
            BinaryOp::Compose => {
                let (a, _, middle) = self.matrix(left)?;
                let (b, _, columns) = self.matrix(right)?;
                computed(move |words| {
                    let relation = a.get(words)?;
                    Ok(matrix::compose(relation, middle, b.get(words)?, columns))
                })
            }
            BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => {
                let set = self.mask(left)?.0;
                let (relation, _, columns) = self.matrix(right)?;
                let subtracted = op == BinaryOp::DomainSubtract;
                computed(move |words| {
                    let rows = matrix::full_rows(set.get(words)?, columns);
                    Ok(relation.get(words)? & if subtracted { !rows } else { rows })
                })
            }
            BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => {
                let (relation, rows, columns) = self.matrix(left)?;
                let set = self.mask(right)?.0;
                let subtracted = op == BinaryOp::RangeSubtract;
                computed(move |words| {
                    let relation = relation.get(words)?;
                    let kept = matrix::product(low_bits(rows), columns, set.get(words)?);
                    Ok(relation & if subtracted { !kept } else { kept })
                })
            }
            BinaryOp::Apply => {
                let (function, _, columns) = self.matrix(left)?;
                let argument = self.operand(right)?;
                computed(move |words| {
                    let function = function.get(words)?;
                    let row = matrix::row(function, columns, argument.get(words)?);
                    if row.is_power_of_two() { Ok(u64::from(row.trailing_zeros())) } else { Err(Trap::IllDefined) }
                })
            }
            BinaryOp::Image => {
                let (relation, _, columns) = self.matrix(left)?;
                let set = self.mask(right)?.0;
                computed(move |words| {
                    let relation = relation.get(words)?;
                    Ok(matrix::image(relation, columns, set.get(words)?))
                })
            }
            _ => return None,
        })
    }

    fn masks(&self, left: &ExprPlan, right: &ExprPlan, combine: fn(u64, u64) -> u64) -> Option<Operand> {
        let (a, b) = (self.mask(left)?.0, self.mask(right)?.0);
        Some(computed(move |words| {
            let a = a.get(words)?;
            Ok(combine(a, b.get(words)?))
        }))
    }
}
