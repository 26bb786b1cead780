//! `bcheck compare`: reduced versus full, one row per size, as a table for people, as JSON or as a picture (as Figure 11 of
//! "Symmetry Reduced Model Checking for B", TASE 2007, which has the speed-up).
//!
//! Invariant: states and transitions are in the convention of ProB and of the literature (root, set-up and initialisation
//! included), so that a table can be laid beside theirs.

use super::chart::{Chart, Look, Mark, Panel, Point, Series, Unit, log10};
use super::digits::grouped;
use super::json::pretty;
use super::json_objects::Object;
use super::markup::markup;
use super::text::bytes;
use bcheck_explore::Options;
use bcheck_source::{Shown, shown};
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
    /// The word of the verdict.
    pub verdict: &'static str,
    /// The finding in words, if there is one.
    pub finding: Option<String>,
}

/// The counts of the reduced run of a row.
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
    /// Whether the whole space was covered; a limit may have stopped the run.
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

/// A complete comparison.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The name of the machine.
    pub machine: &'a str,
    /// Its file as the user named it.
    pub file: &'a str,
    /// MININT and MAXINT.
    pub bounds: (i64, i64),
    /// The options of the reduced runs.
    pub options: &'a Options,
    /// The rows that were computed.
    pub rows: &'a [Row],
    /// The number of requested rows.
    pub asked: usize,
}

impl Row {
    /// `3` if all sets have the same size, otherwise `PID=3, KEY=2`.
    #[must_use]
    pub fn sizes(&self) -> String {
        sizes(&self.deferred)
    }

    /// How many times as long the full exploration took.
    #[must_use]
    pub(crate) fn speedup(&self) -> Option<f64> {
        // At least a nanosecond, because a small machine may take no time that can be measured.
        self.full.explored_s.map(|full| full / self.reduced.time_s.max(1e-9))
    }
}

/// The table for people.
#[must_use]
pub fn text(machine: &str, rows: &[Row]) -> Shown {
    let header =
        ["deferred", "states full", "reduced", "transitions full", "reduced", "time full", "reduced", "speedup", "full is", "memory"];
    let mut text = table(machine, &header, 1, rows.iter().map(|row| std::iter::once(row.sizes()).chain(cells(row)).collect()));
    text.extend(findings(rows).map(|line| shown!("{}\n", line)));
    text
}

/// The findings, one line for each row that has one.
pub(super) fn findings(rows: &[Row]) -> impl Iterator<Item = String> {
    rows.iter().filter_map(|row| Some(format!("-d {}: {}: {}", row.sizes(), row.verdict, row.finding.as_ref()?)))
}

/// A table of counts under its heading, columns from `numbers` on aligned to the right.
pub fn table(machine: &str, header: &[&str], numbers: usize, rows: impl Iterator<Item = Vec<String>>) -> Shown {
    let mut table = Table::new();
    // Markdown, so that a table can be pasted into a text unchanged.
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header(header.iter().map(Cell::new));
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(numbers) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let table = Shown::laid_out(&table.to_string(), false);
    shown!("{}: states and transitions as ProB counts them (with root, set-up and initialisation)\n{}\n", machine, table)
}

/// The cells of a row after its size: numbers full and reduced, times, how the full ones came about, memory.
pub(super) fn cells(row: &Row) -> [String; 9] {
    let bound = if row.full.exact { "" } else { ">= " };
    let open = if row.reduced.complete { "" } else { ">= " };
    [
        format!("{bound}{}", grouped(&row.full.states)),
        format!("{open}{}", grouped(row.reduced.states)),
        format!("{bound}{}", grouped(&row.full.transitions)),
        format!("{open}{}", grouped(row.reduced.transitions)),
        row.full.explored_s.map_or_else(|| "-".to_owned(), |time| format!("{time:.3} s")),
        format!("{:.3} s", row.reduced.time_s),
        row.speedup().map_or_else(|| "-".to_owned(), |speedup| format!("{speedup:.1}x")),
        how(row).to_owned(),
        if row.reduced.peak_memory_bytes == 0 { "-".to_owned() } else { bytes(row.reduced.peak_memory_bytes) },
    ]
}

/// The sizes of deferred sets, as `NAME=3, OTHER=2`.
pub fn sizes(deferred: &IndexMap<String, u32>) -> String {
    let mut values = deferred.values();
    match values.next() {
        None => "-".to_owned(),
        // One number for all sets, as the literature has it.
        Some(first) if values.all(|size| size == first) => first.to_string(),
        Some(_) => deferred.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(", "),
    }
}

fn how(row: &Row) -> &'static str {
    if row.full.explored_s.is_some() { "explored" } else { "counted" }
}

/// The picture as a separate file.
#[must_use]
pub fn plot(comparison: &Comparison<'_>) -> Shown {
    markup!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", chart(comparison).svg()).into()
}

/// The logarithm of a number of a row, how it came about, and itself in words.
type Value = (f64, Mark, String);

