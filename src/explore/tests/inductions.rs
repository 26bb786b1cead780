//! Whether invariants are inductive: beside all states of the types, looked at one by one, without solving and without symmetry.

use super::*;
use crate::eval::Question;
use crate::explore::trace::operations;
use crate::ir::invariant_question;
use num_bigint::BigUint;
use rustc_hash::FxHashSet;

/// The machine, ready to be asked about its invariant.
fn asked(text: &str, size: u32) -> (Machine, Question) {
    let machine = load(text, size);
    let mut model = machine.model().clone();
    let (names, invariant) = invariant_question(&mut model);
    let machine = Machine::compile(Arc::new(model), machine.scope().clone());
    let question = machine.compile_question(&names, &invariant, None);
    (machine, question)
}

fn induct(text: &str, size: u32, mode: Mode, obligations: &Obligations) -> Induction {
    let (machine, question) = asked(text, size);
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    induction(&machine, &question, &symmetry, obligations).expect("all states can be enumerated")
}

fn everything() -> Obligations {
    Obligations { operations: Vec::new(), deadlock: true, assertions: true, states: None }
}

/// Numbers of states of the full space: those within the invariant; by operation and conjunct, those from which a step violates it;
/// deadlocks; by assertion, those where it is false.
type Numbers = (BigUint, Vec<Vec<BigUint>>, BigUint, Vec<BigUint>);

fn numbers(found: &Induction) -> Numbers {
    assert!(found.is_complete && found.is_exact);
    let violated = |effect: &PreservationRow| effect.violated.iter().map(|cell| cell.full_states.clone()).collect();
    (
        found.full_states.clone(),
        found.operations.iter().map(|(_, effect)| violated(effect)).collect(),
        found.deadlocks.clone().expect("asked for").full_states,
        found.assertions.iter().flatten().map(|cell| cell.full_states.clone()).collect(),
    )
}

/// The same, of all states to which another initialisation leads that satisfy the invariant.
fn counted(text: &str, (initialisation, widest): (&str, &str), size: u32) -> Numbers {
    assert!(text.contains(initialisation));
    let machine = load(&text.replace(initialisation, widest), size);
    let model = machine.model();
    let mut states = FxHashSet::default();
    machine
        .for_each_setup(&mut |constants| {
            let all = machine.for_each_initial(&constants, &mut |state| {
                if matches!(machine.violated_invariant(&state), Ok(None)) {
                    states.insert(state);
                }
                ControlFlow::Continue(())
            });
            all.expect("finite types");
            ControlFlow::Continue(())
        })
        .expect("finite types");
    let of = |is_counted: &dyn Fn(&Valuation) -> bool| BigUint::from(states.iter().filter(|state| is_counted(state)).count());
    let steps = |state: &Valuation, operation| machine.successors(state, operation).expect("no interrupt").steps;
    let violated = operations(&machine).map(|operation| {
        let by = |at: usize| of(&|state| steps(state, operation).iter().any(|step| machine.is_conjunct_false(at, &step.next)));
        (0..model.invariant.len()).map(by).collect()
    });
    let is_deadlock = |state: &Valuation| operations(&machine).all(|operation| steps(state, operation).is_empty());
    let refuted = (0..model.assertions.len()).map(|at| of(&|state| machine.is_assertion_false(at, state)));
    (of(&|_| true), violated.collect(), of(&is_deadlock), refuted.collect())
}

