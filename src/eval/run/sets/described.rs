//! The meaning of each form of symbolic set: one match for each query.
//!
//! Invariant: the answers are those that the written-out elements would give. The first three matches are exhaustive, so that a new form
//! cannot be left without a meaning; the others are exact where they answer, and an unlisted form is examined element by element.
//! Deliberately elsewhere: how the parts are enumerated (`enumeration`), membership of closures (`membership`), sets of relations
//! (`function_spaces`), the number of elements (`cardinality` of `value`).

use super::Effort;
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::Shape;
use crate::run::frame::{Flow, Frame};
use bcheck_ir::IntegerSet;
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality, describe};
use bcheck_value::{Set, Symbolic, Value, relation, space};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Frame<'_> {
    /// Whether a value is an element of a described set.
    // A list: one arm for each kind of description, most of them the definition of the operator.
    pub(super) fn member_of_symbolic(&mut self, element: &Value, symbolic: &Symbolic, span: Span) -> Result<bool, EvalError> {
        let pair = |element: &Value| element.as_pair().map(|(a, b)| (a.clone(), b.clone())).expect("elements of a relation are pairs");
        match symbolic {
            Symbolic::Integers(which) => {
                let Value::Integer(number) = element else { unreachable!("typed as an integer") };
                Ok(match which {
                    IntegerSet::Natural | IntegerSet::Nat => !number.is_negative(),
                    IntegerSet::Natural1 | IntegerSet::Nat1 => !number.is_negative() && !number.is_zero(),
                    IntegerSet::Integer | IntegerSet::Int => true,
                })
            }
            Symbolic::Interval(from, to) => {
                let Value::Integer(number) = element else { unreachable!("typed as an integer") };
                Ok(from <= number && number <= to)
            }
            Symbolic::Strings | Symbolic::Free { .. } => Ok(true),
            Symbolic::Power { base, nonempty, finite } => {
                if *nonempty && self.is_empty(element, span)? {
                    return Ok(false);
                }
                if *finite && !self.is_finite(element, span)? {
                    return Ok(false);
                }
                self.subset(element, base, span)
            }
            Symbolic::Product(from, to) => {
                let (first, second) = pair(element);
                Ok(self.member(&first, from, span)? && self.member(&second, to, span)?)
            }
            Symbolic::Functions(kind, from, to) => self.member_of_functions(element, *kind, from, to, span),
            Symbolic::Sequences(kind, base) => self.member_of_sequences(element, *kind, base, span),
            Symbolic::Struct(fields) => {
                let Value::Record(values) = element else { unreachable!("typed as a record") };
                // Both have the fields of their type, in its order.
                for ((_, value), (_, set)) in values.iter().zip(fields.iter()) {
                    if !self.member(value, set, span)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Symbolic::Identity(base) => {
                let (first, second) = pair(element);
                Ok(self.equal(&first, &second, span)? && self.member(&first, base, span)?)
            }
            Symbolic::Union(left, right) => Ok(self.member(element, left, span)? || self.member(element, right, span)?),
            Symbolic::Intersection(left, right) => Ok(self.member(element, left, span)? && self.member(element, right, span)?),
            Symbolic::Difference(left, right) => Ok(self.member(element, left, span)? && !self.member(element, right, span)?),
            Symbolic::Inverse(relation) => {
                let (first, second) = pair(element);
                self.member(&Value::pair(second, first), relation, span)
            }
            Symbolic::Compose(..)
            | Symbolic::Transitive(_)
            | Symbolic::Override(..)
            | Symbolic::DirectProduct(..)
            | Symbolic::ParallelProduct(..) => {
                let (first, second) = pair(element);
                let mut found = false;
                // Only what is related to the first component is visited.
                self.related_symbolic(symbolic, &first, span, &mut |frame, value| {
                    found = frame.equal(&value, &second, span)?;
                    Ok(if found { Flow::Stop } else { Flow::Continue })
                })?;
                Ok(found)
            }
            Symbolic::Domain(relation) => {
                let mut found = false;
                self.related(relation, element, span, &mut |_, _| {
                    found = true;
                    Ok(Flow::Stop)
                })?;
                Ok(found)
            }
            Symbolic::DomainRestrict(set, relation, subtracted) => {
                let (first, _) = pair(element);
                Ok(self.member(&first, set, span)? != *subtracted && self.member(element, relation, span)?)
            }
            Symbolic::RangeRestrict(relation, set, subtracted) => {
                let (_, second) = pair(element);
                Ok(self.member(&second, set, span)? != *subtracted && self.member(element, relation, span)?)
            }
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                self.inside(&plan, captured, |frame| frame.member_of_closure(&plan, element, span))
            }
        }
    }

    /// Visits the elements of a symbolic set; `set` is its value.
    // A list: one arm for each form, which reduces it to visits of its parts.
    pub(super) fn visit_symbolic(
        &mut self,
        symbolic: &Symbolic,
        set: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Symbolic sets of symbolic sets may take long before the first element.
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
                    // Already visited as an element of the left set.
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

    /// Visits everything that a described relation relates to an argument, once; values that differ in form only count as different here.
    // Long because it is a list: one arm for each kind of description, most of them the definition of the operator.
    pub(in crate::run) fn related_symbolic(
        &mut self,
        symbolic: &Symbolic,
        argument: &Value,
        span: Span,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        self.tick(span)?;
        let relates = |frame: &mut Self, relation: &Value, value: &Value| {
            let pair = Value::pair(argument.clone(), value.clone());
            frame.member(&pair, relation, span)
        };
        match symbolic {
            Symbolic::Closure { .. } => self.related_by_closure(symbolic, argument, span, visitor),
            Symbolic::Product(from, to) => {
                if self.member(argument, from, span)? {
                    self.visit(to, span, visitor)
                } else {
                    Ok(Flow::Continue)
                }
            }
            Symbolic::Identity(base) => {
                if self.member(argument, base, span)? {
                    visitor(self, argument.clone())
                } else {
                    Ok(Flow::Continue)
                }
            }
            Symbolic::Union(left, right) => {
                if self.related(left, argument, span, visitor)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                // A value that both sides relate has been visited already.
                self.related(right, argument, span, &mut |frame, value| {
                    if relates(frame, left, &value)? { Ok(Flow::Continue) } else { visitor(frame, value) }
                })
            }
            Symbolic::Intersection(left, right) => {
                // A function relates one value at most to an argument, however many pairs it has.
                let (walk, test) = if self.is_function(left) { (left, right) } else { self.to_visit(left, right) };
                self.related(walk, argument, span, &mut |frame, value| {
                    if relates(frame, test, &value)? { visitor(frame, value) } else { Ok(Flow::Continue) }
                })
            }
            Symbolic::Difference(left, right) => self.related(left, argument, span, &mut |frame, value| {
                if relates(frame, right, &value)? { Ok(Flow::Continue) } else { visitor(frame, value) }
            }),
            Symbolic::Override(relation, changes) => {
                // An argument for which there is a change has lost its old values.
                let mut changed = false;
                let flow = self.related(changes, argument, span, &mut |frame, value| {
                    changed = true;
                    visitor(frame, value)
                })?;
                if changed { Ok(flow) } else { self.related(relation, argument, span, visitor) }
            }
            Symbolic::Transitive(relation) => self.reached(relation, argument, span, visitor),
            Symbolic::Compose(first, then) => {
                // Several middle elements may lead to one value.
                let mut met = BTreeSet::new();
                self.related(first, argument, span, &mut |frame, middle| {
                    frame.related(then, &middle, span, &mut |frame, value| {
                        if met.insert(value.clone()) { visitor(frame, value) } else { Ok(Flow::Continue) }
                    })
                })
            }
            Symbolic::DomainRestrict(set, relation, subtracted) => {
                if self.member(argument, set, span)? != *subtracted {
                    self.related(relation, argument, span, visitor)
                } else {
                    Ok(Flow::Continue)
                }
            }
            Symbolic::RangeRestrict(relation, set, subtracted) => self.related(relation, argument, span, &mut |frame, value| {
                if frame.member(&value, set, span)? != *subtracted { visitor(frame, value) } else { Ok(Flow::Continue) }
            }),
            Symbolic::DirectProduct(left, right) => self.related(left, argument, span, &mut |frame, first| {
                frame.related(right, argument, span, &mut |frame, second| visitor(frame, Value::pair(first.clone(), second)))
            }),
            Symbolic::ParallelProduct(left, right) => {
                let (a, b) = argument.as_pair().expect("the argument of a parallel product is a pair");
                self.related(left, a, span, &mut |frame, first| {
                    frame.related(right, b, span, &mut |frame, second| visitor(frame, Value::pair(first.clone(), second)))
                })
            }
            Symbolic::Inverse(relation) => match self.arguments_of(relation, argument, span, visitor)? {
                Some(flow) => Ok(flow),
                None => self.related_by_visiting(&Value::Symbolic(Arc::new(symbolic.clone())), argument, span, visitor),
            },
            // Descriptions without access by argument, such as the `Domain` of a relation whose arguments are pairs.
            Symbolic::Domain(_)
            | Symbolic::Interval(..)
            | Symbolic::Integers(_)
            | Symbolic::Strings
            | Symbolic::Free { .. }
            | Symbolic::Power { .. }
            | Symbolic::Functions(..)
            | Symbolic::Sequences(..)
            | Symbolic::Struct(_) => self.related_by_visiting(&Value::Symbolic(Arc::new(symbolic.clone())), argument, span, visitor),
        }
    }

    /// The domain as far as the form of a description determines it; `domain_of` gives those of the relations inside.
    pub(in crate::run) fn symbolic_domain(
        &mut self,
        relation: &Value,
        span: Span,
        domain_of: fn(&mut Self, &Value, Span) -> Result<Value, EvalError>,
    ) -> Result<Option<Value>, EvalError> {
        let Value::Symbolic(symbolic) = relation else { return Ok(None) };
        Ok(Some(match &**symbolic {
            Symbolic::Product(from, to) => {
                // The product with the empty set has no pairs, and so no arguments.
                if self.is_empty(to, span)? { Value::Set(Set::empty()) } else { from.clone() }
            }
            Symbolic::Identity(base) => base.clone(),
            Symbolic::Inverse(relation) => self.range(relation, span)?,
            Symbolic::Override(left, right) | Symbolic::Union(left, right) => {
                let (left, right) = (domain_of(self, left, span)?, domain_of(self, right, span)?);
                self.union(left, right, span)?
            }
            // A restriction of the range may remove all pairs of an argument, so its form determines nothing.
            Symbolic::DomainRestrict(set, relation, subtracted) => {
                let domain = domain_of(self, relation, span)?;
                if *subtracted { self.difference(domain, set.clone(), span)? } else { self.intersection(domain, set.clone(), span)? }
            }
            Symbolic::Closure { plan, captured } => match self.context.closures[*plan as usize].shape {
                // The domain of a lambda captures the same names, so it takes over the values.
                Shape::Function { domain, .. } => Value::Symbolic(Arc::new(Symbolic::Closure { plan: domain, captured: captured.clone() })),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    /// `ran(r)`
    pub(in crate::run) fn range(&mut self, relation: &Value, span: Span) -> Result<Value, EvalError> {
        if let Some(set) = self.explicit_relation(relation, span)? {
            return Ok(Value::Set(self.merged(relation::range(&set), span)?));
        }
        let Value::Symbolic(symbolic) = relation else { unreachable!("explicit sets were handled") };
        match &**symbolic {
            Symbolic::Product(from, to) => Ok(if self.is_empty(from, span)? { Value::Set(Set::empty()) } else { to.clone() }),
            Symbolic::Identity(base) => Ok(base.clone()),
            Symbolic::Inverse(relation) => self.domain(relation, span),
            // The range of a relation is the domain of its inverse, whose form may be a simpler one.
            _ => Ok(Value::Symbolic(Arc::new(Symbolic::Domain(self.inverse(relation))))),
        }
    }

    /// Whether the description shows that a set is infinite.
    pub(super) fn is_surely_infinite(&mut self, set: &Value) -> Result<bool, EvalError> {
        if cardinality(set) == Cardinality::Infinite {
            return Ok(true);
        }
        let Value::Symbolic(symbolic) = set else { return Ok(false) };
        match &**symbolic {
            Symbolic::Union(left, right) => Ok(self.is_surely_infinite(left)? || self.is_surely_infinite(right)?),
            // A finite set of pairs, or of arguments, takes finitely many pairs from a function; `S <<| r` may take all of a relation.
            Symbolic::Difference(whole, Value::Set(_)) | Symbolic::DomainRestrict(Value::Set(_), whole, true) => {
                Ok(self.is_function(whole) && self.is_surely_infinite(whole)?)
            }
            // Each argument has a value, its old or a new one.
            Symbolic::Override(function, _) if self.is_function(function) => self.is_surely_infinite(function),
            Symbolic::Identity(base) | Symbolic::Inverse(base) => self.is_surely_infinite(base),
            Symbolic::Closure { plan, captured } => match self.context.closures[*plan as usize].shape {
                // As many pairs as arguments.
                Shape::Function { domain, .. } => {
                    self.is_surely_infinite(&Value::Symbolic(Arc::new(Symbolic::Closure { plan: domain, captured: captured.clone() })))
                }
                _ => Ok(self.count_of_integers(set)? == Some(None)),
            },
            _ => Ok(false),
        }
    }

    /// Whether nothing bounds a visit of a set whose elements are not counted.
    pub(super) fn seems_endless(&self, set: &Value) -> bool {
        let Value::Symbolic(symbolic) = set else { return false };
        match &**symbolic {
            Symbolic::Union(left, right) => self.effort(left) == Effort::Endless || self.effort(right) == Effort::Endless,
            Symbolic::Intersection(left, right) => self.effort(left) == Effort::Endless && self.effort(right) == Effort::Endless,
            Symbolic::Identity(base) | Symbolic::Inverse(base) | Symbolic::Difference(base, _) | Symbolic::RangeRestrict(base, ..) => {
                self.effort(base) == Effort::Endless
            }
            _ => self.is_endless(set),
        }
    }
}
