//! `bcheck fmt`: on every machine of the project the layout has the same tree and the same comments, and a second run changes nothing;
//! what the command does with files.

use crate::program::{bcheck, command, ended, files_below, root};
use bcheck::syntax::{Formatted, begins_definitions, format_text, parse_definitions_file, parse_machine};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// The debug text of the tree of a file, without places.
fn shape(text: &str) -> String {
    let file = bcheck::source::FileId(0);
    let debug = if begins_definitions(text) {
        format!("{:?}", parse_definitions_file(file, text).tree)
    } else {
        format!("{:?}", parse_machine(file, text).tree)
    };
    let mut shape = String::new();
    let mut rest = debug.as_str();
    while let Some(at) = rest.find("Span {") {
        shape.push_str(&rest[..at]);
        rest = rest[at..].split_once('}').map_or("", |(_, after)| after);
    }
    shape + rest
}

/// The comments of a text, found without the lexer of the program: words only, as the lines of a comment may be indented anew.
fn comments(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'', '`']) {
        rest = &rest[at..];
        let skip = |end: Option<usize>| end.map_or(rest.len(), |end| end);
        let length = if rest.starts_with("//") {
            skip(rest.find('\n'))
        } else if rest.starts_with("/*") {
            skip(rest.find("*/").map(|end| end + 2))
        } else if let Some(inner) = rest.strip_prefix("'''") {
            skip(inner.find("'''").map(|end| end + 6))
        } else if let Some(inner) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = inner.find(|letter| {
                let ends = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                ends
            });
            skip(end.map(|end| end + 2))
        } else if let Some(inner) = rest.strip_prefix('`') {
            skip(inner.find('`').map(|end| end + 2))
        } else {
            1
        };
        if rest.starts_with("//") || rest.starts_with("/*") {
            found.push(rest[..length].split_whitespace().map(str::to_owned).collect());
        }
        rest = &rest[length..];
    }
    found
}

#[test]
fn the_layout_of_every_machine_says_the_same_and_stays() {
    let mut formatted = 0;
    for folder in ["machines", "tests"] {
        for ending in ["mch", "ref", "imp", "sys", "def"] {
            for path in files_below(&root().join(folder), ending) {
                let Ok(text) = fs::read_to_string(&path) else { continue };
                let name = path.display();
                match format_text(&text) {
                    Formatted::Text(layout) => {
                        assert_eq!(shape(&layout), shape(&text), "{name}");
                        assert_eq!(comments(&layout), comments(&text), "{name}");
                        assert!(matches!(format_text(&layout), Formatted::Text(again) if again == layout), "{name}: a second run");
                        assert!(layout.lines().all(|line| line.trim_end() == line || line.contains('"')), "{name}: blanks at ends");
                        formatted += 1;
                    }
                    Formatted::Refused(diagnostics) => assert!(!diagnostics.is_empty(), "{name}"),
                    Formatted::Unfaithful => panic!("{name}: another text"),
                }
            }
        }
    }
    assert!(formatted > 250, "{formatted} machines");
}

#[test]
fn files_are_rewritten_in_place_and_checked_without_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mch"), "MACHINE a\nVARIABLES x INVARIANT x:0..1\nINITIALISATION x:=0 END").expect("a file");
    fs::write(at("b.mch"), "MACHINE b\nEND\n").expect("a file");
    fs::write(at("c.txt"), "no machine").expect("a file");
    let place = folder.path().display().to_string();
    let checked = bcheck(&["fmt", "--check", &place]);
    let line = format!("{}:2: another layout; bcheck fmt writes `VARIABLES x`\n", at("a.mch").display());
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(1), line.as_str()), "{}", checked.stderr);
    let run = bcheck(&["fmt", &place]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let layout = "MACHINE a\nVARIABLES x\nINVARIANT x : 0..1\nINITIALISATION x := 0\nEND\n";
    assert_eq!(fs::read_to_string(at("a.mch")).expect("a file"), layout);
    assert_eq!(bcheck(&["fmt", "--check", &place]).code, Some(0));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "nothing is left beside them");
}

#[test]
fn a_file_with_errors_is_left_as_it_is_and_the_others_are_formatted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bad, good) = (folder.path().join("bad.mch"), folder.path().join("good.mch"));
    fs::write(&bad, "MACHINE bad INVARIANT (x END").expect("a file");
    fs::write(&good, "MACHINE good END").expect("a file");
    let run = bcheck(&["fmt", &bad.display().to_string(), &good.display().to_string()]);
    assert_eq!(run.code, Some(150));
    assert!(run.stderr.contains("bad.mch:1:"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&bad).expect("a file"), "MACHINE bad INVARIANT (x END");
    assert_eq!(fs::read_to_string(&good).expect("a file"), "MACHINE good\nEND\n");
    let run = bcheck(&["fmt", &folder.path().join("none.mch").display().to_string()]);
    assert_eq!(run.code, Some(153), "{}", run.stderr);
}

#[test]
fn stdin_is_printed_in_the_layout() {
    let mut command = command(&["fmt", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"MACHINE m SETS S END").expect("it reads");
    let run = ended(child);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "MACHINE m\nSETS S\nEND\n"));
}
