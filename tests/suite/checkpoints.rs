//! Checks that keep checkpoints: killed and gone on with, they report what a check reports that was never interrupted; what does not fit is
//! refused by name, and nothing is lost.

use crate::program::{Run, bcheck, command, files_below, finish, json, place, root, share, thorough, told};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const PHONEBOOK: &str = "machines/classic/phonebook.mch";

/// Runs a check that is killed after each of these times, and gone on with; and at last to its end.
fn killed(check: &[&str], after_ms: impl IntoIterator<Item = u64>) -> Run {
    killed_in("--checkpoint", check, after_ms)
}

/// The same where the folder is asked for by this option; a run that goes on may use it in the same way.
fn killed_in(new: &str, check: &[&str], after_ms: impl IntoIterator<Item = u64>) -> Run {
    let (_around, kept) = place();
    let every = ["--checkpoint-every", "0", "--format", "json", "--progress", "none"];
    let begin = [check, &every, &[new, &kept]].concat();
    // `--checkpoint` is implied by `--resume`, and refused beside it.
    let again: &[&str] = if new == "--disk" { &["--disk", &kept, "--resume", &kept] } else { &["--resume", &kept] };
    let go_on = [check, &every, again].concat();
    let mut next = &begin;
    for milliseconds in after_ms {
        let mut child = command(next).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        // SIGKILL, if it still runs.
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
        // A run that is killed before its first manifest leaves nothing, and its folder counts as empty.
        next = if bcheck(&["checkpoint", &kept]).code == Some(0) { &go_on } else { &begin };
    }
    finish(command(next))
}

#[test]
fn a_check_that_was_killed_and_gone_on_with_reports_the_same() {
    for check in [
        &[PHONEBOOK, "--deferred", "5", "--symmetry", "off", "-j", "1"][..],
        &[PHONEBOOK, "--deferred", "12", "-j", "2"],
        &["machines/studies/peterson.mch", "--deferred", "4", "--no-deadlock", "--continue", "-j", "2"],
        &[
            PHONEBOOK,
            "--deferred",
            "5",
            "--symmetry",
            "off",
            "--ltl",
            "!n.({n : Name} => G (F {n : dom(db)} => F {n /: dom(db)}))",
            "-j",
            "2",
        ],
    ] {
        let expected = json(check);
        for seed in share(0..3u64, 3) {
            let times = (0..6).map(|kill| 15 + (seed * 37 + kill * 61) % 200);
            let run = killed(check, times);
            assert_eq!((run.code, told(&run)), (expected.code, told(&expected)), "{check:?} {seed} {}", run.stderr);
        }
    }
}

#[test]
fn a_check_beyond_memory_that_was_killed_and_gone_on_with_reports_the_same() {
    let check = [PHONEBOOK, "--deferred", "Name=6", "--deferred", "Code=8", "--symmetry", "off", "-j", "2"];
    let expected = json(&check);
    // A limit that leaves the states 8 MB, a part of what they take. What the process has without states differs from run to run, with how
    // much of the program itself is in memory.
    let without_states = json(&[PHONEBOOK, "--deferred", "1", "--symmetry", "off", "-j", "2"]).json()["peak_memory_bytes"].as_u64();
    let limit = (without_states.expect("a size") + (8 << 20)).to_string();
    let beyond = [&check[..], &["--memory-limit", &limit]].concat();
    for seed in share(0..3u64, 3) {
        let run = killed_in("--disk", &beyond, (0..5).map(|kill| 40 + (seed * 91 + kill * 137) % 500));
        assert_eq!((run.code, told(&run)), (expected.code, told(&expected)), "{seed} {}", run.stderr);
        assert!(run.json()["checkpoint"]["disk"]["runs"].as_u64() > Some(0), "{seed}");
    }
}

