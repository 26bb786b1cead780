//! Each command with each of its outputs, under limits of time and memory: a table that the program's own help makes, so that a new command
//! and a new output are in it by themselves. Options and arguments that this file has no file for are a failure.
//!
//! What is asserted by default does not depend on the speed of the machine; the times and peaks of memory are measured by the test that is
//! left out as ignored (`scripts/long.sh`).

use crate::program::{Run, bcheck, command, finish, share, write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Found at once, and drawn for long: the goal has 60 steps, each of thousands of objects.
const DRAWN: &str = r#"MACHINE drawn
DEFINITIONS
  GOAL == x = 60;
  VISB_SVG_BOX == rec(width: 3000, height: 3000);
  VISB_SVG_OBJECTS == ran(%i.(i : 1..4000 | rec(`id`: i, svg_class: "rect", x: i, y: i, width: 10, height: 10)))
VARIABLES x INVARIANT x : 0..100 INITIALISATION x := 0
OPERATIONS inc = PRE x < 100 THEN x := x + 1 END
END"#;

/// Its refinement goes on otherwise from 60.
const DRAWN_BELOW: &str = r#"REFINEMENT drawn_below REFINES drawn
DEFINITIONS
  VISB_SVG_BOX == rec(width: 3000, height: 3000);
  VISB_SVG_OBJECTS == ran(%i.(i : 1..4000 | rec(`id`: i, svg_class: "rect", x: i, y: i, width: 10, height: 10)))
VARIABLES x INITIALISATION x := 0
OPERATIONS inc = IF x < 60 THEN x := x + 1 ELSE x := x + 2 END
END"#;

/// No end: neither of its steps, nor of what its guards refuse.
const ENDLESS: &str = "MACHINE endless VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
OPERATIONS inc(a, b) = PRE a : -9999..9999 & b : 9000..99999 & a * a * a = b THEN x := 1 END END";

const ENDLESS_BELOW: &str = "REFINEMENT endless_below REFINES endless VARIABLES x INITIALISATION x := 0
OPERATIONS inc(a, b) = PRE a : -9999..9999 & b : 9000..99999 & a * a * a = b THEN x := 1 END END";

/// The options with files that are read, or folders that a search is kept in: they are no outputs.
const INPUTS: &[&str] = &[
    "include",
    "ltl-file",
    "checkpoint",
    "resume",
    "disk",
    "hosts",
    "mesh-key",
    "machine",
    "script",
    "ctl-file",
    "trace-file",
    "project",
    "expect-file",
];

/// The files that an output option is tried with.
fn outputs(option: &str, command: &str) -> &'static [&'static str] {
    match option {
        "output" if command == "graph" => &["o.svg", "o.json"],
        "output" => &["o.txt"],
        "picture" if cfg!(feature = "png") => &["p.svg", "p.png", "p.html"],
        "picture" => &["p.svg", "p.html"],
        "html" => &["h.html"],
        "graph" => &["g.svg", "g.graphml"],
        "trace" if command == "animate" => &[],
        "trace" => &["t.prob2trace"],
        "junit" => &["j.xml"],
        "sarif" => &["s.sarif"],
        "status" => &["status.json"],
        "plot" => &["c.svg"],
        // Of a temporal formula alone, which has no machine.
        "hoa" => &[],
        "save" | "traces" => &["kept"],
        other => panic!("bcheck {command}: is --{other} an output? then say what file it is tried with, else add it to INPUTS"),
    }
}

/// A command line of the table, and the file that it writes.
#[derive(Clone, Debug)]
struct Cell {
    words: Vec<String>,
    file: Option<PathBuf>,
}

/// All command lines for one of the two subjects.
fn table(folder: &Path, subject: &str) -> Vec<Cell> {
    let whole = bcheck(&["--help"]).stdout;
    let names = whole.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 10, "{names:?}");
    let mut cells = Vec::new();
    for name in names {
        let help = bcheck(&[name, "--help"]).stdout;
        // The limits of a suite and of a server are those of each run.
        if !help.contains("--time-limit") || ["suite", "lsp"].contains(&name) {
            continue;
        }
        let mut words = vec![name.to_owned()];
        words.extend(arguments(&help, name, folder, subject));
        cells.push(Cell { words: words.clone(), file: None });
        for option in help.lines().filter_map(|line| line.split_once("--").map(|(_, option)| option)) {
            let Some((option, "FILE>" | "DIR>")) = option.split_once(" <") else { continue };
            if INPUTS.contains(&option) {
                continue;
            }
            for file in outputs(option, name) {
                let file = folder.join(format!("{name}-{subject}-{option}-{file}"));
                let more = [format!("--{option}"), file.display().to_string()];
                cells.push(Cell { words: words.iter().cloned().chain(more).collect(), file: Some(file) });
            }
        }
    }
    cells
}

/// What a command is given, by what its usage asks for.
fn arguments(help: &str, name: &str, folder: &Path, subject: &str) -> Vec<String> {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: bcheck ")).expect("a usage");
    let place = |file: &str| folder.join(file).display().to_string();
    let mut words = Vec::new();
    for word in usage.split(' ').filter(|word| word.starts_with('<')) {
        match word.trim_matches(|sign| "<>.".contains(sign)) {
            "MACHINE" => words.push(place(&format!("{subject}.mch"))),
            "REFINEMENT" => words.push(place(&format!("{subject}_below.ref"))),
            "TRACE" => words.push(place(&format!("{subject}.json"))),
            "WHAT" => words.extend(["--of", "enabling"].map(str::to_owned)),
            "GRAPH" => words.push(place("quotient.graphml")),
            "FILE" => words.push(place("unfolded.graphml")),
            other => panic!("bcheck {name}: what is {other}? say what it is tried with"),
        }
    }
    match name {
        "eval" => words.push("card({x, y | x : 1..99999 & y : 1..99999 & x * y = 7})".to_owned()),
        "cover" => words.push("--mcdc".to_owned()),
        "estimate" => words.extend(["--deferred", "2"].map(str::to_owned)),
        _ => {}
    }
    words
}

