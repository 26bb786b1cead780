//! Level-synchronous breadth-first search with any number of workers.
//!
//! A level is expanded in slices; the states of a slice are handed out in chunks, in order, so that each worker's ranks ascend, and
//! after each slice the new states are numbered by rank (see `engine`). Slices have a fixed size, so where a limit or a finding stops the
//! search does not depend on the schedule either.
//! Invariant: numbering, counts, verdict and trace are the same for any number of workers. Slices too small to be worth waking
//! anybody are expanded by the driving thread itself.

use super::checkpoint::Checkpoints;
use super::crew::{Crew, work};
use super::disk::round::Round;
use super::engine::Engine;
use super::ledger::{Batch, Ledger, Waiting};
use super::position::Position;
use super::recording::Interims;
use super::store::Slice;
use super::subject::{Subject, Worker};
use crate::deep::spawn_deep;
use crate::thresholds::{LEAST_SHARE, SLICE_STATES};
use crate::{LimitHit, Options};
use crossbeam::channel::unbounded;
use crossbeam::deque::Injector;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// How a search ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(crate) limit: Option<LimitHit>,
    pub(crate) depth: u64,
    pub(crate) is_exhausted: bool,
    /// An interim judgement ended it.
    pub(crate) is_judged: bool,
}

/// Whether a search must stop at a barrier; `ended` gets the limit that stops it. Limits and errors come before findings, which are kept
/// all the same.
pub(super) fn is_over(
    (engine, is_stopped): (&Engine<'_>, bool),
    ledger: &Ledger,
    options: &Options,
    limit: u32,
    ended: &mut Ended,
) -> bool {
    ended.limit = engine.control.stop_reason().filter(|_| is_stopped).or_else(|| hit(ledger, limit));
    ended.limit.is_some() || (ledger.claim.is_some() && !options.keep_going)
}

/// The limit that a ledger has hit.
pub(super) fn hit(ledger: &Ledger, limit: u32) -> Option<LimitHit> {
    let full = ledger.is_full.then(|| LimitHit::States(u64::from(limit)));
    full.or_else(|| Some(LimitHit::Enumeration(ledger.up_to_fault.as_ref()?.stuck.clone()?)))
}

/// What a search does at barriers besides numbering.
pub(super) struct AtBarriers<'a, 'c, 'r> {
    /// Judges what is recorded.
    pub(super) interims: Option<&'a mut Interims<'c, 'r>>,
    /// Keeps how far the search has come.
    pub(super) checkpoints: Option<&'a mut Checkpoints>,
}

