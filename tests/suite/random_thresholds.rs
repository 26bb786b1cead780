//! Random machines with thresholds at the ends of their ranges: verdict and counts are those with the defaults, or the run is incomplete
//! and says why.
//!
//! Invariant: thresholds are their process's, so each test of this file starts this program once more for the one that sets them.

use crate::dice::Dice;
use crate::random_machine::comparison::{LeftOut, PLAIN, Way, checked, comparable, full_space, is_ill_defined};
use crate::random_machine::machine;
use bcheck::explore::thresholds::tables;
use bcheck::explore::{LimitHit, Verdict};
use bcheck::source::ThresholdRow;
use bcheck::symmetry::Mode;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

/// Tells the process that sets thresholds which machines to check: the first seed and the one behind the last.
const SEEDS: &str = "BCHECK_THRESHOLD_SEEDS";

/// How many settings are tried on each machine.
const SETTINGS: usize = 3;

/// What was seen of many machines.
#[derive(Debug, Default)]
struct Figures {
    left_out: usize,
    other_scope: usize,
    ill_defined: usize,
    same: usize,
    incomplete: usize,
}

fn all_rows() -> Vec<(String, &'static ThresholdRow)> {
    tables().into_iter().flat_map(|table| table.rows.iter().map(|row| (format!("{}.{}", table.floor, row.name()), *row))).collect()
}

fn set(row: &ThresholdRow, value: u64) {
    assert!(row.set(value), "{value} is within the range of {}", row.name());
}

/// Sets some thresholds, or all, each to an end of its range; gives them as they are typed.
fn set_some(dice: &mut Dice) -> String {
    // A single one is found at once when it is at fault, and what only several of them lead to takes many.
    let of = *dice.pick(&[1, 3, 40, 200]);
    let only_least = dice.once_in(2);
    let mut told = String::new();
    for (name, row) in all_rows() {
        if dice.once_in(of) {
            let (least, greatest) = row.range().into_inner();
            let end = if only_least || dice.once_in(2) { least } else { greatest };
            set(row, end);
            let _ = write!(told, " --set {name}={end}");
        }
    }
    told
}

fn reset() {
    all_rows().into_iter().for_each(|(_, row)| set(row, row.default()));
}

/// Checks one machine with thresholds at their ends; what disagrees is an error.
fn compare(text: &str, dice: &mut Dice, figures: &mut Figures) -> Result<(), String> {
    reset();
    let Ok(plain) = checked(text, PLAIN) else {
        figures.left_out += 1;
        return Ok(());
    };
    let (plain, scope) = (plain.outcome, format!("{:?}", plain.machine.scope()));
    if comparable(&plain).is_err() || is_ill_defined(&plain) {
        figures.left_out += 1;
        return Ok(());
    }
    for _ in 0..SETTINGS {
        reset();
        let settings = set_some(dice);
        let way = Way { mode: if dice.once_in(2) { Mode::Off } else { Mode::Exact }, workers: 1 + dice.below(2), ..PLAIN };
        let differs = |what: &str| Err(format!("{way:?}{settings}\n{what}"));
        let is_whole;
        let outcome = match checked(text, way) {
            // Sizes and bounds that fit PROPERTIES may not be found any more: then something else is checked, and the report says so.
            Ok(checked) if format!("{:?}", checked.machine.scope()) != scope => {
                figures.other_scope += 1;
                continue;
            }
            Ok(checked) => {
                // Of constants that nothing reads one value may be enough, which a note says: then counts are those for this value.
                is_whole = checked.machine.not_chosen().is_empty();
                checked.outcome
            }
            Err(LeftOut::Refused(why)) => return differs(&format!("it is refused: {why}")),
            Err(why) => return differs(&format!("{why:?}")),
        };
        if let Some(fault) = &outcome.internal_error {
            return differs(fault);
        }
        if is_ill_defined(&outcome) {
            // A condition may be evaluated that another one kept from being.
            figures.ill_defined += 1;
            continue;
        }
        let has_reason = outcome.limit.is_some();
        if outcome.verdict == Verdict::Incomplete || has_reason && !matches!(outcome.limit, Some(LimitHit::States(_))) {
            if !has_reason {
                return differs("it is incomplete without a reason");
            }
            // What was found so far is there.
            if outcome.verdict != Verdict::Incomplete && (outcome.verdict == Verdict::Verified || plain.verdict == Verdict::Verified) {
                return differs(&format!("the verdict is {:?}, but should be {:?}", outcome.verdict, plain.verdict));
            }
            figures.incomplete += 1;
            continue;
        }
        if outcome.verdict != plain.verdict {
            return differs(&format!("the verdict is {:?}, but should be {:?}", outcome.verdict, plain.verdict));
        }
        if has_reason || is_whole && outcome.full.exact && full_space(&outcome) != full_space(&plain) {
            let (found, expected) = (full_space(&outcome), full_space(&plain));
            return differs(&format!("{:?}: the full space is {found:?}, but should be {expected:?}", outcome.limit));
        }
        figures.same += 1;
    }
    Ok(())
}

#[test]
#[ignore = "sets the thresholds of its process: started by the other tests of this file"]
#[allow(clippy::print_stderr, reason = "for whoever watches a long run")]
fn in_this_process() {
    // Where all ignored tests are run side by side, nobody asked for it.
    let Ok(seeds) = std::env::var(SEEDS) else { return };
    let (first, end) = seeds.split_once(' ').expect("two numbers");
    let (first, end): (u64, u64) = (first.parse().expect("a number"), end.parse().expect("a number"));
    let (mut figures, mut disagreements) = (Figures::default(), 0);
    for seed in first..end {
        let mut dice = Dice::new(seed);
        let text = machine(&mut dice);
        let found = catch_unwind(AssertUnwindSafe(|| compare(&text, &mut dice, &mut figures)));
        if let Err(why) = found.unwrap_or_else(|_| Err("panic".to_owned())) {
            disagreements += 1;
            eprintln!("seed {seed}: {why}\n{text}");
        }
    }
    eprintln!("{figures:?}, {disagreements} disagreements");
    assert!(disagreements == 0, "{disagreements} machines disagree");
    assert!(figures.same > figures.incomplete, "{figures:?}");
}

/// Checks the machines of these seeds in a process of their own.
fn compare_elsewhere(seeds: std::ops::Range<u64>, stderr: Stdio) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["random_thresholds::in_this_process", "--exact", "--ignored", "--nocapture"]);
    command.env(SEEDS, format!("{} {}", seeds.start, seeds.end)).stderr(stderr);
    let ended = command.output().expect("this program runs");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"), "the test has another name");
}

#[test]
fn thresholds_at_their_ends_change_no_verdict_or_count() {
    compare_elsewhere(0..30, Stdio::piped());
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
fn thresholds_at_their_ends_change_no_verdict_or_count_of_many() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let first = number("BCHECK_FIRST_SEED", 1_000);
    compare_elsewhere(first..first + number("BCHECK_THRESHOLD_MACHINES", 5_000), Stdio::inherit());
}
