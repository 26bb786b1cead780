//! Why an operation is disabled, or no valuation of the constants satisfies PROPERTIES: the first conjunct that fails, with the values of
//! its names.
//!
//! Invariant: the conjunct is false or ill-defined in the given state, by itself if all its names have values, else for all values that
//! satisfy the conjuncts before it (unbounded integers are tried in a window). Deliberately elsewhere: the decision that an operation is
//! disabled (`machine`).

use crate::compile::Compiler;
use crate::order;
use crate::order::conjuncts::conjuncts;
use crate::plan::Slot;
use crate::run::frame::{Flow, Frame};
use crate::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{OperationId, Pred, Type};
use bcheck_source::Span;
use bcheck_value::Value;
use std::collections::BTreeSet;

/// The conjunct that disables an operation, or excludes a valuation of the constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// How the conjunct fails.
    pub kind: ObstacleKind,
    /// The conjunct.
    pub span: Span,
    /// The names of the conjunct that have values, with them, in the order of declaration.
    pub values: Vec<(String, Value)>,
}

/// The ways in which a conjunct can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObstacleKind {
    /// It is false.
    False,
    /// It is false for all values of these names with which the conjuncts before it hold.
    NoneSatisfies(Vec<String>),
    /// It has no truth value.
    IllDefined(EvalErrorKind),
}

/// A parameter or constant, whose value may be given.
struct UnknownName<'a> {
    name: &'a str,
    slot: Slot,
    ty: &'a Type,
    value: Option<&'a Value>,
}

impl Machine {
    /// The first conjunct of an operation's guard that disables it in a state, for the given arguments and any values of the others.
    ///
    /// `None` if the guard can hold, or if that cannot be decided: then perhaps the body has no outcome.
    ///
    /// # Errors
    /// When a conjunct cannot be evaluated for another reason than ill-definedness.
    pub fn guard_obstacle(
        &self,
        state: &[Value],
        operation: OperationId,
        arguments: &[Option<Value>],
    ) -> Result<Option<Obstacle>, EvalError> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let Some((_, operation)) = self.model().operations.get_index(operation.index()) else { return Ok(None) };
        let unknown: Vec<UnknownName<'_>> = operation
            .parameters
            .iter()
            .enumerate()
            .map(|(index, (name, id, ty))| UnknownName {
                name,
                slot: compiler.names().local_slot(*id),
                ty,
                value: arguments.get(index).and_then(Option::as_ref),
            })
            .collect();
        let mut guards = Vec::new();
        order::collect_guards(&mut compiler, &operation.body, &mut guards);
        let guards: Vec<&Pred> = self.model().expanded.iter().chain(&guards).collect();
        first_obstacle(&mut compiler, state, &unknown, &conjuncts(&guards))
    }

    /// The first conjunct of PROPERTIES that fails for these values of constants and any values of the others.
    ///
    /// # Errors
    /// When a conjunct cannot be evaluated for another reason than ill-definedness.
    pub fn properties_obstacle(&self, constants: &[Option<Value>]) -> Result<Option<Obstacle>, EvalError> {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let unknown: Vec<UnknownName<'_>> = self
            .model()
            .constants
            .iter()
            .enumerate()
            .map(|(slot, (name, constant))| UnknownName {
                name,
                slot,
                ty: &constant.ty,
                value: constants.get(slot).and_then(Option::as_ref),
            })
            .collect();
        let properties: Vec<&Pred> = self.model().properties.iter().map(|conjunct| &conjunct.pred).collect();
        first_obstacle(&mut compiler, &[], &unknown, &conjuncts(&properties))
    }

    /// Whether two values are equal, symbolic sets included; those that cannot be compared count as equal.
    #[must_use]
    pub fn is_same(&self, one: &Value, other: &Value) -> bool {
        one == other || Frame::new(self.context(), &[]).equal(one, other, Span::nowhere()).unwrap_or(true)
    }
}

