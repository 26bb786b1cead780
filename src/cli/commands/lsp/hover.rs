//! The hover text under the cursor: the type and declaration of a name, the meaning of a sign or keyword.
//!
//! Types come from the expression of the typed model at the very place, otherwise from declarations of that name. Invariant: from a model
//! of an earlier version of the text only declarations are used, because its spans are no longer valid.

use super::analysis::Understood;
use super::declared::{Declared, covers};
use super::symbols::declaration;
use super::verdict::Verdict;
use super::{formulas, position};
use crate::help::language::language_words;
use crate::help::language_words::LanguageWords;
use bcheck_ir::{Expr, ExprKind, Model, Node, Type, walk_pred, walk_subst};
use bcheck_sema::type_text;
use bcheck_source::{FileId, Shown, Span};
use bcheck_syntax::ast::{ClauseKind, Definition, Machine, Name, Operation, SetDeclarationKind};
use bcheck_syntax::{WrittenKind, written};
use lsp_types::{Position, Range};

/// Definitions longer than this are truncated.
const LONGEST_TEXT: usize = 600;

/// The hover text of the name at a place, as Markdown, with its span. `older` is the model of the last version that had one.
pub(super) fn hover(understood: &Understood, older: Option<&Model>, offset: usize) -> Option<(String, Span)> {
    if let Some(found) = formulas::operator_at(understood, offset).or_else(|| in_words(understood, offset)) {
        return Some(found);
    }
    let (start, word) = position::word_at(understood.text(), offset)?;
    let span = Span::new(FileId(0), start, start + word.len());
    let model = understood.model.as_ref().or(older);
    let declared = declaration(understood, word, offset);
    let code = declared.as_ref().and_then(|declared| by_declaration(understood, model, declared));
    let ty = || {
        let model = model?;
        // The most precise source first: the expression at this place, then the name as bound around it, then the name in the whole model.
        let here = understood.model.as_ref().and_then(|fresh| at_place(fresh, span));
        let is_bound = declared.as_ref().filter(|declared| declared.is_bound);
        let named = || match is_bound {
            Some(declared) => of_bound(model, understood, declared),
            None => of_name(model, understood, word, offset),
        };
        here.or_else(named).map(|ty| type_text(model, &ty))
    };
    let code = match code {
        Some(code) => code,
        None => format!("{word} : {}", ty()?),
    };
    let words = match &declared {
        Some(declared) if declared.name.span.file == FileId(0) => format!("\n\n{}", declared.word),
        Some(declared) => format!("\n\n{}, {}", declared.word, file_name(understood, declared.name.span)),
        None => String::new(),
    };
    // A fenced block, which editors colour like the text of a file.
    Some((Shown::lines(&format!("```b\n{code}\n```{words}")).to_string(), span))
}

/// The meaning of the sign or keyword at a place.
fn in_words(understood: &Understood, offset: usize) -> Option<(String, Span)> {
    let token = written(understood.text()).into_iter().find(|token| token.place.contains(&offset))?;
    let (WrittenKind::Keyword(word) | WrittenKind::Sign(word)) = token.kind else { return None };
    let LanguageWords { form, meaning, example, .. } = language_words(word)?;
    let text = format!("```b\n{form}\n```\n\n{meaning}\n\n```b\n{example}\n```");
    Some((text, Span::new(FileId(0), token.place.start, token.place.end)))
}

/// Why the finding of a check at a place is false there, as Markdown, with the range of the finding.
pub(super) fn why(verdict: &Verdict, at: Position) -> Option<(String, Range)> {
    let range = verdict.place.filter(|range| range.start <= at && at <= range.end)?;
    // No line of it is a fence: all but the first are indented.
    (!verdict.why.is_empty()).then(|| (format!("```text\n{}\n{}```", verdict.title, verdict.why), range))
}

