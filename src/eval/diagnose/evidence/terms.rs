//! The values of terms: of an expression and of its subterms, down to the names.
//!
//! Invariant: literals, and names bound by a quantifier above, are left out, as their values are shown anyway; so are terms that mention
//! names of an inner binder, because they have many values. Deliberately elsewhere: how values are written (`report`).

use super::explainer::Explainer;
use super::{Evidence, TermValue};
use crate::EvalErrorKind;
use bcheck_ir::{BinaryOp, Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, alpha_equivalent, walk_expr, walk_pred};

/// How deep terms are shown below the operand of a comparison, and how many of one node.
const DEEPEST: usize = 4;
const MOST_TERMS: usize = 12;

impl Explainer<'_> {
    /// The value of an expression, and those of its parts.
    pub(super) fn term_value(&mut self, expr: &Expr) -> TermValue {
        self.term_above(expr, DEEPEST)
    }

    fn term_above(&mut self, expr: &Expr, depth: usize) -> TermValue {
        let value = self.value(expr);
        let mut parts: Vec<TermValue> = Vec::new();
        for operand in operands(expr) {
            let is_known = parts.iter().any(|part| is_same(&part.expr, operand));
            if depth == 0 || is_known || self.is_plain(operand) {
                continue;
            }
            let part = self.term_above(operand, depth - 1);
            // A name that is bound only by a choice of the body has no value here.
            if !matches!(part.value, Err(EvalErrorKind::Unassigned(_))) || !part.parts.is_empty() {
                parts.push(part);
            }
        }
        TermValue { expr: expr.clone(), value, parts }
    }

    /// Adds the values of expressions to a node; literals are left out.
    pub(super) fn add_terms(&mut self, node: &mut Evidence, exprs: &[&Expr]) {
        for expr in exprs {
            if self.is_plain(expr) {
                continue;
            }
            if node.terms.len() == MOST_TERMS {
                node.left_out += 1;
                continue;
            }
            let term = self.term_value(expr);
            if !node.terms.iter().any(|known| is_same(&known.expr, &term.expr)) {
                node.terms.push(term);
            }
        }
    }

    /// Whether an expression needs no value shown next to it.
    pub(super) fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(id) => self.is_bound(*id),
            ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) => items.iter().all(|item| self.is_plain(item)),
            ExprKind::Binary(BinaryOp::Pair | BinaryOp::Interval, left, right) => self.is_plain(left) && self.is_plain(right),
            kind => is_literal(kind),
        }
    }

    /// The sides of comparisons that mention none of these names, and are not literals.
    pub(super) fn closed_terms(&mut self, conjuncts: &[&Pred], locals: &[(LocalId, Type)]) -> Vec<TermValue> {
        let unbound = self.compiler.names().with_slots(locals).into_iter().map(|(slot, _)| slot).collect();
        let mut closed: Vec<&Expr> = Vec::new();
        for conjunct in conjuncts {
            if let PredKind::Compare(_, left, right) = &conjunct.kind {
                closed.extend([&**left, &**right]);
            }
        }
        let mut terms: Vec<TermValue> = Vec::new();
        for expr in closed {
            if self.is_plain(expr) || !self.compiler.names().is_closed(expr, &unbound) || terms.len() == MOST_TERMS {
                continue;
            }
            let term = self.term_value(expr);
            if term.value.is_ok() && !terms.iter().any(|known| is_same(&known.expr, &term.expr)) {
                terms.push(term);
            }
        }
        terms
    }
}

/// Whether expressions are equal, apart from their places.
fn is_same(one: &Expr, other: &Expr) -> bool {
    let names = |expr: &Expr| {
        let mut names = Vec::new();
        walk_expr(expr, &mut |node| {
            if let Node::Expr(Expr { kind: ExprKind::Local(id), .. }) = node {
                names.push(*id);
            }
        });
        names
    };
    // Equivalence allows for other free names.
    alpha_equivalent(one, other) && names(one) == names(other)
}

fn is_literal(kind: &ExprKind) -> bool {
    match kind {
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
        | ExprKind::EmptySet => true,
        ExprKind::Constant(_)
        | ExprKind::Variable(_)
        | ExprKind::OldVariable(_)
        | ExprKind::Local(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::SetExtension(_)
        | ExprKind::SequenceExtension(_)
        | ExprKind::Record(_)
        | ExprKind::Struct(_)
        | ExprKind::Field(..)
        | ExprKind::BoolOf(_)
        | ExprKind::If(..)
        | ExprKind::Let(..)
        | ExprKind::Comprehension { .. }
        | ExprKind::Binder { .. }
        | ExprKind::External(..) => false,
    }
}

/// The operands of an expression; for one that binds names, the names of the machine that its parts read.
fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) => vec![operand],
        ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) | ExprKind::External(_, items) => items.iter().collect(),
        ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().map(|(_, item)| item).collect(),
        ExprKind::If(_, then, otherwise) => vec![then, otherwise],
        ExprKind::BoolOf(pred) | ExprKind::Comprehension { pred, .. } | ExprKind::Binder { pred, .. } => names_of(pred),
        ExprKind::Let(bindings, _) => bindings.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    }
}

/// The constants and variables that a predicate reads.
fn names_of(pred: &Pred) -> Vec<&Expr> {
    let mut names = Vec::new();
    walk_pred(pred, &mut |node| {
        if let Node::Expr(expr) = node
            && matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Variable(_))
        {
            names.push(expr);
        }
    });
    names
}
