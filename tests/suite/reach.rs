//! What a command reaches: files that a machine or a folder names, and nothing else; links do not lead it out, and names of any length and
//! any bytes do not keep it from its work.
#![cfg(unix)]

use crate::lsp::{Client, uri_of};
use crate::program::{bcheck, command, finish, json, place, told, write};
use serde_json::json as object;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const PHONEBOOK: &str = "machines/classic/phonebook.mch";

/// A machine whose definitions are in a file.
fn with_definitions(path: &str) -> String {
    format!("MACHINE m DEFINITIONS \"{path}\" VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS o = x := 1 - x END")
}

#[test]
fn a_machine_names_no_stream_and_nothing_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    symlink("/dev/stdin", folder.path().join("hidden.def")).expect("a link");
    symlink("/proc/self", folder.path().join("process")).expect("a link");
    for path in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/self/environ", "hidden.def", "process/environ"] {
        let machine = write(folder.path(), "m.mch", &with_definitions(path));
        let seen = write(folder.path(), "n.mch", &format!("MACHINE n SEES s /*@file \"{path}\" */ OPERATIONS o = skip END"));
        for machine in [machine, seen] {
            let mut check = command(&[&machine]);
            // Where it could be read, it would be.
            let input = write(folder.path(), "input", "DEFINITIONS two == 2");
            check.stdin(std::fs::File::open(input).expect("a file")).env("SECRET", "not to be shown");
            let run = finish(check);
            assert!(run.code == Some(120) && run.stderr.contains("may name files only"), "{machine} {path}: {run:?}");
            assert!(!run.stderr.contains("not to be shown"), "{run:?}");
        }
    }
}

#[test]
fn an_editor_is_answered_whatever_a_text_names_and_wherever_it_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = uri_of(&folder.path().join("m.mch"));
    let (mut client, _) = Client::start(&[]);
    for (version, path) in (1..).zip(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]) {
        let text = with_definitions(path);
        let found = match version {
            1 => client.open(&uri, &text),
            _ => {
                client.change(&uri, version, object!([{ "text": text }]));
                client.diagnostics(&uri, version)
            }
        };
        assert!(found.to_string().contains("may name files only"), "{path}: {found}");
    }
    // Half of a character, as an editor cuts it, and bytes that are no text.
    let change = object!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": { "uri": uri, "version": 4 }, "contentChanges": [{ "text": "MACHINE m /* HALF */ END" }] } });
    client.send_bytes(change.to_string().replace("HALF", "\\ud83d").as_bytes());
    assert_eq!(client.diagnostics(&uri, 4), object!([]));
    let bytes = change.to_string().replace("\"version\":4", "\"version\":5").replace("HALF", "\u{1}");
    let bytes: Vec<u8> = bytes.replace("\\u0001", "\u{1}").bytes().map(|byte| if byte == 1 { 0xed } else { byte }).collect();
    client.send_bytes(&bytes);
    assert_eq!(client.diagnostics(&uri, 5), object!([]));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn half_a_character_in_a_trace_is_a_character_that_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = r#"{"format": "bcheck-trace", "version": 1, "machine": "\ud800", "deferred": {}, "minint": -1, "maxint": 3, "trace": [
        {"operation": "$initialise_machine", "arguments": {}, "results": {}, "state": {"db": "{}"}}]}"#;
    let run = bcheck(&["replay", &write(folder.path(), "t.json", trace), PHONEBOOK]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn what_is_written_in_a_folder_stays_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside.mch"));
    std::fs::create_dir(&inside).expect("a folder");
    let text = "MACHINE outside VARIABLES   x INVARIANT x:0..1 INITIALISATION x:=0 OPERATIONS o = x := 1-x END";
    std::fs::write(&outside, text).expect("written");
    write(&inside, "own.mch", &text.replace("outside", "own"));
    symlink(&outside, inside.join("link.mch")).expect("a link");
    let shown = inside.display().to_string();
    let run = bcheck(&["fmt", &shown]);
    assert!(run.code == Some(0) && run.stderr.contains("leads out of"), "{run:?}");
    assert_eq!(std::fs::read_to_string(&outside).expect("it is there"), text);
    assert_ne!(std::fs::read_to_string(inside.join("own.mch")).expect("it is there"), text.replace("outside", "own"));
    // Whoever names the link means it.
    assert_eq!(bcheck(&["fmt", &inside.join("link.mch").display().to_string()]).code, Some(0));
    assert_ne!(std::fs::read_to_string(&outside).expect("it is there"), text);

    let victim = folder.path().join("victim.json");
    std::fs::write(&victim, "precious").expect("written");
    symlink(&victim, inside.join("trace_1.json")).expect("a link");
    let run = bcheck(&["cover", PHONEBOOK, "--save", &shown]);
    assert!(run.code == Some(153) && run.stderr.contains("leads out of the folder"), "{run:?}");
    assert_eq!(std::fs::read_to_string(&victim).expect("it is there"), "precious");
}

