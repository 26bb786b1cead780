//! Re-explores a bounded part of the space for the HTML report, for a few seconds at most.
//!
//! Invariant: the findings of the search are never changed; a survey that failed, or does not cover all states, is reported as such.

use super::exit::Exit;
use super::{files, interrupt};
use crate::eval::{EvalError, Machine};
use crate::explore::{Outcome, SurveyLimits};
use crate::report::drawing::MOST_STATES;
use crate::symmetry::Symmetry;
use std::time::{Duration, Instant};

/// The most states that are explored once more.
const SURVEYED: usize = 20_000;
/// The most time for that.
const SURVEY_TIME: Duration = Duration::from_secs(5);
/// The most edges of a graph that can be read in the report.
const DRAWN_EDGES: usize = 1_000;

/// What `look` finds in the explored states, if there are any, under at most `set_ups` valuations of the constants. `look` gets
/// the symmetry and the limits, and polls whether it is to end.
pub(super) fn second_look<T>(
    machine: &Machine,
    symmetry: &Symmetry,
    (outcome, set_ups): (&Outcome, Option<u64>),
    look: impl FnOnce(&Symmetry, SurveyLimits, &mut dyn FnMut() -> bool) -> Result<T, EvalError>,
) -> Option<T> {
    let explored = usize::try_from(outcome.explored.states).unwrap_or(usize::MAX);
    // After a signal somebody waits for the report, with or without this part.
    if explored == 0 || interrupt::happened() {
        return None;
    }
    // A limit that stopped the search leaves a moment (LAST_CALL) for this.
    interrupt::look_back(machine.interrupt(), Exit::Verdict(outcome.verdict));
    // A symmetry of named elements maps conjuncts to each other, so one conjunct may differ within an orbit, and a representative does not
    // answer for all members. Without these symmetries there may be more states than the search stored.
    let unnamed =
        (!symmetry.detail().generators.is_empty()).then(|| Symmetry::of_unnamed(machine.model(), machine.scope(), symmetry.mode()));
    let states = if unnamed.is_some() { SURVEYED } else { explored.min(SURVEYED) };
    let symmetry = unnamed.as_ref().unwrap_or(symmetry);
    let limits = SurveyLimits { states, set_ups, graph_states: MOST_STATES, graph_edges: DRAWN_EDGES };
    let started = Instant::now();
    // Both at once: the page shows what was covered until then, and says how much that is.
    let mut is_over = || started.elapsed() > SURVEY_TIME || interrupt::happened();
    match look(symmetry, limits, &mut is_over) {
        Ok(found) => Some(found),
        Err(error) => {
            files::complain(&format!("warning: the report does not show what was covered: {}\n", error.kind));
            None
        }
    }
}
