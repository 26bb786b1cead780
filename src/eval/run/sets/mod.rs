//! Sets as descriptions: counted and compared without writing them out, and written out where that is possible.
//!
//! Invariant: an explicit set and a description of the same set answer every question alike; what cannot be decided or enumerated is an
//! error with a place, never a guess and never an endless loop.
//! Deliberately elsewhere: `membership`, `enumeration`, applying symbolic relations (`function`), running a closure's search (`search`).

mod algebra;
mod described;
pub(super) mod enumeration;
mod function_spaces;
pub(super) mod inclusion;
mod integer_functions;
pub(super) mod integer_sets;
pub(super) mod membership;
mod value_bounds;

#[cfg(test)]
mod tests;

use super::frame::{Flow, Frame};
use crate::error::unbounded;
use crate::plan::{Action, ClosurePlan, Shape};
use crate::thresholds::{HOPELESS_COST, LISTED_SET, VISITED_SET, WRITTEN_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{Expr, ExprKind, IntegerSet, Node, Type, walk_expr};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality, describe, is_larger, is_surely_finite};
use bcheck_value::{Integer, Set, Symbolic, Value};
pub(in crate::run) use enumeration::SetVisitor;
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

const HOPELESS_SET: &str = "a set whose condition would have to be tested for too many values";

/// Whether a set is known to have few enough elements to be written out.
pub(in crate::run) fn is_quickly_explicit(set: &Value) -> bool {
    matches!(cardinality(set), Cardinality::Finite(count) if count <= BigUint::from(WRITTEN_SET.get()))
}

/// Why a comprehension is not written out by a plain search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hopeless {
    /// Its search leaves no names to the solver.
    ByAnyMeans,
    /// Its search leaves names to the solver, which may find the few bindings that fit.
    UnlessSolved,
}

/// The effort of visiting a set, in ascending order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    /// As many steps, at most [`LISTED_SET`].
    Counted(BigUint),
    /// Finite, with an unknown number of steps.
    Finite,
    Unknown,
    /// As many steps, more than [`LISTED_SET`].
    Long(BigUint),
    /// No end, or one far beyond what is visited.
    Endless,
}

