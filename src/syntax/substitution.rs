//! Substitutions.
//!
//! Invariant: `||` binds tighter than `;`; a branch of any construct is a whole sequence, an operation body is not (`operation`).
//! Deliberately elsewhere: formulas (`expression`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{Expr, ExprKind, Name, Subst, SubstKind};
use super::expression::{expression, expressions, postfix, predicate};
use super::habit::{is_joined, is_type};
use super::input::{Input, Problem, Res, close, dotted_name, nested, require, sign};
use super::keyword::form;
use super::operation::is_header_with_body;
use super::primary::bound_names;
use super::priority::{self, infix};
use super::token::{NameStyle, Terminal, Token, keyword_in_other_case};
use bcheck_source::{Code, Diagnostic, Span};

/// `S ; T ; …`
pub(super) fn sequence(input: Input<'_>) -> Res<'_, Subst> {
    let (mut rest, first) = parallel(input)?;
    let mut parts = vec![first];
    while rest.is(Terminal::Semicolon) {
        let after = rest.advance(1);
        // This `;` separates two operations, and an END is missing before it: the caller reports that, and the next operation is still
        // read.
        if is_header_with_body(after) {
            break;
        }
        // Of two semicolons in a row, the second is left to `parallel`, which reports that a substitution is missing between them.
        if !may_start(after) && !after.is(Terminal::Semicolon) {
            rest.context().report(
                Diagnostic::error(Code::StraySemicolon, rest.span(), format!("no substitution follows this `;`, found {}", after.found()))
                    .label("remove this ;")
                    .help("a ; separates two substitutions, it does not end one")
                    .fix(rest.removed()),
            );
            rest = after;
            break;
        }
        let (after, part) = parallel(after)?;
        parts.push(part);
        rest = after;
    }
    Ok(collect(input, rest, parts, SubstKind::Sequence))
}

/// `S || T || …`
pub(super) fn parallel(input: Input<'_>) -> Res<'_, Subst> {
    // `cut`: after a `||` a substitution is required; without `cut` the list would end before the sign.
    let (rest, parts) = separated_list1(sign(Terminal::Parallel), cut(simple)).parse(input)?;
    Ok(collect(input, rest, parts, SubstKind::Parallel))
}

/// The only part itself, or all of them together.
fn collect<'a>(input: Input<'a>, rest: Input<'a>, mut parts: Vec<Subst>, many: fn(Vec<Subst>) -> SubstKind) -> (Input<'a>, Subst) {
    match parts.pop() {
        Some(only) if parts.is_empty() => (rest, only),
        last => {
            parts.extend(last);
            (rest, Subst { kind: many(parts), span: input.span().to(rest.previous_span()) })
        }
    }
}

/// Whether a substitution may start here.
fn may_start(input: Input<'_>) -> bool {
    match input.peek() {
        Some(Token::Terminal(terminal)) => {
            *terminal == Terminal::Skip || *terminal == Terminal::OpenParen || (terminal.opens_block() && *terminal != Terminal::Either)
        }
        Some(_) => true,
        None => false,
    }
}

/// One substitution without `;` and `||` at its top.
fn simple(input: Input<'_>) -> Res<'_, Subst> {
    nested(input, |input| {
        let (rest, kind) = match input.terminal() {
            Some(Terminal::Skip) => (input.advance(1), SubstKind::Skip),
            Some(Terminal::Begin) => block(input)?,
            Some(Terminal::Pre) => guarded(input, "PRE", SubstKind::Pre)?,
            Some(Terminal::Assert) => guarded(input, "ASSERT", SubstKind::Assert)?,
            Some(Terminal::Choice) => choice(input)?,
            Some(Terminal::If) => conditional(input)?,
            Some(Terminal::Select) => select(input)?,
            Some(Terminal::Case) => case(input)?,
            Some(Terminal::Any) => any(input)?,
            Some(Terminal::Let) => local(input)?,
            Some(Terminal::Var) => variables(input)?,
            Some(Terminal::While) => repetition(input)?,
            // As a name it has a sign or arguments behind it.
            _ if input.peek() == Some(&Token::Name("WITNESS", NameStyle::Plain)) && matches!(input.peek_at(1), Some(Token::Name(..))) => {
                return Err(input.failure(
                    Diagnostic::error(Code::NotSupportedEver, input.span(), "WITNESS is not supported").help("choose values by ANY or LET"),
                ));
            }
            _ if !may_start(input) => return Err(substitution_expected(input)),
            _ => assignment_or_call(input)?,
        };
        Ok((rest, Subst { kind, span: input.span().to(rest.previous_span()) }))
    })
}

fn substitution_expected(input: Input<'_>) -> nom::Err<Problem> {
    let mut diagnostic =
        Diagnostic::error(Code::ExpectedSubstitution, input.found_span(), format!("expected a substitution, found {}", input.found()))
            .label("expected a substitution");
    match input.terminal() {
        Some(Terminal::When | Terminal::Where) => {
            diagnostic = diagnostic.help("an operation with a guard is SELECT P THEN S END, or PRE P THEN S END");
            diagnostic = diagnostic.fix(input.written(1, "SELECT"));
        }
        // `INITIALISATION = S`, as of an event.
        Some(Terminal::Equal) if matches!(input.previous(), Some(Token::Terminal(Terminal::Initialisation | Terminal::Initialization))) => {
            diagnostic = diagnostic.help("INITIALISATION is a clause, not an event: its substitution follows at once").fix(input.removed());
        }
        _ if input.is(Terminal::End) || input.is_empty() => {
            diagnostic = diagnostic.help("skip is the substitution that does nothing").fix(input.inserted(" skip"));
        }
        _ => {}
    }
    input.failure(diagnostic)
}

fn block(input: Input<'_>) -> Res<'_, SubstKind> {
    // The block stays in the tree, so that substitutions are printed as they were grouped.
    let (rest, body) = sequence(input.advance(1))?;
    // The label points to the opener: of nested blocks it shows which END is missing.
    let (rest, _) = close(Terminal::End, input.span(), "BEGIN")(rest)?;
    Ok((rest, SubstKind::Block(Box::new(body))))
}

/// `PRE P THEN S END` and `ASSERT P THEN S END`.
fn guarded<'a>(input: Input<'a>, construct: &'static str, make: fn(Box<Expr>, Box<Subst>) -> SubstKind) -> Res<'a, SubstKind> {
    let (rest, (condition, body)) = condition_then(input)(input.advance(1))?;
    let (rest, _) = close(Terminal::End, input.span(), construct)(rest)?;
    Ok((rest, make(Box::new(condition), Box::new(body))))
}

/// `P THEN S` in the construct that begins at `opener`.
fn condition_then<'a>(opener: Input<'a>) -> impl Fn(Input<'a>) -> Res<'a, (Expr, Subst)> + Clone {
    move |input| {
        let (rest, condition) = predicate(input)?;
        let rest = part(opener, Terminal::Then, "THEN after the condition", rest)?;
        let (rest, body) = sequence(rest)?;
        Ok((rest, (condition, body)))
    }
}

/// The keyword that is required here in the construct that begins at `opener`; the error shows the form of the construct.
fn part<'a>(opener: Input<'a>, keyword: Terminal, what: &'static str, input: Input<'a>) -> Result<Input<'a>, nom::Err<Problem>> {
    if input.is(keyword) {
        return Ok(input.advance(1));
    }
    let diagnostic = match input.found_token() {
        // Behind a condition.
        Some(Token::Terminal(Terminal::Comma | Terminal::Semicolon)) if keyword == Terminal::Then => {
            input.expected(what).help("conjuncts are joined by &").fix(input.written(1, " &"))
        }
        _ => input.expected(what).fixes(input.keyword_of_part(keyword)),
    };
    Err(input.failure(diagnostic.help(format!("the form is {}", form(opener.terminal().unwrap_or(keyword))))))
}

fn choice(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, branches) = separated_list1(sign(Terminal::OrBranch), cut(sequence)).parse(input.advance(1))?;
    let (rest, _) = close(Terminal::End, input.span(), "CHOICE")(rest)?;
    Ok((rest, SubstKind::Choice(branches)))
}

