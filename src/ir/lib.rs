//! Floor 3: the typed core language as plain data, with what can be read off it: its notation (`notation`, `formula_text`), equality up to
//! renaming (`alpha`), whether a formula always has a value (`total`), what a substitution reads and writes (`access`); `visit` walks and
//! rewrites it. No I/O.
//!
//! Invariant: a [`Model`] is well typed and closed: every name is an id, every expression carries its type, definitions are
//! expanded, operation calls are inlined. Deliberately elsewhere: how it was typed (`sema`), how it runs (`eval`).

mod access;
mod alpha;
pub mod build;
mod expr;
mod formula_text;
mod hierarchy;
mod model;
mod notation;
mod numbers;
mod operator;
mod picture;
mod refinement;
mod subst;
pub mod temporal;
mod total;
mod types;
mod visit;

pub use access::Access;
pub use alpha::{alpha_equivalent, alpha_equivalent_preds, alpha_hash, alpha_hash_of_pred};
pub use build::{as_properties, invariant_question};
pub use expr::{Binder, Expr, ExprKind, ExternalFunction, IntegerSet, Pred, PredKind};
pub use formula_text::FormulaWriter;
pub use hierarchy::{Hierarchy, HierarchyMachine, HierarchyReference};
pub use model::{
    Assertion, Comprehension, Conjunct, DEFAULT_MAXINT, DEFAULT_MININT, Declaration, FreeTypeDeclaration, GivenSet, GivenSetKind, Model,
    NotChecked, Operation, Scope, Settings, SizeHint,
};
pub use numbers::speaks_of_bounds;
pub use operator::{BinaryOp, Comparison, FunctionKind, UnaryOp};
pub use picture::{
    EventCondition, GraphDefinition, GraphPart, GridLayer, GridShape, ImageReference, Justification, PictureDefinitions, VisbDefinition,
    VisbEvent, VisbHover, VisbItem, VisbObject, VisbPart, VisbValue,
};
pub use refinement::{Precondition, RefinedMachine, Refinement, Refining};
pub use subst::{Following, FollowingPart, Subst, SubstKind, Target};
pub use types::{ConstantId, FreeType, LocalId, OperationId, SetId, Type, VariableId};
pub use visit::{Node, Rewrite, rewrite_expr, rewrite_pred, rewrite_subst, walk_expr, walk_pred, walk_subst};
