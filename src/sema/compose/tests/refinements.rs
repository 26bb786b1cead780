//! Refinements: which preconditions they inherit, which of their names are the same, and what of their texts is not checked.

use super::{Texts, errors, load, model, variables};
use crate::{RefinementRequest, analyse_refinement};
use bcheck_ir::{ExprKind, Model, Node, Precondition, Pred, PredKind, Refinement, SubstKind, walk_pred, walk_subst};
use bcheck_source::{Code, Diagnostic, SourceMap};
use bcheck_syntax::parse_machine;

type Text = (&'static str, &'static str);

/// Analyses the first text as a refinement of the machine that it names.
fn refined(texts: &[Text]) -> (Model, Refinement, Vec<Diagnostic>) {
    let mut files = Texts { texts: texts.to_vec(), sources: SourceMap::new(), read: Vec::new() };
    let (main, text) = files.file(texts[0].0).expect("the first text");
    let tree = parse_machine(main, text).tree.expect("a machine");
    let analysis = analyse_refinement(&tree, &mut files, RefinementRequest { precondition: Precondition::Contract, hidden: &[] });
    let (model, refinement) = analysis.refinement.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    (model, refinement, analysis.diagnostics)
}

/// The conjuncts of the guards at the top of an operation, those that say nothing left out.
fn guards<'m>(model: &'m Model, operation: &str) -> Vec<&'m Pred> {
    let mut found = Vec::new();
    let mut body = &model.operations[operation].body;
    while let SubstKind::Pre { pred, body: inner, is_guard: true } = &body.kind {
        collect(pred, &mut found);
        body = inner;
    }
    found
}

fn collect<'m>(pred: &'m Pred, found: &mut Vec<&'m Pred>) {
    match &pred.kind {
        PredKind::True => {}
        PredKind::And(parts) => parts.iter().for_each(|part| collect(part, found)),
        _ => found.push(pred),
    }
}

fn warnings(diagnostics: &[Diagnostic], code: Code) -> Vec<&str> {
    diagnostics.iter().filter(|diagnostic| diagnostic.code == code).map(|diagnostic| diagnostic.title.as_str()).collect()
}

#[test]
fn a_precondition_that_types_a_result_is_no_guard_of_a_refinement() {
    let above = (
        "A.mch",
        "MACHINE A VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
         OPERATIONS r <-- op(n) = PRE n : 0..3 & r : 0..3 THEN PRE r : 1..3 & n > 0 THEN r := n || x := n END END END",
    );
    let main = ("R.ref", "REFINEMENT R REFINES A VARIABLES x INITIALISATION x := 0 OPERATIONS s <-- op(k) = BEGIN s := 3 ; x := k END END");
    let below =
        ("S.ref", "REFINEMENT S REFINES R VARIABLES x INITIALISATION x := 0 OPERATIONS s <-- op(k) = BEGIN s := 3 ; x := k END END");
    let middle = ("R.mch", main.1);
    for model in [model(&[main, above]), model(&[below, middle, above]), refined(&[main, above]).0] {
        let guards = guards(&model, "op");
        assert_eq!(guards.len(), 2, "{guards:?}");
        let result = model.operations["op"].results[0].1;
        for guard in guards {
            walk_pred(guard, &mut |node| {
                assert!(!matches!(node, Node::Expr(expr) if matches!(expr.kind, ExprKind::Local(id) if id == result)), "{guard:?}");
            });
        }
    }
}

const PUT: Text =
    ("K.mch", "MACHINE K VARIABLES k INVARIANT k : 0..9 INITIALISATION k := 0 OPERATIONS put(x) = PRE x : 0..9 THEN k := x END END");
const ABOVE_PUT: Text =
    ("M.mch", "MACHINE M VARIABLES a INVARIANT a : 0..1 INITIALISATION a := 0 OPERATIONS put(y) = PRE y : 0..1 THEN a := y END END");

