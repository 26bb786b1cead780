//! Running substitutions: each possible outcome is passed to a continuation, which sees the new state in the frame.
//!
//! Invariant: when a run returns, the slots it assigned hold what they held before, also after an error; so alternatives never see each
//! other's writes. Loops are run as a work list over the states between iterations, so their depth costs no stack.

use super::choices::Chosen;
use super::frame::{Flow, Frame};
use crate::plan::{ExprPlan, PredPlan, Search, Slot, SubstPlan, SubstPlanKind, WhilePlan};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::{Integer, Value};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// The continuation: called in each outcome of a substitution.
type Next<'n, 'm> = &'n mut dyn FnMut(&mut Frame<'m>) -> Result<Flow, EvalError>;

type Contents = Vec<Option<Value>>;

fn violated<T>(what: &'static str, span: Span) -> Result<T, EvalError> {
    Err(EvalError { kind: EvalErrorKind::Violated(what), span })
}

impl<'m> Frame<'m> {
    /// Runs a substitution.
    pub(crate) fn exec(&mut self, plan: &SubstPlan, next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        match &plan.kind {
            SubstPlanKind::Skip => next(self),
            SubstPlanKind::Cut(tried) => {
                self.chosen.note_cut(tried);
                next(self)
            }
            SubstPlanKind::Assign(assignments) => {
                // All values first, in the old state: `x, y := y, x` exchanges the two.
                let values = assignments.iter().map(|(_, value)| self.stored(value)).collect::<Result<Vec<_>, _>>()?;
                let slots: Vec<Slot> = assignments.iter().map(|(slot, _)| *slot).collect();
                self.with(&slots, values, next)
            }
            SubstPlanKind::BecomesIn(slots, set, whole) => self.becomes_in(slots, set, whole.as_ref(), next),
            SubstPlanKind::BecomesSuchThat(targets, search) => self.becomes_such_that(targets, search, plan.span, next),
            SubstPlanKind::Parallel(parts) => self.parallel(parts, &mut Vec::new(), next),
            SubstPlanKind::Sequence(parts) => self.sequence(parts, next),
            SubstPlanKind::Pre { pred, body, is_guard: true } => {
                if self.guard_holds(pred)? {
                    self.exec(body, next)
                } else {
                    Ok(Flow::Continue)
                }
            }
            SubstPlanKind::Pre { pred, body, is_guard: false } => {
                if self.holds(pred)? {
                    self.exec(body, next)
                } else {
                    violated("the precondition of a called operation", pred.span)
                }
            }
            SubstPlanKind::Assert(pred, body) => {
                if self.holds(pred)? {
                    self.exec(body, next)
                } else {
                    violated("the ASSERT condition", pred.span)
                }
            }
            SubstPlanKind::Choice(parts) => self.choice(parts, next),
            SubstPlanKind::If(branches, otherwise) => self.first_branch(branches, otherwise.as_deref(), next),
            SubstPlanKind::Select(branches, otherwise) => self.enabled_branches(branches, otherwise.as_deref(), next),
            SubstPlanKind::Any(search, body) => self.run_guard(search, &mut |frame| {
                let flow = frame.exec(body, next);
                frame.doubts.note_choice(flow, Flow::Continue)
            }),
            SubstPlanKind::Let(bindings, body) => {
                for (slot, value) in bindings {
                    let value = self.stored(value)?;
                    self.set(*slot, value);
                }
                self.exec(body, next)
            }
            SubstPlanKind::Var(slots, body) => {
                // A value of an earlier run must not be read as if it had been assigned in this one.
                self.clear(slots);
                self.exec(body, next)
            }
            SubstPlanKind::While(plan) => self.run_loop(plan, next),
            SubstPlanKind::Follow(following) => {
                let states = self.followed(following, plan.span)?;
                self.with(&[following.states], vec![states], next)
            }
        }
    }

