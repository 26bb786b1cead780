//! Running a search: all bindings of some slots that satisfy a conjunction, each exactly once.
//!
//! Invariant: reordering never changes well-definedness. A conjunct that is ill-defined when tested early counts as unknown; at a
//! full binding the conjunction is then evaluated in source order, and only what fails there is an error.

use super::frame::{Flow, Frame};
use super::sets::EXPAND_LIMIT;
use crate::eval::error::unbounded;
use crate::eval::plan::{Action, ClosurePlan, ExprPlan, Pattern, Search, Shape, Slot};
use crate::eval::solve::Solved;
use crate::eval::{EvalError, EvalErrorKind};
use crate::source::Span;
use crate::value::{Integer, Symbolic, Value};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Comprehensions that visit more bindings than this (by estimate) stay descriptions until their elements are needed.
pub(in crate::eval) const WRITE_OUT_BELOW: f64 = 1e8;

/// Longer ranges of integers are not tried: at a million numbers a second it would take hours.
const MOST_NUMBERS: i64 = 1 << 34;

/// Limit on the bindings that the branches of a disjunction give: they are collected, so that each counts once.
const MOST_BRANCH_VALUES: usize = 4_000_000;

type Visitor<'v, 'm> = &'v mut dyn FnMut(&mut Frame<'m>) -> Result<Flow, EvalError>;

impl<'m> Frame<'m> {
    /// Visits every binding; ill-definedness is an error.
    pub(in crate::eval) fn run(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        self.run_from(search, 0, false, false, visitor)
    }

    /// Visits every binding of a guard; an ill-defined guard disables the binding and is remembered.
    pub(in crate::eval) fn run_guard(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        self.run_from(search, 0, false, true, visitor)
    }

