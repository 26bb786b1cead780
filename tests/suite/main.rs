//! The integration tests: one binary, one module per subject.

mod animate;
mod bad_input;
mod ci;
mod cli;
mod closed_forms;
mod diagnostics;
mod equivariance;
mod formula_text;
mod graph;
mod html;
mod layers;
mod literature;
mod lsp;
mod machines;
mod named;
mod orbits;
mod packed;
mod pictures;
mod program;
mod projects;
mod random_formula;
mod refinement;
mod replay;
mod round_trip;
mod schema;
mod xml;
