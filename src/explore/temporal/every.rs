//! Fairness of every operation with every tuple of arguments, as assumptions about single calls.
//!
//! Invariant: the calls are those of the full space, so that no symmetry hides one; as literals of the formula their arguments are kept
//! by whatever symmetry is left. This is the plain way, which gives up the symmetry of all arguments. Deliberately elsewhere: fairness of
//! named operations (`propositions`).

use super::instances::{Unwritten, literal};
use crate::eval::Machine;
use crate::explore::walk::walk_graph;
use crate::explore::{GraphEdge, GraphState, GraphVisitor, Options};
use crate::ir::OperationId;
use crate::ir::temporal::{FairnessKind, Linear, LinearKind, Pattern, TemporalBody, TemporalFormula};
use crate::source::Span;
use crate::symmetry::Mode;
use crate::value::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A formula in which fairness of every call is fairness of each call of the machine.
pub(super) fn assumed_of_every_call(machine: &Machine, options: &Options, formula: &TemporalFormula) -> Result<TemporalFormula, Unwritten> {
    let mut formula = formula.clone();
    let TemporalBody::Linear(linear) = &mut formula.body else { return Ok(formula) };
    let Some(kinds) = fairness_of(linear) else { return Ok(formula) };
    if !kinds.iter().any(|kind| matches!(kind, FairnessKind::Every { .. })) {
        return Ok(formula);
    }
    let calls = calls(machine, options)?;
    for kind in kinds {
        if let FairnessKind::Every { is_strong, span } = *kind {
            let patterns = calls.iter().map(|(operation, arguments)| Ok(vec![pattern(machine, *operation, arguments, span)?]));
            *kind = FairnessKind::Of { is_strong, patterns: patterns.collect::<Result<_, _>>()? };
        }
    }
    Ok(formula)
}

/// The fairness that a formula assumes, below quantifiers.
fn fairness_of(linear: &mut Linear) -> Option<&mut Vec<FairnessKind>> {
    match &mut linear.kind {
        LinearKind::Fair(kinds, _) => Some(kinds),
        LinearKind::Quantified { body, .. } => fairness_of(body),
        _ => None,
    }
}

fn pattern(machine: &Machine, operation: OperationId, arguments: &[Value], span: Span) -> Result<Pattern, Unwritten> {
    let (_, declared) = machine.model().operations.get_index(operation.index()).expect("a step is one of an operation");
    let typed = declared.parameters.iter().zip(arguments);
    let arguments = typed.map(|((_, _, ty), value)| literal(value, ty, span).map(Some).ok_or(Unwritten::NoLiteral));
    Ok(Pattern { operation, arguments: arguments.collect::<Result<_, _>>()?, span })
}

/// All calls that some state of the full space allows.
fn calls(machine: &Machine, options: &Options) -> Result<BTreeSet<(OperationId, Vec<Value>)>, Unwritten> {
    let options = Options { symmetry: Mode::Off, ..options.clone() };
    let mut calls = Calls::default();
    let limit = options.limits.states.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let totals = walk_graph(machine, &options.symmetry_of(machine), &options, limit, &mut calls).map_err(Unwritten::Endless)?;
    if totals.is_complete { Ok(calls.0) } else { Err(Unwritten::Limit) }
}

/// Collects the calls of a graph.
#[derive(Default)]
struct Calls(BTreeSet<(OperationId, Vec<Value>)>);

impl GraphVisitor for Calls {
    fn begin(&mut self, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn state(&mut self, _: &GraphState<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn edge(&mut self, edge: &GraphEdge<'_>) -> ControlFlow<()> {
        if let Some(operation) = edge.step.operation {
            self.0.insert((operation, edge.step.arguments.clone()));
        }
        ControlFlow::Continue(())
    }
}
