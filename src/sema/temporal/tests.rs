//! Temporal formulas about a machine: what is wrong with them, where and what to write instead; and what becomes of right ones.

use super::{read_stated, read_temporal, stated_errors};
use crate::{Analysis, Files, FormulaContext, LoadError, NoFiles, analyse_parsed};
use bcheck_ir::temporal::{
    FairnessKind, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalFormula, TemporalKind, TemporalProposition,
};
use bcheck_ir::{ExprKind, Model, Node, Scope, Type, walk_pred};
use bcheck_source::{Code, Diagnostic, FileId, LineColumn, SourceMap};
use bcheck_syntax::ast::{Definition, Machine, Parsed};
use bcheck_syntax::temporal::Logic::{self, Ctl, Ltl};
use bcheck_syntax::{parse_definitions_file, parse_machine};

const MACHINE: &str = r#"MACHINE m
DEFINITIONS above(v) == v > 2; limit == 2; same == x;
  ASSERT_LTL_a == "G {s = \"a\" => x > 0 & zz}"; ASSERT_CTL_b == "AG {x >= 0}"; ASSERT_LTL_c == ("F {w <: {PID7}} & [nope]")
SETS PID; COLOUR = {red, green}
CONSTANTS k PROPERTIES k : NAT
VARIABLES x, c, s, w
INVARIANT x : NAT & c : COLOUR & s : STRING & w <: PID
INITIALISATION x := 0 || c := red || s := "" || w := {}
OPERATIONS
  inc = SELECT x < 3 THEN x := x + 1 END;
  set(n) = SELECT n : 0..3 THEN x := n END;
  move(p, q) = SELECT p : PID & q : COLOUR THEN c := q || w := w \/ {p} END;
  r <-- get = BEGIN r := x END
END"#;

