//! Long chains of operators on sequences: `s ^ t ^ …` and `s <- a <- b …`.
//!
//! Each link would copy the result of the links before it, in quadratic time. A long chain therefore becomes one operator on all its
//! operands with the same meaning: `conc([s, t, …])`, `s ^ [a, b, …]`. For strings, `finish` replaces the former. Invariant: short chains,
//! which people write, are unchanged, so that they are solved for unknown parts (`eval/order/sequences`) and shown as written.

use super::elaborate::Elaborator;
use super::infer::{binary, node};
use super::overload::Overload;
use bcheck_ir::{BinaryOp, Expr, ExprKind, Type, UnaryOp};
use bcheck_syntax::ast;

/// Chains with more operands are long.
const LONG: usize = 32;

/// The operands of a chain of one operator that groups to the left, from left to right.
fn operands(op: ast::BinaryOp, whole: &ast::Expr) -> Vec<&ast::Expr> {
    // Down the left spine in a loop, as chains may be longer than the stack is deep.
    let (mut found, mut at) = (Vec::new(), whole);
    while let ast::ExprKind::Binary(inner, left, right) = &at.kind
        && *inner == op
    {
        found.push(&**right);
        at = left;
    }
    found.push(at);
    found.reverse();
    found
}

impl Elaborator<'_> {
    /// A long chain of `^` or `<-` on sequences as one operator on all its operands; nothing for any other expression.
    pub(super) fn long_chain(&mut self, op: ast::BinaryOp, whole: &ast::Expr) -> Option<Expr> {
        // Each link of a short chain collects its operands again; as these are fewer than LONG, the work stays linear.
        let operands = operands(op, whole);
        let (first, rest) = operands.split_first().filter(|(_, rest)| rest.len() >= LONG)?;
        let span = whole.span;
        let listed = |items: Vec<Expr>, of: Type| node(ExprKind::SequenceExtension(items), Type::relation(Type::Integer, of), span);
        if op == ast::BinaryOp::Concat {
            let items: Vec<Expr> = std::iter::once(first).chain(rest).map(|item| self.expr(item)).collect();
            let ty = self.types.fresh();
            let operands = items.iter().map(|item| (item.ty.clone(), item.span)).collect();
            self.wait(Overload::Concat { operands, result: ty.clone(), span });
            let kind = ExprKind::Unary(UnaryOp::ConcatAll, Box::new(listed(items, ty.clone())));
            return Some(node(kind, ty, span));
        }
        let (first, element) = self.sequence(first);
        let ty = Type::relation(Type::Integer, element.clone());
        let items = rest.iter().map(|item| self.demand(item, &element)).collect();
        Some(binary(BinaryOp::Concat, first, listed(items, element), ty, span))
    }
}
