//! Operands of formulas: names, literals, keyword functions, everything in brackets, quantifiers, IF and LET.
//!
//! Invariant: every reading is decided by the first tokens, so nothing is read twice. Deliberately elsewhere: operators and what
//! follows an operand (`expression`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{BinaryOp, Binder, Builtin, Expr, ExprKind, Name, Quantifier};
use super::binders::{dotted_ahead, dotted_in_braces, is_binding, names_ahead, not_a_quantifier, ranging, without_dot};
use super::expression::{Sort, check_sort, formula_in_brackets, formula_to_its_end, formula_with_commas, predicate, sort};
use super::habit::{applied_to_operand, before_operand, is_joined};
use super::input::{Input, Res, close, nested, plain_name, require, sign};
use super::keyword::{Function, constant, function};
use super::record::fields;
use super::template::template;
use super::token::{NameStyle, Terminal, Token};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span};

/// An operand without anything behind it.
pub(super) fn primary(input: Input<'_>) -> Res<'_, Expr> {
    let span = input.span();
    let one = |kind| Ok((input.advance(1), Expr { kind, span }));
    match input.peek() {
        Some(Token::Name(text, style)) => name(input, text, *style),
        Some(Token::Integer(digits)) => match input.peek_at(1) {
            // No blank between them: `2x`, which is never correct.
            Some(Token::Name(name, _)) if is_joined(input) => {
                let diagnostic = input.advance(1).expected("an operator behind the number");
                let diagnostic = diagnostic.help(format!("the product is written {digits} * {name}"));
                Err(input.advance(1).failure(diagnostic.fix(input.advance(1).inserted(" * "))))
            }
            _ => one(ExprKind::Integer(digits.clone().into_owned())),
        },
        Some(Token::Real(digits)) => one(ExprKind::Real((*digits).to_owned())),
        Some(Token::Template(text)) => template(input, text),
        Some(Token::Text(text)) => one(ExprKind::String(text.clone().into_owned())),
        Some(Token::Terminal(terminal)) => terminal_operand(input, *terminal),
        Some(Token::Dollar(_)) | None => Err(input.failure(input.operand_missing(input.expected("an expression or predicate")))),
    }
}

/// A name, with `$0` behind it or not.
fn name<'a>(input: Input<'a>, text: &str, style: NameStyle) -> Res<'a, Expr> {
    let rest = input.advance(1);
    // Only before an operand, where no correct formula continues: as names of variables all of these words are valid.
    if style == NameStyle::Plain
        && rest.peek().is_some_and(Token::starts_operand)
        && let Some(help) = before_operand(text)
    {
        let diagnostic = Diagnostic::error(Code::UnexpectedToken, input.span(), format!("B has no `{text}`")).label("not a keyword of B");
        return Err(input.failure(diagnostic.help(help).fixes(applied_to_operand(input, text))));
    }
    match rest.peek() {
        Some(Token::Dollar("0")) => {
            let span = input.span().to(rest.span());
            Ok((rest.advance(1), Expr { kind: ExprKind::OldValue(text.to_owned()), span }))
        }
        Some(Token::Dollar(digits)) => Err(rest.failure(
            Diagnostic::error(Code::UnexpectedToken, rest.span(), format!("`${digits}` means nothing in B"))
                .help(format!("{text}$0 is the value of {text} before the substitution")),
        )),
        // The notation of ProB's provers; elsewhere no dot follows names in parentheses.
        _ if text == "SET" && style == NameStyle::Plain && is_binding(rest) => Err(input.failure(
            Diagnostic::error(Code::NotSupportedEver, input.span(), "SET(x).(P) is not supported").help("write the set as {x | P}"),
        )),
        _ => Ok((rest, Expr { kind: ExprKind::Ident(text.to_owned()), span: input.span() })),
    }
}

