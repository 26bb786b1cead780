//! Names bound by formulas and substitutions: by quantifiers, comprehensions, lambdas, ANY, LET, VAR and the parameters of definitions; and
//! the places where substitutions assign to a name.
//!
//! Invariant: like everything in `symbols` they come from the trees, so they are found even in a text with errors. A name counts as visible
//! in the whole construct that binds it, even where B does not allow its use, as on the right of `LET x BE x = …`.

use super::analysis::Understood;
use super::declared::{Declared, covers};
use bcheck_source::Span;
use bcheck_syntax::ast::{Binder, Clause, ClauseKind, Definition, DefinitionBody, Expr, ExprKind, Name, Quantifier, Subst, SubstKind};
use lsp_types::SymbolKind;

/// The names bound around an offset, the outermost first.
pub(super) fn bound_at(understood: &Understood, offset: usize) -> Vec<Declared<'_>> {
    let mut finder = Finder { offset: Some(offset), found: Vec::new(), targets: Vec::new() };
    finder.clauses(understood.machine.iter().flat_map(|machine| &machine.clauses));
    finder.definitions(&understood.definitions);
    finder.found
}

/// All names bound in a text and in the definition files that it includes, and the places of names that are assigned to.
pub(super) fn all_bound(understood: &Understood) -> (Vec<Declared<'_>>, Vec<Span>) {
    let mut finder = Finder { offset: None, found: Vec::new(), targets: Vec::new() };
    finder.clauses(understood.machine.iter().flat_map(|machine| &machine.clauses));
    finder.definitions(&understood.definitions);
    understood.others.definition_files.iter().for_each(|(_, _, definitions)| finder.definitions(definitions));
    (finder.found, finder.targets)
}

/// Collects the names bound on the path to an offset, or all of them. Invariant: only nodes that cover the offset are entered, so the work
/// is proportional to the path and its siblings.
struct Finder<'a> {
    offset: Option<usize>,
    found: Vec<Declared<'a>>,
    targets: Vec<Span>,
}

impl<'a> Finder<'a> {
    /// Whether a part of the text can be skipped.
    fn passes_over(&self, span: Span) -> bool {
        self.offset.is_some_and(|offset| !covers(span, offset))
    }

    fn clauses(&mut self, clauses: impl Iterator<Item = &'a Clause>) {
        for clause in clauses {
            if !self.passes_over(clause.span) {
                self.clause(clause);
            }
        }
    }

    fn clause(&mut self, clause: &'a Clause) {
        match &clause.kind {
            ClauseKind::Constraints(pred) | ClauseKind::Properties(pred) | ClauseKind::Invariant(pred) => self.expr(pred),
            ClauseKind::Assertions(preds) => self.exprs(preds),
            ClauseKind::Initialisation(subst) => self.subst(subst),
            ClauseKind::Operations(operations) | ClauseKind::LocalOperations(operations) => {
                operations.iter().for_each(|operation| self.subst(&operation.body));
            }
            ClauseKind::Definitions(definitions) => self.definitions(definitions),
            ClauseKind::Values(values) => values.iter().for_each(|(_, value)| self.expr(value)),
            ClauseKind::Includes(references) | ClauseKind::Extends(references) | ClauseKind::Imports(references) => {
                references.iter().for_each(|reference| self.exprs(&reference.arguments));
            }
            ClauseKind::Freetypes(types) => {
                types.iter().flat_map(|free| &free.cases).filter_map(|(_, argument)| argument.as_ref()).for_each(|set| self.expr(set));
            }
            ClauseKind::Refines(_)
            | ClauseKind::Sees(_)
            | ClauseKind::Uses(_)
            | ClauseKind::Promotes(_)
            | ClauseKind::Sets(_)
            | ClauseKind::Constants(..)
            | ClauseKind::Variables(..) => {}
        }
    }

    /// Records the names that a substitution assigns to: `f` of `f(x)'g := e`.
    fn assigns(&mut self, targets: &'a [Expr]) {
        for mut target in targets {
            while let ExprKind::Apply(inner, _) | ExprKind::Field(inner, _) = &target.kind {
                target = inner;
            }
            self.targets.push(target.span);
        }
        self.exprs(targets);
    }

    fn bind(&mut self, names: &'a [Name], within: Span, word: &'static str) {
        self.found.extend(names.iter().map(|name| Declared {
            within: Some(within),
            is_bound: true,
            ..Declared::new(name, SymbolKind::VARIABLE, word)
        }));
    }

