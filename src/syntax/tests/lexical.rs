//! Names, numbers, strings, comments, and the rule that the longest sign wins.

use super::super::ast::ExprKind;
use super::super::{parse_expression, parse_formula, parse_machine, parse_predicate};
use super::{FILE, codes, good, grouped, shape, under};
use bcheck_source::Code;

fn kind(text: &str) -> ExprKind {
    good(parse_expression(FILE, text), text).kind
}

#[test]
fn the_longest_sign_wins() {
    for (text, expected) in [
        ("x/=y", "(x /= y)"),
        ("x/:y", "(x /: y)"),
        ("a<-b", "(a <- b)"),
        ("a<--b", "(a < (-(-b)))"),
        ("a<->b", "(a <-> b)"),
        ("a<<|b", "(a <<| b)"),
        ("a|>>b", "(a |>> b)"),
        ("a>->>b", "(a >->> b)"),
        ("1..n", "(1 .. n)"),
        ("s/|\\n", "(s /|\\ n)"),
        ("s\\|/n", "(s \\|/ n)"),
        ("a**b", "(a ** b)"),
        ("x|->1", "(x |-> 1)"),
    ] {
        if text == "a<--b" {
            assert!(!parse_formula(FILE, text).diagnostics.is_empty(), "<-- is the sign of operation results");
        } else {
            assert_eq!(grouped(&good(parse_formula(FILE, text), text)), expected, "{text}");
        }
    }
}

#[test]
fn numbers_are_kept_as_decimal_digits() {
    assert_eq!(kind("0xFF"), ExprKind::Integer("255".into()));
    assert_eq!(kind("123456789012345678901234567890"), ExprKind::Integer("123456789012345678901234567890".into()));
    assert_eq!(kind("1.50"), ExprKind::Real("1.50".into()));
    assert_eq!(codes(&parse_expression(FILE, "0x + 1").diagnostics), [Code::BadNumber]);
}

