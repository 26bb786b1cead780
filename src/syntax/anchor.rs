//! The positions in a file of the characters of a text: the text is a whole file, or the content of a string literal in one.
//!
//! Invariant: positions in a text are mapped to positions in the file monotonically, so spans stay spans, also after escapes such as `\"`
//! and after replaced parts. Deliberately elsewhere: which literals contain texts with a syntax of their own (`sema`).

use super::lexer::{characters, lex};
use super::token::Token;
use bcheck_source::{FileId, Span};

/// The map from offsets in a text to offsets in the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    file: FileId,
    /// Where the text begins in the file.
    start: usize,
    /// After each escape and each replaced part, in order: the offset in the text, and that in the file. From there to the next entry the
    /// text is that of the file.
    resumed: Vec<(usize, usize)>,
}

impl Anchor {
    /// The text is the whole file.
    #[must_use]
    pub fn of_file(file: FileId) -> Self {
        Self { file, start: 0, resumed: Vec::new() }
    }

    /// The text occurs in no file: all of it has one place.
    #[must_use]
    pub fn at(place: Span) -> Self {
        // Clamped to the beginning, whatever the length of the text.
        Self { file: place.file, start: place.start as usize, resumed: vec![(usize::MAX, place.start as usize)] }
    }

    /// The content of the string literal at a place of a file, and its anchor; `written` is the text of the file at that place,
    /// parentheses and comments included. `None` if there is no literal.
    #[must_use]
    pub fn of_literal(place: Span, written: &str) -> Option<(Self, String)> {
        // Lexed, not cut at the quotes: a comment may precede the literal, and only the lexer knows where it ends.
        let lexed = lex(place.file, written);
        let literal = lexed.lexemes.iter().find(|lexeme| matches!(lexeme.token, Token::Text(_)))?;
        let (from, to) = (literal.span.start as usize, literal.span.end as usize);
        let quotes = if written[from..].starts_with("'''") { 3 } else { 1 };
        let raw = written.get(from + quotes..to.checked_sub(quotes)?)?;
        Some(Self::of_characters(place.file, place.start as usize + from + quotes, characters(raw)))
    }

    /// A text of these characters, each with the number of bytes that it takes in the file from `start` on.
    pub(super) fn of_characters(file: FileId, start: usize, characters: impl Iterator<Item = (char, usize)>) -> (Self, String) {
        let (mut content, mut resumed, mut at) = (String::new(), Vec::new(), start);
        for (character, length) in characters {
            content.push(character);
            at += length;
            // Positions of the content are in bytes, as spans are. An escape differs in length from the character that it denotes; a line
            // end of two characters is treated as one.
            if length != character.len_utf8() {
                resumed.push((content.len(), at));
            }
        }
        (Self { file, start, resumed }, content)
    }

