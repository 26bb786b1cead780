//! The places that named steps point to.

use super::*;
use crate::sema::analyse;
use crate::source::SourceMap;
use crate::syntax::parse_machine;

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
