//! Expressions over names to be solved, as open values.
//!
//! Invariant: in every model, an open value is the result of evaluation, and `defined` is true exactly where evaluation has a result. An
//! expression without a case here is unsupported, so its conjunct is tested instead. Deliberately elsewhere: operators on the values of
//! their operands (`operators`, `sets`).

use super::connectives::well_defined;
use super::grounding::{Grounding, bind, each_binding, value_of_name};
use super::open::{Ground, Grounded, Open, Stop, gathered};
use super::operators::{binary, choose, extension, unary};
use super::sat::Lit;
use super::truth::truth_of;
use crate::error::ill_defined;
use crate::plan::Fold;
use crate::plan::problem::{Bindings, Term, TermKind};
use crate::thresholds::GATED_SUMS;
use bcheck_ir::UnaryOp;
use bcheck_value::{IllDefined, Value};
use std::rc::Rc;

/// The open value of an expression.
pub(super) fn value_of(grounding: &mut Grounding<'_, '_>, term: &Term) -> Grounded<Ground> {
    let span = term.span;
    match &term.kind {
        TermKind::Known(plan) => match grounding.encoder.frame.eval(plan) {
            Ok(value) => Ok(Ground::known(value)),
            Err(error) if error.kind.is_ill_defined() => Ok(Ground::undefined()),
            Err(error) => Err(error.into()),
        },
        TermKind::Slot(slot) => value_of_name(grounding, *slot),
        TermKind::Unary(op, operand) => {
            let operand = match (op, &operand.kind) {
                (UnaryOp::Min | UnaryOp::Max, TermKind::SetExtension(items)) => {
                    let items = items.iter().map(|item| Ok((value_of(grounding, item)?, item.span))).collect::<Grounded<Vec<_>>>()?;
                    if items.iter().any(|(item, _)| matches!(item.value, Open::Integer(_))) {
                        return grounding.encoder.arithmetic.extreme(&mut grounding.encoder.circuit, *op == UnaryOp::Max, &items);
                    }
                    extension(&mut grounding.encoder, &items)?
                }
                _ => value_of(grounding, operand)?,
            };
            unary(&mut grounding.encoder, *op, &operand, span)
        }
        TermKind::Binary(op, left, right) => {
            let left = value_of(grounding, left)?;
            let right = value_of(grounding, right)?;
            binary(&mut grounding.encoder, *op, &left, &right, span)
        }
        TermKind::SetExtension(items) => {
            let items = items.iter().map(|item| Ok((value_of(grounding, item)?, item.span))).collect::<Grounded<Vec<_>>>()?;
            extension(&mut grounding.encoder, &items)
        }
        TermKind::Field(record, name) => {
            let record = value_of(grounding, record)?;
            grounding.encoder.lifted(&[&record], span, &mut |_, values| {
                let Value::Record(fields) = &values[0] else { unreachable!("typed as a record") };
                match fields.iter().find(|(field, _)| field == name) {
                    Some((_, value)) => Ok(value.clone()),
                    None => ill_defined(IllDefined::NoSuchField(name.to_string()), span),
                }
            })
        }
        TermKind::BoolOf(pred) => {
            let truth = truth_of(grounding, pred)?;
            let defined = grounding.encoder.circuit.or(truth.holds, truth.fails);
            // In the order of values: FALSE comes before TRUE.
            let choices = vec![(Value::Bool(false), truth.fails), (Value::Bool(true), truth.holds)];
            Ok(Ground { value: Open::Choice(Rc::new(choices)), defined })
        }
        TermKind::If(condition, then, otherwise) => {
            // Both sides are encoded; which one counts is decided by gates in each model.
            let truth = truth_of(grounding, condition)?;
            let then = value_of(grounding, then)?;
            let otherwise = value_of(grounding, otherwise)?;
            choose(&mut grounding.encoder, truth, &then, &otherwise, span)
        }
        TermKind::Let(bindings, body) => {
            bind(grounding, bindings)?;
            value_of(grounding, body)
        }
        TermKind::Collect(bindings, element) => comprehension(grounding, bindings, element),
        TermKind::Fold(fold, bindings, body) => folded(grounding, *fold, bindings, body),
    }
}