/// Each wrong formula with the place, what is wrong, and a part of the remedy.
const WRONG: &[(Logic, &str, &str, &str, &str)] = &[
    (Ltl, "G", "", "expected a formula, found the end of the formula", "a formula begins with {p}, [op], e(op)"),
    (Ltl, "p => true", "p", "expected a formula, found `p`", "{p = 1}, operations in brackets, [p]"),
    (Ltl, "TRUE", "TRUE", "expected a formula, found `TRUE`", "written true"),
    (Ltl, "{x = 1", "{", "this `{` is not closed", "close it"),
    (Ltl, "{x = 1}}", "}", "this `}` closes nothing", "remove the }"),
    (Ltl, "F {}", "{}", "a predicate is missing between these braces", "without braces"),
    (Ltl, "G {x + 1}", "x + 1", "expected a predicate, found an expression", "E = F"),
    (Ltl, "(true", "", "expected an operator or `)`, found the end of the formula", "close the parenthesis"),
    (Ltl, "true sink", "sink", "expected an operator or the end of the formula, found `sink`", "& or => missing?"),
    (Ltl, "{x = 1} V true", "V", "expected an operator or the end of the formula, found `V`", "f R g"),
    (Ltl, "true ~> sink", "~>", "expected an operator or the end of the formula, found `~>`", "G (f => F g)"),
    (Ltl, "[]{x = 1}", "[]", "an operation is missing here", "is written G or □"),
    (Ltl, "true <=> sink <-> goal", "<->", "`<->` follows another equivalence", "(f <=> g) <=> h"),
    (Ltl, "AG {x = 1}", "AG", "`AG` is an operator of CTL", "write G; or give it as CTL (--ctl"),
    (Ltl, "EF {x = 1}", "EF", "`EF` is an operator of CTL", "ASSERT_CTL"),
    (Ltl, "controller", "", "expected (, found the end of the formula", "controller(op1, op2)"),
    (Ltl, "changed(x)", "x", "expected ({, found `x`", "changed({e})"),
    (Ltl, "#x.({x = 1} => sink)", "=>", "expected & behind the condition of `x`, found `=>`", "#x.({x : S} & f)"),
    (Ltl, "!x,y.({x = y} => sink)", ",", "a quantifier of a formula binds one name", "=> !y.("),
    (Ltl, "G WF(inc)", "WF", "`WF` is an assumption, not a formula", "in front of a formula"),
    (Ltl, "SF(inc) & F sink => true", "SF", "`SF` is an assumption, not a formula", "joined by & and or"),
    (Ltl, "SF(inc) or WF(get) => true", "WF(get)", "weak and strong fairness are mixed here", "join each kind by itself"),
    (Ltl, "SEF & SF(inc) => true", "SF(inc)", "WEF and SEF stand for every operation, so nothing can be joined to them", "leave out"),
    (Ltl, "G (WF(inc) => sink)", "WF(inc)", "a fairness assumption cannot stand inside a formula", "WF(inc) => f"),
    (Ltl, "#n.({n : 0..3} & (SEF => sink))", "SEF", "a fairness assumption cannot stand inside a formula", "only !x"),
    (Ltl, "[incc]", "incc", "the machine has no operation `incc`", "a similar name is `inc`"),
    (Ltl, "[x]", "x", "the machine has no operation `x`", "predicates about it stand in braces"),
    (Ltl, "e(foobar)", "foobar", "the machine has no operation `foobar`", "its operations: inc, set, move, get"),
    (Ltl, "[set(1, 2)]", "set(1, 2)", "`set` has 1 parameter, not 2", "set(_), or set for any arguments"),
    (Ltl, "F [inc(1)]", "inc(1)", "`inc` has 0 parameters, not 1", "inc without parentheses"),
    (Ltl, "[move(1, _)]", "1", "the types PID and INTEGER do not fit", "PID is expected here"),
    (Ltl, "[move(PID3, _)]", "PID3", "nothing declares `PID3`", "--deferred PID=N"),
    (Ltl, "[move(_, )]", "", "an argument is missing here", "_ stands for any value"),
    (Ltl, "{x$0 = 1}", "x$0", "`x` has no old value here", "BA({P})"),
    (Ltl, "increasing({c})", "c", "the types INTEGER and COLOUR do not fit", "INTEGER is expected here"),
    (Ltl, "goal", "goal", "the machine has no goal", "define GOAL == P"),
    (Ltl, "current", "current", "`current` is the state of an animation, and there is none here", "write a predicate"),
    (Ltl, "error", "error", "`error` is not supported", "found by every check"),
    (Ltl, "det_output", "det_output", "`det_output` is not supported", "write deterministic(op1, op2)"),
    (Ltl, "non_det", "non_det", "`non_det` is not supported", "not deterministic(op1, op2)"),
    (Ltl, "!n.({n = n} => true)", "n", "the type of `n` cannot be inferred", "`n : S`"),
    (Ltl, "G {s = \"a}", "\"", "this string has no closing quote", "close it"),
    (Ltl, "G /* c {x = 1}", "/*", "this comment has no end", "close it with */"),
    (Ctl, "G {x = 1}", "G", "`G` does not begin a formula of CTL here", "AG f or EG f"),
    (Ctl, "E({x = 1} U sink)", "U", "expected an operator or `)`, found `U`", "E f U g"),
    (Ctl, "E {x = 1}", "", "expected U, found the end of the formula", "EX f, EF f, EG f"),
    (Ctl, "AX[inc]{x = 1}", "{", "AX takes no operation: this follows the formula AX [op]", "not EX[op] not f"),
    (Ctl, "e (inc)", "e", "`e` does not begin a formula of CTL here", "without a blank"),
    (Ctl, "WF(inc) => AF sink", "WF", "`WF` does not begin a formula of CTL here", "only LTL has fairness"),
    (Ctl, "!n,m.({n = m} => sink)", ",", "a quantifier of a formula binds one name", "=> !y.("),
    (Ctl, "AG #n.({n : 0..3} => sink)", "=>", "expected & behind the condition of `n`, found `=>`", "#x.({x : S} & f)"),
    (Ctl, "!n.({n = n} => AF sink)", "n", "the type of `n` cannot be inferred", "`n : S`"),
    (Ctl, "before({x = 1}) absence(sink)", "before", "`before` does not begin a formula of CTL here", "only LTL has patterns"),
    (Ltl, "absence({x = 1})", "absence", "`absence` is a pattern, of which the scope is missing", "globally absence(p)"),
    (Ltl, "globally existence {x = 1}", "existence", "`existence` is a pattern, of which the scope is missing", "in parentheses"),
    (Ltl, "before {x = 1} absence(sink)", "{", "expected (, found `{`", "write before(r)"),
    (Ltl, "between({x = 1}) absence(sink)", ")", "expected a comma, found `)`", "write between(q, r)"),
    (Ltl, "after(sink) {x = 1}", "{", "expected a pattern, found `{`", "response(s, p) behind a scope"),
    (Ltl, "globally response({x = 1})", ")", "expected a comma, found `)`", "response(s then t, p)"),
    (Ltl, "globally absence({x = 1}, sink)", ",", "expected an operator or `)`, found `,`", "write absence(p)"),
    (Ltl, "globally existence(sink, 2)", "2", "expected at_most, found `2`", "existence(p, at_most 2)"),
    (Ltl, "globally existence(sink, at_most 0)", "0", "expected a number from 1 to 9, found `0`", "written absence(p)"),
    (Ltl, "globally precedence(true then sink, sink then false)", "false", "only one side can be a chain", "precedence(p, s then t)"),
    (Ltl, "globally response(sink then sink then sink, sink)", "then", "a chain has two members", "response(s then t, p)"),
    (Ltl, "globally precedence(sink then sink without sink, sink)", "without", "`without` belongs to a chain that responds", "write prec"),
    (Ltl, "globally response(sink without sink, sink)", "without", "`without` belongs to a chain that responds", "s then t without z"),
    (Ltl, "globally absence([incc])", "incc", "the machine has no operation `incc`", "a similar name is `inc`"),
    (Ltl, "after(WF(inc) => sink) absence(sink)", "WF", "`WF` is an assumption, not a formula", "in front of a formula"),
];

