//! Template strings: "n is ${n}" between triple back quotes is the text `"n is " ^ TO_STRING(n)`.
//!
//! Invariant: each `${` begins a formula that ends at the brace that closes it; everything else is text. Deliberately elsewhere: where the
//! string ends (`lexer`), what TO_STRING gives (`sema`).

use super::ast::{BinaryOp, Expr, ExprKind};
use super::expression::{Sort, check_sort, formula_to_its_end};
use super::input::{Input, Res, problem};
use super::lexer::{lex, unescape};
use bcheck_source::{Code, Diagnostic, Span};

/// The template string at this place; `raw` is its text without quotes.
pub(super) fn template<'a>(input: Input<'a>, raw: &str) -> Res<'a, Expr> {
    let place = input.span();
    let start = place.start as usize + "```".len();
    let span = |from: usize, to: usize| Span::new(place.file, start + from, start + to);
    let mut parts: Vec<Expr> = Vec::new();
    let text = |from: usize, to: usize, parts: &mut Vec<Expr>| {
        if from < to {
            parts.push(Expr { kind: ExprKind::String(unescape(&raw[from..to]).into_owned()), span: span(from, to) });
        }
    };
    let mut at = 0;
    while let Some(found) = raw[at..].find("${") {
        let opener = at + found;
        text(at, opener, &mut parts);
        let inside = opener + "${".len();
        let Some(length) = until_brace(&raw[inside..]) else {
            let diagnostic = Diagnostic::error(Code::UnclosedBracket, span(opener, inside), "this `${` has no closing brace");
            return Err(input.failure(diagnostic.help("write ${E} for the value of E in a template string")));
        };
        at = inside + length + 1;
        let value = value(input, &raw[inside..at], start + inside);
        let kind = ExprKind::Apply(Box::new(Expr { kind: ExprKind::Ident("TO_STRING".to_owned()), span: value.span }), vec![value]);
        parts.push(Expr { kind, span: span(opener, at) });
    }
    text(at, raw.len(), &mut parts);
    let joined = parts.into_iter().reduce(|left, right| {
        let span = left.span.to(right.span);
        Expr { kind: ExprKind::Binary(BinaryOp::Concat, Box::new(left), Box::new(right)), span }
    });
    let kind = joined.map_or_else(|| ExprKind::String(String::new()), |joined| joined.kind);
    Ok((input.advance(1), Expr { kind, span: place }))
}

/// The place of the brace that closes what begins here, outside strings.
fn until_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => in_string = !in_string,
            '{' if !in_string => depth += 1,
            '}' if !in_string && depth == 0 => return Some(at),
            '}' if !in_string => depth -= 1,
            _ => {}
        }
        escaped = in_string && letter == '\\' && !escaped;
    }
    None
}

/// The formula of `text`, which begins at `start` of the file and ends with its brace.
fn value(input: Input<'_>, text: &str, start: usize) -> Expr {
    let context = input.context();
    let file = input.span().file;
    let mut lexed = lex(file, text);
    lexed.move_places(|span| *span = Span::new(file, start + span.start as usize, start + span.end as usize));
    let last = lexed.lexemes.len().saturating_sub(1);
    std::mem::take(&mut lexed.diagnostics).into_iter().for_each(|diagnostic| context.report(diagnostic));
    // Up to the brace, which messages name as what was found.
    let inside = Input::new(&lexed.lexemes, context).part(0, last);
    match formula_to_its_end(inside) {
        Ok((rest, value)) => {
            if !rest.is_empty() {
                context.report(rest.leftover("the `}` of the template string"));
            }
            check_sort(inside, &value, Sort::Expression);
            value.without_label()
        }
        Err(error) => {
            context.report_problem(problem(error));
            Expr { kind: ExprKind::Error, span: Span::new(file, start, start + text.len()) }
        }
    }
}
