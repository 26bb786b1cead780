//! One page about several machines: a row for each run, with its finding and a link to its page.
//!
//! Invariant: every run has a row; a link refers to a page in the same folder. Deliberately elsewhere: the pages of single checks
//! (`check`).

use super::{Head, Section, Tone, breakable, breakable_path, page, paragraph, wide};
use crate::markup::{Markup, markup};
use bcheck_source::Shown;

/// A run.
#[derive(Clone, Debug)]
pub struct IndexRow {
    /// The machine.
    pub file: String,
    /// The command and its options.
    pub run: String,
    /// The result, in a word.
    pub verdict: String,
    /// Whether it is as expected; `None` if it was not run, or nothing was expected.
    pub is_good: Option<bool>,
    /// The findings, one line each.
    pub details: Vec<String>,
    /// The page of the run.
    pub page: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// The page; `fine` and `wrong` are the words for expected and unexpected results.
#[must_use]
pub fn render(title: &str, place: &str, (fine, wrong): (&str, &str), rows: &[IndexRow]) -> Shown {
    let count = |wanted: bool| rows.iter().filter(|row| row.is_good == Some(wanted)).count();
    let (good, bad) = (count(true), count(false));
    let verdict = match bad {
        0 => (fine, Tone::Good),
        _ => (wrong, Tone::Bad),
    };
    let verdict = if good + bad == 0 { ("results", Tone::Note) } else { verdict };
    let conclusion = if good + bad == 0 { format!("{} runs.", rows.len()) } else { format!("{good} {fine}, {bad} {wrong}.") };
    let table: Markup = rows.iter().map(of_row).collect();
    let head = markup!(
        "<tr><th scope=\"col\">machine</th><th scope=\"col\">run</th><th scope=\"col\">result</th><th scope=\"col\">time</th></tr>\n"
    );
    let content = if rows.is_empty() { paragraph("There is no run.") } else { wide(&markup!("<table>\n{}{}</table>", head, table)) };
    let head = Head { title: title.to_owned(), name: title, file: place, verdict, conclusion, resources: Markup::new() };
    page(&head, &[Section::new("runs", "Runs", content)])
}

fn of_row(row: &IndexRow) -> Markup {
    let name = match &row.page {
        Some(page) => markup!("<a href=\"{}\">{}</a>", page, breakable_path(&row.file)),
        None => breakable_path(&row.file),
    };
    let class = if row.is_good == Some(false) { markup!(" class=\"failing\"") } else { Markup::new() };
    let details: Markup = row.details.iter().map(|line| markup!("<br/><span class=\"soft\">{}</span>", breakable(line))).collect();
    markup!(
        "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td{}>{}{}</td><td>{:.2} s</td></tr>\n",
        name,
        breakable(&row.run),
        class,
        row.verdict,
        details,
        row.seconds
    )
}
