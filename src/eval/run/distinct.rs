//! The distinct values of some names in the bindings of a search.
//!
//! Invariant: each is visited once, in the order of the first bindings that have it. Deliberately elsewhere: the bindings (`search`).

use super::frame::{Flow, Frame};
use crate::EvalError;
use crate::plan::{Search, Slot};
use bcheck_value::{Renaming, Valuation, Value};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// How [`Frame::each_distinct`] visits bindings.
#[derive(Clone, Copy, Default)]
pub(crate) struct DistinctWish<'r> {
    /// The whole conjunction is evaluated on each binding as well.
    pub(crate) is_tested: bool,
    /// A binding whose conjunction is unknown is visited, and noted as an assumption (`Context::assume`).
    pub(crate) assumes_unknown: bool,
    /// Bindings may be left out that are images of others under these, by which the images of all bindings must be bindings.
    pub(crate) renamings: &'r [Renaming],
}

impl Frame<'_> {
    /// Visits the distinct values that some slots have in the bindings of a search; returns whether there are any, and why the conjunction
    /// has no value for others, if so.
    ///
    /// # Errors
    /// If a binding is unknown, after all others were visited, unless `wish` assumes such bindings. Ill-definedness is an error only if
    /// there is no binding.
    pub(crate) fn each_distinct(
        &mut self,
        search: &Search,
        slots: &[Slot],
        wish: DistinctWish<'_>,
        visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>,
    ) -> Result<(bool, Option<EvalError>), EvalError> {
        // Different bindings may give equal values once descriptions of sets are expanded.
        let (mut first, mut seen): (Option<Valuation>, FxHashSet<Valuation>) = (None, FxHashSet::default());
        // By slot, the last symbolic set and its expansion: most constants are the same in many bindings, and one list is shared.
        let mut expanded: Vec<Option<(Value, Value)>> = vec![None; slots.len()];
        self.run_choosing(search, wish.assumes_unknown, wish.renamings, &mut |frame| {
            if let Some(unknown) = frame.doubts.unknown_binding.take() {
                frame.context.assume(unknown);
            } else if wish.is_tested {
                match frame.holds(&search.source) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Flow::Continue),
                    Err(error) if wish.assumes_unknown && error.kind.is_undecided() => frame.context.assume(error),
                    Err(error) => return frame.doubts.disable(error, Flow::Continue),
                }
            }
            frame.chosen.accepted += 1;
            let mut values = Vec::with_capacity(slots.len());
            for (slot, last) in slots.iter().zip(&mut expanded) {
                let value = frame.get(*slot, search.span)?.clone();
                // Expanded, because equal sets must be equal values in `seen` and in states.
                match last {
                    Some((description, listed)) if matches!(value, Value::Symbolic(_)) && *description == value => {
                        values.push(listed.clone())
                    }
                    _ => {
                        let listed = frame.listed(value.clone(), search.span)?;
                        *last = matches!(value, Value::Symbolic(_)).then(|| (value, listed.clone()));
                        values.push(listed);
                    }
                }
            }
            // Values of a million elements take long to be hashed, so the only ones are not.
            let is_new = match &mut first {
                None => {
                    first = Some(values.clone());
                    true
                }
                Some(first) if *first == values => false,
                Some(_) => seen.insert(values.clone()),
            };
            Ok(if !is_new || visit(values).is_continue() { Flow::Continue } else { Flow::Stop })
        })?;
        match (self.doubts.undecided.take(), self.doubts.guard_error.take()) {
            (Some(unknown), _) => Err(unknown),
            // One solution outweighs bindings for which the conjunction has no value.
            (None, Some(error)) if first.is_none() => Err(error),
            (None, ill_defined) => Ok((first.is_some(), ill_defined)),
        }
    }
}
