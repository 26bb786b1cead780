//! What all runs of one machine must agree on.
//!
//! The plain run (no reduction, one worker) is the oracle: of every other run to the end, the verdict and all counts of the full space
//! must be the same, of every run that stops at a finding the length of the shortest trace; runs that differ only in workers or in how
//! states are kept must have the same outcome in every respect. Variants of the text must have the same verdict and counts.
//!
//! Invariant: what is given back as a disagreement names the runs and what differs.

use super::variants::Variant;
use crate::dice::Dice;
use bcheck::eval::Machine;
use bcheck::explore::{FullCounts, LimitHit, Limits, Options, Outcome, Silent, Strategy, Verdict, explore, explore_reference, replay};
use bcheck::ir::{Declaration, Expr, ExprKind, Subst, SubstKind, Target, Type, VariableId};
use bcheck::source::Span;
use bcheck::symmetry::Mode;
use bcheck::{Checked, Request, check_text};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Larger machines are left out; in a fuzzer, where all runs are ten times as slow, already those that are not small.
const MOST_STATES: u64 = if cfg!(fuzzing) { 50 } else { 800 };

/// And those with more steps.
const MOST_STEPS: u64 = if cfg!(fuzzing) { 300 } else { 5_000 };

/// With more permutations, the exhaustive mode, which tries all of them in each state, is left out.
const MOST_PERMUTATIONS: u32 = 20_000;

/// Of the ways to run a machine with movable elements, as many are taken at random.
const REDUCED_WAYS: usize = 7;

/// Machines of which the plain run takes longer are left out.
const PATIENCE: Duration = Duration::from_secs(3);

/// No other run may take longer, however busy the computer is: that is a hang.
const HANG: Duration = Duration::from_secs(60);

/// What runs agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Agreement {
    pub(crate) verdict: Verdict,
    /// States of the full space.
    pub(crate) states: u64,
    /// Representatives.
    pub(crate) representatives: u64,
    pub(crate) has_movable: bool,
    /// Whether all permutations can be tried in each state.
    pub(crate) is_feasible: bool,
    pub(crate) is_packed: bool,
    pub(crate) runs: usize,
    /// Something is ill-defined, so variants were not compared.
    pub(crate) is_ill_defined: bool,
    /// Variants that were compared.
    pub(crate) variants: usize,
}

/// Why a machine was not compared.
#[derive(Clone, Debug)]
pub(crate) enum LeftOut {
    /// It is no correct machine: the codes of the errors.
    Refused(String),
    TooLarge,
    /// The plain run took too long.
    Slow,
    /// The plain run could not evaluate or decide something.
    Undecided(String),
}

/// One way to run a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) mode: Mode,
    pub(crate) workers: usize,
    pub(crate) orbits: bool,
    pub(crate) named: bool,
    /// With a variable that keeps the states out of words.
    pub(crate) general: bool,
    /// By the sequential reference search.
    pub(crate) reference: bool,
    pub(crate) strategy: Strategy,
    pub(crate) keep_going: bool,
}

/// The oracle.
pub(crate) const PLAIN: Way = Way {
    mode: Mode::Off,
    workers: 1,
    orbits: true,
    named: true,
    general: false,
    reference: false,
    strategy: Strategy::Breadth,
    keep_going: true,
};

/// The options of a way, with limits that no compared machine reaches.
fn options(way: Way) -> Options {
    Options {
        symmetry: way.mode,
        named_symmetry: way.named,
        orbit_parameters: way.orbits,
        keep_going: way.keep_going,
        strategy: way.strategy,
        workers: way.workers,
        limits: Limits { states: Some(MOST_STATES), time: Some(HANG), ..Limits::default() },
        ..Request::default().options
    }
}

pub(crate) fn checked(text: &str, way: Way) -> Result<Checked, LeftOut> {
    let mut options = options(way);
    options.limits.time = Some(PATIENCE);
    let request = Request { options, ..Request::default() };
    check_text("random.mch", text, &request).map_err(|rejected| LeftOut::Refused(rejected.to_string()))
}

