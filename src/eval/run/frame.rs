//! A frame: the values of all slots during one evaluation.
//!
//! Invariant: constants and variables that a plan reads are set before it runs; a local is set by its binder before it is read,
//! except VAR locals and variables during initialisation, whose reading is an error with a place.

use super::context::Context;
use super::doubts::Doubts;
use super::limits::Limits;
use crate::plan::{Slot, TriedRange};
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;
use bcheck_value::{Valuation, Value};

/// Whether a visit continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on.
    Continue,
    /// The visitor has seen enough.
    Stop,
}

/// The values of all slots.
pub(crate) struct Frame<'m> {
    pub(crate) context: &'m Context,
    slots: Slots,
    pub(crate) limits: Limits,
    pub(crate) doubts: Doubts,
    pub(crate) chosen: ChoiceNotes,
}

/// What choices have tried so far.
#[derive(Default)]
pub(crate) struct ChoiceNotes {
    /// How many full bindings choices had, and how many of constants were accepted.
    pub(crate) bindings: u64,
    pub(crate) accepted: u64,
    /// The first range in which a name was tried that may have other values.
    pub(crate) cut: Option<TriedRange>,
    /// Values that choices among too many take as well, wherever they are elements.
    pub(crate) wanted: Vec<Value>,
}

impl ChoiceNotes {
    /// Notes that a name is tried in a range only.
    pub(crate) fn note_cut(&mut self, tried: &TriedRange) {
        if self.cut.is_none() {
            self.cut = Some(tried.clone());
        }
    }
}

/// The contents of slots: a valuation, and a window over the locals. The names that one operation or formula binds have adjacent slots,
/// so the window is as long as these are, not as all locals of the machine together.
struct Slots {
    first: Vec<Option<Value>>,
    /// The slot with which the window begins.
    start: Slot,
    window: Vec<Option<Value>>,
}

impl Slots {
    fn get(&self, slot: Slot) -> Option<&Value> {
        match self.first.get(slot) {
            Some(content) => content.as_ref(),
            // A slot before the window wraps around to an index beyond its end, which holds nothing.
            None => self.window.get(slot.wrapping_sub(self.start))?.as_ref(),
        }
    }

    /// The content of a slot; the window grows until it has a place for it.
    fn at(&mut self, slot: Slot) -> &mut Option<Value> {
        if slot < self.first.len() {
            return &mut self.first[slot];
        }
        // An empty window may begin anywhere. Otherwise it grows to the left or to the right by undefined places.
        if self.window.is_empty() {
            self.start = slot;
        }
        if slot < self.start {
            let more = self.start - slot;
            self.window.splice(0..0, std::iter::repeat_n(None, more));
            self.start = slot;
        }
        let place = slot - self.start;
        if place >= self.window.len() {
            self.window.resize(place + 1, None);
        }
        &mut self.window[place]
    }
}

impl<'m> Frame<'m> {
    /// A frame whose first slots hold a valuation (or the constants of one).
    pub(crate) fn new(context: &'m Context, values: &[Value]) -> Self {
        let slots = Slots { first: values.iter().cloned().map(Some).collect(), start: 0, window: Vec::new() };
        Self { context, slots, limits: Limits::default(), doubts: Doubts::default(), chosen: ChoiceNotes::default() }
    }

    /// The value of a slot.
    pub(crate) fn get(&self, slot: Slot, span: Span) -> Result<&Value, EvalError> {
        match self.slots.get(slot) {
            Some(value) => Ok(value),
            None => Err(EvalError { kind: EvalErrorKind::Unassigned(self.context.slot_names[slot].clone()), span }),
        }
    }

    /// The value of a slot, if it has one.
    pub(super) fn content(&self, slot: Slot) -> Option<&Value> {
        self.slots.get(slot)
    }

    /// Sets a slot.
    pub(crate) fn set(&mut self, slot: Slot, value: Value) {
        *self.slots.at(slot) = Some(value);
    }

    /// Copies the contents of slots, to be put back with [`Self::restore`].
    // Cheap even for large sets: a clone of a value shares its contents.
    pub(crate) fn save(&self, slots: &[Slot]) -> Vec<Option<Value>> {
        slots.iter().map(|&slot| self.slots.get(slot).cloned()).collect()
    }

    /// Puts contents back.
    pub(super) fn restore(&mut self, slots: &[Slot], contents: Vec<Option<Value>>) {
        for (&slot, content) in slots.iter().zip(contents) {
            *self.slots.at(slot) = content;
        }
    }

    /// Makes slots undefined.
    pub(crate) fn clear(&mut self, slots: &[Slot]) {
        for &slot in slots {
            *self.slots.at(slot) = None;
        }
    }

    /// The values of the constants and variables.
    pub(super) fn known(&self) -> &[Option<Value>] {
        &self.slots.first
    }

    /// The first `count` slots as a valuation, or the first of them that is undefined.
    pub(crate) fn valuation(&self, count: usize) -> Result<Valuation, Slot> {
        (0..count).map(|slot| self.slots.get(slot).cloned().ok_or(slot)).collect()
    }

    /// Called by every loop: stops the evaluation soon after the interrupt flag was set.
    #[inline]
    pub(crate) fn tick(&mut self, span: Span) -> Result<(), EvalError> {
        self.limits.tick(self.context, span)
    }

    /// As [`Self::tick`], but reads the interrupt flag each time: for loops whose single steps take long.
    pub(crate) fn tick_and_look(&mut self, span: Span) -> Result<(), EvalError> {
        if self.context.is_stopped() {
            return Err(EvalError { kind: EvalErrorKind::Interrupted, span });
        }
        self.tick(span)
    }

    /// As [`Self::tick`], for many steps at once.
    pub(crate) fn spend(&mut self, steps: u64, span: Span) -> Result<(), EvalError> {
        self.limits.spend(steps, self.context, span)
    }

    /// Runs something with at most this much further work, in units of [`super::limits::FUEL`]; `None` when that is not enough.
    ///
    /// # Errors
    /// Those of the run, a real interrupt among them.
    pub(super) fn within_work<T>(
        &mut self,
        work: u32,
        run: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<Option<T>, EvalError> {
        let outer = self.limits.grant(work);
        let result = run(self);
        let is_used_up = self.limits.settle(outer);
        // An outer budget that is used up as well ends the outer run, in the same manner as an interrupt.
        match result {
            Err(error) if error.kind == EvalErrorKind::Interrupted && !is_used_up && !self.context.is_stopped() => {
                self.limits.refuel();
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}
