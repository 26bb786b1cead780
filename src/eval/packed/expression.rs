//! Expressions of one word: elements, pairs, truth values and integers.
//!
//! Invariant: every operand is a word of its plan's type; integer arithmetic is checked and bails out where 64 bits do not suffice.
//! Deliberately elsewhere: sets (`set`), which may have several words.

use super::value::PackedValue;
use super::wide_matrix::Dimensions;
use super::{BailOut, Packer, Words, matrix, wide_matrix};
use crate::plan::{ExprPlan, ExprPlanKind, Fold};
use crate::run::frame::Flow;
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_value::packing::Universe;

/// A compiled expression.
type Compute = Box<dyn Fn(&mut Words) -> Result<u64, BailOut> + Send + Sync>;

/// An operand of one word. The common kinds need no call.
pub(super) enum Operand {
    Known(u64),
    /// A place in the frame.
    Slot(usize),
    Computed(Compute),
}

impl Operand {
    /// An operand that a closure computes.
    pub(super) fn new(compute: impl Fn(&mut Words) -> Result<u64, BailOut> + Send + Sync + 'static) -> Self {
        Operand::Computed(Box::new(compute))
    }

    /// The word of the operand.
    #[inline]
    pub(super) fn get(&self, words: &mut Words) -> Result<u64, BailOut> {
        match self {
            Operand::Known(word) => Ok(*word),
            Operand::Slot(slot) => Ok(words.slots[*slot]),
            Operand::Computed(compute) => compute(words),
        }
    }

    /// This operand, with a bail-out unless its word is below a bound.
    pub(super) fn below(self, bound: u32, bail_out: BailOut) -> Self {
        let bound = u64::from(bound);
        // As an unsigned word a negative integer is beyond every bound.
        if matches!(self, Operand::Known(number) if number < bound) {
            return self;
        }
        Operand::new(move |words| self.get(words).and_then(|number| if number < bound { Ok(number) } else { Err(bail_out) }))
    }
}

/// The integer encoded by a word.
#[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation of integers")]
pub(super) fn signed(word: u64) -> i64 {
    word as i64
}

/// The word that encodes an integer.
#[allow(clippy::cast_sign_loss, reason = "two's complement is the representation of integers")]
pub(super) fn unsigned(number: i64) -> u64 {
    number as u64
}

/// The numbers of rows and columns of a universe of pairs, unless it is empty.
pub(super) fn rows_and_columns(universe: &Universe) -> Option<(u32, u32)> {
    let (rows, columns) = universe.rows_and_columns()?;
    (rows.size() > 0 && columns.size() > 0).then(|| (rows.size(), columns.size()))
}