fn terminal_operand(input: Input<'_>, terminal: Terminal) -> Res<'_, Expr> {
    let applied = input.terminal_at(1) == Some(Terminal::OpenParen);
    let function = function(terminal);
    // `succ` and `pred` are functions by themselves, and keyword functions where an argument follows.
    if let Some(constant) = constant(terminal)
        && !(applied && function.is_some())
    {
        return Ok((input.advance(1), Expr { kind: ExprKind::Constant(constant), span: input.span() }));
    }
    if let Some(function) = function {
        return function_call(input, terminal, function);
    }
    match terminal {
        Terminal::OpenParen => parenthesised(input),
        Terminal::OpenBrace => braces(input),
        Terminal::OpenBracket => sequence(input),
        Terminal::EmptySet => Ok((input.advance(1), Expr { kind: ExprKind::SetExtension(Vec::new()), span: input.span() })),
        Terminal::EmptySequence => Ok((input.advance(1), Expr { kind: ExprKind::Sequence(Vec::new()), span: input.span() })),
        // `< >` with a blank between: older texts write the empty sequence in two signs.
        Terminal::Less if input.terminal_at(1) == Some(Terminal::Greater) => {
            let span = input.span().to(input.advance(1).span());
            Ok((input.advance(2), Expr { kind: ExprKind::Sequence(Vec::new()), span }))
        }
        Terminal::Forall => quantified(input, Quantifier::Forall),
        Terminal::Exists => quantified(input, Quantifier::Exists),
        Terminal::Lambda => binder(input, Binder::Lambda),
        Terminal::QuantifiedUnion => binder(input, Binder::Union),
        Terminal::QuantifiedInter => binder(input, Binder::Inter),
        Terminal::Sigma => binder(input, Binder::Sigma),
        Terminal::Pi => binder(input, Binder::Pi),
        Terminal::Rec => fields(input).map(|(rest, fields)| finish(input, rest, ExprKind::Record(fields))),
        Terminal::Struct => fields(input).map(|(rest, fields)| finish(input, rest, ExprKind::Struct(fields))),
        Terminal::If => conditional(input),
        Terminal::Let => local(input),
        _ => Err(input.not_an_operand(terminal)),
    }
}

fn finish<'a>(input: Input<'a>, rest: Input<'a>, kind: ExprKind) -> (Input<'a>, Expr) {
    (rest, Expr { kind, span: input.span().to(rest.previous_span()) })
}

