//! Extrapolates the counts of small sizes to larger ones.
//!
//! Counts grow exponentially with the sizes of deferred sets, or as a power of them, or in between; so their logarithms are extrapolated:
//! by a straight line, by a constant second difference, and by second differences that shrink or grow like the last two. Error bars cover
//! all three, widened by the errors of the same method on sizes that are known. Invariant: an estimate never enters a count. Deliberately
//! elsewhere: which sizes are searched (`cli`), and the table (`estimate`).

/// Sizes whose counts must be known for an estimate; with error bars, one more, which the estimate from the others is tested against.
const LEAST: usize = 3;
/// How many of the last sizes the method is tested on.
const TESTED: usize = 3;
/// Second differences are not believed to grow faster than this from size to size.
const FASTEST: f64 = 1.5;
/// The least error of one step, as a logarithm of base 10: a half of a percent.
const LEAST_ERROR: f64 = 0.002;

/// An estimate of a count, as logarithms of base 10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extrapolation {
    pub(crate) likely: f64,
    /// The error bars; `None` where too few sizes are known to test the method.
    pub(crate) range: Option<(f64, f64)>,
}

/// Extrapolates a count from its logarithms at consecutive sizes to the size that is `steps` after the last one.
#[allow(clippy::cast_precision_loss, reason = "a number of sizes")]
pub(crate) fn extrapolate(logarithms: &[f64], steps: usize) -> Option<Extrapolation> {
    let three = three(logarithms, steps)?;
    let likely = three[2];
    let tested = LEAST.max(logarithms.len().saturating_sub(TESTED))..logarithms.len();
    let error = tested.filter_map(|known| Some((three_at(&logarithms[..known])? - logarithms[known]).abs())).reduce(f64::max);
    // An error of a second difference accumulates quadratically.
    let spread = error.map(|error| error.max(LEAST_ERROR) * (steps * (steps + 1) / 2) as f64);
    let range = spread.map(|spread| {
        let (low, high) = three.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(*one), high.max(*one)));
        ((low - spread).max(least(logarithms)), high + spread)
    });
    Some(Extrapolation { likely, range })
}

/// A lower bound of the count at a larger size: that of the last size, if counts have never fallen so far; otherwise one.
fn least(logarithms: &[f64]) -> f64 {
    if logarithms.is_sorted() { logarithms.last().copied().unwrap_or(0.0) } else { 0.0 }
}

/// The likely value one step on.
fn three_at(logarithms: &[f64]) -> Option<f64> {
    three(logarithms, 1).map(|[_, _, likely]| likely)
}

/// By a line, by a parabola, and by second differences that continue as a geometric sequence.
#[allow(clippy::cast_precision_loss, reason = "a number of sizes")]
fn three(logarithms: &[f64], steps: usize) -> Option<[f64; 3]> {
    let [.., before, last] = *logarithms else { return None };
    if logarithms.len() < LEAST {
        return None;
    }
    let second = |at: usize| logarithms[at] - 2.0 * logarithms[at - 1] + logarithms[at - 2];
    let curve = second(logarithms.len() - 1);
    // If it is unknown, or the sign of the second difference changed, the curve is assumed to flatten out.
    let ratio = (logarithms.len() > LEAST).then(|| curve / second(logarithms.len() - 2)).filter(|ratio| *ratio >= 0.0 && ratio.is_finite());
    let ratio = ratio.unwrap_or(0.5).min(FASTEST);
    let line = last + steps as f64 * (last - before);
    let parabola = line + curve * (steps * (steps + 1) / 2) as f64;
    let (mut value, mut slope, mut bend) = (last, last - before, curve);
    let least = least(logarithms);
    for _ in 0..steps {
        bend *= ratio;
        slope += bend;
        value = (value + slope).max(least);
    }
    Some([line.max(least), parabola.max(least), value])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logarithms(counts: impl IntoIterator<Item = f64>) -> Vec<f64> {
        counts.into_iter().map(f64::log10).collect()
    }

    /// The estimate from all but the last `steps` counts holds the last one.
    #[track_caller]
    fn holds(counts: impl IntoIterator<Item = f64>, steps: usize, widest: f64) {
        let logarithms = logarithms(counts);
        let (known, truth) = (&logarithms[..logarithms.len() - steps], logarithms[logarithms.len() - 1]);
        let estimate = extrapolate(known, steps).expect("enough sizes");
        let (low, high) = estimate.range.expect("enough sizes to test the method");
        assert!(low <= truth && truth <= high && low <= estimate.likely && estimate.likely <= high, "{truth}: {estimate:?}");
        assert!(high - low < widest, "{estimate:?} says something");
    }

    #[test]
    fn the_growth_of_well_known_sequences_is_within_the_error_bars() {
        for steps in 1..=3 {
            let widest = [0.25, 0.7, 1.6][steps - 1];
            holds((1..=8).map(|n| 2f64.powi(n)), steps, widest);
            holds((1..=8).map(|n| f64::from(n + 1).powi(n)), steps, widest);
            holds((1..=8).map(|n| (1..=n).map(f64::from).product()), steps, widest);
            holds((1..=8).map(|n| f64::from(n * (n + 1) / 2)), steps, widest);
            // Its logarithms are a parabola, from which a line soon departs.
            holds((2..=8).map(|n: i32| 2f64.powi(n * n)), steps, 6.0 * widest);
            // Partitions of n (OEIS A000041).
            holds([1, 2, 3, 5, 7, 11, 15, 22, 30, 42].map(f64::from), steps, widest);
        }
    }

    #[test]
    fn a_count_that_never_fell_does_not_fall() {
        // Sums of partitions, whose growth slows down: extrapolated far enough, second differences would turn it round.
        let counts = logarithms([2.0, 4.0, 7.0, 12.0, 19.0, 30.0, 45.0]);
        let estimate = extrapolate(&counts, 19).expect("enough sizes");
        let (low, high) = estimate.range.expect("tested");
        assert!(counts[6] <= low && low <= estimate.likely && estimate.likely <= high, "{estimate:?}");
    }

    #[test]
    fn counts_that_come_and_go_have_wide_error_bars() {
        let estimate = extrapolate(&logarithms([8.0, 13.0, 20.0, 40.0, 72.0, 200.0, 210.0]), 2).expect("enough sizes");
        let (low, high) = estimate.range.expect("tested");
        assert!(high - low > 0.5, "{estimate:?}");
    }

    #[test]
    fn few_sizes_have_no_error_bars_and_fewer_no_estimate() {
        assert_eq!(extrapolate(&[1.0, 2.0], 1), None);
        let estimate = extrapolate(&[1.0, 2.0, 3.0], 2).expect("a line");
        assert_eq!(estimate, Extrapolation { likely: 5.0, range: None });
        assert!(extrapolate(&[1.0, 2.0, 3.0, 4.0], 2).is_some_and(|estimate| estimate.range.is_some()));
    }
}
