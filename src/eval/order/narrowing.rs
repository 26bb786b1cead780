//! Bounds of integers that follow from sums, products, powers, greatest and least elements, and conditions on all elements.
//!
//! The conjuncts are read, not rewritten: `x : dom(c)` of a total function ranges over its domain, as does `x |-> y : c`, and a sum over
//! an explicit set is the sum of its terms, so that no spelling matters. Each term has an interval, which each conjunct narrows (bounds
//! consistency); branches of a disjunction are narrowed separately and joined.
//! Invariant: where all conjuncts hold, each value is in its interval. Deliberately elsewhere: expressions (`terms`), the ranges of
//! binders (`contexts`), the resulting conjuncts (`spaces`).

use super::interval::Enclosure;
use super::parts::Component;
use crate::compile::names::Names;
use crate::plan::Slot;
use crate::thresholds::{NARROWING_ROUNDS, NARROWING_WORK};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, FunctionKind, LocalId, Pred, PredKind, SetId, Type, UnaryOp};
use bcheck_value::SequenceKind;
use std::collections::BTreeMap;

/// A quantity with a known interval.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quantity {
    /// An integer.
    Name(Slot),
    /// The length of a sequence.
    Size(Slot),
    /// Each value of a function, each second component of a relation, each element of a set.
    Each(Slot),
    /// The value of a function for one argument.
    At(Slot, Argument),
    /// A component of a record or a pair.
    Part(Slot, Vec<Component>),
}

/// An argument that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Argument {
    Integer(i128),
    Bool(bool),
    Element(SetId, u32),
}

/// The values of a bound name.
#[derive(Clone, Debug)]
pub(super) enum BoundName<'p> {
    Argument(Argument),
    /// Each of the values of this term.
    Quantity(Quantity),
    /// Each element of this set.
    ElementOf(&'p Expr),
    /// Each pair of a relation, or that with this argument.
    Pair(Slot, Option<Argument>),
    Unknown,
}

/// The intervals where some conjuncts hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    intervals: BTreeMap<Quantity, Enclosure>,
    truths: BTreeMap<Slot, bool>,
    /// Whether the conjuncts contradict each other.
    pub(super) is_empty: bool,
}

impl Found {
    pub(super) fn of(&self, term: &Quantity) -> Enclosure {
        let own = self.intervals.get(term).copied().unwrap_or_default();
        match term {
            Quantity::At(slot, _) => own.meet(self.of(&Quantity::Each(*slot))),
            _ => own,
        }
    }

    pub(super) fn narrow(&mut self, term: Quantity, to: Enclosure) {
        let interval = self.of(&term).meet(to);
        // A set may be empty; a number has a value.
        self.is_empty |= interval.is_empty() && !matches!(term, Quantity::Each(_));
        self.intervals.insert(term, interval);
    }

    /// The intervals where either holds.
    fn join(self, other: Self) -> Self {
        if self.is_empty {
            return other;
        }
        if other.is_empty {
            return self;
        }
        let terms = self.intervals.keys().chain(other.intervals.keys());
        let intervals = terms.map(|term| (term.clone(), self.of(term).hull(other.of(term)))).collect();
        let truths = self.truths.iter().filter(|(slot, truth)| other.truths.get(slot) == Some(truth));
        Self { intervals, truths: truths.map(|(slot, truth)| (*slot, *truth)).collect(), is_empty: false }
    }
}

/// The analysis of a conjunction.
pub(super) struct Narrowing<'n, 'p> {
    pub(super) names: Names<'n>,
    pub(super) conjuncts: &'p [Pred],
    pub(super) found: Found,
    /// The names of the enclosing binders.
    pub(super) bound: Vec<(LocalId, BoundName<'p>)>,
    /// How deep definitions of sets are looked up.
    pub(super) depth: u32,
    work: usize,
}

impl<'n, 'p> Narrowing<'n, 'p> {
    /// The intervals of the terms of a conjunction with these names.
    pub(super) fn of(names: Names<'n>, locals: &[(Slot, Type)], conjuncts: &'p [Pred]) -> Found {
        // Conditions often depend on one or two truth values: each case is narrowed separately.
        let mut cases = vec![Found::default()];
        for (slot, _) in locals.iter().filter(|(_, ty)| *ty == Type::Bool).take(2) {
            let with = |case: &Found, truth| Found {
                truths: case.truths.iter().map(|(s, t)| (*s, *t)).chain([(*slot, truth)]).collect(),
                ..case.clone()
            };
            cases = cases.iter().flat_map(|case| [with(case, false), with(case, true)]).collect();
        }
        let narrowed = cases.into_iter().map(|found| {
            let mut narrowing = Self { names, conjuncts, found, bound: Vec::new(), depth: 0, work: 0 };
            narrowing.run();
            narrowing.found
        });
        narrowed.reduce(Found::join).unwrap_or_default()
    }

