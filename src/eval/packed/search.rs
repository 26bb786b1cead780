//! Packed searches: the actions of a plan compiled for words, in its order.
//!
//! Invariant: each action binds the same names as in the plan; an action without a packed form leaves the whole search to the general
//! tier. Deliberately elsewhere: which tests an action absorbs (`loops`), visiting the bindings (`visit`).

use super::branches::{Branches, branches_of};
use super::loops::{Lookup, end_in_product, merged};
use super::operand::{Operand, unsigned};
use super::pair::Columns;
use super::predicate::equal;
use super::types::{PackedTypes, is_symbolic_set};
use super::value::{PackedBinding, PackedValue, packed_binding};
use super::{BailOut, Packer, Pred};
use crate::plan::{Action, ExprPlan, ExprPlanKind, Pattern, RootPlan, Search, Slot};
use bcheck_ir::{BinaryOp, SetId, Type};
use bcheck_value::packing::{Packing, Universe};
use bcheck_value::{Integer, Symbolic, Value};

/// A packed search.
pub(super) struct PackedSearch {
    pub(super) actions: Vec<PackedAction>,
    /// The last two actions are nested loops, and the set of the inner one does not depend on the element of the outer one.
    pub(super) ends_in_product: bool,
    /// By action, the parameters it binds, for orbit reduction; empty if the operation has no reducible parameter.
    pub(super) choices: Vec<ParameterChoice>,
}

/// How an action of a guard chooses parameters.
pub(super) enum ParameterChoice {
    /// Nothing that permutations of elements move.
    Nothing,
    /// Elements of these given sets, written to these places.
    Elements(Vec<(SetId, usize)>),
    /// Something else that moves.
    Other,
}

/// An action, on words.
pub(super) enum PackedAction {
    Test(Pred),
    Bind(PackedPattern, Operand),
    /// Binds a name to a set, which may have several words.
    BindSet(PackedBinding),
    /// Tests whether two sets are equal.
    Same(Pred),
    Each(PackedPattern, PackedValue),
    /// The columns of one row of a relation: the relation, the number of the row, and the number of columns, at most 64.
    EachInRow(PackedPattern, PackedValue, Operand, u32),
    /// The subsets of a set, written to a place.
    EachSubset(usize, PackedValue),
    Range {
        at: usize,
        lower: Vec<Operand>,
        upper: Vec<Operand>,
    },
    /// The integers that solve an equation with a product, written to a place.
    Roots(Box<PackedRoots>),
    /// These integers, written to a place.
    EachNumber(usize, Vec<u64>),
    EachOf(Branches),
}

/// A [`RootPlan`], on words.
pub(super) struct PackedRoots {
    pub(super) at: usize,
    pub(super) factor: Operand,
    pub(super) exponent: u32,
    pub(super) value: Operand,
    pub(super) lower: Vec<Operand>,
    pub(super) upper: Vec<Operand>,
}

/// A pattern for a word.
pub(super) enum PackedPattern {
    /// Written to a place.
    Slot(usize),
    /// A pair whose parts are written to places.
    Slots(usize, usize, Columns),
    /// A pair with a pattern for each part.
    Pair(Box<PackedPattern>, Box<PackedPattern>, Columns),
    Equal(Operand),
}

/// The actions of a search, in its order.
pub(super) fn packed_search(packer: &mut Packer<'_>, search: &Search) -> Option<PackedSearch> {
    let merged = merged(&packer.types, search);
    let actions = merged.iter().map(|(action, tests)| packed_action(packer, action, tests)).collect::<Option<Vec<_>>>()?;
    // Asked of the compiled action as well: an inner loop over pairs `outer |-> y` is one over places only if it became a row.
    let is_loop = |last: &PackedAction| {
        matches!(last, PackedAction::Each(PackedPattern::Slot(_), _) | PackedAction::EachInRow(PackedPattern::Slot(_), ..))
    };
    let ends_in_product = actions.last().is_some_and(is_loop) && end_in_product(&merged);
    Some(PackedSearch { actions, ends_in_product, choices: Vec::new() })
}

