//! Thousands of edits, taken at random: whatever stands in the editor, it is answered.

use super::analysis::Understood;
use super::documents::Documents;
use super::references::{Place, Places, collect};
use super::{colours, folding, hints, hover, lenses, position, rename, signatures, symbols};
use crate::cli::args::FolderArgs;
use crate::ir::Model;
use crate::source::SplitMix64;
use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

const EDITS: u32 = 2_000;
/// After this number of edits the text starts anew, so that texts stay near to machines.
const ROUND: u32 = 40;

const MACHINE: &str = "MACHINE Guests(limit) CONSTRAINTS limit : 1..3 /* 𝕊∈ü */
SETS GUEST; KIND = {old, young}
DEFINITIONS ASSERT_LTL == \"SF(leave) => G {card(inside) <= limit} or F [leave]\"; room(k) == kind~[{k}] - inside
CONSTANTS kind PROPERTIES kind : GUEST --> KIND
VARIABLES inside INVARIANT inside <: GUEST & !g.(g : inside => kind(g) : KIND) & card(inside) <= limit
INITIALISATION inside := {}
OPERATIONS
  enter(s) = PRE s : room(old) \\/ room(young) THEN inside := inside \\/ {s} END;
  n <-- count = ANY x WHERE x = card(inside) THEN n := x END;
  leave = SELECT inside /= {} THEN inside :: POW(inside) END
END
";

const PIECES: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "(",
    ")",
    "{",
    "}",
    "[",
    "END",
    "BEGIN",
    "/*",
    "*/",
    "\"",
    "\\",
    "&",
    "|->",
    "..",
    ".",
    "x",
    "inside",
    "𝕊",
    "ü∈",
    "1",
    "THEN",
    "OPERATIONS",
    "DEFINITIONS",
    "a == b;",
    "\"none.def\"",
    "SEES Guests",
    "INCLUDES x.y",
    "!x.(",
    "%x.(x:1..3|",
    "rec(a:",
    "'",
    "$0",
    "~",
    ";",
    "||",
    ":=",
    "<--",
    "==",
    "\u{0}",
    "\u{feff}",
    "\t",
];

fn edits() {
    let mut random = SplitMix64::new(20);
    let mut documents = Documents::default();
    let uri: Uri = "file:///nowhere/Guests.mch".parse().expect("a URI");
    documents.open(uri.clone(), 0, MACHINE.to_owned());
    for edit in 1..=EDITS {
        let text = documents.get(&uri).expect("open").text.clone();
        let change = if edit % ROUND == 0 {
            TextDocumentContentChangeEvent { range: None, range_length: None, text: MACHINE.to_owned() }
        } else {
            // Sometimes a place that is not there, or the second half of a character.
            let lines = text.lines().count();
            let mut place = || Position {
                line: u32::try_from(random.below(lines + 2)).expect("small"),
                character: u32::try_from(random.below(90)).expect("small"),
            };
            let start = place();
            let far = place();
            let end = if random.below(10) == 0 { far } else { Position { character: start.character + 2, ..start } };
            let text = PIECES[random.below(PIECES.len())].to_owned();
            TextDocumentContentChangeEvent { range: Some(Range { start, end }), range_length: None, text }
        };
        documents.change(&uri, i32::try_from(edit).expect("small"), vec![change]);
        let (published, complaints) = documents.refresh(&FolderArgs::default());
        let document = documents.get(&uri).expect("open");
        assert!(complaints.is_empty(), "edit {edit}: {complaints:?}\n{}", document.text);
        assert_eq!(published.len(), 1, "edit {edit}");
        let understood = document.understood.as_ref().expect("just refreshed");
        assert_eq!(understood.text(), document.text);
        for diagnostic in &published[0].diagnostics {
            assert!(diagnostic.range.start <= diagnostic.range.end, "edit {edit}: {diagnostic:?}");
        }
        let offset = position::offset(&document.text, Position { line: u32::try_from(random.below(12)).expect("small"), character: 20 });
        hover::hover(understood, document.older.as_ref(), offset);
        symbols::definition(understood, offset);
        names_are_answered(understood, document.older.as_ref(), offset);
        if edit % 10 == 0 {
            symbols::outline(understood);
            assert!(symbols::completions(understood, document.older.as_ref(), offset).len() > 50);
            lenses(document);
        }
        if edit % ROUND == 0 {
            assert!(understood.model.is_some(), "{:?}", understood.diagnostics);
        }
    }
}

/// Asks what is asked about all of a text or about the name at a place.
fn names_are_answered(understood: &Understood, older: Option<&Model>, offset: usize) {
    let text = understood.text();
    let mut last = Position { line: 0, character: 0 };
    for token in colours::tokens(understood) {
        let start = if token.delta_line == 0 { last.character } else { 0 } + token.delta_start;
        last = Position { line: last.line + token.delta_line, character: start };
        let end = Position { character: start + token.length, ..last };
        let (start, end) = (position::offset(text, last), position::offset(text, end));
        assert!(start < end && !text[start..end].contains('\n'), "{token:?} in\n{text}");
    }
    for range in folding::ranges(understood) {
        assert!(range.start_line < range.end_line);
    }
    let whole = Range { start: Position { line: 0, character: 0 }, end: Position { line: 9999, character: 0 } };
    hints::hints(understood, whole);
    signatures::help(understood, older, offset);
    if let Ok(subject) = rename::subject(understood, offset) {
        let mut places = Places::new();
        collect(understood, &subject.symbol, &subject.name, &mut places);
        let is_subject = |place: &Place| text.get(place.bytes.clone()).is_some_and(|word| word.trim_matches('`') == subject.name);
        assert!(places.values().all(is_subject), "{} in\n{text}", subject.name);
        assert!(places.values().any(|place| place.bytes == subject.bytes), "{} in\n{text}", subject.name);
    }
}

#[test]
fn thousands_of_edits_are_all_answered() {
    let thread = std::thread::Builder::new().stack_size(super::STACK_BYTES).spawn(edits).expect("a thread for the test");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
