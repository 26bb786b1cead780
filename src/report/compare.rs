//! `bcheck compare`: reduced versus full, one row per size, as a table for people or as JSON.
//!
//! Invariant: states and transitions are in the convention of ProB and of the literature (root, set-up and initialisation
//! included), so that a table can be laid beside theirs.

use super::json::{Object, pretty};
use super::text::bytes;
use comfy_table::{Cell, CellAlignment, Table};
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;

/// One size of the deferred sets.
#[derive(Clone, Debug)]
pub struct Row {
    /// Size of each deferred set.
    pub deferred: IndexMap<String, u32>,
    /// The reduced run.
    pub reduced: Reduced,
    /// The full space.
    pub full: Full,
}

/// What the reduced run of a row explored.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// States.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// Seconds.
    pub time_s: f64,
    /// Largest resident memory of the process so far; 0 when unknown.
    pub peak_memory_bytes: u64,
    /// Whether it was covered; a limit may have stopped it.
    pub complete: bool,
}

/// The full space of a row.
#[derive(Clone, Debug)]
pub struct Full {
    /// States.
    pub states: BigUint,
    /// Transitions.
    pub transitions: BigUint,
    /// Seconds, when it was explored to its end.
    pub explored_s: Option<f64>,
    /// Whether the numbers are exact.
    pub exact: bool,
}

impl Row {
    /// How many times longer the full exploration took.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        self.full.explored_s.map(|full| full / self.reduced.time_s.max(1e-9))
    }
}

/// The table for people.
#[must_use]
pub fn text(machine: &str, rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header(
        ["deferred", "states full", "reduced", "transitions full", "reduced", "time full", "reduced", "speedup", "full is", "memory"]
            .map(Cell::new),
    );
    for row in rows {
        let bound = if row.full.exact { "" } else { ">= " };
        let open = if row.reduced.complete { "" } else { ">= " };
        table.add_row([
            sizes(&row.deferred),
            format!("{bound}{}", row.full.states),
            format!("{open}{}", row.reduced.states),
            format!("{bound}{}", row.full.transitions),
            format!("{open}{}", row.reduced.transitions),
            row.full.explored_s.map_or_else(|| "-".to_owned(), |time| format!("{time:.3} s")),
            format!("{:.3} s", row.reduced.time_s),
            row.speedup().map_or_else(|| "-".to_owned(), |speedup| format!("{speedup:.1}x")),
            how(row).to_owned(),
            if row.reduced.peak_memory_bytes == 0 { "-".to_owned() } else { bytes(row.reduced.peak_memory_bytes) },
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{machine}: states and transitions as ProB counts them (with root, set-up and initialisation)\n{table}\n")
}

/// `3` when all sets have the same size, else `PID=3, KEY=2`.
fn sizes(deferred: &IndexMap<String, u32>) -> String {
    let mut values = deferred.values();
    match values.next() {
        None => "-".to_owned(),
        Some(first) if values.all(|size| size == first) => first.to_string(),
        Some(_) => deferred.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(", "),
    }
}

fn how(row: &Row) -> &'static str {
    if row.full.explored_s.is_some() { "explored" } else { "counted" }
}

/// The JSON form, `bcheck-compare` version 1.
#[must_use]
pub fn json(machine: &str, rows: &[Row]) -> String {
    #[derive(Serialize)]
    struct Comparison<'a> {
        format: &'static str,
        version: u32,
        machine: &'a str,
        rows: Vec<RowObject<'a>>,
    }
    #[derive(Serialize)]
    struct RowObject<'a> {
        deferred: Object<'a, u32>,
        reduced: ReducedObject,
        full: FullObject,
        speedup: Option<f64>,
    }
    #[derive(Serialize)]
    struct ReducedObject {
        states: String,
        transitions: String,
        time_s: f64,
        peak_memory_bytes: u64,
        complete: bool,
    }
    #[derive(Serialize)]
    struct FullObject {
        states: String,
        transitions: String,
        how: &'static str,
        time_s: Option<f64>,
        exact: bool,
    }
    let rows = rows
        .iter()
        .map(|row| RowObject {
            deferred: row.deferred.iter().map(|(name, size)| (name.as_str(), *size)).collect(),
            reduced: ReducedObject {
                states: row.reduced.states.to_string(),
                transitions: row.reduced.transitions.to_string(),
                time_s: row.reduced.time_s,
                peak_memory_bytes: row.reduced.peak_memory_bytes,
                complete: row.reduced.complete,
            },
            full: FullObject {
                states: row.full.states.to_string(),
                transitions: row.full.transitions.to_string(),
                how: how(row),
                time_s: row.full.explored_s,
                exact: row.full.exact,
            },
            speedup: row.speedup(),
        })
        .collect();
    pretty(&Comparison { format: "bcheck-compare", version: 1, machine, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(explored_s: Option<f64>) -> Row {
        Row {
            deferred: IndexMap::from([("Name".to_owned(), 3), ("Code".to_owned(), 3)]),
            reduced: Reduced { states: 8, transitions: 50, time_s: 0.5, peak_memory_bytes: 0, complete: true },
            full: Full { states: BigUint::from(65u32), transitions: BigUint::from(433u32), explored_s, exact: true },
        }
    }

    #[test]
    fn the_table_says_how_the_full_numbers_came_about() {
        let table = text("phonebook", &[row(Some(1.0)), row(None)]);
        assert!(table.contains("2.0x") && table.contains("explored"), "{table}");
        assert!(table.contains("counted"), "{table}");
    }

    #[test]
    fn json_numbers_of_states_are_decimal_strings() {
        let value: serde_json::Value = serde_json::from_str(&json("phonebook", &[row(None)])).expect("JSON");
        assert_eq!(value["format"], "bcheck-compare");
        assert_eq!(value["rows"][0]["full"]["states"], "65");
        assert_eq!(value["rows"][0]["full"]["how"], "counted");
        assert_eq!(value["rows"][0]["deferred"]["Name"], 3);
        assert!(value["rows"][0]["speedup"].is_null());
    }
}
