//! The search as a whole: known counts, agreement of the packed search with the reference, verdicts, limits, traces.

use super::count::conclusion::Confirmation;
use super::*;
use crate::eval::{Contradiction, EvalErrorKind, Machine};
use crate::ir::{GivenSetKind, Scope};
use crate::sema::analyse;
use crate::source::SourceMap;
use crate::symmetry::{Mode, Symmetry};
use crate::syntax::parse_machine;
use crate::value::Valuation;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const PHONEBOOK: &str = "
MACHINE Phonebook
SETS Name; Code
VARIABLES db
INVARIANT db : Name +-> Code
INITIALISATION db := {}
OPERATIONS
  add(nn, cc) = PRE nn : Name & cc : Code & nn /: dom(db) THEN db(nn) := cc END;
  delete(nn, cc) = PRE nn : Name & cc : Code & nn |-> cc : db THEN db := db - {nn |-> cc} END;
  cc <-- lookup(nn) = PRE nn : dom(db) THEN cc := db(nn) END
END";

/// As the phonebook, with a code that must not be given away: set-ups under symmetry.
const EMERGENCY: &str = "
MACHINE Emergency
SETS Name; Code
CONSTANTS reserved
PROPERTIES reserved : Code
VARIABLES db
INVARIANT db : Name +-> Code & reserved /: ran(db)
INITIALISATION db := {}
OPERATIONS
  add(nn, cc) = PRE nn : Name - dom(db) & cc : Code - {reserved} THEN db(nn) := cc END;
  delete(nn) = PRE nn : dom(db) THEN db := {nn} <<| db END
END";

const SCHEDULER: &str = "
MACHINE Scheduler
SETS PID
VARIABLES active, ready, waiting
INVARIANT
  active <: PID & ready <: PID & waiting <: PID & active /\\ ready = {} & active /\\ waiting = {} & ready /\\ waiting = {} &
  card(active) <= 1 & (active = {} => ready = {})
INITIALISATION active, ready, waiting := {}, {}, {}
OPERATIONS
  new(pp) = PRE pp : PID & pp /: active \\/ ready \\/ waiting THEN waiting := waiting \\/ {pp} END;
  del(pp) = PRE pp : waiting THEN waiting := waiting - {pp} END;
  ready_up(pp) = PRE pp : waiting THEN
    waiting := waiting - {pp} || IF active = {} THEN active := {pp} ELSE ready := ready \\/ {pp} END
  END;
  swap = PRE active /= {} THEN
    waiting := waiting \\/ active ||
    IF ready = {} THEN active := {} ELSE ANY pp WHERE pp : ready THEN active := {pp} || ready := ready - {pp} END END
  END
END";

/// Both initial states lead to the violation, the second one by numbers that do not fit words.
const LATE: &str = "MACHINE Late
VARIABLES xx
INVARIANT xx : 0..9 & xx /= 3
INITIALISATION xx :: {0, 1}
OPERATIONS
  small = PRE xx = 0 THEN xx := 3 END;
  large = PRE xx = 1 THEN xx := (2 ** (69 + xx) + 3) mod 8 END
END";

/// Grows a set step by step; every property can be made to fail at a size.
fn growing(invariant: &str, guard: &str, body: &str, more: &str) -> String {
    format!(
        "MACHINE Growing
SETS Item
{more}
VARIABLES kept
INVARIANT kept <: Item & {invariant}
INITIALISATION kept := {{}}
OPERATIONS
  keep(ii) = PRE ii : Item - kept & {guard} THEN {body} END;
  forget(ii) = PRE ii : kept & {guard} THEN kept := kept - {{ii}} END
END"
    )
}

const KEEP: &str = "kept := kept \\/ {ii}";
const ALWAYS: &str = "1 = 1";

fn load(text: &str, size: u32) -> Machine {
    let mut sources = SourceMap::new();
    let file = sources.add("test.mch", text);
    let parsed = parse_machine(file, text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let (model, diagnostics) = analyse(&parsed.tree.expect("a tree without diagnostics"));
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}: {text}"));
    let sizes = model.sets.values().map(|set| match &set.kind {
        GivenSetKind::Deferred => size,
        GivenSetKind::Enumerated(names) => u32::try_from(names.len()).unwrap(),
    });
    let scope = Scope { sizes: sizes.collect(), minint: -1, maxint: 3 };
    Machine::compile(Arc::new(model), scope)
}

