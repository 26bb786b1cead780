//! The last pass: every type in the model is completed, overloaded operators get their final meaning.
//!
//! Invariant: afterwards no type contains an unknown. A name whose type is still unknown was reported before this pass runs.

use super::types::{Types, with_default};
use crate::ir::{BinaryOp, Expr, ExprKind, Rewrite, Type};

/// Completes types.
pub(super) struct Finisher<'t> {
    pub(super) types: &'t Types,
}

impl Finisher<'_> {
    /// The type with everything known about it.
    pub(super) fn completed(&self, ty: &Type) -> Type {
        with_default(&self.types.resolve(ty))
    }
}

impl Rewrite for Finisher<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        self.local(&mut expr.ty);
        if let (ExprKind::Binary(op, ..), Type::Set(_)) = (&mut expr.kind, &expr.ty) {
            match op {
                BinaryOp::Subtract => *op = BinaryOp::Difference,
                BinaryOp::Multiply => *op = BinaryOp::Product,
                _ => {}
            }
        }
    }

    fn local(&mut self, ty: &mut Type) {
        *ty = self.completed(ty);
    }
}
