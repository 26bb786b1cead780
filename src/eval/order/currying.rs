//! Uncurrying: for `f : A --> (B --> C)`, a function `g : A * B --> C` is solved for, and `f(a)(b)` becomes `g(a |-> b)`. For a function to
//! other sets, `f : A --> POW(B)`, it is a relation `g : A <-> B`, and `f(a)` becomes `g[{a}]`.
//!
//! There are far too many functions `B --> C`, or sets, to list as the values of f, but g has few pairs. Invariant: solutions f of the
//! original conjuncts and solutions g of the rewritten ones correspond one to one; conjuncts about f as a whole are tested once f is known.
//! Deliberately elsewhere: whether a plain search is good enough (`mod`), how g is solved (`solve`).

use super::conjuncts::conjuncts;
use super::equation::is_total_function;
use crate::compile::Compiler;
use crate::compile::cost;
use crate::compile::names::Names;
use crate::plan::Slot;
use crate::thresholds::CURRIED_FUNCTIONS;
use bcheck_ir::{
    BinaryOp, Binder, Comparison, Expr, ExprKind, FunctionKind, Node, Pred, PredKind, Rewrite, Type, UnaryOp, rewrite_pred, walk_pred,
};
use bcheck_source::Span;
use std::collections::BTreeSet;

/// Names with their types, and the conjuncts about them.
pub(super) type Rewritten = (Vec<(Slot, Type)>, Vec<Pred>);

/// A name for a function from `outer` to sets.
struct Nested {
    name: Expr,
    slot: Slot,
    outer: Expr,
    /// Whether all functions are meant, or injections or surjections only.
    is_any: bool,
    /// The set of its values.
    rows: Expr,
    row: Row,
    span: Span,
}

/// The type of a function's values.
enum Row {
    /// Total functions, perhaps injections or surjections.
    Function { inner: Expr, results: Expr },
    /// Sets of elements of this one, perhaps not all of them.
    Set { base: Expr },
}

/// The names and conjuncts of a search with one more name, the function of pairs from which a function to functions is built; `None`
/// if no name is such a function, or if no conjunct applies it.
pub(super) fn uncurried(compiler: &mut Compiler<'_>, locals: &[(Slot, Type)], preds: &[&Pred]) -> Option<Rewritten> {
    let names: BTreeSet<Slot> = locals.iter().map(|(slot, _)| *slot).collect();
    let mut flat = conjuncts(preds);
    // One function at a time: the caller calls again with the result, until no function to functions is applied.
    let candidates = flat.iter().enumerate().filter_map(|(at, pred)| Some((at, nested(&compiler.names(), pred, &names)?)));
    let (at, nested) = candidates.into_iter().find(|(_, nested)| is_applied(&compiler.names(), nested.slot, &flat))?;
    let pairs = compiler.temporary(&format!("{} of pairs", compiler.context.slot_names[nested.slot]));
    let mut uncurrying = Uncurrying { compiler, nested: &nested, pairs };
    flat.iter_mut().for_each(|pred| rewrite_pred(pred, &mut uncurrying));
    let space = match &nested.row {
        Row::Function { inner, results } => {
            let product = set_of(BinaryOp::Product, &nested.outer, inner, nested.span);
            set_of(BinaryOp::Relations(FunctionKind::TotalFunctions), &product, results, nested.span)
        }
        Row::Set { base } => set_of(BinaryOp::Relations(FunctionKind::Relations), &nested.outer, base, nested.span),
    };
    let function = of_pairs(&compiler.names(), pairs, &nested);
    let ty = function.ty.clone();
    // The definition replaces the membership of f, which follows from it unless f is an injection or surjection. So it precedes the
    // conjuncts that rely on that to apply f: the membership of g makes the applications of g well-defined.
    let mut definition = vec![compare(Comparison::Member, function, space, nested.span)];
    let argument = compiler.temporary("an argument");
    let argument = local_name(&compiler.names(), argument, element(&nested.outer), nested.span);
    let from = compare(Comparison::Member, argument.clone(), nested.outer.clone(), nested.span);
    let row = row_of(compiler, pairs, &nested, argument.clone());
    let ExprKind::Local(id) = argument.kind else { unreachable!("a local has just been made") };
    let of_argument = vec![(id, argument.ty.clone())];
    // In a total function of pairs, every row is a total function, and in a relation any set. Further properties become separate
    // conjuncts.
    if !is_any_row(&nested.rows) {
        let fits = compare(Comparison::Member, row.clone(), nested.rows.clone(), nested.span);
        let body = Pred { kind: PredKind::Implies(Box::new(from.clone()), Box::new(fits)), span: nested.span };
        definition.push(Pred { kind: PredKind::Forall(of_argument.clone(), Box::new(body)), span: nested.span });
    }
    let kind = ExprKind::Binder { binder: Binder::Lambda, locals: of_argument, pred: Box::new(from), body: Box::new(row) };
    let made = Expr { kind, ty: nested.name.ty.clone(), span: nested.span };
    definition.push(compare(Comparison::Equal, nested.name, made, nested.span));
    let follows = usize::from(nested.is_any);
    flat.splice(at..at + follows, definition);
    Some((locals.iter().cloned().chain([(pairs, ty)]).collect(), flat))
}

