//! Replaces the names that quantifiers bind by values.
//!
//! Invariant: nothing but free occurrences of the name changes. Deliberately elsewhere: which values (`instances`).

use bcheck_ir::temporal::{FairnessKind, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalKind, TemporalProposition};
use bcheck_ir::{BinaryOp, Expr, ExprKind, LocalId, Rewrite, Type, rewrite_expr, rewrite_pred};
use bcheck_source::Span;
use bcheck_value::Value;

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
        // Infinite and symbolic sets, and free values, have no literal in the core language.
        _ => return None,
    };
    Some(Expr { kind, ty: ty.clone(), span })
}

/// Puts a literal in the place of a bound name.
pub(super) struct Substitution<'a> {
    pub(super) local: LocalId,
    pub(super) literal: &'a Expr,
}

impl Rewrite for Substitution<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        // Ids of bound names are unique in a model, so there is nothing to capture or to shadow.
        if expr.kind == ExprKind::Local(self.local) {
            expr.kind = self.literal.kind.clone();
        }
    }
}

/// Substitutes in a formula.
pub(super) fn substitute(formula: &mut Temporal, by: &mut Substitution<'_>) {
    match &mut formula.kind {
        TemporalKind::Proposition(TemporalProposition::State(proposition)) => in_state(proposition, by),
        TemporalKind::Proposition(TemporalProposition::Step(proposition)) => match proposition {
            StepProposition::Taken(pattern) => in_pattern(pattern, by),
            StepProposition::Compared(_, expr) => rewrite_expr(expr, by),
            StepProposition::BeforeAfter(pred) => rewrite_pred(pred, by),
        },
        TemporalKind::Prefixed(prefix, _) => match prefix {
            Prefix::Path { step, .. } => step.iter_mut().for_each(|pattern| in_pattern(pattern, by)),
            // An inner quantifier binds another id: see above.
            Prefix::Quantified { condition, .. } => rewrite_pred(condition, by),
            Prefix::Fair(fairness) => {
                for kind in fairness {
                    if let FairnessKind::Of { alternatives, .. } = kind {
                        alternatives.iter_mut().flatten().for_each(|pattern| in_pattern(pattern, by));
                    }
                }
            }
        },
        TemporalKind::Constant(_) | TemporalKind::Unary(..) | TemporalKind::Binary(..) => {}
    }
    formula.parts_mut().for_each(|part| substitute(part, by));
}

fn in_state(proposition: &mut StateProposition, by: &mut Substitution<'_>) {
    match proposition {
        StateProposition::Holds(pred) => rewrite_pred(pred, by),
        StateProposition::Enabled(pattern) => in_pattern(pattern, by),
        StateProposition::NoneEnabled(patterns) | StateProposition::OneEnabled(patterns) | StateProposition::AtMostOneEnabled(patterns) => {
            patterns.iter_mut().for_each(|pattern| in_pattern(pattern, by))
        }
        StateProposition::Deadlock | StateProposition::Sink | StateProposition::Current => {}
    }
}

fn in_pattern(pattern: &mut Pattern, by: &mut Substitution<'_>) {
    pattern.arguments.iter_mut().flatten().for_each(|argument| rewrite_expr(argument, by));
}
