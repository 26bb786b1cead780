//! Floor 5: the search: workers, properties, traces, coverage, counting.
//!
//! Invariant: counts, verdict and trace are the same for any number of workers. Deliberately elsewhere: printing and file
//! formats (`report`), the clock and signals (`cli` hands them in).

mod options;
mod outcome;

pub use options::{Limits, Options, Strategy};
pub use outcome::{Counts, Finding, FullCounts, LimitHit, OperationCounts, Outcome, PropertyKind, Trace, TraceStep, Verdict};
