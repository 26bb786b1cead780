//! `bcheck induct`: whether the invariant is inductive, over all states that satisfy it, at the sizes given.
//!
//! Invariant: symmetries of elements that the machine names are not used, as they may exchange conjuncts. Deliberately elsewhere: which
//! states there are and what steps do to them (`explore`), the report (`report::induction`).

use super::answer::no_value;
use super::args::{FormatArg, TableFormatArg};
use super::console::Console;
use super::exit::{Ended, Exit, complain, complaint, refused};
use super::induct_args::InductArgs;
use super::interrupt::{self, Stage};
use super::load::Asked;
use super::output::{self, Output};
use super::resolve;
use super::session::{taken_on_trust, within_bounds};
use crate::explore::{Induction, Obligations, Verdict, induction, reach_examples, within_invariant};
use crate::ir::{Model, OperationId};
use crate::report::induction::{InductionReport, InductionVerdict, json, text};
use crate::symmetry::Symmetry;

/// Answers whether the invariant of a machine is inductive.
pub(super) fn run(args: &InductArgs) -> Ended {
    let [file] = output::reserve(&[("the machine", args.machine.as_path())], [("--output", args.output.as_deref())]).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let loaded = console.load(&args.machine, &args.common, Asked::default(), &args.scope);
    let (loaded, scope) = loaded.map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    interrupt::stage(Stage::Preparing("the machine was compiled"));
    let obligations = obligations(&loaded.model, args)?;
    let (machine, question) = within_invariant(loaded.model, scope);
    console.show(&within_bounds(question.tried()));
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), args.symmetry);
    interrupt::run(machine.interrupt());
    let most = args.max_states.and_then(|count| usize::try_from(count.0).ok()).unwrap_or(usize::MAX);
    let found = induction(&machine, &question, &symmetry, &obligations).and_then(|mut found| {
        if args.reachable {
            reach_examples(&machine, &symmetry, most, &mut found)?;
        }
        Ok(found)
    });
    let found = match found {
        Ok(found) => found,
        Err(error) => return Ok(no_value(&machine, &error, &console)),
    };
    interrupt::stage(Stage::Reporting);
    if found.set_ups == 0 && found.is_complete {
        // Of no states at all anything is true.
        let reason =
            "no values of the constants satisfy PROPERTIES, so there are no states; a check of the machine shows why: bcheck MACHINE";
        return Err(complain(reason, Exit::Verdict(Verdict::UnsatisfiableProperties)));
    }
    console.show(&taken_on_trust(&machine));
    let stopped = stopped(args, &found, !question.tried().is_empty());
    let report = InductionReport {
        model: machine.model(),
        scope: machine.scope(),
        sources: &console.sources,
        found: &found,
        conjuncts: &obligations.conjuncts,
        stopped,
    };
    let rendered = match args.format {
        TableFormatArg::Text => text(&report),
        TableFormatArg::Json => json(&report),
    };
    file.unwrap_or_else(Output::stdout).save(&rendered).map_err(complaint(Exit::Io))?;
    Ok(match report.verdict() {
        InductionVerdict::NotInductive => Exit::NotInductive,
        InductionVerdict::Inductive => Exit::Done,
        InductionVerdict::IllDefined => Exit::Verdict(Verdict::IllDefined),
        InductionVerdict::Incomplete => Exit::Verdict(Verdict::Incomplete),
    })
}

/// Why there may be other states, if so; `is_cut`: integers were tried in a range only.
fn stopped(args: &InductArgs, found: &Induction, is_cut: bool) -> Option<String> {
    let limit = || match args.max_states {
        Some(most) if !interrupt::happened() && found.states >= most.0 => Some(format!("stopped after {} states (--max-states)", most.0)),
        _ => interrupt::reason(),
    };
    match found.is_complete {
        false => limit().or_else(|| Some("interrupted".to_owned())),
        true => is_cut.then(|| "some variables were tried in a range only".to_owned()),
    }
}

/// What is asked.
fn obligations(model: &Model, args: &InductArgs) -> Result<Obligations, Exit> {
    Ok(Obligations {
        operations: operations(model, &args.operation)?,
        conjuncts: conjuncts(model, &args.conjunct)?,
        deadlock: args.deadlock,
        assertions: args.assertions,
        well_defined: args.wd,
        states: args.max_states.map(|count| count.0),
    })
}

/// The operations with these names.
fn operations(model: &Model, names: &[String]) -> Result<Vec<OperationId>, Exit> {
    let find = |name: &String| resolve::operation(model, name);
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
