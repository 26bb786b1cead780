//! Random refinements: a machine refines itself under other names, and a changed copy does or does not, reduced or not.

use super::variants;
use crate::dice::Dice;
use bcheck::eval::Machine;
use bcheck::explore::refine::{Demands, Matching, RefinementCheck};
use bcheck::explore::{FaultyPart, LimitHit, Limits, Options, Outcome, Silent, Verdict};
use bcheck::ir::{Precondition, Refinement, Scope};
use bcheck::sema::{Files, LoadError, RefinementRequest, analyse_refinement};
use bcheck::source::{Code, FileId, Severity, SourceMap, has_errors};
use bcheck::symmetry::Mode;
use bcheck::syntax::ast::{Definition, Machine as Tree};
use bcheck::syntax::{ast::Parsed, parse_machine};
use bcheck::{Request, check_text};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What became of the refinement checks of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Refined {
    /// The verdict on the changed copy, if there is one that is a correct refinement.
    pub(crate) changed: Option<Verdict>,
    pub(crate) has_movable: bool,
}

/// Checks a machine against itself and against a changed copy; `None` when it cannot be refined or is too large.
pub(crate) fn refinements(text: &str, dice: &mut Dice) -> Result<Option<Refined>, String> {
    let request = Request {
        options: Options { limits: limits(), keep_going: true, symmetry: Mode::Off, ..Request::default().options },
        ..Request::default()
    };
    let Ok(checked) = check_text("random.mch", text, &request) else { return Ok(None) };
    let has_parameters = text.starts_with("MACHINE random(");
    if checked.outcome.limit.is_some()
        || checked.outcome.explored.ill_defined > 0
        || !checked.outcome.guard_warnings.is_empty()
        || has_parameters
    {
        return Ok(None);
    }
    let scope = checked.machine.scope().clone();
    let demands = Demands {
        matching: [Matching::Simulation, Matching::Trace, Matching::SimulationAll][dice.below(3)],
        refusals: dice.once_in(2),
        divergence: dice.once_in(4),
    };
    let own = variants::refinement_of(text, false, dice);
    let Some(outcome) = both_ways(text, &own, &scope, demands).map_err(|why| format!("{demands:?}: {why}\n{own}"))? else {
        return Ok(None);
    };
    if outcome.0.verdict == Verdict::RefinementViolation {
        return Err(format!("{demands:?}: a machine does not refine itself: {:?}\n{own}", outcome.0.finding));
    }
    let changed = variants::refinement_of(text, true, dice);
    let verdict = both_ways(text, &changed, &scope, demands).map_err(|why| format!("{demands:?}: {why}\n{changed}"))?;
    Ok(Some(Refined { changed: verdict.map(|(outcome, _)| outcome.verdict), has_movable: outcome.1 }))
}

/// Larger refinements are left out: each is run a dozen times, and in a fuzzer all runs are ten times as slow.
const MOST_STATES: u64 = if cfg!(fuzzing) { 100 } else { 500 };

fn limits() -> Limits {
    Limits { states: Some(MOST_STATES), time: Some(Duration::from_secs(5)), ..Limits::default() }
}

/// The outcome without reduction, which the reduced one must agree with, and whether there are movable elements.
fn both_ways(text: &str, refinement: &str, scope: &Scope, demands: Demands) -> Result<Option<(Outcome, bool)>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("random.ref", refinement);
    let above = sources.add("random.mch", text);
    let Parsed { tree, diagnostics } = parse_machine(file, refinement);
    let Some(tree) = tree.filter(|_| !has_errors(&diagnostics)) else { return Err(format!("it is refused: {diagnostics:?}")) };
    let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
    let analysis = analyse_refinement(&tree, &mut Above { file: above, text }, request);
    let Some((model, refinement)) = analysis.refinement else {
        // A change may take away what a type was inferred from.
        if analysis.diagnostics.iter().all(|diagnostic| diagnostic.code == Code::CannotType || diagnostic.severity != Severity::Error) {
            return Ok(None);
        }
        return Err(format!("it is refused: {:?}", analysis.diagnostics));
    };
    let machine = Machine::compile(Arc::new(model), scope.clone());
    let plain = run(&machine, &refinement, demands, Mode::Off)?;
    let symmetry = options(Mode::Exact).symmetry_of(&machine);
    if matches!(plain.limit, Some(LimitHit::States(_) | LimitHit::Time(_))) {
        return Ok(None);
    }
    for mode in [Mode::Exact, Mode::Exhaustive, Mode::Fast] {
        let reduced = run(&machine, &refinement, demands, mode)?;
        // To try all permutations takes its time on a busy computer.
        if matches!(reduced.limit, Some(LimitHit::Time(_))) {
            return Ok(None);
        }
        let facts = |outcome: &Outcome| {
            let finding = outcome.finding.as_ref();
            let is_cycle = finding.is_some_and(|finding| matches!(finding.fault.part, FaultyPart::Obligation(_))) && demands.divergence;
            // A divergence goes round up to the names of elements.
            let steps = finding.map(|finding| finding.trace.steps.len()).filter(|_| !is_cycle);
            let full = (outcome.complete && mode != Mode::Fast).then(|| (outcome.full.states.clone(), outcome.full.transitions.clone()));
            (outcome.verdict == Verdict::Verified, steps, full)
        };
        if facts(&reduced) != facts(&plain) {
            return Err(format!(
                "{mode:?}: {:?} {:?}, but should be {:?} {:?}",
                reduced.verdict,
                facts(&reduced),
                plain.verdict,
                facts(&plain)
            ));
        }
    }
    Ok(Some((plain, !symmetry.is_trivial())))
}

fn options(mode: Mode) -> Options {
    Options { symmetry: mode, limits: limits(), ..Request::default().options }
}

fn run(machine: &Machine, refinement: &Refinement, demands: Demands, mode: Mode) -> Result<Outcome, String> {
    machine.interrupt().store(false, Ordering::Relaxed);
    let options = options(mode);
    let symmetry = options.symmetry_of(machine);
    let check = RefinementCheck { machine, refinement, symmetry: &symmetry, demands, options: &options };
    let outcome = check.run(&mut Silent);
    if !matches!(outcome.limit, Some(LimitHit::Time(_))) {
        let (reference, _) = check.run_reference();
        let options = Options { workers: 3, ..options.clone() };
        let shared = RefinementCheck { options: &options, ..check }.run(&mut Silent);
        // Only the search says what it has expanded, for the graph of a run that was stopped.
        let told = |outcome: &Outcome| format!("{:?}", Outcome { extent: None, ..outcome.clone() });
        for (who, other) in [("the reference search", &reference), ("three workers", &shared)] {
            if !matches!(other.limit, Some(LimitHit::Time(_))) && told(other) != told(&outcome) {
                return Err(format!("{mode:?}: {who}: {other:?}, one worker: {outcome:?}"));
            }
        }
    }
    match &outcome.internal_error {
        Some(fault) => Err(format!("{mode:?}: {fault}")),
        None => Ok(outcome),
    }
}

/// The refined machine, under whatever name.
struct Above<'t> {
    file: FileId,
    text: &'t str,
}

impl Files for Above<'_> {
    fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<Tree>>, LoadError> {
        Ok(parse_machine(self.file, self.text))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}
