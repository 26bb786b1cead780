//! The exit codes: one table, printed by `--help` and used by everything that ends the program.
//!
//! Invariant: "nothing found so far" never shares a code with "verified". The numbers follow TLC's, as Apalache's do. Those of verdicts are
//! in their own table (`explore::Verdict`).

use crate::io::files;
use bcheck_explore::Verdict;
use bcheck_report::replay::Grade;
use bcheck_source::{Message, Vocabulary, shown};

/// The outcome with which the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The work is done, without a verdict: a value was printed, a table, help.
    Done,
    /// `--expect…` was given and the result differs; similarly for a suite or a layout, and for failures of scripts and servers.
    Unexpected,
    /// The command line cannot be understood, an output would replace an input, or a checkpoint is that of another run.
    Usage,
    /// A verdict.
    Verdict(Verdict),
    /// The grade of a replay.
    Replay(Grade),
    /// An expression of `bcheck eval` has no value.
    NoValue,
    /// A step violates the invariant although the state before satisfies it, or the invariant does not imply what was asked.
    NotInductive,
    /// The machine is refused: types, names, unsupported parts.
    Rejected,
    /// A second signal ended the program at once, or the first one while it waited for input.
    Interrupted,
    /// The machine is refused: syntax.
    Syntax,
    /// A file cannot be read or written, or memory ran out.
    Io,
    /// Another process that shares the search was lost: the exit of a process started by a supervisor.
    Lost,
    /// A fault of bcheck itself.
    Bug,
    /// Another process has reported, and exited with this code.
    Passed(u8),
}

impl Exit {
    /// The exit code of the process.
    #[must_use]
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unexpected => 1,
            Self::Usage => 2,
            Self::Verdict(verdict) => verdict.exit_code(),
            Self::Replay(grade) => match grade {
                Grade::Perfect => 0,
                Grade::Partial => 30,
                Grade::Broken => 31,
            },
            Self::NotInductive => 16,
            Self::NoValue => 75,
            // The code of a Rust process whose main thread panics.
            Self::Bug => 101,
            // 120 is Apalache's code of a type error; 150, 152 and 153 are TLC's for a parse error, too many states and a system error.
            Self::Rejected => 120,
            // 128 + SIGINT, as shells report a process that Ctrl-C has ended.
            Self::Interrupted => 130,
            Self::Syntax => 150,
            Self::Io => 153,
            // Not visible to users: it tells the supervisor that this process is not the cause.
            Self::Lost => 154,
            Self::Passed(code) => code,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}

/// The exits that are not verdicts, for the table.
const OTHERS: [(Exit, &str); 15] = [
    (Exit::Unexpected, "an expectation (--expect, --expect-states, --expect-covered and others) did not hold"),
    (Exit::Unexpected, "suite: some result differs from the expected one, or none is stated"),
    (Exit::Unexpected, "animate: a command of a script failed"),
    (Exit::Unexpected, "fmt --check: a file has another layout"),
    (Exit::Unexpected, "lsp: the editor ended the server without shutdown"),
    (Exit::Usage, "the command line cannot be understood, an output would replace an input, or a checkpoint is that of another run"),
    (Exit::NotInductive, "not_inductive: in bcheck induct, a step violates the invariant, or the invariant does not imply what was asked"),
    (Exit::Replay(Grade::Partial), "partial: a saved trace was replayed in part"),
    (Exit::Replay(Grade::Broken), "broken: not even the first step of a saved trace could be replayed"),
    (Exit::Bug, "a fault of bcheck itself"),
    (Exit::Rejected, "type or name error, or a part of B that is not supported"),
    (Exit::Interrupted, "interrupted twice, or while waiting for input"),
    (Exit::Syntax, "syntax error"),
    (Exit::Io, "a file cannot be read or written, or memory ran out"),
    (Exit::NoValue, "an expression of bcheck eval has no value"),
];

/// The table as `--help` and the manual page print it.
pub(crate) fn table() -> String {
    let verdicts = Verdict::ALL.iter().map(|verdict| (Exit::Verdict(*verdict).code(), format!("{}: {}", verdict.word(), verdict.help())));
    let others = OTHERS.iter().map(|(exit, meaning)| (exit.code(), (*meaning).to_owned()));
    let mut rows: Vec<(u8, String)> = verdicts.chain(others).collect();
    // Stable: for equal codes, verdicts come first, in the order of their list.
    rows.sort_by_key(|(code, _)| *code);
    let line = |alike: &[(u8, String)]| {
        let meanings: Vec<&str> = alike.iter().map(|(_, meaning)| meaning.as_str()).collect();
        format!("{:>5}  {}", alike[0].0, meanings.join(";\n       "))
    };
    let lines: Vec<String> = rows.chunk_by(|(one, _), (other, _)| one == other).map(line).collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}

/// How a command ends. An error has been reported where it occurred: `?` ends the command with its exit code.
pub(crate) type Ended = Result<Exit, Exit>;

/// Reports on stderr why the command ends, and returns the exit.
pub(crate) fn complain(reason: &(impl Message + ?Sized), exit: Exit) -> Exit {
    files::complain(&shown!("error: {}\n", reason.message()));
    exit
}

/// [`complain`] for `map_err`: the same exit code whatever the reason.
pub(crate) fn complaint<M: Message>(exit: Exit) -> impl FnOnce(M) -> Exit {
    move |reason| complain(&reason, exit)
}

/// [`complain`] for outputs that cannot be created.
pub(crate) fn refused((reason, exit): (String, Exit)) -> Exit {
    complain(&reason, exit)
}

/// Reports a fault of bcheck itself.
pub(crate) fn own_fault(fault: &str) -> Exit {
    complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_the_documented_codes() {
        let printed = table();
        let table = [
            (Verdict::Verified, 0),
            (Verdict::UnsatisfiableProperties, 10),
            (Verdict::Deadlock, 11),
            (Verdict::InvariantViolation, 12),
            (Verdict::RefinementViolation, 13),
            (Verdict::TemporalViolation, 13),
            (Verdict::AssertionViolation, 14),
            (Verdict::NoInitialState, 15),
            (Verdict::GoalFound, 20),
            (Verdict::IllDefined, 75),
            (Verdict::Incomplete, 152),
        ];
        for (verdict, code) in table {
            assert_eq!(Exit::Verdict(verdict).code(), code, "{}", verdict.word());
            // A second verdict with the same code is on a separate line below the first.
            let (line, below) = (format!("\n{code:>5}  {}: ", verdict.word()), format!("\n       {}: ", verdict.word()));
            assert!(printed.contains(&line) || printed.contains(&below), "the help lists: {line}");
        }
        assert_eq!(table.len(), Verdict::ALL.len());
    }

    #[test]
    fn other_ends_have_the_documented_codes() {
        let ends = [
            (Exit::Done, 0),
            (Exit::Unexpected, 1),
            (Exit::Usage, 2),
            (Exit::Replay(Grade::Perfect), 0),
            (Exit::Replay(Grade::Partial), 30),
            (Exit::Replay(Grade::Broken), 31),
            (Exit::NoValue, 75),
            (Exit::Bug, 101),
            (Exit::Rejected, 120),
            (Exit::Interrupted, 130),
            (Exit::Syntax, 150),
            (Exit::Io, 153),
        ];
        for (exit, code) in ends {
            assert_eq!(exit.code(), code, "{exit:?}");
            assert!(table().contains(&format!("\n{code:>5}  ")), "the help lists {code}");
        }
    }
}