fn analysis() -> (Analysis, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.mch", MACHINE);
    (analyse_parsed(parse_machine(file, MACHINE), &mut NoFiles), sources)
}

/// A formula about [`MACHINE`], where PID has two elements, with the model that has its bound names.
fn read(logic: Logic, text: &str) -> Result<(TemporalFormula, Model), Vec<Diagnostic>> {
    let (analysis, mut sources) = analysis();
    let scope = Scope { sizes: vec![2, 2], minint: -1, maxint: 3 };
    let context = FormulaContext { model: analysis.model.as_ref(), scope: Some(&scope), ..FormulaContext::default() };
    read_temporal(sources.add("formula", text), logic, "f", text, context, &analysis.macros)
}

fn linear(text: &str) -> (Temporal, Model) {
    match read(Ltl, text) {
        Ok((TemporalFormula { body, logic: Ltl, .. }, model)) => (body, model),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_wrong_formula_is_refused_with_the_place_and_the_remedy() {
    for (logic, text, place, title, remedy) in WRONG {
        let found = read(*logic, text).expect_err(text);
        let span = found[0].span();
        assert_eq!(span.file, FileId(1), "{text}");
        assert_eq!((&text[span.start as usize..span.end as usize], found[0].title.as_str()), (*place, *title), "{text}");
        assert!(found[0].help.iter().any(|help| help.contains(remedy)), "{text}: {:?}", found[0].help);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn patterns_whose_formula_is_too_large_are_refused() {
    // Each copies the one inside several times.
    let nested = |depth: usize| (0..depth).fold("sink".to_owned(), |inside, _| format!("before({inside}) response(sink, sink)"));
    assert!(read(Ltl, &nested(3)).is_ok());
    let found = read(Ltl, &nested(40)).expect_err("too large");
    assert_eq!((found.len(), found[0].code), (1, Code::TooDeep), "{found:?}");
}

#[test]
fn several_errors_are_reported_in_the_order_of_the_text() {
    let found = read(Ltl, "G {zz = 1} => F [nope] U {x = TRUE}").expect_err("three errors");
    let titles: Vec<&str> = found.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["nothing declares `zz`", "the machine has no operation `nope`", "the types INTEGER and BOOL do not fit"]);
}

#[test]
fn bound_names_get_ids_after_those_of_the_model_and_hide_definitions() {
    let before = analysis().0.model.expect("a correct machine").locals.len();
    let (formula, model) = linear("!limit.({limit : PID} => (WF(move(limit, _)) => G {limit /: w & above(x)}))");
    assert_eq!(&model.locals[before..], ["limit"]);
    let TemporalKind::Prefixed(Prefix::Quantified { is_universal: true, local, ty: Type::Given(_), .. }, body) = formula.kind else {
        panic!("{formula:?}")
    };
    assert_eq!(local.index(), before);
    let TemporalKind::Prefixed(Prefix::Fair(premises), _) = body.kind else { panic!("{body:?}") };
    let [FairnessKind::Of { is_strong: false, alternatives }] = premises.as_slice() else { panic!("{premises:?}") };
    let [Some(argument), None] = alternatives[0][0].arguments.as_slice() else { panic!("{alternatives:?}") };
    assert_eq!(argument.kind, ExprKind::Local(local));
}

#[test]
fn a_definition_that_is_a_name_is_bound_as_that_name() {
    let (_, model) = linear("!same.({same : PID} => G {x /: w})");
    assert_eq!(model.locals.last().map(String::as_str), Some("x"), "as in a predicate of B");
}

#[test]
fn assumptions_come_as_a_conjunction_of_disjunctive_normal_forms() {
    let text = "((SF(inc) & SF(get)) or SF(set)) & (WF(set(1)) & WF(set(2))) => true";
    let TemporalKind::Prefixed(Prefix::Fair(premises), _) = linear(text).0.kind else { panic!("{text}") };
    let place = |pattern: &Pattern| text[pattern.span.start as usize..pattern.span.end as usize].to_owned();
    let shown: Vec<(bool, Vec<Vec<String>>)> = premises
        .iter()
        .map(|premise| match premise {
            FairnessKind::Of { is_strong, alternatives } => {
                (*is_strong, alternatives.iter().map(|all| all.iter().map(place).collect()).collect())
            }
            FairnessKind::Every { .. } => panic!("{premise:?}"),
        })
        .collect();
    let expected = [(true, vec![vec!["inc", "get"], vec!["set"]]), (false, vec![vec!["set(1)"]]), (false, vec![vec!["set(2)"]])];
    let expected: Vec<(bool, Vec<Vec<String>>)> =
        expected.map(|(kind, all)| (kind, all.into_iter().map(|any| any.into_iter().map(str::to_owned).collect()).collect())).into();
    assert_eq!(shown, expected);
}

#[test]
fn assumptions_with_too_many_alternatives_are_refused() {
    let of = |word: &str, count: usize| vec![format!("({word}(inc) or {word}(get))"); count].join(" & ");
    assert!(read(Ltl, &format!("{} => true", of("SF", 10))).is_ok());
    // Together, as each choice of one is joined with each of the other.
    let found = read(Ltl, &format!("({}) & ({}) => true", of("SF", 6), of("WF", 5))).expect_err("2^11 alternatives");
    assert_eq!((found.len(), found[0].code), (1, Code::NotSupportedEver), "{found:?}");
    assert!(read(Ltl, &format!("{} => true", of("WF", 100))).is_err());
}

#[test]
fn a_value_before_the_step_is_that_of_a_variable() {
    let kind = linear("BA({x > x$0 + k})").0.kind;
    let TemporalKind::Proposition(TemporalProposition::Step(StepProposition::BeforeAfter(pred))) = kind else { panic!("a step") };
    let mut old = 0;
    walk_pred(&pred, &mut |node| old += usize::from(matches!(node, Node::Expr(expr) if matches!(expr.kind, ExprKind::OldVariable(_)))));
    assert_eq!(old, 1);
}

#[test]
fn an_operation_without_parentheses_stands_for_any_arguments() {
    let Ok((formula, _)) = read(Ctl, "[move]") else { panic!("a correct formula") };
    // In branching time `[op]` is `e(op)`.
    let TemporalKind::Proposition(TemporalProposition::State(StateProposition::Enabled(pattern))) = formula.body.kind else {
        panic!("{formula:?}")
    };
    assert_eq!(pattern.arguments, [None, None]);
}

#[test]
fn the_goal_and_the_current_state_are_known_where_there_are_any() {
    let text = "MACHINE g DEFINITIONS GOAL == x = 1 VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 END";
    let analysis = analyse_parsed(parse_machine(FileId(0), text), &mut NoFiles);
    let context = FormulaContext { model: analysis.model.as_ref(), has_current: true, ..FormulaContext::default() };
    let read = |text| read_temporal(FileId(1), Ltl, "f", text, context, &analysis.macros).expect("a correct formula").0.body;
    let goal = analysis.model.as_ref().and_then(|model| model.goal.clone()).expect("a goal");
    let state = |body| match body {
        Temporal { kind: TemporalKind::Proposition(TemporalProposition::State(state)), .. } => state,
        other => panic!("{other:?}"),
    };
    assert_eq!(state(read("goal")), StateProposition::Holds(goal));
    assert_eq!(state(read("current")), StateProposition::Current);
}

#[test]
fn errors_of_stated_formulas_are_at_their_places_in_the_machine() {
    let (analysis, sources) = analysis();
    let context = FormulaContext { model: analysis.model.as_ref(), ..FormulaContext::default() };
    let found = stated_errors(&analysis.stated, &sources, context, &analysis.macros);
    let shown: Vec<(&str, u32)> = found.iter().map(|one| (sources.text(one.span()), one.span().start)).collect();
    let at = |part: &str| u32::try_from(MACHINE.find(part).expect("a part of the machine")).expect("a short machine");
    assert_eq!(shown, [("zz", at("zz}")), ("nope", at("nope"))]);
    let (formula, _) = read_stated(&analysis.stated[1], &sources, context, &analysis.macros).expect("a correct formula");
    assert_eq!((formula.name.as_str(), formula.text.as_str(), sources.text(formula.span)), ("ASSERT_CTL_b", "AG {x >= 0}", "AG {x >= 0}"));
}

#[test]
fn parts_of_a_stated_formula_are_found_behind_escapes() {
    let text = r#"MACHINE m DEFINITIONS ASSERT_LTL == "\u{20} G ({s = \"nn\"} => F {s = \"é\"})"
        VARIABLES s INVARIANT s : STRING INITIALISATION s := "" END"#;
    let mut sources = SourceMap::new();
    let analysis = analyse_parsed(parse_machine(sources.add("m.mch", text), text), &mut NoFiles);
    let context = FormulaContext { model: analysis.model.as_ref(), ..FormulaContext::default() };
    let (formula, _) = read_stated(&analysis.stated[0], &sources, context, &analysis.macros).expect("a correct formula");
    assert_eq!((formula.text.as_str(), formula.part(formula.span)), ("G ({s = \"nn\"} => F {s = \"é\"})", Some(&*formula.text)));
    let TemporalKind::Unary(_, body) = &formula.body.kind else { panic!("{formula:?}") };
    let TemporalKind::Binary(_, premise, conclusion) = &body.kind else { panic!("{body:?}") };
    let parts = [premise, conclusion].map(|part| formula.part(part.span));
    assert_eq!(parts, [Some("{s = \"nn\"}"), Some("F {s = \"é\"}")]);
}

/// One definition file.
struct OneFile<'a>(&'a mut SourceMap, &'static str);

impl Files for OneFile<'_> {
    fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }

    fn definitions(&mut self, _: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Ok(parse_definitions_file(self.0.add(path, self.1), self.1))
    }
}

#[test]
fn errors_of_formulas_in_a_definition_file_are_at_their_places_there() {
    let mut sources = SourceMap::new();
    let text = "MACHINE m DEFINITIONS \"f.def\" END";
    let file = sources.add("m.mch", text);
    let other = "DEFINITIONS one == 1; ASSERT_LTL == '''\n  G {\\\"}\\\" = \"}\"}\n  & F {one = two}\n'''";
    let analysis = analyse_parsed(parse_machine(file, text), &mut OneFile(&mut sources, other));
    let context = FormulaContext { model: analysis.model.as_ref(), ..FormulaContext::default() };
    let found = stated_errors(&analysis.stated, &sources, context, &analysis.macros);
    let span = found[0].span();
    assert_eq!((found.len(), sources.text(span), sources.line_column(span)), (1, "two", LineColumn { line: 3, column: 14 }));
    assert_eq!(sources.file(span.file).name, "f.def");
}

#[test]
fn stated_formulas_that_are_taken_are_not_among_what_is_not_checked() {
    let (mut analysis, _) = analysis();
    assert_eq!(analysis.diagnostics[0].title, "3 temporal formulas are not checked; `bcheck check` checks them");
    let taken = analysis.take_stated(|stated| stated.logic == Ltl);
    assert_eq!(taken.iter().map(|stated| stated.name.as_str()).collect::<Vec<_>>(), ["ASSERT_LTL_a", "ASSERT_LTL_c"]);
    assert_eq!(analysis.diagnostics[0].title, "1 temporal formula is not checked; `bcheck check` checks it");
    let left: Vec<&str> = analysis.model.iter().flat_map(|model| &model.not_checked).map(|property| property.name.as_str()).collect();
    assert_eq!(left, ["ASSERT_CTL_b"]);
    analysis.take_stated(|_| true);
    assert!(analysis.diagnostics.is_empty());
}
