//! `bcheck eval`: the value of a formula, alone or in the context of a machine.
//!
//! Invariant: a formula that mentions no constant and no variable is evaluated without looking for a state, so that it has a
//! value even when PROPERTIES have no solution.

use super::args::{EvalArgs, FormatArg};
use super::exit::Exit;
use super::files::{self, Sink};
use super::load::{self, Failure, Loaded};
use super::terminal::Terminal;
use super::{interrupt, scope};
use crate::eval::{EvalError, EvalErrorKind, Machine};
use crate::explore::Verdict;
use crate::ir::{ExprKind, Node, Scope, walk_expr, walk_pred};
use crate::report::{diagnostics, values_met};
use crate::sema::Formula;
use crate::source::{Code, Diagnostic, SourceMap};
use crate::value::Valuation;
use crate::value::display::display;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// What stands for a machine when none is given.
const NO_MACHINE: &str = "MACHINE eval END";

/// Evaluates.
pub(super) fn run(args: &EvalArgs) -> Exit {
    let terminal = Terminal::detect(args.common.messages.color);
    let mut sources = SourceMap::new();
    let (machine, formula) = match prepare(args, &mut sources) {
        Ok(ready) => ready,
        Err(failure) => {
            let path = args.machine.as_deref().unwrap_or(Path::new("<formula>"));
            return failure.tell(path, FormatArg::Text, &sources, &mut Sink::Stdout, terminal);
        }
    };
    interrupt::watch(machine.interrupt());
    let text = state_for(&machine, &formula).and_then(|state| match &formula {
        Formula::Expr(expr) => machine.evaluate(expr, &state).map(|value| display(&value, machine.model())),
        Formula::Pred(pred) => machine.holds(pred, &state).map(|holds| if holds { "TRUE" } else { "FALSE" }.to_owned()),
    });
    match text {
        Ok(text) => match Sink::Stdout.write(&format!("{text}\n")) {
            Ok(()) => Exit::Done,
            Err(reason) => {
                files::complain(&format!("error: {reason}\n"));
                Exit::Io
            }
        },
        Err(error) if error.kind == EvalErrorKind::Interrupted => Exit::Verdict(Verdict::Incomplete),
        Err(error) => {
            let code = if error.kind.is_ill_defined() { Code::IllDefined } else { Code::CannotEnumerate };
            let met = values_met(machine.model(), &error).join("; ");
            let diagnostic = Diagnostic::error(code, error.span, error.kind.to_string()).label(met);
            files::complain(&diagnostics::render(&diagnostic, &sources, terminal.stderr));
            Exit::NoValue
        }
    }
}

/// The compiled machine and the typed formula.
fn prepare(args: &EvalArgs, sources: &mut SourceMap) -> Result<(Machine, Formula), Failure> {
    let mut loaded: Loaded = match &args.machine {
        Some(path) => load::load(path, &args.common.folders, None, sources)?,
        None => {
            let file = sources.add("<no machine>", NO_MACHINE);
            load::analyse(file, &args.common.folders, sources)?
        }
    };
    let formula = load::formula(&mut loaded, "<formula>", &args.formula, sources)?;
    let scope: Scope = scope::of_machine(&mut loaded, &args.scope, sources)?;
    Ok((Machine::compile(Arc::new(loaded.model), scope), formula))
}

/// The state in which a formula is evaluated: the first initial state under the first set-up, or none if it needs none.
fn state_for(machine: &Machine, formula: &Formula) -> Result<Valuation, EvalError> {
    let (mut constants, mut variables) = (false, false);
    let mut look = |node: Node<'_>| {
        if let Node::Expr(expr) = node {
            constants |= matches!(expr.kind, ExprKind::Constant(_));
            variables |= matches!(expr.kind, ExprKind::Variable(_) | ExprKind::OldVariable(_));
        }
    };
    match formula {
        Formula::Expr(expr) => walk_expr(expr, &mut look),
        Formula::Pred(pred) => walk_pred(pred, &mut look),
    }
    let mut state = Valuation::new();
    if constants || variables {
        machine.for_each_setup(&mut |setup| {
            state = setup;
            ControlFlow::Break(())
        })?;
    }
    if variables {
        let constants = std::mem::take(&mut state);
        machine.for_each_initial(&constants, &mut |initial| {
            state = initial;
            ControlFlow::Break(())
        })?;
    }
    Ok(state)
}
