//! Floor 4: typed core language → executable plans → values and successor states. Knows nothing of symmetry, so that the
//! unreduced checker is the oracle of the reduced one.
//!
//! The way through this folder: [`Machine::compile`] turns a model and its scope into plans (`compile`, with conjuncts turned
//! into generators by `generate`); `expression`, `predicate` and `substitution` run plans on a frame; `machine` is the façade
//! that the search uses: set-ups, initial states, successors, invariant.
//! Invariant: evaluation is deterministic: the same model and state give the same results in the same order.

mod bounds;
mod branches;
mod compile;
mod compile_substitution;
mod comprehension;
mod conjunction;
mod conjuncts;
mod contradiction;
mod cost;
mod currying;
mod enumeration;
mod equation;
mod error;
mod expression;
mod external;
mod frame;
mod function;
mod generate;
mod guards;
mod implied;
mod inclusion;
mod integer_sets;
mod machine;
mod membership;
mod memo;
mod obstacle;
mod other_sizes;
mod packed;
mod pattern;
mod plan;
mod predicate;
mod propagation;
mod ranges;
mod recurrence;
mod recursion;
mod search;
mod sequences;
mod steps;
mod substitution;
mod symbolic;
mod totals;
mod windows;
mod within_bounds;

pub use contradiction::Contradiction;
pub use error::{EvalError, EvalErrorKind};
pub use frame::TriedRange;
pub use machine::{Machine, Step, Successors};
pub use obstacle::{Obstacle, ObstacleKind};
pub use packed::{Blocks, PackedRun, PackedState, PackedStep};
