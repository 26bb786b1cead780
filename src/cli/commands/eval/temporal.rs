//! `bcheck eval --ltl`, `--ctl`: how a temporal formula is parsed, the automaton that a check would use, and its value on a saved trace.
//!
//! Invariant: nothing is searched; the value on a trace is that on the run of the machine which replays it. Deliberately elsewhere: checks
//! of formulas (`temporal`), how a trace is followed (`replay`).

use crate::args::{EvalArgs, FormatArg, TableFormatArg};
use crate::commands::eval::formula_tree::tree;
use crate::commands::replay;
use crate::commands::replay::end::{self, close_loop};
use crate::commands::replay::read_trace;
use crate::commands::replay::resolve::{Resolver, adopt_scope};
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::console::Console;
use crate::io::interrupt;
use crate::io::output::{self, Output};
use crate::load::{Failure, Loaded};
use bcheck_eval::Machine;
use bcheck_explore::{NoValueOnRun, Trace, Verdict, negation_automata, value_on_run};
use bcheck_ir::Scope;
use bcheck_ir::temporal::TemporalFormula;
use bcheck_report::formula::{self, FormulaReport, RunReport};
use bcheck_report::recorded::RecordedTrace;
use bcheck_report::replay::Grade;
use bcheck_sema::{FormulaContext, read_temporal};
use bcheck_source::{Code, Diagnostic, Shown};
use bcheck_syntax::temporal::{Logic, Temporal, parenthesised, parse_temporal};
use std::path::Path;
use std::sync::Arc;

/// A formula in the context of a machine.
struct Study {
    tree: Temporal,
    formula: TemporalFormula,
    machine: Machine,
    loaded: Loaded,
    recorded: Option<RecordedTrace>,
}

/// Shows a formula.
pub(crate) fn run(args: &EvalArgs, logic: Logic, text: &str) -> Ended {
    args.temporal.verified().map_err(complaint(Exit::Usage))?;
    let inputs = [("the machine", args.machine.as_deref()), ("the trace", args.temporal.on.as_deref())];
    let inputs: Vec<(&str, &Path)> = inputs.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    // Before anything is read: an output that would replace an input is an error of the command line.
    let [picture] = output::reserve(&inputs, [("--hoa", args.temporal.hoa.as_deref())]).map_err(refused)?;
    let is_json = args.temporal.format == Some(TableFormatArg::Json);
    let mut console = Console::open(&args.common.messages, if is_json { FormatArg::Json } else { FormatArg::Text });
    let study = match prepare(args, logic, text, &mut console) {
        Ok(study) => study,
        Err((failure, path)) => return Err(console.refuse(&failure, path, Output::stdout())),
    };
    let machine = &study.machine;
    interrupt::run(machine.interrupt());
    let automata = match logic {
        Logic::Ltl => negation_automata(machine, &study.formula).map_err(|reason| no_value(&reason))?,
        Logic::Ctl => Vec::new(),
    };
    if let Some(file) = picture {
        let is_dot = args.temporal.hoa.as_ref().and_then(|path| path.extension()).is_some_and(|ending| ending.eq_ignore_ascii_case("dot"));
        // Several automata follow each other in one file, as both formats allow.
        let text: String = automata.iter().map(|automaton| if is_dot { automaton.dot() } else { automaton.hoa() }).collect();
        file.save(&Shown::lines(&text)).map_err(complaint(Exit::Io))?;
    }
    let (mut notes, mut value) = (Vec::new(), None);
    if let Some(recorded) = &study.recorded {
        let run = followed(&study, recorded, &mut console, &mut notes)?;
        value = Some(value_on_run(machine, &study.formula, &run).map_err(|fault| show_fault(&fault, &console))?);
    }
    let file = args.temporal.on.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let first = machine.model().set_up_steps();
    let report = FormulaReport {
        logic: logic.name(),
        parenthesised: parenthesised(&study.tree).to_string(),
        tree: tree(&study.tree, logic),
        automata: automata.iter().map(|automaton| (automaton.states(), automaton.acceptance_sets())).collect(),
        run: value.as_ref().map(|value| RunReport { file: &file, value, first, notes: &notes }),
    };
    let text = if is_json { formula::json(&report) } else { formula::text(&report) };
    Output::stdout().save(&text).map_err(complaint(Exit::Io))?;
    Ok(Exit::Done)
}

