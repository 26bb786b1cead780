//! Messages about an unexpected token, with what was probably meant.
//!
//! Invariant: a message names the expected and the actual token; a help is added only where the tokens around the place show a habit or a
//! slip. Deliberately elsewhere: the words and signs of other notations (`habit`).

use super::habit::{habit, is_joined, word_for};
use super::input::{Input, OPERATOR_MISSING, Problem, SURPLUS_END};
use super::priority::infix;
use super::token::{NameStyle, Terminal, Token, keyword_in_other_case};
use bcheck_source::{Code, Diagnostic, Fix};

/// Which signs begin a comment.
pub(super) const COMMENTS: &str = "a comment begins with //, or stands between /* and */";

impl<'a> Input<'a> {
    /// The error that something else was expected here.
    pub(super) fn expected(self, what: &str) -> Diagnostic {
        let found = self.found();
        let diagnostic = Diagnostic::error(Code::UnexpectedToken, self.found_span(), format!("expected {what}, found {found}"))
            .label(format!("expected {what}"));
        match self.found_token() {
            // `--` begins a comment in other languages. Two minus signs of B have a blank or a parenthesis between them.
            Some(Token::Terminal(Terminal::Minus)) if self.terminal_at(1) == Some(Terminal::Minus) && is_joined(self) => {
                diagnostic.help(COMMENTS).fix(self.written(2, "//"))
            }
            _ => self.with_keyword_meant(diagnostic),
        }
    }

    /// Adds a help where the name here or just before is a keyword in other case, such as `then`, or where the name here is a word of
    /// other notations.
    pub(super) fn with_keyword_meant(self, diagnostic: Diagnostic) -> Diagnostic {
        // `IF a = 1 then x := 1 END` stops at the name `then` itself; in `begin x := 1 END` the name before was read as a variable, and
        // only the token behind it does not fit.
        let before = self.part(self.at().saturating_sub(1), usize::MAX);
        let meant = [self.part(self.at(), usize::MAX), before].into_iter().find_map(|place| match place.peek() {
            // Back quotes and dots show that a name was meant.
            Some(Token::Name(text, NameStyle::Plain)) => keyword_in_other_case(text).map(|keyword| (text, keyword.text(), place)),
            _ => None,
        });
        if let Some((written, keyword, place)) = meant {
            let help = format!("`{written}` is a name here: keywords of B are written in capitals, {keyword}");
            return diagnostic.help(help).fix(place.written(1, keyword));
        }
        match self.found_token() {
            Some(Token::Name(text, NameStyle::Plain)) => match habit(text) {
                Some(help) => diagnostic.help(help).fixes(word_for(text).map(|word| self.written(1, word))),
                None => diagnostic,
            },
            _ => diagnostic,
        }
    }

    /// The error that something follows a complete formula; `scope` names what may follow it.
    pub(super) fn leftover(self, scope: &str) -> Diagnostic {
        let diagnostic = self.expected(&format!("an operator or {scope}"));
        match self.found_token() {
            Some(Token::Terminal(bracket)) if bracket.closes_bracket() => {
                let sign = bracket.text();
                Diagnostic::error(Code::UnclosedBracket, self.span(), format!("this `{sign}` closes nothing"))
                    .label("no bracket is open here")
                    .help(format!("remove the {sign}, or open its partner before"))
                    .fix(self.removed())
            }
            Some(Token::Terminal(Terminal::End)) => {
                diagnostic.help(format!("{SURPLUS_END}: remove it, or look for a missing BEGIN, PRE, …")).fix(self.removed())
            }
            Some(Token::Terminal(Terminal::Dot)) => {
                diagnostic.help("the field f of a record r is r'f; B has no methods: card(S), size(s)").fixes(self.undotted())
            }
            // `g{e}`
            Some(Token::Terminal(Terminal::OpenBrace)) if self.previous_span().end == self.span().start => {
                diagnostic.help("f(x) is the value of f at x, f[S] the image of a set").fixes(self.around_operand(0, "[", "]"))
            }
            Some(Token::Terminal(Terminal::Comma)) => diagnostic.help("here a comma separates; a pair is written in parentheses, (a, b)"),
            Some(Token::Terminal(sign @ (Terminal::Semicolon | Terminal::Parallel))) => {
                let written = sign.text();
                let help = format!("`{written}` combines relations only inside parentheses, and substitutions only outside formulas");
                if *sign == Terminal::Semicolon {
                    return diagnostic.help(help);
                }
                diagnostic.help(help + "; the disjunction of predicates is P or Q").fix(self.written(1, "or"))
            }
            Some(Token::Terminal(Terminal::Assign)) => {
                diagnostic.help("`:=` is a substitution; a predicate compares with =").fix(self.written(1, "="))
            }
            // From here on, signs that other languages use as operators.
            // `%` is the sign of lambda in B.
            Some(Token::Terminal(Terminal::Lambda)) => {
                diagnostic.help("the remainder of a division is a mod b").fix(self.written(1, "mod"))
            }
            Some(Token::Terminal(Terminal::Bar | Terminal::OrBranch)) => {
                diagnostic.help("the disjunction of predicates is P or Q").fix(self.written(1, "or"))
            }
            // The help about a keyword or another notation, if there is one, is more precise.
            Some(token) if token.starts_operand() && diagnostic.help.is_empty() => diagnostic.help(OPERATOR_MISSING),
            _ => diagnostic,
        }
    }

