//! Re-explores a bounded part of the space for the coverage shown in reports.
//!
//! Invariant: the findings of the search are never changed; a survey that failed, or does not cover all states, is reported as such. A
//! survey visits the states of the search, under its symmetries and bounded by numbers only, so that every format has the same graph.

use crate::exit::Exit;
use crate::io::files;
use crate::io::interrupt;
use bcheck_eval::{EvalError, Machine};
use bcheck_explore::{Coverable, Limits, Options, Outcome, Projection, SurveyLimits};
use bcheck_report::BranchCoverage;
use bcheck_symmetry::Symmetry;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The most states that are explored again.
const SURVEYED: usize = 20_000;
/// The interval for testing whether that is over.
const POLLED_EVERY: Duration = Duration::from_millis(50);
/// The most time for branches and guards, whose reports say what stayed unknown.
const LOOK_TIME: Duration = Duration::from_secs(5);
/// No state is added to a graph with more edges than this: a page would get too large.
const GRAPH_EDGES: usize = 200_000;
/// Nor to one with more text, in bytes.
const GRAPH_TEXT: usize = 1 << 24;

/// The reason for re-exploring states.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surveyed<'a> {
    /// To find why operations are never enabled, for a few seconds at most.
    Guards,
    /// To measure coverage.
    Coverage,
    /// For coverage, and the graph with the values of these formulas.
    Graph(&'a [Projection]),
}

impl<'a> Surveyed<'a> {
    /// The formulas that are evaluated in each state.
    pub(crate) fn projections(self) -> &'a [Projection] {
        match self {
            Self::Guards | Self::Coverage => &[],
            Self::Graph(projections) => projections,
        }
    }
}

/// Tells whether a re-exploration that begins now has used up its time, or was interrupted.
fn limit_of_time() -> impl Fn() -> bool {
    let started = Instant::now();
    move || started.elapsed() > LOOK_TIME || interrupt::happened()
}

/// Which branches of a machine are ever taken, as far as observed in a bounded part of the space.
pub(crate) fn branches(machine: &Machine, options: &Options) -> Option<BranchCoverage> {
    let coverable = Coverable::compile(machine.model().clone(), machine.scope(), false);
    let wanted: Vec<bool> = coverable.targets().iter().map(BranchCoverage::is_branch).collect();
    if !wanted.contains(&true) {
        return None;
    }
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), options.symmetry);
    let limits = Limits { states: Some(SURVEYED as u64), set_ups: options.limits.set_ups, ..Limits::default() };
    let (over, waits) = std::sync::mpsc::channel::<()>();
    let flag = coverable.machine().interrupt();
    let covered = std::thread::scope(|scope| {
        // Without the thread there is no limit on the time, only on the number of states. Relaxed: only the flag is exchanged.
        let timer = move || {
            let is_over = limit_of_time();
            while waits.recv_timeout(POLLED_EVERY) == Err(RecvTimeoutError::Timeout) {
                if is_over() {
                    flag.store(true, Ordering::Relaxed);
                    break;
                }
            }
        };
        let timer = std::thread::Builder::new().spawn_scoped(scope, timer);
        let mut over = timer.is_ok().then_some(over);
        // The runs that follow the search are not interrupted.
        coverable.cover(&symmetry, (&limits, options.max_choices), &wanted, &mut || drop(over.take()))
    });
    match covered {
        Ok(coverage) => Some(BranchCoverage { targets: coverable.targets().to_vec(), coverage }),
        Err(fault) => {
            files::complain(&format!("warning: the report does not show which branches were taken: {fault}\n"));
            None
        }
    }
}

/// Re-explores the states with `look`, if there are any, under at most `set_ups` valuations of the constants. `look` gets the symmetry and
/// the limits, and polls whether it is to end.
pub(crate) fn second_look<T>(
    machine: &Machine,
    symmetry: &Symmetry,
    (outcome, set_ups, surveyed): (&Outcome, Option<u64>, Surveyed<'_>),
    look: impl FnOnce(&Symmetry, SurveyLimits<'_>, &mut dyn FnMut() -> bool) -> Result<T, EvalError>,
) -> Option<T> {
    let explored = usize::try_from(outcome.explored.states).unwrap_or(usize::MAX);
    // After a signal the user waits for the report, with or without this part.
    if explored == 0 || interrupt::happened() {
        return None;
    }
    // A limit that stopped the search leaves some time (LAST_CALL) for this.
    interrupt::look_back(machine.interrupt(), Exit::Verdict(outcome.verdict));
    let is_of_guards = matches!(surveyed, Surveyed::Guards);
    // A symmetry of named elements maps conjuncts of a guard to each other, so that a representative does not answer for all members of its
    // orbit. A survey knows which conjuncts of the invariant are symmetric; for guards, only symmetries of unnamed elements are used, under
    // which there may be more states than the search stored.
    let unnamed = (is_of_guards && !symmetry.detail().generators.is_empty())
        .then(|| Symmetry::of_unnamed(machine.model(), machine.scope(), symmetry.mode()));
    let states = if unnamed.is_some() { SURVEYED } else { explored.min(SURVEYED) };
    let symmetry = unnamed.as_ref().unwrap_or(symmetry);
    let graph_states = if matches!(surveyed, Surveyed::Graph(_)) { SURVEYED } else { 0 };
    let of_search = if unnamed.is_some() { None } else { outcome.extent.as_ref() };
    let limits = SurveyLimits { states, set_ups, of_search, graph_states, graph_edges: GRAPH_EDGES, graph_text: GRAPH_TEXT };
    // A bound by the clock yields different results from run to run; a graph must not. The limits of the command hold in any case.
    let is_late = limit_of_time();
    let mut is_over = move || if is_of_guards { is_late() } else { interrupt::happened() };
    match look(symmetry, limits, &mut is_over) {
        Ok(found) => Some(found),
        Err(error) => {
            files::complain(&format!("warning: the report does not show what was covered: {}\n", error.kind));
            None
        }
    }
}
