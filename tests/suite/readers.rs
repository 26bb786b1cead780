//! Damaged traces, graphs and messages of editors: whatever is in a file or stream, reading it ends, and without a panic.
//!
//! What is damaged are files that the program has written or that it reads in other tests. `tests/fuzz/fuzz_targets/readers.rs` goes
//! further from there.

use crate::damage::{damaged, damaged_json};
use crate::dice::Dice;
use crate::program::{Run, bcheck, command, finish, part, root, share};
use bcheck::report::recorded;
use bcheck::report::unfold::{Quotient, unfold};
use bcheck::{Request, check_text};
use serde_json::{Value as Json, json};
use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Reading a file of a few kilobytes takes milliseconds; what takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The exit code of a fault of the program's own.
const FAULT: i32 = 101;

/// A graph that stands for more states is refused.
const MOST_STATES: usize = 5_000;

const MACHINE: &str = "machines/tour/tour1_guests.mch";

/// Runs something that must end.
fn in_time<T: Send + 'static>(what: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = channel();
    let thread = std::thread::spawn(move || {
        let result = run();
        // Nobody waits any more for what came too late.
        let _ = done.send(());
        result
    });
    assert_ne!(wait.recv_timeout(PATIENCE), Err(std::sync::mpsc::RecvTimeoutError::Timeout), "no end: {what}");
    thread.join().unwrap_or_else(|_| panic!("a panic: {what}"))
}

/// A machine with a trace to a violation and a graph up to symmetry, and what is written about it.
const QUEUE: &str = "MACHINE queue SETS S; T = {t1, t2} DEFINITIONS scope_S == 3 CONSTANTS c PROPERTIES c : S +-> T
    VARIABLES q, r, n INVARIANT q : iseq(S) & r : struct(a : BOOL, b : POW(T)) & n : 0 .. 2 & size(q) < 3
    INITIALISATION q := [] || r := rec(a : TRUE, b : {}) || n := 0
    OPERATIONS add(x) = PRE x : S - ran(q) THEN q := q <- x || n := size(q) END;
      res <-- note(t) = PRE t : T THEN r := rec(a : FALSE, b : {t}) || res := c~[{t}] END END";

/// Everything that the program writes about [`QUEUE`] and reads again: name and text.
fn written() -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(file("queue.mch"), QUEUE).expect("a file");
    let mut found = Vec::new();
    for name in ["trace.prob2trace", "trace.itf.json", "trace.json", "trace.txt"] {
        let run = bcheck(&[&file("queue.mch"), "--trace", &file(name)]);
        assert_eq!(run.code, Some(12), "{run:?}");
        found.push((name.to_owned(), std::fs::read_to_string(file(name)).expect("written")));
    }
    let run = bcheck(&[&file("queue.mch"), "--continue", "--graph", &file("graph.graphml")]);
    assert_eq!(run.code, Some(12), "{run:?}");
    found.push(("graph.graphml".to_owned(), std::fs::read_to_string(file("graph.graphml")).expect("written")));
    found
}

#[test]
fn damaged_traces_are_read_or_refused() {
    let request = Request::default();
    let checked = check_text("queue.mch", QUEUE, &request).expect("a correct machine");
    let model = std::sync::Arc::new(checked.machine.model().clone());
    let mut dice = Dice::new(1);
    let (mut read, mut refused) = (0, 0);
    let mut traces = written();
    traces.retain(|(name, _)| name.starts_with("trace"));
    for name in ["constants.txt", "element.itf.json", "guard.prob2trace", "value.json"] {
        let path = root().join("tests/cli/traces").join(name);
        traces.push((name.to_owned(), std::fs::read_to_string(path).expect("a trace")));
    }
    for round in 0..part(4_000, 2) {
        let (name, text) = dice.pick(&traces);
        let text = if name.ends_with(".txt") || round % 2 == 0 { damaged(text, &mut dice) } else { damaged_json(text, &mut dice) };
        let (model, shown) = (model.clone(), text.clone());
        match in_time(&shown, move || recorded::read(&text, &model).map_err(|fault| (fault, text.lines().count()))) {
            Ok(_) => read += 1,
            Err((fault, lines)) => {
                assert!(fault.line >= 1 && fault.line <= lines.max(1) + 1 && fault.column >= 1, "{fault:?} in\n{shown}");
                refused += 1;
            }
        }
    }
    assert!(read > 400 && refused > 400, "{read} were read, {refused} refused");
}

