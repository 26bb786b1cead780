//! Running a recurrence: a function whose values follow from those before.
//!
//! Invariant: a value reads only values of smaller arguments. Deliberately elsewhere: which conjuncts are one (`order::recurrence`).

use super::frame::Frame;
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::RecurrencePlan;
use crate::thresholds::WRITTEN_SET;
use bcheck_value::cardinality::{Cardinality, describe};
use bcheck_value::{Integer, Set, Value};
use num_bigint::BigInt;

impl Frame<'_> {
    /// The function defined by a recurrence.
    pub(super) fn recur(&mut self, plan: &RecurrencePlan) -> Result<Value, EvalError> {
        let span = plan.step.span;
        let (Value::Integer(from), Value::Integer(to)) = (self.eval(&plan.from)?, self.eval(&plan.to)?) else {
            unreachable!("typed as integers")
        };
        let to = to.add(&plan.offset);
        let mut function = Set::empty();
        // Not positive for an empty range, which then has the empty function.
        let size = to.subtract(&from).to_big() + 1u32;
        if size > BigInt::from(WRITTEN_SET.get()) {
            return unbounded(describe(&Cardinality::Finite(size.to_biguint().unwrap_or_default())), span);
        }
        let mut at = from;
        let mut firsts = plan.firsts.iter();
        while at <= to {
            self.tick(span)?;
            // The step is the value at `index + offset`, so this index gives the value at `at`.
            self.set(plan.index, Value::Integer(at.subtract(&plan.offset)));
            let wanted = firsts.next().unwrap_or(&plan.step);
            let value = self.eval(wanted)?;
            let pair = Value::pair(Value::Integer(at.clone()), self.listed(value, wanted.span)?);
            function = function.union(&Set::singleton(pair));
            // Visible to the next step, which reads values of smaller arguments only.
            self.set(plan.slot, Value::Set(function.clone()));
            at = at.add(&Integer::from(1));
        }
        Ok(Value::Set(function))
    }
}
