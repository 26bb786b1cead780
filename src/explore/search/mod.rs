//! The façade: one search from set-up to outcome, watched.
//!
//! Set-ups come in batches, and everything reachable from one batch is explored before the next one is enumerated: no step leads from one
//! set-up to another, so the counts of batches add up, and the finding is that of the first batch that has any. Invariant: the whole
//! search, trace included, runs on one thread with a deep stack (and its workers); the calling thread only watches the limits and reports
//! progress.

pub(super) mod argument_orbits;
mod attached;
mod batch_facts;
pub(super) mod breadth_first;
pub(super) mod checkpoint;
pub(super) mod columns;
pub(super) mod crew;
pub(super) mod depth_first;
pub(super) mod disk;
mod driver;
pub(super) mod edge_records;
pub(super) mod engine;
mod entry_batch;
pub(super) mod expander;
mod family;
pub(super) mod formula_action;
mod hooks;
mod inserter;
pub(super) mod internal_steps;
mod keeping;
pub(super) mod ledger;
pub(super) mod level_profile;
mod machine_states;
pub(super) mod numbers;
pub(super) mod offers;
pub(super) mod packed;
pub(super) mod partition;
pub(super) mod passes;
pub(super) mod pending;
pub(super) mod position;
pub(super) mod rank;
pub(super) mod record_writer;
pub(super) mod recorder;
pub(super) mod recording;
pub(super) mod saved;
pub(super) mod set_ups;
mod state_recorder;
pub(super) mod store;
pub(super) mod subject;
#[cfg(test)]
mod tests;
pub(super) mod up_to_fault;
pub(super) mod watch;
pub(super) mod word_store;

use super::count::conclusion::{Ending, conclude};
use super::count::reduction::Reduction;
use super::count::set_up::SetUp;
use super::count::tally::Orbits;
use super::extent::Extent;
use super::observer::Observer;
use super::property::Claim;
use super::trace::{Ancestry, finding};
use super::{LimitHit, Options, Outcome, Strategy};
use crate::statistics::{COLLISIONS, KEYS, PROBES, SLOTS};
use bcheck_eval::{EvalError, Machine};
use bcheck_source::keeps_statistics;
use bcheck_state::Occupancy;
use bcheck_symmetry::Symmetry;
use breadth_first::{Ended, breadth_first};
use checkpoint::Checkpoints;
use depth_first::ordered;
use driver::hit;
use engine::Engine;
use family::Family;
use hooks::{Hook, Hooks};
use internal_steps::Cycle;
use keeping::Keeping;
use ledger::Ledger;
use machine_states::MachineStates;
use position::Position;
use recorder::Recorder;
use recording::{OnTheFlyChecks, Record};
use set_ups::{Enumerated, SetUps, no_initial_state, set_ups};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use subject::{Subject, Worker};
use up_to_fault::RunFacts;
use watch::{Control, watched};

/// Explores the states of a machine, reduced by `symmetry`, and reports the findings; limits and interrupt as for
/// [`explore`](super::explore).
pub(super) fn explore_states(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    observer: &mut dyn Observer,
    checkpoints: Option<&mut Checkpoints>,
) -> Outcome {
    let control = Control::new(machine, &options.limits);
    watched(&control, observer, || search(machine, symmetry, options, &control, (None, checkpoints)))
}

/// The search itself, on a watched thread; it shows the recorded graph, if requested, and writes checkpoints if there is a folder.
pub(super) fn search<'r>(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    control: &Control<'_>,
    (record, mut checkpoints): (Option<Record<'r>>, Option<&'r mut Checkpoints>),
) -> Outcome {
    let orbits = checkpoints.as_mut().map_or_else(Orbits::new, |checkpoints| checkpoints.orbits());
    let subject = MachineStates { machine, options };
    let mut search = Search::new(&subject, (machine, symmetry, options), (control, &orbits), record);
    if let Some(checkpoints) = checkpoints {
        search.keep(checkpoints);
    }
    search.run()
}

/// Explores the states of a machine only to record their graph: no property is checked. Returns the limit that ended it.
pub(super) fn record_states(
    machine: &Machine,
    symmetry: &Symmetry,
    options: &Options,
    control: &Control<'_>,
    record: Record<'_>,
) -> Option<LimitHit> {
    let options = &Options {
        invariant: false,
        deadlock: false,
        assertions: false,
        strict_guards: false,
        goal: false,
        // Ill-definedness is a finding of the search of states.
        keep_going: true,
        strategy: Strategy::Breadth,
        ..options.clone()
    };
    let orbits = Orbits::new();
    let subject = MachineStates { machine, options };
    let mut search = Search::new(&subject, (machine, symmetry, options), (control, &orbits), Some(record));
    search.explore_all();
    search.ending.limit
}

