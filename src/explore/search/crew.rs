//! The workers of a search: slices are distributed to them in chunks, and their reports come back.
//!
//! Invariant: the chunks that one worker takes of a slice ascend, and so do its ranks. Deliberately elsewhere: which slices there are
//! (`breadth_first`), the processing of a state (`expander`).

use super::engine::Engine;
use super::ledger::{Batch, Waiting};
use super::subject::{Subject, Worker};
use crossbeam::channel::{Receiver, Sender};
use crossbeam::deque::{Injector, Steal};
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// One slice for a worker to take part in.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) waiting: Arc<Waiting>,
    distance: u64,
}

impl Job {
    /// Expands chunks until none are left.
    pub(super) fn take_part<'e>(&self, worker: &mut impl Worker<'e>, injector: &Injector<Range<usize>>) -> Batch {
        worker.expander().writer.keep_up(self.waiting.spills);
        // The queue is first in, first out: the chunks of one worker ascend, and so do its ranks, on which lists of offers rely.
        while let Some(chunk) = next_chunk(injector) {
            expand_listed(worker, &self.waiting, chunk, self.distance);
        }
        worker.take_batch()
    }
}

/// Expands some of the states that wait.
pub(super) fn expand_listed<'e>(worker: &mut impl Worker<'e>, waiting: &Waiting, chunk: Range<usize>, distance: u64) {
    let control = worker.expander().engine.control;
    for at in chunk.clone() {
        // The flag is read between states, as in `expand_alone`; inside of one the evaluator reads it.
        if control.is_stopped() {
            let rest = waiting.entries[at].number..waiting.entries[chunk.end - 1].number.next();
            worker.expander().batch.unexpanded.push(rest);
            break;
        }
        let entry = waiting.entries[at];
        match waiting.keys.get(at) {
            None => worker.expand(entry, waiting.state(entry), distance),
            Some(key) => worker.expand_key(entry, key, distance),
        }
    }
}

/// The answer of a worker to a job: its batch, or the panic that ended it.
pub(super) type Report = Result<Batch, Box<dyn Any + Send>>;

/// The workers as the driving thread sees them.
pub(super) struct Crew<'a> {
    pub(super) workers: usize,
    pub(super) injector: &'a Injector<Range<usize>>,
    pub(super) jobs: Sender<Job>,
    pub(super) reports: Receiver<Report>,
}

impl Crew<'_> {
    /// Begins to expand a slice with `active` workers, the driving one among them.
    pub(super) fn start(&self, waiting: Waiting, distance: u64, active: usize) -> Job {
        let count = waiting.entries.len();
        let mut start = 0;
        // Guided self-scheduling (Polychronopoulos and Kuck, 1987) with half of its chunks: large ones first, as neighbours have
        // successors in common; small ones last, so that all workers end together. All are queued before the first job is sent: a worker
        // that finds the queue empty is done.
        while start < count {
            let size = ((count - start) / (2 * active)).max(1);
            self.injector.push(start..start + size);
            start += size;
        }
        let job = Job { waiting: Arc::new(waiting), distance };
        // One message for each worker that takes part. Jobs are not addressed: any worker that waits may take one.
        for _ in 1..active {
            self.jobs.send(job.clone()).expect("workers wait as long as the crew exists");
        }
        job
    }

    /// Waits for the other workers and returns their batches; a panic of one of them is resumed here.
    pub(super) fn finish(&self, active: usize) -> Vec<Batch> {
        let answers = (1..active).map(|_| self.reports.recv().expect("each job is answered, by a panic if need be"));
        answers.map(|answer| answer.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    }
}

/// The loop of a worker thread: one job after another until the channel of jobs is closed.
pub(super) fn work<S: Subject>(
    (subject, engine): (&S, &Engine<'_>),
    injector: &Injector<Range<usize>>,
    waiting: &Receiver<Job>,
    report: &Sender<Report>,
) {
    let mut worker = subject.worker(engine);
    while let Ok(job) = waiting.recv() {
        // Without a report the driving thread would wait forever, so a panic is reported as well.
        let done = catch_unwind(AssertUnwindSafe(|| job.take_part(&mut worker, injector)));
        // Before the report: once all have reported, the driving thread takes the list out of its `Arc` and uses it again.
        drop(job);
        let is_broken = done.is_err();
        if report.send(done).is_err() || is_broken {
            break;
        }
    }
}

/// The next chunk that no worker has taken.
fn next_chunk(injector: &Injector<Range<usize>>) -> Option<Range<usize>> {
    // `Retry` means that another thread was quicker, not that the queue is empty.
    std::iter::repeat_with(|| injector.steal()).find(|steal: &Steal<Range<usize>>| !steal.is_retry()).and_then(Steal::success)
}
