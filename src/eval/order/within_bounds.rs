//! Unbounded integers in choices of the machine are enumerated over a window as long as MININT..MAXINT, which is a part of the scope.
//!
//! Only set-ups, parameters and choices of substitutions are treated so, never quantifiers and comprehensions, whose meaning would
//! change. Bounds on one side, and functions and sets of infinite sets of integers, count: `x : NATURAL` gives 0..MAXINT;
//! so do names of which nothing but the type is known.
//! Invariant: each name treated so is noted with its place and the range, and the user is warned, unless nothing is left out; what is
//! only in the cut set is no value of the name. Deliberately elsewhere: which range that is (`windows`).

use super::bounds;
use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::windows::{Window, interval};
use super::windows::{element_window, reach, window_of};
use super::{choose_from, pattern, ranges};
use super::{search_inside, solving};
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::compile::position::Cut;
use crate::plan::{Action, Search, Slot, TriedRange, Wanted};
use crate::thresholds::WINDOW_ELEMENTS;
use bcheck_ir::build::shifted;
use bcheck_ir::{BinaryOp, Comparison, ConstantId, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use bcheck_source::Span;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A set with windows in the place of its infinite sets of integers.
struct CutSet {
    set: Expr,
    /// Whether elements that the conjuncts allow may be missing.
    leaves_out: bool,
    /// Whether it may have elements that the whole set does not have: a total function on 0..3 is none on NATURAL.
    adds: bool,
}

/// A candidate, with the range that is noted if it is taken; none where all numbers are tried.
type Tried<'p> = (Option<TriedRange>, Candidate<'p>);

/// A search that gives names to the solver although a plain search finds no bounds for them: infinite sets of integers in their
/// memberships are cut to a window, which is noted. For integer names it is the default one, whatever other conjuncts require.
pub(super) fn solving_within_bounds(
    compiler: &mut Compiler<'_>,
    locals: &[(Slot, Type)],
    conjuncts: &[&Pred],
    span: Span,
    limit: f64,
) -> Option<Search> {
    let flat = super::conjuncts::conjuncts(conjuncts);
    let mut cut = Vec::new();
    let mut noted = Vec::new();
    for pred in &flat {
        let PredKind::Compare(Comparison::Member, element, set) = &pred.kind else { continue };
        let Some(slot) = compiler.names().slot_of(element).filter(|slot| locals.iter().any(|(local, _)| local == slot)) else { continue };
        if choose_from::is_total_on_infinite(&compiler.names(), set) {
            continue;
        }
        let all: Vec<&Pred> = flat.iter().collect();
        let window = if element.ty == Type::Integer {
            let bounds = bounds::propagated(compiler.names(), &all).of(slot);
            Some(window_of(compiler, slot, bounds, &all))
        } else {
            element_window(compiler, slot, set, false, &all)
        };
        if let Some(bounded) = within_bounds(&compiler.names(), set, window) {
            noted.extend(tried(&compiler.names(), slot, pred.span, window, bounded.leaves_out));
            let kind = PredKind::Compare(Comparison::Member, element.clone(), Box::new(bounded.set));
            cut.push(Pred { kind, span: pred.span });
        }
    }
    if cut.is_empty() {
        return None;
    }
    // The cut memberships are added and the original ones stay, so that no binding is visited that does not satisfy these.
    let all: Vec<&Pred> = flat.iter().chain(&cut).collect();
    let (solved, noted_of_search) = compiler.noting(|compiler| {
        let (plain, cost) = search_inside(compiler, locals, &all, span, None);
        let wanted = Wanted { whole: false, defined: false };
        (cost.is_finite() && cost > limit).then(|| solving(compiler, locals, &all, span, plain, wanted))
    });
    let solved = solved?;
    let is_solved = solved.actions.iter().any(|action| matches!(action, Action::Solve { .. }));
    // Noted only if the solver gets the names: otherwise the windows are not tried.
    is_solved.then(|| {
        compiler.notes.add(noted_of_search);
        compiler.notes.tried.extend(noted);
        solved
    })
}

