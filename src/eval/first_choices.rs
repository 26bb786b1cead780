//! How a machine chooses among more values than can be enumerated, as configured by a search.
//!
//! Invariant: nothing is left out unless a search requests it. Deliberately elsewhere: which values are taken (`run::choices`).

use super::{ChoiceMode, Machine};
use bcheck_source::Span;
use bcheck_value::Value;

/// How many values are taken of too many by default.
pub const FIRST_CHOICES: u32 = 16;

impl Machine {
    /// Makes each choice among too many values to enumerate take the first `most` of them and report that others were left out. With 0,
    /// which is the initial setting, such a choice is an error.
    pub fn take_first_choices(&self, most: u32) {
        self.choose(ChoiceMode::first(most));
    }

    /// Sets the treatment of such choices from now on.
    pub fn choose(&self, mode: ChoiceMode) {
        self.context().choices.set(mode);
    }

    /// These values are taken in such choices as well.
    pub fn take_wanted_choices(&self, values: Vec<Value>) {
        self.context().choices.take_wanted(values);
    }

    /// Whether such a choice has ended the search ([`ChoiceMode::EndSearch`]): each evaluation is then interrupted, as by the interrupt
    /// flag, which does not change.
    pub fn has_ended_at_choices(&self) -> bool {
        self.context().choices.has_ended_search()
    }

    /// The constants that have any one of too many values, because nothing reads them.
    #[must_use]
    pub fn not_chosen(&self) -> Vec<(&str, Span)> {
        let constants = self.context().choices.not_chosen().into_iter().filter_map(|slot| self.model().constants.get_index(slot));
        constants.map(|(name, constant)| (name.as_str(), constant.span)).collect()
    }
}
