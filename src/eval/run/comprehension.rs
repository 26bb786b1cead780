//! The values of comprehensions: written out where their search is bounded, else descriptions.
//!
//! Invariant: a description and the set that is written out from it have the same members. What a description can answer without being
//! written out is in `sets/`.

use super::frame::{Flow, Frame};
use super::sets::EXPAND_LIMIT;
use crate::eval::plan::{ClosurePlan, Shape, Slot};
use crate::eval::{EvalError, EvalErrorKind};
use crate::source::Span;
use crate::value::{Symbolic, Value};
use std::sync::Arc;

/// Comprehensions that visit more bindings than this (by estimate) stay descriptions until their elements are needed: at a million
/// bindings a second, minutes would be spent on a set that is perhaps only applied or asked for members. Both tiers must agree on it,
/// because a binding that is ill-defined is met only where the set is written out.
pub(in crate::eval) const WRITE_OUT_BELOW: f64 = 1e8;

impl Frame<'_> {
    /// The element that a comprehension builds from the current binding.
    pub(super) fn closure_element(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => self.tuple(&plan.locals, plan.span),
            Shape::Function { body, .. } => {
                let argument = self.tuple(&plan.locals, plan.span)?;
                let value = self.eval(body)?;
                Ok(Value::pair(argument, self.listed(value, body.span)?))
            }
            Shape::Image { value, .. } => {
                let element = self.eval(value)?;
                self.listed(element, value.span)
            }
        }
    }

    /// The left-nested tuple of some slots.
    pub(super) fn tuple(&mut self, slots: &[Slot], span: Span) -> Result<Value, EvalError> {
        let mut tuple: Option<Value> = None;
        for &slot in slots {
            let value = self.get(slot, span)?.clone();
            let value = self.listed(value, span)?;
            tuple = Some(match tuple {
                None => value,
                Some(front) => Value::pair(front, value),
            });
        }
        Ok(tuple.expect("a comprehension binds a name"))
    }

    /// The value of a comprehension: written out when its search is bounded, else a description.
    pub(super) fn comprehension(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // What looks too large is written out only when its elements are needed.
        if plan.cost > WRITE_OUT_BELOW {
            return self.closure_value(plan);
        }
        let mut elements = Vec::new();
        let visited = self.run(&plan.search, &mut |frame| {
            elements.push(frame.closure_element(plan)?);
            // Different bindings may build the same element, so the limit on bindings is larger than that on elements.
            Ok(if elements.len() as u64 > EXPAND_LIMIT * 4 { Flow::Stop } else { Flow::Continue })
        });
        match visited {
            Ok(Flow::Continue) => Ok(Value::Set(self.set_of(elements, plan.span)?)),
            // What is too large or endless may still be applied, or be asked for members.
            Ok(Flow::Stop) | Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) => self.closure_value(plan),
            Err(error) => Err(error),
        }
    }

    /// A comprehension as a description that keeps the values of the names it reads.
    pub(super) fn closure_value(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // Equivalent closures read their captured names at the same occurrences, so these values fit the canonical one place by place.
        let captured = plan.captured.iter().map(|&slot| self.get(slot, plan.span).cloned()).collect::<Result<Vec<_>, _>>()?;
        Ok(Value::Symbolic(Arc::new(Symbolic::Closure { plan: plan.canonical, captured: captured.into() })))
    }
}
