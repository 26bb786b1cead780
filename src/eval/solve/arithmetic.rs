//! Arithmetic on integers that are not listed: sums, products, quotients and remainders as integers of their own.
//!
//! Invariant: a result follows from its operands, for all values that these can have, so that it is no further choice.
//! Deliberately elsewhere: comparisons of sums, which need no integer for the sum (`linear`); propagation (`sat`).

use super::grounding::{Ground, Grounded, Grounding, Open, Stop};
use super::integers::{GREATEST, number};
use super::sat::{IntegerVariable, Lit};
use crate::ir::BinaryOp;

impl Grounding<'_, '_> {
    /// An operation one of whose operands is an integer that is not listed; `None` for others, and where values have to be listed.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: &Ground, right: &Ground) -> Grounded<Option<Ground>> {
        let is_integer = |ground: &Ground| matches!(ground.value, Open::Integer(_));
        if !is_integer(left) && !is_integer(right)
            || !matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo)
        {
            return Ok(None);
        }
        let defined = self.circuit.and(left.defined, right.defined);
        let (left, right) = (self.as_integer(&left.value)?, self.as_integer(&right.value)?);
        let result = match self.results.get(&(op, left, right)) {
            Some(result) => *result,
            None => {
                let result = match op {
                    BinaryOp::Add => self.integer_sum(&[(1, left), (1, right)])?,
                    BinaryOp::Subtract => self.integer_sum(&[(1, left), (-1, right)])?,
                    BinaryOp::Multiply => self.integer_product(left, right)?,
                    _ => {
                        // Elsewhere quotients are rounded in another way, or there are none.
                        let ((least, _), (divisor, _)) = (self.circuit.solver.bounds(left), self.circuit.solver.bounds(right));
                        if least < 0 || divisor < 1 {
                            return Ok(None);
                        }
                        let (quotient, rest) = self.integer_quotient(left, right)?;
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

    /// `-x`
    pub(super) fn negated_integer(&mut self, variable: IntegerVariable, defined: Lit) -> Grounded<Ground> {
        Ok(Ground { value: Open::Integer(self.integer_sum(&[(-1, variable)])?), defined })
    }

    fn as_integer(&mut self, value: &Open) -> Grounded<IntegerVariable> {
        match value {
            Open::Integer(variable) => Ok(*variable),
            Open::Known(value) => {
                let value = number(value)?;
                // One variable for each number, so that equal terms are one.
                let solver = &mut self.circuit.solver;
                Ok(*self.numbers.entry(value).or_insert_with(|| solver.integer(value, value)))
            }
            Open::Choice(choices) => {
                let choices: Vec<_> = choices.iter().map(|(value, literal)| Ok((number(value)?, *literal))).collect::<Grounded<_>>()?;
                self.channelled(&choices)
            }
            Open::Set(_) | Open::Function(_) => Err(Stop::Unsupported),
        }
    }

    /// A new integer for values in this range.
    fn within(&mut self, (least, greatest): (i128, i128)) -> Grounded<IntegerVariable> {
        let number = |value: i128| i64::try_from(value).ok().filter(|value| value.abs() <= GREATEST).ok_or(Stop::Unsupported);
        Ok(self.circuit.solver.integer(number(least)?, number(greatest)?))
    }

    fn integer_sum(&mut self, summands: &[(i64, IntegerVariable)]) -> Grounded<IntegerVariable> {
        let mut summands = summands.to_vec();
        if let [(one, left), (other, right)] = *summands
            && left == right
        {
            summands = vec![(one + other, left)];
        }
        summands.retain(|(factor, _)| *factor != 0);
        let range = self.circuit.solver.range(&summands);
        let sum = self.within(range)?;
        summands.push((-1, sum));
        self.require_equal(summands)?;
        Ok(sum)
    }

    fn integer_product(&mut self, left: IntegerVariable, right: IntegerVariable) -> Grounded<IntegerVariable> {
        let ends = |(least, greatest): (i64, i64)| [i128::from(least), i128::from(greatest)];
        let (of_left, of_right) = (ends(self.circuit.solver.bounds(left)), ends(self.circuit.solver.bounds(right)));
        let corners = || of_left.iter().flat_map(|one| of_right.iter().map(move |other| one * other));
        let (least, greatest) =
            corners().fold((i128::MAX, i128::MIN), |(least, greatest), corner| (least.min(corner), greatest.max(corner)));
        self.product_within((least, greatest), left, right)
    }

    /// Quotient and remainder of an integer that is not negative by one that is positive: it is divisor times quotient and rest.
    fn integer_quotient(&mut self, dividend: IntegerVariable, divisor: IntegerVariable) -> Grounded<(IntegerVariable, IntegerVariable)> {
        let ((_, most), (least, greatest)) = (self.circuit.solver.bounds(dividend), self.circuit.solver.bounds(divisor));
        let quotient = self.within((0, i128::from(most / least)))?;
        let rest = self.within((0, i128::from(most.min(greatest - 1))))?;
        if least == greatest {
            self.require_equal(vec![(1, dividend), (-least, quotient), (-1, rest)])?;
        } else {
            let product = self.product_within((0, i128::from(most)), divisor, quotient)?;
            self.require_equal(vec![(1, dividend), (-1, product), (-1, rest)])?;
            self.circuit.solver.require_at_most(vec![(1, rest), (-1, divisor)], -1);
        }
        self.circuit.solver.propagate_root();
        Ok((quotient, rest))
    }

    /// A new integer in this range that is the product of two others.
    fn product_within(&mut self, range: (i128, i128), left: IntegerVariable, right: IntegerVariable) -> Grounded<IntegerVariable> {
        let product = self.within(range)?;
        self.circuit.count_constraint(3);
        self.circuit.solver.product(product, left, right);
        self.circuit.solver.propagate_root();
        Ok(product)
    }

    /// Demands that a sum is 0.
    fn require_equal(&mut self, summands: Vec<(i64, IntegerVariable)>) -> Grounded<()> {
        let opposite: Option<Vec<_>> = summands.iter().map(|(factor, variable)| Some((factor.checked_neg()?, *variable))).collect();
        self.circuit.solver.require_at_most(opposite.ok_or(Stop::Unsupported)?, 0);
        self.circuit.count_constraint(summands.len());
        self.circuit.solver.require_at_most(summands, 0);
        self.circuit.solver.propagate_root();
        Ok(())
    }
}
