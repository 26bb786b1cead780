//! A machine's tree → its model: clauses in the order in which B makes them visible to each other.
//!
//! Invariant: a model is returned only when there is no error; then it is closed and well typed.

use super::clauses::Clauses;
use super::compose::{Declared, Family, Files, LinkKind, NoFiles, Offered, Project, Signature, Texts, mentions_from};
use super::definitions::Definitions;
use super::elaborate::Elaborator;
use super::finish::Finisher;
use super::formula::Macros;
use super::names::Meaning;
use super::predicate::{conjuncts, labelled_conjuncts, mentioned, unlabelled};
use super::refinement::refinement_alone;
use super::result_types::drop_result_types;
use super::temporal::{self, StatedFormula};
use super::{element_names, hints, one_cause, settings, uninitialised, untyped};
use bcheck_ir::{
    Assertion, Conjunct, Declaration, Expr, ExprKind, GivenSetKind, Model, Node, NotChecked, Operation, Pred, PredKind, Rewrite, SetId,
    Settings, Subst, SubstKind, Type, VariableId, rewrite_pred, rewrite_subst, walk_pred,
};
use bcheck_source::{Code, Diagnostic, Severity, Span, has_errors};
use bcheck_syntax::ast::{self, ClauseKind};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The result of the analysis of a machine.
#[derive(Debug)]
pub struct Analysis {
    /// The model, if there is no error.
    pub model: Option<Model>,
    /// The machine's definitions, for formulas about it.
    pub macros: Macros,
    /// The temporal formulas stated in the machine's definitions. They are checked only on request: see [`Self::take_stated`].
    pub stated: Vec<StatedFormula>,
    /// All diagnostics about the texts, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    /// Takes out the stated formulas that are to be checked. From then on neither the model nor a note lists them as not checked.
    pub fn take_stated(&mut self, is_wanted: impl Fn(&StatedFormula) -> bool) -> Vec<StatedFormula> {
        let (taken, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.stated).into_iter().partition(is_wanted);
        self.stated = left;
        if let Some(model) = &mut self.model {
            model.not_checked.retain(|property| taken.iter().all(|stated| stated.span != property.span));
        }
        self.diagnostics.retain(|diagnostic| diagnostic.code != Code::NotChecked || diagnostic.severity != Severity::Note);
        let spans: Vec<Span> = self.stated.iter().map(|stated| stated.span).collect();
        self.diagnostics.extend(temporal::note(&spans, false));
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
        taken
    }
}

/// The model of a machine that needs no other file, and all diagnostics about its text.
#[must_use]
pub fn analyse(machine: &ast::Machine) -> (Option<Model>, Vec<Diagnostic>) {
    let analysis = analyse_with(machine, &mut NoFiles);
    (analysis.model, analysis.diagnostics)
}

/// The model of a machine with all machines that it refers to, and all diagnostics about their texts.
#[must_use]
pub fn analyse_with(machine: &ast::Machine, files: &mut dyn Files) -> Analysis {
    let mut diagnostics = Vec::new();
    let project = Project::gather(machine, files, &mut diagnostics);
    // After an error here nothing is elaborated: every name of a machine that is missing would count as unknown.
    let model = (!has_errors(&diagnostics)).then(|| whole(&project, &mut diagnostics, elaborate));
    put_in_order(&mut diagnostics);
    // The main machine is the first text.
    let macros = project.trees.first().map_or_else(Macros::default, Macros::of);
    let stated = temporal::stated(&Definitions::collect(macros.definitions(), &mut Vec::new()));
    Analysis { model: model.filter(|_| !has_errors(&diagnostics)), macros, stated, diagnostics }
}

/// Sorts diagnostics by place and leaves out repetitions.
pub(super) fn put_in_order(diagnostics: &mut Vec<Diagnostic>) {
    // A text with several instances, or an operation that is called more than once, is elaborated several times and repeats its
    // diagnostics. The sort is stable, so equal ones become adjacent and those of one place retain the order in which they were found.
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
    diagnostics.dedup();
    one_cause::merge(diagnostics);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span().file, diagnostic.span().start));
}

