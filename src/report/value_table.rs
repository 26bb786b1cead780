//! Functions and relations as tables: a row for each argument; if arguments are pairs, a column for each second part; for a relation, a
//! column for each value.
//!
//! Invariant: the cells have the whole value, except for rows and columns counted as omitted. Deliberately elsewhere: the look of a table
//! in a page (`html`) and in an animation (`cli`).

use super::delta::is_function;
use super::notation::{Notation, written};
use bcheck_ir::Model;
use bcheck_value::{Set, Value, relation};

/// The most rows and columns that are shown.
const MOST_ROWS: usize = 60;
const MOST_COLUMNS: usize = 24;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTable {
    /// The headings of the columns of values.
    pub columns: Vec<String>,
    /// Rows, each with the heading and a cell for each column.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// Rows and columns that are left out.
    pub left_out: (usize, usize),
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its text; empty without a value.
    pub text: String,
    /// The text before the step, where it was another one.
    pub before: Option<String>,
}

/// The texts of a value by row and column, in the order of values.
struct Grid {
    rows: Vec<Value>,
    columns: Vec<Value>,
}

impl ValueTable {
    /// The table of a function or relation with at least two pairs, with its previous value; `None` for other values.
    pub fn of(value: &Value, before: Option<&Value>, notation: &Notation, model: &Model) -> Option<Self> {
        let set = value.as_set().filter(|set| set.len() >= 2 && set.iter().all(|member| member.as_pair().is_some()))?;
        let before = before.and_then(Value::as_set).filter(|set| set.iter().all(|member| member.as_pair().is_some()));
        let sets: Vec<&Set> = std::iter::once(set).chain(before).collect();
        let is_functional = sets.iter().all(|set| is_function(set));
        let members = || sets.iter().flat_map(|set| set.iter());
        let (from, to) = (notation.of_member(), notation.of_image());
        let text = |value: &Value, notation: &Notation| written(value, notation, model);
        let arguments: Vec<Value> = members().filter_map(|member| member.as_pair().map(|(argument, _)| argument.clone())).collect();
        let are_pairs = arguments.iter().all(|argument| argument.as_pair().is_some());
        let plain = Notation::Plain;
        if !is_functional {
            let values = members().filter_map(|member| member.as_pair().map(|(_, value)| value.clone()));
            let grid = Grid::new(arguments.iter().cloned(), values);
            let cell = |of: &Set, row: &Value, column: &Value| {
                if of.contains(&Value::pair(row.clone(), column.clone())) { "yes".to_owned() } else { String::new() }
            };
            return Some(grid.table((&sets, from, to), &text, &cell));
        }
        let image = |of: &Set, argument: &Value| {
            let value = if of.is_empty() { None } else { relation::related(of, argument).next() };
            value.map(|value| text(value, to)).unwrap_or_default()
        };
        if are_pairs {
            let parts = || arguments.iter().filter_map(Value::as_pair);
            let grid = Grid::new(parts().map(|(first, _)| first.clone()), parts().map(|(_, second)| second.clone()));
            let (first, second) = if let Notation::Pair(first, second) = from { (&**first, &**second) } else { (&plain, &plain) };
            let cell = |of: &Set, row: &Value, column: &Value| image(of, &Value::pair(row.clone(), column.clone()));
            return Some(grid.table((&sets, first, second), &text, &cell));
        }
        let grid = Grid::new(arguments.iter().cloned(), [Value::Bool(true)]);
        let cell = |of: &Set, row: &Value, _: &Value| image(of, row);
        let table = grid.table((&sets, from, &plain), &text, &cell);
        Some(Self { columns: vec!["value".to_owned()], ..table })
    }
}

impl ValueTable {
    /// The omitted parts, as a sentence without a full stop.
    pub fn remark(&self) -> Option<String> {
        let of = |count: usize, what: &str| (count > 0).then(|| format!("{count} more {what}"));
        let parts: Vec<String> = [of(self.left_out.0, "rows"), of(self.left_out.1, "columns")].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("… {}", parts.join(" and ")))
    }
}

