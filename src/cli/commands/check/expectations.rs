//! The exit code of a check: that of its verdict, or whether the result is as expected.
//!
//! Invariant: every failed expectation is reported on stderr. Deliberately elsewhere: the options (`args`), the results that machines state
//! in their comments (`pragma`).

use crate::args::ExpectationArgs;
use crate::exit::Exit;
use crate::io::files;
use bcheck_explore::{Outcome, Verdict};
use bcheck_ir::Model;
use bcheck_report::covered::{list, not_covered};
use bcheck_source::{Shown, Vocabulary, shown};

/// The exit code of a check with these expectations.
pub(crate) fn exit_code(expected: &ExpectationArgs, model: &Model, outcome: &Outcome) -> Exit {
    let failed = failures(expected, &not_covered(model, outcome), outcome);
    let ExpectationArgs { expect, expect_states, expect_transitions, expect_full_states, .. } = expected;
    let is_of_result = expect.is_some() || expect_states.is_some() || expect_transitions.is_some() || expect_full_states.is_some();
    decided(&failed, is_of_result, outcome.verdict)
}

/// As [`exit_code`], if only a verdict can be expected.
pub(crate) fn exit_code_of_verdict(expected: Option<Verdict>, outcome: &Outcome) -> Exit {
    let args = ExpectationArgs { expect: expected, ..ExpectationArgs::default() };
    decided(&failures(&args, &[], outcome), expected.is_some(), outcome.verdict)
}

/// As [`exit_code_of_verdict`], if only the verdict is known.
pub(crate) fn exit_code_of_known(expected: Option<Verdict>, found: Verdict) -> Exit {
    let failed = expected.filter(|expected| *expected != found).map(|expected| verdict_differs(expected, found));
    decided(failed.as_slice(), expected.is_some(), found)
}

fn verdict_differs(expected: Verdict, found: Verdict) -> Shown {
    shown!("expected verdict {}, found {}", expected.word(), found.word())
}

fn decided(failed: &[Shown], is_of_result: bool, verdict: Verdict) -> Exit {
    for failure in failed {
        files::complain(&shown!("{}\n", failure));
    }
    // An expected result replaces the exit code of the verdict: 0 means "as expected", for every verdict. Coverage does not depend on the
    // verdict.
    if !failed.is_empty() {
        Exit::Unexpected
    } else if is_of_result {
        Exit::Done
    } else {
        Exit::Verdict(verdict)
    }
}

/// The message about operations that should have been covered.
pub(crate) fn uncovered(not_covered: &[&str]) -> Shown {
    shown!("expected all operations to be covered, not covered: {}", list(not_covered))
}

/// The failed expectations, one sentence each.
fn failures(expected: &ExpectationArgs, not_covered: &[&str], outcome: &Outcome) -> Vec<Shown> {
    let ExpectationArgs { expect, expect_states, expect_transitions, expect_full_states, expect_covered } = expected;
    let mut failed = Vec::new();
    if let Some(expected) = expect
        && *expected != outcome.verdict
    {
        failed.push(verdict_differs(*expected, outcome.verdict));
    }
    let explored = [("states", expect_states, outcome.explored.states), ("transitions", expect_transitions, outcome.explored.transitions)];
    for (what, expected, found) in explored {
        if let Some(expected) = expected
            && *expected != found
        {
            failed.push(shown!("expected {} explored {}, found {}", expected, what, found));
        }
    }
    let full = &outcome.full;
    match expect_full_states {
        Some(expected) if !full.exact => {
            failed.push(shown!("expected {} states of the full space, whose number is unknown: {} or more", expected, full.states));
        }
        Some(expected) if *expected != full.states => {
            failed.push(shown!("expected {} states of the full space, found {}", expected, full.states));
        }
        _ => {}
    }
    if *expect_covered && !not_covered.is_empty() {
        failed.push(uncovered(not_covered));
    }
    failed
}
