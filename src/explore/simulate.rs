//! Simulation: random runs from the initial states, by all workers, until a limit; for spaces that no search covers.
//!
//! Each run takes a random enabled operation, and of its steps a random one, again and again. Every state on a run is examined as in a
//! search; what is counted are the distinct states on all runs, up to symmetry, and the steps from them.
//! Invariant: run `k` depends on the seed and on `k` only, and runs are made in rounds whose results are merged in order: so the outcome is
//! the same for any number of workers, unless the clock ends it. It is never `verified`. Deliberately elsewhere: the walk of an animation,
//! which has no properties (`walk::animation`).
//!
//! Enumerated states are identified by fingerprints of 128 bits, as by hash compaction (Stern and Dill 1995): at 10^9 states the
//! probability of a collision is below 10^-20, and all that it would spoil is a count, which is a lower bound anyway.

use super::count::conclusion::{Ending, conclude};
use super::count::reduction::Reduction;
use super::count::set_up::SetUp;
use super::count::tally::{OrbitClass, Orbits};
use super::deep::spawn_deep;
use super::number::StateNumber;
use super::observer::Observer;
use super::property::{Checks, Claim, Place, examine};
use super::search::set_ups::{Enumerated, SetUps, initial_states, no_initial_state, set_ups};
use super::search::watch::{Control, watched};
use super::trace::{Ancestry, Origin, finding, operations};
use super::{Fault, FaultyPart, LimitHit, Options, Outcome};
use bcheck_eval::{EvalError, EvalErrorKind, Machine, Step, Successors};
use bcheck_ir::OperationId;
use bcheck_source::SplitMix64;
use bcheck_symmetry::Symmetry;
use bcheck_value::{Valuation, Value, codec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_128;

/// The steps of a run, unless `--max-depth` is given; TLC's simulation has the same default.
pub const RUN_LENGTH: u64 = 100;

/// The runs between two barriers.
const ROUND: u64 = 64;

/// Makes random runs of a machine, and reports their findings.
pub(super) fn simulate(machine: &Machine, symmetry: &Symmetry, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let (control, orbits) = (Control::new(machine, &options.limits), Orbits::new());
    watched(&control, observer, || Simulation::begin(machine, symmetry, (options, &control, &orbits)).run())
}

/// A state where runs begin.
struct RunStart {
    /// Its representative.
    state: Valuation,
    origin: Origin,
    class: OrbitClass,
}

struct Simulation<'a> {
    machine: &'a Machine,
    symmetry: &'a Symmetry,
    options: &'a Options,
    control: &'a Control<'a>,
    orbits: &'a Orbits,
    checks: Checks,
    set_ups: Vec<SetUp>,
    /// Valuations of the constants visited.
    visited: Enumerated,
    starts: Vec<RunStart>,
    /// Of each, whether a run began there.
    begun: FxHashSet<usize>,
    /// The fingerprints of the states on runs, and whether a state has something to report. Only read during a round.
    seen: FxHashMap<u128, bool>,
    ending: Ending,
    /// The run of the finding candidate, if that is about a state.
    path: Path,
    skipped: Option<EvalError>,
    undecided: Option<EvalError>,
}

/// The representatives on a run, as the parents of each other.
#[derive(Default)]
struct Path {
    origin: Option<Origin>,
    states: Vec<Valuation>,
}

impl Ancestry for Path {
    fn origin(&self, number: StateNumber) -> Origin {
        match number.number().checked_sub(1) {
            None => self.origin.expect("a run begins somewhere"),
            Some(parent) => Origin::Step { parent: StateNumber::new(parent) },
        }
    }

    fn state(&self, number: StateNumber) -> Valuation {
        self.states[number.index()].clone()
    }
}

/// One random run.
struct RandomRun {
    start: usize,
    visits: Vec<RunState>,
    /// The first finding on it, with its distance.
    claim: Option<(u64, Fault)>,
}

/// A state on a run.
struct RunState {
    state: Valuation,
    fingerprint: u128,
    /// `None` where it was seen in an earlier round and there is nothing to report of it.
    look: Option<StateLook>,
}

/// The examination of a state.
struct StateLook {
    class: OrbitClass,
    findings: Vec<Fault>,
    is_deadlock: bool,
    is_unexpanded: bool,
    /// The steps of each operation, and the distinct ones by representative of the successor.
    steps: Vec<(OperationId, u64, u64)>,
    ill_defined: u64,
    guards: Vec<(OperationId, EvalError)>,
    unassigned: Vec<(OperationId, EvalError)>,
    skipped: Option<EvalError>,
    undecided: Option<EvalError>,
}