/// The cheapest candidate that cuts a name to a window, which is noted.
pub(super) fn candidate_within_bounds<'p>(compiler: &mut Compiler<'_>, left: Unordered<'_, 'p>, whole: Span) -> Option<Candidate<'p>> {
    let mut offers = integers_within_bounds(compiler, left, whole);
    offers.extend(members_within_bounds(compiler, left));
    // Among equals the first one: integers in the order of names, then members in the order of conjuncts.
    let best = offers.into_iter().min_by(|(_, one), (_, other)| one.cost.total_cmp(&other.cost));
    let (tried, candidate) = best.or_else(|| {
        let (slot, span, candidate) = type_within_bounds(&compiler.names(), left, whole)?;
        // A cut in one branch says nothing about the others, so it is not a bound that the solver may use.
        if compiler.position().cut == Cut::OutsideBranches {
            compiler.notes.by_type.insert(slot);
        }
        Some((tried(&compiler.names(), slot, span, None, true), candidate))
    })?;
    let Some(tried) = tried else { return Some(candidate) };
    compiler.notes.tried.insert(tried.clone());
    let Candidate { cost, how, consumes } = candidate;
    Some(Candidate { cost, how: How::Within(tried, Box::new(how)), consumes })
}

/// Integers that are unbounded on one side at least, with their windows.
fn integers_within_bounds<'p>(compiler: &mut Compiler<'_>, left: Unordered<'_, 'p>, whole: Span) -> Vec<Tried<'p>> {
    let mut offers = Vec::new();
    for (slot, _) in left.names().filter(|(_, ty)| *ty == Type::Integer) {
        // A name with an equation gets its value once the other names have theirs.
        if is_defined(&compiler.names(), *slot, left) {
            continue;
        }
        let span = left.about(*slot).next().map_or(whole, |(_, pred)| pred.span);
        let (lower, upper, consumes) = ranges::direct_bounds(&compiler.names(), *slot, left);
        let is_number = |bound: &Expr| compiler.names().slots_of_expr(bound).is_empty();
        let is_static = lower.iter().chain(&upper).all(is_number);
        let window = window_of(compiler, *slot, left.bounds(compiler.names(), *slot), left.all());
        // Bounds that are numbers are replaced by the window, which may be narrower, so no conjunct is used up. Bounds that depend on
        // other names become expressions for the run.
        let (lower, upper, consumes) = if is_static || window.is_whole {
            let [from, to] = [window.from, window.to].map(|end| vec![number(end)]);
            (from, to, Vec::new())
        } else {
            let (lower, upper) = moved(&compiler.names(), lower, upper);
            (lower, upper, consumes)
        };
        // The length of a window that does not follow from the conjuncts.
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let cost = reach(&compiler.names()) as f64 + 1.0;
        let mut tried = tried(&compiler.names(), *slot, span, Some(window), !window.is_whole);
        tried.iter_mut().for_each(|tried| tried.moves = !is_static);
        offers.push((tried, Candidate { cost, how: How::Range(*slot, lower, upper), consumes }));
    }
    offers
}

/// Members and subsets of sets that are made of infinite sets of integers; those are cut to a window.
fn members_within_bounds<'p>(compiler: &mut Compiler<'_>, left: Unordered<'_, 'p>) -> Vec<Tried<'p>> {
    let mut offers = Vec::new();
    for (at, pred) in left.conjuncts() {
        let PredKind::Compare(comparison, part, set) = &pred.kind else { continue };
        // No function on a window is total on the whole: such a set is chosen from without a cut (`choose_from`).
        if !compiler.names().is_closed(set, left.unbound) || choose_from::is_total_on_infinite(&compiler.names(), set) {
            continue;
        }
        let name = compiler.names().slot_of(part).filter(|slot| left.unbound.contains(slot));
        let window = match name {
            // `x : S` has a window for x itself, `s : POW(S)` one for the elements, `f : S --> T` one for the values.
            Some(slot) if part.ty == Type::Integer => Some(window_of(compiler, slot, left.bounds(compiler.names(), slot), left.all())),
            Some(slot) => element_window(compiler, slot, set, *comparison == Comparison::Subset, left.all()),
            None => None,
        };
        let names = compiler.names();
        let Some(CutSet { set: bounded, leaves_out, adds }) = within_bounds(&names, set, window) else { continue };
        let (cost, span) = (cost::set_cost(&names, &bounded), pred.span);
        // If the cut set has additional elements, the conjunct has to exclude them.
        let consumes = if adds { Vec::new() } else { vec![at] };
        let mut binds = Vec::new();
        match comparison {
            Comparison::Member if cost < WINDOW_ELEMENTS.get() && pattern::can_match(&names, part, left.unbound, &mut binds) => {
                let how = How::Each(part, Cow::Owned(bounded));
                // For a pattern, the first name represents all of them in the warning.
                offers.push((tried(&names, binds[0], span, window, leaves_out), Candidate { cost, how, consumes }));
            }
            Comparison::Subset if cost.exp2() < WINDOW_ELEMENTS.get() => {
                if let Some(slot) = name {
                    let how = How::Subset(slot, Cow::Owned(bounded));
                    offers.push((tried(&names, slot, span, window, leaves_out), Candidate { cost: cost.exp2(), how, consumes }));
                }
            }
            _ => {}
        }
    }
    offers
}

