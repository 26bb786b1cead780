//! Declares the sets, constants and variables of a whole project, each in the scope of its machine.
//!
//! Sets and constants belong to a text and exist once; variables belong to an instance and carry its prefix. A parameter with an
//! actual value, and a deferred set that VALUES gives a value, stand for that expression. A variable of a refined machine that the
//! refinement has too is the same variable; the others come last, so that ids from some point on are abstract ones.
//! Invariant: ids index the declared names in order. Deliberately elsewhere: visibility between machines (`scope`).

use super::project::Project;
use crate::ir::{ConstantId, GivenSet, GivenSetKind, SetId, VariableId};
use crate::sema::clauses::Clauses;
use crate::sema::definitions::Definitions;
use crate::sema::elaborate::{Actual, Elaborator};
use crate::sema::names::{Meaning, Scope, duplicate};
use crate::sema::parameters::is_set;
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast::{ClauseKind, DefinitionBody, Expr, ExprKind, Machine, MachineKind, Name, SetDeclarationKind};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Everything declared in a project.
#[derive(Default)]
pub(in crate::sema) struct Declared {
    pub(in crate::sema) sets: IndexMap<String, GivenSet>,
    pub(in crate::sema) constants: IndexMap<String, Span>,
    /// Those of the state, then those of refined machines.
    pub(in crate::sema) variables: IndexMap<String, Span>,
    /// In a refinement check: a variable, and that of the refined machine with the same name.
    pub(in crate::sema) same: Vec<(VariableId, VariableId)>,
    /// By text, the names that it declared, for its further instances.
    by_tree: BTreeMap<usize, Vec<(Name, Meaning)>>,
}

/// A project with the definitions and expanded clauses of its texts.
pub(in crate::sema) struct Texts<'a, 't> {
    pub(in crate::sema) project: &'t Project,
    /// By tree.
    pub(in crate::sema) definitions: &'t [Definitions<'t>],
    /// By tree.
    pub(in crate::sema) clauses: &'a [Clauses],
}

