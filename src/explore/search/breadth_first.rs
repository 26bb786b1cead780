//! Level-synchronous breadth-first search with any number of workers.
//!
//! A level is expanded in slices; the states of a slice are handed out in chunks, in order, so that each worker's ranks ascend, and
//! after each slice the new states are numbered by rank (see `engine`). Slices have a fixed size, so where a limit or a finding stops the
//! search does not depend on the schedule either.
//! Invariant: numbering, counts, verdict and trace are the same for any number of workers. Slices too small to be worth waking
//! anybody are expanded by the driving thread itself.

use super::crew::{Crew, work};
use super::driver::{Driver, Unnumbered, hit};
use super::engine::Engine;
use super::hooks::Hooks;
use super::ledger::{Batch, Ledger, Waiting};
use super::position::Position;
use super::subject::{Subject, Worker};
use crate::deep::spawn_deep;
use crate::number::StateNumber;
use crate::thresholds::SLICE_STATES;
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
    /// An on-the-fly check ended it.
    pub(crate) is_judged: bool,
}

/// Whether a search must stop at a barrier; `ended` gets the limit that stops it. Limits and errors come before findings, which are still
/// recorded.
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

/// Explores everything that can be reached from this position, whose states are in the ledger.
pub(super) fn breadth_first<S: Subject>(
    (subject, engine): (&S, &Engine<'_>),
    ledger: &mut Ledger,
    (options, limit): (&Options, u32),
    position: Position,
    hooks: &mut Hooks<'_, S>,
) -> Ended {
    let workers = options.workers.max(1);
    if workers == 1 {
        return levels((subject, engine), ledger, (options, limit), position, (None, hooks));
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
        levels((subject, engine), ledger, (options, limit), position, (Some(&crew), hooks))
    })
}

/// The slice of a level that begins with this state.
pub(super) fn slice_from(start: StateNumber, level_end: StateNumber) -> Range<StateNumber> {
    start..level_end.min(StateNumber::new(start.number().saturating_add(SLICE_STATES.get())))
}

