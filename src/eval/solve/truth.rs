//! Predicates over names to be solved, as pairs of literals.
//!
//! Invariant: that of [`super::open::Truth`]. `&`, `or` and `=>` stop where evaluation from left to right would. Deliberately elsewhere:
//! comparisons of open values (`comparison`).

use super::comparison::{equal, included, less, member, relation_member, subset_member};
use super::connectives::{decided, either_side, equivalent, implied};
use super::grounding::{Grounding, bind, each_binding};
use super::linear::linear;
use super::open::{Ground, Grounded, Open, Truth};
use super::sat::Lit;
use super::terms::value_of;
use crate::plan::problem::{Bindings, Formula, FormulaKind, Term, TermKind};
use bcheck_ir::{Comparison, FunctionKind, UnaryOp};
use bcheck_source::Span;
use bcheck_value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where a predicate holds and where it is false.
pub(super) fn truth_of(grounding: &mut Grounding<'_, '_>, formula: &Formula) -> Grounded<Truth> {
    match &formula.kind {
        // No name to be solved occurs in it, so it has one truth value in all models.
        FormulaKind::Known(plan) => match grounding.encoder.frame.holds(plan) {
            Ok(holds) => Ok(Truth::known(holds)),
            Err(error) if error.kind.is_ill_defined() => Ok(Truth::UNDEFINED),
            Err(error) => Err(error.into()),
        },
        FormulaKind::And(parts) => conjunction(grounding, parts, false),
        FormulaKind::Or(parts) => Ok(conjunction(grounding, parts, true)?.negated()),
        FormulaKind::Not(inner) => Ok(truth_of(grounding, inner)?.negated()),
        FormulaKind::Implies(left, right) => {
            let (left, right) = (truth_of(grounding, left)?, truth_of(grounding, right)?);
            Ok(implied(&mut grounding.encoder.circuit, left, right))
        }
        FormulaKind::Equivalent(left, right) => {
            let (left, right) = (truth_of(grounding, left)?, truth_of(grounding, right)?);
            Ok(equivalent(&mut grounding.encoder.circuit, left, right))
        }
        FormulaKind::Compare(comparison, left, right) => compared(grounding, *comparison, left, right, formula.span),
        FormulaKind::Forall(bindings, body) => for_all(grounding, bindings, body),
        FormulaKind::Exists(bindings) => exists(grounding, bindings),
        FormulaKind::If(condition, then, otherwise) => {
            let (condition, then, otherwise) =
                (truth_of(grounding, condition)?, truth_of(grounding, then)?, truth_of(grounding, otherwise)?);
            Ok(either_side(&mut grounding.encoder.circuit, condition, then, otherwise))
        }
        FormulaKind::Let(bindings, body) => {
            bind(grounding, bindings)?;
            truth_of(grounding, body)
        }
        FormulaKind::Partition(set, parts) => partition(grounding, set, parts),
    }
}

/// `!x.(P => Q)`: true where each binding with P has Q, false where one has not, whatever is ill-defined for others.
fn for_all(grounding: &mut Grounding<'_, '_>, bindings: &Bindings, body: &Formula) -> Grounded<Truth> {
    let (mut holds, mut fails) = (Vec::new(), Vec::new());
    let mut is_total = true;
    each_binding(grounding, bindings, &mut |grounding, condition| {
        let body = truth_of(grounding, body)?;
        holds.push(grounding.encoder.circuit.or(condition.fails, body.holds));
        if condition.is_total() && body.is_total() {
            // The counterexample is the negation of the gate just made. Kept, in case that a later binding is not total.
            fails.push(!holds[holds.len() - 1]);
        } else {
            is_total = false;
            fails.push(grounding.encoder.circuit.and(condition.holds, body.fails));
        }
        Ok(())
    })?;
    let holds = grounding.encoder.circuit.all(holds);
    Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: grounding.encoder.circuit.any(fails) } })
}

/// `#x.(P)`: true where a binding has P, false where P is false for every one of them.
fn exists(grounding: &mut Grounding<'_, '_>, bindings: &Bindings) -> Grounded<Truth> {
    let (mut holds, mut fails) = (Vec::new(), Vec::new());
    let mut is_total = true;
    each_binding(grounding, bindings, &mut |_, condition| {
        holds.push(condition.holds);
        fails.push(condition.fails);
        is_total &= condition.is_total();
        Ok(())
    })?;
    let holds = grounding.encoder.circuit.any(holds);
    Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: grounding.encoder.circuit.all(fails) } })
}

/// `P & Q & …`, or `not(P or Q or …)`: evaluation stops at the first part that is false (or true).
fn conjunction(grounding: &mut Grounding<'_, '_>, parts: &[Formula], negated: bool) -> Grounded<Truth> {
    let (mut holds, mut fails) = (Lit::TRUE, Vec::new());
    let mut is_total = true;
    for part in parts {
        let truth = truth_of(grounding, part)?;
        let truth = if negated { truth.negated() } else { truth };
        is_total &= truth.is_total();
        // It is reached only where all parts before it hold.
        fails.push((holds, truth.fails));
        holds = grounding.encoder.circuit.and(holds, truth.holds);
    }
    if is_total {
        return Ok(Truth::total(holds));
    }
    let fails = fails.into_iter().map(|(before, fails)| grounding.encoder.circuit.and(before, fails)).collect();
    Ok(Truth { holds, fails: grounding.encoder.circuit.any(fails) })
}

