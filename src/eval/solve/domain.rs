//! Finite domains of the names to be solved, as inputs of the circuit.
//!
//! Invariant: every solution is among the values of the inputs, and different inputs mean different values.

use super::circuit::Circuit;
use super::encoder::Encoder;
use super::grounding::Grounding;
use super::integers::{interval_of, is_wide, number};
use super::open::{Ground, Grounded, Open, Stop};
use super::sat::Lit;
use super::terms::value_of;
use crate::plan::ExprPlan;
use crate::plan::problem::{Bound, Problem, Term, TermKind, Unknown};
use crate::run::frame::Frame;
use crate::thresholds::{SOLVED_ARGUMENTS, SOLVED_CANDIDATES, SOLVED_NUMBERS};
use bcheck_ir::{FunctionKind, UnaryOp};
use bcheck_source::Span;
use bcheck_value::{SequenceKind, Set, Symbolic, Value, relation};
use std::rc::Rc;

/// Candidates, and whether the name is a function (so that rows hold one pair).
struct Candidates {
    values: Set,
    is_function: bool,
}

/// Gives all names to be solved their inputs; unsupported when one of them has no finite bound. Numbers are listed only if so wanted,
/// or if there are few.
pub(super) fn inputs(grounding: &mut Grounding<'_, '_>, problem: &Problem, is_listing: bool) -> Grounded<()> {
    let mut waiting: Vec<&Unknown> = problem.unknowns.iter().collect();
    while !waiting.is_empty() {
        // Bounds may depend on names that already have inputs; the whole type is the last resort.
        let mut left = Vec::new();
        let before = waiting.len();
        for unknown in waiting {
            if !is_given_input(grounding, unknown, is_listing)? {
                left.push(unknown);
            }
        }
        // None of the bounds can be enumerated so far. One name takes the values of its type, on which bounds of the others may
        // depend.
        if left.len() == before {
            let unknown = left.remove(0);
            let candidates = candidates(grounding, unknown, true)?.ok_or(Stop::Unsupported)?;
            let input = new_input(&mut grounding.encoder.circuit, unknown.is_set, &candidates);
            grounding.open.insert(unknown.slot, input);
        }
        waiting = left;
    }
    Ok(())
}

/// Creates the inputs of a name, if its bounds can be enumerated or are known as numbers.
fn is_given_input(grounding: &mut Grounding<'_, '_>, unknown: &Unknown, is_listing: bool) -> Grounded<bool> {
    let is_given = |unlisted: Grounded<()>| match unlisted {
        Ok(()) => Ok(true),
        Err(Stop::Unsupported) => Ok(false),
        Err(stop) => Err(stop),
    };
    if let Some(values) = unknown.unlisted_from
        && !is_listing
        && is_given(unlisted(grounding, unknown, values))?
    {
        return Ok(true);
    }
    match candidates(grounding, unknown, false) {
        Ok(Some(candidates)) => {
            let input = new_input(&mut grounding.encoder.circuit, unknown.is_set, &candidates);
            grounding.open.insert(unknown.slot, input);
            Ok(true)
        }
        Ok(None) => is_given(unlisted(grounding, unknown, 1)),
        // Too many candidates for a list.
        Err(Stop::Unsupported) => unlisted(grounding, unknown, 1).map(|()| true),
        Err(stop) => Err(stop),
    }
}

/// Creates the inputs of a name with these candidates for its value, or for its elements if it is a set.
fn new_input(circuit: &mut Circuit, is_set: bool, candidates: &Candidates) -> Ground {
    let values = &candidates.values;
    let value = if is_set {
        // The value tried first: a true pair of a function makes the others of its row false by propagation, while other sets are tried
        // with few elements first.
        let members = values.iter().map(|value| (value, circuit.input(candidates.is_function))).collect();
        Open::Set(Rc::new(members))
    } else if values.len() == 2 {
        // One input distinguishes two values; with one for each, clauses would have to exclude both and neither.
        let one = circuit.input(true);
        Open::Choice(Rc::new(values.iter().zip([one, !one]).collect()))
    } else {
        let choices: Vec<(Value, Lit)> = values.iter().map(|value| (value, circuit.input(true))).collect();
        let literals: Vec<Lit> = choices.iter().map(|(_, literal)| *literal).collect();
        // Without values this is false, and the problem has no model.
        let one = circuit.exactly_one(&literals);
        circuit.assert(one);
        Open::Choice(Rc::new(choices))
    };
    Ground { value, defined: Lit::TRUE }
}

