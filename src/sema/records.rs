//! Records whose fields have no labels, `rec(1, TRUE)`: the labels come from the type.
//!
//! Invariant: until the last pass, such a record has numbers in place of labels, which cannot be written in a text. Deliberately
//! elsewhere: types of records (`types`), records with labels (`infer`), when the type is known (`overload`).

use super::elaborate::{Elaborator, Place};
use super::overload::Overload;
use bcheck_ir::{Expr, ExprKind, Type};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The prefix of the number in place of a label.
const NUMBER: char = '#';

/// The order of the labels of records in the text. In types, labels are in alphabetical order.
#[derive(Default)]
pub(super) struct Labels {
    /// By the labels in alphabetical order, their order in the first text that has them.
    orders: FxHashMap<Vec<Arc<str>>, Order>,
    /// Records whose labels were determined by a type, by their labels in alphabetical order.
    given: Vec<(Vec<Arc<str>>, Span)>,
}

struct Order {
    labels: Vec<Arc<str>>,
    /// Whether another text has them in another order.
    is_ambiguous: bool,
}

impl Labels {
    /// Records the labels of a `struct` or `rec`.
    pub(super) fn add(&mut self, fields: &[(ast::Name, ast::Expr)]) {
        let labels: Vec<Arc<str>> = fields.iter().map(|(name, _)| Arc::from(name.text.as_str())).collect();
        let mut sorted = labels.clone();
        sorted.sort();
        match self.orders.get_mut(&sorted) {
            Some(order) => order.is_ambiguous |= order.labels != labels,
            None => {
                self.orders.insert(sorted, Order { labels, is_ambiguous: false });
            }
        }
    }

    /// The labels of a record type in the order of the text.
    fn of(&self, fields: &[(Arc<str>, Type)]) -> Option<&[Arc<str>]> {
        let sorted: Vec<Arc<str>> = fields.iter().map(|(name, _)| Arc::clone(name)).collect();
        self.orders.get(&sorted).map(|order| order.labels.as_slice())
    }

    /// Puts the labels of the type in place of numbers.
    pub(super) fn complete(&self, fields: &mut [(Arc<str>, Expr)], types: &[(Arc<str>, Type)]) {
        if !fields.first().is_some_and(|(name, _)| name.starts_with(NUMBER)) {
            return;
        }
        let Some(labels) = self.of(types) else { return };
        for ((name, _), label) in fields.iter_mut().zip(labels) {
            *name = Arc::clone(label);
        }
        fields.sort_by(|(left, _), (right, _)| left.cmp(right));
    }
}

impl Elaborator<'_> {
    /// `rec(E, …)`
    pub(super) fn unlabelled_record(&mut self, fields: &[(ast::Name, ast::Expr)], span: Span) -> Expr {
        let values: Vec<Expr> = fields.iter().map(|(_, value)| self.expr(value)).collect();
        let record = self.types.fresh();
        let types = values.iter().map(|value| (value.ty.clone(), value.span)).collect();
        self.wait(Overload::Labels { record: record.clone(), values: types, span });
        let fields = values.into_iter().enumerate().map(|(at, value)| (Arc::from(format!("{NUMBER}{at}")), value)).collect();
        Expr { kind: ExprKind::Record(fields), ty: record, span }
    }

    /// Types the fields of such a record by its own type, which is known.
    pub(super) fn label(&mut self, record: &Type, values: &[(Type, Span)], span: Span) {
        let ty = self.types.shallow(record);
        let fields = match &ty {
            Type::Record(fields) if fields.len() == values.len() => fields,
            _ => {
                let title = format!("a record of {} fields does not have this type", values.len());
                let shown = self.show(record);
                self.report(Diagnostic::error(Code::TypeClash, span, title).label(format!("expected {shown}")));
                return;
            }
        };
        let Some(labels) = self.labels.of(fields).map(<[_]>::to_vec) else { return self.labels_unknown(span) };
        self.labels.given.push((fields.iter().map(|(name, _)| Arc::clone(name)).collect(), span));
        for (label, (value, at)) in labels.iter().zip(values) {
            if let Some((_, ty)) = fields.iter().find(|(name, _)| name == label) {
                self.unify(ty, value, *at);
            }
        }
    }

    /// Reports a record whose type is not known, so that its labels are not either.
    pub(super) fn labels_unknown(&mut self, span: Span) {
        self.report(
            Diagnostic::error(Code::CannotType, span, "the labels of this record are not known")
                .help("write rec(f : E, g : F), or a typing predicate such as r : struct(f : S, g : T)"),
        );
    }

    /// Reports records whose labels could be in two orders; called once, when all text has been read.
    pub(super) fn report_ambiguous_labels(&mut self) {
        // The walk is over: no construct is around these records any more.
        self.place = Place::default();
        for (labels, span) in std::mem::take(&mut self.labels.given) {
            if self.labels.orders.get(&labels).is_some_and(|order| order.is_ambiguous) {
                let written = labels.iter().map(|label| format!("{label} : …")).collect::<Vec<_>>().join(", ");
                self.report(
                    Diagnostic::error(Code::CannotType, span, "the labels of this record stand in more than one order in the text")
                        .help(format!("write rec({written})")),
                );
            }
        }
    }
}
