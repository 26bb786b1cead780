//! Reads from a formula the data that decide whether it is passed on: its shape, its names, and obstacles to all lemmas.
//!
//! Invariant: the shape is that of the formula unless there was an obstacle. Deliberately elsewhere: the consequences (`shape`, `mod`).

use super::Obstacle;
use super::names::Names;
use super::shape::{Atom, FormulaShape, ShapeKind, binary, of_kind, on_runs, unary};
use bcheck_ir::temporal::{
    Comparing, FairnessKind, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalBinary, TemporalKind,
    TemporalProposition, TemporalUnary,
};
use bcheck_ir::{Expr, ExprKind, Node, Pred, walk_expr, walk_pred};
use std::collections::BTreeSet;

/// Reads formulas, and collects the names in them.
pub(super) struct ShapeReader<'a> {
    names: &'a Names,
    /// Whether related states were compared by the gluing invariant.
    is_glued: bool,
    variables: BTreeSet<usize>,
    operations: BTreeSet<usize>,
    obstacle: Option<Obstacle>,
}

impl<'a> ShapeReader<'a> {
    pub(super) fn new(names: &'a Names, is_glued: bool) -> Self {
        Self { names, is_glued, variables: BTreeSet::new(), operations: BTreeSet::new(), obstacle: None }
    }

    /// The variables named so far that the refinement does not have.
    pub(super) fn glued(&self) -> Vec<String> {
        let of = |variable: &usize| Some(&self.names.variables[*variable]).filter(|named| !named.is_kept).map(|named| named.name.clone());
        self.variables.iter().filter_map(of).collect()
    }

    /// The operations named so far that are not refined by one of the same name alone, with those that refine them.
    pub(super) fn renamed(&self) -> Vec<(String, Vec<String>)> {
        let named = self.operations.iter().map(|operation| &self.names.operations[*operation]);
        let renamed = named.filter(|named| named.refining != [named.name.as_str()]);
        renamed.map(|named| (named.name.clone(), named.refining.clone())).collect()
    }

    /// The names of the operations named so far.
    pub(super) fn operations(&self) -> Vec<String> {
        self.operations.iter().map(|operation| self.names.operations[*operation].name.clone()).collect()
    }

