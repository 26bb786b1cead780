//! The counts that a machine states, compared with those of a report in both conventions of counting.
//!
//! Invariant: all stated counts are in ProB's convention or all in bcheck's; a difference names both counts. Deliberately elsewhere: the
//! rest of what a machine states (`pragma`).

use serde_json::Value as Json;

/// The counts that a pragma states.
pub(crate) struct StatedCounts<'a> {
    pub(crate) states: &'a Option<String>,
    pub(crate) transitions: &'a Option<String>,
    pub(crate) full_states: &'a Option<String>,
    pub(crate) full_transitions: &'a Option<String>,
    /// Whether they are those of a refinement, whose configurations ProB does not count.
    pub(crate) is_refinement: bool,
}

/// A stated count, with the corresponding ones of a report.
struct StatedCount<'a> {
    what: String,
    wanted: &'a String,
    prob: String,
    own: String,
}

impl StatedCount<'_> {
    fn difference(&self) -> String {
        let Self { what, wanted, prob, own } = self;
        if prob == own {
            return format!("{what} {prob} instead of {wanted}");
        }
        format!("{what} {prob} as ProB counts, {own} as bcheck counts, instead of {wanted}")
    }
}

/// The stated counts that differ from those of a report. All stated counts are in ProB's convention or all in bcheck's: a report that
/// agrees with them in either has no differences.
pub(crate) fn count_differences(all: &StatedCounts<'_>, report: &Json, plain: bool) -> Vec<String> {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // A plain run explores the full space itself, so its own counts are the full ones, and the reduced counts do not apply.
    let (here, full) = (&report["explored"], if plain { &report["explored"] } else { &report["full"] });
    let stated = [
        (!plain, "", "states", all.states, here),
        (!plain, "", "transitions", all.transitions, here),
        (true, "full ", "states", all.full_states, full),
        (true, "full ", "transitions", all.full_transitions, full),
    ];
    let counts: Vec<StatedCount> = stated
        .into_iter()
        .filter(|(applies, ..)| *applies)
        .filter_map(|(_, extent, what, wanted, counts)| {
            let own = text(&counts[what]);
            let prob = if all.is_refinement { own.clone() } else { text(&counts["prob"][what]) };
            Some(StatedCount { what: format!("{extent}{what}"), wanted: wanted.as_ref()?, prob, own })
        })
        .collect();
    if counts.iter().all(|count| *count.wanted == count.own) {
        return Vec::new();
    }
    counts.iter().filter(|count| *count.wanted != count.prob).map(StatedCount::difference).collect()
}
