//! Verdicts and their traces: invariant, deadlock, assertions, goal, ill-definedness, and constants or an initialisation without a
//! solution.
//!
//! Invariant: each kind of finding is checked with and without reduction where both apply. Elsewhere: counts (`super`), limits (`limits`).

use super::*;
use bcheck_eval::{Contradiction, EvalErrorKind};
use num_bigint::BigUint;

#[test]
fn a_violated_invariant_names_its_conjunct_and_has_the_shortest_trace() {
    for (mode, workers) in [(Mode::Off, 1), (Mode::Exact, 2)] {
        let machine = load(&growing("card(kept) < 3 & card(kept) /= 9", ALWAYS, KEEP, ""), 5);
        let outcome = run(&machine, &Options { workers, ..options(mode) });
        assert_eq!((outcome.verdict, outcome.complete), (Verdict::InvariantViolation, false));
        assert!(!outcome.full.exact);
        let finding = outcome.finding.unwrap();
        assert_eq!(finding.fault, Fault::violated(FaultyPart::Invariant(1)));
        assert_eq!(finding.trace.steps.len(), 4, "initialisation and three steps");
        assert_eq!(replay(&machine, &finding.trace), Ok(()));
        assert_eq!(machine.violated_invariant(&finding.trace.steps[3].state), Ok(Some(1)));
    }
}

#[test]
fn traces_of_a_reduced_search_with_constants_begin_with_the_set_up() {
    let text = EMERGENCY.replace("reserved /: ran(db)", "card(ran(db)) < 2");
    let machine = load(&text, 3);
    let finding = run(&machine, &options(Mode::Exact)).finding.unwrap();
    let steps = &finding.trace.steps;
    assert_eq!(steps.iter().map(|step| step.state.len()).collect::<Vec<_>>(), [1, 2, 2, 2]);
    assert!(steps.iter().all(|step| step.state[0] == steps[0].state[0]), "one run has one valuation of the constants");
    assert!(steps[0].operation.is_none() && steps[1].operation.is_none() && steps[2].operation.is_some());
}

#[test]
fn a_trace_with_a_foreign_step_is_refused() {
    let machine = load(PHONEBOOK, 2);
    let text = PHONEBOOK.replace("INVARIANT db : Name +-> Code", "INVARIANT db : Name +-> Code & card(db) < 2");
    let violated = load(&text, 2);
    let mut trace = run(&violated, &options(Mode::Exact)).finding.unwrap().trace;
    assert_eq!(replay(&machine, &trace), Ok(()));
    let argument = trace.steps[2].arguments[0].clone();
    trace.steps[2].arguments[0] = trace.steps[1].arguments[0].clone();
    assert_ne!(argument, trace.steps[2].arguments[0]);
    assert_eq!(replay(&machine, &trace), Err(TraceFault::NoSuchStep(2)));
}

#[test]
fn with_keep_going_violating_states_are_expanded_and_counted_by_orbits() {
    let text = growing("card(kept) /= 2", ALWAYS, KEEP, "");
    for mode in [Mode::Off, Mode::Exact] {
        let outcome = run(&load(&text, 4), &Options { keep_going: true, ..options(mode) });
        assert_eq!((outcome.verdict, outcome.complete), (Verdict::InvariantViolation, true));
        assert_eq!(outcome.explored.states, if mode == Mode::Off { 16 } else { 5 });
        assert!(outcome.full.exact);
        assert_eq!((outcome.full.states, outcome.full.transitions), (16u32.into(), 64u32.into()));
        assert_eq!(outcome.full.invariant_violations, 6u32.into());
        assert_eq!(outcome.explored.depth, 4);
        assert_eq!(outcome.finding.unwrap().trace.steps.len(), 3);
    }
}

#[test]
fn a_deadlock_is_reported_unless_switched_off_and_counted_anyway() {
    let text = growing(ALWAYS, "card(kept) < 2", KEEP, "");
    for mode in [Mode::Off, Mode::Exact] {
        let outcome = check(&text, 3, mode);
        assert_eq!(outcome.verdict, Verdict::Deadlock);
        let finding = outcome.finding.unwrap();
        assert_eq!((finding.fault, finding.trace.steps.len()), (Fault::violated(FaultyPart::DeadlockFreedom), 3));
        let quiet = run(&load(&text, 3), &Options { deadlock: false, ..options(mode) });
        assert_eq!(quiet.verdict, Verdict::Verified);
        assert_eq!(quiet.full.deadlocks, 3u32.into());
    }
}

