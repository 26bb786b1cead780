//! The tree of evidence: which parts of a connective decide it, and the body of a quantifier for the deciding binding.
//!
//! Invariant: a part is shown with its truth value; parts that do not matter for the value of the whole are left out. The tree is limited
//! by a budget of nodes, and states how much is left out. Deliberately elsewhere: comparisons (`comparison`), terms (`terms`), the search
//! for bindings (`bindings`), evaluation (`explainer`).

use super::bindings::{hypotheses_of, parts_of};
use super::explainer::Explainer;
use super::{BoundValues, Evidence, Rejection, TriedBindings, TruthValue, Witness};
use crate::Machine;
use crate::compile::Compiler;
use crate::order;
use bcheck_ir::{Expr, LocalId, Operation, Pred, PredKind, Type};
use bcheck_source::Span;

/// The most parts of a node.
const MOST_PARTS: usize = 12;

impl Machine {
    /// The conjunction of the guards of an operation, with the condition under which states are expanded.
    pub(super) fn guard_of(&self, operation: &Operation) -> Option<Pred> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let mut guards: Vec<Pred> = self.model().expanded.iter().cloned().collect();
        order::collect_shown_guards(&mut compiler, &operation.body, &mut guards);
        let only = if guards.len() == 1 { guards.pop() } else { None };
        // Several guards together have no place in the text.
        only.or_else(|| (!guards.is_empty()).then_some(Pred { kind: PredKind::And(guards), span: Span::nowhere() }))
    }
}

