//! Which temporal formulas of a refined machine hold of its refinement, and why.
//!
//! A formula that holds of the refined machine is *kept* if a lemma below shows that it holds of the refinement. Let r be a maximal run
//! of the refinement. If the check found nothing, the refined machine has a run a of the same calls, each state of which is related by
//! the gluing invariant to the states of r before and after each of its steps; of the finitely many states in which it may be after each
//! prefix of r, some are on such a run (König). So r is a, with each state repeated before the internal steps (Back and von Wright, Trace
//! refinement of action systems, CONCUR 1994; Abadi and Lamport, The existence of refinement mappings, 1991).
//! Formulas are read accordingly: a variable that both machines have is that of the refinement, one of the refined machine alone is that
//! of the related state, `[op]` is a step that refines op. Runs are those of the refinement check: calls that the refined machine's
//! preconditions allow.
//!
//! * *Prefixes.* What is true of a at a position and needs no later position of it is true of r at the positions in its place, if it does
//!   not speak of the next step where that may be internal (Lamport, What good is temporal logic?, 1983: without X nothing depends on
//!   repetitions). So formulas of the safety fragment are kept (Sistla, Safety, liveness and fairness in temporal logic, 1994).
//! * *Runs.* Eventualities are kept if r comes to every position of a maximal a: no internal steps for ever, and no deadlock where a could
//!   go on (Hoang, Schneider, Treharne and Williams, Foundations for using linear temporal logic in Event-B
//!   refinement, 2016; Derrick and Smith, Temporal-logic property preservation under Z refinement, 2012).
//! * *Simulation.* Of branching time the universal fragment is kept, nested path quantifiers included, if each state of r is related to
//!   one state only, or the refined machine follows from each: then the relation is a simulation, else no more than inclusion of traces
//!   (Grumberg and Long, Model checking and modular verification, 1994). Formulas that say the same without inner path quantifiers
//!   need no more than the first two (Maidl, The common fragment of CTL and LTL, 2000).
//!
//! `positions` has the rules, one for each operator, and their proofs; `shape` is what is left of a formula for them, `reader` makes it,
//! `names` has what names mean in both machines. Not kept is no claim that it fails. Fairness is no part of any lemma: that a step of the
//! refinement is possible again and again does not follow from the refined machine's.
//! Invariant: `Kept` is answered only by a lemma, from facts of a search that was complete, of a formula that was found to hold.
//! Deliberately elsewhere: how facts are found (`facts`), how a formula is judged (`explore::temporal`).

mod names;
mod passing;
mod positions;
mod reader;
mod shape;
#[cfg(test)]
mod tests;

use super::{Demands, Matching, RefinementFacts};
use crate::{TemporalResult, TemporalVerdict};
use bcheck_eval::Machine;
use bcheck_ir::temporal::{Temporal, TemporalFormula};
use bcheck_ir::{Model, Refinement};
use bcheck_source::vocabulary;
use names::Names;
pub use passing::{PassesOn, Passing};
use positions::Situation;
use reader::ShapeReader;
use shape::{FormulaShape, asks_for_runs, has_runs, is_kept, is_linear};

/// The answer for a formula of the refined machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preservation {
    /// It holds of the refinement.
    Kept,
    /// It would hold with what is missing; as it is, nothing is known.
    NotKept,
    /// No lemma covers it.
    OwnCheck,
    /// It does not hold of the refined machine either.
    Fails,
}

vocabulary! { Preservation,
    Kept: "kept", "It holds of the refinement";
    NotKept: "not_kept", "It need not hold of the refinement";
    OwnCheck: "own_check", "It needs a check of its own";
    Fails: "fails_already", "It fails in the refined machine";
}

/// Why a formula is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lemma {
    /// It only depends on prefixes of runs.
    Prefixes,
    /// It is about whole runs.
    Runs,
    /// It depends on the branches of runs.
    Simulation,
}

vocabulary! { Lemma,
    Prefixes: "prefixes", "Abadi and Lamport 1991, Sistla 1994";
    Runs: "runs", "Hoang, Schneider, Treharne and Williams 2016";
    Simulation: "simulation", "Grumberg and Long 1994";
}

