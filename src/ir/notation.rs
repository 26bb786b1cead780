//! Signs and words of the core language's operators, as B writes them.
//!
//! Invariant: one notation for each operator; difference and product have those of integers. Deliberately elsewhere: how the parser reads
//! them (`syntax::priority`, `syntax::keyword`), where operands stand (`formula_text`).

use super::{BinaryOp, Binder, Comparison, IntegerSet, UnaryOp};

impl IntegerSet {
    /// Its name.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Natural => "NATURAL",
            Self::Natural1 => "NATURAL1",
            Self::Int => "INT",
            Self::Nat => "NAT",
            Self::Nat1 => "NAT1",
        }
    }

    /// Whether it has infinitely many integers.
    #[must_use]
    pub fn is_infinite(self) -> bool {
        matches!(self, Self::Integer | Self::Natural | Self::Natural1)
    }
}

impl Binder {
    /// Its sign or word.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Lambda => "%",
            Self::Union => "UNION",
            Self::Inter => "INTER",
            Self::Sigma => "SIGMA",
            Self::Pi => "PI",
        }
    }
}

impl Comparison {
    /// Its sign.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "/=",
            Self::Member => ":",
            Self::NotMember => "/:",
            Self::Subset => "<:",
            Self::NotSubset => "/<:",
            Self::StrictSubset => "<<:",
            Self::NotStrictSubset => "/<<:",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

impl UnaryOp {
    /// Its sign, or the word before its operand.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::Inverse => "~",
            Self::Pow => "POW",
            Self::Pow1 => "POW1",
            Self::Fin => "FIN",
            Self::Fin1 => "FIN1",
            Self::Card => "card",
            Self::GeneralUnion => "union",
            Self::GeneralInter => "inter",
            Self::Min => "min",
            Self::Max => "max",
            Self::Domain => "dom",
            Self::Range => "ran",
            Self::Identity => "id",
            Self::Closure1 => "closure1",
            Self::Function => "fnc",
            Self::Relation => "rel",
            Self::Seq => "seq",
            Self::Seq1 => "seq1",
            Self::Iseq => "iseq",
            Self::Iseq1 => "iseq1",
            Self::Perm => "perm",
            Self::Size => "size",
            Self::First => "first",
            Self::Last => "last",
            Self::Front => "front",
            Self::Tail => "tail",
            Self::Reverse => "rev",
            Self::ConcatAll => "conc",
            Self::First2 => "prj1",
            Self::Second2 => "prj2",
        }
    }
}

impl BinaryOp {
    /// Its sign, or the word before its operands.
    #[must_use]
    pub fn notation(self) -> &'static str {
        match self {
            Self::Iterate => "iterate",
            Self::Projection1 => "prj1",
            Self::Projection2 => "prj2",
            // These two enclose their right operand.
            Self::Image => "[]",
            Self::Apply => "()",
            Self::Pair => "|->",
            Self::Add => "+",
            Self::Subtract | Self::Difference => "-",
            Self::Multiply | Self::Product => "*",
            Self::Divide => "/",
            Self::Modulo => "mod",
            Self::Power => "**",
            Self::Interval => "..",
            Self::Union => "\\/",
            Self::Intersection => "/\\",
            Self::Relations => "<->",
            Self::TotalRelations => "<<->",
            Self::SurjectiveRelations => "<->>",
            Self::TotalSurjectiveRelations => "<<->>",
            Self::PartialFunctions => "+->",
            Self::TotalFunctions => "-->",
            Self::PartialInjections => ">+>",
            Self::TotalInjections => ">->",
            Self::PartialSurjections => "+->>",
            Self::TotalSurjections => "-->>",
            Self::PartialBijections => ">+>>",
            Self::TotalBijections => ">->>",
            Self::Override => "<+",
            Self::DirectProduct => "><",
            Self::ParallelProduct => "||",
            Self::Compose => ";",
            Self::DomainRestrict => "<|",
            Self::DomainSubtract => "<<|",
            Self::RangeRestrict => "|>",
            Self::RangeSubtract => "|>>",
            Self::Concat => "^",
            Self::InsertFront => "->",
            Self::InsertTail => "<-",
            Self::TakeFirst => "/|\\",
            Self::DropFirst => "\\|/",
        }
    }
}
