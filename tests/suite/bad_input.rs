//! Bad input of every kind ends in a diagnostic and the documented exit code: no panic, no hang.

use crate::program::{Run, bcheck, command, finish};
use std::path::PathBuf;
use std::process::Stdio;

/// A folder with one machine in it.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("m.mch"), bytes).expect("a machine");
        Self { folder }
    }

    fn machine(&self) -> PathBuf {
        self.folder.path().join("m.mch")
    }

    fn run(&self, options: &[&str]) -> Run {
        let machine = self.machine().display().to_string();
        let mut arguments = vec![machine.as_str()];
        arguments.extend(options);
        let run = bcheck(&arguments);
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        run
    }
}

/// A bad machine is refused with this exit code and a first line that carries this code and a position.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, exit: i32, code: &str) -> Run {
    let run = Folder::with(bytes).run(&[]);
    assert_eq!(run.code, Some(exit), "{run:?}");
    let first = run.stderr.lines().next().unwrap_or_default();
    assert!(first.contains(&format!(": error[{code}]: ")), "{code} expected: {run:?}");
    assert!(first.contains("m.mch:"), "a position expected: {first}");
    assert_eq!(run.stdout, "", "no report of a machine that is refused");
    run
}

#[test]
fn a_binary_file() {
    refused(b"\x7fELF\x02\x01\x01\0\0\0\0\0", 150, "B0106");
}

#[test]
fn an_empty_file() {
    refused("", 150, "B0107");
    refused("\n  \n", 150, "B0107");
}

#[test]
fn an_unclosed_comment() {
    refused("MACHINE m /* END", 150, "B0102");
}

#[test]
fn a_hundred_thousand_nested_parentheses() {
    let deep = format!("MACHINE m VARIABLES x INVARIANT x = {}1{} INITIALISATION x := 1 END", "(".repeat(100_000), ")".repeat(100_000));
    let run = Folder::with(deep).run(&[]);
    assert!(
        matches!(run.code, Some(0 | 11 | 150)),
        "read or refused, but no crash: {:?} {}",
        run.code,
        &run.stderr[..run.stderr.len().min(500)]
    );
}

#[test]
fn an_unknown_identifier() {
    refused("MACHINE m VARIABLES x INVARIANT x : 0..y INITIALISATION x := 0 END", 120, "B0201");
}

#[test]
fn a_type_clash() {
    refused("MACHINE m VARIABLES x INVARIANT x : 0..3 INITIALISATION x := TRUE END", 120, "B0203");
}

#[test]
fn a_recursive_definition() {
    refused("MACHINE m DEFINITIONS a == b + 1; b == a + 1 VARIABLES x INVARIANT x : 0..3 & x < a INITIALISATION x := 0 END", 120, "B0206");
}

#[test]
fn a_missing_end() {
    refused("MACHINE m VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0", 150, "B0111");
}

#[test]
fn an_unknown_clause() {
    refused("MACHINE m VARIBLES x INVARIANT x : 0..3 INITIALISATION x := 0 END", 150, "B0114");
}

#[test]
fn an_infinite_enumeration() {
    let run = Folder::with("MACHINE m VARIABLES x INVARIANT x : STRING INITIALISATION x :: STRING END").run(&[]);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert!(run.stdout.contains("error[B0501]: "), "{run:?}");
    assert_eq!(run.stdout.lines().last(), Some("incomplete"));
}

#[test]
fn a_huge_deferred_set() {
    for size in ["1000000000", "99999999999999999999999999"] {
        let run = Folder::with("MACHINE m SETS S VARIABLES x INVARIANT x : S INITIALISATION x :: S END").run(&["--deferred", size]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("error[B0401]: "), "{run:?}");
    }
}

#[test]
fn an_unknown_set_on_the_command_line() {
    let run = Folder::with("MACHINE m SETS S; T = {a} VARIABLES x INVARIANT x : S INITIALISATION x :: S END").run(&["--deferred", "U=3"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("error[B0403]: ") && run.stderr.contains("are S"), "{run:?}");
    let run = Folder::with("MACHINE m SETS S; T = {a} VARIABLES x INVARIANT x : S INITIALISATION x :: S END").run(&["--deferred", "T=3"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("enumerated"), "{run:?}");
}

#[test]
fn a_missing_file() {
    let run = bcheck(&["no/such/file.mch"]);
    assert_eq!(run.code, Some(153));
    assert!(run.stderr.contains("no such file"), "{run:?}");
}

#[test]
fn a_directory() {
    let run = bcheck(&["machines"]);
    assert_eq!(run.code, Some(153));
    assert!(run.stderr.contains("directory"), "{run:?}");
}

#[test]
fn text_that_is_not_utf8() {
    let run = Folder::with(b"MACHINE m\n// \xe9t\xe9\nEND").run(&[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("m.mch:2:4: warning[B0108]: ") && run.stderr.contains("// été"), "{run:?}");
}

#[test]
fn a_closed_stdout() {
    let mut command = command(&["machines/classic/phonebook.mch", "--deferred", "2", "--format", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn an_unwritable_report_fails_before_the_run() {
    let run = bcheck(&["machines/classic/phonebook.mch", "--output", "no/such/folder/r.json"]);
    assert_eq!(run.code, Some(153));
    assert!(run.stderr.contains("cannot write no/such/folder/r.json"), "{run:?}");
}

#[test]
fn a_usage_error() {
    let run = finish(command(&["m.mch", "--symmetri", "off"]));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--symmetry"), "a similar option is named: {run:?}");
}