fn compared(grounding: &mut Grounding<'_, '_>, comparison: Comparison, left: &Term, right: &Term, span: Span) -> Grounded<Truth> {
    // Before the sides are encoded as values, which would list all sums.
    if let Some(truth) = linear(grounding, comparison, left, right, span)? {
        return Ok(truth);
    }
    let negated = |truth: Truth, negate: bool| if negate { truth.negated() } else { truth };
    let a = value_of(grounding, left)?;
    if let Comparison::Member | Comparison::NotMember = comparison {
        // The right side is not encoded as a value: `S --> T` is never enumerated.
        return Ok(negated(membership(grounding, &a, right, span)?, comparison == Comparison::NotMember));
    }
    let b = value_of(grounding, right)?;
    let defined = [a.defined, b.defined];
    let (literal, negate) = match comparison {
        Comparison::Equal | Comparison::NotEqual => {
            (equal(&mut grounding.encoder, &a.value, &b.value, span)?, comparison == Comparison::NotEqual)
        }
        Comparison::Subset | Comparison::NotSubset => {
            (included(&mut grounding.encoder, &a.value, &b.value, span)?, comparison == Comparison::NotSubset)
        }
        Comparison::StrictSubset | Comparison::NotStrictSubset => {
            let (included, equal) =
                (included(&mut grounding.encoder, &a.value, &b.value, span)?, equal(&mut grounding.encoder, &a.value, &b.value, span)?);
            (grounding.encoder.circuit.and(included, !equal), comparison == Comparison::NotStrictSubset)
        }
        Comparison::Less => (less(&mut grounding.encoder, &a.value, &b.value)?, false),
        Comparison::GreaterEqual => (less(&mut grounding.encoder, &a.value, &b.value)?, true),
        Comparison::Greater => (less(&mut grounding.encoder, &b.value, &a.value)?, false),
        Comparison::LessEqual => (less(&mut grounding.encoder, &b.value, &a.value)?, true),
        Comparison::Member | Comparison::NotMember => unreachable!("handled above"),
    };
    Ok(negated(decided(&mut grounding.encoder.circuit, literal, &defined), negate))
}

/// Membership, decided from the form of the set where that describes a set of sets or functions.
fn membership(grounding: &mut Grounding<'_, '_>, element: &Ground, set: &Term, span: Span) -> Grounded<Truth> {
    if let TermKind::Binary(op, from, to) = &set.kind
        && let Some(kind) = FunctionKind::of(*op)
    {
        let (from, to) = (value_of(grounding, from)?, value_of(grounding, to)?);
        let literal = relation_member(&mut grounding.encoder, kind, &element.value, &from.value, &to.value, span)?;
        return Ok(decided(&mut grounding.encoder.circuit, literal, &[element.defined, from.defined, to.defined]));
    }
    match &set.kind {
        TermKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
            let base = value_of(grounding, base)?;
            let literal =
                subset_member(&mut grounding.encoder, &element.value, &base.value, matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1), span)?;
            Ok(decided(&mut grounding.encoder.circuit, literal, &[element.defined, base.defined]))
        }
        _ => {
            let set = value_of(grounding, set)?;
            let literal = member(&mut grounding.encoder, &element.value, &set.value, span)?;
            Ok(decided(&mut grounding.encoder.circuit, literal, &[element.defined, set.defined]))
        }
    }
}

/// The parts are pairwise disjoint and their union is the set.
fn partition(grounding: &mut Grounding<'_, '_>, set: &Term, parts: &[Term]) -> Grounded<Truth> {
    let whole = value_of(grounding, set)?;
    let mut defined = vec![whole.defined];
    // By element: the literals that put it into a part.
    let mut owners: BTreeMap<Value, Vec<Lit>> = BTreeMap::new();
    for part in parts {
        let ground = value_of(grounding, part)?;
        defined.push(ground.defined);
        for (value, literal) in grounding.encoder.members(&ground.value, part.span)?.iter() {
            owners.entry(value.clone()).or_default().push(*literal);
        }
    }
    let elements: BTreeSet<Value> = owners.keys().cloned().collect();
    let mut union = Vec::new();
    let mut cases = Vec::new();
    for value in elements {
        let literals = owners.remove(&value).unwrap_or_default();
        cases.push(grounding.encoder.circuit.at_most_one(&literals));
        union.push((value, grounding.encoder.circuit.any(literals)));
    }
    cases.push(equal(&mut grounding.encoder, &whole.value, &Open::Set(Rc::new(union)), set.span)?);
    let literal = grounding.encoder.circuit.all(cases);
    Ok(decided(&mut grounding.encoder.circuit, literal, &defined))
}