/// Whether the runs of a machine can be compared at all.
pub(crate) fn comparable(outcome: &Outcome) -> Result<(), LeftOut> {
    match &outcome.limit {
        None if outcome.explored.transitions > MOST_STEPS => Err(LeftOut::TooLarge),
        None => Ok(()),
        Some(LimitHit::States(_)) => Err(LeftOut::TooLarge),
        Some(LimitHit::Time(_)) => Err(LeftOut::Slow),
        Some(other) => Err(LeftOut::Undecided(format!("{other:?}"))),
    }
}

/// Runs a machine in many ways, and variants of it.
pub(crate) fn agreement(text: &str, dice: &mut Dice) -> Result<Result<Agreement, LeftOut>, String> {
    let plain = match checked(text, PLAIN) {
        Ok(plain) => plain,
        Err(left_out) => return Ok(Err(left_out)),
    };
    if let Some(fault) = &plain.outcome.internal_error {
        return Err(format!("{PLAIN:?}: {fault}"));
    }
    if let Err(left_out) = comparable(&plain.outcome) {
        return Ok(Err(left_out));
    }
    let machines = [&plain.machine, &general(&plain.machine)];
    let symmetry = options(Way { mode: Mode::Exact, ..PLAIN }).symmetry_of(&plain.machine);
    let mut agreement = Agreement {
        verdict: plain.outcome.verdict,
        states: plain.outcome.explored.states,
        representatives: plain.outcome.explored.states,
        has_movable: !symmetry.is_trivial(),
        is_feasible: symmetry.detail().order <= MOST_PERMUTATIONS.into(),
        is_packed: plain.machine.is_packed(),
        runs: 1,
        is_ill_defined: is_ill_defined(&plain.outcome),
        variants: 0,
    };
    runs_to_the_end(machines, &plain.outcome, &mut agreement, dice)?;
    runs_to_a_finding(machines, &plain.outcome, &mut agreement, dice)?;
    if !agreement.is_ill_defined {
        for variant in Variant::ALL {
            let other = variant.of(text, dice);
            if compare_variant(&other, &plain.outcome, dice).map_err(|why| format!("{variant:?}: {why}\n{other}"))? {
                agreement.variants += 1;
            }
        }
    }
    Ok(Ok(agreement))
}

pub(crate) fn is_ill_defined(outcome: &Outcome) -> bool {
    let of_finding = outcome.finding.as_ref().is_some_and(|finding| finding.fault.is_ill_defined());
    of_finding || outcome.explored.ill_defined > 0 || !outcome.guard_warnings.is_empty()
}

/// The machine with one more variable, a string, which keeps its states out of words.
fn general(machine: &Machine) -> Machine {
    let mut model = machine.model().clone();
    let nowhere = Span::nowhere();
    let variable = VariableId(u32::try_from(model.variables.len()).expect("few variables"));
    model.variables.insert("general".to_owned(), Declaration { ty: Type::String, span: nowhere });
    let value = Expr { kind: ExprKind::String("".into()), ty: Type::String, span: nowhere };
    let assign = Subst { kind: SubstKind::Assign(vec![(Target::Variable(variable), value)]), span: nowhere };
    model.initialisation = Subst { kind: SubstKind::Parallel(vec![model.initialisation, assign]), span: nowhere };
    let general = Machine::compile(Arc::new(model), machine.scope().clone());
    assert!(!general.is_packed(), "strings do not fit words");
    general
}

fn run(machines: [&Machine; 2], way: Way) -> Result<Outcome, String> {
    let machine = machines[usize::from(way.general)];
    machine.interrupt().store(false, Ordering::Relaxed);
    let options = options(way);
    let symmetry = options.symmetry_of(machine);
    let outcome =
        if way.reference { explore_reference(machine, &symmetry, &options) } else { explore(machine, &symmetry, &options, &mut Silent) };
    if let Some(fault) = &outcome.internal_error {
        return Err(format!("{way:?}: {fault}"));
    }
    if let Some(finding) = &outcome.finding
        && let Err(fault) = replay(machine, &finding.trace)
    {
        return Err(format!("{way:?}: the trace is no run of the machine: {fault:?}"));
    }
    Ok(outcome)
}

