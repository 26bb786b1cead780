//! A level of a search beyond memory, or of one that several processes share: new states are numbered pass by pass.
//!
//! A slice's candidates are looked up only when its pass is closed: in sorted runs, if there are any. If several processes share the
//! search, the owners of states look them up before, at the end of each superstep, which is some of the slices of a pass. Then all get
//! their numbers, in the order of ranks, and slice by slice the sums are added up. Invariant: numbers, sums, and the point where a limit
//! ends the search are those of a search within memory by one process. Deliberately elsewhere: levels (`breadth_first`), runs (`disk`),
//! messages between processes (`partition`), storage (`checkpoint`).

use super::breadth_first::slice_from;
use super::crew::expand_listed;
use super::disk::pass::{ExpandedSlice, PassSlice};
use super::driver::Driver;
use super::engine::Engine;
use super::keeping::Keeping;
use super::ledger::{Batch, Waiting};
use super::partition::{Flags, FoundInSlice, NumberedSlice, Pace};
use super::subject::{Subject, Worker};
use crate::number::StateNumber;
use crate::property::Examination;
use bcheck_eval::EvalErrorKind;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The results of examining the candidates of a pass, by their indices; and the slices in which it was interrupted.
struct Examined {
    findings: FxHashMap<usize, Examination>,
    found: Vec<FoundInSlice>,
}

