//! Tests from a machine: a few runs that together cover its operations, branches, disjuncts of guards, and conditions.
//!
//! `decision` and `target` define what there is to cover; `instrument` adds `probe`s, variables that show what a step covers; `search`
//! looks for a `witness` of each target, and `choice` for runs to them; `outcome` is the result. Invariant: a search without probes is not
//! affected, as the machine with probes is a separate one. Deliberately elsewhere: words and files (`report`, `cli`).

mod choice;
mod decision;
mod instrument;
mod outcome;
mod probe;
mod search;
mod target;
#[cfg(test)]
mod tests;
mod witness;

pub use outcome::{Coverage, CoveredAt, CoveringRun, Refused, Status, Unobserved};
pub use target::{BranchKind, Target, TargetKind};

use super::count::reduction::Reduction;
use super::count::tally::Orbits;
use super::{LimitHit, Limits, Options, TraceFault, first_choices};
use bcheck_eval::{EvalError, Machine, TriedRange};
use bcheck_ir::{LocalId, Model, OperationId, Scope};
use bcheck_source::Span;
use bcheck_symmetry::{Mode, Symmetry};
use bcheck_value::{Valuation, Value};
use instrument::{Instrumented, instrument};
use probe::Probes;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use witness::FoundWitnesses;

/// A machine with all that can be covered in it.
pub struct Coverable {
    /// The machine itself.
    machine: Machine,
    /// This machine with probes.
    probed: Machine,
    /// One that observes guards.
    observers: Option<Machine>,
    targets: Vec<Target>,
    /// Those of guards at the top of operations.
    of_guards: Vec<usize>,
    probes: Probes,
    unobserved: Vec<(OperationId, LocalId)>,
}

impl Coverable {
    /// Compiles a model, with and without probes; `has_conditions`: conditions of decisions are targets, too.
    #[must_use]
    pub fn compile(model: Model, scope: &Scope, has_conditions: bool) -> Self {
        let Instrumented { model: probed, observers, targets, of_guards, probes, mut unobserved } = instrument(&model, has_conditions);
        let machine = Machine::compile(Arc::new(model), scope.clone());
        let compile = |model| Machine::compile(Arc::new(model), scope.clone()).sharing_interrupt(&machine);
        let (probed, observers): (Machine, Option<Machine>) = (compile(probed), observers.map(compile));
        // Where an observer tries parameters in a range only, there may be others beyond.
        let cut: Vec<&TriedRange> =
            observers.iter().flat_map(|observers| observers.tried()).filter(|tried| !machine.tried().contains(*tried)).collect();
        for (at, operation) in machine.model().operations.values().enumerate() {
            let id = OperationId(u32::try_from(at).expect("operations have 32-bit ids"));
            let is_within = |place: Span| place.file != operation.span.file || place.to(operation.span) == operation.span;
            let is_cut = |name: &str| cut.iter().any(|tried| tried.name == name && is_within(tried.place));
            let cut = operation.parameters.iter().find(|(name, ..)| is_cut(name));
            if let Some((_, local, _)) = cut.filter(|_| unobserved.iter().all(|(known, _)| *known != id)) {
                unobserved.push((id, *local));
            }
        }
        Self { machine, probed, observers, targets, of_guards, probes, unobserved }
    }

    /// The machine without probes.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// All targets, in the order of the text: of the initialisation, then of each operation.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Why there may be other set-ups and initial states.
    fn cut_of_beginning(&self) -> Option<EvalError> {
        let mut beginning = self.machine.tried().difference(self.machine.tried_in_steps());
        beginning.next().map(|tried| tried.undecided("what is covered"))
    }

