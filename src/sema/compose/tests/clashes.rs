//! Names that could mean two things: of steps, operations, machines, parameters. None of them means one of the two silently.

use super::{Code, Texts, errors, has_errors, load, model, operations, parse_machine};
use crate::{RefinementRequest, analyse_refinement};
use bcheck_ir::{Model, Precondition, Refinement, SubstKind};
use bcheck_source::{Diagnostic, SourceMap};

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
    let name = |id: bcheck_ir::OperationId| model.operations.get_index(id.0 as usize).expect("an operation").0.as_str();
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

const DOUBLE: (&str, &str) = ("Double.mch", "MACHINE Double(p) CONSTRAINTS p : NAT CONSTANTS c PROPERTIES c = p * 2 END");

#[test]
fn a_machine_has_the_arguments_of_one_reference_only() {
    let (x, y) = (("X.mch", "MACHINE X INCLUDES Double(1) END"), ("Y.mch", "MACHINE Y INCLUDES Double(3) END"));
    for main in ["MACHINE m INCLUDES X, Y END", "MACHINE m INCLUDES Double(1), X END", "MACHINE m INCLUDES Double(1), Double(3) END"] {
        assert_eq!(errors(&[("m.mch", main), x, y, DOUBLE]), [(Code::DuplicateName, "Double".to_owned())], "{main}");
    }
    // A machine and one that it refines share the constants.
    let above = ("a.mch", "MACHINE a DEFINITIONS n == 1 INCLUDES Double(n) END");
    let same = model(&[("r.mch", "REFINEMENT r REFINES a INCLUDES Double(1) END"), above, DOUBLE]);
    assert_eq!(same.constants.len(), 1);
    let other = errors(&[("r.mch", "REFINEMENT r REFINES a INCLUDES Double(3) END"), above, DOUBLE]);
    assert_eq!(other, [(Code::DuplicateName, "3".to_owned())]);
    assert!(refinement(&[("r.mch", "REFINEMENT r REFINES a INCLUDES Double(3) END"), above, DOUBLE]).is_err());
    let unnamed = ("Double.mch", "MACHINE Double(p) CONSTRAINTS p : NAT VARIABLES v INVARIANT v : 0..p INITIALISATION v := 0 END");
    assert!(refinement(&[("r.mch", "REFINEMENT r REFINES a INCLUDES Double(3) END"), above, unnamed]).is_ok());
}

#[test]
fn arguments_speak_of_no_variables() {
    let main = "MACHINE m INCLUDES Double(v) VARIABLES v INVARIANT v : 0..3 INITIALISATION v := 0 END";
    assert_eq!(errors(&[("m.mch", main), DOUBLE]), [(Code::UnknownName, "v".to_owned())]);
}

#[test]
fn a_refinement_has_the_parameters_of_the_machine_above_by_name() {
    let above = ("a.mch", "MACHINE a(n) CONSTRAINTS n : 1..2 VARIABLES x INVARIANT x : 0..n INITIALISATION x := n END");
    let between = ("b.mch", "REFINEMENT b REFINES a VARIABLES x INITIALISATION x := n END");
    let refined = |head: &str| -> &'static str { format!("REFINEMENT {head} VARIABLES x INITIALISATION x := n END").leak() };
    for head in ["r(n) REFINES a", "r REFINES a", "r(n) REFINES b"] {
        assert!(refinement(&[("r.mch", refined(head)), above, between]).is_ok(), "{head}");
    }
    let main = ("r.mch", refined("r(m) REFINES a"));
    assert_eq!(errors(&[main, above]), [(Code::UnknownName, "m".to_owned())]);
    let found = refinement(&[main, above]).expect_err("m is no parameter of a");
    assert!(has_errors(&found) && found[0].help.iter().any(|help| help.ends_with("are n")), "{found:?}");
    // Parameters of operations are matched by position.
    let above = ("a.mch", "MACHINE a OPERATIONS op(i) = PRE i : 0..1 THEN skip END END");
    assert!(refinement(&[("r.mch", "REFINEMENT r REFINES a OPERATIONS op(j) = skip END"), above]).is_ok());
}

#[test]
fn two_files_of_one_machine_name_are_an_error_in_any_order() {
    let seen = ("sub/A.mch", "MACHINE A SEES X CONSTANTS d PROPERTIES d = c END");
    let (outer, inner) =
        (("X.mch", "MACHINE X CONSTANTS c PROPERTIES c = 1 END"), ("sub/X.mch", "MACHINE X CONSTANTS c PROPERTIES c = 2 END"));
    for main in ["MACHINE m SEES A /*@file \"sub/A.mch\" */, X END", "MACHINE m SEES X, A /*@file \"sub/A.mch\" */ END"] {
        assert_eq!(errors(&[("m.mch", main), seen, outer, inner]), [(Code::WrongMachine, "X".to_owned())], "{main}");
        // With one file of that name there is nothing to confuse.
        assert_eq!(model(&[("m.mch", main), seen, outer]).properties.len(), 2);
    }
}

/// A chain of machines, each of which has this clause about the next one.
fn chain(clause: impl Fn(usize) -> String) -> Vec<(&'static str, &'static str)> {
    let leak = |text: String| -> &'static str { text.leak() };
    let links = (0..40).map(|at| {
        let parameter = if at == 0 { "" } else { "(p) CONSTRAINTS p : INTEGER" };
        (leak(format!("M{at}.mch")), leak(format!("MACHINE M{at}{parameter} {} END", clause(at + 1))))
    });
    links.chain([("M40.mch", "MACHINE M40(p) CONSTRAINTS p : INTEGER END")]).collect()
}

#[test]
fn machines_that_double_at_each_step_end_in_an_error() {
    let prefixes = chain(|next| format!("INCLUDES a.M{next}(1), b.M{next}(2)"));
    assert_eq!(errors(&prefixes).iter().map(|(code, _)| *code).collect::<Vec<_>>(), [Code::NotSupportedEver]);
    let arguments = chain(|next| if next == 1 { "INCLUDES M1(1)".to_owned() } else { format!("INCLUDES M{next}(p + p)") });
    let found = errors(&arguments);
    assert_eq!(found.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [Code::NotSupportedEver]);
}
