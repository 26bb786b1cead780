//! How a machine chooses among more values than can be enumerated, for those who search its states.
//!
//! Invariant: nothing is left out unless a search asks for it. Deliberately elsewhere: which values are taken (`run::choices`).

use super::{ChoiceMode, Machine};
use bcheck_source::Span;
use bcheck_value::Value;

/// How many values of too many are taken where nobody asks for a number.
pub const FIRST_CHOICES: u32 = 16;

impl Machine {
    /// Makes each choice among too many values to enumerate take the first `most` of them and report that others were left out. With 0,
    /// which is the initial setting, such a choice is an error.
    pub fn take_first_choices(&self, most: u32) {
        self.choose(ChoiceMode::first(most));
    }

    /// Sets what becomes of such choices from now on.
    pub fn choose(&self, mode: ChoiceMode) {
        self.context().choices.set(mode);
    }

    /// Of such choices these values are taken as well.
    pub fn take_wanted_choices(&self, values: Vec<Value>) {
        self.context().choices.take_wanted(values);
    }

    /// Whether such a choice has ended the search ([`ChoiceMode::EndSearch`]): each evaluation is then interrupted, as by the flag for
    /// that, which stays as it is.
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
