//! Random machines with formulas that cannot be decided, against a three-valued reference evaluator of their own.
//!
//! A formula is a tree of comparisons that are plainly true or false and of *open* ones, which no evaluator decides; the reference gives the
//! tree its value in Kleene's logic and runs the substitutions with it. What is unknown to the reference must not be decided by bcheck, and
//! what it decides must come out. Deliberately elsewhere: random machines in all other respects (`random_machine`).

mod reference;

use crate::dice::Dice;
use bcheck::explore::{Options, Outcome, Verdict};
use bcheck::source::Vocabulary;
use bcheck::symmetry::Mode;
use bcheck::{Compiled, Request};
use reference::{Expected, Model, expected};

/// A formula over `x`, `y`, a parameter `p` and bound names `i`.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Known(bool),
    /// Cannot be decided: the number picks the text.
    Open(usize),
    /// A name compared with a number: `=`, `<` or `>=`.
    Compare(Name, usize, i64),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    /// `!i.(i : 0..2 => F)`
    ForAll(Box<Formula>),
    /// `#i.(i : 0..2 & F)`
    Exists(Box<Formula>),
    /// `bool(F) = TRUE`
    Bool(Box<Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    X,
    Y,
    Parameter,
    /// The innermost bound name.
    Bound,
}

#[derive(Clone, Debug)]
pub(super) enum Substitution {
    /// `x := n`, `x := (x + n) mod 5`, `y := n`
    SetX(i64),
    AddX(i64),
    SetY(i64),
    If(Formula, Box<Substitution>, Box<Substitution>),
    Select(Vec<(Formula, Substitution)>, Option<Box<Substitution>>),
    /// `ANY z WHERE z : 0..2 & F(z) THEN x := z END`: the formula speaks of z as its bound name.
    Any(Formula),
    Choice(Vec<Substitution>),
    Sequence(Box<Substitution>, Box<Substitution>),
    Skip,
}

/// Comparisons that nothing here decides: neither a search, nor the bounds or the form of a definition, nor samples.
const OPEN: [&str; 4] = [
    "%n.(n : NATURAL | n * n) : NATURAL >-> NATURAL",
    "{n | n : NATURAL & n * n >= n} = NATURAL",
    "{n | n : NATURAL & n * n * n + 7 > n} = {n | n : NATURAL & n * n + 7 > n - n * n}",
    "%n.(n : NATURAL | n * n * n + n) : NATURAL >-> NATURAL",
];

struct Writer<'d> {
    dice: &'d mut Dice,
    has_parameter: bool,
}

impl Writer<'_> {
    fn formula(&mut self, depth: usize, bound: bool) -> Formula {
        if depth == 0 || self.dice.once_in(4) {
            return self.leaf(bound);
        }
        let inner = |this: &mut Self| Box::new(this.formula(depth - 1, bound));
        match self.dice.below(8) {
            0 => Formula::And((0..2 + self.dice.below(2)).map(|_| self.formula(depth - 1, bound)).collect()),
            1 => Formula::Or((0..2 + self.dice.below(2)).map(|_| self.formula(depth - 1, bound)).collect()),
            2 => Formula::Not(inner(self)),
            3 => Formula::Implies(inner(self), inner(self)),
            4 => Formula::Equivalent(inner(self), inner(self)),
            5 if !bound => Formula::ForAll(Box::new(self.formula(depth - 1, true))),
            6 if !bound => Formula::Exists(Box::new(self.formula(depth - 1, true))),
            _ => Formula::Bool(inner(self)),
        }
    }

    fn leaf(&mut self, bound: bool) -> Formula {
        let mut names = vec![Name::X, Name::Y];
        names.extend(self.has_parameter.then_some(Name::Parameter));
        names.extend(bound.then_some(Name::Bound));
        match self.dice.below(8) {
            0 => Formula::Known(self.dice.once_in(2)),
            1 | 2 => Formula::Open(self.dice.below(OPEN.len())),
            _ => Formula::Compare(*self.dice.pick(&names), self.dice.below(3), self.dice.below(5) as i64),
        }
    }

    fn substitution(&mut self, depth: usize) -> Substitution {
        let kind = self.dice.below(if depth == 0 { 4 } else { 9 });
        let inner = |this: &mut Self| Box::new(this.substitution(depth - 1));
        match kind {
            0 => Substitution::SetX(self.dice.below(5) as i64),
            1 => Substitution::AddX(1 + self.dice.below(3) as i64),
            2 => Substitution::SetY(self.dice.below(3) as i64),
            3 => Substitution::Skip,
            4 => Substitution::If(self.formula(2, false), inner(self), inner(self)),
            5 => {
                let branches = (0..1 + self.dice.below(2)).map(|_| (self.formula(2, false), self.substitution(depth - 1))).collect();
                let otherwise = self.dice.once_in(2).then(|| inner(self));
                Substitution::Select(branches, otherwise)
            }
            6 => Substitution::Any(self.formula(2, true)),
            7 => Substitution::Choice((0..2).map(|_| self.substitution(depth - 1)).collect()),
            _ => Substitution::Sequence(inner(self), inner(self)),
        }
    }
}

