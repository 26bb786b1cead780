//! `bcheck replay`: reads a saved trace, runs it again without reduction, reports how far it can be followed and why no further.
//!
//! Invariant: the machine decides; the trace only selects steps. As in a check, the report goes to stdout or a file, diagnostics of the
//! machine's text to stderr.

pub(crate) mod end;
pub(crate) mod resolve;

use crate::args::{FormatArg, ReplayArgs};
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::console::Console;
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use crate::io::run_files::{FilePlan, RunFiles};
use crate::load::{Asked, Failure, Loaded};
use crate::pictures::states;
use bcheck_eval::{EvalError, EvalErrorKind, FIRST_CHOICES, Machine, Obstacle, ObstacleKind};
use bcheck_explore::{
    FOLLOWED_RUNS, Replayed, StopReason, TraceEnd, ValuePlace, Verdict, WantedStep, findings_at_end, place_of, replay_lasso,
};
use bcheck_ir::{Model, Precondition, Scope};
use bcheck_report::picture::Painter;
use bcheck_report::recorded::{Postcondition, RecordedStep, RecordedTrace, Unreadable, WITHIN_INVARIANT, read};
use bcheck_report::replay::{self, ReplayReport, Stop, recorded_title};
use bcheck_report::{first_line, html, values_met, violation_of};
use bcheck_sema::{Formula, FormulaContext, read_formula};
use bcheck_source::{Code, Diagnostic, Shown, SourceMap, Span, Vocabulary};
use bcheck_value::Value;
use bcheck_value::display::display;
use resolve::{Resolved, Resolver, adopt_scope};
use std::path::Path;
use std::sync::Arc;

/// Runs a saved trace in the machine; returns the run, and how the trace says that it continues. An interrupt ends the command.
pub(crate) fn run_again(machine: &Machine, recorded: &RecordedTrace, resolved: &Resolved) -> Result<(Replayed, Option<TraceEnd>), Exit> {
    let end = recorded.end.map(|end| end::of_run(end, &resolved.of_file));
    let loop_start = end.and_then(|end| if let TraceEnd::Loop { start, .. } = end { Some(start) } else { None });
    let replayed = replay_lasso(machine, &resolved.wanted, loop_start);
    if let Some(StopReason::Evaluation(EvalError { kind: EvalErrorKind::Interrupted, .. })) = replayed.stop {
        let reason = interrupt::reason().unwrap_or_else(|| EvalErrorKind::Interrupted.to_string());
        return Err(complain(&reason, Exit::Verdict(Verdict::Incomplete)));
    }
    Ok((replayed, end))
}

/// Runs a replay.
pub(crate) fn run(args: &ReplayArgs) -> Ended {
    let inputs = [("the trace", args.trace.as_path()), ("the machine", args.machine.as_path())];
    let plan =
        FilePlan { report: args.report.output.as_deref(), html: args.html.as_deref(), drawing: Some(&args.drawing), ..FilePlan::default() };
    let files = plan.reserve(&inputs).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, args.report.format);
    let (mut loaded, recorded, scope) = match prepare(args, &mut console) {
        Ok(ready) => ready,
        Err((failure, path)) => return Err(files.refuse(&failure, path, &console)),
    };
    console.show(&loaded.warnings);
    let painter = args.drawing.draws(args.html.is_some()).map(|draws_all| painter(args, (&mut loaded, &scope), &mut console, draws_all));
    let machine = Machine::compile(Arc::new(loaded.model.clone()), scope);
    // As in a check by default: a saved run may have used one of the first values among too many.
    machine.take_first_choices(FIRST_CHOICES);
    interrupt::run(machine.interrupt());
    let resolved = Resolver::new(&loaded, &machine, &mut console.sources).resolve(&recorded);
    machine.take_wanted_choices(resolved.values());
    let (mut replayed, end) = run_again(&machine, &recorded, &resolved)?;
    let (failed, unread) = postconditions(&loaded, &machine, &mut console.sources, &recorded, &resolved, &replayed);
    let sources = &console.sources;
    let stop = stop_of(&machine, sources, &recorded, &resolved, &replayed);
    // A run that stopped early did not reach the end of the trace.
    replayed.trace.end = end.filter(|_| stop.is_none());
    let ending = end::checked(&machine, &replayed.trace, recorded.format == "ITF");
    // Properties are examined only in the last state of a complete replay: elsewhere the trace has not reached its point.
    let end = if stop.is_none() { findings_at_end(&machine, &replayed.trace) } else { Ok(Vec::new()) };
    let fault = end.ok().and_then(|findings| findings.into_iter().next());
    let violation = fault.as_ref().and_then(|fault| violation_of(machine.model(), sources, fault));
    let left_out = [resolved.left_out.as_slice(), &unread].concat();
    let report = ReplayReport {
        sources,
        file: &args.machine.display().to_string(),
        trace_file: &args.trace.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        recorded: &recorded,
        run: &replayed.trace,
        stop: stop.as_ref(),
        failed: &failed,
        left_out: &left_out,
        notes: &resolved.notes,
        ending: ending.as_ref(),
        end: fault.as_ref().map(|fault| fault.verdict().word()).zip(violation.as_ref()),
    };
    interrupt::stage(Stage::Reporting);
    let text = match args.report.format {
        FormatArg::Text => replay::text(&report, console.report_colour(args.report.output.as_deref())),
        FormatArg::Json => replay::json(&report),
        FormatArg::Short => replay::short(&report),
    };
    let exit = Exit::Replay(report.grade());
    save(files, &text, (&report, exit), painter.as_ref()).map_err(complaint(Exit::Io))?;
    Ok(exit)
}

