//! Nothing is lost: whatever ends a command before an output is complete, the file of that name is as it was; and an output that is an
//! input is refused.

use crate::program::{Run, command, finish};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What was in the output before.
const OLD: &str = "of an earlier run\n";

const MACHINE: &str = "MACHINE m SETS S VARIABLES x, used INVARIANT x : 0..3 & used <: S & x < 3 INITIALISATION x, used := 0, {}
OPERATIONS up(s) = PRE s : S & x < 3 THEN x := x + 1 || used := used \\/ {s} END END /*@ check: invariant_violation */";
const REFINEMENT: &str = "REFINEMENT r REFINES m VARIABLES y INVARIANT y = x INITIALISATION y := 0 OPERATIONS up(s) = y := y + 2 END";

/// A command with one of its outputs.
struct Case {
    /// `IN` and `OUT` stand for the files.
    arguments: &'static [&'static str],
    /// A file that it reads.
    input: &'static str,
    output: &'static str,
    /// The exit code when the input is nonsense.
    refused: i32,
    /// The exit code when the output cannot be written.
    full: i32,
}

const fn case(arguments: &'static [&'static str], input: &'static str, output: &'static str) -> Case {
    Case { arguments, input, output, refused: 150, full: 153 }
}

/// Every output of every command.
const CASES: &[Case] = &[
    case(&["IN", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["IN", "--format", "json", "-o", "OUT"], "m.mch", "out.json"),
    case(&["IN", "--html", "OUT"], "m.mch", "out.html"),
    case(&["IN", "--junit", "OUT"], "m.mch", "out.xml"),
    case(&["IN", "--sarif", "OUT"], "m.mch", "out.sarif"),
    case(&["IN", "--trace", "OUT"], "m.mch", "out.json"),
    case(&["IN", "--trace", "OUT"], "m.mch", "out.txt"),
    case(&["IN", "--trace", "OUT"], "m.mch", "out.prob2trace"),
    case(&["IN", "--trace", "OUT"], "m.mch", "out.itf.json"),
    case(&["IN", "--graph", "OUT"], "m.mch", "out.dot"),
    case(&["IN", "--graph", "OUT"], "m.mch", "out.aut"),
    case(&["IN", "--graph", "OUT"], "m.mch", "out.graphml"),
    case(&["IN", "--graph", "OUT"], "m.mch", "out.csv"),
    case(&["IN", "--graph", "OUT"], "m.mch", "out.svg"),
    case(&["IN", "--status", "OUT"], "m.mch", "out.json"),
    case(&["check", "--lint", "IN", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["graph", "IN", "--of", "enabling", "-o", "OUT"], "m.mch", "out.dot"),
    case(&["graph", "IN", "--of", "variables", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["graph", "IN", "--of", "machines", "-o", "OUT"], "m.mch", "out.json"),
    case(&["compare", "IN", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["compare", "IN", "--symmetry", "all", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["compare", "IN", "--plot", "OUT"], "m.mch", "out.svg"),
    case(&["compare", "IN", "--html", "OUT"], "m.mch", "out.html"),
    case(&["refine", "IN", "-o", "OUT"], "r.ref", "out.txt"),
    case(&["refine", "IN", "--chain", "--format", "json", "-o", "OUT"], "r.ref", "out.json"),
    case(&["refine", "IN", "--html", "OUT"], "r.ref", "out.html"),
    case(&["refine", "IN", "--picture", "OUT"], "r.ref", "out.svg"),
    case(&["refine", "IN", "--junit", "OUT"], "r.ref", "out.xml"),
    case(&["refine", "IN", "--sarif", "OUT"], "r.ref", "out.sarif"),
    case(&["refine", "IN", "--trace", "OUT"], "r.ref", "out.json"),
    case(&["refine", "IN", "--status", "OUT"], "r.ref", "out.json"),
    case(&["replay", "t.json", "IN", "-o", "OUT"], "m.mch", "out.txt"),
    case(&["replay", "IN", "m.mch", "--format", "json", "-o", "OUT"], "t.json", "out.json"),
    case(&["replay", "t.json", "IN", "--html", "OUT"], "m.mch", "out.html"),
    case(&["replay", "t.json", "IN", "--picture", "OUT"], "m.mch", "out.svg"),
    Case { refused: 120, ..case(&["unfold", "IN", "OUT"], "g.graphml", "out.aut") },
    Case { refused: 120, ..case(&["unfold", "IN", "OUT"], "g.graphml", "out.csv") },
    // What states nothing is no suite.
    Case { refused: 1, ..case(&["suite", "IN", "--junit", "OUT"], "m.mch", "out.xml") },
    Case { refused: 1, ..case(&["suite", "IN", "--sarif", "OUT"], "m.mch", "out.sarif") },
    // A command of a script that fails does not end the animation.
    Case { full: 1, ..case(&["animate", "--plain", "IN"], "m.mch", "out.json") },
];

impl Case {
    fn title(&self) -> String {
        format!("{} ({})", self.arguments.join(" "), self.output)
    }

    /// The file of `--status` says how the last run ended, whatever that was.
    fn is_status(&self) -> bool {
        self.arguments.contains(&"--status")
    }

    fn is_animation(&self) -> bool {
        self.arguments[0] == "animate"
    }

    /// Everything that the commands read, and the output of an earlier run.
    fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("m.mch", MACHINE);
        write("r.ref", REFINEMENT);
        write(self.output, OLD);
        if self.arguments.iter().any(|word| *word == "replay" || *word == "unfold") {
            let run = finish(within(folder.path(), &["m.mch", "--trace", "t.json", "--graph", "g.graphml"]));
            assert_eq!(run.code, Some(12), "{run:?}");
        }
        folder
    }

    fn arguments<'a>(&'a self, input: &'a str, output: &'a str) -> Vec<&'a str> {
        let word = |word: &&'a str| match *word {
            "IN" => input,
            "OUT" => output,
            word => word,
        };
        self.arguments.iter().map(word).collect()
    }

    /// Runs it to its end, with these files.
    fn run(&self, folder: &Path, input: &str, output: &str) -> Run {
        self.finish(folder, within(folder, &self.arguments(input, output)), output)
    }

    /// An animation saves by a command.
    fn finish(&self, folder: &Path, mut command: Command, output: &str) -> Run {
        if self.is_animation() {
            std::fs::write(folder.join("script"), format!("save {output}\n")).expect("written");
            command.stdin(std::fs::File::open(folder.join("script")).expect("the script"));
        }
        finish(command)
    }

    /// Whether the old output is there and nothing else was left.
    fn is_intact(&self, folder: &Path) -> bool {
        std::fs::read_to_string(folder.join(self.output)).is_ok_and(|text| text == OLD) && temporary_files(folder).is_empty()
    }
}

fn within(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    command.current_dir(folder);
    command
}

/// The files that are not complete.
fn temporary_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "tmp")).collect()
}

