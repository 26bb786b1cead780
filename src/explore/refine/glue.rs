//! Which values of the refined machines' variables the gluing invariant states as equations.
//!
//! If values of a choice of the refined machine are left out, the value required by an equation is tried all the same; and if all variables
//! have equations, a state that was found is the only one. Invariant: an equation counts only if the check tests it, and reads nothing but
//! constants, the refinement, and variables that have equations before it. Deliberately elsewhere: the test (`step`, `ascent`).

use super::step::Product;
use super::{Demands, Matching};
use crate::thresholds::GLUED_VALUES;
use bcheck_eval::{CompiledExpr, Machine};
use bcheck_ir::{Comparison, Expr, ExprKind, Node, Pred, PredKind, Refinement, VariableId, walk_expr};
use bcheck_value::Value;
use std::collections::BTreeSet;

/// The equations.
#[derive(Default)]
pub(super) struct Glue {
    /// The place of a variable, and its value.
    equations: Vec<(usize, CompiledExpr)>,
    /// The number of places of a valuation.
    places: usize,
    /// Whether each variable of the refined machines has an equation.
    pub(super) determines_all: bool,
}

impl<'a> Product<'a> {
    pub(super) fn new(machine: &'a Machine, refinement: &'a Refinement, demands: Demands) -> Self {
        let glue = Glue::of(machine, refinement, demands.matching);
        Self { machine, refinement, matching: demands.matching, refusals: demands.refusals, glue }
    }
}

impl Glue {
    fn of(machine: &Machine, refinement: &Refinement, matching: Matching) -> Self {
        if matching == Matching::Trace {
            return Self::default();
        }
        let model = machine.model();
        let constants = model.constants.len();
        let first_of_level = |place: usize| refinement.levels.iter().rev().map(|level| level.variables.start).find(|start| *start <= place);
        // Conjuncts of a machine further up about itself alone are not tested.
        let own = model.invariant.iter().map(|conjunct| (&conjunct.pred, false));
        let further_up = refinement.assumed.iter().map(|conjunct| (&conjunct.pred, true));
        let mut open: Vec<(usize, &Expr, bool)> = Vec::new();
        for (pred, is_further_up) in own.chain(further_up) {
            each_equation(pred, &mut |left, right| {
                for (side, value) in [(left, right), (right, left)] {
                    if let ExprKind::Variable(variable) = side.kind {
                        open.push((constants + variable.index(), value, is_further_up));
                    }
                }
            });
        }
        let mut known: BTreeSet<usize> = BTreeSet::new();
        let mut equations = Vec::new();
        let is_abstract = |place: &usize| refinement.abstracts.contains(place);
        while let Some(at) = open.iter().position(|(place, value, is_further_up)| {
            let read: Vec<usize> = variables(value).into_iter().map(|variable| constants + variable.index()).collect();
            let is_tested = !is_further_up || read.iter().any(|read| Some(*read) < first_of_level(*place));
            is_abstract(place) && !known.contains(place) && is_tested && read.iter().all(|read| !is_abstract(read) || known.contains(read))
        }) {
            let (place, value, _) = open.swap_remove(at);
            known.insert(place);
            equations.push((place, machine.compile_expr(value)));
        }
        Self { equations, places: constants + model.variables.len(), determines_all: known.len() == refinement.abstracts.len() }
    }

    /// The values of the refined machines' variables required by a state of the refinement, as far as they are known, and elements of
    /// those that are sets.
    pub(super) fn wanted(&self, concrete: &[Value]) -> Vec<Value> {
        let mut state = concrete.to_vec();
        // Places without a known value are not read.
        state.resize(self.places.max(concrete.len()), Value::Bool(false));
        let (mut wanted, mut elements) = (Vec::new(), Vec::new());
        for (place, value) in &self.equations {
            // Without a value the equation is tested, and its error reported, by the check.
            let Ok(value) = value.evaluate(&state) else { break };
            if let Value::Set(set) = &value {
                elements.extend(set.iter().take(GLUED_VALUES.get()));
            }
            wanted.push(value.clone());
            state[*place] = value;
        }
        wanted.extend(elements);
        wanted.truncate(GLUED_VALUES.get());
        wanted
    }
}

fn each_equation<'p>(pred: &'p Pred, visit: &mut dyn FnMut(&'p Expr, &'p Expr)) {
    match &pred.kind {
        PredKind::And(parts) => parts.iter().for_each(|part| each_equation(part, visit)),
        PredKind::Compare(Comparison::Equal, left, right) => visit(left, right),
        _ => {}
    }
}

fn variables(expr: &Expr) -> Vec<VariableId> {
    let mut found = Vec::new();
    walk_expr(expr, &mut |node| {
        if let Node::Expr(Expr { kind: ExprKind::Variable(variable), .. }) = node {
            found.push(*variable);
        }
    });
    found
}
