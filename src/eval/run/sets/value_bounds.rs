//! Bounds of a function's values by the form of its definition: that they lie in a set, by bounds of integers and by the parts of sets and
//! pairs.
//!
//! Interval arithmetic over the conditions on the arguments (Moore, Interval Analysis, 1966), with the conditions of IF. A recursive
//! function is assumed to have its values in the set wherever it applies itself within its domain, which is an induction where the
//! recursion terminates (`compile::recursion`).
//! Invariant: sufficient conditions only; `false` means that it is not proved. An expression that may be ill-defined proves nothing.

use super::integer_functions::ends_of;
use crate::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Shape, Slot};
use crate::run::frame::Frame;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, Type, UnaryOp};
use bcheck_source::Span;
use bcheck_value::progressions::{Ends, lesser};
use bcheck_value::{Symbolic, Value};

/// The assumptions while the values of a function are bounded.
#[derive(Clone)]
struct Assumed<'a> {
    /// The integers that names may be.
    bounds: Vec<(Slot, Ends)>,
    /// The conditions on the names.
    conditions: &'a [PredPlan],
    /// The function itself, its domain if that is an interval, and the set that its values are assumed to lie in.
    function: &'a Value,
    domain: Option<Ends>,
    target: &'a Value,
}

impl Frame<'_> {
    /// Whether the form of a relation shows that all values it relates to something lie in a set.
    pub(super) fn values_shown_within(&mut self, relation: &Value, to: &Value, span: Span) -> Result<bool, EvalError> {
        if super::inclusion::is_universal(to) {
            return Ok(true);
        }
        let symbolic = match relation {
            Value::Symbolic(symbolic) => symbolic,
            _ => {
                let range = self.range(relation, span)?;
                return shown(self.subset(&range, to, span));
            }
        };
        match &**symbolic {
            Symbolic::Identity(base) | Symbolic::Product(_, base) => shown(self.subset(base, to, span)),
            Symbolic::Union(left, right) | Symbolic::Override(left, right) => {
                Ok(self.values_shown_within(left, to, span)? && self.values_shown_within(right, to, span)?)
            }
            Symbolic::Intersection(left, right) => {
                Ok(self.values_shown_within(left, to, span)? || self.values_shown_within(right, to, span)?)
            }
            Symbolic::RangeRestrict(_, set, false) if shown(self.subset(set, to, span))? => Ok(true),
            Symbolic::Difference(of, _) | Symbolic::DomainRestrict(_, of, _) | Symbolic::RangeRestrict(of, ..) => {
                self.values_shown_within(of, to, span)
            }
            Symbolic::Compose(_, then) => self.values_shown_within(then, to, span),
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                let conditions = match &plan.search.source.kind {
                    PredPlanKind::And(conditions) => conditions.as_slice(),
                    _ => std::slice::from_ref(&*plan.search.source),
                };
                self.inside(&plan, captured, |frame| {
                    frame.clear(&plan.bound);
                    let mut assumed = Assumed { bounds: Vec::new(), conditions, function: relation, domain: None, target: to };
                    for (slot, _) in plan.locals.iter().zip(&plan.types).filter(|(_, ty)| **ty == Type::Integer) {
                        let ends = frame.bounds_of_name(*slot, conditions)?;
                        assumed.bounds.push((*slot, ends));
                    }
                    match (&plan.shape, plan.locals.as_slice()) {
                        (Shape::Function { body, .. }, locals) => {
                            assumed.domain = if let [only] = locals { frame.exact_bounds(*only, conditions)? } else { None };
                            frame.is_shown_in(body, to, &assumed, span)
                        }
                        (Shape::Tuple { .. }, [_, .., last]) => frame.name_is_shown_in(*last, to, &assumed, span),
                        _ => Ok(false),
                    }
                })
            }
            _ => Ok(false),
        }
    }

    /// Whether the value of an expression lies in a set, whatever the names of the comprehension are.
    fn is_shown_in(&mut self, expr: &ExprPlan, set: &Value, assumed: &Assumed<'_>, span: Span) -> Result<bool, EvalError> {
        if super::inclusion::is_universal(set) || self.has_whole_type(set, &expr.ty) {
            return Ok(true);
        }
        if expr.ty == Type::Integer {
            let Some(ends) = self.bounds_of(expr, assumed)? else { return Ok(false) };
            let Some(within) = self.ends_of_set(set)? else { return Ok(false) };
            return Ok(within.iter().any(|around| includes(*around, ends)));
        }
        match (&expr.kind, set) {
            (ExprPlanKind::Slot(slot), _) if self.content(*slot).is_none() => self.name_is_shown_in(*slot, set, assumed, span),
            (ExprPlanKind::If(condition, then, otherwise), _) => {
                let (if_true, if_false) = (self.given(condition, true, assumed)?, self.given(condition, false, assumed)?);
                Ok(self.is_shown_in(then, set, &if_true, span)? && self.is_shown_in(otherwise, set, &if_false, span)?)
            }
            (ExprPlanKind::Binary(BinaryOp::Pair, first, second), Value::Symbolic(symbolic)) => match &**symbolic {
                Symbolic::Product(left, right) => {
                    Ok(self.is_shown_in(first, left, assumed, span)? && self.is_shown_in(second, right, assumed, span)?)
                }
                _ => Ok(false),
            },
            (_, Value::Symbolic(symbolic)) => match &**symbolic {
                Symbolic::Power { base, nonempty, .. } => {
                    let is_finite_extension =
                        matches!(&expr.kind, ExprPlanKind::SetExtension(_) | ExprPlanKind::Binary(BinaryOp::Interval, ..));
                    let has_elements = matches!(&expr.kind, ExprPlanKind::SetExtension(items) if !items.is_empty());
                    if is_finite_extension && (has_elements || !nonempty) && self.elements_shown_in(expr, base, assumed, span)? {
                        return Ok(true);
                    }
                    self.closed_member(expr, set, span)
                }
                _ => self.closed_member(expr, set, span),
            },
            _ => self.closed_member(expr, set, span),
        }
    }

    /// Whether an explicit set contains all values of a type.
    fn has_whole_type(&self, set: &Value, ty: &Type) -> bool {
        let Value::Set(listed) = set else { return false };
        match ty {
            Type::Bool => listed.len() == 2,
            Type::Given(given) => u32::try_from(listed.len()).is_ok_and(|size| size == self.context.scope.size(*given)),
            _ => false,
        }
    }

    /// Whether the elements of a set that an expression lists lie in a set.
    fn elements_shown_in(&mut self, expr: &ExprPlan, base: &Value, assumed: &Assumed<'_>, span: Span) -> Result<bool, EvalError> {
        match &expr.kind {
            ExprPlanKind::SetExtension(items) => {
                for item in items {
                    if !self.is_shown_in(item, base, assumed, span)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ExprPlanKind::Binary(BinaryOp::Interval, from, to) => {
                let (Some((low, _)), Some((_, high))) = (self.bounds_of(from, assumed)?, self.bounds_of(to, assumed)?) else {
                    return Ok(false);
                };
                let Some(within) = self.ends_of_set(base)? else { return Ok(false) };
                Ok(within.iter().any(|around| includes(*around, (low, high))))
            }
            _ => Ok(false),
        }
    }

    /// Whether an expression that reads none of the names is an element.
    fn closed_member(&mut self, expr: &ExprPlan, set: &Value, span: Span) -> Result<bool, EvalError> {
        match self.closed_value(expr)? {
            Some(value) => shown(self.member(&value, set, span)),
            None => Ok(false),
        }
    }

    /// Whether a condition puts a name into a set.
    fn name_is_shown_in(&mut self, slot: Slot, set: &Value, assumed: &Assumed<'_>, span: Span) -> Result<bool, EvalError> {
        for condition in assumed.conditions {
            if self.condition_shows(&condition.kind, slot, set, span)? {
                return Ok(true);
            }
        }
        let bounds = assumed.bounds.iter().find(|(other, _)| *other == slot).map(|(_, ends)| *ends);
        let Some(bounds) = bounds else { return Ok(false) };
        let Some(within) = self.ends_of_set(set)? else { return Ok(false) };
        Ok(within.iter().any(|around| includes(*around, bounds)))
    }

    /// Bounds of an integer implied by some conditions; conditions that do not bound it alone are ignored.
    fn bounds_of_name(&mut self, slot: Slot, conditions: &[PredPlan]) -> Result<Ends, EvalError> {
        let mut ends = (None, None);
        for condition in conditions {
            match self.intervals_of_conjunct(condition, slot) {
                Ok(Some(intervals)) => {
                    let Some(all) = ends_of(&intervals) else { continue };
                    if let (Some((low, _)), Some((_, high))) = (all.first(), all.last()) {
                        ends = meet(ends, (*low, *high));
                    }
                }
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(ends)
    }

    /// The integers that satisfy some conditions, if these have no other consequence and leave one interval.
    fn exact_bounds(&mut self, slot: Slot, conditions: &[PredPlan]) -> Result<Option<Ends>, EvalError> {
        let mut found = vec![(None, None)];
        for condition in conditions {
            match self.intervals_of_conjunct(condition, slot) {
                Ok(Some(intervals)) => found = super::integer_sets::intersection(&found, &intervals),
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Ok(None) | Err(_) => return Ok(None),
            }
        }
        Ok(ends_of(&found).filter(|ends| ends.len() == 1).map(|ends| ends[0]))
    }

    /// The further assumptions where a condition is true, or false.
    fn given<'a>(&mut self, condition: &PredPlan, holds: bool, assumed: &Assumed<'a>) -> Result<Assumed<'a>, EvalError> {
        let mut given = assumed.clone();
        match (&condition.kind, holds) {
            (PredPlanKind::Not(inner), _) => return self.given(inner, !holds, assumed),
            (PredPlanKind::And(parts), true) | (PredPlanKind::Or(parts), false) => {
                for part in parts {
                    given = self.given(part, holds, &given)?;
                }
                return Ok(given);
            }
            _ => {}
        }
        for (slot, ends) in &mut given.bounds {
            let intervals = match self.intervals_of_conjunct(condition, *slot) {
                Ok(Some(intervals)) if holds => intervals,
                Ok(Some(intervals)) => super::integer_sets::complement(&intervals),
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Ok(None) | Err(_) => continue,
            };
            // The hull of the rest: a removed number changes it only at an end.
            let around = super::integer_sets::intersection(&intervals, &[as_interval(*ends)]);
            if let Some(all) = ends_of(&around)
                && let (Some((low, _)), Some((_, high))) = (all.first(), all.last())
            {
                *ends = (*low, *high);
            }
        }
        Ok(given)
    }

    /// Bounds of an integer expression; `None` where it may be ill-defined, or nothing is known.
    fn bounds_of(&mut self, expr: &ExprPlan, assumed: &Assumed<'_>) -> Result<Option<Ends>, EvalError> {
        Ok(match &expr.kind {
            ExprPlanKind::Slot(slot) if assumed.bounds.iter().any(|(other, _)| other == slot) => {
                assumed.bounds.iter().find(|(other, _)| other == slot).map(|(_, ends)| *ends)
            }
            ExprPlanKind::Unary(UnaryOp::Negate, inner) => self.bounds_of(inner, assumed)?.map(negated),
            ExprPlanKind::Binary(
                op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo),
                left,
                right,
            ) => {
                let (Some(left), Some(right)) = (self.bounds_of(left, assumed)?, self.bounds_of(right, assumed)?) else { return Ok(None) };
                match op {
                    BinaryOp::Add => Some(sum(left, right)),
                    BinaryOp::Subtract => Some(sum(left, negated(right))),
                    BinaryOp::Multiply => Some(product(left, right)),
                    BinaryOp::Divide => quotient(left, right),
                    _ => remainder(left, right),
                }
            }
            ExprPlanKind::If(condition, then, otherwise) => {
                let (if_true, if_false) = (self.given(condition, true, assumed)?, self.given(condition, false, assumed)?);
                match (self.bounds_of(then, &if_true)?, self.bounds_of(otherwise, &if_false)?) {
                    (Some(one), Some(other)) => Some(hull(one, other)),
                    _ => None,
                }
            }
            ExprPlanKind::Binary(BinaryOp::Apply, function, argument) => self.bounds_of_application(function, argument, assumed)?,
            _ => self.closed_number(expr)?.map(|number| (Some(number), Some(number))),
        })
    }

    /// Bounds of the function's own values for an argument within its domain: the induction hypothesis.
    fn bounds_of_application(
        &mut self,
        function: &ExprPlan,
        argument: &ExprPlan,
        assumed: &Assumed<'_>,
    ) -> Result<Option<Ends>, EvalError> {
        let is_itself =
            matches!(function.kind, ExprPlanKind::Slot(slot) if self.content(slot).is_some_and(|value| value == assumed.function));
        let Some(domain) = assumed.domain.filter(|_| is_itself) else { return Ok(None) };
        let Some(at) = self.bounds_of(argument, assumed)? else { return Ok(None) };
        let target = self.ends_of_set(assumed.target)?;
        let hull_of = |ends: Vec<Ends>| ends.first().zip(ends.last()).map(|(first, last)| (first.0, last.1));
        Ok(target.and_then(hull_of).filter(|_| includes(domain, at)))
    }
}