/// Writes the report, then the slow outputs: a limit reached from here on loses only the drawings.
fn save(mut files: RunFiles, text: &Shown, (report, exit): (&ReplayReport<'_>, Exit), painter: Option<&Painter>) -> Result<(), String> {
    files.save_report(text)?;
    if let Some(painter) = painter {
        interrupt::draw(painter.machine().interrupt(), Some(exit));
    }
    files.save_page(|| html::render_replay(report, painter))?;
    let drawn = painter.filter(|_| !report.run.steps.is_empty());
    files.draw(drawn, (report.file, report.run), (report.sources, "no state of the run has a picture, so --picture writes nothing"))
}

/// The painter of the states of the run.
fn painter(args: &ReplayArgs, (loaded, scope): (&mut Loaded, &Scope), console: &mut Console, draws_all: bool) -> Painter {
    loaded.read_visb(&args.machine, &mut console.sources);
    let files = (args.machine.as_path(), &loaded.visb);
    let (painter, troubles) = states::painter((&loaded.model, scope), &loaded.macros, files, (draws_all, ""));
    console.show(&troubles);
    painter
}

/// The machine, the trace as read, and the scope of the run; otherwise the error and its file.
fn prepare<'a>(args: &'a ReplayArgs, console: &mut Console) -> Result<(Loaded, RecordedTrace, Scope), (Failure, &'a Path)> {
    let in_machine = |failure| (failure, args.machine.as_path());
    let asked = Asked { precondition: args.pre, ..Asked::default() };
    let (mut loaded, mut scope) = console.load(&args.machine, &args.common, asked, &args.scope).map_err(in_machine)?;
    if args.pre == Precondition::Guard {
        loaded.model.forget_refined();
    }
    // The machine comes first: values in a trace are parsed with its names and types.
    let recorded = read_trace(&args.trace, &mut loaded, &mut console.sources).map_err(|failure| (failure, args.trace.as_path()))?;
    adopt_scope(&mut scope, &loaded.model, &recorded, &args.scope);
    Ok((loaded, recorded, scope))
}

/// Reads a saved trace in any format. A file that is not a trace is refused at the place where parsing failed.
pub(crate) fn read_trace(path: &Path, loaded: &mut Loaded, sources: &mut SourceMap) -> Result<RecordedTrace, Failure> {
    let text = files::read_text(path).map_err(|reason| Failure::Plain(reason, Exit::Io))?;
    let recorded = read_text(path, &text, loaded, sources)?;
    // If a run begins in an arbitrary state of a refinement, nothing is known about the machines that it refines.
    if recorded.steps.iter().any(|step| step.name.as_deref() == Some(WITHIN_INVARIANT)) {
        loaded.model.forget_refined();
    }
    Ok(recorded)
}

