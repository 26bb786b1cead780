//! Arithmetic on integers without enumerated values: sums, products, powers, quotients, remainders and extremes as integers of their own.
//!
//! Invariant: a result is determined by its operands, for all values that these can have, so that it is not a further choice. Deliberately
//! elsewhere: comparisons of sums, which need no integer for the sum (`linear`); propagation (`sat`).

use super::circuit::Circuit;
use super::integers::{GREATEST, channelled, number};
use super::open::{Ground, Grounded, Open, Stop};
use super::sat::{IntegerVariable, Lit, negated};
use crate::thresholds::POWER_FACTORS;
use bcheck_ir::BinaryOp;
use bcheck_source::Span;
use rustc_hash::FxHashMap;

/// The integers of operations in the circuit, so that equal terms are one.
#[derive(Default)]
pub(super) struct Arithmetic {
    /// The results of operations on integers, and the integers for numbers.
    results: FxHashMap<(BinaryOp, IntegerVariable, IntegerVariable), IntegerVariable>,
    numbers: FxHashMap<i64, IntegerVariable>,
}

impl Arithmetic {
    /// An operation with an operand that is an integer without enumerated values; `None` for others, and where values have to be
    /// enumerated.
    pub(super) fn arithmetic(&mut self, circuit: &mut Circuit, op: BinaryOp, left: &Ground, right: &Ground) -> Grounded<Option<Ground>> {
        let is_integer = |ground: &Ground| matches!(ground.value, Open::Integer(_));
        if !is_integer(left) && !is_integer(right)
            || !matches!(
                op,
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo | BinaryOp::Power
            )
        {
            return Ok(None);
        }
        let mut defined = circuit.and(left.defined, right.defined);
        if op == BinaryOp::Power {
            let Open::Known(exponent) = &right.value else { return Ok(None) };
            let exponent = number(exponent)?;
            if !(1..=POWER_FACTORS.get()).contains(&exponent) {
                return Ok(None);
            }
            let base = self.as_integer(circuit, &left.value)?;
            return Ok(Some(Ground { value: Open::Integer(self.integer_power(circuit, base, exponent)?), defined }));
        }
        let (left, right) = (self.as_integer(circuit, &left.value)?, self.as_integer(circuit, &right.value)?);
        if op == BinaryOp::Divide {
            let is_zero = is_number(circuit, right, 0);
            defined = circuit.and(defined, !is_zero);
        }
        let result = match self.results.get(&(op, left, right)) {
            Some(result) => *result,
            None => {
                let result = match op {
                    BinaryOp::Add => integer_sum(circuit, &[(1, left), (1, right)])?,
                    BinaryOp::Subtract => integer_sum(circuit, &[(1, left), (-1, right)])?,
                    BinaryOp::Multiply => integer_product(circuit, left, right)?,
                    _ => {
                        let ((least, _), (divisor, _)) = (circuit.solver.bounds(left), circuit.solver.bounds(right));
                        let is_positive = least >= 0 && divisor >= 1;
                        if !is_positive && op == BinaryOp::Divide {
                            let quotient = signed_quotient(circuit, left, right)?;
                            self.results.insert((op, left, right), quotient);
                            return Ok(Some(Ground { value: Open::Integer(quotient), defined }));
                        }
                        // Others have no remainder.
                        if !is_positive {
                            return Ok(None);
                        }
                        let (quotient, rest) = integer_quotient(circuit, left, right)?;
                        self.results.insert((BinaryOp::Divide, left, right), quotient);
                        self.results.insert((BinaryOp::Modulo, left, right), rest);
                        if op == BinaryOp::Divide { quotient } else { rest }
                    }
                };
                self.results.insert((op, left, right), result);
                result
            }
        };
        Ok(Some(Ground { value: Open::Integer(result), defined }))
    }

    fn as_integer(&mut self, circuit: &mut Circuit, value: &Open) -> Grounded<IntegerVariable> {
        match value {
            Open::Integer(variable) => Ok(*variable),
            Open::Known(value) => {
                let value = number(value)?;
                // One variable for each number, so that equal terms are one.
                let solver = &mut circuit.solver;
                Ok(*self.numbers.entry(value).or_insert_with(|| solver.integer(value, value)))
            }
            Open::Choice(choices) => {
                let choices: Vec<_> = choices.iter().map(|(value, literal)| Ok((number(value)?, *literal))).collect::<Grounded<_>>()?;
                channelled(circuit, &choices)
            }
            Open::Set(_) | Open::Function(_) => Err(Stop::Unsupported),
        }
    }

