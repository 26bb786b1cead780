//! `bcheck eval` without a formula: a calculator that answers line by line, at a terminal or for a script.
//!
//! Invariant: a line that cannot be answered changes nothing, neither the stored values nor the context. Answers go to stdout, everything
//! else to stderr. Deliberately elsewhere: the value of a formula (`evaluator`), the commands as typed (`command`).

mod command;
#[cfg(feature = "screen")]
mod editor;
mod input;
mod typed;

use self::command::CalculatorCommand;
use self::input::Input;
use self::typed::Typed;
use crate::args::{AnswerArgs, EvalArgs};
use crate::commands::eval::evaluator::{Evaluated, Evaluator};
use crate::commands::eval::printed::put;
use crate::exit::{Ended, Exit, complain, complaint};
use crate::io::console::Console;
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use bcheck_explore::Verdict;
use bcheck_source::{Code, Severity, Shown, shown};
use bcheck_syntax::parse_formula;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// The name of the last value.
const LAST: &str = "it";

/// A session of formulas.
struct Calculator<'a> {
    args: &'a EvalArgs,
    evaluator: Evaluator,
    /// Whether the time of each formula is shown.
    is_timed: bool,
}

/// Input that is not complete yet.
#[derive(Default)]
struct Pending {
    text: String,
    /// The number of its first line.
    line: usize,
}

/// Answers what is typed, and returns the last outcome that is not `Done`. Blank lines and comments are skipped.
pub(crate) fn converse(evaluator: Evaluator, args: &EvalArgs, console: &mut Console) -> Ended {
    let mut input = Input::open();
    if input.is_terminal() {
        interrupt::converse();
    }
    let mut calculator = Calculator { args, evaluator, is_timed: false };
    let mut pending = Pending::default();
    // The last failure is returned: a script that evaluates many formulas learns that one of them has no value.
    let mut exit = Exit::Done;
    for number in 1.. {
        if interrupt::is_terminated() {
            return Ok(Exit::Verdict(Verdict::Incomplete));
        }
        interrupt::stage(Stage::Waiting);
        let prompt = if pending.text.is_empty() { "> " } else { "| " };
        let line = match input.read(prompt, &|| calculator.words()).map_err(complaint(Exit::Io))? {
            Typed::Line(line) => Some(line),
            Typed::Cancelled => {
                pending = Pending::default();
                continue;
            }
            Typed::End => None,
        };
        let is_over = line.is_none();
        let Some((text, first)) = pending.with(line.as_deref(), number) else {
            if is_over {
                break;
            }
            continue;
        };
        match calculator.answer(&text, &format!("<line {first}>"), console) {
            ControlFlow::Continue(Exit::Done) => {}
            ControlFlow::Continue(failed) => exit = failed,
            ControlFlow::Break(Exit::Done) => break,
            ControlFlow::Break(failed) => return Err(failed),
        }
        if is_over {
            break;
        }
    }
    if input.is_terminal() {
        files::complain("\n");
        // The exit code is for scripts: someone at a terminal has seen every message.
        return Ok(Exit::Done);
    }
    Ok(exit)
}

impl Pending {
    /// Adds a line, or the end of the input; returns the request that is complete now, with the number of its first line.
    fn with(&mut self, line: Option<&str>, number: usize) -> Option<(String, usize)> {
        let line = line.map_or("", |line| line.trim_end_matches(['\n', '\r']));
        let is_blank = line.trim().is_empty();
        if self.text.is_empty() {
            if is_blank || line.trim_start().starts_with("//") {
                return None;
            }
            self.line = number;
        } else {
            self.text.push('\n');
        }
        self.text.push_str(line);
        // An empty line ends an unfinished formula, so that a slip does not swallow all further lines.
        if !is_blank && is_unfinished(&self.text) {
            return None;
        }
        Some((std::mem::take(&mut self.text).trim().to_owned(), self.line))
    }
}

/// Whether the text needs another line: its formula or a comment is unfinished.
fn is_unfinished(text: &str) -> bool {
    let Ok(command) = CalculatorCommand::parse(text) else { return false };
    let Some(formula) = command.formula() else { return false };
    let parsed = parse_formula(bcheck_source::FileId(0), formula);
    let first = parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let at_end = |place: u32| place as usize >= formula.trim_end().len();
    first.is_some_and(|first| first.code == Code::UnclosedComment || first.labels.first().is_some_and(|label| at_end(label.span.start)))
}

