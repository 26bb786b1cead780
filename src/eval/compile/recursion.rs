//! Recursive functions: `f = %x.(x : NATURAL | IF x = 0 THEN 1 ELSE x * f(x - 1) END)`.
//!
//! If the type of the constant is finite, its values can be tried in such an equation, as in any other. If the type is infinite, the
//! equation counts as a definition by recursion, where that terminates (`well_founded`): then it has exactly one solution. Where
//! termination is not shown, a definition on a finite domain is an equation like others; on an infinite domain it still counts as a
//! definition, and the results rest on the assumption that it has exactly one solution.
//! Invariant: the constant occurs in its definition only inside comprehensions and only as a function that is applied, so that making the
//! closures does not read it. An application that needs itself is an error at its place, because the nesting of closures is limited where
//! they run (`run::sets::membership`).

use super::Compiler;
use super::cost;
use super::names::Names;
use super::well_founded::{has_finite_domain, recursion_ends};
use crate::plan::{ExprPlan, ExprPlanKind, Slot};
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, Binder, Expr, ExprKind, Node, walk_expr};
use std::collections::BTreeSet;

/// The function that this equation defines by recursion, when it is the only unknown in it.
pub(crate) fn recursive_definition(names: &Names<'_>, name: &Expr, value: &Expr, unbound: &BTreeSet<Slot>) -> Option<Slot> {
    let ExprKind::Constant(_) = name.kind else { return None };
    let slot = names.slot_of(name).filter(|slot| unbound.contains(slot))?;
    let read = names.slots_of_expr(value);
    let is_only_unknown = read.contains(&slot) && read.iter().all(|other| *other == slot || !unbound.contains(other));
    let is_defined_by_recursion = is_only_unknown
        && cost::type_cost(names, &name.ty).is_infinite()
        && reads_only_inside_comprehensions(names, value, slot)
        && is_only_applied(names, value, slot)
        && (recursion_ends(names, value, slot) || !has_finite_domain(names, value));
    is_defined_by_recursion.then_some(slot)
}

/// Whether a name occurs in an expression only as a function that is applied.
fn is_only_applied(names: &Names<'_>, expr: &Expr, slot: Slot) -> bool {
    let (mut occurrences, mut applications) = (0_usize, 0_usize);
    walk_expr(expr, &mut |node| {
        let Node::Expr(inner) = node else { return };
        // The function of an application is visited as an expression of its own too, so each application accounts for one
        // occurrence; the counts agree exactly if there is no other.
        occurrences += usize::from(names.slot_of(inner) == Some(slot));
        if let ExprKind::Binary(BinaryOp::Apply, function, _) = &inner.kind {
            applications += usize::from(names.slot_of(function) == Some(slot));
        }
    });
    occurrences == applications
}

fn reads_only_inside_comprehensions(names: &Names<'_>, value: &Expr, slot: Slot) -> bool {
    match &value.kind {
        ExprKind::Comprehension { .. } | ExprKind::Binder { binder: Binder::Lambda, .. } => true,
        // These keep their operands as descriptions, so a function may be defined case by case.
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Override, left, right) => {
            reads_only_inside_comprehensions(names, left, slot) && reads_only_inside_comprehensions(names, right, slot)
        }
        _ => !names.slots_of_expr(value).contains(&slot),
    }
}

/// Records that a definition by recursion is used although its form does not show that it terminates.
pub(crate) fn assume_one_solution(compiler: &mut Compiler<'_>, slot: Slot, value: &Expr) {
    if !recursion_ends(&compiler.names(), value, slot) {
        let what =
            format!("whether exactly one function satisfies the equation that defines `{}` by itself", compiler.context.slot_names[slot]);
        compiler.context.assume(EvalError { kind: EvalErrorKind::Undecided(what), span: value.span });
    }
}

/// The plan of a definition by recursion: its comprehensions stay symbolic, as expanding one would read the constant.
pub(crate) fn recursive(compiler: &mut Compiler<'_>, value: &Expr) -> ExprPlan {
    match &value.kind {
        ExprKind::Binary(op @ (BinaryOp::Union | BinaryOp::Override), left, right) => {
            let kind = ExprPlanKind::Binary(*op, Box::new(recursive(compiler, left)), Box::new(recursive(compiler, right)));
            ExprPlan { kind, ty: value.ty.clone(), span: value.span }
        }
        _ => compiler.unexpanded(value),
    }
}
