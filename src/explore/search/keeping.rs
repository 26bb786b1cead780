//! The work of a search with a folder between its slices: writing checkpoints, moving states to disk, informing other processes.
//!
//! Invariant: nothing here changes the findings, nor the numbers of states. Deliberately elsewhere: the content of checkpoints
//! (`checkpoint`), the levels of a search beyond memory (`passes`).

use super::checkpoint::Checkpoints;
use super::disk::pass::Pass;
use super::driver::{Driver, Unnumbered};
use super::hooks::Hook;
use super::partition::Flags;
use super::subject::Subject;
use crate::LimitHit;
use crate::number::StateNumber;
use std::ops::Range;

/// A search of one batch of set-ups with a folder.
pub(super) struct Keeping<'c> {
    pub(super) checkpoints: &'c mut Checkpoints,
    /// Beyond memory: the slices since the last pass was closed.
    pub(super) pass: Pass,
}

impl<'c> Keeping<'c> {
    pub(super) fn new(checkpoints: &'c mut Checkpoints) -> Self {
        Self { checkpoints, pass: Pass::default() }
    }

    /// Whether the search must stop: where several processes share it, all of them.
    fn is_stopped(&mut self, driver: &Driver<'_, '_, impl Subject>) -> bool {
        let own = Flags { is_stopped: driver.engine.control.is_stopped(), ..Flags::default() };
        self.checkpoints.agree(driver.engine, own).is_none_or(|agreed| agreed.is_stopped)
    }
}

impl<S: Subject> Hook<S> for Keeping<'_> {
    fn search_begins(&mut self, driver: &mut Driver<'_, '_, S>) {
        if self.checkpoints.is_shared() && !driver.ledger.is_spilled() {
            self.checkpoints.begin_shared(driver.engine, driver.ledger);
        }
        if driver.ledger.is_spilled() {
            self.pass = self.checkpoints.pass();
        }
        // If the examination of an initial state was interrupted, the next run begins with it.
        if !self.is_stopped(driver) {
            self.slice_numbered(driver);
        }
    }

    fn slice_numbered(&mut self, driver: &Driver<'_, '_, S>) {
        self.checkpoints.barrier(driver.engine, driver.ledger, &driver.position);
    }

    /// Where the visited set has outgrown its share of memory, with what the slice has found.
    fn takes_over(&self, driver: &Driver<'_, '_, S>, closed: Option<&Unnumbered>) -> bool {
        let is_to_spill = |closed: &Unnumbered| self.checkpoints.is_to_spill(driver.engine, driver.ledger, closed.slice.entries.len());
        driver.ledger.is_spilled() || closed.is_some_and(is_to_spill)
    }

    fn expand_rest(&mut self, driver: &mut Driver<'_, '_, S>, level: &Range<StateNumber>, distance: u64) {
        if !driver.ledger.is_spilled() {
            self.spill(driver);
        }
        self.rest_of_level(driver, level, distance);
    }

    fn level_ends(&mut self, driver: &mut Driver<'_, '_, S>) -> Option<bool> {
        let is_stopped = self.is_stopped(driver);
        // All processes have the least finding of the level.
        driver.ledger.claim = self.checkpoints.least_claim(&mut driver.own, driver.ledger.claim.take());
        Some(is_stopped)
    }

    fn limit(&self) -> Option<LimitHit> {
        self.checkpoints.limit()
    }

    fn search_ends(&mut self, driver: &mut Driver<'_, '_, S>) {
        self.checkpoints.write(driver.engine, driver.ledger);
    }
}
