//! Enclosures of the values of expressions, and their consequences for subexpressions.
//!
//! Invariant: as in `narrowing`, which this file is a part of. Deliberately elsewhere: predicates (`narrowing`), binders (`contexts`).

use super::equation;
use super::interval::Enclosure;
use super::narrowing::{Argument, BoundName, Narrowing, Quantity};
use crate::thresholds::DEFINITION_DEPTH;
use bcheck_ir::{BinaryOp, Binder, Expr, ExprKind, IntegerSet, LocalId, Type, UnaryOp};
use num_traits::ToPrimitive;

impl<'p> Narrowing<'_, 'p> {
    /// The enclosure of an integer expression.
    pub(super) fn value(&mut self, expr: &'p Expr) -> Enclosure {
        if expr.ty != Type::Integer || self.is_over() {
            return Enclosure::default();
        }
        if let Some((term, _)) = self.term(expr) {
            return self.found.of(&term);
        }
        match &expr.kind {
            ExprKind::Integer(number) => number.to_i128().map_or_else(Enclosure::default, Enclosure::of),
            ExprKind::MinInt => Enclosure::of(self.names.scope().minint.into()),
            ExprKind::MaxInt => Enclosure::of(self.names.scope().maxint.into()),
            ExprKind::Local(id) => match self.bound_to(*id) {
                Some(BoundName::Argument(Argument::Integer(number))) => Enclosure::of(number),
                Some(BoundName::ElementOf(set)) => self.elements(set),
                _ => Enclosure::default(),
            },
            ExprKind::Unary(UnaryOp::Negate, inner) => self.value(inner).negate(),
            ExprKind::Unary(UnaryOp::Card, set) => match &self.defined(set).kind {
                ExprKind::Binary(BinaryOp::Interval, from, to) => {
                    let length = self.value(to).subtract(self.value(from)).add(Enclosure::of(1));
                    Enclosure::new(length.low.map(|low| low.max(0)).or(Some(0)), length.high.map(|high| high.max(0)))
                }
                _ => Enclosure::from(0),
            },
            ExprKind::Unary(op @ (UnaryOp::Min | UnaryOp::Max), set) => self.extreme(*op == UnaryOp::Max, set),
            ExprKind::Binary(BinaryOp::Add, left, right) => self.value(left).add(self.value(right)),
            ExprKind::Binary(BinaryOp::Subtract, left, right) => self.value(left).subtract(self.value(right)),
            ExprKind::Binary(BinaryOp::Multiply, left, right) => match self.repeated(expr) {
                Some((factor, exponent)) => self.value(factor).power(exponent),
                None => self.value(left).multiply(self.value(right)),
            },
            ExprKind::Binary(BinaryOp::Power, base, exponent) => {
                let (base, exponent) = (self.value(base), self.value(exponent));
                match exponent.single().and_then(|exponent| u32::try_from(exponent).ok()) {
                    Some(exponent) => base.power(exponent),
                    None if base.is_at_least(1) => Enclosure::from(1),
                    None => Enclosure::default(),
                }
            }
            ExprKind::Binary(BinaryOp::Divide, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match left.is_at_least(0) && right.is_at_least(1) {
                    true => Enclosure::new(Some(0), left.high.zip(right.low).map(|(left, right)| left / right)),
                    false => Enclosure::default(),
                }
            }
            ExprKind::Binary(BinaryOp::Modulo, _, right) => Enclosure::new(Some(0), self.value(right).high.map(|high| high - 1)),
            ExprKind::Unary(UnaryOp::First2, pair) => self.first_of(pair),
            ExprKind::Binary(BinaryOp::Apply, function, pair) if projection(function) == Some(1) => self.first_of(pair),
            ExprKind::Binary(BinaryOp::Apply, function, argument) => {
                self.listed_value(function, argument).map_or_else(Enclosure::default, |value| self.value(value))
            }
            ExprKind::If(_, then, otherwise) => self.value(then).hull(self.value(otherwise)),
            ExprKind::Binder { binder: binder @ (Binder::Sigma | Binder::Pi), locals, pred, body } => {
                self.folded(*binder == Binder::Pi, (locals, pred, body)).0
            }
            _ => Enclosure::default(),
        }
    }

    /// Narrows what is in an expression, whose value is in this interval.
    pub(super) fn narrow(&mut self, expr: &'p Expr, to: Enclosure) {
        if to == Enclosure::default() || expr.ty != Type::Integer || self.is_over() {
            return;
        }
        if let Some((term, is_all)) = self.term(expr) {
            if is_all {
                self.found.narrow(term, to);
            }
            return;
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Negate, inner) => self.narrow(inner, to.negate()),
            ExprKind::Unary(UnaryOp::Card, set) => {
                // Of an interval that is not empty.
                if let (ExprKind::Binary(BinaryOp::Interval, first, last), true) = (&self.defined(set).kind, to.is_at_least(1)) {
                    let length = to.subtract(Enclosure::of(1));
                    let (low, high) = (self.value(first), self.value(last));
                    self.narrow(last, low.add(length));
                    self.narrow(first, high.subtract(length));
                }
            }
            ExprKind::Unary(UnaryOp::Max, set) => self.narrow_elements(set, Enclosure::new(None, to.high)),
            ExprKind::Unary(UnaryOp::Min, set) => self.narrow_elements(set, Enclosure::new(to.low, None)),
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                let (of_left, of_right) = (self.value(left), self.value(right));
                self.narrow(left, to.subtract(of_right));
                self.narrow(right, to.subtract(of_left));
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                let (of_left, of_right) = (self.value(left), self.value(right));
                self.narrow(left, to.add(of_right));
                self.narrow(right, of_left.subtract(to));
            }
            ExprKind::Binary(BinaryOp::Multiply, left, right) => match self.repeated(expr) {
                Some((factor, exponent)) => self.narrow(factor, to.root(exponent)),
                None => {
                    let (of_left, of_right) = (self.value(left), self.value(right));
                    self.narrow(left, to.factor_beside(of_right));
                    self.narrow(right, to.factor_beside(of_left));
                }
            },
            ExprKind::Binary(BinaryOp::Power, base, exponent) => {
                let (of_base, of_exponent) = (self.value(base).single(), self.value(exponent).single());
                if let Some(exponent) = of_exponent.and_then(|exponent| u32::try_from(exponent).ok()).filter(|exponent| *exponent > 0) {
                    self.narrow(base, to.root(exponent));
                } else if let (Some(base), Some(high)) = (of_base.filter(|base| *base > 1), to.high.filter(|high| *high > 0)) {
                    self.narrow(exponent, Enclosure::up_to(i128::from(high.ilog(base))));
                }
            }
            // `a / x >= q` with q > 0: x is at most a / q.
            ExprKind::Binary(BinaryOp::Divide, left, right) => {
                let (of_left, of_right) = (self.value(left), self.value(right));
                if let (Some(high), Some(least)) = (of_left.high.filter(|high| *high >= 0), to.low.filter(|low| *low > 0))
                    && of_right.is_at_least(1)
                {
                    self.narrow(right, Enclosure::up_to(high / least));
                }
            }
            ExprKind::Binary(BinaryOp::Apply, function, argument) => {
                let value = self.listed_value(function, argument);
                value.into_iter().for_each(|value| self.narrow(value, to));
            }
            ExprKind::Binder { binder: binder @ (Binder::Sigma | Binder::Pi), locals, pred, body } => {
                self.narrow_folded(*binder == Binder::Pi, (locals, pred, body), to);
            }
            _ => {}
        }
    }

    /// The factor of a product of equal factors, as in `x * x * x`, and their number.
    fn repeated(&self, product: &'p Expr) -> Option<(&'p Expr, u32)> {
        let ExprKind::Binary(BinaryOp::Multiply, left, right) = &product.kind else { return Some((product, 1)) };
        let ((factor, count), (other, more)) = (self.repeated(left)?, self.repeated(right)?);
        let is_same =
            equation::same_set(&self.names, factor, other) || self.part(factor).is_some_and(|part| self.part(other) == Some(part));
        is_same.then_some((factor, count + more))
    }

    /// The greatest or least element of a set.
    fn extreme(&mut self, is_greatest: bool, set: &'p Expr) -> Enclosure {
        let ExprKind::SetExtension(items) = &set.kind else { return self.elements(set) };
        let values: Vec<Enclosure> = items.iter().map(|item| self.value(item)).collect();
        let all = values.iter().copied().reduce(Enclosure::hull).unwrap_or_default();
        match is_greatest {
            true => Enclosure { low: values.iter().filter_map(|value| value.low).max(), ..all },
            false => Enclosure { high: values.iter().filter_map(|value| value.high).min(), ..all },
        }
    }

    /// The enclosure of the elements of a set of integers.
    pub(super) fn elements(&mut self, set: &'p Expr) -> Enclosure {
        if set.ty != Type::set(Type::Integer) || self.is_over() {
            return Enclosure::default();
        }
        let (minint, maxint) = (i128::from(self.names.scope().minint), i128::from(self.names.scope().maxint));
        match &set.kind {
            ExprKind::IntegerSet(IntegerSet::Natural) => Enclosure::from(0),
            ExprKind::IntegerSet(IntegerSet::Natural1) => Enclosure::from(1),
            ExprKind::IntegerSet(IntegerSet::Int) => Enclosure::new(Some(minint), Some(maxint)),
            ExprKind::IntegerSet(IntegerSet::Nat) => Enclosure::new(Some(0), Some(maxint)),
            ExprKind::IntegerSet(IntegerSet::Nat1) => Enclosure::new(Some(1), Some(maxint)),
            ExprKind::Binary(BinaryOp::Interval, from, to) => Enclosure::new(self.value(from).low, self.value(to).high),
            ExprKind::SetExtension(items) => items.iter().map(|item| self.value(item)).reduce(Enclosure::hull).unwrap_or_default(),
            ExprKind::Binary(BinaryOp::Union, left, right) => self.elements(left).hull(self.elements(right)),
            ExprKind::Binary(BinaryOp::Intersection, left, right) => self.elements(left).meet(self.elements(right)),
            ExprKind::Binary(BinaryOp::Difference, left, _) => self.elements(left),
            ExprKind::Unary(UnaryOp::Range, function) | ExprKind::Binary(BinaryOp::Image, function, _) => {
                self.names.slot_of(function).map_or_else(Enclosure::default, |slot| self.found.of(&Quantity::Each(slot)))
            }
            _ => {
                let Some(slot) = self.names.slot_of(set) else { return Enclosure::default() };
                let known = self.found.of(&Quantity::Each(slot));
                match self.definition(slot) {
                    Some(definition) if self.depth < DEFINITION_DEPTH.get() => {
                        self.depth += 1;
                        let elements = self.elements(definition);
                        self.depth -= 1;
                        known.meet(elements)
                    }
                    _ => known,
                }
            }
        }
    }

    /// Narrows by: each element of a set of integers is in this interval.
    pub(super) fn narrow_elements(&mut self, set: &'p Expr, to: Enclosure) {
        if to == Enclosure::default() || self.is_over() {
            return;
        }
        match &set.kind {
            ExprKind::SetExtension(items) => items.iter().for_each(|item| self.narrow(item, to)),
            ExprKind::Binary(BinaryOp::Union, left, right) => {
                self.narrow_elements(left, to);
                self.narrow_elements(right, to);
            }
            ExprKind::Binary(BinaryOp::Interval, first, last) => {
                let (low, high) = (self.value(first), self.value(last));
                // Of an empty interval nothing follows.
                if low.high.zip(high.low).is_some_and(|(first, last)| first <= last) {
                    self.narrow(first, Enclosure::new(to.low, None));
                    self.narrow(last, Enclosure::new(None, to.high));
                }
            }
            ExprKind::Unary(UnaryOp::Range, function) => {
                let slot = self.names.slot_of(function);
                slot.into_iter().for_each(|slot| self.found.narrow(Quantity::Each(slot), to));
            }
            ExprKind::Binary(BinaryOp::Image, function, arguments) => {
                if let Some(slot) = self.names.slot_of(function).filter(|slot| self.covers(arguments, *slot)) {
                    self.found.narrow(Quantity::Each(slot), to);
                }
            }
            _ => {
                let slot = self.names.slot_of(set);
                slot.into_iter().for_each(|slot| self.found.narrow(Quantity::Each(slot), to));
            }
        }
    }

    /// The term of an expression, and whether a statement about the expression is one about each value of the term.
    fn term(&mut self, expr: &'p Expr) -> Option<(Quantity, bool)> {
        match &expr.kind {
            ExprKind::Local(id) => match self.bound_to(*id) {
                Some(BoundName::Quantity(term)) => Some((term, true)),
                Some(_) => None,
                None => Some((Quantity::Name(self.names.slot_of(expr)?), true)),
            },
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::OldVariable(_) => {
                Some((Quantity::Name(self.names.slot_of(expr)?), true))
            }
            ExprKind::Unary(UnaryOp::Size, sequence) => Some((Quantity::Size(self.names.slot_of(sequence)?), true)),
            ExprKind::Field(..) | ExprKind::Unary(UnaryOp::First2, _) => Some((self.part(expr)?, true)),
            ExprKind::Unary(UnaryOp::Second2, pair) => self.second_of(pair).or_else(|| Some((self.part(expr)?, true))),
            ExprKind::Binary(BinaryOp::Apply, function, pair) if projection(function).is_some() => {
                let of_relation = if projection(function) == Some(2) { self.second_of(pair) } else { None };
                of_relation.or_else(|| Some((self.part(expr)?, true)))
            }
            ExprKind::Binary(BinaryOp::Apply, function, argument) => {
                let slot = self.names.slot_of(function)?;
                if let Some(key) = self.key(argument) {
                    return Some((Quantity::At(slot, key), true));
                }
                let is_all = match &argument.kind {
                    ExprKind::Local(id) => match self.bound_to(*id) {
                        Some(BoundName::ElementOf(set)) => self.covers(set, slot),
                        _ => false,
                    },
                    _ => false,
                };
                Some((Quantity::Each(slot), is_all))
            }
            _ => None,
        }
    }

    /// The definition of a name of a set; any other expression is itself.
    fn defined(&self, set: &'p Expr) -> &'p Expr {
        self.names.slot_of(set).and_then(|slot| self.definition(slot)).unwrap_or(set)
    }

    fn first_of(&self, pair: &Expr) -> Enclosure {
        let ExprKind::Local(id) = pair.kind else { return Enclosure::default() };
        match self.bound_to(id) {
            Some(BoundName::Pair(_, Some(Argument::Integer(number)))) => Enclosure::of(number),
            _ => Enclosure::default(),
        }
    }

    fn second_of(&self, pair: &Expr) -> Option<(Quantity, bool)> {
        let ExprKind::Local(id) = pair.kind else { return None };
        match self.bound_to(id)? {
            BoundName::Pair(slot, Some(key)) => Some((Quantity::At(slot, key), true)),
            BoundName::Pair(slot, None) => Some((Quantity::Each(slot), true)),
            _ => None,
        }
    }

    pub(super) fn bound_to(&self, id: LocalId) -> Option<BoundName<'p>> {
        self.bound.iter().rev().find(|(bound, _)| *bound == id).map(|(_, bound)| bound.clone())
    }
}

/// Which component of a pair a function returns: `prj1(S, T)`, or `%(x, y).(x : S & y : T | x)`, its representation for infinite sets.
pub(super) fn projection(function: &Expr) -> Option<u8> {
    match &function.kind {
        ExprKind::Binary(BinaryOp::Projection1, ..) => Some(1),
        ExprKind::Binary(BinaryOp::Projection2, ..) => Some(2),
        ExprKind::Binder { binder: Binder::Lambda, locals, body, .. } => match (locals.as_slice(), &body.kind) {
            ([(first, _), (_, _)], ExprKind::Local(id)) if id == first => Some(1),
            ([(_, _), (second, _)], ExprKind::Local(id)) if id == second => Some(2),
            _ => None,
        },
        _ => None,
    }
}
