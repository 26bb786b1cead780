//! Sets as descriptions: membership, enumeration, size and comparison without writing them out.
//!
//! Invariant: an explicit set and a description of the same set answer every question alike; what cannot be decided or
//! enumerated is an error with a place, never a guess and never an endless loop.
//! Deliberately elsewhere: applying symbolic relations (`function`), running a closure's search (`search`).

use super::frame::{Flow, Frame};
use super::plan::{ClosurePlan, Shape};
use super::{EvalError, EvalErrorKind};
use crate::ir::IntegerSet;
use crate::source::Span;
use crate::value::{FunctionKind, IllDefined, Integer, SequenceKind, Set, Symbolic, Value, relation, sequence, space};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Intervals up to this many numbers are written out at once.
const INTERVAL_EXPLICIT: u64 = 1024;

/// Sets up to this many elements are written out when they are stored or combined.
pub(super) const EXPAND_LIMIT: u64 = 1_000_000;

/// Larger sets are not enumerated: at a million elements a second it would take hours.
const VISIT_LIMIT: u64 = 1 << 34;

/// What is known about the number of elements of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cardinality {
    Finite(BigUint),
    Infinite,
    /// Only enumerating would tell.
    Unknown,
}

/// The set `from..to`.
pub(super) fn interval(from: &Integer, to: &Integer) -> Value {
    if from > to {
        return Value::Set(Set::empty());
    }
    if let (Some(low), Some(high)) = (from.to_i64(), to.to_i64())
        && high.abs_diff(low) < INTERVAL_EXPLICIT
    {
        return Value::Set(Set::from_sorted((low..=high).map(Value::integer).collect()));
    }
    Value::Symbolic(Arc::new(Symbolic::Interval(from.clone(), to.clone())))
}

pub(super) fn ill_defined<T>(reason: IllDefined, span: Span) -> Result<T, EvalError> {
    Err(EvalError { kind: EvalErrorKind::IllDefined(reason), span })
}

pub(super) fn unbounded<T>(what: String, span: Span) -> Result<T, EvalError> {
    Err(EvalError { kind: EvalErrorKind::Unbounded(what), span })
}

fn describe(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::Finite(count) => format!("a set of {count} elements"),
        Cardinality::Infinite => "an infinite set".to_owned(),
        Cardinality::Unknown => "a set that nothing bounds".to_owned(),
    }
}

