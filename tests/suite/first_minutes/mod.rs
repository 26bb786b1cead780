//! The mistakes of somebody's first minutes with B: slips, and habits from Event-B, TLA+, Alloy, Z, programming languages and mathematics.
//!
//! Each row of the tables beside this file is a text with its mistake, the corrected text, and what the message and its help must say. The
//! place that must be shown stands between « and ». The corrected text has no error, so the remedy makes the error go away. Each fix that a
//! message carries is applied, and the message must be gone; `suite/snapshots/first_minutes_*` shows all rows with their fixes.
//! After a change of words, `INSTA_UPDATE=always cargo test --test suite first_minutes` writes the new snapshots; read them.

mod assignments;
mod clauses;
mod formulas;
mod notations;
mod operations;
mod reports;
mod slips;
mod traps;

use bcheck::sema::{NoFiles, analyse_parsed};
use bcheck::source::{Diagnostic, FileId, Severity, SourceMap};
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

/// Whether this is the message of a row whose place is `wanted`.
fn is_of(row: &Mistake, one: &Diagnostic, wanted: &std::ops::Range<usize>) -> bool {
    let place = one.span().start as usize..one.span().end as usize;
    place == *wanted && one.title.contains(row.says) && one.help.iter().any(|help| help.contains(row.help))
}

/// A fix of the message of a row.
struct Fixed {
    title: String,
    /// The text of the row after it.
    text: String,
    /// Whether the same message is still there.
    has_message: bool,
    /// What is still wrong.
    left: Option<String>,
}

/// The message of a row, and its fixes, each applied to the text as it is.
fn fixed(row: &Mistake) -> (Diagnostic, Vec<Fixed>) {
    let (text, place) = unmarked(row.wrong);
    let (found, start) = diagnostics(row.kind, &text);
    let wanted = start + place.start..start + place.end;
    let message = found.into_iter().find(|one| is_of(row, one, &wanted)).expect("another test says that it is there");
    let (before, behind) = around(row.kind);
    let mut sources = SourceMap::new();
    let file = sources.add("Fixture.mch", format!("{before}{text}{behind}"));
    let fixes = message.fixes.iter().filter_map(|fix| {
        let whole = fix.applied(file, &sources)?;
        let left = analyse_parsed(parse_machine(FileId(0), &whole), &mut NoFiles).diagnostics;
        // The surroundings are fixed too where an operation is declared, or a machine ended.
        let text = whole.strip_prefix(&before).and_then(|rest| rest.strip_suffix(&behind)).unwrap_or(&whole).to_owned();
        let has_message = left.iter().any(|one| one.code == message.code && one.title == message.title);
        let error = left.iter().find(|one| one.severity == Severity::Error).map(|one| one.title.clone());
        Some(Fixed { title: fix.title.clone(), text, has_message, left: error })
    });
    let fixes = fixes.collect();
    (message, fixes)
}

/// A row as it is shown: text, message, remedy, and the text after each fix.
fn shown(row: &Mistake) -> String {
    let (message, fixes) = fixed(row);
    let lines = |text: &str| text.replace('\n', "\n      ");
    let mut shown = format!("{}\n  {} {}\n", lines(row.wrong), message.code, message.title);
    for help in &message.help {
        shown += &format!("  help: {help}\n");
    }
    for fix in fixes {
        let left = fix.left.map(|title| format!(" (then: {title})")).unwrap_or_default();
        shown += &format!("  fix: {}{left}\n      {}\n", fix.title, lines(&fix.text));
    }
    shown
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
    if !found.iter().any(|one| is_of(row, one, &wanted)) {
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

/// All rows, with the names of their tables.
const TABLES: &[(&str, &[Mistake])] = &[
    ("clauses", clauses::TABLE),
    ("formulas", formulas::TABLE),
    ("operations", operations::TABLE),
    ("assignments", assignments::TABLE),
    ("notations", notations::TABLE),
    ("slips", slips::TABLE),
    ("traps", traps::TABLE),
];

#[test]
fn each_row_is_shown_with_its_message_its_remedy_and_its_fixes() {
    // Few enough that no snapshot has more than 200 lines.
    const ROWS: usize = 25;
    for (name, table) in TABLES {
        for (number, rows) in table.chunks(ROWS).enumerate() {
            let page = rows.iter().map(shown).collect::<Vec<_>>().join("\n");
            assert!(page.lines().count() < 190, "{name}: {} lines", page.lines().count());
            insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "../snapshots" }, {
                insta::assert_snapshot!(format!("first_minutes_{name}_{}", number + 1), page);
            });
        }
    }
}

#[test]
fn each_fix_makes_its_message_go_away() {
    let mut faults = Vec::new();
    let (mut with_fix, mut accepted) = (0, 0);
    for row in TABLES.iter().flat_map(|(_, table)| *table) {
        let (_, fixes) = fixed(row);
        with_fix += usize::from(!fixes.is_empty());
        accepted += usize::from(fixes.iter().any(|fix| fix.left.is_none()));
        for fix in fixes.iter().filter(|fix| fix.has_message) {
            faults.push(format!("{}\n  {}: {}", row.wrong, fix.title, fix.text));
        }
    }
    assert!(faults.is_empty(), "{} fixes leave the message:\n{}", faults.len(), faults.join("\n"));
    // Most mistakes have a fix after which nothing is wrong any more.
    assert!(with_fix >= 200 && accepted >= 170, "{with_fix} rows with a fix, {accepted} accepted after one");
}

#[test]
fn slips_are_answered_with_their_remedy() {
    hold(slips::TABLE);
}

#[test]
fn traps_of_b_are_answered_with_their_remedy() {
    hold(traps::TABLE);
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
    let all: Vec<&str> = TABLES.iter().flat_map(|(_, table)| table.iter().map(|row| row.wrong)).collect();
    let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
    // 27 mistakes were collected from beginners, and at least 60 more belong beside them.
    assert!(all.len() >= 87, "{}", all.len());
}