#[test]
fn a_promoted_operation_inherits_the_precondition_of_the_one_that_it_refines() {
    let promoting = "REFINEMENT R REFINES M INCLUDES K PROMOTES put INVARIANT k <= 1 & a = k END";
    let extending = "REFINEMENT R REFINES M EXTENDS K INVARIANT k <= 1 & a = k END";
    for text in [promoting, extending] {
        let alone = model(&[("R.ref", text), PUT, ABOVE_PUT]);
        assert_eq!(guards(&alone, "put").len(), 2);
        assert_eq!(guards(&refined(&[("R.ref", text), PUT, ABOVE_PUT]).0, "put").len(), 2);
        // And so does one that refines it in its turn.
        let below = ("S.ref", "REFINEMENT S REFINES R VARIABLES s INITIALISATION s := 0 OPERATIONS put(z) = s := z END");
        assert_eq!(guards(&model(&[below, ("R.mch", text), PUT, ABOVE_PUT]), "put").len(), 2);
        let (both, refinement, _) = refined(&[below, ("R.mch", text), PUT, ABOVE_PUT]);
        assert_eq!(guards(&both, "put").len(), 2);
        // The refined machine's own operation is the promoted one, with both preconditions.
        assert_eq!(
            refinement.operations[0].refined.map(|id| guards(&both, both.operations.get_index(id.index()).unwrap().0).len()),
            Some(2)
        );
    }
    let renamed = ("R.ref", "REFINEMENT R REFINES M INCLUDES c.K PROMOTES c.put INVARIANT a = c.k END");
    assert_eq!(guards(&model(&[renamed, PUT, ABOVE_PUT]), "c.put").len(), 1, "it has another name, so it refines nothing");
}

const TOP: Text = (
    "M.mch",
    "MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 5 OPERATIONS go = PRE x = 5 THEN x := 6 END; back = x := 5 END",
);

#[test]
fn a_name_that_a_machine_in_between_drops_stands_for_another_variable() {
    let main =
        ("S.ref", "REFINEMENT S REFINES R VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS go = x := 1; back = x := 0 END");
    let drops = (
        "R.mch",
        "REFINEMENT R REFINES M VARIABLES y INVARIANT y : 0..9 & x = y + 5 INITIALISATION y := 0 OPERATIONS go = y := 1; back = y := 0 END",
    );
    let keeps = ("R.mch", "REFINEMENT R REFINES M VARIABLES x INITIALISATION x := 0 OPERATIONS go = x := 6; back = x := 5 END");
    // The precondition is one about the states of M, in some and in each of which it holds; so is that about a variable that is kept.
    assert_eq!(guards(&model(&[main, drops, TOP]), "go").len(), 2);
    assert_eq!(guards(&model(&[main, keeps, TOP]), "go").len(), 2);
    assert_eq!(refined(&[main, drops, TOP]).1.first_equation, refined(&[main, drops, TOP]).0.invariant.len(), "S::x is none of R");
    assert_ne!(refined(&[main, keeps, TOP]).1.first_equation, refined(&[main, keeps, TOP]).0.invariant.len(), "S::x is R::x");
    // Of a type of its own.
    let other =
        ("S.ref", "REFINEMENT S REFINES R VARIABLES x INVARIANT x : BOOL INITIALISATION x := TRUE OPERATIONS go = skip; back = skip END");
    assert_eq!(variables(&model(&[other, drops, TOP])), ["x", "R::states"]);
    assert_eq!(refined(&[other, drops, TOP]).2.iter().filter(|found| found.code == Code::TypeClash).count(), 0);
}

#[test]
fn machines_further_up_have_variables_of_their_own() {
    // From below: s, y, x, y, x, where no x and no y is kept.
    let number = |name: &str, of: &str, variable: &str| -> Text {
        let text = format!(
            "REFINEMENT {name} REFINES {of} VARIABLES {variable} INVARIANT {variable} : BOOL INITIALISATION {variable} := TRUE END"
        );
        (format!("{name}.mch").leak(), text.leak())
    };
    let top = ("M.mch", "MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 5 END");
    let texts = [number("D", "C", "s"), number("C", "B", "y"), number("B", "A", "x"), number("A", "M", "y"), top];
    assert_eq!(variables(&model(&texts)), ["s", "C::states"]);
    assert_eq!(variables(&refined(&texts).0), ["s", "C::y", "B::x", "A::y", "M::x"]);
}

