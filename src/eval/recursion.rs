//! Constants that are defined by themselves: `f = %x.(x : NATURAL | IF x = 0 THEN 1 ELSE x * f(x - 1) END)`.
//!
//! Invariant: the constant is bound to descriptions that read it only when they are applied, so nothing is read before it is there.
//! How deep applications nest is limited where closures run (`membership`).

use super::compile::Compiler;
use super::plan::{ExprPlan, ExprPlanKind, Slot};
use crate::ir::{BinaryOp, Binder, Expr, ExprKind};
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// The constant that this equation defines by itself, when it is the only unknown in it.
    pub(super) fn recursive_definition(&self, name: &Expr, value: &Expr, unbound: &BTreeSet<Slot>) -> Option<Slot> {
        let ExprKind::Constant(_) = name.kind else { return None };
        let slot = self.slot_of(name).filter(|slot| unbound.contains(slot))?;
        let read = self.slots_of_expr(value);
        let is_only_unknown = read.contains(&slot) && read.iter().all(|other| *other == slot || !unbound.contains(other));
        (is_only_unknown && self.reads_only_when_applied(value, slot)).then_some(slot)
    }

    fn reads_only_when_applied(&self, value: &Expr, slot: Slot) -> bool {
        match &value.kind {
            ExprKind::Comprehension { .. } | ExprKind::Binder { binder: Binder::Lambda, .. } => true,
            ExprKind::Binary(BinaryOp::Union | BinaryOp::Override, left, right) => {
                self.reads_only_when_applied(left, slot) && self.reads_only_when_applied(right, slot)
            }
            _ => !self.slots_of_expr(value).contains(&slot),
        }
    }

    /// The plan of such a definition: its comprehensions stay descriptions.
    pub(super) fn recursive(&mut self, value: &Expr) -> ExprPlan {
        match &value.kind {
            ExprKind::Binary(op @ (BinaryOp::Union | BinaryOp::Override), left, right) => {
                let kind = ExprPlanKind::Binary(*op, Box::new(self.recursive(left)), Box::new(self.recursive(right)));
                ExprPlan { kind, ty: value.ty.clone(), span: value.span }
            }
            _ => self.unexpanded(value),
        }
    }
}
