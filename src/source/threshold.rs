//! Thresholds: numbers that decide which algorithm runs, or how far it goes. Each floor lists its own in one table, by [`thresholds!`].
//!
//! A threshold is read where its algorithm runs, often many calls away from any options, so its value is the process's: an atomic that is
//! read relaxed, outside of the innermost loops. It is set at most once, from the command line, before anything is read; tests that set
//! thresholds do so in a process of their own.
//! Invariant: whatever values within their ranges the thresholds have, a verdict or count is the same or `incomplete`, never another one.
//! Deliberately elsewhere: how they are named on the command line (`cli`); sizes of formats and constants of mathematics are no thresholds.

use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// A threshold without its type: all values are integers up to 2^64.
#[derive(Debug)]
pub struct ThresholdRow {
    constant: &'static str,
    about: &'static str,
    default: u64,
    least: u64,
    greatest: u64,
    value: AtomicU64,
}

impl ThresholdRow {
    const fn new(constant: &'static str, about: &'static str, default: u64, range: &RangeInclusive<u64>) -> Self {
        let (least, greatest) = (*range.start(), *range.end());
        assert!(least <= default && default <= greatest, "the default is within the range");
        Self { constant, about, default, least, greatest, value: AtomicU64::new(default) }
    }

    /// The name that is typed, without its floor: `solver-patience` of `SOLVER_PATIENCE`.
    #[must_use]
    pub fn name(&self) -> String {
        self.constant.to_ascii_lowercase().replace('_', "-")
    }

    /// What it decides, in a sentence or two.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about.trim()
    }

    /// The value it has unless it is set.
    #[must_use]
    pub fn default(&self) -> u64 {
        self.default
    }

    /// The values that it may have.
    #[must_use]
    pub fn range(&self) -> RangeInclusive<u64> {
        self.least..=self.greatest
    }

    /// The value it has in this process.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// Sets it for the whole process, and returns whether the value is within its range.
    #[must_use]
    pub fn set(&self, value: u64) -> bool {
        let is_within = self.range().contains(&value);
        if is_within {
            self.value.store(value, Ordering::Relaxed);
        }
        is_within
    }
}

/// A threshold, read as a number of type `T`.
#[derive(Debug)]
pub struct Threshold<T> {
    row: ThresholdRow,
    read_as: PhantomData<fn() -> T>,
}

impl<T> Threshold<T> {
    /// For `thresholds!`.
    #[must_use]
    pub const fn new(constant: &'static str, about: &'static str, default: u64, range: &RangeInclusive<u64>) -> Self {
        Self { row: ThresholdRow::new(constant, about, default, range), read_as: PhantomData }
    }

    /// Its row, without the type.
    #[must_use]
    pub const fn row(&self) -> &ThresholdRow {
        &self.row
    }
}

/// Ranges of thresholds end where their types do, at the latest; so nothing is cut off.
macro_rules! read_as {
    ($($ty:ty),+) => {
        $(impl Threshold<$ty> {
            /// The value it has in this process.
            #[inline]
            #[must_use]
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_precision_loss, reason = "see above")]
            pub fn get(&self) -> $ty {
                self.row.value.load(Ordering::Relaxed) as $ty
            }
        })+
    };
}

read_as!(u32, u64, usize, i64, i128, f64);

/// The thresholds of one floor.
#[derive(Debug)]
pub struct ThresholdTable {
    /// The name of the floor, which is the first part of the full name.
    pub floor: &'static str,
    /// In the order in which they are written.
    pub rows: &'static [&'static ThresholdRow],
}

/// The thresholds of a floor, one row for each: what it decides, name, type, default, range.
///
/// ```
/// bcheck_source::thresholds! {
///     /// The thresholds of this floor.
///     pub TABLE of "example";
///
///     /// How many clauses are kept.
///     KEPT_CLAUSES: usize = 4_000, 1..=1_000_000;
/// }
///
/// assert_eq!(KEPT_CLAUSES.get(), 4_000);
/// assert_eq!(TABLE.rows[0].name(), "kept-clauses");
/// ```
#[macro_export]
macro_rules! thresholds {
    ($(#[$of_table:meta])* $seen:vis $table:ident of $floor:literal;
     $($(#[doc = $about:literal])+ $name:ident: $ty:ty = $default:expr, $range:expr;)+) => {
        $(
            $(#[doc = $about])+
            pub(crate) static $name: $crate::Threshold<$ty> =
                $crate::Threshold::new(stringify!($name), concat!($($about),+), $default, &$range);
        )+

        $(#[$of_table])*
        $seen static $table: $crate::ThresholdTable = $crate::ThresholdTable { floor: $floor, rows: &[$($name.row()),+] };
    };
}

#[cfg(test)]
mod tests {
    crate::thresholds! {
        TABLE of "test";

        /// How many are tried
        /// before it gives up.
        MOST_TRIED: u32 = 1 << 4, 1..=100;

        /// An estimate.
        LARGE: f64 = 1_000_000, 0..=1_000_000_000_000;
    }

    #[test]
    fn a_threshold_is_set_within_its_range() {
        assert_eq!((MOST_TRIED.get(), LARGE.get()), (16, 1e6));
        let [row, other] = TABLE.rows else { panic!("two rows") };
        assert_eq!((row.name(), row.about()), ("most-tried".to_owned(), "How many are tried before it gives up."));
        assert!(!row.set(0) && !row.set(101), "out of range");
        assert_eq!(MOST_TRIED.get(), 16, "a value out of range changes nothing");
        assert!(row.set(100) && other.set(0));
        assert_eq!((MOST_TRIED.get(), LARGE.get()), (100, 0.0));
        assert_eq!((row.default(), row.value(), row.range()), (16, 100, 1..=100));
    }
}
