//! Headers, every clause, DEFINITIONS and OPERATIONS.

use super::super::ast::{ClauseKind, Definition, DefinitionBody, Machine, MachineKind, SetDeclarationKind, SubstKind};
use super::super::{parse_definitions_file, parse_machine};
use super::{FILE, codes, good, shape};
use bcheck_source::Code;

fn read(text: &str) -> Machine {
    good(parse_machine(FILE, text), text).expect("a machine")
}

/// The only clause of a machine.
fn clause(text: &str) -> ClauseKind {
    let mut machine = read(&format!("MACHINE M {text} END"));
    assert_eq!(machine.clauses.len(), 1, "{text}");
    machine.clauses.remove(0).kind
}

fn texts(names: &[super::super::ast::Name]) -> Vec<&str> {
    names.iter().map(|name| name.text.as_str()).collect()
}

#[test]
fn all_header_keywords_are_read() {
    for (keyword, kind) in [
        ("MACHINE", MachineKind::Machine),
        ("MODEL", MachineKind::Machine),
        ("SYSTEM", MachineKind::Machine),
        ("REFINEMENT", MachineKind::Refinement),
        ("IMPLEMENTATION", MachineKind::Implementation),
    ] {
        let machine = read(&format!("{keyword} M(S, n) REFINES A CONSTRAINTS n = 1 END"));
        assert_eq!(machine.kind, kind);
        assert_eq!(machine.name.text, "M");
        assert_eq!(texts(&machine.parameters), ["S", "n"]);
        assert!(matches!(&machine.clauses[0].kind, ClauseKind::Refines(refined) if refined.machine.text == "A"));
    }
}

#[test]
fn every_clause_is_read_and_printed() {
    for text in [
        "SEES A, b.C",
        "USES A",
        "INCLUDES A, p.B(1, x + 2), q.r.C",
        "INCLUDES `a b.M`, `p.END`(1)",
        "EXTENDS A(TRUE)",
        "IMPORTS A",
        "PROMOTES op, p.op",
        "CONSTRAINTS n : NAT & n > 1",
        "SETS S; T = {a, b}; U = Elements",
        "CONSTANTS c, d",
        "ABSTRACT_CONSTANTS c",
        "PROPERTIES c : NAT & d = c + 1",
        "VARIABLES x, y",
        "CONCRETE_VARIABLES x",
        "INVARIANT x : NAT & y : S",
        "ASSERTIONS x > 0; y = y",
        "DEFINITIONS a == 1; p(x) == x = 1; s(x) == x := 1 ; \"other.def\"; l == a, b",
        "INITIALISATION x := 1 || y := 2 ; skip",
        "OPERATIONS op = skip",
        "LOCAL_OPERATIONS op = skip",
        "VALUES c = 1; S = 1 .. 3",
        "FREETYPES T = A(B), C; L = nil, cons(INTEGER * L)",
    ] {
        let machine = read(&format!("MACHINE M {text} END"));
        assert_eq!(machine.clauses.len(), 1);
        // A substitution in front of a `;` prints without blanks before it.
        assert_eq!(machine.clauses[0].to_string().replace(" ;", ";"), text.replace(" ;", ";"));
    }
}

#[test]
fn other_spellings_of_clauses_mean_the_same() {
    assert!(matches!(clause("INITIALIZATION skip"), ClauseKind::Initialisation(_)));
    assert!(matches!(clause("EVENTS e = skip"), ClauseKind::Operations(operations) if operations.len() == 1));
    assert!(matches!(clause("CONCRETE_CONSTANTS c"), ClauseKind::Constants(_, false)));
    assert!(matches!(clause("ABSTRACT_VARIABLES x"), ClauseKind::Variables(_, false)));
    assert!(matches!(clause("DEFINITIONS"), ClauseKind::Definitions(definitions) if definitions.is_empty()));
}

