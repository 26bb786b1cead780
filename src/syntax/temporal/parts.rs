//! Parts of formulas that both logics have: predicates and expressions in braces, and the words for propositions.
//!
//! Invariant: the content of brackets is read by the parser of B in place; its errors are collected, and reading continues after the
//! bracket. Any other error ends the formula. Deliberately elsewhere: patterns of steps (`patterns`), operators (`ltl`, `ctl`).

use super::lexer::{Scanner, Unclosed};
use super::tree::{Counting, Logic, Proposition, StateWord, Temporal, TemporalKind, Trend};
use crate::anchor::Anchor;
use crate::ast::{Expr, Name, Parsed};
use crate::expression::{expression, predicate};
use crate::token::keyword;
use crate::{no_expr, whole, with_tokens_at};
use bcheck_source::{Code, Diagnostic, Span};
use std::ops::Range;

/// Operators, quantifiers and parentheses of one formula: parser and later passes recurse along them.
const MAX_OPERATORS: u32 = 500;

/// Words of both logics. Those that also exist in capitals are left out here and below, and so is `sf`: `SF {p}` may be S and F.
const WORDS: &[&str] =
    &["true", "false", "deadlock", "sink", "goal", "current", "error", "not", "and", "or", "implies", "equivalent", "until"];

/// Words of LTL.
const LINEAR_WORDS: &[&str] = &[
    "globally",
    "always",
    "finally",
    "eventually",
    "next",
    "historically",
    "once",
    "yesterday",
    "weakuntil",
    "stronguntil",
    "release",
    "since",
    "trigger",
    "controller",
    "deterministic",
    "enabled",
    "available",
    "before",
    "after",
    "between",
    "after_until",
    "absence",
    "universality",
    "existence",
    "precedence",
    "response",
    "then",
    "without",
];

/// The result of reading a part of the grammar.
pub(super) type Read<T> = Result<T, Diagnostic>;

/// The state that the parts of the grammar share.
pub(super) struct Parts<'a> {
    pub(super) scanner: Scanner<'a>,
    pub(super) logic: Logic,
    /// Errors after which reading went on.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) anchor: &'a Anchor,
    operators: u32,
}

/// A place to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: usize,
    diagnostics: usize,
    operators: u32,
}

impl<'a> Parts<'a> {
    pub(super) fn new(logic: Logic, anchor: &'a Anchor, text: &'a str) -> Self {
        Self { scanner: Scanner::new(text), logic, diagnostics: Vec::new(), anchor, operators: 0 }
    }

    /// The span from an offset to the end of the last token read.
    pub(super) fn span_from(&self, start: usize) -> Span {
        self.anchor.span(start, self.scanner.at())
    }

