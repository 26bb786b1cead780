//! Functions and relations in a page, as tables folded below a state.
//!
//! Invariant: a changed cell is also marked by a word; wide tables scroll. Deliberately elsewhere: the contents of cells
//! (`report::value_table`).

use super::wide;
use crate::markup::{Markup, markup};
use crate::value_table::{Cell, ValueTable};

/// The table of the value of a name; empty for a value without one.
pub(super) fn of_value(name: &str, table: Option<&ValueTable>) -> Markup {
    let Some(table) = table else { return Markup::new() };
    let heads: Markup = table.columns.iter().map(|column| markup!("<th scope=\"col\">{}</th>", column)).collect();
    let rows: Markup = table
        .rows
        .iter()
        .map(|(row, cells)| {
            let cells: Markup = cells.iter().map(cell).collect();
            markup!("<tr><th scope=\"row\">{}</th>{}</tr>\n", row, cells)
        })
        .collect();
    let rest = table.remark().map(|remark| markup!("<p class=\"soft\">{}</p>\n", remark)).unwrap_or_default();
    let content = wide(&markup!("<table class=\"grid\">\n<tr><td></td>{}</tr>\n{}</table>", heads, rows)) + rest;
    markup!("<details><summary>{} as a table</summary>\n{}</details>\n", name, content)
}

fn cell(cell: &Cell) -> Markup {
    match &cell.before {
        None => markup!("<td class=\"value\">{}</td>", cell.text),
        Some(before) if before.is_empty() => markup!("<td class=\"value changed\">{} <span class=\"soft\">(new)</span></td>", cell.text),
        Some(before) => markup!("<td class=\"value changed\">{} <span class=\"soft\">(was {})</span></td>", cell.text, before),
    }
}