/// Drives the workers level by level; the state of the last barrier is kept at the end, whatever ended the search.
fn levels<S: Subject>(
    (subject, engine): (&S, &Engine<'_>),
    ledger: &mut Ledger,
    (options, limit): (&Options, u32),
    position: Position,
    (crew, hooks): (Option<&Crew<'_>>, &mut Hooks<'_, S>),
) -> Ended {
    let (own, next, emptied) = (subject.worker(engine), Waiting::default(), Waiting::default());
    let mut driver: Driver<'_, '_, S> = Driver { engine, ledger, options, limit, crew, position, own, next, emptied };
    hooks.search_begins(&mut driver);
    let ended = driver.levels(hooks);
    hooks.search_ends(&mut driver);
    ended
}

impl<'e, S: Subject + 'e> Driver<'_, 'e, S> {
    /// Expands level after level until nothing new is found or the search must stop.
    fn levels(&mut self, hooks: &mut Hooks<'_, S>) -> Ended {
        let Self { engine, options, limit, .. } = *self;
        // In a resumed search, the earlier levels have led to this one, unless it is empty.
        let depth = self.position.distance.saturating_sub(u64::from(self.position.level.is_empty()));
        let mut ended = Ended { depth, ..Ended::default() };
        // Invariant: all states up to `level.end` are numbered, those below `expanded` are expanded, those in `level` have this distance.
        while !self.position.level.is_empty() {
            let Position { level, distance, .. } = self.position.clone();
            // A resumed search may have gone deeper before it had this limit.
            if let Some(depth) = options.limits.depth.filter(|depth| distance >= *depth) {
                ended.limit = Some(LimitHit::Depth(depth));
                break;
            }
            engine.control.level.store(distance, Ordering::Relaxed);
            let _phase = tracing::debug_span!(target: "bcheck::explore", "level", depth = distance).entered();
            engine.control.profile().level(&level, engine.stored_before);
            let flow = self.level(hooks, &level, distance);
            let is_stopped = hooks.level_ends(self);
            // The verdict of the first stage with a finding is final: with an earlier claim, those of this level are dropped in the end.
            let before = self.position.before.take();
            self.ledger.claim = before.or(self.ledger.claim.take());
            let ledger = &*self.ledger;
            let (states, found) = (level.end.since(level.start), ledger.end().since(level.end));
            tracing::debug!(target: "bcheck::explore", depth = distance, states, found, "level expanded");
            if found > 0 {
                ended.depth = distance + 1;
            }
            let is_over = is_over((engine, is_stopped), ledger, options, limit, &mut ended);
            if !is_over {
                ended.limit = hooks.limit();
            }
            if is_over || ended.limit.is_some() {
                // A finding in a level that led nowhere new leaves nothing unexplored.
                ended.is_exhausted = ended.limit.is_none() && found == 0;
                return ended;
            }
            // Once no state is left, nothing further is prepared.
            ended.is_judged = flow.is_break() || found > 0 && self.pause(hooks, level.end).is_break();
            if ended.is_judged {
                return ended;
            }
            let before = self.ledger.claim.take();
            let level = level.end..self.ledger.end();
            self.position = Position { expanded: level.start, level, distance: distance + 1, before, is_check_due: false };
            hooks.slice_numbered(self);
        }
        self.ledger.claim = self.position.before.take();
        ended.is_exhausted = ended.limit.is_none();
        ended
    }

    /// Expands the states of one level, slice by slice, and numbers the new ones; breaks if a hook ends the search.
    fn level(&mut self, hooks: &mut Hooks<'_, S>, level: &Range<StateNumber>, distance: u64) -> ControlFlow<()> {
        let engine = self.engine;
        if let Some(taker) = hooks.taking_over(self, None) {
            hooks.expand_rest(taker, self, (level, distance));
            return ControlFlow::Continue(());
        }
        // A slice that was expanded is numbered while the next one is being expanded. The parents of the next one have higher numbers,
        // hence its steps higher ranks: nothing that it finds can change number or parent of a state of this slice.
        let mut expanded: Option<Unnumbered> = None;
        let mut start = self.position.expanded;
        if std::mem::take(&mut self.position.is_check_due) {
            self.pause(hooks, start)?;
        }
        while start < level.end {
            let slice = slice_from(start, level.end);
            engine.control.frontier.store(self.ledger.end().since(start).into(), Ordering::Relaxed);
            start = slice.end;
            let before = expanded.take();
            let crew = self.crew.filter(|_| self.workers_on(StateNumber::each(slice.clone()).len()) > 1);
            // A single worker finds no entries of others, so it need not record any.
            self.own.expander().writer.words.alone = crew.is_none();
            let batches = match crew {
                Some(crew) => self.expand_shared((crew, hooks), slice, &slice_from(start, level.end), before, distance),
                None => self.expand_alone(hooks, slice, before, distance),
            };
            // The limit was hit by the slice before: what this one found does not count, exactly as if it had not been begun.
            if self.is_full() || hooks.limit().is_some() {
                return ControlFlow::Continue(());
            }
            // The barrier: every worker has reported, so none offers, and the ranks of this slice are final.
            expanded = Some(Unnumbered { end: start, is_whole: !engine.control.is_stopped(), batches, slice: engine.store.close_slice() });
            if engine.control.is_stopped() {
                break;
            }
            let taker = hooks.taking_over(self, expanded.as_ref());
            // At the end of a level the caller pauses, which knows whether another level follows.
            let is_pause_due = taker.is_none() && start < level.end && hooks.is_pause_due(self.ledger, start);
            if taker.is_none() && !is_pause_due {
                continue;
            }
            // Stored in a checkpoint: whether one is due was decided before these states were numbered.
            self.position.is_check_due = is_pause_due;
            expanded.take().into_iter().for_each(|done| self.number(hooks, done, distance + 1));
            self.position.is_check_due = false;
            if self.is_full() {
                return ControlFlow::Continue(());
            }
            if let Some(taker) = taker {
                hooks.expand_rest(taker, self, (level, distance));
                return ControlFlow::Continue(());
            }
            self.pause(hooks, start)?;
        }
        if let Some(done) = expanded {
            self.number(hooks, done, distance + 1);
        }
        ControlFlow::Continue(())
    }

    /// Lets hooks do their due work; no other worker is active.
    fn pause(&mut self, hooks: &mut Hooks<'_, S>, expanded: StateNumber) -> ControlFlow<()> {
        // A finding that ends the search does so at the end of its level, and comes before what hooks may find.
        if self.ledger.claim.is_some() && !self.options.keep_going {
            return ControlFlow::Continue(());
        }
        hooks.pause(self.ledger, expanded)
    }

    fn number(&mut self, hooks: &mut Hooks<'_, S>, done: Unnumbered, distance: u64) {
        let counted = self.ledger.number(self.engine, done.batches, &done.slice, distance, self.limit);
        let expanded = &mut self.ledger.expanded.count;
        *expanded = done.end.min(counted).number().max(*expanded);
        // A slice in which the search was stopped, or whose states exceed a limit, does not end at a barrier: a resumed run expands it
        // again as a whole. Nor does one behind a fault, which does not count.
        let is_over = self.ledger.attached.ends_at_fault() && self.ledger.claim.is_some();
        if done.is_whole && !self.is_full() && !is_over {
            self.position.expanded = done.end;
            hooks.slice_numbered(self);
        }
    }

    /// Expands a slice together with the crew. Meanwhile this thread numbers the slice `before`, and lists the `following` one.
    fn expand_shared(
        &mut self,
        (crew, hooks): (&Crew<'_>, &mut Hooks<'_, S>),
        slice: Range<StateNumber>,
        following: &Range<StateNumber>,
        before: Option<Unnumbered>,
        distance: u64,
    ) -> Vec<Batch> {
        let active = self.workers_on(StateNumber::each(slice.clone()).len());
        let mut waiting = std::mem::replace(&mut self.next, std::mem::take(&mut self.emptied));
        // Listed before, unless it is the first slice of the level.
        if waiting.entries.is_empty() {
            self.ledger.list(slice, &mut waiting);
        }
        let job = crew.start(waiting, distance, active);
        if let Some(done) = before {
            // The workers that already expand this slice continue to compute successors while the table grows.
            self.engine.store.make_room(&done.slice);
            // Also where this hits the limit on states, the workers must report before the search may end.
            self.number(hooks, done, distance + 1);
        }
        if self.workers_on(StateNumber::each(following.clone()).len()) > 1 {
            self.ledger.list(following.clone(), &mut self.next);
        }
        let batch = job.take_part(&mut self.own, crew.injector);
        let batches = crew.finish(active).into_iter().chain([batch]).collect();
        // All have reported, and a worker drops its share of the list before that.
        self.emptied = Arc::into_inner(job.waiting).unwrap_or_default();
        self.emptied.clear();
        batches
    }

    /// Expands a slice on this thread alone, unless the limit on states is hit by numbering the slice `before`.
    fn expand_alone(
        &mut self,
        hooks: &mut Hooks<'_, S>,
        slice: Range<StateNumber>,
        before: Option<Unnumbered>,
        distance: u64,
    ) -> Vec<Batch> {
        if let Some(done) = before {
            self.number(hooks, done, distance + 1);
        }
        if self.is_full() {
            return Vec::new();
        }
        for number in StateNumber::each(slice.clone()) {
            if self.engine.control.is_stopped() {
                self.own.expander().batch.unexpanded.push(number..slice.end);
                break;
            }
            let (entry, state) = self.ledger.take(number);
            self.own.expand(entry, state.as_ref(), distance);
        }
        vec![self.own.take_batch()]
    }
}
