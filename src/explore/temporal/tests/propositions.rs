//! Propositions and assumptions: what is equal is one, and what has a value where.

use super::{check, letters, machine};
use crate::TemporalVerdict;
use crate::temporal::on_run::negation_automata;
use bcheck_ir::temporal::{Prefix, TemporalKind};
use bcheck_symmetry::Mode;

const COUNTER: &str = "MACHINE m VARIABLES n INVARIANT n : 0..2 INITIALISATION n := 0
    OPERATIONS on(x) = SELECT x : 1..3 & n < 2 THEN n := n + 1 END; still(x) = SELECT x : 1..3 & n = 2 THEN skip END END";

fn verdicts(text: &str, formulas: &[&str]) -> String {
    letters(&check(text, 1, formulas, Mode::Exact))
}

#[test]
fn what_is_written_twice_is_one_proposition() {
    let machine = machine(
        COUNTER,
        1,
        &["G ([on] or not [on])", "G ({#x.(x = n)} => {#y.(y = n)})", "G (e(on(1)) <=> e(on(1)))", "G ([on(1)] => [on(2)])"],
    );
    let states = machine.model().temporal.iter().map(|formula| negation_automata(&machine, formula).expect("small")[0].states());
    assert_eq!(states.collect::<Vec<_>>(), [0, 0, 0, 2], "nothing violates a tautology");
    // 34 propositions, written 66 times.
    let steps: Vec<String> = (0..33).map(|i| format!("({{n = {i}}} => X {{n = {}}})", i + 1)).collect();
    let equivalences = (1..10).fold("{n = 0}".to_owned(), |left, _| format!("({left} <=> {{n = 0}})"));
    assert_eq!(verdicts(COUNTER, &[&steps.join(" & "), &equivalences]), "TT");
}

#[test]
fn arguments_have_to_have_a_value_only_where_there_is_a_step_of_the_operation() {
    let formulas = [
        "G (e(on(2 / (2 - n))) or {n = 2})",
        "G ([on(2 / (2 - n))] or [on] or {n = 2})",
        "G deterministic(on(2 / (2 - n)), still)",
        "G not e(still(2 / (2 - n)))",
        "G not [still(2 / (2 - n))]",
        "CTL AG (e(on(2 / (2 - n))) or {n = 2})",
    ];
    assert_eq!(verdicts(COUNTER, &formulas), "TTT!!T");
}

#[test]
fn alternatives_of_fairness_are_not_multiplied() {
    let operations: Vec<String> = (0..8).map(|i| format!("o{i} = skip")).collect();
    let text = format!("MACHINE m VARIABLES v INVARIANT v = 0 INITIALISATION v := 0 OPERATIONS {} END", operations.join("; "));
    let pairs: Vec<String> = (0..4).map(|i| format!("(WF(o{}) & WF(o{}))", 2 * i, 2 * i + 1)).collect();
    let violated = format!("{} => F [o0]", pairs.join(" or "));
    // Each choice of one disjunct of each conjunct is implied by one of the two first.
    let holds = format!("{} => G F [o0] or G F [o1]", ["(SF(o0) or SF(o1))"; 8].join(" & "));
    assert_eq!(verdicts(&text, &[&violated, &holds]), "FT");
    let machine = machine(&text, 1, &[&holds]);
    let mut numbered = super::super::propositions::Propositions::new(&machine);
    let TemporalKind::Prefixed(Prefix::Fair(kinds), _) = &machine.model().temporal[0].body.kind else { panic!("with assumptions") };
    assert_eq!(numbered.fairness(kinds).expect("few").choices.len(), 2);
}

#[test]
fn a_proposition_of_two_formulas_is_reported_for_both() {
    let outcome = check(COUNTER, 1, &["G {6 / (2 - n) > 0}", "F {6 / (2 - n) > 0}"], Mode::Exact);
    assert!(outcome.temporal.iter().all(|result| matches!(result.verdict, TemporalVerdict::IllDefined(_))), "{:?}", outcome.temporal);
}
