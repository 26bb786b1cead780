//! Fixes of texts that do not parse: the edits behind the helps of the parser.
//!
//! Invariant: only tokens are examined, and a fix is offered only where they determine what was meant. Deliberately elsewhere: when a
//! mistake is reported (`expected` and the parsers), fixes that need types (`sema`).

use super::input::Input;
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::{Edit, Fix, Span};

impl<'a> Input<'a> {
    /// The place of some tokens from here on, those behind this part included.
    pub(super) fn span_of(self, count: usize) -> Span {
        let last = self.part(self.at() + count.max(1) - 1, usize::MAX).found_span();
        self.found_span().to(last)
    }

    /// Some tokens are written otherwise.
    pub(super) fn written(self, count: usize, text: &str) -> Fix {
        let span = self.span_of(count);
        let is_word = text.starts_with(char::is_alphanumeric);
        let before = self.previous().filter(|_| is_word && self.previous_span().end == span.start);
        let next = self.part(self.at() + count, usize::MAX);
        let behind = next.found_token().filter(|_| is_word && next.found_span().start == span.end);
        let is_wordy = |token: &Token<'_>| !matches!(token, Token::Terminal(sign) if !sign.is_word());
        // `x%2` becomes `x mod 2`.
        let blank = |neighbour: Option<&Token<'_>>| if neighbour.is_some_and(is_wordy) { " " } else { "" };
        let is_apart = self.previous_span().end < span.start;
        // A text with a leading blank is joined to the token before it where possible.
        let new = if is_apart { text.trim_start() } else { text };
        Fix::new(format!("write {}", text.trim()), [Edit::replace(span, format!("{}{new}{}", blank(before), blank(behind)))])
    }

    /// Removes this token.
    pub(super) fn removed(self) -> Fix {
        let shown = self.found_token().and_then(Token::spelling).unwrap_or("token");
        Fix::new(format!("remove this {shown}"), [Edit::delete(self.span_of(1))])
    }

    /// A text is inserted behind the token before.
    pub(super) fn inserted(self, text: &'static str) -> Fix {
        Fix::new(format!("insert {}", text.trim()), [Edit::after(self.previous_span(), text)])
    }

    /// The number of tokens of the bracket `at` tokens ahead with all that it encloses.
    pub(super) fn bracket_length(self, at: usize) -> Option<usize> {
        self.terminal_at(at)?.partner()?;
        let mut depth = 0_usize;
        for ahead in at..self.end() - self.at() {
            match self.terminal_at(ahead) {
                Some(sign) if sign.partner().is_some() => depth += 1,
                Some(sign) if sign.closes_bracket() => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(ahead + 1 - at);
            }
        }
        None
    }

    /// The number of tokens of the operand `at` tokens ahead: a name, a number or a bracket, with the brackets right behind it.
    pub(super) fn operand_length(self, at: usize) -> Option<usize> {
        let mut length = match self.peek_at(at)? {
            Token::Name(..) | Token::Integer(_) => 1,
            _ => self.bracket_length(at)?,
        };
        let joined = |behind: usize| self.advance(behind).previous_span().end == self.advance(behind).span().start;
        while matches!(self.terminal_at(at + length), Some(Terminal::OpenParen | Terminal::OpenBracket)) && joined(at + length) {
            length += self.bracket_length(at + length)?;
        }
        Some(length)
    }

    /// Some tokens before an operand are replaced by `open`, and `close` is written behind it: `dom f` becomes `dom(f)`.
    pub(super) fn around_operand(self, count: usize, open: &'static str, close: &'static str) -> Option<Fix> {
        let length = self.operand_length(count)?;
        let last = self.advance(count + length).previous_span();
        // The blank before the operand goes as well.
        let opened = Span { end: self.advance(count).span().start, ..self.span() };
        Some(Fix::new(format!("write {open}…{close}"), [Edit::replace(opened, open), Edit::after(last, close)]))
    }

    /// `|S|` becomes `card(S)`: the second bar is the next one outside brackets.
    pub(crate) fn cardinality(self) -> Option<Fix> {
        let mut at = 1;
        while self.terminal_at(at) != Some(Terminal::Bar) {
            at += self.bracket_length(at).or_else(|| self.peek_at(at).map(|_| 1))?;
        }
        let closing = self.advance(at).span();
        Some(Fix::new("write card(…)", [Edit::replace(self.span(), "card("), Edit::replace(closing, ")")]))
    }