#[test]
fn a_file_of_a_checkpoint_with_another_name_elsewhere_is_refused() {
    let (around, states) = place();
    let check = [PHONEBOOK, "--deferred", "5", "--symmetry", "off", "--max-states", "700"];
    assert_eq!(bcheck(&[&check[..], &["--checkpoint", &states]].concat()).code, Some(152));
    let (manifest, elsewhere) = (Path::new(&states).join("manifest"), around.path().join("elsewhere"));
    std::fs::hard_link(&manifest, &elsewhere).expect("a link");
    let run = bcheck(&[&check[..], &["--resume", &states]].concat());
    assert!(run.code == Some(153) && run.stderr.contains("hard link"), "{run:?}");
    std::fs::remove_file(elsewhere).expect("removed");
    assert_eq!(bcheck(&[&check[..5], &["--resume", &states][..]].concat()).code, Some(0));
}

#[test]
fn a_check_that_may_go_to_disk_remembers_it_before_it_has() {
    let (_around, states) = place();
    let check = [PHONEBOOK, "--deferred", "5", "--symmetry", "off"];
    assert_eq!(bcheck(&[&check[..], &["--disk", &states, "--max-states", "500"]].concat()).code, Some(152));
    let kept = bcheck(&["checkpoint", &states]);
    assert!(kept.stdout.contains("--disk: on") && !kept.stdout.contains("sorted runs"), "{kept:?}");
    // So little memory is a limit of what goes to disk, of which this is said, not of the check.
    let run = json(&[&check[..], &["--resume", &states, "--memory-limit", "64M"]].concat());
    assert!(run.code == Some(0) && run.stderr.contains("--memory-limit 64.0 MiB is too small"), "{run:?}");
}

#[test]
fn processes_meet_in_a_folder_with_a_long_path_and_check_a_file_of_any_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = (0..15).fold(folder.path().to_owned(), |folder, _| folder.join("a_folder_with_a_long_name"));
    std::fs::create_dir_all(&long).expect("folders");
    let machine = folder.path().join(std::ffi::OsStr::from_bytes(b"phone\xffbook.mch"));
    std::fs::copy(PHONEBOOK, &machine).expect("copied");
    let one = json(&[PHONEBOOK, "--deferred", "4", "--symmetry", "off"]);
    let mut check: Command =
        command(&["--deferred", "4", "--symmetry", "off", "--format", "json", "--progress", "none", "--processes", "2"]);
    check.arg("--disk").arg(folder.path().join("states")).arg(&machine).env("TMPDIR", &long);
    let several = finish(check);
    let explored = |report: serde_json::Value| (report["verdict"].clone(), report["explored"].clone(), report["full"].clone());
    assert_eq!((several.code, explored(told(&several))), (one.code, explored(told(&one))), "{several:?}");
}
