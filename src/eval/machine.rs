//! The façade of the evaluator: one compiled machine, with its set-ups, initial states, successors and property values.
//!
//! Invariant: every result is a function of the model, the scope and the valuation passed in; a `Machine` is shared by all workers.

mod calls;
mod left_out;

use super::compile::Compiler;
use super::compile::position::Notes;
use super::diagnose::contradiction::{Contradiction, contradiction};
use super::diagnose::explanation::{self, Explanation, Tier};
use super::packed::{OperationParts, PackedMachine, integers_in_sets};
use super::plan::{Action, PredPlan, Search, Slot, SubstPlan, TriedRange};
use super::run::context::Context;
use super::run::distinct::DistinctWish;
use super::run::frame::{Flow, Frame};
use super::unread::unread_constants;
use super::{EvalError, EvalErrorKind};
use crate::order;
use crate::thresholds::{SOLVED_CHOICE, SOLVED_PROPERTIES};

use bcheck_ir::{Access, LocalId, Model, OperationId, Pred, Scope, Type};
use bcheck_source::Span;
use bcheck_value::packing::Packing;
use bcheck_value::{Renaming, Valuation, Value};
use calls::CallSteps;
use left_out::none_within_bounds;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};

/// One outgoing step of a state under one operation; distinct in (arguments, results, next).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Argument values, in the order of the operation's parameters.
    pub arguments: Vec<Value>,
    /// Result values, in the order of the operation's results; `None` where the operation leaves one unassigned.
    pub results: Vec<Option<Value>>,
    /// The successor (constants included).
    pub next: Valuation,
}

/// All steps of one state under one operation.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Distinct steps, in the deterministic order of enumeration.
    pub steps: Vec<Step>,
    /// Instances whose body was ill-defined: the arguments and the reason. Findings.
    pub ill_defined: Vec<(Vec<Value>, EvalError)>,
    /// The first ill-defined guard, if any; such an instance is disabled and warned about.
    pub ill_defined_guard: Option<EvalError>,
    /// The first step that left a result unassigned, if any; the result is then undefined, which causes a warning.
    pub unassigned: Option<EvalError>,
    /// Why there may be more steps, or other ones: a guard or condition is unknown. The steps above exist in any case.
    pub partial: Option<EvalError>,
    /// The range in which a parameter or a choice was tried, if there may be other steps.
    pub cut: Option<TriedRange>,
}

/// An operation compiled.
#[derive(Debug)]
struct OperationPlan {
    guard: Search,
    body: SubstPlan,
    parameters: Vec<Slot>,
    results: Vec<Slot>,
}

/// A machine compiled for one scope.
#[derive(Debug)]
pub struct Machine {
    model: Arc<Model>,
    pub(super) context: Context,
    properties: Search,
    initialisation: SubstPlan,
    operations: Vec<OperationPlan>,
    invariant: Vec<PredPlan>,
    assertions: Vec<PredPlan>,
    goal: Option<PredPlan>,
    /// The predicate (SCOPE) that states must satisfy to be expanded; all are without one.
    expanded: Option<PredPlan>,
    /// That some call is allowed; everywhere without one.
    callable: Option<PredPlan>,
    /// All names that are tried in a window of integers.
    tried: BTreeSet<TriedRange>,
    /// Those of operations.
    tried_in_steps: BTreeSet<TriedRange>,
    /// The packed tier, when all variables fit words.
    pub(super) packed: Option<PackedMachine>,
}

impl Machine {
    /// Compiles a model for given set sizes and integer bounds.
    #[must_use]
    pub fn compile(model: Arc<Model>, scope: Scope) -> Self {
        Self::compile_propagating(model, scope, [SOLVED_PROPERTIES.get(), SOLVED_CHOICE.get()])
    }

    /// This machine, interrupted by the flag of another one.
    #[must_use]
    pub fn sharing_interrupt(mut self, with: &Self) -> Self {
        self.context.interrupt = Arc::clone(with.interrupt());
        self
    }

