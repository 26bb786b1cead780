//! Predicates over words.
//!
//! Invariant: as in the general tier, connectives are evaluated from left to right and stop as soon as the result is known; false wins over
//! ill-defined under a universal quantifier and true under an existential one. Deliberately elsewhere: membership (`membership`).

use super::expression::signed;
use super::value::{PackedValue, Wide};
use super::{BailOut, Packer, Pred, wide_matrix};
use crate::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Search};
use crate::run::frame::Flow;
use bcheck_ir::{Comparison, Type};
use bcheck_value::Value;

impl Packer<'_> {
    pub(super) fn pred(&mut self, plan: &PredPlan) -> Option<Pred> {
        let packed = self.pred_here(plan);
        self.noted(plan.span, packed)
    }

    fn pred_here(&mut self, plan: &PredPlan) -> Option<Pred> {
        Some(match &plan.kind {
            PredPlanKind::Constant(value) => {
                let value = *value;
                Box::new(move |_| Ok(value))
            }
            PredPlanKind::And(parts) => all_of(self.preds(parts)?),
            PredPlanKind::Or(parts) => any_of(self.preds(parts)?),
            PredPlanKind::Not(inner) => {
                let inner = self.pred(inner)?;
                Box::new(move |words| Ok(!inner(words)?))
            }
            // As elsewhere the right side may only be well-defined where the left one holds, so it is not evaluated otherwise.
            PredPlanKind::Implies(left, right) => {
                let (left, right) = (self.pred(left)?, self.pred(right)?);
                Box::new(move |words| Ok(!left(words)? || right(words)?))
            }
            PredPlanKind::Equivalent(left, right) => {
                let (left, right) = (self.pred(left)?, self.pred(right)?);
                Box::new(move |words| Ok(left(words)? == right(words)?))
            }
            PredPlanKind::Compare(comparison, left, right) => self.compare(*comparison, left, right)?,
            PredPlanKind::MemberOfExtension(element, items, negated) => self.member_of_extension(element, items, *negated)?,
            PredPlanKind::Forall(search, body) => self.forall(search, body)?,
            PredPlanKind::Exists(search) => self.exists(search)?,
            PredPlanKind::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (self.pred(condition)?, self.pred(then)?, self.pred(otherwise)?);
                Box::new(move |words| if condition(words)? { then(words) } else { otherwise(words) })
            }
            PredPlanKind::Let(bindings, body) => {
                let bindings = self.bindings(bindings)?;
                let body = self.pred(body)?;
                Box::new(move |words| {
                    bindings.iter().try_for_each(|binding| binding.bind(words))?;
                    body(words)
                })
            }
            // A set that fits a mask is finite, but it may be ill-defined.
            PredPlanKind::Finite(set) => match self.mask(set)?.0 {
                PackedValue::Word(set) => Box::new(move |words| set.get(words).map(|_| true)),
                PackedValue::Wide(set) => Box::new(move |words| set.evaluate(words).map(|()| true)),
            },
            PredPlanKind::Partition(set, parts) => self.partition(set, parts)?,
        })
    }

    /// `element : {a, b, …}`, or its negation. All items are evaluated, also after an equal one: the whole extension may be ill-defined.
    fn member_of_extension(&mut self, element: &ExprPlan, items: &[ExprPlan], negated: bool) -> Option<Pred> {
        if let Type::Set(_) = element.ty {
            let equal = items.iter().map(|item| self.equal(element, item)).collect::<Option<Vec<_>>>()?;
            return Some(Box::new(move |words| {
                let mut found = false;
                for equal in &equal {
                    found |= equal(words)?;
                }
                Ok(found != negated)
            }));
        }
        let element = self.scalar(element)?;
        let items = items.iter().map(|item| self.scalar(item)).collect::<Option<Vec<_>>>()?;
        Some(Box::new(move |words| {
            let element = element.get(words)?;
            let mut found = false;
            for item in &items {
                found |= item.get(words)? == element;
            }
            Ok(found != negated)
        }))
    }

    /// `!x.(P => Q)`
    fn forall(&mut self, search: &Search, body: &PredPlan) -> Option<Pred> {
        let (search, body) = (self.search(search)?, self.pred(body)?);
        Some(Box::new(move |words| {
            let (mut all, mut ill) = (true, false);
            let noted = search.run_noting(words, &mut |words| {
                match body(words) {
                    Ok(holds) => all = holds,
                    Err(BailOut::IllDefined) => ill = true,
                    Err(bail_out) => return Err(bail_out),
                }
                Ok(if all { Flow::Continue } else { Flow::Stop })
            })?;
            // The order of bindings must not matter, so ill-definedness counts only if no binding made it false. `all` is that of the last
            // binding visited, which is the one that made it false, as the visit stops there.
            match all {
                // Another part of the hypothesis may exclude the recorded error: only the general tier decides.
                true if noted => Err(BailOut::Left),
                true if ill => Err(BailOut::IllDefined),
                _ => Ok(all),
            }
        }))
    }

    /// `#x.P`: likewise, something ill-defined counts only if no binding made it true.
    fn exists(&mut self, search: &Search) -> Option<Pred> {
        let search = self.search(search)?;
        Some(Box::new(move |words| {
            let mut found = false;
            let noted = search.run_noting(words, &mut |_| {
                found = true;
                Ok(Flow::Stop)
            })?;
            // Another conjunct may exclude the recorded error: only the general tier decides.
            if noted && !found { Err(BailOut::Left) } else { Ok(found) }
        }))
    }

    /// `partition(set, part, …)`: the union of the parts so far grows, and each further part must be disjoint from it.
    fn partition(&mut self, set: &ExprPlan, parts: &[ExprPlan]) -> Option<Pred> {
        let (set, universe) = self.mask(set)?;
        let parts = parts.iter().map(|part| self.set(part, &universe)).collect::<Option<Vec<_>>>()?;
        if universe.mask_words() == 1 {
            // In a universe of one word every value is a word, so nothing is refused here.
            let set = set.word()?;
            let parts = parts.into_iter().map(PackedValue::word).collect::<Option<Vec<_>>>()?;
            return Some(Box::new(move |words| {
                let whole = set.get(words)?;
                let mut union = 0;
                for part in &parts {
                    let part = part.get(words)?;
                    if union & part != 0 {
                        return Ok(false);
                    }
                    union |= part;
                }
                Ok(whole == union)
            }));
        }
        let set = self.wide(set);
        let parts: Vec<Wide> = parts.into_iter().map(|part| self.wide(part)).collect();
        // For several words, the union is built in a separate place, allocated after those of the parts.
        let at = self.take(universe.mask_words());
        Some(Box::new(move |words| {
            set.evaluate(words)?;
            let union = at..at + set.range().len();
            words.slots[union.clone()].fill(0);
            for part in &parts {
                part.evaluate(words)?;
                let (before, own) = words.slots.split_at_mut(at);
                // The union has its place behind those of the parts.
                for (all, word) in own.iter_mut().zip(&before[part.range()]) {
                    if *all & word != 0 {
                        return Ok(false);
                    }
                    *all |= word;
                }
            }
            Ok(*set.read(words) == words.slots[union])
        }))
    }

    fn preds(&mut self, plans: &[PredPlan]) -> Option<Vec<Pred>> {
        plans.iter().map(|plan| self.pred(plan)).collect()
    }

    /// `left = right`
    pub(super) fn equal(&mut self, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
        self.compare(Comparison::Equal, left, right)
    }

    fn compare(&mut self, comparison: Comparison, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
        use Comparison as C;
        match comparison {
            C::Member => return self.member(left, right),
            C::NotMember => {
                let member = self.member(left, right)?;
                return Some(Box::new(move |words| Ok(!member(words)?)));
            }
            _ => {}
        }
        if let Type::Set(_) = left.ty {
            return self.compare_sets(comparison, left, right);
        }
        let (a, b) = (self.scalar(left)?, self.scalar(right)?);
        Some(match comparison {
            C::Equal => Box::new(move |words| Ok(a.get(words)? == b.get(words)?)),
            C::NotEqual => Box::new(move |words| Ok(a.get(words)? != b.get(words)?)),
            // Words hold integers in two's complement, which orders negative ones last if compared without sign.
            C::Less => Box::new(move |words| Ok(signed(a.get(words)?) < signed(b.get(words)?))),
            C::LessEqual => Box::new(move |words| Ok(signed(a.get(words)?) <= signed(b.get(words)?))),
            C::Greater => Box::new(move |words| Ok(signed(a.get(words)?) > signed(b.get(words)?))),
            C::GreaterEqual => Box::new(move |words| Ok(signed(a.get(words)?) >= signed(b.get(words)?))),
            _ => return None,
        })
    }

    fn compare_sets(&mut self, comparison: Comparison, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
        use Comparison as C;
        // A known set that is infinite or large has no mask, but its part within the universe has one.
        if let (C::Subset | C::NotSubset, ExprPlanKind::Value(Value::Symbolic(_))) = (comparison, &right.kind) {
            let is_subset = self.bounded(left, right)?;
            return Some(Box::new(move |words| Ok(is_subset(words)? == (comparison == C::Subset))));
        }
        // The left side chooses the universe and the right one is read in it: masks are comparable only in one numbering.
        let (a, universe) = self.mask(left)?;
        let (a, b) = match (a, self.set(right, &universe)?) {
            (PackedValue::Word(a), PackedValue::Word(b)) => (a, b),
            (a, b) => {
                let (a, b) = (self.wide(a), self.wide(b));
                return Some(compare_wide(comparison, a, b));
            }
        };
        Some(match comparison {
            C::Equal => Box::new(move |words| Ok(a.get(words)? == b.get(words)?)),
            C::NotEqual => Box::new(move |words| Ok(a.get(words)? != b.get(words)?)),
            C::Subset => Box::new(move |words| Ok(a.get(words)? & !b.get(words)? == 0)),
            C::NotSubset => Box::new(move |words| Ok(a.get(words)? & !b.get(words)? != 0)),
            C::StrictSubset => Box::new(move |words| {
                let (a, b) = (a.get(words)?, b.get(words)?);
                Ok(a & !b == 0 && a != b)
            }),
            C::NotStrictSubset => Box::new(move |words| {
                let (a, b) = (a.get(words)?, b.get(words)?);
                Ok(a & !b != 0 || a == b)
            }),
            _ => return None,
        })
    }
}

/// The conjunction; a single conjunct needs no call around it.
fn all_of(mut parts: Vec<Pred>) -> Pred {
    if let [_] = parts.as_slice()
        && let Some(only) = parts.pop()
    {
        return only;
    }
    Box::new(move |words| {
        for part in &parts {
            if !part(words)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn any_of(parts: Vec<Pred>) -> Pred {
    Box::new(move |words| {
        for part in &parts {
            if part(words)? {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

fn compare_wide(comparison: Comparison, a: Wide, b: Wide) -> Pred {
    use Comparison as C;
    let compare: fn(&[u64], &[u64]) -> bool = match comparison {
        C::Equal => |a, b| a == b,
        C::NotEqual => |a, b| a != b,
        C::Subset => wide_matrix::is_subset,
        C::NotSubset => |a, b| !wide_matrix::is_subset(a, b),
        C::StrictSubset => |a, b| wide_matrix::is_subset(a, b) && a != b,
        C::NotStrictSubset => |a, b| !wide_matrix::is_subset(a, b) || a == b,
        _ => unreachable!("sets are not compared otherwise"),
    };
    Box::new(move |words| {
        a.evaluate(words)?;
        b.evaluate(words)?;
        Ok(compare(a.read(words), b.read(words)))
    })
}
