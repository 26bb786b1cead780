//! The events of VisB objects: an operation, with a predicate about the state and its parameters.
//!
//! Invariant: parameters are typed as the operation types them. Deliberately elsewhere: whether a step is such a call (`report`).

use super::VisbFault;
use crate::formula::{Formula, FormulaContext, Macros, analyse_formula};
use crate::names::nearest;
use bcheck_ir::{Declaration, EventCondition, Model, OperationId, Scope};
use bcheck_source::{Diagnostic, Severity, Span};
use bcheck_syntax::{Anchor, parse_formula_at};

/// Reads predicates of events that are values, and so are known in a state only.
#[derive(Debug)]
pub struct ConditionReader {
    model: Model,
    scope: Scope,
    macros: Macros,
}

impl ConditionReader {
    /// A reader of predicates over a model and the definitions of its machine.
    #[must_use]
    pub fn new(model: Model, scope: Scope, macros: Macros) -> Self {
        Self { model, scope, macros }
    }

    /// The operation of this name, and the condition of a predicate on a call.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn read(&self, operation: &str, predicate: &str, place: Span) -> Result<(OperationId, Option<EventCondition>), String> {
        let operation = operation_of(&self.model, operation, place).map_err(|fault| fault.why)?;
        if predicate.trim().is_empty() {
            return Ok((operation, None));
        }
        // The text is in no file: each of its characters has the place of the definition.
        let anchor = Anchor::at(place);
        let read = condition((&self.model, &self.scope, &self.macros), operation, &[(anchor, predicate.to_owned())]);
        read.map(|condition| (operation, Some(condition))).map_err(|fault| fault.why)
    }
}

/// The operation of a name.
pub(super) fn operation_of(model: &Model, name: &str, place: Span) -> Result<OperationId, VisbFault> {
    model.operation(name).ok_or_else(|| VisbFault {
        place,
        why: format!("the machine has no operation `{name}`"),
        label: String::new(),
        help: nearest(name, model.operations.keys().map(String::as_str))
            .map(|near| format!("a similar name is `{near}`"))
            .into_iter()
            .collect(),
    })
}

/// The condition of predicates on a call of an operation.
pub(super) fn condition(
    (model, scope, macros): (&Model, &Scope, &Macros),
    operation: OperationId,
    predicates: &[(Anchor, String)],
) -> Result<EventCondition, VisbFault> {
    let mut own = Model::empty(&model.name, Span::nowhere());
    own.sets.clone_from(&model.sets);
    own.free_types.clone_from(&model.free_types);
    own.constants.clone_from(&model.constants);
    own.variables.clone_from(&model.variables);
    own.locals.clone_from(&model.locals);
    // Behind the variables, so that the values of a call can follow those of a state.
    if let Some((_, operation)) = model.operations.get_index(operation.index()) {
        for (name, _, ty) in &operation.parameters {
            let declaration = Declaration { ty: ty.clone(), span: operation.span };
            let clashes = own.variables.contains_key(name) || own.constants.contains_key(name);
            // A name with another meaning retains it; this one cannot be typed.
            let name = if clashes { format!("{name} of {}", model.name) } else { name.clone() };
            own.variables.insert(name, declaration);
        }
    }
    let mut read = EventCondition { model: own, predicates: Vec::new(), text: String::new() };
    for (anchor, text) in predicates {
        let parsed = parse_formula_at(anchor, text);
        let faulty = |list: Vec<Diagnostic>| VisbFault::of(list, anchor.span(0, text.len()));
        if bcheck_source::has_errors(&parsed.diagnostics) {
            return Err(faulty(parsed.diagnostics));
        }
        let context = FormulaContext { model: Some(&read.model), scope: Some(scope), ..FormulaContext::default() };
        match analyse_formula(&parsed.tree, context, macros).map_err(faulty)? {
            (Formula::Pred(pred), model) => {
                read.predicates.push(pred);
                read.model = model;
            }
            (Formula::Expr(_), _) => {
                let (why, help) = ("the condition of the event is no predicate", "write parameter = value".to_owned());
                return Err(VisbFault { place: anchor.span(0, text.len()), why: why.to_owned(), label: String::new(), help: vec![help] });
            }
        }
        if !read.text.is_empty() {
            read.text.push_str(" & ");
        }
        read.text.push_str(text.trim());
    }
    Ok(read)
}

impl VisbFault {
    /// The first error; later ones may be its consequences.
    pub(super) fn of(list: Vec<Diagnostic>, place: Span) -> Self {
        match list.into_iter().find(|one| one.severity == Severity::Error) {
            Some(error) => {
                let label = error.labels.first().map(|label| label.text.clone()).unwrap_or_default();
                Self { place: error.span(), why: error.title, label, help: error.help }
            }
            None => Self { place, why: "it cannot be read".to_owned(), label: String::new(), help: Vec::new() },
        }
    }
}
