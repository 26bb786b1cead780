//! Unbounded integers in choices of the machine are enumerated over a window as long as MININT..MAXINT, which is a part of the scope.
//!
//! This is done for set-ups, parameters and choices of substitutions, never for quantifiers and comprehensions, whose meaning would change.
//! It is done for integers with a bound on one side (`x : NATURAL` gives 0..MAXINT), for members of what is made of infinite sets of
//! integers, and for names of which nothing but the type is known.
//! Invariant: each name that is cut is noted with its place and window, and the user is warned. Deliberately elsewhere: which numbers the
//! window has (`windows`).

use super::candidate::{Candidate, How};
use super::conjunction::Unordered;
use super::windows::{Window, interval};
use crate::eval::compile::Compiler;
use crate::eval::compile::names::Names;
use crate::eval::compile::position::Cut;
use crate::eval::plan::{Action, Search, Slot, TriedRange, Wanted};
use crate::ir::build::shifted;
use crate::ir::{BinaryOp, Comparison, ConstantId, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use crate::source::Span;
use std::borrow::Cow;

/// Sets that are cut to a window are enumerated only up to this many elements (by estimate).
const MOST_VALUES: f64 = 1e7;

/// A candidate, with the range to be noted if it is taken; `None` if no number is left out.
type Tried<'p> = (Option<TriedRange>, Candidate<'p>);

