//! Core language → plans: names become slots, closed sub-expressions are evaluated once, quantifiers become searches.
//!
//! Invariant: a plan means what its source means, ill-definedness included; constant folding never hides an error, because what fails to
//! fold stays in the plan and fails when it runs. Deliberately elsewhere: the order of a search (`order`), analyses that only read a
//! formula (`names`).
//! Must not know: how plans run, except to fold closed expressions; the solver.

mod comprehension;
pub(super) mod cost;
mod known;
mod memo;
pub(super) mod names;
pub(super) mod position;
pub(super) mod recursion;
mod substitution;
mod well_founded;

use super::plan::{ExprPlan, ExprPlanKind, Fold, PredPlan, PredPlanKind, Search, Slot};
use super::run::context::Context;
use crate::thresholds::SOLVED_CHOICE;
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, LocalId, Model, Pred, PredKind, Scope, Type, UnaryOp, VariableId};
use bcheck_value::{Element, Integer, Set, Value};
use memo::{Key, Memo};
use names::Facts;
use position::{Notes, Position};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Compiles the parts of one model for one scope.
pub(super) struct Compiler<'m> {
    pub(super) model: &'m Model,
    /// The scope, the closures registered so far and the names of slots; closed expressions are folded in it.
    pub(super) context: Context,
    /// The position of the formula being compiled; only `within` changes it.
    position: Position,
    /// The notes taken while compiling it.
    pub(super) notes: Notes,
    /// For each loop so far, the slots in which it saves variables for `x$0`.
    loops: Vec<BTreeMap<VariableId, Slot>>,
    /// Results of analyses of the whole model.
    facts: Facts,
    /// The first closure of each class of alpha-equivalent ones, by the hash of the expression.
    same_hash: FxHashMap<u64, Vec<u32>>,
    /// Plans of the formulas that have been compiled already.
    memo: Memo,
    /// Choices and comprehensions for which a plain search would visit more bindings than this (by estimate) go to the solver.
    pub(super) propagate_above: f64,
    /// The window in which choices try integers that nothing bounds: MININT..MAXINT, unless a question has another one.
    pub(super) default_range: (i64, i64),
    /// The work budget for folding one closed expression (`Limits::limit_work`); without one, folding ends by the interrupt flag only.
    pub(super) folding_work: Option<u32>,
}

impl<'m> Compiler<'m> {
    pub(crate) fn new(model: &'m Arc<Model>, scope: &Scope, interrupt: Arc<AtomicBool>) -> Self {
        let names = model.constants.keys().chain(model.variables.keys()).chain(model.locals.iter());
        let slot_names = names.cloned().collect();
        let context = Context {
            model: Arc::clone(model),
            scope: scope.clone(),
            closures: Vec::new(),
            interrupt,
            slot_names,
            assumed: Arc::default(),
            without_value: Arc::default(),
            choices: Arc::default(),
        };
        Self::with(model, context)
    }

    /// A compiler that continues where the compilation of a machine ended, for formulas that are evaluated later.
    pub(super) fn resume(model: &'m Model, context: &Context) -> Self {
        let context = Context {
            model: Arc::clone(&context.model),
            scope: context.scope.clone(),
            closures: context.closures.clone(),
            interrupt: context.interrupt.clone(),
            slot_names: context.slot_names.clone(),
            assumed: Arc::clone(&context.assumed),
            without_value: Arc::clone(&context.without_value),
            choices: Arc::default(),
        };
        Self::with(model, context)
    }

    fn with(model: &'m Model, context: Context) -> Self {
        let default_range = (context.scope.minint, context.scope.maxint);
        let mut same_hash: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        // A formula that is compiled later must share the numbers of the machine's closures: the values of its states contain these
        // numbers.
        for closure in context.closures.iter().filter(|closure| closure.whole && closure.canonical == closure.id) {
            same_hash.entry(closure.hash).or_default().push(closure.id);
        }
        Self {
            model,
            context,
            position: Position::default(),
            notes: Notes::default(),
            loops: Vec::new(),
            facts: Facts::default(),
            same_hash,
            memo: Memo::default(),
            propagate_above: SOLVED_CHOICE.get(),
            default_range,
            folding_work: None,
        }
    }

