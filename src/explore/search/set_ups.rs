//! Valuations of the constants, one representative per orbit, and the initial states of each.
//!
//! Invariant: the representative is the first valuation visited, itself (not its canonical form), so that it is one that the evaluator has
//! really returned. At least one valuation of every orbit is visited, and all that the solver does not find: nothing is cut off except by a
//! limit, which is then reported. A limit on set-ups ends a batch, which is explored before it is known whether the limit leaves any out.
//! Set-ups are passed on in batches, so that of a machine with millions of them the first ones are explored before all are enumerated: no
//! step connects the states of two set-ups. Deliberately elsewhere: storing initial states, which each search does itself.

use crate::count::reduction::Reduction;
use crate::count::set_up::SetUp;
use crate::count::tally::{Orbits, Tally};
use crate::number::SetUpNumber;
use crate::property::{Checks, Claim, Place, examine_set_up};
use crate::thresholds::VISITED_VALUATIONS;
use crate::trace::Origin;
use crate::{Fault, FaultKind, FaultyPart, LimitHit, Options};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_symmetry::Symmetry;
use bcheck_value::Valuation;
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// A batch of representative set-ups, with the sums and findings of their enumeration.
#[derive(Debug, Default)]
pub(crate) struct SetUps {
    pub(crate) list: Vec<SetUp>,
    /// All valuations visited, representatives or not.
    pub(crate) visited: Enumerated,
    pub(crate) tally: Tally,
    pub(crate) claim: Option<Claim>,
    pub(crate) limit: Option<LimitHit>,
    /// Why some static assertion is neither true nor false.
    pub(crate) undecided: Option<EvalError>,
    /// The error that ended the enumeration early although it is a finding, not a limit.
    pub(crate) left_out: Option<EvalError>,
    /// Why set-ups are missing although no limit was hit: a constant has too many values, of which some were taken.
    pub(crate) skipped: Option<EvalError>,
    /// Whether no batch follows.
    pub(crate) is_last: bool,
}

/// Numbers of valuations of the constants that were visited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Enumerated {
    pub(crate) number: u64,
    /// Whether valuations were left out that are images of some of these.
    pub(crate) without_images: bool,
}

impl Enumerated {
    pub(crate) fn add(&mut self, more: Enumerated) {
        self.number += more.number;
        self.without_images |= more.without_images;
    }
}

/// Enumerates the valuations of the constants, checks the static assertions in each representative, and hands representatives over to
/// `explore`, at most `at_once` of them together, until it breaks off; `found` is called with the number of valuations so far. Returns
/// whether the last batch was handed over.
pub(crate) fn set_ups(
    machine: &Machine,
    symmetry: &Symmetry,
    orbits: &Orbits,
    options: &Options,
    (at_once, found): (usize, &dyn Fn(u64)),
    explore: &mut dyn FnMut(SetUps) -> ControlFlow<()>,
) -> bool {
    let checks = Checks::new(machine, options);
    let reduction = Reduction::new(machine, symmetry, orbits);
    let (batch, seen) = (SetUps::default(), FxHashSet::default());
    // A machine without constants has one empty set-up, which nobody means to limit.
    let most = options.limits.set_ups.filter(|_| machine.model().set_up_steps() > 0);
    let visited = Enumerated::default();
    let mut enumeration = Enumeration { machine, options, most, checks, reduction, batch, seen, handed_over: 0, visited };
    // A limit counts valuations, so all of them are visited where there is one.
    let renamings = if most.is_none() { symmetry.renamings() } else { Vec::new() };
    enumeration.visited.without_images = !renamings.is_empty() && machine.are_constants_solved();
    let mut is_over = false;
    let result = machine.for_each_setup_but_images(&renamings, &mut |constants| {
        // Here, not when the batch became full: only now it is known not to be the last one.
        if enumeration.is_batch_full(at_once) {
            is_over = explore(enumeration.hand_over()).is_break();
        }
        if is_over {
            return ControlFlow::Break(());
        }
        let flow = enumeration.visit(constants);
        found(enumeration.visited.number);
        flow
    });
    if is_over {
        return false;
    }
    enumeration.end(result);
    // This is the last batch, so there is nothing for it to break off.
    let _ = explore(enumeration.hand_over());
    true
}

