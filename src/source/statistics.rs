//! Statistics of algorithms: how often each step was done, for users who want to know why a run takes its time. Each floor lists its own,
//! by [`statistics!`].
//!
//! A running algorithm counts in plain integers of its own working memory, once for each step that is long in itself; they are added to the
//! totals of the process when that memory is dropped, at the end of a search. So no worker writes where another one does, and nothing else
//! happens unless statistics were requested. Invariant: counts never influence a decision. Deliberately elsewhere: how the totals are shown
//! (`report`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether totals are collected.
static ARE_WANTED: AtomicBool = AtomicBool::new(false);

/// Keeps totals from here on, in the whole process.
pub fn keep_statistics() {
    ARE_WANTED.store(true, Ordering::Relaxed);
}

/// Whether totals are collected: figures that require extra work are otherwise not computed.
#[must_use]
pub fn keeps_statistics() -> bool {
    ARE_WANTED.load(Ordering::Relaxed)
}

/// How often something was done, in the whole process.
#[derive(Debug)]
pub struct Statistic {
    constant: &'static str,
    total: AtomicU64,
}

impl Statistic {
    /// For `statistics!`.
    #[must_use]
    pub const fn new(constant: &'static str) -> Self {
        Self { constant, total: AtomicU64::new(0) }
    }

    /// The name for people and for JSON: `product_states` of `PRODUCT_STATES`.
    #[must_use]
    pub fn name(&self) -> String {
        self.constant.to_ascii_lowercase()
    }

    /// Adds what a worker has counted.
    pub fn add(&self, count: u64) {
        if count > 0 && keeps_statistics() {
            self.total.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// What was added so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

/// The statistics of one algorithm.
#[derive(Debug)]
pub struct StatisticTable {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// In the order in which they are shown.
    pub counts: &'static [&'static Statistic],
}

/// The statistics of an algorithm: what each row counts, and its name.
///
/// ```
/// bcheck_source::statistics! {
///     /// How the sieve went.
///     pub TABLE of "sieve";
///
///     /// Numbers that were crossed out.
///     CROSSED_OUT;
/// }
///
/// CROSSED_OUT.add(3);
/// assert_eq!(CROSSED_OUT.total(), 0); // nobody has asked
/// bcheck_source::keep_statistics();
/// CROSSED_OUT.add(3);
/// assert_eq!((TABLE.counts[0].name().as_str(), TABLE.counts[0].total()), ("crossed_out", 3));
/// ```
#[macro_export]
macro_rules! statistics {
    ($(#[$of_table:meta])* $seen:vis $table:ident of $algorithm:literal; $($(#[$about:meta])+ $name:ident;)+) => {
        $(
            $(#[$about])+
            pub(crate) static $name: $crate::Statistic = $crate::Statistic::new(stringify!($name));
        )+

        $(#[$of_table])*
        $seen static $table: $crate::StatisticTable = $crate::StatisticTable { algorithm: $algorithm, counts: &[$(&$name),+] };
    };
}
