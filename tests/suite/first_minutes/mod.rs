//! The mistakes of somebody's first minutes with B: slips, and habits from Event-B, TLA+, Alloy, Z, programming languages and mathematics.
//!
//! Each row of the tables beside this file is a text with its mistake, the corrected text, and what the message and its help must say. The
//! place that must be shown stands between « and ». The corrected text has no error, so the remedy makes the error go away.

mod assignments;
mod clauses;
mod formulas;
mod notations;
mod operations;

use bcheck::sema::{NoFiles, analyse_parsed};
use bcheck::source::{Diagnostic, FileId, Severity};
use bcheck::syntax::parse_machine;

/// What a text of the tables is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A whole machine.
    Machine,
    /// The content of DEFINITIONS.
    Definitions,
    /// The last conjunct of an invariant.
    Conjunct,
    /// The content of OPERATIONS.
    Operations,
}

/// A mistake with its remedy.
struct Mistake {
    kind: Kind,
    /// The text with the mistake; the place of the message is marked by « and ».
    wrong: &'static str,
    /// The text after the remedy.
    right: &'static str,
    /// What the title of the message says.
    says: &'static str,
    /// What its help says.
    help: &'static str,
}

const fn mistake(kind: Kind, wrong: &'static str, right: &'static str, says: &'static str, help: &'static str) -> Mistake {
    Mistake { kind, wrong, right, says, help }
}

/// The machine around a text that is not one itself, in front of it and behind it.
fn around(kind: Kind) -> (String, String) {
    let sets = "MACHINE Fixture SETS S = {s1, s2}; T = {t1, t2}; Deferred\n";
    let variables = "CONSTANTS c, next PROPERTIES c : 0..5 & next : S --> S
        VARIABLES x, y, e, s, f, g, q, b, r
        INVARIANT x : 0..5 & y : 0..5 & e : S & s <: S & f : S +-> T & g : S +-> 0..5 & q : seq(S) & b : BOOL & r : S <-> S";
    let start = "INITIALISATION x := 0 || y := 0 || e := s1 || s := {} || f := {} || g := {} || q := [] || b := FALSE || r := {}";
    match kind {
        Kind::Machine => (String::new(), String::new()),
        Kind::Definitions => (format!("{sets} DEFINITIONS "), format!("\n {variables}\n {start}\n END")),
        Kind::Conjunct => (format!("{sets} {variables} & "), format!("\n {start}\n END")),
        Kind::Operations => (format!("{sets} {variables}\n {start}\n OPERATIONS "), "\nEND".to_owned()),
    }
}

/// What is said of a text in its surroundings, and where it begins there.
fn diagnostics(kind: Kind, text: &str) -> (Vec<Diagnostic>, usize) {
    let (before, behind) = around(kind);
    let whole = format!("{before}{text}{behind}");
    (analyse_parsed(parse_machine(FileId(0), &whole), &mut NoFiles).diagnostics, before.len())
}

/// The text without its marks, and the place between them.
fn unmarked(text: &str) -> (String, std::ops::Range<usize>) {
    let (before, rest) = text.split_once('«').expect("the place begins at «");
    let (place, behind) = rest.split_once('»').expect("the place ends at »");
    (format!("{before}{place}{behind}"), before.len()..before.len() + place.len())
}

/// The line and column of a place in a text, as messages have them.
fn line_and_column(text: &str, at: usize) -> String {
    let before = &text[..at];
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{column}", before.matches('\n').count() + 1)
}

/// Why a row is not as it should be, if it is not.
fn fault(row: &Mistake) -> Option<String> {
    let (text, place) = unmarked(row.wrong);
    let (found, start) = diagnostics(row.kind, &text);
    let shown = |one: &Diagnostic| {
        let (from, to) = (one.span().start as usize, one.span().end as usize);
        let at = from.checked_sub(start).filter(|at| *at <= text.len()).map(|at| line_and_column(&text, at));
        format!("{} ({} bytes) {} {:?}", at.unwrap_or_default(), to - from, one.title, one.help)
    };
    let wanted = start + place.start..start + place.end;
    let is_wanted = |one: &Diagnostic| {
        let place = one.span().start as usize..one.span().end as usize;
        place == wanted && one.title.contains(row.says) && one.help.iter().any(|help| help.contains(row.help))
    };
    if !found.iter().any(is_wanted) {
        let all: Vec<String> = found.iter().map(shown).collect();
        return Some(format!(
            "{}\n  is not answered as stated at {}:\n  {}",
            row.wrong,
            line_and_column(&text, place.start),
            all.join("\n  ")
        ));
    }
    let (left, _) = diagnostics(row.kind, row.right);
    // Nothing is said of the corrected text, but for notes.
    let all: Vec<String> = left.iter().filter(|one| one.severity != Severity::Note).map(shown).collect();
    (!all.is_empty()).then(|| format!("{}\n  is not accepted: {}", row.right, all.join("\n  ")))
}

fn hold(table: &[Mistake]) {
    let faults: Vec<String> = table.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{} of {} rows:\n{}", faults.len(), table.len(), faults.join("\n"));
}

#[test]
fn mistakes_in_clauses_are_answered_with_their_remedy() {
    hold(clauses::TABLE);
}

#[test]
fn mistakes_in_formulas_are_answered_with_their_remedy() {
    hold(formulas::TABLE);
}

#[test]
fn mistakes_in_operations_are_answered_with_their_remedy() {
    hold(operations::TABLE);
}

#[test]
fn mistakes_in_assignments_are_answered_with_their_remedy() {
    hold(assignments::TABLE);
}

#[test]
fn habits_from_other_notations_are_answered_with_their_remedy() {
    hold(notations::TABLE);
}

#[test]
fn no_mistake_stands_twice_and_there_are_many() {
    let tables = [clauses::TABLE, formulas::TABLE, operations::TABLE, assignments::TABLE, notations::TABLE];
    let all: Vec<&str> = tables.iter().flat_map(|table| table.iter().map(|row| row.wrong)).collect();
    let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
    // 27 mistakes were collected from beginners, and at least 60 more belong beside them.
    assert!(all.len() >= 87, "{}", all.len());
}