    /// As [`Self::compile`], with other limits on the bindings that plain searches may visit (by estimate): the first limit is for
    /// constants, the second one for choices and comprehensions.
    pub(super) fn compile_propagating(model: Arc<Model>, scope: Scope, [limit, other_limit]: [f64; 2]) -> Self {
        let mut compiler = Compiler::new(&model, &scope, Arc::default());
        compiler.propagate_above = other_limit;
        // Slots begin with the constants, in the order of declaration.
        let constants: Vec<_> = model.constants.values().enumerate().map(|(slot, constant)| (slot, constant.ty.clone())).collect();
        let properties: Vec<&Pred> = model.properties.iter().map(|conjunct| &conjunct.pred).collect();
        let unread = unread_constants(&model);
        let properties = compiler.constants(&constants, &properties, Span::nowhere(), limit).with_unread(&unread);
        let initialisation = compiler.subst(&model.initialisation);
        let invariant: Vec<PredPlan> = model.invariant.iter().map(|conjunct| compiler.pred(&conjunct.pred)).collect();
        let assertions: Vec<PredPlan> = model.assertions.iter().map(|assertion| compiler.pred(&assertion.pred)).collect();
        let goal = model.goal.as_ref().map(|goal| compiler.pred(goal));
        let expanded = model.expanded.as_ref().map(|expanded| compiler.pred(expanded));
        // The ranges tried in it are those of the guards of operations.
        let (callable, _) = compiler.noting(|compiler| model.callable.as_ref().map(|callable| compiler.pred(callable)));
        let tried_before = std::mem::take(&mut compiler.notes.tried);
        let mut operations = Vec::with_capacity(model.operations.len());
        for operation in model.operations.values() {
            let slots = |compiler: &Compiler<'_>, names: &[(String, LocalId, Type)]| {
                names.iter().map(|(_, id, _)| compiler.names().local_slot(*id)).collect::<Vec<_>>()
            };
            // The guard finds the arguments. The body is compiled with its own guards and tests them again, so the guard may be coarse.
            operations.push(OperationPlan {
                guard: order::guard(&mut compiler, operation),
                body: compiler.subst(&operation.body),
                parameters: slots(&compiler, &operation.parameters),
                results: slots(&compiler, &operation.results),
            });
        }
        let Compiler { mut context, notes: Notes { tried: tried_in_steps, .. }, .. } = compiler;
        let tried = &tried_before | &tried_in_steps;
        // The model is copied only where the caller shares it.
        drop(model);
        let comprehensions = context.comprehensions();
        Arc::make_mut(&mut context.model).comprehensions = comprehensions;
        let model = Arc::clone(&context.model);
        let packed = pack(&model, &scope, &operations, &invariant, &assertions, context.slot_names.len()).inspect(PackedMachine::report);
        Self {
            model,
            context,
            properties,
            initialisation,
            operations,
            invariant,
            assertions,
            goal,
            expanded,
            callable,
            tried,
            tried_in_steps,
            packed,
        }
    }

    /// The plan of an operation.
    #[must_use]
    pub fn explain(&self, operation: OperationId) -> Explanation {
        let plan = &self.operations[operation.index()];
        let slot_names = &self.context.slot_names;
        let names: Vec<String> = plan.parameters.iter().map(|slot| slot_names[*slot].clone()).collect();
        let mut body = Vec::new();
        explanation::choices(&plan.body, slot_names, &mut body);
        // Where no operation can be packed because of the variables, naming these helps the user more than naming a part of one operation.
        let tier = match self.tier_of(operation) {
            Ok(()) => Tier::Packed,
            Err(part) if self.is_packed() => Tier::Part(part),
            Err(_) => {
                let scope = &self.context.scope;
                let integers = integers_in_sets(&self.model, scope).unwrap_or(0);
                let unfit = self.model.variables.iter().filter(|(_, variable)| Packing::of(&variable.ty, scope, integers).is_none());
                Tier::Variables(unfit.map(|(name, _)| name.clone()).collect())
            }
        };
        Explanation { parameters: explanation::choice(&plan.guard, &names, slot_names), body, tier }
    }

    /// The model, with the comprehensions of the machine.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The sizes and bounds.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.context.scope
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// The flag that stops any evaluation with [`super::EvalErrorKind::Interrupted`] when set.
    #[must_use]
    pub fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.context.interrupt
    }

    /// Visits every valuation of the constants that satisfies PROPERTIES, each once; one empty valuation where there are no constants.
    ///
    /// # Errors
    /// When a constant cannot be enumerated, or when PROPERTIES are ill-defined and no valuation satisfies them.
    pub fn for_each_setup(&self, visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        self.for_each_setup_but_images(&[], visit)
    }

    /// As [`Self::for_each_setup`], but valuations may be left out that are images of others under some of these renamings, under which
    /// the images of all valuations must satisfy PROPERTIES as well. None is left out unless [`Self::are_constants_solved`].
    ///
    /// # Errors
    /// As [`Self::for_each_setup`].
    pub fn for_each_setup_but_images(
        &self,
        renamings: &[Renaming],
        visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>,
    ) -> Result<(), EvalError> {
        // Slots begin with the constants.
        let slots: Vec<Slot> = (0..self.model.constants.len()).collect();
        let wish = DistinctWish { renamings, assumes_unknown: true, is_tested: false };
        let mut frame = Frame::new(&self.context, &[]);
        let (is_satisfied, without_value) = frame.each_distinct(&self.properties, &slots, wish, visit)?;
        if without_value.is_some() {
            *self.context.without_value.lock().unwrap_or_else(PoisonError::into_inner) = without_value;
        }
        none_within_bounds(!is_satisfied, frame.chosen.cut)?;
        Ok(())
    }

    /// Whether constants are solved together, not tried one after the other.
    #[must_use]
    pub fn are_constants_solved(&self) -> bool {
        self.properties.actions.iter().any(|action| matches!(action, Action::Solve { .. }))
    }

    /// Whether these values of the constants satisfy PROPERTIES.
    ///
    /// # Errors
    /// When PROPERTIES have no value for them.
    pub fn is_setup(&self, constants: &[Value]) -> Result<bool, EvalError> {
        Frame::new(&self.context, constants).holds(&self.properties.source)
    }

    /// Conjuncts of PROPERTIES that contradict each other, as few as could be found. Only for PROPERTIES that no valuation of the constants
    /// satisfies.
    #[must_use]
    pub fn contradiction(&self) -> Contradiction {
        contradiction(&self.context)
    }

    /// Visits every distinct initial state (constants, then variables) of one valuation of the constants.
    ///
    /// # Errors
    /// When the initialisation is ill-defined.
    pub fn for_each_initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        let all = 0..constants.len() + self.model.variables.len();
        let frame = Frame::new(&self.context, constants);
        self.for_each_result(frame, &self.initialisation, all, constants.len(), visit)?;
        Ok(())
    }

    fn state(&self, frame: &Frame<'_>, span: Span) -> Result<Valuation, EvalError> {
        frame.valuation(self.model.constants.len() + self.model.variables.len()).map_err(|slot| self.unassigned(slot, span))
    }

    fn unassigned(&self, slot: Slot, span: Span) -> EvalError {
        EvalError { kind: EvalErrorKind::Unassigned(self.context.slot_names[slot].clone()), span }
    }

    /// Visits the distinct values that the slots of `part` have after running an operation without parameters as an initialisation: only
    /// the first slots have values before, which are `known`. For refinement checks, in which each machine is initialised by itself.
    /// Returns the range in which a choice was tried, if there may be other values. Choices among too many values take `wanted` ones, too.
    ///
    /// # Errors
    /// When the initialisation is ill-defined; when values of a choice were left out, after all others were visited.
    pub fn for_each_outcome(
        &self,
        known: &[Value],
        operation: OperationId,
        part: Range<usize>,
        wanted: &[Value],
        visit: &mut dyn FnMut(Vec<Value>) -> ControlFlow<()>,
    ) -> Result<Option<TriedRange>, EvalError> {
        let mut frame = Frame::new(&self.context, known);
        frame.chosen.wanted = wanted.to_vec();
        self.for_each_result(frame, &self.operations[operation.index()].body, part, 0, visit)
    }

    /// Visits the distinct values that the slots of `part` have after a substitution. The first `same` of them have the same values in all
    /// outcomes, so they are not compared.
    fn for_each_result(
        &self,
        mut frame: Frame<'_>,
        body: &SubstPlan,
        part: Range<usize>,
        same: usize,
        visit: &mut dyn FnMut(Vec<Value>) -> ControlFlow<()>,
    ) -> Result<Option<TriedRange>, EvalError> {
        let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
        frame.exec(body, &mut |frame| {
            let values = part.clone().map(|slot| frame.get(slot, body.span).cloned()).collect::<Result<Vec<Value>, _>>()?;
            // Different choices may have the same outcome.
            if !seen.insert(values[same..].to_vec()) {
                return Ok(Flow::Continue);
            }
            Ok(if visit(values).is_continue() { Flow::Continue } else { Flow::Stop })
        })?;
        if let Some(error) = frame.doubts.body_error.take().or(frame.doubts.undecided.take()) {
            return Err(error);
        }
        match frame.doubts.guard_error.take() {
            Some(error) if seen.is_empty() => Err(error),
            _ => none_within_bounds(seen.is_empty(), frame.chosen.cut),
        }
    }

    /// All steps of one operation in one state.
    ///
    /// # Errors
    /// Unbounded enumeration or interrupt only: what is ill-defined or unknown is part of the result.
    pub fn successors(&self, state: &[Value], operation: OperationId) -> Result<Successors, EvalError> {
        let plan = &self.operations[operation.index()];
        let mut frame = Frame::new(&self.context, state);
        let mut calls = CallSteps::new(self);
        frame.run_guard(&plan.guard, &mut |frame| {
            let arguments = slots(frame, &plan.parameters, plan.body.span)?;
            calls.add(frame, plan, arguments)?;
            Ok(Flow::Continue)
        })?;
        Ok(calls.successors(frame))
    }

    /// The steps of one call. Choices among too many values take `wanted` ones, too.
    ///
    /// # Errors
    /// As for all steps.
    pub fn successors_of_call(
        &self,
        state: &[Value],
        operation: OperationId,
        arguments: &[Value],
        wanted: &[Value],
    ) -> Result<Successors, EvalError> {
        let plan = &self.operations[operation.index()];
        let mut frame = Frame::new(&self.context, state);
        frame.chosen.wanted = wanted.to_vec();
        plan.parameters.iter().zip(arguments).for_each(|(slot, value)| frame.set(*slot, value.clone()));
        let mut calls = CallSteps::new(self);
        match frame.holds(&plan.guard.source) {
            Ok(true) => calls.add(&mut frame, plan, arguments.to_vec())?,
            Ok(false) => {}
            Err(error) if error.kind.is_undecided() => frame.doubts.undecided = Some(error),
            Err(error) if error.kind.is_ill_defined() => frame.doubts.guard_error = Some(error),
            Err(error) => return Err(error),
        }
        Ok(calls.successors(frame))
    }

    /// The first conjunct of the invariant (index into `Model::invariant`) that is false here, if any.
    ///
    /// # Errors
    /// When a conjunct is ill-defined, or cannot be decided and no other is false: with its index.
    pub fn violated_invariant(&self, state: &[Value]) -> Result<Option<usize>, (usize, EvalError)> {
        self.first_false(self.invariant.iter().enumerate(), state)
    }

    /// The first assertion (index into `Model::assertions`) that is false here; static ones only when `statics`, others only when not.
    ///
    /// # Errors
    /// When an assertion is ill-defined, or cannot be decided and no other is false: with its index.
    pub fn violated_assertion(&self, state: &[Value], statics: bool) -> Result<Option<usize>, (usize, EvalError)> {
        let all = self.model.assertions.iter().zip(&self.assertions).enumerate();
        let wanted = all.filter(|(_, (assertion, _))| assertion.is_static == statics);
        self.first_false(wanted.map(|(index, (_, plan))| (index, plan)), state)
    }

    /// As [`Self::violated_invariant`], among the first conjuncts only.
    ///
    /// # Errors
    /// As [`Self::violated_invariant`].
    pub fn violated_among(&self, conjuncts: usize, state: &[Value]) -> Result<Option<usize>, (usize, EvalError)> {
        self.first_false(self.invariant.iter().take(conjuncts).enumerate(), state)
    }

    /// Whether this conjunct of the invariant, by itself, is true here.
    ///
    /// # Errors
    /// When it is ill-defined, or cannot be decided.
    ///
    /// # Panics
    /// When the invariant has no such conjunct.
    pub fn conjunct_holds(&self, conjunct: usize, state: &[Value]) -> Result<bool, EvalError> {
        Frame::new(&self.context, state).holds(&self.invariant[conjunct])
    }

    /// Whether this conjunct of the invariant, by itself, is false here.
    #[must_use]
    pub fn is_conjunct_false(&self, conjunct: usize, state: &[Value]) -> bool {
        self.invariant.get(conjunct).is_some_and(|pred| Frame::new(&self.context, state).holds(pred) == Ok(false))
    }

    /// Whether this assertion, by itself, is false here.
    #[must_use]
    pub fn is_assertion_false(&self, assertion: usize, state: &[Value]) -> bool {
        self.assertions.get(assertion).is_some_and(|pred| Frame::new(&self.context, state).holds(pred) == Ok(false))
    }

    /// The index of the first predicate that is false. A predicate that cannot be decided does not hide a later one that is false, but it
    /// may be what makes a later one well-defined.
    fn first_false<'p>(
        &self,
        preds: impl Iterator<Item = (usize, &'p PredPlan)>,
        state: &[Value],
    ) -> Result<Option<usize>, (usize, EvalError)> {
        let mut frame = Frame::new(&self.context, state);
        // The first predicate that could not be decided: the error, unless a later predicate is false.
        let mut undecided = None;
        for (index, pred) in preds {
            match frame.holds(pred) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(index)),
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err((index, error)),
                // After an undecided predicate this may not be a finding: the states where this one is ill-defined may be those that the
                // undecided one excludes.
                Err(error) if error.kind.is_ill_defined() && undecided.is_none() => return Err((index, error)),
                Err(error) => _ = undecided.get_or_insert((index, error)),
            }
        }
        undecided.map_or(Ok(None), Err)
    }

    /// Whether the goal holds here; false without a goal.
    ///
    /// # Errors
    /// When the goal is ill-defined.
    pub fn is_goal(&self, state: &[Value]) -> Result<bool, EvalError> {
        self.goal.as_ref().map_or(Ok(false), |goal| Frame::new(&self.context, state).holds(goal))
    }
}

