//! Limits and signals end every command, whatever it is doing; nothing that is read or nested is without a bound; nothing hangs.
//!
//! No test looks at the clock but to tell a hang: [`finish`] waits for two minutes, and all of this would run for longer.

use crate::program::{bcheck, command, finish, share, thorough, until_under_way};
use std::path::{Path, PathBuf};

/// A comprehension that nobody waits for.
const ENDLESS: &str = "card({x, y, z, u | x : 1..2000 & y : 1..2000 & z : 1..2000 & u : 1..2000 & max({x * y, z * u}) = 0})";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("a file");
        self.name(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

/// A machine with these clauses between its name and its operations.
fn machine(clauses: &str, operations: &str) -> String {
    format!("MACHINE m {clauses} OPERATIONS {operations} END")
}

fn one_variable(invariant: &str, initially: &str, operations: &str) -> String {
    machine(&format!("VARIABLES x INVARIANT {invariant} INITIALISATION x := {initially}"), operations)
}

#[test]
fn a_time_limit_ends_every_part_of_a_check() {
    let folder = Folder::new();
    let constants: Vec<String> = (0..8_000).map(|index| format!("c{index}")).collect();
    let values: Vec<String> = (0..8_000).map(|index| format!("c{index} : {{{index}}}")).collect();
    let compiled = format!("CONSTANTS {} PROPERTIES {}", constants.join(", "), values.join(" & "));
    let parts = [
        ("initialisation", one_variable("x : INTEGER", ENDLESS, "o = skip")),
        ("set-up", machine(&format!("CONSTANTS c PROPERTIES c = {ENDLESS}"), "o = skip")),
        ("operation", one_variable("x : INTEGER", "0", &format!("o = x := {ENDLESS}"))),
        ("invariant", one_variable(&format!("x = {ENDLESS}"), "0", "o = skip")),
        ("compilation", machine(&compiled, "o = skip")),
    ];
    for (part, (what, text)) in parts.into_iter().enumerate() {
        let path = folder.file("m.mch", &text);
        // In each part one of them; all in a thorough run.
        let outputs = [vec![], vec!["--html".to_owned(), folder.name("m.html")], vec!["--graph".to_owned(), folder.name("m.aut")]];
        for options in outputs.iter().enumerate().filter(|(at, _)| thorough() || part % outputs.len() == *at).map(|(_, options)| options) {
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let run = bcheck(&[&[path.as_str(), "--time-limit", "0.2", "--progress", "none"], &options[..]].concat());
            assert_eq!(run.code, Some(152), "{what}: {run:?}");
            assert!(run.stdout.ends_with("incomplete\n"), "{what}: {run:?}");
        }
        let run = bcheck(&[&path, "--time-limit", "0.2", "--format", "json"]);
        let report = run.json();
        assert_eq!((report["verdict"].as_str(), report["limit"]["kind"].as_str()), (Some("incomplete"), Some("time_limit")), "{what}");
    }
}

#[test]
fn a_time_limit_ends_the_walk_for_a_graph_and_what_was_found_stays() {
    let folder = Folder::new();
    let graph = folder.name("g.aut");
    let slow = bcheck(&["machines/classic/phonebook.mch", "--deferred", "8", "--symmetry", "off", "--time-limit", "1", "--graph", &graph]);
    assert_eq!(slow.code, Some(152), "{slow:?}");
    let text = std::fs::read_to_string(&graph).expect("a graph");
    assert!(text.starts_with("des (0,"), "the header is complete: {}", &text[..40.min(text.len())]);
}

#[test]
fn a_memory_limit_ends_a_single_evaluation() {
    let folder = Folder::new();
    let path = folder.file("m.mch", &one_variable("x <: POW(1..30)", "{}", "o = x := {s | s : POW(1..26) & card(s) > 3}"));
    let run = bcheck(&[&path, "--memory-limit", "40M", "--progress", "none"]);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert!(run.stdout.contains("--memory-limit"), "{run:?}");
    let run = bcheck(&["eval", "card({s | s : POW(1..26) & card(s) > 3} \\/ {{}})", "--memory-limit", "40M"]);
    assert_eq!(run.code, Some(152), "{run:?}");
}

#[test]
fn a_time_limit_ends_every_other_command() {
    let folder = Folder::new();
    let slow = folder.file("slow.mch", &one_variable("x : INTEGER", "0", &format!("o = x := {ENDLESS}")));
    let abstraction = format!("MACHINE Abs VARIABLES a INVARIANT a : INTEGER INITIALISATION a := 0 OPERATIONS o = a := {ENDLESS} END");
    folder.file("Abs.mch", &abstraction);
    let refined = folder.file(
        "Conc.ref",
        &abstraction
            .replace("MACHINE Abs", "REFINEMENT Conc REFINES Abs")
            .replace(" a ", " b ")
            .replace("INVARIANT b : INTEGER", "INVARIANT b = a"),
    );
    let trace = folder.file(
        "t.json",
        r#"{"format": "bcheck-trace", "version": 1, "machine": "m", "deferred": {}, "minint": -1, "maxint": 3, "trace": [
            {"operation": "$initialise_machine", "arguments": {}, "results": {}, "state": {}},
            {"operation": "o", "arguments": {}, "results": {}, "state": {}}]}"#,
    );
    for arguments in [
        &["eval", ENDLESS][..],
        &["eval", "-m", &slow, &format!("x = {ENDLESS}")],
        &["replay", &trace, &slow],
        &["refine", &refined],
        &["compare", &slow],
    ] {
        let run = bcheck(&[arguments, &["--time-limit", "0.3"]].concat());
        let expected = if arguments[0] == "compare" { Some(0) } else { Some(152) };
        assert!(run.code == expected || run.code == Some(152), "{arguments:?}: {run:?}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains("time-limit") || arguments[0] == "compare", "{arguments:?}: {run:?}");
    }
}

