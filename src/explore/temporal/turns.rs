//! Groups of formulas that keep fewer symmetries than the search of states: each needs a separate search.
//!
//! The search of states may not end, or not within its limits, so these searches take *turns* with it. In a turn, each of them begins anew
//! and stores at most its *share* of states. Turns come whenever the search of states has doubled; a share is at most the number of states
//! stored by then, and less for a group that keeps half or a third of the symmetries and so has only two or three times as many states:
//! all shares of a group together are at most about half of its states. Once the search of states is complete, the groups take turns among
//! themselves, each with four times its last share, until they are complete; the last one has all the time that is left. Beginning anew
//! costs at most half as much time again, whereas suspending searches would hold the memory of all of them.
//! Invariant: only final results count of a search that ended with its share; one that is complete within its share needs no other turn.
//! Deliberately elsewhere: how a graph is judged (`judge`), who counts states (`search`).

use super::ENDED;
use super::groups::Group;
use super::judge::{Explorations, Judge, UP_TO_LIMIT};
use super::results::Results;
use crate::search::record_states;
use crate::search::recording::{Judging, Record, Recording, Stage};
use crate::search::watch::Control;
use crate::thresholds::{FIRST_TURN, ROUND_FACTOR, TURN_FACTOR};
use crate::{LimitHit, Limits, Options};
use bcheck_eval::Machine;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::time::Instant;

/// Groups that are not judged completely yet, and when their next turn is.
pub(super) struct WaitingGroups<'a> {
    pub(super) groups: Vec<Group<'a>>,
    /// The order of the group of symmetries of the search of states.
    order: BigUint,
    /// The number of states stored by that search at which the next turn is due; `None` before the first turn.
    due: Option<u64>,
}

impl<'a> WaitingGroups<'a> {
    pub(super) fn new(groups: Vec<Group<'a>>, order: BigUint) -> Self {
        Self { groups, order, due: None }
    }
}

/// The searches of these groups.
pub(super) struct Turns<'a, 'r> {
    pub(super) machine: &'a Machine,
    pub(super) options: &'a Options,
    pub(super) control: &'a Control<'a>,
    pub(super) waiting: WaitingGroups<'a>,
    pub(super) results: &'r mut Results,
    /// Whether a search was ended although formulas are undecided.
    pub(super) is_broken_off: bool,
}

/// How a search of a group has ended.
enum TurnEnd {
    /// All its formulas are judged as far as they can be.
    Whole,
    /// Its share was not enough.
    Cut,
    /// A formula ended it.
    BrokenOff,
}

impl Turns<'_, '_> {
    /// Whether a turn is due once the search of states has stored this many.
    pub(super) fn is_due(&self, states: u64) -> bool {
        let WaitingGroups { groups, due, .. } = &self.waiting;
        !groups.is_empty() && (states >= due.unwrap_or(FIRST_TURN.get()) || self.is_late())
    }

    /// Whether half of the time has passed before the first turn, because the machine is slow.
    fn is_late(&self) -> bool {
        let Limits { time, since, .. } = &self.options.limits;
        let half = time.map(|limit| limit / 2);
        self.waiting.due.is_none() && since.zip(half).is_some_and(|(since, half)| since.elapsed() >= half)
    }

    /// Gives each group a turn once the search of states has stored this many; breaks if that search need not continue.
    pub(super) fn take(&mut self, states: u64) -> ControlFlow<()> {
        // A late turn uses a quarter of the time for all groups together, so that a search of states that is nearly complete can end.
        let groups = self.waiting.groups.len() as u64;
        let is_late = states < self.waiting.due.unwrap_or(FIRST_TURN.get());
        let states_of_each = if is_late { states / (2 * groups) } else { states };
        tracing::debug!(target: "bcheck::explore", groups, states, "searches of formulas take their turn");
        self.waiting.due = Some(FIRST_TURN.get().max(states.saturating_mul(TURN_FACTOR.get())));
        let order = self.waiting.order.clone();
        self.round(|group| share(states_of_each, &order, &group.symmetry.detail().order))
    }

