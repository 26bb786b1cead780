//! Whether the invariant is inductive: whether each step from a state that satisfies it leads to one that satisfies it.
//!
//! All states that satisfy PROPERTIES and the invariant are enumerated, reachable or not, as the answers of a question about the variables;
//! one of each orbit is expanded. Invariant: the symmetries are those of elements that the text cannot name, so a conjunct by itself is
//! true in all states of an orbit or in none, and an operation leads from one state of an orbit to a state without a conjunct exactly if
//! it does so from all. Deliberately elsewhere: how answers are found (`eval`), reachable states (`search`), what is printed (`report`).

use crate::eval::{EvalError, EvalErrorKind, Machine, Question};
use crate::explore::TraceStep;
use crate::explore::search::set_ups::each_but_images;
use crate::explore::trace::operations;
use crate::ir::{Model, OperationId, Scope, invariant_question};
use crate::source::Span;
use crate::symmetry::{Scratch, Symmetry};
use crate::value::display::display;
use crate::value::{Valuation, Value};
use num_bigint::BigUint;
use num_traits::One;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What is to be shown, beside that the invariant is preserved.
#[derive(Clone, Debug)]
pub struct Obligations {
    /// Which operations; all of them without any.
    pub operations: Vec<OperationId>,
    /// Which conjuncts of the invariant must be preserved; all of them without any. States satisfy all of them in any case.
    pub conjuncts: Vec<usize>,
    /// Whether a state within the invariant may enable nothing.
    pub deadlock: bool,
    /// Whether the invariant implies the assertions.
    pub assertions: bool,
    /// Whether every expression that is met has a value: of operations, assertions, and conjuncts after a step.
    pub well_defined: bool,
    /// At most this many states are expanded.
    pub states: Option<u64>,
}

/// A number of states, representatives and in the full space, and one of them.
#[derive(Clone, Debug, Default)]
pub struct Refuted {
    /// Representatives.
    pub states: u64,
    /// States of the full space.
    pub full_states: BigUint,
    /// The one whose text is shortest.
    pub example: Option<Example>,
}

/// A state and a step that leads to a violation.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where the step begins; empty before the initialisation.
    pub before: Valuation,
    /// The step; none where the state itself is the example.
    pub step: Option<TraceStep>,
    /// Whether the state is reachable, where that was asked.
    pub reached: Option<Reachability>,
    /// The length of the text of the state, and the text: the order in which examples are preferred.
    text: (usize, String),
}

/// Whether a run leads to a state, up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// After as many steps from an initial state, and no fewer.
    After(usize),
    /// It is not reachable.
    Never,
    /// The search ended before all reachable states were known.
    Unknown,
}

/// An expression without a value, and the states within the invariant where it is met.
#[derive(Clone, Debug)]
pub struct Undefined {
    /// What is wrong with it, and where.
    pub error: EvalError,
    /// Where it is met, or what a step leads from to where it is.
    pub states: Refuted,
}

/// What the initialisation, or an operation, does to the conjuncts of the invariant.
#[derive(Clone, Debug, Default)]
pub struct PreservationRow {
    /// Steps from representatives.
    pub steps: u64,
    /// By conjunct: the states from which a step leads to one where it is false.
    pub violated: Vec<Refuted>,
    /// By conjunct: why it is not known in some state that a step leads to whether it holds.
    pub undecided: Vec<Option<EvalError>>,
    /// Why steps are missing, or are ill-defined, in some state.
    pub incomplete: Option<EvalError>,
    /// The states in which the guard or a step is ill-defined.
    pub ill_defined: Refuted,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    /// Valuations of the constants, of symmetric ones one; one where there are no constants.
    pub set_ups: u64,
    /// Representatives of the states that satisfy the invariant, and those of the full space.
    pub states: u64,
    /// The same of the full space.
    pub full_states: BigUint,
    /// What the initialisation does; its states are those that it leads to.
    pub initialisation: PreservationRow,
    /// What each examined operation does.
    pub operations: Vec<(OperationId, PreservationRow)>,
    /// States that enable nothing, where they are looked for.
    pub deadlocks: Option<Refuted>,
    /// By assertion: states where it is false, where that is examined. Static ones, which are about constants only, are left to a check.
    pub assertions: Option<Vec<Refuted>>,
    /// Expressions without a value, where they are looked for, in the order of their places.
    pub undefined: Option<Vec<Undefined>>,
    /// Whether all states were expanded: neither a limit nor an interrupt came before.
    pub is_complete: bool,
    /// Whether each orbit has one representative; else numbers for the full space are too large.
    pub is_exact: bool,
}

impl PreservationRow {
    fn new(conjuncts: usize) -> Self {
        Self { violated: vec![Refuted::default(); conjuncts], undecided: vec![None; conjuncts], ..Self::default() }
    }

