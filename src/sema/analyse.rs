//! A machine's tree → its model: clauses in the order in which B lets them see each other.
//!
//! Invariant: a model is returned only when there is no error; then it is closed and well typed.

use super::definitions::Definitions;
use super::elaborate::Elaborator;
use super::expand::Expander;
use super::finish::Finisher;
use super::names::{Meaning, Names};
use super::predicate::conjuncts;
use super::{compose, hints, parameters, settings, untyped};
use crate::ir::{
    Assertion, Conjunct, ConstantId, Declaration, Expr, ExprKind, GivenSet, GivenSetKind, Model, Node, Operation, Pred, PredKind, SetId,
    Subst, SubstKind, Type, VariableId, walk_pred,
};
use crate::source::{Code, Diagnostic, Span, has_errors};
use crate::syntax::ast::{self, ClauseKind, DefinitionBody, SetDeclarationKind};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// A formula by itself.
#[derive(Clone, Debug)]
pub enum Formula {
    /// It has a value.
    Expr(Expr),
    /// It is true or false.
    Pred(Pred),
}

/// The expanded clauses of a machine.
#[derive(Default)]
struct Clauses {
    constraints: Vec<ast::Expr>,
    properties: Vec<ast::Expr>,
    has_properties: bool,
    invariant: Vec<ast::Expr>,
    assertions: Vec<ast::Expr>,
    initialisation: Option<ast::Subst>,
    operations: Vec<ast::Operation>,
    goal: Option<ast::Expr>,
}

fn expand(machine: &ast::Machine, definitions: &Definitions<'_>, diagnostics: &mut Vec<Diagnostic>) -> Clauses {
    let mut expander = Expander::new(definitions);
    let mut clauses = Clauses::default();
    for clause in &machine.clauses {
        match &clause.kind {
            ClauseKind::Constraints(pred) => clauses.constraints.push(expander.expr(pred)),
            ClauseKind::Properties(pred) => {
                clauses.has_properties = true;
                clauses.properties.push(expander.expr(pred));
            }
            ClauseKind::Invariant(pred) => clauses.invariant.push(expander.expr(pred)),
            ClauseKind::Assertions(preds) => clauses.assertions.extend(preds.iter().map(|pred| expander.expr(pred))),
            ClauseKind::Initialisation(subst) => clauses.initialisation = Some(expander.subst(subst)),
            ClauseKind::Operations(operations) => {
                clauses.operations.extend(operations.iter().map(|operation| expander.operation(operation)));
            }
            _ => {}
        }
    }
    if let Some(goal) = definitions.get("GOAL").filter(|goal| goal.parameters.is_empty())
        && let DefinitionBody::Expr(body) = goal.body
    {
        clauses.goal = Some(expander.expr(body));
    }
    diagnostics.append(&mut expander.diagnostics);
    clauses
}

/// A machine's model, and everything to say about its text.
#[must_use]
pub fn analyse(machine: &ast::Machine) -> (Option<Model>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    compose::check(machine, &mut diagnostics);
    if has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let definitions = Definitions::collect(machine, &mut diagnostics);
    let clauses = expand(machine, &definitions, &mut diagnostics);
    let mut elaborator = Elaborator::new();
    elaborator.has_library = definitions.has_library;
    elaborator.diagnostics = diagnostics;
    elaborator.names.others = definitions.iter().map(|found| found.name.text.clone()).collect();
    elaborator.names.others.extend(clauses.operations.iter().map(|operation| operation.name.text.clone()));
    let sets = declare_sets(machine, &definitions, &mut elaborator);
    let constants = declare_constants(machine, &mut elaborator);
    let variables = declare_variables(machine, &mut elaborator);
    let model = elaborate(&mut elaborator, machine, &definitions, &clauses, sets, constants, variables);
    let mut diagnostics = elaborator.diagnostics;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
    diagnostics.dedup();
    let model = (!has_errors(&diagnostics)).then_some(model);
    (model, diagnostics)
}

fn declare(elaborator: &mut Elaborator<'_>, name: &ast::Name, meaning: Meaning) {
    if let Err(diagnostic) = elaborator.names.declare(&name.text, meaning, name.span) {
        elaborator.diagnostics.push(diagnostic);
    }
}

