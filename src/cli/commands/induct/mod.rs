//! `bcheck induct`: whether the invariant is inductive, over all states that satisfy it, at the sizes given; and whether a refinement
//! refines from all pairs of states that satisfy the invariants.
//!
//! Invariant: symmetries of elements that the machine names are not used, as they may exchange conjuncts. Deliberately elsewhere:
//! enumerating states and examining steps (`explore`), the report (`report::induction`).

mod traces;

use crate::args::{FormatArg, InductArgs, TableFormatArg, first_given};
use crate::commands::eval::printed::no_value;
use crate::commands::replay::resolve;
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::console::Console;
use crate::io::interrupt::{self, Stage};
use crate::io::run_files::FilePlan;
use crate::load::{self, Asked, Failure, Loaded};
use crate::progress::Watcher;
use crate::scope;
use crate::session::{assumed, not_chosen, within_bounds};
use bcheck_eval::{EvalError, Machine, Question};
use bcheck_explore::{Induction, InductionCheck, Obligations, Verdict, reach_examples, refine, within_invariant};
use bcheck_ir::{Model, OperationId, Precondition, Refinement, Scope};
use bcheck_report::induction::{InductionReport, InductionVerdict, json, text};
use bcheck_sema::RefinementRequest;
use bcheck_source::{Code, Diagnostic};
use bcheck_symmetry::Symmetry;

/// Decides whether the invariant of a machine is inductive.
pub(crate) fn run(args: &InductArgs) -> Ended {
    let folder = args.traces.as_deref().map(|folder| ("--traces", folder));
    let plan = FilePlan { report: args.output.as_deref(), folder, ..FilePlan::default() };
    let mut files = plan.reserve(&[("the machine", args.machine.as_path())]).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let (loaded, scope, refinement) = load(args, &mut console).map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    accept(args, &loaded.model, refinement.as_ref())?;
    interrupt::stage(Stage::Preparing("the machine was compiled"));
    let obligations = obligations(&loaded.model, refinement.as_ref(), args)?;
    let (machine, question) = match &refinement {
        None => within_invariant(loaded.model, scope),
        Some(refinement) => refine::within_invariants(loaded.model, refinement, scope),
    };
    console.show(&within_bounds(question.tried()));
    let found = match examine(args, (&machine, &question), refinement.as_ref(), &obligations) {
        Ok(found) => found,
        Err(error) => return Ok(no_value(&machine, &error, &console)),
    };
    interrupt::stage(Stage::Reporting);
    if found.set_ups == 0 && found.is_complete && found.left_out.is_none() {
        // Over an empty set of states everything is true.
        let reason =
            "no values of the constants satisfy PROPERTIES, so there are no states; a check of the machine shows why: bcheck MACHINE";
        return Err(complain(reason, Exit::Verdict(Verdict::UnsatisfiableProperties)));
    }
    console.show(&[assumed(&machine), not_chosen(&machine)].concat());
    let open = found.left_out.iter().map(|error| Diagnostic::warning(Code::CannotEnumerate, error.span, error.kind.to_string()));
    console.show(&open.collect::<Vec<_>>());
    let stopped = stopped(args, &found, !question.tried().is_empty() || !machine.tried().is_empty()).or_else(|| {
        let first = machine.assumptions().into_iter().next();
        first.map(|error| format!("PROPERTIES are assumed to hold: {}", error.kind))
    });
    let report = InductionReport {
        model: machine.model(),
        scope: machine.scope(),
        sources: &console.sources,
        found: &found,
        refinement: refinement.as_ref(),
        conjuncts: &obligations.conjuncts,
        stopped,
        is_assumed: !machine.assumptions().is_empty(),
    };
    if let Some(folder) = &args.traces {
        traces::save(folder, &args.machine, &report)?;
    }
    let rendered = match args.format {
        TableFormatArg::Text => text(&report),
        TableFormatArg::Json => json(&report),
    };
    files.save_report(&rendered).map_err(complaint(Exit::Io))?;
    Ok(match report.verdict() {
        InductionVerdict::NotInductive => Exit::NotInductive,
        InductionVerdict::Inductive => Exit::Done,
        InductionVerdict::IllDefined => Exit::Verdict(Verdict::IllDefined),
        InductionVerdict::Incomplete => Exit::Verdict(Verdict::Incomplete),
    })
}

/// The machine with its sizes; a refinement comes with the machine that it refines, unless considered alone.
fn load(args: &InductArgs, console: &mut Console) -> Result<(Loaded, Scope, Option<Refinement>), Failure> {
    if args.alone {
        let (mut loaded, scope) = console.load(&args.machine, &args.common, Asked::default(), &args.scope)?;
        loaded.model.forget_refined();
        return Ok((loaded, scope, None));
    }
    let request = RefinementRequest { precondition: args.pre.unwrap_or(Precondition::Contract), hidden: &args.hide };
    let (mut loaded, refinement) = load::load_either(&args.machine, &args.common.folders, request, &mut console.sources)?;
    let scope = scope::of_machine(&mut loaded, &args.scope, &mut console.sources)?;
    Ok((loaded, scope, refinement))
}