    /// The present state, for [`Parts::back_to`].
    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.scanner.at(), diagnostics: self.diagnostics.len(), operators: self.operators }
    }

    /// Backtracks to a mark.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.scanner.move_to(mark.at);
        self.diagnostics.truncate(mark.diagnostics);
        // Counted again by the second reading: a formula that is read twice is not twice as deep.
        self.operators = mark.operators;
    }

    /// Skips blanks; returns the offset of the next token.
    pub(super) fn start(&mut self) -> usize {
        self.scanner.skip_blanks();
        self.scanner.at()
    }

    /// The range of the next piece, from the start of the word where a part of it was read as an operator: of `Globaly`, G was.
    fn whole_piece(&mut self) -> Range<usize> {
        let length = self.scanner.piece().len();
        self.scanner.word_start()..self.scanner.at() + length
    }

    /// The place and a description of the next piece, for messages.
    fn next(&mut self) -> (Span, String) {
        let range = self.whole_piece();
        let shown = match &self.scanner.text()[range.clone()] {
            "" => "the end of the formula".to_owned(),
            piece => format!("`{piece}`"),
        };
        (self.anchor.span(range.start, range.end), shown)
    }

    /// The word of the logic at the cursor in other case, such as `GOAL`; no formula continues so.
    pub(super) fn word_in_other_case(&mut self) -> Option<String> {
        let piece = self.scanner.piece();
        if !piece.contains(char::is_uppercase) {
            return None;
        }
        let word = piece.to_lowercase();
        let is_known = WORDS.contains(&word.as_str()) || self.logic == Logic::Ltl && LINEAR_WORDS.contains(&word.as_str());
        is_known.then_some(word)
    }

    /// Whether the keyword matched here is a proper prefix of a lower-case identifier.
    pub(super) fn is_cut(&mut self, spelling: &str) -> bool {
        self.scanner.piece().strip_prefix(spelling).is_some_and(|rest| rest.starts_with(char::is_lowercase))
    }

    /// The error that something else is expected here.
    pub(super) fn expected(&mut self, what: &str) -> Diagnostic {
        let (span, found) = self.next();
        Diagnostic::error(Code::UnexpectedToken, span, format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    /// The error about the next piece, which is read, with what to write instead.
    pub(super) fn refused(&mut self, spelling: &str, title: String, help: &str) -> Diagnostic {
        let at = self.start();
        Diagnostic::error(Code::UnexpectedToken, self.anchor.span(at, at + spelling.len()), title).help(help)
    }

    /// Counts an operator, quantifier or parenthesis.
    pub(super) fn deeper(&mut self) -> Read<()> {
        // Operators are counted, not nesting: a chain of n operators nests n deep in the tree as well.
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let (span, _) = self.next();
        Err(Diagnostic::error(Code::TooDeep, span, format!("the formula has more than {MAX_OPERATORS} operators and parentheses"))
            .help("join predicates inside one pair of braces, {p & q}, or state several formulas"))
    }

    /// Reads a required sign.
    pub(super) fn require(&mut self, sign: &str, what: &str) -> Read<()> {
        if self.scanner.take(sign) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Reads the closing parenthesis of one that was opened at an offset.
    pub(super) fn close(&mut self, opener: usize) -> Read<()> {
        if self.scanner.take(")") {
            return Ok(());
        }
        let (span, found) = self.next();
        let opened = self.anchor.span(opener, opener + 1);
        Err(Diagnostic::error(Code::UnclosedBracket, span, format!("expected an operator or `)`, found {found}"))
            .label("expected an operator or `)`")
            .also(opened, "opened here")
            .help(self.habit().unwrap_or_else(|| "close the parenthesis, or remove it".to_owned())))
    }

    /// The error that something follows a complete formula.
    pub(super) fn leftover(&mut self) -> Diagnostic {
        let piece = self.scanner.piece();
        if matches!(piece, ")" | "]" | "}") {
            let (span, found) = self.next();
            return Diagnostic::error(Code::UnclosedBracket, span, format!("this {found} closes nothing"))
                .label("no bracket is open here")
                .help(format!("remove the {piece}, or open its partner before"));
        }
        let help = self.habit().unwrap_or_else(|| "is an operator such as & or => missing?".to_owned());
        self.expected("an operator or the end of the formula").help(help)
    }

    /// The remedy for a sign that other notations have between formulas.
    fn habit(&mut self) -> Option<String> {
        if let Some(word) = self.word_in_other_case() {
            return Some(format!("the word is written {word}"));
        }
        let habits = [
            ("V", "SPIN's V is R: f R g"),
            ("~>", "TLA's f ~> g is G (f => F g)"),
            ("=", "predicates stand in braces: {x = 1}"),
            (":", "predicates stand in braces: {x : S}"),
            (">", "predicates stand in braces: {x > 1}"),
            ("<", "predicates stand in braces: {x < 1}"),
            (",", "formulas are joined by &, or, =>"),
            ("U", "in CTL an until has a quantifier: E f U g, A f U g"),
        ];
        habits.into_iter().find(|(sign, _)| self.scanner.sees(sign)).map(|(_, help)| help.to_owned())
    }

    /// The range between the bracket here and its partner.
    pub(super) fn bracketed(&mut self) -> Read<Range<usize>> {
        self.bracketed_before(self.scanner.text().len())
    }

    /// As [`Self::bracketed`], inside other brackets, which end at `limit`.
    pub(super) fn bracketed_before(&mut self, limit: usize) -> Read<Range<usize>> {
        let at = self.start();
        if let Some(range) = self.scanner.bracketed(limit) {
            return Ok(range);
        }
        let open = self.scanner.piece();
        Err(Diagnostic::error(Code::UnclosedBracket, self.anchor.span(at, at + open.len()), format!("this `{open}` is not closed"))
            .label("opened here")
            .help("close it; brackets in strings and comments do not count"))
    }

    /// The error that replaces any other if a comment or string is unclosed.
    pub(super) fn unclosed(&self) -> Option<Diagnostic> {
        Some(match self.scanner.unclosed? {
            Unclosed::Comment(at) => Diagnostic::error(Code::UnclosedComment, self.anchor.span(at, at + 2), "this comment has no end")
                .label("the comment starts here")
                .help("close it with */"),
            Unclosed::Text(at) => Diagnostic::error(Code::UnclosedString, self.anchor.span(at, at + 1), "this string has no closing quote")
                .label("the string starts here")
                .help("close it with \""),
            Unclosed::LongText(at) => {
                Diagnostic::error(Code::UnclosedString, self.anchor.span(at, at + 3), "this string has no closing quotes")
                    .label("the string starts here")
                    .help("close it with '''")
            }
        })
    }

    /// Reads a formula of B in braces.
    fn braced(&mut self, what: &str, read: fn(&Anchor, &str, Range<usize>) -> Parsed<Expr>) -> Read<Expr> {
        if !self.scanner.sees("{") {
            return Err(self.expected("{").help(format!("{what} stands in braces: {{…}}")));
        }
        let start = self.scanner.at();
        let range = self.bracketed()?;
        if self.is_blank(&range) {
            let title = format!("{what} is missing between these braces");
            return Err(Diagnostic::error(Code::UnexpectedToken, self.span_from(start), title).help("true and false stand without braces"));
        }
        // The cursor is behind the bracket already, so the errors of B inside do not stop the reading of the temporal formula around.
        let parsed = read(self.anchor, self.scanner.text(), range);
        self.diagnostics.extend(parsed.diagnostics);
        Ok(parsed.tree)
    }

    pub(super) fn is_blank(&mut self, range: &Range<usize>) -> bool {
        self.scanner.trimmed(range.clone()).is_empty()
    }

    /// `{p}`
    pub(super) fn predicate(&mut self) -> Read<Expr> {
        self.braced("a predicate", |anchor, text, range| with_tokens_at(anchor, text, range, |input| whole(input, predicate, no_expr)))
    }

    /// `({p})`, `({e})` behind a word.
    fn argument(&mut self, word: &str, is_predicate: bool) -> Read<Box<Expr>> {
        let opener = self.start();
        let form = if is_predicate { "x > x$0" } else { "e" };
        if !self.scanner.take("(") || !self.scanner.sees("{") {
            return Err(self.expected("({").help(format!("write {word}({{{form}}})")));
        }
        let expr = if is_predicate { self.predicate()? } else { self.braced("an expression", parse_expression)? };
        self.close(opener)?;
        Ok(Box::new(expr))
    }

    /// A proposition that begins with a word; the cursor is after the word.
    pub(super) fn proposition(&mut self, word: PropositionWord, spelling: &'static str) -> Read<TemporalKind> {
        Ok(TemporalKind::Proposition(match word {
            PropositionWord::Constant(value) => return Ok(TemporalKind::Constant(value)),
            PropositionWord::Word(word) => match word {
                // In CTL `deadlock` takes no operations: the parenthesis belongs to whatever follows.
                StateWord::Deadlock if self.logic == Logic::Ltl && self.scanner.sees("(") => {
                    Proposition::Counted(Counting::None, self.patterns(spelling)?)
                }
                _ => Proposition::Word(word),
            },
            PropositionWord::Counted(counting) => Proposition::Counted(counting, self.patterns(spelling)?),
            PropositionWord::Enabled => {
                // `e` may be the first letter of a name.
                if self.scanner.word_start() < self.scanner.at() {
                    return Err(self.no_operand());
                }
                if !self.scanner.sees("(") {
                    return Err(self.expected("(").help(format!("write {spelling}(op) with the name of an operation")));
                }
                Proposition::Enabled(self.pattern()?)
            }
            PropositionWord::Compared(trend) => Proposition::Compared(trend, self.argument(spelling, false)?),
            PropositionWord::BeforeAfter => Proposition::BeforeAfter(self.argument(spelling, true)?),
        }))
    }

    /// `{p}`, `[op]`; `None` if neither is next.
    pub(super) fn in_brackets(&mut self) -> Read<Option<Temporal>> {
        let start = self.start();
        let found = if self.scanner.sees("{") {
            Proposition::Predicate(Box::new(self.predicate()?))
        } else if self.scanner.sees("[") {
            Proposition::Taken(self.pattern()?)
        } else {
            return Ok(None);
        };
        Ok(Some(Temporal { kind: TemporalKind::Proposition(found), span: self.span_from(start) }))
    }

    /// The name that a quantifier binds.
    pub(super) fn bound_name(&mut self) -> Read<Name> {
        let start = self.start();
        let Some(text) = self.scanner.name() else { return Err(self.expected("a name")) };
        let span = self.span_from(start);
        if keyword(text).is_some() {
            return Err(Diagnostic::error(Code::KeywordAsName, span, format!("{text} is a keyword of B")).help("choose another name"));
        }
        Ok(Name { text: text.to_owned(), span })
    }

    /// The error that nothing here begins a formula.
    pub(super) fn no_operand(&mut self) -> Diagnostic {
        let range = self.whole_piece();
        let piece = &self.scanner.text()[range];
        let is_name = piece.starts_with(bcheck_source::is_name_part);
        let diagnostic = self.expected("a formula");
        if let Some(word) = self.word_in_other_case() {
            return diagnostic.help(format!("the word is written {word}"));
        }
        match piece {
            _ if is_name => diagnostic.help(format!("predicates stand in braces, {{{piece} = 1}}, operations in brackets, [{piece}]")),
            _ => {
                let always = if self.logic == Logic::Ltl { "G" } else { "AG" };
                diagnostic.help(format!("a formula begins with {{p}}, [op], e(op), a parenthesis or an operator such as {always}"))
            }
        }
    }
}

pub(super) fn parse_expression(anchor: &Anchor, text: &str, range: Range<usize>) -> Parsed<Expr> {
    with_tokens_at(anchor, text, range, |input| whole(input, expression, no_expr))
}

/// Words that begin a proposition.
#[derive(Clone, Copy, Debug)]
pub(super) enum PropositionWord {
    Constant(bool),
    Word(StateWord),
    Counted(Counting),
    Enabled,
    Compared(Trend),
    BeforeAfter,
}
