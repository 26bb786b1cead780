//! Sizes of deferred sets that satisfy the conjuncts of PROPERTIES about cardinalities: `card(S) > card(T)`, `card(S) : 3 .. 4`,
//! `f : S >->> 1 .. 5`.
//!
//! Brute force over small sizes. Invariant: sizes are suggested only where those that would be taken otherwise make one of these
//! conjuncts false. Then as few sets as possible get another size, and the sum of the differences from the old sizes is the least; a
//! smaller size counts as a greater difference than any larger one that is tried. Deliberately elsewhere: conjuncts that leave one size only (`hints`).

use super::hints::card_of;
use super::settings::value_with;
use crate::ir::{SetId, SizeHint};
use crate::syntax::ast::{BinaryOp, Builtin, Constant, Expr, ExprKind};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The largest size that is tried where one set, two sets or three sets are changed at once; more are not. It falls with their number,
/// because the number of combinations is its power.
const LARGEST: [usize; 3] = [64, 16, 8];

/// The sizes that are known before.
pub(super) struct Sizes<'k> {
    /// The given set of a name.
    pub(super) set_of: &'k dyn Fn(&str) -> Option<SetId>,
    /// The size of a set that is enumerated or has a size of its own.
    pub(super) fixed: &'k dyn Fn(SetId) -> Option<usize>,
    /// Constants that equal a number.
    pub(super) numbers: &'k BTreeMap<&'k str, i64>,
    /// The size of a deferred set without any other.
    pub(super) default: usize,
}

/// Adds suggested sizes to the hints, if the conjuncts are false with the present ones and true with others that are found.
pub(super) fn suggest(parts: &[&Expr], known: &Sizes<'_>, hints: &mut IndexMap<SetId, SizeHint>) {
    let mut sizes: BTreeMap<SetId, usize> = BTreeMap::new();
    let mut free: Vec<(SetId, RangeInclusive<usize>)> = Vec::new();
    for part in parts {
        for id in sets_in(part, known) {
            if sizes.contains_key(&id) {
                continue;
            }
            // As `scope` will decide where no size is asked for: fixed, implied, at least the lower bound, else the default.
            let size = match (hints.get(&id), (known.fixed)(id)) {
                (_, Some(fixed)) => fixed,
                (Some(SizeHint::Exactly(exact)), None) => *exact,
                // MAXINT is part of the scope and not known here; conjuncts about this set count as none about sizes.
                (Some(SizeHint::MaxInt), None) => continue,
                (Some(&SizeHint::Listed(least, most)), None) => {
                    free.push((id, least..=most));
                    most
                }
                (hint, None) => {
                    let least = if let Some(SizeHint::AtLeast(least)) = hint { *least } else { 1 };
                    free.push((id, least..=usize::MAX));
                    least.max(known.default)
                }
            };
            sizes.insert(id, size);
        }
    }
    // A conjunct without a truth value here is about something else. One that loses its value when sizes are varied, such as
    // `n / (card(S) - 2) = 1`, does not hold with them.
    let conditions: Vec<&Expr> = parts.iter().copied().filter(|part| truth(part, &sizes, known).is_some()).collect();
    let hold = |sizes: &BTreeMap<SetId, usize>| conditions.iter().all(|condition| truth(condition, sizes, known) == Some(true));
    if hold(&sizes) {
        return;
    }
    // Fewest changes first. Among equal distances the first found stays, so the result does not depend on anything but the text.
    for (most, largest) in (1..=free.len()).zip(LARGEST) {
        let mut best: Option<(usize, BTreeMap<SetId, usize>)> = None;
        vary(&free, most, largest, &sizes, 0, &mut |changed, distance| {
            if best.as_ref().is_none_or(|(least, _)| distance < *least) && hold(changed) {
                best = Some((distance, changed.clone()));
            }
        });
        if let Some((_, found)) = best {
            for (id, size) in found.into_iter().filter(|(id, size)| sizes[id] != *size) {
                hints.insert(id, SizeHint::Suggested(size));
            }
            return;
        }
    }
}

/// Visits all combinations of sizes in which at most `most` of the free sets have another size than in `sizes`, each with its distance.
fn vary(
    free: &[(SetId, RangeInclusive<usize>)],
    most: usize,
    largest: usize,
    sizes: &BTreeMap<SetId, usize>,
    distance: usize,
    visit: &mut dyn FnMut(&BTreeMap<SetId, usize>, usize),
) {
    let Some(((id, possible), rest)) = free.split_first() else { return visit(sizes, distance) };
    // The first free set takes each other size, or keeps its own (below); the rest follows by recursion.
    if most > 0 {
        for size in (*possible.start()..=largest.min(*possible.end())).filter(|size| *size != sizes[id]) {
            let mut changed = sizes.clone();
            changed.insert(*id, size);
            // More than the distance of any larger size that is tried.
            let smaller = if size < sizes[id] { LARGEST[0] } else { 0 };
            vary(rest, most - 1, largest, &changed, distance + smaller + size.abs_diff(sizes[id]), visit);
        }
    }
    vary(rest, most, largest, sizes, distance, visit);
}

