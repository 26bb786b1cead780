//! Bounds of integers do not depend on how they are spelled: equations in four spellings each, with the number of their solutions.
//!
//! The numbers come from a brute force outside of bcheck, over ranges that are wide enough by hand.

use bcheck::explore::Verdict;
use bcheck::{Request, check_text};

/// Equations about constants: the memberships, four spellings of what else is known, and how many solutions there are.
const EQUATIONS: [(&str, [&str; 4], u64); 45] = [
    (
        "c : {1,2,5,10,20,50} --> NATURAL",
        [
            "50 = SIGMA(x).(x : dom(c) | x * c(x))",
            "SIGMA(x).(x : {1,2,5,10,20,50} | c(x) * x) = 50",
            "50 = SIGMA(x,y).(x |-> y : c | x * y)",
            "1*c(1) + 2*c(2) + 5*c(5) + 10*c(10) + 20*c(20) + c(50)*50 = 50",
        ],
        451,
    ),
    (
        "c : 1..3 --> NATURAL",
        ["SIGMA(x).(x : dom(c) | c(x)) = 4", "4 = SIGMA(x,y).(x |-> y : c | y)", "c(1) + c(2) + c(3) = 4", "4 - c(3) = c(2) + c(1)"],
        15,
    ),
    (
        "c : 1..3 --> NATURAL",
        ["SIGMA(x).(x : dom(c) | c(x)) <= 4", "4 >= SIGMA(x,y).(x |-> y : c | y)", "c(1) + c(2) + c(3) < 5", "not(c(1) + c(2) + c(3) > 4)"],
        35,
    ),
    (
        "c : 1..3 --> NATURAL1",
        ["PI(x).(x : dom(c) | c(x)) = 12", "12 = PI(x).(x : 1..3 | c(x))", "c(1) * c(2) * c(3) = 12", "PI(x,y).(x |-> y : c | y) = 12"],
        18,
    ),
    ("c : 1..3 --> NATURAL", ["!x.(x : dom(c) => c(x) <= 2)", "ran(c) <: 0..2", "!(x,y).(x |-> y : c => y < 3)", "max(ran(c)) <= 2"], 27),
    (
        "c : 1..3 --> NATURAL",
        [
            "!x.(x : 1..3 => c(x) <= x)",
            "!x.(x : dom(c) => x >= c(x))",
            "!(x,y).(x |-> y : c => y <= x)",
            "c(1) <= 1 & c(2) <= 2 & c(3) <= 3",
        ],
        24,
    ),
    (
        "c : BOOL --> NATURAL",
        [
            "c(TRUE) + c(FALSE) = 5",
            "SIGMA(b).(b : BOOL | c(b)) = 5",
            "5 = SIGMA(b).(b : dom(c) | c(b))",
            "SIGMA(b,n).(b |-> n : c | n) = 5",
        ],
        6,
    ),
    (
        "c : BOOL --> NATURAL1",
        ["c(TRUE) * c(FALSE) = 24", "24 = c(FALSE) * c(TRUE)", "PI(b).(b : dom(c) | c(b)) = 24", "PI(b,n).(b |-> n : c | n) = 24"],
        8,
    ),
    ("x : NATURAL & y : NATURAL", ["2*x + 3*y = 60", "60 = 3*y + x*2", "60 - 2*x = y*3", "2*x = 60 - 3*y"], 11),
    (
        "x : NATURAL & y : NATURAL & z : NATURAL",
        ["x + y + z = 9", "9 = z + y + x", "9 - z = x + y", "SIGMA(i).(i : 1..3 | [x,y,z](i)) = 9"],
        55,
    ),
    ("x : NATURAL1 & y : NATURAL1", ["x * y = 36", "36 = y * x", "36 / x = y & 36 mod x = 0", "x * y - 36 = 0"], 9),
    (
        "s <: NATURAL & card(s) = 2",
        [
            "SIGMA(i).(i : s | i) = 20",
            "20 = SIGMA(i).(i : s | i)",
            "SIGMA(j).(j : s | 1 * j) = 20",
            "SIGMA(i).(i : s | i) <= 20 & SIGMA(i).(i : s | i) >= 20",
        ],
        10,
    ),
    (
        "s <: NATURAL1",
        ["SIGMA(i).(i : s | i) = 10", "10 = SIGMA(i).(i : s | i)", "SIGMA(i).(i : s | i * 2) = 20", "not(SIGMA(i).(i : s | i) /= 10)"],
        10,
    ),
    (
        "s <: NATURAL",
        [
            "max(s) = 4 & card(s) = 3",
            "4 : s & !x.(x : s => x <= 4) & card(s) = 3",
            "s <: 0..4 & 4 : s & 3 = card(s)",
            "card(s) = 3 & 4 : s & s <: 0..4",
        ],
        6,
    ),
    (
        "c : {3,4} --> NATURAL",
        [
            "3*c(3) + 4*c(4) = 24",
            "24 = SIGMA(x).(x : dom(c) | x * c(x))",
            "SIGMA(x,y).(x |-> y : c | y * x) = 24",
            "SIGMA(p).(p : c | prj1(INTEGER,INTEGER)(p) * prj2(INTEGER,INTEGER)(p)) = 24",
        ],
        3,
    ),
    (
        "c : 1..4 --> NATURAL",
        [
            "SIGMA(x).(x : ran(c) | x) <= 3",
            "3 >= SIGMA(x).(x : ran(c) | x)",
            "SIGMA(x).(x : c[1..4] | x) < 4",
            "SIGMA(x).(x : c[dom(c)] | x) <= 3",
        ],
        96,
    ),
    (
        "c : 1..3 >-> NATURAL",
        ["SIGMA(x).(x : dom(c) | c(x)) = 6", "c(1) + c(2) + c(3) = 6", "SIGMA(x,y).(x |-> y : c | y) = 6", "SIGMA(y).(y : ran(c) | y) = 6"],
        18,
    ),
    (
        "c : 1..2 +-> NATURAL",
        [
            "SIGMA(x).(x : dom(c) | c(x)) = 3",
            "3 = SIGMA(x,y).(x |-> y : c | y)",
            "SIGMA(x).(x : dom(c) | 1 * c(x)) = 3",
            "SIGMA(x).(x : dom(c) | c(x)) - 3 = 0",
        ],
        6,
    ),
    (
        "q : seq(NATURAL) & size(q) = 3",
        [
            "q(1) + q(2) + q(3) = 4",
            "SIGMA(i).(i : dom(q) | q(i)) = 4",
            "4 = SIGMA(i).(i : 1..size(q) | q(i))",
            "SIGMA(i,n).(i |-> n : q | n) = 4",
        ],
        15,
    ),
    (
        "c : 1..3 --> INTEGER",
        ["!x.(x : dom(c) => c(x) : 0..1)", "ran(c) <: 0..1", "c[1..3] <: {0,1}", "!(x,y).(x |-> y : c => y : {0,1})"],
        8,
    ),
    (
        "c : 1..3 --> NATURAL",
        [
            "SIGMA(x).(x : dom(c) | c(x) * c(x)) = 9",
            "9 = SIGMA(x).(x : 1..3 | c(x) ** 2)",
            "c(1)*c(1) + c(2)*c(2) + c(3)*c(3) = 9",
            "SIGMA(x,y).(x |-> y : c | y * y) = 9",
        ],
        6,
    ),
    (
        "c : 1..2 --> NATURAL & d : 1..2 --> NATURAL",
        [
            "SIGMA(x).(x : dom(c) | c(x)) + SIGMA(x).(x : dom(d) | d(x)) = 3",
            "c(1) + c(2) + d(1) + d(2) = 3",
            "SIGMA(x).(x : 1..2 | c(x) + d(x)) = 3",
            "3 - SIGMA(x).(x : dom(c) | c(x)) = SIGMA(x,y).(x |-> y : d | y)",
        ],
        20,
    ),
    (
        "c : 1..3 --> NATURAL & n : NATURAL",
        [
            "n = SIGMA(x).(x : dom(c) | c(x)) & n <= 3",
            "SIGMA(x).(x : dom(c) | c(x)) = n & n < 4",
            "n : 0..3 & n = c(1) + c(2) + c(3)",
            "n = SIGMA(x,y).(x |-> y : c | y) & not(n > 3)",
        ],
        20,
    ),
    ("x : NATURAL", ["x * x <= 80", "80 >= x * x", "x ** 2 < 81", "not(x * x > 80)"], 9),
    ("x : NATURAL & y : NATURAL", ["x * x + y * y = 25", "25 = y ** 2 + x ** 2", "25 - x * x = y * y", "x * x = 25 - y ** 2"], 4),
    ("x : INTEGER", ["x * x = 49", "49 = x * x", "x ** 2 = 49", "x * x - 49 = 0"], 2),
    (
        "x : NATURAL & y : NATURAL",
        ["x + y <= 6 & x >= y", "6 >= y + x & y <= x", "not(x + y > 6) & x - y >= 0", "x <= 6 - y & not(x < y)"],
        16,
    ),
    ("x : NATURAL & y : NATURAL", ["max({x, y}) = 5", "5 = max({y, x})", "x <= 5 & y <= 5 & (x = 5 or y = 5)", "max({x} \\/ {y}) = 5"], 11),
    (
        "c : 1..2 --> NATURAL",
        [
            "max(ran(c)) = 3",
            "3 = max(c[dom(c)])",
            "ran(c) <: 0..3 & 3 : ran(c)",
            "!x.(x : dom(c) => c(x) <= 3) & #x.(x : dom(c) & c(x) = 3)",
        ],
        7,
    ),
    (
        "c : {1,2} --> NATURAL & c(1) = 2 * c(2)",
        ["c(1) + c(2) = 9", "9 = c(2) + c(1)", "SIGMA(x).(x : dom(c) | c(x)) = 9", "SIGMA(x,y).(x |-> y : c | y) = 9"],
        1,
    ),
    (
        "c : 1..4 --> NATURAL",
        [
            "c(1) + c(2) = 3 & c(3) + c(4) = 2",
            "3 = c(2) + c(1) & 2 = c(4) + c(3)",
            "SIGMA(x).(x : 1..2 | c(x)) = 3 & SIGMA(x).(x : 3..4 | c(x)) = 2",
            "SIGMA(x).(x : dom(c) & x < 3 | c(x)) = 3 & SIGMA(x).(x : dom(c) & x > 2 | c(x)) = 2",
        ],
        12,
    ),
    (
        "c : 1..3 --> NATURAL & s = {1,3}",
        [
            "SIGMA(x).(x : s | c(x)) = 2 & c(2) = 1",
            "c(1) + c(3) = 2 & c(2) = 1",
            "2 = SIGMA(x).(x : {1,3} | c(x)) & 1 = c(2)",
            "SIGMA(x).(x : dom(s <| c) | c(x)) = 2 & c(2) = 1",
        ],
        3,
    ),
    ("r : 1..2 <-> NATURAL", ["ran(r) <: 0..1", "!(x,y).(x |-> y : r => y <= 1)", "r <: (1..2) * (0..1)", "r[1..2] <: {0,1}"], 16),
    (
        "r : 1..2 <-> NATURAL1",
        [
            "SIGMA(x,y).(x |-> y : r | y) = 3",
            "3 = SIGMA(x,y).(x |-> y : r | y)",
            "SIGMA(p).(p : r | prj2(INTEGER,INTEGER)(p)) = 3",
            "SIGMA(x,y).(x |-> y : r | 2 * y) = 6",
        ],
        6,
    ),
    (
        "x : NATURAL & b : BOOL",
        [
            "x : 0..7 & (b = TRUE => x <= 3) & (b = FALSE => x = 7)",
            "(b = TRUE & x < 4) or (b = FALSE & x = 7)",
            "IF b = TRUE THEN x <= 3 ELSE x = 7 END",
            "x : 0..7 & (b = TRUE => 3 >= x) & (b /= TRUE => 7 = x)",
        ],
        5,
    ),
    (
        "x : NATURAL & y : NATURAL & z : NATURAL",
        ["x + 2*y + 3*z = 10", "10 = z*3 + y*2 + x", "SIGMA(i).(i : 1..3 | i * [x,y,z](i)) = 10", "x = 10 - 2*y - 3*z"],
        14,
    ),
    (
        "c : 1..3 --> NATURAL",
        [
            "c(1) + c(2) + c(3) = 5 & c(1) < c(2)",
            "SIGMA(x).(x : dom(c) | c(x)) = 5 & c(2) > c(1)",
            "5 = SIGMA(x,y).(x |-> y : c | y) & not(c(1) >= c(2))",
            "SIGMA(x).(x : 1..3 | c(x)) = 5 & c(1) + 1 <= c(2)",
        ],
        9,
    ),
    (
        "c : 0..3 --> NATURAL",
        [
            "SIGMA(x).(x : dom(c) | x * c(x)) = 4 & c(0) <= 1",
            "4 = SIGMA(x).(x : 0..3 | c(x) * x) & c(0) : 0..1",
            "c(1) + 2*c(2) + 3*c(3) = 4 & c(0) < 2",
            "SIGMA(x,y).(x |-> y : c | x * y) = 4 & 1 >= c(0)",
        ],
        8,
    ),
    ("n : NATURAL & s = 1..n", ["card(s) = 7", "7 = card(s)", "card(1..n) = 7", "n = 7"], 1),
    ("s <: 1..5 & n : NATURAL", ["n = card(s)", "card(s) = n", "n - card(s) = 0", "card(s) - n = 0"], 32),
    (
        "c : 1..2 --> 1..9",
        [
            "10 * c(1) + c(2) = 42",
            "42 = SIGMA(i).(i : dom(c) | 10 ** (2 - i) * c(i))",
            "SIGMA(i).(i : 1..2 | c(i) * 10 ** (2 - i)) = 42",
            "c(1) = 4 & c(2) = 2",
        ],
        1,
    ),
    (
        "c : struct(x : NATURAL, y : NATURAL)",
        ["5 * c'x + c'y = 16", "16 = c'y + c'x * 5", "16 - 5 * c'x = c'y", "c'x + c'y + 4 * c'x - 16 = 0"],
        4,
    ),
    (
        "p : NATURAL * NATURAL",
        [
            "5 * prj1(NATURAL,NATURAL)(p) + prj2(NATURAL,NATURAL)(p) = 16",
            "16 = prj2(p) + 5 * prj1(p)",
            "prj2(p) = 16 - prj1(p) - 4 * prj1(p)",
            "16 - prj1(p) * 5 = prj2(p)",
        ],
        4,
    ),
    (
        "p : (NATURAL * BOOL) * NATURAL",
        [
            "prj1(prj1(p)) + prj2(p) <= 2",
            "2 >= prj2(p) + prj1(prj1(p))",
            "not(prj1(prj1(p)) + prj2(p) > 2)",
            "prj1(prj1(p)) <= 2 - prj2(p)",
        ],
        12,
    ),
    ("x : NATURAL", ["x * x * x + x <= 80", "80 >= x + x ** 3", "x * (x * x) < 81 - x", "not(x ** 3 + x > 80)"], 5),
];

#[test]
fn all_solutions_of_an_equation_are_found_however_it_is_spelled() {
    let mut wrong = Vec::new();
    for (memberships, spellings, solutions) in EQUATIONS {
        // A name is declared by its membership, or by an equation.
        let names: Vec<&str> =
            memberships.split(" & ").filter_map(|part| part.split([' ', '(']).next()).filter(|name| name.len() == 1).collect();
        let mut names = names;
        names.dedup();
        for spelling in spellings {
            let text = format!("MACHINE m CONSTANTS {} PROPERTIES {memberships} & {spelling} END", names.join(", "));
            let mut request = Request::default();
            request.options.deadlock = false;
            let outcome = check_text("m.mch", &text, &request).map(|checked| checked.outcome);
            let outcome = outcome.unwrap_or_else(|rejected| panic!("{text}: {rejected}"));
            // Complete: no range was tried.
            let found = (outcome.verdict, outcome.complete, outcome.explored.setups);
            if found != (Verdict::Verified, true, solutions) {
                wrong.push(format!("{memberships} & {spelling}: {found:?} instead of {solutions}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
