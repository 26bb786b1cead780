//! Quantifiers of temporal formulas: written out over the values of their names.
//!
//! Invariant: what comes back is closed and without quantifiers, and means the same. A name's values stand in the formula as literals, so
//! that whoever reads its text for symmetry finds the elements that it names, and keeps them. Of a universal quantifier outside of all
//! temporal operators each value makes a formula of its own, and of values that symmetries of the formula make of each other one is enough:
//! the formulas are images of each other, so all of them hold or none does.
//! Deliberately elsewhere: which symmetries a formula leaves (`symmetric`).

use crate::eval::{EvalError, Machine};
use crate::ir::temporal::{
    FairnessKind, Linear, LinearBinary, LinearKind, Pattern, StateProposition, StepProposition, TemporalBody, TemporalFormula,
};
use crate::ir::{BinaryOp, Expr, ExprKind, LocalId, Node, Pred, PredKind, Rewrite, Type, rewrite_expr, rewrite_pred, walk_pred};
use crate::source::Span;
use crate::symmetry::{Scratch, Symmetry};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// More values of one name are refused: each makes a copy of the formula.
const MOST_VALUES: usize = 4096;

/// Why a quantifier cannot be written out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unwritten {
    /// The values of the name cannot be listed.
    Endless(EvalError),
    /// There are too many of them.
    TooMany(usize),
    /// One of them cannot stand in a formula.
    NoLiteral,
    /// A limit ended the search for the calls that fairness is about.
    Limit,
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Endless(error) => write!(f, "the values of a quantified name cannot be listed: {}", error.kind),
            Self::TooMany(count) => write!(f, "a quantified name has {count} values; at most {MOST_VALUES} are written out"),
            Self::NoLiteral => f.write_str("a quantified name has values that cannot be written out, as infinite sets"),
            Self::Limit => f.write_str("a limit ended the search for the calls that fairness is assumed of"),
        }
    }
}

/// The formulas that together say what one formula says; all of them must hold.
pub(super) fn instances(
    machine: &Machine,
    formula: &TemporalFormula,
    symmetric: &dyn Fn(&TemporalFormula) -> Symmetry,
) -> Result<Vec<TemporalFormula>, Unwritten> {
    let TemporalBody::Linear(linear) = &formula.body else { return Ok(vec![formula.clone()]) };
    let with = |body| TemporalFormula { body: TemporalBody::Linear(body), ..formula.clone() };
    let mut closed = Vec::new();
    let mut waiting = vec![linear.clone()];
    // Last in, first out, with the values in reverse: the formulas come in the order of the values.
    while let Some(linear) = waiting.pop() {
        let LinearKind::Quantified { is_universal: true, local, ty, condition, body } = &linear.kind else {
            closed.push(with(written_out(machine, &linear)?));
            continue;
        };
        let symmetry = symmetric(&with(linear.clone()));
        let mut orbits = FxHashSet::default();
        let mut values = values_of(machine, *local, ty, condition)?;
        values.retain(|value| orbits.insert(symmetry.canonical(std::slice::from_ref(value), &mut Scratch::default()).state));
        for value in values.iter().rev() {
            let literal = literal(value, ty, linear.span).ok_or(Unwritten::NoLiteral)?;
            waiting.push(instance(true, condition, body, *local, &literal));
        }
    }
    Ok(closed)
}

/// A formula with its quantifiers written out where they stand.
fn written_out(machine: &Machine, linear: &Linear) -> Result<Linear, Unwritten> {
    let kind = match &linear.kind {
        LinearKind::Constant(_) | LinearKind::State(_) | LinearKind::Step(_) => linear.kind.clone(),
        LinearKind::Unary(operator, operand) => LinearKind::Unary(*operator, Box::new(written_out(machine, operand)?)),
        LinearKind::Binary(operator, left, right) => {
            LinearKind::Binary(*operator, Box::new(written_out(machine, left)?), Box::new(written_out(machine, right)?))
        }
        LinearKind::Fair(fairness, body) => LinearKind::Fair(fairness.clone(), Box::new(written_out(machine, body)?)),
        LinearKind::Quantified { is_universal, local, ty, condition, body } => {
            let mut parts = Vec::new();
            for value in values_of(machine, *local, ty, condition)? {
                let literal = literal(&value, ty, linear.span).ok_or(Unwritten::NoLiteral)?;
                parts.push(written_out(machine, &instance(*is_universal, condition, body, *local, &literal))?);
            }
            let operator = if *is_universal { LinearBinary::And } else { LinearBinary::Or };
            let join = |left, right| Linear { kind: LinearKind::Binary(operator, Box::new(left), Box::new(right)), span: linear.span };
            return Ok(parts.into_iter().reduce(join).unwrap_or(Linear { kind: LinearKind::Constant(*is_universal), span: linear.span }));
        }
    };
    Ok(Linear { kind, span: linear.span })
}

/// `p => f` or `p & f` with a value for the name.
fn instance(is_universal: bool, condition: &Pred, body: &Linear, local: LocalId, literal: &Expr) -> Linear {
    let mut condition = condition.clone();
    rewrite_pred(&mut condition, &mut Substitution { local, literal });
    let mut body = body.clone();
    substitute(&mut body, &mut Substitution { local, literal });
    let condition = Linear { span: condition.span, kind: LinearKind::State(StateProposition::Holds(condition)) };
    conditional(is_universal, condition, body)
}

