//! Keywords that are operands: constants and functions, each with its token, from the table of operators.
//!
//! Invariant: both directions come from the same rows. Deliberately elsewhere: infix operators (`priority`), all other keywords (`token`).

use super::ast::{Builtin, Constant};
use super::token::Terminal;

/// A keyword function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Which one.
    pub(super) builtin: Builtin,
    /// The least number of arguments.
    pub(super) least: usize,
    /// The greatest number of arguments.
    pub(super) most: usize,
}

// A macro and not a table of rows: the matches over constants and functions are exhaustive, so one without a row does not compile.
macro_rules! keywords {
    ([] $({
        ($terminal:ident $($spelling:literal)+)
        ($(infix $op:ident $priority:literal $associativity:ident)? $(exchanged $exchanged:ident $its_priority:literal)?
            $(constant $constant:ident)? $(call $call:ident $least:literal $most:expr)?)
        $core:tt $types:tt $words:tt
    })*) => {
        /// The constant that this token names.
        pub(crate) fn constant(terminal: Terminal) -> Option<Constant> {
            match terminal {
                $($(Terminal::$terminal => Some(Constant::$constant),)?)*
                _ => None,
            }
        }

        /// The token of a constant.
        pub(super) fn constant_terminal(constant: Constant) -> Terminal {
            match constant {
                $($(Constant::$constant => Terminal::$terminal,)?)*
            }
        }

        /// The keyword function that this token names.
        pub(super) fn function(terminal: Terminal) -> Option<Function> {
            match terminal {
                $($(Terminal::$terminal => Some(Function { builtin: Builtin::$call, least: $least, most: $most }),)?)*
                _ => None,
            }
        }

        /// The token of a keyword function.
        pub(super) fn function_terminal(builtin: Builtin) -> Terminal {
            match builtin {
                $($(Builtin::$call => Terminal::$terminal,)?)*
            }
        }
    };
}
bcheck_source::operators!(keywords);

/// The form of a construct, by the keyword that it begins with.
pub(super) fn form(construct: Terminal) -> &'static str {
    match construct {
        Terminal::Pre => "PRE P THEN S END",
        Terminal::Assert => "ASSERT P THEN S END",
        Terminal::If => "IF P THEN S ELSIF Q THEN T ELSE U END",
        Terminal::Select => "SELECT P THEN S WHEN Q THEN T ELSE U END",
        Terminal::Choice => "CHOICE S OR T END",
        Terminal::Case | Terminal::Either => "CASE E OF EITHER v THEN S OR w THEN T ELSE U END END",
        Terminal::Any => "ANY x WHERE P THEN S END",
        Terminal::Let => "LET x BE x = E IN S END",
        Terminal::Var => "VAR x IN S END",
        Terminal::While => "WHILE P DO S INVARIANT I VARIANT V END",
        _ => "BEGIN S END",
    }
}
