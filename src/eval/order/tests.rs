//! Sets that the conjuncts of a comprehension bound, written out; choices of a machine and what is tried for them.

use crate::Machine;
use bcheck_ir::Scope;
use bcheck_sema::{Formula, FormulaContext, Macros, analyse, analyse_formula};
use bcheck_source::SourceMap;
use bcheck_syntax::{parse_formula, parse_machine};
use bcheck_value::display::display;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The value of an expression, or why it has none.
fn value(text: &str) -> String {
    let mut sources = SourceMap::default();
    let parsed = parse_formula(sources.add("formula", text), text);
    let (formula, model) =
        analyse_formula(&parsed.tree, FormulaContext::default(), &Macros::default()).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let machine = Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint: 3 });
    let Formula::Expr(expr) = formula else { panic!("{text} is a predicate") };
    machine.evaluate(&expr, &Vec::new()).map_or_else(|error| error.kind.to_string(), |value| display(&value, machine.model()))
}

#[test]
fn sequences_of_a_known_size_are_functions() {
    assert_eq!(value("{s | s : seq(0..1) & size(s) = 2}"), "{[0,0],[0,1],[1,0],[1,1]}");
    assert_eq!(value("{s | card(s) = 2 & s : iseq(0..1)}"), "{[0,1],[1,0]}");
    assert_eq!(value("{s | s : seq1(0..1) & size(s) = 0}"), "{}");
    assert_eq!(value("{s | s : seq(0..1) & size(s) = -1}"), "{}");
    // What has all of a known range may have no more, and must be in the set.
    assert_eq!(value("{s | s : iseq(NATURAL) & size(s) = 2 & ran(s) = {5,7}}"), "{[5,7],[7,5]}");
    assert_eq!(value("{s | s : seq(0..6) & size(s) = 2 & ran(s) = {5,7}}"), "{}");
}

#[test]
fn sequences_up_to_a_known_size_are_found() {
    assert_eq!(value("card({s | s : seq(0..1) & size(s) <= 3})"), "15");
    assert_eq!(value("{s | s : seq1(0..0) & 3 > card(s)}"), "{[0],[0,0]}");
    assert_eq!(value("card({s | s : iseq(1..9) & size(s) : 1..2})"), "81");
    assert_eq!(value("{s, n | n : -1..1 & s : seq({7}) & size(s) <= n}"), "{{}|->0,{}|->1,[7]|->1}");
    // Nothing bounds the size from above.
    assert_eq!(value("bool([0] : {s | s : seq(0..1) & size(s) >= 1})"), "TRUE");
}

#[test]
fn a_known_sequence_is_taken_apart() {
    assert_eq!(value("{x, y | x ^ y = [1,2]}"), "{{}|->[1,2],[1]|->[2],[1,2]|->{}}");
    assert_eq!(value("{x, y | [1,2,1,2] = x ^ [2] ^ y}"), "{[1]|->[1,2],[1,2,1]|->{}}");
    assert_eq!(value("{x, y | x ^ y = {2 |-> 1}}"), "{}");
}

#[test]
fn sequences_over_two_sets_are_over_what_both_share() {
    assert_eq!(value("{s | s : seq(0..1) & s : seq(2..3)}"), "{{}}");
    assert_eq!(value("card(%s.(s : seq1(0..1) & s : seq(2..3) | 1))"), "0");
    assert_eq!(value("card({s | s : seq1(0..2) & s : iseq(1..3)})"), "4");
}

#[test]
fn the_first_name_is_chosen_so_that_equations_give_the_others() {
    assert_eq!(value("card({y, z | y : 0..9999 & z : 0..9999 & y * y = z & z > 500})"), "77");
    assert_eq!(value("{x | #y.(x : 1..100000 & x * x = y & y : 121640..121960)}"), "{349}");
}

#[test]
fn estimates_of_nested_unions_take_linear_time() {
    // Each further level doubled the time: 64 of them would not end.
    let union: Vec<String> = (1..=64).map(|number| format!("{{{number}}}")).collect();
    assert_eq!(value(&format!("card({{x | x : {}}})", union.join(" \\/ "))), "64");
}

