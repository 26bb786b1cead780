//! Traces in names and texts: what every format of a trace starts from.
//!
//! Invariant: names come in declaration order; values are B expressions that can be pasted into `bcheck eval`, unless the machine declares
//! something under the name of an element of a deferred set (`T1`). They are written by their declared types, but for other tools.

use super::notation::{Notation, notations, of_parameters, of_results, written};
use super::recorded::{INITIALISATION, SET_UP, WITHIN_INVARIANT};
use bcheck_explore::{Trace, TraceBeginning, TraceStep};
use bcheck_ir::Model;
use bcheck_source::Span;
use bcheck_value::Value;

/// A step of a trace in names and texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStep {
    /// `$setup_constants`, `$initialise_machine`, `$within_invariant` or the operation.
    pub name: String,
    /// Parameters with values.
    pub arguments: Vec<(String, String)>,
    /// Results with values; those left unassigned are missing.
    pub results: Vec<(String, String)>,
    /// The state reached: constants only after the set-up.
    pub state: Vec<(String, String)>,
    /// Which entries of `state` are new or differ from the step before.
    pub changed: Vec<bool>,
}

/// Names with their values, as in `x = 1, y = {}`; empty without any.
pub fn equations<'a>(pairs: impl IntoIterator<Item = &'a (String, String)>) -> String {
    pairs.into_iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

impl NamedStep {
    /// The entries of the state that this step set.
    pub fn changes(&self) -> impl Iterator<Item = &(String, String)> {
        self.state.iter().zip(&self.changed).filter(|(_, changed)| **changed).map(|(entry, _)| entry)
    }

    /// The text that the step comes from: PROPERTIES, represented by their first conjunct, the initialisation, or the operation.
    #[must_use]
    pub fn span(&self, model: &Model, step: &TraceStep) -> Option<Span> {
        match step.operation {
            Some(operation) => model.operations.get_index(operation.index()).map(|(_, operation)| operation.span),
            None if self.name == SET_UP => model.properties.first().map(|conjunct| conjunct.pred.span),
            None if self.name == WITHIN_INVARIANT => model.invariant.first().map(|conjunct| conjunct.pred.span),
            None => Some(model.initialisation.span),
        }
    }
}

/// The steps of a trace in names and texts.
#[must_use]
pub fn named_steps(model: &Model, trace: &Trace) -> Vec<NamedStep> {
    named_steps_by(model, trace, &Spelling::by_type(model))
}

/// How values are written as text.
pub(super) enum Spelling {
    /// All by one function, whatever their declared types: in formats that only the command line writes.
    Uniform(fn(&Value, &dyn bcheck_value::display::ElementNames) -> String),
    /// By their declared types: those of constants and variables are these notations.
    ByType(Vec<Notation>),
}

impl Spelling {
    /// That of people, for the names of a machine.
    pub(super) fn by_type(model: &Model) -> Self {
        Self::ByType(notations(model))
    }

    /// Names with their values, of the state or with these notations.
    fn pairs<'v>(
        &self,
        names: impl Iterator<Item = &'v str>,
        values: impl Iterator<Item = Option<&'v Value>>,
        of: impl FnOnce(&[Notation]) -> Vec<Notation>,
        model: &Model,
    ) -> Vec<(String, String)> {
        let notations = match self {
            Self::Uniform(_) => Vec::new(),
            Self::ByType(of_state) => of(of_state),
        };
        let text = |(index, value): (usize, &Value)| match self {
            Self::Uniform(spelled) => spelled(value, model),
            Self::ByType(_) => written(value, notations.get(index).unwrap_or(&Notation::Plain), model),
        };
        let named = names.zip(values).enumerate();
        named.filter_map(|(index, (name, value))| Some((name.to_owned(), text((index, value?))))).collect()
    }
}

/// The steps of a trace in names and texts, with values in this spelling.
pub(super) fn named_steps_by(model: &Model, trace: &Trace, spelling: &Spelling) -> Vec<NamedStep> {
    let mut before: &[Value] = &[];
    let mut steps = Vec::with_capacity(trace.steps.len());
    for step in &trace.steps {
        steps.push(named_step_by(model, step, before, spelling));
        before = &step.state;
    }
    if trace.beginning == TraceBeginning::WithinInvariant
        && let Some(first) = steps.get_mut(model.set_up_steps())
    {
        WITHIN_INVARIANT.clone_into(&mut first.name);
    }
    steps
}

/// One step in names and texts, after this state (empty before the first step).
#[must_use]
pub fn named_step(model: &Model, step: &TraceStep, before: &[Value]) -> NamedStep {
    named_step_by(model, step, before, &Spelling::by_type(model))
}

/// As [`named_step`], with values in this spelling.
pub(super) fn named_step_by(model: &Model, step: &TraceStep, before: &[Value], spelling: &Spelling) -> NamedStep {
    // The set-up step ends with the constants alone. Without variables its state is that of the initialisation, so it is recognised by its
    // position: the first step of a machine with constants.
    let name = match step.operation {
        Some(operation) => model.operation_name(operation).to_owned(),
        None if before.is_empty() && !model.constants.is_empty() => SET_UP.to_owned(),
        None => INITIALISATION.to_owned(),
    };
    let (arguments, results) = match step.operation.and_then(|id| model.operations.get_index(id.index())) {
        Some((_, operation)) => {
            let parameters = operation.parameters.iter().map(|(name, ..)| name.as_str());
            let results = operation.results.iter().map(|(name, ..)| name.as_str());
            (
                spelling.pairs(parameters, step.arguments.iter().map(Some), |_| of_parameters(operation), model),
                spelling.pairs(results, step.results.iter().map(Option::as_ref), |known| of_results(operation, known, model), model),
            )
        }
        None => (Vec::new(), Vec::new()),
    };
    let names = model.constants.keys().chain(model.variables.keys()).map(String::as_str);
    let state = spelling.pairs(names, step.state.iter().map(Some), <[Notation]>::to_vec, model);
    // Names without a value before count as changed: the variables after the set-up.
    let changed = step.state.iter().enumerate().map(|(index, value)| before.get(index) != Some(value)).collect();
    NamedStep { name, arguments, results, state, changed }
}

#[cfg(test)]
mod tests;
