//! Random systems of alike processes with random temporal formulas: reduced and full graphs give the same verdicts.
//!
//! A system is a whole machine over a deferred set; each process is in one of three places, a bit is shared, and rules let any process
//! move that finds bit and places as they ask. Most are near one in which the places change hands all the time, where a quotient without
//! names takes the steps of several processes for those of one. Formulas are of linear and branching time, with fairness of operations
//! and of all calls, quantified, or naming an element. How many and from which seed on can be set: `BCHECK_SYSTEMS`, `BCHECK_FIRST_SEED`.
//!
//! Invariant: a seed gives the same system everywhere; what disagrees is told with seed, machine and formula.

use crate::dice::Dice;
use crate::formulas::{Asked, Formulas, verdicts};
use crate::program::part;
use bcheck::sema::Logic;
use bcheck::symmetry::Mode;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a rule asks of a process and of the others, and what it does: `None` asks or does nothing.
#[derive(Clone, Copy, Debug)]
struct Rule {
    operation: char,
    at: usize,
    bit: Option<usize>,
    nobody_else_at: Option<usize>,
    to: usize,
    write: Option<usize>,
    /// The process is marked afterwards, and no other one.
    marks: bool,
    /// Only for a process that is not marked.
    unmarked: bool,
}

const PLACES: usize = 3;

/// A system near which the classes of symmetric states hide who takes which step.
const CHANGING_HANDS: [Rule; 4] = [
    Rule { nobody_else_at: Some(1), write: Some(1), ..moving('s', 0, 0, 1) },
    Rule { nobody_else_at: Some(0), ..moving('a', 1, 0, 1) },
    Rule { nobody_else_at: Some(0), ..moving('b', 1, 1, 0) },
    Rule { nobody_else_at: Some(2), ..moving('d', 1, 1, 2) },
];

const fn moving(operation: char, bit: usize, at: usize, to: usize) -> Rule {
    Rule { operation, at, bit: Some(bit), nobody_else_at: None, to, write: None, marks: false, unmarked: false }
}

impl Rule {
    fn random(dice: &mut Dice) -> Self {
        Self {
            operation: *dice.pick(&['a', 'b', 'd', 's']),
            at: dice.below(PLACES),
            bit: *dice.pick(&[None, Some(0), Some(1)]),
            nobody_else_at: *dice.pick(&[None, None, Some(0), Some(1), Some(2)]),
            to: dice.below(PLACES),
            write: *dice.pick(&[None, Some(0), Some(1)]),
            marks: dice.once_in(5),
            unmarked: dice.once_in(6),
        }
    }

    /// Changes one thing about it.
    fn change(&mut self, dice: &mut Dice) {
        match dice.below(6) {
            0 => self.at = dice.below(PLACES),
            1 => self.bit = *dice.pick(&[None, Some(0), Some(1)]),
            2 => self.nobody_else_at = *dice.pick(&[None, Some(0), Some(1), Some(2)]),
            3 => self.to = dice.below(PLACES),
            4 => self.write = *dice.pick(&[None, Some(0), Some(1)]),
            _ => self.marks = !self.marks,
        }
    }

    fn guard(self) -> String {
        let mut guard = format!("at(p) = {}", self.at);
        let mut add = |conjunct: String| {
            let _ = write!(guard, " & {conjunct}");
        };
        self.bit.into_iter().for_each(|bit| add(format!("bit = {bit}")));
        self.nobody_else_at.into_iter().for_each(|place| add(format!("at~[{{{place}}}] <: {{p}}")));
        if self.unmarked {
            add("p /: marked".to_owned());
        }
        guard
    }

    fn effect(self) -> String {
        let bit = self.write.map(|bit| format!(" || bit := {bit}")).unwrap_or_default();
        format!("at(p) := {}{bit}{}", self.to, if self.marks { " || marked := {p}" } else { "" })
    }
}

/// A machine, with the operations that it has.
fn system(dice: &mut Dice) -> (String, Vec<char>) {
    let mut rules: Vec<Rule> = Vec::new();
    if dice.below(10) < 6 {
        rules.extend(CHANGING_HANDS);
        rules.extend((0..dice.below(2)).map(|_| Rule::random(dice)));
        for _ in 0..dice.below(3) {
            let at = dice.below(rules.len());
            rules[at].change(dice);
        }
    } else {
        rules.extend((0..3 + dice.below(4)).map(|_| Rule::random(dice)));
    }
    let mut operations: Vec<char> = rules.iter().map(|rule| rule.operation).collect();
    operations.sort_unstable();
    operations.dedup();
    let bodies: Vec<String> = operations
        .iter()
        .map(|operation| {
            let own = rules.iter().filter(|rule| rule.operation == *operation);
            let choices: Vec<String> = own.map(|rule| format!("p : PROC & {} THEN {}", rule.guard(), rule.effect())).collect();
            format!("  {operation}(p) = PRE p : PROC THEN SELECT {} END END", choices.join("\n    WHEN "))
        })
        .collect();
    let text = format!(
        "MACHINE alike\nSETS PROC\nVARIABLES at, bit, marked\nINVARIANT at : PROC --> 0..2 & bit : 0..1 & marked <: PROC\n\
         INITIALISATION at := PROC * {{0}} || bit := 0 || marked := {{}}\nOPERATIONS\n{}\nEND\n",
        bodies.join(";\n")
    );
    (text, operations)
}

