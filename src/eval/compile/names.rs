//! The read-only view of the compiler that analyses of formulas use: slots of names, and facts about the model.
//!
//! Invariant: a view changes nothing but caches, so the result of an analysis does not depend on those made before it.
//! Deliberately elsewhere: the analyses (`order`, and `recursion` here), values of closed expressions (`known`).

use super::Compiler;
use super::position::LoopId;
use crate::plan::Slot;
use crate::run::context::Context;
use bcheck_ir::{Expr, ExprKind, LocalId, Model, Node, Pred, Scope, Target, Type, VariableId, walk_expr, walk_pred};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The view that analyses read.
#[derive(Clone, Copy)]
pub(crate) struct Names<'c> {
    pub(crate) model: &'c Model,
    /// For folding closed expressions, and for the names of slots.
    pub(crate) context: &'c Context,
    /// The slots that `x$0` reads in the loop around, if there is one.
    saved: Option<&'c BTreeMap<VariableId, Slot>>,
    pub(crate) facts: &'c Facts,
    /// See [`Compiler::default_range`].
    pub(crate) default_range: (i64, i64),
    /// See [`Compiler::folding_work`].
    pub(super) folding_work: Option<u32>,
}

/// Facts about the whole model, computed lazily.
#[derive(Default)]
pub(crate) struct Facts {
    /// Variables that a whole infinite set is assigned to somewhere.
    pub(crate) endless: OnceCell<BTreeSet<VariableId>>,
    /// Names that may be bound to a comprehension that cannot be written out.
    pub(crate) described: OnceCell<BTreeSet<LocalId>>,
}

impl Compiler<'_> {
    /// The names at the present position.
    pub(crate) fn names(&self) -> Names<'_> {
        Names {
            model: self.model,
            context: &self.context,
            saved: self.position.inside.map(|LoopId(at)| &self.loops[at]),
            facts: &self.facts,
            default_range: self.default_range,
            folding_work: self.folding_work,
        }
    }
}

impl<'c> Names<'c> {
    pub(crate) fn scope(&self) -> &'c Scope {
        &self.context.scope
    }

    pub(super) fn variable_slot(&self, id: VariableId) -> Slot {
        self.model.constants.len() + id.index()
    }

    pub(crate) fn local_slot(&self, id: LocalId) -> Slot {
        self.model.constants.len() + self.model.variables.len() + id.index()
    }

    pub(super) fn target_slot(&self, target: Target) -> Slot {
        match target {
            Target::Variable(id) => self.variable_slot(id),
            Target::Local(id) => self.local_slot(id),
        }
    }

    /// The bound name whose slot this is.
    pub(crate) fn local_of(&self, slot: Slot) -> LocalId {
        LocalId(u32::try_from(slot - self.local_slot(LocalId(0))).expect("fewer than 2^32 slots"))
    }

    /// The locals with their slots.
    pub(crate) fn with_slots(&self, locals: &[(LocalId, Type)]) -> Vec<(Slot, Type)> {
        locals.iter().map(|(id, ty)| (self.local_slot(*id), ty.clone())).collect()
    }

    /// The slot that an expression reads, when it is a plain name.
    pub(crate) fn slot_of(&self, expr: &Expr) -> Option<Slot> {
        match expr.kind {
            ExprKind::Constant(id) => Some(id.index()),
            ExprKind::Variable(id) => Some(self.variable_slot(id)),
            ExprKind::OldVariable(id) => {
                // A loop saves every variable that is read as `x$0` inside it, so there is no entry only where there is no loop. Then `x$0`
                // is the variable itself: a substitution assigns after it has evaluated.
                let saved = self.saved.and_then(|saved| saved.get(&id));
                Some(saved.copied().unwrap_or_else(|| self.variable_slot(id)))
            }
            ExprKind::Local(id) => Some(self.local_slot(id)),
            _ => None,
        }
    }

    /// Slots that an expression reads, including those of names that it binds itself.
    pub(crate) fn slots_of_expr(&self, expr: &Expr) -> BTreeSet<Slot> {
        let mut slots = BTreeSet::new();
        walk_expr(expr, &mut |node| self.collect_slot(node, &mut slots));
        slots
    }

    /// Slots that a predicate reads, including those of names that it binds itself.
    pub(crate) fn slots_of_pred(&self, pred: &Pred) -> BTreeSet<Slot> {
        let mut slots = BTreeSet::new();
        walk_pred(pred, &mut |node| self.collect_slot(node, &mut slots));
        slots
    }

    fn collect_slot(&self, node: Node<'_>, slots: &mut BTreeSet<Slot>) {
        if let Node::Expr(expr) = node
            && let Some(slot) = self.slot_of(expr)
        {
            slots.insert(slot);
        }
    }

    /// Whether an expression reads none of these slots.
    pub(crate) fn is_closed(&self, expr: &Expr, unbound: &BTreeSet<Slot>) -> bool {
        self.slots_of_expr(expr).is_disjoint(unbound)
    }

    /// Whether a predicate reads none of these slots.
    pub(crate) fn is_closed_pred(&self, pred: &Pred, unbound: &BTreeSet<Slot>) -> bool {
        self.slots_of_pred(pred).is_disjoint(unbound)
    }
}
