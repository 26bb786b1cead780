//! How a run continues after its last step, in the words of every format of traces.
//!
//! Invariant: [`read_sentence`], [`read_remark`] and [`of_word`] invert [`sentence`], [`remark`] and [`word`], except for the number of
//! rounds, which a remark omits. A loop is identified by the number of the step where it begins, from 0; each format decides which of its
//! steps are numbered.

use bcheck_explore::TraceEnd;

/// The mark in text reports after the title of the step where a loop begins.
pub(super) const LOOP_MARK: &str = "<- loop";

const BACK: &str = "back to ";
const ROUNDS: &str = " rounds of one cycle of symmetric states";
const RENAMED: &str = ", renamed; each round renames the elements once more";
const DEADLOCK: &str = "deadlock; nothing follows";
const PREFIX: &str = "any run that goes on like this violates it";
const LOOP: &str = "loop from step ";
const RENAMED_REMARK: &str = " with the elements renamed";
const DEADLOCK_REMARK: &str = "ends in a deadlock";

/// The line below the last step of a text.
#[must_use]
pub(super) fn sentence(end: TraceEnd) -> String {
    match end {
        // A single round is not mentioned, as it has nothing to do with symmetry.
        TraceEnd::Loop { start, rounds: 0 | 1 } => format!("{BACK}{start}"),
        TraceEnd::Loop { start, rounds } => format!("{BACK}{start}, after {rounds}{ROUNDS}"),
        TraceEnd::RenamedLoop { start } => format!("{BACK}{start}{RENAMED}"),
        TraceEnd::Deadlock => DEADLOCK.to_owned(),
        TraceEnd::Prefix => PREFIX.to_owned(),
    }
}

/// The end that such a line states; `None` for any other line.
#[must_use]
pub(super) fn read_sentence(line: &str) -> Option<TraceEnd> {
    match line {
        DEADLOCK => Some(TraceEnd::Deadlock),
        PREFIX => Some(TraceEnd::Prefix),
        _ => {
            let rest = line.strip_prefix(BACK)?;
            if let Some(start) = rest.strip_suffix(RENAMED) {
                return Some(TraceEnd::RenamedLoop { start: start.parse().ok()? });
            }
            // Matched exactly, to the last word: a line that is only similar belongs to something else.
            let (start, rounds) = match rest.split_once(", after ") {
                Some((start, rounds)) => (start, rounds.strip_suffix(ROUNDS)?.parse().ok()?),
                None => (rest, 1),
            };
            Some(TraceEnd::Loop { start: start.parse().ok()?, rounds })
        }
    }
}

/// A part of the description of a file, for formats without a field for it.
#[must_use]
pub(super) fn remark(end: TraceEnd) -> String {
    match end {
        TraceEnd::Loop { start, .. } => format!("{LOOP}{start}"),
        TraceEnd::RenamedLoop { start } => format!("{LOOP}{start}{RENAMED_REMARK}"),
        TraceEnd::Deadlock => DEADLOCK_REMARK.to_owned(),
        TraceEnd::Prefix => PREFIX.to_owned(),
    }
}

/// The end that a description states, whose parts are separated by semicolons.
#[must_use]
pub(super) fn read_remark(description: &str) -> Option<TraceEnd> {
    // The description may contain other parts, such as those added by a user in ProB.
    description.split(';').map(str::trim).find_map(|part| match part {
        DEADLOCK_REMARK => Some(TraceEnd::Deadlock),
        PREFIX => Some(TraceEnd::Prefix),
        _ => {
            let start = part.strip_prefix(LOOP)?;
            match start.strip_suffix(RENAMED_REMARK) {
                Some(start) => Some(TraceEnd::RenamedLoop { start: start.parse().ok()? }),
                None => Some(TraceEnd::Loop { start: start.parse().ok()?, rounds: 1 }),
            }
        }
    })
}

/// The word for programs.
#[must_use]
pub(super) fn word(end: TraceEnd) -> &'static str {
    match end {
        TraceEnd::Loop { .. } => "loop",
        TraceEnd::RenamedLoop { .. } => "renamed_loop",
        TraceEnd::Deadlock => "deadlock",
        TraceEnd::Prefix => "prefix",
    }
}

/// The end denoted by such a word, with the numbers beside it.
#[must_use]
pub(super) fn of_word(word: &str, loop_start: Option<usize>, rounds: Option<u64>) -> Option<TraceEnd> {
    match word {
        // A loop without its start cannot be checked.
        "loop" => loop_start.map(|start| TraceEnd::Loop { start, rounds: rounds.unwrap_or(1) }),
        "renamed_loop" => loop_start.map(|start| TraceEnd::RenamedLoop { start }),
        "deadlock" => Some(TraceEnd::Deadlock),
        "prefix" => Some(TraceEnd::Prefix),
        _ => None,
    }
}

/// Where a loop that closes begins, and its rounds.
#[must_use]
pub(super) fn loop_of(end: Option<TraceEnd>) -> Option<(usize, u64)> {
    match end {
        Some(TraceEnd::Loop { start, rounds }) => Some((start, rounds)),
        Some(TraceEnd::RenamedLoop { .. } | TraceEnd::Deadlock | TraceEnd::Prefix) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let plain = TraceEnd::Loop { start: 12, rounds: 1 };
        let renamed = TraceEnd::RenamedLoop { start: 3 };
        for end in [plain, TraceEnd::Loop { start: 2, rounds: 6 }, renamed, TraceEnd::Deadlock, TraceEnd::Prefix] {
            assert_eq!(read_sentence(&sentence(end)), Some(end));
            let rounds = loop_of(Some(end)).map(|(_, rounds)| rounds);
            assert_eq!(of_word(word(end), end.loop_start(), rounds), Some(end));
        }
        for end in [plain, renamed, TraceEnd::Deadlock, TraceEnd::Prefix] {
            assert_eq!(read_remark(&format!("found by bcheck; {}; scope: A = 2, MININT = -1", remark(end))), Some(end));
        }
        assert_eq!(sentence(TraceEnd::Loop { start: 2, rounds: 1 }), "back to 2");
        for other in ["", "back to", "back to x", "back to 2, after x rounds", "x = back to 2"] {
            assert_eq!(read_sentence(other), None, "{other}");
        }
        assert_eq!(read_remark("a loop from step 2"), None);
    }
}
