//! Random formulas as B text, with parentheses around everything that has parts.
//!
//! Invariant: the text means what the formula means; where B's text leaves a type open (`{}`), any type gives the same value.

use bcheck::ir::{BinaryOp, Expr, ExprKind, IntegerSet, LocalId, Model, Pred, PredKind, Type, UnaryOp};

/// The text of an expression over a model.
pub(crate) fn expression(model: &Model, expr: &Expr) -> String {
    let of = |expr: &Expr| expression(model, expr);
    let list = |items: &[Expr]| items.iter().map(of).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Integer(number) => format!("({number})"),
        ExprKind::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        ExprKind::GivenSet(set) => model.set_name(*set).to_owned(),
        ExprKind::BoolSet => "BOOL".to_owned(),
        ExprKind::IntegerSet(IntegerSet::Nat) => "NAT".to_owned(),
        ExprKind::EmptySet => "{}".to_owned(),
        ExprKind::Variable(id) => format!("v{}", id.0),
        ExprKind::Local(id) => name(*id),
        ExprKind::Unary(op, operand) => unary(*op, &of(operand)),
        ExprKind::Binary(op, left, right) => binary(*op, &of(left), &of(right)),
        ExprKind::SetExtension(items) => format!("{{{}}}", list(items)),
        ExprKind::SequenceExtension(items) => format!("[{}]", list(items)),
        ExprKind::BoolOf(pred) => format!("bool({})", predicate(model, pred)),
        ExprKind::If(pred, then, otherwise) => format!("IF {} THEN {} ELSE {} END", predicate(model, pred), of(then), of(otherwise)),
        ExprKind::Let(bindings, body) => {
            let [(id, value)] = bindings.as_slice() else { unreachable!("one name is bound at a time") };
            format!("LET {0} BE {0} = {1} IN {2} END", name(*id), of(value), of(body))
        }
        ExprKind::Comprehension { locals, pred, value: None } => {
            format!("{{{} | {}}}", names(locals), condition(model, locals, pred))
        }
        ExprKind::Comprehension { locals, pred, value: Some(value) } => {
            format!("{{{} . {} | {}}}", names(locals), condition(model, locals, pred), of(value))
        }
        ExprKind::Binder { binder, locals, pred, body } => {
            let sign = binder.notation();
            format!("{sign}({}).({} | {})", names(locals), condition(model, locals, pred), of(body))
        }
        other => unreachable!("the maker makes no {other:?}"),
    }
}

/// The text of a predicate over a model.
pub(crate) fn predicate(model: &Model, pred: &Pred) -> String {
    let of = |pred: &Pred| predicate(model, pred);
    let joined = |parts: &[Pred], sign: &str| parts.iter().map(|part| format!("({})", of(part))).collect::<Vec<_>>().join(sign);
    match &pred.kind {
        PredKind::And(parts) => joined(parts, " & "),
        PredKind::Or(parts) => joined(parts, " or "),
        PredKind::Not(inner) => format!("not({})", of(inner)),
        PredKind::Implies(left, right) => format!("({}) => ({})", of(left), of(right)),
        PredKind::Equivalent(left, right) => format!("({}) <=> ({})", of(left), of(right)),
        PredKind::Compare(comparison, left, right) => {
            let sign = comparison.notation();
            format!("{} {sign} {}", expression(model, left), expression(model, right))
        }
        PredKind::Forall(locals, body) => match &body.kind {
            PredKind::Implies(left, right) => format!("!({}).({} => ({}))", names(locals), condition(model, locals, left), of(right)),
            other => unreachable!("the maker makes no body {other:?}"),
        },
        PredKind::Exists(locals, body) => format!("#({}).({})", names(locals), condition(model, locals, body)),
        other => unreachable!("the maker makes no {other:?}"),
    }
}

/// A condition on bound names, with their types: a set that mentions the name it gives values to leaves them open.
fn condition(model: &Model, locals: &[(LocalId, Type)], pred: &Pred) -> String {
    let typing = locals.iter().map(|(id, ty)| match ty {
        Type::Given(set) => format!(" & {} : {}", name(*id), model.set_name(*set)),
        other => unreachable!("the maker binds no names of {other:?}"),
    });
    format!("({}){}", predicate(model, pred), typing.collect::<String>())
}

fn name(id: LocalId) -> String {
    format!("x{}", id.0)
}

fn names(locals: &[(LocalId, Type)]) -> String {
    locals.iter().map(|(id, _)| name(*id)).collect::<Vec<_>>().join(", ")
}

fn unary(op: UnaryOp, operand: &str) -> String {
    let sign = op.notation();
    match op {
        UnaryOp::Negate => format!("({sign}{operand})"),
        UnaryOp::Inverse => format!("({operand}{sign})"),
        _ => format!("{sign}({operand})"),
    }
}

fn binary(op: BinaryOp, left: &str, right: &str) -> String {
    let sign = op.notation();
    match op {
        BinaryOp::Iterate | BinaryOp::Projection1 | BinaryOp::Projection2 => format!("{sign}({left}, {right})"),
        BinaryOp::Image => format!("({left})[{right}]"),
        BinaryOp::Apply => format!("({left})({right})"),
        _ => format!("({left} {sign} {right})"),
    }
}
