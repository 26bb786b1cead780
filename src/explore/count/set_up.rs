//! A representative set-up, with the number of set-ups that it stands for.
//!
//! Deliberately elsewhere: how set-ups are enumerated (`search::set_ups`).

use super::tally::OrbitClass;
use crate::value::Valuation;

/// A representative valuation of the constants.
#[derive(Clone, Debug)]
pub(in crate::explore) struct SetUp {
    pub(in crate::explore) constants: Valuation,
    pub(in crate::explore) class: OrbitClass,
}
