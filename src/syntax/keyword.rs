//! Keywords that are operands: constants and functions, each with its token; one table for the parser and the printer.
//!
//! Invariant: both directions come from the same rows. Deliberately elsewhere: infix operators (`priority`), all other keywords (`token`).

use super::ast::{Builtin, Constant};
use super::token::Terminal;

// A macro and not a table of rows: the match over the constants is exhaustive, so one without a row does not compile.
macro_rules! constants {
    ($($terminal:ident = $constant:ident,)*) => {
        /// The constant that this token names.
        pub(crate) fn constant(terminal: Terminal) -> Option<Constant> {
            match terminal {
                $(Terminal::$terminal => Some(Constant::$constant),)*
                _ => None,
            }
        }

        /// The token of a constant.
        pub(super) fn constant_terminal(constant: Constant) -> Terminal {
            match constant {
                $(Constant::$constant => Terminal::$terminal,)*
            }
        }
    };
}

constants! {
    True = True,
    False = False,
    Bool = Bool,
    Integer = Integer,
    Natural = Natural,
    Natural1 = Natural1,
    Int = Int,
    Nat = Nat,
    Nat1 = Nat1,
    MinInt = MinInt,
    MaxInt = MaxInt,
    StringSet = String,
    Real = Real,
    Float = Float,
    BTrue = BTrue,
    BFalse = BFalse,
    Succ = Succ,
    Pred = Pred,
}

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

macro_rules! functions {
    ($($name:ident: $least:literal $most:expr,)*) => {
        /// The keyword function that this token names.
        pub(super) fn function(terminal: Terminal) -> Option<Function> {
            match terminal {
                $(Terminal::$name => Some(Function { builtin: Builtin::$name, least: $least, most: $most }),)*
                _ => None,
            }
        }

        /// The token of a keyword function.
        pub(super) fn function_terminal(builtin: Builtin) -> Terminal {
            match builtin {
                $(Builtin::$name => Terminal::$name,)*
            }
        }
    };
}

functions! {
    Not: 1 1,
    BoolOf: 1 1,
    Pow: 1 1,
    Pow1: 1 1,
    Fin: 1 1,
    Fin1: 1 1,
    Card: 1 1,
    GeneralUnion: 1 1,
    GeneralInter: 1 1,
    Min: 1 1,
    Max: 1 1,
    Succ: 1 1,
    Pred: 1 1,
    Dom: 1 1,
    Ran: 1 1,
    Id: 1 1,
    Closure: 1 1,
    Closure1: 1 1,
    Iterate: 2 2,
    Prj1: 1 2,
    Prj2: 1 2,
    Fnc: 1 1,
    Rel: 1 1,
    Seq: 1 1,
    Seq1: 1 1,
    Iseq: 1 1,
    Iseq1: 1 1,
    Perm: 1 1,
    Size: 1 1,
    First: 1 1,
    Last: 1 1,
    Front: 1 1,
    Tail: 1 1,
    Rev: 1 1,
    Conc: 1 1,
    Finite: 1 1,
    Partition: 1 usize::MAX,
}

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
