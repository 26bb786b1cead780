//! All states that satisfy the invariant, enumerated and shared among threads.
//!
//! States come in batches: the threads find the representatives of a batch, those that are new are counted, and the threads examine these.
//! Each thread has a contiguous part of a batch, and what the threads have found is put together in the order of these parts. Invariant:
//! what is found is the same for any number of threads. Deliberately elsewhere: what there is to find in a state ([`ExaminedSteps`]).

use super::InductionCheck;
use super::found::Induction;
use crate::Limits;
use crate::deep::spawn_deep;
use crate::first_choices::with_first_choices;
use crate::observer::Observer;
use crate::search::watch::{Control, watched};
use crate::thresholds::{FIRST_INDUCTION_BATCH, INDUCTION_BATCH};
use bcheck_eval::{EvalError, EvalErrorKind};
use bcheck_symmetry::Scratch;
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use num_traits::One;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The effects of steps on the invariant.
pub(crate) trait ExaminedSteps: Sync {
    /// The result for an empty set of states.
    fn nothing(&self) -> Induction;
    /// Visits the initial states.
    fn initial(&self, constants: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError>;
    /// Adds the results for an initial state; `orbit` is the size of its orbit.
    ///
    ///
    /// An interrupt only.
    fn examine_initial(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError>;
    /// Adds the results for a state that satisfies the invariant.
    ///
    ///
    /// An interrupt only.
    fn examine(&self, state: &[Value], orbit: &BigUint, found: &mut Induction) -> Result<(), EvalError>;
}

/// A representative with the size of its orbit, and whether the orbit has no other representative.
type Represented = (Valuation, BigUint, bool);

/// Examines all states, watched by an observer.
pub(crate) fn examine_all(
    check: InductionCheck<'_>,
    examined: &impl ExaminedSteps,
    observer: &mut dyn Observer,
) -> Result<Induction, EvalError> {
    with_first_choices((check.machine, check.symmetry), (check.max_choices, true), |symmetry| {
        let (check, control) = (InductionCheck { symmetry, ..check }, Control::new(check.machine, &Limits::default()));
        // Limits are watched by whoever can raise the flag.
        watched(&control, observer, || {
            let scratches = (0..check.workers.max(1)).map(|_| Scratch::interruptible(check.machine.interrupt())).collect();
            let (seen, found) = (FxHashSet::default(), examined.nothing());
            Examiner { check, examined, control: &control, scratches, seen, batch: Vec::new(), size: FIRST_INDUCTION_BATCH.get(), found }
                .run()
        })
    })
}

/// The states so far, and what was found in them.
struct Examiner<'a, E> {
    check: InductionCheck<'a>,
    examined: &'a E,
    control: &'a Control<'a>,
    /// One for each thread.
    scratches: Vec<Scratch>,
    /// Representatives under the current constants; none are stored without symmetry, as each state is enumerated once.
    seen: FxHashSet<Valuation>,
    /// States that wait for others.
    batch: Vec<Valuation>,
    size: usize,
    found: Induction,
}

impl<E: ExaminedSteps> Examiner<'_, E> {
    fn run(mut self) -> Result<Induction, EvalError> {
        let machine = self.check.machine;
        let mut set_ups = FxHashSet::default();
        let mut failed = None;
        self.control.seek(machine, 0);
        let enumerated = machine.for_each_setup_but_images(&self.check.symmetry.renamings(), &mut |constants| {
            // Consequences of symmetric set-ups are symmetric, so one of each orbit suffices.
            let Some((canonical, ..)) = self.representative(&constants) else { return ControlFlow::Break(()) };
            if set_ups.insert(canonical) {
                self.found.set_ups += 1;
                self.control.seek(machine, self.found.set_ups);
                self.control.is_seeking.store(false, Ordering::Relaxed);
                failed = self.of_set_up(&constants).err();
                self.control.seek(machine, self.found.set_ups);
            }
            if failed.is_none() && self.found.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match enumerated.err().or(failed) {
            Some(error) if error.kind == EvalErrorKind::Interrupted => self.found.is_complete = false,
            // The results for other states remain valid.
            Some(error) if error.kind.is_undecided() => self.found.left_out = Some(error),
            Some(error) => return Err(error),
            None => {}
        }
        Ok(self.found)
    }

    fn is_interrupted(&self) -> bool {
        self.check.machine.interrupt().load(Ordering::Relaxed)
    }

    /// The representative of a state; `None` when interrupted.
    fn representative(&mut self, state: &[Value]) -> Option<Represented> {
        let represented = self.check.represent(state, &mut self.scratches[0]);
        // The result of an interrupted search for a representative is not one.
        let is_interrupted = self.is_interrupted();
        self.found.is_complete &= !is_interrupted;
        self.found.is_exact &= is_interrupted || represented.2;
        (!is_interrupted).then_some(represented)
    }

    /// All states under these constants.
    fn of_set_up(&mut self, constants: &[Value]) -> Result<(), EvalError> {
        self.initialise(constants)?;
        self.seen.clear();
        let question = self.check.question;
        let mut failed = Ok(());
        let enumerated = question.for_each_answer(constants, &mut |variables| {
            self.batch.push([constants, &variables].concat());
            if self.batch.len() >= self.size {
                failed = self.examine_batch();
                self.size = (2 * self.size).min(INDUCTION_BATCH.get());
            }
            if failed.is_ok() && self.found.is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        failed?;
        // Including those found before the enumeration failed.
        self.examine_batch()?;
        enumerated
    }

    /// The effects of the initialisation on the conjuncts.
    fn initialise(&mut self, constants: &[Value]) -> Result<(), EvalError> {
        self.seen.clear();
        let examined = self.examined;
        let mut failed = Ok(());
        let done = examined.initial(constants, &mut |state| {
            let Some((state, orbit, _)) = self.representative(&state) else { return ControlFlow::Break(()) };
            if self.check.symmetry.is_trivial() || self.seen.insert(state.clone()) {
                self.found.initialisation.steps += 1;
                failed = examined.examine_initial(&state, &orbit, &mut self.found);
            }
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match done {
            Err(error) if error.kind != EvalErrorKind::Interrupted => self.found.initialisation.note_incomplete(&error),
            other => other?,
        }
        failed
    }

    /// Examines the states of the batch that are new.
    fn examine_batch(&mut self) -> Result<(), EvalError> {
        let (check, examined) = (self.check, self.examined);
        let batch = std::mem::take(&mut self.batch);
        // Small evaluations end without a look at the flag, so it is read between states.
        let is_interrupted = || check.machine.interrupt().load(Ordering::Relaxed);
        let represent = |part: Vec<Valuation>, scratch: &mut Scratch| -> Vec<Represented> {
            part.into_iter().take_while(|_| !is_interrupted()).map(|state| check.represent(&state, scratch)).collect()
        };
        let represented = self.in_parts(batch, &represent);
        if is_interrupted() {
            // Representatives of an interrupted search are none.
            self.found.is_complete = false;
            return Ok(());
        }
        let mut new = Vec::new();
        for (state, orbit, is_exact) in represented.into_iter().flatten() {
            // Each state is enumerated once.
            if !check.symmetry.is_trivial() && !self.seen.insert(state.clone()) {
                continue;
            }
            if check.obligations.states.is_some_and(|most| self.found.states >= most) {
                self.found.is_complete = false;
                break;
            }
            self.found.is_exact &= is_exact;
            self.found.states += 1;
            self.found.full_states += &orbit;
            new.push((state, orbit));
        }
        let control = self.control;
        let examine = |part: Vec<(Valuation, BigUint)>, _: &mut Scratch| {
            let mut found = examined.nothing();
            let interrupted = || EvalError { kind: EvalErrorKind::Interrupted, span: check.machine.model().initialisation.span };
            let done = part.iter().try_for_each(|(state, orbit)| {
                control.states.fetch_add(1, Ordering::Relaxed);
                if is_interrupted() { Err(interrupted()) } else { examined.examine(state, orbit, &mut found) }
            });
            (found, done)
        };
        let mut failed = Ok(());
        for (found, done) in self.in_parts(new, &examine) {
            self.found.merge(found);
            failed = failed.and(done);
        }
        let steps = self.found.operations.iter().map(|(_, effect)| effect.steps).sum();
        self.control.transitions.store(steps, Ordering::Relaxed);
        failed
    }

    /// Gives each thread a contiguous part of a list; the results in the order of the parts.
    fn in_parts<T: Send, R: Send>(&mut self, mut list: Vec<T>, work: &(impl Fn(Vec<T>, &mut Scratch) -> R + Sync)) -> Vec<R> {
        let workers = self.scratches.len();
        let most = list.len().div_ceil(workers).max(1);
        let mut parts = Vec::new();
        while list.len() > most {
            let rest = list.split_off(most);
            parts.push(std::mem::replace(&mut list, rest));
        }
        let Some((own, others)) = self.scratches.split_first_mut() else { return Vec::new() };
        let control = self.control;
        // Taken by the thread that works on it: a new one, or this one if it cannot be started.
        let tasks: Vec<Mutex<Vec<T>>> = parts.into_iter().map(Mutex::new).collect();
        let take = |at: usize| std::mem::take(&mut *tasks[at].lock().unwrap_or_else(PoisonError::into_inner));
        let take = &take;
        thread::scope(|scope| {
            let mut started = Vec::new();
            for (at, scratch) in (0..tasks.len()).zip(others) {
                started.push(spawn_deep(scope, "worker", move || work(take(at), scratch)));
            }
            let last = work(list, own);
            let mut results = Vec::new();
            for (at, handle) in started.into_iter().enumerate() {
                results.push(match handle {
                    Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    Err(_) => {
                        control.missing_workers.fetch_max(1, Ordering::Relaxed);
                        work(take(at), own)
                    }
                });
            }
            results.push(last);
            results
        })
    }
}

impl InductionCheck<'_> {
    fn represent(&self, state: &[Value], scratch: &mut Scratch) -> Represented {
        if self.symmetry.is_trivial() {
            return (state.into(), BigUint::one(), true);
        }
        let canonical = self.symmetry.canonical(state, scratch);
        let orbit = self.symmetry.orbit_size(&canonical.automorphisms);
        (canonical.state, orbit, canonical.is_exact)
    }
}