#[test]
fn damaged_files_of_visb_stop_no_check() {
    const FILES: [&str; 3] = ["lift_panel.json", "lift_panel_buttons.json", "lift_panel.svg"];
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = root().join("machines/pictures");
    let texts = FILES.map(|name| std::fs::read_to_string(pictures.join(name)).expect("a file"));
    let machine = folder.path().join("lift_panel.mch");
    std::fs::copy(pictures.join("lift_panel.mch"), &machine).expect("a copy");
    let (machine, strip) = (machine.display().to_string(), folder.path().join("s.svg"));
    let mut dice = Dice::new(5);
    let (mut without_remark, mut with_remarks) = (0, 0);
    for round in 0..usize::try_from(part(100, 3)).expect("few") {
        let chosen = round % FILES.len();
        for (at, (name, text)) in FILES.iter().zip(&texts).enumerate() {
            let text = match (at == chosen, round % 2 == 0 && name.ends_with("json")) {
                (false, _) => text.clone(),
                (true, true) => damaged_json(text, &mut dice),
                (true, false) => damaged(text, &mut dice),
            };
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        // Nothing is drawn where nothing is left to draw.
        let _ = std::fs::remove_file(&strip);
        let run = bcheck(&[&machine, "--picture", &strip.display().to_string()]);
        let of_file = || std::fs::read_to_string(folder.path().join(FILES[chosen]));
        assert_eq!(run.code, Some(20), "{run:?} of\n{:?}", of_file());
        if let Ok(drawn) = std::fs::read_to_string(&strip) {
            crate::xml::parse(&drawn);
        }
        if run.stderr.is_empty() { without_remark += 1 } else { with_remarks += 1 }
    }
    assert!(without_remark > 1 && with_remarks > 6, "{without_remark} without a remark, {with_remarks} with some");
}

#[test]
fn damaged_traces_are_replayed_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(file("queue.mch"), QUEUE).expect("a file");
    let mut traces = written();
    traces.retain(|(name, _)| name.starts_with("trace"));
    let mut dice = Dice::new(2);
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..part(120, 2) {
        let (name, text) = dice.pick(&traces).clone();
        let text = if name.ends_with(".txt") { damaged(&text, &mut dice) } else { damaged_json(&text, &mut dice) };
        std::fs::write(file(&name), &text).expect("a file");
        let run = bcheck(&["replay", &file(&name), &file("queue.mch")]);
        assert!(run.code.is_some_and(|code| code != FAULT), "{run:?} of\n{text}");
        codes.insert(run.code);
    }
    assert!(codes.len() > 2, "{codes:?}");
}

