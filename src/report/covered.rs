//! Which operations were executed at all, as a line that scripts can look for: `covered: all`, `not covered: a, b`.
//!
//! Invariant: an operation is covered if and only if some explored transition is one of its steps. Deliberately elsewhere: coverage of
//! branches and conditions by traces (`cover`), why an operation is never enabled (`never_enabled`).

use bcheck_explore::Outcome;
use bcheck_ir::Model;
use bcheck_source::{Shown, in_back_quotes, shown};

/// The operations without any explored transition, in the order of the model.
#[must_use]
pub fn not_covered<'a>(model: &'a Model, outcome: &Outcome) -> Vec<&'a str> {
    let without = outcome.operations.iter().filter(|counts| counts.transitions == 0);
    without.map(|counts| model.operation_name(counts.operation)).collect()
}

/// The line about the operations that were not covered.
#[must_use]
pub fn line(not_covered: &[&str]) -> Shown {
    if not_covered.is_empty() { shown!("covered: all\n") } else { shown!("not covered: {}\n", list(not_covered)) }
}

/// The names of operations, separated by commas.
#[must_use]
pub fn list(operations: &[&str]) -> String {
    operations.iter().map(|name| in_back_quotes(name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_every_operation_that_is_not_covered() {
        assert_eq!(*line(&[]), *"covered: all\n");
        assert_eq!(*line(&["add", "not"]), *"not covered: add, `not`\n");
    }
}
