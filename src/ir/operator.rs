//! The operators of the core language, with notation and totality.
//!
//! Invariant: each comes from a row of the table of operators (`source`), except for application and image, which have no sign; so none is
//! without a notation and a totality. Deliberately elsewhere: what follows from totality for formulas (`total`).

use std::fmt;

/// The operands for which an operator has a value, as far as their types show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Totality {
    /// For all.
    Total,
    /// For all of types with finitely many values.
    OnFiniteTypes,
    /// Undefined for division by zero, negative numbers, arguments outside of a domain, the empty set, an infinite set, or a set that is
    /// not a sequence.
    Partial,
}

/// The properties of the members of a set of relations: those of `S +-> T` are functional.
// The derived order is part of the order of values, and so decides which states become representatives: fields stay in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionKind {
    functional: bool,
    surjective: bool,
    injective: bool,
    total: bool,
}

impl FunctionKind {
    const ANY: Self = Self { functional: false, surjective: false, injective: false, total: false };

    /// The set of relations or functions that an operator makes.
    #[must_use]
    pub fn of(op: BinaryOp) -> Option<Self> {
        if let BinaryOp::Relations(kind) = op { Some(kind) } else { None }
    }

    /// Whether members are functions.
    #[must_use]
    pub fn is_functional(self) -> bool {
        self.functional
    }

    /// Whether the domain must be the whole source set.
    #[must_use]
    pub fn is_total(self) -> bool {
        self.total
    }

    /// Whether the range must be the whole target set.
    #[must_use]
    pub fn is_surjective(self) -> bool {
        self.surjective
    }

    /// Whether the inverse must be a function as well.
    #[must_use]
    pub fn is_injective(self) -> bool {
        self.injective
    }
}

impl fmt::Debug for FunctionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

// A kind is named as the operator that makes it.
impl fmt::Debug for BinaryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The notation of an operator: its own, or the first spelling of its token.
macro_rules! notation {
    ($own:literal $token:tt) => {
        $own
    };
    (($token:ident $first:literal $($other:literal)*)) => {
        $first
    };
}

macro_rules! core_operators {
    ([$($only:ident $only_notation:literal $only_totality:ident $only_form:literal)*] $({
        $token:tt $syntax:tt
        ($(unary $unary:ident $unary_totality:ident $(,)?)?
            $(binary $binary:ident $($binary_notation:literal)? $binary_totality:ident $(,)?)*
            $(compare $comparison:ident)? $(relations $kind:ident $($flag:ident)*)?)
        $types:tt ($form:literal, $meaning:literal, $example:literal)
    })*) => {
        /// Operators with one operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UnaryOp {
            $($(#[doc = concat!("As in `", $form, "`: ", $meaning, ".")] $unary,)?)*
        }

        #[allow(non_upper_case_globals, reason = "each is the operator of the same name")]
        impl FunctionKind {
            $($(#[allow(clippy::needless_update, reason = "one kind has all flags")]
            #[doc = concat!("`", $form, "`: ", $meaning, ".")] pub const $kind: Self = Self { $($flag: true,)* ..Self::ANY };)?)*

            /// All kinds, ascending; keys of states number them in this order.
            pub const ALL: [Self; 12] = [$($(Self::$kind,)?)*];

            /// B's sign of the set of these.
            #[must_use]
            pub fn notation(self) -> &'static str {
                match self {
                    $($(Self::$kind => notation!($token),)?)*
                    _ => unreachable!("only the operators make kinds"),
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $($(Self::$kind => stringify!($kind),)?)*
                    _ => unreachable!("only the operators make kinds"),
                }
            }
        }

        /// Operators with two operands.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub enum BinaryOp {
            /// A set of relations or functions.
            Relations(FunctionKind),
            $($(#[doc = concat!("As in `", $form, "`: ", $meaning, ".")] $binary,)*)*
            $(#[doc = concat!("`", $only_form, "`")] $only,)*
        }

        /// Comparisons. The negated forms are kept so that messages show what the user wrote.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Comparison {
            $($(#[doc = concat!("`", $form, "`: ", $meaning, ".")] $comparison,)?)*
        }

        impl UnaryOp {
            /// Its sign, or the word before its operand.
            #[must_use]
            pub fn notation(self) -> &'static str {
                match self {
                    $($(Self::$unary => notation!($token),)?)*
                }
            }

            pub(crate) fn totality(self) -> Totality {
                match self {
                    $($(Self::$unary => Totality::$unary_totality,)?)*
                }
            }
        }

        impl BinaryOp {
            /// Its sign, or the word before its operands.
            #[must_use]
            pub fn notation(self) -> &'static str {
                match self {
                    Self::Relations(kind) => kind.notation(),
                    $($(Self::$binary => notation!($($binary_notation)? $token),)*)*
                    $(Self::$only => $only_notation,)*
                }
            }

            fn name(self) -> &'static str {
                match self {
                    Self::Relations(kind) => kind.name(),
                    $($(Self::$binary => stringify!($binary),)*)*
                    $(Self::$only => stringify!($only),)*
                }
            }

            pub(crate) fn totality(self) -> Totality {
                match self {
                    Self::Relations(_) => Totality::Total,
                    $($(Self::$binary => Totality::$binary_totality,)*)*
                    $(Self::$only => Totality::$only_totality,)*
                }
            }
        }

        impl Comparison {
            /// Its sign.
            #[must_use]
            pub fn notation(self) -> &'static str {
                match self {
                    $($(Self::$comparison => notation!($token),)?)*
                }
            }
        }
    };
}

// Both enclose their right operand.
bcheck_source::operators!(core_operators Image "[]" Total "r[S]" Apply "()" Partial "f(x)");

impl Comparison {
    /// The comparison that holds exactly where this one does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Member => Self::NotMember,
            Self::NotMember => Self::Member,
            Self::Subset => Self::NotSubset,
            Self::NotSubset => Self::Subset,
            Self::StrictSubset => Self::NotStrictSubset,
            Self::NotStrictSubset => Self::StrictSubset,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FunctionKind;

    #[test]
    fn kinds_are_listed_in_ascending_order_and_none_is_injective_without_being_functional() {
        assert!(FunctionKind::ALL.is_sorted_by(|one, next| one < next), "{:?}", FunctionKind::ALL);
        assert!(FunctionKind::ALL.iter().all(|kind| kind.is_functional() || !kind.is_injective()));
        assert_eq!(FunctionKind::TotalBijections.notation(), ">->>");
    }
}
