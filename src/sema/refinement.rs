//! A refinement with the machine that it refines: both as one model, for the refinement check.
//!
//! Both are elaborated in one walk, so that types flow both ways, with variables of their own (`compose::declare`). An operation of the
//! refinement is guarded by the precondition of the one that it refines: by all of it where preconditions are contracts, else by the
//! conjuncts that mention no variable of the refined machine.
//! Invariant: as for a machine by itself, nothing is returned after an error. Deliberately elsewhere: the obligations between
//! the two (`explore`).

use super::alone::alone;
use super::analyse::{
    Invariants, Rest, complete, elaborate_body, elaborate_operation, initialisation, invariants, no_steps, others, properties,
    put_in_order, settings_of, whole,
};
use super::compose::{Declared, Family, Files, LinkKind, Offered, Project, Texts, mentions_from, of_side};
use super::elaborate::Elaborator;
use super::formula::Macros;
use bcheck_ir::{
    Comparison, Conjunct, Expr, ExprKind, Model, Operation, OperationId, Precondition, Pred, PredKind, RefinedMachine, Refinement,
    Refining, Subst, SubstKind, VariableId,
};
use bcheck_source::{Code, Diagnostic, Span, has_errors};
use bcheck_syntax::ast::{self, MachineKind};
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
    /// Both machines, if there is no error.
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
        whole(&project, &mut diagnostics, |elaborator, texts, family, declared| both(elaborator, texts, family, declared, Some(request)))
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

/// The model of a refinement that is checked by itself.
pub(super) fn refinement_alone<'a>(
    elaborator: &mut Elaborator<'a>,
    texts: &Texts<'a, '_>,
    family: &Family<'_>,
    declared: Declared,
) -> Option<Model> {
    let refined = texts.project.instances[texts.project.main()].links.iter().find(|link| link.kind == LinkKind::Refines)?;
    let (model, refinement) = both(elaborator, texts, family, declared, None)?;
    Some(alone(model, &refinement, refined.span))
}

/// The result of elaborating the operations.
struct Operations {
    all: IndexMap<String, Operation>,
    steps: Vec<Step>,
    /// By refined machine: its first operation, and what each of them refines.
    levels: Vec<(OperationId, Vec<Option<OperationId>>)>,
}

