//! A refinement with the machine that it refines: both as one model, for the refinement check.
//!
//! Both are elaborated in one walk, so that types flow both ways, with variables of their own (`compose::declare`). An operation of the
//! refinement is guarded by the precondition of the one that it refines: by all of it where preconditions are contracts, else by the
//! conjuncts that mention no variable of the refined machine.
//! Invariant: as for a machine by itself, nothing is returned after an error. Deliberately elsewhere: the obligations between
//! the two (`explore`).

use super::analyse::{
    Invariants, complete, elaborate_body, elaborate_operation, initialisation, invariants, properties, put_in_order, settings_of, whole,
};
use super::assumed::Outside;
use super::compose::{Declared, Family, Files, Offered, Project, Texts, of_side};
use super::elaborate::Elaborator;
use super::formula::Macros;
use crate::ir::{
    Comparison, Conjunct, Expr, ExprKind, Model, Operation, OperationId, Precondition, Pred, PredKind, Refinement, Refining, Subst,
    SubstKind, VariableId,
};
use crate::source::{Code, Diagnostic, Span, has_errors};
use crate::syntax::ast::{self, MachineKind};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// How a refinement is to be read.
#[derive(Clone, Copy, Debug)]
pub struct RefinementRequest<'a> {
    /// Whether preconditions are contracts or guards.
    pub precondition: Precondition,
    /// Operations of the refinement that refine skip.
    pub hidden: &'a [String],
}

