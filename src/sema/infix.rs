//! Infix operators of expressions: types of operands and result, one operator after the other.
//!
//! Invariant: an operator whose meaning the types decide (`-`, `*`, `^`) is built as the one on integers or sequences and left to
//! `overload`, which finds the types, and `finish`, which replaces it where they are sets or strings. Deliberately elsewhere: infix
//! operators that make predicates (`predicate`), long chains of operators on sequences (`chains`).

use super::elaborate::Elaborator;
use super::infer::binary;
use super::overload::Overload;
use super::predicate::makes_predicate;
use super::remedy::{Construct, Site};
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

    // A list: the typing rule of each operator; operators with the same rule share a closure.
    fn binary_expr(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Expr {
        use ast::BinaryOp as Op;
        let span = whole.span;
        // All function spaces have the type of a set of relations: being total, injective and so on is a matter of values.
        let space = |this: &mut Self, op: BinaryOp| {
            let ((left, from), (right, to)) = (this.set(left), this.set(right));
            binary(op, left, right, Type::set(Type::relation(from, to)), span)
        };
        let arithmetic = |this: &mut Self, op: BinaryOp, ty: Type| {
            let mark = this.diagnostics.len();
            let left = this.demand(left, &Type::Integer);
            // What one operand shows to be meant otherwise is not said of the other one again.
            let wanted = this.type_unless_faulty(mark, Type::Integer);
            let right = this.demand(right, &wanted);
            binary(op, left, right, ty, span)
        };
        let same_sets = |this: &mut Self, op: BinaryOp| {
            let (left, element) = this.set(left);
            let ty = Type::set(element);
            let right = this.demand(right, &ty);
            binary(op, left, right, ty, span)
        };
        match op {
            Op::Relations => space(self, BinaryOp::Relations),
            Op::PartialFunctions => space(self, BinaryOp::PartialFunctions),
            Op::TotalFunctions => space(self, BinaryOp::TotalFunctions),
            Op::PartialInjections => space(self, BinaryOp::PartialInjections),
            Op::TotalInjections => space(self, BinaryOp::TotalInjections),
            Op::PartialSurjections => space(self, BinaryOp::PartialSurjections),
            Op::TotalSurjections => space(self, BinaryOp::TotalSurjections),
            Op::PartialBijections => space(self, BinaryOp::PartialBijections),
            Op::TotalBijections => space(self, BinaryOp::TotalBijections),
            Op::TotalRelations => space(self, BinaryOp::TotalRelations),
            Op::SurjectiveRelations => space(self, BinaryOp::SurjectiveRelations),
            Op::TotalSurjectiveRelations => space(self, BinaryOp::TotalSurjectiveRelations),
            Op::Override => {
                let (left, from, to) = self.relation(left);
                let ty = Type::relation(from, to);
                let right = self.demand(right, &ty);
                binary(BinaryOp::Override, left, right, ty, span)
            }
            Op::DirectProduct => {
                let ((left, from, first), (right, again, second)) = (self.relation(left), self.relation(right));
                self.unify(&from, &again, right.span);
                binary(BinaryOp::DirectProduct, left, right, Type::relation(from, Type::pair(first, second)), span)
            }
            Op::ParallelProduct => {
                let ((left, a, b), (right, c, d)) = (self.relation(left), self.relation(right));
                binary(BinaryOp::ParallelProduct, left, right, Type::relation(Type::pair(a, c), Type::pair(b, d)), span)
            }
            Op::Compose => {
                let ((left, from, middle), (right, again, to)) = (self.relation(left), self.relation(right));
                self.unify(&middle, &again, right.span);
                binary(BinaryOp::Compose, left, right, Type::relation(from, to), span)
            }
            Op::DomainRestrict | Op::DomainSubtract => {
                let (set, element) = self.set(left);
                let (relation, from, to) = self.relation(right);
                self.unify(&from, &element, set.span);
                let op = if op == Op::DomainRestrict { BinaryOp::DomainRestrict } else { BinaryOp::DomainSubtract };
                binary(op, set, relation, Type::relation(from, to), span)
            }
            Op::RangeRestrict | Op::RangeSubtract => {
                let (relation, from, to) = self.relation(left);
                let set = self.demand(right, &Type::set(to.clone()));
                let op = if op == Op::RangeRestrict { BinaryOp::RangeRestrict } else { BinaryOp::RangeSubtract };
                binary(op, relation, set, Type::relation(from, to), span)
            }
            Op::Concat => self.concatenation(left, right, whole),
            Op::InsertFront => {
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
            Op::InsertTail => {
                if let Some(chain) = self.long_chain(op, whole) {
                    return chain;
                }
                let (left, element) = self.sequence(left);
                let right = self.demand(right, &element);
                binary(BinaryOp::InsertTail, left, right, Type::relation(Type::Integer, element), span)
            }
            Op::TakeFirst | Op::DropFirst => {
                let (left, element) = self.sequence(left);
                let right = self.demand(right, &Type::Integer);
                let op = if op == Op::TakeFirst { BinaryOp::TakeFirst } else { BinaryOp::DropFirst };
                binary(op, left, right, Type::relation(Type::Integer, element), span)
            }
            Op::Union => same_sets(self, BinaryOp::Union),
            Op::Intersection => same_sets(self, BinaryOp::Intersection),
            Op::SetMinus => same_sets(self, BinaryOp::Difference),
            Op::Maplet => self.pair(left, right, span),
            Op::Interval => arithmetic(self, BinaryOp::Interval, Type::set(Type::Integer)),
            Op::Plus => arithmetic(self, BinaryOp::Add, Type::Integer),
            Op::Divide => arithmetic(self, BinaryOp::Divide, Type::Integer),
            Op::Modulo => arithmetic(self, BinaryOp::Modulo, Type::Integer),
            Op::Power => arithmetic(self, BinaryOp::Power, Type::Integer),
            Op::Minus | Op::Times => self.overloaded(op, left, right, span),
            Op::OfType => {
                // Only the type of the set counts: `E oftype S` does not assert that E is in S.
                let (set, element) = self.set(right);
                drop(set);
                self.demand(left, &element)
            }
            _ => {
                debug_assert!(makes_predicate(op), "every other operator is listed above: {op:?}");
                self.expected_expression(span)
            }
        }
    }

    /// `s ^ t`, of strings or sequences.
    fn concatenation(&mut self, left: &ast::Expr, right: &ast::Expr, whole: &ast::Expr) -> Expr {
        if let Some(chain) = self.long_chain(ast::BinaryOp::Concat, whole) {
            return chain;
        }
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = self.types.fresh();
        let operands = vec![(left.ty.clone(), left.span), (right.ty.clone(), right.span)];
        self.wait(Overload::Concat { operands, result: ty.clone(), span: whole.span });
        binary(BinaryOp::Concat, left, right, ty, whole.span)
    }

    /// `a - b` or `a * b`, of integers or sets.
    fn overloaded(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let (left, right) = (self.expr(left), self.expr(right));
        let ty = self.types.fresh();
        let types = [left.ty.clone(), right.ty.clone(), ty.clone()];
        // No operand is demanded to be a number or a set: in `a - b = c` all three may get their type from a conjunct further on. The
        // operator on integers stands for both until `finish`, when the type of the result decides.
        let (op, overload) = match op {
            ast::BinaryOp::Minus => (BinaryOp::Subtract, Overload::Minus { types, span }),
            _ => (BinaryOp::Multiply, Overload::Times { types, span }),
        };
        self.wait(overload);
        binary(op, left, right, ty, span)
    }
}
