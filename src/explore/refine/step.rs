//! The steps of both sides: those of the refinement, and how the refined machine follows them (those further up: `ascent`).
//!
//! Where preconditions are contracts, a step counts only if the refined operation may be called in all states that the refined
//! machine may be in: the operation's guard has that precondition, so it is run beside each of them, and the steps common to all count.
//! Invariant: equivariant and deterministic: renaming a configuration renames what is found, and the order of steps is that of the
//! evaluator. At most one fault is returned: that of the first operation that has any, and of several of one operation the one that comes
//! first by kind, which does not depend on the order of steps.

use super::ascent::{AbstractSteps, Effect, Follower};
use super::configuration::Configuration;
use super::glue::Glue;
use super::{Matching, Mismatch, Obligation, Reason, Tried};
use crate::{Fault, FaultyPart};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Step, Successors, TriedRange};
use bcheck_ir::{OperationId, Precondition, Refinement, Refining};
use bcheck_value::{Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Both sides.
pub(super) struct Product<'a> {
    pub(super) machine: &'a Machine,
    pub(super) refinement: &'a Refinement,
    pub(super) matching: Matching,
    /// Whether refusals are checked.
    pub(super) refusals: bool,
    /// The consequences of the gluing invariant for the refined machines' states.
    pub(super) glue: Glue,
}

/// A step of the refinement that the refined machine follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProductStep {
    pub(super) operation: OperationId,
    pub(super) arguments: Vec<Value>,
    pub(super) results: Vec<Option<Value>>,
    pub(super) next: Configuration,
}

/// The result of expanding a configuration.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) steps: Vec<ProductStep>,
    pub(super) fault: Option<Fault>,
    pub(super) guards: Vec<(OperationId, EvalError)>,
    pub(super) unassigned: Vec<(OperationId, EvalError)>,
    /// The first range in which a parameter or a choice of the refinement was tried.
    pub(super) cut: Option<TriedRange>,
    /// Why there may be other steps or faults: values of a choice were left out.
    pub(super) skipped: Option<EvalError>,
}

/// The result of initialising both sides.
#[derive(Debug, Default)]
pub(super) struct Initial {
    pub(super) configurations: Vec<Configuration>,
    pub(super) fault: Option<Fault>,
    /// Why there may be others: values of a choice were left out.
    pub(super) skipped: Option<EvalError>,
}

/// The outcomes of running an operation as an initialisation.
#[derive(Default)]
pub(super) struct Outcomes {
    pub(super) values: Vec<Vec<Value>>,
    /// The range in which a choice was tried, if there may be other outcomes.
    pub(super) cut: Option<TriedRange>,
    /// Likewise, where values of a choice were left out.
    pub(super) short: Option<EvalError>,
}

/// A call that the refinement refuses, if there is one.
#[derive(Default)]
pub(super) struct RefusedCall {
    pub(super) mismatch: Option<Mismatch>,
    /// Why there may be one that was not tried.
    pub(super) short: Option<EvalError>,
}

/// Why a configuration cannot be built: a fault, or a limit of the evaluator.
pub(super) enum Trouble {
    Fault(Fault),
    Stuck(EvalError),
}

