//! Integers with too many values to be enumerated: variables with bounds, functions to them, and sums of them.
//!
//! Invariant: in every model such an integer has one value, and an integer that is not a name to be solved is determined by those that
//! are. Deliberately elsewhere: propagation of bounds (`sat`), sums of enumerated values (`linear`), membership of integers and functions
//! (`images`).

use super::circuit::Circuit;
use super::open::{Grounded, Images, Members, Stop};
use super::sat::{IntegerVariable, Lit};
use crate::thresholds::{IMAGES_EACH, LISTED_INTEGERS};
use bcheck_value::{Integer, Symbolic, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bounds are within this, so that numbers next to a bound also have 64 bits.
pub(super) const GREATEST: i64 = 1 << 62;

/// A sum of integers that is at most a limit or, where `is_exact`, equal to it.
#[derive(PartialEq, Eq, Hash)]
struct SumComparison {
    /// Factors other than 0, each integer once.
    summands: Vec<(i64, IntegerVariable)>,
    limit: i64,
    is_exact: bool,
}

/// What is known of integers in the circuit, so that equal terms have one literal.
#[derive(Default)]
pub(super) struct UnlistedIntegers {
    /// Integers whose values were enumerated after all.
    listed: FxHashMap<IntegerVariable, Members>,
    /// Where comparisons of sums hold.
    sums: FxHashMap<SumComparison, Lit>,
}

impl UnlistedIntegers {
    /// As a list of all its values with their literals.
    pub(super) fn listed(&mut self, circuit: &mut Circuit, variable: IntegerVariable) -> Grounded<Members> {
        let (least, greatest) = circuit.solver.bounds(variable);
        if greatest.abs_diff(least) >= LISTED_INTEGERS.get() {
            return Err(Stop::Unsupported);
        }
        if let Some(members) = self.listed.get(&variable) {
            return Ok(members.clone());
        }
        let members: Vec<(Value, Lit)> =
            (least..=greatest).map(|value| (Value::integer(value), between(circuit, variable, value, value))).collect();
        let members = Rc::new(members);
        self.listed.insert(variable, members.clone());
        Ok(members)
    }

    /// The pairs of a function, each with its literal.
    pub(super) fn pairs_of(&mut self, circuit: &mut Circuit, arguments: &Images) -> Grounded<Members> {
        let mut pairs = Vec::new();
        for (argument, variable) in arguments.iter() {
            let images = self.listed(circuit, *variable)?;
            pairs.extend(images.iter().map(|(image, literal)| (Value::pair(argument.clone(), image.clone()), *literal)));
            if pairs.len() as u64 > LISTED_INTEGERS.get() {
                return Err(Stop::Unsupported);
            }
        }
        Ok(Rc::new(pairs))
    }

    pub(super) fn equal_integers(&mut self, circuit: &mut Circuit, one: IntegerVariable, other: IntegerVariable) -> Grounded<Lit> {
        self.sum_compared(circuit, &[(1, one), (-1, other)], 0, true)
    }

    /// Where a sum is at most a limit, or equal to it. Equal sums have one literal.
    pub(super) fn sum_compared(
        &mut self,
        circuit: &mut Circuit,
        summands: &[(i64, IntegerVariable)],
        limit: i64,
        is_exact: bool,
    ) -> Grounded<Lit> {
        let (key, is_negated) = normal_form(summands, limit, is_exact).ok_or(Stop::Unsupported)?;
        if is_exact && key.summands.len() < 2 {
            // Bounds of one integer have literals of their own.
            let most = self.sum_compared(circuit, &key.summands, key.limit, false)?;
            let less = self.sum_compared(circuit, &key.summands, key.limit.checked_sub(1).ok_or(Stop::Unsupported)?, false)?;
            return Ok(circuit.and(most, !less));
        }
        let literal = match self.sums.get(&key) {
            Some(literal) => *literal,
            None => {
                let SumComparison { summands, limit, is_exact } = &key;
                let solver = &mut circuit.solver;
                let literal = if *is_exact { solver.equal_sum(summands, *limit) } else { solver.at_most_sum(summands, *limit) };
                let literal = literal.ok_or(Stop::Unsupported)?;
                circuit.count_constraint(summands.len());
                self.sums.insert(key, literal);
                literal
            }
        };
        Ok(if is_negated { !literal } else { literal })
    }
}

/// Whether an integer lies within an interval that is not empty.
pub(super) fn between(circuit: &mut Circuit, variable: IntegerVariable, least: i64, greatest: i64) -> Lit {
    let (most, less) = (circuit.solver.at_most(variable, greatest), circuit.solver.at_most(variable, least - 1));
    circuit.and(most, !less)
}

/// Requires that an integer has its least value where none of the literals is true that would determine its value: otherwise it would
/// be a further choice, with models that differ in nothing else.
pub(super) fn least_unless(circuit: &mut Circuit, variable: IntegerVariable, mut literals: Vec<Lit>) {
    let (least, _) = circuit.solver.bounds(variable);
    literals.push(circuit.solver.at_most(variable, least));
    circuit.solver.clause(literals);
    circuit.solver.propagate_root();
}

/// An integer that equals the number whose literal is true (exactly one of them is), or the least one where none is.
pub(super) fn channelled(circuit: &mut Circuit, choices: &[(i64, Lit)]) -> Grounded<IntegerVariable> {
    let values = || choices.iter().map(|(value, _)| *value);
    let (Some(least), Some(greatest)) = (values().min(), values().max()) else { return Err(Stop::Unsupported) };
    if least < -GREATEST || greatest > GREATEST {
        return Err(Stop::Unsupported);
    }
    let solver = &mut circuit.solver;
    let variable = solver.integer(least, greatest);
    for &(value, literal) in choices {
        let (most, less) = (solver.at_most(variable, value), solver.at_most(variable, value - 1));
        solver.clause(vec![!literal, most]);
        solver.clause(vec![!literal, !less]);
    }
    // The value may be ill-defined.
    least_unless(circuit, variable, choices.iter().map(|(_, literal)| *literal).collect());
    Ok(variable)
}

/// Whether the domain of the images is small compared with the number of arguments. All-different then propagates better over a
/// literal for each pair, as in the direct encoding, than over bounds of differences, which do not represent holes in a domain.
pub(super) fn is_crowded(circuit: &Circuit, arguments: &Images) -> bool {
    let widest = arguments.iter().map(|(_, image)| {
        let (least, greatest) = circuit.solver.bounds(*image);
        greatest.abs_diff(least)
    });
    let images = widest.max().unwrap_or(0).saturating_add(1);
    let arguments = arguments.len() as u64;
    images <= IMAGES_EACH.get() * arguments && images * arguments <= LISTED_INTEGERS.get()
}

/// A comparison of a sum with the summands in order and the first factor positive, and whether it is the negation of the original one.
/// Equality with a limit (`is_exact`) is never negated.
fn normal_form(summands: &[(i64, IntegerVariable)], limit: i64, is_exact: bool) -> Option<(SumComparison, bool)> {
    let mut summands: Vec<_> = summands.iter().copied().filter(|(factor, _)| *factor != 0).collect();
    summands.sort_unstable_by_key(|(_, variable)| *variable);
    if summands.first().is_none_or(|(factor, _)| *factor > 0) {
        return Some((SumComparison { summands, limit, is_exact }, false));
    }
    for (factor, _) in &mut summands {
        *factor = factor.checked_neg()?;
    }
    let limit = limit.checked_neg()?;
    // At most `limit`: the negated sum is not at most `-limit - 1`.
    let limit = if is_exact { limit } else { limit.checked_sub(1)? };
    Some((SumComparison { summands, limit, is_exact }, !is_exact))
}

/// Whether an interval is not empty, has at least `values` elements, and lies within the representable bounds.
pub(super) fn is_wide(least: i64, greatest: i64, values: u64) -> bool {
    -GREATEST <= least && least <= greatest && greatest <= GREATEST && greatest.abs_diff(least) >= values.saturating_sub(1)
}

/// The ends of an interval, explicit or symbolic.
pub(super) fn interval_of(set: &Value) -> Grounded<(i64, i64)> {
    let end = |value: &Integer| value.to_i64().filter(|value| value.abs() <= GREATEST).ok_or(Stop::Unsupported);
    match set {
        Value::Symbolic(symbolic) => match &**symbolic {
            Symbolic::Interval(from, to) => Ok((end(from)?, end(to)?)),
            _ => Err(Stop::Unsupported),
        },
        Value::Set(set) => {
            let (Some(first), Some(last)) = (set.first_element(), set.iter().last()) else { return Err(Stop::Unsupported) };
            let (Some(first), Some(last)) = (first.as_integer(), last.as_integer()) else { return Err(Stop::Unsupported) };
            let (first, last) = (end(first)?, end(last)?);
            if last.abs_diff(first) + 1 == set.len() as u64 { Ok((first, last)) } else { Err(Stop::Unsupported) }
        }
        _ => Err(Stop::Unsupported),
    }
}

/// An integer of 64 bits.
pub(super) fn number(value: &Value) -> Grounded<i64> {
    value.as_integer().and_then(Integer::to_i64).ok_or(Stop::Unsupported)
}