/// As [`analyse_with`], of a text that was just parsed: diagnostics of the parser come first, and a text with syntax errors has no model.
#[must_use]
pub fn analyse_parsed(parsed: ast::Parsed<Option<ast::Machine>>, files: &mut dyn Files) -> Analysis {
    let mut diagnostics = parsed.diagnostics;
    let Some(machine) = parsed.tree.filter(|_| !has_errors(&diagnostics)) else {
        return Analysis { model: None, macros: Macros::default(), stated: Vec::new(), diagnostics };
    };
    let analysis = analyse_with(&machine, files);
    diagnostics.extend(analysis.diagnostics);
    Analysis { diagnostics, ..analysis }
}

/// Declares all names of a gathered project and then runs `build`.
pub(crate) fn whole<T>(
    project: &Project,
    diagnostics: &mut Vec<Diagnostic>,
    build: impl for<'a, 't> FnOnce(&mut Elaborator<'a>, &Texts<'a, 't>, &Family<'_>, Declared) -> T,
) -> T {
    let definitions: Vec<Definitions<'_>> = project.trees.iter().map(|tree| Definitions::collect(&tree.definitions, diagnostics)).collect();
    let clauses: Vec<Clauses> =
        project.trees.iter().zip(&definitions).map(|(tree, definitions)| Clauses::of(tree, definitions, diagnostics)).collect();
    // The order matters: scopes are completed when all instances have declared their names, and arguments of constructors of free types may
    // use any name of these scopes.
    let texts = Texts { project, definitions: &definitions, clauses: &clauses };
    let mut elaborator = Elaborator::new();
    elaborator.diagnostics = std::mem::take(diagnostics);
    elaborator.names.others = definitions.iter().flat_map(Definitions::iter).map(|found| found.name.text.clone()).collect();
    let operations = clauses.iter().flat_map(|clauses| &clauses.operations);
    elaborator.names.others.extend(operations.map(|operation| operation.name.text.clone()));
    let declared = Declared::of(&texts, &mut elaborator);
    let family = Family::of(project, &clauses, &mut elaborator);
    elaborator.complete_free_types(clauses.iter().flat_map(|clauses| &clauses.free_types));
    let built = build(&mut elaborator, &texts, &family, declared);
    diagnostics.append(&mut elaborator.diagnostics);
    built
}

/// Elaborates the conjuncts of predicates in order; those that are `TRUE` are left out.
fn split(elaborator: &mut Elaborator<'_>, preds: &[ast::Expr]) -> Vec<Conjunct> {
    let mut result = Vec::new();
    for (label, part) in preds.iter().flat_map(labelled_conjuncts) {
        let pred = elaborator.pred(part);
        // Facts determined by this conjunct are known to the following ones.
        elaborator.resolve_overloads();
        if !matches!(pred.kind, PredKind::True) {
            result.push(Conjunct { pred, label, given: None });
        }
    }
    result
}

/// Elaborates the clauses in the order in which they type each other's names: types from PROPERTIES and INVARIANT are known in operations,
/// so a clash is reported in the operation.
fn elaborate<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>, family: &Family<'_>, declared: Declared) -> Model {
    let project = texts.project;
    let main = project.main();
    let name = &project.machine(main).name;
    if project.refined().is_some() {
        let model = refinement_alone(elaborator, texts, family, declared);
        return model.unwrap_or_else(|| Model::empty(&name.text, name.span));
    }
    let properties = properties(elaborator, texts);
    let invariant = invariants(elaborator, texts).own;
    let initialisation = initialisation(elaborator, texts, |scope| project.instances[scope].is_live);
    let operations = operations(elaborator, project, family);
    let Rest { assertions, goal, expanded } = others(elaborator, texts, &declared, &initialisation);
    let model = Model {
        properties,
        has_properties: texts.clauses.iter().any(|clauses| clauses.has_properties),
        invariant,
        assertions,
        initialisation,
        operations,
        only_seen: family.offered(project.main()).len() == 0,
        goal,
        expanded,
        settings: settings_of(elaborator, texts, &declared, false),
        ..Model::empty(&name.text, name.span)
    };
    complete(elaborator, declared, model)
}

/// Further parts of a machine that is checked by itself.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) assertions: Vec<Assertion>,
    pub(super) goal: Option<Pred>,
    pub(super) expanded: Option<Pred>,
}