/// Holds every case to something.
fn hold(cases: impl Iterator<Item = &'static Case>, seen: impl Fn(&Case, &Path) -> Result<(), Run>) {
    let wrong: Vec<String> = cases
        .filter_map(|case| {
            let folder = case.folder();
            let failed = seen(case, folder.path()).err().map(|run| format!("{run:?}"));
            let lost = (!case.is_intact(folder.path())).then(|| "the old file is lost, or another one left".to_owned());
            failed.or(lost).map(|what| format!("{}: {what}", case.title()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn expect(run: Run, is_right: impl Fn(&Run) -> bool) -> Result<(), Run> {
    if is_right(&run) { Ok(()) } else { Err(run) }
}

#[test]
fn every_output_replaces_the_old_file_when_nothing_goes_wrong() {
    for case in CASES {
        let folder = case.folder();
        let run = case.run(folder.path(), case.input, case.output);
        let text = std::fs::read_to_string(folder.path().join(case.output)).expect("an output");
        assert!(text != OLD && !text.is_empty() && temporary_files(folder.path()).is_empty(), "{}: {run:?}", case.title());
    }
}

#[test]
fn input_that_is_nonsense_leaves_the_old_file() {
    hold(CASES.iter().filter(|case| !case.is_status()), |case, folder| {
        std::fs::write(folder.join(case.input), "MACHINE m OPERATIONS").expect("written");
        expect(case.run(folder, case.input, case.output), |run| run.code == Some(case.refused))
    });
}

#[test]
fn the_status_of_a_machine_that_is_refused_replaces_that_of_an_earlier_run() {
    for case in CASES.iter().filter(|case| case.is_status()) {
        let folder = case.folder();
        std::fs::write(folder.path().join(case.input), "MACHINE m OPERATIONS").expect("written");
        let run = case.run(folder.path(), case.input, case.output);
        let text = std::fs::read_to_string(folder.path().join(case.output)).expect("the status");
        let status: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(
            (run.code, &status["state"], &status["verdict"]),
            (Some(150), &"ended".into(), &serde_json::Value::Null),
            "{run:?} {text}"
        );
    }
}

#[test]
fn input_that_is_missing_leaves_the_old_file() {
    hold(CASES.iter().filter(|case| !case.is_status()), |case, folder| {
        std::fs::remove_file(folder.join(case.input)).expect("removed");
        expect(case.run(folder, case.input, case.output), |run| run.code == Some(153) && run.stderr.contains(case.input))
    });
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    hold(CASES.iter(), |case, folder| {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bcheck")]);
        limited.args(case.arguments(case.input, case.output)).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
        let said = |run: &Run| run.stderr.contains("cannot write out") || run.stdout.contains("cannot write out");
        expect(case.finish(folder, limited, case.output), |run| run.code == Some(case.full) && said(run))
    });
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    hold(CASES.iter(), |case, folder| {
        let same = case.output.replace("out", "same");
        let text = std::fs::read_to_string(folder.join(case.input)).expect("the input");
        std::fs::rename(folder.join(case.input), folder.join(&same)).expect("renamed");
        let run = case.run(folder, &same, &same);
        assert_eq!(std::fs::read_to_string(folder.join(&same)).expect("the input"), text, "{}", case.title());
        expect(run, |run| case.is_refusal(run, &same))
    });
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_to_the_input_is_refused() {
    type Link = fn(&Path, &Path) -> std::io::Result<()>;
    let links: [Link; 2] = [|from, to| std::os::unix::fs::symlink(from, to), |from, to| std::fs::hard_link(from, to)];
    for link in links {
        hold(CASES.iter(), |case, folder| {
            let name = case.output.replace("out", "link");
            let text = std::fs::read_to_string(folder.join(case.input)).expect("the input");
            link(&folder.join(case.input), &folder.join(&name)).expect("a link");
            let run = case.run(folder, case.input, &name);
            assert_eq!(std::fs::read_to_string(folder.join(case.input)).expect("the input"), text, "{}", case.title());
            assert_eq!(std::fs::read_to_string(folder.join(&name)).expect("the link"), text, "{}", case.title());
            expect(run, |run| case.is_refusal(run, &name))
        });
    }
}

impl Case {
    /// Whether a run refused to replace what it reads, naming both files.
    fn is_refusal(&self, run: &Run, output: &str) -> bool {
        let said = if self.is_animation() { &run.stdout } else { &run.stderr };
        let code = if self.is_animation() { 1 } else { 2 };
        run.code == Some(code) && said.contains(&format!("{output} would replace ")) && said.contains("choose another file")
    }
}

/// Waits until the output is begun, with at least this number of bytes.
fn until_begun(child: &mut Child, folder: &Path, bytes: u64) {
    let started = Instant::now();
    let is_begun = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| found.len() >= bytes);
    while !temporary_files(folder).iter().any(is_begun) {
        assert!(child.try_wait().expect("it can be waited for").is_none(), "it ended before it began to write");
        assert!(started.elapsed() < Duration::from_secs(100), "no output was begun");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills it, and looks at what is left: the old file, and temporary files with telling names.
fn kill(mut child: Child, folder: &Path, output: &str) {
    child.kill().expect("killed");
    let status = child.wait().expect("it ended");
    assert_eq!(status.code(), None, "the signal came before its end");
    assert_eq!(std::fs::read_to_string(folder.join(output)).expect("the old file"), OLD);
    for path in temporary_files(folder) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(name.starts_with(".out") && name.contains(".bcheck-"), "{name}");
        std::fs::remove_file(path).expect("removed");
    }
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

#[cfg(unix)]
#[test]
fn a_kill_leaves_the_old_file() {
    // A command that waits for its machine has its outputs ready and cannot end.
    for case in CASES.iter().filter(|case| case.input == "m.mch" || case.input == "r.ref") {
        if case.is_animation() || case.arguments[0] == "suite" {
            continue;
        }
        let folder = case.folder();
        let mut child = spawn(within(folder.path(), &case.arguments("-", case.output)));
        until_begun(&mut child, folder.path(), 0);
        kill(child, folder.path(), case.output);
        assert!(case.is_intact(folder.path()), "{}", case.title());
    }
}

#[cfg(unix)]
#[test]
fn a_kill_in_the_middle_of_a_graph_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each step has a name of thousands of letters: the graph is long before it is searched for long, on any computer.
    let machine = "MACHINE m CONSTANTS c PROPERTIES c = %i.(i : 0..999 | i * i)
      VARIABLES x, y INVARIANT x : 0..50 & y : 0..50 INITIALISATION x, y := 0, 0 OPERATIONS
      right(cc) = PRE cc = c & x < 50 THEN x := x + 1 END; up(cc) = PRE cc = c & y < 50 THEN y := y + 1 END;
      home(cc) = PRE cc = c THEN x := 0 || y := 0 END END";
    std::fs::write(folder.path().join("m.mch"), machine).expect("written");
    for output in ["out.csv", "out.aut", "out.dot", "out.graphml"] {
        std::fs::write(folder.path().join(output), OLD).expect("written");
        let mut child = spawn(within(folder.path(), &["m.mch", "--graph", output, "--progress", "none"]));
        until_begun(&mut child, folder.path(), 1);
        kill(child, folder.path(), output);
    }
}

#[cfg(unix)]
#[test]
fn the_second_signal_leaves_no_temporary_file() {
    let folder = CASES[0].folder();
    let mut child = spawn(within(folder.path(), &["-", "-o", "out.txt", "--html", "new.html"]));
    until_begun(&mut child, folder.path(), 0);
    let started = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        assert!(started.elapsed() < Duration::from_secs(100), "two signals end it");
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill exists");
        std::thread::sleep(Duration::from_millis(50));
    }
    // While nothing has been explored, the first signal ends it with a report.
    let code = child.wait().expect("it ended").code();
    assert!(matches!(code, Some(130 | 152)), "{code:?}");
    assert!(!folder.path().join("new.html").exists());
    let names = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn files_that_the_machine_names_are_inputs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("top.mch", "MACHINE top SEES seen INCLUDES part DEFINITIONS \"names.def\" END");
    write("seen.mch", "MACHINE seen SETS S END");
    write("part.mch", "MACHINE part END");
    write("names.def", "DEFINITIONS one == 1");
    write("low.ref", "REFINEMENT low REFINES top SEES seen END");
    write("lower.imp", "IMPLEMENTATION lower REFINES low SEES seen END");
    for (command, files) in [
        (&["top.mch"][..], &["seen.mch", "part.mch", "names.def"][..]),
        (&["compare", "top.mch"], &["seen.mch", "part.mch", "names.def"]),
        (&["refine", "low.ref"], &["top.mch", "seen.mch", "names.def"]),
        (&["refine", "--chain", "lower.imp"], &["low.ref", "top.mch", "names.def"]),
    ] {
        for file in files {
            let before = std::fs::read_to_string(folder.path().join(file)).expect("a file");
            let run = finish(within(folder.path(), &[command, &["--html", file, "--color", "never"]].concat()));
            assert_eq!(run.code, Some(2), "{command:?} {file}: {run:?}");
            assert!(run.stderr.contains(&format!("--html {file} would replace {file}, which this command reads")), "{run:?}");
            assert_eq!(std::fs::read_to_string(folder.path().join(file)).expect("a file"), before);
            assert!(temporary_files(folder.path()).is_empty());
        }
    }
}

#[test]
fn two_outputs_that_are_one_file_are_refused() {
    let folder = CASES[0].folder();
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    for (first, second) in [("r", "r"), ("r", "./r"), ("sub/../out.txt", "out.txt"), ("-", "-")] {
        let run = finish(within(folder.path(), &["m.mch", "--html", first, "--junit", second]));
        assert_eq!(run.code, Some(2), "{run:?}");
        let wanted = format!("--html {first} and --junit {second} are the same file: choose another one for --junit");
        assert!(run.stderr.contains(&wanted) && run.stdout.is_empty(), "{run:?}");
        assert!(CASES[0].is_intact(folder.path()));
    }
    let run = finish(within(folder.path(), &["m.mch", "--graph", "g.csv", "-o", "g.states.csv"]));
    assert!(run.code == Some(2) && run.stderr.contains("--output g.states.csv and --graph (its states) g.states.csv"), "{run:?}");
}

#[test]
fn a_folder_that_is_missing_is_told_before_the_search() {
    let folder = CASES[0].folder();
    for arguments in [&["-", "-o", "none/r.txt"][..], &["compare", "-", "--html", "none/r.html"], &["refine", "-", "--sarif", "none/r"]] {
        // With a machine that never comes, a search cannot have begun.
        let mut command = within(folder.path(), arguments);
        let held = std::process::Command::new("sleep").arg("100").stdout(Stdio::piped()).spawn();
        let mut held = held.expect("sleep exists");
        command.stdin(held.stdout.take().expect("a pipe"));
        let run = finish(command);
        let _ = held.kill();
        let _ = held.wait();
        assert!(run.code == Some(153) && run.stderr.contains("its folder does not exist"), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn streams_are_written_straight() {
    let folder = CASES[0].folder();
    let whole = |arguments: &[&str]| finish(within(folder.path(), arguments));
    for stdout in ["-", "/dev/stdout", "/dev/fd/1"] {
        let run = whole(&["m.mch", "--format", "short", "-o", stdout]);
        assert!(run.code == Some(12) && run.stdout.ends_with("invariant_violation\n"), "{run:?}");
        assert!(whole(&["m.mch", "-o", "/dev/null", "--junit", stdout]).stdout.starts_with("<?xml"), "{stdout}");
    }
    assert!(!folder.path().join("-").exists());
    assert_eq!(whole(&["m.mch", "-o", "/dev/null", "--html", "/dev/null"]).stdout, "");
    let run = whole(&["m.mch", "-o", "/dev/full"]);
    #[cfg(target_os = "linux")]
    assert!(run.code == Some(153) && run.stderr.contains("cannot write /dev/full: the disk is full"), "{run:?}");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.xml")).status().expect("mkfifo exists");
    assert!(made.success());
    let fifo = folder.path().join("pipe.xml");
    let reader = std::thread::spawn(move || std::fs::read_to_string(fifo).expect("text"));
    let run = whole(&["m.mch", "--junit", "pipe.xml"]);
    assert!(run.code == Some(12) && reader.join().expect("read").ends_with("</testsuites>\n"), "{run:?}");
    // What the shell opened is not replaced: what it writes afterwards follows.
    let script = format!("{{ {} m.mch --format short -o /dev/stdout; echo after; }} > shell.txt", env!("CARGO_BIN_EXE_bcheck"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null());
    assert_eq!(finish(shell).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("shell.txt")).expect("text");
    assert!(text.ends_with("invariant_violation\nafter\n"), "{text}");
}

#[test]
fn a_picture_that_is_refused_leaves_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = "MACHINE m VARIABLES x INVARIANT x : 0..2000 INITIALISATION x := 0 OPERATIONS up = PRE x < 2000 THEN x := x + 1 END END";
    std::fs::write(folder.path().join("m.mch"), machine).expect("written");
    std::fs::write(folder.path().join("g.svg"), OLD).expect("written");
    let run = finish(within(folder.path(), &["m.mch", "--no-deadlock", "--graph", "g.svg"]));
    assert!(run.code == Some(0) && run.stderr.contains("warning: a graph of 2001 states is no picture"), "{run:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("g.svg")).expect("the old picture"), OLD);
}

#[test]
fn a_refusal_is_reported_where_no_file_is_lost_by_it() {
    let folder = CASES[0].folder();
    std::fs::write(folder.path().join("m.mch"), "MACHINE m OPERATIONS").expect("written");
    let arguments = ["m.mch", "--format", "json", "-o", "new.json", "--junit", "out.txt", "--sarif", "new.sarif"];
    let run = finish(within(folder.path(), &arguments));
    assert!(run.code == Some(150) && run.stderr.contains("note: out.txt is left unchanged, from an earlier run"), "{run:?}");
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert!(text("new.json").contains("\"verdict\": null") && text("new.sarif").contains("B01"));
    assert!(CASES[0].is_intact(folder.path()));
}
