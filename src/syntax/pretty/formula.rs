//! Expressions and predicates as text.
//!
//! Invariant: a part gets parentheses exactly when it binds less tightly than its place demands, by the parser's own table.

use std::fmt::{Display, Formatter, Result, Write};

use super::super::ast::{Binder, Constant, Expr, ExprKind, Name, Quantifier, UnaryOp};
use super::super::keyword::{constant_terminal, function_terminal};
use super::super::priority::{self, AND, APPLY, ATOM, Associativity, COMPARE, COMPOSE, IMPLIES, INVERSE, NEGATE};
use super::{declared, names, separated, string, used};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_at(self, IMPLIES, f)
    }
}

/// The priority of a formula's outermost operator.
fn priority_of(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(op, ..) => priority::of(*op).priority,
        ExprKind::Unary(UnaryOp::Negate, _) => NEGATE,
        ExprKind::Unary(UnaryOp::Inverse, _) => INVERSE,
        ExprKind::Apply(..) | ExprKind::Image(..) | ExprKind::Field(..) => APPLY,
        // The level at which the parser looks for labels: an operand of `&` needs no parentheses, one of `<=>` does.
        ExprKind::Labelled(..) => AND + 1,
        _ => ATOM,
    }
}

/// Writes a formula where at least this priority is demanded.
pub(super) fn write_at(expr: &Expr, minimum: u8, f: &mut Formatter<'_>) -> Result {
    if priority_of(expr) >= minimum {
        return write_bare(expr, f);
    }
    f.write_char('(')?;
    write_bare(expr, f)?;
    f.write_char(')')
}

/// Writes a formula outside brackets.
pub(super) fn write_top(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    write_at(expr, IMPLIES, f)
}

/// Writes formulas outside brackets with commas.
pub(super) fn write_list(exprs: &[Expr], f: &mut Formatter<'_>) -> Result {
    separated(exprs, ", ", f, write_top)
}

// A list: the text of each kind of expression.
fn write_bare(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    match &expr.kind {
        ExprKind::Ident(text) => used(text, f),
        ExprKind::OldValue(text) => {
            used(text, f)?;
            f.write_str("$0")
        }
        ExprKind::Integer(digits) | ExprKind::Real(digits) => f.write_str(digits),
        ExprKind::String(text) => string(text, f),
        ExprKind::Constant(constant) => f.write_str(constant_terminal(*constant).text()),
        ExprKind::Unary(UnaryOp::Negate, operand) => {
            f.write_char('-')?;
            // A minus inside a minus gets parentheses: the parser refuses `--x`.
            write_at(operand, INVERSE, f)
        }
        ExprKind::Unary(UnaryOp::Inverse, operand) => {
            // Likewise `(r~)~`.
            write_at(operand, APPLY, f)?;
            f.write_char('~')
        }
        ExprKind::Binary(..) => write_binary(expr, f),
        ExprKind::CommaPair(..) => write_pair(expr, f),
        // Inside the brackets of a function `;` and `||` are relational, as the parser reads them.
        ExprKind::Builtin(builtin, arguments) => {
            f.write_str(function_terminal(*builtin).text())?;
            bracketed("(", arguments, ")", f)
        }
        ExprKind::Apply(function, arguments) => {
            write_applied(function, f)?;
            f.write_char('(')?;
            write_list(arguments, f)?;
            f.write_char(')')
        }
        // Brackets of any kind let operators of the lowest priority in.
        ExprKind::Image(relation, set) => {
            write_applied(relation, f)?;
            f.write_char('[')?;
            write_at(set, COMPOSE, f)?;
            f.write_char(']')
        }
        ExprKind::Field(record, field) => {
            write_applied(record, f)?;
            f.write_char('\'')?;
            declared(&field.text, f)
        }
        ExprKind::Quantified(quantifier, variables, body) => {
            // The parentheses of the body are part of the quantifier, so the body is at the level outside of brackets.
            f.write_str(if *quantifier == Quantifier::Forall { "!" } else { "#" })?;
            bound(variables, f)?;
            f.write_str(".(")?;
            write_top(body, f)?;
            f.write_char(')')
        }
        ExprKind::Binder(binder, variables, condition, element) => {
            f.write_str(match binder {
                Binder::Lambda => "%",
                Binder::Union => "UNION ",
                Binder::Inter => "INTER ",
                Binder::Sigma => "SIGMA ",
                Binder::Pi => "PI ",
            })?;
            bound(variables, f)?;
            f.write_str(".(")?;
            write_top(condition, f)?;
            f.write_str(" | ")?;
            write_at(element, COMPOSE, f)?;
            f.write_char(')')
        }
        ExprKind::Comprehension(variables, condition) => {
            f.write_char('{')?;
            names(variables, f)?;
            f.write_str(" | ")?;
            write_top(condition, f)?;
            f.write_char('}')
        }
        ExprKind::EventComprehension(variables, condition, element) => {
            // The parentheses keep the last name from being read as dotted: `{x.P | E}` without blanks would begin with the name `x.P`.
            f.write_str("{(")?;
            names(variables, f)?;
            f.write_str(").")?;
            write_top(condition, f)?;
            f.write_str(" | ")?;
            write_at(element, COMPOSE, f)?;
            f.write_char('}')
        }
        ExprKind::SetExtension(elements) => bracketed("{", elements, "}", f),
        ExprKind::Sequence(elements) => bracketed("[", elements, "]", f),
        ExprKind::Record(fields) => write_fields("rec(", fields, f),
        ExprKind::Struct(fields) => write_fields("struct(", fields, f),
        ExprKind::If(..) => write_conditional(expr, f),
        ExprKind::Let(variables, equations, body) => {
            f.write_str("LET ")?;
            names(variables, f)?;
            f.write_str(" BE ")?;
            write_top(equations, f)?;
            f.write_str(" IN ")?;
            write_top(body, f)?;
            f.write_str(" END")
        }
        ExprKind::Labelled(label, inner) => {
            write!(f, "/*@label {label} */ ")?;
            write_at(inner, AND + 2, f)
        }
        ExprKind::Error => f.write_str("?"),
    }
}

