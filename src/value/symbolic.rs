//! Sets that stay descriptions: infinite ones, and finite ones too large to write out.
//!
//! Invariant: plain data over values, so a symbolic set can be stored, renamed and compared as a description like any other
//! value. Deliberately elsewhere: membership and expansion (`eval`), which alone can run a closure's plan.

use super::{Integer, Value};
use bcheck_ir::{BinaryOp, IntegerSet, UnaryOp};
use std::sync::Arc;

/// The kinds of relation and function sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is the B operator of the same name")]
pub enum FunctionKind {
    Relations,
    TotalRelations,
    SurjectiveRelations,
    TotalSurjectiveRelations,
    PartialFunctions,
    TotalFunctions,
    PartialInjections,
    TotalInjections,
    PartialSurjections,
    TotalSurjections,
    PartialBijections,
    TotalBijections,
}

impl FunctionKind {
    /// All kinds; keys of states number them in this order.
    pub(crate) const ALL: [Self; 12] = [
        Self::Relations,
        Self::TotalRelations,
        Self::SurjectiveRelations,
        Self::TotalSurjectiveRelations,
        Self::PartialFunctions,
        Self::TotalFunctions,
        Self::PartialInjections,
        Self::TotalInjections,
        Self::PartialSurjections,
        Self::TotalSurjections,
        Self::PartialBijections,
        Self::TotalBijections,
    ];

    /// The set of relations or functions that an operator makes.
    pub fn of(op: BinaryOp) -> Option<Self> {
        Some(match op {
            BinaryOp::Relations => Self::Relations,
            BinaryOp::TotalRelations => Self::TotalRelations,
            BinaryOp::SurjectiveRelations => Self::SurjectiveRelations,
            BinaryOp::TotalSurjectiveRelations => Self::TotalSurjectiveRelations,
            BinaryOp::PartialFunctions => Self::PartialFunctions,
            BinaryOp::TotalFunctions => Self::TotalFunctions,
            BinaryOp::PartialInjections => Self::PartialInjections,
            BinaryOp::TotalInjections => Self::TotalInjections,
            BinaryOp::PartialSurjections => Self::PartialSurjections,
            BinaryOp::TotalSurjections => Self::TotalSurjections,
            BinaryOp::PartialBijections => Self::PartialBijections,
            BinaryOp::TotalBijections => Self::TotalBijections,
            _ => return None,
        })
    }

    /// Whether members are functions.
    #[must_use]
    pub fn is_functional(self) -> bool {
        !matches!(self, Self::Relations | Self::TotalRelations | Self::SurjectiveRelations | Self::TotalSurjectiveRelations)
    }

    /// Whether the domain must be the whole source set.
    #[must_use]
    pub fn is_total(self) -> bool {
        matches!(
            self,
            Self::TotalRelations
                | Self::TotalSurjectiveRelations
                | Self::TotalFunctions
                | Self::TotalInjections
                | Self::TotalSurjections
                | Self::TotalBijections
        )
    }

    /// Whether the range must be the whole target set.
    #[must_use]
    pub fn is_surjective(self) -> bool {
        matches!(
            self,
            Self::SurjectiveRelations
                | Self::TotalSurjectiveRelations
                | Self::PartialSurjections
                | Self::TotalSurjections
                | Self::PartialBijections
                | Self::TotalBijections
        )
    }

    /// Whether the inverse must be a function too.
    #[must_use]
    pub fn is_injective(self) -> bool {
        matches!(self, Self::PartialInjections | Self::TotalInjections | Self::PartialBijections | Self::TotalBijections)
    }
}

/// The kinds of sequence sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is the B operator of the same name")]
pub enum SequenceKind {
    Seq,
    Seq1,
    Iseq,
    Iseq1,
    Perm,
}

impl SequenceKind {
    /// The set of sequences that an operator makes.
    pub fn of(op: UnaryOp) -> Option<Self> {
        Some(match op {
            UnaryOp::Seq => Self::Seq,
            UnaryOp::Seq1 => Self::Seq1,
            UnaryOp::Iseq => Self::Iseq,
            UnaryOp::Iseq1 => Self::Iseq1,
            UnaryOp::Perm => Self::Perm,
            _ => return None,
        })
    }

    /// Whether the empty sequence is left out.
    #[must_use]
    pub fn is_nonempty(self) -> bool {
        matches!(self, Self::Seq1 | Self::Iseq1)
    }

    /// Whether no item may come twice.
    #[must_use]
    pub fn is_injective(self) -> bool {
        matches!(self, Self::Iseq | Self::Iseq1 | Self::Perm)
    }
}

/// A set that is described, not listed. The sets inside are `Value::Set` or `Value::Symbolic`.
///
/// Equality is that of descriptions: equal ones denote equal sets, different ones may too.
// The derived order is that of the variants, and part of the order of values: new variants come last, or sets are printed in another
// order and other states become representatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbolic {
    /// INTEGER, NATURAL or NATURAL1 (INT, NAT, NAT1 are intervals).
    Integers(IntegerSet),
    /// `a..b` with `a <= b`.
    Interval(Integer, Integer),
    /// STRING
    Strings,
    /// A free type with infinitely (or too) many values.
    Free {
        /// Its name.
        name: Arc<str>,
        /// Whether it has finitely many: it is not recursive, and neither is a type in it.
        is_finite: bool,
    },
    /// POW, POW1 (`nonempty`), and FIN, FIN1 (`finite`).
    Power {
        /// The base set.
        base: Value,
        /// Without the empty set.
        nonempty: bool,
        /// Only finite subsets.
        finite: bool,
    },
    /// `A * B`
    Product(Value, Value),
    /// `A <-> B`, `A +-> B`, ….
    Functions(FunctionKind, Value, Value),
    /// `seq(A)`, ….
    Sequences(SequenceKind, Value),
    /// `struct(f : A, …)`, sorted by field name.
    Struct(Arc<[(Arc<str>, Value)]>),
    /// `id(A)` of a symbolic set.
    Identity(Value),
    /// `A \/ B` where one side is symbolic.
    Union(Value, Value),
    /// `A /\ B` where both sides are symbolic.
    Intersection(Value, Value),
    /// `A - B` where A is symbolic.
    Difference(Value, Value),
    /// `closure1(r)` of a symbolic relation.
    Transitive(Value),
    /// `dom(r)` of a symbolic relation.
    Domain(Value),
    /// `r~` of a symbolic relation.
    Inverse(Value),
    /// `(r ; s)` where one side is symbolic.
    Compose(Value, Value),
    /// `r <+ s` where one side is symbolic.
    Override(Value, Value),
    /// `A <| r` with the set, the relation, whether the set is subtracted instead (`<<|`).
    DomainRestrict(Value, Value, bool),
    /// `r |> A` with the relation, the set, whether the set is subtracted instead (`|>>`).
    RangeRestrict(Value, Value, bool),
    /// `(r >< s)`
    DirectProduct(Value, Value),
    /// `(r || s)`
    ParallelProduct(Value, Value),
    /// A comprehension or lambda, as a closure: code of the compiled machine, and the values of the names that it captures.
    Closure {
        /// Index into the compiled machine's closures.
        plan: u32,
        /// Values of the captured names, in the plan's order.
        captured: Arc<[Value]>,
    },
}
