//! The parser's cursor over the tokens, its errors, and the smallest parsers; an input for nom.
//!
//! Invariant: a parser fails with the one [`Problem`] that stopped it (`Failure` when the construct was certain, `Error` when another
//! reading may fit); what can be repaired on the spot is reported to the [`Context`] and parsing goes on. Deliberately elsewhere: where
//! parsing resumes after a problem (`machine`).

use std::cell::{Cell, RefCell};

use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Needed};

use super::ast::Name;
use super::keyword::form;
use super::meant::ELSIF;
use super::token::{Lexeme, NameStyle, Pragma, Terminal, Token, keyword};
use bcheck_source::{Code, Diagnostic, Span};

/// Constructs nested deeper than this are refused: parser and all later passes recurse once for each level.
pub(super) const MAX_DEPTH: u32 = 4_000;

/// The beginning of the help about an END that closes no construct.
pub(super) const SURPLUS_END: &str = "this END closes nothing";

/// The help where an operand follows a complete formula.
pub(super) const OPERATOR_MISSING: &str = "is an operator such as & or a ; missing before it?";

/// Operators that each chain `a & b & c …` has free. A chain nests too, to the left, but the parser builds it in a loop, without recursion.
const FREE_CHAIN: u32 = 100;

/// Operators beyond [`FREE_CHAIN`] that all chains of a text share, because later passes may recurse along a chain.
const MAX_CHAINED: u32 = 200_000;

/// The state that all parsers of one text share: diagnostics, and counters against trees that are too deep.
#[derive(Debug)]
pub(super) struct Context {
    diagnostics: RefCell<Vec<Diagnostic>>,
    depth: Cell<u32>,
    chained: Cell<u32>,
    /// The empty span at the end of the text.
    end_of_text: Span,
}

impl Context {
    /// A context for a text that ends at `end_of_text`.
    pub(crate) fn new(end_of_text: Span) -> Self {
        Self { diagnostics: RefCell::default(), depth: Cell::new(0), chained: Cell::new(0), end_of_text }
    }

    /// Reports a diagnostic and lets parsing continue.
    pub(super) fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Reports what stopped a parser. Text behind an unclosed bracket was never meant to be inside it, so complaints about sorts there are
    /// withdrawn.
    pub(super) fn report_problem(&self, problem: Problem) {
        if problem.diagnostic.code == Code::UnclosedBracket
            // `close` puts the place of the opening bracket into the second label.
            && let Some(opener) = problem.diagnostic.labels.get(1)
        {
            // An unclosed bracket makes its content run on into what follows, and errors about sorts there are consequences. Only those
            // after the bracket: others are independent.
            let of_sorts = |code| matches!(code, Code::ExpectedPredicate | Code::ExpectedExpression);
            let mut diagnostics = self.diagnostics.borrow_mut();
            // Texts are read forwards, and a construct that begins before the bracket and ends after it is not complete: before the last
            // report about a place in front of the bracket there is none about sorts behind it. So the time is linear, however many
            // brackets are open.
            let first = diagnostics.iter().rposition(|found| found.span().start < opener.span.start).map_or(0, |last| last + 1);
            let behind = diagnostics.split_off(first);
            diagnostics.extend(behind.into_iter().filter(|found| !of_sorts(found.code)));
        }
        self.report(*problem.diagnostic);
    }

    /// The number of diagnostics so far, for [`Context::take_since`].
    pub(super) fn mark(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// Withdraws the reports since a mark, when a reading is given up.
    pub(super) fn take_since(&self, mark: usize) -> Vec<Diagnostic> {
        self.diagnostics.borrow_mut().split_off(mark)
    }

    /// All diagnostics.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.into_inner()
    }
}

/// The error that stopped a parser.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The index of the token where the parser stopped; of two readings, the error of the one that got further is reported.
    pub(super) at: usize,
    /// The message for the user.
    pub(super) diagnostic: Box<Diagnostic>,
}

impl Problem {
    /// Whether nothing after this problem is read: resuming inside a text that is nested too deeply would fail again at every level.
    pub(super) fn is_final(&self) -> bool {
        self.diagnostic.code == Code::TooDeep
    }
}

/// The problem inside a nom error. All input is there from the start, so nothing is ever incomplete.
pub(super) fn problem(error: nom::Err<Problem>) -> Problem {
    match error {
        nom::Err::Error(problem) | nom::Err::Failure(problem) => problem,
        // Streaming parsers are not used; the match must be exhaustive.
        nom::Err::Incomplete(_) => {
            Problem { at: 0, diagnostic: Box::new(Diagnostic::error(Code::UnexpectedToken, Span::nowhere(), "the text is incomplete")) }
        }
    }
}

