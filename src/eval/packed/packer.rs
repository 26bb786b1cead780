//! The compiler of this tier, and the nonterminals of plans, by which the constructs of the other files refer to each other.
//!
//! Invariant: whatever is not packed is remembered with its place, the innermost part first. Deliberately elsewhere: each construct
//! (functions of the `Packer`, or of those of its parts that they need), the layout of the frame (`places`), the words of types (`types`).

use super::operand::Operand;
use super::places::Places;
use super::search::PackedSearch;
use super::substitution::PackedSubst;
use super::table::{Table, tables_of};
use super::types::{PackedTypes, rows_and_columns};
use super::value::PackedValue;
use super::{BailOut, Pred, expression, predicate, search, set, substitution};
use crate::plan::{ExprPlan, PredPlan, Search, Slot, SubstPlan};
use bcheck_ir::{Scope, Type};
use bcheck_source::Span;
use bcheck_value::packing::{Packing, Universe};

/// The compiler of this tier.
pub(super) struct Packer<'c> {
    pub(super) types: PackedTypes<'c>,
    pub(super) places: Places,
    /// Constants that are functions to sets, which have no words but a table.
    pub(super) tables: Vec<(Slot, Table)>,
    /// The innermost part that could not be packed; reset to `None` whenever a part is packed.
    pub(super) unpacked: Option<Span>,
}

impl<'c> Packer<'c> {
    /// A compiler with a frame that begins with the constants (without words where they do not fit) and the variables.
    pub(super) fn new(
        (scope, integers): (&'c Scope, u32),
        constant_types: &[&Type],
        constants: &[Option<Packing>],
        variables: &[Packing],
        slots: usize,
    ) -> Self {
        let types = PackedTypes { scope, integers };
        let mut places = Places::new(constants, variables, slots);
        let tables = tables_of(&types, &mut places, constant_types, constants);
        Self { types, places, tables, unpacked: None }
    }
}

impl Packer<'_> {
    /// A value that is not a set.
    pub(super) fn scalar(&mut self, plan: &ExprPlan) -> Option<Operand> {
        let packed = expression::scalar(self, plan);
        self.noted(plan.span, packed)
    }

    /// The number of a value in a universe; bails out for an integer outside.
    pub(super) fn number(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<Operand> {
        expression::number_or(self, plan, universe, BailOut::Left)
    }

    /// A relation and the universes of its first and second components, which are not empty.
    pub(super) fn relation(&mut self, plan: &ExprPlan) -> Option<(PackedValue, Universe, Universe)> {
        let (relation, universe) = self.mask(plan)?;
        rows_and_columns(&universe)?;
        // A set of pairs whose universe was numbered otherwise has no matrix.
        let Universe::Pairs(rows, columns, _) = universe else { return None };
        Some((relation, *rows, *columns))
    }

    /// A set whose elements are numbered by this universe.
    pub(super) fn set(&mut self, plan: &ExprPlan, universe: &Universe) -> Option<PackedValue> {
        let packed = set::set(self, plan, universe);
        self.noted(plan.span, packed)
    }

    /// A set and its universe.
    pub(super) fn mask(&mut self, plan: &ExprPlan) -> Option<(PackedValue, Universe)> {
        let universe = self.types.universe(&plan.ty)?;
        Some((self.set(plan, &universe)?, universe))
    }

    /// The numbers of several values in a universe.
    pub(super) fn numbers(&mut self, items: &[ExprPlan], universe: &Universe) -> Option<Vec<Operand>> {
        items.iter().map(|item| self.number(item, universe)).collect()
    }

    /// A predicate.
    pub(super) fn pred(&mut self, plan: &PredPlan) -> Option<Pred> {
        let packed = predicate::pred(self, plan);
        self.noted(plan.span, packed)
    }

    /// A search.
    pub(super) fn search(&mut self, search: &Search) -> Option<PackedSearch> {
        search::packed_search(self, search)
    }

    /// A substitution.
    pub(super) fn subst(&mut self, plan: &SubstPlan) -> Option<PackedSubst> {
        let packed = substitution::subst(self, plan);
        self.noted(plan.span, packed)
    }

    /// Remembers a part that could not be packed, unless one inside of it is remembered: inner parts are compiled first.
    fn noted<T>(&mut self, span: Span, packed: Option<T>) -> Option<T> {
        self.unpacked = if packed.is_some() { None } else { self.unpacked.or(Some(span)) };
        packed
    }
}
