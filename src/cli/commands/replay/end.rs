//! How a saved trace continues after its last step, checked on the run.
//!
//! Invariant: a loop or a deadlock that the machine does not confirm counts against the trace. Deliberately elsewhere: the check itself
//! (`explore`), and the words of the trace (`report`).

use bcheck_eval::{Machine, TriedRange};
use bcheck_explore::{EndCheck, Trace, TraceEnd, TraceStep, check_end};
use bcheck_report::replay::Ending;
use bcheck_value::Value;

/// The end of a trace in the steps of the run; `of_file` maps each of them to the step of the file that it belongs to.
pub(crate) fn of_run(end: TraceEnd, of_file: &[usize]) -> TraceEnd {
    // A step of the file may be run as two, of which the second reaches its state; a step that the machine lacks is beyond all others.
    end.renumbered(|start| of_file.iter().rposition(|step| *step == start).unwrap_or(of_file.len()))
}

/// Adds the step that closes a loop if it is missing, as in formats of other tools; the first one, if there are several.
pub(crate) fn close_loop(machine: &Machine, run: &mut Trace) {
    let Some(TraceEnd::Loop { start, .. }) = run.end else { return };
    let (Ok(EndCheck::ClosedBy(operation)), Some(begin), Some(last)) = (check_end(machine, run), run.steps.get(start), run.steps.last())
    else {
        return;
    };
    let is_back = |next: &[Value]| next.iter().zip(&begin.state).all(|(one, other)| machine.is_same(one, other));
    let steps = machine.successors(&last.state, operation).map(|found| found.steps).unwrap_or_default();
    if let Some(step) = steps.into_iter().find(|step| is_back(&step.next)) {
        let state = begin.state.clone();
        run.steps.push(TraceStep { operation: Some(operation), arguments: step.arguments, results: step.results, state });
    }
}

/// The check of the end of a run, if the trace states one. Formats of other tools may omit the step that closes a loop.
pub(crate) fn checked(machine: &Machine, run: &Trace, may_lack_a_step: bool) -> Option<Ending> {
    let end = run.end?;
    let (is_confirmed, message) = match check_end(machine, run) {
        // ITF omits the step that closes a loop, because its state is listed already; in other formats a missing step is a fault.
        Ok(EndCheck::ClosedBy(operation)) if !may_lack_a_step => {
            let name = machine.model().operation_name(operation);
            (Some(false), format!("the loop does not close in the last state: only a further step, of `{name}`, leads back"))
        }
        Ok(check) => in_words(machine, end, check, run.steps.len().saturating_sub(1)),
        Err(error) => (None, format!("whether the run goes on as the trace says could not be decided: {}", error.kind)),
    };
    Some(Ending { end, is_confirmed, message })
}

fn in_words(machine: &Machine, end: TraceEnd, check: EndCheck, last: usize) -> (Option<bool>, String) {
    let model = machine.model();
    let begin = match end {
        TraceEnd::Loop { start, .. } | TraceEnd::RenamedLoop { start } => start,
        TraceEnd::Deadlock | TraceEnd::Prefix => last,
    };
    match check {
        EndCheck::Confirmed => match end {
            TraceEnd::Loop { .. } | TraceEnd::RenamedLoop { .. } => {
                (Some(true), format!("the loop closes: the state after step {last} is that after step {begin}"))
            }
            TraceEnd::Deadlock | TraceEnd::Prefix => {
                (Some(true), "the run ends in a deadlock: its last state enables no operation".to_owned())
            }
        },
        EndCheck::ClosedBy(operation) => {
            let name = model.operation_name(operation);
            (Some(true), format!("the loop closes: a step of `{name}` leads from the last state to that after step {begin}"))
        }
        EndCheck::Differs(places) => {
            let names = model.constants.keys().chain(model.variables.keys());
            let names: Vec<String> = names.enumerate().filter(|(at, _)| places.contains(at)).map(|(_, name)| format!("`{name}`")).collect();
            // States without a difference are equal, so this is a loop of another length than stated.
            let where_to = if names.is_empty() {
                String::new()
            } else {
                format!(" differs from that after step {begin} in {}, and", names.join(", "))
            };
            (Some(false), format!("the loop does not close: the last state{where_to} has no step that leads back"))
        }
        EndCheck::NoSuchState => (Some(false), "the loop does not close: it begins at no state of the trace".to_owned()),
        EndCheck::Enabled(operation) => {
            (Some(false), format!("the last state is not a deadlock: `{}` is enabled", model.operation_name(operation)))
        }
        EndCheck::OutsideScope => {
            (Some(false), "the last state is not a deadlock: it is outside of SCOPE, which leaves it unexpanded".to_owned())
        }
        EndCheck::WithinRange(TriedRange { name, from, to, .. }) => {
            (None, format!("no operation is enabled in the last state with `{name}` in {from}..{to}, and no other values were tried"))
        }
        EndCheck::Open if matches!(end, TraceEnd::RenamedLoop { .. }) => {
            (None, "the trace says that its last round goes on with the elements renamed; a replay does not look at symmetries".to_owned())
        }
        EndCheck::Open => {
            (None, "the trace says that any run that goes on like this violates its formula; a replay does not look at formulas".to_owned())
        }
    }
}