/// The files that the table works on.
fn files(folder: &Path) {
    for (name, text) in
        [("drawn.mch", DRAWN), ("drawn_below.ref", DRAWN_BELOW), ("endless.mch", ENDLESS), ("endless_below.ref", ENDLESS_BELOW)]
    {
        write(folder, name, text);
    }
    for (name, steps, arguments) in [("drawn", 80, "{}"), ("endless", 1, r#"{"a": "30", "b": "27000"}"#)] {
        let begin = r#"{"operation": "$initialise_machine", "arguments": {}, "results": {}, "state": {}}"#;
        let step = format!(r#", {{"operation": "inc", "arguments": {arguments}, "results": {{}}, "state": {{}}}}"#);
        let head =
            format!(r#"{{"format": "bcheck-trace", "version": 1, "machine": "{name}", "deferred": {{}}, "minint": -1, "maxint": 3,"#);
        write(folder, &format!("{name}.json"), &format!("{head} \"trace\": [{begin}{}]}}", step.repeat(steps)));
    }
    let quotient = folder.join("quotient.graphml").display().to_string();
    let made = bcheck(&["machines/classic/phonebook.mch", "--deferred", "4", "--graph", &quotient]);
    assert_eq!(made.code, Some(0), "{made:?}");
}

/// What is there is complete.
fn assert_complete(cell: &Cell, run: &Run) {
    let Some(file) = cell.file.as_ref().filter(|file| file.is_file()) else { return };
    let bytes = std::fs::read(file).expect("it is there");
    let text = String::from_utf8_lossy(&bytes);
    let is_complete = match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => text.trim_end().ends_with("</html>"),
        Some("svg") => text.trim_end().ends_with("</svg>"),
        // A comment may follow that says what is left out.
        Some("graphml") => text.contains("</graphml>"),
        Some("xml") => text.trim_end().ends_with("</testsuites>"),
        Some("png") => bytes.ends_with(&[0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
        Some("json" | "sarif" | "prob2trace") => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(),
        _ => !bytes.is_empty(),
    };
    assert!(is_complete, "{}: {run:?}", file.display());
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let folder = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<_> = folder.filter(|other| other.to_string_lossy().starts_with(&format!(".{name}"))).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A run under limits ended with a verdict, a report of the limit, or a refusal of what was to be written; never by a fault.
fn assert_ended(cell: &Cell, run: &Run) {
    let code = run.code.unwrap_or_else(|| panic!("{cell:?}: a signal: {run:?}"));
    let is_known = [0, 1, 20, 30, 31, 152, 153].contains(&code) || (10..=17).contains(&code);
    assert!(is_known, "{cell:?}: {run:?}");
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("at fault"), "{cell:?}: {run:?}");
    assert_complete(cell, run);
}

#[test]
fn each_command_with_each_output_ends_under_limits_and_what_it_writes_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path());
    let drawn = table(folder.path(), "drawn");
    let endless: Vec<Cell> = table(folder.path(), "endless").into_iter().filter(|cell| cell.file.is_none()).collect();
    for of_check in ["--picture", "--html", "--graph"] {
        assert!(drawn.iter().any(|cell| cell.words[0] == "check" && cell.words.iter().any(|word| word == of_check)), "{of_check}");
    }
    for cell in share(drawn.into_iter().chain(endless), 3) {
        let limits = ["--time-limit", "0.2", "--memory-limit", "150M"].map(str::to_owned);
        let words: Vec<String> = cell.words.iter().cloned().chain(limits).collect();
        // That there is an end at all is what `finish` looks at.
        let run = finish(command(&words.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_ended(&cell, &run);
    }
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "it measures times and memory, so nothing else may run beside it"]
fn each_command_with_each_output_ends_within_a_second_and_a_tenth_of_its_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path());
    let mut late = Vec::new();
    for cell in ["drawn", "endless"].into_iter().flat_map(|subject| table(folder.path(), subject)) {
        for (limit, megabytes) in [(1.0, 4000), (20.0, 120), (2.0, 200)] {
            let limits = ["--time-limit".to_owned(), limit.to_string(), "--memory-limit".to_owned(), format!("{megabytes}M")];
            let words: Vec<String> = cell.words.iter().cloned().chain(limits).collect();
            let mut command = command(&words.iter().map(String::as_str).collect::<Vec<_>>());
            let started = Instant::now();
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
            let mut peak = 0;
            while child.try_wait().expect("it can be waited for").is_none() {
                let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
                let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
                peak = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(peak).max(peak);
                std::thread::sleep(Duration::from_millis(2));
            }
            let (took, most) = (started.elapsed().as_secs_f64(), (megabytes * 11 / 10 + 32) * 1024);
            if took > limit + 1.0 || peak > most {
                late.push(format!("{words:?}: {took:.2} s, {peak} kB of {most}"));
            }
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}
