//! The output of `bcheck eval`: a value, or why there is none.
//!
//! Invariant: values go to stdout, reasons to stderr. Deliberately elsewhere: how they are found (`eval`, `question`).

use crate::exit::{Exit, complain};
use crate::io::console::Console;
use crate::io::interrupt;
use crate::io::output::Output;
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_explore::Verdict;
use bcheck_report::values_met;
use bcheck_source::{Code, Diagnostic, Shown};

/// Prints an answer.
pub(crate) fn put(text: &Shown) -> Exit {
    match Output::stdout().put(text) {
        Ok(()) => Exit::Done,
        Err(reason) => complain(&reason, Exit::Io),
    }
}

/// A truth value in the notation of B.
pub(crate) fn truth(holds: bool) -> &'static str {
    if holds { "TRUE" } else { "FALSE" }
}

/// Prints the reason why there is no answer.
pub(crate) fn no_value(machine: &Machine, error: &EvalError, console: &Console) -> Exit {
    if error.kind == EvalErrorKind::Interrupted {
        let reason = interrupt::reason().unwrap_or_else(|| error.kind.to_string());
        return complain(&reason, Exit::Verdict(Verdict::Incomplete));
    }
    let code = if error.kind.is_ill_defined() { Code::IllDefined } else { Code::CannotEnumerate };
    let met = values_met(machine.model(), error).join("; ");
    let diagnostic = Diagnostic::error(code, error.span, error.kind.to_string()).label(met);
    console.show_one(&diagnostic);
    Exit::NoValue
}