/// Elaborates it, and reports variables without a first value.
pub(super) fn others<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>, declared: &Declared, initialisation: &Subst) -> Rest {
    let main = texts.project.main();
    let clauses = &texts.clauses[texts.project.instances[main].tree];
    let assertions = assertions(elaborator, main, &clauses.assertions);
    uninitialised::report(elaborator, &declared.variables, initialisation);
    elaborator.names.enter(main);
    let goal = clauses.goal.as_ref().map(|goal| elaborator.pred(goal));
    let expanded = clauses.expanded.as_ref().map(|expanded| {
        let note = Diagnostic::note(Code::OnlyInScope, expanded.span, "states where SCOPE is false are checked, but not expanded");
        let help = "what is reachable through such states only is not looked at, so the verdict is `incomplete` unless something is found";
        elaborator.diagnostics.push(note.help(help));
        elaborator.pred(expanded)
    });
    Rest { assertions, goal, expanded }
}

/// Completes a model whose clauses are elaborated: adds the declarations, and completes all types.
pub(super) fn complete(elaborator: &mut Elaborator<'_>, declared: Declared, mut model: Model) -> Model {
    elaborator.resolve_all_overloads();
    model.not_checked = std::mem::take(&mut elaborator.not_checked);
    let Declared { sets, constants, variables, .. } = declared;
    // After an error a name may lack a type only because of it.
    if !has_errors(&elaborator.diagnostics) {
        untyped::report(elaborator, &constants, &variables, &mut model.operations);
    }
    let (types, labels) = (std::mem::take(&mut elaborator.types), std::mem::take(&mut elaborator.labels));
    // One finisher for the whole model, so that types with shared parts still share them.
    let mut finisher = Finisher::new(&types, &labels);
    let mut declarations = |names: IndexMap<String, Span>, known: &[Type]| {
        let complete = |((name, span), ty): ((String, Span), &Type)| (name, Declaration { ty: finisher.completed(ty), span });
        names.into_iter().zip(known).map(complete).collect::<IndexMap<_, _>>()
    };
    model.sets = sets;
    model.free_types = std::mem::take(&mut elaborator.free_types);
    model.constants = declarations(constants, &elaborator.constant_types);
    model.variables = declarations(variables, &elaborator.variable_types);
    model.locals = std::mem::take(&mut elaborator.locals);
    element_names::choose(&mut model, &elaborator.names.others);
    let conjuncts = model.properties.iter_mut().chain(&mut model.invariant).map(|conjunct| &mut conjunct.pred);
    let assertions = model.assertions.iter_mut().map(|assertion| &mut assertion.pred);
    for pred in conjuncts.chain(assertions).chain(&mut model.goal).chain(&mut model.expanded) {
        rewrite_pred(pred, &mut finisher);
    }
    rewrite_subst(&mut model.initialisation, &mut finisher);
    for operation in model.operations.values_mut() {
        rewrite_subst(&mut operation.body, &mut finisher);
        operation.parameters.iter_mut().chain(&mut operation.results).for_each(|(_, _, ty)| finisher.local(ty));
    }
    model
}

/// CONSTRAINTS, PROPERTIES and the constants of VALUES of all machines, each text once unless its parameters differ.
pub(super) fn properties<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>) -> Vec<Conjunct> {
    let mut properties = Vec::new();
    let mut known = BTreeSet::new();
    // Constants get their values before there is a state.
    elaborator.names.hide_variables = true;
    for (scope, instance) in texts.project.instances.iter().enumerate() {
        // Constants exist once for a text, so its further instances add nothing, unless they have actual parameters.
        if !known.insert(instance.tree) && instance.arguments.is_none() {
            continue;
        }
        let clauses = &texts.clauses[instance.tree];
        elaborator.names.enter(scope);
        let given = texts.reference_to(scope);
        properties.extend(split(elaborator, &clauses.constraints).into_iter().map(|part| Conjunct { given, ..part }));
        properties.extend(split(elaborator, &clauses.properties));
        for (name, value) in &clauses.values {
            // A set in VALUES is replaced by its value everywhere (`compose::declare`); a constant is made equal to it.
            if matches!(elaborator.names.lookup(&name.text), Some(Meaning::Actual(_))) {
                continue;
            }
            let constant = ast::Expr { kind: ast::ExprKind::Ident(name.text.clone()), span: name.span };
            let kind = ast::ExprKind::Binary(ast::BinaryOp::Equal, Box::new(constant), Box::new(value.clone()));
            properties.extend(split(elaborator, &[ast::Expr { kind, span: name.span.to(value.span) }]));
        }
    }
    elaborator.names.hide_variables = false;
    properties
}