    /// Why no lemma covers the formulas read, if so.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle.clone()
    }

    /// The shape of a formula of either logic.
    pub(super) fn formula(&mut self, formula: &Temporal) -> FormulaShape {
        match &formula.kind {
            TemporalKind::Constant(value) => of_kind(ShapeKind::Constant(*value)),
            TemporalKind::Proposition(TemporalProposition::State(proposition)) => self.state(proposition),
            TemporalKind::Proposition(TemporalProposition::Step(proposition)) => self.step(proposition),
            TemporalKind::Unary(operator, body) => unary(*operator, self.formula(body)),
            TemporalKind::Binary(operator, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                binary(*operator, left, right)
            }
            TemporalKind::Prefixed(Prefix::Path { is_existential, step }, path) => self.path(*is_existential, step.as_ref(), path),
            // A conjunction or disjunction over the values of x; that a value satisfies the condition is decided by the state.
            TemporalKind::Prefixed(Prefix::Quantified { is_universal, condition, .. }, body) => {
                self.pred(condition);
                let body = self.formula(body);
                let joint = if *is_universal { TemporalBinary::Or } else { TemporalBinary::And };
                binary(joint, atom(Atom::State), body)
            }
            TemporalKind::Prefixed(Prefix::Fair(kinds), body) => {
                self.meet(Obstacle::Fairness);
                for kind in kinds {
                    if let FairnessKind::Of { alternatives, .. } = kind {
                        alternatives.iter().flatten().for_each(|pattern| self.pattern(pattern));
                    }
                }
                self.formula(body)
            }
        }
    }

    /// An operator below a path quantifier.
    fn path(&mut self, is_existential: bool, step: Option<&Pattern>, path: &Temporal) -> FormulaShape {
        let TemporalKind::Unary(TemporalUnary::Next, body) = &path.kind else { return on_runs(self.formula(path), is_existential) };
        let body = self.formula(body);
        // `EX[op] f` is "op is taken, and f holds next"; `AX` has no operation, so its step is any.
        let step = match step {
            Some(pattern) => {
                self.pattern(pattern);
                atom(Atom::Taken)
            }
            None => of_kind(ShapeKind::Constant(true)),
        };
        let not = |shape| unary(TemporalUnary::Not, shape);
        let step_to = |body| binary(TemporalBinary::And, step, unary(TemporalUnary::Next, body));
        // There is such a step, or all such steps are so, if there are any.
        let path = if is_existential { step_to(body) } else { not(step_to(not(body))) };
        on_runs(path, is_existential)
    }

    fn state(&mut self, proposition: &StateProposition) -> FormulaShape {
        atom(match proposition {
            StateProposition::Holds(pred) => {
                self.pred(pred);
                Atom::State
            }
            StateProposition::Deadlock => Atom::Deadlock,
            StateProposition::Enabled(pattern) => {
                self.enabled(std::slice::from_ref(pattern));
                Atom::Enabled
            }
            // Both are antitone in the enabled calls: a refinement that accepts fewer calls satisfies them if the refined machine does.
            StateProposition::NoneEnabled(patterns) | StateProposition::AtMostOneEnabled(patterns) => {
                self.enabled(patterns);
                Atom::AtMost
            }
            StateProposition::OneEnabled(patterns) => {
                self.enabled(patterns);
                Atom::Exactly
            }
            StateProposition::Sink | StateProposition::Current => {
                self.meet(Obstacle::Sink);
                Atom::State
            }
        })
    }

    fn step(&mut self, proposition: &StepProposition) -> FormulaShape {
        atom(match proposition {
            StepProposition::Taken(pattern) => {
                self.pattern(pattern);
                Atom::Taken
            }
            StepProposition::Compared(Comparing::Unchanged, expr) => {
                self.expr(expr);
                Atom::Unchanged
            }
            StepProposition::Compared(Comparing::Changed | Comparing::Increasing | Comparing::Decreasing, expr) => {
                self.expr(expr);
                Atom::Changed
            }
            StepProposition::BeforeAfter(pred) => {
                self.pred(pred);
                Atom::BeforeAfter
            }
        })
    }

    /// Patterns of enabled operations.
    fn enabled(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            self.pattern(pattern);
            let named = &self.names.operations[pattern.operation.index()];
            if named.refining.is_empty() {
                self.meet(Obstacle::NotRefined(named.name.clone()));
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        let operation = pattern.operation.index();
        let named = &self.names.operations[operation];
        if named.is_other {
            self.meet(Obstacle::OtherOperation(named.name.clone()));
        }
        self.operations.insert(operation);
        pattern.arguments.iter().flatten().for_each(|argument| self.expr(argument));
    }

    fn expr(&mut self, expr: &Expr) {
        walk_expr(expr, &mut |node| note(&mut self.variables, node));
        self.look_at_variables();
    }

    fn pred(&mut self, pred: &Pred) {
        walk_pred(pred, &mut |node| note(&mut self.variables, node));
        self.look_at_variables();
    }

    fn look_at_variables(&mut self) {
        if !self.is_glued && !self.variables.is_empty() {
            self.meet(Obstacle::Calls);
        }
    }

    /// The first obstacle is stored; the formula is still read to its end, for its names.
    fn meet(&mut self, obstacle: Obstacle) {
        self.obstacle.get_or_insert(obstacle);
    }
}

fn note(variables: &mut BTreeSet<usize>, node: Node<'_>) {
    if let Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) = node {
        variables.insert(id.index());
    }
}

fn atom(atom: Atom) -> FormulaShape {
    of_kind(ShapeKind::Proposition(atom))
}
