//! Valuations of the constants, one representative per orbit, and the initial states of each.
//!
//! Invariant: the representative kept is the first valuation visited, itself (not its canonical form), so that it is one the
//! evaluator really gave. Every valuation is visited: nothing is cut off but by a limit, which is then reported.
//! Deliberately elsewhere: storing initial states, which each search does in its own way.

use super::counting::{OrbitClass, Orbits, Tally};
use super::property::{Checks, Claim, Place, examine_set_up};
use super::reduction::Reduction;
use super::trace::Origin;
use super::{LimitHit, Options, PropertyKind};
use crate::eval::Machine;
use crate::symmetry::Symmetry;
use crate::value::Valuation;
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// A representative valuation of the constants.
#[derive(Clone, Debug)]
pub(super) struct SetUp {
    pub(super) constants: Valuation,
    pub(super) class: OrbitClass,
}

/// All of them, and what was found on the way.
#[derive(Debug, Default)]
pub(super) struct SetUps {
    pub(super) list: Vec<SetUp>,
    /// All valuations, representatives or not.
    pub(super) visited: u64,
    pub(super) claim: Option<Claim>,
    pub(super) limit: Option<LimitHit>,
}

/// Enumerates the valuations of the constants and checks the static assertions in each representative.
pub(super) fn set_ups(machine: &Machine, symmetry: &Symmetry, orbits: &Orbits, options: &Options, tally: &mut Tally) -> SetUps {
    let checks = Checks::new(machine, options);
    let mut reduction = Reduction::new(symmetry, orbits);
    let mut found = SetUps::default();
    let mut seen: FxHashSet<Valuation> = FxHashSet::default();
    let result = machine.for_each_setup(&mut |constants| {
        found.visited += 1;
        let representative = reduction.representative(constants.clone());
        if !representative.is_exact {
            tally.inexact();
        }
        let class = reduction.class(&representative);
        if !seen.insert(representative.state) {
            return ControlFlow::Continue(());
        }
        // Each set-up leads to at least one state or to a finding, so more set-ups than states allowed are never needed.
        if let Some(limit) = options.limits.states
            && found.list.len() as u64 >= limit
        {
            found.limit = Some(LimitHit::States(limit));
            return ControlFlow::Break(());
        }
        let place = Place::SetUp(u32::try_from(found.list.len()).expect("set-ups fit in memory and in 32 bits"));
        let seen_here = examine_set_up(machine, checks, &constants);
        tally.set_up(class);
        found.list.push(SetUp { constants, class });
        for property in seen_here.findings {
            Claim::keep_least(&mut found.claim, Claim { distance: 0, place, property });
        }
        if let Some(error) = seen_here.stuck {
            found.limit = Some(LimitHit::Enumeration(error));
            return ControlFlow::Break(());
        }
        if found.claim.is_some() && !options.keep_going { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match result {
        Ok(()) if found.visited == 0 => {
            let property = PropertyKind::NoSetup(machine.contradiction());
            found.claim = Some(Claim { distance: 0, place: Place::Machine, property });
        }
        Ok(()) => {}
        Err(error) if error.kind.is_ill_defined() => {
            tally.ill_defined(1);
            let claim = Claim { distance: 0, place: Place::Machine, property: PropertyKind::IllDefinedProperties(error) };
            Claim::keep_least(&mut found.claim, claim);
        }
        Err(error) => found.limit = Some(LimitHit::Enumeration(error)),
    }
    found
}

impl SetUps {
    /// Whether the orbits of the representatives add up to the valuations visited; meaningful after a complete, exact run.
    pub(super) fn add_up(&self, tally: &Tally, orbits: &Orbits) -> bool {
        tally.full_set_ups(orbits) == BigUint::from(self.visited)
    }
}

/// Enters the initial states of each representative set-up through `enter`, which gives an id of the representative state, or
/// `None` when a limit on states forbids to store it. Gives the least finding and the limit that was hit.
pub(super) fn initial_states(
    machine: &Machine,
    options: &Options,
    set_ups: &SetUps,
    tally: &mut Tally,
    enter: &mut dyn FnMut(Valuation, Origin, &mut Tally) -> Option<u64>,
) -> (Option<Claim>, Option<LimitHit>) {
    let (mut claim, mut limit) = (None, None);
    let mut has_arrow = false;
    for (set_up, SetUp { constants, class }) in (0u32..).zip(&set_ups.list) {
        let mut representatives: FxHashSet<u64> = FxHashSet::default();
        let mut arrows = 0;
        let result = machine.for_each_initial(constants, &mut |state| {
            match enter(state, Origin::Initial { set_up, ordinal: arrows }, tally) {
                Some(id) => representatives.insert(id),
                None => {
                    limit = options.limits.states.map(LimitHit::States);
                    return ControlFlow::Break(());
                }
            };
            arrows += 1;
            ControlFlow::Continue(())
        });
        has_arrow |= arrows > 0;
        tally.initial_arrows(*class, arrows, representatives.len() as u64);
        match result {
            Ok(()) => {}
            Err(error) if error.kind.is_ill_defined() => {
                tally.ill_defined(1);
                tally.partial();
                let property = PropertyKind::IllDefinedInitialisation(error);
                Claim::keep_least(&mut claim, Claim { distance: 0, place: Place::SetUp(set_up), property });
            }
            Err(error) => limit = Some(LimitHit::Enumeration(error)),
        }
        if limit.is_some() {
            break;
        }
    }
    if !has_arrow && claim.is_none() && limit.is_none() && !set_ups.list.is_empty() {
        claim = Some(Claim { distance: 0, place: Place::Machine, property: PropertyKind::NoInitialState });
    }
    (claim, limit)
}