    /// `x, y :: S`
    fn becomes_in(&mut self, slots: &[Slot], set_plan: &ExprPlan, whole: Option<&ExprPlan>, next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        let set = self.eval(set_plan)?;
        let before = self.save(slots);
        let chosen = Chosen { slots, is_unread: false, is_untested: true };
        let visitor = &mut |frame: &mut Self, element: Value| {
            let element = frame.listed(element, set_plan.span)?;
            frame.bind_tuple(slots, &element);
            let flow = next(frame);
            // Before the next element: the condition of a set that is enumerated lazily may read the targets, and reads their old values.
            frame.restore(slots, before.clone());
            frame.doubts.note_choice(flow, Flow::Continue)
        };
        let mut flow = self.visit_choice(&set, chosen, set_plan.span, visitor);
        if let (Some(whole), Ok(Flow::Continue), false) = (whole, &flow, self.chosen.wanted.is_empty()) {
            flow = self.visit_wanted(&set, whole, visitor);
        }
        self.restore(slots, before);
        flow
    }

    /// `x, y : (P)`: the search binds a local for the new value of each target.
    fn becomes_such_that(&mut self, targets: &[(Slot, Slot)], search: &Search, span: Span, next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        // While it runs, the targets still hold the old values, which the predicate reads as `x$0`.
        let slots: Vec<Slot> = targets.iter().map(|(slot, _)| *slot).collect();
        self.run_guard(search, &mut |frame| {
            let mut values = Vec::with_capacity(targets.len());
            for (_, local) in targets {
                let value = frame.get(*local, span)?.clone();
                values.push(frame.listed(value, span)?);
            }
            let flow = frame.with(&slots, values, next);
            frame.doubts.note_choice(flow, Flow::Continue)
        })
    }

