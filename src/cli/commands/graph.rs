//! `bcheck graph`: shows a machine itself: which operations enable each other, what they read and write, how machines depend on each other.
//!
//! Invariant: numbers of steps count all reachable states, or are omitted. Deliberately elsewhere: the graph of states (`--graph` of a
//! check: `graph_file`), the forms of the answer (`report`).

use crate::args::{FormatArg, GraphArgs, GraphFormatArg, SubjectArg};
use crate::commands::eval::printed::no_value;
use crate::config;
use crate::exit::{Ended, Exit, complain, complaint, refused};
use crate::io::console::Console;
use crate::io::files::ReadError;
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::load::{Asked, Failure};
use crate::pictures::{PictureFormat, drawable};
use crate::progress::{Watcher, in_words};
use crate::project::ProjectFiles;
use bcheck_eval::Machine;
use bcheck_explore::{Enabling, Verdict, enabling};
use bcheck_ir::Hierarchy;
use bcheck_report::access_matrix::AccessMatrix;
use bcheck_report::enabling::EnablingReport;
use bcheck_report::{enabling as enabling_report, hierarchy as hierarchy_report};
use bcheck_sema::hierarchy;
use bcheck_source::{Shown, has_errors, shown};
use bcheck_symmetry::Symmetry;
use bcheck_syntax as syntax;
use clap::ValueEnum;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The form of the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerForm {
    Text,
    Json,
    Dot,
    Picture(PictureFormat),
}

impl AnswerForm {
    fn of(args: &GraphArgs, output: Option<&Path>) -> Result<Self, String> {
        let typed = args.format.map(|format| match format {
            GraphFormatArg::Text => Self::Text,
            GraphFormatArg::Json => Self::Json,
            GraphFormatArg::Dot => Self::Dot,
        });
        let Some(path) = output else { return Ok(typed.unwrap_or(Self::Text)) };
        let by_ending = match PictureFormat::of(path)? {
            Some(format) => Some(Self::Picture(format)),
            None => match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).as_deref() {
                Some("json") => Some(Self::Json),
                Some("dot" | "gv") => Some(Self::Dot),
                Some("txt") => Some(Self::Text),
                _ => None,
            },
        };
        match (typed, by_ending) {
            (Some(_), Some(Self::Picture(_))) => {
                Err(format!("{} is a picture by its ending: leave out --format, or choose another ending", path.display()))
            }
            (Some(form), _) | (None, Some(form)) => Ok(form),
            (None, None) => Err(format!(
                "cannot write {}: the ending must be .txt, .json, .dot, .svg or .png, or --format chooses a form",
                path.display()
            )),
        }
    }

    /// Chooses one of four texts, the last of which is a picture in SVG.
    fn choose(
        self,
        text: impl FnOnce() -> Shown,
        json: impl FnOnce() -> Shown,
        dot: impl FnOnce() -> Shown,
        picture: impl FnOnce() -> Shown,
    ) -> Shown {
        match self {
            Self::Text => text(),
            Self::Json => json(),
            Self::Dot => dot(),
            Self::Picture(_) => picture(),
        }
    }
}

/// Shows a picture of a machine.
pub(crate) fn run(args: &GraphArgs) -> Ended {
    let Some(of) = args.of else {
        Output::stdout().put(&subjects()).map_err(complaint(Exit::Io))?;
        return Ok(Exit::Done);
    };
    let output = args.output.as_deref().map(drawable);
    let form = AnswerForm::of(args, output.as_deref()).map_err(complaint(Exit::Usage))?;
    let [file] = output::reserve(&[("the machine", args.machine.as_path())], [("--output", output.as_deref())]).map_err(refused)?;
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let text = match of {
        SubjectArg::Machines => {
            let found = machines(args, &mut console).map_err(|failure| console.show_failure(&failure))?;
            let sources = &console.sources;
            form.choose(
                || hierarchy_report::text(&found, sources),
                || hierarchy_report::json(&found, sources),
                || hierarchy_report::graph(&found),
                || hierarchy_report::picture(&found),
            )
        }
        SubjectArg::Variables => {
            let loaded = console.load(&args.machine, &args.common, Asked::default(), &args.scope);
            let (loaded, _) = loaded.map_err(|failure| console.show_failure(&failure))?;
            console.show(&loaded.warnings);
            let matrix = AccessMatrix::of(&loaded.model);
            form.choose(|| matrix.text(), || matrix.json(), || matrix.dot(), || matrix.picture())
        }
        SubjectArg::Enabling => of_enabling(args, form, &mut console)?,
    };
    interrupt::stage(Stage::Reporting);
    let file = file.unwrap_or_else(Output::stdout);
    match form {
        AnswerForm::Picture(format) => {
            let picture = format.render(&text).map_err(complaint(Exit::Io))?;
            file.save_bytes(&picture).map_err(complaint(Exit::Io))?;
        }
        AnswerForm::Text | AnswerForm::Json | AnswerForm::Dot => file.save(&text).map_err(complaint(Exit::Io))?,
    }
    Ok(Exit::Done)
}

