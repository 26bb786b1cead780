//! Declarations of the texts: the outline, the declaration of a name, completion.
//!
//! Invariant: everything comes from the trees, so it works in a machine with errors; a name of an operation is visible only inside it.
//! Deliberately elsewhere: types (`hover`), names bound by formulas and substitutions (`locals`).

use super::analysis::Understood;
use super::declared::{Declared, covers};
use super::{locals, position};
use bcheck_ir::Model;
use bcheck_source::{FileId, SourceMap, Span};
use bcheck_syntax::{
    self as syntax,
    ast::{Clause, ClauseKind, Definition, Machine, Name, Operation, SetDeclarationKind},
};
use lsp_types::{CompletionItem, CompletionItemKind, DocumentSymbol, SymbolKind};
use std::collections::BTreeMap;

fn all<'a>(names: &'a [Name], kind: SymbolKind, word: &'static str) -> Vec<Declared<'a>> {
    names.iter().map(|name| Declared::new(name, kind, word)).collect()
}

/// The names that a clause declares.
fn of_clause(clause: &Clause) -> Vec<Declared<'_>> {
    match &clause.kind {
        ClauseKind::Sets(sets) => sets
            .iter()
            .flat_map(|set| {
                let elements = match &set.kind {
                    SetDeclarationKind::Enumerated(elements) => all(elements, SymbolKind::ENUM_MEMBER, "element"),
                    SetDeclarationKind::Deferred | SetDeclarationKind::ByDefinition(_) => Vec::new(),
                };
                std::iter::once(Declared::new(&set.name, SymbolKind::ENUM, "set")).chain(elements)
            })
            .collect(),
        ClauseKind::Freetypes(types) => types
            .iter()
            .flat_map(|free| {
                let cases = free.cases.iter().map(|(case, _)| Declared::new(case, SymbolKind::ENUM_MEMBER, "constructor"));
                std::iter::once(Declared::new(&free.name, SymbolKind::ENUM, "free type")).chain(cases)
            })
            .collect(),
        ClauseKind::Constants(names, _) => all(names, SymbolKind::CONSTANT, "constant"),
        ClauseKind::Variables(names, _) => all(names, SymbolKind::VARIABLE, "variable"),
        ClauseKind::Definitions(definitions) => of_definitions(definitions),
        ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => operations
            .iter()
            .flat_map(|operation| {
                let whole = Declared { whole: operation.span, ..Declared::new(&operation.name, SymbolKind::FUNCTION, "operation") };
                std::iter::once(whole).chain(of_operation(operation))
            })
            .collect(),
        ClauseKind::Refines(_)
        | ClauseKind::Sees(_)
        | ClauseKind::Uses(_)
        | ClauseKind::Includes(_)
        | ClauseKind::Extends(_)
        | ClauseKind::Imports(_)
        | ClauseKind::Promotes(_)
        | ClauseKind::Constraints(_)
        | ClauseKind::Properties(_)
        | ClauseKind::Invariant(_)
        | ClauseKind::Assertions(_)
        | ClauseKind::Initialisation(_)
        | ClauseKind::Values(_) => Vec::new(),
    }
}

fn of_operation(operation: &Operation) -> impl Iterator<Item = Declared<'_>> {
    let parameters = operation.parameters.iter().map(|name| (name, "parameter"));
    let results = operation.results.iter().map(|name| (name, "result"));
    parameters
        .chain(results)
        .map(|(name, word)| Declared { within: Some(operation.span), ..Declared::new(name, SymbolKind::VARIABLE, word) })
}

/// The names of definitions.
pub(super) fn of_definitions(definitions: &[Definition]) -> Vec<Declared<'_>> {
    let define = |definition| match definition {
        &Definition::Include(_) => None,
        Definition::Macro { name, .. } => Some(Declared::new(name, SymbolKind::FUNCTION, "definition")),
    };
    definitions.iter().filter_map(define).collect()
}

/// The names that a machine declares, including its own name.
pub(super) fn of_machine(machine: &Machine) -> Vec<Declared<'_>> {
    let mut declared = vec![Declared::new(&machine.name, SymbolKind::MODULE, "machine")];
    declared.extend(all(&machine.parameters, SymbolKind::TYPE_PARAMETER, "machine parameter"));
    declared.extend(machine.clauses.iter().flat_map(of_clause));
    declared
}

/// The names visible in a text: its own first, then those of definition files, then of other machines.
pub(super) fn visible(understood: &Understood) -> impl Iterator<Item = Declared<'_>> {
    let own = understood.machine.iter().flat_map(of_machine).chain(of_definitions(&understood.definitions));
    let files = understood.others.definition_files.iter().flat_map(|(_, _, definitions)| of_definitions(definitions));
    let others = understood.others.machines.iter().flat_map(of_machine).filter(|declared| declared.within.is_none());
    own.chain(files).chain(others)
}

/// The declaration of the name at a place: the innermost one.
pub(super) fn declaration<'a>(understood: &'a Understood, word: &str, offset: usize) -> Option<Declared<'a>> {
    if let Some(bound) = locals::bound_at(understood, offset).into_iter().rev().find(|bound| bound.name.text == word) {
        return Some(bound);
    }
    let find = |word: &str, is_of_others: bool| {
        visible(understood)
            .filter(|declared| !is_of_others || declared.name.span.file != FileId(0))
            .filter(|declared| declared.name.text == word && declared.within.is_none_or(|within| covers(within, offset)))
            // `false` is less: a parameter of the operation hides a variable. Ties are resolved in favour of the first, so own names hide
            // those of others.
            .min_by_key(|declared| declared.within.is_none())
    };
    // `shelf.put` is `put` of the machine included under the name `shelf`, even if there is an own operation of that name.
    find(word, false).or_else(|| word.rsplit_once('.').and_then(|(_, last)| find(last, true)))
}

