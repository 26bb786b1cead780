//! Formulas of the core language as B text: of parts that the user's text does not have, because a definition was expanded.
//!
//! Invariant: every operand that is itself an operation stands in parentheses, so the text means what the formula means. Deliberately
//! elsewhere: where the user's own text is shown instead (`evidence`).

use crate::ir::{BinaryOp, Expr, ExprKind, ExternalFunction, LocalId, Model, Pred, PredKind, Type, UnaryOp};
use crate::source::{in_back_quotes, word_in_back_quotes};
use std::sync::Arc;

/// The text of an expression.
pub(super) fn expression(model: &Model, expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(|item| expression(model, item)).collect::<Vec<_>>().join(",");
    let name = |name: &str| in_back_quotes(name).into_owned();
    match &expr.kind {
        ExprKind::Integer(number) => number.to_string(),
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        ExprKind::Element(set, index) => model.element_name(*set, *index),
        ExprKind::GivenSet(set) => name(model.set_name(*set)),
        ExprKind::TypeSet => type_set(model, &expr.ty),
        ExprKind::BoolSet => "BOOL".to_owned(),
        ExprKind::StringSet => "STRING".to_owned(),
        ExprKind::IntegerSet(set) => set.notation().to_owned(),
        ExprKind::MinInt => "MININT".to_owned(),
        ExprKind::MaxInt => "MAXINT".to_owned(),
        ExprKind::EmptySet => "{}".to_owned(),
        ExprKind::Constant(id) => name(model.constant_name(*id)),
        ExprKind::Variable(id) => name(model.variable_name(*id)),
        ExprKind::OldVariable(id) => format!("{}$0", model.variable_name(*id)),
        ExprKind::Local(id) => name(model.local_name(*id)),
        ExprKind::Unary(op, inner) => unary(model, *op, inner),
        ExprKind::Binary(op, left, right) => binary(model, *op, left, right),
        ExprKind::SetExtension(items) => format!("{{{}}}", list(items)),
        ExprKind::SequenceExtension(items) => format!("[{}]", list(items)),
        ExprKind::Record(fields) => format!("rec({})", fields_of(model, fields)),
        ExprKind::Struct(fields) => format!("struct({})", fields_of(model, fields)),
        ExprKind::Field(record, field) => format!("{}'{}", operand(model, record), word_in_back_quotes(field)),
        ExprKind::BoolOf(pred) => format!("bool({})", predicate(model, pred)),
        ExprKind::If(pred, then, otherwise) => {
            format!("IF {} THEN {} ELSE {} END", predicate(model, pred), expression(model, then), expression(model, otherwise))
        }
        ExprKind::Let(bindings, body) => format!("LET {} IN {} END", bound(model, bindings), expression(model, body)),
        ExprKind::Comprehension { locals, pred, value } => {
            let value = value.as_ref().map(|value| format!(" | {}", expression(model, value)));
            let (sign, value) = if let Some(value) = value { (" . ", value) } else { (" | ", String::new()) };
            format!("{{{}{sign}{}{value}}}", names(model, locals), predicate(model, pred))
        }
        ExprKind::Binder { binder, locals, pred, body } => {
            format!("{}{}.({}|{})", binder.notation(), quantified(model, locals), predicate(model, pred), expression(model, body))
        }
        ExprKind::External(function, arguments) => external(model, *function, arguments),
    }
}

/// The text of a predicate.
pub(super) fn predicate(model: &Model, pred: &Pred) -> String {
    let joined = |parts: &[Pred], sign: &str| parts.iter().map(|part| part_of(model, part)).collect::<Vec<_>>().join(sign);
    match &pred.kind {
        PredKind::True => "btrue".to_owned(),
        PredKind::False => "bfalse".to_owned(),
        PredKind::And(parts) => joined(parts, " & "),
        PredKind::Or(parts) => joined(parts, " or "),
        PredKind::Not(inner) => format!("not({})", predicate(model, inner)),
        PredKind::Implies(left, right) => format!("{} => {}", part_of(model, left), part_of(model, right)),
        PredKind::Equivalent(left, right) => format!("{} <=> {}", part_of(model, left), part_of(model, right)),
        PredKind::Compare(comparison, left, right) => {
            format!("{} {} {}", operand(model, left), comparison.notation(), operand(model, right))
        }
        PredKind::Forall(locals, body) => format!("!{}.({})", quantified(model, locals), predicate(model, body)),
        PredKind::Exists(locals, body) => format!("#{}.({})", quantified(model, locals), predicate(model, body)),
        PredKind::If(condition, then, otherwise) => {
            let of = |pred: &Pred| predicate(model, pred);
            format!("IF {} THEN {} ELSE {} END", of(condition), of(then), of(otherwise))
        }
        PredKind::Let(bindings, body) => format!("LET {} IN {} END", bound(model, bindings), predicate(model, body)),
        PredKind::Finite(set) => format!("@finite({})", expression(model, set)),
        PredKind::Partition(set, parts) => {
            let parts: String = parts.iter().map(|part| format!(", {}", expression(model, part))).collect();
            format!("@partition({}{parts})", expression(model, set))
        }
    }
}

/// The text of names.
fn names(model: &Model, locals: &[(LocalId, Type)]) -> String {
    locals.iter().map(|(id, _)| in_back_quotes(model.local_name(*id))).collect::<Vec<_>>().join(",")
}

/// The text of names after the sign of a quantifier: several stand in parentheses.
pub(super) fn quantified(model: &Model, locals: &[(LocalId, Type)]) -> String {
    let names = names(model, locals);
    if locals.len() == 1 { names } else { format!("({names})") }
}