/// The result of the analysis of a refinement.
#[derive(Debug)]
pub struct RefinementAnalysis {
    /// Both machines, when there is no error.
    pub refinement: Option<(Model, Refinement)>,
    /// The definitions of the refinement.
    pub macros: Macros,
    /// All diagnostics about the texts, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Analyses a refinement together with the machine that it refines.
#[must_use]
pub fn analyse_refinement(machine: &ast::Machine, files: &mut dyn Files, request: RefinementRequest<'_>) -> RefinementAnalysis {
    let mut diagnostics = Vec::new();
    let project = Project::gather(machine, files, &mut diagnostics);
    // After an error the refined machine may be missing only because it could not be read.
    if project.refined().is_none() && !has_errors(&diagnostics) {
        diagnostics.push(refines_nothing(machine));
    }
    let refinement = if has_errors(&diagnostics) {
        None
    } else {
        whole(&project, true, &mut diagnostics, |elaborator, texts, family, declared| both(elaborator, texts, family, declared, request))
    };
    put_in_order(&mut diagnostics);
    let macros = project.trees.first().map_or_else(Macros::default, Macros::of);
    RefinementAnalysis { refinement: refinement.filter(|_| !has_errors(&diagnostics)), macros, diagnostics }
}

fn refines_nothing(machine: &ast::Machine) -> Diagnostic {
    let name = &machine.name;
    if machine.kind == MachineKind::Machine {
        Diagnostic::error(Code::WrongMachine, name.span, format!("`{}` is not a refinement", name.text))
            .label("a MACHINE")
            .help("bcheck refine takes a REFINEMENT or IMPLEMENTATION; bcheck check takes a machine")
    } else {
        Diagnostic::error(Code::MissingClause, name.span, format!("`{}` names no machine that it refines", name.text))
            .label("without REFINES")
    }
}

/// A step of the refinement before its operation is a part of the model.
struct Step {
    refined: Option<OperationId>,
    /// The number of PREs at the top of its own text.
    own: usize,
}

/// Elaborates both machines. Operations of the model, in this order: the steps of the refinement, the operations of the refined machine,
/// both initialisations, then those that `refining` adds.
fn both<'a>(
    elaborator: &mut Elaborator<'a>,
    texts: &Texts<'a, '_>,
    family: &Family<'_>,
    declared: Declared,
    request: RefinementRequest<'_>,
) -> Option<(Model, Refinement)> {
    let project = texts.project;
    let (main, refined) = (project.main(), project.refined()?);
    let machine = project.machine(refined);
    let parts = project.refined_parts();
    // The limit decides which conjuncts of a refined precondition are inherited, so it is set before any operation is elaborated.
    if request.precondition == Precondition::Guard {
        elaborator.names.inherits_below = elaborator.names.first_abstract;
    }
    // In the order in which B's clauses are typed: properties give constants their types, the invariant gives variables theirs.
    let properties = properties(elaborator, texts);
    let (invariant, first_equation, first_assumed) = glued(elaborator, texts, &declared);
    let outside = Outside::of(elaborator.names.first_outside, &declared);
    let concrete_initialisation = initialisation(elaborator, texts, |scope| project.instances[scope].is_live);
    let abstract_initialisation = initialisation(elaborator, texts, |scope| parts[scope]);

    let (operations, described) =
        operations(elaborator, texts, family, request.hidden, [&concrete_initialisation, &abstract_initialisation])?;
    // Both initialisations are behind all others.
    let abstract_at = operation_id(operations.len() - 1);
    let concrete_at = operation_id(operations.len() - 2);
    let span = concrete_initialisation.span;
    let model = Model {
        properties,
        has_properties: texts.clauses.iter().any(|clauses| clauses.has_properties),
        invariant,
        // In sequence, as that of the refined machine may read what the first one has set; the check runs the two apart.
        initialisation: Subst { kind: SubstKind::Sequence(vec![concrete_initialisation, abstract_initialisation]), span },
        operations,
        settings: settings_of(elaborator, texts, &declared, true),
        ..Model::empty(&project.machine(main).name.text, span)
    };
    // Only now: `refining` copies preconditions with complete types.
    let mut model = complete(elaborator, declared, model);
    let of_refined = model.invariant.split_off(first_assumed);
    let assumed = outside.assumed(&mut model, of_refined);
    let operations = described.iter().enumerate().map(|(index, step)| refining(&mut model, index, step, request.precondition)).collect();
    // A valuation lists the constants first, then the variables of the refinement, then those of the refined machine.
    let first_abstract = model.constants.len() + elaborator.names.first_abstract as usize;
    let refinement = Refinement {
        refined: machine.name.text.clone(),
        file: machine.name.span.file,
        above: (machine.kind != MachineKind::Machine).then_some(machine.name.span.file),
        precondition: request.precondition,
        concrete: model.constants.len()..first_abstract,
        abstracts: first_abstract..model.constants.len() + model.variables.len(),
        operations,
        concrete_initialisation: concrete_at,
        abstract_initialisation: abstract_at,
        first_equation,
        assumed,
    };
    Some((model, refinement))
}

/// The invariant of the refinement, then the equations of variables of the same name, then the invariants of the refined machines; where
/// the second and the third part begin.
fn glued<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>, declared: &Declared) -> (Vec<Conjunct>, usize, usize) {
    let Invariants { own: mut invariant, refined } = invariants(elaborator, texts);
    // The index of the first equation tells the equations from the conjuncts before them.
    let first_equation = invariant.len();
    let equations = declared.same.iter();
    invariant.extend(equations.map(|&(concrete, other)| equation(elaborator, concrete, other, declared.variables[concrete.index()])));
    // They are completed with the others, and then taken out again: the check knows by itself in which states the refined machine may be.
    let first_assumed = invariant.len();
    invariant.extend(refined);
    (invariant, first_equation, first_assumed)
}