/// The bounds that [`type_within_bounds`] has given to sets, as conjuncts for the solver.
pub(super) fn bounds_by_type(names: &Names<'_>, by_type: &BTreeSet<Slot>, locals: &[(Slot, Type)]) -> Vec<Pred> {
    let span = Span::nowhere();
    let bound = |(slot, ty): &(Slot, Type)| {
        let of = ty.element().filter(|_| by_type.contains(slot))?;
        // The names of a search are constants or locals; variables have values when it runs.
        let kind = match names.model.constants.len() {
            constants if *slot < constants => ExprKind::Constant(ConstantId(u32::try_from(*slot).ok()?)),
            _ => ExprKind::Local(names.local_of(*slot)),
        };
        let name = Box::new(Expr { kind, ty: ty.clone(), span });
        Some(Pred { kind: PredKind::Compare(Comparison::Subset, name, Box::new(values_within_bounds(names, of, span))), span })
    };
    locals.iter().filter_map(bound).collect()
}

/// The set of a choice `x :: S`; if it is infinite, its infinite sets of integers are cut to the default window, which is noted and
/// returned.
pub(super) fn choice_within_bounds<'p>(compiler: &mut Compiler<'_>, set: &'p Expr, slots: &[Slot]) -> (Cow<'p, Expr>, Option<TriedRange>) {
    if cost::set_cost(&compiler.names(), set).is_finite() {
        return (Cow::Borrowed(set), None);
    }
    match within_bounds(&compiler.names(), set, None) {
        // Nothing tests what is chosen, so the cut set must be a part of the whole one.
        Some(CutSet { set: bounded, leaves_out, adds: false }) if cost::set_cost(&compiler.names(), &bounded) < WINDOW_ELEMENTS.get() => {
            let tried = |&slot: &Slot| tried(&compiler.names(), slot, set.span, None, leaves_out);
            let tried: Vec<TriedRange> = slots.iter().filter_map(tried).collect();
            let first = tried.first().cloned();
            compiler.notes.tried.extend(tried);
            (Cow::Owned(bounded), first)
        }
        _ => (Cow::Borrowed(set), None),
    }
}

/// The range noted for a name, where something is left out: its window or, where that leaves nothing out, the default.
fn tried(names: &Names<'_>, slot: Slot, place: Span, window: Option<Window>, leaves_out: bool) -> Option<TriedRange> {
    let (from, to) = window.filter(|window| !window.is_whole).map_or(names.default_range, |window| (window.from, window.to));
    leaves_out.then(|| TriedRange { place, name: names.context.slot_names[slot].clone(), from, to, moves: false })
}

/// The cheapest name of which nothing but the type is known, with the values of its type within the bounds.
fn type_within_bounds<'p>(names: &Names<'_>, left: Unordered<'_, 'p>, whole: Span) -> Option<(Slot, Span, Candidate<'p>)> {
    let is_total = |slot: Slot| {
        left.about(slot).any(|(_, pred)| {
            matches!(&pred.kind, PredKind::Compare(Comparison::Member, element, set)
                if names.slot_of(element) == Some(slot) && choose_from::is_total_on_infinite(names, set))
        })
    };
    let open = left.names().filter(|(slot, _)| !is_defined(names, *slot, left) && !is_total(*slot));
    let candidates = open.filter_map(|(slot, ty)| {
        let span = left.about(*slot).next().map_or(whole, |(_, pred)| pred.span);
        let (cost, how) = match ty {
            Type::Set(of) => {
                let base = values_within_bounds(names, of, span);
                (cost::set_cost(names, &base).exp2(), How::Subset(*slot, Cow::Owned(base)))
            }
            _ => {
                let set = values_within_bounds(names, ty, span);
                (cost::set_cost(names, &set), How::Values(*slot, set))
            }
        };
        (cost < WINDOW_ELEMENTS.get()).then_some((*slot, span, Candidate { cost, how, consumes: Vec::new() }))
    });
    candidates.min_by(|(.., one), (.., other)| one.cost.total_cmp(&other.cost))
}

