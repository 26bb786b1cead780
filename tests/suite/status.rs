//! What a person sees of a search that runs: the file of `--status`, and who writes a folder of checkpoints.

use crate::program::{bcheck, command};
use crate::schema::faults;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const PHONEBOOK: &str = "machines/classic/phonebook.mch";
/// A search that no test waits for.
const ENDLESS: &str = "MACHINE endless VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS up = x := x + 1 END";

/// The document in a file, which fits its schema.
fn document(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("a file");
    let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("not complete ({error}): {text}"));
    assert_eq!(faults("bcheck-status.json", &document), Vec::<String>::new(), "{text}");
    document
}

#[test]
fn the_last_status_agrees_with_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("status.json");
    let status = file.display().to_string();
    let run = bcheck(&[PHONEBOOK, "--deferred", "3", "--format", "json", "--status", &status]);
    let (report, status) = (run.json(), document(&file));
    assert_eq!((&status["state"], &status["verdict"]), (&"ended".into(), &report["verdict"]));
    for count in ["states", "transitions"] {
        assert_eq!(status[count], report["explored"][count], "{status}");
    }
    assert!(status["frontier"].is_u64() && status["checkpoint"].is_null());
    assert_eq!(status["setups"], 0, "it has no constants");
    let barge = bcheck(&["machines/violation/barge.mch", "--continue", "--status", &file.display().to_string()]);
    assert_eq!(document(&file)["setups"], 3, "{barge:?}");
    let refined = bcheck(&["refine", "machines/refinement/AccessForgets.ref", "--deferred", "2", "--status", &file.display().to_string()]);
    let status = document(&file);
    assert_eq!((&status["command"], &status["verdict"]), (&"refine".into(), &"verified".into()), "{refined:?}");
}

#[test]
fn the_standard_output_is_no_status_file() {
    let run = bcheck(&[PHONEBOOK, "--status", "-"]);
    assert!(run.code == Some(2) && run.stderr.contains("--status needs a file of its own"), "{run:?}");
}

#[test]
fn while_a_check_runs_its_status_and_its_folder_name_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("endless.mch"), ENDLESS).expect("written");
    let (machine, status, kept) = (path("endless.mch"), path("status.json"), path("kept"));
    let mut command = command(&[&machine, "--status", &status, "--checkpoint", &kept, "--checkpoint-every", "0", "--progress", "none"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let began = Instant::now();
    let is_running = || Path::new(&status).exists() && bcheck(&["checkpoint", &kept]).code == Some(0);
    while !is_running() {
        assert!(began.elapsed() < Duration::from_secs(100), "it writes neither");
        std::thread::sleep(Duration::from_millis(20));
    }
    let seen = document(Path::new(&status));
    assert_eq!((&seen["state"], seen["pid"].as_u64()), (&"running".into(), Some(child.id().into())), "{seen}");
    assert_eq!(seen["checkpoint"]["dir"], kept.as_str());
    let held = bcheck(&["checkpoint", &kept, "--format", "json"]).json();
    assert_eq!((held["in_use"].as_bool(), held["pid"].as_u64()), (Some(true), Some(child.id().into())), "{held}");
    #[cfg(unix)]
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().is_ok_and(|sent| sent.success()));
    #[cfg(not(unix))]
    child.kill().expect("killed");
    let ended = child.wait_with_output().expect("it ends");
    if cfg!(unix) {
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(ended.status.code(), Some(152), "{text}");
        assert!(text.contains("\ngo on with: bcheck ") && text.contains(&format!(" --resume {kept}\n")), "{text}");
        assert_eq!(document(Path::new(&status))["verdict"], "incomplete");
    }
    let free = bcheck(&["checkpoint", &kept, "--format", "json"]).json();
    assert_eq!((free["in_use"].as_bool(), free["pid"].is_null()), (Some(false), true), "{free}");
}

#[test]
fn a_check_that_is_stopped_without_checkpoints_says_how_to_keep_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("endless.mch").display().to_string();
    std::fs::write(&machine, ENDLESS).expect("written");
    let hint = "keep checkpoints: --checkpoint DIR\n\nincomplete\n";
    let run = bcheck(&[&machine, "--time-limit", "1"]);
    // Where the limit strikes before the search, there is nothing that could be kept.
    assert!(run.stdout.ends_with(hint) || run.stderr.contains("while the machine was"), "{run:?}");
    assert!(!bcheck(&[PHONEBOOK, "--max-states", "2"]).stdout.contains(hint), "a limit that was asked for to see a part");
}

#[test]
fn several_workers_are_refused_where_one_is_used() {
    for order in ["dfs", "random"] {
        let run = bcheck(&[PHONEBOOK, "--strategy", order, "--workers", "3"]);
        assert!(run.code == Some(2) && run.stderr.contains("leave out --workers 3, or search by --strategy bfs"), "{run:?}");
        for workers in [&[][..], &["--workers", "1"]] {
            assert_eq!(bcheck(&[&[PHONEBOOK, "--strategy", order], workers].concat()).code, Some(0));
        }
    }
}
