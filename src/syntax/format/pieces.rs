//! A text cut into its tokens, each with the comments and line breaks before it.
//!
//! Invariant: every token and every comment of the text occurs once, as written; blanks are counted and dropped.

use super::super::lexer::lex;
use super::super::token::{Terminal, Token};
use bcheck_source::FileId;

/// The most columns of a tab.
const TAB: usize = 4;

/// A text in pieces.
pub(crate) struct Cut<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// Its tokens.
    pub(crate) pieces: Vec<Piece<'a>>,
    /// The gap after the last one.
    pub(crate) end: Gap<'a>,
    /// The end of a line in this text.
    pub(super) line_end: &'static str,
}

/// A token.
pub(crate) struct Piece<'a> {
    /// The token.
    pub(crate) token: Token<'a>,
    /// As written.
    pub(crate) text: &'a str,
    /// Its place in the text.
    pub(crate) start: usize,
    /// Its column there.
    pub(super) column: usize,
    /// The gap before it.
    pub(crate) gap: Gap<'a>,
}

impl Piece<'_> {
    /// Whether the token is this sign or keyword.
    pub(super) fn is(&self, terminal: Terminal) -> bool {
        self.token == Token::Terminal(terminal)
    }

    /// The sign or keyword that it is.
    pub(super) fn terminal(&self) -> Option<Terminal> {
        match self.token {
            Token::Terminal(terminal) => Some(terminal),
            _ => None,
        }
    }
}

/// The text between two tokens.
#[derive(Default)]
pub(crate) struct Gap<'a> {
    /// Comments, pragmas included.
    pub(crate) comments: Vec<Comment<'a>>,
    /// Line breaks after the last comment, or after the previous token if there is none.
    pub(super) breaks: usize,
}

impl Gap<'_> {
    /// Whether a line is broken anywhere in it.
    pub(super) fn has_break(&self) -> bool {
        self.breaks > 0 || self.comments.iter().any(|comment| comment.breaks > 0 || comment.text.contains('\n'))
    }
}

/// A comment.
pub(crate) struct Comment<'a> {
    /// With its signs.
    pub(crate) text: &'a str,
    /// Its place in the text.
    pub(crate) start: usize,
    /// Its column in the text.
    pub(super) column: usize,
    /// Line breaks before it.
    pub(super) breaks: usize,
}

impl Comment<'_> {
    /// Whether it reaches to the end of its line.
    pub(super) fn is_line(&self) -> bool {
        !self.text.starts_with("/*")
    }

    /// Whether it means something, so that not even its blanks may change.
    pub(super) fn is_pragma(&self) -> bool {
        self.text.starts_with("/*@")
    }
}

impl<'a> Cut<'a> {
    /// Cuts a text.
    pub(crate) fn of(text: &'a str) -> Self {
        let mut pieces = Vec::new();
        let mut reader = Reader { text, at: 0, column: 0 };
        for lexeme in lex(FileId(0), text).lexemes {
            let (start, end) = (lexeme.span.start as usize, lexeme.span.end as usize);
            let gap = reader.gap(start);
            pieces.push(Piece { token: lexeme.token, text: &text[start..end], start, column: reader.column, gap });
            reader.advance(end);
        }
        let end = reader.gap(text.len());
        let is_dos = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        Self { text, pieces, end, line_end: if is_dos { "\r\n" } else { "\n" } }
    }

    /// The words of all comments in order, however their lines are indented.
    pub(super) fn comments(&self) -> impl Iterator<Item = Vec<&str>> {
        let gaps = self.pieces.iter().map(|piece| &piece.gap).chain(std::iter::once(&self.end));
        gaps.flat_map(|gap| &gap.comments).map(|comment| comment.text.lines().map(str::trim).collect())
    }

    /// The gap before a token, or that at the end.
    pub(super) fn gap(&self, index: usize) -> &Gap<'a> {
        self.pieces.get(index).map_or(&self.end, |piece| &piece.gap)
    }
}

/// A place that moves through the text, with its column: a text may be one long line.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    column: usize,
}

impl<'a> Reader<'a> {
    /// Moves on to a place.
    fn advance(&mut self, to: usize) {
        self.column = self.text[self.at..to].chars().fold(self.column, column_behind);
        self.at = to;
    }

    /// Moves to the next token; returns the comments and breaks before it.
    fn gap(&mut self, to: usize) -> Gap<'a> {
        let mut gap = Gap::default();
        while self.at < to {
            let rest = &self.text[self.at..to];
            let is_first_line = rest.starts_with("#!") && matches!(&self.text[..self.at], "" | "\u{FEFF}");
            let length = if is_first_line || rest.starts_with("//") {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                // `/*/` begins a comment, and does not end it.
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                // A lone carriage return ends a line, too; of a pair, the line feed counts.
                let letter = rest.chars().next().unwrap_or(' ');
                gap.breaks += usize::from(letter == '\n' || letter == '\r' && !rest.starts_with("\r\n"));
                self.advance(self.at + letter.len_utf8());
                continue;
            };
            gap.comments.push(Comment { text: rest[..length].trim_end(), start: self.at, column: self.column, breaks: gap.breaks });
            gap.breaks = 0;
            self.advance(self.at + length);
        }
        gap
    }
}

/// The column behind a character.
fn column_behind(column: usize, letter: char) -> usize {
    match letter {
        '\t' => (column / TAB + 1) * TAB,
        '\n' | '\r' => 0,
        // A byte order mark takes no place.
        '\u{FEFF}' => column,
        _ => column + 1,
    }
}

/// The columns that the beginning of a line takes.
pub(super) fn width(line: &str) -> usize {
    line.chars().fold(0, column_behind)
}
