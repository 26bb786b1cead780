//! Conjuncts → a problem for the solver: the names to be solved, those that follow by equations, and the formulas about them.
//!
//! Invariant: a problem is a relaxation of its conjuncts: what cannot be expressed is left out, so that no solution is lost. Deliberately
//! elsewhere: whether a plain search is good enough (`mod`).

use super::conjunction::{Conjunction, Remainder, Unordered};
use super::conjuncts::conjuncts as flat_conjuncts;
use super::numbers::Occurrences;
use super::{pattern, ranges, sequences};
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::problem::{Binding, Bindings, Bound, Formula, FormulaKind, LetBindings, Problem, Term, TermKind, Unknown};
use crate::plan::{ExprPlan, ExprPlanKind, Fold, Slot};
use crate::thresholds::{SOLVED_BINDINGS, SOLVED_TYPE};
use bcheck_ir::build::union_of;
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, LocalId, Pred, PredKind, Type};
use bcheck_source::Span;
use std::collections::BTreeSet;

impl Compiler<'_> {
    /// The problem of finding values of these names that satisfy these conjuncts; `None` if no name has a bound.
    pub(super) fn problem(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span) -> Option<Problem> {
        let names: BTreeSet<Slot> = locals.iter().map(|(slot, _)| *slot).collect();
        // A name with an equation follows from the others, so that only these need bounds and are solved.
        let equations = self.names().equations(conjuncts, &names);
        let defined: BTreeSet<Slot> = equations.iter().map(|(slot, _)| *slot).collect();
        let conjunction = Conjunction::new(self.names(), locals, conjuncts);
        // Bounds do not use their conjuncts up: all conjuncts become formulas.
        let remainder = Remainder::new(&conjunction);
        let functions: Vec<Option<Pred>> =
            (0..conjuncts.len()).map(|at| sequences::as_function(&self.names(), at, remainder.left())).collect();
        let mut unknowns = Vec::new();
        for (slot, ty) in locals.iter().filter(|(slot, _)| !defined.contains(slot)) {
            let bounds = self.bounds_of(*slot, ty, remainder.left(), &functions);
            if !bounds.is_empty() {
                unknowns.push(Unknown { slot: *slot, is_set: matches!(ty, Type::Set(_)), unlisted_from: None, bounds });
            }
        }
        if unknowns.is_empty() {
            return None;
        }
        // Names that are neither solved nor defined are bound by later actions, so conjuncts that mention them are left out.
        let mut given: BTreeSet<Slot> = unknowns.iter().map(|unknown| unknown.slot).collect();
        let (mut definitions, mut values) = (Vec::new(), Vec::new());
        for (slot, value) in equations {
            // Each equation comes after those that it needs, so one pass finds all determined names.
            let usable = self.names().slots_of_expr(value).iter().all(|other| !names.contains(other) || given.contains(other));
            if usable && let Some(term) = self.term(value, &names) {
                given.insert(slot);
                definitions.push((slot, term));
                values.push(value);
            }
        }
        let mut formulas = Vec::new();
        let mut equations = BTreeSet::new();
        let mut is_whole = true;
        for (at, pred) in conjuncts.iter().enumerate() {
            let pred = functions[at].as_ref().unwrap_or(pred);
            let slots = self.names().slots_of_pred(pred);
            let usable = slots.iter().all(|slot| !names.contains(slot) || given.contains(slot));
            match self.formula(pred, &names).filter(|_| usable) {
                Some(formula) => {
                    if is_equation(pred, &values) {
                        equations.insert(formulas.len());
                    }
                    formulas.push(formula);
                }
                None => is_whole &= slots.is_disjoint(&given) || self.names().defines_another(pred, &names, &given),
            }
        }
        let mut occurrences = Occurrences::default();
        formulas.iter().for_each(|formula| occurrences.formula(formula));
        definitions.iter().for_each(|(_, value)| occurrences.term(value));
        for unknown in &mut unknowns {
            unknown.unlisted_from = occurrences.unlisted_from(unknown.slot, unknown.is_set);
        }
        Some(Problem { unknowns, definitions, formulas, equations, is_whole, span })
    }

    /// The sets and intervals that contain the values of a name by its conjuncts, or by what these imply about functions, and the values
    /// of its type if there are few.
    fn bounds_of(&mut self, slot: Slot, ty: &Type, left: Unordered<'_, '_>, functions: &[Option<Pred>]) -> Vec<Bound> {
        let names = left.unbound;
        let mut bounds = Vec::new();
        let is_slot = |compiler: &Self, expr: &Expr| compiler.names().slot_of(expr) == Some(slot);
        for (at, pred) in left.about(slot) {
            let bound = match &functions[at].as_ref().unwrap_or(pred).kind {
                PredKind::Compare(Comparison::Member, name, set) if is_slot(self, name) => self.term(set, names).map(Bound::Member),
                // A bound may be wider than the conjunct, which is a formula as well.
                PredKind::Compare(Comparison::Subset | Comparison::StrictSubset, name, set) if is_slot(self, name) => {
                    self.term(set, names).map(Bound::Subset)
                }
                PredKind::Partition(set, parts) if parts.iter().any(|part| is_slot(self, part)) => self.term(set, names).map(Bound::Subset),
                PredKind::Partition(set, parts) if is_slot(self, set) => {
                    union_of(parts).and_then(|union| self.term(&union, names)).map(Bound::Subset)
                }
                _ => None,
            };
            bounds.extend(bound);
        }
        if *ty == Type::Integer
            && let Some((lower, upper)) = ranges::range_of(&self.names(), slot, left)
        {
            let lower = lower.iter().map(|bound| self.expr(bound)).collect();
            let upper = upper.iter().map(|bound| self.expr(bound)).collect();
            bounds.push(Bound::Range(lower, upper));
        }
        // For a set, what counts is the number of possible elements, each of which becomes a Boolean variable; there are 2^n values.
        let members: &Type = if let Type::Set(element) = ty { element } else { ty };
        if cost::type_cost(&self.names(), members) <= SOLVED_TYPE.get() {
            let plan = ExprPlan {
                kind: ExprPlanKind::Value(self.names().type_set(members)),
                ty: Type::set(members.clone()),
                span: Span::nowhere(),
            };
            bounds.push(Bound::Type(Term { kind: TermKind::Known(plan), span: Span::nowhere() }));
        }
        bounds
    }

    fn terms(&mut self, exprs: &[Expr], open: &BTreeSet<Slot>) -> Option<Vec<Term>> {
        exprs.iter().map(|expr| self.term(expr, open)).collect()
    }

    /// An expression, where the names in `open` have no values yet.
    fn term(&mut self, expr: &Expr, open: &BTreeSet<Slot>) -> Option<Term> {
        let boxed = |term: Term| Box::new(term);
        // Maximal parts without open names become plans: these may use every operator, as they are evaluated and not encoded.
        let kind = if self.names().is_closed(expr, open) {
            TermKind::Known(self.expr(expr))
        } else {
            match &expr.kind {
                ExprKind::Constant(_) | ExprKind::Local(_) => TermKind::Slot(self.names().slot_of(expr)?),
                ExprKind::Unary(op, operand) => TermKind::Unary(*op, boxed(self.term(operand, open)?)),
                ExprKind::Binary(op, left, right) => TermKind::Binary(*op, boxed(self.term(left, open)?), boxed(self.term(right, open)?)),
                ExprKind::SetExtension(items) => TermKind::SetExtension(self.terms(items, open)?),
                ExprKind::Field(record, name) => TermKind::Field(boxed(self.term(record, open)?), name.clone()),
                ExprKind::BoolOf(pred) => TermKind::BoolOf(Box::new(self.formula(pred, open)?)),
                ExprKind::If(pred, then, otherwise) => {
                    TermKind::If(Box::new(self.formula(pred, open)?), boxed(self.term(then, open)?), boxed(self.term(otherwise, open)?))
                }
                ExprKind::Let(bindings, body) => {
                    let (bindings, open) = self.open_bindings(bindings, open)?;
                    TermKind::Let(bindings, boxed(self.term(body, &open)?))
                }
                ExprKind::Comprehension { locals, pred, value } => {
                    let bindings = self.quantified(locals, &[pred], open, expr.span)?;
                    let element = match value {
                        Some(value) => self.term(value, open)?,
                        None => self.term(&tuple(locals, expr.span), open)?,
                    };
                    TermKind::Collect(bindings, boxed(element))
                }
                ExprKind::Binder { binder: Binder::Lambda, locals, pred, body } => {
                    let bindings = self.quantified(locals, &[pred], open, expr.span)?;
                    let pair = ExprKind::Binary(BinaryOp::Pair, Box::new(tuple(locals, expr.span)), body.clone());
                    let ty = expr.ty.element()?.clone();
                    TermKind::Collect(bindings, boxed(self.term(&Expr { kind: pair, ty, span: expr.span }, open)?))
                }
                ExprKind::Binder { binder, locals, pred, body } => {
                    TermKind::Fold(Fold::of(*binder), self.quantified(locals, &[pred], open, expr.span)?, boxed(self.term(body, open)?))
                }
                _ => return None,
            }
        };
        Some(Term { kind, span: expr.span })
    }

    /// The bindings of LET, and the open names of its body, to which names bound to open terms belong.
    fn open_bindings(&mut self, bindings: &[(LocalId, Expr)], open: &BTreeSet<Slot>) -> Option<(LetBindings, BTreeSet<Slot>)> {
        let mut open = open.clone();
        let mut compiled = Vec::new();
        for (id, value) in bindings {
            let slot = self.names().local_slot(*id);
            let binding = match self.term(value, &open)? {
                Term { kind: TermKind::Known(plan), .. } => Binding::Known(plan),
                term => {
                    open.insert(slot);
                    Binding::Open(term)
                }
            };
            compiled.push((slot, binding));
        }
        Some((compiled, open))
    }

    /// The generators of the names of a quantifier: a search by the conditions without open names, and memberships in open sets.
    fn quantified(&mut self, locals: &[(LocalId, Type)], conditions: &[&Pred], open: &BTreeSet<Slot>, span: Span) -> Option<Bindings> {
        let flat = flat_conjuncts(conditions);
        let (known, others): (Vec<&Pred>, Vec<&Pred>) = flat.iter().partition(|pred| self.names().is_closed_pred(pred, open));
        let mut unbound: BTreeSet<Slot> = locals.iter().map(|(id, _)| self.names().local_slot(*id)).collect();
        // Names that a known condition probably generates; any occurrence in such a comparison counts.
        let mut generated: BTreeSet<Slot> = BTreeSet::new();
        for pred in &known {
            if let PredKind::Compare(Comparison::Member | Comparison::Equal | Comparison::Subset, ..) = pred.kind {
                generated.extend(self.names().slots_of_pred(pred));
            }
        }
        let mut elements = Vec::new();
        let mut formulas = Vec::new();
        for pred in others {
            if let PredKind::Compare(Comparison::Member, pattern, set) = &pred.kind
                && self.names().is_closed(pattern, open)
                // Its set must not depend on names that are bound later, and it must bind a name that the known conditions do not generate.
                // Otherwise the conjunct is a condition.
                && self.names().slots_of_expr(set).is_disjoint(&unbound)
                && self.names().slots_of_expr(pattern).iter().any(|slot| unbound.contains(slot) && !generated.contains(slot))
                && pattern::can_match(&self.names(), pattern, &unbound, &mut Vec::new())
                && let Some(set) = self.term(set, open)
            {
                let mut binds = Vec::new();
                let pattern = self.pattern(pattern, &unbound, &mut binds);
                unbound.retain(|slot| !binds.contains(slot));
                elements.push((pattern, set));
            } else {
                formulas.push(self.formula(pred, open)?);
            }
        }
        let rest: Vec<(Slot, Type)> = self.names().with_slots(locals).into_iter().filter(|(slot, _)| unbound.contains(slot)).collect();
        // The search runs while the problem is encoded, and each of its bindings is encoded separately.
        let (search, cost) = self.search(&rest, &known, span);
        if cost > SOLVED_BINDINGS.get() {
            return None;
        }
        let slots = rest.into_iter().map(|(slot, _)| slot).collect();
        Some(Bindings { elements, known: search, slots, conditions: formulas })
    }

    fn formulas(&mut self, preds: &[Pred], open: &BTreeSet<Slot>) -> Option<Vec<Formula>> {
        preds.iter().map(|pred| self.formula(pred, open)).collect()
    }

    /// A predicate, where the names in `open` have no values yet.
    fn formula(&mut self, pred: &Pred, open: &BTreeSet<Slot>) -> Option<Formula> {
        let boxed = |formula: Formula| Box::new(formula);
        let kind = if self.names().is_closed_pred(pred, open) {
            FormulaKind::Known(self.pred(pred))
        } else {
            match &pred.kind {
                PredKind::And(parts) => FormulaKind::And(self.formulas(parts, open)?),
                PredKind::Or(parts) => FormulaKind::Or(self.formulas(parts, open)?),
                PredKind::Not(inner) => FormulaKind::Not(boxed(self.formula(inner, open)?)),
                PredKind::Implies(left, right) => FormulaKind::Implies(boxed(self.formula(left, open)?), boxed(self.formula(right, open)?)),
                PredKind::Equivalent(left, right) => {
                    FormulaKind::Equivalent(boxed(self.formula(left, open)?), boxed(self.formula(right, open)?))
                }
                PredKind::Compare(comparison, left, right) => {
                    FormulaKind::Compare(*comparison, self.term(left, open)?, self.term(right, open)?)
                }
                PredKind::Forall(locals, body) => {
                    // `P => (Q => R)` has the hypotheses P and Q, which may both bound names.
                    let mut hypotheses: Vec<&Pred> = Vec::new();
                    let mut conclusion = &**body;
                    while let PredKind::Implies(hypothesis, rest) = &conclusion.kind {
                        hypotheses.push(hypothesis);
                        conclusion = rest;
                    }
                    let bindings = self.quantified(locals, &hypotheses, open, pred.span)?;
                    FormulaKind::Forall(bindings, boxed(self.formula(conclusion, open)?))
                }
                PredKind::Exists(locals, body) => FormulaKind::Exists(self.quantified(locals, &[body], open, pred.span)?),
                PredKind::If(condition, then, otherwise) => FormulaKind::If(
                    boxed(self.formula(condition, open)?),
                    boxed(self.formula(then, open)?),
                    boxed(self.formula(otherwise, open)?),
                ),
                PredKind::Let(bindings, body) => {
                    let (bindings, open) = self.open_bindings(bindings, open)?;
                    FormulaKind::Let(bindings, boxed(self.formula(body, &open)?))
                }
                PredKind::Partition(set, parts) => FormulaKind::Partition(self.term(set, open)?, self.terms(parts, open)?),
                // Left out. Sets that are solved are finite anyway; `btrue` and `bfalse` mention no open name.
                PredKind::Finite(_) | PredKind::True | PredKind::False => return None,
            }
        };
        Some(Formula { kind, span: pred.span })
    }
}

