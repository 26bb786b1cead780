//! Relations and functions that may be descriptions: application, images, domain and range.
//!
//! Invariant: on explicit relations everything is done by `value::relation`; descriptions give the same answers pair by pair.

use super::frame::{Flow, Frame};
use crate::error::{ill_defined, unbounded};
use crate::plan::{ExprPlan, Shape};
use crate::thresholds::{CLOSURE_VALUES, DESCRIBED_ITERATIONS, LISTED_ITERATIONS, WRITTEN_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::{IllDefined, Set, Symbolic, Value, relation};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

impl Frame<'_> {
    /// `f(x)`
    pub(super) fn apply(&mut self, function: &Value, argument: &Value, span: Span) -> Result<Value, EvalError> {
        match function {
            Value::Set(function) if !argument.holds_description() => {
                relation::apply(function, argument).or_else(|reason| ill_defined(reason, span))
            }
            Value::Set(_) | Value::Symbolic(_) => {
                let mut first: Option<Value> = None;
                let mut second: Option<Value> = None;
                // Equal values may come in different forms. Another value ends the visit, as this is no function then.
                self.related(function, argument, span, &mut |frame, value| {
                    match &first {
                        None => first = Some(value),
                        Some(known) if frame.equal(known, &value, span)? => {}
                        Some(_) => {
                            second = Some(value);
                            return Ok(Flow::Stop);
                        }
                    }
                    Ok(Flow::Continue)
                })?;
                match (first, second) {
                    (Some(value), None) => Ok(value),
                    (Some(first), Some(second)) => {
                        ill_defined(IllDefined::NotAFunction { argument: argument.clone(), first, second }, span)
                    }
                    (None, _) => ill_defined(IllDefined::NotInDomain { argument: argument.clone() }, span),
                }
            }
            _ => unreachable!("the type checker only allows functions to be applied"),
        }
    }

    /// `{a |-> b, …}(x)` without the values of the other arguments. All keys are evaluated and compared, because an argument with two
    /// values is an error regardless of the order in which they are listed.
    pub(super) fn apply_extension(&mut self, pairs: &[(ExprPlan, ExprPlan)], argument: &ExprPlan, span: Span) -> Result<Value, EvalError> {
        let argument = self.eval(argument)?;
        let mut found: Option<Value> = None;
        for (key, value) in pairs {
            let key = self.eval(key)?;
            if !self.equal(&key, &argument, span)? {
                continue;
            }
            let value = self.eval(value)?;
            let value = self.listed(value, span)?;
            // The same pair may be listed twice; another value for the argument makes the set no function there.
            match found.take() {
                Some(first) if !self.equal(&first, &value, span)? => {
                    return ill_defined(IllDefined::NotAFunction { argument, first, second: value }, span);
                }
                _ => found = Some(value),
            }
        }
        match found {
            Some(value) => Ok(value),
            None => ill_defined(IllDefined::NotInDomain { argument }, span),
        }
    }

    /// Visits everything that a relation relates to an argument, once.
    pub(super) fn related(
        &mut self,
        relation: &Value,
        argument: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        match relation {
            // Equal arguments may differ in form then, so the order of pairs does not find them.
            Value::Set(_) if argument.holds_description() => self.related_by_visiting(relation, argument, span, visitor),
            Value::Set(relation) => {
                for value in relation::related(relation, argument) {
                    if visitor(self, value.clone())? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            Value::Symbolic(symbolic) => self.related_symbolic(symbolic, argument, span, visitor),
            _ => unreachable!("the type checker only allows relations here"),
        }
    }

    /// Visits what a comprehension or lambda relates to an argument: in the direction of application, if its plan has it.
    pub(super) fn related_by_closure(
        &mut self,
        symbolic: &Symbolic,
        argument: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        let Symbolic::Closure { plan, captured } = symbolic else { unreachable!("called for closures only") };
        let plan = self.context.closures[*plan as usize].clone();
        match &plan.shape {
            Shape::Function { body, .. } => {
                let value = self.inside(&plan, captured, |frame| {
                    // The argument binds all names, so the condition is tested without a search.
                    frame.bind_tuple(&plan.locals, argument);
                    if frame.holds(&plan.search.source)? { frame.eval(body).map(Some) } else { Ok(None) }
                })?;
                // Called after `inside`, so that what the visitor evaluates does not count as nested in this closure.
                match value {
                    Some(value) => visitor(self, value),
                    None => Ok(Flow::Continue),
                }
            }
            Shape::Tuple { forward: Some(forward), .. } => {
                // The last name is searched for, with the others given.
                let (last, front) = plan.locals.split_last().expect("a relation has two locals");
                let given = |frame: &mut Self| frame.bind_tuple(front, argument);
                self.visit_inside(&plan, captured, forward, given, |frame| frame.get(*last, span).cloned(), visitor)
            }
            Shape::Tuple { forward: None, .. } | Shape::Image { .. } => {
                self.related_by_visiting(&Value::Symbolic(Arc::new(symbolic.clone())), argument, span, visitor)
            }
        }
    }

    /// Visits everything reachable from an argument by one or more steps of a relation: its transitive closure at this argument.
    pub(super) fn reached(
        &mut self,
        relation: &Value,
        argument: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Breadth first, so that near values are found even if infinitely many are reachable. The argument itself is reached only if a
        // cycle leads back to it.
        let (mut met, mut waiting) = (BTreeSet::new(), VecDeque::from([argument.clone()]));
        while let Some(from) = waiting.pop_front() {
            let mut next = Vec::new();
            self.related(relation, &from, span, &mut |frame, value| {
                frame.tick(span)?;
                next.push(frame.listed(value, span)?);
                Ok(Flow::Continue)
            })?;
            for value in next {
                if !met.insert(value.clone()) {
                    continue;
                }
                if met.len() > CLOSURE_VALUES.get() {
                    return unbounded(format!("closure1 (more than {} of one argument)", CLOSURE_VALUES.get()), span);
                }
                waiting.push_back(value.clone());
                if visitor(self, value)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Visits the arguments that a comprehension or lambda relates to a value; `None` if its plan has no search in this direction.
    pub(super) fn arguments_of(
        &mut self,
        relation: &Value,
        value: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Option<Flow>, EvalError> {
        let Value::Symbolic(symbolic) = relation else { return Ok(None) };
        let Symbolic::Closure { plan, captured } = &**symbolic else { return Ok(None) };
        let plan = self.context.closures[*plan as usize].clone();
        let (target, search, arguments) = match &plan.shape {
            Shape::Function { backward: Some((target, search)), .. } => (*target, search, plan.locals.as_slice()),
            Shape::Tuple { backward: Some(search), .. } => {
                let (last, front) = plan.locals.split_last().expect("a relation has two locals");
                (*last, search, front)
            }
            _ => return Ok(None),
        };
        // The value is given, and the search binds the names of the argument.
        let given = |frame: &mut Self| frame.set(target, value.clone());
        self.visit_inside(&plan, captured, search, given, |frame| frame.tuple(arguments, span), visitor).map(Some)
    }

    /// `r~`, pushed inwards by laws such as `(r ; s)~ = s~ ; r~`, to where a plan can search backwards.
    pub(super) fn inverse(&self, relation: &Value) -> Value {
        let symbolic = match relation {
            Value::Set(relation) => return Value::Set(relation::inverse(relation)),
            Value::Symbolic(symbolic) => symbolic,
            _ => unreachable!("typed as a relation"),
        };
        let described = |symbolic: Symbolic| Value::Symbolic(Arc::new(symbolic));
        match &**symbolic {
            Symbolic::Inverse(relation) => relation.clone(),
            // It is its own inverse.
            Symbolic::Identity(_) => relation.clone(),
            Symbolic::Product(from, to) => described(Symbolic::Product(to.clone(), from.clone())),
            Symbolic::Union(left, right) => described(Symbolic::Union(self.inverse(left), self.inverse(right))),
            Symbolic::Compose(first, then) => described(Symbolic::Compose(self.inverse(then), self.inverse(first))),
            Symbolic::ParallelProduct(left, right) => described(Symbolic::ParallelProduct(self.inverse(left), self.inverse(right))),
            Symbolic::DomainRestrict(set, relation, subtracted) => {
                described(Symbolic::RangeRestrict(self.inverse(relation), set.clone(), *subtracted))
            }
            Symbolic::RangeRestrict(relation, set, subtracted) => {
                described(Symbolic::DomainRestrict(set.clone(), self.inverse(relation), *subtracted))
            }
            _ => described(Symbolic::Inverse(relation.clone())),
        }
    }

    /// `iterate(r, n)` with n other than 0.
    pub(super) fn iterate(&mut self, relation: Value, times: &Value, span: Span) -> Result<Value, EvalError> {
        let Value::Integer(times) = times else { unreachable!("typed as an integer") };
        // No iteration at all is the identity on a type, to which it is lowered where the type is known.
        if times.is_negative() || times.is_zero() {
            return ill_defined(IllDefined::NegativeIteration, span);
        }
        let few = times.to_i64().filter(|times| *times <= DESCRIBED_ITERATIONS.get());
        if let Some(few) = few
            && self.explicit_relation(&relation, span)?.is_none()
        {
            // Nothing is enumerated: what the composition relates is found argument by argument.
            let composed = |whole, _| Value::Symbolic(Arc::new(Symbolic::Compose(whole, relation.clone())));
            return Ok((1..few).fold(relation.clone(), composed));
        }
        let times = times.to_big().to_biguint().expect("not negative");
        if times.bits() > LISTED_ITERATIONS.get() {
            return Err(EvalError { kind: EvalErrorKind::TooLarge, span });
        }
        let relation = self.explicit(&relation, span)?;
        Ok(Value::Set(relation::iterate(&self.in_one_form(relation, span)?, &times)))
    }

    /// Visits what a relation relates to an argument by looking at all of its pairs.
    pub(super) fn related_by_visiting(
        &mut self,
        relation: &Value,
        argument: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        self.visit(relation, span, &mut |frame, element| {
            let (first, second) = element.as_pair().expect("elements of a relation are pairs");
            if frame.equal(first, argument, span)? { visitor(frame, second.clone()) } else { Ok(Flow::Continue) }
        })
    }

    /// `r[S]`
    pub(super) fn image(&mut self, relation: &Value, set: &Value, span: Span) -> Result<Value, EvalError> {
        if let (Value::Set(relation), Value::Set(set)) = (relation, set)
            && !set.holds_description()
        {
            return Ok(Value::Set(self.merged(relation::image(relation, set), span)?));
        }
        let mut found = Vec::new();
        // Whichever is listed is visited: the pairs of the relation, or the elements of the set.
        if let Value::Set(relation) = relation {
            for pair in relation.iter() {
                let (first, second) = pair.as_pair().expect("elements of a relation are pairs");
                if self.member(first, set, span)? {
                    found.push(second.clone());
                }
            }
        } else {
            self.visit(set, span, &mut |frame, argument| {
                frame.related(relation, &argument, span, &mut |frame, value| {
                    let value = frame.listed(value, span)?;
                    found.push(value);
                    Ok(Flow::Continue)
                })
            })?;
        }
        Ok(Value::Set(self.set_of(found, span)?))
    }

    /// `dom(r)`
    pub(super) fn domain(&mut self, relation: &Value, span: Span) -> Result<Value, EvalError> {
        if let Some(set) = self.explicit_relation(relation, span)? {
            return Ok(Value::Set(self.merged(relation::domain(&set), span)?));
        }
        let described = self.symbolic_domain(relation, span, Self::domain)?;
        Ok(described.unwrap_or_else(|| Value::Symbolic(Arc::new(Symbolic::Domain(relation.clone())))))
    }

    /// `dom(r)` if its elements are visited next: `r` is written out at most once. [`Self::domain`] tries that, and on failure so does the
    /// visit of the symbolic domain that it returns, which would double the attempts with each link of a chain of compositions.
    pub(super) fn domain_to_visit(&mut self, relation: &Value, span: Span) -> Result<Value, EvalError> {
        match self.symbolic_domain(relation, span, Self::domain_to_visit)? {
            Some(domain) => Ok(domain),
            None => {
                let domain = relation::domain(&self.explicit(relation, span)?);
                Ok(Value::Set(self.merged(domain, span)?))
            }
        }
    }

    /// The relation written out if it is finite and not too large.
    pub(super) fn explicit_relation(&mut self, relation: &Value, span: Span) -> Result<Option<Set>, EvalError> {
        match relation {
            Value::Set(set) => Ok(Some(set.clone())),
            _ => self.try_explicit(relation, WRITTEN_SET.get(), span),
        }
    }
}