impl StateLook {
    /// Whether a later run that reaches the state must report something again, so that the first report does not depend on rounds.
    fn is_noteworthy(&self) -> bool {
        let errors = self.skipped.is_some() || self.undecided.is_some() || self.ill_defined > 0;
        errors || !self.findings.is_empty() || !self.guards.is_empty() || !self.unassigned.is_empty()
    }
}

/// The data of a worker.
struct Walker<'a, 's> {
    simulation: &'s Simulation<'a>,
    reduction: Reduction<'a>,
    bytes: Vec<u8>,
}

impl<'a> Simulation<'a> {
    /// Enumerates the first set-ups and their initial states.
    fn begin(machine: &'a Machine, symmetry: &'a Symmetry, (options, control, orbits): (&'a Options, &'a Control<'a>, &'a Orbits)) -> Self {
        let mut first = SetUps::default();
        set_ups(machine, symmetry, orbits, options, (options.set_ups_at_once, &|found| control.seek(machine, found)), &mut |batch| {
            first = batch;
            ControlFlow::Break(())
        });
        control.is_seeking.store(false, Ordering::Relaxed);
        let SetUps { list, visited, tally, claim, limit, undecided, is_last, skipped, .. } = first;
        let mut skipped = skipped;
        let mut ending = Ending { tally, claim, limit, ..Ending::default() };
        let mut starts = Vec::new();
        if ending.may_go_on(options) {
            let mut reduction = Reduction::new(machine, symmetry, orbits);
            let (mut known, mut bytes) = (FxHashMap::default(), Vec::new());
            let found = initial_states(machine, options, &list, &mut |state, origin| {
                let mut representative = reduction.representative(state)?;
                let class = reduction.class(&representative);
                let state = std::mem::take(&mut representative.state);
                let number = *known.entry(fingerprint(&state, &mut bytes)).or_insert(starts.len());
                if number == starts.len() {
                    starts.push(RunStart { state, origin, class });
                }
                Some(number as u64)
            });
            ending.tally.merge(&found.tally);
            ending.limit = found.limit;
            ending.claim = ending.claim.take().or(found.claim);
            skipped = skipped.or(found.skipped);
            if !found.is_initialised && is_last && ending.claim.is_none() && ending.limit.is_none() && skipped.is_none() {
                ending.claim = Some(no_initial_state());
            }
            if starts.is_empty() && !is_last && ending.may_go_on(options) {
                ending.limit = options.limits.set_ups.filter(|most| visited.number == *most).map(LimitHit::SetUps);
            }
        }
        Self {
            machine,
            symmetry,
            options,
            control,
            orbits,
            checks: Checks::new(machine, options),
            set_ups: list,
            visited,
            starts,
            begun: FxHashSet::default(),
            seen: FxHashMap::default(),
            ending,
            path: Path::default(),
            skipped,
            undecided,
        }
    }

    fn run(mut self) -> Outcome {
        let (mut next, most) = (0, self.options.runs.unwrap_or(u64::MAX));
        while self.ending.may_go_on(self.options) && !self.starts.is_empty() {
            if next == most {
                self.ending.limit = Some(LimitHit::Runs(most));
                break;
            }
            let end = most.min(next.saturating_add(ROUND));
            for (number, run) in (next..).zip(self.round(next..end)) {
                self.merge(number, run);
            }
            next = end;
            let states = self.seen.len() as u64;
            let reached = self.options.limits.states.filter(|most| states >= *most).map(LimitHit::States);
            self.ending.limit = self.control.stop_reason().or(reached);
            self.control.states.store(states, Ordering::Relaxed);
            self.control.level.store(self.ending.depth, Ordering::Relaxed);
            self.control.frontier.store(next, Ordering::Relaxed);
        }
        tracing::debug!(target: "bcheck::explore", runs = next, states = self.seen.len(), "simulation ended");
        let Self { machine, symmetry, options, control, orbits, set_ups, visited, mut ending, path, .. } = self;
        // An undecided property is more important than the fact that the runs were completed; a finding or another limit comes first.
        if matches!(ending.limit, Some(LimitHit::Runs(_))) {
            let open = self.skipped.map(LimitHit::Partial).or(self.undecided.map(LimitHit::Undecided));
            ending.limit = open.or(ending.limit);
        }
        ending.limit = control.finish(ending.limit);
        let mut reduction = Reduction::new(machine, symmetry, orbits);
        control.explained(conclude(machine, options.symmetry, &mut reduction, visited, ending, |reduction, claim| {
            finding(machine, reduction, &path, &set_ups, claim)
        }))
    }

