//! The clause DEFINITIONS: where each definition ends, and what its right-hand side is.
//!
//! Invariant: a definition ends where the next one's header begins, so a body may contain `;`. A body is read as a formula where that
//! is possible, else as a list, else as a substitution. Deliberately elsewhere: expansion (`sema`); a formula or list that can be a
//! substitution as well (`ast`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{Definition, DefinitionBody, Expr, Name};
use super::expression::{Sort, formula, formula_to_its_end, sort};
use super::input::{Input, Problem, dotted_name, problem, sign};
use super::operation::{call_length, parameters};
use super::substitution::sequence;
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::{Code, Diagnostic};

/// All definitions of a clause; problems are reported.
pub(super) fn definitions(input: Input<'_>) -> Vec<Definition> {
    let mut definitions = Vec::new();
    let mut rest = input;
    // The end of the definition whose body was cut by a `;`, found only once.
    let mut known = 0;
    while !rest.is_empty() {
        if rest.is(Terminal::Semicolon) {
            rest = rest.advance(1);
            continue;
        }
        // The end is found before the body is read: whatever is wrong in a body, the next definition begins where it begins. Behind a `;`
        // in a body it is known already.
        let mut end = if known > rest.at() { known } else { end_of_definition(rest) };
        known = end;
        let mark = rest.context().mark();
        match definition(rest.part(rest.at(), end)) {
            Ok(definition) => definitions.push(definition),
            Err(problem) => {
                let is_final = problem.is_final();
                let stopped = rest.part(problem.at, end);
                if stopped.is(Terminal::Semicolon) && is_damaged_header(stopped.advance(1)) {
                    // The body ends here: the unexpected tokens are the header of the next definition, which is parsed for its own errors.
                    rest.context().take_since(mark);
                    end = stopped.at();
                    match definition(rest.part(rest.at(), end)) {
                        Ok(definition) => definitions.push(definition),
                        Err(problem) => rest.context().report_problem(problem),
                    }
                } else {
                    rest.context().report_problem(problem);
                }
                // The rest was not read because of the nesting limit, not because of a fault in it: more messages would be wrong.
                if is_final {
                    return definitions;
                }
            }
        }
        rest = rest.part(end, rest.end());
        if !rest.is_empty() && !rest.is(Terminal::Semicolon) {
            rest.context().report(
                Diagnostic::error(Code::MissingSemicolon, rest.previous_span().after(), "two definitions without a `;` between them")
                    .label("a ; is missing here")
                    .also(rest.span(), "the next definition starts here")
                    .fix(match rest.previous() {
                        Some(Token::Terminal(Terminal::Comma)) => rest.part(rest.at() - 1, rest.end()).written(1, ";"),
                        _ => rest.inserted(";"),
                    }),
            );
        }
    }
    definitions
}

/// Whether a definition starts here: `name ==`, `name(p, q) ==` or a file name behind a `;`.
fn starts_definition(input: Input<'_>, behind_semicolon: bool) -> bool {
    match input.peek() {
        Some(Token::Name(..)) => call_length(input).is_some_and(|length| input.terminal_at(length) == Some(Terminal::DefinedAs)),
        // A string alone between two semicolons is the name of a file; anywhere else it is a value in a body.
        Some(Token::Text(_)) => behind_semicolon && input.peek_at(1).is_none_or(|next| *next == Token::Terminal(Terminal::Semicolon)),
        Some(Token::Terminal(Terminal::Less)) => behind_semicolon && angled(input).is_some(),
        _ => false,
    }
}

/// The name of a file between `<` and `>`, as in C, and how many tokens it has with these.
fn angled(input: Input<'_>) -> Option<(String, usize)> {
    if !input.is(Terminal::Less) {
        return None;
    }
    let mut name = String::new();
    for at in 1.. {
        match input.peek_at(at)? {
            Token::Name(text, _) => name.push_str(text),
            Token::Integer(digits) => name.push_str(digits),
            Token::Terminal(Terminal::Dot) => name.push('.'),
            Token::Terminal(Terminal::Divide) => name.push('/'),
            Token::Terminal(Terminal::Minus) => name.push('-'),
            Token::Terminal(Terminal::Greater) if !name.is_empty() => {
                let is_last = input.peek_at(at + 1).is_none_or(|next| *next == Token::Terminal(Terminal::Semicolon));
                return is_last.then_some((name, at + 1));
            }
            _ => return None,
        }
    }
    None
}

