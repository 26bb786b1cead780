//! The shape of a name's values in the Informal Trace Format: functions are maps, sequences are arrays, everything else is a set.
//!
//! Invariant: a name has one shape in all states of a trace. It follows from the membership that types the name; if some value of the trace
//! does not have it, as in a state that violates the invariant, the name has the shape of its type. Deliberately elsewhere: the values in
//! JSON (`itf`), notations in traces for people (`notation`).

use super::delta::{is_function, items};
use super::notation::by_typing;
use bcheck_explore::Trace;
use bcheck_ir::{BinaryOp, Expr, ExprKind, FunctionKind, Model, UnaryOp};
use bcheck_value::{SequenceKind, Value};
use std::sync::Arc;

/// The shape of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ItfShape {
    /// That of its type.
    #[default]
    OfType,
    /// An array of items.
    Sequence(Box<ItfShape>),
    /// A map from arguments to values.
    Function(Box<ItfShape>, Box<ItfShape>),
    /// A set of elements.
    Set(Box<ItfShape>),
    /// A tuple.
    Pair(Box<ItfShape>, Box<ItfShape>),
    /// A record.
    Record(Vec<(Arc<str>, ItfShape)>),
}

/// The shapes of constants and variables in a trace, in declaration order.
pub(crate) fn shapes(model: &Model, trace: &Trace) -> Vec<ItfShape> {
    let known = |shape: ItfShape| Some(shape).filter(|shape| *shape != ItfShape::OfType);
    let stated = by_typing(model, |set| known(ItfShape::of_element(set)), |set| known(ItfShape::of_subset(set)));
    let of_name = |(index, shape): (usize, Option<ItfShape>)| {
        let mut values = trace.steps.iter().filter_map(|step| step.state.get(index));
        shape.filter(|shape| values.all(|value| shape.fits(value))).unwrap_or_default()
    };
    stated.into_iter().enumerate().map(of_name).collect()
}

impl ItfShape {
    /// That of the elements of a set.
    fn of_element(set: &Expr) -> Self {
        let inner = |set: &Expr| Box::new(Self::of_element(set));
        match &set.kind {
            ExprKind::Binary(BinaryOp::Product, from, to) => Self::Pair(inner(from), inner(to)),
            ExprKind::Binary(op, from, to) => match FunctionKind::of(*op) {
                Some(kind) if kind.is_functional() => Self::Function(inner(from), inner(to)),
                Some(_) => Self::set_of(Self::pair(Self::of_element(from), Self::of_element(to))),
                None => Self::OfType,
            },
            ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => Self::of_subset(base),
            ExprKind::Unary(op, base) if SequenceKind::of(*op).is_some() => Self::Sequence(inner(base)),
            ExprKind::Struct(fields) => Self::Record(fields.iter().map(|(name, set)| (name.clone(), Self::of_element(set))).collect()),
            _ => Self::OfType,
        }
    }

    /// That of the subsets of a set.
    fn of_subset(set: &Expr) -> Self {
        Self::set_of(Self::of_element(set))
    }

    fn pair(from: Self, to: Self) -> Self {
        if from == Self::OfType && to == Self::OfType { Self::OfType } else { Self::Pair(Box::new(from), Box::new(to)) }
    }

    fn set_of(element: Self) -> Self {
        if element == Self::OfType { Self::OfType } else { Self::Set(Box::new(element)) }
    }

    /// Whether a value has this shape; one whose elements cannot be enumerated is shown as text in any shape.
    fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Sequence(shape), Value::Set(set)) => items(set).is_some_and(|items| items.iter().all(|item| shape.fits(item))),
            (Self::Function(from, to), Value::Set(set)) => {
                let fits = |member: &Value| member.as_pair().is_some_and(|(argument, value)| from.fits(argument) && to.fits(value));
                is_function(set) && set.iter().all(|member| fits(&member))
            }
            (Self::Set(shape), Value::Set(set)) => set.iter().all(|member| shape.fits(&member)),
            (Self::Pair(from, to), Value::Pair(pair)) => from.fits(&pair.0) && to.fits(&pair.1),
            (Self::Record(_), Value::Record(fields)) => fields.iter().all(|(name, value)| self.of_field(name).fits(value)),
            _ => true,
        }
    }

    /// That of a field of a record with this shape.
    pub(crate) fn of_field(&self, name: &str) -> &Self {
        match self {
            Self::Record(fields) => fields.iter().find(|(field, _)| **field == *name).map_or(&Self::OfType, |(_, shape)| shape),
            _ => &Self::OfType,
        }
    }
}
