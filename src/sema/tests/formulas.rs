//! Formulas about a machine that stand outside it.

use super::print::Printer;
use super::{FILE, message};
use crate::{Asked, Formula, FormulaContext, Macros, NoFiles, analyse_formula, analyse_with, read_formula, read_question};
use bcheck_ir::Scope;
use bcheck_syntax::{parse_formula, parse_machine};

const MACHINE: &str =
    "MACHINE m DEFINITIONS limit == 3; above(v) == v > limit; GOAL == above(x); bad == nothing + 1; step == skip; pair == x, y
    SETS S = {a, b} CONSTANTS k PROPERTIES k : NAT VARIABLES x, y INVARIANT x : NAT & y : S INITIALISATION x := 0 || y := a END";

/// The core language of a formula about [`MACHINE`], or its diagnostics.
fn formula(text: &str) -> Result<String, Vec<String>> {
    let machine = parse_machine(FILE, MACHINE).tree.expect("a machine");
    let analysis = analyse_with(&machine, &mut NoFiles);
    let model = analysis.model.expect("a correct machine");
    let tree = parse_formula(FILE, text).tree;
    match analyse_formula(&tree, FormulaContext { model: Some(&model), ..FormulaContext::default() }, &analysis.macros) {
        Ok((Formula::Expr(expr), model)) => Ok(Printer(&model).expr(&expr)),
        Ok((Formula::Pred(pred), model)) => Ok(Printer(&model).pred(&pred)),
        Err(diagnostics) => Err(diagnostics.iter().map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.title)).collect()),
    }
}

#[test]
fn names_of_the_machine_can_be_used() {
    assert_eq!(formula("x + k").as_deref(), Ok("Add(x, k)"));
    assert_eq!(formula("y /= a").as_deref(), Ok("NotEqual(y, a)"));
    assert_eq!(formula("{z | z : S & z /= y}").as_deref(), Ok("{z | (Member(z, S) & NotEqual(z, y))}"));
}

#[test]
fn definitions_of_the_machine_can_be_used() {
    assert_eq!(formula("limit + 1").as_deref(), Ok("Add(3, 1)"));
    assert_eq!(formula("above(k) & y = a").as_deref(), Ok("(Greater(k, 3) & Equal(y, a))"));
    assert_eq!(formula("GOAL").as_deref(), Ok("Greater(x, 3)"), "a definition that is a predicate is a predicate");
    assert_eq!(formula("(pair)").as_deref(), Ok("Pair(x, y)"));
}

#[test]
fn errors_in_a_formula_are_told() {
    assert_eq!(formula("limits").expect_err("refused"), ["B0201 nothing declares `limits`"]);
    assert_eq!(formula("bad").expect_err("refused"), ["B0201 nothing declares `nothing`"]);
    assert_eq!(formula("above").expect_err("refused"), ["B0207 the definition `above` takes 1 argument, not 0"]);
    assert_eq!(formula("step = 1").expect_err("refused"), ["B0122 the definition `step` is a substitution"]);
    assert_eq!(formula("x = y").expect_err("refused"), ["B0203 the types INTEGER and S do not fit"]);
}

#[test]
fn a_name_that_looks_like_an_element_of_a_deferred_set_is_not_free() {
    let machine = parse_machine(FILE, "MACHINE m SETS D; E CONSTANTS D9 PROPERTIES D9 : D END").tree.expect("a machine");
    let model = analyse_with(&machine, &mut NoFiles).model.expect("a correct machine");
    let scope = Scope { sizes: vec![2, 1], minint: -1, maxint: 3 };
    let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
    let asked = |text: &str| read_question(FILE, text, context, &Macros::default()).map(|(asked, _)| matches!(asked, Asked::Names(..)));
    let help = |text: &str| asked(text).expect_err(text)[0].help.clone();
    assert_eq!(help("D_5 : D"), ["`D` has 2 elements here, D_1 and D_2; --deferred D=N gives it more"]);
    assert_eq!(help("E2 : E"), ["`E` has 1 element here, E1; --deferred E=N gives it more"]);
    assert!(asked("d : D").expect("a question") && asked("D5 : D").expect("no element is printed so, beside the constant D9"));
    assert!(!asked("D_1 : D").expect("a value"));
}

#[test]
fn sets_that_values_replace_stand_for_their_values() {
    let text = "IMPLEMENTATION i DEFINITIONS most == k; in(x) == x : S SETS S; T CONSTANTS k PROPERTIES k = 3
        VALUES S = 0..most; T = S * {1}; k = 3 END";
    let machine = parse_machine(FILE, text).tree.expect("a machine");
    let analysis = analyse_with(&machine, &mut NoFiles);
    let model = analysis.model.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    let read = |text: &str| {
        let context = FormulaContext { model: Some(&model), ..FormulaContext::default() };
        match read_formula(FILE, text, context, &analysis.macros) {
            Ok((Formula::Expr(expr), model)) => Printer(&model).expr(&expr),
            Ok((Formula::Pred(pred), model)) => Printer(&model).pred(&pred),
            Err(diagnostics) => panic!("{text}: {diagnostics:?}"),
        }
    };
    assert_eq!(read("card(S)"), "Card(Interval(0, k))");
    assert_eq!(read("in(2)"), "Member(2, Interval(0, k))");
    assert_eq!(read("T"), "Product(Interval(0, k), {1})");
    // The k of the value is the constant, not the name that the formula binds: that one is no number.
    assert_eq!(read("#k.(k : BOOL & 2 : S)"), "#k.(Member(k, BOOL) & Member(2, Interval(0, k)))");
    let (asked, _) = read_question(FILE, "x : S", FormulaContext { model: Some(&model), ..FormulaContext::default() }, &analysis.macros)
        .expect("a question");
    assert!(matches!(asked, Asked::Names(names, _) if names.len() == 1));
}

#[test]
fn a_formula_needs_no_machine() {
    let tree = parse_formula(FILE, "#v.(v : 1..3 & v > 2)").tree;
    let (formula, model) = analyse_formula(&tree, FormulaContext::default(), &Macros::default()).expect("a correct formula");
    assert!(matches!(formula, Formula::Pred(_)));
    assert_eq!(model.locals, ["v"]);
    let unknown = parse_formula(FILE, "v + 1").tree;
    let diagnostics = analyse_formula(&unknown, FormulaContext::default(), &Macros::default()).expect_err("v is not known");
    assert_eq!(
        diagnostics.iter().map(|diagnostic| message(diagnostic, "v + 1")).collect::<Vec<_>>(),
        ["B0201 nothing declares `v` | «v» unknown name"]
    );
}