/// A random machine: as the reference runs it, and as text.
fn machine(dice: &mut Dice) -> (Model, String) {
    let mut writer = Writer { dice, has_parameter: false };
    let properties = if writer.dice.once_in(6) { Some(writer.closed(2)) } else { None };
    let invariant: Vec<Formula> = (0..1 + writer.dice.below(2)).map(|_| writer.formula(2, false)).collect();
    let assertion = writer.dice.once_in(3).then(|| writer.formula(2, false));
    let mut operations = Vec::new();
    for _ in 0..1 + writer.dice.below(3) {
        writer.has_parameter = writer.dice.once_in(3);
        let guard = writer.formula(2, false);
        operations.push((writer.has_parameter, guard, writer.substitution(2)));
    }
    let model = Model { properties, invariant, assertion, operations };
    let text = model.text();
    (model, text)
}

impl Writer<'_> {
    /// A formula without names, for PROPERTIES.
    fn closed(&mut self, depth: usize) -> Formula {
        match self.dice.below(if depth == 0 { 2 } else { 5 }) {
            0 => Formula::Known(!self.dice.once_in(4)),
            1 => Formula::Open(self.dice.below(OPEN.len())),
            2 => Formula::And(vec![self.closed(depth - 1), self.closed(depth - 1)]),
            3 => Formula::Or(vec![self.closed(depth - 1), self.closed(depth - 1)]),
            _ => Formula::Implies(Box::new(self.closed(depth - 1)), Box::new(self.closed(depth - 1))),
        }
    }
}

impl Formula {
    fn text(&self) -> String {
        let all = |parts: &[Formula], sign: &str| parts.iter().map(|part| format!("({})", part.text())).collect::<Vec<_>>().join(sign);
        match self {
            Self::Known(holds) => if *holds { "1 = 1" } else { "1 = 0" }.to_owned(),
            Self::Open(which) => OPEN[*which].to_owned(),
            Self::Compare(name, sign, number) => {
                let name = match name {
                    Name::X => "x",
                    Name::Y => "y",
                    Name::Parameter => "p",
                    Name::Bound => "i",
                };
                format!("{name} {} {number}", ["=", "<", ">="][*sign])
            }
            Self::And(parts) => all(parts, " & "),
            Self::Or(parts) => all(parts, " or "),
            Self::Not(inner) => format!("not({})", inner.text()),
            Self::Implies(left, right) => format!("(({}) => ({}))", left.text(), right.text()),
            Self::Equivalent(left, right) => format!("(({}) <=> ({}))", left.text(), right.text()),
            Self::ForAll(inner) => format!("!i.(i : 0..2 => ({}))", inner.text()),
            Self::Exists(inner) => format!("#i.(i : 0..2 & ({}))", inner.text()),
            Self::Bool(inner) => format!("bool({}) = TRUE", inner.text()),
        }
    }
}

impl Substitution {
    fn text(&self) -> String {
        match self {
            Self::SetX(number) => format!("x := {number}"),
            Self::AddX(number) => format!("x := (x + {number}) mod 5"),
            Self::SetY(number) => format!("y := {number}"),
            Self::Skip => "skip".to_owned(),
            Self::If(condition, then, otherwise) => {
                format!("IF {} THEN {} ELSE {} END", condition.text(), then.text(), otherwise.text())
            }
            Self::Select(branches, otherwise) => {
                let branches: Vec<String> = branches.iter().map(|(guard, body)| format!("{} THEN {}", guard.text(), body.text())).collect();
                let otherwise = otherwise.as_ref().map(|body| format!(" ELSE {}", body.text())).unwrap_or_default();
                format!("SELECT {}{otherwise} END", branches.join(" WHEN "))
            }
            Self::Any(condition) => format!("ANY i WHERE i : 0..2 & ({}) THEN x := i END", condition.text()),
            Self::Choice(parts) => format!("CHOICE {} END", parts.iter().map(Self::text).collect::<Vec<_>>().join(" OR ")),
            Self::Sequence(first, then) => format!("BEGIN {}; {} END", first.text(), then.text()),
        }
    }
}