fn options(symmetry: Mode) -> Options {
    Options { symmetry, ..Options::default() }
}

fn run(machine: &Machine, options: &Options) -> Outcome {
    let symmetry = Symmetry::new(machine.model(), machine.scope(), options.symmetry);
    explore(machine, &symmetry, options, &mut Silent)
}

fn check(text: &str, size: u32, mode: Mode) -> Outcome {
    run(&load(text, size), &options(mode))
}

/// Everything in an outcome.
/// Everything but how many bindings of parameters were run, which is what a search may save.
fn all_of(outcome: &Outcome) -> String {
    format!("{:#?}", Outcome { instances: 0, ..outcome.clone() })
}

/// The counts in the convention of ProB: reduced states and transitions, then full ones.
fn table_row(text: &str, size: u32) -> (u64, u64, u64, u64) {
    let reduced = check(text, size, Mode::Exact);
    assert_eq!((reduced.verdict, reduced.complete, reduced.full.exact), (Verdict::Verified, true, true));
    let full = check(text, size, Mode::Off);
    assert_eq!(reduced.full, full.full, "orbit sizes give the counts of the unreduced search");
    assert_eq!(full.full.prob_states, full.explored.prob_states.into());
    assert_eq!(full.full.prob_transitions, full.explored.prob_transitions.into());
    let explored = reduced.explored;
    (explored.prob_states, explored.prob_transitions, full.explored.prob_states, full.explored.prob_transitions)
}

#[test]
fn the_phonebook_has_the_published_counts() {
    assert_eq!(table_row(PHONEBOOK, 1), (3, 4, 3, 4));
    assert_eq!(table_row(PHONEBOOK, 2), (5, 17, 10, 37));
    assert_eq!(table_row(PHONEBOOK, 3), (8, 50, 65, 433));
    assert_eq!(table_row(PHONEBOOK, 4), (13, 125, 626, 6001));
}

#[test]
fn the_phonebook_of_six_is_counted_from_its_thirty_representatives() {
    let outcome = check(PHONEBOOK, 6, Mode::Exact);
    assert_eq!((outcome.explored.states, outcome.explored.transitions, outcome.explored.depth), (30, 540, 6));
    assert_eq!(outcome.full.states, 117_649u64.into());
    assert_eq!(outcome.full.prob_transitions, 1_815_157u64.into());
}

#[test]
fn internal_choices_between_symmetric_successors_are_one_arrow_in_the_convention_of_the_paper() {
    assert_eq!(table_row(SCHEDULER, 1), (4, 5, 4, 5));
    assert_eq!(table_row(SCHEDULER, 2), (7, 16, 11, 25));
    assert_eq!(table_row(SCHEDULER, 3), (11, 37, 36, 121));
    assert_eq!(table_row(SCHEDULER, 4), (16, 71, 125, 561));
    assert_eq!(check(SCHEDULER, 3, Mode::Exact).explored.transitions, 37, "38 with the initialisation arrow");
}

#[test]
fn symmetric_valuations_of_the_constants_are_one_set_up() {
    let reduced = check(EMERGENCY, 3, Mode::Exact);
    let full = check(EMERGENCY, 3, Mode::Off);
    assert_eq!((reduced.explored.setups, full.explored.setups), (1, 3));
    assert_eq!(full.explored.states, 3 * 27);
    assert_eq!(reduced.full, full.full);
    assert_eq!(full.explored.prob_states, 1 + 3 + 81);
    assert_eq!(full.explored.prob_transitions, full.explored.transitions + 3 + 3);
}

