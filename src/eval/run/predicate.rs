//! Evaluating predicates.
//!
//! Invariant: `&`, `or`, `=>` are evaluated from left to right and stop as soon as the result is known, as B users rely on for
//! well-definedness (`x : dom(f) & f(x) = y`).

use super::frame::{Flow, Frame};
use crate::eval::EvalError;
use crate::eval::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Search};
use crate::ir::{BinaryOp, Comparison};
use crate::source::Span;
use crate::value::{Set, Value};

impl Frame<'_> {
    /// Whether a predicate holds.
    pub(in crate::eval) fn holds(&mut self, plan: &PredPlan) -> Result<bool, EvalError> {
        match &plan.kind {
            PredPlanKind::Constant(value) => Ok(*value),
            PredPlanKind::And(parts) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            PredPlanKind::Or(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            PredPlanKind::Not(inner) => Ok(!self.holds(inner)?),
            // Left to right as with `&`: a false hypothesis makes the conclusion irrelevant, even if that is ill-defined.
            PredPlanKind::Implies(left, right) => Ok(!self.holds(left)? || self.holds(right)?),
            PredPlanKind::Equivalent(left, right) => Ok(self.holds(left)? == self.holds(right)?),
            PredPlanKind::Compare(comparison, left, right) => self.compare(*comparison, left, right, plan.span),
            PredPlanKind::MemberOfExtension(element, items, negated) => {
                let element = self.eval(element)?;
                let mut found = false;
                for item in items {
                    let item = self.eval(item)?;
                    // Every item is evaluated, also after a hit: one that is ill-defined makes the whole set so.
                    found = found || self.equal(&element, &item, plan.span)?;
                }
                Ok(found != *negated)
            }
            PredPlanKind::Forall(search, body) => self.for_all(search, body),
            PredPlanKind::Exists(search) => self.exists(search),
            PredPlanKind::If(condition, then, otherwise) => {
                if self.holds(condition)? {
                    self.holds(then)
                } else {
                    self.holds(otherwise)
                }
            }
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

    /// Whether each binding of a search satisfies the body.
    #[inline]
    fn for_all(&mut self, search: &Search, body: &PredPlan) -> Result<bool, EvalError> {
        // False wins over ill-defined, whatever comes first: the order of elements must not matter.
        let (mut all, mut ill) = (true, None);
        // A binding whose hypothesis is ill-defined is noted; the visit goes on, as a later one may be a counterexample.
        let noted = self.run_noting(search, &mut |frame| {
            match frame.holds(body) {
                Ok(holds) => all = holds,
                Err(error) if error.kind.is_ill_defined() => ill = ill.take().or(Some(error)),
                Err(error) => return Err(error),
            }
            Ok(if all { Flow::Continue } else { Flow::Stop })
        })?;
        match noted.or(ill) {
            Some(error) if all => Err(error),
            _ => Ok(all),
        }
    }

    /// Whether a search has a binding.
    #[inline]
    fn exists(&mut self, search: &Search) -> Result<bool, EvalError> {
        // True wins over ill-defined, whatever comes first.
        let mut found = false;
        let noted = self.run_noting(search, &mut |_| {
            found = true;
            Ok(Flow::Stop)
        })?;
        match noted {
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
            // Parts are pairwise disjoint exactly if each is disjoint from the union of those before it. Both are listed, so that these
            // are too; the operators of expressions also find elements in another form.
            let common = self.intersection(union.clone(), value.clone(), part.span)?;
            if !self.is_empty(&common, part.span)? {
                return Ok(false);
            }
            union = self.union(union, value, part.span)?;
        }
        self.equal(&whole, &union, span)
    }
}
