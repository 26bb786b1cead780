//! Events of VisB objects: operations, with conditions on their parameters.
//!
//! Invariant: a step is such a call only if the condition is true; an ill-defined condition does not match. Predicates that are values are
//! read once each. Deliberately elsewhere: reading and typing predicates (`sema`, which `cli` passes on).

use bcheck_eval::{CompiledPred, Machine};
use bcheck_explore::TraceStep;
use bcheck_ir::{EventCondition, Model, OperationId};
use bcheck_source::{Span, in_back_quotes};
use bcheck_value::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// Reads the predicate of an event: of the operation with this name, at this place.
pub type ReadCondition = Box<dyn Fn(&str, &str, Span) -> Result<(OperationId, Option<EventCondition>), String>>;

/// The event of an object.
#[derive(Clone, Debug)]
pub struct PictureEvent {
    /// The id of the object.
    pub id: String,
    plan: Arc<EventPlan>,
    /// Whether the next step of the run is such a call.
    is_next: bool,
}

/// An operation with a compiled condition.
#[derive(Debug)]
pub struct EventPlan {
    operation: OperationId,
    text: String,
    conjuncts: Vec<CompiledPred>,
}

impl EventPlan {
    /// Compiles a condition; the machine has the sizes.
    pub fn new(operation: OperationId, condition: Option<&EventCondition>, machine: &Machine) -> Self {
        let Some(condition) = condition else { return Self { operation, text: String::new(), conjuncts: Vec::new() } };
        // A separate machine, as the parameters have places behind the variables; one signal ends both.
        let own = Machine::compile(Arc::new(condition.model.clone()), machine.scope().clone()).sharing_interrupt(machine);
        let conjuncts = condition.predicates.iter().map(|pred| own.compile_pred(pred)).collect();
        Self { operation, text: condition.text.clone(), conjuncts }
    }

    fn is_call(&self, state: &[Value], step: &TraceStep) -> bool {
        if step.operation != Some(self.operation) {
            return false;
        }
        let values: Vec<Value> = state.iter().chain(&step.arguments).cloned().collect();
        self.conjuncts.iter().all(|conjunct| conjunct.holds(&values).unwrap_or(false))
    }
}

impl PictureEvent {
    /// The event of the element with this identifier in the step from `state` to `next`.
    pub fn new(id: String, plan: Arc<EventPlan>, (state, next): (&[Value], Option<&TraceStep>)) -> Self {
        let is_next = next.is_some_and(|next| plan.is_call(state, next));
        Self { id, plan, is_next }
    }

    /// Whether a step from this state is a call that matches the event.
    pub fn is_call(&self, state: &[Value], step: &TraceStep) -> bool {
        self.plan.is_call(state, step)
    }

    /// The operation and its condition in words, and whether it is the next step of the run.
    pub fn said(&self, model: &Model) -> String {
        let mut said = in_back_quotes(model.operation_name(self.plan.operation)).into_owned();
        if !self.plan.text.is_empty() {
            said += &format!(" where {}", self.plan.text);
        }
        if self.is_next {
            said += " (the next step)";
        }
        said
    }
}

/// The parsed predicate of an event.
type ReadEvent = Result<Arc<EventPlan>, String>;

/// Predicates that are values, each read at its first occurrence.
pub(super) struct Conditions {
    read: ReadCondition,
    known: RefCell<BTreeMap<(String, String), ReadEvent>>,
}

impl Conditions {
    pub(super) fn new(read: ReadCondition) -> Self {
        Self { read, known: RefCell::default() }
    }

    /// The plan of an operation and a predicate.
    pub(super) fn plan(&self, (operation, predicate): (String, String), place: Span, machine: &Machine) -> ReadEvent {
        let mut known = self.known.borrow_mut();
        let entry = known.entry((operation, predicate));
        entry
            .or_insert_with_key(|(operation, predicate)| {
                let (operation, condition) = (self.read)(operation, predicate, place)?;
                Ok(Arc::new(EventPlan::new(operation, condition.as_ref(), machine)))
            })
            .clone()
    }
}

impl Debug for Conditions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.known.fmt(f)
    }
}
