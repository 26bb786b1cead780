//! Re-explores a bounded part of the space for the HTML report, not for longer than a few seconds.
//!
//! Invariant: it never changes what the search found; that it could not be taken, or not of all states, is said.

use super::exit::Exit;
use super::{files, interrupt};
use crate::eval::{EvalError, Machine};
use crate::explore::{Outcome, Survey, SurveyLimits};
use crate::symmetry::Symmetry;
use std::time::{Duration, Instant};

/// At most so many states are looked at once more for the report in a browser,
const SURVEYED: usize = 20_000;
/// for no longer than this.
const SURVEY_TIME: Duration = Duration::from_secs(5);
/// A graph that can be read in that report has no more states,
const DRAWN_STATES: usize = 40;
/// and no more edges.
const DRAWN_EDGES: usize = 1_000;

/// What `look` sees of the states that were explored, if there are any; it is told under which symmetry and how much to look at, and asks
/// whether it is to end.
pub(super) fn second_look(
    machine: &Machine,
    symmetry: &Symmetry,
    outcome: &Outcome,
    look: impl FnOnce(&Symmetry, SurveyLimits, &mut dyn FnMut() -> bool) -> Result<Survey, EvalError>,
) -> Option<Survey> {
    let explored = usize::try_from(outcome.explored.states).unwrap_or(usize::MAX);
    if explored == 0 || interrupt::happened() {
        return None;
    }
    // A limit that stopped the search leaves a moment for this.
    interrupt::look_back(machine.interrupt(), Exit::Verdict(outcome.verdict));
    // Conjuncts that symmetries make of each other say different things of a representative; without these there are more states.
    let unnamed =
        (!symmetry.detail().generators.is_empty()).then(|| Symmetry::of_unnamed(machine.model(), machine.scope(), symmetry.mode()));
    let states = if unnamed.is_some() { SURVEYED } else { explored.min(SURVEYED) };
    let symmetry = unnamed.as_ref().unwrap_or(symmetry);
    let limits = SurveyLimits { states, graph_states: DRAWN_STATES, graph_edges: DRAWN_EDGES };
    let started = Instant::now();
    let mut is_over = || started.elapsed() > SURVEY_TIME || interrupt::happened();
    match look(symmetry, limits, &mut is_over) {
        Ok(survey) => Some(survey),
        Err(error) => {
            files::complain(&format!("warning: the page does not tell what was covered: {}\n", error.kind));
            None
        }
    }
}
