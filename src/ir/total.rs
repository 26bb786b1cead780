//! Which operators have a value for all operands, which formulas therefore have one, and which types have finitely many values.
//!
//! Invariant: what is called total is so, while a negative answer may be wrong; a new operator does not compile before it is classified.
//! Deliberately elsewhere: what the operands of a place may be (`symmetry/group/well_defined`).

use super::{BinaryOp, Expr, ExprKind, Node, Pred, Type, UnaryOp, walk_expr, walk_pred};

impl UnaryOp {
    /// Whether it has a value for all operands of this type.
    #[must_use]
    pub fn is_total(self, operand: &Type) -> bool {
        match self {
            // Infinite sets have no cardinality, and those that are members of the operand are not united.
            Self::Card | Self::GeneralUnion | Self::Relation => operand.is_finite(),
            Self::Negate
            | Self::Pow
            | Self::Pow1
            | Self::Fin
            | Self::Fin1
            | Self::Domain
            | Self::Range
            | Self::Identity
            | Self::Inverse
            | Self::Closure1
            | Self::Function
            | Self::Seq
            | Self::Seq1
            | Self::Iseq
            | Self::Iseq1
            | Self::First2
            | Self::Second2 => true,
            // Not of the empty set, of an infinite one, or of what is no sequence.
            Self::GeneralInter
            | Self::Min
            | Self::Max
            | Self::Perm
            | Self::Size
            | Self::First
            | Self::Last
            | Self::Front
            | Self::Tail
            | Self::Reverse
            | Self::ConcatAll => false,
        }
    }
}

impl BinaryOp {
    /// Whether it has a value for all operands.
    #[must_use]
    pub fn is_total(self) -> bool {
        match self {
            // Integers have no bounds, so that every sum and product has a value; one beyond the limit on bits is not ill-defined but an
            // error of its own.
            Self::Pair
            | Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Interval
            | Self::Union
            | Self::Intersection
            | Self::Difference
            | Self::Product
            | Self::Relations
            | Self::TotalRelations
            | Self::SurjectiveRelations
            | Self::TotalSurjectiveRelations
            | Self::PartialFunctions
            | Self::TotalFunctions
            | Self::PartialInjections
            | Self::TotalInjections
            | Self::PartialSurjections
            | Self::TotalSurjections
            | Self::PartialBijections
            | Self::TotalBijections
            | Self::Override
            | Self::DirectProduct
            | Self::ParallelProduct
            | Self::Compose
            | Self::DomainRestrict
            | Self::DomainSubtract
            | Self::RangeRestrict
            | Self::RangeSubtract
            | Self::Projection1
            | Self::Projection2
            | Self::Image => true,
            // Not by zero, for negative numbers, outside of a domain, or of what is no sequence.
            Self::Divide
            | Self::Modulo
            | Self::Power
            | Self::Iterate
            | Self::Apply
            | Self::Concat
            | Self::InsertFront
            | Self::InsertTail
            | Self::TakeFirst
            | Self::DropFirst => false,
        }
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
            // What its constructors hold is not seen here.
            Self::Free(_) => true,
        }
    }
}
