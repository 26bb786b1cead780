//! Formulas on small machines: traps of finite paths, fairness and symmetry, and reduced against full graphs.

use crate::eval::Machine;
use crate::explore::{Options, Outcome, Silent, TemporalVerdict, TraceEnd, explore};
use crate::ir::Scope;
use crate::sema::{FormulaContext, NoFiles, analyse_parsed, read_temporal};
use crate::source::{SourceMap, SplitMix64};
use crate::symmetry::Mode;
use crate::syntax::parse_machine;
use crate::syntax::temporal::Logic;
use std::fmt::Write as _;
use std::sync::Arc;

/// Checks formulas of linear time, `E`-formulas and the like of branching time if they begin with `CTL `.
fn check(text: &str, size: u32, formulas: &[&str], mode: Mode) -> Outcome {
    let mut sources = SourceMap::new();
    let file = sources.add("m.mch", text);
    let analysis = analyse_parsed(parse_machine(file, text), &mut NoFiles);
    let mut model = analysis.model.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    let scope = Scope { sizes: vec![size; model.sets.len()], minint: -1, maxint: 3 };
    for text in formulas {
        let (logic, text) = text.strip_prefix("CTL ").map_or((Logic::Ltl, *text), |text| (Logic::Ctl, text));
        let file = sources.add("--ltl", text);
        let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
        let (formula, extended) =
            read_temporal(file, logic, "--ltl", text, context, &analysis.macros).unwrap_or_else(|list| panic!("{text}: {list:?}"));
        model = extended;
        model.temporal.push(formula);
    }
    let options = Options { symmetry: mode, deadlock: false, ..Options::default() };
    let machine = Machine::compile(Arc::new(model), scope);
    let outcome = explore(&machine, &options.symmetry_of(&machine), &options, &mut Silent);
    assert_eq!(outcome.internal_error, None, "{text}\n{formulas:?}");
    outcome
}

/// The verdicts of formulas, `T` or `F` each; all modes of symmetry must agree.
fn verdicts(text: &str, size: u32, formulas: &[&str]) -> String {
    let of = |mode| {
        let outcome = check(text, size, formulas, mode);
        let letter = |verdict: &TemporalVerdict| match verdict {
            TemporalVerdict::Holds => 'T',
            TemporalVerdict::Violated => 'F',
            TemporalVerdict::Unknown(_) => '?',
            TemporalVerdict::IllDefined(_) => '!',
        };
        outcome.temporal.iter().map(|result| letter(&result.verdict)).collect::<String>()
    };
    let plain = of(Mode::Off);
    for mode in [Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
        assert_eq!(of(mode), plain, "{mode:?}: {text}\n{formulas:?}");
    }
    plain
}

/// Fairness of instances goes wrong on a plain quotient: the machine of the classes of symmetric states hides which instance is taken.
const SWAP: &str = "MACHINE swap SETS PROC VARIABLES one, two, bit INVARIANT one <: PROC & two <: PROC & bit : 0..1
    INITIALISATION one := {} || two := {} || bit := 0
    OPERATIONS
      s(p) = SELECT p : PROC - (one \\/ two) & bit = 0 & one = {} THEN one := {p} || bit := 1 END;
      a(p) = SELECT p : PROC - (one \\/ two) & bit = 1 & one \\/ two \\/ {p} = PROC THEN one := one \\/ {p} END;
      b(p) = SELECT p : one & bit = 1 & one \\/ two = PROC THEN one := one - {p} END;
      d(p) = SELECT p : one & bit = 1 & two <: {p} THEN one := one - {p} || two := two \\/ {p} END
    END";

#[test]
fn fairness_of_instances_is_not_fairness_of_classes() {
    let formulas = ["WEF => F {two /= {}}", "SEF => F {two /= {}}", "WF(d) => F {two /= {}}", "F {two /= {}}"];
    assert_eq!(verdicts(SWAP, 2, &formulas), "FTTF");
}

