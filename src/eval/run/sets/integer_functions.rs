//! The values of a function of one integer whose definition is quasi-affine, such as `%n.(n : NATURAL | n mod 100)`, as progressions.
//!
//! Sets of integers with such a condition, `{n | n : NATURAL & n mod 3 = 1}`, are compared by their conditions in the same way.
//! Invariant: exact. A definition that the value floor cannot express (`value::quasi_affine`) gives nothing, as does one whose condition is
//! ill-defined. Deliberately elsewhere: what follows for a membership in a set of functions (`function_spaces`).

use super::integer_sets::{Interval, complement, intersection};
use crate::plan::{ClosurePlan, ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Shape, Slot};
use crate::run::frame::Frame;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, Comparison, Type, UnaryOp};
use bcheck_value::progressions::{Ends, Progression};
use bcheck_value::quasi_affine::{Affine, Cases};
use bcheck_value::{Integer, Symbolic, Value};

/// The names of a definition in terms of `t = 0, 1, …`.
type Known = Vec<(Slot, Cases<Affine>)>;

/// A definition: the argument, the conditions on it, and the value with its name where it has one.
struct Definition<'p> {
    argument: Slot,
    conditions: Vec<&'p PredPlan>,
    value: &'p ExprPlan,
    named: Option<Slot>,
}