/// Elaborates the machines of the chain. Operations of the model, in this order: the steps of the refinement, the operations of the
/// refined machines, upwards, the initialisations likewise, then those added by `refining` and `related`. Without a request, for a check
/// of the refinement by itself.
fn both<'a>(
    elaborator: &mut Elaborator<'a>,
    texts: &Texts<'a, '_>,
    family: &Family<'_>,
    declared: Declared,
    request: Option<RefinementRequest<'_>>,
) -> Option<(Model, Refinement)> {
    let project = texts.project;
    let (main, refined) = (project.main(), project.refined()?);
    let machine = project.machine(refined);
    let (chain, sides) = (project.chain(), project.sides());
    let is_alone = request.is_none();
    let request = request.unwrap_or(RefinementRequest { precondition: Precondition::Contract, hidden: &[] });
    // The limit decides which conjuncts of a refined precondition are inherited, so it is set before any operation is elaborated.
    if request.precondition == Precondition::Guard {
        elaborator.names.inherits_below = elaborator.names.first_abstract;
    }
    // In the order in which B's clauses are typed: properties type constants, the invariant types variables.
    let properties = properties(elaborator, texts);
    let Glued { invariant, first_equation, assumed } = glued(elaborator, texts, &declared);
    let mut initialisations = vec![initialisation(elaborator, texts, |scope| project.instances[scope].is_live)];
    for level in 1..chain.len() {
        initialisations.push(initialisation(elaborator, texts, |scope| sides[scope] == Some(level)));
    }
    let Operations { all: operations, steps, levels } = operations(elaborator, texts, family, request.hidden, &initialisations)?;
    let others = if is_alone {
        let elaborated = operations.values().map(|operation| operation.span).collect();
        no_steps(elaborator, project, family, elaborated);
        others(elaborator, texts, &declared, &initialisations[0])
    } else {
        report_missing(elaborator, texts, family, &steps, request.hidden);
        report_scope(elaborator, texts);
        Rest::default()
    };
    // The initialisations are behind all others.
    let first_initialisation = operations.len() - chain.len();
    let span = initialisations[0].span;
    let starts = elaborator.names.sides.clone();
    let own = invariant.len();
    let model = Model {
        properties,
        has_properties: texts.clauses.iter().any(|clauses| clauses.has_properties),
        // The assumptions are completed with the others, and then removed again.
        invariant: invariant.into_iter().chain(assumed.iter().flatten().cloned()).collect(),
        // In sequence, as those of refined machines may read variables already set; the check runs them separately.
        initialisation: Subst { kind: SubstKind::Sequence(initialisations), span },
        operations,
        assertions: others.assertions,
        goal: others.goal,
        expanded: others.expanded,
        settings: settings_of(elaborator, texts, &declared, !is_alone),
        ..Model::empty(&project.machine(main).name.text, span)
    };
    // Only now: `refining` copies preconditions with complete types.
    let mut model = complete(elaborator, declared, model);
    let mut completed = model.invariant.split_off(own).into_iter();
    let operations = steps.iter().enumerate().map(|(index, step)| refining(&mut model, index, step, request.precondition)).collect();
    // A valuation lists the constants first, then the variables of the refinement, then those of the refined machines.
    let place = |start: u32| model.constants.len() + start as usize;
    let first_abstract = place(elaborator.names.first_abstract);
    let ends = starts.iter().skip(1).copied().chain([u32::try_from(model.variables.len()).expect("fewer than 2^32 variables")]);
    let places: Vec<_> = starts.iter().copied().zip(ends).collect();
    let by_level: Vec<Vec<Conjunct>> = assumed.iter().map(|part| completed.by_ref().take(part.len()).collect()).collect();
    let levels = (1..).zip(levels).zip(&places).map(|((level, (first_operation, refines)), &(start, end))| RefinedMachine {
        name: project.machine(chain[level]).name.text.clone(),
        variables: place(start)..place(end),
        initialisation: operation_id(first_initialisation + level),
        first_operation,
        refines,
        related: None,
    });
    let mut levels: Vec<RefinedMachine> = levels.collect();
    for (level, id) in related(&mut model, &by_level, &starts) {
        levels[level].related = Some(id);
    }
    let refinement = Refinement {
        refined: machine.name.text.clone(),
        file: machine.name.span.file,
        above: (machine.kind != MachineKind::Machine).then_some(machine.name.span.file),
        precondition: request.precondition,
        concrete: model.constants.len()..first_abstract,
        abstracts: first_abstract..model.constants.len() + model.variables.len(),
        levels,
        operations,
        concrete_initialisation: operation_id(first_initialisation),
        first_equation,
        assumed: by_level.into_iter().flatten().collect(),
    };
    Some((model, refinement))
}

/// The invariants of the chain.
struct Glued {
    /// That of the refinement, then the equations of variables of the same name.
    invariant: Vec<Conjunct>,
    first_equation: usize,
    /// By refined machine: its invariant, and the equations with the machine that it refines itself.
    assumed: Vec<Vec<Conjunct>>,
}

fn glued<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>, declared: &Declared) -> Glued {
    let Invariants { own: mut invariant, refined } = invariants(elaborator, texts);
    // The index of the first equation separates the equations from the conjuncts before them.
    let first_equation = invariant.len();
    let mut equations = declared.same.iter().map(|pairs| {
        let equations = pairs.iter().map(|&(below, above)| equation(elaborator, below, above, declared.variables[below.index()]));
        equations.collect::<Vec<_>>()
    });
    invariant.extend(equations.next().unwrap_or_default());
    let mut assumed: Vec<Vec<Conjunct>> = equations.chain([Vec::new()]).collect();
    let sides = texts.project.sides();
    for (scope, conjuncts) in refined {
        if let Some(level) = sides[scope] {
            assumed[level - 1].extend(conjuncts);
        }
    }
    Glued { invariant, first_equation, assumed }
}