#[test]
fn sets_are_deferred_enumerated_or_defined_elsewhere() {
    let ClauseKind::Sets(sets) = clause("SETS S; T={a,b}; U=D") else { panic!("sets") };
    assert_eq!(sets[0].kind, SetDeclarationKind::Deferred);
    assert!(matches!(&sets[1].kind, SetDeclarationKind::Enumerated(elements) if texts(elements) == ["a", "b"]));
    assert!(matches!(&sets[2].kind, SetDeclarationKind::ByDefinition(name) if name.text == "D"));
}

#[test]
fn a_prefix_is_everything_before_the_last_dot() {
    let ClauseKind::Includes(references) = clause("INCLUDES M, a.b.N(1)") else { panic!("references") };
    assert_eq!(references[0].prefix, None);
    assert_eq!(references[1].prefix.as_ref().map(|prefix| prefix.text.as_str()), Some("a.b"));
    assert_eq!((references[1].machine.text.as_str(), references[1].arguments.len()), ("N", 1));
    for quote in ["", "`"] {
        let text = format!("MACHINE M SEES {quote}a.b.N{quote} END");
        let machine = read(&text);
        let ClauseKind::Sees(references) = &machine.clauses[0].kind else { panic!("references") };
        let place = |name: &super::super::ast::Name| &text[name.span.start as usize..name.span.end as usize];
        assert_eq!((references[0].prefix.as_ref().map(place), place(&references[0].machine)), (Some("a.b"), "N"));
    }
}

#[test]
fn operations_have_results_parameters_and_refined_names() {
    let ClauseKind::Operations(operations) = clause("OPERATIONS r, s <-- p.op(a, b) = skip ; foo ref bar = BEGIN x := 1 ; skip END") else {
        panic!("operations")
    };
    assert_eq!(operations.len(), 2);
    assert_eq!(texts(&operations[0].results), ["r", "s"]);
    assert_eq!(operations[0].name.text, "p.op");
    assert_eq!(texts(&operations[0].parameters), ["a", "b"]);
    assert_eq!(operations[1].refines.as_ref().map(|name| name.text.as_str()), Some("bar"));
    assert!(matches!(operations[1].body.kind, SubstKind::Block(_)));
}

#[test]
fn a_definition_ends_where_the_next_one_begins() {
    let ClauseKind::Definitions(definitions) =
        clause("DEFINITIONS swap(a, b) == x := a ; y := b ; z(t) == t ; \"file.def\" ; w == BEGIN x := 1 ; y := 2 END ;")
    else {
        panic!("definitions")
    };
    let bodies: Vec<String> = definitions
        .iter()
        .map(|definition| match definition {
            Definition::Include(file) => format!("include {}", file.text),
            Definition::Macro { name, parameters, body } => {
                let kind = match body {
                    DefinitionBody::Expr(_) => "formula",
                    DefinitionBody::List(_) => "list",
                    DefinitionBody::Subst(_) => "substitution",
                };
                format!("{} {} {kind}", name.text, parameters.len())
            }
        })
        .collect();
    assert_eq!(bodies, ["swap 2 substitution", "z 1 formula", "include file.def", "w 0 substitution"]);
}

