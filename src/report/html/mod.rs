//! Reports for a browser: self-contained files that need nothing else, not even a network.
//!
//! Invariant: a page is also well-formed XML; nothing in it can load anything, and no foreign script runs (a policy in its head forbids
//! it); every text of the machine is escaped (`markup`). The script only hides and shows the steps of a trace; without it, and in print,
//! all are visible. A large graph of states has a separate script, in no other page. This file has the parts shared by all pages; `check`
//! has the result of a check or a refinement check, `compare` a comparison.

mod album;
mod check;
mod compare;
mod coverage;
mod evidence;
mod formulas;
pub mod index;
mod preserved;
mod replay;
mod state_graph;
mod state_picture;
mod stepper;
mod structure;
mod tables;

pub use album::render as render_album;
pub use check::{Part, part, render, render_chain};
pub use compare::render as render_comparison;
pub use replay::render as render_replay;

use super::markup::{Markup, markup};
use super::{chart, layout, picture};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bcheck_source::Shown;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A part of a page with a heading.
#[derive(Debug)]
struct Section {
    /// A word that no other section of the page has.
    id: String,
    heading: String,
    content: Markup,
    /// Whether it has a graph, which needs a separate script.
    has_graph: bool,
}

impl Section {
    fn new(id: impl Into<String>, heading: impl Into<String>, content: Markup) -> Self {
        Self { id: id.into(), heading: heading.into(), content, has_graph: false }
    }

    fn with_graph(self) -> Self {
        Self { has_graph: true, ..self }
    }
}

/// The beginning of a page.
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
    /// Resources used by its pictures.
    resources: Markup,
}

/// Whether a verdict is good news, bad news, or neither.
#[derive(Clone, Copy)]
enum Tone {
    Good,
    Note,
    Bad,
}

/// A page of these sections.
fn page(head: &Head<'_>, sections: &[Section]) -> Shown {
    let has_graph = sections.iter().any(|section| section.has_graph);
    // Void elements are closed, so that the page is XML as well as HTML.
    let mut page = markup!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n{}</head>\n<body>\n",
        policy(has_graph),
        head.title,
        if has_graph { Markup::style(STYLE) + Markup::style(state_graph::STYLE) } else { Markup::style(STYLE) }
    );
    let (word, tone) = head.verdict;
    let tone = match tone {
        Tone::Good => "good",
        Tone::Note => "note",
        Tone::Bad => "bad",
    };
    page += markup!(
        // A link past the contents, for keyboard users.
        "<a class=\"skip\" href=\"#content\">to the content</a>\n<header>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n\
         <p><span class=\"verdict {}\">{}</span></p>\n<p>{}</p>\n</header>\n",
        head.name,
        breakable_path(head.file),
        tone,
        word,
        head.conclusion
    );
    let links: Markup = sections.iter().map(|section| markup!("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.heading)).collect();
    page += markup!("<nav aria-label=\"Contents\">\n<ul>\n{}</ul>\n</nav>\n<main id=\"content\">\n{}", links, head.resources);
    for Section { id, heading, content, .. } in sections {
        page += markup!("<section aria-labelledby=\"{}\">\n<h2 id=\"{}\">{}</h2>\n{}</section>\n", id, id, heading, content);
    }
    page += markup!("</main>\n<footer><p class=\"soft\">bcheck {}</p></footer>\n", env!("CARGO_PKG_VERSION"));
    // Last, because the script looks up elements that must be there.
    let scripts = if has_graph { Markup::script(SCRIPT) + Markup::script(state_graph::SCRIPT) } else { Markup::script(SCRIPT) };
    (page + scripts + markup!("</body>\n</html>\n")).into()
}

/// The content security policy of a page: only its own styles and its own script, each identified by its hash, and images that it
/// contains.
fn policy(has_graph: bool) -> String {
    let hashes = |texts: &[&'static str]| texts.iter().map(|text| source(&Markup::content(text))).collect::<Vec<_>>().join(" ");
    let of_graph = |text: &'static str| has_graph.then_some(text);
    let styles: Vec<&str> = [STYLE, chart::STYLE, layout::STYLE, picture::STYLE].into_iter().chain(of_graph(state_graph::STYLE)).collect();
    let scripts: Vec<&str> = [SCRIPT].into_iter().chain(of_graph(state_graph::SCRIPT)).collect();
    let (styles, scripts) = (hashes(&styles), hashes(&scripts));
    // `base-uri` and `form-action` do not fall back to `default-src`, so they are forbidden separately.
    format!("default-src 'none'; base-uri 'none'; form-action 'none'; style-src {styles}; img-src data:; script-src {scripts}")
}

/// The hash by which a policy allows a text between tags.
fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Signs of B that browsers would break behind a hyphen.
const ARROWS: &[&str] = &["<->>", "+->>", "-->>", ">->>", "|->", "<->", "+->", "-->", ">->", "->"];

/// A text of B: its lines may also break behind commas and before maplets, where B's notation has no blanks, and never within a sign.
fn breakable(text: &str) -> Markup {
    let mut markup = Markup::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(arrow) = ARROWS.iter().find(|arrow| rest.starts_with(**arrow)) {
            let before = if *arrow == "|->" { markup!("<wbr/>") } else { Markup::new() };
            markup += before + markup!("<span class=\"sign\">{}</span>", *arrow);
            rest = &rest[arrow.len()..];
            continue;
        }
        // Up to the next comma or arrow.
        let ends = rest
            .char_indices()
            .skip(1)
            .find(|(at, _)| rest[..*at].ends_with(',') || ARROWS.iter().any(|arrow| rest[*at..].starts_with(arrow)));
        let (part, further) = rest.split_at(ends.map_or(rest.len(), |(at, _)| at));
        markup += markup!("{}", part);
        if part.ends_with(',') && !further.is_empty() {
            markup += markup!("<wbr/>");
        }
        rest = further;
    }
    markup
}

/// The place of something in a file: its lines end behind the parts of the path.
fn breakable_path(text: &str) -> Markup {
    let mut parts = text.split_inclusive(['/', ':']);
    let first = parts.next().unwrap_or_default();
    parts.fold(markup!("{}", first), |before, part| markup!("{}<wbr/>{}", before, part))
}

/// A table of facts, each with its name.
fn facts(rows: &[(String, String)]) -> Markup {
    // Scopes tell screen readers to which cells a heading applies.
    let rows: Markup = rows.iter().map(|(name, value)| markup!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value)).collect();
    wide(&markup!("<table>\n{}</table>\n", rows))
}

/// A paragraph of plain text.
fn paragraph(text: &str) -> Markup {
    markup!("<p>{}</p>\n", text)
}

/// Something that may be wider than the window: it can be moved by keys once it has the focus.
fn wide(content: &Markup) -> Markup {
    markup!("<div class=\"wide\" tabindex=\"0\">\n{}</div>\n", content)
}