    /// `x ** n` for a known number of factors, at least one.
    fn integer_power(&mut self, circuit: &mut Circuit, base: IntegerVariable, exponent: i64) -> Grounded<IntegerVariable> {
        let mut power = base;
        for _ in 1..exponent {
            power = match self.results.get(&(BinaryOp::Multiply, power, base)) {
                Some(known) => *known,
                None => {
                    let product = integer_product(circuit, power, base)?;
                    self.results.insert((BinaryOp::Multiply, power, base), product);
                    product
                }
            };
        }
        Ok(power)
    }

    /// The greatest or the least of some numbers, not all of which have enumerated values.
    pub(super) fn extreme(&mut self, circuit: &mut Circuit, is_greatest: bool, items: &[(Ground, Span)]) -> Grounded<Ground> {
        let defined: Vec<Lit> = items.iter().map(|(item, _)| item.defined).collect();
        let numbers = items.iter().map(|(item, _)| self.as_integer(circuit, &item.value)).collect::<Grounded<Vec<_>>>()?;
        let ends = |end: fn((i64, i64)) -> i64| {
            let ends = numbers.iter().map(|number| end(circuit.solver.bounds(*number)));
            if is_greatest { ends.max() } else { ends.min() }.expect("a set extension has an item")
        };
        let range = (i128::from(ends(|(least, _)| least)), i128::from(ends(|(_, greatest)| greatest)));
        let extreme = within(circuit, range)?;
        let sign = if is_greatest { 1 } else { -1 };
        let mut reached = Vec::new();
        for number in numbers {
            circuit.solver.require_at_most(vec![(sign, number), (-sign, extreme)], 0);
            reached.push(circuit.solver.at_most_sum(&[(sign, extreme), (-sign, number)], 0).ok_or(Stop::Unsupported)?);
        }
        circuit.count_constraint(3 * reached.len());
        circuit.solver.clause(reached);
        circuit.solver.propagate_root();
        Ok(Ground { value: Open::Integer(extreme), defined: circuit.all(defined) })
    }
}

/// `-x`
pub(super) fn negated_integer(circuit: &mut Circuit, variable: IntegerVariable, defined: Lit) -> Grounded<Ground> {
    Ok(Ground { value: Open::Integer(integer_sum(circuit, &[(-1, variable)])?), defined })
}

/// A new integer for values in this range.
fn within(circuit: &mut Circuit, (least, greatest): (i128, i128)) -> Grounded<IntegerVariable> {
    let number = |value: i128| i64::try_from(value).ok().filter(|value| value.abs() <= GREATEST).ok_or(Stop::Unsupported);
    Ok(circuit.solver.integer(number(least)?, number(greatest)?))
}

fn integer_sum(circuit: &mut Circuit, summands: &[(i64, IntegerVariable)]) -> Grounded<IntegerVariable> {
    let mut summands = summands.to_vec();
    if let [(one, left), (other, right)] = *summands
        && left == right
    {
        summands = vec![(one + other, left)];
    }
    summands.retain(|(factor, _)| *factor != 0);
    let range = circuit.solver.range(&summands);
    let sum = within(circuit, range)?;
    summands.push((-1, sum));
    require_equal(circuit, summands)?;
    Ok(sum)
}

fn integer_product(circuit: &mut Circuit, left: IntegerVariable, right: IntegerVariable) -> Grounded<IntegerVariable> {
    let ends = |(least, greatest): (i64, i64)| [i128::from(least), i128::from(greatest)];
    let (of_left, of_right) = (ends(circuit.solver.bounds(left)), ends(circuit.solver.bounds(right)));
    let corners = || of_left.iter().flat_map(|one| of_right.iter().map(move |other| one * other));
    let (least, greatest) = corners().fold((i128::MAX, i128::MIN), |(least, greatest), corner| (least.min(corner), greatest.max(corner)));
    product_within(circuit, (least, greatest), left, right)
}

