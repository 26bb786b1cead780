//! The messages of the parser about faulty machines: code, place, second place, remedy; and that one fault does not hide the next.

use super::super::ast::{ClauseKind, SubstKind};
use super::super::{parse_formula, parse_machine};
use super::{FILE, codes, under};
use bcheck_source::{Code, Diagnostic};

/// The only diagnostic of a machine.
fn only(text: &str) -> Diagnostic {
    let mut parsed = parse_machine(FILE, text);
    assert_eq!(parsed.diagnostics.len(), 1, "{text}\n{:#?}", parsed.diagnostics);
    parsed.diagnostics.remove(0)
}

/// Checks code, text under the first label, and a part of the message.
fn check(text: &str, code: Code, place: &str, wanted: &str) {
    let diagnostic = only(text);
    assert_eq!(diagnostic.code, code, "{text}\n{diagnostic:#?}");
    assert_eq!(under(text, &diagnostic.labels[0]), place, "{text}\n{diagnostic:#?}");
    let everything = format!("{} {:?} {:?}", diagnostic.title, diagnostic.labels, diagnostic.help);
    assert!(everything.contains(wanted), "{text}\n{diagnostic:#?}");
}

#[test]
fn semicolons_between_operations_are_asked_for_and_stray_ones_refused() {
    check("MACHINE M OPERATIONS a = skip b = skip END", Code::MissingSemicolon, "", "a ; is missing here");
    check("MACHINE M OPERATIONS a = skip ; b(x) = skip ; END", Code::StraySemicolon, ";", "remove this ;");
    check("MACHINE M OPERATIONS a = skip ;; b = skip END", Code::StraySemicolon, ";", "remove this ;");
    check("MACHINE M OPERATIONS a = BEGIN skip ; END END", Code::StraySemicolon, ";", "separates two substitutions");
    check("MACHINE M OPERATIONS a = x := 1 ; y := 2 END", Code::UnexpectedToken, "y", "between BEGIN and END");
    check("MACHINE M DEFINITIONS a == 1 b == 2 END", Code::MissingSemicolon, "", "a ; is missing here");
}

#[test]
fn a_missing_end_shows_what_is_open() {
    let text = "MACHINE M OPERATIONS a = BEGIN x := 1 ; b = BEGIN skip END END";
    let diagnostic = only(text);
    assert_eq!(diagnostic.code, Code::MissingEnd);
    assert_eq!((under(text, &diagnostic.labels[0]), under(text, &diagnostic.labels[1])), (";", "BEGIN"));
    let machine = parse_machine(FILE, text).tree.expect("a machine");
    assert!(matches!(&machine.clauses[0].kind, ClauseKind::Operations(operations) if operations.len() == 2));

    let text = "MACHINE M INITIALISATION IF x = 1 THEN skip OPERATIONS a = skip END";
    let diagnostic = only(text);
    assert_eq!(diagnostic.code, Code::MissingEnd);
    assert_eq!((under(text, &diagnostic.labels[0]), under(text, &diagnostic.labels[1])), ("OPERATIONS", "IF"));

    check("MACHINE M VARIABLES x", Code::MissingEnd, "", "the machine has no END");
    check("MACHINE M OPERATIONS a = BEGIN skip END", Code::MissingEnd, "", "the machine has no END");
}

#[test]
fn an_end_too_many_and_text_behind_the_machine_are_refused() {
    check("MACHINE M OPERATIONS a = skip END ; b = skip END", Code::UnexpectedToken, "END", "closes nothing");
    check("MACHINE M INVARIANT x = 1 END END", Code::UnexpectedToken, "END", "closes nothing");
    check("MACHINE M SETS S END x", Code::UnexpectedToken, "x", "nothing after the END");
}

#[test]
fn an_open_bracket_shows_its_opener_and_a_lone_closer_is_named() {
    for text in ["MACHINE M INVARIANT x : (1 .. 3 & y = 1 VARIABLES x, y END", "MACHINE M INVARIANT (x = 1 & y = 1 VARIABLES x, y END"] {
        let diagnostic = only(text);
        assert_eq!(diagnostic.code, Code::UnclosedBracket);
        assert_eq!((under(text, &diagnostic.labels[0]), under(text, &diagnostic.labels[1])), ("VARIABLES", "("));
    }

    check("MACHINE M INVARIANT x = 1) & y = 1 END", Code::UnclosedBracket, ")", "closes nothing");
    check("MACHINE M INVARIANT x = [1, 2} & y = 1 END", Code::UnclosedBracket, "}", "expected ]");
}

