//! The packed tier: plans all of whose values fit machine words, compiled to closures over words.
//!
//! The rest is left to the general tier: an operation is compiled here as a whole or not at all, and a run that reaches something without
//! a value (ill-definedness, overflow) ends with a [`BailOut`] (deoptimisation): the general tier runs the same operation in the same
//! state and reports the problem with its place. So this tier needs no source places and no error texts.
//! Invariant: it yields the steps of the general tier in their order, or bails out. `machine` packs the parts of a machine and `run` runs
//! them; in between, the other files each compile one kind of construct: functions of the [`Packer`], through which they refer to each
//! other, or of that part of it which they need: the words of types (`types`), the layout of the frame (`places`). Deliberately elsewhere:
//! the encoding of values (`value::packing`), the storage of packed states (`state::word_layout`), when this tier is used
//! (`explore::search::packed`).

mod branches;
mod comprehension;
mod expression;
mod formula;
mod frame_layout;
mod integers;
mod loops;
mod machine;
mod matrix;
mod membership;
mod operand;
mod orbit;
mod packer;
mod pair;
mod places;
mod predicate;
mod relation;
mod run;
mod search;
mod sequences;
mod set;
mod substitution;
mod table;
mod types;
mod value;
mod visit;
mod while_loop;
mod wide_matrix;

use super::run::frame::Flow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use formula::PackedPred;
pub(super) use integers::integers_in_sets;
pub(super) use machine::{OperationParts, PackedMachine};
pub use orbit::Blocks;
use packer::Packer;
pub use run::{PackedRun, PackedState, PackedStep};

/// Why a packed run has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BailOut {
    /// Something is ill-defined, in the general tier as well: a guard may take this for false.
    IllDefined,
    /// A test that was merged into the set of a loop (`loops`) is ill-defined. As with a separate test, only a guard may take it for false.
    IllDefinedTest,
    /// Only the general tier can decide: a value does not fit its word, or the run was interrupted. This must not be caught.
    Left,
}

/// The frame of a packed run: the words of the constants, then of the variables, then of everything else (see `places`).
pub(super) struct Words {
    slots: Vec<u64>,
    /// Which places hold a value: read only for results, VAR locals and constants with integers, at the first word of each.
    defined: Vec<bool>,
    /// A guard was ill-defined: its binding is disabled.
    ill_defined_guard: bool,
    /// Counts down to the next read of the interrupt flag.
    fuel: u32,
    interrupt: Arc<AtomicBool>,
    /// The orbits of parameters in the current state.
    orbits: orbit::ParameterOrbits,
}

impl Words {
    /// Writes words from a place on.
    #[inline]
    fn set(&mut self, at: usize, words: &[u64]) {
        // Mostly one word, which is not worth the call of a copy.
        match words {
            [word] => self.slots[at] = *word,
            _ => self.slots[at..at + words.len()].copy_from_slice(words),
        }
    }
}

/// The number of elements visited between two reads of the interrupt flag.
const FUEL: u32 = 1 << 16;

impl Words {
    /// Called by every loop: leaves the packed tier soon after the interrupt flag was set.
    #[inline]
    fn tick(&mut self) -> Result<(), BailOut> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.fuel = FUEL;
            // The flag guards no other data, so no ordering is needed.
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(BailOut::Left);
            }
        }
        Ok(())
    }
}

/// A compiled predicate.
type Pred = Box<dyn Fn(&mut Words) -> Result<bool, BailOut> + Send + Sync>;
/// The continuation of a run: called in each state that a substitution reaches, or with each binding of a search.
type Next<'n> = &'n mut dyn FnMut(&mut Words) -> Result<Flow, BailOut>;
