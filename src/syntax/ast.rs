//! The syntax tree of a B file, as written: no definition is expanded, no operator overloading decided, nothing desugared.
//!
//! Predicates and expressions share one type, [`Expr`]: B's grammar cannot tell a definition call that is a predicate from one
//! that is an expression, so the sort is checked in `sema`, where definitions are known. Invariant: every node has the span of
//! its text. Deliberately elsewhere: names and types (`sema`), printing (`pretty`).

use crate::source::{Diagnostic, Span};

/// A name with its place. Dotted names (`pre.op`) are one name; back-quoted names come without their quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// An expression or predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The place, parentheses included where they were written.
    pub span: Span,
}

/// The kinds of expressions and predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A name: variable, constant, set, element, parameter, definition, local.
    Ident(String),
    /// `x$0`.
    OldValue(String),
    /// A decimal or hexadecimal literal, as decimal digits.
    Integer(String),
    /// A real literal such as `1.5`, as written.
    Real(String),
    /// A string literal, escapes resolved.
    String(String),
    /// A keyword that stands for a value by itself.
    Constant(Constant),
    /// Prefix or postfix operator.
    Unary(UnaryOp, Box<Expr>),
    /// Infix operator, also of predicates.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(a, b)`: a pair written with a comma inside parentheses; `(a,b,c)` nests to the left.
    CommaPair(Box<Expr>, Box<Expr>),
    /// A keyword function with its arguments: `dom(r)`, `iterate(r, n)`, `bool(P)`, `not(P)`.
    Builtin(Builtin, Vec<Expr>),
    /// `f(x, y)`: function application, or a call of a definition with parameters.
    Apply(Box<Expr>, Vec<Expr>),
    /// `r[S]`.
    Image(Box<Expr>, Box<Expr>),
    /// `r'field`.
    Field(Box<Expr>, Name),
    /// `!x.(P => Q)` (the body is the whole implication), `#x.(P)`.
    Quantified(Quantifier, Vec<Name>, Box<Expr>),
    /// `%x.(P | E)`, `UNION x.(P | E)`, `SIGMA`, ….
    Binder(Binder, Vec<Name>, Box<Expr>, Box<Expr>),
    /// `{x, y | P}`.
    Comprehension(Vec<Name>, Box<Expr>),
    /// `{x, y . P | E}`: Event-B style.
    EventComprehension(Vec<Name>, Box<Expr>, Box<Expr>),
    /// `{a, b}`; `{}` is the empty list.
    SetExtension(Vec<Expr>),
    /// `[a, b]`; `[]` and `<>` are the empty list.
    Sequence(Vec<Expr>),
    /// `rec(f : E, …)`.
    Record(Vec<(Name, Expr)>),
    /// `struct(f : S, …)`.
    Struct(Vec<(Name, Expr)>),
    /// `IF P THEN E ELSE F END`, of expressions or predicates; ELSIF nests in the third part. The third part is absent only
    /// in a predicate `IF P THEN Q END`.
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `LET x, y BE x = E & y = F IN G END`: names, the predicate after BE, the body.
    Let(Vec<Name>, Box<Expr>, Box<Expr>),
    /// A predicate or expression with a `/*@label L*/` pragma before or `/*@desc …*/` behind it.
    Labelled(String, Box<Expr>),
    /// Something that could not be parsed; a diagnostic tells why.
    Error,
}

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

/// Keyword functions with a fixed number of arguments (`partition` takes at least one).
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
    /// `floor(r)`, `ceiling(r)`, `real(i)`, tree operators and the like: parsed, refused by `sema`.
    Unsupported,
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

/// A substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subst {
    /// What it is.
    pub kind: SubstKind,
    /// The place.
    pub span: Span,
}

/// The kinds of substitutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubstKind {
    /// `skip`
    Skip,
    /// `x, f(y), r'g := E, F, G`: targets are identifiers, applications or fields.
    Assign(Vec<Expr>, Vec<Expr>),
    /// `x :: S`; several targets take a pair-valued set.
    BecomesIn(Vec<Expr>, Box<Expr>),
    /// `x, y : (P)`
    BecomesSuchThat(Vec<Expr>, Box<Expr>),
    /// `a, b <-- op(x, y)`, `op(x)`, `op`; also a call of a definition that stands for a substitution.
    Call {
        /// Targets of the results.
        results: Vec<Expr>,
        /// The operation (or definition), possibly dotted.
        name: Name,
        /// Arguments.
        arguments: Vec<Expr>,
    },
    /// `S || T || …`
    Parallel(Vec<Subst>),
    /// `S ; T ; …`
    Sequence(Vec<Subst>),
    /// `BEGIN S END`
    Block(Box<Subst>),
    /// `PRE P THEN S END`
    Pre(Box<Expr>, Box<Subst>),
    /// `ASSERT P THEN S END`
    Assert(Box<Expr>, Box<Subst>),
    /// `CHOICE S OR T END`
    Choice(Vec<Subst>),
    /// `IF P THEN S ELSIF Q THEN T ELSE U END`: the guarded branches and the ELSE.
    If(Vec<(Expr, Subst)>, Option<Box<Subst>>),
    /// `SELECT P THEN S WHEN Q THEN T ELSE U END`
    Select(Vec<(Expr, Subst)>, Option<Box<Subst>>),
    /// `CASE E OF EITHER a, b THEN S OR c THEN T ELSE U END END`
    Case(Box<Expr>, Vec<(Vec<Expr>, Subst)>, Option<Box<Subst>>),
    /// `ANY x, y WHERE P THEN S END`
    Any(Vec<Name>, Box<Expr>, Box<Subst>),
    /// `LET x, y BE x = E & y = F IN S END`
    Let(Vec<Name>, Box<Expr>, Box<Subst>),
    /// `VAR x, y IN S END`
    Var(Vec<Name>, Box<Subst>),
    /// `WHILE P DO S INVARIANT I VARIANT V END`
    While {
        /// The loop condition.
        condition: Box<Expr>,
        /// The loop body.
        body: Box<Subst>,
        /// The loop invariant.
        invariant: Box<Expr>,
        /// The decreasing natural number.
        variant: Box<Expr>,
    },
    /// Something that could not be parsed; a diagnostic tells why.
    Error,
}

