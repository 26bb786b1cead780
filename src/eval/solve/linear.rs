//! Comparisons of sums, encoded summand by summand: after each, only the partial sums are kept for which the rest still decides.
//!
//! The layers form a decision diagram of the linear constraint (Abío and Stuckey, Encoding linear constraints into SAT, CP 2014): with the
//! summands of the largest range first, `SEND + MORE = MONEY` has a few hundred partial sums instead of all sums of four digits.
//! Invariant: where all summands are defined, the literal is true exactly where the comparison holds. Deliberately elsewhere: comparisons
//! of fewer summands, whose combinations are listed (`truth`).

use super::connectives::{decided, well_defined};
use super::encoder::Encoder;
use super::grounding::{Grounding, each_binding};
use super::integers::{channelled, number};
use super::open::{Ground, Grounded, Open, Stop, Truth};
use super::sat::{IntegerVariable, Lit};
use super::terms::value_of;
use crate::plan::problem::{Bindings, Term, TermKind};
use crate::plan::{Fold, Slot};
use crate::thresholds::{LONG_SUM, PARTIAL_SUMS};
use bcheck_ir::{BinaryOp, Comparison, UnaryOp};
use bcheck_source::Span;
use std::collections::BTreeMap;

/// The possible values of one summand, times its factor: exactly one of them where it is defined.
type Summand = Vec<(i64, Lit)>;

/// A sum, split into its summands.
#[derive(Default)]
struct GroundSum {
    constant: i64,
    /// Names with their factors, so that several occurrences of one are one summand.
    names: BTreeMap<Slot, (Ground, i64)>,
    /// Factors of integers without enumerated values.
    integers: BTreeMap<IntegerVariable, i64>,
    others: Vec<Summand>,
    defined: Vec<Lit>,
}

impl GroundSum {
    fn integer(&mut self, variable: IntegerVariable, factor: i64) -> Grounded<()> {
        let total = self.integers.entry(variable).or_default();
        *total = plus(*total, factor)?;
        Ok(())
    }
}

