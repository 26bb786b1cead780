//! B's infix operators with their priorities, from the table of operators: for the parser and the printer.
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
/// A comma that is not a separator: `a = b, c` is `a = (b, c)`, but `a, b |-> c` is `(a, (b |-> c))`. Operands of `;` and `||` are
/// nevertheless separated by commas: `r ; s, t` is `((r ; s), t)`.
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
    ([] $({
        ($terminal:ident $($spelling:literal)+)
        ($(infix $op:ident $priority:literal $associativity:ident)? $(exchanged $exchanged:ident $its_priority:literal)?
            $(constant $constant:ident)? $(call $call:ident $least:literal $most:expr)?)
        $core:tt $types:tt $words:tt
    })*) => {
        /// The infix operator with this sign.
        pub(super) fn infix(terminal: Terminal) -> Option<&'static Infix> {
            match terminal {
                $($(Terminal::$terminal => Some(of(BinaryOp::$op)),)?)*
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
                },)?)*
            }
        }

        /// The operator that a sign without ASCII spelling stands for with its sides exchanged: `S ⊇ T` is `T <: S`, `f ∘ g` is
        /// `(g ; f)`. The row has the priority of the sign.
        pub(super) fn exchanged(terminal: Terminal) -> Option<Infix> {
            match terminal {
                $($(Terminal::$terminal => Some(Infix { priority: $its_priority, ..*of(BinaryOp::$exchanged) }),)?)*
                _ => None,
            }
        }
    };
}
bcheck_source::operators!(infixes);
