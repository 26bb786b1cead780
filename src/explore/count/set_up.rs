//! A representative set-up, with the number of set-ups that it represents.
//!
//! Deliberately elsewhere: how set-ups are enumerated (`search::set_ups`).

use super::tally::OrbitClass;
use bcheck_value::Valuation;

/// A representative valuation of the constants.
#[derive(Clone, Debug)]
pub(crate) struct SetUp {
    pub(crate) constants: Valuation,
    pub(crate) class: OrbitClass,
}