    /// The text with parts replaced, in order and without overlap: each is a range of bytes and its replacement, which has the place of
    /// that part.
    #[must_use]
    pub fn replaced(&self, text: &str, parts: &[(std::ops::Range<usize>, &str)]) -> (Self, String) {
        let (mut content, mut resumed, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
        let kept = |range: std::ops::Range<usize>, content: &mut String, resumed: &mut Vec<(usize, usize)>| {
            let inside = self.resumed.iter().filter(|(behind, _)| range.start < *behind && *behind <= range.end);
            resumed.extend(inside.map(|(behind, of_file)| (content.len() + behind - range.start, *of_file)));
            content.push_str(&text[range]);
        };
        for (range, replacement) in parts {
            kept(at..range.start, &mut content, &mut resumed);
            content.push_str(replacement);
            resumed.push((content.len(), self.offset(range.end)));
            at = range.end;
        }
        kept(at..text.len(), &mut content, &mut resumed);
        (Self { resumed, ..*self }, content)
    }

    /// The place in the file of a part of the text.
    #[must_use]
    pub fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.file, self.offset(from), self.offset(to))
    }

    /// The inverse map, for a part of the text that begins at `from`: for each escape in it, its end in the file, and the bytes by which
    /// all escapes so far are longer in the file than in the text.
    #[must_use]
    pub fn escapes_from(&self, from: usize) -> Vec<(u32, u32)> {
        // Clamped as spans are.
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let begin = self.offset(from);
        let inside = self.resumed.iter().filter(|(behind, _)| *behind > from);
        inside.map(|(behind, at)| (small(*at), small((at - begin).saturating_sub(behind - from)))).collect()
    }

    fn offset(&self, at: usize) -> usize {
        // Both offsets only grow.
        let passed = self.resumed.partition_point(|(behind, _)| *behind <= at);
        let (behind, of_file) = passed.checked_sub(1).map_or((0, self.start), |last| self.resumed[last]);
        let offset = of_file + (at - behind);
        // A replacement may be longer than the part that it replaces, which ends where the text resumes.
        self.resumed.get(passed).map_or(offset, |(_, next)| offset.min(*next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_literal_are_found_behind_escapes() {
        let file = r#"d == ( "G {s = \"aé\"} \u{41} b" )"#;
        let from = file.find('(').expect("a parenthesis");
        let (anchor, content) = Anchor::of_literal(Span::new(FileId(2), from, file.len()), &file[from..]).expect("a literal");
        assert_eq!(content, "G {s = \"aé\"} A b");
        for part in ["G", "{", "}", "b", "s"] {
            let at = content.find(part).expect("a part of the content");
            let span = anchor.span(at, at + part.len());
            assert_eq!((&file[span.start as usize..span.end as usize], span.file), (part, FileId(2)));
        }
        let at = content.find('A').expect("the character given by its number");
        let span = anchor.span(at, at + 1);
        assert_eq!(&file[span.start as usize..span.end as usize], "\\u{41}");
    }

    #[test]
    fn the_end_of_a_line_in_two_characters_counts_as_one() {
        let file = "'''G\r\n{a}\r{b}'''";
        let (anchor, content) = Anchor::of_literal(Span::new(FileId(0), 0, file.len()), file).expect("a literal");
        assert_eq!(content, "G\n{a}\n{b}");
        for part in ["{a}", "{b}"] {
            let at = content.find(part).expect("a part of the content");
            let span = anchor.span(at, at + part.len());
            assert_eq!(&file[span.start as usize..span.end as usize], part);
        }
    }

    #[test]
    fn a_long_string_begins_behind_three_quotes() {
        let (anchor, content) = Anchor::of_literal(Span::new(FileId(0), 10, 18), "'''G a'''").expect("a literal");
        assert_eq!((content.as_str(), anchor.span(2, 3)), ("G a", Span::new(FileId(0), 15, 16)));
        assert_eq!(Anchor::of_literal(Span::new(FileId(0), 0, 5), "x + 1"), None);
    }

    #[test]
    fn replaced_parts_have_the_place_of_what_they_replace() {
        let file = r#""é\" %0 + x%1z""#;
        let written =
            [('é', 2), ('"', 2), (' ', 1), ('%', 1), ('0', 1), (' ', 1), ('+', 1), (' ', 1), ('x', 1), ('%', 1), ('1', 1), ('z', 1)];
        let (anchor, text) = Anchor::of_characters(FileId(0), 1, written.into_iter());
        let at = |part: &str| text.find(part).expect("a part");
        let (first, second) = (at("%0"), at("%1"));
        let (moved, new) = anchor.replaced(&text, &[(first..first + 2, "12345"), (second..second + 2, "")]);
        assert_eq!(new, "é\" 12345 + xz");
        for (part, place) in [("é", "é"), ("\"", "\\\""), ("12345", "%0"), ("+", "+"), ("x", "x"), ("z", "z")] {
            let at = new.find(part).expect("a part");
            let span = moved.span(at, at + part.len());
            assert!(file[span.start as usize..span.end as usize].starts_with(place), "{part}: {span:?}");
        }
        let inside = moved.span(new.find("45").expect("a part"), new.find(" +").expect("a part"));
        assert_eq!(inside.end as usize, file.find(" +").expect("a part"), "clamped to the end of what is replaced");
    }
}