/// Writes formulas about such a system.
struct Writer<'d> {
    dice: &'d mut Dice,
    operations: Vec<char>,
    /// Names of processes that may be used.
    names: Vec<&'static str>,
}

impl Writer<'_> {
    fn operation(&mut self) -> char {
        *self.dice.pick(&self.operations)
    }

    /// A part without temporal operators; of a step only where `steps`.
    fn atom(&mut self, steps: bool) -> String {
        let place = self.dice.below(PLACES);
        let operation = self.operation();
        if !self.names.is_empty() && self.dice.below(5) < 3 {
            let name = *self.dice.pick(&self.names);
            return match self.dice.below(if steps { 5 } else { 4 }) {
                0 | 1 => format!("{{at({name}) = {place}}}"),
                2 => format!("{{{name} : marked}}"),
                3 => format!("e({operation}({name}))"),
                _ => format!("[{operation}({name})]"),
            };
        }
        match self.dice.below(if steps { 10 } else { 8 }) {
            0..=2 => format!("{{{place} : ran(at)}}"),
            3 => format!("{{card(at~[{{{place}}}]) = 1}}"),
            4 => format!("{{bit = {}}}", self.dice.below(2)),
            5 => "{marked = {}}".to_owned(),
            6 => format!("e({operation})"),
            7 => (*self.dice.pick(&["deadlock", "sink"])).to_owned(),
            8 => (*self.dice.pick(&["unchanged({marked})", "changed({at})", "BA({marked <: marked$0})"])).to_owned(),
            _ => format!("[{operation}]"),
        }
    }

    fn linear(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.once_in(6) {
            return self.atom(true);
        }
        if self.dice.below(2) == 0 {
            let operator = *self.dice.pick(&["G", "F", "X", "not", "GF", "FG", "G", "F", "O", "H", "Y"]);
            return format!("{operator} ({})", self.linear(depth - 1));
        }
        let operator = *self.dice.pick(&["&", "or", "=>", "U", "W", "R", "S", "T", "<=>"]);
        format!("(({}) {operator} ({}))", self.linear(depth - 1), self.linear(depth - 1))
    }

    fn branching(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.once_in(6) {
            return self.atom(false);
        }
        let inner = self.branching(depth - 1);
        match self.dice.below(5) {
            0..=2 => format!("{} ({inner})", *self.dice.pick(&["AG", "AF", "AX", "EG", "EF", "EX", "not"])),
            3 => format!("{} ({inner}) U ({})", *self.dice.pick(&["E", "A"]), self.branching(depth - 1)),
            _ => format!("(({inner}) {} ({}))", *self.dice.pick(&["&", "or", "=>"]), self.branching(depth - 1)),
        }
    }

    fn fairness(&mut self) -> String {
        let (one, two) = (self.operation(), self.operation());
        match self.dice.below(6) {
            0 => format!("WF({one})"),
            1 => format!("SF({one})"),
            2 => format!("WF({one}) & SF({two})"),
            3 => format!("WF({one}) & WF({two})"),
            4 => format!("SF({one}) & SF({two})"),
            _ => format!("(SF({one}) or SF({two}))"),
        }
    }

    /// With a name for a process, taken away afterwards.
    fn naming<T>(&mut self, name: &'static str, write: impl FnOnce(&mut Self) -> T) -> T {
        self.names.push(name);
        let written = write(self);
        self.names.pop();
        written
    }

    /// A formula of each kind.
    fn formulas(&mut self) -> Vec<(Logic, String)> {
        let mut formulas = vec![(Logic::Ltl, self.linear(3))];
        let fair = self.fairness();
        formulas.push((Logic::Ltl, format!("{fair} => {}", self.linear(3))));
        formulas.push((Logic::Ltl, format!("WEF => {}", self.linear(2))));
        formulas.push((Logic::Ltl, format!("SEF => {}", self.linear(2))));
        formulas.push((Logic::Ctl, self.branching(3)));
        let all = self.naming("x", |writer| writer.linear(3));
        formulas.push((Logic::Ltl, format!("!x.({{x : PROC}} => {all})")));
        let some = self.naming("x", |writer| writer.linear(2));
        formulas.push((Logic::Ltl, format!("#x.({{x : PROC}} & {some})")));
        let operation = self.operation();
        let fair = *self.dice.pick(&["WF", "SF"]);
        let all = self.naming("x", |writer| writer.linear(2));
        formulas.push((Logic::Ltl, format!("!x.({{x : PROC}} => {fair}({operation}(x)) => {all})")));
        let both = self.naming("x", |writer| writer.naming("y", |writer| writer.linear(2)));
        formulas.push((Logic::Ltl, format!("!x.({{x : PROC}} => !y.({{y : PROC & x /= y}} => {both}))")));
        let (outer, inner) = (self.naming("x", |writer| writer.atom(true)), self.naming("x", |writer| writer.linear(2)));
        let every = *self.dice.pick(&["WEF", "SEF"]);
        formulas.push((Logic::Ltl, format!("{every} => !x.({{x : PROC}} => G ({outer} => F ({inner})))")));
        let named = self.naming("PROC1", |writer| writer.linear(3));
        formulas.push((Logic::Ltl, named));
        formulas
    }
}