/// The guard of an operation with these parameters, and which of its actions choose what.
pub(super) fn guard(packer: &mut Packer<'_>, search: &Search, parameters: &[(Slot, &Type)]) -> Option<PackedSearch> {
    let mut guard = packer.search(search)?;
    // Fixed elements may be treated as movable: they lie in no block, so each is its own orbit.
    let moves = |ty: &Type| ty.mentions(&mut |_| true);
    // Orbits are those of elements chosen by loops; any other choice that symmetries move forbids reduction from there on.
    let choice = |action: &Action| match action {
        Action::Each(pattern, _) => {
            let mut slots = Vec::new();
            bound_slots(pattern, &mut slots);
            let types = slots.iter().map(|slot| parameters.iter().find(|(parameter, _)| parameter == slot).map(|(_, ty)| *ty));
            // A name that is not a parameter is not an argument of a step: orbits of argument tuples do not cover it.
            let Some(types) = types.collect::<Option<Vec<_>>>() else { return ParameterChoice::Other };
            let moving = slots.iter().zip(types).filter(|(_, ty)| moves(ty));
            let elements =
                moving.map(|(slot, ty)| if let Type::Given(set) = ty { Some((*set, packer.places.place(*slot).start)) } else { None });
            match elements.collect::<Option<Vec<_>>>() {
                Some(elements) if elements.is_empty() => ParameterChoice::Nothing,
                Some(elements) => ParameterChoice::Elements(elements),
                None => ParameterChoice::Other,
            }
        }
        Action::EachSubset(..) | Action::EachOf(..) | Action::Solve { .. } => ParameterChoice::Other,
        // A value computed from bound names is fixed by all permutations that fix these, and integers by all: neither is a choice.
        Action::Cut(_)
        | Action::Test(_)
        | Action::Bind(..)
        | Action::Range { .. }
        | Action::Recurrence(_)
        | Action::Total(_)
        | Action::Roots(_)
        | Action::Unbounded { .. } => ParameterChoice::Nothing,
    };
    // Merged in the same manner as in `search`, so that choices and actions have the same numbers.
    let choices: Vec<ParameterChoice> = merged(&packer.types, search).iter().map(|(action, _)| choice(action)).collect();
    // Without a choice of elements there is nothing to reduce, and the search does without the bookkeeping.
    if choices.iter().any(|choice| matches!(choice, ParameterChoice::Elements(_))) {
        guard.choices = choices;
    }
    Some(guard)
}

fn packed_action(packer: &mut Packer<'_>, action: &Action, tests: &[Lookup<'_>]) -> Option<PackedAction> {
    Some(match action {
        Action::Test(pred) => PackedAction::Test(packer.pred(pred)?),
        // A set may have several words, which no register holds: it is bound, or compared, in the frame.
        Action::Bind(pattern, value) => match (pattern, &value.ty) {
            (Pattern::Slot(slot), Type::Set(_)) => PackedAction::BindSet(packed_binding(packer, *slot, value)?),
            (Pattern::Equal(expected), Type::Set(_)) => PackedAction::Same(equal(packer, value, expected)?),
            (Pattern::Pair(..), Type::Set(_)) => return None,
            _ => PackedAction::Bind(packed_pattern(packer, pattern, packer.types.numbered(&value.ty).as_ref())?, packer.scalar(value)?),
        },
        // Before the masks: a symbolic set may have integers beyond the universe.
        Action::Each(Pattern::Slot(slot), set) if is_symbolic_set(set) => each_symbolic(packer, *slot, set)?,
        Action::Each(pattern, set) => {
            // `x |-> y : r` with x bound: one row is read instead of all pairs being compared with x. Pairs are numbered row by row, so
            // the order is the same.
            if let (Pattern::Pair(first, second), Some(columns)) = (pattern, narrow_columns(&packer.types, set))
                && let Pattern::Equal(row) = &**first
            {
                let (set, universe) = packer.mask(set)?;
                let (rows, second_universe) = universe.rows_and_columns()?;
                let pattern = packed_pattern(packer, second, Some(second_universe))?;
                return Some(PackedAction::EachInRow(pattern, set, packer.number(row, rows)?, columns));
            }
            let (mut set, universe) = packer.mask(set)?;
            for test in tests {
                let (all, other) = (set.word()?, packer.set(test.set, &universe)?.word()?);
                let is_in = test.is_in;
                set = PackedValue::Word(Operand::new(move |words| {
                    let all = all.get(words)?;
                    // The test of no element is never run, so a set in it that is ill-defined does not matter.
                    if all == 0 {
                        return Ok(0);
                    }
                    let other = other.get(words).map_err(|bail_out| match bail_out {
                        BailOut::IllDefined => BailOut::IllDefinedTest,
                        bail_out => bail_out,
                    })?;
                    Ok(all & if is_in { other } else { !other })
                }));
            }
            PackedAction::Each(packed_pattern(packer, pattern, Some(&universe))?, set)
        }
        Action::EachSubset(slot, set) => {
            let (set, universe) = packer.mask(set)?;
            PackedAction::EachSubset(packer.places.hold(*slot, &Packing::Mask(universe)), set)
        }
        Action::Roots(plan) => packed_roots(packer, plan)?,
        Action::Range { slot, lower, upper } => {
            let (lower, upper) = (packed_scalars(packer, lower)?, packed_scalars(packer, upper)?);
            PackedAction::Range { at: packer.places.hold(*slot, &Packing::Integer), lower, upper }
        }
        Action::EachOf(slots, searches) => PackedAction::EachOf(branches_of(packer, slots, searches)?),
        Action::Cut(_) | Action::Recurrence(_) | Action::Total(_) | Action::Solve { .. } | Action::Unbounded { .. } => return None,
    })
}

