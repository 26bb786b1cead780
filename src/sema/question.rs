//! Predicates with free names, which ask for the values of these: `x : 1..9 & x * x = 49`.
//!
//! A name is free if nothing binds it and neither the machine, nor its definitions, nor a library gives it a meaning; one that looks like
//! an element of a deferred set, but is beyond its size, is an error and not free. A free name is typed like a name bound by `#`.
//! Invariant: a formula without free names is analysed exactly as by [`read_formula`](super::read_formula). Deliberately elsewhere: how
//! answers are found (`eval`).

use super::definitions::Definitions;
use super::elaborate::Elaborator;
use super::expand::Expander;
use super::formula::{Formula, FormulaContext, Macros, analyse_formula, elaborator_of, is_predicate};
use bcheck_ir::{LocalId, Model, Pred, PredKind, Type};
use bcheck_source::{Diagnostic, FileId, has_errors};
use bcheck_syntax::ast::{Expr, ExprKind, Name, Quantifier};
use bcheck_syntax::parse_formula;
use std::collections::BTreeSet;

/// The kind of formula.
#[derive(Clone, Debug)]
pub enum Asked {
    /// All its names have a meaning: it has a value.
    Value(Formula),
    /// A predicate with free names: for which values of them is it true?
    Names(Vec<(LocalId, Type)>, Pred),
}

/// Parses and types a formula; a predicate may have free names.
///
/// # Errors
/// The diagnostics of the parser or those of the analysis, when there is an error among them.
pub fn read_question(file: FileId, text: &str, context: FormulaContext<'_>, macros: &Macros) -> Result<(Asked, Model), Vec<Diagnostic>> {
    let parsed = parse_formula(file, text);
    if has_errors(&parsed.diagnostics) {
        return Err(parsed.diagnostics);
    }
    let free = free_names(&parsed.tree, context, macros);
    if free.is_empty() {
        return analyse_formula(&parsed.tree, context, macros).map(|(formula, model)| (Asked::Value(formula), model));
    }
    // The parsed tree, not the expanded one: no free name is that of a definition, so the quantifier hides none when the formula is
    // expanded again.
    let span = parsed.tree.span;
    let bound = Expr { kind: ExprKind::Quantified(Quantifier::Exists, free, Box::new(parsed.tree)), span };
    match analyse_formula(&bound, context, macros)? {
        (Formula::Pred(Pred { kind: PredKind::Exists(names, pred), .. }), model) => Ok((Asked::Names(names, *pred), model)),
        (formula, model) => Ok((Asked::Value(formula), model)),
    }
}

/// The free names of a predicate in the order of their first occurrences, each with its place; none for an expression.
fn free_names(formula: &Expr, context: FormulaContext<'_>, macros: &Macros) -> Vec<Name> {
    // Names in the bodies of definitions mean what they mean where the definition is used.
    let definitions = Definitions::collect(macros.definitions(), &mut Vec::new());
    let expanded = Expander::new(&definitions).expr(formula);
    if context.expected.is_some() || !is_predicate(&expanded) {
        return Vec::new();
    }
    let mut model = context.model.cloned().unwrap_or_else(|| Model::empty("formula", formula.span));
    let mut elaborator = elaborator_of(&mut model, context.scope, macros, &definitions, formula.span);
    let mut unbound = Unbound::default();
    unbound.expr(&expanded);
    let Unbound { found, called, .. } = unbound;
    let is_of_library = |name: &str, elaborator: &mut Elaborator<'_>| called.contains(name) && elaborator.is_library_function(name);
    let mut is_free = |name: &str| {
        !elaborator.names.is_declared(name) && !elaborator.names.looks_like_element(name) && !is_of_library(name, &mut elaborator)
    };
    found.into_iter().filter(|name| is_free(&name.text)).collect()
}

/// A walk that gathers the names which nothing in the formula binds.
#[derive(Default)]
struct Unbound {
    /// Bound around the present place, innermost last.
    bound: Vec<String>,
    seen: BTreeSet<String>,
    found: Vec<Name>,
    /// Names in front of arguments: a library may define them. Elsewhere they are names like any other.
    called: BTreeSet<String>,
}

impl Unbound {
    fn name(&mut self, name: &str, at: &Expr) {
        if !self.bound.iter().any(|bound| bound == name) && self.seen.insert(name.to_owned()) {
            self.found.push(Name { text: name.to_owned(), span: at.span });
        }
    }

    fn all(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn below(&mut self, bound: &[Name], parts: &[&Expr]) {
        let outer = self.bound.len();
        self.bound.extend(bound.iter().map(|name| name.text.clone()));
        parts.iter().for_each(|part| self.expr(part));
        self.bound.truncate(outer);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Ident(name) => self.name(name, expr),
            // `x$0` is never free: only declared variables have old values.
            ExprKind::OldValue(_)
            | ExprKind::Integer(_)
            | ExprKind::Real(_)
            | ExprKind::String(_)
            | ExprKind::Constant(_)
            | ExprKind::Error => {}
            ExprKind::Unary(_, operand) | ExprKind::Field(operand, _) | ExprKind::Labelled(_, operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) | ExprKind::CommaPair(left, right) | ExprKind::Image(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Builtin(_, items) | ExprKind::SetExtension(items) | ExprKind::Sequence(items) => self.all(items),
            ExprKind::Apply(function, items) => {
                if let ExprKind::Ident(name) = &function.kind {
                    self.called.insert(name.clone());
                }
                self.expr(function);
                self.all(items);
            }
            ExprKind::Quantified(_, bound, body) | ExprKind::Comprehension(bound, body) => self.below(bound, &[body]),
            ExprKind::Binder(_, bound, pred, body) | ExprKind::EventComprehension(bound, pred, body) | ExprKind::Let(bound, pred, body) => {
                self.below(bound, &[pred, body])
            }
            ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().for_each(|(_, item)| self.expr(item)),
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                otherwise.iter().for_each(|otherwise| self.expr(otherwise));
            }
        }
    }
}
