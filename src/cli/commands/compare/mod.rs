//! `bcheck compare`: reduced versus full, one row per size, as in Table 1 of "Symmetry Reduced Model Checking for B"
//! (Turner, Leuschel, Spermann, Butler, TASE 2007).
//!
//! Invariant: if the full space was both explored and counted, the numbers agree, or bcheck reports a fault of its own. All reduced runs
//! come first, so that their peak memory is not that of a full run.

mod modes;
pub(crate) mod one_run;

use crate::args::sizes::combinations;
use crate::args::{CompareArgs, ComparedArg, FormatArg, ScopeArgs, TableFormatArg};
use crate::commands::check::temporal::{LeftOut, leave_out};
use crate::config;
use crate::exit::{Ended, Exit, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::memory;
use crate::io::output::Refusal;
use crate::io::run_files::{FilePlan, RunFiles};
use crate::load::{self, Asked, Failure, Loaded};
use crate::progress::Watcher;
use crate::scope;
use bcheck_explore::{FaultKind, Finding, Options, Outcome, Verdict};
use bcheck_ir::{Model, Scope};
use bcheck_report::compare::{Comparison, Full, Reduced, Row, json, plot, text};
use bcheck_report::{deferred, html, violation_of};
use bcheck_source::{SourceMap, Vocabulary};
use num_bigint::BigUint;
use one_run::{from_now, hopeless, is_over, say_not_run, search};
use std::sync::Arc;
use std::time::Instant;

/// Runs a comparison.
pub(crate) fn run(args: &CompareArgs) -> Ended {
    let mut files = reserve(args).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let (loaded, scopes) = prepare(args, &mut console.sources).map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    let model = Arc::new(loaded.model);
    let mode = match args.symmetry {
        ComparedArg::One(mode) => mode,
        ComparedArg::All => return modes::run(&model, &scopes, args, files),
    };
    let options = config::of_compare(args, mode);
    let mut rows: Vec<(Row, Outcome)> = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        if is_over(args) {
            break;
        }
        let watcher = Watcher::new(args.progress, format!("reduced {} of {}", index + 1, scopes.len()));
        rows.push(reduced_row(&model, scope, &console.sources, &options, watcher));
    }
    for (index, (row, reduced)) in rows.iter_mut().enumerate() {
        // A row without a full run shows what the reduced run counted.
        if is_over(args) || hopeless(&reduced.full.states, args) {
            continue;
        }
        let watcher = Watcher::new(args.progress, format!("full {} of {}", index + 1, scopes.len()));
        explore_full(&model, &scopes[index], &options, args, row, reduced, watcher).map_err(|fault| own_fault(&fault))?;
    }
    let (rows, outcomes): (Vec<Row>, Vec<Outcome>) = rows.into_iter().unzip();
    let rendered = match args.format {
        TableFormatArg::Text => text(&model.name, &rows),
        TableFormatArg::Json => json(&model.name, &rows),
    };
    let comparison = Comparison {
        machine: &model.name,
        file: &args.machine.display().to_string(),
        // Equal in all rows, which differ only in sizes.
        bounds: scopes.first().map_or((0, 0), |scope| (scope.minint, scope.maxint)),
        options: &options,
        rows: &rows,
        asked: scopes.len(),
    };
    files.save_report(&rendered).and_then(|()| draw(files, &comparison)).map_err(complaint(Exit::Io))?;
    if let Some(fault) = outcomes.iter().find_map(|outcome| outcome.internal_error.as_ref()) {
        return Err(own_fault(fault));
    }
    say_not_run(args, &model, scopes.get(rows.len()..).unwrap_or_default());
    // The table is the result; a violation in a row is one all the same. As in a check, PROPERTIES may exclude single sizes.
    let is_excluded =
        |outcome: &Outcome| matches!(&outcome.finding, Some(finding) if matches!(finding.fault.kind, FaultKind::Unsatisfiable(_)));
    let is_violation = |outcome: &&Outcome| {
        !matches!(outcome.verdict, Verdict::Verified | Verdict::Incomplete | Verdict::GoalFound) && !is_excluded(outcome)
    };
    if let Some(outcome) = outcomes.iter().find(is_violation) {
        return Ok(Exit::Verdict(outcome.verdict));
    }
    if rows.len() == scopes.len() && outcomes.iter().all(is_excluded) {
        return Ok(Exit::Verdict(Verdict::UnsatisfiableProperties));
    }
    // If a full run is cut off, its row shows what the reduced one counted, so it does not make the table incomplete.
    let covered = rows.len() == scopes.len() && rows.iter().all(|row| row.reduced.complete);
    Ok(exit(covered, &model))
}

/// The exit code of a comparison without a finding: as in a check, a stated property that is not judged makes it incomplete.
fn exit(covered: bool, model: &Model) -> Exit {
    let is_open = model.not_checked.iter().any(|property| property.leaves_open);
    if covered && !is_open { Exit::Done } else { Exit::Verdict(Verdict::Incomplete) }
}