/// The row of g at an argument a: `%b.(b : B | g(a |-> b))`, or `IF a : A THEN g[{a}] ELSE {}(a) END`, as `f(a)` is ill-defined
/// elsewhere.
fn row_of(compiler: &mut Compiler<'_>, pairs: Slot, nested: &Nested, first: Expr) -> Expr {
    let ty = element(&nested.rows);
    let Row::Function { inner, .. } = &nested.row else { return image_at(&compiler.names(), pairs, nested, first) };
    // A new name for each row, because each binder has its own slot (`plan`).
    let second = compiler.temporary("an argument");
    let second = local_name(&compiler.names(), second, element(inner), nested.span);
    let ExprKind::Local(id) = second.kind else { unreachable!("a local has just been made") };
    let pred = compare(Comparison::Member, second.clone(), inner.clone(), nested.span);
    let locals = vec![(id, second.ty.clone())];
    let body = apply_to_pair(&compiler.names(), pairs, nested, first, second);
    let kind = ExprKind::Binder { binder: Binder::Lambda, locals, pred: Box::new(pred), body: Box::new(body) };
    Expr { kind, ty, span: nested.span }
}

/// `f : A --> (B --> C)`, or to other sets, with an unbound f that these do not mention, and too many of these sets to list.
fn nested(names: &Names<'_>, pred: &Pred, locals: &BTreeSet<Slot>) -> Option<Nested> {
    let PredKind::Compare(Comparison::Member, name, space) = &pred.kind else { return None };
    let slot = names.slot_of(name).filter(|slot| locals.contains(slot))?;
    let ExprKind::Binary(op, outer, rows) = &space.kind else { return None };
    let are_others = !names.slots_of_expr(space).contains(&slot);
    if !is_total_function(*op) || !are_others || cost::set_cost(names, rows) < CURRIED_FUNCTIONS.get() {
        return None;
    }
    let row = match &rows.kind {
        ExprKind::Binary(inner_op, inner, results) if is_total_function(*inner_op) => {
            Row::Function { inner: (**inner).clone(), results: (**results).clone() }
        }
        ExprKind::Binary(inner_op, inner, results) if FunctionKind::of(*inner_op).is_some() => {
            Row::Set { base: set_of(BinaryOp::Product, inner, results, pred.span) }
        }
        ExprKind::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, base) => Row::Set { base: (**base).clone() },
        _ => return None,
    };
    let [name, outer, rows] = [name, outer, rows].map(|expr| (**expr).clone());
    Some(Nested { name, slot, outer, is_any: *op == BinaryOp::Relations(FunctionKind::TotalFunctions), rows, row, span: pred.span })
}

/// Whether a conjunct applies a function. After uncurrying none does, so that it is not uncurried again.
fn is_applied(names: &Names<'_>, slot: Slot, conjuncts: &[Pred]) -> bool {
    let mut found = false;
    for pred in conjuncts {
        walk_pred(pred, &mut |node| {
            found |= matches!(node, Node::Expr(Expr { kind: ExprKind::Binary(BinaryOp::Apply, function, _), .. })
                if names.slot_of(function) == Some(slot));
        });
    }
    found
}

