//! The façade of the evaluator: one compiled machine that gives set-ups, initial states, successors and property values.
//!
//! Invariant: everything is a function of the model, the scope and the valuation passed in; a `Machine` is shared by all workers.

use super::EvalError;
use crate::ir::{Model, OperationId, Scope};
use crate::value::{Valuation, Value};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One outgoing step of a state under one operation; distinct in (arguments, results, next).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Argument values, in the order of the operation's parameters.
    pub arguments: Vec<Value>,
    /// Result values, in the order of the operation's results.
    pub results: Vec<Value>,
    /// The successor (constants included).
    pub next: Valuation,
}

/// All steps of one state under one operation.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Distinct steps, in the deterministic order of enumeration.
    pub steps: Vec<Step>,
    /// Instances whose body was ill-defined: the arguments and the reason. Findings.
    pub ill_defined: Vec<(Vec<Value>, EvalError)>,
    /// The first guard that was ill-defined here, if any; such an instance is disabled and warned about.
    pub ill_defined_guard: Option<EvalError>,
}

/// A machine compiled for one scope.
pub struct Machine {
    model: Arc<Model>,
    scope: Scope,
    interrupt: Arc<AtomicBool>,
}

impl Machine {
    /// Compiles a model for given set sizes and integer bounds.
    #[must_use]
    pub fn compile(model: Arc<Model>, scope: Scope) -> Self {
        Self { model, scope, interrupt: Arc::default() }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The sizes and bounds.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The flag that stops any evaluation with [`super::EvalErrorKind::Interrupted`] when set.
    #[must_use]
    pub fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    /// Visits every valuation of the constants that satisfies PROPERTIES, each once; one empty valuation when there are none.
    ///
    /// # Errors
    /// When PROPERTIES are ill-defined or a constant cannot be enumerated.
    pub fn for_each_setup(&self, _visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        Ok(())
    }

    /// Visits every distinct initial state (constants, then variables) of one valuation of the constants.
    ///
    /// # Errors
    /// When the initialisation is ill-defined.
    pub fn for_each_initial(&self, _constants: &[Value], _visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        Ok(())
    }

    /// All steps of one operation in one state.
    ///
    /// # Errors
    /// Unbounded enumeration or interrupt only: ill-definedness is part of the result.
    pub fn successors(&self, _state: &[Value], _operation: OperationId) -> Result<Successors, EvalError> {
        Ok(Successors::default())
    }

    /// The first conjunct of the invariant (index into `Model::invariant`) that is false here, if any.
    ///
    /// # Errors
    /// When a conjunct is ill-defined: with its index.
    pub fn violated_invariant(&self, _state: &[Value]) -> Result<Option<usize>, (usize, EvalError)> {
        Ok(None)
    }

    /// The first assertion (index into `Model::assertions`) that is false here; static ones only when `statics`, others only when not.
    ///
    /// # Errors
    /// When an assertion is ill-defined: with its index.
    pub fn violated_assertion(&self, _state: &[Value], _statics: bool) -> Result<Option<usize>, (usize, EvalError)> {
        Ok(None)
    }

    /// Whether the goal holds here; false without a goal.
    ///
    /// # Errors
    /// When the goal is ill-defined.
    pub fn is_goal(&self, _state: &[Value]) -> Result<bool, EvalError> {
        Ok(false)
    }

    /// Evaluates a closed expression (or one over constants and variables of `state`) to a value.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn evaluate(&self, _expr: &crate::ir::Expr, _state: &[Value]) -> Result<Value, EvalError> {
        Ok(Value::Bool(false))
    }

    /// Evaluates a predicate likewise.
    ///
    /// # Errors
    /// As any evaluation.
    pub fn holds(&self, _pred: &crate::ir::Pred, _state: &[Value]) -> Result<bool, EvalError> {
        Ok(false)
    }
}
