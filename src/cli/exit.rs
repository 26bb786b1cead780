//! The exit codes: one table, printed by `--help` and used by everything that ends the program.
//!
//! Invariant: "nothing found so far" never shares a code with "verified". The numbers follow TLC's, as Apalache's do.

use super::files;
use crate::explore::Verdict;
use crate::report::replay::Grade;
use crate::source::{Message, shown};

/// The outcome with which the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// The work is done, and has no verdict: a value was printed, a table, help.
    Done,
    /// `--expect…` was given and the result is another one.
    Unexpected,
    /// The command line cannot be understood, or an output would replace an input.
    Usage,
    /// A verdict.
    Verdict(Verdict),
    /// The grade of a replay.
    Replay(Grade),
    /// An expression of `bcheck eval` has no value.
    NoValue,
    /// The machine is refused: types, names, unsupported parts.
    Rejected,
    /// A second signal ended the program at once, or the first one while it waited for input.
    Interrupted,
    /// The machine is refused: syntax.
    Syntax,
    /// A file cannot be read or written, or memory ran out.
    Io,
    /// A fault of bcheck itself.
    Bug,
}

impl Exit {
    /// The number that the process ends with.
    #[must_use]
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unexpected => 1,
            Self::Usage => 2,
            // As in TLC: 10 for assumptions, 11 for a deadlock, 12 for safety, 14 for an assertion, 75 for an evaluation that fails.
            Self::Verdict(verdict) => match verdict {
                Verdict::Verified => 0,
                Verdict::UnsatisfiableProperties => 10,
                Verdict::Deadlock => 11,
                Verdict::InvariantViolation => 12,
                // No command has both.
                Verdict::RefinementViolation | Verdict::TemporalViolation => 13,
                Verdict::AssertionViolation => 14,
                Verdict::NoInitialState => 15,
                Verdict::GoalFound => 20,
                Verdict::IllDefined => 75,
                Verdict::Incomplete => 152,
            },
            Self::Replay(grade) => match grade {
                Grade::Perfect => 0,
                Grade::Partial => 30,
                Grade::Broken => 31,
            },
            Self::NoValue => 75,
            // The code of a process whose main thread panics in Rust.
            Self::Bug => 101,
            // Apalache's code of a type error; 150, 152 and 153 are TLC's of a parse error, of too many states and of a fault of the
            // system.
            Self::Rejected => 120,
            // 128 + SIGINT, as shells report a process that Ctrl-C has ended.
            Self::Interrupted => 130,
            Self::Syntax => 150,
            Self::Io => 153,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}

/// The table as `--help` and the manual page print it.
pub(super) const TABLE: &str = "\
Exit codes:
    0  verified: the whole space was searched and nothing was found
    1  --expect, --expect-states or --expect-transitions did not hold
    2  the command line cannot be understood, or an output would replace an input
   10  unsatisfiable_properties: no valuation of the constants, or a false static assertion
   11  deadlock: a reachable state enables no operation
   12  invariant_violation (also in an initial state)
   13  refinement_violation: a concrete step that no abstract step matches;
       temporal_violation: a temporal formula does not hold
   14  assertion_violation: an assertion is false in a reachable state
   15  no_initial_state: the initialisation is not feasible
   20  goal_found: the wanted state is reachable
   30  partial: a saved trace was replayed in part
   31  broken: not even the first step of a saved trace could be replayed
   75  ill_defined: an expression without a value was evaluated
  101  a fault of bcheck itself
  120  type or name error, or a part of B that is not supported
  130  interrupted twice, or while waiting for input
  150  syntax error
  152  incomplete: a limit or an interrupt stopped the search, nothing found so far
  153  a file cannot be read or written, or memory ran out";

/// How a command ends. An error was reported where it happened: `?` ends the command with its exit code.
pub(super) type Ended = Result<Exit, Exit>;

/// Reports on stderr why the command ends, and returns how.
pub(super) fn complain(reason: &(impl Message + ?Sized), exit: Exit) -> Exit {
    files::complain(&shown!("error: {}\n", reason.message()));
    exit
}

/// [`complain`] for `map_err`: the same exit code whatever the reason.
pub(super) fn complaint<M: Message>(exit: Exit) -> impl FnOnce(M) -> Exit {
    move |reason| complain(&reason, exit)
}

/// [`complain`] for outputs that cannot be made.
pub(super) fn refused((reason, exit): (String, Exit)) -> Exit {
    complain(&reason, exit)
}

/// Reports a fault of bcheck itself.
pub(super) fn own_fault(fault: &str) -> Exit {
    complain(&format!("bcheck is at fault, please report this: {fault}"), Exit::Bug)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Vocabulary;

    #[test]
    fn verdicts_have_the_documented_codes() {
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
            // A second verdict of a code stands on a line of its own, below the first.
            let (line, below) = (format!("{code:>5}  {}", verdict.word()), format!("\n       {}", verdict.word()));
            assert!(TABLE.contains(&line) || TABLE.contains(&below), "the help lists: {line}");
        }
        assert_eq!(table.len(), Verdict::ALL.len());
    }

    #[test]
    fn other_ends_have_the_documented_codes() {
        let table = [
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
        for (exit, code) in table {
            assert_eq!(exit.code(), code, "{exit:?}");
            assert!(TABLE.contains(&format!("\n{code:>5}  ")), "the help lists {code}");
        }
    }
}
