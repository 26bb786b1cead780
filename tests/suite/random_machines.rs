//! Random machines in all modes, tiers, orders and texts, against the plain run; and random refinements.
//!
//! How many machines and from which seed on can be set for longer runs (`scripts/long.sh`): `BCHECK_MACHINES`, `BCHECK_FIRST_SEED`.

use crate::dice::Dice;
use crate::program::{part, thorough};
use crate::random_machine::comparison::{Agreement, LeftOut, agreement};
use crate::random_machine::machine;
use crate::random_machine::refinement::refinements;
use bcheck::source::Vocabulary;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// What was seen of many machines.
#[derive(Debug, Default)]
struct Figures {
    machines: usize,
    refused: usize,
    too_large: usize,
    slow: usize,
    undecided: usize,
    compared: usize,
    several_states: usize,
    movable: usize,
    reduced: usize,
    packed: usize,
    ill_defined: usize,
    runs: usize,
    variants: usize,
    states: u64,
    verdicts: BTreeMap<&'static str, usize>,
    disagreements: Vec<String>,
}

impl Figures {
    fn add(&mut self, found: &Agreement) {
        self.compared += 1;
        self.several_states += usize::from(found.states > 1);
        self.movable += usize::from(found.has_movable);
        self.reduced += usize::from(found.representatives < found.states);
        self.packed += usize::from(found.is_packed);
        self.ill_defined += usize::from(found.is_ill_defined);
        self.runs += found.runs;
        self.variants += found.variants;
        self.states += found.states;
        *self.verdicts.entry(found.verdict.word()).or_default() += 1;
    }

    fn leave_out(&mut self, seed: u64, why: &LeftOut, text: &str) {
        match why {
            LeftOut::Refused(codes) => {
                self.refused += 1;
                assert!(!codes.is_empty(), "a refusal says why");
                self.note(seed, codes);
            }
            LeftOut::TooLarge => self.too_large += 1,
            LeftOut::Slow => {
                self.slow += 1;
                self.note(seed, &format!("slow\n{text}"));
            }
            LeftOut::Undecided(why) => {
                self.undecided += 1;
                self.note(seed, &format!("{why}\n{text}"));
            }
        }
    }

    /// For whoever watches a long run.
    #[allow(clippy::print_stderr, reason = "a test")]
    fn note(&self, seed: u64, text: &str) {
        eprintln!("seed {seed}: {text}");
    }

    fn disagree(&mut self, seed: u64, why: &str, text: &str) {
        let mut told = String::new();
        let _ = write!(told, "seed {seed}: {why}\n{text}");
        self.note(seed, &told);
        self.disagreements.push(told);
    }
}

fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("panic: {}", text.unwrap_or_default())
}

/// Compares the machines of these seeds.
fn compare(seeds: std::ops::Range<u64>) -> Figures {
    let mut figures = Figures::default();
    let started = Instant::now();
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let text = machine(&mut dice);
        figures.machines += 1;
        match catch_unwind(AssertUnwindSafe(|| agreement(&text, &mut dice))) {
            Ok(Ok(Ok(found))) => figures.add(&found),
            Ok(Ok(Err(why))) => figures.leave_out(seed, &why, &text),
            Ok(Err(why)) => figures.disagree(seed, &why, &text),
            Err(panic) => figures.disagree(seed, &message_of(&*panic), &text),
        }
        if figures.machines.is_multiple_of(1000) {
            figures.note(seed, &format!("{:.0} s, {} disagreements", started.elapsed().as_secs_f64(), figures.disagreements.len()));
        }
    }
    figures
}

/// Compares refinements of the machines of these seeds; gives how many were checked, with movable elements, and violated.
fn compare_refinements(seeds: std::ops::Range<u64>) -> ([usize; 3], Vec<String>) {
    let (mut counts, mut disagreements) = ([0; 3], Vec::new());
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let text = machine(&mut dice);
        let found = catch_unwind(AssertUnwindSafe(|| refinements(&text, &mut dice)));
        match found.unwrap_or_else(|panic| Err(message_of(&*panic))) {
            Ok(None) => {}
            Ok(Some(refined)) => {
                counts[0] += 1;
                counts[1] += usize::from(refined.has_movable);
                counts[2] += usize::from(refined.changed.is_some_and(|verdict| verdict.word() == "refinement_violation"));
            }
            Err(why) => disagreements.push(format!("seed {seed}: {why}\n{text}")),
        }
    }
    (counts, disagreements)
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_machines_agree_in_all_modes_and_texts() {
    let figures = compare(0..part(60, 2));
    assert!(figures.disagreements.is_empty(), "{}", figures.disagreements.join("\n\n"));
    let [compared, several, movable, reduced] = if thorough() { [40, 30, 14, 8] } else { [20, 15, 6, 3] };
    assert!(
        figures.compared > compared && figures.several_states > several && figures.movable > movable && figures.reduced > reduced,
        "{figures:?}"
    );
    assert!(figures.refused < 6 && figures.verdicts.len() > 3, "{figures:?}");
}

#[test]
fn random_refinements_agree_with_and_without_reduction() {
    let ([checked, movable, violated], disagreements) = compare_refinements(0..8);
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n\n"));
    assert!(checked > 2 && movable > 0 && violated > 0, "{checked} checked, {movable} with movable elements, {violated} violated");
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
#[allow(clippy::print_stdout, reason = "figures for whoever runs it")]
fn many_random_machines_agree() {
    let (first, count) = (number("BCHECK_FIRST_SEED", 1_000), number("BCHECK_MACHINES", 20_000));
    let started = Instant::now();
    let mut figures = compare(first..first + count);
    let rate = count as f64 / started.elapsed().as_secs_f64();
    let disagreements = std::mem::take(&mut figures.disagreements);
    println!("{figures:#?}\n{rate:.1} machines per second, {} disagreements", disagreements.len());
    assert!(disagreements.is_empty(), "{} disagreements, each printed above", disagreements.len());
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
#[allow(clippy::print_stdout, reason = "figures for whoever runs it")]
fn many_random_refinements_agree() {
    let (first, count) = (number("BCHECK_FIRST_SEED", 1_000), number("BCHECK_REFINEMENTS", 5_000));
    let ([checked, movable, violated], disagreements) = compare_refinements(first..first + count);
    println!("{checked} refinements, {movable} with movable elements, {violated} violated");
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n\n"));
}
