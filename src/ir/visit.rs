//! Traversals of the core language: a walk for every analysis that only reads, and a rewrite for every pass that changes it.
//!
//! Invariant: each node is visited exactly once, parents before children, in source order. Scopes play no part:
//! ids of bound names are unique in a model.

use super::{Expr, ExprKind, LocalId, Pred, PredKind, Subst, SubstKind, Type};

/// A node visited on a walk.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A predicate.
    Pred(&'a Pred),
    /// A substitution.
    Subst(&'a Subst),
}

/// Visits an expression and everything below it.
pub fn walk_expr<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Expr(expr));
    // No wildcard, here and below: an operand of a new kind that was forgotten would be invisible to every analysis.
    match &expr.kind {
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
        ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) => walk_expr(operand, visit),
        ExprKind::Binary(_, left, right) => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) | ExprKind::External(_, items) => {
            items.iter().for_each(|item| walk_expr(item, visit));
        }
        ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().for_each(|(_, item)| walk_expr(item, visit)),
        ExprKind::BoolOf(pred) => walk_pred(pred, visit),
        ExprKind::If(pred, then, otherwise) => {
            walk_pred(pred, visit);
            walk_expr(then, visit);
            walk_expr(otherwise, visit);
        }
        ExprKind::Let(bindings, body) => {
            bindings.iter().for_each(|(_, value)| walk_expr(value, visit));
            walk_expr(body, visit);
        }
        // Bound names are not nodes; they occur as `Local` where they are used.
        ExprKind::Comprehension { pred, value, .. } => {
            walk_pred(pred, visit);
            if let Some(value) = value {
                walk_expr(value, visit);
            }
        }
        ExprKind::Binder { pred, body, .. } => {
            walk_pred(pred, visit);
            walk_expr(body, visit);
        }
    }
}

/// Visits a predicate and everything below it.
pub fn walk_pred<'a>(pred: &'a Pred, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Pred(pred));
    match &pred.kind {
        PredKind::True | PredKind::False => {}
        // Flattened when they are lowered, so a walk is as deep as the text is nested, not as long.
        PredKind::And(parts) | PredKind::Or(parts) => parts.iter().for_each(|part| walk_pred(part, visit)),
        PredKind::Not(inner) | PredKind::Forall(_, inner) | PredKind::Exists(_, inner) => walk_pred(inner, visit),
        PredKind::Implies(left, right) | PredKind::Equivalent(left, right) => {
            walk_pred(left, visit);
            walk_pred(right, visit);
        }
        PredKind::Compare(_, left, right) => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        PredKind::If(condition, then, otherwise) => {
            walk_pred(condition, visit);
            walk_pred(then, visit);
            walk_pred(otherwise, visit);
        }
        PredKind::Let(bindings, body) => {
            bindings.iter().for_each(|(_, value)| walk_expr(value, visit));
            walk_pred(body, visit);
        }
        PredKind::Finite(set) => walk_expr(set, visit),
        PredKind::Partition(set, parts) => {
            walk_expr(set, visit);
            parts.iter().for_each(|part| walk_expr(part, visit));
        }
    }
}

/// Visits a substitution and everything below it.
pub fn walk_subst<'a>(subst: &'a Subst, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Subst(subst));
    match &subst.kind {
        SubstKind::Skip => {}
        // Assigned variables are not nodes either: a walk finds what a substitution reads.
        SubstKind::Assign(assignments) => assignments.iter().for_each(|(_, value)| walk_expr(value, visit)),
        SubstKind::BecomesIn(_, set) => walk_expr(set, visit),
        // In the predicate, new values are `Local`s and old ones `OldVariable`s, so the targets themselves do not occur in it.
        SubstKind::BecomesSuchThat(_, pred) => walk_pred(pred, visit),
        SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => {
            parts.iter().for_each(|part| walk_subst(part, visit));
        }
        SubstKind::Pre { pred, body, .. } | SubstKind::Assert(pred, body) | SubstKind::Any(_, pred, body) => {
            walk_pred(pred, visit);
            walk_subst(body, visit);
        }
        SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
            for (pred, body) in branches {
                walk_pred(pred, visit);
                walk_subst(body, visit);
            }
            if let Some(otherwise) = otherwise {
                walk_subst(otherwise, visit);
            }
        }
        SubstKind::Let(bindings, body) => {
            bindings.iter().for_each(|(_, value)| walk_expr(value, visit));
            walk_subst(body, visit);
        }
        // A VAR local has no first value, so there is nothing to visit before the body.
        SubstKind::Var(_, body) => walk_subst(body, visit),
        // In the order of the text. A run evaluates invariant and variant before the body.
        SubstKind::While { condition, body, invariant, variant } => {
            walk_pred(condition, visit);
            walk_subst(body, visit);
            walk_pred(invariant, visit);
            walk_expr(variant, visit);
        }
        SubstKind::Follow(following) => {
            for part in &following.parts {
                part.arguments.iter().for_each(|(_, value)| walk_expr(value, visit));
                part.body.iter().for_each(|body| walk_subst(body, visit));
                part.related.iter().for_each(|pred| walk_pred(pred, visit));
            }
            walk_pred(&following.related, visit);
        }
    }
}

/// A change of the core language, node by node.
pub trait Rewrite {
    /// Changes an expression before its operands. If it is replaced, the operands of the replacement are changed next.
    fn expr(&mut self, expr: &mut Expr);

    // Predicates and substitutions have no hook, because every pass replaces expressions or types only.
    /// Changes the type of a name where it is bound.
    fn local(&mut self, _ty: &mut Type) {}
}

