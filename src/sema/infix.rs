//! Infix operators of expressions: types of operands and result, by the scheme of the operator or a rule of its own.
//!
//! Invariant: an operator whose meaning the types decide (`-`, `*`, `^`) is built as the one on integers or sequences and left to
//! `overload`, which finds the types, and `finish`, which replaces it where they are sets or strings. Deliberately elsewhere: the
//! rules (`scheme`), infix operators that make predicates (`predicate`), long chains of operators on sequences (`chains`).

use super::elaborate::Elaborator;
use super::infer::binary;
use super::overload::Overload;
use super::remedy::{Construct, Site};
use super::scheme::{InfixRule, infix_rule};
use bcheck_ir::{BinaryOp, Expr, Type};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;

impl Elaborator<'_> {
    /// An infix operator in an expression.
    pub(super) fn infix_expr(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Expr {
        self.place.site = Some(Site::of(Construct::Infix(op), left, right));
        let mark = self.diagnostics.len();
        let mut found = self.binary_expr(op, left, right, whole);
        self.explain_priority(mark, op, left, right);
        found.ty = self.type_unless_faulty(mark, found.ty);
        found
    }

    fn binary_expr(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Expr {
        let span = whole.span;
        if matches!(op, ast::BinaryOp::Concat | ast::BinaryOp::InsertTail)
            && let Some(chain) = self.long_chain(op, whole)
        {
            return chain;
        }
        match infix_rule(op) {
            InfixRule::Regular(op, scheme) => {
                let (operands, ty) = self.by_scheme(scheme, [left, right]);
                let Ok([left, right]) = <[Expr; 2]>::try_from(operands) else { unreachable!("the scheme has two operands") };
                binary(op, left, right, ty, span)
            }
            InfixRule::Predicate => self.expected_expression(span),
            InfixRule::Concat => self.concatenation(left, right, span),
            InfixRule::InsertFront => self.insertion(left, right, span),
            InfixRule::Pair => self.pair(left, right, span),
            InfixRule::Overloaded => self.overloaded(op, left, right, span),
            InfixRule::OfType => {
                // Only the type of the set counts: `E oftype S` does not assert that E is in S.
                let (set, element) = self.set(right);
                drop(set);
                self.demand(left, &element)
            }
        }
    }

    /// `e -> s`.
    fn insertion(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let left = self.expr(left);
        let ty = Type::relation(Type::Integer, left.ty.clone());
        let found = self.expr(right);
        if self.are_of_functions(&left.ty, &found.ty) {
            return self.refuse(
                Diagnostic::error(Code::TypeClash, span, "`->` stands between two sets, but it is no arrow of functions")
                    .label("e -> s puts an element in front of a sequence")
                    .help("the functions from S to T are S --> T (total) or S +-> T (partial), the relations S <-> T")
                    .fixes(super::remedy::arrows(left.span, right.span)),
            );
        }
        self.unify(&ty, &found.ty, right.span);
        binary(BinaryOp::InsertFront, left, found, ty, span)
    }

    /// `s ^ t`, of strings or sequences.
    fn concatenation(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = self.types.fresh();
        let operands = vec![(left.ty.clone(), left.span), (right.ty.clone(), right.span)];
        self.wait(Overload::Concat { operands, result: ty.clone(), span });
        binary(BinaryOp::Concat, left, right, ty, span)
    }

    /// `a - b` or `a * b`, of integers or sets.
    fn overloaded(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = self.types.fresh();
        let types = [left.ty.clone(), right.ty.clone(), ty.clone()];
        // No operand is required to be a number or a set: in `a - b = c` all three may be typed by a later conjunct. The operator on
        // integers represents both until `finish`, when the type of the result decides.
        let (op, overload) = match op {
            ast::BinaryOp::Minus => (BinaryOp::Subtract, Overload::Minus { types, span }),
            _ => (BinaryOp::Multiply, Overload::Times { types, span }),
        };
        self.wait(overload);
        binary(op, left, right, ty, span)
    }
}
