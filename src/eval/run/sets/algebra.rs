//! Union, intersection and difference of explicit or symbolic sets, and the operators on explicit sets whose elements contain symbolic
//! ones.
//!
//! Invariant: the result is explicit where both operands can be, and where an explicit one limits it; elements that differ only in form
//! count as one. Deliberately elsewhere: explicit sets of other elements (`value::algebra`, `value::relation`).

use crate::EvalError;
use crate::error::ill_defined;
use crate::run::frame::Frame;
use bcheck_ir::UnaryOp;
use bcheck_source::Span;
use bcheck_value::{IllDefined, Set, Symbolic, Value, relation, sequence};
use std::sync::Arc;

impl Frame<'_> {
    /// Both operands written out, if both can be.
    pub(in crate::run) fn both_explicit(&mut self, left: &Value, right: &Value, span: Span) -> Result<Option<(Set, Set)>, EvalError> {
        if let (Value::Set(left), Value::Set(right)) = (left, right) {
            return Ok(Some((left.clone(), right.clone())));
        }
        let Some(left) = self.explicit_relation(left, span)? else { return Ok(None) };
        Ok(self.explicit_relation(right, span)?.map(|right| (left, right)))
    }

    /// `A \/ B`
    pub(in crate::run) fn union(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        Ok(match self.both_explicit(&left, &right, span)? {
            Some((left, right)) => Value::Set(self.merged(left.union(&right), span)?),
            None => Value::Symbolic(Arc::new(Symbolic::Union(left, right))),
        })
    }

    /// `A /\ B`
    pub(in crate::run) fn intersection(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match (&left, &right) {
            (Value::Set(left), Value::Set(right)) if are_alike(left, right) => Ok(Value::Set(left.intersection(right))),
            // The explicit side is filtered by membership, so the other one may be infinite, or contain elements in other forms.
            (Value::Set(explicit), other) | (other, Value::Set(explicit)) => self.filter(explicit, other, true, span),
            _ => match self.both_explicit(&left, &right, span)? {
                Some((one, other)) if are_alike(&one, &other) => Ok(Value::Set(one.intersection(&other))),
                Some((one, _)) => self.filter(&one, &right, true, span),
                None => Ok(Value::Symbolic(Arc::new(Symbolic::Intersection(left, right)))),
            },
        }
    }

    /// `A - B`
    pub(in crate::run) fn difference(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match (&left, &right) {
            (Value::Set(left), Value::Set(right)) if are_alike(left, right) => Ok(Value::Set(left.difference(right))),
            (Value::Set(explicit), other) => self.filter(explicit, other, false, span),
            _ => match self.both_explicit(&left, &right, span)? {
                Some((one, other)) if are_alike(&one, &other) => Ok(Value::Set(one.difference(&other))),
                Some((one, _)) => self.filter(&one, &right, false, span),
                None => Ok(Value::Symbolic(Arc::new(Symbolic::Difference(left, right)))),
            },
        }
    }

    /// The pairs of an explicit relation whose first component is in a set.
    pub(in crate::run) fn with_first_in(&mut self, set: &Value, relation: &Set, span: Span) -> Result<Value, EvalError> {
        let mut kept = Vec::new();
        for pair in relation.iter() {
            let (first, _) = pair.as_pair().expect("elements of a relation are pairs");
            if self.member(first, set, span)? {
                kept.push(pair);
            }
        }
        Ok(Value::Set(Set::from_sorted(kept)))
    }

    /// A relation on one type in which equal values have equal forms, so that operators on explicit sets find matching pairs.
    pub(in crate::run) fn in_one_form(&mut self, relation: Set, span: Span) -> Result<Set, EvalError> {
        if !relation.holds_description() {
            return Ok(relation);
        }
        // All are compared before any is replaced: one form represents all equal ones.
        let forms = self.merged(relation::domain(&relation).union(&relation::range(&relation)), span)?;
        let mut pairs = Vec::new();
        for pair in relation.iter() {
            let (first, second) = pair.as_pair().expect("elements of a relation are pairs");
            pairs.push(Value::pair(self.form_of(first, &forms, span)?, self.form_of(second, &forms, span)?));
        }
        Ok(Set::from_values(pairs))
    }

    /// The element of a set that is equal to a value.
    fn form_of(&mut self, value: &Value, forms: &Set, span: Span) -> Result<Value, EvalError> {
        if !forms.contains(value) {
            for form in forms.iter() {
                if self.equal(value, &form, span)? {
                    return Ok(form);
                }
            }
        }
        Ok(value.clone())
    }

    /// An operator on an explicit set.
    pub(in crate::run) fn unary_on_explicit(&mut self, op: UnaryOp, set: &Set, span: Span) -> Result<Value, EvalError> {
        let result = if set.holds_description() { self.unary_on_descriptions(op, set, span)? } else { None };
        match result {
            Some(value) => Ok(value),
            None => explicit_unary(op, set).or_else(|reason| ill_defined(reason, span)),
        }
    }

    /// As above, for elements that contain symbolic sets; `None` if the operator does not compare them.
    fn unary_on_descriptions(&mut self, op: UnaryOp, set: &Set, span: Span) -> Result<Option<Value>, EvalError> {
        Ok(match op {
            UnaryOp::GeneralUnion | UnaryOp::GeneralInter => {
                let mut members = set.iter();
                let Some(mut combined) = members.next() else { return Ok(None) };
                for member in members {
                    combined = match op {
                        UnaryOp::GeneralUnion => self.union(combined, member, span)?,
                        _ => self.intersection(combined, member, span)?,
                    };
                }
                Some(combined)
            }
            UnaryOp::Closure1 => Some(Value::Set(relation::closure1(&self.in_one_form(set.clone(), span)?))),
            // Argument by argument: `fnc(r)` = `{x |-> r[{x}] | x : dom(r)}`.
            UnaryOp::Function => {
                let whole = Value::Set(set.clone());
                let mut pairs = Vec::new();
                for argument in self.merged(relation::domain(set), span)?.iter() {
                    let single = Value::Set(Set::from_sorted(vec![argument.clone()]));
                    pairs.push(Value::pair(argument, self.image(&whole, &single, span)?));
                }
                Some(Value::Set(Set::from_sorted(pairs)))
            }
            // Several pairs of `f` may yield one of `rel(f)`.
            UnaryOp::Relation => match relation::from_set_function(set) {
                Ok(pairs) => Some(Value::Set(self.merged(pairs, span)?)),
                Err(reason) => return ill_defined(reason, span),
            },
            _ => None,
        })
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

/// Whether equal elements of two explicit sets have equal forms.
fn are_alike(left: &Set, right: &Set) -> bool {
    !left.holds_description() && !right.holds_description()
}

/// An operator whose operand has been written out.
fn explicit_unary(op: UnaryOp, set: &Set) -> Result<Value, IllDefined> {
    Ok(match op {
        UnaryOp::GeneralUnion => Value::Set(relation::general_union(set)?),
        UnaryOp::GeneralInter => Value::Set(relation::general_inter(set)?),
        UnaryOp::Closure1 => Value::Set(relation::closure1(set)),
        UnaryOp::Function => Value::Set(relation::to_set_function(set)),
        UnaryOp::Relation => Value::Set(relation::from_set_function(set)?),
        UnaryOp::Size => Value::integer(i64::try_from(sequence::size(set)?).expect("sizes fit 64 bits")),
        UnaryOp::First => sequence::first(set)?,
        UnaryOp::Last => sequence::last(set)?,
        UnaryOp::Front => Value::Set(sequence::front(set)?),
        UnaryOp::Tail => Value::Set(sequence::tail(set)?),
        UnaryOp::Reverse => Value::Set(sequence::reverse(set)?),
        UnaryOp::ConcatAll => Value::Set(sequence::concat_all(set)?),
        _ => unreachable!("only operators on explicit sets come here"),
    })
}
