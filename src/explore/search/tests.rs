//! One worker of a search, interrupted in the midst of a state.

use super::*;
use crate::number::StateNumber;
use crate::temporal::tests::{machine, with_letters};
use bcheck_symmetry::Mode;
use std::sync::atomic::Ordering;

/// Its one step from the initial state leads to a state of which the labelling, even of a state as small, looks at the flag. Evaluating
/// the step is too short for that.
const PACKED: &str = "MACHINE m SETS P VARIABLES s INVARIANT s <: P INITIALISATION s := {}
    OPERATIONS add(pp) = PRE pp : P & pp /: s THEN s := s \\/ {pp} END; stay = PRE s = P THEN skip END END";
/// The same with a variable that does not fit words.
const GENERAL: &str = "MACHINE m SETS P VARIABLES s, t INVARIANT s <: P & t : STRING INITIALISATION s, t := {}, \"a\"
    OPERATIONS add(pp) = PRE pp : P & pp /: s THEN s := s \\/ {pp} END; stay = PRE s = P THEN skip END END";

#[test]
fn a_state_with_a_successor_whose_labelling_was_interrupted_gets_no_row() {
    for (text, symmetry, is_packed) in [(PACKED, Mode::Exact, true), (PACKED, Mode::Exhaustive, false), (GENERAL, Mode::Exact, false)] {
        let machine = machine(text, 5, &["CTL AG EF {s = P}", "F [add]"]);
        let options = Options { symmetry, ..Options::default() };
        with_letters(&machine, &options, |letters, symmetry| {
            let (control, orbits) = (Control::new(&machine, &options.limits), Orbits::new());
            let subject = MachineStates { machine: &machine, options: &options };
            let set_ups = [SetUp { constants: Vec::new(), class: Orbits::SINGLE }];
            let store = subject.store(symmetry, &set_ups);
            let engine = Engine::new((&machine, symmetry, &options), store, &orbits, &control, 0);
            let engine = Engine { letters: Some(letters), ..engine };
            assert_eq!(engine.store.words.as_ref().is_some_and(|store| store.symmetry.is_some()), is_packed);
            let mut ledger = Ledger::new(Some(Recorder::new(letters)), None);
            let mut worker = subject.worker(&engine);
            subject.initial(&set_ups, &mut |state, origin| worker.enter_initial(&mut ledger, state, origin, u32::MAX));
            ledger.attached.begin_rows(ledger.end(), true, None);
            let rows = |ledger: &Ledger| ledger.attached.recorder.as_ref().map(|recorder| recorder.graph().known().number());
            for (is_stopped, expected) in [(true, (1, 0)), (false, (2, 1))] {
                machine.interrupt().store(is_stopped, Ordering::Relaxed);
                let (entry, state) = ledger.take(StateNumber::new(0));
                worker.expand(entry, state.as_ref(), 0);
                let batch = worker.take_batch();
                ledger.number(&engine, [batch], &engine.store.close_slice(), 1, u32::MAX);
                assert_eq!((ledger.len(), rows(&ledger)), (expected.0, Some(expected.1)), "{text} {is_packed}");
            }
        });
    }
}
