//! Whole files: headers, the split into clauses, and each clause.
//!
//! Invariant: the text is cut at clause keywords before anything is read, so a problem in one clause never hides another one.
//! Deliberately elsewhere: DEFINITIONS (`definition`) and OPERATIONS (`operation`), formulas and substitutions.

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{
    BinaryOp, Clause, ClauseKind, Expr, ExprKind, Machine, MachineKind, MachineReference, Name, SetDeclaration, SetDeclarationKind, Subst,
    SubstKind,
};
use super::definition::definitions;
use super::expression::{expressions, predicate};
use super::input::{Input, Problem, Res, close, dotted_name, plain_name, problem, sign};
use super::operation::{names, operations, parameters};
use super::primary::equation;
use super::substitution::sequence;
use super::token::{NameStyle, Pragma, Terminal, Token};
use crate::source::{Code, Diagnostic, Span};

/// One clause as a range of tokens.
#[derive(Clone, Copy, Debug)]
struct ClauseRange {
    keyword: Terminal,
    /// The index of the keyword.
    from: usize,
    /// The index behind the last token.
    to: usize,
}

/// A whole file.
pub(super) fn machine(input: Input<'_>) -> Option<Machine> {
    let context = input.context();
    if input.is_empty() {
        context.report(
            Diagnostic::error(Code::EmptyFile, input.found_span(), "the file holds no machine")
                .help("a machine has the form MACHINE M ... END"),
        );
        return None;
    }
    let start = find(input, Terminal::starts_machine);
    if start.at() != input.at() {
        context.report(
            input.expected("MACHINE, MODEL, SYSTEM, REFINEMENT or IMPLEMENTATION").help("a machine has the form MACHINE M ... END"),
        );
    }
    let kind = match start.terminal()? {
        Terminal::Refinement => MachineKind::Refinement,
        Terminal::Implementation => MachineKind::Implementation,
        _ => MachineKind::Machine,
    };
    let (end, is_balanced) = last_end(start);
    let mark = context.mark();
    let tree = machine_until(start, kind.clone(), end);
    if is_balanced {
        return Some(tree);
    }
    // The last END closes a construct. Either an END is missing further up, or the machine's own.
    let diagnostics = context.take_since(mark);
    let with_end = machine_until(start, kind, end + 1);
    if context.take_since(mark).iter().any(|diagnostic| diagnostic.code == Code::MissingEnd) {
        for diagnostic in diagnostics {
            context.report(diagnostic);
        }
        return Some(tree);
    }
    let behind = start.part(end + 1, start.end());
    context.report(
        Diagnostic::error(Code::MissingEnd, behind.found_span(), "the machine has no END")
            .label("expected END")
            .also(start.span(), "the machine starts here")
            .help("each BEGIN, PRE, IF, … needs its own END, and so does the machine"),
    );
    Some(with_end)
}

/// Reads a machine whose last token stands before `end`.
fn machine_until(start: Input<'_>, kind: MachineKind, end: usize) -> Machine {
    let context = start.context();
    let body = start.part(start.at() + 1, end);
    let ranges = split(body);
    let header_end = ranges.first().map_or(end, |range| range.from);
    let (name, parameters) = match machine_header(body.part(body.at(), header_end)) {
        Ok((rest, header)) => {
            if !rest.is_empty() {
                context.report(unknown_clause(rest));
            }
            header
        }
        Err(error) => {
            context.report(*problem(error).diagnostic);
            (Name { text: String::new(), span: start.span().after() }, Vec::new())
        }
    };
    report_duplicates(body, &ranges);
    report_misplaced_files(body, &ranges);
    let clauses = ranges.iter().filter_map(|range| clause(body, *range)).collect();
    let span = start.span().to(start.part(end, start.end()).advance(1).previous_span());
    Machine { kind, name, parameters, clauses, span }
}

