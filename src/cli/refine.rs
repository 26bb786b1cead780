//! `bcheck refine`: load a refinement with the machine that it refines, search both side by side, report.
//!
//! Invariant: as for a check: the report is written before anything is said about expectations.

use super::args::RefineArgs;
use super::check::{complain, expectations, render, show_met};
use super::exit::Exit;
use super::files::{self, Sink};
use super::load::{self, Failure, Loaded};
use super::progress::Watcher;
use super::terminal::Terminal;
use super::{config, interrupt, memory, scope};
use crate::eval::Machine;
use crate::explore::refine::{Demands, refine};
use crate::ir::{Refinement, Scope};
use crate::report::{CheckReport, RefinementReport, Times};
use crate::sema::RefinementRequest;
use crate::source::{Code, Diagnostic, SourceMap, Span};
use crate::symmetry::Symmetry;
use std::sync::Arc;
use std::time::Instant;

/// Runs a refinement check.
pub(super) fn run(args: &RefineArgs) -> Exit {
    let terminal = Terminal::detect(args.common.messages.color);
    let path = args.machine.as_path();
    if args.chain {
        let code = Code::NotSupported;
        let place = path.display();
        files::complain(&format!(
            "{place}:1:1: error[{code}]: --chain is not yet supported; check one link of the chain after the other\n"
        ));
        return Exit::Rejected;
    }
    let mut sink = match Sink::open(args.output.as_deref()) {
        Ok(sink) => sink,
        Err(reason) => return complain(&reason, Exit::Io),
    };
    let mut sources = SourceMap::new();
    let started = Instant::now();
    let (loaded, refinement, scope) = match prepare(args, &mut sources) {
        Ok(ready) => ready,
        Err(failure) => return failure.tell(path, args.format, &sources, &mut sink, terminal),
    };
    load::show(&loaded.warnings, args.format, &sources, terminal);
    let options = config::of_refine(args);
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let symmetry = Symmetry::new(machine.model(), machine.scope(), options.symmetry);
    interrupt::watch(machine.interrupt());
    let load_s = started.elapsed().as_secs_f64();
    let search = Instant::now();
    let mut watcher = Watcher::new(args.progress, "");
    let demands = Demands { matching: args.mode.into(), refusals: args.refusals, divergence: args.divergence };
    let outcome = refine(&machine, &refinement, &symmetry, demands, &options, &mut watcher);
    watcher.finish();
    let diagnostics = [loaded.warnings, show_met(&machine, args.format, &sources, terminal)].concat();
    tracing::info!(configurations = outcome.explored.states, verdict = outcome.verdict.as_str(), "search ended");
    let report = CheckReport {
        sources: &sources,
        file: &path.display().to_string(),
        model: machine.model(),
        scope: machine.scope(),
        options: &options,
        outcome: &outcome,
        refinement: Some(RefinementReport { refinement: &refinement, demands }),
        symmetry: symmetry.detail(),
        diagnostics: &diagnostics,
        times: Times { load_s, search_s: search.elapsed().as_secs_f64() },
        peak_memory_bytes: memory::peak_bytes(),
    };
    if let Err(reason) = sink.write(&render(&report, args.format, args.output.is_some(), terminal)) {
        return complain(&reason, Exit::Io);
    }
    if let Some(fault) = &outcome.internal_error {
        return complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug);
    }
    expectations(args.expect, &[], &outcome)
}

/// Loads both machines and decides their sizes.
fn prepare(args: &RefineArgs, sources: &mut SourceMap) -> Result<(Loaded, Refinement, Scope), Failure> {
    let request = RefinementRequest { precondition: args.pre.into(), hidden: &args.hide };
    let (mut loaded, refinement) = load::load_refinement(&args.machine, &args.common.folders, request, sources)?;
    let own: Vec<&String> = loaded.model.operations.keys().take(refinement.operations.len()).collect();
    if let Some(unknown) = args.hide.iter().find(|name| !own.contains(name)) {
        let text = format!("--hide {unknown}");
        let file = sources.add("<command line>", text.clone());
        let place = Span::new(file, text.len() - unknown.len(), text.len());
        let error = Diagnostic::error(Code::UnknownOperation, place, format!("the refinement has no operation `{unknown}`"));
        return Err(Failure::Refused(vec![error], Exit::Usage));
    }
    let scope = scope::of_machine(&mut loaded, &args.scope, sources)?;
    Ok((loaded, refinement, scope))
}
