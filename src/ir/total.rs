//! Which operators have a value for operands of a type, which formulas therefore have one, and which types have finitely many values.
//!
//! Invariant: what is called total is so, while a negative answer may be wrong. Deliberately elsewhere: the totality of
//! each operator (`operator`), what the operands of a place may be (`symmetry/group/well_defined`).

use super::operator::Totality;
use super::{BinaryOp, Expr, ExprKind, Node, Pred, Type, UnaryOp, walk_expr, walk_pred};

impl UnaryOp {
    /// Whether it has a value for all operands of this type.
    #[must_use]
    pub fn is_total(self, operand: &Type) -> bool {
        match self.totality() {
            Totality::Total => true,
            Totality::OnFiniteTypes => operand.is_finite(),
            Totality::Partial => false,
        }
    }
}

impl BinaryOp {
    /// Whether it has a value for all operands.
    #[must_use]
    pub fn is_total(self) -> bool {
        self.totality() == Totality::Total
    }
}

impl Pred {
    /// Whether its form shows that nothing in it can be ill-defined.
    #[must_use]
    pub fn is_total(&self) -> bool {
        let mut is_total = true;
        walk_pred(self, &mut |node| is_total &= is_total_node(node));
        is_total
    }
}

impl Expr {
    /// Whether its form shows that nothing in it can be ill-defined.
    #[must_use]
    pub fn is_total(&self) -> bool {
        let mut is_total = true;
        walk_expr(self, &mut |node| is_total &= is_total_node(node));
        is_total
    }
}

/// Whether a node has a value wherever the nodes below it have values.
fn is_total_node(node: Node<'_>) -> bool {
    let Node::Expr(expr) = node else { return true };
    match &expr.kind {
        ExprKind::Unary(op, operand) => op.is_total(&operand.ty),
        ExprKind::Binary(op, ..) => op.is_total(),
        ExprKind::Comprehension { .. } | ExprKind::Binder { .. } | ExprKind::External(..) => false,
        _ => true,
    }
}

impl Type {
    /// Whether it has finitely many values, whatever the sizes of its sets; free types count as infinite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Bool | Self::Given(_) => true,
            Self::Set(inner) => inner.is_finite(),
            Self::Pair(first, second) => first.is_finite() && second.is_finite(),
            Self::Record(fields) => fields.iter().all(|(_, ty)| ty.is_finite()),
            Self::Integer | Self::String | Self::Free(_) => false,
        }
    }

    /// Whether values of it may hold sets of infinitely many members.
    #[must_use]
    pub fn has_infinite_sets(&self) -> bool {
        match self {
            Self::Bool | Self::Given(_) | Self::Integer | Self::String => false,
            Self::Set(member) => !member.is_finite(),
            Self::Pair(first, second) => first.has_infinite_sets() || second.has_infinite_sets(),
            Self::Record(fields) => fields.iter().any(|(_, ty)| ty.has_infinite_sets()),
            // The arguments of its constructors are not examined.
            Self::Free(_) => true,
        }
    }
}
