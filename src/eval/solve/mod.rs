//! SAT-based enumeration of bindings: conjuncts are encoded into CNF over membership atoms, a CDCL solver enumerates the models.
//!
//! `order::problem` turns conjuncts into a [`Problem`]; at run time `domain` bounds the names, `truth`, `terms` and `linear` write the
//! conjuncts out (functions of the [`Grounding`]), by gates for operations on `open` values (`operators`, `comparison`, `sets`, `images`:
//! functions of the [`encoder::Encoder`]); `sat` finds the models of the `circuit`.
//! Invariant: solutions are candidates only. The search that asked evaluates every conjunct once more, so an error here can lose solutions
//! but never invent one; a conjunct that cannot be written out is tested there alone.
//! Deliberately elsewhere: when a plain enumeration is good enough (`order`), which conjuncts contradict each other (`diagnose`).
//! Must not know: the core language, the compiler. `sat` knows nothing of B, `circuit` only `sat`.

mod arithmetic;
mod circuit;
mod comparison;
mod connectives;
mod density;
mod domain;
mod encoder;
mod grounding;
mod images;
mod integers;
mod leader;
mod linear;
mod open;
mod operators;
mod sat;
mod sets;
mod terms;
mod truth;

#[cfg(test)]
mod tests;

use super::EvalError;
use super::plan::{PredPlan, Wanted};
use super::run::frame::{Flow, Frame};
use crate::plan::problem::{Problem, Unknown};
use bcheck_value::{Renaming, Set, Value};
use circuit::Circuit;
use density::is_dense;
use domain::inputs;
use grounding::Grounding;
use leader::exclude_images;
use open::{Ground, Open, Stop, Truth};
use sat::{IntegerVariable, Lit};
use std::cell::Cell;

/// The target of events, one for each problem.
const TARGET: &str = "bcheck::eval::solve";

/// Why a problem is not solved.
type PlainReason = &'static str;

/// How a visit of all solutions ended.
pub(super) enum Solved {
    /// The names have no finite bounds after all, not all conjuncts could be written out, or most valuations are solutions: nothing was
    /// visited.
    Unsupported,
    Visited(Flow),
}

/// The truth of its conjuncts that an instance asserts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Require {
    /// All true.
    Holds,
    /// None false, so that an ill-defined one can be found if there is no other solution.
    NotFalse,
}

/// A problem written out.
struct Instance {
    circuit: Circuit,
    inputs: Vec<Open>,
    require: Require,
    /// Whether some conjunct may be ill-defined.
    is_partial: bool,
    /// Whether all conjuncts were written out.
    is_whole: bool,
}

