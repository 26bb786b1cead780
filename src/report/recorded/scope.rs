//! The sizes and bounds of a run as one line that every format of a trace has room for.
//!
//! Invariant: [`RecordedScope::find`] reads what [`scope_line`] writes, wherever it stands in a text.

use crate::ir::{Model, Scope};
use crate::report::deferred;
use crate::source::{in_back_quotes, split_name};

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
pub(in crate::report) fn scope_line(model: &Model, scope: &Scope) -> String {
    let sizes: String = deferred(model, scope).map(|(name, size)| format!("{} = {size}, ", in_back_quotes(name))).collect();
    format!("{MARK}{sizes}MININT = {}, MAXINT = {}", scope.minint, scope.maxint)
}

const MARK: &str = "scope: ";

impl RecordedScope {
    /// Reads the line from a text; nothing when there is none.
    pub(super) fn find(text: &str) -> Self {
        let mut scope = Self::default();
        // The first one: a description may go on with anything, also with the words of another trace.
        let Some((_, line)) = text.split_once(MARK) else { return scope };
        let mut rest = line.lines().next().unwrap_or("");
        while !rest.is_empty() {
            // A set may have any name in back quotes.
            let quoted = split_name(rest).and_then(|(name, after)| Some((name, after.strip_prefix(" = ")?)));
            // Whatever the description goes on with is no part of the line.
            let Some((name, after)) = quoted.or_else(|| rest.split_once(" = ").filter(|(name, _)| !name.contains(", "))) else { break };
            let (number, after) = after.split_once(", ").unwrap_or((after, ""));
            scope.enter(name.trim(), number.trim());
            rest = after;
        }
        scope
    }

    pub(super) fn enter(&mut self, name: &str, number: &str) {
        match name {
            "MININT" => self.minint = number.parse().ok(),
            "MAXINT" => self.maxint = number.parse().ok(),
            set => self.sizes.extend(number.parse().ok().map(|size| (set.to_owned(), size))),
        }
    }
}
