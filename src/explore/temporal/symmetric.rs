//! Which symmetries of a machine a temporal formula preserves: those under which each of its propositions is invariant.
//!
//! `F {x = a} & F {x = b}` is symmetric in a and b, and yet no state may represent its image under that transposition: the graph of
//! representatives would not show whether a or b came first. So each proposition must be preserved separately, not just their conjunction.
//! The quotient by a group that preserves all propositions is bisimilar to the full graph.
//! Invariant: all names of the formula are part of the text that symmetry is read from. Deliberately elsewhere: how a text shows its
//! symmetries (`symmetry::group`), which values of a quantified name need a formula of their own (`instances`).

use crate::Options;
use bcheck_eval::Machine;
use bcheck_ir::temporal::{
    FairnessKind, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalFormula, TemporalKind, TemporalProposition,
};
use bcheck_ir::{Comparison, Expr, LocalId, Model, Operation, Pred, PredKind, Subst, SubstKind, Type};
use bcheck_source::Span;
use bcheck_symmetry::Symmetry;

/// The symmetries under which formulas may be judged together.
pub(super) fn keeping(machine: &Machine, options: &Options, formulas: &[&TemporalFormula]) -> Symmetry {
    let mut model = machine.model().clone();
    let mut kept = KeptParts::default();
    for formula in formulas {
        kept.formula(&formula.body);
    }
    kept.write(&mut model);
    // Symmetry is found as for the machine itself: the propositions are additional text to be preserved.
    options.symmetry_of_model(&model, machine.scope())
}

/// The parts of formulas that symmetries must preserve separately.
#[derive(Default)]
struct KeptParts {
    /// By proposition: its parts.
    parts: Vec<Vec<Pred>>,
    /// Quantified names around.
    bound: Vec<(LocalId, Type)>,
}

impl KeptParts {
    /// Makes an operation of each proposition, with the proposition as its guard. Symmetry distinguishes operations by their names, so no
    /// permutation is found that preserves them only together; the operations are never run.
    fn write(&self, model: &mut Model) {
        for (number, parts) in self.parts.iter().enumerate() {
            let span = parts.first().map_or(Span::nowhere(), |part| part.span);
            let skip = Subst { kind: SubstKind::Skip, span };
            // One branch for each part: neither order nor number of them is lost.
            let nested = parts
                .iter()
                .rev()
                .fold(skip, |body, part| Subst { kind: SubstKind::Pre { pred: part.clone(), body: Box::new(body), is_guard: true }, span });
            let operation = Operation { parameters: Vec::new(), results: Vec::new(), body: nested, span };
            model.operations.insert(format!("$proposition {number}"), operation);
        }
    }

    fn push(&mut self, parts: Vec<Pred>) {
        // A free name ranges over all its values: a permutation preserves the part if it does so for every value.
        let close = |part: Pred| match self.bound.is_empty() {
            true => part,
            false => Pred { span: part.span, kind: PredKind::Exists(self.bound.clone(), Box::new(part)) },
        };
        let parts: Vec<Pred> = parts.into_iter().map(close).collect();
        // The formula of a property pattern repeats its arguments.
        if !self.parts.contains(&parts) {
            self.parts.push(parts);
        }
    }

    fn formula(&mut self, formula: &Temporal) {
        let mut binds = false;
        match &formula.kind {
            TemporalKind::Proposition(TemporalProposition::State(proposition)) => self.state(proposition),
            TemporalKind::Proposition(TemporalProposition::Step(proposition)) => match proposition {
                StepProposition::Taken(pattern) => self.patterns(std::slice::from_ref(pattern)),
                StepProposition::Compared(_, expr) => self.push(vec![mention(expr)]),
                StepProposition::BeforeAfter(pred) => self.push(vec![pred.clone()]),
            },
            TemporalKind::Prefixed(prefix, _) => match prefix {
                Prefix::Path { step, .. } => self.patterns(step.as_slice()),
                Prefix::Quantified { local, ty, condition, .. } => {
                    binds = true;
                    self.bound.push((*local, ty.clone()));
                    // The condition decides which values are included, so it must be preserved as well, for the values that are quantified
                    // later.
                    self.push(vec![condition.clone()]);
                }
                Prefix::Fair(fairness) => {
                    for kind in fairness {
                        match kind {
                            FairnessKind::Of { alternatives, .. } => alternatives.iter().for_each(|patterns| self.patterns(patterns)),
                            // It concerns all instances equally, and names none.
                            FairnessKind::Every { .. } => {}
                        }
                    }
                }
            },
            TemporalKind::Constant(_) | TemporalKind::Unary(..) | TemporalKind::Binary(..) => {}
        }
        formula.parts().for_each(|part| self.formula(part));
        if binds {
            self.bound.pop();
        }
    }

    fn state(&mut self, proposition: &StateProposition) {
        match proposition {
            StateProposition::Holds(pred) => self.push(vec![pred.clone()]),
            StateProposition::Enabled(pattern) => self.patterns(std::slice::from_ref(pattern)),
            StateProposition::NoneEnabled(patterns)
            | StateProposition::OneEnabled(patterns)
            | StateProposition::AtMostOneEnabled(patterns) => self.patterns(patterns),
            // A permutation that preserves the machine preserves these.
            StateProposition::Deadlock | StateProposition::Sink | StateProposition::Current => {}
        }
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            // Operations have the same names under every symmetry; only arguments can break one.
            let arguments: Vec<Pred> = pattern.arguments.iter().flatten().map(mention).collect();
            if !arguments.is_empty() {
                self.push(arguments);
            }
        }
    }
}

/// A predicate that a permutation preserves exactly if it preserves the expression.
fn mention(expr: &Expr) -> Pred {
    let side = || Box::new(expr.clone());
    Pred { kind: PredKind::Compare(Comparison::Equal, side(), side()), span: expr.span }
}