impl<'m> Frame<'m> {
    /// Visits each valuation of a problem's names that may satisfy its conjuncts, once; nothing if the problem is not one of those wanted.
    ///
    /// `conjuncts` is the conjunction as a plain search tests it; `accepted` is set by `visit` when a candidate satisfies them all. Of
    /// valuations that are images of each other under `renamings`, at least one is visited.
    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        conjuncts: &PredPlan,
        (wanted, renamings): (Wanted, &[&Renaming]),
        accepted: &Cell<bool>,
        visit: &mut dyn FnMut(&mut Self) -> Result<Flow, EvalError>,
    ) -> Result<Solved, EvalError> {
        // Set aside, so that an earlier note, perhaps of an enclosing guard, is not attributed to this problem.
        let before = self.doubts.guard_error.take();
        let solved = self.solve_noting(problem, conjuncts, (wanted, renamings), accepted, visit);
        // The first one counts; see `disable`.
        self.doubts.guard_error = before.or(self.doubts.guard_error.take());
        solved
    }

    /// As [`Self::solve`], where no ill-defined guard has been noted before.
    fn solve_noting(
        &mut self,
        problem: &Problem,
        conjuncts: &PredPlan,
        (wanted, renamings): (Wanted, &[&Renaming]),
        accepted: &Cell<bool>,
        visit: &mut dyn FnMut(&mut Self) -> Result<Flow, EvalError>,
    ) -> Result<Solved, EvalError> {
        let instance = match self.wanted_instance(problem, conjuncts, (wanted, renamings))? {
            Ok(instance) => instance,
            Err(reason) => {
                tracing::debug!(target: TARGET, names = self.names(problem), reason, "searched instead of solved");
                return Ok(Solved::Unsupported);
            }
        };
        let is_partial = instance.is_partial;
        let flow = self.models(problem, instance, visit)?;
        // One candidate that is really ill-defined is enough, here and below.
        if flow == Flow::Stop || accepted.get() || !is_partial || self.doubts.guard_error.is_some() {
            return Ok(Solved::Visited(flow));
        }
        // If no candidate was accepted, the reason may be that a conjunct is ill-defined. This weaker query comes last because most
        // problems have a solution.
        let Ok(instance) = self.instance(problem, (Require::NotFalse, renamings), None)? else { return Ok(Solved::Visited(flow)) };
        // Some candidates are false after all. One that is ill-defined is enough, as only the first is reported. The caller learns what
        // `visit` returned: that these models were enough ends no choice around the problem.
        let mut flow = Flow::Continue;
        self.models(problem, instance, &mut |frame| {
            flow = visit(frame)?;
            Ok(if frame.doubts.guard_error.is_some() { Flow::Stop } else { flow })
        })?;
        Ok(Solved::Visited(flow))
    }

    /// The encoded problem, if it is wanted, or the reason for a plain search.
    fn wanted_instance(
        &mut self,
        problem: &Problem,
        conjuncts: &PredPlan,
        (wanted, renamings): (Wanted, &[&Renaming]),
    ) -> Result<Result<Instance, PlainReason>, EvalError> {
        if wanted.whole && !problem.is_whole {
            return Ok(Err("a conjunct cannot be expressed"));
        }
        // Where the plain search is affordable, it is also quicker if solutions are dense.
        let conjuncts = wanted.whole.then_some(conjuncts);
        let instance = self.instance(problem, (Require::Holds, renamings), conjuncts)?;
        Ok(match instance {
            Ok(instance) if wanted.whole && !instance.is_whole => Err("a conjunct cannot be written out"),
            Ok(instance) if wanted.defined && instance.is_partial => Err("a conjunct may be ill-defined"),
            instance => instance,
        })
    }

    /// The problem written out, unless that is not possible, or plain tests of `conjuncts` will do as well.
    fn instance(
        &mut self,
        problem: &Problem,
        required: (Require, &[&Renaming]),
        conjuncts: Option<&PredPlan>,
    ) -> Result<Result<Instance, PlainReason>, EvalError> {
        let has_numbers = problem.unknowns.iter().any(|unknown| unknown.unlisted_from.is_some());
        if has_numbers && let Ok(instance) = self.instance_with(problem, required, conjuncts, false)? {
            return Ok(Ok(instance));
        }
        // Where a conjunct needs the values of a number, or the names can be tried, lists are as good.
        self.instance_with(problem, required, conjuncts, true)
    }

    /// As [`Self::instance`], with numbers by their bounds, or enumerated where that is possible.
    fn instance_with(
        &mut self,
        problem: &Problem,
        (require, renamings): (Require, &[&Renaming]),
        conjuncts: Option<&PredPlan>,
        is_listing: bool,
    ) -> Result<Result<Instance, PlainReason>, EvalError> {
        let definitions = problem.definitions.iter().map(|(slot, term)| (*slot, term)).collect();
        let mut grounding = Grounding::new(self, definitions);
        match inputs(&mut grounding, problem, is_listing) {
            Ok(()) => {}
            Err(Stop::Unsupported) => return Ok(Err("a name has no finite domain, or too large a one")),
            Err(Stop::Error(error)) => return Err(error),
        }
        let is_listed = |open: &Ground| !matches!(open.value, Open::Integer(_) | Open::Function(_));
        let are_listed = grounding.open.values().all(is_listed);
        // The samples have values for the solved names only, so conjuncts about names with a definition could not be tested.
        if problem.definitions.is_empty()
            && let Some(conjuncts) = conjuncts
            && is_dense(grounding.encoder.frame, &grounding.encoder.circuit.solver, &grounding.open, (problem, conjuncts))
        {
            return Ok(Err("many valuations are solutions"));
        }
        let (mut is_partial, mut is_whole) = (false, problem.is_whole);
        for (at, formula) in problem.formulas.iter().enumerate() {
            let truth = match grounding.conjunct(formula) {
                Ok(truth) => truth,
                Err(Stop::Unsupported) => {
                    // Left out; the caller's search tests it on every candidate. Its gates so far stay, and determine nothing.
                    is_whole &= problem.equations.contains(&at);
                    Truth::TRUE
                }
                Err(Stop::Error(error)) => return Err(error),
            };
            is_partial |= !truth.is_total();
            // At once, not at the end: literals known by propagation by then are folded away in the gates of later conjuncts.
            grounding.encoder.circuit.assert(if require == Require::Holds { truth.holds } else { !truth.fails });
        }
        // Without its conjuncts, a name has too many values.
        if !is_whole && !are_listed {
            return Ok(Err("a conjunct about integers with many values cannot be written out"));
        }
        exclude_images(&mut grounding.encoder.circuit, &grounding.open, problem, renamings);
        let open = |unknown: &Unknown| grounding.open[&unknown.slot].value.clone();
        let inputs = problem.unknowns.iter().map(open).collect();
        Ok(Ok(Instance { circuit: grounding.encoder.circuit, inputs, require, is_partial, is_whole }))
    }

    /// Visits the models.
    fn models(
        &mut self,
        problem: &Problem,
        mut instance: Instance,
        visit: &mut dyn FnMut(&mut Self) -> Result<Flow, EvalError>,
    ) -> Result<Flow, EvalError> {
        let (variables, clauses) = instance.circuit.solver.size();
        let (mut models, mut flow) = (0u64, Flow::Continue);
        while flow == Flow::Continue && instance.circuit.solver.next_model(&mut || self.tick_and_look(problem.span))? {
            models += 1;
            for (unknown, input) in problem.unknowns.iter().zip(&instance.inputs) {
                self.set(unknown.slot, instance.value(input));
            }
            // The model has been read: this undoes its last decision.
            instance.circuit.solver.block();
            flow = visit(self)?;
        }
        let (require, whole, all) = (instance.require, instance.is_whole, flow == Flow::Continue);
        tracing::debug!(target: TARGET, names = self.names(problem), variables, clauses, models, all, whole, ?require, "solved");
        Ok(flow)
    }

    /// The names to be solved, for events.
    fn names(&self, problem: &Problem) -> String {
        let names: Vec<&str> = problem.unknowns.iter().map(|unknown| self.context.slot_names[unknown.slot].as_str()).collect();
        names.join(", ")
    }
}

impl Instance {
    /// The value of a name in the model just found.
    fn value(&self, input: &Open) -> Value {
        let is_true = |literal: Lit| self.circuit.solver.value(literal) == Some(true);
        match input {
            Open::Known(value) => value.clone(),
            Open::Set(members) => {
                Value::Set(members.iter().filter(|(_, literal)| is_true(*literal)).map(|(value, _)| value.clone()).collect::<Set>())
            }
            Open::Choice(choices) => {
                let chosen = choices.iter().find(|(_, literal)| is_true(*literal));
                chosen.map(|(value, _)| value.clone()).expect("one of the values is chosen in a model")
            }
            Open::Integer(variable) => self.integer(*variable),
            Open::Function(arguments) => {
                let pairs = arguments.iter().map(|(argument, variable)| Value::pair(argument.clone(), self.integer(*variable)));
                Value::Set(pairs.collect::<Set>())
            }
        }
    }

    fn integer(&self, variable: IntegerVariable) -> Value {
        let (value, _) = self.circuit.solver.bounds(variable);
        Value::integer(value)
    }
}
