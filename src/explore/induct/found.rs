//! The obligations about an invariant, and the results: by operation and conjunct, the states from which a step violates it.
//!
//! Invariant: of all examples the one with the shortest text is stored, the first of several: the result does not depend on how the states
//! were shared. Deliberately elsewhere: which states there are (`examiner`), the effects of steps (`machine`, `explore::refine`).

use crate::refine::Mismatch;
use crate::{Trace, TraceBeginning, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{Model, OperationId};
use bcheck_source::Span;
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;

/// Obligations besides the preservation of the invariant.
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
    /// Whether every evaluated expression has a value: in operations, assertions, and conjuncts after a step.
    pub well_defined: bool,
    /// At most this many states are expanded.
    pub states: Option<u64>,
}

impl Obligations {
    /// Whether an operation is examined.
    pub(crate) fn examines(&self, operation: OperationId) -> bool {
        self.operations.is_empty() || self.operations.contains(&operation)
    }

    /// Whether a conjunct must be preserved.
    pub(crate) fn asks(&self, conjunct: usize) -> bool {
        self.conjuncts.is_empty() || self.conjuncts.contains(&conjunct)
    }

    /// The effect of a step to a state on the first `conjuncts` of the invariant, as far as they must be preserved.
    ///
    /// # Errors
    /// An interrupt.
    pub(crate) fn after(&self, machine: &Machine, conjuncts: usize, state: &[Value]) -> Result<AfterStep, EvalError> {
        let asked = || (0..conjuncts).filter(|conjunct| self.asks(*conjunct));
        let undecided = match machine.violated_among(conjuncts, state) {
            // Nearly all targets of steps satisfy all of them.
            Ok(None) => return Ok(AfterStep::default()),
            Ok(Some(_)) => None,
            Err((_, error)) if error.kind == EvalErrorKind::Interrupted => return Err(error),
            Err(first) if self.asks(first.0) => Some(first),
            Err((first, _)) => {
                let mut later = asked().filter(|conjunct| *conjunct > first);
                later.find_map(|conjunct| Some((conjunct, machine.conjunct_holds(conjunct, state).err()?)))
            }
        };
        let violated = asked().filter(|conjunct| machine.is_conjunct_false(*conjunct, state)).collect();
        Ok(AfterStep { violated, undecided })
    }
}

/// The violations in the target of a step.
#[derive(Default)]
pub(crate) struct AfterStep {
    /// The conjuncts that are false there.
    pub(crate) violated: Vec<usize>,
    /// If none is false, the first undecided one.
    pub(crate) undecided: Option<(usize, EvalError)>,
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

/// A state and a step to a violation.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where the step begins; empty before the initialisation.
    pub before: Valuation,
    /// The step; `None` where the state itself is the example.
    pub step: Option<TraceStep>,
    /// Whether the state is reachable, if requested.
    pub reached: Option<Reachability>,
    /// Of a refinement: why the refined machine does not follow.
    pub mismatch: Option<Box<Mismatch>>,
    /// The length of the text of the state, and the text: the order in which examples are preferred.
    text: (usize, String),
}

/// Whether a state is reachable, up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachability {
    /// After as many steps from an initial state, and no fewer.
    After(usize),
    /// It is not reachable.
    Never,
    /// The search ended before all reachable states were known.
    Unknown,
}

/// An ill-defined expression, and the states within the invariant where it occurs.
#[derive(Clone, Debug)]
pub struct Undefined {
    /// The error, with its place.
    pub error: EvalError,
    /// The states in which it occurs, or the sources of steps to such states.
    pub states: Refuted,
}

/// The effects of the initialisation, or an operation, on the conjuncts of the invariant.
#[derive(Clone, Debug, Default)]
pub struct PreservationRow {
    /// Steps from representatives.
    pub steps: u64,
    /// By conjunct: the states with a step to one where it is false.
    pub violated: Vec<Refuted>,
    /// By conjunct: why it is undecided in some target of a step.
    pub undecided: Vec<Option<EvalError>>,
    /// Why steps are missing, or are ill-defined, in some state.
    pub incomplete: Option<EvalError>,
    /// The states in which the guard or a step is ill-defined.
    pub ill_defined: Refuted,
    /// Of a refinement: how the refined machine fails to follow.
    pub unmatched: Unmatched,
}

