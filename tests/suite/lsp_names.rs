//! Requests about names, layout and colours: each as an exchange with the server; names in projects of several machines.

use crate::lsp::{Client, position_of, uri_of};
use crate::program::{bcheck, ended, files_below, root};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const URI: &str = "file:///nowhere/Rooms.mch";

const ROOMS: &str = "MACHINE Rooms
SETS GUEST; KIND = {old, young}
DEFINITIONS free(k) == {g | g : GUEST - inside & kind(g) = k};
  scope_GUEST == 2;
  ASSERT_LTL1 == \"G ({inside /= {}} => e(leave))\"
CONSTANTS kind
PROPERTIES kind : GUEST --> KIND
VARIABLES inside, log
INVARIANT inside <: GUEST & log = card(inside)
// Nobody
// is inside.
INITIALISATION inside, log := {}, 0
OPERATIONS
  enter(s) = PRE s : free(old) THEN
    inside := inside \\/ {s} || log := log + 1
  END;
  n <-- leave(s) = ANY x WHERE x = log & s : inside THEN n, inside, log := x, inside - {s}, log - 1 END;
  point = IF rec(log : 1)'log = log THEN skip END
END
";

fn offset(text: &str, position: &Json) -> usize {
    let number = |field: &str| usize::try_from(position[field].as_u64().expect("a number")).expect("small");
    let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    let mut units = 0;
    for (at, letter) in text[start..].char_indices() {
        if units >= number("character") || letter == '\n' {
            return start + at;
        }
        units += letter.len_utf16();
    }
    text.len()
}

fn range_of(text: &str, range: &Json) -> std::ops::Range<usize> {
    offset(text, &range["start"])..offset(text, &range["end"])
}

/// A text after edits that do not overlap.
fn edited(text: &str, edits: &Json) -> String {
    let mut all: Vec<_> = edits.as_array().expect("a list").iter().map(|edit| (range_of(text, &edit["range"]), edit)).collect();
    all.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, edit) in all.into_iter().rev() {
        text.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    text
}

fn document() -> Json {
    json!({ "textDocument": { "uri": URI } })
}

fn opened() -> Client {
    let (mut client, _) = Client::start(&[]);
    let found = client.open(URI, ROOMS);
    assert!(found.as_array().is_some_and(|list| list.iter().all(|one| one["severity"] != 1)), "{found}");
    client
}

