//! Sizes of deferred sets, MININT and MAXINT with which PROPERTIES have a solution, where they have none with the default ones.
//!
//! Invariant: settings of a user or the machine are never replaced, nor is anything where PROPERTIES have a solution, or may have one. As
//! few as possible change: bounds, else sizes, else both. Deliberately elsewhere: the defaults (`sema::scope`), which bounds are tried
//! (`wider_bounds`), and which sizes (`diagnose::other_sizes`).

use super::diagnose::other_sizes::{Answer, nearest_of, solvable};
use super::wider_bounds::{mentions_bounds, wider_bounds};
use crate::thresholds::FITTING_SCOPE_WORK;
use bcheck_ir::{Model, Scope, SetId};
use bcheck_source::{Code, Diagnostic};
use std::cell::Cell;
use std::sync::Arc;

/// The sizes and bounds without a setting.
#[derive(Clone, Debug, Default)]
pub struct Unset {
    /// Neither MININT nor MAXINT is set.
    pub bounds: bool,
    /// The deferred sets without a requested size.
    pub sizes: Vec<SetId>,
}

/// The scope to use, with notes about the changes; `scope_with` returns the scope with another MININT, or another MAXINT.
pub fn fitting_scope(
    model: &Model,
    scope: Scope,
    unset: &Unset,
    scope_with: &mut dyn FnMut(Option<i64>, Option<i64>) -> Option<Scope>,
) -> (Scope, Vec<Diagnostic>) {
    let is_bounded = unset.bounds && model.properties.iter().any(mentions_bounds);
    if model.properties.is_empty() || !is_bounded && unset.sizes.is_empty() {
        return (scope, Vec::new());
    }
    let model = &Arc::new(model.clone());
    if is_bounded && let Some((wider, note)) = wider_bounds(model, &scope, scope_with) {
        return (wider, vec![note]);
    }
    if unset.sizes.is_empty()
        || solvable(model, &scope, &Arc::default(), (&Cell::new(FITTING_SCOPE_WORK.get()), FITTING_SCOPE_WORK.get()))
            != Answer::Contradictory
    {
        return (scope, Vec::new());
    }
    let without = match nearest_of(model, &scope, &unset.sizes, &Arc::default()) {
        Ok(sizes) => return with_sizes(model, &scope, &sizes),
        Err(without) => without,
    };
    // Other sizes may need other bounds as well: those that cover the numbers of the text.
    let (least, greatest) = model.least_and_greatest_number();
    let bounds = (Some(least).filter(|least| *least < scope.minint), Some(greatest).filter(|greatest| *greatest > scope.maxint));
    if is_bounded
        && bounds != (None, None)
        && let Some(wider) = scope_with(bounds.0, bounds.1)
        && let Ok(sizes) = nearest_of(model, &wider, &unset.sizes, &Arc::default())
    {
        let (scope, mut notes) = with_sizes(model, &wider, &sizes);
        let message =
            format!("MININT = {} and MAXINT = {} cover the numbers of the text; PROPERTIES need this", scope.minint, scope.maxint);
        notes.extend(model.properties.iter().find(|conjunct| mentions_bounds(conjunct)).map(|conjunct| {
            Diagnostic::note(Code::BoundOfText, conjunct.pred.span, message).help("--minint and --maxint set other bounds")
        }));
        return (scope, notes);
    }
    let notes = unset.sizes.iter().filter_map(|set| none_with(model, &scope, *set, &without)).collect();
    (scope, notes)
}

/// The scope with these sizes, and a note about each.
fn with_sizes(model: &Model, scope: &Scope, sizes: &[(SetId, u32)]) -> (Scope, Vec<Diagnostic>) {
    let mut fitting = scope.clone();
    let mut notes = Vec::new();
    let before = sizes.iter().map(|(set, _)| format!("{} = {}", model.set_name(*set), scope.size(*set)));
    let before = before.collect::<Vec<_>>().join(", ");
    for &(set, size) in sizes {
        fitting.sizes[set.index()] = size;
        // A size for all sets may be a candidate: some already have it.
        if size != scope.size(set) {
            let name = model.set_name(set);
            let message =
                format!("{name} = {size}, the nearest size at which PROPERTIES can be satisfied; with {before} they have no solution");
            let note = Diagnostic::note(Code::SizeOfProperties, model.set(set).span, message);
            notes.push(note.help(format!("--deferred {name}=N sets another size")));
        }
    }
    (fitting, notes)
}

/// A note about the sizes of a set near the current one that also leave PROPERTIES without solution.
fn none_with(model: &Model, scope: &Scope, set: SetId, without: &[(SetId, u32)]) -> Option<Diagnostic> {
    let size = scope.size(set);
    let fails = |size: &u32| without.contains(&(set, *size));
    let most = (size + 1..).take_while(fails).last().unwrap_or(size);
    let least = (1..size).rev().take_while(fails).last().unwrap_or(size);
    let message = format!("PROPERTIES have no solution with {} = {least}..{most}", model.set_name(set));
    (least < most).then(|| Diagnostic::note(Code::SizeOfProperties, model.set(set).span, message))
}
