//! Running packed operations, and evaluating packed predicates, in states of words.
//!
//! Invariant: a run yields all steps of its operation or, with `None`, leaves the operation to the general tier. Deliberately elsewhere:
//! what is packed (`machine`), how bodies and searches run (`substitution`, `visit`), when this tier is used (`explore::search::packed`).

use super::{Blocks, Words};
use crate::Machine;
use crate::run::frame::Flow;
use bcheck_ir::OperationId;
use bcheck_source::Span;
use bcheck_value::packing::Packing;
use bcheck_value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The memory of packed runs of one worker, with the constants of one set-up.
pub struct PackedState {
    pub(super) words: Words,
    /// The (arguments, results, successor) of all steps of the current operation so far, if its body can reach a step twice.
    pub(super) seen: FxHashSet<Vec<u64>>,
    pub(super) results: Vec<u64>,
}

/// One packed step, seen by a visitor.
#[derive(Clone, Copy, Debug)]
pub struct PackedStep<'s> {
    /// Words of the successor's variables.
    pub next: &'s [u64],
    /// The successor is the state itself, because the operation assigns no variable.
    pub leads_back: bool,
    /// The number of its binding of the parameters, from 0 on in each run.
    pub instance: u64,
    /// The number of steps that it represents: its images under swaps of blocks (see [`PackedState::exchange`]).
    pub weight: u64,
    /// The words of the results, of an operation that can have several steps with the same arguments.
    pub results: Option<&'s [u64]>,
}

/// The result of running an operation in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRun {
    /// Whether a guard was ill-defined (and its instance disabled).
    pub ill_defined_guard: bool,
    /// The number of bindings of the parameters that were run.
    pub instances: u64,
}

impl PackedState {
    /// Sets the blocks by which bindings of parameters are reduced: of those that are images under swaps of blocks, one is run. The caller
    /// guarantees that swaps preserve the state that is expanded. Without blocks every binding is run.
    pub fn exchange(&mut self, blocks: &Blocks) {
        self.words.orbits.start(blocks);
    }
}

impl Machine {
    /// Whether orbits of parameters can save bindings of an operation.
    #[must_use]
    pub fn has_parameter_orbits(&self, operation: OperationId) -> bool {
        let plan = self.packed.as_ref().and_then(|packed| packed.operations[operation.index()].as_ref());
        plan.is_some_and(|plan| plan.guard.has_choices())
    }

    /// A frame for packed runs with the constants of a valuation; `None` when the machine is not packed or a constant does not fit. A
    /// constant that does not fit because of its integers is left undefined, and a run that reads it bails out.
    #[must_use]
    pub fn packed_state(&self, constants: &[Value]) -> Option<PackedState> {
        self.packed.as_ref()?.layout.frame(constants, self.interrupt())
    }

    /// Whether an operation runs on this tier; if not, the part that has no packed form, if there is one.
    pub(crate) fn tier_of(&self, operation: OperationId) -> Result<(), Option<Span>> {
        let packed = self.packed.as_ref().ok_or(None)?;
        packed.operations[operation.index()].as_ref().map(|_| ()).ok_or(packed.unpacked[operation.index()])
    }

    /// Whether states can be stored as words.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// How each constant and each variable is packed; `None` for constants that words cannot hold.
    ///
    /// # Panics
    /// When the machine is not packed.
    #[must_use]
    pub fn packings(&self) -> (&[Option<Packing>], &[Packing]) {
        let packed = self.packed.as_ref().expect("asked of packed machines only");
        (&packed.layout.constants, &packed.variables)
    }

    /// Writes the words of a constant into a frame.
    ///
    /// # Panics
    /// When the machine is not packed.
    pub fn set_packed_constant(&self, state: &mut PackedState, constant: usize, words: &[u64]) {
        let packed = self.packed.as_ref().expect("only packed machines have frames");
        packed.layout.set_constant(state, constant, words);
    }

