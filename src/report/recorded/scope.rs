//! The sizes and bounds of a run as one line that fits every format of a trace.
//!
//! Invariant: [`RecordedScope::find`] reads the line written by [`scope_line`], anywhere in a text. The head of a text report has them
//! too, on two lines ([`RecordedScope::of_report`]).

use crate::deferred;
use bcheck_ir::{Model, Scope};
use bcheck_source::{in_back_quotes, split_name};

/// The sizes and bounds of a run, as far as a file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedScope {
    /// Deferred sets with their sizes.
    pub sizes: Vec<(String, u32)>,
    /// MININT.
    pub minint: Option<i64>,
    /// MAXINT.
    pub maxint: Option<i64>,
}

/// `scope: PID = 3, MININT = -1, MAXINT = 3`
#[must_use]
pub(crate) fn scope_line(model: &Model, scope: &Scope) -> String {
    let sizes: String = deferred(model, scope).map(|(name, size)| format!("{} = {size}, ", in_back_quotes(name))).collect();
    format!("{MARK}{sizes}MININT = {}, MAXINT = {}", scope.minint, scope.maxint)
}

const MARK: &str = "scope: ";
/// The mark in the head of a text report of a size that was not requested.
const DEFAULT: &str = "(default)";
/// The headings in the head of a text report for the sizes of deferred sets, and MININT and MAXINT.
pub(crate) const DEFERRED_SETS: &str = "deferred sets";
/// See [`DEFERRED_SETS`].
pub(crate) const INTEGERS: &str = "integers";

impl RecordedScope {
    /// Reads the line from a text; empty when there is none.
    pub(super) fn find(text: &str) -> Self {
        let mut scope = Self::default();
        // The first one: a description may continue with anything, even with the words of another trace.
        let Some((_, line)) = text.split_once(MARK) else { return scope };
        scope.enter_all(line.lines().next().unwrap_or(""));
        scope
    }

    /// Reads the head of a text report, whose lines about sizes and bounds begin with these names.
    pub(super) fn of_report(text: &str) -> Self {
        let mut scope = Self::default();
        // A blank line ends the head.
        for line in text.lines().take_while(|line| !line.trim().is_empty()) {
            let value = |name: &str| line.trim_start().strip_prefix(name).filter(|rest| rest.starts_with(' '));
            if let Some(value) = value(DEFERRED_SETS).or_else(|| value(INTEGERS)) {
                scope.enter_all(value.trim());
            }
        }
        scope
    }

    /// Enters `name = number, …`, up to the first part that is not one.
    fn enter_all(&mut self, mut rest: &str) {
        while !rest.is_empty() {
            // A set may have any name in back quotes.
            let quoted = split_name(rest).and_then(|(name, after)| Some((name, after.strip_prefix(" = ")?)));
            // The rest of the description is not part of the line.
            let Some((name, after)) = quoted.or_else(|| rest.split_once(" = ").filter(|(name, _)| !name.contains(", "))) else { break };
            let (number, after) = after.split_once(", ").unwrap_or((after, ""));
            self.enter(name.trim(), number.trim().trim_end_matches(DEFAULT).trim_end());
            rest = after;
        }
    }

    pub(super) fn enter(&mut self, name: &str, number: &str) {
        match name {
            "MININT" => self.minint = number.parse().ok(),
            "MAXINT" => self.maxint = number.parse().ok(),
            set => self.sizes.extend(number.parse().ok().map(|size| (set.to_owned(), size))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_report_has_sizes_and_bounds() {
        let head =
            "m (m.mch)\n  deferred sets  T = 5 (default), `a b` = 2\n  integers       MININT = -2, MAXINT = 4\n  search         bfs\n";
        let scope = RecordedScope::of_report(&format!("{head}\n  integers       MAXINT = 9\n"));
        assert_eq!(scope.sizes, [("T".to_owned(), 5), ("a b".to_owned(), 2)]);
        assert_eq!((scope.minint, scope.maxint), (Some(-2), Some(4)));
    }
}