fn declare_sets(machine: &ast::Machine, definitions: &Definitions<'_>, elaborator: &mut Elaborator<'_>) -> IndexMap<String, GivenSet> {
    let mut sets: IndexMap<String, GivenSet> = IndexMap::new();
    let mut add = |elaborator: &mut Elaborator<'_>, name: &ast::Name, elements: Option<Vec<ast::Name>>| {
        let Ok(index) = u16::try_from(sets.len()) else { return };
        let id = SetId(index);
        declare(elaborator, name, Meaning::Set(id));
        if sets.contains_key(&name.text) {
            return;
        }
        let kind = match elements {
            None => GivenSetKind::Deferred,
            Some(elements) => {
                for (element, index) in elements.iter().zip(0..) {
                    declare(elaborator, element, Meaning::Element(id, index));
                }
                GivenSetKind::Enumerated(elements.into_iter().map(|element| element.text).collect())
            }
        };
        elaborator.set_names.push(name.text.clone());
        sets.insert(name.text.clone(), GivenSet { kind, span: name.span });
    };
    for parameter in machine.parameters.iter().filter(|parameter| parameters::is_set(machine, &parameter.text)) {
        add(elaborator, parameter, None);
    }
    for clause in &machine.clauses {
        let ClauseKind::Sets(declarations) = &clause.kind else { continue };
        for declaration in declarations {
            let elements = match &declaration.kind {
                SetDeclarationKind::Deferred => None,
                SetDeclarationKind::Enumerated(elements) => Some(elements.clone()),
                SetDeclarationKind::ByDefinition(name) => match elements_of(definitions, &name.text) {
                    Some(elements) => Some(elements),
                    None => {
                        elaborator.diagnostics.push(
                            Diagnostic::error(
                                Code::UnknownName,
                                name.span,
                                format!("`{}` is not a definition that lists elements", name.text),
                            )
                            .help("write the elements in braces, or define the name as {a, b, …}"),
                        );
                        Some(Vec::new())
                    }
                },
            };
            add(elaborator, &declaration.name, elements);
        }
    }
    sets
}

fn elements_of(definitions: &Definitions<'_>, name: &str) -> Option<Vec<ast::Name>> {
    let items = match definitions.get(name)?.body {
        DefinitionBody::Expr(ast::Expr { kind: ast::ExprKind::SetExtension(items), .. }) | DefinitionBody::List(items) => items,
        DefinitionBody::Expr(_) | DefinitionBody::Subst(_) => return None,
    };
    items
        .iter()
        .map(|item| match &item.kind {
            ast::ExprKind::Ident(text) => Some(ast::Name { text: text.clone(), span: item.span }),
            _ => None,
        })
        .collect()
}

fn declare_constants(machine: &ast::Machine, elaborator: &mut Elaborator<'_>) -> IndexMap<String, Span> {
    let mut names: Vec<&ast::Name> = machine.parameters.iter().filter(|parameter| !parameters::is_set(machine, &parameter.text)).collect();
    for clause in &machine.clauses {
        if let ClauseKind::Constants(constants, _) = &clause.kind {
            names.extend(constants);
        }
    }
    let mut constants = IndexMap::new();
    for name in names {
        let id = ConstantId(u32::try_from(constants.len()).expect("fewer than 2^32 constants"));
        declare(elaborator, name, Meaning::Constant(id));
        if constants.insert(name.text.clone(), name.span).is_none() {
            let ty = elaborator.types.fresh();
            elaborator.constant_types.push(ty);
        }
    }
    constants
}

fn declare_variables(machine: &ast::Machine, elaborator: &mut Elaborator<'_>) -> IndexMap<String, Span> {
    let mut variables = IndexMap::new();
    for clause in &machine.clauses {
        let ClauseKind::Variables(names, _) = &clause.kind else { continue };
        for name in names {
            let id = VariableId(u32::try_from(variables.len()).expect("fewer than 2^32 variables"));
            declare(elaborator, name, Meaning::Variable(id));
            if variables.insert(name.text.clone(), name.span).is_none() {
                let ty = elaborator.types.fresh();
                elaborator.variable_types.push(ty);
            }
        }
    }
    variables
}

fn split(elaborator: &mut Elaborator<'_>, preds: &[ast::Expr]) -> Vec<Conjunct> {
    let mut result = Vec::new();
    for part in preds.iter().flat_map(conjuncts) {
        let pred = elaborator.pred(part);
        elaborator.settle();
        let label = match &pred.kind {
            PredKind::Labelled(label, _) => Some(label.to_string()),
            PredKind::True => continue,
            _ => None,
        };
        result.push(Conjunct { pred, label });
    }
    result
}

