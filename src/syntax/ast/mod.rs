//! The syntax tree of a B file, as written: no definition is expanded, no operator overloading decided, nothing desugared.
//!
//! Predicates and expressions share one type, [`Expr`]: B's grammar cannot distinguish a definition call that is a predicate from one
//! that is an expression, so the sort is checked in `sema`, where definitions are known. Invariant: every node has the span of
//! its text. Deliberately elsewhere: operators and keyword functions (`operator`), machines and clauses (`machine`), names and types
//! (`sema`), printing (`pretty`).

mod machine;
mod operator;

pub use machine::{
    Clause, ClauseKind, Definition, DefinitionBody, FreeType, Machine, MachineKind, MachineReference, Operation, SetDeclaration,
    SetDeclarationKind,
};
pub use operator::{BinaryOp, Binder, Builtin, Constant, Quantifier, UnaryOp};

use bcheck_source::{Diagnostic, Span};

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
    /// Its kind.
    pub kind: ExprKind,
    /// The place, parentheses included where they were written.
    pub span: Span,
}

impl Expr {
    /// The formula inside the label, if there is one: a pass that looks for a form has to look at this.
    #[must_use]
    pub fn unlabelled(&self) -> &Self {
        let mut inner = self;
        while let ExprKind::Labelled(_, labelled) = &inner.kind {
            inner = labelled;
        }
        inner
    }

    /// As [`Self::unlabelled`], for a formula whose label is dropped.
    #[must_use]
    pub fn without_label(self) -> Self {
        let mut inner = self;
        while let ExprKind::Labelled(_, labelled) = inner.kind {
            inner = *labelled;
        }
        inner
    }
}

/// The separator between several labels of one formula, as in `name: description`.
pub const BETWEEN_LABELS: &str = ": ";

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
    /// A keyword that is itself a value.
    Constant(Constant),
    /// Prefix or postfix operator.
    Unary(UnaryOp, Box<Expr>),
    /// Infix operator, also of predicates.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(a, b)`: a pair written with a comma, where that separates nothing else; `(a,b,c)` nests to the left.
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
    /// A predicate, or a definition that may be one, with `/*@label L*/` pragmas before or `/*@desc …*/` after it; several are joined. A
    /// value has none: see [`Expr::unlabelled`].
    Labelled(String, Box<Expr>),
    /// A part that could not be parsed; a diagnostic has the reason.
    Error,
}

/// A substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subst {
    /// Its kind.
    pub kind: SubstKind,
    /// The place.
    pub span: Span,
}

impl Subst {
    /// The conditions of the PREs at the top of a body, the outermost first.
    #[must_use]
    pub fn preconditions(&self) -> Vec<&Expr> {
        let (mut found, mut body) = (Vec::new(), self);
        loop {
            match &body.kind {
                SubstKind::Block(inner) => body = inner,
                SubstKind::Pre(pred, inner) => {
                    found.push(&**pred);
                    body = inner;
                }
                _ => return found,
            }
        }
    }
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
    /// `a, b <-- op(x, y)`, `op(x)`, `op`; also a call of a definition whose body is a substitution.
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
    /// A part that could not be parsed; a diagnostic has the reason.
    Error,
}

/// The result of a parse: always a tree, and all problems of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The tree; parts that could not be read are `Error` nodes.
    pub tree: T,
    /// The problems in source order.
    pub diagnostics: Vec<Diagnostic>,
}
