//! How refined machines follow a step of a refinement that is checked by itself: their possible states afterwards.
//!
//! Invariant: the frame is unchanged afterwards; ill-definedness in a refined machine is not a finding about the refinement, but leaves
//! open what may be called next, and so does a step that a machine further up does not follow: both are errors that end in `incomplete`.
//! Deliberately elsewhere: the refinement check, which has the steps of each machine at hand (`explore::refine::ascent`).

use super::frame::{Flow, Frame};
use crate::plan::{FollowPartPlan, FollowPlan, Slot};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::Value;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// The result so far.
#[derive(Default)]
struct Reached {
    states: IndexSet<Value, FxBuildHasher>,
    /// How often a state was reached.
    count: u64,
    /// States of the refined machine that all machines further up follow, and those that one of them does not.
    followed: IndexSet<Vec<Option<Value>>, FxBuildHasher>,
    lost: Vec<Vec<Option<Value>>>,
    /// The first reason for that.
    reason: Option<EvalError>,
}

impl Frame<'_> {
    /// The set of the states that the refined machines may be in after a step.
    pub(super) fn followed(&mut self, plan: &FollowPlan, span: Span) -> Result<Value, EvalError> {
        let before: Vec<Option<Value>> = match (plan.begins, self.get(plan.states, span)) {
            (true, _) => vec![None],
            (false, states) => match states? {
                Value::Set(states) => states.iter().map(Some).collect(),
                _ => unreachable!("typed as a set"),
            },
        };
        let kept = self.save(&plan.names);
        // Errors of guards and choices in refined machines are not those of this machine.
        let errors = (self.doubts.guard_error.take(), self.doubts.body_error.take());
        let open = (self.doubts.undecided.take(), self.chosen.cut.take());
        let states = self.followed_from(before, plan);
        self.restore(&plan.names, kept);
        (self.doubts.guard_error, self.doubts.body_error) = errors;
        // Whatever they leave open is open in this step as well.
        self.doubts.undecided = open.0.or_else(|| self.doubts.undecided.take());
        self.chosen.cut = open.1.or_else(|| self.chosen.cut.take());
        states
    }

    fn followed_from(&mut self, before: Vec<Option<Value>>, plan: &FollowPlan) -> Result<Value, EvalError> {
        let mut reached = Reached::default();
        for state in before {
            self.clear(&plan.names);
            if let Some(state) = state {
                self.bind_tuple(&plan.names, &state);
            }
            self.climb(plan, 0, &mut reached)?;
        }
        let Reached { states, followed, lost, reason, .. } = reached;
        // The link further up is correct if each state of the refined machine is matched from some state besides the one that it came
        // from.
        if lost.iter().any(|state| !followed.contains(state))
            && let Some(error) = reason
        {
            return Err(error);
        }
        let mut related = Vec::new();
        for state in &states {
            self.bind_tuple(&plan.names, state);
            match self.holds(&plan.related) {
                Ok(true) => related.push(state.clone()),
                Ok(false) => {}
                // The invariant is evaluated again in the state reached, and has no value there.
                Err(error) if error.kind.is_ill_defined() => {
                    related.clear();
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if related.is_empty() {
            // There may be more states than those that were found, and one of them may be related.
            if let Some(error) = self.doubts.undecided.take() {
                return Err(error);
            }
            if let Some(range) = &self.chosen.cut {
                return Err(range.undecided("whether the refined machines follow"));
            }
        }
        Ok(Value::set(if related.is_empty() { states.into_iter().collect() } else { related }))
    }

    /// Runs the substitutions of the machines from a level on, and stores the states reached.
    fn climb(&mut self, plan: &FollowPlan, level: usize, reached: &mut Reached) -> Result<(), EvalError> {
        let Some(part) = plan.parts.get(level) else {
            let values = plan.names.iter().map(|&slot| self.get(slot, plan.related.span).cloned()).collect::<Result<Vec<_>, _>>();
            match values {
                Ok(values) => {
                    reached.count += 1;
                    reached.states.insert(values.into_iter().reduce(Value::pair).unwrap_or(Value::Bool(true)));
                }
                Err(error) => self.failed(plan, level.saturating_sub(1), error, reached)?,
            }
            return Ok(());
        };
        for (slot, value) in &part.arguments {
            let value = self.eval(value)?;
            self.set(*slot, value);
        }
        let Some(body) = &part.body else { return self.climb_on(plan, part, level, reached) };
        let count = reached.count;
        let run = self.exec(body, &mut |frame| {
            frame.climb_on(plan, part, level, reached)?;
            Ok(Flow::Continue)
        });
        let error = run.err().or_else(|| self.doubts.body_error.take());
        if let Some(error) = error {
            self.failed(plan, level, error, reached)?;
        } else if level > 0 && reached.count == count {
            self.not_followed(plan, level, body.span, reached);
        }
        Ok(())
    }

    /// Goes on from a state that one machine may go to.
    fn climb_on(&mut self, plan: &FollowPlan, part: &FollowPartPlan, level: usize, reached: &mut Reached) -> Result<(), EvalError> {
        let fits = |frame: &Self, &(own, below): &(Slot, Slot)| {
            let [own, below] = [own, below].map(|slot| frame.save(&[slot]).remove(0));
            // A result that is left without a value may be any.
            own.is_none() || own == below
        };
        if !part.results.iter().all(|pair| fits(self, pair)) {
            return Ok(());
        }
        match part.related.as_ref().map_or(Ok(true), |related| self.holds(related)) {
            Ok(true) => {}
            Ok(false) if part.body.is_none() && level > 0 => {
                let span = part.related.as_ref().map_or(plan.related.span, |related| related.span);
                self.not_followed(plan, level, span, reached);
                return Ok(());
            }
            Ok(false) => return Ok(()),
            Err(error) => return self.failed(plan, level, error, reached),
        }
        if level > 0 {
            return self.climb(plan, level + 1, reached);
        }
        let state = self.save(&plan.names[..plan.refined]);
        let count = reached.count;
        self.climb(plan, 1, reached)?;
        if reached.count == count {
            reached.lost.push(state);
        } else {
            reached.followed.insert(state);
        }
        Ok(())
    }

    /// Notes that a machine further up does not follow the one below.
    fn not_followed(&self, plan: &FollowPlan, level: usize, span: Span, reached: &mut Reached) {
        reached.reason.get_or_insert_with(|| self.reason(plan, level, span));
    }

    /// As [`Self::climb`], where something is ill-defined. In the refined machine itself its step is then undecided; any other error is a
    /// limit of the evaluator.
    fn failed(&self, plan: &FollowPlan, level: usize, error: EvalError, reached: &mut Reached) -> Result<(), EvalError> {
        if !error.kind.is_ill_defined() {
            return Err(error);
        }
        if level == 0 {
            return Err(self.ill_defined_above(plan, level, &error));
        }
        reached.reason.get_or_insert_with(|| self.ill_defined_above(plan, level, &error));
        Ok(())
    }

    fn reason(&self, plan: &FollowPlan, level: usize, span: Span) -> EvalError {
        let (above, below) = self.names_at(plan, level);
        EvalError { kind: EvalErrorKind::NotFollowed(above, below), span }
    }

    fn ill_defined_above(&self, plan: &FollowPlan, level: usize, error: &EvalError) -> EvalError {
        let (above, below) = self.names_at(plan, level);
        EvalError { kind: EvalErrorKind::IllDefinedAbove(Box::new([above, below, error.kind.to_string()])), span: error.span }
    }

    /// The names of the machine at this level, and of the one below.
    fn names_at(&self, plan: &FollowPlan, level: usize) -> (String, String) {
        let name = |level: usize| plan.parts.get(level).map_or_else(String::new, |part| part.machine.clone());
        (name(level), level.checked_sub(1).map_or_else(|| self.context.model.name.clone(), name))
    }
}