impl Grid {
    fn new(rows: impl IntoIterator<Item = Value>, columns: impl IntoIterator<Item = Value>) -> Self {
        let (rows, columns): (Set, Set) = (rows.into_iter().collect(), columns.into_iter().collect());
        Self { rows: rows.iter().collect(), columns: columns.iter().collect() }
    }

    /// The table of the first set, with the differences of the second one.
    fn table(
        self,
        (sets, of_row, of_column): (&[&Set], &Notation, &Notation),
        text: &dyn Fn(&Value, &Notation) -> String,
        cell: &dyn Fn(&Set, &Value, &Value) -> String,
    ) -> ValueTable {
        let left_out = (self.rows.len().saturating_sub(MOST_ROWS), self.columns.len().saturating_sub(MOST_COLUMNS));
        let columns: Vec<&Value> = self.columns.iter().take(MOST_COLUMNS).collect();
        let row = |row: &Value| {
            let of_column = |column: &&Value| {
                let now = sets.first().map(|set| cell(set, row, column)).unwrap_or_default();
                let before = sets.get(1).map(|set| cell(set, row, column)).filter(|before| *before != now);
                Cell { text: now, before }
            };
            (text(row, of_row), columns.iter().map(of_column).collect())
        };
        let rows = self.rows.iter().take(MOST_ROWS).map(row).collect();
        ValueTable { columns: columns.iter().map(|column| text(column, of_column)).collect(), rows, left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Span;

    fn number(value: i64) -> Value {
        Value::integer(value)
    }

    fn pairs(of: &[(Value, Value)]) -> Value {
        Value::set(of.iter().map(|(first, second)| Value::pair(first.clone(), second.clone())).collect())
    }

    fn table(value: &Value, before: Option<&Value>) -> Option<ValueTable> {
        ValueTable::of(value, before, &Notation::Plain, &Model::empty("M", Span::nowhere()))
    }

    /// Each row as a line; previous values are in brackets.
    fn lines(table: &ValueTable) -> Vec<String> {
        let cell = |cell: &Cell| match &cell.before {
            Some(before) => format!("{}[{before}]", cell.text),
            None => cell.text.clone(),
        };
        let row = |(row, cells): &(String, Vec<Cell>)| format!("{row}: {}", cells.iter().map(cell).collect::<Vec<_>>().join(" | "));
        std::iter::once(table.columns.join(" | ")).chain(table.rows.iter().map(row)).collect()
    }

    #[test]
    fn a_function_has_a_row_for_each_argument_that_it_has_or_had() {
        let before = pairs(&[(number(0), number(7)), (number(1), number(8)), (number(2), number(9))]);
        let now = pairs(&[(number(1), number(5)), (number(2), number(9)), (number(4), number(6))]);
        let table = table(&now, Some(&before)).expect("a table");
        assert_eq!(lines(&table), ["value", "0: [7]", "1: 5[8]", "2: 9", "4: 6[]"]);
    }

    #[test]
    fn a_function_of_pairs_and_a_relation_have_columns() {
        let at = |row, column| Value::pair(number(row), number(column));
        let grid = pairs(&[(at(1, 1), number(2)), (at(1, 2), number(3)), (at(2, 1), number(4))]);
        assert_eq!(lines(&table(&grid, None).expect("a table")), ["1 | 2", "1: 2 | 3", "2: 4 | "]);
        let relation = pairs(&[(number(1), number(5)), (number(1), number(6)), (number(2), number(5))]);
        assert_eq!(lines(&table(&relation, None).expect("a table")), ["5 | 6", "1: yes | yes", "2: yes | "]);
    }

    #[test]
    fn other_values_have_no_table_and_long_ones_are_cut() {
        assert_eq!(table(&Value::set(vec![number(1), number(2)]), None), None);
        assert_eq!(table(&pairs(&[(number(1), number(2))]), None), None);
        let long: Vec<(Value, Value)> = (0..100).map(|at| (number(at), number(at))).collect();
        let table = table(&pairs(&long), None).expect("a table");
        assert_eq!((table.rows.len(), table.remark().as_deref()), (MOST_ROWS, Some("… 40 more rows")));
    }
}
