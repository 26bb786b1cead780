//! Which names of a problem are compared as numbers, and of which functions only the numbers that they map to are used.
//!
//! Invariant: such a function occurs only where it is applied or where its type is tested, so that its pairs are not needed. Deliberately
//! elsewhere: whether their values are enumerated (`solve/domain`).

use crate::plan::problem::{Binding, Bindings, Formula, FormulaKind, Term, TermKind};
use crate::plan::{Fold, Slot};
use crate::thresholds::{COMPARED_INTEGER, LONG_SUM, SUMMED_INTEGER};
use bcheck_ir::{BinaryOp, Comparison, UnaryOp};
use std::collections::BTreeSet;

/// How names occur in formulas.
#[derive(Default)]
pub(super) struct Occurrences {
    compared: BTreeSet<Slot>,
    summed: BTreeSet<Slot>,
    /// As a value, not applied.
    whole: BTreeSet<Slot>,
}

impl Occurrences {
    /// From how many values on a name should be solved by its bounds.
    pub(super) fn unlisted_from(&self, slot: Slot, is_set: bool) -> Option<u64> {
        if is_set && self.whole.contains(&slot) {
            return None;
        }
        self.summed.contains(&slot).then_some(SUMMED_INTEGER.get()).or(self.compared.contains(&slot).then_some(COMPARED_INTEGER.get()))
    }

    pub(super) fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Known(_) => {}
            FormulaKind::And(parts) | FormulaKind::Or(parts) => parts.iter().for_each(|part| self.formula(part)),
            FormulaKind::Not(inner) => self.formula(inner),
            FormulaKind::Implies(left, right) | FormulaKind::Equivalent(left, right) => {
                self.formula(left);
                self.formula(right);
            }
            FormulaKind::Compare(comparison, left, right) => self.comparison(*comparison, left, right),
            FormulaKind::Forall(bindings, body) => {
                self.bindings(bindings);
                self.formula(body);
            }
            FormulaKind::Exists(bindings) => self.bindings(bindings),
            FormulaKind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().for_each(|part| self.formula(part)),
            FormulaKind::Let(bindings, body) => {
                self.values(bindings);
                self.formula(body);
            }
            FormulaKind::Partition(set, parts) => {
                self.term(set);
                parts.iter().for_each(|part| self.term(part));
            }
        }
    }

    pub(super) fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Known(_) => {}
            TermKind::Slot(slot) => {
                self.whole.insert(*slot);
            }
            TermKind::Binary(BinaryOp::Apply, function, argument) => {
                if !matches!(function.kind, TermKind::Slot(_)) {
                    self.term(function);
                }
                self.term(argument);
            }
            TermKind::Unary(_, operand) | TermKind::Field(operand, _) => self.term(operand),
            TermKind::Binary(_, left, right) => {
                self.term(left);
                self.term(right);
            }
            TermKind::SetExtension(items) => items.iter().for_each(|item| self.term(item)),
            TermKind::BoolOf(formula) => self.formula(formula),
            TermKind::If(condition, then, otherwise) => {
                self.formula(condition);
                self.term(then);
                self.term(otherwise);
            }
            TermKind::Let(bindings, body) => {
                self.values(bindings);
                self.term(body);
            }
            TermKind::Collect(bindings, element) | TermKind::Fold(_, bindings, element) => {
                self.bindings(bindings);
                self.term(element);
            }
        }
    }

    fn comparison(&mut self, comparison: Comparison, left: &Term, right: &Term) {
        match comparison {
            // Its type, or a set that it is tested for.
            Comparison::Member | Comparison::NotMember if matches!(left.kind, TermKind::Slot(_)) => return self.term(right),
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Less
            | Comparison::LessEqual
            | Comparison::Greater
            | Comparison::GreaterEqual => {
                let is_long = left.summands() + right.summands() >= LONG_SUM.get();
                self.sum(left, is_long);
                self.sum(right, is_long);
            }
            _ => {}
        }
        self.term(left);
        self.term(right);
    }

    fn sum(&mut self, term: &Term, is_long: bool) {
        let names = if is_long { &mut self.summed } else { &mut self.compared };
        match &term.kind {
            TermKind::Slot(slot) => {
                names.insert(*slot);
            }
            TermKind::Binary(BinaryOp::Apply, function, _) => {
                if let TermKind::Slot(slot) = function.kind {
                    names.insert(slot);
                }
            }
            TermKind::Binary(
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo,
                left,
                right,
            ) => {
                self.sum(left, is_long);
                self.sum(right, is_long);
            }
            TermKind::Unary(UnaryOp::Negate, summand) | TermKind::Fold(Fold::Sum, _, summand) => self.sum(summand, is_long),
            _ => {}
        }
    }

    fn bindings(&mut self, bindings: &Bindings) {
        bindings.elements.iter().for_each(|(_, set)| self.term(set));
        bindings.conditions.iter().for_each(|condition| self.formula(condition));
    }

    fn values(&mut self, bindings: &[(Slot, Binding)]) {
        for (_, binding) in bindings {
            if let Binding::Open(term) = binding {
                self.term(term);
            }
        }
    }
}
