//! What every format makes of judged formulas; the outcomes are built by hand, since nothing here depends on how formulas are judged.

use super::*;
use crate::diagnostics::Colour;
use crate::recorded::read;
use crate::trace::file;
use crate::{Times, html, itf, json, junit, prob_trace, sarif, short, text};
use bcheck_eval::{EvalError, EvalErrorKind, Machine};
use bcheck_explore::{Fault, Finding, LimitHit, Options, Outcome, Silent, SubformulaRow, TraceEnd, TraceStep, explore};
use bcheck_ir::temporal::Temporal;
use bcheck_ir::{OperationId, Scope};
use bcheck_sema::analyse;
use bcheck_source::{Shown, Span};
use bcheck_symmetry::Symmetry;
use bcheck_syntax::parse_machine;
use bcheck_value::Value;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;

const MACHINE: &str = "MACHINE m CONSTANTS c PROPERTIES c = 3 VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
    OPERATIONS up = PRE x < c THEN x := x + 1 END; reset = PRE x = 2 THEN x := 1 END END";

/// A run of the machine in which two formulas are checked, `G F {x = 0}` and `F {x = 3}`.
struct Case {
    sources: SourceMap,
    machine: Machine,
    symmetry: Symmetry,
    options: Options,
    outcome: Outcome,
}

fn formula(sources: &mut SourceMap, name: &str, text: &str, fairness: Vec<FairnessKind>) -> TemporalFormula {
    let file = sources.add(name, text);
    let span = Span { file, start: 0, end: u32::try_from(text.len()).expect("short") };
    let body = Box::new(Temporal { kind: TemporalKind::Constant(true), span });
    let body = Temporal { kind: TemporalKind::Prefixed(Prefix::Fair(fairness), body), span };
    TemporalFormula { name: name.to_owned(), text: text.to_owned(), span, escapes: Vec::new(), logic: Logic::Ltl, body }
}

/// The set-up, then a run through these values of `x`.
fn run(values: &[i64], end: TraceEnd) -> Trace {
    let three = || Value::integer(3);
    let mut steps = vec![TraceStep::beginning(vec![three()])];
    for (index, value) in values.iter().enumerate() {
        let operation = index.checked_sub(1).map(|before| OperationId(u32::from(values[before] > *value)));
        steps.push(TraceStep { operation, ..TraceStep::beginning(vec![three(), Value::integer(*value)]) });
    }
    Trace { end: Some(end), ..Trace::of(steps) }
}

/// A run with a loop: 0, 1, 2, 1.
fn looping() -> Trace {
    run(&[0, 1, 2, 1], TraceEnd::Loop { start: 2, rounds: 1 })
}

fn result(formula: usize, verdict: TemporalVerdict, trace: Option<Trace>) -> TemporalResult {
    TemporalResult {
        formula,
        verdict,
        automaton: Some((2, 1)),
        product: (8, 9),
        group_order: 6u32.into(),
        time_s: 0.25,
        trace,
        values: Vec::new(),
        renaming: None,
        witness: None,
        vacuity: None,
        explanation: Vec::new(),
    }
}

impl Case {
    /// The outcome with these results; the first violation is the finding.
    fn new(results: Vec<TemporalResult>) -> Self {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", MACHINE);
        let (model, _) = analyse(&parse_machine(file, MACHINE).tree.expect("a machine"));
        let mut model = model.expect("a model");
        let pattern = Pattern { operation: OperationId(1), arguments: Vec::new(), span: Span::nowhere() };
        let fair = FairnessKind::Of { is_strong: false, alternatives: vec![vec![pattern]] };
        let every = FairnessKind::Every { is_strong: true, span: Span::nowhere() };
        model.temporal.push(formula(&mut sources, "--ltl", "G F  {x = 0}", vec![fair, every]));
        model.temporal.push(formula(&mut sources, "--ltl", "F {x = 3}", Vec::new()));
        let machine = Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
        let options = Options { deadlock: false, ..Options::default() };
        let symmetry = options.symmetry_of(&machine);
        let mut outcome = explore(&machine, &symmetry, &options, &mut Silent);
        assert_eq!(outcome.verdict, Verdict::Verified);
        let violated = results.iter().find(|result| result.verdict == TemporalVerdict::Violated);
        if let Some(violated) = violated {
            outcome.verdict = Verdict::TemporalViolation;
            let trace = violated.trace.clone().expect("a violation has a run");
            outcome.finding = Some(Finding { fault: Fault::violated(FaultyPart::Temporal(violated.formula)), trace });
        }
        outcome.temporal = results;
        Self { sources, machine, symmetry, options, outcome }
    }

