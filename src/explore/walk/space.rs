//! The spaces that can be walked after a search: the states of a machine, or the configurations of a refinement check.
//!
//! Invariant: both are valuations that symmetry renames like any other. Deliberately elsewhere: the walk (`mod`), its uses (`survey`,
//! `report`), configurations (`refine`).

use super::animation::steps_after;
use crate::count::set_up::SetUp;
use crate::property::{Checks, examine};
use crate::search::store::Store;
use crate::search::word_store::WordStore;
use crate::{Fault, Options, TraceStep};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{Model, Pred};
use bcheck_symmetry::{ConjunctOrbits, Scratch, Symmetry};
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;

/// The result of expanding a state.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    /// Its steps, grouped into orbits under the symmetries of the state.
    pub(crate) alike: Vec<Vec<TraceStep>>,
    pub(crate) findings: Vec<Fault>,
    pub(crate) is_deadlock: bool,
    /// Whether it may have other steps: it is outside of SCOPE, or integers were tried in a range only.
    pub(crate) is_cut: bool,
}

/// States with steps between them.
pub(crate) trait Space {
    /// The initial states under each of these valuations of the constants.
    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError>;
    /// The steps of a state, and its findings.
    fn expand(&self, symmetry: &Symmetry, state: &[Value], scratch: &mut Scratch) -> Result<Expanded, EvalError>;
    /// The findings of a state whose steps are not computed.
    fn examine(&self, state: &[Value]) -> Vec<Fault>;
    /// The store of packed states of a search under these set-ups, if it has any: representatives are found on their words.
    fn words(&self, _symmetry: &Symmetry, _set_ups: &[SetUp]) -> Option<WordStore> {
        None
    }
    /// The machine whose constants and conjuncts these are.
    fn machine(&self) -> &Machine;
    /// Whether a predicate holds in a state; an ill-defined one does not.
    fn holds(&self, pred: &Pred, state: &[Value]) -> bool;
    /// A state as text, a line for each thing in it.
    fn lines(&self, state: &[Value]) -> String;
}

/// The states of a machine.
pub(crate) struct States<'a> {
    machine: &'a Machine,
    checks: Checks,
}

impl<'a> States<'a> {
    pub(crate) fn new(machine: &'a Machine, options: &Options) -> Self {
        Self { machine, checks: Checks::new(machine, options) }
    }

    /// With all properties that the machine has.
    pub(super) fn with_all_properties(machine: &'a Machine) -> Self {
        Self { machine, checks: Checks::all(machine) }
    }
}

impl Space for States<'_> {
    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        self.machine.for_each_initial(constants, visit)
    }

    fn expand(&self, symmetry: &Symmetry, state: &[Value], scratch: &mut Scratch) -> Result<Expanded, EvalError> {
        let model = self.machine.model();
        // Every state of a walk is initialised. The steps after a run depend on its length only up to the initialisation.
        let beyond_set_up = model.set_up_steps() + 1;
        let mut enabled = steps_after(self.machine, beyond_set_up, state)?;
        // A graph without these steps would look complete, unless the first values of a choice were requested.
        let lacks_values = !enabled.left_out.is_empty();
        if let Some((_, error)) = enabled.left_out.into_iter().find(|(_, error)| !error.kind.is_left_out()) {
            return Err(error);
        }
        enabled.left_out = Vec::new();
        let is_cut = lacks_values || enabled.untried.is_some() || !self.machine.is_expanded(state);
        let alike = enabled.folded(model.constants.len(), symmetry, state, scratch).alike;
        // Of this very state, which is shown.
        let seen = examine(self.machine, self.checks, &ConjunctOrbits::default(), state);
        match seen.undecided {
            // Any other property that cannot be decided is reported by the search; the graph has the same states without it.
            Some(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
            _ => {
                let is_deadlock = alike.is_empty() && !is_cut && self.machine.is_callable(state);
                Ok(Expanded { is_deadlock, is_cut, alike, findings: seen.findings })
            }
        }
    }

    fn words(&self, symmetry: &Symmetry, set_ups: &[SetUp]) -> Option<WordStore> {
        Store::new(self.machine, symmetry, set_ups).words
    }

    fn examine(&self, state: &[Value]) -> Vec<Fault> {
        examine(self.machine, self.checks, &ConjunctOrbits::default(), state).findings
    }

    fn machine(&self) -> &Machine {
        self.machine
    }

    fn holds(&self, pred: &Pred, state: &[Value]) -> bool {
        self.machine.holds(pred, state).unwrap_or(false)
    }

    fn lines(&self, state: &[Value]) -> String {
        state_lines(self.machine.model(), state)
    }
}

/// A state as text, a line for each constant and variable.
#[must_use]
pub fn state_lines(model: &Model, state: &[Value]) -> String {
    let names = model.constants.keys().chain(model.variables.keys());
    names.zip(state).map(|(name, value)| format!("{name} = {}", display(value, model))).collect::<Vec<_>>().join("\n")
}
