//! Files that a machine has no business with, and texts that were written by other programs: options in comments, references to files that
//! are no B, references out of the folders that are allowed, encodings.

use crate::program::{Run, bcheck, command, finish};
use std::fs;
use std::path::Path;

fn write(path: &Path, text: impl AsRef<[u8]>) -> String {
    fs::write(path, text).expect("written");
    path.display().to_string()
}

/// Both streams, for what must not be in either.
fn said(run: &Run) -> String {
    format!("{}{}", run.stdout, run.stderr)
}

#[test]
fn a_comment_names_no_file_to_a_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    let machines = folder.path().join("machines");
    fs::create_dir(&machines).expect("a folder");
    let precious = folder.path().join("precious");
    write(&precious, "precious");
    for (number, option) in ["--output", "-o", "--html", "--trace", "--graph", "--junit", "--sarif", "--include"].iter().enumerate() {
        for (letter, between) in [("a", " "), ("b", if option.len() == 2 { "" } else { "=" })] {
            let text =
                format!("// first line\n/*@ check {option}{between}\"{}\": verified */ MACHINE m{number}{letter} END", precious.display());
            write(&machines.join(format!("m{number}{letter}.mch")), text);
        }
    }
    let run = bcheck(&["suite", &machines.display().to_string()]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("FAIL") && line.contains(".mch:2  pragma: `-")).count(), 16, "{run:?}");
    assert_eq!(fs::read_to_string(&precious).expect("text"), "precious");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing was written");
}

#[test]
fn options_of_scope_and_search_in_a_comment_are_still_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "/*@ check --deferred 3 --goal \"s = {}\" --no-deadlock -j 1: goal_found */\nMACHINE m SETS S VARIABLES s INVARIANT s <: S INITIALISATION s := {} END";
    let run = bcheck(&["suite", &write(&folder.path().join("m.mch"), text)]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

const SECRET: &str = "root:x:0:0:secret of the house:/root:/bin/sh\n";

#[test]
fn a_file_that_is_no_b_is_named_and_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let secrets: [(&str, Vec<u8>); 6] = [
        ("passwd", SECRET.into()),
        ("comment.mch", format!("/* {SECRET}").into()),
        ("binary", [SECRET.as_bytes(), &[0, 1, 2]].concat()),
        ("latin1", [SECRET.as_bytes(), &[0xE9]].concat()),
        ("inline", [&SECRET.as_bytes()[..20], &[0xE9], &SECRET.as_bytes()[11..]].concat()),
        ("string", format!("\"{SECRET}").into()),
    ];
    for (name, content) in secrets {
        write(&at(name), content);
        let texts = [
            format!("MACHINE m SEES M /*@file \"{name}\" */ END"),
            format!("MACHINE m INCLUDES M /*@file \"{name}\" */ END"),
            format!("MACHINE m DEFINITIONS \"{name}\" END"),
            format!("MACHINE m DEFINITIONS \"{}\" END", at(name).display()),
        ];
        for text in texts {
            let machine = write(&at("m.mch"), &text);
            for format in ["text", "json", "short"] {
                let run = bcheck(&[&machine, "--format", format]);
                assert!(matches!(run.code, Some(120 | 150)), "{text}: {run:?}");
                assert!(!said(&run).contains("secret"), "{text}: {run:?}");
                let is_read = !text.contains("INCLUDES");
                assert!(!is_read || run.stderr.contains(name) && run.stderr.contains("is not B source"), "{text}: {run:?}");
            }
        }
    }
    write(&at("M.mch"), SECRET);
    let refinement = write(&at("R.ref"), "REFINEMENT R REFINES M END");
    for arguments in [vec!["refine", &refinement], vec!["eval", "1", "--machine", &refinement], vec!["animate", &refinement]] {
        let run = bcheck(&arguments);
        assert!(!said(&run).contains("secret") && run.stderr.contains("M.mch"), "{run:?}");
    }
}

/// A machine in `in`, which names what lies in the folder above it.
fn outside(folder: &Path) -> String {
    let inner = folder.join("in");
    fs::create_dir_all(inner.join("below")).expect("a folder");
    fs::create_dir_all(folder.join("other")).expect("a folder");
    write(&folder.join("Top.mch"), "MACHINE Top END");
    write(&folder.join("d.def"), "DEFINITIONS one == 1");
    write(&folder.join("other/Other.mch"), "MACHINE Other END");
    write(&inner.join("below/Below.mch"), "MACHINE Below END");
    inner.join("m.mch").display().to_string()
}

