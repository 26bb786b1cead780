//! The integration tests, one binary: every machine under `machines/`, the command line, the direction of dependencies.

mod bad_input;
mod cli;
mod layers;
mod machines;
mod program;