/// Where a comparison of sums holds; `None` for other comparisons, and for sums of too few summands or too many partial sums.
pub(super) fn linear(
    grounding: &mut Grounding<'_, '_>,
    comparison: Comparison,
    left: &Term,
    right: &Term,
    span: Span,
) -> Grounded<Option<Truth>> {
    let is_short = left.summands() + right.summands() < LONG_SUM.get();
    if is_short && !grounding.encoder.circuit.solver.has_integers() {
        return Ok(None);
    }
    // The left side less the right one is compared with 0. Times `sign`, that is to be at most `limit`, or equal to it.
    let (sign, limit, is_exact, negate) = match comparison {
        Comparison::Equal => (1, 0, true, false),
        Comparison::NotEqual => (1, 0, true, true),
        Comparison::LessEqual => (1, 0, false, false),
        Comparison::Less => (1, -1, false, false),
        Comparison::GreaterEqual => (-1, 0, false, false),
        Comparison::Greater => (-1, -1, false, false),
        _ => return Ok(None),
    };
    let mut sum = GroundSum::default();
    match add(grounding, left, sign, &mut sum).and_then(|()| add(grounding, right, -sign, &mut sum)).and_then(|()| {
        match sum.integers.is_empty() {
            true if is_short => Err(Stop::Unsupported),
            true => layers(&mut grounding.encoder, &sum, limit, is_exact, span),
            false => propagated(&mut grounding.encoder, &sum, limit, is_exact),
        }
    }) {
        Ok(literal) => {
            let truth = decided(&mut grounding.encoder.circuit, literal, &sum.defined);
            Ok(Some(if negate { truth.negated() } else { truth }))
        }
        // Combinations may still be few enough.
        Err(Stop::Unsupported) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Adds a term, times a factor, to a sum.
fn add(grounding: &mut Grounding<'_, '_>, term: &Term, factor: i64, sum: &mut GroundSum) -> Grounded<()> {
    match &term.kind {
        TermKind::Binary(BinaryOp::Add, left, right) => {
            add(grounding, left, factor, sum)?;
            add(grounding, right, factor, sum)
        }
        TermKind::Binary(BinaryOp::Subtract, left, right) => {
            add(grounding, left, factor, sum)?;
            add(grounding, right, negative(factor)?, sum)
        }
        TermKind::Unary(UnaryOp::Negate, operand) => add(grounding, operand, negative(factor)?, sum),
        TermKind::Binary(BinaryOp::Multiply, known, other) | TermKind::Binary(BinaryOp::Multiply, other, known)
            if matches!(known.kind, TermKind::Known(_)) =>
        {
            let Open::Known(value) = defined_term(grounding, known)?.value else { return Err(Stop::Unsupported) };
            add(grounding, other, times(factor, number(&value)?)?, sum)
        }
        TermKind::Known(_) => {
            let Open::Known(value) = defined_term(grounding, term)?.value else { return Err(Stop::Unsupported) };
            sum.constant = plus(sum.constant, times(factor, number(&value)?)?)?;
            Ok(())
        }
        TermKind::Slot(slot) => {
            let ground = value_of(grounding, term)?;
            sum.defined.push(ground.defined);
            if let Open::Integer(variable) = ground.value {
                return sum.integer(variable, factor);
            }
            // `x - x` cancels out, but x must be defined all the same.
            let (_, total) = sum.names.entry(*slot).or_insert((ground, 0));
            *total = plus(*total, factor)?;
            Ok(())
        }
        // A sum over bindings is many summands, not one: as a single term all its values would be enumerated.
        TermKind::Fold(Fold::Sum, bindings, body) => add_each(grounding, bindings, body, factor, sum),
        _ => {
            let ground = value_of(grounding, term)?;
            sum.defined.push(ground.defined);
            if let Open::Integer(variable) = ground.value {
                return sum.integer(variable, factor);
            }
            let summand = summand(&mut grounding.encoder, &ground, factor)?;
            sum.others.push(summand);
            Ok(())
        }
    }
}

/// Adds the body for each binding; where the conditions fail, the summand is 0.
fn add_each(grounding: &mut Grounding<'_, '_>, bindings: &Bindings, body: &Term, factor: i64, sum: &mut GroundSum) -> Grounded<()> {
    each_binding(grounding, bindings, &mut |grounding, truth| {
        let ground = value_of(grounding, body)?;
        sum.defined.push(well_defined(&mut grounding.encoder.circuit, truth, ground.defined));
        if let Open::Integer(variable) = ground.value
            && truth.holds == Lit::TRUE
        {
            return sum.integer(variable, factor);
        }
        // The body may also be 0, which then has two literals.
        let mut by_value: BTreeMap<i64, Vec<Lit>> = BTreeMap::from([(0, vec![!truth.holds])]);
        // The value counts only where the binding satisfies its conditions; elsewhere the summand is 0.
        for (value, literal) in summand(&mut grounding.encoder, &ground, factor)? {
            by_value.entry(value).or_default().push(grounding.encoder.circuit.and(literal, truth.holds));
        }
        let summand = by_value.into_iter().map(|(value, literals)| (value, grounding.encoder.circuit.any(literals))).collect();
        sum.others.push(summand);
        Ok(())
    })
}

/// A term that depends on no name to be solved and has a value.
fn defined_term(grounding: &mut Grounding<'_, '_>, term: &Term) -> Grounded<Ground> {
    let ground = value_of(grounding, term)?;
    if ground.defined == Lit::TRUE { Ok(ground) } else { Err(Stop::Unsupported) }
}

fn summand(encoder: &mut Encoder<'_, '_>, ground: &Ground, factor: i64) -> Grounded<Summand> {
    let choices = encoder.choices(&ground.value)?;
    choices.iter().map(|(value, literal)| Ok((times(factor, number(value)?)?, *literal))).collect()
}

/// Likewise for a sum with integers without enumerated values: an inequality, or two.
fn propagated(encoder: &mut Encoder<'_, '_>, sum: &GroundSum, limit: i64, is_exact: bool) -> Grounded<Lit> {
    let mut summands: Vec<(i64, IntegerVariable)> = sum.integers.iter().map(|(variable, factor)| (*factor, *variable)).collect();
    for (ground, factor) in sum.names.values().filter(|(_, factor)| *factor != 0) {
        let choices = summand(encoder, ground, 1)?;
        summands.push((*factor, channelled(&mut encoder.circuit, &choices)?));
    }
    // A summand without values is never defined, so its comparison is decided by `defined` alone.
    for summand in sum.others.iter().filter(|summand| !summand.is_empty()) {
        summands.push((1, channelled(&mut encoder.circuit, summand)?));
    }
    encoder.integers.sum_compared(&mut encoder.circuit, &summands, plus(limit, negative(sum.constant)?)?, is_exact)
}

/// The literal that is true where a sum equals a number, or is at most that number.
///
/// After each summand, `layer` has the partial sums that can still decide, with the literals under which they are reached.
fn layers(encoder: &mut Encoder<'_, '_>, sum: &GroundSum, limit: i64, is_exact: bool, span: Span) -> Grounded<Lit> {
    let limit = plus(limit, negative(sum.constant)?)?;
    let mut summands = sum.others.clone();
    for (ground, factor) in sum.names.values().filter(|(_, factor)| *factor != 0) {
        summands.push(summand(encoder, ground, *factor)?);
    }
    // A summand without values is never defined, so its comparison is decided by `defined` alone.
    summands.retain(|summand| !summand.is_empty());
    let ends = |summand: &Summand| {
        let values = || summand.iter().map(|(value, _)| *value);
        (values().min().expect("not empty"), values().max().expect("not empty"))
    };
    // The largest range first: what is left then adds little, so most partial sums are decided at once and the layers stay narrow.
    summands.sort_by_key(|summand| {
        let (least, greatest) = ends(summand);
        std::cmp::Reverse(greatest.saturating_sub(least))
    });
    // `rest[i]`: what the last `i` summands add at least and at most.
    let mut rest = vec![(0, 0)];
    for summand in summands.iter().rev() {
        let ((least, greatest), (more_least, more_greatest)) = (ends(summand), rest[rest.len() - 1]);
        rest.push((plus(least, more_least)?, plus(greatest, more_greatest)?));
    }
    let mut layer = BTreeMap::from([(0, Lit::TRUE)]);
    let mut sure = Vec::new();
    // Each summand is paired with the bounds of the sum of those after it.
    for (summand, (least, greatest)) in summands.iter().zip(rest.iter().rev().skip(1)) {
        let mut next: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
        for (before, reached) in layer {
            encoder.is_room(span)?;
            for (value, literal) in summand {
                let total = plus(before, *value)?;
                // False whatever follows. After the last summand, this leaves `limit` alone if the sum is to be exact, and otherwise
                // what is at most `limit`, which all goes to `sure`.
                if plus(total, *least)? > limit || is_exact && plus(total, *greatest)? < limit {
                    continue;
                }
                let both = encoder.circuit.and(reached, *literal);
                // True whatever follows.
                if !is_exact && plus(total, *greatest)? <= limit {
                    sure.push(both);
                } else {
                    next.entry(total).or_default().push(both);
                }
            }
        }
        if next.len() > PARTIAL_SUMS.get() {
            return Err(Stop::Unsupported);
        }
        layer = next.into_iter().map(|(total, literals)| (total, encoder.circuit.any(literals))).collect();
    }
    if summands.is_empty() {
        return Ok(if if is_exact { limit == 0 } else { limit >= 0 } { Lit::TRUE } else { Lit::FALSE });
    }
    Ok(if is_exact { layer.get(&limit).copied().unwrap_or(Lit::FALSE) } else { encoder.circuit.any(sure) })
}

fn plus(left: i64, right: i64) -> Grounded<i64> {
    left.checked_add(right).ok_or(Stop::Unsupported)
}

fn times(left: i64, right: i64) -> Grounded<i64> {
    left.checked_mul(right).ok_or(Stop::Unsupported)
}

fn negative(number: i64) -> Grounded<i64> {
    number.checked_neg().ok_or(Stop::Unsupported)
}
