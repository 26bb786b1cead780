//! Changes every expression and substitution of a machine, the innermost first.
//!
//! Left alone: what is assigned to (but for the arguments of `f(x) := e`), the names that LET defines, labels of CASE.

use bcheck::source::Span;
use bcheck::syntax::ast::{
    BinaryOp, ClauseKind, Definition, DefinitionBody, Expr, ExprKind, Machine, Name, SetDeclarationKind, Subst, SubstKind,
};

/// What becomes of a node whose parts have been changed.
pub(super) trait Rewriter {
    fn expr(&mut self, expr: Expr) -> Expr;
    fn subst(&mut self, subst: Subst) -> Subst;
}

pub(super) fn expr_of(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::nowhere() }
}

pub(super) fn subst_of(kind: SubstKind) -> Subst {
    Subst { kind, span: Span::nowhere() }
}

pub(super) fn name_of(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::nowhere() }
}

/// Changes a whole machine.
pub(super) fn machine(machine: &mut Machine, rewriter: &mut dyn Rewriter) {
    for clause in &mut machine.clauses {
        match &mut clause.kind {
            ClauseKind::Properties(formula) | ClauseKind::Invariant(formula) | ClauseKind::Constraints(formula) => {
                change(formula, rewriter)
            }
            ClauseKind::Assertions(formulas) => formulas.iter_mut().for_each(|formula| change(formula, rewriter)),
            ClauseKind::Definitions(definitions) => {
                for definition in definitions {
                    if let Definition::Macro { body: DefinitionBody::Expr(formula), .. } = definition {
                        change(formula, rewriter);
                    }
                }
            }
            ClauseKind::Initialisation(subst) => change_subst(subst, rewriter),
            ClauseKind::Operations(operations) => operations.iter_mut().for_each(|operation| change_subst(&mut operation.body, rewriter)),
            ClauseKind::Sets(sets) => debug_assert!(sets.iter().all(|set| !matches!(set.kind, SetDeclarationKind::ByDefinition(_)))),
            _ => {}
        }
    }
}

/// Changes one expression.
pub(super) fn change(expr: &mut Expr, rewriter: &mut dyn Rewriter) {
    parts(expr, rewriter);
    let old = std::mem::replace(expr, expr_of(ExprKind::Error));
    *expr = rewriter.expr(old);
}

fn parts(expr: &mut Expr, rewriter: &mut dyn Rewriter) {
    match &mut expr.kind {
        ExprKind::Unary(_, a) | ExprKind::Field(a, _) | ExprKind::Labelled(_, a) | ExprKind::Comprehension(_, a) => change(a, rewriter),
        ExprKind::Quantified(_, _, body) => body_of_quantifier(body, rewriter),
        ExprKind::Binary(_, a, b)
        | ExprKind::CommaPair(a, b)
        | ExprKind::Image(a, b)
        | ExprKind::Binder(_, _, a, b)
        | ExprKind::EventComprehension(_, a, b) => {
            change(a, rewriter);
            change(b, rewriter);
        }
        ExprKind::Builtin(_, list) | ExprKind::SetExtension(list) | ExprKind::Sequence(list) => {
            list.iter_mut().for_each(|item| change(item, rewriter));
        }
        ExprKind::Apply(function, arguments) => {
            change(function, rewriter);
            arguments.iter_mut().for_each(|argument| change(argument, rewriter));
        }
        ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter_mut().for_each(|(_, value)| change(value, rewriter)),
        ExprKind::If(condition, yes, no) => {
            change(condition, rewriter);
            change(yes, rewriter);
            no.iter_mut().for_each(|no| change(no, rewriter));
        }
        ExprKind::Let(_, equations, body) => {
            right_sides(equations, rewriter);
            change(body, rewriter);
        }
        ExprKind::Ident(_)
        | ExprKind::OldValue(_)
        | ExprKind::Integer(_)
        | ExprKind::Real(_)
        | ExprKind::String(_)
        | ExprKind::Constant(_)
        | ExprKind::Error => {}
    }
}

/// The body of a universal quantification stays an implication.
fn body_of_quantifier(body: &mut Expr, rewriter: &mut dyn Rewriter) {
    match &mut body.kind {
        ExprKind::Binary(BinaryOp::Implies, a, b) => {
            change(a, rewriter);
            change(b, rewriter);
        }
        _ => change(body, rewriter),
    }
}

/// Of `x = E & y = F`, E and F.
fn right_sides(equations: &mut Expr, rewriter: &mut dyn Rewriter) {
    match &mut equations.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            right_sides(a, rewriter);
            right_sides(b, rewriter);
        }
        ExprKind::Binary(BinaryOp::Equal, _, value) => change(value, rewriter),
        _ => {}
    }
}

/// Changes one substitution.
pub(super) fn change_subst(subst: &mut Subst, rewriter: &mut dyn Rewriter) {
    match &mut subst.kind {
        SubstKind::Assign(targets, values) => {
            for target in targets {
                if let ExprKind::Apply(_, arguments) = &mut target.kind {
                    arguments.iter_mut().for_each(|argument| change(argument, rewriter));
                }
            }
            values.iter_mut().for_each(|value| change(value, rewriter));
        }
        SubstKind::BecomesIn(_, formula) | SubstKind::BecomesSuchThat(_, formula) => change(formula, rewriter),
        SubstKind::Parallel(list) | SubstKind::Sequence(list) | SubstKind::Choice(list) => {
            list.iter_mut().for_each(|part| change_subst(part, rewriter));
        }
        SubstKind::Block(body) | SubstKind::Var(_, body) => change_subst(body, rewriter),
        SubstKind::Pre(condition, body) | SubstKind::Assert(condition, body) | SubstKind::Any(_, condition, body) => {
            change(condition, rewriter);
            change_subst(body, rewriter);
        }
        SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
            for (condition, body) in branches {
                change(condition, rewriter);
                change_subst(body, rewriter);
            }
            otherwise.iter_mut().for_each(|body| change_subst(body, rewriter));
        }
        SubstKind::Case(subject, branches, otherwise) => {
            change(subject, rewriter);
            branches.iter_mut().for_each(|(_, body)| change_subst(body, rewriter));
            otherwise.iter_mut().for_each(|body| change_subst(body, rewriter));
        }
        SubstKind::Let(_, equations, body) => {
            right_sides(equations, rewriter);
            change_subst(body, rewriter);
        }
        SubstKind::While { condition, body, invariant, variant } => {
            change(condition, rewriter);
            change_subst(body, rewriter);
            change(invariant, rewriter);
            change(variant, rewriter);
        }
        SubstKind::Skip | SubstKind::Call { .. } | SubstKind::Error => {}
    }
    let old = std::mem::replace(subst, subst_of(SubstKind::Skip));
    *subst = rewriter.subst(old);
}
