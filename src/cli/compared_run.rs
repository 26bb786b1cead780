//! One run of a comparison or an estimate: from compiling to the outcome, with the whole of the time limit.
//!
//! Invariant: runs are independent: each compiles the machine anew, so none profits from what another one has computed. Deliberately
//! elsewhere: which runs there are (`compare`, `strategies`, `estimate`).

use super::args::CompareArgs;
use super::config;
use super::interrupt::{self, Stage};
use super::progress::Watcher;
use crate::eval::Machine;
use crate::explore::{self, Options, Outcome};
use crate::ir::{Model, Scope};
use num_bigint::BigUint;
use std::sync::Arc;

/// No run explores more states per second; spaces that the limit cannot cover even so are counted only.
const STATES_PER_SECOND: u64 = 2_000_000;

/// Runs a search.
pub(super) fn search(model: &Arc<Model>, scope: &Scope, options: &Options, mut watcher: Watcher<'_>) -> Outcome {
    let outcome = search_watched(model, scope, options, &mut watcher);
    watcher.finish();
    outcome
}

/// The same for a watcher that is asked afterwards.
pub(super) fn search_watched(model: &Arc<Model>, scope: &Scope, options: &Options, watcher: &mut Watcher<'_>) -> Outcome {
    // Each run has the whole of the time limit, and compiling counts as part of it.
    interrupt::restart();
    let options = config::timed(options.clone());
    let machine = Machine::compile(Arc::clone(model), scope.clone());
    let symmetry = options.symmetry_of(&machine);
    interrupt::watch(machine.interrupt());
    let outcome = explore::explore(&machine, &symmetry, &options, watcher);
    interrupt::stage(Stage::Reporting);
    outcome
}

/// Whether the full space is certainly too large for the limit.
pub(super) fn hopeless(states: &BigUint, args: &CompareArgs) -> bool {
    // One second more, because whole seconds are counted.
    let most = (args.full_limit.0.as_secs() + 1).saturating_mul(STATES_PER_SECOND);
    args.full_limit.0.is_zero() || *states > BigUint::from(most)
}