fn function_call(input: Input<'_>, terminal: Terminal, function: Function) -> Res<'_, Expr> {
    let keyword = terminal.text();
    let opener = input.advance(1);
    if !opener.is(Terminal::OpenParen) {
        // A word may have been meant as a name, a sign cannot.
        let code = if terminal.is_word() { Code::KeywordAsName } else { Code::UnexpectedToken };
        let set = if terminal == Terminal::BoolOf { "; the set of TRUE and FALSE is BOOL" } else { "" };
        return Err(opener.failure(
            Diagnostic::error(code, input.span(), format!("{keyword} needs its argument in parentheses, found {}", opener.found()))
                .label("a keyword of B")
                .help(format!(
                    "write {keyword}(..); if {keyword} is meant as a name, choose another one or write it between back quotes{set}"
                ))
                .fixes(call_meant(input, terminal)),
        ));
    }
    // The parentheses of a keyword function are brackets for `;` and `||` as well: `dom(f ; g)`.
    // The one argument of `not` and `bool` is a predicate, so a comma in it builds a pair.
    let is_of_predicate = matches!(function.builtin, Builtin::Not | Builtin::BoolOf);
    let argument = if is_of_predicate { formula_with_commas } else { formula_in_brackets };
    let (rest, arguments) = separated_list1(sign(Terminal::Comma), cut(argument)).parse(opener.advance(1))?;
    let (rest, _) = close(Terminal::CloseParen, opener.span(), "parenthesis")(rest)?;
    // The arguments are read before they are checked, so that a wrong sort or number does not stop the parser.
    let wanted = if is_of_predicate { Sort::Predicate } else { Sort::Expression };
    for argument in &arguments {
        check_sort(input, argument, wanted);
    }
    let given = arguments.len();
    if given < function.least || given > function.most {
        let wanted = match function.most {
            1 => "one argument",
            2 if function.least == 2 => "two arguments",
            _ => "one or two arguments",
        };
        let place = input.span().to(rest.previous_span());
        let (help, title, [open, close]) = match terminal {
            Terminal::Min | Terminal::Max => (format!("of several numbers: {keyword}({{a, b}})"), "insert braces", ["{", "}"]),
            _ => ("put a pair into parentheses of its own: ((a, b))".to_owned(), "insert parentheses", ["(", ")"]),
        };
        let fix = Fix::new(title, [Edit::after(opener.span(), open), Edit::before(rest.previous_span(), close)]);
        let title = format!("{keyword} takes {wanted}, found {given}");
        input.context().report(Diagnostic::error(Code::UnexpectedToken, place, title).help(help).fix(fix));
    }
    Ok(finish(input, rest, ExprKind::Builtin(function.builtin, arguments)))
}

/// The call that was meant by a keyword function without its parentheses: `dom f`, `seq[S]`; or BOOL by `bool`.
fn call_meant(input: Input<'_>, terminal: Terminal) -> Option<Fix> {
    let opener = input.advance(1);
    if opener.is(Terminal::OpenBracket) {
        return opener.rebracketed(["(", ")"]);
    }
    if terminal == Terminal::Not
        && let Some(fix) = input.negated_comparison()
    {
        return Some(fix);
    }
    if opener.peek().is_some_and(Token::starts_operand) {
        return input.advance(1).around_operand(0, "(", ")");
    }
    (terminal == Terminal::BoolOf).then(|| input.written(1, "BOOL"))
}

fn parenthesised(input: Input<'_>) -> Res<'_, Expr> {
    // Parentheses leave no node in the tree, only their span: `pretty` puts them back where priorities need them.
    let (rest, inner) = formula_with_commas(input.advance(1))?;
    let (rest, closer) = close(Terminal::CloseParen, input.span(), "parenthesis")(rest)?;
    Ok((rest, Expr { kind: inner.kind, span: input.span().to(closer) }))
}

fn sequence(input: Input<'_>) -> Res<'_, Expr> {
    let inside = input.advance(1);
    if inside.is(Terminal::CloseBracket) {
        return Ok(finish(input, inside.advance(1), ExprKind::Sequence(Vec::new())));
    }
    let (rest, elements) = separated_list1(sign(Terminal::Comma), cut(formula_in_brackets)).parse(inside)?;
    if rest.is(Terminal::Assign) {
        return Err(rest.failure(
            Diagnostic::error(Code::NotSupportedEver, input.span().to(rest.span()), "predicates on substitutions are not supported")
                .label("[S] P: what must hold before S so that P holds after it")
                .help("write P with the new values put in"),
        ));
    }
    let (rest, _) = close(Terminal::CloseBracket, input.span(), "bracket")(rest)?;
    for element in &elements {
        check_sort(input, element, Sort::Expression);
    }
    let elements = elements.into_iter().map(Expr::without_label).collect();
    Ok(finish(input, rest, ExprKind::Sequence(elements)))
}

fn braces(input: Input<'_>) -> Res<'_, Expr> {
    let opener = input.span();
    let inside = input.advance(1);
    if inside.is(Terminal::CloseBrace) {
        return Ok(finish(input, inside.advance(1), ExprKind::SetExtension(Vec::new())));
    }
    match names_ahead(inside) {
        // Lookahead over the names decides, because `{x, y | P}`, `{x, y . P | E}` and `{x, y}` share their beginning. A list of names
        // before anything else begins an extension such as `{x, y + 1}`.
        0 => {}
        count if matches!(inside.terminal_at(count), Some(Terminal::Bar)) => {
            dotted_in_braces(inside)?;
            let (rest, names) = bound_names(inside)?;
            let (rest, condition) = predicate(rest.advance(1))?;
            let (rest, _) = close(Terminal::CloseBrace, opener, "brace")(rest)?;
            return Ok(finish(input, rest, ExprKind::Comprehension(names, Box::new(condition))));
        }
        count if matches!(inside.terminal_at(count), Some(Terminal::Dot)) => {
            let (rest, names) = bound_names(inside)?;
            let (rest, condition) = predicate(rest.advance(1))?;
            let (rest, _) = require(Terminal::Bar, "`|` and an expression")(rest)?;
            let (rest, element) = formula_with_commas(rest)?;
            check_sort(input, &element, Sort::Expression);
            let (rest, _) = close(Terminal::CloseBrace, opener, "brace")(rest)?;
            return Ok(finish(input, rest, ExprKind::EventComprehension(names, Box::new(condition), Box::new(element))));
        }
        _ => {}
    }
    let (rest, elements) = separated_list1(sign(Terminal::Comma), cut(formula_in_brackets)).parse(inside)?;
    // A bar after an extension can only be that of a comprehension whose left side is not a list of names: reported here, before `close`
    // requires a brace.
    if rest.is(Terminal::Bar) {
        dotted_in_braces(inside)?;
        // `{x : S | P}`
        let (help, fix) = match elements.as_slice() {
            [Expr { kind: ExprKind::Binary(BinaryOp::Member, name, _), .. }] if matches!(name.kind, ExprKind::Ident(_)) => {
                ("the condition says what the names range over: {x | x : S & P}", rest.ranged_comprehension(inside))
            }
            _ => ("write {x, y | P}, or {x | #(a, b).(P & x = E)} for the set of all values E", None),
        };
        let title = "only names may stand left of `|` in a set comprehension";
        return Err(rest.failure(Diagnostic::error(Code::UnexpectedToken, rest.span(), title).help(help).fixes(fix)));
    }
    let (rest, _) = close(Terminal::CloseBrace, opener, "brace")(rest)?;
    for element in &elements {
        match &element.kind {
            // `{s1: t1}`
            ExprKind::Binary(BinaryOp::Member, left, right) => input.context().report(
                Diagnostic::error(Code::ExpectedExpression, element.span, "expected an expression, found a predicate")
                    .label("this is true or false, not a value")
                    .help("a function with the value y at x is {x |-> y}; all x of S that have P are {x | x : S & P}")
                    .fix(Fix::new("write |->", [Edit::sign(left.span, right.span, "|->")])),
            ),
            _ => check_sort(input, element, Sort::Expression),
        }
    }
    let elements = elements.into_iter().map(Expr::without_label).collect();
    Ok(finish(input, rest, ExprKind::SetExtension(elements)))
}

/// `x`, `x, y` or `(x, y)`.
pub(super) fn bound_names(input: Input<'_>) -> Res<'_, Vec<Name>> {
    let names = |input| separated_list1(sign(Terminal::Comma), cut(plain_name("the name of a variable"))).parse(input);
    if !input.is(Terminal::OpenParen) {
        return names(input);
    }
    let (rest, list) = names(input.advance(1))?;
    // `!(x : S).(P)`
    let binder = input.part(input.at().saturating_sub(1), input.end());
    if rest.is(Terminal::Colon) && ranging(binder).is_some() {
        return Err(rest.failure(without_dot(rest, binder)));
    }
    let (rest, _) = close(Terminal::CloseParen, input.span(), "parenthesis")(rest)?;
    Ok((rest, list))
}

/// The variables of a quantifier, the dot and the opening parenthesis of its body.
fn binding(input: Input<'_>) -> Res<'_, (Vec<Name>, Span)> {
    let quantifier = input.terminal().map_or("", Terminal::text);
    if let Some((place, text)) = dotted_ahead(input.advance(1)) {
        // `#x.x = 1`: without the parenthesis behind it, the dot is part of a name.
        let name = text.split('.').next().unwrap_or(text);
        return Err(place.failure(
            Diagnostic::error(Code::BadIdentifier, place.span(), format!("a name with a dot cannot be bound: {text}"))
                .label("read as one name")
                .help(format!("write {quantifier}{name}.(..): the parentheses are part of it"))
                .fixes(place.undotted_body(text, input.is(Terminal::Forall))),
        ));
    }
    not_a_quantifier(input)?;
    let (rest, names) = bound_names(input.advance(1))?;
    if !rest.is(Terminal::Dot) {
        return Err(rest.failure(without_dot(rest, input)));
    }
    let rest = rest.advance(1);
    if !rest.is(Terminal::OpenParen) {
        return Err(rest.failure(
            rest.expected("`(` around the body of a quantifier")
                .help(format!("write {quantifier}x.(..): the parentheses are part of it"))
                .fixes(match input.terminal() {
                    Some(Terminal::Forall | Terminal::Exists) => rest.parenthesised_body(input.is(Terminal::Forall)),
                    _ => None,
                }),
        ));
    }
    Ok((rest.advance(1), (names, rest.span())))
}

fn quantified(input: Input<'_>, quantifier: Quantifier) -> Res<'_, Expr> {
    let (rest, (names, opener)) = binding(input)?;
    let (rest, body) = predicate(rest)?;
    let (rest, _) = close(Terminal::CloseParen, opener, "parenthesis")(rest)?;
    // Reported without stopping: the body is read whatever its form, so that further errors are found.
    if quantifier == Quantifier::Forall && !may_be_implication(&body) {
        input.context().report(
            Diagnostic::error(Code::ForallNeedsImplication, body.span, "the body of ! must be an implication")
                .label("not of the form P => Q")
                .help("write !x.(x : S => Q): the left side says what x ranges over")
                .fixes(first_conjunction(&body).map(|(left, right)| Fix::new("write =>", [Edit::sign(left, right, "=>")]))),
        );
    }
    Ok(finish(input, rest, ExprKind::Quantified(quantifier, names, Box::new(body))))
}

/// The places of the operands of the first `&` outside parentheses.
fn first_conjunction(body: &Expr) -> Option<(Span, Span)> {
    let ExprKind::Binary(BinaryOp::And, left, right) = &body.kind else { return None };
    first_conjunction(left).or(Some((left.span, right.span)))
}

/// An implication, or a definition call that may be one.
fn may_be_implication(mut body: &Expr) -> bool {
    loop {
        match &body.kind {
            ExprKind::Labelled(_, inner) => body = inner,
            ExprKind::Binary(op, ..) => return *op == BinaryOp::Implies,
            _ => return sort(body) == Sort::Open,
        }
    }
}

fn binder(input: Input<'_>, binder: Binder) -> Res<'_, Expr> {
    let (rest, (names, opener)) = binding(input)?;
    let (rest, condition) = predicate(rest)?;
    let (rest, _) = require(Terminal::Bar, "`|` and an expression after the condition")(rest)?;
    let (rest, element) = formula_with_commas(rest)?;
    check_sort(input, &element, Sort::Expression);
    let (rest, _) = close(Terminal::CloseParen, opener, "parenthesis")(rest)?;
    Ok(finish(input, rest, ExprKind::Binder(binder, names, Box::new(condition), Box::new(element))))
}

/// `IF P THEN E ELSIF Q THEN F ELSE G END`.
fn conditional(input: Input<'_>) -> Res<'_, Expr> {
    let opener = input.span();
    let (rest, kind) = branch(input, opener)?;
    Ok(finish(input, rest, kind))
}

/// From `IF` or `ELSIF` to the `END`.
fn branch(input: Input<'_>, opener: Span) -> Res<'_, ExprKind> {
    let (rest, condition) = predicate(input.advance(1))?;
    let (rest, _) = require(Terminal::Then, "THEN after the condition")(rest)?;
    let (rest, yes) = formula_to_its_end(rest)?;
    // Both branches must be of one sort. If the first is a definition call, whose sort is open, the second may be either.
    let wanted = sort(&yes);
    let (rest, no) = match rest.terminal() {
        Some(Terminal::Elsif) => {
            // Each ELSIF nests one level deeper in the tree, though not in the text, so it counts towards the limit.
            let (after, kind) = nested(rest, |input| branch(input, opener))?;
            let span = rest.span().to(after.previous_span());
            (after, Some(Expr { kind, span }))
        }
        Some(Terminal::Else) => {
            let (rest, no) = formula_to_its_end(rest.advance(1))?;
            let (rest, _) = close(Terminal::End, opener, "IF")(rest)?;
            (rest, Some(no))
        }
        _ => {
            let (rest, _) = close(Terminal::End, opener, "IF")(rest)?;
            (rest, None)
        }
    };
    match &no {
        Some(no) => check_sort(input, no, wanted),
        None if wanted == Sort::Expression => input.context().report(
            Diagnostic::error(Code::UnexpectedToken, rest.previous_span(), "an IF expression needs an ELSE")
                .also(opener, "IF opened here")
                .help("write IF P THEN E ELSE F END"),
        ),
        None => {}
    }
    Ok((rest, ExprKind::If(Box::new(condition), Box::new(yes), no.map(Box::new))))
}

/// `LET x, y BE x = E & y = F IN G END`.
fn local(input: Input<'_>) -> Res<'_, Expr> {
    let (rest, names) = bound_names(input.advance(1))?;
    let (rest, _) = require(Terminal::Be, "BE after the names of LET")(rest)?;
    // Any predicate here: that it consists of equations is checked by `sema`, where definitions are expanded.
    let (rest, equations) = predicate(rest)?;
    let (rest, _) = require(Terminal::In, "IN after the equations of LET")(rest)?;
    let (rest, body) = formula_to_its_end(rest)?;
    let (rest, _) = close(Terminal::End, input.span(), "LET")(rest)?;
    Ok(finish(input, rest, ExprKind::Let(names, Box::new(equations), Box::new(body))))
}

/// An equation `name = expression` of VALUES.
pub(super) fn equation(input: Input<'_>) -> Res<'_, (Name, Expr)> {
    let (rest, name) = plain_name("a name")(input)?;
    let (rest, _) = require(Terminal::Equal, "`=` and a value")(rest)?;
    let (rest, value) = formula_to_its_end(rest)?;
    check_sort(input, &value, Sort::Expression);
    Ok((rest, (name, value.without_label())))
}
