//! Each clause of a machine, from its keyword to the next one.
//!
//! Invariant: every error in a clause is reported, and parsing resumes inside it where that is safe: at the next conjunct, the next `;`,
//! the next operation. Deliberately elsewhere: where clauses begin and end (`machine`), DEFINITIONS (`definition`), OPERATIONS
//! (`operation`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{BinaryOp, Clause, ClauseKind, Expr, ExprKind, FreeType, Name, SetDeclaration, SetDeclarationKind, Subst, SubstKind};
use super::definition::definitions;
use super::expression::{Sort, expression, predicate, sort};
use super::input::{Input, Problem, Res, close, plain_name, problem, require, sign};
use super::operation::operations;
use super::primary::equation;
use super::reference::{machine_name, machine_names, operation_names, references};
use super::substitution::sequence;
use super::token::{Terminal, Token};
use bcheck_source::{Code, Diagnostic};

/// One clause as a range of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseRange {
    /// The keyword that it starts with.
    pub(super) keyword: Terminal,
    /// The index of the keyword.
    pub(super) from: usize,
    /// The index behind the last token.
    pub(super) to: usize,
}

/// Reads one clause; `None` when no part of it is usable.
pub(super) fn clause(body: Input<'_>, range: ClauseRange) -> Option<Clause> {
    let whole = body.part(range.from, range.to);
    let keyword = whole.span();
    let content = whole.advance(1);
    let context = body.context();
    // A clause whose content cannot be read at all is dropped (`?`). Predicates and lists are always returned, with the parts that can be
    // read.
    let kind = match range.keyword {
        Terminal::Refines => ClauseKind::Refines(item(content, machine_name)?),
        Terminal::Sees => ClauseKind::Sees(item(content, machine_names)?),
        Terminal::Uses => ClauseKind::Uses(item(content, machine_names)?),
        Terminal::Includes => ClauseKind::Includes(item(content, references)?),
        Terminal::Extends => ClauseKind::Extends(item(content, references)?),
        Terminal::Imports => ClauseKind::Imports(item(content, references)?),
        Terminal::Promotes => ClauseKind::Promotes(item(content, operation_names)?),
        Terminal::Constraints => ClauseKind::Constraints(conjunction(content)),
        Terminal::Sets => ClauseKind::Sets(semicolon_list(content, sets, "a set").concat()),
        // Of both pairs one spelling is the default: CONSTANTS are concrete, VARIABLES abstract.
        Terminal::Constants | Terminal::ConcreteConstants => ClauseKind::Constants(list_of_names(content, range.keyword), false),
        Terminal::AbstractConstants => ClauseKind::Constants(list_of_names(content, range.keyword), true),
        Terminal::Properties => ClauseKind::Properties(conjunction(content)),
        Terminal::Variables | Terminal::AbstractVariables => ClauseKind::Variables(list_of_names(content, range.keyword), false),
        Terminal::ConcreteVariables => ClauseKind::Variables(list_of_names(content, range.keyword), true),
        Terminal::Invariant => ClauseKind::Invariant(conjunction(content)),
        Terminal::Assertions => ClauseKind::Assertions(semicolon_list(content, predicate, "a predicate")),
        Terminal::Definitions => ClauseKind::Definitions(definitions(content)),
        Terminal::Predicates => {
            // Its definitions rename bound names that would capture those of an argument; DEFINITIONS do not, so these would have another
            // meaning. They are stored, so that their names are known.
            let word = if matches!(whole.peek(), Some(Token::Name(..))) { "EXPRESSIONS" } else { "PREDICATES" };
            context.report(
                Diagnostic::error(Code::NotSupportedEver, keyword, format!("the clause {word} is not supported"))
                    .label("not supported")
                    .help("write DEFINITIONS; a name that is bound in a definition must not stand in its arguments then"),
            );
            ClauseKind::Definitions(definitions(content))
        }
        Terminal::Initialisation | Terminal::Initialization => {
            // Kept even when unreadable: a machine without INITIALISATION is another mistake, which `sema` would report on top.
            let subst = item(content, sequence).unwrap_or(Subst { kind: SubstKind::Error, span: content.span() });
            ClauseKind::Initialisation(subst)
        }
        Terminal::Operations | Terminal::Events => ClauseKind::Operations(operations(content)),
        Terminal::LocalOperations => ClauseKind::LocalOperations(operations(content)),
        Terminal::Values => ClauseKind::Values(semicolon_list(content, equation, "an equation")),
        Terminal::Freetypes => ClauseKind::Freetypes(semicolon_list(content, free_type, "a free type")),
        other => {
            context.report(Diagnostic::error(Code::UnknownClause, keyword, format!("{} is not a clause", other.text())));
            return None;
        }
    };
    // The last token of the clause, not the start of the next one: spans end where the text does.
    let end = body.part(range.to, body.end()).previous_span();
    Some(Clause { kind, span: keyword.to(end), keyword })
}