    fn definitions(&mut self, definitions: &'a [Definition]) {
        for definition in definitions {
            let Definition::Macro { name, parameters, body } = definition else { continue };
            // A definition has no span: it extends from its name to the end of its body.
            let end = match body {
                DefinitionBody::Expr(expr) => expr.span,
                DefinitionBody::List(list) => list.last().map_or(name.span, |last| last.span),
                DefinitionBody::Subst(subst) => subst.span,
            };
            let whole = name.span.to(end);
            if self.passes_over(whole) {
                continue;
            }
            self.bind(parameters, whole, "parameter of a definition");
            match body {
                DefinitionBody::Expr(expr) => self.expr(expr),
                DefinitionBody::List(list) => self.exprs(list),
                DefinitionBody::Subst(subst) => self.subst(subst),
            }
        }
    }

    fn exprs(&mut self, exprs: &'a [Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    // A list: one arm for each kind of expression, so that a new one cannot be forgotten.
    fn expr(&mut self, expr: &'a Expr) {
        // A subtree that does not cover the offset binds nothing there.
        if self.passes_over(expr.span) {
            return;
        }
        match &expr.kind {
            ExprKind::Ident(_)
            | ExprKind::OldValue(_)
            | ExprKind::Integer(_)
            | ExprKind::Real(_)
            | ExprKind::String(_)
            | ExprKind::Constant(_)
            | ExprKind::Error => {}
            ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) | ExprKind::Labelled(_, inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::CommaPair(left, right) | ExprKind::Image(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Builtin(_, parts) | ExprKind::SetExtension(parts) | ExprKind::Sequence(parts) => self.exprs(parts),
            ExprKind::Apply(function, arguments) => {
                self.expr(function);
                self.exprs(arguments);
            }
            ExprKind::Quantified(quantifier, names, body) => {
                self.bind(names, expr.span, if *quantifier == Quantifier::Forall { "bound by !" } else { "bound by #" });
                self.expr(body);
            }
            ExprKind::Binder(binder, names, pred, value) => {
                self.bind(names, expr.span, bound_by(*binder));
                self.expr(pred);
                self.expr(value);
            }
            ExprKind::Comprehension(names, pred) => {
                self.bind(names, expr.span, "bound by a comprehension");
                self.expr(pred);
            }
            ExprKind::EventComprehension(names, pred, value) => {
                self.bind(names, expr.span, "bound by a comprehension");
                self.expr(pred);
                self.expr(value);
            }
            ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter().for_each(|(_, value)| self.expr(value)),
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                otherwise.iter().for_each(|otherwise| self.expr(otherwise));
            }
            ExprKind::Let(names, values, body) => {
                self.bind(names, expr.span, "bound by LET");
                self.expr(values);
                self.expr(body);
            }
        }
    }

    fn substs(&mut self, substs: &'a [Subst]) {
        substs.iter().for_each(|subst| self.subst(subst));
    }

    fn subst(&mut self, subst: &'a Subst) {
        if self.passes_over(subst.span) {
            return;
        }
        match &subst.kind {
            SubstKind::Skip | SubstKind::Error => {}
            SubstKind::Assign(targets, values) => {
                self.assigns(targets);
                self.exprs(values);
            }
            SubstKind::BecomesIn(targets, value) | SubstKind::BecomesSuchThat(targets, value) => {
                self.assigns(targets);
                self.expr(value);
            }
            SubstKind::Call { results, arguments, .. } => {
                self.assigns(results);
                self.exprs(arguments);
            }
            SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => self.substs(parts),
            SubstKind::Block(inner) => self.subst(inner),
            SubstKind::Pre(pred, body) | SubstKind::Assert(pred, body) => {
                self.expr(pred);
                self.subst(body);
            }
            SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.subst(body);
                }
                otherwise.iter().for_each(|otherwise| self.subst(otherwise));
            }
            SubstKind::Case(value, branches, otherwise) => {
                self.expr(value);
                for (values, body) in branches {
                    self.exprs(values);
                    self.subst(body);
                }
                otherwise.iter().for_each(|otherwise| self.subst(otherwise));
            }
            SubstKind::Any(names, pred, body) => self.block(names, subst.span, "bound by ANY", Some(pred), body),
            SubstKind::Let(names, values, body) => self.block(names, subst.span, "bound by LET", Some(values), body),
            SubstKind::Var(names, body) => self.block(names, subst.span, "bound by VAR", None, body),
            SubstKind::While { condition, body, invariant, variant } => {
                [condition, invariant, variant].into_iter().for_each(|expr| self.expr(expr));
                self.subst(body);
            }
        }
    }

    fn block(&mut self, names: &'a [Name], within: Span, word: &'static str, pred: Option<&'a Expr>, body: &'a Subst) {
        self.bind(names, within, word);
        pred.into_iter().for_each(|pred| self.expr(pred));
        self.subst(body);
    }
}

fn bound_by(binder: Binder) -> &'static str {
    match binder {
        Binder::Lambda => "bound by %",
        Binder::Union => "bound by UNION",
        Binder::Inter => "bound by INTER",
        Binder::Sigma => "bound by SIGMA",
        Binder::Pi => "bound by PI",
    }
}