/// The declaration of the name at an offset, or the file that it names.
pub(super) fn definition(understood: &Understood, offset: usize) -> Option<Span> {
    if let Some(file) = included_file(understood, offset) {
        return Some(Span::new(file, 0, 0));
    }
    let (_, word) = position::word_at(understood.text(), offset)?;
    declaration(understood, word, offset).map(|declared| declared.name.span)
}

/// The definition file whose name is at an offset.
fn included_file(understood: &Understood, offset: usize) -> Option<FileId> {
    let clauses = understood.machine.iter().flat_map(|machine| &machine.clauses);
    let included = clauses.filter_map(|clause| match &clause.kind {
        ClauseKind::Definitions(definitions) => Some(definitions),
        _ => None,
    });
    let named = included.flatten().find_map(|definition| match definition {
        Definition::Include(name) if covers(name.span, offset) => Some(&name.text),
        _ => None,
    })?;
    understood.others.definition_files.iter().find(|(name, ..)| name == named).map(|(_, file, _)| *file)
}

/// The outline of a text, by clause.
pub(super) fn outline(understood: &Understood) -> Vec<DocumentSymbol> {
    let sources = &understood.sources;
    let Some(machine) = &understood.machine else {
        return of_definitions(&understood.definitions).iter().map(|declared| leaf(sources, declared)).collect();
    };
    let clauses = machine.clauses.iter().map(|clause| {
        let mut children: Vec<DocumentSymbol> =
            // Parameters and results belong to their operation, and are left out.
            of_clause(clause).iter().filter(|declared| declared.within.is_none()).map(|declared| leaf(sources, declared)).collect();
        children.extend(referred(clause).into_iter().map(|name| leaf(sources, &Declared::new(name, SymbolKind::MODULE, "machine"))));
        symbol(sources, sources.text(clause.keyword), None, SymbolKind::NAMESPACE, (clause.span, clause.keyword), children)
    });
    let children = clauses.collect();
    // MACHINE, REFINEMENT or IMPLEMENTATION, as written.
    let kind = sources.text(machine.span).split_whitespace().next().map(str::to_owned);
    vec![symbol(sources, &machine.name.text, kind, SymbolKind::MODULE, (machine.span, machine.name.span), children)]
}

/// The machines that a clause names.
fn referred(clause: &Clause) -> Vec<&Name> {
    match &clause.kind {
        ClauseKind::Refines(reference) => vec![&reference.machine],
        ClauseKind::Sees(references)
        | ClauseKind::Uses(references)
        | ClauseKind::Includes(references)
        | ClauseKind::Extends(references)
        | ClauseKind::Imports(references) => references.iter().map(|reference| &reference.machine).collect(),
        _ => Vec::new(),
    }
}

fn leaf(sources: &SourceMap, declared: &Declared<'_>) -> DocumentSymbol {
    let detail = Some(declared.word.to_owned());
    symbol(sources, &declared.name.text, detail, declared.kind, (declared.whole, declared.name.span), Vec::new())
}

/// Editors refuse symbols without a name, and those whose name lies outside their range.
fn symbol(
    sources: &SourceMap,
    name: &str,
    detail: Option<String>,
    kind: SymbolKind,
    (whole, name_span): (Span, Span),
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    #[allow(deprecated, reason = "the field must be written, even without a value")]
    DocumentSymbol {
        name: if name.is_empty() { "?".to_owned() } else { name.to_owned() },
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: position::range(sources, whole.to(name_span)),
        selection_range: position::range(sources, name_span),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

/// All completions at a place, in alphabetical order: visible names, those of the whole model (including names of included machines),
/// keywords. The editor filters them.
pub(super) fn completions(understood: &Understood, model: Option<&Model>, offset: usize) -> Vec<CompletionItem> {
    let mut found: BTreeMap<String, (CompletionItemKind, &str)> = BTreeMap::new();
    for keyword in syntax::keywords() {
        found.insert(keyword.to_owned(), (CompletionItemKind::KEYWORD, "keyword"));
    }
    if let Some(model) = model {
        let constants = model.constants.keys().map(|name| (name, (CompletionItemKind::CONSTANT, "constant")));
        let variables = model.variables.keys().map(|name| (name, (CompletionItemKind::VARIABLE, "variable")));
        found.extend(constants.chain(variables).map(|(name, what)| (name.clone(), what)));
    }
    // From the trees, so that it works in a text with errors and without a model.
    let visible = visible(understood).filter(|declared| declared.within.is_none_or(|within| covers(within, offset)));
    // Each insertion replaces an entry of the same name: names bound around the place come last, and win.
    for declared in visible.chain(locals::bound_at(understood, offset)) {
        let kind = match declared.kind {
            SymbolKind::ENUM => CompletionItemKind::ENUM,
            SymbolKind::ENUM_MEMBER => CompletionItemKind::ENUM_MEMBER,
            SymbolKind::CONSTANT => CompletionItemKind::CONSTANT,
            SymbolKind::FUNCTION => CompletionItemKind::FUNCTION,
            SymbolKind::MODULE => CompletionItemKind::MODULE,
            SymbolKind::TYPE_PARAMETER => CompletionItemKind::TYPE_PARAMETER,
            _ => CompletionItemKind::VARIABLE,
        };
        found.insert(declared.name.text.clone(), (kind, declared.word));
    }
    let item = |(label, (kind, word)): (String, (CompletionItemKind, &str))| CompletionItem {
        label,
        kind: Some(kind),
        detail: Some(word.to_owned()),
        ..CompletionItem::default()
    };
    found.into_iter().map(item).collect()
}