/// States, transitions, time and speed-up over the size.
pub(super) fn chart(comparison: &Comparison<'_>) -> Chart {
    let rows = comparison.rows;
    let explored = |row: &Row| if row.full.explored_s.is_some() { Mark::Measured } else { Mark::Counted };
    let of_full = |row: &Row| if row.full.exact { explored(row) } else { Mark::Bound };
    let of_reduced = |row: &Row| if row.reduced.complete { Mark::Measured } else { Mark::Bound };
    let series = |name, look, value: &dyn Fn(&Row) -> Option<Value>| Series {
        name,
        look,
        points: rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| value(row).map(|(log, mark, title)| Point { at, log, mark, title }))
            // Zero has no place on a logarithmic axis.
            .filter(|point| point.log.is_finite())
            .collect(),
    };
    // The mark of each value shows whether it was explored or computed: the two must look different.
    let counts = |full: &dyn Fn(&Row) -> BigUint, reduced: &dyn Fn(&Row) -> u64| {
        vec![
            series("full", Look::First, &|row| Some((log10(&full(row)), of_full(row), format!("{} (full)", full(row))))),
            series("reduced", Look::Second, &|row| {
                Some((log10(&reduced(row).into()), of_reduced(row), format!("{} (reduced)", reduced(row))))
            }),
        ]
    };
    // As in `speedup`: zero has no logarithm.
    let seconds = |time: f64, mark, what: &str| Some((time.max(1e-9).log10(), mark, format!("{time:.4} s ({what})")));
    let times = vec![
        series("full", Look::First, &|row| seconds(row.full.explored_s?, Mark::Measured, "full")),
        series("reduced", Look::Second, &|row| seconds(row.reduced.time_s, of_reduced(row), "reduced")),
    ];
    // Only where both searches ran: a full space that was counted has no time.
    let faster = series("speed-up", Look::Third, &|row| {
        let speedup = row.speedup()?;
        Some((speedup.log10(), Mark::Measured, format!("{speedup:.2} times as fast")))
    });
    let states = counts(&|row| row.full.states.clone(), &|row| row.reduced.states);
    let transitions = counts(&|row| row.full.transitions.clone(), &|row| row.reduced.transitions);
    let panel = |title, unit, series, empty| Panel { title, unit, series, empty };
    let (axis, positions) = axis(rows);
    Chart {
        title: format!("{}: reduced and full", comparison.machine),
        axis,
        positions,
        // Sizes that grow in one set and shrink in another have no order that a line could represent.
        is_line: rows.windows(2).all(|pair| grows(&pair[0], &pair[1])),
        panels: vec![
            panel("States", Unit::Count, states, "none"),
            panel("Transitions", Unit::Count, transitions, "none"),
            panel("Time of the search", Unit::Seconds, times, "none"),
            panel("Speed-up: time full / time reduced", Unit::Factor, vec![faster], "No full space was explored to its end."),
        ],
    }
}

/// Whether no set is smaller in the second row.
fn grows(first: &Row, second: &Row) -> bool {
    // A product order: without growth in every set, two rows are not comparable.
    first.deferred.iter().all(|(name, size)| second.deferred.get(name).is_some_and(|other| other >= size))
}

/// The title and the labels of the axis of sizes: one number if all sets have the same size, otherwise the sizes of the sets that vary.
fn axis(rows: &[Row]) -> (String, Vec<String>) {
    let sizes = |row: &Row| row.deferred.values().copied().collect::<Vec<u32>>();
    if rows.iter().all(|row| sizes(row).windows(2).all(|pair| pair[0] == pair[1])) {
        let words = rows.iter().map(Row::sizes).collect();
        return ("elements of each deferred set".to_owned(), words);
    }
    let first = rows.first().map(sizes).unwrap_or_default();
    let varies = |at: usize| rows.iter().any(|row| sizes(row).get(at) != first.get(at));
    let which: Vec<usize> = (0..first.len()).filter(|at| rows.len() == 1 || varies(*at)).collect();
    let names = rows.first().map(|row| row.deferred.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let title = which.iter().filter_map(|&at| names.get(at)).cloned().collect::<Vec<_>>().join(" / ");
    let word = |row: &Row| which.iter().filter_map(|&at| sizes(row).get(at).map(u32::to_string)).collect::<Vec<_>>().join("/");
    (format!("elements of {title}"), rows.iter().map(word).collect())
}

/// The JSON form, `bcheck-compare` version 1.
#[must_use]
pub fn json(machine: &str, rows: &[Row]) -> Shown {
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
        verdict: &'static str,
        finding: Option<&'a str>,
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
                // Texts on both sides of a row: counts of the full space exceed the 53 bits that JSON readers preserve of a number.
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
            verdict: row.verdict,
            finding: row.finding.as_deref(),
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
            verdict: "verified",
            finding: None,
        }
    }

    #[test]
    fn the_table_shows_how_the_full_numbers_came_about() {
        let table = text("phonebook", &[row(Some(1.0)), row(None)]);
        assert!(table.contains("2.0x") && table.contains("explored"), "{table}");
        assert!(table.contains("counted"), "{table}");
    }

    #[test]
    fn the_axis_names_the_sets_that_vary() {
        let rows: Vec<Row> = [(1, 2), (2, 2)]
            .iter()
            .map(|&(pid, key)| Row { deferred: IndexMap::from([("PID".to_owned(), pid), ("KEY".to_owned(), key)]), ..row(None) })
            .collect();
        assert_eq!(axis(&rows), ("elements of PID".to_owned(), vec!["1".to_owned(), "2".to_owned()]));
        assert_eq!(axis(&[row(None)]).1, ["3"]);
        assert!(grows(&rows[0], &rows[1]) && !grows(&rows[1], &rows[0]));
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