/// The pairs of states in which the refined machine does not match a step of the refinement; empty without a refinement.
#[derive(Clone, Debug, Default)]
pub struct Unmatched {
    /// A call is refused that the refined machine allows.
    pub calls: Refuted,
    /// It has no step with the same arguments and results; for the initialisation, no initial state.
    pub steps: Refuted,
    /// None of its steps reaches a pair that satisfies all conjuncts at once.
    pub pairs: Refuted,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    /// Valuations of the constants, one for each orbit; one where there are no constants.
    pub set_ups: u64,
    /// Representatives of the states that satisfy the invariant, and those of the full space.
    pub states: u64,
    /// The states of the full space.
    pub full_states: BigUint,
    /// The effects of the initialisation; its states are its outcomes.
    pub initialisation: PreservationRow,
    /// The effects of each examined operation.
    pub operations: Vec<(OperationId, PreservationRow)>,
    /// States without enabled operations, if requested.
    pub deadlocks: Option<Refuted>,
    /// By assertion: states where it is false, where that is examined. Static ones, which are about constants only, are left to a check.
    pub assertions: Option<Vec<Refuted>>,
    /// Expressions without a value, if requested, ordered by place.
    pub undefined: Option<Vec<Undefined>>,
    /// Whether all states were expanded: neither a limit nor an interrupt came before.
    pub is_complete: bool,
    /// Whether each orbit has one representative; otherwise numbers for the full space are too large.
    pub is_exact: bool,
    /// Whether some of the states are outside of SCOPE, whose steps are not examined.
    pub leaves_scope: bool,
    /// Why there are other valuations of the constants: too many satisfy PROPERTIES, and the first ones were taken.
    pub left_out: Option<EvalError>,
}

impl PreservationRow {
    /// Nothing has been found about this many conjuncts yet.
    pub fn new(conjuncts: usize) -> Self {
        Self { violated: vec![Refuted::default(); conjuncts], undecided: vec![None; conjuncts], ..Self::default() }
    }

    /// Whether nothing is known against it.
    #[must_use]
    pub(crate) fn preserves_all(&self) -> bool {
        self.incomplete.is_none() && !self.is_violating() && self.undecided.iter().all(Option::is_none)
    }

    /// Whether some step violates a conjunct, or is not matched.
    #[must_use]
    pub fn is_violating(&self) -> bool {
        let Unmatched { calls, steps, pairs } = &self.unmatched;
        self.violated.iter().chain([calls, steps, pairs]).any(|cell| cell.states > 0)
    }

    /// Records why something is undecided; the first reason is stored.
    pub(crate) fn note_incomplete(&mut self, error: &EvalError) {
        self.incomplete.get_or_insert_with(|| error.clone());
    }

    fn cells_mut(&mut self) -> impl Iterator<Item = &mut Refuted> {
        let Unmatched { calls, steps, pairs } = &mut self.unmatched;
        self.violated.iter_mut().chain([&mut self.ill_defined, calls, steps, pairs])
    }

    fn merge(&mut self, mut other: Self) {
        self.steps += other.steps;
        for (kept, error) in self.undecided.iter_mut().zip(&mut other.undecided) {
            *kept = kept.take().or(error.take());
        }
        self.incomplete = self.incomplete.take().or(other.incomplete.take());
        for (cell, more) in self.cells_mut().zip(other.cells_mut()) {
            cell.merge(std::mem::take(more));
        }
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

    /// Whether a state or step refutes an obligation.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        let mut others = self.deadlocks.iter().chain(self.assertions.iter().flatten());
        let is_undefined = self.undefined.as_ref().is_some_and(|undefined| !undefined.is_empty());
        is_undefined || self.effects().any(|(_, effect)| effect.is_violating()) || others.any(|refuted| refuted.states > 0)
    }

    /// All examples.
    pub(super) fn examples_mut(&mut self) -> impl Iterator<Item = &mut Example> {
        let effects = std::iter::once(&mut self.initialisation).chain(self.operations.iter_mut().map(|(_, effect)| effect));
        let of_effects = effects.flat_map(PreservationRow::cells_mut);
        let undefined = self.undefined.iter_mut().flatten().map(|undefined| &mut undefined.states);
        let others = self.deadlocks.iter_mut().chain(self.assertions.iter_mut().flatten());
        of_effects.chain(others).chain(undefined).filter_map(|refuted| refuted.example.as_mut())
    }

    /// Whether all obligations are proved, at these sizes.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.is_complete && !self.is_refuted() && self.effects().all(|(_, effect)| effect.preserves_all())
    }
}