/// The formula with its machine and the saved trace; otherwise the error and its file.
fn prepare<'a>(args: &'a EvalArgs, logic: Logic, text: &str, console: &mut Console) -> Result<Study, (Failure, &'a Path)> {
    let path = args.machine.as_deref().unwrap_or(Path::new("<formula>"));
    let (mut loaded, mut scope): (Loaded, Scope) =
        console.load_context(args.machine.as_deref(), &args.common, &args.scope).map_err(|failure| (failure, path))?;
    let recorded = match args.temporal.on.as_deref() {
        Some(trace) => Some(read_trace(trace, &mut loaded, &mut console.sources).map_err(|failure| (failure, trace))?),
        None => None,
    };
    // Before the formula, which may name elements that only these sizes create.
    if let Some(recorded) = &recorded {
        adopt_scope(&mut scope, &loaded.model, recorded, &args.scope);
    }
    let option = if logic == Logic::Ltl { "--ltl" } else { "--ctl" };
    let file = console.sources.add(option, text);
    let context = FormulaContext { model: Some(&loaded.model), scope: Some(&scope), ..FormulaContext::default() };
    let (formula, model) =
        read_temporal(file, logic, option, text, context, &loaded.macros).map_err(|list| (Failure::of_machine(list), path))?;
    let tree = parse_temporal(file, logic, text).tree;
    let machine = Machine::compile(Arc::new(model), scope);
    Ok(Study { tree, formula, machine, loaded, recorded })
}

/// The run of the machine that replays a saved trace. If the trace cannot be followed to its end, the command ends.
fn followed(study: &Study, recorded: &RecordedTrace, console: &mut Console, notes: &mut Vec<String>) -> Result<Trace, Exit> {
    let machine = &study.machine;
    let resolved = Resolver::new(&study.loaded, machine, &mut console.sources).resolve(recorded);
    let (mut replayed, end) = replay::run_again(machine, recorded, &resolved)?;
    if let Some(stop) = replay::stop_of(machine, &console.sources, recorded, &resolved, &replayed) {
        let grade = if replayed.trace.steps.is_empty() { Grade::Broken } else { Grade::Partial };
        let reason = format!("step {} of the trace, {}, cannot be replayed: {}", stop.step, stop.title, stop.message);
        return Err(complain(&reason, Exit::Replay(grade)));
    }
    replayed.trace.end = end;
    close_loop(machine, &mut replayed.trace);
    let ending = end::checked(machine, &replayed.trace, false);
    if let Some(ending) = ending.filter(|ending| ending.is_confirmed == Some(false)) {
        notes.push(format!("{}; the trace is taken for the beginning of a run", ending.message));
        replayed.trace.end = None;
    }
    Ok(replayed.trace)
}

/// Shows why the formula has no value on the run.
fn show_fault(fault: &NoValueOnRun, console: &Console) -> Exit {
    match fault {
        NoValueOnRun::Proposition(step, error) => {
            let title = format!("after step {step} a proposition has no value: {}", error.kind);
            console.show_one(&Diagnostic::error(Code::IllDefined, error.span, title));
            Exit::NoValue
        }
        NoValueOnRun::Other(reason) => no_value(reason),
    }
}

fn no_value(reason: &str) -> Exit {
    // A limit or signal is the reason for whatever else failed because of it.
    match interrupt::reason() {
        Some(interrupted) => complain(&interrupted, Exit::Verdict(Verdict::Incomplete)),
        None => complain(reason, Exit::NoValue),
    }
}
