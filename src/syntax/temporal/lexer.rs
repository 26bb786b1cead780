//! Cuts formula texts: letters and signs, which need no space between them, and the contents of brackets.
//!
//! There are no names outside brackets, so `GF{p}` is three pieces, and the parser supplies the spellings that are possible at a place:
//! `WF` is fairness where an operand is expected, and W with F where an operator is.
//! Invariant: total and linear in each call; the cursor is at the start of a character. Deliberately elsewhere: the tokens of B, of which
//! predicates and arguments consist.

use bcheck_source::{is_name_part, is_name_start};
use std::ops::Range;

/// A cursor over the text of a formula.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The first unclosed comment or string: the rest of the text is inside it, so it is the cause of any other problem.
    pub(super) unclosed: Option<Unclosed>,
}

/// A comment or string without its end, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unclosed {
    /// `/* …`
    Comment(usize),
    /// `" …`
    Text(usize),
    /// `''' …`
    LongText(usize),
}

impl<'a> Scanner<'a> {
    /// A cursor at the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, unclosed: None }
    }

    /// The whole text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// The offset of the cursor.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Puts the cursor where it was, or behind something that was read.
    pub(super) fn move_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The rest of the text.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(is_blank);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("/*") && !trimmed.starts_with("//") {
                return;
            }
            self.at += self.opaque(self.at).unwrap_or(trimmed.len());
        }
    }

    /// Skips blanks and a sign, if it is there.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    /// Whether the next piece begins so.
    pub(super) fn sees(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        self.rest().starts_with(sign)
    }

    /// The longest spelling of a table at the cursor, with its meaning. The cursor ends up after blanks, and before the spelling.
    pub(super) fn longest<T: Copy>(&mut self, table: &[(&'static str, T)]) -> Option<(&'static str, T)> {
        self.skip_blanks();
        let rest = self.rest();
        // Maximal munch within one table: the longest spelling depends on what may occur here, so each place has its own table.
        table.iter().filter(|(spelling, _)| rest.starts_with(spelling)).max_by_key(|(spelling, _)| spelling.len()).copied()
    }

    /// The letters here, as far as a name would go, or a sign, or a single character; for messages.
    pub(super) fn piece(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let run = |is_part: fn(char) -> bool| rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let length = run(is_name_part).max(run(|c| "=<>&|~-:".contains(c)));
        if length > 0 { &rest[..length] } else { rest.chars().next().map_or("", |c| &rest[..c.len_utf8()]) }
    }

    /// The start of the word around the cursor; the cursor itself if it is in none.
    pub(super) fn word_start(&self) -> usize {
        if self.rest().starts_with(is_name_part) { self.text[..self.at].trim_end_matches(is_name_part).len() } else { self.at }
    }

    /// Reads a name of B without a dot.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return None;
        }
        let name = self.piece();
        self.at += name.len();
        Some(name)
    }

    /// Reads the content of the bracket here. `None`, without moving the cursor, if its partner does not occur before `limit`.
    pub(super) fn bracketed(&mut self, limit: usize) -> Option<Range<usize>> {
        let open = self.rest().chars().next()?;
        let close = partner(open)?;
        let (start, mut at, mut depth) = (self.at + 1, self.at, 0_usize);
        while let Some(c) = self.text[at.min(limit)..limit].chars().next() {
            // Brackets in strings, quoted names and comments are text.
            if let Some(length) = self.opaque(at) {
                at += length;
                continue;
            }
            at += c.len_utf8();
            if c == open {
                depth += 1;
            // Only brackets of the one kind are counted: others are left to the parser of B, whose message about a mismatch is better.
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.at = at;
                    return Some(start..at - 1);
                }
            }
        }
        None
    }

    /// The first opening parenthesis of a range, or its end.
    pub(super) fn parenthesis(&mut self, range: Range<usize>) -> usize {
        let mut at = range.start;
        while let Some(c) = self.text[at.min(range.end)..range.end].chars().next() {
            match self.opaque(at) {
                Some(length) => at += length,
                None if c == '(' => return at,
                None => at += c.len_utf8(),
            }
        }
        range.end
    }

    /// A range without the blanks and comments at both of its ends.
    pub(super) fn trimmed(&mut self, range: Range<usize>) -> Range<usize> {
        let (mut first, mut last, mut at) = (None, range.start, range.start);
        while let Some(c) = self.text[at.min(range.end)..range.end].chars().next() {
            let is_comment = ["/*", "//"].iter().any(|opener| self.text[at..].starts_with(opener));
            let length = self.opaque(at).unwrap_or(c.len_utf8());
            // A string is also opaque, and not a blank.
            if !is_comment && !is_blank(c) {
                first.get_or_insert(at);
                last = (at + length).min(range.end);
            }
            at += length;
        }
        first.map_or(range.start..range.start, |first| first..last)
    }

    /// The parts of a range between commas outside of brackets.
    pub(super) fn between_commas(&mut self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut at, mut depth) = (Vec::new(), range.start, range.start, 0_usize);
        while let Some(c) = self.text[at.min(range.end)..range.end].chars().next() {
            if let Some(length) = self.opaque(at) {
                at += length;
                continue;
            }
            match c {
                ',' if depth == 0 => {
                    parts.push(start..at);
                    start = at + 1;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += c.len_utf8();
        }
        parts.push(start..range.end);
        parts
    }

    /// The length of the string, quoted name or comment of B here, in which brackets do not count. An unclosed one extends to the end of
    /// its line, or of the text.
    fn opaque(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let (opener, end) = [("\"", "\""), ("'''", "'''"), ("`", "`"), ("//", "\n"), ("/*", "*/")]
            .into_iter()
            .find(|(opener, _)| rest.starts_with(opener))?;
        // As in the lexer of B: quoted names and comments have no escapes.
        let has_escapes = matches!(opener, "\"" | "'''");
        let mut escaped = false;
        for (place, c) in rest.char_indices().skip(opener.len()) {
            if !escaped && rest[place..].starts_with(end) {
                return Some(place + end.len());
            }
            // A string and a quoted name end with their line at the latest.
            if c == '\n' && matches!(opener, "\"" | "`") {
                self.report(opener, at);
                return Some(place);
            }
            escaped = has_escapes && c == '\\' && !escaped;
        }
        self.report(opener, at);
        Some(rest.len())
    }

    fn report(&mut self, opener: &str, at: usize) {
        let found = match opener {
            "/*" => Unclosed::Comment(at),
            "\"" => Unclosed::Text(at),
            "'''" => Unclosed::LongText(at),
            // The end of the text ends a comment of one line, and the lexer of B reports an unclosed quoted name.
            _ => return,
        };
        // The first one: what looks unclosed behind it is inside it.
        self.unclosed.get_or_insert(found);
    }
}

/// As between the tokens of B.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{200B}' || c == '\u{FEFF}'
}

fn partner(open: char) -> Option<char> {
    match open {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    }
}
