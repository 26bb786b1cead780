//! Traps of B itself: priorities, tuples, calls, ENDs that close something else.
//!
//! Invariant: the corrected text says what was meant.

use super::Kind::{Conjunct, Operations};
use super::{Mistake, mistake};

pub(super) const TABLE: &[Mistake] = &[
    mistake(
        Conjunct,
        "dom(r \\/ «r |> s») <: S",
        "dom(r \\/ (r |> s)) <: S",
        "`\\/` and `|>` have one priority and group to the left",
        "write parentheses: (a \\/ b) |> c, or a \\/ (b |> c)",
    ),
    mistake(
        Conjunct,
        "dom(s <| «r \\/ r») <: S",
        "dom(s <| (r \\/ r)) <: S",
        "`<|` and `\\/` have one priority and group to the left",
        "write parentheses: (a <| b) \\/ c, or a <| (b \\/ c)",
    ),
    mistake(
        Conjunct,
        "dom(r \\/ «s» <| r) <: S",
        "dom(r \\/ (s <| r)) <: S",
        "the types POW(S*S) and POW(S) do not fit",
        "`<|` binds no tighter than `\\/`: write parentheses, f \\/ (s <| g)",
    ),
    mistake(
        Conjunct,
        "#t.(t : (S * S) <-> (S * S) & t = «{i, j, k, l | i : S & j : S & k = j & l = i}»)",
        "#t.(t : (S * S) <-> (S * S) & t = {i, j, k, l . i : S & j : S & k = j & l = i | (i |-> j) |-> (k |-> l)})",
        "do not fit",
        "pairs of pairs are {i, j, k, l . P | (i |-> j) |-> (k |-> l)}",
    ),
    mistake(
        Operations,
        "step = x := x + 1 «--» counts",
        "step = x := x + 1 // counts",
        "`--` begins no comment in B: a negative number is subtracted here",
        "a comment begins with //, or stands between /* and */",
    ),
    mistake(
        Operations,
        "step = x := 0; again = BEGIN «step» END",
        "step = x := 0; again = x := 0",
        "`step` is an operation of the machine itself",
        "B allows calls of operations of included, imported and seen machines",
    ),
];
