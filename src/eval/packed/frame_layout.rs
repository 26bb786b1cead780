//! The frame of packed runs outside of the plans that use it: where constants and variables are, and what it holds before a run.
//!
//! Invariant: it begins with the constants and the variables, side by side in the order of slots, so a state is one range of it, and the
//! same range in every frame of one machine. Deliberately elsewhere: places of everything else (`places`).

use super::table::Table;
use super::{FUEL, PackedState, Packer, Words, orbit};
use crate::plan::Slot;
use bcheck_value::Value;
use bcheck_value::packing::Packing;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where constants and variables are in a frame.
pub(super) struct FrameLayout {
    pub(super) constants: Vec<Option<Packing>>,
    /// Where the words of each constant begin.
    places: Vec<usize>,
    /// Constants without words that are functions to sets.
    tables: Vec<(Slot, Table)>,
    /// Where the words of the variables are.
    pub(super) state: Range<usize>,
    /// The frame before a run, with the known values.
    image: Vec<u64>,
}

impl FrameLayout {
    /// The frame, once everything is compiled.
    pub(super) fn new(packer: Packer<'_>, constants: Vec<Option<Packing>>, variables: &[Packing]) -> Self {
        let Packer { places: frame, tables, .. } = packer;
        // `Places::new` has laid out the constants first and the variables next, each in the order of slots.
        let places = (0..constants.len()).map(|slot| frame.place(slot).start).collect();
        let start = constants.iter().flatten().map(Packing::words).sum();
        let state = start..start + variables.iter().map(Packing::words).sum::<usize>();
        FrameLayout { constants, places, tables, state, image: frame.into_image() }
    }

    /// A frame with the constants of a valuation; `None` when one does not fit. A constant that does not fit because of its integers is
    /// left undefined, and a run that reads it bails out.
    pub(super) fn frame(&self, constants: &[Value], interrupt: &Arc<AtomicBool>) -> Option<PackedState> {
        let mut slots = self.image.clone();
        let mut defined = vec![true; slots.len()];
        for ((&place, packing), value) in self.places.iter().zip(&self.constants).zip(constants) {
            let Some(packing) = packing else { continue };
            // The integers in sets are guessed (`integers`), so a constant with others is to be expected, and only runs that read it are
            // lost. Any other constant that does not fit rules out packed runs as a whole.
            if !packing.pack(value, &mut slots[place..place + packing.words()]) {
                if !packing.has_integers() {
                    return None;
                }
                defined[place] = false;
            }
        }
        self.tables.iter().for_each(|(constant, table)| table.write(&constants[*constant], &mut slots));
        let (interrupt, orbits) = (Arc::clone(interrupt), orbit::ParameterOrbits::default());
        let words = Words { defined, slots, ill_defined_guard: false, fuel: FUEL, interrupt, orbits };
        Some(PackedState { words, seen: FxHashSet::default(), results: Vec::new() })
    }

    /// Writes the words of a constant into a frame.
    pub(super) fn set_constant(&self, state: &mut PackedState, constant: usize, words: &[u64]) {
        let place = self.places[constant];
        state.words.slots[place..place + words.len()].copy_from_slice(words);
        state.words.defined[place] = true;
    }
}