#[test]
fn a_machine_without_operations_has_no_deadlock_though_its_states_are_counted() {
    let outcome = check("MACHINE Still SETS Item VARIABLES item INVARIANT item : Item INITIALISATION item :: Item END", 3, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::Verified);
    assert_eq!((outcome.explored.states, outcome.explored.deadlocks, outcome.explored.initial), (1, 1, 1));
    assert_eq!((outcome.full.states, outcome.full.initial, outcome.full.prob_transitions), (3u32.into(), 3u32.into(), 3u32.into()));
}

#[test]
fn the_goal_is_searched_from_a_run_on_and_given_up_at_a_limit() {
    let machine = |size: u32| load(&growing(ALWAYS, ALWAYS, KEEP, &format!("DEFINITIONS GOAL == (card(kept) = {size})")), 3);
    let (two, five) = (machine(2), machine(5));
    let search = |machine, limit| find_goal(machine, &Trace::default(), limit).unwrap();
    // One state without and three with one element come before the goal.
    let Found::Here(steps) = search(&two, 4) else { panic!("the goal is reachable") };
    assert_eq!(steps.len(), 3, "initialisation and two steps");
    let run = Trace::of(steps);
    assert_eq!(replay(&two, &run), Ok(()));
    assert_eq!(find_goal(&two, &run, 4), Ok(Found::Here(Vec::new())));
    assert_eq!(search(&two, 3), Found::GaveUp(3));
    assert_eq!(search(&five, 8), Found::Nowhere(8));
}

#[test]
fn a_state_outside_of_scope_is_checked_but_not_expanded_and_no_deadlock() {
    let text = "MACHINE m SETS S DEFINITIONS SCOPE == n <= 1 VARIABLES n, s INVARIANT s <: S & n < 2
        INITIALISATION n, s := 0, {} OPERATIONS come(x) = PRE x : S THEN n, s := n + 1, s \\/ {x} END END";
    for mode in [Mode::Exact, Mode::Off] {
        let outcome = run(&load(text, 2), &Options { keep_going: true, ..options(mode) });
        assert!(outcome.exhausted && !outcome.complete && outcome.full.exact);
        assert_eq!(outcome.limit, Some(LimitHit::Scope));
        assert_eq!((outcome.full.states.clone(), outcome.full.unexpanded.clone()), (6u32.into(), 3u32.into()));
        assert_eq!((outcome.full.deadlocks, outcome.full.invariant_violations), (0u32.into(), 3u32.into()));
        assert_eq!(outcome.full.prob_states, 4u32.into());
    }
}

#[test]
fn assertions_fail_statically_or_in_a_state() {
    let static_text = growing(ALWAYS, ALWAYS, KEEP, "CONSTANTS origin PROPERTIES origin : Item ASSERTIONS origin /: Item");
    let outcome = check(&static_text, 2, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::UnsatisfiableProperties);
    let finding = outcome.finding.unwrap();
    assert_eq!((finding.fault, finding.trace.steps.len()), (Fault::violated(FaultyPart::StaticAssertion(0)), 1));
    let text = growing(ALWAYS, ALWAYS, KEEP, "ASSERTIONS kept <: Item; kept /= Item");
    let outcome = check(&text, 3, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.explored.assertion_violations), (Verdict::AssertionViolation, 1));
    let finding = outcome.finding.unwrap();
    assert_eq!((finding.fault, finding.trace.steps.len()), (Fault::violated(FaultyPart::Assertion(1)), 4));
    let quiet = run(&load(&text, 3), &Options { assertions: false, ..options(Mode::Exact) });
    assert_eq!((quiet.verdict, quiet.explored.assertion_violations), (Verdict::Verified, 0));
}

#[test]
fn a_goal_is_found_and_goes_before_a_violation_in_the_same_state() {
    let text = growing("card(kept) < 2", ALWAYS, KEEP, "DEFINITIONS GOAL == card(kept) = 2");
    let outcome = check(&text, 3, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.finding.unwrap().fault), (Verdict::GoalFound, Fault::violated(FaultyPart::Goal)));
    assert_eq!((outcome.explored.goals, outcome.explored.invariant_violations), (1, 1));
    let without = run(&load(&text, 3), &Options { goal: false, ..options(Mode::Exact) });
    assert_eq!((without.verdict, without.explored.goals), (Verdict::InvariantViolation, 0));
}

