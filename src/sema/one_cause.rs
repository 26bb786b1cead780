//! Many errors with one cause: a variable whose typing predicate is wrong does not fit where it is used.
//!
//! Invariant: a merged error replaces at least [`MANY`] others, none of which has a remedy at its own place. Deliberately elsewhere: the
//! errors themselves (`elaborate`).

use bcheck_source::{Code, Diagnostic, Span};
use indexmap::IndexMap;

/// This many clashing uses make the typing predicate suspicious; of fewer, each is more likely wrong by itself.
const MANY: usize = 3;
/// Uses that are shown.
const SHOWN: usize = 3;
/// How the origin of a type is labelled.
pub(super) const COMES_FROM_HERE: &str = " comes from here";
/// The remedy of an assignment that changes the typing, not the place of the error.
pub(super) const WRITE_SUBSET: &str = "write <: where it gets its type";

/// Puts one error at a typing predicate in the place of those about uses that do not fit it.
pub(super) fn merge(diagnostics: &mut Vec<Diagnostic>) {
    let mut groups: IndexMap<(Span, String), Vec<usize>> = IndexMap::new();
    for (at, diagnostic) in diagnostics.iter().enumerate() {
        if let [origin] = origins(diagnostic).as_slice() {
            groups.entry(origin.clone()).or_default().push(at);
        }
    }
    // Of two origins, one that several uses point to alone is the culprit.
    let alone: IndexMap<(Span, String), usize> = groups.iter().map(|(origin, members)| (origin.clone(), members.len())).collect();
    for (at, diagnostic) in diagnostics.iter().enumerate() {
        let origins = origins(diagnostic);
        let culprit = origins.iter().filter(|origin| alone.get(*origin).is_some_and(|uses| *uses > 1)).max_by_key(|origin| alone[*origin]);
        if let Some(culprit) = culprit.filter(|_| origins.len() > 1) {
            groups.entry(culprit.clone()).or_default().push(at);
        }
    }
    let mut merged = Vec::new();
    let mut left_out = Vec::new();
    for ((place, ty), members) in groups.into_iter().filter(|(_, members)| members.len() >= MANY) {
        merged.push(of_typing(place, &ty, &members.iter().map(|at| &diagnostics[*at]).collect::<Vec<_>>()));
        // Applications that fail because of the same type.
        let follows = |diagnostic: &Diagnostic| {
            diagnostic.code == Code::NotAFunction && diagnostic.labels.first().is_some_and(|label| label.text == format!("this is {ty}"))
        };
        left_out.extend(members);
        left_out.extend((0..diagnostics.len()).filter(|at| follows(&diagnostics[*at])));
    }
    let mut at = 0;
    diagnostics.retain(|_| {
        at += 1;
        !left_out.contains(&(at - 1))
    });
    diagnostics.extend(merged);
}

/// The predicates that fixed types which do not fit here, with the types, unless there is a remedy here.
fn origins(diagnostic: &Diagnostic) -> Vec<(Span, String)> {
    if diagnostic.code != Code::TypeClash || diagnostic.fixes.iter().any(|fix| fix.title != WRITE_SUBSET) {
        return Vec::new();
    }
    let labels = diagnostic.labels.iter().skip(1);
    labels.filter_map(|label| Some((label.span, label.text.strip_suffix(COMES_FROM_HERE)?.to_owned()))).collect()
}

/// The error at the typing predicate.
fn of_typing(place: Span, ty: &str, uses: &[&Diagnostic]) -> Diagnostic {
    let title = format!("the type {ty} that this gives fits none of {} uses", uses.len());
    let mut error = Diagnostic::error(Code::TypeClash, place, title).label(format!("{ty}{COMES_FROM_HERE}"));
    let wanted: Vec<String> = uses.iter().filter_map(|found| wanted(found, ty)).collect();
    for (found, wanted) in uses.iter().zip(&wanted).take(SHOWN) {
        error = error.also(found.span(), format!("used as {wanted}"));
    }
    let is_of_pairs = wanted.iter().any(|wanted| wanted.contains('*'));
    let is_of_sets = wanted.iter().all(|wanted| wanted.starts_with("POW("));
    if is_of_pairs {
        error = error.help("a relation is typed as r : S <-> T, a function as f : S +-> T (partial) or f : S --> T (total)");
    } else if is_of_sets {
        let fix = uses.iter().find_map(|found| found.fixes.iter().find(|fix| fix.title == WRITE_SUBSET).cloned());
        error = error.help("a set of elements of S is typed as s <: S, one element as x : S").fixes(fix);
    }
    error
}

/// The type that a use needs.
fn wanted(found: &Diagnostic, ty: &str) -> Option<String> {
    let (one, other) = found.title.strip_prefix("the types ")?.strip_suffix(" do not fit")?.split_once(" and ")?;
    Some(if one == ty { other } else { one }.to_owned())
}
