//! Sets as descriptions: size and comparison without writing them out, and writing them out where that is possible.
//!
//! Invariant: an explicit set and a description of the same set answer every question alike; what cannot be decided or
//! enumerated is an error with a place, never a guess and never an endless loop.
//! Deliberately elsewhere: `membership`, `enumeration`, applying symbolic relations (`function`), running a closure's search (`search`).

use super::frame::{Flow, Frame};
use super::plan::{ClosurePlan, Shape};
use super::{EvalError, EvalErrorKind};
use crate::ir::{Expr, ExprKind, IntegerSet, Node, Type, walk_expr};
use crate::source::Span;
use crate::value::{IllDefined, Integer, SequenceKind, Set, Symbolic, Value, space};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::sync::Arc;

/// Intervals up to this many numbers are written out at once.
const INTERVAL_EXPLICIT: u64 = 1024;

/// Sets up to this many elements are written out when they are stored or combined.
pub(super) const EXPAND_LIMIT: u64 = 1_000_000;

/// Larger sets are not enumerated: at a million elements a second it would take hours.
pub(super) const VISIT_LIMIT: u64 = 1 << 34;

/// Comprehensions whose estimate is above this are not written out; the estimate does not know how many tests fail early.
const HOPELESS: f64 = 1e18;

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

pub(super) fn describe(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::Finite(count) => format!("a set of {count} elements"),
        Cardinality::Infinite => "an infinite set".to_owned(),
        Cardinality::Unknown => "a set that nothing bounds".to_owned(),
    }
}