/// The result of every parser.
pub(super) type Res<'a, T> = IResult<Input<'a>, T, Problem>;

/// A position in the tokens, with the end of the part that may be read. Invariant: `at <= end <= lexemes.len()`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    lexemes: &'a [Lexeme<'a>],
    at: usize,
    end: usize,
    context: &'a Context,
}

impl<'a> Input<'a> {
    /// All tokens.
    pub(crate) fn new(lexemes: &'a [Lexeme<'a>], context: &'a Context) -> Self {
        Self { lexemes, at: 0, end: lexemes.len(), context }
    }

    /// The shared state.
    pub(super) fn context(self) -> &'a Context {
        self.context
    }

    /// The index of the next token.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// The index after the last token of this part.
    pub(super) fn end(self) -> usize {
        self.end
    }

    /// The tokens from `from` to `to`, both indices into the whole text: the part may begin before this one, or end after it.
    pub(super) fn part(self, from: usize, to: usize) -> Self {
        let end = to.min(self.lexemes.len());
        // Clamped, not asserted: callers compute places one behind a token, which at the end of a damaged text is behind the last one.
        Self { at: from.min(end), end, ..self }
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(self) -> bool {
        self.at >= self.end
    }

    /// Without the first `count` tokens.
    pub(super) fn advance(self, count: usize) -> Self {
        Self { at: (self.at + count).min(self.end), ..self }
    }

    /// The first position whose token satisfies a condition, or the end.
    pub(super) fn skip_to(mut self, condition: impl Fn(Terminal) -> bool) -> Self {
        while !self.is_empty() && !self.terminal().is_some_and(&condition) {
            self.at += 1;
        }
        self
    }

    /// The comma before this place, between two others.
    pub(super) fn comma_between(self, before: Span, behind: Span) -> Option<Self> {
        let commas = (0..self.at).rev().map(|at| self.part(at, self.end)).take_while(|place| place.span().start >= before.end);
        commas.filter(|place| place.is(Terminal::Comma) && place.span().end <= behind.start).last()
    }

    /// The token `ahead` places further on, inside this part.
    pub(super) fn peek_at(self, ahead: usize) -> Option<&'a Token<'a>> {
        // The slice ends with the part, so that lookahead never sees the next clause.
        self.lexemes[..self.end].get(self.at + ahead).map(|lexeme| &lexeme.token)
    }

    /// The next token.
    pub(super) fn peek(self) -> Option<&'a Token<'a>> {
        self.peek_at(0)
    }

    /// The fixed token `ahead` places further on, if it is one.
    pub(super) fn terminal_at(self, ahead: usize) -> Option<Terminal> {
        match self.peek_at(ahead) {
            Some(Token::Terminal(terminal)) => Some(*terminal),
            _ => None,
        }
    }

    /// The next token if it is a fixed one.
    pub(super) fn terminal(self) -> Option<Terminal> {
        self.terminal_at(0)
    }

    /// Whether the next token is this one.
    pub(super) fn is(self, terminal: Terminal) -> bool {
        self.terminal() == Some(terminal)
    }

    /// The place of the next token; at the end of the part, the place where something missing was expected.
    pub(super) fn span(self) -> Span {
        if self.is_empty() { self.previous_span().after() } else { self.lexemes[self.at].span }
    }

    /// The place of the token before.
    pub(super) fn previous_span(self) -> Span {
        // The token before may belong to the clause before: a missing token is shown behind it, not at the start of the next line.
        match self.at.checked_sub(1).and_then(|before| self.lexemes.get(before)) {
            Some(lexeme) => lexeme.span,
            None => Span { end: 0, start: 0, ..self.context.end_of_text },
        }
    }

    /// The pragmas before the next token, also when that lies behind this part.
    pub(super) fn pragmas(self) -> &'a [(Pragma<'a>, Span)] {
        self.lexemes.get(self.at).map_or(&[], |lexeme| &lexeme.pragmas)
    }

    /// The token here, for messages; the token after this part where the part has ended.
    pub(super) fn found(self) -> String {
        match self.lexemes.get(self.at) {
            Some(lexeme) => lexeme.token.describe(),
            None => "the end of the text".to_owned(),
        }
    }

    /// The token before, which may belong to the clause before.
    pub(super) fn previous(self) -> Option<&'a Token<'a>> {
        self.at.checked_sub(1).and_then(|before| self.lexemes.get(before)).map(|lexeme| &lexeme.token)
    }

    /// The token that [`Input::found`] names: the next one, even if it lies after this part.
    pub(super) fn found_token(self) -> Option<&'a Token<'a>> {
        self.lexemes.get(self.at).map(|lexeme| &lexeme.token)
    }

    /// The place of what [`Input::found`] names.
    pub(super) fn found_span(self) -> Span {
        self.lexemes.get(self.at).map_or(self.context.end_of_text, |lexeme| lexeme.span)
    }

    /// A certain error here.
    pub(super) fn failure(self, diagnostic: Diagnostic) -> nom::Err<Problem> {
        nom::Err::Failure(Problem { at: self.at, diagnostic: Box::new(diagnostic) })
    }
}

