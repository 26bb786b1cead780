//! Reads from a formula what decides whether it is passed on: its shape, what it names, and what keeps every lemma from applying.
//!
//! Invariant: the shape is that of the formula unless an obstacle was met. Deliberately elsewhere: what follows (`shape`, `mod`).

use super::Obstacle;
use super::names::Names;
use super::shape::{Atom, FormulaShape};
use bcheck_ir::temporal::{
    Branching, BranchingKind, Comparing, FairnessKind, Linear, LinearBinary, LinearKind, LinearUnary, Pattern, StateProposition,
    StepProposition, TemporalBody,
};
use bcheck_ir::{Expr, ExprKind, Node, Pred, walk_expr, walk_pred};
use std::collections::BTreeSet;

/// Reads formulas, and gathers what they name.
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

    /// Why no lemma covers what was read, if so.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle.clone()
    }

    /// The shape of a formula of either logic.
    pub(super) fn body(&mut self, body: &TemporalBody) -> FormulaShape {
        match body {
            TemporalBody::Linear(formula) => self.linear(formula),
            TemporalBody::Branching(formula) => self.branching(formula),
        }
    }

    fn linear(&mut self, formula: &Linear) -> FormulaShape {
        match &formula.kind {
            LinearKind::Constant(value) => FormulaShape::Constant(*value),
            LinearKind::State(proposition) => self.state(proposition),
            LinearKind::Step(proposition) => self.step(proposition),
            LinearKind::Unary(operator, body) => {
                let body = self.linear(body);
                match operator {
                    LinearUnary::Not => body.not(),
                    LinearUnary::Globally => body.globally(),
                    LinearUnary::Finally => body.finally(),
                    LinearUnary::Next => body.next(),
                    LinearUnary::Historically => FormulaShape::Trigger(Box::new(FormulaShape::Constant(false)), Box::new(body)),
                    LinearUnary::Once => FormulaShape::Since(Box::new(FormulaShape::Constant(true)), Box::new(body)),
                    LinearUnary::Yesterday => FormulaShape::Yesterday(Box::new(body)),
                }
            }
            LinearKind::Binary(operator, left, right) => {
                let (left, right) = (self.linear(left), self.linear(right));
                binary(*operator, left, right)
            }
            // A conjunction or disjunction over the values of x; that a value satisfies the condition is decided by the state.
            LinearKind::Quantified { is_universal, condition, body, .. } => {
                self.pred(condition);
                let body = self.linear(body);
                if *is_universal { FormulaShape::Atom(Atom::State).or(body) } else { FormulaShape::Atom(Atom::State).and(body) }
            }
            LinearKind::Fair(kinds, body) => {
                self.meet(Obstacle::Fairness);
                for kind in kinds {
                    if let FairnessKind::Of { alternatives, .. } = kind {
                        alternatives.iter().flatten().for_each(|pattern| self.pattern(pattern));
                    }
                }
                self.linear(body)
            }
        }
    }

    fn branching(&mut self, formula: &Branching) -> FormulaShape {
        match &formula.kind {
            BranchingKind::Constant(value) => FormulaShape::Constant(*value),
            BranchingKind::State(proposition) => self.state(proposition),
            BranchingKind::Not(body) => self.branching(body).not(),
            BranchingKind::Binary(operator, left, right) => {
                let (left, right) = (self.branching(left), self.branching(right));
                binary(*operator, left, right)
            }
            BranchingKind::Path { is_existential, operator, step, body } => {
                let body = self.branching(body);
                // `EX[op] f` is "op is taken, and f holds next"; `AX` has no operation, so its step is any.
                let step = match step {
                    Some(pattern) => {
                        self.pattern(pattern);
                        FormulaShape::Atom(Atom::Taken)
                    }
                    None => FormulaShape::Constant(true),
                };
                let path = match operator {
                    LinearUnary::Globally => body.globally(),
                    LinearUnary::Finally => body.finally(),
                    // There is such a step, or all such steps are so, if there are any.
                    _ if *is_existential => step.and(body.next()),
                    _ => step.and(body.not().next()).not(),
                };
                path.on_runs(*is_existential)
            }
            BranchingKind::Quantified { is_universal, condition, body, .. } => {
                self.pred(condition);
                let body = self.branching(body);
                if *is_universal { FormulaShape::Atom(Atom::State).or(body) } else { FormulaShape::Atom(Atom::State).and(body) }
            }
            BranchingKind::Until { is_existential, before, after } => {
                let (before, after) = (self.branching(before), self.branching(after));
                FormulaShape::Until(Box::new(before), Box::new(after)).on_runs(*is_existential)
            }
        }
    }

    fn state(&mut self, proposition: &StateProposition) -> FormulaShape {
        let atom = match proposition {
            StateProposition::Holds(pred) => {
                self.pred(pred);
                Atom::State
            }
            StateProposition::Deadlock => Atom::Deadlock,
            StateProposition::Enabled(pattern) => {
                self.enabled(std::slice::from_ref(pattern));
                Atom::Enabled
            }
            // Both are antitone in what is enabled: a refinement that offers fewer calls satisfies them if the refined machine does.
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
        };
        FormulaShape::Atom(atom)
    }

    fn step(&mut self, proposition: &StepProposition) -> FormulaShape {
        let atom = match proposition {
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
        };
        FormulaShape::Atom(atom)
    }

    /// Patterns of what is enabled.
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

    /// The first obstacle is kept; the formula is read to its end all the same, for what it names.
    fn meet(&mut self, obstacle: Obstacle) {
        self.obstacle.get_or_insert(obstacle);
    }
}

fn note(variables: &mut BTreeSet<usize>, node: Node<'_>) {
    if let Node::Expr(Expr { kind: ExprKind::Variable(id) | ExprKind::OldVariable(id), .. }) = node {
        variables.insert(id.index());
    }
}

fn binary(operator: LinearBinary, left: FormulaShape, right: FormulaShape) -> FormulaShape {
    let join = |of: fn(Box<FormulaShape>, Box<FormulaShape>) -> FormulaShape, left, right| of(Box::new(left), Box::new(right));
    match operator {
        LinearBinary::And => left.and(right),
        LinearBinary::Or => left.or(right),
        LinearBinary::Implies => left.not().or(right),
        LinearBinary::Equivalent => join(FormulaShape::Equivalent, left, right),
        LinearBinary::Until => join(FormulaShape::Until, left, right),
        LinearBinary::WeakUntil => join(FormulaShape::WeakUntil, left, right),
        LinearBinary::Release => join(FormulaShape::Release, left, right),
        LinearBinary::Since => join(FormulaShape::Since, left, right),
        LinearBinary::Trigger => join(FormulaShape::Trigger, left, right),
    }
}