#[test]
fn the_server_announces_what_it_answers() {
    let (client, answer) = Client::start(&[]);
    let capabilities = &answer["capabilities"];
    for provider in ["documentFormatting", "foldingRange", "documentHighlight", "references", "workspaceSymbol", "inlayHint"] {
        assert_eq!(capabilities[format!("{provider}Provider")], true, "{provider}");
    }
    assert_eq!(capabilities["renameProvider"]["prepareProvider"], true);
    assert_eq!(capabilities["signatureHelpProvider"]["triggerCharacters"], json!(["(", ","]));
    assert_eq!(capabilities["semanticTokensProvider"]["full"], true);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn formatting_edits_the_lines_that_differ_and_nothing_in_a_text_with_errors() {
    let mut client = opened();
    let options = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 8, "insertSpaces": false } });
    let edits = client.request("textDocument/formatting", options.clone());
    let formatted = edited(ROOMS, &edits);
    assert!(formatted.contains("DEFINITIONS\n  free(k) =="), "{formatted}");
    assert!(formatted.contains("\n  enter(s) =\n    PRE s : free(old) THEN\n      inside"), "{formatted}");
    client.change(URI, 2, json!([{ "text": formatted }]));
    assert_eq!(client.request("textDocument/formatting", options.clone()), json!([]), "{formatted}");
    client.change(URI, 3, json!([{ "text": ROOMS.replace("THEN", "") }]));
    assert_eq!(client.request("textDocument/formatting", options), Json::Null);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn clauses_operations_and_comments_fold() {
    let mut client = opened();
    let ranges = client.request("textDocument/foldingRange", document());
    let lines: Vec<(u64, u64, &str)> = ranges
        .as_array()
        .expect("a list")
        .iter()
        .map(|range| {
            let line = |field: &str| range[field].as_u64().expect("a number");
            (line("startLine"), line("endLine"), range["kind"].as_str().unwrap_or("code"))
        })
        .collect();
    assert_eq!(lines, [(2, 4, "code"), (9, 10, "comment"), (12, 17, "code"), (13, 15, "code")]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn places_of_a_name_are_highlighted_by_what_is_done_there() {
    let mut client = opened();
    let mut kinds = |part: &str| -> Vec<(usize, u64)> {
        let found = client.ask_at("textDocument/documentHighlight", URI, ROOMS, part);
        let list = found.as_array().unwrap_or_else(|| panic!("{part}: {found}"));
        list.iter().map(|one| (range_of(ROOMS, &one["range"]).start, one["kind"].as_u64().expect("a kind"))).collect()
    };
    // Text 1, read 2, write 3. The field of the record is another `log`.
    let log: Vec<u64> = kinds("log = card").iter().map(|(_, kind)| *kind).collect();
    assert_eq!(log, [1, 2, 3, 3, 2, 2, 3, 2, 2]);
    let s = kinds("s : inside THEN");
    assert_eq!(s.len(), 3, "the parameter of this operation only");
    assert!(s.iter().all(|(at, _)| *at > ROOMS.find("leave(s)").expect("there")));
    // In the string of a formula, too.
    let leave = kinds("leave(s)");
    assert_eq!(leave, [(ROOMS.find("leave))").expect("there"), 2), (ROOMS.find("leave(s)").expect("there"), 1)]);
    assert_eq!(client.ask_at("textDocument/documentHighlight", URI, ROOMS, "MACHINE"), Json::Null);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn tokens_have_kinds_and_stay_in_their_lines() {
    let (mut client, answer) = Client::start(&[]);
    let legend = answer["capabilities"]["semanticTokensProvider"]["legend"].clone();
    let text = ROOMS.replace("// Nobody\n", "/* 𝕊 Nobody\n*/ ");
    client.open(URI, &text);
    let data = client.request("textDocument/semanticTokens/full", document())["data"].take();
    let data: Vec<u64> = data.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number")).collect();
    let (mut line, mut start, mut found) = (0, 0, BTreeMap::new());
    for token in data.chunks(5) {
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        line += token[0];
        let begin = offset(&text, &json!({ "line": line, "character": start }));
        let end = offset(&text, &json!({ "line": line, "character": start + token[2] }));
        assert!(!text[begin..end].contains('\n'), "{token:?}");
        let kind = legend["tokenTypes"][usize::try_from(token[3]).expect("small")].as_str().expect("a kind").to_owned();
        found.insert(begin, (text[begin..end].to_owned(), kind, token[4]));
    }
    for (part, word, kind, modifiers) in [
        ("MACHINE", "MACHINE", "keyword", 0),
        ("Rooms", "Rooms", "namespace", 1),
        ("GUEST;", "GUEST", "enum", 1),
        ("old,", "old", "enumMember", 1),
        ("free(k)", "free", "macro", 1),
        ("k};", "k", "parameter", 0),
        ("\"G (", "\"G ({inside /= {}} => e(leave))\"", "string", 0),
        ("kind :", "kind", "variable", 2),
        ("inside, log := {}", "inside", "variable", 4),
        ("log = card", "log", "variable", 0),
        ("enter(s)", "enter", "function", 1),
        ("log : 1", "log", "property", 0),
        ("1)'log", "1", "number", 0),
        ("/* 𝕊", "/* 𝕊 Nobody", "comment", 0),
    ] {
        let at = text.find(part).unwrap_or_else(|| panic!("{part}"));
        assert_eq!(found.get(&at), Some(&(word.to_owned(), kind.to_owned(), modifiers)), "{part}");
    }
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn arguments_have_the_header_of_their_operation_or_definition() {
    let mut client = opened();
    let help = |client: &mut Client, part: &str, behind: u64| {
        let mut position = position_of(ROOMS, part);
        position["character"] = json!(position["character"].as_u64().expect("a number") + behind);
        client.request("textDocument/signatureHelp", json!({ "textDocument": { "uri": URI }, "position": position }))
    };
    let found = help(&mut client, "free(old)", 5);
    assert_eq!(found["signatures"][0]["label"], "free(k) == {g | g : GUEST - inside & kind(g) = k}", "{found}");
    assert_eq!((&found["activeParameter"], &found["signatures"][0]["parameters"][0]["label"]), (&json!(0), &json!([5, 6])), "{found}");
    assert_eq!(help(&mut client, "kind(g)", 5), Json::Null, "a function is no operation");
    // In a text that is being written.
    let text = "MACHINE m OPERATIONS r <-- sum(a, b) = PRE a : NATURAL & b : NATURAL THEN r := a + b END; op = x <-- sum(1, f(2, ";
    client.change(URI, 2, json!([{ "text": text }]));
    let position = json!({ "line": 0, "character": text.len() });
    let found = client.request("textDocument/signatureHelp", json!({ "textDocument": { "uri": URI }, "position": position }));
    assert_eq!(found["signatures"][0]["label"], "r <-- sum(a, b)", "{found}");
    assert_eq!(found["activeParameter"], 1, "{found}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn inferred_types_are_shown_where_the_text_does_not_say_them() {
    let mut client = opened();
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": whole }));
    let mut found: Vec<(usize, &str)> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| (offset(ROOMS, &hint["position"]), hint["label"].as_str().expect("a text")))
        .collect();
    found.sort_unstable();
    let at = |part: &str, name: &str| ROOMS.find(part).expect("there") + name.len();
    // `inside`, `kind`, and the parameters have a conjunct that says what they are.
    let expected = [(at("log\nINV", "log"), " : INTEGER"), (at("n <-- leave", "n"), " : INTEGER"), (at("x WHERE", "x"), " : INTEGER")];
    assert_eq!(found, expected);
    let first = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 99 } });
    let hints = client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": first }));
    assert_eq!(hints.as_array().map(Vec::len), Some(1), "{hints}");
    assert_eq!(client.leave(), Some(0));
}

/// A project in a folder: a machine that is seen, included, refined and taken definitions from.
const PROJECT: &[(&str, &str)] = &[
    ("Base.mch", "MACHINE Base SETS ITEM END"),
    ("shared.def", "DEFINITIONS waiting == card(store); scope_ITEM == 2\n"),
    (
        "Store.mch",
        "MACHINE Store SEES Base DEFINITIONS \"shared.def\" VARIABLES store INVARIANT store <: ITEM & waiting <= 2
INITIALISATION store := {}
OPERATIONS
  put(i) = PRE i : ITEM - store THEN store := store \\/ {i} END;
  take(i) = PRE i : store THEN store := store - {i} END
END
",
    ),
    (
        "StoreList.ref",
        "REFINEMENT StoreList REFINES Store SEES Base VARIABLES store, list INVARIANT list : iseq(ITEM) & ran(list) = store
INITIALISATION store, list := {}, []
OPERATIONS
  put(i) = PRE i : ITEM - store THEN store := store \\/ {i} || list := list <- i END;
  take(i) = PRE i : store THEN store := store - {i} || list := list |>> {i} END
END
",
    ),
    (
        "Shop.mch",
        "MACHINE Shop SEES Base INCLUDES left.Store, right.Store
DEFINITIONS ASSERT_LTL == \"G ({left.store = {}} => not([lend]))\"
OPERATIONS
  move(i) = PRE i : left.store & i /: right.store THEN left.take(i) || right.put(i) END;
  lend = ANY store WHERE store : left.store THEN left.take(store) END;
  buy(i) = PRE i : ITEM - left.store THEN left.put(i) END
END
",
    ),
];

fn project() -> (tempfile::TempDir, Client) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in PROJECT {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let path = fs::canonicalize(folder.path()).expect("a path");
    let (client, _) = Client::start_in(&[], &json!(uri_of(&path)));
    (folder, client)
}

fn text(name: &str) -> &'static str {
    PROJECT.iter().find(|(known, _)| *known == name).expect("a file of the project").1
}

