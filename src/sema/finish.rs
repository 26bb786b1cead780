//! The last pass: every type in the model is completed, overloaded operators get their final meaning.
//!
//! Invariant: afterwards no type contains an unknown. A name whose type is still unknown was reported before this pass runs.

use super::types::{Types, with_default};
use crate::ir::{BinaryOp, Expr, ExprKind, LocalId, Pred, PredKind, Subst, SubstKind, Type};

/// Completes types.
pub(super) struct Finisher<'t> {
    pub(super) types: &'t Types,
}

impl Finisher<'_> {
    pub(super) fn ty(&self, ty: &mut Type) {
        *ty = with_default(&self.types.resolve(ty));
    }

    fn locals(&self, locals: &mut [(LocalId, Type)]) {
        locals.iter_mut().for_each(|(_, ty)| self.ty(ty));
    }

    pub(super) fn expr(&self, expr: &mut Expr) {
        self.ty(&mut expr.ty);
        match &mut expr.kind {
            ExprKind::Integer(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Element(..)
            | ExprKind::GivenSet(_)
            | ExprKind::TypeSet
            | ExprKind::BoolSet
            | ExprKind::StringSet
            | ExprKind::IntegerSet(_)
            | ExprKind::MinInt
            | ExprKind::MaxInt
            | ExprKind::EmptySet
            | ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::OldVariable(_)
            | ExprKind::Local(_) => {}
            ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) => self.expr(operand),
            ExprKind::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                if let Type::Set(_) = expr.ty {
                    match op {
                        BinaryOp::Subtract => *op = BinaryOp::Difference,
                        BinaryOp::Multiply => *op = BinaryOp::Product,
                        _ => {}
                    }
                }
            }
            ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) | ExprKind::External(_, items) => {
                items.iter_mut().for_each(|item| self.expr(item));
            }
            ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter_mut().for_each(|(_, item)| self.expr(item)),
            ExprKind::BoolOf(pred) => self.pred(pred),
            ExprKind::If(pred, then, otherwise) => {
                self.pred(pred);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Let(bindings, body) => {
                bindings.iter_mut().for_each(|(_, value)| self.expr(value));
                self.expr(body);
            }
            ExprKind::Comprehension { locals, pred, value } => {
                self.locals(locals);
                self.pred(pred);
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            ExprKind::Binder { locals, pred, body, .. } => {
                self.locals(locals);
                self.pred(pred);
                self.expr(body);
            }
        }
    }

    pub(super) fn pred(&self, pred: &mut Pred) {
        match &mut pred.kind {
            PredKind::True | PredKind::False => {}
            PredKind::And(parts) | PredKind::Or(parts) => parts.iter_mut().for_each(|part| self.pred(part)),
            PredKind::Not(inner) | PredKind::Labelled(_, inner) => self.pred(inner),
            PredKind::Implies(left, right) | PredKind::Equivalent(left, right) => {
                self.pred(left);
                self.pred(right);
            }
            PredKind::Compare(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            PredKind::Forall(locals, body) | PredKind::Exists(locals, body) => {
                self.locals(locals);
                self.pred(body);
            }
            PredKind::If(condition, then, otherwise) => {
                self.pred(condition);
                self.pred(then);
                self.pred(otherwise);
            }
            PredKind::Let(bindings, body) => {
                bindings.iter_mut().for_each(|(_, value)| self.expr(value));
                self.pred(body);
            }
            PredKind::Finite(set) => self.expr(set),
            PredKind::Partition(set, parts) => {
                self.expr(set);
                parts.iter_mut().for_each(|part| self.expr(part));
            }
        }
    }

    pub(super) fn subst(&self, subst: &mut Subst) {
        match &mut subst.kind {
            SubstKind::Skip => {}
            SubstKind::Assign(writes) => writes.iter_mut().for_each(|(_, value)| self.expr(value)),
            SubstKind::BecomesIn(_, set) => self.expr(set),
            SubstKind::BecomesSuchThat(targets, pred) => {
                targets.iter_mut().for_each(|(_, _, ty)| self.ty(ty));
                self.pred(pred);
            }
            SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => {
                parts.iter_mut().for_each(|part| self.subst(part));
            }
            SubstKind::Pre { pred, body, .. } | SubstKind::Assert(pred, body) => {
                self.pred(pred);
                self.subst(body);
            }
            SubstKind::Any(locals, pred, body) => {
                self.locals(locals);
                self.pred(pred);
                self.subst(body);
            }
            SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
                for (pred, body) in branches {
                    self.pred(pred);
                    self.subst(body);
                }
                if let Some(otherwise) = otherwise {
                    self.subst(otherwise);
                }
            }
            SubstKind::Let(bindings, body) => {
                bindings.iter_mut().for_each(|(_, value)| self.expr(value));
                self.subst(body);
            }
            SubstKind::Var(locals, body) => {
                self.locals(locals);
                self.subst(body);
            }
            SubstKind::While { condition, body, invariant, variant } => {
                self.pred(condition);
                self.subst(body);
                self.pred(invariant);
                self.expr(variant);
            }
        }
    }
}
