//! Hooks between the slices of a search: judging what is recorded (`recording`), checkpoints, states on disk and in other processes
//! (`keeping`).
//!
//! Invariant: hooks are called by the driving thread, once per slice or level, and never per state; a search without hooks has an empty
//! list. Deliberately elsewhere: when they are called (`breadth_first`), the processing of the batches of a slice and of each state
//! (`ledger`, `expander`).

use super::driver::{Driver, Unnumbered};
use super::ledger::Ledger;
use super::subject::Subject;
use crate::LimitHit;
use crate::number::StateNumber;
use std::ops::{ControlFlow, Range};

/// A hook of a search. Methods that it does not define do nothing.
pub(super) trait Hook<S: Subject> {
    /// Nothing is expanded yet, or nothing since the search was resumed.
    fn search_begins(&mut self, _driver: &mut Driver<'_, '_, S>) {}

    /// A barrier: all states below `position.expanded` are expanded, and their successors are numbered.
    fn slice_numbered(&mut self, _driver: &Driver<'_, '_, S>) {}

    /// Whether the search is to pause, in order that something is done, once states below this number are expanded.
    fn is_pause_due(&self, _ledger: &Ledger, _expanded: StateNumber) -> bool {
        false
    }

    /// A pause, in which nobody expands anything: does any due work. Breaks if the search need not continue.
    fn pause(&mut self, _ledger: &mut Ledger, _expanded: StateNumber) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether this hook expands the rest of a level itself; `closed` is the slice that was just expanded, if any was.
    fn takes_over(&self, _driver: &Driver<'_, '_, S>, _closed: Option<&Unnumbered>) -> bool {
        false
    }

    /// Expands the rest of a level, from `position.expanded` on, and numbers the new states.
    fn expand_rest(&mut self, _driver: &mut Driver<'_, '_, S>, _level: &Range<StateNumber>, _distance: u64) {}

    /// All states of a level are expanded, or the search is stopped. Returns whether it must stop, if this process does not decide that
    /// alone.
    fn level_ends(&mut self, _driver: &mut Driver<'_, '_, S>) -> Option<bool> {
        None
    }

    /// Why the search must end, whatever it has found.
    fn limit(&self) -> Option<LimitHit> {
        None
    }

    /// The search has ended, for whatever reason.
    fn search_ends(&mut self, _driver: &mut Driver<'_, '_, S>) {}
}

/// All that hangs on a search, in the order in which it is called.
pub(super) struct Hooks<'h, S>(Vec<&'h mut dyn Hook<S>>);

impl<'h, S: Subject> Hooks<'h, S> {
    pub(super) fn new(hooks: impl IntoIterator<Item = &'h mut dyn Hook<S>>) -> Self {
        Self(hooks.into_iter().collect())
    }

    pub(super) fn search_begins(&mut self, driver: &mut Driver<'_, '_, S>) {
        self.0.iter_mut().for_each(|hook| hook.search_begins(driver));
    }

    pub(super) fn slice_numbered(&mut self, driver: &Driver<'_, '_, S>) {
        self.0.iter_mut().for_each(|hook| hook.slice_numbered(driver));
    }

    pub(super) fn is_pause_due(&self, ledger: &Ledger, expanded: StateNumber) -> bool {
        self.0.iter().any(|hook| hook.is_pause_due(ledger, expanded))
    }

    pub(super) fn pause(&mut self, ledger: &mut Ledger, expanded: StateNumber) -> ControlFlow<()> {
        self.0.iter_mut().try_for_each(|hook| hook.pause(ledger, expanded))
    }

    /// The index of the hook that expands the rest of a level, if there is one.
    pub(super) fn taking_over(&self, driver: &Driver<'_, '_, S>, closed: Option<&Unnumbered>) -> Option<usize> {
        self.0.iter().position(|hook| hook.takes_over(driver, closed))
    }

    pub(super) fn expand_rest(&mut self, taker: usize, driver: &mut Driver<'_, '_, S>, (level, distance): (&Range<StateNumber>, u64)) {
        self.0[taker].expand_rest(driver, level, distance);
    }

    /// Whether the search must stop at the end of a level.
    pub(super) fn level_ends(&mut self, driver: &mut Driver<'_, '_, S>) -> bool {
        let agreed = self.0.iter_mut().fold(None, |agreed, hook| hook.level_ends(driver).or(agreed));
        agreed.unwrap_or_else(|| driver.engine.control.is_stopped())
    }

    pub(super) fn limit(&self) -> Option<LimitHit> {
        self.0.iter().find_map(|hook| hook.limit())
    }

    pub(super) fn search_ends(&mut self, driver: &mut Driver<'_, '_, S>) {
        self.0.iter_mut().for_each(|hook| hook.search_ends(driver));
    }
}