/// Opens a file of the project.
fn open(client: &mut Client, folder: &Path, name: &str) -> String {
    let uri = uri_of(&fs::canonicalize(folder.join(name)).expect("a path"));
    client.open(&uri, text(name));
    uri
}

/// Renames what is at a part of an open file: the texts of all changed files, or the reason why not.
fn rename(client: &mut Client, uri: &str, name: &str, part: &str, new: &str) -> Result<BTreeMap<String, String>, String> {
    let position = position_of(text(name), part);
    let answer = client.answer("textDocument/rename", json!({ "textDocument": { "uri": uri }, "position": position, "newName": new }));
    if let Some(error) = answer.get("error") {
        assert_eq!(error["code"], -32803, "{answer}");
        return Err(error["message"].as_str().expect("a reason").to_owned());
    }
    let changes = answer["result"]["changes"].as_object().unwrap_or_else(|| panic!("{answer}"));
    let file = |uri: &String| uri.rsplit('/').next().expect("a name").to_owned();
    Ok(changes.iter().map(|(uri, edits)| (file(uri), edited(text(&file(uri)), edits))).collect())
}

#[test]
fn references_are_found_in_all_files_of_a_project() {
    let (folder, mut client) = project();
    let uri = open(&mut client, folder.path(), "Store.mch");
    let ask = |client: &mut Client, part: &str, declaration: bool| -> BTreeMap<String, Vec<String>> {
        let params = json!({
            "textDocument": { "uri": uri }, "position": position_of(text("Store.mch"), part), "context": { "includeDeclaration": declaration }
        });
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for place in client.request("textDocument/references", params).as_array().expect("a list") {
            let name = place["uri"].as_str().and_then(|uri| uri.rsplit('/').next()).expect("a name").to_owned();
            let word = text(&name)[range_of(text(&name), &place["range"])].to_owned();
            found.entry(name).or_default().push(word);
        }
        found
    };
    let store = ask(&mut client, "store <: ITEM", true);
    let counts: Vec<(&str, usize)> = store.iter().map(|(name, words)| (name.as_str(), words.len())).collect();
    assert_eq!(counts, [("Shop.mch", 5), ("Store.mch", 9), ("StoreList.ref", 9), ("shared.def", 1)]);
    assert!(store.values().flatten().all(|word| word == "store"), "{store:?}");
    let without: usize = ask(&mut client, "store <: ITEM", false).values().map(Vec::len).sum();
    assert_eq!(without, 9 + 9 + 5 + 1 - 2, "declared in the machine and in its refinement");
    let item = ask(&mut client, "ITEM - store", true);
    assert_eq!(item.get("shared.def").map(Vec::len), Some(1), "scope_ITEM: {item:?}");
    assert_eq!(item.get("Base.mch").map(Vec::len), Some(1), "{item:?}");
    assert_eq!(ask(&mut client, "i : ITEM", true).values().map(Vec::len).sum::<usize>(), 3, "a parameter");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_renamed_project_checks_as_before() {
    let (folder, mut client) = project();
    let store = open(&mut client, folder.path(), "Store.mch");
    let base = open(&mut client, folder.path(), "Base.mch");
    let (other, before) = (tempfile::tempdir().expect("a folder"), checked(folder.path()));
    for (uri, name, part, new, files) in [
        (&store, "Store.mch", "store <: ITEM", "held", 4),
        (&store, "Store.mch", "put(i)", "add", 3),
        (&store, "Store.mch", "waiting <=", "pending", 2),
        (&store, "Store.mch", "i : store", "thing", 1),
        (&base, "Base.mch", "ITEM", "GOODS", 5),
    ] {
        let changed = rename(&mut client, uri, name, part, new).unwrap_or_else(|reason| panic!("{part}: {reason}"));
        assert_eq!(changed.len(), files, "{part}: {changed:?}");
        for (file, old) in PROJECT {
            fs::write(other.path().join(file), changed.get(*file).map_or(*old, String::as_str)).expect("a file");
        }
        assert_eq!(checked(other.path()), before, "{part} -> {new}: {changed:?}");
        let old = part.split(|letter: char| !letter.is_alphanumeric()).next().expect("a name");
        for text in changed.values().filter(|_| part != "i : store" && part != "store <: ITEM") {
            assert!(!text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == old), "{old}: {text}");
        }
    }
    assert_eq!(client.leave(), Some(0));
}