/// Adds an operation for each refined machine but the first, which is enabled in those of its states that are related to states of the
/// machines below it.
fn related(model: &mut Model, assumed: &[Vec<Conjunct>], starts: &[u32]) -> Vec<(usize, OperationId)> {
    let mut relations: Vec<Vec<Pred>> = vec![Vec::new(); assumed.len()];
    // The last one's conjuncts about itself are not needed: the check knows which states it may be in.
    for (level, conjuncts) in assumed.iter().enumerate().take(assumed.len() - 1) {
        for conjunct in conjuncts {
            // With the highest machine that it mentions, as the states of those above are not known before.
            let highest = starts.iter().rposition(|&start| mentions_from(&conjunct.pred, start)).unwrap_or(0);
            relations[highest.max(level + 1)].push(conjunct.pred.clone());
        }
    }
    let mut added = Vec::new();
    for (level, preds) in relations.into_iter().enumerate() {
        let Some(span) = preds.iter().map(|pred| pred.span).reduce(Span::to) else { continue };
        let skip = Subst { kind: SubstKind::Skip, span };
        let body = Subst { kind: SubstKind::Select(vec![(all(preds, span), skip)], None), span };
        let operation = Operation { parameters: Vec::new(), results: Vec::new(), body, span };
        let id = operation_id(model.operations.insert_full(format!("$related{level}"), operation).0);
        added.push((level, id));
    }
    added
}

/// The operations of the model, and what those of the refinement refine.
fn operations(
    elaborator: &mut Elaborator<'_>,
    texts: &Texts<'_, '_>,
    family: &Family<'_>,
    hidden: &[String],
    initialisations: &[Subst],
) -> Option<Operations> {
    let (mut all, steps) = steps(elaborator, texts, family, hidden)?;
    let chain = texts.project.chain();
    let mut levels = Vec::new();
    for (at, &machine) in chain.iter().enumerate().skip(1) {
        let first = all.len();
        let offered: Vec<Offered<'_>> = family.offered(machine).collect();
        let next = first + offered.len();
        let refines = offered.iter().map(|&own| {
            let above = family.above(elaborator, own).filter(|_| !hidden.iter().any(|hidden| hidden == own.name))?;
            let position = family.offered(chain[at + 1]).position(|offered| offered.name == above.name)?;
            Some(operation_id(next + position))
        });
        levels.push((operation_id(first), refines.collect::<Vec<_>>()));
        for own in offered {
            all.insert(of_side(&texts.project.machine(machine).name.text, own.name), elaborate_operation(elaborator, family, own));
        }
    }
    share_types(elaborator, &all, (0..).map(operation_id).zip(steps.iter().map(|step| step.refined)));
    for (first, refines) in &levels {
        let own = (first.index()..).map(operation_id);
        share_types(elaborator, &all, own.zip(refines.iter().copied()));
    }
    for (&machine, body) in chain.iter().zip(initialisations) {
        let name = "$initialise_machine";
        let name = if machine == chain[0] { name.to_owned() } else { of_side(&texts.project.machine(machine).name.text, name) };
        all.insert(name, Operation { parameters: Vec::new(), results: Vec::new(), body: body.clone(), span: body.span });
    }
    Some(Operations { all, steps, levels })
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
        // nothing. An operation without a counterpart refines skip, as does one hidden on request.
        let above = above.filter(|_| index < own && !hidden.contains(name));
        let at = above.and_then(|above| family.offered(refined).position(|offered| offered.name == above.name));
        // The refined operations follow all the steps, in the order of the interface, so their ids are known before they are elaborated.
        described.push(Step { refined: at.map(|at| operation_id(steps.len() + at)), own: text.body.preconditions().len() });
    }
    Some((operations, described))
}

/// Unifies the types of parameters and results of each operation with those of the one that it refines: the refined operation may leave
/// them untyped.
fn share_types(
    elaborator: &mut Elaborator<'_>,
    operations: &IndexMap<String, Operation>,
    refining: impl Iterator<Item = (OperationId, Option<OperationId>)>,
) {
    for (own, refined) in refining {
        let at = |id: OperationId| operations.get_index(id.index()).map(|(_, operation)| operation);
        let Some((own, above)) = at(own).zip(refined.and_then(at)) else { continue };
        let results = own.results.iter().zip(&above.results);
        // A parameter that neither side uses stays without a type: then both have one value for it (`untyped`).
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
    Conjunct { pred: Pred { kind: PredKind::Compare(Comparison::Equal, left, right), span }, label: None, given: None }
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
    // Inherited guards and those of unused parameters enclose the body, so the operation's own are the innermost.
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
