//! The plain recorder, which the one of the search is held against: one thread on general values, one state after the other.
//!
//! Invariant: states are numbered as breadth-first search meets them, and rows are written in that order; a state of which a step may be
//! missing is open. Of the search it has the set-ups and initial states, and, where states are packed, which member of an orbit
//! represents it.

use crate::count::reduction::Reduction;
use crate::count::tally::Orbits;
use crate::plain::PlainSearch;
use crate::search::set_ups::{SetUps, initial_states, set_ups};
use crate::search::store::Store;
use crate::temporal::letters::{LetterBit, Letters, SeenStep, Valued};
use crate::trace::Origin;
use crate::walk::animation::{Enabled, steps_after};
use crate::{LimitHit, Options};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_symmetry::Symmetry;
use bcheck_temporal::graph::{Graph, GraphBuilder, StateNumber};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A recorded graph.
pub(super) struct PlainRecording {
    pub(super) graph: Graph,
    /// The limit that ended it early.
    pub(super) limit: Option<LimitHit>,
    /// Why steps of some state are missing.
    pub(super) left_out: Option<EvalError>,
    /// By proposition: the first state in which it has no value.
    pub(super) without_value: BTreeMap<LetterBit, (StateNumber, EvalError)>,
    pub(super) edges: u64,
}

/// Records the graph of a machine.
pub(super) fn plain_record(machine: &Machine, symmetry: &Symmetry, options: &Options, letters: &Letters) -> PlainRecording {
    let orbits = Orbits::new();
    let mut all = SetUps::default();
    set_ups(machine, symmetry, &orbits, options, (usize::MAX, &|_| ()), &mut |batch| {
        all = batch;
        ControlFlow::Break(())
    });
    let store = Store::new(machine, symmetry, &all.list);
    let reduction = Reduction::new(machine, symmetry, &orbits).on_words(store.words.as_ref());
    let mut plain = PlainSearch::new(options, reduction);
    let beginnings = initial_states(machine, options, &all.list, &mut |state, origin| {
        plain.enter(state, origin).map(|entered| entered.number.number().into())
    });
    let mut builder = GraphBuilder::new(letters.has_steps());
    StateNumber::all(plain.family.end().index()).for_each(|initial| builder.mark_initial(initial));
    let without_value = BTreeMap::new();
    let mut recorder = PlainRecorder { machine, letters, plain, builder, left_out: None, without_value, edges: 0 };
    let limit = all.limit.or(beginnings.limit).or_else(|| recorder.levels(options));
    let PlainRecorder { plain: PlainSearch { ending, .. }, builder, left_out, without_value, edges, .. } = recorder;
    PlainRecording { graph: builder.finish(), limit: limit.or(ending.limit), left_out, without_value, edges }
}

struct PlainRecorder<'a> {
    machine: &'a Machine,
    letters: &'a Letters,
    plain: PlainSearch<'a>,
    builder: GraphBuilder,
    left_out: Option<EvalError>,
    without_value: BTreeMap<LetterBit, (StateNumber, EvalError)>,
    edges: u64,
}

impl PlainRecorder<'_> {
    /// Writes the rows of all states in the order of their numbers; the limit that ends this early.
    fn levels(&mut self, options: &Options) -> Option<LimitHit> {
        let (mut number, mut level_end, mut depth) = (StateNumber::new(0), self.plain.family.end(), 0);
        while number < self.plain.family.end() {
            if number == level_end {
                (level_end, depth) = (self.plain.family.end(), depth + 1);
            }
            if options.limits.depth.is_some_and(|limit| depth >= limit) {
                return Some(LimitHit::Depth(depth));
            }
            if let Err(error) = self.row(number) {
                assert_eq!(error.kind, EvalErrorKind::Interrupted, "a proposition without a value does not hold");
                return Some(LimitHit::Interrupted);
            }
            number = number.next();
        }
        None
    }

    /// Writes the row of a state.
    fn row(&mut self, number: StateNumber) -> Result<(), EvalError> {
        let state = self.plain.family.representative(number).clone();
        let beyond_set_up = self.machine.model().set_up_steps() + 1;
        let Enabled { alike, ill_defined, left_out, .. } = steps_after(self.machine, beyond_set_up, &state)?;
        let steps: Vec<_> = alike.into_iter().flatten().collect();
        // Paths that lead out of SCOPE are not judged. An ill-defined body is a step that goes wrong, and nobody knows where it leads.
        let mut is_open = !ill_defined.is_empty() || !left_out.is_empty() || steps.is_empty() && !self.machine.is_expanded(&state);
        let obstacles = left_out.into_iter().map(|(_, error)| error).chain(ill_defined.into_iter().map(|(_, _, error)| error));
        self.left_out = self.left_out.take().or(obstacles.into_iter().next());
        let seen: Vec<SeenStep<'_>> = steps.iter().filter_map(SeenStep::of).collect();
        let Valued { letter, without } = self.letters.state(&state, &seen, is_open)?;
        self.note(number, without);
        let (mut row, mut edges) = (Vec::with_capacity(steps.len()), Vec::new());
        for step in &seen {
            let Valued { letter, without } = self.letters.step(&state, *step)?;
            self.note(number, without);
            match self.plain.enter(step.next.to_vec(), Origin::Step { parent: number }) {
                Some(entered) => row.push((entered.number, letter)),
                None => is_open = true,
            }
        }
        self.builder.push_steps(letter, &mut row, &mut edges);
        self.edges += edges.len() as u64;
        if is_open {
            self.builder.mark_open(number);
        }
        Ok(())
    }

    fn note(&mut self, number: StateNumber, without: Vec<(LetterBit, EvalError)>) {
        for (proposition, error) in without {
            self.without_value.entry(proposition).or_insert((number, error));
        }
    }
}
