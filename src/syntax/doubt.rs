//! Warnings about formulas that are correct, but look as if something else was meant.
//!
//! Invariant: the tree is not changed, and common intentional spellings are not warned about (`S <<| f \/ g`). Deliberately elsewhere:
//! doubts that need types (`sema`).

use super::ast::{BinaryOp, Expr, ExprKind};
use super::habit;
use super::input::Input;
use super::priority;
use super::token::{Terminal, Token};
use bcheck_source::{Code, Diagnostic, Edit, Fix};

/// Warns of `f \/ g |> S` and `S <| f \/ g`: signs of one priority group to the left, and both groupings have a meaning.
pub(super) fn warn_of_one_priority(input: Input<'_>, op: BinaryOp, left: &Expr, right: &Expr) {
    use BinaryOp::{DomainRestrict, Intersection, Override, RangeRestrict, RangeSubtract, Union};
    let ExprKind::Binary(inner, first, second) = &left.kind else { return };
    let is_mixed = match op {
        RangeRestrict | RangeSubtract => matches!(inner, Union | Intersection | Override),
        Union | Intersection | Override => *inner == DomainRestrict,
        _ => false,
    };
    // Parentheses leave no node, but they are part of the span.
    if !is_mixed || left.span.start != first.span.start || left.span.end != second.span.end {
        return;
    }
    let [before, behind] = [*inner, op].map(|op| priority::of(op).terminal.text());
    let place = second.span.to(right.span);
    let warning =
        Diagnostic::warning(Code::OnePriority, place, format!("`{before}` and `{behind}` have one priority and group to the left"));
    let [as_read, other] = [left.span, place].map(|place| Edit::around(place, "(", ")"));
    input.context().report(
        warning
            .label(format!("read as (a {before} b) {behind} c"))
            .help(format!("write parentheses: (a {before} b) {behind} c, or a {before} (b {behind} c)"))
            .fix(Fix::new("write parentheses as it is read", as_read))
            .fix(Fix::new("write parentheses around the right two", other)),
    );
}

/// Warns of ` -- ` before a name: a difference with a negative number, where other languages begin a comment.
pub(super) fn warn_of_double_minus(input: Input<'_>) {
    let is_double = input.is(Terminal::Minus) && input.terminal_at(1) == Some(Terminal::Minus) && habit::is_joined(input);
    let stands_alone = input.previous_span().end < input.span().start && !habit::is_joined(input.advance(1));
    if is_double && stands_alone && matches!(input.peek_at(2), Some(Token::Name(..))) {
        let place = input.span().to(input.advance(1).span());
        let warning =
            Diagnostic::warning(Code::UnexpectedToken, place, "`--` begins no comment in B: a negative number is subtracted here");
        input.context().report(warning.help("a comment begins with //, or stands between /* and */").fix(input.written(2, "//")));
    }
}
