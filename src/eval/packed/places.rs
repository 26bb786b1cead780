//! The layout of the frame: which words belong to which constant, variable, local, known value and intermediate result.
//!
//! Everything gets its place when it is compiled, so a run allocates nothing. A node never runs inside itself, since functions are
//! compiled anew wherever they are applied, so one place for its result suffices.
//! Invariant: a place is handed out once, and after the places of what it is computed from.
//! Deliberately elsewhere: reading and writing places (`value`), the encoding of values (`value::packing`).

use super::operand::Operand;
use super::value::{PackedValue, Wide};
use super::{BailOut, Words};
use crate::plan::Slot;
use bcheck_value::Value;
use bcheck_value::packing::Packing;
use std::ops::Range;

/// The frame as far as it is laid out.
pub(super) struct Places {
    /// The number of constants, whose slots are the first.
    constants: usize,
    /// By slot of the plans: whether it may be without a value, so that reads check this.
    checked: Vec<bool>,
    /// By slot of the plans: its words.
    homes: Vec<Home>,
    /// The frame before a run: the known values, and zeros.
    image: Vec<u64>,
}

/// Where the value of a slot is in the frame, and how it is packed; a local gets its home when it is first compiled.
struct Home {
    at: usize,
    packing: Option<Packing>,
}

impl Places {
    /// A frame that begins with the constants (without words where they do not fit) and the variables.
    pub(super) fn new(constants: &[Option<Packing>], variables: &[Packing], slots: usize) -> Self {
        let (checked, homes) = (vec![false; slots], Vec::with_capacity(slots));
        let mut places = Self { constants: constants.len(), checked, homes, image: Vec::new() };
        // Constants and variables lie as a state store holds them, in one run of words: a state is read and written by one copy, not slot
        // by slot.
        for packing in constants.iter().cloned().chain(variables.iter().cloned().map(Some)) {
            let at = places.take(packing.as_ref().map_or(0, Packing::words));
            places.homes.push(Home { at, packing });
        }
        // A constant with integers beyond the universe is left out of a frame, which only its value decides: reads of it check.
        for (checked, packing) in places.checked.iter_mut().zip(constants) {
            *checked = packing.as_ref().is_some_and(Packing::has_integers);
        }
        places.homes.resize_with(slots, || Home { at: 0, packing: None });
        places
    }

    /// Lets reads of a slot check whether it has a value; before anything is compiled that reads it.
    pub(super) fn check(&mut self, slot: Slot) {
        self.checked[slot] = true;
    }

    /// The words before a run, where known values are written.
    pub(super) fn image(&mut self) -> &mut [u64] {
        &mut self.image
    }

    /// The frame before a run, once everything is compiled.
    pub(super) fn into_image(self) -> Vec<u64> {
        self.image
    }

    /// Reserves words of the frame.
    pub(super) fn take(&mut self, words: usize) -> usize {
        let at = self.image.len();
        self.image.resize(at + words, 0);
        at
    }

    /// The start of the words of a slot with this packing; a local gets them at its first occurrence.
    pub(super) fn hold(&mut self, slot: Slot, packing: &Packing) -> usize {
        if self.homes[slot].packing.is_none() {
            let at = self.take(packing.words());
            self.homes[slot] = Home { at, packing: Some(packing.clone()) };
        }
        self.homes[slot].at
    }

    /// The words of a slot that has occurred before; an empty range if it has not.
    pub(super) fn place(&self, slot: Slot) -> Range<usize> {
        let Home { at, packing } = &self.homes[slot];
        *at..*at + packing.as_ref().map_or(0, Packing::words)
    }

    /// The packing of a slot that has occurred before.
    pub(super) fn held(&self, slot: Slot) -> Option<&Packing> {
        self.homes[slot].packing.as_ref()
    }

    /// A value that is known when it is compiled.
    pub(super) fn known(&mut self, packing: &Packing, value: &Value) -> Option<PackedValue> {
        let words = packing.words();
        let mut mask = vec![0; words];
        // Not an error: a literal beyond the integers of the universe, which the general tier evaluates.
        if !packing.pack(value, &mut mask) {
            return None;
        }
        if words == 1 {
            return Some(PackedValue::Word(Operand::Known(mask[0])));
        }
        let at = self.take(words);
        // The words just allocated are the last ones.
        self.image[at..].copy_from_slice(&mask);
        Some(PackedValue::Wide(Wide::at(at, words)))
    }

