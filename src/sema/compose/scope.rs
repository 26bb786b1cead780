//! Visibility: which names and operations each machine sees of the machines it refers to.
//!
//! Sets and constants are visible under their own names, also transitively; variables and operations with the prefix of the reference.
//! Variables of a seen machine are not visible transitively. A machine exports its own operations and those it promotes or extends by.
//! Invariant: nothing here changes the declarations of the machine itself: names from elsewhere yield to them, or are reported.

use super::project::{Link, Project};
use super::reference::LinkKind;
use crate::clauses::Clauses;
use crate::elaborate::Elaborator;
use crate::names::{Callable, Entry, Meaning, ambiguous, duplicate, nearest, repeated, similar};
use bcheck_ir::NotChecked;
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{ClauseKind, Name, Operation};
use indexmap::IndexMap;
use std::collections::HashMap;

/// The operations that a machine exports, by name.
pub(crate) type Interface = IndexMap<String, usize>;

/// Completes the scopes of all instances; returns the operations that each exports.
pub(super) fn complete<'a>(project: &Project, clauses: &'a [Clauses], elaborator: &mut Elaborator<'a>) -> Vec<Interface> {
    let mut interfaces: Vec<Interface> = Vec::with_capacity(project.instances.len());
    for (scope, instance) in project.instances.iter().enumerate() {
        // Targets have lower numbers, so their scopes and interfaces are complete. The refined machine last: names of this machine itself,
        // or of an included or seen one, are not searched for further up.
        let (refined, parts): (Vec<&Link>, Vec<&Link>) = instance.links.iter().partition(|link| link.kind == LinkKind::Refines);
        for link in parts.into_iter().chain(refined) {
            import(project, scope, link, elaborator);
        }
        let mut interface = add_operations(project, scope, &clauses[instance.tree], elaborator);
        for link in &instance.links {
            offer(project, scope, link, &interfaces[link.to], &mut interface, elaborator);
        }
        // Last: PROMOTES may name an operation that EXTENDS exports already, which is not a clash.
        promote(project, scope, &interfaces, &mut interface, elaborator);
        interfaces.push(interface);
    }
    interfaces
}

/// Makes the names of a machine visible in one that refers to it.
fn import(project: &Project, scope: usize, link: &Link, elaborator: &mut Elaborator<'_>) {
    // Declarations of the scope itself are in `entries` already, so the cases below only decide which names from elsewhere are added.
    let passed_on: Vec<(String, Entry)> = {
        let entries = &elaborator.names.scopes[link.to].entries;
        entries.iter().filter(|(_, entry)| entry.is_passed_on).map(|(name, entry)| (name.clone(), entry.clone())).collect()
    };
    // In a refinement check a variable of a refined machine yields to one of the machine below with the same name.
    let sides = &elaborator.names.sides;
    // 0 for the refinement, 1 for the refined machine, 2 for the one further up.
    let side = |meaning: Meaning| match meaning {
        Meaning::Variable(id) => Some(sides.partition_point(|&first| first <= id.0)),
        _ => None,
    };
    let is_near = |origin: usize| origin == scope || project.instances[scope].links.iter().any(|link| link.to == origin);
    let entries = &mut elaborator.names.scopes[scope].entries;
    for (name, entry) in passed_on {
        let is_variable = matches!(entry.meaning, Meaning::Variable(_));
        let name = if is_variable { format!("{}{name}", link.prefix) } else { name };
        // SEES is not transitive for variables: who sees a machine does not see what that one sees.
        let is_passed_on = !is_variable || link.kind.is_inclusion() || link.kind == LinkKind::Refines;
        match entries.get(&name) {
            // One machine reached along two paths.
            Some(known) if known.meaning == entry.meaning => {}
            Some(known) if side(known.meaning).zip(side(entry.meaning)).is_some_and(|(known, new)| known != new) => {
                if side(entry.meaning) < side(known.meaning) {
                    entries.insert(name, Entry { is_own: false, is_passed_on, ..entry });
                }
            }
            // Of two variables that are not in the state, that of the refined machine gives way.
            Some(known) if link.kind == LinkKind::Refines && side(known.meaning).is_some() && side(entry.meaning) > Some(0) => {}
            // Both are declared here or in a machine that is named here: a clash that the author of this text can see.
            Some(known) if is_near(known.origin) && is_near(entry.origin) => {
                let diagnostic = if known.origin == scope {
                    duplicate(&name, known.span, entry.span)
                } else {
                    Diagnostic::error(Code::DuplicateName, link.span, format!("`{name}` comes from two machines"))
                        .label("the second one comes with this")
                        .also(known.span, "declared here")
                        .also(entry.span, "and here")
                };
                elaborator.diagnostics.push(diagnostic);
            }
            // Names from indirect references yield to direct ones; of two indirect ones the later wins.
            Some(known) if is_near(known.origin) => {}
            _ => {
                // A variable that stays one of the refinement is assigned there as its own.
                let is_own = link.kind == LinkKind::Refines && entry.is_own;
                entries.insert(name, Entry { is_own, is_passed_on, ..entry });
            }
        }
    }
}

