//! The statistics of algorithms in a report, if requested.
//!
//! Invariant: text and JSON have the same numbers under the same names. Deliberately elsewhere: who counts them (`source::statistics`).

use bcheck_source::{Shown, StatisticTable, shown};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// One block with a line for each number, aligned; empty unless requested.
pub(super) fn section(tables: &[&StatisticTable]) -> Shown {
    let mut text = Shown::new();
    for (index, table) in tables.iter().enumerate() {
        if index == 0 {
            text += shown!("\nStatistics\n");
        }
        for (row, count) in table.counts.iter().enumerate() {
            let algorithm = if row == 0 { table.algorithm.replace('_', " ") } else { String::new() };
            text += shown!("  {:<15}{:<16}{:>16}\n", algorithm, count.name().replace('_', " "), count.total());
        }
    }
    text
}

/// The statistics as an object of objects: `{"solver": {"decisions": 7, …}, …}`.
pub(super) struct StatisticsObject<'a>(pub(super) &'a [&'static StatisticTable]);

struct Counts<'a>(&'a StatisticTable);

impl Serialize for StatisticsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for table in self.0 {
            map.serialize_entry(table.algorithm, &Counts(table))?;
        }
        map.end()
    }
}

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.counts.len()))?;
        for count in self.0.counts {
            map.serialize_entry(&count.name(), &count.total())?;
        }
        map.end()
    }
}