impl Induction {
    /// No results yet for these operations, and for this number of conjuncts.
    pub fn begin(model: &Model, operations: Vec<OperationId>, conjuncts: usize, obligations: &Obligations) -> Self {
        Self {
            initialisation: PreservationRow::new(conjuncts),
            operations: operations.into_iter().map(|operation| (operation, PreservationRow::new(conjuncts))).collect(),
            deadlocks: obligations.deadlock.then(Refuted::default),
            assertions: obligations.assertions.then(|| vec![Refuted::default(); model.assertions.len()]),
            undefined: obligations.well_defined.then(Vec::new),
            is_complete: true,
            is_exact: true,
            ..Self::default()
        }
    }

    /// Adds the results for other states, which come after those here.
    pub(super) fn merge(&mut self, other: Self) {
        self.states += other.states;
        self.full_states += other.full_states;
        self.initialisation.merge(other.initialisation);
        for ((_, effect), (_, more)) in self.operations.iter_mut().zip(other.operations) {
            effect.merge(more);
        }
        let cells = self.deadlocks.iter_mut().chain(self.assertions.iter_mut().flatten());
        for (cell, more) in cells.zip(other.deadlocks.into_iter().chain(other.assertions.into_iter().flatten())) {
            cell.merge(more);
        }
        for Undefined { error, states } in other.undefined.into_iter().flatten() {
            if let Some(cell) = self.undefined_at(error) {
                cell.merge(states);
            }
        }
        self.is_complete &= other.is_complete;
        self.leaves_scope |= other.leaves_scope;
        self.left_out = self.left_out.take().or(other.left_out);
        self.is_exact &= other.is_exact;
    }

    /// Counts a state for an expression that has no value there, if that is wanted.
    pub(crate) fn add_undefined(&mut self, orbit: &BigUint, error: EvalError, example: impl FnOnce() -> Example) {
        if error.kind.is_ill_defined()
            && let Some(cell) = self.undefined_at(error)
        {
            cell.add(orbit, example);
        }
    }

    /// The states in which the expression with this error has no value, if they are wanted.
    fn undefined_at(&mut self, error: EvalError) -> Option<&mut Refuted> {
        let list = self.undefined.as_mut()?;
        let place = |span: Span| (span.file, span.start, span.end);
        let at = match list.binary_search_by_key(&place(error.span), |undefined| place(undefined.error.span)) {
            Ok(at) => at,
            Err(at) => {
                list.insert(at, Undefined { error, states: Refuted::default() });
                at
            }
        };
        Some(&mut list[at].states)
    }
}

impl Refuted {
    pub(crate) fn add(&mut self, orbit: &BigUint, example: impl FnOnce() -> Example) {
        self.states += 1;
        self.full_states += orbit;
        self.keep(Some(example()));
    }

    fn merge(&mut self, other: Self) {
        self.states += other.states;
        self.full_states += other.full_states;
        self.keep(other.example);
    }

    /// Keeps an example unless the present one is as short.
    fn keep(&mut self, example: Option<Example>) {
        let Some(example) = example else { return };
        if self.example.as_ref().is_none_or(|kept| example.text < kept.text) {
            self.example = Some(example);
        }
    }
}

impl Example {
    /// A state, or the outcome of an initialisation where nothing is before, with a step.
    pub fn new(machine: &Machine, before: &[Value], step: Option<TraceStep>) -> Self {
        let shown: &[Value] = if before.is_empty() { step.as_ref().map_or(&[], |step| &step.state) } else { before };
        let text = shown.iter().map(|value| display(value, machine.model())).collect::<Vec<_>>().join("\n");
        Self { before: before.into(), step, reached: None, mismatch: None, text: (text.len(), text) }
    }

    /// This example, with the reason why the refined machine has no matching step.
    pub(crate) fn unmatched(self, mismatch: Mismatch) -> Self {
        Self { mismatch: Some(Box::new(mismatch)), ..self }
    }

    /// The example as a run: constants, a state that satisfies the invariant, the step; or constants and the initialisation. For a
    /// refinement, only its own part of the states is in the run: the first `values` of a valuation.
    #[must_use]
    pub fn run(&self, model: &Model, values: usize) -> Trace {
        let first = if self.before.is_empty() { self.step.as_ref().map_or(&[][..], |step| &step.state) } else { &self.before };
        let mut steps = Vec::new();
        if model.set_up_steps() > 0 {
            steps.push(TraceStep::beginning(first[..model.constants.len()].into()));
        }
        let beginning = if self.before.is_empty() { TraceBeginning::Initialisation } else { TraceBeginning::WithinInvariant };
        if beginning == TraceBeginning::WithinInvariant {
            steps.push(TraceStep::beginning(self.before.iter().take(values).cloned().collect()));
        }
        steps.extend(self.step.clone());
        Trace { beginning, ..Trace::of(steps) }
    }
}
