//! How long the language server takes for each answer on machines of a thousand lines: tables that are printed, not limits.

use crate::lsp::{Client, position_of, uri_of};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

/// How often each request is asked.
const TIMES: usize = 11;

/// A machine of about this number of lines, of small operations.
fn operations(lines: usize) -> String {
    let count = lines / 10;
    let variables: Vec<String> = (0..count).map(|number| format!("v{number}")).collect();
    let mut text = format!("MACHINE Generated\nSETS S\nVARIABLES {}\nINVARIANT\n", variables.join(", "));
    text.push_str(&variables.iter().map(|name| format!("  {name} : S +-> NAT")).collect::<Vec<_>>().join(" &\n"));
    let empty: Vec<String> = variables.iter().map(|name| format!("{name} := {{}}")).collect();
    text.push_str(&format!("\nINITIALISATION {}\nOPERATIONS\n", empty.join(" || ")));
    let operation = |name: &String| {
        format!(
            "  set_{name}(x, n) =\n    PRE\n      x : S - dom({name}) &\n      n : 1..3\n    THEN\n      {name} := {name} \\/ {{x |-> n}}\n    END;\n  clear_{name} =\n    {name} := {{}}"
        )
    };
    text.push_str(&variables.iter().map(operation).collect::<Vec<_>>().join(";\n"));
    text.push_str("\nEND\n");
    text
}

/// A machine of this number of lines, most of them conjuncts of the invariant and of guards, with definitions that are used everywhere.
fn conjuncts(lines: usize) -> String {
    let mut text = "MACHINE Conjuncts\nSETS S; T = {a, b, c}\nDEFINITIONS\n  known(x) == x : dom(f) & f(x) /= a;\n  free == S - dom(f);\n  \
        below(n, m) == #k.(k : 1..m & n + k = m)\nVARIABLES f, r, q, n\nINVARIANT\n  f : S +-> T &\n  r : S <-> S &\n  q : seq(S) &\n  n : NAT"
        .to_owned();
    for number in 0..lines * 3 / 5 {
        let _ = match number % 4 {
            0 => write!(text, " &\n  !x.(x : dom(f) & n > {number} => r[{{x}}] <: free \\/ {{y | y : S & known(y) & y /= x}})"),
            1 => write!(text, " &\n  card({{x, y | x : S & y : r[{{x}}] & f~[{{a, b}}] <: S}}) <= {number} + n"),
            2 => write!(text, " &\n  (n = {number} => below(n, {number} + 1) or q = [] or first(q) /: ran(q) - {{last(q)}})"),
            _ => write!(text, " &\n  not(n < -{number}) & rec(left : n, right : f)'left + {number} >= 0"),
        };
    }
    text.push_str("\nINITIALISATION\n  f, r, q := {}, {}, [] || n := 0\nOPERATIONS\n");
    let operation = |number: usize| {
        format!(
            "  step{number}(x) =\n    ANY y, z\n    WHERE\n      x : free & y : S - {{x}} &\n      z : T & !v.(v : r[{{y}}] => v /= x) &\n      n < {number}\n    \
             THEN\n      IF y : dom(f) THEN\n        f(x) := f(y) || r := r \\/ {{x |-> y}}\n      ELSE\n        f(x) := z || q := q <- x || n := n + 1\n      \
             END\n    END"
        )
    };
    text.push_str(&(0..lines / 40).map(operation).collect::<Vec<_>>().join(";\n"));
    text + "\nEND\n"
}

/// The median and the greatest, in milliseconds.
fn in_milliseconds(mut times: Vec<Duration>) -> String {
    times.sort();
    let shown = |time: Duration| format!("{:8.1}", time.as_secs_f64() * 1000.0);
    format!("{} {}", shown(times[times.len() / 2]), shown(times[times.len() - 1]))
}

