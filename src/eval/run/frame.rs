//! A frame: the values of all slots during one evaluation.
//!
//! Invariant: constants and variables that a plan reads are set before it runs; a local is set by its binder before it is read,
//! except VAR locals and variables during initialisation, whose reading is an error with a place.

use super::choice_mode::Choices;
use crate::plan::{ClosurePlan, Slot, TriedRange};
use crate::thresholds::CLOSURE_DEPTH;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{Comprehension, Model, Scope};
use bcheck_source::Span;
use bcheck_value::{Valuation, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether a visit continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on.
    Continue,
    /// The visitor has seen enough.
    Stop,
}

/// The data shared by all evaluations of a machine.
#[derive(Debug)]
pub(crate) struct Context {
    /// For the names of elements.
    pub(crate) model: Arc<Model>,
    pub(crate) scope: Scope,
    pub(crate) closures: Vec<Arc<ClosurePlan>>,
    pub(crate) interrupt: Arc<AtomicBool>,
    /// Names of all slots, for messages.
    pub(crate) slot_names: Vec<String>,
    /// Why parts of PROPERTIES are unknown for valuations of the constants that were visited as set-ups nevertheless, by place; shared with
    /// formulas that are compiled after the machine.
    pub(crate) assumed: Arc<Mutex<BTreeMap<Span, EvalErrorKind>>>,
    /// Why PROPERTIES have no value for some values of the constants, although they hold for others.
    pub(crate) without_value: Arc<Mutex<Option<EvalError>>>,
    /// How choices among too many values are made.
    pub(crate) choices: Arc<Choices>,
}

impl Context {
    /// The comprehensions that have been compiled, for those who print values.
    pub(crate) fn comprehensions(&self) -> Arc<[Comprehension]> {
        let printed =
            |plan: &Arc<ClosurePlan>| Comprehension { expr: Arc::clone(&plan.expr), is_domain: !plan.whole, captured: plan.names.clone() };
        self.closures.iter().map(printed).collect()
    }

    /// The model with the comprehensions of a formula that was compiled after the machine.
    pub(crate) fn model_of_formula(&self) -> Arc<Model> {
        // Those of the machine come first, and are in its model.
        if self.model.comprehensions.len() == self.closures.len() {
            return Arc::clone(&self.model);
        }
        Arc::new(Model { comprehensions: self.comprehensions(), ..(*self.model).clone() })
    }

    /// Whether every evaluation must end: by the interrupt flag, or because a choice has ended the search.
    fn is_stopped(&self) -> bool {
        // Relaxed suffices: no data are published by the flags, and reading them late only delays the end.
        self.interrupt.load(Ordering::Relaxed) || self.choices.has_ended_search()
    }

    /// Records that results rest on an unknown predicate.
    pub(crate) fn assume(&self, unknown: EvalError) {
        self.assumed.lock().unwrap_or_else(PoisonError::into_inner).entry(unknown.span).or_insert(unknown.kind);
    }
}

/// The values of all slots.
pub(crate) struct Frame<'m> {
    pub(crate) context: &'m Context,
    slots: Slots,
    /// Work units until the interrupt flag is read again; at least 1 between calls.
    fuel: u32,
    /// How deep running closures are nested.
    depth: u32,
    /// Remaining work budget, in units of FUEL; `u32::MAX` is unlimited.
    refills: u32,
    /// Whether a plain search with more bindings than any run can visit is an error: it is while a set is written out, which needs all.
    pub(crate) refuses_hopeless: bool,
    /// Whether many values of a name that nothing bounds are being tried: meanwhile few are tried for others.
    pub(super) is_sampling: bool,
    /// The first ill-defined guard so far.
    pub(crate) guard_error: Option<EvalError>,
    /// Why the first unknown guard or condition is unknown: there may be more bindings, or outcomes, than the visited ones.
    pub(crate) undecided: Option<EvalError>,
    /// Why the conjunction of the binding that is visited is unknown; the visitor takes it.
    pub(crate) unknown_binding: Option<EvalError>,
    /// The first ill-defined choice of a body; the other choices are still followed.
    pub(crate) body_error: Option<EvalError>,
    /// How many full bindings choices had, and how many of constants were accepted.
    pub(crate) bindings: u64,
    pub(crate) accepted: u64,
    /// The first range in which a name was tried that may have other values.
    pub(crate) cut: Option<TriedRange>,
    /// Values that choices among too many take as well, wherever they are elements.
    pub(crate) wanted: Vec<Value>,
}

