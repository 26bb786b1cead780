//! Floor 2: syntax tree → typed model. All static errors are found here.
//!
//! The way through: the machines that belong together are gathered (`compose`), definitions are expanded on the trees
//! (`definitions`, `expand`, `clauses`), names are declared for each machine (`compose`), settings are read, then one walk resolves names, infers types and builds the core language
//! (`elaborate`, `infer`, `predicate`, `substitution`, `overload`), and a last pass completes the types (`finish`).
//! Invariant: a model is returned only when there is no error. Deliberately elsewhere: sizes of deferred sets (`cli`), evaluation.

mod analyse;
mod clauses;
mod compose;
mod definitions;
mod elaborate;
mod expand;
mod external;
mod finish;
mod hints;
mod infer;
mod names;
mod overload;
mod parameters;
mod predicate;
mod settings;
mod substitution;
#[cfg(test)]
mod tests;
mod types;
mod untyped;

pub use analyse::{Formula, analyse, analyse_formula, analyse_with};
pub use compose::{Files, LoadError, NoFiles};
