//! Functions of one integer that are affine on arithmetic progressions: sums, multiples, quotients and remainders by constants, cases.
//!
//! A function on `t = 0, 1, …` is given by a period p and, for each residue r modulo p, by runs of `j` in which its value at `t = p * j +
//! r` has one form: a multiple of `j` plus a constant, or a truth value. These functions are closed under the operations below
//! (quasi-affine functions as in Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010, but of one variable).
//! Invariant: exact; what would leave the class, overflow 128 bits or take more than [`FUNCTION_RUNS`] runs is `None`. Deliberately
//! elsewhere: which expressions are such functions (`eval`), what their values are as a set (`progressions`).

use super::progressions::{Progression, lesser};
use crate::thresholds::FUNCTION_RUNS;

/// Progressions with larger numbers are not made.
const LARGE: i128 = 1 << 60;

/// The value `slope * j + base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    slope: i128,
    base: i128,
}

/// A range of `j`, without an end if it is infinite, in which the values have one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run<T> {
    from: i128,
    to: Option<i128>,
    form: T,
}

/// A function on `0, 1, …`, up to a last number if its domain is finite.
#[derive(Clone, Debug)]
pub struct Cases<T> {
    period: i128,
    /// By residue: the runs in ascending order; where there is none, the function is not defined.
    residues: Vec<Vec<Run<T>>>,
}

/// A form that stays one when restricted to every k-th argument.
pub trait Form: Copy {
    /// The form on `j = factor * i + offset`, by i.
    fn sampled(self, factor: i128, offset: i128) -> Option<Self>;
}

impl Form for Affine {
    fn sampled(self, factor: i128, offset: i128) -> Option<Self> {
        let base = self.slope.checked_mul(offset)?.checked_add(self.base)?;
        Some(Self { slope: self.slope.checked_mul(factor)?, base })
    }
}

impl Form for bool {
    fn sampled(self, _: i128, _: i128) -> Option<Self> {
        Some(self)
    }
}

/// The part of a run that lies in both.
fn common<A: Copy, B: Copy>(one: &Run<A>, other: &Run<B>) -> Option<(i128, Option<i128>)> {
    let from = one.from.max(other.from);
    let to = lesser(one.to, other.to);
    to.is_none_or(|to| from <= to).then_some((from, to))
}

impl<T: Form> Cases<T> {
    /// This function with a period that is a multiple of its own.
    fn with_period(&self, period: i128) -> Option<Self> {
        let factor = period / self.period;
        if factor == 1 {
            return Some(self.clone());
        }
        let mut residues = Vec::new();
        let mut runs = 0;
        for offset in 0..factor {
            for own in &self.residues {
                let mut kept = Vec::new();
                for run in own {
                    // j = factor * i + offset.
                    let from = (run.from - offset).div_euclid(factor) + i128::from((run.from - offset).rem_euclid(factor) > 0);
                    let to = run.to.map(|to| (to - offset).div_euclid(factor));
                    if to.is_none_or(|to| from.max(0) <= to) {
                        kept.push(Run { from: from.max(0), to, form: run.form.sampled(factor, offset)? });
                    }
                }
                runs += kept.len();
                residues.push(kept);
            }
            if runs > FUNCTION_RUNS.get() {
                return None;
            }
        }
        Some(Self { period, residues })
    }

    /// Combines two functions on the same domain argument by argument, in runs in which both have one form.
    fn combined<U: Form, V: Copy>(&self, other: &Cases<U>, form: impl Fn(&Run<()>, T, U) -> Option<Vec<Run<V>>>) -> Option<Cases<V>> {
        let period = least_common_multiple(self.period, other.period)?;
        let (one, other) = (self.with_period(period)?, other.with_period(period)?);
        let mut residues = Vec::new();
        let mut count = 0;
        for (left, right) in one.residues.iter().zip(&other.residues) {
            let mut runs = Vec::new();
            for a in left {
                for b in right {
                    if let Some((from, to)) = common(a, b) {
                        runs.extend(form(&Run { from, to, form: () }, a.form, b.form)?);
                    }
                }
            }
            count += runs.len();
            if count > FUNCTION_RUNS.get() {
                return None;
            }
            residues.push(runs);
        }
        Some(Cases { period, residues })
    }
}

/// The whole run, with this form.
fn whole<T>(run: &Run<()>, form: T) -> Vec<Run<T>> {
    vec![Run { from: run.from, to: run.to, form }]
}

/// The part of a run between two numbers, if there is any.
fn part<T>(run: &Run<()>, from: Option<i128>, to: Option<i128>, form: T) -> Option<Run<T>> {
    let (from, to) = common(run, &Run { from: from.unwrap_or(i128::MIN), to, form: () })?;
    Some(Run { from, to, form })
}

impl Affine {
    const fn constant(base: i128) -> Self {
        Self { slope: 0, base }
    }