    /// Whether nothing is known against it.
    #[must_use]
    pub(in crate::explore) fn preserves_all(&self) -> bool {
        self.incomplete.is_none() && self.violated.iter().all(|cell| cell.states == 0) && self.undecided.iter().all(Option::is_none)
    }

    /// Whether some step violates a conjunct.
    #[must_use]
    pub fn is_violating(&self) -> bool {
        self.violated.iter().any(|cell| cell.states > 0)
    }
}

impl Induction {
    /// The initialisation, then the operations.
    pub fn effects(&self) -> impl Iterator<Item = (Option<OperationId>, &PreservationRow)> {
        std::iter::once((None, &self.initialisation)).chain(self.operations.iter().map(|(operation, effect)| (Some(*operation), effect)))
    }

    /// Whether some step, or a conjunct after one, is ill-defined.
    #[must_use]
    pub fn is_ill_defined(&self) -> bool {
        let errors = |effect: &'_ PreservationRow| {
            effect.undecided.iter().flatten().chain(&effect.incomplete).any(|error| error.kind.is_ill_defined())
        };
        self.effects().any(|(_, effect)| errors(effect))
    }

    /// Whether a state or step was found that refutes what was asked.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        let mut others = self.deadlocks.iter().chain(self.assertions.iter().flatten());
        let is_undefined = self.undefined.as_ref().is_some_and(|undefined| !undefined.is_empty());
        is_undefined || self.effects().any(|(_, effect)| effect.is_violating()) || others.any(|refuted| refuted.states > 0)
    }

    /// All examples.
    pub(super) fn examples_mut(&mut self) -> impl Iterator<Item = &mut Example> {
        let effects = std::iter::once(&mut self.initialisation).chain(self.operations.iter_mut().map(|(_, effect)| effect));
        let of_effects = effects.flat_map(|effect| effect.violated.iter_mut().chain([&mut effect.ill_defined]));
        let undefined = self.undefined.iter_mut().flatten().map(|undefined| &mut undefined.states);
        let others = self.deadlocks.iter_mut().chain(self.assertions.iter_mut().flatten());
        of_effects.chain(others).chain(undefined).filter_map(|refuted| refuted.example.as_mut())
    }

    /// Whether all that was asked is proved, at these sizes.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.is_complete && !self.is_refuted() && self.effects().all(|(_, effect)| effect.preserves_all())
    }
}

impl Refuted {
    fn add(&mut self, orbit: &BigUint, example: impl FnOnce() -> Example) {
        self.states += 1;
        self.full_states += orbit;
        let example = example();
        if self.example.as_ref().is_none_or(|kept| example.text < kept.text) {
            self.example = Some(example);
        }
    }
}

/// A machine of this model, and the question which states satisfy its invariant.
#[must_use]
pub fn within_invariant(mut model: Model, scope: Scope) -> (Machine, Question) {
    // First, as the names of the question become names of the model.
    let (names, invariant) = invariant_question(&mut model);
    let machine = Machine::compile(Arc::new(model), scope);
    let question = machine.compile_question(&names, &invariant, None);
    (machine, question)
}

