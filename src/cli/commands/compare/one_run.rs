//! One run of a comparison or an estimate: from compiling to the outcome, within the time that all runs share.
//!
//! Invariant: runs are independent: each compiles the machine anew, so none profits from an earlier one. Deliberately elsewhere: which runs
//! there are (`compare`, `modes`, `estimate`).

use crate::args::CompareArgs;
use crate::config;
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use crate::progress::Watcher;
use bcheck_eval::Machine;
use bcheck_explore::{self as explore, Options, Outcome};
use bcheck_ir::{Model, Scope};
use bcheck_report::compare::sizes;
use bcheck_report::deferred;
use num_bigint::BigUint;
use std::sync::Arc;
use std::time::Duration;

/// No run explores more states per second; a space too large even at this rate is only counted.
const STATES_PER_SECOND: u64 = 2_000_000;

/// Runs a search.
pub(crate) fn search(model: &Arc<Model>, scope: &Scope, options: &Options, mut watcher: Watcher<'_>) -> Outcome {
    let outcome = search_watched(model, scope, options, &mut watcher);
    watcher.finish();
    outcome
}

/// As [`search`], for a watcher that the caller reads afterwards.
pub(crate) fn search_watched(model: &Arc<Model>, scope: &Scope, options: &Options, watcher: &mut Watcher<'_>) -> Outcome {
    // The time limit applies to all runs together, and compiling counts as part of it.
    interrupt::go_on();
    let options = config::timed(options.clone());
    let machine = Machine::compile(Arc::clone(model), scope.clone());
    let symmetry = options.symmetry_of(&machine);
    interrupt::watch(machine.interrupt());
    let mut outcome = explore::explore(&machine, &symmetry, &options, watcher);
    outcome.leave_open(machine.model());
    interrupt::stage(Stage::Reporting);
    outcome
}

/// Whether no further run is possible: after a signal, or when the time for all runs is used up.
pub(crate) fn is_over(args: &CompareArgs) -> bool {
    let limit = args.search.limits.time_limit;
    interrupt::happened() || limit.is_some_and(|limit| passed() >= limit.0)
}

fn passed() -> Duration {
    interrupt::started().map_or(Duration::ZERO, |started| started.elapsed())
}

/// A time limit of one run, converted to the clock of all runs.
pub(crate) fn from_now(limit: Duration) -> Duration {
    passed().saturating_add(limit)
}

/// Lists the sizes that were not run.
pub(crate) fn say_not_run(args: &CompareArgs, model: &Model, scopes: &[Scope]) {
    if scopes.is_empty() {
        return;
    }
    let of = |scope: &Scope| sizes(&deferred(model, scope).map(|(name, size)| (name.to_owned(), size)).collect());
    let not_run: Vec<String> = scopes.iter().map(|scope| format!("-d {}", of(scope))).collect();
    // The watchdog may not have looked at the clock since.
    let limit = args.search.limits.time_limit.map(|limit| format!("stopped at --time-limit after {} s", limit.0.as_secs_f64()));
    let reason = interrupt::reason().or(limit).unwrap_or_default();
    files::complain(&format!("note: {reason}; not run: {}\n", not_run.join(", ")));
}

/// Whether the full space is certainly too large for the limit.
pub(crate) fn hopeless(states: &BigUint, args: &CompareArgs) -> bool {
    // One second more, because seconds are rounded down.
    let most = (args.full_limit.0.as_secs() + 1).saturating_mul(STATES_PER_SECOND);
    args.full_limit.0.is_zero() || *states > BigUint::from(most)
}
