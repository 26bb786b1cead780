//! Enumerating the elements of a set, explicit or described.
//!
//! Invariant: each element is visited exactly once, in an order that depends on the set alone; what has no end, or would take
//! hours, is an error with a place.

use super::is_quickly_explicit;
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::Shape;
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{VISITED_OF_MANY, VISITED_OF_UNCOUNTED, VISITED_SET};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality, describe};
use bcheck_value::{Integer, Set, Symbolic, Value};
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The visitor that an enumeration of the value floor calls for each set.
pub(in crate::run) type SetVisitor<'a> = dyn FnMut(Set) -> ControlFlow<()> + 'a;

impl Frame<'_> {
    /// Visits every element of a set once, in a fixed order.
    pub(crate) fn visit(
        &mut self,
        set: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        let symbolic = match set {
            Value::Set(set) => {
                for element in set.iter() {
                    self.tick(span)?;
                    if visitor(self, element)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                return Ok(Flow::Continue);
            }
            Value::Symbolic(symbolic) => symbolic,
            _ => unreachable!("the type checker only allows sets here"),
        };
        // The first elements may already be enough, for a witness or a counterexample.
        match cardinality(set) {
            Cardinality::Finite(count) if count > BigUint::from(VISITED_SET.get()) => {
                // A visitor that stops soon never reaches the limit; for others the set counts as one that cannot be enumerated.
                let mut left = VISITED_OF_MANY.get();
                self.visit_symbolic(symbolic, set, span, &mut |frame, element| {
                    if left == 0 {
                        return unbounded(describe(&Cardinality::Finite(count.clone())), span);
                    }
                    left -= 1;
                    visitor(frame, element)
                })
            }
            Cardinality::Infinite => {
                // As above: a witness among the first numbers ends the visit before the error.
                for number in self.first_integers(set)? {
                    self.tick(span)?;
                    if visitor(self, Value::Integer(number))? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                unbounded(describe(&Cardinality::Infinite), span)
            }
            // Few, because each may be large; and none if their parts are symbolic.
            Cardinality::Large if is_of_explicit(symbolic) => {
                let mut left = VISITED_OF_UNCOUNTED.get();
                self.visit_symbolic(symbolic, set, span, &mut |frame, element| {
                    if left == 0 {
                        return unbounded(describe(&Cardinality::Large), span);
                    }
                    left -= 1;
                    visitor(frame, element)
                })
            }
            Cardinality::Large => unbounded(describe(&Cardinality::Large), span),
            Cardinality::Finite(_) | Cardinality::Unknown => self.visit_symbolic(symbolic, set, span, visitor),
        }
    }

    pub(super) fn visit_interval(
        &mut self,
        from: &Integer,
        to: &Integer,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        let mut number = from.clone();
        while number <= *to {
            self.tick(span)?;
            if visitor(self, Value::Integer(number.clone()))? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            number = number.add(&Integer::from(1));
        }
        Ok(Flow::Continue)
    }

    /// Visits the elements of a comprehension or lambda.
    pub(super) fn visit_closure(
        &mut self,
        plan: u32,
        captured: &[Value],
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        let plan = self.context.closures[plan as usize].clone();
        if let Shape::Image { .. } = plan.shape {
            // Different bindings may build the same element, so all are collected before the first is visited.
            let mut elements = Vec::new();
            self.inside(&plan, captured, |frame| {
                frame.run(&plan.search, &mut |frame| {
                    elements.push(frame.closure_element(&plan)?);
                    Ok(Flow::Continue)
                })
            })?;
            let elements = self.set_of(elements, span)?;
            return self.visit(&Value::Set(elements), span, visitor);
        }
        // A tuple or an argument of a lambda is the binding itself: nothing comes twice.
        self.visit_inside(&plan, captured, &plan.search, |_| {}, |frame| frame.closure_element(&plan), visitor)
    }

    /// `(r ; s)` from the pairs of `s` backwards, where `r` is not listed.
    pub(super) fn composed_backwards(&mut self, first: &Value, then: &Set, span: Span) -> Result<Set, EvalError> {
        let inverse = self.inverse(first);
        let mut pairs = Vec::new();
        for pair in then.iter() {
            let (middle, last) = pair.as_pair().expect("elements of a relation are pairs");
            // Several middle elements may yield the same pair; the resulting set has it once.
            self.related(&inverse, middle, span, &mut |frame, argument| {
                pairs.push(Value::pair(frame.listed(argument, span)?, last.clone()));
                frame.tick(span)?;
                Ok(Flow::Continue)
            })?;
        }
        self.set_of(pairs, span)
    }

    /// Visits the pairs of a relation whose first component lies in a set.
    pub(super) fn visit_restricted(
        &mut self,
        domain: &Value,
        relation: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        self.visit(domain, span, &mut |frame, first| {
            frame.related(relation, &first, span, &mut |frame, second| visitor(frame, Value::pair(first.clone(), second)))
        })
    }

    pub(super) fn visit_records(
        &mut self,
        fields: &[(Arc<str>, Value)],
        chosen: &mut Vec<(Arc<str>, Value)>,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // One value for each field so far, in the order of the type: a record when there is one for the last.
        let Some((name, set)) = fields.get(chosen.len()) else {
            return visitor(self, Value::Record(chosen.as_slice().into()));
        };
        self.visit(set, span, &mut |frame, value| {
            // Popped on every way out: the next value of this field takes the same place.
            chosen.push((name.clone(), value));
            let flow = frame.visit_records(fields, chosen, span, visitor);
            chosen.pop();
            flow
        })
    }

    /// Connects an enumeration of the value floor, which knows no errors, with a visitor that does.
    pub(super) fn bridge(
        &mut self,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
        enumerate: &mut dyn FnMut(&mut SetVisitor<'_>) -> ControlFlow<()>,
    ) -> Result<Flow, EvalError> {
        let mut outcome = Ok(Flow::Continue);
        // `Break` ends the enumeration for both reasons, an error and a visitor that stops; which one it was is in `outcome`.
        let _ = enumerate(&mut |set| {
            outcome = self.tick(span).and_then(|()| visitor(self, Value::Set(set)));
            if outcome == Ok(Flow::Continue) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome
    }
}

/// Whether a set consists of sets whose elements are from lists.
fn is_of_explicit(symbolic: &Symbolic) -> bool {
    match symbolic {
        Symbolic::Power { base, .. } | Symbolic::Sequences(_, base) => is_quickly_explicit(base),
        Symbolic::Functions(_, from, to) => is_quickly_explicit(from) && is_quickly_explicit(to),
        _ => false,
    }
}
