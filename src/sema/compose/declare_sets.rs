//! Declaration of given sets: new ones, and those identified with a set on the other side of a refinement.
//!
//! Invariant: a set has one id, under which each of its declarations is known. Deliberately elsewhere: which declarations mean the same set
//! (`declare`).

use super::declare::Declared;
use crate::elaborate::Elaborator;
use crate::names::{Meaning, duplicate};
use bcheck_ir::{GivenSet, GivenSetKind, SetId};
use bcheck_source::{Code, Diagnostic};
use bcheck_syntax::ast::Name;

impl Declared {
    pub(super) fn add_set(
        &mut self,
        name: &Name,
        elements: Option<Vec<Name>>,
        elaborator: &mut Elaborator<'_>,
        names: &mut Vec<(Name, Meaning)>,
    ) {
        let Ok(index) = u16::try_from(self.sets.len()) else {
            let title = format!("more than {} sets are not supported", self.sets.len());
            if !elaborator.diagnostics.iter().any(|known| known.title == title) {
                elaborator.diagnostics.push(Diagnostic::error(Code::NotSupportedEver, name.span, title).label("the first one too many"));
            }
            // No model is built from it. The names are declared, so that their uses are not reported.
            let id = SetId(u16::MAX);
            names.push((name.clone(), Meaning::Set(id)));
            let elements = elements.into_iter().flatten().zip(0..);
            names.extend(elements.map(|(element, index)| (element, Meaning::Element(id, index))));
            return;
        };
        let id = SetId(index);
        if let Some(first) = self.sets.get(&name.text) {
            elaborator.diagnostics.push(duplicate(&name.text, name.span, first.span));
            // The uses of the names in another text are not reported.
            if let Some(id) = self.sets.get_index_of(&name.text).and_then(|index| u16::try_from(index).ok()).map(SetId)
                && first.span.file != name.span.file
            {
                names.push((name.clone(), Meaning::Set(id)));
                let known: &[String] = if let GivenSetKind::Enumerated(known) = &first.kind { known } else { &[] };
                let number = |element: &Name| (0..).zip(known).find(|(_, name)| **name == element.text).map_or(0, |(number, _)| number);
                names.extend(elements.into_iter().flatten().map(|element| {
                    let meaning = Meaning::Element(id, number(&element));
                    (element, meaning)
                }));
            }
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

    /// Whether a set of that name is declared that lists the same elements.
    pub(super) fn is_listed_alike(&self, name: &Name, elements: Option<&[Name]>) -> bool {
        match (self.sets.get(&name.text).map(|known| &known.kind), elements) {
            (Some(GivenSetKind::Enumerated(known)), Some(elements)) => is_same_list(known, elements),
            _ => false,
        }
    }

    /// A set whose name is already that of a set on the other side of a refinement. Both have the same elements, or the set of the refined
    /// machine is deferred: then it gets the elements of the other one, if that is enumerated.
    pub(super) fn unite_set(
        &mut self,
        name: &Name,
        elements: Option<Vec<Name>>,
        is_refined: bool,
        elaborator: &mut Elaborator<'_>,
        names: &mut Vec<(Name, Meaning)>,
    ) {
        let Some((index, _, known)) = self.sets.get_full_mut(&name.text).filter(|(_, _, known)| match (&known.kind, &elements) {
            (GivenSetKind::Deferred, None) => true,
            (GivenSetKind::Deferred, Some(_)) => !is_refined,
            (GivenSetKind::Enumerated(_), None) => is_refined,
            (GivenSetKind::Enumerated(known), Some(elements)) => is_same_list(known, elements),
        }) else {
            return self.add_set(name, elements, elaborator, names);
        };
        let id = SetId(u16::try_from(index).expect("it has an id"));
        names.push((name.clone(), Meaning::Set(id)));
        if let (Some(elements), GivenSetKind::Enumerated(known)) = (&elements, &known.kind) {
            // In any order: an element has its number in the first declaration.
            let number = |element: &Name| (0..).zip(known).find(|(_, name)| **name == element.text).map(|(number, _)| number);
            let meaning = |element: &Name| Some((element.clone(), Meaning::Element(id, number(element)?)));
            names.extend(elements.iter().filter_map(meaning));
        } else if let Some(elements) = elements {
            names.extend(elements.iter().zip(0..).map(|(element, index)| (element.clone(), Meaning::Element(id, index))));
            known.kind = GivenSetKind::Enumerated(elements.into_iter().map(|element| element.text).collect());
        }
    }
}

fn is_same_list(known: &[String], elements: &[Name]) -> bool {
    known.len() == elements.len() && elements.iter().all(|element| known.contains(&element.text))
}