#[test]
fn a_misspelt_clause_is_read_as_the_one_that_was_meant() {
    for (written, meant) in [("INVARIENT", "INVARIANT"), ("VARIABLE", "VARIABLES"), ("OPERATION", "OPERATIONS"), ("variables", "VARIABLES")]
    {
        let content = match meant {
            "INVARIANT" => "x = 1",
            "OPERATIONS" => "op = skip",
            _ => "x, y",
        };
        let text = format!("MACHINE M CONSTANTS c {written} {content} END");
        check(&text, Code::UnknownClause, written, &format!("did you mean {meant}?"));
        assert_eq!(parse_machine(FILE, &text).tree.expect("a machine").clauses.len(), 2);
    }
    check("MACHINE M CONSTANTS c WHATEVER x = 1 END", Code::UnknownClause, "WHATEVER", "neither an operator nor a clause");
    check("MACHINE M WHATEVER x = 1 END", Code::UnknownClause, "WHATEVER", "neither an operator nor a clause");
}

#[test]
fn a_refined_operation_may_be_called_like_a_clause() {
    for name in ["SET", "sets", "EVENT", "USE", "VALUE", "EXPRESSIONS"] {
        let text = format!("REFINEMENT R REFINES M VARIABLES ref OPERATIONS mk(x) ref {name} = skip ; op ref {name} = skip END");
        let parsed = parse_machine(FILE, &text);
        assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
        let machine = parsed.tree.expect("a machine");
        assert!(matches!(&machine.clauses[2].kind, ClauseKind::Operations(operations) if operations.len() == 2));
    }
    check("MACHINE M VARIABLES ref INVARIENT ref = 1 END", Code::UnknownClause, "INVARIENT", "did you mean INVARIANT?");
}

#[test]
fn clauses_of_definitions_without_capture_are_refused() {
    for (clause, text) in
        [("PREDICATES", "MACHINE M PREDICATES p(x) == #y.(y = x) END"), ("EXPRESSIONS", "MACHINE M SETS S EXPRESSIONS e == 1 END")]
    {
        check(text, Code::NotSupportedEver, clause, "DEFINITIONS");
    }
    let both = parse_machine(FILE, "MACHINE M SETS S PREDICATES p == 1 = 1 EXPRESSIONS e == 1 END");
    assert_eq!(codes(&both.diagnostics), [Code::NotSupportedEver, Code::NotSupportedEver]);
}

#[test]
fn older_names_of_clauses_are_read_as_the_present_ones() {
    for (older, name) in [
        ("VISIBLE_CONSTANTS", "CONCRETE_CONSTANTS"),
        ("HIDDEN_CONSTANTS", "ABSTRACT_CONSTANTS"),
        ("VISIBLE_VARIABLES", "CONCRETE_VARIABLES"),
        ("HIDDEN_VARIABLES", "ABSTRACT_VARIABLES"),
    ] {
        let text = format!("MACHINE M {older} x END");
        check(&text, Code::UnknownClause, older, &format!("older name of the clause {name}"));
        let read = |text: &str| parse_machine(FILE, text).tree.expect("a machine").to_string();
        assert_eq!(read(&text), read(&format!("MACHINE M {name} x END")));
    }
}

#[test]
fn sets_with_commas_between_them_are_read_all_the_same() {
    let text = "MACHINE M SETS A, B = {b}; C, D END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(codes(&parsed.diagnostics), [Code::UnexpectedToken, Code::UnexpectedToken]);
    let machine = parsed.tree.expect("a machine");
    assert!(matches!(&machine.clauses[0].kind, ClauseKind::Sets(sets) if sets.len() == 4));
    check("MACHINE M SETS A, B END", Code::UnexpectedToken, ",", "separated by ;");
}

#[test]
fn a_clause_that_stands_twice_shows_both() {
    let text = "MACHINE M VARIABLES a CONSTANTS c VARIABLES b END";
    let diagnostic = only(text);
    assert_eq!(diagnostic.code, Code::DuplicateClause);
    assert!(diagnostic.labels[0].span.start > diagnostic.labels[1].span.start);
    check("MACHINE M OPERATIONS a = skip EVENTS b = skip END", Code::DuplicateClause, "EVENTS", "stands twice");
    assert!(parse_machine(FILE, "MACHINE M ABSTRACT_VARIABLES a CONCRETE_VARIABLES b END").diagnostics.is_empty());
}

#[test]
fn keywords_used_as_names_are_named_as_such() {
    check("MACHINE M VARIABLES first, y END", Code::KeywordAsName, "first", "first is a keyword of B");
    check("MACHINE M SETS S = {a, END} END", Code::KeywordAsName, "END", "`END`");
    check("MACHINE M INVARIANT size = 1 END", Code::KeywordAsName, "size", "between back quotes");
    check("MACHINE M OPERATIONS op(max) = skip END", Code::KeywordAsName, "max", "keyword");
    check("MACHINE MACHINE END", Code::KeywordAsName, "MACHINE", "keyword");
}