    /// Splits a run into the parts in which the value is negative, 0 and positive.
    fn by_sign<T: Copy>(self, run: &Run<()>, [negative, zero, positive]: [T; 3]) -> Vec<Run<T>> {
        if self.slope == 0 {
            return whole(run, [negative, zero, positive][usize::from(self.base >= 0) + usize::from(self.base > 0)]);
        }
        // The value, with its sign turned if it falls, is `slope * j - root` with a positive slope.
        let (slope, root) = (self.slope.abs(), -self.base * self.slope.signum());
        let below = root.div_euclid(slope) + i128::from(root.rem_euclid(slope) > 0) - 1;
        let above = root.div_euclid(slope) + 1;
        let (before, after) = if self.slope > 0 { (negative, positive) } else { (positive, negative) };
        let parts =
            [part(run, None, Some(below), before), part(run, Some(below + 1), Some(above - 1), zero), part(run, Some(above), None, after)];
        parts.into_iter().flatten().collect()
    }

    fn scaled(self, factor: i128) -> Option<Self> {
        Some(Self { slope: self.slope.checked_mul(factor)?, base: self.base.checked_mul(factor)? })
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(Self { slope: self.slope.checked_add(other.slope)?, base: self.base.checked_add(other.base)? })
    }
}

impl Cases<Affine> {
    /// `t`, on the first `count` natural numbers, or on all.
    pub fn identity(count: Option<i128>) -> Self {
        let to = count.map(|count| count - 1);
        let runs = if to.is_some_and(|to| to < 0) { Vec::new() } else { vec![Run { from: 0, to, form: Affine { slope: 1, base: 0 } }] };
        Self { period: 1, residues: vec![runs] }
    }

    /// A number, on the domain of this function.
    pub fn constant(&self, number: i128) -> Self {
        let runs = |own: &Vec<Run<Affine>>| own.iter().map(|run| Run { form: Affine::constant(number), ..*run }).collect();
        Self { period: self.period, residues: self.residues.iter().map(runs).collect() }
    }

    /// The form with the opposite value everywhere, unless a coefficient overflows.
    pub fn negated(&self) -> Option<Self> {
        self.combined(self, |run, form, _| Some(whole(run, form.scaled(-1)?)))
    }

    /// The sum of both forms, unless a coefficient overflows.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.combined(other, |run, one, other| Some(whole(run, one.plus(other)?)))
    }

    /// The difference of both forms, unless a coefficient overflows.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.negated()?)
    }

    /// The product, if one of the factors is constant in each run.
    pub fn times(&self, other: &Self) -> Option<Self> {
        self.combined(other, |run, one, other| {
            let product = if one.slope == 0 { other.scaled(one.base) } else { (other.slope == 0).then(|| one.scaled(other.base))? };
            Some(whole(run, product?))
        })
    }

    /// The quotient, rounded towards 0, if the divisor is one number other than 0.
    pub fn divided(&self, divisor: &Self) -> Option<Self> {
        let divisor = divisor.only_value().filter(|divisor| *divisor != 0)?;
        // With a period that the divisor divides, so does each slope.
        let one = self.with_period(self.period.checked_mul(divisor.abs())?)?;
        one.combined(&one, |run, form, _| {
            let (slope, down) = (form.slope / divisor, form.base.div_euclid(divisor.abs()) * divisor.signum());
            let up = down + if form.base.rem_euclid(divisor.abs()) > 0 { divisor.signum() } else { 0 };
            // The slope leaves no remainder, so rounding the base rounds the sum: down where the dividend is positive, else up.
            let (down, up) = (Affine { slope, base: down }, Affine { slope, base: up });
            Some(form.by_sign(run, [up, down, down]))
        })
    }

    /// The remainder, if the divisor is one positive number and no dividend is negative: others are ill-defined in B.
    pub fn modulo(&self, divisor: &Self) -> Option<Self> {
        let divisor = divisor.only_value().filter(|divisor| *divisor > 0)?;
        if !self.compared([false, true, true])?.is_always(true) {
            return None;
        }
        let one = self.with_period(self.period.checked_mul(divisor)?)?;
        one.combined(&one, |run, form, _| Some(whole(run, Affine::constant(form.base.rem_euclid(divisor)))))
    }

    /// Where the value is negative, 0 or positive: these truth values.
    pub fn compared(&self, truth: [bool; 3]) -> Option<Cases<bool>> {
        self.combined(self, |run, form, _| Some(form.by_sign(run, truth)))
    }

    /// `IF condition THEN self ELSE other END`
    pub fn selected(&self, condition: &Cases<bool>, other: &Self) -> Option<Self> {
        let chosen = condition.combined(self, |run, holds, form| Some(whole(run, Selected(holds, form))))?;
        chosen.combined(other, |run, Selected(holds, then), otherwise| Some(whole(run, if holds { then } else { otherwise })))
    }

    /// The function restricted to the arguments that satisfy a condition.
    pub fn where_true(&self, condition: &Cases<bool>) -> Option<Self> {
        self.combined(condition, |run, form, holds| Some(if holds { whole(run, form) } else { Vec::new() }))
    }

    /// The value, if there is only one.
    fn only_value(&self) -> Option<i128> {
        let mut runs = self.residues.iter().flatten();
        let first = runs.next()?.form;
        (first.slope == 0 && runs.all(|run| run.form == first)).then_some(first.base)
    }

    /// The values: each argument has a place in exactly one of the progressions.
    pub fn values(&self) -> Option<Vec<Progression>> {
        let value = |run: &Run<Affine>| {
            let Affine { slope, base } = run.form.sampled(1, run.from)?;
            let count = run.to.map(|to| to - run.from + 1);
            // Products of two of these must fit.
            let is_small = [slope, base, count.unwrap_or(0)].iter().all(|number| number.abs() < LARGE);
            is_small.then_some(Progression { first: base, step: slope, count })
        };
        self.residues.iter().flatten().map(value).collect()
    }
}