/// The first conjunct that fails. Conjuncts all of whose names have values come first, whatever their position: such a conjunct fails by
/// itself.
fn first_obstacle(
    compiler: &mut Compiler<'_>,
    state: &[Value],
    unknown: &[UnknownName<'_>],
    parts: &[Pred],
) -> Result<Option<Obstacle>, EvalError> {
    let open: BTreeSet<Slot> = unknown.iter().filter(|name| name.value.is_none()).map(|name| name.slot).collect();
    let is_open: Vec<bool> = parts.iter().map(|part| !compiler.names().slots_of_pred(part).is_disjoint(&open)).collect();
    for (part, _) in parts.iter().zip(&is_open).filter(|(_, is_open)| !**is_open) {
        if let Some(kind) = failure_of(compiler, state, unknown, part)? {
            return Ok(Some(Obstacle { kind, span: part.span, values: values_of(compiler, state, unknown, part) }));
        }
    }
    // The shorter prefix has a solution, or could not be decided: so the last conjunct of the first prefix without one is reported.
    for at in (0..parts.len()).filter(|at| is_open[*at]) {
        if let Some(kind) = failure_of_prefix(compiler, state, unknown, &parts[..=at])? {
            let part = &parts[at];
            return Ok(Some(Obstacle { kind, span: part.span, values: values_of(compiler, state, unknown, part) }));
        }
    }
    Ok(None)
}

/// How a conjunct fails, all of whose names have values; `None` if it holds.
fn failure_of(
    compiler: &mut Compiler<'_>,
    state: &[Value],
    unknown: &[UnknownName<'_>],
    part: &Pred,
) -> Result<Option<ObstacleKind>, EvalError> {
    let plan = compiler.pred(part);
    let mut frame = Frame::new(&compiler.context, state);
    give(&mut frame, unknown);
    match frame.holds(&plan) {
        Ok(true) => Ok(None),
        Ok(false) => Ok(Some(ObstacleKind::False)),
        Err(error) if error.kind.is_ill_defined() => Ok(Some(ObstacleKind::IllDefined(error.kind))),
        Err(error) => Err(error),
    }
}

/// How a prefix of the conjuncts fails, the last of which has unbound names; `None` if it has a solution, or if that cannot be decided.
fn failure_of_prefix(
    compiler: &mut Compiler<'_>,
    state: &[Value],
    unknown: &[UnknownName<'_>],
    parts: &[Pred],
) -> Result<Option<ObstacleKind>, EvalError> {
    let Some(last) = parts.last() else { return Ok(None) };
    let prefix: Vec<&Pred> = parts.iter().collect();
    // A name that no conjunct so far mentions may have any value.
    let mentioned: BTreeSet<Slot> = prefix.iter().flat_map(|part| compiler.names().slots_of_pred(part)).collect();
    let open = || unknown.iter().filter(|name| name.value.is_none());
    let names: Vec<(Slot, Type)> = open().filter(|name| mentioned.contains(&name.slot)).map(|name| (name.slot, name.ty.clone())).collect();
    // A choice cuts integers that nothing bounds, as the machine did when it found nothing.
    let search = compiler.choice(&names, &prefix, last.span);
    let mut frame = Frame::new(&compiler.context, state);
    give(&mut frame, unknown);
    let mut is_satisfied = false;
    let found = frame.run_guard(&search, &mut |_| {
        is_satisfied = true;
        Ok(Flow::Stop)
    });
    match found {
        Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
        // Perhaps only later conjuncts bound the names: a longer prefix may be decided.
        Err(_) => return Ok(None),
        Ok(_) if is_satisfied || frame.doubts.undecided.is_some() => return Ok(None),
        Ok(_) => {}
    }
    Ok(Some(match frame.doubts.guard_error.take() {
        Some(error) => ObstacleKind::IllDefined(error.kind),
        None => {
            let of_last = compiler.names().slots_of_pred(last);
            ObstacleKind::NoneSatisfies(open().filter(|name| of_last.contains(&name.slot)).map(|name| name.name.to_owned()).collect())
        }
    }))
}

fn give(frame: &mut Frame<'_>, unknown: &[UnknownName<'_>]) {
    for name in unknown {
        if let Some(value) = name.value {
            frame.set(name.slot, value.clone());
        }
    }
}

/// The names of a conjunct that have values.
fn values_of(compiler: &Compiler<'_>, state: &[Value], unknown: &[UnknownName<'_>], part: &Pred) -> Vec<(String, Value)> {
    let slots = compiler.names().slots_of_pred(part);
    let given = unknown.iter().filter(|name| slots.contains(&name.slot));
    let given = given.filter_map(|name| Some((name.name.to_owned(), name.value?.clone())));
    // Slots are numbered in the order of declaration.
    let in_state = slots.iter().filter_map(|&slot| Some((compiler.context.slot_names[slot].clone(), state.get(slot)?.clone())));
    given.chain(in_state).collect()
}
