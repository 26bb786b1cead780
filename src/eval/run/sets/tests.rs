//! Answers about sets that are described or hold descriptions, and those that are not given.

use crate::Machine;
use bcheck_ir::{OperationId, Scope};
use bcheck_sema::{Formula, FormulaContext, Macros, analyse, analyse_formula};
use bcheck_source::SourceMap;
use bcheck_syntax::{parse_formula, parse_machine};
use bcheck_value::Valuation;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Whether a predicate holds, or the reason why it is not decided.
fn holds(text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::default();
    let parsed = parse_formula(sources.add("formula", text), text);
    let (formula, model) =
        analyse_formula(&parsed.tree, FormulaContext::default(), &Macros::default()).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let machine = Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
    let Formula::Pred(pred) = formula else { panic!("{text} is an expression") };
    machine.holds(&pred, &Vec::new()).map_err(|error| error.kind.to_string())
}

/// A machine without constants, and its initial states.
fn initialised(text: &str) -> (Machine, Vec<Valuation>) {
    let mut sources = SourceMap::default();
    let parsed = parse_machine(sources.add("M.mch", text), text);
    let model = analyse(&parsed.tree.expect("a tree")).0.expect("a model");
    let machine = Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
    let mut initial = Vec::new();
    let keep = &mut |state| {
        initial.push(state);
        ControlFlow::Continue(())
    };
    machine.for_each_initial(&[], keep).expect("initialised");
    (machine, initial)
}

#[test]
fn conditions_show_inclusions() {
    for text in [
        "{x | x : NATURAL & x mod 2 = 0} <: NATURAL",
        "{x | x : NATURAL1 & x mod 2 = 0} : POW(NATURAL)",
        "{x, y | x : NATURAL & y : NATURAL1 & x * y > 3} <: NATURAL * NATURAL",
        "{x, y | x : NATURAL & y : NATURAL1 & x * y > 3} : NATURAL <-> NATURAL",
        "%x.(x : NATURAL | x + 1) <: NATURAL * INTEGER",
        "{x | x <: NATURAL & x /= {}} <: POW(INTEGER)",
        "id(NATURAL) <: NATURAL * INTEGER",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
    }
    // An element outside, or nothing that shows it.
    assert_eq!(holds("{x | x : INTEGER & x * x > 3} <: NATURAL1"), Ok(false));
    assert!(holds("{x | x : INTEGER & x * x * x > 10} <: NATURAL").is_err());
}

#[test]
fn a_set_that_cannot_be_enumerated_equals_no_listed_set_by_guess() {
    assert_eq!(holds("%x.(x : NATURAL | x + 1) = {0 |-> 1}"), Ok(false));
    assert_eq!(holds("{x | x * x * x < 8 & x * x * x > -2} = {0}"), Ok(false));
    // Elements next to the numbers of the condition are tried.
    assert_eq!(holds("{a, b, c | a : NATURAL1 & b < 0 & c > 4000} = {} or {a, b | a >= 200 & b = a * a} = {}"), Ok(false));
    assert!(holds("{x | x * x * x < 8 & x * x * x > -2} = {-1, 0, 1}").is_err());
}

