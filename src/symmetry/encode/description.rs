//! The values inside a symbolic set, which a permutation moves and a state graph looks into.
//!
//! Invariant: [`map`] visits every value that a description holds, in one fixed order, and keeps everything else; the match
//! is exhaustive, so a new kind of description does not compile before its values are listed here.

use bcheck_value::{Symbolic, Value};
use std::sync::Arc;

/// A description with its values taken out, and these.
pub(crate) fn opened(symbolic: &Symbolic) -> (Value, Vec<Value>) {
    let mut inner = Vec::new();
    let shape = map(symbolic, &mut |value| {
        inner.push(value.clone());
        // Any value that is the same everywhere.
        Value::Bool(false)
    });
    (Value::Symbolic(Arc::new(shape)), inner)
}

/// The same description with every value inside replaced by `change` of it.
pub(crate) fn map(symbolic: &Symbolic, change: &mut dyn FnMut(&Value) -> Value) -> Symbolic {
    match symbolic {
        Symbolic::Integers(_) | Symbolic::Interval(..) | Symbolic::Strings | Symbolic::Free { .. } => symbolic.clone(),
        Symbolic::Power { base, nonempty, finite } => Symbolic::Power { base: change(base), nonempty: *nonempty, finite: *finite },
        Symbolic::Product(a, b) => Symbolic::Product(change(a), change(b)),
        Symbolic::Functions(kind, a, b) => Symbolic::Functions(*kind, change(a), change(b)),
        Symbolic::Sequences(kind, a) => Symbolic::Sequences(*kind, change(a)),
        Symbolic::Struct(fields) => Symbolic::Struct(fields.iter().map(|(name, value)| (name.clone(), change(value))).collect()),
        Symbolic::Identity(a) => Symbolic::Identity(change(a)),
        Symbolic::Transitive(a) => Symbolic::Transitive(change(a)),
        Symbolic::Domain(a) => Symbolic::Domain(change(a)),
        Symbolic::Union(a, b) => Symbolic::Union(change(a), change(b)),
        Symbolic::Intersection(a, b) => Symbolic::Intersection(change(a), change(b)),
        Symbolic::Difference(a, b) => Symbolic::Difference(change(a), change(b)),
        Symbolic::Inverse(a) => Symbolic::Inverse(change(a)),
        Symbolic::Compose(a, b) => Symbolic::Compose(change(a), change(b)),
        Symbolic::Override(a, b) => Symbolic::Override(change(a), change(b)),
        Symbolic::DomainRestrict(a, b, subtract) => Symbolic::DomainRestrict(change(a), change(b), *subtract),
        Symbolic::RangeRestrict(a, b, subtract) => Symbolic::RangeRestrict(change(a), change(b), *subtract),
        Symbolic::DirectProduct(a, b) => Symbolic::DirectProduct(change(a), change(b)),
        Symbolic::ParallelProduct(a, b) => Symbolic::ParallelProduct(change(a), change(b)),
        Symbolic::Closure { plan, captured } => Symbolic::Closure { plan: *plan, captured: captured.iter().map(change).collect() },
    }
}
