//! `--lint`: reads and types a machine, and reports errors and warnings about its text, without a search.
//!
//! Invariant: the errors are those for which a check refuses the machine, and the exit code is that of such a check; formulas in
//! DEFINITIONS are read as well, whether or not a check would judge them. Deliberately elsewhere: warnings about the search (`check`).

use crate::args::{CheckArgs, FormatArg};
use crate::exit::{Ended, Exit, complaint, refused};
use crate::io::console::Console;
use crate::io::interrupt::{self, Stage};
use crate::io::run_files::FilePlan;
use crate::load::{Asked, Failure};
use bcheck_report::junit::{TestCase, TestResult};
use bcheck_report::{json, sarif};
use bcheck_source::{Diagnostic, Severity, Shown, SourceMap, shown};
use std::path::Path;

/// Reports errors and warnings about the text of a machine.
pub(crate) fn run(args: &CheckArgs, path: &Path) -> Ended {
    let (report, junit, sarif) = (args.report.output.as_deref(), args.files.junit.as_deref(), args.files.sarif.as_deref());
    let plan = FilePlan { report, junit, sarif, ..FilePlan::default() };
    let mut files = plan.reserve(&[("the machine", path)]).map_err(refused)?;
    interrupt::stage(Stage::Preparing("the machine was read"));
    let mut console = Console::open(&args.common.messages, args.report.format);
    let file = path.display().to_string();
    let found = match read(args, path, &mut console) {
        Ok(found) => found,
        Err(failure) => return Err(files.refuse(&failure, path, &console)),
    };
    console.show(&found);
    files.save_report(&text(&found, &file, args.report.format, &console.sources)).map_err(complaint(Exit::Io))?;
    let case = TestCase { class: file.clone(), name: "it can be checked".to_owned(), seconds: 0.0, result: TestResult::Passed };
    let results = sarif::of_diagnostics(&found, &console.sources);
    files.save_cases(&file, &[case], (&results, &[])).map_err(complaint(Exit::Io))?;
    Ok(Exit::Done)
}

/// Reads the machine with all its formulas; returns its warnings.
fn read(args: &CheckArgs, path: &Path, console: &mut Console) -> Result<Vec<Diagnostic>, Failure> {
    let asked = Asked { goal: args.goal.as_deref(), precondition: args.pre, is_wanted: &|_| true };
    let (mut loaded, scope) = console.load(path, &args.common, asked, &args.scope)?;
    args.temporal.add_to(&mut loaded, &scope, &mut console.sources)?;
    Ok(loaded.warnings)
}

/// The report on a machine without errors.
fn text(found: &[Diagnostic], file: &str, format: FormatArg, sources: &SourceMap) -> Shown {
    let warnings = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning).count();
    match (format, warnings) {
        (FormatArg::Json, _) => json::render_unsearched(file, found, sources),
        (_, 0) => shown!("no errors, no warnings\n"),
        (_, 1) => shown!("no errors, 1 warning\n"),
        (_, warnings) => shown!("no errors, {} warnings\n", warnings),
    }
}
