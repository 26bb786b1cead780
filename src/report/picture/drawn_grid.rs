//! A grid as a part of an SVG picture.
//!
//! Invariant: each cell is one group with a title that has its row, its column and its whole content, so nothing is shown by colour or
//! shortened text alone. An image whose file is not there is a tile with its number and name.

use super::{CellContent, Drawn, Medium, Painter, PictureCell, PictureGrid};
use crate::markup::{Markup, markup};
use bcheck_ir::Justification;
use bcheck_source::escaped;

/// The side of a tile and of an image.
pub(super) const TILE: f64 = 44.0;
/// Width and height of a cell that has only a short text.
const SLOT: (f64, f64) = (30.0, 28.0);
/// Estimated width of a letter: 13 pixels of DejaVu Sans Mono; in tiles the name is smaller.
const LETTER: f64 = 7.9;
const SMALL_LETTER: f64 = 5.5;
/// Padding of a text.
const PADDING: f64 = 7.0;
/// Around the grid.
const MARGIN: f64 = 6.0;
/// The most letters of a text; the title has all of a longer one.
const LONGEST: usize = 40;
/// How many looks tiles have, chosen by number.
const LOOKS: i64 = 8;

/// Draws a grid.
pub(super) fn draw(painter: &Painter, grid: &PictureGrid, medium: Medium) -> Drawn {
    let of_column = |column: i64| grid.rows().filter_map(move |row| grid.cells.get(&(row, column)));
    let of_row = |row: i64| grid.columns().filter_map(move |column| grid.cells.get(&(row, column)));
    let widths: Vec<f64> = grid.columns().map(|column| of_column(column).map(width).fold(SLOT.0, f64::max)).collect();
    let heights: Vec<f64> = grid.rows().map(|row| of_row(row).map(height).fold(SLOT.1, f64::max)).collect();
    let mut content = Markup::new();
    let mut down = MARGIN;
    for (row, height) in grid.rows().zip(&heights) {
        let mut right = MARGIN;
        for (column, width) in grid.columns().zip(&widths) {
            if let Some(cell) = grid.cells.get(&(row, column)) {
                let title = format!("row {row}, column {column}: {}", said(painter, cell));
                content += markup!(
                    "<g class=\"cell\"><title>{}</title>{}</g>\n",
                    title,
                    inside(painter, cell, (right, down, *width, *height), medium)
                );
            }
            right += width;
        }
        down += height;
    }
    Drawn { content, width: widths.iter().sum::<f64>() + 2.0 * MARGIN, height: heights.iter().sum::<f64>() + 2.0 * MARGIN }
}

/// The complete content of a cell in words.
fn said(painter: &Painter, cell: &PictureCell) -> String {
    match &cell.content {
        CellContent::Image(number) => format!("image {number}, {}", painter.image_name(*number)),
        CellContent::Text(text) | CellContent::Value(text) => text.clone(),
    }
}

fn width(cell: &PictureCell) -> f64 {
    match &cell.content {
        CellContent::Image(_) => TILE,
        CellContent::Text(text) | CellContent::Value(text) => length(&shortened(text, LONGEST), LETTER) + 2.0 * PADDING,
    }
}

fn height(cell: &PictureCell) -> f64 {
    if matches!(cell.content, CellContent::Image(_)) { TILE } else { SLOT.1 }
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn length(text: &str, letter: f64) -> f64 {
    text.chars().count() as f64 * letter
}

/// A text as displayed in a picture, truncated with an ellipsis.
fn shortened(text: &str, most: usize) -> String {
    let shown = escaped(text);
    if shown.chars().count() <= most { shown.into_owned() } else { shown.chars().take(most - 1).chain(['…']).collect() }
}

/// The content of a rectangle.
fn inside(painter: &Painter, cell: &PictureCell, (x, y, width, height): (f64, f64, f64, f64), medium: Medium) -> Markup {
    let slot =
        |look: &str| markup!("<rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>", look, x, y, width, height);
    let middle = x + width / 2.0;
    match &cell.content {
        CellContent::Image(number) if painter.images.get(number).is_some_and(|image| medium.draws(image)) => {
            let (left, top) = (middle - TILE / 2.0, y + (height - TILE) / 2.0);
            markup!("<use href=\"#{}image{}\" x=\"{:.1}\" y=\"{:.1}\"/>", painter.name, number, left, top)
        }
        CellContent::Image(number) => {
            // As many letters as the tile is wide.
            let name = shortened(painter.image_name(*number), 7);
            let fits = length(&name, SMALL_LETTER) <= width;
            let name = if fits && !name.is_empty() {
                markup!("<text class=\"name\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", middle, y + height - 8.0, name)
            } else {
                Markup::new()
            };
            let tile = slot(&format!("tile look{}", number.rem_euclid(LOOKS)));
            tile + markup!("<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", middle, y + height / 2.0 + 1.0, *number) + name
        }
        CellContent::Text(text) | CellContent::Value(text) => {
            let (anchor, at) = match cell.justification {
                Justification::Left => ("start", x + PADDING),
                Justification::Centre => ("middle", middle),
                Justification::Right => ("end", x + width - PADDING),
            };
            let text = shortened(text, LONGEST);
            slot("slot") + markup!("<text text-anchor=\"{}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", anchor, at, y + height / 2.0 + 4.5, text)
        }
    }
}
