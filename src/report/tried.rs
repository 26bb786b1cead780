//! The ranges tried for unbounded integers, in words: the scope of a verdict.
//!
//! Invariant: each name and range once, in the order of the text. Deliberately elsewhere: the ranges as JSON (`json`), the warning
//! (`cli`).

use super::CheckReport;
use bcheck_eval::TriedRange;

/// Ranges that a sentence names.
const NAMED: usize = 3;

/// All ranges: `n in 0..3`.
pub(super) fn ranges(report: &CheckReport<'_>) -> Vec<String> {
    let mut ranges = Vec::new();
    for TriedRange { name, from, to, moves, .. } in report.tried {
        let moved = if *moves { ", or as many from where the state bounds it" } else { "" };
        let range = format!("{name} in {from}..{to}{moved}");
        if !ranges.contains(&range) {
            ranges.push(range);
        }
    }
    ranges
}

/// ` for n in 0..3`, to follow the subject of the search; empty if every integer is bounded.
pub(super) fn for_ranges(report: &CheckReport<'_>) -> String {
    let ranges = ranges(report);
    let named = ranges[..ranges.len().min(NAMED)].join(" and ");
    match ranges.len() {
        0 => String::new(),
        all if all > NAMED => format!(" for {named} and {} more ranges", all - NAMED),
        _ => format!(" for {named}"),
    }
}
