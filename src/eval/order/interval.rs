//! Interval arithmetic on integers: enclosures of terms.
//!
//! Invariant: the result of an operation contains every value that it can have for values in its operands; a number beyond the computed
//! range is not a bound. Deliberately elsewhere: which terms there are, and what conjuncts imply about them (`narrowing`).

/// Numbers beyond this are not bounds, so that no operation overflows.
const GREATEST: i128 = 1 << 60;

/// The numbers between two ends, each of which may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Enclosure {
    pub(super) low: Option<i128>,
    pub(super) high: Option<i128>,
}

pub(super) fn bounded(end: Option<i128>) -> Option<i128> {
    end.filter(|end| (-GREATEST..=GREATEST).contains(end))
}

impl Enclosure {
    pub(super) fn new(low: Option<i128>, high: Option<i128>) -> Self {
        Self { low: bounded(low), high: bounded(high) }
    }

    pub(super) fn of(number: i128) -> Self {
        Self::new(Some(number), Some(number))
    }

    pub(super) fn from(low: i128) -> Self {
        Self::new(Some(low), None)
    }

    pub(super) fn up_to(high: i128) -> Self {
        Self::new(None, Some(high))
    }

    /// The only number, if there is one only.
    pub(super) fn single(self) -> Option<i128> {
        self.low.filter(|low| self.high == Some(*low))
    }

    pub(super) fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    pub(super) fn is_at_least(self, number: i128) -> bool {
        self.low.is_some_and(|low| low >= number)
    }

    pub(super) fn is_at_most(self, number: i128) -> bool {
        self.high.is_some_and(|high| high <= number)
    }

    /// Both ends.
    pub(super) fn ends(self) -> Option<(i128, i128)> {
        Some((self.low?, self.high?))
    }

    /// The intersection.
    pub(super) fn meet(self, other: Self) -> Self {
        let low = [self.low, other.low].into_iter().flatten().max();
        let high = [self.high, other.high].into_iter().flatten().min();
        Self { low, high }
    }

    /// An interval with all that is in either.
    pub(super) fn hull(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let low = self.low.zip(other.low).map(|(one, other)| one.min(other));
        let high = self.high.zip(other.high).map(|(one, other)| one.max(other));
        Self { low, high }
    }

    pub(super) fn add(self, other: Self) -> Self {
        let sum = |one: Option<i128>, other: Option<i128>| one.zip(other).map(|(one, other)| one + other);
        Self::new(sum(self.low, other.low), sum(self.high, other.high))
    }

    pub(super) fn negate(self) -> Self {
        Self { low: self.high.map(|high| -high), high: self.low.map(|low| -low) }
    }

