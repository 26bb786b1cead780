//! `bcheck cover`: traces that together cover the operations and branches of a machine.
//!
//! Invariant: symmetries of elements that the machine names are not used, as they may exchange branches. Deliberately elsewhere: the
//! targets and how they are reached (`explore`), the report (`report::cover`).

use crate::args::{CoverArgs, FormatArg, TableFormatArg};
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, own_fault, refused};
use crate::io::console::Console;
use crate::io::interrupt::{self, Stage};
use crate::io::output;
use crate::io::run_files::FilePlan;
use crate::io::trace_file::{TraceFormat, note_others};
use crate::load::Asked;
use crate::session::{assumed, not_chosen, within_bounds};
use bcheck_explore::{Coverable, CoveringRun, LimitHit, TraceFault, Verdict};
use bcheck_ir::Model;
use bcheck_report::cover::{CoverReport, CoverVerdict, json, text};
use bcheck_report::target_text::{description, operation_of};
use bcheck_report::text::stopped;
use bcheck_sema::nearest;
use bcheck_source::SourceMap;
use bcheck_symmetry::Symmetry;
use std::path::Path;

/// Searches for traces, and reports what they cover.
pub(crate) fn run(args: &CoverArgs) -> Ended {
    let folder = args.save.as_deref().map(|folder| ("--save", folder));
    let plan = FilePlan { report: args.output.as_deref(), folder, ..FilePlan::default() };
    let mut files = plan.reserve(&[("the machine", args.machine.as_path())]).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let loaded = console.load(&args.machine, &args.common, Asked::default(), &args.scope);
    let (loaded, scope) = loaded.map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    if loaded.model.operations.is_empty() {
        return Err(complain("the machine has no operations, so there is nothing to cover", Exit::Usage));
    }
    interrupt::stage(Stage::Preparing("the machine was compiled"));
    let coverable = Coverable::compile(loaded.model, &scope, args.mcdc);
    let machine = coverable.machine();
    let wanted = wanted(&coverable, &console.sources, &args.target)?;
    console.show(&within_bounds(machine.tried()));
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), args.symmetry);
    interrupt::run(machine.interrupt());
    let limits = config::limits(&args.limits);
    if let Some(asked) = args.workers.filter(|workers| *workers > 1) {
        tracing::info!(target: "bcheck::cli", asked, "the search for targets has one worker");
    }
    // Traces are built for what was reached before a limit, as long as a moment remains for that.
    let covered =
        coverable.cover(&symmetry, (&limits, args.choices.max_choices), &wanted, &mut || interrupt::draw(machine.interrupt(), None));
    interrupt::stage(Stage::Reporting);
    let coverage = covered.map_err(|fault| match fault {
        TraceFault::Interrupted => complain("interrupted", Exit::Verdict(Verdict::Incomplete)),
        fault => own_fault(&format!("a run to a target could not be made: {fault}")),
    })?;
    if coverage.limit.is_none() && !coverage.is_initialised {
        let verdict = if coverage.set_ups == 0 { Verdict::UnsatisfiableProperties } else { Verdict::NoInitialState };
        let reason = if coverage.set_ups == 0 { "no values of the constants satisfy PROPERTIES" } else { "there is no initial state" };
        let reason = format!("{reason}, so nothing can be covered; a check of the machine shows why: bcheck MACHINE");
        return Err(complain(&reason, Exit::Verdict(verdict)));
    }
    console.show(&[assumed(machine), not_chosen(machine)].concat());
    let stopped = coverage.limit.as_ref().map(|limit| match limit {
        LimitHit::Interrupted => interrupt::reason().unwrap_or_else(|| "interrupted".to_owned()),
        limit => stopped(limit),
    });
    let report = CoverReport {
        model: machine.model(),
        scope: machine.scope(),
        sources: &console.sources,
        file: &args.machine.display().to_string(),
        targets: coverable.targets(),
        coverage: &coverage,
        stopped,
    };
    if let Some(folder) = &args.save {
        save(folder, &args.machine, &report, &coverage.runs)?;
    }
    let rendered = match args.format {
        TableFormatArg::Text => text(&report),
        TableFormatArg::Json => json(&report),
    };
    files.save_report(&rendered).map_err(complaint(Exit::Io))?;
    Ok(match report.verdict() {
        CoverVerdict::Covered | CoverVerdict::PartlyCoverable => Exit::Done,
        CoverVerdict::Incomplete => Exit::Verdict(Verdict::Incomplete),
    })
}

/// Which targets are requested: all, unless some are named.
fn wanted(coverable: &Coverable, sources: &SourceMap, named: &[String]) -> Result<Vec<bool>, Exit> {
    let (targets, model) = (coverable.targets(), coverable.machine().model());
    let mut wanted = vec![named.is_empty(); targets.len()];
    for name in named {
        let number = name.parse::<usize>().ok();
        let is_meant = |at: usize| match number {
            Some(number) => at + 1 == number,
            None if model.operations.contains_key(name) => operation_of(model, &targets[at]) == *name,
            None => description(sources, &targets[at]).contains(name.as_str()),
        };
        let meant: Vec<usize> = (0..targets.len()).filter(|at| is_meant(*at)).collect();
        if meant.is_empty() {
            return Err(complain(&unknown(model, targets.len(), name, number.is_some()), Exit::Usage));
        }
        meant.into_iter().for_each(|at| wanted[at] = true);
    }
    Ok(wanted)
}

fn unknown(model: &Model, targets: usize, name: &str, is_number: bool) -> String {
    if is_number {
        return format!("--target: there is no target {name}; they have the numbers 1 to {targets}");
    }
    let near = nearest(name, model.operations.keys().map(String::as_str));
    let help = match near {
        Some(near) => format!("a similar operation is `{near}`"),
        None => "without --target, all of them are listed".to_owned(),
    };
    format!("--target: no operation has the name `{name}`, and no target has it in its text ({help})")
}

/// Saves the traces in a folder.
fn save(folder: &Path, machine: &Path, report: &CoverReport<'_>, runs: &[CoveringRun]) -> Result<(), Exit> {
    let (width, mut saved) = (runs.len().to_string().len(), Vec::new());
    for (number, run) in (1..).zip(runs) {
        for ending in ["prob2trace", "json"] {
            let path = folder.join(format!("trace_{number:0width$}.{ending}"));
            let format = TraceFormat::of(&path).map_err(complaint(Exit::Usage))?;
            let file = output::reserve_in(folder, ("the machine", machine), ("--save", &path)).map_err(refused)?;
            let numbers: Vec<String> = run.places.iter().map(|(target, _)| (target + 1).to_string()).collect();
            let description = format!("test found by bcheck cover: covers {}", numbers.join(", "));
            let rendered = format.render(report.model, report.scope, &run.trace, &description);
            file.save(&rendered).map_err(complaint(Exit::Io))?;
            saved.push(path);
        }
    }
    let is_trace = |name: &str| name.starts_with("trace_") && (name.ends_with(".prob2trace") || name.ends_with(".json"));
    note_others(folder, &saved, "--save", is_trace);
    Ok(())
}