    /// `(* … *)`, where this is the first star, becomes `/* … */`.
    pub(super) fn starred_comment(self) -> Option<Fix> {
        let is_end = |at: &usize| self.terminal_at(*at) == Some(Terminal::Times) && self.terminal_at(at + 1) == Some(Terminal::CloseParen);
        let end = (1..self.end() - self.at()).find(is_end)?;
        let opening = Edit::replace(self.previous_span().to(self.span()), "/*");
        Some(Fix::new("write /* … */", [opening, Edit::replace(self.advance(end).span_of(2), "*/")]))
    }

    /// `<<a, b>>`, where this is the first sign, becomes `[a, b]`.
    pub(super) fn bracketed_sequence(self) -> Option<Fix> {
        let is_end = |at: &usize| self.terminal_at(*at) == Some(Terminal::Greater) && self.terminal_at(at + 1) == Some(Terminal::Greater);
        let end = (2..self.end() - self.at()).find(is_end)?;
        Some(Fix::new("write […]", [Edit::replace(self.span_of(2), "["), Edit::replace(self.advance(end).span_of(2), "]")]))
    }

    /// `{a, .., b}` or `[a, .., b]`, where this is the sign between, becomes `a..b`.
    pub(crate) fn interval(self) -> Option<Fix> {
        let start = self.part(self.at().checked_sub(3)?, self.end());
        start.terminal().filter(|sign| matches!(sign, Terminal::OpenBrace | Terminal::OpenBracket))?;
        let has_commas = start.terminal_at(2) == Some(Terminal::Comma) && self.terminal_at(1) == Some(Terminal::Comma);
        let closing = self.advance(3);
        let is_closed = closing.terminal().is_some_and(Terminal::closes_bracket);
        let (comma, behind) = (start.advance(2).span(), self.advance(1).span());
        let removed = [start.span(), comma, behind, closing.span()].map(Edit::delete);
        (has_commas && is_closed).then(|| Fix::new("write a..b", removed))
    }