    /// A new slot that no name of the model uses.
    pub(super) fn temporary(&mut self, name: &str) -> Slot {
        self.context.slot_names.push(name.to_owned());
        self.context.slot_names.len() - 1
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Vec<ExprPlan> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Compiles an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> ExprPlan {
        let kind = match &expr.kind {
            ExprKind::Integer(value) => ExprPlanKind::Value(Value::Integer(Integer::from(value.clone()))),
            ExprKind::String(text) => ExprPlanKind::Value(Value::String(text.clone())),
            ExprKind::Bool(value) => ExprPlanKind::Value(Value::Bool(*value)),
            ExprKind::Element(set, index) => ExprPlanKind::Value(Value::Element(Element { set: *set, index: *index })),
            ExprKind::GivenSet(set) => ExprPlanKind::Value(self.names().type_set(&Type::Given(*set))),
            ExprKind::BoolSet => ExprPlanKind::Value(self.names().type_set(&Type::Bool)),
            ExprKind::TypeSet => ExprPlanKind::Value(self.names().type_set(expr.ty.element().expect("typed as a set"))),
            ExprKind::StringSet => ExprPlanKind::Value(self.names().type_set(&Type::String)),
            ExprKind::IntegerSet(which) => ExprPlanKind::Value(self.names().integer_set(*which)),
            ExprKind::MinInt => ExprPlanKind::Value(Value::integer(self.context.scope.minint)),
            ExprKind::MaxInt => ExprPlanKind::Value(Value::integer(self.context.scope.maxint)),
            ExprKind::EmptySet => ExprPlanKind::Value(Value::Set(Set::empty())),
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::OldVariable(_) | ExprKind::Local(_) => {
                ExprPlanKind::Slot(self.names().slot_of(expr).expect("a plain name has a slot"))
            }
            ExprKind::Unary(op, operand) => ExprPlanKind::Unary(*op, Box::new(self.expr(operand))),
            // A function that is only applied need not be written out.
            ExprKind::Binary(op @ (BinaryOp::Apply | BinaryOp::Image), function, argument) => match self.listed(*op, function) {
                Some(pairs) => ExprPlanKind::ApplyExtension(pairs, Box::new(self.expr(argument))),
                None => ExprPlanKind::Binary(*op, Box::new(self.unexpanded(function)), Box::new(self.expr(argument))),
            },
            ExprKind::Binary(BinaryOp::Iterate, relation, times) => self.iterate(expr, relation, times),
            ExprKind::Binary(op, left, right) => ExprPlanKind::Binary(*op, Box::new(self.expr(left)), Box::new(self.expr(right))),
            ExprKind::SetExtension(items) => ExprPlanKind::SetExtension(self.exprs(items)),
            ExprKind::SequenceExtension(items) => ExprPlanKind::SequenceExtension(self.exprs(items)),
            ExprKind::Record(fields) => ExprPlanKind::Record(self.fields(fields)),
            ExprKind::Struct(fields) => ExprPlanKind::Struct(self.fields(fields)),
            ExprKind::Field(record, name) => ExprPlanKind::Field(Box::new(self.expr(record)), name.clone()),
            ExprKind::BoolOf(pred) => ExprPlanKind::BoolOf(Box::new(self.pred(pred))),
            ExprKind::If(pred, then, otherwise) => {
                ExprPlanKind::If(Box::new(self.pred(pred)), Box::new(self.expr(then)), Box::new(self.expr(otherwise)))
            }
            ExprKind::Let(bindings, body) => ExprPlanKind::Let(self.bindings(bindings), Box::new(self.expr(body))),
            ExprKind::Comprehension { .. } | ExprKind::Binder { binder: Binder::Lambda, .. } => {
                // Whether it is expanded is decided when it runs, by the estimate in the plan.
                ExprPlanKind::Comprehension(comprehension::closure(self, expr))
            }
            ExprKind::Binder { binder, locals, pred, body } => {
                let (search, body) = self.fold_of(expr, locals, pred, body);
                ExprPlanKind::Fold(Fold::of(*binder), search, body)
            }
            ExprKind::External(function, arguments) => ExprPlanKind::External(*function, self.exprs(arguments)),
        };
        self.fold(ExprPlan { kind, ty: expr.ty.clone(), span: expr.span })
    }

    /// `iterate(r, n)`. For n = 0 it is the identity on the whole type, which cannot be derived from the values of r and n.
    fn iterate(&mut self, whole: &Expr, relation: &Expr, times: &Expr) -> ExprPlanKind {
        let expr = |kind, ty: &Type| Expr { kind, ty: ty.clone(), span: whole.span };
        let Some(Type::Pair(from, _)) = whole.ty.element() else { unreachable!("typed as a relation") };
        let arguments = Type::set((**from).clone());
        let identity = ExprKind::Unary(UnaryOp::Identity, Box::new(expr(ExprKind::TypeSet, &arguments)));
        // `({} <| r) \/ id(T)`: the union evaluates r although it uses none of its pairs, so that an ill-defined r stays ill-defined.
        let empty = Box::new(expr(ExprKind::EmptySet, &arguments));
        let nothing = ExprKind::Binary(BinaryOp::DomainRestrict, empty, Box::new(relation.clone()));
        let union = ExprKind::Binary(BinaryOp::Union, Box::new(expr(nothing, &whole.ty)), Box::new(expr(identity, &whole.ty)));
        let none = expr(union, &whole.ty);
        // At run time the operator occurs with n > 0 only.
        let repeated = ExprPlanKind::Binary(BinaryOp::Iterate, Box::new(self.expr(relation)), Box::new(self.expr(times)));
        let zero = expr(ExprKind::Integer(0.into()), &Type::Integer);
        match &times.kind {
            ExprKind::Integer(_) if times.kind == zero.kind => self.expr(&none).kind,
            ExprKind::Integer(_) => repeated,
            _ => {
                // The number is not known before the run.
                let is_zero = PredKind::Compare(Comparison::Equal, Box::new(times.clone()), Box::new(zero));
                let is_zero = self.pred(&Pred { kind: is_zero, span: whole.span });
                let repeated = ExprPlan { kind: repeated, ty: whole.ty.clone(), span: whole.span };
                ExprPlanKind::If(Box::new(is_zero), Box::new(self.expr(&none)), Box::new(repeated))
            }
        }
    }

    /// Compiles an expression whose value is only applied or tested for members, so that a comprehension need not be expanded.
    pub(super) fn unexpanded(&mut self, expr: &Expr) -> ExprPlan {
        match &expr.kind {
            ExprKind::Comprehension { .. } | ExprKind::Binder { binder: Binder::Lambda, .. } => {
                ExprPlan { kind: ExprPlanKind::Closure(comprehension::closure(self, expr)), ty: expr.ty.clone(), span: expr.span }
            }
            _ => self.expr(expr),
        }
    }

    /// The pairs of a function that is written as a list and applied; `None` if the list reads no name, so that it can be folded.
    fn listed(&mut self, op: BinaryOp, function: &Expr) -> Option<Vec<(ExprPlan, ExprPlan)>> {
        let ExprKind::SetExtension(items) = &function.kind else { return None };
        if op != BinaryOp::Apply || self.names().slots_of_expr(function).is_empty() {
            return None;
        }
        // If an item is not written as a pair, the extension is evaluated as a set.
        let pairs = items.iter().map(|item| match &item.kind {
            ExprKind::Binary(BinaryOp::Pair, argument, value) => Some((self.expr(argument), self.expr(value))),
            _ => None,
        });
        pairs.collect()
    }

    fn fields(&mut self, fields: &[(Arc<str>, Expr)]) -> Vec<(Arc<str>, ExprPlan)> {
        fields.iter().map(|(name, value)| (name.clone(), self.expr(value))).collect()
    }

    pub(super) fn bindings(&mut self, bindings: &[(LocalId, Expr)]) -> Vec<(Slot, ExprPlan)> {
        bindings.iter().map(|(id, value)| (self.names().local_slot(*id), self.expr(value))).collect()
    }

    /// Constant folding: evaluates a plan whose operands are all known.
    fn fold(&mut self, plan: ExprPlan) -> ExprPlan {
        let known = |plan: &ExprPlan| matches!(plan.kind, ExprPlanKind::Value(_));
        let foldable = match &plan.kind {
            ExprPlanKind::Unary(_, operand) | ExprPlanKind::Field(operand, _) => known(operand),
            ExprPlanKind::Binary(_, left, right) => known(left) && known(right),
            ExprPlanKind::SetExtension(items) | ExprPlanKind::SequenceExtension(items) => items.iter().all(known),
            ExprPlanKind::Record(fields) | ExprPlanKind::Struct(fields) => fields.iter().all(|(_, item)| known(item)),
            ExprPlanKind::Value(_)
            | ExprPlanKind::Slot(_)
            | ExprPlanKind::SlotOrEmpty(_)
            | ExprPlanKind::BoolOf(_)
            | ExprPlanKind::If(..)
            | ExprPlanKind::Let(..)
            | ExprPlanKind::Comprehension(_)
            | ExprPlanKind::Closure(_)
            | ExprPlanKind::Fold(..)
            | ExprPlanKind::External(..)
            | ExprPlanKind::ApplyExtension(..)
            | ExprPlanKind::Parts(_) => false,
        };
        // An error is left to the run, which may never evaluate this expression.
        if foldable && let Ok(value) = self.names().folding_frame().eval(&plan) {
            return ExprPlan { kind: ExprPlanKind::Value(value), ty: plan.ty, span: plan.span };
        }
        plan
    }

    pub(super) fn preds(&mut self, preds: &[Pred]) -> Vec<PredPlan> {
        preds.iter().map(|pred| self.pred(pred)).collect()
    }

    /// Compiles a predicate.
    pub(super) fn pred(&mut self, pred: &Pred) -> PredPlan {
        let kind = match &pred.kind {
            PredKind::True => PredPlanKind::Constant(true),
            PredKind::False => PredPlanKind::Constant(false),
            PredKind::And(parts) => PredPlanKind::And(self.preds(parts)),
            PredKind::Or(parts) => PredPlanKind::Or(self.preds(parts)),
            PredKind::Not(inner) => PredPlanKind::Not(Box::new(self.pred(inner))),
            PredKind::Implies(left, right) => PredPlanKind::Implies(Box::new(self.pred(left)), Box::new(self.pred(right))),
            PredKind::Equivalent(left, right) => PredPlanKind::Equivalent(Box::new(self.pred(left)), Box::new(self.pred(right))),
            PredKind::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            PredKind::Forall(locals, body) => {
                let (search, conclusion) = self.forall(pred, locals, body);
                PredPlanKind::Forall(search, conclusion)
            }
            PredKind::Exists(locals, body) => PredPlanKind::Exists(self.exists(pred, locals, body)),
            PredKind::If(condition, then, otherwise) => {
                PredPlanKind::If(Box::new(self.pred(condition)), Box::new(self.pred(then)), Box::new(self.pred(otherwise)))
            }
            PredKind::Let(bindings, body) => PredPlanKind::Let(self.bindings(bindings), Box::new(self.pred(body))),
            PredKind::Finite(set) => PredPlanKind::Finite(Box::new(self.expr(set))),
            PredKind::Partition(set, parts) => PredPlanKind::Partition(Box::new(self.expr(set)), self.exprs(parts)),
        };
        PredPlan { kind, span: pred.span }
    }

    fn fold_of(&mut self, expr: &Expr, locals: &[(LocalId, Type)], pred: &Pred, body: &Expr) -> (Arc<Search>, Arc<ExprPlan>) {
        let key = Key::of_expr(expr, self.names().slots_of_expr(expr));
        if let Some(plans) = self.memo.folds.get(&key) {
            return plans;
        }
        let search = self.search(&self.names().with_slots(locals), &[pred], expr.span).0;
        let plans = (Arc::new(search), Arc::new(self.expr(body)));
        self.memo.folds.insert(key, plans.clone());
        plans
    }

    fn forall(&mut self, pred: &Pred, locals: &[(LocalId, Type)], body: &Pred) -> (Arc<Search>, Arc<PredPlan>) {
        let key = Key::of_pred(pred, self.names().slots_of_pred(pred));
        if let Some(plans) = self.memo.foralls.get(&key) {
            return plans;
        }
        // `P => (Q => R)` has the hypotheses P and Q, and both may bound names.
        let mut hypotheses = Vec::new();
        let mut conclusion = body;
        while let PredKind::Implies(hypothesis, rest) = &conclusion.kind {
            hypotheses.push(&**hypothesis);
            conclusion = rest;
        }
        // The search visits the bindings that satisfy the hypotheses. Only those that violate the conclusion matter, so its negation may
        // bound names as well.
        let search = self.counterexamples(&self.names().with_slots(locals), &hypotheses, conclusion, pred.span);
        let plans = (Arc::new(search), Arc::new(self.pred(conclusion)));
        self.memo.foralls.insert(key, plans.clone());
        plans
    }

    fn exists(&mut self, pred: &Pred, locals: &[(LocalId, Type)], body: &Pred) -> Arc<Search> {
        let key = Key::of_pred(pred, self.names().slots_of_pred(pred));
        if let Some(plan) = self.memo.witnesses.get(&key) {
            return plan;
        }
        let plan = Arc::new(self.witnesses(&self.names().with_slots(locals), body, pred.span));
        self.memo.witnesses.insert(key, plan.clone());
        plan
    }

    fn compare(&mut self, comparison: Comparison, left: &Expr, right: &Expr) -> PredPlanKind {
        let membership = matches!(comparison, Comparison::Member | Comparison::NotMember);
        if membership && let ExprKind::SetExtension(items) = &right.kind {
            // The items are compared one at a time: a set of them would have to be built and sorted for each test.
            let negated = comparison == Comparison::NotMember;
            return PredPlanKind::MemberOfExtension(Box::new(self.expr(left)), self.exprs(items), negated);
        }
        let left = self.expr(left);
        // Membership in a comprehension is its condition, which can be tested where the set is infinite.
        let right = if membership { self.unexpanded(right) } else { self.expr(right) };
        PredPlanKind::Compare(comparison, Box::new(left), Box::new(right))
    }
}
