//! What all evaluations of a machine share: its model and scope, its closures, and what ends or answers them together.
//!
//! Invariant: an evaluation changes nothing here but notes, which the schedule does not show. Deliberately elsewhere: the values of one
//! evaluation (`frame`).

use super::choice_mode::Choices;
use crate::plan::ClosurePlan;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{Comprehension, Model, Scope};
use bcheck_source::Span;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    pub(super) fn is_stopped(&self) -> bool {
        // Relaxed suffices: no data are published by the flags, and reading them late only delays the end.
        self.interrupt.load(Ordering::Relaxed) || self.choices.has_ended_search()
    }

    /// Records that results rest on an unknown predicate.
    pub(crate) fn assume(&self, unknown: EvalError) {
        self.assumed.lock().unwrap_or_else(PoisonError::into_inner).entry(unknown.span).or_insert(unknown.kind);
    }
}