impl Model {
    fn text(&self) -> String {
        let mut text = "MACHINE M\n".to_owned();
        if let Some(properties) = &self.properties {
            text += &format!("CONSTANTS c PROPERTIES c = 0 & ({})\n", properties.text());
        }
        let invariant: Vec<String> = self.invariant.iter().map(|conjunct| format!("({})", conjunct.text())).collect();
        text += &format!("VARIABLES x, y\nINVARIANT x : INTEGER & y : INTEGER & {}\n", invariant.join(" & "));
        if let Some(assertion) = &self.assertion {
            // About the state, as one about constants alone is a condition on set-ups.
            text += &format!("ASSERTIONS ({}) or x > 99\n", assertion.text());
        }
        text += "INITIALISATION x := 0 || y := 0\nOPERATIONS\n";
        let operations: Vec<String> = self
            .operations
            .iter()
            .enumerate()
            .map(|(number, (has_parameter, guard, body))| {
                let (parameter, typing) = if *has_parameter { ("(p)", "p : 0..1 & ") } else { ("", "") };
                format!("  op{number}{parameter} = PRE {typing}({}) THEN {} END", guard.text(), body.text())
            })
            .collect();
        text + &operations.join(";\n") + "\nEND\n"
    }
}

fn check(text: &str, symmetry: Mode) -> Outcome {
    let options = Options { keep_going: true, symmetry, workers: 1, ..Options::default() };
    let request = Request { options, ..Request::default() };
    let compiled = Compiled::of_text("M.mch", text, &request).unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics));
    compiled.check()
}

/// What disagrees, if anything.
fn disagreement(model: &Model, text: &str, symmetry: Mode) -> Option<String> {
    let outcome = check(text, symmetry);
    let Expected { states, transitions, deadlocks, violations, false_assertions, verdict, precise } = expected(model);
    let found = match outcome.verdict {
        Verdict::InvariantViolation | Verdict::AssertionViolation | Verdict::Deadlock => "a finding",
        other => other.word(),
    };
    let explored = &outcome.explored;
    let counts = [explored.states, explored.transitions, explored.deadlocks, explored.invariant_violations, explored.assertion_violations];
    let wanted = [states, transitions, explored.deadlocks, violations, false_assertions];
    let is_right = (found == verdict || found == precise.1) && (deadlocks..=precise.0).contains(&explored.deadlocks);
    if is_right && counts == wanted {
        return None;
    }
    Some(format!("{found} {counts:?} ({:?}), must be {verdict} or {precise:?}, {deadlocks} {wanted:?}\n{text}", outcome.limit))
}

/// Compares the machines of these seeds; gives how many had an unknown verdict, a finding or neither.
fn compare(seeds: std::ops::Range<u64>) -> ([usize; 3], Vec<String>) {
    let (mut counts, mut disagreements) = ([0; 3], Vec::new());
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let (model, text) = machine(&mut dice);
        let symmetry = if dice.once_in(2) { Mode::Off } else { Mode::Exact };
        match expected(&model).verdict {
            "incomplete" => counts[0] += 1,
            "a finding" => counts[1] += 1,
            _ => counts[2] += 1,
        }
        disagreements.extend(disagreement(&model, &text, symmetry).map(|why| format!("seed {seed}: {why}")));
    }
    (counts, disagreements)
}

#[test]
fn what_is_unknown_is_neither_verified_nor_a_finding() {
    let (counts, disagreements) = compare(0..400);
    assert_eq!(disagreements, Vec::<String>::new(), "{}", disagreements.join("\n"));
    assert!(counts.iter().all(|count| *count > 20), "all kinds of machines occur: {counts:?}");
}

/// For `scripts/long.sh`.
#[test]
#[ignore = "takes minutes"]
#[allow(clippy::print_stderr, reason = "figures for whoever runs it")]
fn what_is_unknown_in_many_machines_is_neither_verified_nor_a_finding() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("BCHECK_FIRST_SEED", 1000), number("BCHECK_MACHINES", 2000));
    let (counts, disagreements) = compare(first..first + count);
    eprintln!("{count} machines: {} unknown, {} with a finding, {} others", counts[0], counts[1], counts[2]);
    assert_eq!(disagreements, Vec::<String>::new(), "{}", disagreements.join("\n"));
}
