//! `bcheck eval`: the value of a formula, alone or in the context of a machine; without a formula, of each line that is read. Of a
//! predicate with free names, the values of these for which it is true (`eval_question`).
//!
//! Invariant: a formula that mentions no constant and no variable is evaluated without looking for a state, so that it has a
//! value even when PROPERTIES have no solution.

use super::answer::{no_value, put, truth};
use super::args::{AnswerArgs, EvalArgs, FormatArg};
use super::console::Console;
use super::exit::{Ended, Exit, complain, complaint};
use super::files;
use super::interrupt::{self, Stage};
use super::load::{self, Failure, Loaded};
use super::session::taken_on_trust;
use super::{eval_core, eval_question, eval_temporal};
use crate::eval::{EvalError, Machine};
use crate::explore::Verdict;
use crate::ir::{Expr, ExprKind, Node, Pred, Scope, walk_expr, walk_pred};
use crate::sema::{Asked, Formula};
use crate::source::{Code, Diagnostic, shown};
use crate::value::Valuation;
use crate::value::display::display;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Evaluates one formula, or each line of the standard input.
pub(super) fn run(args: &EvalArgs) -> Ended {
    if let Some((logic, text)) = args.temporal.stated() {
        return eval_temporal::run(args, logic, text);
    }
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let mut calculator = Calculator::new(args, &mut console).map_err(|failure| console.show_failure(&failure))?;
    match &args.formula {
        Some(formula) => Ok(calculator.answer("<formula>", formula, &mut console)),
        None => calculator.answer_lines(&mut console),
    }
}

/// A machine in whose context formulas are evaluated one after the other.
struct Calculator {
    loaded: Loaded,
    scope: Scope,
    answers: AnswerArgs,
    /// The state of earlier formulas, as far as they needed one: constants only, or all of it. Kept, so that all formulas have the same.
    constants: Option<Valuation>,
    state: Option<Valuation>,
}

impl Calculator {
    fn new(args: &EvalArgs, console: &mut Console) -> Result<Self, Failure> {
        let (loaded, scope) = console.load_context(args.machine.as_deref(), &args.common, &args.scope)?;
        Ok(Self { loaded, scope, answers: args.answers, constants: None, state: None })
    }

    /// Evaluates each line, and ends with the last outcome that is not `Done`. Blank lines and comments are passed over.
    fn answer_lines(&mut self, console: &mut Console) -> Ended {
        let stdin = std::io::stdin();
        let asks = stdin.is_terminal();
        if asks {
            interrupt::converse();
        }
        // The last failure stands: a script that asks for many values learns that one of them has none.
        let mut exit = Exit::Done;
        for number in 1.. {
            if asks {
                files::complain("> ");
            }
            if interrupt::is_terminated() {
                return Ok(Exit::Verdict(Verdict::Incomplete));
            }
            interrupt::stage(Stage::Waiting);
            let Some(line) = files::read_line(&mut stdin.lock()).map_err(complaint(Exit::Io))? else { break };
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            match self.answer(&format!("<line {number}>"), line, console) {
                Exit::Done => {}
                // Without stdout no later line can be answered either; other failures are those of one line.
                Exit::Io => return Err(Exit::Io),
                failed => exit = failed,
            }
        }
        if asks {
            files::complain("\n");
            // The exit code is for scripts: a person has seen every message.
            return Ok(Exit::Done);
        }
        Ok(exit)
    }