    /// CHOICE
    fn choice(&mut self, parts: &[SubstPlan], next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        for part in parts {
            // Where one branch is ill-defined the others still run: their order must not decide what is found.
            let flow = self.exec(part, next);
            if self.doubts.note_choice(flow, Flow::Continue)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// IF: the first branch whose condition holds.
    fn first_branch(
        &mut self,
        branches: &[(PredPlan, SubstPlan)],
        otherwise: Option<&SubstPlan>,
        next: Next<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        for (pred, body) in branches {
            // Later conditions are not evaluated, as with ELSIF in the text: they may rely on this one being false.
            if self.holds(pred)? {
                return self.exec(body, next);
            }
        }
        match otherwise {
            Some(body) => self.exec(body, next),
            None => next(self),
        }
    }

    /// SELECT: every branch whose guard holds.
    fn enabled_branches(
        &mut self,
        branches: &[(PredPlan, SubstPlan)],
        otherwise: Option<&SubstPlan>,
        next: Next<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        // Whether some branch is enabled, or may be: then ELSE is not taken.
        let mut any = false;
        for (pred, body) in branches {
            match self.holds(pred) {
                Ok(false) => {}
                Ok(true) => {
                    any = true;
                    let flow = self.exec(body, next);
                    if self.doubts.note_choice(flow, Flow::Continue)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Err(error) => {
                    any |= error.kind.is_undecided();
                    self.doubts.disable(error, ())?;
                }
            }
        }
        match otherwise {
            Some(body) if !any => self.exec(body, next),
            // No branch is enabled and there is no ELSE: SELECT is not feasible here, so there is no successor.
            _ => Ok(Flow::Continue),
        }
    }

    /// The value of an expression in the form in which a slot stores it.
    fn stored(&mut self, plan: &ExprPlan) -> Result<Value, EvalError> {
        let value = self.eval(plan)?;
        self.listed(value, plan.span)
    }

    fn guard_holds(&mut self, pred: &PredPlan) -> Result<bool, EvalError> {
        match self.holds(pred) {
            // A guard that has no value disables its branch, and is reported as a warning; an unknown one is not followed.
            Err(error) => self.doubts.disable(error, false),
            holds => holds,
        }
    }

    /// Calls the continuation with slots set to values, and restores their contents.
    fn with(&mut self, slots: &[Slot], values: Vec<Value>, next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        let before = self.save(slots);
        for (&slot, value) in slots.iter().zip(values) {
            self.set(slot, value);
        }
        let flow = next(self);
        self.restore(slots, before);
        flow
    }

    fn sequence(&mut self, parts: &[SubstPlan], next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        match parts.split_first() {
            None => next(self),
            Some((first, rest)) => self.exec(first, &mut |frame| frame.sequence(rest, next)),
        }
    }

    /// Runs each part in the same state, collects its changes, and continues with all changes together.
    fn parallel(
        &mut self,
        parts: &[(SubstPlan, Vec<Slot>)],
        changes: &mut Vec<(Slot, Value)>,
        next: Next<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        let Some(((first, writes), rest)) = parts.split_first() else {
            let slots: Vec<Slot> = changes.iter().map(|(slot, _)| *slot).collect();
            let values = changes.iter().map(|(_, value)| value.clone()).collect();
            return self.with(&slots, values, next);
        };
        // Each part starts in the state saved in `before`: `exec` restores its writes, and the outcome of a part is undone before the next
        // one runs.
        let before = self.save(writes);
        self.exec(first, &mut |frame| {
            let mark = changes.len();
            let after = frame.save(writes);
            frame.restore(writes, before.clone());
            let mut clash = false;
            for ((&slot, old), new) in writes.iter().zip(&before).zip(&after) {
                // An unchanged value is not a change, so parts clash only where both change a variable, to different values.
                let Some(new) = new.as_ref().filter(|new| Some(*new) != old.as_ref()) else { continue };
                match changes.iter().find(|(changed, _)| *changed == slot) {
                    Some((_, other)) => clash |= other != new,
                    None => changes.push((slot, new.clone())),
                }
            }
            let flow = if clash {
                violated("the rule that || gives a variable one value", first.span)
            } else {
                frame.parallel(rest, changes, next)
            };
            // The changes of this outcome; the part may have another one.
            changes.truncate(mark);
            // The part may continue from here with its next choice.
            frame.restore(writes, after);
            flow
        })
    }

    fn run_loop(&mut self, plan: &WhilePlan, next: Next<'_, 'm>) -> Result<Flow, EvalError> {
        let before = self.save(&plan.writes);
        for &(variable, saved) in &plan.saved {
            // `x$0` in the loop is the value at its start.
            let value = self.save(&[variable]);
            self.restore(&[saved], value);
        }
        let outcome = self.loop_results(plan, before.clone());
        // The results are restored one after the other; in any case, the contents before the loop are restored at the end.
        let flow = outcome.and_then(|results| {
            for result in results {
                self.restore(&plan.writes, result);
                let flow = next(self);
                if self.doubts.note_choice(flow, Flow::Continue)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        });
        self.restore(&plan.writes, before);
        flow
    }

    /// The distinct contents of the written slots in which the loop can end. Breadth-first over the contents between two iterations, of
    /// which there are several where the body makes choices; it terminates, because the variant decreases on every path.
    fn loop_results(&mut self, plan: &WhilePlan, start: Contents) -> Result<Vec<Contents>, EvalError> {
        let mut results = Vec::new();
        let mut level: Vec<(Contents, Option<Integer>)> = vec![(start, None)];
        while !level.is_empty() {
            let mut following = Vec::new();
            for (contents, previous) in level {
                self.tick(plan.condition.span)?;
                self.restore(&plan.writes, contents.clone());
                if !self.holds(&plan.invariant)? {
                    return violated("the loop invariant", plan.invariant.span);
                }
                if !self.holds(&plan.condition)? {
                    results.push(contents);
                    continue;
                }
                // The variant is evaluated only where another iteration follows: the value at the end may be anything.
                let Value::Integer(variant) = self.eval(&plan.variant)? else { unreachable!("typed as an integer") };
                if variant.is_negative() {
                    return violated("the loop variant (it must be a natural number)", plan.variant.span);
                }
                if previous.is_some_and(|previous| variant >= previous) {
                    return violated("the loop variant (it must decrease)", plan.variant.span);
                }
                self.exec(&plan.body, &mut |frame| {
                    following.push((frame.save(&plan.writes), Some(variant.clone())));
                    Ok(Flow::Continue)
                })?;
            }
            // The variant is part of the comparison: contents reached after different variants must decrease from each.
            level = distinct(following);
        }
        Ok(distinct(results))
    }
}

/// The values without duplicates, in order. A single one is not hashed: the sets that a loop builds are large.
fn distinct<T: Eq + Hash>(values: Vec<T>) -> Vec<T> {
    if values.len() < 2 {
        return values;
    }
    values.into_iter().collect::<IndexSet<T, FxBuildHasher>>().into_iter().collect()
}
