//! Declares the sets, constants and variables of a whole project, each in the scope of its machine.
//!
//! Sets and constants belong to a text and exist once; variables belong to an instance and carry its prefix. A parameter with an actual
//! value, and a deferred set with a value in VALUES, are replaced by that expression. The variables of a refined machine differ from those
//! of its refinement, also under equal names; they come last, so that ids from some point on are abstract.
//! Invariant: ids index the declared names in order. Deliberately elsewhere: visibility between machines (`scope`).

use super::project::{Instance, Project};
use crate::clauses::Clauses;
use crate::definitions::Definitions;
use crate::elaborate::{Actual, Elaborator};
use crate::names::{Meaning, Scope, duplicate};
use crate::parameters::is_set;
use bcheck_ir::{ConstantId, GivenSet, SetId, VariableId};
use bcheck_source::{Code, Diagnostic, FileId, Span};
use bcheck_syntax::ast::{ClauseKind, DefinitionBody, Expr, ExprKind, Machine, Name, SetDeclarationKind};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Everything declared in a project.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) sets: IndexMap<String, GivenSet>,
    pub(crate) constants: IndexMap<String, Span>,
    /// Those of the state, then those of refined machines.
    pub(crate) variables: IndexMap<String, Span>,
    /// For each refined machine of the chain, the lowest first: variables of the machine that refines it, with those of the same name.
    pub(crate) same: Vec<Vec<(VariableId, VariableId)>>,
    /// Variables of machines that are only seen: those of a refined machine with their names are others.
    seen: BTreeSet<VariableId>,
    /// By name, whether the machine that declared it first is one that the main machine refines (true), or a part of the state (false).
    is_refined: BTreeMap<String, bool>,
    /// By name, whether the machine that declared it first belongs to a link further up in the chain (true), or not.
    links: BTreeMap<String, bool>,
    /// By text, the names that it declared, for its further instances.
    by_tree: BTreeMap<usize, Vec<(Name, Meaning)>>,
}

/// A project with the definitions and expanded clauses of its texts.
pub(crate) struct Texts<'a, 't> {
    pub(crate) project: &'t Project,
    /// By tree.
    pub(crate) definitions: &'t [Definitions<'t>],
    /// By tree.
    pub(crate) clauses: &'a [Clauses],
}

impl Texts<'_, '_> {
    /// The reference with the actual parameters of an instance, up to the last of them.
    pub(crate) fn reference_to(&self, instance: usize) -> Option<Span> {
        let (owner, position) = self.project.instances[instance].arguments?;
        let owner = &self.project.instances[owner];
        let link = owner.links.iter().find(|link| link.to == instance)?;
        let last = self.clauses[owner.tree].actual_parameters.get(position)?.last()?;
        Some(link.span.to(last.span))
    }
}