impl Declared {
    /// Declares the names of all instances in their scopes. `both_sides`: the variables of the machine that is refined are others
    /// than those of its refinement, also under the same name.
    pub(in crate::sema) fn of<'a>(texts: &Texts<'a, '_>, both_sides: bool, elaborator: &mut Elaborator<'a>) -> Self {
        let project = texts.project;
        elaborator.names.scopes =
            project.instances.iter().map(|instance| Scope { is_abstract: !instance.is_live, ..Scope::default() }).collect();
        let mut declared = Self::default();
        let values = set_values(texts, elaborator);
        for (scope, instance) in project.instances.iter().enumerate() {
            elaborator.names.enter(scope);
            let machine = project.machine(scope);
            // Actual parameters belong to an instance, so they are not kept for further instances of the text, nor seen by other machines.
            report_other_arguments(texts, scope, elaborator);
            if let Some((owner, position)) = instance.arguments {
                let actuals = texts.clauses[project.instances[owner].tree].actual_parameters.get(position);
                for (name, expr) in machine.parameters.iter().zip(actuals.into_iter().flatten()) {
                    elaborator.actuals.push(Actual { scope: owner, expr });
                    declare(elaborator, name, Meaning::Actual(elaborator.actuals.len() - 1));
                    elaborator.names.keep_private(&name.text);
                }
            }
            // Sets and constants of a text are declared with its first instance; each further one sees the same ones.
            match declared.by_tree.get(&instance.tree) {
                Some(names) => names.iter().for_each(|(name, meaning)| declare(elaborator, name, *meaning)),
                None => declared.add_text(texts, scope, &values, elaborator),
            }
        }
        // The order of variables matters: what stays in the state has the lowest ids, so that one comparison with `first_abstract`
        // separates variables of the state from those of refined machines.
        let of_state = |live: bool| project.instances.iter().enumerate().filter(move |(_, instance)| instance.is_live == live);
        for (scope, _) in of_state(true) {
            declared.add_variables(project, scope, |_| true, elaborator);
        }
        if both_sides {
            declared.add_sides(project, elaborator);
            elaborator.names.variables = declared.variables.keys().cloned().collect();
            return declared;
        }
        // Concrete variables of a refined machine stay variables of its refinements.
        for (scope, _) in of_state(false) {
            declared.add_variables(project, scope, |is_concrete| is_concrete, elaborator);
        }
        elaborator.names.first_abstract = u32::try_from(declared.variables.len()).expect("fewer than 2^32 variables");
        elaborator.names.first_outside = elaborator.names.first_abstract;
        elaborator.names.inherits_below = elaborator.names.first_abstract;
        for (scope, _) in of_state(false) {
            declared.add_variables(project, scope, |is_concrete| !is_concrete, elaborator);
        }
        elaborator.names.variables = declared.variables.keys().cloned().collect();
        declared
    }

    /// Parameters without actual values, sets and constants of a text that is met for the first time.
    fn add_text(&mut self, texts: &Texts<'_, '_>, scope: usize, values: &BTreeMap<&str, usize>, elaborator: &mut Elaborator<'_>) {
        let instance = &texts.project.instances[scope];
        let machine = texts.project.machine(scope);
        let parameters: &[Name] = if instance.arguments.is_some() { &[] } else { &machine.parameters };
        let mut names = Vec::new();
        // A refinement has the parameters and may declare the constants of the machine it refines again: they are the same.
        let may_repeat = machine.kind != MachineKind::Machine;
        // A parameter that is a constant above stays one, whatever its letters look like here.
        let is_scalar: BTreeSet<&str> = parameters
            .iter()
            .map(|parameter| parameter.text.as_str())
            .filter(|name| !is_set(machine, name) || (may_repeat && self.constants.contains_key(*name)))
            .collect();
        // Parameters before SETS, and below before CONSTANTS: ids follow the order of the text.
        for parameter in parameters.iter().filter(|parameter| !is_scalar.contains(parameter.text.as_str())) {
            // The set that a parameter of the refined machine declared already.
            match self.sets.get_index_of(&parameter.text).filter(|_| may_repeat) {
                Some(index) => names.push((parameter.clone(), Meaning::Set(SetId(u16::try_from(index).expect("it has an id"))))),
                None => self.add_set(parameter, None, elaborator, &mut names),
            }
        }
        for declaration in sets_of(machine) {
            let elements = match &declaration.kind {
                SetDeclarationKind::Deferred => None,
                SetDeclarationKind::Enumerated(elements) => Some(elements.clone()),
                SetDeclarationKind::ByDefinition(name) => {
                    let elements = elements_of(&texts.definitions[instance.tree], &name.text);
                    if elements.is_none() {
                        elaborator.diagnostics.push(
                            Diagnostic::error(
                                Code::UnknownName,
                                name.span,
                                format!("`{}` is not a definition that lists elements", name.text),
                            )
                            .help("write the elements in braces, or define the name as {a, b, …}"),
                        );
                    }
                    Some(elements.unwrap_or_default())
                }
            };
            // VALUES gives values to deferred sets only: the set then is that expression, and has no elements of its own.
            match values.get(declaration.name.text.as_str()) {
                Some(&value) if elements.is_none() => names.push((declaration.name.clone(), Meaning::Actual(value))),
                _ => self.add_set(&declaration.name, elements, elaborator, &mut names),
            }
        }
        for free in &texts.clauses[instance.tree].free_types {
            elaborator.declare_free_type(free, scope, &mut names);
        }
        for parameter in parameters.iter().filter(|parameter| is_scalar.contains(parameter.text.as_str())) {
            self.add_constant(parameter, may_repeat, elaborator, &mut names);
        }
        for constant in constants_of(machine) {
            self.add_constant(constant, may_repeat, elaborator, &mut names);
        }
        names.iter().for_each(|(name, meaning)| declare(elaborator, name, *meaning));
        self.by_tree.insert(instance.tree, names);
    }

    fn add_set(&mut self, name: &Name, elements: Option<Vec<Name>>, elaborator: &mut Elaborator<'_>, names: &mut Vec<(Name, Meaning)>) {
        // With more sets than there are ids, the others stay undeclared, and the first use of one is an error.
        let Ok(index) = u16::try_from(self.sets.len()) else { return };
        let id = SetId(index);
        if let Some(first) = self.sets.get(&name.text) {
            elaborator.diagnostics.push(duplicate(&name.text, name.span, first.span));
            return;
        }
        names.push((name.clone(), Meaning::Set(id)));
        let kind = match elements {
            None => GivenSetKind::Deferred,
            Some(elements) => {
                names.extend(elements.iter().zip(0..).map(|(element, index)| (element.clone(), Meaning::Element(id, index))));
                GivenSetKind::Enumerated(elements.into_iter().map(|element| element.text).collect())
            }
        };
        elaborator.set_names.push(name.text.clone());
        self.sets.insert(name.text.clone(), GivenSet { kind, element_prefix: name.text.clone(), span: name.span });
    }

    /// `may_repeat`: a constant of that name from another file is the same one.
    fn add_constant(&mut self, name: &Name, may_repeat: bool, elaborator: &mut Elaborator<'_>, names: &mut Vec<(Name, Meaning)>) {
        if let Some((index, _, first)) = self.constants.get_full(&name.text) {
            if first.file != name.span.file && may_repeat {
                names.push((name.clone(), Meaning::Constant(ConstantId(u32::try_from(index).expect("it has an id")))));
            } else {
                elaborator.diagnostics.push(duplicate(&name.text, name.span, *first));
            }
            return;
        }
        let id = ConstantId(u32::try_from(self.constants.len()).expect("fewer than 2^32 constants"));
        self.constants.insert(name.text.clone(), name.span);
        let ty = elaborator.types.fresh();
        elaborator.constant_types.push(ty);
        names.push((name.clone(), Meaning::Constant(id)));
    }

    /// Declares the variables of an instance; `wanted` chooses its clauses by whether they declare concrete variables.
    fn add_variables(&mut self, project: &Project, scope: usize, wanted: impl Fn(bool) -> bool, elaborator: &mut Elaborator<'_>) {
        let instance = &project.instances[scope];
        elaborator.names.enter(scope);
        for clause in &project.machine(scope).clauses {
            let ClauseKind::Variables(names, is_concrete) = &clause.kind else { continue };
            for name in names.iter().filter(|_| wanted(*is_concrete)) {
                // In the whole a variable has its instance's prefix; in the scope of its machine, its own name.
                let whole = format!("{}{}", instance.prefix, name.text);
                if let Some((index, _, first)) = self.variables.get_full(&whole) {
                    if instance.is_live {
                        elaborator.diagnostics.push(duplicate(&name.text, name.span, *first));
                    } else {
                        // The refined machine's variable of the same name is the refinement's own.
                        declare(elaborator, name, Meaning::Variable(VariableId(u32::try_from(index).expect("it has an id"))));
                    }
                    continue;
                }
                let id = self.add_variable(whole, name, elaborator);
                declare(elaborator, name, Meaning::Variable(id));
            }
        }
    }

    fn add_variable(&mut self, whole: String, name: &Name, elaborator: &mut Elaborator<'_>) -> VariableId {
        let id = VariableId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.insert(whole, name.span);
        let ty = elaborator.types.fresh();
        elaborator.variable_types.push(ty);
        id
    }

    /// Declares the variables of the refined machine after those of the refinement, and last those of machines further up.
    ///
    /// Names in the whole carry their side (`M::x`), so that x of the refinement and x of M are two variables; `same` pairs them. Concrete
    /// variables that the text below does not declare again exist on both sides: B keeps them through a refinement.
    fn add_sides(&mut self, project: &Project, elaborator: &mut Elaborator<'_>) {
        let parts = project.refined_parts();
        let refined = project.refined().unwrap_or(project.main());
        // 0 is the refinement, 1 the refined machine, 2 all machines further up.
        let side = |scope: usize| match (project.instances[scope].is_live, parts[scope]) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let of_refined = of_side(&project.machine(refined).name.text, "");
        // Concrete variables of refined machines that the refinement does not declare itself.
        self.take_over(project, project.main(), |scope| side(scope) > 0, "", elaborator);
        elaborator.names.first_abstract = self.next_variable();
        self.add_side(project, |scope| side(scope) == 1, &of_refined, elaborator);
        self.take_over(project, refined, |scope| side(scope) > 1, &of_refined, elaborator);
        elaborator.names.first_outside = self.next_variable();
        elaborator.names.inherits_below = elaborator.names.first_outside;
        self.add_side(project, |scope| side(scope) == 2, &of_side("above", ""), elaborator);
        // What `of_refined` is stripped from is a variable of side 1 with its name in the text; ids below `concrete` belong to side 0.
        let concrete = elaborator.names.first_abstract as usize;
        for (index, name) in self.variables.keys().enumerate().take(elaborator.names.first_outside as usize).skip(concrete) {
            let same = name.strip_prefix(&of_refined).and_then(|name| self.variables.get_index_of(name)).filter(|same| *same < concrete);
            self.same.extend(same.map(|same| (variable_id(same), variable_id(index))));
        }
    }

    fn next_variable(&self) -> u32 {
        u32::try_from(self.variables.len()).expect("fewer than 2^32 variables")
    }

    /// Declares the variables of the instances of one side in their scopes; those of one name are one.
    fn add_side(&mut self, project: &Project, is_wanted: impl Fn(usize) -> bool, side: &str, elaborator: &mut Elaborator<'_>) {
        for scope in (0..project.instances.len()).filter(|&scope| is_wanted(scope)) {
            elaborator.names.enter(scope);
            for (name, _) in variables_of(project.machine(scope)) {
                let whole = format!("{side}{}{}", project.instances[scope].prefix, name.text);
                let id = match self.variables.get_index_of(&whole) {
                    Some(index) => variable_id(index),
                    None => self.add_variable(whole, name, elaborator),
                };
                declare(elaborator, name, Meaning::Variable(id));
            }
        }
    }

    /// Declares concrete variables of other instances in the scope of `heir`, which is of another side.
    fn take_over(&mut self, project: &Project, heir: usize, from: impl Fn(usize) -> bool, side: &str, elaborator: &mut Elaborator<'_>) {
        elaborator.names.enter(heir);
        for scope in (0..project.instances.len()).filter(|&scope| from(scope)) {
            for (name, _) in variables_of(project.machine(scope)).filter(|(_, is_concrete)| *is_concrete) {
                let text = format!("{}{}", project.instances[scope].prefix, name.text);
                let whole = format!("{side}{text}");
                // Unless the heir's side declares it itself.
                if !self.variables.contains_key(&whole) {
                    let id = self.add_variable(whole, name, elaborator);
                    declare(elaborator, &Name { text, span: name.span }, Meaning::Variable(id));
                }
            }
        }
    }
}