#[test]
fn sets_too_large_to_be_counted_are_not_infinite() {
    for text in [
        "iseq(1 .. 5000) <: ((1 .. 5000) +-> (1 .. 5000))",
        "iseq(1 .. 5000) - ((1 .. 5000) +-> (1 .. 5000)) = {}",
        "((1 .. 300) -->> (1 .. 300)) <: POW((1 .. 300) * (1 .. 300))",
        "((1 .. 300) -->> (1 .. 300)) - POW((1 .. 300) * (1 .. 300)) = {}",
        "(POW(NATURAL) >-> NATURAL) = {} & (NATURAL -->> POW(NATURAL)) = {}",
        "(NATURAL >-> NATURAL) /= {} & (NATURAL >-> POW(NATURAL)) /= {}",
        "iseq(1 .. 5000) - {<>} /= {} & iseq(1 .. 5000) /: FIN({<>})",
        "seq(NATURAL) <: (NATURAL +-> INTEGER)",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
    }
    for text in [
        "card(perm((NATURAL --> {1}) * POW(1 .. 2000000))) = 0",
        "card(((NATURAL --> {1}) * POW(1 .. 2000000)) >-> POW(1 .. 3000000)) = 0",
        "iseq(1 .. 5000) = ((1 .. 5000) +-> (1 .. 5000))",
        "((NATURAL --> NATURAL) >-> NATURAL) = {}",
    ] {
        assert!(holds(text).is_err(), "{text}: {:?}", holds(text));
    }
    // One of the first elements is none of the other set.
    assert_eq!(holds("((1 .. 300) -->> (1 .. 300)) <: POW((1 .. 300) * (0 .. 299))"), Ok(false));
    // So is one that fits.
    assert_eq!(holds("#x.(x : iseq(1 .. 5000) & x /= <>)"), Ok(true));
}

#[test]
fn functions_are_taken_backwards() {
    for text in [
        "%x.(x : NATURAL | x + 1)~[0 .. 2] = {0, 1}",
        "{x, y | x : NATURAL & y = 2 * x}~[0 .. 4] = {0, 1, 2}",
        "3 : ran(%x.(x : INTEGER | 2 * x + 1)) & 4 /: ran(%x.(x : INTEGER | 2 * x + 1))",
        "(id(NATURAL) ; {3 |-> 4, -1 |-> 4}) = {3 |-> 4}",
        "(%x.(x : INTEGER | x + 1) ; %x.(x : INTEGER | 2 * x))~(6) = 2",
        "iterate(%x.(x : INTEGER | 2 * x), 5)(1) = 32",
        "{n, a | rec(age : a, name : n) : {rec(name : 1, age : 2)}} = {1 |-> 2}",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
    }
}

#[test]
fn permutations_of_a_set_that_is_not_listed_are_recognised() {
    assert_eq!(holds("[0, 2, 1] : perm(NATURAL - {x | x : NATURAL & x > 2})"), Ok(true));
    assert_eq!(holds("[0, 1] : perm(NATURAL - {x | x : NATURAL & x > 2})"), Ok(false));
    assert_eq!(holds("[0, 2, 1] : perm(NATURAL)"), Ok(false));
}

#[test]
fn images_relate_equal_sets_that_differ_in_form() {
    assert_eq!(holds("{{x | x : INTEGER & x > 3} |-> 1}[{{x | x : INTEGER & x >= 4}}] = {1}"), Ok(true));
    assert_eq!(holds("card({1 |-> {x | x : INTEGER & x > 3}, 2 |-> {x | x : INTEGER & x >= 4}}[{1, 2}]) = 1"), Ok(true));
}

#[test]
fn operators_on_relations_compare_sets_that_differ_in_form() {
    let (a, b) = ("{x | x : INTEGER & x > 3}", "{x | x : INTEGER & x >= 4}");
    for (text, count) in [
        ("{A} <| {B |-> 1}", 1),
        ("{A} <<| {B |-> 1}", 0),
        ("{1 |-> A} |> {B}", 1),
        ("{1 |-> A} |>> {B}", 0),
        ("{A |-> 1} <+ {B |-> 2}", 1),
        ("{A |-> 1} >< {B |-> 2}", 1),
        ("({1 |-> A} ; {B |-> 2})", 1),
    ] {
        let formula = format!("card({text}) = {count}").replace('A', a).replace('B', b);
        assert_eq!(holds(&formula), Ok(true), "{formula}");
    }
}