impl Calculator<'_> {
    /// The words offered for completion.
    fn words(&self) -> Vec<String> {
        command::names().map(str::to_owned).chain(self.evaluator.words()).collect()
    }

    /// Answers a formula or command; `Break` ends the session.
    fn answer(&mut self, text: &str, name: &str, console: &mut Console) -> ControlFlow<Exit, Exit> {
        let command = match CalculatorCommand::parse(text) {
            Ok(command) => command,
            Err(reason) => return ControlFlow::Continue(complain(&reason, Exit::Usage)),
        };
        let wanted = self.args.answers;
        let only = AnswerArgs::default();
        let exit = match command {
            CalculatorCommand::Formula(formula) => self.value(name, &formula, wanted, self.is_timed, console),
            CalculatorCommand::All(formula) => self.value(name, &formula, AnswerArgs { all: true, ..only }, self.is_timed, console),
            CalculatorCommand::Count(formula) => self.value(name, &formula, AnswerArgs { count: true, ..only }, self.is_timed, console),
            CalculatorCommand::Core(formula) => self.value(name, &formula, AnswerArgs { unsat_core: true, ..only }, self.is_timed, console),
            CalculatorCommand::Time(Some(formula)) => self.value(name, &formula, wanted, true, console),
            CalculatorCommand::Time(None) => {
                self.is_timed = !self.is_timed;
                files::complain(if self.is_timed { "times are shown\n" } else { "times are not shown\n" });
                Exit::Done
            }
            CalculatorCommand::Type(formula) => self.evaluator.types(name, &formula, console).map_or_else(|exit| exit, |text| put(&text)),
            CalculatorCommand::Let(None) => put(&self.evaluator.kept()),
            CalculatorCommand::Let(Some((kept, formula))) => self.keep(name, (&kept, &formula), console),
            // An unreadable machine is a failure of this line only.
            CalculatorCommand::Machine(file) => return ControlFlow::Continue(self.change_machine(Path::new(&file), console)),
            CalculatorCommand::Help => put(&Shown::lines(&command::help())),
            CalculatorCommand::Quit => return ControlFlow::Break(Exit::Done),
        };
        // Without stdout no later line can be answered either; other failures concern one line only.
        if exit == Exit::Io { ControlFlow::Break(exit) } else { ControlFlow::Continue(exit) }
    }

    /// Prints the value of a formula, which becomes the last value.
    fn value(&mut self, name: &str, formula: &str, wanted: AnswerArgs, is_timed: bool, console: &mut Console) -> Exit {
        let started = Instant::now();
        let (exit, evaluated) = self.evaluator.answer(name, formula, wanted, console);
        if is_timed {
            files::complain(&shown!("{:.3} s\n", started.elapsed().as_secs_f64()));
        }
        if let Some(evaluated) = evaluated {
            self.set_last(evaluated, console);
        }
        exit
    }

    fn set_last(&mut self, evaluated: Evaluated, console: &mut Console) {
        // The machine may declare this name itself.
        if self.evaluator.may_be_kept(LAST, console).is_ok() {
            self.evaluator.keep(LAST, evaluated);
        }
    }

    fn keep(&mut self, name: &str, (kept, formula): (&str, &str), console: &mut Console) -> Exit {
        if let Err(reason) = self.evaluator.may_be_kept(kept, console) {
            return complain(&shown!(":let: {}", reason), Exit::Usage);
        }
        match self.evaluator.value(name, formula, console) {
            Ok(evaluated) => {
                let exit = put(&shown!("{} = {}\n", kept, evaluated.text));
                self.evaluator.keep(kept, evaluated);
                exit
            }
            Err(exit) => exit,
        }
    }

    fn change_machine(&mut self, file: &Path, console: &mut Console) -> Exit {
        match Evaluator::new(self.args, Some(file), console) {
            Ok(evaluator) => {
                console.show(evaluator.warnings());
                self.evaluator = evaluator;
                Exit::Done
            }
            Err(failure) => console.show_failure(&failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_breaks_off_is_unfinished() {
        for text in [
            "1 +",
            "{1, 2",
            "f(",
            "x : 1..3 &",
            ":let s = {1,",
            ":let s =",
            ":all x : 1..3 & (y = x",
            "1 + /* and",
            "IF 1 = 1 THEN 2",
            "not(",
        ] {
            assert!(is_unfinished(text), "{text}");
        }
        for text in ["1 + 1", "1 + )", "{1, 2}}", ":all x : 1..3", ":let x", ":help", ":nothing (", ":machine (", "\"abc", "1 2"] {
            assert!(!is_unfinished(text), "{text}");
        }
    }

    #[test]
    fn lines_are_joined_until_the_formula_is_finished() {
        let mut pending = Pending::default();
        let given: Vec<_> = ["", "// nothing", "1 +", "  2", "{3,", "", "4"]
            .iter()
            .zip(1..)
            .filter_map(|(line, at)| pending.with(Some(line), at))
            .collect();
        assert_eq!(given, [("1 +\n  2".to_owned(), 3), ("{3,".to_owned(), 5), ("4".to_owned(), 7)]);
        assert_eq!(pending.with(Some("5 *"), 8), None);
        assert_eq!(pending.with(None, 9), Some(("5 *".to_owned(), 8)), "the end of the input ends it, too");
        assert_eq!(pending.with(None, 10), None);
    }
}
