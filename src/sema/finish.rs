//! The last pass: every type in the model is completed, overloaded operators get their final meaning.
//!
//! Invariant: afterwards no type contains an unknown. A name whose type is still unknown was reported before this pass runs.

use super::types::{CompletedParts, Types};
use crate::ir::{BinaryOp, Expr, ExprKind, Rewrite, Type};

/// Completes types.
pub(super) struct Finisher<'t> {
    types: &'t Types,
    known: CompletedParts,
}

impl<'t> Finisher<'t> {
    /// Completes types by what is known at the end.
    pub(super) fn new(types: &'t Types) -> Self {
        Self { types, known: CompletedParts::default() }
    }

    /// The type with everything known about it.
    pub(super) fn completed(&mut self, ty: &Type) -> Type {
        self.types.completed(ty, &mut self.known)
    }
}

impl Rewrite for Finisher<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        self.local(&mut expr.ty);
        // The type of the result decides: a difference or product of sets is a set, a number is none.
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