/// Says what differs.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, way: Way, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{way:?}: {what} {found:?}, but should be {expected:?}")) }
}

/// What the full space has, whoever counts it.
pub(crate) fn full_space(outcome: &Outcome) -> (FullCounts, Vec<String>) {
    let exact = outcome.full.exact || relies_on_violated_invariant(outcome);
    let counts = FullCounts { exact, why: Vec::new(), ..outcome.full.clone() };
    (counts, outcome.operations.iter().map(|operation| operation.full_transitions.to_string()).collect())
}

/// Whether the counts are bounds for one reason only: symmetries of named elements rely on the invariant, and some states violate it. The
/// numbers are compared all the same.
fn relies_on_violated_invariant(outcome: &Outcome) -> bool {
    let is_reason = |why: &String| why.starts_with("states were expanded that violate the invariant");
    outcome.explored.invariant_violations > 0 && !outcome.full.exact && outcome.full.why.iter().all(is_reason)
}

/// All modes, tiers and strategies to the end, in spite of findings.
fn runs_to_the_end(machines: [&Machine; 2], plain: &Outcome, agreement: &mut Agreement, dice: &mut Dice) -> Result<(), String> {
    let mut ways = vec![
        Way { general: true, ..PLAIN },
        Way { workers: 2, ..PLAIN },
        Way { reference: true, ..PLAIN },
        Way { strategy: Strategy::Depth, ..PLAIN },
        Way { strategy: Strategy::Random, ..PLAIN },
        Way { mode: Mode::Exact, ..PLAIN },
    ];
    if agreement.has_movable {
        let mut reduced = vec![
            Way { mode: Mode::Exact, named: false, ..PLAIN },
            Way { mode: Mode::Exact, reference: true, ..PLAIN },
            Way { mode: Mode::Exact, strategy: Strategy::Depth, general: dice.once_in(2), ..PLAIN },
        ];
        let modes = [Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive];
        let modes = if agreement.is_feasible { &modes[..] } else { &modes[..3] };
        for &mode in modes {
            for general in [false, true] {
                for orbits in [false, true] {
                    reduced.push(Way { mode, general, orbits, workers: 1 + dice.below(2), ..PLAIN });
                }
            }
        }
        dice.shuffle(&mut reduced);
        ways.extend(reduced.into_iter().take(REDUCED_WAYS));
    }
    let mut exact: Option<Outcome> = None;
    for way in ways {
        let outcome = run(machines, way)?;
        agreement.runs += 1;
        same("the limit is", way, &outcome.limit, &plain.limit)?;
        same("whether nothing is found is", way, &(outcome.verdict == Verdict::Verified), &(plain.verdict == Verdict::Verified))?;
        if way.strategy == Strategy::Breadth {
            // Where an orbit has several representatives, some may be further away than others.
            if matches!(way.mode, Mode::Off | Mode::Exact | Mode::Exhaustive) {
                same("the depth is", way, &outcome.explored.depth, &plain.explored.depth)?;
            }
            let steps = |outcome: &Outcome| outcome.finding.as_ref().map(|finding| finding.trace.steps.len());
            same("the length of the trace is", way, &steps(&outcome), &steps(plain))?;
        }
        same("whether anything is ill-defined is", way, &is_ill_defined(&outcome), &is_ill_defined(plain))?;
        let seen = |outcome: &Outcome| {
            let counts = &outcome.explored;
            [counts.assertion_violations, counts.goals, counts.ill_defined, counts.invariant_violations].map(|count| count > 0)
        };
        same("which kinds of findings there are is", way, &seen(&outcome), &seen(plain))?;
        match way.mode {
            Mode::Off => {
                same("the counts are", way, &outcome.explored.states, &plain.explored.states)?;
                same("the full space is", way, &full_space(&outcome), &full_space(plain))?;
            }
            Mode::Exact | Mode::Exhaustive => {
                same("the full space is", way, &full_space(&outcome), &full_space(plain))?;
                if way.named && way.strategy == Strategy::Breadth {
                    let exact = exact.get_or_insert_with(|| outcome.clone());
                    same("what was explored is", way, &outcome.explored, &exact.explored)?;
                    agreement.representatives = outcome.explored.states;
                }
            }
            Mode::Fast | Mode::Sorted => {
                let least = exact.as_ref().map_or(0, |exact| exact.explored.states);
                if outcome.explored.states < least || outcome.explored.states > plain.explored.states {
                    return Err(format!("{way:?}: {} states, not between {least} and {}", outcome.explored.states, plain.explored.states));
                }
            }
        }
    }
    Ok(())
}

