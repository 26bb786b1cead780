//! Predicates over words.
//!
//! Invariant: as in the general tier, connectives are evaluated from left to right and stop as soon as the result is known; false wins over
//! ill-defined under a universal quantifier and true under an existential one. Deliberately elsewhere: membership (`membership`).

use super::membership::{bounded, member};
use super::operand::signed;
use super::value::{PackedValue, Wide, packed_bindings};
use super::{BailOut, Packer, Pred, wide_matrix};
use crate::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind, Search};
use crate::run::frame::Flow;
use bcheck_ir::{Comparison, Type};
use bcheck_value::Value;

pub(super) fn pred(packer: &mut Packer<'_>, plan: &PredPlan) -> Option<Pred> {
    Some(match &plan.kind {
        PredPlanKind::Constant(value) => {
            let value = *value;
            Box::new(move |_| Ok(value))
        }
        PredPlanKind::And(parts) => all_of(packed_preds(packer, parts)?),
        PredPlanKind::Or(parts) => any_of(packed_preds(packer, parts)?),
        PredPlanKind::Not(inner) => {
            let inner = packer.pred(inner)?;
            Box::new(move |words| Ok(!inner(words)?))
        }
        // As elsewhere the right side may only be well-defined where the left one holds, so it is not evaluated otherwise.
        PredPlanKind::Implies(left, right) => {
            let (left, right) = (packer.pred(left)?, packer.pred(right)?);
            Box::new(move |words| Ok(!left(words)? || right(words)?))
        }
        PredPlanKind::Equivalent(left, right) => {
            let (left, right) = (packer.pred(left)?, packer.pred(right)?);
            Box::new(move |words| Ok(left(words)? == right(words)?))
        }
        PredPlanKind::Compare(comparison, left, right) => compare(packer, *comparison, left, right)?,
        PredPlanKind::MemberOfExtension(element, items, negated) => member_of_extension(packer, element, items, *negated)?,
        PredPlanKind::Forall(search, body) => forall(packer, search, body)?,
        PredPlanKind::Exists(search) => exists(packer, search)?,
        PredPlanKind::If(condition, then, otherwise) => {
            let (condition, then, otherwise) = (packer.pred(condition)?, packer.pred(then)?, packer.pred(otherwise)?);
            Box::new(move |words| if condition(words)? { then(words) } else { otherwise(words) })
        }
        PredPlanKind::Let(bindings, body) => {
            let bindings = packed_bindings(packer, bindings)?;
            let body = packer.pred(body)?;
            Box::new(move |words| {
                bindings.iter().try_for_each(|binding| binding.bind(words))?;
                body(words)
            })
        }
        // A set that fits a mask is finite, but it may be ill-defined.
        PredPlanKind::Finite(set) => match packer.mask(set)?.0 {
            PackedValue::Word(set) => Box::new(move |words| set.get(words).map(|_| true)),
            PackedValue::Wide(set) => Box::new(move |words| set.evaluate(words).map(|()| true)),
        },
        PredPlanKind::Partition(set, parts) => partition(packer, set, parts)?,
    })
}

/// `element : {a, b, …}`, or its negation. All items are evaluated, also after an equal one: the whole extension may be ill-defined.
fn member_of_extension(packer: &mut Packer<'_>, element: &ExprPlan, items: &[ExprPlan], negated: bool) -> Option<Pred> {
    if let Type::Set(_) = element.ty {
        let equal = items.iter().map(|item| equal(packer, element, item)).collect::<Option<Vec<_>>>()?;
        return Some(Box::new(move |words| {
            let mut found = false;
            for equal in &equal {
                found |= equal(words)?;
            }
            Ok(found != negated)
        }));
    }
    let element = packer.scalar(element)?;
    let items = items.iter().map(|item| packer.scalar(item)).collect::<Option<Vec<_>>>()?;
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
fn forall(packer: &mut Packer<'_>, search: &Search, body: &PredPlan) -> Option<Pred> {
    let (search, body) = (packer.search(search)?, packer.pred(body)?);
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
fn exists(packer: &mut Packer<'_>, search: &Search) -> Option<Pred> {
    let search = packer.search(search)?;
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
fn partition(packer: &mut Packer<'_>, set: &ExprPlan, parts: &[ExprPlan]) -> Option<Pred> {
    let (set, universe) = packer.mask(set)?;
    let parts = parts.iter().map(|part| packer.set(part, &universe)).collect::<Option<Vec<_>>>()?;
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
    let set = packer.places.wide(set);
    let parts: Vec<Wide> = parts.into_iter().map(|part| packer.places.wide(part)).collect();
    // For several words, the union is built in a separate place, allocated after those of the parts.
    let at = packer.places.take(universe.mask_words());
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

fn packed_preds(packer: &mut Packer<'_>, plans: &[PredPlan]) -> Option<Vec<Pred>> {
    plans.iter().map(|plan| packer.pred(plan)).collect()
}

/// `left = right`
pub(super) fn equal(packer: &mut Packer<'_>, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
    compare(packer, Comparison::Equal, left, right)
}

fn compare(packer: &mut Packer<'_>, comparison: Comparison, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
    use Comparison as C;
    match comparison {
        C::Member => return member(packer, left, right),
        C::NotMember => {
            let member = member(packer, left, right)?;
            return Some(Box::new(move |words| Ok(!member(words)?)));
        }
        _ => {}
    }
    if let Type::Set(_) = left.ty {
        return compare_sets(packer, comparison, left, right);
    }
    let (a, b) = (packer.scalar(left)?, packer.scalar(right)?);
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

fn compare_sets(packer: &mut Packer<'_>, comparison: Comparison, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
    use Comparison as C;
    // A known set that is infinite or large has no mask, but its part within the universe has one.
    if let (C::Subset | C::NotSubset, ExprPlanKind::Value(Value::Symbolic(_))) = (comparison, &right.kind) {
        let is_subset = bounded(packer, left, right)?;
        return Some(Box::new(move |words| Ok(is_subset(words)? == (comparison == C::Subset))));
    }
    // The left side chooses the universe and the right one is read in it: masks are comparable only in one numbering.
    let (a, universe) = packer.mask(left)?;
    let (a, b) = match (a, packer.set(right, &universe)?) {
        (PackedValue::Word(a), PackedValue::Word(b)) => (a, b),
        (a, b) => {
            let (a, b) = (packer.places.wide(a), packer.places.wide(b));
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
