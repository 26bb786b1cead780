//! Quantifiers of temporal formulas, expanded over the values of their names.
//!
//! A quantifier that can be moved to the front of the formula (`distribution`) yields an instance for each value; among values in one orbit
//! of the symmetries of the formula, one suffices, since the instances are images of each other: all of them hold or none does. Any other
//! quantifier becomes a conjunction or disjunction over all its values. Invariant: the instances are closed, have no quantifiers and
//! together are equivalent to the formula. Values are written as literals, so symmetry, which is read from the text, fixes the elements in
//! them. Deliberately elsewhere: which symmetries a formula preserves (`symmetric`).

use super::distribution::distributed;
use super::substitution::{Substitution, literal, substitute};
use crate::thresholds::{FORMULA_COPIES, QUANTIFIED_VALUES};
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::temporal::{Prefix, StateProposition, Temporal, TemporalBinary, TemporalFormula, TemporalKind, TemporalProposition};
use bcheck_ir::{Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, rewrite_pred, walk_pred};
use bcheck_symmetry::{Scratch, Symmetry};
use bcheck_value::Value;
use rustc_hash::FxHashSet;

/// Why a quantifier cannot be expanded.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unwritten {
    /// The values of the name cannot be enumerated.
    Endless(EvalError),
    /// There are too many of them.
    TooMany(usize),
    /// There are too many tuples of values of nested quantifiers.
    TooManyCopies,
    /// One of them has no literal.
    NoLiteral,
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Endless(error) => write!(f, "the values of a quantified name cannot be listed: {}", error.kind),
            Self::TooMany(count) => write!(f, "a quantified name has {count} values; at most {} are written out", QUANTIFIED_VALUES.get()),
            Self::TooManyCopies => write!(f, "quantified names have more than {} values together", FORMULA_COPIES.get()),
            Self::NoLiteral => f.write_str("a quantified name has values that cannot be written out, as infinite sets"),
        }
    }
}

/// An instance of a formula, with the values of the names quantified in front of it.
pub(super) struct FormulaInstance {
    pub(super) formula: TemporalFormula,
    pub(super) values: Vec<(LocalId, Value)>,
}

/// The instances of a formula: it holds if and only if all of them do.
pub(super) fn instances(
    machine: &Machine,
    formula: &TemporalFormula,
    symmetric: &dyn Fn(&TemporalFormula) -> Symmetry,
) -> Result<Vec<FormulaInstance>, Unwritten> {
    let mut writer = Writer { machine, copies: 0 };
    let mut closed = Vec::new();
    let mut waiting = vec![FormulaInstance { formula: formula.clone(), values: Vec::new() }];
    // Last in, first out, with the values in reverse: the formulas come in the order of the values.
    while let Some(FormulaInstance { mut formula, values: bound }) = waiting.pop() {
        let Some((is_universal, local, ty, condition)) = distributed(&mut formula.body).map(|found| bound_by(found)) else {
            formula.body = writer.write_out(&formula.body)?;
            closed.push(FormulaInstance { formula, values: bound });
            continue;
        };
        // The condition stays in each instance: if it is about the state, it holds at some positions only.
        let mut values = writer.values_of(local, &ty, &condition)?;
        if values.is_empty() {
            // The empty conjunction does not distribute: `X true` states that there is a next state, and true is trivial.
            distributed(&mut formula.body).expect("the quantifier is still there").kind = TemporalKind::Constant(is_universal);
            if formula.body.kind != TemporalKind::Constant(true) {
                waiting.push(FormulaInstance { formula, values: bound });
            }
            continue;
        }
        // For the formula that still contains its quantifier: permutations that preserve it map instance to instance.
        let symmetry = symmetric(&formula);
        let mut orbits = FxHashSet::default();
        // One value of each orbit, the first in the order of values, so that which formulas are judged does not depend on the canoniser's
        // choice of representative.
        values.retain(|value| orbits.insert(symmetry.canonical(std::slice::from_ref(value), &mut Scratch::default()).state));
        for value in values.iter().rev() {
            let literal = literal(value, &ty, condition.span).ok_or(Unwritten::NoLiteral)?;
            let mut instance = formula.clone();
            let quantified = distributed(&mut instance.body).expect("the quantifier is still there");
            *quantified = instance_of(quantified, &literal);
            let values = bound.iter().cloned().chain([(local, value.clone())]).collect();
            waiting.push(FormulaInstance { formula: instance, values });
        }
    }
    Ok(closed)
}

/// The binding of a quantifier.
///
///
/// When there is none here.
fn bound_by(found: &Temporal) -> (bool, LocalId, Type, Pred) {
    let TemporalKind::Prefixed(Prefix::Quantified { is_universal, local, ty, condition }, _) = &found.kind else {
        unreachable!("only quantifiers are distributed")
    };
    (*is_universal, *local, ty.clone(), condition.clone())
}

/// Lists the values of names, and expands quantifiers over them.
struct Writer<'a> {
    machine: &'a Machine,
    /// The values enumerated so far: each makes a copy of a part of the formula.
    copies: usize,
}

