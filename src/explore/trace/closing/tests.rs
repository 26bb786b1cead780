//! Loops that close and loops that do not; deadlocks that are none.

use super::*;
use crate::TraceStep;
use bcheck_ir::Scope;
use bcheck_sema::analyse;
use bcheck_source::SourceMap;
use bcheck_syntax::parse_machine;
use std::sync::Arc;

const MACHINE: &str = "MACHINE m CONSTANTS c PROPERTIES c = 3 VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
    OPERATIONS up = PRE x < c THEN x := x + 1 END; reset = PRE x = 2 THEN x := 1 END END";

/// A run through these values of `x`, with this end.
fn check(values: &[i64], end: TraceEnd) -> EndCheck {
    let file = SourceMap::new().add("m.mch", MACHINE);
    let (model, _) = analyse(&parse_machine(file, MACHINE).tree.expect("a machine"));
    let scope = Scope { sizes: Vec::new(), minint: -1, maxint: 3 };
    let machine = Machine::compile(Arc::new(model.expect("a model")), scope);
    let mut steps = vec![TraceStep::beginning(vec![Value::integer(3)])];
    steps.extend(values.iter().map(|value| TraceStep::beginning(vec![Value::integer(3), Value::integer(*value)])));
    check_end(&machine, &Trace { end: Some(end), ..Trace::of(steps) }).expect("steps can be enumerated")
}

#[test]
fn a_loop_closes_in_its_first_state_or_by_a_step_to_it() {
    let from = |start| TraceEnd::Loop { start, rounds: 1 };
    assert_eq!(check(&[0, 1, 2, 1], from(2)), EndCheck::Confirmed);
    assert_eq!(check(&[0, 1, 2], from(2)), EndCheck::ClosedBy(OperationId(1)));
    assert_eq!(check(&[0, 1, 2], from(1)), EndCheck::Differs(vec![1]));
    // Equal to itself, but without a step.
    assert_eq!(check(&[0, 1], from(2)), EndCheck::Differs(Vec::new()));
    for nowhere in [0, 4] {
        assert_eq!(check(&[0, 1, 2], from(nowhere)), EndCheck::NoSuchState);
    }
}

#[test]
fn a_deadlock_enables_nothing() {
    assert_eq!(check(&[0, 1, 2, 3], TraceEnd::Deadlock), EndCheck::Confirmed);
    assert_eq!(check(&[0, 1, 2], TraceEnd::Deadlock), EndCheck::Enabled(OperationId(0)));
    assert_eq!(check(&[0], TraceEnd::Prefix), EndCheck::Open);
}