impl Declared {
    /// Declares the names of all instances in their scopes.
    pub(crate) fn of<'a>(texts: &Texts<'a, '_>, elaborator: &mut Elaborator<'a>) -> Self {
        let project = texts.project;
        elaborator.names.scopes =
            project.instances.iter().map(|instance| Scope { is_abstract: !instance.is_live, ..Scope::default() }).collect();
        let mut declared = Self::default();
        let (values, levels) = (set_values(texts, elaborator), project.levels());
        for (scope, instance) in project.instances.iter().enumerate() {
            elaborator.names.enter(scope);
            let machine = project.machine(scope);
            // Actual parameters belong to an instance, so they are not stored for further instances of the text, nor visible to other
            // machines.
            report_other_arguments(texts, scope, elaborator);
            if let Some((owner, position)) = instance.arguments {
                let actuals = texts.clauses[project.instances[owner].tree].actual_parameters.get(position);
                for (name, expr) in machine.parameters.iter().zip(actuals.into_iter().flatten()) {
                    elaborator.actuals.push(Actual { scope: owner, expr, is_open: false });
                    declare(elaborator, name, Meaning::Actual(elaborator.actuals.len() - 1));
                    elaborator.names.keep_private(&name.text);
                }
            }
            // Sets and constants of a text are declared with its first instance; each further one sees the same ones.
            match declared.by_tree.get(&instance.tree) {
                Some(names) => names.iter().for_each(|(name, meaning)| declare(elaborator, name, *meaning)),
                None => declared.add_text(texts, scope, (&values, &levels), elaborator),
            }
        }
        // The order of variables matters: what stays in the state has the lowest ids, so that one comparison with `first_abstract`
        // separates variables of the state from those of refined machines.
        for (scope, _) in project.instances.iter().enumerate().filter(|(_, instance)| instance.is_live) {
            declared.add_variables(project, scope, levels[scope].is_none(), elaborator);
        }
        // Concrete variables of a refined machine stay variables of its refinements.
        declared.take_over(project, project.main(), |scope| levels[scope] > Some(0), "", elaborator);
        elaborator.names.first_abstract = declared.next_variable();
        declared.add_sides(project, &levels, elaborator);
        elaborator.names.inherits_below = declared.next_variable();
        elaborator.names.variables = declared.variables.keys().cloned().collect();
        declared
    }

    /// Parameters without actual values, sets and constants of a text that occurs for the first time.
    fn add_text(
        &mut self,
        texts: &Texts<'_, '_>,
        scope: usize,
        (values, levels): (&BTreeMap<&str, usize>, &[Option<usize>]),
        elaborator: &mut Elaborator<'_>,
    ) {
        let instance = &texts.project.instances[scope];
        let machine = texts.project.machine(scope);
        let parameters: &[Name] = if instance.arguments.is_some() { &[] } else { &machine.parameters };
        let mut names = Vec::new();
        // A refinement has the parameters and may declare the constants of the machines it refines again: they are the same. Those of a
        // machine that is only seen are others.
        let above: BTreeSet<FileId> = (0..levels.len())
            .filter(|&other| levels[scope].is_some() && levels[other] > levels[scope])
            .map(|other| texts.project.machine(other).name.span.file)
            .collect();
        // A parameter that is a constant above stays one, whatever its letters look like here.
        let is_scalar = |name: &str| !is_set(machine, name) || self.constants.get(name).is_some_and(|first| above.contains(&first.file));
        let (scalars, sets): (Vec<&Name>, Vec<&Name>) = parameters.iter().partition(|parameter| is_scalar(&parameter.text));
        // Parameters before SETS, and below before CONSTANTS: ids follow the order of the text.
        for parameter in sets {
            // The set that a parameter of the refined machine declared already.
            match self.sets.get_full(&parameter.text).filter(|(_, _, first)| above.contains(&first.span.file)) {
                Some((index, ..)) => names.push((parameter.clone(), Meaning::Set(SetId(u16::try_from(index).expect("it has an id"))))),
                None => self.add_set(parameter, None, elaborator, &mut names),
            }
        }
        // Sets and constants of the machines that an implementation refines get the values of those of the same name that come with its
        // own references: they are one.
        let is_below = texts.project.is_below_implementation(scope);
        let is_refined = texts.project.is_refined(scope);
        // A machine that a refined machine merely sees is on no side: its values are determined elsewhere.
        let side = (is_below && (is_refined || instance.is_live)).then_some(is_refined);
        // Sets that list the same elements in two links of a chain are identified, whoever refers to them, as each link is typed by itself.
        let is_in_chain = scope != texts.project.main() && texts.project.chain().len() > 1;
        let link = is_in_chain.then_some(levels[scope] > Some(0));
        for declaration in sets_of(machine) {
            let name = &declaration.name;
            let elements = listed_elements(&declaration.kind, &texts.definitions[instance.tree], elaborator);
            // VALUES may only contain values of deferred sets: the set then is that expression, and has no elements of its own.
            match values.get(name.text.as_str()) {
                Some(&value) if elements.is_none() => names.push((name.clone(), Meaning::Actual(value))),
                _ if self.is_of_both(side, name)
                    || self.is_in_other_link(link, name) && self.is_listed_alike(name, elements.as_deref()) =>
                {
                    self.unite_set(name, elements, is_refined, elaborator, &mut names)
                }
                _ => self.add_set(name, elements, elaborator, &mut names),
            }
        }
        for free in &texts.clauses[instance.tree].free_types {
            elaborator.declare_free_type(free, scope, &mut names);
        }
        for parameter in scalars {
            self.add_constant(parameter, (&above, false), elaborator, &mut names);
        }
        for constant in constants_of(machine) {
            let is_same = self.is_of_both(side, constant);
            self.add_constant(constant, (&above, is_same), elaborator, &mut names);
        }
        for (name, link) in names.iter().filter_map(|(name, _)| Some((name, link?))) {
            self.links.entry(name.text.clone()).or_insert(link);
        }
        for (name, side) in names.iter().filter_map(|(name, _)| Some((name, side?))) {
            self.is_refined.entry(name.text.clone()).or_insert(side);
        }
        names.iter().for_each(|(name, meaning)| declare(elaborator, name, *meaning));
        self.by_tree.insert(instance.tree, names);
    }

    /// Whether a machine of another link of the chain has declared the name.
    fn is_in_other_link(&self, link: Option<bool>, name: &Name) -> bool {
        link.zip(self.links.get(&name.text)).is_some_and(|(here, first)| here != *first)
    }

    /// Whether the other side of an implementation has declared the name.
    fn is_of_both(&self, side: Option<bool>, name: &Name) -> bool {
        side.zip(self.is_refined.get(&name.text)).is_some_and(|(here, first)| here != *first)
    }

    /// A constant of that name from one of the files `above` is identified with it; with `is_same`, also that of any other file.
    fn add_constant(
        &mut self,
        name: &Name,
        (above, is_same): (&BTreeSet<FileId>, bool),
        elaborator: &mut Elaborator<'_>,
        names: &mut Vec<(Name, Meaning)>,
    ) {
        if let Some((index, _, first)) = self.constants.get_full(&name.text) {
            if above.contains(&first.file) || is_same && first.file != name.span.file {
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

    /// Declares the variables of an instance that belongs to the state.
    fn add_variables(&mut self, project: &Project, scope: usize, is_seen: bool, elaborator: &mut Elaborator<'_>) {
        elaborator.names.enter(scope);
        for (name, _) in variables_of(project.machine(scope)) {
            let whole = in_whole(project, scope, name);
            if let Some(first) = self.variables.get(&whole) {
                elaborator.diagnostics.push(duplicate(&name.text, name.span, *first));
                continue;
            }
            let id = self.add_variable(whole, name, elaborator);
            if is_seen {
                self.seen.insert(id);
            }
            declare(elaborator, name, Meaning::Variable(id));
        }
    }

    fn add_variable(&mut self, whole: String, name: &Name, elaborator: &mut Elaborator<'_>) -> VariableId {
        let id = VariableId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.insert(whole, name.span);
        let ty = elaborator.types.fresh();
        elaborator.variable_types.push(ty);
        id
    }

    /// Declares the variables of the refined machines after those of the refinement, machine by machine upwards.
    ///
    /// Names in the whole carry their side (`M::x`), so that x of the refinement and x of M are two variables; `same` pairs them. Concrete
    /// variables that the text below does not redeclare exist on both sides: B retains them through a refinement.
    fn add_sides(&mut self, project: &Project, levels: &[Option<usize>], elaborator: &mut Elaborator<'_>) {
        let sides = project.sides();
        let mut below = (String::new(), 0..self.next_variable());
        for (level, &machine) in project.chain().iter().enumerate().skip(1) {
            let first = self.next_variable();
            let side = of_side(&project.machine(machine).name.text, "");
            self.add_side(project, (|scope| sides[scope] == Some(level), levels), &side, elaborator);
            self.take_over(project, machine, |scope| levels[scope] > Some(level), &side, elaborator);
            elaborator.names.sides.push(first);
            let here = (side, first..self.next_variable());
            self.same.push(self.pairs(&below, &here));
            below = here;
        }
    }

    /// The variables of a machine of the chain that the next one has under the same name. Each side has the prefix of its names.
    fn pairs(&self, below: &(String, Range<u32>), above: &(String, Range<u32>)) -> Vec<(VariableId, VariableId)> {
        let mut pairs = Vec::new();
        for id in above.1.clone().map(VariableId) {
            let Some((name, place)) = self.variables.get_index(id.index()) else { continue };
            // A name with this prefix is a variable of that side under its name in the text.
            let other = name.strip_prefix(&above.0).and_then(|name| self.variables.get_full(&format!("{}{name}", below.0)));
            let Some((same, _, first)) = other else { continue };
            let same = variable_id(same);
            // A variable of a machine that one of the two only sees is not its own, unless both refer to the same machine.
            let is_seen = self.seen.contains(&same) || self.seen.contains(&id);
            if below.1.contains(&same.0) && (!is_seen || first == place) {
                pairs.push((same, id));
            }
        }
        pairs
    }

    fn next_variable(&self) -> u32 {
        u32::try_from(self.variables.len()).expect("fewer than 2^32 variables")
    }

    /// Declares the variables of the wanted instances in their scopes; those of one name are one.
    fn add_side(
        &mut self,
        project: &Project,
        (is_wanted, levels): (impl Fn(usize) -> bool, &[Option<usize>]),
        side: &str,
        elaborator: &mut Elaborator<'_>,
    ) {
        for scope in (0..project.instances.len()).filter(|&scope| is_wanted(scope)) {
            elaborator.names.enter(scope);
            for (name, _) in variables_of(project.machine(scope)) {
                let whole = format!("{side}{}", in_whole(project, scope, name));
                let id = match self.variables.get_index_of(&whole) {
                    Some(index) => variable_id(index),
                    None => self.add_variable(whole, name, elaborator),
                };
                if levels[scope].is_none() {
                    self.seen.insert(id);
                }
                declare(elaborator, name, Meaning::Variable(id));
            }
        }
    }

    /// Declares concrete variables of other instances in the scope of `heir`, which is of another side.
    fn take_over(&mut self, project: &Project, heir: usize, from: impl Fn(usize) -> bool, side: &str, elaborator: &mut Elaborator<'_>) {
        elaborator.names.enter(heir);
        for scope in (0..project.instances.len()).filter(|&scope| from(scope)) {
            for (name, _) in variables_of(project.machine(scope)).filter(|(_, is_concrete)| *is_concrete) {
                let text = in_whole(project, scope, name);
                let whole = format!("{side}{text}");
                match self.variables.get_full(&whole) {
                    None => {
                        let id = self.add_variable(whole, name, elaborator);
                        declare(elaborator, &Name { text, span: name.span }, Meaning::Variable(id));
                    }
                    // It stays a variable of the heir, under a name of a machine that the heir only sees.
                    Some((index, _, first)) if self.seen.contains(&variable_id(index)) && *first != name.span => {
                        elaborator.diagnostics.push(duplicate(&name.text, name.span, *first));
                    }
                    // The heir's side declares it itself.
                    Some(_) => {}
                }
            }
        }
    }
}

/// The name of a variable in the whole: with its instance's prefix. In the scope of its machine it has its own name.
fn in_whole(project: &Project, scope: usize, name: &Name) -> String {
    format!("{}{}", project.instances[scope].prefix, name.text)
}

/// The name in the whole of a variable or operation of another side than the main machine's. No name in a text contains `::`.
pub(crate) fn of_side(machine: &str, name: &str) -> String {
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

/// The deferred sets with values in VALUES of the main machine, with the index of each value among the actual parameters.
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
            elaborator.actuals.push(Actual { scope: main, expr, is_open: false });
            values.insert(name.text.as_str(), elaborator.actuals.len() - 1);
        }
    }
    values
}