/// Whether something is shown: what is unknown is not.
fn shown(result: Result<bool, EvalError>) -> Result<bool, EvalError> {
    match result {
        Err(error) if error.kind != EvalErrorKind::Interrupted => Ok(false),
        other => other,
    }
}

fn as_interval((low, high): Ends) -> super::integer_sets::Interval {
    let number = |end: Option<i128>| end.and_then(|end| i64::try_from(end).ok()).map(bcheck_value::Integer::from);
    (number(low), number(high))
}

fn includes(around: Ends, inner: Ends) -> bool {
    let low = around.0.is_none_or(|low| inner.0.is_some_and(|inner| low <= inner));
    let high = around.1.is_none_or(|high| inner.1.is_some_and(|inner| inner <= high));
    low && high
}

fn meet(one: Ends, other: Ends) -> Ends {
    // The greater of the lower ends; a missing one precedes every number.
    (one.0.max(other.0), lesser(one.1, other.1))
}

fn hull(one: Ends, other: Ends) -> Ends {
    (one.0.zip(other.0).map(|(one, other)| one.min(other)), one.1.zip(other.1).map(|(one, other)| one.max(other)))
}

// An end that does not fit any more is left out: bounds may always be wider.

fn negated((low, high): Ends) -> Ends {
    (high.map(|high| -high), low.map(|low| -low))
}