/// The verdicts of all machines of the project.
fn checked(folder: &Path) -> Vec<(Option<i32>, Json, Json)> {
    let path = |name: &str| folder.join(name).display().to_string();
    let runs = [
        bcheck(&["check", &path("Store.mch"), "--deferred", "2", "--no-deadlock", "--format", "json"]),
        bcheck(&["check", &path("Shop.mch"), "--deferred", "2", "--no-deadlock", "--temporal", "--format", "json"]),
        bcheck(&["refine", &path("StoreList.ref"), "--deferred", "2", "--format", "json"]),
    ];
    runs.iter()
        .map(|run| {
            let report = run.json();
            (run.code, report["verdict"].clone(), report["explored"].clone())
        })
        .collect()
}

#[test]
fn what_would_change_the_meaning_is_refused() {
    let (folder, mut client) = project();
    let store = open(&mut client, folder.path(), "Store.mch");
    let list = open(&mut client, folder.path(), "StoreList.ref");
    for (uri, name, part, new, reason) in [
        (&store, "Store.mch", "store <: ITEM", "INVARIANT", "a keyword"),
        (&store, "Store.mch", "store <: ITEM", "2x", "not a name"),
        (&store, "Store.mch", "store <: ITEM", "a b", "not a name"),
        (&store, "Store.mch", "store <: ITEM", "", "not a name"),
        (&store, "Store.mch", "store <: ITEM", "put", "put"),
        (&store, "Store.mch", "store <: ITEM", "i", "name i"),
        // A variable of the refinement would become that of the machine.
        (&store, "Store.mch", "store <: ITEM", "list", "list"),
        (&list, "StoreList.ref", "list : iseq", "store", "store"),
        (&store, "Store.mch", "take(i)", "put", "put"),
        (&store, "Store.mch", "Base DEF", "Basis", "name of a machine"),
        (&store, "Store.mch", "MACHINE", "x", "no name that can be renamed"),
    ] {
        let refused = rename(&mut client, uri, name, part, new).expect_err(part);
        assert!(refused.contains(reason), "{part} -> {new}: {refused}");
    }
    // Before a new name is asked for.
    let position = position_of(text("Store.mch"), "store <: ITEM");
    let prepared = client.request("textDocument/prepareRename", json!({ "textDocument": { "uri": store }, "position": position }));
    assert_eq!((&prepared["placeholder"], &prepared["range"]["start"]), (&json!("store"), &position));
    let position = position_of(text("Store.mch"), "INVARIANT");
    let refused = client.answer("textDocument/prepareRename", json!({ "textDocument": { "uri": store }, "position": position }));
    assert_eq!(refused["error"]["code"], -32803, "{refused}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn declarations_of_all_files_are_found_by_letters_of_their_names() {
    let (folder, mut client) = project();
    open(&mut client, folder.path(), "Store.mch");
    let names = |client: &mut Client, query: &str| -> Vec<String> {
        let found = client.request("workspace/symbol", json!({ "query": query }));
        found
            .as_array()
            .expect("a list")
            .iter()
            .map(|symbol| format!("{} in {}", symbol["name"].as_str().expect("a name"), symbol["containerName"].as_str().expect("a name")))
            .collect()
    };
    assert_eq!(names(&mut client, "tk"), ["take in Store", "take in StoreList"]);
    assert_eq!(names(&mut client, "WAIT"), ["waiting in DEFINITIONS"]);
    assert!(names(&mut client, "").len() > 15);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_the_server_says_of_signs_is_true() {
    let page = bcheck(&["help", "language"]).stdout;
    let formulas = page.split("true predicate):\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a part");
    let lines: Vec<&str> = formulas.lines().collect();
    let supported = lines.chunks(3).filter(|row| !row[1].ends_with("not supported here"));
    let examples: Vec<&str> = supported.map(|row| row[2].trim()).collect();
    assert!(examples.len() > 120, "{}", examples.len());
    let mut command = crate::program::command(&["eval"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all((examples.join("\n") + "\n").as_bytes()).expect("it reads");
    let run = ended(child);
    let answers: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(answers.len(), examples.len(), "{}", run.stderr);
    for (example, answer) in examples.iter().zip(answers) {
        assert_eq!(answer, "TRUE", "{example}");
    }
}

#[test]
fn every_machine_here_is_answered_and_keeps_its_layout_by_the_server() {
    let (mut client, _) = Client::start(&[]);
    for folder in ["machines/tour", "machines/project"] {
        for path in files_below(&root().join(folder), "mch") {
            let (uri, text) = (uri_of(&path), fs::read_to_string(&path).expect("a text"));
            client.open(&uri, &text);
            let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
            let about = json!({ "textDocument": { "uri": uri } });
            for method in ["textDocument/semanticTokens/full", "textDocument/foldingRange"] {
                assert!(!client.request(method, about.clone()).is_null(), "{method}: {uri}");
            }
            assert!(
                client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": whole })).is_array(),
                "{uri}"
            );
            client.notify("textDocument/didClose", about);
        }
    }
    assert_eq!(client.leave(), Some(0));
}
