//! Substitutions over words.
//!
//! Invariant: as in the general evaluator, slots assigned by a run hold what they held before when it returns. Any ill-definedness
//! traps: which choices survive is then for the general evaluator to say.

use super::expression::Operand;
use super::search::PackedSearch;
use super::{Next, Packer, Pred, Trap, Words};
use crate::eval::frame::Flow;
use crate::eval::plan::{Slot, SubstPlan, SubstPlanKind};
use crate::value::packing::{Universe, bits};

/// A packed substitution.
pub(super) enum PackedSubst {
    Skip,
    /// The usual case of one target.
    Assign1(Slot, Operand),
    Assign(Vec<(Slot, Operand)>),
    /// Targets with the sizes of their universes, last one fastest.
    BecomesIn(Vec<(Slot, u64)>, Operand),
    BecomesSuchThat(Vec<(Slot, Slot)>, PackedSearch),
    Parallel(Vec<(PackedSubst, Vec<Slot>)>),
    Sequence(Vec<PackedSubst>),
    Pre {
        pred: Pred,
        body: Box<PackedSubst>,
        is_guard: bool,
    },
    Choice(Vec<PackedSubst>),
    If(Vec<(Pred, PackedSubst)>, Option<Box<PackedSubst>>),
    Select(Vec<(Pred, PackedSubst)>, Option<Box<PackedSubst>>),
    Any(PackedSearch, Box<PackedSubst>),
    Let(Vec<(Slot, Operand)>, Box<PackedSubst>),
    Var(Vec<Slot>, Box<PackedSubst>),
}

impl Packer<'_> {
    /// Marks the slots of VAR locals, which may be read before they are assigned.
    pub(super) fn mark_checked(&mut self, plan: &SubstPlan) {
        match &plan.kind {
            SubstPlanKind::Var(slots, body) => {
                slots.iter().for_each(|&slot| self.checked[slot] = true);
                self.mark_checked(body);
            }
            SubstPlanKind::Skip | SubstPlanKind::Assign(_) | SubstPlanKind::BecomesIn(..) | SubstPlanKind::BecomesSuchThat(..) => {}
            SubstPlanKind::Parallel(parts) => parts.iter().for_each(|(part, _)| self.mark_checked(part)),
            SubstPlanKind::Sequence(parts) | SubstPlanKind::Choice(parts) => parts.iter().for_each(|part| self.mark_checked(part)),
            SubstPlanKind::Pre { body, .. }
            | SubstPlanKind::Assert(_, body)
            | SubstPlanKind::Any(_, body)
            | SubstPlanKind::Let(_, body) => self.mark_checked(body),
            SubstPlanKind::If(branches, otherwise) | SubstPlanKind::Select(branches, otherwise) => {
                branches.iter().for_each(|(_, body)| self.mark_checked(body));
                if let Some(body) = otherwise {
                    self.mark_checked(body);
                }
            }
            SubstPlanKind::While(plan) => self.mark_checked(&plan.body),
        }
    }

    pub(super) fn subst(&self, plan: &SubstPlan) -> Option<PackedSubst> {
        Some(match &plan.kind {
            SubstPlanKind::Skip => PackedSubst::Skip,
            SubstPlanKind::Assign(assignments) => {
                let mut assignments = self.bindings(assignments)?;
                if assignments.len() == 1 {
                    let (slot, value) = assignments.pop()?;
                    PackedSubst::Assign1(slot, value)
                } else {
                    PackedSubst::Assign(assignments)
                }
            }
            SubstPlanKind::BecomesIn(slots, set) => {
                let (set, universe) = self.mask(set)?;
                PackedSubst::BecomesIn(self.components(slots, &universe)?, set)
            }
            SubstPlanKind::BecomesSuchThat(targets, search) => {
                let targets = targets.iter().map(|&(target, local)| (self.place(target), self.place(local))).collect();
                PackedSubst::BecomesSuchThat(targets, self.search(search)?)
            }
            SubstPlanKind::Parallel(parts) => PackedSubst::Parallel(
                parts.iter().map(|(part, writes)| Some((self.subst(part)?, self.places(writes)))).collect::<Option<_>>()?,
            ),
            SubstPlanKind::Sequence(parts) => PackedSubst::Sequence(self.substs(parts)?),
            SubstPlanKind::Pre { pred, body, is_guard } => {
                PackedSubst::Pre { pred: self.pred(pred)?, body: Box::new(self.subst(body)?), is_guard: *is_guard }
            }
            SubstPlanKind::Assert(pred, body) => {
                PackedSubst::Pre { pred: self.pred(pred)?, body: Box::new(self.subst(body)?), is_guard: false }
            }
            SubstPlanKind::Choice(parts) => PackedSubst::Choice(self.substs(parts)?),
            SubstPlanKind::If(branches, otherwise) => PackedSubst::If(self.branches(branches)?, self.optional(otherwise.as_deref())?),
            SubstPlanKind::Select(branches, otherwise) => {
                PackedSubst::Select(self.branches(branches)?, self.optional(otherwise.as_deref())?)
            }
            SubstPlanKind::Any(search, body) => PackedSubst::Any(self.search(search)?, Box::new(self.subst(body)?)),
            SubstPlanKind::Let(bindings, body) => PackedSubst::Let(self.bindings(bindings)?, Box::new(self.subst(body)?)),
            SubstPlanKind::Var(slots, body) => PackedSubst::Var(self.places(slots), Box::new(self.subst(body)?)),
            SubstPlanKind::While(_) => return None,
        })
    }

    fn substs(&self, plans: &[SubstPlan]) -> Option<Vec<PackedSubst>> {
        plans.iter().map(|plan| self.subst(plan)).collect()
    }

    fn branches(&self, branches: &[(crate::eval::plan::PredPlan, SubstPlan)]) -> Option<Vec<(Pred, PackedSubst)>> {
        branches.iter().map(|(pred, body)| Some((self.pred(pred)?, self.subst(body)?))).collect()
    }

    #[allow(clippy::option_option, reason = "no branch, or a branch that cannot be packed")]
    fn optional(&self, plan: Option<&SubstPlan>) -> Option<Option<Box<PackedSubst>>> {
        match plan {
            None => Some(None),
            Some(plan) => self.subst(plan).map(|plan| Some(Box::new(plan))),
        }
    }

    /// The targets of a left-nested tuple with the sizes of their universes.
    fn components(&self, slots: &[Slot], universe: &Universe) -> Option<Vec<(Slot, u64)>> {
        let Some((last, front)) = slots.split_last() else { return Some(Vec::new()) };
        if front.is_empty() {
            return Some(vec![(self.place(*last), u64::MAX)]);
        }
        let (first, second) = universe.rows_and_columns()?;
        let mut components = self.components(front, first)?;
        components.push((self.place(*last), u64::from(second.size())));
        Some(components)
    }
}