/// `g(a |-> b)`
fn apply_to_pair(names: &Names<'_>, pairs: Slot, nested: &Nested, first: Expr, second: Expr) -> Expr {
    let span = first.span;
    let ty = Type::pair(first.ty.clone(), second.ty.clone());
    let pair = Expr { kind: ExprKind::Binary(BinaryOp::Pair, Box::new(first), Box::new(second)), ty, span };
    let function = of_pairs(names, pairs, nested);
    let ty = image_of(&function);
    Expr { kind: ExprKind::Binary(BinaryOp::Apply, Box::new(function), Box::new(pair)), ty, span }
}

/// `IF a : A THEN g[{a}] ELSE {}(a) END`
fn image_at(names: &Names<'_>, pairs: Slot, nested: &Nested, first: Expr) -> Expr {
    let (span, ty) = (first.span, element(&nested.rows));
    let expr = |kind: ExprKind, ty: &Type| Expr { kind, ty: ty.clone(), span };
    let inside = compare(Comparison::Member, first.clone(), nested.outer.clone(), span);
    let single = expr(ExprKind::SetExtension(vec![first.clone()]), &Type::set(first.ty.clone()));
    let image = expr(ExprKind::Binary(BinaryOp::Image, Box::new(of_pairs(names, pairs, nested)), Box::new(single)), &ty);
    let nothing = expr(ExprKind::EmptySet, &Type::relation(first.ty.clone(), ty.clone()));
    let undefined = expr(ExprKind::Binary(BinaryOp::Apply, Box::new(nothing), Box::new(first)), &ty);
    expr(ExprKind::If(Box::new(inside), Box::new(image), Box::new(undefined)), &ty)
}

/// `g`
fn of_pairs(names: &Names<'_>, pairs: Slot, nested: &Nested) -> Expr {
    let outer = element(&nested.outer);
    let ty = match &nested.row {
        Row::Function { inner, results } => Type::relation(Type::pair(outer, element(inner)), element(results)),
        Row::Set { base } => Type::relation(outer, element(base)),
    };
    local_name(names, pairs, ty, nested.span)
}

fn local_name(names: &Names<'_>, slot: Slot, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(names.local_of(slot)), ty, span }
}

/// Replaces applications of the function to functions by applications of the function of pairs.
struct Uncurrying<'a, 'c> {
    compiler: &'a mut Compiler<'c>,
    nested: &'a Nested,
    pairs: Slot,
}

impl Rewrite for Uncurrying<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        let Self { compiler, nested, pairs } = self;
        // A rewrite visits an expression before its operands, so `f(a)(b)` before its part `f(a)`.
        let ExprKind::Binary(BinaryOp::Apply, function, second) = &expr.kind else { return };
        if compiler.names().slot_of(function) == Some(nested.slot) {
            // `f(a)` alone: the whole row.
            *expr = row_of(compiler, *pairs, nested, (**second).clone());
        } else if let ExprKind::Binary(BinaryOp::Apply, function, first) = &function.kind
            && compiler.names().slot_of(function) == Some(nested.slot)
            && matches!(nested.row, Row::Function { .. })
        {
            *expr = apply_to_pair(&compiler.names(), *pairs, nested, (**first).clone(), (**second).clone());
        }
    }
}

/// Whether a set of rows has all total functions, or all sets, between its parts.
fn is_any_row(rows: &Expr) -> bool {
    matches!(
        rows.kind,
        ExprKind::Binary(BinaryOp::Relations(FunctionKind::TotalFunctions) | BinaryOp::Relations(FunctionKind::Relations), ..)
            | ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin, _)
    )
}

/// The type of the images of a function.
fn image_of(function: &Expr) -> Type {
    let pair = element(function);
    let Type::Pair(_, image) = pair else { unreachable!("a function has pairs") };
    (*image).clone()
}

fn element(set: &Expr) -> Type {
    set.ty.element().expect("a set").clone()
}

/// The product of two sets, or the functions between them.
fn set_of(op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Expr {
    let pair = Type::pair(element(left), element(right));
    let ty = if op == BinaryOp::Product { Type::set(pair) } else { Type::set(Type::set(pair)) };
    Expr { kind: ExprKind::Binary(op, Box::new(left.clone()), Box::new(right.clone())), ty, span }
}

fn compare(comparison: Comparison, left: Expr, right: Expr, span: Span) -> Pred {
    Pred { kind: PredKind::Compare(comparison, Box::new(left), Box::new(right)), span }
}
