//! Running a search: all bindings of some slots that satisfy a conjunction, each exactly once.
//!
//! Invariant: reordering never changes well-definedness. A conjunct that is ill-defined when tested early counts as unknown, and names
//! whose values are ill-defined are left without one; at a full binding the conjunction is then evaluated in source order, and only what
//! fails there is an error.

use super::choices::Chosen;
use super::doubts::Noted;
use super::frame::{Flow, Frame};
use crate::error::unbounded;
use crate::plan::{Action, ExprPlan, Pattern, Search, Slot};
use crate::thresholds::{COLLECTED_BRANCH_VALUES, FULL_CHOICE, VISITED_SET, WITNESS_WORK, WRITTEN_BOUND_SET};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::cardinality::{Cardinality, cardinality};
use bcheck_value::samples::more_integers;
use bcheck_value::{Integer, Renaming, Symbolic, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) type Visitor<'v, 'm> = &'v mut dyn FnMut(&mut Frame<'m>) -> Result<Flow, EvalError>;

/// How a search treats an ill-defined or unknown conjunct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnError {
    /// It ends the search with its error.
    Fail,
    /// Counts as a false guard: skips the binding and records the error in the frame.
    Disable,
    /// As [`Self::Disable`], but a binding whose conjunction is unknown is visited, with the reason in `Doubts::unknown_binding`.
    Visit,
}

/// The progress of a search towards a full binding.
#[derive(Clone, Copy)]
pub(super) struct Progress<'e> {
    /// The action that is performed next.
    pub(super) at: usize,
    pub(super) on_error: OnError,
    /// Whether an earlier test was ill-defined or unknown, so that the conjunction must be evaluated in source order at the full binding.
    pub(super) is_unknown: bool,
    /// Why earlier names have no value, if any have none; then `is_unknown` holds too.
    pub(super) without_value: Option<&'e EvalError>,
    /// Of bindings that are images of each other under these, one is enough.
    pub(super) renamings: &'e [Renaming],
}

impl Progress<'_> {
    fn start(on_error: OnError) -> Self {
        Progress { at: 0, on_error, is_unknown: false, without_value: None, renamings: &[] }
    }

    pub(super) fn next(self) -> Self {
        Progress { at: self.at + 1, ..self }
    }
}

impl<'m> Frame<'m> {
    /// Visits every binding; ill-definedness is an error.
    pub(crate) fn run(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        self.run_from(search, Progress::start(OnError::Fail), visitor)
    }

    /// Visits every binding of a guard; an ill-defined or unknown guard disables the binding and is remembered.
    pub(crate) fn run_guard(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        self.run_from(search, Progress::start(OnError::Disable), visitor)
    }

    /// Visits every binding of a guard, one of those that are images of each other under these is enough; those that are unknown as well if
    /// this is wished, with the reason in `unknown_binding`.
    pub(super) fn run_choosing(
        &mut self,
        search: &Search,
        takes_unknown: bool,
        renamings: &[Renaming],
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        let on_error = if takes_unknown { OnError::Visit } else { OnError::Disable };
        self.run_from(search, Progress { renamings, ..Progress::start(on_error) }, visitor)
    }