impl Product<'_> {
    /// The initial configurations under some values of the constants, up to the first fault.
    pub(super) fn initial(&self, constants: &[Value]) -> Result<Initial, EvalError> {
        let mut initial = Initial::default();
        // Only ill-definedness is a fault of a machine; any other error is a limit of the evaluator.
        let ill_defined = |error: EvalError| match error.kind.is_ill_defined() {
            true => Ok(Some(Fault::ill_defined(FaultyPart::Initialisation, error))),
            false => Err(error),
        };
        let refinement = self.refinement;
        let concretes = match self.outcomes(constants, refinement.concrete_initialisation, refinement.concrete.clone(), &[]) {
            Ok(concretes) => concretes,
            Err(error) => {
                initial.fault = ill_defined(error)?;
                return Ok(initial);
            }
        };
        initial.skipped = concretes.short;
        // Whichever initial state the refinement chooses, some initial state of the refined machine must be related to it.
        for values in concretes.values {
            let concrete: Valuation = constants.iter().cloned().chain(values).collect();
            let refined = &refinement.levels[0];
            let wanted = self.glue.wanted(&concrete);
            let abstracts = self.outcomes(&concrete, refined.initialisation, refined.variables.clone(), &wanted);
            let Outcomes { values: abstracts, cut, mut short } = match abstracts {
                Ok(abstracts) => abstracts,
                Err(error) => {
                    initial.fault = ill_defined(error)?;
                    return Ok(initial);
                }
            };
            let mut tried = Vec::new();
            if abstracts.is_empty() {
                tried.push(Tried { before: None, reason: Reason::NoInitialState });
            }
            let ascents = self.initial_ascents(&concrete, abstracts)?;
            short = short.or(ascents.short.clone());
            let candidates = match (ascents.all_followed(), &short) {
                (Ok(candidates), _) => candidates,
                (Err(_), Some(short)) => {
                    initial.skipped.get_or_insert_with(|| short.clone());
                    continue;
                }
                (Err(error), None) => return Err(error),
            };
            match self.related(&concrete, candidates, &mut tried) {
                Ok(related) if related.is_empty() => {
                    if let Some(range) = cut {
                        return Err(range.undecided(&format!("whether `{}` has a related initial state", refinement.refined)));
                    }
                    if let Some(short) = short {
                        initial.skipped.get_or_insert(short);
                        continue;
                    }
                    let mismatch = Mismatch {
                        obligation: Obligation::Initialisation,
                        operation: None,
                        arguments: Vec::new(),
                        results: Vec::new(),
                        next: Some(concrete),
                        tried,
                    };
                    initial.fault = Some(Fault::mismatch(mismatch));
                    return Ok(initial);
                }
                Ok(related) => {
                    let is_short = short.is_some() || cut.is_some();
                    if let Some(short) = short.filter(|_| self.lacks_pairs()) {
                        initial.skipped.get_or_insert(short);
                    }
                    initial.configurations.extend(self.configurations(&concrete, related, is_short));
                }
                Err(Trouble::Fault(fault)) => {
                    initial.fault = Some(fault);
                    return Ok(initial);
                }
                Err(Trouble::Stuck(error)) => return Err(error),
            }
        }
        Ok(initial)
    }

    /// Whether states of the refined machine that were left out are pairs of their own.
    fn lacks_pairs(&self) -> bool {
        self.matching == Matching::SimulationAll && !self.glue.determines_all
    }

    /// Whether an operation of the refinement refines skip.
    pub(super) fn is_internal(&self, operation: OperationId) -> bool {
        self.refinement.operations.iter().any(|own| own.operation == operation && own.refined.is_none())
    }

    /// The values of a part of the slots after an operation executed as an initialisation; choices among too many values also take the
    /// `wanted` ones.
    pub(super) fn outcomes(
        &self,
        known: &[Value],
        operation: OperationId,
        part: std::ops::Range<usize>,
        wanted: &[Value],
    ) -> Result<Outcomes, EvalError> {
        let mut found = Outcomes::default();
        let done = self.machine.for_each_outcome(known, operation, part, wanted, &mut |values| {
            found.values.push(values);
            ControlFlow::Continue(())
        });
        match done {
            Ok(cut) => found.cut = cut,
            Err(error) if error.kind.is_left_out() => found.short = Some(error),
            Err(error) => return Err(error),
        }
        Ok(found)
    }

    /// All steps of a configuration, up to the first operation with a fault.
    pub(super) fn expand(&self, configuration: &Configuration) -> Result<Expansion, EvalError> {
        let mut expansion = Expansion::default();
        for refining in &self.refinement.operations {
            self.add_steps(configuration, refining, &mut expansion)?;
            if expansion.fault.is_some() {
                break;
            }
        }
        // Refusals are derived from the complete list of steps, which there is only without a fault.
        if self.refusals && expansion.fault.is_none() {
            let refusal = self.refusal(configuration, &mut expansion)?;
            // A call that is missing may be one with other numbers.
            if let (Some(_), Some(tried)) = (&refusal, &expansion.cut) {
                return Err(tried.undecided("whether the refinement refuses a call"));
            }
            if let Some(operation) = refusal.as_ref().and_then(|refusal| refusal.operation).filter(|_| configuration.is_short) {
                expansion.skipped.get_or_insert_with(|| self.may_follow(operation));
            }
            expansion.fault = refusal.filter(|_| expansion.skipped.is_none()).map(Fault::mismatch);
        }
        Ok(expansion)
    }

    /// Adds the steps of an operation, up to its fault if it has one.
    pub(super) fn add_steps(&self, configuration: &Configuration, refining: &Refining, expansion: &mut Expansion) -> Result<(), EvalError> {
        match self.expand_operation(configuration, refining, expansion) {
            Ok(()) => Ok(()),
            // The refined machine may be in a state where it is not a fault.
            Err(Trouble::Fault(_)) if configuration.is_short => {
                expansion.skipped.get_or_insert_with(|| self.may_follow(refining.operation));
                Ok(())
            }
            Err(Trouble::Fault(fault)) => {
                expansion.fault = Some(fault);
                Ok(())
            }
            Err(Trouble::Stuck(error)) => Err(error),
        }
    }

    /// The reason why nothing is known of a step where the refined machine may be in states that were not tried.
    fn may_follow(&self, operation: OperationId) -> EvalError {
        let (refined, name) = (&self.refinement.refined, self.machine.model().operation_name(operation));
        let what = format!("whether `{refined}` can do what `{name}` does: not all values of its choices were tried");
        let model = self.machine.model();
        let span = model.operations.get_index(operation.index()).map_or(model.initialisation.span, |(_, found)| found.span);
        EvalError { kind: EvalErrorKind::Undecided(what), span }
    }

    /// Adds the steps of an operation that the refined machine follows; an error where it has a fault.
    fn expand_operation(&self, configuration: &Configuration, refining: &Refining, expansion: &mut Expansion) -> Result<(), Trouble> {
        let id = refining.operation;
        // The precondition comes first: where it is too strong steps are missing, which the simulation would not notice.
        let refused = self.refused_call(configuration, refining).map_err(Trouble::Stuck)?;
        if let Some(mismatch) = refused.mismatch {
            return Err(Trouble::Fault(Fault::mismatch(mismatch)));
        }
        let is_contract = refining.refined.is_some() && self.refinement.precondition == Precondition::Contract;
        let found = self.common(configuration, id, is_contract).map_err(Trouble::Stuck)?;
        expansion.skipped = expansion.skipped.take().or(refused.short).or(found.partial);
        expansion.cut = expansion.cut.take().or(found.cut);
        expansion.guards.extend(found.ill_defined_guard.map(|error| (id, error)));
        expansion.unassigned.extend(found.unassigned.map(|error| (id, error)));
        if let Some((arguments, error)) = found.ill_defined.into_iter().next() {
            return Err(Trouble::Fault(Fault::ill_defined(FaultyPart::Body(id, arguments), error)));
        }
        // Once for each state of the refined machine, not for each step.
        let followers = match refining.refined {
            Some(refined) if !found.steps.is_empty() => self.abstract_steps(configuration, refined, None)?,
            _ => Vec::new(),
        };
        // Outcomes that differ only in results which this step may have anyway yield the same configuration.
        let mut distinct: FxHashSet<(Vec<Value>, Vec<Option<Value>>, Valuation)> = FxHashSet::default();
        // All steps are examined, also after a fault: the one reported must not depend on their order, which renaming changes.
        let (mut fault, mut doubt) = (None, None);
        for step in found.steps {
            let mut tried = Vec::new();
            let of_call = self.of_call(configuration, refining, &followers, &step)?;
            let followers = of_call.as_ref().unwrap_or(&followers);
            let short = followers.iter().flatten().find_map(|steps| steps.short.as_ref());
            let candidates = candidates(configuration, refining, followers, &step, &mut tried, &mut fault);
            let ascents = self.ascents(&step.next, &step.arguments, followers, candidates).map_err(Trouble::Stuck)?;
            let candidates = match (ascents.all_followed(), short) {
                (Ok(candidates), _) => candidates,
                (Err(_), Some(short)) => {
                    expansion.skipped.get_or_insert_with(|| short.clone());
                    continue;
                }
                (Err(error), None) => return Err(Trouble::Stuck(error)),
            };
            let related = match self.related(&step.next, candidates, &mut tried) {
                Ok(related) => related,
                Err(Trouble::Fault(other)) => {
                    keep_first(&mut fault, other);
                    continue;
                }
                Err(stuck) => return Err(stuck),
            };
            if related.is_empty() {
                // The refined machine may follow with numbers that were not tried.
                if let Some(error) = self.doubt(followers) {
                    doubt.get_or_insert(error);
                    continue;
                }
                if let Some(short) = short {
                    expansion.skipped.get_or_insert_with(|| short.clone());
                    continue;
                }
                let mismatch = Mismatch {
                    obligation: if refining.refined.is_some() { Obligation::Operation } else { Obligation::Internal },
                    operation: Some(id),
                    arguments: step.arguments,
                    results: step.results,
                    next: Some(step.next),
                    tried,
                };
                keep_first(&mut fault, Fault::mismatch(mismatch));
                continue;
            }
            if let Some(short) = short.filter(|_| self.lacks_pairs()) {
                expansion.skipped.get_or_insert_with(|| short.clone());
            }
            let is_short = configuration.is_short || short.is_some() || followers.iter().flatten().any(|steps| steps.cut.is_some());
            for next in self.configurations(&step.next, related, is_short) {
                if distinct.insert((step.arguments.clone(), step.results.clone(), self.key(&next))) {
                    let (arguments, results) = (step.arguments.clone(), step.results.clone());
                    expansion.steps.push(ProductStep { operation: id, arguments, results, next });
                }
            }
        }
        match fault {
            Some(fault) => Err(Trouble::Fault(fault)),
            None => doubt.map_or(Ok(()), |error| Err(Trouble::Stuck(error))),
        }
    }

    /// Why it is undecided whether the refined machine matches a step that none of these steps matches, if it is.
    pub(super) fn doubt(&self, followers: &[Vec<AbstractSteps>]) -> Option<EvalError> {
        let tried = followers.iter().flatten().find_map(|steps| steps.cut.as_ref())?;
        Some(tried.undecided(&format!("whether `{}` can do what the refinement does", self.refinement.refined)))
    }

    /// The steps of the refined machines for one call where not all of their calls were tried, with values of choices that the state of
    /// the refinement requires.
    pub(super) fn of_call(
        &self,
        configuration: &Configuration,
        refining: &Refining,
        followers: &[Vec<AbstractSteps>],
        step: &Step,
    ) -> Result<Option<Vec<Vec<AbstractSteps>>>, Trouble> {
        match refining.refined {
            Some(refined) if followers.iter().flatten().any(|steps| steps.short.is_some() || steps.cut.is_some()) => {
                let mut wanted = self.glue.wanted(&step.next);
                wanted.extend(step.results.iter().flatten().cloned());
                self.abstract_steps(configuration, refined, Some((step.arguments.as_slice(), wanted))).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The first call that is refused although the refined machine allows it in all of the states that it may be in.
    pub(super) fn refused_call(&self, configuration: &Configuration, refining: &Refining) -> Result<RefusedCall, EvalError> {
        let Some(refused) = refining.refused else { return Ok(RefusedCall::default()) };
        let Successors { steps: refused, partial, .. } = self.common(configuration, refused, true)?;
        let tried = configuration.abstracts.iter().map(|values| Tried { before: Some(values.clone()), reason: Reason::Allows });
        let mismatch = refused.into_iter().next().map(|step| Mismatch {
            obligation: Obligation::Precondition,
            operation: Some(refining.operation),
            arguments: step.arguments,
            results: Vec::new(),
            next: None,
            tried: tried.collect(),
        });
        Ok(RefusedCall { mismatch, short: partial })
    }

    /// The steps of an operation of the refinement that are common to all states of the refined machine or, where it reads none of them,
    /// the steps beside the first one. Successors are without the refined machine's variables.
    pub(super) fn common(&self, configuration: &Configuration, operation: OperationId, beside_all: bool) -> Result<Successors, EvalError> {
        // The guard of the operation has the precondition of the refined one, so it may read the refined machine's state. The intersection
        // over the states is what can be called whichever of them the refined machine is in.
        let mut common: Option<Successors> = None;
        let count = if beside_all { configuration.abstracts.len() } else { 1 };
        for values in configuration.abstracts.iter().take(count) {
            let mut here = self.machine.successors(&configuration.with(values), operation)?.whole_but_left_out()?;
            here.steps.iter_mut().for_each(|step| step.next.truncate(self.refinement.concrete.end));
            match &mut common {
                // The order of steps, and warnings, are those for the first state.
                None => common = Some(here),
                Some(common) => {
                    common.cut = common.cut.take().or(here.cut);
                    common.partial = common.partial.take().or(here.partial);
                    let steps: FxHashSet<_> = here.steps.into_iter().collect();
                    common.steps.retain(|step| steps.contains(step));
                    common.ill_defined.retain(|(arguments, _)| here.ill_defined.iter().any(|(other, _)| other == arguments));
                }
            }
        }
        Ok(common.unwrap_or_default())
    }

    /// The candidates that the gluing invariant relates to a state of the refinement; the others are added to `tried` with the reason.
    fn related(&self, concrete: &[Value], candidates: Vec<Follower>, tried: &mut Vec<Tried>) -> Result<Vec<Vec<Value>>, Trouble> {
        let mut related = Vec::new();
        let mut fault = None;
        for Follower { before, after, .. } in candidates {
            // Calls and results only: the gluing invariant relates nothing and everything.
            if self.matching == Matching::Trace {
                related.push(after);
                continue;
            }
            let state: Valuation = concrete.iter().chain(&after).cloned().collect();
            match self.machine.violated_invariant(&state) {
                Ok(None) => related.push(after),
                Ok(Some(conjunct)) => tried.push(Tried { before, reason: Reason::Unrelated(after, conjunct) }),
                Err((conjunct, error)) if error.kind.is_ill_defined() => {
                    keep_first(&mut fault, Fault::ill_defined(FaultyPart::Invariant(conjunct), error));
                }
                Err((_, error)) => return Err(Trouble::Stuck(error)),
            }
        }
        // An ill-defined candidate is a fault even where another one is related.
        fault.map_or(Ok(related), |fault| Err(Trouble::Fault(fault)))
    }

    /// One configuration with all of these states of the refined machine, or one with each; `is_short`: there may be more, unless the
    /// gluing invariant allows only one.
    fn configurations(&self, concrete: &[Value], related: Vec<Vec<Value>>, is_short: bool) -> Vec<Configuration> {
        let is_short = is_short && !self.glue.determines_all;
        match self.matching {
            Matching::Simulation | Matching::Trace => vec![Configuration { is_short, ..Configuration::new(concrete.to_vec(), related) }],
            Matching::SimulationAll => related.into_iter().map(|values| Configuration::new(concrete.to_vec(), vec![values])).collect(),
        }
    }
}

/// How the refined machine may follow a step, whatever the gluing invariant relates; `followers` are its steps in each of its states.
pub(super) fn candidates(
    configuration: &Configuration,
    refining: &Refining,
    followers: &[Vec<AbstractSteps>],
    step: &Step,
    tried: &mut Vec<Tried>,
    fault: &mut Option<Fault>,
) -> Vec<Follower> {
    let Some(refined) = refining.refined else {
        // It refines skip: the refined machine stays where it is.
        let same = configuration.abstracts.iter().enumerate();
        return same.map(|(at, values)| Follower { at, before: Some(values.clone()), after: values.clone(), results: None }).collect();
    };
    let mut candidates = Vec::new();
    // The subset construction: the union of what each state of the set can do with these arguments and results.
    for (at, (before, steps)) in configuration.abstracts.iter().zip(followers).enumerate() {
        let steps = &steps[0];
        if let Some(error) = steps.ill_defined.get(&step.arguments) {
            keep_first(fault, Fault::ill_defined(FaultyPart::Body(refined, step.arguments.clone()), error.clone()));
        }
        // Repetitions are harmless: `Configuration::new` builds a set of the remaining ones.
        follow((at, before), steps.outcomes.get(&step.arguments), &step.results, &mut candidates, tried);
    }
    candidates
}

/// Adds the states that one state of the refined machine can go to with these results; a result that it leaves open may be any.
fn follow(
    (at, before): (usize, &[Value]),
    outcomes: Option<&Vec<Effect>>,
    results: &[Option<Value>],
    candidates: &mut Vec<Follower>,
    tried: &mut Vec<Tried>,
) {
    let Some(outcomes) = outcomes else {
        return tried.push(Tried { before: Some(before.to_vec()), reason: Reason::Disabled });
    };
    let count = candidates.len();
    for (allowed, after) in outcomes.iter().filter(|(allowed, _)| fits(allowed, results)) {
        candidates.push(Follower { at, before: Some(before.to_vec()), after: after.clone(), results: Some(allowed.clone()) });
    }
    if candidates.len() == count {
        // In the order of values, so that reports do not depend on the order of steps.
        let mut others: Vec<Vec<Option<Value>>> = outcomes.iter().map(|(allowed, _)| allowed.clone()).collect();
        others.sort_unstable();
        others.dedup();
        tried.push(Tried { before: Some(before.to_vec()), reason: Reason::OtherResults(others) });
    }
}

/// Whether results are among those of a refined operation. One that it leaves unassigned is undefined there, so any value refines it.
pub(super) fn fits(allowed: &[Option<Value>], results: &[Option<Value>]) -> bool {
    allowed.iter().zip(results).all(|(allowed, found)| allowed.is_none() || allowed == found)
}

/// Keeps the fault that comes first by kind.
fn keep_first(kept: &mut Option<Fault>, fault: Fault) {
    if kept.as_ref().is_none_or(|kept| fault.rank() < kept.rank()) {
        *kept = Some(fault);
    }
}
