//! Comparisons: the values of their sides, and the clues why they are false.
//!
//! Invariant: elements reported as outside of a set were tested for membership in it. Deliberately elsewhere: how two values differ
//! (`difference`).

use super::explainer::Explainer;
use super::{Clue, Evidence, ListedValues, Side, TruthValue, difference};
use bcheck_ir::{BinaryOp, Comparison, Expr, ExprKind, FunctionKind, PredKind, UnaryOp};
use bcheck_value::{SequenceKind, Set, Value, relation, sequence};

impl Explainer<'_> {
    /// Adds the values of the operands, and the reason why the comparison is false.
    pub(super) fn add_comparison(&mut self, node: &mut Evidence) {
        let pred = node.pred.clone();
        match &pred.kind {
            PredKind::Compare(comparison, left, right) => {
                let sides: Vec<&Expr> = constituents(left).into_iter().chain(constituents(right)).collect();
                self.add_terms(node, &sides);
                if node.truth == TruthValue::False {
                    node.clues = self.clues(*comparison, left, right);
                }
            }
            PredKind::Finite(set) => self.add_terms(node, &[set]),
            PredKind::Partition(set, parts) => {
                let all: Vec<&Expr> = std::iter::once(&**set).chain(parts).collect();
                self.add_terms(node, &all);
                if node.truth == TruthValue::False {
                    node.clues = self.partition_clues(set, parts);
                }
            }
            _ => {}
        }
    }

    fn clues(&mut self, comparison: Comparison, left: &Expr, right: &Expr) -> Vec<Clue> {
        match comparison {
            Comparison::Member => self.member_clues(left, right),
            Comparison::Subset | Comparison::StrictSubset => {
                let outside = self.set(left).and_then(|set| self.outside(set.iter(), right));
                match outside {
                    Some(values) => vec![Clue::NotIn(Side::Itself, Box::new(right.clone()), values)],
                    None if comparison == Comparison::StrictSubset => vec![Clue::Same],
                    None => Vec::new(),
                }
            }
            Comparison::Equal => match (self.value(left), self.value(right)) {
                (Ok(one), Ok(other)) => difference::between((left, &one), (right, &other)),
                _ => Vec::new(),
            },
            // If one side is a literal, the value of the other side is explanation enough.
            Comparison::NotEqual if self.is_plain(left) || self.is_plain(right) => Vec::new(),
            Comparison::NotEqual => vec![Clue::Same],
            // The values of the operands are explanation enough.
            Comparison::NotMember
            | Comparison::NotSubset
            | Comparison::NotStrictSubset
            | Comparison::Less
            | Comparison::LessEqual
            | Comparison::Greater
            | Comparison::GreaterEqual => Vec::new(),
        }
    }

    /// The elements of a set, if they can be written out.
    fn set(&mut self, expr: &Expr) -> Option<Set> {
        if let Ok(Value::Set(set)) = self.value(expr) { Some(set) } else { None }
    }

    /// Which of these values are outside of a set.
    fn outside(&mut self, values: impl IntoIterator<Item = Value>, set: &Expr) -> Option<ListedValues> {
        let plan = self.compiler.unexpanded(set);
        let outside = self.in_frame(|frame| {
            let set_value = frame.eval(&plan)?;
            let mut outside = Vec::new();
            for value in values {
                if !frame.member(&value, &set_value, set.span)? {
                    outside.push(value);
                }
            }
            Ok(outside)
        });
        ListedValues::of(outside.ok()?)
    }

    fn not_in(&mut self, side: Side, values: impl IntoIterator<Item = Value>, set: &Expr) -> Option<Clue> {
        self.outside(values, set).map(|values| Clue::NotIn(side, Box::new(set.clone()), values))
    }

    /// Why a value is not an element of a set built by an operator.
    fn member_clues(&mut self, element: &Expr, set: &Expr) -> Vec<Clue> {
        let Ok(value) = self.value(element) else { return Vec::new() };
        match (&set.kind, &value) {
            (ExprKind::Binary(BinaryOp::Product, from, to), Value::Pair(pair)) => {
                let first = self.not_in(Side::Itself, [pair.0.clone()], from);
                first.into_iter().chain(self.not_in(Side::Itself, [pair.1.clone()], to)).collect()
            }
            (ExprKind::Binary(op, from, to), Value::Set(relation)) => match FunctionKind::of(*op) {
                Some(kind) => self.function_clues(kind, relation, from, to),
                None => Vec::new(),
            },
            (ExprKind::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base), Value::Set(elements)) => {
                let must_have_some = matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1);
                let empty = (must_have_some && elements.is_empty()).then_some(Clue::Empty);
                empty.into_iter().chain(self.not_in(Side::Itself, elements.iter(), base)).collect()
            }
            (ExprKind::Unary(op, base), Value::Set(items)) => match SequenceKind::of(*op) {
                Some(kind) => self.sequence_clues(kind, items, base),
                None => Vec::new(),
            },
            (ExprKind::Struct(sets), Value::Record(values)) => {
                let fields = sets.iter().zip(values.iter());
                fields.filter_map(|((_, set), (_, value))| self.not_in(Side::Itself, [value.clone()], set)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn function_clues(&mut self, kind: FunctionKind, pairs: &Set, from: &Expr, to: &Expr) -> Vec<Clue> {
        let (domain, range) = (relation::domain(pairs), relation::range(pairs));
        let mut clues = Vec::new();
        if kind.is_functional() {
            clues.extend(difference::two_images(pairs).map(|(argument, one, other)| Clue::TwoImages(argument, one, other)));
        }
        if kind.is_injective() {
            let inverse = relation::inverse(pairs);
            clues.extend(difference::two_images(&inverse).map(|(value, one, other)| Clue::SameImage(one, other, value)));
        }
        clues.extend(self.not_in(Side::Domain, domain.iter(), from));
        clues.extend(self.not_in(Side::Range, range.iter(), to));
        let missing = |this: &mut Self, is_asked: bool, whole: &Expr, present: &Set| {
            let whole = if is_asked { this.set(whole) } else { None };
            whole.and_then(|whole| ListedValues::of(whole.iter().filter(|value| !present.contains(value))))
        };
        clues.extend(missing(self, kind.is_total(), from, &domain).map(Clue::NoImage));
        clues.extend(missing(self, kind.is_surjective(), to, &range).map(Clue::NotReached));
        clues
    }

    fn sequence_clues(&mut self, kind: SequenceKind, pairs: &Set, base: &Expr) -> Vec<Clue> {
        let Some(items) = sequence::as_sequence(pairs) else {
            let at = (1..).find(|at| relation::related(pairs, &Value::integer(*at)).count() != 1).unwrap_or(1);
            return vec![Clue::NotASequence(usize::try_from(at).unwrap_or(usize::MAX))];
        };
        let mut clues = Vec::new();
        if matches!(kind, SequenceKind::Seq1 | SequenceKind::Iseq1) && items.is_empty() {
            clues.push(Clue::Empty);
        }
        let range: Set = items.iter().cloned().collect();
        if !matches!(kind, SequenceKind::Seq | SequenceKind::Seq1) && range.len() < items.len() {
            let twice = items.iter().enumerate().find(|(at, item)| items[..*at].contains(item));
            clues.extend(twice.map(|(_, item)| Clue::Repeated(item.clone())));
        }
        clues.extend(self.not_in(Side::Items, range.iter(), base));
        if kind == SequenceKind::Perm {
            let base = self.set(base);
            let missing = base.and_then(|base| ListedValues::of(base.iter().filter(|value| !range.contains(value))));
            clues.extend(missing.map(Clue::NotReached));
        }
        clues
    }

    fn partition_clues(&mut self, set: &Expr, parts: &[Expr]) -> Vec<Clue> {
        let values: Vec<Option<Set>> = parts.iter().map(|part| self.set(part)).collect();
        let mut clues = Vec::new();
        let mut union: Vec<Value> = Vec::new();
        for (at, part) in values.iter().enumerate() {
            let Some(part) = part else { continue };
            for (before, other) in values[..at].iter().enumerate() {
                let Some(other) = other else { continue };
                let common = ListedValues::of(part.iter().filter(|value| other.contains(value)));
                let (one, other) = (&parts[before], &parts[at]);
                clues.extend(common.map(|values| Clue::Overlap(Box::new(one.clone()), Box::new(other.clone()), values)));
            }
            union.extend(part.iter());
        }
        let union = Set::from_values(union);
        clues.extend(self.not_in(Side::Itself, union.iter(), set));
        if let Some(whole) = self.set(set) {
            let missing = ListedValues::of(whole.iter().filter(|value| !union.contains(value)));
            clues.extend(missing.map(|values| Clue::OnlyIn(Box::new(set.clone()), values)));
        }
        clues
    }
}

/// The operands of an operator on sets, instead of the large result; for any other expression, itself.
fn constituents(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(op, left, right) if FunctionKind::of(*op).is_some() || *op == BinaryOp::Product => {
            constituents(left).into_iter().chain(constituents(right)).collect()
        }
        ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => constituents(base),
        ExprKind::Unary(op, base) if SequenceKind::of(*op).is_some() => constituents(base),
        ExprKind::Struct(sets) => sets.iter().flat_map(|(_, set)| constituents(set)).collect(),
        _ => vec![expr],
    }
}