    fn with<T>(&self, use_it: impl FnOnce(&CheckReport<'_>) -> T) -> T {
        use_it(&CheckReport {
            checkpoint: None,
            sources: &self.sources,
            file: "m.mch",
            model: self.machine.model(),
            scope: self.machine.scope(),
            tried: &BTreeSet::new(),
            options: &self.options,
            outcome: &self.outcome,
            evidence: None,
            never_enabled: &[],
            growth: &[],
            is_verbose: false,
            shows_changes: false,
            painter: None,
            refinement: None,
            symmetry: self.symmetry.detail(),
            default_sizes: &[],
            branches: None,
            survey: None,
            diagnostics: &[],
            times: Times { search_s: 1.0, ..Times::default() },
            peak_memory_bytes: 0,
            statistics: &[],
        })
    }

    fn text(&self) -> String {
        self.with(|report| text::render(report, Colour::Plain)).to_string()
    }

    fn json(&self) -> Json {
        serde_json::from_str(&self.with(json::render)).expect("JSON")
    }
}

/// The first formula fails on a loop, the second one holds.
fn one_violation() -> Case {
    Case::new(vec![result(0, TemporalVerdict::Violated, Some(looping())), result(1, TemporalVerdict::Holds, None)])
}

/// Both fail, the second one in a deadlock.
fn two_violations() -> Case {
    let deadlock = run(&[0, 1, 2, 3], TraceEnd::Deadlock);
    Case::new(vec![result(0, TemporalVerdict::Violated, Some(looping())), result(1, TemporalVerdict::Violated, Some(deadlock))])
}

fn unknown() -> Case {
    let unknown = TemporalVerdict::Unknown("`up` was left out somewhere".to_owned());
    let mut case = Case::new(vec![result(0, TemporalVerdict::Holds, None), result(1, unknown, None)]);
    case.outcome.verdict = Verdict::Incomplete;
    case
}

#[test]
fn the_finding_is_a_formula_with_its_run_and_its_loop() {
    let text = one_violation().text();
    let finding = "\n--ltl:1:1: the formula does not hold: G F {x = 0}\nTrace:\n   0  set-up of the constants\n          c = 3\n   1  INITIALISATION\n          x = 0\n   2  up      <- loop\n          x = 1\n   3  up\n          x = 2\n   4  reset\n          x = 1\n      back to 2\n";
    assert!(text.contains(finding), "{text}");
    assert!(text.contains("invariant conjunct, 2 temporal formulas\n"), "{text}");
    assert!(text.ends_with("\ntemporal_violation\n"), "{text}");
}

#[test]
fn all_formulas_are_listed_and_every_violation_has_its_run() {
    let text = two_violations().text();
    let list =
        "\n  temporal formula   verdict\n  --ltl (1)          violated     G F {x = 0}\n  --ltl (2)          violated     F {x = 3}\n";
    assert!(text.contains(list), "{text}");
    assert_eq!(text.matches("the formula does not hold: ").count(), 2);
    let second = text.split("does not hold: F {x = 3}\n").nth(1).expect("the second one");
    assert!(
        second.starts_with("Trace:\n   0  set-up") && second.contains("          x = 3\n      deadlock; nothing follows\n"),
        "{second}"
    );
}

#[test]
fn the_only_formula_is_not_listed_beside_its_finding() {
    let mut case = one_violation();
    let mut model = case.machine.model().clone();
    model.temporal.truncate(1);
    case.outcome.temporal.truncate(1);
    case.machine = Machine::compile(Arc::new(model), case.machine.scope().clone());
    let text = case.text();
    assert!(!text.contains("temporal formula   verdict") && text.contains("1 temporal formula\n"), "{text}");
}

#[test]
fn what_could_not_be_decided_is_said_with_its_reason() {
    let mut case = unknown();
    let undecided = "1 temporal formula could not be decided: --ltl (2) (`up` was left out somewhere).";
    let sentence = format!("The whole state space was searched and nothing was found. {undecided}\n");
    assert!(case.text().contains(&sentence), "{}", case.text());
    case.outcome.limit = Some(LimitHit::Time(std::time::Duration::from_secs(3)));
    let sentence =
        "The whole state space was searched and nothing was found. Stopped at --time-limit after 3 s while temporal formulas were judged. ";
    assert!(case.text().contains(&format!("{sentence}{undecided}\n")), "{}", case.text());
    // The invariant is known to hold.
    let passed = |case: &Case| case.with(junit::of_check).iter().filter(|test| test.result == junit::TestResult::Passed).count();
    assert_eq!(passed(&case), passed(&unknown()));
    case.outcome.limit = Some(LimitHit::States(3));
    case.outcome.complete = false;
    case.outcome.exhausted = false;
    let sentence = format!("Stopped at --max-states 3: the state space is not covered; nothing was found so far. {undecided}\n");
    assert!(case.text().contains(&sentence), "{}", case.text());
    let short = case.with(short::render);
    let line = "--ltl:1:1: warning[incomplete]: the formula could not be decided: F {x = 3}: `up` was left out somewhere\n";
    assert_eq!(*short, *format!("{line}incomplete\n"));
    // A formula that the search did not get to is listed, too.
    case.outcome.temporal.truncate(1);
    assert!(case.text().contains("unknown      F {x = 3}\n") && case.text().contains(NOT_JUDGED), "{}", case.text());
}

#[test]
fn a_formula_that_says_nothing_is_warned_about() {
    let mut case = Case::new(vec![result(0, TemporalVerdict::Holds, None), result(1, TemporalVerdict::Holds, None)]);
    case.outcome.temporal[0].vacuity = Some("no path is fair".to_owned());
    let text = case.text();
    assert!(text.contains("--ltl:1:1: warning[B0510]: the formula holds vacuously: no path is fair"), "{text}");
    assert!(text.contains("holds        G F {x = 0}\n") && text.contains(" vacuously: no path is fair\n"), "{text}");
    let report = case.json();
    assert_eq!((&report["diagnostics"][0]["code"], &report["verdict"]), (&"B0510".into(), &"verified".into()));
    assert_eq!((&report["temporal"][0]["verdict"], &report["temporal"][0]["why"]), (&"holds".into(), &"vacuously: no path is fair".into()));
    assert_eq!((&report["temporal"][0]["vacuous"], &report["temporal"][1]["vacuous"]), (&"no path is fair".into(), &Json::Null));
}

#[test]
fn short_lines_name_every_violation() {
    let lines = two_violations().with(short::render);
    let line = |formula: &str| format!("--ltl:1:1: error[temporal_violation]: the formula does not hold: {formula}\n");
    assert_eq!(*lines, *format!("{}{}temporal_violation\n", line("G F {x = 0}"), line("F {x = 3}")));
}

#[test]
fn json_has_the_formulas_with_their_runs() {
    let report = two_violations().json();
    let first = &report["temporal"][0];
    let fields =
        ["name", "logic", "formula", "verdict", "why", "group_order", "end", "loop_start", "rounds"].map(|field| first[field].clone());
    let expected: Json = serde_json::json!(["--ltl (1)", "ltl", "G F {x = 0}", "violated", null, "6", "loop", 2, 1]);
    assert_eq!(Json::from(fields.to_vec()), expected);
    assert_eq!(first["fairness"], serde_json::json!(["WF(reset)", "SEF"]));
    assert_eq!(
        (&first["automaton"], &first["product"]),
        (&serde_json::json!({"states": 2, "acceptance": 1}), &serde_json::json!({"states": 8, "edges": 9}))
    );
    assert_eq!(first["trace"][4]["state"], first["trace"][2]["state"], "the loop closes");
    assert_eq!(first.get("subformulas"), None, "nobody asked");
    let second = &report["temporal"][1];
    assert_eq!((&second["end"], &second["loop_start"], &second["rounds"]), (&"deadlock".into(), &Json::Null, &Json::Null));
    assert_eq!((&report["end"], &report["loop_start"], &report["trace"]), (&first["end"], &first["loop_start"], &first["trace"]));
    let violation = &report["violation"];
    assert_eq!((&violation["property"], &violation["formula"]), (&"temporal".into(), &"G F {x = 0}".into()));
    // Without formulas there are no such fields.
    let mut case = Case::new(Vec::new());
    let mut model = case.machine.model().clone();
    model.temporal.clear();
    case.machine = Machine::compile(Arc::new(model), case.machine.scope().clone());
    for field in ["temporal", "end", "loop_start", "rounds"] {
        assert_eq!(case.json().get(field), None, "{field}");
    }
}

#[test]
fn ill_defined_propositions_are_findings_in_the_formula() {
    let mut case = Case::new(Vec::new());
    let span = case.machine.model().temporal[1].span;
    let error = EvalError { span, kind: EvalErrorKind::IllDefined(bcheck_value::IllDefined::DivisionByZero) };
    case.outcome.temporal = vec![result(1, TemporalVerdict::IllDefined(error.clone()), None)];
    case.outcome.verdict = Verdict::IllDefined;
    case.outcome.finding = Some(Finding { fault: Fault::ill_defined(FaultyPart::Temporal(1), error), trace: run(&[0], TraceEnd::Prefix) });
    let text = case.text();
    assert!(text.contains("--ltl:1:1: in a temporal formula: ") && text.contains("ill-defined  F {x = 3}\n"), "{text}");
    assert_eq!(case.json()["temporal"][1]["verdict"], "ill_defined");
    let cases = case.with(junit::of_check);
    let failed: Vec<&str> =
        cases.iter().filter(|case| matches!(case.result, junit::TestResult::Failed(..))).map(|case| case.name.as_str()).collect();
    assert_eq!(failed, ["temporal formula --ltl (2): F {x = 3}"]);
}

#[test]
fn each_formula_is_a_test_and_a_rule() {
    let case = one_violation();
    let cases = case.with(junit::of_check);
    let named = |name: &str| cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("{name}"));
    let first = named("temporal formula --ltl (1): G F {x = 0}");
    let junit::TestResult::Failed(message, body) = &first.result else { panic!("{first:?}") };
    assert!(message == "the formula does not hold" && body.contains("      back to 2\n"), "{body}");
    assert_eq!(named("temporal formula --ltl (2): F {x = 3}").result, junit::TestResult::Passed);
    // All states were met, so the invariant is known to hold; and no second is counted twice.
    assert_eq!(named("invariant 1: x : 0..3").result, junit::TestResult::Passed);
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    assert!((seconds - 1.0).abs() < 1e-9, "{seconds}");
    let skipped = unknown().with(junit::of_check);
    assert!(skipped.iter().any(|case| case.result == junit::TestResult::Skipped("`up` was left out somewhere".to_owned())));

