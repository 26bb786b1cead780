//! The values inside a symbolic set, which a state graph has as vertices.
//!
//! Invariant: descriptions with one shape differ only in these values. Deliberately elsewhere: which values a form contains, and in what
//! order (`Symbolic::map`, by which a permutation moves them).

use bcheck_value::{Symbolic, Value};
use std::sync::Arc;

/// A description without its values, and these values.
pub(crate) fn opened(symbolic: &Symbolic) -> (Value, Vec<Value>) {
    let mut inner = Vec::new();
    let shape = symbolic.map(&mut |value| {
        inner.push(value.clone());
        // Any value that is the same everywhere.
        Value::Bool(false)
    });
    (Value::Symbolic(Arc::new(shape)), inner)
}