    fn run(&mut self) {
        for _ in 0..NARROWING_ROUNDS.get() {
            let before = self.found.clone();
            self.conjuncts.iter().for_each(|pred| self.assume(pred, true));
            self.collect_values();
            if self.found == before || self.found.is_empty {
                return;
            }
        }
    }

    /// The values of a function are those for its arguments.
    fn collect_values(&mut self) {
        let slots: Vec<Slot> =
            self.found.intervals.keys().filter_map(|term| if let Quantity::At(slot, _) = term { Some(*slot) } else { None }).collect();
        for slot in slots {
            if let Some((keys, _)) = self.arguments(slot) {
                let each = keys.into_iter().map(|key| self.found.of(&Quantity::At(slot, key))).reduce(Enclosure::hull);
                each.into_iter().for_each(|each| self.found.narrow(Quantity::Each(slot), each));
            }
        }
    }

    pub(super) fn is_over(&mut self) -> bool {
        self.work += 1;
        self.work > NARROWING_WORK.get() || self.found.is_empty
    }

    /// Narrows by a predicate that has this truth value.
    pub(super) fn assume(&mut self, pred: &'p Pred, truth: bool) {
        if self.is_over() {
            return;
        }
        match (&pred.kind, truth) {
            (PredKind::And(parts), true) | (PredKind::Or(parts), false) => parts.iter().for_each(|part| self.assume(part, truth)),
            (PredKind::Or(parts), true) | (PredKind::And(parts), false) => {
                let cases: Vec<_> = parts.iter().map(|part| vec![(part, truth)]).collect();
                self.either(&cases);
            }
            (PredKind::Not(inner), _) => self.assume(inner, !truth),
            (PredKind::Implies(premise, conclusion), true) => {
                self.either(&[vec![(premise, false)], vec![(premise, true), (conclusion, true)]]);
            }
            (PredKind::Implies(premise, conclusion), false) => {
                self.assume(premise, true);
                self.assume(conclusion, false);
            }
            (PredKind::Equivalent(left, right), _) => {
                self.either(&[vec![(left, true), (right, truth)], vec![(left, false), (right, !truth)]]);
            }
            (PredKind::If(condition, then, otherwise), _) => {
                self.either(&[vec![(condition, true), (then, truth)], vec![(condition, false), (otherwise, truth)]]);
            }
            (PredKind::Compare(comparison @ (Comparison::Equal | Comparison::NotEqual), left, right), _) if left.ty == Type::Bool => {
                self.compare_truths((*comparison == Comparison::Equal) == truth, left, right);
            }
            (PredKind::Compare(comparison, left, right), _) => {
                let comparison = if truth { Some(*comparison) } else { negated(*comparison) };
                comparison.into_iter().for_each(|comparison| self.compare(comparison, left, right));
            }
            (PredKind::Forall(locals, body), true) => {
                if let PredKind::Implies(premise, conclusion) = &body.kind {
                    self.in_each_context(locals, premise, &mut |this, _, is_certain| {
                        if is_certain {
                            this.assume(conclusion, true);
                        }
                    });
                }
            }
            (PredKind::Exists(locals, body), false) => self.refute_each(locals, body),
            _ => {}
        }
    }

    /// `b = TRUE`, `b /= FALSE`
    fn compare_truths(&mut self, are_equal: bool, left: &Expr, right: &Expr) {
        for (name, value) in [(left, right), (right, left)] {
            if let (Some(slot), ExprKind::Bool(truth)) = (self.names.slot_of(name), &value.kind) {
                let truth = *truth == are_equal;
                self.found.is_empty |= *self.found.truths.entry(slot).or_insert(truth) != truth;
            }
        }
    }

