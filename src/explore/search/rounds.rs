//! A level of a search beyond memory, or of one that several processes share: what its slices find is numbered round by round.
//!
//! A slice's candidates are looked up only when its round is closed: in sorted runs, if there are any. Where several processes
//! share the search, the owners of states look them up before, at the end of each superstep, which is some of the slices of a round. Then
//! all get their numbers, in the order of ranks, and slice by slice the sums are added up.
//! Invariant: numbers, sums, and where a limit ends the search are those of a search within memory by one process.
//! Deliberately elsewhere: levels (`breadth_first`), runs (`disk`), what processes tell each other (`partition`), where it is kept
//! (`checkpoint`).

use super::breadth_first::{Driver, Unnumbered, slice_from};
use super::crew::expand_listed;
use super::disk::round::{ExpandedSlice, RoundSlice};
use super::ledger::{Batch, Waiting};
use super::partition::{Flags, FoundInSlice, NumberedSlice, Pace};
use super::subject::Worker;
use crate::property::Examination;
use bcheck_eval::EvalErrorKind;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What examining the candidates of a round has found, by their places; and the slices in which it was interrupted.
struct Examined {
    findings: FxHashMap<usize, Examination>,
    found: Vec<FoundInSlice>,
}

impl<'e, W: Worker<'e>> Driver<'_, 'e, '_, '_, W> {
    /// Whether the visited set has outgrown its share of memory with what this slice has found.
    pub(super) fn is_to_spill(&self, done: Option<&Unnumbered>) -> bool {
        let more = done.map_or(0, |done| done.slice.entries.len());
        self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.is_to_spill(self.engine, self.ledger, more))
    }

    pub(super) fn spill(&mut self) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        // Listed with ids.
        self.next = Waiting::default();
        checkpoints.spill(self.engine, self.ledger);
        if self.round.candidates.capacity() == 0 {
            self.round = checkpoints.round();
        }
    }

    /// The rest of a level beyond memory: what slices find is numbered when the round that they are in is closed.
    pub(super) fn level_beyond(&mut self, level: &Range<u32>, distance: u64) {
        let mut start = self.position.expanded;
        while start < level.end && !self.is_unsaved(&mut Default::default()) {
            let begun = Instant::now();
            let mut superstep = self.expand_superstep(start..level.end, distance);
            let pace = Pace { slices: superstep.len(), time: begun.elapsed() };
            let end = superstep.last().map_or(level.end, |slice| slice.end);
            let states = start..end;
            let shared = self.checkpoints.as_mut().map(|checkpoints| checkpoints.share_out(self.engine, &mut superstep, &states));
            let Some(received) = shared.unwrap_or_else(|| Some(Vec::new())) else { break };
            start = end;
            self.round.add(self.engine, superstep, received);
            let Some(Flags { is_stopped, is_over, .. }) = self.flags(pace, start == level.end) else { break };
            if is_stopped || is_over {
                self.close_round(distance + 1);
                if is_stopped || self.is_full() {
                    break;
                }
            }
        }
        self.round.clear();
    }

    /// Expands the next slices of the rest of a level, as many as all processes do. Those behind one that was interrupted are not expanded,
    /// but there, as all processes number the same slices.
    fn expand_superstep(&mut self, rest: Range<u32>, distance: u64) -> Vec<ExpandedSlice> {
        let engine = self.engine;
        let count = self.checkpoints.as_ref().map_or(1, |checkpoints| checkpoints.slices_at_once());
        let mut start = rest.start;
        let mut superstep = Vec::new();
        while superstep.len() < count && start < rest.end {
            let slice = slice_from(start, rest.end);
            engine.control.frontier.store(u64::from(rest.end - start), Ordering::Relaxed);
            start = slice.end;
            let batches = if engine.control.is_stopped() { Vec::new() } else { self.expand_from_log(slice, distance) };
            superstep.push(ExpandedSlice { end: start, is_whole: !engine.control.is_stopped(), batches });
        }
        superstep
    }

    /// What follows a superstep; `None` where another process is lost.
    fn flags(&mut self, pace: Pace, is_last: bool) -> Option<Flags> {
        let checkpoints = self.checkpoints.as_mut()?;
        let is_over = is_last || checkpoints.is_round_over(self.engine, &self.round);
        let superstep = self.round.last_superstep();
        let whole = superstep.iter().take_while(|slice| slice.is_whole).count();
        let is_stopped = whole < superstep.len();
        let agreed = checkpoints.agree_after(self.engine, Flags { is_stopped, is_over, is_due: false }, (whole, pace))?;
        // None of them counts a slice as whole that another one has not expanded.
        superstep[agreed.whole..].iter_mut().for_each(|slice| slice.is_whole = false);
        Some(Flags { is_over: agreed.flags.is_over || agreed.flags.is_due, ..agreed.flags })
    }

    /// Whether the search must stop: where several processes share it, all of them.
    pub(super) fn is_stopped_for_all(&mut self) -> bool {
        let own = Flags { is_stopped: self.engine.control.is_stopped(), ..Flags::default() };
        let agreed = self.checkpoints.as_mut().map_or(Some(own), |checkpoints| checkpoints.agree(self.engine, own));
        agreed.is_none_or(|agreed| agreed.is_stopped)
    }

    /// At the end of a level all processes have the least finding of it.
    pub(super) fn agree_on_claim(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            self.ledger.claim = checkpoints.least_claim(&mut self.own, self.ledger.claim.take());
        }
    }

    /// Expands a slice whose states are read from the log.
    fn expand_from_log(&mut self, slice: Range<u32>, distance: u64) -> Vec<Batch> {
        let mut waiting = std::mem::take(&mut self.emptied);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.list(self.engine, slice, &mut waiting);
        }
        let active = self.workers_on(waiting.entries.len());
        let crew = self.crew.filter(|_| active > 1);
        self.own.expander().work_alone(crew.is_none());
        let (batches, waiting) = match crew {
            None => {
                self.own.expander().keep_up(waiting.spills);
                expand_listed(&mut self.own, &waiting, 0..waiting.entries.len(), distance);
                (vec![self.own.take_batch()], Some(waiting))
            }
            Some(crew) => {
                let job = crew.start(waiting, distance, active);
                let batch = job.take_part(&mut self.own, crew.injector);
                let batches = crew.finish(active).into_iter().chain([batch]).collect();
                (batches, Arc::into_inner(job.waiting))
            }
        };
        self.emptied = waiting.unwrap_or_default();
        self.emptied.clear();
        batches
    }

    /// Numbers and examines what the slices of a round have found, slice by slice, and keeps how far the search has come.
    fn close_round(&mut self, distance: u64) {
        let engine = self.engine;
        let Some(checkpoints) = &mut self.checkpoints else { return };
        // As it is with the candidates: else rounds would become shorter and shorter before the tables by themselves are full.
        let is_full = checkpoints.is_full(engine, &self.round);
        checkpoints.strike(engine, &mut self.round);
        let Examined { mut findings, found } = self.examine_round();
        let Some(checkpoints) = &mut self.checkpoints else { return };
        let numbered = checkpoints.numbered(&self.round.candidates, found);
        let (candidates, slices) = (std::mem::take(&mut self.round.candidates), std::mem::take(&mut self.round.slices));
        let (mut place, mut words) = (0, Vec::new());
        let mut is_kept = numbered.is_some();
        for (RoundSlice { end, sums, candidates: own, .. }, numbered) in slices.into_iter().zip(numbered.into_iter().flatten()) {
            if checkpoints.limit().is_some() {
                is_kept = false;
                break;
            }
            let NumberedSlice { total, is_part, .. } = numbered;
            let (base, first) = (u64::from(self.ledger.len()), place);
            place += own;
            // A checkpoint that another limit was given for may have more states than this one allows.
            let is_last = is_part || total > u64::from(self.limit.saturating_sub(self.ledger.len()));
            if is_last {
                checkpoints.write_before(engine, self.ledger, &self.position);
            }
            let found = (first..place).map(|at| (candidates[at], base + numbered.offset(at - first), findings.remove(&at)));
            let mut log = |new: &_, number| checkpoints.push(engine, (new, number), &mut words);
            self.ledger.number_in_log(engine, sums, (found, base + total), (distance, self.limit), &mut log);
            // Only a slice whose new states are all numbered, and in the log, counts as expanded.
            if is_last || self.ledger.is_full || checkpoints.limit().is_some() {
                is_kept = false;
                break;
            }
            self.position.expanded = end;
        }
        checkpoints.closed(engine);
        self.round.candidates = candidates;
        self.round.clear();
        if is_kept {
            self.barrier();
        }
        if is_kept && is_full {
            self.spill();
        }
    }

    /// Examines the candidates of a round, all of which are new.
    fn examine_round(&mut self) -> Examined {
        let engine = self.engine;
        let (mut findings, mut found, mut place) = (FxHashMap::default(), Vec::new(), 0);
        for RoundSlice { is_whole, candidates, .. } in &self.round.slices {
            let own = &self.round.candidates[place..place + candidates];
            let mut is_interrupted = false;
            for (at, new) in (place..).zip(own) {
                // Most states have nothing, and are not listed.
                if let Some(seen) = self.own.expander().examine(new.id).filter(|seen| !seen.is_clean()) {
                    is_interrupted |= seen.undecided.as_ref().is_some_and(|error| error.kind == EvalErrorKind::Interrupted);
                    findings.insert(at, seen);
                }
            }
            // Where the search is stopped meanwhile, states may not have been examined. They are no part of a checkpoint then, as those of
            // a slice that was not expanded as a whole, or that goes beyond the limit on states.
            let is_part = !is_whole || engine.control.is_stopped() && is_interrupted;
            found.push(FoundInSlice { candidates: *candidates, is_part });
            place += candidates;
        }
        Examined { findings, found }
    }
}