/// Reads the whole content of a clause with one parser; where that fails, reports the problem and returns `None`.
fn item<'a, T>(input: Input<'a>, parser: impl FnOnce(Input<'a>) -> Res<'a, T>) -> Option<T> {
    match parser(input) {
        Ok((rest, tree)) => {
            if !rest.is_empty() {
                report_leftover(rest);
            }
            Some(tree)
        }
        Err(error) => {
            input.context().report_problem(problem(error));
            None
        }
    }
}

/// The names of CONSTANTS or VARIABLES. A missing or wrong sign between two of them is reported, and the rest is read, so that all names
/// are known.
fn list_of_names(input: Input<'_>, clause: Terminal) -> Vec<Name> {
    let context = input.context();
    let mut list = Vec::new();
    let mut rest = input;
    loop {
        match plain_name("a name")(rest) {
            Ok((after, name)) => {
                list.push(name);
                rest = after;
            }
            Err(error) => {
                let problem = problem(error);
                // `x, y,` with nothing behind it.
                let comma = matches!(rest.previous(), Some(Token::Terminal(Terminal::Comma))) && rest.is_empty();
                let help = comma.then(|| "remove the comma before it, or add a name".to_owned());
                let mut diagnostic = *problem.diagnostic.clone();
                let comma_before = rest.part(rest.at().saturating_sub(1), rest.end());
                diagnostic.fixes.extend(comma.then(|| comma_before.removed()));
                diagnostic.help.extend(help);
                context.report_problem(Problem { diagnostic: Box::new(diagnostic), ..problem });
                return list;
            }
        }
        if rest.is(Terminal::Comma) {
            rest = rest.advance(1);
            continue;
        }
        if rest.is_empty() {
            return list;
        }
        let is_name_next = matches!(rest.advance(1).peek(), Some(Token::Name(..)));
        match rest.peek() {
            Some(Token::Terminal(Terminal::Semicolon)) => {
                context.report(
                    Diagnostic::error(Code::UnexpectedToken, rest.span(), "expected `,` between two names, found `;`")
                        .label(if is_name_next { "write ," } else { "remove this ;" })
                        .help("names of constants and variables are separated by commas; sets are separated by ;")
                        .fix(if is_name_next { rest.written(1, ",") } else { rest.removed() }),
                );
                rest = rest.advance(1);
                if !is_name_next {
                    return list;
                }
            }
            Some(Token::Name(text, _)) if !is_clause_like(text) => context.report(
                Diagnostic::error(Code::UnexpectedToken, rest.span(), format!("expected `,` between two names, found the name `{text}`"))
                    .label("write a comma before it")
                    .help("names of constants and variables are separated by commas")
                    .fix(rest.inserted(",")),
            ),
            _ => {
                report_behind_name(rest, clause);
                return list;
            }
        }
    }
}

/// Reports tokens after a name of CONSTANTS or VARIABLES that do not belong there.
fn report_behind_name(input: Input<'_>, clause: Terminal) {
    let is_constant = matches!(clause, Terminal::Constants | Terminal::ConcreteConstants | Terminal::AbstractConstants);
    let (predicates, values) = if is_constant { ("PROPERTIES", "PROPERTIES") } else { ("INVARIANT", "INITIALISATION") };
    let (form, clause) = match input.terminal() {
        Some(Terminal::Colon | Terminal::Subset) => ("x : S", predicates),
        Some(Terminal::Equal | Terminal::Assign | Terminal::DefinedAs) => (if is_constant { "x = E" } else { "x := E" }, values),
        _ => return report_leftover(input),
    };
    let diagnostic = input.expected("`,` or the next clause behind a name");
    input.context().report(diagnostic.help(format!("this clause lists names only: {form} belongs to {clause}")));
}

/// Reports the unread rest of a clause.
fn report_leftover(input: Input<'_>) {
    let assigns =
        matches!(input.peek(), Some(Token::Name(..))) && matches!(input.terminal_at(1), Some(Terminal::Assign | Terminal::BecomesIn));
    report_behind(input, if assigns { " ||" } else { "" });
}