fn conditional(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, branches) = separated_list1(sign(Terminal::Elsif), cut(condition_then(input))).parse(input.advance(1))?;
    let (rest, otherwise) = otherwise(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "IF")(rest)?;
    Ok((rest, SubstKind::If(branches, otherwise)))
}

fn select(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, branches) = separated_list1(sign(Terminal::When), cut(condition_then(input))).parse(input.advance(1))?;
    let (rest, otherwise) = otherwise(rest)?;
    if rest.is(Terminal::OrBranch) {
        return Err(rest.failure(
            Diagnostic::error(Code::UnexpectedToken, rest.span(), "expected WHEN, ELSE or END in SELECT, found the keyword OR")
                .label("write WHEN")
                .also(input.span(), "SELECT opened here")
                .help("the branches of SELECT are WHEN P THEN S; OR is for those of CHOICE and CASE")
                .fix(rest.written(1, "WHEN")),
        ));
    }
    let (rest, _) = close(Terminal::End, input.span(), "SELECT")(rest)?;
    Ok((rest, SubstKind::Select(branches, otherwise)))
}

/// `ELSE S`, if it is there.
fn otherwise(input: Input<'_>) -> Res<'_, Option<Box<Subst>>> {
    if !input.is(Terminal::Else) {
        return Ok((input, None));
    }
    let (rest, body) = sequence(input.advance(1))?;
    Ok((rest, Some(Box::new(body))))
}

fn case(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, subject) = expression(input.advance(1))?;
    let rest = part(input, Terminal::Of, "OF after the expression of CASE", rest)?;
    let either = rest.span();
    let rest = part(input, Terminal::Either, "EITHER after OF", rest)?;
    let (rest, branches) = separated_list1(sign(Terminal::OrBranch), cut(case_branch)).parse(rest)?;
    let (rest, otherwise) = otherwise(rest)?;
    // Two ENDs: the inner one belongs to EITHER.
    let (rest, _) = close(Terminal::End, either, "EITHER")(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "CASE")(rest)?;
    Ok((rest, SubstKind::Case(Box::new(subject), branches, otherwise)))
}

