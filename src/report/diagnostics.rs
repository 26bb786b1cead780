//! Diagnostics as text: one line `file:line:column: error[B0203]: …` that editors can jump to, then the underlined place.
//!
//! Invariant: whatever its spans, a diagnostic is drawn; spans that do not fit their file are clamped, never a panic.
//! Deliberately elsewhere: whether colour is wanted and which stream is written (`cli`).

use crate::source::{Diagnostic, FileId, Severity, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Whether reports carry terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Colour {
    /// Text only.
    #[default]
    Plain,
    /// ANSI escapes.
    Ansi,
}

/// So many diagnostics are drawn in full; how many more there are is said. JSON carries all of them.
const DRAWN: usize = 40;

/// Draws diagnostics one after the other, with a closing count when there are several errors.
#[must_use]
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, colour: Colour) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(DRAWN) {
        text.push_str(&render(diagnostic, sources, colour));
        text.push('\n');
    }
    if diagnostics.len() > DRAWN {
        text.push_str(&format!("… and {} more diagnostics (--format json lists all)\n", diagnostics.len() - DRAWN));
    }
    text
}

/// Draws one diagnostic: headline, source lines with every label, remedies. Ends with a line break.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> String {
    let headline = paint(&headline(diagnostic, sources), diagnostic.severity, colour);
    format!("{headline}\n{}", excerpt(diagnostic, sources, colour))
}

/// The line `file:line:column: error[B0203]: title`.
#[must_use]
pub fn headline(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    format!("{}: {}[{}]: {}", place(diagnostic.span(), sources), severity_word(diagnostic.severity), diagnostic.code, diagnostic.title)
}

/// `file:line:column`, with the file as the user named it.
#[must_use]
pub fn place(span: Span, sources: &SourceMap) -> String {
    let position = sources.line_column(span);
    format!("{}:{}:{}", sources.file(span.file).name, position.line, position.column)
}

/// The word for a severity.
#[must_use]
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The source lines under the headline, with labels and remedies.
fn excerpt(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_level(level);
    for file in files(diagnostic) {
        let source = sources.file(file);
        if source.text.trim().is_empty() {
            continue;
        }
        let mut snippet = Snippet::source(source.text.as_str()).path(source.name.as_str());
        for (index, label) in diagnostic.labels.iter().enumerate().filter(|(_, label)| label.span.file == file) {
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let mut annotation = kind.span(clamped(label.span, &source.text));
            if !label.text.is_empty() {
                annotation = annotation.label(label.text.as_str());
            }
            snippet = snippet.annotation(annotation);
        }
        group = group.element(snippet);
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    if group.is_empty() {
        return String::new();
    }
    let renderer = match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    let mut drawn = renderer.render(&[group]);
    drawn.push('\n');
    drawn
}

/// The files a diagnostic points into, the main one first.
fn files(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files: Vec<FileId> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

/// A byte range inside `text`, on character boundaries.
fn clamped(span: Span, text: &str) -> std::ops::Range<usize> {
    let floor = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = floor(span.start as usize);
    start..floor(span.end as usize).max(start)
}

fn paint(line: &str, severity: Severity, colour: Colour) -> String {
    match (colour, severity) {
        (Colour::Plain, _) => line.to_owned(),
        (Colour::Ansi, Severity::Error) => format!("\u{1b}[1;31m{line}\u{1b}[0m"),
        (Colour::Ansi, Severity::Warning) => format!("\u{1b}[1;33m{line}\u{1b}[0m"),
        (Colour::Ansi, Severity::Note) => format!("\u{1b}[1m{line}\u{1b}[0m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Code;

    fn sources(text: &str) -> (SourceMap, FileId) {
        let mut map = SourceMap::new();
        let file = map.add("m.mch", text);
        (map, file)
    }

    #[test]
    fn the_first_line_can_be_jumped_to() {
        let (map, file) = sources("MACHINE m\nINVARIANT x : S\nEND\n");
        let diagnostic = Diagnostic::error(Code::UnknownName, Span::new(file, 20, 21), "nothing declares `x`")
            .label("not a variable, constant or set")
            .help("declare it in VARIABLES");
        let text = render(&diagnostic, &map, Colour::Plain);
        assert_eq!(text.lines().next(), Some("m.mch:2:11: error[B0201]: nothing declares `x`"));
        assert!(text.contains("INVARIANT x : S"), "{text}");
        assert!(text.contains("^ not a variable, constant or set"), "{text}");
        assert!(text.contains("help: declare it in VARIABLES"), "{text}");
    }

    #[test]
    fn a_span_beyond_the_end_is_drawn_at_the_end() {
        let (map, file) = sources("MACHINE é");
        let diagnostic = Diagnostic::error(Code::MissingEnd, Span::new(file, 9, 400), "END is missing");
        assert!(render(&diagnostic, &map, Colour::Plain).contains("MACHINE é"));
    }

    #[test]
    fn an_empty_file_has_a_headline_only() {
        let (map, file) = sources("");
        let diagnostic = Diagnostic::error(Code::EmptyFile, Span::new(file, 0, 0), "the file is empty");
        assert_eq!(render(&diagnostic, &map, Colour::Plain), "m.mch:1:1: error[B0107]: the file is empty\n");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let (map, file) = sources("MACHINE m END");
        let one = Diagnostic::warning(Code::SettingIgnored, Span::new(file, 0, 7), "ignored");
        let text = render_all(&vec![one; DRAWN + 3], &map, Colour::Plain);
        assert!(text.ends_with("… and 3 more diagnostics (--format json lists all)\n"), "{text}");
    }
}