/// Quotient and remainder of an integer that is not negative by one that is positive: it is divisor times quotient and rest.
fn integer_quotient(
    circuit: &mut Circuit,
    dividend: IntegerVariable,
    divisor: IntegerVariable,
) -> Grounded<(IntegerVariable, IntegerVariable)> {
    let ((_, most), (least, greatest)) = (circuit.solver.bounds(dividend), circuit.solver.bounds(divisor));
    let quotient = within(circuit, (0, i128::from(most / least)))?;
    let rest = within(circuit, (0, i128::from(most.min(greatest - 1))))?;
    if least == greatest {
        require_equal(circuit, vec![(1, dividend), (-least, quotient), (-1, rest)])?;
    } else {
        let product = product_within(circuit, (0, i128::from(most)), divisor, quotient)?;
        require_equal(circuit, vec![(1, dividend), (-1, product), (-1, rest)])?;
        circuit.solver.require_at_most(vec![(1, rest), (-1, divisor)], -1);
    }
    circuit.solver.propagate_root();
    Ok((quotient, rest))
}

/// The quotient of two integers of any sign, rounded towards 0; 0 where the divisor is 0.
///
/// The remainder has the sign of the dividend, and is nearer to 0 than the divisor.
fn signed_quotient(circuit: &mut Circuit, dividend: IntegerVariable, divisor: IntegerVariable) -> Grounded<IntegerVariable> {
    let (least, greatest) = circuit.solver.bounds(dividend);
    let most = i128::from(least.unsigned_abs().max(greatest.unsigned_abs()));
    let quotient = within(circuit, (-most, most))?;
    let rest = within(circuit, (i128::from(least.min(0)), i128::from(greatest.max(0))))?;
    let product = product_within(circuit, (-most, most), divisor, quotient)?;
    require_equal(circuit, vec![(1, dividend), (-1, product), (-1, rest)])?;
    let solver = &mut circuit.solver;
    let [is_negative, is_rest_positive, is_rest_negative] =
        [solver.at_most(dividend, -1), !solver.at_most(rest, 0), solver.at_most(rest, -1)];
    let [is_divisor_positive, is_divisor_negative] = [!solver.at_most(divisor, 0), solver.at_most(divisor, -1)];
    let [is_quotient_positive, is_quotient_negative] = [!solver.at_most(quotient, 0), solver.at_most(quotient, -1)];
    let mut clauses = vec![
        vec![is_negative, !is_rest_negative],
        vec![!is_negative, !is_rest_positive],
        vec![is_divisor_positive, is_divisor_negative, !is_quotient_positive],
        vec![is_divisor_positive, is_divisor_negative, !is_quotient_negative],
    ];
    for (sign, of_divisor) in [(1, is_divisor_positive), (-1, is_divisor_negative)] {
        for side in [1, -1] {
            let nearer = circuit.solver.at_most_sum(&[(side, rest), (-sign, divisor)], -1).ok_or(Stop::Unsupported)?;
            clauses.push(vec![!of_divisor, nearer]);
        }
    }
    circuit.count_constraint(2 * clauses.len());
    clauses.into_iter().for_each(|clause| circuit.solver.clause(clause));
    circuit.solver.propagate_root();
    Ok(quotient)
}

/// Where an integer is this number.
fn is_number(circuit: &mut Circuit, variable: IntegerVariable, number: i64) -> Lit {
    let solver = &mut circuit.solver;
    let (most, less) = (solver.at_most(variable, number), solver.at_most(variable, number - 1));
    circuit.and(most, !less)
}

/// A new integer in this range that is the product of two others.
fn product_within(circuit: &mut Circuit, range: (i128, i128), left: IntegerVariable, right: IntegerVariable) -> Grounded<IntegerVariable> {
    let product = within(circuit, range)?;
    circuit.count_constraint(3);
    circuit.solver.product(product, left, right);
    circuit.solver.propagate_root();
    Ok(product)
}

/// Demands that a sum is 0.
fn require_equal(circuit: &mut Circuit, summands: Vec<(i64, IntegerVariable)>) -> Grounded<()> {
    let opposite = negated(&summands).ok_or(Stop::Unsupported)?;
    circuit.solver.require_at_most(opposite, 0);
    circuit.count_constraint(summands.len());
    circuit.solver.require_at_most(summands, 0);
    circuit.solver.propagate_root();
    Ok(())
}
