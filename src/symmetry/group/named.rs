//! Permutations of elements that a machine names: the automorphisms of its text.
//!
//! Colour refinement comes first, which is cheap and mostly sufficient; the group is computed on the remaining elements.
//! Invariant: the group reported is Aut(text); groups of its prefixes are computed only to explain where symmetry breaks. A text for which
//! the group takes too long fixes all elements that it names, and the report has the reason.

use super::text::{self, Part};
use super::text_colours;
use super::well_defined::Trust;
use super::{Group, Movable, elements, of_value, order, relations};
use crate::permutation::Permutation;
use crate::thresholds::{EXPLAINED_NODES, NAMED_ELEMENTS, NAMED_NODES};
use crate::{Scratch, Symmetry};
use bcheck_ir::{Model, SetId};
use bcheck_source::Span;
use bcheck_value::{Element, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The permutations of named elements that preserve the text of a machine, and explanations of what they fix.
#[derive(Default)]
pub(super) struct NamedElements {
    /// By set: all elements that move; sets without any are left out.
    pub(crate) moved: BTreeMap<SetId, BTreeSet<u32>>,
    /// If not all permutations of these are symmetries: the group, and relations whose automorphism group it is.
    pub(crate) narrowed: Option<(Group, Vec<Value>)>,
    /// Generators that move named elements, as cycles of names.
    pub(crate) shown: Vec<String>,
    /// Reasons why the group is smaller than that of all permutations of the movable elements.
    pub(crate) why: Vec<(String, Option<Span>)>,
    /// By element that is distinguished from all others: the part of the text that does it, and the place in it.
    pub(crate) pinned: BTreeMap<(SetId, u32), (String, Span)>,
}

/// Finds the group of the text. `sets` are those that may move, with all their elements; `is_named` holds for those that the text names.
pub(super) fn find(model: &Model, trust: Trust, sets: Movable, is_named: &dyn Fn(SetId, u32) -> bool) -> NamedElements {
    let mut found = NamedElements::default();
    let elements: BTreeSet<Element> = elements(&sets).collect();
    if elements.is_empty() {
        return found;
    }
    let parts = text::parts(model, trust, &|element| elements.contains(&element));
    let colours = text_colours::colours(&whole(&parts), elements.iter().copied());
    let pinned: BTreeSet<Element> = text_colours::singled_out(&colours).collect();
    found.pinned = pins(&parts, &elements, &pinned);
    // No automorphism moves an element with a unique colour. Read as fixed, it makes the value smaller for the exact search.
    let open: BTreeSet<Element> = elements.difference(&pinned).copied().collect();
    let Some(first) = open.first() else { return found };
    let all = symmetry_of(&open);
    let parts = text::parts(model, trust, &|element| open.contains(&element));
    let value = whole(&parts);
    // The size of the value is known before the search, whose time is not.
    let group = if text::nodes(&value) <= NAMED_NODES.get() && open.len() <= NAMED_ELEMENTS.get() { of_value(&all, &value) } else { None };
    let Some(group) = group else {
        let set = model.set_name(first.set);
        found.why.push((format!("elements of {set} and others that are named stay: the text is too long to find their symmetries"), None));
        return found;
    };
    for element in open.iter().filter(|element| group.generators.iter().any(|generator| generator.element(**element) != **element)) {
        found.moved.entry(element.set).or_default().insert(element.index);
    }
    let moves_named =
        |permutation: &&Permutation| permutation.cycles().iter().flatten().any(|element| is_named(element.set, element.index));
    found.shown = group.generators.iter().filter(moves_named).map(|permutation| permutation.in_names(model)).collect();
    let movable: Movable = found.moved.iter().map(|(set, moved)| (*set, moved.iter().copied().collect())).collect();
    // Relations are determined on the movable elements; the others are fixed by all members of the group.
    match relations(&movable, &group, &value) {
        Some(relations) if relations.is_empty() => {}
        Some(relations) => {
            found.why.extend(narrowing(&all, &parts, &found.moved));
            found.narrowed = Some((group, relations));
        }
        // Without relations, states could not be labelled under this group.
        None => return NamedElements { pinned: found.pinned, ..NamedElements::default() },
    }
    found
}

/// All permutations of these elements.
fn symmetry_of(elements: &BTreeSet<Element>) -> Symmetry {
    let mut movable = Movable::new();
    for element in elements {
        match movable.last_mut().filter(|(set, _)| *set == element.set) {
            Some((_, indices)) => indices.push(element.index),
            None => movable.push((element.set, vec![element.index])),
        }
    }
    Symmetry::of_all(movable)
}

/// For each pinned element, the first part of the text that distinguishes it from all others.
fn pins(parts: &[Part], elements: &BTreeSet<Element>, pinned: &BTreeSet<Element>) -> BTreeMap<(SetId, u32), (String, Span)> {
    let mut found = BTreeMap::new();
    let mut met = BTreeSet::new();
    if text::nodes(&whole(parts)) > EXPLAINED_NODES.get() {
        return found;
    }
    for at in (0..parts.len()).filter(|at| !parts[*at].named.is_empty()) {
        if met.len() == pinned.len() {
            break;
        }
        // The elements distinguished by a shorter prefix are distinguished by a longer one as well, so each element first occurs at the
        // part that is the reason.
        let colours = text_colours::colours(&whole(&parts[..=at]), elements.iter().copied());
        for element in text_colours::singled_out(&colours) {
            let span = parts[at].named.get(&(element.set, element.index));
            // `met` is extended also where this part does not name the element: a later part is then not the reason.
            if let (true, Some(span)) = (met.insert(element), span) {
                found.insert((element.set, element.index), (parts[at].place.clone(), *span));
            }
        }
    }
    found
}

/// All parts as one value.
fn whole(parts: &[Part]) -> Value {
    Value::free(&"machine".into(), parts.iter().map(|part| part.value.clone()).reduce(Value::pair))
}

/// Sentences about the parts that make the group of the text before them smaller.
fn narrowing(all: &Symmetry, parts: &[Part], moved: &BTreeMap<SetId, BTreeSet<u32>>) -> Vec<(String, Option<Span>)> {
    let mut found = Vec::new();
    let mut before = all.group_order();
    let mut scratch = Scratch::default();
    for (at, part) in parts.iter().enumerate() {
        let mut named = part.named.iter();
        let Some((_, span)) = named.find(|((set, index), _)| moved.get(set).is_some_and(|moved| moved.contains(index))) else { continue };
        let Some(order) = order(all, &[whole(&parts[..=at])], &mut scratch) else { break };
        // Prefixes have descending groups, so an order that falls is due to this part.
        if order < before {
            found.push((format!("only {order} of {before} permutations of named elements keep {}", part.place), Some(*span)));
            before = order;
        }
    }
    found
}
