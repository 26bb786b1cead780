//! Formulas outside a machine: `--goal` and `bcheck eval`.
//!
//! They may use the machine's definitions, and sets with values in VALUES.
//! Invariant: the returned model is the given one, with the bound names of the formula added, so expressions of both can be evaluated
//! together.

use super::compose::Tree;
use super::definitions::Definitions;
use super::elaborate::{Actual, Elaborator};
use super::expand::Expander;
use super::finish::Finisher;
use super::names::{Meaning, Names, NumberedSet};
use super::scheme::makes_predicate;
use bcheck_ir::{Expr, GivenSetKind, Model, Pred, Scope, SetId, Type, rewrite_expr, rewrite_pred};
use bcheck_source::{Diagnostic, FileId, Span, has_errors};
use bcheck_syntax::{ast, parse_formula};

/// A formula by itself.
#[derive(Clone, Debug)]
pub enum Formula {
    /// It has a value.
    Expr(Expr),
    /// It is true or false.
    Pred(Pred),
}

/// The definitions of a machine, stored for formulas about it.
#[derive(Clone, Debug, Default)]
pub struct Macros {
    definitions: Vec<ast::Definition>,
    /// Names with their values in VALUES, where definitions are expanded.
    values: Vec<(ast::Name, ast::Expr)>,
}

impl Macros {
    /// Stores the definitions of a text, and its VALUES.
    pub fn of(tree: &Tree) -> Self {
        // Errors are those of the analysis of the machine, which expands the same text.
        let definitions = Definitions::collect(&tree.definitions, &mut Vec::new());
        let mut expander = Expander::new(&definitions);
        let values = tree.machine.clauses.iter().filter_map(|clause| match &clause.kind {
            ast::ClauseKind::Values(values) => Some(values),
            _ => None,
        });
        let values = values.flatten().map(|(name, value)| (name.clone(), expander.expr(value))).collect();
        Self { definitions: tree.definitions.clone(), values }
    }

    pub(super) fn definitions(&self) -> &[ast::Definition] {
        &self.definitions
    }

    /// Adds a definition without parameters that is not one of the machine.
    pub(super) fn define(&mut self, name: ast::Name, body: ast::Expr) {
        let body = ast::DefinitionBody::Expr(body);
        self.definitions.push(ast::Definition::Macro { name, parameters: Vec::new(), body });
    }
}

/// The names that a formula may use, and the type that it must have.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormulaContext<'a> {
    /// The machine, if there is one.
    pub model: Option<&'a Model>,
    /// The sizes of its given sets: then elements of deferred sets have the names that are printed, such as `PID2`.
    pub scope: Option<&'a Scope>,
    /// The type that the formula must have; then it is an expression.
    pub expected: Option<&'a Type>,
    /// Whether the formula is judged in an animation: then a temporal formula may mention its `current` state.
    pub has_current: bool,
}

/// Parses and types a formula; see [`analyse_formula`]. `file` is the number of the text in a source map.
///
/// # Errors
/// The diagnostics of the parser or those of the analysis, when there is an error among them.
pub fn read_formula(file: FileId, text: &str, context: FormulaContext<'_>, macros: &Macros) -> Result<(Formula, Model), Vec<Diagnostic>> {
    let parsed = parse_formula(file, text);
    if has_errors(&parsed.diagnostics) {
        return Err(parsed.diagnostics);
    }
    analyse_formula(&parsed.tree, context, macros)
}

