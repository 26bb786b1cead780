//! The places that named steps point to.

use super::*;
use bcheck_ir::{OperationId, SetId};
use bcheck_sema::analyse;
use bcheck_source::SourceMap;
use bcheck_syntax::parse_machine;

#[test]
fn the_initialisation_of_a_machine_without_variables_is_not_its_set_up() {
    let text = "MACHINE m CONSTANTS c PROPERTIES c = 1 INITIALISATION skip END";
    let mut sources = SourceMap::new();
    let file = sources.add("m.mch", text);
    let (model, _) = analyse(&parse_machine(file, text).tree.expect("a machine"));
    let model = model.expect("a model");
    let step = || TraceStep { operation: None, arguments: Vec::new(), results: Vec::new(), state: vec![Value::integer(1)] };
    let trace = Trace::of(vec![step(), step()]);
    let steps = named_steps(&model, &trace);
    let texts: Vec<&str> =
        steps.iter().zip(&trace.steps).map(|(named, step)| sources.text(named.span(&model, step).expect("a place"))).collect();
    assert_eq!(texts, ["c = 1", "skip"]);
}

#[test]
fn values_are_written_by_the_types_of_their_names_but_for_other_tools() {
    let text = "MACHINE m SETS S = {a, b} VARIABLES s, f INVARIANT s : seq(S) & f : 1..2 +-> S INITIALISATION s := [] || f := {}
        OPERATIONS put(q) = PRE q : seq(S) THEN s := q || f := {1 |-> a, 2 |-> b} END END";
    let mut sources = SourceMap::new();
    let file = sources.add("m.mch", text);
    let (model, _) = analyse(&parse_machine(file, text).tree.expect("a machine"));
    let model = model.expect("a model");
    let pair = |index: i64, element: u32| Value::pair(Value::integer(index), Value::element(SetId(0), element));
    let empty = || Value::set(Vec::new());
    let state = vec![empty(), Value::set(vec![pair(1, 0), pair(2, 1)])];
    let step = TraceStep { operation: Some(OperationId(0)), arguments: vec![empty()], results: Vec::new(), state };
    let texts = |named: NamedStep| named.arguments.into_iter().chain(named.state).map(|(_, value)| value).collect::<Vec<_>>();
    assert_eq!(texts(named_step(&model, &step, &[])), ["[]", "[]", "{1|->a,2|->b}"]);
    let uniform = Spelling::Uniform(bcheck_value::display::display_for_tools);
    assert_eq!(texts(named_step_by(&model, &step, &[], &uniform)), ["{}", "{}", "[a,b]"]);
}