#[allow(clippy::too_many_arguments, reason = "the parts of one machine")]
fn elaborate<'a>(
    elaborator: &mut Elaborator<'a>,
    machine: &ast::Machine,
    definitions: &Definitions<'_>,
    clauses: &'a Clauses,
    sets: IndexMap<String, GivenSet>,
    constants: IndexMap<String, Span>,
    variables: IndexMap<String, Span>,
) -> Model {
    elaborator.operations = clauses.operations.iter().collect();
    elaborator.names.hide_variables = true;
    let mut properties = split(elaborator, &clauses.constraints);
    properties.extend(split(elaborator, &clauses.properties));
    elaborator.names.hide_variables = false;
    let invariant = split(elaborator, &clauses.invariant);
    let mut assertions: Vec<Pred> = Vec::new();
    for assertion in &clauses.assertions {
        assertions.push(elaborator.pred(assertion));
        elaborator.settle();
    }
    let initialisation = match &clauses.initialisation {
        Some(subst) => elaborator.subst(subst),
        None => {
            if let Some((name, span)) = variables.first() {
                elaborator.diagnostics.push(
                    Diagnostic::error(Code::MissingClause, *span, "a machine with variables needs an INITIALISATION")
                        .label(format!("`{name}` has no initial value"))
                        .help("add INITIALISATION with an assignment to each variable"),
                );
            }
            Subst { kind: SubstKind::Skip, span: machine.name.span }
        }
    };
    elaborator.settle();
    let mut operations: IndexMap<String, Operation> = IndexMap::new();
    for operation in &clauses.operations {
        let built = elaborate_operation(elaborator, operation);
        let first =
            clauses.operations.iter().find(|other| other.name.text == operation.name.text).filter(|first| first.name != operation.name);
        if let Some(first) = first {
            let diagnostic = super::names::duplicate(&operation.name.text, operation.name.span, first.name.span);
            elaborator.diagnostics.push(diagnostic);
        } else {
            operations.insert(operation.name.text.clone(), built);
        }
    }
    let goal = clauses.goal.as_ref().map(|goal| elaborator.pred(goal));
    let set_of = |name: &str| sets.get_index_of(name).map(|index| SetId(u16::try_from(index).expect("checked when declared")));
    let mut settings = settings::read(definitions, &sets, &mut elaborator.diagnostics);
    let deferred = |name: &str| set_of(name).filter(|id| sets[id.index()].kind == GivenSetKind::Deferred);
    let names: BTreeSet<&str> = constants.keys().map(String::as_str).collect();
    settings.hints = hints::of_properties(&[&clauses.constraints[..], &clauses.properties[..]].concat(), &deferred, &names);

    elaborator.settle_all();
    if !has_errors(&elaborator.diagnostics) {
        untyped::report(elaborator, &constants, &variables, &mut operations);
    }
    let types = std::mem::take(&mut elaborator.types);
    let finisher = Finisher { types: &types };
    let declarations = |names: IndexMap<String, Span>, known: &[Type]| {
        let complete = |((name, span), ty): ((String, Span), &Type)| {
            let mut ty = ty.clone();
            finisher.ty(&mut ty);
            (name, Declaration { ty, span })
        };
        names.into_iter().zip(known).map(complete).collect::<IndexMap<_, _>>()
    };
    let mut model = Model {
        name: machine.name.text.clone(),
        sets,
        constants: declarations(constants, &elaborator.constant_types),
        variables: declarations(variables, &elaborator.variable_types),
        properties,
        has_properties: clauses.has_properties,
        invariant,
        assertions: assertions.into_iter().map(assertion).collect(),
        initialisation,
        operations,
        goal,
        settings,
        locals: std::mem::take(&mut elaborator.locals),
    };
    model.properties.iter_mut().chain(&mut model.invariant).for_each(|conjunct| finisher.pred(&mut conjunct.pred));
    model.assertions.iter_mut().for_each(|assertion| finisher.pred(&mut assertion.pred));
    model.goal.iter_mut().for_each(|goal| finisher.pred(goal));
    finisher.subst(&mut model.initialisation);
    for operation in model.operations.values_mut() {
        finisher.subst(&mut operation.body);
        operation.parameters.iter_mut().chain(&mut operation.results).for_each(|(_, _, ty)| finisher.ty(ty));
    }
    model
}

