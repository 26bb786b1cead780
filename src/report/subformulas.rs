//! The table of subformulas along a run: steps across, subformulas down, folded so that a long run stays readable.
//!
//! Invariant: consecutive columns with equal values are merged; nothing else is, and truncated parts are counted.

use bcheck_explore::SubformulaRow;

/// The most columns and rows that are shown.
const COLUMNS: usize = 24;
const ROWS: usize = 40;

/// The table.
pub(super) struct Table<'a> {
    /// The rows that are shown.
    pub(super) rows: &'a [SubformulaRow],
    /// Consecutive steps with equal values; those that are shown.
    pub(super) columns: Vec<Column>,
    /// How many rows and columns are not shown.
    pub(super) left_out: (usize, usize),
}

/// Consecutive steps in which every subformula has a constant value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// The position of the first of them in a row.
    pub(super) at: usize,
    /// The numbers of the first and the last in the trace.
    pub(super) steps: (usize, usize),
}

impl Column {
    /// `3`, `4..17`
    pub(super) fn label(self) -> String {
        let (first, last) = self.steps;
        if first == last { first.to_string() } else { format!("{first}..{last}") }
    }
}

impl<'a> Table<'a> {
    /// The table of these rows, whose first value belongs to the step of the trace with this number.
    pub(crate) fn new(rows: &'a [SubformulaRow], first: usize) -> Self {
        let length = rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
        let is_same = |one: usize, other: usize| rows.iter().all(|row| row.values.get(one) == row.values.get(other));
        let mut columns: Vec<Column> = Vec::new();
        for at in 0..length {
            match columns.last_mut() {
                Some(column) if is_same(column.at, at) => column.steps.1 = first + at,
                // Compared with the first step of the column, which is equivalent to the last: equality is transitive.
                _ => columns.push(Column { at, steps: (first + at, first + at) }),
            }
        }
        // Counted after folding: what a reader misses is columns, not steps.
        let left_out = (rows.len().saturating_sub(ROWS), columns.len().saturating_sub(COLUMNS));
        columns.truncate(COLUMNS);
        Self { rows: &rows[..rows.len().min(ROWS)], columns, left_out }
    }

    /// Whether some column represents several steps.
    pub(super) fn is_folded(&self) -> bool {
        self.columns.iter().any(|column| column.steps.0 != column.steps.1)
    }

    /// The omitted parts, as a sentence without a full stop.
    pub(super) fn remark(&self) -> Option<String> {
        let (rows, columns) = self.left_out;
        let of = |count: usize, one: &str, many: &str| (count > 0).then(|| format!("{count} more {}", if count == 1 { one } else { many }));
        let parts: Vec<String> = [of(columns, "column", "columns"), of(rows, "row", "rows")].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("… and {} (--format json has all)", parts.join(" and ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, values: &str) -> SubformulaRow {
        SubformulaRow { text: text.to_owned(), depth: 0, values: values.chars().map(|letter| letter == 'T').collect() }
    }

    #[test]
    fn equal_columns_are_folded() {
        let rows = [row("a", "TTTT.."), row("b", "TT.TTT")];
        let table = Table::new(&rows, 1);
        let labels: Vec<String> = table.columns.iter().map(|column| column.label()).collect();
        assert_eq!(labels, ["1..2", "3", "4", "5..6"]);
        assert_eq!(table.columns.iter().map(|column| column.at).collect::<Vec<_>>(), [0, 2, 3, 4]);
        assert_eq!(table.remark(), None);
        assert!(table.is_folded());
    }

    #[test]
    fn what_is_cut_off_is_counted() {
        let values: String = ["T.", "TT", ".T", ".."].repeat(20).concat();
        let rows = vec![row("a", &values); 41];
        let table = Table::new(&rows, 0);
        assert_eq!((table.rows.len(), table.columns.len()), (ROWS, COLUMNS));
        let (more, columns) = table.left_out;
        assert_eq!((more, columns > 0), (1, true));
        assert_eq!(table.remark(), Some(format!("… and {columns} more columns and 1 more row (--format json has all)")));
    }
}
