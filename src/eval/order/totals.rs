//! Functions of which a sum or product is known: `f : S --> NATURAL & SIGMA(x).(x : S | f(x) * c) = n` (`<= n` too), or `PI` with `=`.
//!
//! Values are chosen for one argument after the other, none larger than what is left, and factors among the divisors.
//! Invariant: each function that can satisfy both conjuncts is given once; neither is used up, so that both are tested.
//! Deliberately elsewhere: functions whose values follow from each other (`recurrence`), and plain function spaces (`generate`).

use super::EvalError;
use super::compile::Compiler;
use super::conjunction::Unordered;
use super::frame::{Flow, Frame};
use super::generate::{Candidate, How};
use super::plan::{Slot, TotalPlan};
use super::symbolic::unbounded;
use crate::ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, LocalId, PredKind};
use crate::source::Span;
use crate::value::{Set, Value};
use num_traits::ToPrimitive;

/// Smaller function spaces are enumerated as they are.
const PLAIN_BELOW: f64 = 10_000.0;

/// How many divisors a number is expected to have, and what a sum is expected to be where that is not in the text.
const DIVISORS: f64 = 16.0;
const USUAL_SUM: f64 = 1_000.0;

/// Divisors are looked for among so many numbers at most.
const MOST_TRIALS: i64 = 10_000_000;

/// A function of which a sum or product is known.
pub(super) struct Total<'p> {
    pub(super) slot: Slot,
    index: LocalId,
    domain: &'p Expr,
    least: i64,
    greatest: Option<&'p Expr>,
    weight: Option<&'p Expr>,
    total: &'p Expr,
    is_product: bool,
    is_exact: bool,
}

impl Compiler<'_> {
    /// A sum or product over a function that another conjunct puts into a large space.
    pub(super) fn total_candidate<'p>(&self, at: usize, left: Unordered<'_, 'p>) -> Option<Candidate<'p>> {
        let Unordered { conjuncts, remaining, unbound, .. } = left;
        let PredKind::Compare(comparison, left, right) = &conjuncts[at].kind else { return None };
        let is_fold = |expr: &Expr| matches!(expr.kind, ExprKind::Binder { binder: Binder::Sigma | Binder::Pi, .. });
        let (fold, total, is_exact) = match comparison {
            Comparison::Equal if is_fold(left) => (left, right, true),
            Comparison::Equal if is_fold(right) => (right, left, true),
            Comparison::Less | Comparison::LessEqual if is_fold(left) => (left, right, false),
            Comparison::Greater | Comparison::GreaterEqual if is_fold(right) => (right, left, false),
            _ => return None,
        };
        let ExprKind::Binder { binder, locals, pred, body } = &fold.kind else { return None };
        let [(index, _)] = locals.as_slice() else { return None };
        let is_index = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == *index);
        let PredKind::Compare(Comparison::Member, element, over) = &pred.kind else { return None };
        let value = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Apply, function, argument) if is_index(argument) => {
                self.slot_of(function).filter(|slot| unbound.contains(slot))
            }
            _ => None,
        };
        let (slot, weight) = match &body.kind {
            ExprKind::Binary(BinaryOp::Multiply, first, second) => match (value(first), value(second)) {
                (Some(slot), None) => (slot, Some(&**second)),
                (None, Some(slot)) => (slot, Some(&**first)),
                _ => return None,
            },
            _ => (value(body)?, None),
        };
        let is_product = *binder == Binder::Pi;
        let is_closed = |expr: &Expr| self.is_closed(expr, unbound);
        if !is_index(element) || !is_closed(total) || !weight.is_none_or(is_closed) || is_product && (!is_exact || weight.is_some()) {
            return None;
        }
        let (domain, range) = remaining.iter().find_map(|&other| match &conjuncts[other].kind {
            PredKind::Compare(Comparison::Member, member, space) if self.slot_of(member) == Some(slot) => match &space.kind {
                ExprKind::Binary(op, domain, range)
                    if super::equation::is_total_function(*op)
                        && is_closed(space)
                        && self.same_set(domain, over)
                        && self.set_cost(space) > PLAIN_BELOW =>
                {
                    Some((&**domain, &**range))
                }
                _ => None,
            },
            _ => None,
        })?;
        let (least, greatest) = match &range.kind {
            ExprKind::IntegerSet(IntegerSet::Natural) => (0, None),
            ExprKind::IntegerSet(IntegerSet::Natural1) => (1, None),
            ExprKind::Binary(BinaryOp::Interval, from, to) => match &from.kind {
                ExprKind::Integer(from) => (from.to_i64().filter(|from| *from >= 0)?, Some(&**to)),
                _ => return None,
            },
            _ => return None,
        };
        let cost = self.choices(domain, total, is_product);
        let how = How::Total(Total { slot, index: *index, domain, least, greatest, weight, total, is_product, is_exact });
        Some(Candidate { cost, how, consumes: Vec::new() })
    }

    /// An estimate of how many functions there are: the last value follows from the others.
    fn choices(&self, domain: &Expr, total: &Expr, is_product: bool) -> f64 {
        let free = self.set_cost(domain) - 1.0;
        if is_product {
            return DIVISORS.powf(free);
        }
        let sum = match &total.kind {
            ExprKind::Integer(sum) => sum.to_f64().unwrap_or(f64::INFINITY).max(0.0),
            _ => USUAL_SUM,
        };
        let mut choices = 1.0;
        let mut place = 1.0;
        while place <= free && choices < f64::MAX {
            choices *= (sum + place) / place;
            place += 1.0;
        }
        choices
    }

    pub(super) fn total(&mut self, found: &Total<'_>) -> TotalPlan {
        TotalPlan {
            slot: found.slot,
            index: self.local_slot(found.index),
            domain: self.expr(found.domain),
            least: found.least,
            greatest: found.greatest.map(|greatest| self.expr(greatest)),
            weight: found.weight.map(|weight| self.expr(weight)),
            total: self.expr(found.total),
            is_product: found.is_product,
            is_exact: found.is_exact,
        }
    }
}

