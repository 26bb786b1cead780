//! Whether invariants are inductive: what is proved, refuted, left open. That the numbers are right, by all states of the types one by one:
//! `tests/suite/inductions.rs`.

use super::*;

fn induct(text: &str, size: u32, mode: Mode, obligations: &Obligations) -> Induction {
    let machine = load(text, size);
    let (machine, question) = within_invariant(machine.model().clone(), machine.scope().clone());
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    induction(&machine, &question, &symmetry, obligations).expect("all states can be enumerated")
}

fn everything() -> Obligations {
    Obligations { operations: Vec::new(), deadlock: true, assertions: true, states: None }
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
fn a_machine_whose_steps_preserve_the_invariant_is_proved_and_another_one_is_not() {
    let none = Obligations { deadlock: false, assertions: false, ..everything() };
    let found = induct(PHONEBOOK, 3, Mode::Exact, &none);
    assert!(found.is_proved() && !found.is_refuted());
    assert_eq!((found.states, found.full_states), (7, 64u32.into()));
    let (register, pair) = (induct(REGISTER, 4, Mode::Exact, &none), induct(PAIR, 3, Mode::Exact, &none));
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
    let found = induct(REGISTER, 4, Mode::Exact, &only);
    assert_eq!(found.operations.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [1]);
    assert!(found.is_proved(), "leaving preserves all conjuncts");
}
