//! Which states are reachable: whether counterexamples to induction are states of the machine, or of its invariant only.
//!
//! Invariant: "not reachable" is reported only after all reachable states were visited. Symmetric states are reachable together, so
//! representatives are compared. Deliberately elsewhere: where the states come from (`examiner`).

use super::found::{Example, Induction, Reachability};
use crate::{GraphState, GraphVisitor, Options, walk_graph};
use bcheck_eval::{EvalError, Machine};
use bcheck_symmetry::{Scratch, Symmetry};
use bcheck_value::Valuation;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// Determines for each example that begins in a state whether that is reachable, as far as at most `limit` representatives show it.
///
///
/// When something cannot be enumerated.
pub fn reach_examples(machine: &Machine, symmetry: &Symmetry, limit: usize, found: &mut Induction) -> Result<(), EvalError> {
    let mut scratch = Scratch::interruptible(machine.interrupt());
    let mut representative = |example: &Example| symmetry.canonical(&example.before, &mut scratch).state;
    let begins = |example: &&mut Example| !example.before.is_empty();
    let wanted: FxHashMap<Valuation, Option<usize>> =
        found.examples_mut().filter(begins).map(|example| (representative(example), None)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut targets = Targets { missing: wanted.len(), wanted };
    let totals = walk_graph(machine, symmetry, &Options::default(), limit, &mut targets)?;
    // Without a unique representative, a state that was not found may have been visited under another one.
    let otherwise = if totals.is_complete && totals.is_exact { Reachability::Never } else { Reachability::Unknown };
    for example in found.examples_mut().filter(begins) {
        example.reached = Some(targets.wanted[&representative(example)].map_or(otherwise, Reachability::After));
    }
    Ok(())
}

/// The wanted states, each with its distance once it is found.
struct Targets {
    wanted: FxHashMap<Valuation, Option<usize>>,
    missing: usize,
}

impl GraphVisitor for Targets {
    fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
        if let Some(distance) = self.wanted.get_mut(state.state) {
            *distance = Some(state.depth);
            self.missing -= 1;
        }
        if self.missing == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