/// Whether a conjunct is an equation with one of these expressions, themselves, on one side.
fn is_equation(pred: &Pred, values: &[&Expr]) -> bool {
    let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
    values.iter().any(|value| std::ptr::eq(*value, &**left) || std::ptr::eq(*value, &**right))
}

impl Names<'_> {
    /// Whether an equation only determines a name that is bound by a later action, so that leaving it out loses nothing.
    fn defines_another(&self, pred: &Pred, names: &BTreeSet<Slot>, given: &BTreeSet<Slot>) -> bool {
        let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
        [left, right].into_iter().any(|side| self.slot_of(side).is_some_and(|slot| names.contains(&slot) && !given.contains(&slot)))
    }

    /// Equations `name = e`, at most one for a name, in an order in which each needs only names defined before it: so without cycles.
    fn equations<'p>(&self, conjuncts: &[&'p Pred], names: &BTreeSet<Slot>) -> Vec<(Slot, &'p Expr)> {
        // An equation between two names is a candidate for each of them.
        let mut candidates: Vec<(Slot, &Expr)> = Vec::new();
        for pred in conjuncts {
            let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { continue };
            for (name, value) in [(left, right), (right, left)] {
                if let Some(slot) = self.slot_of(name).filter(|slot| names.contains(slot)) {
                    candidates.push((slot, value));
                }
            }
        }
        let mut chosen: Vec<(Slot, &Expr)> = Vec::new();
        for (slot, value) in candidates {
            let mut needed = self.slots_of_expr(value);
            // All names that it needs, transitively. Each equation chosen comes after those that it needs, so one pass backwards suffices.
            for (defined, needs) in chosen.iter().rev() {
                if needed.contains(defined) {
                    needed.extend(self.slots_of_expr(needs));
                }
            }
            if !needed.contains(&slot) && chosen.iter().all(|(defined, _)| *defined != slot) {
                // Its position is before the first equation that needs it and after the last one that it needs. Where there is no such
                // position (the others would have to be reordered), it is not chosen, and is only a formula.
                let at = chosen.iter().position(|(_, needs)| self.slots_of_expr(needs).contains(&slot)).unwrap_or(chosen.len());
                let after_own_needs = chosen.iter().rposition(|(defined, _)| needed.contains(defined)).map_or(0, |last| last + 1);
                if after_own_needs <= at {
                    chosen.insert(at, (slot, value));
                }
            }
        }
        chosen
    }
}

/// The left-nested tuple of some names.
fn tuple(locals: &[(LocalId, Type)], span: Span) -> Expr {
    let names = locals.iter().map(|(id, ty)| Expr { kind: ExprKind::Local(*id), ty: ty.clone(), span });
    names
        .reduce(|front, last| Expr {
            ty: Type::pair(front.ty.clone(), last.ty.clone()),
            kind: ExprKind::Binary(BinaryOp::Pair, Box::new(front), Box::new(last)),
            span,
        })
        .expect("a comprehension binds a name")
}
