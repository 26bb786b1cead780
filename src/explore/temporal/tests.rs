//! Formulas on small machines: traps of finite paths, fairness and symmetry, and reduced against full graphs.

mod alike;
mod checkpoints;
mod limits;
mod pinned;
mod plain_record;
mod propositions;
mod recording;
mod turns;
mod vacuity;

use super::groups::groups;
use super::letters::Letters;
use super::results::Results;
use crate::tests::share;
use crate::{Options, Outcome, Silent, TemporalResult, TemporalVerdict, TraceEnd, explore};
use bcheck_eval::Machine;
use bcheck_sema::scope::{AskedSize, ScopeRequest, resolve};
use bcheck_sema::{FormulaContext, NoFiles, analyse_parsed, read_temporal};
use bcheck_source::{SourceMap, SplitMix64};
use bcheck_symmetry::{Mode, Symmetry};
use bcheck_syntax::parse_machine;
use bcheck_syntax::temporal::Logic;
use bcheck_value::display::display;
use std::fmt::Write as _;
use std::sync::Arc;

/// A machine with formulas of linear time, or of branching time if they begin with `CTL `.
pub(crate) fn machine(text: &str, size: u32, formulas: &[&str]) -> Machine {
    let mut sources = SourceMap::new();
    let file = sources.add("m.mch", text);
    let analysis = analyse_parsed(parse_machine(file, text), &mut NoFiles);
    let mut model = analysis.model.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    let request = ScopeRequest { sizes: vec![AskedSize::new(None, u64::from(size))], ..ScopeRequest::default() };
    let scope = resolve(&model, &request, &mut sources, &mut Vec::new()).unwrap_or_else(|refusal| panic!("{refusal:?}: {text}"));
    for text in formulas {
        let (logic, text) = text.strip_prefix("CTL ").map_or((Logic::Ltl, *text), |text| (Logic::Ctl, text));
        let file = sources.add("--ltl", text);
        let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
        let (formula, extended) =
            read_temporal(file, logic, "--ltl", text, context, &analysis.macros).unwrap_or_else(|list| panic!("{text}: {list:?}"));
        model = extended;
        model.temporal.push(formula);
    }
    Machine::compile(Arc::new(model), scope)
}

/// Calls `with` with the letters and the symmetries of the first formulas that share a graph.
pub(crate) fn with_letters(machine: &Machine, options: &Options, with: impl FnOnce(&Letters, &Symmetry)) {
    let groups = groups(machine, options, &mut Results::new(machine.model().temporal.len()));
    with(&groups[0].propositions.letters, &groups[0].symmetry);
}

/// Checks such formulas.
fn check(text: &str, size: u32, formulas: &[&str], mode: Mode) -> Outcome {
    check_with(text, size, formulas, &Options { symmetry: mode, ..Options::default() })
}

/// The same with more options; deadlocks are no findings.
fn check_with(text: &str, size: u32, formulas: &[&str], options: &Options) -> Outcome {
    outcome_of(&machine(text, size, formulas), options)
}

/// The same, where fairness to each instance may be assumed of each call by itself, with its arguments pinned.
fn check_by(text: &str, size: u32, formulas: &[&str], mode: Mode, is_pinned: bool) -> Outcome {
    let options = Options { symmetry: mode, ..Options::default() };
    let machine = machine(text, size, formulas);
    if !is_pinned {
        return outcome_of(&machine, &options);
    }
    let mut model = machine.model().clone();
    model.temporal = model.temporal.iter().map(|formula| pinned::assumed_of_every_call(&machine, &options, formula)).collect();
    outcome_of(&Machine::compile(Arc::new(model), machine.scope().clone()), &options)
}

fn outcome_of(machine: &Machine, options: &Options) -> Outcome {
    let options = Options { deadlock: false, ..options.clone() };
    let outcome = explore(machine, &options.symmetry_of(machine), &options, &mut Silent);
    assert_eq!(outcome.internal_error, None, "{:?}", machine.model().temporal.iter().map(|formula| &formula.text).collect::<Vec<_>>());
    outcome
}

