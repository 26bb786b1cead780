//! How the machines further up follow the refined machine, up to the MACHINE of the chain.
//!
//! Each executes its operation under the same call, from its state beside the refined machine's, to states that the invariants of both
//! relate. They determine in which states the refined machine can be called; whether they follow is the obligation of a link further up: if
//! one does not, nothing is known here about the rest. Invariant: a state of the refined machine that is followed is in the result with
//! each of its accompanying states. Deliberately elsewhere: whether the refined machine follows (`step`).

use super::Matching;
use super::configuration::Configuration;
use super::step::{Product, Trouble, fits};
use bcheck_eval::{EvalError, EvalErrorKind, Successors, TriedRange};
use bcheck_ir::OperationId;
use bcheck_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Results, and the machine's variables afterwards.
pub(super) type Effect = (Vec<Option<Value>>, Vec<Value>);

/// A state that the refined machine may go to.
pub(super) struct Follower {
    /// The index of its predecessor among the states of the configuration; 0 at the initialisation.
    pub(super) at: usize,
    /// The variables before; `None` at the initialisation.
    pub(super) before: Option<Vec<Value>>,
    /// The variables afterwards: of the refined machine or, once they are known, of all machines of the chain.
    pub(super) after: Vec<Value>,
    /// The results of the refined machine; `None` where it does nothing.
    pub(super) results: Option<Vec<Option<Value>>>,
}

/// The steps of an operation of a machine in one state, by arguments.
#[derive(Default)]
pub(super) struct AbstractSteps {
    pub(super) outcomes: FxHashMap<Vec<Value>, Vec<Effect>>,
    pub(super) ill_defined: FxHashMap<Vec<Value>, EvalError>,
    /// The range in which a parameter or a choice was tried, if there may be other steps.
    pub(super) cut: Option<TriedRange>,
    /// Likewise, where values of a choice were left out.
    pub(super) short: Option<EvalError>,
    /// Its operation, in a machine further up; `None` from the machine on that does nothing.
    operation: Option<OperationId>,
}

/// The matching steps of the machines further up.
pub(super) struct Ascents {
    pub(super) followed: Vec<Follower>,
    /// States of the refined machine that some machine does not follow, with the states of those further up before; and the first reason.
    pub(super) lost: Vec<Follower>,
    reason: Option<EvalError>,
    /// Why there may be other initial states of machines further up: values of a choice were left out.
    pub(super) short: Option<EvalError>,
}

impl Ascents {
    /// The states, if each of the refined machine is matched.
    ///
    /// # Errors
    /// Why one is not matched.
    pub(super) fn all_followed(self) -> Result<Vec<Follower>, EvalError> {
        self.reason.map_or(Ok(self.followed), Err)
    }
}

/// The values of the machines up to one of the chain, and its results.
type Climb = (Vec<Value>, Option<Vec<Option<Value>>>);

