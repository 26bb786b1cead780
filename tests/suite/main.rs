//! The integration tests: one binary, one module per subject.

mod equivariance;
mod random_formula;