fn case_branch(input: Input<'_>) -> Res<'_, (Vec<Expr>, Subst)> {
    let (rest, values) = expressions(input)?;
    let (rest, _) = require(Terminal::Then, "THEN after the values of a CASE branch")(rest)?;
    let (rest, body) = sequence(rest)?;
    Ok((rest, (values, body)))
}

fn any(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, names) = bound_names(input.advance(1))?;
    let rest = part(input, Terminal::Where, "WHERE after the names of ANY", rest)?;
    let (rest, (condition, body)) = condition_then(input)(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "ANY")(rest)?;
    Ok((rest, SubstKind::Any(names, Box::new(condition), Box::new(body))))
}

fn local(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, names) = bound_names(input.advance(1))?;
    let rest = part(input, Terminal::Be, "BE after the names of LET", rest)?;
    let (rest, equations) = predicate(rest)?;
    let rest = part(input, Terminal::In, "IN after the equations of LET", rest)?;
    let (rest, body) = sequence(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "LET")(rest)?;
    Ok((rest, SubstKind::Let(names, Box::new(equations), Box::new(body))))
}

fn variables(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, names) = bound_names(input.advance(1))?;
    let rest = part(input, Terminal::In, "IN after the names of VAR", rest)?;
    let (rest, body) = sequence(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "VAR")(rest)?;
    Ok((rest, SubstKind::Var(names, Box::new(body))))
}

