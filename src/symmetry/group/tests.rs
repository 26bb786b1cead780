//! What counts as always defined, on machines written as text.
//!
//! Invariant: what may have no value in some state never counts as always defined.

use super::well_defined::{Defined, Trust};
use bcheck_source::SourceMap;

#[test]
fn an_intersection_over_a_condition_may_be_of_nothing() {
    let text =
        "MACHINE m VARIABLES v INVARIANT v <: 1..3 & INTER(x).(x : v | {x}) = {} & UNION(x).(x : v | {x}) = v & SIGMA(x).(x : v | x) = 0
        INITIALISATION v := {} END";
    let file = SourceMap::new().add("m.mch", text);
    let (model, diagnostics) = bcheck_sema::analyse(&bcheck_syntax::parse_machine(file, text).tree.expect("a machine"));
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut defined = Defined::new(Trust::Invariant);
    let mut found = Vec::new();
    for conjunct in &model.invariant {
        found.push(defined.pred(&conjunct.pred));
        defined.learn(&conjunct.pred);
    }
    // That `v` is finite is known only behind the first conjunct.
    assert_eq!(found, [false, false, true, true]);
}
