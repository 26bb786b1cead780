//! Plans → values and successor states: `expression`, `predicate`, `comprehension`, `substitution` and `search` run plans on a [`frame`].
//!
//! `sets` implements queries on symbolic sets, `function` applies relations to arguments, `external` evaluates the functions of ProB's
//! libraries; `recurrence` and `totals` compute the functions that two actions of a search bind, `steps` removes duplicate steps, and
//! `choices` takes some values of too many, first ones or `random_values`.
//! The parts of a frame own what they keep: `limits` its work, `doubts` what is ill-defined or unknown and passed over; `context` is what
//! all frames share.
//!
//! Must not know: the core language (`ir::Expr`, `ir::Pred`), the compiler, or how an order was chosen.

mod candidates;
pub(super) mod choice_mode;
pub(super) mod choices;
pub(super) mod comprehension;
pub(super) mod context;
pub(super) mod distinct;
mod doubts;
pub(super) mod expression;
pub(super) mod external;
mod following;
pub(super) mod frame;
pub(super) mod function;
mod limits;
mod matching;
pub(super) mod predicate;
mod random_values;
mod recurrence;
pub(crate) mod roots;
pub(super) mod search;
pub(super) mod sets;
pub(super) mod steps;
pub(super) mod substitution;
pub(super) mod totals;
