//! The clauses of one text with its definitions expanded.
//!
//! Invariant: no definition is left in any of them, and no label but those of conjuncts in CONSTRAINTS, PROPERTIES, INVARIANT and
//! ASSERTIONS. Lists of one kind are joined in the order of the text; a repeated clause has already been reported by the parser.
//! Deliberately elsewhere: declarations of names, which have no formulas (`compose`).

use super::compose::Tree;
use super::definitions::Definitions;
use super::expand::Expander;
use bcheck_source::Diagnostic;
use bcheck_syntax::ast::{self, ClauseKind, DefinitionBody};

/// The expanded clauses of a text.
#[derive(Default)]
pub(super) struct Clauses {
    pub(super) constraints: Vec<ast::Expr>,
    pub(super) properties: Vec<ast::Expr>,
    pub(super) has_properties: bool,
    pub(super) invariant: Vec<ast::Expr>,
    pub(super) assertions: Vec<ast::Expr>,
    pub(super) initialisation: Option<ast::Subst>,
    pub(super) operations: Vec<ast::Operation>,
    pub(super) local_operations: Vec<ast::Operation>,
    pub(super) free_types: Vec<ast::FreeType>,
    /// VALUES: names with their values.
    pub(super) values: Vec<(ast::Name, ast::Expr)>,
    /// The actual parameters of each reference in INCLUDES, EXTENDS and IMPORTS.
    pub(super) actual_parameters: Vec<Vec<ast::Expr>>,
    pub(super) goal: Option<ast::Expr>,
    /// The definition `SCOPE`: the states that are expanded.
    pub(super) expanded: Option<ast::Expr>,
}

impl Clauses {
    /// Expands the clauses of a text.
    pub(crate) fn of(tree: &Tree, definitions: &Definitions<'_>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        // One expander for the whole text, so that its limit bounds the total expansion of all clauses.
        let mut expander = Expander::new(definitions);
        let mut clauses = Self::default();
        for clause in &tree.machine.clauses {
            clauses.add(&clause.kind, &mut expander);
        }
        // Definitions that are clauses for ProB: without parameters, and expanded like any other predicate.
        let mut predicate = |name: &str| match definitions.get(name).filter(|found| found.parameters.is_empty())?.body {
            DefinitionBody::Expr(body) => Some(expander.expr(body)),
            DefinitionBody::List(_) | DefinitionBody::Subst(_) => None,
        };
        clauses.goal = predicate("GOAL");
        clauses.expanded = predicate("SCOPE");
        diagnostics.append(&mut expander.diagnostics);
        clauses
    }

    fn add(&mut self, clause: &ClauseKind, expander: &mut Expander<'_>) {
        match clause {
            ClauseKind::Constraints(pred) => self.constraints.push(expander.clause(pred)),
            ClauseKind::Properties(pred) => {
                self.has_properties = true;
                self.properties.push(expander.clause(pred));
            }
            ClauseKind::Invariant(pred) => self.invariant.push(expander.clause(pred)),
            ClauseKind::Assertions(preds) => self.assertions.extend(preds.iter().map(|pred| expander.clause(pred))),
            // A second one is refused by the parser, so none is lost.
            ClauseKind::Initialisation(subst) => self.initialisation = Some(expander.subst(subst)),
            ClauseKind::Operations(operations) => {
                self.operations.extend(operations.iter().map(|operation| expander.operation(operation)));
            }
            ClauseKind::LocalOperations(operations) => {
                self.local_operations.extend(operations.iter().map(|operation| expander.operation(operation)));
            }
            ClauseKind::Values(values) => self.values.extend(values.iter().map(|(name, value)| (name.clone(), expander.expr(value)))),
            // Numbered through all three clauses: an instance refers to its arguments by that position (`compose::project`).
            ClauseKind::Includes(references) | ClauseKind::Extends(references) | ClauseKind::Imports(references) => {
                self.actual_parameters.extend(references.iter().map(|reference| expander.list(&reference.arguments)));
            }
            ClauseKind::Freetypes(types) => {
                for free in types {
                    let cases = free.cases.iter().map(|(name, argument)| (name.clone(), argument.as_ref().map(|set| expander.expr(set))));
                    self.free_types.push(ast::FreeType { name: free.name.clone(), cases: cases.collect() });
                }
            }
            ClauseKind::Refines(_)
            | ClauseKind::Sees(_)
            | ClauseKind::Uses(_)
            | ClauseKind::Promotes(_)
            | ClauseKind::Sets(_)
            | ClauseKind::Constants(..)
            | ClauseKind::Variables(..)
            | ClauseKind::Definitions(_) => {}
        }
    }
}