#[test]
fn with_include_only_references_stay_in_the_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = outside(folder.path());
    let other = folder.path().join("other").display().to_string();
    let only = |arguments: &[&str]| {
        let mut all = vec![machine.as_str(), "--include-only", "--no-deadlock"];
        all.extend(arguments);
        bcheck(&all)
    };
    write(Path::new(&machine), "MACHINE m SEES Below /*@file \"below/Below.mch\" */ END");
    assert_eq!(only(&[]).code, Some(0), "what is below");
    write(Path::new(&machine), "MACHINE m SEES Other END");
    assert_eq!(only(&["--include", &other]).code, Some(0), "what is in a folder of --include");
    let absolute = format!("MACHINE m DEFINITIONS \"{}\" END", folder.path().join("d.def").display());
    for text in ["MACHINE m SEES Top /*@file \"../Top.mch\" */ END", "MACHINE m DEFINITIONS \"../d.def\" END", &absolute] {
        write(Path::new(&machine), text);
        let run = bcheck(&[&machine, "--no-deadlock"]);
        assert_eq!(run.code, Some(0), "without the option: {run:?}");
        let run = only(&["--include", &other]);
        assert_eq!(run.code, Some(120), "{text}: {run:?}");
        assert!(run.stderr.contains("is outside of the folders that may be read"), "{run:?}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("Top.mch"), folder.path().join("in/Link.mch")).expect("a link");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("in/up")).expect("a link");
        for text in ["MACHINE m SEES Top /*@file \"Link.mch\" */ END", "MACHINE m SEES Top /*@file \"up/Top.mch\" */ END"] {
            write(Path::new(&machine), text);
            assert_eq!(only(&[]).code, Some(120), "{text}");
        }
    }
}

#[test]
fn every_command_knows_include_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = outside(folder.path());
    write(Path::new(&machine), "/*@ check --no-deadlock: verified */ MACHINE m SEES Top /*@file \"../Top.mch\" */ END");
    let trace = write(&folder.path().join("t.txt"), "trace of m; scope: MININT = -1, MAXINT = 3\n");
    for arguments in [
        vec!["check", &machine],
        vec!["compare", &machine],
        vec!["eval", "1", "--machine", &machine],
        vec!["animate", &machine],
        vec!["replay", &trace, &machine],
    ] {
        let run = bcheck(&[arguments.as_slice(), &["--include-only"]].concat());
        assert_eq!(run.code, Some(120), "{arguments:?}: {run:?}");
    }
    let run = bcheck(&["suite", &machine, "--include-only"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let refinement = write(&folder.path().join("in/R.ref"), "REFINEMENT R REFINES Top /*@file \"../Top.mch\" */ END");
    assert_ne!(bcheck(&["refine", &refinement, "--include-only"]).code, Some(0));
    let mut here = command(&["m.mch", "--include-only", "--no-deadlock"]);
    here.current_dir(folder.path().join("in"));
    assert_eq!(finish(here).code, Some(120), "a machine without a folder in its name");
}

#[test]
fn texts_of_other_programs_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE m /* été */ VARIABLES v INVARIANT v /= \"été\" INITIALISATION v := \"été\" END\n";
    let latin1: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
    let utf16 =
        |mark: u16, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { std::iter::once(mark).chain(text.encode_utf16()).flat_map(bytes).collect() };
    let plain = bcheck(&[&write(&folder.path().join("m.mch"), text), "--format", "json"]).json();
    assert_eq!(plain["verdict"], "invariant_violation");
    for (bytes, warnings) in [
        (latin1, 1),
        ([b"\xEF\xBB\xBF", text.as_bytes()].concat(), 0),
        (utf16(0xFEFF, u16::to_le_bytes), 0),
        (utf16(0xFEFF, u16::to_be_bytes), 0),
    ] {
        let run = bcheck(&[&write(&folder.path().join("m.mch"), bytes), "--format", "json"]);
        let report = run.json();
        assert_eq!(report["violation"], plain["violation"], "the same place and the same conjunct");
        assert_eq!(report["trace"], plain["trace"]);
        let found = report["diagnostics"].as_array().expect("a list");
        assert_eq!(found.iter().filter(|diagnostic| diagnostic["code"] == "B0108").count(), warnings, "{run:?}");
        assert!(warnings == 0 || found[0]["column"] == 14, "{found:?}");
    }
}

#[test]
fn of_each_file_that_is_not_utf8_there_is_one_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("Other.mch"), b"MACHINE Other /* \xE9 \xE8 */ END");
    let machine = write(&folder.path().join("m.mch"), b"MACHINE m /* \xE9 */ SEES Other /* \xE9 */ END");
    let run = bcheck(&[&machine, "--no-deadlock"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.stderr.matches("B0108").count(), 2, "{run:?}");
    let suite = write(&folder.path().join("s.mch"), b"/* \xE9 */ /*@ check --no-deadlock: verified */ MACHINE s END");
    assert_eq!(bcheck(&["suite", &suite]).code, Some(0));
}
