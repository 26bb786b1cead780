//! Names that nothing bounds, in a choice: integers are then tried from MININT to MAXINT, as they are part of the scope.
//!
//! Only set-ups, parameters and choices of substitutions are treated so, never quantifiers and comprehensions, whose meaning would
//! change. Bounds on one side, and functions and sets of infinite sets of integers, count: `x : NATURAL` gives 0..MAXINT;
//! so do names of which nothing but the type is known.
//! Invariant: each name treated so is noted with its place, and the user is warned.

use super::compile::Compiler;
use super::generate::{Candidate, How, Unordered};
use super::plan::{Action, Search, Slot, Wanted};
use crate::ir::{BinaryOp, Comparison, ConstantId, Expr, ExprKind, IntegerSet, Pred, PredKind, Type, UnaryOp};
use crate::source::Span;
use num_traits::ToPrimitive;
use std::borrow::Cow;

/// Sets of sets and of functions are enumerated so only up to this many elements.
const MOST_VALUES: f64 = 1e7;

impl Compiler<'_> {
    /// Names solved together where a plain search finds no bounds, with the infinite sets of integers in their memberships cut to the
    /// bounds; noted for the warning.
    pub(super) fn solving_within_bounds(&mut self, locals: &[(Slot, Type)], conjuncts: &[&Pred], span: Span, limit: f64) -> Option<Search> {
        let flat = super::conjuncts::conjuncts(conjuncts);
        let mut cut = Vec::new();
        let mut noted = Vec::new();
        for pred in &flat {
            let PredKind::Compare(Comparison::Member, element, set) = &pred.kind else { continue };
            let Some(slot) = self.slot_of(element).filter(|slot| locals.iter().any(|(local, _)| local == slot)) else { continue };
            if let Some(bounded) = within_bounds(set) {
                let kind = PredKind::Compare(Comparison::Member, element.clone(), Box::new(bounded));
                cut.push(Pred { kind, span: pred.span });
                noted.push((pred.span, self.context.slot_names[slot].clone()));
            }
        }
        if cut.is_empty() {
            return None;
        }
        let all: Vec<&Pred> = flat.iter().chain(&cut).collect();
        let (plain, cost) = self.search_at_depth(locals, &all, span, 0);
        if cost.is_infinite() || cost <= limit {
            return None;
        }
        let solved = self.solving(locals, &all, span, plain, Wanted { whole: false, defined: false });
        let is_solved = solved.actions.iter().any(|action| matches!(action, Action::Solve { .. }));
        is_solved.then(|| {
            self.context.within_bounds.extend(noted);
            solved
        })
    }

    /// The cheapest way to bind a name within the bounds, noted for the warning.
    pub(super) fn candidate_within_bounds<'p>(&mut self, left: Unordered<'_, 'p>, whole: Span) -> Option<Candidate<'p>> {
        let Unordered { locals, conjuncts, remaining, mentions, unbound } = left;
        let mut best: Option<(Slot, Span, Candidate<'p>)> = None;
        let mut offer = |slot, span, candidate: Candidate<'p>| {
            if best.as_ref().is_none_or(|(_, _, best)| candidate.cost < best.cost) {
                best = Some((slot, span, candidate));
            }
        };
        for (slot, _) in locals.iter().filter(|(slot, ty)| *ty == Type::Integer && unbound.contains(slot)) {
            // What an equation defines by other names follows from them.
            if remaining.iter().any(|&at| self.defines(conjuncts[at], *slot)) {
                continue;
            }
            let (lower, upper, consumes) = self.direct_bounds(*slot, left);
            let span = remaining.iter().find(|&&at| mentions[at].contains(slot)).map_or(whole, |&at| conjuncts[at].span);
            let lower = self.bound_or(lower, &upper, ExprKind::MinInt, UnaryOp::Min);
            let upper = self.bound_or(upper, &lower, ExprKind::MaxInt, UnaryOp::Max);
            #[allow(clippy::cast_precision_loss, reason = "an estimate")]
            let cost = (self.context.scope.maxint - self.context.scope.minint + 1) as f64;
            offer(*slot, span, Candidate { cost, how: How::Range(*slot, lower, upper), consumes });
        }
        for &at in remaining {
            let PredKind::Compare(comparison, part, set) = &conjuncts[at].kind else { continue };
            if !self.is_closed(set, unbound) {
                continue;
            }
            let Some(bounded) = within_bounds(set) else { continue };
            let cost = self.set_cost(&bounded);
            let mut binds = Vec::new();
            match comparison {
                Comparison::Member if cost < MOST_VALUES && self.can_match(part, unbound, &mut binds) => {
                    let how = How::Each(part, Cow::Owned(bounded));
                    offer(binds[0], conjuncts[at].span, Candidate { cost, how, consumes: vec![at] });
                }
                Comparison::Subset if cost.exp2() < MOST_VALUES => {
                    if let Some(slot) = self.slot_of(part).filter(|slot| unbound.contains(slot)) {
                        let how = How::Subset(slot, Cow::Owned(bounded));
                        offer(slot, conjuncts[at].span, Candidate { cost: cost.exp2(), how, consumes: vec![at] });
                    }
                }
                _ => {}
            }
        }
        if best.is_none() {
            best = self.type_within_bounds(left, whole);
            if !self.cuts_in_branches {
                self.known_by_type.extend(best.iter().map(|(slot, ..)| *slot));
            }
        }
        let (slot, span, candidate) = best?;
        self.context.within_bounds.insert((span, self.context.slot_names[slot].clone()));
        Some(candidate)
    }

    /// The cheapest name of which only the type is known, with the values of its type within the bounds.
    fn type_within_bounds<'p>(&self, left: Unordered<'_, 'p>, whole: Span) -> Option<(Slot, Span, Candidate<'p>)> {
        let Unordered { locals, conjuncts, remaining, mentions, unbound } = left;
        let follows = |slot: Slot| remaining.iter().any(|&at| self.defines(conjuncts[at], slot));
        let open = locals.iter().filter(|(slot, _)| unbound.contains(slot) && !follows(*slot));
        let candidates = open.filter_map(|(slot, ty)| {
            let span = remaining.iter().find(|&&at| mentions[at].contains(slot)).map_or(whole, |&at| conjuncts[at].span);
            let (cost, how) = match ty {
                Type::Set(of) => {
                    let base = values_within_bounds(of, span);
                    (self.set_cost(&base).exp2(), How::Subset(*slot, Cow::Owned(base)))
                }
                _ => {
                    let set = values_within_bounds(ty, span);
                    (self.set_cost(&set), How::Values(*slot, set))
                }
            };
            (cost < MOST_VALUES).then_some((*slot, span, Candidate { cost, how, consumes: Vec::new() }))
        });
        candidates.min_by(|(.., one), (.., other)| one.cost.total_cmp(&other.cost))
    }

    /// For propagation: what [`Self::type_within_bounds`] says of sets.
    pub(super) fn bounds_by_type(&self, locals: &[(Slot, Type)]) -> Vec<Pred> {
        let span = Span::nowhere();
        let bound = |(slot, ty): &(Slot, Type)| {
            let of = ty.element().filter(|_| self.known_by_type.contains(slot))?;
            let kind = match self.model.constants.len() {
                constants if *slot < constants => ExprKind::Constant(ConstantId(u32::try_from(*slot).ok()?)),
                _ => ExprKind::Local(self.local_of(*slot)),
            };
            let name = Box::new(Expr { kind, ty: ty.clone(), span });
            Some(Pred { kind: PredKind::Compare(Comparison::Subset, name, Box::new(values_within_bounds(of, span))), span })
        };
        locals.iter().filter_map(bound).collect()
    }

    /// A set to choose from: its infinite sets of integers cut to the bounds, if it has any.
    pub(super) fn choice_within_bounds<'p>(&mut self, set: &'p Expr, slots: &[Slot]) -> Cow<'p, Expr> {
        if self.set_cost(set).is_finite() {
            return Cow::Borrowed(set);
        }
        match within_bounds(set) {
            Some(bounded) if self.set_cost(&bounded) < MOST_VALUES => {
                self.context.within_bounds.extend(slots.iter().map(|&slot| (set.span, self.context.slot_names[slot].clone())));
                Cow::Owned(bounded)
            }
            _ => Cow::Borrowed(set),
        }
    }

    /// Whether the conjunct is `slot = …` or `… = slot`.
    fn defines(&self, pred: &Pred, slot: Slot) -> bool {
        let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return false };
        self.slot_of(left) == Some(slot) || self.slot_of(right) == Some(slot)
    }

    /// The bounds of one side, or else that of the scope: moved so far that the range is not empty beyond the bounds.
    fn bound_or(&self, bounds: Vec<Expr>, others: &[Expr], scope: ExprKind, pick: UnaryOp) -> Vec<Expr> {
        if !bounds.is_empty() {
            return bounds;
        }
        let expr = |kind, ty| Expr { kind, ty, span: Span::nowhere() };
        let limit = expr(scope, Type::Integer);
        let is_inside = |other: &Expr| match &other.kind {
            ExprKind::MinInt | ExprKind::MaxInt => true,
            ExprKind::Integer(number) => {
                number.to_i64().is_some_and(|number| (self.context.scope.minint..=self.context.scope.maxint).contains(&number))
            }
            _ => false,
        };
        if others.iter().all(is_inside) {
            return vec![limit];
        }
        let all = std::iter::once(limit).chain(others.iter().cloned()).collect();
        let all = expr(ExprKind::SetExtension(all), Type::set(Type::Integer));
        vec![expr(ExprKind::Unary(pick, Box::new(all)), Type::Integer)]
    }
}

