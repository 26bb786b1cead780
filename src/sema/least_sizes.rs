//! The least and the greatest numbers of elements implied by PROPERTIES for the sets that have names: constants and deferred sets.
//!
//! Invariant: a set has at least `least` and at most `most` elements in every valuation that satisfies the conjuncts read; nothing is
//! guessed. Deliberately elsewhere: which constants differ (`distinct`), what follows for deferred sets (`hints`).

use super::distinct::Distinct;
use bcheck_syntax::ast::{BinaryOp, Expr, ExprKind};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Sets that define each other are not followed deeper.
const DEEPEST: usize = 16;

/// The limit on examined sets, as definitions of each other may branch at each step.
const MOST_LOOKS: usize = 100_000;

/// The facts about one named set.
#[derive(Default)]
pub(super) struct NamedSet<'e> {
    /// Sets that it equals.
    pub(super) equals: Vec<&'e Expr>,
    /// Sets that it is a union of, which are disjoint.
    pub(super) partitions: Vec<&'e [Expr]>,
    /// Subsets of it.
    pub(super) subsets: Vec<&'e Expr>,
    /// Constants in it.
    pub(super) members: BTreeSet<&'e str>,
    /// The number of elements that it has at least, as stated.
    pub(super) least: usize,
    /// The number of elements that it has at most, as stated.
    pub(super) most: Option<usize>,
}

/// The facts about sets.
pub(super) struct SetSizes<'e, 'k> {
    pub(super) named: BTreeMap<&'e str, NamedSet<'e>>,
    /// Sets with names that have no element in common.
    pub(super) disjoint: BTreeSet<(&'e str, &'e str)>,
    /// The constants, of sets or of elements.
    pub(super) constants: &'k BTreeSet<&'k str>,
    /// The size of a set that no conjunct changes.
    pub(super) known: &'k dyn Fn(&Expr) -> Option<usize>,
    pub(super) looks: Cell<usize>,
}

impl<'e> SetSizes<'e, '_> {
    /// The facts about the set with this name.
    pub(crate) fn of(&mut self, name: &'e str) -> &mut NamedSet<'e> {
        self.named.entry(name).or_default()
    }

    /// The number of elements that a set has at least.
    pub(super) fn least(&self, set: &'e Expr, distinct: &Distinct<'e>) -> usize {
        self.least_within(set, distinct, DEEPEST)
    }

    fn least_within(&self, set: &'e Expr, distinct: &Distinct<'e>, depth: usize) -> usize {
        if let Some(size) = (self.known)(set) {
            return size;
        }
        let Some(depth) = self.deeper(depth) else { return 0 };
        let least = |set: &'e Expr| self.least_within(set, distinct, depth);
        match &set.kind {
            ExprKind::SetExtension(items) => {
                let names: Vec<&str> = items.iter().filter_map(|item| self.constant(item)).collect();
                distinct.most_of(&names).max(usize::from(!items.is_empty()))
            }
            ExprKind::Binary(BinaryOp::Union, left, right) if self.are_disjoint(left, right) => least(left).saturating_add(least(right)),
            ExprKind::Binary(BinaryOp::Union, left, right) => {
                let mut names = BTreeSet::new();
                let all_named = self.elements(left, &mut names) && self.elements(right, &mut names);
                let together = if all_named { distinct.most_of(&names.into_iter().collect::<Vec<_>>()) } else { 0 };
                least(left).max(least(right)).max(together)
            }
            ExprKind::Binary(BinaryOp::Times, left, right) => least(left).saturating_mul(least(right)),
            ExprKind::Ident(name) => {
                let Some(known) = self.named.get(name.as_str()) else { return 0 };
                let members: Vec<&str> = known.members.iter().copied().collect();
                let parts = known.partitions.iter().map(|parts| parts.iter().map(least).fold(0, usize::saturating_add));
                let others = known.equals.iter().chain(&known.subsets).map(|set| least(set));
                parts.chain(others).chain([known.least, distinct.most_of(&members)]).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The number of elements that a set has at most, if that is bounded.
    pub(super) fn most(&self, set: &'e Expr, distinct: &Distinct<'e>) -> Option<usize> {
        self.most_within(set, distinct, DEEPEST)
    }

    fn most_within(&self, set: &'e Expr, distinct: &Distinct<'e>, depth: usize) -> Option<usize> {
        if let Some(size) = (self.known)(set) {
            return Some(size);
        }
        let depth = self.deeper(depth)?;
        let most = |set: &'e Expr| self.most_within(set, distinct, depth);
        match &set.kind {
            ExprKind::SetExtension(items) => {
                let names: BTreeSet<&str> = items.iter().filter_map(|item| self.constant(item)).collect();
                let others = items.iter().filter(|item| self.constant(item).is_none()).count();
                Some(distinct.classes(&names) + others)
            }
            ExprKind::Binary(BinaryOp::Union, left, right) => most(left)?.checked_add(most(right)?),
            ExprKind::Binary(BinaryOp::Times, left, right) => most(left)?.checked_mul(most(right)?),
            ExprKind::Ident(name) => {
                let known = self.named.get(name.as_str())?;
                let parts =
                    known.partitions.iter().filter_map(|parts| parts.iter().try_fold(0, |sum: usize, part| sum.checked_add(most(part)?)));
                let equals = known.equals.iter().filter_map(|set| most(set));
                parts.chain(equals).chain(known.most).min()
            }
            _ => None,
        }
    }

    /// The depth below, unless it, or the number of looks, is used up.
    fn deeper(&self, depth: usize) -> Option<usize> {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() > MOST_LOOKS { None } else { depth.checked_sub(1) }
    }

    /// Adds the constants of an extension, or of a set that equals one; returns whether the set is such an extension.
    fn elements(&self, set: &'e Expr, names: &mut BTreeSet<&'e str>) -> bool {
        match &set.kind {
            ExprKind::SetExtension(items) => items.iter().all(|item| match self.constant(item) {
                Some(name) => {
                    names.insert(name);
                    true
                }
                None => false,
            }),
            ExprKind::Ident(name) => {
                let equals = self.named.get(name.as_str()).into_iter().flat_map(|known| &known.equals);
                equals.filter(|set| matches!(set.kind, ExprKind::SetExtension(_))).any(|set| self.elements(set, names))
            }
            _ => false,
        }
    }

    fn are_disjoint(&self, left: &Expr, right: &Expr) -> bool {
        let (ExprKind::Ident(left), ExprKind::Ident(right)) = (&left.kind, &right.kind) else { return false };
        self.disjoint.contains(&(left.as_str(), right.as_str())) || self.disjoint.contains(&(right.as_str(), left.as_str()))
    }

    fn constant(&self, expr: &'e Expr) -> Option<&'e str> {
        match &expr.kind {
            ExprKind::Ident(name) if self.constants.contains(name.as_str()) => Some(name.as_str()),
            _ => None,
        }
    }
}