    /// Searches anew for each group, with its share; breaks if nothing need continue.
    fn round(&mut self, share: impl Fn(&Group<'_>) -> u64) -> ControlFlow<()> {
        let mut groups = std::mem::take(&mut self.waiting.groups).into_iter();
        while let Some(group) = groups.next() {
            let is_stopped = self.control.stop_reason().is_some();
            let ended = if is_stopped { TurnEnd::Cut } else { self.search(&group, Some(share(&group))) };
            if !matches!(ended, TurnEnd::Whole) {
                self.waiting.groups.push(group);
            }
            if matches!(ended, TurnEnd::BrokenOff) {
                self.waiting.groups.extend(groups);
                self.is_broken_off = true;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Lets the groups search until each is complete or a limit ends it.
    pub(super) fn complete(mut self) {
        let most = self.options.limits.states.unwrap_or(u64::MAX);
        let mut share = self.waiting.due.unwrap_or(FIRST_TURN.get());
        while self.waiting.groups.len() > 1 && share < most && self.control.stop_reason().is_none() {
            if self.round(|_| share).is_break() {
                break;
            }
            share = share.saturating_mul(ROUND_FACTOR.get());
        }
        for group in std::mem::take(&mut self.waiting.groups) {
            if self.is_broken_off {
                group.leave_open(self.results, ENDED);
            } else if matches!(self.search(&group, None), TurnEnd::BrokenOff) {
                self.is_broken_off = true;
                group.leave_open(self.results, ENDED);
            }
        }
    }

    /// Searches the states for a group, not more than its share, and judges its formulas.
    fn search(&mut self, group: &Group<'_>, share: Option<u64>) -> TurnEnd {
        let Self { machine, options, control, .. } = *self;
        let share = share.filter(|share| options.limits.states.is_none_or(|most| *share < most));
        let limits = Limits { states: share.or(options.limits.states), ..options.limits.clone() };
        let bounded = &Options { limits, ..options.clone() };
        let started = Instant::now();
        // Kept apart: whether more than the final results counts is known only at the end.
        let mut found = self.results.only_final();
        let mut search = OwnSearch(Judge::new(machine, (bounded, control), group, &mut found));
        // Except in the first turns, which are short, most of a share repeats the previous turn, whose on-the-fly results are known.
        let is_on_the_fly = !options.keep_going && share.is_none();
        let record = Record { letters: Some(&group.propositions.letters), is_on_the_fly, judge: &mut search };
        let limit = record_states(machine, &group.symmetry, bounded, control, record);
        let OwnSearch(judge) = search;
        let (is_broken_off, has_ended, judged_s) = (judge.is_broken_off, judge.has_ended, judge.time_s);
        // Other limits, such as that on depth, would end it with a larger share as well.
        let is_share = matches!(limit, Some(LimitHit::States(_) | LimitHit::Time(_) | LimitHit::Memory(_) | LimitHit::Interrupted));
        let is_cut = share.is_some() && is_share;
        let is_violated = group.members.iter().any(|member| found.is_final(member.formula) && !self.results.is_final(member.formula));
        if is_cut {
            self.results.take_over_final(found);
        } else {
            // Results up to a limit are valid, as in the search of states.
            if limit.is_some() && !has_ended && !is_broken_off {
                group.leave_open(&mut found, UP_TO_LIMIT);
            }
            if group.members.iter().any(|member| !found.holds(member.formula)) {
                found.limit = found.limit.take().or(limit);
            }
            self.results.take_over(found);
            let shared_s = (started.elapsed().as_secs_f64() - judged_s) / group.members.len() as f64;
            group.members.iter().for_each(|member| self.results.add_time(member.formula, shared_s));
        }
        match () {
            () if is_broken_off || is_cut && is_violated && !options.keep_going => TurnEnd::BrokenOff,
            () if is_cut => TurnEnd::Cut,
            () => TurnEnd::Whole,
        }
    }
}

/// The share of a search under a group of this order when the search under a group of order `whole` has stored this many states.
fn share(states: u64, whole: &BigUint, order: &BigUint) -> u64 {
    // A subgroup of index k has at most k times as many orbits. Beyond k = 4 the full number as share keeps their sum below half.
    let times = (1..4_u32).find(|times| order * (times + 1) > *whole).unwrap_or(4);
    (states / 4 * u64::from(times)).max(1)
}

/// A search for one group.
struct OwnSearch<'a>(Judge<'a>);

impl Judging for OwnSearch<'_> {
    fn judge(&mut self, recording: &mut Recording<'_>, stage: Stage) -> ControlFlow<()> {
        self.0.judge(recording, stage)
    }

    fn is_turn_due(&self, _states: u64) -> bool {
        false
    }

    fn turn(&mut self, _states: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The search of states: formulas that preserve all its symmetries are judged on its recorded graph, the others have their turns.
pub(super) struct SharedSearch<'s, 'a, 'r> {
    pub(super) shared: Option<&'s Group<'a>>,
    pub(super) turns: Turns<'a, 'r>,
    pub(super) explorations: Explorations,
    /// Whether the results of the formulas in the shared group are final.
    pub(super) has_ended: bool,
}

impl Judging for SharedSearch<'_, '_, '_> {
    fn judge(&mut self, recording: &mut Recording<'_>, stage: Stage) -> ControlFlow<()> {
        let Some(group) = self.shared else { return ControlFlow::Continue(()) };
        let Turns { machine, options, control, results, is_broken_off, .. } = &mut self.turns;
        // The results are lent to the turns of other groups in between, so each stage has its own judge; the explorations are kept.
        let mut judge = Judge::new(machine, (options, control), group, results);
        judge.explorations = std::mem::take(&mut self.explorations);
        let flow = judge.judge(recording, stage);
        *is_broken_off |= judge.is_broken_off;
        self.has_ended |= judge.has_ended;
        self.explorations = judge.explorations;
        flow
    }

    fn is_turn_due(&self, states: u64) -> bool {
        self.turns.is_due(states)
    }

    fn turn(&mut self, states: u64) -> ControlFlow<()> {
        self.turns.take(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_grow_with_the_symmetries_that_are_lost() {
        let of = |whole: u32, order: u32| share(8000, &whole.into(), &order.into());
        assert_eq!([of(6, 6), of(6, 3), of(6, 2), of(24, 6), of(120, 1)], [2000, 4000, 6000, 8000, 8000]);
        // A group that is not smaller cannot be greater; even then each has a share.
        assert_eq!((of(2, 6), share(3, &6_u32.into(), &6_u32.into())), (2000, 1));
    }
}
