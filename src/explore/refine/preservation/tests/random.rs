//! Formulas of random machines on random refinements: each is judged of both, and what is kept must hold of both.

use super::super::Preservation;
use super::{Demands, Matching, Pair, TemporalVerdict};
use bcheck_source::{SplitMix64, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Pairs of texts.
type Relation = BTreeSet<(String, String)>;

/// Random pairs of machines, and random formulas.
struct Writer {
    dice: SplitMix64,
}

impl Writer {
    fn once_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    fn below(&mut self, number: usize) -> usize {
        self.dice.below(number)
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// The steps of an operation of the refined machine from x and h, and some of them from x and y.
    fn steps(&mut self, hidden: &[usize]) -> (Relation, Relation) {
        let (mut steps, mut own) = (Relation::new(), Relation::new());
        for x in 0..3_usize {
            let mut targets = BTreeSet::new();
            for h in hidden {
                for _ in 0..self.below(3) {
                    let to = self.below(3);
                    targets.insert(to);
                    // Where it is left open what is hidden, the refinement seldom goes wrong.
                    let is_open = self.once_in(2);
                    let next = hidden[self.below(hidden.len())];
                    for other in hidden.iter().filter(|other| is_open || **other == next) {
                        steps.insert((format!("{x} |-> {h}"), format!("{to} |-> {other}")));
                    }
                }
            }
            for y in 0..2 {
                for &to in &targets {
                    if !self.once_in(4) {
                        own.insert((format!("{x} |-> {y}"), format!("{to} |-> {}", self.below(2))));
                    }
                }
            }
        }
        (steps, own)
    }

    /// Internal steps, which change y.
    fn ticks(&mut self) -> Relation {
        if self.once_in(3) {
            return Relation::new();
        }
        let mut ticks = Relation::new();
        for from in (0..3).flat_map(|x| (0..2).map(move |y| format!("{x} |-> {y}"))) {
            if self.once_in(3) {
                let to = format!("{} |-> {}", &from[..1], self.below(2));
                ticks.insert((from, to));
            }
        }
        ticks
    }

    /// The texts of a machine about x and h and of a refinement about x and y, of which many pass.
    fn pair(&mut self) -> (String, String) {
        let hidden: &[usize] = if self.once_in(2) { &[0, 1] } else { &[0] };
        let [(a, own_a), (b, own_b)] = [self.steps(hidden), self.steps(hidden)];
        let first = if hidden.len() > 1 && self.once_in(2) { "h :: 0..1" } else { "h := 0" };
        let refined = format!(
            "MACHINE m VARIABLES x, h INVARIANT x : 0..2 & h : 0..1 INITIALISATION x := 0 || {first} OPERATIONS {}; {} END",
            operation("a", &a, "h"),
            operation("b", &b, "h")
        );
        let mut refinement = format!(
            "REFINEMENT r REFINES m VARIABLES x, y INVARIANT y : 0..1 INITIALISATION x := 0 || y := 0 OPERATIONS {}; {}",
            operation("a", &own_a, "y"),
            operation("b", &own_b, "y")
        );
        let ticks = self.ticks();
        if !ticks.is_empty() {
            let _ = write!(refinement, "; {}", operation("tick", &ticks, "y"));
        }
        (refined, refinement + " END")
    }

    fn atom(&mut self, is_linear: bool) -> String {
        const STATES: &[&str] = &["{x = 0}", "{x = 1}", "{x = 2}", "{x > 0}", "e(a)", "e(b)", "deadlock"];
        const STEPS: &[&str] = &[
            "[a]",
            "[b]",
            "unchanged({x})",
            "changed({x})",
            "increasing({x})",
            "BA({x > x$0 + 1})",
            "deterministic(a, b)",
            "deadlock(a, b)",
        ];
        if is_linear && self.once_in(2) { self.one_of(STEPS) } else { self.one_of(STATES) }.to_owned()
    }

    fn linear(&mut self, depth: u32) -> String {
        if depth == 0 || self.once_in(6) {
            return self.atom(true);
        }
        if self.once_in(2) {
            let operator = self.one_of(&["not", "not", "X", "F", "F", "G", "G", "Y", "O", "H"]);
            return format!("({operator} {})", self.linear(depth - 1));
        }
        let operator = self.one_of(&["&", "or", "or", "=>", "<=>", "U", "W", "R", "S", "T"]);
        format!("({} {operator} {})", self.linear(depth - 1), self.linear(depth - 1))
    }

    fn branching(&mut self, depth: u32) -> String {
        if depth == 0 || self.once_in(6) {
            return self.atom(false);
        }
        match self.below(4) {
            0 => format!("(not {})", self.branching(depth - 1)),
            1 => {
                let operator = self.one_of(&["&", "or", "or", "=>"]);
                format!("({} {operator} {})", self.branching(depth - 1), self.branching(depth - 1))
            }
            2 => format!("(A {} U {})", self.branching(depth - 1), self.branching(depth - 1)),
            _ => {
                let operator = self.one_of(&["AX", "AF", "AG", "AG", "EX", "EX[a]", "EG"]);
                format!("({operator} {})", self.branching(depth - 1))
            }
        }
    }

    /// A formula that is more often true than a random one.
    fn formula(&mut self) -> String {
        let depth = 1 + u32::try_from(self.below(3)).expect("small");
        match self.below(4) {
            0 => format!("CTL {}", self.branching(depth + 1)),
            1 => format!("CTL AG ({} or {})", self.branching(depth), self.branching(depth)),
            2 => format!("G ({} or {})", self.linear(depth), self.linear(depth)),
            _ => self.linear(depth + 1),
        }
    }
}

/// An operation that takes steps of a relation on x and another variable.
fn operation(name: &str, steps: &Relation, other: &str) -> String {
    if steps.is_empty() {
        return format!("{name} = SELECT x > 5 THEN skip END");
    }
    let items: Vec<String> = steps.iter().map(|(from, to)| format!("({from}) |-> ({to})")).collect();
    let set = items.join(", ");
    format!("{name} = ANY i, j WHERE (x |-> {other}) |-> (i |-> j) : {{{set}}} THEN x := i || {other} := j END")
}

/// What was seen in random pairs.
#[derive(Debug, Default)]
struct Seen {
    passed: usize,
    kept: BTreeMap<&'static str, usize>,
    /// Not kept, and failing.
    lost: BTreeMap<&'static str, usize>,
    /// Not kept, and holding all the same.
    spared: usize,
}

/// Judges random formulas of random machines, and again on their refinements.
fn campaign(seed: u64, pairs: usize, formulas: usize) -> Seen {
    let mut writer = Writer { dice: SplitMix64::new(seed) };
    let mut seen = Seen::default();
    for _ in 0..pairs {
        let (refined, refinement) = writer.pair();
        let pair = Pair { refined: &refined, refinement: &refinement };
        let formulas: Vec<String> = (0..formulas).map(|_| writer.formula()).collect();
        let matching = [Matching::Simulation, Matching::Simulation, Matching::SimulationAll, Matching::Trace][writer.below(4)];
        let demands = Demands { matching, refusals: writer.once_in(3), divergence: false };
        let preserved = pair.preserved(demands, &formulas);
        let direct = pair.direct(&formulas).expect("the refinement has the same names");
        seen.passed += usize::from(preserved.iter().any(|one| one.answer == Preservation::Kept));
        for one in preserved {
            let (formula, holds) = (&formulas[one.formula], direct[one.formula] == TemporalVerdict::Holds);
            match one.answer {
                Preservation::Kept => {
                    assert!(holds, "{formula} is said to be kept: {one:?} {demands:?}\n{refined}\n{refinement}");
                    *seen.kept.entry(one.lemma.expect("what is kept has a reason").word()).or_default() += 1;
                }
                Preservation::NotKept if one.gaps.is_empty() => panic!("{formula}: nothing is missing"),
                Preservation::NotKept if holds => seen.spared += 1,
                Preservation::NotKept if one.gaps.len() == 1 => *seen.lost.entry(one.gaps[0].word()).or_default() += 1,
                Preservation::NotKept | Preservation::OwnCheck | Preservation::Fails => {}
            }
        }
    }
    seen
}

#[test]
fn what_is_kept_of_random_machines_holds_of_their_refinements() {
    let seen = campaign(7, 40, 16);
    assert!(seen.passed >= 5, "{seen:?}");
    assert!(seen.kept.values().sum::<usize>() >= 10, "{seen:?}");
    assert!(seen.lost.values().sum::<usize>() >= 5, "{seen:?}");
}
