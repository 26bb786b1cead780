//! Predicates with free names: `bcheck eval` finds the values for which they are true, all of them and no others.
//!
//! Deliberately elsewhere: how names are ordered or solved for (`src/eval/order`, `src/eval/solve`).

use crate::dice::Dice;
use crate::program::{bcheck, part};

/// Formulas with the number of their answers, counted by hand or known from the literature.
const COUNTS: &[(&str, u64)] = &[
    ("x : 1..10 & x * x = 49", 1),
    ("x > 0 & y > 0 & x + y = 7 & x < y", 3),
    ("x : {2,3} & y = x * x", 2),
    ("f : 1..3 --> 1..4 & f(1) < f(2) & f(2) < f(3)", 4),
    ("f : 1..5 >->> 1..5 & !i.(i : 1..5 => f(i) /= i)", 44),
    ("s <: 1..7 & !(x,y).(x : s & y : s & x < y => x + y /: s)", 61),
    ("r : 1..3 <-> 1..3 & id(1..3) <: r & r = r~ & (r ; r) <: r", 5),
    ("q : perm(1..6) & !(i,j).(i : 1..6 & j : 1..6 & i < j => q(j) - q(i) /= j - i & q(i) - q(j) /= j - i)", 4),
    ("a : BOOL & b : BOOL & (a = TRUE => b = TRUE)", 3),
    ("s : seq(1..2) & t : seq(1..2) & s ^ t = [1,2,1]", 4),
    ("x : 1..3 & x > 5", 0),
    ("f : 1..4 >-> 1..3", 0),
    // Products: factors and roots follow from the other side.
    ("a : 1..100 & b : 1..100 & c : 1..100 & a * a + b * b = c * c", 104),
    ("x : 1..1000 & y : 1..1000 & x * y = 510 & x < y", 8),
    ("x : -10..10 & y : -10..10 & x * y = 6", 8),
    ("x : -3..3 & y : -3..3 & x * y = 0", 13),
    ("x : -10..10 & x ** 3 = -27", 1),
    ("x : -10..10 & 2 * x * x + 7 = 57", 2),
    ("a * a + b * b = 25", 12),
    ("x : 0..1000000 & y : 0..1000000 & x < y & y < x", 0),
    ("x : 0..1000000 & y : 0..1000000 & z : 0..1000000 & x <= y & y + 1 <= z & z <= x", 0),
    // A finite set with more members than a float can count.
    ("s : 1..256 --> 1..16 & !i.(i : 1..255 => s(i) = 17 - s(i + 1)) & s(1) < 3", 2),
    // Each name has its values from the others.
    ("x = y + 1 & y = z + 1 & z : {5}", 1),
    // Names that a library or B's trees use elsewhere are names like any other.
    ("left : 1..3 & left + right = 4 & right : 1..3", 3),
];

#[test]
fn counts_and_lists_agree_with_what_is_known() {
    for &(formula, count) in COUNTS {
        let counted = bcheck(&["eval", "--count", formula]);
        assert_eq!((counted.code, counted.stdout.trim_end()), (Some(0), count.to_string().as_str()), "{formula}: {counted:?}");
        let all = bcheck(&["eval", "--all", formula]);
        let lines: Vec<&str> = all.stdout.lines().filter(|line| *line != "FALSE").collect();
        assert_eq!((all.code, lines.len() as u64), (Some(0), count), "{formula}: {all:?}");
        let first = bcheck(&["eval", formula]);
        let truth = if count > 0 { "TRUE" } else { "FALSE" };
        assert_eq!((first.code, first.stdout.lines().next()), (Some(0), Some(truth)), "{formula}: {first:?}");
        // An answer is a predicate, which has the formula for a consequence.
        for line in lines.iter().take(3) {
            let checked = bcheck(&["eval", "--count", &format!("({line}) & ({formula})")]);
            assert_eq!(checked.stdout, "1\n", "{line} of {formula}: {checked:?}");
        }
    }
}

#[test]
fn integers_without_bounds_are_looked_for_further_and_further_out() {
    for (formula, answer) in
        [("x > 5 & x * x = 49", "TRUE\nx = 7\n"), ("x * x = 900 & x > 0 - 31 & x < 0", "TRUE\nx = -30\n"), ("x * x = 50", "FALSE\n")]
    {
        let run = bcheck(&["eval", formula]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), answer), "{formula}: {run:?}");
    }
    // Constant functions are no such function, and no others are tried.
    let run = bcheck(&["eval", "f : NATURAL --> BOOL & f(0) = TRUE & f(1) = FALSE"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(75), ""), "{run:?}");
    assert!(run.stderr.contains("the values of an infinite set cannot be enumerated"), "{run:?}");
    // Of a list the range is named.
    let run = bcheck(&["eval", "--all", "x > 5"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 5), "{run:?}");
    assert!(run.stderr.contains("nothing bounds `x`: 6..10 is tried"), "{run:?}");
}