#[test]
fn a_proposition_is_kept_by_itself() {
    // The text of the first formula reads the same with the elements exchanged, and no state may stand for its image all the same.
    let text = "MACHINE m SETS S = {a, b} VARIABLES x INVARIANT x <: S INITIALISATION x := {}
        OPERATIONS put(e) = PRE e : S - x THEN x := x \\/ {e} END END";
    assert_eq!(verdicts(text, 2, &["F {a : x} & F {b : x}", "F {x = {a}} & F {x = {b}}", "F {x = {a}} or F {x = {b}}"]), "TFT");
    assert_eq!(verdicts(text, 2, &["!e.({e : S} => F {e : x})", "#e.({e : S} & F {x = {e}})", "!e.({e : S} => F {x = {e}})"]), "TTF");
}

#[test]
fn a_path_that_ends_is_a_path() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..2 INITIALISATION n := 0
        OPERATIONS inc = SELECT n < 2 THEN n := n + 1 END; stay = SELECT n = 0 THEN skip END END";
    let formulas = ["F {n = 2}", "WF(inc) => F {n = 2}", "G (deadlock => not X true)", "G ({n = 2} => X {n = 2})", "GF {n = 0}", "G [inc]"];
    assert_eq!(verdicts(text, 2, &formulas), "FTTFFF");
    let formulas =
        ["CTL AF deadlock", "CTL EF deadlock", "CTL AG (e(inc) or deadlock)", "CTL EG {n = 0}", "CTL AG EX true", "CTL AG AX {n >= 0}"];
    assert_eq!(verdicts(text, 2, &formulas), "FTTTFT");
    let outcome = check(text, 2, &["GF {n = 0}"], Mode::Exact);
    let trace = &outcome.finding.expect("it is violated").trace;
    assert_eq!((trace.steps.len(), trace.end), (3, Some(TraceEnd::Deadlock)));
}

#[test]
fn a_loop_closes_when_the_names_are_back() {
    // The token goes round a ring that no state shows: each class has one state, and a round of names takes as many steps as there are.
    let text = "MACHINE ring SETS NODE CONSTANTS next PROPERTIES next : NODE >->> NODE & !s.(s <: NODE & s /= {} & next[s] = s => s = NODE)
        VARIABLES at INVARIANT at : NODE INITIALISATION at :: NODE OPERATIONS pass = at := next(at) END";
    let outcome = check(text, 3, &["F {at /: NODE}"], Mode::Exact);
    let trace = &outcome.finding.expect("it is violated").trace;
    assert_eq!(trace.end, Some(TraceEnd::Loop { start: 1, rounds: 3 }));
    assert_eq!(trace.steps[1].state, trace.steps[4].state);
    assert_eq!(trace.steps.len(), 5);
}

#[test]
fn a_step_to_a_symmetric_state_is_a_step_to_another_state() {
    let text =
        "MACHINE m SETS S VARIABLES x INVARIANT x : S INITIALISATION x :: S OPERATIONS move(e) = SELECT e : S & e /= x THEN x := e END END";
    assert_eq!(verdicts(text, 2, &["G not sink", "G changed({x})", "G unchanged({x})", "G BA({x /= x$0})"]), "TTFT");
    assert_eq!(verdicts(text, 1, &["G sink", "deadlock"]), "TT");
}

#[test]
fn a_proposition_without_a_value_is_a_finding() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..2 INITIALISATION n := 0 OPERATIONS inc = SELECT n < 2 THEN n := n + 1 END END";
    let outcome = check(text, 2, &["F {n = 2}", "G {6 / (2 - n) > 0}"], Mode::Exact);
    assert!(matches!(outcome.temporal[0].verdict, TemporalVerdict::Holds));
    assert!(matches!(outcome.temporal[1].verdict, TemporalVerdict::IllDefined(_)));
    assert_eq!(outcome.finding.expect("a finding").trace.steps.len(), 3);
}