/// All modes up to the first finding.
fn runs_to_a_finding(machines: [&Machine; 2], plain: &Outcome, agreement: &mut Agreement, dice: &mut Dice) -> Result<(), String> {
    if plain.verdict == Verdict::Verified {
        return Ok(());
    }
    let steps = |outcome: &Outcome| outcome.finding.as_ref().map(|finding| finding.trace.steps.len());
    let modes = [Mode::Off, Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive];
    let modes = match (agreement.has_movable, agreement.is_feasible) {
        (false, _) => &modes[..1],
        (true, false) => &modes[..4],
        (true, true) => &modes[..],
    };
    let both = [Mode::Off, *dice.pick(modes), *dice.pick(modes)];
    for mode in both {
        let way = Way { mode, keep_going: false, orbits: dice.once_in(2), general: dice.once_in(2), ..PLAIN };
        let outcome = run(machines, way)?;
        let other = Way { workers: 2, ..way };
        let by_two = run(machines, other)?;
        agreement.runs += 2;
        same("the finding is", other, &by_two.finding, &outcome.finding)?;
        same("what was explored is", other, &by_two.explored, &outcome.explored)?;
        same("the length of the trace is", way, &steps(&outcome), &steps(plain))?;
        if matches!(mode, Mode::Off | Mode::Exact | Mode::Exhaustive) {
            same("the verdict is", way, &outcome.verdict, &plain.verdict)?;
        }
    }
    let way = Way { mode: Mode::Exact, keep_going: false, strategy: Strategy::Depth, ..PLAIN };
    let outcome = run(machines, way)?;
    agreement.runs += 1;
    same("whether nothing is found is", way, &(outcome.verdict == Verdict::Verified), &false)
}

/// Whether a variant could be compared.
fn compare_variant(text: &str, plain: &Outcome, dice: &mut Dice) -> Result<bool, String> {
    let way = Way { mode: if dice.once_in(2) { Mode::Off } else { Mode::Exact }, ..PLAIN };
    let variant = match checked(text, way) {
        Ok(variant) => variant.outcome,
        // Of `{} <| r` the definition leaves the type of `{}` open.
        Err(LeftOut::Refused(why)) if why.lines().all(|line| line.contains("[B0204]")) => return Ok(false),
        Err(LeftOut::Refused(why)) => return Err(format!("it is refused: {why}")),
        Err(_) => return Ok(false),
    };
    if let Some(fault) = &variant.internal_error {
        return Err(format!("{way:?}: {fault}"));
    }
    // A function may be one of few functions, but of many relations.
    if is_ill_defined(&variant) || matches!(variant.limit, Some(LimitHit::Time(_))) {
        return Ok(false);
    }
    same("the limit is", way, &variant.limit, &None)?;
    let (found, mut its_operations) = full_space(&variant);
    let (expected, mut operations) = full_space(plain);
    its_operations.sort_unstable();
    operations.sort_unstable();
    same("whether nothing is found is", way, &(variant.verdict == Verdict::Verified), &(plain.verdict == Verdict::Verified))?;
    same("the full space is", way, &found, &expected)?;
    same("the steps of the operations are", way, &its_operations, &operations)?;
    Ok(true)
}