/// What the first keyword of the file says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// `MACHINE`, `MODEL` or `SYSTEM`.
    Machine,
    /// `REFINEMENT`.
    Refinement,
    /// `IMPLEMENTATION`.
    Implementation,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Machine, refinement or implementation.
    pub kind: MachineKind,
    /// Its name.
    pub name: Name,
    /// Header parameters: upper-case ones are sets, others scalars.
    pub parameters: Vec<Name>,
    /// The clauses in the order of the text.
    pub clauses: Vec<Clause>,
    /// The whole machine.
    pub span: Span,
}

/// One clause with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// Keyword and content.
    pub span: Span,
    /// The keyword alone.
    pub keyword: Span,
}

/// The clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `REFINES M`
    Refines(MachineReference),
    /// `SEES a, b`
    Sees(Vec<MachineReference>),
    /// `USES a, b`
    Uses(Vec<MachineReference>),
    /// `INCLUDES a(1), p.b`
    Includes(Vec<MachineReference>),
    /// `EXTENDS …`
    Extends(Vec<MachineReference>),
    /// `IMPORTS …`
    Imports(Vec<MachineReference>),
    /// `PROMOTES op, …`
    Promotes(Vec<Name>),
    /// `CONSTRAINTS P`
    Constraints(Expr),
    /// `SETS S; T = {a, b}`
    Sets(Vec<SetDeclaration>),
    /// `CONSTANTS`, `CONCRETE_CONSTANTS` (false), `ABSTRACT_CONSTANTS` (true).
    Constants(Vec<Name>, bool),
    /// `PROPERTIES P`
    Properties(Expr),
    /// `VARIABLES`, `ABSTRACT_VARIABLES` (false), `CONCRETE_VARIABLES` (true).
    Variables(Vec<Name>, bool),
    /// `INVARIANT P`
    Invariant(Expr),
    /// `ASSERTIONS P; Q`
    Assertions(Vec<Expr>),
    /// `DEFINITIONS …`
    Definitions(Vec<Definition>),
    /// `INITIALISATION S`
    Initialisation(Subst),
    /// `OPERATIONS` or `EVENTS`
    Operations(Vec<Operation>),
    /// `LOCAL_OPERATIONS`
    LocalOperations(Vec<Operation>),
    /// `VALUES x = E; …`
    Values(Vec<(Name, Expr)>),
    /// `FREETYPES T = a, b(S); …`
    Freetypes(Vec<FreeType>),
}

/// `pre.M(e, f)` in INCLUDES, EXTENDS and IMPORTS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineReference {
    /// The renaming prefix before the dot, if any.
    pub prefix: Option<Name>,
    /// The machine.
    pub machine: Name,
    /// The actual parameters; none in clauses that give none.
    pub arguments: Vec<Expr>,
    /// The path in the file pragma behind it, at the place of the pragma.
    pub file: Option<Name>,
}

/// One item of FREETYPES.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeType {
    /// The type's name.
    pub name: Name,
    /// Its constructors, with what they take.
    pub cases: Vec<(Name, Option<Expr>)>,
}

/// One item of SETS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetDeclaration {
    /// The set's name.
    pub name: Name,
    /// What follows `=`.
    pub kind: SetDeclarationKind,
}

/// Deferred or enumerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetDeclarationKind {
    /// `S`
    Deferred,
    /// `S = {a, b}`
    Enumerated(Vec<Name>),
    /// `S = Definition`: the elements are listed in a definition.
    ByDefinition(Name),
}

/// One item of DEFINITIONS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// `"file.def"`
    Include(Name),
    /// `name(p, q) == body`
    Macro {
        /// The name.
        name: Name,
        /// Formal parameters.
        parameters: Vec<Name>,
        /// The right-hand side.
        body: DefinitionBody,
    },
}

/// The right-hand side of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionBody {
    /// An expression or predicate. A bare name or call may also stand for an operation call.
    Expr(Expr),
    /// A list `a, b` without parentheses: expands as several arguments or names.
    List(Vec<Expr>),
    /// A substitution.
    Subst(Subst),
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name, possibly dotted.
    pub name: Name,
    /// Result parameters before `<--`.
    pub results: Vec<Name>,
    /// Parameters.
    pub parameters: Vec<Name>,
    /// `op ref abstract_op = S`: the operation that this one refines under another name.
    pub refines: Option<Name>,
    /// The body.
    pub body: Subst,
    /// Header and body.
    pub span: Span,
}

/// What a parse returns: always a tree, and everything that was wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The tree; parts that could not be read are `Error` nodes.
    pub tree: T,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
}
