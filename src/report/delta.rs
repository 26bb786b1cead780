//! Deltas: how one value differs from another of the same type, as elements of sets, items of sequences, images of functions, fields of
//! records.
//!
//! Invariant: a delta applied to the first value yields the second one. There is none between equal values. Deliberately elsewhere: how
//! they are shown (`changes`, `html`).

use super::notation::Notation;
use bcheck_value::{Set, Value, relation, sequence};
use std::sync::Arc;

/// How a value differs from one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delta {
    /// It is replaced by another value.
    Replaced(Value),
    /// Elements of a set are removed and added.
    Elements {
        /// The removed ones.
        removed: Vec<Value>,
        /// The added ones.
        added: Vec<Value>,
    },
    /// Items of a sequence are removed and added at one place, so that its length changes.
    Items {
        /// The number of items before the place.
        at: usize,
        /// The removed ones.
        removed: Vec<Value>,
        /// The added ones.
        added: Vec<Value>,
    },
    /// Arguments of a function are removed, added, or get other values, in their order.
    Images(Vec<(Value, Image)>),
    /// Fields of a record change.
    Fields(Vec<(Arc<str>, Delta)>),
}

/// The change of an argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// It gets this value, and had none before.
    Added(Value),
    /// It had this value, and has none any more.
    Removed(Value),
    /// Its value changes.
    Changed(Box<Delta>),
}

impl Delta {
    /// The delta from one value to another one; none if they are equal.
    pub(crate) fn between(before: &Value, after: &Value, notation: &Notation) -> Option<Self> {
        if before == after {
            return None;
        }
        let replaced = || Self::Replaced(after.clone());
        Some(match (before, after) {
            // Equal elements may look different if they are descriptions.
            _ if before.holds_description() || after.holds_description() => replaced(),
            (Value::Set(one), Value::Set(other)) => {
                if is_sequence(before, after, notation) {
                    items(one).zip(items(other)).map_or_else(replaced, |items| Self::of_items((one, other), items, notation))
                } else if is_function(one) && is_function(other) {
                    Self::Images(images(one, other, notation.of_image()))
                } else {
                    let only = |set: &Set, lacking: &Set| set.iter().filter(|value| !lacking.contains(value)).collect();
                    Self::Elements { removed: only(one, other), added: only(other, one) }
                }
            }
            (Value::Record(one), Value::Record(other)) => {
                let mut fields = Vec::new();
                for ((name, one), (_, other)) in one.iter().zip(other.iter()) {
                    fields.extend(Self::between(one, other, notation.of_field(name)).map(|delta| (name.clone(), delta)));
                }
                Self::Fields(fields)
            }
            _ => replaced(),
        })
    }

    /// The delta of two sequences with these items: those of one length change item by item.
    fn of_items((one, other): (&Set, &Set), (before, after): (Vec<Value>, Vec<Value>), notation: &Notation) -> Self {
        if before.len() == after.len() {
            return Self::Images(images(one, other, notation.of_image()));
        }
        let alike = |pairs: &mut dyn Iterator<Item = (&Value, &Value)>| pairs.take_while(|(one, other)| one == other).count();
        let at = alike(&mut before.iter().zip(&after));
        let kept = alike(&mut before[at..].iter().rev().zip(after[at..].iter().rev()));
        let between = |items: &[Value]| items[at..items.len() - kept].to_vec();
        Self::Items { at, removed: between(&before), added: between(&after) }
    }

    /// The value after the delta.
    pub(crate) fn applied(&self, before: &Value) -> Value {
        match (self, before) {
            (Self::Elements { removed, added }, Value::Set(set)) => {
                let kept = set.iter().filter(|value| !removed.contains(value));
                Value::set(kept.chain(added.iter().cloned()).collect())
            }
            (Self::Items { at, removed, added }, Value::Set(set)) => {
                let mut all = items(set).unwrap_or_default();
                all.splice(*at..at + removed.len(), added.iter().cloned());
                Value::Set(sequence::from_sequence(all))
            }
            (Self::Images(images), Value::Set(set)) => {
                let change = |argument: &Value| images.iter().find(|(changed, _)| changed == argument).map(|(_, image)| image);
                let mut pairs = Vec::new();
                for member in set.iter() {
                    let Some((argument, value)) = member.as_pair() else { continue };
                    match change(argument) {
                        None | Some(Image::Added(_)) => pairs.push(member.clone()),
                        Some(Image::Removed(_)) => {}
                        Some(Image::Changed(delta)) => pairs.push(Value::pair(argument.clone(), delta.applied(value))),
                    }
                }
                let added = images.iter().filter_map(|(argument, image)| match image {
                    Image::Added(value) => Some(Value::pair(argument.clone(), value.clone())),
                    Image::Removed(_) | Image::Changed(_) => None,
                });
                pairs.extend(added);
                Value::set(pairs)
            }
            (Self::Fields(changes), Value::Record(fields)) => {
                let field = |(name, value): &(Arc<str>, Value)| {
                    let change = changes.iter().find(|(changed, _)| changed == name);
                    (name.clone(), change.map_or_else(|| value.clone(), |(_, delta)| delta.applied(value)))
                };
                Value::Record(fields.iter().map(field).collect())
            }
            (Self::Replaced(after), _) => after.clone(),
            // Of another type, which cannot occur between values of one type.
            (Self::Elements { .. } | Self::Items { .. } | Self::Images(_) | Self::Fields(_), other) => other.clone(),
        }
    }
}

/// Whether either is a sequence by its type; where the type does not determine it, whether both look like one.
fn is_sequence(before: &Value, after: &Value, notation: &Notation) -> bool {
    let is_empty = |value: &Value| value.as_set().is_some_and(Set::is_empty);
    match (is_empty(before), is_empty(after)) {
        (true, _) => notation.is_sequence(after),
        (_, true) => notation.is_sequence(before),
        _ => notation.is_sequence(before) && notation.is_sequence(after),
    }
}

/// The items of a sequence.
pub(super) fn items(set: &Set) -> Option<Vec<Value>> {
    if set.is_empty() { Some(Vec::new()) } else { sequence::as_sequence(set) }
}

/// Whether a set is a function; the empty set is one.
pub(super) fn is_function(set: &Set) -> bool {
    set.iter().all(|member| member.as_pair().is_some()) && (set.is_empty() || relation::is_function(set))
}

/// The changes of the arguments of two functions, in their order.
fn images(one: &Set, other: &Set, notation: &Notation) -> Vec<(Value, Image)> {
    let image = |of: &Set, argument: &Value| if of.is_empty() { None } else { relation::related(of, argument).next().cloned() };
    let mut arguments: Vec<Value> =
        one.iter().chain(other.iter()).filter_map(|member| member.as_pair().map(|(argument, _)| argument.clone())).collect();
    arguments.sort_unstable();
    arguments.dedup();
    let change = |argument: Value| {
        let change = match (image(one, &argument), image(other, &argument)) {
            (None, Some(value)) => Image::Added(value),
            (Some(value), None) => Image::Removed(value),
            (Some(before), Some(after)) => Image::Changed(Box::new(Delta::between(&before, &after, notation)?)),
            (None, None) => return None,
        };
        Some((argument, change))
    };
    arguments.into_iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests;
