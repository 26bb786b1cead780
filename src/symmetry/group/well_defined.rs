//! Which formulas and substitutions are always well-defined, judged by their form.
//!
//! Conjuncts, branches and operands may be reordered only if none of them can be ill-defined: otherwise the order would decide between
//! "false" and "ill-defined".
//! Invariant: a formula reported as defined is so in every state that satisfies the conjuncts learned; a negative answer may be wrong. New
//! constructs do not compile before they are classified.

use bcheck_ir::{
    BinaryOp, Binder, Comparison, ConstantId, Expr, ExprKind, FunctionKind, IntegerSet, LocalId, Pred, PredKind, Subst, SubstKind, Type,
    UnaryOp, VariableId,
};
use std::collections::BTreeSet;

/// What is known about the values of variables at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// They are those of a state, so knowledge about variables applies.
    State,
    /// They may have been assigned since: they have values, but knowledge about variables need not apply.
    Later,
    /// They need not have values.
    Initial,
}

/// Which formulas hold in each state that is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// PROPERTIES only: nobody checks the invariant.
    Properties,
    /// The invariant as well: a search that checks it ends where it is violated.
    Invariant,
}

/// The knowledge by which formulas are classified.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    trust: Trust,
    /// Constants and variables that are functions on a whole type.
    constants: BTreeSet<ConstantId>,
    variables: BTreeSet<VariableId>,
    /// Those that are finite sets, although their types have infinite ones: they are explicit, not symbolic.
    finite_constants: BTreeSet<ConstantId>,
    finite_variables: BTreeSet<VariableId>,
    /// Results and names of VAR, which begin without a value.
    unset: BTreeSet<LocalId>,
    pub(crate) phase: Phase,
}

impl Defined {
    /// No knowledge.
    pub(super) fn new(trust: Trust) -> Self {
        let (constants, variables, unset) = Default::default();
        let (finite_constants, finite_variables) = Default::default();
        Defined { trust, constants, variables, finite_constants, finite_variables, unset, phase: Phase::State }
    }

    /// Learns from a conjunct of PROPERTIES or INVARIANT: `f : A --> B` makes `f(x)` defined for all `x`, if `A` is the whole type, and
    /// `f` a finite set, if `A` has a finite type.
    pub(super) fn learn(&mut self, conjunct: &Pred) {
        self.learn_finite(conjunct);
        let PredKind::Compare(Comparison::Member, function, functions) = &conjunct.kind else { return };
        let ExprKind::Binary(BinaryOp::Relations(kind), domain, _) = &functions.kind else { return };
        if kind.is_functional() && kind.is_total() && is_whole_type(domain) {
            match function.kind {
                ExprKind::Constant(id) => _ = self.constants.insert(id),
                ExprKind::Variable(id) if self.trust == Trust::Invariant => _ = self.variables.insert(id),
                _ => {}
            }
        }
    }