impl Compiler<'_> {
    /// A search that gives names to the solver although a plain search finds no bounds for them: infinite sets of integers in their
    /// memberships are cut to a window, which is noted. For integer names it is the default one, whatever other conjuncts require.
    pub(super) fn solving_within_bounds(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64) -> Option<Search> {
        let flat = super::conjuncts::conjuncts(conjuncts);
        let mut cut = Vec::new();
        let mut noted = Vec::new();
        for pred in &flat {
            let PredKind::Compare(Comparison::Member, element, set) = &pred.kind else { continue };
            let Some(slot) = self.names().slot_of(element).filter(|slot| locals.iter().any(|(local, _)| local == slot)) else { continue };
            let all: Vec<&Pred> = flat.iter().collect();
            let window = self.element_window(slot, set, false, &all);
            if let Some(bounded) = self.names().within_bounds(set, window) {
                let kind = PredKind::Compare(Comparison::Member, element.clone(), Box::new(bounded));
                cut.push(Pred { kind, span: pred.span });
                noted.extend(self.names().tried(slot, pred.span, window));
            }
        }
        if cut.is_empty() {
            return None;
        }
        // The cut memberships are added and the original ones stay, so that no binding is visited that does not satisfy these.
        let all: Vec<&Pred> = flat.iter().chain(&cut).collect();
        let (plain, cost) = self.search_at_depth(locals, &all, span, 0);
        if cost.is_infinite() || cost <= limit {
            return None;
        }
        let solved = self.solving(locals, &all, span, plain, Wanted { whole: false, defined: false });
        let is_solved = solved.actions.iter().any(|action| matches!(action, Action::Solve { .. }));
        // Noted only if the solver gets the names: otherwise the windows are not tried.
        is_solved.then(|| {
            self.notes.tried.extend(noted);
            solved
        })
    }

    /// The cheapest candidate that cuts a name to a window, which is noted.
    pub(super) fn candidate_within_bounds<'p>(&mut self, left: Unordered<'_, 'p>, whole: Span) -> Option<Candidate<'p>> {
        let mut offers = self.integers_within_bounds(left, whole);
        offers.extend(self.members_within_bounds(left));
        // Among equals the first one: integers in the order of names, then members in the order of conjuncts.
        let best = offers.into_iter().min_by(|(_, one), (_, other)| one.cost.total_cmp(&other.cost));
        let (tried, candidate) = best.or_else(|| {
            let (slot, span, candidate) = self.names().type_within_bounds(left, whole)?;
            // A cut in one branch says nothing about the others, so it is no bound that the solver may use.
            if self.position().cut == Cut::OutsideBranches {
                self.notes.by_type.insert(slot);
            }
            Some((self.names().tried(slot, span, None), candidate))
        })?;
        self.notes.tried.extend(tried);
        Some(candidate)
    }

    /// Integers that are unbounded on one side at least, with their windows.
    fn integers_within_bounds<'p>(&mut self, left: Unordered<'_, 'p>, whole: Span) -> Vec<Tried<'p>> {
        let mut offers = Vec::new();
        for (slot, _) in left.names().filter(|(_, ty)| *ty == Type::Integer) {
            // A name with an equation gets its value once the other names have theirs.
            if self.names().is_defined(*slot, left) {
                continue;
            }
            let span = left.about(*slot).next().map_or(whole, |(_, pred)| pred.span);
            let (lower, upper, consumes) = self.names().direct_bounds(*slot, left);
            let is_number = |bound: &Expr| self.names().slots_of_expr(bound).is_empty();
            let is_static = lower.iter().chain(&upper).all(is_number);
            let window = self.window(*slot, left.bounds(self.names(), *slot), left.all());
            // If all bounds are numbers, they are replaced by the window; it may be wider than one of them, so no conjunct is used up.
            // Bounds that depend on other names are evaluated by the run, and so is the side that is missing.
            let (lower, upper, consumes) = if is_static {
                let [from, to] = [window.from, window.to].map(|end| vec![number(end)]);
                (from, to, Vec::new())
            } else {
                let (lower, upper) = self.names().moved(lower, upper);
                (lower, upper, consumes)
            };
            // The length of a window that does not follow from the conjuncts.
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            let cost = self.names().reach() as f64 + 1.0;
            let mut tried = self.names().tried(*slot, span, Some(window));
            tried.iter_mut().for_each(|tried| tried.moves = !is_static);
            offers.push((tried, Candidate { cost, how: How::Range(*slot, lower, upper), consumes }));
        }
        offers
    }

    /// Members and subsets of sets that are made of infinite sets of integers; those are cut to a window.
    fn members_within_bounds<'p>(&mut self, left: Unordered<'_, 'p>) -> Vec<Tried<'p>> {
        let mut offers = Vec::new();
        for (at, pred) in left.conjuncts() {
            let PredKind::Compare(comparison, part, set) = &pred.kind else { continue };
            if !self.names().is_closed(set, left.unbound) {
                continue;
            }
            let name = self.names().slot_of(part).filter(|slot| left.unbound.contains(slot));
            let window = match name {
                // `x : S` has a window for x itself, `s : POW(S)` one for the elements, `f : S --> T` one for the values.
                Some(slot) if part.ty == Type::Integer => Some(self.window(slot, left.bounds(self.names(), slot), left.all())),
                Some(slot) => self.element_window(slot, set, *comparison == Comparison::Subset, left.all()),
                None => None,
            };
            let names = self.names();
            let Some(bounded) = names.within_bounds(set, window) else { continue };
            let (cost, span) = (names.set_cost(&bounded), pred.span);
            let mut binds = Vec::new();
            match comparison {
                Comparison::Member if cost < MOST_VALUES && names.can_match(part, left.unbound, &mut binds) => {
                    let how = How::Each(part, Cow::Owned(bounded));
                    // The warning about a pattern names the first of its names.
                    offers.push((names.tried(binds[0], span, window), Candidate { cost, how, consumes: vec![at] }));
                }
                Comparison::Subset if cost.exp2() < MOST_VALUES => {
                    if let Some(slot) = name {
                        let how = How::Subset(slot, Cow::Owned(bounded));
                        offers.push((names.tried(slot, span, window), Candidate { cost: cost.exp2(), how, consumes: vec![at] }));
                    }
                }
                _ => {}
            }
        }
        offers
    }

    /// The bounds that [`Names::type_within_bounds`] has given to sets, as conjuncts for the solver.
    pub(super) fn bounds_by_type(&self, locals: &[(Slot, Type)]) -> Vec<Pred> {
        let span = Span::nowhere();
        let bound = |(slot, ty): &(Slot, Type)| {
            let of = ty.element().filter(|_| self.notes.by_type.contains(slot))?;
            // The names of a search are constants or locals; variables have values when it runs.
            let kind = match self.model.constants.len() {
                constants if *slot < constants => ExprKind::Constant(ConstantId(u32::try_from(*slot).ok()?)),
                _ => ExprKind::Local(self.names().local_of(*slot)),
            };
            let name = Box::new(Expr { kind, ty: ty.clone(), span });
            Some(Pred { kind: PredKind::Compare(Comparison::Subset, name, Box::new(self.names().values_within_bounds(of, span))), span })
        };
        locals.iter().filter_map(bound).collect()
    }

    /// The set of a choice `x :: S`; if it is infinite, its infinite sets of integers are cut to the default window, which is noted.
    pub(in crate::eval) fn choice_within_bounds<'p>(&mut self, set: &'p Expr, slots: &[Slot]) -> Cow<'p, Expr> {
        if self.names().set_cost(set).is_finite() {
            return Cow::Borrowed(set);
        }
        match self.names().within_bounds(set, None) {
            Some(bounded) if self.names().set_cost(&bounded) < MOST_VALUES => {
                let tried: Vec<TriedRange> = slots.iter().filter_map(|&slot| self.names().tried(slot, set.span, None)).collect();
                self.notes.tried.extend(tried);
                Cow::Owned(bounded)
            }
            _ => Cow::Borrowed(set),
        }
    }
}

