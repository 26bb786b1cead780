//! Elements that are named in sets which may be stored as symbolic descriptions.
//!
//! An infinite comprehension is stored as a closure: its text, with the values of the names that it captures. A permutation acts on those
//! values, but not on the text; so elements named in the text must be fixed.
//! Invariant: an element that is left out here is named only in comprehensions whose members are enumerated before they are stored. It is
//! assumed that a finite set by which names are bounded is small enough to be explicit.

use super::well_defined::{Defined, Trust};
use crate::thresholds::LISTED_SET_BITS;
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, LocalId, Model, Node, Pred, PredKind, Scope, SetId, Type, UnaryOp, walk_expr, walk_pred,
    walk_subst,
};
use bcheck_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The elements, each with the first place that names it.
pub(super) fn described(model: &Model, trust: Trust, scope: &Scope) -> BTreeMap<(SetId, u32), Span> {
    let mut defined = Defined::new(trust);
    model.properties.iter().chain(&model.invariant).for_each(|conjunct| defined.learn(&conjunct.pred));
    let mut finder = Finder { scope, defined, used: BTreeSet::new(), found: BTreeMap::new() };
    let mut meet = |node: Node<'_>| finder.meet(node);
    let preds = model.properties.iter().chain(&model.invariant).map(|conjunct| &conjunct.pred);
    preds.chain(model.assertions.iter().map(|assertion| &assertion.pred)).for_each(|pred| walk_pred(pred, &mut meet));
    walk_subst(&model.initialisation, &mut meet);
    model.operations.values().for_each(|operation| walk_subst(&operation.body, &mut meet));
    finder.found
}

struct Finder<'a> {
    scope: &'a Scope,
    /// Which sets are finite.
    defined: Defined,
    /// Comprehensions that are only tested for membership on the spot and never stored, by their addresses. Parents are visited before
    /// children.
    used: BTreeSet<*const Expr>,
    found: BTreeMap<(SetId, u32), Span>,
}

impl Finder<'_> {
    fn meet(&mut self, node: Node<'_>) {
        match node {
            Node::Pred(Pred { kind: PredKind::Compare(Comparison::Member | Comparison::NotMember, member, set), .. }) => {
                // Its members are bound, and are stored at most explicitly.
                if self.is_listed(&member.ty) {
                    self.use_up(set);
                }
            }
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Unary(UnaryOp::Card | UnaryOp::Min | UnaryOp::Max | UnaryOp::Size, set) => self.use_up(set),
                ExprKind::Binary(BinaryOp::Apply | BinaryOp::Image, set, _) if self.is_listed(&expr.ty) => self.use_up(set),
                ExprKind::Comprehension { locals, pred, .. } | ExprKind::Binder { binder: Binder::Lambda, locals, pred, .. }
                    if !self.used.contains(&std::ptr::from_ref(expr)) && !self.are_listed(locals, pred) =>
                {
                    walk_expr(expr, &mut |node| {
                        if let Node::Expr(Expr { kind: ExprKind::Element(set, index), span, .. }) = node {
                            self.found.entry((*set, *index)).or_insert(*span);
                        }
                    });
                }
                _ => {}
            },
            Node::Pred(_) | Node::Subst(_) => {}
        }
    }

    fn use_up(&mut self, set: &Expr) {
        self.used.insert(std::ptr::from_ref(set));
    }

    /// Whether these names have few values by their types or by what bounds them.
    fn are_listed(&self, locals: &[(LocalId, Type)], pred: &Pred) -> bool {
        let open = locals.iter().filter(|(local, _)| !self.defined.bounds(pred, *local));
        open.map(|(_, ty)| self.bits(ty)).sum::<f64>() <= LISTED_SET_BITS.get()
    }

    fn is_listed(&self, ty: &Type) -> bool {
        match ty {
            Type::Integer | Type::String => true,
            _ => self.bits(ty) <= LISTED_SET_BITS.get(),
        }
    }

    /// The binary logarithm of the number of values of a type.
    fn bits(&self, ty: &Type) -> f64 {
        match ty {
            Type::Bool => 1.0,
            Type::Given(set) => f64::from(self.scope.size(*set).max(1)).log2(),
            Type::Pair(first, second) => self.bits(first) + self.bits(second),
            Type::Record(fields) => fields.iter().map(|(_, ty)| self.bits(ty)).sum(),
            Type::Set(member) => self.bits(member).exp2(),
            Type::Integer | Type::String | Type::Free(_) => f64::INFINITY,
        }
    }
}
