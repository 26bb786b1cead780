//! Sets that stay descriptions: infinite ones, and finite ones too large to write out.
//!
//! Invariant: plain data over values, so a symbolic set can be stored, renamed and compared as a description like any other
//! value. Deliberately elsewhere: membership and expansion (`eval`), which alone can run a closure's plan.

use super::{Integer, Value};
use bcheck_ir::{FunctionKind, IntegerSet, UnaryOp};
use std::sync::Arc;

/// The kinds of sequence sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is the B operator of the same name")]
pub enum SequenceKind {
    Seq,
    Seq1,
    Iseq,
    Iseq1,
    Perm,
}

impl SequenceKind {
    /// The set of sequences that an operator makes.
    pub fn of(op: UnaryOp) -> Option<Self> {
        Some(match op {
            UnaryOp::Seq => Self::Seq,
            UnaryOp::Seq1 => Self::Seq1,
            UnaryOp::Iseq => Self::Iseq,
            UnaryOp::Iseq1 => Self::Iseq1,
            UnaryOp::Perm => Self::Perm,
            _ => return None,
        })
    }

    /// Whether the empty sequence is left out.
    #[must_use]
    pub fn is_nonempty(self) -> bool {
        matches!(self, Self::Seq1 | Self::Iseq1)
    }

    /// Whether no item may come twice.
    #[must_use]
    pub fn is_injective(self) -> bool {
        matches!(self, Self::Iseq | Self::Iseq1 | Self::Perm)
    }
}

/// A symbolic set: described, not explicit. The sets inside are `Value::Set` or `Value::Symbolic`.
///
/// Equality is that of descriptions: equal ones denote equal sets, but different ones may too.
// The derived order is that of the variants, and part of the order of values: new variants come last, or sets are printed in another
// order and other states become representatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbolic {
    /// INTEGER, NATURAL or NATURAL1 (INT, NAT, NAT1 are intervals).
    Integers(IntegerSet),
    /// `a..b` with `a <= b`.
    Interval(Integer, Integer),
    /// STRING
    Strings,
    /// A free type with infinitely (or too) many values.
    Free {
        /// Its name.
        name: Arc<str>,
        /// Whether it has finitely many: it is not recursive, and neither is a type in it.
        is_finite: bool,
    },
    /// POW, POW1 (`nonempty`), and FIN, FIN1 (`finite`).
    Power {
        /// The base set.
        base: Value,
        /// Without the empty set.
        nonempty: bool,
        /// Only finite subsets.
        finite: bool,
    },
    /// `A * B`
    Product(Value, Value),
    /// `A <-> B`, `A +-> B`, ….
    Functions(FunctionKind, Value, Value),
    /// `seq(A)`, ….
    Sequences(SequenceKind, Value),
    /// `struct(f : A, …)`, sorted by field name.
    Struct(Arc<[(Arc<str>, Value)]>),
    /// `id(A)` of a symbolic set.
    Identity(Value),
    /// `A \/ B` where one side is symbolic.
    Union(Value, Value),
    /// `A /\ B` where both sides are symbolic.
    Intersection(Value, Value),
    /// `A - B` where A is symbolic.
    Difference(Value, Value),
    /// `closure1(r)` of a symbolic relation.
    Transitive(Value),
    /// `dom(r)` of a symbolic relation.
    Domain(Value),
    /// `r~` of a symbolic relation.
    Inverse(Value),
    /// `(r ; s)` where one side is symbolic.
    Compose(Value, Value),
    /// `r <+ s` where one side is symbolic.
    Override(Value, Value),
    /// `A <| r` with the set, the relation, whether the set is subtracted instead (`<<|`).
    DomainRestrict(Value, Value, bool),
    /// `r |> A` with the relation, the set, whether the set is subtracted instead (`|>>`).
    RangeRestrict(Value, Value, bool),
    /// `(r >< s)`
    DirectProduct(Value, Value),
    /// `(r || s)`
    ParallelProduct(Value, Value),
    /// A comprehension or lambda, as a closure: code of the compiled machine, and the values of the names that it captures.
    Closure {
        /// Index into the compiled machine's closures.
        plan: u32,
        /// Values of the captured names, in the plan's order.
        captured: Arc<[Value]>,
    },
}

/// A description whose data are its operands alone, with the sign that B has for it.
#[derive(Clone, Copy)]
pub(crate) enum Regular<'a> {
    /// `dom(r)`
    Call(&'static str, &'a Value),
    /// `r~`
    Postfix(&'a Value, &'static str),
    /// `A * B`
    Infix(&'a Value, &'static str, &'a Value),
}