fn candidates(grounding: &mut Grounding<'_, '_>, unknown: &Unknown, last_resort: bool) -> Grounded<Option<Candidates>> {
    let mut values: Option<Set> = None;
    let mut is_function = false;
    for bound in &unknown.bounds {
        // The last of the bounds, so it is known here whether another one can be enumerated.
        if matches!(bound, Bound::Type(_)) && (!last_resort || values.is_some()) {
            continue;
        }
        let more = match values_within(grounding, bound, unknown.is_set, &mut is_function) {
            Ok(more) => more,
            // Bounds are intersected, so any of them may be missing: the conjunct itself is encoded all the same.
            Err(Stop::Unsupported) => continue,
            Err(stop) => return Err(stop),
        };
        values = Some(match values {
            None => more,
            Some(values) => values.intersection(&more),
        });
    }
    let most = if unknown.is_set { SOLVED_CANDIDATES.get() } else { SOLVED_NUMBERS.get() };
    match values {
        Some(values) if values.len() > most => Err(Stop::Unsupported),
        values => Ok(values.map(|values| Candidates { values, is_function })),
    }
}

/// The candidates that one bound leaves.
fn values_within(grounding: &mut Grounding<'_, '_>, bound: &Bound, is_set: bool, is_function: &mut bool) -> Grounded<Set> {
    match bound {
        Bound::Member(set) if is_set => elements_of_members(grounding, set, is_function),
        Bound::Member(set) | Bound::Subset(set) => elements(grounding, set),
        Bound::Type(set) => elements(grounding, set),
        Bound::Range(lower, upper) => {
            let (from, to) = ends(grounding.encoder.frame, lower, upper)?;
            if from <= to && to.abs_diff(from) >= SOLVED_CANDIDATES.get() as u64 {
                return Err(Stop::Unsupported);
            }
            Ok(Set::from_sorted((from..=to).map(Value::integer).collect()))
        }
    }
}

/// The ends of the range that bounds leave.
fn ends(frame: &mut Frame<'_>, lower: &[ExprPlan], upper: &[ExprPlan]) -> Grounded<(i64, i64)> {
    let mut numbers = |bounds: &[ExprPlan]| -> Grounded<Vec<i64>> {
        // Bounds beyond 64 bits are left to the other bounds of the name.
        bounds.iter().map(|plan| number(&frame.eval(plan)?)).collect()
    };
    // The greatest of the lower bounds counts, and the least of the upper ones.
    let (from, to) = (numbers(lower)?.into_iter().max(), numbers(upper)?.into_iter().min());
    from.zip(to).ok_or(Stop::Unsupported)
}

fn elements(grounding: &mut Grounding<'_, '_>, set: &Term) -> Grounded<Set> {
    let ground = value_of(grounding, set)?;
    keys(&mut grounding.encoder, &ground.value, set.span)
}

/// Every element that the set can have in some model.
fn keys(encoder: &mut Encoder<'_, '_>, set: &Open, span: Span) -> Grounded<Set> {
    Ok(Set::from_sorted(encoder.members(set, span)?.iter().map(|(value, _)| value.clone()).collect()))
}

/// The elements that members of a set of sets can have.
fn elements_of_members(grounding: &mut Grounding<'_, '_>, set: &Term, is_function: &mut bool) -> Grounded<Set> {
    match &set.kind {
        TermKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => return elements(grounding, base),
        TermKind::Binary(op, from, to) => {
            if let Some(kind) = FunctionKind::of(*op) {
                *is_function |= kind.is_functional();
                let (from, to) = (elements(grounding, from)?, elements(grounding, to)?);
                // The inputs are the pairs, not the functions: `from × to` many instead of `to` to the power of `from`. That the
                // chosen pairs form such a function is left to the conjunct, which is still encoded.
                return pairs(&from, &to);
            }
        }
        _ => {}
    }
    let ground = value_of(grounding, set)?;
    if let Open::Known(Value::Symbolic(symbolic)) = &ground.value {
        return match &**symbolic {
            Symbolic::Power { base, .. } => grounding.encoder.written_out(base, set.span),
            Symbolic::Functions(kind, from, to) => {
                *is_function |= kind.is_functional();
                let (from, to) = (grounding.encoder.written_out(from, set.span)?, grounding.encoder.written_out(to, set.span)?);
                pairs(&from, &to)
            }
            Symbolic::Sequences(SequenceKind::Perm, base) => {
                *is_function = true;
                let base = grounding.encoder.written_out(base, set.span)?;
                let places = (1..=i64::try_from(base.len()).expect("a set in memory")).map(Value::integer).collect();
                pairs(&Set::from_sorted(places), &base)
            }
            _ => Err(Stop::Unsupported),
        };
    }
    // An explicit set of sets.
    let mut union = Set::empty();
    for (member, _) in grounding.encoder.members(&ground.value, set.span)?.iter() {
        union = union.union(&grounding.encoder.written_out(member, set.span)?);
    }
    Ok(union)
}

