//! Integer bounds that follow from a conjunction of linear comparisons between names, by interval propagation.
//!
//! Invariant: the interval of a name contains every value that it can have where all conjuncts hold; an empty interval (low > high) proves
//! that there is none. Each comparison is written as "a weighted sum of names is at most zero"; bounds of all but one name of a sum give a
//! bound of that name. The number of rounds is fixed, because propagation may diverge (`x < y & y < x`); cycles of such
//! differences are looked for apart.

use crate::compile::names::Names;
use crate::plan::Slot;
use crate::thresholds::{BOUND_ROUNDS, CYCLE_NAMES};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, IntegerSet, Pred, PredKind, UnaryOp};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// A number plus a weighted sum of names; no factor is zero.
#[derive(Clone, Debug, Default)]
struct Sum {
    factors: BTreeMap<Slot, i64>,
    number: i64,
}

/// The bounds of names that have been found.
#[derive(Default)]
pub(super) struct Bounds {
    low: BTreeMap<Slot, i64>,
    high: BTreeMap<Slot, i64>,
}

/// The bounds that follow from all conjuncts together. Names that already have values are treated like any other.
pub(super) fn propagated(names: Names<'_>, conjuncts: &[&Pred]) -> Bounds {
    // Each sum is at most zero. A comparison whose numbers overflow is left out, which only loses bounds.
    let mut sums: Vec<Sum> = Vec::new();
    for pred in conjuncts {
        let PredKind::Compare(comparison, left, right) = &pred.kind else { continue };
        let Some(left) = linear(names, left) else { continue };
        if *comparison == Comparison::Member {
            members(names, &left, right, &mut sums);
            continue;
        }
        let Some(right) = linear(names, right) else { continue };
        match comparison {
            // Between integers, `x < y` is `x - y + 1 <= 0`.
            Comparison::Less => sums.extend(left.minus(&right, 1)),
            Comparison::LessEqual => sums.extend(left.minus(&right, 0)),
            Comparison::Greater => sums.extend(right.minus(&left, 1)),
            Comparison::GreaterEqual => sums.extend(right.minus(&left, 0)),
            Comparison::Equal => sums.extend([left.minus(&right, 0), right.minus(&left, 0)].into_iter().flatten()),
            _ => {}
        }
    }
    // Bounds consistency, without a queue: conjunctions are short.
    let mut bounds = Bounds::default();
    // Intervals only shrink, and each follows from the conjuncts at any time: stopping before the fixpoint loses precision only.
    for _ in 0..BOUND_ROUNDS.get() {
        for sum in &sums {
            for (&name, &factor) in &sum.factors {
                bounds.narrow(sum, name, factor);
            }
        }
    }
    if let Some(name) = contradictory_difference(&sums) {
        bounds.low.insert(name, 1);
        bounds.high.insert(name, 0);
    }
    bounds
}

/// A name that has no value because differences contradict each other, as in `x < y & y < x`. Narrowing would take a round for each number
/// of their intervals.
///
/// `x - y + c <= 0` is an edge of weight `-c` from y to x: by it, x is at most y - c. A path adds such bounds up, so a cycle of negative
/// weight bounds a name by less than itself (Bellman and Ford).
fn contradictory_difference(sums: &[Sum]) -> Option<Slot> {
    let edges: Vec<(Slot, Slot, i128)> = sums.iter().filter_map(Sum::difference).collect();
    let mut least: BTreeMap<Slot, i128> = edges.iter().flat_map(|(from, to, _)| [(*from, 0), (*to, 0)]).collect();
    if least.len() > CYCLE_NAMES.get() {
        return None;
    }
    // Bellman–Ford: without a negative cycle, shortest paths have fewer edges than there are variables.
    let mut lowered = None;
    for _ in 0..least.len() {
        lowered = None;
        for (from, to, weight) in &edges {
            let way = least[from] + weight;
            if way < least[to] {
                least.insert(*to, way);
                lowered = Some(*to);
            }
        }
        if lowered.is_none() {
            break;
        }
    }
    lowered
}

impl Bounds {
    /// The least and the greatest possible value of a name, as far as they follow.
    pub(super) fn of(&self, slot: Slot) -> (Option<i64>, Option<i64>) {
        (self.low.get(&slot).copied(), self.high.get(&slot).copied())
    }