/// The state of an enumeration of set-ups: the current batch, and what has been counted so far.
struct Enumeration<'a> {
    machine: &'a Machine,
    options: &'a Options,
    /// The greatest number of valuations to be visited.
    most: Option<u64>,
    checks: Checks,
    reduction: Reduction<'a>,
    batch: SetUps,
    /// The canonical forms of the set-ups of all batches; a list contains the first valuation visited of each orbit.
    seen: FxHashSet<Valuation>,
    /// The number of representatives in the batches before.
    handed_over: usize,
    /// The valuations of all batches so far.
    visited: Enumerated,
}

impl Enumeration<'_> {
    /// Whether the batch, of at most `at_once` representatives, is to be handed over before another valuation is visited.
    fn is_batch_full(&self, at_once: usize) -> bool {
        let SetUps { list, visited, .. } = &self.batch;
        // By valuations as well: where most of them are symmetric, the next representative may be millions of valuations away.
        let is_full = list.len() >= at_once || visited.number / VISITED_VALUATIONS.get() >= at_once as u64;
        !list.is_empty() && (is_full || self.most == Some(self.visited.number))
    }

    fn hand_over(&mut self) -> SetUps {
        let batch = std::mem::take(&mut self.batch);
        tracing::debug!(target: "bcheck::explore", set_ups = batch.list.len(), valuations = batch.visited.number, "set-ups enumerated");
        self.handed_over += batch.list.len();
        batch
    }

    /// Adds a valuation to the batch; breaks at a limit, or where a finding ends the search.
    fn visit(&mut self, constants: Valuation) -> ControlFlow<()> {
        let batch = &mut self.batch;
        if let Some(most) = self.most.filter(|most| self.visited.number == *most) {
            batch.limit = Some(LimitHit::SetUps(most));
            return ControlFlow::Break(());
        }
        batch.visited.add(Enumerated { number: 1, ..self.visited });
        self.visited.number += 1;
        // Only to identify the orbit: the valuation itself is stored.
        let Some(representative) = self.reduction.representative(constants.clone()) else {
            batch.limit = Some(LimitHit::Interrupted);
            return ControlFlow::Break(());
        };
        if !representative.is_exact {
            batch.tally.inexact();
        }
        let class = self.reduction.class(&representative);
        // Over all batches: a representative must not come a second time in a later one. Without symmetry no valuation does.
        if !self.reduction.is_trivial() && !self.seen.insert(representative.state) {
            return ControlFlow::Continue(());
        }
        // More set-ups than states allowed are not stored: usually each has a separate state. One without initial states counts as well.
        if let Some(limit) = self.options.limits.states
            && (self.handed_over + batch.list.len()) as u64 >= limit
        {
            batch.limit = Some(LimitHit::States(limit));
            return ControlFlow::Break(());
        }
        let place = Place::SetUp(SetUpNumber::at(batch.list.len()));
        let examined = examine_set_up(self.machine, self.checks, &constants);
        batch.tally.set_up(class);
        batch.list.push(SetUp { constants, class });
        for fault in examined.findings {
            Claim::keep_least(&mut batch.claim, Claim { distance: 0, place, fault });
        }
        match examined.undecided {
            // An interrupt leaves the assertion undecided as well, but that is not a fault of the machine.
            Some(error) if error.kind == EvalErrorKind::Interrupted => {
                batch.limit = Some(LimitHit::Interrupted);
                return ControlFlow::Break(());
            }
            Some(error) => _ = batch.undecided.get_or_insert(error),
            None => {}
        }
        if batch.claim.is_some() && !self.options.keep_going { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds how the enumeration ended to the last batch.
    fn end(&mut self, result: Result<(), EvalError>) {
        let batch = &mut self.batch;
        batch.is_last = true;
        match result {
            Ok(()) if self.handed_over == 0 && batch.visited.number == 0 => {
                let fault = Fault { part: FaultyPart::Properties, kind: FaultKind::Unsatisfiable(self.machine.contradiction()) };
                batch.claim = Some(Claim { distance: 0, place: Place::Machine, fault });
            }
            Ok(()) => {}
            Err(error) if error.kind.is_ill_defined() => {
                batch.tally.ill_defined(1);
                batch.left_out = Some(error.clone());
                let fault = Fault::ill_defined(FaultyPart::Properties, error);
                let claim = Claim { distance: 0, place: Place::Machine, fault };
                Claim::keep_least(&mut batch.claim, claim);
            }
            Err(error) if error.kind.is_left_out() => {
                batch.left_out = Some(error.clone());
                batch.skipped = Some(error);
            }
            Err(error) => batch.limit = Some(LimitHit::Enumeration(error)),
        }
    }
}

/// Whether the orbits of the representatives add up to the valuations visited, or to no fewer where images of these were left out;
/// meaningful after a complete, exact run.
pub(crate) fn add_up(visited: Enumerated, tally: &Tally, orbits: &Orbits) -> bool {
    let (number, full) = (BigUint::from(visited.number), tally.full_set_ups(orbits));
    if visited.without_images { full >= number } else { full == number }
}

/// The result of enumerating the initial states of some set-ups.
#[derive(Debug, Default)]
pub(crate) struct Beginnings {
    /// Arrows to initial states, and ill-defined initialisations.
    pub(crate) tally: Tally,
    /// Whether there is any initial state.
    pub(crate) is_initialised: bool,
    /// The least finding.
    pub(crate) claim: Option<Claim>,
    /// The limit that was hit.
    pub(crate) limit: Option<LimitHit>,
    /// Why initial states are missing although no limit was hit: the first ill-defined initialisation.
    pub(crate) left_out: Option<EvalError>,
    /// As `left_out`, if a variable has too many initial values, of which some were taken.
    pub(crate) skipped: Option<EvalError>,
    /// Whether the refined machine may be in several states, in a refinement check.
    pub(crate) has_choices: bool,
}

/// Enters the initial states of each representative set-up through `enter`, which returns an id of the representative state, or
/// `None` when a limit on states forbids storing it.
pub(crate) fn initial_states(
    machine: &Machine,
    options: &Options,
    set_ups: &[SetUp],
    enter: &mut dyn FnMut(Valuation, Origin) -> Option<u64>,
) -> Beginnings {
    let mut found = Beginnings::default();
    for (set_up, SetUp { constants, class }) in SetUpNumber::all(set_ups.len()).zip(set_ups) {
        let mut representatives: FxHashSet<u64> = FxHashSet::default();
        let mut arrows = 0;
        let result = machine.for_each_initial(constants, &mut |state| {
            match enter(state, Origin::Initial { set_up, ordinal: arrows }) {
                Some(id) => representatives.insert(id),
                None => {
                    // Without a limit on states it was the interrupt; with one, the watcher knows whether it was.
                    found.limit = Some(options.limits.states.map_or(LimitHit::Interrupted, LimitHit::States));
                    return ControlFlow::Break(());
                }
            };
            arrows += 1;
            ControlFlow::Continue(())
        });
        found.is_initialised |= arrows > 0;
        // Arrows of the set-up to distinct representatives, as ProB draws them.
        found.tally.initial_arrows(*class, arrows, representatives.len() as u64);
        match result {
            Ok(()) => {}
            // States visited before the error are entered, others are missing: how many depends on the order of enumeration, so that
            // orbits no longer have equally many.
            Err(error) if error.kind.is_ill_defined() => {
                found.tally.ill_defined(1);
                found.tally.partial();
                found.left_out.get_or_insert_with(|| error.clone());
                let fault = Fault::ill_defined(FaultyPart::Initialisation, error);
                Claim::keep_least(&mut found.claim, Claim { distance: 0, place: Place::SetUp(set_up), fault });
            }
            Err(error) if error.kind.is_left_out() => {
                found.left_out.get_or_insert_with(|| error.clone());
                found.skipped.get_or_insert(error);
            }
            Err(error) => found.limit = Some(LimitHit::Enumeration(error)),
        }
        if found.limit.is_some() {
            break;
        }
    }
    found
}

/// The finding about a machine none of whose set-ups has an initial state.
pub(crate) fn no_initial_state() -> Claim {
    Claim { distance: 0, place: Place::Machine, fault: Fault::violated(FaultyPart::Initialisation) }
}
