//! Messages about names, and about formulas where something else is expected.

use super::{messages, model, places};
use bcheck_ir::GivenSetKind;

#[test]
fn an_unknown_name_suggests_a_similar_one() {
    assert_eq!(
        messages("MACHINE m VARIABLES counter INVARIANT countr : NAT INITIALISATION counter := 0 END"),
        ["B0201 nothing declares `countr` | «countr» unknown name | help: a similar name is `counter`"]
    );
    assert_eq!(messages("MACHINE m PROPERTIES zebra = 1 END"), ["B0201 nothing declares `zebra` | «zebra» unknown name"]);
    assert_eq!(
        messages("MACHINE m DEFINITIONS limit == 3 PROPERTIES limt > 2 END"),
        ["B0201 nothing declares `limt` | «limt» unknown name | help: a similar name is `limit`"]
    );
}

#[test]
fn an_unknown_name_that_is_a_keyword_in_other_case_is_told_as_such() {
    assert_eq!(
        messages("MACHINE m PROPERTIES true = TRUE END"),
        ["B0201 nothing declares `true` | «true» unknown name | help: the keyword of B is written TRUE"]
    );
}

#[test]
fn every_unknown_name_is_reported_in_the_order_of_the_text() {
    let text = "MACHINE m CONSTANTS k PROPERTIES k : a & b < 1 VARIABLES x INVARIANT x : c INITIALISATION x := d
        OPERATIONS op(p) = PRE p : e THEN x :: f END END";
    assert_eq!(places(text), ["B0201 a", "B0201 b", "B0201 c", "B0201 d", "B0201 e", "B0201 f"]);
}

#[test]
fn names_are_declared_once() {
    let text = "MACHINE m SETS S = {a, b}; T = {b} CONSTANTS a PROPERTIES 1 = 1 VARIABLES S INVARIANT 1 = 1 INITIALISATION skip
        OPERATIONS op = skip; op = skip; q(p, p) = PRE p : NAT THEN skip END END";
    assert_eq!(
        messages(text),
        [
            "B0202 `b` is declared twice | «b» declared again here | «b» first declared here",
            "B0202 `a` is declared twice | «a» declared again here | «a» first declared here",
            "B0202 `S` is declared twice | «S» declared again here | «S» first declared here",
            "B0202 `op` is declared twice | «op» declared again here | «op» first declared here",
            "B0202 `p` is declared twice | «p» declared again here | «p» first declared here",
        ]
    );
    assert_eq!(places("MACHINE m PROPERTIES !(x, x).(x : NAT => x = x) & rec(a : 1, a : 2) = rec(a : 1) END")[..1], ["B0202 x"]);
}

#[test]
fn inner_names_hide_outer_ones() {
    let text = "MACHINE m SETS S VARIABLES x INVARIANT x : NAT & !x.(x : S => x /: {}) INITIALISATION x := 0 OPERATIONS op(x) = PRE x : S THEN skip END END";
    assert_eq!(model(text).locals, ["x", "x"]);
}

#[test]
fn properties_do_not_see_variables() {
    assert_eq!(
        messages("MACHINE m CONSTANTS c PROPERTIES c = x VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END"),
        [concat!(
            "B0201 the variable `x` is not visible here | «x» this clause speaks of constants and sets only | «x» declared here ",
            "| help: move the predicate to INVARIANT, or declare a constant"
        )]
    );
}

#[test]
fn predicates_and_expressions_are_kept_apart() {
    let context = "MACHINE m CONSTANTS c PROPERTIES c : BOOL &";
    assert_eq!(
        messages(&format!("{context} c END")),
        ["B0121 a predicate is expected, but this is an expression | «c» an expression | help: write `… = TRUE` for a value of BOOL"]
    );
    let text = format!("{context} c = (1 = 1) END");
    assert_eq!(places(&text), ["B0122 (1 = 1)"]);
    // What the parser cannot know: a definition that is a predicate.
    assert_eq!(
        messages("MACHINE m DEFINITIONS small == 1 < 2 CONSTANTS c PROPERTIES c = small END"),
        [concat!(
            "B0122 an expression is expected, but this is a predicate | «small» a predicate ",
            "| help: bool(...) turns a predicate into TRUE or FALSE"
        )]
    );
    assert_eq!(places("MACHINE m DEFINITIONS one == 1 PROPERTIES one or not(one) END"), ["B0121 one", "B0121 one"]);
    assert_eq!(places("MACHINE m DEFINITIONS step == skip PROPERTIES step = 1 & step END"), ["B0122 step", "B0122 step"]);
}