#[test]
fn an_included_machine_that_the_machine_in_between_does_not_include_is_another_one() {
    let top = ("M.mch", "MACHINE M INCLUDES K OPERATIONS go(x) = PRE x : 0..9 & k = 0 THEN put(x) END END");
    let main = ("S.ref", "REFINEMENT S REFINES R INCLUDES K OPERATIONS go(x) = put(x) END");
    let drops = ("R.mch", "REFINEMENT R REFINES M VARIABLES y INVARIANT y = k INITIALISATION y := 0 OPERATIONS go(x) = y := x END");
    let keeps = ("R.mch", "REFINEMENT R REFINES M INCLUDES K OPERATIONS go(x) = put(x) END");
    for (between, of_both) in [(drops, &["k", "R::y", "M::k"]), (keeps, &["k", "R::k", "M::k"])] {
        let model = model(&[main, between, top, PUT]);
        assert_eq!((variables(&model), guards(&model, "go").len()), (vec!["k", "R::states"], 3));
        let (both, refinement, _) = refined(&[main, between, top, PUT]);
        assert_eq!(variables(&both), of_both);
        assert_eq!(refinement.first_equation < both.invariant.len(), of_both[1] == "R::k");
    }
}

#[test]
fn a_variable_of_a_machine_that_is_only_seen_is_none_of_the_refined_machine() {
    let seen = ("N.mch", "MACHINE N VARIABLES x INVARIANT x : BOOL INITIALISATION x := TRUE OPERATIONS turn = x := FALSE END");
    let main = (
        "R.ref",
        "REFINEMENT R REFINES M SEES N VARIABLES y INVARIANT y : 0..9 INITIALISATION y := 5 OPERATIONS go = y := 6; back = y := 5 END",
    );
    let alone = model(&[main, seen, TOP]);
    assert_eq!((variables(&alone), guards(&alone, "go").len()), (vec!["x", "y", "M::states"], 2));
    let (both, refinement, _) = refined(&[main, seen, TOP]);
    assert_eq!(variables(&both), ["x", "y", "M::x"]);
    assert_eq!(refinement.first_equation, both.invariant.len(), "no two are the same");
    // Nor is one that only the refined machine sees.
    let seeing =
        ("M.mch", "MACHINE M SEES N VARIABLES z INVARIANT z : 0..9 INITIALISATION z := 0 OPERATIONS go = PRE x = TRUE THEN z := 1 END END");
    let own = ("R.ref", "REFINEMENT R REFINES M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS go = x := 1 END");
    assert_eq!(guards(&model(&[own, seeing, seen]), "go").len(), 2);
    let (both, refinement, _) = refined(&[own, seeing, seen]);
    assert_eq!(refinement.first_equation, both.invariant.len());
    // A machine that both see is one.
    let sees = ("R.ref", "REFINEMENT R REFINES M SEES N VARIABLES w INVARIANT w = z INITIALISATION w := 0 OPERATIONS go = w := 1 END");
    assert_eq!(guards(&model(&[sees, seeing, seen]), "go").len(), 1);
}

#[test]
fn a_concrete_variable_stays_one_through_the_chain_unless_its_name_is_seen() {
    let top =
        ("M.mch", "MACHINE M CONCRETE_VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0 OPERATIONS go = PRE x = 0 THEN x := 1 END END");
    let between = ("R.mch", "REFINEMENT R REFINES M INITIALISATION x := 0 OPERATIONS go = x := 1 END");
    let main = ("S.ref", "REFINEMENT S REFINES R INITIALISATION x := 0 OPERATIONS go = x := 2 END");
    let kept = model(&[main, between, top]);
    assert_eq!((variables(&kept), guards(&kept, "go").len()), (vec!["x", "R::states"], 2));
    let seen = ("N.mch", "MACHINE N VARIABLES x INVARIANT x : BOOL INITIALISATION x := TRUE END");
    let clash = ("S.ref", "REFINEMENT S REFINES R SEES N OPERATIONS go = skip END");
    assert!(errors(&[clash, between, top, seen]).contains(&(Code::DuplicateName, "x".to_owned())));
}

#[test]
fn a_refinement_repeats_constants_of_the_machines_above_it_only() {
    let constant = ("N.mch", "MACHINE N CONSTANTS c PROPERTIES c = 3 END");
    let top = ("M.mch", "MACHINE M END");
    let main = ("R.ref", "REFINEMENT R REFINES M SEES N CONSTANTS c PROPERTIES c = 4 END");
    assert_eq!(errors(&[main, top, constant]), [(Code::DuplicateName, "c".to_owned())]);
    let top = ("M.mch", "MACHINE M INCLUDES N END");
    let main = ("R.ref", "REFINEMENT R REFINES M CONSTANTS c PROPERTIES c = 3 END");
    assert_eq!(model(&[main, top, constant]).constants.len(), 1);
}