/// A formula over the names of a model (or of none) and the definitions of its machine. Returns the formula and the model with the
/// names it binds.
///
/// # Errors
/// All diagnostics when there is an error among them.
pub fn analyse_formula(formula: &ast::Expr, context: FormulaContext<'_>, macros: &Macros) -> Result<(Formula, Model), Vec<Diagnostic>> {
    // Errors in the definitions themselves were reported when the machine was analysed.
    let definitions = Definitions::collect(&macros.definitions, &mut Vec::new());
    let mut expander = Expander::new(&definitions);
    let expanded = expander.expr(formula);
    let formula = &expanded;
    let mut model = context.model.cloned().unwrap_or_else(|| Model::empty("formula", formula.span));
    let mut elaborator = elaborator_of(&mut model, context.scope, macros, &definitions, formula.span);
    elaborator.diagnostics = expander.diagnostics;
    // The parser reads both sorts with one grammar; without an expected type the form of the formula decides.
    let mut result = match context.expected {
        Some(ty) => Formula::Expr(elaborator.demand(formula, ty)),
        None if is_predicate(formula) => Formula::Pred(elaborator.pred(formula)),
        None => Formula::Expr(elaborator.expr(formula)),
    };
    // A name that stays untyped, as in `#f.(f = {})`, has the same value whatever its type: it gets a default.
    elaborator.resolve_all_overloads();
    if has_errors(&elaborator.diagnostics) {
        return Err(elaborator.diagnostics);
    }
    let mut finisher = Finisher::new(&elaborator.types, &elaborator.labels);
    match &mut result {
        Formula::Expr(expr) => rewrite_expr(expr, &mut finisher),
        Formula::Pred(pred) => rewrite_pred(pred, &mut finisher),
    }
    model.locals = elaborator.locals;
    Ok((result, model))
}

/// An elaborator that knows the names of a model, for a formula at a place. It takes over the locals of the model.
pub(super) fn elaborator_of<'a>(
    model: &mut Model,
    scope: Option<&Scope>,
    macros: &'a Macros,
    definitions: &Definitions<'_>,
    place: Span,
) -> Elaborator<'a> {
    let mut elaborator = Elaborator::new();
    elaborator.names = Names::of_model(model);
    for (name, expr) in &macros.values {
        // A constant is in the model, and so equal to its value. A set is replaced by its value, and is declared nowhere else.
        if !elaborator.names.is_declared(&name.text) {
            let meaning = Meaning::Actual(elaborator.actuals.len());
            elaborator.actuals.push(Actual { scope: 0, expr, is_open: false });
            elaborator.names.declare(&name.text, meaning, name.span).expect("the name is not declared");
        }
    }
    elaborator.names.others = definitions.iter().map(|found| found.name.text.clone()).collect();
    if let Some(scope) = scope {
        elaborator.names.numbered = numbered(model, scope);
    }
    elaborator.free_types.clone_from(&model.free_types);
    elaborator.set_names = model.sets.keys().cloned().collect();
    elaborator.constant_types = model.constants.values().map(|declaration| declaration.ty.clone()).collect();
    elaborator.variable_types = model.variables.values().map(|declaration| declaration.ty.clone()).collect();
    // The formula's bound names get ids after those of the model. It cannot mention the model's locals, so their types do not matter.
    elaborator.local_types = vec![Type::Bool; model.locals.len()];
    elaborator.local_spans = vec![place; model.locals.len()];
    elaborator.locals = std::mem::take(&mut model.locals);
    elaborator
}

/// The deferred sets with their sizes.
fn numbered(model: &Model, scope: &Scope) -> Vec<NumberedSet> {
    let sets = model.sets.iter().zip(&scope.sizes).zip(0..);
    sets.filter(|(((_, set), _), _)| set.kind == GivenSetKind::Deferred)
        .map(|(((name, set), size), id)| NumberedSet { name: name.clone(), prefix: set.element_prefix.clone(), id: SetId(id), size: *size })
        .collect()
}

/// Whether the form of a formula shows that it is a predicate.
pub(super) fn is_predicate(formula: &ast::Expr) -> bool {
    match &formula.kind {
        ast::ExprKind::Constant(constant) => matches!(constant, ast::Constant::BTrue | ast::Constant::BFalse),
        ast::ExprKind::Binary(op, ..) => makes_predicate(*op),
        ast::ExprKind::Builtin(builtin, _) => matches!(builtin, ast::Builtin::Not | ast::Builtin::Finite | ast::Builtin::Partition),
        ast::ExprKind::Quantified(..) => true,
        ast::ExprKind::If(_, then, _) => is_predicate(then),
        ast::ExprKind::Let(_, _, inner) => is_predicate(inner),
        _ => false,
    }
}