    /// Appends the words of the variables of a state, unless one of them does not fit.
    pub fn pack(&self, state: &[Value], out: &mut Vec<u64>) -> bool {
        let Some(packed) = &self.packed else { return false };
        packed.variables.iter().zip(&state[packed.layout.constants.len()..]).all(|(packing, value)| {
            let start = out.len();
            out.resize(start + packing.words(), 0);
            packing.pack(value, &mut out[start..])
        })
    }

    /// The state with these constants whose variables have these words.
    ///
    /// # Panics
    /// When the machine is not packed.
    #[must_use]
    pub fn unpack(&self, constants: &[Value], words: &[u64]) -> Valuation {
        let packed = self.packed.as_ref().expect("only words of a packed machine are unpacked");
        let mut rest = words;
        let variables = packed.variables.iter().map(|packing| {
            let (own, others) = rest.split_at(packing.words());
            rest = others;
            packing.unpack(own)
        });
        constants.iter().cloned().chain(variables).collect()
    }

    /// Visits the steps of an operation in a state, in the order of [`Machine::successors`]; `None` when the operation is not packed or
    /// the run bailed out: the steps visited so far are then not all, and the general tier must run.
    pub fn packed_successors(
        &self,
        operation: OperationId,
        state: &mut PackedState,
        variables: &[u64],
        visit: &mut dyn FnMut(PackedStep<'_>),
    ) -> Option<PackedRun> {
        let packed = self.packed.as_ref()?;
        let plan = packed.operations[operation.index()].as_ref()?;
        let all = packed.layout.state.clone();
        let PackedState { words, seen, results } = state;
        let mut instances = 0;
        words.set(all.start, variables);
        words.ill_defined_guard = false;
        // A result left behind by a run that bailed out, or by another instance, must be neither a result of the next instance nor
        // readable in its guard.
        plan.forget_results(words);
        seen.clear();
        let run = plan.guard.run_guard(words, &mut |words| {
            let instance = instances;
            instances += 1;
            if plan.is_deterministic {
                if plan.body.apply(words)? {
                    plan.check_results(words)?;
                    let weight = words.orbits.weight();
                    visit(PackedStep { next: &words.slots[all.clone()], leads_back: plan.is_query, instance, weight, results: None });
                }
                // `apply` does not undo its writes: the whole state is restored before the next binding, also after a body without an
                // outcome. Locals and results need not be: they are written before they are read, or checked.
                if !plan.is_query {
                    words.set(all.start, variables);
                }
                plan.forget_results(words);
                return Ok(Flow::Continue);
            }
            let flow = plan.body.exec(words, &mut |words| {
                plan.check_results(words)?;
                // A step counts once, however many choices of the body reach it. The arguments are part of the key because the set is that
                // of all bindings.
                let all_of = |place: &Range<usize>| words.slots[place.clone()].iter().copied();
                let places = plan.parameters.iter().chain(&plan.results).chain(std::iter::once(&all));
                if !seen.insert(places.flat_map(all_of).collect()) {
                    return Ok(Flow::Continue);
                }
                results.clear();
                results.extend(plan.results.iter().flat_map(all_of));
                let weight = words.orbits.weight();
                visit(PackedStep { next: &words.slots[all.clone()], leads_back: plan.is_query, instance, weight, results: Some(results) });
                Ok(Flow::Continue)
            });
            plan.forget_results(words);
            flow
        });
        // A run that bailed out may leave writes behind. The next one does not see them: it begins by setting all variables.
        run.ok().map(|_| PackedRun { ill_defined_guard: words.ill_defined_guard, instances })
    }

    /// Whether the whole invariant certainly holds; `false` also when only the general tier can decide that.
    pub fn packed_invariant_holds(&self, state: &mut PackedState, variables: &[u64]) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.hold(&packed.invariant, state, variables))
    }

    /// Whether all assertions about states surely hold.
    pub fn packed_assertions_hold(&self, state: &mut PackedState, variables: &[u64]) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.hold(&packed.assertions, state, variables))
    }
}
