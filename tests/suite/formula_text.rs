//! Random formulas as B text, with parentheses around everything that has parts.
//!
//! Invariant: the text means what the formula means; where B's text leaves a type open (`{}`), any type gives the same value.

use bcheck::ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, IntegerSet, LocalId, Model, Pred, PredKind, Type, UnaryOp};

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
            let sign = match binder {
                Binder::Lambda => "%",
                Binder::Union => "UNION",
                Binder::Inter => "INTER",
                Binder::Sigma => "SIGMA",
                Binder::Pi => "PI",
            };
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
            let sign = match comparison {
                Comparison::Equal => "=",
                Comparison::NotEqual => "/=",
                Comparison::Member => ":",
                Comparison::NotMember => "/:",
                Comparison::Subset => "<:",
                Comparison::NotSubset => "/<:",
                Comparison::StrictSubset => "<<:",
                Comparison::NotStrictSubset => "/<<:",
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
            };
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
    let function = match op {
        UnaryOp::Negate => return format!("(-{operand})"),
        UnaryOp::Inverse => return format!("({operand}~)"),
        UnaryOp::Pow => "POW",
        UnaryOp::Pow1 => "POW1",
        UnaryOp::Fin => "FIN",
        UnaryOp::Fin1 => "FIN1",
        UnaryOp::Card => "card",
        UnaryOp::GeneralUnion => "union",
        UnaryOp::GeneralInter => "inter",
        UnaryOp::Min => "min",
        UnaryOp::Max => "max",
        UnaryOp::Domain => "dom",
        UnaryOp::Range => "ran",
        UnaryOp::Identity => "id",
        UnaryOp::Closure1 => "closure1",
        UnaryOp::Function => "fnc",
        UnaryOp::Relation => "rel",
        UnaryOp::Seq => "seq",
        UnaryOp::Seq1 => "seq1",
        UnaryOp::Iseq => "iseq",
        UnaryOp::Iseq1 => "iseq1",
        UnaryOp::Perm => "perm",
        UnaryOp::Size => "size",
        UnaryOp::First => "first",
        UnaryOp::Last => "last",
        UnaryOp::Front => "front",
        UnaryOp::Tail => "tail",
        UnaryOp::Reverse => "rev",
        UnaryOp::ConcatAll => "conc",
        UnaryOp::First2 => "prj1",
        UnaryOp::Second2 => "prj2",
    };
    format!("{function}({operand})")
}

fn binary(op: BinaryOp, left: &str, right: &str) -> String {
    let sign = match op {
        BinaryOp::Iterate => return format!("iterate({left}, {right})"),
        BinaryOp::Projection1 => return format!("prj1({left}, {right})"),
        BinaryOp::Projection2 => return format!("prj2({left}, {right})"),
        BinaryOp::Image => return format!("({left})[{right}]"),
        BinaryOp::Apply => return format!("({left})({right})"),
        BinaryOp::Pair => "|->",
        BinaryOp::Add => "+",
        BinaryOp::Subtract | BinaryOp::Difference => "-",
        BinaryOp::Multiply | BinaryOp::Product => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "mod",
        BinaryOp::Power => "**",
        BinaryOp::Interval => "..",
        BinaryOp::Union => "\\/",
        BinaryOp::Intersection => "/\\",
        BinaryOp::Relations => "<->",
        BinaryOp::TotalRelations => "<<->",
        BinaryOp::SurjectiveRelations => "<->>",
        BinaryOp::TotalSurjectiveRelations => "<<->>",
        BinaryOp::PartialFunctions => "+->",
        BinaryOp::TotalFunctions => "-->",
        BinaryOp::PartialInjections => ">+>",
        BinaryOp::TotalInjections => ">->",
        BinaryOp::PartialSurjections => "+->>",
        BinaryOp::TotalSurjections => "-->>",
        BinaryOp::PartialBijections => ">+>>",
        BinaryOp::TotalBijections => ">->>",
        BinaryOp::Override => "<+",
        BinaryOp::DirectProduct => "><",
        BinaryOp::ParallelProduct => "||",
        BinaryOp::Compose => ";",
        BinaryOp::DomainRestrict => "<|",
        BinaryOp::DomainSubtract => "<<|",
        BinaryOp::RangeRestrict => "|>",
        BinaryOp::RangeSubtract => "|>>",
        BinaryOp::Concat => "^",
        BinaryOp::InsertFront => "->",
        BinaryOp::InsertTail => "<-",
        BinaryOp::TakeFirst => "/|\\",
        BinaryOp::DropFirst => "\\|/",
    };
    format!("({left} {sign} {right})")
}