/// Errors noted by a search besides the bindings that it visited.
pub(crate) struct Noted {
    /// Why the condition of a binding is unknown.
    pub(super) undecided: Option<EvalError>,
    /// Why the condition of a binding is ill-defined.
    pub(super) ill_defined: Option<EvalError>,
}

impl Noted {
    /// Why there may be another binding: an unknown one may exist, an ill-defined one is an error only if no binding exists.
    pub(super) fn error(self) -> Option<EvalError> {
        self.undecided.or(self.ill_defined)
    }
}

/// The contents of slots: a valuation, and a window over the locals. The names that one operation or formula binds have adjacent slots,
/// so the window is as long as these are, not as all locals of the machine together.
struct Slots {
    first: Vec<Option<Value>>,
    /// The slot with which the window begins.
    start: Slot,
    window: Vec<Option<Value>>,
}

impl Slots {
    fn get(&self, slot: Slot) -> Option<&Value> {
        match self.first.get(slot) {
            Some(content) => content.as_ref(),
            // A slot before the window wraps around to an index beyond its end, which holds nothing.
            None => self.window.get(slot.wrapping_sub(self.start))?.as_ref(),
        }
    }

    /// The content of a slot; the window grows until it has a place for it.
    fn at(&mut self, slot: Slot) -> &mut Option<Value> {
        if slot < self.first.len() {
            return &mut self.first[slot];
        }
        // An empty window may begin anywhere. Otherwise it grows to the left or to the right by undefined places.
        if self.window.is_empty() {
            self.start = slot;
        }
        if slot < self.start {
            let more = self.start - slot;
            self.window.splice(0..0, std::iter::repeat_n(None, more));
            self.start = slot;
        }
        let place = slot - self.start;
        if place >= self.window.len() {
            self.window.resize(place + 1, None);
        }
        &mut self.window[place]
    }
}

/// Work units between two reads of the interrupt flag.
const FUEL: u32 = 4096;

impl<'m> Frame<'m> {
    /// A frame whose first slots hold a valuation (or the constants of one).
    pub(crate) fn new(context: &'m Context, values: &[Value]) -> Self {
        let slots = Slots { first: values.iter().cloned().map(Some).collect(), start: 0, window: Vec::new() };
        Self {
            context,
            slots,
            fuel: FUEL,
            refills: u32::MAX,
            depth: 0,
            refuses_hopeless: false,
            is_sampling: false,
            guard_error: None,
            undecided: None,
            unknown_binding: None,
            bindings: 0,
            accepted: 0,
            body_error: None,
            cut: None,
            wanted: Vec::new(),
        }
    }

    /// Notes that a name is tried in a range only.
    pub(crate) fn note_cut(&mut self, tried: &TriedRange) {
        if self.cut.is_none() {
            self.cut = Some(tried.clone());
        }
    }

    /// The value of a slot.
    pub(crate) fn get(&self, slot: Slot, span: Span) -> Result<&Value, EvalError> {
        match self.slots.get(slot) {
            Some(value) => Ok(value),
            None => Err(EvalError { kind: EvalErrorKind::Unassigned(self.context.slot_names[slot].clone()), span }),
        }
    }

    /// The value of a slot, if it has one.
    pub(super) fn content(&self, slot: Slot) -> Option<&Value> {
        self.slots.get(slot)
    }

    /// Sets a slot.
    pub(crate) fn set(&mut self, slot: Slot, value: Value) {
        *self.slots.at(slot) = Some(value);
    }

    /// Copies the contents of slots, to be put back with [`Self::restore`].
    // Cheap even for large sets: a clone of a value shares its contents.
    pub(crate) fn save(&self, slots: &[Slot]) -> Vec<Option<Value>> {
        slots.iter().map(|&slot| self.slots.get(slot).cloned()).collect()
    }

    /// Puts contents back.
    pub(super) fn restore(&mut self, slots: &[Slot], contents: Vec<Option<Value>>) {
        for (&slot, content) in slots.iter().zip(contents) {
            *self.slots.at(slot) = content;
        }
    }

