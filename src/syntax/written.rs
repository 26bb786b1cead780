//! A text as its tokens and comments with their places, for programs that show it: colours, signatures, names.
//!
//! Invariant: total, in the order of the text, without overlaps. Deliberately elsewhere: the meaning of names (`sema`).

use super::format::pieces::{Comment, Cut, Gap};
use super::token::{Terminal, Token};
use std::ops::Range;

/// The kind of a token or comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenKind {
    /// A keyword, by its word.
    Keyword(&'static str),
    /// A sign, by its ASCII spelling.
    Sign(&'static str),
    /// A name; several joined by dots count as one.
    Name,
    /// A number.
    Number,
    /// A string, quotes included.
    Text,
    /// `$0` behind a name.
    Old,
    /// A comment or pragma.
    Comment,
}

/// A token or comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its kind.
    pub kind: WrittenKind,
    /// Its bytes.
    pub place: Range<usize>,
}

/// All tokens and comments of a text.
///
/// ```
/// use bcheck_syntax::{WrittenKind, written};
/// let kinds: Vec<WrittenKind> = written("x ∈ dom(f) // y").into_iter().map(|token| token.kind).collect();
/// assert_eq!(kinds[..3], [WrittenKind::Name, WrittenKind::Sign(":"), WrittenKind::Keyword("dom")]);
/// assert_eq!(kinds.last(), Some(&WrittenKind::Comment));
/// ```
#[must_use]
pub fn written(text: &str) -> Vec<Written> {
    let cut = Cut::of(text);
    let mut all = Vec::with_capacity(cut.pieces.len());
    let comments = |gap: &Gap<'_>, all: &mut Vec<Written>| {
        let of = |comment: &Comment<'_>| Written { kind: WrittenKind::Comment, place: comment.start..comment.start + comment.text.len() };
        all.extend(gap.comments.iter().map(of));
    };
    for piece in &cut.pieces {
        comments(&piece.gap, &mut all);
        all.push(Written { kind: kind(&piece.token), place: piece.start..piece.start + piece.text.len() });
    }
    comments(&cut.end, &mut all);
    all
}

fn kind(token: &Token<'_>) -> WrittenKind {
    match token {
        Token::Terminal(terminal) if terminal.is_word() => WrittenKind::Keyword(terminal.text()),
        // Partition and finite begin with a sign and are words all the same.
        Token::Terminal(terminal @ (Terminal::Finite | Terminal::Partition)) => WrittenKind::Keyword(terminal.text()),
        Token::Terminal(terminal) => WrittenKind::Sign(terminal.text()),
        Token::Name(..) => WrittenKind::Name,
        Token::Integer(_) | Token::Real(_) => WrittenKind::Number,
        Token::Text(_) | Token::Template(_) => WrittenKind::Text,
        Token::Dollar(_) => WrittenKind::Old,
    }
}