/// The verdicts of formulas, `T` or `F` each; all modes of symmetry must agree.
fn verdicts(text: &str, size: u32, formulas: &[&str]) -> String {
    let of = |mode| letters(&check(text, size, formulas, mode));
    let plain = of(Mode::Off);
    for mode in [Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
        assert_eq!(of(mode), plain, "{mode:?}: {text}\n{formulas:?}");
    }
    plain
}

fn letters(outcome: &Outcome) -> String {
    let letter = |verdict: &TemporalVerdict| match verdict {
        TemporalVerdict::Holds => 'T',
        TemporalVerdict::Violated => 'F',
        TemporalVerdict::Unknown(_) => '?',
        TemporalVerdict::IllDefined(_) => '!',
    };
    outcome.temporal.iter().map(|result| letter(&result.verdict)).collect()
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
    for mode in [Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
        let orders: Vec<u32> =
            check(SWAP, 2, &formulas, mode).temporal.iter().map(|result| result.group_order.iter_u32_digits().sum()).collect();
        assert_eq!(orders, [2; 4], "{mode:?}: nothing is pinned");
    }
    let outcome = check(SWAP, 2, &formulas[..1], Mode::Exact);
    let trace = &outcome.finding.expect("it is violated").trace;
    assert!(matches!(trace.end, Some(TraceEnd::Loop { .. })), "{trace:?}");
    // Pinned, the arguments stay, and nothing is reduced.
    let outcome = check_by(SWAP, 2, &formulas, Mode::Exact, true);
    assert_eq!(letters(&outcome), "FTTF");
    assert_eq!(outcome.temporal[0].group_order, 1_u8.into());
    for size in 3..=4 {
        assert_eq!(verdicts(SWAP, size, &formulas), letters(&check_by(SWAP, size, &formulas, Mode::Off, true)), "size {size}");
    }
}

