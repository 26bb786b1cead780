//! bcheck: an explicit-state model checker for the B-Method with exact symmetry reduction.

pub mod cli;
pub mod eval;
pub mod explore;
pub mod ir;
pub mod report;
pub mod sema;
pub mod source;
pub mod state;
pub mod symmetry;
pub mod syntax;
pub mod value;
