//! How two values differ.
//!
//! Invariant: an element reported for one side only is not on the other. Sets that contain symbolic sets are not compared element by
//! element, because equal elements may have different descriptions.

use super::{Clue, LISTED, ListedValues};
use bcheck_ir::Expr;
use bcheck_value::{Set, Value, relation};

/// The differences between the values of two sides.
pub(super) fn between((left, one): (&Expr, &Value), (right, other): (&Expr, &Value)) -> Vec<Clue> {
    match (one, other) {
        (Value::Set(one_set), Value::Set(other_set)) => {
            // For an empty set, the value of the other one is explanation enough.
            if one_set.is_empty() || other_set.is_empty() || one.holds_description() || other.holds_description() {
                return Vec::new();
            }
            of_sets((left, one_set), (right, other_set))
        }
        (Value::Record(one), Value::Record(other)) => {
            let pairs = one.iter().zip(other.iter()).filter(|((_, one), (_, other))| one != other);
            pairs.map(|((name, one), (_, other))| Clue::Field(name.to_string(), one.clone(), other.clone())).take(LISTED).collect()
        }
        _ => Vec::new(),
    }
}

fn of_sets((left, one): (&Expr, &Set), (right, other): (&Expr, &Set)) -> Vec<Clue> {
    let is_function = |set: &Set| set.iter().all(|member| member.as_pair().is_some()) && relation::is_function(set);
    let mut clues = Vec::new();
    let mut are_compared: Vec<Value> = Vec::new();
    if is_function(one) && is_function(other) {
        for member in one.iter() {
            let Some((argument, value)) = member.as_pair() else { continue };
            let Some(image) = relation::related(other, argument).next() else { continue };
            are_compared.push(argument.clone());
            if image != value && clues.len() < LISTED {
                clues.push(Clue::Images(argument.clone(), value.clone(), image.clone()));
            }
        }
    }
    let is_compared = |member: &Value| member.as_pair().is_some_and(|(argument, _)| are_compared.binary_search(argument).is_ok());
    let only = |of: &Expr, set: &Set, lacking: &Set| {
        let values = set.iter().filter(|member| !is_compared(member) && !lacking.contains(member));
        ListedValues::of(values).map(|values| Clue::OnlyIn(Box::new(of.clone()), values))
    };
    clues.extend(only(left, one, other));
    clues.extend(only(right, other, one));
    clues
}

/// An argument with two values, if there is one.
pub(super) fn two_images(pairs: &Set) -> Option<(Value, Value, Value)> {
    let mut before: Option<Value> = None;
    for member in pairs.iter() {
        if let (Some((argument, first)), Some((same, second))) = (before.as_ref().and_then(Value::as_pair), member.as_pair())
            && argument == same
        {
            return Some((argument.clone(), first.clone(), second.clone()));
        }
        before = Some(member);
    }
    None
}
