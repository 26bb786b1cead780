//! The operators of the core language, with notation and totality.
//!
//! Invariant: each comes from a row of the table of operators (`source`), but for application and image, which have no sign of their own;
//! so none is without a notation and a totality. Deliberately elsewhere: what follows from totality for formulas (`total`).

/// For which operands an operator has a value, as far as their types show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Totality {
    /// For all.
    Total,
    /// For all of types with finitely many values.
    OnFiniteTypes,
    /// Not by zero, for negative numbers, outside of a domain, of the empty set, of an infinite one, or of what is no sequence.
    Partial,
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
            $(compare $comparison:ident)?)
        $types:tt ($form:literal, $meaning:literal, $example:literal)
    })*) => {
        /// Operators with one operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UnaryOp {
            $($(#[doc = concat!("As in `", $form, "`: ", $meaning, ".")] $unary,)?)*
        }

        /// Operators with two operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BinaryOp {
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
                    $($(Self::$binary => notation!($($binary_notation)? $token),)*)*
                    $(Self::$only => $only_notation,)*
                }
            }

            pub(crate) fn totality(self) -> Totality {
                match self {
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
