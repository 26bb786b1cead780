//! Whether invariants are inductive, by solving and up to symmetry, against all values of the variables' types.
//!
//! In random machines each variable is typed by a conjunct `v : SET` of its own, so another initialisation that takes any element of each
//! SET leads to all states that may satisfy the invariant.

use crate::dice::Dice;
use crate::program::part;
use crate::random_machine::machine;
use bcheck::eval::Machine;
use bcheck::explore::{Induction, Obligations, Reachability, Refuted, induction, reach_examples, within_invariant};
use bcheck::ir::OperationId;
use bcheck::symmetry::{Mode, Symmetry};
use bcheck::value::Valuation;
use bcheck::{Request, check_text};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

/// More states of the types are not looked at one by one.
const MOST_STATES: usize = 3_000;

/// The compiled machine, whose deferred sets have this size if it is given; `None` if the text is refused.
fn compiled(text: &str, size: Option<u32>) -> Option<Machine> {
    let mut request = Request { size, ..Request::default() };
    request.options.limits.states = Some(1);
    check_text("random.mch", text, &request).ok().map(|checked| checked.machine)
}

/// The same machine that begins with any values of the types of its variables, if the text shows these.
fn widest(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("\nVARIABLES\n  ")?;
    let (names, rest) = rest.split_once("\nINVARIANT\n  ")?;
    let (invariant, rest) = rest.split_once("\nINITIALISATION\n  ")?;
    let (_, operations) = rest.split_once("\nOPERATIONS\n")?;
    let choice = |name: &str| {
        let mut typing = invariant.lines().map(|line| line.trim().trim_end_matches(" &"));
        let set = typing.find_map(|line| line.strip_prefix(&format!("{name} : ")))?;
        // A set without end has no list of elements.
        let is_finite = !["INTEGER", "NATURAL", "NATURAL1", "STRING"].contains(&set);
        is_finite.then(|| format!("{name} :: {set}"))
    };
    let choices: Option<Vec<String>> = names.trim().split(", ").map(choice).collect();
    Some(format!(
        "{before}\nVARIABLES\n  {names}\nINVARIANT\n  {invariant}\nINITIALISATION\n  {}\nOPERATIONS\n{operations}",
        choices?.join(" || ")
    ))
}

/// States of the full space: those within the invariant; by operation and conjunct, those from which a step violates it; by operation,
/// those where it is ill-defined; deadlocks; by assertion, those where it is false.
type Numbers = (BigUint, Vec<Vec<BigUint>>, Vec<BigUint>, BigUint, Vec<BigUint>);

fn numbers(found: &Induction) -> Numbers {
    let full = |cells: &[Refuted]| cells.iter().map(|cell| cell.full_states.clone()).collect();
    (
        found.full_states.clone(),
        found.operations.iter().map(|(_, row)| full(&row.violated)).collect(),
        found.operations.iter().map(|(_, row)| row.ill_defined.full_states.clone()).collect(),
        found.deadlocks.clone().expect("asked for").full_states,
        full(found.assertions.as_deref().expect("asked for")),
    )
}

