//! The options that say what the result of a check is expected to be, as typed.
//!
//! Invariant: as for `args`, of which this is a part: plain data. Deliberately elsewhere: the comparison with the result (`expectations`).

use super::choice::choice;
use super::given::first_given;
use bcheck_explore::Verdict;
use clap::Args;
use num_bigint::BigUint;

/// What the result is expected to be.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ExpectationArgs {
    /// Exit with 0 if this is the verdict, with 1 otherwise
    #[arg(long, value_parser = choice::<Verdict>(), value_name = "VERDICT", help_heading = "Expectations")]
    pub(super) expect: Option<Verdict>,
    /// Exit with 0 if N states were explored (`explored.states` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(super) expect_states: Option<u64>,
    /// Exit with 0 if N transitions were explored (`explored.transitions` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(super) expect_transitions: Option<u64>,
    /// Exit with 0 if the full space has N states (`full.states` in JSON), with 1 otherwise
    #[arg(long, value_name = "N", help_heading = "Expectations")]
    pub(super) expect_full_states: Option<BigUint>,
    /// Exit with 1 if an operation was never enabled; alone, it leaves the exit code of a finding as it is
    #[arg(long, help_heading = "Expectations")]
    pub(super) expect_covered: bool,
}

impl ExpectationArgs {
    /// The first option that was given.
    pub(super) fn option(&self) -> Option<&'static str> {
        let Self { expect, expect_states, expect_transitions, expect_full_states, expect_covered } = self;
        let given = [
            ("--expect", expect.is_some()),
            ("--expect-states", expect_states.is_some()),
            ("--expect-transitions", expect_transitions.is_some()),
            ("--expect-full-states", expect_full_states.is_some()),
            ("--expect-covered", *expect_covered),
        ];
        first_given(given)
    }
}