fn read_text(path: &Path, text: &str, loaded: &Loaded, sources: &mut SourceMap) -> Result<RecordedTrace, Failure> {
    read(text, &loaded.model).map_err(|Unreadable { line, column, message }| {
        // Lines and columns count from 1, columns in characters; a span counts bytes.
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let inside = text[start..].char_indices().nth(column - 1).map_or(text.len() - start, |(at, _)| at);
        let file = sources.add(path.display().to_string(), text);
        let place = Span::new(file, start + inside, start + inside);
        let diagnostic = Diagnostic::error(Code::NotATrace, place, message)
            .help("bcheck reads traces of ProB (.prob2trace), ITF, its own JSON and text; --trace FILE saves them");
        Failure::Refused(vec![diagnostic], Exit::Syntax)
    })
}

/// Why the trace could not be followed further, in words.
pub(crate) fn stop_of(
    machine: &Machine,
    sources: &SourceMap,
    recorded: &RecordedTrace,
    resolved: &Resolved,
    replayed: &Replayed,
) -> Option<Stop> {
    let Some(reason) = &replayed.stop else { return resolved.stop.clone() };
    // The step after those that were run is the one that failed, so there is a wanted step at this index.
    let at = replayed.trace.steps.len();
    let (wanted, index) = (&resolved.wanted[at], resolved.of_file[at]);
    let step = &recorded.steps[index];
    let mut stop = Stop {
        step: index,
        title: recorded_title(step),
        reason: "not_evaluated",
        message: String::new(),
        span: None,
        formula: None,
        values: Vec::new(),
        help: Vec::new(),
    };
    reason_in_words(machine, sources, reason, (step, wanted), &mut stop);
    Some(stop)
}

/// Adds to the end of a replay why its step was not possible.
fn reason_in_words(
    machine: &Machine,
    sources: &SourceMap,
    reason: &StopReason,
    (step, wanted): (&RecordedStep, &WantedStep),
    stop: &mut Stop,
) {
    let model = machine.model();
    match reason {
        StopReason::Obstacle(obstacle) => obstacle_in_words(machine, sources, obstacle, stop),
        StopReason::NoOutcome => {
            stop.reason = "no_outcome";
            stop.message = "its guard holds, but its body has no outcome".to_owned();
            stop.span = Some(first_line(sources, place_of(machine, wanted.kind)));
        }
        StopReason::Impossible { place, wanted: value, possible } => {
            let (name, value) = (name_of(*place, step, model), display(value, model));
            let possible: Vec<String> = possible.iter().map(|value| display(value, model)).collect();
            stop.reason = "value_not_possible";
            stop.message = format!("`{name}` cannot be {value} after this step: it can be {}", possible.join(" or "));
            stop.values = vec![(name.to_owned(), value)];
            stop.span = Some(first_line(sources, place_of(machine, wanted.kind)));
        }
        StopReason::IllDefined(error) => {
            stop.reason = "ill_defined";
            stop.message = format!("it is ill-defined: {}", error.kind);
            stop.span = Some(error.span);
            stop.help = values_met(model, error);
        }
        StopReason::OutOfOrder => {
            stop.reason = "out_of_order";
            stop.message = "it cannot occur here: constants are set up first, then comes the initialisation, then operations".to_owned();
        }
        StopReason::NotGiven(place) => {
            stop.reason = "value_not_given";
            stop.message = format!(
                "a run that begins with any state that satisfies the invariant needs all values, and `{}` has none",
                name_of(*place, step, model)
            );
        }
        StopReason::TooManyRuns => {
            stop.reason = "too_many_runs";
            stop.message =
                format!("none of {FOLLOWED_RUNS} runs that agree with the trace so far continues with it, and there may be more");
            stop.help = vec!["a trace that gives more values leaves fewer runs".to_owned()];
        }
        StopReason::Evaluation(error) => {
            stop.message = error.kind.to_string();
            stop.span = Some(error.span);
        }
    }
}

/// The name of the constant, variable or result at a place.
fn name_of<'a>(place: ValuePlace, step: &'a RecordedStep, model: &'a Model) -> &'a str {
    match place {
        ValuePlace::State(index) => model.constants.keys().chain(model.variables.keys()).nth(index).map_or("?", String::as_str),
        ValuePlace::Result(index) => step.results.get(index).map_or("?", |(name, _)| name.as_str()),
    }
}

