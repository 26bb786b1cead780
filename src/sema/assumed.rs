//! What a refinement may assume of the machines that it refines: their invariants.
//!
//! Those of the refined machine are about variables of the model. Those that mention a machine further up become one predicate: some values
//! of the variables that the model does not have satisfy them. Invariant: what is assumed mentions variables of the model only.
//! Deliberately elsewhere: who assumes it (`explore::refine`).

use super::compose::{Declared, mentions_from};
use crate::ir::{Conjunct, Expr, ExprKind, LocalId, Model, Pred, PredKind, Rewrite, Type, VariableId, rewrite_pred};
use crate::source::Span;
use std::collections::BTreeMap;

/// The variables of machines further up than the refined one.
pub(super) struct Outside {
    /// The first of them.
    first: u32,
    names: Vec<String>,
    /// A variable, and the same one in the machine below.
    same: BTreeMap<VariableId, VariableId>,
}

impl Outside {
    pub(super) fn of(first: u32, declared: &Declared) -> Self {
        let names = declared.variables.keys().skip(first as usize).cloned().collect();
        Self { first, names, same: declared.same_above.iter().copied().collect() }
    }

    /// The conjuncts of the invariants of refined machines, in variables of the model, whose types are complete.
    pub(super) fn assumed(&self, model: &mut Model, conjuncts: Vec<Conjunct>) -> Vec<Conjunct> {
        let mut closing = Closing { outside: self, locals: &mut model.locals, bound: BTreeMap::new() };
        let (mut assumed, mut above) = (Vec::new(), Vec::new());
        for mut conjunct in conjuncts {
            let is_outside = mentions_from(&conjunct.pred, self.first);
            rewrite_pred(&mut conjunct.pred, &mut closing);
            if is_outside { above.push(conjunct.pred) } else { assumed.push(conjunct) }
        }
        let bound: Vec<(LocalId, Type)> = closing.bound.into_values().collect();
        if let Some(span) = above.iter().map(|pred| pred.span).reduce(Span::to) {
            let all = Pred { kind: PredKind::And(above), span };
            let kind = if bound.is_empty() { all.kind } else { PredKind::Exists(bound, Box::new(all)) };
            assumed.push(Conjunct { pred: Pred { kind, span }, label: None });
        }
        assumed
    }

    /// The lowest machine's variable that is the same.
    fn lowest(&self, mut id: VariableId) -> VariableId {
        // Ends, as each step leads to a machine further down.
        while let Some(&below) = self.same.get(&id) {
            id = below;
        }
        id
    }
}

/// Replaces variables outside the model: by the same one in the model, or by a name that is to be bound.
struct Closing<'a> {
    outside: &'a Outside,
    locals: &'a mut Vec<String>,
    bound: BTreeMap<VariableId, (LocalId, Type)>,
}

impl Rewrite for Closing<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Variable(id) = expr.kind else { return };
        let id = self.outside.lowest(id);
        if id.0 < self.outside.first {
            expr.kind = ExprKind::Variable(id);
            return;
        }
        let Self { outside, locals, bound } = self;
        let (local, _) = bound.entry(id).or_insert_with(|| {
            locals.push(outside.names[(id.0 - outside.first) as usize].clone());
            (LocalId(u32::try_from(locals.len() - 1).expect("fewer names than 2^32")), expr.ty.clone())
        });
        expr.kind = ExprKind::Local(*local);
    }
}
