//! Where a formula stands, as far as its plan depends on that; and what compiling it has noted.
//!
//! Invariant: a position holds for the time of [`Compiler::within`] and notes for that of [`Compiler::noting`], on every path out of
//! them, so nothing that is compiled later meets those of another formula. Deliberately elsewhere: what is done at a position (`order`).

use super::Compiler;
use crate::eval::plan::{Slot, TriedRange};
use std::collections::BTreeSet;

/// The position of a formula. Formulas that bind names are compiled for the same plan at every position (`memo`).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::eval) struct Position {
    /// Where integers that nothing bounds are tried in a window.
    pub(in crate::eval) cut: Cut,
    /// The innermost loop around: `x$0` reads what it saved. Without one it reads the variable itself.
    pub(super) inside: Option<LoopId>,
}

/// Where a search may try integers that nothing bounds in a window (`order::windows`) only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::eval) enum Cut {
    /// Nowhere: of a quantifier or a comprehension it would change the meaning.
    #[default]
    Nowhere,
    /// In a choice of the machine, but not in the branches of its disjunctions.
    OutsideBranches,
    /// In the branches of a choice as well, because nothing else bounds the name.
    InBranches,
}

/// Index in [`Compiler::loops`].
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct LoopId(pub(super) usize);

impl Position {
    /// The position for a search that cuts there.
    pub(in crate::eval) fn cutting(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    /// The position in a loop; with `None`, in a substitution of its own, where `x$0` is the value before it whatever loop is around.
    pub(super) fn inside(self, inside: Option<LoopId>) -> Self {
        Self { inside, ..self }
    }
}

/// What the orders of choices have cut.
#[derive(Debug, Default)]
pub(in crate::eval) struct Notes {
    /// The names tried in a window, with the numbers of it: the user is warned.
    pub(in crate::eval) tried: BTreeSet<TriedRange>,
    /// The names of the choice being ordered that only their type bounds, within MININT..MAXINT: the solver needs that as conjuncts.
    pub(in crate::eval) by_type: BTreeSet<Slot>,
}

impl Notes {
    /// Adds what was noted of something that is part of the plan.
    pub(in crate::eval) fn add(&mut self, other: Notes) {
        self.tried.extend(other.tried);
        self.by_type.extend(other.by_type);
    }
}

impl Compiler<'_> {
    pub(in crate::eval) fn position(&self) -> Position {
        self.position
    }

    /// Compiles something at another position.
    pub(in crate::eval) fn within<R>(&mut self, position: Position, compile: impl FnOnce(&mut Self) -> R) -> R {
        // A closure, because a guard that restores when it is dropped would have to hold the compiler exclusively.
        let outer = self.position;
        self.position = position;
        let compiled = compile(self);
        self.position = outer;
        compiled
    }

    /// Compiles something and returns what was noted meanwhile, which the caller adds to the notes where it stays true.
    pub(in crate::eval) fn noting<R>(&mut self, compile: impl FnOnce(&mut Self) -> R) -> (R, Notes) {
        let outer = std::mem::take(&mut self.notes);
        let compiled = compile(self);
        (compiled, std::mem::replace(&mut self.notes, outer))
    }
}