#[test]
fn an_ill_defined_body_is_a_finding_and_an_ill_defined_guard_a_warning() {
    let more = "CONSTANTS ff PROPERTIES ff : Item +-> Item & ff = {}";
    let body = growing(ALWAYS, ALWAYS, "kept := {ff(ii)}", more);
    for mode in [Mode::Off, Mode::Exact] {
        let outcome = check(&body, 2, mode);
        assert_eq!(outcome.verdict, Verdict::IllDefined);
        assert!(outcome.explored.ill_defined > 0);
        let finding = outcome.finding.unwrap();
        assert!(matches!(&finding.fault.part, FaultyPart::Body(operation, arguments) if operation.0 == 0 && arguments.len() == 1));
        assert_eq!(finding.trace.steps.len(), 2);
    }
    let guard = growing(ALWAYS, "ff(ii) = ii", KEEP, more);
    let outcome = run(&load(&guard, 2), &Options { deadlock: false, ..options(Mode::Exact) });
    assert_eq!(outcome.verdict, Verdict::Verified);
    assert_eq!(outcome.guard_warnings.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_result_left_unassigned_is_undefined_and_a_warning() {
    let text = "MACHINE Dip SETS Item VARIABLES kept INVARIANT kept <: Item INITIALISATION kept := {} \
                OPERATIONS isNew, place <-- ask(ii) = PRE ii : Item THEN \
                  IF ii /: kept THEN kept := kept \\/ {ii} || isNew := TRUE || place := card(kept) ELSE isNew := FALSE END \
                END END";
    for mode in [Mode::Off, Mode::Exact] {
        let outcome = check(text, 2, mode);
        assert_eq!((outcome.verdict, outcome.explored.ill_defined), (Verdict::Verified, 0));
        let [(operation, error)] = &outcome.unassigned_results[..] else { panic!("one warning, not {:?}", outcome.unassigned_results) };
        assert_eq!((operation.0, &error.kind), (0, &EvalErrorKind::Unassigned("place".to_owned())));
        assert_eq!(outcome.full.transitions, BigUint::from(8u8));
    }
}

#[test]
fn an_ill_defined_guard_is_a_finding_where_guards_are_strict() {
    let more = "CONSTANTS ff PROPERTIES ff : Item +-> Item & ff = {}";
    let machine = load(&growing(ALWAYS, "ff(ii) = ii", KEEP, more), 2);
    for (mode, workers) in [(Mode::Off, 1), (Mode::Exact, 1), (Mode::Exact, 2)] {
        let strict = Options { strict_guards: true, keep_going: true, workers, ..options(mode) };
        let outcome = run(&machine, &strict);
        assert_eq!(outcome.verdict, Verdict::IllDefined);
        assert_eq!((outcome.explored.ill_defined, outcome.guard_warnings.len()), (1, 0), "one state, one operation");
        let finding = outcome.finding.as_ref().unwrap();
        assert!(matches!(&finding.fault.part, FaultyPart::Guard(operation) if operation.0 == 0));
        assert_eq!(finding.trace.steps.len(), 2, "constants and initialisation");
        let reference = explore_reference(&machine, &Symmetry::new(machine.model(), machine.scope(), mode), &strict);
        assert_eq!(reference.finding, outcome.finding);
    }
}

#[test]
fn an_ill_defined_invariant_is_a_finding() {
    let outcome = check(&growing("card(kept) mod (2 - card(kept)) = 0", ALWAYS, KEEP, ""), 3, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::IllDefined);
    let finding = outcome.finding.unwrap();
    assert!(finding.fault.is_ill_defined());
    assert_eq!(finding.fault.part, FaultyPart::Invariant(1));
}

#[test]
fn an_infeasible_initialisation_and_unsatisfiable_properties_are_told_apart() {
    let machine = |properties: &str, initialisation: &str| {
        format!(
            "MACHINE Empty CONSTANTS cc PROPERTIES cc : 0..1 & {properties} VARIABLES vv INVARIANT vv : NAT INITIALISATION {initialisation} OPERATIONS stay = skip END"
        )
    };
    let outcome = check(&machine("cc > 1", "vv := 0"), 1, Mode::Exact);
    assert_eq!(
        (outcome.verdict, outcome.finding.unwrap().fault.kind),
        (
            Verdict::UnsatisfiableProperties,
            FaultKind::Unsatisfiable(Contradiction { conjuncts: vec![0, 1], is_irreducible: true, ..Contradiction::default() })
        )
    );
    assert_eq!((outcome.explored.setups, outcome.explored.prob_states), (0, 1));
    let outcome = check(&machine("1 = 1", "ANY xx WHERE xx : 0..1 & xx > 1 THEN vv := xx END"), 1, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.finding.unwrap().fault), (Verdict::NoInitialState, Fault::violated(FaultyPart::Initialisation)));
    assert_eq!((outcome.explored.setups, outcome.explored.states), (2, 0));
    let outcome = check(&machine("1 = 1", "vv := 1 / cc"), 1, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::IllDefined);
    assert_eq!(outcome.finding.unwrap().trace.steps.len(), 1, "the set-up whose initialisation is ill-defined");
}

#[test]
fn unsatisfiable_properties_name_conjuncts_that_contradict_each_other() {
    let names = |properties: &str, conjuncts: &[usize], is_irreducible: bool| {
        let text = format!("MACHINE Contrary SETS S CONSTANTS ff, gg, ss, nn PROPERTIES {properties} END");
        let found = check(&text, 3, Mode::Exact).finding.map(|finding| finding.fault.kind);
        let Some(FaultKind::Unsatisfiable(found)) = found else { panic!("{properties}: {found:?}") };
        assert_eq!((found.conjuncts.as_slice(), found.is_irreducible), (conjuncts, is_irreducible), "{properties}");
    };
    // One conjunct is enough, wherever it stands.
    names("ff : S --> S & gg : S --> S & ss <: S & nn : 1..5 & card(ss) = 4", &[4], true);
    // Three of six, although the first four alone would do with a fifth.
    names("ff : S --> S & gg : S >->> S & ss <: S & nn : 1..5 & nn > card(S) & card(gg) = nn", &[1, 4, 5], true);
    names("ff : S --> S & gg : S --> S & ss <: S & nn : 1..5 & ff <: gg & !(x).(x : S => ff(x) /= gg(x))", &[0, 1, 4, 5], true);
    // Without its bound, the number could be any; that none solves this equation is more than an enumeration can tell.
    names("ff : S --> S & gg = ff & ss = S & nn : 1..5 & nn * nn = nn + 3", &[3, 4], false);
    names("ff : S --> S & gg = ff & ss = S & nn : 1..5 & nn * nn = 36", &[3, 4], true);
}

#[test]
fn unsatisfiable_properties_name_the_nearest_sizes_that_would_do() {
    let sizes = |properties: &str, expected: &[(u16, u32)]| {
        let text = format!("MACHINE Small SETS S; T; E = {{e1, e2}} CONSTANTS ff, gg PROPERTIES {properties} END");
        let found = check(&text, 3, Mode::Exact).finding.map(|finding| finding.fault.kind);
        let Some(FaultKind::Unsatisfiable(found)) = found else { panic!("{properties}: {found:?}") };
        let sizes: Vec<(u16, u32)> = found.satisfiable_with.iter().map(|(set, size)| (set.0, *size)).collect();
        assert_eq!(sizes, expected, "{properties}");
    };
    // A graph where each point has two others to go to, not back, has five points.
    let tournament = "gg = E * {e1} & ff : S <-> S & ff /\\ ff~ = {} & !x.(x : S => card(ff[{x}]) = 2)";
    sizes(tournament, &[(0, 5)]);
    sizes("ff : S >-> T & gg : T >-> S * E & card(ff) = card(S) & card(gg) + 4 = 2 * card(ff)", &[(0, 4), (1, 4)]);
    sizes("ff : S >->> S & gg : T >->> E & card(ff) = 2", &[(0, 2), (1, 2)]);
    sizes("ff : S >->> S & gg : E --> E & card(gg) = 3", &[]);
}

#[test]
fn conjuncts_that_might_not_all_be_needed_are_not_called_irreducible() {
    // Nothing else bounds the number, so that the others cannot be decided by trying.
    let text = "MACHINE Unclear CONSTANTS nn PROPERTIES 6 / nn > 7 & nn : 0..3 & nn /= 0 END";
    let found = check(text, 1, Mode::Exact).finding.map(|finding| finding.fault.kind);
    assert_eq!(
        found,
        Some(FaultKind::Unsatisfiable(Contradiction { conjuncts: vec![0, 1, 2], is_irreducible: false, ..Contradiction::default() }))
    );
}