/// Declares a machine's own operations; local ones are not exported.
fn add_operations<'a>(project: &Project, scope: usize, clauses: &'a Clauses, elaborator: &mut Elaborator<'a>) -> Interface {
    let mut interface = Interface::new();
    for operation in clauses.operations.iter().chain(&clauses.local_operations) {
        // Also of a parameter and a result: both are bound in the body, where one would hide the other.
        elaborator.diagnostics.extend(repeated(operation.results.iter().chain(&operation.parameters)));
    }
    for operation in &clauses.operations {
        let name = &operation.name;
        if let Some(&first) = interface.get(&name.text) {
            let first = elaborator.operations[first].1.name.span;
            elaborator.diagnostics.push(duplicate(&name.text, name.span, first));
            continue;
        }
        let id = elaborator.operations.len();
        elaborator.operations.push((scope, operation));
        elaborator.names.scopes[scope]
            .operations
            .insert(name.text.clone(), Callable { operation: id, only_reads: false, is_own: true, other: None });
        interface.insert(name.text.clone(), id);
    }
    // Looked up only, never iterated over.
    let mut local: HashMap<&str, Span> = HashMap::new();
    for operation in &clauses.local_operations {
        let name = &operation.name;
        if let Some(first) = local.insert(&name.text, name.span) {
            elaborator.diagnostics.push(duplicate(&name.text, name.span, first));
            continue;
        }
        match interface.shift_remove(&name.text) {
            // In an implementation a local operation is specified in one clause and written in the other; calls run the latter.
            Some(written) => add_specification(written, operation, project.instances[scope].is_live, elaborator),
            None => {
                let id = elaborator.operations.len();
                elaborator.operations.push((scope, operation));
                let callable = Callable { operation: id, only_reads: false, is_own: false, other: None };
                elaborator.names.scopes[scope].operations.insert(name.text.clone(), callable);
            }
        }
    }
    interface
}

/// Uses the specification of a local operation for its precondition, which holds for each call, and reports that the rest of it is not
/// checked.
fn add_specification<'a>(written: usize, specification: &'a Operation, is_live: bool, elaborator: &mut Elaborator<'a>) {
    let name = &specification.name;
    let operation = elaborator.operations[written].1;
    let (wanted, given) = (specification.parameters.len(), operation.parameters.len());
    if (wanted, specification.results.len()) != (given, operation.results.len()) {
        let title = format!("`{}` has other parameters or results in LOCAL_OPERATIONS", name.text);
        elaborator.diagnostics.push(
            Diagnostic::error(Code::WrongArgumentCount, operation.name.span, title).label("written here").also(name.span, "specified here"),
        );
        return;
    }
    elaborator.specifications.insert(written, specification);
    // A machine that is not run needs no warning: the specification of a refined machine is reported when that one is checked.
    if is_live {
        let title = format!("that the local operation `{}` does what LOCAL_OPERATIONS says is not checked", name.text);
        elaborator.leave_unchecked(
            Diagnostic::warning(Code::NotChecked, name.span, title)
                .label("specified here")
                .also(operation.name.span, "calls run this")
                .help("only its precondition is, where it is called"),
            NotChecked {
                name: name.text.clone(),
                formula: specification.span,
                span: name.span,
                reason: "calls run what OPERATIONS says; of LOCAL_OPERATIONS only the precondition is checked",
                leaves_open: false,
            },
        );
    }
}

