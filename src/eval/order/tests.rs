//! Sets that the conjuncts of a comprehension bound, written out.

use crate::eval::Machine;
use crate::ir::Scope;
use crate::sema::{Formula, FormulaContext, Macros, analyse_formula};
use crate::source::SourceMap;
use crate::syntax::parse_formula;
use crate::value::display::display;
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