/// The conjuncts of the invariants of all machines.
#[derive(Default)]
pub(super) struct Invariants {
    /// Those of machines whose variables are in the state.
    pub(super) own: Vec<Conjunct>,
    /// Those of refined machines and of their parts, by instance, whatever they mention.
    pub(super) refined: Vec<(usize, Vec<Conjunct>)>,
}

/// Elaborates the invariants of all machines, including refined ones, as they may be the only text that types a variable which the
/// refinement retains.
pub(super) fn invariants<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>) -> Invariants {
    let mut invariants = Invariants::default();
    elaborator.names.shows_abstract = true;
    for (scope, instance) in texts.project.instances.iter().enumerate() {
        elaborator.names.enter(scope);
        let conjuncts = split(elaborator, &texts.clauses[instance.tree].invariant);
        if !instance.is_live {
            invariants.refined.push((scope, conjuncts));
            continue;
        }
        let used = used_variables(elaborator, texts.project, scope);
        let (deferred, own) = conjuncts.into_iter().partition(|conjunct| mentions_any(&conjunct.pred, &used));
        report_deferred(elaborator, deferred);
        invariants.own.extend::<Vec<_>>(own);
    }
    elaborator.names.shows_abstract = false;
    invariants
}

/// The variables of machines that an instance uses and that are not part of the whole. A conjunct about one of them is an obligation of
/// the machine that includes both: only there do both machines know all operations.
fn used_variables(elaborator: &Elaborator<'_>, project: &Project, scope: usize) -> BTreeSet<VariableId> {
    let levels = project.levels();
    let links = project.instances[scope].links.iter().filter(|link| link.kind == LinkKind::Uses && levels[link.to].is_none());
    let entries = links.flat_map(|link| elaborator.names.scopes[link.to].entries.values());
    entries.filter_map(|entry| if let Meaning::Variable(id) = entry.meaning { Some(id) } else { None }).collect()
}

fn mentions_any(pred: &Pred, variables: &BTreeSet<VariableId>) -> bool {
    let mut found = false;
    walk_pred(pred, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) = node {
            found |= variables.contains(id);
        }
    });
    found
}

/// Reports conjuncts that are left to the machine that includes the used machine as well.
fn report_deferred(elaborator: &mut Elaborator<'_>, conjuncts: Vec<Conjunct>) {
    let Some(first) = conjuncts.first() else { return };
    let what = counted_parts(conjuncts.len(), "a part of the invariant is", "parts of the invariant are");
    let warning = Diagnostic::warning(Code::NotChecked, first.pred.span, format!("{what} about a used machine and not checked here"))
        .label("mentions a variable of a machine in USES")
        .help("B leaves this to the machine that includes both: check that one");
    elaborator.diagnostics.push(warning);
    let reason = "it is about a used machine: the machine that includes both must keep it";
    elaborator.not_checked.extend(conjuncts.into_iter().map(|Conjunct { pred: Pred { span, .. }, label, .. }| {
        let name = label.unwrap_or_else(|| "INVARIANT".to_owned());
        NotChecked { name, formula: span, span, reason, leaves_open: false }
    }));
}

/// Reports assertions that are left out because they mention variables of the refined machine.
fn report_abstract_assertions(elaborator: &mut Elaborator<'_>, assertions: &[Span]) {
    let what = counted_parts(assertions.len(), "an assertion is", "assertions are");
    let stated = assertions.iter().map(|&span| {
        let reason = "it is about the refined machine";
        NotChecked { name: "ASSERTIONS".to_owned(), formula: span, span, reason, leaves_open: false }
    });
    let help = "what follows from INVARIANT can be stated there: `bcheck refine` checks it";
    leave_to_refine(elaborator, format!("{what} about the refined machine and not checked"), help, stated.collect());
}

/// Warns of predicates about the refined machine, at the first of them, and lists them as not checked.
fn leave_to_refine(elaborator: &mut Elaborator<'_>, title: String, help: &str, stated: Vec<NotChecked>) {
    let Some(first) = stated.first() else { return };
    let warning = Diagnostic::warning(Code::LeftToRefine, first.span, title).label("mentions a variable of the refined machine");
    elaborator.diagnostics.push(warning.help(help));
    elaborator.not_checked.extend(stated);
}