    /// Searches for runs that cover the wanted targets. The symmetry must not move elements that the machine names. `searched` is called
    /// when the search is over and its runs remain to be built: where there is no time for that, it raises the flag of the machine again.
    /// Targets whose runs could not be built in time are undecided.
    ///
    /// # Errors
    /// When a run cannot be built: a fault of the checker.
    pub fn cover(
        &self,
        symmetry: &Symmetry,
        (limits, max_choices): (&Limits, u32),
        wanted: &[bool],
        searched: &mut dyn FnMut(),
    ) -> Result<Coverage, TraceFault> {
        // Nothing is checked, so nothing ends the search but limits.
        let options = Options {
            symmetry: symmetry.mode(),
            invariant: false,
            deadlock: false,
            assertions: false,
            goal: false,
            keep_going: true,
            limits: limits.clone(),
            ..Options::default()
        };
        let (orbits, plain_orbits) = (Orbits::new(), Orbits::new());
        let none = Symmetry::new(self.machine.model(), self.machine.scope(), Mode::Off);
        let machines: Vec<&Machine> = [&self.machine, &self.probed].into_iter().chain(&self.observers).collect();
        first_choices::begin(&machines, symmetry, (max_choices, true));
        let mut found = search::search(self, wanted, &options, Reduction::new(&self.machine, symmetry, &orbits));
        if first_choices::begins_again(&machines, max_choices) {
            found = search::search(self, wanted, &options, Reduction::new(&self.machine, &none, &plain_orbits));
        }
        // What stopped the search must not stop the runs, unless the caller requests it. Relaxed: only the flag is exchanged.
        self.machine.interrupt().store(false, Ordering::Relaxed);
        searched();
        let (runs, is_stopped) = choice::runs(self, &mut found, wanted)?;
        let FoundWitnesses { family, set_ups, seen, is_initialised, ill_defined, obstacles, .. } = found;
        let mut unobserved: Vec<(OperationId, Unobserved)> =
            self.unobserved.iter().map(|(id, parameter)| (*id, Unobserved::Parameter(*parameter))).collect();
        for (id, obstacle) in obstacles {
            if unobserved.iter().all(|(known, _)| *known != id) {
                unobserved.push((id, Unobserved::Obstacle(obstacle)));
            }
        }
        unobserved.sort_by_key(|(id, _)| *id);
        let assumed = || self.probed.assumptions().into_iter().next().map(LimitHit::Assumed);
        let limit = seen.limit.or(is_stopped.then_some(LimitHit::Interrupted)).or_else(assumed);
        let limit =
            limit.filter(|_| is_stopped || !wanted.iter().zip(&seen.witnesses).all(|(wanted, witness)| !wanted || witness.is_some()));
        let status = (0..wanted.len()).map(|target| {
            let covering: Vec<usize> = (0..runs.len()).filter(|run| runs[*run].covers(target)).collect();
            match () {
                () if !wanted[target] => Status::Unwanted,
                () if !covering.is_empty() => Status::Covered(covering),
                () if limit.is_some() => Status::Undecided,
                () => self.uncovered(target, &unobserved),
            }
        });
        let status = status.collect();
        let (states, set_ups) = (family.end().number().into(), set_ups.len() as u64);
        Ok(Coverage { runs, status, unobserved, states, set_ups, is_initialised, limit, ill_defined })
    }

    /// The status of a target that no step covers.
    fn uncovered(&self, target: usize, unobserved: &[(OperationId, Unobserved)]) -> Status {
        let Target { operation, kind, .. } = self.targets[target];
        let is_unobserved = unobserved.iter().any(|(id, _)| Some(*id) == operation);
        match kind {
            TargetKind::Condition(_) if is_unobserved && self.of_guards.contains(&target) => Status::Unobserved,
            _ => Status::Uncoverable,
        }
    }

    /// A state with the first values of all probes.
    fn with_probes(&self, state: &[Value]) -> Valuation {
        state.iter().cloned().chain(self.probes.first_values()).collect()
    }

    /// The targets that a step to this state has covered; the probes are removed from the state.
    fn covered_by_step(&self, state: &mut Valuation) -> Vec<usize> {
        let model = self.machine.model();
        let probes = state.split_off(model.constants.len() + model.variables.len());
        self.probes.covered(&probes)
    }

    /// The targets that an observer has seen to be covered.
    fn covered_by_refusal(&self, state: &[Value]) -> Vec<usize> {
        let model = self.machine.model();
        self.probes.covered_by_refusals(&state[model.constants.len() + model.variables.len()..])
    }
}