/// Changes an expression and everything below it.
pub fn rewrite_expr(expr: &mut Expr, rewrite: &mut dyn Rewrite) {
    // Operands come next, so a pass that wraps an expression must not wrap it again when it visits it as an operand.
    rewrite.expr(expr);
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
        ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) => rewrite_expr(operand, rewrite),
        ExprKind::Binary(_, left, right) => {
            rewrite_expr(left, rewrite);
            rewrite_expr(right, rewrite);
        }
        ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) | ExprKind::External(_, items) => {
            items.iter_mut().for_each(|item| rewrite_expr(item, rewrite));
        }
        ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter_mut().for_each(|(_, item)| rewrite_expr(item, rewrite)),
        ExprKind::BoolOf(pred) => rewrite_pred(pred, rewrite),
        ExprKind::If(pred, then, otherwise) => {
            rewrite_pred(pred, rewrite);
            rewrite_expr(then, rewrite);
            rewrite_expr(otherwise, rewrite);
        }
        ExprKind::Let(bindings, body) => {
            // The type of a name of LET is that of its value, and is stored only there.
            bindings.iter_mut().for_each(|(_, value)| rewrite_expr(value, rewrite));
            rewrite_expr(body, rewrite);
        }
        ExprKind::Comprehension { locals, pred, value } => {
            rewrite_locals(locals, rewrite);
            rewrite_pred(pred, rewrite);
            if let Some(value) = value {
                rewrite_expr(value, rewrite);
            }
        }
        ExprKind::Binder { locals, pred, body, .. } => {
            rewrite_locals(locals, rewrite);
            rewrite_pred(pred, rewrite);
            rewrite_expr(body, rewrite);
        }
    }
}

/// Changes a predicate and everything below it.
pub fn rewrite_pred(pred: &mut Pred, rewrite: &mut dyn Rewrite) {
    match &mut pred.kind {
        PredKind::True | PredKind::False => {}
        PredKind::And(parts) | PredKind::Or(parts) => parts.iter_mut().for_each(|part| rewrite_pred(part, rewrite)),
        PredKind::Not(inner) => rewrite_pred(inner, rewrite),
        PredKind::Implies(left, right) | PredKind::Equivalent(left, right) => {
            rewrite_pred(left, rewrite);
            rewrite_pred(right, rewrite);
        }
        PredKind::Compare(_, left, right) => {
            rewrite_expr(left, rewrite);
            rewrite_expr(right, rewrite);
        }
        PredKind::Forall(locals, body) | PredKind::Exists(locals, body) => {
            rewrite_locals(locals, rewrite);
            rewrite_pred(body, rewrite);
        }
        PredKind::If(condition, then, otherwise) => {
            rewrite_pred(condition, rewrite);
            rewrite_pred(then, rewrite);
            rewrite_pred(otherwise, rewrite);
        }
        PredKind::Let(bindings, body) => {
            bindings.iter_mut().for_each(|(_, value)| rewrite_expr(value, rewrite));
            rewrite_pred(body, rewrite);
        }
        PredKind::Finite(set) => rewrite_expr(set, rewrite),
        PredKind::Partition(set, parts) => {
            rewrite_expr(set, rewrite);
            parts.iter_mut().for_each(|part| rewrite_expr(part, rewrite));
        }
    }
}

/// Changes a substitution and everything below it.
pub fn rewrite_subst(subst: &mut Subst, rewrite: &mut dyn Rewrite) {
    match &mut subst.kind {
        SubstKind::Skip => {}
        SubstKind::Assign(assignments) => assignments.iter_mut().for_each(|(_, value)| rewrite_expr(value, rewrite)),
        SubstKind::BecomesIn(_, set) => rewrite_expr(set, rewrite),
        SubstKind::BecomesSuchThat(targets, pred) => {
            // The locals of the new values are bound here.
            targets.iter_mut().for_each(|(_, _, ty)| rewrite.local(ty));
            rewrite_pred(pred, rewrite);
        }
        SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => {
            parts.iter_mut().for_each(|part| rewrite_subst(part, rewrite));
        }
        SubstKind::Pre { pred, body, .. } | SubstKind::Assert(pred, body) => {
            rewrite_pred(pred, rewrite);
            rewrite_subst(body, rewrite);
        }
        SubstKind::Any(locals, pred, body) => {
            rewrite_locals(locals, rewrite);
            rewrite_pred(pred, rewrite);
            rewrite_subst(body, rewrite);
        }
        SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
            for (pred, body) in branches {
                rewrite_pred(pred, rewrite);
                rewrite_subst(body, rewrite);
            }
            if let Some(otherwise) = otherwise {
                rewrite_subst(otherwise, rewrite);
            }
        }
        SubstKind::Let(bindings, body) => {
            bindings.iter_mut().for_each(|(_, value)| rewrite_expr(value, rewrite));
            rewrite_subst(body, rewrite);
        }
        SubstKind::Var(locals, body) => {
            rewrite_locals(locals, rewrite);
            rewrite_subst(body, rewrite);
        }
        SubstKind::While { condition, body, invariant, variant } => {
            rewrite_pred(condition, rewrite);
            rewrite_subst(body, rewrite);
            rewrite_pred(invariant, rewrite);
            rewrite_expr(variant, rewrite);
        }
        SubstKind::Follow(following) => {
            rewrite_locals(&mut following.names, rewrite);
            for part in &mut following.parts {
                part.arguments.iter_mut().for_each(|(_, value)| rewrite_expr(value, rewrite));
                part.body.iter_mut().for_each(|body| rewrite_subst(body, rewrite));
                part.related.iter_mut().for_each(|pred| rewrite_pred(pred, rewrite));
            }
            rewrite_pred(&mut following.related, rewrite);
        }
    }
}

fn rewrite_locals(locals: &mut [(LocalId, Type)], rewrite: &mut dyn Rewrite) {
    locals.iter_mut().for_each(|(_, ty)| rewrite.local(ty));
}