fn counted_parts(count: usize, one: &str, several: &str) -> String {
    if count == 1 { one.to_owned() } else { format!("{count} {several}") }
}

/// The assertions of the main machine.
fn assertions(elaborator: &mut Elaborator<'_>, main: usize, texts: &[ast::Expr]) -> Vec<Assertion> {
    elaborator.names.enter(main);
    elaborator.names.shows_abstract = true;
    let mut assertions: Vec<(Option<String>, Pred)> = Vec::new();
    for text in texts {
        let (label, pred) = unlabelled(None, text);
        assertions.push((label, elaborator.pred(pred)));
        elaborator.resolve_overloads();
    }
    elaborator.names.shows_abstract = false;
    // Elaborated for their errors, but without the refined machine's variables there is no state in which to evaluate them.
    let first_abstract = elaborator.names.first_abstract;
    let (left_out, kept): (Vec<_>, Vec<_>) = assertions.into_iter().partition(|(_, pred)| mentions_from(pred, first_abstract));
    report_abstract_assertions(elaborator, &left_out.iter().map(|(_, pred)| pred.span).collect::<Vec<_>>());
    kept.into_iter().map(|(label, pred)| assertion(label, pred)).collect()
}

/// The operations that are steps, by name. All others are elaborated for their errors only.
fn operations(elaborator: &mut Elaborator<'_>, project: &Project, family: &Family<'_>) -> IndexMap<String, Operation> {
    let mut operations: IndexMap<String, Operation> = IndexMap::new();
    let mut elaborated: BTreeSet<Span> = BTreeSet::new();
    for (name, offered) in family.steps() {
        let built = elaborate_operation(elaborator, family, offered);
        elaborated.insert(built.span);
        operations.insert(name, built);
    }
    no_steps(elaborator, project, family, elaborated);
    operations
}

/// Elaborates the operations of machines of the state that are not steps.
pub(super) fn no_steps(elaborator: &mut Elaborator<'_>, project: &Project, family: &Family<'_>, mut elaborated: BTreeSet<Span>) {
    // Once for all instances of a text: its span is the same in each of them.
    for operation in 0..elaborator.operations.len() {
        let (scope, text) = elaborator.operations[operation];
        if project.instances[scope].is_live && elaborated.insert(text.span) {
            let built = elaborate_operation(elaborator, family, Offered { by: scope, name: &text.name.text, operation });
            elaborator.check_specification(operation, &built);
            elaborator.no_steps.push(built);
        }
    }
}

/// The initialisations of the wanted machines, one after the other: included machines first, as their instances have lower numbers.
pub(super) fn initialisation<'a>(elaborator: &mut Elaborator<'a>, texts: &Texts<'a, '_>, is_wanted: impl Fn(usize) -> bool) -> Subst {
    let project = texts.project;
    let mut parts = Vec::new();
    for (scope, instance) in project.instances.iter().enumerate().filter(|(scope, _)| is_wanted(*scope)) {
        elaborator.names.enter(scope);
        // The place of the message where the clause is missing.
        let own = project.machine(scope).clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Variables(names, _) => names.first(),
            _ => None,
        });
        match (&texts.clauses[instance.tree].initialisation, own) {
            (Some(subst), _) => parts.push(elaborator.subst(subst)),
            (None, Some(name)) => elaborator.diagnostics.push(
                Diagnostic::error(Code::MissingClause, name.span, "a machine with variables needs an INITIALISATION")
                    .label(format!("`{}` has no initial value", name.text))
                    .help("add INITIALISATION with an assignment to each variable"),
            ),
            (None, None) => {}
        }
        elaborator.resolve_overloads();
    }
    let span = project.machine(project.main()).name.span;
    match parts.len() {
        0 => Subst { kind: SubstKind::Skip, span },
        1 => parts.remove(0),
        _ => Subst { kind: SubstKind::Sequence(parts), span },
    }
}