/// Whether a conjunct left is `slot = …` or `… = slot`.
fn is_defined(names: &Names<'_>, slot: Slot, left: Unordered<'_, '_>) -> bool {
    left.about(slot).any(|(_, pred)| match &pred.kind {
        PredKind::Compare(Comparison::Equal, left, right) => names.slot_of(left) == Some(slot) || names.slot_of(right) == Some(slot),
        _ => false,
    })
}

/// Adds the missing side to bounds on one side. It is MININT or MAXINT; if the known side is beyond that when the search runs, it is as
/// far from the known side as MININT is from MAXINT.
fn moved(names: &Names<'_>, lower: Vec<Expr>, upper: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
    let ((least, greatest), reach) = (names.default_range, reach(names));
    let expr = |kind, ty| Expr { kind, ty, span: Span::nowhere() };
    let moved = |known: &[Expr], pick: UnaryOp, beyond: Comparison, limit: i64, by: i64| {
        let end = match known {
            [one] => one.clone(),
            several => {
                let all = expr(ExprKind::SetExtension(several.to_vec()), Type::set(Type::Integer));
                expr(ExprKind::Unary(pick, Box::new(all)), Type::Integer)
            }
        };
        let limit = number(limit);
        let kind = PredKind::Compare(beyond, Box::new(end.clone()), Box::new(limit.clone()));
        let is_beyond = Pred { kind, span: Span::nowhere() };
        vec![expr(ExprKind::If(Box::new(is_beyond), Box::new(shifted(&end, by)), Box::new(limit)), Type::Integer)]
    };
    match (lower.is_empty(), upper.is_empty()) {
        (false, true) => {
            let other = moved(&lower, UnaryOp::Max, Comparison::Greater, greatest, reach);
            (lower, other)
        }
        (true, false) => {
            let other = moved(&upper, UnaryOp::Min, Comparison::Less, least, -reach);
            (other, upper)
        }
        _ => (lower, upper),
    }
}

/// The set with a window for its infinite sets of integers wherever its elements are built from them; `None` when there is
/// nothing to replace. The window is that of the elements, or of the values of functions, where it is given.
fn within_bounds(names: &Names<'_>, set: &Expr, window: Option<Window>) -> Option<CutSet> {
    match &set.kind {
        ExprKind::IntegerSet(IntegerSet::Integer) => Some(integers_cut(names, i64::MIN, window, set.span)),
        ExprKind::IntegerSet(IntegerSet::Natural) => Some(integers_cut(names, 0, window, set.span)),
        ExprKind::IntegerSet(IntegerSet::Natural1) => Some(integers_cut(names, 1, window, set.span)),
        ExprKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
            let base = within_bounds(names, base, window)?;
            Some(base.into_part_of(set, |base| ExprKind::Unary(*op, base)))
        }
        // `seq(S)` stays infinite whatever S is, so it has no case.
        ExprKind::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1), base) => {
            let base = within_bounds(names, base, None)?;
            Some(base.into_part_of(set, |base| ExprKind::Unary(*op, base)))
        }
        // A finite intersection has nothing to cut, though one of its operands is infinite.
        ExprKind::Binary(BinaryOp::Intersection, ..) if cost::set_cost(names, set).is_finite() => None,
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Intersection, left, right) => {
            both_within_bounds(names, set, left, right, [window; 2], [false; 2])
        }
        // The window belongs to the values; arguments have the default.
        ExprKind::Binary(BinaryOp::Product, left, right) => both_within_bounds(names, set, left, right, [None, window], [false; 2]),
        // On all of a part, or onto all of one, is not on all of the whole, or onto it.
        ExprKind::Binary(BinaryOp::Relations(kind), left, right) if !kind.is_surjective() || kind.is_functional() && !kind.is_total() => {
            both_within_bounds(names, set, left, right, [None, window], [kind.is_total(), kind.is_surjective()])
        }
        // The subtracted set may stay infinite: only membership in it is tested.
        ExprKind::Binary(BinaryOp::Difference, left, right) => {
            let left = within_bounds(names, left, window)?;
            Some(left.into_part_of(set, |left| ExprKind::Binary(BinaryOp::Difference, left, right.clone())))
        }
        ExprKind::Struct(fields) => {
            let (mut leaves_out, mut adds, mut is_cut) = (false, false, false);
            let mut field = |(name, whole): &(Arc<str>, Expr)| {
                let Some(cut) = within_bounds(names, whole, None) else { return (name.clone(), whole.clone()) };
                (leaves_out, adds, is_cut) = (leaves_out || cut.leaves_out, adds || cut.adds, true);
                (name.clone(), cut.set)
            };
            let kind = ExprKind::Struct(fields.iter().map(&mut field).collect());
            is_cut.then(|| CutSet { set: Expr { kind, ty: set.ty.clone(), span: set.span }, leaves_out, adds })
        }
        _ => None,
    }
}