/// Reports tokens after a complete formula or substitution; `sign` is the sign that is missing before them, if that is certain.
fn report_behind(input: Input<'_>, sign: &'static str) {
    // A longer word in capitals behind a complete formula is more likely a clause that B does not have than an operand.
    let diagnostic = match input.peek() {
        Some(Token::Name(text, _)) if is_clause_like(text) => unknown_clause(input),
        _ => input.leftover("the next clause"),
    };
    // Another help is more precise than that something is missing.
    let is_missing = !sign.is_empty() && diagnostic.fixes.is_empty() && input.peek().is_some_and(Token::starts_operand);
    input.context().report(diagnostic.fixes(is_missing.then(|| input.inserted(sign))));
}

/// Whether a word looks like the keyword of a clause.
fn is_clause_like(word: &str) -> bool {
    word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// The error for another token where a clause was expected.
pub(super) fn unknown_clause(input: Input<'_>) -> Diagnostic {
    // Clauses are cut before they are read, so a misspelt keyword shows only as a name that does not fit behind what was complete.
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
    // Invariant: `read` joins all conjuncts before `rest`. Each round moves `rest` on: a conjunct has at least one token, and the search
    // for the next one starts behind the problem.
    let mut read: Option<Expr> = None;
    // Whether the next conjunct starts right where reading stopped, because only the operator is missing.
    let mut missing_operator;
    loop {
        let (part, resume) = match predicate(rest) {
            Ok((after, expr)) => {
                if after.is_empty() {
                    return join(read, expr);
                }
                // The part read so far is used, and the rest is parsed as a separate conjunct: one fault, one message.
                if let Some(behind) = after.terminal().and_then(|sign| separated_conjuncts(after, sign, &expr)) {
                    missing_operator = true;
                    if behind.is_empty() {
                        return join(read, expr);
                    }
                    (expr, Some(behind.at()))
                } else {
                    report_behind(after, if last_sort(&expr) == Sort::Predicate { " &" } else { "" });
                    missing_operator = after.peek().is_some_and(Token::starts_operand);
                    (expr, Some(after.at()))
                }
            }
            Err(error) => {
                missing_operator = false;
                let problem = problem(error);
                let (is_final, at) = (problem.is_final(), problem.at);
                context.report_problem(problem);
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

/// Reports a `;` or `,` between two conjuncts, or behind the last one; the rest behind it.
fn separated_conjuncts<'a>(input: Input<'a>, sign: Terminal, before: &Expr) -> Option<Input<'a>> {
    if !matches!(sign, Terminal::Semicolon | Terminal::Comma) {
        return None;
    }
    let behind = input.advance(1);
    let title = format!("expected `&` between two conjuncts, found `{}`", sign.text());
    let is_last = behind.is_empty();
    input.context().report(
        Diagnostic::error(
            Code::UnexpectedToken,
            input.span(),
            if is_last { format!("nothing follows this `{}`", sign.text()) } else { title },
        )
        .label(if is_last { format!("remove this {}", sign.text()) } else { "write &".to_owned() })
        .help("conjuncts are joined by &; nothing stands behind the last one")
        .fixes(match last_sort(before) {
            _ if is_last => Some(input.removed()),
            Sort::Predicate => Some(input.written(1, " &")),
            _ => None,
        }),
    );
    Some(behind)
}

/// The sort of the last conjunct.
fn last_sort(mut expr: &Expr) -> Sort {
    while let ExprKind::Binary(BinaryOp::And, _, last) = &expr.kind {
        expr = last;
    }
    sort(expr)
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
        // No search for `&`: the next conjunct starts here.
        return Some(start.part(at, start.end()));
    }
    // Brackets are counted from the start of the conjunct: an `&` after the problem may be inside a bracket that was opened before it, and
    // if reading resumed there, the closing one would be reported. Surplus closing brackets are ignored.
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
                // Too deep for the parser: the search for the next `;` would only repeat the message.
                let at = if problem.is_final() { input.end() } else { problem.at };
                context.report_problem(problem);
                at
            }
        };
        // After success, this is at the separator already unless something was left over. The last item may have a `;` behind it.
        let separator = input.part(resume, input.end()).skip_to(|terminal| terminal == Terminal::Semicolon);
        rest = separator.advance(1);
        if rest.is_empty() {
            return items;
        }
    }
}

