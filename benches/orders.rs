//! The same machine in other orders: how much longer a check takes when conjuncts, clauses, operands and declarations are shuffled.
//!
//! Users write PROPERTIES in the order of their documents, so no order may cost minutes. Machines and orders are random, with fixed seeds;
//! each text is checked to its end without reduction, the fastest of three times counts, and the figure is the worst ratio of the slowest
//! and the fastest text of one machine. Times below a millisecond count as one.

#![allow(clippy::print_stdout, reason = "the figures are what it is for")]
#![allow(dead_code, reason = "the tests use more of the random machines")]

#[path = "../tests/suite/dice.rs"]
mod dice;
#[path = "../tests/suite/random_machine/mod.rs"]
mod random_machine;

use bcheck::explore::{Limits, Options};
use bcheck::symmetry::Mode;
use bcheck::{Request, check_text};
use random_machine::variants::Variant;
use std::time::{Duration, Instant};

const MACHINES: usize = 200;
const ORDERS: usize = 5;
const TIMES: usize = 3;
const LEAST: Duration = Duration::from_millis(1);
/// Larger machines are left out.
const MOST_STATES: u64 = 20_000;
const PATIENCE: Duration = Duration::from_secs(20);

/// The time of a whole check, from text to verdict; `None` for a machine that is refused, or ends at another limit.
fn time(text: &str) -> Option<Duration> {
    let limits = Limits { states: Some(MOST_STATES), time: Some(PATIENCE), ..Limits::default() };
    let options = Options { symmetry: Mode::Off, keep_going: true, workers: 1, limits, ..Request::default().options };
    let request = Request { options, ..Request::default() };
    let mut least = None;
    for _ in 0..TIMES {
        let started = Instant::now();
        let checked = check_text("random.mch", text, &request).ok()?;
        let took = started.elapsed();
        if checked.outcome.limit.is_some() && took < PATIENCE {
            return None;
        }
        least = Some(least.map_or(took, |least: Duration| least.min(took)));
    }
    least.map(|least| least.max(LEAST))
}

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let (mut ratios, mut slowest) = (Vec::new(), Duration::ZERO);
    for seed in 0.. {
        let mut dice = dice::Dice::new(seed);
        let text = random_machine::machine(&mut dice);
        let Some(first) = time(&text) else { continue };
        let others = (0..ORDERS).map(|_| time(&Variant::Shuffled.of(&text, &mut dice)).unwrap_or(PATIENCE));
        let times: Vec<Duration> = std::iter::once(first).chain(others).collect();
        let (fastest, longest) = (times.iter().min().copied().unwrap_or(LEAST), times.iter().max().copied().unwrap_or(LEAST));
        ratios.push((longest.as_secs_f64() / fastest.as_secs_f64(), seed));
        slowest = slowest.max(longest);
        if ratios.len() == MACHINES {
            break;
        }
    }
    ratios.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("{MACHINES} machines, {ORDERS} other orders each; the slowest text takes {slowest:.2?}");
    for (ratio, seed) in ratios.iter().take(5) {
        println!("seed {seed}: the slowest order takes {ratio:.1} times as long as the fastest");
    }
    let above_two = ratios.iter().filter(|(ratio, _)| *ratio > 2.0).count();
    println!("{above_two} of {MACHINES} above 2");
}