const LOCAL: Text = (
    "I.imp",
    "IMPLEMENTATION I REFINES M CONCRETE_VARIABLES x INITIALISATION x := 5
     LOCAL_OPERATIONS r <-- put(p) = PRE p : 0..6 & r : BOOL THEN x := p || r := TRUE END
     OPERATIONS go = VAR b IN b <-- put(6) END; back = VAR b IN b <-- put(7) END; s <-- put(q) = BEGIN x := 2; s := TRUE END END",
);

#[test]
fn the_precondition_of_a_local_operation_is_checked_where_it_is_called_and_the_rest_is_not() {
    let (alone, found, _) = load(&[LOCAL, TOP]);
    let alone = alone.unwrap_or_else(|| panic!("{found:?}"));
    let (both, _, more) = refined(&[LOCAL, TOP]);
    for (model, found) in [(alone, found), (both, more)] {
        assert_eq!(warnings(&found, Code::NotChecked), ["that the local operation `put` does what LOCAL_OPERATIONS says is not checked"]);
        assert_eq!(model.not_checked.iter().map(|stated| stated.name.as_str()).collect::<Vec<_>>(), ["put"]);
        assert!(!model.operations.contains_key("put"));
        let mut required = Vec::new();
        let mut note = |node: Node<'_>| {
            if let Node::Subst(subst) = node
                && let SubstKind::Pre { pred, is_guard: false, .. } = &subst.kind
            {
                let mut conjuncts = Vec::new();
                collect(pred, &mut conjuncts);
                required.push(conjuncts.len());
            }
        };
        walk_subst(&model.operations["back"].body, &mut note);
        assert_eq!(required, [1], "p : 0..6, and nothing about the result");
    }
    let main = ("I.imp", "IMPLEMENTATION I REFINES M LOCAL_OPERATIONS put(p) = skip OPERATIONS go = skip; back = skip; put = skip END");
    assert_eq!(errors(&[main, TOP]), [(Code::WrongArgumentCount, "put".to_owned())]);
}

#[test]
fn conjuncts_of_a_loop_about_the_refined_machine_are_named_as_not_checked() {
    let main = (
        "I.imp",
        "IMPLEMENTATION I REFINES M CONCRETE_VARIABLES c INVARIANT c = x INITIALISATION c := 5 OPERATIONS back = c := 5;
         go = WHILE c < 6 DO c := c + 1 INVARIANT c : 0..6 & x = 17 VARIANT 6 - c END END",
    );
    let (alone, found, sources) = load(&[main, TOP]);
    let (both, _, more) = refined(&[main, TOP]);
    for (model, found) in [(alone.expect("a model"), found), (both, more)] {
        assert_eq!(warnings(&found, Code::NotChecked), ["a part of the invariant of a loop is about a refined machine and not checked"]);
        let stated = model.not_checked.iter().find(|stated| stated.name == "WHILE").expect("the conjunct");
        assert_eq!(sources.text(stated.span), "x = 17");
    }
}

#[test]
fn a_loop_of_the_refined_machine_has_its_invariant_in_a_refinement_check() {
    let top = (
        "M.mch",
        "MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 5
         OPERATIONS go = WHILE x < 6 DO x := x + 1 INVARIANT x : 0..6 VARIANT 6 - x END END",
    );
    let main = ("R.ref", "REFINEMENT R REFINES M VARIABLES y INVARIANT y = x INITIALISATION y := 5 OPERATIONS go = y := 6 END");
    let (both, _, found) = refined(&[main, top]);
    assert!(warnings(&found, Code::NotChecked).is_empty());
    let mut invariants = Vec::new();
    let mut note = |node: Node<'_>| {
        if let Node::Subst(subst) = node
            && let SubstKind::While { invariant, .. } = &subst.kind
        {
            invariants.push(invariant.kind.clone());
        }
    };
    walk_subst(&both.operations["M::go"].body, &mut note);
    assert!(matches!(invariants.as_slice(), [PredKind::Compare(..)]), "{invariants:?}");
}