/// The definitions of a file of their own.
pub(super) fn definitions_file(input: Input<'_>) -> Vec<super::ast::Definition> {
    if !input.is(Terminal::Definitions) {
        if !input.is_empty() {
            input.context().report(input.expected("DEFINITIONS").help("a file of definitions starts with the keyword DEFINITIONS"));
        }
        return Vec::new();
    }
    let mut body = input.advance(1);
    if let Some(range) = split(body).first() {
        let stray = body.part(range.from, range.to);
        body.context().report(stray.expected("a definition or the end of the file"));
        body = body.part(body.at(), range.from);
    }
    definitions(body)
}

/// The first position whose token satisfies a condition, or the end.
fn find(input: Input<'_>, condition: impl Fn(Terminal) -> bool) -> Input<'_> {
    let mut rest = input;
    while !rest.is_empty() && !rest.terminal().is_some_and(&condition) {
        rest = rest.advance(1);
    }
    rest
}

/// The index of the END of the machine, which is the last one of the text, and whether it closes no construct inside.
fn last_end(input: Input<'_>) -> (usize, bool) {
    let context = input.context();
    let mut last = None;
    let mut open = 0_usize;
    let mut loops = 0_usize;
    let mut rest = input;
    while !rest.is_empty() {
        match rest.terminal() {
            Some(Terminal::End) => {
                last = Some((rest.at(), open == 0));
                open = open.saturating_sub(1);
            }
            Some(Terminal::Variant) => loops = loops.saturating_sub(1),
            Some(keyword) if keyword.opens_block() => {
                open += 1;
                loops += usize::from(keyword == Terminal::While);
            }
            // What is open when a clause begins lacks an END of its own; the parser of that clause says so.
            Some(keyword) if keyword.starts_clause() && !(keyword == Terminal::Invariant && loops > 0) => (open, loops) = (0, 0),
            _ => {}
        }
        rest = rest.advance(1);
    }
    let Some((end, is_balanced)) = last else {
        context.report(
            Diagnostic::error(Code::MissingEnd, rest.found_span(), "the machine has no END")
                .label("expected END")
                .also(input.span(), "the machine starts here"),
        );
        return (input.end(), true);
    };
    let behind = input.part(end + 1, input.end());
    if !behind.is_empty() {
        context.report(behind.expected("nothing after the END of the machine"));
    }
    (end, is_balanced)
}

/// Cuts at clause keywords. INVARIANT belongs to a loop between WHILE and VARIANT.
fn split(input: Input<'_>) -> Vec<ClauseRange> {
    let mut ranges: Vec<ClauseRange> = Vec::new();
    let mut loops = 0_usize;
    let mut rest = input;
    while !rest.is_empty() {
        let keyword = match rest.peek() {
            Some(Token::Terminal(Terminal::While)) => {
                loops += 1;
                None
            }
            Some(Token::Terminal(Terminal::Variant)) => {
                loops = loops.saturating_sub(1);
                None
            }
            Some(Token::Terminal(Terminal::Invariant)) if loops > 0 => None,
            Some(Token::Terminal(terminal)) => terminal.starts_clause().then_some(*terminal),
            Some(Token::Name(text, NameStyle::Plain)) if rest.at() > input.at() => misspelt_clause(rest, text),
            _ => None,
        };
        if let Some(keyword) = keyword {
            if let Some(before) = ranges.last_mut() {
                before.to = rest.at();
            }
            ranges.push(ClauseRange { keyword, from: rest.at(), to: input.end() });
            loops = 0;
        }
        rest = rest.advance(1);
    }
    ranges
}

/// The clause that a name stands for, where no name can stand and one letter or two are wrong; the mistake is reported.
fn misspelt_clause(input: Input<'_>, text: &str) -> Option<Terminal> {
    let before = input.part(input.at() - 1, input.end());
    if !before.peek().is_some_and(Token::ends_operand) {
        return None;
    }
    let upper = text.to_ascii_uppercase();
    let allowed = if upper == text { text.len() / 3 } else { 0 };
    let (distance, nearest) = Terminal::clause_keywords()
        .map(|keyword| (edit_distance(&upper, keyword.text()), keyword))
        .min_by_key(|(distance, _)| *distance)?;
    if distance > allowed {
        return None;
    }
    input.context().report(
        Diagnostic::error(Code::UnknownClause, input.span(), format!("`{text}` is not a clause of B"))
            .label(format!("read as {}", nearest.text()))
            .help(format!("did you mean {}?", nearest.text())),
    );
    Some(nearest)
}

/// How many letters must be inserted, removed or replaced to make one word from the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, l) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != *r);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

/// Reports clauses that stand twice.
fn report_duplicates(body: Input<'_>, ranges: &[ClauseRange]) {
    for (index, range) in ranges.iter().enumerate() {
        let same = |other: &&ClauseRange| one_name(other.keyword) == one_name(range.keyword);
        if let Some(first) = ranges[..index].iter().find(same) {
            let place = |range: &ClauseRange| body.part(range.from, range.to).span();
            body.context().report(
                Diagnostic::error(Code::DuplicateClause, place(range), format!("the clause {} stands twice", range.keyword.text()))
                    .label("the second one")
                    .also(place(first), "the first one")
                    .help("put both contents into one clause"),
            );
        }
    }
}

/// One keyword for those that mean the same clause.
fn one_name(keyword: Terminal) -> Terminal {
    match keyword {
        Terminal::ConcreteConstants => Terminal::Constants,
        Terminal::AbstractVariables => Terminal::Variables,
        Terminal::Initialization => Terminal::Initialisation,
        Terminal::Events => Terminal::Operations,
        other => other,
    }
}

/// Reports file pragmas that belong to no reference to a machine.
fn report_misplaced_files(body: Input<'_>, ranges: &[ClauseRange]) {
    let mut rest = body;
    let mut current = ranges.iter().peekable();
    // A pragma before a clause keyword belongs to the clause before.
    let mut allowed = false;
    loop {
        for (pragma, span) in rest.pragmas() {
            if *pragma == Pragma::File && !allowed {
                body.context().report(
                    Diagnostic::error(Code::UnexpectedToken, *span, "a file pragma belongs behind the name of another machine")
                        .help("write SEES M /*@file \"path/M.mch\"*/"),
                );
            }
        }
        if rest.is_empty() {
            return;
        }
        if let Some(range) = current.next_if(|range| range.from == rest.at()) {
            use Terminal::{Extends, Imports, Includes, Refines, Sees, Uses};
            allowed = matches!(range.keyword, Sees | Uses | Includes | Extends | Imports | Refines);
        }
        rest = rest.advance(1);
    }
}

fn machine_header(input: Input<'_>) -> Res<'_, (Name, Vec<Name>)> {
    let (rest, name) = dotted_name("the name of the machine")(input)?;
    let (rest, parameters) = parameters(rest)?;
    Ok((rest, (name, parameters)))
}

/// Reads one clause; `None` when nothing of it can be kept.
fn clause(body: Input<'_>, range: ClauseRange) -> Option<Clause> {
    let whole = body.part(range.from, range.to);
    let keyword = whole.span();
    let content = whole.advance(1);
    let context = body.context();
    let kind = match range.keyword {
        Terminal::Refines => ClauseKind::Refines(item(content, dotted_name("the name of a machine"))?),
        Terminal::Sees => ClauseKind::Sees(item(content, machine_names)?),
        Terminal::Uses => ClauseKind::Uses(item(content, machine_names)?),
        Terminal::Includes => ClauseKind::Includes(item(content, references)?),
        Terminal::Extends => ClauseKind::Extends(item(content, references)?),
        Terminal::Imports => ClauseKind::Imports(item(content, references)?),
        Terminal::Promotes => ClauseKind::Promotes(item(content, operation_names)?),
        Terminal::Constraints => ClauseKind::Constraints(conjunction(content)),
        Terminal::Sets => ClauseKind::Sets(semicolon_list(content, set, "a set")),
        Terminal::Constants | Terminal::ConcreteConstants => ClauseKind::Constants(item(content, names)?, false),
        Terminal::AbstractConstants => ClauseKind::Constants(item(content, names)?, true),
        Terminal::Properties => ClauseKind::Properties(conjunction(content)),
        Terminal::Variables | Terminal::AbstractVariables => ClauseKind::Variables(item(content, names)?, false),
        Terminal::ConcreteVariables => ClauseKind::Variables(item(content, names)?, true),
        Terminal::Invariant => ClauseKind::Invariant(conjunction(content)),
        Terminal::Assertions => ClauseKind::Assertions(semicolon_list(content, predicate, "a predicate")),
        Terminal::Definitions | Terminal::Predicates => ClauseKind::Definitions(definitions(content)),
        Terminal::Initialisation | Terminal::Initialization => {
            let subst = item(content, sequence).unwrap_or(Subst { kind: SubstKind::Error, span: content.span() });
            ClauseKind::Initialisation(subst)
        }
        Terminal::Operations | Terminal::Events => ClauseKind::Operations(operations(content)),
        Terminal::LocalOperations => ClauseKind::LocalOperations(operations(content)),
        Terminal::Values => ClauseKind::Values(semicolon_list(content, equation, "an equation")),
        Terminal::Freetypes => ClauseKind::Freetypes,
        other => {
            context.report(Diagnostic::error(Code::UnknownClause, keyword, format!("{} is not a clause", other.text())));
            return None;
        }
    };
    let end = body.part(range.to, body.end()).previous_span();
    Some(Clause { kind, span: keyword.to(end), keyword })
}

/// Reads the whole content of a clause with one parser; reports and returns nothing when that fails.
fn item<'a, T>(input: Input<'a>, parser: impl FnOnce(Input<'a>) -> Res<'a, T>) -> Option<T> {
    match parser(input) {
        Ok((rest, tree)) => {
            if !rest.is_empty() {
                report_leftover(rest);
            }
            Some(tree)
        }
        Err(error) => {
            let Problem { diagnostic, .. } = problem(error);
            input.context().report(*diagnostic);
            None
        }
    }
}

/// Reports what is left of a clause that has been read.
fn report_leftover(input: Input<'_>) {
    let diagnostic = match input.peek() {
        Some(Token::Name(text, _)) if text.len() > 3 && text.chars().all(|c| c.is_ascii_uppercase() || c == '_') => unknown_clause(input),
        _ => input.leftover("the next clause"),
    };
    input.context().report(diagnostic);
}

/// The error that something stands where a clause was expected.
fn unknown_clause(input: Input<'_>) -> Diagnostic {
    match input.peek() {
        Some(Token::Name(text, _)) => {
            Diagnostic::error(Code::UnknownClause, input.span(), format!("expected an operator or a clause, found the name `{text}`"))
                .label("neither an operator nor a clause of B")
        }
        _ => input.expected("a clause or the END of the machine"),
    }
}

/// A predicate; where one conjunct cannot be read, reading resumes with the next.
fn conjunction(input: Input<'_>) -> Expr {
    let context = input.context();
    let mut rest = input;
    let mut read: Option<Expr> = None;
    // Whether the next conjunct starts right where reading stopped, as only the operator is missing.
    let mut missing_operator;
    loop {
        let (part, resume) = match predicate(rest) {
            Ok((after, expr)) => {
                if after.is_empty() {
                    return join(read, expr);
                }
                report_leftover(after);
                missing_operator = after.peek().is_some_and(Token::starts_operand);
                (expr, Some(after.at()))
            }
            Err(error) => {
                missing_operator = false;
                let problem = problem(error);
                let (is_final, at) = (problem.is_final(), problem.at);
                context.report(*problem.diagnostic);
                (Expr { kind: ExprKind::Error, span: rest.span() }, if is_final { None } else { Some(at) })
            }
        };
        read = Some(join(read, part));
        let next = resume.and_then(|at| next_conjunct(rest, at, missing_operator));
        match next {
            Some(next) => rest = next,
            None => break,
        }
    }
    read.unwrap_or(Expr { kind: ExprKind::Error, span: input.span() })
}

fn join(left: Option<Expr>, right: Expr) -> Expr {
    match left {
        None => right,
        Some(left) => {
            let span = left.span.to(right.span);
            Expr { kind: ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right)), span }
        }
    }
}

