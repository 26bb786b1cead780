//! Which options of a check exclude each other.
//!
//! Invariant: each refusal names the conflicting option, before anything is read. Deliberately elsewhere: conflicts that depend on the
//! machine (`check`), how a text is parsed (`args`).

use crate::args::{CheckArgs, FormatArg, OutcomeFiles, first_given};
use crate::commands::checkpoint;
use crate::exit::{Exit, complain, complaint};
use bcheck_explore::Strategy;
use bcheck_source::Vocabulary;

/// Refuses options that exclude each other.
pub(crate) fn refuse(args: &CheckArgs) -> Result<(), Exit> {
    args.temporal.verified(args.strategy).map_err(complaint(Exit::Usage))?;
    let refused = [beside_goal, beside_lint, beside_plan, one_thread, simulation].into_iter().find_map(|refused| refused(args));
    if let Some(reason) = refused {
        return Err(complain(&reason, Exit::Usage));
    }
    // Nothing is searched, so no checkpoint is written.
    if args.lint { Ok(()) } else { checkpoint::verify(&args.checkpoints, args.strategy, args.temporal.is_asked()) }
}

fn beside_goal(args: &CheckArgs) -> Option<String> {
    let is_refused = args.goal.is_some() && args.temporal.only_temporal;
    is_refused.then(|| "--goal searches for a state, and --only-temporal omits that search: leave out one of them".to_owned())
}

/// The first option that requests a search or its results.
fn beside_lint(args: &CheckArgs) -> Option<String> {
    if !args.lint {
        return None;
    }
    // Test cases and results may also report errors.
    let files = files_beside_report(args).into_iter().filter(|(option, _)| !matches!(*option, "--junit" | "--sarif"));
    let others = [("--explain-plan", args.explain_plan.is_some()), ("--check-symmetry", args.check_symmetry)];
    let option = first_given(files.chain(others).chain(shown_of_search(args))).or(args.expected.option())?;
    Some(format!("--lint searches nothing: leave it out, or {option}"))
}

/// The first option about a search or about another report format, which a plan does not have.
fn beside_plan(args: &CheckArgs) -> Option<String> {
    args.explain_plan.as_ref().filter(|_| !args.lint)?;
    let format = ("--format", args.report.format != FormatArg::Text);
    let others = files_beside_report(args).into_iter().chain([format]).chain(shown_of_search(args));
    let option = first_given(others).or(args.expected.option())?;
    Some(format!("--explain-plan shows a plan as text and searches nothing: leave it out, or {option}"))
}

/// Several workers with an order that expands one state at a time.
fn one_thread(args: &CheckArgs) -> Option<String> {
    let workers = args.search.workers.filter(|workers| *workers > 1 && args.strategy.is_sequential() && !args.lint)?;
    let word = args.strategy.word();
    Some(format!(
        "--strategy {word} expands one state at a time, on one thread: leave out --workers {workers}, or search by --strategy bfs"
    ))
}

/// Options that exclude a simulation, or that only a simulation has.
fn simulation(args: &CheckArgs) -> Option<String> {
    if args.lint {
        return None;
    }
    let given = first_given([("--runs", args.random.runs.is_some()), ("--seed", args.random.seed.is_some())]);
    let reason = match (args.strategy, given) {
        (Strategy::Simulation, _) if args.graph.is_some() => {
            "--graph draws all states, and --strategy simulate is for spaces that have too many: leave out one of them"
        }
        (Strategy::Simulation, _) if args.random.runs.is_none() && args.search.limits.time_limit.is_none() => {
            "random runs never end by themselves: limit --strategy simulate by --runs N or --time-limit SECONDS"
        }
        (Strategy::Simulation, _) | (_, None) => return None,
        (_, Some(option)) => return Some(format!("{option} is about random runs: add --strategy simulate, or leave it out")),
    };
    Some(reason.to_owned())
}

/// The first option given that writes a file or folder.
pub(crate) fn written_file(args: &CheckArgs) -> Option<&'static str> {
    let report = ("--output", args.report.output.is_some());
    first_given([report].into_iter().chain(files_beside_report(args)))
}

/// The options that write files and folders beside the report, and whether they were given.
fn files_beside_report(args: &CheckArgs) -> [(&'static str, bool); 8] {
    let CheckArgs { files: OutcomeFiles { trace, html, junit, sarif }, graph, watch, checkpoints, drawing, .. } = args;
    [
        ("--trace", trace.is_some()),
        ("--html", html.is_some()),
        ("--picture", drawing.picture.is_some()),
        ("--graph", graph.is_some()),
        ("--junit", junit.is_some()),
        ("--sarif", sarif.is_some()),
        ("--status", watch.status.is_some()),
        (checkpoints.option(), checkpoints.folder().is_some()),
    ]
}

/// The options that add details of the search to its report, and whether they were given.
fn shown_of_search(args: &CheckArgs) -> [(&'static str, bool); 3] {
    let explaining = &args.explaining;
    [("--explain", explaining.explain), ("--changes", explaining.changes), ("--coverage", args.coverage)]
}