/// `{x . P | E}`
fn comprehension(grounding: &mut Grounding<'_, '_>, bindings: &Bindings, element: &Term) -> Grounded<Ground> {
    let (mut elements, mut defined) = (Vec::new(), Vec::new());
    let span = element.span;
    each_binding(grounding, bindings, &mut |grounding, truth| {
        let element = value_of(grounding, element)?;
        defined.push(well_defined(&mut grounding.encoder.circuit, truth, element.defined));
        for (value, literal) in grounding.encoder.written_choices(&element.value, span)?.iter() {
            elements.push((value.clone(), grounding.encoder.circuit.and(*literal, truth.holds)));
        }
        Ok(())
    })?;
    // Several bindings may build one element: it is there where any of them is.
    let defined = grounding.encoder.circuit.all(defined);
    Ok(Ground::set(gathered(&mut grounding.encoder.circuit, elements), defined))
}

fn folded(grounding: &mut Grounding<'_, '_>, fold: Fold, bindings: &Bindings, body: &Term) -> Grounded<Ground> {
    let mut defined = Vec::new();
    match fold {
        // Of no sets it is ill-defined, and whether there are any depends on the model: left to the test.
        Fold::Inter => Err(Stop::Unsupported),
        Fold::Union => {
            let mut elements = Vec::new();
            each_binding(grounding, bindings, &mut |grounding, truth| {
                let set = value_of(grounding, body)?;
                defined.push(well_defined(&mut grounding.encoder.circuit, truth, set.defined));
                for (value, literal) in grounding.encoder.members(&set.value, body.span)?.iter() {
                    elements.push((value.clone(), grounding.encoder.circuit.and(*literal, truth.holds)));
                }
                Ok(())
            })?;
            let defined = grounding.encoder.circuit.all(defined);
            Ok(Ground::set(gathered(&mut grounding.encoder.circuit, elements), defined))
        }
        Fold::Sum | Fold::Product => {
            let unit = Value::integer(i64::from(fold == Fold::Product));
            // The values of the sum (or product) of the bindings so far, each with the literal under which it is reached.
            // Invariant: in every model exactly one of these literals is true, so the next layer is a choice as well.
            let mut total = vec![(unit.clone(), Lit::TRUE)];
            each_binding(grounding, bindings, &mut |grounding, truth| {
                let body = value_of(grounding, body)?;
                defined.push(well_defined(&mut grounding.encoder.circuit, truth, body.defined));
                let choices = grounding.encoder.choices(&body.value)?;
                let mut next = Vec::new();
                for (sum, before) in &total {
                    // Not in the sum, which is unchanged.
                    next.push((sum.clone(), grounding.encoder.circuit.and(*before, !truth.holds)));
                    for (value, literal) in choices.iter() {
                        let literal = grounding.encoder.circuit.all(vec![*before, *literal, truth.holds]);
                        next.push((combined(fold, sum, value)?, literal));
                    }
                }
                total = gathered(&mut grounding.encoder.circuit, next);
                if total.len() > GATED_SUMS.get() { Err(Stop::Unsupported) } else { Ok(()) }
            })?;
            let defined = grounding.encoder.circuit.all(defined);
            Ok(Ground { value: Open::Choice(Rc::new(total)), defined })
        }
    }
}

/// The sum or product of two integers.
fn combined(fold: Fold, left: &Value, right: &Value) -> Grounded<Value> {
    let number = |value: &Value| value.as_integer().cloned().expect("typed as an integer");
    let (left, right) = (number(left), number(right));
    let larger = if fold == Fold::Sum { Some(left.add(&right)) } else { left.multiply(&right) };
    larger.map(Value::Integer).ok_or(Stop::Unsupported)
}