/// Creates bounds instead of enumerated values for a name: an integer variable, or one for each argument of a total function.
/// Unsupported if a variable would have fewer values than `values`.
fn unlisted(grounding: &mut Grounding<'_, '_>, unknown: &Unknown, values: u64) -> Grounded<()> {
    let value = if unknown.is_set { unlisted_function(grounding, unknown, values)? } else { unlisted_integer(grounding, unknown, values)? };
    grounding.open.insert(unknown.slot, Ground { value, defined: Lit::TRUE });
    Ok(())
}

fn unlisted_integer(grounding: &mut Grounding<'_, '_>, unknown: &Unknown, values: u64) -> Grounded<Open> {
    let (mut least, mut greatest) = (None, None);
    for bound in &unknown.bounds {
        let ends = match bound {
            Bound::Range(lower, upper) => ends(grounding.encoder.frame, lower, upper),
            Bound::Member(set) => interval(grounding, set),
            Bound::Subset(_) | Bound::Type(_) => continue,
        };
        match ends {
            Ok((from, to)) => {
                least = Some(least.map_or(from, |least: i64| least.max(from)));
                greatest = Some(greatest.map_or(to, |greatest: i64| greatest.min(to)));
            }
            Err(Stop::Unsupported) => {}
            Err(stop) => return Err(stop),
        }
    }
    match (least, greatest) {
        (Some(least), Some(greatest)) if is_wide(least, greatest, values) => {
            Ok(Open::Integer(grounding.encoder.circuit.solver.integer(least, greatest)))
        }
        _ => Err(Stop::Unsupported),
    }
}

fn unlisted_function(grounding: &mut Grounding<'_, '_>, unknown: &Unknown, values: u64) -> Grounded<Open> {
    for bound in &unknown.bounds {
        let Bound::Member(set) = bound else { continue };
        let Some((kind, from, to)) = function_space(grounding, set)? else { continue };
        if !kind.is_functional() || !kind.is_total() {
            continue;
        }
        let (from, (least, greatest)) = (grounding.encoder.written_out(&from, set.span)?, interval_of(&to)?);
        if from.len() > SOLVED_ARGUMENTS.get() || from.is_empty() || !is_wide(least, greatest, values) {
            return Err(Stop::Unsupported);
        }
        let arguments = from.iter().map(|argument| (argument, grounding.encoder.circuit.solver.integer(least, greatest))).collect();
        return Ok(Open::Function(Rc::new(arguments)));
    }
    Err(Stop::Unsupported)
}

/// A known set of functions: its kind, domain and range.
fn function_space(grounding: &mut Grounding<'_, '_>, set: &Term) -> Grounded<Option<(FunctionKind, Value, Value)>> {
    let (kind, from, to) = match &set.kind {
        TermKind::Binary(op, from, to) => {
            let Some(kind) = FunctionKind::of(*op) else { return Ok(None) };
            (kind, value_of(grounding, from)?.value, value_of(grounding, to)?.value)
        }
        _ => match value_of(grounding, set)?.value {
            Open::Known(Value::Symbolic(symbolic)) => match &*symbolic {
                Symbolic::Functions(kind, from, to) => (*kind, Open::Known(from.clone()), Open::Known(to.clone())),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        },
    };
    Ok(match (from, to) {
        (Open::Known(from), Open::Known(to)) => Some((kind, from, to)),
        _ => None,
    })
}

/// The ends of a known interval.
fn interval(grounding: &mut Grounding<'_, '_>, set: &Term) -> Grounded<(i64, i64)> {
    let Open::Known(value) = value_of(grounding, set)?.value else { return Err(Stop::Unsupported) };
    interval_of(&value)
}

fn pairs(from: &Set, to: &Set) -> Grounded<Set> {
    if from.len().saturating_mul(to.len()) > SOLVED_CANDIDATES.get() {
        return Err(Stop::Unsupported);
    }
    Ok(relation::product(from, to))
}