impl Frame<'_> {
    /// The values of a relation that is a quasi-affine function: each argument has one place in one of the progressions. `None` for all
    /// other relations.
    pub(super) fn values_of_integer_function(&mut self, relation: &Value) -> Result<Option<Vec<Progression>>, EvalError> {
        let Value::Symbolic(symbolic) = relation else { return Ok(None) };
        match &**symbolic {
            Symbolic::Identity(base) => {
                let Some(ends) = self.ends_of_set(base)? else { return Ok(None) };
                Ok(ends.into_iter().flat_map(halves).map(|half| named(half)?.values()).collect::<Option<Vec<_>>>().map(|all| all.concat()))
            }
            Symbolic::Closure { plan, captured } => self.values_within(*plan, captured, vec![(None, None)]),
            // Fewer arguments of a function that is one of these.
            Symbolic::DomainRestrict(set, relation, subtracted) => {
                let (Value::Symbolic(inner), Some(set)) = (relation, self.intervals(set)?) else { return Ok(None) };
                let Symbolic::Closure { plan, captured } = &**inner else { return Ok(None) };
                self.values_within(*plan, captured, if *subtracted { complement(&set) } else { set })
            }
            _ => Ok(None),
        }
    }

    /// The values for those arguments that lie in some intervals.
    fn values_within(&mut self, plan: u32, captured: &[Value], domain: Vec<Interval>) -> Result<Option<Vec<Progression>>, EvalError> {
        let plan = self.context.closures[plan as usize].clone();
        let Some(definition) = definition(&plan) else { return Ok(None) };
        self.inside(&plan, captured, |frame| {
            // Without values: an expression that reads a name of the comprehension in another way is an error, and not a number.
            frame.clear(&plan.bound);
            frame.values_by_definition(&definition, domain)
        })
    }

    fn values_by_definition(
        &mut self,
        definition: &Definition<'_>,
        mut domain: Vec<Interval>,
    ) -> Result<Option<Vec<Progression>>, EvalError> {
        let mut conditions = Vec::new();
        for condition in &definition.conditions {
            match self.intervals_of_conjunct(condition, definition.argument) {
                Ok(Some(intervals)) => domain = intersection(&domain, &intervals),
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Ok(None) | Err(_) => conditions.push(*condition),
            }
        }
        let Some(ends) = ends_of(&domain) else { return Ok(None) };
        let mut all = Vec::new();
        for half in ends.into_iter().flat_map(halves) {
            let Some(argument) = named(half) else { return Ok(None) };
            let mut known = vec![(definition.argument, argument)];
            let Some(mut value) = self.cases(definition.value, &known)? else { return Ok(None) };
            known.extend(definition.named.map(|slot| (slot, value.clone())));
            for condition in &conditions {
                let Some(holds) = self.truth(condition, &known)? else { return Ok(None) };
                let Some(rest) = value.where_true(&holds) else { return Ok(None) };
                value = rest;
            }
            let Some(values) = value.values() else { return Ok(None) };
            all.extend(values);
        }
        Ok(Some(all))
    }

    /// Whether one set of integers is part of another one, or equal to it, where both have quasi-affine conditions; `None` for other sets.
    pub(super) fn compared_by_conditions(&mut self, left: &Value, right: &Value, are_equal: bool) -> Result<Option<bool>, EvalError> {
        // Infinite in both directions, so that all integers are compared.
        for half in [(0, true, None), (-1, false, None)] {
            let Some(number) = named(half) else { return Ok(None) };
            let (Some(left), Some(right)) = (self.condition_of(left, &number)?, self.condition_of(right, &number)?) else {
                return Ok(None);
            };
            let Some(holds) = left.connected(&right, |left, right| if are_equal { left == right } else { !left || right }) else {
                return Ok(None);
            };
            if !holds.is_always(true) {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// For which numbers a set of integers has the number.
    fn condition_of(&mut self, set: &Value, number: &Cases<Affine>) -> Result<Option<Cases<bool>>, EvalError> {
        if let Some(intervals) = self.intervals(set)? {
            return Ok(ends_of(&intervals).and_then(|ends| is_within(number, &ends)));
        }
        let Value::Symbolic(symbolic) = set else { return Ok(None) };
        let both = |frame: &mut Self, left: &Value, right: &Value, connective: fn(bool, bool) -> bool| {
            let (Some(left), Some(right)) = (frame.condition_of(left, number)?, frame.condition_of(right, number)?) else {
                return Ok(None);
            };
            Ok(left.connected(&right, connective))
        };
        match &**symbolic {
            Symbolic::Union(left, right) => both(self, left, right, |one, other| one || other),
            Symbolic::Intersection(left, right) => both(self, left, right, |one, other| one && other),
            Symbolic::Difference(left, right) => both(self, left, right, |one, other| one && !other),
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                let (Shape::Tuple { .. }, [Type::Integer], [slot]) = (&plan.shape, plan.types.as_slice(), plan.locals.as_slice()) else {
                    return Ok(None);
                };
                self.inside(&plan, captured, |frame| {
                    frame.clear(&plan.bound);
                    frame.truth(&plan.search.source, &vec![(*slot, number.clone())])
                })
            }
            // The arguments of a relation that is a function by its form.
            Symbolic::Domain(Value::Symbolic(relation)) => {
                let Symbolic::Closure { plan, captured } = &**relation else { return Ok(None) };
                let plan = self.context.closures[*plan as usize].clone();
                let Some(definition) = definition(&plan) else { return Ok(None) };
                self.inside(&plan, captured, |frame| {
                    frame.clear(&plan.bound);
                    let mut known = vec![(definition.argument, number.clone())];
                    let Some(value) = frame.cases(definition.value, &known)? else { return Ok(None) };
                    known.extend(definition.named.map(|slot| (slot, value)));
                    let Some(mut all) = number.compared([true; 3]) else { return Ok(None) };
                    for condition in &definition.conditions {
                        if all.is_always(false) {
                            break;
                        }
                        let Some(holds) = frame.truth(condition, &known)? else { return Ok(None) };
                        let Some(both) = all.connected(&holds, |one, other| one && other) else { return Ok(None) };
                        all = both;
                    }
                    Ok(Some(all))
                })
            }
            _ => Ok(None),
        }
    }

    /// An integer expression as a function of `t`.
    fn cases(&mut self, expr: &ExprPlan, known: &Known) -> Result<Option<Cases<Affine>>, EvalError> {
        if expr.ty != Type::Integer {
            return Ok(None);
        }
        let domain = &known[0].1;
        match &expr.kind {
            ExprPlanKind::Slot(slot) if known.iter().any(|(other, _)| other == slot) => {
                Ok(known.iter().find(|(other, _)| other == slot).map(|(_, cases)| cases.clone()))
            }
            ExprPlanKind::Unary(UnaryOp::Negate, inner) => Ok(self.cases(inner, known)?.and_then(|inner| inner.negated())),
            ExprPlanKind::Binary(
                op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo),
                left,
                right,
            ) => {
                let (Some(left), Some(right)) = (self.cases(left, known)?, self.cases(right, known)?) else { return Ok(None) };
                Ok(match op {
                    BinaryOp::Add => left.plus(&right),
                    BinaryOp::Subtract => left.minus(&right),
                    BinaryOp::Multiply => left.times(&right),
                    BinaryOp::Divide => left.divided(&right),
                    _ => left.modulo(&right),
                })
            }
            ExprPlanKind::If(condition, then, otherwise) => {
                let Some(condition) = self.truth(condition, known)? else { return Ok(None) };
                let (Some(then), Some(otherwise)) = (self.cases(then, known)?, self.cases(otherwise, known)?) else { return Ok(None) };
                Ok(then.selected(&condition, &otherwise))
            }
            _ => Ok(self.closed_number(expr)?.map(|number| domain.constant(number))),
        }
    }

    /// The value of an integer expression that reads no name without value, if it fits.
    pub(super) fn closed_number(&mut self, expr: &ExprPlan) -> Result<Option<i128>, EvalError> {
        Ok(self.closed_value(expr)?.as_ref().and_then(Value::as_integer).and_then(Integer::to_i64).map(i128::from))
    }

    /// A set of integers as intervals of the value floor, if it is a union of such.
    pub(super) fn ends_of_set(&mut self, set: &Value) -> Result<Option<Vec<Ends>>, EvalError> {
        Ok(self.intervals(set)?.as_deref().and_then(ends_of))
    }

    /// A condition as a truth value for each `t`.
    fn truth(&mut self, pred: &PredPlan, known: &Known) -> Result<Option<Cases<bool>>, EvalError> {
        Ok(match &pred.kind {
            PredPlanKind::Constant(holds) => known[0].1.compared([*holds; 3]),
            PredPlanKind::Not(inner) => self.truth(inner, known)?.and_then(|inner| inner.connected(&inner, |holds, _| !holds)),
            PredPlanKind::And(parts) => self.connected(parts, known, false)?,
            PredPlanKind::Or(parts) => self.connected(parts, known, true)?,
            PredPlanKind::Implies(left, right) => {
                let (Some(left), Some(right)) = (self.truth(left, known)?, self.truth(right, known)?) else { return Ok(None) };
                left.connected(&right, |one, other| !one || other)
            }
            PredPlanKind::Equivalent(left, right) => {
                let (Some(left), Some(right)) = (self.truth(left, known)?, self.truth(right, known)?) else { return Ok(None) };
                left.connected(&right, |one, other| one == other)
            }
            PredPlanKind::Compare(comparison @ (Comparison::Member | Comparison::NotMember), element, set) => {
                let Some(element) = self.cases(element, known)? else { return Ok(None) };
                let Some(set) = self.closed_value(set)? else { return Ok(None) };
                let Some(ends) = self.ends_of_set(&set)? else { return Ok(None) };
                let is_member = *comparison == Comparison::Member;
                is_within(&element, &ends).and_then(|inside| inside.connected(&inside, |holds, _| holds == is_member))
            }
            PredPlanKind::MemberOfExtension(element, items, negated) => {
                let Some(element) = self.cases(element, known)? else { return Ok(None) };
                let Some(mut found) = element.compared([*negated; 3]) else { return Ok(None) };
                for item in items {
                    let Some(item) = self.cases(item, known)? else { return Ok(None) };
                    let is_item = element.minus(&item).and_then(|difference| difference.compared([*negated, !*negated, *negated]));
                    let connective = |one: bool, other: bool| if *negated { one && other } else { one || other };
                    let Some(all) = is_item.and_then(|is_item| found.connected(&is_item, connective)) else { return Ok(None) };
                    found = all;
                }
                Some(found)
            }
            PredPlanKind::Compare(comparison, left, right) => {
                let truth = match comparison {
                    Comparison::Equal => [false, true, false],
                    Comparison::NotEqual => [true, false, true],
                    Comparison::Less => [true, false, false],
                    Comparison::LessEqual => [true, true, false],
                    Comparison::Greater => [false, false, true],
                    Comparison::GreaterEqual => [false, true, true],
                    _ => return Ok(None),
                };
                let (Some(left), Some(right)) = (self.cases(left, known)?, self.cases(right, known)?) else { return Ok(None) };
                left.minus(&right).and_then(|difference| difference.compared(truth))
            }
            _ => None,
        })
    }

    /// A conjunction (`deciding`: false) or disjunction (`deciding`: true).
    fn connected(&mut self, parts: &[PredPlan], known: &Known, deciding: bool) -> Result<Option<Cases<bool>>, EvalError> {
        let connective = |one: bool, other: bool| if deciding { one || other } else { one && other };
        let mut all: Option<Cases<bool>> = None;
        for part in parts {
            // Decided everywhere, so that later parts may be ill-defined: `n : NATURAL & n mod 2 = 0` for the negative numbers.
            if all.as_ref().is_some_and(|all| all.is_always(deciding)) {
                return Ok(all);
            }
            let Some(part) = self.truth(part, known)? else { return Ok(None) };
            all = match all {
                None => Some(part),
                Some(all) => match all.connected(&part, connective) {
                    Some(all) => Some(all),
                    None => return Ok(None),
                },
            };
        }
        Ok(all)
    }
}

