//! Floor 4: typed core language → executable plans → values and successor states. Knows nothing of symmetry, so that the
//! unreduced checker is the oracle of the reduced one.
//!
//! [`Machine::compile`] turns a model and its scope into plans (`plan`): `compile` translates, `order` decides which conjuncts of a search
//! generate values, and in which order. `run` evaluates plans on a frame, and `solve` finds values for names that are solved together.
//! `packed` is the second evaluator, for states that fit words; `diagnose` explains why something has no solution. `machine` is the façade
//! that the search uses: set-ups, initial states, successors, invariant. Each `mod.rs` states what its part must not know;
//! `ALLOWED_IN_EVAL` in `tests/suite/house.rs` is the whole table.
//! Invariant: evaluation is deterministic: the same model and state give the same results in the same order.

mod compile;
mod diagnose;
mod error;
mod first_choices;
mod fitting_scope;
mod formula;
mod machine;
mod order;
mod packed;
mod plan;
mod question;
mod run;
mod solve;
pub mod statistics;
pub mod thresholds;
mod unread;
mod wider_bounds;

pub use diagnose::contradiction::Contradiction;
pub use diagnose::evidence::{Clue, Evidence, ListedValues, Rejection, Side, TermValue, TriedBindings, TruthValue, Witness};
pub use diagnose::explanation::{Choice, Explanation, PlannedStep, StepKind, Tier};
pub use diagnose::guard::GuardConjuncts;
pub use diagnose::obstacle::{Obstacle, ObstacleKind};
pub use error::{EvalError, EvalErrorKind};
pub use first_choices::FIRST_CHOICES;
pub use fitting_scope::{Unset, fitting_scope};
pub use formula::{CompiledExpr, CompiledPred};
pub use machine::{Machine, Step, Successors};
pub use packed::{Blocks, PackedPred, PackedRun, PackedState, PackedStep};
pub use plan::TriedRange;
pub use question::Question;
pub use run::choice_mode::ChoiceMode;