fn assertion(pred: Pred) -> Assertion {
    let mut is_static = true;
    walk_pred(&pred, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(_) | ExprKind::OldVariable(_), .. }) = node {
            is_static = false;
        }
    });
    let label = match &pred.kind {
        PredKind::Labelled(label, _) => Some(label.to_string()),
        _ => None,
    };
    Assertion { pred, label, is_static }
}

fn elaborate_operation(elaborator: &mut Elaborator<'_>, operation: &ast::Operation) -> Operation {
    let parameters = elaborator.bind(&operation.parameters);
    let results = elaborator.bind_as(&operation.results, true);
    elaborator.calls.push(operation.name.text.clone());
    let body = elaborator.operation_body(&operation.body);
    elaborator.calls.pop();
    elaborator.names.bound.clear();
    elaborator.settle();
    let named = |locals: Vec<(crate::ir::LocalId, Type)>, names: &[ast::Name]| {
        locals.into_iter().zip(names).map(|((id, ty), name)| (name.text.clone(), id, ty)).collect()
    };
    Operation {
        parameters: named(parameters, &operation.parameters),
        results: named(results, &operation.results),
        body,
        span: operation.span,
    }
}

/// A formula by itself, over the names of a model (or of none). Returns the formula and the model with the names it binds.
///
/// # Errors
/// All diagnostics when there is an error among them.
pub fn analyse_formula(formula: &ast::Expr, model: Option<&Model>) -> Result<(Formula, Model), Vec<Diagnostic>> {
    let mut model = model.cloned().unwrap_or_else(|| Model {
        name: "formula".to_owned(),
        sets: IndexMap::new(),
        constants: IndexMap::new(),
        variables: IndexMap::new(),
        properties: Vec::new(),
        has_properties: false,
        invariant: Vec::new(),
        assertions: Vec::new(),
        initialisation: Subst { kind: SubstKind::Skip, span: formula.span },
        operations: IndexMap::new(),
        goal: None,
        settings: crate::ir::Settings::default(),
        locals: Vec::new(),
    });
    let mut elaborator = Elaborator::new();
    elaborator.names = Names::of_model(&model);
    elaborator.set_names = model.sets.keys().cloned().collect();
    elaborator.constant_types = model.constants.values().map(|declaration| declaration.ty.clone()).collect();
    elaborator.variable_types = model.variables.values().map(|declaration| declaration.ty.clone()).collect();
    elaborator.local_types = vec![Type::Bool; model.locals.len()];
    elaborator.local_spans = vec![formula.span; model.locals.len()];
    elaborator.locals = std::mem::take(&mut model.locals);
    let mut result = if is_predicate(formula) { Formula::Pred(elaborator.pred(formula)) } else { Formula::Expr(elaborator.expr(formula)) };
    elaborator.settle_all();
    if !has_errors(&elaborator.diagnostics) {
        untyped::report(&mut elaborator, &IndexMap::new(), &IndexMap::new(), &mut IndexMap::new());
    }
    if has_errors(&elaborator.diagnostics) {
        return Err(elaborator.diagnostics);
    }
    let finisher = Finisher { types: &elaborator.types };
    match &mut result {
        Formula::Expr(expr) => finisher.expr(expr),
        Formula::Pred(pred) => finisher.pred(pred),
    }
    model.locals = elaborator.locals;
    Ok((result, model))
}

/// Whether the form of a formula shows that it is a predicate.
fn is_predicate(formula: &ast::Expr) -> bool {
    use ast::BinaryOp as Op;
    match &formula.kind {
        ast::ExprKind::Constant(constant) => matches!(constant, ast::Constant::BTrue | ast::Constant::BFalse),
        ast::ExprKind::Binary(op, ..) => matches!(
            op,
            Op::Implies
                | Op::And
                | Op::Or
                | Op::Equivalent
                | Op::Equal
                | Op::NotEqual
                | Op::Member
                | Op::NotMember
                | Op::Subset
                | Op::NotSubset
                | Op::StrictSubset
                | Op::NotStrictSubset
                | Op::Less
                | Op::LessEqual
                | Op::Greater
                | Op::GreaterEqual
        ),
        ast::ExprKind::Builtin(builtin, _) => matches!(builtin, ast::Builtin::Not | ast::Builtin::Finite | ast::Builtin::Partition),
        ast::ExprKind::Quantified(..) => true,
        ast::ExprKind::If(_, then, _) => is_predicate(then),
        ast::ExprKind::Let(_, _, inner) | ast::ExprKind::Labelled(_, inner) => is_predicate(inner),
        _ => false,
    }
}
