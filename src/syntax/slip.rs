//! Fixes of slips in formulas and in parts of constructs that take more than one token to recognise.
//!
//! Invariant: as in `repair`, only tokens are examined, and nothing is offered where two readings remain. Deliberately elsewhere: the
//! edits of single tokens and brackets (`repair`).

use super::input::Input;
use super::keyword::function;
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::{Diagnostic, Edit, Fix};

impl Input<'_> {
    /// The number of tokens up to the next connective, closing bracket or keyword.
    fn conjunct_length(self) -> usize {
        let mut at = 0;
        while let Some(token) = self.peek_at(at) {
            let ends = match token {
                Token::Terminal(Terminal::And | Terminal::Or | Terminal::Implies | Terminal::Equivalent | Terminal::Semicolon) => true,
                Token::Terminal(Terminal::Modulo) => false,
                Token::Terminal(sign) => sign.closes_bracket() || sign.is_word() && !token.starts_operand(),
                _ => false,
            };
            if ends {
                break;
            }
            at += self.bracket_length(at).unwrap_or(1);
        }
        at
    }

    /// Whether a comparison follows the operand `at` tokens ahead.
    fn compares(self, at: usize) -> bool {
        use super::priority::{COMPARE, infix};
        let behind = self.operand_length(at).and_then(|length| self.terminal_at(at + length));
        behind.and_then(infix).is_some_and(|infix| infix.priority == COMPARE)
    }

    /// `not x = 1`, `!x = 1`, `~x = 1`, where this is the sign, becomes `not(x = 1)`.
    pub(super) fn negated_comparison(self) -> Option<Fix> {
        if !self.compares(1) {
            return None;
        }
        let body = self.advance(1);
        let end = body.advance(body.conjunct_length()).previous_span();
        let opened = bcheck_source::Span { end: body.span().start, ..self.span() };
        Some(Fix::new("write not(…)", [Edit::replace(opened, "not("), Edit::after(end, ")")]))
    }

    /// `{x : S : P}`, where this is the second colon and the first name begins at `name`, becomes `{x | x : S & P}`.
    pub(super) fn filtered_set(self, name: bcheck_source::Span) -> Option<Fix> {
        let at = (0..self.at()).rev().find(|at| self.part(*at, self.end()).span() == name)?;
        let start = self.part(at, self.end());
        let Some(Token::Name(text, NameStyle::Plain)) = start.peek() else { return None };
        let is_in_braces = start.previous() == Some(&Token::Terminal(Terminal::OpenBrace)) && self.is(Terminal::Colon);
        let sign = if self.previous_span().end < self.span().start { "&" } else { " &" };
        let edits = [Edit::before(name, format!("{text} | ")), Edit::replace(self.span(), sign)];
        is_in_braces.then(|| Fix::new(format!("write {{{text} | {text} : … & …}}"), edits))
    }

    /// `s.card`, `q.size()`, where this is the dot, becomes `card(s)`, `size(q)`; `rec(…).f` becomes `rec(…)'f`.
    pub(super) fn undotted(self) -> Option<Fix> {
        let next = self.terminal_at(1);
        if let Some(keyword) = next.filter(|keyword| function(*keyword).is_some()) {
            let before = self.previous_span();
            if !matches!(self.previous(), Some(Token::Name(..))) {
                return None;
            }
            let is_empty = self.terminal_at(2) == Some(Terminal::OpenParen) && self.terminal_at(3) == Some(Terminal::CloseParen);
            let call = Edit::before(before, format!("{}(", keyword.text()));
            return Some(Fix::new(
                format!("write {}(…)", keyword.text()),
                [call, Edit::replace(self.span_of(if is_empty { 4 } else { 2 }), ")")],
            ));
        }
        let is_field = self.previous() == Some(&Token::Terminal(Terminal::CloseParen)) && matches!(self.peek_at(1), Some(Token::Name(..)));
        is_field.then(|| self.written(1, "'"))
    }

    /// `'a'`, where this is the first quote, becomes a string.
    pub(super) fn quoted_letter(self) -> Option<Fix> {
        let is_quoted =
            matches!(self.peek_at(1), Some(Token::Name(..) | Token::Integer(_))) && self.terminal_at(2) == Some(Terminal::Prime);
        let edits = [Edit::replace(self.span(), "\""), Edit::replace(self.advance(2).span(), "\"")];
        is_quoted.then(|| Fix::new("write \"…\"", edits))
    }

    /// `()`, where this is the closing parenthesis, as the empty set or sequence.
    pub(super) fn nothing_in_parentheses(self) -> Option<[Fix; 2]> {
        let opening = self.part(self.at().checked_sub(1)?, self.end());
        opening.is(Terminal::OpenParen).then(|| ["{}", "[]"].map(|text| opening.written(2, text)))
    }

    /// `VAR x : S IN` and `VAR x := E IN`, where this is the sign behind the name: without the type, or with the assignment behind IN.
    pub(super) fn bare_local(self) -> Option<Fix> {
        let name = self.previous_span();
        let end = (1..self.end() - self.at()).find(|at| self.terminal_at(*at) == Some(Terminal::In))?;
        // Up to the IN of this VAR: no other construct begins before it.
        let is_simple = (1..end).all(|at| !self.terminal_at(at).is_some_and(|sign| sign.opens_block() || sign == Terminal::Semicolon));
        let (value, behind) = (self.span_of(end), self.advance(end).span());
        match self.terminal()? {
            _ if !is_simple => None,
            Terminal::Colon => Some(Fix::new("leave out the type", [Edit::delete(value)])),
            Terminal::Assign => {
                let assignment = Edit::after(behind, " ").copy(name).text(" ").copy(value).text(";");
                Some(Fix::new("assign it behind IN", [Edit::delete(value), assignment]))
            }
            _ => None,
        }
    }

    /// The error for a missing operand at the end of this part, or before a keyword.
    pub(super) fn operand_missing(self, diagnostic: Diagnostic) -> Diagnostic {
        match self.previous() {
            Some(Token::Terminal(sign @ (Terminal::And | Terminal::Or | Terminal::Implies))) => {
                let help = format!("an operand is missing behind the {}, or it is one too many", sign.text());
                diagnostic.help(help).fix(self.part(self.at() - 1, self.end()).removed())
            }
            _ => diagnostic,
        }
    }
}