/// A value that is chosen where a condition holds.
#[derive(Clone, Copy)]
struct Selected(bool, Affine);

impl Form for Selected {
    fn sampled(self, factor: i128, offset: i128) -> Option<Self> {
        Some(Self(self.0, self.1.sampled(factor, offset)?))
    }
}

impl Cases<bool> {
    /// The value of `connective` applied to both.
    pub fn connected(&self, other: &Self, connective: impl Fn(bool, bool) -> bool) -> Option<Self> {
        self.combined(other, |run, one, other| Some(whole(run, connective(one, other))))
    }

    /// Whether the comparison has this truth value for every argument.
    pub fn is_always(&self, truth: bool) -> bool {
        self.residues.iter().flatten().all(|run| run.form == truth)
    }
}

fn least_common_multiple(one: i128, other: i128) -> Option<i128> {
    (one / num_integer::gcd(one, other)).checked_mul(other).filter(|period| *period <= FUNCTION_RUNS.get() as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An expression of one name.
    #[derive(Clone, Debug)]
    enum Tree {
        Name,
        Number(i128),
        Plus(Box<Tree>, Box<Tree>),
        Minus(Box<Tree>, Box<Tree>),
        Times(i128, Box<Tree>),
        Divided(Box<Tree>, i128),
        Modulo(Box<Tree>, i128),
        IfNegative(Box<Tree>, Box<Tree>, Box<Tree>),
    }

    impl Tree {
        /// Its value by the definitions; `None` where it is ill-defined.
        fn value(&self, name: i128) -> Option<i128> {
            Some(match self {
                Self::Name => name,
                Self::Number(number) => *number,
                Self::Plus(one, other) => one.value(name)? + other.value(name)?,
                Self::Minus(one, other) => one.value(name)? - other.value(name)?,
                Self::Times(factor, other) => factor * other.value(name)?,
                Self::Divided(one, by) => one.value(name)? / by,
                Self::Modulo(one, by) => one.value(name).filter(|value| *value >= 0)? % by,
                Self::IfNegative(of, then, otherwise) => if of.value(name)? < 0 { then } else { otherwise }.value(name)?,
            })
        }

        fn cases(&self, name: &Cases<Affine>) -> Option<Cases<Affine>> {
            match self {
                Self::Name => Some(name.clone()),
                Self::Number(number) => Some(name.constant(*number)),
                Self::Plus(one, other) => one.cases(name)?.plus(&other.cases(name)?),
                Self::Minus(one, other) => one.cases(name)?.minus(&other.cases(name)?),
                Self::Times(factor, other) => name.constant(*factor).times(&other.cases(name)?),
                Self::Divided(one, by) => one.cases(name)?.divided(&name.constant(*by)),
                Self::Modulo(one, by) => one.cases(name)?.modulo(&name.constant(*by)),
                Self::IfNegative(of, then, otherwise) => {
                    then.cases(name)?.selected(&of.cases(name)?.compared([true, false, false])?, &otherwise.cases(name)?)
                }
            }
        }
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![Just(Tree::Name), (-9i128..9).prop_map(Tree::Number)];
        leaf.prop_recursive(4, 12, 3, |inner| {
            let boxed = inner.prop_map(Box::new).boxed();
            prop_oneof![
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Tree::Plus(a, b)),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Tree::Minus(a, b)),
                (-4i128..5, boxed.clone()).prop_map(|(a, b)| Tree::Times(a, b)),
                (boxed.clone(), prop_oneof![-4i128..0, 1i128..5]).prop_map(|(a, b)| Tree::Divided(a, b)),
                (boxed.clone(), 1i128..6).prop_map(|(a, b)| Tree::Modulo(a, b)),
                (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| Tree::IfNegative(a, b, c)),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_definition(tree in tree(), first in -20i128..20, is_rising: bool, count in 1i128..60) {
            let sign = if is_rising { 1 } else { -1 };
            let t = Cases::identity(Some(count));
            let name = t.times(&t.constant(sign)).and_then(|t| t.plus(&t.constant(first))).expect("small numbers");
            if let Some(cases) = tree.cases(&name) {
                let mut found: Vec<i128> = cases.values().expect("small numbers").iter().flat_map(|values| {
                    (0..values.count.expect("a finite domain")).map(|at| values.first + values.step * at)
                }).collect();
                let expected: Option<Vec<i128>> = (0..count).map(|t| tree.value(first + sign * t)).collect();
                let mut expected = expected.expect("what is ill-defined somewhere has no cases, unless that branch is never taken");
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