/// The given sets whose names occur in a conjunct that could be about sizes alone.
fn sets_in(expr: &Expr, known: &Sizes<'_>) -> Vec<SetId> {
    match &expr.kind {
        ExprKind::Ident(name) => (known.set_of)(name).into_iter().collect(),
        ExprKind::Unary(_, inner) | ExprKind::Labelled(_, inner) => sets_in(inner, known),
        ExprKind::Binary(_, left, right) => [left, right].into_iter().flat_map(|side| sets_in(side, known)).collect(),
        ExprKind::Builtin(Builtin::Card | Builtin::Not, items) | ExprKind::SetExtension(items) => {
            items.iter().flat_map(|item| sets_in(item, known)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a conjunct about sizes holds; `None` for any other conjunct.
fn truth(expr: &Expr, sizes: &BTreeMap<SetId, usize>, known: &Sizes<'_>) -> Option<bool> {
    let number = |expr: &Expr| number(expr, sizes, known);
    match &expr.kind {
        ExprKind::Labelled(_, inner) => truth(inner, sizes, known),
        ExprKind::Builtin(Builtin::Not, items) => match items.as_slice() {
            [inner] => truth(inner, sizes, known).map(|holds| !holds),
            _ => None,
        },
        ExprKind::Binary(op, left, right) => {
            // No short circuit: one part that is not about sizes makes the whole none about sizes, whatever the other part is.
            let both = || Some((truth(left, sizes, known)?, truth(right, sizes, known)?));
            match op {
                BinaryOp::And => both().map(|(left, right)| left && right),
                BinaryOp::Or => both().map(|(left, right)| left || right),
                BinaryOp::Implies => both().map(|(left, right)| !left || right),
                BinaryOp::Equivalent => both().map(|(left, right)| left == right),
                BinaryOp::Equal => Some(number(left)? == number(right)?),
                BinaryOp::NotEqual => Some(number(left)? != number(right)?),
                BinaryOp::Less => Some(number(left)? < number(right)?),
                BinaryOp::LessEqual => Some(number(left)? <= number(right)?),
                BinaryOp::Greater => Some(number(left)? > number(right)?),
                BinaryOp::GreaterEqual => Some(number(left)? >= number(right)?),
                BinaryOp::Member => match &right.kind {
                    ExprKind::SetExtension(items) => {
                        let items: Option<Vec<i64>> = items.iter().map(number).collect();
                        Some(items?.contains(&number(left)?))
                    }
                    ExprKind::Binary(BinaryOp::Interval, from, to) => Some((number(from)?..=number(to)?).contains(&number(left)?)),
                    ExprKind::Binary(space, from, to) => {
                        let (from, to) = (size(from, sizes, known)?, size(to, sizes, known)?);
                        // The condition under which the space is not empty; the empty relation is in all other spaces.
                        match space {
                            BinaryOp::TotalBijections => Some(from == to),
                            BinaryOp::TotalInjections => Some(from <= to),
                            BinaryOp::TotalSurjections => Some(from >= to && (from == 0 || to > 0)),
                            BinaryOp::PartialSurjections | BinaryOp::PartialBijections => Some(from >= to),
                            BinaryOp::TotalFunctions | BinaryOp::TotalRelations => Some(from == 0 || to > 0),
                            BinaryOp::SurjectiveRelations => Some(to == 0 || from > 0),
                            BinaryOp::TotalSurjectiveRelations => Some((from == 0) == (to == 0)),
                            _ => None,
                        }
                    }
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn number(expr: &Expr, sizes: &BTreeMap<SetId, usize>, known: &Sizes<'_>) -> Option<i64> {
    value_with(expr, &|expr| match &expr.kind {
        ExprKind::Ident(name) => known.numbers.get(name.as_str()).copied(),
        _ => {
            let id = card_of(expr, known.set_of)?;
            i64::try_from(*sizes.get(&id)?).ok()
        }
    })
}

/// The number of elements of a given set, an interval or BOOL.
fn size(set: &Expr, sizes: &BTreeMap<SetId, usize>, known: &Sizes<'_>) -> Option<i64> {
    match &set.kind {
        ExprKind::Ident(name) => i64::try_from(*sizes.get(&(known.set_of)(name)?)?).ok(),
        ExprKind::Constant(Constant::Bool) => Some(2),
        ExprKind::Binary(BinaryOp::Interval, from, to) => {
            Some((number(to, sizes, known)?.checked_sub(number(from, sizes, known)?)?.checked_add(1)?).max(0))
        }
        _ => None,
    }
}