    /// The contents of a slot.
    pub(super) fn slot(&mut self, slot: Slot, packing: &Packing) -> PackedValue {
        let is_checked = self.checked[slot];
        let (at, words) = (self.hold(slot, packing), packing.words());
        // An undefined constant has a value that does not fit, which the general tier knows. A local or result has none in any tier.
        let bail_out = if slot < self.constants { BailOut::Left } else { BailOut::IllDefined };
        // One flag for the whole slot, at its first word: words of one value are assigned together.
        let check = move |words: &mut Words| if words.defined[at] { Ok(()) } else { Err(bail_out) };
        match (words, is_checked) {
            // Variables are never unassigned between steps, and most reads are of variables: no test at run time, and no closure either.
            (1, false) => PackedValue::Word(Operand::Slot(at)),
            (1, true) => PackedValue::Word(Operand::new(move |words| check(words).map(|()| words.slots[at]))),
            (_, false) => PackedValue::Wide(Wide::at(at, words)),
            (_, true) => PackedValue::Wide(Wide::checked(at, words, check)),
        }
    }

    /// The contents of a slot with a set, which is empty while the slot has no value.
    pub(super) fn slot_or_empty(&mut self, slot: Slot, packing: &Packing) -> PackedValue {
        if !self.checked[slot] {
            return self.slot(slot, packing);
        }
        let (from, count) = (self.hold(slot, packing), packing.words());
        self.own(count, move |words, at| {
            for word in 0..count {
                words.slots[at + word] = if words.defined[from] { words.slots[from + word] } else { 0 };
            }
            Ok(())
        })
    }

    /// A value computed into a separate place, which is passed to `compute`.
    pub(super) fn own(
        &mut self,
        words: usize,
        compute: impl Fn(&mut Words, usize) -> Result<(), BailOut> + Send + Sync + 'static,
    ) -> PackedValue {
        let at = self.take(words);
        if words == 1 {
            return PackedValue::Word(Operand::new(move |words| {
                compute(words, at)?;
                Ok(words.slots[at])
            }));
        }
        PackedValue::Wide(Wide::computed(at, words, move |words| compute(words, at)))
    }

    /// A set computed from another into a separate place.
    pub(super) fn map_one(
        &mut self,
        operand: PackedValue,
        words: usize,
        compute: impl Fn(&[u64], &mut [u64]) + Send + Sync + 'static,
    ) -> PackedValue {
        let operand = self.wide(operand);
        self.own(words, move |frame, at| {
            operand.evaluate(frame)?;
            // The operand got its place first, so it lies below, and the result can be written while it is read.
            let (before, own) = frame.slots.split_at_mut(at);
            compute(&before[operand.range()], &mut own[..words]);
            Ok(())
        })
    }

    /// A set computed from two others into a separate place.
    pub(super) fn map_two(
        &mut self,
        left: PackedValue,
        right: PackedValue,
        words: usize,
        compute: impl Fn(&[u64], &[u64], &mut [u64]) + Send + Sync + 'static,
    ) -> PackedValue {
        let (left, right) = (self.wide(left), self.wide(right));
        self.own(words, move |frame, at| {
            left.evaluate(frame)?;
            // The left operand is unchanged meanwhile: its range is separate, or that of a slot that the right one does not assign.
            right.evaluate(frame)?;
            let (before, own) = frame.slots.split_at_mut(at);
            compute(&before[left.range()], &before[right.range()], &mut own[..words]);
            Ok(())
        })
    }

    /// A value as a range of the frame, even if it has one word only: operators on ranges take operands of any size.
    pub(super) fn wide(&mut self, value: PackedValue) -> Wide {
        match value {
            PackedValue::Wide(wide) => wide,
            PackedValue::Word(Operand::Slot(at)) => Wide::at(at, 1),
            PackedValue::Word(operand) => {
                let at = self.take(1);
                // A known word is laid down once, in the frame before a run.
                if let Operand::Known(word) = operand {
                    self.image[at] = word;
                    return Wide::at(at, 1);
                }
                Wide::computed(at, 1, move |words| operand.get(words).map(|word| words.slots[at] = word))
            }
        }
    }
}
