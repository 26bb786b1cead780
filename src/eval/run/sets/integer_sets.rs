//! Sets of integers as unions of intervals, so that infinite ones can be compared: `NATURAL - {0} = NATURAL1`.
//!
//! Invariant: the intervals are in order, do not touch each other, and hold exactly the elements of the set.

use crate::EvalError;
use crate::plan::{ClosurePlan, ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Shape, Slot};
use crate::run::frame::Frame;
use crate::thresholds::{INTERVALS_OF_LISTED, VISITED_OF_INFINITE, WRITTEN_SET};
use bcheck_ir::{Comparison, IntegerSet, Type};
use bcheck_value::{Integer, Set, Symbolic, Value};
use num_bigint::BigUint;
use std::sync::Arc;

/// An interval; an end that is missing is infinite.
pub(super) type Interval = (Option<Integer>, Option<Integer>);

impl Frame<'_> {
    /// Whether one set of integers is part of another one, where both are unions of intervals.
    pub(super) fn integers_within(&mut self, part: &Value, whole: &Value) -> Result<Option<bool>, EvalError> {
        let (Some(part), Some(whole)) = (self.intervals(part)?, self.intervals(whole)?) else { return Ok(None) };
        // The list of intervals is a normal form, so equal lists are equal sets; the union with a subset is the whole.
        Ok(Some(union(part, whole.clone()) == whole))
    }

    /// Whether two sets of integers are equal, where both are unions of intervals.
    pub(super) fn same_integers(&mut self, left: &Value, right: &Value) -> Result<Option<bool>, EvalError> {
        let (Some(left), Some(right)) = (self.intervals(left)?, self.intervals(right)?) else { return Ok(None) };
        Ok(Some(left == right))
    }

    /// Its elements, if a described set of integers has at most [`WRITTEN_SET`]; INTEGER, NATURAL, NATURAL1 or a longer interval, if it is
    /// one.
    pub(super) fn few_or_named_integers(&mut self, set: &Value) -> Result<Option<Value>, EvalError> {
        let Some(intervals) = self.intervals(set)? else { return Ok(None) };
        if let Some(few) = few_of(&intervals) {
            return Ok(Some(Value::Set(few)));
        }
        let which = match intervals.as_slice() {
            [(Some(low), Some(high))] => {
                return Ok(Some(Value::Symbolic(Arc::new(Symbolic::Interval(low.clone(), high.clone())))));
            }
            [(None, None)] => IntegerSet::Integer,
            [(Some(low), None)] if low.is_zero() => IntegerSet::Natural,
            [(Some(low), None)] if *low == Integer::from(1) => IntegerSet::Natural1,
            _ => return Ok(None),
        };
        Ok(Some(Value::Symbolic(Arc::new(Symbolic::Integers(which)))))
    }

    /// The elements of a union of intervals with at most [`WRITTEN_SET`] numbers; nothing of any other set.
    pub(super) fn few_integers(&mut self, set: &Value) -> Result<Option<Set>, EvalError> {
        Ok(self.intervals(set)?.and_then(|intervals| few_of(&intervals)))
    }

    /// How many elements a union of intervals has, `None` for infinitely many; nothing of any other set.
    pub(super) fn count_of_integers(&mut self, set: &Value) -> Result<Option<Option<BigUint>>, EvalError> {
        Ok(self.intervals(set)?.map(|intervals| count_of(&intervals)))
    }

    /// Some elements of an infinite set of integers, those next to the finite ends of its intervals; none for any other set.
    pub(super) fn first_integers(&mut self, set: &Value) -> Result<Vec<Integer>, EvalError> {
        let intervals = self.intervals(set)?.unwrap_or_default();
        let near =
            |from: &Integer, sign: i64| (0..VISITED_OF_INFINITE.get()).map(|by| from.add(&Integer::from(sign * by))).collect::<Vec<_>>();
        let some = intervals.iter().flat_map(|(low, high)| match (low, high) {
            (Some(low), Some(high)) => near(low, 1).into_iter().filter(|number| number <= high).collect(),
            (Some(low), None) => near(low, 1),
            (None, Some(high)) => near(high, -1),
            (None, None) => near(&Integer::from(-VISITED_OF_INFINITE.get() / 2), 1),
        });
        Ok(some.collect())
    }

    /// The intervals of a set of integers, if its description is a union of such; `None` where they are not found.
    pub(super) fn intervals(&mut self, set: &Value) -> Result<Option<Vec<Interval>>, EvalError> {
        let symbolic = match set {
            Value::Set(set) if set.len() <= INTERVALS_OF_LISTED.get() => {
                let single = |value: Value| value.as_integer().map(|number| (Some(number.clone()), Some(number.clone())));
                return Ok(set.iter().map(single).collect::<Option<Vec<_>>>().map(|listed| union(listed, Vec::new())));
            }
            Value::Symbolic(symbolic) => symbolic,
            _ => return Ok(None),
        };
        let from = |low: i64| vec![(Some(Integer::from(low)), None)];
        let both = |frame: &mut Self, left, right| {
            Ok::<_, EvalError>(match frame.intervals(left)? {
                Some(left) => frame.intervals(right)?.map(|right| (left, right)),
                None => None,
            })
        };
        Ok(match &**symbolic {
            Symbolic::Integers(IntegerSet::Natural | IntegerSet::Nat) => Some(from(0)),
            Symbolic::Integers(IntegerSet::Natural1 | IntegerSet::Nat1) => Some(from(1)),
            Symbolic::Integers(IntegerSet::Integer | IntegerSet::Int) => Some(vec![(None, None)]),
            Symbolic::Interval(low, high) => Some(vec![(Some(low.clone()), Some(high.clone()))]),
            Symbolic::Union(left, right) => both(self, left, right)?.map(|(left, right)| union(left, right)),
            Symbolic::Intersection(left, right) => both(self, left, right)?.map(|(left, right)| intersection(&left, &right)),
            Symbolic::Difference(left, right) => both(self, left, right)?.map(|(left, right)| intersection(&left, &complement(&right))),
            Symbolic::Closure { plan, captured } => {
                let plan = self.context.closures[*plan as usize].clone();
                match (&plan.shape, plan.types.as_slice(), plan.locals.as_slice()) {
                    (Shape::Tuple { .. }, [Type::Integer], [slot]) => {
                        self.inside(&plan, captured, |frame| frame.intervals_of_closure(&plan, *slot))?
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// `{x | x >= a & x : S & …}`
    fn intervals_of_closure(&mut self, plan: &ClosurePlan, slot: Slot) -> Result<Option<Vec<Interval>>, EvalError> {
        let PredPlanKind::And(conjuncts) = &plan.search.source.kind else { return Ok(None) };
        let mut found = vec![(None, None)];
        for conjunct in conjuncts {
            // A conjunct that is left out would leave a superset, which answers nothing exactly.
            let Some(intervals) = self.intervals_of_conjunct(conjunct, slot)? else { return Ok(None) };
            found = intersection(&found, &intervals);
        }
        Ok(Some(found))
    }

    /// The values of a name for which a conjunct holds, if that compares the name with something that does not depend on it.
    pub(super) fn intervals_of_conjunct(&mut self, conjunct: &PredPlan, slot: Slot) -> Result<Option<Vec<Interval>>, EvalError> {
        let PredPlanKind::Compare(comparison, left, right) = &conjunct.kind else { return Ok(None) };
        let is_name = |side: &ExprPlan| matches!(side.kind, ExprPlanKind::Slot(other) if other == slot);
        // Slots other than that of the only local are captured, and have values here.
        let is_known = |side: &ExprPlan| match side.kind {
            ExprPlanKind::Value(_) => true,
            ExprPlanKind::Slot(other) => other != slot,
            _ => false,
        };
        let (value, comparison) = match comparison {
            // The name on the left; a reversed comparison is mirrored.
            _ if is_name(left) && is_known(right) => (self.eval(right)?, *comparison),
            Comparison::Less if is_known(left) && is_name(right) => (self.eval(left)?, Comparison::Greater),
            Comparison::LessEqual if is_known(left) && is_name(right) => (self.eval(left)?, Comparison::GreaterEqual),
            Comparison::Greater if is_known(left) && is_name(right) => (self.eval(left)?, Comparison::Less),
            Comparison::GreaterEqual if is_known(left) && is_name(right) => (self.eval(left)?, Comparison::LessEqual),
            _ => return Ok(None),
        };
        match comparison {
            Comparison::Member => return self.intervals(&value),
            Comparison::NotMember => return Ok(self.intervals(&value)?.as_deref().map(complement)),
            _ => {}
        }
        let Value::Integer(number) = value else { return Ok(None) };
        Ok(match comparison {
            Comparison::Less => Some(vec![(None, Some(number.subtract(&Integer::from(1))))]),
            Comparison::LessEqual => Some(vec![(None, Some(number))]),
            Comparison::Greater => Some(vec![(Some(number.add(&Integer::from(1))), None)]),
            Comparison::GreaterEqual => Some(vec![(Some(number), None)]),
            Comparison::Equal => Some(vec![(Some(number.clone()), Some(number))]),
            Comparison::NotEqual => Some(complement(&[(Some(number.clone()), Some(number))])),
            _ => None,
        })
    }
}

/// How many numbers intervals have; `None` for infinitely many.
fn count_of(intervals: &[Interval]) -> Option<BigUint> {
    let size = |(low, high): &Interval| {
        let size = high.as_ref()?.subtract(low.as_ref()?).to_big() + 1u32;
        size.to_biguint()
    };
    // A sum of options: one infinite interval makes the whole infinite.
    intervals.iter().map(size).sum()
}

/// The numbers of intervals that have at most [`WRITTEN_SET`].
fn few_of(intervals: &[Interval]) -> Option<Set> {
    count_of(intervals).filter(|count| *count <= BigUint::from(WRITTEN_SET.get()))?;
    let numbers = intervals.iter().flat_map(|(low, high)| {
        let next = |number: &Integer| Some(number.add(&Integer::from(1)));
        std::iter::successors(low.clone(), next).take_while(move |number| high.as_ref().is_some_and(|high| number <= high))
    });
    Some(Set::from_values(numbers.map(Value::Integer).collect()))
}

/// The union of some intervals in any order.
fn union(left: Vec<Interval>, right: Vec<Interval>) -> Vec<Interval> {
    let mut all = left;
    all.extend(right);
    // By lower ends; a missing one (`None`) precedes every number.
    all.sort();
    let mut result: Vec<Interval> = Vec::new();
    for (low, high) in all {
        match result.last_mut() {
            // With a gap before it an interval is a new one. Otherwise it overlaps or touches the last one, and is merged into it; an
            // interval without an upper end takes in all that follow.
            Some((_, Some(end))) if low.as_ref().is_some_and(|low| *low > end.add(&Integer::from(1))) => result.push((low, high)),
            Some((_, end)) => {
                if end.is_some() && (high.is_none() || high > *end) {
                    *end = high;
                }
            }
            None => result.push((low, high)),
        }
    }
    result
}

/// The gaps before, between and after intervals that are in order and do not touch each other.
pub(super) fn complement(set: &[Interval]) -> Vec<Interval> {
    let mut result = Vec::new();
    // Where the current gap begins; the first one has no lower end.
    let mut low = None;
    for (start, end) in set {
        if let Some(start) = start {
            result.push((low, Some(start.subtract(&Integer::from(1)))));
        }
        match end {
            Some(end) => low = Some(end.add(&Integer::from(1))),
            None => return result,
        }
    }
    result.push((low, None));
    result
}

/// By De Morgan's law.
pub(super) fn intersection(left: &[Interval], right: &[Interval]) -> Vec<Interval> {
    complement(&union(complement(left), complement(right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: i64, high: i64) -> Interval {
        (Some(Integer::from(low)), Some(Integer::from(high)))
    }

    #[test]
    fn intervals_that_touch_are_one() {
        assert_eq!(union(vec![interval(4, 6)], vec![interval(1, 3), interval(9, 9)]), [interval(1, 6), interval(9, 9)]);
        assert_eq!(union(vec![(None, Some(Integer::from(2)))], vec![(Some(Integer::from(3)), None)]), [(None, None)]);
    }

    #[test]
    fn complements_and_intersections_follow_the_laws_of_sets() {
        let sets =
            [vec![], vec![interval(0, 3)], vec![(Some(Integer::from(2)), None)], vec![(None, Some(Integer::from(0))), interval(5, 5)]];
        for a in &sets {
            assert_eq!(complement(&complement(a)), *a);
            assert_eq!(union(a.clone(), complement(a)), [(None, None)]);
            assert_eq!(intersection(a, &complement(a)), []);
            for b in &sets {
                assert_eq!(intersection(a, b), intersection(b, a));
            }
        }
    }
}
