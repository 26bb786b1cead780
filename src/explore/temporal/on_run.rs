//! The value of a formula of linear time on one run, and the automaton with which a check would search for a violation.
//!
//! Invariant: on a run with a loop or a deadlock the value is that of the definition; a run whose continuation is unknown has a value only
//! if all its continuations agree. Deliberately elsewhere: whether a machine satisfies a formula (`judge`), whether a loop closes
//! (`trace::closing`).

use super::concrete::{along, is_fair};
use super::explain::rows;
use super::instances::instances;
use super::propositions::Propositions;
use crate::trace::TraceFault;
use crate::{Options, SubformulaRow, Trace, TraceEnd};
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::temporal::{
    Comparing, FairnessKind, Logic, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalFormula, TemporalKind,
};
use bcheck_symmetry::{Mode, Symmetry};
use bcheck_temporal::automaton::Automaton;
use bcheck_temporal::expand::automaton;
use bcheck_temporal::formula::{Formula, Proposition};
use bcheck_temporal::word::{Word, holds};
use bcheck_temporal::{dot, hoa};

/// The value of a formula on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueOnRun {
    /// The value; `None` if it depends on the continuation of the run.
    pub holds: Option<bool>,
    /// Whether it holds only because the run is not fair.
    pub is_unfair: bool,
    /// The end of the run: as stated in the trace, or a deadlock found at its end.
    pub end: Option<TraceEnd>,
    /// Its subformulas along the run, outermost first; empty if the value depends on the continuation of the run, or is that of several
    /// instances.
    pub rows: Vec<SubformulaRow>,
}

/// Why a formula has no value on a run.
#[derive(Clone, Debug, PartialEq)]
pub enum NoValueOnRun {
    /// A proposition has no value after this step.
    Proposition(usize, EvalError),
    /// Another reason.
    Other(String),
}

/// The value of a formula of linear time on a run of the machine; one that ends in a loop ends with the state in which the loop begins.
///
/// # Errors
/// When a proposition has no value in one of its states, or a quantifier cannot be written out.
pub fn value_on_run(machine: &Machine, formula: &TemporalFormula, trace: &Trace) -> Result<ValueOnRun, NoValueOnRun> {
    let other = |reason: String| NoValueOnRun::Other(reason);
    let set_up = machine.model().set_up_steps().min(trace.steps.len());
    let run = &trace.steps[set_up..];
    if run.is_empty() {
        return Err(other("the run ends before the initialisation".to_owned()));
    }
    let back = match trace.end {
        Some(TraceEnd::Loop { start, .. }) => Some(start.checked_sub(set_up).ok_or_else(|| other("the loop begins before it".to_owned()))?),
        // A renamed loop closes up to names, which this formula may distinguish.
        Some(TraceEnd::RenamedLoop { .. } | TraceEnd::Deadlock | TraceEnd::Prefix) | None => None,
    };
    let closed = closed(machine, formula).map_err(other)?;
    let mut whole = ValueOnRun { holds: Some(true), is_unfair: false, end: trace.end, rows: Vec::new() };
    for part in &closed {
        let value = value_of_closed(machine, part, run, back, trace.end)?;
        // The first instance that fails decides, otherwise the first whose value is open.
        let decides = value.holds == Some(false) || (value.holds.is_none() && whole.holds == Some(true)) || closed.len() == 1;
        if decides {
            whole = value;
        }
        if whole.holds == Some(false) {
            break;
        }
    }
    Ok(whole)
}

fn value_of_closed(
    machine: &Machine,
    formula: &TemporalFormula,
    run: &[crate::TraceStep],
    back: Option<usize>,
    end: Option<TraceEnd>,
) -> Result<ValueOnRun, NoValueOnRun> {
    let other = |reason: String| NoValueOnRun::Other(reason);
    let mut propositions = Propositions::new(machine);
    let (fairness, linear) = parts(formula);
    let assumptions = propositions.fairness(fairness).map_err(|error| other(error.to_string()))?;
    let numbered = propositions.linear(linear).map_err(|error| other(error.to_string()))?;
    // A loop ends with a copy of its first state, which is not a separate position.
    let positions = run.len() - usize::from(back.is_some());
    let asks_instances = assumptions.each_is_strong.is_some();
    let along =
        along(machine, (&propositions.letters, propositions.used), run, positions, asks_instances).map_err(|fault| match fault {
            TraceFault::Evaluation(at, error) if error.kind.is_ill_defined() => NoValueOnRun::Proposition(at, error),
            fault => other(fault.to_string()),
        })?;
    if let Some(at) = along.open.filter(|_| propositions.used.asks_enabled) {
        return Err(other(format!("which steps are possible after step {at} cannot be enumerated")));
    }
    let is_known = back.is_some() || along.is_deadlock;
    if !is_known {
        let holds = after_beginning(&numbered, &along.letters).map_err(other)?;
        // A violation counts only on a fair path, and no beginning shows fairness.
        let holds = holds.filter(|holds| *holds || fairness.is_empty());
        return Ok(ValueOnRun { holds, is_unfair: false, end, rows: Vec::new() });
    }
    let is_fair_to_each = along.is_fair_to_each(back, assumptions.each_is_strong);
    let word = Word { letters: along.letters, back };
    let is_unfair = !is_fair_to_each || !assumptions.choices.iter().any(|choice| is_fair(&word, choice));
    let holds = is_unfair || holds(&numbered, &word);
    let end = if back.is_some() { end } else { Some(TraceEnd::Deadlock) };
    Ok(ValueOnRun { holds: Some(holds), is_unfair, end, rows: rows(formula, &numbered, &word) })
}