    /// Makes some runs, in any order, and returns them in the order of their numbers.
    fn round(&self, numbers: Range<u64>) -> Vec<RandomRun> {
        let next = AtomicU64::new(numbers.start);
        let made = Mutex::new(Vec::new());
        let work = || {
            let mut walker = Walker::new(self);
            loop {
                // Relaxed: numbers are handed out, nothing is published by them.
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= numbers.end {
                    return;
                }
                let run = walker.walk(number);
                made.lock().unwrap_or_else(PoisonError::into_inner).push((number, run));
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.options.effective_workers()).map_while(|_| spawn_deep(scope, "walker", work).ok()).collect();
            let missing = self.options.effective_workers() - 1 - others.len();
            self.control.missing_workers.fetch_max(missing, Ordering::Relaxed);
            work();
            for other in others {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_unstable_by_key(|(number, _)| *number);
        made.into_iter().map(|(_, run)| run).collect()
    }

    /// Adds a run to those before it.
    fn merge(&mut self, number: u64, run: RandomRun) {
        let RunStart { origin, class, .. } = self.starts[run.start];
        if self.begun.insert(run.start) {
            self.ending.tally.initial(class);
        }
        // By run, not by state: the warning of an operation is that of the first run that has one.
        let place = StateNumber::new(u32::try_from(number).unwrap_or(u32::MAX));
        let mut states = Vec::new();
        for (distance, RunState { state, fingerprint, look }) in (0..).zip(run.visits) {
            self.ending.depth = self.ending.depth.max(distance);
            if run.claim.is_some() {
                states.push(state);
            }
            let Some(look) = look else { continue };
            let is_new = self.seen.insert(fingerprint, look.is_noteworthy()).is_none();
            if is_new {
                self.count(&look);
            }
            look.guards.into_iter().for_each(|(operation, error)| self.ending.guards.note(operation, place, error));
            look.unassigned.into_iter().for_each(|(operation, error)| self.ending.unassigned.note(operation, place, error));
            self.skipped = self.skipped.take().or(look.skipped);
            self.undecided = self.undecided.take().or(look.undecided);
        }
        // The verdict is that of the first run with a finding.
        if let (None, Some((distance, fault))) = (&self.ending.claim, run.claim) {
            let last = StateNumber::new(u32::try_from(distance).expect("the states of a run are in memory"));
            self.ending.claim = Some(Claim { distance, place: Place::State(last), fault });
            self.path = Path { origin: Some(origin), states };
        }
    }

    /// Counts a state that no earlier run has reached.
    fn count(&mut self, look: &StateLook) {
        let (tally, class) = (&mut self.ending.tally, look.class);
        tally.state(class);
        look.findings.iter().for_each(|fault| tally.fault(class, fault));
        tally.ill_defined(look.ill_defined);
        if look.is_unexpanded {
            tally.unexpanded(class);
        } else if look.is_deadlock {
            tally.deadlock(class);
        }
        for &(operation, steps, arrows) in &look.steps {
            tally.steps(class, operation, steps, arrows);
            self.control.transitions.fetch_add(steps, Ordering::Relaxed);
        }
    }
}

impl<'a, 's> Walker<'a, 's> {
    fn new(simulation: &'s Simulation<'a>) -> Self {
        let Simulation { machine, symmetry, orbits, .. } = *simulation;
        Self { simulation, reduction: Reduction::new(machine, symmetry, orbits), bytes: Vec::new() }
    }

    /// Makes the run with this number.
    fn walk(&mut self, number: u64) -> RandomRun {
        let Simulation { options, starts, control, seen, .. } = self.simulation;
        // Mixed twice, so that neither neighbouring runs nor neighbouring seeds have anything in common.
        let mut random = SplitMix64::new(SplitMix64::new(SplitMix64::new(options.seed).word() ^ number).word());
        let start = random.below(starts.len());
        let length = options.limits.depth.unwrap_or(RUN_LENGTH);
        let mut run = RandomRun { start, visits: Vec::new(), claim: None };
        let RunStart { state, class, .. } = &starts[start];
        let (mut state, mut class) = (state.clone(), *class);
        for distance in 0..=length {
            // A run cut off by the clock is merged as far as it got.
            if control.stop_reason().is_some() {
                break;
            }
            let fingerprint = fingerprint(&state, &mut self.bytes);
            // In both cases the operations are tried in a random order and the first enabled one is taken: the run does not depend on
            // previous observations.
            let mut order: Vec<OperationId> = operations(self.simulation.machine).collect();
            (1..order.len()).rev().for_each(|last| order.swap(last, random.below(last + 1)));
            let (look, steps) = match seen.get(&fingerprint) {
                Some(false) => (None, self.first_enabled(&state, &order)),
                _ => {
                    let Some((look, mut steps)) = self.look(&state, class) else { break };
                    let first = order.iter().find_map(|operation| steps.remove(operation).filter(|steps| !steps.is_empty()));
                    (Some(look), first)
                }
            };
            let found = look.as_ref().and_then(|look| look.findings.first().cloned());
            run.visits.push(RunState { state: state.clone(), fingerprint, look });
            if let Some(fault) = found {
                run.claim.get_or_insert((distance, fault));
                if !options.keep_going {
                    break;
                }
            }
            let Some(mut steps) = steps.filter(|_| distance < length) else { break };
            let next = steps.swap_remove(random.below(steps.len())).next;
            let Some(representative) = self.reduction.representative(next) else { break };
            class = self.reduction.class(&representative);
            state = representative.state;
        }
        run
    }

    /// The steps of the first of these operations that has any.
    fn first_enabled(&self, state: &[Value], order: &[OperationId]) -> Option<Vec<Step>> {
        let steps = order.iter().map(|operation| self.simulation.machine.successors(state, *operation));
        steps.flatten().map(|successors| successors.steps).find(|steps| !steps.is_empty())
    }

    /// Examines a representative and lists its steps; `None` where that is interrupted.
    fn look(&mut self, state: &[Value], class: OrbitClass) -> Option<(StateLook, FxHashMap<OperationId, Vec<Step>>)> {
        let Simulation { machine, checks, symmetry, .. } = *self.simulation;
        let seen = examine(machine, checks, symmetry.conjunct_orbits(), state);
        let mut look = StateLook {
            class,
            findings: seen.findings,
            is_deadlock: false,
            is_unexpanded: false,
            steps: Vec::new(),
            ill_defined: 0,
            guards: Vec::new(),
            unassigned: Vec::new(),
            skipped: None,
            undecided: seen.undecided,
        };
        let mut all = FxHashMap::default();
        let mut has_no_step = true;
        for operation in operations(machine) {
            match machine.successors(state, operation) {
                Ok(Successors { steps, ill_defined, ill_defined_guard, unassigned, partial, .. }) => {
                    has_no_step &= steps.is_empty() && ill_defined.is_empty() && partial.is_none();
                    look.skipped = look.skipped.take().or(partial);
                    look.ill_defined += ill_defined.len() as u64;
                    look.unassigned.extend(unassigned.map(|error| (operation, error)));
                    match ill_defined_guard {
                        Some(error) if checks.strict_guards => {
                            look.ill_defined += 1;
                            look.findings.push(Fault::ill_defined(FaultyPart::Guard(operation), error));
                        }
                        Some(error) => look.guards.push((operation, error)),
                        None => {}
                    }
                    let first = ill_defined.into_iter().next();
                    let body = |(arguments, error)| Fault::ill_defined(FaultyPart::Body(operation, arguments), error);
                    look.findings.extend(first.map(body));
                    look.steps.push((operation, steps.len() as u64, self.arrows(&steps)?));
                    all.insert(operation, steps);
                }
                Err(error) if error.kind == EvalErrorKind::Interrupted => return None,
                Err(error) => {
                    has_no_step = false;
                    look.skipped.get_or_insert(error);
                }
            }
        }
        look.is_unexpanded = has_no_step && !machine.is_expanded(state);
        look.is_deadlock = has_no_step && !look.is_unexpanded;
        if look.is_deadlock && checks.deadlock && machine.has_all_steps(state) {
            look.findings.push(Fault::violated(FaultyPart::DeadlockFreedom));
        }
        Some((look, all))
    }

    /// The number of steps that differ by arguments, results or the representative of the successor.
    fn arrows(&mut self, steps: &[Step]) -> Option<u64> {
        if self.reduction.is_trivial() {
            return Some(steps.len() as u64);
        }
        let mut arrows = FxHashSet::default();
        for step in steps {
            let representative = self.reduction.representative(step.next.clone())?;
            arrows.insert((&step.arguments, &step.results, fingerprint(&representative.state, &mut self.bytes)));
        }
        Some(arrows.len() as u64)
    }
}

/// A fingerprint of a state. Equal values have equal encodings.
fn fingerprint(state: &[Value], bytes: &mut Vec<u8>) -> u128 {
    bytes.clear();
    state.iter().for_each(|value| codec::encode(value, bytes));
    xxh3_128(bytes)
}
