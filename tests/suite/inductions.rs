//! Whether invariants are inductive, by solving and up to symmetry, against all values of the variables' types.
//!
//! In random machines each variable is typed by a conjunct `v : SET` of its own, so another initialisation that takes any element of each SET leads to all
//! states that may satisfy the invariant.

use crate::dice::Dice;
use crate::random_machine::machine;
use bcheck::eval::Machine;
use bcheck::explore::{Induction, Obligations, induction, within_invariant};
use bcheck::ir::OperationId;
use bcheck::symmetry::{Mode, Symmetry};
use bcheck::value::Valuation;
use bcheck::{Request, check_text};
use num_bigint::BigUint;
use std::collections::BTreeSet;
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

/// States of the full space: those within the invariant; by operation and conjunct, those from which a step violates it; deadlocks; by
/// assertion, those where it is false.
type Numbers = (BigUint, Vec<Vec<BigUint>>, BigUint, Vec<BigUint>);

fn numbers(found: &Induction) -> Numbers {
    let full = |cells: &[bcheck::explore::Refuted]| cells.iter().map(|cell| cell.full_states.clone()).collect();
    (
        found.full_states.clone(),
        found.operations.iter().map(|(_, row)| full(&row.violated)).collect(),
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
    for operation in operations {
        let mut row = vec![BigUint::default(); model.invariant.len()];
        for state in &states {
            let found = machine.successors(state, operation).ok()?;
            if !found.steps.is_empty() || !found.ill_defined.is_empty() {
                enabled.insert(state);
            }
            for (at, cell) in row.iter_mut().enumerate() {
                *cell += u32::from(found.steps.iter().any(|step| machine.is_conjunct_false(at, &step.next)));
            }
        }
        violated.push(row);
    }
    let deadlocks = states.iter().filter(|state| !enabled.contains(state) && machine.is_expanded(state)).count();
    let is_refuted = |at: usize, state: &Valuation| !model.assertions[at].is_static && machine.is_assertion_false(at, state);
    let refuted = (0..model.assertions.len()).map(|at| states.iter().filter(|state| is_refuted(at, state)).count().into());
    Some((states.len().into(), violated, deadlocks.into(), refuted.collect()))
}

const EVERYTHING: Obligations = Obligations { operations: Vec::new(), deadlock: true, assertions: true, states: None };

/// What is found by solving, in a mode; `None` where something cannot be enumerated, or is tried in a range only.
fn solved(machine: &Machine, mode: Mode, obligations: &Obligations) -> Option<Induction> {
    let (machine, question) = within_invariant(machine.model().clone(), machine.scope().clone());
    if !question.tried().is_empty() {
        return None;
    }
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    induction(&machine, &question, &symmetry, obligations).ok()
}

/// How many machines were compared, how many of them reduced, how many with a violated conjunct.
fn compare(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let [mut compared, mut reduced, mut violated] = [0; 3];
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
        compared += 1;
        reduced += usize::from(exact.states < plain.states);
        violated += usize::from(plain.operations.iter().any(|(_, row)| row.is_violating()));
    }
    [compared, reduced, violated]
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
    let only_invariant = Obligations { deadlock: false, assertions: false, ..EVERYTHING };
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
    let only = Obligations { operations: vec![OperationId(1)], deadlock: false, assertions: false, states: None };
    let found = solved(&compiled(REGISTER, Some(4)).expect("a machine"), Mode::Exact, &only).expect("finite types");
    assert_eq!(found.operations.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [1]);
    assert!(found.is_proved(), "leaving preserves all conjuncts");
}

#[test]
fn random_invariants_are_inductive_as_far_as_all_states_of_the_types_say() {
    let [compared, reduced, violated] = compare(0..60);
    assert!(compared > 35 && reduced > 12 && violated > 2, "{compared} compared, {reduced} reduced, {violated} violated");
}

#[test]
#[ignore = "minutes"]
fn many_random_invariants_are_inductive_as_far_as_all_states_of_the_types_say() {
    let [compared, reduced, violated] = compare(1_000..2_500);
    assert!(compared > 1_000 && reduced > 300 && violated > 60, "{compared} compared, {reduced} reduced, {violated} violated");
}
