//! The operators, keyword functions and binders of the syntax tree.
//!
//! Invariant: one variant for each sign or keyword of the text, even where types decide its meaning (`-`, `*`). Deliberately
//! elsewhere: spellings (`token`), priorities (`priority`), numbers of arguments (`keyword`), meaning (`sema`).

/// Keywords that stand for a value or predicate by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the keyword of the same name")]
pub enum Constant {
    True,
    False,
    Bool,
    Integer,
    Natural,
    Natural1,
    Int,
    Nat,
    Nat1,
    MinInt,
    MaxInt,
    String,
    Real,
    Float,
    /// `btrue`.
    BTrue,
    /// `bfalse`.
    BFalse,
    /// `succ` without an argument, a function.
    Succ,
    /// `pred` without an argument, a function.
    Pred,
}

/// Prefix and postfix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `r~`
    Inverse,
}

/// Infix operators of expressions and predicates. The comment gives the ASCII spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `=>`
    Implies,
    /// `&`
    And,
    /// `or`
    Or,
    /// `<=>`
    Equivalent,
    /// `=`
    Equal,
    /// `/=`
    NotEqual,
    /// `:`
    Member,
    /// `/:`
    NotMember,
    /// `<:`
    Subset,
    /// `/<:`
    NotSubset,
    /// `<<:`
    StrictSubset,
    /// `/<<:`
    NotStrictSubset,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<->`
    Relations,
    /// `+->`
    PartialFunctions,
    /// `-->`
    TotalFunctions,
    /// `>+>`
    PartialInjections,
    /// `>->`
    TotalInjections,
    /// `+->>`
    PartialSurjections,
    /// `-->>`
    TotalSurjections,
    /// `>+>>`
    PartialBijections,
    /// `>->>`
    TotalBijections,
    /// `<<->`
    TotalRelations,
    /// `<->>`
    SurjectiveRelations,
    /// `<<->>`
    TotalSurjectiveRelations,
    /// `<+`
    Override,
    /// `><`
    DirectProduct,
    /// `^`
    Concat,
    /// `<|`
    DomainRestrict,
    /// `<<|`
    DomainSubtract,
    /// `|>`
    RangeRestrict,
    /// `|>>`
    RangeSubtract,
    /// `->`
    InsertFront,
    /// `<-`
    InsertTail,
    /// `\/`
    Union,
    /// `/\`
    Intersection,
    /// `/|\`
    TakeFirst,
    /// `\|/`
    DropFirst,
    /// `|->`
    Maplet,
    /// `..`
    Interval,
    /// `+`
    Plus,
    /// `-`: integer minus or set difference, decided by type
    Minus,
    /// `\`: set difference only
    SetMinus,
    /// `*`: product or Cartesian product, decided by type
    Times,
    /// `/`
    Divide,
    /// `mod`
    Modulo,
    /// `**`
    Power,
    /// `;` inside parentheses: composition of relations
    Compose,
    /// `||` inside parentheses: parallel product of relations
    ParallelProduct,
    /// `⦂` (Unicode only): typing annotation
    OfType,
}

/// Keyword functions. How many arguments each takes is in the table of `keyword`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the keyword of the same name")]
pub enum Builtin {
    Not,
    BoolOf,
    Pow,
    Pow1,
    Fin,
    Fin1,
    Card,
    /// `union(SS)`
    GeneralUnion,
    /// `inter(SS)`
    GeneralInter,
    Min,
    Max,
    Succ,
    Pred,
    Dom,
    Ran,
    Id,
    Closure,
    Closure1,
    Iterate,
    Prj1,
    Prj2,
    Fnc,
    Rel,
    Seq,
    Seq1,
    Iseq,
    Iseq1,
    Perm,
    Size,
    First,
    Last,
    Front,
    Tail,
    Rev,
    Conc,
    Finite,
    Partition,
}

/// Quantifiers that make predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "self-explanatory")]
pub enum Quantifier {
    Forall,
    Exists,
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