#[test]
fn sets_of_functions_compare_sets_that_differ_in_form() {
    let (a, b) = ("{x | x : INTEGER & x > 3}", "{x | x : INTEGER & x >= 4}");
    for (text, expected) in [
        ("{A |-> 1, B |-> 2} : POW(INTEGER) +-> INTEGER", false),
        ("{A |-> 1, B |-> 2} : {A} <-> {1, 2}", true),
        ("{A |-> 1, B |-> 2} : {B} +-> {1, 2}", false),
        ("{1 |-> A, 2 |-> B} : 1 .. 2 --> POW(INTEGER)", true),
        ("{1 |-> A, 2 |-> B} : 1 .. 2 >-> POW(INTEGER)", false),
        ("{1 |-> A} : {1} >->> {B}", true),
        ("[A, B] : iseq(POW(INTEGER))", false),
        ("[A] : perm({B})", true),
    ] {
        let formula = text.replace('A', a).replace('B', b);
        assert_eq!(holds(&formula), Ok(expected), "{formula}");
    }
}

/// A description that a variable holds keeps the values of the names that it was made with, and whatever visits its elements has others.
#[test]
fn visits_of_a_description_do_not_change_names_that_it_has_captured() {
    let text = "MACHINE M VARIABLES s, x
        INVARIANT s <: INTEGER & x : INTEGER & not(#z.(z : s & z mod 2 = x))
        INITIALISATION x := 1; s := {y | y : NATURAL & y > x}; x := 50
        OPERATIONS test = SELECT #z.(z : s & z < x) THEN skip END END";
    let (machine, initial) = initialised(text);
    let [state] = initial.as_slice() else { panic!("{initial:?}") };
    // No number modulo 2 is 50, but for infinitely many of them this is not shown.
    assert!(matches!(machine.violated_invariant(state), Err((2, error)) if !error.kind.is_ill_defined()));
    assert_eq!(machine.successors(state, OperationId(0)).expect("evaluated").steps.len(), 1);
}

/// The set of numbers from -1 on in two forms, for A and B in a text.
fn in_two_forms(text: &str) -> String {
    text.replace('A', "(NATURAL \\/ {-1})").replace('B', "{x | x : INTEGER & x >= -1}")
}

#[test]
fn elements_that_differ_in_form_are_equal_in_every_operator() {
    for text in [
        "A = B",
        "POW({A}) = POW({B}) \\/ {}",
        "POW({A}) \\/ {} = POW({B}) \\/ {}",
        "card(POW({A}) /\\ POW({B})) = 2",
        "card(POW({A}) - POW({B})) = 0",
        "card(union({{A}, {B, {2}}})) = 2",
        "card(inter({{A}, {B, {2}}})) = 1",
        "closure1({A |-> {1}, {1} |-> B})[{{1}}] = {A, {1}}",
        "card(closure1({A |-> {1}, {1} |-> B})) = 4",
        "card(iterate({A |-> {1}, {1} |-> B}, 3)) = 2",
        "card(fnc({A |-> 1, B |-> 2})) = 1",
        "card(({A |-> 1, B |-> 2} ; {1 |-> 5, 2 |-> 5})) = 1",
        "card((POW({A}) * {1}) <+ (POW({B}) * {2})) = 2",
        "not(@partition({A}, {A}, {B})) & @partition({A, {1}}, {B}, {{1}})",
    ] {
        let formula = in_two_forms(text);
        assert_eq!(holds(&formula), Ok(true), "{formula}");
    }
}

#[test]
fn a_listed_set_equals_no_description_by_guess_inside_of_sets_either() {
    let unknown = "{x | x * x * x < 8 & x * x * x > -2}";
    for text in ["{U} = {{-1, 0, 1}}", "{{-1, 0, 1}} = {U}", "{{-1, 0, 1}} <: {U}", "{{-1, 0, 1}} /\\ {U} = {}"] {
        let formula = text.replace('U', unknown);
        assert!(holds(&formula).is_err(), "{formula}");
    }
    assert_eq!(holds(&"{{-1, 0, 5}} /\\ {U} = {}".replace('U', unknown)), Ok(true));
}

#[test]
fn sets_of_more_than_a_million_elements_are_compared_by_their_elements() {
    for text in [
        "{x | x : 0 .. 1200000 & x > 0} = 1 .. 1200000",
        "union({1 .. 600000, 600001 .. 1200000}) = 1 .. 1200000",
        "union({0 .. 600000, 600002 .. 1200000}) = (0 .. 1200000) - {600001}",
        "union({0 .. 600000, 600002 .. 1200000}) /= (0 .. 1200000) - {600003}",
        "{union({1 .. 600000, 600001 .. 1200000})} = {1 .. 1200000}",
        "rec(a : union({1 .. 600000, 600001 .. 1200000})) = rec(a : 1 .. 1200000)",
        "union({1 .. 600000, 600002 .. 1200000}) /= 1 .. 1200000",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
    }
}

#[test]
fn the_finite_side_of_an_intersection_or_restriction_is_visited() {
    let even = "{x | x : INTEGER & x mod 2 = 0}";
    for text in [
        "card(E /\\ (1 .. 2000)) = 1000",
        "card((1 .. 2000) /\\ E) = 1000",
        "card(({x | x : NATURAL & x mod 2 = 0} - {2}) /\\ (1 .. 2000)) = 999",
        "card(E <| ((1 .. 100) * (1 .. 100))) = 5000",
        "card(((1 .. 100) * (1 .. 100)) |> E) = 5000",
        "NATURAL <| {1 |-> 2} = {1 |-> 2}",
        "NATURAL <<| {-1 |-> 2, 1 |-> 2} = {-1 |-> 2}",
        "{1 |-> 2, 2 |-> -1} |> NATURAL = {1 |-> 2}",
    ] {
        let formula = text.replace('E', even);
        assert_eq!(holds(&formula), Ok(true), "{formula}");
    }
}

#[test]
fn states_keep_one_form_of_a_set() {
    for text in [
        "MACHINE M VARIABLES r INVARIANT r : INTEGER +-> INTEGER INITIALISATION r := {1 |-> 2, 5 |-> 6}
         OPERATIONS a = r := NATURAL <| r; b = r := r |> NATURAL; c = r := {x | x : INTEGER & x < 0} <<| r END",
        "MACHINE M VARIABLES r INVARIANT r <: INTEGER INITIALISATION r := 1 .. 1200000
         OPERATIONS a = r := union({1 .. 600000, 600001 .. 1200000}); b = r := (1 .. 600000) \\/ (600001 .. 1200000);
         c = r := {x | x : 0 .. 1200000 & x > 0} END",
    ] {
        let (machine, initial) = initialised(text);
        for operation in 0..3 {
            let steps = machine.successors(&initial[0], OperationId(operation)).expect("evaluated").steps;
            assert_eq!(steps[0].next, initial[0], "{text}: {operation}");
        }
    }
}

#[test]
fn a_membership_with_a_domain_that_is_not_decided_is_unknown() {
    for (condition, is_known) in [(" & x * x /= 1522756", false), ("", true)] {
        let (machine, initial) = initialised(&format!(
            "MACHINE M VARIABLES f INVARIANT f : NATURAL --> INTEGER INITIALISATION f := %x.(x : NATURAL{condition} | x) END"
        ));
        let found = machine.violated_invariant(&initial[0]);
        assert_eq!(found.as_ref().ok(), is_known.then_some(&None), "{condition}");
        assert!(found.err().is_none_or(|(_, error)| error.kind.is_undecided()), "{condition}");
    }
}

#[test]
fn numbers_of_steps_are_of_any_size() {
    assert_eq!(holds("iterate({1 |-> 2, 2 |-> 1}, 9223372036854775808) = {1 |-> 1, 2 |-> 2}"), Ok(true));
    assert_eq!(holds("iterate({1 |-> 2, 2 |-> 1}, 9223372036854775809) = {1 |-> 2, 2 |-> 1}"), Ok(true));
    assert!(holds("iterate({1 |-> 2}, -9223372036854775809) = {}").is_err_and(|reason| reason.contains("negative")));
}