/// Examines whether the invariant is inductive. Machine and question are those of [`within_invariant`]; no symmetry may move an element
/// that the text names.
///
/// # Errors
/// When constants or states cannot be enumerated; an interrupt is no error.
pub fn induction(machine: &Machine, question: &Question, symmetry: &Symmetry, obligations: &Obligations) -> Result<Induction, EvalError> {
    let model = machine.model();
    let conjuncts = model.invariant.len();
    let examines = |operation: &OperationId| obligations.operations.is_empty() || obligations.operations.contains(operation);
    let found = Induction {
        initialisation: PreservationRow::new(conjuncts),
        operations: operations(machine).filter(examines).map(|operation| (operation, PreservationRow::new(conjuncts))).collect(),
        deadlocks: obligations.deadlock.then(Refuted::default),
        assertions: obligations.assertions.then(|| vec![Refuted::default(); model.assertions.len()]),
        undefined: obligations.well_defined.then(Vec::new),
        is_complete: true,
        is_exact: true,
        ..Induction::default()
    };
    let mut states = Examiner {
        machine,
        symmetry,
        obligations,
        scratch: Scratch::interruptible(machine.interrupt()),
        seen: FxHashSet::default(),
        found,
    };
    let mut set_ups = FxHashSet::default();
    let mut failed = None;
    let enumerated = each_but_images(machine, symmetry, &mut |constants| {
        // What follows from symmetric set-ups is symmetric, so one of each orbit is enough.
        let Some((canonical, _)) = states.representative(&constants) else { return ControlFlow::Break(()) };
        if set_ups.insert(canonical) {
            states.found.set_ups += 1;
            failed = states.of_set_up(&constants, question).err();
        }
        if failed.is_none() && states.found.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match enumerated.err().or(failed) {
        Some(error) if error.kind == EvalErrorKind::Interrupted => states.found.is_complete = false,
        Some(error) => return Err(error),
        None => {}
    }
    Ok(states.found)
}

/// What is wrong with a state that a step leads to.
#[derive(Default)]
struct AfterStep {
    /// Conjuncts that are false.
    violated: Vec<usize>,
    undefined: Vec<EvalError>,
}

/// Counts a state for an expression that has no value there, if that is wanted.
fn add_undefined(list: &mut Option<Vec<Undefined>>, orbit: &BigUint, error: EvalError, example: impl FnOnce() -> Example) {
    let Some(list) = list.as_mut().filter(|_| error.kind.is_ill_defined()) else { return };
    let place = |span: Span| (span.file, span.start, span.end);
    let at = match list.binary_search_by_key(&place(error.span), |undefined| place(undefined.error.span)) {
        Ok(at) => at,
        Err(at) => {
            list.insert(at, Undefined { error, states: Refuted::default() });
            at
        }
    };
    list[at].states.add(orbit, example);
}

/// The states so far, and what was found in them.
struct Examiner<'a> {
    machine: &'a Machine,
    symmetry: &'a Symmetry,
    obligations: &'a Obligations,
    scratch: Scratch,
    /// Representatives; none are kept without symmetry, as each state is enumerated once.
    seen: FxHashSet<Valuation>,
    found: Induction,
}

impl Examiner<'_> {
    /// The representative of a state and the size of its orbit; `None` when interrupted.
    fn representative(&mut self, state: &[Value]) -> Option<(Valuation, BigUint)> {
        if self.symmetry.is_trivial() {
            return Some((state.into(), BigUint::one()));
        }
        let canonical = self.symmetry.canonical(state, &mut self.scratch);
        if self.is_interrupted() {
            self.found.is_complete = false;
            return None;
        }
        self.found.is_exact &= canonical.is_exact;
        Some((canonical.state, self.symmetry.orbit_size(&canonical.automorphisms)))
    }

    /// As [`Self::representative`], of a state that is met for the first time; the inner `None` is one that is known.
    fn first_met(&mut self, state: &[Value]) -> Option<Option<(Valuation, BigUint)>> {
        let (state, orbit) = self.representative(state)?;
        let is_new = self.symmetry.is_trivial() || self.seen.insert(state.clone());
        Some(is_new.then_some((state, orbit)))
    }

    fn is_interrupted(&self) -> bool {
        self.machine.interrupt().load(std::sync::atomic::Ordering::Relaxed)
    }

    /// All states under these constants.
    fn of_set_up(&mut self, constants: &[Value], question: &Question) -> Result<(), EvalError> {
        self.initialise(constants)?;
        let mut failed = Ok(());
        self.seen.clear();
        question.for_each_answer(constants, &mut |variables| {
            let state = [constants, &variables].concat();
            let Some(met) = self.first_met(&state) else { return ControlFlow::Break(()) };
            let Some((state, orbit)) = met else { return ControlFlow::Continue(()) };
            if self.obligations.states.is_some_and(|most| self.found.states >= most) {
                self.found.is_complete = false;
                return ControlFlow::Break(());
            }
            self.found.states += 1;
            self.found.full_states += &orbit;
            failed = self.expand(&state, &orbit);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        failed
    }

    /// What the initialisation does to the conjuncts.
    fn initialise(&mut self, constants: &[Value]) -> Result<(), EvalError> {
        self.seen.clear();
        let (machine, mut effect) = (self.machine, std::mem::take(&mut self.found.initialisation));
        let mut undefined = self.found.undefined.take();
        let done = machine.for_each_initial(constants, &mut |state| {
            let Some(met) = self.first_met(&state) else { return ControlFlow::Break(()) };
            let Some((state, orbit)) = met else { return ControlFlow::Continue(()) };
            effect.steps += 1;
            let mut after = AfterStep::default();
            self.examine_after(&state, &mut effect, &mut after);
            let example = || self.example(&[], Some(TraceStep::beginning(state.clone())));
            for conjunct in after.violated {
                effect.violated[conjunct].add(&orbit, example);
            }
            for error in after.undefined {
                add_undefined(&mut undefined, &orbit, error, example);
            }
            ControlFlow::Continue(())
        });
        match done {
            Err(error) if error.kind != EvalErrorKind::Interrupted => effect.incomplete = effect.incomplete.or(Some(error)),
            other => other?,
        }
        (self.found.initialisation, self.found.undefined) = (effect, undefined);
        Ok(())
    }

    /// What the operations do to the conjuncts in a state.
    fn expand(&mut self, state: &[Value], orbit: &BigUint) -> Result<(), EvalError> {
        let mut is_enabled = false;
        // Each state counts once for a place.
        let mut met_at = FxHashSet::default();
        let (mut effects, mut undefined) = (std::mem::take(&mut self.found.operations), self.found.undefined.take());
        for (operation, effect) in &mut effects {
            let (steps, errors) = match self.machine.successors_or_obstacle(state, *operation)? {
                Ok(found) => {
                    is_enabled |= !found.steps.is_empty() || !found.ill_defined.is_empty();
                    let errors = found.ill_defined.into_iter().map(|(_, error)| error).chain(found.ill_defined_guard);
                    (found.steps, errors.collect::<Vec<_>>())
                }
                Err(obstacle) => {
                    is_enabled = true;
                    (Vec::new(), vec![obstacle])
                }
            };
            effect.steps += steps.len() as u64;
            effect.incomplete = effect.incomplete.take().or(errors.first().cloned());
            if errors.iter().any(|error| error.kind.is_ill_defined()) {
                effect.ill_defined.add(orbit, || self.example(state, None));
            }
            // Each state counts once for a conjunct, however many of its steps violate it.
            let mut of_state: Vec<Option<Example>> = vec![None; effect.violated.len()];
            let mut met: Vec<(EvalError, Option<TraceStep>)> = errors.into_iter().map(|error| (error, None)).collect();
            for step in steps {
                let mut after = AfterStep::default();
                self.examine_after(&step.next, effect, &mut after);
                if after.undefined.is_empty() && after.violated.iter().all(|conjunct| of_state[*conjunct].is_some()) {
                    continue;
                }
                let step = TraceStep { operation: Some(*operation), arguments: step.arguments, results: step.results, state: step.next };
                for conjunct in after.violated {
                    of_state[conjunct].get_or_insert_with(|| self.example(state, Some(step.clone())));
                }
                met.extend(after.undefined.into_iter().map(|error| (error, Some(step.clone()))));
            }
            for (cell, example) in effect.violated.iter_mut().zip(of_state) {
                example.into_iter().for_each(|example| cell.add(orbit, || example));
            }
            for (error, step) in met {
                if met_at.insert(error.span) {
                    add_undefined(&mut undefined, orbit, error, || self.example(state, step));
                }
            }
        }
        (self.found.operations, self.found.undefined) = (effects, undefined);
        self.imply(state, orbit, is_enabled);
        Ok(())
    }

    /// Whether a state within the invariant enables something and satisfies the assertions, as far as that is asked.
    fn imply(&mut self, state: &[Value], orbit: &BigUint, is_enabled: bool) {
        let machine = self.machine;
        if self.found.undefined.is_some()
            && let Err((_, error)) = machine.violated_assertion(state, false)
        {
            let mut undefined = self.found.undefined.take();
            add_undefined(&mut undefined, orbit, error, || self.example(state, None));
            self.found.undefined = undefined;
        }
        if self.found.deadlocks.is_none() && self.found.assertions.is_none() {
            return;
        }
        let example = self.example(state, None);
        let is_deadlock = !is_enabled && machine.is_expanded(state);
        if let Some(deadlocks) = self.found.deadlocks.as_mut().filter(|_| is_deadlock) {
            deadlocks.add(orbit, || example.clone());
        }
        for (at, refuted) in self.found.assertions.iter_mut().flatten().enumerate() {
            if !machine.model().assertions[at].is_static && machine.is_assertion_false(at, state) {
                refuted.add(orbit, || example.clone());
            }
        }
    }

    /// Notes the conjuncts that are false in a state that a step leads to, and those that have no value there.
    fn examine_after(&self, state: &[Value], effect: &mut PreservationRow, after: &mut AfterStep) {
        let is_asked = |conjunct: &usize| self.obligations.conjuncts.is_empty() || self.obligations.conjuncts.contains(conjunct);
        // Nearly all steps lead to states that satisfy all of them.
        match self.machine.violated_invariant(state) {
            Ok(None) => return,
            Ok(Some(_)) => {}
            Err((conjunct, error)) => {
                if is_asked(&conjunct) {
                    after.undefined.push(error.clone());
                    effect.undecided[conjunct] = effect.undecided[conjunct].take().or(Some(error));
                }
            }
        }
        let conjuncts = (0..effect.violated.len()).filter(is_asked);
        after.violated.extend(conjuncts.filter(|conjunct| self.machine.is_conjunct_false(*conjunct, state)));
    }

    fn example(&self, before: &[Value], step: Option<TraceStep>) -> Example {
        let model = self.machine.model();
        let shown: &[Value] = if before.is_empty() { step.as_ref().map_or(&[], |step| &step.state) } else { before };
        let text = shown.iter().map(|value| display(value, model)).collect::<Vec<_>>().join("\n");
        Example { before: before.into(), step, reached: None, text: (text.len(), text) }
    }
}
