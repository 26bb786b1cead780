//! A grid as text, in columns that are aligned.
//!
//! Invariant: all rows have their columns at the same places; the image behind a number is named below the grid.

use super::{CellContent, Painter, PictureCell, PictureGrid};
use bcheck_ir::Justification;
use bcheck_source::{Shown, columns, escaped, shown};
use std::collections::BTreeSet;

/// Names of images that are longer are written as numbers, with a list of the names below.
const LONGEST_NAME: usize = 6;

/// The grid; a legend follows where images are written as their numbers.
pub(super) fn text(painter: &Painter, grid: &PictureGrid) -> Shown {
    let used = || grid.cells.values().filter_map(|cell| if let CellContent::Image(number) = cell.content { Some(number) } else { None });
    let are_short = used().all(|number| (1..=LONGEST_NAME).contains(&painter.image_name(number).chars().count()));
    let word = |cell: &PictureCell| match &cell.content {
        CellContent::Image(number) if are_short => escaped(painter.image_name(*number)).into_owned(),
        CellContent::Image(number) => number.to_string(),
        CellContent::Text(text) | CellContent::Value(text) => escaped(text).into_owned(),
    };
    let at = |row: i64, column: i64| grid.cells.get(&(row, column));
    let width = |column: i64| grid.rows().filter_map(|row| at(row, column)).map(|cell| columns(&word(cell))).max().unwrap_or(0).max(1);
    let widths: Vec<(i64, usize)> = grid.columns().map(|column| (column, width(column))).collect();
    let mut lines = Shown::new();
    for row in grid.rows() {
        let cells = widths.iter().map(|(column, width)| match at(row, *column) {
            Some(cell) => aligned(&word(cell), *width, cell.justification),
            None => " ".repeat(*width),
        });
        lines += shown!("  {}\n", cells.collect::<Vec<String>>().join(" ").trim_end());
    }
    if !are_short {
        let numbers: BTreeSet<i64> = used().collect();
        lines.extend(numbers.into_iter().map(|number| shown!("  {} is {}\n", number, painter.image_name(number))));
    }
    lines
}

/// A word in a column.
fn aligned(word: &str, width: usize, justification: Justification) -> String {
    let room = width - columns(word);
    let before = match justification {
        Justification::Left => 0,
        Justification::Centre => room / 2,
        Justification::Right => room,
    };
    format!("{}{word}{}", " ".repeat(before), " ".repeat(room - before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_where_they_are_justified() {
        let all = [Justification::Left, Justification::Centre, Justification::Right].map(|side| aligned("ab", 5, side));
        assert_eq!(all, ["ab   ", " ab  ", "   ab"]);
        assert_eq!(aligned("状態", 6, Justification::Centre), " 状態 ");
    }
}