    /// Narrows the bounds of one name of a sum by those of the others; `None` if one of these is missing, or if a number overflows.
    fn narrow(&mut self, sum: &Sum, name: Slot, factor: i64) -> Option<()> {
        // The least that the rest of the sum can be.
        let mut least = sum.number;
        for (other, factor) in sum.factors.iter().filter(|(other, _)| **other != name) {
            let bound = if *factor > 0 { self.low.get(other)? } else { self.high.get(other)? };
            least = least.checked_add(factor.checked_mul(*bound)?)?;
        }
        // `factor * name <= -least`. Euclidean division by a positive number rounds down: the quotient itself for an upper bound, negated
        // on both sides to round up for a lower one.
        let room = least.checked_neg()?;
        if factor > 0 {
            let most = room.div_euclid(factor);
            let bound = self.high.entry(name).or_insert(most);
            *bound = most.min(*bound);
        } else {
            let least = room.div_euclid(factor.checked_neg()?).checked_neg()?;
            let bound = self.low.entry(name).or_insert(least);
            *bound = least.max(*bound);
        }
        Some(())
    }
}

impl Sum {
    fn name(slot: Slot) -> Self {
        Self { factors: BTreeMap::from([(slot, 1)]), number: 0 }
    }

    fn number(number: i64) -> Self {
        Self { factors: BTreeMap::new(), number }
    }

    /// `x - y + c`: y, x and -c.
    fn difference(&self) -> Option<(Slot, Slot, i128)> {
        let mut factors = self.factors.iter();
        match (factors.next()?, factors.next()?, factors.next()) {
            ((x, 1), (y, -1), None) | ((y, -1), (x, 1), None) => Some((*y, *x, -i128::from(self.number))),
            _ => None,
        }
    }

    fn times(mut self, by: i64) -> Option<Self> {
        // No factor may be zero: `narrow` divides by them.
        if by == 0 {
            return Some(Self::default());
        }
        self.number = self.number.checked_mul(by)?;
        for factor in self.factors.values_mut() {
            *factor = factor.checked_mul(by)?;
        }
        Some(self)
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        self.number = self.number.checked_add(other.number)?;
        for (slot, factor) in &other.factors {
            let own = self.factors.entry(*slot).or_default();
            *own = own.checked_add(*factor)?;
        }
        self.factors.retain(|_, factor| *factor != 0);
        Some(self)
    }

    /// `self - other + gap`
    fn minus(&self, other: &Self, gap: i64) -> Option<Self> {
        self.clone().plus(&other.clone().times(-1)?)?.plus(&Self::number(gap))
    }
}

fn members(names: Names<'_>, element: &Sum, set: &Expr, sums: &mut Vec<Sum>) {
    let mut at_least = |low: &Sum| sums.extend(low.minus(element, 0));
    match &set.kind {
        ExprKind::IntegerSet(which) => {
            match which {
                IntegerSet::Integer => {}
                IntegerSet::Natural | IntegerSet::Nat => at_least(&Sum::number(0)),
                IntegerSet::Natural1 | IntegerSet::Nat1 => at_least(&Sum::number(1)),
                IntegerSet::Int => at_least(&Sum::number(names.scope().minint)),
            }
            if matches!(which, IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1) {
                sums.extend(element.minus(&Sum::number(names.scope().maxint), 0));
            }
        }
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            if let Some(from) = linear(names, from) {
                at_least(&from);
            }
            sums.extend(linear(names, to).and_then(|to| element.minus(&to, 0)));
        }
        _ => {}
    }
}

/// An expression as a weighted sum, if it is linear.
fn linear(names: Names<'_>, expr: &Expr) -> Option<Sum> {
    if let Some(slot) = names.slot_of(expr) {
        return Some(Sum::name(slot));
    }
    match &expr.kind {
        ExprKind::Integer(value) => Some(Sum::number(value.to_i64()?)),
        ExprKind::MinInt => Some(Sum::number(names.scope().minint)),
        ExprKind::MaxInt => Some(Sum::number(names.scope().maxint)),
        ExprKind::Unary(UnaryOp::Negate, inner) => linear(names, inner)?.times(-1),
        ExprKind::Binary(BinaryOp::Add, left, right) => linear(names, left)?.plus(&linear(names, right)?),
        ExprKind::Binary(BinaryOp::Subtract, left, right) => linear(names, left)?.minus(&linear(names, right)?, 0),
        ExprKind::Binary(BinaryOp::Multiply, left, right) => {
            let (left, right) = (linear(names, left)?, linear(names, right)?);
            match (left.factors.is_empty(), right.factors.is_empty()) {
                (true, _) => right.times(left.number),
                (_, true) => left.times(right.number),
                _ => None,
            }
        }
        // Other operators of numbers, as in `x >= 2 ** 20`: a bound counts however it is written.
        _ => names.closed_integer(expr).map(Sum::number),
    }
}