fn pack(
    model: &Model,
    scope: &Scope,
    operations: &[OperationPlan],
    invariant: &[PredPlan],
    assertions: &[PredPlan],
    slots: usize,
) -> Option<PackedMachine> {
    // Static assertions are about the constants alone and not evaluated in each state, so that words would save nothing.
    let of_states = model.assertions.iter().zip(assertions).filter(|(assertion, _)| !assertion.is_static);
    let assertions: Vec<&PredPlan> = of_states.map(|(_, plan)| plan).collect();
    let constants: Vec<&Type> = model.constants.values().map(|constant| &constant.ty).collect();
    let variables: Vec<(&String, &Type)> = model.variables.iter().map(|(name, variable)| (name, &variable.ty)).collect();
    let parts: Vec<OperationParts<'_>> = model
        .operations
        .iter()
        .zip(operations)
        .map(|((name, operation), plan)| OperationParts {
            name,
            guard: &plan.guard,
            body: &plan.body,
            parameters: &plan.parameters,
            results: &plan.results,
            types: operation.parameters.iter().chain(&operation.results).map(|(_, _, ty)| ty).collect(),
            is_query: Access::of(&operation.body).is_query(),
        })
        .collect();
    let invariant: Vec<&PredPlan> = invariant.iter().collect();
    let packed = |integers| PackedMachine::new(scope, integers, &constants, &variables, &parts, [&invariant, &assertions], slots);
    // First without integers in sets: where everything fits without them, no bits are spent on them.
    let (plain, all) = (packed(0), (parts.len(), invariant.len() + assertions.len()));
    if plain.as_ref().is_some_and(|packed| packed.extent() == all) {
        return plain;
    }
    let integers = integers_in_sets(model, scope).and_then(packed);
    match plain {
        // Integers in sets are worth their bits only if more operations fit with them, or as many operations and more predicates.
        Some(plain) => integers.filter(|packed| packed.extent() > plain.extent()).or(Some(plain)),
        // Sets with integers are larger as masks than written out, which pays only where all is done on words.
        None => integers.filter(|packed| packed.extent().0 == parts.len()),
    }
}

/// The values of some slots, each of which must be assigned.
fn slots(frame: &Frame<'_>, slots: &[Slot], span: Span) -> Result<Vec<Value>, EvalError> {
    slots.iter().map(|&slot| frame.get(slot, span).cloned()).collect()
}