    /// A bracket of one kind around what follows becomes another one: `seq[S]`.
    pub(super) fn rebracketed(self, [open, close]: [&'static str; 2]) -> Option<Fix> {
        let length = self.bracket_length(0)?;
        let closing = self.advance(length - 1).span();
        Some(Fix::new(format!("write {open}…{close}"), [Edit::replace(self.span(), open), Edit::replace(closing, close)]))
    }

    /// The end of the body of a quantifier without its parentheses, as a number of tokens: as far as a formula can extend; if it needs an
    /// implication, not beyond the conjunct in which that ends.
    pub(super) fn body_length(self, needs_implication: bool) -> usize {
        let mut at = 0;
        let mut implies = false;
        while let Some(token) = self.peek_at(at) {
            let ends = match token {
                Token::Terminal(sign) if sign.closes_bracket() => true,
                Token::Terminal(Terminal::Or | Terminal::Not | Terminal::Modulo) => false,
                Token::Terminal(Terminal::Semicolon | Terminal::Bar | Terminal::Parallel) => true,
                Token::Terminal(Terminal::And) => needs_implication && implies,
                Token::Terminal(sign) => sign.is_word() && !token.starts_operand(),
                _ => false,
            };
            if ends {
                break;
            }
            implies |= matches!(token, Token::Terminal(Terminal::Implies));
            at += self.bracket_length(at).unwrap_or(1);
        }
        at
    }

    /// The body of a quantifier that begins here gets its parentheses.
    pub(super) fn parenthesised_body(self, is_forall: bool) -> Option<Fix> {
        let length = self.body_length(is_forall);
        let end = self.advance(length).previous_span();
        (length > 0).then(|| Fix::new("put parentheses around the body", [Edit::before(self.span(), "("), Edit::after(end, ")")]))
    }

    /// `!x.x : S`, where this is the name with the dot: its body gets parentheses.
    pub(super) fn undotted_body(self, text: &str, is_forall: bool) -> Option<Fix> {
        let (name, rest) = text.split_once('.')?;
        let end = self.advance(1 + self.advance(1).body_length(is_forall)).previous_span();
        let edits = [Edit::replace(self.span(), format!("{name}.({rest}")), Edit::after(end, ")")];
        Some(Fix::new("put parentheses around the body", edits))
    }

    /// `!x : S.(P)` or `!(x : S).(P)`, where this is the colon, becomes `!x.(x : S => P)`.
    pub(super) fn ranged_binder(self, joint: &'static str) -> Option<Fix> {
        let name = self.previous_span();
        let Some(Token::Name(text, NameStyle::Plain)) = self.previous() else { return None };
        let mut at = 1;
        while !matches!(
            self.peek_at(at),
            None | Some(Token::Terminal(Terminal::CloseParen | Terminal::Dot | Terminal::And | Terminal::Implies))
        ) {
            at += self.bracket_length(at).unwrap_or(1);
        }
        // `!x : S => P`, `#x : S & P`: the joint is there.
        if self.terminal_at(at).is_some_and(|sign| sign.text() == joint.trim()) {
            let end = self.advance(self.body_length(joint.trim() == "=>")).previous_span();
            return Some(Fix::new("put parentheses around the body", [Edit::after(name, format!(".({text}")), Edit::after(end, ")")]));
        }
        let in_parentheses = self.terminal_at(at) == Some(Terminal::CloseParen);
        let closing = usize::from(in_parentheses);
        let opens =
            self.terminal_at(at + closing) == Some(Terminal::Dot) && self.terminal_at(at + closing + 1) == Some(Terminal::OpenParen);
        let sign = self.advance(at).span_of(closing + 2);
        let names = format!("{}.({text}", if in_parentheses { ")" } else { "" });
        opens.then(|| Fix::new(format!("write {text} : …{joint}into the body"), [Edit::after(name, names), Edit::replace(sign, joint)]))
    }

    /// `{x : S | P}`, where `inside` is the start of its content and this the bar, becomes `{x | x : S & P}`.
    pub(super) fn ranged_comprehension(self, inside: Input<'a>) -> Option<Fix> {
        let Some(Token::Name(text, NameStyle::Plain)) = inside.peek() else { return None };
        let opener = inside.part(inside.at() - 1, inside.end());
        let end = opener.bracket_length(0)?;
        let closing = opener.advance(end - 1);
        let is_loose =
            |at: usize| matches!(self.part(at, self.end()).terminal(), Some(Terminal::Or | Terminal::Implies | Terminal::Equivalent));
        let (open, close) = if (self.at()..closing.at()).any(is_loose) { ("& (", ")") } else { ("&", "") };
        let mut edits = vec![Edit::before(inside.span(), format!("{text} | ")), Edit::replace(self.span(), open)];
        if !close.is_empty() {
            edits.push(Edit::before(closing.span(), close));
        }
        Some(Fix::new(format!("write {{{text} | {text} : … & …}}"), edits))
    }

    /// `x :| x' = x + 1`, where this is the colon and `name` the target, becomes `x :(x = x$0 + 1)`.
    pub(super) fn becomes_such_that(self, name: &str) -> Option<Fix> {
        let body = self.advance(2);
        let length = body.body_length(false);
        let mut edits = vec![Edit::replace(self.span_of(2), ":(")];
        for at in 0..length {
            let here = body.advance(at);
            if here.peek() != Some(&Token::Name(name, NameStyle::Plain)) {
                continue;
            }
            let behind = here.advance(1);
            edits.push(if behind.is(Terminal::Prime) { Edit::delete(behind.span()) } else { Edit::after(here.span(), "$0") });
        }
        edits.push(Edit::after(body.advance(length).previous_span(), ")"));
        (length > 0).then(|| Fix::new("write :(…), with $0 behind old values", edits))
    }

    /// The keyword that a construct needs here: in the place of another one, or inserted where the next part begins.
    pub(super) fn keyword_of_part(self, keyword: Terminal) -> Option<Fix> {
        use Terminal::{Be, Begin, Do, Either, In, Then, Where};
        let is_next = matches!(self.peek(), Some(Token::Name(..)));
        match (keyword, self.terminal()) {
            (Then, Some(Do | Begin)) | (Do, Some(Then | Begin)) => Some(self.written(1, keyword.text())),
            (In, Some(Begin | Then | Do)) | (Where, Some(Terminal::When | Terminal::Bar)) => Some(self.written(1, keyword.text())),
            (In, Some(Terminal::Colon | Terminal::Assign)) => self.bare_local(),
            (Then, None) if is_next => Some(self.inserted(" THEN")),
            (Do, None) if is_next => Some(self.inserted(" DO")),
            (In, None) if is_next => Some(self.inserted(" IN")),
            // `ANY x : S`, `LET x = E`: the condition begins with the name.
            (Where, Some(Terminal::Colon | Terminal::Subset)) | (Be, Some(Terminal::Equal)) => {
                let name = self.previous_span();
                let text = format!(" {} ", keyword.text());
                Some(Fix::new(format!("insert {}", text.trim()), [Edit::after(name, text).copy(name)]))
            }
            // `CASE E OF 1: S`
            (Either, _) if self.terminal_at(1) == Some(Terminal::Colon) => {
                let colon = self.advance(1).span();
                Some(Fix::new("write EITHER … THEN", [Edit::before(self.span(), "EITHER "), Edit::replace(colon, " THEN")]))
            }
            (Either, None) => Some(self.inserted(" EITHER")),
            _ => None,
        }
    }

    /// `op { S }`, where this is the brace, becomes `op = BEGIN S END`.
    pub(super) fn block_of_braces(self) -> Option<Fix> {
        let closing = self.advance(self.bracket_length(0)? - 1).span();
        Some(Fix::new("write = BEGIN … END", [Edit::replace(self.span(), "= BEGIN"), Edit::replace(closing, "END")]))
    }

    /// `x++`, `x += E` and the like, where this is the sign after the target: the variable occurs on both sides.
    pub(super) fn assignment_to_itself(self, target: Span) -> Fix {
        let sign = self.terminal().map_or("", Terminal::text);
        let by_one = self.terminal_at(1) != Some(Terminal::Equal);
        let operand = if by_one { " 1" } else { "" };
        let edit = Edit::replace(self.span_of(2), if self.previous_span().end == self.span().start { " := " } else { ":= " });
        Fix::new(format!("write x := x {sign}{operand}"), [edit.copy(target).text(format!(" {sign}{operand}"))])
    }

    /// The bracket or END that is missing here is inserted behind the token before.
    pub(super) fn closed_by(self, closer: Terminal) -> Fix {
        let text = closer.text();
        let blank = if closer.is_word() { " " } else { "" };
        Fix::new(format!("insert {text}"), [Edit::after(self.previous_span(), format!("{blank}{text}"))])
    }

    /// Replaces the keyword here, of a branch of another construct, by that of the construct that begins with `keyword`.
    pub(super) fn branch_of(self, keyword: Terminal) -> Option<Fix> {
        let own = match (keyword, self.found_token()?) {
            (_, Token::Terminal(Terminal::Else)) => return None,
            (Terminal::If, _) => Terminal::Elsif,
            (Terminal::Select, _) => Terminal::When,
            (Terminal::Choice | Terminal::Either, _) => Terminal::OrBranch,
            _ => return None,
        };
        Some(self.written(1, own.text()))
    }

    /// The END right before this place and the construct that it closes, with its keyword, where that was opened behind `opener`.
    pub(super) fn inner_construct(self, opener: Span) -> Option<(Span, &'static str, Span)> {
        let end = self.part(self.at().checked_sub(1)?, self.end());
        let mut depth = 0_usize;
        for at in (0..self.at()).rev() {
            let here = self.part(at, self.end());
            if here.span().start <= opener.start {
                break;
            }
            match here.terminal() {
                Some(Terminal::End) => depth += 1,
                Some(keyword) if keyword.opens_block() => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return end.is(Terminal::End).then(|| (end.span(), keyword.text(), here.span()));
                    }
                }
                // The token before is not END.
                _ if depth == 0 => break,
                _ => {}
            }
        }
        None
    }

    /// At the word `return` of `return E`: writes `r := E`, where r is the result of the enclosing operation.
    pub(super) fn assigned_result(self) -> Option<Fix> {
        let is_arrow = |at: &usize| self.part(*at, self.end()).is(Terminal::Results);
        let arrow = (1..self.at()).rev().find(is_arrow)?;
        let header = self.part(arrow + 1, self.end());
        let length = 1 + header.bracket_length(1).unwrap_or(0);
        let Some(Token::Name(result, _)) = self.part(arrow - 1, self.end()).peek() else { return None };
        let is_only = !self.part(arrow.checked_sub(2)?, self.end()).is(Terminal::Comma);
        // `r <-- op = …`, not a call in a body.
        (is_only && header.terminal_at(length) == Some(Terminal::Equal)).then(|| self.written(1, &format!("{result} :=")))
    }
}
