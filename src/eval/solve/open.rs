//! Symbolic values during encoding: open values, truths, and why a formula is not written out.
//!
//! Values in open sets are compared by form, so no value there holds a description of a set: descriptions of one set may differ in form.
//! Invariant: for every solution of the inputs, an open value has exactly one meaning where its `defined` literal is true; a
//! truth is true where `holds` is, false where `fails` is, and ill-defined where neither is. `holds` may be true too often,
//! `fails` too rarely, never the other way round. Deliberately elsewhere: what is done with them (`encoder`).

use super::circuit::Circuit;
use super::sat::{IntegerVariable, Lit};
use crate::{EvalError, EvalErrorKind};
use bcheck_value::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values, ascending and each once, with the literals under which they occur.
pub(super) type Members = Rc<Vec<(Value, Lit)>>;

/// A function by its arguments, ascending, with the integer that each is mapped to.
pub(super) type Images = Rc<Vec<(Value, IntegerVariable)>>;

/// A value that depends on names to be solved.
#[derive(Clone)]
pub(super) enum Open {
    Known(Value),
    /// Exactly one of these.
    Choice(Members),
    /// The set of those whose literal is true; none of them holds a description.
    Set(Members),
    /// An integer between bounds that are too far apart for a list.
    Integer(IntegerVariable),
    /// A total function to such integers.
    Function(Images),
}

/// An open value and where it is well-defined.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) value: Open,
    pub(super) defined: Lit,
}

impl Ground {
    pub(super) fn known(value: Value) -> Self {
        Ground { value: Open::Known(value), defined: Lit::TRUE }
    }

    pub(super) fn set(members: Vec<(Value, Lit)>, defined: Lit) -> Self {
        Ground { value: Open::Set(Rc::new(members)), defined }
    }

    pub(super) fn undefined() -> Self {
        Ground { value: Open::Choice(Rc::new(Vec::new())), defined: Lit::FALSE }
    }
}

/// Where a formula holds and where it is false.
#[derive(Clone, Copy)]
pub(super) struct Truth {
    pub(super) holds: Lit,
    pub(super) fails: Lit,
}

impl Truth {
    pub(super) const TRUE: Truth = Truth { holds: Lit::TRUE, fails: Lit::FALSE };
    pub(super) const UNDEFINED: Truth = Truth { holds: Lit::FALSE, fails: Lit::FALSE };

    pub(super) fn known(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::TRUE.negated() }
    }

    /// The truth of a formula that is well-defined everywhere.
    pub(super) fn total(holds: Lit) -> Self {
        Truth { holds, fails: !holds }
    }

    /// Whether the gates show that it is well-defined in every model.
    pub(super) fn is_total(self) -> bool {
        self.holds == !self.fails
    }

    pub(super) fn negated(self) -> Self {
        Truth { holds: self.fails, fails: self.holds }
    }
}

/// Why a formula is not written out.
pub(super) enum Stop {
    /// Its kind or size is not supported: it is tested instead.
    Unsupported,
    Error(EvalError),
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Self {
        // Here operands are evaluated in every case. The conjunct may be false before the fault is reached, so the fault is left to its
        // test.
        if error.kind == EvalErrorKind::Interrupted { Stop::Error(error) } else { Stop::Unsupported }
    }
}

pub(super) type Grounded<T> = Result<T, Stop>;

/// Merges equal values into one with the disjunction of its literals; ascending, without values that never occur.
pub(super) fn gathered(circuit: &mut Circuit, pairs: impl IntoIterator<Item = (Value, Lit)>) -> Vec<(Value, Lit)> {
    // Ordered, because members are found by binary search.
    let mut by_value: BTreeMap<Value, Vec<Lit>> = BTreeMap::new();
    for (value, literal) in pairs {
        if literal != Lit::FALSE {
            by_value.entry(value).or_default().push(literal);
        }
    }
    by_value.into_iter().map(|(value, literals)| (value, circuit.any(literals))).filter(|(_, literal)| *literal != Lit::FALSE).collect()
}

/// The literal of a value among others; false if it does not occur. Neither contains a symbolic set.
pub(super) fn literal_of(members: &[(Value, Lit)], value: &Value) -> Lit {
    members.binary_search_by(|(other, _)| other.cmp(value)).map_or(Lit::FALSE, |at| members[at].1)
}

/// The literals of the pairs with this first component, and their second components.
pub(super) fn row<'r>(relation: &'r [(Value, Lit)], first: &Value) -> &'r [(Value, Lit)] {
    // Pairs are ordered by their first components first, so those with the same one are neighbours.
    let argument = |member: &Value| member.as_pair().map(|(argument, _)| argument.cmp(first));
    let from = relation.partition_point(|(member, _)| argument(member).is_some_and(std::cmp::Ordering::is_lt));
    let length = relation[from..].partition_point(|(member, _)| argument(member).is_some_and(std::cmp::Ordering::is_eq));
    &relation[from..from + length]
}

/// The components of a pair.
pub(super) fn sides(pair: &Value) -> (&Value, &Value) {
    pair.as_pair().expect("the type checker makes every member of a relation a pair")
}