impl Packer<'_> {
    /// The number of a value in a universe; bails out for an integer outside.
    pub(super) fn number(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<Operand> {
        self.number_or(plan, universe, BailOut::Left)
    }

    /// The number of a value in a universe; an integer outside causes this bail-out.
    fn number_or(&mut self, plan: &ExprPlan, universe: &Universe, bail_out: BailOut) -> Option<Operand> {
        // Numbers of different universes are not comparable, as of pairs with another number of columns.
        if self.numbered(&plan.ty)? != *universe {
            return None;
        }
        let value = self.scalar(plan)?;
        Some(if let Universe::Integers(size) = universe { value.below(*size, bail_out) } else { value })
    }

    /// A value that is not a set.
    pub(super) fn scalar(&mut self, plan: &ExprPlan) -> Option<Operand> {
        let packed = self.scalar_here(plan);
        self.noted(plan.span, packed)
    }

    fn scalar_here(&mut self, plan: &ExprPlan) -> Option<Operand> {
        let packing = self.packing(&plan.ty)?;
        Some(match &plan.kind {
            ExprPlanKind::Value(value) => self.known(&packing, value)?.word()?,
            ExprPlanKind::Slot(slot) => self.slot(*slot, &packing).word()?,
            ExprPlanKind::Unary(op, operand) => self.unary(*op, operand)?,
            ExprPlanKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprPlanKind::BoolOf(pred) => {
                let pred = self.pred(pred)?;
                Operand::new(move |words| pred(words).map(u64::from))
            }
            ExprPlanKind::If(pred, then, otherwise) => {
                let (pred, then, otherwise) = (self.pred(pred)?, self.scalar(then)?, self.scalar(otherwise)?);
                Operand::new(move |words| if pred(words)? { then.get(words) } else { otherwise.get(words) })
            }
            ExprPlanKind::ApplyExtension(pairs, argument) => self.listed_word(pairs, argument)?,
            ExprPlanKind::Let(bindings, body) => {
                let (bindings, body) = (self.bindings(bindings)?, self.scalar(body)?);
                Operand::new(move |words| {
                    bindings.iter().try_for_each(|binding| binding.bind(words))?;
                    body.get(words)
                })
            }
            ExprPlanKind::Fold(fold @ (Fold::Sum | Fold::Product), search, body) => {
                let is_sum = *fold == Fold::Sum;
                // The empty sum is 0, the empty product 1.
                let combine = if is_sum { i64::checked_add } else { i64::checked_mul };
                let (search, body) = (self.search(search)?, self.scalar(body)?);
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

    fn unary(&mut self, op: UnaryOp, operand: &ExprPlan) -> Option<Operand> {
        Some(match op {
            UnaryOp::Negate => {
                let operand = self.scalar(operand)?;
                Operand::new(move |words| signed(operand.get(words)?).checked_neg().map(unsigned).ok_or(BailOut::Left))
            }
            UnaryOp::Card => match self.mask(operand)?.0 {
                PackedValue::Word(set) => Operand::new(move |words| Ok(u64::from(set.get(words)?.count_ones()))),
                PackedValue::Wide(set) => Operand::new(move |words| {
                    set.evaluate(words)?;
                    Ok(u64::from(wide_matrix::count(set.read(words))))
                }),
            },
            UnaryOp::Min | UnaryOp::Max => {
                // Listed numbers are compared directly: as members of a mask they would have to fit the universe.
                let ExprPlanKind::SetExtension(items) = &operand.kind else { return self.extreme(op == UnaryOp::Min, operand) };
                let items = items.iter().map(|item| self.scalar(item)).collect::<Option<Vec<_>>>()?;
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
            UnaryOp::Size => self.size(operand)?,
            UnaryOp::First | UnaryOp::Last => self.end(op, operand)?,
            UnaryOp::First2 | UnaryOp::Second2 => {
                let (_, columns) = rows_and_columns(&self.numbered(&operand.ty)?)?;
                let columns = u64::from(columns);
                let operand = self.scalar(operand)?;
                let first = op == UnaryOp::First2;
                Operand::new(move |words| operand.get(words).map(|pair| if first { pair / columns } else { pair % columns }))
            }
            _ => return None,
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &ExprPlan, right: &ExprPlan) -> Option<Operand> {
        Some(match op {
            BinaryOp::Pair => {
                let (rows, columns) = (self.numbered(&left.ty)?, self.numbered(&right.ty)?);
                let (a, b) = (self.number(left, &rows)?, self.number(right, &columns)?);
                let columns = u64::from(columns.size());
                // Both numbers are below their sizes, whose product is the size of a universe: nothing overflows.
                Operand::new(move |words| Ok(a.get(words)? * columns + b.get(words)?))
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Power => {
                let (a, b) = (self.scalar(left)?, self.scalar(right)?);
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
            BinaryOp::Apply => self.application(left, right)?,
            _ => return None,
        })
    }

    /// `min(S)`, or `max(S)`
    fn extreme(&mut self, is_least: bool, set: &ExprPlan) -> Option<Operand> {
        let (set, _) = self.mask(set)?;
        let set = self.wide(set);
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
    fn application(&mut self, function: &ExprPlan, argument: &ExprPlan) -> Option<Operand> {
        if let ExprPlanKind::Closure(closure) = &function.kind {
            return self.apply_lambda(closure, argument);
        }
        let (function, rows, columns) = self.relation(function)?;
        // An integer outside the universe is outside of the domain of every packed function: the application is ill-defined.
        let (argument, size) = (self.number_or(argument, &rows, BailOut::IllDefined)?, Dimensions::of(&rows, &columns));
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
}