/// A search that goes from one batch of set-ups to the next.
pub(super) struct Search<'a, 'r, S> {
    subject: &'a S,
    machine: &'a Machine,
    symmetry: &'a Symmetry,
    options: &'a Options,
    control: &'a Control<'a>,
    orbits: &'a Orbits,
    record: Option<Record<'r>>,
    pub(super) ending: Ending,
    /// Valuations of the constants visited.
    pub(super) visited: Enumerated,
    /// States stored.
    states: u64,
    pub(super) is_initialised: bool,
    /// Why steps of some state are missing.
    pub(super) skipped: Option<EvalError>,
    /// Why some property is neither true nor false somewhere.
    undecided: Option<EvalError>,
    /// The batch of the finding, otherwise the last one that is neither `cyclic` nor skipped.
    pub(super) part: Option<Part<'a>>,
    /// Facts about runs established by a refinement check.
    pub(super) facts: RunFacts,
    /// The first cycle of internal steps, with the batch that it is in.
    pub(super) cyclic: Option<(Cycle, Part<'a>)>,
    /// Batches of set-ups so far.
    batches: u64,
    checkpoints: Option<&'r mut Checkpoints>,
}

/// One batch of set-ups and the states that are reached from them.
pub(super) struct Part<'a> {
    pub(super) set_ups: Vec<SetUp>,
    engine: Engine<'a>,
    ledger: Ledger,
}

impl Part<'_> {
    /// Its states by number.
    pub(super) fn family(&self) -> impl Ancestry {
        Family { engine: &self.engine, ledger: &self.ledger }
    }
}

