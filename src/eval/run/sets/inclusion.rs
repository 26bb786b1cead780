//! Inclusion and equality of sets that cannot be enumerated, as far as their conditions show them.
//!
//! Invariant: an answer is right. An inclusion that the conditions do not show is reported as not shown, not as false; an equality that
//! the elements at hand do not decide is an error with a place.
//! Deliberately elsewhere: sets that can be written out, and descriptions of the same kind (`sets`), unions of intervals
//! (`integer_sets`).

use crate::plan::{ClosurePlan, ExprPlan, ExprPlanKind, PredPlanKind, Shape, Slot};
use crate::run::frame::{Flow, Frame};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{Comparison, FunctionKind, IntegerSet};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality, interval, is_larger};
use bcheck_value::{Integer, Set, Symbolic, Value};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

impl Frame<'_> {
    /// Whether the description of a set shows that all its elements are in another one: `{x | x : NATURAL & …} <: NATURAL`. Sufficient
    /// conditions only: `false` means that nothing shows it.
    pub(super) fn is_shown_within(&mut self, part: &Value, whole: &Value, span: Span) -> Result<bool, EvalError> {
        if is_universal(whole) {
            return Ok(true);
        }
        let Value::Symbolic(symbolic) = part else { return self.subset(part, whole, span) };
        match &**symbolic {
            Symbolic::Union(left, right) => Ok(self.is_shown_within(left, whole, span)? && self.is_shown_within(right, whole, span)?),
            Symbolic::Intersection(left, right) => {
                Ok(self.is_shown_within(left, whole, span)? || self.is_shown_within(right, whole, span)?)
            }
            // Removing elements preserves inclusion.
            Symbolic::Difference(of, _) | Symbolic::DomainRestrict(_, of, _) | Symbolic::RangeRestrict(of, ..) => {
                self.is_shown_within(of, whole, span)
            }
            Symbolic::Identity(base) => match product(whole) {
                Some((from, to)) => Ok(self.is_shown_within(base, &from, span)? && self.is_shown_within(base, &to, span)?),
                None => Ok(false),
            },
            Symbolic::Product(left, right) => match product(whole) {
                Some((from, to)) => Ok(self.is_shown_within(left, &from, span)? && self.is_shown_within(right, &to, span)?),
                None => Ok(false),
            },
            // Members are subsets of the product, whose other properties a set of relations may demand too.
            Symbolic::Functions(kind, from, to) => match relations(whole) {
                Some((of, arguments, values)) if allows(of, kind.is_functional(), kind.is_injective()) => {
                    Ok(self.is_shown_within(from, &arguments, span)? && self.is_shown_within(to, &values, span)?)
                }
                _ => Ok(false),
            },
            Symbolic::Sequences(kind, base) => match relations(whole) {
                Some((of, arguments, values)) if allows(of, true, kind.is_injective()) => {
                    let places = match cardinality(base) {
                        // No more items than there are elements.
                        Cardinality::Finite(count) if kind.is_injective() => {
                            interval(&Integer::from(1), &Integer::from(BigInt::from(count)))
                        }
                        _ => Value::Symbolic(Arc::new(Symbolic::Integers(IntegerSet::Natural1))),
                    };
                    Ok(self.is_shown_within(&places, &arguments, span)? && self.is_shown_within(base, &values, span)?)
                }
                _ => Ok(false),
            },
            // Only against sets of the same kind, which their ends decide: `subset` would visit the elements for others.
            Symbolic::Integers(_) | Symbolic::Interval(..) => match whole {
                Value::Symbolic(of) if matches!(**of, Symbolic::Integers(_) | Symbolic::Interval(..)) => self.subset(part, whole, span),
                _ => Ok(false),
            },
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                match factors(&plan, whole) {
                    Some(factors) => self.conditions_show(&plan, captured, &factors, span),
                    None => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    /// Whether the conditions of a comprehension put each of its names into the factor that belongs to it.
    fn conditions_show(
        &mut self,
        plan: &ClosurePlan,
        captured: &[Value],
        factors: &[(Slot, Value)],
        span: Span,
    ) -> Result<bool, EvalError> {
        let PredPlanKind::And(conditions) = &plan.search.source.kind else { return Ok(false) };
        self.inside(plan, captured, |frame| {
            // Without values, a condition that reads another name of the comprehension is an error below, and shows nothing.
            frame.clear(&plan.bound);
            for (slot, set) in factors {
                let mut shown = is_universal(set);
                for condition in conditions {
                    shown = shown || frame.condition_shows(&condition.kind, *slot, set, span)?;
                }
                if !shown {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Whether a condition puts the value of a name into a set.
    pub(super) fn condition_shows(&mut self, condition: &PredPlanKind, slot: Slot, set: &Value, span: Span) -> Result<bool, EvalError> {
        // Only conditions with the name alone on the left: `x : S` and `x <: S`.
        let PredPlanKind::Compare(comparison, name, value) = condition else { return Ok(false) };
        if !matches!(name.kind, ExprPlanKind::Slot(other) if other == slot) {
            return Ok(false);
        }
        let Some(known) = self.closed_value(value)? else { return Ok(false) };
        match (comparison, set) {
            (Comparison::Member, _) => self.is_shown_within(&known, set, span),
            (Comparison::Subset | Comparison::StrictSubset, Value::Symbolic(power)) => match &**power {
                Symbolic::Power { base, nonempty: false, finite: false } => self.is_shown_within(&known, base, span),
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// The value of an expression while the names of a comprehension have none: `None` for one that reads them, or has no value.
    pub(super) fn closed_value(&mut self, expr: &ExprPlan) -> Result<Option<Value>, EvalError> {
        match self.eval(expr) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Whether a symbolic set has exactly the elements of an explicit one.
    pub(super) fn equals_explicit(&mut self, set: &Value, listed: &Set, span: Span) -> Result<bool, EvalError> {
        if is_larger(set, listed.len() as u64) {
            return Ok(false);
        }
        // First that every explicit element is in the set, which needs no enumeration; then that there is no other.
        for element in listed.iter() {
            self.tick(span)?;
            if !self.member(&element, set, span)? {
                return Ok(false);
            }
        }
        // As many as the set has are all of them.
        if cardinality(set) == Cardinality::Finite(BigUint::from(listed.len())) {
            return Ok(true);
        }
        if let Value::Symbolic(symbolic) = set
            && let Symbolic::Difference(part, whole) = &**symbolic
            && listed.is_empty()
            && self.is_shown_within(part, whole, span)?
        {
            return Ok(true);
        }
        let (mut only, listed) = (true, Value::Set(listed.clone()));
        let visited = self.visit(set, span, &mut |frame, element| {
            only = frame.member(&element, &listed, span)?;
            Ok(if only { Flow::Continue } else { Flow::Stop })
        });
        match visited {
            Ok(_) => Ok(only),
            Err(error) if error.kind.is_ill_defined() || error.kind == EvalErrorKind::Interrupted => Err(error),
            Err(_) => Err(EvalError {
                kind: EvalErrorKind::Undecided("whether a set that cannot be enumerated has other elements".to_owned()),
                span,
            }),
        }
    }
}

/// Whether every value of its type is in the set.
pub(super) fn is_universal(set: &Value) -> bool {
    let Value::Symbolic(symbolic) = set else { return false };
    match &**symbolic {
        Symbolic::Integers(IntegerSet::Integer) | Symbolic::Strings | Symbolic::Free { .. } => true,
        Symbolic::Product(left, right) => is_universal(left) && is_universal(right),
        Symbolic::Power { base, nonempty: false, finite: false } => is_universal(base),
        _ => false,
    }
}

/// The kind of relations that are the elements of a set, with the sets that they go from and to.
fn relations(set: &Value) -> Option<(FunctionKind, Value, Value)> {
    let Value::Symbolic(symbolic) = set else { return None };
    match &**symbolic {
        Symbolic::Functions(kind, from, to) => Some((*kind, from.clone(), to.clone())),
        Symbolic::Power { base, nonempty: false, finite: false } => product(base).map(|(from, to)| (FunctionKind::Relations, from, to)),
        _ => None,
    }
}

/// Whether all relations of a kind that are functional, injective or neither have all properties of another kind.
fn allows(kind: FunctionKind, is_functional: bool, is_injective: bool) -> bool {
    !kind.is_total() && !kind.is_surjective() && (is_functional || !kind.is_functional()) && (is_injective || !kind.is_injective())
}

/// For each name of a comprehension, the factor of a product that its value must lie in; `None` where the elements have another form than
/// those of the product.
fn factors(plan: &ClosurePlan, whole: &Value) -> Option<Vec<(Slot, Value)>> {
    let (mut rest, mut factors) = (whole.clone(), Vec::new());
    match plan.shape {
        Shape::Tuple { .. } => {}
        // Conditions are known of the arguments of a lambda, not of its values: those must not be restricted.
        Shape::Function { .. } => rest = product(&rest).filter(|(_, to)| is_universal(to))?.0,
        Shape::Image { .. } => return None,
    }
    // The elements are tuples that are nested to the left: the last name belongs to the last factor.
    for slot in plan.locals.iter().skip(1).rev() {
        let (front, last) = product(&rest)?;
        factors.push((*slot, last));
        rest = front;
    }
    factors.extend(plan.locals.first().map(|slot| (*slot, rest)));
    Some(factors)
}

/// The sides of a product.
fn product(set: &Value) -> Option<(Value, Value)> {
    let Value::Symbolic(symbolic) = set else { return None };
    match &**symbolic {
        Symbolic::Product(left, right) => Some((left.clone(), right.clone())),
        _ => None,
    }
}