    /// Prints the value of a formula, or the reason why it has none.
    fn answer(&mut self, name: &str, text: &str, console: &mut Console) -> Exit {
        // Before the time of this formula begins: after a line of input, no limit applies yet to reading and typing it.
        let asked = match load::question(&mut self.loaded, &self.scope, name, text, &mut console.sources) {
            Ok(asked) => asked,
            Err(failure) => return console.show_failure(&failure),
        };
        // Each formula has the whole of the time limit.
        interrupt::restart();
        // Compiled for each formula, because the names that it binds need places in the machine's frame.
        let machine = Machine::compile(Arc::new(self.loaded.model.clone()), self.scope.clone());
        interrupt::run(machine.interrupt());
        if self.answers.unsat_core && needs(&asked) != (false, false) {
            let reason =
                "--unsat-core: the formula mentions constants or variables of the machine; write their values, or free names, instead";
            return complain(reason, Exit::Usage);
        }
        let state = match self.state_for(&machine, &asked) {
            Ok(Some(state)) => state,
            Ok(None) => return self.complain_of_no_state(&asked, console),
            Err(error) => return no_value(&machine, &error, console),
        };
        let value = match &asked {
            Asked::Value(Formula::Expr(expr)) => machine.evaluate(expr, &state).map(|value| display(&value, machine.model())),
            Asked::Value(Formula::Pred(pred)) => {
                let value = machine.holds(pred, &state);
                if self.answers.unsat_core && value == Ok(false) {
                    eval_core::show(&machine, (&[], pred), console);
                }
                value.map(|holds| truth(holds).to_owned())
            }
            Asked::Names(names, pred) => {
                let exit = eval_question::answer(&machine, (names, pred), &state, self.answers, console);
                console.show(&taken_on_trust(&machine));
                return exit;
            }
        };
        console.show(&taken_on_trust(&machine));
        match value {
            Ok(value) => put(&shown!("{}\n", value)),
            Err(error) => no_value(&machine, &error, console),
        }
    }

    /// The state in which a formula is evaluated: the first initial state, under the first set-up that has one, without values if it needs
    /// none; `None` when the machine has no such state.
    fn state_for(&mut self, machine: &Machine, asked: &Asked) -> Result<Option<Valuation>, EvalError> {
        let (constants, variables) = needs(asked);
        // No search for a state, which might take long or find none: `1 + 1` has a value in every machine.
        if !constants && !variables {
            return Ok(Some(Valuation::new()));
        }
        // The first one in the order of enumeration, which is the same in every run.
        if self.constants.is_none() {
            machine.for_each_setup(&mut |set_up| {
                self.constants = Some(set_up);
                ControlFlow::Break(())
            })?;
        }
        let Some(set_up) = &self.constants else { return Ok(None) };
        if !variables {
            return Ok(Some(set_up.clone()));
        }
        if self.state.is_none() {
            self.state = first_initial(machine)?;
        }
        Ok(self.state.clone())
    }

    /// Prints the reason why there is no state in which a formula could be evaluated.
    fn complain_of_no_state(&self, asked: &Asked, console: &Console) -> Exit {
        let (Asked::Value(Formula::Expr(Expr { span, .. }) | Formula::Pred(Pred { span, .. })) | Asked::Names(_, Pred { span, .. })) =
            asked;
        let why = match &self.constants {
            None => "no values of the constants satisfy PROPERTIES, so this has no value",
            Some(_) => "the machine has no initial state, so this has no value",
        };
        let help = "a check of the machine shows why: bcheck MACHINE";
        console.show_one(&Diagnostic::error(Code::IllDefined, *span, why).help(help));
        Exit::NoValue
    }
}

/// The first initial state: not every set-up has one.
fn first_initial(machine: &Machine) -> Result<Option<Valuation>, EvalError> {
    let mut found = Ok(None);
    machine.for_each_setup(&mut |set_up| {
        let mut first = None;
        let result = machine.for_each_initial(&set_up, &mut |initial| {
            first = Some(initial);
            ControlFlow::Break(())
        });
        found = result.map(|()| first);
        if matches!(found, Ok(None)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found
}

/// Whether a formula mentions constants, and whether it mentions variables.
fn needs(asked: &Asked) -> (bool, bool) {
    // Definitions are expanded by now, so whatever is mentioned is in the formula itself.
    let (mut constants, mut variables) = (false, false);
    let mut look = |node: Node<'_>| {
        if let Node::Expr(expr) = node {
            constants |= matches!(expr.kind, ExprKind::Constant(_));
            variables |= matches!(expr.kind, ExprKind::Variable(_) | ExprKind::OldVariable(_));
        }
    };
    match asked {
        Asked::Value(Formula::Expr(expr)) => walk_expr(expr, &mut look),
        Asked::Value(Formula::Pred(pred)) | Asked::Names(_, pred) => walk_pred(pred, &mut look),
    }
    (constants, variables)
}