#[test]
fn damaged_graphs_are_unfolded_or_refused() {
    let (_, graph) = written().pop().expect("the graph");
    assert!(Quotient::read(&graph).is_ok_and(|quotient| unfold(&quotient, MOST_STATES).is_ok()), "{graph}");
    let mut dice = Dice::new(3);
    let (mut unfolded, mut refused) = (0, 0);
    for _ in share(0..1_000, 5) {
        let text = damaged(&graph, &mut dice);
        let shown = text.clone();
        match in_time(&shown, move || Quotient::read(&text).and_then(|quotient| unfold(&quotient, MOST_STATES))) {
            Ok(_) => unfolded += 1,
            Err(fault) => {
                assert!(!fault.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(unfolded > 2 && refused > 30, "{unfolded} were unfolded, {refused} refused");
}

/// Says this to a language server, framed or not, and reads until it ends.
fn tell_server(input: Vec<u8>) -> Run {
    let mut server = command(&["lsp"]);
    server.stdin(Stdio::piped());
    let (mut pipe, reader) = {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        (writer, reader)
    };
    server.stdin(reader);
    let writer = std::thread::spawn(move || {
        // A server that has ended reads no further.
        let _ = pipe.write_all(&input);
    });
    let run = finish(server);
    writer.join().expect("written");
    run
}

fn framed(message: &Json) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A conversation about a machine, in which every kind of message occurs.
fn conversation() -> Vec<Json> {
    let text = std::fs::read_to_string(root().join(MACHINE)).expect("a machine");
    let uri = "file:///nowhere/access.mch";
    let document = json!({ "uri": uri });
    let at = json!({ "line": 3, "character": 4 });
    let place = json!({ "textDocument": document, "position": at });
    let item = json!({ "uri": uri, "languageId": "classicalb", "version": 1, "text": text });
    let range = json!({ "start": at, "end": { "line": 3, "character": 9 } });
    let change = json!([{ "range": range, "text": "ü∈" }]);
    let notes = [
        ("textDocument/didOpen", json!({ "textDocument": item })),
        ("textDocument/didChange", json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": change })),
        ("textDocument/didSave", json!({ "textDocument": document })),
        ("workspace/didChangeWatchedFiles", json!({ "changes": [] })),
        ("textDocument/didClose", json!({ "textDocument": document })),
    ];
    let requests = [
        ("textDocument/hover", place.clone()),
        ("textDocument/definition", place.clone()),
        ("textDocument/completion", place),
        ("textDocument/documentSymbol", json!({ "textDocument": document })),
        ("textDocument/codeLens", json!({ "textDocument": document })),
        ("workspace/executeCommand", json!({ "command": "bcheck.check", "arguments": [uri] })),
        ("workspace/executeCommand", json!({ "command": "bcheck.stop", "arguments": [uri] })),
    ];
    let notes = notes.map(|(method, params)| json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    let requests = requests.map(|(method, params)| json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params }));
    notes.into_iter().chain(requests).collect()
}

#[test]
fn damaged_messages_are_answered() {
    let messages = conversation();
    let mut dice = Dice::new(4);
    for _ in 0..6 {
        let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": { "capabilities": {} } });
        let mut input = framed(&hello);
        input.extend(framed(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} })));
        input.extend(framed(&messages[0]));
        let mut asked = 0;
        for _ in 0..120 {
            let mut message = dice.pick(&messages).clone();
            let params: Json = serde_json::from_str(&damaged_json(&message["params"].to_string(), &mut dice)).expect("still JSON");
            message["params"] = params;
            if message.get("id").is_some() {
                asked += 1;
                message["id"] = asked.into();
            }
            input.extend(framed(&message));
        }
        input.extend(framed(&json!({ "jsonrpc": "2.0", "id": "end", "method": "shutdown" })));
        input.extend(framed(&json!({ "jsonrpc": "2.0", "method": "exit" })));
        let run = tell_server(input);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(!run.stdout.contains("bcheck is at fault"), "{}", run.stdout);
        let answers = (1..=asked).filter(|id| run.stdout.contains(&format!("\"id\":{id},"))).count();
        assert_eq!(answers, asked, "every request has an answer: {}", run.stdout);
    }
}

#[test]
fn a_damaged_stream_of_messages_ends_the_server() {
    let whole: Vec<u8> = conversation().iter().flat_map(framed).collect();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } });
    let mut dice = Dice::new(5);
    for _ in 0..12 {
        let mut input = framed(&hello);
        input.extend(damaged(&String::from_utf8_lossy(&whole), &mut dice).into_bytes());
        let run = tell_server(input);
        assert!(run.code.is_some_and(|code| code != FAULT), "{run:?}");
        assert!(!run.stdout.contains("bcheck is at fault"), "{}", run.stdout);
    }
    let mut nothing = Vec::new();
    assert_eq!(std::io::empty().read_to_end(&mut nothing).expect("read"), 0);
    assert!(tell_server(nothing).code.is_some_and(|code| code != FAULT));
}