/// Reserves the files of the report and of the pictures.
fn reserve(args: &CompareArgs) -> Result<RunFiles, Refusal> {
    if args.symmetry == ComparedArg::All && (args.plot.is_some() || args.html.is_some()) {
        return Err(("--plot and --html show one mode against no reduction: leave out --symmetry all".to_owned(), Exit::Usage));
    }
    let (report, plot, html) = (args.output.as_deref(), args.plot.as_deref(), args.html.as_deref());
    FilePlan { report, plot, html, ..FilePlan::default() }.reserve(&[("the machine", args.machine.as_path())])
}

/// Draws the requested pictures of the table.
fn draw(mut files: RunFiles, comparison: &Comparison<'_>) -> Result<(), String> {
    if let Some((format, file)) = files.plot.take() {
        file.save_bytes(&format.render(&plot(comparison))?)?;
    }
    files.save_page(|| html::render_comparison(comparison))
}

/// Loads the machine and decides the sizes of every row.
fn prepare(args: &CompareArgs, sources: &mut SourceMap) -> Result<(Loaded, Vec<Scope>), Failure> {
    let mut loaded = load::load(&args.machine, &args.common.folders, Asked::default(), sources)?;
    leave_out(&mut loaded, Some(LeftOut::of_comparison(args.no_temporal)));
    if let Some(contradiction) = scope::contradiction(&args.scope.deferred, sources) {
        return Err(Failure::Refused(vec![contradiction], Exit::Usage));
    }
    let mut scopes = Vec::new();
    // One model for all rows: it does not depend on sizes.
    for sizes in combinations(&args.scope.deferred).map_err(|reason| usage(reason, sources))? {
        let scope = ScopeArgs { deferred: sizes, ..args.scope.clone() };
        let scope = scope::of_machine(&mut loaded, &scope, sources)?;
        // A machine without deferred sets has one row.
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok((loaded, scopes))
}

fn usage(reason: String, sources: &mut SourceMap) -> Failure {
    use bcheck_source::{Code, Diagnostic, Span};
    // A separate source, so that the refusal is shown like one of a machine, with the option underlined.
    let file = sources.add("<command line>", "--deferred");
    Failure::Refused(vec![Diagnostic::error(Code::BadSize, Span::new(file, 0, 0), reason)], Exit::Usage)
}

/// The reduced run of one row; the full side is what it counted.
fn reduced_row(model: &Arc<Model>, scope: &Scope, sources: &SourceMap, options: &Options, watcher: Watcher<'_>) -> (Row, Outcome) {
    // Compiling and detecting symmetries are included: they are a part of the cost of a reduced search.
    let started = Instant::now();
    let outcome = search(model, scope, options, watcher);
    let row = Row {
        deferred: deferred(model, scope).map(|(name, size)| (name.to_owned(), size)).collect(),
        reduced: Reduced {
            states: outcome.explored.prob_states,
            transitions: outcome.explored.prob_transitions,
            time_s: started.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak_bytes(),
            complete: outcome.exhausted,
        },
        full: Full {
            states: outcome.full.prob_states.clone(),
            transitions: outcome.full.prob_transitions.clone(),
            explored_s: None,
            exact: outcome.full.exact,
        },
        verdict: outcome.verdict.word(),
        finding: outcome.finding.as_ref().and_then(|finding| in_words(model, sources, finding)),
    };
    (row, outcome)
}

/// A finding in one line, with its place.
fn in_words(model: &Model, sources: &SourceMap, finding: &Finding) -> Option<String> {
    let violation = violation_of(model, sources, &finding.fault)?;
    let place = violation.span.map(|span| {
        let at = sources.line_column(span);
        format!(" ({}:{}:{})", sources.file(span.file).name, at.line, at.column)
    });
    let place = place.unwrap_or_default();
    Some(match violation.formula {
        Some(formula) => format!("{}: {formula}{place}", violation.message),
        None => format!("{}{place}", violation.message),
    })
}

/// Explores the full space of a row within the limit, and compares the result with what was counted.
fn explore_full(
    model: &Arc<Model>,
    scope: &Scope,
    options: &Options,
    args: &CompareArgs,
    row: &mut Row,
    reduced: &Outcome,
    watcher: Watcher<'_>,
) -> Result<(), String> {
    let started = Instant::now();
    // With the same checks as the reduced run: times are comparable only if both do the same work for each state.
    let full = search(model, scope, &config::unreduced(options, from_now(args.full_limit.0)), watcher);
    // A run that was cut off contradicts nothing.
    if !full.exhausted {
        return Ok(());
    }
    // Without reduction `explored` counts every state: orbit sizes must add up to it.
    let explored = (BigUint::from(full.explored.prob_states), BigUint::from(full.explored.prob_transitions));
    if reduced.exhausted && reduced.full.exact {
        let counted = (&reduced.full.prob_states, &reduced.full.prob_transitions);
        if counted != (&explored.0, &explored.1) {
            return Err(format!(
                "at {:?} orbits count {} states and {} transitions, but {} and {} were explored",
                row.deferred, counted.0, counted.1, explored.0, explored.1
            ));
        }
    }
    row.full = Full { states: explored.0, transitions: explored.1, explored_s: Some(started.elapsed().as_secs_f64()), exact: true };
    Ok(())
}