#[test]
fn any_number_of_workers_gives_the_outcome_of_the_reference_search() {
    let violated = growing("card(kept) /= 2", ALWAYS, KEEP, "");
    let stuck = growing(ALWAYS, "card(kept) < 3", KEEP, "");
    // Nested pairs, and operations without parameters beside some with two.
    let postal = include_str!("../../machines/classic/russian_postal.mch");
    // An operation whose calls cannot be enumerated is left out.
    let left_out = include_str!("../../machines/violation/left_out.mch");
    // Properties that cannot be decided, in the first states and in others.
    let undecided = include_str!("../../machines/violation/undecided.mch");
    let open = growing("card(kept) < 2 or #x.(x : INTEGER & x * x * x = 33 * x + card(kept))", ALWAYS, KEEP, "");
    for text in [PHONEBOOK, EMERGENCY, SCHEDULER, LATE, &violated, &stuck, postal, left_out, undecided, &open] {
        for (mode, keep_going) in [(Mode::Off, false), (Mode::Off, true), (Mode::Exact, false), (Mode::Exact, true)] {
            let machine = load(text, if text == postal { 3 } else { 4 });
            let mut options = Options { keep_going, ..options(mode) };
            let symmetry = Symmetry::new(machine.model(), machine.scope(), mode);
            let reference = all_of(&explore_reference(&machine, &symmetry, &options));
            for workers in [1, 2, 8] {
                options.workers = workers;
                assert_eq!(all_of(&run(&machine, &options)), reference, "{workers} workers, {mode:?}: {text}");
            }
        }
    }
}

#[test]
fn every_strategy_covers_the_same_space() {
    for mode in [Mode::Off, Mode::Exact] {
        let machine = load(SCHEDULER, 4);
        let breadth = run(&machine, &options(mode));
        for strategy in [Strategy::Depth, Strategy::Random] {
            let other = run(&machine, &Options { strategy, ..options(mode) });
            assert_eq!((other.verdict, other.complete), (Verdict::Verified, true));
            assert_eq!(other.full, breadth.full);
            assert_eq!(Counts { depth: 0, ..other.explored }, Counts { depth: 0, ..breadth.explored.clone() });
            assert_eq!(other.operations, breadth.operations);
        }
    }
}

#[test]
fn a_violated_invariant_names_its_conjunct_and_has_the_shortest_trace() {
    for (mode, workers) in [(Mode::Off, 1), (Mode::Exact, 2)] {
        let machine = load(&growing("card(kept) < 3 & card(kept) /= 9", ALWAYS, KEEP, ""), 5);
        let outcome = run(&machine, &Options { workers, ..options(mode) });
        assert_eq!((outcome.verdict, outcome.complete), (Verdict::InvariantViolation, false));
        assert!(!outcome.full.exact);
        let finding = outcome.finding.unwrap();
        assert_eq!(finding.property, PropertyKind::Invariant(1));
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
        assert_eq!((finding.property, finding.trace.steps.len()), (PropertyKind::Deadlock, 3));
        let quiet = run(&load(&text, 3), &Options { deadlock: false, ..options(mode) });
        assert_eq!(quiet.verdict, Verdict::Verified);
        assert_eq!(quiet.full.deadlocks, 3u32.into());
    }
}

#[test]
fn a_machine_without_operations_deadlocks_in_its_initial_states() {
    let outcome = check("MACHINE Still SETS Item VARIABLES item INVARIANT item : Item INITIALISATION item :: Item END", 3, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::Deadlock);
    assert_eq!((outcome.explored.states, outcome.explored.deadlocks, outcome.explored.initial), (1, 1, 1));
    assert_eq!((outcome.full.states, outcome.full.initial, outcome.full.prob_transitions), (3u32.into(), 3u32.into(), 3u32.into()));
}

#[test]
fn a_state_outside_of_scope_is_checked_but_not_expanded_and_no_deadlock() {
    let text = "MACHINE m SETS S DEFINITIONS SCOPE == n <= 1 VARIABLES n, s INVARIANT s <: S & n < 2
        INITIALISATION n, s := 0, {} OPERATIONS come(x) = PRE x : S THEN n, s := n + 1, s \\/ {x} END END";
    for mode in [Mode::Exact, Mode::Off] {
        let outcome = run(&load(text, 2), &Options { keep_going: true, ..options(mode) });
        assert!(outcome.complete);
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
    assert_eq!((finding.property, finding.trace.steps.len()), (PropertyKind::StaticAssertion(0), 1));
    let text = growing(ALWAYS, ALWAYS, KEEP, "ASSERTIONS kept <: Item; kept /= Item");
    let outcome = check(&text, 3, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.explored.assertion_violations), (Verdict::AssertionViolation, 1));
    let finding = outcome.finding.unwrap();
    assert_eq!((finding.property, finding.trace.steps.len()), (PropertyKind::Assertion(1), 4));
    let quiet = run(&load(&text, 3), &Options { assertions: false, ..options(Mode::Exact) });
    assert_eq!((quiet.verdict, quiet.explored.assertion_violations), (Verdict::Verified, 0));
}

