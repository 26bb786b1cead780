//! Expressions and predicates of the core language.
//!
//! Invariant: operators are no longer overloaded (`Subtract` is of integers, `Difference` of sets), sequences and functions are
//! relations, a tuple is a left-nested pair. Comprehensions and binders carry fresh [`LocalId`]s. Deliberately elsewhere: operators
//! (`operator`), walks over all of it (`visit`), equality up to bound names (`alpha`).

use super::{BinaryOp, Comparison, ConstantId, LocalId, SetId, Type, UnaryOp, VariableId};
use bcheck_source::Span;
use num_bigint::BigInt;
use std::sync::Arc;

/// A typed expression.
// Derived equality compares places too: whether two expressions are the same but for places and bound names, `alpha_equivalent` decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Its place in the text (the use site, for an expanded definition).
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer literal.
    Integer(BigInt),
    /// A string literal.
    String(Arc<str>),
    /// TRUE or FALSE.
    Bool(bool),
    /// A named element of an enumerated set.
    Element(SetId, u32),
    /// A whole given set.
    GivenSet(SetId),
    /// All values of the element type of this expression's type: for free types, and for passes that need a whole type for which the
    /// text has no expression.
    TypeSet,
    /// BOOL.
    BoolSet,
    /// STRING.
    StringSet,
    /// INTEGER, NATURAL, INT, ….
    IntegerSet(IntegerSet),
    // Bounds of integers, here and in `IntegerSet`, stay names: the scope gives them values, and is chosen after typing.
    /// MININT.
    MinInt,
    /// MAXINT.
    MaxInt,
    // Only the type of the expression determines its element type. A pass that builds one must set the type that it is used with.
    /// The empty set (also the empty sequence).
    EmptySet,
    /// A constant's value.
    Constant(ConstantId),
    /// A variable's current value.
    Variable(VariableId),
    /// `x$0`: in `x : (P)` the variable's value before that substitution; elsewhere that at the start of the innermost loop around.
    OldVariable(VariableId),
    /// A bound name, parameter, result or VAR local.
    Local(LocalId),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `{a, b}`, never empty.
    SetExtension(Vec<Expr>),
    /// `[a, b]`, never empty.
    SequenceExtension(Vec<Expr>),
    /// `rec(f : E, …)`, sorted by field name.
    Record(Vec<(Arc<str>, Expr)>),
    /// `struct(f : S, …)`, sorted by field name.
    Struct(Vec<(Arc<str>, Expr)>),
    /// `r'f`
    Field(Box<Expr>, Arc<str>),
    /// `bool(P)`
    BoolOf(Box<Pred>),
    /// `IF P THEN E ELSE F END`
    If(Box<Pred>, Box<Expr>, Box<Expr>),
    // Kept rather than substituted into the body: a value used twice would be evaluated twice, and one that is not used would not be found
    // ill-defined.
    /// `LET x = E IN F END`, several bindings evaluated in order.
    Let(Vec<(LocalId, Expr)>, Box<Expr>),
    /// `{x, y | P}` (value absent: the left-nested tuple of the locals) and `{x . P | E}`.
    Comprehension {
        /// Bound names with their types.
        locals: Vec<(LocalId, Type)>,
        /// The condition.
        pred: Box<Pred>,
        /// The element built, when it is not the tuple of the locals.
        value: Option<Box<Expr>>,
    },
    /// `%x.(P|E)`, `UNION`, `INTER`, `SIGMA`, `PI`.
    Binder {
        /// Which binder.
        binder: Binder,
        /// Bound names with their types.
        locals: Vec<(LocalId, Type)>,
        /// The condition.
        pred: Box<Pred>,
        /// The body.
        body: Box<Expr>,
    },
    /// A function of ProB's libraries, evaluated by a built-in.
    External(ExternalFunction, Vec<Expr>),
}

/// The built-in integer sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is the keyword of the same name")]
pub enum IntegerSet {
    Integer,
    Natural,
    Natural1,
    Int,
    Nat,
    Nat1,
}

/// Binders that make expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the keyword of the same name")]
pub enum Binder {
    Lambda,
    Union,
    Inter,
    Sigma,
    Pi,
}

/// Functions that ProB's libraries declare as external and bcheck evaluates itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is ProB's external function of the same name")]
pub enum ExternalFunction {
    /// Picks one element: breaks the symmetry of every set in its type.
    Choose,
    /// The text of a value: breaks the symmetry of every set in its type.
    ToString,
    StringAppend,
    StringLength,
    StringToInt,
    IntToString,
    StringConc,
    StringSplit,
    StringJoin,
    StringChars,
    StringCodes,
    CodesToString,
    StringToUpper,
    StringToLower,
    StringReverse,
    SubString,
    StringReplace,
    StringContains,
    StringEqualIgnoringCase,
    StringIsInt,
    StringIsAlphanumeric,
    StringPadLeft,
    IntToHexString,
    /// Puts the texts of values in for the `~w` of a format: breaks the symmetry of every set in their type.
    FormatToString,
    Abs,
    Sign,
    Gcd,
    MostSignificantBit,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    ShiftLeft,
    ShiftRight,
    /// The elements in the order of values: breaks the symmetry of every set in its type.
    Sort,
    /// A function on integers as a sequence in the same order.
    Squash,
    /// The only element.
    Mu,
    /// The value itself: in ProB, forces its evaluation.
    Force,
    /// The sets of elements that reach each other.
    Components,
    /// `cons(x)`: of the constructor's name and, unless it is a constant, its argument.
    Construct,
    /// `cons~(v)`: of the constructor's name and a value that it made.
    Argument,
    /// Whether a value was made by the constructor with this name.
    IsMade,
}

/// A typed predicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Pred {
    /// Its form.
    pub kind: PredKind,
    /// Its place in the text.
    pub span: Span,
}

/// The kinds of predicates.
#[derive(Clone, Debug, PartialEq)]
pub enum PredKind {
    /// `btrue`
    True,
    /// `bfalse`
    False,
    // Lists rather than pairs: evaluation chooses the order of conjuncts among all of them, and recursion stays as deep as brackets nest.
    /// `P & Q & …`, flattened, in source order, at least two.
    And(Vec<Pred>),
    /// `P or Q or …`, flattened, in source order, at least two.
    Or(Vec<Pred>),
    /// `not(P)`
    Not(Box<Pred>),
    /// `P => Q`
    Implies(Box<Pred>, Box<Pred>),
    /// `P <=> Q`
    Equivalent(Box<Pred>, Box<Pred>),
    /// A comparison of two expressions.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `!x.(P)`; the body is usually an implication.
    Forall(Vec<(LocalId, Type)>, Box<Pred>),
    /// `#x.(P)`
    Exists(Vec<(LocalId, Type)>, Box<Pred>),
    /// `IF P THEN Q ELSE R END`
    If(Box<Pred>, Box<Pred>, Box<Pred>),
    /// `LET x = E IN P END`
    Let(Vec<(LocalId, Expr)>, Box<Pred>),
    /// `@finite(S)`
    Finite(Box<Expr>),
    /// `@partition(S, T1, …)`
    Partition(Box<Expr>, Vec<Expr>),
}
