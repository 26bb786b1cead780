//! Checks beyond memory, checks that keep checkpoints, and checks that several processes share, beside the same check within memory: the
//! whole program, run by run.
//!
//! The model is `machines/classic/phonebook.mch` without reduction; all runs must count the same states. CPU time and peak memory are those
//! of the processes, in one run of this bench: the ratios are the figures. Linux only, as elsewhere no peak memory is known.

#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const PHONEBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/machines/classic/phonebook.mch");
/// A thousand levels of a thousand states: each reads only the blocks of runs that may have its states.
const LEVELS: &str = "MACHINE Levels VARIABLES level, place INVARIANT level : 0..999 & place : 0..999
    INITIALISATION level := 0 || place :: 0..999
    OPERATIONS step(dd) = PRE dd : 0..9 & level < 999 THEN level := level + 1 || place := (place + dd) mod 1000 END
    END";
/// Rounds of runs in turn; the medians are shown.
const ROUNDS: usize = 3;

/// What one run took.
struct Run {
    cpu_s: f64,
    wall_s: f64,
    peak_bytes: f64,
    report: Value,
}

/// CPU seconds of all children that have ended: `cutime` and `cstime`, in hundredths.
fn children_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let behind_name = stat.rsplit(") ").next().expect("a name in parentheses");
    let hundredths = |field: usize| behind_name.split(' ').nth(field).and_then(|field| field.parse::<f64>().ok()).expect("a number");
    (hundredths(13) + hundredths(14)) / 100.0
}

fn check(size: &str, more: &[&str]) -> Run {
    check_by("1", size, more)
}

fn check_by(workers: &str, size: &str, more: &[&str]) -> Run {
    check_machine(PHONEBOOK, &[&["--deferred", size, "--workers", workers], more].concat())
}

fn check_machine(machine: &str, more: &[&str]) -> Run {
    let (before, started) = (children_s(), Instant::now());
    let run = Command::new(env!("CARGO_BIN_EXE_bcheck"))
        .args([machine, "--symmetry", "off", "--format", "json", "--progress", "none"])
        .args(more)
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    let wall_s = started.elapsed().as_secs_f64();
    Run { cpu_s: children_s() - before, wall_s, peak_bytes: report["peak_memory_bytes"].as_f64().expect("Linux"), report }
}

/// CPU seconds of each of two checks by a process of its own, at once: how much slower the machine is for either while the other runs.
fn each_of_two_s(size: &str, folders: [String; 2]) -> f64 {
    let before = children_s();
    std::thread::scope(|scope| {
        for folder in folders {
            scope.spawn(move || check(size, &["--disk", &folder, "--processes", "1"]));
        }
    });
    (children_s() - before) / 2.0
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Bytes of the files in a folder whose names begin so.
fn bytes_of(folder: &Path, start: &str) -> f64 {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file"));
    files
        .filter(|file| file.file_name().to_string_lossy().starts_with(start))
        .map(|file| file.metadata().expect("a file").len() as f64)
        .sum()
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    // By default a size that takes seconds; 8 takes minutes.
    let size = asked.first().map_or("7", String::as_str);
    let (mut memory, mut disk, mut kept, mut resumed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Each beside a search within memory, and beside one process that logs and numbers in the same way: with one worker, and with two,
    // which keep both cores busy as well. Where other programs use the caches and lanes of memory that cores share, the last varies least.
    let mut shared: [[Vec<f64>; 3]; 3] = Default::default();
    let (mut wall, mut levels, mut at_once): ([Vec<f64>; 2], Vec<f64>, Vec<f64>) = Default::default();
    for _ in 0..ROUNDS {
        let around = tempfile::tempdir().expect("a folder");
        let place = |name: &str| around.path().join(name).display().to_string();
        let within = check(size, &[]);
        // A quarter of what the states take, beside what the process has without any.
        let limit = (36 << 20) + (within.peak_bytes / 4.0) as u64;
        let beyond = check(size, &["--disk", &place("disk"), "--memory-limit", &limit.to_string()]);
        let often = check(size, &["--checkpoint", &place("kept"), "--checkpoint-every", "1"]);
        let again = check(size, &["--resume", &place("kept")]);
        for run in [&beyond, &often, &again] {
            assert_eq!(run.report["explored"], within.report["explored"]);
        }
        let states = within.report["explored"]["states"].as_f64().expect("a count");
        let bytes = bytes_of(Path::new(&place("disk")), "states-") + bytes_of(Path::new(&place("disk")), "run-");
        disk.push((
            beyond.cpu_s / within.cpu_s,
            beyond.peak_bytes / limit as f64,
            bytes / states,
            beyond.report["checkpoint"]["disk"].clone(),
        ));
        kept.push(often.cpu_s / within.cpu_s);
        resumed.push(states / again.cpu_s / 1e6);
        let mut one = 0.0;
        let two_workers = check_by("2", size, &["--disk", &place("two-workers"), "--processes", "1"]);
        for (at, processes) in ["1", "2", "4"].iter().enumerate() {
            let run = check(size, &["--disk", &place(&format!("shared-{processes}")), "--processes", processes]);
            assert_eq!(run.report["explored"], within.report["explored"]);
            if at == 0 {
                one = run.cpu_s;
            }
            for (ratios, other) in shared[at].iter_mut().zip([within.cpu_s, one, two_workers.cpu_s]) {
                ratios.push(run.cpu_s / other);
            }
            if *processes == "2" {
                wall[0].push(run.wall_s / check_by("2", size, &[]).wall_s);
                wall[1].push(run.wall_s / two_workers.wall_s);
            }
        }
        at_once.push(each_of_two_s(size, [place("left"), place("right")]) / one);
        memory.push(within.cpu_s);
        std::fs::write(place("levels.mch"), LEVELS).expect("a folder");
        let deep = |more: &[&str]| check_machine(&place("levels.mch"), &[&["--no-deadlock", "--workers", "1"], more].concat());
        let (within, beyond) = (deep(&[]), deep(&["--disk", &place("levels"), "--memory-limit", "40M"]));
        assert_eq!(beyond.report["explored"], within.report["explored"]);
        assert!(beyond.report["checkpoint"]["disk"]["runs"].as_u64().is_some_and(|runs| runs > 0), "nothing went to disk");
        levels.push(beyond.cpu_s / within.cpu_s);
    }
    println!("phonebook {size}, plain, medians of {ROUNDS}");
    println!("within memory                 {:7.2} s of CPU", median(memory));
    println!("beyond memory                 {:7.2} times the CPU", median(disk.iter().map(|run| run.0).collect()));
    println!("  peak memory                 {:7.2} of the limit", median(disk.iter().map(|run| run.1).collect()));
    println!("  on disk                     {:7.2} bytes a state: {}", median(disk.iter().map(|run| run.2).collect()), disk[0].3);
    println!("  1,000 levels of 1,000 states{:7.2} times the CPU", median(levels));
    println!("a checkpoint each second      {:7.2} times the CPU", median(kept));
    for (processes, ratios) in ["1 process", "2 processes", "4 processes"].iter().zip(shared) {
        let [within, one, two] = ratios.map(median);
        println!("shared by {processes:<20}{within:7.2} times the CPU; {one:.2} times that of one, {two:.2} of one with two workers");
    }
    println!("two checks by one, at once    {:7.2} times the CPU of one alone, each", median(at_once));
    let [within, beyond] = wall.map(median);
    println!("  2 processes beside 2 workers{within:7.2} times the time; {beyond:.2} times that of one process of 2");
    println!("going on where nothing is left{:7.2} million states a second", median(resumed));
}
