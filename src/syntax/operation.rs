//! The clause OPERATIONS: headers, bodies, and the semicolons between them.
//!
//! Invariant: a problem inside one operation never hides the next one: reading resumes at the next header. Deliberately elsewhere:
//! bodies (`substitution`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{Name, Operation, Subst, SubstKind};
use super::habit::declares;
use super::input::{Input, Res, SURPLUS_END, close, dotted_name, plain_name, problem, sign};
use super::substitution::{parallel, sequence};
use super::token::{Terminal, Token};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span};

/// All operations of a clause; problems are reported.
pub(super) fn operations(input: Input<'_>) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut rest = input;
    while !rest.is_empty() {
        rest = match operation(rest) {
            Ok((after, operation)) => {
                let body = operation.body.span;
                operations.push(operation);
                separator(after, body)
            }
            Err(error) => {
                let problem = problem(error);
                let is_final = problem.is_final();
                // Starting where parsing stopped: headers before that were inside the parsed part.
                let stopped = rest.part(problem.at, rest.end());
                rest.context().report_problem(problem);
                // An operation with a readable header is returned with an `Error` body, so that its name is known. The header is skipped:
                // the search for the next one must not find it again.
                if let Some((start, operation)) = unreadable(rest) {
                    operations.push(operation);
                    rest = start;
                }
                if is_final {
                    return operations;
                }
                next_header(stopped, rest.at())
            }
        };
    }
    operations
}

/// Skips the `;` behind an operation, whose body is `body`, and reports a missing or a superfluous one.
fn separator<'a>(input: Input<'a>, body: Span) -> Input<'a> {
    if input.is_empty() {
        return input;
    }
    if !input.is(Terminal::Semicolon) {
        // The next operation follows at once: only the `;` is missing, and nothing needs to be skipped.
        if is_header(input) {
            let place = input.previous_span().after();
            input.context().report(
                Diagnostic::error(Code::MissingSemicolon, place, "two operations without a `;` between them")
                    .label("a ; is missing here")
                    .also(input.span(), "the next operation starts here")
                    .fix(input.inserted(";")),
            );
            return input;
        }
        let mut diagnostic = input.expected("`;` or the end of the clause after an operation");
        if input.is(Terminal::Assign) {
            diagnostic = diagnostic.help("each variable is assigned by itself: x := E || y := E, or x, y := E, F");
        }
        if input.is(Terminal::Comma) {
            diagnostic = diagnostic.help("operations are separated by ;").fix(input.written(1, ";"));
        }
        if input.is(Terminal::End) {
            diagnostic = diagnostic.help(format!("{SURPLUS_END}: remove it, or look for a BEGIN, PRE, … that is missing"));
            diagnostic = diagnostic.fix(input.removed());
        }
        input.context().report(diagnostic);
        return next_header(input, input.at());
    }
    let after = input.advance(1);
    if after.is_empty() || after.is(Terminal::Semicolon) {
        input.context().report(
            Diagnostic::error(Code::StraySemicolon, input.span(), "no operation follows this `;`")
                .label("remove this ;")
                .help("a ; separates two operations; there is none behind the last one")
                .fix(input.removed()),
        );
        // Behind the stray `;`: only a header can follow.
        return next_header(after, after.at());
    }
    // A name that begins no header is probably the second part of a sequence. A keyword or sign is left to `header`, which reports it.
    if !is_header(after) && !matches!(after.peek(), Some(Token::Terminal(_))) {
        input.context().report(
            after
                .expected("an operation after `;`")
                .help("the body of an operation is one substitution: put a sequence S ; T between BEGIN and END")
                .fixes(block_around(body, after)),
        );
        return next_header(after, after.at());
    }
    after
}

/// BEGIN and END around a body and the rest of its sequence, which begins at `input`.
fn block_around(body: Span, input: Input<'_>) -> Option<Fix> {
    let mark = input.context().mark();
    let end = sequence(input).ok().map(|(rest, _)| rest.previous_span());
    // Read for its length only.
    input.context().take_since(mark);
    Some(Fix::new("put BEGIN and END around both", [Edit::before(body, "BEGIN "), Edit::after(end?, " END")]))
}

