//! A pane: rows of text with a cursor, scrolled, searched and filtered.
//!
//! Invariant: whatever the size of the pane, each row that passes the filter can be reached, and each column of it. Deliberately elsewhere:
//! the contents of the rows (`view`), the places of panes (`arrangement`).

use super::super::command::Command;
use bcheck_source::{Shown, clipped, columns, shown, wrapped};
use std::ops::Range;

/// How a row is emphasised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shade {
    /// No emphasis.
    #[default]
    Plain,
    /// New text.
    Strong,
    /// Undone steps, and headings.
    Faint,
}

/// A part of the state that can be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Folded {
    /// The changes of the last step.
    Changes,
    /// The value at this position of the state.
    Value(usize),
}

/// The effect of choosing a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// A command.
    Perform(Command),
    /// Expands or collapses it.
    Fold(Folded),
}

/// A row: one line, or several that belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct PaneRow {
    pub(super) text: Shown,
    pub(super) shade: Shade,
    /// Whether long lines are wrapped; otherwise they are scrolled sideways.
    pub(super) wraps: bool,
    pub(super) aim: Option<Aim>,
}

impl PaneRow {
    pub(super) fn new(text: Shown) -> Self {
        Self { text, ..Self::default() }
    }

    pub(super) fn shaded(self, shade: Shade) -> Self {
        Self { shade, ..self }
    }

    pub(super) fn aimed(self, aim: Aim) -> Self {
        Self { aim: Some(aim), ..self }
    }
}

/// The rows of a text, wrapped where they are too long.
pub(super) fn text_rows(text: &Shown) -> Vec<PaneRow> {
    text.as_str().lines().map(|line| PaneRow { wraps: true, ..PaneRow::new(Shown::line(line)) }).collect()
}

/// A motion of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// By this number of lines.
    Lines(isize),
    /// By this number of halves of the pane.
    Halves(isize),
    First,
    Last,
    /// A step to the right, or to the left if negative.
    Sideways(isize),
}

/// The most columns of a sideways step.
const SIDEWAYS: usize = 16;

/// A line of a row as displayed.
#[derive(Clone, Debug)]
struct SeenLine {
    row: usize,
    text: String,
}

/// A line to be drawn.
#[derive(Debug)]
pub(super) struct DrawnLine {
    pub(super) text: String,
    pub(super) shade: Shade,
    /// Whether the cursor is on it.
    pub(super) is_current: bool,
}

/// A pane.
#[derive(Clone, Debug, Default)]
pub(super) struct Pane {
    rows: Vec<PaneRow>,
    /// The lines of the rows that pass the filter.
    lines: Vec<SeenLine>,
    /// The line of the cursor; without a cursor, the first visible line.
    place: usize,
    /// The first visible line.
    top: usize,
    /// The first visible column.
    shift: usize,
    width: usize,
    height: usize,
    /// Only rows with this text are shown, if it is not empty.
    filter: String,
    /// Whether a line is chosen; otherwise the pane is only read.
    has_cursor: bool,
}

impl Pane {
    /// A pane in which a line is chosen.
    pub(super) fn with_cursor() -> Self {
        Self { has_cursor: true, ..Self::default() }
    }

    /// Replaces the rows; the cursor stays, as far as there are lines.
    pub(super) fn set(&mut self, rows: Vec<PaneRow>) {
        self.rows = rows;
        self.lay_out();
    }

    /// Goes back to the first line and column.
    pub(super) fn rewind(&mut self) {
        (self.place, self.top, self.shift) = (0, 0, 0);
    }

    /// Fits the lines to the size of the pane without its frame.
    pub(super) fn fit(&mut self, width: usize, height: usize) {
        self.fit_width(width);
        self.height = height;
        self.settle();
    }

    /// Fits the lines to the width of the pane; their number decides its height.
    pub(super) fn fit_width(&mut self, width: usize) {
        if self.width != width {
            // The cursor stays on its row, which may have more or fewer lines now.
            let row = self.lines.get(self.place).map(|line| line.row);
            self.width = width;
            self.lay_out();
            if let Some(place) = row.and_then(|row| self.lines.iter().position(|line| line.row == row)) {
                self.place = place;
            }
        }
    }