/// Prints the times of all requests about a place of a text, and of the diagnostics after an edit there.
#[allow(clippy::print_stdout, reason = "a measurement")]
fn measure(name: &str, text: &str, part: &str, beside: &[(&str, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("{name}.mch"));
    fs::write(&path, text).expect("a file");
    beside.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("a file"));
    let (mut client, _) = Client::start_in(&[], &json!(uri_of(folder.path())));
    let uri = uri_of(&path);
    let found = client.open(&uri, text);
    let (document, place) = (json!({ "uri": uri }), position_of(text, part));
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let here = json!({ "textDocument": document, "position": place });
    let with = |name: &str, value: Json| {
        let mut params = here.clone();
        params[name] = value;
        params
    };
    let about = json!({ "textDocument": document });
    println!("\n{name}, {} lines, {} diagnostics:  median  slowest (ms)", text.lines().count(), found.as_array().map_or(0, Vec::len));
    for (method, params) in [
        ("textDocument/hover", here.clone()),
        ("textDocument/completion", here.clone()),
        ("textDocument/definition", here.clone()),
        ("textDocument/references", with("context", json!({ "includeDeclaration": true }))),
        ("textDocument/documentHighlight", here.clone()),
        ("textDocument/prepareRename", here.clone()),
        ("textDocument/rename", with("newName", json!("renamed"))),
        ("textDocument/signatureHelp", here.clone()),
        ("textDocument/documentSymbol", about.clone()),
        ("textDocument/semanticTokens/full", about.clone()),
        ("textDocument/foldingRange", about.clone()),
        ("textDocument/codeLens", about.clone()),
        ("textDocument/formatting", with("options", json!({ "tabSize": 2, "insertSpaces": true }))),
        ("textDocument/inlayHint", json!({ "textDocument": document, "range": whole })),
        ("textDocument/codeAction", json!({ "textDocument": document, "range": whole, "context": { "diagnostics": found } })),
        ("workspace/symbol", json!({ "query": "s" })),
    ] {
        let ask = |_| {
            let started = Instant::now();
            client.answer(method, params.clone());
            started.elapsed()
        };
        let times = (0..TIMES).map(ask).collect();
        println!("{method:34} {}", in_milliseconds(times));
    }
    // A letter more in a comment, or one less.
    let mut times = Vec::new();
    for version in 2..i64::try_from(TIMES).expect("small") + 2 {
        let started = Instant::now();
        let line = place["line"].as_u64().expect("a line");
        let at = |character: u64| json!({ "line": line, "character": character });
        let (end, text) = if version % 2 == 0 { (0, "/**/") } else { (4, "") };
        client.change(&uri, version, json!([{ "range": { "start": at(0), "end": at(end) }, "text": text }]));
        client.diagnostics(&uri, version);
        times.push(started.elapsed());
    }
    println!("{:34} {}", "diagnostics after an edit", in_milliseconds(times));
    assert_eq!(client.leave(), Some(0));
}

#[test]
#[ignore = "a measurement: cargo test --release --test suite each_answer_on_a_thousand_lines -- --ignored --nocapture"]
fn each_answer_on_a_thousand_lines() {
    let (flat, deep) = (operations(1_000), conjuncts(1_000));
    measure("Generated", &flat, "v50 :=", &[]);
    measure("Conjuncts", &deep, "f(x) :=", &[]);
    // The same with a mistake in each operation, and in many conjuncts.
    measure("Faulty", &flat.replace("n : 1..3", "n : 1..m").replace("Generated", "Faulty"), "v50 :=", &[]);
    measure("Mistaken", &deep.replace("f~[{a, b}]", "g~[{a, b}]").replace("Conjuncts", "Mistaken"), "f(x) :=", &[]);
    let user = "MACHINE User INCLUDES Used VARIABLES u INVARIANT u <: dom(v50) INITIALISATION u := {} OPERATIONS\n  move(x) = u := dom(v50) - {x} END\n";
    measure("Used", &flat.replace("Generated", "Used"), "v50 :=", &[("User.mch", user)]);
}