fn repetition(input: Input<'_>) -> Res<'_, SubstKind> {
    let (rest, condition) = predicate(input.advance(1))?;
    let rest = part(input, Terminal::Do, "DO after the condition of WHILE", rest)?;
    let (rest, body) = sequence(rest)?;
    let rest = part(input, Terminal::Invariant, "INVARIANT after the body of WHILE", rest)?;
    let (rest, invariant) = predicate(rest)?;
    let rest = part(input, Terminal::Variant, "VARIANT after the invariant of WHILE", rest)?;
    let (rest, variant) = expression(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "WHILE")(rest)?;
    let kind = SubstKind::While {
        condition: Box::new(condition),
        body: Box::new(body),
        invariant: Box::new(invariant),
        variant: Box::new(variant),
    };
    Ok((rest, kind))
}

/// Everything that starts with the place of a variable or the name of an operation.
fn assignment_or_call(input: Input<'_>) -> Res<'_, SubstKind> {
    // The sign after the targets decides which substitution this is, so nothing is read twice. Even a call begins like a target: `op(x)`.
    // Targets are read as operands, `f(x)` and `r'a` included; `sema` decides which of them can be assigned.
    let (rest, targets) = separated_list1(sign(Terminal::Comma), cut(postfix)).parse(input)?;
    if let Some(after) = damaged_assign(rest) {
        return assign(after, targets);
    }
    match rest.terminal() {
        Some(Terminal::Assign) => assign(rest.advance(1), targets),
        Some(Terminal::BecomesIn) => {
            let (rest, set) = expression(rest.advance(1))?;
            Ok((rest, SubstKind::BecomesIn(targets, Box::new(set))))
        }
        Some(Terminal::Colon) if rest.terminal_at(1) == Some(Terminal::Bar) => Err(rest.failure(
            Diagnostic::error(Code::UnexpectedToken, rest.span().to(rest.advance(1).span()), "`:|` is a sign of Event-B")
                .label("write :( and )")
                .help("x :(P) chooses a value that makes P true; in P, x is the new value and x$0 the old one")
                .fixes(match targets.as_slice() {
                    [Expr { kind: ExprKind::Ident(name), .. }] => rest.becomes_such_that(name),
                    _ => None,
                }),
        )),
        // `x :(P)`. The parenthesis distinguishes it from `x : S` below, which is a mistake: `::` was meant.
        Some(Terminal::Colon) if rest.terminal_at(1) == Some(Terminal::OpenParen) => {
            let inside = rest.advance(2);
            let (after, condition) = predicate(inside)?;
            let (after, _) = close(Terminal::CloseParen, rest.advance(1).span(), "parenthesis")(after)?;
            Ok((after, SubstKind::BecomesSuchThat(targets, Box::new(condition))))
        }
        // Targets and results have the same form up to here: `r <-- op(x)`.
        Some(Terminal::Results) => {
            let (rest, name) = dotted_name("the name of an operation")(rest.advance(1))?;
            let (rest, arguments) = call_arguments(rest)?;
            Ok((rest, SubstKind::Call { results: targets, name, arguments }))
        }
        // Reported and read as `:=`, so that the rest of the operation is still checked.
        Some(Terminal::Equal | Terminal::DefinedAs) => {
            let written = rest.found();
            rest.context().report(
                Diagnostic::error(Code::EqualsForAssign, rest.span(), format!("expected := in an assignment, found {written}"))
                    .label("write :=")
                    .help(":= assigns, = compares")
                    .fix(rest.written(1, ":=")),
            );
            assign(rest.advance(1), targets)
        }
        Some(Terminal::Colon) => {
            rest.context().report(
                Diagnostic::error(Code::ExpectedSubstitution, rest.span(), "`:` makes a predicate, not a substitution")
                    .help("write x :: S to choose an element of S, or x :(P) to choose a value that makes P true")
                    .fix(rest.written(1, "::")),
            );
            let (rest, set) = expression(rest.advance(1))?;
            Ok((rest, SubstKind::BecomesIn(targets, Box::new(set))))
        }
        _ => call(input, rest, targets),
    }
}

/// Reports a sign of assignment that was torn or exchanged, `=:`, `: =` or `::=`; the rest behind it.
fn damaged_assign(input: Input<'_>) -> Option<Input<'_>> {
    let written = match (input.terminal()?, input.terminal_at(1)?) {
        (Terminal::Equal, Terminal::Colon) => "=:",
        (Terminal::Colon, Terminal::Equal) => ": =",
        (Terminal::BecomesIn, Terminal::Equal) => "::=",
        _ => return None,
    };
    input.context().report(
        Diagnostic::error(Code::EqualsForAssign, input.span().to(input.advance(1).span()), format!("`{written}` is not a sign of B"))
            .label("write :=")
            .help(":= assigns, = compares")
            .fix(input.written(2, ":=")),
    );
    Some(input.advance(2))
}

/// The values of an assignment.
fn assign(input: Input<'_>, targets: Vec<Expr>) -> Res<'_, SubstKind> {
    let mark = input.context().mark();
    let (rest, values) = expressions(input)?;
    // A second `:=`: what was parsed as an operand or value before it is the target of another assignment.
    if matches!(rest.terminal(), Some(Terminal::Assign | Terminal::BecomesIn))
        && let Some(joint) = last_joint(input, rest)
    {
        // Reports about the sorts of those operands are consequences.
        input.context().take_since(mark);
        let sign = joint.found();
        let (help, fix) = match joint.terminal() {
            Some(Terminal::Or) => ("the branches of CHOICE are separated by OR, in capitals: CHOICE S OR T END", joint.written(1, "OR")),
            _ => ("S || T does both at once, S ; T one after the other", joint.written(1, " ||")),
        };
        return Err(joint.failure(
            Diagnostic::error(Code::UnexpectedToken, joint.span(), format!("{sign} does not join substitutions"))
                .label("write ||")
                .also(rest.span(), "a second assignment")
                .help(help)
                .fix(fix),
        ));
    }
    Ok((rest, SubstKind::Assign(targets, values)))
}

/// The last comma or connective outside brackets between two places.
fn last_joint<'a>(from: Input<'a>, to: Input<'a>) -> Option<Input<'a>> {
    let mut depth = 0_usize;
    let mut last = None;
    for at in from.at()..to.at() {
        let here = from.part(at, from.end());
        match here.terminal() {
            Some(terminal) if terminal.partner().is_some() => depth += 1,
            Some(terminal) if terminal.closes_bracket() => depth = depth.saturating_sub(1),
            Some(Terminal::And | Terminal::Or | Terminal::Comma) if depth == 0 => last = Some(here),
            _ => {}
        }
    }
    last
}

fn call_arguments(input: Input<'_>) -> Res<'_, Vec<Expr>> {
    if !input.is(Terminal::OpenParen) {
        return Ok((input, Vec::new()));
    }
    let (rest, arguments) = expressions(input.advance(1))?;
    let (rest, _) = close(Terminal::CloseParen, input.span(), "parenthesis")(rest)?;
    Ok((rest, arguments))
}

/// Refuses a text that begins like a call and continues like a construct of another language: `int k`, `if (x) {`.
fn report_no_call<'a>(input: Input<'a>, rest: Input<'a>, span: Span) -> Result<(), nom::Err<Problem>> {
    let Some(Token::Name(word, NameStyle::Plain)) = input.peek() else { return Ok(()) };
    if !rest.peek().is_some_and(Token::starts_operand) {
        return Ok(());
    }
    let diagnostic = Diagnostic::error(Code::ExpectedSubstitution, span, format!("`{word}` begins no substitution of B"));
    if is_type(word) {
        return Err(rest.failure(diagnostic.help("a local variable is declared by VAR x IN S END, without a type")));
    }
    match keyword_in_other_case(word) {
        Some(_) => Err(rest.failure(input.advance(1).with_keyword_meant(diagnostic))),
        None => Ok(()),
    }
}

/// A formula by itself is a call, if it has the form of one.
fn call<'a>(input: Input<'a>, rest: Input<'a>, mut targets: Vec<Expr>) -> Res<'a, SubstKind> {
    // An infix operator after the targets shows that this is a formula, as in `op + 1`. Those of the lowest priority do not: `;` and `||`
    // are signs of substitutions here.
    let continues = rest.terminal().is_some_and(|sign| infix(sign).is_some_and(|infix| infix.priority > priority::COMPOSE));
    // Several targets without a sign after them are never a call.
    let only = if targets.len() == 1 && !continues { targets.pop().map(Expr::without_label) } else { None };
    if let Some(Expr { kind, span }) = only {
        report_no_call(input, rest, span)?;
        match kind {
            ExprKind::Ident(text) => {
                return Ok((rest, SubstKind::Call { results: Vec::new(), name: Name { text, span }, arguments: Vec::new() }));
            }
            ExprKind::Apply(function, arguments) => {
                if let Expr { kind: ExprKind::Ident(text), span } = *function {
                    return Ok((rest, SubstKind::Call { results: Vec::new(), name: Name { text, span }, arguments }));
                }
            }
            _ => {}
        }
    }
    let place = input.span().to(rest.previous_span());
    let found = rest.found();
    let diagnostic =
        Diagnostic::error(Code::ExpectedSubstitution, place, format!("expected `:=`, `::` or `:(` after a variable, found {found}"))
            .label("this alone is not a substitution");
    let diagnostic = match rest.terminal() {
        // `x += 1`, `x++`
        Some(Terminal::Plus | Terminal::Minus | Terminal::Times)
            if is_joined(rest) && matches!(rest.terminal_at(1), Some(Terminal::Equal | Terminal::Plus | Terminal::Minus)) =>
        {
            diagnostic.help("an assignment names the variable on both sides: x := x + 1").fix(rest.assignment_to_itself(place))
        }
        Some(Terminal::InsertTail) => diagnostic.help(":= assigns; `<-` appends an element to a sequence").fix(rest.written(1, ":=")),
        Some(sign) if infix(sign).is_some_and(|infix| infix.priority == priority::COMPARE) => {
            let before = input.part(input.at().saturating_sub(1), input.end());
            diagnostic
                .help("a condition stands in PRE P THEN S END, SELECT P THEN S END or IF P THEN S END")
                .fixes(before.is(Terminal::Begin).then(|| before.written(1, "PRE")))
        }
        _ => diagnostic,
    };
    Err(rest.failure(input.advance(1).with_keyword_meant(diagnostic)))
}