#[test]
fn free_names_stand_beside_those_of_a_machine() {
    let scheduler = ["--machine", "machines/classic/scheduler.mch", "--deferred", "3"];
    let ask = |formula: &[&str]| bcheck(&[&["eval"], formula, &scheduler].concat());
    assert_eq!(ask(&["--all", "p : PID & p /: active"]).stdout, "p = PID1\np = PID2\np = PID3\n");
    // The other two are alike.
    assert_eq!(ask(&["--count", "q <: PID & PID2 : q"]).stdout, "4\n3 up to the names of elements\n");
    assert_eq!(ask(&["--max", "2", "q <: PID"]).stdout.lines().count(), 2);
}

#[test]
fn what_has_no_answer_says_why() {
    let run = bcheck(&["eval", "x : 1..3 & 1 / (x - 2) > 5"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(75), ""), "{run:?}");
    assert!(run.stderr.contains("division by zero"), "{run:?}");
    // True for one value outweighs ill-defined for another.
    assert_eq!(bcheck(&["eval", "x : 1..3 & 1 / (x - 2) = 1"]).stdout, "TRUE\nx = 3\n");
    let run = bcheck(&["eval", "--time-limit", "0.5", "--count", "s <: 1..40 & SIGMA(x).(x : s | x * x) > 0"]);
    assert_eq!(run.code, Some(152), "{run:?}");
    assert_eq!(bcheck(&["eval", "--all", "--count", "x : 1..2"]).code, Some(2));
}

/// A product of names and a number, by their powers.
struct Term {
    factor: i64,
    powers: [u32; 3],
}

impl Term {
    fn random(dice: &mut Dice) -> Self {
        let mut powers = [0; 3];
        for _ in 0..1 + dice.below(2) {
            powers[dice.below(3)] += 1;
        }
        Self { factor: *dice.pick(&[1, 1, 1, -1, 2, -3]), powers }
    }

    fn text(&self) -> String {
        let power = |(name, power): (&str, &u32)| match power {
            0 => None,
            1 => Some(name.to_owned()),
            _ => Some(format!("{name} ** {power}")),
        };
        let names: Vec<String> = ["x", "y", "z"].into_iter().zip(&self.powers).filter_map(power).collect();
        let product = names.join(" * ");
        if self.factor == 1 { product } else { format!("{} * {product}", self.factor) }
    }

    fn value(&self, values: [i64; 3]) -> i64 {
        self.factor * values.iter().zip(&self.powers).map(|(value, power)| value.pow(*power)).product::<i64>()
    }
}

#[test]
fn equations_of_products_have_the_solutions_that_trying_gives() {
    const RANGE: std::ops::RangeInclusive<i64> = -4..=4;
    let (mut dice, mut solutions) = (Dice::new(11), 0);
    for _ in 0..part(150, 3) {
        let sides: [Vec<Term>; 2] = [1, 2].map(|most| (0..1 + dice.below(most)).map(|_| Term::random(&mut dice)).collect());
        let number = i64::try_from(dice.below(12)).expect("small") - 4;
        let text = |side: &[Term]| side.iter().map(Term::text).collect::<Vec<_>>().join(" + ");
        let formula = format!("x : -4..4 & y : -4..4 & z : -4..4 & {} = {} + {number} & x <= y", text(&sides[0]), text(&sides[1]));
        let all = RANGE.flat_map(|x| RANGE.flat_map(move |y| RANGE.map(move |z| [x, y, z])));
        let value = |side: &[Term], values| side.iter().map(|term| term.value(values)).sum::<i64>();
        let solves = |values: &[i64; 3]| value(&sides[0], *values) == value(&sides[1], *values) + number && values[0] <= values[1];
        let expected = all.filter(solves).count();
        let counted = bcheck(&["eval", "--count", &formula]);
        assert_eq!((counted.code, counted.stdout.trim_end()), (Some(0), expected.to_string().as_str()), "{formula}: {counted:?}");
        solutions += expected;
    }
    assert!(solutions as u64 > part(500, 3), "{solutions}");
}