impl Names<'_> {
    /// The range to be noted for a name with this window, or with the default one; `None` if no number is left out.
    fn tried(&self, slot: Slot, place: Span, window: Option<Window>) -> Option<TriedRange> {
        let (from, to) = self.default_range;
        let window = window.unwrap_or(Window { from, to, is_whole: false });
        let name = self.context.slot_names[slot].clone();
        (!window.is_whole).then_some(TriedRange { place, name, from: window.from, to: window.to, moves: false })
    }

    /// The cheapest name of which nothing but the type is known, with the values of its type within the bounds.
    fn type_within_bounds<'p>(&self, left: Unordered<'_, 'p>, whole: Span) -> Option<(Slot, Span, Candidate<'p>)> {
        let open = left.names().filter(|(slot, _)| !self.is_defined(*slot, left));
        let candidates = open.filter_map(|(slot, ty)| {
            let span = left.about(*slot).next().map_or(whole, |(_, pred)| pred.span);
            let (cost, how) = match ty {
                Type::Set(of) => {
                    let base = self.values_within_bounds(of, span);
                    (self.set_cost(&base).exp2(), How::Subset(*slot, Cow::Owned(base)))
                }
                _ => {
                    let set = self.values_within_bounds(ty, span);
                    (self.set_cost(&set), How::Values(*slot, set))
                }
            };
            (cost < MOST_VALUES).then_some((*slot, span, Candidate { cost, how, consumes: Vec::new() }))
        });
        candidates.min_by(|(.., one), (.., other)| one.cost.total_cmp(&other.cost))
    }

    /// Whether a conjunct left is `slot = …` or `… = slot`.
    fn is_defined(&self, slot: Slot, left: Unordered<'_, '_>) -> bool {
        left.about(slot).any(|(_, pred)| match &pred.kind {
            PredKind::Compare(Comparison::Equal, left, right) => self.slot_of(left) == Some(slot) || self.slot_of(right) == Some(slot),
            _ => false,
        })
    }

    /// Adds the missing side to bounds on one side. It is MININT or MAXINT; if the known side is beyond that when the search runs, it is as
    /// far from the known side as MININT is from MAXINT.
    fn moved(&self, lower: Vec<Expr>, upper: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
        let ((least, greatest), reach) = (self.default_range, self.reach());
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

    /// [`Self::within_bounds`] of both operands, if it replaces anything in either.
    fn both_within_bounds(&self, left: &Expr, right: &Expr, [first, second]: [Option<Window>; 2]) -> Option<(Box<Expr>, Box<Expr>)> {
        let (new_left, new_right) = (self.within_bounds(left, first), self.within_bounds(right, second));
        if new_left.is_none() && new_right.is_none() {
            return None;
        }
        Some((Box::new(new_left.unwrap_or_else(|| left.clone())), Box::new(new_right.unwrap_or_else(|| right.clone()))))
    }

    /// The set with its infinite sets of integers replaced by a window; `None` if there is nothing to replace. If a window is given, it is
    /// that of the elements, or of the values of functions.
    fn within_bounds(&self, set: &Expr, window: Option<Window>) -> Option<Expr> {
        let (minint, maxint) = self.default_range;
        let default = |least: i64| {
            let from = least.max(minint);
            // If MININT..MAXINT has none of the numbers, a window as long as that.
            let to = if from > maxint { from.saturating_add(maxint.saturating_sub(minint)) } else { maxint };
            interval(window.unwrap_or(Window { from, to, is_whole: false }), set.span)
        };
        let kind = match &set.kind {
            ExprKind::IntegerSet(IntegerSet::Integer) => return Some(default(minint)),
            ExprKind::IntegerSet(IntegerSet::Natural) => return Some(default(0)),
            ExprKind::IntegerSet(IntegerSet::Natural1) => return Some(default(1)),
            ExprKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
                ExprKind::Unary(*op, Box::new(self.within_bounds(base, window)?))
            }
            // `seq(S)` stays infinite whatever S is, so it has no case.
            ExprKind::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1), base) => ExprKind::Unary(*op, Box::new(self.within_bounds(base, None)?)),
            ExprKind::Binary(op @ (BinaryOp::Union | BinaryOp::Intersection), left, right) => {
                let (left, right) = self.both_within_bounds(left, right, [window; 2])?;
                ExprKind::Binary(*op, left, right)
            }
            ExprKind::Binary(
                op @ (BinaryOp::Product
                | BinaryOp::Relations
                | BinaryOp::TotalRelations
                | BinaryOp::PartialFunctions
                | BinaryOp::TotalFunctions
                | BinaryOp::PartialInjections
                | BinaryOp::TotalInjections
                | BinaryOp::PartialSurjections
                | BinaryOp::PartialBijections),
                left,
                right,
            ) => {
                // The window belongs to the values; arguments have the default.
                let (left, right) = self.both_within_bounds(left, right, [None, window])?;
                ExprKind::Binary(*op, left, right)
            }
            // The subtracted set may stay infinite: only membership in it is tested.
            ExprKind::Binary(BinaryOp::Difference, left, right) => {
                ExprKind::Binary(BinaryOp::Difference, Box::new(self.within_bounds(left, window)?), right.clone())
            }
            ExprKind::Struct(fields) => {
                let new: Vec<Option<Expr>> = fields.iter().map(|(_, set)| self.within_bounds(set, None)).collect();
                if new.iter().all(Option::is_none) {
                    return None;
                }
                let fields = fields.iter().zip(new);
                ExprKind::Struct(fields.map(|((name, set), new)| (name.clone(), new.unwrap_or_else(|| set.clone()))).collect())
            }
            _ => return None,
        };
        Some(Expr { kind, ty: set.ty.clone(), span: set.span })
    }

    /// The values of a type, their integers within the default range.
    fn values_within_bounds(&self, ty: &Type, span: Span) -> Expr {
        let values = |ty: &Type| Box::new(self.values_within_bounds(ty, span));
        let kind = match ty {
            Type::Integer if self.default_range == (self.scope().minint, self.scope().maxint) => ExprKind::IntegerSet(IntegerSet::Int),
            Type::Integer => {
                let (from, to) = self.default_range;
                return interval(Window { from, to, is_whole: false }, span);
            }
            Type::Set(element) => ExprKind::Unary(UnaryOp::Pow, values(element)),
            Type::Pair(first, second) => ExprKind::Binary(BinaryOp::Product, values(first), values(second)),
            Type::Record(fields) => {
                ExprKind::Struct(fields.iter().map(|(name, ty)| (name.clone(), self.values_within_bounds(ty, span))).collect())
            }
            Type::Bool | Type::String | Type::Given(_) | Type::Free(_) => ExprKind::TypeSet,
        };
        Expr { kind, ty: Type::set(ty.clone()), span }
    }
}

fn number(value: i64) -> Expr {
    Expr { kind: ExprKind::Integer(value.into()), ty: Type::Integer, span: Span::nowhere() }
}