/// What was seen of many systems.
#[derive(Debug, Default)]
struct Figures {
    systems: usize,
    reduced: usize,
    /// Verdicts that hold, and that do not, of each kind of formula.
    verdicts: Vec<[usize; 2]>,
    disagreements: Vec<String>,
}

/// Compares the systems of these seeds, of each so many kinds of formulas, in turn.
fn compare(seeds: std::ops::Range<u64>, kinds: usize, modes: &[Mode]) -> Figures {
    let mut figures = Figures::default();
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let (text, operations) = system(&mut dice);
        let size = if dice.once_in(5) { 3 } else { 2 };
        let all = Writer { dice: &mut dice, operations, names: Vec::new() }.formulas();
        figures.verdicts.resize(all.len(), [0; 2]);
        let first = usize::try_from(seed).expect("a small seed");
        let kinds = kinds.min(all.len());
        let chosen: Vec<usize> = (0..kinds).map(|next| (first + next * all.len() / kinds) % all.len()).collect();
        let asked =
            Asked { formulas: chosen.iter().map(|kind| all[*kind].clone()).collect(), sizes: vec![(None, size)], ..Asked::default() };
        figures.systems += 1;
        let found = catch_unwind(AssertUnwindSafe(|| {
            let judged = Formulas::of_text(&text, &asked);
            let plain = judged.outcome(Mode::Off, 1);
            let others: Vec<_> = modes.iter().map(|mode| (*mode, judged.outcome(*mode, 1))).collect();
            let reduced = others[0].1.explored.states < plain.explored.states;
            (reduced, verdicts(&plain), others.iter().map(|(mode, outcome)| (*mode, verdicts(outcome))).collect::<Vec<_>>())
        }));
        let Ok((reduced, plain, others)) = found else {
            figures.disagreements.push(format!("seed {seed}: a panic\n{text}{asked:?}"));
            continue;
        };
        figures.reduced += usize::from(reduced);
        for (kind, verdict) in chosen.iter().zip(plain.chars()) {
            figures.verdicts[*kind][usize::from(verdict != 'T')] += 1;
        }
        for (mode, verdicts) in others.iter().filter(|(_, verdicts)| *verdicts != plain) {
            figures.disagreements.push(format!("seed {seed}: {plain} without reduction, {verdicts} by {mode:?}\n{text}{asked:?}"));
        }
    }
    figures
}

impl Figures {
    /// Nothing disagrees, and what was compared says something.
    #[track_caller]
    fn hold(&self) {
        assert!(self.disagreements.is_empty(), "{}", self.disagreements.join("\n\n"));
        assert!(self.reduced * 2 > self.systems, "{} of {} are reduced", self.reduced, self.systems);
        for [holds, fails] in &self.verdicts {
            assert!(holds.min(fails) * 25 > *holds + *fails, "each kind of formula says something: {:?}", self.verdicts);
        }
    }
}

#[test]
fn reduced_and_full_graphs_agree_on_random_systems_of_alike_processes() {
    // Two kinds of formulas of each system, in turn, so that it takes seconds.
    compare(0..part(500, 2), 2, &[Mode::Exact]).hold();
}

#[test]
#[ignore = "minutes: scripts/long.sh"]
#[allow(clippy::print_stderr, reason = "figures for whoever runs it")]
fn many_random_systems_of_alike_processes_agree() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let first = number("BCHECK_FIRST_SEED", 1_000);
    let figures = compare(first..first + number("BCHECK_SYSTEMS", 10_000), usize::MAX, &[Mode::Exact, Mode::Fast, Mode::Sorted]);
    eprintln!("{} systems, {} reduced, verdicts {:?}", figures.systems, figures.reduced, figures.verdicts);
    figures.hold();
}
