//! Variables that only grow, in words: why a search does not end.
//!
//! Invariant: the statements are observations of a run; whether the growth continues is left open. Deliberately elsewhere: the runs
//! (`explore::growth`).

use super::CheckReport;
use bcheck_explore::Growth;
use bcheck_ir::Model;

/// Which variables only grow, where the search did not end.
pub(super) fn sentences(report: &CheckReport<'_>) -> String {
    report.growth.iter().map(|growth| format!(" {}.", in_words(report.model, growth))).collect()
}

/// That a variable only grows, as a sentence without full stop.
pub fn in_words(model: &Model, growth: &Growth) -> String {
    let Growth { variable, is_size, between: (from, to), steps } = growth;
    let name = model.variables.get_index(*variable).map_or("", |(name, _)| name);
    let (what, how) = match (is_size, from < to) {
        (true, _) => (format!("The number of elements of `{name}`"), "only grows"),
        (false, true) => (format!("`{name}`"), "only grows"),
        (false, false) => (format!("`{name}`"), "only falls"),
    };
    format!("{what} {how}, from {from} to {to} in a random run of {steps} steps: unless something bounds it, there is no end of states")
}