#[test]
fn a_refinement_check_that_was_killed_and_gone_on_with_reports_the_same() {
    let wander = "machines/refinement/WanderBack.ref";
    for (check, seeds) in [
        (&["refine", wander, "--deferred", "3", "--mode", "trace", "-j", "2"][..], 0..2u64),
        (&["refine", "machines/refinement/AccessPatrol.ref", "--deferred", "3", "--divergence", "--refusals"], 2..3),
        (&["refine", "machines/refinement/BarrierMotor.ref", "--temporal", "-j", "1"], 3..4),
    ] {
        let expected = json(check);
        for seed in share(seeds, 2) {
            let run = killed(check, (0..4).map(|kill| 15 + (seed * 37 + kill * 61) % 200));
            assert_eq!((run.code, told(&run)), (expected.code, told(&expected)), "{check:?} {seed} {}", run.stderr);
        }
    }
}

#[test]
fn refinement_checks_that_are_stopped_at_a_depth_and_gone_on_with_report_the_same() {
    for (machine, more) in [
        ("refinement/WanderBack", &["--deferred", "2", "--divergence"][..]),
        ("refinement/SignalTimer", &["--deferred", "2", "--refusals", "--divergence"]),
        ("refinement/AccessPatrol", &["--deferred", "2", "--divergence"]),
        ("refinement/LineStays", &["--deferred", "3", "--mode", "trace"]),
        ("refinement/BarrierBell", &["--temporal", "--symmetry", "off"]),
        ("refinement/FaresFree", &["--pre", "contract"]),
    ] {
        let path = format!("machines/{machine}.ref");
        let check = [&["refine", path.as_str(), "-j", "2"], more].concat();
        let expected = json(&check);
        let (_around, kept) = place();
        for depth in ["1", "3"] {
            let option = if depth == "1" { "--checkpoint" } else { "--resume" };
            let part = json(&[&check[..], &["--max-depth", depth, option, &kept]].concat());
            assert!(part.code != Some(2) && part.code != Some(153), "{path}: {part:?}");
        }
        let end = json(&[&check[..], &["--resume", &kept]].concat());
        assert_eq!((end.code, told(&end)), (expected.code, told(&expected)), "{path} {}", end.stderr);
        assert!(end.json()["checkpoint"]["resumed_from"].as_u64() > Some(0), "{path}");
    }
}

#[test]
fn a_refinement_check_goes_on_only_with_its_own_checkpoint() {
    let (_around, kept) = place();
    let wander = "machines/refinement/WanderBack.ref";
    let run = |more: &[&str]| bcheck(&[&["refine", wander, "--deferred", "2", "--max-depth", "1"], more].concat());
    let part = run(&["--checkpoint", &kept]);
    assert_eq!(part.code, Some(152), "{part:?}");
    let line = format!("\ngo on with: bcheck refine {wander} --deferred 2 --max-depth 1 --resume {kept}\n\nincomplete\n");
    assert!(part.stdout.ends_with(&line), "{}", part.stdout);
    for (more, code, words) in [
        (&["--chain", "--resume", &kept][..], 2, "leave out --chain"),
        (&["--chain", "--checkpoint", &kept], 2, "leave out --chain"),
        (&["--divergence", "--resume", &kept], 2, "--divergence was off there, and is on now"),
        (&["--mode", "trace", "--resume", &kept], 2, "--mode was simulation there, and is trace now"),
        (&["--pre", "guard", "--resume", &kept], 2, "--pre was contract there, and is guard now"),
        (&["--symmetry", "off", "--resume", &kept], 2, "--symmetry was exact there, and is off now"),
        (&["--checkpoint", &kept], 153, "contains a checkpoint: continue from it by --resume"),
    ] {
        let run = run(more);
        assert!(run.code == Some(code) && run.stderr.contains(words), "{more:?}: {run:?}");
    }
    let as_check = bcheck(&["check", wander, "--deferred", "2", "--resume", &kept]);
    assert!(as_check.code == Some(2) && as_check.stderr.contains("cannot be continued"), "{as_check:?}");
    let end = bcheck(&["refine", wander, "--deferred", "2", "--resume", &kept]);
    assert!(end.code == Some(0) && end.stdout.contains(", resumed from "), "{end:?}");
}

/// Machines with symmetry, findings, warnings and set-ups.
fn machines() -> Vec<PathBuf> {
    let folders = ["classic", "plain", "symmetry", "violation", "warning"];
    folders.iter().flat_map(|folder| files_below(&root().join("machines").join(folder), "mch")).collect()
}