/// The values of a type, their integers within the bounds.
fn values_within_bounds(ty: &Type, span: Span) -> Expr {
    let values = |ty: &Type| Box::new(values_within_bounds(ty, span));
    let kind = match ty {
        Type::Integer => ExprKind::IntegerSet(IntegerSet::Int),
        Type::Set(element) => ExprKind::Unary(UnaryOp::Pow, values(element)),
        Type::Pair(first, second) => ExprKind::Binary(BinaryOp::Product, values(first), values(second)),
        Type::Record(fields) => ExprKind::Struct(fields.iter().map(|(name, ty)| (name.clone(), values_within_bounds(ty, span))).collect()),
        Type::Bool | Type::String | Type::Given(_) | Type::Free(_) => ExprKind::TypeSet,
    };
    Expr { kind, ty: Type::set(ty.clone()), span }
}

/// The set with INT for INTEGER, NAT for NATURAL and NAT1 for NATURAL1 wherever its elements are built from them; `None` when
/// there is nothing to replace.
fn within_bounds(set: &Expr) -> Option<Expr> {
    let both = |left: &Expr, right: &Expr| match (within_bounds(left), within_bounds(right)) {
        (None, None) => None,
        (new_left, new_right) => {
            Some((Box::new(new_left.unwrap_or_else(|| left.clone())), Box::new(new_right.unwrap_or_else(|| right.clone()))))
        }
    };
    let kind = match &set.kind {
        ExprKind::IntegerSet(IntegerSet::Integer) => ExprKind::IntegerSet(IntegerSet::Int),
        ExprKind::IntegerSet(IntegerSet::Natural) => ExprKind::IntegerSet(IntegerSet::Nat),
        ExprKind::IntegerSet(IntegerSet::Natural1) => ExprKind::IntegerSet(IntegerSet::Nat1),
        ExprKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 | UnaryOp::Iseq | UnaryOp::Iseq1), base) => {
            ExprKind::Unary(*op, Box::new(within_bounds(base)?))
        }
        ExprKind::Binary(
            op @ (BinaryOp::Product
            | BinaryOp::Union
            | BinaryOp::Intersection
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
            let (left, right) = both(left, right)?;
            ExprKind::Binary(*op, left, right)
        }
        ExprKind::Binary(BinaryOp::Difference, left, right) => {
            ExprKind::Binary(BinaryOp::Difference, Box::new(within_bounds(left)?), right.clone())
        }
        ExprKind::Struct(fields) => {
            let new: Vec<Option<Expr>> = fields.iter().map(|(_, set)| within_bounds(set)).collect();
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