/// Makes the operations of a machine callable in one that refers to it, and exports them too if it is extended.
fn offer(project: &Project, scope: usize, link: &Link, offered: &Interface, interface: &mut Interface, elaborator: &mut Elaborator<'_>) {
    if link.kind == LinkKind::Refines {
        return;
    }
    let only_reads = !link.kind.is_inclusion();
    for (name, &operation) in offered {
        let name = format!("{}{name}", link.prefix);
        let callable = &mut elaborator.names.scopes[scope].operations;
        let known = callable.entry(name.clone()).or_insert(Callable { operation, only_reads, is_own: false, other: None });
        if known.operation == operation {
            // One operation reached along two paths: the one that allows more counts, whichever comes first.
            known.only_reads &= only_reads;
        } else {
            // Two operations may have one name as long as nothing uses it. Neither wins: that would depend on the order of the references.
            known.other.get_or_insert(operation);
        }
        if link.kind != LinkKind::Extends {
            continue;
        }
        if let Some(&own) = interface.get(&name) {
            let (own, other) = (elaborator.operations[own].1.name.span, elaborator.operations[operation].1.name.span);
            let extended = &project.machine(link.to).name.text;
            elaborator.diagnostics.push(
                Diagnostic::error(Code::DuplicateName, own, format!("the operation `{name}` comes from `{extended}` too"))
                    .label("declared here")
                    .also(other, "and here")
                    .also(link.span, "all operations of this machine are offered"),
            );
        } else {
            interface.insert(name, operation);
        }
    }
}

/// Offers the operations that PROMOTES names.
fn promote(project: &Project, scope: usize, interfaces: &[Interface], interface: &mut Interface, elaborator: &mut Elaborator<'_>) {
    let lists = project.machine(scope).clauses.iter().filter_map(|clause| match &clause.kind {
        ClauseKind::Promotes(names) => Some(names),
        _ => None,
    });
    let links = &project.instances[scope].links;
    let inclusions = || links.iter().filter(|link| link.kind.is_inclusion());
    for name in lists.flatten() {
        // `PROMOTES a.op` is found in the machine included as a.M: its interface has `op`.
        let mut found = inclusions().filter_map(|link| {
            let inner = name.text.strip_prefix(link.prefix.as_str())?;
            interfaces[link.to].get(inner).copied()
        });
        let first = found.next();
        // Not one that is reached along two paths.
        if let Some((first, other)) = first.and_then(|first| Some((first, found.find(|other| *other != first)?))) {
            let places = [first, other].map(|id| elaborator.operations[id].1.name.span);
            elaborator.diagnostics.push(ambiguous(name, "promoted here", places));
            continue;
        }
        match first {
            None => {
                let offered: Vec<String> =
                    inclusions().flat_map(|link| interfaces[link.to].keys().map(move |inner| format!("{}{inner}", link.prefix))).collect();
                elaborator.diagnostics.push(unknown_promotion(name, &offered));
            }
            Some(operation) => match interface.get(&name.text) {
                // One operation may be promoted twice, or promoted and extended.
                Some(&known) if known != operation => {
                    let first = elaborator.operations[known].1.name.span;
                    elaborator.diagnostics.push(duplicate(&name.text, name.span, first));
                }
                _ => {
                    interface.insert(name.text.clone(), operation);
                }
            },
        }
    }
}

fn unknown_promotion(name: &Name, offered: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnknownOperation, name.span, format!("no included machine has an operation `{}`", name.text))
        .label("promoted here");
    match nearest(&name.text, offered.iter().map(String::as_str)) {
        Some(near) => similar(near).added(diagnostic, &name.text),
        None if offered.is_empty() => diagnostic.help("PROMOTES names operations of machines in INCLUDES or IMPORTS"),
        None => diagnostic.help(format!("the operations that can be promoted are {}", offered.join(", "))),
    }
}
