//! Evidence in a page: the tree of what decides a predicate, each part folded away under the part that it decides.
//!
//! Invariant: truth values are words; all of the evidence is in the page. Deliberately elsewhere: its words (`report::evidence`), and those
//! of guards that are never true (`report::never_enabled`).

use super::{breakable, wide};
use crate::CheckReport;
use crate::evidence::{EvidenceText, in_words};
use crate::markup::{Markup, markup};
use crate::never_enabled::{NeverEnabledText, in_words as in_words_of_guards};

/// The evidence for the finding; empty if there is none.
pub(super) fn of_finding(report: &CheckReport<'_>) -> Markup {
    let Some(text) = in_words(report) else { return Markup::new() };
    let what = if text.truth == Some("true") { "Why it is true" } else { "Why it is false" };
    let what = match text.truth {
        Some("ill-defined") => "Why it is ill-defined",
        // For a deadlock, a guard per operation.
        None => "Why no operation is enabled",
        _ => what,
    };
    markup!("<details><summary>{}</summary>\n<ul class=\"evidence\">\n{}</ul>\n</details>\n", what, item(&text))
}

/// A part, with those that decide it.
fn item(node: &EvidenceText) -> Markup {
    let own = match (node.truth, &node.value) {
        (Some(truth), _) => markup!("<strong>{}</strong>: <code>{}</code>", truth, breakable(&node.text)),
        (None, Some(of_term)) => markup!("<code>{}</code> = <code>{}</code>", breakable(&node.text), breakable(of_term)),
        (None, None) => breakable(&node.text),
    };
    if node.parts.is_empty() {
        return markup!("<li>{}</li>\n", own);
    }
    let parts: Markup = node.parts.iter().map(item).collect();
    // The parts of terms are for readers who want details.
    let open = if node.value.is_none() { markup!(" open=\"open\"") } else { Markup::new() };
    markup!("<li><details{}><summary>{}</summary>\n<ul>\n{}</ul>\n</details></li>\n", open, own, parts)
}

/// The guards of operations that are never enabled, each folded; empty if there are none.
pub(super) fn of_never_enabled(report: &CheckReport<'_>) -> Markup {
    let of = |never: &NeverEnabledText| {
        let rows: Markup = never
            .conjuncts
            .iter()
            .map(|conjunct| {
                let words = conjunct.words(never);
                markup!("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>\n", breakable(&conjunct.conjunct), words)
            })
            .collect();
        let head = markup!("<tr><th scope=\"col\">conjunct of the guard</th><th scope=\"col\">where it is false</th></tr>\n");
        let table = wide(&markup!("<table>\n{}{}</table>", head, rows));
        markup!("<details><summary>Why {} is never enabled</summary>\n{}</details>\n", never.operation, table)
    };
    in_words_of_guards(report).iter().map(of).collect()
}