#[test]
fn strings_resolve_their_escapes() {
    assert_eq!(kind(r#""a\n\t\"\\ \q""#), ExprKind::String("a\n\t\"\\ \\q".into()));
    assert_eq!(kind("'''two\nlines \"quoted\"'''"), ExprKind::String("two\nlines \"quoted\"".into()));
    assert_eq!(kind(r"'''\''''"), ExprKind::String("'".into()));
    // The end of a line is the same in files of every system; written as an escape, it is what it says.
    assert_eq!(kind("'''a\r\nb\rc\\r\\\r\n'''"), ExprKind::String("a\nb\nc\r\\\n".into()));
}

#[test]
fn names_may_be_dotted_quoted_or_old() {
    assert_eq!(kind("a.b.c"), ExprKind::Ident("a.b.c".into()));
    assert_eq!(kind("`any text!`"), ExprKind::Ident("any text!".into()));
    assert_eq!(kind("`BEGIN`"), ExprKind::Ident("BEGIN".into()));
    assert_eq!(kind("x$0"), ExprKind::OldValue("x".into()));
    assert_eq!(kind("größe_1"), ExprKind::Ident("größe_1".into()));
    assert!(!parse_expression(FILE, "x$1").diagnostics.is_empty());
    assert_eq!(codes(&parse_expression(FILE, "_x").diagnostics), [Code::BadIdentifier]);
}

#[test]
fn the_dot_of_a_quantifier_is_not_part_of_a_name() {
    let tree = good(parse_predicate(FILE, "#x.(x=1) & !y.(y=1 => y=1)"), "");
    assert_eq!(tree.to_string(), "#x.(x = 1) & !y.(y = 1 => y = 1)");
}

#[test]
fn comments_are_blanks_and_unknown_pragmas_are_comments() {
    let text = "1 /* one */ + // plus\r\n 2 /*@unit m*/ + /**/ 3";
    assert_eq!(grouped(&good(parse_expression(FILE, text), text)), "((1 + 2) + 3)");
}

#[test]
fn a_label_belongs_to_one_conjunct_and_a_description_to_the_one_before() {
    let text = "/*@label a*/ x = 1 & y = 2 /*@desc b c*/ & z = 3";
    let tree = good(parse_predicate(FILE, text), text);
    assert_eq!(tree.to_string(), "/*@label a */ x = 1 & /*@label b c */ y = 2 & z = 3");
}

#[test]
fn unicode_signs_mean_the_same_as_their_ascii_spellings() {
    for (unicode, ascii) in [
        ("∀x·(x∈ℕ1 ⇒ x≠0 ∧ x≥1)", "!x.(x : NATURAL1 => x /= 0 & x >= 1)"),
        ("∃(x,y)·(x↦y ∈ S×T ∨ ¬(x ⊆ y))", "#(x, y).(x |-> y : S * T or not(x <: y))"),
        ("λx·(x∈ℤ ∣ x−1) ∈ ℤ→ℤ", "%x.(x : INTEGER | x - 1) : INTEGER --> INTEGER"),
        ("A ∪ B ∩ C ∖ {} = ∅", "A \\/ B /\\ C \\ {} = {}"),
        ("f ⇸ g = ℙ(S) ↔ ℙ1(T)", "f +-> g = POW(S) <-> POW1(T)"),
        ("a ◀ f = f ▶ a ⟹ f ⋖ g = g", "a <<| f = f |>> a => f <+ g = g"),
        ("a ⊊ b ⟺ ∀x⋅(x ∈ a ⇒ x ∈ b)", "a <<: b <=> !x.(x : a => x : b)"),
        ("s ↑ 1 = t ↓ 2 ∧ s ⌒ t = 1 ⇾ t ⇽ 2", "s /|\\ 1 = t \\|/ 2 & s ^ t = 1 -> t <- 2"),
        ("(f ‖ g) ∈ 𝔹 ⨯ a → b ∧ x ˄ 2 = 𝜆y·(y ∈ a ∣ y)", "(f || g) : BOOL * a --> b & x ** 2 = %y.(y : a | y)"),
        ("f ∈ a −−> b ∧ f ∈ a +−> b ∧ f ∈ a >−> b ∧ f ∈ a >−>> b", "f : a --> b & f : a +-> b & f : a >-> b & f : a >->> b"),
        ("f ∈ a −−>> b ∧ f ∈ a +−>> b ∧ f ∈ a <−> b ∧ s = 1 −> t", "f : a -->> b & f : a +->> b & f : a <-> b & s = 1 -> t"),
        ("f ∈ a <<−> b ∧ f ∈ a <−>> b ∧ f ∈ a <<−>> b", "f : a <<-> b & f : a <->> b & f : a <<->> b"),
    ] {
        let unicode_tree = good(parse_predicate(FILE, unicode), unicode);
        let ascii_tree = good(parse_predicate(FILE, ascii), ascii);
        assert_eq!(shape(&unicode_tree), shape(&ascii_tree), "{unicode}");
    }
}

#[test]
fn signs_without_ascii_spelling_exchange_their_sides() {
    for (unicode, ascii) in [
        ("a ∪ b ⊇ c", "c <: a \\/ b"),
        ("a ⊉ b ∧ c ⊅ d", "b /<: a & d /<<: c"),
        ("a ⊃ b", "b <<: a"),
        ("a ∋ x + 1 ∧ a ∌ y", "x + 1 : a & y /: a"),
        ("f ∘ g ∘ h = k", "(h ; (g ; f)) = k"),
    ] {
        let unicode_tree = good(parse_predicate(FILE, unicode), unicode);
        let ascii_tree = good(parse_predicate(FILE, ascii), ascii);
        assert_eq!(grouped(&unicode_tree), grouped(&ascii_tree), "{unicode}");
    }
    assert_eq!(codes(&parse_predicate(FILE, "a ⊇ b ⊇ c").diagnostics), [Code::UnexpectedToken]);
    assert_eq!(parse_predicate(FILE, "a ⊋ b").diagnostics[0].code, Code::UnknownCharacter);
}

#[test]
fn the_long_arrows_of_definitions_and_results_are_signs() {
    let text = "MACHINE M DEFINITIONS one ≜ 1 OPERATIONS r ⟵ get = r := one END";
    assert!(parse_machine(FILE, text).diagnostics.is_empty());
}

#[test]
fn a_shebang_line_is_skipped_only_at_the_start() {
    assert!(parse_machine(FILE, "#!/usr/bin/env bcheck\nMACHINE M END").diagnostics.is_empty());
    assert!(!parse_machine(FILE, "\n#!/usr/bin/env bcheck\nMACHINE M END").diagnostics.is_empty());
}

#[test]
fn unknown_characters_are_skipped_one_error_for_each_run() {
    let text = "MACHINE M CONSTANTS c §§ PROPERTIES c = 1 ? END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(codes(&parsed.diagnostics), [Code::UnknownCharacter, Code::UnknownCharacter]);
    assert_eq!(under(text, &parsed.diagnostics[0].labels[0]), "§§");
}

#[test]
fn an_open_comment_or_string_is_the_only_error_it_causes() {
    for (text, code, opener) in [
        ("MACHINE M /* open END", Code::UnclosedComment, "/*"),
        ("MACHINE M PROPERTIES c = \"open END", Code::UnclosedString, "\""),
        ("MACHINE M PROPERTIES c = '''open END", Code::UnclosedString, "'''"),
    ] {
        let parsed = parse_machine(FILE, text);
        assert_eq!(codes(&parsed.diagnostics), [code], "{text}");
        assert_eq!(under(text, &parsed.diagnostics[0].labels[0]), opener);
    }
}

#[test]
fn an_open_string_hides_no_errors_in_later_lines_but_those_that_it_causes() {
    // Each text has its own faults, behind what the string has swallowed.
    for (text, wanted) in [
        (
            "MACHINE M PROPERTIES s = \"abc\nINVARIANT x : & y = 1\nINITIALISATION x =\nEND",
            &[Code::UnclosedString, Code::UnexpectedToken, Code::EqualsForAssign, Code::UnexpectedToken][..],
        ),
        ("MACHINE M PROPERTIES s = f(\"abc)\nVARIABLES x INVARIANT x : & x = 1 END", &[Code::UnclosedString, Code::UnexpectedToken]),
        ("MACHINE M PROPERTIES s = \"abc & t = (\n1 + 1) INVARIANT x : END", &[Code::UnclosedString, Code::UnexpectedToken]),
        ("MACHINE M OPERATIONS a = BEGIN s := \"b END;\nc = skip ;; d = skip END", &[Code::UnclosedString, Code::StraySemicolon]),
        ("MACHINE M OPERATIONS a = PRE s = \"b THEN\nx := 1 END ;\nc = x := END", &[Code::UnclosedString, Code::UnexpectedToken]),
        ("MACHINE M OPERATIONS a = BEGIN x := 1 ; s := \"b END\nEND", &[Code::UnclosedString]),
        ("MACHINE M SETS A PROPERTIES s = \"b\nSETS C END", &[Code::UnclosedString]),
        ("MACHINE M SETS A PROPERTIES s = \"b\nVARIABLES x SETS C END", &[Code::UnclosedString, Code::DuplicateClause]),
        ("MACHINE M PROPERTIES s = \"b\nVARIABLES x INVARIANT x : /* END", &[Code::UnclosedString, Code::UnclosedComment]),
    ] {
        let parsed = parse_machine(FILE, text);
        assert_eq!(codes(&parsed.diagnostics), wanted, "{text}\n{:#?}", parsed.diagnostics);
    }
}