#[test]
fn keywords_in_other_case_are_told_to_be_names() {
    for (body, place, keyword) in [
        ("PRE x < 2 THEN if x = 0 THEN skip END END", "if", "IF"),
        ("PRE x < 2 then skip END", "then", "THEN"),
        ("IF x = 0 THEN skip Else skip END", "Else", "ELSE"),
        ("BEGIN x := 1 end", "end", "END"),
        ("begin x := 1 END", "begin", "BEGIN"),
        ("if -1 < x THEN skip END", "if", "IF"),
    ] {
        let text = format!("MACHINE M OPERATIONS a = {body} END");
        let first = parse_machine(FILE, &text).diagnostics.remove(0);
        assert_eq!(under(&text, &first.labels[0]), place, "{first:#?}");
        let Some(help) = first.help.first() else { panic!("{first:#?}") };
        assert!(help.ends_with(&format!("are written in capitals, {keyword}")), "{help}");
    }
    check("machine M END", Code::UnexpectedToken, "machine", "written in capitals, MACHINE");
    check("MACHINE M INVARIANT x = 1 Or x = 2 END", Code::UnexpectedToken, "Or", "write or");
    check("MACHINE M INVARIANT x = 1 OR x = 2 END", Code::UnexpectedToken, "OR", "P or Q");
    // Functions and constants in other case are names like any other.
    check("MACHINE M INVARIANT x = Min y END", Code::UnexpectedToken, "y", "missing before it");
}

#[test]
fn equals_for_assign_is_repaired() {
    let text = "MACHINE M OPERATIONS a = BEGIN x = 1 ; y == 2 END END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(codes(&parsed.diagnostics), [Code::EqualsForAssign, Code::EqualsForAssign]);
    let machine = parsed.tree.expect("a machine");
    let ClauseKind::Operations(operations) = &machine.clauses[0].kind else { panic!("operations") };
    assert_eq!(operations[0].body.to_string(), "BEGIN x := 1 ; y := 2 END");
}

#[test]
fn operators_of_other_languages_are_repaired() {
    for (text, right) in [
        ("a = 1 && b = 2", "a = 1 & b = 2"),
        ("a != 1", "a /= 1"),
        ("a <> 1", "a /= 1"),
        ("a == 1", "a = 1"),
        ("a = 1 and b = 2", "a = 1 & b = 2"),
        ("(a + 2) div 3 = b", "(a + 2) / 3 = b"),
        ("a + b DIV 3", "a + b / 3"),
        ("a MOD 2 = 0", "a mod 2 = 0"),
    ] {
        let parsed = parse_formula(FILE, text);
        assert_eq!(codes(&parsed.diagnostics), [Code::UnexpectedToken], "{text}");
        assert_eq!(parsed.tree.to_string(), right);
    }
    for (text, wanted) in [
        ("a =< 1", "<="),
        ("a \\= 1", "/="),
        ("a = 1 || b = 2", "only inside parentheses"),
        ("a = 1 | b = 2", "P or Q"),
        ("a % 2 = 0", "a mod b"),
        ("a := 1", "compares with ="),
        ("forall x.(x = 1 => x = 1)", "!x.(P => Q)"),
        ("a = 1 & & b = 2", "remove one"),
        ("a = (x ? 1 : 2)", "IF P THEN E ELSE F END"),
        ("a ; b", "only inside parentheses"),
        ("a : S, b : T", "joined by &"),
        ("a = TRUE & TRUE", "btrue"),
    ] {
        let parsed = parse_formula(FILE, text);
        let help: Vec<&String> = parsed.diagnostics.iter().flat_map(|diagnostic| &diagnostic.help).collect();
        assert!(help.iter().any(|line| line.contains(wanted)), "{text}: {:#?}", parsed.diagnostics);
    }
}

#[test]
fn the_universal_quantifier_needs_an_implication_and_comparisons_do_not_chain() {
    check("MACHINE M INVARIANT !x.(x = 1 & x = 2) END", Code::ForallNeedsImplication, "x = 1 & x = 2", "P => Q");
    check("MACHINE M INVARIANT 1 < x < 3 END", Code::UnexpectedToken, "<", "a < b & b < c");
}

#[test]
fn faulty_definitions_are_explained_by_the_reading_that_came_furthest() {
    check("MACHINE M DEFINITIONS d == x := 1 ; y := END", Code::UnexpectedToken, "END", "expected an expression");
    check("MACHINE M DEFINITIONS d == (1 + ; e == 2 END", Code::UnexpectedToken, ";", "expected an expression");
    check("MACHINE M DEFINITIONS d == ; e == 2 END", Code::BadDefinition, "==", "no right-hand side");
    check("MACHINE M DEFINITIONS d = 2 END", Code::BadDefinition, "=", "write ==");
    check("MACHINE M DEFINITIONS d END", Code::BadDefinition, "END", "expected ==");
    check("MACHINE M DEFINITIONS `a.b` == 1 END", Code::BadIdentifier, "`a.b`", "no dot");
}