    /// Visits every binding; ill-definedness that was met is returned instead of stopping the visit.
    pub(super) fn run_noting(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Option<EvalError>, EvalError> {
        let outer = self.guard_error.take();
        // Errors of this search must not be taken for those of a guard around it.
        let flow = self.run_guard(search, visitor);
        let noted = std::mem::replace(&mut self.guard_error, outer);
        flow.map(|_| noted)
    }

    /// Performs the actions from `at` on. `unknown`: a test on the way was ill-defined; `guard`: ill-definedness disables a binding.
    fn run_from(&mut self, search: &Search, at: usize, unknown: bool, guard: bool, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        let Some(action) = search.actions.get(at) else {
            // A full binding. What made a test ill-defined early may be excluded by another conjunct that stands before it in the text,
            // as in `x : dom(f) & f(x) = y`: only evaluating the conjunction in source order decides.
            if unknown {
                match self.holds(&search.source) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Flow::Continue),
                    Err(error) if guard => return self.disable(error, Flow::Continue),
                    Err(error) => return Err(error),
                }
            }
            return visitor(self);
        };
        // `Guard` errors come from the expressions of this action. `Other` ones come from later actions, which have disabled what they
        // may, or from the visitor, whose errors are not the guard's.
        match self.perform(search, action, at, unknown, guard, visitor) {
            Err(GuardOrError::Guard(error)) if guard => self.disable(error, Flow::Continue),
            Err(GuardOrError::Guard(error) | GuardOrError::Other(error)) => Err(error),
            Ok(flow) => Ok(flow),
        }
    }

    /// Performs one action, and those after it for each binding that it gives.
    fn perform(
        &mut self,
        search: &Search,
        action: &Action,
        at: usize,
        unknown: bool,
        guard: bool,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, GuardOrError> {
        let next = at + 1;
        match action {
            Action::Test(pred) => match self.holds(pred) {
                Ok(true) => Ok(self.run_from(search, next, unknown, guard, visitor)?),
                Ok(false) => Ok(Flow::Continue),
                // Unknown counts as true on the way: a later test may reject the binding, which is then no solution in any order.
                Err(error) if error.kind.is_ill_defined() => Ok(self.run_from(search, next, true, guard, visitor)?),
                Err(error) => Err(error.into()),
            },
            Action::Bind(pattern, value) => {
                let value = self.eval(value).map_err(GuardOrError::Guard)?;
                if self.matches(pattern, &value).map_err(GuardOrError::Guard)? {
                    return Ok(self.run_from(search, next, unknown, guard, visitor)?);
                }
                Ok(Flow::Continue)
            }
            Action::Each(pattern, set_plan) => {
                let set = self.eval(set_plan).map_err(GuardOrError::Guard)?;
                let span = set_plan.span;
                let flow = self.visit(&set, span, &mut |frame, element| {
                    // A visitor cannot return `GuardOrError`, so an ill-defined pattern disables its element here; other elements may
                    // match.
                    let matched = match frame.matches(pattern, &element) {
                        Ok(matched) => matched,
                        Err(error) if guard => frame.disable(error, false)?,
                        Err(error) => return Err(error),
                    };
                    if matched { frame.run_from(search, next, unknown, guard, visitor) } else { Ok(Flow::Continue) }
                })?;
                Ok(flow)
            }
            Action::EachSubset(slot, set_plan) => {
                let base = self.eval(set_plan).map_err(GuardOrError::Guard)?;
                let power = Value::Symbolic(Arc::new(Symbolic::Power { base, nonempty: false, finite: false }));
                let flow = self.visit(&power, set_plan.span, &mut |frame, subset| {
                    frame.set(*slot, subset);
                    frame.run_from(search, next, unknown, guard, visitor)
                })?;
                Ok(flow)
            }
            Action::Range { slot, lower, upper } => {
                let lowest = self.bound(lower, Integer::max)?;
                let highest = self.bound(upper, Integer::min)?;
                // The ends of an empty range may be as far apart as they like: then the difference is negative.
                let last = highest.subtract(&lowest);
                if last > Integer::from(MOST_NUMBERS) {
                    let name = &self.context.slot_names[*slot];
                    return Err(GuardOrError::Other(EvalError {
                        kind: EvalErrorKind::Unbounded(format!("`{name}` ({last} numbers)")),
                        span: search.span,
                    }));
                }
                let mut number = lowest;
                while number <= highest {
                    self.tick(search.span)?;
                    self.set(*slot, Value::Integer(number.clone()));
                    if self.run_from(search, next, unknown, guard, visitor)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    number = number.add(&Integer::from(1));
                }
                Ok(Flow::Continue)
            }
            Action::EachOf(slots, branches) => {
                // All bindings are known before the first is visited: where several disjuncts hold (`x = 1 or x : 1..2`), branches
                // give the same.
                let bindings = self.branch_values(slots, branches, guard)?;
                for binding in bindings {
                    self.tick(search.span)?;
                    for (&slot, value) in slots.iter().zip(binding) {
                        self.set(slot, value);
                    }
                    if self.run_from(search, next, unknown, guard, visitor)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            }
            Action::Recurrence(plan) => {
                let function = self.recur(plan).map_err(GuardOrError::Guard)?;
                self.set(plan.slot, function);
                Ok(self.run_from(search, next, unknown, guard, visitor)?)
            }
            Action::Total(plan) => {
                let over = self.arguments(plan).map_err(GuardOrError::Guard)?;
                let flow = self.each_function(&over, &mut |frame, function| {
                    frame.set(plan.slot, function);
                    frame.run_from(search, next, unknown, guard, visitor)
                })?;
                Ok(flow)
            }
            Action::Solve { problem, plain, wanted } => {
                let accepted = Cell::new(false);
                let mut candidate = |frame: &mut Self| {
                    frame.run_from(search, next, unknown, guard, &mut |frame| {
                        accepted.set(true);
                        visitor(frame)
                    })
                };
                match self.solve(problem, &plain.source, *wanted, &accepted, &mut candidate)? {
                    Solved::Visited(flow) => Ok(flow),
                    // Nothing was visited yet. `plain` binds all names and tests all conjuncts itself, so this does not go on at `next`.
                    Solved::Unsupported => Ok(self.run_from(plain, 0, unknown, guard, visitor)?),
                }
            }
            Action::Unbounded { slot, samples, name, span } => {
                // A visitor that needs only a witness may stop at a sample. One that wants all values cannot have them.
                for sample in samples {
                    self.set(*slot, sample.clone());
                    if self.run_from(search, next, unknown, guard, visitor)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(unbounded(name.clone(), *span)?)
            }
        }
    }

    fn bound(&mut self, bounds: &[ExprPlan], pick: fn(Integer, Integer) -> Integer) -> Result<Integer, GuardOrError> {
        let mut best: Option<Integer> = None;
        for bound in bounds {
            let Value::Integer(value) = self.eval(bound).map_err(GuardOrError::Guard)? else { unreachable!("bounds are integers") };
            best = Some(match best {
                None => value,
                Some(best) => pick(best, value),
            });
        }
        Ok(best.expect("a range has bounds on both sides"))
    }

    /// The distinct values that any branch gives to the slots, in order.
    fn branch_values(&mut self, slots: &[Slot], branches: &[Search], guard: bool) -> Result<BTreeSet<Vec<Value>>, EvalError> {
        let mut values = BTreeSet::new();
        for branch in branches {
            self.run_from(branch, 0, false, guard, &mut |frame| {
                let binding = slots.iter().map(|&slot| frame.get(slot, branch.span).cloned()).collect::<Result<Vec<_>, _>>()?;
                values.insert(binding);
                if values.len() > MOST_BRANCH_VALUES {
                    let names: Vec<String> = slots.iter().map(|&slot| format!("`{}`", frame.context.slot_names[slot])).collect();
                    return unbounded(format!("{} (more than {MOST_BRANCH_VALUES})", names.join(", ")), branch.span);
                }
                frame.tick(branch.span)?;
                Ok(Flow::Continue)
            })?;
        }
        Ok(values)
    }

    /// Matches a value against a pattern, setting the slots that the pattern binds.
    pub(in crate::eval) fn matches(&mut self, pattern: &Pattern, value: &Value) -> Result<bool, EvalError> {
        match pattern {
            Pattern::Slot(slot) => {
                self.set(*slot, value.clone());
                Ok(true)
            }
            Pattern::Pair(first, second) => {
                let (a, b) = value.as_pair().expect("the type checker only matches pairs with pairs");
                Ok(self.matches(first, a)? && self.matches(second, b)?)
            }
            Pattern::Record(patterns) => {
                let Value::Record(fields) = value else { unreachable!("the type checker only matches records with records") };
                for (pattern, (_, value)) in patterns.iter().zip(fields.iter()) {
                    if !self.matches(pattern, value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pattern::Solved { value: matched, slot, solved } => {
                self.set(*matched, value.clone());
                let found = self.eval(solved)?;
                self.set(*slot, found);
                Ok(true)
            }
            Pattern::Equal(plan) => {
                let expected = self.eval(plan)?;
                self.equal(&expected, value, plan.span)
            }
        }
    }

    /// The element that a comprehension builds from the current binding.
    pub(super) fn closure_element(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        match &plan.shape {
            Shape::Tuple { .. } => self.tuple(&plan.locals, plan.span),
            Shape::Function { body, .. } => {
                let argument = self.tuple(&plan.locals, plan.span)?;
                let value = self.eval(body)?;
                Ok(Value::pair(argument, self.settled(value, body.span)?))
            }
            Shape::Image { value, .. } => {
                let element = self.eval(value)?;
                self.settled(element, value.span)
            }
        }
    }

    /// The left-nested tuple of some slots.
    pub(super) fn tuple(&mut self, slots: &[Slot], span: Span) -> Result<Value, EvalError> {
        let mut tuple: Option<Value> = None;
        for &slot in slots {
            let value = self.get(slot, span)?.clone();
            let value = self.settled(value, span)?;
            tuple = Some(match tuple {
                None => value,
                Some(front) => Value::pair(front, value),
            });
        }
        Ok(tuple.expect("a comprehension binds a name"))
    }

    /// The value of a comprehension: written out when its search is bounded, else a description.
    pub(super) fn comprehension(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // What looks too large is written out only when its elements are needed.
        if plan.cost > WRITE_OUT_BELOW {
            return self.closure_value(plan);
        }
        let mut elements = Vec::new();
        let visited = self.run(&plan.search, &mut |frame| {
            elements.push(frame.closure_element(plan)?);
            // Different bindings may build the same element, so the limit on bindings is larger than that on elements.
            Ok(if elements.len() as u64 > EXPAND_LIMIT * 4 { Flow::Stop } else { Flow::Continue })
        });
        match visited {
            Ok(Flow::Continue) => Ok(Value::Set(self.set_of(elements, plan.span)?)),
            // What is too large or endless may still be applied, or be asked for members.
            Ok(Flow::Stop) | Err(EvalError { kind: EvalErrorKind::Unbounded(_), .. }) => self.closure_value(plan),
            Err(error) => Err(error),
        }
    }

    /// A comprehension as a description that keeps the values of the names it reads.
    pub(super) fn closure_value(&mut self, plan: &ClosurePlan) -> Result<Value, EvalError> {
        // Equivalent closures read their captured names at the same occurrences, so these values fit the canonical one place by place.
        let captured = plan.captured.iter().map(|&slot| self.get(slot, plan.span).cloned()).collect::<Result<Vec<_>, _>>()?;
        Ok(Value::Symbolic(Arc::new(Symbolic::Closure { plan: plan.canonical, captured: captured.into() })))
    }
}

/// Errors of a search's own expressions, which a guard turns into "disabled", and all others.
enum GuardOrError {
    Guard(EvalError),
    Other(EvalError),
}

impl From<EvalError> for GuardOrError {
    fn from(error: EvalError) -> Self {
        GuardOrError::Other(error)
    }
}
