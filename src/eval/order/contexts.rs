//! Values of bound names: the elements of an explicit set one at a time, otherwise an arbitrary element.
//!
//! Invariant: if a binder is enumerated, each of its bindings is one context and there are no others; otherwise one context represents all
//! of them. Deliberately elsewhere: conclusions in a context (`narrowing`, `terms`).

use super::equation;
use super::interval::Enclosure;
use super::narrowing::{Argument, BoundName, Narrowing, Quantity, values_of};
use crate::plan::Slot;
use crate::thresholds::{CONTEXT_ELEMENTS, DEFINITION_DEPTH};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, FunctionKind, LocalId, Pred, PredKind, Type, UnaryOp};
use std::collections::BTreeSet;

/// Bound names with their known bounds.
type NamedBounds<'p> = Vec<(LocalId, BoundName<'p>)>;

/// The bindings of a binder.
struct Contexts<'p> {
    bindings: Vec<Vec<(LocalId, BoundName<'p>)>>,
    is_listed: bool,
    /// Conditions besides the membership.
    conditions: Vec<&'p Pred>,
}

/// A sum or product: its names, condition and body.
type FoldParts<'p> = (&'p [(LocalId, Type)], &'p Pred, &'p Expr);

impl<'p> Narrowing<'_, 'p> {
    /// Calls `then` in each context that is not excluded: with its number, and whether its conditions are known to hold. Returns whether
    /// the binder is enumerated; `None` where its range is not known.
    pub(super) fn in_each_context(
        &mut self,
        locals: &[(LocalId, Type)],
        premise: &'p Pred,
        then: &mut dyn FnMut(&mut Self, usize, bool),
    ) -> Option<bool> {
        let Contexts { bindings, is_listed, conditions } = self.contexts(locals, premise)?;
        for (at, binding) in bindings.into_iter().enumerate() {
            let outer = self.bound.len();
            self.bound.extend(binding);
            let truths: Vec<Option<bool>> = conditions.iter().map(|condition| self.truth(condition)).collect();
            if !truths.contains(&Some(false)) {
                then(self, at, truths.iter().all(|truth| *truth == Some(true)));
            }
            self.bound.truncate(outer);
        }
        Some(is_listed)
    }

    /// Narrows by: no binding satisfies the condition.
    pub(super) fn refute_each(&mut self, locals: &[(LocalId, Type)], condition: &'p Pred) {
        let Some(Contexts { bindings, conditions, .. }) = self.contexts(locals, condition) else { return };
        let cases: Vec<_> = conditions.into_iter().map(|condition| vec![(condition, false)]).collect();
        for binding in bindings {
            let outer = self.bound.len();
            self.bound.extend(binding);
            self.either(&cases);
            self.bound.truncate(outer);
        }
    }

    fn contexts(&mut self, locals: &[(LocalId, Type)], premise: &'p Pred) -> Option<Contexts<'p>> {
        let parts: &'p [Pred] = if let PredKind::And(parts) = &premise.kind { parts } else { std::slice::from_ref(premise) };
        let is_local = |expr: &Expr| {
            if let ExprKind::Local(id) = expr.kind { Some(id).filter(|id| locals.iter().any(|(own, _)| own == id)) } else { None }
        };
        let (at, pattern, set) = parts.iter().enumerate().find_map(|(at, part)| match &part.kind {
            PredKind::Compare(Comparison::Member, pattern, set) => {
                let is_pair =
                    matches!(&pattern.kind, ExprKind::Binary(BinaryOp::Pair, x, y) if is_local(x).is_some() && is_local(y).is_some());
                (is_pair || is_local(pattern).is_some()).then_some((at, &**pattern, &**set))
            }
            _ => None,
        })?;
        let conditions = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part).collect();
        let (bindings, is_listed) = match (&pattern.kind, locals) {
            (ExprKind::Local(id), [_]) => self.elements_as_bindings(*id, set),
            (ExprKind::Binary(BinaryOp::Pair, first, second), [_, _]) => {
                let (first, second) = (is_local(first)?, is_local(second)?);
                self.pairs_as_bindings(set, &|slot, key| {
                    let (argument, value) = match key {
                        Some(key) => (BoundName::Argument(key.clone()), Quantity::At(slot, key)),
                        None => (BoundName::Unknown, Quantity::Each(slot)),
                    };
                    vec![(first, argument), (second, BoundName::Quantity(value))]
                })?
            }
            _ => return None,
        };
        Some(Contexts { bindings, is_listed, conditions })
    }

    /// `x : set`
    fn elements_as_bindings(&mut self, id: LocalId, set: &'p Expr) -> (Vec<Vec<(LocalId, BoundName<'p>)>>, bool) {
        if let Some(pairs) = self.pairs_as_bindings(set, &|slot, key| vec![(id, BoundName::Pair(slot, key))]) {
            return pairs;
        }
        if let Some(keys) = self.listed(set) {
            return (keys.into_iter().map(|key| vec![(id, BoundName::Argument(key))]).collect(), true);
        }
        let values = match &set.kind {
            ExprKind::Unary(UnaryOp::Range, function) => self.names.slot_of(function),
            ExprKind::Binary(BinaryOp::Image, function, arguments) => {
                self.names.slot_of(function).filter(|slot| self.covers(arguments, *slot))
            }
            _ => self.names.slot_of(set),
        };
        let bound = match values.filter(|_| set.ty == Type::set(Type::Integer)) {
            Some(slot) => BoundName::Quantity(Quantity::Each(slot)),
            None => BoundName::ElementOf(set),
        };
        (vec![vec![(id, bound)]], false)
    }

    /// The pairs of a function or relation to integers.
    fn pairs_as_bindings(
        &mut self,
        set: &Expr,
        binding: &dyn Fn(Slot, Option<Argument>) -> Vec<(LocalId, BoundName<'p>)>,
    ) -> Option<(Vec<NamedBounds<'p>>, bool)> {
        let slot = self.names.slot_of(set)?;
        let Type::Set(element) = &set.ty else { return None };
        if !matches!(&**element, Type::Pair(_, second) if **second == Type::Integer) {
            return None;
        }
        Some(match self.arguments(slot) {
            Some((keys, true)) => (keys.into_iter().map(|key| binding(slot, Some(key))).collect(), true),
            _ => (vec![binding(slot, None)], false),
        })
    }

    /// Enclosures of a sum or product, and of each of its terms if they are enumerated.
    pub(super) fn folded(&mut self, is_product: bool, (locals, pred, body): FoldParts<'p>) -> (Enclosure, Option<Vec<Enclosure>>) {
        let neutral = Enclosure::of(i128::from(is_product));
        let mut terms = Vec::new();
        let is_listed = self.in_each_context(locals, pred, &mut |this, at, is_certain| {
            let value = this.value(body);
            terms.resize(at, neutral);
            terms.push(if is_certain { value } else { value.hull(neutral) });
        });
        let combine = if is_product { Enclosure::multiply } else { Enclosure::add };
        match is_listed {
            Some(true) => (terms.iter().copied().fold(neutral, combine), Some(terms)),
            // As many terms as there may be: only their signs count.
            Some(false) => {
                let term = terms.first().copied().unwrap_or(neutral);
                let from = if is_product {
                    [1, 0].into_iter().find(|least| term.is_at_least(*least))
                } else {
                    Some(0).filter(|_| term.is_at_least(0))
                };
                let up_to = Some(0).filter(|_| !is_product && term.is_at_most(0));
                (Enclosure::new(from, up_to), None)
            }
            None => (Enclosure::default(), None),
        }
    }

    /// Narrows the terms of a sum or product, which is in this interval.
    pub(super) fn narrow_folded(&mut self, is_product: bool, (locals, pred, body): FoldParts<'p>, to: Enclosure) {
        let (_, terms) = self.folded(is_product, (locals, pred, body));
        let Some(terms) = terms else {
            self.in_each_context(locals, pred, &mut |this, _, is_certain| {
                let term = this.value(body);
                let end = match is_product {
                    // No other term makes the sum less, so that each is at most the sum; so it is of factors that are not 0.
                    false if term.is_at_least(0) => Enclosure::new(None, to.high),
                    false if term.is_at_most(0) => Enclosure::new(to.low, None),
                    true if term.is_at_least(1) => Enclosure::new(None, to.high),
                    true if term.is_at_least(0) && to.is_at_least(1) => Enclosure::new(Some(1), to.high),
                    _ => return,
                };
                if is_certain {
                    this.narrow(body, end);
                }
            });
            return;
        };
        let neutral = Enclosure::of(i128::from(is_product));
        let combine = if is_product { Enclosure::multiply } else { Enclosure::add };
        // By number of the term, the partial results before and after it.
        let mut before = vec![neutral];
        terms.iter().for_each(|term| before.push(combine(before[before.len() - 1], *term)));
        let mut after = vec![neutral];
        terms.iter().rev().for_each(|term| after.push(combine(*term, after[after.len() - 1])));
        self.in_each_context(locals, pred, &mut |this, at, is_certain| {
            if is_certain && at < terms.len() {
                let others = combine(before[at], after[terms.len() - 1 - at]);
                this.narrow(body, if is_product { to.factor_beside(others) } else { to.subtract(others) });
            }
        });
    }

    /// The definition of a set by an equation.
    pub(super) fn definition(&self, slot: Slot) -> Option<&'p Expr> {
        self.conjuncts.iter().find_map(|pred| {
            let PredKind::Compare(Comparison::Equal, left, right) = &pred.kind else { return None };
            let is_name = |expr: &Expr| self.names.slot_of(expr) == Some(slot);
            match (is_name(left), is_name(right)) {
                (true, false) => Some(&**right),
                (false, true) => Some(&**left),
                _ => None,
            }
        })
    }

    /// The elements of a set that is known, in order.
    fn listed(&mut self, set: &'p Expr) -> Option<Vec<Argument>> {
        let keys: Vec<Argument> = match &set.kind {
            ExprKind::SetExtension(items) if items.len() <= CONTEXT_ELEMENTS.get() => {
                let keys: BTreeSet<Argument> = items.iter().map(|item| self.key(item)).collect::<Option<_>>()?;
                keys.into_iter().collect()
            }
            ExprKind::Binary(BinaryOp::Interval, from, to) => {
                let (from, to) = (self.value(from).single()?, self.value(to).single()?);
                (to - from < CONTEXT_ELEMENTS.get() as i128).then(|| (from..=to).map(Argument::Integer).collect())?
            }
            ExprKind::BoolSet => vec![Argument::Bool(false), Argument::Bool(true)],
            ExprKind::GivenSet(id) if self.names.scope().size(*id) as usize <= CONTEXT_ELEMENTS.get() => {
                (0..self.names.scope().size(*id)).map(|element| Argument::Element(*id, element)).collect()
            }
            // `dom(s <| f)`
            ExprKind::Unary(UnaryOp::Domain, function) if restriction(function).is_some() => {
                let (part, function) = restriction(function)?;
                let slot = self.names.slot_of(function)?;
                let (part, arguments) = (self.listed(part)?, self.arguments(slot).filter(|(_, is_total)| *is_total)?.0);
                arguments.into_iter().filter(|argument| part.contains(argument)).collect()
            }
            ExprKind::Unary(UnaryOp::Domain, function) => {
                let slot = self.names.slot_of(function)?;
                self.arguments(slot).filter(|(_, is_total)| *is_total)?.0
            }
            _ if self.depth < DEFINITION_DEPTH.get() => {
                let definition = self.definition(self.names.slot_of(set)?)?;
                self.depth += 1;
                let keys = self.listed(definition);
                self.depth -= 1;
                keys?
            }
            _ => return None,
        };
        Some(keys)
    }

    /// The set that a conjunct makes a name an element of: with values that are integers.
    fn space(&self, slot: Slot) -> Option<&'p Expr> {
        self.conjuncts.iter().find_map(|pred| match &pred.kind {
            PredKind::Compare(Comparison::Member, name, space) if self.names.slot_of(name) == Some(slot) => {
                values_of(space).map(|_| &**space)
            }
            _ => None,
        })
    }

    /// The arguments that a function may have, and whether it has all of them.
    pub(super) fn arguments(&mut self, slot: Slot) -> Option<(Vec<Argument>, bool)> {
        match &self.space(slot)?.kind {
            ExprKind::Binary(op, domain, _) => {
                let kind = FunctionKind::of(*op).filter(|kind| kind.is_functional())?;
                if self.depth >= DEFINITION_DEPTH.get() {
                    return None;
                }
                self.depth += 1;
                let keys = self.listed(domain);
                self.depth -= 1;
                Some((keys?, kind.is_total()))
            }
            _ => {
                let size =
                    self.found.of(&Quantity::Size(slot)).single().filter(|size| (0..=CONTEXT_ELEMENTS.get() as i128).contains(size))?;
                Some(((1..=size).map(Argument::Integer).collect(), true))
            }
        }
    }

    /// Whether a set has every argument of a function.
    pub(super) fn covers(&mut self, set: &'p Expr, slot: Slot) -> bool {
        if matches!(&set.kind, ExprKind::Unary(UnaryOp::Domain, function) if self.names.slot_of(function) == Some(slot)) {
            return true;
        }
        if let Some(ExprKind::Binary(_, domain, _)) = self.space(slot).map(|space| &space.kind)
            && equation::same_set(&self.names, domain, set)
        {
            return true;
        }
        let (listed, arguments) = (self.listed(set), self.arguments(slot));
        listed.zip(arguments).is_some_and(|(listed, (arguments, _))| arguments.iter().all(|argument| listed.contains(argument)))
    }

    /// An argument that is known.
    pub(super) fn key(&mut self, expr: &'p Expr) -> Option<Argument> {
        match &expr.kind {
            ExprKind::Bool(truth) => Some(Argument::Bool(*truth)),
            ExprKind::Element(set, element) => Some(Argument::Element(*set, *element)),
            ExprKind::Local(id) => match self.bound_to(*id) {
                Some(BoundName::Argument(key)) => Some(key),
                Some(_) => None,
                None => self.value(expr).single().map(Argument::Integer),
            },
            _ => self.value(expr).single().map(Argument::Integer),
        }
    }

    /// The value of a function that is written out, `[a, b]` or `{x |-> a, y |-> b}`, for an argument that is known.
    pub(super) fn listed_value(&mut self, function: &'p Expr, argument: &'p Expr) -> Option<&'p Expr> {
        let key = self.key(argument)?;
        match (&function.kind, &key) {
            (ExprKind::SequenceExtension(items), Argument::Integer(at)) => items.get(usize::try_from(at - 1).ok()?),
            (ExprKind::SetExtension(items), _) => items.iter().find_map(|item| match &item.kind {
                ExprKind::Binary(BinaryOp::Pair, first, second) if self.key(first).as_ref() == Some(&key) => Some(&**second),
                _ => None,
            }),
            _ => None,
        }
    }
}

/// The set and the function of `s <| f`.
fn restriction(function: &Expr) -> Option<(&Expr, &Expr)> {
    match &function.kind {
        ExprKind::Binary(BinaryOp::DomainRestrict, part, function) => Some((&**part, &**function)),
        _ => None,
    }
}
