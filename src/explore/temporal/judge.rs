//! Formulas judged on recorded graphs.
//!
//! Invariant: the results are in the order of the formulas of the model, whatever graphs they share. Deliberately elsewhere: the search of
//! states and the verdict of the run (`mod`).

use super::concrete::{concrete, confirm};
use super::every::assumed_of_every_call;
use super::explain::rows;
use super::instances::instances;
use super::propositions::{Propositions, TooManyPropositions};
use super::record::{Recording, record};
use super::symmetric::keeping;
use crate::eval::Machine;
use crate::explore::count::tally::Orbits;
use crate::explore::trace::{TraceFault, concretise};
use crate::explore::{LimitHit, Options, TemporalResult, TemporalVerdict, Trace};
use crate::ir::temporal::{Linear, LinearKind, TemporalBody, TemporalFormula};
use crate::symmetry::Symmetry;
use crate::temporal::branching::{BranchingJudge, Judgement};
use crate::temporal::emptiness::{Emptiness, Found, Question, counterexample, has_fair_path};
use crate::temporal::expand::automaton;
use crate::temporal::formula::{Branching, Fairness, Formula};
use crate::temporal::graph::Run;
use crate::temporal::word::Word;
use num_bigint::BigUint;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The results of all formulas of a model.
pub(super) struct Judged {
    pub(super) results: Vec<TemporalResult>,
    /// The limit at which formulas were left undecided.
    pub(super) limit: Option<LimitHit>,
    /// A counterexample that could not be confirmed: a fault of the checker.
    pub(super) fault: Option<String>,
}

/// A closed formula without quantifiers, one of those that stand for a formula of the model.
struct Closed {
    /// The number in the model.
    formula: usize,
    text: TemporalFormula,
    symmetry: Symmetry,
}

/// A formula over numbered propositions.
enum Asked {
    /// Of linear time, with the sets of assumptions of which a path must meet one.
    Linear(Formula, Vec<Vec<Fairness>>),
    /// Of branching time.
    Branching(Branching),
}

/// Judges the formulas of a model.
pub(super) fn judge(machine: &Machine, options: &Options) -> Judged {
    let count = machine.model().temporal.len();
    let mut judge = Judge { machine, options, results: vec![None; count], limit: None, fault: None };
    let mut closed = Vec::new();
    for (formula, text) in machine.model().temporal.iter().enumerate() {
        let read = assumed_of_every_call(machine, options, text)
            .and_then(|text| instances(machine, &text, &|text| keeping(machine, options, &[text])));
        match read {
            Ok(texts) => closed.extend(texts.into_iter().map(|text| {
                let symmetry = keeping(machine, options, &[&text]);
                Closed { formula, text, symmetry }
            })),
            Err(reason) => judge.add(formula, plain_result(formula, TemporalVerdict::Unknown(reason.to_string()))),
        }
    }
    for group in grouped(machine, options, closed) {
        judge.group(&group);
    }
    let results = (0..).zip(judge.results);
    let holds =
        |(formula, result): (usize, Option<TemporalResult>)| result.unwrap_or_else(|| plain_result(formula, TemporalVerdict::Holds));
    Judged { results: results.map(holds).collect(), limit: judge.limit, fault: judge.fault }
}

