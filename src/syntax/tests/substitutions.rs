//! Every substitution, and how `||` and `;` group.

use super::super::ast::{ExprKind, Subst, SubstKind};
use super::parse_substitution;
use super::{FILE, codes, good};
use bcheck_source::Code;

fn read(text: &str) -> Subst {
    good(parse_substitution(FILE, text), text)
}

#[test]
fn every_substitution_is_read_and_printed() {
    for text in [
        "skip",
        "x := 1",
        "x, y := 1, 2",
        "f(x) := 1",
        "f(x)(y) := 1",
        "f(x, y), g := 1, 2",
        "r'field := 1",
        "x :: S",
        "x, y :: S * T",
        "x, y : (x = x$0 + 1 & y = x)",
        "op",
        "pre.op(1, x + 2)",
        "a, f(b) <-- op(x)",
        "a <-- pre.op",
        "BEGIN x := 1 ; y := 2 END",
        "PRE x : NAT THEN y := x END",
        "ASSERT x = 1 THEN skip END",
        "CHOICE x := 1 OR x := 2 OR skip END",
        "IF x = 1 THEN skip END",
        "IF x = 1 THEN y := 1 ELSIF x = 2 THEN y := 2 ELSE y := 3 ; skip END",
        "SELECT x = 1 THEN y := 1 WHEN x = 2 THEN y := 2 ELSE skip END",
        "CASE x OF EITHER 1, 2 THEN skip OR 3 THEN y := 1 ELSE y := 2 END END",
        "CASE x OF EITHER a THEN skip END END",
        "ANY a, b WHERE a : S & b : T THEN x := a || y := b END",
        "LET a, b BE a = 1 & b = 2 IN x := a + b END",
        "VAR a, b IN a := 1 ; b := a END",
        "WHILE n > 0 DO n := n - 1 INVARIANT n : NAT VARIANT n END",
        "x := 1 || y := 2 ; z := 3",
        "b := bool(x < 1)",
        "x := IF a = 1 THEN 2 ELSE 3 END",
    ] {
        assert_eq!(read(text).to_string(), text);
    }
}

#[test]
fn parallel_binds_tighter_than_sequence_and_both_are_flat() {
    let SubstKind::Sequence(parts) = read("a := 1 || b := 2 ; c := 3 ; d := 4 || e := 5").kind else { panic!("a sequence") };
    assert_eq!(parts.len(), 3);
    assert!(matches!(&parts[0].kind, SubstKind::Parallel(branches) if branches.len() == 2));
    assert!(matches!(parts[1].kind, SubstKind::Assign(..)));
}

#[test]
fn targets_are_the_places_that_were_written() {
    let SubstKind::Assign(targets, values) = read("f(x)(y), r'g := 1, 2").kind else { panic!("an assignment") };
    assert_eq!((targets.len(), values.len()), (2, 2));
    assert!(matches!(&targets[0].kind, ExprKind::Apply(inner, _) if matches!(inner.kind, ExprKind::Apply(..))));
    assert!(matches!(&targets[1].kind, ExprKind::Field(_, field) if field.text == "g"));
}

#[test]
fn the_invariant_of_a_loop_is_part_of_it_also_when_loops_nest() {
    let text = "WHILE a DO WHILE b DO skip INVARIANT c VARIANT 1 END INVARIANT d VARIANT 2 END";
    let SubstKind::While { body, invariant, .. } = read(text).kind else { panic!("a loop") };
    assert!(matches!(body.kind, SubstKind::While { .. }));
    assert_eq!(invariant.to_string(), "d");
}

#[test]
fn what_is_not_a_substitution_is_refused() {
    for (text, code) in [
        ("", Code::ExpectedSubstitution),
        ("x", Code::UnexpectedToken),
        ("x +", Code::ExpectedSubstitution),
        ("1", Code::ExpectedSubstitution),
        ("x = 1", Code::EqualsForAssign),
        ("x == 1", Code::EqualsForAssign),
        ("x : S", Code::ExpectedSubstitution),
        ("x := y = 1", Code::ExpectedExpression),
        ("BEGIN END", Code::ExpectedSubstitution),
        ("BEGIN skip ; END", Code::StraySemicolon),
        ("BEGIN skip", Code::MissingEnd),
        ("IF x = 1 skip END", Code::UnexpectedToken),
        ("IF x THEN skip ELSE skip ELSE skip END", Code::MissingEnd),
        ("CASE x OF EITHER 1 THEN skip END", Code::MissingEnd),
        ("ANY x.y WHERE x.y = 1 THEN skip END", Code::BadIdentifier),
        ("ANY max WHERE max = 1 THEN skip END", Code::KeywordAsName),
        ("WHILE x = 1 DO skip VARIANT 1 END", Code::UnexpectedToken),
        ("x : (x = x$5)", Code::UnexpectedToken),
        ("x := 1 END", Code::UnexpectedToken),
        ("x := 1 y := 2", Code::UnexpectedToken),
    ] {
        let parsed = parse_substitution(FILE, text);
        if text == "x" {
            assert!(parsed.diagnostics.is_empty(), "a name alone is a call");
        } else {
            assert_eq!(codes(&parsed.diagnostics), [code], "{text:?}");
        }
    }
}