/// Explores everything that can be reached from this position, whose states are in the ledger.
pub(super) fn breadth_first<S: Subject>(
    (subject, engine): (&S, &Engine<'_>),
    ledger: &mut Ledger,
    (options, limit): (&Options, u32),
    position: Position,
    at_barriers: AtBarriers<'_, '_, '_>,
) -> Ended {
    let workers = options.workers.max(1);
    if workers == 1 {
        return levels((subject, engine), ledger, (options, limit), position, (None, at_barriers));
    }
    // Jobs go to whichever worker is free, reports come back. A message happens before its receipt, so what a worker wrote into the visited
    // set (keys are relaxed stores) is visible to whoever expands or numbers it after the barrier.
    let injector = Injector::new();
    let (jobs, waiting) = unbounded();
    let (report, reports) = unbounded();
    thread::scope(|scope| {
        // The driving thread is a worker too.
        let mut started = 1;
        for index in 1..workers {
            let (waiting, report) = (waiting.clone(), report.clone());
            let injector = &injector;
            if spawn_deep(scope, &format!("worker {index}"), move || work((subject, engine), injector, &waiting, &report)).is_err() {
                // With fewer workers the search does the same, in more time.
                engine.control.missing_workers.store(workers - started, Ordering::Relaxed);
                break;
            }
            started += 1;
        }
        // Dropping the crew closes the channel of jobs, which ends the workers.
        let crew = Crew { workers: started, injector: &injector, jobs, reports };
        levels((subject, engine), ledger, (options, limit), position, (Some(&crew), at_barriers))
    })
}

/// What was found in a slice that was expanded; the new states are not numbered yet.
pub(super) struct Unnumbered {
    /// The number behind its last state.
    pub(super) end: u32,
    /// Whether all its states were expanded: the search was not stopped meanwhile.
    pub(super) is_whole: bool,
    pub(super) batches: Vec<Batch>,
    pub(super) slice: Slice,
}

/// The slice of a level that begins with this state.
pub(super) fn slice_from(start: u32, level_end: u32) -> Range<u32> {
    start..level_end.min(start.saturating_add(SLICE_STATES.get()))
}

/// Drives the workers level by level; what was reached at the last barrier is kept in the end, whatever ended the search.
fn levels<S: Subject>(
    (subject, engine): (&S, &Engine<'_>),
    ledger: &mut Ledger,
    (options, limit): (&Options, u32),
    position: Position,
    (crew, at_barriers): (Option<&Crew<'_>>, AtBarriers<'_, '_, '_>),
) -> Ended {
    let AtBarriers { interims, mut checkpoints } = at_barriers;
    if let Some(checkpoints) = &mut checkpoints
        && checkpoints.is_shared()
        && !ledger.is_spilled()
    {
        checkpoints.begin_shared(engine, ledger);
    }
    let round = checkpoints.as_ref().filter(|_| ledger.is_spilled()).map(|checkpoints| checkpoints.round()).unwrap_or_default();
    let mut driver: Driver<'_, '_, '_, '_, S::Worker<'_>> = Driver {
        engine,
        ledger,
        options,
        limit,
        crew,
        position,
        interims,
        checkpoints,
        own: subject.worker(engine),
        next: Waiting::default(),
        emptied: Waiting::default(),
        round,
    };
    // Where the examination of an initial state was interrupted, the next run begins with it.
    if !driver.is_stopped_for_all() {
        driver.barrier();
    }
    let ended = driver.levels();
    if let Some(checkpoints) = driver.checkpoints {
        checkpoints.write(engine, driver.ledger);
    }
    ended
}

/// The driving thread, which numbers states and is a worker too.
pub(super) struct Driver<'a, 'e, 'c, 'r, W> {
    pub(super) engine: &'e Engine<'e>,
    pub(super) ledger: &'a mut Ledger,
    options: &'a Options,
    /// The limit on states.
    pub(super) limit: u32,
    /// The other workers, if there are any.
    pub(super) crew: Option<&'a Crew<'a>>,
    /// At the last barrier.
    pub(super) position: Position,
    interims: Option<&'a mut Interims<'c, 'r>>,
    pub(super) checkpoints: Option<&'a mut Checkpoints>,
    pub(super) own: W,
    /// The next slice of the level, where it was listed while the one before was expanded.
    pub(super) next: Waiting,
    /// A free list of one: see `Engine::emptied`.
    pub(super) emptied: Waiting,
    /// Beyond memory: the slices since the last round was closed.
    pub(super) round: Round,
}

impl<'e, W: Worker<'e>> Driver<'_, 'e, '_, '_, W> {
    /// Expands level after level until nothing new is found or the search must stop.
    fn levels(&mut self) -> Ended {
        let Self { engine, options, limit, .. } = *self;
        // Where a search goes on with a checkpoint, the levels before have led to this one, unless it is empty.
        let depth = self.position.distance.saturating_sub(u64::from(self.position.level.is_empty()));
        let mut ended = Ended { depth, ..Ended::default() };
        // Invariant: all states up to `level.end` are numbered, those below `expanded` are expanded, those in `level` have this distance.
        while !self.position.level.is_empty() {
            let Position { level, distance, .. } = self.position.clone();
            // A search that goes on may have come deeper before it had this limit.
            if let Some(depth) = options.limits.depth.filter(|depth| distance >= *depth) {
                ended.limit = Some(LimitHit::Depth(depth));
                break;
            }
            engine.control.level.store(distance, Ordering::Relaxed);
            engine.control.profile().level(&level, engine.stored_before);
            let judged = self.level(&level, distance);
            let is_stopped = self.is_stopped_for_all();
            self.agree_on_claim();
            // The verdict of the first stage with a finding stands: with an earlier claim, those of this level are dropped in the end.
            let before = self.position.before.take();
            self.ledger.claim = before.or(self.ledger.claim.take());
            let ledger = &*self.ledger;
            let found = ledger.len() - level.end;
            tracing::debug!(target: "bcheck::explore", depth = distance, states = level.len(), found, "level expanded");
            if ledger.len() > level.end {
                ended.depth = distance + 1;
            }
            if is_over((engine, is_stopped), ledger, options, limit, &mut ended) || self.is_unsaved(&mut ended) {
                // A finding in a level that led nowhere new leaves nothing unexplored.
                ended.is_exhausted = ended.limit.is_none() && self.ledger.len() == level.end;
                return ended;
            }
            // Once no state is left, what is recorded is judged as a whole.
            ended.is_judged = judged.is_break() || self.ledger.len() > level.end && self.judge(level.end).is_break();
            if ended.is_judged {
                return ended;
            }
            let before = self.ledger.claim.take();
            let level = level.end..self.ledger.len();
            self.position = Position { expanded: level.start, level, distance: distance + 1, before, is_interim_due: false };
            self.barrier();
        }
        self.ledger.claim = self.position.before.take();
        ended.is_exhausted = ended.limit.is_none();
        ended
    }

    /// Whether the search must end because its checkpoints cannot be written.
    pub(super) fn is_unsaved(&self, ended: &mut Ended) -> bool {
        let limit = self.checkpoints.as_ref().and_then(|checkpoints| checkpoints.limit());
        let is_unsaved = limit.is_some();
        ended.limit = limit.or(ended.limit.take());
        is_unsaved
    }

    /// All states below `position.expanded` are expanded, and what they led to is numbered.
    pub(super) fn barrier(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.barrier(self.engine, self.ledger, &self.position);
        }
    }

    /// Expands the states of one level, slice by slice, and numbers what is found; breaks where an interim judgement ends the search.
    fn level(&mut self, level: &Range<u32>, distance: u64) -> ControlFlow<()> {
        let engine = self.engine;
        if self.ledger.is_spilled() {
            self.level_beyond(level, distance);
            return ControlFlow::Continue(());
        }
        // A slice that was expanded is numbered while the next one is being expanded. The parents of the next one have higher numbers,
        // hence its steps higher ranks: nothing that it finds can change number or parent of a state of this slice.
        let mut expanded: Option<Unnumbered> = None;
        let mut start = self.position.expanded;
        if std::mem::take(&mut self.position.is_interim_due) {
            self.judge(start)?;
        }
        while start < level.end {
            let slice = slice_from(start, level.end);
            engine.control.frontier.store(u64::from(self.ledger.len() - start), Ordering::Relaxed);
            start = slice.end;
            let before = expanded.take();
            let crew = self.crew.filter(|_| self.workers_on(slice.len()) > 1);
            self.own.expander().work_alone(crew.is_none());
            let batches = match crew {
                Some(crew) => self.expand_shared(crew, slice, &slice_from(start, level.end), before, distance),
                None => self.expand_alone(slice, before, distance),
            };
            // The limit was hit by the slice before: what this one found does not count, exactly as if it had not been begun.
            if self.is_full() || self.is_unsaved(&mut Ended::default()) {
                return ControlFlow::Continue(());
            }
            // The barrier: every worker has reported, so nobody offers, and the ranks of this slice are final.
            expanded = Some(Unnumbered { end: start, is_whole: !engine.control.is_stopped(), batches, slice: engine.store.close_slice() });
            if engine.control.is_stopped() {
                break;
            }
            if self.is_to_spill(expanded.as_ref()) {
                expanded.take().into_iter().for_each(|done| self.number(done, distance + 1));
                if !self.is_full() {
                    self.spill();
                    self.level_beyond(level, distance);
                }
                return ControlFlow::Continue(());
            }
            // The end of a level is judged by the caller, which knows whether another level follows.
            if start < level.end && self.is_due(start) {
                // Kept in a checkpoint: whether one is due was asked before these states were numbered.
                self.position.is_interim_due = true;
                expanded.take().into_iter().for_each(|done| self.number(done, distance + 1));
                self.position.is_interim_due = false;
                if self.is_full() {
                    return ControlFlow::Continue(());
                }
                self.judge(start)?;
            }
        }
        if let Some(done) = expanded {
            self.number(done, distance + 1);
        }
        ControlFlow::Continue(())
    }

    /// Whether an interim judgement is due where states below this number are expanded.
    fn is_due(&self, expanded: u32) -> bool {
        self.interims.as_ref().is_some_and(|interims| interims.is_due(self.ledger, expanded))
    }

    /// Judges what is recorded if that is due: all rows up to this number are written, and no other worker is active.
    fn judge(&mut self, expanded: u32) -> ControlFlow<()> {
        // A finding that ends the search does so at the end of its level, and comes before those of formulas.
        if !self.is_due(expanded) || self.ledger.claim.is_some() && !self.options.keep_going {
            return ControlFlow::Continue(());
        }
        self.interims.as_mut().map_or(ControlFlow::Continue(()), |interims| interims.pass(self.ledger, expanded))
    }

    pub(super) fn workers_on(&self, states: usize) -> usize {
        self.crew.map_or(1, |crew| crew.workers.min(states / LEAST_SHARE.get()))
    }

    pub(super) fn is_full(&self) -> bool {
        hit(self.ledger, self.limit).is_some()
    }

    fn number(&mut self, done: Unnumbered, distance: u64) {
        self.ledger.number(self.engine, done.batches, &done.slice, distance, self.limit);
        // A slice in which the search was stopped, or whose states go beyond a limit, is no part of a checkpoint: a run that goes on
        // expands it as a whole. Nor is one behind which nothing counts.
        let is_over = self.ledger.up_to_fault.is_some() && self.ledger.claim.is_some();
        if self.checkpoints.is_some() && done.is_whole && !self.is_full() && !is_over {
            self.position.expanded = done.end;
            self.barrier();
        }
    }

    /// Expands a slice together with the crew. Meanwhile this thread numbers the slice `before`, and lists the `following` one.
    fn expand_shared(
        &mut self,
        crew: &Crew<'_>,
        slice: Range<u32>,
        following: &Range<u32>,
        before: Option<Unnumbered>,
        distance: u64,
    ) -> Vec<Batch> {
        let active = self.workers_on(slice.len());
        let mut waiting = std::mem::replace(&mut self.next, std::mem::take(&mut self.emptied));
        // Listed before, unless it is the first slice of the level.
        if waiting.entries.is_empty() {
            self.ledger.list(slice, &mut waiting);
        }
        let job = crew.start(waiting, distance, active);
        if let Some(done) = before {
            // The workers that already expand this slice go on making successors while the table grows.
            self.engine.store.make_room(&done.slice);
            // Also where this hits the limit on states, the workers must report before the search may end.
            self.number(done, distance + 1);
        }
        if self.workers_on(following.len()) > 1 {
            self.ledger.list(following.clone(), &mut self.next);
        }
        let batch = job.take_part(&mut self.own, crew.injector);
        let batches = crew.finish(active).into_iter().chain([batch]).collect();
        // All have reported, and a worker gives up its share of the list before it does.
        self.emptied = Arc::into_inner(job.waiting).unwrap_or_default();
        self.emptied.clear();
        batches
    }

    /// Expands a slice on this thread alone, unless the limit on states is hit by numbering the slice `before`.
    fn expand_alone(&mut self, slice: Range<u32>, before: Option<Unnumbered>, distance: u64) -> Vec<Batch> {
        if let Some(done) = before {
            self.number(done, distance + 1);
        }
        if self.is_full() {
            return Vec::new();
        }
        for number in slice {
            if self.engine.control.is_stopped() {
                break;
            }
            let (entry, state) = self.ledger.take(number);
            self.own.expand(entry, state.as_ref(), distance);
        }
        vec![self.own.take_batch()]
    }
}