    fn lay_out(&mut self) {
        let passes = |row: &PaneRow| self.filter.is_empty() || !found(&row.text, &self.filter).is_empty();
        let width = self.width;
        let mut lines = Vec::new();
        for (row, content) in self.rows.iter().enumerate().filter(|(_, row)| passes(row)) {
            let text = content.text.as_str();
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                let parts = if content.wraps && width > 0 { wrapped(line, width) } else { vec![line.to_owned()] };
                lines.extend(parts.into_iter().map(|text| SeenLine { row, text }));
            }
        }
        self.lines = lines;
        self.settle();
    }

    /// Clamps the cursor to the lines and scrolls it into view; leaves no room below the last line while there are more above.
    fn settle(&mut self) {
        let furthest = self.lines.len().saturating_sub(self.height.max(1));
        if self.has_cursor {
            self.place = self.place.min(self.lines.len().saturating_sub(1));
            self.top = self.top.clamp((self.place + 1).saturating_sub(self.height.max(1)), self.place).min(furthest);
        } else {
            self.place = self.place.min(furthest);
            self.top = self.place;
        }
        let widest = self.lines.iter().map(|line| columns(&line.text)).max().unwrap_or(0);
        self.shift = self.shift.min(widest.saturating_sub(self.width / 2));
        if widest <= self.width {
            self.shift = 0;
        }
    }

    /// Moves the cursor.
    pub(super) fn go(&mut self, motion: Motion) {
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        match motion {
            Motion::Lines(count) => self.place = self.place.saturating_add_signed(count),
            Motion::Halves(count) => self.place = self.place.saturating_add_signed(count * half),
            Motion::First => self.rewind(),
            Motion::Last => self.place = self.lines.len(),
            Motion::Sideways(count) => {
                // In a narrow pane fewer, so that no column is skipped.
                let columns = SIDEWAYS.min(self.width / 2).max(1);
                self.shift = if count < 0 { self.shift.saturating_sub(columns) } else { self.shift + columns };
            }
        }
        self.settle();
    }

    /// Places the cursor on a row, if it is visible.
    pub(super) fn choose(&mut self, row: usize) {
        if let Some(place) = self.lines.iter().position(|line| line.row == row) {
            self.place = place;
        }
        self.settle();
    }

    /// Goes to the next line with a text, downwards or upwards, wrapping around once.
    pub(super) fn search(&mut self, text: &str, is_upwards: bool) -> bool {
        let count = self.lines.len();
        let mut order = (1..=count).map(|step| (self.place + if is_upwards { count - step } else { step }) % count);
        let is_found = |place: &usize| !found(&self.lines[*place].text, text).is_empty();
        let Some(place) = order.find(is_found) else { return false };
        self.place = place;
        self.settle();
        true
    }

    /// Shows only rows with a text; all rows if the text is empty.
    pub(super) fn filter(&mut self, text: &str) {
        text.clone_into(&mut self.filter);
        self.rewind();
        self.lay_out();
    }

    /// The text of the chosen row, or of the first visible one.
    pub(super) fn chosen(&self) -> Shown {
        self.lines.get(self.place).map(|line| self.rows[line.row].text.clone()).unwrap_or_default()
    }

    /// The effect of choosing the current row.
    pub(super) fn aim(&self) -> Option<&Aim> {
        self.lines.get(self.place).and_then(|line| self.rows[line.row].aim.as_ref())
    }

    /// The effects of all rows.
    pub(super) fn aims(&self) -> impl Iterator<Item = &Aim> {
        self.rows.iter().filter_map(|row| row.aim.as_ref())
    }

    /// Whether only some rows are shown.
    pub(super) fn is_filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    /// The number of lines, visible or not.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The visible lines.
    pub(super) fn drawn(&self) -> Vec<DrawnLine> {
        let seen = self.lines.iter().enumerate().skip(self.top).take(self.height);
        let drawn = seen.map(|(at, line)| DrawnLine {
            text: clipped(&line.text, self.shift, self.width),
            shade: self.rows[line.row].shade,
            is_current: self.has_cursor && at == self.place,
        });
        drawn.collect()
    }

    /// Which lines are visible, and by which filter, unless that is everything.
    pub(super) fn extent(&self) -> Shown {
        let lines = match self.lines.len() {
            count if count > self.height && self.height > 0 => shown!(" {}-{} of {}", self.top + 1, self.top + self.height, count),
            _ => Shown::new(),
        };
        let filter = if self.filter.is_empty() { Shown::new() } else { shown!(" &{}", self.filter.as_str()) };
        lines + filter
    }
}