impl Explainer<'_> {
    /// Why a predicate has its truth value.
    pub(super) fn evidence(&mut self, pred: &Pred) -> Evidence {
        self.nodes = self.nodes.saturating_sub(1);
        let mut node = Evidence::of(pred, self.truth(pred));
        if matches!(node.truth, TruthValue::Unknown(_)) {
            return node;
        }
        match &pred.kind {
            PredKind::True | PredKind::False => {}
            PredKind::And(_) => {
                let parts = parts_of(pred);
                // All parts make it true; each false one makes it false.
                let decides = |truth: &TruthValue| *truth != TruthValue::True;
                if node.truth == TruthValue::True { self.add_all(&mut node, &parts) } else { self.add_deciding(&mut node, &parts, decides) }
            }
            PredKind::Or(parts) => {
                let parts: Vec<&Pred> = parts.iter().collect();
                let decides = |truth: &TruthValue| *truth != TruthValue::False;
                if node.truth == TruthValue::False { self.add_all(&mut node, &parts) } else { self.add_first(&mut node, &parts, decides) }
            }
            PredKind::Not(inner) => self.add_all(&mut node, &[inner]),
            PredKind::Implies(left, right) => match node.truth {
                TruthValue::False => self.add_all(&mut node, &[left, right]),
                // Either part makes it true, and an ill-defined part makes it ill-defined.
                TruthValue::True => {
                    let premise = self.truth(left);
                    self.add_all(&mut node, &[if premise == TruthValue::False { left } else { right }]);
                }
                _ => self.add_first(&mut node, &[left, right], TruthValue::is_ill_defined),
            },
            PredKind::Equivalent(left, right) => self.add_all(&mut node, &[left, right]),
            PredKind::If(condition, then, otherwise) => {
                let parts: &[&Pred] = match self.truth(condition) {
                    TruthValue::True => &[condition, then],
                    TruthValue::False => &[condition, otherwise],
                    _ => &[condition],
                };
                self.add_all(&mut node, parts);
            }
            PredKind::Let(bindings, body) => self.add_let(&mut node, bindings, body),
            PredKind::Forall(locals, body) => self.add_forall(&mut node, locals, body),
            PredKind::Exists(locals, body) => self.add_exists(&mut node, locals, body),
            PredKind::Compare(..) | PredKind::Finite(_) | PredKind::Partition(..) => self.add_comparison(&mut node),
        }
        node
    }

    /// Adds these parts, as far as the budget allows.
    fn add_all(&mut self, node: &mut Evidence, parts: &[&Pred]) {
        for part in parts {
            if node.parts.len() >= MOST_PARTS || self.nodes == 0 {
                node.left_out += 1;
                continue;
            }
            let part = self.evidence(part);
            node.parts.push(part);
        }
    }

    /// Adds the parts that decide the value of the node: the false ones, if any; else the first ill-defined one.
    fn add_deciding(&mut self, node: &mut Evidence, parts: &[&Pred], decides: impl Fn(&TruthValue) -> bool) {
        if node.truth.is_ill_defined() {
            return self.add_first(node, parts, decides);
        }
        let wanted: Vec<&Pred> = parts.iter().copied().filter(|part| self.truth(part) == TruthValue::False).collect();
        self.add_all(node, &wanted);
    }

    /// Adds the first part that decides the value of the node.
    fn add_first(&mut self, node: &mut Evidence, parts: &[&Pred], decides: impl Fn(&TruthValue) -> bool) {
        let first = parts.iter().copied().find(|part| decides(&self.truth(part)));
        self.add_all(node, &Vec::from_iter(first));
    }

    fn add_let(&mut self, node: &mut Evidence, bindings: &[(LocalId, Expr)], body: &Pred) {
        let outer = self.bound.len();
        for (id, expr) in bindings {
            let term = self.term_value(expr);
            if let Ok(value) = &term.value {
                let slot = self.compiler.names().local_slot(*id);
                self.bound.push((slot, value.clone()));
            }
            node.terms.push(term);
        }
        self.add_all(node, &[body]);
        self.bound.truncate(outer);
    }

    fn add_forall(&mut self, node: &mut Evidence, locals: &[(LocalId, Type)], body: &Pred) {
        if node.truth == TruthValue::True {
            return;
        }
        let found = self.counterexamples(locals, body);
        let Some(values) = found.least else { return };
        let values: BoundValues = locals.iter().map(|(id, _)| *id).zip(values).collect();
        // That the hypotheses hold for a counterexample goes without saying.
        let decisive = if node.truth.is_ill_defined() { body } else { hypotheses_of(body).1 };
        self.with_bound(&values, |this| this.add_all(node, &[decisive]));
        node.witness = Some(Witness { values, count: found.count, is_all: found.is_all });
    }

    fn add_exists(&mut self, node: &mut Evidence, locals: &[(LocalId, Type)], body: &Pred) {
        match node.truth {
            TruthValue::True => {
                let found = self.witnesses(locals, body);
                let Some(values) = found.least else { return };
                let values: BoundValues = locals.iter().map(|(id, _)| *id).zip(values).collect();
                self.with_bound(&values, |this| this.add_all(node, &[body]));
                node.witness = Some(Witness { values, count: found.count, is_all: found.is_all });
            }
            TruthValue::False => self.add_rejections(node, locals, body),
            TruthValue::IllDefined(_) | TruthValue::Unknown(_) => {}
        }
    }

    fn add_rejections(&mut self, node: &mut Evidence, locals: &[(LocalId, Type)], body: &Pred) {
        let Some(rejected) = self.rejections(locals, body) else { return };
        let conjuncts = parts_of(body);
        let satisfied: Vec<Pred> = conjuncts[..rejected.satisfied].iter().map(|pred| (*pred).clone()).collect();
        let mut tried = TriedBindings { satisfied, count: rejected.count, is_all: rejected.is_all, rejections: Vec::new() };
        for (at, (count, values)) in rejected.by_conjunct {
            if tried.rejections.len() >= MOST_PARTS || self.nodes == 0 {
                node.left_out += 1;
                continue;
            }
            let example: BoundValues = locals.iter().map(|(id, _)| *id).zip(values).collect();
            let evidence = self.with_bound(&example, |this| this.evidence(conjuncts[at]));
            tried.rejections.push(Rejection { count, example, evidence });
        }
        if tried.count == 0 {
            // No value satisfies these conjuncts: the terms compared with the names show why.
            let satisfied: Vec<&Pred> = tried.satisfied.iter().collect();
            node.terms = self.closed_terms(&satisfied, locals);
        }
        node.tried = Some(tried);
    }
}
