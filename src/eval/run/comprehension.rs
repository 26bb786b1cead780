//! The values of comprehensions: explicit where their search is bounded, else symbolic.
//!
//! Invariant: a symbolic set and the explicit set computed from it have the same members. Queries on a symbolic set without expanding it
//! are in `sets/`.

use super::frame::{Flow, Frame};
use crate::plan::{ClosurePlan, ExprPlan, Shape, Slot};
use crate::thresholds::{WRITTEN_COMPREHENSION, WRITTEN_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::{Symbolic, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Frame<'_> {
    /// The element that a comprehension builds from the current binding.
    pub(super) fn closure_element(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => self.tuple(&plan.locals, plan.span),
            Shape::Function { body, .. } => {
                let (argument, result) = self.row(plan, body)?;
                Ok(Value::pair(argument, result))
            }
            Shape::Image { value, .. } => {
                let element = self.eval(value)?;
                self.listed(element, value.span)
            }
        }
    }

    /// The argument and the result of a function for the current binding.
    fn row(&mut self, plan: &ClosurePlan, body: &ExprPlan) -> Result<(Value, Value), EvalError> {
        let argument = self.tuple(&plan.locals, plan.span)?;
        let result = self.eval(body)?;
        Ok((argument, self.listed(result, body.span)?))
    }

    /// The left-nested tuple of some slots.
    pub(super) fn tuple(&mut self, slots: &[Slot], span: Span) -> Result<Value, EvalError> {
        if let [slot] = slots {
            let value = self.get(*slot, span)?.clone();
            return self.listed(value, span);
        }
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

    /// The value of a comprehension: explicit if its search is bounded, otherwise symbolic.
    pub(super) fn comprehension(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // A set that seems too large is expanded only when its elements are needed.
        if plan.cost > WRITTEN_COMPREHENSION.get() {
            return self.closure_value(plan);
        }
        let mut elements = Vec::new();
        let mut results = Results::default();
        let visited = self.run(&plan.search, &mut |frame| {
            elements.push(match &plan.shape {
                Shape::Function { body, .. } => {
                    let (argument, result) = frame.row(plan, body)?;
                    Value::pair(argument, results.shared(result))
                }
                Shape::Tuple { .. } | Shape::Image { .. } => frame.closure_element(plan)?,
            });
            // Different bindings may build the same element, so the limit on bindings is larger than that on elements.
            Ok(if elements.len() as u64 > WRITTEN_SET.get() * 4 { Flow::Stop } else { Flow::Continue })
        });
        match visited {
            Ok(Flow::Continue) => Ok(Value::Set(self.set_of(elements, plan.span)?)),
            // A set that is too large or infinite may still be applied, or tested for members.
            Ok(Flow::Stop) | Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) => self.closure_value(plan),
            Err(error) => Err(error),
        }
    }

    /// A comprehension as a symbolic set that captures the values of the names it reads.
    pub(super) fn closure_value(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // Equivalent closures read their captured names at the same occurrences, so these values fit the canonical one place by place.
        let captured = plan.captured.iter().map(|&slot| self.get(slot, plan.span).cloned()).collect::<Result<Vec<_>, _>>()?;
        Ok(Value::Symbolic(Arc::new(Symbolic::Closure { plan: plan.canonical, captured: captured.into() })))
    }
}

/// The results of a function that is written out. Equal sets share memory, so that a table of many rows and few results takes little of
/// it, and comparisons of these results end at once.
#[derive(Default)]
struct Results {
    rows: usize,
    distinct: FxHashSet<Value>,
}

impl Results {
    /// The first rows are left alone: most functions are small.
    const FROM: usize = 1_000;

    fn shared(&mut self, result: Value) -> Value {
        self.rows += 1;
        // Hashing does not pay where results seldom recur.
        if self.rows < Self::FROM || !matches!(result, Value::Set(_)) || self.distinct.len() > (self.rows - Self::FROM) / 2 + Self::FROM {
            return result;
        }
        match self.distinct.get(&result) {
            Some(known) => known.clone(),
            None => {
                self.distinct.insert(result.clone());
                result
            }
        }
    }
}