impl Product<'_> {
    /// The steps of an operation of the refined machine in each state of a configuration, each with those of the machines further up; of
    /// one call only, if one is given, with additional values for choices among too many.
    pub(super) fn abstract_steps(
        &self,
        configuration: &Configuration,
        operation: OperationId,
        call: Option<(&[Value], Vec<Value>)>,
    ) -> Result<Vec<Vec<AbstractSteps>>, Trouble> {
        let of = |values: &Vec<Value>| {
            let state = configuration.with(values);
            let mut steps = Vec::with_capacity(self.refinement.levels.len());
            let mut next = Some(operation);
            for machine in &self.refinement.levels {
                let Some(operation) = next else {
                    steps.push(AbstractSteps::default());
                    continue;
                };
                let found = match &call {
                    None => self.machine.successors(&state, operation),
                    Some((arguments, wanted)) => self.machine.successors_of_call(&state, operation, arguments, wanted),
                };
                let found = found.and_then(Successors::whole_but_left_out).map_err(Trouble::Stuck)?;
                // By arguments, because each step of the refinement looks up the outcomes of one call.
                let mut outcomes: FxHashMap<Vec<Value>, Vec<Effect>> = FxHashMap::default();
                for step in found.steps {
                    let after = step.next[machine.variables.clone()].to_vec();
                    outcomes.entry(step.arguments).or_default().push((step.results, after));
                }
                let ill_defined = found.ill_defined.into_iter().collect();
                steps.push(AbstractSteps { outcomes, ill_defined, cut: found.cut, short: found.partial, operation: Some(operation) });
                next = machine.refined(operation);
            }
            Ok(steps)
        };
        configuration.abstracts.iter().map(of).collect()
    }

    /// The states of all machines of the chain for each possible successor state of the refined machine, given a state of the refinement.
    pub(super) fn ascents(
        &self,
        concrete: &[Value],
        arguments: &[Value],
        steps: &[Vec<AbstractSteps>],
        candidates: Vec<Follower>,
    ) -> Result<Ascents, EvalError> {
        let levels = &self.refinement.levels;
        self.climb(candidates, |candidate| {
            // Where the refined machine does nothing, all are unchanged.
            let (Some(before), Some(results)) = (&candidate.before, &candidate.results) else {
                return Ok(Ok(vec![candidate.after.clone()]));
            };
            let start = self.refinement.abstracts.start;
            let mut reached: Vec<Climb> = vec![(candidate.after.clone(), Some(results.clone()))];
            for (level, machine) in levels.iter().enumerate().skip(1) {
                let steps = &steps[candidate.at][level];
                if let Some(error) = steps.ill_defined.get(arguments) {
                    return Ok(Err(self.not_followed_for(level, error)));
                }
                let mut next: Vec<Climb> = Vec::new();
                for (values, results) in &reached {
                    let effects = steps.outcomes.get(arguments).map_or(&[][..], Vec::as_slice);
                    match (steps.operation, results) {
                        (Some(_), Some(results)) => {
                            for (allowed, after) in effects.iter().filter(|(allowed, _)| fits(allowed, results)) {
                                next.push(([values.as_slice(), after].concat(), Some(allowed.clone())));
                            }
                        }
                        _ => {
                            let same = &before[machine.variables.start - start..machine.variables.end - start];
                            next.push(([values.as_slice(), same].concat(), None));
                        }
                    }
                }
                reached = match self.kept(concrete, level, next)? {
                    Ok(kept) if !kept.is_empty() => kept,
                    Ok(_) => return Ok(Err(self.not_followed(level, steps.operation))),
                    Err(error) => return Ok(Err(error)),
                };
            }
            Ok(Ok(reached.into_iter().map(|(values, _)| values).collect()))
        })
    }

    /// Likewise for the initial states of the refined machine.
    pub(super) fn initial_ascents(&self, concrete: &[Value], initial: Vec<Vec<Value>>) -> Result<Ascents, EvalError> {
        let candidates = initial.into_iter().map(|after| Follower { at: 0, before: None, after, results: None }).collect();
        let wanted = self.glue.wanted(concrete);
        let mut short = None;
        let ascents = self.climb(candidates, |candidate| {
            let mut reached: Vec<Climb> = vec![(candidate.after.clone(), None)];
            for (level, machine) in self.refinement.levels.iter().enumerate().skip(1) {
                let mut next = Vec::new();
                for (values, _) in &reached {
                    let known = [concrete, values].concat();
                    let outcomes = match self.outcomes(&known, machine.initialisation, machine.variables.clone(), &wanted) {
                        Err(error) if error.kind.is_ill_defined() => return Ok(Err(self.not_followed_for(level, &error))),
                        outcomes => outcomes?,
                    };
                    short = short.take().or(outcomes.short);
                    next.extend(outcomes.values.into_iter().map(|after| ([values.as_slice(), &after].concat(), None)));
                }
                reached = match self.kept(concrete, level, next)? {
                    Ok(kept) if !kept.is_empty() => kept,
                    Ok(_) => return Ok(Err(self.not_followed(level, Some(machine.initialisation)))),
                    Err(error) => return Ok(Err(error)),
                };
            }
            Ok(Ok(reached.into_iter().map(|(values, _)| values).collect()))
        })?;
        Ok(Ascents { short, ..ascents })
    }

    /// Runs `up` from each candidate.
    fn climb(
        &self,
        candidates: Vec<Follower>,
        mut up: impl FnMut(&Follower) -> Result<Result<Vec<Vec<Value>>, EvalError>, EvalError>,
    ) -> Result<Ascents, EvalError> {
        let mut ascents = Ascents { followed: Vec::new(), lost: Vec::new(), reason: None, short: None };
        if self.refinement.levels.len() == 1 {
            ascents.followed = candidates;
            return Ok(ascents);
        }
        let width = self.refinement.levels[0].variables.len();
        let mut lost: Vec<(Follower, EvalError)> = Vec::new();
        let mut covered: FxHashSet<Vec<Value>> = FxHashSet::default();
        for mut candidate in candidates {
            match up(&candidate)? {
                Ok(reached) => {
                    covered.insert(candidate.after[..width].to_vec());
                    let of = |after| Follower { at: candidate.at, before: candidate.before.clone(), after, results: None };
                    ascents.followed.extend(reached.into_iter().map(of));
                }
                Err(reason) => {
                    candidate.after.extend(candidate.before.iter().flat_map(|before| &before[width..]).cloned());
                    lost.push((candidate, reason));
                }
            }
        }
        // The link further up is correct if each state of the refined machine is matched from some state besides the one that it came
        // from.
        for (candidate, reason) in lost {
            if !covered.contains(&candidate.after[..width]) {
                ascents.lost.push(candidate);
                ascents.reason.get_or_insert(reason);
            }
        }
        Ok(ascents)
    }

    /// Those that the invariants relate to the machines below; an error where that is ill-defined.
    fn kept(&self, concrete: &[Value], level: usize, climbs: Vec<Climb>) -> Result<Result<Vec<Climb>, EvalError>, EvalError> {
        let related = self.refinement.levels[level].related.filter(|_| self.matching != Matching::Trace);
        let mut kept = Vec::with_capacity(climbs.len());
        let mut seen: FxHashSet<Climb> = FxHashSet::default();
        for climb in climbs {
            let holds = related.map_or(Ok(true), |related| {
                self.outcomes(&[concrete, &climb.0].concat(), related, 0..0, &[]).map(|found| !found.values.is_empty())
            });
            match holds {
                Ok(true) if seen.insert(climb.clone()) => kept.push(climb),
                Ok(_) => {}
                Err(error) if error.kind.is_ill_defined() => return Ok(Err(self.not_followed_for(level, &error))),
                Err(error) => return Err(error),
            }
        }
        Ok(Ok(kept))
    }

    fn not_followed(&self, level: usize, operation: Option<OperationId>) -> EvalError {
        let [above, below] = [level, level - 1].map(|level| &self.refinement.levels[level]);
        let model = self.machine.model();
        let span = operation
            .and_then(|id| model.operations.get_index(id.index()))
            .map_or(model.initialisation.span, |(_, operation)| operation.span);
        EvalError { kind: EvalErrorKind::NotFollowed(above.name.clone(), below.name.clone()), span }
    }

    fn not_followed_for(&self, level: usize, error: &EvalError) -> EvalError {
        let [above, below] = [level, level - 1].map(|level| self.refinement.levels[level].name.clone());
        EvalError { kind: EvalErrorKind::IllDefinedAbove(Box::new([above, below, error.kind.to_string()])), span: error.span }
    }
}
