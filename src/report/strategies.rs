//! `bcheck compare --symmetry all`: the modes of symmetry reduction side by side, as the seed papers compare theirs ("FDR4" and
//! "Refinement checking with representative functions": representatives, time, states per second).
//!
//! Invariant: states and transitions are in the convention of ProB, as in the table of `compare`; a number that a limit cut off is marked
//! as a bound, and a rate is one of the run as a whole.

use super::compare::{sizes, table};
use super::json::pretty;
use super::json_objects::Object;
use bcheck_source::{Shown, Vocabulary};
use bcheck_symmetry::Mode;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;

/// One mode at one size.
#[derive(Clone, Debug)]
pub struct StrategyRow {
    /// Size of each deferred set.
    pub deferred: IndexMap<String, u32>,
    /// The mode.
    pub mode: Mode,
    /// Representatives; 0 when it was not run at all, because it could not have ended in time.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// Seconds.
    pub time_s: f64,
    /// Whether all were covered; a limit may have stopped it.
    pub complete: bool,
    /// The number of states without reduction, if the mode counts it.
    pub full_states: Option<BigUint>,
}

impl StrategyRow {
    /// Whether it was tried; a run has at least the root.
    fn was_run(&self) -> bool {
        self.states > 0
    }

    /// A number per second of the run.
    fn rate(&self, number: u64) -> u64 {
        (number as f64 / self.time_s.max(1e-9)) as u64
    }
}

/// The table for people.
#[must_use]
pub fn text(machine: &str, rows: &[StrategyRow]) -> Shown {
    let header = ["deferred", "symmetry", "states", "transitions", "time", "states/s", "transitions/s", "full"];
    table(machine, &header, 2, rows.iter().map(cells))
}

fn cells(row: &StrategyRow) -> Vec<String> {
    let mut cells = vec![sizes(&row.deferred), row.mode.word().to_owned()];
    if !row.was_run() {
        // A shorter row, whose other cells are empty in the table.
        cells.push("not run".to_owned());
        return cells;
    }
    let open = if row.complete { "" } else { ">= " };
    cells.extend([
        format!("{open}{}", row.states),
        format!("{open}{}", row.transitions),
        format!("{:.3} s", row.time_s),
        row.rate(row.states).to_string(),
        row.rate(row.transitions).to_string(),
        row.full_states.as_ref().map_or_else(|| "-".to_owned(), BigUint::to_string),
    ]);
    cells
}

/// The JSON form, `bcheck-strategies` version 1.
#[must_use]
pub fn json(machine: &str, rows: &[StrategyRow]) -> Shown {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        version: u32,
        machine: &'a str,
        rows: Vec<RowObject<'a>>,
    }
    #[derive(Serialize)]
    struct RowObject<'a> {
        deferred: Object<'a, u32>,
        symmetry: &'static str,
        states: String,
        transitions: String,
        time_s: f64,
        complete: bool,
        full_states: Option<String>,
    }
    let rows = rows
        .iter()
        .map(|row| RowObject {
            deferred: row.deferred.iter().map(|(name, size)| (name.as_str(), *size)).collect(),
            symmetry: row.mode.word(),
            states: row.states.to_string(),
            transitions: row.transitions.to_string(),
            time_s: row.time_s,
            complete: row.complete,
            full_states: row.full_states.as_ref().map(BigUint::to_string),
        })
        .collect();
    pretty(&Document { format: "bcheck-strategies", version: 1, machine, rows })
}

/// A contradiction between the modes, in words: `exact` and `exhaustive` have one state per class, the others at least as many and at
/// most the full space, and all that count the full space agree.
#[must_use]
pub fn contradiction(rows: &[StrategyRow]) -> Option<String> {
    let complete = |row: &&StrategyRow| row.complete;
    for exact in rows.iter().filter(complete).filter(|row| row.mode == Mode::Exact) {
        // Only complete runs of the same size can be compared. A row is compared with itself as well, and agrees.
        let others = rows.iter().filter(complete).filter(|row| row.deferred == exact.deferred);
        for other in others {
            // Exact modes find the same orbits, and so the same steps between them. Others may only have more states, never fewer.
            let agrees = match other.mode {
                Mode::Exact | Mode::Exhaustive => (other.states, other.transitions) == (exact.states, exact.transitions),
                // These may store several representatives of a class.
                Mode::Fast | Mode::Sorted | Mode::Off => other.states >= exact.states,
            };
            let counts_agree = match (&exact.full_states, &other.full_states) {
                (Some(one), Some(two)) => one == two,
                _ => true,
            };
            if !(agrees && counts_agree) {
                let of = |row: &StrategyRow| format!("{} {} states, {} transitions", row.mode.word(), row.states, row.transitions);
                return Some(format!("at {}: {}, but {}", sizes(&exact.deferred), of(exact), of(other)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mode: Mode, states: u64, full: Option<u32>) -> StrategyRow {
        let deferred = IndexMap::from([("Name".to_owned(), 3)]);
        StrategyRow { deferred, mode, states, transitions: 50, time_s: 0.5, complete: true, full_states: full.map(BigUint::from) }
    }

    #[test]
    fn modes_that_contradict_each_other_are_reported() {
        let exact = row(Mode::Exact, 8, Some(65));
        for (other, is_wrong) in [
            (row(Mode::Exhaustive, 8, Some(65)), false),
            (row(Mode::Exhaustive, 9, Some(65)), true),
            (row(Mode::Fast, 9, None), false),
            (row(Mode::Sorted, 7, None), true),
            (row(Mode::Off, 65, Some(65)), false),
            (row(Mode::Off, 66, Some(66)), true),
            (StrategyRow { complete: false, ..row(Mode::Off, 7, None) }, false),
        ] {
            assert_eq!(contradiction(&[exact.clone(), other.clone()]).is_some(), is_wrong, "{other:?}");
        }
    }

    #[test]
    fn a_number_that_was_cut_off_is_a_bound_in_the_table_and_open_in_json() {
        let rows = [row(Mode::Exact, 8, Some(65)), StrategyRow { complete: false, ..row(Mode::Exhaustive, 7, None) }];
        let table = text("phonebook", &rows);
        assert!(table.contains(">= 7") && table.contains("exhaustive") && table.contains(" 65 |"), "{table}");
        let value: serde_json::Value = serde_json::from_str(&json("phonebook", &rows)).expect("JSON");
        assert_eq!((&value["rows"][0]["states"], &value["rows"][1]["complete"]), (&"8".into(), &false.into()));
        assert!(value["rows"][1]["full_states"].is_null());
        let not_run = StrategyRow { complete: false, ..row(Mode::Exhaustive, 0, None) };
        assert!(text("phonebook", &[not_run]).contains("not run"));
    }
}