    /// Makes slots undefined.
    pub(crate) fn clear(&mut self, slots: &[Slot]) {
        for &slot in slots {
            *self.slots.at(slot) = None;
        }
    }

    /// The values of the constants and variables.
    pub(super) fn known(&self) -> &[Option<Value>] {
        &self.slots.first
    }

    /// The first `count` slots as a valuation, or the first of them that is undefined.
    pub(crate) fn valuation(&self, count: usize) -> Result<Valuation, Slot> {
        (0..count).map(|slot| self.slots.get(slot).cloned().ok_or(slot)).collect()
    }

    /// Called by every loop: stops the evaluation soon after the interrupt flag was set.
    pub(crate) fn tick(&mut self, span: Span) -> Result<(), EvalError> {
        // No underflow: `refill` leaves 1 to FUEL units, and `spend` takes fewer than there are.
        self.fuel -= 1;
        if self.fuel == 0 { self.refill(0, span) } else { Ok(()) }
    }

    /// As [`Self::tick`], but reads the interrupt flag each time: for loops whose single steps take long.
    pub(crate) fn tick_and_look(&mut self, span: Span) -> Result<(), EvalError> {
        if self.context.is_stopped() {
            return Err(EvalError { kind: EvalErrorKind::Interrupted, span });
        }
        self.tick(span)
    }

    /// As [`Self::tick`], for many steps at once.
    pub(crate) fn spend(&mut self, steps: u64, span: Span) -> Result<(), EvalError> {
        match steps.checked_sub(u64::from(self.fuel)) {
            Some(beyond) => self.refill(beyond, span),
            None => {
                self.fuel -= u32::try_from(steps).expect("less than the fuel left");
                Ok(())
            }
        }
    }

    /// Fills the fuel up again, after `beyond` units of work more than there was fuel for.
    fn refill(&mut self, beyond: u64, span: Span) -> Result<(), EvalError> {
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
        if self.context.is_stopped() { Err(interrupted) } else { Ok(()) }
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

    /// Runs something with at most this much further work, in units of [`FUEL`]; `None` when that is not enough.
    ///
    /// # Errors
    /// Those of the run, a real interrupt among them.
    pub(super) fn within_work<T>(
        &mut self,
        work: u32,
        run: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<Option<T>, EvalError> {
        let outer = self.refills;
        // Never more than is left outside.
        let granted = work.min(outer);
        self.refills = granted;
        let result = run(self);
        // Budgets nest: work done here is taken from the outer one, unless that has no limit.
        let used = granted - self.refills;
        self.refills = if outer == u32::MAX { outer } else { outer - used };
        // An outer budget that is used up as well ends the outer run, in the same manner as an interrupt.
        let is_interrupt = self.context.is_stopped() || self.refills == 0;
        match result {
            Err(error) if error.kind == EvalErrorKind::Interrupted && !is_interrupt => {
                // `refill` left a single unit, so that nothing more was done inside; what follows outside has its own budget.
                self.fuel = FUEL;
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// The work budget that is left, in units of [`FUEL`].
    pub(crate) fn work_left(&self) -> u32 {
        self.refills
    }

    /// Treats an ill-defined guard as false, and does not follow an unknown one; remembers either, and passes other errors on.
    pub(super) fn disable<T>(&mut self, error: EvalError, disabled: T) -> Result<T, EvalError> {
        // The first one counts: bindings are visited in a fixed order, so it is the same in every run.
        if error.kind.is_ill_defined() {
            self.guard_error.get_or_insert(error);
        } else if error.kind.is_undecided() {
            self.undecided.get_or_insert(error);
        } else {
            return Err(error);
        }
        Ok(disabled)
    }

    /// Remembers that one choice of a body is ill-defined or unknown, so that the others are still followed: which one comes first must
    /// not matter. Passes other errors on.
    pub(crate) fn note_choice(&mut self, flow: Result<Flow, EvalError>) -> Result<Flow, EvalError> {
        match flow {
            Err(error) if error.kind.is_ill_defined() => {
                self.body_error.get_or_insert(error);
                Ok(Flow::Continue)
            }
            Err(error) if error.kind.is_undecided() => {
                self.undecided.get_or_insert(error);
                Ok(Flow::Continue)
            }
            flow => flow,
        }
    }
}