#[test]
fn where_an_operation_is_left_out_nobody_knows_whether_it_is_enabled() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..1 INITIALISATION n := 0
        OPERATIONS flip = n := 1 - n; endless(s) = SELECT s : STRING THEN skip END END";
    // The second one has its proposition from the first.
    assert_eq!(verdicts(text, 2, &["F e(endless)", "F e(endless) or false", "G {n = 0}", "CTL AG {n <= 1}"]), "??F?");
}

/// Some alike processes that move between places, under random guards about how many are where.
fn alike(random: &mut SplitMix64) -> String {
    let mut text = "MACHINE alike SETS PROC VARIABLES p, q, turn INVARIANT p <: PROC & q <: PROC & turn : 0..1
        INITIALISATION p := {} || q := {} || turn := 0 OPERATIONS\n"
        .to_owned();
    let sets = ["PROC - (p \\/ q)", "p", "q", "p /\\ q"];
    let guards = ["p = {}", "q = {}", "p <: q", "turn = 0", "turn = 1", "card(p) < 2", "p /\\ q = {}", "q /= PROC", "1 = 1"];
    let effects = ["p := p \\/ {e}", "q := q \\/ {e}", "p := p - {e}", "q := q - {e}", "p := {e}", "turn := 1 - turn", "p := {} || q := p"];
    for operation in 0..2 + random.below(3) {
        let mut pick = |list: &[&str]| list[random.below(list.len())].to_owned();
        let (set, guard, effect) = (pick(&sets), pick(&guards), pick(&effects));
        let separator = if operation == 0 { "" } else { ";" };
        writeln!(text, "{separator} op{operation}(e) = SELECT e : {set} & {guard} THEN {effect} END").expect("text");
    }
    text + "END"
}

/// A random formula about such processes.
fn formula(random: &mut SplitMix64, depth: usize) -> String {
    let atoms =
        ["{p = {}}", "{q = {}}", "{p <: q}", "{turn = 0}", "[op0]", "e(op0)", "[op1]", "e(op1)", "deadlock", "sink", "{card(p) = 1}"];
    if depth == 0 {
        return atoms[random.below(atoms.len())].to_owned();
    }
    let unary = ["G", "F", "X", "not ", "O", "H", "Y", "GF ", "FG "];
    let binary = ["&", "or", "=>", "U", "W", "R", "S"];
    match random.below(3) {
        0 => format!("{} ({})", unary[random.below(unary.len())], formula(random, depth - 1)),
        1 => formula(random, 0),
        _ => format!("(({}) {} ({}))", formula(random, depth - 1), binary[random.below(binary.len())], formula(random, depth - 1)),
    }
}

#[test]
fn reduced_and_full_graphs_agree_on_alike_processes() {
    let mut random = SplitMix64::new(21);
    let (mut holds, mut fails) = (0, 0);
    for _ in 0..60 {
        let text = alike(&mut random);
        let fair = ["", "WF(op0) => ", "SF(op0) => ", "WF(op0) & SF(op1) => ", "WEF => ", "SEF => "];
        let mut formulas: Vec<String> = (0..4).map(|_| format!("{}{}", fair[random.below(4)], formula(&mut random, 3))).collect();
        formulas.push(format!("{}{}", fair[4 + random.below(2)], formula(&mut random, 2)));
        formulas.push(format!("!e.({{e : PROC}} => G ({{e : p}} => F {{e : q}})) or {}", formula(&mut random, 1)));
        let formulas: Vec<&str> = formulas.iter().map(String::as_str).collect();
        let found = verdicts(&text, 2, &formulas);
        assert!(!found.contains(['?', '!']), "{found}: {text}\n{formulas:?}");
        holds += found.matches('T').count();
        fails += found.matches('F').count();
    }
    assert!(holds > 60 && fails > 60, "the formulas say something: {holds} hold, {fails} do not");
}
