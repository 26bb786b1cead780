//! Integers that are not listed: numbers of solutions that are known otherwise, and random sums against trying.

use super::{Writer, agree, compiled, valuations};
use bcheck_source::SplitMix64;
use proptest::prelude::*;

/// The number of valuations of constants that satisfy PROPERTIES; solved wherever more than one would be tried.
fn count(names: &str, properties: &str) -> Result<usize, String> {
    let text = format!("MACHINE M CONSTANTS {names} PROPERTIES {properties} END");
    valuations(&compiled(&text, 1.0).expect(properties)).map(|found| found.len())
}

#[test]
fn sums_of_large_integers_have_the_known_numbers_of_solutions() {
    for (names, properties, expected) in [
        // Pairs that sum up to 1000, the greater first.
        ("f", "f : 1..3 --> 0..1000000 & f(1) + f(2) = 1000 & f(3) = f(1) * 2 & f(1) > f(2)", 500),
        // What is missing to three times a million: 66 ways of 10 in three parts, the first two equal in 6.
        ("x, y, z", "x : 0..1000000 & y : 0..1000000 & z : 0..1000000 & x + y + z = 2999990 & x < y", 30),
        ("x, y, z", "x : 0..1000000 & y : 0..1000000 & z : 0..1000000 & x < y & y < z & z < x & x + y + z > 0", 0),
        ("x, y", "x : 0..1000000 & y : 0..1000000 & 3000 * x - 3000 * y = 3000 & x >= 999000", 1001),
        // An injection, and more arguments than names.
        ("f", "f : 1..3 >-> 0..100000 & f(1) + f(2) + f(3) = 3", 6),
        ("f", "f : BOOL * BOOL --> 0..100000 & SIGMA(a, b).(a : BOOL & b : BOOL | f(a, b)) = 2", 10),
        // An argument that is to be solved: one of three, and the other two images are 0 and 1.
        ("f, n", "f : 1..3 --> 0..100000 & n : 1..3 & f(n) = 99999 & f(1) + f(2) + f(3) = 100000", 6),
        // Ill-defined for 4, and 0 for two of the others.
        ("f, n", "f : 1..3 --> 0..100000 & n : 1..4 & f(n) + f(1) + f(2) = 0 & f(3) = 7", 2),
        // Conditions that are open, alternatives, and a sum that is compared with a choice.
        ("f, b", "f : 1..2 --> 0..100000 & b : BOOL & (b = TRUE => f(1) + f(2) + 1 = 3) & (b = FALSE => f(1) + f(2) = 0)", 4),
        ("f, n", "f : 1..2 --> 0..100000 & n : {3, 7, 20} & f(1) + f(2) + n = 9 & (f(1) = 0 or f(2) > 5)", 2),
        // Sequences of a known size; of them, those of a sum, without repetition, and of a negative size.
        ("w", "w : seq(0..100000) & size(w) = 3 & w(1) + w(2) + w(3) = 2 & w(1) > w(2)", 2),
        ("w", "w : iseq(0..100000) & 4 = size(w) & w(1) + w(2) + w(3) + w(4) = 6", 24),
        ("w", "w : seq(0..9) & size(w) = 8 & SIGMA(i).(i : 1..8 | w(i)) = 1", 8),
        ("w", "w : seq(0..100000) & size(w) = -3 & w /= [1]", 0),
        // Magic squares of order 3 (OEIS A006052, times 8), rulers of 5 marks and length 11 (two, and mirrored).
        (
            "m",
            "m : (1..3) * (1..3) >->> 1..9 & SIGMA(i).(i : 1..3 | m(i, i)) = 15 & SIGMA(i).(i : 1..3 | m(i, 4 - i)) = 15 & \
             !i.(i : 1..3 => SIGMA(j).(j : 1..3 | m(i, j)) = 15 & SIGMA(j).(j : 1..3 | m(j, i)) = 15)",
            8,
        ),
        (
            "a",
            "a : 1..5 --> 0..11 & a(1) = 0 & a(5) = 11 & !i.(i : 1..4 => a(i) < a(i + 1)) & !(i, j, k, l).(i : 1..5 & j : 1..5 & \
             k : 1..5 & l : 1..5 & i < j & k < l & i |-> j /= k |-> l => a(j) - a(i) /= a(l) - a(k))",
            4,
        ),
    ] {
        assert_eq!(count(names, properties), Ok(expected), "{properties}");
    }
}