/// The set with a window from which nothing is missing; `None` where integers of another part would be left out.
pub(super) fn whole_within_bounds(names: &Names<'_>, set: &Expr, window: Window) -> Option<Expr> {
    within_bounds(names, set, Some(window)).filter(|cut| !cut.leaves_out && !cut.adds).map(|cut| cut.set)
}

/// [`Self::within_bounds`] of both operands of an operator, if it replaces anything in either. `adds`: for each operand, whether
/// less of it gives the set new elements.
fn both_within_bounds(
    names: &Names<'_>,
    whole: &Expr,
    left: &Expr,
    right: &Expr,
    [first, second]: [Option<Window>; 2],
    adds: [bool; 2],
) -> Option<CutSet> {
    let ExprKind::Binary(op, ..) = whole.kind else { unreachable!("has two operands") };
    let cut = [within_bounds(names, left, first), within_bounds(names, right, second)];
    if cut.iter().all(Option::is_none) {
        return None;
    }
    let leaves_out = cut.iter().flatten().any(|cut| cut.leaves_out);
    let adds = cut.iter().zip(adds).any(|(cut, adds)| cut.as_ref().is_some_and(|cut| adds || cut.adds));
    let [new_left, new_right] = cut.map(|cut| cut.map(|cut| cut.set));
    let (left, right) = (new_left.unwrap_or_else(|| left.clone()), new_right.unwrap_or_else(|| right.clone()));
    let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
    Some(CutSet { set: Expr { kind, ty: whole.ty.clone(), span: whole.span }, leaves_out, adds })
}

/// The integers from `least` on, cut to a window; to the default where none is given, or one that has none of them.
fn integers_cut(names: &Names<'_>, least: i64, window: Option<Window>, span: Span) -> CutSet {
    // A window that lacks nothing is unchanged: numbers below `least` in it are no elements all the same.
    let window = window.filter(|window| window.is_whole || window.to >= least).unwrap_or_else(|| {
        let (minint, maxint) = names.default_range;
        let from = least.max(minint);
        // A window as long as MININT..MAXINT where that has none of the numbers.
        let to = if from > maxint { from.saturating_add(maxint.saturating_sub(minint)) } else { maxint };
        Window { from, to, is_whole: false }
    });
    let set = interval(Window { from: window.from.max(least), ..window }, span);
    CutSet { set, leaves_out: !window.is_whole, adds: false }
}

/// The values of a type, their integers within the default range.
fn values_within_bounds(names: &Names<'_>, ty: &Type, span: Span) -> Expr {
    let values = |ty: &Type| Box::new(values_within_bounds(names, ty, span));
    let kind = match ty {
        Type::Integer if names.default_range == (names.scope().minint, names.scope().maxint) => ExprKind::IntegerSet(IntegerSet::Int),
        Type::Integer => {
            let (from, to) = names.default_range;
            return interval(Window { from, to, is_whole: false }, span);
        }
        Type::Set(element) => ExprKind::Unary(UnaryOp::Pow, values(element)),
        Type::Pair(first, second) => ExprKind::Binary(BinaryOp::Product, values(first), values(second)),
        Type::Record(fields) => {
            ExprKind::Struct(fields.iter().map(|(name, ty)| (name.clone(), values_within_bounds(names, ty, span))).collect())
        }
        Type::Bool | Type::String | Type::Given(_) | Type::Free(_) => ExprKind::TypeSet,
    };
    Expr { kind, ty: Type::set(ty.clone()), span }
}

impl CutSet {
    /// `whole` with this set in the place of its operand.
    fn into_part_of(self, whole: &Expr, kind: impl FnOnce(Box<Expr>) -> ExprKind) -> CutSet {
        CutSet { set: Expr { kind: kind(Box::new(self.set)), ty: whole.ty.clone(), span: whole.span }, ..self }
    }
}

fn number(value: i64) -> Expr {
    Expr { kind: ExprKind::Integer(value.into()), ty: Type::Integer, span: Span::nowhere() }
}