    /// Narrows by a disjunction of conjunctions.
    pub(super) fn either(&mut self, cases: &[Vec<(&'p Pred, bool)>]) {
        let before = self.found.clone();
        let mut joined: Option<Found> = None;
        for case in cases {
            self.found = before.clone();
            case.iter().for_each(|(pred, truth)| self.assume(pred, *truth));
            let found = std::mem::take(&mut self.found);
            joined = Some(joined.map_or(found.clone(), |joined| joined.join(found)));
        }
        self.found = joined.unwrap_or(before);
    }

    fn compare(&mut self, comparison: Comparison, left: &'p Expr, right: &'p Expr) {
        let is_number = left.ty == Type::Integer;
        match comparison {
            Comparison::Equal if is_number => {
                let both = self.value(left).meet(self.value(right));
                self.narrow(left, both);
                self.narrow(right, both);
            }
            Comparison::Equal if left.ty == Type::set(Type::Integer) => {
                let both = self.elements(left).meet(self.elements(right));
                self.narrow_elements(left, both);
                self.narrow_elements(right, both);
            }
            Comparison::Less | Comparison::LessEqual => {
                let gap = Enclosure::of(i128::from(comparison == Comparison::Less));
                let (low, high) = (self.value(left).low, self.value(right).high);
                self.narrow(left, Enclosure::new(None, high).subtract(gap));
                self.narrow(right, Enclosure::new(low, None).add(gap));
            }
            Comparison::Greater => self.compare(Comparison::Less, right, left),
            Comparison::GreaterEqual => self.compare(Comparison::LessEqual, right, left),
            Comparison::Member if is_number => {
                let elements = self.elements(right);
                self.narrow(left, elements);
            }
            Comparison::Member => {
                if let ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, whole) = &right.kind {
                    self.compare(Comparison::Subset, left, whole);
                } else if let (Some(slot), Type::Pair(..) | Type::Record(_)) = (self.free_slot(left), &left.ty) {
                    self.narrow_parts(slot, &[], right);
                } else if let (Some(slot), Some(values)) = (self.names.slot_of(left), values_of(right)) {
                    let values = self.elements(values);
                    self.found.narrow(Quantity::Each(slot), values);
                }
            }
            Comparison::Subset | Comparison::StrictSubset if left.ty == Type::set(Type::Integer) => {
                let elements = self.elements(right);
                self.narrow_elements(left, elements);
            }
            Comparison::Subset | Comparison::StrictSubset => {
                if let (Some(slot), ExprKind::Binary(BinaryOp::Product, _, values)) = (self.names.slot_of(left), &right.kind)
                    && values.ty == Type::set(Type::Integer)
                {
                    let values = self.elements(values);
                    self.found.narrow(Quantity::Each(slot), values);
                }
            }
            _ => {}
        }
    }

    /// Whether a predicate holds, as far as that is known.
    pub(super) fn truth(&mut self, pred: &'p Pred) -> Option<bool> {
        match &pred.kind {
            PredKind::True => Some(true),
            PredKind::Not(inner) => self.truth(inner).map(|truth| !truth),
            PredKind::Compare(comparison, left, right) if left.ty == Type::Integer && right.ty == Type::Integer => {
                let difference = self.value(left).subtract(self.value(right));
                let known = |is_so: bool, is_not: bool| {
                    if is_so {
                        Some(true)
                    } else if is_not {
                        Some(false)
                    } else {
                        None
                    }
                };
                let is_other = difference.is_at_least(1) || difference.is_at_most(-1);
                match comparison {
                    Comparison::Equal => known(difference == Enclosure::of(0), is_other),
                    Comparison::NotEqual => known(is_other, difference == Enclosure::of(0)),
                    Comparison::Less => known(difference.is_at_most(-1), difference.is_at_least(0)),
                    Comparison::LessEqual => known(difference.is_at_most(0), difference.is_at_least(1)),
                    Comparison::Greater => known(difference.is_at_least(1), difference.is_at_most(0)),
                    Comparison::GreaterEqual => known(difference.is_at_least(0), difference.is_at_most(-1)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The set of integers that contains the values of functions, elements of sequences or second components of relations in this set.
pub(super) fn values_of(space: &Expr) -> Option<&Expr> {
    let values = match &space.kind {
        ExprKind::Unary(op, values) if SequenceKind::of(*op).is_some() => values,
        ExprKind::Binary(op, _, values) if FunctionKind::of(*op).is_some() => values,
        _ => return None,
    };
    (values.ty == Type::set(Type::Integer)).then_some(values)
}

fn negated(comparison: Comparison) -> Option<Comparison> {
    Some(match comparison {
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessEqual,
        Comparison::GreaterEqual => Comparison::Less,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::NotMember => Comparison::Member,
        Comparison::NotSubset => Comparison::Subset,
        _ => return None,
    })
}