#[test]
fn a_goal_is_found_and_goes_before_a_violation_in_the_same_state() {
    let text = growing("card(kept) < 2", ALWAYS, KEEP, "DEFINITIONS GOAL == card(kept) = 2");
    let outcome = check(&text, 3, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.finding.unwrap().property), (Verdict::GoalFound, PropertyKind::Goal));
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
        assert!(
            matches!(&finding.property, PropertyKind::IllDefinedOperation(operation, arguments, _) if operation.0 == 0 && arguments.len() == 1)
        );
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
        assert!(matches!(&finding.property, PropertyKind::IllDefinedGuard(operation, _) if operation.0 == 0));
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
    assert!(matches!(finding.property, PropertyKind::IllDefinedInvariant(1, _)), "{:?}", finding.property);
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
        (outcome.verdict, outcome.finding.unwrap().property),
        (
            Verdict::UnsatisfiableProperties,
            PropertyKind::NoSetup(Contradiction { conjuncts: vec![0, 1], is_irreducible: true, ..Contradiction::default() })
        )
    );
    assert_eq!((outcome.explored.setups, outcome.explored.prob_states), (0, 1));
    let outcome = check(&machine("1 = 1", "ANY xx WHERE xx : 0..1 & xx > 1 THEN vv := xx END"), 1, Mode::Exact);
    assert_eq!((outcome.verdict, outcome.finding.unwrap().property), (Verdict::NoInitialState, PropertyKind::NoInitialState));
    assert_eq!((outcome.explored.setups, outcome.explored.states), (2, 0));
    let outcome = check(&machine("1 = 1", "vv := 1 / cc"), 1, Mode::Exact);
    assert_eq!(outcome.verdict, Verdict::IllDefined);
    assert_eq!(outcome.finding.unwrap().trace.steps.len(), 1, "the set-up whose initialisation is ill-defined");
}

#[test]
fn unsatisfiable_properties_name_conjuncts_that_contradict_each_other() {
    let names = |properties: &str, conjuncts: &[usize], is_irreducible: bool| {
        let text = format!("MACHINE Contrary SETS S CONSTANTS ff, gg, ss, nn PROPERTIES {properties} END");
        let found = check(&text, 3, Mode::Exact).finding.map(|finding| finding.property);
        let Some(PropertyKind::NoSetup(found)) = found else { panic!("{properties}: {found:?}") };
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
        let found = check(&text, 3, Mode::Exact).finding.map(|finding| finding.property);
        let Some(PropertyKind::NoSetup(found)) = found else { panic!("{properties}: {found:?}") };
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
    let found = check(text, 1, Mode::Exact).finding.map(|finding| finding.property);
    assert_eq!(
        found,
        Some(PropertyKind::NoSetup(Contradiction { conjuncts: vec![0, 1, 2], is_irreducible: false, ..Contradiction::default() }))
    );
}

#[test]
fn a_limit_on_states_is_hit_only_by_one_state_more() {
    for workers in [1, 2] {
        let limited = |states| {
            run(
                &load(PHONEBOOK, 3),
                &Options { workers, limits: Limits { states: Some(states), ..Limits::default() }, ..options(Mode::Off) },
            )
        };
        let enough = limited(64);
        assert_eq!((enough.verdict, enough.complete, enough.limit), (Verdict::Verified, true, None));
        let short = limited(63);
        assert_eq!((short.verdict, short.complete, short.limit), (Verdict::Incomplete, false, Some(LimitHit::States(63))));
        assert_eq!(short.explored.states, 63);
        assert!(!short.full.exact && !short.full.why.is_empty());
    }
}

#[test]
fn a_limit_on_depth_leaves_the_last_level_unexpanded() {
    let limited =
        |depth| run(&load(PHONEBOOK, 3), &Options { limits: Limits { depth: Some(depth), ..Limits::default() }, ..options(Mode::Off) });
    let outcome = limited(1);
    assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Depth(1))));
    assert_eq!((outcome.explored.states, outcome.explored.transitions, outcome.explored.depth), (10, 9, 1));
    assert_eq!(limited(4).verdict, Verdict::Verified, "level 3 is expanded and leads nowhere new");
}