#[test]
fn machines_that_are_stopped_at_a_depth_and_gone_on_with_report_the_same() {
    let mut resumed = 0;
    for machine in share(machines(), 8) {
        let path = machine.display().to_string();
        let check = [path.as_str(), "--max-states", "1000", "--continue", "-j", "1"];
        let expected = json(&check);
        // Rejected machines and those without a state have nothing to go on with.
        if expected.code == Some(120) || expected.code == Some(150) || expected.json()["explored"]["depth"].as_u64() < Some(2) {
            continue;
        }
        let (_around, kept) = place();
        for depth in ["1", "2", "4"] {
            let option = if depth == "1" { "--checkpoint" } else { "--resume" };
            let part = json(&[&check[..], &["--max-depth", depth, option, &kept]].concat());
            assert!(part.code != Some(2) && part.code != Some(153), "{path}: {part:?}");
        }
        let end = json(&[&check[..], &["--resume", &kept]].concat());
        assert_eq!((end.code, told(&end)), (expected.code, told(&expected)), "{path} {}", end.stderr);
        resumed += u32::from(end.json()["checkpoint"]["resumed_from"].as_u64() > Some(1));
    }
    assert!(resumed > if thorough() { 30 } else { 3 }, "{resumed}");
}

#[test]
fn the_text_names_the_command_that_goes_on() {
    let (_around, kept) = place();
    let part = bcheck(&[PHONEBOOK, "--deferred", "4", "--max-depth", "2", "--checkpoint", &kept]);
    assert_eq!(part.code, Some(152), "{part:?}");
    let line = format!("\ngo on with: bcheck {PHONEBOOK} --deferred 4 --max-depth 2 --resume {kept}\n\nincomplete\n");
    assert!(part.stdout.ends_with(&line), "{}", part.stdout);
    let shown = bcheck(&["checkpoint", &kept]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for part in ["\n  level          2\n", "\n  checksums      all match\n", "\n  the size of Name: 4\n"] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let as_json = bcheck(&["checkpoint", &kept, "--format", "json"]).json();
    assert_eq!((as_json["level"].as_u64(), as_json["damage"].is_null()), (Some(2), true), "{as_json}");
    let end = bcheck(&[PHONEBOOK, "--deferred", "4", "--resume", &kept]);
    assert_eq!(end.code, Some(0), "{end:?}");
    assert!(end.stdout.contains(", resumed from "), "{}", end.stdout);
}

#[test]
fn what_does_not_belong_together_is_refused_with_the_first_difference() {
    let (around, kept) = place();
    let text = std::fs::read_to_string(root().join(PHONEBOOK)).expect("a machine");
    let machine = around.path().join("phonebook.mch").display().to_string();
    std::fs::write(&machine, &text).expect("written");
    let run = |more: &[&str]| {
        let size: &[&str] = if more.contains(&"--deferred") { &[] } else { &["--deferred", "4"] };
        bcheck(&[&[machine.as_str(), "--max-depth", "2"], size, more].concat())
    };
    assert_eq!(run(&["--checkpoint", &kept]).code, Some(152));
    let refused = |more: &[&str], code: i32, words: &str| {
        let run = run(more);
        assert!(run.code == Some(code) && run.stderr.contains(words), "{more:?}: {run:?}");
    };
    refused(&["--checkpoint", &kept], 153, "contains a checkpoint: continue from it by --resume");
    refused(&["--checkpoint", &around.path().display().to_string()], 153, "not empty");
    refused(&["--resume", &kept, "--deferred", "3"], 2, "the size of Name was 4 there, and is 3 now");
    refused(&["--resume", &kept, "--symmetry", "off"], 2, "--symmetry was exact there, and is off now");
    refused(&["--resume", &kept, "--continue"], 2, "--continue was off there, and is on now");
    refused(&["--resume", &kept, "--strategy", "dfs"], 2, "only a breadth-first search");
    refused(&["--resume", &kept, "--ltl", "G {1 = 1}"], 2, "temporal formula 1 is unknown there, and is --ltl: G {1 = 1} now");
    refused(&["--resume", &around.path().join("none").display().to_string()], 153, "none");
    refused(&["--resume", &around.path().display().to_string()], 153, "does not hold a checkpoint");
    std::fs::write(&machine, text.replace("db := {}", "db := {} /* as before */")).expect("written");
    refused(&["--resume", &kept], 2, "the text of phonebook.mch has changed");
    std::fs::write(&machine, &text).expect("written");
    // Nothing of this has harmed it.
    let end = bcheck(&[&machine, "--deferred", "4", "--resume", &kept]);
    assert_eq!(end.code, Some(0), "{end:?}");
}

#[test]
fn a_damaged_checkpoint_is_told_and_the_one_before_is_used() {
    let (_around, kept) = place();
    let check = [PHONEBOOK, "--deferred", "4", "--symmetry", "off"];
    assert_eq!(bcheck(&[&check[..], &["--max-depth", "2", "--checkpoint", &kept]].concat()).code, Some(152));
    assert_eq!(bcheck(&[&check[..], &["--max-depth", "3", "--resume", &kept]].concat()).code, Some(152));
    let manifest = Path::new(&kept).join("manifest");
    let mut bytes = std::fs::read(&manifest).expect("a manifest");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&manifest, bytes).expect("written");
    let end = bcheck(&[&check[..], &["--resume", &kept]].concat());
    assert!(end.code == Some(0) && end.stderr.contains("the last checkpoint is damaged"), "{end:?}");
    let states = end.stdout.lines().find(|line| line.trim_start().starts_with("states "));
    assert!(states.is_some_and(|line| line.contains(" 625")), "{}", end.stdout);
    // The states themselves.
    let log = Path::new(&kept).join("states-0-0000");
    let mut bytes = std::fs::read(&log).expect("a log");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&log, bytes).expect("written");
    for run in [bcheck(&[&check[..], &["--resume", &kept]].concat()), bcheck(&["checkpoint", &kept])] {
        assert_eq!(run.code, Some(153), "{run:?}");
        assert!(run.stderr.contains("states-0-0000") || run.stdout.contains("states-0-0000"), "{run:?}");
    }
}

