//! Floor 2: syntax tree → typed model. All static errors are found here.
//!
//! The phases: the machines that belong together are gathered (`compose`), definitions are expanded on the trees (`definitions`,
//! `expand`, `clauses`), names are declared for each machine (`compose`, `parameters`), then one walk resolves names, infers types and
//! builds the core language (`elaborate`, `infer`, `infix`, `builtin`, `predicate`, `substitution`, `assignment`, `overload`, `external`,
//! `free_types`), sizes and bounds are read (`settings`, `arithmetic`, `hints`, `distinct`, `cardinalities`; `scope` decides them), and a
//! last pass reports names without a type and completes the types (`untyped`, `finish`). A formula outside a machine goes through the same
//! phases (`formula`, `question`, `temporal`, `pictures`, `visb`), and so do both machines of a refinement, as one model (`refinement`).
//! Invariant: a model is returned only when there is no error. Deliberately elsewhere: evaluation.

mod alone;
mod analyse;
mod arithmetic;
mod assignment;
mod builtin;
mod cardinalities;
mod chains;
mod clauses;
mod compose;
mod definitions;
mod distinct;
mod elaborate;
mod element_names;
mod expand;
mod expand_call;
mod external;
mod finish;
mod formula;
mod free_types;
mod hints;
mod infer;
mod infix;
mod least_sizes;
mod names;
mod one_cause;
mod overload;
mod parameters;
mod pictures;
mod predicate;
mod question;
mod records;
mod refinement;
mod remedy;
mod result_types;
mod scheme;
pub mod scope;
mod settings;
mod substitution;
mod temporal;
#[cfg(test)]
mod tests;
mod tuples;
mod types;
mod uninitialised;
mod untyped;
mod visb;

pub use analyse::{Analysis, analyse, analyse_parsed, analyse_with};
pub use bcheck_syntax::temporal::Logic;
pub use compose::{Files, LoadError, NoFiles, hierarchy};
pub use formula::{Formula, FormulaContext, Macros, analyse_formula, read_formula};
pub use names::nearest;
pub use pictures::{Pictures, read_pictures, visb_file_of};
pub use question::{Asked, read_question};
pub use refinement::{RefinementAnalysis, RefinementRequest, analyse_refinement};
pub use temporal::{NOT_ASKED_FOR, StatedFormula, is_no_formula, read_stated, read_temporal, stated_errors};
pub use types::type_text;
pub use visb::{ConditionReader, VisbFile};