/// Writes a chain of operators that group to the left without recursion along the chain.
fn write_binary(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    let mut pending = Vec::new();
    let mut first = expr;
    // Down the left spine, as long as no parentheses are needed; then the operators from the inside out. A chain may have hundreds of
    // thousands of operators, for which recursion would exhaust the stack.
    while let ExprKind::Binary(op, left, right) = &first.kind {
        let infix = priority::of(*op);
        // The mirror image of the parser: the operand on the side of the grouping may have the same priority, the other must bind tighter.
        let left_minimum = if infix.associativity == Associativity::Left { infix.priority } else { infix.priority + 1 };
        pending.push((infix, right));
        first = left;
        if priority_of(left) < left_minimum || !matches!(left.kind, ExprKind::Binary(..)) {
            write_at(left, left_minimum, f)?;
            break;
        }
    }
    while let Some((infix, right)) = pending.pop() {
        write!(f, " {} ", infix.terminal.text())?;
        write_at(right, if infix.associativity == Associativity::Right { infix.priority } else { infix.priority + 1 }, f)?;
    }
    Ok(())
}

/// `(a, b, c)` for pairs that nest to the left.
fn write_pair(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    // Like `write_binary`: no recursion along the chain.
    let mut parts = Vec::new();
    let mut first = expr;
    while let ExprKind::CommaPair(left, right) = &first.kind {
        parts.push(right);
        first = left;
    }
    f.write_char('(')?;
    write_at(first, priority::COMMA + 1, f)?;
    while let Some(part) = parts.pop() {
        f.write_str(", ")?;
        write_at(part, priority::COMMA + 1, f)?;
    }
    f.write_char(')')
}

/// The operand before an argument list, an image or a field: an inverse needs no parentheses there.
fn write_applied(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    match expr.kind {
        // `succ(x)` would read as a keyword function.
        ExprKind::Constant(Constant::Succ | Constant::Pred) => write!(f, "({expr})"),
        _ => write_at(expr, INVERSE, f),
    }
}

/// Bound variables: several are in parentheses.
fn bound(variables: &[Name], f: &mut Formatter<'_>) -> Result {
    if variables.len() == 1 {
        return names(variables, f);
    }
    f.write_char('(')?;
    names(variables, f)?;
    f.write_char(')')
}

fn bracketed(open: &str, elements: &[Expr], close: &str, f: &mut Formatter<'_>) -> Result {
    f.write_str(open)?;
    separated(elements, ", ", f, |element, f| write_at(element, COMPOSE, f))?;
    f.write_str(close)
}

fn write_fields(open: &str, fields: &[(Name, Expr)], f: &mut Formatter<'_>) -> Result {
    f.write_str(open)?;
    separated(fields, ", ", f, |(name, value), f| {
        // Without labels, `rec(E, F)`: the type determines them.
        if !name.text.is_empty() {
            declared(&name.text, f)?;
            f.write_str(" : ")?;
        }
        // As the parser reads a field: `rec(a : b : c)` would be ambiguous.
        write_at(value, COMPARE + 1, f)
    })?;
    f.write_char(')')
}

/// IF, with ELSIF for what nests in the ELSE part.
fn write_conditional(expr: &Expr, f: &mut Formatter<'_>) -> Result {
    // A loop, as chains of ELSIF nest in the tree as deeply as they are long.
    let mut current = expr;
    let mut keyword = "IF ";
    while let ExprKind::If(condition, yes, no) = &current.kind {
        f.write_str(keyword)?;
        write_top(condition, f)?;
        f.write_str(" THEN ")?;
        write_top(yes, f)?;
        match no {
            None => break,
            Some(no) if matches!(no.kind, ExprKind::If(..)) => current = no,
            Some(no) => {
                f.write_str(" ELSE ")?;
                write_top(no, f)?;
                break;
            }
        }
        keyword = " ELSIF ";
    }
    f.write_str(" END")
}
