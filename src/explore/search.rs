//! The façade: one search from set-up to outcome, watched.
//!
//! Invariant: the whole search, trace included, runs on one thread with a deep stack (and its workers); the calling thread only
//! watches the limits and reports progress.

use super::conclusion::{Ending, conclude};
use super::counting::{Orbits, Tally};
use super::engine::{Engine, Expander, Family, Ledger};
use super::observer::Observer;
use super::ordered::ordered;
use super::parallel::{breadth_first, hit};
use super::property::Claim;
use super::reduction::Reduction;
use super::setup::{initial_states, set_ups};
use super::watch::{Control, watched};
use super::{Options, Outcome, Strategy};
use crate::eval::Machine;
use crate::symmetry::Symmetry;

/// Explores the states of a machine, reduced by `symmetry`, and says what was found.
///
/// The machine's interrupt flag stops the search at any time from any thread; the outcome is then `incomplete` with what was
/// counted so far. The same flag serves the limits on time and memory.
#[must_use]
pub fn explore(machine: &Machine, symmetry: &Symmetry, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let control = Control::new(machine.interrupt());
    watched(&control, &options.limits, observer, || search(machine, symmetry, options, &control))
}

fn search(machine: &Machine, symmetry: &Symmetry, options: &Options, control: &Control<'_>) -> Outcome {
    let orbits = Orbits::new();
    let mut ending = Ending::default();
    let mut ledger = Ledger::default();
    let set_ups = set_ups(machine, symmetry, &orbits, options, &mut ending.tally);
    let engine = Engine::new(machine, symmetry, options, &set_ups.list, &orbits, control);
    ending.claim.clone_from(&set_ups.claim);
    ending.limit.clone_from(&set_ups.limit);
    let may_go_on = |ending: &Ending| ending.limit.is_none() && (ending.claim.is_none() || options.keep_going);
    if may_go_on(&ending) {
        // States have 32-bit numbers; the greatest stays free.
        let limit = options.limits.states.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
        let mut worker = Expander::new(&engine);
        let mut enter = |state, origin, _: &mut Tally| ledger.enter_initial(&mut worker, state, origin, limit).map(|id| u64::from(id.0));
        let (claim, stopped) = initial_states(machine, options, &set_ups, &mut ending.tally, &mut enter);
        let stopped = hit(&ledger, limit).or(stopped);
        ending.limit = stopped;
        for claim in claim.into_iter().chain(ledger.claim.take()) {
            Claim::keep_least(&mut ending.claim, claim);
        }
        if may_go_on(&ending) {
            let ended = match options.strategy {
                Strategy::Breadth => breadth_first(&engine, &mut ledger, options, limit),
                Strategy::Depth | Strategy::Random => ordered(&engine, &mut ledger, options, limit),
            };
            ending.limit = ended.limit;
            ending.depth = ended.depth;
            ending.is_exhausted = ended.is_exhausted;
            ending.leave_out(ledger.skipped.take());
            ending.claim = ending.claim.take().or(ledger.claim.take());
        }
    }
    if ending.limit.is_some() {
        ending.limit = control.stop_reason().or(ending.limit);
    }
    ending.tally.merge(&ledger.tally);
    ending.guards = std::mem::take(&mut ledger.guards);
    ending.unassigned = std::mem::take(&mut ledger.unassigned);
    control.finish();
    let family = Family { engine: &engine, ledger: &ledger };
    let mut reduction = Reduction::new(symmetry, &orbits).on_words(machine, engine.store.words.as_ref());
    conclude(machine, options.symmetry, &mut reduction, &family, &set_ups, ending)
}
