//! Floor 4: temporal formulas over numbered propositions, and graphs of numbers that they are judged on.
//!
//! Invariant: a proposition is a bit of the letter of a state or of a step, and a state is a number: nothing here knows what either means.
//! A path begins in an initial state and is maximal: infinite, or ending in a state without steps. In the last state of a finite path
//! every next formula and every proposition of steps is false, and what is asked of all later states is asked of nothing more.
//! Deliberately elsewhere: machines, values, symmetry (`explore::temporal`), the texts of formulas (`syntax::temporal`).

pub mod automaton;
pub mod branching;
pub mod components;
mod cubes;
mod cycles;
pub mod dot;
pub mod emptiness;
pub mod expand;
pub mod exploration;
mod fair;
pub mod formula;
pub mod graph;
pub mod hoa;
mod implication;
mod lasso;
mod letters;
mod merge;
pub mod normal;
mod past;
mod product;
mod product_states;
mod quotient;
mod readings;
mod rewrite;
pub mod rows;
mod simplify;
mod simulation;
mod step;
mod term;
pub mod threads;
pub mod thresholds;
mod tour;
pub mod word;

#[cfg(test)]
mod tests;
