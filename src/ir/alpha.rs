//! Alpha-equivalence: whether two expressions are equal up to renaming of bound names and their positions in the text.
//!
//! Invariant: names bound on the two sides correspond by a bijection of scopes, free locals by a bijection of the whole expressions,
//! everything else is equal node by node, types included (the meaning of `closure(r)` and `{}` depends on them). Deliberately elsewhere:
//! the values of free names; a comparison of two closures also compares the values that they captured.

use super::{Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, walk_expr, walk_pred};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use xxhash_rust::xxh3::Xxh3Default;

/// Whether two expressions are equal up to renaming of their locals; labels and places do not count.
///
/// Free locals may differ as well, as long as they correspond one to one: the n-th free name of the left side, by first occurrence, occurs
/// exactly where the n-th of the right side does.
#[must_use]
pub fn alpha_equivalent(left: &Expr, right: &Expr) -> bool {
    Renaming::default().exprs(left, right)
}

/// As [`alpha_equivalent`], for predicates.
#[must_use]
pub fn alpha_equivalent_preds(left: &Pred, right: &Pred) -> bool {
    Renaming::default().preds(left, right)
}

/// A hash that alpha-equivalent expressions share.
#[must_use]
pub fn alpha_hash(expr: &Expr) -> u64 {
    let mut hasher = Xxh3Default::new();
    // A walk is in source order, so the hash depends on the shape of the tree even though nodes do not hash their operands.
    walk_expr(expr, &mut |node| hash_node(node, &mut hasher));
    hasher.finish()
}

/// A hash that alpha-equivalent predicates share.
#[must_use]
pub fn alpha_hash_of_pred(pred: &Pred) -> u64 {
    let mut hasher = Xxh3Default::new();
    walk_pred(pred, &mut |node| hash_node(node, &mut hasher));
    hasher.finish()
}

/// Adds a node to a hash. Leaving out more than labels and locals (types, fields) makes collisions more likely, not wrong.
fn hash_node(node: Node<'_>, hasher: &mut Xxh3Default) {
    match node {
        Node::Expr(expr) => {
            // The numbers of locals are left out: they are what may differ.
            discriminant(&expr.kind).hash(hasher);
            match &expr.kind {
                ExprKind::Integer(value) => value.hash(hasher),
                ExprKind::String(text) => text.hash(hasher),
                ExprKind::Element(set, index) => (set, index).hash(hasher),
                ExprKind::Constant(id) => id.hash(hasher),
                ExprKind::Variable(id) | ExprKind::OldVariable(id) => id.hash(hasher),
                ExprKind::Unary(op, _) => op.hash(hasher),
                ExprKind::Binary(op, ..) => op.hash(hasher),
                _ => {}
            }
        }
        Node::Subst(_) => {}
        Node::Pred(pred) => discriminant(&pred.kind).hash(hasher),
    }
}

/// The correspondence of names built up while both sides are walked.
#[derive(Default)]
struct Renaming {
    /// Names in scope, innermost last.
    bound: Vec<(LocalId, LocalId)>,
    /// Pairs of free names found so far.
    free: Vec<(LocalId, LocalId)>,
}

impl Renaming {
    /// The innermost binder of either name must be that of the other one.
    fn locals(&mut self, left: LocalId, right: LocalId) -> bool {
        // Either name, not both: a pair that has just one of them shows that they do not correspond.
        let is_either = |(own, other): &&(LocalId, LocalId)| *own == left || *other == right;
        if let Some(pair) = self.bound.iter().rev().find(is_either) {
            return *pair == (left, right);
        }
        match self.free.iter().find(is_either) {
            Some(pair) => *pair == (left, right),
            None => {
                // A bijection by first occurrence; both sides are walked in one order, so the first occurrences are at the same place.
                self.free.push((left, right));
                true
            }
        }
    }

    /// Compares the bodies of binders, in which the bound names correspond in order.
    fn scoped(&mut self, left: &[(LocalId, Type)], right: &[(LocalId, Type)], body: impl FnOnce(&mut Self) -> bool) -> bool {
        if left.len() != right.len() || left.iter().zip(right).any(|((_, left), (_, right))| left != right) {
            return false;
        }
        // Types count as well as the body: `{x | x = x}` is another set for another type of x.
        let outer = self.bound.len();
        self.bound.extend(left.iter().zip(right).map(|((left, _), (right, _))| (*left, *right)));
        let holds = body(self);
        self.bound.truncate(outer);
        holds
    }

    /// LET: each value sees the names before it.
    fn bindings(&mut self, left: &[(LocalId, Expr)], right: &[(LocalId, Expr)], body: impl FnOnce(&mut Self) -> bool) -> bool {
        let outer = self.bound.len();
        let holds = left.len() == right.len()
            && left.iter().zip(right).all(|((own, left), (other, right))| {
                let holds = self.exprs(left, right);
                // After its own value, which still means outer names.
                self.bound.push((*own, *other));
                holds
            })
            && body(self);
        self.bound.truncate(outer);
        holds
    }