#[test]
fn an_instance_has_any_arguments_and_any_number_of_steps() {
    // Whom `pick` takes of a set is its own choice, so steps of one call lead to different classes, or to the same one by other names.
    let text = "MACHINE m SETS PROC VARIABLES done, now INVARIANT done <: PROC & now <: PROC INITIALISATION done := {} || now := {}
        OPERATIONS
          pick(s) = SELECT s <: PROC - done & s /= {} & now = {} THEN ANY q WHERE q : s THEN now := {q} END END;
          finish(q) = SELECT q : now THEN done := done \\/ {q} || now := {} END;
          back(q) = SELECT q : now THEN now := {} END;
          reset = SELECT done = PROC THEN done := {} END
        END";
    let formulas = [
        "WEF => F {done = PROC}",
        "SEF => F {done = PROC}",
        "SEF => GF {done = {}}",
        "SEF => FG {done = {}}",
        "WEF => G {done = {}}",
        "WEF & SF(finish) => F {done = PROC}",
    ];
    for size in 2..=3 {
        assert_eq!(verdicts(text, size, &formulas), "FTTFFT");
        assert_eq!(letters(&check_by(text, size, &formulas, Mode::Exact, true)), "FTTFFT");
    }
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
fn that_any_run_violates_a_formula_is_said_of_formulas_about_all_paths() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..2 INITIALISATION n := 0
        OPERATIONS inc = SELECT n < 2 THEN n := n + 1 END; stay = skip END";
    let formulas = [
        "CTL AG {n < 2}",
        "CTL not EF {n = 2}",
        "CTL AF {n = 1} or AG {n = 0}",
        "CTL EF {n = 3}",
        "CTL AG EX {n < 2}",
        "CTL not AG {n < 3}",
    ];
    let outcome = check_with(text, 2, &formulas, &Options { keep_going: true, ..Options::default() });
    assert_eq!(letters(&outcome), "FFFFFF");
    let loops = Some(TraceEnd::Loop { start: 0, rounds: 1 });
    let ends: Vec<_> = outcome.temporal.iter().map(|result| result.trace.as_ref().expect("it is violated").end).collect();
    assert_eq!(ends, [Some(TraceEnd::Prefix), Some(TraceEnd::Prefix), loops, None, None, None]);
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
fn a_loop_too_long_to_be_shown_has_one_round_and_its_renaming() {
    // Six queues of all elements of their sets turn together: names are back after 2 * 3 * 5 * 7 * 11 * 13 steps, and the states in
    // which all queues are full are one class.
    let (mut sets, mut initially, mut operations, mut turned) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut is_full = "TRUE = TRUE".to_owned();
    for size in [2, 3, 5, 7, 11, 13] {
        let elements: Vec<String> = (0..size).map(|at| format!("e{size}_{at}")).collect();
        sets.push(format!("S{size} = {{{}}}", elements.join(", ")));
        initially.push(format!("q{size} := []"));
        operations.push(format!("join{size}(e) = SELECT e : S{size} - ran(q{size}) & {is_full} THEN q{size} := q{size} <- e END"));
        turned.push(format!("q{size} := tail(q{size}) <- first(q{size})"));
        is_full.push_str(&format!(" & size(q{size}) = {size}"));
    }
    let typed: Vec<String> = [2, 3, 5, 7, 11, 13].map(|size| format!("q{size} : iseq(S{size})")).to_vec();
    let text = format!(
        "MACHINE m SETS {} VARIABLES q2, q3, q5, q7, q11, q13 INVARIANT {} INITIALISATION {} OPERATIONS {}; turn = SELECT {is_full} THEN {} END END",
        sets.join("; "),
        typed.join(" & "),
        initially.join(" || "),
        operations.join("; "),
        turned.join(" || ")
    );
    let outcome = check(&text, 2, &["F {q2 = [] & size(q3) = 1}"], Mode::Exact);
    let result = &outcome.temporal[0];
    let trace = result.trace.as_ref().expect("it is violated");
    assert_eq!((&result.verdict, trace.end), (&TemporalVerdict::Violated, Some(TraceEnd::RenamedLoop { start: 41 })));
    assert_eq!(trace.steps.len(), 43);
    let renaming = result.renaming.as_ref().expect("the names differ");
    assert_eq!(renaming.apply_all(&trace.steps[41].state), trace.steps[42].state);
    let mut lengths: Vec<usize> = renaming.cycles().iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [2, 3, 5, 7, 11, 13]);
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
    formula_about(&atoms, random, depth)
}

/// A random formula with some of these propositions.
fn formula_about(atoms: &[&str], random: &mut SplitMix64, depth: usize) -> String {
    if depth == 0 {
        return atoms[random.below(atoms.len())].to_owned();
    }
    let unary = ["G", "F", "X", "not ", "O", "H", "Y", "GF ", "FG "];
    let binary = ["&", "or", "=>", "U", "W", "R", "S"];
    let part = |random: &mut SplitMix64, depth| formula_about(atoms, random, depth);
    match random.below(3) {
        0 => format!("{} ({})", unary[random.below(unary.len())], part(random, depth - 1)),
        1 => part(random, 0),
        _ => format!("(({}) {} ({}))", part(random, depth - 1), binary[random.below(binary.len())], part(random, depth - 1)),
    }
}