/// The name in the whole of a variable or operation of another side than the main machine's. No name in a text contains `::`.
pub(in crate::sema) fn of_side(machine: &str, name: &str) -> String {
    format!("{machine}::{name}")
}

fn variable_id(index: usize) -> VariableId {
    VariableId(u32::try_from(index).expect("it has an id"))
}

/// The variables that a text declares, with whether they are concrete.
fn variables_of(machine: &Machine) -> impl Iterator<Item = (&Name, bool)> {
    let lists = machine.clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Variables(names, is_concrete) => Some(names.iter().map(move |name| (name, *is_concrete))),
        _ => None,
    });
    lists.flatten()
}

/// The deferred sets that VALUES of the main machine gives values, with the index of each value among the actual parameters.
fn set_values<'a>(texts: &Texts<'a, '_>, elaborator: &mut Elaborator<'a>) -> BTreeMap<&'a str, usize> {
    let project = texts.project;
    let main = project.main();
    let deferred = |name: &Name| {
        let sets = (0..project.instances.len()).flat_map(|instance| sets_of(project.machine(instance)));
        sets.into_iter().any(|set| set.name.text == name.text && set.kind == SetDeclarationKind::Deferred)
    };
    let mut values = BTreeMap::new();
    for (name, expr) in &texts.clauses[project.instances[main].tree].values {
        // Any other name of VALUES is a constant, which is made equal to its value (`analyse::properties`).
        if deferred(name) {
            elaborator.actuals.push(Actual { scope: main, expr });
            values.insert(name.text.as_str(), elaborator.actuals.len() - 1);
        }
    }
    values
}

