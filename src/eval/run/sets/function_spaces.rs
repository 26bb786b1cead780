//! Membership in sets of relations and functions.
//!
//! An explicit relation is tested against the conditions of its kind. For a symbolic one, such as `%x.(x : NATURAL | x + 1)`, each
//! condition is decided separately: by the form of the relation, by the values of a quasi-affine function (`integer_functions`), by bounds
//! (`value_bounds`), or by a few samples.
//! Invariant: true and false are certain; an undecided condition makes the membership unknown, unless another one is false.

use crate::plan::{ExprPlanKind, PredPlanKind, Shape};
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{SAMPLED_TARGETS, SAMPLED_VALUES, SAMPLED_WORK, WRITTEN_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{Comparison, FunctionKind, Type};
use bcheck_source::Span;
use bcheck_value::listed_products::{is_product_of_lists, maps_lists};
use bcheck_value::progressions::{are_distinct, cover, lie_within};
use bcheck_value::samples::samples;
use bcheck_value::{Set, Symbolic, Value, relation, space};
use std::sync::Arc;

/// What a few sample arguments prove about a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    /// It is not in the set.
    Refuted,
    /// It has no value somewhere.
    IllDefined,
    Nothing,
}

/// The decision on a condition; `None` if unknown.
type Decision = Option<bool>;

