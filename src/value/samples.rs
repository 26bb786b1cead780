//! A few values of an infinite type, to be tried where nothing bounds a name.
//!
//! Invariant: the samples depend on the type alone. Deliberately elsewhere: enumeration of all values (`space`, `eval`).

use super::{Set, Value};
use bcheck_ir::Type;

/// More integers, for where a witness decides: small ones, as a function that is defined by recursion may be applied to them.
pub fn more_integers() -> impl Iterator<Item = Value> {
    (6..=200).chain([255, 256, 257]).chain((-100..=-4).rev()).map(Value::integer)
}

/// A few values of an infinite type.
pub fn samples(ty: &Type) -> Vec<Value> {
    match ty {
        // Around 0, where conditions on numbers most often change their truth value. Numbers of the text are tried as well
        // (`eval::order`).
        Type::Integer => (-3..=5).map(Value::integer).collect(),
        Type::String => ["", "a"].map(Value::string).to_vec(),
        Type::Pair(first, second) => {
            let seconds = samples(second);
            samples(first).iter().flat_map(|first| seconds.iter().map(|second| Value::pair(first.clone(), second.clone()))).collect()
        }
        // The one set that every type of sets has; nothing suggests larger ones.
        Type::Set(_) => vec![Value::Set(Set::empty())],
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        // Given sets are finite, and so enumerated; records and free types are not sampled.
        Type::Given(_) | Type::Record(_) | Type::Free(_) => Vec::new(),
    }
}