/// The operations of the model, and what those of the refinement refine. Reports operations that nothing refines, and a SCOPE without
/// effect.
fn operations(
    elaborator: &mut Elaborator<'_>,
    texts: &Texts<'_, '_>,
    family: &Family<'_>,
    hidden: &[String],
    [concrete_initialisation, abstract_initialisation]: [&Subst; 2],
) -> Option<(IndexMap<String, Operation>, Vec<Step>)> {
    let refined = texts.project.refined()?;
    let refined_name = &texts.project.machine(refined).name.text;
    let (mut operations, described) = steps(elaborator, texts, family, hidden)?;
    for offered in family.offered(refined) {
        operations.insert(of_side(refined_name, offered.name), elaborate_operation(elaborator, family, offered));
    }
    share_types(elaborator, &operations, &described);
    report_missing(elaborator, texts, family, &described, hidden);
    report_scope(elaborator, texts);
    let mut add_initialisation = |name: String, body: &Subst| {
        operations.insert(name, Operation { parameters: Vec::new(), results: Vec::new(), body: body.clone(), span: body.span });
    };
    add_initialisation("$initialise_machine".to_owned(), concrete_initialisation);
    add_initialisation(of_side(refined_name, "$initialise_machine"), abstract_initialisation);
    Some((operations, described))
}

/// The steps of the refinement by name, and which operation of the refined machine each refines.
fn steps(
    elaborator: &mut Elaborator<'_>,
    texts: &Texts<'_, '_>,
    family: &Family<'_>,
    hidden: &[String],
) -> Option<(IndexMap<String, Operation>, Vec<Step>)> {
    let refined = texts.project.refined()?;
    let own = family.offered(texts.project.main()).len();
    let steps = family.steps();
    let mut operations: IndexMap<String, Operation> = IndexMap::new();
    let mut described: Vec<Step> = Vec::new();
    for (index, (name, offered)) in steps.iter().enumerate() {
        let (scope, text) = elaborator.operations[offered.operation];
        elaborator.names.enter(scope);
        let above = family.above(elaborator, *offered);
        let signature = family.signature_under(elaborator, offered.operation, above);
        operations.insert(name.clone(), elaborate_body(elaborator, offered.operation, signature));
        // `Family::steps` lists the operations of the main machine first. The others belong to machines that are only seen: they refine
        // nothing. An operation without a counterpart refines skip, as does one that is hidden on request.
        let above = above.filter(|_| index < own && !hidden.contains(name));
        let at = above.and_then(|above| family.offered(refined).position(|offered| offered.name == above.name));
        // The refined operations follow all the steps, in the order of the interface, so their ids are known before they are elaborated.
        described.push(Step { refined: at.map(|at| operation_id(steps.len() + at)), own: text.body.preconditions().len() });
    }
    Some((operations, described))
}

/// Gives parameters and results of both sides one type: the refined operation may say nothing of one.
fn share_types(elaborator: &mut Elaborator<'_>, operations: &IndexMap<String, Operation>, described: &[Step]) {
    for ((_, own), step) in operations.iter().zip(described) {
        let Some((_, above)) = step.refined.and_then(|above| operations.get_index(above.index())) else { continue };
        let results = own.results.iter().zip(&above.results);
        // A parameter that neither side uses stays without a type: both give it the same value then (`untyped`).
        let parameters = own.parameters.iter().zip(&above.parameters).filter(|((_, _, ty), _)| !elaborator.types.is_unknown(ty));
        for ((_, id, ty), (_, _, of_above)) in parameters.chain(results).collect::<Vec<_>>() {
            elaborator.unify(of_above, ty, elaborator.local_spans[id.index()]);
        }
    }
}

fn operation_id(index: usize) -> OperationId {
    OperationId(u32::try_from(index).expect("operations have 32-bit ids"))
}

/// The gluing conjunct of a variable that both machines have under one name: both values are equal.
fn equation(elaborator: &mut Elaborator<'_>, concrete: VariableId, other: VariableId, span: Span) -> Conjunct {
    let types = [concrete, other].map(|id| elaborator.variable_types[id.index()].clone());
    elaborator.unify(&types[1], &types[0], span);
    elaborator.resolve_overloads();
    let [left, right] =
        [(concrete, &types[0]), (other, &types[1])].map(|(id, ty)| Box::new(Expr { kind: ExprKind::Variable(id), ty: ty.clone(), span }));
    Conjunct { pred: Pred { kind: PredKind::Compare(Comparison::Equal, left, right), span }, label: None }
}