    fn lists(&mut self, left: &[Expr], right: &[Expr]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(left, right)| self.exprs(left, right))
    }

    fn fields<N: PartialEq>(&mut self, left: &[(N, Expr)], right: &[(N, Expr)]) -> bool {
        let are_equal = |((name, left), (other, right)): (&(N, Expr), &(N, Expr))| name == other && self.exprs(left, right);
        left.len() == right.len() && left.iter().zip(right).all(are_equal)
    }

    fn exprs(&mut self, left: &Expr, right: &Expr) -> bool {
        // Types first: they differ more often than shapes do, and are compared by pointers where they are shared.
        left.ty == right.ty && self.kinds(&left.kind, &right.kind)
    }

    fn kinds(&mut self, left: &ExprKind, right: &ExprKind) -> bool {
        match (left, right) {
            (ExprKind::Local(own), ExprKind::Local(other)) => self.locals(*own, *other),
            (ExprKind::Unary(op, own), ExprKind::Unary(other_op, other)) => op == other_op && self.exprs(own, other),
            (ExprKind::Field(own, name), ExprKind::Field(other, other_name)) => name == other_name && self.exprs(own, other),
            (ExprKind::Binary(op, first, second), ExprKind::Binary(other_op, other_first, other_second)) => {
                op == other_op && self.exprs(first, other_first) && self.exprs(second, other_second)
            }
            (ExprKind::SetExtension(own), ExprKind::SetExtension(other))
            | (ExprKind::SequenceExtension(own), ExprKind::SequenceExtension(other)) => self.lists(own, other),
            (ExprKind::External(function, own), ExprKind::External(other_function, other)) => {
                function == other_function && self.lists(own, other)
            }
            // Fields are sorted by name on both sides, so records that list them in different orders are compared field by field all the
            // same.
            (ExprKind::Record(own), ExprKind::Record(other)) | (ExprKind::Struct(own), ExprKind::Struct(other)) => self.fields(own, other),
            (ExprKind::BoolOf(own), ExprKind::BoolOf(other)) => self.preds(own, other),
            (ExprKind::If(condition, then, otherwise), ExprKind::If(other_condition, other_then, other_otherwise)) => {
                self.preds(condition, other_condition) && self.exprs(then, other_then) && self.exprs(otherwise, other_otherwise)
            }
            (ExprKind::Let(own, body), ExprKind::Let(other, other_body)) => {
                self.bindings(own, other, |names| names.exprs(body, other_body))
            }
            (
                ExprKind::Comprehension { locals, pred, value },
                ExprKind::Comprehension { locals: other_locals, pred: other_pred, value: other_value },
            ) => self.scoped(locals, other_locals, |names| {
                names.preds(pred, other_pred)
                    && match (value, other_value) {
                        (None, None) => true,
                        (Some(value), Some(other_value)) => names.exprs(value, other_value),
                        _ => false,
                    }
            }),
            (
                ExprKind::Binder { binder, locals, pred, body },
                ExprKind::Binder { binder: other_binder, locals: other_locals, pred: other_pred, body: other_body },
            ) => {
                binder == other_binder
                    && self.scoped(locals, other_locals, |names| names.preds(pred, other_pred) && names.exprs(body, other_body))
            }
            // Leaves, which contain no names, or different kinds. Derived equality ignores positions here, because leaves contain none.
            _ => left == right,
        }
    }

    fn preds(&mut self, left: &Pred, right: &Pred) -> bool {
        match (&left.kind, &right.kind) {
            (PredKind::True, PredKind::True) | (PredKind::False, PredKind::False) => true,
            // In order: `P & Q` and `Q & P` are different predicates, which may be ill-defined in different cases.
            (PredKind::And(own), PredKind::And(other)) | (PredKind::Or(own), PredKind::Or(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(left, right)| self.preds(left, right))
            }
            (PredKind::Not(own), PredKind::Not(other)) => self.preds(own, other),
            (PredKind::Implies(first, second), PredKind::Implies(other_first, other_second))
            | (PredKind::Equivalent(first, second), PredKind::Equivalent(other_first, other_second)) => {
                self.preds(first, other_first) && self.preds(second, other_second)
            }
            // No symmetry of `=` here: the order of evaluation decides which side is found ill-defined.
            (PredKind::Compare(comparison, first, second), PredKind::Compare(other, other_first, other_second)) => {
                comparison == other && self.exprs(first, other_first) && self.exprs(second, other_second)
            }
            (PredKind::Forall(locals, body), PredKind::Forall(other_locals, other_body))
            | (PredKind::Exists(locals, body), PredKind::Exists(other_locals, other_body)) => {
                self.scoped(locals, other_locals, |names| names.preds(body, other_body))
            }
            (PredKind::If(condition, then, otherwise), PredKind::If(other_condition, other_then, other_otherwise)) => {
                self.preds(condition, other_condition) && self.preds(then, other_then) && self.preds(otherwise, other_otherwise)
            }
            (PredKind::Let(own, body), PredKind::Let(other, other_body)) => {
                self.bindings(own, other, |names| names.preds(body, other_body))
            }
            (PredKind::Finite(own), PredKind::Finite(other)) => self.exprs(own, other),
            (PredKind::Partition(set, parts), PredKind::Partition(other_set, other_parts)) => {
                self.exprs(set, other_set) && self.lists(parts, other_parts)
            }
            _ => false,
        }
    }
}
