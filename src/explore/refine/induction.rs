//! The proof obligations of a refinement on all pairs of states that satisfy the invariants, reachable or not.
//!
//! A pair is a configuration with one state of the refined machine and of each machine further up. It satisfies the invariant of the
//! refinement with its gluing conjuncts, and those of the other machines. From each pair, each step of the refinement must be
//! matched by a step of the refined machine with the same arguments and results to a state that is related by the gluing conjuncts; whether
//! the refined machine preserves its own invariant is an obligation of that machine. Invariant: each pair counts once for a cell, however
//! many of its steps show it. Deliberately elsewhere: which pairs there are (`explore::induct`), the steps of both sides (`step`).

use super::ascent::{AbstractSteps, Ascents, Follower};
use super::configuration::Configuration;
use super::step::{Outcomes, Product, Trouble, candidates};
use super::{Demands, Matching, Mismatch, Obligation, Reason, Tried};
use crate::induct::examiner::{ExaminedSteps, examine_all};
use crate::induct::found::AfterStep;
use crate::observer::Observer;
use crate::{
    Example, Fault, FaultKind, FaultyPart, Induction, InductionCheck, Obligations, PreservationRow, TraceStep, Unmatched, within_invariant,
};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Question, Step};
use bcheck_ir::{Model, Precondition, Refinement, Refining, Scope};
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use std::ops::ControlFlow;

/// The machine of a model of both sides, and the question that enumerates the pairs of states within the invariants.
#[must_use]
pub fn within_invariants(mut model: Model, refinement: &Refinement, scope: Scope) -> (Machine, Question) {
    // Behind the conjuncts that steps must preserve.
    model.invariant.extend(refinement.assumed.iter().cloned());
    within_invariant(model, scope)
}

/// Checks the refinement from all pairs of states within the invariants. Machine and question are those of [`within_invariants`].
///
/// # Errors
/// When constants or pairs cannot be enumerated; an interrupt is not an error.
pub fn induction(check: InductionCheck<'_>, refinement: &Refinement, observer: &mut dyn Observer) -> Result<Induction, EvalError> {
    // One state of the refined machine is in each pair; the kind of matching decides about several.
    let product =
        Product::new(check.machine, refinement, Demands { matching: Matching::SimulationAll, refusals: false, divergence: false });
    examine_all(check, &Pairs { product, obligations: check.obligations }, observer)
}

/// The steps of both sides from pairs.
struct Pairs<'a> {
    product: Product<'a>,
    obligations: &'a Obligations,
}

/// The results of one step, or of all steps of an operation from one pair: for each cell the first example.
struct PairFindings {
    violated: Vec<Option<Example>>,
    without_step: Option<Example>,
    without_pair: Option<Example>,
    /// Conjuncts that are undecided in the target of a step.
    undecided: Vec<(usize, EvalError)>,
}

