//! Sets of integers given as arithmetic progressions: which of them lie in intervals, whether two share a number, what they cover.
//!
//! Invariant: exact; a question whose answer would take too many steps is `None`. Deliberately elsewhere: where they come from
//! (`quasi_affine`), unions of intervals as values (`eval`).

use crate::thresholds::{COMPARED_PROGRESSIONS, PROGRESSION_NUMBERS};

/// The numbers `first + step * i` for `i = 0, 1, …`, up to `count - 1` if there is a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progression {
    pub(crate) first: i128,
    pub(crate) step: i128,
    pub(crate) count: Option<i128>,
}

/// An interval; an end that is missing is infinite.
pub type Ends = (Option<i128>, Option<i128>);

/// The lesser of two upper ends; one that is missing is infinite.
pub fn lesser(one: Option<i128>, other: Option<i128>) -> Option<i128> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (end, None) | (None, end) => end,
    }
}

impl Progression {
    /// The least and the greatest of its places whose numbers lie within these ends; nothing if there is none.
    fn places_within(&self, (low, high): Ends) -> Option<(i128, Option<i128>)> {
        let last = self.count.map(|count| count - 1);
        let is_inside = |number: i128| low.is_none_or(|low| low <= number) && high.is_none_or(|high| number <= high);
        if self.step == 0 {
            return (last.is_none_or(|last| last >= 0) && is_inside(self.first)).then_some((0, last));
        }
        // With a falling progression the ends change places.
        let (near, far) = if self.step > 0 { (low, high) } else { (high.map(|high| -high), low.map(|low| -low)) };
        let (first, step) = (self.first * self.step.signum(), self.step.abs());
        let from = near.map_or(0, |near| ceiling(near - first, step)).max(0);
        let to = lesser(far.map(|far| (far - first).div_euclid(step)), last);
        to.is_none_or(|to| from <= to).then_some((from, to))
    }

    /// Whether it has all numbers within these ends, as its step shows.
    fn is_gapless_over(&self, (low, high): Ends) -> bool {
        let far = self.count.map(|count| self.first + self.step * (count - 1));
        let (least, greatest) = if self.step > 0 { (Some(self.first), far) } else { (far, Some(self.first)) };
        let reaches_down = least.is_none_or(|least| low.is_some_and(|low| least <= low));
        self.step.abs() == 1 && reaches_down && greatest.is_none_or(|greatest| high.is_some_and(|high| high <= greatest))
    }

    fn has(&self, number: i128) -> bool {
        self.places_within((Some(number), Some(number))).is_some()
    }

    /// Whether two places, one of each, have the same number.
    fn meets(&self, other: &Self) -> bool {
        let (Some(_), Some(_)) = (self.places_within((None, None)), other.places_within((None, None))) else { return false };
        if self.step == 0 {
            return other.has(self.first);
        }
        if other.step == 0 {
            return self.has(other.first);
        }
        // first + step * x = other.first + other.step * y: by the extended Euclidean algorithm, the solutions are one of them plus
        // multiples of (other.step / g, step / g).
        let num_integer::ExtendedGcd { gcd, x, y, .. } = num_integer::Integer::extended_gcd(&self.step, &-other.step);
        let difference = other.first - self.first;
        if difference % gcd != 0 {
            return false;
        }
        let (x, y) = (x * (difference / gcd), y * (difference / gcd));
        let (by_x, by_y) = (-other.step / gcd, self.step / gcd);
        // x + s * by_x and y - s * by_y solve it for each s; s must place both among the members.
        let of_x = Progression { first: x, step: by_x, count: None };
        let of_y = Progression { first: y, step: -by_y, count: None };
        let within = |line: &Progression, count: Option<i128>| line.line_within((Some(0), count.map(|count| count - 1)));
        let (one, two) = (within(&of_x, self.count), within(&of_y, other.count));
        let low = one.0.max(two.0);
        let high = lesser(one.1, two.1);
        low.zip(high).is_none_or(|(low, high)| low <= high)
    }

    /// The integers s for which `first + step * s`, with a step other than 0, lies within these ends.
    fn line_within(&self, (low, high): Ends) -> Ends {
        let (near, far) = if self.step > 0 { (low, high) } else { (high.map(|high| -high), low.map(|low| -low)) };
        let (first, step) = (self.first * self.step.signum(), self.step.abs());
        (near.map(|near| ceiling(near - first, step)), far.map(|far| (far - first).div_euclid(step)))
    }
}

/// The least integer that is not less than a quotient with a positive divisor.
fn ceiling(dividend: i128, divisor: i128) -> i128 {
    -(-dividend).div_euclid(divisor)
}