#[test]
fn reduced_and_full_graphs_agree_on_alike_processes() {
    let mut random = SplitMix64::new(21);
    let (mut holds, mut fails) = (0, 0);
    for _ in share(0..60, 2) {
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
    assert!(holds > 30 && fails > 30, "the formulas say something: {holds} hold, {fails} do not");
}

/// A quantifier over processes with what it says of each of two by name.
fn quantifier(random: &mut SplitMix64, bodies: &[&str]) -> [String; 2] {
    let body = bodies[random.below(bodies.len())];
    let (is_universal, condition) = (random.below(3) > 0, ["$ : PROC", "$ /: q", "$ : PROC & 1 = 2"][[0, 0, 0, 1, 1, 2][random.below(6)]]);
    let (sign, joint, join, nothing) = if is_universal { ("!", "=>", " & ", "true") } else { ("#", "&", " or ", "false") };
    let of = |name: &str| format!("({{{condition}}} {joint} {body})").replace('$', name);
    let values: &[&str] = if condition.contains("1 = 2") { &[] } else { &["PROC1", "PROC2"] };
    let each: Vec<String> = values.iter().map(|name| of(name)).collect();
    let written = if each.is_empty() { nothing.to_owned() } else { each.join(join) };
    [format!("{sign}e.{}", of("e")), format!("({written})")]
}

/// The same operators around both of two formulas.
fn around(random: &mut SplitMix64, depth: usize, inner: [String; 2], unary: &[&str], binary: &[&str], atoms: &[&str]) -> [String; 2] {
    if depth == 0 {
        return inner;
    }
    let is_unary = random.below(3) > 0;
    let operator = if is_unary { unary[random.below(unary.len())] } else { binary[random.below(binary.len())] };
    let (other, is_left) = (atoms[random.below(atoms.len())], random.below(2) == 0);
    let around_one = |inner: String| match (is_unary, is_left) {
        (true, _) => format!("{operator} ({inner})"),
        // `E f U g`
        (false, true) if operator.contains('~') => operator.replacen('~', &format!("({inner})"), 1).replacen('~', other, 1),
        (false, false) if operator.contains('~') => operator.replacen('~', other, 1).replacen('~', &format!("({inner})"), 1),
        (false, true) => format!("(({inner}) {operator} {other})"),
        (false, false) => format!("({other} {operator} ({inner}))"),
    };
    let wrapped = inner.map(around_one);
    around(random, depth - 1, wrapped, unary, binary, atoms)
}

#[test]
fn quantifiers_say_the_same_in_front_written_out_and_by_names() {
    let mut random = SplitMix64::new(35);
    let mut found = String::new();
    for _ in share(0..50, 2) {
        let text = alike(&mut random);
        let bodies = ["{$ : p}", "F {$ : q}", "({$ : p} U {$ : q})", "e(op0($))", "[op1($)]", "G ({$ : p} => F {$ : q})", "X {$ : p}"];
        let unary = ["G", "F", "X", "X", "not", "O", "H", "Y", "globally absence"];
        let binary = ["&", "or", "=>", "<=>", "U", "W", "R", "S", "T"];
        let inner = quantifier(&mut random, &bodies);
        let depth = 1 + random.below(4);
        let linear = around(&mut random, depth, inner, &unary, &binary, &["{turn = 0}", "[op0]", "{p = {}}", "e(op1)"]);
        let fair = ["", "", "WF(op0) => ", "SF(op1) => "][random.below(4)];
        let inner =
            quantifier(&mut random, &["{$ : p}", "EF {$ : q}", "(A {$ : p} U {$ : q})", "e(op0($))", "EX[op1($)] true", "AX {$ : p}"]);
        let unary = ["AG", "AF", "AX", "EG", "EF", "EX", "not", "EX[op0]"];
        let depth = 1 + random.below(4);
        let binary = ["&", "or", "=>", "<=>", "(E ~ U ~)", "(A ~ U ~)"];
        let branching = around(&mut random, depth, inner, &unary, &binary, &["{turn = 0}", "deadlock", "{p = {}}", "e(op1)"]);
        let formulas = [linear.map(|text| format!("{fair}{text}")), branching.map(|text| format!("CTL {text}"))].concat();
        let formulas: Vec<&str> = formulas.iter().map(String::as_str).collect();
        let verdicts = verdicts(&text, 2, &formulas);
        assert!(["TT", "FF"].contains(&&verdicts[..2]) && ["TT", "FF"].contains(&&verdicts[2..]), "{verdicts}: {text}\n{formulas:#?}");
        found += &verdicts;
    }
    assert!(found.matches('T').count() > 20 && found.matches('F').count() > 20, "the formulas say something: {found}");
}

#[test]
fn a_quantifier_that_can_stand_in_front_keeps_the_symmetry_of_the_others() {
    let text = "MACHINE m SETS S VARIABLES x INVARIANT x <: S INITIALISATION x := {}
        OPERATIONS put(e) = SELECT e : S - x THEN x := x \\/ {e} END; take(e) = SELECT e : x THEN x := x - {e} END END";
    let formulas = [
        ("!e.({e : S} => G ({e : x} => F {e /: x}))", "2"),
        ("G !e.({e : S} => ({e : x} => F {e /: x}))", "2"),
        ("{x = {}} => X H (G true & !e.({e : S} => !d.({d : S} => F {e = d})))", "1"),
        ("not F #e.({e : S} & G {e : x})", "2"),
        ("SF(take) => (!e.({e : S} => {e /: x}) U {x /= {}} or false)", "2"),
        ("globally absence(#e.({e : x} & [put(e)]))", "2"),
        ("F !e.({e : S} => {e : x})", "1"),
        ("G #e.({e : S} & {e /: x})", "1"),
        ("CTL AG !e.({e : S} => EF {e : x})", "2"),
        ("CTL !e.({e : S} => A {e /: x} U [take(e)])", "2"),
        ("CTL AF !e.({e : S} => {e : x})", "1"),
    ];
    let texts = formulas.map(|(text, _)| text);
    let outcome = check(text, 3, &texts, Mode::Exact);
    let orders: Vec<(&str, String)> = texts.into_iter().zip(outcome.temporal.iter().map(|result| result.group_order.to_string())).collect();
    assert_eq!(orders, formulas.map(|(text, order)| (text, order.to_owned())));
}

#[test]
fn a_name_without_values_says_nothing_even_where_a_path_ends() {
    let text = "MACHINE m VARIABLES n INVARIANT n : 0..1 INITIALISATION n := 0 OPERATIONS inc = SELECT n < 1 THEN n := 1 END END";
    let formulas = [
        "!e.({e : 5..4} => false)",
        "X !e.({e : 5..4} => false)",
        "X X !e.({e : 5..4} => false)",
        "G X !e.({e : 5..4} => false)",
        "not Y #e.({e : 5..4} & true)",
        "G (!e.({e : 5..4} => false) U {n = 1})",
        "!e.({e : 5..4} => false) U {n = 2}",
        "CTL AX AX !e.({e : 5..4} => false)",
    ];
    assert_eq!(verdicts(text, 2, &formulas), "TTFFTTFT");
}

#[test]
fn a_violation_names_the_values_for_which_it_fails() {
    let text = "MACHINE m SETS PROC = {a, b, c} VARIABLES done INVARIANT done <: PROC INITIALISATION done := {}
        OPERATIONS finish(p) = SELECT p : PROC - done & p /= b THEN done := done \\/ {p} END END";
    let formulas = [
        "!p.({p : PROC} => F {p : done})",
        "!p.({p : PROC} => !q.({q : PROC & q /= p} => F {p : done & q : done}))",
        "CTL !p.({p : PROC} => not AG {p /: done})",
        "!p.({p : PROC - {b}} => F {p : done})",
        "F {card(done) = 3}",
    ];
    for mode in [Mode::Off, Mode::Exact, Mode::Fast, Mode::Sorted, Mode::Exhaustive] {
        let machine = machine(text, 2, &formulas);
        let outcome = outcome_of(&machine, &Options { symmetry: mode, keep_going: true, ..Options::default() });
        assert_eq!(letters(&outcome), "FFFTF");
        let model = machine.model();
        let of = |result: &TemporalResult| {
            let shown = result.values.iter().map(|(local, value)| format!("{} = {}", model.local_name(*local), display(value, model)));
            shown.collect::<Vec<_>>().join(", ")
        };
        let values: Vec<String> = outcome.temporal.iter().map(of).collect();
        assert_eq!(values, ["p = b", "p = a, q = b", "p = b", "", ""], "{mode:?}");
    }
}