    /// The failure: something else was expected here.
    pub(super) fn expected_failure(self, what: &str) -> nom::Err<Problem> {
        self.failure(self.expected(what))
    }

    /// The error for a sign or keyword in place of an operand.
    pub(super) fn not_an_operand(self, terminal: Terminal) -> nom::Err<Problem> {
        let diagnostic = self.expected("an expression or predicate");
        let empty = if terminal == Terminal::CloseParen { self.nothing_in_parentheses() } else { None };
        let diagnostic = diagnostic.fixes(self.operand_meant(terminal)).fixes(empty.into_iter().flatten());
        // A sign directly behind another one is the second half of an operator that B does not have. Blanks between the two signs show
        // that they were meant as two.
        let before = self.previous().filter(|_| self.previous_span().end == self.span().start);
        let is_behind = |sign| before == Some(&Token::Terminal(sign));
        let followed_by = |word| self.peek_at(1) == Some(&Token::Name(word, NameStyle::Plain)) && is_joined(self);
        let help = match terminal {
            Terminal::Less if is_behind(Terminal::Less) || self.terminal_at(1) == Some(Terminal::Less) => "a sequence is written [a, b]",
            Terminal::Less if self.terminal_at(1) == Some(Terminal::EmptySequence) => "the empty sequence is written []",
            Terminal::Less if before.is_some() => "B writes <= for less or equal",
            Terminal::Greater if before.is_some() => "B writes => for implication and >= for greater or equal",
            Terminal::Equal if before.is_some() => "B writes = for equality, /= for inequality and := for assignment",
            Terminal::Times if is_behind(Terminal::OpenParen) || is_behind(Terminal::SetMinus) => COMMENTS,
            Terminal::Dot if is_behind(Terminal::Interval) => "the interval from a to b is a..b, with two dots",
            Terminal::Interval => "the interval from a to b is a..b, without braces or brackets around it",
            Terminal::Bar => "the number of elements of a set is card(S), the absolute value of a number max({x, -x})",
            Terminal::Inverse => "the inverse of a relation is r~, with the sign behind it; the negation of a predicate is not(P)",
            Terminal::Concat => "the transitive closure of a relation is closure1(r); `^` stands between two sequences",
            Terminal::SetMinus if followed_by("A") || followed_by("forall") => "the universal quantifier is !x.(P => Q)",
            Terminal::SetMinus if followed_by("E") || followed_by("exists") => "the existential quantifier is #x.(P)",
            Terminal::SetMinus if followed_by("lnot") || followed_by("neg") => "the negation of a predicate is not(P)",
            Terminal::And if self.follows(Terminal::And) => "remove one of the two &",
            Terminal::And if self.lacks_operand() => "an operand is missing before this &",
            Terminal::And => "no & stands before the first conjunct",
            Terminal::Intersection | Terminal::Union if !self.previous().is_some_and(Token::ends_operand) => {
                "the conjunction of predicates is P & Q, the disjunction P or Q; no sign stands before the first one"
            }
            Terminal::CloseParen if is_behind(Terminal::OpenParen) => "the empty set is {}, the empty sequence []",
            Terminal::Prime => "strings stand between double quotes: \"text\"",
            _ if terminal.is_word() => return self.failure(self.operand_missing(diagnostic)),
            _ => return self.failure(diagnostic),
        };
        self.failure(diagnostic.help(help))
    }

    fn follows(self, sign: Terminal) -> bool {
        self.previous() == Some(&Token::Terminal(sign))
    }

    /// Whether an infix operator precedes this place.
    fn lacks_operand(self) -> bool {
        matches!(self.previous(), Some(Token::Terminal(sign)) if infix(*sign).is_some())
    }

    /// The change that makes an operand of the tokens here, whose first sign cannot begin one.
    fn operand_meant(self, terminal: Terminal) -> Option<Fix> {
        let is_behind = |sign| self.previous() == Some(&Token::Terminal(sign)) && self.previous_span().end == self.span().start;
        match terminal {
            Terminal::Less if is_behind(Terminal::Less) => self.part(self.at() - 1, self.end()).bracketed_sequence(),
            Terminal::Less if self.terminal_at(1) == Some(Terminal::EmptySequence) => Some(self.written(3, "[]")),
            Terminal::Less => self.bracketed_sequence(),
            Terminal::Prime => self.quoted_letter(),
            Terminal::Times if is_behind(Terminal::OpenParen) => self.starred_comment(),
            Terminal::Times if is_behind(Terminal::SetMinus) => Some(self.part(self.at() - 1, self.end()).written(2, "//")),
            Terminal::Dot if is_behind(Terminal::Interval) => Some(self.removed()),
            Terminal::And if self.lacks_operand() && !self.follows(Terminal::And) => None,
            Terminal::And | Terminal::Intersection | Terminal::Union => Some(self.removed()),
            Terminal::Interval => self.interval(),
            Terminal::Bar => self.cardinality(),
            Terminal::Inverse if self.terminal_at(1) == Some(Terminal::OpenParen) => Some(self.written(1, "not")),
            Terminal::Inverse => self.negated_comparison().or_else(|| self.around_operand(1, "", "~")),
            Terminal::Concat => self.around_operand(1, "closure1(", ")"),
            _ => None,
        }
    }
}