impl<'a, 'r: 'a, S: Subject> Search<'a, 'r, S> {
    pub(crate) fn new(
        subject: &'a S,
        (machine, symmetry, options): (&'a Machine, &'a Symmetry, &'a Options),
        (control, orbits): (&'a Control<'a>, &'a Orbits),
        record: Option<Record<'r>>,
    ) -> Self {
        Self {
            subject,
            machine,
            symmetry,
            options,
            control,
            orbits,
            record,
            ending: Ending { extent: Some(Extent::of(options)), ..Ending::default() },
            visited: Enumerated::default(),
            states: 0,
            is_initialised: false,
            skipped: None,
            undecided: None,
            part: None,
            facts: RunFacts::default(),
            cyclic: None,
            batches: 0,
            checkpoints: None,
        }
    }

    /// Explores one batch of set-ups after the other; whether the last one was handed over.
    pub(super) fn explore_all(&mut self) -> bool {
        let Self { machine, symmetry, options, orbits, control, .. } = *self;
        let are_all =
            set_ups(machine, symmetry, orbits, options, (options.set_ups_at_once, &|found| control.seek(machine, found)), &mut |batch| {
                control.is_seeking.store(false, Ordering::Relaxed);
                self.explore(batch)
            });
        control.is_seeking.store(false, Ordering::Relaxed);
        are_all
    }

    /// The engine for a batch of set-ups.
    fn engine(&self, set_ups: &[SetUp]) -> Engine<'a> {
        let mut store = self.subject.store(self.symmetry, set_ups);
        store.prepare_for(self.options.effective_workers());
        let owners = self.checkpoints.as_ref().and_then(|checkpoints| checkpoints.owners());
        let engine = Engine::new((self.machine, self.symmetry, self.options), store, self.orbits, self.control, self.states);
        Engine { owners, ..engine }
    }

    /// Explores everything reachable from a batch of set-ups, unless a checkpoint already contains it; breaks if the next one is not to be
    /// explored.
    fn explore(&mut self, batch: SetUps) -> ControlFlow<()> {
        let ordinal = self.batches;
        self.batches += 1;
        match self.passes_over(ordinal) {
            Some(has_finding) => self.pass_over(batch, ordinal, has_finding),
            None => self.explore_batch(batch, ordinal),
        }
    }

    /// Whether the set-ups found so far suffice, so that no more are enumerated: nothing happens in the states of a machine without
    /// operations, and here nothing is to be checked in them either. As many are explored as if a state without steps were a finding.
    fn set_ups_suffice(&self) -> bool {
        let (model, options) = (self.machine.model(), self.options);
        let is_idle = model.operations.is_empty() && model.variables.is_empty() && model.invariant.is_empty();
        let is_checked = !model.assertions.is_empty() || model.goal.is_some() || !model.temporal.is_empty() || self.record.is_some();
        // A user who switches deadlocks off, or keeps going, wants all set-ups; so does one who limits their number.
        let asks_for_all = !options.deadlock || options.keep_going || options.limits.set_ups.is_some();
        is_idle && !is_checked && !asks_for_all && self.skipped.is_none() && self.visited.number > 0 && self.ending.claim.is_none()
    }

    fn explore_batch(&mut self, batch: SetUps, ordinal: u64) -> ControlFlow<()> {
        let options = self.options;
        let is_first = self.ending.claim.is_none();
        // The states of the batch before are freed before those of this one need the memory.
        if is_first {
            self.part = None;
        }
        let SetUps { list: set_ups, visited, tally, claim, limit, undecided, left_out, skipped, is_last } = batch;
        let letters = self.record.as_ref().and_then(|record| record.letters);
        let engine = Engine { letters, ..self.engine(&set_ups) };
        let _phase = tracing::debug_span!(target: "bcheck::explore", "batch", ordinal).entered();
        tracing::debug!(target: "bcheck::explore", set_ups = set_ups.len(), is_packed = engine.store.words.is_some(), "batch begins");
        let mut ledger = Ledger::new(letters.map(Recorder::new), self.subject.up_to_fault());
        ledger.attached.recorder.iter_mut().for_each(|recorder| recorder.initial_left_out.clone_from(&left_out));
        self.control.profile().begin(is_last);
        self.batch_begins(ordinal, &set_ups);
        let mut is_judged = false;
        let mut ending = Ending { tally, claim, limit, ..Ending::default() };
        if ending.may_go_on(options) {
            is_judged = self.reach((&engine, &set_ups), &mut ledger, &mut ending);
        }
        count_visited(&engine);
        self.gather(&engine, &mut ledger, &mut ending);
        if !is_judged && (ending.claim.is_none() || options.keep_going) {
            is_judged = self.judge_batch((&engine, &set_ups), &mut ledger, ending.limit.clone(), is_last);
        }
        ending.tally.merge(&ledger.tally);
        let cycle = self.cycle(&ledger, is_first && ending.claim.is_none());
        self.batch_ends((&engine, &ledger), &ending, cycle.as_ref());
        self.visited.add(visited);
        let expanded = std::mem::take(&mut ledger.expanded);
        self.ending.extent.iter_mut().for_each(|extent| extent.go_on(visited.number, ledger.len(), expanded.clone()));
        self.skipped = self.skipped.take().or(skipped);
        self.undecided = self.undecided.take().or(undecided);
        self.go_on(ending, &mut ledger);
        let part = Part { set_ups, engine, ledger };
        match cycle {
            Some(cycle) => self.cyclic = Some((cycle, part)),
            None if is_first => self.part = Some(part),
            None => {}
        }
        if is_judged || !self.ending.may_go_on(options) {
            return ControlFlow::Break(());
        }
        self.ending.suffices = !is_last && self.set_ups_suffice();
        if self.ending.suffices {
            return ControlFlow::Break(());
        }
        if is_last { ControlFlow::Continue(()) } else { self.turn_of_others() }
    }

    /// Adds the ending of a batch, and the errors in its states, to the batches before it.
    fn go_on(&mut self, mut ending: Ending, ledger: &mut Ledger) {
        ending.guards = std::mem::take(&mut ledger.guards);
        ending.unassigned = std::mem::take(&mut ledger.unassigned);
        // The batch was limited to what the earlier ones had left; the report names the limit as requested.
        if let (Some(LimitHit::States(most)), Some(of_all_batches)) = (&mut ending.limit, self.options.limits.states) {
            *most = of_all_batches;
        }
        self.ending.go_on(ending);
        self.states += u64::from(ledger.len());
        self.skipped = self.skipped.take().or(ledger.skipped.take().map(|(_, error)| error));
        self.undecided = self.undecided.take().or(ledger.undecided.take().map(|(_, error)| error));
    }

    /// Explores everything reachable from the initial states of these set-ups; returns whether an on-the-fly check ended that.
    fn reach(&mut self, (engine, set_ups): (&Engine<'_>, &[SetUp]), ledger: &mut Ledger, ending: &mut Ending) -> bool {
        let options = self.options;
        // States have 32-bit numbers; the greatest stays free.
        let room = options.limits.states.map_or(u32::MAX, |limit| u32::try_from(limit.saturating_sub(self.states)).unwrap_or(u32::MAX));
        let mut worker = self.subject.worker(engine);
        let beginnings = self.subject.initial(set_ups, &mut |state, origin| worker.enter_initial(ledger, state, origin, room));
        ending.tally.merge(&beginnings.tally);
        ledger.attached.up_to_fault.iter_mut().for_each(|own| own.facts.has_choices |= beginnings.has_choices);
        self.is_initialised |= beginnings.is_initialised;
        self.skipped = self.skipped.take().or(beginnings.skipped);
        ending.limit = hit(ledger, room).or(beginnings.limit);
        ledger.attached.begin_rows(ledger.end(), ending.limit.is_none(), beginnings.left_out);
        for found in beginnings.claim.into_iter().chain(ledger.claim.take()) {
            Claim::keep_least(&mut ending.claim, found);
        }
        // With `keep_going`, initial states with findings are expanded as well.
        if !ending.may_go_on(options) {
            return false;
        }
        let mut checks = self.record.as_mut().map(|record| OnTheFlyChecks { record, engine, set_ups });
        let (position, flow) = match self.checkpoints.as_mut().filter(|checkpoints| checkpoints.is_to_resume()) {
            None => (Position::first(ledger), ControlFlow::Continue(())),
            Some(checkpoints) => match checkpoints.restore(&mut worker, ledger, set_ups, checks.as_mut()) {
                Some(restored) => restored,
                None => {
                    ending.limit = checkpoints.limit().or_else(|| engine.control.stop_reason());
                    return false;
                }
            },
        };
        ledger.expanded.count = position.expanded.number();
        let ended = match options.strategy {
            // A check repeated before resuming has ended it.
            _ if flow.is_break() => Ended { depth: position.distance, is_judged: true, ..Ended::default() },
            Strategy::Breadth => {
                let mut keeping = self.checkpoints.as_deref_mut().map(Keeping::new);
                let keeping = keeping.as_mut().map(|hook| hook as &mut dyn Hook<S>);
                let checks = checks.as_mut().map(|hook| hook as &mut dyn Hook<S>);
                let mut hooks = Hooks::new(keeping.into_iter().chain(checks));
                breadth_first((self.subject, engine), ledger, (options, room), position, &mut hooks)
            }
            // A simulation has no states that wait: it does not come here.
            Strategy::Depth | Strategy::Random | Strategy::Simulation => ordered((self.subject, engine), ledger, options, room),
        };
        ending.limit = ended.limit;
        ending.depth = ended.depth;
        ending.is_exhausted = ended.is_exhausted;
        // A finding at a set-up or in an initial state has the shorter trace.
        ending.claim = ending.claim.take().or(ledger.claim.take());
        ended.is_judged
    }
}

impl<'a, 'r: 'a> Search<'a, 'r, MachineStates<'a>> {
    /// Explores one batch of set-ups after the other, and concludes.
    fn run(mut self) -> Outcome {
        let are_all = self.explore_all();
        self.conclude(are_all)
    }

    fn conclude(mut self, are_all_set_ups: bool) -> Outcome {
        let Self { machine, symmetry, options, control, orbits, visited, .. } = self;
        let part = self.part.take().expect("there is at least one batch, if only of no set-ups");
        let mut ending = self.ending;
        ending.is_exhausted &= are_all_set_ups;
        if !self.is_initialised && ending.is_exhausted && ending.claim.is_none() && self.skipped.is_none() {
            // Only the whole search can decide this: each set-up by itself may be without an initial state.
            ending.claim = Some(no_initial_state());
            ending.is_exhausted = options.keep_going;
        }
        ending.leave_out(machine, options, self.skipped, self.undecided);
        ending.limit = control.finish(ending.limit);
        let Part { set_ups, engine, ledger } = part;
        let family = Family { engine: &engine, ledger: &ledger };
        let mut reduction = Reduction::new(machine, symmetry, orbits).on_words(engine.store.words.as_ref());
        let has_finding = ending.claim.is_some();
        tracing::debug!(target: "bcheck::explore", states = self.states, depth = ending.depth, has_finding, "search ended");
        control.explained(conclude(machine, options.symmetry, &mut reduction, visited, ending, |reduction, claim| {
            finding(machine, reduction, &family, &set_ups, claim)
        }))
    }
}

/// Counts figures of a batch's visited set, if statistics were requested: they take a pass over the slots.
fn count_visited(engine: &Engine<'_>) {
    if let Some(store) = engine.store.words.as_ref().filter(|_| keeps_statistics()) {
        let Occupancy { slots, keys, displaced, probes } = store.table.occupancy();
        for (count, number) in [(&KEYS, keys), (&SLOTS, slots), (&COLLISIONS, displaced), (&PROBES, probes)] {
            count.add(number as u64);
        }
    }
}
