//! `--symmetry`: how representatives are found.
//!
//! Invariant: each way has the same word everywhere, also in reports.

use crate::symmetry::Mode;
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// `--symmetry`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SymmetryArg {
    /// One state per class of symmetric states
    Exact,
    /// Cheaper per state; may keep several states of a class
    Fast,
    /// Sorting only; may keep several states of a class
    Sorted,
    /// All permutations: slow, the reference for exact
    Exhaustive,
    /// No reduction
    Off,
}

impl From<SymmetryArg> for Mode {
    fn from(arg: SymmetryArg) -> Self {
        match arg {
            SymmetryArg::Exact => Mode::Exact,
            SymmetryArg::Fast => Mode::Fast,
            SymmetryArg::Sorted => Mode::Sorted,
            SymmetryArg::Exhaustive => Mode::Exhaustive,
            SymmetryArg::Off => Mode::Off,
        }
    }
}

/// `--symmetry` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedArg {
    /// One way, against no reduction
    One(SymmetryArg),
    /// All of them, against each other
    All,
}

impl ComparedArg {
    /// The ways in the order of their table; the first one is the reference.
    pub(super) const ALL: [SymmetryArg; 5] =
        [SymmetryArg::Exact, SymmetryArg::Fast, SymmetryArg::Sorted, SymmetryArg::Exhaustive, SymmetryArg::Off];
}

impl ValueEnum for ComparedArg {
    fn value_variants<'a>() -> &'a [Self] {
        const VARIANTS: [ComparedArg; 6] = {
            let [a, b, c, d, e] = ComparedArg::ALL;
            [ComparedArg::One(a), ComparedArg::One(b), ComparedArg::One(c), ComparedArg::One(d), ComparedArg::One(e), ComparedArg::All]
        };
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::One(way) => way.to_possible_value(),
            Self::All => Some(PossibleValue::new("all").help("Each of these in turn, in one table")),
        }
    }
}
