//! Substitutions → plans.
//!
//! Invariant: a plan has the successors of its substitution. Deliberately elsewhere: which conditions bound a choice (`guards`).

use super::Compiler;
use crate::eval::plan::{Slot, SubstPlan, SubstPlanKind, WhilePlan};
use crate::ir::{Expr, ExprKind, Node, Subst, SubstKind, Target, Type, VariableId, walk_subst};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// Compiles a substitution.
    pub(in crate::eval) fn subst(&mut self, subst: &Subst) -> SubstPlan {
        let kind = match &subst.kind {
            SubstKind::Skip => SubstPlanKind::Skip,
            SubstKind::Assign(assignments) => {
                SubstPlanKind::Assign(assignments.iter().map(|(target, value)| (self.target_slot(*target), self.expr(value))).collect())
            }
            SubstKind::BecomesIn(targets, set) => {
                let slots: Vec<Slot> = targets.iter().map(|target| self.target_slot(*target)).collect();
                let set = self.choice_within_bounds(set, &slots);
                SubstPlanKind::BecomesIn(slots, self.expr(&set))
            }
            SubstKind::BecomesSuchThat(targets, pred) => {
                // Inside, x$0 is the value before this very substitution, whatever loop is around it.
                let outer = std::mem::take(&mut self.old);
                let locals: Vec<(Slot, Type)> = targets.iter().map(|(_, local, ty)| (self.local_slot(*local), ty.clone())).collect();
                let search = self.choice(&locals, &[pred], pred.span);
                self.old = outer;
                let targets = targets.iter().map(|(target, local, _)| (self.target_slot(*target), self.local_slot(*local))).collect();
                SubstPlanKind::BecomesSuchThat(targets, search)
            }
            SubstKind::Parallel(parts) => SubstPlanKind::Parallel(parts.iter().map(|part| (self.subst(part), self.writes(part))).collect()),
            SubstKind::Sequence(parts) => SubstPlanKind::Sequence(self.substs(parts)),
            SubstKind::Pre { pred, body, is_guard } => {
                SubstPlanKind::Pre { pred: self.pred(pred), body: Box::new(self.subst(body)), is_guard: *is_guard }
            }
            SubstKind::Assert(pred, body) => SubstPlanKind::Assert(self.pred(pred), Box::new(self.subst(body))),
            SubstKind::Choice(parts) => SubstPlanKind::Choice(self.substs(parts)),
            SubstKind::If(branches, otherwise) => {
                let branches = branches.iter().map(|(pred, body)| (self.pred(pred), self.subst(body))).collect();
                SubstPlanKind::If(branches, otherwise.as_ref().map(|body| Box::new(self.subst(body))))
            }
            SubstKind::Select(branches, otherwise) => {
                let branches = branches.iter().map(|(pred, body)| (self.pred(pred), self.subst(body))).collect();
                SubstPlanKind::Select(branches, otherwise.as_ref().map(|body| Box::new(self.subst(body))))
            }
            SubstKind::Any(locals, pred, body) => {
                let locals = self.with_slots(locals);
                SubstPlanKind::Any(self.choice_before(&locals, &[pred], body, pred.span), Box::new(self.subst(body)))
            }
            SubstKind::Let(bindings, body) => SubstPlanKind::Let(self.bindings(bindings), Box::new(self.subst(body))),
            SubstKind::Var(locals, body) => {
                SubstPlanKind::Var(locals.iter().map(|(id, _)| self.local_slot(*id)).collect(), Box::new(self.subst(body)))
            }
            SubstKind::While { condition, body, invariant, variant } => {
                // Also those inside of a `:(…)` of the body, which mean another value; they cost a slot that nobody reads.
                let mut olds: BTreeSet<VariableId> = BTreeSet::new();
                walk_subst(subst, &mut |node| {
                    if let Node::Expr(Expr { kind: ExprKind::OldVariable(id), .. }) = node {
                        olds.insert(*id);
                    }
                });
                let saved: FxHashMap<VariableId, Slot> =
                    olds.iter().map(|id| (*id, self.temporary(&format!("{}$0", self.model.variable_name(*id))))).collect();
                let mut pairs: Vec<(Slot, Slot)> = saved.iter().map(|(id, slot)| (self.variable_slot(*id), *slot)).collect();
                // No order of a hash map reaches the plan.
                pairs.sort_unstable();
                // From here on `x$0` reads what this loop saved; after it, what the loop around it did.
                let outer = std::mem::replace(&mut self.old, saved);
                let plan = WhilePlan {
                    condition: self.pred(condition),
                    body: self.subst(body),
                    invariant: self.pred(invariant),
                    variant: self.expr(variant),
                    saved: pairs,
                    writes: self.writes(body),
                };
                self.old = outer;
                SubstPlanKind::While(Box::new(plan))
            }
        };
        SubstPlan { kind, span: subst.span }
    }

    fn substs(&mut self, substs: &[Subst]) -> Vec<SubstPlan> {
        substs.iter().map(|subst| self.subst(subst)).collect()
    }

    /// Slots that a substitution may assign.
    fn writes(&self, subst: &Subst) -> Vec<Slot> {
        let mut slots = BTreeSet::new();
        walk_subst(subst, &mut |node| {
            let Node::Subst(subst) = node else { return };
            let targets: Vec<Target> = match &subst.kind {
                SubstKind::Assign(assignments) => assignments.iter().map(|(target, _)| *target).collect(),
                SubstKind::BecomesIn(targets, _) => targets.clone(),
                SubstKind::BecomesSuchThat(targets, _) => targets.iter().map(|(target, _, _)| *target).collect(),
                _ => Vec::new(),
            };
            slots.extend(targets.into_iter().map(|target| self.target_slot(target)));
        });
        slots.into_iter().collect()
    }
}
