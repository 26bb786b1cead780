//! Formulas that further refinements pass on: in a chain, a formula that is kept may be kept again by the refinement of that refinement.
//!
//! Let a formula hold of all runs of a refinement U of the machine that states it, read as in `mod`, and let L refine U. Its variables may
//! be variables of U or of the machine further up: related states have the same values of both, so of the runs of L and U either is what
//! the state decides. `[op]` is a step that refines op, by way of U. So the rules for *prefixes* hold of L and U as they stand. Those that
//! look at how runs end do not: whether L stops where U goes on was asked of the calls that U allows, and the machine further up may
//! allow fewer. So the worst is assumed of ends: L may stop anywhere, may refuse calls, and its internal steps may go on for ever.
//! Invariant: operations are read by their names, so each is refined by one of the same name alone, in every link. Deliberately elsewhere:
//! what a link by itself keeps (`mod`), the order of the links (`report::passed`).

use super::positions::Situation;
use super::shape::{self, FormulaShape};

/// The requirements of a kept formula on further refinements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The operations that it names.
    operations: Vec<String>,
    /// Whether it is passed on: without internal steps and choices, with internal steps only, with choices only, with both.
    is_kept: [bool; 4],
}

/// A refinement that passes formulas on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassesOn {
    /// An internal step was taken.
    pub(super) internal: bool,
    /// Some run leaves open in which state the refined machine is.
    pub(super) chooses: bool,
    /// The operations of the refined machine that one of the same name refines, and no other.
    pub(super) operations: Vec<String>,
}

/// The place of this case in [`Passing::is_kept`].
fn case(internal: bool, chooses: bool) -> usize {
    usize::from(internal) + 2 * usize::from(chooses)
}

impl Passing {
    /// Decides by the shape of the formula and the operations that it names.
    pub fn of(shape: &FormulaShape, operations: Vec<String>) -> Self {
        let mut is_kept = [false; 4];
        for (internal, chooses) in [(false, false), (true, false), (false, true), (true, true)] {
            let worst = Situation { internal, diverges: internal, blocks: true, refuses: true, chooses };
            is_kept[case(internal, chooses)] = shape::is_kept(shape, worst);
        }
        Self { operations, is_kept }
    }

    /// Whether a refinement of a machine of which the formula holds preserves it.
    #[must_use]
    pub fn is_kept_by(&self, link: &PassesOn) -> bool {
        self.is_kept[case(link.internal, link.chooses)] && self.operations.iter().all(|name| link.operations.contains(name))
    }
}
