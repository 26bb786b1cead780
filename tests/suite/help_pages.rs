//! `bcheck help PAGE` at the width of a terminal: a real one, and one that COLUMNS tells of.
//!
//! Invariant of the pages: no line of prose is longer than the terminal is wide, unless it is a single word; commands and reports stay as
//! they are. Deliberately elsewhere: what the pages say (`pages`), how they are laid out (`cli/help/markdown.rs`).

use std::process::Command;

const BCHECK: &str = env!("CARGO_BIN_EXE_bcheck");

/// The lines that are too long although they can be broken.
fn too_long(text: &str, width: usize) -> Vec<&str> {
    let can_be_broken = |line: &str| !line.starts_with("    ") && !line.trim_start().starts_with('`') && line.trim().contains(' ');
    text.lines().filter(|line| line.chars().count() > width && can_be_broken(line)).collect()
}

fn pages() -> Vec<String> {
    let list = Command::new(BCHECK).arg("help").output().expect("the program");
    let list = String::from_utf8(list.stdout).expect("text");
    let pages: Vec<String> = list.lines().filter_map(|line| Some(line.strip_prefix("  ")?.split_whitespace().next()?.to_owned())).collect();
    assert!(pages.len() > 20 && pages.contains(&"course".to_owned()), "{pages:?}");
    pages
}

#[test]
fn pages_are_as_wide_as_columns_says() {
    for page in pages() {
        let mut words = Vec::new();
        for width in [60, 80, 200] {
            let shown = Command::new(BCHECK).args(["help", &page]).env("COLUMNS", width.to_string()).output().expect("the program");
            let text = String::from_utf8(shown.stdout).expect("text");
            let long = too_long(&text, width);
            assert!(long.is_empty(), "{page} at {width} columns: {long:#?}");
            // The rule below a heading is as long as its widest line.
            words.push(text.split_whitespace().filter(|word| !word.starts_with(['=', '-'])).map(str::to_owned).collect::<Vec<_>>());
        }
        assert!(words.windows(2).all(|pair| pair[0] == pair[1]), "{page}: the words do not depend on the width");
    }
}

/// `script` runs a command in a pseudo-terminal; the options are those of Linux.
#[cfg(target_os = "linux")]
#[test]
fn pages_are_as_wide_as_a_real_terminal() {
    for width in [60, 80, 200] {
        for page in ["verdicts", "prob", "codes", "language", "checkpoints", "dom", "PRE", "∈", "function"] {
            let command = format!("stty cols {width} rows 50; exec '{BCHECK}' help '{page}'");
            let run = Command::new("script").args(["-qec", &command, "/dev/null"]).env_remove("COLUMNS").output().expect("script");
            let text = String::from_utf8(run.stdout).expect("text").replace('\r', "");
            assert!(run.status.success() && text.lines().count() > 1, "{page} at {width} columns: {text}");
            let long = too_long(&text, width);
            assert!(long.is_empty(), "{page} at {width} columns: {long:#?}");
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(page != "verdicts" || width == 60 || widest > 70, "the width of the terminal is used: {widest} of {width}");
        }
    }
}