impl Writer<'_> {
    /// Expands the quantifiers of a formula.
    fn write_out(&mut self, formula: &Temporal) -> Result<Temporal, Unwritten> {
        let span = formula.span;
        let kind = match &formula.kind {
            TemporalKind::Constant(_) | TemporalKind::Proposition(_) => formula.kind.clone(),
            TemporalKind::Unary(operator, operand) => TemporalKind::Unary(*operator, Box::new(self.write_out(operand)?)),
            TemporalKind::Binary(operator, left, right) => {
                TemporalKind::Binary(*operator, Box::new(self.write_out(left)?), Box::new(self.write_out(right)?))
            }
            TemporalKind::Prefixed(Prefix::Quantified { is_universal, local, ty, condition }, _) => {
                let mut parts = Vec::new();
                for value in self.values_of(*local, ty, condition)? {
                    let literal = literal(&value, ty, condition.span).ok_or(Unwritten::NoLiteral)?;
                    parts.push(self.write_out(&instance_of(formula, &literal))?);
                }
                let operator = joint(*is_universal);
                let join = |left, right| Temporal { kind: TemporalKind::Binary(operator, Box::new(left), Box::new(right)), span };
                return Ok(parts.into_iter().reduce(join).unwrap_or(Temporal { kind: TemporalKind::Constant(*is_universal), span }));
            }
            TemporalKind::Prefixed(prefix, body) => TemporalKind::Prefixed(prefix.clone(), Box::new(self.write_out(body)?)),
        };
        Ok(Temporal { kind, span })
    }

    /// The values that a name ranges over: those that satisfy its condition if that mentions no other name, otherwise all of its type.
    fn values_of(&mut self, local: LocalId, ty: &Type, condition: &Pred) -> Result<Vec<Value>, Unwritten> {
        let mut is_closed = true;
        walk_pred(condition, &mut |node| {
            if let Node::Expr(Expr { kind: ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::OldVariable(_), .. }) = node {
                is_closed = false;
            }
        });
        let span = condition.span;
        let pred = if is_closed { condition.clone() } else { Pred { kind: PredKind::True, span } };
        // The evaluator enumerates them, with its ordering of conjuncts; a condition about the state is left to the instances.
        let kind = ExprKind::Comprehension { locals: vec![(local, ty.clone())], pred: Box::new(pred), value: None };
        let all = self.machine.evaluate(&Expr { kind, ty: Type::set(ty.clone()), span }, &[]).map_err(Unwritten::Endless)?;
        let Value::Set(set) = all else { return Err(Unwritten::NoLiteral) };
        if set.len() > QUANTIFIED_VALUES.get() {
            return Err(Unwritten::TooMany(set.len()));
        }
        // Nested quantifiers multiply: an inner name is enumerated once for each copy made by the outer ones.
        self.copies += set.len();
        if self.copies > FORMULA_COPIES.get() {
            return Err(Unwritten::TooManyCopies);
        }
        Ok(set.iter().collect())
    }
}

/// The connective that joins the instances of a quantifier.
fn joint(is_universal: bool) -> TemporalBinary {
    if is_universal { TemporalBinary::And } else { TemporalBinary::Or }
}

/// The connective between the condition of a quantifier and its formula.
fn conditional(is_universal: bool) -> TemporalBinary {
    // The restricted quantifiers: `!x.(c => f)` and `#x.(c & f)`.
    if is_universal { TemporalBinary::Implies } else { TemporalBinary::And }
}

fn condition_of(condition: &Pred, by: &mut Substitution<'_>) -> StateProposition {
    let mut condition = condition.clone();
    rewrite_pred(&mut condition, by);
    StateProposition::Holds(condition)
}

/// The instance of a quantifier for one value: `p => f` or `p & f`.
fn instance_of(quantified: &Temporal, literal: &Expr) -> Temporal {
    let TemporalKind::Prefixed(Prefix::Quantified { is_universal, local, condition, .. }, body) = &quantified.kind else {
        return quantified.clone();
    };
    let by = &mut Substitution { local: *local, literal };
    let mut body = (**body).clone();
    substitute(&mut body, by);
    let holds = TemporalKind::Proposition(TemporalProposition::State(condition_of(condition, by)));
    let holds = Temporal { kind: holds, span: condition.span };
    below_fairness(body, |body| {
        let kind = TemporalKind::Binary(conditional(*is_universal), Box::new(holds), Box::new(body));
        Temporal { kind, span: quantified.span }
    })
}

/// Changes a formula below its fairness, which stays outermost: that all fair paths satisfy `p => f` is what `p => (FAIR => f)` means if no
/// temporal operator is around it. Universal quantifiers around the fairness stay there as well.
fn below_fairness(formula: Temporal, change: impl FnOnce(Temporal) -> Temporal) -> Temporal {
    let span = formula.span;
    let kind = match formula.kind {
        TemporalKind::Prefixed(fairness @ Prefix::Fair(_), inner) => TemporalKind::Prefixed(fairness, Box::new(change(*inner))),
        // `!x.(c => (FAIR => f))` below a condition p: p goes in behind c, as implications commute.
        TemporalKind::Prefixed(quantifier @ Prefix::Quantified { is_universal: true, .. }, body) if is_fair(&body) => {
            TemporalKind::Prefixed(quantifier, Box::new(below_fairness(*body, change)))
        }
        kind => return change(Temporal { kind, span }),
    };
    Temporal { kind, span }
}

/// Whether a formula assumes fairness, below quantifiers.
fn is_fair(formula: &Temporal) -> bool {
    match &formula.kind {
        TemporalKind::Prefixed(Prefix::Fair(_), _) => true,
        TemporalKind::Prefixed(Prefix::Quantified { .. }, body) => is_fair(body),
        _ => false,
    }
}
