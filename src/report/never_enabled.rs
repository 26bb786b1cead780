//! Why operations are never enabled, in words: in how many states each conjunct of the guard is false.
//!
//! Invariant: all formats have the same rows; counts are relative to the visited states, whose number is shown too. Deliberately
//! elsewhere: the counts (`explore`).

use super::CheckReport;
use super::evidence::Wording;
use bcheck_explore::{FalseConjunct, NeverEnabled};
use bcheck_source::{Shown, in_back_quotes, shown};
use serde::Serialize;

/// An operation that is never enabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NeverEnabledText {
    /// Its name.
    pub(super) operation: String,
    /// The states that were visited.
    pub(super) states: usize,
    /// Whether these are all that can be reached.
    pub(super) complete: bool,
    /// The conjuncts of its guard, in the order of the text.
    pub(super) conjuncts: Vec<FalseConjunctText>,
}

/// A conjunct of its guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FalseConjunctText {
    /// Its text.
    pub(super) conjunct: String,
    /// In how many states it is false.
    #[serde(rename = "false_in")]
    pub(super) states: usize,
    /// Whether it reads parameters: then it is false where no values of these satisfy it with the conjuncts before it.
    pub(super) parameters: bool,
    /// Whether the conjuncts before it leave values of the parameters in some state.
    pub(super) reached: bool,
}

/// The operations of a report that are never enabled.
pub(super) fn in_words(report: &CheckReport<'_>) -> Vec<NeverEnabledText> {
    let wording = Wording { model: report.model, sources: report.sources, scope: report.scope };
    let of = |never: &NeverEnabled| {
        let mut is_left = true;
        let in_words = |conjunct: &FalseConjunct| {
            let reached = is_left || !conjunct.is_open;
            is_left &= !conjunct.is_open || conjunct.states < never.states;
            FalseConjunctText {
                conjunct: wording.pred(&conjunct.pred, None),
                states: conjunct.states,
                parameters: conjunct.is_open,
                reached,
            }
        };
        NeverEnabledText {
            operation: report.model.operation_name(never.operation).to_owned(),
            states: never.states,
            complete: never.is_complete,
            conjuncts: never.conjuncts.iter().map(in_words).collect(),
        }
    };
    report.never_enabled.iter().map(of).collect()
}

impl FalseConjunctText {
    /// `false in 3 of 8 states`, `false in all 8 states`, `never false`.
    pub(super) fn words(&self, of: &NeverEnabledText) -> String {
        let all = of.states;
        let whom = if self.parameters { ", whatever the parameters" } else { "" };
        match self.states {
            0 if !self.reached => "not reached: no values of the parameters are left".to_owned(),
            0 => "never false".to_owned(),
            count if count == all => format!("false in all {all} states{whom}"),
            count => format!("false in {count} of {all} states{whom}"),
        }
    }
}

/// The operations as a section of the text; empty unless requested.
pub(super) fn section(report: &CheckReport<'_>) -> Shown {
    let mut text = Shown::new();
    for never in in_words(report) {
        let rest = if never.complete { "" } else { ", of the first states" };
        text += shown!("\nWhy {} is never enabled{}:\n", in_back_quotes(&never.operation), rest);
        let rows: Vec<(Shown, String)> =
            never.conjuncts.iter().map(|conjunct| (shown!("{}", conjunct.conjunct), conjunct.words(&never))).collect();
        let width = rows.iter().map(|(conjunct, _)| conjunct.chars().count()).filter(|width| *width <= 60).max().unwrap_or(0);
        text.extend(rows.into_iter().map(|(conjunct, words)| shown!("  {}  {}\n", conjunct.left(width), words)));
        text.extend(never.conjuncts.is_empty().then(|| shown!("  it has no guard: its body has no outcome in any state\n")));
    }
    text
}
