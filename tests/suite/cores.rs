//! `bcheck eval --unsat-core`: the conjuncts that are underlined contradict each other, and without any one of them the others do not; but
//! for bounds, without which integers have no end, so that it is not known whether they are needed.
//!
//! The formulas compare three small integers, so that whether some conjuncts can be true together is tried out for all values.

use crate::dice::Dice;
use crate::program::{bcheck, part};

/// The values that are tried: far beyond the bounds that formulas state, so that without these nothing else is bounded.
const RANGE: std::ops::RangeInclusive<i64> = -12..=12;

/// A comparison `a OP b + c` of variables by number, or bounds `a : 0..3`.
#[derive(Clone, Copy)]
enum Conjunct {
    Bounds(usize),
    Compare(usize, &'static str, usize, i64),
}

impl Conjunct {
    fn text(self) -> String {
        match self {
            Self::Bounds(a) => format!("{} : 0..3", NAMES[a]),
            Self::Compare(a, op, b, c) => format!("{} {op} {} + {c}", NAMES[a], NAMES[b]),
        }
    }

    fn holds(self, values: [i64; 3]) -> bool {
        match self {
            Self::Bounds(a) => (0..=3).contains(&values[a]),
            Self::Compare(a, op, b, c) => {
                let (left, right) = (values[a], values[b] + c);
                match op {
                    "<" => left < right,
                    "=" => left == right,
                    "/=" => left != right,
                    _ => left >= right,
                }
            }
        }
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

fn is_satisfiable(conjuncts: &[Conjunct]) -> bool {
    let all = RANGE.flat_map(|x| RANGE.flat_map(move |y| RANGE.map(move |z| [x, y, z])));
    all.into_iter().any(|values| conjuncts.iter().all(|conjunct| conjunct.holds(values)))
}

fn formula(dice: &mut Dice) -> Vec<Conjunct> {
    let mut conjuncts: Vec<Conjunct> = (0..NAMES.len()).map(Conjunct::Bounds).collect();
    for _ in 0..4 {
        let (a, b) = *dice.pick(&[(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]);
        let op = *dice.pick(&["<", "=", "/=", ">="]);
        conjuncts.push(Conjunct::Compare(a, op, b, i64::try_from(dice.below(3)).expect("small")));
    }
    conjuncts
}

/// The conjuncts that are underlined below the formula.
fn underlined(shown: &str, conjuncts: &[Conjunct], formula: &str) -> Vec<Conjunct> {
    let mut lines = shown.lines().skip_while(|line| !line.contains(formula));
    let start = lines.next().and_then(|line| line.find(formula)).expect("the formula is shown");
    let marks: Vec<char> = lines.next().expect("a line below").chars().skip(start).collect();
    let mut place = 0;
    let is_marked = |conjunct: &Conjunct| {
        let own = place..place + conjunct.text().len();
        place = own.end + " & ".len();
        let is = |at: usize| marks.get(at).is_some_and(|mark| matches!(mark, '^' | '-'));
        assert!(own.clone().all(|at| is(at) == is(own.start)), "whole conjuncts are underlined: {shown}");
        is(own.start)
    };
    conjuncts.iter().copied().filter(is_marked).collect()
}

#[test]
fn each_underlined_conjunct_is_needed() {
    let (mut cores, mut needed, mut smaller) = (0, 0, 0);
    for seed in 0..part(150, 3) {
        let conjuncts = formula(&mut Dice::new(seed));
        let text = conjuncts.iter().map(|conjunct| conjunct.text()).collect::<Vec<_>>().join(" & ");
        let run = bcheck(&["eval", "--unsat-core", &text]);
        assert_eq!((run.code, run.stdout.starts_with("TRUE")), (Some(0), is_satisfiable(&conjuncts)), "{text}: {run:?}");
        if run.stdout.starts_with("TRUE") {
            assert_eq!(run.stderr, "", "{text}");
            continue;
        }
        let core = underlined(&run.stderr, &conjuncts, &text);
        assert!(!core.is_empty() && !is_satisfiable(&core), "{text}: {}", run.stderr);
        let is_needed = |at: &usize| is_satisfiable(&[&core[..*at], &core[at + 1..]].concat());
        let is_minimal = (0..core.len()).all(|at| is_needed(&at));
        let mut comparisons = (0..core.len()).filter(|at| matches!(core[*at], Conjunct::Compare(..)));
        let is_called_minimal = !run.stderr.contains("could not be decided");
        assert!(is_minimal || !is_called_minimal, "{text}: {}", run.stderr);
        cores += 1;
        needed += usize::from(comparisons.all(|at| is_needed(&at)));
        smaller += usize::from(core.len() < conjuncts.len());
    }
    assert!(
        cores as u64 > part(50, 3) && needed == cores && smaller * 2 > cores,
        "{cores} cores, {needed} without needless ones, {smaller} smaller"
    );
}
