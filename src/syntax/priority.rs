//! B's infix operators with their priorities: one table for the parser and the printer.
//!
//! Invariant: a higher number binds tighter; all operators of one priority associate the same way. The numbers are the usual ones
//! of B's manuals where those agree. Deliberately elsewhere: prefix and postfix operators (`expression`).

use super::ast::BinaryOp;
use super::token::Terminal;

/// The grouping of operators of the same priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Associativity {
    /// `a - b - c` is `(a - b) - c`.
    Left,
    /// `a ** b ** c` is `a ** (b ** c)`.
    Right,
    /// `a = b = c` is refused.
    None,
}

/// Composition and parallel product: only inside brackets.
pub(super) const COMPOSE: u8 = 20;
/// The loosest operator outside brackets.
pub(super) const IMPLIES: u8 = 30;
/// Conjunction and disjunction, which share a level.
pub(super) const AND: u8 = 40;
/// Comparisons and membership.
pub(super) const COMPARE: u8 = 110;
/// A comma that separates nothing else: `a = b, c` is `a = (b, c)`, but `a, b |-> c` is `(a, (b |-> c))`. What `;` and `||` combine is
/// separated by commas all the same: `r ; s, t` is `((r ; s), t)`.
pub(super) const COMMA: u8 = 115;
/// The prefix minus.
pub(super) const NEGATE: u8 = 210;
/// The postfix inverse.
pub(super) const INVERSE: u8 = 230;
/// Application, image and field access.
pub(super) const APPLY: u8 = 231;
/// An operand that needs no parentheses anywhere.
pub(super) const ATOM: u8 = 255;

/// One infix operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Infix {
    /// The sign.
    pub(super) terminal: Terminal,
    /// The operator.
    pub(super) op: BinaryOp,
    /// The priority.
    pub(super) priority: u8,
    /// The grouping.
    pub(super) associativity: Associativity,
}

// As in `keyword`, a macro makes both directions, and an operator without a row does not compile.
macro_rules! infixes {
    ($($priority:literal $associativity:ident: $($terminal:ident = $op:ident),+;)*) => {
        /// The infix operator with this sign.
        pub(super) fn infix(terminal: Terminal) -> Option<&'static Infix> {
            match terminal {
                $($(Terminal::$terminal => Some(of(BinaryOp::$op)),)+)*
                _ => None,
            }
        }

        /// The table's row of an operator.
        pub(crate) fn of(op: BinaryOp) -> &'static Infix {
            match op {
                $($(BinaryOp::$op => &Infix {
                    terminal: Terminal::$terminal,
                    op: BinaryOp::$op,
                    priority: $priority,
                    associativity: Associativity::$associativity,
                },)+)*
            }
        }
    };
}

/// The operator that a sign without ASCII spelling stands for with its sides exchanged: `S ⊇ T` is `T <: S`, `f ∘ g` is `(g ; f)`.
/// The row has the priority of the sign.
pub(super) fn exchanged(terminal: Terminal) -> Option<Infix> {
    match terminal {
        // Not in B's manuals, but in other notations of sets: read with the sides exchanged, so that no later pass knows of them.
        Terminal::Superset => Some(*of(BinaryOp::Subset)),
        Terminal::NotSuperset => Some(*of(BinaryOp::NotSubset)),
        Terminal::StrictSuperset => Some(*of(BinaryOp::StrictSubset)),
        Terminal::NotStrictSuperset => Some(*of(BinaryOp::NotStrictSubset)),
        Terminal::Contains => Some(*of(BinaryOp::Member)),
        Terminal::NotContains => Some(*of(BinaryOp::NotMember)),
        // Unlike `;`, it needs no brackets.
        Terminal::BackwardCompose => Some(Infix { priority: of(BinaryOp::Override).priority, ..*of(BinaryOp::Compose) }),
        _ => None,
    }
}

infixes! {
    20 Left: Semicolon = Compose, Parallel = ParallelProduct;
    30 Left: Implies = Implies;
    // One level for both: `a & b or c & d` is `((a & b) or c) & d`.
    40 Left: And = And, Or = Or;
    60 Left: Equivalent = Equivalent;
    110 None: Equal = Equal, NotEqual = NotEqual, Colon = Member, NotMember = NotMember, Subset = Subset, NotSubset = NotSubset,
        StrictSubset = StrictSubset, NotStrictSubset = NotStrictSubset, Less = Less, LessEqual = LessEqual, Greater = Greater,
        GreaterEqual = GreaterEqual;
    120 Left: OfType = OfType;
    125 Left: Relations = Relations, PartialFunctions = PartialFunctions, TotalFunctions = TotalFunctions,
        PartialInjections = PartialInjections, TotalInjections = TotalInjections, PartialSurjections = PartialSurjections,
        TotalSurjections = TotalSurjections, PartialBijections = PartialBijections, TotalBijections = TotalBijections,
        TotalRelations = TotalRelations, SurjectiveRelations = SurjectiveRelations,
        TotalSurjectiveRelations = TotalSurjectiveRelations;
    // One level for all operators of sets, relations and sequences: `a \/ b /\ c` is `(a \/ b) /\ c`.
    160 Left: Override = Override, DirectProduct = DirectProduct, Concat = Concat, DomainRestrict = DomainRestrict,
        DomainSubtract = DomainSubtract, RangeRestrict = RangeRestrict, RangeSubtract = RangeSubtract, InsertFront = InsertFront,
        InsertTail = InsertTail, Union = Union, Intersection = Intersection, TakeFirst = TakeFirst, DropFirst = DropFirst,
        Maplet = Maplet;
    170 Left: Interval = Interval;
    180 Left: Plus = Plus, Minus = Minus, SetMinus = SetMinus;
    190 Left: Times = Times, Divide = Divide, Modulo = Modulo;
    200 Right: Power = Power;
}