/// Reports an instance to which several machines of a refinement chain give other arguments: it can have those of one of them only.
fn report_other_arguments(texts: &Texts<'_, '_>, scope: usize, elaborator: &mut Elaborator<'_>) {
    let instances = &texts.project.instances;
    let Some(kept) = instances[scope].arguments else { return };
    let given = |(owner, position): (usize, usize)| {
        texts.clauses[instances[owner].tree].actual_parameters.get(position).map_or(&[][..], Vec::as_slice)
    };
    let shown = |reference| given(reference).iter().map(ToString::to_string).collect::<Vec<_>>();
    for &other in &instances[scope].more_arguments {
        // Sets and constants mean the same in the whole chain. A parameter with an argument means something in its own machine only.
        let is_same = [kept, other].iter().all(|(owner, _)| instances[*owner].arguments.is_none()) && shown(kept) == shown(other);
        if let ([first, ..], [second, ..], false) = (given(kept), given(other), is_same) {
            let name = &texts.project.machine(scope).name.text;
            let title = format!("`{name}` is included with other arguments by a refined machine");
            elaborator.diagnostics.push(
                Diagnostic::error(Code::DuplicateName, first.span, title)
                    .label("these arguments here")
                    .also(second.span, "these are given by another machine of the chain")
                    .help("give both the same arguments, or one of the two a prefix, as in `a.M`"),
            );
        }
    }
}