#[test]
fn each_command_of_an_animation_and_each_formula_of_a_list_has_the_limit_by_itself() {
    let folder = Folder::new();
    let path = folder.file("m.mch", &one_variable("x : INTEGER", "0", "o = x := x + 1"));
    let script = std::fs::File::open(folder.file("script", &format!("eval {ENDLESS}\no\nstate\n"))).expect("the script");
    let mut animation = command(&["animate", &path, "--time-limit", "1"]);
    animation.stdin(script);
    let run = finish(animation);
    // On a starved machine a command may not react in time, and the animation is ended.
    let went_on = run.stdout.contains("--time-limit") && run.stdout.contains("x = 1");
    assert!(went_on || (run.code == Some(152) && run.stderr.contains("--time-limit")), "{run:?}");
    let list = std::fs::File::open(folder.file("list", &format!("{ENDLESS}\n6 * 7\n"))).expect("the list");
    let mut evaluation = command(&["eval", "--time-limit", "1"]);
    evaluation.stdin(list);
    let run = finish(evaluation);
    assert!(run.code == Some(152) && (run.stdout == "42\n" || run.stderr.contains("was running")), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_every_command_with_a_report() {
    let folder = Folder::new();
    let slow = folder.file("slow.mch", &one_variable("x : INTEGER", ENDLESS, "o = skip"));
    let stated = "/*@ check: verified */ ";
    let suite = folder.path("suite");
    std::fs::create_dir(&suite).expect("a folder");
    std::fs::write(suite.join("s.mch"), stated.to_owned() + &one_variable("x : INTEGER", ENDLESS, "o = skip")).expect("a machine");
    let suite = suite.display().to_string();
    let of_all: [(Vec<&str>, &str, i32); 8] = [
        (vec![&slow], "", 152),
        (vec![&slow, "--format", "json"], "", 152),
        (vec!["eval", ENDLESS], "", 152),
        (vec!["eval"], ENDLESS, 152),
        (vec!["animate", &slow], "state\n", 152),
        (vec!["compare", &slow], "", 0),
        (vec!["suite", &suite], "", 1),
        // What waits for input has nothing to report.
        (vec!["eval"], "1 + 1\n", 130),
    ];
    let with = |signal| of_all.iter().map(move |(words, input, code)| (signal, &words[..], *input, *code));
    // Each command gets one of the three, all of them in a thorough run.
    let of_three = share(["-INT", "-TERM", "-HUP"].into_iter().flat_map(with), 3);
    assert!(of_three.len() >= of_all.len());
    // Of the rarer ones, whose handler is the same, one command shows it.
    let rarer = ["-QUIT", "-USR1", "-USR2", "-ALRM", "-XCPU"];
    let check = [slow.as_str()];
    let of_rarer: Vec<_> = rarer.map(|signal| (signal, &check[..], "", 152)).to_vec();
    [&of_three[..], &of_rarer].concat().chunks(8).for_each(ended_by);
}

/// Starts commands side by side, sends each its signal after a while, and asserts that all end with their code.
#[cfg(unix)]
fn ended_by(cases: &[(&str, &[&str], &str, i32)]) {
    use std::io::Write as _;
    let start = |(_, arguments, input, _): &(&str, &[&str], &str, i32)| {
        let mut command = command(arguments);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let end = if *input == ENDLESS { "\n" } else { "" };
        stdin.write_all((input.to_string() + end).as_bytes()).expect("the command reads");
        (child, stdin)
    };
    let started: Vec<_> = cases.iter().map(start).collect();
    started.iter().for_each(|(child, _)| until_under_way(child.id()));
    for ((signal, arguments, ..), (child, _)) in cases.iter().zip(&started) {
        let sent = std::process::Command::new("kill").args([*signal, &child.id().to_string()]).status().expect("kill exists");
        assert!(sent.success(), "{arguments:?} was still running");
    }
    for ((signal, arguments, _, code), (mut child, stdin)) in cases.iter().zip(started) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while child.try_wait().expect("can be waited for").is_none() {
            if std::time::Instant::now() > deadline {
                let _ = child.kill();
                panic!("{arguments:?} runs on after {signal}");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        drop(stdin);
        let output = child.wait_with_output().expect("ends");
        assert!(
            output.status.code() == Some(*code) || (*code == 0 && output.status.code() == Some(152)),
            "{arguments:?} {signal}: {output:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    let folder = Folder::new();
    let fifo = folder.name("fifo.mch");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo exists");
    assert!(made.success());
    let good = folder.file("good.mch", &one_variable("x = 0", "0", "o = skip"));
    let seer = folder.file("seer.mch", "MACHINE seer SEES fifo END");
    let definitions = folder.file("d.mch", "MACHINE d DEFINITIONS \"fifo.mch\" END");
    for file in [fifo.as_str(), "/dev/zero", "/dev/full", "/dev/tty0"].iter().filter(|file| Path::new(file).exists()) {
        for arguments in [
            vec![*file],
            vec!["replay", file, &good],
            vec!["animate", &good, "--trace", file],
            vec!["unfold", file, &folder.name("out.aut")],
            vec!["eval", "1", "-m", file],
            vec!["refine", file],
        ] {
            let run = bcheck(&arguments);
            assert_eq!(run.code, Some(153), "{arguments:?}: {run:?}");
            assert!(run.stderr.contains("not a regular file"), "{arguments:?}: {run:?}");
        }
    }
    for machine in [seer, definitions] {
        let run = bcheck(&[&machine]);
        assert!(run.code.is_some_and(|code| code >= 120) && run.stderr.contains("not a regular file"), "{run:?}");
    }
    let run = bcheck(&["suite", &folder.0.path().display().to_string()]);
    assert!(run.stdout.contains("fifo.mch") && run.stdout.contains("not a regular file"), "{run:?}");
    for arguments in [&["-"][..], &["eval"], &["animate", &good]] {
        let mut endless = command(arguments);
        endless.stdin(std::fs::File::open("/dev/zero").expect("it is there"));
        let run = finish(endless);
        assert!(run.code.is_some_and(|code| code != 0), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_machine_may_be_a_stream_that_is_open_already() {
    let mut piped = command(&["/dev/stdin"]);
    let folder = Folder::new();
    piped.stdin(std::fs::File::open(folder.file("m.mch", &one_variable("x = 0", "0", "o = skip"))).expect("it is there"));
    assert_eq!(finish(piped).code, Some(0));
}

/// Runs a machine under a limit of the shell.
#[cfg(unix)]
fn limited(limit: &str, arguments: &[&str]) -> crate::program::Run {
    let mut shell = std::process::Command::new("bash");
    shell.arg("-c").arg(format!("ulimit -c 0; {limit} && exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_bcheck")).args(arguments);
    shell.current_dir(crate::program::root()).env("NO_COLOR", "1").env("RUST_BACKTRACE", "0");
    finish(shell)
}

#[cfg(unix)]
#[test]
fn under_limits_of_the_system_there_is_a_verdict_or_a_message() {
    let check = ["machines/classic/phonebook.mch", "--deferred", "4", "--progress", "none"];
    for limit in ["ulimit -s 64", "ulimit -s unlimited", "ulimit -n 8", "ulimit -v 400000", "ulimit -v 1000000", "ulimit -v 2000000"] {
        let run = limited(limit, &check);
        assert_eq!(run.code, Some(0), "{limit}: {run:?}");
    }
    for mebibytes in [150, 200, 250] {
        let run = limited(&format!("ulimit -v {}", mebibytes << 10), &check);
        assert!(matches!(run.code, Some(0 | 153)), "{mebibytes}: {run:?}");
        assert!(run.code == Some(0) || !run.stderr.is_empty(), "{mebibytes}: {run:?}");
    }
    // While the table of states grows, with all workers. Backtraces take memory too, and locks.
    let large = ["machines/classic/phonebook.mch", "--deferred", "7", "--symmetry", "off", "--max-states", "200000", "--progress", "none"];
    let mut exhausted = 0;
    for mebibytes in [90, 100, 110, 120, 130, 140, 150, 180, 210] {
        let run = limited(&format!("export RUST_BACKTRACE=1; ulimit -v {}", mebibytes << 10), &large);
        let has_message = run.stderr.lines().last().is_some_and(|line| line.starts_with("error: ") && line.contains("ulimit -v"));
        assert!(run.code == Some(152) || run.code == Some(153) && has_message, "{mebibytes}: {run:?}");
        exhausted += usize::from(run.stderr.contains("error: out of memory"));
    }
    assert!(exhausted > 0, "no limit was met by an allocation");
    let folder = Folder::new();
    let hog = folder.file("m.mch", &one_variable("x <: POW(1..30)", "{}", "o = x := {s | s : POW(1..26) & card(s) > 3}"));
    let run = limited("ulimit -v 250000", &[&hog, "-j", "1", "--progress", "none"]);
    assert_eq!(run.code, Some(153), "{run:?}");
    assert!(run.stderr.contains("memory"), "{run:?}");
}

/// A text many times, with a separator.
fn chain(separator: &str, count: usize, link: impl Fn(usize) -> String) -> String {
    (0..count).map(link).collect::<Vec<_>>().join(separator)
}

#[test]
fn long_chains_are_no_deep_recursion() {
    checks_chains(4_000);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn very_long_chains_take_no_time() {
    checks_chains(20_000);
}

/// Checks machines with chains of so many parts, or a multiple or part of that, of all kinds.
fn checks_chains(long: usize) {
    let folder = Folder::new();
    let names = |prefix: &'static str| chain(", ", long, move |index| format!("{prefix}{index}"));
    let machines = [
        ("conjuncts", one_variable(&format!("x = 0 & {}", chain(" & ", 10 * long, |index| format!("x < {}", index + 1))), "0", "o = skip")),
        ("sum", one_variable("x = 0", &format!("{} - {long}", chain("+", long, |_| "1".to_owned())), "o = skip")),
        ("concatenation", one_variable("x : NATURAL", &format!("size({})", chain(" ^ ", long, |_| "[0]".to_owned())), "o = skip")),
        ("appending", one_variable("x : NATURAL", &format!("size([] <- {})", chain(" <- ", long, |_| "0".to_owned())), "o = skip")),
        ("maplets", one_variable("x = 1", &format!("card({{{}}})", chain(" |-> ", long / 4, |_| "0".to_owned())), "o = skip")),
        ("set", one_variable("x : NATURAL", &format!("card({{{}}})", chain(",", long, |index| index.to_string())), "o = skip")),
        (
            "assignments",
            machine(
                &format!(
                    "VARIABLES {0} INVARIANT {1} INITIALISATION {2}",
                    names("v"),
                    chain(" & ", long, |index| format!("v{index} = 0")),
                    chain(" || ", long, |index| format!("v{index} := 0"))
                ),
                "o = skip",
            ),
        ),
        ("operations", one_variable("x = 0", "0", &chain(";\n", 5 * long, |index| format!("o{index} = skip")))),
        ("elements", machine(&format!("SETS S = {{{}}} VARIABLES x INVARIANT x : S INITIALISATION x := e0", names("e")), "o = skip")),
        (
            "definitions",
            one_variable("x = 0", &format!("d{long}"), "o = skip").replace(
                "VARIABLES",
                &format!("DEFINITIONS d0 == 0; {} VARIABLES", chain("; ", long, |index| format!("d{} == d{index}", index + 1))),
            ),
        ),
        (
            "locals",
            one_variable("x = 0", "0", &format!("o = VAR {} IN {} END", names("v"), chain("; ", long, |index| format!("v{index} := 0")))),
        ),
        (
            "fields",
            one_variable("x = 0", "0", "o = skip")
                .replace("x = 0", &format!("x = 0 & rec({})'f0 = 0", chain(", ", long / 4, |index| format!("f{index} : 0")))),
        ),
        (
            "constants",
            one_variable("x = 0", "0", "o = skip").replace(
                "VARIABLES",
                &format!(
                    "CONSTANTS {0} PROPERTIES {1} & c{2} = 0 VARIABLES",
                    chain(", ", long / 4, |index| format!("c{index}")),
                    chain(" & ", long / 4 - 1, |index| format!("c{index} : NATURAL & c{index} = c{} + 1", index + 1)),
                    long / 4 - 1
                ),
            ),
        ),
        (
            "parameters",
            one_variable(
                "x = 0",
                "0",
                &format!("o({}) = SELECT {} THEN skip END", names("p"), chain(" & ", long, |index| format!("p{index} = {index}"))),
            ),
        ),
        (
            "choices",
            one_variable(
                "x = 0",
                "0",
                &format!(
                    "o = ANY {} WHERE {} THEN skip END",
                    names("a"),
                    chain(" & ", long, |index| format!("a{index} <: 0 .. 1 & a{index} = {{}}"))
                ),
            ),
        ),
    ];
    for (what, text) in machines {
        let run = bcheck(&[&folder.file("m.mch", &text), "--progress", "none", "-j", "1"]);
        assert_eq!(run.code, Some(0), "{what}: {} {}", run.stdout, &run.stderr[..run.stderr.len().min(2_000)]);
    }
}

#[test]
fn deep_nesting_is_checked_or_refused() {
    let folder = Folder::new();
    // More than any stack of a thread would hold.
    for depth in [1_000, if thorough() { 100_000 } else { 25_000 }] {
        let nested = |open: &str, inside: &str, close: &str| open.repeat(depth) + inside + &close.repeat(depth);
        for (what, text) in [
            ("parentheses", one_variable(&nested("(", "x = 0", ")"), "0", "o = skip")),
            ("braces", one_variable(&format!("x = 0 & {} /= {{}}", nested("{", "0", "}")), "0", "o = skip")),
            ("brackets", one_variable(&format!("x = 0 & {} /= []", nested("[", "0", "]")), "0", "o = skip")),
            ("not", one_variable(&format!("x = 0 & {}", nested("not(", "x = 0", ")")), "0", "o = skip")),
            ("for all", one_variable(&format!("x = 0 & {}", nested("!y.(y : 0..0 => ", "x = 0", ")")), "0", "o = skip")),
            ("IF", one_variable("x = 0", "0", &format!("o = {}", nested("IF x = 0 THEN ", "skip", " END")))),
            ("BEGIN", one_variable("x = 0", "0", &format!("o = {}", nested("BEGIN ", "skip", " END")))),
            ("LET", one_variable("x = 0", "0", &format!("o = {}", nested("LET y BE y = 0 IN ", "skip", " END")))),
            ("unclosed", one_variable(&"(".repeat(depth), "0", "o = skip")),
            ("comments", one_variable("x = 0", "0", &format!("o = {} skip", "/* ".repeat(depth) + &" */".repeat(depth)))),
        ] {
            let run = bcheck(&[&folder.file("m.mch", &text), "--progress", "none", "-j", "1"]);
            assert!(
                matches!(run.code, Some(0 | 120 | 150)),
                "{what}, {depth}: {:?} {}",
                run.code,
                &run.stderr[..run.stderr.len().min(2_000)]
            );
        }
    }
}

#[test]
fn many_faults_are_reported_in_part() {
    let folder = Folder::new();
    let path = folder.file("m.mch", &one_variable(&chain(" & ", 20_000, |index| format!("y{index} = 0")), "0", "o = skip"));
    let run = bcheck(&[&path, "--format", "short"]);
    assert_eq!(run.code, Some(120), "{}", run.stderr.lines().count());
    assert!(run.stderr.lines().count() < 2_000, "{}", run.stderr.lines().count());
}

#[test]
fn an_editor_cannot_make_the_server_reserve_what_it_only_claims() {
    let folder = Folder::new();
    for (message, reason) in [
        ("Content-Length: 999999999999\r\n\r\n{}".to_owned(), "up to"),
        ("Content-Length: 50000000\r\n\r\n{}".to_owned(), "ends after"),
        ("X: y\r\n".repeat(100_000), "endless headers"),
        ("nonsense\r\n".to_owned(), "malformed"),
    ] {
        let input = std::fs::File::open(folder.file("messages", &message)).expect("it is there");
        let mut server = command(&["lsp"]);
        server.stdin(input);
        let run = finish(server);
        assert_eq!(run.code, Some(153), "{run:?}");
        assert!(run.stderr.contains(reason), "{run:?}");
    }
}