/// Warns of operations of the refined machine that nothing refines.
fn report_missing(elaborator: &mut Elaborator<'_>, texts: &Texts<'_, '_>, family: &Family<'_>, described: &[Step], hidden: &[String]) {
    let Some(refined) = texts.project.refined() else { return };
    let found: BTreeSet<OperationId> = described.iter().filter_map(|step| step.refined).collect();
    for (at, Offered { name, operation, .. }) in family.offered(refined).enumerate() {
        if !found.contains(&operation_id(described.len() + at)) && !hidden.iter().any(|hidden| hidden == name) {
            let main = texts.project.machine(texts.project.main());
            let title = format!("the operation `{name}` is not refined");
            let declared = elaborator.operations[operation].1.name.span;
            elaborator.diagnostics.push(
                Diagnostic::warning(Code::NotRefined, main.name.span, title)
                    .label("has no operation for it")
                    .also(declared, "declared here"),
            );
        }
    }
}

/// Notes that a definition SCOPE has no effect.
fn report_scope(elaborator: &mut Elaborator<'_>, texts: &Texts<'_, '_>) {
    let main = &texts.project.instances[texts.project.main()];
    if let Some(expanded) = &texts.clauses[main.tree].expanded {
        let note = Diagnostic::note(Code::SettingIgnored, expanded.span, "SCOPE is ignored in a refinement check");
        elaborator.diagnostics.push(note.help("every configuration is expanded"));
    }
}

/// How a step refines. Adds two operations to the model: `callable`, enabled for arguments that satisfy the inherited preconditions, and
/// `refused`, enabled for those among them that the operation's own preconditions exclude.
fn refining(model: &mut Model, index: usize, step: &Step, precondition: Precondition) -> Refining {
    let mut refining = Refining { operation: operation_id(index), refined: step.refined, refused: None, callable: None };
    if step.refined.is_none() || precondition == Precondition::Guard {
        return refining;
    }
    let Some((name, operation)) = model.operations.get_index(index) else { return refining };
    let (name, parameters) = (name.clone(), operation.parameters.clone());
    let mut guards = Vec::new();
    let mut body = &operation.body;
    while let SubstKind::Pre { pred, body: inner, is_guard: true } = &body.kind {
        guards.push(pred.clone());
        body = inner;
    }
    // Inherited guards and those of unused parameters stand around the body, so the operation's own are the innermost.
    let own = guards.split_off(guards.len().saturating_sub(step.own));
    let mut add = |what: &str, preds: Vec<Vec<Pred>>| {
        let span = preds.iter().flatten().map(|pred| pred.span).reduce(Span::to)?;
        let skip = Subst { kind: SubstKind::Skip, span };
        let body = preds.into_iter().rev().fold(skip, |body, preds| {
            let kind = SubstKind::Pre { pred: all(preds, span), body: Box::new(body), is_guard: true };
            Subst { kind, span }
        });
        let operation = Operation { parameters: parameters.clone(), results: Vec::new(), body, span };
        Some(operation_id(model.operations.insert_full(format!("{name}${what}"), operation).0))
    };
    refining.callable = add("callable", vec![guards.clone()]);
    if let Some(span) = own.iter().map(|pred| pred.span).reduce(Span::to) {
        // A call is refused if the inherited preconditions hold and the own ones do not: then "the operation can be called" fails.
        let negated = Pred { kind: PredKind::Not(Box::new(all(own, span))), span };
        refining.refused = add("refused", vec![guards, vec![negated]]);
    }
    refining
}

/// The conjunction.
fn all(mut preds: Vec<Pred>, span: Span) -> Pred {
    match preds.len() {
        0 => Pred { kind: PredKind::True, span },
        1 => preds.swap_remove(0),
        _ => Pred { kind: PredKind::And(preds), span },
    }
}
