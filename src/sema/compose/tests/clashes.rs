//! Names that could mean two things: of steps, operations, machines, parameters. None of them means one of the two silently.

use super::{Code, Texts, errors, load, model, operations, parse_machine};
use crate::ir::{Model, Precondition, Refinement, SubstKind};
use crate::sema::{RefinementRequest, analyse_refinement};
use crate::source::{Diagnostic, SourceMap};

/// The refinement that the first text is.
fn refinement(texts: &[(&'static str, &'static str)]) -> Result<(Model, Refinement), Vec<Diagnostic>> {
    let mut files = Texts { texts: texts.to_vec(), sources: SourceMap::new(), read: Vec::new() };
    let (main, text) = files.file(texts[0].0).expect("the first text");
    let tree = parse_machine(main, text).tree.expect("a machine");
    let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
    let analysis = analyse_refinement(&tree, &mut files, request);
    analysis.refinement.ok_or(analysis.diagnostics)
}

const N: (&str, &str) = (
    "N.mch",
    "MACHINE N VARIABLES nv INVARIANT nv : 0..5 INITIALISATION nv := 0 OPERATIONS inc = PRE nv < 5 THEN nv := nv + 1 END; rd = skip END",
);
const K: (&str, &str) =
    ("K.mch", "MACHINE K VARIABLES kv INVARIANT kv : 0..2 INITIALISATION kv := 0 OPERATIONS inc = PRE kv < 2 THEN kv := kv + 1 END END");

#[test]
fn a_step_named_like_one_that_its_machine_qualifies_is_not_lost() {
    let text = "MACHINE m SEES N INCLUDES N.K PROMOTES N.inc VARIABLES w INVARIANT w : BOOL INITIALISATION w := TRUE
                OPERATIONS inc = w := FALSE END";
    let model = model(&[("m.mch", text), N, K]);
    assert_eq!(operations(&model), ["inc", "N.inc", "N.N.inc", "rd"]);
    let changed = |name: &str| {
        let SubstKind::Pre { body, .. } = &model.operations[name].body.kind else { panic!("no precondition") };
        matches!(&body.kind, SubstKind::Assign(targets) if format!("{targets:?}").contains("VariableId(0)"))
    };
    assert_ne!(changed("N.inc"), changed("N.N.inc"));
}

#[test]
fn steps_of_a_refinement_keep_their_ids_where_names_meet() {
    let main = "REFINEMENT r REFINES a SEES N INCLUDES N.K PROMOTES N.inc VARIABLES w INVARIANT w : BOOL INITIALISATION w := TRUE
                OPERATIONS inc = w := FALSE; other = w := TRUE END";
    let above = "MACHINE a VARIABLES w INVARIANT w : BOOL INITIALISATION w := TRUE OPERATIONS inc = w := FALSE; other = w := TRUE END";
    let (model, refinement) = refinement(&[("r.ref", main), ("a.mch", above), N, K]).expect("a refinement");
    let name = |id: crate::ir::OperationId| model.operations.get_index(id.0 as usize).expect("an operation").0.as_str();
    let steps: Vec<(&str, Option<&str>)> =
        refinement.operations.iter().map(|step| (name(step.operation), step.refined.map(name))).collect();
    let expected = [("inc", Some("a::inc")), ("other", Some("a::other")), ("N.inc", None), ("N.N.inc", None), ("rd", None)];
    assert_eq!(steps, expected);
}

const P1: (&str, &str) = ("P1.mch", "MACHINE P1 VARIABLES p INVARIANT p : 0..1 INITIALISATION p := 0 OPERATIONS hit = p := 1 END");
const P2: (&str, &str) = ("P2.mch", "MACHINE P2 VARIABLES q INVARIANT q : 0..1 INITIALISATION q := 0 OPERATIONS hit = q := 1 END");

#[test]
fn the_use_of_a_name_that_two_operations_have_is_an_error_in_any_order() {
    for clauses in [
        "INCLUDES P1, P2 OPERATIONS go = hit",
        "INCLUDES P2, P1 OPERATIONS go = hit",
        "INCLUDES P1, P2 PROMOTES hit",
        "EXTENDS P1 INCLUDES P2 PROMOTES hit",
        "EXTENDS P1 INCLUDES P2 OPERATIONS go = hit",
        "SEES P1 INCLUDES P2 OPERATIONS go = hit",
        "INCLUDES P2 OPERATIONS hit = skip; go = hit",
    ] {
        let main: &'static str = format!("MACHINE m {clauses} END").leak();
        assert_eq!(errors(&[("m.mch", main), P1, P2]), [(Code::DuplicateName, "hit".to_owned())], "{clauses}");
    }
    let (_, diagnostics, sources) = load(&[("m.mch", "MACHINE m INCLUDES P1, P2 PROMOTES hit END"), P1, P2]);
    let files: Vec<&str> = diagnostics[0].labels.iter().map(|label| sources.file(label.span.file).name.as_str()).collect();
    assert_eq!(files, ["m.mch", "P1.mch", "P2.mch"]);
}

#[test]
fn operations_of_one_name_that_are_not_used_or_are_one_operation_are_no_clash() {
    for clauses in [
        "INCLUDES P1, P2",
        "SEES P1, P2",
        "EXTENDS P1 INCLUDES P2",
        "INCLUDES a.P1, P2 OPERATIONS go = BEGIN a.hit || hit END",
        // One operation that is reached along two paths; it may be called, whichever stands first.
        "EXTENDS P1 PROMOTES hit",
        "SEES P1 INCLUDES Q OPERATIONS go = hit",
    ] {
        let main: &'static str = format!("MACHINE m {clauses} END").leak();
        model(&[("m.mch", main), P1, P2, ("Q.mch", "MACHINE Q EXTENDS P1 END")]);
    }
}

#[test]
fn names_that_stand_twice_in_an_operation_or_definition_are_reported() {
    let above = ("a.mch", "MACHINE a OPERATIONS op(x, y) = PRE x : 0..1 & y : 2..3 THEN skip END END");
    for (texts, name) in [
        ([("r.mch", "REFINEMENT r REFINES a OPERATIONS op(p, p) = skip END"), above], "p"),
        ([("m.mch", "MACHINE m OPERATIONS x <-- op(x) = PRE x : 0..2 THEN x := 1 END END"), above], "x"),
        ([("m.mch", "MACHINE m OPERATIONS x, x <-- op = x := 1 END"), above], "x"),
        ([("m.mch", "MACHINE m DEFINITIONS D(p, p) == p + 1 CONSTANTS c PROPERTIES c = D(1, 5) END"), above], "p"),
        ([("m.mch", "MACHINE m LOCAL_OPERATIONS t = skip; t = skip OPERATIONS go = t END"), above], "t"),
    ] {
        assert_eq!(errors(&texts), [(Code::DuplicateName, name.to_owned())], "{}", texts[0].1);
    }
}