fn file_name(understood: &Understood, span: Span) -> String {
    let path = std::path::Path::new(&understood.sources.file(span.file).name);
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The header of an operation or definition.
pub(super) fn header(understood: &Understood, model: Option<&Model>, declared: &Declared<'_>) -> Option<String> {
    let is_callable = matches!(declared.word, "operation" | "definition");
    is_callable.then(|| by_declaration(understood, model, declared)).flatten().map(|text| Shown::lines(&text).to_string())
}

/// The declaration of a name that explains more than its type: of a definition, set, machine or operation.
fn by_declaration(understood: &Understood, model: Option<&Model>, declared: &Declared<'_>) -> Option<String> {
    let machines = || understood.machine.iter().chain(&understood.others.machines);
    let clauses = || machines().flat_map(|machine: &Machine| &machine.clauses);
    let is_it = |name: &Name| name.span == declared.name.span;
    match declared.word {
        "definition" => {
            let own = clauses().filter_map(|clause| match &clause.kind {
                ClauseKind::Definitions(definitions) => Some(definitions),
                _ => None,
            });
            let files = understood.others.definition_files.iter().map(|(_, _, definitions)| definitions);
            let mut all = own.chain(files).chain(std::iter::once(&understood.definitions)).flatten();
            let found = all.find(|definition| matches!(definition, Definition::Macro { name, .. } if is_it(name)))?;
            let mut text = found.to_string();
            if let Some((at, _)) = text.char_indices().nth(LONGEST_TEXT) {
                text.truncate(at);
                text.push('…');
            }
            Some(text)
        }
        "set" => clauses().find_map(|clause| match &clause.kind {
            ClauseKind::Sets(sets) => sets.iter().find(|set| is_it(&set.name)).map(|set| match &set.kind {
                SetDeclarationKind::Deferred => format!("{}  // a deferred set", set.name.text),
                SetDeclarationKind::Enumerated(elements) => {
                    let names: Vec<&str> = elements.iter().map(|element| element.text.as_str()).collect();
                    format!("{} = {{{}}}", set.name.text, names.join(", "))
                }
                SetDeclarationKind::ByDefinition(name) => format!("{} = {}", set.name.text, name.text),
            }),
            _ => None,
        }),
        "machine" => machines().find(|machine| is_it(&machine.name)).map(|machine| format!("MACHINE {}", machine.name.text)),
        "operation" => clauses().find_map(|clause| match &clause.kind {
            ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => {
                operations.iter().find(|operation| is_it(&operation.name)).map(|operation| signature(model, operation))
            }
            _ => None,
        }),
        _ => None,
    }
}

/// The header of an operation, with types if the model has them.
fn signature(model: Option<&Model>, operation: &Operation) -> String {
    // Operations of included machines may be prefixed in the model. An operation of another machine with the name of an own one is a
    // different operation.
    let is_it = |(name, typed): &(&String, &bcheck_ir::Operation)| {
        let last = name.rsplit('.').next().unwrap_or(name);
        last == operation.name.text && typed.span.file == operation.span.file
    };
    let typed = model.and_then(|model| Some((model, model.operations.iter().find(is_it)?.1)));
    let list = |names: &[Name]| -> String {
        let parts = names.iter().map(|name| {
            let known = typed.and_then(|(model, typed)| {
                let mut all = typed.parameters.iter().chain(&typed.results);
                all.find(|(known, ..)| *known == name.text).map(|(_, _, ty)| type_text(model, ty))
            });
            known.map_or_else(|| name.text.clone(), |ty| format!("{} : {ty}", name.text))
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let results = if operation.results.is_empty() { String::new() } else { format!("{} <-- ", list(&operation.results)) };
    let parameters = if operation.parameters.is_empty() { String::new() } else { format!("({})", list(&operation.parameters)) };
    format!("{results}{}{parameters}", operation.name.text)
}

/// The type of the expression with exactly this span.
fn at_place(model: &Model, span: Span) -> Option<Type> {
    let mut found = None;
    each_expr(model, &mut |expr| {
        if expr.span == span {
            // Inlined calls repeat the expressions of an operation; the first occurrence represents all.
            found.get_or_insert_with(|| expr.ty.clone());
        }
    });
    found
}

/// The type of a name in the model, or in the operation around a place.
fn of_name(model: &Model, understood: &Understood, word: &str, offset: usize) -> Option<Type> {
    let clauses = understood.machine.iter().flat_map(|machine| &machine.clauses);
    let operation = clauses
        .filter_map(|clause| match &clause.kind {
            ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => Some(operations),
            _ => None,
        })
        .flatten()
        .find(|operation| covers(operation.span, offset))
        .and_then(|operation| model.operations.get(&operation.name.text));
    let local = operation.and_then(|operation| operation.parameters.iter().chain(&operation.results).find(|(name, ..)| name == word));
    if let Some((_, _, ty)) = local {
        return Some(ty.clone());
    }
    model.constants.get(word).or_else(|| model.variables.get(word)).map(|declaration| declaration.ty.clone())
}

/// The type of a name bound by a formula or substitution: that of its next use.
fn of_bound(model: &Model, understood: &Understood, declared: &Declared<'_>) -> Option<Type> {
    // Spans are compared below, and those of an older model do not match.
    understood.model.as_ref()?;
    let mut nearest: Option<(u32, Type)> = None;
    each_expr(model, &mut |expr| {
        // Locals with equal names have different ids: only uses inside the construct that binds this name count, and of these the first one
        // behind its declaration.
        let is_it = matches!(expr.kind, ExprKind::Local(id) if model.local_name(id) == declared.name.text);
        let is_inside = declared.within.is_some_and(|within| covers(within, expr.span.start as usize));
        if is_it && expr.span.file == FileId(0) && is_inside && expr.span.start >= declared.name.span.start {
            let is_nearer = nearest.as_ref().is_none_or(|(start, _)| expr.span.start < *start);
            if is_nearer {
                nearest = Some((expr.span.start, expr.ty.clone()));
            }
        }
    });
    nearest.map(|(_, ty)| ty)
}

/// Every expression of a model.
pub(super) fn each_expr<'m>(model: &'m Model, visit: &mut dyn FnMut(&'m Expr)) {
    let mut visit = |node: Node<'m>| {
        if let Node::Expr(expr) = node {
            visit(expr);
        }
    };
    let conjuncts = model.properties.iter().chain(&model.invariant).map(|conjunct| &conjunct.pred);
    for pred in conjuncts.chain(model.assertions.iter().map(|assertion| &assertion.pred)).chain(&model.goal).chain(&model.expanded) {
        walk_pred(pred, &mut visit);
    }
    walk_subst(&model.initialisation, &mut visit);
    for operation in model.operations.values() {
        walk_subst(&operation.body, &mut visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::FolderArgs;
    use crate::commands::lsp::analysis::understand;
    use crate::project::OpenTexts;
    use std::path::Path;

    fn hovered(path: &Path, text: &str, part: &str) -> Option<String> {
        let understood = understand(path, text, &FolderArgs::default(), &OpenTexts::default());
        assert!(understood.model.is_some(), "{:?}", understood.diagnostics);
        hover(&understood, None, text.find(part).expect("a part of the text")).map(|(text, _)| text)
    }

    #[test]
    fn types_are_known_in_scope() {
        let text = "MACHINE m DEFINITIONS SCOPE == #y.(y : 0..x & y * 2 = x) VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0
            OPERATIONS up = x := x + 1 END";
        let found = hovered(Path::new("m.mch"), text, "y * 2").unwrap_or_default();
        assert!(found.contains("y : INTEGER"), "{found}");
    }

    #[test]
    fn an_operation_of_another_machine_has_not_the_types_of_an_own_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = "MACHINE Other VARIABLES s INVARIANT s : STRING INITIALISATION s := \"\" OPERATIONS put(a) = PRE a : STRING THEN s := a END END";
        std::fs::write(folder.path().join("Other.mch"), other).expect("a file");
        let text = |promotes: &str| {
            format!(
                "MACHINE m INCLUDES o.Other {promotes} VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
                OPERATIONS put(a) = PRE a : 0..3 THEN x := a END; both = BEGIN o.put(\"b\") END END"
            )
        };
        let found = |promotes: &str, part: &str| hovered(&folder.path().join("m.mch"), &text(promotes), part).unwrap_or_default();
        assert!(found("", "put(a)").contains("put(a : INTEGER)"));
        assert!(found("", "o.put").contains("```b\nput(a)\n```"), "{}", found("", "o.put"));
        assert!(found("PROMOTES o.put", "o.put(\"b").contains("put(a : STRING)"), "{}", found("PROMOTES o.put", "o.put(\"b"));
    }
}