/// Whether all numbers lie in intervals that are in ascending order and do not touch each other.
pub fn lie_within(progressions: &[Progression], intervals: &[Ends]) -> bool {
    let mut gaps: Vec<Ends> = Vec::new();
    let mut low = None;
    let mut is_open = true;
    for (from, to) in intervals {
        if let Some(from) = from {
            gaps.push((low, Some(from - 1)));
        }
        low = to.map(|to| to + 1);
        is_open = to.is_some();
    }
    if is_open {
        gaps.push((low, None));
    }
    progressions.iter().all(|progression| gaps.iter().all(|gap| progression.places_within(*gap).is_none()))
}

/// Whether no number has two places, in one progression or in two.
pub fn are_distinct(progressions: &[Progression]) -> Option<bool> {
    if progressions.len() > COMPARED_PROGRESSIONS.get() {
        return None;
    }
    let repeats = |progression: &Progression| progression.step == 0 && progression.count.is_none_or(|count| count > 1);
    let meet = progressions.iter().enumerate().any(|(at, one)| progressions[..at].iter().any(|other| one.meets(other)));
    Some(!meet && !progressions.iter().any(repeats))
}

/// Whether each number of the intervals has a place.
pub fn cover(progressions: &[Progression], intervals: &[Ends]) -> Option<bool> {
    let endless = |rises: bool| {
        let is_endless =
            move |progression: &&Progression| progression.count.is_none() && progression.step != 0 && (progression.step > 0) == rises;
        progressions.iter().filter(is_endless)
    };
    for (low, high) in intervals {
        if progressions.iter().any(|progression| progression.is_gapless_over((*low, *high))) {
            continue;
        }
        // Beyond the first numbers of the progressions that are unbounded in this direction, membership in them repeats with the least
        // common multiple of the steps; the other progressions have finitely many numbers or come from there.
        let horizon = |rises: bool| {
            let mut period = 1_i128;
            for progression in endless(rises) {
                period = num_integer::lcm(period, progression.step.abs());
                if period > PROGRESSION_NUMBERS.get() {
                    return None;
                }
            }
            Some(period)
        };
        let all = progressions.iter().map(|progression| {
            let last = progression.count.map(|count| progression.first + progression.step * (count - 1).max(0));
            (progression.first, last.unwrap_or(progression.first))
        });
        let (least, greatest) =
            all.fold((0, 0), |(least, greatest), (one, other)| (least.min(one).min(other), greatest.max(one).max(other)));
        let from = match low {
            Some(low) => *low,
            None => least.min(high.unwrap_or(least)) - horizon(false)?,
        };
        let to = match high {
            Some(high) => *high,
            None => greatest.max(low.unwrap_or(greatest)) + horizon(true)?,
        };
        if to - from > PROGRESSION_NUMBERS.get()
            || (to - from).saturating_mul(progressions.len() as i128) > PROGRESSION_NUMBERS.get() * 1_000
        {
            return None;
        }
        if !(from..=to).all(|number| progressions.iter().any(|progression| progression.has(number))) {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers up to here are compared one by one; ends and steps are far smaller.
    const FAR: i128 = 400;

    fn numbers(progression: &Progression) -> Vec<i128> {
        let count = progression.count.unwrap_or(FAR);
        (0..count).map(|at| progression.first + progression.step * at).filter(|number| number.abs() <= FAR).collect()
    }

    fn progression() -> impl Strategy<Value = Progression> {
        (-9i128..9, -4i128..5, proptest::option::of(1i128..9)).prop_map(|(first, step, count)| Progression { first, step, count })
    }

    fn intervals() -> impl Strategy<Value = Vec<Ends>> {
        prop_oneof![
            Just(vec![(None, None)]),
            (-6i128..6).prop_map(|low| vec![(Some(low), None)]),
            (-6i128..6).prop_map(|high| vec![(None, Some(high))]),
            (-6i128..6, 0i128..9, 2i128..5, 0i128..5)
                .prop_map(|(low, by, gap, more)| vec![(Some(low), Some(low + by)), (Some(low + by + gap), Some(low + by + gap + more))]),
        ]
    }

    fn is_in(intervals: &[Ends], number: i128) -> bool {
        intervals.iter().any(|(low, high)| low.is_none_or(|low| low <= number) && high.is_none_or(|high| number <= high))
    }

    proptest! {
        #[test]
        fn answers_are_those_of_a_list(progressions in proptest::collection::vec(progression(), 1..4), intervals in intervals()) {
            let all: Vec<i128> = progressions.iter().flat_map(numbers).collect();
            prop_assert_eq!(lie_within(&progressions, &intervals), all.iter().all(|number| is_in(&intervals, *number)));
            let mut sorted = all.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(are_distinct(&progressions), Some(sorted.len() == all.len()));
            // Near enough that each progression without an end has come there, or never does.
            let near = (-FAR / 4..=FAR / 4).filter(|number| is_in(&intervals, *number));
            prop_assert_eq!(cover(&progressions, &intervals), Some(near.into_iter().all(|number| sorted.binary_search(&number).is_ok())));
        }
    }
}
