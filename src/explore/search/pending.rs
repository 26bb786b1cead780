//! Scratch memory of a worker in the packed tier: the state that is expanded, and its successors that wait to be offered together.
//!
//! Invariant: `keys`, `ranks` and `ends` have an element for each waiting successor, in ascending order of ranks. Deliberately elsewhere:
//! what fills and empties them (`packed`).

use super::engine::Engine;
use super::word_store::WordStore;
use bcheck_eval::{PackedState, PackedStep};
use bcheck_state::{ConstantsNumber, Offered, Rank};
use bcheck_symmetry::PackedScratch;
use smallvec::SmallVec;

/// Scratch memory of a worker that expands packed states.
pub(super) struct PackedExpander {
    /// The current state.
    pub(super) own: Vec<u64>,
    pub(super) key: Vec<u64>,
    /// Operations are run here.
    pub(super) frame: Frame,
    pub(super) pending: Pending,
}

/// A frame of packed runs, with the constants with this number.
pub(super) struct Frame {
    set_up: ConstantsNumber,
    state: PackedState,
}

/// Successors of the current operation that are not offered yet, and what became of those that were.
pub(super) struct Pending {
    /// A successor with the moving constants before it, and its representative; then scratch for examining it.
    pub(super) raw: Vec<u64>,
    pub(super) representative: Vec<u64>,
    pub(super) scratch: PackedScratch,
    /// New states are examined in this frame; a separate one, because they are found while an operation runs in the other one.
    pub(super) examined: Frame,
    pub(super) keys: Vec<u64>,
    pub(super) ranks: Vec<Rank>,
    /// The factors of their numbers of automorphisms one after the other, and where those of each end; both empty without symmetry.
    pub(super) factors: Vec<u32>,
    pub(super) ends: Vec<usize>,
    /// The outcomes of the offers of the current operation; without symmetry, of the last ones only.
    pub(super) offered: Vec<Offered>,
    /// From which of the waiting successors on their steps have which letter; empty unless letters of steps are recorded.
    pub(super) letters: Vec<(usize, u64)>,
    /// The steps of the current operation, recorded if there is symmetry and several steps can have the same arguments.
    arrows: Vec<Arrow>,
}

/// A step as ProB counts it: binding of the parameters, results, representative of the successor.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    instance: u64,
    results: SmallVec<[u64; 2]>,
    weight: u64,
    /// Its place among the offers, then its entry; `None` for the state itself.
    successor: Option<u32>,
}

impl PackedExpander {
    /// The scratch memory, if the states of this run are words.
    pub(super) fn new(engine: &Engine<'_>) -> Option<Self> {
        let constants = engine.store.words.as_ref()?.constants.first()?;
        let frame = || Some(Frame { set_up: ConstantsNumber::default(), state: engine.machine.packed_state(constants)? });
        let scratch = PackedScratch::interruptible(engine.machine.interrupt());
        Some(Self { own: Vec::new(), key: Vec::new(), frame: frame()?, pending: Pending::new(scratch, frame()?) })
    }
}

impl Frame {
    /// The frame with the constants of a state: those of its set-up, and those in its words.
    pub(super) fn with_constants(
        &mut self,
        engine: &Engine<'_>,
        store: &WordStore,
        set_up: ConstantsNumber,
        words: &[u64],
    ) -> &mut PackedState {
        if self.set_up != set_up {
            let state = engine.machine.packed_state(&store.constants[set_up.index()]);
            *self = Self { set_up, state: state.expect("states are words only if all constants fit") };
        }
        for (constant, _, own) in store.moving_in(words) {
            engine.machine.set_packed_constant(&mut self.state, constant, own);
        }
        &mut self.state
    }
}

impl Pending {
    fn new(scratch: PackedScratch, examined: Frame) -> Self {
        let (raw, representative, keys, ranks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (factors, ends, offered, letters, arrows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { raw, representative, scratch, examined, keys, ranks, factors, ends, offered, letters, arrows }
    }

    /// The steps recorded from here on have this letter.
    pub(super) fn begin_letter(&mut self, letter: u64) {
        let start = self.ranks.len();
        match self.letters.last_mut() {
            // An operation without steps leaves an empty run behind: it is overwritten.
            Some((last, own)) if *last == start => *own = letter,
            Some((_, own)) if *own == letter => {}
            _ => self.letters.push((start, letter)),
        }
    }

    /// Records a step whose successor is offered as the `place`-th of this operation, or is the state itself.
    pub(super) fn record(&mut self, store: &WordStore, step: PackedStep<'_>, place: Option<usize>) {
        // Without symmetry every step is a separate arrow, as are the steps of an operation without results (`PackedStep`).
        if store.symmetry.is_some()
            && let Some(results) = step.results
        {
            let successor = place.map(|place| u32::try_from(place).expect("fewer steps than 2^32"));
            self.arrows.push(Arrow { instance: step.instance, results: results.into(), weight: step.weight, successor });
        }
    }

    /// The number of distinct arrows from the state with this entry, if they were recorded; ends the operation.
    pub(super) fn distinct_arrows(&mut self, own: u32) -> Option<u64> {
        // A step into the state's own orbit is an edge to its representative, which is the state itself: like a loop.
        for arrow in &mut self.arrows {
            arrow.successor = arrow.successor.map(|place| self.offered[place as usize].entry).filter(|entry| *entry != own);
        }
        self.offered.clear();
        // Two steps are one arrow only with one binding, whose steps all have its weight; so summing weights after `dedup` counts each
        // once.
        self.arrows.sort_unstable();
        self.arrows.dedup();
        let distinct = self.arrows.iter().map(|arrow| arrow.weight).sum();
        self.arrows.clear();
        // None were recorded for an operation whose bindings have one step each: there every step is an arrow.
        (distinct > 0).then_some(distinct)
    }
}