/// The value of a formula on all paths with this beginning; `None` if they differ. The step that leaves the last position is not known.
fn after_beginning(formula: &Formula, letters: &[bcheck_temporal::word::Letter]) -> Result<Option<bool>, String> {
    // Two automata, one for each value: the formula's own accepts some continuation, the negation's another one.
    let may =
        |formula: &Formula| automaton(formula).map(|automaton| automaton.may_accept_after(letters)).map_err(|error| error.to_string());
    Ok(match (may(formula)?, may(&Formula::Not(Box::new(formula.clone())))?) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        // Both false is impossible: every prefix extends to some path, on which one of the two holds.
        _ => None,
    })
}

/// The fairness assumptions of a closed formula, and its body.
fn parts(formula: &TemporalFormula) -> (&[FairnessKind], &Temporal) {
    assert_eq!(formula.logic, Logic::Ltl, "a formula of branching time has no value on a run, and no automaton");
    match &formula.body.kind {
        TemporalKind::Prefixed(Prefix::Fair(kinds), inner) => (kinds, inner),
        _ => (&[], &formula.body),
    }
}

/// The instances of a formula, all of which must hold.
fn closed(machine: &Machine, formula: &TemporalFormula) -> Result<Vec<TemporalFormula>, String> {
    // On one run, values in one orbit make a difference: without symmetry, each value has its own instance.
    let options = Options { symmetry: Mode::Off, ..Options::default() };
    let none: Symmetry = options.symmetry_of(machine);
    let instances = instances(machine, formula, &|_| none.clone()).map_err(|reason| reason.to_string())?;
    Ok(instances.into_iter().map(|instance| instance.formula).collect())
}

/// The automaton of the negation of a formula of linear time.
#[derive(Clone, Debug)]
pub struct NegationAutomaton {
    automaton: Automaton,
    title: String,
    states: Vec<String>,
    steps: Vec<String>,
}

/// The automata of the negation of a formula, one for each instance. Fairness assumptions are not part of them.
///
/// # Errors
/// When a quantifier cannot be written out, or the formula is too large.
pub fn negation_automata(machine: &Machine, formula: &TemporalFormula) -> Result<Vec<NegationAutomaton>, String> {
    let mut automata = Vec::new();
    for part in closed(machine, formula)? {
        let mut propositions = Propositions::new(machine);
        let numbered = propositions.linear(parts(&part).1).map_err(|error| error.to_string())?;
        let automaton = automaton(&Formula::Not(Box::new(numbered))).map_err(|error| error.to_string())?;
        let (states, steps) = propositions.stated();
        automata.push(NegationAutomaton {
            automaton,
            title: format!("not ({})", formula.text.split_whitespace().collect::<Vec<_>>().join(" ")),
            states: distinct(states.map(|proposition| of_state(formula, proposition)).collect()),
            steps: distinct(steps.map(|proposition| of_step(formula, proposition)).collect()),
        });
    }
    Ok(automata)
}

impl NegationAutomaton {
    /// The number of its states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.automaton.transitions.len()
    }

    /// The number of acceptance sets that an accepting infinite run visits infinitely often.
    #[must_use]
    pub fn acceptance_sets(&self) -> u32 {
        self.automaton.acceptance_sets
    }

    /// Its text in the Hanoi Omega-Automata format, which has infinite paths only.
    #[must_use]
    pub fn hoa(&self) -> String {
        hoa::hoa(&self.automaton, &self.title, |number| name(&self.states, number), |number| name(&self.steps, number))
    }

    /// A picture of it, in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::dot(&self.automaton, &self.title, |number| name(&self.states, number), |number| name(&self.steps, number))
    }
}

fn name(names: &[String], number: Proposition) -> String {
    names[usize::from(number)].clone()
}

/// Makes names distinct: instances of a quantifier have the same text.
fn distinct(mut names: Vec<String>) -> Vec<String> {
    for at in 0..names.len() {
        let before = names[..at].iter().filter(|name| **name == names[at]).count();
        if before > 0 {
            names[at] = format!("{} ({})", names[at], before + 1);
        }
    }
    names
}

fn of_state(formula: &TemporalFormula, proposition: &StateProposition) -> String {
    let list = |word: &str, patterns: &[Pattern]| {
        let patterns: Vec<&str> = patterns.iter().filter_map(|pattern| formula.part(pattern.span)).collect();
        format!("{word}({})", patterns.join(", "))
    };
    match proposition {
        // The predicate of `goal` is in the machine.
        StateProposition::Holds(pred) => formula.part(pred.span).map_or_else(|| "goal".to_owned(), |text| format!("{{{text}}}")),
        StateProposition::Enabled(pattern) => list("e", std::slice::from_ref(pattern)),
        StateProposition::Deadlock => "deadlock".to_owned(),
        StateProposition::Sink => "sink".to_owned(),
        StateProposition::NoneEnabled(patterns) => list("deadlock", patterns),
        StateProposition::OneEnabled(patterns) => list("controller", patterns),
        StateProposition::AtMostOneEnabled(patterns) => list("deterministic", patterns),
        StateProposition::Current => "current".to_owned(),
    }
}

fn of_step(formula: &TemporalFormula, proposition: &StepProposition) -> String {
    let text = |span| formula.part(span).unwrap_or("…");
    match proposition {
        StepProposition::Taken(pattern) => format!("[{}]", text(pattern.span)),
        StepProposition::BeforeAfter(pred) => format!("BA({{{}}})", text(pred.span)),
        StepProposition::Compared(comparing, expr) => {
            let word = match comparing {
                Comparing::Unchanged => "unchanged",
                Comparing::Changed => "changed",
                Comparing::Increasing => "increasing",
                Comparing::Decreasing => "decreasing",
            };
            format!("{word}({{{}}})", text(expr.span))
        }
    }
}