/// What is missing for a formula to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The refinement check did not pass, or did not come to its end.
    Simulation,
    /// It requires an eventuality, and internal steps may go on for ever.
    Divergence,
    /// It requires a step, or an eventuality, and the refinement has a deadlock that the refined machine does not have.
    Deadlock,
    /// It requires calls to be possible, and the refinement may refuse some.
    Refusals,
    /// It speaks of branches or of what is possible, and the refined machine may be in several states.
    Choices,
    /// It speaks of the next step or the last one, which may be an internal one.
    InternalSteps,
}

vocabulary! { Gap,
    Simulation: "simulation", "";
    Divergence: "divergence", "";
    Deadlock: "deadlock", "";
    Refusals: "refusals", "";
    Choices: "choices", "";
    InternalSteps: "internal_steps", "";
}

/// Why no lemma covers a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It could not be decided for the refined machine, for this reason.
    Unjudged(String),
    /// It assumes fairness.
    Fairness,
    /// It states that a run exists.
    Existence,
    /// `sink`, or `current`: whether a step changes the state differs between the machines.
    Sink,
    /// It speaks of variables, and the refinement was checked without the gluing invariant.
    Calls,
    /// It states that this operation is possible, which the refinement does not have.
    NotRefined(String),
    /// The refinement has another operation of this name: one that is internal, or that refines another one.
    OtherOperation(String),
    /// This variable or operation of both machines belongs to a machine that is seen.
    Seen(String),
    /// The refinement defines the elements of this set.
    Valued(String),
    /// By itself this operation has a stronger guard than in the refinement check, where preconditions from further up are left out.
    Guard(String),
    /// Integers that nothing bounds were tried in a range only.
    Tried,
    /// Only states in SCOPE were expanded.
    Scope,
}

/// The answer for a formula, with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preserved {
    /// Its number in the model of the refined machine.
    pub formula: usize,
    /// The answer.
    pub answer: Preservation,
    /// Why it is kept, if it is.
    pub lemma: Option<Lemma>,
    /// If it is not kept: a minimal set of gaps.
    pub gaps: Vec<Gap>,
    /// For a formula that needs a check of its own: why.
    pub obstacle: Option<Obstacle>,
    /// Variables that it names and that the refinement does not have: read through the gluing invariant.
    pub glued: Vec<String>,
    /// Operations that it names, and by which of the refinement they are refined, unless by one of the same name.
    pub renamed: Vec<(String, Vec<String>)>,
    /// For a kept formula, unless its operations have other names in the refinement: its requirements on further refinements.
    pub passing: Option<Passing>,
}

/// A refinement that was checked.
#[derive(Clone, Copy, Debug)]
pub struct CheckedRefinement<'a> {
    /// The model of both machines.
    pub model: &'a Model,
    /// Its parts.
    pub refinement: &'a Refinement,
    /// The obligations that were checked.
    pub demands: Demands,
    /// The facts established.
    pub facts: &'a RefinementFacts,
}

/// The answer for each temporal formula of the refined machine; `alone` is that machine by itself at the same sizes, `results` the
/// verdicts on its formulas.
#[must_use]
pub fn preserved(checked: CheckedRefinement<'_>, alone: &Machine, results: &[TemporalResult]) -> Vec<Preserved> {
    let names = Names::of(checked.model, checked.refinement, alone);
    let of_one = |(number, formula): (usize, &TemporalFormula)| {
        let verdict = results.iter().find(|result| result.formula == number).map(|result| &result.verdict);
        answer(checked, &names, number, &formula.body, verdict)
    };
    alone.model().temporal.iter().enumerate().map(of_one).collect()
}

