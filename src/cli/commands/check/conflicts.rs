//! Which options of a check do not go together.
//!
//! Invariant: each refusal names the option in the way, before anything is read. Deliberately elsewhere: what depends on the machine
//! (`check`), how a text is parsed (`args`).

use crate::args::{CheckArgs, FormatArg, first_given};
use crate::commands::checkpoint;
use crate::exit::{Exit, complain, complaint};
use bcheck_explore::Strategy;
use bcheck_source::Vocabulary;

/// Refuses options that do not go together.
pub(crate) fn refuse(args: &CheckArgs) -> Result<(), Exit> {
    args.temporal.verified(args.strategy).map_err(complaint(Exit::Usage))?;
    let refused = [beside_goal, beside_lint, beside_plan, one_thread, simulation].into_iter().find_map(|refused| refused(args));
    if let Some(reason) = refused {
        return Err(complain(&reason, Exit::Usage));
    }
    // Nothing is searched, so nothing is kept.
    if args.lint { Ok(()) } else { checkpoint::verify(&args.checkpoints, args.strategy, args.temporal.is_asked()) }
}

fn beside_goal(args: &CheckArgs) -> Option<String> {
    let is_refused = args.goal.is_some() && args.temporal.only_temporal;
    is_refused.then(|| "--goal looks for a state, and --only-temporal leaves that out: leave out one of them".to_owned())
}

/// Options that ask for a search, or for what only a search finds.
fn beside_lint(args: &CheckArgs) -> Option<String> {
    if !args.lint {
        return None;
    }
    // Test cases and results are about errors, too.
    let files = files_beside_report(args).into_iter().filter(|(option, _)| !matches!(*option, "--junit" | "--sarif"));
    let others = [("--explain-plan", args.explain_plan.is_some()), ("--check-symmetry", args.check_symmetry)];
    let option = first_given(files.chain(others).chain(shown_of_search(args))).or(args.expected.option())?;
    Some(format!("--lint searches nothing: leave it out, or {option}"))
}

/// Options about a search, or about another form of report, where the plan of an operation is shown instead.
fn beside_plan(args: &CheckArgs) -> Option<String> {
    args.explain_plan.as_ref().filter(|_| !args.lint)?;
    let format = ("--format", args.report.format != FormatArg::Text);
    let others = files_beside_report(args).into_iter().chain([format]).chain(shown_of_search(args));
    let option = first_given(others).or(args.expected.option())?;
    Some(format!("--explain-plan shows a plan as text and searches nothing: leave it out, or {option}"))
}

/// Several workers, for an order that has one state to expand at a time.
fn one_thread(args: &CheckArgs) -> Option<String> {
    let workers = args.search.workers.filter(|workers| *workers > 1 && args.strategy.is_sequential() && !args.lint)?;
    let word = args.strategy.word();
    Some(format!(
        "--strategy {word} expands one state at a time, on one thread: leave out --workers {workers}, or search by --strategy bfs"
    ))
}

/// Options that do not go with a simulation, or with nothing else.
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
            "random runs have no end of their own: give --strategy simulate a number by --runs, or a time by --time-limit"
        }
        (Strategy::Simulation, _) | (_, None) => return None,
        (_, Some(option)) => return Some(format!("{option} is about random runs: add --strategy simulate, or leave it out")),
    };
    Some(reason.to_owned())
}

/// The first option that writes a file or folder, if one is given.
pub(crate) fn written_file(args: &CheckArgs) -> Option<&'static str> {
    let report = ("--output", args.report.output.is_some());
    first_given([report].into_iter().chain(files_beside_report(args)))
}

/// The options that write files and folders beside the report, and whether they were given.
fn files_beside_report(args: &CheckArgs) -> [(&'static str, bool); 8] {
    let CheckArgs { trace, html, graph, junit, sarif, watch, checkpoints, drawing, .. } = args;
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

/// The options that show more of a search in its report, and whether they were given.
fn shown_of_search(args: &CheckArgs) -> [(&'static str, bool); 3] {
    let explaining = &args.explaining;
    [("--explain", explaining.explain), ("--changes", explaining.changes), ("--coverage", args.coverage)]
}