/// Where a text occurs in another one, ignoring case.
pub(super) fn found(text: &str, sought: &str) -> Vec<Range<usize>> {
    if sought.is_empty() {
        return Vec::new();
    }
    let (lower, lower_sought) = (text.to_lowercase(), sought.to_lowercase());
    // The lower case of some letters has another length; positions in such a text would not fit the original.
    if lower.len() == text.len() {
        lower
            .match_indices(&lower_sought)
            .map(|(at, found)| at..at + found.len())
            .filter(|range| text.get(range.clone()).is_some())
            .collect()
    } else {
        text.match_indices(sought).map(|(at, found)| at..at + found.len()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(count: usize) -> Pane {
        let mut pane = Pane::with_cursor();
        pane.fit(20, 5);
        pane.set((0..count).map(|row| PaneRow::new(Shown::line(&format!("row {row}")))).collect());
        pane
    }

    fn seen(pane: &Pane) -> Vec<String> {
        pane.drawn().into_iter().map(|line| format!("{}{}", if line.is_current { "> " } else { "" }, line.text)).collect()
    }

    #[test]
    fn every_row_is_reached_and_the_cursor_is_always_seen() {
        let mut pane = pane(12);
        for expected in 1..12 {
            pane.go(Motion::Lines(1));
            assert!(seen(&pane).contains(&format!("> row {expected}")), "{:?}", seen(&pane));
        }
        pane.go(Motion::Lines(1));
        assert_eq!(seen(&pane), ["row 7", "row 8", "row 9", "row 10", "> row 11"]);
        assert_eq!(pane.extent(), " 8-12 of 12");
        pane.go(Motion::Halves(-2));
        assert!(seen(&pane).contains(&"> row 7".to_owned()));
        pane.go(Motion::First);
        assert_eq!(seen(&pane)[0], "> row 0");
        pane.fit(20, 3);
        pane.go(Motion::Last);
        pane.set(vec![PaneRow::new(Shown::line("alone"))]);
        assert_eq!(seen(&pane), ["> alone"], "the place follows when rows go");
    }

    #[test]
    fn a_search_goes_around_both_ways() {
        let mut pane = pane(12);
        let current = |pane: &Pane| pane.lines[pane.place].text.clone();
        assert!(pane.search("ROW 1", false) && current(&pane) == "row 1");
        assert!(pane.search("row 1", false) && current(&pane) == "row 10");
        assert!(pane.search("row 1", true) && current(&pane) == "row 1");
        assert!(pane.search("row 1", true) && current(&pane) == "row 11");
        assert!(!pane.search("nothing", false) && current(&pane) == "row 11");
        assert!(!Pane::with_cursor().search("row", false), "without lines");
    }

    #[test]
    fn a_filter_leaves_rows_with_its_text() {
        let mut pane = pane(12);
        pane.filter("1");
        assert_eq!(seen(&pane), ["> row 1", "row 10", "row 11"]);
        assert_eq!(pane.extent(), " &1");
        pane.filter("");
        assert_eq!(pane.count(), 12);
    }

    #[test]
    fn long_lines_are_scrolled_or_go_on_below() {
        let mut pane = Pane::default();
        pane.fit(10, 4);
        pane.set(vec![PaneRow::new(Shown::line("abcdefghijklmnopqrstuvwxyz"))]);
        assert_eq!(seen(&pane), ["abcdefghi…"]);
        pane.go(Motion::Sideways(1));
        assert_eq!(seen(&pane), ["…fghijklm…"]);
        (0..9).for_each(|_| pane.go(Motion::Sideways(1)));
        assert_eq!(seen(&pane), ["…vwxyz"], "no further than there is something to be seen");
        (0..9).for_each(|_| pane.go(Motion::Sideways(-1)));
        pane.set(text_rows(&Shown::lines("one two three four\nfive")));
        assert_eq!(seen(&pane), ["one two", "  three", "  four", "five"]);
    }
}
