//! Places in the form of the protocol: lines from 0, columns in UTF-16 units, files as URIs.
//!
//! Invariant: every resulting offset lies on a character boundary of its text, whatever the position, so an edit never panics. A lone
//! carriage return does not end a line here, as everywhere in bcheck.

use bcheck_source::{SourceMap, Span};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use std::path::{Path, PathBuf};

/// The position of a byte offset.
pub(super) fn position(text: &str, offset: usize) -> Position {
    let mut offset = offset.min(text.len());
    // Terminates at 0 at the latest, which is a boundary.
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Position { line: count(before.matches('\n').count()), character: count(text[line_start..offset].encode_utf16().count()) }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The byte offset of a position, clamped to the end of its line or of the text.
pub(super) fn offset(text: &str, position: Position) -> usize {
    let line = position.line as usize;
    let start = if line == 0 { Some(0) } else { text.match_indices('\n').nth(line - 1).map(|(at, _)| at + 1) };
    let Some(start) = start else { return text.len() };
    let content = text[start..].split('\n').next().unwrap_or_default();
    let mut units = 0;
    for (at, letter) in content.trim_end_matches('\r').char_indices() {
        // `>` if the column lies between the halves of a surrogate pair: the next character then.
        if units >= position.character {
            return start + at;
        }
        units += count(letter.len_utf16());
    }
    start + content.trim_end_matches('\r').len()
}

/// The beginnings of all lines of a text: converts many places without counting lines for each.
pub(super) struct LineStarts<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// As [`position`].
    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts[line];
        let within = position(&self.text[start..], offset - start);
        Position { line: count(line), character: within.character }
    }

    /// The range of these bytes.
    pub(super) fn range(&self, place: &std::ops::Range<usize>) -> Range {
        Range { start: self.position(place.start), end: self.position(place.end) }
    }
}

/// The range of a span in its file.
pub(super) fn range(sources: &SourceMap, span: Span) -> Range {
    let file = sources.file(span.file);
    let place = |offset: u32| {
        let (line, start) = file.line_at(offset as usize);
        let within = position(&file.text[start..], offset as usize - start);
        Position { line: count(line), character: within.character }
    };
    Range { start: place(span.start), end: place(span.end) }
}

/// Applies one change to a text: to a part of it, or to all.
pub(super) fn apply(text: &mut String, change: TextDocumentContentChangeEvent) {
    match change.range {
        None => *text = change.text,
        Some(range) => {
            let start = offset(text, range.start);
            // A range that ends before it starts is an insertion.
            let end = offset(text, range.end).max(start);
            text.replace_range(start..end, &change.text);
        }
    }
}

/// The path of a file's URI; none for other URIs, such as that of an unnamed text.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // The host before the first slash, usually empty, is dropped.
    let path = decoded(&rest[rest.find('/')?..]);
    // `/C:/models` on a system with drives.
    let has_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if has_drive { path.trim_start_matches('/') } else { &path }))
}

/// Decodes `%20` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        // `from_str_radix` would accept a sign as well.
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(|_| first == b'%') {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The URI of a file.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?.display().to_string().replace('\\', "/");
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        // The unreserved characters of RFC 3986 and the separator; all others are escaped, byte by byte of their UTF-8.
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text.parse().ok()
}

/// The name around an offset, including dots of renamed names (`shelf.put`), with its start.
pub(super) fn word_at(text: &str, offset: usize) -> Option<(usize, &str)> {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_part = |at: usize, letter: char| {
        is_plain(letter)
            || letter == '.' && text[..at].chars().next_back().is_some_and(is_plain) && text[at + 1..].chars().next().is_some_and(is_plain)
    };
    // Both scans begin at a boundary and move by whole characters. A dot is one byte, so `at + 1` behind it is a boundary as well.
    let mut start = offset.min(text.len());
    while let Some(letter) = text[..start].chars().next_back().filter(|letter| is_part(start - letter.len_utf8(), *letter)) {
        start -= letter.len_utf8();
    }
    let length = text[start..].char_indices().find(|(at, letter)| !is_part(start + at, *letter)).map_or(text.len() - start, |(at, _)| at);
    let word = &text[start..start + length];
    (!word.is_empty()).then_some((start, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = "ab\r\nx∈𝕊y\n";
        let at = text.find('y').expect("there");
        assert_eq!(position(text, at), Position { line: 1, character: 4 });
        assert_eq!(offset(text, Position { line: 1, character: 4 }), at);
        // Within a surrogate pair: the next character; beyond the line: its end, before the line break.
        assert_eq!(offset(text, Position { line: 1, character: 3 }), at);
        assert_eq!(offset(text, Position { line: 0, character: 99 }), 2);
        assert_eq!(offset(text, Position { line: 9, character: 0 }), text.len());
    }

    #[test]
    fn a_path_survives_the_way_through_a_uri() {
        let path = Path::new("/tmp/a b/ü%.mch");
        let uri = uri_of(path).expect("a URI");
        assert_eq!(uri.as_str(), "file:///tmp/a%20b/%C3%BC%25.mch");
        assert_eq!(path_of(&uri).expect("a file"), path);
        assert_eq!(path_of(&"untitled:Untitled-1".parse().expect("a URI")), None);
    }

    #[test]
    fn words_have_dots_only_inside() {
        assert_eq!(word_at("a := shelf.put(t)", 8), Some((5, "shelf.put")));
        assert_eq!(word_at("!x.(x : 1..n)", 1), Some((1, "x")));
        assert_eq!(word_at("!x.(x : 1..n)", 12), Some((11, "n")));
        assert_eq!(word_at("a + b", 2), None);
    }
}