/// The settings of the main machine, and the sizes that the properties of all machines imply.
pub(super) fn settings_of<'a>(
    elaborator: &mut Elaborator<'a>,
    texts: &Texts<'a, '_>,
    declared: &Declared,
    in_refinement: bool,
) -> Settings {
    let main = texts.project.instances[texts.project.main()].tree;
    let set_of = |name: &str| declared.sets.get_index_of(name).map(|index| SetId(u16::try_from(index).expect("checked when declared")));
    let mut settings = settings::read(&texts.definitions[main], &declared.sets, &mut elaborator.diagnostics);
    let stated = temporal::not_checked(&texts.definitions[main], in_refinement, &mut elaborator.diagnostics);
    elaborator.not_checked.extend(stated);
    let deferred = |name: &str| set_of(name).filter(|id| declared.sets[id.index()].kind == GivenSetKind::Deferred);
    let names: BTreeSet<&str> = declared.constants.keys().map(String::as_str).collect();
    let properties: Vec<&ast::Expr> = (0..texts.clauses.len()).flat_map(|tree| properties_by_name(texts, tree)).collect();
    let fixed = |id: SetId| match &declared.sets[id.index()].kind {
        GivenSetKind::Enumerated(elements) => Some(elements.len()),
        GivenSetKind::Deferred => settings.scope.get(&id).copied(),
    };
    let others = hints::Others { set_of: &set_of, fixed: &fixed, default: settings.default_size.unwrap_or(Settings::DEFAULT_SIZE) };
    settings.hints = hints::of_properties(&properties, &deferred, &names, &others);
    settings
}

/// The conjuncts of CONSTRAINTS and PROPERTIES of a text in which a name has the same meaning as in the whole.
fn properties_by_name<'a>(texts: &Texts<'a, '_>, tree: usize) -> impl Iterator<Item = &'a ast::Expr> {
    // A parameter with an actual value is not a constant or set, but another machine may declare one of its name.
    let instances = &texts.project.instances;
    let owner = instances.iter().position(|instance| instance.tree == tree && instance.arguments.is_some());
    let parameters: BTreeSet<&str> =
        owner.into_iter().flat_map(|owner| &texts.project.machine(owner).parameters).map(|name| name.text.as_str()).collect();
    let clauses = &texts.clauses[tree];
    let parts: Vec<&'a ast::Expr> = clauses.constraints.iter().chain(&clauses.properties).flat_map(conjuncts).collect();
    parts.into_iter().filter(move |part| mentioned(part, &parameters).is_none())
}

/// An assertion; without variables it is checked once for each set-up.
fn assertion(label: Option<String>, pred: Pred) -> Assertion {
    let mut is_static = true;
    walk_pred(&pred, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(_) | ExprKind::OldVariable(_), .. }) = node {
            is_static = false;
        }
    });
    Assertion { pred, label, is_static }
}

/// An operation in the scope of its machine.
pub(super) fn elaborate_operation(elaborator: &mut Elaborator<'_>, family: &Family<'_>, offered: Offered<'_>) -> Operation {
    let (scope, _) = elaborator.operations[offered.operation];
    elaborator.names.enter(scope);
    let signature = family.signature(elaborator, offered);
    elaborate_body(elaborator, offered.operation, signature)
}

/// An operation whose parameters and results are bound.
pub(super) fn elaborate_body(elaborator: &mut Elaborator<'_>, id: usize, signature: Signature) -> Operation {
    let (_, operation) = elaborator.operations[id];
    // An operation that calls itself is found as one that is being inlined already.
    elaborator.calls.push(id);
    let mut body = elaborator.operation_body(&operation.body);
    drop_result_types(&mut body, &signature.results.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    elaborator.calls.pop();
    // An operation is elaborated at the top of a clause, so all bound names belong to it.
    elaborator.names.bound.truncate(0);
    elaborator.resolve_overloads();
    // Outermost, so that it holds before the operation's own precondition is evaluated: a call that it excludes is not a step.
    if !signature.inherited.is_empty() {
        let span = operation.span;
        let pred = Pred { kind: PredKind::And(signature.inherited), span };
        body = Subst { kind: SubstKind::Pre { pred, body: Box::new(body), is_guard: true }, span };
    }
    let named = |locals: Vec<(bcheck_ir::LocalId, Type)>, names: &[ast::Name]| {
        locals.into_iter().zip(names).map(|((id, ty), name)| (name.text.clone(), id, ty)).collect()
    };
    Operation {
        parameters: named(signature.parameters, &operation.parameters),
        results: named(signature.results, &operation.results),
        body,
        span: operation.span,
    }
}