impl<'a> nom::Input for Input<'a> {
    type Item = &'a Lexeme<'a>;
    type Iter = std::slice::Iter<'a, Lexeme<'a>>;
    type IterIndices = std::iter::Enumerate<std::slice::Iter<'a, Lexeme<'a>>>;

    fn input_len(&self) -> usize {
        self.end - self.at
    }

    fn take(&self, index: usize) -> Self {
        Self { end: (self.at + index).min(self.end), ..*self }
    }

    fn take_from(&self, index: usize) -> Self {
        self.advance(index)
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P>(&self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool,
    {
        self.iter_elements().position(predicate)
    }

    fn iter_elements(&self) -> Self::Iter {
        self.lexemes[self.at..self.end].iter()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    // Never called by the combinators in use; required by nom's trait.
    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        if self.input_len() >= count { Ok(count) } else { Err(Needed::new(count - self.input_len())) }
    }
}

impl<'a> ParseError<Input<'a>> for Problem {
    fn from_error_kind(input: Input<'a>, _kind: ErrorKind) -> Self {
        Problem { at: input.at, diagnostic: Box::new(input.expected("something else")) }
    }

    // The innermost problem is the message; nom's trace of combinators around it means nothing to a user.
    fn append(_input: Input<'a>, _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

/// This fixed token as one of several choices: fails with `Error`, so that nom tries another reading.
pub(super) fn sign<'a>(terminal: Terminal) -> impl Fn(Input<'a>) -> Res<'a, Span> + Clone {
    move |input| {
        if input.is(terminal) {
            Ok((input.advance(1), input.span()))
        } else {
            Err(nom::Err::Error(Problem { at: input.at, diagnostic: Box::new(input.expected(&format!("`{}`", terminal.text()))) }))
        }
    }
}

/// This fixed token, which is required here: fails with `Failure`.
pub(super) fn require<'a>(terminal: Terminal, what: &'static str) -> impl Fn(Input<'a>) -> Res<'a, Span> + Clone {
    move |input| if input.is(terminal) { Ok((input.advance(1), input.span())) } else { Err(input.expected_failure(what)) }
}

/// The `END` (or closing bracket) of a construct that began at `opener`.
pub(super) fn close<'a>(terminal: Terminal, opener: Span, construct: &'static str) -> impl Fn(Input<'a>) -> Res<'a, Span> + Clone {
    move |input| {
        if input.is(terminal) {
            return Ok((input.advance(1), input.span()));
        }
        let closer = terminal.text();
        let found = input.lexemes.get(input.at).map(|lexeme| &lexeme.token);
        // Two different mistakes end here. A token that can only continue the content (an operator of another context, another operand)
        // means that the content is wrong at this place; anything else, such as THEN or the next clause, means that the closing token is
        // missing.
        let joins = match found {
            Some(Token::Terminal(Terminal::Semicolon | Terminal::Parallel | Terminal::Comma)) => terminal != Terminal::End,
            Some(Token::Terminal(Terminal::Assign | Terminal::Lambda | Terminal::Bar)) => true,
            Some(token) => token.starts_operand(),
            None => false,
        };
        // `found` also looks behind the end of the part; a token there belongs to something else.
        if joins && !input.is_empty() {
            let diagnostic = input.leftover(closer).also(opener, format!("{construct} opened here"));
            let assigns = matches!(input.peek_at(1), Some(Token::Terminal(Terminal::Assign | Terminal::BecomesIn)));
            let signs: &[&str] = match terminal {
                _ if diagnostic.help.iter().all(|help| help != OPERATOR_MISSING) || !matches!(found, Some(Token::Name(..))) => &[],
                Terminal::CloseBrace | Terminal::CloseBracket => &[","],
                Terminal::End if assigns => &[";", " ||"],
                _ => &[],
            };
            return Err(input.failure(diagnostic.fixes(signs.iter().map(|sign| input.inserted(sign)))));
        }
        let code = if terminal == Terminal::End { Code::MissingEnd } else { Code::UnclosedBracket };
        let diagnostic =
            Diagnostic::error(code, input.found_span(), format!("expected {closer} to close {construct}, found {}", input.found()))
                .label(format!("expected {closer}"))
                .also(opener, format!("{construct} opened here"));
        let branch = matches!(found, Some(Token::Terminal(keyword)) if keyword.separates_branches());
        Err(input.failure(match keyword(construct).filter(|_| branch) {
            // The keyword begins a branch of another construct.
            Some(keyword) => diagnostic.help(format!("the form is {}", form(keyword))).fixes(input.branch_of(keyword)),
            None => {
                let inner = input.inner_construct(opener).filter(|_| terminal == Terminal::End);
                let closed = inner.map(|(end, word, _)| (end, format!("this END closes the {word} inside")));
                let opened = inner.map(|(_, word, place)| (place, format!("the {word} inside")));
                let diagnostic = closed.into_iter().chain(opened).fold(diagnostic, |found, (place, text)| found.also(place, text));
                // An IF behind ELSE is more often meant as ELSIF than left without its END.
                let elsif = inner.and_then(|(_, _, place)| input.elsif_at(place));
                let diagnostic = match elsif {
                    Some(_) => diagnostic.help(ELSIF),
                    None => diagnostic.help(format!("each {construct} needs its own {closer}")),
                };
                diagnostic.fixes(elsif).fix(input.closed_by(terminal))
            }
        }))
    }
}

/// Any name, dotted ones included: fails with `Error`.
pub(super) fn any_name(input: Input<'_>) -> Res<'_, Name> {
    match input.peek() {
        Some(Token::Name(text, _)) => Ok((input.advance(1), Name { text: (*text).to_owned(), span: input.span() })),
        _ => Err(nom::Err::Error(Problem { at: input.at, diagnostic: Box::new(name_expected(input, "a name")) })),
    }
}

/// A required name; dots are allowed.
pub(super) fn dotted_name<'a>(what: &'static str) -> impl Fn(Input<'a>) -> Res<'a, Name> + Clone {
    move |input| match input.peek() {
        Some(Token::Name(..)) => any_name(input),
        _ => Err(input.failure(name_expected(input, what))),
    }
}

/// A required name without a dot.
pub(super) fn plain_name<'a>(what: &'static str) -> impl Fn(Input<'a>) -> Res<'a, Name> + Clone {
    move |input| match input.peek() {
        Some(Token::Name(text, NameStyle::Dotted)) => Err(input.failure(
            Diagnostic::error(Code::BadIdentifier, input.span(), format!("a name with a dot cannot be declared here: {text}"))
                .label(format!("expected {what} without a dot")),
        )),
        _ => dotted_name(what)(input),
    }
}

fn name_expected(input: Input<'_>, what: &str) -> Diagnostic {
    match input.terminal() {
        Some(terminal) if terminal.is_word() => {
            let text = terminal.text();
            Diagnostic::error(Code::KeywordAsName, input.span(), format!("expected {what}, but {text} is a keyword of B"))
                .label("a keyword")
                .help(format!("choose another name, or write it between back quotes: `{text}`"))
        }
        _ => input.expected(what),
    }
}

/// Runs a parser one level deeper and refuses what is nested too deeply.
pub(super) fn nested<'a, T>(input: Input<'a>, parser: impl FnOnce(Input<'a>) -> Res<'a, T>) -> Res<'a, T> {
    // Stored in the context, not in the input: a parser returns its input, and the caller would continue at the inner depth.
    let depth = &input.context.depth;
    // A diagnostic instead of an overflow of the stack, which would end the process: stacks of parsing threads are made for this depth.
    if depth.get() >= MAX_DEPTH {
        return Err(input.failure(
            Diagnostic::error(Code::TooDeep, input.found_span(), format!("more than {MAX_DEPTH} constructs are nested here"))
                .help("name parts of the formula in DEFINITIONS"),
        ));
    }
    depth.set(depth.get() + 1);
    let result = parser(input);
    // Also after an error: another reading of the same text starts at the same depth.
    depth.set(depth.get() - 1);
    result
}

/// Counts the operators of one chain and refuses chains that make the tree too deep.
#[derive(Debug, Default)]
pub(super) struct Chain(u32);

impl Chain {
    /// One more operator.
    pub(super) fn grow<'a>(&mut self, input: Input<'a>) -> Result<(), nom::Err<Problem>> {
        self.0 += 1;
        // The many short chains of a large machine cost nothing; only long ones use up the shared budget.
        if self.0 <= FREE_CHAIN {
            return Ok(());
        }
        let chained = &input.context.chained;
        chained.set(chained.get() + 1);
        if chained.get() <= MAX_CHAINED {
            return Ok(());
        }
        Err(input.failure(
            Diagnostic::error(Code::TooDeep, input.found_span(), format!("the formulas chain more than {MAX_CHAINED} operators"))
                .help("split long formulas into several clauses or definitions"),
        ))
    }
}
