//! Fairness of every operation with every tuple of arguments, as assumptions about single calls: what threads are held against.
//!
//! Invariant: the calls are those of the full space, so that no symmetry hides one; as literals of the formula their arguments are kept
//! by whatever symmetry is left. So nothing that names stand for is exchanged.

use super::super::substitution::literal;
use crate::walk::walk_graph;
use crate::{GraphEdge, GraphState, GraphVisitor, Options};
use bcheck_eval::Machine;
use bcheck_ir::OperationId;
use bcheck_ir::temporal::{FairnessKind, Pattern, Prefix, Temporal, TemporalFormula, TemporalKind};
use bcheck_source::Span;
use bcheck_symmetry::Mode;
use bcheck_value::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A formula in which fairness of every call is fairness of each call of the machine.
pub(super) fn assumed_of_every_call(machine: &Machine, options: &Options, formula: &TemporalFormula) -> TemporalFormula {
    let mut formula = formula.clone();
    let Some(kinds) = fairness_of(&mut formula.body) else { return formula };
    if !kinds.iter().any(|kind| matches!(kind, FairnessKind::Every { .. })) {
        return formula;
    }
    let calls = calls(machine, options);
    for kind in kinds {
        if let FairnessKind::Every { is_strong, span } = *kind {
            // One assumption for each call, in conjunction: that an operation is taken with other arguments does not help this one.
            let patterns = calls.iter().map(|(operation, arguments)| pattern(machine, *operation, arguments, span));
            *kind = FairnessKind::Of { is_strong, alternatives: vec![patterns.collect()] };
        }
    }
    formula
}

/// The fairness that a formula assumes, below quantifiers.
fn fairness_of(formula: &mut Temporal) -> Option<&mut Vec<FairnessKind>> {
    match &mut formula.kind {
        TemporalKind::Prefixed(Prefix::Fair(kinds), _) => Some(kinds),
        TemporalKind::Prefixed(Prefix::Quantified { .. }, body) => fairness_of(body),
        _ => None,
    }
}

fn pattern(machine: &Machine, operation: OperationId, arguments: &[Value], span: Span) -> Pattern {
    let (_, declared) = machine.model().operations.get_index(operation.index()).expect("a step is one of an operation");
    let typed = declared.parameters.iter().zip(arguments);
    let arguments = typed.map(|((_, _, ty), value)| Some(literal(value, ty, span).expect("arguments are finite values")));
    Pattern { operation, arguments: arguments.collect(), span }
}

/// All calls that some state of the full space allows.
fn calls(machine: &Machine, options: &Options) -> BTreeSet<(OperationId, Vec<Value>)> {
    // A call that only an image of a representative allows is a call as well.
    let options = Options { symmetry: Mode::Off, ..options.clone() };
    let mut calls = Calls::default();
    let totals = walk_graph(machine, &options.symmetry_of(machine), &options, usize::MAX, &mut calls).expect("all calls can be listed");
    assert!(totals.is_complete, "no limit is set");
    calls.0
}

/// Collects the calls of a graph.
#[derive(Default)]
struct Calls(BTreeSet<(OperationId, Vec<Value>)>);

impl GraphVisitor for Calls {
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
