//! Thousands of random edits: the server's text is that of the editor, and whatever it contains, every request is answered.

use super::analysis::Understood;
use super::documents::Documents;
use super::handshake::Editor;
use super::references::{Place, Places, collect};
use super::{Server, colours, folding, hints, position, rename, signatures};
use crate::args::{Cli, Command, LspArgs};
use bcheck_ir::Model;
use bcheck_source::SplitMix64;
use clap::Parser;
use crossbeam::channel::Receiver;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::{Position, Range, Uri};
use serde_json::{Value as Json, json};

/// After this number of edits the text is reset, so that texts stay close to machines.
const ROUND: u32 = 40;

/// The machine that is edited.
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
/// A machine that depends on it, open beside it.
const USER: &str = "MACHINE House INCLUDES Guests(2) VARIABLES open INVARIANT open : BOOL & (inside = {} => open = FALSE)
INITIALISATION open := FALSE OPERATIONS arrive(g) = PRE g : GUEST - inside & kind(g) = old THEN enter(g) || open := TRUE END END
";
const MACHINE_URI: &str = "file:///nowhere/Guests.mch";
const USER_URI: &str = "file:///nowhere/House.mch";

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

/// A text as an editor has it, in units of UTF-16, and edits as the protocol defines them.
struct EditorText(Vec<u16>);

impl EditorText {
    fn of(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }

    /// The unit at a position: at most the end of its line, and never within a surrogate pair.
    fn unit(&self, at: Position) -> usize {
        let mut start = 0;
        for _ in 0..at.line {
            let Some(end) = self.0[start..].iter().position(|unit| *unit == u16::from(b'\n')) else { return self.0.len() };
            start += end + 1;
        }
        let line = self.0[start..].split(|unit| *unit == u16::from(b'\n')).next().unwrap_or_default();
        let visible = line.iter().rposition(|unit| *unit != u16::from(b'\r')).map_or(0, |last| last + 1);
        let unit = start + visible.min(at.character as usize);
        let is_second_half = self.0.get(unit).is_some_and(|unit| (0xdc00..0xe000).contains(unit));
        unit + usize::from(is_second_half)
    }

    fn change(&mut self, range: Option<Range>, text: &str) {
        let range = range.map_or(0..self.0.len(), |range| {
            let start = self.unit(range.start);
            start..self.unit(range.end).max(start)
        });
        self.0.splice(range, text.encode_utf16());
    }

    /// A position within a surrogate pair, if there is one.
    fn within_a_character(&self, random: &mut SplitMix64) -> Option<Position> {
        let halves: Vec<usize> = (0..self.0.len()).filter(|at| (0xdc00..0xe000).contains(&self.0[*at])).collect();
        let at = *halves.get(random.below(halves.len().max(1)))?;
        let line = self.0[..at].iter().filter(|unit| **unit == u16::from(b'\n')).count();
        let start = self.0[..at].iter().rposition(|unit| *unit == u16::from(b'\n')).map_or(0, |end| end + 1);
        Some(Position { line: small(line), character: small(at - start) })
    }

    fn lines(&self) -> usize {
        self.0.iter().filter(|unit| **unit == u16::from(b'\n')).count() + 1
    }

    fn text(&self) -> String {
        String::from_utf16(&self.0).expect("no half of a character")
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("small")
}

/// A server with its two texts, and their expected contents.
struct Session<'a> {
    server: Server<'a>,
    sent: Receiver<Message>,
    random: SplitMix64,
    models: [(Uri, EditorText); 2],
    requests: i32,
}

impl<'a> Session<'a> {
    fn start(args: &'a LspArgs, seed: u64) -> Self {
        let (sender, sent) = crossbeam::channel::unbounded();
        let (report, _) = crossbeam::channel::unbounded();
        let (documents, editor) = (Documents::default(), Editor::default());
        let server = Server { args, sender, report, documents, editor, stopping: false, next_id: 0 };
        let models = [(MACHINE_URI, MACHINE), (USER_URI, USER)].map(|(uri, text)| (uri.parse().expect("a URI"), EditorText::of(text)));
        let mut session = Self { server, sent, random: SplitMix64::new(seed), models, requests: 0 };
        for (uri, text) in [(MACHINE_URI, MACHINE), (USER_URI, USER)] {
            let item = json!({ "uri": uri, "languageId": "classicalb", "version": 0, "text": text });
            session.note("textDocument/didOpen", json!({ "textDocument": item }));
        }
        session
    }

    fn note(&mut self, method: &str, params: Json) {
        self.server.take_note(Notification::new(method.to_owned(), params));
    }

    /// A position of a text; sometimes one that does not exist, or within a character.
    fn place(&mut self, which: usize) -> Position {
        let model = &self.models[which].1;
        let within = if self.random.below(6) == 0 { model.within_a_character(&mut self.random) } else { None };
        let lines = model.lines();
        within.unwrap_or_else(|| Position { line: small(self.random.below(lines + 2)), character: small(self.random.below(90)) })
    }

