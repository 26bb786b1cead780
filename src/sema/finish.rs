//! The last pass: every type in the model is completed, overloaded operators get their final meaning, fields of records their labels.
//!
//! Invariant: afterwards no type contains an unknown. A name whose type is still unknown was reported before this pass runs.

use super::records::Labels;
use super::types::{CompletedParts, Types};
use bcheck_ir::{BinaryOp, Expr, ExprKind, ExternalFunction, Rewrite, Type, UnaryOp};

/// Completes types.
pub(super) struct Finisher<'t> {
    types: &'t Types,
    labels: &'t Labels,
    known: CompletedParts,
}

impl<'t> Finisher<'t> {
    /// Completes types by what is known at the end.
    pub(crate) fn new(types: &'t Types, labels: &'t Labels) -> Self {
        Self { types, labels, known: CompletedParts::default() }
    }

    /// The type with everything known about it.
    pub(super) fn completed(&mut self, ty: &Type) -> Type {
        self.types.completed(ty, &mut self.known)
    }
}

impl Rewrite for Finisher<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        self.local(&mut expr.ty);
        // The type of the result decides: a difference or product of sets is a set, one of numbers is a number; joined strings are a
        // string.
        match (&mut expr.kind, &expr.ty) {
            (ExprKind::Binary(op @ BinaryOp::Subtract, ..), Type::Set(_)) => *op = BinaryOp::Difference,
            (ExprKind::Binary(op @ BinaryOp::Multiply, ..), Type::Set(_)) => *op = BinaryOp::Product,
            (ExprKind::Binary(BinaryOp::Concat, ..) | ExprKind::Unary(UnaryOp::ConcatAll, _), Type::String) => join_strings(expr),
            (ExprKind::Record(fields), Type::Record(types)) => self.labels.complete(fields, types),
            _ => {}
        }
    }

    fn local(&mut self, ty: &mut Type) {
        *ty = self.completed(ty);
    }
}

/// `s ^ t` and long chains of it (`chains`), when their operands turned out to be strings.
fn join_strings(expr: &mut Expr) {
    let kind = std::mem::replace(&mut expr.kind, ExprKind::EmptySet);
    expr.kind = match kind {
        ExprKind::Binary(_, left, right) => ExprKind::External(ExternalFunction::StringAppend, vec![*left, *right]),
        ExprKind::Unary(_, listed) => ExprKind::External(ExternalFunction::StringConc, vec![*listed]),
        other => other,
    };
}
