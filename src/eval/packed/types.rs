//! Which words the values of a type have: the scope, and how many integers fit sets and pairs.
//!
//! Invariant: one type has one packing in one machine. Deliberately elsewhere: the packings themselves (`value::packing`).

use crate::plan::{ExprPlan, ExprPlanKind};
use bcheck_ir::{BinaryOp, Scope, Type};
use bcheck_value::packing::{Packing, Universe};

/// The packings of types.
pub(super) struct PackedTypes<'c> {
    pub(super) scope: &'c Scope,
    /// Integers in sets and pairs are those of `0..integers`.
    pub(super) integers: u32,
}

impl PackedTypes<'_> {
    /// The packing of a type, if words can hold its values.
    pub(super) fn packing(&self, ty: &Type) -> Option<Packing> {
        Packing::of(ty, self.scope, self.integers)
    }

    /// The universe of the values of a type without sets.
    pub(super) fn numbered(&self, ty: &Type) -> Option<Universe> {
        Universe::of(ty, self.scope, self.integers)
    }

    /// The universe of the sets of a type.
    pub(super) fn universe(&self, ty: &Type) -> Option<Universe> {
        match self.packing(ty)? {
            Packing::Mask(universe) => Some(universe),
            Packing::Index(_) | Packing::Integer => None,
        }
    }
}

/// Whether a set of integers is enumerated without a mask: an interval or a known set.
pub(super) fn is_symbolic_set(set: &ExprPlan) -> bool {
    set.ty == Type::set(Type::Integer) && matches!(&set.kind, ExprPlanKind::Value(_) | ExprPlanKind::Binary(BinaryOp::Interval, ..))
}

/// The numbers of rows and columns of a universe of pairs, unless it is empty.
pub(super) fn rows_and_columns(universe: &Universe) -> Option<(u32, u32)> {
    let (rows, columns) = universe.rows_and_columns()?;
    (rows.size() > 0 && columns.size() > 0).then(|| (rows.size(), columns.size()))
}
