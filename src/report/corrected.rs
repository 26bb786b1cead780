//! The lines of a text after the first fix of a diagnostic, for a terminal: below the remedy in words, the remedy itself.
//!
//! Invariant: only lines that differ are shown, and few; a fix that changes more, or several files, is left to editors. Deliberately
//! elsewhere: fixes as edits (`source::fix`), their places in formats for programs (`json_objects`, `sarif`).

use bcheck_source::{Diagnostic, FileId, Fix, Shown, SourceMap, pictured, shown};

/// More changed lines than this are not shown.
const MOST_LINES: usize = 3;
/// If a line is longer, a part around the change is shown, in characters.
const LONGEST_LINE: usize = 140;
/// How many characters are shown before the change in that case.
const BEFORE_CHANGE: usize = 40;

/// A line after a fix.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// Its number in the new text, from 1.
    number: usize,
    text: String,
}

/// The corrected lines of a diagnostic under an excerpt whose line numbers have this width; `None` if no fix is short enough.
pub(super) fn corrected(diagnostic: &Diagnostic, sources: &SourceMap, width: usize, has_colours: bool) -> Shown {
    let Some(lines) = diagnostic.fixes.first().and_then(|fix| changed_lines(fix, sources)) else { return Shown::new() };
    let width = lines.iter().map(|line| line.number.to_string().len()).fold(width, usize::max);
    // The colours of excerpts: line numbers and the margin in bold bright blue, additions in bright green.
    let painted = |text: Shown, rendition: &'static str| if has_colours { text.painted(rendition) } else { text };
    let mut shown = painted(shown!("{} |", shown!("").right(width)), "1;94") + shown!("\n");
    for line in &lines {
        let number = painted(shown!("{}", line.number).right(width), "1;94");
        shown += shown!("{} {} {}\n", number, painted(shown!("+"), "92"), line.text);
    }
    shown
}

/// The lines changed by a fix, after the change.
fn changed_lines(fix: &Fix, sources: &SourceMap) -> Option<Vec<Line>> {
    let file = only_file(fix, sources)?;
    let after = fix.applied(file, sources)?;
    let (before, after): (Vec<&str>, Vec<&str>) = (sources.file(file).text.lines().collect(), after.lines().collect());
    let alike = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let changed: Vec<usize> = if before.len() == after.len() {
        (alike..after.len()).filter(|index| before[*index] != after[*index]).collect()
    } else {
        let rest = before.len().min(after.len()) - alike;
        let behind = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
        (alike..after.len() - behind).collect()
    };
    let line = |index: usize| {
        let old = before.get(index).copied().unwrap_or_default();
        (!after[index].trim().is_empty()).then(|| Line { number: index + 1, text: excerpt(old, after[index]) })
    };
    // A line that became empty would be invisible.
    let lines: Vec<Line> = if changed.len() > MOST_LINES { Vec::new() } else { changed.into_iter().filter_map(line).collect() };
    (!lines.is_empty()).then_some(lines)
}

/// The file that a fix changes, if it is one.
fn only_file(fix: &Fix, sources: &SourceMap) -> Option<FileId> {
    let made = fix.replacements(sources)?;
    let file = made.first()?.span.file;
    made.iter().all(|one| one.span.file == file).then_some(file)
}

/// A new line in the form of an excerpt; if it is long, the part around the place where it differs from the old one.
fn excerpt(old: &str, new: &str) -> String {
    let visible = pictured(new).replace('\t', "    ");
    let length = visible.chars().count();
    if length <= LONGEST_LINE {
        return visible;
    }
    let alike = pictured(old).replace('\t', "    ").chars().zip(visible.chars()).take_while(|(one, other)| one == other).count();
    let start = alike.saturating_sub(BEFORE_CHANGE).min(length - LONGEST_LINE);
    let part: String = visible.chars().skip(start).take(LONGEST_LINE).collect();
    format!("{}{part}{}", if start > 0 { "…" } else { "" }, if start + LONGEST_LINE < length { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::{Code, Edit, Span};

    fn shown(text: &str, edits: &[(usize, usize, &'static str)]) -> String {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", text);
        let edits = edits.iter().map(|(start, end, new)| Edit::replace(Span::new(file, *start, *end), *new));
        let diagnostic = Diagnostic::error(Code::UnexpectedToken, Span::new(file, 0, 1), "wrong").fix(Fix::new("a fix", edits));
        corrected(&diagnostic, &sources, 1, false).to_string()
    }

    #[test]
    fn lines_that_differ_are_shown_with_their_numbers() {
        assert_eq!(shown("a\nb = c\nd\n", &[(4, 5, ":=")]), "  |\n2 + b := c\n");
        assert_eq!(shown("a\nb\nc\n", &[(0, 1, "x"), (4, 5, "y")]), "  |\n1 + x\n3 + y\n");
        assert_eq!(shown("a\nb\n", &[(3, 3, "\nEND")]), "  |\n3 + END\n");
        assert_eq!(shown("a\n\t\u{1b}b\r\n", &[(4, 5, "c")]), "  |\n2 +     ␛c\n", "hidden characters have pictures");
    }

    #[test]
    fn a_change_that_shows_nothing_or_too_much_is_left_out() {
        assert_eq!(shown("a\nb\n", &[(2, 3, "")]), "");
        assert_eq!(shown("a\nb\nc\nd\n", &[(0, 7, "w\nx\ny\nz")]), "");
        assert_eq!(shown("a", &[]), "");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_change_is_shown() {
        let text = shown(&format!("{}!{}", "a".repeat(200), "b".repeat(200)), &[(200, 201, "?")]);
        assert_eq!(text, format!("  |\n1 + …{}?{}…\n", "a".repeat(40), "b".repeat(99)));
    }
}