impl PackedSubst {
    /// Runs a substitution.
    pub(super) fn exec(&self, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
        match self {
            PackedSubst::Skip => next(words),
            PackedSubst::Assign1(slot, value) => {
                let value = value.get(words)?;
                let before = (words.slots[*slot], words.defined[*slot]);
                (words.slots[*slot], words.defined[*slot]) = (value, true);
                let flow = next(words);
                (words.slots[*slot], words.defined[*slot]) = before;
                flow
            }
            PackedSubst::Assign(assignments) => {
                let mut values = Vec::with_capacity(assignments.len());
                for (slot, value) in assignments {
                    values.push((*slot, value.get(words)?));
                }
                with(words, &values, next)
            }
            PackedSubst::BecomesIn(targets, set) => {
                for element in bits(set.get(words)?) {
                    let mut rest = element;
                    let mut values = Vec::with_capacity(targets.len());
                    for &(slot, size) in targets.iter().rev() {
                        values.push((slot, if size == u64::MAX { rest } else { rest % size }));
                        rest = if size == u64::MAX { 0 } else { rest / size };
                    }
                    if with(words, &values, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            PackedSubst::BecomesSuchThat(targets, search) => search.run_guard(words, &mut |words| {
                let values: Vec<(Slot, u64)> = targets.iter().map(|(target, local)| (*target, words.slots[*local])).collect();
                with(words, &values, next)
            }),
            PackedSubst::Parallel(parts) => parallel(parts, &mut Vec::new(), words, next),
            PackedSubst::Sequence(parts) => sequence(parts, words, next),
            PackedSubst::Pre { pred, body, is_guard } => match pred(words) {
                Ok(true) => body.exec(words, next),
                Ok(false) if *is_guard => Ok(Flow::Continue),
                Ok(false) => Err(Trap::IllDefined),
                Err(trap) => guard_trap(*is_guard, trap, words),
            },
            PackedSubst::Choice(parts) => {
                for part in parts {
                    if part.exec(words, next)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            PackedSubst::If(branches, otherwise) => {
                for (pred, body) in branches {
                    if pred(words)? {
                        return body.exec(words, next);
                    }
                }
                match otherwise {
                    Some(body) => body.exec(words, next),
                    None => next(words),
                }
            }
            PackedSubst::Select(branches, otherwise) => {
                let mut any = false;
                for (pred, body) in branches {
                    let holds = match pred(words) {
                        Err(Trap::IllDefined) => {
                            words.ill_defined_guard = true;
                            false
                        }
                        holds => holds?,
                    };
                    if holds {
                        any = true;
                        if body.exec(words, next)? == Flow::Stop {
                            return Ok(Flow::Stop);
                        }
                    }
                }
                match otherwise {
                    Some(body) if !any => body.exec(words, next),
                    _ => Ok(Flow::Continue),
                }
            }
            PackedSubst::Any(search, body) => search.run_guard(words, &mut |words| body.exec(words, next)),
            PackedSubst::Let(bindings, body) => {
                for (slot, value) in bindings {
                    words.slots[*slot] = value.get(words)?;
                }
                body.exec(words, next)
            }
            PackedSubst::Var(slots, body) => {
                for &slot in slots {
                    words.defined[slot] = false;
                }
                body.exec(words, next)
            }
        }
    }
}

fn guard_trap(is_guard: bool, trap: Trap, words: &mut Words) -> Result<Flow, Trap> {
    if is_guard && trap == Trap::IllDefined {
        words.ill_defined_guard = true;
        return Ok(Flow::Continue);
    }
    Err(trap)
}

/// Goes on with slots set, and puts their contents back.
fn with(words: &mut Words, values: &[(Slot, u64)], next: Next<'_>) -> Result<Flow, Trap> {
    let before: smallvec::SmallVec<[(u64, bool); 8]> = values.iter().map(|(slot, _)| (words.slots[*slot], words.defined[*slot])).collect();
    for &(slot, value) in values {
        (words.slots[slot], words.defined[slot]) = (value, true);
    }
    let flow = next(words);
    for (&(slot, _), before) in values.iter().zip(before) {
        (words.slots[slot], words.defined[slot]) = before;
    }
    flow
}

fn sequence(parts: &[PackedSubst], words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
    match parts.split_first() {
        None => next(words),
        Some((first, rest)) => first.exec(words, &mut |words| sequence(rest, words, next)),
    }
}

/// As in the general evaluator: each part runs from the same state, what it changed is collected.
fn parallel(parts: &[(PackedSubst, Vec<Slot>)], changes: &mut Vec<(Slot, u64)>, words: &mut Words, next: Next<'_>) -> Result<Flow, Trap> {
    let Some(((first, writes), rest)) = parts.split_first() else {
        let values = std::mem::take(changes);
        let flow = with(words, &values, next);
        *changes = values;
        return flow;
    };
    let before: smallvec::SmallVec<[(u64, bool); 8]> = writes.iter().map(|&slot| (words.slots[slot], words.defined[slot])).collect();
    first.exec(words, &mut |words| {
        let mark = changes.len();
        let after: smallvec::SmallVec<[(u64, bool); 8]> = writes.iter().map(|&slot| (words.slots[slot], words.defined[slot])).collect();
        let mut clash = false;
        for ((&slot, old), new) in writes.iter().zip(&before).zip(&after) {
            (words.slots[slot], words.defined[slot]) = *old;
            if !new.1 || new == old {
                continue;
            }
            match changes.iter().find(|(changed, _)| *changed == slot) {
                Some((_, other)) => clash |= *other != new.0,
                None => changes.push((slot, new.0)),
            }
        }
        let flow = if clash { Err(Trap::IllDefined) } else { parallel(rest, changes, words, next) };
        changes.truncate(mark);
        for (&slot, new) in writes.iter().zip(&after) {
            (words.slots[slot], words.defined[slot]) = *new;
        }
        flow
    })
}
