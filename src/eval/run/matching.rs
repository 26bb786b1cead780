//! Matching values against patterns.
//!
//! Invariant: the slots that a pattern binds are set from left to right, also where the match fails later. Deliberately elsewhere: which
//! values are matched (`search`).

use super::frame::Frame;
use crate::EvalError;
use crate::plan::Pattern;
use bcheck_value::Value;

impl Frame<'_> {
    /// Matches a value against a pattern, setting the slots that the pattern binds.
    pub(crate) fn matches(&mut self, pattern: &Pattern, value: &Value) -> Result<bool, EvalError> {
        match pattern {
            Pattern::Slot(slot) => {
                self.set(*slot, value.clone());
                Ok(true)
            }
            Pattern::Pair(first, second) => {
                let (a, b) = value.as_pair().expect("the type checker only matches pairs with pairs");
                Ok(self.matches(first, a)? && self.matches(second, b)?)
            }
            Pattern::Record(patterns) => {
                let Value::Record(fields) = value else { unreachable!("the type checker only matches records with records") };
                for (pattern, (_, value)) in patterns.iter().zip(fields.iter()) {
                    if !self.matches(pattern, value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pattern::Solved { value: matched, slot, solved } => {
                self.set(*matched, value.clone());
                let found = self.eval(solved)?;
                self.set(*slot, found);
                Ok(true)
            }
            Pattern::Equal(plan) => {
                let expected = self.eval(plan)?;
                self.equal(&expected, value, plan.span)
            }
        }
    }

    /// As [`Self::matches`], for a value that is not needed otherwise.
    #[inline]
    pub(super) fn matches_element(&mut self, pattern: &Pattern, element: Value) -> Result<bool, EvalError> {
        let Pattern::Slot(slot) = pattern else { return self.matches(pattern, &element) };
        self.set(*slot, element);
        Ok(true)
    }
}
