//! The limits of an evaluation: its work, the nesting of closures, and what is refused or tried less meanwhile.
//!
//! Invariant: at least one unit of fuel is left between calls. Deliberately elsewhere: who asks for an end (`context`).

use super::context::Context;
use crate::thresholds::CLOSURE_DEPTH;
use crate::{EvalError, EvalErrorKind};
use bcheck_source::Span;

/// Work units between two reads of the interrupt flag.
const FUEL: u32 = 4096;

/// The limits of one evaluation.
pub(crate) struct Limits {
    /// Work units until the interrupt flag is read again; at least 1 between calls.
    fuel: u32,
    /// How deep running closures are nested.
    depth: u32,
    /// Remaining work budget, in units of [`FUEL`]; `u32::MAX` is unlimited.
    refills: u32,
    /// Whether a plain search with more bindings than any run can visit is an error: it is while a set is written out, which needs all.
    pub(super) refuses_hopeless: bool,
    /// Whether many values of a name that nothing bounds are being tried: meanwhile few are tried for others.
    pub(super) is_sampling: bool,
}

/// The budget around a run with less work, and what was granted of it.
pub(super) struct Granted {
    outer: u32,
    work: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fuel: FUEL, depth: 0, refills: u32::MAX, refuses_hopeless: false, is_sampling: false }
    }
}

impl Limits {
    /// Takes one unit of work.
    #[inline]
    pub(super) fn tick(&mut self, context: &Context, span: Span) -> Result<(), EvalError> {
        // No underflow: `refill` leaves 1 to FUEL units, and `spend` takes fewer than there are.
        self.fuel -= 1;
        if self.fuel == 0 { self.refill(0, context, span) } else { Ok(()) }
    }

    /// As [`Self::tick`], for many steps at once.
    pub(super) fn spend(&mut self, steps: u64, context: &Context, span: Span) -> Result<(), EvalError> {
        match steps.checked_sub(u64::from(self.fuel)) {
            Some(beyond) => self.refill(beyond, context, span),
            None => {
                self.fuel -= u32::try_from(steps).expect("less than the fuel left");
                Ok(())
            }
        }
    }

    /// Fills the fuel up again, after `beyond` units of work more than there was fuel for.
    fn refill(&mut self, beyond: u64, context: &Context, span: Span) -> Result<(), EvalError> {
        let interrupted = EvalError { kind: EvalErrorKind::Interrupted, span };
        if self.refills != u32::MAX {
            // One refill for the fuel that was used up, and one for each further FUEL units; what then remains of `beyond` is less than
            // FUEL, so that at least one unit of the last refill is left.
            let needed = 1 + beyond / u64::from(FUEL);
            let Some(left) = u64::from(self.refills).checked_sub(needed) else {
                // Everything that is tried afterwards also ends at once.
                (self.refills, self.fuel) = (0, 1);
                return Err(interrupted);
            };
            self.refills = u32::try_from(left).expect("less than before");
        }
        self.fuel = FUEL - u32::try_from(beyond % u64::from(FUEL)).expect("less than the whole");
        if context.is_stopped() { Err(interrupted) } else { Ok(()) }
    }

    /// Called where a closure begins to run, to be undone by [`Self::leave`].
    pub(super) fn enter(&mut self, span: Span) -> Result<(), EvalError> {
        if self.depth >= CLOSURE_DEPTH.get() {
            return Err(EvalError { kind: EvalErrorKind::TooDeep(CLOSURE_DEPTH.get()), span });
        }
        self.depth += 1;
        Ok(())
    }

    /// Called where a closure ends, also by an error.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Limits further work to a budget in units of [`FUEL`]; exhausting it counts as an interrupt.
    pub(crate) fn limit_work(&mut self, budget: u32) {
        self.refills = budget;
    }

    /// The work budget that is left, in units of [`FUEL`].
    pub(crate) fn work_left(&self) -> u32 {
        self.refills
    }

    /// Begins a run with at most this much work, to be ended by [`Self::settle`].
    pub(super) fn grant(&mut self, work: u32) -> Granted {
        let outer = self.refills;
        // Never more than is left outside.
        let work = work.min(outer);
        self.refills = work;
        Granted { outer, work }
    }

    /// Ends a run with less work; whether the outer budget is used up as well.
    pub(super) fn settle(&mut self, Granted { outer, work }: Granted) -> bool {
        // Budgets nest: work done in the run is taken from the outer one, unless that has no limit.
        let used = work - self.refills;
        self.refills = if outer == u32::MAX { outer } else { outer - used };
        self.refills == 0
    }

    /// Fuel for what follows a run that has used up what it was granted.
    pub(super) fn refuel(&mut self) {
        // `refill` left a single unit, so that nothing more was done inside; what follows outside has its own budget.
        self.fuel = FUEL;
    }
}
