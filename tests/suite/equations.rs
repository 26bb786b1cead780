//! Constants that equations define by each other, or by themselves: as many set-ups as there are solutions when all values are tried.

use crate::random_formula::Dice;
use bcheck::explore::{Outcome, Verdict};
use bcheck::symmetry::Mode;
use bcheck::{Request, check_text};

/// Random expressions over the constants `c`, `d` (sets of S) and `f` (a function on S).
struct Maker {
    dice: Dice,
    names: usize,
}

impl Maker {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn element(&mut self, bound: &[String], depth: usize) -> String {
        match self.dice.below(if depth == 0 { 2 } else { 3 }) {
            0 => ["a", "b"][self.dice.below(2)].to_owned(),
            1 if !bound.is_empty() => bound[self.dice.below(bound.len())].clone(),
            1 => "a".to_owned(),
            _ => format!("f({})", self.element(bound, depth - 1)),
        }
    }

    fn set(&mut self, bound: &[String], depth: usize) -> String {
        if depth == 0 {
            return ["c", "d", "S", "{}", "{a}"][self.dice.below(5)].to_owned();
        }
        let kind = self.dice.below(7);
        match kind {
            0..=2 => {
                let (left, right) = (self.set(bound, depth - 1), self.set(bound, depth - 1));
                format!("({left} {} {right})", ["\\/", "/\\", "-"][kind])
            }
            3 | 4 => {
                let name = self.name();
                let inner = [bound, std::slice::from_ref(&name)].concat();
                let (element, set) = (self.element(&inner, 1), self.set(&inner, depth - 1));
                format!("{{{name} | {name} : S & {element} {} {set}}}", [":", "/:"][kind - 3])
            }
            5 => format!("f[{}]", self.set(bound, depth - 1)),
            _ => {
                let (element, set) = (self.element(bound, 1), self.set(bound, depth - 1));
                let (then, otherwise) = (self.set(bound, depth - 1), self.set(bound, depth - 1));
                format!("(IF {element} : {set} THEN {then} ELSE {otherwise} END)")
            }
        }
    }

    fn function(&mut self) -> String {
        let name = self.name();
        let bound = [name.clone()];
        let (test, set) = (self.element(&bound, 1), self.set(&bound, 1));
        let (then, otherwise) = (self.element(&bound, 2), self.element(&bound, 2));
        format!("%{name}.({name} : S | IF {test} : {set} THEN {then} ELSE {otherwise} END)")
    }

    fn equation(&mut self) -> String {
        let (left, right) = match self.dice.below(3) {
            0 => ("c".to_owned(), self.set(&[], 2)),
            1 => ("d".to_owned(), self.set(&[], 2)),
            _ => ("f".to_owned(), self.function()),
        };
        if self.dice.below(2) == 0 { format!("{left} = {right}") } else { format!("{right} = {left}") }
    }
}

fn check(text: &str) -> Outcome {
    let mut request = Request::default();
    (request.options.deadlock, request.options.keep_going, request.options.symmetry) = (false, true, Mode::Off);
    check_text("m.mch", text, &request).map(|checked| checked.outcome).unwrap_or_else(|rejected| panic!("{text}: {rejected}"))
}

#[test]
fn systems_of_equations_have_the_solutions_that_trying_all_values_finds() {
    let typing = "c <: S & d <: S & f : S --> S";
    let mut solvable = 0;
    for seed in 0..300 {
        let mut maker = Maker { dice: Dice::new(seed), names: 0 };
        let mut conjuncts: Vec<String> = (0..2 + maker.dice.below(2)).map(|_| maker.equation()).collect();
        let equations = conjuncts.join(" & ");
        // Where the typing stands must not matter.
        conjuncts.insert(maker.dice.below(conjuncts.len() + 1), typing.to_owned());
        let text = conjuncts.join(" & ");
        let solved = check(&format!(
            "MACHINE m SETS S = {{a, b}} CONSTANTS c, d, f PROPERTIES {text} VARIABLES v INVARIANT v = 0 INITIALISATION v := 0 END"
        ));
        let tried = check(&format!(
            "MACHINE m SETS S = {{a, b}} DEFINITIONS GOAL == ({equations}) VARIABLES c, d, f INVARIANT {typing} \
             INITIALISATION c :: POW(S) || d :: POW(S) || f :: S --> S END"
        ));
        assert_eq!(solved.explored.setups, tried.explored.goals, "seed {seed}: {text}");
        let expected = if tried.explored.goals == 0 { Verdict::UnsatisfiableProperties } else { Verdict::Verified };
        assert_eq!(solved.verdict, expected, "seed {seed}: {text}");
        solvable += usize::from(tried.explored.goals > 0);
    }
    assert!((60..=290).contains(&solvable), "both kinds are met: {solvable} of 300 are solvable");
}

#[test]
fn a_function_on_an_infinite_domain_is_defined_by_recursion() {
    let text = "MACHINE m CONSTANTS fact PROPERTIES fact : INTEGER <-> INTEGER & \
                fact = %n.(n : NATURAL | IF n = 0 THEN 1 ELSE n * fact(n - 1) END) \
                VARIABLES v INVARIANT v < 3000000 INITIALISATION v := fact(10) END";
    let outcome = check(text);
    assert_eq!((outcome.verdict, outcome.explored.setups), (Verdict::InvariantViolation, 1));
    // An application that needs itself has no value.
    let circular = "MACHINE m CONSTANTS f PROPERTIES f : INTEGER <-> INTEGER & f = %n.(n : INTEGER | 1 - f(n)) \
                    VARIABLES v INVARIANT v = 0 INITIALISATION v := f(0) END";
    assert_ne!(check(circular).verdict, Verdict::Verified);
    // A set is not a function: what it has as elements is not defined by recursion.
    let set = "MACHINE m CONSTANTS c PROPERTIES c <: INTEGER & c = {x | x : INTEGER & x /: c} \
               VARIABLES v INVARIANT v = 0 INITIALISATION v := 0 END";
    assert_ne!(check(set).verdict, Verdict::Verified);
}