/// Formulas that leave the same symmetries, in the order of the first of each group.
///
/// The symmetries that keep two formulas are a subgroup of those that keep one of them; with as many elements, it is the same group.
fn grouped(machine: &Machine, options: &Options, closed: Vec<Closed>) -> Vec<Vec<Closed>> {
    let mut groups: Vec<Vec<Closed>> = Vec::new();
    for one in closed {
        let order = &one.symmetry.detail().order;
        let fits = |group: &&mut Vec<Closed>| {
            let other = &group[0];
            other.symmetry.detail().order == *order && keeping(machine, options, &[&other.text, &one.text]).detail().order == *order
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

struct Judge<'a> {
    machine: &'a Machine,
    options: &'a Options,
    results: Vec<Option<TemporalResult>>,
    limit: Option<LimitHit>,
    fault: Option<String>,
}

impl Judge<'_> {
    /// Judges formulas that leave the same symmetries.
    fn group(&mut self, group: &[Closed]) {
        let started = Instant::now();
        let (machine, options) = (self.machine, self.options);
        let symmetry = &group[0].symmetry;
        let mut propositions = Propositions::new(machine);
        let mut asked = Vec::with_capacity(group.len());
        for one in group {
            propositions.asks_enabled = false;
            match numbered(&mut propositions, &one.text.body) {
                Ok(formula) => asked.push((formula, propositions.asks_enabled)),
                // Fewer formulas have fewer propositions.
                Err(_) if group.len() > 1 => return self.one_by_one(group),
                Err(error) => return self.add(one.formula, plain_result(one.formula, TemporalVerdict::Unknown(error.to_string()))),
            }
        }
        let orbits = Orbits::new();
        let mut recording = record(machine, symmetry, &orbits, options, &propositions);
        if let Some((state, error)) = recording.without_value.clone() {
            // Each formula gets what its own propositions are worth.
            if group.len() > 1 {
                return self.one_by_one(group);
            }
            let result = self.without_value(&mut recording, group[0].formula, state, &error);
            return self.add(group[0].formula, result);
        }
        self.limit = self.limit.take().or(recording.limit.clone());
        let shared_s = started.elapsed().as_secs_f64() / group.len() as f64;
        for (one, (formula, asks_enabled)) in group.iter().zip(&asked) {
            let started = Instant::now();
            let mut answer = Answer { judge: self, recording: &mut recording, propositions: &propositions, uses_open: !asks_enabled };
            let result = match formula {
                Asked::Linear(formula, fairness) => answer.linear(one.formula, &one.text, formula, fairness),
                Asked::Branching(formula) => answer.branching(one.formula, formula),
            };
            let time_s = shared_s + started.elapsed().as_secs_f64();
            self.add(one.formula, TemporalResult { group_order: symmetry.detail().order.clone(), time_s, ..result });
        }
    }

    fn one_by_one(&mut self, group: &[Closed]) {
        group.chunks(1).for_each(|one| self.group(one));
    }

    /// A formula of which a proposition has no value in this state.
    fn without_value(
        &mut self,
        recording: &mut Recording<'_>,
        formula: usize,
        state: u32,
        error: &crate::eval::EvalError,
    ) -> TemporalResult {
        if !error.kind.is_ill_defined() {
            return plain_result(formula, TemporalVerdict::Unknown(format!("a proposition cannot be evaluated: {}", error.kind)));
        }
        let Recording { family, reduction, set_ups, .. } = recording;
        match concretise(self.machine, reduction, family, set_ups, state) {
            Ok((trace, _)) => TemporalResult { trace: Some(trace), ..plain_result(formula, TemporalVerdict::IllDefined(error.clone())) },
            Err(fault) => self.fault(formula, fault),
        }
    }

    /// The result where no run could be confirmed.
    fn fault(&mut self, formula: usize, fault: TraceFault) -> TemporalResult {
        if fault == TraceFault::Interrupted {
            self.limit.get_or_insert(LimitHit::Interrupted);
            return plain_result(formula, TemporalVerdict::Unknown("interrupted while the trace was rebuilt".to_owned()));
        }
        debug_assert!(false, "every counterexample is confirmed by a replay: {fault}");
        let text = format!("a counterexample of a temporal formula could not be confirmed without reduction: {fault}");
        self.fault.get_or_insert(text.clone());
        plain_result(formula, TemporalVerdict::Unknown(text))
    }

    /// Adds what one part of a formula is worth: the formula holds if all parts do, and the first that does not decides.
    fn add(&mut self, formula: usize, result: TemporalResult) {
        let gravity = |result: &TemporalResult| match result.verdict {
            TemporalVerdict::Holds => 0,
            TemporalVerdict::Unknown(_) => 1,
            TemporalVerdict::Violated | TemporalVerdict::IllDefined(_) => 2,
        };
        let slot = &mut self.results[formula];
        let time_s = slot.as_ref().map_or(0.0, |before| before.time_s) + result.time_s;
        if slot.as_ref().is_none_or(|before| gravity(before) < gravity(&result)) {
            *slot = Some(result);
        }
        if let Some(result) = slot {
            result.time_s = time_s;
        }
    }
}

/// A formula over the numbers of its propositions.
fn numbered(propositions: &mut Propositions<'_>, body: &TemporalBody) -> Result<Asked, TooManyPropositions> {
    match body {
        TemporalBody::Branching(formula) => Ok(Asked::Branching(propositions.branching(formula)?)),
        TemporalBody::Linear(Linear { kind: LinearKind::Fair(kinds, formula), .. }) => {
            let fairness = propositions.fairness(kinds)?;
            Ok(Asked::Linear(propositions.linear(formula)?, fairness))
        }
        TemporalBody::Linear(formula) => Ok(Asked::Linear(propositions.linear(formula)?, vec![Vec::new()])),
    }
}

/// One formula, on a recorded graph.
struct Answer<'j, 'a, 'r, 'g> {
    judge: &'j mut Judge<'a>,
    recording: &'r mut Recording<'g>,
    propositions: &'r Propositions<'r>,
    uses_open: bool,
}

impl Answer<'_, '_, '_, '_> {
    fn linear(&mut self, number: usize, stated: &TemporalFormula, formula: &Formula, choices: &[Vec<Fairness>]) -> TemporalResult {
        let machine = self.judge.machine;
        let automaton = match automaton(&Formula::Not(Box::new(formula.clone()))) {
            Ok(automaton) => automaton,
            Err(too_large) => return plain_result(number, TemporalVerdict::Unknown(too_large.to_string())),
        };
        let mut result = plain_result(number, TemporalVerdict::Holds);
        result.automaton = Some((automaton.transitions.len(), automaton.promises));
        let interrupted = || machine.interrupt().load(Ordering::Relaxed);
        for fairness in choices {
            let graph = &self.recording.graph;
            let question = Question { graph, automaton: &automaton, fairness, uses_open: self.uses_open, interrupted: &interrupted };
            let Emptiness { found, states, edges } = counterexample(&question);
            result.product = (result.product.0 + states, result.product.1 + edges);
            match found {
                Found::Nothing => {}
                Found::Interrupted => return self.interrupted(result),
                Found::TooLarge => return unknown(result, "the product with the automaton has 2^31 states or more"),
                Found::Accepted(run) => match self.confirmed(&run, Some((formula, fairness))) {
                    Ok((trace, word)) => {
                        let word = word.filter(|_| self.judge.options.explain);
                        let explanation = word.map(|word| rows(stated, formula, &word)).unwrap_or_default();
                        return TemporalResult { verdict: TemporalVerdict::Violated, trace: Some(trace), explanation, ..result };
                    }
                    Err(fault) => return self.judge.fault(number, fault),
                },
            }
        }
        if let Some(reason) = self.missing() {
            return unknown(result, &reason);
        }
        let is_unfair = |fairness: &Vec<Fairness>| {
            !fairness.is_empty() && has_fair_path(&self.recording.graph, fairness, self.uses_open, &interrupted) == Some(false)
        };
        if choices.iter().all(is_unfair) {
            result.vacuity = Some("no path is fair".to_owned());
        }
        result
    }

    fn branching(&mut self, number: usize, formula: &Branching) -> TemporalResult {
        let machine = self.judge.machine;
        let interrupted = || machine.interrupt().load(Ordering::Relaxed);
        let graph = &self.recording.graph;
        let mut result = plain_result(number, TemporalVerdict::Holds);
        result.product = (u64::from(graph.known()), self.recording.edges);
        match BranchingJudge::new(graph, self.propositions.about_enabled(), &interrupted).judge(formula) {
            Judgement::Holds => result,
            Judgement::Interrupted => self.interrupted(result),
            Judgement::Unknown => {
                let reason = self.missing().unwrap_or_else(|| "it depends on what follows states outside of SCOPE".to_owned());
                unknown(result, &reason)
            }
            Judgement::Violated(run) => match self.confirmed(&run, None) {
                Ok((trace, _)) => TemporalResult { verdict: TemporalVerdict::Violated, trace: Some(trace), ..result },
                Err(fault) => self.judge.fault(number, fault),
            },
        }
    }

    /// The concrete run of a counterexample; one of linear time is evaluated.
    fn confirmed(&mut self, run: &Run, of: Option<(&Formula, &[Fairness])>) -> Result<(Trace, Option<Word>), TraceFault> {
        let machine = self.judge.machine;
        // As for findings in states: a limit that was reached meanwhile must not keep the trace from being rebuilt.
        machine.interrupt().store(false, Ordering::Relaxed);
        let trace = concrete(machine, self.recording, self.propositions, run)?;
        let word = match of {
            Some((formula, fairness)) => confirm(machine, self.propositions, formula, fairness, &trace)?,
            None => None,
        };
        Ok((trace, word))
    }

    fn interrupted(&mut self, result: TemporalResult) -> TemporalResult {
        self.judge.limit.get_or_insert(LimitHit::Interrupted);
        unknown(result, "interrupted")
    }

    /// Why a run may be missing from the graph.
    fn missing(&self) -> Option<String> {
        let Recording { limit, left_out, .. } = &*self.recording;
        match (limit, left_out) {
            (Some(_), _) => Some("a limit ended the search, and nothing was found before".to_owned()),
            (None, Some(error)) => Some(format!("some steps could not be enumerated: {}", error.kind)),
            (None, None) => None,
        }
    }
}

fn unknown(result: TemporalResult, reason: &str) -> TemporalResult {
    TemporalResult { verdict: TemporalVerdict::Unknown(reason.to_owned()), ..result }
}

/// A result without figures.
pub(super) fn plain_result(formula: usize, verdict: TemporalVerdict) -> TemporalResult {
    TemporalResult {
        formula,
        verdict,
        automaton: None,
        product: (0, 0),
        group_order: BigUint::from(1_u8),
        time_s: 0.0,
        trace: None,
        vacuity: None,
        explanation: Vec::new(),
    }
}
