//! Enumerating the elements of a set, explicit or described.
//!
//! Invariant: each element is visited exactly once, in an order that depends on the set alone; what has no end, or would take
//! hours, is an error with a place.

use super::is_listed_quickly;
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::Shape;
use crate::run::frame::{Flow, Frame};
use crate::thresholds::{VISITED_OF_MANY, VISITED_OF_UNCOUNTED, VISITED_SET};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality, describe};
use bcheck_value::{Integer, Set, Symbolic, Value, relation, space};
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What an enumeration of the value floor calls for each set.
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
                // A visitor that stops soon never meets the limit; for others the set counts as one that cannot be enumerated.
                let mut left = VISITED_OF_MANY.get();
                self.visit_described(symbolic, set, span, &mut |frame, element| {
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
            // Few, because each may be large; and none where what they are made of is.
            Cardinality::Large if is_of_listed(symbolic) => {
                let mut left = VISITED_OF_UNCOUNTED.get();
                self.visit_described(symbolic, set, span, &mut |frame, element| {
                    if left == 0 {
                        return unbounded(describe(&Cardinality::Large), span);
                    }
                    left -= 1;
                    visitor(frame, element)
                })
            }
            Cardinality::Large => unbounded(describe(&Cardinality::Large), span),
            Cardinality::Finite(_) | Cardinality::Unknown => self.visit_described(symbolic, set, span, visitor),
        }
    }

    /// Visits the elements of a description; `set` is its value.
    // A list: one arm for each kind of description, which reduces it to a visit of what it is made of.
    fn visit_described(
        &mut self,
        symbolic: &Symbolic,
        set: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Descriptions of descriptions may take long before the first element.
        self.tick(span)?;
        match symbolic {
            Symbolic::Free { is_finite: true, .. } => unbounded(describe(&Cardinality::Large), span),
            Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free { .. } => unbounded(describe(&Cardinality::Infinite), span),
            Symbolic::Interval(from, to) => self.visit_interval(from, to, span, visitor),
            Symbolic::Power { base, nonempty, .. } => {
                // Subsets, functions and sequences are enumerated by the value floor, over listed sets.
                let base = self.explicit(base, span)?;
                self.bridge(span, visitor, &mut |visit| space::visit_subsets(&base, *nonempty, visit))
            }
            // Nested visits, so that a product is never held in memory.
            Symbolic::Product(left, right) => self.visit(left, span, &mut |frame, first| {
                frame.visit(right, span, &mut |frame, second| visitor(frame, Value::pair(first.clone(), second)))
            }),
            Symbolic::Functions(kind, from, to) => {
                let (from, to) = (self.explicit(from, span)?, self.explicit(to, span)?);
                self.bridge(span, visitor, &mut |visit| space::visit_functions(*kind, &from, &to, visit))
            }
            Symbolic::Sequences(kind, base) => {
                let base = self.explicit(base, span)?;
                self.bridge(span, visitor, &mut |visit| space::visit_sequences(*kind, &base, None, visit))
            }
            Symbolic::Struct(fields) => self.visit_records(fields, &mut Vec::new(), span, visitor),
            Symbolic::Identity(base) => self.visit(base, span, &mut |frame, element| visitor(frame, Value::pair(element.clone(), element))),
            Symbolic::Union(left, right) => {
                if self.visit(left, span, visitor)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                self.visit(right, span, &mut |frame, element| {
                    // What was visited as an element of the left set already.
                    if frame.member(&element, left, span)? { Ok(Flow::Continue) } else { visitor(frame, element) }
                })
            }
            Symbolic::Intersection(left, right) => {
                let (walk, test) = self.to_visit(left, right);
                self.visit(walk, span, &mut |frame, element| {
                    if frame.member(&element, test, span)? { visitor(frame, element) } else { Ok(Flow::Continue) }
                })
            }
            Symbolic::Difference(left, right) => self.visit(left, span, &mut |frame, element| {
                if frame.member(&element, right, span)? { Ok(Flow::Continue) } else { visitor(frame, element) }
            }),
            Symbolic::Inverse(relation) => self.visit(relation, span, &mut |frame, element| {
                let (first, second) = element.as_pair().expect("elements of a relation are pairs");
                visitor(frame, Value::pair(second.clone(), first.clone()))
            }),
            // Only the arguments in the set are looked up, as the relation may be infinite, unless the set is and the relation is not.
            Symbolic::DomainRestrict(of, relation, false) if self.effort(of) <= self.effort(relation) => {
                self.visit_restricted(of, relation, span, visitor)
            }
            // Every pair of the relation is tested, by membership in the restriction.
            Symbolic::DomainRestrict(_, relation, _) | Symbolic::RangeRestrict(relation, ..) => {
                self.visit(relation, span, &mut |frame, element| {
                    if frame.member_of_symbolic(&element, symbolic, span)? { visitor(frame, element) } else { Ok(Flow::Continue) }
                })
            }
            Symbolic::Domain(relation) => {
                let relation = self.explicit(relation, span)?;
                let domain = self.merged(relation::domain(&relation), span)?;
                self.visit(&Value::Set(domain), span, visitor)
            }
            // The first relation cannot be visited, but the second one bounds the middle.
            Symbolic::Compose(first, Value::Set(then)) if !matches!(cardinality(first), Cardinality::Finite(_)) => {
                let pairs = self.composed_backwards(first, then, span)?;
                self.visit(&Value::Set(pairs), span, visitor)
            }
            Symbolic::Transitive(first) | Symbolic::Compose(first, _) | Symbolic::DirectProduct(first, _) => {
                // Their arguments are among those of the first relation.
                let domain = self.domain_to_visit(first, span)?;
                self.visit_restricted(&domain, set, span, visitor)
            }
            Symbolic::Override(relation, changes) => {
                let domain = self.domain_to_visit(relation, span)?;
                // The union of the two domains has each argument once.
                let more = self.domain_to_visit(changes, span)?;
                let domain = self.union(domain, more, span)?;
                self.visit_restricted(&domain, set, span, visitor)
            }
            Symbolic::ParallelProduct(left, right) => self.visit(left, span, &mut |frame, first| {
                frame.visit(right, span, &mut |frame, second| {
                    let (a, b) = first.as_pair().expect("elements of a relation are pairs");
                    let (c, d) = second.as_pair().expect("elements of a relation are pairs");
                    visitor(frame, Value::pair(Value::pair(a.clone(), c.clone()), Value::pair(b.clone(), d.clone())))
                })
            }),
            Symbolic::Closure { plan, captured } => self.visit_closure(*plan, captured, span, visitor),
        }
    }

    fn visit_interval(
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
    fn visit_closure(
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
    fn composed_backwards(&mut self, first: &Value, then: &Set, span: Span) -> Result<Set, EvalError> {
        let inverse = self.inverse(first);
        let mut pairs = Vec::new();
        for pair in then.iter() {
            let (middle, last) = pair.as_pair().expect("elements of a relation are pairs");
            // Several middles may lead to the same pair; the set made of them has it once.
            self.related(&inverse, middle, span, &mut |frame, argument| {
                pairs.push(Value::pair(frame.listed(argument, span)?, last.clone()));
                frame.tick(span)?;
                Ok(Flow::Continue)
            })?;
        }
        self.set_of(pairs, span)
    }

    /// Visits the pairs of a relation whose first component lies in a set.
    fn visit_restricted(
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

    fn visit_records(
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
    fn bridge(
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
fn is_of_listed(symbolic: &Symbolic) -> bool {
    match symbolic {
        Symbolic::Power { base, .. } | Symbolic::Sequences(_, base) => is_listed_quickly(base),
        Symbolic::Functions(_, from, to) => is_listed_quickly(from) && is_listed_quickly(to),
        _ => false,
    }
}