/// The arguments of a function with the factors of its values, and what its values are.
pub(super) struct Arguments {
    arguments: Vec<(Value, i64)>,
    least: i64,
    greatest: Option<i64>,
    total: i64,
    is_product: bool,
    is_exact: bool,
    /// Whether what is left bounds the values: no factor is negative.
    is_bounding: bool,
    span: Span,
}

impl<'m> Frame<'m> {
    /// Everything that the choice of values depends on.
    pub(super) fn arguments(&mut self, plan: &TotalPlan) -> Result<Arguments, EvalError> {
        let span = plan.domain.span;
        let domain = self.eval(&plan.domain)?;
        let mut elements = Vec::new();
        self.visit(&domain, span, &mut |_, element| {
            elements.push(element);
            Ok(Flow::Continue)
        })?;
        let mut arguments = Vec::with_capacity(elements.len());
        for element in elements {
            let factor = match &plan.weight {
                Some(weight) => {
                    self.set(plan.index, element.clone());
                    let factor = self.eval(weight)?;
                    small(&factor, weight.span)?
                }
                None => 1,
            };
            arguments.push((element, factor));
        }
        let greatest = match &plan.greatest {
            Some(greatest) => {
                let value = self.eval(greatest)?;
                Some(small(&value, greatest.span)?)
            }
            None => None,
        };
        let total = self.eval(&plan.total)?;
        let total = small(&total, plan.total.span)?;
        let is_bounding = arguments.iter().all(|(_, factor)| *factor >= 0);
        let (least, is_product, is_exact) = (plan.least, plan.is_product, plan.is_exact);
        Ok(Arguments { arguments, least, greatest, total, is_product, is_exact, is_bounding, span })
    }

    /// Visits each function on these arguments.
    pub(super) fn each_function(
        &mut self,
        over: &Arguments,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        if over.is_bounding && over.total < 0 {
            return Ok(Flow::Continue);
        }
        self.choose_values(over, over.total, &mut Vec::new(), visitor)
    }

    fn choose_values(
        &mut self,
        over: &Arguments,
        rest: i64,
        chosen: &mut Vec<Value>,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        self.tick(over.span)?;
        let Some((argument, factor)) = over.arguments.get(chosen.len()) else {
            return visitor(self, Value::Set(Set::from_values(chosen.clone())));
        };
        for value in over.values(chosen.len(), rest)? {
            let left = match over.is_product {
                true if rest == 0 => 0,
                true => rest / value,
                false => rest.saturating_sub(value.saturating_mul(*factor)),
            };
            chosen.push(Value::pair(argument.clone(), Value::integer(value)));
            let flow = self.choose_values(over, left, chosen, visitor)?;
            chosen.pop();
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}

impl Arguments {
    /// The values that an argument may have when so much is left, ascending.
    fn values(&self, at: usize, rest: i64) -> Result<Box<dyn Iterator<Item = i64>>, EvalError> {
        let factor = self.arguments[at].1;
        let is_last = self.is_exact && at + 1 == self.arguments.len();
        let within = |most: i64| self.least..=self.greatest.map_or(most, |greatest| greatest.min(most));
        let only = |value: i64, fits: bool| (fits && within(value).contains(&value)).then_some(value).into_iter();
        let is_open = !self.is_bounding || if self.is_product { rest == 0 } else { factor == 0 };
        Ok(match (is_open, self.is_product) {
            (true, _) if self.greatest.is_none() => return unbounded("the values of a function".to_owned(), self.span),
            (true, _) => Box::new(within(i64::MAX)),
            (false, false) if is_last => Box::new(only(rest / factor, rest % factor == 0)),
            (false, false) => Box::new(within(rest / factor)),
            (false, true) if is_last => Box::new(only(rest, true)),
            (false, true) => Box::new(divisors(rest, *within(rest).end(), self.span)?.into_iter().filter({
                let least = self.least;
                move |divisor| *divisor >= least
            })),
        })
    }
}

/// The divisors of a positive number up to a bound, ascending.
fn divisors(number: i64, most: i64, span: Span) -> Result<Vec<i64>, EvalError> {
    let last = number.isqrt().min(most);
    if last > MOST_TRIALS {
        return unbounded(format!("the divisors of {number}"), span);
    }
    let small: Vec<i64> = (1..=last).filter(|divisor| number % divisor == 0).collect();
    let large = small.iter().rev().map(|divisor| number / divisor).filter(|divisor| *divisor > last && *divisor <= most);
    Ok(small.iter().copied().chain(large).collect())
}

/// A number of 64 bits.
fn small(value: &Value, span: Span) -> Result<i64, EvalError> {
    let Value::Integer(number) = value else { unreachable!("typed as an integer") };
    number.to_i64().map_or_else(|| unbounded("the values of a function".to_owned(), span), Ok)
}
