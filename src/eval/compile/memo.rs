//! Memoised plans: each comprehension, quantifier and fold of the text is compiled once, however often the formulas around it are.
//!
//! A search compiles its conjuncts both as tests and as the source that decides about ill-definedness, and several orders are tried.
//! Without memoisation, every level of nesting would multiply the work. Invariant: an entry is found only for a formula that is equal,
//! places included, and reads the same slots (`x$0` reads another slot in each loop), so that its plan is the one that would be made.

use crate::plan::{ClosurePlan, ExprPlan, PredPlan, Search, Slot};
use bcheck_ir::{Expr, Pred, alpha_hash, alpha_hash_of_pred};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Plans of formulas that bind names.
#[derive(Default)]
pub(crate) struct Memo {
    pub(crate) closures: MemoTable<Expr, Arc<ClosurePlan>>,
    pub(crate) folds: MemoTable<Expr, (Arc<Search>, Arc<ExprPlan>)>,
    pub(crate) foralls: MemoTable<Pred, (Arc<Search>, Arc<PredPlan>)>,
    pub(crate) witnesses: MemoTable<Pred, Arc<Search>>,
}

/// A formula with the slots that it reads.
pub(super) struct Key<S> {
    hash: u64,
    source: S,
    reads: BTreeSet<Slot>,
}

impl Key<Expr> {
    pub(super) fn of_expr(expr: &Expr, reads: BTreeSet<Slot>) -> Self {
        Self { hash: alpha_hash(expr), source: expr.clone(), reads }
    }
}

impl Key<Pred> {
    pub(super) fn of_pred(pred: &Pred, reads: BTreeSet<Slot>) -> Self {
        Self { hash: alpha_hash_of_pred(pred), source: pred.clone(), reads }
    }
}

/// Plans by the formulas that they were compiled from.
pub(crate) struct MemoTable<S, P> {
    entries: FxHashMap<u64, Vec<(Key<S>, P)>>,
}

impl<S, P> Default for MemoTable<S, P> {
    fn default() -> Self {
        Self { entries: FxHashMap::default() }
    }
}

impl<S: PartialEq, P: Clone> MemoTable<S, P> {
    pub(super) fn get(&self, key: &Key<S>) -> Option<P> {
        // The hash ignores names and places, so unequal formulas may share it. Comparing the slots is cheaper than comparing the trees.
        let entries = self.entries.get(&key.hash)?;
        entries.iter().find(|(other, _)| other.reads == key.reads && other.source == key.source).map(|(_, plan)| plan.clone())
    }

    pub(super) fn insert(&mut self, key: Key<S>, plan: P) {
        self.entries.entry(key.hash).or_default().push((key, plan));
    }
}