/// The definition of a comprehension that is a function of one integer by its form.
fn definition(plan: &ClosurePlan) -> Option<Definition<'_>> {
    let conjuncts = match &plan.search.source.kind {
        PredPlanKind::And(conjuncts) => conjuncts.as_slice(),
        _ => std::slice::from_ref(&*plan.search.source),
    };
    match (&plan.shape, plan.types.as_slice(), plan.locals.as_slice()) {
        (Shape::Function { body, .. }, [Type::Integer], [argument]) => {
            Some(Definition { argument: *argument, conditions: conjuncts.iter().collect(), value: body, named: None })
        }
        (Shape::Tuple { .. }, [Type::Integer, Type::Integer], [argument, name]) => {
            let is_name = |expr: &ExprPlan| matches!(expr.kind, ExprPlanKind::Slot(slot) if slot == *name);
            let (at, value) = conjuncts.iter().enumerate().find_map(|(at, conjunct)| match &conjunct.kind {
                // The other side is a function of the argument alone, or has no cases.
                PredPlanKind::Compare(Comparison::Equal, left, right) if is_name(left) => Some((at, &**right)),
                PredPlanKind::Compare(Comparison::Equal, left, right) if is_name(right) => Some((at, &**left)),
                _ => None,
            })?;
            let conditions = conjuncts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, conjunct)| conjunct).collect();
            Some(Definition { argument: *argument, conditions, value, named: Some(*name) })
        }
        _ => None,
    }
}

