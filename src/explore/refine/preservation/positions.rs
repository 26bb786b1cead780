//! Which formulas are passed on from a run of the refined machine to the run of the refinement that it follows, operator by operator.
//!
//! Each position of the refinement's run r stands for one of the refined machine's run a: a step of a has in its place a *block* of
//! positions of r, first those whose next step is internal (*middle*), then the one that takes the step (*end*). Where r stops and a does
//! not, r has a *last* position, in the place of one of a. Where r diverges, its last block has no end. The last positions of both, if
//! both stop, count as an end: no step is next in either. `end` says: wherever the formula holds of a, it holds of r at the ends that
//! stand for this position; `middle` and `last` likewise; `always_middle` and `always_last` say that it holds of r at all such positions
//! anyway. A position that the situation excludes says everything. Each rule is proved from these sentences about the operands, so the
//! whole is proved by induction.
//! Invariant: `always_x` implies `x`. Deliberately elsewhere: formulas (`shape`).

use super::Gap;

/// The possible behaviours of the refinement; each that is true makes fewer formulas pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Situation {
    /// There are internal steps.
    pub(super) internal: bool,
    /// They may go on for ever.
    pub(super) diverges: bool,
    /// The refinement may stop where the refined machine does not.
    pub(super) blocks: bool,
    /// The refinement may refuse calls that the refined machine takes.
    pub(super) refuses: bool,
    /// The refined machine may be in several states, of which only some take a step that the refinement takes.
    pub(super) chooses: bool,
}

impl Situation {
    /// The situation once this gap is closed.
    pub(super) fn without(self, gap: Gap) -> Self {
        match gap {
            Gap::Simulation => self,
            Gap::Divergence => Self { diverges: false, ..self },
            Gap::Deadlock => Self { blocks: false, ..self },
            Gap::Refusals => Self { refuses: false, ..self },
            Gap::Choices => Self { chooses: false, ..self },
            // Without any of them there is no divergence either.
            Gap::InternalSteps => Self { internal: false, diverges: false, ..self },
        }
    }

    /// Whether r comes to each position of a.
    fn is_whole(self) -> bool {
        !self.diverges && !self.blocks
    }
}

/// At which positions a formula is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    pub(super) end: bool,
    pub(super) middle: bool,
    pub(super) last: bool,
    pub(super) always_middle: bool,
    pub(super) always_last: bool,
}

impl Positions {
    /// Nowhere.
    pub(super) const NONE: Self = Self { end: false, middle: false, last: false, always_middle: false, always_last: false };
    /// Everywhere, as what the state alone decides.
    pub(super) const STATE: Self = Self { end: true, middle: true, last: true, always_middle: false, always_last: false };
    /// TRUE.
    pub(super) const TRUE: Self = Self { end: true, middle: true, last: true, always_middle: true, always_last: true };
    /// A step of the refined machine is next: false at positions without one.
    pub(super) const STEP: Self = Self { end: true, ..Self::NONE };
    /// No such step is next: true at positions without one.
    pub(super) const NO_STEP: Self = Self::TRUE;
    /// Some step is next.
    pub(super) const GOES_ON: Self = Self { end: true, middle: true, always_middle: true, ..Self::NONE };
    /// No step is next.
    pub(super) const STOPS: Self = Self { end: true, last: true, always_last: true, ..Self::NONE };
    /// A step is next that leaves a value as it is, as internal ones do.
    pub(super) const UNCHANGED: Self = Self::GOES_ON;
    /// No such step is next, or there is none; of an internal one, neither this nor the opposite.
    pub(super) const NOT_UNCHANGED: Self = Self::STOPS;

    /// At all positions.
    pub(super) fn all(self) -> bool {
        self.end && self.middle && self.last
    }

    /// At every position, or nowhere.
    pub(super) fn as_one(is_kept: bool) -> Self {
        if is_kept { Self::STATE } else { Self::NONE }
    }

