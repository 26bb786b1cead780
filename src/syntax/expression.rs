//! Expressions and predicates by precedence climbing (a form of Pratt's top down operator precedence, 1973), and the postfix forms:
//! application, image, field, inverse.
//!
//! Invariant: one grammar for both sorts; only operands whose sort is plain from their form are checked here, without stopping.
//! Deliberately elsewhere: operands (`primary`), the priorities (`priority`), the sort of names and definition calls (`sema`).

use nom::Parser;
use nom::combinator::cut;
use nom::multi::separated_list1;

use super::ast::{BETWEEN_LABELS, BinaryOp, Builtin, Constant, Expr, ExprKind, UnaryOp};
use super::doubt::{warn_of_double_minus, warn_of_one_priority};
use super::expected::COMMENTS;
use super::habit;
use super::input::{Chain, Input, Res, close, nested, plain_name, sign};
use super::primary::primary;
use super::priority::{self, Associativity};
use super::token::{Pragma, Terminal, Token};
use bcheck_source::{Code, Diagnostic, Edit, Fix, Span};

/// A formula outside brackets: no `;` and `||` of relations.
pub(super) fn formula(input: Input<'_>) -> Res<'_, Expr> {
    climb(input, priority::IMPLIES, false)
}

/// A formula inside brackets, where `;` and `||` belong to relations.
pub(super) fn formula_in_brackets(input: Input<'_>) -> Res<'_, Expr> {
    climb(input, priority::COMPOSE, false)
}

/// A formula behind which no comma separates anything, so that it builds a pair: `q, r = f(x)`.
pub(super) fn formula_to_its_end(input: Input<'_>) -> Res<'_, Expr> {
    climb(input, priority::IMPLIES, true)
}

/// A formula between parentheses, where also commas build pairs.
pub(super) fn formula_with_commas(input: Input<'_>) -> Res<'_, Expr> {
    climb(input, priority::COMPOSE, true)
}

/// Something that must be a value: comparisons and connectives are left to the caller.
pub(super) fn value(input: Input<'_>) -> Res<'_, Expr> {
    climb(input, priority::COMPARE + 1, false)
}

/// As [`value`], inside brackets, where `;` and `||` belong to relations.
pub(super) fn value_in_brackets(input: Input<'_>) -> Res<'_, Expr> {
    let (mut rest, mut left) = value(input)?;
    let mut chain = Chain::default();
    while let Some(infix) = rest.terminal().and_then(priority::infix).filter(|infix| infix.priority == priority::COMPOSE) {
        chain.grow(rest)?;
        let (after, right) = value(rest.advance(1))?;
        let span = left.span.to(right.span);
        left = Expr { kind: ExprKind::Binary(infix.op, Box::new(left), Box::new(right)), span };
        rest = after;
    }
    Ok((rest, left))
}

/// A formula that must be a predicate. Predicates never form lists, so commas inside build pairs.
pub(super) fn predicate(input: Input<'_>) -> Res<'_, Expr> {
    let (rest, expr) = formula_to_its_end(input)?;
    check_sort(input, &expr, Sort::Predicate);
    Ok((rest, expr))
}

/// A formula that must be an expression.
pub(super) fn expression(input: Input<'_>) -> Res<'_, Expr> {
    let (rest, expr) = formula(input)?;
    check_sort(input, &expr, Sort::Expression);
    Ok((rest, expr.without_label()))
}

/// Expressions separated by commas.
pub(super) fn expressions(input: Input<'_>) -> Res<'_, Vec<Expr>> {
    separated_list1(sign(Terminal::Comma), cut(expression)).parse(input)
}

fn climb(input: Input<'_>, minimum: u8, commas: bool) -> Res<'_, Expr> {
    nested(input, |input| operators(input, minimum, commas))
}

/// An operand and all operators behind it that bind at least as tightly as `minimum`.
fn operators(input: Input<'_>, minimum: u8, commas: bool) -> Res<'_, Expr> {
    // Labels and descriptions belong to whole conjuncts. These are read at a level of the connectives or, as right operand of `&`, just
    // above it; operands of tighter operators do not take pragmas.
    let takes_pragmas = minimum <= priority::AND + 1;
    let (mut rest, mut left) = if takes_pragmas { labelled(input, commas)? } else { prefix(input)? };
    let mut chain = Chain::default();
    let mut compared = false;
    // Whether the root of `left` is a comma of this loop.
    let mut is_pair = false;
    // Invariant: `left` is all that has been read up to `rest`. Every operator of the loop binds at least as tightly as `minimum`; the
    // first that does not is left to the caller.
    loop {
        if takes_pragmas {
            left = described(rest, left);
        }
        // With nothing behind it, a comma was left over: the caller reports it.
        if commas && minimum <= priority::COMMA && rest.is(Terminal::Comma) && !rest.advance(1).is_empty() {
            chain.grow(rest)?;
            // To the left: `a, b, c` is `(a, b), c`, as the maplet is.
            let (after, right) = climb(rest.advance(1), priority::COMMA + 1, commas)?;
            let span = left.span.to(right.span);
            // `not(P), x = 1`
            let is_predicate = [&left, &right].into_iter().any(|part| sort(part) == Sort::Predicate);
            if is_predicate && minimum <= priority::AND {
                input.context().report(comma_between_conjuncts(rest));
            }
            left = Expr { kind: ExprKind::CommaPair(Box::new(left), Box::new(right)), span };
            is_pair = true;
            rest = after;
            continue;
        }
        let exchanged = rest.terminal().and_then(priority::exchanged);
        let found = exchanged.map(|infix| (infix, 1)).or_else(|| operator(rest));
        let Some((infix, tokens)) = found else { break };
        if infix.priority < minimum {
            break;
        }
        // Operators that are tighter than the comparison went into its right operand. So the one that follows a comparison here is looser,
        // or of the same level: then `a = b = c` is refused.
        if infix.associativity == Associativity::None && compared {
            return Err(rest.failure(chained_comparison(rest, &left)));
        }
        repair_habit(rest, infix.op, tokens);
        warn_of_double_minus(rest);
        chain.grow(rest)?;
        // A left-associative operator leaves the next one of its level to this loop; a right-associative one leaves it to its right
        // operand.
        let right_minimum = if infix.associativity == Associativity::Right { infix.priority } else { infix.priority + 1 };
        // A comma separates operands of `;` and `||`: `(r ; s, t)` is the pair of `r ; s` and t, `(a, r ; s)` that of a and `r ; s`.
        let combines = infix.priority == priority::COMPOSE;
        let (after, right) = climb(rest.advance(tokens), right_minimum, commas && !combines)?;
        rest = after;
        if combines
            && is_pair
            && let ExprKind::CommaPair(_, second) = &mut left.kind
        {
            let first = std::mem::replace(&mut **second, Expr { kind: ExprKind::Error, span: right.span });
            **second = binary(input, infix.op, false, (first, right));
            left.span = left.span.to(second.span);
            continue;
        }
        is_pair = false;
        left = binary(input, infix.op, exchanged.is_some(), (left, right));
        compared = infix.associativity == Associativity::None;
    }
    Ok((rest, left))
}

/// An operator with its operands in the order of the text; `is_exchanged`: the tree has them in reverse order.
fn binary(input: Input<'_>, op: BinaryOp, is_exchanged: bool, (left, right): (Expr, Expr)) -> Expr {
    // Diagnostics refer to the operands in source order, so they are checked before they are exchanged.
    check_operands(input, op, &left, &right);
    warn_of_one_priority(input, op, &left, &right);
    let span = left.span.to(right.span);
    // Parentheses let labels into the operands, `(x /*@desc d*/) + 1`. Only conjuncts have labels, so a value drops its own.
    let (left, right) = match operands_of(op) {
        Sort::Expression => (left.without_label(), right.without_label()),
        _ => (left, right),
    };
    // Only the tree has the sides exchanged: spans and checks follow the text.
    let (first, second) = if is_exchanged { (right, left) } else { (left, right) };
    Expr { kind: ExprKind::Binary(op, Box::new(first), Box::new(second)), span }
}

/// The error that a comparison follows `left`, which is one.
fn chained_comparison(at: Input<'_>, left: &Expr) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnexpectedToken, at.span(), format!("{} follows another comparison", at.found()))
        .label("comparisons do not chain");
    if at.is(Terminal::Exists) {
        return diagnostic.help(COMMENTS).fix(at.written(1, "//"));
    }
    let ExprKind::Binary(compared, first, second) = &left.kind else { return diagnostic };
    // `x : S, y : T`
    if let ExprKind::CommaPair(before, behind) = &second.kind
        && let Some(comma) = at.comma_between(before.span, behind.span)
    {
        return comma_between_conjuncts(comma);
    }
    // `a < 1 /\ b < 2`: the sign in the middle binds tighter than the comparisons.
    let connective = |a: &Expr, b: &Expr, sign| Fix::new(format!("write {sign}"), [Edit::sign(a.span, b.span, sign)]);
    let (help, fix) = match &second.kind {
        ExprKind::Binary(BinaryOp::Intersection, a, b) => {
            ("`/\\` is the intersection of sets; the conjunction of predicates is P & Q", connective(a, b, "&"))
        }
        ExprKind::Binary(BinaryOp::Union, a, b) => {
            ("`\\/` is the union of sets; the disjunction of predicates is P or Q", connective(a, b, "or"))
        }
        ExprKind::Binary(BinaryOp::InsertFront, a, b) => {
            ("`->` puts an element in front of a sequence; the implication is P => Q", connective(a, b, "=>"))
        }
        ExprKind::Binary(BinaryOp::TotalFunctions, a, b) => ("the implication of predicates is P => Q", connective(a, b, "=>")),
        ExprKind::Binary(BinaryOp::Relations, a, b) => ("the equivalence of predicates is P <=> Q", connective(a, b, "<=>")),
        _ => {
            let chained = diagnostic.help("write a < b & b < c, or put one comparison into bool(..)");
            if let Some(fix) = at.filtered_set(first.span) {
                return chained.help("the set of all x of S that have P is {x | x : S & P}").fix(fix);
            }
            // `inv1: x > 0`
            if *compared == BinaryOp::Member && matches!(first.kind, ExprKind::Ident(_)) {
                let edits = [Edit::before(first.span, "/*@label "), Edit::sign(first.span, second.span, "*/")];
                return chained.help("a label is a comment: /*@label L*/ P").fix(Fix::new("make the label a comment", edits));
            }
            let again = Edit::before(at.span(), "& ").copy(second.span).text(" ");
            // In `b = x > 0` the first sign compares a value of BOOL.
            let is_alike = (*compared == BinaryOp::Equal) == at.is(Terminal::Equal);
            return chained.fixes(is_alike.then(|| Fix::new("compare twice", [again])));
        }
    };
    let diagnostic = if *compared == BinaryOp::Member {
        diagnostic.help("write a < b & b < c, or put one comparison into bool(..)")
    } else {
        diagnostic
    };
    diagnostic.help(help).fix(fix)
}

/// The error for a comma where only a conjunction makes sense.
fn comma_between_conjuncts(comma: Input<'_>) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, comma.span(), "expected `&` between two conjuncts, found `,`")
        .label("write &")
        .help("conjuncts are joined by &; a comma builds a pair")
        .fix(comma.written(1, " &"))
}

/// The operator at this place, those that other languages spell differently included, and the number of tokens that it has.
fn operator(input: Input<'_>) -> Option<(priority::Infix, usize)> {
    // The other spelling first, because it may be longer: `=<`.
    let other = habit::operator(input).map(|(infix, tokens)| (*infix, tokens));
    other.or_else(|| input.terminal().and_then(priority::infix).map(|infix| (*infix, 1)))
}

/// Reports an operator in the spelling of another language.
fn repair_habit(input: Input<'_>, op: BinaryOp, tokens: usize) {
    // Called for every operator: those of B itself end here.
    if habit::operator(input).is_none() {
        return;
    }
    let between = if habit::is_joined(input) { "" } else { " " };
    let words: Vec<&str> = (0..tokens).filter_map(|at| input.peek_at(at)?.spelling()).collect();
    let written = words.join(between);
    let right = priority::of(op).terminal.text();
    let place = input.span().to(input.advance(tokens).previous_span());
    input.context().report(
        Diagnostic::error(Code::UnexpectedToken, place, format!("`{written}` is not an operator of B here"))
            .label(format!("write {right}"))
            .help(format!("B writes {right} where other languages write {written}"))
            .fix(input.written(tokens, right)),
    );
}

/// An operand with the label pragmas before it, if there are any.
fn labelled(input: Input<'_>, commas: bool) -> Res<'_, Expr> {
    let Some((text, place)) = joined(input, |pragma| matches!(pragma, Pragma::Label(_))) else { return prefix(input) };
    // No operator has the priority AND + 1, so this reads the same text as at that level. But at AND + 1, `operators` would itself look for
    // a label, and find this one again without end.
    let (rest, expr) = climb(input, priority::AND + 2, commas)?;
    if sort(&expr) == Sort::Expression {
        return Ok((rest, expr));
    }
    let span = place.to(expr.span);
    Ok((rest, Expr { kind: ExprKind::Labelled(text, Box::new(expr)), span }))
}

/// The texts of the pragmas of one kind before the next token, joined into one label, and their place. One node for all of them: a text
/// may have any number in a row, and nesting is limited.
fn joined(input: Input<'_>, is_wanted: impl Fn(&Pragma<'_>) -> bool) -> Option<(String, Span)> {
    let mut texts = Vec::new();
    let mut place: Option<Span> = None;
    for (pragma, span) in input.pragmas().iter().filter(|(pragma, _)| is_wanted(pragma)) {
        let (Pragma::Label(text) | Pragma::Description(text) | Pragma::File(text)) = pragma;
        texts.push(*text);
        place = Some(place.map_or(*span, |first| first.to(*span)));
    }
    place.map(|place| (texts.join(BETWEEN_LABELS), place))
}

/// Wraps a formula in the description pragmas behind it, if there are any; behind a label of its own they complete it. A value has no
/// label: passes look at its form.
fn described(input: Input<'_>, expr: Expr) -> Expr {
    // Checked first: this is called at each operator.
    if input.pragmas().is_empty() || sort(&expr) == Sort::Expression {
        return expr;
    }
    let exchanged = || input.terminal().and_then(priority::exchanged).map(|infix| infix.priority);
    if operator(input).map(|(infix, _)| infix.priority).or_else(exchanged).is_some_and(|priority| priority > priority::AND) {
        return expr;
    }
    match joined(input, |pragma| matches!(pragma, Pragma::Description(_))) {
        // A description that an inner operand has taken lies inside that operand's span.
        Some((text, place)) if place.start >= expr.span.end => {
            let span = expr.span.to(place);
            let kind = match expr.kind {
                ExprKind::Labelled(label, inner) => ExprKind::Labelled([label, text].join(BETWEEN_LABELS), inner),
                kind => ExprKind::Labelled(text, Box::new(Expr { kind, span: expr.span })),
            };
            Expr { kind, span }
        }
        _ => expr,
    }
}

/// A prefix minus or an operand.
fn prefix(input: Input<'_>) -> Res<'_, Expr> {
    if !input.is(Terminal::Minus) {
        return postfix(input);
    }
    // `--` could be a slip for a comment of another language, or a difference whose left side is missing.
    if input.terminal_at(1) == Some(Terminal::Minus) {
        return Err(input.advance(1).failure(
            Diagnostic::error(Code::UnexpectedToken, input.advance(1).span(), "two prefix minuses need parentheses")
                .help("write -(-x); a comment begins with //, or stands between /* and */"),
        ));
    }
    // Tighter than every infix operator, the power included: `-2 ** 2` is `(-2) ** 2`.
    let (rest, operand) = postfix(input.advance(1))?;
    check_sort(input, &operand, Sort::Expression);
    let span = input.span().to(operand.span);
    Ok((rest, Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(operand.without_label())), span }))
}

/// An operand with its applications, images, fields and inverses.
pub(super) fn postfix(input: Input<'_>) -> Res<'_, Expr> {
    let (mut rest, mut expr) = primary(input)?;
    let mut chain = Chain::default();
    let mut inverted = false;
    loop {
        let opener = rest.span();
        let inside = rest.advance(1);
        let (after, kind) = match rest.terminal() {
            Some(Terminal::OpenParen) => {
                // Arguments of either sort: this may be the call of a definition, whose parameters may be predicates.
                let (after, arguments) = separated_list1(sign(Terminal::Comma), cut(formula)).parse(inside)?;
                let (after, _) = close(Terminal::CloseParen, opener, "parenthesis")(after)?;
                (after, ExprKind::Apply(Box::new(expr.without_label()), arguments))
            }
            Some(Terminal::OpenBracket) => {
                let (after, set) = formula_in_brackets(inside)?;
                let (after, _) = close(Terminal::CloseBracket, opener, "bracket")(after)?;
                (after, ExprKind::Image(Box::new(expr.without_label()), Box::new(set)))
            }
            Some(Terminal::Prime) if !matches!(inside.peek(), Some(Token::Name(..))) => {
                let diagnostic = inside.expected("the name of a record field");
                // `x' = x + 1` where a substitution begins.
                let is_assignment = inside.is(Terminal::Equal) && input.previous().is_some_and(Token::comes_before_substitution);
                let fix = is_assignment.then(|| rest.written(2, " :="));
                let help = "B has no primes: x := E gives x its next value; in x :(P), x is the new value and x$0 the old one";
                return Err(inside.failure(diagnostic.help(help).fixes(fix)));
            }
            Some(Terminal::Prime) => {
                let (after, field) = plain_name("the name of a record field")(inside)?;
                (after, ExprKind::Field(Box::new(expr.without_label()), field))
            }
            // `r^-1`
            Some(Terminal::Concat)
                if inside.is(Terminal::Minus) && matches!(inside.peek_at(1), Some(Token::Integer(digits)) if digits == "1") =>
            {
                let place = rest.span().to(inside.advance(1).span());
                let wrong = Diagnostic::error(Code::UnexpectedToken, place, "`^-1` is not an operator of B").label("write ~");
                rest.context().report(wrong.help("the inverse of a relation is r~").fix(rest.written(3, "~")));
                (inside.advance(2), ExprKind::Unary(UnaryOp::Inverse, Box::new(expr.without_label())))
            }
            // The grammar of B's reference manual has one; most who write two have mistaken it for something else.
            Some(Terminal::Inverse) if inverted => {
                let fix = Fix::new("write (r~)~", [Edit::before(expr.span, "("), Edit::before(opener, ")")]);
                let twice = Diagnostic::error(Code::UnexpectedToken, opener, "`~` follows another `~`").help("write (r~)~").fix(fix);
                return Err(rest.failure(twice));
            }
            Some(Terminal::Inverse) => (inside, ExprKind::Unary(UnaryOp::Inverse, Box::new(expr.without_label()))),
            _ => return Ok((rest, expr)),
        };
        chain.grow(rest)?;
        inverted = matches!(kind, ExprKind::Unary(..));
        expr = Expr { kind, span: input.span().to(after.previous_span()) };
        rest = after;
    }
}

/// The sort of a formula by its form alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// True or false.
    Predicate,
    /// A value.
    Expression,
    /// A name or call that a definition may make either.
    Open,
}

/// The sort of a formula, as far as its form determines it.
pub(crate) fn sort(mut expr: &Expr) -> Sort {
    loop {
        return match &expr.kind {
            ExprKind::Labelled(_, inner) | ExprKind::If(_, inner, _) | ExprKind::Let(_, _, inner) => {
                expr = inner;
                continue;
            }
            // A name may be that of a definition, whose body only `sema` knows; a damaged formula is not reported twice.
            ExprKind::Ident(_) | ExprKind::Error => Sort::Open,
            ExprKind::Apply(function, _) if matches!(function.kind, ExprKind::Ident(_)) => Sort::Open,
            ExprKind::Binary(op, ..) if priority::of(*op).priority > priority::COMPARE => Sort::Expression,
            // The loosest operators of all, but their results are relations.
            ExprKind::Binary(BinaryOp::Compose | BinaryOp::ParallelProduct, ..) => Sort::Expression,
            ExprKind::Binary(..)
            | ExprKind::Quantified(..)
            | ExprKind::Constant(Constant::BTrue | Constant::BFalse)
            | ExprKind::Builtin(Builtin::Not | Builtin::Finite | Builtin::Partition, _) => Sort::Predicate,
            _ => Sort::Expression,
        };
    }
}

/// Reports a formula that is plainly of the other sort.
pub(super) fn check_sort(input: Input<'_>, expr: &Expr, wanted: Sort) {
    match (wanted, sort(expr)) {
        (Sort::Predicate, Sort::Expression) => input.context().report(input.unless_arrow(predicate_wanted(expr, expr.span))),
        (Sort::Expression, Sort::Predicate) => {
            let fix = match &expr.kind {
                // `s & {e}` is not meant as a predicate.
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) if is_set_by_form(left) || is_set_by_form(right) => None,
                _ => Some(Fix::new("write bool(…)", Edit::around(expr.span, "bool(", ")"))),
            };
            input.context().report(expression_wanted(expr).help("bool(P) makes a value of BOOL from a predicate P").fixes(fix));
        }
        _ => {}
    }
}

fn expression_wanted(expr: &Expr) -> Diagnostic {
    Diagnostic::error(Code::ExpectedExpression, expr.span, "expected an expression, found a predicate")
        .label("this is true or false, not a value")
}

fn predicate_wanted(expr: &Expr, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::ExpectedPredicate, span, "expected a predicate, found an expression")
        .label("this is a value, not true or false");
    let write = |text: &'static str| Fix::new(format!("write {text}"), [Edit::replace(span, text)]);
    match &expr.kind {
        ExprKind::Constant(Constant::True) => diagnostic.help("TRUE is a value of BOOL; the predicate is btrue").fix(write("btrue")),
        ExprKind::Constant(Constant::False) => diagnostic.help("FALSE is a value of BOOL; the predicate is bfalse").fix(write("bfalse")),
        ExprKind::Binary(BinaryOp::InsertTail, left, right) => diagnostic
            .help("`<-` is one sign, which appends to a sequence; with a blank, a < -b, it compares with a negative number")
            .fix(Fix::new("write < -", [Edit::sign(left.span, right.span, "< -")])),
        // No type is known here, so the help names remedies for every type.
        _ => diagnostic.help("compare it with something: E = F, E : S; a value b of BOOL becomes a predicate as b = TRUE"),
    }
}

fn check_operands(input: Input<'_>, op: BinaryOp, left: &Expr, right: &Expr) {
    // Signs of sets that other notations use for predicates, and vice versa.
    let (sign, help) = match op {
        BinaryOp::Intersection => ("&", "the conjunction of predicates is P & Q"),
        BinaryOp::Union | BinaryOp::ParallelProduct => ("or", "the disjunction of predicates is P or Q"),
        BinaryOp::InsertFront | BinaryOp::TotalFunctions => ("=>", "the implication is P => Q"),
        BinaryOp::Relations => ("<=>", "the equivalence of predicates is P <=> Q"),
        BinaryOp::And => ("/\\", "the intersection of sets is S /\\ T"),
        BinaryOp::Or => ("\\/", "the union of sets is S \\/ T"),
        _ => {
            check_sort(input, left, operands_of(op));
            check_sort(input, right, operands_of(op));
            return;
        }
    };
    let wanted = operands_of(op);
    let fits = |operand: &Expr| sort(operand) == wanted;
    let shows = |operand: &Expr| sort(operand) == Sort::Predicate || is_set_by_form(operand);
    // No operand has the right sort, and one shows what the sign was meant for.
    if !fits(left)
        && !fits(right)
        && let Some(wrong) = [left, right].into_iter().find(|operand| shows(operand))
    {
        let diagnostic = if wanted == Sort::Predicate { predicate_wanted(wrong, wrong.span) } else { expression_wanted(wrong) };
        let fix = Fix::new(format!("write {sign}"), [Edit::sign(left.span, right.span, sign)]);
        input.context().report(Diagnostic { help: vec![help.to_owned()], fixes: vec![fix], ..diagnostic });
        return;
    }
    check_sort(input, left, wanted);
    check_sort(input, right, wanted);
}

/// Whether a formula can only be a set.
fn is_set_by_form(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::SetExtension(_)
            | ExprKind::Comprehension(..)
            | ExprKind::EventComprehension(..)
            | ExprKind::Binary(BinaryOp::Union | BinaryOp::Intersection, ..)
    )
}

/// The sort of an operator's operands.
fn operands_of(op: BinaryOp) -> Sort {
    match op {
        BinaryOp::Implies | BinaryOp::And | BinaryOp::Or | BinaryOp::Equivalent => Sort::Predicate,
        _ => Sort::Expression,
    }
}
