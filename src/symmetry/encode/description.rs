//! The values inside a symbolic set, which a state graph looks into.
//!
//! Invariant: descriptions with one shape differ in these values alone. Deliberately elsewhere: which values a form holds, and in what
//! order (`Symbolic::map`, by which a permutation moves them).

use bcheck_value::{Symbolic, Value};
use std::sync::Arc;

/// A description with its values taken out, and these.
pub(crate) fn opened(symbolic: &Symbolic) -> (Value, Vec<Value>) {
    let mut inner = Vec::new();
    let shape = symbolic.map(&mut |value| {
        inner.push(value.clone());
        // Any value that is the same everywhere.
        Value::Bool(false)
    });
    (Value::Symbolic(Arc::new(shape)), inner)
}
