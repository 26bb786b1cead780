//! Functions with a known sum or product, enumerated: values are chosen for one argument after the other, none larger than the rest of the
//! total, and factors among its divisors.
//!
//! Invariant: each function that can have the total is visited once; some that do not have it may be visited too, as the conjunct is
//! tested afterwards. Deliberately elsewhere: recognising the conjuncts (`order::totals`).

use super::frame::{Flow, Frame};
use crate::EvalError;
use crate::error::unbounded;
use crate::plan::TotalPlan;
use crate::thresholds::TRIAL_DIVISIONS;
use bcheck_source::Span;
use bcheck_value::{Set, Value};

/// The arguments of a function with the weights of its values, and the conditions on the values.
pub(super) struct Arguments {
    arguments: Vec<(Value, i64)>,
    least: i64,
    greatest: Option<i64>,
    total: i64,
    is_product: bool,
    is_exact: bool,
    /// Whether the remainder bounds the values, because no weight is negative.
    is_bounding: bool,
    span: Span,
}

impl<'m> Frame<'m> {
    /// Everything that the choice of values depends on.
    pub(super) fn arguments(&mut self, plan: &TotalPlan) -> Result<Arguments, EvalError> {
        let span = plan.domain.span;
        let domain = self.eval(&plan.domain)?;
        let mut elements = Vec::new();
        self.visit(&domain, span, &mut |_, element| {
            elements.push(element);
            Ok(Flow::Continue)
        })?;
        let mut arguments = Vec::with_capacity(elements.len());
        for element in elements {
            let factor = match &plan.weight {
                Some(weight) => {
                    self.set(plan.index, element.clone());
                    let factor = self.eval(weight)?;
                    small(&factor, weight.span)?
                }
                None => 1,
            };
            arguments.push((element, factor));
        }
        let greatest = match &plan.greatest {
            Some(greatest) => {
                let value = self.eval(greatest)?;
                Some(small(&value, greatest.span)?)
            }
            None => None,
        };
        let total = self.eval(&plan.total)?;
        let total = small(&total, plan.total.span)?;
        let is_bounding = arguments.iter().all(|(_, factor)| *factor >= 0);
        let (least, is_product, is_exact) = (plan.least, plan.is_product, plan.is_exact);
        Ok(Arguments { arguments, least, greatest, total, is_product, is_exact, is_bounding, span })
    }

    /// Visits each function on these arguments.
    pub(super) fn each_function(
        &mut self,
        over: &Arguments,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        // Values are natural numbers: with such weights neither a sum nor a product is negative.
        if over.is_bounding && over.total < 0 {
            return Ok(Flow::Continue);
        }
        self.choose_values(over, over.total, &mut Vec::new(), visitor)
    }

    /// Chooses values for the arguments after those `chosen`, with `rest` of the total to be made up.
    fn choose_values(
        &mut self,
        over: &Arguments,
        rest: i64,
        chosen: &mut Vec<Value>,
        visitor: &mut dyn FnMut(&mut Self, Value) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        self.tick(over.span)?;
        let Some((argument, factor)) = over.arguments.get(chosen.len()) else {
            return visitor(self, Value::Set(Set::from_values(chosen.clone())));
        };
        for value in over.values(chosen.len(), rest)? {
            // A divisor divides without a remainder; a product that is 0 stays 0. In a sum that bounds its values, `value * factor` is
            // at most the rest; elsewhere the rest is not used, and may saturate.
            let left = match over.is_product {
                true if rest == 0 => 0,
                true => rest / value,
                false => rest.saturating_sub(value.saturating_mul(*factor)),
            };
            chosen.push(Value::pair(argument.clone(), Value::integer(value)));
            let flow = self.choose_values(over, left, chosen, visitor)?;
            chosen.pop();
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}

impl Arguments {
    /// The values that an argument may have when `rest` of the total remains, ascending.
    fn values(&self, at: usize, rest: i64) -> Result<Box<dyn Iterator<Item = i64>>, EvalError> {
        let factor = self.arguments[at].1;
        // The last value of an exact total follows from the others. A product is always exact, because the divisors of a bound are not
        // all factors below it.
        let is_last = self.is_exact && at + 1 == self.arguments.len();
        let within = |most: i64| self.least..=self.greatest.map_or(most, |greatest| greatest.min(most));
        let only = |value: i64, fits: bool| (fits && within(value).contains(&value)).then_some(value).into_iter();
        // Nothing bounds a value where a negative weight can make up for it, where the product is 0 already, or where its weight is 0.
        let is_open = !self.is_bounding || if self.is_product { rest == 0 } else { factor == 0 };
        Ok(match (is_open, self.is_product) {
            (true, _) if self.greatest.is_none() => return unbounded("the values of a function".to_owned(), self.span),
            (true, _) => Box::new(within(i64::MAX)),
            (false, false) if is_last => Box::new(only(rest / factor, rest % factor == 0)),
            (false, false) => Box::new(within(rest / factor)),
            (false, true) if is_last => Box::new(only(rest, true)),
            (false, true) => Box::new(divisors(rest, *within(rest).end(), self.span)?.into_iter().filter({
                let least = self.least;
                move |divisor| *divisor >= least
            })),
        })
    }
}

/// The divisors of a positive number up to a bound, ascending.
fn divisors(number: i64, most: i64, span: Span) -> Result<Vec<i64>, EvalError> {
    let last = number.isqrt().min(most);
    if last > TRIAL_DIVISIONS.get() {
        return unbounded(format!("the divisors of {number}"), span);
    }
    // A divisor up to the root has a partner above it; in reverse order the partners ascend. The root of a square is its own partner,
    // and excluded by `> last`.
    let small: Vec<i64> = (1..=last).filter(|divisor| number % divisor == 0).collect();
    let large = small.iter().rev().map(|divisor| number / divisor).filter(|divisor| *divisor > last && *divisor <= most);
    Ok(small.iter().copied().chain(large).collect())
}

/// A number of 64 bits.
fn small(value: &Value, span: Span) -> Result<i64, EvalError> {
    let Value::Integer(number) = value else { unreachable!("typed as an integer") };
    number.to_i64().map_or_else(|| unbounded("the values of a function".to_owned(), span), Ok)
}
