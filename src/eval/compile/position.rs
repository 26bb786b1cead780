//! The position of a formula, as far as its plan depends on it; and the notes recorded while a formula is compiled.
//!
//! Invariant: [`Compiler::within`] and [`Compiler::noting`] restore the previous state, so that no formula is compiled with the position or
//! the notes of another one. Deliberately elsewhere: what depends on a position (`order`).

use super::Compiler;
use crate::plan::{Slot, TriedRange};
use std::collections::BTreeSet;

/// The position of a formula. Formulas that bind names are compiled for the same plan at every position (`memo`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// Where integers that nothing bounds are tried in a window.
    pub(crate) cut: Cut,
    /// The innermost loop around: `x$0` reads what it saved. Without one it reads the variable itself.
    pub(super) inside: Option<LoopId>,
}

/// Where a search may restrict integers that nothing bounds to a window (`order::windows`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nowhere: it would change the meaning of a quantifier or comprehension.
    #[default]
    Nowhere,
    /// In a choice of the machine, outside of the branches of its disjunctions.
    OutsideBranches,
    /// In the branches of a choice as well, because nothing else bounds the name.
    InBranches,
}

/// Index in [`Compiler::loops`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopId(pub(super) usize);

impl Position {
    /// This position, with another setting of where integers may be cut to a window.
    pub(crate) fn cutting(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    /// Whether the machine chooses the names that are ordered here.
    pub(crate) fn is_choice(self) -> bool {
        self.cut != Cut::Nowhere
    }

    /// This position inside this loop; `None` outside of loops.
    pub(super) fn inside(self, inside: Option<LoopId>) -> Self {
        Self { inside, ..self }
    }
}

/// Names whose integers the orders of choices restrict to a window.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// All of them, with their windows: the user is warned.
    pub(crate) tried: BTreeSet<TriedRange>,
    /// In the choice being ordered, the names of which only the type is known, so that their values are tried within MININT..MAXINT: the
    /// solver gets these bounds as conjuncts.
    pub(crate) by_type: BTreeSet<Slot>,
}

impl Notes {
    /// Adds the notes of something that is part of the plan.
    pub(crate) fn add(&mut self, other: Notes) {
        self.tried.extend(other.tried);
        self.by_type.extend(other.by_type);
    }
}

impl Compiler<'_> {
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// Compiles something at another position.
    pub(crate) fn within<R>(&mut self, position: Position, compile: impl FnOnce(&mut Self) -> R) -> R {
        // A closure, because a guard that restores when it is dropped would have to hold the compiler exclusively.
        let outer = self.position;
        self.position = position;
        let compiled = compile(self);
        self.position = outer;
        compiled
    }

    /// Compiles something and returns the notes taken meanwhile. The caller adds them to the others if the plan is used.
    pub(crate) fn noting<R>(&mut self, compile: impl FnOnce(&mut Self) -> R) -> (R, Notes) {
        let outer = std::mem::take(&mut self.notes);
        let compiled = compile(self);
        (compiled, std::mem::replace(&mut self.notes, outer))
    }
}