    let (results, rules) = case.with(|report| (sarif::of_check(report), sarif::rules_of_check(report)));
    let file: Json = serde_json::from_str(&sarif::render(&results, &rules)).expect("JSON");
    let driver = &file["runs"][0]["tool"]["driver"];
    let ids: Vec<&str> = driver["rules"].as_array().into_iter().flatten().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids, ["temporal_violation/--ltl (1)", "temporal_violation/--ltl (2)"]);
    assert_eq!(driver["rules"][1]["shortDescription"]["text"], "F {x = 3}");
    assert_eq!((results.len(), &results[0]["ruleId"]), (1, &"temporal_violation/--ltl (1)".into()));
    let flow = results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let texts: Vec<&str> = flow.iter().filter_map(|step| step["location"]["message"]["text"].as_str()).collect();
    assert_eq!(texts[2], "up: x = 1 (step 2, where the loop begins)");
    assert_eq!(texts[4], "reset: x = 1 (back to 2)");
}

#[test]
fn every_format_of_a_trace_keeps_how_it_goes_on() {
    let case = one_violation();
    let (model, scope) = (case.machine.model(), case.machine.scope());
    for end in [TraceEnd::Loop { start: 2, rounds: 1 }, TraceEnd::Deadlock, TraceEnd::Prefix] {
        let trace = Trace { end: Some(end), ..looping() };
        let steps = named_steps(model, &trace);
        let files: [Shown; 4] = [
            file(model, scope, &steps, trace.end),
            json::render_trace(model, scope, &steps, trace.end),
            itf::render(model, scope, &trace),
            prob_trace::render(model, scope, &trace, "found", "2026-01-01T00:00:00Z"),
        ];
        for file in files {
            let recorded = read(&file, model).expect("readable");
            assert_eq!((recorded.end, recorded.steps.len()), (Some(end), 5), "{}", file.as_str());
            assert_eq!((recorded.scope.minint, recorded.left_out.len()), (Some(-1), 0), "{}", file.as_str());
        }
    }
    let text = read(&case.text(), model).expect("a report has a trace");
    assert_eq!((text.end, text.steps[2].name.as_deref()), (Some(TraceEnd::Loop { start: 2, rounds: 1 }), Some("up")));
    let report = read(&case.with(json::render), model).expect("a report has a trace");
    assert_eq!(report.end, text.end);
    let states: Json = serde_json::from_str(&itf::render(model, scope, &looping())).expect("JSON");
    assert_eq!((&states["loop"], states["states"].as_array().map(Vec::len)), (&1.into(), Some(4)), "the set-up is no state there");
}

