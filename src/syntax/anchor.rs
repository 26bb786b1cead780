//! Where the characters of a text stand in a file: the text is a whole file, or the content of a string literal in one.
//!
//! Invariant: places of a text are mapped to places of the file in order, so spans stay spans, also behind escapes such as `\"`.
//! Deliberately elsewhere: which literals hold texts with a syntax of their own (`sema`).

use super::lexer::{characters, lex};
use super::token::Token;
use crate::source::{FileId, Span};

/// The map from offsets in a text to offsets in the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    file: FileId,
    /// Where the text begins in the file.
    start: usize,
    /// For each escape in order: the offset in the text behind its character, and the bytes that all escapes so far have more in the file.
    escapes: Vec<(usize, usize)>,
}

impl Anchor {
    /// The text is the whole file.
    #[must_use]
    pub fn of_file(file: FileId) -> Self {
        Self { file, start: 0, escapes: Vec::new() }
    }

    /// The content of the string literal at a place of a file, and where it stands; `written` is what the file has at that place,
    /// parentheses and comments included. Nothing if there is no literal.
    #[must_use]
    pub fn of_literal(place: Span, written: &str) -> Option<(Self, String)> {
        // Lexed, not cut at the quotes: a comment may stand before the literal, and only the lexer knows where it ends.
        let lexed = lex(place.file, written);
        let literal = lexed.lexemes.iter().find(|lexeme| matches!(lexeme.token, Token::Text(_)))?;
        let (from, to) = (literal.span.start as usize, literal.span.end as usize);
        let quotes = if written[from..].starts_with("'''") { 3 } else { 1 };
        let raw = written.get(from + quotes..to.checked_sub(quotes)?)?;
        let mut content = String::with_capacity(raw.len());
        let mut escapes = Vec::new();
        let mut surplus = 0;
        for (character, length) in characters(raw) {
            content.push(character);
            // Positions of the content are in bytes, as spans are. An escape is always longer than what it stands for; the end of a line
            // in two characters is treated as one.
            if length > character.len_utf8() {
                surplus += length - character.len_utf8();
                escapes.push((content.len(), surplus));
            }
        }
        Some((Self { file: place.file, start: place.start as usize + from + quotes, escapes }, content))
    }

    /// The place in the file of a part of the text.
    #[must_use]
    pub fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.file, self.offset(from), self.offset(to))
    }

    /// The way back, for a part of the text that begins at `from`: of each escape in it, the end in the file, and the bytes that all
    /// escapes of the part so far have more in the file than in the text.
    #[must_use]
    pub fn escapes_from(&self, from: usize) -> Vec<(u32, u32)> {
        // Clamped as spans are.
        let (before, small) = (self.surplus(from), |number: usize| u32::try_from(number).unwrap_or(u32::MAX));
        let inside = self.escapes.iter().filter(|(behind, _)| *behind > from);
        inside.map(|(behind, surplus)| (small(self.offset(*behind)), small(surplus - before))).collect()
    }

    fn offset(&self, at: usize) -> usize {
        self.start + at + self.surplus(at)
    }

    /// How many bytes more the text before an offset has in the file.
    fn surplus(&self, at: usize) -> usize {
        // Escapes end in order, so their surplus only grows: the last one that is passed has the sum of all.
        let passed = self.escapes.partition_point(|(behind, _)| *behind <= at);
        passed.checked_sub(1).map_or(0, |last| self.escapes[last].1)
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
}