#[test]
fn products_and_quotients_have_the_known_numbers_of_solutions() {
    for (names, properties, expected) in [
        // Half of the 128 divisors of 2 * 3 * 5 * 7 * 11 * 13 * 17; Pythagorean triples with a hypotenuse below 50.
        ("x, y", "x : 1..1000000 & y : 1..1000000 & x * y = 510510 & x < y", 64),
        ("a, b, c", "a : 1..1000 & b : 1..1000 & c : 1..49 & a * a + b * b = c * c", 36),
        ("x", "x : 0..1000000 & x mod 1000 = 7 & x / 1000 = 33", 1),
        // One dividend for each divisor from 91 on.
        ("x, y", "x : 0..100000 & y : 1..100 & x mod y = y - 1 & x / y = 3 & y > 90", 10),
        ("f", "f : 1..3 --> 0..100000 & f(1) * f(2) = 6 & f(3) = f(1) * f(1) - f(2) & f(1) > f(2)", 2),
        // Products and quotients of negative numbers, rounded towards zero.
        ("x, y", "x : -100000..100000 & y : -100000..100000 & x * y = -4 & x + y = 0", 2),
        ("x, y", "x : -2000..2000 & y : 0..100000 & x / 3 = -1 & x + y = 0", 3),
        // -1003 to -1005 by 201, and so on: what is -5 when rounded towards zero.
        ("x, y", "x : -1000000..1000000 & y : 1..1000000 & x / y = -5 & x + 5 * y = -2 & y < 10", 7),
        ("x, y", "x : -1000000..1000000 & y : -1000000..1000000 & x / (y - 7) = 1000000 & y > 7", 1),
        // Ramanujan's number; the greatest and the least of some.
        ("x, y", "x : 0..1000000 & y : 0..1000000 & x ** 3 + y ** 3 = 1729 & x <= y", 2),
        ("x, y", "x : 0..1000000 & y : 0..1000000 & min({x, y}) = 999999", 3),
        ("x, y, z", "x : 0..1000000 & y : 0..1000000 & z : 0..1000000 & max({x, y, z}) = min({x, y}) + 1 & x + y + z = 1000", 335),
    ] {
        assert_eq!(count(names, properties), Ok(expected), "{properties}");
    }
}

#[test]
fn operators_that_need_the_values_of_an_integer_list_them() {
    let expected = (0..=3000i64).filter(|x| x % 7 == 3 && 3001 - 2 * x > *x && 3001 - 2 * x <= 3000).count();
    assert_eq!(count("x, y", "x : 0..3000 & y : 0..3000 & x + y + x = 3001 & x mod 7 = 3 & y > x"), Ok(expected));
    assert_eq!(count("x, y, s", "x : 0..30 & y : 0..30 & x + y + x = 31 & s = {x, y} & card(s) = 2 & x : {1, 5, 12}"), Ok(3));
}

#[test]
fn an_image_that_is_never_defined_is_reported_where_nothing_else_is_found() {
    let properties = "f : 1..3 --> 0..100000 & n : 4..5 & f(n) + f(1) + f(2) = 0";
    assert_eq!(count("f, n", properties), Err("ill-defined".to_owned()));
}

/// Comparisons with sums, with `#` for numbers and `?` for comparisons.
const ABOUT_WIDE_SUMS: [&str; 21] = [
    "# * aa + # * bb - cc ? #",
    "aa - (bb - # * cc) ? -cc + #",
    "row(1) + row(2) - # * aa ? bb",
    "SIGMA(i).(i : 1..2 & i /= cc | row(i) * #) ? aa + bb",
    "not(aa + bb + row(1) ? cc)",
    "bool(aa + bb + cc ? #) = bool(row(1) + row(2) - aa ? #)",
    "(aa ? row(1) or bb + cc + aa ? #)",
    "aa ? row(2)",
    "row(1) : {#, #, 4}",
    "{aa, bb} <: {#, #, cc}",
    "aa * bb + cc ? #",
    "aa * aa ? row(1) + # * cc",
    "(aa + #) / (cc + 1) ? row(2)",
    "(aa + cc) mod # ? bb",
    "-(row(1) * row(2)) - aa ? #",
    "aa + row(IF bb > # THEN 1 ELSE 2 END) + cc ? #",
    "(aa - #) / (bb - cc) ? row(2)",
    "(bb - aa) / # ? bb + row(1)",
    "max({aa, bb + cc, #}) ? row(1)",
    "min({aa - bb, row(2)}) + cc ? #",
    "(aa - bb) ** 3 ? cc + #",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn sums_of_integers_with_bounds_are_compared_as_they_are_added_up(seed in any::<u64>()) {
        let types = "aa : 0..7 & bb : -3..4 & cc : 0..6 & row : 1..2 --> 0..6 & aa + bb + row(2) >= 0";
        agree("aa, bb, cc, row", &Writer(SplitMix64::new(seed)).comparisons(types, &ABOUT_WIDE_SUMS))?;
    }
}