impl Frame<'_> {
    /// Whether a value is an element of a set.
    pub(super) fn member(&mut self, element: &Value, set: &Value, span: Span) -> Result<bool, EvalError> {
        match set {
            Value::Set(set) => self.member_of_explicit(element, set, span),
            Value::Symbolic(symbolic) => self.member_of_symbolic(element, symbolic, span),
            _ => unreachable!("the type checker only allows membership in sets"),
        }
    }

    fn member_of_explicit(&mut self, element: &Value, set: &Set, span: Span) -> Result<bool, EvalError> {
        if let Value::Symbolic(_) = element {
            for candidate in set.iter() {
                if self.equal(element, &candidate, span)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        Ok(set.contains(element))
    }

    fn member_of_symbolic(&mut self, element: &Value, symbolic: &Symbolic, span: Span) -> Result<bool, EvalError> {
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
            Symbolic::Strings => Ok(true),
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
            Symbolic::Compose(..) | Symbolic::Override(..) | Symbolic::DirectProduct(..) | Symbolic::ParallelProduct(..) => {
                let (first, second) = pair(element);
                let mut found = false;
                self.related_symbolic(symbolic, &first, span, &mut |frame, value| {
                    found = frame.equal(&value, &second, span)?;
                    Ok(if found { Flow::Stop } else { Flow::Continue })
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

    /// Runs something with a closure's captured names set, and puts all slots back afterwards.
    pub(super) fn inside<T>(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        run: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let bound = self.save(&plan.bound);
        let outer = self.save(&plan.captured);
        for (&slot, value) in plan.captured.iter().zip(captured) {
            self.set(slot, value.clone());
        }
        let result = run(self);
        self.restore(&plan.captured, outer);
        self.restore(&plan.bound, bound);
        result
    }

    /// Membership in a comprehension whose captured names are set.
    pub(super) fn member_of_closure(&mut self, plan: &ClosurePlan, element: &Value, span: Span) -> Result<bool, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => {
                self.bind_tuple(&plan.locals, element);
                self.holds(&plan.search.source)
            }
            Shape::Function { body, .. } => {
                let (argument, result) = element.as_pair().expect("elements of a lambda are pairs");
                self.bind_tuple(&plan.locals, argument);
                if !self.holds(&plan.search.source)? {
                    return Ok(false);
                }
                let value = self.eval(body)?;
                self.equal(&value, result, span)
            }
            Shape::Image { target, search, .. } => {
                self.set(*target, element.clone());
                let mut found = false;
                self.run(search, &mut |_| {
                    found = true;
                    Ok(Flow::Stop)
                })?;
                Ok(found)
            }
        }
    }

    /// Sets locals to the components of a left-nested tuple.
    pub(super) fn bind_tuple(&mut self, locals: &[usize], value: &Value) {
        let mut rest = value.clone();
        for (position, &slot) in locals.iter().enumerate().rev() {
            if position == 0 {
                self.set(slot, rest);
                return;
            }
            let (front, last) = rest.as_pair().map(|(a, b)| (a.clone(), b.clone())).expect("a tuple has as many parts as names");
            self.set(slot, last);
            rest = front;
        }
    }

    fn member_of_functions(
        &mut self,
        element: &Value,
        kind: FunctionKind,
        from: &Value,
        to: &Value,
        span: Span,
    ) -> Result<bool, EvalError> {
        let explicit = match element {
            Value::Set(explicit) => explicit.clone(),
            _ => match self.try_explicit(element, EXPAND_LIMIT, span)? {
                Some(explicit) => explicit,
                None => return self.symbolic_function_fits(element, kind, from, to, span),
            },
        };
        if let (Value::Set(from), Value::Set(to)) = (from, to) {
            return Ok(space::satisfies(kind, &explicit, from, to));
        }
        if (kind.is_functional() && !relation::is_function(&explicit)) || (kind.is_injective() && !relation::is_injective(&explicit)) {
            return Ok(false);
        }
        let domain = Value::Set(relation::domain(&explicit));
        let range = Value::Set(relation::range(&explicit));
        let fits = |frame: &mut Self, part: &Value, whole: &Value, all: bool| {
            if all { frame.equal(part, whole, span) } else { frame.subset(part, whole, span) }
        };
        Ok(fits(self, &domain, from, kind.is_total())? && fits(self, &range, to, kind.is_surjective())?)
    }

    /// A function that is itself a description, such as `%x.(x : NATURAL | x + 1)`: the domain is compared as far as possible; that
    /// every value lies in the target set is taken on trust and noted, as it would need a proof.
    fn symbolic_function_fits(
        &mut self,
        element: &Value,
        kind: FunctionKind,
        from: &Value,
        to: &Value,
        span: Span,
    ) -> Result<bool, EvalError> {
        let domain = self.domain(element, span);
        let fits = match domain {
            Ok(domain) if kind.is_total() => self.equal(&domain, from, span),
            Ok(domain) => self.subset(&domain, from, span),
            Err(error) => Err(error),
        };
        match fits {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(error) if error.kind.is_ill_defined() || error.kind == EvalErrorKind::Interrupted => return Err(error),
            Err(_) => {}
        }
        if !matches!(to, Value::Symbolic(symbolic) if matches!(**symbolic, Symbolic::Integers(IntegerSet::Integer) | Symbolic::Strings)) {
            self.context.assume(span);
        }
        Ok(true)
    }

    fn member_of_sequences(&mut self, element: &Value, kind: SequenceKind, base: &Value, span: Span) -> Result<bool, EvalError> {
        let explicit = self.explicit(element, span)?;
        let Some(items) = sequence::as_sequence(&explicit) else { return Ok(false) };
        if matches!(kind, SequenceKind::Seq1 | SequenceKind::Iseq1) && items.is_empty() {
            return Ok(false);
        }
        if matches!(kind, SequenceKind::Iseq | SequenceKind::Iseq1 | SequenceKind::Perm) && !relation::is_injective(&explicit) {
            return Ok(false);
        }
        for item in &items {
            if !self.member(item, base, span)? {
                return Ok(false);
            }
        }
        if kind == SequenceKind::Perm {
            return Ok(self.cardinality(base, span)? == Cardinality::Finite(BigUint::from(items.len())));
        }
        Ok(true)
    }

    /// The number of elements as far as the description tells.
    pub(super) fn cardinality(&mut self, set: &Value, span: Span) -> Result<Cardinality, EvalError> {
        let symbolic = match set {
            Value::Set(set) => return Ok(Cardinality::Finite(BigUint::from(set.len()))),
            Value::Symbolic(symbolic) => symbolic,
            _ => unreachable!("the type checker only allows sets here"),
        };
        Ok(match &**symbolic {
            Symbolic::Integers(_) | Symbolic::Strings => Cardinality::Infinite,
            Symbolic::Interval(from, to) => {
                let count = to.subtract(from).to_big() + 1u32;
                Cardinality::Finite(count.to_biguint().expect("an interval is not empty"))
            }
            Symbolic::Power { base, nonempty, .. } => match self.cardinality(base, span)? {
                Cardinality::Finite(count) => match count.to_usize() {
                    Some(count) if count <= 1 << 20 => Cardinality::Finite(space::count_subsets(count) - u32::from(*nonempty)),
                    _ => Cardinality::Infinite,
                },
                other => other,
            },
            Symbolic::Product(left, right) => {
                let parts = [self.cardinality(left, span)?, self.cardinality(right, span)?];
                product_of(&parts)
            }
            Symbolic::Struct(fields) => {
                let mut parts = Vec::new();
                for (_, set) in fields.iter() {
                    parts.push(self.cardinality(set, span)?);
                }
                product_of(&parts)
            }
            Symbolic::Functions(kind, from, to) => match (self.cardinality(from, span)?, self.cardinality(to, span)?) {
                (Cardinality::Finite(n), Cardinality::Finite(m)) => match (n.to_usize(), m.to_usize()) {
                    (Some(n), Some(m)) if n.saturating_mul(m) <= 1 << 16 => Cardinality::Finite(space::count_functions(*kind, n, m)),
                    _ => Cardinality::Infinite,
                },
                (Cardinality::Finite(n), _) | (_, Cardinality::Finite(n)) if n.is_zero() => Cardinality::Unknown,
                (Cardinality::Unknown, _) | (_, Cardinality::Unknown) => Cardinality::Unknown,
                _ => Cardinality::Infinite,
            },
            Symbolic::Sequences(kind, base) => match self.cardinality(base, span)? {
                Cardinality::Finite(count) => match count.to_usize() {
                    Some(count) if count <= 1 << 12 => {
                        space::count_sequences(*kind, count).map_or(Cardinality::Infinite, Cardinality::Finite)
                    }
                    _ => Cardinality::Infinite,
                },
                other => other,
            },
            Symbolic::Identity(base) => self.cardinality(base, span)?,
            Symbolic::Inverse(relation) => self.cardinality(relation, span)?,
            Symbolic::Union(left, right) => match (self.cardinality(left, span)?, self.cardinality(right, span)?) {
                (Cardinality::Infinite, _) | (_, Cardinality::Infinite) => Cardinality::Infinite,
                _ => Cardinality::Unknown,
            },
            Symbolic::Difference(left, right) => match (self.cardinality(left, span)?, self.cardinality(right, span)?) {
                (Cardinality::Infinite, Cardinality::Finite(_)) => Cardinality::Infinite,
                _ => Cardinality::Unknown,
            },
            Symbolic::Override(relation, _) => match self.cardinality(relation, span)? {
                Cardinality::Infinite => Cardinality::Infinite,
                _ => Cardinality::Unknown,
            },
            Symbolic::Intersection(..)
            | Symbolic::Compose(..)
            | Symbolic::DomainRestrict(..)
            | Symbolic::RangeRestrict(..)
            | Symbolic::DirectProduct(..)
            | Symbolic::ParallelProduct(..)
            | Symbolic::Closure { .. } => Cardinality::Unknown,
        })
    }

    /// The exact number of elements; `None` when infinite. Enumerates where the description does not tell.
    pub(super) fn count(&mut self, set: &Value, span: Span) -> Result<Option<BigUint>, EvalError> {
        match self.cardinality(set, span)? {
            Cardinality::Finite(count) => Ok(Some(count)),
            Cardinality::Infinite => Ok(None),
            Cardinality::Unknown => Ok(self.try_explicit(set, u64::MAX, span)?.map(|set| BigUint::from(set.len()))),
        }
    }

    pub(super) fn is_finite(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        Ok(self.count(set, span)?.is_some())
    }

    pub(super) fn is_empty(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        match self.cardinality(set, span)? {
            Cardinality::Finite(count) => Ok(count.is_zero()),
            Cardinality::Infinite => Ok(false),
            Cardinality::Unknown => {
                let mut empty = true;
                let visited = self.visit(set, span, &mut |_, _| {
                    empty = false;
                    Ok(Flow::Stop)
                });
                match visited {
                    // Something that nothing bounds, and no witness at hand: an infinite set as far as anybody can tell.
                    Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) => Ok(false),
                    other => other.map(|_| empty),
                }
            }
        }
    }

    /// The set written out, if it is finite and has at most `limit` elements.
    pub(super) fn try_explicit(&mut self, set: &Value, limit: u64, span: Span) -> Result<Option<Set>, EvalError> {
        if let Value::Set(set) = set {
            return Ok(Some(set.clone()));
        }
        match self.cardinality(set, span)? {
            Cardinality::Infinite => return Ok(None),
            Cardinality::Finite(count) if count > BigUint::from(limit.min(VISIT_LIMIT)) => return Ok(None),
            Cardinality::Finite(_) | Cardinality::Unknown => {}
        }
        let mut elements = Vec::new();
        let mut overflow = false;
        let visited = self.visit(set, span, &mut |_, element| {
            elements.push(element);
            overflow = elements.len() as u64 > limit.saturating_mul(4);
            Ok(if overflow { Flow::Stop } else { Flow::Continue })
        });
        match visited {
            Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(_) if overflow => Ok(None),
            Ok(_) => {
                let set = Set::from_values(elements);
                Ok(if set.len() as u64 > limit { None } else { Some(set) })
            }
        }
    }

    /// The set written out.
    pub(super) fn explicit(&mut self, set: &Value, span: Span) -> Result<Set, EvalError> {
        if let Value::Set(set) = set {
            return Ok(set.clone());
        }
        match self.try_explicit(set, EXPAND_LIMIT * 16, span)? {
            Some(set) => Ok(set),
            None => {
                let cardinality = self.cardinality(set, span)?;
                unbounded(describe(&cardinality), span)
            }
        }
    }

    /// The value as it is stored: finite descriptions are written out, so that equal sets are represented alike.
    pub(super) fn settled(&mut self, value: Value, span: Span) -> Result<Value, EvalError> {
        match &value {
            Value::Symbolic(_) => Ok(self.try_explicit(&value, EXPAND_LIMIT, span)?.map_or(value, Value::Set)),
            _ => Ok(value),
        }
    }

    /// Visits every element of a set once, in a fixed order.
    pub(super) fn visit(
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
            Value::Symbolic(symbolic) => symbolic.clone(),
            _ => unreachable!("the type checker only allows sets here"),
        };
        match self.cardinality(set, span)? {
            Cardinality::Finite(count) if count > BigUint::from(VISIT_LIMIT) => {
                return unbounded(describe(&Cardinality::Finite(count)), span);
            }
            Cardinality::Infinite => return unbounded(describe(&Cardinality::Infinite), span),
            Cardinality::Finite(_) | Cardinality::Unknown => {}
        }
        match &*symbolic {
            Symbolic::Integers(_) | Symbolic::Strings => unbounded(describe(&Cardinality::Infinite), span),
            Symbolic::Interval(from, to) => {
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
            Symbolic::Power { base, nonempty, .. } => {
                let base = self.explicit(base, span)?;
                self.bridge(span, visitor, &mut |visit| space::visit_subsets(&base, *nonempty, visit))
            }
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
                    if frame.member(&element, left, span)? { Ok(Flow::Continue) } else { visitor(frame, element) }
                })
            }
            Symbolic::Intersection(left, right) => {
                let (walk, test) = match self.cardinality(left, span)? {
                    Cardinality::Infinite => (right, left),
                    Cardinality::Finite(_) | Cardinality::Unknown => (left, right),
                };
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
            Symbolic::DomainRestrict(set, relation, false) => {
                let set = set.clone();
                self.visit_restricted(&set, relation, span, visitor)
            }
            Symbolic::DomainRestrict(..) | Symbolic::RangeRestrict(..) => {
                let (Symbolic::DomainRestrict(_, relation, _) | Symbolic::RangeRestrict(relation, _, _)) = &*symbolic else {
                    unreachable!("matched just above")
                };
                self.visit(relation, span, &mut |frame, element| {
                    if frame.member_of_symbolic(&element, &symbolic, span)? { visitor(frame, element) } else { Ok(Flow::Continue) }
                })
            }
            Symbolic::Compose(first, _) | Symbolic::DirectProduct(first, _) => {
                let domain = self.domain(first, span)?;
                self.visit_restricted(&domain, set, span, visitor)
            }
            Symbolic::Override(relation, changes) => {
                let domain = self.domain(relation, span)?;
                let more = self.domain(changes, span)?;
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
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                if let Shape::Image { .. } = plan.shape {
                    // Different bindings may build the same element.
                    let mut elements = Vec::new();
                    self.inside(&plan, captured, |frame| {
                        frame.run(&plan.search, &mut |frame| {
                            elements.push(frame.closure_element(&plan)?);
                            Ok(Flow::Continue)
                        })
                    })?;
                    return self.visit(&Value::set(elements), span, visitor);
                }
                self.inside(&plan, captured, |frame| {
                    frame.run(&plan.search, &mut |frame| {
                        let element = frame.closure_element(&plan)?;
                        visitor(frame, element)
                    })
                })
            }
        }
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
        let Some((name, set)) = fields.get(chosen.len()) else {
            return visitor(self, Value::Record(chosen.as_slice().into()));
        };
        self.visit(set, span, &mut |frame, value| {
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
        enumerate: &mut dyn FnMut(&mut dyn FnMut(Set) -> ControlFlow<()>) -> ControlFlow<()>,
    ) -> Result<Flow, EvalError> {
        let mut outcome = Ok(Flow::Continue);
        let _ = enumerate(&mut |set| {
            outcome = self.tick(span).and_then(|()| visitor(self, Value::Set(set)));
            if outcome == Ok(Flow::Continue) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome
    }

    /// Whether the first set is included in the second.
    pub(super) fn subset(&mut self, part: &Value, whole: &Value, span: Span) -> Result<bool, EvalError> {
        if let (Value::Set(part), Value::Set(whole)) = (part, whole) {
            return Ok(part.is_subset(whole));
        }
        if part == whole {
            return Ok(true);
        }
        if let (Value::Symbolic(part), Value::Symbolic(whole)) = (part, whole)
            && let Some(known) = self.subset_by_description(part, whole, span)?
        {
            return Ok(known);
        }
        if matches!(part, Value::Symbolic(_)) && self.cardinality(part, span)? == Cardinality::Infinite {
            return if matches!(self.cardinality(whole, span)?, Cardinality::Finite(_)) {
                Ok(false)
            } else {
                Err(EvalError { kind: EvalErrorKind::Undecided("the inclusion of two infinite sets".to_owned()), span })
            };
        }
        let mut included = true;
        self.visit(part, span, &mut |frame, element| {
            included = frame.member(&element, whole, span)?;
            Ok(if included { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(included)
    }

    /// Inclusions that the descriptions alone show, in one direction or the other.
    fn subset_by_description(&mut self, part: &Symbolic, whole: &Symbolic, span: Span) -> Result<Option<bool>, EvalError> {
        use IntegerSet::{Integer as All, Natural, Natural1};
        Ok(match (part, whole) {
            (_, Symbolic::Integers(All) | Symbolic::Strings) => Some(true),
            (Symbolic::Integers(part), Symbolic::Integers(whole)) => {
                Some(matches!((part, whole), (Natural1, Natural1 | Natural) | (Natural, Natural)))
            }
            (Symbolic::Interval(from, _), Symbolic::Integers(whole)) => Some(!from.is_negative() && (*whole == Natural || !from.is_zero())),
            (Symbolic::Interval(from, to), Symbolic::Interval(low, high)) => Some(low <= from && to <= high),
            (Symbolic::Integers(_), Symbolic::Interval(..)) => Some(false),
            (
                Symbolic::Power { base, nonempty, finite },
                Symbolic::Power { base: whole, nonempty: whole_nonempty, finite: whole_finite },
            ) if (*nonempty || !whole_nonempty) && (*finite || !whole_finite) && self.subset(base, whole, span)? => Some(true),
            (Symbolic::Product(a, b), Symbolic::Product(c, d)) if self.subset(a, c, span)? && self.subset(b, d, span)? => Some(true),
            _ => None,
        })
    }

    /// Whether two values are equal.
    pub(super) fn equal(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        match (left, right) {
            (Value::Symbolic(_), _) | (_, Value::Symbolic(_)) => self.equal_sets(left, right, span),
            (Value::Pair(left), Value::Pair(right)) => Ok(self.equal(&left.0, &right.0, span)? && self.equal(&left.1, &right.1, span)?),
            _ => Ok(left == right),
        }
    }

    fn equal_sets(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        if left == right {
            return Ok(true);
        }
        match (self.cardinality(left, span)?, self.cardinality(right, span)?) {
            (Cardinality::Finite(left), Cardinality::Finite(right)) if left != right => return Ok(false),
            (Cardinality::Finite(_), Cardinality::Infinite) | (Cardinality::Infinite, Cardinality::Finite(_)) => return Ok(false),
            _ => {}
        }
        if let (Value::Symbolic(a), Value::Symbolic(b)) = (left, right)
            && let (Some(one), Some(other)) = (self.subset_by_description(a, b, span)?, self.subset_by_description(b, a, span)?)
        {
            return Ok(one && other);
        }
        match (self.try_explicit(left, EXPAND_LIMIT, span)?, self.try_explicit(right, EXPAND_LIMIT, span)?) {
            (Some(left), Some(right)) => Ok(left == right),
            (Some(_), None) | (None, Some(_)) => Ok(false),
            (None, None) => Err(EvalError { kind: EvalErrorKind::Undecided("whether two infinite sets are equal".to_owned()), span }),
        }
    }
}

fn product_of(parts: &[Cardinality]) -> Cardinality {
    let zero = Cardinality::Finite(BigUint::zero());
    if parts.contains(&zero) {
        return zero;
    }
    let mut product = BigUint::one();
    for part in parts {
        match part {
            Cardinality::Finite(count) => product *= count,
            other => return other.clone(),
        }
    }
    Cardinality::Finite(product)
}