    /// Visits every binding; ill-defined and unknown ones are returned instead of stopping the visit.
    pub(super) fn run_noting(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Noted, EvalError> {
        self.noting(search, OnError::Disable, visitor)
    }

    /// As [`Self::run_noting`], but unknown bindings are visited as well: the visitor takes the reason from `unknown_binding`.
    pub(super) fn run_noting_all(&mut self, search: &Search, visitor: Visitor<'_, 'm>) -> Result<Noted, EvalError> {
        self.noting(search, OnError::Visit, visitor)
    }

    fn noting(&mut self, search: &Search, on_error: OnError, visitor: Visitor<'_, 'm>) -> Result<Noted, EvalError> {
        // Errors of this search must not be attributed to an enclosing guard.
        let outer = self.doubts.set_guards_aside();
        let flow = self.run_from(search, Progress::start(on_error), visitor);
        let noted = self.doubts.exchange_guards(outer);
        flow.map(|_| noted)
    }

    /// Performs the actions that are left, and then calls the visitor.
    pub(super) fn run_from(&mut self, search: &Search, progress: Progress<'_>, visitor: Visitor<'_, 'm>) -> Result<Flow, EvalError> {
        let Some(action) = search.actions.get(progress.at) else {
            self.chosen.bindings += u64::from(search.is_choice);
            // A full binding. An early ill-defined test may be excluded by another conjunct that precedes it in the text, as in `x :
            // dom(f) & f(x) = y`: only evaluating the conjunction in source order decides.
            return match if progress.is_unknown { self.holds(&search.source) } else { Ok(true) } {
                Ok(false) => Ok(Flow::Continue),
                Ok(true) if progress.without_value.is_none() => visitor(self),
                Ok(true) => self.give_up(progress, None),
                Err(error) if progress.on_error == OnError::Visit && progress.without_value.is_none() && error.kind.is_undecided() => {
                    self.doubts.unknown_binding = Some(error);
                    visitor(self)
                }
                Err(error) => self.give_up(progress, Some(error)),
            };
        };
        // `Guard` errors come from the expressions of this action. `Other` ones come from later actions, which have dealt with those of
        // their own, or from the visitor, whose errors are not the guard's.
        match self.perform(search, action, progress, visitor) {
            Err(GuardOrError::Guard(error)) => self.run_without(&action.slots(), search, error, progress.next(), visitor),
            Err(GuardOrError::Other(error)) => Err(error),
            Ok(flow) => Ok(flow),
        }
    }

    /// Performs the actions that are left although the names that the one before should bind have no value: another conjunct may exclude
    /// this binding, as false wins over ill-defined. Conjuncts that read these names are unknown.
    fn run_without(
        &mut self,
        slots: &[Slot],
        search: &Search,
        error: EvalError,
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        if !error.kind.is_ill_defined() {
            return Err(error);
        }
        // Only the first error of a guard counts, so it does not matter whether this would be another.
        if next.on_error != OnError::Fail && self.doubts.guard_error.is_some() {
            return Ok(Flow::Continue);
        }
        self.clear(slots);
        // The first reason is kept: an expression that reads a name without value has none either.
        let reason = next.without_value.unwrap_or(&error);
        self.run_from(search, Progress { is_unknown: true, without_value: Some(reason), ..next }, visitor)
    }

    /// Handles an ill-defined or unknown binding. `error`: the error of its conjunction, unless it is the reason in `progress`.
    pub(super) fn give_up(&mut self, progress: Progress<'_>, error: Option<EvalError>) -> Result<Flow, EvalError> {
        let error = match (error, progress.without_value) {
            // A name without value was read.
            (None | Some(EvalError { kind: EvalErrorKind::Unassigned(_), .. }), Some(reason)) => reason.clone(),
            (error, _) => error.expect("only a name without value is no error by itself"),
        };
        match progress.on_error {
            OnError::Fail => Err(error),
            OnError::Disable | OnError::Visit => self.doubts.disable(error, Flow::Continue),
        }
    }

    /// Goes on with a value for one name.
    fn go_on_with(
        &mut self,
        slot: Slot,
        value: Value,
        search: &Search,
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        self.set(slot, value);
        self.run_from(search, next, visitor)
    }

    /// Performs one action, and the following ones for each of its bindings.
    fn perform(
        &mut self,
        search: &Search,
        action: &Action,
        progress: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, GuardOrError> {
        let next = progress.next();
        match action {
            Action::Cut(tried) => {
                self.chosen.note_cut(tried);
                Ok(self.run_from(search, next, visitor)?)
            }
            Action::Test(pred) => match self.holds(pred) {
                Ok(true) => Ok(self.run_from(search, next, visitor)?),
                Ok(false) => Ok(Flow::Continue),
                // A test without a value counts as true for now: a later test may reject the binding, which is then not a solution in any
                // order. An unknown test ends a search that would end at the full binding anyway.
                Err(error) if error.kind.is_ill_defined() || error.kind.is_undecided() && next.on_error != OnError::Fail => {
                    Ok(self.run_from(search, Progress { is_unknown: true, ..next }, visitor)?)
                }
                Err(error) => Err(error.into()),
            },
            Action::Bind(pattern, value) => {
                let value = self.eval(value).map_err(GuardOrError::Guard)?;
                let value = if search.is_choice { self.listed_if_few(value, search.span)? } else { value };
                if self.matches(pattern, &value).map_err(GuardOrError::Guard)? {
                    return Ok(self.run_from(search, next, visitor)?);
                }
                Ok(Flow::Continue)
            }
            Action::Each(pattern, set_plan) => {
                let set = self.eval(set_plan).map_err(GuardOrError::Guard)?;
                Ok(self.each_element(search, pattern, &set, set_plan.span, next, visitor)?)
            }
            Action::EachSubset(slot, set_plan) => {
                let base = self.eval(set_plan).map_err(GuardOrError::Guard)?;
                let power = Value::Symbolic(Arc::new(Symbolic::Power { base, nonempty: false, finite: false }));
                Ok(self.each_element(search, &Pattern::Slot(*slot), &power, set_plan.span, next, visitor)?)
            }
            Action::Range { slot, lower, upper } => self.each_between(search, *slot, (lower, upper), next, visitor),
            Action::EachOf(slots, branches) => Ok(self.each_branch_value(search, slots, branches, next, visitor)?),
            Action::Recurrence(plan) => {
                let function = self.recur(plan).map_err(GuardOrError::Guard)?;
                Ok(self.go_on_with(plan.slot, function, search, next, visitor)?)
            }
            Action::Total(plan) => {
                let over = self.arguments(plan).map_err(GuardOrError::Guard)?;
                Ok(self.each_function(&over, &mut |frame, function| frame.go_on_with(plan.slot, function, search, next, visitor))?)
            }
            Action::Roots(plan) => match self.roots(plan).map_err(GuardOrError::Guard)? {
                Some(roots) => Ok(self.each_value(search, plan.slot, &roots, next, visitor)?),
                None => self.each_between(search, plan.slot, (&plan.lower, &plan.upper), next, visitor),
            },
            Action::Solve { problem, plain, wanted } => Ok(self.each_candidate(search, (problem, plain, *wanted), progress, visitor)?),
            // Nothing can be tried for the name, and the binding has an error already.
            Action::Unbounded { .. } if progress.without_value.is_some() => Ok(self.give_up(progress, None)?),
            Action::Unbounded { slot, samples, name, span } => {
                Ok(self.unbounded_name(search, (*slot, samples, name, *span), next, visitor)?)
            }
        }
    }

    /// Goes on with some values of a name that nothing bounds: a visitor that needs only a witness may stop at one of them.
    // Apart, so that the stack of a deep nesting of searches does not hold its variables.
    #[inline(never)]
    fn unbounded_name(
        &mut self,
        search: &Search,
        (slot, samples, name, span): (Slot, &[Value], &str, Span),
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        if self.each_value(search, slot, samples, next, visitor)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        if search.is_choice && self.limits_choices() {
            self.leave_out_rest(&[slot], samples.len(), span)?;
            return Ok(Flow::Continue);
        }
        // For a single name only: several would yield too many samples, and recursive ones would be tried at every depth.
        if !search.is_choice && !self.limits.is_sampling && matches!(samples.first(), Some(Value::Integer(_))) {
            self.limits.is_sampling = true;
            let more: Vec<Value> = more_integers().collect();
            let tried = self.within_work(WITNESS_WORK.get(), |frame| frame.each_value(search, slot, &more, next, visitor));
            self.limits.is_sampling = false;
            if tried? == Some(Flow::Stop) {
                return Ok(Flow::Stop);
            }
        }
        unbounded(name.to_owned(), self.declaration(&[slot]).unwrap_or(span))
    }

    /// Goes on with each of these values of a name.
    fn each_value(
        &mut self,
        search: &Search,
        slot: Slot,
        values: &[Value],
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        for value in values {
            self.tick(search.span)?;
            if self.go_on_with(slot, value.clone(), search, next, visitor)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Matches a pattern with each element of a set.
    #[inline]
    fn each_element(
        &mut self,
        search: &Search,
        pattern: &Pattern,
        set: &Value,
        span: Span,
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        let mut each = |frame: &mut Self, element: Value| match frame.matches_element(pattern, element) {
            Ok(true) => frame.run_from(search, next, visitor),
            Ok(false) => Ok(Flow::Continue),
            // Here, because other elements may match.
            Err(error) => frame.run_without(&pattern.slots(), search, error, next, visitor),
        };
        let flow = match search.is_choice && self.limits_choices() {
            true => {
                let slots = pattern.slots();
                let chosen = Chosen::of(search, next.at, &slots);
                let is_untested = chosen.is_untested && matches!(pattern, Pattern::Slot(_));
                self.visit_choice(set, Chosen { is_untested, ..chosen }, span, &mut each)
            }
            false => self.visit(set, span, &mut each),
        }?;
        match pattern {
            Pattern::Slot(slot) if flow == Flow::Continue && search.is_choice && !self.chosen.wanted.is_empty() => {
                self.each_wanted(search, *slot, set, next, visitor)
            }
            _ => Ok(flow),
        }
    }

    /// Continues with values of a name that are wanted beyond those of a set, if that may have been cut to a range.
    // Apart, as recursive functions run searches at each depth: its variables must not be on the stack of all of them.
    #[inline(never)]
    fn each_wanted(
        &mut self,
        search: &Search,
        slot: Slot,
        set: &Value,
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        if !search.has_cut() {
            return Ok(Flow::Continue);
        }
        let beyond = self.wanted_beyond(set, search.span)?;
        // The set may stand for conjuncts, so that all of them are evaluated at the full binding.
        self.each_value(search, slot, &beyond, Progress { is_unknown: true, ..next }, visitor)
    }

    /// Writes out a symbolic set of few elements: the chosen value is written out in the end, and before that conjuncts may read it often.
    fn listed_if_few(&mut self, value: Value, span: Span) -> Result<Value, EvalError> {
        let is_few = matches!(&value, Value::Symbolic(_))
            && matches!(cardinality(&value), Cardinality::Finite(count) if count <= WRITTEN_BOUND_SET.get().into());
        if is_few { self.listed(value, span) } else { Ok(value) }
    }

    /// Binds a name to each integer between the largest lower and the smallest upper bound.
    fn each_between(
        &mut self,
        search: &Search,
        slot: Slot,
        (lower, upper): (&[ExprPlan], &[ExprPlan]),
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, GuardOrError> {
        let lowest = self.bound(lower, Integer::max)?;
        let highest = self.bound(upper, Integer::min)?;
        Ok(self.each_number(search, slot, lowest, &highest, next, visitor)?)
    }

    /// Binds a name to each number of a range.
    #[inline]
    fn each_number(
        &mut self,
        search: &Search,
        slot: Slot,
        lowest: Integer,
        highest: &Integer,
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        // The ends of an empty range may be as far apart as they like: then the difference is negative.
        let last = highest.subtract(&lowest);
        let is_choice = search.is_choice && self.limits_choices();
        let is_beyond = |limit: u64| last > Integer::from(limit.cast_signed());
        if is_beyond(VISITED_SET.get()) || is_choice && is_beyond(FULL_CHOICE.get()) {
            // This decides whether first values are taken.
            if is_choice {
                let numbers = Value::Symbolic(Arc::new(Symbolic::Interval(lowest, highest.clone())));
                return self.each_element(search, &Pattern::Slot(slot), &numbers, search.span, next, visitor);
            }
            let name = &self.context.slot_names[slot];
            return unbounded(format!("`{name}` ({last} numbers)"), search.span);
        }
        let first = lowest.clone();
        let mut number = lowest;
        while number <= *highest {
            self.tick(search.span)?;
            if self.go_on_with(slot, Value::Integer(number.clone()), search, next, visitor)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            number = number.add(&Integer::from(1));
        }
        if !search.is_choice || self.chosen.wanted.is_empty() {
            return Ok(Flow::Continue);
        }
        self.each_wanted_number(search, slot, (&first, highest), next, visitor)
    }

    /// As [`Self::each_wanted`], beyond a range of numbers, which may be empty.
    #[inline(never)]
    fn each_wanted_number(
        &mut self,
        search: &Search,
        slot: Slot,
        (lowest, highest): (&Integer, &Integer),
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        if !search.has_cut() {
            return Ok(Flow::Continue);
        }
        let is_beyond = |value: &&Value| matches!(value, Value::Integer(number) if number < lowest || number > highest);
        let beyond: BTreeSet<Value> = self.chosen.wanted.iter().filter(is_beyond).cloned().collect();
        let beyond: Vec<Value> = beyond.into_iter().collect();
        self.each_value(search, slot, &beyond, Progress { is_unknown: true, ..next }, visitor)
    }

    /// Binds names to each of their values in any branch.
    fn each_branch_value(
        &mut self,
        search: &Search,
        slots: &[Slot],
        branches: &[Search],
        next: Progress<'_>,
        visitor: Visitor<'_, 'm>,
    ) -> Result<Flow, EvalError> {
        // All bindings are computed before the first is visited: where several disjuncts hold (`x = 1 or x : 1..2`), branches have common
        // ones.
        let (bindings, ill_defined) = self.branch_values(slots, branches)?;
        for binding in bindings {
            self.tick(search.span)?;
            for (&slot, value) in slots.iter().zip(binding) {
                self.set(slot, value);
            }
            if self.run_from(search, next, visitor)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        match ill_defined {
            Some(error) => self.run_without(slots, search, error, next, visitor),
            None => Ok(Flow::Continue),
        }
    }

    /// The tightest of some bounds.
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

    /// The distinct values of the slots in any branch, in order, and the first ill-definedness.
    ///
    /// # Errors
    /// Also where a branch may have another binding.
    fn branch_values(&mut self, slots: &[Slot], branches: &[Search]) -> Result<(BTreeSet<Vec<Value>>, Option<EvalError>), EvalError> {
        let mut values = BTreeSet::new();
        let mut ill_defined = None;
        for branch in branches {
            let noted = self.run_noting(branch, &mut |frame| {
                let binding = slots.iter().map(|&slot| frame.get(slot, branch.span).cloned()).collect::<Result<Vec<_>, _>>()?;
                values.insert(binding);
                if values.len() > COLLECTED_BRANCH_VALUES.get() {
                    let names: Vec<String> = slots.iter().map(|&slot| format!("`{}`", frame.context.slot_names[slot])).collect();
                    return unbounded(format!("{} (more than {})", names.join(", "), COLLECTED_BRANCH_VALUES.get()), branch.span);
                }
                frame.tick(branch.span)?;
                Ok(Flow::Continue)
            })?;
            if let Some(unknown) = noted.undecided {
                return Err(unknown);
            }
            ill_defined = ill_defined.or(noted.ill_defined);
        }
        Ok((values, ill_defined))
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