/// Refuses options that do not apply to the kind of machine loaded.
fn accept(args: &InductArgs, model: &Model, refinement: Option<&Refinement>) -> Result<(), Exit> {
    let usage = |reason: String| Err(complain(&reason, Exit::Usage));
    let Some(refinement) = refinement else {
        let given = [("--pre", args.pre.is_some()), ("--hide", !args.hide.is_empty())];
        return match first_given(given) {
            Some(option) => usage(format!("{option} is about refinements, and `{}` refines nothing", model.name)),
            None => Ok(()),
        };
    };
    let of_machines =
        [("--deadlock", args.deadlock), ("--assertions", args.assertions), ("--wd", args.wd), ("--reachable", args.reachable)];
    if let Some(option) = first_given(of_machines) {
        let name = &model.name;
        return usage(format!("{option} is about one machine, and `{name}` is a refinement: add --alone to ask about it by itself"));
    }
    let is_own = |name: &String| model.operations.keys().take(refinement.operations.len()).any(|own| own == name);
    match args.hide.iter().find(|name| !is_own(name)) {
        Some(unknown) => usage(format!("--hide: the refinement has no operation `{unknown}`")),
        None => Ok(()),
    }
}

/// Examines all states.
fn examine(
    args: &InductArgs,
    (machine, question): (&Machine, &Question),
    refinement: Option<&Refinement>,
    obligations: &Obligations,
) -> Result<Induction, EvalError> {
    let symmetry = &Symmetry::of_unnamed(machine.model(), machine.scope(), args.symmetry);
    interrupt::run(machine.interrupt());
    let mut watcher = Watcher::new(args.progress, "").of_search(&config::of_work(&args.limits), None);
    let workers = config::workers(args.workers);
    let check = InductionCheck { machine, question, symmetry, obligations, workers, max_choices: args.choices.max_choices };
    let mut found = match refinement {
        None => check.run(&mut watcher),
        Some(refinement) => refine::induction(check, refinement, &mut watcher),
    };
    if let Ok(found) = &mut found
        && args.reachable
    {
        watcher.phase("searching the reachable states for the examples");
        let most = args.max_states.and_then(|count| usize::try_from(count.0).ok()).unwrap_or(usize::MAX);
        if let Err(error) = reach_examples(machine, symmetry, most, found) {
            watcher.finish();
            return Err(error);
        }
    }
    watcher.finish();
    found
}

/// Why there may be further states, if so; `is_cut`: integers were tried in a range only.
fn stopped(args: &InductArgs, found: &Induction, is_cut: bool) -> Option<String> {
    let limit = || match args.max_states {
        Some(most) if !interrupt::happened() && found.states >= most.0 => Some(format!("stopped after {} states (--max-states)", most.0)),
        _ => interrupt::reason(),
    };
    match found.is_complete {
        false => limit().or_else(|| Some("interrupted".to_owned())),
        true if is_cut => Some("some integers were tried in a range only".to_owned()),
        true => {
            let scope = found.leaves_scope.then(|| "states outside of SCOPE were not expanded".to_owned());
            scope.or_else(|| found.left_out.as_ref().map(|error| error.kind.to_string()))
        }
    }
}

/// The obligations to be checked.
fn obligations(model: &Model, refinement: Option<&Refinement>, args: &InductArgs) -> Result<Obligations, Exit> {
    Ok(Obligations {
        operations: operations(model, refinement, &args.operation)?,
        conjuncts: conjuncts(model, &args.conjunct)?,
        deadlock: args.deadlock,
        assertions: args.assertions,
        well_defined: args.wd,
        states: args.max_states.map(|count| count.0),
    })
}

/// The operations with these names; for a refinement, its own operations.
fn operations(model: &Model, refinement: Option<&Refinement>, names: &[String]) -> Result<Vec<OperationId>, Exit> {
    let alone = refinement.map(|refinement| refinement.alone(model));
    let find = |name: &String| resolve::operation(alone.as_ref().unwrap_or(model), name);
    let found = names.iter().map(find).collect::<Result<_, _>>();
    found.map_err(|unfit| complain(&format!("--operation: {}", unfit.in_one_line()), Exit::Usage))
}

/// The conjuncts with these numbers, counted from 1, or labels.
fn conjuncts(model: &Model, names: &[String]) -> Result<Vec<usize>, Exit> {
    let find = |name: &String| {
        let by_label = || model.invariant.iter().position(|conjunct| conjunct.label.as_ref() == Some(name));
        let by_number = || name.parse::<usize>().ok().filter(|number| (1..=model.invariant.len()).contains(number));
        by_label().or_else(|| by_number().map(|number| number - 1)).ok_or_else(|| {
            let most = model.invariant.len();
            let labels: Vec<&str> = model.invariant.iter().filter_map(|conjunct| conjunct.label.as_deref()).collect();
            let labels = if labels.is_empty() { String::new() } else { format!(", or one of the labels {}", labels.join(", ")) };
            let reason = match most {
                0 => "the machine has no invariant".to_owned(),
                1 => format!("the invariant has one conjunct: give 1{labels}"),
                _ => format!("the invariant has {most} conjuncts: give a number from 1 to {most}{labels}"),
            };
            complain(&format!("--conjunct: there is no conjunct `{name}`; {reason}"), Exit::Usage)
        })
    };
    names.iter().map(find).collect()
}
