//! The language server, driven by a client of its own over pipes.

use crate::program::{Run, command, finish, root};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The longest that an answer may take; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    child: Child,
    stdin: ChildStdin,
    inbox: Receiver<Json>,
    /// Messages that nobody has asked for yet.
    unread: Vec<Json>,
    next_id: i64,
}

fn read_message(stdout: &mut BufReader<ChildStdout>) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().expect("a length"),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

impl Client {
    /// Starts the server and shakes hands.
    pub(crate) fn start(arguments: &[&str]) -> (Self, Json) {
        Self::start_in(arguments, &Json::Null)
    }

    /// The same, with a folder opened.
    pub(crate) fn start_in(arguments: &[&str], root: &Json) -> (Self, Json) {
        let mut child = command(&[&["lsp"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read_message(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Self { child, stdin, inbox, unread: Vec::new(), next_id: 0 };
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let answer = client.request("initialize", json!({ "processId": null, "rootUri": root, "capabilities": capabilities }));
        client.notify("initialized", json!({}));
        (client, answer)
    }

    fn send(&mut self, message: &Json) {
        self.send_bytes(message.to_string().as_bytes());
    }

    /// Sends bytes that need not be JSON.
    pub(crate) fn send_bytes(&mut self, body: &[u8]) {
        write!(self.stdin, "Content-Length: {}\r\n\r\n", body.len()).expect("the server reads");
        self.stdin.write_all(body).expect("the server reads");
        self.stdin.flush().expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Json) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The first message for which this holds.
    fn wait_for(&mut self, what: &str, wanted: impl Fn(&Json) -> bool) -> Json {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at);
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.inbox.recv_timeout(left).unwrap_or_else(|error| panic!("no {what}: {error}; {:?}", self.unread));
            if wanted(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, method: &str, params: Json) -> Json {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait_for(method, |message| message["id"] == id && message.get("method").is_none())
    }

    pub(crate) fn request(&mut self, method: &str, params: Json) -> Json {
        let mut answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Json {
        let item = json!({ "uri": uri, "languageId": "classicalb", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
        self.diagnostics(uri, 1)
    }

    /// What is published for a version of a text.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i64) -> Json {
        let mut message = self.wait_for("diagnostics", |message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri && params["version"] == version
        });
        message["params"]["diagnostics"].take()
    }

    pub(crate) fn change(&mut self, uri: &str, version: i64, changes: Json) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Asks about the place where a part of a text begins.
    pub(crate) fn ask_at(&mut self, method: &str, uri: &str, text: &str, part: &str) -> Json {
        let position = position_of(text, part);
        self.request(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// Says good-bye; gives the exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        self.request("shutdown", Json::Null);
        let late = self.answer("textDocument/hover", json!({}));
        assert_eq!(late["error"]["code"], -32600, "after the shutdown: {late}");
        self.notify("exit", Json::Null);
        self.child.wait().expect("ends").code()
    }
}

pub(crate) fn position_of(text: &str, part: &str) -> Json {
    let at = text.find(part).unwrap_or_else(|| panic!("{part} in the text"));
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": text[line_start..at].encode_utf16().count() })
}

pub(crate) fn uri_of(path: &Path) -> String {
    format!("file://{}", path.display())
}

const GUESTS: &str = "MACHINE Guests /* 𝕊 ∈ */
SETS GUEST
DEFINITIONS room == GUEST - inside
VARIABLES inside
INVARIANT inside <: GUEST & !g.(g : inside => g : GUEST)
INITIALISATION inside := {}
OPERATIONS
  enter(someone) = PRE someone : room THEN inside := inside \\/ {someone} END;
  who <-- leave(other) = PRE other : inside THEN inside := inside - {other} || who := card(inside) END
END
";

#[test]
fn a_stated_formula_has_its_errors_inside_of_the_string() {
    let (mut client, _) = Client::start(&[]);
    let uri = "file:///nowhere/Guests.mch";
    let formula = "ASSERT_LTL1 == \"G ({inside /= {}} => F [leaf])\"; room ==";
    let text = GUESTS.replace("room ==", formula);
    let found = client.open(uri, &text);
    let errors: Vec<&Json> = found.as_array().expect("a list").iter().filter(|one| one["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{found}");
    assert_eq!(errors[0]["range"]["start"], position_of(&text, "leaf"), "{found}");
    assert!(errors[0]["message"].as_str().is_some_and(|message| message.contains("leave")), "the nearest name: {found}");
    client.change(uri, 2, json!([{ "text": text.replace("leaf", "leave") }]));
    let found = client.diagnostics(uri, 2);
    assert!(found.as_array().expect("a list").iter().all(|one| one["severity"] != 1), "{found}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn an_error_is_shown_where_it_is_and_goes_when_it_is_mended() {
    let (mut client, answer) = Client::start(&[]);
    assert_eq!(answer["serverInfo"]["name"], "bcheck");
    for provider in ["hoverProvider", "definitionProvider", "documentSymbolProvider", "completionProvider", "codeLensProvider"] {
        assert!(!answer["capabilities"][provider].is_null(), "{provider}: {answer}");
    }
    let uri = "file:///nowhere/Guests.mch";
    // Before the fault on its line stand characters of one, two and three UTF-8 bytes and more.
    let wrong = GUESTS.replace("inside := {}\n", "/* 𝕊∈ü */ inside := insied\n");
    let found = client.open(uri, &wrong);
    let list = found.as_array().expect("a list");
    assert_eq!(list.len(), 1, "{found}");
    assert_eq!((list[0]["code"].as_str(), list[0]["severity"].as_i64()), (Some("B0201"), Some(1)), "{found}");
    let start = position_of(&wrong, "insied");
    let end = json!({ "line": start["line"], "character": start["character"].as_u64().expect("a number") + 6 });
    assert_eq!(list[0]["range"], json!({ "start": start, "end": end }), "{found}");
    assert!(list[0]["message"].as_str().is_some_and(|message| message.contains("inside")), "a remedy: {found}");

    client.change(uri, 2, json!([{ "range": { "start": start, "end": end }, "text": "{}" }]));
    assert_eq!(client.diagnostics(uri, 2), json!([]));
    // A syntax error, by the whole text; and mended once more.
    client.change(uri, 3, json!([{ "text": GUESTS.replace("THEN", "THNE") }]));
    let found = client.diagnostics(uri, 3);
    assert!(found[0]["code"].as_str().is_some_and(|code| code.starts_with("B01")), "{found}");
    client.change(uri, 4, json!([{ "text": GUESTS }]));
    assert_eq!(client.diagnostics(uri, 4), json!([]));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn names_have_types_declarations_and_completions() {
    let (mut client, _) = Client::start(&[]);
    let uri = "file:///nowhere/Guests.mch";
    assert_eq!(client.open(uri, GUESTS), json!([]));
    for (part, expected) in [
        ("inside <: GUEST", "inside : POW(GUEST)"),
        ("someone : room", "someone : GUEST"),
        ("someone) =", "someone : GUEST"),
        ("who := card", "who : INTEGER"),
        ("g : inside", "g : GUEST"),
        ("g.(g", "g : GUEST"),
        ("GUEST\n", "GUEST  // a deferred set"),
        ("room THEN", "room == GUEST - inside"),
        ("leave(other)", "who : INTEGER <-- leave(other : GUEST)"),
    ] {
        let hover = client.ask_at("textDocument/hover", uri, GUESTS, part);
        let value = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(value.contains(expected), "{part}: {hover}");
        assert_eq!(hover["range"]["start"], position_of(GUESTS, part), "{part}: {hover}");
    }
    for (part, expected) in
        [("INVARIANT", "what holds in every reachable state"), ("<: GUEST", "every element of S is one of T"), ("card(", "the number")]
    {
        let hover = client.ask_at("textDocument/hover", uri, GUESTS, part);
        assert!(hover["contents"]["value"].as_str().is_some_and(|value| value.contains(expected)), "{part}: {hover}");
    }
    assert_eq!(client.ask_at("textDocument/hover", uri, GUESTS, "/* 𝕊"), Json::Null, "a comment");

    for (part, declared) in [("inside <: GUEST", "inside\nINVARIANT"), ("room THEN", "room =="), ("someone : room", "someone) =")] {
        let place = client.ask_at("textDocument/definition", uri, GUESTS, part);
        assert_eq!((place["uri"].as_str(), &place["range"]["start"]), (Some(uri), &position_of(GUESTS, declared)), "{part}");
    }

    let items = client.ask_at("textDocument/completion", uri, GUESTS, "inside \\/");
    let labels: Vec<&str> = items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    for label in ["inside", "GUEST", "room", "enter", "someone", "INVARIANT", "card"] {
        assert!(labels.contains(&label), "{label}: {labels:?}");
    }
    assert!(!labels.contains(&"other"), "a parameter of another operation");

    // In a machine that has an error just now, what was known before is still shown.
    client.change(uri, 2, json!([{ "text": GUESTS.replace("{}\n", "\n") }]));
    assert_ne!(client.diagnostics(uri, 2), json!([]));
    let hover = client.ask_at("textDocument/hover", uri, GUESTS, "inside <: GUEST");
    assert!(hover["contents"]["value"].as_str().is_some_and(|value| value.contains("inside : POW(GUEST)")), "{hover}");

    let outline = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let clauses = outline[0]["children"].as_array().expect("clauses");
    let clause = |name: &str| clauses.iter().find(|clause| clause["name"] == name).unwrap_or_else(|| panic!("{name}: {outline}"));
    assert_eq!(outline[0]["name"], "Guests");
    assert_eq!(clause("OPERATIONS")["children"].as_array().map(Vec::len), Some(2));
    assert_eq!(clause("OPERATIONS")["children"][1]["name"], "leave");
    assert_eq!(clause("VARIABLES")["children"][0]["name"], "inside");
    assert_eq!(clause("DEFINITIONS")["children"][0]["name"], "room");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn names_that_formulas_and_substitutions_bind_lead_to_where_they_are_bound() {
    const TEXT: &str = "MACHINE Bound
SETS S
DEFINITIONS both(a1, b1) == a1 \\/ b1; twice(c1) == BEGIN n := c1 + c1 END
CONSTANTS f PROPERTIES f = %d1.(d1 : 1..3 | d1 + 1)
VARIABLES n, s
INVARIANT n : INTEGER & s <: S & !e1.(e1 : s => #e2.(e2 : S & e2 = e1)) & {h1 | h1 : s} <: S
INITIALISATION n := 0 || s := {}
OPERATIONS
  one(p) = PRE p : S THEN ANY i1 WHERE i1 : 1..3 THEN n := i1 END END;
  two = VAR j1 IN j1 := n; n := j1 END;
  r <-- three(n) = PRE n : 1..2 THEN LET k1 BE k1 = n + 1 IN r := SIGMA(l1).(l1 : 1..k1 | l1 * n) END END;
  four = IF n > 0 THEN s :: {m1 | m1 <: S & !n.(n : m1 => n : S)} ELSE twice(1) END
END
";
    let (mut client, _) = Client::start(&[]);
    let uri = "file:///nowhere/Bound.mch";
    assert_eq!(client.open(uri, TEXT), json!([]));
    for (part, declared, hover, word) in [
        ("a1 \\/ b1", "a1, b1)", None, "parameter of a definition"),
        ("c1 + c1", "c1) ==", None, "parameter of a definition"),
        ("d1 + 1", "d1.(d1", Some("d1 : INTEGER"), "bound by %"),
        ("e1)) &", "e1.(e1", Some("e1 : S"), "bound by !"),
        ("e2 = e1", "e2.(e2", Some("e2 : S"), "bound by #"),
        ("h1 : s}", "h1 | h1", Some("h1 : S"), "bound by a comprehension"),
        ("p : S THEN", "p) = PRE p", Some("p : S"), "parameter"),
        ("i1 END END", "i1 WHERE", Some("i1 : INTEGER"), "bound by ANY"),
        ("i1 WHERE", "i1 WHERE", Some("i1 : INTEGER"), "bound by ANY"),
        ("j1 END;", "j1 IN", Some("j1 : INTEGER"), "bound by VAR"),
        ("k1 | l1", "k1 BE", Some("k1 : INTEGER"), "bound by LET"),
        ("l1 * n", "l1).(l1", Some("l1 : INTEGER"), "bound by SIGMA"),
        ("n) END END;\n  four", "n) = PRE n", Some("n : INTEGER"), "parameter"),
        ("r := SIGMA", "r <-- three", Some("r : INTEGER"), "result"),
        ("n : m1", "n.(n", Some("n : S"), "bound by !"),
    ] {
        let place = client.ask_at("textDocument/definition", uri, TEXT, part);
        assert_eq!(place["range"]["start"], position_of(TEXT, declared), "{part}: {place}");
        let told = client.ask_at("textDocument/hover", uri, TEXT, part);
        match hover {
            Some(hover) => {
                let value = told["contents"]["value"].as_str().unwrap_or_default();
                assert!(value.contains(hover) && value.ends_with(word), "{part}: {told}");
            }
            None => assert_eq!(told, Json::Null, "a definition has no types: {part}"),
        }
    }
    let labels = |client: &mut Client, part: &str| -> Vec<String> {
        let items = client.ask_at("textDocument/completion", uri, TEXT, part);
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str().map(str::to_owned)).collect()
    };
    let inside = labels(&mut client, "l1 * n");
    assert!(["k1", "l1", "n", "r"].iter().all(|name| inside.iter().any(|label| label == name)), "{inside:?}");
    assert!(!inside.iter().any(|label| label == "i1" || label == "j1"), "{inside:?}");
    // What a text with an error binds is found too.
    client.change(uri, 2, json!([{ "text": TEXT.replace("n : INTEGER &", "n : &") }]));
    assert_ne!(client.diagnostics(uri, 2), json!([]));
    let place = client.ask_at("textDocument/definition", uri, &TEXT.replace("n : INTEGER &", "n : &"), "j1 END;");
    assert_eq!(place["range"]["start"], position_of(&TEXT.replace("n : INTEGER &", "n : &"), "j1 IN"), "{place}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn definitions_lead_into_other_files_and_open_texts_stand_for_them() {
    let (mut client, _) = Client::start(&[]);
    let folder = root().join("machines/project");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (workshop, ledger, words) = (read("Workshop.mch"), read("Ledger.mch"), read("definitions/workshop.def"));
    let uri = uri_of(&folder.join("Workshop.mch"));
    assert_eq!(client.open(&uri, &workshop), json!([]));
    for (part, file, target, declared) in [
        ("lend(t, w)", "Ledger.mch", &ledger, "lend(t, w)"),
        ("shelf.put(t)", "Shelf.mch", &read("Shelf.mch"), "put(i)"),
        ("bench.Shelf(TOOL", "Shelf.mch", &read("Shelf.mch"), "Shelf(ITEM"),
        ("Ledger\nPROMOTES", "Ledger.mch", &ledger, "Ledger\n"),
        ("disjoint(shelf", "definitions/workshop.def", &words, "disjoint(S"),
        ("TOOL - (shelf", "Plant.mch", &read("Plant.mch"), "TOOL ="),
        ("holder) = bench", "Ledger.mch", &ledger, "holder\nINVARIANT"),
    ] {
        let place = client.ask_at("textDocument/definition", &uri, &workshop, part);
        let expected = (Some(uri_of(&folder.join(file))), position_of(target, declared));
        assert_eq!((place["uri"].as_str().map(str::to_owned), place["range"]["start"].clone()), expected, "{part}: {place}");
    }
    let place = client.ask_at("textDocument/definition", &uri, &workshop, "definitions/workshop.def");
    assert_eq!(place["uri"], uri_of(&folder.join("definitions/workshop.def")));
    let hover = client.ask_at("textDocument/hover", &uri, &workshop, "bench.items &");
    assert!(hover["contents"]["value"].as_str().is_some_and(|value| value.contains("bench.items : POW(TOOL)")), "{hover}");

    // An operation is renamed in the editor only: the machine that calls it has an error, until the text is closed without saving.
    let ledger_uri = uri_of(&folder.join("Ledger.mch"));
    assert_eq!(client.open(&ledger_uri, &ledger.replace("lend(", "give(")), json!([]));
    let found = client.diagnostics(&uri, 1);
    assert_eq!(found[0]["range"]["start"], position_of(&workshop, "lend(t, w)"), "{found}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": ledger_uri } }));
    assert_eq!(client.diagnostics(&uri, 1), json!([]));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_check_tells_its_verdict_and_the_lens_keeps_it() {
    let (mut client, _) = Client::start(&["--deferred", "3", "--time-limit", "60"]);
    let uri = "file:///nowhere/Guests.mch";
    let lens_of = |client: &mut Client| {
        let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        lenses[0]["command"]["title"].as_str().unwrap_or_default().to_owned()
    };
    let check = |client: &mut Client, expected: &str| {
        let command = json!({ "command": "bcheck.check", "arguments": [uri] });
        assert_eq!(client.request("workspace/executeCommand", command), Json::Null);
        let message = client.wait_for("verdict", |message| message["method"] == "window/showMessage");
        let text = message["params"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains(expected), "{text}");
    };
    assert_eq!(client.open(uri, GUESTS), json!([]));
    assert_eq!(lens_of(&mut client), "check this machine");
    check(&mut client, "Guests.mch: verified: 4 states, ");
    assert!(lens_of(&mut client).starts_with("verified: 4 states, "));
    client.wait_for("refresh", |message| message["method"] == "workspace/codeLens/refresh");

    // A finding is marked in the text until it is changed.
    client.change(uri, 2, json!([{ "text": GUESTS.replace("!g.(g : inside => g : GUEST)", "card(inside) < 3") }]));
    assert_eq!(client.diagnostics(uri, 2), json!([]));
    assert_eq!(lens_of(&mut client), "check this machine");
    check(&mut client, "invariant_violation");
    let found = client.diagnostics(uri, 2);
    assert_eq!(found[0]["source"], "bcheck check", "{found}");
    // What is hovered over there has its type, and why the conjunct is false.
    let changed = GUESTS.replace("!g.(g : inside => g : GUEST)", "card(inside) < 3");
    let hover = client.ask_at("textDocument/hover", uri, &changed, "inside) < 3");
    let value = hover["contents"]["value"].as_str().unwrap_or_default();
    for part in ["inside : POW(GUEST)", "false: card(inside) < 3", "card(inside) = 3", "inside = {GUEST1,GUEST2,GUEST3}"] {
        assert!(value.contains(part), "{part}: {value}");
    }
    let of_sign = client.ask_at("textDocument/hover", uri, &changed, " < 3");
    assert!(of_sign["contents"]["value"].as_str().is_some_and(|value| value.contains("false: card(inside) < 3")), "{of_sign}");
    let elsewhere = client.ask_at("textDocument/hover", uri, &changed, "inside := {}");
    assert!(!elsewhere.to_string().contains("false:"), "{elsewhere}");
    client.change(uri, 3, json!([{ "text": GUESTS.replace("END\n", "\n") }]));
    assert!(!client.diagnostics(uri, 3).to_string().contains("bcheck check"));
    check(&mut client, "rejected");
    // By its name alone it is about what was touched last.
    client.change(uri, 4, json!([{ "text": GUESTS }]));
    client.request("workspace/executeCommand", json!({ "command": "bcheck.check" }));
    client.wait_for("verdict", |message| message["params"]["message"].as_str().is_some_and(|text| text.contains("verified")));

    let unknown = client.answer("workspace/executeCommand", json!({ "command": "bcheck.sing", "arguments": [uri] }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let missing = client.answer("workspace/executeCommand", json!({ "command": "bcheck.check", "arguments": ["file:///none.mch"] }));
    assert!(missing["error"]["message"].as_str().is_some_and(|reason| reason.contains("not open")), "{missing}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_check_ends_at_its_time_limit() {
    let (mut client, _) = Client::start(&["--deferred", "40", "--time-limit", "1"]);
    let uri = "file:///nowhere/Large.mch";
    let text = "MACHINE Large SETS S VARIABLES f INVARIANT f : S <-> S INITIALISATION f := {}
OPERATIONS set(x, y) = PRE x : S & y : S THEN f := f <+ {x |-> y} END END";
    assert_eq!(client.open(uri, text), json!([]));
    client.request("workspace/executeCommand", json!({ "command": "bcheck.check", "arguments": [uri] }));
    let message = client.wait_for("verdict", |message| message["method"] == "window/showMessage");
    assert!(message["params"]["message"].as_str().is_some_and(|text| text.contains("incomplete")), "{message}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_is_not_known_is_answered_and_what_is_no_message_ends_it() {
    let (mut client, _) = Client::start(&[]);
    let answer = client.answer("textDocument/singing", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.answer("textDocument/hover", json!({ "textDocument": 1 }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    client.notify("$/singing", json!({}));
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    let nobody = json!({ "textDocument": { "uri": "file:///none.mch" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.request("textDocument/hover", nobody), Json::Null);
    assert_eq!(client.leave(), Some(0));

    let (mut client, _) = Client::start(&[]);
    client.notify("exit", Json::Null);
    assert_eq!(client.child.wait().expect("ends").code(), Some(1), "without a shutdown");

    for (input, words) in [
        ("hello\n", "no editor"),
        ("Content-Length: 5\r\n\r\n{bad}", "no editor"),
        ("Content-Length: 1000\r\n\r\n{", "no editor"),
        ("", "no editor"),
    ] {
        let run = fed(input);
        assert_eq!(run.code, Some(153), "{input:?}: {run:?}");
        assert!(run.stderr.contains(words) && run.stdout.is_empty(), "{input:?}: {run:?}");
    }
    // After a good beginning.
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }).to_string();
    let run = fed(&format!("Content-Length: {}\r\n\r\n{hello}Content-Length: 3\r\n\r\n{{]}}", hello.len()));
    assert_eq!(run.code, Some(153), "{run:?}");
    assert!(run.stderr.contains("the editor's message cannot be read"), "{run:?}");
}

/// Runs the server on some input.
fn fed(input: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    std::fs::write(&path, input).expect("written");
    let mut command = command(&["lsp"]);
    command.stdin(std::fs::File::open(&path).expect("just written"));
    finish(command)
}

#[test]
fn stated_formulas_have_lenses_and_hovers_of_their_own() {
    let (mut client, _) = Client::start(&["--deferred", "3", "--time-limit", "60"]);
    let uri = "file:///nowhere/Guests.mch";
    let definitions = "DEFINITIONS\n  ASSERT_LTL1 == \"G {card(inside) <= 3}\"; ASSERT_LTL2 == \"F {inside = GUEST}\"; room";
    let text = GUESTS.replace("DEFINITIONS room", definitions);
    client.open(uri, &text);
    let titles = |client: &mut Client| -> Vec<String> {
        let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        lenses.as_array().expect("lenses").iter().map(|lens| lens["command"]["title"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(titles(&mut client), ["check this machine", "check this formula", "check this formula"]);
    for (name, expected) in [("ASSERT_LTL1", "ASSERT_LTL1: holds: "), ("ASSERT_LTL2", "ASSERT_LTL2: temporal_violation: ")] {
        let command = json!({ "command": "bcheck.check", "arguments": [uri, name] });
        assert_eq!(client.request("workspace/executeCommand", command), Json::Null);
        let message = client.wait_for("verdict", |message| message["method"] == "window/showMessage");
        let message = message["params"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(expected), "{message}");
    }
    let titles = titles(&mut client);
    assert_eq!(titles[0], "check this machine");
    assert!(titles[1].starts_with("holds: ") && titles[2].starts_with("temporal_violation: "), "{titles:?}");
    let hover = client.request("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position_of(&text, "G {card") }));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("f holds here and in every later state")), "{hover}");
    assert_eq!(client.leave(), Some(0));
}

/// A text after the edits of the protocol, which are in its order and do not overlap.
fn edited(text: &str, edits: &Json) -> String {
    let offset = |place: &Json| {
        let line = usize::try_from(place["line"].as_u64().expect("a line")).expect("a line");
        let start = if line == 0 { 0 } else { text.match_indices('\n').nth(line - 1).expect("so many lines").0 + 1 };
        let units = usize::try_from(place["character"].as_u64().expect("a column")).expect("a column");
        let mut passed = 0;
        let behind = text[start..].char_indices().find(|(_, letter)| {
            passed += letter.len_utf16();
            passed > units
        });
        behind.map_or(text.len(), |(at, _)| start + at)
    };
    let mut new = text.to_owned();
    for edit in edits.as_array().expect("a list").iter().rev() {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        new.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    new
}

#[test]
fn quick_fixes_are_offered_at_their_diagnostics_and_mend_them() {
    let (mut client, answer) = Client::start(&[]);
    assert_eq!(answer["capabilities"]["codeActionProvider"]["codeActionKinds"], json!(["quickfix"]), "{answer}");
    let uri = "file:///nowhere/Guests.mch";
    let mut text = GUESTS.replace("inside := {}\n", "/* 𝕊∈ü */ inside := insied\n");
    let mut found = client.open(uri, &text);
    let ask = |client: &mut Client, range: &Json, found: &Json, only: Option<&str>| {
        let mut context = json!({ "diagnostics": found });
        if let Some(only) = only {
            context["only"] = json!([only]);
        }
        client.request("textDocument/codeAction", json!({ "textDocument": { "uri": uri }, "range": range, "context": context }))
    };
    let elsewhere = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    assert_eq!(ask(&mut client, &elsewhere, &found, None), json!([]));
    assert_eq!(ask(&mut client, &found[0]["range"], &found, Some("refactor")), json!([]));
    // A name, then a sign that the parser does not know; each fix is applied as the editor would.
    for (version, title) in [(2, "write inside"), (4, "write &")] {
        let actions = ask(&mut client, &found[0]["range"], &found, Some("quickfix"));
        let action = &actions[0];
        assert_eq!(action["title"], title, "{actions}");
        assert_eq!((action["kind"].as_str(), action["isPreferred"].as_bool()), (Some("quickfix"), Some(true)));
        assert_eq!(action["diagnostics"][0], found[0], "it belongs to the diagnostic");
        text = edited(&text, &action["edit"]["changes"][uri]);
        client.change(uri, version, json!([{ "text": text }]));
        assert_eq!(client.diagnostics(uri, version), json!([]), "{text}");
        let conjunct = text.find("INVARIANT").expect("a clause") + "INVARIANT".len();
        text.insert_str(conjunct, " 1 = 1 && ");
        client.change(uri, version + 1, json!([{ "text": text }]));
        found = client.diagnostics(uri, version + 1);
    }
    assert_eq!(client.leave(), Some(0));
}
