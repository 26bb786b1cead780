//! Numbers as typed on the command line: counts and bytes with suffixes, seconds, sizes of deferred sets.
//!
//! Invariant: a value that parses is in range; every refusal names what would be accepted.

use std::str::FromStr;
use std::time::Duration;

/// More combinations of sizes than this are a typing error.
const MOST_ROWS: usize = 1000;

/// A count; the suffixes k, M, G mean thousands, millions and billions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub u64);

/// A number of bytes; the suffixes k, M, G mean powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub u64);

/// A length of time in seconds; fractions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub Duration);

/// `N`, `SET=N`, and for comparisons `A..B`, `SET=A..B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// As typed, for messages.
    pub(crate) typed: String,
    /// The set; all deferred sets when absent.
    pub(crate) set: Option<String>,
    /// Smallest size.
    pub(crate) from: u64,
    /// Largest size.
    pub(crate) to: u64,
}

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        suffixed(text, 1000).map(Count)
    }
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        suffixed(text, 1024).map(Bytes)
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refusal = || "expected a number of seconds such as 60 or 0.5".to_owned();
        let seconds: f64 = text.parse().map_err(|_| refusal())?;
        // Refuses negative numbers, infinity and NaN, all of which `f64` parses.
        Duration::try_from_secs_f64(seconds).map(Seconds).map_err(|_| refusal())
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (set, range) = match text.split_once('=') {
            Some((set, range)) if !set.trim().is_empty() => (Some(set.trim().to_owned()), range),
            Some(_) => return Err("expected the name of a deferred set before `=`".to_owned()),
            None => (None, text),
        };
        let number = |digits: &str| {
            let digits = digits.trim();
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                // A number beyond 64 bits is refused as too large, like any other, at the place that knows the limit.
                Ok(digits.parse::<u64>().unwrap_or(u64::MAX))
            } else {
                Err("expected a size such as 3, or SET=3 for one set".to_owned())
            }
        };
        let (from, to) = match range.split_once("..") {
            Some((from, to)) => (number(from)?, number(to)?),
            None => (number(range)?, number(range)?),
        };
        if from > to {
            return Err(format!("the range {range} is empty"));
        }
        Ok(Sizes { typed: text.to_owned(), set, from, to })
    }
}

/// A count that is not 0.
pub(crate) fn at_least_one(text: &str) -> Result<Count, String> {
    text.parse().and_then(|count: Count| if count.0 == 0 { Err("expected at least 1".to_owned()) } else { Ok(count) })
}

/// A number with an optional suffix k, M, G (or K, m, g), optionally followed by `B`/`iB`.
fn suffixed(text: &str, thousand: u64) -> Result<u64, String> {
    let trimmed = text.trim();
    let bare = trimmed.strip_suffix("iB").or_else(|| trimmed.strip_suffix('B')).unwrap_or(trimmed);
    // `B` and `iB` mean the same, and the factor depends on what is counted: `10kB` of memory are 10,240 bytes.
    let (digits, factor) = match bare.chars().last() {
        Some('k' | 'K') => (&bare[..bare.len() - 1], thousand),
        Some('m' | 'M') => (&bare[..bare.len() - 1], thousand.pow(2)),
        Some('g' | 'G') => (&bare[..bare.len() - 1], thousand.pow(3)),
        _ => (bare, 1),
    };
    // The suffix is ASCII, so exactly one byte was cut off above.
    let number: u64 = digits.trim().parse().map_err(|_| "expected a number such as 500, 10k, 4M or 2G".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "the number is too large".to_owned())
}

/// Every choice of one size from each range, the last range varying fastest.
pub(crate) fn combinations(options: &[Sizes]) -> Result<Vec<Vec<Sizes>>, String> {
    let mut rows: Vec<Vec<Sizes>> = vec![Vec::new()];
    for sizes in options {
        // Counted before they are built: a range may be endless.
        let count = usize::try_from(sizes.to - sizes.from).map_or(usize::MAX, |width| width.saturating_add(1));
        if rows.len().saturating_mul(count) > MOST_ROWS {
            return Err(format!("these ranges ask for more than {MOST_ROWS} rows"));
        }
        rows = rows
            .iter()
            .flat_map(|row| {
                (sizes.from..=sizes.to).map(move |size| {
                    let typed = sizes.set.as_ref().map_or_else(|| size.to_string(), |set| format!("{set}={size}"));
                    let one = Sizes { typed, set: sizes.set.clone(), from: size, to: size };
                    row.iter().cloned().chain(std::iter::once(one)).collect()
                })
            })
            .collect();
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_decimal_for_counts_and_binary_for_bytes() {
        assert_eq!("10k".parse(), Ok(Count(10_000)));
        assert_eq!("4G".parse(), Ok(Bytes(4 << 30)));
        assert_eq!("512MiB".parse(), Ok(Bytes(512 << 20)));
        assert_eq!("7".parse(), Ok(Count(7)));
        assert_eq!((at_least_one("2k"), at_least_one("0")), (Ok(Count(2000)), Err("expected at least 1".to_owned())));
        assert!("k".parse::<Count>().is_err());
        assert!("99999999999G".parse::<Bytes>().is_err());
    }

    #[test]
    fn sizes_name_a_set_and_may_be_a_range() {
        let one: Sizes = "PID=4".parse().expect("parses");
        assert_eq!((one.set.as_deref(), one.from, one.to), (Some("PID"), 4, 4));
        let range: Sizes = "1..6".parse().expect("parses");
        assert_eq!((range.set, range.from, range.to), (None, 1, 6));
        for wrong in ["", "x", "=3", "-1", "6..1", "PID=", "1.5"] {
            assert!(wrong.parse::<Sizes>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!("0.5".parse(), Ok(Seconds(Duration::from_millis(500))));
        assert!("-1".parse::<Seconds>().is_err());
        assert!("NaN".parse::<Seconds>().is_err());
    }

    #[test]
    fn ranges_multiply_and_single_sizes_do_not() {
        let options: Vec<Sizes> = ["1..3", "KEY=2", "PID=4..5"].iter().map(|text| text.parse().expect("parses")).collect();
        let rows = combinations(&options).expect("few rows");
        let typed: Vec<String> =
            rows.iter().map(|row| row.iter().map(|sizes| sizes.typed.as_str()).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(typed, ["1 KEY=2 PID=4", "1 KEY=2 PID=5", "2 KEY=2 PID=4", "2 KEY=2 PID=5", "3 KEY=2 PID=4", "3 KEY=2 PID=5"]);
    }

    #[test]
    fn an_endless_range_is_refused() {
        let options = ["1..99999999999".parse().expect("parses")];
        assert!(combinations(&options).is_err());
    }

    #[test]
    fn without_sizes_there_is_one_row() {
        assert_eq!(combinations(&[]).expect("one row"), vec![Vec::<Sizes>::new()]);
    }
}
