//! Formulas judged from a given state on, for animations: makes a machine whose only initial state is that state.
//!
//! The state is added to PROPERTIES and INITIALISATION as equations, and `current` becomes the predicate that the variables have these
//! values. The rest works as in a check, symmetry included: as the text names the state, only permutations that fix the state remain.
//! Invariant: the machine returned has that initial state and no other; else there is an error. Deliberately elsewhere: judging (`judge`).

use super::judge_alone;
use super::substitution::literal;
use crate::observer::Observer;
use crate::search::watch::{Control, watched};
use crate::{LimitHit, Options, TemporalResult};
use bcheck_eval::Machine;
use bcheck_ir::temporal::{StateProposition, Temporal, TemporalFormula, TemporalKind, TemporalProposition};
use bcheck_ir::{Comparison, Conjunct, ConstantId, Expr, ExprKind, Pred, PredKind, Subst, SubstKind, Target, Type, VariableId};
use bcheck_source::Span;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A machine like this one that begins in a state of it and has one formula to judge.
///
/// # Errors
/// When a variable has a value that cannot be written as an expression, or the constants do not determine themselves.
pub fn beginning_in(machine: &Machine, state: &[Value], formula: TemporalFormula) -> Result<Machine, String> {
    let mut model = machine.model().clone();
    let span = formula.span;
    let constants = model.constants.len();
    let mut properties = Vec::new();
    for (index, (declaration, value)) in model.constants.values().zip(state).enumerate() {
        // A constant without a literal, such as an infinite function, retains its properties.
        if let Some(value) = literal(value, &declaration.ty, span) {
            properties.push(equal(ExprKind::Constant(ConstantId(number(index))), value));
        }
    }
    // The equations determine the constants, and evaluating the original properties again may be expensive.
    if properties.len() == constants {
        model.properties.clear();
    }
    model.properties.extend(properties.into_iter().map(|pred| Conjunct { pred, label: None, given: None }));
    let mut values = Vec::new();
    for (index, ((name, declaration), value)) in model.variables.iter().zip(&state[constants..]).enumerate() {
        let value =
            literal(value, &declaration.ty, span).ok_or_else(|| format!("the value of `{name}` here cannot be written as a formula"))?;
        values.push((VariableId(number(index)), value));
    }
    let here = Pred {
        kind: PredKind::And(values.iter().map(|(variable, value)| equal(ExprKind::Variable(*variable), value.clone())).collect()),
        span,
    };
    let kind = match values.is_empty() {
        true => SubstKind::Skip,
        false => SubstKind::Assign(values.into_iter().map(|(variable, value)| (Target::Variable(variable), value)).collect()),
    };
    model.initialisation = Subst { kind, span };
    model.temporal = vec![with_current(formula, &here)];
    // The sizes of the given machine: elements in literals have their numbers from there.
    let beginning = Machine::compile(Arc::new(model), machine.scope().clone());
    if begins_in(&beginning, state) { Ok(beginning) } else { Err("the constants here cannot be written as formulas".to_owned()) }
}

/// Judges the formulas of a machine without searching its states for findings first.
///
/// # Errors
/// When a counterexample could not be confirmed.
pub fn judge_temporal(
    machine: &Machine,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(Vec<TemporalResult>, Option<LimitHit>), String> {
    let control = Control::new(machine, &options.limits);
    let mut results = watched(&control, observer, || judge_alone(machine, options, &control));
    let limit = control.finish(results.limit.take());
    match results.fault.take() {
        Some(fault) => Err(fault),
        None => Ok((results.into_list(), limit)),
    }
}

/// Whether this is the only state that the machine begins in.
fn begins_in(machine: &Machine, state: &[Value]) -> bool {
    let mut initial: Vec<Valuation> = Vec::new();
    let result = machine.for_each_setup(&mut |set_up| {
        let result = machine.for_each_initial(&set_up, &mut |found| {
            initial.push(found);
            // Two are enough to refuse.
            if initial.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if result.is_ok() && initial.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let is_same = |found: &Valuation| found.len() == state.len() && found.iter().zip(state).all(|(one, other)| machine.is_same(one, other));
    result.is_ok() && initial.len() == 1 && is_same(&initial[0])
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("names of a machine have 32-bit ids")
}

fn equal(left: ExprKind, right: Expr) -> Pred {
    let (span, ty): (Span, Type) = (right.span, right.ty.clone());
    Pred { kind: PredKind::Compare(Comparison::Equal, Box::new(Expr { kind: left, ty, span }), Box::new(right)), span }
}

/// The formula with a predicate for `current`.
fn with_current(mut formula: TemporalFormula, here: &Pred) -> TemporalFormula {
    replace_current(&mut formula.body, here);
    formula
}

fn replace_current(formula: &mut Temporal, here: &Pred) {
    if let TemporalKind::Proposition(TemporalProposition::State(proposition)) = &mut formula.kind
        && *proposition == StateProposition::Current
    {
        *proposition = StateProposition::Holds(Pred { span: formula.span, ..here.clone() });
    }
    formula.parts_mut().for_each(|part| replace_current(part, here));
}