impl Keeping<'_> {
    /// From here on the visited set goes beyond memory.
    pub(super) fn spill<S: Subject>(&mut self, driver: &mut Driver<'_, '_, S>) {
        // Listed with ids.
        driver.next = Waiting::default();
        self.checkpoints.spill(driver.engine, driver.ledger);
        if self.pass.candidates.capacity() == 0 {
            self.pass = self.checkpoints.pass();
        }
    }

    /// The rest of a level beyond memory: the new states of slices are numbered when their pass is closed.
    pub(super) fn rest_of_level<S: Subject>(&mut self, driver: &mut Driver<'_, '_, S>, level: &Range<StateNumber>, distance: u64) {
        let mut start = driver.position.expanded;
        while start < level.end && self.checkpoints.limit().is_none() {
            let begun = Instant::now();
            let mut superstep = self.expand_superstep(driver, start..level.end, distance);
            let pace = Pace { slices: superstep.len(), time: begun.elapsed() };
            let end = superstep.last().map_or(level.end, |slice| slice.end);
            let Some(received) = self.checkpoints.share_out(driver.engine, &mut superstep, &(start..end)) else { break };
            start = end;
            self.pass.add(driver.engine, superstep, received);
            let Some(Flags { is_stopped, is_over, .. }) = self.flags(driver.engine, pace, start == level.end) else { break };
            if is_stopped || is_over {
                self.close_pass(driver, distance + 1);
                if is_stopped || driver.is_full() {
                    break;
                }
            }
        }
        self.pass.clear();
    }

    /// Expands the next slices of the rest of a level, as many as all processes do. Those after an interrupted one are not expanded, but
    /// listed, as all processes number the same slices.
    fn expand_superstep<S: Subject>(
        &mut self,
        driver: &mut Driver<'_, '_, S>,
        rest: Range<StateNumber>,
        distance: u64,
    ) -> Vec<ExpandedSlice> {
        let engine = driver.engine;
        let count = self.checkpoints.slices_at_once();
        let mut start = rest.start;
        let mut superstep = Vec::new();
        while superstep.len() < count && start < rest.end {
            let slice = slice_from(start, rest.end);
            engine.control.frontier.store(rest.end.since(start).into(), Ordering::Relaxed);
            start = slice.end;
            let batches = match engine.control.is_stopped() {
                true => vec![Batch { unexpanded: vec![slice], ..Batch::default() }],
                false => self.expand_from_log(driver, slice, distance),
            };
            superstep.push(ExpandedSlice { end: start, is_whole: !engine.control.is_stopped(), batches });
        }
        superstep
    }

    /// How to continue after a superstep; `None` if another process is lost.
    fn flags(&mut self, engine: &Engine<'_>, pace: Pace, is_last: bool) -> Option<Flags> {
        let Self { checkpoints, .. } = self;
        let is_over = is_last || checkpoints.is_pass_over(engine, &self.pass);
        let superstep = self.pass.last_superstep();
        let whole = superstep.iter().take_while(|slice| slice.is_whole).count();
        let is_stopped = whole < superstep.len();
        let agreed = checkpoints.agree_after(engine, Flags { is_stopped, is_over, is_due: false }, (whole, pace))?;
        // None of them counts a slice as whole that another one has not expanded.
        superstep[agreed.whole..].iter_mut().for_each(|slice| slice.is_whole = false);
        Some(Flags { is_over: agreed.flags.is_over || agreed.flags.is_due, ..agreed.flags })
    }

    /// Expands a slice whose states are read from the log.
    fn expand_from_log<S: Subject>(&mut self, driver: &mut Driver<'_, '_, S>, slice: Range<StateNumber>, distance: u64) -> Vec<Batch> {
        let mut waiting = std::mem::take(&mut driver.emptied);
        self.checkpoints.list(driver.engine, slice, &mut waiting);
        let active = driver.workers_on(waiting.entries.len());
        let crew = driver.crew.filter(|_| active > 1);
        driver.own.expander().writer.words.alone = crew.is_none();
        let (batches, waiting) = match crew {
            None => {
                driver.own.expander().writer.keep_up(waiting.spills);
                expand_listed(&mut driver.own, &waiting, 0..waiting.entries.len(), distance);
                (vec![driver.own.take_batch()], Some(waiting))
            }
            Some(crew) => {
                let job = crew.start(waiting, distance, active);
                let batch = job.take_part(&mut driver.own, crew.injector);
                let batches = crew.finish(active).into_iter().chain([batch]).collect();
                (batches, Arc::into_inner(job.waiting))
            }
        };
        driver.emptied = waiting.unwrap_or_default();
        driver.emptied.clear();
        batches
    }

    /// Numbers and examines the new states of the slices of a pass, slice by slice, and stores the progress of the search.
    fn close_pass<S: Subject>(&mut self, driver: &mut Driver<'_, '_, S>, distance: u64) {
        let engine = driver.engine;
        // Including the candidates: otherwise passes would become shorter and shorter before the tables alone are full.
        let is_full = self.checkpoints.is_full(engine, &self.pass);
        self.checkpoints.remove_duplicates(engine, &mut self.pass);
        let Examined { mut findings, found } = self.examine_pass(driver);
        let Self { checkpoints, .. } = self;
        let numbered = checkpoints.numbered(&self.pass.candidates, found);
        let (candidates, slices) = (std::mem::take(&mut self.pass.candidates), std::mem::take(&mut self.pass.slices));
        let (mut place, mut words) = (0, Vec::new());
        let mut is_kept = numbered.is_some();
        for (PassSlice { end, sums, candidates: own, .. }, numbered) in slices.into_iter().zip(numbered.into_iter().flatten()) {
            if checkpoints.limit().is_some() {
                is_kept = false;
                break;
            }
            let NumberedSlice { total, is_part, .. } = numbered;
            let (base, first) = (u64::from(driver.ledger.len()), place);
            place += own;
            // A checkpoint that another limit was given for may have more states than this one allows.
            let is_last = is_part || total > u64::from(driver.limit.saturating_sub(driver.ledger.len()));
            if is_last {
                checkpoints.write_before(engine, driver.ledger, &driver.position);
            }
            let found = (first..place).map(|at| (candidates[at], base + numbered.offset(at - first), findings.remove(&at)));
            let mut log = |new: &_, number| checkpoints.push(engine, (new, number), &mut words);
            driver.ledger.number_in_log(engine, sums, (found, base + total), (distance, driver.limit), &mut log);
            driver.ledger.expanded.count = end.number();
            // Only a slice whose new states are all numbered, and in the log, is part of a checkpoint.
            if is_last || driver.ledger.is_full || checkpoints.limit().is_some() {
                is_kept = false;
                break;
            }
            driver.position.expanded = end;
        }
        checkpoints.closed(engine);
        self.pass.candidates = candidates;
        self.pass.clear();
        if is_kept {
            checkpoints.barrier(engine, driver.ledger, &driver.position);
        }
        if is_kept && is_full {
            self.spill(driver);
        }
    }

    /// Examines the candidates of a pass, all of which are new.
    fn examine_pass<S: Subject>(&self, driver: &mut Driver<'_, '_, S>) -> Examined {
        let engine = driver.engine;
        let (mut findings, mut found, mut place) = (FxHashMap::default(), Vec::new(), 0);
        for PassSlice { is_whole, candidates, .. } in &self.pass.slices {
            let own = &self.pass.candidates[place..place + candidates];
            let mut is_interrupted = false;
            for (at, new) in (place..).zip(own) {
                // Most states have nothing, and are not listed.
                if let Some(seen) = driver.own.examine(new.id).filter(|seen| !seen.is_clean()) {
                    is_interrupted |= seen.undecided.as_ref().is_some_and(|error| error.kind == EvalErrorKind::Interrupted);
                    findings.insert(at, seen);
                }
            }
            // If the search is stopped meanwhile, states may not have been examined. They are then excluded from checkpoints, as those of a
            // slice that was not expanded completely, or that exceeds the limit on states.
            let is_part = !is_whole || engine.control.is_stopped() && is_interrupted;
            found.push(FoundInSlice { candidates: *candidates, is_part });
            place += candidates;
        }
        Examined { findings, found }
    }
}
