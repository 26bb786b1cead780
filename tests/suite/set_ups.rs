//! Set-ups that are explored in batches: the same counts as all at once, and a finding before all are known.

use crate::program::bcheck;
use bcheck::explore::{LimitHit, Options, Outcome, Verdict};
use bcheck::symmetry::Mode;
use bcheck::{Request, check_text};

/// Any relation that a condition admits, and walks along it from one of the nodes `begins`; `more` is a conjunct of the invariant.
fn walks(admitted: &str, begins: &str, more: &str) -> String {
    format!(
        "MACHINE walks SETS NODE CONSTANTS edge PROPERTIES edge : NODE <-> NODE & {admitted} \
         VARIABLES at INVARIANT at : NODE & {more} INITIALISATION at :: {begins} \
         OPERATIONS step(to) = SELECT at |-> to : edge THEN at := to END END"
    )
}

fn run(text: &str, size: u32, change: impl FnOnce(&mut Options)) -> Outcome {
    let mut request = Request { size: Some(size), ..Request::default() };
    request.options.deadlock = false;
    change(&mut request.options);
    let checked = check_text("walks.mch", text, &request);
    checked.map(|checked| checked.outcome).unwrap_or_else(|rejected| panic!("{rejected}"))
}

#[test]
fn a_graph_and_a_page_do_not_wait_for_all_set_ups_either() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (option, file) in [("--graph", "graph.dot"), ("--html", "page.html")] {
        let target = folder.path().join(file).display().to_string();
        let run = bcheck(&["machines/violation/tariffs.mch", option, &target]);
        assert!(run.stdout.contains("invariant_violation"), "{}", run.stdout);
        assert!(std::fs::metadata(&target).is_ok_and(|file| file.len() > 1000), "{target}");
    }
}

/// Everything but the traces, which may lead through other set-ups.
fn counts(outcome: &Outcome) -> String {
    let Outcome { verdict, complete, limit, explored, full, operations, .. } = outcome;
    format!("{verdict:?} {complete} {limit:?} {explored:?} {full:?} {operations:?}")
}

#[test]
fn batches_of_any_size_count_the_same() {
    for (text, verdict) in [
        (walks("edge <: edge", "NODE", "1 = 1"), Verdict::Verified),
        // Violated in some states of some set-ups.
        (walks("edge <: edge", "NODE", "edge[{at}] /= NODE"), Verdict::InvariantViolation),
        // Cannot be decided in most states.
        (walks("edge <: edge", "NODE", "#x.(x : INTEGER & x * x * x = 33 * x + card(edge))"), Verdict::Incomplete),
        // Most set-ups have no initial state, and none has any.
        (walks("edge <: edge", "NODE - dom(edge)", "1 = 1"), Verdict::Verified),
        (walks("dom(edge) = NODE", "NODE - dom(edge)", "1 = 1"), Verdict::NoInitialState),
        (walks("card(edge) > 20", "NODE", "1 = 1"), Verdict::UnsatisfiableProperties),
    ] {
        for mode in [Mode::Off, Mode::Exact] {
            let together = run(&text, 3, |options| (options.symmetry, options.keep_going) = (mode, true));
            assert_eq!(together.verdict, verdict, "{mode:?}: {text}");
            for (set_ups_at_once, workers) in [(1, 1), (2, 2), (7, 1), (100, 2)] {
                let apart = run(&text, 3, |options| {
                    (options.symmetry, options.keep_going) = (mode, true);
                    (options.set_ups_at_once, options.workers) = (set_ups_at_once, workers);
                });
                assert_eq!(counts(&apart), counts(&together), "{set_ups_at_once} at once, {mode:?}: {text}");
            }
        }
    }
}

#[test]
fn the_sum_over_all_graphs_is_that_of_their_orbits() {
    // 2 ** 9 relations on three elements in 104 classes (OEIS A000595), each with three states.
    let outcome = run(&walks("edge <: edge", "NODE", "1 = 1"), 3, |options| options.set_ups_at_once = 10);
    assert_eq!((outcome.explored.setups, outcome.full.exact), (104, true));
    assert_eq!((outcome.full.setups, outcome.full.states), (512u32.into(), (3 * 512u32).into()));
}

#[test]
fn a_finding_in_the_first_batch_ends_the_search() {
    // 2 ** 36 relations.
    let text = walks("edge <: edge", "NODE", "card(edge) < 3");
    for mode in [Mode::Off, Mode::Exact] {
        let outcome = run(&text, 6, |options| options.symmetry = mode);
        assert_eq!((outcome.verdict, outcome.complete, outcome.full.exact), (Verdict::InvariantViolation, false, false));
        assert_eq!(outcome.finding.map(|finding| finding.trace.steps.len()), Some(2), "constants and initialisation");
    }
}

#[test]
fn a_limit_on_states_holds_for_all_batches_together() {
    let text = walks("edge <: edge", "NODE", "1 = 1");
    for set_ups_at_once in [1, 3, 1000] {
        let limited = |states| {
            run(&text, 3, |options| {
                options.symmetry = Mode::Off;
                options.limits.states = Some(states);
                options.set_ups_at_once = set_ups_at_once;
            })
        };
        let cut = limited(1535);
        assert_eq!((cut.verdict, cut.limit), (Verdict::Incomplete, Some(LimitHit::States(1535))), "{set_ups_at_once} at once");
        assert_eq!(cut.explored.states, 1535);
        let whole = limited(1536);
        assert_eq!((whole.verdict, whole.explored.states), (Verdict::Verified, 1536), "{set_ups_at_once} at once");
    }
}