#[test]
fn several_faults_are_reported_at_once_in_the_order_of_the_text() {
    let text = "MACHINE M
        VARIABLES x, min
        INVARIANT x : NAT & y : & z = 1 & z + 1
        INITIALISATION x =
        OPERATIONS
          a = BEGIN x := END ;
          b = PRE x = 1 skip END ;
          c = skip
          d = x := 1
        END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(
        codes(&parsed.diagnostics),
        [
            Code::KeywordAsName,
            Code::UnexpectedToken,
            Code::ExpectedPredicate,
            Code::EqualsForAssign,
            Code::UnexpectedToken,
            Code::UnexpectedToken,
            Code::UnexpectedToken,
            Code::MissingSemicolon,
        ]
    );
    let machine = parsed.tree.expect("a machine");
    let ClauseKind::Operations(operations) = &machine.clauses.last().expect("clauses").kind else { panic!("operations") };
    let names: Vec<&str> = operations.iter().map(|operation| operation.name.text.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(matches!(operations[0].body.kind, SubstKind::Error));
}

#[test]
fn conjuncts_around_a_faulty_one_are_kept() {
    let text = "MACHINE M INVARIANT x : NAT & (y : ) & z = 1 w = 2 & v = 3 END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(codes(&parsed.diagnostics), [Code::UnexpectedToken, Code::UnexpectedToken]);
    let machine = parsed.tree.expect("a machine");
    let ClauseKind::Invariant(invariant) = &machine.clauses[0].kind else { panic!("an invariant") };
    assert_eq!(invariant.to_string(), "? & z = 1 & (w = 2 & v = 3)");
}

#[test]
fn text_before_the_machine_is_reported_and_the_machine_still_read() {
    let parsed = parse_machine(FILE, "hello MACHINE M SETS S END");
    assert_eq!(codes(&parsed.diagnostics), [Code::UnexpectedToken]);
    assert_eq!(parsed.tree.expect("a machine").clauses.len(), 1);
}

#[test]
fn titles_are_one_sentence_and_every_place_is_labelled_or_obvious() {
    for text in ["MACHINE M INVARIANT x : END", "MACHINE M SETS = END", "MACHINE M OPERATIONS = END", "MACHINE END", "MACHINE M SEES 1 END"]
    {
        for diagnostic in parse_machine(FILE, text).diagnostics {
            assert!(!diagnostic.title.ends_with('.') && !diagnostic.title.contains('\n'), "{diagnostic:?}");
            assert!(diagnostic.title.starts_with("expected"), "{diagnostic:?}");
        }
    }
}

#[test]
fn a_dot_between_letters_is_told_to_be_part_of_a_name() {
    for (formula, place, wanted) in [
        ("{x.x : 1..3 | x} = {}", "x.x", "{x . P | E}"),
        ("{x.P | x} = {}", "x.P", "{(x).P | E}"),
        ("{x, y.y = x | y} = {}", "y.y", "{y . P | E}"),
        ("#x.x = 1", "x.x", "#x.(..)"),
        ("!x, y.y = x", "y.y", "!y.(..)"),
    ] {
        check(&format!("MACHINE M INVARIANT {formula} END"), Code::BadIdentifier, place, wanted);
    }
    assert!(parse_formula(FILE, "{a.b, a.c} = {a.b}").diagnostics.is_empty());
}

#[test]
fn what_is_meant_instead_is_said() {
    check("MACHINE M INVARIANT x<-1 END", Code::ExpectedPredicate, "x<-1", "a < -b");
    check("MACHINE M OPERATIONS a = SELECT x = 1 THEN skip OR x = 2 THEN skip END END", Code::UnexpectedToken, "OR", "WHEN");
    let text = "MACHINE M SETS S END MACHINE N SETS : END";
    check(text, Code::UnexpectedToken, "MACHINE", "a file of its own");
    assert_eq!(only(text).span().start, 21);
}

#[test]
fn what_prob_knows_beyond_is_refused_by_name() {
    check("MACHINE M OPERATIONS a = WITNESS x = 1 THEN skip END END", Code::NotSupportedEver, "WITNESS", "not supported");
    check("MACHINE M INVARIANT [x := 1] x = 2 END", Code::NotSupportedEver, "[x :=", "not supported");
    check("MACHINE M INVARIANT SET(x).(x : S) = {} END", Code::NotSupportedEver, "SET", "{x | P}");
    check("MACHINE M INVARIANT SET x, y.(x : S) = {} END", Code::NotSupportedEver, "SET", "{x | P}");
    assert!(parse_formula(FILE, "SET(x) = SET").diagnostics.is_empty());
}