#[test]
fn the_body_of_a_definition_is_classified_by_its_form() {
    for (body, expected) in [
        ("x = 1", "formula"),
        ("x + 1", "formula"),
        ("op(x)", "formula"),
        ("x, y", "list"),
        ("x := 1", "substitution"),
        ("skip", "substitution"),
        ("IF x = 1 THEN y := 1 ELSE skip END", "substitution"),
        ("IF x = 1 THEN 1 ELSE 2 END", "formula"),
        ("LET x BE x = 1 IN y := x END", "substitution"),
        ("x :: S || y := 1", "substitution"),
        ("x :(x = 1)", "substitution"),
        ("x : (S)", "formula"),
    ] {
        let ClauseKind::Definitions(definitions) = clause(&format!("DEFINITIONS d == {body}")) else { panic!("definitions") };
        let found = match &definitions[..] {
            [Definition::Macro { body: DefinitionBody::Expr(_), .. }] => "formula",
            [Definition::Macro { body: DefinitionBody::List(_), .. }] => "list",
            [Definition::Macro { body: DefinitionBody::Subst(_), .. }] => "substitution",
            other => panic!("{body}: {other:?}"),
        };
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn a_loop_in_a_definition_or_operation_does_not_start_a_clause() {
    let machine = read(
        "MACHINE M DEFINITIONS d == WHILE x = 1 DO skip INVARIANT x = 1 VARIANT 1 END \
         INVARIANT x = 1 OPERATIONS op = WHILE x = 1 DO skip INVARIANT x = 1 VARIANT 1 END END",
    );
    assert_eq!(machine.clauses.len(), 3);
}

#[test]
fn a_file_of_definitions_is_read_and_anything_else_there_refused() {
    let definitions = good(parse_definitions_file(FILE, "DEFINITIONS a == 1; b(x) == x"), "");
    assert_eq!(definitions.len(), 2);
    assert!(good(parse_definitions_file(FILE, "/* nothing */"), "").is_empty());
    // A machine lends its definitions.
    assert!(good(parse_definitions_file(FILE, "MACHINE M END"), "").is_empty());
    assert_eq!(good(parse_definitions_file(FILE, "MACHINE M SETS S DEFINITIONS a == 1; b == 2 END"), "").len(), 2);
    assert_eq!(codes(&parse_definitions_file(FILE, "SETS S").diagnostics), [Code::UnexpectedToken]);
    assert_eq!(codes(&parse_definitions_file(FILE, "DEFINITIONS a == 1 SETS S").diagnostics), [Code::UnexpectedToken]);
}

#[test]
fn pragmas_stand_only_where_they_mean_something() {
    assert!(parse_machine(FILE, "MACHINE M SEES A /*@file \"a/A.mch\" */ CONSTANTS c /*@ desc a constant */ END").diagnostics.is_empty());
    assert_eq!(
        codes(&parse_machine(FILE, "MACHINE M CONSTANTS a PROPERTIES a = 1 /*@file \"x.mch\" */ END").diagnostics),
        [Code::UnexpectedToken]
    );
    assert_eq!(codes(&parse_machine(FILE, "MACHINE M SEES /*@file \"x.mch\" */ A END").diagnostics), [Code::UnexpectedToken]);
}

#[test]
fn a_file_pragma_belongs_to_the_machine_before_it() {
    let machine =
        read("REFINEMENT R REFINES A /*@file \"../A.mch\" */ SEES B, C /*@ file c/C.mch*/, D INCLUDES p.E(1, 2) /*@file \"e/E.mch\"*/ END");
    let files: Vec<Option<&str>> = machine
        .clauses
        .iter()
        .flat_map(|clause| match &clause.kind {
            ClauseKind::Refines(reference) => std::slice::from_ref(reference),
            ClauseKind::Sees(references) | ClauseKind::Includes(references) => references,
            _ => &[],
        })
        .map(|reference| reference.file.as_ref().map(|file| file.text.as_str()))
        .collect();
    assert_eq!(files, [Some("../A.mch"), None, Some("c/C.mch"), None, Some("e/E.mch")]);
    let text = machine.to_string();
    assert_eq!(shape(&read(&text)), shape(&machine), "{text}");
}

#[test]
fn the_span_of_a_clause_covers_keyword_and_content() {
    let text = "MACHINE M VARIABLES x, y INVARIANT x = 1 END";
    let machine = read(text);
    let covered: Vec<&str> = machine.clauses.iter().map(|clause| &text[clause.span.start as usize..clause.span.end as usize]).collect();
    assert_eq!(covered, ["VARIABLES x, y", "INVARIANT x = 1"]);
    let keyword = machine.clauses[1].keyword;
    assert_eq!(&text[keyword.start as usize..keyword.end as usize], "INVARIANT");
}
