//! The analysis never panics, whatever is left of a machine, and points only into the texts it read.
//!
//! Machines under `machines/` are damaged token by token: most of the results still parse, so that they reach the analysis.

use super::{analysed, messages, model, on_large_stack, places, type_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::Path;

/// The texts of this project's own machines.
fn machines(folder: &Path, texts: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("the machines").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            machines(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "mch") {
            texts.extend(std::fs::read_to_string(&path));
        }
    }
}

/// Pieces of a text that are roughly its tokens, white space kept with the token before it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let token = match rest.find(|letter| is_word(letter) != is_word(first) || letter.is_whitespace()) {
            Some(0) | None => first.len_utf8(),
            Some(end) => end,
        };
        let blanks = rest[token..].find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len() - token);
        let (piece, after) = rest.split_at(token + blanks);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[derive(Clone, Debug)]
enum Damage {
    Delete(usize),
    Repeat(usize),
    Swap(usize, usize),
    Copy(usize, usize),
    Insert(usize, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let words = prop::sample::select(vec![
        "TRUE ",
        "{} ",
        "x ",
        "x$0 ",
        "1 ",
        "+ ",
        "- ",
        "* ",
        "& ",
        ": ",
        ":: ",
        ":= ",
        "= ",
        "|-> ",
        "(",
        ")",
        "skip ",
        "dom ",
        "INTEGER ",
        "\"s\" ",
        "[1] ",
        "~ ",
        "'f ",
        "; ",
        "|| ",
        "#y.(",
        "card(",
        "9999999999999999999999 ",
    ]);
    prop_oneof![
        3 => any::<usize>().prop_map(Damage::Delete),
        1 => any::<usize>().prop_map(Damage::Repeat),
        3 => any::<(usize, usize)>().prop_map(|(left, right)| Damage::Swap(left, right)),
        3 => any::<(usize, usize)>().prop_map(|(from, to)| Damage::Copy(from, to)),
        2 => (any::<usize>(), words).prop_map(|(at, word)| Damage::Insert(at, word)),
    ]
}

fn damaged(text: &str, damages: &[Damage]) -> String {
    let mut pieces = pieces(text);
    for damage in damages {
        let length = pieces.len();
        match *damage {
            _ if length < 2 => {}
            Damage::Delete(at) => {
                pieces.remove(at % length);
            }
            Damage::Repeat(at) => pieces.insert(at % length, pieces[at % length]),
            Damage::Swap(left, right) => pieces.swap(left % length, right % length),
            Damage::Copy(from, to) => pieces[to % length] = pieces[from % length],
            Damage::Insert(at, word) => pieces.insert(at % length, word),
        }
    }
    pieces.concat()
}

#[test]
fn damaged_machines_are_survived_and_diagnostics_lie_inside_them() {
    on_large_stack(|| {
        let mut texts = Vec::new();
        machines(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines")), &mut texts);
        assert!(texts.len() > 20, "the machines are missing");
        let mut runner = TestRunner::new(Config { cases: 1_000, failure_persistence: None, ..Config::default() });
        let cases = (any::<prop::sample::Index>(), prop::collection::vec(damage(), 1..4));
        let outcome = runner.run(&cases, |(machine, damages)| {
            let original: &String = machine.get(&texts);
            let text = damaged(original, &damages);
            let (model, diagnostics) = analysed(&text);
            prop_assert!(model.is_some() || !diagnostics.is_empty(), "refused without a reason:\n{text}");
            for diagnostic in &diagnostics {
                for label in &diagnostic.labels {
                    let place = text.get(label.span.start as usize..label.span.end as usize);
                    prop_assert!(place.is_some(), "{diagnostic:?}\n{text}");
                }
                let shows_use = diagnostic.labels.iter().any(|label| label.text == "in the definition used here");
                prop_assert!(!shows_use || text.contains("=="), "no definition is used:\n{diagnostic:?}\n{text}");
            }
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
    });
}

#[test]
fn pieces_make_up_the_text() {
    assert_eq!(pieces("x := (y+1)  & z"), ["x ", ":= ", "(", "y", "+", "1", ")  ", "& ", "z"]);
}

#[test]
fn long_chains_and_deep_nesting_are_survived() {
    on_large_stack(|| {
        let conjuncts = vec!["x < 5"; 20_000].join(" & ");
        let sum = vec!["x"; 2_000].join(" + ");
        let nested = format!("{}x{}", "(1 + ".repeat(1_500), ")".repeat(1_500));
        let steps = vec!["x := 1"; 5_000].join(" ; ");
        let text = format!(
            "MACHINE m VARIABLES x INVARIANT x : NAT & {conjuncts} & {sum} > 0 & {nested} > 1 INITIALISATION x := 0 OPERATIONS op = BEGIN {steps} END END"
        );
        let (model, diagnostics) = analysed(&text);
        assert!(diagnostics.is_empty(), "{:?}", diagnostics.first());
        assert_eq!(model.expect("a model").invariant.len(), 20_003);
    });
}

#[test]
fn chains_that_double_at_each_step_are_refused() {
    on_large_stack(|| {
        let calls = |last: usize| -> String { (1..=last).map(|n| format!("; op{n} = BEGIN op{} ; op{} END", n - 1, n - 1)).collect() };
        // Few substitutions, but many predicates in each.
        let guard = vec!["x + 1 > 0"; 300].join(" & ");
        let text = format!("MACHINE m VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 OPERATIONS op0 = PRE {guard} THEN x := 1 END");
        let found = messages(&format!("{text}{} END", calls(10)));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("B0302 the calls of operations expand to more text than bcheck handles | «"), "{found:?}");
        assert!(found[0].contains(" | help: a body replaces each call"), "{found:?}");
        // What is not copied is read as a whole.
        let found = places(&format!("{text}{} ; end = x := unknown END", calls(10)));
        assert_eq!(found.last().map(String::as_str), Some("B0201 unknown"));
        let (model, diagnostics) = analysed(&format!("MACHINE m OPERATIONS op0 = skip {} END", calls(59)));
        assert!(model.is_none());
        assert_eq!(diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(), ["B0302"]);
        let names: String = (1..60).map(|n| format!(", c{n}")).collect();
        let pairs: String = (1..60).map(|n| format!(" & c{n} = (c{}, c{})", n - 1, n - 1)).collect();
        let (model, diagnostics) = analysed(&format!("MACHINE m CONSTANTS c0{names} PROPERTIES c0 = 1{pairs} END"));
        assert!(model.is_none());
        assert_eq!(diagnostics.first().map(|diagnostic| diagnostic.code.as_str()), Some("B0302"));
    });
}

#[test]
fn thousands_of_open_operators_are_resolved() {
    // Nothing types them before the end, or the last conjunct types the first operator, that one the second, and so on.
    on_large_stack(|| {
        let constants: String = (0..=20_000).map(|n| format!(", c{n}")).collect();
        let differences: String = (1..=20_000).rev().map(|n| format!("c{n} - c{} = c{n} & ", n - 1)).collect();
        for (last, ty) in [("c0 = c0", "INTEGER"), ("c0 = {TRUE}", "POW(BOOL)")] {
            let model = model(&format!("MACHINE m CONSTANTS z{constants} PROPERTIES z = 1 & {differences} {last} END"));
            assert_eq!(type_of(&model, "c20000"), ty);
        }
    });
}