/// Whether values lie in one of some intervals.
fn is_within(value: &Cases<Affine>, intervals: &[Ends]) -> Option<Cases<bool>> {
    let mut found = value.compared([false; 3])?;
    for (low, high) in intervals {
        let mut inside = value.compared([true; 3])?;
        if let Some(low) = low {
            let above = value.minus(&value.constant(*low))?.compared([false, true, true])?;
            inside = inside.connected(&above, |one, other| one && other)?;
        }
        if let Some(high) = high {
            let below = value.minus(&value.constant(*high))?.compared([true, true, false])?;
            inside = inside.connected(&below, |one, other| one && other)?;
        }
        found = found.connected(&inside, |one, other| one || other)?;
    }
    Some(found)
}

/// The ends of intervals as numbers of the value floor, if they fit.
pub(super) fn ends_of(intervals: &[Interval]) -> Option<Vec<Ends>> {
    let end = |number: &Option<Integer>| match number {
        None => Some(None),
        Some(number) => number.to_i64().map(|number| Some(i128::from(number))),
    };
    intervals.iter().map(|(low, high)| Some((end(low)?, end(high)?))).collect()
}

/// A domain counted from 0: its first number, whether it rises from there, and how many numbers it has.
type Half = (i128, bool, Option<i128>);

/// An interval as one or two of these, so that all numbers of each have one sign if it is infinite.
fn halves((low, high): Ends) -> Vec<Half> {
    match (low, high) {
        (Some(low), Some(high)) => vec![(low, true, Some(high - low + 1))],
        (Some(low), None) => vec![(low, true, None)],
        (None, Some(high)) => vec![(high, false, None)],
        (None, None) => vec![(0, true, None), (-1, false, None)],
    }
}

/// The number at each place of a half.
fn named((first, rises, count): Half) -> Option<Cases<Affine>> {
    let place = Cases::identity(count);
    let signed = if rises { place.clone() } else { place.negated()? };
    signed.plus(&place.constant(first))
}
