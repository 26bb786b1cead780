//! The probable intention behind the tokens around an error: `ELSE IF`, `f : S => T`.
//!
//! Invariant: consulted only where an error is reported anyway.

use super::input::Input;
use super::token::Terminal;
use bcheck_source::{Diagnostic, Edit, Fix, Span};

/// The help for IF after ELSE.
pub(super) const ELSIF: &str = "the IF behind ELSE needs an END of its own; ELSIF, in one word, does not";

/// The help about functions, where `=>` was written.
const ARROWS: &str = "`=>` is the implication of predicates; the functions from S to T are S --> T (total) or S +-> T (partial)";

/// The signs of functions in the place of `=>`.
fn arrows(sign: Span) -> [Fix; 2] {
    [("-->", "total"), ("+->", "partial")]
        .map(|(text, kind)| Fix::new(format!("write {text} ({kind} functions)"), [Edit::replace(sign, text)]))
}

impl Input<'_> {
    /// The index in the whole text of the token that begins here.
    fn index_of(self, place: Span) -> Option<usize> {
        (0..self.end()).find(|at| self.part(*at, self.end()).span().start == place.start)
    }

    /// `ELSE IF` as `ELSIF`, where this IF follows ELSE.
    pub(super) fn elsif_at(self, place: Span) -> Option<Fix> {
        let at = self.index_of(place)?;
        let before = self.part(at.checked_sub(1)?, self.end());
        let is_it = before.is(Terminal::Else) && before.terminal_at(1) == Some(Terminal::If);
        is_it.then(|| Fix::new("write ELSIF", [Edit::replace(before.span().to(place), "ELSIF")]))
    }

    /// The error about an expression in place of a predicate; where `=>` was meant as an arrow of functions, with that remedy.
    pub(super) fn unless_arrow(self, wanted: Diagnostic) -> Diagnostic {
        match self.arrow_before(wanted.span()) {
            Some(arrow) => Diagnostic { help: vec![ARROWS.to_owned()], ..wanted }.fixes(arrows(arrow)),
            None => wanted,
        }
    }

    /// The sign `=>` before this place, if a membership precedes it: `f : S => T`.
    fn arrow_before(self, place: Span) -> Option<Span> {
        let at = self.index_of(place)?;
        let token = |at: usize| self.part(at, self.end());
        let arrow = at.checked_sub(1).filter(|at| token(*at).is(Terminal::Implies))?;
        let mut depth = 0_usize;
        for at in (0..arrow).rev() {
            match token(at).terminal() {
                Some(Terminal::CloseParen) => depth += 1,
                Some(Terminal::OpenParen) => depth = depth.checked_sub(1)?,
                Some(Terminal::Colon) if depth == 0 => return Some(token(arrow).span()),
                Some(terminal) if depth == 0 && (terminal.starts_clause() || joins_predicates(terminal)) => return None,
                _ => {}
            }
        }
        None
    }
}

/// Whether a sign has predicates on both sides, or begins a new construct.
fn joins_predicates(terminal: Terminal) -> bool {
    matches!(
        terminal,
        Terminal::And | Terminal::Or | Terminal::Implies | Terminal::Equivalent | Terminal::Semicolon | Terminal::Dot | Terminal::Bar
    )
}