/// A part of a connective; other connectives stand in parentheses.
fn part_of(model: &Model, pred: &Pred) -> String {
    let text = predicate(model, pred);
    let is_infix = matches!(pred.kind, PredKind::And(_) | PredKind::Or(_) | PredKind::Implies(..) | PredKind::Equivalent(..));
    if is_infix { format!("({text})") } else { text }
}

/// An operand of an operator; infix operations stand in parentheses.
fn operand(model: &Model, expr: &Expr) -> String {
    let text = expression(model, expr);
    let is_prefix =
        |op: &BinaryOp| matches!(op, BinaryOp::Apply | BinaryOp::Image | BinaryOp::Iterate | BinaryOp::Projection1 | BinaryOp::Projection2);
    let is_infix = match &expr.kind {
        ExprKind::Binary(op, ..) => !is_prefix(op),
        ExprKind::Unary(op, _) => matches!(op, UnaryOp::Negate),
        ExprKind::Integer(number) => number.sign() == num_bigint::Sign::Minus,
        ExprKind::Binder { .. } => true,
        _ => false,
    };
    if is_infix { format!("({text})") } else { text }
}

fn bound(model: &Model, bindings: &[(LocalId, Expr)]) -> String {
    let name = |id: &LocalId| in_back_quotes(model.local_name(*id)).into_owned();
    let names: Vec<String> = bindings.iter().map(|(id, _)| name(id)).collect();
    let equations: Vec<String> = bindings.iter().map(|(id, value)| format!("{} = {}", name(id), expression(model, value))).collect();
    format!("{} BE {}", names.join(","), equations.join(" & "))
}

fn fields_of(model: &Model, fields: &[(Arc<str>, Expr)]) -> String {
    let field = |(name, value): &(Arc<str>, Expr)| format!("{}:{}", word_in_back_quotes(name), operand(model, value));
    fields.iter().map(field).collect::<Vec<_>>().join(",")
}

/// A whole type; of a free type its name.
fn type_set(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Bool => "BOOL".to_owned(),
        Type::Integer => "INTEGER".to_owned(),
        Type::String => "STRING".to_owned(),
        Type::Given(set) => model.set_name(*set).to_owned(),
        Type::Free(free) => free.name.to_string(),
        Type::Pair(first, second) => format!("({} * {})", type_set(model, first), type_set(model, second)),
        // The expression has the type of a set of the elements that it stands for.
        Type::Set(element) => match &**element {
            Type::Set(inner) => format!("POW({})", type_set(model, inner)),
            plain => type_set(model, plain),
        },
        Type::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}:{}", type_set(model, ty))).collect();
            format!("struct({})", fields.join(","))
        }
    }
}

fn unary(model: &Model, op: UnaryOp, inner: &Expr) -> String {
    let sign = op.notation();
    match op {
        UnaryOp::Negate => format!("{sign}{}", operand(model, inner)),
        UnaryOp::Inverse => format!("{}{sign}", operand(model, inner)),
        _ => format!("{sign}({})", expression(model, inner)),
    }
}

fn binary(model: &Model, op: BinaryOp, left: &Expr, right: &Expr) -> String {
    let sign = op.notation();
    match op {
        BinaryOp::Iterate | BinaryOp::Projection1 | BinaryOp::Projection2 => {
            format!("{sign}({},{})", expression(model, left), expression(model, right))
        }
        BinaryOp::Image => format!("{}[{}]", operand(model, left), expression(model, right)),
        BinaryOp::Apply => format!("{}({})", operand(model, left), expression(model, right)),
        _ => format!("{} {sign} {}", operand(model, left), operand(model, right)),
    }
}

/// A function of a library; of a free type the constructor, whose name is the first argument.
fn external(model: &Model, function: ExternalFunction, arguments: &[Expr]) -> String {
    let list = |items: &[Expr]| items.iter().map(|item| expression(model, item)).collect::<Vec<_>>().join(",");
    let name = match (function, arguments) {
        (ExternalFunction::Construct | ExternalFunction::Argument | ExternalFunction::IsMade, [constructor, rest @ ..]) => {
            let name = if let ExprKind::String(name) = &constructor.kind { in_back_quotes(name).into_owned() } else { "?".to_owned() };
            return match (function, rest) {
                (ExternalFunction::Construct, []) => name,
                (ExternalFunction::Construct, _) => format!("{name}({})", list(rest)),
                (ExternalFunction::Argument, _) => format!("{name}~({})", list(rest)),
                _ => format!("{} : ran({name})", list(rest)),
            };
        }
        (ExternalFunction::StringReverse, _) => "STRING_REV".to_owned(),
        (ExternalFunction::StringPadLeft, _) => "STRING_PADLEFT".to_owned(),
        (ExternalFunction::StringContains, _) => "STRING_CONTAINS_STRING".to_owned(),
        (ExternalFunction::StringEqualIgnoringCase, _) => "STRING_EQUAL_CASE_INSENSITIVE".to_owned(),
        (ExternalFunction::MostSignificantBit, _) => "MSB".to_owned(),
        (ExternalFunction::BitAnd, _) => "BAND".to_owned(),
        (ExternalFunction::BitOr, _) => "BOR".to_owned(),
        (ExternalFunction::BitXor, _) => "BXOR".to_owned(),
        (ExternalFunction::BitNot, _) => "BNOT".to_owned(),
        (ExternalFunction::ShiftLeft, _) => "BLSHIFT".to_owned(),
        (ExternalFunction::ShiftRight, _) => "BRSHIFT".to_owned(),
        (ExternalFunction::Components, _) => "SCCS".to_owned(),
        // The others are called as their variants are, with underscores.
        (other, _) => underscored(&format!("{other:?}")),
    };
    format!("{name}({})", list(arguments))
}

/// `StringToInt` as `STRING_TO_INT`.
fn underscored(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_uppercase());
    }
    text
}
