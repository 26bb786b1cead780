//! Reports for a browser: one file each that needs nothing else, neither a network nor a script.
//!
//! Invariant: a page is well-formed XML too; nothing in it can load anything (a policy in its head forbids it); every text of the
//! machine is escaped. The script only hides and shows the steps of a trace; without it, and in print, all are there. Here is what
//! all pages share; `check` has what a check or a refinement check found, `compare` a comparison.

mod check;
mod compare;
mod coverage;
mod stepper;

pub use check::{Part, part, render, render_chain};
pub use compare::render as render_comparison;

use super::junit::escaped;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A part of a page with a heading.
#[derive(Debug)]
struct Section {
    /// A word, the only one of its kind in the page.
    id: String,
    heading: String,
    /// Markup.
    content: String,
}

impl Section {
    fn new(id: impl Into<String>, heading: impl Into<String>, content: String) -> Self {
        Self { id: id.into(), heading: heading.into(), content }
    }
}

/// What a page begins with.
struct Head<'a> {
    /// The title of the window.
    title: String,
    /// The machine.
    name: &'a str,
    /// Its file.
    file: &'a str,
    /// A word, and whether it is good news.
    verdict: (&'a str, Tone),
    /// One sentence.
    conclusion: String,
}

/// What a word means to whoever waits for it.
#[derive(Clone, Copy)]
enum Tone {
    Good,
    Note,
    Bad,
}

/// A page of these sections.
fn page(head: &Head<'_>, sections: &[Section]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(&head.title)
    );
    let (word, tone) = head.verdict;
    let tone = match tone {
        Tone::Good => "good",
        Tone::Note => "note",
        Tone::Bad => "bad",
    };
    page.push_str(&format!(
        "<a class=\"skip\" href=\"#content\">to the content</a>\n<header>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n\
         <p><span class=\"verdict {tone}\">{}</span></p>\n<p>{}</p>\n</header>\n",
        escaped(head.name),
        escaped(head.file),
        escaped(word),
        escaped(&head.conclusion)
    ));
    let links: String =
        sections.iter().map(|section| format!("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(&section.heading))).collect();
    page.push_str(&format!("<nav aria-label=\"Contents\">\n<ul>\n{links}</ul>\n</nav>\n<main id=\"content\">\n"));
    for Section { id, heading, content } in sections {
        page.push_str(&format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{content}</section>\n", escaped(heading)));
    }
    page + &format!(
        "</main>\n<footer><p class=\"soft\">bcheck {}</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// A table of names and what is said of them.
fn facts(rows: &[(String, String)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)))
        .collect();
    wide(&format!("<table>\n{rows}</table>\n"))
}

/// A paragraph of plain text.
fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escaped(text))
}

/// Something that may be wider than the window: it can be moved by keys once it has the focus.
fn wide(content: &str) -> String {
    format!("<div class=\"wide\" tabindex=\"0\">\n{content}</div>\n")
}