impl<'a> Regular<'a> {
    /// The operands, in the order of the text.
    pub(crate) fn operands(self) -> impl Iterator<Item = &'a Value> {
        let (first, second) = match self {
            Self::Call(_, operand) | Self::Postfix(operand, _) => (operand, None),
            Self::Infix(left, _, right) => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
}

// Each regular form has a row: its number in bytes, and its sign. Forms are numbered in the order in which they were added to the language,
// so a new one takes the next number and leaves the others unchanged. `cardinality` lists what else belongs to a form.
macro_rules! regular {
    (
        call { $($call:ident $call_number:literal $call_sign:literal;)+ }
        postfix { $($postfix:ident $postfix_number:literal $postfix_sign:literal;)+ }
        infix { $($infix:ident $infix_number:literal $infix_sign:literal;)+ }
    ) => {
        impl Symbolic {
            /// The numbers of all regular forms.
            #[cfg(test)]
            pub(crate) const REGULAR: &'static [u8] = &[$($call_number,)+ $($postfix_number,)+ $($infix_number,)+];

            /// The number of a regular form, with its sign and operands; nothing for a form that has other data.
            pub(crate) fn regular(&self) -> Option<(u8, Regular<'_>)> {
                match self {
                    $(Self::$call(operand) => Some(($call_number, Regular::Call($call_sign, operand))),)+
                    $(Self::$postfix(operand) => Some(($postfix_number, Regular::Postfix(operand, $postfix_sign))),)+
                    $(Self::$infix(left, right) => Some(($infix_number, Regular::Infix(left, $infix_sign, right))),)+
                    Self::Integers(_)
                    | Self::Interval(..)
                    | Self::Strings
                    | Self::Free { .. }
                    | Self::Power { .. }
                    | Self::Functions(..)
                    | Self::Sequences(..)
                    | Self::Struct(_)
                    | Self::DomainRestrict(..)
                    | Self::RangeRestrict(..)
                    | Self::Closure { .. } => None,
                }
            }

            /// The regular form of this number, with operands that are made one after the other; nothing for another number.
            pub(crate) fn of_number(number: u8, mut operand: impl FnMut() -> Value) -> Option<Self> {
                Some(match number {
                    $($call_number => Self::$call(operand()),)+
                    $($postfix_number => Self::$postfix(operand()),)+
                    $($infix_number => {
                        let left = operand();
                        Self::$infix(left, operand())
                    })+
                    _ => return None,
                })
            }

            /// This description with every value inside replaced by its image under `change`. Visits all of them, in one fixed order.
            #[must_use]
            pub fn map(&self, change: &mut dyn FnMut(&Value) -> Value) -> Self {
                match self {
                    $(Self::$call(operand) => Self::$call(change(operand)),)+
                    $(Self::$postfix(operand) => Self::$postfix(change(operand)),)+
                    $(Self::$infix(left, right) => Self::$infix(change(left), change(right)),)+
                    Self::Integers(_) | Self::Interval(..) | Self::Strings | Self::Free { .. } => self.clone(),
                    Self::Power { base, nonempty, finite } => Self::Power { base: change(base), nonempty: *nonempty, finite: *finite },
                    Self::Functions(kind, from, to) => Self::Functions(*kind, change(from), change(to)),
                    Self::Sequences(kind, base) => Self::Sequences(*kind, change(base)),
                    Self::Struct(fields) => Self::Struct(fields.iter().map(|(name, set)| (name.clone(), change(set))).collect()),
                    Self::DomainRestrict(set, relation, subtract) => Self::DomainRestrict(change(set), change(relation), *subtract),
                    Self::RangeRestrict(relation, set, subtract) => Self::RangeRestrict(change(relation), change(set), *subtract),
                    Self::Closure { plan, captured } => Self::Closure { plan: *plan, captured: captured.iter().map(change).collect() },
                }
            }
        }
    };
}

regular! {
    call {
        Identity 8 "id";
        Transitive 21 "closure1";
        Domain 22 "dom";
    }
    postfix {
        Inverse 12 "~";
    }
    infix {
        Product 4 "*";
        Union 9 "\\/";
        Intersection 10 "/\\";
        Difference 11 "-";
        Compose 13 ";";
        Override 14 "<+";
        DirectProduct 17 "><";
        ParallelProduct 18 "||";
    }
}
