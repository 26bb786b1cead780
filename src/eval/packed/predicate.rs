//! Predicates over words.
//!
//! Invariant: as in the general evaluator, connectives stop as soon as the result is known, false wins over ill-defined under a
//! universal quantifier and true under an existential one.

use super::expression::{Operand, one_word};
use super::{Packer, Pred, Trap, matrix};
use crate::eval::frame::Flow;
use crate::eval::plan::{ExprPlan, ExprPlanKind, PredPlan, PredPlanKind};
use crate::ir::{BinaryOp, Comparison, IntegerSet, Type, UnaryOp};
use crate::value::packing::{Packing, Universe};
use crate::value::{FunctionKind, Symbolic, Value};

#[allow(clippy::cast_possible_wrap, reason = "two's complement is the representation of integers")]
fn signed(word: u64) -> i64 {
    word as i64
}

impl Packer<'_> {
    pub(super) fn pred(&self, plan: &PredPlan) -> Option<Pred> {
        Some(match &plan.kind {
            PredPlanKind::Constant(value) => {
                let value = *value;
                Box::new(move |_| Ok(value))
            }
            PredPlanKind::And(parts) => {
                let mut parts = self.preds(parts)?;
                if parts.len() == 1 {
                    return parts.pop();
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
            PredPlanKind::Or(parts) => {
                let parts = self.preds(parts)?;
                Box::new(move |words| {
                    for part in &parts {
                        if part(words)? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                })
            }
            PredPlanKind::Not(inner) => {
                let inner = self.pred(inner)?;
                Box::new(move |words| Ok(!inner(words)?))
            }
            PredPlanKind::Implies(left, right) => {
                let (left, right) = (self.pred(left)?, self.pred(right)?);
                Box::new(move |words| Ok(!left(words)? || right(words)?))
            }
            PredPlanKind::Equivalent(left, right) => {
                let (left, right) = (self.pred(left)?, self.pred(right)?);
                Box::new(move |words| Ok(left(words)? == right(words)?))
            }
            PredPlanKind::Compare(comparison, left, right) => self.compare(*comparison, left, right)?,
            PredPlanKind::MemberOfExtension(element, items, negated) => {
                let element = self.operand(element)?;
                let items = items.iter().map(|item| self.operand(item)).collect::<Option<Vec<_>>>()?;
                let negated = *negated;
                Box::new(move |words| {
                    let element = element.get(words)?;
                    let mut found = false;
                    for item in &items {
                        found |= item.get(words)? == element;
                    }
                    Ok(found != negated)
                })
            }
            PredPlanKind::Forall(search, body) => {
                let (search, body) = (self.search(search)?, self.pred(body)?);
                Box::new(move |words| {
                    let (mut all, mut ill) = (true, false);
                    ill |= search.run_noting(words, &mut |words| {
                        match body(words) {
                            Ok(holds) => all = holds,
                            Err(Trap::IllDefined) => ill = true,
                            Err(trap) => return Err(trap),
                        }
                        Ok(if all { Flow::Continue } else { Flow::Stop })
                    })?;
                    if all && ill { Err(Trap::IllDefined) } else { Ok(all) }
                })
            }
            PredPlanKind::Exists(search) => {
                let search = self.search(search)?;
                Box::new(move |words| {
                    let mut found = false;
                    let ill = search.run_noting(words, &mut |_| {
                        found = true;
                        Ok(Flow::Stop)
                    })?;
                    if ill && !found { Err(Trap::IllDefined) } else { Ok(found) }
                })
            }
            PredPlanKind::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (self.pred(condition)?, self.pred(then)?, self.pred(otherwise)?);
                Box::new(move |words| if condition(words)? { then(words) } else { otherwise(words) })
            }
            PredPlanKind::Let(bindings, body) => {
                let bindings = self.bindings(bindings)?;
                let body = self.pred(body)?;
                Box::new(move |words| {
                    for (slot, value) in &bindings {
                        words.slots[*slot] = value.get(words)?;
                    }
                    body(words)
                })
            }
            PredPlanKind::Finite(set) => {
                let set = self.operand(set)?;
                Box::new(move |words| set.get(words).map(|_| true))
            }
            PredPlanKind::Partition(set, parts) => {
                let set = self.mask(set)?.0;
                let parts = parts.iter().map(|part| self.mask(part).map(|(part, _)| part)).collect::<Option<Vec<_>>>()?;
                Box::new(move |words| {
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
                })
            }
        })
    }

    fn preds(&self, plans: &[PredPlan]) -> Option<Vec<Pred>> {
        plans.iter().map(|plan| self.pred(plan)).collect()
    }

    fn compare(&self, comparison: Comparison, left: &ExprPlan, right: &ExprPlan) -> Option<Pred> {
        use Comparison as C;
        match comparison {
            C::Member => return self.member(left, right),
            C::NotMember => {
                let member = self.member(left, right)?;
                return Some(Box::new(move |words| Ok(!member(words)?)));
            }
            _ => {}
        }
        let (a, b) = (self.operand(left)?, self.operand(right)?);
        Some(match comparison {
            C::Equal => Box::new(move |words| Ok(a.get(words)? == b.get(words)?)),
            C::NotEqual => Box::new(move |words| Ok(a.get(words)? != b.get(words)?)),
            C::Less => Box::new(move |words| Ok(signed(a.get(words)?) < signed(b.get(words)?))),
            C::LessEqual => Box::new(move |words| Ok(signed(a.get(words)?) <= signed(b.get(words)?))),
            C::Greater => Box::new(move |words| Ok(signed(a.get(words)?) > signed(b.get(words)?))),
            C::GreaterEqual => Box::new(move |words| Ok(signed(a.get(words)?) >= signed(b.get(words)?))),
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
            C::Member | C::NotMember => return None,
        })
    }

    /// Membership; the set may be a description that no word holds.
    fn member(&self, element: &ExprPlan, set: &ExprPlan) -> Option<Pred> {
        if let Some((set, _)) = self.mask(set) {
            let element = self.operand(element)?;
            return Some(Box::new(move |words| {
                let element = element.get(words)?;
                Ok(set.get(words)? >> element & 1 == 1)
            }));
        }
        match &set.kind {
            ExprPlanKind::Value(Value::Symbolic(symbolic)) => self.member_of_known(element, symbolic),
            ExprPlanKind::Value(Value::Set(known)) if set.ty == Type::set(Type::Integer) => {
                let element = self.operand(element)?;
                let numbers =
                    known.iter().map(|value| value.as_integer().and_then(crate::value::Integer::to_i64)).collect::<Option<Vec<_>>>()?;
                Some(Box::new(move |words| Ok(numbers.binary_search(&signed(element.get(words)?)).is_ok())))
            }
            ExprPlanKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => {
                let ExprPlanKind::Unary(op, _) = &set.kind else { return None };
                let nonempty = matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1);
                let (element, base) = (self.mask(element)?.0, self.mask(base)?.0);
                Some(Box::new(move |words| {
                    let element = element.get(words)?;
                    Ok(element & !base.get(words)? == 0 && !(nonempty && element == 0))
                }))
            }
            ExprPlanKind::Binary(BinaryOp::Interval, from, to) => {
                let (element, from, to) = (self.operand(element)?, self.operand(from)?, self.operand(to)?);
                Some(Box::new(move |words| {
                    let (element, from, to) = (signed(element.get(words)?), signed(from.get(words)?), signed(to.get(words)?));
                    Ok(from <= element && element <= to)
                }))
            }
            ExprPlanKind::Binary(op, from, to) => {
                let kind = function_kind(*op)?;
                self.member_of_functions(element, kind, self.mask(from)?.0, self.mask(to)?.0)
            }
            _ => None,
        }
    }

    fn member_of_known(&self, element: &ExprPlan, symbolic: &Symbolic) -> Option<Pred> {
        match symbolic {
            Symbolic::Integers(which) => {
                let element = self.operand(element)?;
                let least = match which {
                    IntegerSet::Natural | IntegerSet::Nat => 0,
                    IntegerSet::Natural1 | IntegerSet::Nat1 => 1,
                    IntegerSet::Integer | IntegerSet::Int => i64::MIN,
                };
                Some(Box::new(move |words| Ok(signed(element.get(words)?) >= least)))
            }
            Symbolic::Interval(from, to) => {
                let element = self.operand(element)?;
                let (from, to) = (from.to_i64()?, to.to_i64()?);
                Some(Box::new(move |words| {
                    let element = signed(element.get(words)?);
                    Ok(from <= element && element <= to)
                }))
            }
            Symbolic::Power { base, nonempty, .. } => {
                let (element, universe) = self.mask(element)?;
                let base = one_word(&Packing::Mask(universe), base)?;
                let nonempty = *nonempty;
                Some(Box::new(move |words| {
                    let element = element.get(words)?;
                    Ok(element & !base == 0 && !(nonempty && element == 0))
                }))
            }
            Symbolic::Functions(kind, from, to) => {
                let (_, universe) = self.mask(element)?;
                let Universe::Pairs(rows, columns, _) = universe else { return None };
                let from = one_word(&Packing::Mask(*rows), from)?;
                let to = one_word(&Packing::Mask(*columns), to)?;
                self.member_of_functions(element, *kind, Operand::Known(from), Operand::Known(to))
            }
            _ => None,
        }
    }

    fn member_of_functions(&self, element: &ExprPlan, kind: FunctionKind, from: Operand, to: Operand) -> Option<Pred> {
        let (relation, _, columns) = self.matrix(element)?;
        Some(Box::new(move |words| {
            let (relation, from, to) = (relation.get(words)?, from.get(words)?, to.get(words)?);
            let (domain, range) = (matrix::domain(relation, columns), matrix::range(relation, columns));
            Ok((if kind.is_total() { domain == from } else { domain & !from == 0 })
                && (if kind.is_surjective() { range == to } else { range & !to == 0 })
                && (!kind.is_functional() || matrix::is_function(relation, columns))
                && (!kind.is_injective() || matrix::is_injective(relation, columns)))
        }))
    }
}

fn function_kind(op: BinaryOp) -> Option<FunctionKind> {
    Some(match op {
        BinaryOp::Relations => FunctionKind::Relations,
        BinaryOp::TotalRelations => FunctionKind::TotalRelations,
        BinaryOp::SurjectiveRelations => FunctionKind::SurjectiveRelations,
        BinaryOp::TotalSurjectiveRelations => FunctionKind::TotalSurjectiveRelations,
        BinaryOp::PartialFunctions => FunctionKind::PartialFunctions,
        BinaryOp::TotalFunctions => FunctionKind::TotalFunctions,
        BinaryOp::PartialInjections => FunctionKind::PartialInjections,
        BinaryOp::TotalInjections => FunctionKind::TotalInjections,
        BinaryOp::PartialSurjections => FunctionKind::PartialSurjections,
        BinaryOp::TotalSurjections => FunctionKind::TotalSurjections,
        BinaryOp::PartialBijections => FunctionKind::PartialBijections,
        BinaryOp::TotalBijections => FunctionKind::TotalBijections,
        _ => return None,
    })
}
