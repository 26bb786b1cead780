//! The integration tests: one binary, one module per subject.

mod bad_input;
mod cli;
mod closed_forms;
mod diagnostics;
mod equivariance;
mod formula_text;
mod layers;
mod literature;
mod machines;
mod orbits;
mod packed;
mod program;
mod projects;
mod random_formula;
mod refinement;
mod round_trip;