/// Whether a definition seems to start here whose `==` is another sign.
fn is_damaged_header(input: Input<'_>) -> bool {
    let sign = call_length(input).and_then(|length| input.terminal_at(length));
    matches!(sign, Some(Terminal::Equal | Terminal::Colon | Terminal::Assign))
}

/// The index of the `;` before the next definition, or of the next definition where the `;` is missing, or of the end.
fn end_of_definition(input: Input<'_>) -> usize {
    // The first token belongs to this definition whatever it is, so the caller advances by at least one token. The time is not quadratic:
    // the lookahead of `starts_definition` covers a list of names between parentheses, and none of these names has a parenthesis after it.
    let mut rest = input.advance(1);
    while !rest.is_empty() {
        if rest.is(Terminal::Semicolon) {
            let after = rest.advance(1);
            if after.is_empty() || after.is(Terminal::Semicolon) || starts_definition(after, true) {
                return rest.at();
            }
        } else if starts_definition(rest, false) {
            return rest.at();
        }
        rest = rest.advance(1);
    }
    rest.at()
}

fn definition(input: Input<'_>) -> Result<Definition, Problem> {
    if let Some(Token::Text(text)) = input.peek() {
        let file = Name { text: text.clone().into_owned(), span: input.span() };
        let rest = input.advance(1);
        if !rest.is_empty() {
            // After a `;`, what follows is not part of a definition.
            if rest.is(Terminal::Semicolon) {
                return Err(problem(rest.advance(1).expected_failure("a definition, or the name of a file between quotes")));
            }
            return Err(problem(rest.expected_failure("`;` after the name of a file with definitions")));
        }
        return Ok(Definition::Include(file));
    }
    // Reported and read as if it had quotes: without these definitions, each use of them would be an unknown name.
    if let Some((text, length)) = angled(input) {
        let quoted = format!("\"{text}\"");
        let span = input.span().to(input.advance(length - 1).span());
        input.context().report(
            Diagnostic::error(Code::BadDefinition, span, "the name of a file with definitions stands between quotes")
                .label("between < and > here")
                .help(format!("write {quoted}"))
                .fix(input.written(length, &quoted)),
        );
        return Ok(Definition::Include(Name { text, span }));
    }
    let (rest, name) = name(input).map_err(problem)?;
    let (rest, parameters) = parameters(rest, "a definition is replaced by its text").map_err(problem)?;
    // Reported and read as `==`: the body has the same meaning, and dropping the definition would make each use of it an unknown name.
    if rest.is(Terminal::Equal) {
        rest.context().report(
            Diagnostic::error(Code::BadDefinition, rest.span(), "expected `==` in a definition, found `=`")
                .label("write ==")
                .help("a definition has the form name == body or name(parameters) == body")
                .fix(rest.written(1, "==")),
        );
    } else if !rest.is(Terminal::DefinedAs) {
        let diagnostic =
            Diagnostic::error(Code::BadDefinition, rest.found_span(), format!("expected `==` in a definition, found {}", rest.found()))
                .label("expected ==")
                .help("a definition has the form name == body or name(parameters) == body")
                .fixes(matches!(rest.terminal(), Some(Terminal::Colon | Terminal::Assign)).then(|| rest.written(1, "==")));
        return Err(problem(rest.failure(diagnostic)));
    }
    let body = body(rest.advance(1))?;
    Ok(Definition::Macro { name, parameters, body })
}

fn name(input: Input<'_>) -> Result<(Input<'_>, Name), nom::Err<Problem>> {
    match input.peek() {
        // A dot would make the call of the definition read as a name inside another machine.
        Some(Token::Name(text, style)) if *style == NameStyle::Dotted || text.contains('.') => {
            Err(input.failure(Diagnostic::error(Code::BadIdentifier, input.span(), format!("the name of a definition has no dot: {text}"))))
        }
        _ => dotted_name("the name of a definition")(input),
    }
}

