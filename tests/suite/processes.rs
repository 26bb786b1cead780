//! Checks that several processes share: they report what one process alone reports, whoever of them is killed; what does not fit is
//! refused by name.
#![cfg(unix)]

use crate::program::{Run, bcheck, command, ended, files_below, finish, json, place, root, share, start, told, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PHONEBOOK: &str = "machines/classic/phonebook.mch";

#[test]
fn several_processes_report_what_one_reports() {
    for (check, processes) in [
        (&[PHONEBOOK, "--deferred", "4", "--symmetry", "off"][..], "3"),
        (&[PHONEBOOK, "--deferred", "10"], "2"),
        (&["machines/studies/peterson.mch", "--deferred", "3", "--no-deadlock", "--continue"], "3"),
        (&["machines/studies/peterson.mch", "--deferred", "3"], "2"),
        (&[PHONEBOOK, "--deferred", "5", "--max-states", "700", "--symmetry", "off"], "2"),
        (&["machines/violation/barge.mch", "--max-setups", "2"], "2"),
        (&[PHONEBOOK, "--deferred", "5", "--max-depth", "3", "--symmetry", "off", "-j", "2"], "2"),
    ] {
        let (_around, states) = place();
        let (one, several) = (json(check), json(&[check, &["--disk", &states, "--processes", processes]].concat()));
        assert_eq!((several.code, told(&several)), (one.code, told(&one)), "{check:?} {}", several.stderr);
        assert_eq!(several.json()["checkpoint"]["processes"].to_string(), processes);
    }
}

#[test]
fn a_search_with_checkpoints_takes_no_first_values_under_symmetry_and_all_processes_agree() {
    let check = |values: &str, options: &[&str]| {
        let (around, states) = place();
        let text = format!(
            "MACHINE m SETS D CONSTANTS f PROPERTIES f : 1..100 +-> 1..100 VARIABLES d, s INVARIANT d : POW(D) & s : seq(1..2)
            INITIALISATION d := {{}} || s :: {values} OPERATIONS add(x) = PRE x : D THEN d := d \\/ {{x}} END END"
        );
        let machine = write(around.path(), "m.mch", &text);
        json(&[&[machine.as_str(), "--disk", &states], options].concat())
    };
    for processes in ["1", "2"] {
        let shared = ["--processes", processes];
        // A variable that nothing reads still has one value.
        let unread = check("{[1], [2]}", &shared);
        assert_eq!((unread.code, unread.json()["explored"]["states"].to_string().as_str()), (Some(0), "6"), "{unread:?}");
        let refused = check("seq(1..2)", &shared);
        assert!(refused.code == Some(152) && refused.stdout.contains("with symmetry and checkpoints takes none of them"), "{refused:?}");
        let first = check("seq(1..2)", &[&shared[..], &["--symmetry", "off"]].concat());
        assert_eq!((first.code, first.json()["explored"]["initial"].to_string().as_str()), (Some(152), "16"), "{first:?}");
    }
}

#[test]
fn processes_share_what_one_may_take_of_the_memory_of_the_machine() {
    let limit = |processes: &str| {
        let (around, states) = place();
        let status = around.path().join("status.json");
        let check = [PHONEBOOK, "--deferred", "2", "--disk", &states, "--processes", processes];
        let run = bcheck(&[&check[..], &["--status", &status.display().to_string()]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let status: serde_json::Value = serde_json::from_slice(&std::fs::read(status).expect("a status")).expect("a document");
        status["memory_limit_bytes"].as_u64().expect("a limit")
    };
    let of_one = limit("1");
    assert!(of_one > 0);
    assert_eq!([limit("2"), limit("3")], [of_one / 2, of_one / 3]);
}

#[test]
#[ignore = "every machine six times: scripts/long.sh"]
fn every_machine_gives_what_one_process_gives() {
    let (mut compared, mut complaints) = (0, Vec::new());
    // What a shared search answers; of a machine that is refused, only in words.
    let answer = |run: &Run| (run.code, if run.stdout.starts_with('{') { told(run).to_string() } else { run.stderr.clone() });
    for path in files_below(&root().join("machines"), "mch") {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        for symmetry in ["exact", "off"] {
            let check = [name.as_str(), "--symmetry", symmetry];
            let one = json(&[&check[..], &["--time-limit", "4"]].concat());
            // Where a machine takes longer, there is nothing to compare with.
            if one.code == Some(152) {
                continue;
            }
            for (processes, workers) in [("2", "2"), ("3", "1")] {
                let (_around, states) = place();
                let several = json(&[&check[..], &["--disk", &states, "--processes", processes, "-j", workers]].concat());
                compared += 1;
                if answer(&several) != answer(&one) {
                    complaints
                        .push(format!("{name} --symmetry {symmetry}, {processes} processes of {workers}: {several:?}\nalone: {one:?}"));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(compared > 1000, "only {compared} were compared");
}

/// The processes that a process has started.
fn started_by(parent: u32) -> Vec<u32> {
    let is_child = |stat: &str| stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok()) == Some(parent);
    let all = std::fs::read_dir("/proc").expect("Linux").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    all.filter(|process| std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| is_child(&stat))).collect()
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).stderr(Stdio::null()).status();
    assert!(sent.is_ok(), "there is the command kill");
}

#[test]
fn a_process_that_is_killed_is_started_again_with_the_others() {
    let check = [PHONEBOOK, "--deferred", "5", "--symmetry", "off", "-j", "1"];
    let expected = json(&check);
    let mut restarts = 0;
    for seed in share(0..4u32, 4) {
        let (_around, states) = place();
        let more = ["--disk", &states, "--processes", "3", "--checkpoint-every", "0", "--restarts", "9", "--format", "json"];
        let child = start(command(&[&check[..], &more].concat()));
        let id = child.id();
        let killer = std::thread::spawn(move || {
            for kill in 0..3 {
                std::thread::sleep(Duration::from_millis(u64::from(60 + (seed * 53 + kill * 91) % 240)));
                let members = started_by(id);
                // Each of the three in turn, the one that reports as well.
                if let Some(member) = members.get((seed + kill) as usize % 3) {
                    signal(*member, "KILL");
                }
            }
        });
        let run = ended(child);
        killer.join().expect("no panic");
        restarts += run.stderr.matches("was lost; going on").count();
        assert_eq!((run.code, told(&run)), (expected.code, told(&expected)), "{seed} {}", run.stderr);
    }
    assert!(restarts > 0, "no process was killed in time");
}

#[test]
fn a_signal_stops_all_processes_and_the_check_can_be_gone_on_with() {
    let check = [PHONEBOOK, "--deferred", "6", "--symmetry", "off", "-j", "1"];
    let (_around, states) = place();
    let more = ["--disk", &states, "--processes", "2", "--format", "json"];
    let child = start(command(&[&check[..], &more].concat()));
    std::thread::sleep(Duration::from_millis(500));
    signal(child.id(), "TERM");
    let run = ended(child);
    // On a fast machine it may have ended before.
    assert!([Some(152), Some(0)].contains(&run.code), "{run:?}");
    let end = json(&[&check[..], &["--resume", &states, "--processes", "2"]].concat());
    let expected = json(&check);
    assert_eq!((end.code, told(&end)), (expected.code, told(&expected)), "{}", end.stderr);
}

#[test]
fn a_search_that_cannot_be_shared_is_refused() {
    let (around, states) = place();
    let file = |name: &str, text: &str| -> String {
        let path = around.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let open = file("open", "10.0.0.1:4100\n10.0.0.2:4100\n");
    let local = file("local", "127.0.0.1:4100\n127.0.0.1:4101\n");
    let (short, readable) = (file("short", "abc"), file("readable", "0123456789abcdef"));
    std::fs::set_permissions(&short, std::fs::Permissions::from_mode(0o600)).expect("set");
    std::fs::set_permissions(&readable, std::fs::Permissions::from_mode(0o644)).expect("set");
    for (options, words) in [
        (&["--processes", "2"][..], "name one by --disk"),
        (&["--process", "1", "--disk", &states], "by --hosts"),
        (&["--hosts", &local, "--disk", &states], "--process 0 to 1"),
        (&["--hosts", &local, "--process", "2", "--disk", &states], "there are 2"),
        (&["--hosts", &open, "--process", "0", "--disk", &states], "--mesh-key"),
        (&["--hosts", &open, "--process", "0", "--disk", &states, "--mesh-key", &short], "random"),
        (&["--hosts", &open, "--process", "0", "--disk", &states, "--mesh-key", &readable], "chmod 600"),
        (&["--processes", "2", "--disk", &states, "--strategy", "dfs"], "breadth-first"),
        (&["--processes", "2", "--disk", &states, "--ltl", "G true"], "--disk"),
    ] {
        let run = bcheck(&[&[PHONEBOOK, "--deferred", "2"], options].concat());
        assert!(run.code == Some(2) && run.stderr.contains(words), "{options:?} {run:?}");
        assert!(!Path::new(&states).exists(), "{options:?}");
    }
    let refined = bcheck(&["refine", "machines/refinement/AccessPatrol.ref", "--processes", "2"]);
    assert!(refined.code == Some(2) && refined.stderr.contains("not shared yet"), "{refined:?}");
    let piped = bcheck(&["-", "--processes", "2", "--disk", &states]);
    assert!(piped.code == Some(2) && piped.stderr.contains("name a file"), "{piped:?}");
    let made = bcheck(&[PHONEBOOK, "--deferred", "2", "--processes", "2", "--disk", &states]);
    assert_eq!(made.code, Some(0), "{made:?}");
    for (options, code, words) in [
        (&["--processes", "2", "--disk", &states][..], 153, "not empty"),
        (&["--processes", "3", "--resume", &states], 2, "2 processes"),
        (&["--resume", &states], 2, "2 processes"),
        (&["--processes", "2", "--resume", &states, "--deferred", "Name=3"], 2, "the size of Name"),
    ] {
        let run = bcheck(&[&[PHONEBOOK, "--deferred", "2"], options].concat());
        assert!(run.code == Some(code) && run.stderr.contains(words), "{options:?} {run:?}");
    }
}

/// A process of two on this machine, as users start them on hosts.
fn host(process: &str, hosts: &Path, key: &Path, (states, more): (&Path, &[&str])) -> Child {
    let text = |path: &Path| path.display().to_string();
    let (hosts, key, states) = (text(hosts), text(key), text(states));
    let own = ["--hosts", &hosts, "--process", process, "--mesh-key", &key, "--disk", &states];
    let check = [PHONEBOOK, "--deferred", "4", "--symmetry", "off", "--format", "json", "--progress", "none"];
    start(command(&[&check[..], &own, more].concat()))
}

fn key(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("a key for tests: {name}")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("set");
    path
}

/// A file of this name with two addresses that are free.
fn two_hosts(folder: &Path, name: &str) -> PathBuf {
    let free = || std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let path = folder.join(name);
    std::fs::write(&path, format!("# two processes on one machine\n{}\n{}\n", free(), free())).expect("written");
    path
}

#[test]
fn processes_of_a_file_of_hosts_report_what_one_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let (hosts, key) = (two_hosts(folder.path(), "hosts"), key(folder.path(), "key"));
    let each = |process: &str| host(process, &hosts, &key, (&folder.path().join(format!("states-{process}")), &[]));
    let (second, first) = (each("1"), each("0"));
    let (first, second) = (ended(first), ended(second));
    let expected = json(&[PHONEBOOK, "--deferred", "4", "--symmetry", "off"]);
    assert_eq!((first.code, told(&first)), (expected.code, told(&expected)), "{}", first.stderr);
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), ""), "{second:?}");
}

#[test]
fn processes_with_different_keys_or_machines_do_not_meet() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (key(folder.path(), "one"), key(folder.path(), "other"));
    let cases = [(&other, &[][..], "another key"), (&one, &["--deferred", "Name=3"], "another machine")];
    let place = |words: &str, process: &str| folder.path().join(format!("{words}-{process}"));
    // Both pairs wait at the same time.
    let started = cases.map(|(key, more, words)| {
        let hosts = two_hosts(folder.path(), words);
        let short = ["--meet-within", "3"];
        let second = host("1", &hosts, key, (&place(words, "1"), &[more, &short].concat()));
        let first = host("0", &hosts, &one, (&place(words, "0"), &short));
        (words, [first, second])
    });
    for (words, pair) in started {
        for run in pair.map(ended) {
            assert!(run.code == Some(2) && run.stderr.contains(words), "{run:?}");
        }
        assert!(!place(words, "0").join("process-0").exists(), "nothing was written");
    }
}

#[test]
fn the_variable_of_the_supervisor_does_not_come_from_elsewhere() {
    let (_around, states) = place();
    let mut check = command(&[PHONEBOOK, "--deferred", "2", "--processes", "2", "--disk", &states]);
    check.env("BCHECK_PROCESS", "nonsense");
    let run = finish(check);
    assert!(run.code == Some(2) && run.stderr.contains("BCHECK_PROCESS"), "{run:?}");
    assert!(root().join(PHONEBOOK).exists());
}