/// `T = a, b(S)`: a free type with its constructors.
fn free_type(input: Input<'_>) -> Res<'_, FreeType> {
    let (rest, name) = plain_name("the name of a free type")(input)?;
    let (rest, _) = require(Terminal::Equal, "`=` and the constructors of the free type")(rest)?;
    let (rest, cases) = separated_list1(sign(Terminal::Comma), cut(constructor)).parse(rest)?;
    Ok((rest, FreeType { name, cases }))
}

fn constructor(input: Input<'_>) -> Res<'_, (Name, Option<Expr>)> {
    let (rest, name) = plain_name("the name of a constructor")(input)?;
    if !rest.is(Terminal::OpenParen) {
        return Ok((rest, (name, None)));
    }
    let open = rest.span();
    let (rest, argument) = cut(expression).parse(rest.advance(1))?;
    let (rest, _) = close(Terminal::CloseParen, open, "parenthesis")(rest)?;
    Ok((rest, (name, Some(argument))))
}

/// One set, between two semicolons of SETS. Further ones behind commas, as in a list of names, are reported and read.
fn sets(input: Input<'_>) -> Res<'_, Vec<SetDeclaration>> {
    let (mut rest, first) = set(input)?;
    let mut sets = vec![first];
    while rest.is(Terminal::Comma) {
        rest.context().report(
            Diagnostic::error(Code::UnexpectedToken, rest.span(), "expected `;` between two sets, found `,`")
                .label("write ;")
                .help("a comma separates the names of constants and variables; sets are separated by ;")
                .fix(rest.written(1, ";")),
        );
        // Between commas a set reads the same, so nothing is lost by going on.
        let (after, next) = set(rest.advance(1))?;
        sets.push(next);
        rest = after;
    }
    Ok((rest, sets))
}

/// `S`, `S = {a, b}` or `S = Definition`.
fn set(input: Input<'_>) -> Res<'_, SetDeclaration> {
    let (rest, name) = plain_name("the name of a set")(input)?;
    if matches!(rest.terminal(), Some(Terminal::Colon | Terminal::DefinedAs | Terminal::Assign)) {
        let diagnostic = rest.expected("`=` behind the name of a set").label("write =");
        return Err(rest.failure(diagnostic.help("a set with its elements is S = {a, b}").fix(rest.written(1, "="))));
    }
    if !rest.is(Terminal::Equal) {
        return Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::Deferred }));
    }
    let value = rest.advance(1);
    let is_number = |input: Input<'_>| matches!(input.peek(), Some(Token::Integer(_)));
    if is_number(value) || value.is(Terminal::OpenBrace) && is_number(value.advance(1)) {
        let place = if is_number(value) { value } else { value.advance(1) };
        let help = "the elements of a set in SETS are new names; a set of numbers is a constant, or a definition";
        return Err(place.failure(place.expected("the name of an element").help(help)));
    }
    if value.is(Terminal::OpenBracket) || value.is(Terminal::OpenParen) {
        let diagnostic = value.expected("`{` and the elements of the set").help("a set with its elements is S = {a, b}");
        return Err(value.failure(diagnostic.fixes(value.rebracketed(["{", "}"]))));
    }
    if !value.is(Terminal::OpenBrace) {
        let (rest, definition) = plain_name("`{` and the elements of the set, or the name of a definition")(value)?;
        return Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::ByDefinition(definition) }));
    }
    let element = plain_name("the name of an element");
    let (mut rest, mut elements) = separated_list1(sign(Terminal::Comma), cut(element.clone())).parse(value.advance(1))?;
    loop {
        let is_semicolon = rest.is(Terminal::Semicolon) && matches!(rest.advance(1).peek(), Some(Token::Name(..)));
        if !is_semicolon && !matches!(rest.peek(), Some(Token::Name(..))) {
            break;
        }
        rest.context().report(
            Diagnostic::error(Code::UnexpectedToken, rest.span(), format!("expected `,` between two elements, found {}", rest.found()))
                .label(if is_semicolon { "write ," } else { "write a comma before it" })
                .help("elements are separated by commas; sets are separated by ;")
                .fix(if is_semicolon { rest.written(1, ",") } else { rest.inserted(",") }),
        );
        let next = rest.advance(usize::from(is_semicolon));
        let (after, more) = separated_list1(sign(Terminal::Comma), cut(element.clone())).parse(next)?;
        elements.extend(more);
        rest = after;
    }
    let (rest, _) = close(Terminal::CloseBrace, value.span(), "brace")(rest)?;
    Ok((rest, SetDeclaration { name, kind: SetDeclarationKind::Enumerated(elements) }))
}
