//! Evaluating predicates.
//!
//! Invariant: `&`, `or`, `=>` are evaluated from left to right and stop as soon as the result is known, as B users rely on for
//! well-definedness (`x : dom(f) & f(x) = y`). An undecidable part is *unknown*, an error for which `EvalErrorKind::is_undecided` holds,
//! and connectives are those of Kleene's strong three-valued logic: an unknown part never hides one that decides the whole.

use super::doubts::Noted;
use super::frame::{Flow, Frame};
use crate::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Search};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, Comparison};
use bcheck_source::Span;
use bcheck_value::{Set, Value};

impl Frame<'_> {
    /// Whether a predicate holds.
    pub(crate) fn holds(&mut self, plan: &PredPlan) -> Result<bool, EvalError> {
        match &plan.kind {
            PredPlanKind::Constant(value) => Ok(*value),
            PredPlanKind::And(parts) => self.first_deciding(parts, false),
            PredPlanKind::Or(parts) => self.first_deciding(parts, true),
            PredPlanKind::Not(inner) => Ok(!self.holds(inner)?),
            // Left to right as with `&`: a false hypothesis makes the conclusion irrelevant, even if that is ill-defined.
            PredPlanKind::Implies(left, right) => match self.holds(left) {
                Ok(hypothesis) => Ok(!hypothesis || self.holds(right)?),
                Err(unknown) if unknown.kind.is_undecided() => self.unless_decided(right, true, unknown),
                Err(error) => Err(error),
            },
            PredPlanKind::Equivalent(left, right) => Ok(self.holds(left)? == self.holds(right)?),
            PredPlanKind::Compare(comparison, left, right) => self.compare(*comparison, left, right, plan.span),
            PredPlanKind::MemberOfExtension(element, items, negated) => {
                let element = self.eval(element)?;
                let (mut found, mut unknown) = (false, None);
                for item in items {
                    let item = self.eval(item)?;
                    // Every item is evaluated, even after a match: an ill-defined one makes the whole set ill-defined.
                    match self.equal(&element, &item, plan.span) {
                        Ok(is_equal) => found |= is_equal,
                        Err(error) if error.kind.is_undecided() => unknown = unknown.or(Some(error)),
                        Err(error) => return Err(error),
                    }
                }
                match unknown {
                    Some(error) if !found => Err(error),
                    _ => Ok(found != *negated),
                }
            }
            PredPlanKind::Forall(search, body) => self.for_all(search, body),
            PredPlanKind::Exists(search) => self.exists(search),
            PredPlanKind::If(condition, then, otherwise) => match self.holds(condition) {
                Ok(true) => self.holds(then),
                Ok(false) => self.holds(otherwise),
                // Both branches may agree.
                Err(unknown) if unknown.kind.is_undecided() => match self.holds(then) {
                    Ok(holds) => self.unless_decided(otherwise, holds, unknown),
                    Err(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
                    Err(_) => Err(unknown),
                },
                Err(error) => Err(error),
            },
            PredPlanKind::Let(bindings, body) => {
                for (slot, value) in bindings {
                    let value = self.eval(value)?;
                    self.set(*slot, value);
                }
                self.holds(body)
            }
            PredPlanKind::Finite(set) => {
                let value = self.eval(set)?;
                self.is_finite(&value, set.span)
            }
            PredPlanKind::Partition(set, parts) => self.partition(set, parts, plan.span),
        }
    }

    /// The truth value of a conjunction (`deciding`: false) or disjunction (`deciding`: true): the value of the first part that has the
    /// deciding one, else the other one.
    fn first_deciding(&mut self, parts: &[PredPlan], deciding: bool) -> Result<bool, EvalError> {
        let mut unknown = None;
        for part in parts {
            match self.holds(part) {
                Ok(holds) if holds == deciding => return Ok(deciding),
                Ok(_) => {}
                Err(error) if error.kind.is_undecided() => unknown = unknown.or(Some(error)),
                // An earlier unknown part may exclude this one, so the whole is unknown, whatever follows.
                Err(error) if error.kind.is_ill_defined() => return Err(unknown.unwrap_or(error)),
                Err(error) => return Err(error),
            }
        }
        unknown.map_or(Ok(!deciding), Err)
    }

    /// `deciding`, if a part has this truth value; else the whole stays unknown for this reason.
    fn unless_decided(&mut self, part: &PredPlan, deciding: bool, unknown: EvalError) -> Result<bool, EvalError> {
        match self.holds(part) {
            Ok(holds) if holds == deciding => Ok(deciding),
            Err(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
            _ => Err(unknown),
        }
    }

    /// Whether each binding of a search satisfies the body.
    #[inline]
    fn for_all(&mut self, search: &Search, body: &PredPlan) -> Result<bool, EvalError> {
        // False wins over unknown, and unknown over ill-defined, whatever comes first: the order of elements must not matter.
        let (mut all, mut ill, mut unknown) = (true, None, None);
        // A binding whose hypothesis is ill-defined is noted, one whose hypothesis is unknown leaves the whole unknown unless its body is
        // true; the visit continues, as a later one may be a counterexample.
        let noted = self.run_noting_all(search, &mut |frame| {
            let hypothesis = frame.doubts.unknown_binding.take();
            match (frame.holds(body), hypothesis) {
                (Ok(true), _) => {}
                (Err(error), _) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                (_, Some(reason)) => unknown = unknown.take().or(Some(reason)),
                (Ok(false), None) => all = false,
                (Err(error), None) if error.kind.is_ill_defined() => ill = ill.take().or(Some(error)),
                (Err(error), None) => unknown = unknown.take().or(Some(error)),
            }
            Ok(if all { Flow::Continue } else { Flow::Stop })
        });
        match noted {
            _ if !all => Ok(false),
            Ok(Noted { undecided, ill_defined }) => match undecided.or(unknown).or(ill_defined).or(ill) {
                Some(error) => Err(error),
                None => Ok(true),
            },
            // A search that could not be finished decides no more than one with an unknown binding.
            Err(error) => Err(error),
        }
    }

    /// Whether a search has a binding.
    #[inline]
    fn exists(&mut self, search: &Search) -> Result<bool, EvalError> {
        // True wins over unknown, and unknown over ill-defined, whatever comes first.
        let mut found = false;
        let noted = self.run_noting(search, &mut |_| {
            found = true;
            Ok(Flow::Stop)
        })?;
        match noted.error() {
            Some(error) if !found => Err(error),
            _ => Ok(found),
        }
    }

    fn compare(&mut self, comparison: Comparison, left: &ExprPlan, right: &ExprPlan, span: Span) -> Result<bool, EvalError> {
        let a = self.eval(left)?;
        // Without the value of the set: many memberships are decided from the parts of its expression.
        if let Comparison::Member | Comparison::NotMember = comparison {
            let inside = self.member_of_plan(&a, right, span)?;
            return Ok(inside == (comparison == Comparison::Member));
        }
        let b = self.eval(right)?;
        match comparison {
            Comparison::Equal => self.equal(&a, &b, span),
            Comparison::NotEqual => Ok(!self.equal(&a, &b, span)?),
            Comparison::Member | Comparison::NotMember => unreachable!("decided above"),
            Comparison::Subset => self.subset(&a, &b, span),
            Comparison::NotSubset => Ok(!self.subset(&a, &b, span)?),
            Comparison::StrictSubset => Ok(self.subset(&a, &b, span)? && !self.equal(&a, &b, span)?),
            Comparison::NotStrictSubset => Ok(!self.subset(&a, &b, span)? || self.equal(&a, &b, span)?),
            Comparison::Less | Comparison::LessEqual | Comparison::Greater | Comparison::GreaterEqual => {
                let (Value::Integer(a), Value::Integer(b)) = (&a, &b) else { unreachable!("typed as integers") };
                Ok(match comparison {
                    Comparison::Less => a < b,
                    Comparison::LessEqual => a <= b,
                    Comparison::Greater => a > b,
                    _ => a >= b,
                })
            }
        }
    }

    /// Membership in the value of a plan; unions, intersections and differences are not built for it. Both operands are evaluated in any
    /// case, because either may be ill-defined.
    fn member_of_plan(&mut self, element: &Value, set: &ExprPlan, span: Span) -> Result<bool, EvalError> {
        match &set.kind {
            ExprPlanKind::Closure(plan) => self.member_of_closure(plan, element, span),
            ExprPlanKind::Binary(op @ (BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference), left, right) => {
                let in_left = self.member_of_plan(element, left, span)?;
                let in_right = self.member_of_plan(element, right, span)?;
                Ok(match op {
                    BinaryOp::Union => in_left || in_right,
                    BinaryOp::Intersection => in_left && in_right,
                    _ => in_left && !in_right,
                })
            }
            _ => {
                let set = self.eval(set)?;
                self.member(element, &set, span)
            }
        }
    }

    /// The parts are pairwise disjoint and their union is the set.
    fn partition(&mut self, set: &ExprPlan, parts: &[ExprPlan], span: Span) -> Result<bool, EvalError> {
        let whole = self.eval(set)?;
        let mut union = Value::Set(Set::empty());
        for part in parts {
            let value = self.eval(part)?;
            let value = Value::Set(self.explicit(&value, part.span)?);
            // Parts are pairwise disjoint exactly if each is disjoint from the union of those before it. Both are explicit, so these are
            // too; the operators of expressions also find elements in another form.
            let common = self.intersection(union.clone(), value.clone(), part.span)?;
            if !self.is_empty(&common, part.span)? {
                return Ok(false);
            }
            union = self.union(union, value, part.span)?;
        }
        self.equal(&whole, &union, span)
    }
}