fn sum(left: Ends, right: Ends) -> Ends {
    let add = |(one, other): (i128, i128)| one.checked_add(other);
    (left.0.zip(right.0).and_then(add), left.1.zip(right.1).and_then(add))
}

fn product(left: Ends, right: Ends) -> Ends {
    let is_natural = |ends: Ends| ends.0.is_some_and(|low| low >= 0);
    match (left, right) {
        ((Some(a), Some(b)), (Some(c), Some(d))) => {
            let corners = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            let all: Option<Vec<i128>> = corners.into_iter().collect();
            all.map_or((None, None), |all| (all.iter().min().copied(), all.iter().max().copied()))
        }
        _ if is_natural(left) && is_natural(right) => {
            let multiply = |(one, other): (i128, i128)| one.checked_mul(other);
            (left.0.zip(right.0).and_then(multiply).or(Some(0)), left.1.zip(right.1).and_then(multiply))
        }
        _ if is_natural(left) && is_natural(negated(right)) => negated(product(left, negated(right))),
        _ if is_natural(negated(left)) && is_natural(right) => negated(product(negated(left), right)),
        _ => (None, None),
    }
}

fn quotient(left: Ends, right: Ends) -> Option<Ends> {
    // Division by 0 has no value.
    let least = right.0.filter(|least| *least > 0)?;
    let down = |end: i128| if end > 0 { right.1.map_or(0, |most| end / most) } else { end / least };
    let up = |end: i128| if end > 0 { end / least } else { right.1.map_or(0, |most| end / most) };
    Some((left.0.map(down), left.1.map(up)))
}

fn remainder(left: Ends, right: Ends) -> Option<Ends> {
    // B defines it for natural numbers and positive divisors only.
    left.0.filter(|low| *low >= 0)?;
    right.0.filter(|low| *low > 0)?;
    let most = right.1.map(|most| most - 1);
    Some((Some(0), [most, left.1].into_iter().flatten().min()))
}
