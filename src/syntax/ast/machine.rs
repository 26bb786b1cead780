//! The syntax tree above formulas and substitutions: machines, their clauses, declarations, definitions and operations.
//!
//! Invariant: clauses and their items keep the order of the text. Deliberately elsewhere: clauses that are repeated (the parser reports
//! them), the meaning of clauses (`sema`).

use super::{BinaryOp, Expr, ExprKind, Name, Subst, SubstKind};
use bcheck_source::Span;
use std::borrow::Cow;

/// The kind of a file, by its first keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The content.
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

/// `pre.M(e, f)`: another machine, in a clause that refers to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineReference {
    /// The renaming prefix before the dot, if any.
    pub prefix: Option<Name>,
    /// The machine.
    pub machine: Name,
    /// The actual parameters; only INCLUDES, EXTENDS and IMPORTS have any.
    pub arguments: Vec<Expr>,
    /// The path in the file pragma behind it, at the place of the pragma.
    pub file: Option<Name>,
}

/// One item of FREETYPES.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeType {
    /// The type's name.
    pub name: Name,
    /// Its constructors, each with the set of its arguments, if it takes one.
    pub cases: Vec<(Name, Option<Expr>)>,
}

/// One item of SETS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetDeclaration {
    /// The set's name.
    pub name: Name,
    /// Whether and where its elements are listed.
    pub kind: SetDeclarationKind,
}

/// Deferred, enumerated, or enumerated by a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetDeclarationKind {
    /// `S`
    Deferred,
    /// `S = {a, b}`
    Enumerated(Vec<Name>),
    /// `S = Definition`: the elements are those of a definition.
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
    /// An expression or predicate, which may be a substitution as well: a bare name or call may be an operation call; see
    /// [`DefinitionBody::substitution`].
    Expr(Expr),
    /// A list `a, b` without parentheses: expands as several arguments or names.
    List(Vec<Expr>),
    /// A substitution.
    Subst(Subst),
}

impl DefinitionBody {
    /// The body as a substitution, if it is one or can be read as one: `IF P THEN op ELSE definition END`, LET around such a body, and `x
    /// :(Q)`, where Q is a name or call. A bare name or call is left to the caller, who knows what it names.
    #[must_use]
    pub fn substitution(&self) -> Option<Cow<'_, Subst>> {
        match self {
            Self::Subst(subst) => Some(Cow::Borrowed(subst)),
            Self::Expr(expr) if matches!(expr.unlabelled().kind, ExprKind::Ident(_) | ExprKind::Apply(..)) => None,
            Self::Expr(expr) => as_substitution(expr).map(Cow::Owned),
            Self::List(items) => {
                let (last, before) = items.split_last()?;
                let kind = becomes_such_that(before, last)?;
                Some(Cow::Owned(Subst { kind, span: items[0].span.to(last.span) }))
            }
        }
    }
}

fn as_substitution(expr: &Expr) -> Option<Subst> {
    let expr = expr.unlabelled();
    let kind = match &expr.kind {
        ExprKind::Ident(text) => call(text, expr.span, &[]),
        ExprKind::Apply(function, arguments) => match &function.kind {
            ExprKind::Ident(text) => call(text, function.span, arguments),
            _ => return None,
        },
        ExprKind::If(condition, yes, no) => {
            let mut branches = vec![((**condition).clone(), as_substitution(yes)?)];
            let mut otherwise = no;
            // ELSIF is nested in the tree of a formula, but not in that of a substitution.
            while let Some(ExprKind::If(condition, yes, no)) = otherwise.as_deref().map(|inner| &inner.kind) {
                branches.push(((**condition).clone(), as_substitution(yes)?));
                otherwise = no;
            }
            let otherwise = match otherwise {
                Some(inner) => Some(Box::new(as_substitution(inner)?)),
                None => None,
            };
            SubstKind::If(branches, otherwise)
        }
        ExprKind::Let(names, equations, body) => SubstKind::Let(names.clone(), equations.clone(), Box::new(as_substitution(body)?)),
        _ => becomes_such_that(&[], expr)?,
    };
    Some(Subst { kind, span: expr.span })
}

fn call(name: &str, span: Span, arguments: &[Expr]) -> SubstKind {
    SubstKind::Call { results: Vec::new(), name: Name { text: name.to_owned(), span }, arguments: arguments.to_vec() }
}

/// `x :(Q)`, behind other targets. The parentheses are part of it; in the tree of a formula only places show them.
fn becomes_such_that(targets: &[Expr], last: &Expr) -> Option<SubstKind> {
    let ExprKind::Binary(BinaryOp::Member, target, pred) = &last.unlabelled().kind else { return None };
    let bare = match &pred.kind {
        ExprKind::Ident(text) => text.len(),
        ExprKind::Apply(function, _) if matches!(function.kind, ExprKind::Ident(_)) => (pred.span.end - function.span.start) as usize,
        _ => return None,
    };
    let has_parentheses = (pred.span.end - pred.span.start) as usize > bare;
    let targets = targets.iter().chain([&**target]).cloned().collect();
    has_parentheses.then(|| SubstKind::BecomesSuchThat(targets, pred.clone()))
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
