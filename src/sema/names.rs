//! What a name means: bound names, then sets, elements, constants and variables; and the nearest name when it means nothing.
//!
//! Invariant: inner scopes hide outer ones; a global name is declared once. Deliberately elsewhere: definitions, which are gone
//! by now (`expand`), and operations, which have a name space of their own (`calls`).

use crate::ir::{ConstantId, GivenSetKind, LocalId, Model, SetId, VariableId};
use crate::source::{Code, Diagnostic, Span};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Local(LocalId),
    Set(SetId),
    Element(SetId, u32),
    Constant(ConstantId),
    Variable(VariableId),
}

/// A bound name.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) id: LocalId,
    /// Result parameters and VAR locals may be assigned; everything else may not.
    pub(super) assignable: bool,
    /// In `x : (P)`, what `x$0` stands for.
    pub(super) old: Option<Meaning>,
}

/// The names visible at one point.
#[derive(Default)]
pub(super) struct Names {
    globals: HashMap<String, (Meaning, Span)>,
    /// Innermost last.
    pub(super) bound: Vec<Bound>,
    /// PROPERTIES and CONSTRAINTS do not see variables.
    pub(super) hide_variables: bool,
    /// Definitions and operations, for suggestions only.
    pub(super) others: Vec<String>,
}

impl Names {
    /// The global names of a finished model.
    pub(super) fn of_model(model: &Model) -> Self {
        let mut names = Self::default();
        for (index, (name, set)) in model.sets.iter().enumerate() {
            let id = SetId(u16::try_from(index).expect("the model's sets have ids"));
            names.globals.insert(name.clone(), (Meaning::Set(id), set.span));
            if let GivenSetKind::Enumerated(elements) = &set.kind {
                for (element, index) in elements.iter().zip(0..) {
                    names.globals.insert(element.clone(), (Meaning::Element(id, index), set.span));
                }
            }
        }
        for ((name, declaration), index) in model.constants.iter().zip(0..) {
            names.globals.insert(name.clone(), (Meaning::Constant(ConstantId(index)), declaration.span));
        }
        for ((name, declaration), index) in model.variables.iter().zip(0..) {
            names.globals.insert(name.clone(), (Meaning::Variable(VariableId(index)), declaration.span));
        }
        names
    }

    /// Declares a global name, or says where it was declared before.
    pub(super) fn declare(&mut self, name: &str, meaning: Meaning, span: Span) -> Result<(), Diagnostic> {
        if let Some((_, first)) = self.globals.get(name) {
            return Err(duplicate(name, span, *first));
        }
        self.globals.insert(name.to_owned(), (meaning, span));
        Ok(())
    }

    /// The name of a variable.
    pub(super) fn variable_name(&self, id: VariableId) -> String {
        let named = self.globals.iter().filter(|(_, (meaning, _))| *meaning == Meaning::Variable(id)).map(|(name, _)| name.clone());
        named.min().unwrap_or_else(|| "?".to_owned())
    }

    /// What a name means here.
    pub(super) fn lookup(&self, name: &str) -> Option<Meaning> {
        if let Some(bound) = self.bound(name) {
            return Some(Meaning::Local(bound.id));
        }
        self.global(name)
    }

    /// The innermost bound name.
    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        self.bound.iter().rev().find(|bound| bound.name == name)
    }

    fn global(&self, name: &str) -> Option<Meaning> {
        let (meaning, _) = self.globals.get(name)?;
        let hidden = self.hide_variables && matches!(meaning, Meaning::Variable(_));
        (!hidden).then_some(*meaning)
    }

    /// The diagnostic for a name that means nothing here.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        if let Some((Meaning::Variable(_), declared)) = self.globals.get(name).filter(|_| self.hide_variables) {
            return Diagnostic::error(Code::UnknownName, span, format!("the variable `{name}` is not visible here"))
                .label("this clause speaks of constants and sets only")
                .also(*declared, "declared here")
                .help("move the predicate to INVARIANT, or declare a constant");
        }
        let diagnostic = Diagnostic::error(Code::UnknownName, span, format!("nothing declares `{name}`")).label("unknown name");
        let globals = self.globals.keys().map(String::as_str).filter(|name| self.global(name).is_some());
        let candidates = self.bound.iter().map(|bound| bound.name.as_str()).chain(globals).chain(self.others.iter().map(String::as_str));
        match nearest(name, candidates) {
            Some(near) => diagnostic.help(format!("a similar name is `{near}`")),
            None => diagnostic,
        }
    }
}

/// The diagnostic for a name declared twice.
pub(super) fn duplicate(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, span, format!("`{name}` is declared twice"))
        .label("declared again here")
        .also(first, "first declared here")
}

/// The candidate with the smallest edit distance, if it is small for the length of the name; ties go to the first in
/// alphabetical order.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| candidate.chars().count().abs_diff(name.chars().count()) <= limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| (1..=limit).contains(distance) && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_only_when_it_is_near() {
        let names = ["phonebook", "Name", "Code", "db"];
        assert_eq!(nearest("phonbook", names.into_iter()), Some("phonebook"));
        assert_eq!(nearest("Nam", names.into_iter()), Some("Name"));
        assert_eq!(nearest("x", names.into_iter()), None);
        assert_eq!(nearest("temperature", names.into_iter()), None);
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
