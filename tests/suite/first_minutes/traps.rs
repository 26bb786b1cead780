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
    mistake(
        Conjunct,
        "f |> {t1} \\/ «{t2}» = f or x >= 0",
        "f |> ({t1} \\/ {t2}) = f or x >= 0",
        "the types POW(S*T) and POW(T) do not fit",
        "`\\/` binds no tighter than `|>`: write parentheses, f |> (S \\/ T)",
    ),
    mistake(
        Conjunct,
        "(x, y) : «0..5»",
        "(x, y) : (0..5) * (0..5)",
        "the types POW(INTEGER*INTEGER) and POW(INTEGER) do not fit",
        "the pairs of elements of S are S * S",
    ),
    mistake(
        Conjunct,
        "s = «(s1, s2)» or x >= 0",
        "s = {s1, s2} or x >= 0",
        "the types POW(S) and S*S do not fit",
        "(a, b) is a pair; the set of two elements is {a, b}",
    ),
    mistake(
        Conjunct,
        "f = «[]» or x >= 0",
        "f = {} or x >= 0",
        "the types POW(S*T) and POW(INTEGER*?) do not fit",
        "[] is the empty sequence; the empty set, relation or function is {}",
    ),
    mistake(
        Conjunct,
        "s /= «0» or x >= 0",
        "s /= {} or x >= 0",
        "the types POW(S) and INTEGER do not fit",
        "the empty set is {}; card(S) is the number of elements of S",
    ),
    mistake(
        Conjunct,
        "size(«s») < 9",
        "card(s) < 9",
        "the types POW(INTEGER*?) and POW(S) do not fit",
        "size(s) is the length of a sequence, card(S) the number of elements of a set",
    ),
    mistake(
        Conjunct,
        "x < 9 «#» at most eight",
        "x < 9 // at most eight",
        "follows another comparison",
        "a comment begins with //, or stands between /* and */",
    ),
];