    pub(super) fn subtract(self, other: Self) -> Self {
        self.add(other.negate())
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        if let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) {
            // Below 2 ** 120, as each factor is below 2 ** 60.
            let products = [a * c, a * d, b * c, b * d];
            return Self::new(products.into_iter().min(), products.into_iter().max());
        }
        // With an end missing only signs are known.
        match (self.low.zip(other.low), self.high.zip(other.high)) {
            (Some((a, c)), _) if a >= 0 && c >= 0 => Self::new(Some(a * c), None),
            (_, Some((b, d))) if b <= 0 && d <= 0 => Self::from(0),
            _ if self.is_at_least(0) && other.is_at_most(0) || self.is_at_most(0) && other.is_at_least(0) => Self::up_to(0),
            _ => Self::default(),
        }
    }

    /// The power with this exponent.
    pub(super) fn power(self, exponent: u32) -> Self {
        let power = |base: i128| base.checked_pow(exponent);
        let odd = Self::new(self.low.and_then(power), self.high.and_then(power));
        if exponent % 2 == 1 || self.is_at_least(0) {
            return odd;
        }
        let greatest = self.ends().and_then(|(low, high)| power(low.abs().max(high.abs())));
        Self::new(Some(0), greatest)
    }

    /// The numbers whose products with some number of `factor` may be in this interval.
    pub(super) fn factor_beside(self, factor: Self) -> Self {
        if let Some(number) = factor.single().filter(|number| *number != 0) {
            let (low, high) = if number > 0 { (self.low, self.high) } else { (self.high, self.low) };
            return Self::new(low.map(|low| -floor(-low, number)), high.map(|high| floor(high, number)));
        }
        let excludes_zero = self.is_at_least(1) || self.is_at_most(-1);
        // Neither factor is 0 where the product is not.
        let least = if factor.is_at_least(1) { factor.low.unwrap_or(1) } else { 1 };
        if !(factor.is_at_least(1) || excludes_zero && factor.is_at_least(0)) {
            let most = if excludes_zero { self.ends().map(|(low, high)| low.abs().max(high.abs())) } else { None };
            return Self::new(most.map(|most| -most), most);
        }
        // The other factor is positive, so this one has the sign of the product, and its absolute value is at most that of the product
        // divided by the least.
        let high = self.high.map(|high| if high >= 0 { high / least } else { -1 });
        let low = self.low.map(|low| if low > 0 { 1 } else { -(-low / least) });
        Self::new(low, high)
    }

    /// The numbers whose power with this exponent may be in this interval.
    pub(super) fn root(self, exponent: u32) -> Self {
        let high = self.high.filter(|high| *high >= 0).map(|high| root(high, exponent));
        if exponent % 2 == 1 {
            return Self::new(self.low.filter(|low| *low >= 0).map(|_| 0), high);
        }
        Self::new(high.map(|high| -high), high)
    }
}

/// The quotient, rounded down.
fn floor(number: i128, divisor: i128) -> i128 {
    let quotient = number / divisor;
    if number % divisor != 0 && (number < 0) != (divisor < 0) { quotient - 1 } else { quotient }
}

/// The greatest number whose power is not above `number`.
fn root(number: i128, exponent: u32) -> i128 {
    let (mut low, mut high) = (0, 1_i128 << 60);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        match middle.checked_pow(exponent) {
            Some(power) if power <= number => low = middle,
            _ => high = middle - 1,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All intervals with ends between -4 and 4, and those without an end.
    fn intervals() -> Vec<Enclosure> {
        let ends: Vec<Option<i128>> = (-4..=4).map(Some).chain([None]).collect();
        let all = ends.iter().flat_map(|low| ends.iter().map(move |high| Enclosure::new(*low, *high)));
        all.filter(|interval| !interval.is_empty()).collect()
    }

    fn has(interval: Enclosure, number: i128) -> bool {
        interval.low.is_none_or(|low| low <= number) && interval.high.is_none_or(|high| number <= high)
    }

    #[test]
    fn no_number_is_lost() {
        let numbers = || -9..=9_i128;
        for one in intervals() {
            for other in intervals() {
                for a in numbers().filter(|a| has(one, *a)) {
                    for b in numbers().filter(|b| has(other, *b)) {
                        assert!(has(one.add(other), a + b) && has(one.subtract(other), a - b), "{one:?} {other:?}");
                        assert!(has(one.multiply(other), a * b), "{one:?} * {other:?}: {a} * {b}");
                        assert!(has(one.hull(other), a) && has(one.hull(other), b));
                        // Of a product in `target`, which is any interval around it.
                        for target in [Enclosure::of(a * b), Enclosure::new(Some(a * b - 1), None), Enclosure::new(None, Some(a * b + 1))] {
                            assert!(has(target.factor_beside(other), a), "{a} * {b} in {target:?}, {b} in {other:?}");
                        }
                    }
                    for exponent in 1..4 {
                        assert!(has(one.power(exponent), a.pow(exponent)), "{one:?} ** {exponent}");
                        let power = a.pow(exponent);
                        for target in [Enclosure::of(power), Enclosure::new(Some(power - 1), None), Enclosure::new(None, Some(power + 1))] {
                            assert!(has(target.root(exponent), a), "{a} ** {exponent} in {target:?}");
                        }
                    }
                }
            }
        }
    }
}