impl Frame<'_> {
    pub(super) fn member_of_functions(
        &mut self,
        element: &Value,
        kind: FunctionKind,
        from: &Value,
        to: &Value,
        span: Span,
    ) -> Result<bool, EvalError> {
        let explicit = match element {
            Value::Set(explicit) => explicit.clone(),
            _ => match self.try_explicit(element, WRITTEN_SET.get(), span)? {
                Some(explicit) => explicit,
                None => return self.is_symbolic_function(element, kind, from, to, span),
            },
        };
        if let (Value::Set(from), Value::Set(to)) = (from, to)
            && ![&explicit, from, to].into_iter().any(Set::holds_description)
        {
            return Ok(space::satisfies(kind, &explicit, from, to));
        }
        if is_product_of_lists(from) && is_product_of_lists(to) && !explicit.holds_description() {
            return Ok(maps_lists(kind, &explicit, from, to));
        }
        if (kind.is_functional() && !self.is_functional(&explicit, span)?)
            || (kind.is_injective() && !self.is_injective(&explicit, span)?)
        {
            return Ok(false);
        }
        let domain = Value::Set(self.merged(relation::domain(&explicit), span)?);
        let range = Value::Set(self.merged(relation::range(&explicit), span)?);
        // Total: the domain is all of `from`, else a part of it. Surjective: likewise for the range and `to`.
        let fits = |frame: &mut Self, part: &Value, whole: &Value, all: bool| {
            if all { frame.equal(part, whole, span) } else { frame.subset(part, whole, span) }
        };
        Ok(fits(self, &domain, from, kind.is_total())? && fits(self, &range, to, kind.is_surjective())?)
    }

    /// Whether no argument of a written-out relation has two values.
    fn is_functional(&mut self, relation: &Set, span: Span) -> Result<bool, EvalError> {
        if !relation.holds_description() {
            return Ok(relation::is_function(relation));
        }
        // Arguments of different forms may be the same set, so forms do not decide it.
        Ok(self.merged(relation::domain(relation), span)?.len() == relation.len())
    }

    /// Whether no value of a written-out relation has two arguments.
    pub(super) fn is_injective(&mut self, relation: &Set, span: Span) -> Result<bool, EvalError> {
        Ok(self.merged(relation::range(relation), span)?.len() == relation.len())
    }

    /// Whether a symbolic relation is in a set of relations: the conditions on its domain, its values and shared values are decided
    /// separately, and a false one wins over undecided ones.
    fn is_symbolic_function(
        &mut self,
        element: &Value,
        kind: FunctionKind,
        from: &Value,
        to: &Value,
        span: Span,
    ) -> Result<bool, EvalError> {
        let pairs = Value::Symbolic(Arc::new(Symbolic::Product(from.clone(), to.clone())));
        if kind == FunctionKind::Relations && self.is_shown_within(element, &pairs, span)? {
            return Ok(true);
        }
        let domain = match self.domain(element, span) {
            Ok(domain) if kind.is_total() => {
                let domain = self.as_product(&domain)?.unwrap_or(domain);
                self.equal(&domain, from, span)
            }
            Ok(domain) => self.subset(&domain, from, span),
            Err(error) => Err(error),
        };
        let domain = match domain {
            Ok(fits) => Some(fits),
            Err(error) if error.kind.is_undecided() => None,
            Err(error) => return Err(error),
        };
        if domain == Some(false) {
            return Ok(false);
        }
        let mut demands = vec![domain];
        if let Some(of_values) = self.demands_on_integers(element, kind, to)? {
            demands.extend(of_values);
        } else {
            let sampled = self.sampled(element, kind, from, to, span)?;
            let is_within = self.values_shown_within(element, to, span)? && sampled != Sampled::IllDefined;
            demands.push(if sampled == Sampled::Refuted { Some(false) } else { is_within.then_some(true) });
            if kind.is_functional() {
                demands.push(self.is_function(element).then_some(true));
            }
            if kind.is_injective() {
                demands.push(self.is_injection(element).then_some(true));
            }
            if kind.is_surjective() {
                demands.push(self.reaches_all(element, to, span)?);
            }
        }
        if demands.contains(&Some(false)) {
            return Ok(false);
        }
        if demands.iter().all(Option::is_some) {
            return Ok(true);
        }
        let what = "whether this infinite relation is in this set of relations or functions".to_owned();
        Err(EvalError { kind: EvalErrorKind::Undecided(what), span })
    }

    /// A comprehension whose conditions restrict each name to a set, as the product of these sets: `{x, y | x : S & y : T}` is `S * T`.
    fn as_product(&mut self, set: &Value) -> Result<Option<Value>, EvalError> {
        let Value::Symbolic(symbolic) = set else { return Ok(None) };
        let Symbolic::Closure { plan, captured } = &**symbolic else { return Ok(None) };
        let plan = self.context.closures[*plan as usize].clone();
        let (Shape::Tuple { .. }, PredPlanKind::And(conditions)) = (&plan.shape, &plan.search.source.kind) else { return Ok(None) };
        self.inside(&plan, captured, |frame| {
            frame.clear(&plan.bound);
            let mut sets: Vec<Option<Value>> = vec![None; plan.locals.len()];
            for condition in conditions {
                let PredPlanKind::Compare(Comparison::Member, name, value) = &condition.kind else { return Ok(None) };
                let ExprPlanKind::Slot(slot) = name.kind else { return Ok(None) };
                let Some(at) = plan.locals.iter().position(|local| *local == slot) else { return Ok(None) };
                // A set that reads a name has no value here.
                let Some(value) = frame.closed_value(value)? else { return Ok(None) };
                sets[at] = Some(match sets[at].take() {
                    Some(other) => Value::Symbolic(Arc::new(Symbolic::Intersection(other, value))),
                    None => value,
                });
            }
            let sets: Option<Vec<Value>> = sets.into_iter().collect();
            Ok(sets.and_then(|sets| sets.into_iter().reduce(|left, right| Value::Symbolic(Arc::new(Symbolic::Product(left, right))))))
        })
    }

    /// The demands on the values of a quasi-affine function, where `to` is a union of intervals.
    fn demands_on_integers(&mut self, element: &Value, kind: FunctionKind, to: &Value) -> Result<Option<Vec<Decision>>, EvalError> {
        let Some(values) = self.values_of_integer_function(element)? else { return Ok(None) };
        let Some(target) = self.ends_of_set(to)? else { return Ok(None) };
        let mut demands = vec![Some(lie_within(&values, &target))];
        if kind.is_injective() {
            demands.push(are_distinct(&values));
        }
        if kind.is_surjective() {
            demands.push(cover(&values, &target));
        }
        Ok(Some(demands))
    }

    /// Whether a relation relates something to each element of a set; `None` where that is not known.
    fn reaches_all(&mut self, relation: &Value, to: &Value, span: Span) -> Result<Decision, EvalError> {
        let (targets, are_all) = match to {
            Value::Set(set) if set.len() <= SAMPLED_TARGETS.get() => (set.iter().collect(), true),
            _ => (self.sample_arguments(to), false),
        };
        let inverse = self.inverse(relation);
        let mut is_open = !are_all;
        for target in targets {
            if !self.member(&target, to, span)? {
                continue;
            }
            let mut is_reached = false;
            let looked = self.within_work(SAMPLED_WORK.get(), |frame| {
                frame.related(&inverse, &target, span, &mut |_, _| {
                    is_reached = true;
                    Ok(Flow::Stop)
                })
            });
            match looked {
                Ok(_) if is_reached => {}
                Ok(Some(_)) => return Ok(Some(false)),
                Ok(None) => is_open = true,
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Err(_) => is_open = true,
            }
        }
        Ok((!is_open).then_some(true))
    }

    /// Whether the description of a relation shows that it is a function.
    pub(in crate::run) fn is_function(&self, set: &Value) -> bool {
        let symbolic = match set {
            Value::Symbolic(symbolic) => symbolic,
            Value::Set(set) => return !set.holds_description() && relation::is_function(set),
            _ => return false,
        };
        match &**symbolic {
            Symbolic::Closure { plan, .. } => matches!(self.context.closures[*plan as usize].shape, Shape::Function { .. }),
            Symbolic::Identity(_) => true,
            Symbolic::Product(_, Value::Set(to)) => to.len() <= 1,
            // Removing pairs preserves functionality.
            Symbolic::Difference(of, _) | Symbolic::DomainRestrict(_, of, _) | Symbolic::RangeRestrict(of, ..) => self.is_function(of),
            Symbolic::Intersection(left, right) => self.is_function(left) || self.is_function(right),
            Symbolic::Override(left, right)
            | Symbolic::Compose(left, right)
            | Symbolic::DirectProduct(left, right)
            | Symbolic::ParallelProduct(left, right) => self.is_function(left) && self.is_function(right),
            Symbolic::Inverse(of) => self.is_injection(of),
            _ => false,
        }
    }

    /// Whether the description of a relation shows that no two arguments share a value.
    fn is_injection(&self, set: &Value) -> bool {
        let symbolic = match set {
            Value::Symbolic(symbolic) => symbolic,
            Value::Set(set) => return !set.holds_description() && relation::is_function(&relation::inverse(set)),
            _ => return false,
        };
        match &**symbolic {
            Symbolic::Identity(_) => true,
            Symbolic::Product(Value::Set(from), _) => from.len() <= 1,
            Symbolic::Difference(of, _) | Symbolic::DomainRestrict(_, of, _) | Symbolic::RangeRestrict(of, ..) => self.is_injection(of),
            Symbolic::Intersection(left, right) => self.is_injection(left) || self.is_injection(right),
            Symbolic::Compose(left, right) | Symbolic::ParallelProduct(left, right) => self.is_injection(left) && self.is_injection(right),
            Symbolic::Inverse(of) => self.is_function(of),
            _ => false,
        }
    }

    /// What a few sample arguments prove about a symbolic relation: it is not in a set of functions if they are related to a value outside
    /// of `to`, to several values, or to a value that another one is related to.
    fn sampled(&mut self, relation: &Value, kind: FunctionKind, from: &Value, to: &Value, span: Span) -> Result<Sampled, EvalError> {
        let mut met: Vec<Value> = Vec::new();
        let mut shown = Sampled::Nothing;
        for argument in self.sample_arguments(from) {
            let (mut count, mut is_refuted) = (0, false);
            let mut values = Vec::new();
            let looked = self.within_work(SAMPLED_WORK.get(), |frame| {
                frame.related(relation, &argument, span, &mut |frame, value| {
                    count += 1;
                    // One value may come in several forms. Where that is not decided, the error below shows nothing.
                    let is_another = match values.first() {
                        Some(first) if kind.is_functional() => !frame.equal(first, &value, span)?,
                        _ => false,
                    };
                    is_refuted = is_another || !frame.member(&value, to, span)?;
                    values.push(value);
                    // That each argument has one value is known after the second.
                    Ok(if is_refuted || count == SAMPLED_VALUES.get() { Flow::Stop } else { Flow::Continue })
                })
            });
            match looked {
                // Too much work shows nothing.
                Ok(None) => continue,
                Ok(_) if is_refuted => return Ok(Sampled::Refuted),
                Ok(_) if count == 0 && kind.is_total() && self.member(&argument, from, span)? => return Ok(Sampled::Refuted),
                Ok(_) => {}
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Err(error) if error.kind.is_ill_defined() => {
                    shown = Sampled::IllDefined;
                    continue;
                }
                // Arguments that cannot be evaluated prove nothing.
                Err(_) => continue,
            }
            if kind.is_injective() && values.iter().any(|value| met.contains(value)) {
                return Ok(Sampled::Refuted);
            }
            met.append(&mut values);
        }
        Ok(shown)
    }

    /// Sample values of the type of a set of integers, strings or pairs of them; no values for other sets.
    fn sample_arguments(&mut self, set: &Value) -> Vec<Value> {
        let Value::Symbolic(symbolic) = set else { return Vec::new() };
        let ty = match &**symbolic {
            Symbolic::Integers(_) | Symbolic::Interval(..) => Type::Integer,
            Symbolic::Strings => Type::String,
            Symbolic::Product(left, right) => {
                let rights = self.sample_arguments(right);
                let pairs = |left: Value| rights.iter().map(move |right| Value::pair(left.clone(), right.clone())).collect::<Vec<_>>();
                return self.sample_arguments(left).into_iter().flat_map(pairs).collect();
            }
            _ => return Vec::new(),
        };
        samples(&ty)
    }
}