/// The list of what can be shown of a machine.
fn subjects() -> Shown {
    let mut text = shown!("What can be shown of a machine (bcheck graph MACHINE --of WHAT):\n");
    for subject in SubjectArg::value_variants() {
        if let Some(value) = subject.to_possible_value() {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            text += shown!("  {}{}\n", Shown::line(value.get_name()).left(11), help);
        }
    }
    text + shown!("The graph of its states: bcheck MACHINE --graph FILE.svg (or .png, .dot, .aut, .graphml, .csv)\n")
}

/// The machine with those that it refers to.
fn machines(args: &GraphArgs, console: &mut Console) -> Result<Hierarchy, Failure> {
    let sources = &mut console.sources;
    let file = crate::io::files::read_argument(&args.machine, sources).map_err(|error| match error {
        ReadError::Io(reason) => Failure::Plain(reason, Exit::Io),
        ReadError::Refused(diagnostic) => Failure::of_machine(vec![*diagnostic]),
    })?;
    let parsed = syntax::parse_machine(file, &sources.file(file).text);
    let Some(machine) = parsed.tree.filter(|_| !has_errors(&parsed.diagnostics)) else {
        return Err(Failure::of_machine(parsed.diagnostics));
    };
    let found = hierarchy(&machine, &mut ProjectFiles::new(sources, &args.common.folders, file));
    crate::load::keep_inputs()?;
    found.map_err(Failure::of_machine)
}

/// The enabling relation over all reachable states.
fn of_enabling(args: &GraphArgs, form: AnswerForm, console: &mut Console) -> Result<Shown, Exit> {
    let loaded = console.load(&args.machine, &args.common, Asked::default(), &args.scope);
    let (loaded, scope) = loaded.map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    interrupt::stage(Stage::Preparing("the machine was compiled"));
    let machine = Machine::compile(Arc::new(loaded.model), scope);
    let options = config::of_walk(args.symmetry, &args.limits);
    let symmetry = options.symmetry_of(&machine);
    interrupt::run(machine.interrupt());
    let found = match walk(&machine, &symmetry, &options, args) {
        Ok(Some(found)) => found,
        Ok(None) => {
            let why = interrupt::reason().unwrap_or_else(|| "interrupted".to_owned());
            let reason = format!("{why}: which operations enable each other is known only when all states were visited");
            return Err(complain(&reason, Exit::Verdict(Verdict::Incomplete)));
        }
        Err(error) => return Err(no_value(&machine, &error, console)),
    };
    let report = EnablingReport { model: machine.model(), scope: machine.scope(), enabling: &found };
    Ok(form.choose(
        || enabling_report::text(&report),
        || enabling_report::json(&report),
        || enabling_report::graph(&report),
        || enabling_report::picture(&report),
    ))
}

fn walk(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &bcheck_explore::Options,
    args: &GraphArgs,
) -> Result<Option<Enabling>, bcheck_eval::EvalError> {
    let started = Instant::now();
    let mut watcher = Watcher::new(args.progress, "");
    let found = enabling(machine, symmetry, options, &mut |states| {
        if states.is_multiple_of(64) {
            let elapsed = started.elapsed();
            watcher.show(elapsed, || format!("{}, looking at states: {states}", in_words(elapsed)));
        }
        ControlFlow::Continue(())
    });
    watcher.finish();
    found
}
