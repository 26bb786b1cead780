//! Membership in sets, explicit or described.
//!
//! Invariant: nothing is enumerated that the description can decide; a closure's condition is evaluated on the element itself.

use super::EXPAND_LIMIT;
use crate::eval::plan::{ClosurePlan, Search, Shape, Slot};
use crate::eval::run::frame::{Flow, Frame};
use crate::eval::{EvalError, EvalErrorKind};
use crate::ir::{IntegerSet, Type};
use crate::source::Span;
use crate::value::cardinality::{Cardinality, cardinality};
use crate::value::samples::samples;
use crate::value::{FunctionKind, SequenceKind, Set, Symbolic, Value, relation, sequence, space};
use num_bigint::BigUint;
use std::sync::Arc;

/// How many values of one sample argument are visited.
const SAMPLED_VALUES: usize = 10;
/// The work that one sample argument is worth, in units of fuel: some milliseconds.
const SAMPLED_WORK: u32 = 16;

impl Frame<'_> {
    /// Whether a value is an element of a set.
    pub(in crate::eval) fn member(&mut self, element: &Value, set: &Value, span: Span) -> Result<bool, EvalError> {
        match set {
            Value::Set(set) => self.member_of_explicit(element, set, span),
            Value::Symbolic(symbolic) => self.member_of_symbolic(element, symbolic, span),
            _ => unreachable!("the type checker only allows membership in sets"),
        }
    }

    fn member_of_explicit(&mut self, element: &Value, set: &Set, span: Span) -> Result<bool, EvalError> {
        if set.contains(element) {
            return Ok(true);
        }
        if element.is_plain() || !element.holds_description() && !set.holds_description() {
            return Ok(false);
        }
        // Descriptions may be equal to values that look different, so the order of values cannot find them. An equal
        // element wins over one of which this cannot be decided, whatever comes first.
        let mut undecided = None;
        for candidate in set.iter() {
            match self.equal(element, &candidate, span) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) if matches!(error.kind, EvalErrorKind::Undecided(_)) => undecided = undecided.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        undecided.map_or(Ok(false), Err)
    }

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

    /// Runs something with a closure's captured names set, and restores all slots afterwards.
    pub(in crate::eval) fn inside<T>(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        run: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        self.enter(plan.span)?;
        // A closure may run inside itself (`recursion`), where the outer run still needs its names and what it captured.
        let bound = self.save(&plan.bound);
        let outer = self.save(&plan.captured);
        for (&slot, value) in plan.captured.iter().zip(captured) {
            self.set(slot, value.clone());
        }
        // No `?` before the slots are restored.
        let result = run(self);
        self.restore(&plan.captured, outer);
        self.restore(&plan.bound, bound);
        self.leave();
        result
    }

    /// Runs a search of a closure inside of it, and calls the visitor with what `made` gives for each binding; `given` sets what the
    /// search starts from.
    ///
    /// The visitor meets the slots as they are outside. They matter where it reads a name that the closure has captured with another
    /// value: after `x := 1; s := {y | y > x}; x := 50`, the quantifier `#z.(z : s & z < x)` compares with 50.
    pub(in crate::eval::run) fn visit_inside(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        search: &Search,
        given: impl FnOnce(&mut Self),
        made: impl Fn(&mut Self) -> Result<Value, EvalError>,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Most closures run where they were made, and the values that they captured are shared with the slots: comparing them is cheap.
        let is_current = plan.captured.iter().zip(captured).all(|(&slot, value)| self.content(slot) == Some(value));
        if is_current {
            return self.inside(plan, captured, |frame| {
                given(frame);
                frame.run(search, &mut |frame| {
                    let value = made(frame)?;
                    visitor(frame, value)
                })
            });
        }
        // With other captured values the visitor may also be part of another run of the same closure, which has bound the same names.
        let slots: Vec<Slot> = plan.captured.iter().chain(&plan.bound).copied().collect();
        let outside = self.save(&slots);
        self.inside(plan, captured, |frame| {
            given(frame);
            frame.run(search, &mut |frame| {
                let value = made(frame)?;
                let inside = frame.save(&slots);
                frame.restore(&slots, outside.clone());
                let flow = visitor(frame, value);
                frame.restore(&slots, inside);
                flow
            })
        })
    }

    /// Membership in a comprehension whose captured names are set.
    pub(in crate::eval) fn member_of_closure(&mut self, plan: &ClosurePlan, element: &Value, span: Span) -> Result<bool, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => {
                // The element binds all names: no search, the condition is evaluated in the order of the text.
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
    pub(in crate::eval) fn bind_tuple(&mut self, locals: &[usize], value: &Value) {
        let mut rest = value.clone();
        // In `((a, b), c)` the outermost pair holds the last component.
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
        if let (Value::Set(from), Value::Set(to)) = (from, to)
            && ![&explicit, from, to].into_iter().any(Set::holds_description)
        {
            return Ok(space::satisfies(kind, &explicit, from, to));
        }
        if (kind.is_functional() && !self.is_functional(&explicit, span)?)
            || (kind.is_injective() && !self.is_injective(&explicit, span)?)
        {
            return Ok(false);
        }
        let domain = Value::Set(self.merged(relation::domain(&explicit), span)?);
        let range = Value::Set(self.merged(relation::range(&explicit), span)?);
        // Total: the domain is all of `from`, else a part of it. Surjective: the same for the range and `to`.
        let fits = |frame: &mut Self, part: &Value, whole: &Value, all: bool| {
            if all { frame.equal(part, whole, span) } else { frame.subset(part, whole, span) }
        };
        Ok(fits(self, &domain, from, kind.is_total())? && fits(self, &range, to, kind.is_surjective())?)
    }

    /// Whether no argument of a written-out relation has two values.
    fn is_functional(&mut self, relation: &Set, span: Span) -> Result<bool, EvalError> {
        if !relation.holds_description() {
            return Ok(relation::is_function(relation));
        }
        // Arguments of different forms may be the same set, so forms do not decide it.
        Ok(self.merged(relation::domain(relation), span)?.len() == relation.len())
    }

    /// Whether no value of a written-out relation has two arguments.
    fn is_injective(&mut self, relation: &Set, span: Span) -> Result<bool, EvalError> {
        Ok(self.merged(relation::range(relation), span)?.len() == relation.len())
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
        let pairs = Value::Symbolic(Arc::new(Symbolic::Product(from.clone(), to.clone())));
        if kind == FunctionKind::Relations && self.is_shown_within(element, &pairs, span)? {
            return Ok(true);
        }
        let domain = self.domain(element, span);
        let fits = match domain {
            Ok(domain) if kind.is_total() => self.equal(&domain, from, span),
            Ok(domain) => self.subset(&domain, from, span),
            Err(error) => Err(error),
        };
        let is_domain_known = match fits {
            Ok(false) => return Ok(false),
            Ok(true) => true,
            Err(error) if error.kind.is_ill_defined() || error.kind == EvalErrorKind::Interrupted => return Err(error),
            // What cannot be decided about the domain is taken on trust as well.
            Err(_) => false,
        };
        if self.refuted_by_sample(element, kind, from, to, span)? {
            return Ok(false);
        }
        let holds_all = matches!(to, Value::Symbolic(symbolic)
            if matches!(**symbolic, Symbolic::Integers(IntegerSet::Integer) | Symbolic::Strings));
        let is_function = !kind.is_functional() || self.is_function(element);
        if !is_domain_known || !holds_all || !is_function || kind.is_injective() || kind.is_surjective() {
            self.context.assume(span);
        }
        Ok(true)
    }

    /// Whether a few arguments show that a relation that is not written out is not in a set of functions: they are related to a value
    /// outside of `to`, to several values, or to a value that another one is related to.
    fn refuted_by_sample(&mut self, relation: &Value, kind: FunctionKind, from: &Value, to: &Value, span: Span) -> Result<bool, EvalError> {
        let mut met: Vec<Value> = Vec::new();
        for argument in self.sample_arguments(from) {
            let (mut count, mut is_refuted) = (0, false);
            let mut values = Vec::new();
            let looked = self.within_work(SAMPLED_WORK, |frame| {
                frame.related(relation, &argument, span, &mut |frame, value| {
                    count += 1;
                    // One value may come in several forms. Where that is not decided, the error below shows nothing.
                    let is_another = match values.first() {
                        Some(first) if kind.is_functional() => !frame.equal(first, &value, span)?,
                        _ => false,
                    };
                    is_refuted = is_another || !frame.member(&value, to, span)?;
                    values.push(value);
                    // That each argument has one value is known after the second.
                    Ok(if is_refuted || count == SAMPLED_VALUES { Flow::Stop } else { Flow::Continue })
                })
            });
            match looked {
                // Too much work shows nothing.
                Ok(None) => continue,
                Ok(_) if is_refuted => return Ok(true),
                Ok(_) if count == 0 && kind.is_total() && self.member(&argument, from, span)? => return Ok(true),
                Ok(_) => {}
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                // What cannot be evaluated shows nothing.
                Err(_) => continue,
            }
            if kind.is_injective() && values.iter().any(|value| met.contains(value)) {
                return Ok(true);
            }
            met.append(&mut values);
        }
        Ok(false)
    }

    /// Sample values of the type of a set of integers, strings or pairs of them; no values for other sets.
    fn sample_arguments(&mut self, set: &Value) -> Vec<Value> {
        let Value::Symbolic(symbolic) = set else { return Vec::new() };
        let ty = match &**symbolic {
            Symbolic::Integers(_) | Symbolic::Interval(..) => Type::Integer,
            Symbolic::Strings => Type::String,
            Symbolic::Product(left, right) => {
                let rights = self.sample_arguments(right);
                let pairs = |left: Value| rights.iter().map(move |right| Value::pair(left.clone(), right.clone())).collect::<Vec<_>>();
                return self.sample_arguments(left).into_iter().flat_map(pairs).collect();
            }
            _ => return Vec::new(),
        };
        samples(&ty)
    }

    fn member_of_sequences(&mut self, element: &Value, kind: SequenceKind, base: &Value, span: Span) -> Result<bool, EvalError> {
        let explicit = self.explicit(element, span)?;
        let Some(items) = sequence::as_sequence(&explicit) else { return Ok(false) };
        if kind.is_nonempty() && items.is_empty() {
            return Ok(false);
        }
        if kind.is_injective() && !self.is_injective(&explicit, span)? {
            return Ok(false);
        }
        for item in &items {
            if !self.member(item, base, span)? {
                return Ok(false);
            }
        }
        if kind == SequenceKind::Perm {
            // The items are elements of the base and differ from each other, so as many as there are elements are all of them.
            return match cardinality(base) {
                Cardinality::Finite(count) => Ok(count == BigUint::from(items.len())),
                Cardinality::Large | Cardinality::Infinite => Ok(false),
                // Not counted: whether there is another element is decided in many ways, not only by enumeration.
                Cardinality::Unknown => self.equal(base, &Value::Set(relation::range(&explicit)), span),
            };
        }
        Ok(true)
    }
}