#[test]
fn a_page_lists_the_formulas_and_marks_the_loop() {
    let page = two_violations().with(html::render);
    for part in [
        "<td class=\"value\">F {x = 3}</td><td><strong class=\"bad\">violated</strong></td>",
        "<div class=\"trace\" data-loop=\"2\" data-ending=\"back to 2\">",
        "<div class=\"trace\" data-ending=\"deadlock; nothing follows\">",
        "<h3>2 up <span class=\"note\">the loop begins here</span></h3>",
        "How it goes on: back to 2.",
        "How it goes on: deadlock; nothing follows.",
        "Another finding: --ltl (2)",
        "WF(reset) &amp; SEF",
    ] {
        assert!(page.contains(part), "{part}\n{}", page.as_str());
    }
    assert_eq!(page.matches("class=\"step looping\"").count(), 3, "steps 2, 3 and 4");
    assert_eq!(page.matches("the loop begins here").count(), 1);
}

#[test]
fn subformulas_are_shown_where_they_were_asked_for() {
    let mut case = one_violation();
    let row = |text: &str, depth, values: [bool; 4]| SubformulaRow { text: text.to_owned(), depth, values: values.to_vec() };
    case.outcome.temporal[0].explanation = vec![
        row("G F {x = 0}", 0, [false; 4]),
        row("F {x = 0}", 1, [true, false, false, false]),
        row("{x = 0}", 2, [true, false, false, false]),
    ];
    let text = case.text();
    let table = "\nSubformulas after each step (T: true, -: false):\n               1 2..4\n  G F {x = 0}  -    -\n    F {x = 0}  T    -\n      {x = 0}  T    -\n";
    assert!(text.contains(table), "{text}");
    let rows = &case.json()["temporal"][0]["subformulas"];
    assert_eq!(rows[1], serde_json::json!({"text": "F {x = 0}", "depth": 1, "values": [true, false, false, false]}));
    let page = case.with(html::render);
    assert!(page.contains("<th scope=\"col\">2..4</th>") && page.contains("<td>yes</td><td class=\"soft\">no</td>"), "{}", page.as_str());
}

#[test]
fn alternatives_of_fairness_are_one_assumption() {
    let case = one_violation();
    let of = |number: u32| Pattern { operation: OperationId(number), arguments: Vec::new(), span: Span::nowhere() };
    let text = |alternatives| {
        let kind = FairnessKind::Of { is_strong: true, alternatives };
        fairness(&kind, case.machine.model(), &case.sources)
    };
    assert_eq!(text(vec![vec![of(0), of(1)], vec![of(1)]]), ["(SF(up) & SF(reset)) or SF(reset)"]);
    assert_eq!(text(vec![vec![of(0), of(1)]]), ["SF(up)", "SF(reset)"]);
}