fn answer(
    checked: CheckedRefinement<'_>,
    names: &Result<Names, Obstacle>,
    formula: usize,
    body: &Temporal,
    verdict: Option<&TemporalVerdict>,
) -> Preserved {
    let plain =
        |answer| Preserved { formula, answer, lemma: None, gaps: vec![], obstacle: None, glued: vec![], renamed: vec![], passing: None };
    let obstructed = |obstacle| Preserved { obstacle: Some(obstacle), ..plain(Preservation::OwnCheck) };
    match verdict {
        Some(TemporalVerdict::Holds) => {}
        Some(TemporalVerdict::Violated | TemporalVerdict::IllDefined(_)) => return plain(Preservation::Fails),
        Some(TemporalVerdict::Unknown(reason)) => return obstructed(Obstacle::Unjudged(reason.clone())),
        None => return obstructed(Obstacle::Unjudged("it was not judged".to_owned())),
    }
    let names = match names {
        Ok(names) => names,
        Err(obstacle) => return obstructed(obstacle.clone()),
    };
    let mut reader = ShapeReader::new(names, checked.demands.matching != Matching::Trace);
    // Read before anything is decided: the report also lists what is glued and renamed of a formula that is not kept.
    let shape = reader.formula(body);
    let read = Preserved { glued: reader.glued(), renamed: reader.renamed(), ..plain(Preservation::Kept) };
    let existence = asks_for_runs(&shape, true).then_some(Obstacle::Existence);
    if let Some(obstacle) = reader.obstacle().or(existence) {
        return Preserved { answer: Preservation::OwnCheck, obstacle: Some(obstacle), ..read };
    }
    let situation = situation(checked);
    // Without a run of the refined machine for each run of the refinement no lemma has a premise.
    if !checked.facts.is_simulated {
        return Preserved { answer: Preservation::NotKept, gaps: vec![Gap::Simulation], ..read };
    }
    if is_kept(&shape, situation) {
        let passing = read.renamed.is_empty().then(|| Passing::of(&shape, reader.operations()));
        return Preserved { lemma: Some(lemma(&shape, situation)), passing, ..read };
    }
    Preserved { answer: Preservation::NotKept, gaps: gaps(&shape, situation), ..read }
}

/// What a checked refinement passes on of formulas that hold of the refined machine for another reason; `None` if that is not known.
#[must_use]
pub fn passes_on(checked: CheckedRefinement<'_>, alone: &Machine) -> Option<PassesOn> {
    let is_followed = checked.facts.is_simulated && checked.demands.matching != Matching::Trace;
    let names = Names::of(checked.model, checked.refinement, alone).ok().filter(|_| is_followed)?;
    let is_same = |named: &&names::NamedOperation| !named.is_other && named.refining == [named.name.as_str()];
    let operations = names.operations.iter().filter(is_same).map(|named| named.name.clone()).collect();
    let Situation { internal, chooses, .. } = situation(checked);
    Some(PassesOn { internal, chooses, operations })
}

fn situation(checked: CheckedRefinement<'_>) -> Situation {
    let facts = checked.facts;
    Situation {
        internal: facts.has_internal,
        diverges: facts.divergence.is_some(),
        blocks: facts.has_new_deadlock,
        refuses: !checked.demands.refusals,
        chooses: facts.has_choices,
    }
}

/// A minimal set of gaps of a formula that is not kept.
fn gaps(shape: &FormulaShape, bad: Situation) -> Vec<Gap> {
    let found = [
        (bad.diverges, Gap::Divergence),
        (bad.blocks, Gap::Deadlock),
        (bad.refuses, Gap::Refusals),
        (bad.chooses, Gap::Choices),
        (bad.internal, Gap::InternalSteps),
    ];
    let candidates: Vec<Gap> = found.into_iter().filter(|(is_bad, _)| *is_bad).map(|(_, gap)| gap).collect();
    // All subsets of at most five, smallest first: a least set in number, not only one from which nothing can be left out. The sort is
    // stable, so of several the one with the earlier gaps is reported.
    let mut choices: Vec<Vec<Gap>> = (0..1_usize << candidates.len())
        .map(|bits| candidates.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, gap)| *gap).collect())
        .collect();
    choices.sort_by_key(Vec::len);
    let without = |gaps: &Vec<Gap>| gaps.iter().fold(bad, |situation, gap| situation.without(*gap));
    // With all of them gone each run of the refinement is one of the refined machine, step by step.
    choices.into_iter().find(|gaps| is_kept(shape, without(gaps))).unwrap_or(candidates)
}

fn lemma(shape: &FormulaShape, situation: Situation) -> Lemma {
    // Kept even if runs of the refinement may end or diverge anywhere: then prefixes are all that the proof uses.
    let worst = Situation { diverges: situation.internal, blocks: true, ..situation };
    if has_runs(shape) && !is_linear(shape, true) {
        Lemma::Simulation
    } else if is_kept(shape, worst) {
        Lemma::Prefixes
    } else {
        Lemma::Runs
    }
}
