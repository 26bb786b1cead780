//! Whether invariants are inductive: what is proved, and what is left open. What is refuted, with its numbers: `tests/suite/inductions.rs`.

use super::*;

fn induct(text: &str, size: u32, mode: Mode, obligations: &Obligations) -> Induction {
    let machine = load(text, size);
    let (machine, question) = within_invariant(machine.model().clone(), machine.scope().clone());
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), mode);
    induction(&machine, &question, &symmetry, obligations).expect("all states can be enumerated")
}

const INVARIANT_ONLY: Obligations =
    Obligations { operations: Vec::new(), conjuncts: Vec::new(), deadlock: false, assertions: false, well_defined: false, states: None };

#[test]
fn a_machine_whose_steps_preserve_the_invariant_is_proved() {
    let found = induct(PHONEBOOK, 3, Mode::Exact, &INVARIANT_ONLY);
    assert!(found.is_proved() && !found.is_refuted());
    assert_eq!((found.states, found.full_states), (7, 64u32.into()));
}

#[test]
fn what_is_ill_defined_or_cut_off_is_not_proved() {
    let text = "MACHINE Slots VARIABLES f, n INVARIANT f : 1..3 +-> 0..1 & n : 1..3
        INITIALISATION f, n := {}, 1 OPERATIONS read = n := f(n) + 1; clear = f := {} END";
    let found = induct(text, 1, Mode::Exact, &INVARIANT_ONLY);
    let [(_, read), (_, clear)] = &found.operations[..] else { panic!("two operations") };
    assert!(read.incomplete.as_ref().is_some_and(|error| error.kind.is_ill_defined()) && clear.preserves_all());
    assert!(!found.is_refuted() && !found.is_proved());
    let cut = induct(PHONEBOOK, 3, Mode::Exact, &Obligations { states: Some(3), ..INVARIANT_ONLY });
    assert_eq!((cut.states, cut.is_complete, cut.is_proved()), (3, false, false));
}