    /// Learns that a constant or variable is a finite set.
    fn learn_finite(&mut self, conjunct: &Pred) {
        let (set, is_finite) = match &conjunct.kind {
            PredKind::Compare(Comparison::Subset | Comparison::StrictSubset, set, whole) => (set, self.is_finite_set(whole)),
            PredKind::Compare(Comparison::Equal, set, other) => (set, self.is_finite_set(other)),
            PredKind::Compare(Comparison::Member, set, sets) => (
                set,
                match &sets.kind {
                    ExprKind::Unary(UnaryOp::Fin | UnaryOp::Fin1 | UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1, _) => {
                        true
                    }
                    ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1, whole) => self.is_finite_set(whole),
                    // A function is as large as its domain, and a relation is finite between finite sets.
                    ExprKind::Binary(op, domain, range) => FunctionKind::of(*op)
                        .is_some_and(|kind| self.is_finite_set(domain) && (kind.is_functional() || self.is_finite_set(range))),
                    _ => false,
                },
            ),
            _ => return,
        };
        match set.kind {
            ExprKind::Constant(id) if is_finite => _ = self.finite_constants.insert(id),
            ExprKind::Variable(id) if is_finite && self.trust == Trust::Invariant => _ = self.finite_variables.insert(id),
            _ => {}
        }
    }

    /// Whether a set is finite, as far as its form shows.
    pub(super) fn is_finite_set(&self, set: &Expr) -> bool {
        if set.ty.is_finite() {
            return true;
        }
        match &set.kind {
            ExprKind::SetExtension(_) | ExprKind::EmptySet | ExprKind::SequenceExtension(_) => true,
            ExprKind::IntegerSet(which) => matches!(which, IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1),
            ExprKind::Binary(BinaryOp::Interval, ..) => true,
            ExprKind::Constant(id) => self.finite_constants.contains(id),
            ExprKind::Variable(id) => self.phase == Phase::State && self.finite_variables.contains(id),
            ExprKind::Unary(UnaryOp::Domain | UnaryOp::Range | UnaryOp::Inverse, relation) => self.is_finite_set(relation),
            ExprKind::Binary(BinaryOp::Union | BinaryOp::Product | BinaryOp::Override, left, right) => {
                self.is_finite_set(left) && self.is_finite_set(right)
            }
            ExprKind::Binary(BinaryOp::Intersection, left, right) => self.is_finite_set(left) || self.is_finite_set(right),
            ExprKind::Binary(BinaryOp::Difference | BinaryOp::RangeRestrict | BinaryOp::RangeSubtract | BinaryOp::Image, left, _) => {
                self.is_finite_set(left)
            }
            ExprKind::Binary(BinaryOp::DomainRestrict | BinaryOp::DomainSubtract, _, right) => self.is_finite_set(right),
            _ => false,
        }
    }

    /// Whether the value of a name contains explicit sets only. Deciding anything about a symbolic set means evaluating its description,
    /// which may be ill-defined or impossible.
    fn is_listed(&self, name: &Expr) -> bool {
        match &name.ty {
            ty if !ty.has_infinite_sets() => true,
            Type::Set(member) => !member.has_infinite_sets() && self.is_finite_set(name),
            _ => false,
        }
    }

    /// Whether all values of these names can be enumerated: those of infinite types are elements of finite sets.
    fn are_tried(&self, locals: &[(LocalId, Type)], pred: &Pred) -> bool {
        let premise = if let PredKind::Implies(premise, _) = &pred.kind { premise } else { pred };
        locals.iter().all(|(local, ty)| ty.is_finite() || self.bounds(premise, *local))
    }

    /// Whether a conjunct bounds a name by a finite set, or by an equation.
    pub(super) fn bounds(&self, pred: &Pred, local: LocalId) -> bool {
        match &pred.kind {
            PredKind::And(parts) => parts.iter().any(|part| self.bounds(part, local)),
            PredKind::Compare(comparison, name, set) if matches!(name.kind, ExprKind::Local(id) if id == local) => match comparison {
                Comparison::Member => self.is_finite_set(set),
                comparison => *comparison == Comparison::Equal,
            },
            _ => false,
        }
    }

    /// Registers names that begin without a value.
    pub(super) fn unset(&mut self, names: impl IntoIterator<Item = LocalId>) {
        self.unset.extend(names);
    }

    /// Whether a function can be applied to every argument.
    fn applies(&self, function: &Expr) -> bool {
        match function.kind {
            ExprKind::Constant(id) => self.constants.contains(&id),
            ExprKind::Variable(id) => self.phase == Phase::State && self.variables.contains(&id),
            _ => false,
        }
    }

    /// Whether an expression always has a value.
    pub(super) fn expr(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Integer(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Element(..)
            | ExprKind::GivenSet(_)
            | ExprKind::TypeSet
            | ExprKind::BoolSet
            | ExprKind::StringSet
            | ExprKind::IntegerSet(_)
            | ExprKind::MinInt
            | ExprKind::MaxInt
            | ExprKind::EmptySet => true,
            ExprKind::Constant(_) => self.is_listed(expr),
            ExprKind::Variable(_) | ExprKind::OldVariable(_) => self.phase != Phase::Initial && self.is_listed(expr),
            ExprKind::Local(id) => !self.unset.contains(id) && self.is_listed(expr),
            ExprKind::Unary(op, operand) => op.is_total(&operand.ty) && self.expr(operand),
            ExprKind::Binary(BinaryOp::Apply, function, argument) => {
                self.applies(function) && self.expr(argument) && !expr.ty.has_infinite_sets()
            }
            ExprKind::Binary(op, left, right) => op.is_total() && self.expr(left) && self.expr(right),
            ExprKind::SetExtension(items) | ExprKind::SequenceExtension(items) => items.iter().all(|item| self.expr(item)),
            ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().all(|(_, field)| self.expr(field)),
            ExprKind::Field(record, _) => self.expr(record) && !expr.ty.has_infinite_sets(),
            ExprKind::BoolOf(pred) => self.pred(pred),
            ExprKind::If(condition, then, otherwise) => self.pred(condition) && self.expr(then) && self.expr(otherwise),
            ExprKind::Let(bindings, body) => bindings.iter().all(|(_, value)| self.expr(value)) && self.expr(body),
            ExprKind::Comprehension { locals, pred, value } => {
                self.are_tried(locals, pred) && self.pred(pred) && value.as_ref().is_none_or(|value| self.expr(value))
            }
            // Of no sets the intersection is ill-defined, and whether there are any depends on the state.
            ExprKind::Binder { binder: Binder::Inter, .. } => false,
            ExprKind::Binder { locals, pred, body, .. } => self.are_tried(locals, pred) && self.pred(pred) && self.expr(body),
            // Most of them are partial.
            ExprKind::External(..) => false,
        }
    }

    /// Whether a predicate is always true or false.
    pub(super) fn pred(&self, pred: &Pred) -> bool {
        match &pred.kind {
            PredKind::True | PredKind::False => true,
            PredKind::And(parts) | PredKind::Or(parts) => parts.iter().all(|part| self.pred(part)),
            PredKind::Not(inner) => self.pred(inner),
            PredKind::Forall(locals, inner) | PredKind::Exists(locals, inner) => self.are_tried(locals, inner) && self.pred(inner),
            PredKind::Implies(left, right) | PredKind::Equivalent(left, right) => self.pred(left) && self.pred(right),
            PredKind::Compare(_, left, right) => self.expr(left) && self.expr(right),
            PredKind::If(condition, then, otherwise) => self.pred(condition) && self.pred(then) && self.pred(otherwise),
            PredKind::Let(bindings, body) => bindings.iter().all(|(_, value)| self.expr(value)) && self.pred(body),
            PredKind::Finite(set) => self.expr(set),
            PredKind::Partition(set, parts) => self.expr(set) && parts.iter().all(|part| self.expr(part)),
        }
    }

    /// Whether a substitution that starts at this place is always well-defined.
    pub(super) fn subst(&self, subst: &Subst) -> bool {
        match &subst.kind {
            SubstKind::Skip => true,
            SubstKind::Assign(assignments) => assignments.iter().all(|(_, value)| self.expr(value)),
            SubstKind::BecomesIn(_, set) => self.expr(set),
            SubstKind::BecomesSuchThat(_, pred) => self.pred(pred),
            SubstKind::Parallel(parts) | SubstKind::Choice(parts) => parts.iter().all(|part| self.subst(part)),
            // These may read values about which nothing is known, or report violations of their own.
            SubstKind::Sequence(_) | SubstKind::Var(..) | SubstKind::Assert(..) | SubstKind::While { .. } | SubstKind::Follow(_) => false,
            // A precondition that is not a guard is an obligation, whose violation is a finding.
            SubstKind::Pre { pred, body, is_guard } => *is_guard && self.pred(pred) && self.subst(body),
            SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
                branches.iter().all(|(pred, body)| self.pred(pred) && self.subst(body))
                    && otherwise.as_ref().is_none_or(|otherwise| self.subst(otherwise))
            }
            SubstKind::Any(locals, pred, body) => self.are_tried(locals, pred) && self.pred(pred) && self.subst(body),
            SubstKind::Let(bindings, body) => bindings.iter().all(|(_, value)| self.expr(value)) && self.subst(body),
        }
    }
}

fn is_whole_type(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::GivenSet(_) | ExprKind::TypeSet | ExprKind::BoolSet => true,
        ExprKind::Binary(BinaryOp::Product, left, right) => is_whole_type(left) && is_whole_type(right),
        _ => false,
    }
}