/// A machine without sets, MININT = -1.
fn compiled(text: &str, maxint: i64) -> Machine {
    let mut sources = SourceMap::default();
    let parsed = parse_machine(sources.add("M.mch", text), text);
    let tree = parsed.tree.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    let model = analyse(&tree).0.unwrap_or_else(|| panic!("{text} does not type"));
    Machine::compile(Arc::new(model), Scope { sizes: Vec::new(), minint: -1, maxint })
}

/// A machine with one operation.
fn with_guard(parameters: &str, guard: &str, maxint: i64) -> Machine {
    compiled(&format!("MACHINE M OPERATIONS op({parameters}) = PRE {guard} THEN skip END END"), maxint)
}

/// How many arguments an operation with this guard has, and what is tried for them.
fn choice(parameters: &str, guard: &str) -> (usize, String) {
    let machine = with_guard(parameters, guard, 3);
    let operation = bcheck_ir::OperationId(0);
    let steps = machine.successors(&Vec::new(), operation).unwrap_or_else(|error| panic!("{guard}: {error:?}")).steps.len();
    let tried: Vec<String> = machine.tried().iter().map(|range| format!("{} in {}..{}", range.name, range.from, range.to)).collect();
    (steps, tried.join(", "))
}

/// The number of set-ups, up to 100, or why there are none.
fn set_ups(constants: &str, properties: &str) -> Result<usize, String> {
    let machine = compiled(&format!("MACHINE M CONSTANTS {constants} PROPERTIES {properties} END"), 3);
    let mut count = 0;
    let run = machine.for_each_setup(&mut |_| {
        count += 1;
        if count < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    run.map(|()| count).map_err(|error| error.kind.to_string())
}

/// True of every integer: the value for TRUE, which has none but for 5, is evaluated for 5 only, where it is wrong.
const LISTED: &str = "{TRUE |-> {5 |-> 6}(x), FALSE |-> 7}(bool(x = 5)) = 7";

#[test]
fn an_order_with_another_name_first_tries_no_less() {
    assert_eq!(choice("x, y", "x >= 0 & x * x <= 2000 & y = x + 1"), (45, String::new()));
    let of = |to: i64, condition: &str| value(&format!("card({{x, y | x : 1..{to} & y = x * x & {condition}}})"));
    assert_eq!((of(900, LISTED).as_str(), of(2000, LISTED).as_str()), ("899", "1999"));
    // Ill-defined, however many values there are.
    assert_eq!(of(2000, "{5 |-> 6}(x) > 0"), of(900, "{5 |-> 6}(x) > 0"));
}

#[test]
fn values_of_a_listed_function_that_are_not_evaluated_bound_nothing() {
    assert_eq!(value(&format!("bool(#x.({LISTED}))")), "TRUE");
    assert_eq!(value(&format!("bool(!x.({LISTED} => 1 = 2))")), "FALSE");
    assert_eq!(value(&format!("bool(9 : {{x | {LISTED}}})")), "TRUE");
}

#[test]
fn a_domain_that_is_cut_is_noted() {
    assert_eq!(choice("f", "f : NATURAL +-> 0..1 & 100 : dom(f)"), (0, "f in -1..3".to_owned()));
    assert_eq!(choice("f", "f : 1..2 --> NATURAL & ran(f) <: 4..5"), (4, String::new()));
}

#[test]
fn what_is_only_in_a_cut_set_is_not_found() {
    assert_eq!(set_ups("f", "f : 1..2 --> NATURAL1 \\/ {-5}"), Ok(16));
    for space in ["NATURAL --> BOOL", "NATURAL >-> NATURAL", "1..4 +->> NATURAL", "POW(NATURAL --> BOOL) - {{}}", "NATURAL --> 0..1"] {
        let run = set_ups("f", &format!("f : {space}"));
        assert!(run.is_err(), "{space}: {run:?}");
    }
}

#[test]
fn finite_parts_of_a_set_are_not_cut() {
    assert_eq!(choice("p", "p : ((5..10) /\\ NATURAL) * NATURAL"), (24, "p in -1..3".to_owned()));
}

#[test]
fn a_window_does_not_depend_on_how_a_bound_is_written() {
    let expected = (5, "x in 1048576..1048580".to_owned());
    for bound in ["x >= 1048576", "x >= 2 ** 20", "x : NATURAL & 2 ** 20 <= x", "2 * x >= 2 ** 21", "x > max({7, 2 ** 20 - 1})"] {
        assert_eq!(choice("x", bound), expected, "{bound}");
    }
    // The same where the names are solved for together.
    let together = "x : NATURAL & x > 100 & f : 1..30 --> NATURAL & !i.(i : 1..29 => f(i) <= f(i + 1))";
    assert_eq!(set_ups("x, f", together), Ok(100));
}

#[test]
fn machines_with_large_integers_are_compiled() {
    let _ = with_guard("x", "x * x * x = 5", i64::from(i32::MAX));
    let _ = with_guard("x, y", "x : NAT & y : INT & x * y > 7", i64::MAX);
}

#[test]
fn only_branches_that_are_taken_are_noted() {
    let disjunctions = "(x > 1 or y > 2) & (x > 2 or y > 3) & (x > 3 or y > 4)";
    let machine = compiled(&format!("MACHINE M CONSTANTS x, y PROPERTIES x : NATURAL & y : NATURAL & {disjunctions} END"), 3);
    // One place for each branch of one disjunction at most.
    let places: BTreeSet<u32> = machine.tried().iter().map(|range| range.place.start).collect();
    assert!(places.len() <= 2, "{:?}", machine.tried());
}

#[test]
fn many_disjunctions_are_ordered_in_time() {
    // Each further one multiplied the time by its number of nestings.
    let disjunctions: Vec<String> = (1..9).map(|number| format!("(x < {number} or y < {})", number + 1)).collect();
    let _ = with_guard("x, y", &format!("x : INTEGER & y : INTEGER & {}", disjunctions.join(" & ")), 3);
}

#[test]
fn a_binding_in_which_a_name_has_no_value_is_excluded_by_another_conjunct() {
    let around = |name: &str| format!("{{x, y, z | x : 1..3 & y : 1..3 & x + y > 10 & {name}}}");
    for name in [
        "z = {1 |-> 2}(x)",
        "z : 1..{1 |-> 2}(x)",
        "z : {{1 |-> 2}(x)}",
        "(z = {1 |-> 2}(x) or z = 1)",
        "#w.(w = {1 |-> 2}(x) & z = w + 1)",
        "z <= {1 |-> 2}(x) & z >= 1",
    ] {
        assert_eq!(value(&around(name)), "{}", "{name}");
    }
    assert_eq!(value("{x, y, z | x : 1..3 & y : 1..3 & x + y > 10 & z <: 1..{1 |-> 2}(x)}"), "{}");
    assert_eq!(value("{x, y, z, w | x : 1..3 & y : 1..3 & x + y > 10 & z = {1 |-> 2}(x) & w = z + 1}"), "{}");
    assert_eq!(value("{x, y, z | x : 1..3 & y : 1..3 & x + y < 3 & z = {1 |-> 2}(x)}"), "{1|->1|->2}");
    // Wherever the other conjunct stands: false wins over ill-defined.
    assert_eq!(value("{x, y, z | x : 1..3 & y : 1..3 & z = {1 |-> 2}(x) & x + y > 10}"), "{}");
    // Nothing excludes these.
    let ill_defined = "the function is applied outside its domain";
    for text in [
        "{x, y, z | x : 1..3 & y : 1..3 & x + y > 4 & z = {1 |-> 2}(x)}",
        "{x, y, z | x : 1..3 & y : 1..3 & x + y > 4 & (z = 1 or z = {1 |-> 2}(x))}",
        "{x, y, z, w | x : 1..3 & y : 1..3 & z = {1 |-> 2}(x) & w = z + 1 & x + y > 5}",
    ] {
        assert_eq!(value(text), ill_defined, "{text}");
    }
}

/// The conjunction of some conjuncts over x, y, z as three-valued logic has it: the bindings in which all are true, or `None` where one
/// binding makes none false and one ill-defined. Each conjunct is evaluated by itself, with numbers for the names.
fn naive(conjuncts: &[&str]) -> Option<BTreeSet<[i64; 3]>> {
    let mut found = BTreeSet::new();
    for (x, y, z) in (0..3).flat_map(|x| (0..3).flat_map(move |y| (-1..5).map(move |z| (x, y, z)))) {
        let truths = conjuncts.iter().map(|conjunct| {
            let text = format!("bool({conjunct})").replace('x', &x.to_string()).replace('y', &y.to_string());
            value(&text.replace('z', &format!("({z})")))
        });
        let truths: Vec<String> = truths.collect();
        if truths.iter().all(|truth| truth == "TRUE") {
            found.insert([x, y, z]);
        } else if !truths.iter().any(|truth| truth == "FALSE") {
            return None;
        }
    }
    Some(found)
}

#[test]
fn no_order_of_conjuncts_changes_what_is_ill_defined() {
    let binders = ["z = {(0,1),(1,2)}(x)", "z = {(0,1)}(y) + 1", "z : 0..{(1,1),(2,3)}(x)", "(z = {(0,1)}(x) or z = y)"];
    let others = ["x + y > 2", "x + y < 2", "z < 2", "{(0,2)}(x) > y", "not(z = {(1,2)}(x))", "x = z"];
    let mut ill_defined = 0;
    for binder in binders {
        for (at, first) in others.iter().enumerate() {
            for second in &others[at..] {
                let mut conjuncts = vec!["x : 0..2", "y : 0..2", binder, first, second];
                conjuncts.dedup();
                let expected = naive(&conjuncts);
                ill_defined += usize::from(expected.is_none());
                let expected = expected.map_or("the function is applied outside its domain".to_owned(), |found| {
                    let listed: Vec<String> = found.iter().map(|[x, y, z]| format!("{x}|->{y}|->{z}")).collect();
                    format!("{{{}}}", listed.join(","))
                });
                for _ in 0..conjuncts.len() {
                    conjuncts.rotate_left(1);
                    assert_eq!(value(&format!("{{x, y, z | {}}}", conjuncts.join(" & "))), expected, "{conjuncts:?}");
                }
            }
        }
    }
    assert!((20..90).contains(&ill_defined), "{ill_defined}");
}

#[test]
fn what_bounds_a_name_in_some_runs_only_does_not_keep_out_what_bounds_it_in_all() {
    assert_eq!(value("card({v | v : 0..70 & #q.(q : 1..3 & (2 >= 6 => v = 5))})"), "71");
    assert_eq!(value("card({v, w | v : 0..70 & w : 0..4 & #q.(q : 1..3 & (q > 2 => w = v))})"), "355");
    // The pairs with v > w, where the set is empty, and one where it is not.
    assert_eq!(value("card({v, w | v : 0..70 & w : 0..70 & #q.(q : 0..1 & v .. w = {5} - {5 * q})})"), "2486");
    // Where nothing else bounds it, that will do.
    assert_eq!(value("{v | #q.(q : 1..3 & (q >= 1 => v = q))}"), "{1,2,3}");
}

#[test]
fn integers_without_those_of_a_condition_are_bounded_by_its_negation() {
    assert_eq!(value("card({x | x : NATURAL - {y | y > 300}})"), "301");
    assert_eq!(value("{x | x : NATURAL1 - {2} - {y | y > 4}}"), "{1,3,4}");
    assert_eq!(value("{x | x : INTEGER /\\ {y | y : 2..4}}"), "{2,3,4}");
    assert_eq!(value("{x | x : {y | y < 3} /\\ NATURAL}"), "{0,1,2}");
    assert_eq!(value("{x | x : NATURAL & x /: {y | y * y > 9}}"), "{0,1,2,3}");
    assert_eq!(value("{x | x : NATURAL & not(x : {y | y > 2 or y = 1})}"), "{0,2}");
    assert_eq!(value("{x, y | x : 0..1 & y : NATURAL - {z | z > x}}"), "{0|->0,1|->0,1|->1}");
    // The condition is asked for what is in the other set only: 6 is not divided by 0.
    assert_eq!(value("{x | x : NATURAL1 - {y | y > 5 or 6 / y < 3}}"), "{1,2}");
}
