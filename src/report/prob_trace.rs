//! Traces as ProB saves them (`.prob2trace`, JSON, format version 6), so that a counterexample can be replayed there.
//!
//! Invariant: elements of deferred sets have the names that ProB gives them, unless the machine declares such a name itself; values are B
//! expressions as ProB reads them: characters of strings that are never shown as they are have the escapes of JSON, not those of bcheck.
//! A machine with PROPERTIES but no constants has an empty set-up step in ProB, so it gets one here.

use super::ending::remark;
use super::json::pretty;
use super::json_objects::{Object, texts};
use super::named::{NamedStep, Spelling, named_steps_by};
use super::recorded::{SET_UP, scope_line};
use bcheck_explore::Trace;
use bcheck_ir::{ExprKind, Model, Node, Operation, Scope, Subst, SubstKind, Target, Type, VariableId, walk_subst};
use bcheck_source::{Shown, in_back_quotes, word_in_back_quotes};
use bcheck_value::display::display_for_tools;
use serde::Serialize;
use std::collections::BTreeSet;

/// The trace as a file; `description` is its comment in the file, `saved_at` the current time, ISO 8601.
#[must_use]
pub fn render(model: &Model, scope: &Scope, trace: &Trace, description: &str, saved_at: &str) -> Shown {
    // ProB replays by names and values, so values have its spelling.
    let steps = named_steps_by(model, trace, &Spelling::Uniform(display_for_tools));
    let variables: Vec<&str> = model.variables.keys().map(String::as_str).collect();
    let mut transitions: Vec<Transition<'_>> = Vec::with_capacity(steps.len() + 1);
    if model.has_properties && model.constants.is_empty() {
        transitions.push(Transition::named(SET_UP));
    }
    // The format has no field for the end of a run. A loop is named by the transition of this file that begins it.
    let end = trace.end.map(|end| format!("{}; ", remark(end.renumbered(|start| start + transitions.len())))).unwrap_or_default();
    transitions.extend(steps.iter().map(|step| transition(model, step)));
    pretty(&File {
        description: format!("{description}; {end}{}", scope_line(model, scope)),
        transition_list: transitions,
        variable_names: variables.clone(),
        constant_names: model.constants.keys().map(String::as_str).collect(),
        set_names: model.sets.keys().map(String::as_str).collect(),
        machine_operation_infos: model
            .operations
            .iter()
            .map(|(name, operation)| (name.as_str(), information(model, name, operation)))
            .collect(),
        global_identifier_types: model
            .constants
            .iter()
            .chain(&model.variables)
            .map(|(name, declaration)| (name.as_str(), type_text(model, &declaration.ty)))
            .collect(),
        metadata: Metadata {
            file_type: "Trace",
            format_version: 6,
            saved_at,
            creator: concat!("bcheck ", env!("CARGO_PKG_VERSION")),
            model_name: &model.name,
        },
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    description: String,
    transition_list: Vec<Transition<'a>>,
    variable_names: Vec<&'a str>,
    constant_names: Vec<&'a str>,
    set_names: Vec<&'a str>,
    machine_operation_infos: Object<'a, Information<'a>>,
    global_identifier_types: Object<'a, String>,
    metadata: Metadata<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Transition<'a> {
    name: &'a str,
    params: Object<'a, &'a str>,
    results: Object<'a, &'a str>,
    dest_state: Object<'a, &'a str>,
    dest_state_not_changed: Vec<&'a str>,
    preds: Vec<&'a str>,
    postconditions: Vec<&'a str>,
    description: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Information<'a> {
    operation_name: &'a str,
    parameter_names: Vec<&'a str>,
    output_parameter_names: Vec<&'a str>,
    top_level: bool,
    #[serde(rename = "type")]
    language: &'static str,
    read_variables: Vec<&'a str>,
    written_variables: Vec<&'a str>,
    non_det_written_variables: Vec<&'a str>,
    type_map: Object<'a, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    file_type: &'static str,
    format_version: u32,
    saved_at: &'a str,
    creator: &'static str,
    model_name: &'a str,
}

impl<'a> Transition<'a> {
    fn named(name: &'a str) -> Self {
        Self {
            name,
            params: Object::from_iter([]),
            results: Object::from_iter([]),
            dest_state: Object::from_iter([]),
            dest_state_not_changed: Vec::new(),
            preds: Vec::new(),
            postconditions: Vec::new(),
            description: "",
        }
    }
}

fn transition<'a>(model: &Model, step: &'a NamedStep) -> Transition<'a> {
    // Constants belong to the set-up; later steps only refer to variables.
    let is_set_up = step.name == SET_UP;
    let own = |name: &str| is_set_up || model.variables.contains_key(name);
    let entries = || step.state.iter().zip(&step.changed).filter(|((name, _), _)| own(name));
    Transition {
        params: texts(&step.arguments),
        results: texts(&step.results),
        dest_state: entries().filter(|(_, changed)| **changed).map(|((name, value), _)| (name.as_str(), value.as_str())).collect(),
        dest_state_not_changed: entries().filter(|(_, changed)| !**changed).map(|((name, _), _)| name.as_str()).collect(),
        ..Transition::named(&step.name)
    }
}

