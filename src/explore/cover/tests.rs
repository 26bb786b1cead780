//! The machine with probes against the one without, and runs that are chosen.

use super::*;
use crate::temporal::tests::machine as read;
use crate::trace::operations;
use bcheck_eval::FIRST_CHOICES;
use bcheck_symmetry::Mode;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

const BODIES: &str = "MACHINE Bodies SETS ID VARIABLES n, use INVARIANT n : 0..9 & use <: ID INITIALISATION n := 0 || use := {}
    OPERATIONS
      add(xx) = PRE xx : ID & (xx /: use or n = 3) THEN use := use \\/ {xx} || IF n < 3 THEN n := n + 1 ELSIF n = 9 THEN n := 8 END END;
      both = CHOICE n := 0 OR SELECT n > 1 THEN n := n - 1 WHEN n > 2 THEN n :: 0..1 END END;
      rr <-- ask(kk) = PRE kk : 0..3 THEN CASE kk OF EITHER 0, n THEN rr := 1 OR 2 THEN rr := 10 / n ELSE rr :: 4..5 END END END;
      loop = VAR ii IN ii := n; WHILE ii > 0 DO IF ii = 2 THEN use := {} END; ii := ii - 1 INVARIANT ii >= 0 VARIANT ii END; n := ii END;
      pick = ANY yy WHERE yy : use & yy /= yy or yy : ID - use THEN use := use \\/ {yy} END;
      wrong(xx) = PRE xx : use THEN ASSERT n < 2 THEN n := n + 1 END END
    END";

fn compiled(text: &str, size: u32, has_conditions: bool) -> Coverable {
    let machine = read(text, size, &[]);
    Coverable::compile(machine.model().clone(), machine.scope(), has_conditions)
}

fn covered(coverable: &Coverable, limits: &Limits) -> Coverage {
    let machine = coverable.machine();
    let symmetry = Symmetry::of_unnamed(machine.model(), machine.scope(), Mode::Exact);
    coverable.cover(&symmetry, (limits, FIRST_CHOICES), &vec![true; coverable.targets.len()], &mut || ()).expect("runs are found again")
}

#[test]
fn probes_change_no_step() {
    for has_conditions in [false, true] {
        let coverable = compiled(BODIES, 2, has_conditions);
        let (machine, probed) = (coverable.machine(), &coverable.probed);
        let mut open: Vec<Valuation> = Vec::new();
        let _ = machine.for_each_initial(&[], &mut |state| {
            open.push(state);
            ControlFlow::Continue(())
        });
        let mut seen: FxHashSet<Valuation> = open.iter().cloned().collect();
        let (mut steps, mut ill_defined) = (0, 0);
        while let Some(state) = open.pop() {
            for operation in operations(machine) {
                let plain = machine.successors(&state, operation).expect("few values");
                let with = probed.successors(&coverable.with_probes(&state), operation).expect("few values");
                let stripped = |mut step: bcheck_eval::Step| {
                    assert!(!coverable.covered_by_step(&mut step.next).is_empty(), "each step covers its operation");
                    (step.arguments, step.results, step.next)
                };
                let stripped: FxHashSet<_> = with.steps.into_iter().map(stripped).collect();
                let expected: FxHashSet<_> =
                    plain.steps.iter().map(|step| (step.arguments.clone(), step.results.clone(), step.next.clone())).collect();
                assert_eq!(stripped, expected, "{operation:?} in {state:?}");
                let arguments = |list: &[(Vec<Value>, _)]| list.iter().map(|(arguments, _)| arguments.clone()).collect::<Vec<_>>();
                assert_eq!(arguments(&with.ill_defined), arguments(&plain.ill_defined));
                (steps, ill_defined) = (steps + expected.len(), ill_defined + plain.ill_defined.len());
                open.extend(expected.into_iter().map(|(_, _, next)| next).filter(|next| seen.insert(next.clone())));
            }
        }
        assert!(steps > 100 && ill_defined > 5, "{steps} steps, {ill_defined} ill-defined calls");
    }
}

#[test]
fn a_limit_on_states_leaves_targets_undecided_and_its_runs_are_runs() {
    let coverable = compiled(BODIES, 2, true);
    let whole = covered(&coverable, &Limits::default());
    assert!(whole.is_decided() && whole.limit.is_none() && whole.ill_defined.is_some());
    let cut = covered(&coverable, &Limits { states: Some(3), ..Limits::default() });
    assert_eq!((cut.limit, cut.states), (Some(crate::LimitHit::States(3)), 3));
    for (cut, whole) in cut.status.iter().zip(&whole.status) {
        match cut {
            Status::Covered(_) => assert!(matches!(whole, Status::Covered(_))),
            other => assert_eq!(*other, Status::Undecided),
        }
    }
}

#[test]
fn parameters_that_only_a_guard_bounds_are_not_tried_where_it_is_false() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..9 INITIALISATION n := 0
        OPERATIONS set(kk) = PRE kk > n & kk < 4 THEN n := kk END; small(kk) = PRE kk : 1..2 & kk > n THEN n := kk END END";
    let coverable = compiled(text, 1, true);
    let found = covered(&coverable, &Limits::default());
    assert_eq!(found.unobserved.iter().map(|(operation, _)| operation.0).collect::<Vec<_>>(), [0]);
    let of = |operation: u32| {
        let all = coverable.targets.iter().zip(&found.status).filter(move |(target, _)| target.operation == Some(OperationId(operation)));
        all.map(|(_, status)| status.clone()).collect::<Vec<_>>()
    };
    assert!(of(0).contains(&Status::Unobserved) && of(1).iter().all(|status| matches!(status, Status::Covered(_))));
}