/// The same by looking at all states of the types; `None` where these are too many, or something cannot be enumerated.
fn counted(machine: &Machine) -> Option<Numbers> {
    let model = machine.model();
    let (mut states, mut is_whole): (BTreeSet<Valuation>, bool) = (BTreeSet::new(), true);
    let set_ups = machine.for_each_setup(&mut |constants| {
        let all = machine.for_each_initial(&constants, &mut |state| {
            is_whole &= states.len() < MOST_STATES;
            states.insert(state);
            if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        is_whole &= all.is_ok();
        if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if set_ups.is_err() || !is_whole {
        return None;
    }
    states.retain(|state| matches!(machine.violated_invariant(state), Ok(None)));
    let operations = (0..u32::try_from(model.operations.len()).ok()?).map(OperationId);
    let (mut violated, mut enabled): (Vec<Vec<BigUint>>, BTreeSet<&Valuation>) = (Vec::new(), BTreeSet::new());
    let mut ill_defined: Vec<BigUint> = Vec::new();
    for operation in operations {
        let mut row = vec![BigUint::default(); model.invariant.len()];
        let mut without_value = BigUint::default();
        for state in &states {
            let found = machine.successors(state, operation).ok()?;
            if !found.steps.is_empty() || !found.ill_defined.is_empty() {
                enabled.insert(state);
            }
            let guard = found.ill_defined_guard.as_ref().filter(|error| error.kind.is_ill_defined());
            without_value += u32::from(guard.is_some() || found.ill_defined.iter().any(|(_, error)| error.kind.is_ill_defined()));
            for (at, cell) in row.iter_mut().enumerate() {
                *cell += u32::from(found.steps.iter().any(|step| machine.is_conjunct_false(at, &step.next)));
            }
        }
        violated.push(row);
        ill_defined.push(without_value);
    }
    let deadlocks = states.iter().filter(|state| !enabled.contains(state) && machine.is_expanded(state)).count();
    let is_refuted = |at: usize, state: &Valuation| !model.assertions[at].is_static && machine.is_assertion_false(at, state);
    let refuted = (0..model.assertions.len()).map(|at| states.iter().filter(|state| is_refuted(at, state)).count().into());
    Some((states.len().into(), violated, ill_defined, deadlocks.into(), refuted.collect()))
}

const EVERYTHING: Obligations =
    Obligations { operations: Vec::new(), conjuncts: Vec::new(), deadlock: true, assertions: true, well_defined: true, states: None };

/// What is found by solving, in a mode; `None` where something cannot be enumerated, or is tried in a range only.
fn solved(machine: &Machine, mode: Mode, obligations: &Obligations) -> Option<Induction> {
    let (machine, question) = within_invariant(machine.model().clone(), machine.scope().clone());
    if !question.tried().is_empty() {
        return None;
    }
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    let mut found = induction(&machine, &question, &symmetry, obligations).ok()?;
    reach_examples(&machine, &symmetry, MOST_STATES, &mut found).ok()?;
    Some(found)
}

/// The distances of all reachable states, up to a number of them.
fn distances(machine: &Machine) -> Option<BTreeMap<Valuation, usize>> {
    let (mut distances, mut waiting) = (BTreeMap::new(), VecDeque::new());
    let set_ups = machine.for_each_setup(&mut |constants| {
        let initial = machine.for_each_initial(&constants, &mut |state| {
            if distances.insert(state.clone(), 0).is_none() {
                waiting.push_back(state);
            }
            if distances.len() < MOST_STATES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if initial.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    set_ups.ok()?;
    while let Some(state) = waiting.pop_front() {
        let next = distances[&state] + 1;
        for operation in (0..u32::try_from(machine.model().operations.len()).ok()?).map(OperationId) {
            for step in machine.successors(&state, operation).ok()?.steps {
                if !distances.contains_key(&step.next) {
                    distances.insert(step.next.clone(), next);
                    waiting.push_back(step.next);
                }
            }
        }
        if distances.len() >= MOST_STATES {
            return None;
        }
    }
    Some(distances)
}

/// The states shown as examples, with what is said of them.
fn examples(found: &Induction) -> Vec<(Valuation, Reachability)> {
    let rows = found.operations.iter().flat_map(|(_, row)| row.violated.iter().chain([&row.ill_defined]));
    let others = found.deadlocks.iter().chain(found.assertions.iter().flatten());
    let undefined = found.undefined.iter().flatten().map(|undefined| &undefined.states);
    let examples = rows.chain(others).chain(undefined).filter_map(|refuted| refuted.example.as_ref());
    let begins = examples.filter(|example| !example.before.is_empty());
    begins.map(|example| (example.before.clone(), example.reached.expect("asked for"))).collect()
}

/// How many machines were compared, how many of them reduced, how many with a violated conjunct; how many examples were looked for among
/// the reachable states.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let [mut compared, mut reduced, mut violated, mut shown] = [0; 4];
    for seed in seeds {
        let text = machine(&mut Dice::new(seed));
        let Some((own, wide)) = compiled(&text, None).zip(widest(&text).and_then(|wide| compiled(&wide, None))) else { continue };
        let Some((expected, plain)) = counted(&wide).zip(solved(&own, Mode::Off, &EVERYTHING)) else { continue };
        assert_eq!(numbers(&plain), expected, "seed {seed}\n{text}");
        let exact = solved(&own, Mode::Exact, &EVERYTHING).expect("the same can be enumerated");
        if exact.is_exact {
            assert_eq!(numbers(&exact), expected, "seed {seed}, up to symmetry\n{text}");
            assert_eq!((exact.is_proved(), exact.is_refuted()), (plain.is_proved(), plain.is_refuted()), "seed {seed}\n{text}");
        }
        if let Some(distances) = distances(&own) {
            for (state, reached) in examples(&plain).into_iter().chain(examples(&exact)) {
                let expected = distances.get(&state).map_or(Reachability::Never, |distance| Reachability::After(*distance));
                let is_known = reached != Reachability::Unknown || !exact.is_exact;
                assert!(
                    is_known && (reached == expected || reached == Reachability::Unknown),
                    "seed {seed}: {reached:?}, not {expected:?}\n{text}"
                );
                shown += 1;
            }
        }
        compared += 1;
        reduced += usize::from(exact.states < plain.states);
        violated += usize::from(plain.operations.iter().any(|(_, row)| row.is_violating()));
    }
    [compared, reduced, violated, shown]
}

const REGISTER: &str = "
    MACHINE Register SETS S VARIABLES in, out INVARIANT in <: S & out <: S & in /\\ out = {} & card(in) + card(out) <= 3
    ASSERTIONS card(in) < 3; in <: S
    INITIALISATION in, out := {}, {}
    OPERATIONS
      enter(xx) = PRE xx : S - in THEN in := in \\/ {xx} END;
      leave(xx) = PRE xx : in & card(in) > 1 THEN in := in - {xx} || out := out \\/ {xx} END
    END";

/// The last two conjuncts are images of each other under the exchange of a and b.
const PAIR: &str = "
    MACHINE Pair SETS S; E = {a, b} VARIABLES f, n INVARIANT f : E --> S & n : 0..3 & (n > 1 => f(a) /= f(b)) & (n = 3 => f(b) /= f(a))
    INITIALISATION f :: E --> S || n := 0
    OPERATIONS
      put(ee, xx) = PRE ee : E & xx : S THEN f(ee) := xx END;
      more = PRE n < 3 & f(a) /= f(b) THEN n := n + 1 END
    END";

#[test]
fn all_states_of_the_types_give_the_same_matrix() {
    let file =
        |name: &str| std::fs::read_to_string(format!("{}/machines/classic/{name}.mch", env!("CARGO_MANIFEST_DIR"))).expect("a machine");
    // Machines with their initialisations, and others that lead to all values of the types.
    let machines = [
        (file("phonebook"), ("db := {}", "db :: POW(Name * Code)"), 3),
        (file("phonebook_emergency"), ("db := {}", "db :: POW(Name * Code)"), 2),
        (REGISTER.to_owned(), ("in, out := {}, {}", "in :: POW(S) || out :: POW(S)"), 4),
        (PAIR.to_owned(), ("f :: E --> S || n := 0", "f :: POW(E * S) || n :: 0..3"), 3),
    ];
    for (text, (initialisation, widest), size) in machines {
        assert!(text.contains(initialisation));
        let machine = |text: &str| compiled(text, Some(size)).expect("a machine");
        let expected = counted(&machine(&text.replace(initialisation, widest))).expect("few states");
        for mode in [Mode::Off, Mode::Exact] {
            let found = solved(&machine(&text), mode, &EVERYTHING).expect("finite types");
            assert_eq!(numbers(&found), expected, "{mode:?} {text}");
            assert!(found.is_complete && found.is_exact);
            assert_eq!(mode == Mode::Off, found.full_states == found.states.into(), "{mode:?} {text}");
        }
    }
}

#[test]
fn steps_that_violate_the_invariant_refute_it_with_an_example() {
    let only_invariant = Obligations { deadlock: false, assertions: false, well_defined: false, ..EVERYTHING };
    let found = |text, size| solved(&compiled(text, Some(size)).expect("a machine"), Mode::Exact, &only_invariant).expect("finite types");
    let (register, pair) = (found(REGISTER, 4), found(PAIR, 3));
    assert!(register.is_refuted() && pair.is_refuted());
    // `enter` adds a fourth member, or one that has left.
    let enter = &register.operations[0].1;
    assert_eq!(enter.violated.iter().map(|cell| cell.states > 0).collect::<Vec<_>>(), [false, false, true, true]);
    let example = enter.violated[2].example.as_ref().expect("violated");
    assert_eq!(example.step.as_ref().map(|step| step.arguments.len()), Some(1));
}

#[test]
fn operations_that_are_not_asked_for_are_left_out() {
    let only = Obligations { operations: vec![OperationId(1)], deadlock: false, assertions: false, ..EVERYTHING };
    let found = solved(&compiled(REGISTER, Some(4)).expect("a machine"), Mode::Exact, &only).expect("finite types");
    assert_eq!(found.operations.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [1]);
    assert!(found.is_proved(), "leaving preserves all conjuncts");
}

/// `met` is applied where it may have no value; the assertion, `share` and the invariant after it divide by 0.
const PARTIAL: &str = "
    MACHINE Partial SETS S VARIABLES in, met, n INVARIANT in <: S & met : S +-> 0..2 & n : 0..2 & (n = 0 or 2 / (2 - n) > 0)
    ASSERTIONS 4 / (n - 1) > -9
    INITIALISATION in, met, n := {}, {}, 0
    OPERATIONS
      visit(xx) = PRE xx : S - in THEN in := in \\/ {xx} || met(xx) := n END;
      leave(xx) = SELECT xx : in & met(xx) = n THEN in := in - {xx} END;
      share = BEGIN n := 2 / card(in) END
    END";

#[test]
fn each_place_without_a_value_is_counted_in_the_states_within_the_invariant() {
    let machine = compiled(PARTIAL, Some(2)).expect("a machine");
    let line_of = |span: bcheck::source::Span| PARTIAL[..span.start as usize].lines().count();
    for mode in [Mode::Off, Mode::Exact] {
        let found = solved(&machine, mode, &EVERYTHING).expect("finite types");
        // 4 sets, 16 functions, n of 0 or 1: where n = 2, the invariant has no value.
        assert_eq!(found.full_states, 128u32.into());
        let undefined = found.undefined.as_deref().expect("asked for");
        let counts: Vec<(usize, u32)> = undefined
            .iter()
            .map(|undefined| (line_of(undefined.error.span), undefined.states.full_states.clone().try_into().expect("few")))
            .collect();
        // The invariant after `share` with one visitor, who gets 2: 2 sets, 16 functions, 2 numbers. The assertion where n = 1. In `leave`,
        // all but the 4 (nobody), 2 * 3 * 4 (one) and 9 (both) combinations in which each visitor has a last visit. In `share`, nobody.
        assert_eq!(counts, [(2, 64), (3, 64), (7, 2 * (64 - (16 + 2 * 12 + 9))), (8, 32)], "{mode:?}");
        assert!(found.is_refuted() && !found.is_proved());
    }
    let without = Obligations { well_defined: false, assertions: false, ..EVERYTHING };
    let found = solved(&machine, Mode::Exact, &without).expect("finite types");
    assert!(found.undefined.is_none() && found.is_ill_defined() && !found.is_proved());
}

#[test]
fn conjuncts_that_are_not_asked_for_need_not_be_preserved() {
    let machine = compiled(REGISTER, Some(4)).expect("a machine");
    let all = solved(&machine, Mode::Exact, &EVERYTHING).expect("finite types");
    for conjunct in 0..4 {
        let only = Obligations { conjuncts: vec![conjunct], deadlock: false, assertions: false, ..EVERYTHING };
        let found = solved(&machine, Mode::Exact, &only).expect("finite types");
        assert_eq!(found.states, all.states, "states satisfy all conjuncts");
        for ((_, row), (_, of_all)) in found.operations.iter().zip(&all.operations) {
            for (at, cell) in row.violated.iter().enumerate() {
                assert_eq!(cell.states, if at == conjunct { of_all.violated[at].states } else { 0 });
            }
        }
        assert_eq!(found.is_proved(), conjunct < 2);
    }
}

#[test]
fn random_invariants_are_inductive_as_far_as_all_states_of_the_types_say() {
    let [compared, reduced, violated, shown] = compare(0..part(60, 2));
    assert!(
        compared > 16 && reduced > 5 && violated > 0 && shown > 1,
        "{compared} compared, {reduced} reduced, {violated} violated, {shown} examples"
    );
}

#[test]
#[ignore = "minutes"]
fn many_random_invariants_are_inductive_as_far_as_all_states_of_the_types_say() {
    let [compared, reduced, violated, shown] = compare(1_000..2_500);
    assert!(
        compared > 1_000 && reduced > 300 && violated > 60 && shown > 100,
        "{compared} compared, {reduced} reduced, {violated} violated, {shown} examples"
    );
}

/// States of a type without end are not all looked at: nothing is known of the obligations, and the place and reason are named.
#[test]
fn states_without_end_leave_the_obligations_open() {
    let run = crate::program::bcheck(&["induct", "machines/language/tape.mch"]);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert!(run.stdout.contains("  write           ?\n") && run.stdout.ends_with("incomplete\n"), "{run:?}");
    assert!(run.stderr.contains("tape.mch:5:18: warning[B0501]: the values of an infinite set cannot be enumerated"), "{run:?}");
}
