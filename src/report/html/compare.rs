//! A comparison for a browser: the picture, the table, what was compared.
//!
//! Invariant: everything that the picture shows is in the table, in words.

use super::{Head, Section, Tone, facts, page, paragraph, wide};
use crate::compare::{Comparison, Row, cells, chart, findings};
use crate::markup::{Markup, markup};
use bcheck_source::{Shown, Vocabulary};

/// The report.
#[must_use]
pub fn render(comparison: &Comparison<'_>) -> Shown {
    let is_covered = comparison.rows.len() == comparison.asked && comparison.rows.iter().all(|row| row.reduced.complete);
    let head = Head {
        title: format!("{}: reduced and full", comparison.machine),
        name: comparison.machine,
        file: comparison.file,
        verdict: if is_covered { ("compared", Tone::Good) } else { ("incomplete", Tone::Note) },
        conclusion: conclusion(comparison, is_covered),
        resources: Markup::new(),
    };
    let notes = "States and transitions are counted as ProB counts them: with root, set-up and initialisation, and in the reduced \
                 space with successors up to symmetry. Numbers of the full space are explored where that was possible in time, \
                 and counted by the sizes of orbits elsewhere; where both were done, they agree.";
    let found = findings(comparison.rows).fold(Markup::new(), |all, line| all + paragraph(&line));
    let sections = [
        Section::new("picture", "Over the size", wide(&chart(comparison).svg())),
        Section::new("table", "Size by size", table(comparison.rows) + found + paragraph(notes)),
        Section::new("compared", "What was compared", facts(&what(comparison))),
    ];
    page(&head, &sections)
}

/// The largest saving, in words.
fn conclusion(comparison: &Comparison<'_>, is_covered: bool) -> String {
    let covered = if is_covered { "Every size was searched." } else { "A limit stopped the comparison; the rows say where." };
    let fastest = comparison.rows.iter().filter_map(|row| Some((row.speedup()?, row))).max_by(|a, b| a.0.total_cmp(&b.0));
    match fastest {
        // Smaller factors are within what times vary by.
        Some((speedup, row)) if speedup > 1.5 => {
            format!("{covered} The reduced search was up to {speedup:.1} times as fast as the full one (at {}).", row.sizes())
        }
        _ => covered.to_owned(),
    }
}

fn table(rows: &[Row]) -> Markup {
    let numbers = |words: &[String]| -> Markup { words.iter().map(|word| markup!("<td class=\"number\">{}</td>", word)).collect() };
    let body: Markup =
        rows.iter().map(|row| markup!("<tr><th scope=\"row\">{}</th>{}</tr>\n", row.sizes(), numbers(&cells(row)))).collect();
    let heads = |words: &[&str], more: &Markup| -> Markup {
        words.iter().map(|word| markup!("<th scope=\"col\" class=\"number\"{}>{}</th>", more, word)).collect()
    };
    wide(&markup!(
        "<table>\n<thead>\n<tr><th scope=\"col\" rowspan=\"2\">size</th><th scope=\"colgroup\" colspan=\"2\">states</th>\
         <th scope=\"colgroup\" colspan=\"2\">transitions</th><th scope=\"colgroup\" colspan=\"2\">time</th>{}</tr>\n<tr>{}</tr>\n</thead>\n\
         <tbody>\n{}</tbody>\n</table>\n",
        heads(&["speed-up", "the full space is", "memory"], &markup!(" rowspan=\"2\"")),
        heads(&["full", "reduced", "full", "reduced", "full", "reduced"], &Markup::new()),
        body
    ))
}

fn what(comparison: &Comparison<'_>) -> Vec<(String, String)> {
    let options = comparison.options;
    let checked: Vec<&str> = options.kinds_checked().collect();
    [
        ("integers", format!("from MININT = {} to MAXINT = {}", comparison.bounds.0, comparison.bounds.1)),
        ("symmetry of the reduced search", options.symmetry.word().to_owned()),
        ("looked for on the way", if checked.is_empty() { "nothing".to_owned() } else { checked.join(", ") }),
        ("workers", options.effective_workers().to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}
