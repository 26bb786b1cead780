//! `bcheck eval`: the value of a formula, alone or in the context of a machine; without a formula, of typed lines (`calculator`). For a
//! predicate with free names: the values of these for which it is true (`question`).
//!
//! Invariant: no machine is searched. Deliberately elsewhere: the value of a formula (`evaluator`), temporal formulas (`temporal`).

mod count;
pub(crate) mod evaluator;
mod formula_tree;
mod kept_values;
pub(crate) mod printed;
mod question;
mod temporal;
mod unsat_core;

use crate::args::{EvalArgs, FormatArg};
use crate::commands::calculator;
use crate::exit::Ended;
use crate::io::console::Console;
use evaluator::Evaluator;

/// Evaluates one formula, or the formulas on standard input.
pub(crate) fn run(args: &EvalArgs) -> Ended {
    if let Some((logic, text)) = args.temporal.stated() {
        return temporal::run(args, logic, text);
    }
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let opened = Evaluator::new(args, args.machine.as_deref(), &mut console);
    let mut evaluator = opened.map_err(|failure| console.show_failure(&failure))?;
    if let Some(trace) = &args.trace {
        evaluator.follow(trace, args, &mut console)?;
    }
    match &args.formula {
        Some(formula) => Ok(evaluator.answer("<formula>", formula, args.answers, &mut console).0),
        None => calculator::converse(evaluator, args, &mut console),
    }
}