impl Frame<'_> {
    /// The exact number of elements; `None` when infinite. Enumerates where the description does not determine it.
    pub(crate) fn count(&mut self, set: &Value, span: Span) -> Result<Option<BigUint>, EvalError> {
        match cardinality(set) {
            Cardinality::Finite(count) => return Ok(Some(count)),
            // Finite, with a number of elements that is too large to be computed: `card(POW(POW(0..99)))`.
            Cardinality::Large => return Err(EvalError { kind: EvalErrorKind::TooLarge, span }),
            Cardinality::Infinite => return Ok(None),
            Cardinality::Unknown => {}
        }
        if let Some(count) = self.count_of_integers(set)? {
            return Ok(count);
        }
        // Counted by writing it out: bindings of a comprehension may build the same element, so that the elements must be kept.
        match self.try_explicit(set, u64::MAX, span)? {
            Some(set) => Ok(Some(BigUint::from(set.len()))),
            None if self.is_surely_infinite(set)? => Ok(None),
            None if self.hopeless(set).is_some() => unbounded(HOPELESS_SET.to_owned(), span),
            None if is_surely_finite(set) => unbounded(describe(&Cardinality::Large), span),
            None => unbounded(describe(&Cardinality::Unknown), span),
        }
    }

    /// Whether a set is finite; counted if its description does not show it.
    pub(crate) fn is_finite(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        Ok(is_surely_finite(set) || self.count(set, span)?.is_some())
    }

    /// Whether a set is empty; one element is searched for if its description does not show it.
    pub(crate) fn is_empty(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        match cardinality(set) {
            Cardinality::Finite(count) => Ok(count.is_zero()),
            Cardinality::Large | Cardinality::Infinite => Ok(false),
            Cardinality::Unknown if is_larger(set, 0) => Ok(false),
            Cardinality::Unknown => {
                let mut empty = true;
                let visited = self.visit(set, span, &mut |_, _| {
                    empty = false;
                    Ok(Flow::Stop)
                });
                match visited {
                    // An unbounded name, and no witness at hand.
                    Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) if self.is_surely_infinite(set)? => Ok(false),
                    other => other.map(|_| empty),
                }
            }
        }
    }

    /// The set written out, if it is finite and has at most `limit` elements.
    pub(crate) fn try_explicit(&mut self, set: &Value, limit: u64, span: Span) -> Result<Option<Set>, EvalError> {
        if let Value::Set(set) = set {
            return Ok(Some(set.clone()));
        }
        match cardinality(set) {
            Cardinality::Large | Cardinality::Infinite => return Ok(None),
            Cardinality::Finite(count) if count > BigUint::from(limit.min(VISITED_SET.get())) => return Ok(None),
            // Known to be too large, or too costly to visit, although the number of elements is not known.
            Cardinality::Unknown if is_larger(set, limit) || self.hopeless(set) == Some(Hopeless::ByAnyMeans) => return Ok(None),
            Cardinality::Finite(_) | Cardinality::Unknown => {}
        }
        let mut elements = Vec::new();
        let mut overflow = false;
        let outer = self.limits.refuses_hopeless;
        self.limits.refuses_hopeless |= self.hopeless(set).is_some();
        let visited = self.visit(set, span, &mut |_, element| {
            elements.push(element);
            overflow = elements.len() as u64 > limit;
            Ok(if overflow { Flow::Stop } else { Flow::Continue })
        });
        self.limits.refuses_hopeless = outer;
        match visited {
            // A constant that is being defined recursively cannot be applied yet, or not everywhere.
            Err(EvalError {
                kind: EvalErrorKind::Unbounded(_) | EvalErrorKind::Unassigned(_) | EvalErrorKind::TooDeep(_) | EvalErrorKind::TooLarge,
                ..
            }) => Ok(None),
            // An infinite function that is ill-defined somewhere may never be applied there.
            Err(error) if error.kind.is_ill_defined() && self.is_endless(set) => Ok(None),
            Err(error) => Err(error),
            Ok(_) if overflow => Ok(None),
            Ok(_) => self.set_of(elements, span).map(Some),
        }
    }

    /// Whether writing out a comprehension by a plain search would visit more bindings than any run can, however few of them fit.
    fn hopeless(&self, set: &Value) -> Option<Hopeless> {
        let Value::Symbolic(symbolic) = set else { return None };
        let Symbolic::Closure { plan, .. } = &**symbolic else { return None };
        let closure = &self.context.closures[*plan as usize];
        let is_solved = closure.search.actions.iter().any(|action| matches!(action, Action::Solve { .. }));
        let hopeless = if is_solved { Hopeless::UnlessSolved } else { Hopeless::ByAnyMeans };
        (closure.cost.is_finite() && closure.cost > HOPELESS_COST.get()).then_some(hopeless)
    }

    /// Which side of an intersection is visited, and which is tested for membership: the cheaper one is visited, the left one of equals.
    pub(in crate::run) fn to_visit<'a>(&self, left: &'a Value, right: &'a Value) -> (&'a Value, &'a Value) {
        if self.effort(right) < self.effort(left) { (right, left) } else { (left, right) }
    }

    /// The effort of visiting a set, as far as its description shows it.
    fn effort(&self, set: &Value) -> Effort {
        match cardinality(set) {
            Cardinality::Finite(count) if count <= BigUint::from(LISTED_SET.get()) => Effort::Counted(count),
            Cardinality::Finite(count) => Effort::Long(count),
            Cardinality::Large | Cardinality::Infinite => Effort::Endless,
            Cardinality::Unknown if is_surely_finite(set) => Effort::Finite,
            Cardinality::Unknown if self.seems_endless(set) => Effort::Endless,
            Cardinality::Unknown => Effort::Unknown,
        }
    }

    /// Whether nothing bounds the bindings of a comprehension.
    fn is_endless(&self, set: &Value) -> bool {
        let Value::Symbolic(symbolic) = set else { return false };
        matches!(&**symbolic, Symbolic::Closure { plan, .. } if self.context.closures[*plan as usize].cost.is_infinite())
    }

    /// The set written out.
    pub(crate) fn explicit(&mut self, set: &Value, span: Span) -> Result<Set, EvalError> {
        if let Value::Set(set) = set {
            return Ok(set.clone());
        }
        match self.try_explicit(set, LISTED_SET.get(), span)? {
            Some(set) => Ok(set),
            None if self.hopeless(set).is_some() => unbounded(HOPELESS_SET.to_owned(), span),
            // A part of infinite sets may be finite: `NATURAL - NATURAL1` is `{0}`.
            None => match self.few_integers(set)? {
                Some(few) => Ok(few),
                None => unbounded(describe(&cardinality(set)), span),
            },
        }
    }

    /// The value as it is stored: a symbolic set of at most [`WRITTEN_SET`] elements is listed, and a set of integers that has a name, or
    /// is a longer interval, becomes that, so that equal sets have equal representations as far as possible.
    #[inline]
    pub(crate) fn listed(&mut self, value: Value, span: Span) -> Result<Value, EvalError> {
        if let Value::Set(_) | Value::Symbolic(_) = value { self.listed_set(value, span) } else { Ok(value) }
    }

    fn listed_set(&mut self, value: Value, span: Span) -> Result<Value, EvalError> {
        match &value {
            Value::Symbolic(_) => match self.try_explicit(&value, WRITTEN_SET.get(), span)? {
                Some(set) => Ok(Value::Set(set)),
                None => Ok(self.few_or_named_integers(&value)?.unwrap_or(value)),
            },
            // Comprehensions and operators list more elements, which `a..b` describes.
            Value::Set(set) if set.len() as u64 > WRITTEN_SET.get() => Ok(interval_of(set).unwrap_or(value)),
            _ => Ok(value),
        }
    }

    /// Whether the first set is included in the second.
    pub(crate) fn subset(&mut self, part: &Value, whole: &Value, span: Span) -> Result<bool, EvalError> {
        if let (Value::Set(one), Value::Set(other)) = (part, whole) {
            let included = one.is_subset(other);
            if included || !part.holds_description() && !whole.holds_description() {
                return Ok(included);
            }
        }
        // The order of the following answers is by their cost: equal descriptions, their forms, intervals, conditions, and last the
        // elements of the part, one by one.
        if part == whole {
            return Ok(true);
        }
        if let (Value::Symbolic(part), Value::Symbolic(whole)) = (part, whole)
            && let Some(known) = self.subset_by_description(part, whole, span)?
        {
            return Ok(known);
        }
        if let Some(known) = self.integers_within(part, whole)? {
            return Ok(known);
        }
        if (matches!(part, Value::Symbolic(_)) && !matches!(cardinality(part), Cardinality::Finite(_)))
            && let Some(known) = self.compared_by_conditions(part, whole, false)?
        {
            return Ok(known);
        }
        if matches!(part, Value::Symbolic(_))
            && !matches!(cardinality(part), Cardinality::Finite(_))
            && self.is_shown_within(part, whole, span)?
        {
            return Ok(true);
        }
        // Without a look at the elements, which may be too many.
        if let (Value::Symbolic(_), Cardinality::Finite(count)) = (part, cardinality(whole))
            && count.to_u64().is_some_and(|count| is_larger(part, count))
        {
            return Ok(false);
        }
        if matches!(part, Value::Symbolic(_)) && cardinality(part) == Cardinality::Infinite {
            // No finite set includes an infinite one. Elements would only ever show that a part is not included.
            return if is_surely_finite(whole) {
                Ok(false)
            } else {
                Err(EvalError { kind: EvalErrorKind::Undecided("the inclusion of two infinite sets".to_owned()), span })
            };
        }
        // A missing element wins over an ill-defined membership, whatever comes first.
        let (mut included, mut ill) = (true, None);
        self.visit(part, span, &mut |frame, element| {
            match frame.member(&element, whole, span) {
                Ok(member) => included = member,
                Err(error) if error.kind.is_ill_defined() => ill = ill.take().or(Some(error)),
                Err(error) => return Err(error),
            }
            Ok(if included { Flow::Continue } else { Flow::Stop })
        })?;
        match ill {
            Some(error) if included => Err(error),
            _ => Ok(included),
        }
    }

    /// Inclusions that the forms of the two descriptions decide; `None` where they do not.
    fn subset_by_description(&mut self, part: &Symbolic, whole: &Symbolic, span: Span) -> Result<Option<bool>, EvalError> {
        use IntegerSet::{Integer as All, Natural, Natural1};
        Ok(match (part, whole) {
            (_, Symbolic::Integers(All) | Symbolic::Strings | Symbolic::Free { .. }) => Some(true),
            (Symbolic::Integers(part), Symbolic::Integers(whole)) => {
                Some(matches!((part, whole), (Natural1, Natural1 | Natural) | (Natural, Natural)))
            }
            (Symbolic::Interval(from, _), Symbolic::Integers(whole)) => Some(!from.is_negative() && (*whole == Natural || !from.is_zero())),
            // A described interval is not empty, so its ends are elements.
            (Symbolic::Interval(from, to), Symbolic::Interval(low, high)) => Some(low <= from && to <= high),
            (Symbolic::Integers(_), Symbolic::Interval(..)) => Some(false),
            (
                Symbolic::Power { base, nonempty, finite },
                Symbolic::Power { base: whole, nonempty: whole_nonempty, finite: whole_finite },
                // Only the positive answer is certain from here on: an empty product is included in every product.
            ) if (*nonempty || !whole_nonempty) && (*finite || !whole_finite) && self.subset(base, whole, span)? => Some(true),
            (Symbolic::Product(a, b), Symbolic::Product(c, d)) if self.subset(a, c, span)? && self.subset(b, d, span)? => Some(true),
            _ => None,
        })
    }

    /// Whether two values are equal.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        match (left, right) {
            (Value::Symbolic(_), _) | (_, Value::Symbolic(_)) => self.equal_sets(left, right, span),
            // Most pairs of a relation differ in a part that holds no set, which is seen at once.
            (Value::Pair(left), Value::Pair(right)) if left.1.is_plain() && left.1 != right.1 => Ok(false),
            (Value::Pair(left), Value::Pair(right)) => Ok(self.equal(&left.0, &right.0, span)? && self.equal(&left.1, &right.1, span)?),
            _ if left == right => Ok(true),
            // Equal values may differ in form only where one holds a description. The other may be listed nevertheless: a description of
            // more than `WRITTEN_SET` elements, or of elements that no search finds, stays one.
            _ if !left.holds_description() && !right.holds_description() => Ok(false),
            (Value::Record(left), Value::Record(right)) => {
                for ((_, left), (_, right)) in left.iter().zip(right.iter()) {
                    if !self.equal(left, right, span)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Free(left), Value::Free(right)) => match (&left.argument, &right.argument) {
                (Some(one), Some(other)) if left.constructor == right.constructor => self.equal(one, other, span),
                _ => Ok(false),
            },
            _ => Ok(self.subset(left, right, span)? && self.subset(right, left, span)?),
        }
    }

    /// The set of some values.
    pub(crate) fn set_of(&mut self, values: Vec<Value>, span: Span) -> Result<Set, EvalError> {
        self.merged(Set::from_values(values), span)
    }

    /// The set with each element once, also where equal elements differ in form.
    pub(crate) fn merged(&mut self, set: Set, span: Span) -> Result<Set, EvalError> {
        if set.len() < 2 || !set.holds_description() {
            return Ok(set);
        }
        // Quadratic, because symbolic sets can only be compared for equality. The first of equal elements stays, so that the result is
        // sorted.
        let mut kept: Vec<Value> = Vec::new();
        'elements: for element in set.iter() {
            for other in &kept {
                if self.equal(&element, other, span)? {
                    continue 'elements;
                }
            }
            kept.push(element);
        }
        Ok(Set::from_sorted(kept))
    }

    /// Whether some sample value is an element of one of two sets only. Needs a closure, whose names have the type of the elements.
    fn differ_on_samples(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        let closures: Vec<_> = [left, right].into_iter().filter_map(|set| self.closure_of(set)).collect();
        let Some(closure) = closures.iter().find(|closure| matches!(closure.shape, Shape::Tuple { .. })) else { return Ok(false) };
        let Some(ty) = closure.types.iter().cloned().reduce(Type::pair) else { return Ok(false) };
        let mut samples = bcheck_value::samples::samples(&ty);
        // The literals that the texts mention, and numbers next to them, are the most likely to separate two sets.
        closures.iter().for_each(|closure| literals(&closure.expr, &ty, &mut samples));
        // Equal sets agree on every sample, so one disagreement decides; agreement decides nothing.
        for sample in samples {
            match (self.member(&sample, left, span), self.member(&sample, right, span)) {
                (Ok(left), Ok(right)) if left != right => return Ok(true),
                (Err(error), _) | (_, Err(error)) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                // A sample for which membership cannot be decided shows nothing.
                _ => {}
            }
        }
        Ok(false)
    }

    fn closure_of(&self, set: &Value) -> Option<Arc<ClosurePlan>> {
        let Value::Symbolic(symbolic) = set else { return None };
        match &**symbolic {
            Symbolic::Closure { plan, .. } => Some(self.context.closures[*plan as usize].clone()),
            _ => None,
        }
    }

    fn equal_sets(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        if left == right {
            return Ok(true);
        }
        // Again the cheapest answers first; samples precede writing out, which may take long on either side.
        if cardinality(left).differs_from(&cardinality(right)) {
            return Ok(false);
        }
        if let (Value::Symbolic(a), Value::Symbolic(b)) = (left, right)
            && let (Some(one), Some(other)) = (self.subset_by_description(a, b, span)?, self.subset_by_description(b, a, span)?)
        {
            return Ok(one && other);
        }
        if let Some(known) = self.same_integers(left, right)? {
            return Ok(known);
        }
        let is_endless = |set: &Value| matches!(set, Value::Symbolic(_)) && !matches!(cardinality(set), Cardinality::Finite(_));
        if is_endless(left)
            && is_endless(right)
            && let Some(known) = self.compared_by_conditions(left, right, true)?
        {
            return Ok(known);
        }
        if self.differ_on_samples(left, right, span)? {
            return Ok(false);
        }
        match (self.try_explicit(left, WRITTEN_SET.get(), span)?, self.try_explicit(right, WRITTEN_SET.get(), span)?) {
            (Some(one), Some(other)) if !one.holds_description() && !other.holds_description() => Ok(one == other),
            // Elements that differ in form may be equal. Each is tested for membership in a symbolic set, which decides it at once; of two
            // sets with equally many elements, one is included in the other only if they are equal.
            (Some(one), Some(other)) => {
                let (part, whole) = if matches!(right, Value::Symbolic(_)) { (&one, right) } else { (&other, left) };
                Ok(one.len() == other.len() && self.subset(&Value::Set(part.clone()), whole, span)?)
            }
            // A listed set may have more than `WRITTEN_SET` elements, so that the other one was not written out proves nothing.
            (Some(listed), None) => self.equals_explicit(right, &listed, span),
            (None, Some(listed)) => self.equals_explicit(left, &listed, span),
            (None, None) => {
                Err(EvalError { kind: EvalErrorKind::Undecided("whether two sets that are not written out are equal".to_owned()), span })
            }
        }
    }
}

/// The description of a listed set of integers without gaps.
fn interval_of(set: &Set) -> Option<Value> {
    let Value::Integer(from) = set.first_element()? else { return None };
    let Value::Integer(to) = set.iter().last()? else { return None };
    // The elements are distinct and between the two, so as many as there are numbers are all of them.
    let length = to.subtract(&from).to_big() + 1u32;
    (length == BigInt::from(set.len())).then(|| Value::Symbolic(Arc::new(Symbolic::Interval(from, to))))
}

/// The literals of an expression that are values of a type, and the numbers next to them.
fn literals(expr: &Expr, ty: &Type, into: &mut Vec<Value>) {
    walk_expr(expr, &mut |node| match node {
        Node::Expr(Expr { kind: ExprKind::String(text), .. }) if *ty == Type::String => into.push(Value::String(text.clone())),
        Node::Expr(Expr { kind: ExprKind::Integer(number), .. }) if *ty == Type::Integer => {
            into.extend([-1, 0, 1].map(|by| Value::Integer(Integer::from(number + by))));
        }
        _ => {}
    });
}