/// The number of elements as far as the description tells.
pub(super) fn cardinality(set: &Value) -> Cardinality {
    let symbolic = match set {
        Value::Set(set) => return Cardinality::Finite(BigUint::from(set.len())),
        Value::Symbolic(symbolic) => symbolic,
        _ => unreachable!("the type checker only allows sets here"),
    };
    match &**symbolic {
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free(_) => Cardinality::Infinite,
        Symbolic::Interval(from, to) => {
            let count = to.subtract(from).to_big() + 1u32;
            Cardinality::Finite(count.to_biguint().expect("an interval is not empty"))
        }
        Symbolic::Power { base, nonempty, .. } => match cardinality(base) {
            Cardinality::Finite(count) => match count.to_usize() {
                Some(count) if count <= 1 << 20 => Cardinality::Finite(space::count_subsets(count) - u32::from(*nonempty)),
                _ => Cardinality::Infinite,
            },
            other => other,
        },
        Symbolic::Product(left, right) | Symbolic::ParallelProduct(left, right) => {
            let parts = [cardinality(left), cardinality(right)];
            product_of(&parts)
        }
        Symbolic::Struct(fields) => {
            let mut parts = Vec::new();
            for (_, set) in fields.iter() {
                parts.push(cardinality(set));
            }
            product_of(&parts)
        }
        Symbolic::Functions(kind, from, to) => match (cardinality(from), cardinality(to)) {
            (Cardinality::Finite(n), Cardinality::Finite(m)) => match (n.to_usize(), m.to_usize()) {
                (Some(n), Some(m)) if n.saturating_mul(m) <= 1 << 16 => Cardinality::Finite(space::count_functions(*kind, n, m)),
                _ => Cardinality::Infinite,
            },
            (Cardinality::Finite(n), _) | (_, Cardinality::Finite(n)) if n.is_zero() => Cardinality::Unknown,
            (Cardinality::Unknown, _) | (_, Cardinality::Unknown) => Cardinality::Unknown,
            _ => Cardinality::Infinite,
        },
        Symbolic::Sequences(kind, base) => match cardinality(base) {
            Cardinality::Finite(count) => match count.to_usize() {
                Some(count) if count <= 1 << 12 => space::count_sequences(*kind, count).map_or(Cardinality::Infinite, Cardinality::Finite),
                _ => Cardinality::Infinite,
            },
            other => other,
        },
        Symbolic::Identity(base) => cardinality(base),
        Symbolic::Inverse(relation) => cardinality(relation),
        Symbolic::Union(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, _) | (_, Cardinality::Infinite) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Difference(left, right) => match (cardinality(left), cardinality(right)) {
            (Cardinality::Infinite, Cardinality::Finite(_)) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Override(relation, _) => match cardinality(relation) {
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        },
        Symbolic::Intersection(..)
        | Symbolic::Compose(..)
        | Symbolic::Transitive(_)
        | Symbolic::Domain(_)
        | Symbolic::DomainRestrict(..)
        | Symbolic::RangeRestrict(..)
        | Symbolic::DirectProduct(..)
        | Symbolic::Closure { .. } => Cardinality::Unknown,
    }
}

/// Whether the description shows that a set has more than `limit` elements, where it does not tell how many.
fn is_larger(set: &Value, limit: u64) -> bool {
    let part = match set {
        Value::Symbolic(symbolic) => match &**symbolic {
            Symbolic::Override(relation, _) => relation,
            Symbolic::Union(left, right) => return is_larger(left, limit) || is_larger(right, limit),
            _ => set,
        },
        _ => set,
    };
    match cardinality(part) {
        Cardinality::Finite(count) => count > BigUint::from(limit),
        Cardinality::Infinite => true,
        Cardinality::Unknown => false,
    }
}

/// Whether the description shows that a set has an end, however many elements it has.
fn is_surely_finite(set: &Value) -> bool {
    let symbolic = match set {
        Value::Symbolic(symbolic) => symbolic,
        _ => return true,
    };
    match &**symbolic {
        Symbolic::Interval(..) => true,
        Symbolic::Integers(_) | Symbolic::Strings | Symbolic::Free(_) | Symbolic::Closure { .. } | Symbolic::Compose(..) => false,
        Symbolic::Power { base, .. } => is_surely_finite(base),
        Symbolic::Sequences(SequenceKind::Iseq | SequenceKind::Iseq1 | SequenceKind::Perm, base) => is_surely_finite(base),
        Symbolic::Sequences(..) => false,
        Symbolic::Struct(fields) => fields.iter().all(|(_, set)| is_surely_finite(set)),
        Symbolic::Product(left, right)
        | Symbolic::ParallelProduct(left, right)
        | Symbolic::DirectProduct(left, right)
        | Symbolic::Functions(_, left, right)
        | Symbolic::Union(left, right)
        | Symbolic::Override(left, right) => is_surely_finite(left) && is_surely_finite(right),
        Symbolic::Intersection(left, right) => is_surely_finite(left) || is_surely_finite(right),
        Symbolic::Identity(base)
        | Symbolic::Inverse(base)
        | Symbolic::Transitive(base)
        | Symbolic::Domain(base)
        | Symbolic::Difference(base, _)
        | Symbolic::DomainRestrict(_, base, _)
        | Symbolic::RangeRestrict(base, ..) => is_surely_finite(base),
    }
}

impl Frame<'_> {
    /// The exact number of elements; `None` when infinite. Enumerates where the description does not tell.
    pub(super) fn count(&mut self, set: &Value, span: Span) -> Result<Option<BigUint>, EvalError> {
        match cardinality(set) {
            Cardinality::Finite(count) => return Ok(Some(count)),
            Cardinality::Infinite if is_surely_finite(set) => return Err(EvalError { kind: EvalErrorKind::TooLarge, span }),
            Cardinality::Infinite => return Ok(None),
            Cardinality::Unknown => {}
        }
        if let Some(count) = self.count_of_integers(set)? {
            return Ok(count);
        }
        match self.try_explicit(set, u64::MAX, span)? {
            Some(set) => Ok(Some(BigUint::from(set.len()))),
            None if self.is_surely_infinite(set)? => Ok(None),
            None => unbounded(describe(&Cardinality::Unknown), span),
        }
    }

    pub(super) fn is_finite(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        Ok(is_surely_finite(set) || self.count(set, span)?.is_some())
    }

    /// Whether the description shows that a set has no end.
    fn is_surely_infinite(&mut self, set: &Value) -> Result<bool, EvalError> {
        if cardinality(set) == Cardinality::Infinite {
            return Ok(!is_surely_finite(set));
        }
        let Value::Symbolic(symbolic) = set else { return Ok(false) };
        match &**symbolic {
            Symbolic::Union(left, right) => Ok(self.is_surely_infinite(left)? || self.is_surely_infinite(right)?),
            Symbolic::Difference(whole, Value::Set(_)) | Symbolic::DomainRestrict(Value::Set(_), whole, true) => {
                Ok(self.is_function(whole) && self.is_surely_infinite(whole)?)
            }
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

    /// Whether a set is a function by its description.
    fn is_function(&self, set: &Value) -> bool {
        matches!(set, Value::Symbolic(symbolic) if matches!(&**symbolic, Symbolic::Closure { plan, .. }
            if matches!(self.context.closures[*plan as usize].shape, Shape::Function { .. })))
    }

    pub(super) fn is_empty(&mut self, set: &Value, span: Span) -> Result<bool, EvalError> {
        match cardinality(set) {
            Cardinality::Finite(count) => Ok(count.is_zero()),
            Cardinality::Infinite => Ok(false),
            Cardinality::Unknown => {
                let mut empty = true;
                let visited = self.visit(set, span, &mut |_, _| {
                    empty = false;
                    Ok(Flow::Stop)
                });
                match visited {
                    // Something that nothing bounds, and no witness at hand.
                    Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) if self.is_surely_infinite(set)? => Ok(false),
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
        match cardinality(set) {
            Cardinality::Infinite => return Ok(None),
            Cardinality::Finite(count) if count > BigUint::from(limit.min(VISIT_LIMIT)) => return Ok(None),
            Cardinality::Unknown if is_larger(set, limit) || self.is_hopeless(set) => return Ok(None),
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
            // A constant that is being defined by itself cannot be applied yet, or not everywhere.
            Err(EvalError {
                kind: EvalErrorKind::Unbounded(_) | EvalErrorKind::Unassigned(_) | EvalErrorKind::TooDeep(_) | EvalErrorKind::TooLarge,
                ..
            }) => Ok(None),
            // An infinite function that is ill-defined somewhere may never be applied there.
            Err(error) if error.kind.is_ill_defined() && self.is_endless(set) => Ok(None),
            Err(error) => Err(error),
            Ok(_) if overflow => Ok(None),
            Ok(_) => {
                let set = Set::from_values(elements);
                Ok(if set.len() as u64 > limit { None } else { Some(set) })
            }
        }
    }

    /// Whether writing out a comprehension would look at more bindings than any run will see, however few of them fit.
    fn is_hopeless(&self, set: &Value) -> bool {
        let Value::Symbolic(symbolic) = set else { return false };
        let Symbolic::Closure { plan, .. } = &**symbolic else { return false };
        let cost = self.context.closures[*plan as usize].cost;
        cost.is_finite() && cost > HOPELESS
    }

    /// Whether nothing bounds the bindings of a comprehension.
    fn is_endless(&self, set: &Value) -> bool {
        let Value::Symbolic(symbolic) = set else { return false };
        matches!(&**symbolic, Symbolic::Closure { plan, .. } if self.context.closures[*plan as usize].cost.is_infinite())
    }

    /// The set written out.
    pub(super) fn explicit(&mut self, set: &Value, span: Span) -> Result<Set, EvalError> {
        if let Value::Set(set) = set {
            return Ok(set.clone());
        }
        match self.try_explicit(set, EXPAND_LIMIT * 16, span)? {
            Some(set) => Ok(set),
            None => {
                let cardinality = cardinality(set);
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
        if let Some(known) = self.integers_within(part, whole)? {
            return Ok(known);
        }
        if matches!(part, Value::Symbolic(_))
            && !matches!(cardinality(part), Cardinality::Finite(_))
            && self.is_shown_within(part, whole, span)?
        {
            return Ok(true);
        }
        if matches!(part, Value::Symbolic(_)) && cardinality(part) == Cardinality::Infinite {
            return if matches!(cardinality(whole), Cardinality::Finite(_)) {
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

    /// Inclusions that the descriptions alone show, in one direction or the other.
    fn subset_by_description(&mut self, part: &Symbolic, whole: &Symbolic, span: Span) -> Result<Option<bool>, EvalError> {
        use IntegerSet::{Integer as All, Natural, Natural1};
        Ok(match (part, whole) {
            (_, Symbolic::Integers(All) | Symbolic::Strings | Symbolic::Free(_)) => Some(true),
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

    /// Whether some sample value is in one of two sets only; looks only at closures, which tell the type of their elements.
    fn differ_on_samples(&mut self, left: &Value, right: &Value, span: Span) -> Result<bool, EvalError> {
        let closures: Vec<_> = [left, right].into_iter().filter_map(|set| self.closure_of(set)).collect();
        let Some(closure) = closures.iter().find(|closure| matches!(closure.shape, Shape::Tuple { .. })) else { return Ok(false) };
        let Some(ty) = closure.types.iter().cloned().reduce(Type::pair) else { return Ok(false) };
        let mut samples = super::generate::samples(&ty);
        // What the texts compare with is what most likely tells them apart.
        closures.iter().for_each(|closure| literals(&closure.expr, &ty, &mut samples));
        for sample in samples {
            match (self.member(&sample, left, span), self.member(&sample, right, span)) {
                (Ok(left), Ok(right)) if left != right => return Ok(true),
                (Err(error), _) | (_, Err(error)) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                // A sample that cannot be decided tells nothing.
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
        match (cardinality(left), cardinality(right)) {
            (Cardinality::Finite(left), Cardinality::Finite(right)) if left != right => return Ok(false),
            (Cardinality::Finite(_), Cardinality::Infinite) | (Cardinality::Infinite, Cardinality::Finite(_)) => return Ok(false),
            _ => {}
        }
        if let (Value::Symbolic(a), Value::Symbolic(b)) = (left, right)
            && let (Some(one), Some(other)) = (self.subset_by_description(a, b, span)?, self.subset_by_description(b, a, span)?)
        {
            return Ok(one && other);
        }
        if let Some(known) = self.same_integers(left, right)? {
            return Ok(known);
        }
        if self.differ_on_samples(left, right, span)? {
            return Ok(false);
        }
        match (self.try_explicit(left, EXPAND_LIMIT, span)?, self.try_explicit(right, EXPAND_LIMIT, span)?) {
            (Some(left), Some(right)) => Ok(left == right),
            (Some(listed), None) if !is_larger(right, EXPAND_LIMIT) => self.equals_listed(right, &listed, span),
            (None, Some(listed)) if !is_larger(left, EXPAND_LIMIT) => self.equals_listed(left, &listed, span),
            (Some(_), None) | (None, Some(_)) => Ok(false),
            (None, None) => Err(EvalError { kind: EvalErrorKind::Undecided("whether two infinite sets are equal".to_owned()), span }),
        }
    }
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