fn packed_roots(packer: &mut Packer<'_>, plan: &RootPlan) -> Option<PackedAction> {
    let factor = match &plan.factor {
        Some(factor) => packer.scalar(factor)?,
        None => Operand::Known(unsigned(1)),
    };
    let (value, lower, upper) = (packer.scalar(&plan.value)?, packed_scalars(packer, &plan.lower)?, packed_scalars(packer, &plan.upper)?);
    let at = packer.places.hold(plan.slot, &Packing::Integer);
    Some(PackedAction::Roots(Box::new(PackedRoots { at, factor, exponent: plan.exponent, value, lower, upper })))
}

fn packed_scalars(packer: &mut Packer<'_>, plans: &[ExprPlan]) -> Option<Vec<Operand>> {
    plans.iter().map(|plan| packer.scalar(plan)).collect()
}

/// Binds a name to each integer of a symbolic set, ascending.
fn each_symbolic(packer: &mut Packer<'_>, slot: Slot, set: &ExprPlan) -> Option<PackedAction> {
    // A separate word for each number, which then need not fit the universe of integers in sets.
    let at = packer.places.hold(slot, &Packing::Integer);
    Some(match &set.kind {
        ExprPlanKind::Binary(BinaryOp::Interval, from, to) => {
            PackedAction::Range { at, lower: vec![packer.scalar(from)?], upper: vec![packer.scalar(to)?] }
        }
        ExprPlanKind::Value(Value::Symbolic(symbolic)) => match &**symbolic {
            Symbolic::Interval(from, to) => {
                let bound = |bound: &Integer| Some(vec![Operand::Known(unsigned(bound.to_i64()?))]);
                PackedAction::Range { at, lower: bound(from)?, upper: bound(to)? }
            }
            _ => return None,
        },
        ExprPlanKind::Value(Value::Set(set)) => {
            let numbers = set.iter().map(|number| number.as_integer().and_then(Integer::to_i64).map(unsigned));
            PackedAction::EachNumber(at, numbers.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// The number of columns of a relation, if one word holds a row.
fn narrow_columns(types: &PackedTypes<'_>, set: &ExprPlan) -> Option<u32> {
    let universe = types.universe(&set.ty)?;
    universe.rows_and_columns().map(|(_, columns)| columns.size()).filter(|size| (1..=64).contains(size))
}

/// A pattern for numbers of a universe; for integers without one.
fn packed_pattern(packer: &mut Packer<'_>, pattern: &Pattern, universe: Option<&Universe>) -> Option<PackedPattern> {
    Some(match pattern {
        Pattern::Slot(slot) => {
            let packing = match universe {
                None | Some(Universe::Integers(_)) => Packing::Integer,
                Some(universe) => Packing::Index(universe.clone()),
            };
            PackedPattern::Slot(packer.places.hold(*slot, &packing))
        }
        Pattern::Pair(first, second) => {
            let (rows, columns) = universe?.rows_and_columns()?;
            let (first, second) = (packed_pattern(packer, first, Some(rows))?, packed_pattern(packer, second, Some(columns))?);
            // The usual pattern `x |-> y` needs no recursion.
            let split = Columns::of(columns.size(), universe?.size());
            match (first, second) {
                (PackedPattern::Slot(first), PackedPattern::Slot(second)) => PackedPattern::Slots(first, second, split),
                (first, second) => PackedPattern::Pair(Box::new(first), Box::new(second), split),
            }
        }
        Pattern::Solved { .. } | Pattern::Record(_) => return None,
        Pattern::Equal(plan) => PackedPattern::Equal(match universe {
            // An integer beyond the universe is compared directly: no element is equal to it, and no bail-out is needed.
            None | Some(Universe::Integers(_)) => packer.scalar(plan)?,
            Some(universe) => packer.number(plan, universe)?,
        }),
    })
}

/// The slots that a pattern binds, from left to right.
fn bound_slots(pattern: &Pattern, out: &mut Vec<Slot>) {
    match pattern {
        Pattern::Slot(slot) => out.push(*slot),
        Pattern::Pair(first, second) => {
            bound_slots(first, out);
            bound_slots(second, out);
        }
        Pattern::Record(patterns) => patterns.iter().for_each(|pattern| bound_slots(pattern, out)),
        Pattern::Solved { slot, .. } => out.push(*slot),
        Pattern::Equal(_) => {}
    }
}