    /// One notification of one to three changes, each applied to the result of the previous one.
    fn edit(&mut self, which: usize, version: u32, starts_anew: bool) {
        let mut changes = Vec::new();
        if starts_anew {
            let text = [MACHINE, USER][which];
            self.models[which].1.change(None, text);
            changes.push(json!({ "text": text }));
        } else {
            for _ in 0..=self.random.below(8).saturating_sub(5) {
                let (start, far) = (self.place(which), self.place(which));
                let length = small(self.random.below(4));
                let end = if self.random.below(10) == 0 { far } else { Position { character: start.character + length, ..start } };
                let (range, text) = (Range { start, end }, PIECES[self.random.below(PIECES.len())]);
                self.models[which].1.change(Some(range), text);
                changes.push(json!({ "range": range, "text": text }));
            }
        }
        let document = json!({ "uri": self.models[which].0, "version": version });
        self.note("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Sends one request of each kind, or some; whatever the text, there is exactly one answer.
    fn ask(&mut self, which: usize, all: bool) {
        let (at, other) = (self.place(which), self.place(which));
        let range = Range { start: at.min(other), end: at.max(other) };
        let document = json!({ "uri": self.models[which].0 });
        let here = json!({ "textDocument": document, "position": at });
        let with = |name: &str, value: Json| {
            let mut params = here.clone();
            params[name] = value;
            params
        };
        let whole = json!({ "textDocument": document });
        let options = json!({ "tabSize": 2, "insertSpaces": true });
        for (method, params) in [
            ("textDocument/hover", here.clone()),
            ("textDocument/definition", here.clone()),
            ("textDocument/completion", here.clone()),
            ("textDocument/signatureHelp", here.clone()),
            ("textDocument/documentHighlight", here.clone()),
            ("textDocument/prepareRename", here.clone()),
            ("textDocument/rename", with("newName", json!(["fresh", "inside", "x", "kind"][self.random.below(4)]))),
            ("textDocument/references", with("context", json!({ "includeDeclaration": true }))),
            ("textDocument/documentSymbol", whole.clone()),
            ("textDocument/semanticTokens/full", whole.clone()),
            ("textDocument/foldingRange", whole.clone()),
            ("textDocument/codeLens", whole.clone()),
            ("textDocument/formatting", json!({ "textDocument": document, "options": options })),
            ("textDocument/inlayHint", json!({ "textDocument": document, "range": range })),
            ("textDocument/codeAction", json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } })),
            ("workspace/symbol", json!({ "query": "e" })),
        ] {
            if all || self.random.below(6) == 0 {
                self.request(method, params);
            }
        }
    }

    fn request(&mut self, method: &str, params: Json) {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.server.answer(Request::new(id.clone(), method.to_owned(), params.clone()));
        let texts = || self.models.each_ref().map(|(_, model)| model.text()).join("\n---\n");
        let mut answers = 0;
        for message in self.sent.try_iter() {
            let Message::Response(response) = message else {
                is_published(&message);
                continue;
            };
            answers += 1;
            assert_eq!(response.id, id);
            // A renaming may be refused with a reason.
            let is_refused = |code: i32| method.ends_with("ename") && code == ErrorCode::RequestFailed as i32;
            match response.response_result {
                Ok(result) => are_in_order(&result),
                Err(error) => assert!(is_refused(error.code), "{method} {params}: {error:?}\n{}", texts()),
            }
        }
        assert_eq!(answers, 1, "{method}");
    }

    /// Compares the texts, and tests what no request covers.
    fn examine(&mut self, edit: u32) {
        self.server.refresh();
        self.sent.try_iter().for_each(|message| is_published(&message));
        for (uri, model) in &self.models {
            let document = self.server.documents.get(uri).expect("open");
            assert_eq!(document.text, model.text(), "edit {edit}");
            let understood = document.understood.as_ref().expect("just refreshed");
            assert_eq!(understood.text(), document.text, "edit {edit}");
            let line = small(self.random.below(12));
            names_are_answered(understood, document.older.as_ref(), position::offset(&document.text, Position { line, character: 20 }));
            if edit.is_multiple_of(ROUND) {
                assert!(understood.model.is_some(), "{:?}", understood.diagnostics);
            }
        }
    }
}

/// An unsolicited message must contain diagnostics, each with a place: anything else is a fault.
fn is_published(message: &Message) {
    let Message::Notification(note) = message else { panic!("{message:?}") };
    assert_eq!(note.method, "textDocument/publishDiagnostics", "{note:?}");
    are_in_order(&note.params);
}

/// No range in an answer ends before it begins.
fn are_in_order(answer: &Json) {
    match answer {
        Json::Object(fields) => {
            if let (Some(start), Some(end)) = (fields.get("start"), fields.get("end")) {
                let of = |place: &Json| (place["line"].as_u64(), place["character"].as_u64());
                assert!(of(start) <= of(end), "{answer}");
            }
            fields.values().for_each(are_in_order);
        }
        Json::Array(items) => items.iter().for_each(are_in_order),
        _ => {}
    }
}

/// Tests what concerns a whole text, or the name at a place.
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

/// Makes this number of edits in a thread with the stack of a check.
fn edits(number: u32, seed: u64) {
    let work = move || {
        let Some(Command::Lsp(args)) = Cli::try_parse_from(["bcheck", "lsp"]).expect("parses").command else { panic!("another command") };
        let mut session = Session::start(&args, seed);
        for edit in 1..=number {
            let starts_anew = edit.is_multiple_of(ROUND);
            // The dependent machine is edited only now and then, so that it is mostly readable.
            let which = usize::from(session.random.below(5) == 0);
            for text in if starts_anew { 0..2 } else { which..which + 1 } {
                session.edit(text, edit, starts_anew);
            }
            // Requests bring texts up to date themselves.
            session.ask(which, edit % ROUND < 2);
            session.examine(edit);
        }
    };
    let thread = std::thread::Builder::new().stack_size(super::STACK_BYTES).spawn(work).expect("a thread for the test");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn thousands_of_edits_are_all_answered() {
    edits(2_000, 20);
}

#[test]
#[ignore = "takes a minute: part of scripts/long.sh"]
fn ten_thousand_edits_are_all_answered() {
    edits(10_000, 24);
}