/// Where the next conjunct starts: at `at` itself, or behind the first `&` after it that is inside no bracket opened since `start`.
fn next_conjunct(start: Input<'_>, at: usize, missing_operator: bool) -> Option<Input<'_>> {
    if missing_operator {
        return Some(start.part(at, start.end()));
    }
    let mut depth = 0_usize;
    let mut rest = start;
    while !rest.is_empty() {
        match rest.terminal() {
            Some(terminal) if terminal.partner().is_some() => depth += 1,
            Some(terminal) if terminal.closes_bracket() => depth = depth.saturating_sub(1),
            Some(Terminal::And) if depth == 0 && rest.at() > at => return Some(rest.advance(1)),
            _ => {}
        }
        rest = rest.advance(1);
    }
    None
}

/// Items separated by `;`; a problem in one does not hide the next.
fn semicolon_list<'a, T>(input: Input<'a>, parser: impl Fn(Input<'a>) -> Res<'a, T>, what: &str) -> Vec<T> {
    let context = input.context();
    let mut items = Vec::new();
    let mut rest = input;
    if rest.is_empty() {
        context.report(rest.expected(what));
        return items;
    }
    loop {
        let resume = match parser(rest) {
            Ok((after, item)) => {
                items.push(item);
                if !after.is_empty() && !after.is(Terminal::Semicolon) {
                    report_leftover(after);
                }
                after.at()
            }
            Err(error) => {
                let problem = problem(error);
                let at = if problem.is_final() { input.end() } else { problem.at };
                context.report(*problem.diagnostic);
                at
            }
        };
        let separator = find(input.part(resume, input.end()), |terminal| terminal == Terminal::Semicolon);
        rest = separator.advance(1);
        if rest.is_empty() {
            return items;
        }
    }
}

fn machine_names(input: Input<'_>) -> Res<'_, Vec<Name>> {
    separated_list1(sign(Terminal::Comma), cut(dotted_name("the name of a machine"))).parse(input)
}

fn operation_names(input: Input<'_>) -> Res<'_, Vec<Name>> {
    separated_list1(sign(Terminal::Comma), cut(dotted_name("the name of an operation"))).parse(input)
}

fn references(input: Input<'_>) -> Res<'_, Vec<MachineReference>> {
    separated_list1(sign(Terminal::Comma), cut(reference)).parse(input)
}

/// `pre.M(e, f)`
fn reference(input: Input<'_>) -> Res<'_, MachineReference> {
    let (rest, name) = dotted_name("the name of a machine")(input)?;
    let (prefix, machine) = split_prefix(name);
    let (rest, arguments) = if rest.is(Terminal::OpenParen) {
        let (after, arguments) = expressions(rest.advance(1))?;
        let (after, _) = close(Terminal::CloseParen, rest.span(), "parenthesis")(after)?;
        (after, arguments)
    } else {
        (rest, Vec::new())
    };
    Ok((rest, MachineReference { prefix, machine, arguments }))
}

/// Everything before the last dot is the prefix.
fn split_prefix(name: Name) -> (Option<Name>, Name) {
    let Some(dot) = name.text.rfind('.') else { return (None, name) };
    let Span { file, start, end } = name.span;
    let at = start as usize + dot;
    let prefix = Name { text: name.text[..dot].to_owned(), span: Span::new(file, start as usize, at) };
    let machine = Name { text: name.text[dot + 1..].to_owned(), span: Span::new(file, at + 1, end as usize) };
    (Some(prefix), machine)
}

/// `S`, `S = {a, b}` or `S = Definition`.
fn set(input: Input<'_>) -> Res<'_, SetDeclaration> {
    let (rest, name) = plain_name("the name of a set")(input)?;
    if !rest.is(Terminal::Equal) {
        return Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::Deferred }));
    }
    let value = rest.advance(1);
    if !value.is(Terminal::OpenBrace) {
        let (rest, definition) = plain_name("`{` and the elements of the set, or the name of a definition")(value)?;
        return Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::ByDefinition(definition) }));
    }
    let (rest, elements) = separated_list1(sign(Terminal::Comma), cut(plain_name("the name of an element"))).parse(value.advance(1))?;
    let (rest, _) = close(Terminal::CloseBrace, value.span(), "brace")(rest)?;
    Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::Enumerated(elements) }))
}