/// Machines with their initialisations, and others that lead to all values of the types.
const MACHINES: [(&str, (&str, &str), u32); 4] = [
    (PHONEBOOK, ("db := {}", "db :: POW(Name * Code)"), 3),
    (EMERGENCY, ("db := {}", "db :: POW(Name * Code)"), 2),
    (
        "MACHINE Register SETS S VARIABLES in, out INVARIANT in <: S & out <: S & in /\\ out = {} & card(in) + card(out) <= 3
         ASSERTIONS card(in) < 3; in <: S
         INITIALISATION in, out := {}, {}
         OPERATIONS
           enter(xx) = PRE xx : S - in THEN in := in \\/ {xx} END;
           leave(xx) = PRE xx : in & card(in) > 1 THEN in := in - {xx} || out := out \\/ {xx} END
         END",
        ("in, out := {}, {}", "in :: POW(S) || out :: POW(S)"),
        4,
    ),
    (
        // The last two conjuncts are images of each other under the exchange of a and b.
        "MACHINE Pair SETS S; E = {a, b} VARIABLES f, n INVARIANT f : E --> S & n : 0..3 & (n > 1 => f(a) /= f(b)) & (n = 3 => f(b) /= f(a))
         INITIALISATION f :: E --> S || n := 0
         OPERATIONS
           put(ee, xx) = PRE ee : E & xx : S THEN f(ee) := xx END;
           more = PRE n < 3 & f(a) /= f(b) THEN n := n + 1 END
         END",
        ("f :: E --> S || n := 0", "f :: POW(E * S) || n :: 0..3"),
        3,
    ),
];

#[test]
fn all_states_of_the_types_give_the_same_matrix() {
    for (text, initialisations, size) in MACHINES {
        let expected = counted(text, initialisations, size);
        for mode in [Mode::Off, Mode::Exact] {
            let found = induct(text, size, mode, &everything());
            assert_eq!(numbers(&found), expected, "{mode:?} {text}");
            assert_eq!(mode == Mode::Off, found.full_states == found.states.into(), "{mode:?} {text}");
        }
    }
}

#[test]
fn a_machine_whose_steps_preserve_the_invariant_is_proved_and_another_one_is_not() {
    let none = Obligations { deadlock: false, assertions: false, ..everything() };
    let found = induct(PHONEBOOK, 3, Mode::Exact, &none);
    assert!(found.is_proved() && !found.is_refuted());
    assert_eq!((found.states, found.full_states), (7, 64u32.into()));
    let (register, pair) = (induct(MACHINES[2].0, 4, Mode::Exact, &none), induct(MACHINES[3].0, 3, Mode::Exact, &none));
    assert!(register.is_refuted() && pair.is_refuted());
    // `enter` adds a fourth member, or one that has left.
    let enter = &register.operations[0].1;
    assert_eq!(enter.violated.iter().map(|cell| cell.states > 0).collect::<Vec<_>>(), [false, false, true, true]);
    let example = enter.violated[2].example.as_ref().expect("violated");
    assert_eq!(example.step.as_ref().map(|step| step.arguments.len()), Some(1));
}

#[test]
fn what_is_ill_defined_or_cut_off_is_not_proved() {
    let text = "MACHINE Slots VARIABLES f, n INVARIANT f : 1..3 +-> 0..1 & n : 1..3
        INITIALISATION f, n := {}, 1 OPERATIONS read = n := f(n) + 1; clear = f := {} END";
    let none = Obligations { deadlock: false, assertions: false, ..everything() };
    let found = induct(text, 1, Mode::Exact, &none);
    let [(_, read), (_, clear)] = &found.operations[..] else { panic!("two operations") };
    assert!(read.incomplete.as_ref().is_some_and(|error| error.kind.is_ill_defined()) && clear.preserves_all());
    assert!(!found.is_refuted() && !found.is_proved());
    let cut = induct(PHONEBOOK, 3, Mode::Exact, &Obligations { states: Some(3), ..none });
    assert_eq!((cut.states, cut.is_complete, cut.is_proved()), (3, false, false));
}

#[test]
fn operations_that_are_not_asked_for_are_left_out() {
    let only = Obligations { operations: vec![crate::ir::OperationId(1)], deadlock: false, assertions: false, states: None };
    let found = induct(MACHINES[2].0, 4, Mode::Exact, &only);
    assert_eq!(found.operations.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [1]);
    assert!(found.is_proved(), "leaving preserves all conjuncts");
}