fn declare(elaborator: &mut Elaborator<'_>, name: &Name, meaning: Meaning) {
    if let Err(diagnostic) = elaborator.names.declare(&name.text, meaning, name.span) {
        elaborator.diagnostics.push(diagnostic);
    }
}

fn sets_of(machine: &Machine) -> impl Iterator<Item = &crate::syntax::ast::SetDeclaration> {
    let lists = machine.clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Sets(declarations) => Some(declarations),
        _ => None,
    });
    lists.flatten()
}

/// The constants that a text declares.
pub(super) fn constants_of(machine: &Machine) -> impl Iterator<Item = &Name> {
    let lists = machine.clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Constants(names, _) => Some(names),
        _ => None,
    });
    lists.flatten()
}

/// The elements of a set that is declared as `S = Definition`.
fn elements_of(definitions: &Definitions<'_>, name: &str) -> Option<Vec<Name>> {
    let items = match definitions.get(name)?.body {
        DefinitionBody::Expr(Expr { kind: ExprKind::SetExtension(items), .. }) | DefinitionBody::List(items) => items,
        DefinitionBody::Expr(_) | DefinitionBody::Subst(_) => return None,
    };
    items
        .iter()
        .map(|item| match &item.kind {
            ExprKind::Ident(text) => Some(Name { text: text.clone(), span: item.span }),
            _ => None,
        })
        .collect()
}