/// `p => f` or `p & f`, with fairness and further universal quantifiers still outermost.
fn conditional(is_universal: bool, condition: Linear, body: Linear) -> Linear {
    let span = body.span;
    let kind = match body.kind {
        LinearKind::Fair(fairness, inner) => LinearKind::Fair(fairness, Box::new(conditional(is_universal, condition, *inner))),
        LinearKind::Quantified { is_universal: true, local, ty, condition: inner, body } if is_universal => {
            let body = Box::new(conditional(true, condition, *body));
            LinearKind::Quantified { is_universal, local, ty, condition: inner, body }
        }
        kind => {
            let operator = if is_universal { LinearBinary::Implies } else { LinearBinary::And };
            LinearKind::Binary(operator, Box::new(condition), Box::new(Linear { kind, span }))
        }
    };
    Linear { kind, span }
}

/// The values that a name ranges over: those that satisfy its condition if that is about nothing else, else all of its type.
fn values_of(machine: &Machine, local: LocalId, ty: &Type, condition: &Pred) -> Result<Vec<Value>, Unwritten> {
    let mut is_closed = true;
    walk_pred(condition, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::OldVariable(_), .. }) = node {
            is_closed = false;
        }
    });
    let span = condition.span;
    let pred = if is_closed { condition.clone() } else { Pred { kind: PredKind::True, span } };
    let kind = ExprKind::Comprehension { locals: vec![(local, ty.clone())], pred: Box::new(pred), value: None };
    let all = machine.evaluate(&Expr { kind, ty: Type::set(ty.clone()), span }, &[]).map_err(Unwritten::Endless)?;
    let Value::Set(set) = all else { return Err(Unwritten::NoLiteral) };
    if set.len() > MOST_VALUES {
        return Err(Unwritten::TooMany(set.len()));
    }
    Ok(set.iter().collect())
}

/// A value as an expression.
pub(super) fn literal(value: &Value, ty: &Type, span: Span) -> Option<Expr> {
    let kind = match (value, ty) {
        (Value::Bool(truth), _) => ExprKind::Bool(*truth),
        (Value::Integer(number), _) => ExprKind::Integer(number.to_big()),
        (Value::Element(element), _) => ExprKind::Element(element.set, element.index),
        (Value::String(text), _) => ExprKind::String(text.clone()),
        (Value::Pair(pair), Type::Pair(first, second)) => {
            let (first, second) = (literal(&pair.0, first, span)?, literal(&pair.1, second, span)?);
            ExprKind::Binary(BinaryOp::Pair, Box::new(first), Box::new(second))
        }
        (Value::Record(fields), Type::Record(types)) => {
            let fields = fields.iter().zip(types.iter());
            ExprKind::Record(fields.map(|((name, value), (_, ty))| Some((name.clone(), literal(value, ty, span)?))).collect::<Option<_>>()?)
        }
        (Value::Set(set), Type::Set(_)) if set.is_empty() => ExprKind::EmptySet,
        (Value::Set(set), Type::Set(element)) => {
            ExprKind::SetExtension(set.iter().map(|member| literal(&member, element, span)).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some(Expr { kind, ty: ty.clone(), span })
}

/// Puts a literal in the place of a bound name.
struct Substitution<'a> {
    local: LocalId,
    literal: &'a Expr,
}

impl Rewrite for Substitution<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if expr.kind == ExprKind::Local(self.local) {
            expr.kind = self.literal.kind.clone();
        }
    }
}

fn substitute(linear: &mut Linear, by: &mut Substitution<'_>) {
    match &mut linear.kind {
        LinearKind::Constant(_) => {}
        LinearKind::State(proposition) => substitute_in_state(proposition, by),
        LinearKind::Step(proposition) => match proposition {
            StepProposition::Taken(pattern) => substitute_in_pattern(pattern, by),
            StepProposition::Compared(_, expr) => rewrite_expr(expr, by),
            StepProposition::BeforeAfter(pred) => rewrite_pred(pred, by),
        },
        LinearKind::Unary(_, operand) => substitute(operand, by),
        LinearKind::Binary(_, left, right) => {
            substitute(left, by);
            substitute(right, by);
        }
        LinearKind::Quantified { condition, body, .. } => {
            rewrite_pred(condition, by);
            substitute(body, by);
        }
        LinearKind::Fair(fairness, body) => {
            for kind in fairness {
                if let FairnessKind::Of { patterns, .. } = kind {
                    patterns.iter_mut().flatten().for_each(|pattern| substitute_in_pattern(pattern, by));
                }
            }
            substitute(body, by);
        }
    }
}

fn substitute_in_state(proposition: &mut StateProposition, by: &mut Substitution<'_>) {
    match proposition {
        StateProposition::Holds(pred) => rewrite_pred(pred, by),
        StateProposition::Enabled(pattern) => substitute_in_pattern(pattern, by),
        StateProposition::NoneEnabled(patterns) | StateProposition::OneEnabled(patterns) | StateProposition::AtMostOneEnabled(patterns) => {
            patterns.iter_mut().for_each(|pattern| substitute_in_pattern(pattern, by))
        }
        StateProposition::Deadlock | StateProposition::Sink | StateProposition::Current => {}
    }
}

fn substitute_in_pattern(pattern: &mut Pattern, by: &mut Substitution<'_>) {
    pattern.arguments.iter_mut().flatten().for_each(|argument| rewrite_expr(argument, by));
}