impl ExaminedSteps for Pairs<'_> {
    fn nothing(&self) -> Induction {
        let own = self.product.refinement.operations.iter().map(|refining| refining.operation);
        let examined = own.filter(|operation| self.obligations.examines(*operation)).collect();
        Induction::begin(self.product.machine.model(), examined, self.conjuncts(), self.obligations)
    }

    /// The initial states of the refinement.
    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        let refinement = self.product.refinement;
        let found = self.product.outcomes(constants, refinement.concrete_initialisation, refinement.concrete.clone(), &[])?;
        for values in found.values {
            if visit([constants, &values].concat()).is_break() {
                break;
            }
        }
        found.short.map_or(Ok(()), Err)
    }

    fn examine_initial(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError> {
        let refinement = self.product.refinement;
        let row = &mut found.initialisation;
        let refined = &refinement.levels[0];
        let wanted = self.product.glue.wanted(state);
        let outcomes = self.product.outcomes(state, refined.initialisation, refined.variables.clone(), &wanted);
        let Some(Outcomes { values: abstracts, cut, short }) = known(outcomes, row)? else { return Ok(()) };
        let mismatch = Mismatch {
            obligation: Obligation::Initialisation,
            operation: None,
            arguments: Vec::new(),
            results: Vec::new(),
            next: Some(state.into()),
            tried: if abstracts.is_empty() { vec![Tried { before: None, reason: Reason::NoInitialState }] } else { Vec::new() },
        };
        let ascents = self.product.initial_ascents(state, abstracts)?;
        let short = short.or(ascents.short.clone());
        let candidates = whatever_follows(ascents);
        let mut shown = self.nothing_shown();
        let example = |mismatch| Example::new(self.product.machine, &[], Some(TraceStep::beginning(state.into()))).unmatched(mismatch);
        self.show(state, candidates, &mismatch, &example, &mut shown)?;
        let beyond = cut.map(|range| range.undecided(&format!("whether `{}` has a related initial state", refinement.refined))).or(short);
        match beyond.filter(|_| shown.is_unmatched()) {
            Some(error) => row.note_incomplete(&error),
            None => shown.enter(row, orbit),
        }
        Ok(())
    }

    fn examine(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError> {
        let (concrete, abstracts) = state.split_at(self.product.refinement.concrete.end);
        let pair = Configuration::new(concrete.into(), vec![abstracts.into()]);
        let mut effects = std::mem::take(&mut found.operations);
        for (operation, row) in &mut effects {
            let refining = self.product.refinement.operations.iter().find(|refining| refining.operation == *operation);
            if let Some(refining) = refining {
                self.examine_operation(&pair, state, refining, (orbit, row))?;
            }
        }
        found.operations = effects;
        Ok(())
    }
}

impl Pairs<'_> {
    /// The number of conjuncts that steps must preserve: those of the refinement, which come before the assumptions.
    fn conjuncts(&self) -> usize {
        self.product.machine.model().invariant.len() - self.product.refinement.assumed.len()
    }

    fn nothing_shown(&self) -> PairFindings {
        PairFindings { violated: vec![None; self.conjuncts()], without_step: None, without_pair: None, undecided: Vec::new() }
    }

    /// Looks at the steps of an operation from a pair.
    fn examine_operation(
        &self,
        pair: &Configuration,
        state: &[Value],
        refining: &Refining,
        (orbit, row): (&BigUint, &mut PreservationRow),
    ) -> Result<(), EvalError> {
        let Product { machine, refinement, .. } = self.product;
        // The precondition comes first: where it is too strong steps are missing, which the simulation would not notice.
        let refused = known(self.product.refused_call(pair, refining), row)?.unwrap_or_default();
        refused.short.iter().for_each(|error| row.note_incomplete(error));
        if let Some(mismatch) = refused.mismatch {
            row.unmatched.calls.add(orbit, || Example::new(machine, state, None).unmatched(mismatch));
        }
        let is_contract = refining.refined.is_some() && refinement.precondition == Precondition::Contract;
        let Some(found) = known(self.product.common(pair, refining.operation, is_contract), row)? else { return Ok(()) };
        found.partial.iter().for_each(|error| row.note_incomplete(error));
        let mut errors: Vec<EvalError> = found.ill_defined.into_iter().map(|(_, error)| error).chain(found.ill_defined_guard).collect();
        row.steps += found.steps.len() as u64;
        let followers = match refining.refined {
            Some(refined) if !found.steps.is_empty() => match self.product.abstract_steps(pair, refined, None) {
                Ok(followers) => followers,
                Err(Trouble::Stuck(error)) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Err(Trouble::Stuck(error)) => {
                    row.note_incomplete(&error);
                    return Ok(());
                }
                Err(Trouble::Fault(_)) => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut shown = self.nothing_shown();
        for step in found.steps {
            self.show_step(pair, state, refining, (&followers, step), (&mut shown, &mut errors))?;
        }
        shown.enter(row, orbit);
        errors.first().into_iter().for_each(|error| row.note_incomplete(error));
        if errors.iter().any(|error| error.kind.is_ill_defined()) {
            row.ill_defined.add(orbit, || Example::new(machine, state, None));
        }
        Ok(())
    }

    /// Adds what a step shows.
    fn show_step(
        &self,
        pair: &Configuration,
        state: &[Value],
        refining: &Refining,
        (followers, step): (&[Vec<AbstractSteps>], Step),
        (shown, errors): (&mut PairFindings, &mut Vec<EvalError>),
    ) -> Result<(), EvalError> {
        let (mut tried, mut fault) = (Vec::new(), None);
        let of_call = match self.product.of_call(pair, refining, followers, &step) {
            Ok(of_call) => of_call,
            Err(Trouble::Stuck(error)) => return Err(error),
            Err(Trouble::Fault(_)) => None,
        };
        let followers = of_call.as_deref().unwrap_or(followers);
        let candidates = candidates(pair, refining, followers, &step, &mut tried, &mut fault);
        if let Some(Fault { part: FaultyPart::Body(..), kind: FaultKind::IllDefined(error) }) = fault {
            // Not known to be matched: another outcome of the same call may be the one that fits.
            errors.push(error);
            return Ok(());
        }
        let candidates = whatever_follows(self.product.ascents(&step.next, &step.arguments, followers, candidates)?);
        let Step { arguments, results, next } = step;
        let after =
            TraceStep { operation: Some(refining.operation), arguments: arguments.clone(), results: results.clone(), state: next.clone() };
        let mismatch = Mismatch {
            obligation: if refining.refined.is_some() { Obligation::Operation } else { Obligation::Internal },
            operation: Some(refining.operation),
            arguments,
            results,
            next: Some(next.clone()),
            tried,
        };
        let example = |mismatch| Example::new(self.product.machine, state, Some(after.clone())).unmatched(mismatch);
        let short = || followers.iter().flatten().find_map(|steps| steps.short.clone());
        let Some(doubt) = self.product.doubt(followers).or_else(short) else {
            return self.show(&next, candidates, &mismatch, &example, shown);
        };
        let mut alone = self.nothing_shown();
        self.show(&next, candidates, &mismatch, &example, &mut alone)?;
        // The refined machine may follow with numbers that were not tried.
        if alone.is_unmatched() {
            errors.push(doubt);
        }
        shown.undecided.extend(alone.undecided);
        Ok(())
    }

    /// Adds the results for the possible successor states of the refined machine, given this state of the refinement.
    fn show(
        &self,
        concrete: &[Value],
        candidates: Vec<Follower>,
        mismatch: &Mismatch,
        example: &dyn Fn(Mismatch) -> Example,
        shown: &mut PairFindings,
    ) -> Result<(), EvalError> {
        if candidates.is_empty() {
            shown.without_step.get_or_insert_with(|| example(mismatch.clone()));
            return Ok(());
        }
        let mut false_ones = Vec::with_capacity(candidates.len());
        for Follower { after, .. } in &candidates {
            let AfterStep { violated, undecided } =
                self.obligations.after(self.product.machine, self.conjuncts(), &[concrete, after].concat())?;
            shown.undecided.extend(undecided);
            if violated.is_empty() {
                return Ok(());
            }
            false_ones.push(violated);
        }
        let unrelated = |conjunct_of: &dyn Fn(&[usize]) -> usize| {
            let tried = candidates.iter().zip(&false_ones).map(|(Follower { before, after, .. }, conjuncts)| Tried {
                before: before.clone(),
                reason: Reason::Unrelated(after.clone(), conjunct_of(conjuncts)),
            });
            example(Mismatch { tried: tried.collect(), ..mismatch.clone() })
        };
        shown.without_pair.get_or_insert_with(|| unrelated(&|conjuncts| conjuncts[0]));
        for (conjunct, cell) in shown.violated.iter_mut().enumerate() {
            if cell.is_none() && false_ones.iter().all(|conjuncts| conjuncts.contains(&conjunct)) {
                *cell = Some(unrelated(&|_| conjunct));
            }
        }
        Ok(())
    }
}

impl PairFindings {
    /// Whether no step of the refined machine matches.
    fn is_unmatched(&self) -> bool {
        self.without_step.is_some() || self.without_pair.is_some()
    }

    /// Counts the pair in each cell that it belongs to.
    fn enter(self, row: &mut PreservationRow, orbit: &BigUint) {
        let Unmatched { steps, pairs, .. } = &mut row.unmatched;
        let others = [(steps, self.without_step), (pairs, self.without_pair)];
        for (cell, example) in row.violated.iter_mut().zip(self.violated).chain(others) {
            example.into_iter().for_each(|example| cell.add(orbit, || example));
        }
        for (conjunct, error) in self.undecided {
            row.undecided[conjunct].get_or_insert(error);
        }
    }
}

/// The states of the refined machine, also those that a machine further up does not follow: that is the obligation of another link.
fn whatever_follows(ascents: Ascents) -> Vec<Follower> {
    let Ascents { mut followed, lost, .. } = ascents;
    followed.extend(lost);
    followed
}

/// The result of an evaluation; `None` without one, recording the reason.
///
///
/// An interrupt.
fn known<T>(result: Result<T, EvalError>, row: &mut PreservationRow) -> Result<Option<T>, EvalError> {
    match result {
        Err(error) if error.kind == EvalErrorKind::Interrupted => Err(error),
        Err(error) => {
            row.note_incomplete(&error);
            Ok(None)
        }
        Ok(found) => Ok(Some(found)),
    }
}