/// Parses a right-hand side by the first grammar that fits; if none does, reports the problem of the one that got furthest.
fn body(input: Input<'_>) -> Result<DefinitionBody, Problem> {
    if input.is_empty() {
        let diagnostic = Diagnostic::error(Code::BadDefinition, input.previous_span(), "this definition has no right-hand side");
        return Err(problem(input.failure(diagnostic)));
    }
    let context = input.context();
    // Two readings of the same tokens. The formulas come first: a bare name or call is read as one, since only `sema` knows whether it
    // names an operation. IF and LET around bare calls, and `x :(Q)` with a bare call for Q, are formulas too; where such a definition is
    // used as a substitution, `DefinitionBody::substitution` reads it so.
    // Each reading takes its reports with it, so that only those of the chosen one remain.
    let mark = context.mark();
    let mut as_list = whole(input, |input| separated_list1(sign(Terminal::Comma), cut(formula)).parse(input));
    let list_reports = context.take_since(mark);
    match as_list {
        // `a, b : S`: no list has predicates among its items, nor is this `x, y :(Q)`.
        Ok(list) if list.len() > 1 && list.iter().any(|item| sort(item) == Sort::Predicate) => {
            let is_substitution = DefinitionBody::List(list.clone()).substitution().is_some() || !list_reports.is_empty();
            if let Some(pred) = (!is_substitution).then(|| whole(input, formula_to_its_end).ok()).flatten()
                && context.mark() == mark
            {
                return Ok(DefinitionBody::Expr(pred));
            }
            context.take_since(mark);
            if list_reports.is_empty() {
                return Ok(list_body(list));
            }
            as_list = Ok(list);
        }
        Ok(list) if list_reports.is_empty() => return Ok(list_body(list)),
        // A text that is nested too deeply is so in every reading.
        Err(problem) if problem.is_final() => return Err(problem),
        _ => {}
    }
    let as_subst = whole(input, sequence);
    // `x :(P)` is a formula of mixed sorts, but a substitution without fault.
    match (as_subst, as_list) {
        // The reports of the substitution are still in the context here; the last case takes them back.
        (Ok(subst), Err(_)) => Ok(DefinitionBody::Subst(subst)),
        (Ok(subst), Ok(_)) if context.mark() == mark => Ok(DefinitionBody::Subst(subst)),
        // The reading that got further is what was meant.
        (Err(subst_problem), Err(list_problem)) if subst_problem.at > list_problem.at || looks_like_substitution(input) => {
            Err(subst_problem)
        }
        (_, as_list) => {
            context.take_since(mark);
            list_reports.into_iter().for_each(|report| context.report(report));
            as_list.map(list_body)
        }
    }
}

/// A single formula is a list of one, even if it denotes an operation call.
fn list_body(mut list: Vec<Expr>) -> DefinitionBody {
    match list.pop() {
        Some(only) if list.is_empty() => DefinitionBody::Expr(only),
        last => {
            list.extend(last);
            // Items are elements, arguments or bound names: none is a conjunct, and passes look for names.
            DefinitionBody::List(list.into_iter().map(Expr::without_label).collect())
        }
    }
}

fn looks_like_substitution(input: Input<'_>) -> bool {
    input
        .terminal()
        // IF and LET begin formulas, too.
        .is_some_and(|terminal| terminal == Terminal::Skip || (terminal.opens_block() && !matches!(terminal, Terminal::If | Terminal::Let)))
}

/// Runs a parser that must read everything.
fn whole<'a, T>(input: Input<'a>, parser: impl FnOnce(Input<'a>) -> super::input::Res<'a, T>) -> Result<T, Problem> {
    let (rest, tree) = parser(input).map_err(problem)?;
    if rest.is_empty() {
        return Ok(tree);
    }
    Err(problem(rest.failure(rest.leftover("`;` and the next definition"))))
}
