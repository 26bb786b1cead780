//! Substitutions → plans.
//!
//! Invariant: a plan has the successors of its substitution. Deliberately elsewhere: the conditions that bound a choice (`order::guards`).

use super::Compiler;
use super::names::Names;
use super::position::LoopId;
use crate::plan::{ExprPlan, ExprPlanKind, FollowPartPlan, FollowPlan, PredPlan, Slot, SubstPlan, SubstPlanKind, WhilePlan};
use bcheck_ir::{
    BinaryOp, Expr, ExprKind, Following, LocalId, Node, Pred, Subst, SubstKind, Target, Type, VariableId, walk_pred, walk_subst,
};
use std::collections::{BTreeMap, BTreeSet};

impl Compiler<'_> {
    /// Compiles a substitution.
    pub(crate) fn subst(&mut self, subst: &Subst) -> SubstPlan {
        let kind = match &subst.kind {
            SubstKind::Skip => SubstPlanKind::Skip,
            SubstKind::Assign(assignments) => SubstPlanKind::Assign(
                assignments.iter().map(|(target, value)| (self.names().target_slot(*target), self.assigned(*target, value))).collect(),
            ),
            SubstKind::BecomesIn(targets, set) => {
                let slots: Vec<Slot> = targets.iter().map(|target| self.names().target_slot(*target)).collect();
                // `x :: NATURAL` is a choice of the machine like ANY, and is cut like one.
                let (cut, tried) = self.choice_within_bounds(set, &slots);
                let whole = tried.as_ref().map(|_| self.expr(set));
                let chosen = SubstPlanKind::BecomesIn(slots, self.expr(&cut), whole);
                match tried {
                    None => chosen,
                    Some(tried) => {
                        let part = |kind| SubstPlan { kind, span: subst.span };
                        SubstPlanKind::Sequence(vec![part(SubstPlanKind::Cut(Box::new(tried))), part(chosen)])
                    }
                }
            }
            SubstKind::BecomesSuchThat(targets, pred) => {
                let locals: Vec<(Slot, Type)> =
                    targets.iter().map(|(_, local, ty)| (self.names().local_slot(*local), ty.clone())).collect();
                let inside = self.saved_but_for(targets);
                let search = self.within(self.position().inside(inside), |this| this.choice(&locals, &[pred], pred.span));
                let targets =
                    targets.iter().map(|(target, local, _)| (self.names().target_slot(*target), self.names().local_slot(*local))).collect();
                SubstPlanKind::BecomesSuchThat(targets, search)
            }
            // All parts read the state before. The results are joined by taking from each part the slots that it may write.
            SubstKind::Parallel(parts) => {
                SubstPlanKind::Parallel(parts.iter().map(|part| (self.subst(part), writes(&self.names(), part))).collect())
            }
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
            // Unlike in IF, every branch whose guard holds is a choice, so the guards are not tried in order; ELSE needs all of them to be
            // false.
            SubstKind::Select(branches, otherwise) => {
                let branches = branches.iter().map(|(pred, body)| (self.pred(pred), self.subst(body))).collect();
                SubstPlanKind::Select(branches, otherwise.as_ref().map(|body| Box::new(self.subst(body))))
            }
            SubstKind::Any(locals, pred, body) => {
                let locals = self.names().with_slots(locals);
                // The guards of the body may bound what the condition leaves open.
                SubstPlanKind::Any(self.choice_before(&locals, &[pred], body, pred.span), Box::new(self.subst(body)))
            }
            // Each name has one value, so there is no search.
            SubstKind::Let(bindings, body) => SubstPlanKind::Let(self.bindings(bindings), Box::new(self.subst(body))),
            SubstKind::Var(locals, body) => {
                SubstPlanKind::Var(locals.iter().map(|(id, _)| self.names().local_slot(*id)).collect(), Box::new(self.subst(body)))
            }
            SubstKind::While { condition, body, invariant, variant } => {
                let (inside, saved) = self.saving_loop(subst);
                let plan =
                    self.within(self.position().inside(Some(inside)), |this| this.while_loop(condition, body, (invariant, variant), saved));
                SubstPlanKind::While(Box::new(plan))
            }
            SubstKind::Follow(following) => SubstPlanKind::Follow(Box::new(self.follow(following))),
        };
        SubstPlan { kind, span: subst.span }
    }

    /// The new value of a target. `f(x) := E` has been rewritten as `f := f <+ {x |-> E}`, both of whose parts then have the place of
    /// `f(x)`; such an f may have no value yet.
    fn assigned(&mut self, target: Target, value: &Expr) -> ExprPlan {
        let slot = self.names().target_slot(target);
        match &value.kind {
            ExprKind::Binary(BinaryOp::Override, base, change)
                if change.span == value.span
                    && self.names().slot_of(base) == Some(slot)
                    && !matches!(base.kind, ExprKind::OldVariable(_)) =>
            {
                let base = ExprPlan { kind: ExprPlanKind::SlotOrEmpty(slot), ty: base.ty.clone(), span: base.span };
                let kind = ExprPlanKind::Binary(BinaryOp::Override, Box::new(base), Box::new(self.expr(change)));
                ExprPlan { kind, ty: value.ty.clone(), span: value.span }
            }
            _ => self.expr(value),
        }
    }

    /// A loop. In INVARIANT and VARIANT, `x$0` is the value before the loop: it is read from the slots of this loop, since a loop inside
    /// saves its own.
    fn while_loop(&mut self, condition: &Pred, body: &Subst, (invariant, variant): (&Pred, &Expr), saved: Vec<(Slot, Slot)>) -> WhilePlan {
        WhilePlan {
            condition: self.pred(condition),
            body: self.subst(body),
            invariant: self.pred(invariant),
            variant: self.expr(variant),
            saved,
            writes: writes(&self.names(), body),
        }
    }

    fn follow(&mut self, following: &Following) -> FollowPlan {
        let parts = following.parts.iter().map(|part| FollowPartPlan {
            machine: part.machine.clone(),
            arguments: self.bindings(&part.arguments),
            body: part.body.as_ref().map(|body| self.subst(body)),
            results: part.results.iter().map(|(own, below)| (self.names().local_slot(*own), self.names().local_slot(*below))).collect(),
            related: part.related.as_ref().map(|pred| self.pred(pred)),
        });
        FollowPlan {
            parts: parts.collect(),
            states: self.names().target_slot(Target::Variable(following.states)),
            names: following.names.iter().map(|(id, _)| self.names().local_slot(*id)).collect(),
            refined: following.refined,
            begins: following.begins,
            related: self.pred(&following.related),
        }
    }

    /// Compiles a predicate about the state after a step, in which `x$0` reads the value before. Returns the variables read so, each with
    /// the slot of its value.
    pub(crate) fn pred_of_step(&mut self, pred: &Pred) -> (PredPlan, Vec<(Slot, Slot)>) {
        let mut olds = BTreeSet::new();
        walk_pred(pred, &mut |node| note_old(node, &mut olds));
        let (inside, saved) = self.saving(olds);
        (self.within(self.position().inside(Some(inside)), |this| this.pred(pred)), saved)
    }

    /// A new loop, with the variables whose values at its start `x$0` reads, and the slots that store these.
    fn saving_loop(&mut self, subst: &Subst) -> (LoopId, Vec<(Slot, Slot)>) {
        // This includes `x$0` of targets in a `:(…)` of the body, which is not the value at the start: a slot that nobody reads.
        let mut olds = BTreeSet::new();
        walk_subst(subst, &mut |node| note_old(node, &mut olds));
        self.saving(olds)
    }

    /// The enclosing loop, as seen by the predicate of `x : (P)`: there `x$0` of a target is the value before this very substitution, but
    /// that of any other variable is still the value at the start of the loop.
    fn saved_but_for(&mut self, targets: &[(Target, LocalId, Type)]) -> Option<LoopId> {
        let mut saved = self.loops[self.position().inside?.0].clone();
        saved.retain(|id, _| targets.iter().all(|(target, _, _)| *target != Target::Variable(*id)));
        self.loops.push(saved);
        Some(LoopId(self.loops.len() - 1))
    }

    fn saving(&mut self, olds: BTreeSet<VariableId>) -> (LoopId, Vec<(Slot, Slot)>) {
        let saved: BTreeMap<VariableId, Slot> =
            olds.into_iter().map(|id| (id, self.temporary(&format!("{}$0", self.model.variable_name(id))))).collect();
        let pairs = saved.iter().map(|(id, slot)| (self.names().variable_slot(*id), *slot)).collect();
        self.loops.push(saved);
        (LoopId(self.loops.len() - 1), pairs)
    }

    fn substs(&mut self, substs: &[Subst]) -> Vec<SubstPlan> {
        substs.iter().map(|subst| self.subst(subst)).collect()
    }
}

fn note_old(node: Node<'_>, olds: &mut BTreeSet<VariableId>) {
    if let Node::Expr(Expr { kind: ExprKind::OldVariable(id), .. }) = node {
        olds.insert(*id);
    }
}

/// Slots that a substitution may assign.
fn writes(names: &Names<'_>, subst: &Subst) -> Vec<Slot> {
    // The slots that any branch may assign. Where another branch is taken, the slot keeps its old value, which is not a change: parts
    // of a parallel substitution assign disjoint variables.
    let mut slots = BTreeSet::new();
    walk_subst(subst, &mut |node| {
        let Node::Subst(subst) = node else { return };
        let targets: Vec<Target> = match &subst.kind {
            SubstKind::Assign(assignments) => assignments.iter().map(|(target, _)| *target).collect(),
            SubstKind::BecomesIn(targets, _) => targets.clone(),
            SubstKind::BecomesSuchThat(targets, _) => targets.iter().map(|(target, _, _)| *target).collect(),
            SubstKind::Follow(following) => vec![Target::Variable(following.states)],
            _ => Vec::new(),
        };
        slots.extend(targets.into_iter().map(|target| names.target_slot(target)));
    });
    slots.into_iter().collect()
}