/// Reports an instance if that of another machine of the refinement chain has other arguments and they declare constants: the constants of
/// a text exist once, and cannot have the values of both.
fn report_other_arguments(texts: &Texts<'_, '_>, scope: usize, elaborator: &mut Elaborator<'_>) {
    let instances = &texts.project.instances;
    let Some(kept) = instances[scope].arguments else { return };
    let given = |(owner, position): (usize, usize)| {
        texts.clauses[instances[owner].tree].actual_parameters.get(position).map_or(&[][..], Vec::as_slice)
    };
    let shown = |reference| given(reference).iter().map(ToString::to_string).collect::<Vec<_>>();
    if constants_of(texts.project.machine(scope)).next().is_none() {
        return;
    }
    let is_other = |other: &&Instance| other.tree == instances[scope].tree && other.prefix == instances[scope].prefix;
    for other in instances[..scope].iter().filter(is_other).filter_map(|other| other.arguments) {
        // Sets and constants have one meaning in the whole chain. A parameter with an argument has a meaning in its own machine only.
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

fn sets_of(machine: &Machine) -> impl Iterator<Item = &bcheck_syntax::ast::SetDeclaration> {
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

/// The elements in a declaration, none where it is wrong; `None` for a deferred set.
fn listed_elements(kind: &SetDeclarationKind, definitions: &Definitions<'_>, elaborator: &mut Elaborator<'_>) -> Option<Vec<Name>> {
    match kind {
        SetDeclarationKind::Deferred => None,
        SetDeclarationKind::Enumerated(elements) => Some(elements.clone()),
        SetDeclarationKind::ByDefinition(name) => {
            let elements = elements_of(definitions, &name.text);
            if elements.is_none() {
                let message = format!("`{}` is not a definition that lists elements", name.text);
                elaborator.diagnostics.push(
                    Diagnostic::error(Code::UnknownName, name.span, message)
                        .help("write the elements in braces, or define the name as {a, b, …}"),
                );
            }
            Some(elements.unwrap_or_default())
        }
    }
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
