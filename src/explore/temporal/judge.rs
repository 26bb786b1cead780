//! Formulas judged on recorded graphs.
//!
//! Invariant: an on-the-fly check yields final results only: a counterexample among the expanded states, or an ill-defined proposition. On
//! a graph that lacks initial states, no formula is reported to hold. Results are in the order of the formulas of the model, whatever
//! graphs they share. Deliberately elsewhere: the search of states and the verdict of the run (`mod`), the result of a formula from those
//! of its instances (`results`).

use super::concrete::{ConcreteRun, concrete, confirm, confirm_end};
use super::explain::rows;
use super::groups::{Asked, Group, LinearQuestion, Member};
use super::results::{Results, is_final, plain_result};
use super::shorter::shorter;
use super::threads::{KnownSteps, StepsAgain};
use super::vacuity::{Numbered, When, vacuity};
use crate::search::recording::{Recording, Stage};
use crate::search::watch::Control;
use crate::statistics::{PRODUCT_EDGES, PRODUCT_STATES};
use crate::thresholds::VACUITY_STATES;
use crate::trace::{TraceFault, concretise};
use crate::{LimitHit, Options, TemporalResult, TemporalVerdict, Trace, TraceEnd};
use bcheck_eval::{EvalError, Machine};
use bcheck_temporal::branching::{BranchingJudge, Judgement};
use bcheck_temporal::emptiness::{Emptiness, Found, Question, counterexample, counterexample_from, has_fair_path};
use bcheck_temporal::expand::automaton;
use bcheck_temporal::exploration::Exploration;
use bcheck_temporal::formula::{Branching, Fairness, Formula};
use bcheck_temporal::graph::{Graph, Run, StateNumber};
use bcheck_temporal::threads::EachInstance;
use bcheck_temporal::word::Word;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Instant;

/// Why a formula is undecided when a limit ended the search.
pub(super) const UP_TO_LIMIT: &str = "a limit ended the search, and nothing was found before";

/// Judges the formulas of one group.
pub(super) struct Judge<'a> {
    pub(super) machine: &'a Machine,
    pub(super) options: &'a Options,
    pub(super) control: &'a Control<'a>,
    pub(super) group: &'a Group<'a>,
    pub(super) results: &'a mut Results,
    /// Seconds spent here.
    pub(super) time_s: f64,
    /// Whether the search has ended although formulas of the group are undecided.
    pub(super) is_broken_off: bool,
    /// Whether the last recording was judged: the results of the formulas are final.
    pub(super) has_ended: bool,
    /// By member and by choice of assumptions: the part of the product explored by the last on-the-fly check, where the next one
    /// continues.
    pub(super) explorations: Explorations,
}

/// See [`Judge::explorations`].
pub(super) type Explorations = Vec<Vec<Exploration>>;

