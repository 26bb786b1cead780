//! Predicates about states that are compiled after the machine, on words.
//!
//! Invariant: a value is equal to that of the general tier; a run that bails out has none. Each predicate has a frame of its own, because
//! its bound names have no place in the frame of the machine. Deliberately elsewhere: the same predicate on values (`eval::formula`).

use super::frame_layout::FrameLayout;
use super::{PackedState, Packer, Pred};
use crate::{CompiledPred, Machine};
use bcheck_ir::Type;
use bcheck_value::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A predicate about packed states.
pub struct PackedPred {
    layout: FrameLayout,
    pred: Pred,
    interrupt: Arc<AtomicBool>,
}

impl fmt::Debug for PackedPred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedPred").finish_non_exhaustive()
    }
}

impl Machine {
    /// Packs a predicate about states; `None` if states are not packed, if it does not fit words, or if it is about a step.
    #[must_use]
    pub fn pack_pred(&self, pred: &CompiledPred) -> Option<PackedPred> {
        let packed = self.packed.as_ref()?;
        let (plan, slots) = pred.of_states()?;
        let (constants, variables) = (packed.layout.constants.clone(), &packed.variables);
        let types: Vec<&Type> = self.model().constants.values().map(|constant| &constant.ty).collect();
        let mut packer = Packer::new((self.scope(), packed.integers), &types, &constants, variables, slots);
        let pred = packer.pred(plan)?;
        Some(PackedPred { layout: FrameLayout::new(packer, constants, variables), pred, interrupt: Arc::clone(self.interrupt()) })
    }
}

impl PackedPred {
    /// A frame with the constants of a valuation; `None` when one does not fit.
    #[must_use]
    pub fn frame(&self, constants: &[Value]) -> Option<PackedState> {
        self.layout.frame(constants, &self.interrupt)
    }

    /// Writes the words of a constant into such a frame.
    pub fn set_constant(&self, frame: &mut PackedState, constant: usize, words: &[u64]) {
        self.layout.set_constant(frame, constant, words);
    }

    /// Its value in a state; `None` where only the general tier can decide it.
    pub fn holds(&self, frame: &mut PackedState, variables: &[u64]) -> Option<bool> {
        frame.words.set(self.layout.state.start, variables);
        (self.pred)(&mut frame.words).ok()
    }
}