#[test]
fn a_finding_within_the_limit_is_the_verdict_all_the_same() {
    let text = growing("card(kept) < 1", ALWAYS, KEEP, "");
    let outcome = run(&load(&text, 3), &Options { limits: Limits { states: Some(2), ..Limits::default() }, ..options(Mode::Off) });
    assert_eq!((outcome.verdict, outcome.complete), (Verdict::InvariantViolation, false));
}

#[test]
fn an_interrupt_stops_the_search_with_what_was_counted() {
    let machine = load(PHONEBOOK, 3);
    machine.interrupt().store(true, Ordering::Relaxed);
    let outcome = run(&machine, &options(Mode::Off));
    assert_eq!((outcome.verdict, outcome.complete, outcome.limit), (Verdict::Incomplete, false, Some(LimitHit::Interrupted)));
    assert!(outcome.explored.states <= 1 && outcome.explored.transitions == 0);
}

#[test]
fn what_was_found_but_not_confirmed_in_time_is_told_and_never_verified() {
    let verified = run(&load(PHONEBOOK, 3), &options(Mode::Off));
    assert_eq!((verified.verdict, verified.complete), (Verdict::Verified, true));
    let outcome = verified.concluded(Some(Confirmation::Unconfirmed(Verdict::Deadlock)));
    assert_eq!((outcome.verdict, outcome.complete, outcome.limit), (Verdict::Incomplete, false, Some(LimitHit::Interrupted)));
    assert_eq!(outcome.unconfirmed, Some(Verdict::Deadlock));
}

#[test]
fn limits_of_time_and_memory_stop_a_long_search() {
    struct Heavy;
    impl Observer for Heavy {
        fn progress(&mut self, _: &Progress) {}
        fn memory_bytes(&mut self) -> u64 {
            1 << 40
        }
    }
    for workers in [1, 2] {
        let machine = load(PHONEBOOK, 9);
        let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Off);
        let time = Limits { time: Some(Duration::from_millis(150)), ..Limits::default() };
        let outcome = explore(&machine, &symmetry, &Options { workers, limits: time, ..options(Mode::Off) }, &mut Silent);
        assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Time(0))));
        machine.interrupt().store(false, Ordering::Relaxed);
        let memory = Limits { memory_bytes: Some(1 << 30), ..Limits::default() };
        let outcome = explore(&machine, &symmetry, &Options { workers, limits: memory, ..options(Mode::Off) }, &mut Heavy);
        assert_eq!((outcome.verdict, outcome.limit), (Verdict::Incomplete, Some(LimitHit::Memory(1 << 30))));
        assert!(outcome.explored.states > 0 && outcome.explored.transitions > 0);
    }
}

#[test]
fn every_step_of_every_state_maps_to_a_step_of_its_representative() {
    // The claim behind counting by orbits, checked by brute force on all reachable states.
    let machine = load(SCHEDULER, 3);
    let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Exact);
    let mut scratch = crate::symmetry::Scratch::default();
    let mut waiting: Vec<Valuation> = Vec::new();
    let _ = machine.for_each_initial(&[], &mut |state| {
        waiting.push(state);
        ControlFlow::Continue(())
    });
    let mut seen = std::collections::BTreeSet::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let canonical = symmetry.canonical(&state, &mut scratch);
        for operation in trace::operations(&machine) {
            let own = machine.successors(&state, operation).unwrap().steps;
            let of_representative = machine.successors(&canonical.state, operation).unwrap().steps;
            assert_eq!(own.len(), of_representative.len());
            for step in own {
                let next = canonical.permutation.apply_all(&step.next);
                let arguments = canonical.permutation.apply_all(&step.arguments);
                assert!(of_representative.iter().any(|other| other.next == next && other.arguments == arguments));
                waiting.push(step.next);
            }
        }
    }
    assert_eq!(seen.len(), 35);
}
