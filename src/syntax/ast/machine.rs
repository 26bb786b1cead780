//! The syntax tree above formulas and substitutions: machines, their clauses, declarations, definitions and operations.
//!
//! Invariant: clauses and their items keep the order of the text. Deliberately elsewhere: clauses that are repeated (the parser reports
//! them), the meaning of clauses (`sema`).

use super::{Expr, Name, Subst};
use crate::source::Span;

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
    /// The actual parameters; only INCLUDES, EXTENDS and IMPORTS give any.
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