impl<'a> Judge<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        (options, control): (&'a Options, &'a Control<'a>),
        group: &'a Group<'a>,
        results: &'a mut Results,
    ) -> Self {
        let explorations = Explorations::new();
        Self { machine, options, control, group, results, time_s: 0.0, is_broken_off: false, has_ended: false, explorations }
    }

    /// Judges a recording; breaks if the search need not continue.
    pub(super) fn judge(&mut self, recording: &mut Recording<'_>, stage: Stage) -> ControlFlow<()> {
        let is_on_the_fly = stage == Stage::OnTheFly;
        let _phase = tracing::debug_span!(target: "bcheck::explore", "judge", is_on_the_fly).entered();
        self.has_ended |= stage == Stage::End || recording.limit.is_some();
        let group = self.group;
        let mut is_violated = false;
        self.explorations.resize(group.members.len(), Vec::new());
        for (member, explorations) in group.members.iter().zip(&mut self.explorations) {
            if self.results.is_settled(member.formula, member.instance) {
                continue;
            }
            let started = Instant::now();
            let mut answer = Answer {
                machine: self.machine,
                options: self.options,
                control: self.control,
                results: self.results,
                recording: &mut *recording,
                group,
                uses_open: !member.used.asks_enabled,
            };
            let result = answer.of(member, explorations);
            if !is_on_the_fly {
                // The next graph is another one.
                explorations.clear();
            }
            let time_s = started.elapsed().as_secs_f64();
            self.time_s += time_s;
            is_violated |= is_final(&result.verdict);
            // A formula that holds although a limit ended the search owes it nothing.
            if result.verdict != TemporalVerdict::Holds {
                self.results.limit = self.results.limit.take().or(recording.limit.clone());
            }
            if !is_on_the_fly || is_final(&result.verdict) {
                PRODUCT_STATES.add(result.product.0);
                PRODUCT_EDGES.add(result.product.1);
                let group_order = group.symmetry.detail().order.clone();
                let values = if is_final(&result.verdict) { member.values.clone() } else { Vec::new() };
                self.results.add(member.formula, member.instance, TemporalResult { values, group_order, time_s, ..result });
            }
        }
        let is_over = self.results.fault.is_some() || is_violated && !self.options.keep_going;
        self.is_broken_off |= is_over && stage != Stage::End;
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// One formula, on a recorded graph.
struct Answer<'j, 'r> {
    machine: &'j Machine,
    options: &'j Options,
    control: &'j Control<'j>,
    results: &'j mut Results,
    recording: &'j mut Recording<'r>,
    group: &'j Group<'j>,
    uses_open: bool,
}

impl Answer<'_, '_> {
    fn of(&mut self, member: &Member, explorations: &mut Vec<Exploration>) -> TemporalResult {
        let own = self.recording.without_value.iter().filter(|(proposition, _)| member.used.contains(**proposition));
        // In one state, the first proposition decides; those of the state come before those of its steps.
        if let Some((_, (state, error))) = own.min_by_key(|(_, (state, _))| *state) {
            let (state, error) = (*state, error.clone());
            return self.without_value(member.formula, state, &error);
        }
        match &member.asked {
            Asked::Linear(question) => self.linear(member, question, explorations),
            Asked::Branching(formula) => self.branching(member, formula),
        }
    }

    /// The result of a formula with a proposition that has no value in this state.
    fn without_value(&mut self, formula: usize, state: StateNumber, error: &EvalError) -> TemporalResult {
        if !error.kind.is_ill_defined() {
            return plain_result(formula, TemporalVerdict::Unknown(format!("a proposition cannot be evaluated: {}", error.kind)));
        }
        let Recording { family, reduction, set_ups, .. } = &mut *self.recording;
        match concretise(self.machine, reduction, *family, set_ups, state) {
            Ok((trace, _)) => TemporalResult { trace: Some(trace), ..plain_result(formula, TemporalVerdict::IllDefined(error.clone())) },
            Err(fault) => self.results.unconfirmed(formula, &fault),
        }
    }

    fn linear(&mut self, member: &Member, question: &LinearQuestion, explorations: &mut Vec<Exploration>) -> TemporalResult {
        let (control, number) = (self.control, member.formula);
        let automaton = match question.negation() {
            Ok(automaton) => automaton,
            Err(too_large) => return plain_result(number, TemporalVerdict::Unknown(too_large.to_string())),
        };
        let mut result = plain_result(number, TemporalVerdict::Holds);
        result.automaton = Some((automaton.transitions.len(), automaton.acceptance_sets));
        let interrupted = || control.is_stopped();
        let (uses_open, each_is_strong) = (self.uses_open, question.assumptions.each_is_strong);
        // Shared by all choices of assumptions, so that the steps of a state are made once.
        let known = RefCell::default();
        let choices = &question.assumptions.choices;
        explorations.resize(choices.len(), Exploration::default());
        let (mut may_go_on, mut is_doubtful) = (false, false);
        // A path is fair if it satisfies one of the choices, so the formula holds if none of them has a counterexample.
        for (fairness, exploration) in choices.iter().zip(explorations) {
            let asked = self.with_instances(None, each_is_strong, &known, |graph, each| {
                let question = Question { graph, automaton, fairness, each, uses_open, interrupted: &interrupted };
                counterexample_from(&question, exploration)
            });
            let Emptiness { found, states, edges, is_open } = match asked {
                Ok(emptiness) => emptiness,
                Err(fault) => return self.results.unconfirmed(number, &fault),
            };
            result.product = (result.product.0 + states, result.product.1 + edges);
            may_go_on |= is_open;
            let found = match self.opened().filter(|_| matches!(found, Found::Accepted(_))) {
                None => found,
                // Some counterexample must be valid whatever other steps there are.
                Some(opened) => {
                    let asked = self.with_instances(Some(&opened), each_is_strong, &known, |graph, each| {
                        counterexample(&Question { graph, automaton, fairness, each, uses_open, interrupted: &interrupted })
                    });
                    match asked {
                        Ok(Emptiness { found, .. }) => {
                            is_doubtful |= found == Found::Nothing;
                            found
                        }
                        Err(fault) => return self.results.unconfirmed(number, &fault),
                    }
                }
            };
            match found {
                Found::Nothing => {}
                Found::Interrupted => return self.interrupted(result),
                Found::TooLarge => return unknown(result, "the product with the automaton has 2^31 states or more"),
                Found::Accepted(run) => match self.confirmed(&run, member, Some((question, fairness))) {
                    Ok((ConcreteRun { trace, renaming }, word)) => {
                        let word = word.filter(|_| self.options.explain);
                        let explanation = word.map(|word| rows(&member.text, &question.formula, &word)).unwrap_or_default();
                        return TemporalResult { verdict: TemporalVerdict::Violated, trace: Some(trace), renaming, explanation, ..result };
                    }
                    Err(fault) => return self.results.unconfirmed(number, &fault),
                },
            }
        }
        if let Some(reason) = self.missing() {
            return unknown(result, &reason);
        }
        if is_doubtful {
            return unknown(result, &self.beyond_ranges());
        }
        if may_go_on {
            return unknown(result, self.beyond());
        }
        // On a partial graph, vacuity would mean nothing.
        if self.is_whole() {
            result.vacuity = self.vacuity(member, question, &known);
        }
        result
    }

    /// Why a formula of linear time that holds on a complete graph holds vacuously, if it does.
    fn vacuity(&mut self, member: &Member, question: &LinearQuestion, known: &RefCell<KnownSteps>) -> Option<String> {
        let control = self.control;
        let interrupted = || control.is_stopped();
        let (uses_open, each_is_strong) = (self.uses_open, question.assumptions.each_is_strong);
        let choices = &question.assumptions.choices;
        let assumes = each_is_strong.is_some() || choices.iter().any(|fairness| !fairness.is_empty());
        let is_unfair = |fairness: &Vec<Fairness>| {
            let ask = self.with_instances(None, each_is_strong, known, |graph, each| {
                assumes && has_fair_path(graph, fairness, each, uses_open, &interrupted) == Some(false)
            });
            ask.unwrap_or(false)
        };
        // Undecided choices count as ones with a fair path: nothing uncertain is reported.
        if choices.iter().all(is_unfair) {
            return Some("no path is fair".to_owned());
        }
        let graph = self.recording.graph;
        let mut is_never = |premise: Numbered<'_>, when: When| {
            let Numbered::Linear(premise) = premise else { return None };
            // Fairness to each instance is dearer: it makes the steps of possible loops again.
            let most = if each_is_strong.is_some() { VACUITY_STATES.get() / 16 } else { VACUITY_STATES.get() };
            if graph.known().number() > most {
                return None;
            }
            let premise = premise.clone();
            // The premise is searched for, not the formula: an accepted path satisfies it.
            let met = if when == When::Always { Formula::Finally(Box::new(premise)) } else { premise };
            let automaton = &automaton(&met).ok()?;
            for fairness in choices {
                let asked = self.with_instances(None, each_is_strong, known, |graph, each| {
                    counterexample(&Question { graph, automaton, fairness, each, uses_open, interrupted: &interrupted })
                });
                match asked.ok()?.found {
                    Found::Nothing => {}
                    Found::Accepted(_) => return Some(false),
                    Found::Interrupted | Found::TooLarge => return None,
                }
            }
            Some(true)
        };
        vacuity(&member.text, Numbered::Linear(&question.formula), graph, assumes, &mut is_never)
    }

    /// Calls `ask` with the graph, or with `opened` instead, and, if fairness to each instance is assumed, with the steps of its states.
    fn with_instances<T>(
        &mut self,
        opened: Option<&Graph>,
        each_is_strong: Option<bool>,
        known: &RefCell<KnownSteps>,
        ask: impl FnOnce(&Graph, Option<EachInstance<'_>>) -> T,
    ) -> Result<T, TraceFault> {
        let Recording { graph, family, reduction, .. } = &mut *self.recording;
        let graph = opened.unwrap_or(graph);
        let (machine, letters) = (self.machine, &self.group.propositions.letters);
        let steps = StepsAgain { machine, letters, graph, family: *family, reduction: RefCell::new(reduction), known };
        let answer = ask(graph, each_is_strong.map(|is_strong| EachInstance { is_strong, steps: &steps }));
        known.borrow_mut().take_fault().map_or(Ok(answer), Err)
    }

    fn branching(&mut self, member: &Member, formula: &Branching) -> TemporalResult {
        let (control, number) = (self.control, member.formula);
        let interrupted = || control.is_stopped();
        let graph = self.recording.graph;
        let mut result = plain_result(number, TemporalVerdict::Holds);
        result.product = (graph.known().number().into(), self.recording.edges);
        let (judgement, witness) = {
            let judge = BranchingJudge::new(graph, self.group.propositions.letters.about_enabled(), &interrupted);
            let judgement = judge.judge(formula);
            let holds = judgement == Judgement::Holds && !self.recording.lacks_initial;
            let is_shown = self.options.witness && holds;
            if holds && self.is_whole() {
                let mut is_never = |premise: Numbered<'_>, when: When| {
                    let Numbered::Branching(premise) = premise else { return None };
                    let never = Branching::Not(Box::new(premise.clone()));
                    let never = if when == When::Always { Branching::AllGlobally(Box::new(never)) } else { never };
                    (graph.known().number() <= VACUITY_STATES.get()).then(|| judge.judge(&never) == Judgement::Holds)
                };
                result.vacuity = vacuity(&member.text, Numbered::Branching(formula), graph, false, &mut is_never);
            }
            (judgement, is_shown.then(|| judge.witness(formula)).flatten())
        };
        let judgement = match self.opened().filter(|_| matches!(judgement, Judgement::Violated(_))) {
            None => judgement,
            Some(opened) => {
                let about_enabled = self.group.propositions.letters.about_enabled();
                match BranchingJudge::new(&opened, about_enabled, &interrupted).judge(formula) {
                    Judgement::Holds | Judgement::Unknown => return unknown(result, &self.beyond_ranges()),
                    certain => certain,
                }
            }
        };
        match judgement {
            // In the known initial states. Unknown parts of open states do not decide (`temporal::branching`), so a limit that came after
            // all initial states makes no difference.
            Judgement::Holds if self.recording.lacks_initial => unknown(result, &self.missing().expect("what is missing has a reason")),
            Judgement::Holds => match witness.map(|run| self.confirmed(&run, member, None)) {
                None => result,
                // The last state decides, so the continuation of the run does not matter.
                Some(Ok((ConcreteRun { trace, .. }, _))) => {
                    let end = trace.end.filter(|end| *end != TraceEnd::Prefix);
                    TemporalResult { witness: Some(Trace { end, ..trace }), ..result }
                }
                Some(Err(fault)) => self.results.unconfirmed(number, &fault),
            },
            Judgement::Interrupted => self.interrupted(result),
            Judgement::Unknown => {
                let reason = self.missing().unwrap_or_else(|| self.beyond().to_owned());
                unknown(result, &reason)
            }
            Judgement::Violated(run) => match self.confirmed(&run, member, None) {
                Ok((ConcreteRun { trace, renaming }, _)) => {
                    // Where no path does what some path has to, the run ends where this is so: its continuation violates nothing.
                    let end = trace.end.filter(|end| *end != TraceEnd::Prefix || formula.is_about_paths(true));
                    TemporalResult { verdict: TemporalVerdict::Violated, trace: Some(Trace { end, ..trace }), renaming, ..result }
                }
                Err(fault) => self.results.unconfirmed(number, &fault),
            },
        }
    }

    /// The concrete run of a counterexample; if it is one of a linear-time formula, that formula is evaluated on it.
    fn confirmed(
        &mut self,
        run: &Run,
        member: &Member,
        of: Option<(&LinearQuestion, &[Fairness])>,
    ) -> Result<(ConcreteRun, Option<Word>), TraceFault> {
        let (machine, letters) = (self.machine, &self.group.propositions.letters);
        // As for findings in states: a limit reached meanwhile must not prevent the trace from being rebuilt.
        self.control.last_call(|| {
            let mut concrete = concrete(machine, self.recording, letters, run)?;
            let word = match of {
                Some((question, fairness)) => {
                    let fairness = (fairness, question.assumptions.each_is_strong);
                    let confirmed = |trace: &Trace| confirm(machine, (letters, member.used), &question.formula, fairness, trace);
                    let word = confirmed(&concrete.trace)?;
                    // Where a state on the path cannot be expanded, the original run stays.
                    match shorter(machine, self.recording, letters, run, &concrete.trace)
                        .unwrap_or(None)
                        .map(|trace| (confirmed(&trace), trace))
                    {
                        Some((Ok(word), trace)) => {
                            concrete.trace = trace;
                            word
                        }
                        _ => word,
                    }
                }
                None => {
                    confirm_end(machine, &concrete.trace)?;
                    None
                }
            };
            Ok((concrete, word))
        })
    }

    fn interrupted(&mut self, result: TemporalResult) -> TemporalResult {
        self.results.limit.get_or_insert(LimitHit::Interrupted);
        unknown(result, "interrupted")
    }

    /// The graph where states that may have other steps are open, as integers were tried in a range only; `None` if all steps are known.
    fn opened(&self) -> Option<Graph> {
        let (machine, Recording { graph, family, .. }) = (self.machine, &*self.recording);
        if machine.tried_in_steps().is_empty() {
            return None;
        }
        let is_cut = |state: &StateNumber| machine.untried(&family.state(*state)) != Ok(None);
        Some(graph.opened(graph.states().filter(is_cut)))
    }

    /// Why a formula is undecided where a counterexample rests on steps that were not tried.
    fn beyond_ranges(&self) -> String {
        let tried = self.machine.tried_in_steps().first();
        tried.map_or_else(|| UP_TO_LIMIT.to_owned(), |tried| tried.undecided("it").kind.to_string())
    }

    /// Whether nothing is missing from the graph.
    fn is_whole(&self) -> bool {
        self.machine.tried().is_empty() && self.missing().is_none() && !self.recording.graph.is_partial()
    }

    /// The reason where only steps of open states are missing.
    fn beyond(&self) -> &'static str {
        match self.machine.model().expanded {
            Some(_) => "it depends on what follows states outside of SCOPE",
            None => "it depends on what follows steps that are ill-defined",
        }
    }

    /// Why runs may be missing from the graph.
    fn missing(&self) -> Option<String> {
        let Recording { limit, left_out, lacks_initial, .. } = &*self.recording;
        match (limit, left_out) {
            (Some(_), _) => Some(UP_TO_LIMIT.to_owned()),
            (None, Some(error)) if *lacks_initial => Some(format!("some initial states could not be enumerated: {}", error.kind)),
            (None, Some(error)) => Some(format!("some steps could not be enumerated: {}", error.kind)),
            // In an on-the-fly check after an interrupt, nothing need be recorded yet; only final results count there.
            (None, None) => lacks_initial.then(|| UP_TO_LIMIT.to_owned()),
        }
    }
}

fn unknown(result: TemporalResult, reason: &str) -> TemporalResult {
    TemporalResult { verdict: TemporalVerdict::Unknown(reason.to_owned()), ..result }
}