#[test]
fn a_check_of_some_set_ups_goes_on_with_as_many() {
    let (_around, kept) = place();
    let barge = "machines/violation/barge.mch";
    let run = |more: &[&str]| json(&[&[barge, "-j", "1"], more].concat());
    let expected = run(&["--max-setups", "2"]);
    let part = run(&["--max-setups", "2", "--max-depth", "1", "--checkpoint", &kept]);
    assert_eq!(part.code, Some(152), "{part:?}");
    for (more, words) in [
        (&["--max-setups", "3"][..], "--max-setups was 2 there, and is 3 now"),
        (&["--one-setup"], "--max-setups was 2 there, and is 1 now"),
        (&[], "--max-setups was 2 there, and is no limit now"),
    ] {
        let refused = bcheck(&[&[barge, "--resume", &kept], more].concat());
        assert!(refused.code == Some(2) && refused.stderr.contains(words), "{more:?}: {refused:?}");
    }
    let resume = ["--max-setups", "2", "--resume", &kept];
    for _ in 0..2 {
        let end = run(&resume);
        assert_eq!((end.code, told(&end)), (expected.code, told(&expected)), "{}", end.stderr);
    }
    let text = bcheck(&[&[barge], &resume[..]].concat()).stdout;
    assert!(!text.contains("go on with"), "it would not go further: {text}");
}

#[test]
fn a_memory_limit_that_the_states_cannot_be_kept_within_is_warned_of() {
    let warning = |limit: &str| {
        let (_around, states) = place();
        let run = bcheck(&[PHONEBOOK, "--deferred", "3", "--disk", &states, "--memory-limit", limit]);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stderr
    };
    let text = warning("4M");
    assert!(
        text.contains("warning: --memory-limit 4.0 MiB is too small: bcheck itself needs about ") && text.contains(" is enough"),
        "{text}"
    );
    assert!(!warning("4G").contains("--memory-limit"));
}