#[test]
fn an_undeclared_predicate_is_an_unknown_name() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS isSmall(x) == x < 3 PROPERTIES isSmal(2) & Top END"),
        [
            "B0201 nothing declares `isSmal` | «isSmal» unknown name | help: a similar name is `isSmall`",
            "B0201 nothing declares `Top` | «Top» unknown name",
        ]
    );
    assert_eq!(
        messages("MACHINE m OPERATIONS op = PRE true THEN skip END END"),
        ["B0201 nothing declares `true` | «true» unknown name | help: the predicate is written btrue"]
    );
    assert_eq!(
        messages("MACHINE m SETS S PROPERTIES partition(S, {}) END"),
        ["B0201 nothing declares `partition` | «partition» unknown name | help: the predicate is written @partition(…)"]
    );
}

#[test]
fn variables_need_an_initialisation() {
    assert_eq!(
        messages("MACHINE m VARIABLES x, y INVARIANT x : NAT & y : NAT END"),
        [concat!(
            "B0213 a machine with variables needs an INITIALISATION | «x» `x` has no initial value ",
            "| help: add INITIALISATION with an assignment to each variable"
        )]
    );
}

#[test]
fn library_functions_that_are_not_evaluated_are_named_once() {
    let text = "MACHINE m CONSTANTS t PROPERTIES REGEX_MATCH(\"a\", \"b\") = REGEX_MATCH(\"b\", \"b\") & arity(t, []) = 1 & LEQ_SYM(1, 2)
        OPERATIONS op = ADD_ERROR(\"x\") END";
    assert_eq!(
        messages(text),
        [
            "B0302 `REGEX_MATCH` is not supported | «REGEX_MATCH» a function of ProB's libraries that bcheck does not evaluate",
            "B0302 `arity` is not supported | «arity» an operator on trees that bcheck does not evaluate",
            "B0302 `LEQ_SYM` is not supported | «LEQ_SYM» a function of ProB's libraries that bcheck does not evaluate",
            "B0302 `ADD_ERROR` is not supported | «ADD_ERROR» a function of ProB's libraries that bcheck does not evaluate",
        ]
    );
    let declared = "MACHINE m CONSTANTS arity PROPERTIES arity : NAT * NAT --> NAT & arity(1, 2) = 3 END";
    assert_eq!(messages(declared), [""; 0], "a declared name is the machine's own");
}

#[test]
fn printing_changes_nothing() {
    let text =
        "MACHINE m CONSTANTS c PROPERTIES c = vprintf(\"~w\", 1) & printf(\"~w\", c) VARIABLES x INVARIANT x : NAT INITIALISATION x := 0
        OPERATIONS op = BEGIN x := 1 || printf(\"~w\", x) END END";
    let model = model(text);
    assert_eq!(model.properties.len(), 1, "printing is true");
    let printer = super::print::Printer(&model);
    assert_eq!(printer.pred(&model.properties[0].pred), "Equal(c, 1)");
    assert_eq!(printer.subst(&model.operations["op"].body), "(x := 1 || skip)");
    assert_eq!(
        places("MACHINE m PROPERTIES printf(\"~w\", nothing) & 1 = vprintf(2) END"),
        ["B0406 printf", "B0201 nothing", "B0207 vprintf(2)"]
    );
}

#[test]
fn real_numbers_are_refused() {
    assert_eq!(places("MACHINE m CONSTANTS c PROPERTIES c : REAL & c = 1.5 END"), ["B0302 REAL"]);
}

#[test]
fn numbers_of_arguments_are_checked() {
    assert_eq!(
        messages("MACHINE m PROPERTIES STRING_LENGTH(\"a\", \"b\") = 1 END"),
        ["B0207 `STRING_LENGTH` takes 1 argument, not 2 | «STRING_LENGTH(\"a\", \"b\")» 2 arguments given"]
    );
}

#[test]
fn enumerated_sets_may_be_listed_in_definitions() {
    let sets = model("MACHINE m DEFINITIONS Colours == {red, green}; Sizes == big, small SETS C = Colours; D = Sizes END").sets;
    assert_eq!(sets["C"].kind, GivenSetKind::Enumerated(vec!["red".to_owned(), "green".to_owned()]));
    assert_eq!(sets["D"].kind, GivenSetKind::Enumerated(vec!["big".to_owned(), "small".to_owned()]));
    assert_eq!(places("MACHINE m DEFINITIONS N == 3 SETS C = N; D = M END"), ["B0201 N", "B0201 M"]);
}

#[test]
fn sets_beyond_the_ids_are_refused_as_such() {
    let sets: Vec<String> = (0..=65_537).map(|number| format!("S{number}")).collect();
    let text = format!("MACHINE m SETS {} PROPERTIES S65537 = S65537 END", sets.join(";"));
    assert_eq!(messages(&text), ["B0302 more than 65536 sets are not supported | «S65536» the first one too many"]);
}