    /// Of positions that the situation excludes everything holds.
    pub(super) fn within(self, situation: Situation) -> Self {
        let always_middle = self.always_middle || !situation.internal;
        let always_last = self.always_last || !situation.blocks;
        Self { end: self.end, middle: self.middle || always_middle, last: self.last || always_last, always_middle, always_last }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            end: self.end && other.end,
            middle: self.middle && other.middle,
            last: self.last && other.last,
            always_middle: self.always_middle && other.always_middle,
            always_last: self.always_last && other.always_last,
        }
    }

    /// Which of both holds of a is not known, so both are passed on, unless one holds anyway.
    pub(super) fn or(self, other: Self) -> Self {
        let always_middle = self.always_middle || other.always_middle;
        let always_last = self.always_last || other.always_last;
        Self {
            end: self.end && other.end,
            middle: self.middle && other.middle || always_middle,
            last: self.last && other.last || always_last,
            always_middle,
            always_last,
        }
    }

    /// X: behind an end comes the first position of the next block, of any kind. In the middle the next position is of the same block.
    pub(super) fn next(self) -> Self {
        Self { end: self.all(), ..Self::NONE }
    }

    /// X, or there is no next position.
    pub(super) fn weak_next(self) -> Self {
        Self { end: self.all(), last: true, always_last: true, ..Self::NONE }
    }

    /// `self` U `after`: the block of the position of a where `after` holds has an end, to which r comes; there `after` holds. In the
    /// middle of that block it holds too, or `self` does.
    pub(super) fn until(self, after: Self, situation: Situation) -> Self {
        // Without `is_whole` r might never come to the block where `after` holds. `self.all()`: of the blocks before it, every position
        // must satisfy `self`, the last one of r included.
        let is_kept = situation.is_whole() && after.end && self.all() && (after.middle || self.always_middle);
        Self {
            end: is_kept,
            middle: is_kept || after.always_middle,
            last: is_kept || after.always_last,
            always_middle: after.always_middle,
            always_last: after.always_last,
        }
    }

    /// `self` W `after`: as U. Where r does not come to the end of that block, `self` holds to the end of r, or `after` in that block.
    pub(super) fn weak_until(self, after: Self) -> Self {
        // No `is_whole`: W requires no eventuality. If r stops inside the block of `after`, its last position is in that block: there
        // either of the two must hold.
        let is_kept = after.end && self.all() && (after.middle || self.always_middle) && (after.last || self.always_last);
        let always_last = self.always_last || after.always_last;
        Self {
            end: is_kept,
            middle: is_kept || after.always_middle,
            last: is_kept || always_last,
            always_middle: after.always_middle,
            always_last,
        }
    }

    /// `self` R `held`: `held` holds in the whole block where `self` does, and `self` at its end, if r comes to it.
    pub(super) fn release(self, held: Self) -> Self {
        // `held` holds of a up to and including the position where `self` does, so of r in all these blocks; `self` releases at the end of
        // its block, not earlier.
        let is_kept = held.all() && self.end;
        Self {
            end: is_kept,
            middle: is_kept || self.always_middle && held.always_middle,
            last: is_kept || held.always_last,
            always_middle: self.always_middle && held.always_middle,
            always_last: held.always_last,
        }
    }

    /// Y: the position before may be of the same block.
    pub(super) fn yesterday(self, situation: Situation) -> Self {
        // Without internal steps blocks are single positions, and the one before an end or a last position is an end.
        if situation.internal { Self::NONE } else { Self { end: self.end, last: self.end, ..Self::NONE } }
    }

    /// `self` S `after`: blocks before have an end, where `after` holds if it did there; else it holds in this position.
    pub(super) fn since(self, after: Self) -> Self {
        // The past is there whatever r does later: no `is_whole`.
        let is_kept = after.end && self.all();
        Self {
            end: is_kept,
            middle: is_kept && after.middle || after.always_middle,
            last: is_kept && after.last || after.always_last,
            always_middle: after.always_middle,
            always_last: after.always_last,
        }
    }

    /// `self` T `held`: as R, backwards.
    pub(super) fn trigger(self, held: Self) -> Self {
        let is_kept = held.all() && self.end;
        let always_middle = self.always_middle && held.always_middle;
        let always_last = self.always_last && held.always_last;
        Self {
            end: is_kept,
            middle: is_kept && self.middle || always_middle,
            last: is_kept && self.last || always_last,
            always_middle,
            always_last,
        }
    }
}