/// The start of the next operation behind `at`: after a `;`, or where a header follows without one.
fn next_header(input: Input<'_>, at: usize) -> Input<'_> {
    let mut rest = input;
    while !rest.is_empty() {
        let before = if rest.at() > at { rest.part(rest.at() - 1, rest.end()).terminal() } else { None };
        let found = match before {
            // Behind a `;`, a header is enough. Elsewhere `x = e` may be a comparison in the text that could not be read, so the body must
            // also begin with the keyword of a substitution.
            _ if rest.at() <= at => false,
            Some(Terminal::Semicolon) => is_header(rest),
            // Inside a list of names no operation starts; looking anyway would take quadratic time.
            Some(Terminal::Comma) => false,
            _ => is_header_with_body(rest),
        };
        if found {
            return rest;
        }
        rest = rest.advance(1);
    }
    rest
}

/// An operation whose body could not be read, so that its name is known; with the position behind its header.
fn unreadable(input: Input<'_>) -> Option<(Input<'_>, Operation)> {
    let (rest, (results, name, parameters, refines)) = header(input).ok()?;
    let span = input.span().to(rest.previous_span());
    let body = Subst { kind: SubstKind::Error, span: rest.span() };
    Some((rest, Operation { name, results, parameters, refines, body, span }))
}

fn operation(input: Input<'_>) -> Res<'_, Operation> {
    let (rest, (results, name, parameters, refines)) = header(input)?;
    let (rest, body) = parallel(rest)?;
    let span = input.span().to(rest.previous_span());
    Ok((rest, Operation { name, results, parameters, refines, body, span }))
}

type Header = (Vec<Name>, Name, Vec<Name>, Option<Name>);

/// `r, s <-- op(p, q) =`
fn header(input: Input<'_>) -> Res<'_, Header> {
    let (rest, results) = results(input)?;
    let (rest, name) = dotted_name("the name of an operation")(rest)?;
    let (rest, parameters) = parameters(rest, "op(p) = PRE p : S THEN … END says what they range over")?;
    // `ref` is not a keyword: it has a meaning only between the parameters and the `=`.
    let (rest, refines) = match rest.peek() {
        Some(Token::Name("ref", _)) => {
            let (rest, name) = dotted_name("the name of the operation that is refined")(rest.advance(1))?;
            (rest, Some(name))
        }
        _ => (rest, None),
    };
    if rest.is(Terminal::DefinedAs) {
        rest.context().report(
            Diagnostic::error(Code::UnexpectedToken, rest.span(), "expected `=` after the header of an operation, found `==`")
                .label("write =")
                .help("== belongs to DEFINITIONS")
                .fix(rest.written(1, "=")),
        );
        return Ok((rest.advance(1), (results, name, parameters, refines)));
    }
    if !rest.is(Terminal::Equal) {
        return Err(rest.failure(no_header(rest, &name, !results.is_empty())));
    }
    Ok((rest.advance(1), (results, name, parameters, refines)))
}

/// The error for a missing `=` after the header of an operation; `name` was read as its name, after results or not.
fn no_header(input: Input<'_>, name: &Name, has_results: bool) -> Diagnostic {
    let diagnostic = input.expected("`=` after the header of an operation");
    match input.found_token() {
        Some(Token::Name(next, _)) if declares(&name.text) => {
            let without = Fix::new(format!("remove {}", name.text), [Edit::replace(name.span.to(input.span().before()), "")]);
            diagnostic.help(format!("an operation begins with its name: write {next} without {}", name.text)).fix(without)
        }
        Some(Token::Name(next, _)) => diagnostic
            .help(format!("parameters stand in parentheses: {}({next}) = …", name.text))
            .fixes(if input.terminal_at(1) == Some(Terminal::Equal) { input.around_operand(0, "(", ")") } else { None }),
        Some(Token::Terminal(Terminal::Assign | Terminal::Colon))
            if has_results || input.terminal_at(1).is_some_and(|next| next.opens_block() || next == Terminal::Skip) =>
        {
            diagnostic.help("the body of an operation stands behind =").fix(input.written(1, "="))
        }
        Some(Token::Terminal(Terminal::InsertTail | Terminal::Assign)) => {
            diagnostic.help(format!("results stand before <--, as in {} <-- op(p) = …", name.text)).fix(input.written(1, "<--"))
        }
        Some(Token::Terminal(Terminal::OpenBrace)) => {
            diagnostic.help("an operation has the form op(p) = BEGIN S END, without braces").fixes(input.block_of_braces())
        }
        _ => diagnostic,
    }
}

fn results(input: Input<'_>) -> Res<'_, Vec<Name>> {
    // Lookahead: without `<--` behind them, these names are not results; the first is the name of the operation.
    let arrow = names_then(input, 0);
    if input.terminal_at(arrow) != Some(Terminal::Results) {
        return Ok((input, Vec::new()));
    }
    let (rest, names) = names(input)?;
    Ok((rest.advance(1), names))
}

/// A required list of names separated by commas.
fn names(input: Input<'_>) -> Res<'_, Vec<Name>> {
    separated_list1(sign(Terminal::Comma), cut(plain_name("a name"))).parse(input)
}

/// `(p, q)`, if it is there; `typing` is where their types are stated.
pub(super) fn parameters<'a>(input: Input<'a>, typing: &str) -> Res<'a, Vec<Name>> {
    if !input.is(Terminal::OpenParen) {
        return Ok((input, Vec::new()));
    }
    let inside = input.advance(1);
    if inside.is(Terminal::CloseParen) {
        // Nothing is lost: reported, and parsed as if the parentheses were absent.
        input.context().report(
            Diagnostic::error(Code::UnexpectedToken, input.span().to(inside.span()), "expected a name between the parentheses")
                .label("remove them")
                .help("what has no parameters has no parentheses either, where it is declared and where it is used")
                .fix(Fix::new("remove the parentheses", [Edit::delete(input.span().to(inside.span()))])),
        );
        return Ok((inside.advance(1), Vec::new()));
    }
    let (rest, parameters) = names(inside)?;
    // `op(p : S)`, `op(int p)`
    if matches!(rest.peek(), Some(Token::Name(..) | Token::Terminal(Terminal::Colon))) {
        let diagnostic = rest.expected("`,` or `)` behind the name of a parameter");
        let help = format!("parameters have no types here: {typing}");
        return Err(rest.failure(Diagnostic { help: vec![help], fixes: Vec::new(), ..diagnostic }));
    }
    let (rest, _) = close(Terminal::CloseParen, input.span(), "parenthesis")(rest)?;
    Ok((rest, parameters))
}

/// The distance to the end of the list of names that starts `at` tokens ahead; `at` itself if there is none.
fn names_then(input: Input<'_>, mut at: usize) -> usize {
    while matches!(input.peek_at(at), Some(Token::Name(..))) {
        at += 1;
        if input.terminal_at(at) != Some(Terminal::Comma) {
            break;
        }
        at += 1;
    }
    at
}

/// The number of tokens of `name` or `name(p, q)`, if one of them follows.
pub(super) fn call_length(input: Input<'_>) -> Option<usize> {
    if !matches!(input.peek(), Some(Token::Name(..))) {
        return None;
    }
    if input.terminal_at(1) != Some(Terminal::OpenParen) {
        return Some(1);
    }
    // Only names between the parentheses: `op(1) = …` is a comparison, not a header.
    let closing = names_then(input, 2);
    (closing > 2 && input.terminal_at(closing) == Some(Terminal::CloseParen)).then_some(closing + 1)
}

/// The number of tokens of the header that follows, its `=` included.
fn header_length(input: Input<'_>) -> Option<usize> {
    let arrow = names_then(input, 0);
    let results = if arrow > 0 && input.terminal_at(arrow) == Some(Terminal::Results) { arrow + 1 } else { 0 };
    let mut at = results + call_length(input.advance(results))?;
    if matches!(input.peek_at(at), Some(Token::Name("ref", _))) && matches!(input.peek_at(at + 1), Some(Token::Name(..))) {
        at += 2;
    }
    (input.terminal_at(at) == Some(Terminal::Equal)).then_some(at + 1)
}

/// Whether an operation seems to start here.
fn is_header(input: Input<'_>) -> bool {
    header_length(input).is_some()
}

/// Whether an operation certainly starts here: a header and the keyword of a substitution, or an assignment to a variable.
pub(super) fn is_header_with_body(input: Input<'_>) -> bool {
    header_length(input).is_some_and(|length| match input.peek_at(length) {
        // IF, LET may also start an expression on the right of a comparison.
        Some(Token::Terminal(terminal)) => {
            *terminal == Terminal::Skip || (terminal.opens_block() && !matches!(terminal, Terminal::If | Terminal::Let))
        }
        Some(Token::Name(..)) => matches!(input.terminal_at(length + 1), Some(Terminal::Assign | Terminal::BecomesIn)),
        _ => false,
    })
}
