//! The commands, one file or folder for each: what is done with the options that `args` has read.
//!
//! Invariant: a command returns an `exit::Ended`; it never exits the process itself. Deliberately elsewhere: the phases that checks share
//! (`session`), pages of the manual (`help`).

pub(crate) mod animate;
pub(crate) mod calculator;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod compare;
pub(crate) mod cover;
pub(crate) mod estimate;
pub(crate) mod eval;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod induct;
pub(crate) mod lsp;
pub(crate) mod refine;
pub(crate) mod replay;
pub(crate) mod suite;
pub(crate) mod unfold;
