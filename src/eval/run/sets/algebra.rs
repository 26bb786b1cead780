//! Union, intersection and difference of sets that are written out or described.
//!
//! Invariant: the result is written out where both operands can be, and where one that is written out limits it. Deliberately elsewhere:
//! the same on listed sets (`value::algebra`).

use crate::eval::EvalError;
use crate::eval::run::frame::Frame;
use crate::source::Span;
use crate::value::{Set, Symbolic, Value};
use std::sync::Arc;

impl Frame<'_> {
    /// Both operands written out, if both can be.
    pub(in crate::eval::run) fn both_explicit(&mut self, left: &Value, right: &Value, span: Span) -> Result<Option<(Set, Set)>, EvalError> {
        if let (Value::Set(left), Value::Set(right)) = (left, right) {
            return Ok(Some((left.clone(), right.clone())));
        }
        let Some(left) = self.explicit_relation(left, span)? else { return Ok(None) };
        Ok(self.explicit_relation(right, span)?.map(|right| (left, right)))
    }

    /// `A \/ B`
    pub(in crate::eval::run) fn union(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        Ok(match self.both_explicit(&left, &right, span)? {
            Some((left, right)) => Value::Set(self.merged(left.union(&right), span)?),
            None => Value::Symbolic(Arc::new(Symbolic::Union(left, right))),
        })
    }

    /// `A /\ B`
    pub(in crate::eval::run) fn intersection(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match (&left, &right) {
            // Equal elements may differ in form, so each is looked up by membership.
            (Value::Set(explicit), other) if left.holds_description() => self.filter(explicit, other, true, span),
            (Value::Set(left), Value::Set(right)) => Ok(Value::Set(left.intersection(right))),
            // The listed side is filtered by membership, so the other one may be infinite.
            (Value::Set(explicit), other) | (other, Value::Set(explicit)) => self.filter(explicit, other, true, span),
            _ => Ok(match self.both_explicit(&left, &right, span)? {
                Some((left, right)) => Value::Set(left.intersection(&right)),
                None => Value::Symbolic(Arc::new(Symbolic::Intersection(left, right))),
            }),
        }
    }

    /// `A - B`
    pub(in crate::eval::run) fn difference(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match (&left, &right) {
            (Value::Set(explicit), other) if left.holds_description() => self.filter(explicit, other, false, span),
            (Value::Set(left), Value::Set(right)) => Ok(Value::Set(left.difference(right))),
            (Value::Set(explicit), other) => self.filter(explicit, other, false, span),
            _ => Ok(match self.both_explicit(&left, &right, span)? {
                Some((left, right)) => Value::Set(left.difference(&right)),
                None => Value::Symbolic(Arc::new(Symbolic::Difference(left, right))),
            }),
        }
    }

    /// The elements of an explicit set that are (or are not) in another set.
    fn filter(&mut self, explicit: &Set, other: &Value, keep: bool, span: Span) -> Result<Value, EvalError> {
        let mut kept = Vec::new();
        for element in explicit.iter() {
            if self.member(&element, other, span)? == keep {
                kept.push(element);
            }
        }
        // A subsequence of a sorted one.
        Ok(Value::Set(Set::from_sorted(kept)))
    }
}
