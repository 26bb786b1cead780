//! Diagnostics as text: one line `file:line:column: error[B0203]: …` that editors can jump to, then the underlined place.
//!
//! Invariant: whatever its spans, a diagnostic is drawn; spans that do not fit their file are clamped, never a panic.
//! Deliberately elsewhere: whether colour is wanted and which stream is written (`cli`).

use super::corrected::corrected;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use bcheck_source::{Diagnostic, FileId, Severity, Shown, SourceMap, Span, pictured, shown};
use std::borrow::Cow;

/// Whether reports carry terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Colour {
    /// Text only.
    #[default]
    Plain,
    /// ANSI escapes.
    Ansi,
}

/// Limit on diagnostics that are drawn in full; the number of others is stated. JSON has all of them.
const DRAWN: usize = 40;

/// Draws diagnostics one after the other, with a closing count when there are several errors.
#[must_use]
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, colour: Colour) -> Shown {
    let mut text = Shown::new();
    // The first ones: later errors are more often consequences.
    for diagnostic in diagnostics.iter().take(DRAWN) {
        text += shown!("{}\n", render(diagnostic, sources, colour));
    }
    if diagnostics.len() > DRAWN {
        text += shown!("… and {} more diagnostics (--format json lists all)\n", diagnostics.len() - DRAWN);
    }
    text
}

/// Draws one diagnostic: headline, source lines with every label, remedies. Ends with a line break.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> Shown {
    let headline = paint(headline(diagnostic, sources), diagnostic.severity, colour);
    shown!("{}\n{}", headline, excerpt(diagnostic, sources, colour))
}

/// The line `file:line:column: error[B0203]: title`.
#[must_use]
pub fn headline(diagnostic: &Diagnostic, sources: &SourceMap) -> Shown {
    // The form of GNU compilers, by which editors find the place.
    shown!("{}: {}[{}]: {}", place(diagnostic.span(), sources), severity_word(diagnostic.severity), diagnostic.code, diagnostic.title)
}

/// `file:line:column`, with the file as the user named it.
#[must_use]
pub fn place(span: Span, sources: &SourceMap) -> String {
    let position = sources.line_column(span);
    format!("{}:{}:{}", sources.file(span.file).name, position.line, position.column)
}

/// The word for a severity.
#[must_use]
pub(crate) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The source lines under the headline, with labels and remedies, and the lines as the first fix would leave them.
fn excerpt(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> Shown {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_level(level);
    for file in files(diagnostic) {
        let source = Pictured::of(sources, file);
        // An empty file, or the place of no text at all, has no line to underline.
        if source.is_blank() {
            continue;
        }
        let labels = diagnostic.labels.iter().enumerate().filter(|(_, label)| label.span.file == file);
        let annotations = labels.map(|(index, label)| {
            // The first label is the place of the diagnostic itself.
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = source.annotation(kind, label.span);
            if label.text.is_empty() { annotation } else { annotation.label(message(&label.text)) }
        });
        group = group.element(source.snippet(annotations));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(message(help)));
    }
    if group.is_empty() {
        return Shown::new();
    }
    drawn(group, colour) + corrected(diagnostic, sources, width_of_numbers(diagnostic, sources), colour == Colour::Ansi)
}

/// The width of the line numbers of an excerpt: that of the greatest one, of the last line with a label.
fn width_of_numbers(diagnostic: &Diagnostic, sources: &SourceMap) -> usize {
    let line = |span: Span| sources.line_column(span.after()).line;
    diagnostic.labels.iter().map(|label| line(label.span)).max().unwrap_or(1).to_string().len()
}

/// A label or remedy in the form in which it is printed under an excerpt.
pub(super) fn message(text: &str) -> String {
    Shown::line(text).as_str().to_owned()
}

/// A group as lines, with a line break at the end.
pub(super) fn drawn(group: Group<'_>, colour: Colour) -> Shown {
    let renderer = match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    Shown::laid_out(&renderer.render(&[group]), colour == Colour::Ansi) + shown!("\n")
}

/// The text of a file for excerpts, with a visible character in place of each hidden one.
pub(super) struct Pictured<'a> {
    name: Shown,
    original: &'a str,
    text: Cow<'a, str>,
}

impl<'a> Pictured<'a> {
    pub(crate) fn of(sources: &'a SourceMap, file: FileId) -> Self {
        let source = sources.file(file);
        Self { name: Shown::line(&source.name), original: &source.text, text: pictured(&source.text) }
    }

    /// Whether an excerpt would show nothing.
    pub(super) fn is_blank(&self) -> bool {
        self.original.trim().is_empty()
    }

    /// A place in the file, as one in the text of the excerpt.
    pub(super) fn annotation<'t>(&self, kind: AnnotationKind, span: Span) -> Annotation<'t> {
        let range = clamped(span, self.original);
        kind.span(match self.text {
            // No character was replaced, so offsets are the same.
            Cow::Borrowed(_) => range,
            Cow::Owned(_) => self.place_of(range.start)..self.place_of(range.end),
        })
    }

    /// The offset in the pictured text. It has as many characters as the original, but the picture of a carriage return depends on what
    /// follows, so the text before an offset cannot be pictured by itself: characters are counted instead.
    fn place_of(&self, offset: usize) -> usize {
        let letters = self.original[..offset].chars().count();
        self.text.char_indices().nth(letters).map_or(self.text.len(), |(at, _)| at)
    }

    /// The lines around these places.
    pub(super) fn snippet<'t>(&self, annotations: impl IntoIterator<Item = Annotation<'t>>) -> Snippet<'t, Annotation<'t>> {
        let snippet = Snippet::source(self.text.to_string()).path(self.name.to_string());
        annotations.into_iter().fold(snippet, Snippet::annotation)
    }
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
        // Ends at the latest at 0, which is a boundary.
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = floor(span.start as usize);
    start..floor(span.end as usize).max(start)
}

fn paint(line: Shown, severity: Severity, colour: Colour) -> Shown {
    match (colour, severity) {
        (Colour::Plain, _) => line,
        // Renditions of ECMA-48 (SGR): 1 is bold, 31 red, 33 yellow.
        (Colour::Ansi, Severity::Error) => line.painted("1;31"),
        (Colour::Ansi, Severity::Warning) => line.painted("1;33"),
        (Colour::Ansi, Severity::Note) => line.painted("1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Code;

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
    fn what_is_left_out_is_counted() {
        let (map, file) = sources("MACHINE m END");
        let one = Diagnostic::warning(Code::SettingIgnored, Span::new(file, 0, 7), "ignored");
        let text = render_all(&vec![one; DRAWN + 3], &map, Colour::Plain);
        assert!(text.ends_with("… and 3 more diagnostics (--format json lists all)\n"), "{text}");
    }
}
