//! The parser is total: deep nesting is refused, long chains are read, and damaged texts give trees and diagnostics.

use proptest::prelude::*;

use super::super::{parse_definitions_file, parse_formula, parse_machine, parse_predicate};
use super::parse_substitution;
use super::{FILE, codes, on_large_stack};
use bcheck_source::Code;

#[test]
fn deep_nesting_of_every_kind_is_refused_not_fatal() {
    on_large_stack(|| {
        let count = 100_000;
        for opener in ["(", "{", "[", "not(", "!x.(", "-(", "f(", "f[", "IF a = 1 THEN ", "LET x BE x = 1 IN ", "2 ** "] {
            let parsed = parse_formula(FILE, &opener.repeat(count));
            assert_eq!(codes(&parsed.diagnostics), [Code::TooDeep], "{opener}");
        }
        for opener in ["BEGIN ", "IF a = 1 THEN ", "PRE a = 1 THEN ", "CHOICE ", "WHILE a = 1 DO "] {
            let parsed = parse_substitution(FILE, &opener.repeat(count));
            assert_eq!(codes(&parsed.diagnostics), [Code::TooDeep], "{opener}");
        }
        let machine = format!("MACHINE M PROPERTIES {}x = 1{} END", "(".repeat(count), ")".repeat(count));
        let parsed = parse_machine(FILE, &machine);
        assert_eq!(codes(&parsed.diagnostics), [Code::TooDeep]);
        let shallow = format!("{}x = 1{}", "(".repeat(3_900), ")".repeat(3_900));
        assert!(parse_predicate(FILE, &shallow).diagnostics.is_empty());
    });
}

#[test]
fn long_chains_are_read_and_endless_ones_refused() {
    on_large_stack(|| {
        let conjuncts = vec!["x = 1"; 50_000].join(" & ");
        let parsed = parse_predicate(FILE, &conjuncts);
        assert!(parsed.diagnostics.is_empty());
        assert_eq!(parsed.tree.to_string(), conjuncts);
        let parsed = parse_formula(FILE, &vec!["a"; 300_000].join(" \\/ "));
        assert_eq!(codes(&parsed.diagnostics), [Code::TooDeep]);
        let elements = format!("{{{}}}", vec!["1 |-> 2"; 100_000].join(", "));
        assert!(parse_formula(FILE, &elements).diagnostics.is_empty());
        let sequence = vec!["x := 1"; 100_000].join(" ; ");
        assert!(parse_substitution(FILE, &sequence).diagnostics.is_empty());
    });
}

#[test]
fn brackets_without_partners_withdraw_complaints_about_sorts_behind_them_only() {
    let text = "MACHINE M ASSERTIONS 1 ; (1 & 2 VARIABLES x OPERATIONS a = BEGIN x := (1 = 1 END ; b = x := {1 = 1} END";
    let parsed = parse_machine(FILE, text);
    assert_eq!(
        codes(&parsed.diagnostics),
        [Code::ExpectedPredicate, Code::UnclosedBracket, Code::UnclosedBracket, Code::ExpectedExpression],
        "{:#?}",
        parsed.diagnostics
    );
}

#[test]
fn at_most_a_hundred_errors_are_shown_and_the_rest_is_counted() {
    let text = format!("MACHINE M PROPERTIES {} END", vec!["x : => 1"; 150].join(" & "));
    let parsed = parse_machine(FILE, &text);
    assert_eq!(parsed.diagnostics.len(), 101);
    assert_eq!(parsed.diagnostics[100].title, "50 more errors are not shown");
}

#[test]
fn a_text_without_a_machine_gives_none() {
    for text in ["", "  /* only a comment */ ", "\u{0}\u{1}\u{7F}"] {
        let parsed = parse_machine(FILE, text);
        assert!(parsed.tree.is_none());
        assert!(parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::EmptyFile), "{text:?}");
    }
    assert!(parse_machine(FILE, "x = 1").tree.is_none());
}

/// A machine with most constructs, to be damaged.
const SAMPLE: &str = "MACHINE M(S, n) CONSTRAINTS n : NAT SEES A SETS T = {a, b}; U CONSTANTS c PROPERTIES c : 1 .. 3 & !x.(x : U => x = x)
DEFINITIONS d(x) == x + 1; s == BEGIN skip ; skip END; \"f.def\" VARIABLES v, w INVARIANT /*@label i*/ v : U +-> T & w <: U
INITIALISATION v, w := {}, {} ASSERTIONS card(w) >= 0; 1 = 1
OPERATIONS r <-- op(p, q) = PRE p : U & q : T THEN v(p) := q || r := {y | y : U & y /= p} END ;
loop = VAR i IN i := 0 ; WHILE i < 3 DO i := i + 1 INVARIANT i <= 3 VARIANT 3 - i END END ;
pick = ANY e WHERE e : w & #f.(f = e) THEN w :: POW(w - {e}) END ; other = CASE c OF EITHER 1 THEN skip OR 2 THEN op2(1) ELSE skip END END
END";

#[test]
fn the_sample_is_right_before_it_is_damaged() {
    assert!(parse_machine(FILE, SAMPLE).diagnostics.is_empty());
}

proptest! {
    #[test]
    fn damaged_machines_give_diagnostics_inside_the_text_in_order(
        cuts in prop::collection::vec((0..SAMPLE.len(), 0..12_usize, "[(){}\\[\\];:=|&!#%.~'\"`/*<>a-zA-Z0-9 ]{0,6}|END|BEGIN|WHILE|INVARIANT|IF|;|=="), 1..4)
    ) {
        let mut text = SAMPLE.to_owned();
        for (at, length, insert) in cuts {
            let start = at.min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, &insert);
        }
        let parsed = parse_machine(FILE, &text);
        for diagnostic in &parsed.diagnostics {
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.start as usize..label.span.end as usize).is_some(), "{diagnostic:?}");
            }
        }
        prop_assert!(parsed.diagnostics.windows(2).all(|pair| pair[0].span().start <= pair[1].span().start));
        let _ = parsed.tree.map(|machine| machine.to_string());
    }

    #[test]
    fn any_text_at_all_is_survived(text in "\\PC{0,80}") {
        let formula = parse_formula(FILE, &text);
        let substitution = parse_substitution(FILE, &text);
        let definitions = parse_definitions_file(FILE, &text);
        let spans = formula.diagnostics.iter().chain(&substitution.diagnostics).chain(&definitions.diagnostics).map(|found| found.span());
        for span in spans {
            prop_assert!(text.get(span.start as usize..span.end as usize).is_some());
        }
    }
}