fn information<'a>(model: &'a Model, name: &'a str, operation: &'a Operation) -> Information<'a> {
    let mut read = BTreeSet::new();
    let mut written = BTreeSet::new();
    let mut chosen = BTreeSet::new();
    walk_subst(&operation.body, &mut |node| match node {
        Node::Expr(expr) => {
            if let ExprKind::Variable(variable) | ExprKind::OldVariable(variable) = expr.kind {
                read.insert(variable);
            }
        }
        Node::Subst(subst) => targets(subst, &mut written, &mut chosen),
        Node::Pred(_) => {}
    });
    // A guard of a refinement may read variables of the refined machine, which the trace does not contain.
    let names = |variables: BTreeSet<VariableId>| {
        let known = variables.into_iter().filter_map(|variable| model.variables.get_index(variable.index()));
        known.map(|(name, _)| name.as_str()).collect()
    };
    Information {
        operation_name: name,
        parameter_names: operation.parameters.iter().map(|(name, ..)| name.as_str()).collect(),
        output_parameter_names: operation.results.iter().map(|(name, ..)| name.as_str()).collect(),
        top_level: true,
        language: "CLASSICAL_B",
        read_variables: names(read),
        written_variables: names(written),
        non_det_written_variables: names(chosen),
        type_map: operation
            .parameters
            .iter()
            .chain(&operation.results)
            .map(|(name, _, ty)| (name.as_str(), type_text(model, ty)))
            .collect(),
    }
}

/// Enters the variables that a substitution itself writes, and among them those whose value is a nondeterministic choice.
fn targets(subst: &Subst, written: &mut BTreeSet<VariableId>, chosen: &mut BTreeSet<VariableId>) {
    let variable = |target: &Target| match target {
        Target::Variable(variable) => Some(*variable),
        Target::Local(_) => None,
    };
    let (found, is_choice): (Vec<VariableId>, bool) = match &subst.kind {
        SubstKind::Assign(assignments) => (assignments.iter().filter_map(|(target, _)| variable(target)).collect(), false),
        SubstKind::BecomesIn(targets, _) => (targets.iter().filter_map(variable).collect(), true),
        SubstKind::BecomesSuchThat(targets, _) => (targets.iter().filter_map(|(target, ..)| variable(target)).collect(), true),
        SubstKind::Follow(following) => (vec![following.states], false),
        SubstKind::Skip
        | SubstKind::Parallel(_)
        | SubstKind::Sequence(_)
        | SubstKind::Pre { .. }
        | SubstKind::Assert(..)
        | SubstKind::Choice(_)
        | SubstKind::If(..)
        | SubstKind::Select(..)
        | SubstKind::Any(..)
        | SubstKind::Let(..)
        | SubstKind::Var(..)
        // The walk visits their contents itself.
        | SubstKind::While { .. } => (Vec::new(), false),
    };
    written.extend(&found);
    if is_choice {
        chosen.extend(found);
    }
}

/// A type as the B expression of the set of all its values.
fn type_text(model: &Model, ty: &Type) -> String {
    match ty {
        Type::Bool => "BOOL".to_owned(),
        Type::Integer => "INTEGER".to_owned(),
        Type::String => "STRING".to_owned(),
        Type::Given(set) => in_back_quotes(model.set_name(*set)).into_owned(),
        Type::Free(free) => in_back_quotes(&free.name).into_owned(),
        Type::Set(element) => format!("POW({})", type_text(model, element)),
        // Always in parentheses, as `*` groups to the left.
        Type::Pair(first, second) => format!("({}*{})", type_text(model, first), type_text(model, second)),
        Type::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{}:{}", word_in_back_quotes(name), type_text(model, ty))).collect();
            format!("struct({})", fields.join(","))
        }
    }
}