/// The postconditions of the steps that were run: those that do not hold, and those that cannot be read.
fn postconditions(
    loaded: &Loaded,
    machine: &Machine,
    sources: &mut SourceMap,
    recorded: &RecordedTrace,
    resolved: &Resolved,
    replayed: &Replayed,
) -> (Vec<String>, Vec<String>) {
    let (mut failed, mut unread) = (Vec::new(), Vec::new());
    let steps = replayed.trace.steps.iter().zip(&resolved.of_file).enumerate();
    for (at, (step, index)) in steps {
        // A step of the file may be run as two, constants first: its postconditions apply after the second.
        if resolved.of_file.get(at + 1) == Some(index) {
            continue;
        }
        for postcondition in &recorded.steps[*index].postconditions {
            match postcondition {
                Postcondition::Holds(predicate) => match predicate_holds(loaded, machine, sources, predicate, &step.state) {
                    Ok(true) => {}
                    Ok(false) => failed.push(format!("after step {index} this is false: {predicate}")),
                    Err(reason) => unread.push(format!("the postcondition {predicate} of step {index} has no value: {reason}")),
                },
                // ProB's predicate would restrict the arguments; reported as not compared, it counts neither for nor against the trace.
                Postcondition::Enabled { operation, predicate, .. } if !predicate.trim().is_empty() => {
                    unread.push(format!("that `{operation}` is enabled after step {index} with {predicate} was not compared"));
                }
                Postcondition::Enabled { operation, wanted, .. } => {
                    let steps = machine.model().operation(operation).map(|operation| machine.successors(&step.state, operation));
                    match steps {
                        None => unread.push(format!("a postcondition of step {index} names `{operation}`, which is not an operation")),
                        Some(Err(error)) => unread.push(format!("whether `{operation}` is enabled after step {index}: {}", error.kind)),
                        // An ill-defined instance has passed its guard, so it is enabled.
                        Some(Ok(found)) if (!found.steps.is_empty() || !found.ill_defined.is_empty()) == *wanted => {}
                        Some(Ok(_)) if *wanted => failed.push(format!("after step {index} `{operation}` is not enabled")),
                        Some(Ok(_)) => failed.push(format!("after step {index} `{operation}` is enabled")),
                    }
                }
            }
        }
    }
    (failed, unread)
}

fn predicate_holds(loaded: &Loaded, machine: &Machine, sources: &mut SourceMap, text: &str, state: &[Value]) -> Result<bool, String> {
    let context = FormulaContext { model: Some(&loaded.model), scope: Some(machine.scope()), expected: None, has_current: false };
    match read_formula(sources.add("<trace>", text), text, context, &loaded.macros) {
        Err(diagnostics) => Err(diagnostics.first().map_or_else(|| "it cannot be read".to_owned(), |first| first.title.clone())),
        Ok((Formula::Expr(_), _)) => Err("it is not a predicate".to_owned()),
        Ok((Formula::Pred(pred), model)) => {
            // Compiled again, because the names that the predicate binds need slots in the frame.
            let machine = Machine::compile(Arc::new(model), machine.scope().clone());
            machine.holds(&pred, state).map_err(|error| error.kind.to_string())
        }
    }
}

fn obstacle_in_words(machine: &Machine, sources: &SourceMap, obstacle: &Obstacle, stop: &mut Stop) {
    let formula = sources.text(obstacle.span).split_whitespace().collect::<Vec<_>>().join(" ");
    (stop.reason, stop.message) = obstacle_message(obstacle, &formula);
    stop.span = Some(obstacle.span);
    stop.formula = Some(formula);
    stop.values = obstacle.values.iter().map(|(name, value)| (name.clone(), display(value, machine.model()))).collect();
}

/// The reason as a word for programs, and as a sentence.
pub(crate) fn obstacle_message(obstacle: &Obstacle, formula: &str) -> (&'static str, String) {
    match &obstacle.kind {
        ObstacleKind::False => ("guard_false", format!("this is false: {formula}")),
        ObstacleKind::NoneSatisfies(names) => {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            ("guard_false", format!("no {names} satisfies this with the conditions before it: {formula}"))
        }
        ObstacleKind::IllDefined(kind) => ("guard_ill_defined", format!("this is ill-defined ({kind}): {formula}")),
    }
}
