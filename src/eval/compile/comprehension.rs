//! Comprehensions and lambdas → closures: plans to enumerate one, to test membership and to apply it.
//!
//! Invariant: each comprehension of the text is compiled once, and closures of alpha-equivalent expressions have the same number in
//! values. Deliberately elsewhere: the order of the conjuncts of its condition (`order`), how closures run (`run`).

use super::Compiler;
use super::memo::Key;
use super::names::Names;
use crate::plan::{ClosurePlan, Search, Shape, Slot};
use bcheck_ir::{Expr, ExprKind, LocalId, Node, Pred, PredKind, Type, alpha_equivalent, alpha_hash, walk_expr};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names that a comprehension reads from outside, and those that it binds.
struct Captures {
    /// Slots read from outside, by first occurrence; without those of constants, which have the same values everywhere.
    captured: Vec<Slot>,
    /// For each occurrence of such a slot, its place in `captured`.
    occurrences: Vec<u32>,
    /// The names of these slots, each with the index of its slot.
    names: Vec<(ExprKind, usize)>,
    /// Slots bound anywhere inside.
    bound: BTreeSet<Slot>,
}

/// Compiles a comprehension or lambda and registers it.
pub(super) fn closure(compiler: &mut Compiler<'_>, expr: &Expr) -> Arc<ClosurePlan> {
    let key = Key::of_expr(expr, compiler.names().slots_of_expr(expr));
    if let Some(plan) = compiler.memo.closures.get(&key) {
        return plan;
    }
    let (locals, pred) = match &expr.kind {
        ExprKind::Comprehension { locals, pred, .. } | ExprKind::Binder { locals, pred, .. } => (locals, pred),
        _ => unreachable!("only comprehensions and lambdas become closures"),
    };
    let plan = new_closure(compiler, expr, locals, pred);
    compiler.memo.closures.insert(key, plan.clone());
    plan
}

fn new_closure(compiler: &mut Compiler<'_>, expr: &Expr, locals: &[(LocalId, Type)], pred: &Pred) -> Arc<ClosurePlan> {
    let slots = compiler.names().with_slots(locals);
    let mut names = names_around(&compiler.names(), expr);
    let shape = match &expr.kind {
        ExprKind::Comprehension { value: None, .. } => {
            // A relation is applied by searching for the last name when the others have values. With one name it is not a relation.
            let forward = match slots.split_last() {
                Some((last, front)) if !front.is_empty() => Some(compiler.search(std::slice::from_ref(last), &[pred], expr.span).0),
                _ => None,
            };
            // Writing the set out visits all bindings, for which the solver may be quicker. The other two searches begin with known
            // names, and stay plain.
            let search = compiler.propagating_search(&slots, &[pred], expr.span, compiler.propagate_above);
            // Only needed where the relation cannot be made explicit and inverted.
            let backward = match slots.split_last() {
                Some((_, front)) if !front.is_empty() && search.1.is_infinite() => Some(compiler.search(front, &[pred], expr.span).0),
                _ => None,
            };
            return register(compiler, expr, true, names, &slots, search, Shape::Tuple { forward, backward });
        }
        ExprKind::Comprehension { value: Some(value), .. } => {
            let target = compiler.temporary("element");
            // Saved and restored like the names: a closure that runs inside itself sets the slot again.
            names.bound.insert(target);
            let membership = compiler.search_with_target(&slots, pred, value, target, expr.span);
            Shape::Image { value: compiler.expr(value), target, search: membership }
        }
        ExprKind::Binder { body, .. } => {
            // The names of a lambda are its arguments, so their bindings are the elements of its domain.
            let domain = compiler.search(&slots, &[pred], expr.span);
            let backward = domain.1.is_infinite().then(|| {
                // Where the domain cannot be made explicit, an inverse image is found by searching for the arguments of a value.
                let target = compiler.temporary("value");
                names.bound.insert(target);
                (target, compiler.search_with_target(&slots, pred, body, target, expr.span))
            });
            let shape = Shape::Tuple { forward: None, backward: None };
            // The domain captures the names of the whole lambda, so that its closure can be made from one of the lambda.
            let domain = register(compiler, expr, false, names_around(&compiler.names(), expr), &slots, domain, shape).id;
            Shape::Function { body: compiler.expr(body), domain, backward }
        }
        _ => unreachable!("only comprehensions and lambdas become closures"),
    };
    let search = compiler.propagating_search(&slots, &[pred], expr.span, compiler.propagate_above);
    register(compiler, expr, true, names, &slots, search, shape)
}

/// Builds a closure from its parts. The closure of a `whole` expression has the number of the first alpha-equivalent one.
fn register(
    compiler: &mut Compiler<'_>,
    expr: &Expr,
    whole: bool,
    names: Captures,
    locals: &[(Slot, Type)],
    (search, cost): (Search, f64),
    shape: Shape,
) -> Arc<ClosurePlan> {
    // The parts have been compiled, so the closures inside are registered already and have smaller numbers.
    let id = u32::try_from(compiler.context.closures.len()).expect("fewer than 2^32 closures");
    let hash = alpha_hash(expr);
    // Alpha-equivalence is about the text. Which slots it reads depends on the position: `x$0` and `x` are one slot outside of loops,
    // and two slots in a loop.
    let is_same = |other: &ClosurePlan| other.occurrences == names.occurrences && alpha_equivalent(&other.expr, expr);
    // Hashes may collide, so the trees are compared as well.
    let first = compiler.same_hash.get(&hash).into_iter().flatten().copied();
    // Each class of alpha-equivalent expressions is entered under its first member only, so at most one other matches.
    let canonical = first.filter(|_| whole).find(|&other| is_same(&compiler.context.closures[other as usize])).unwrap_or(id);
    if whole && canonical == id {
        compiler.same_hash.entry(hash).or_default().push(id);
    }
    let plan = Arc::new(ClosurePlan {
        id,
        expr: Arc::new(expr.clone()),
        hash,
        occurrences: names.occurrences,
        canonical,
        whole,
        cost,
        types: locals.iter().map(|(_, ty)| ty.clone()).collect(),
        captured: names.captured,
        names: names.names,
        bound: names.bound.into_iter().collect(),
        locals: locals.iter().map(|(slot, _)| *slot).collect(),
        search,
        shape,
        span: expr.span,
    });
    compiler.context.closures.push(plan.clone());
    plan
}

/// The names that an expression reads from outside, and those that it binds.
fn names_around(names: &Names<'_>, expr: &Expr) -> Captures {
    let mut bound: BTreeSet<Slot> = BTreeSet::new();
    walk_expr(expr, &mut |node| {
        let mut bind = |locals: &[(LocalId, Type)]| bound.extend(locals.iter().map(|(id, _)| names.local_slot(*id)));
        match node {
            Node::Expr(Expr { kind: ExprKind::Comprehension { locals, .. } | ExprKind::Binder { locals, .. }, .. })
            | Node::Pred(Pred { kind: PredKind::Forall(locals, _) | PredKind::Exists(locals, _), .. }) => bind(locals),
            Node::Expr(Expr { kind: ExprKind::Let(bindings, _), .. }) | Node::Pred(Pred { kind: PredKind::Let(bindings, _), .. }) => {
                bound.extend(bindings.iter().map(|(id, _)| names.local_slot(*id)));
            }
            Node::Expr(_) | Node::Pred(_) | Node::Subst(_) => {}
        }
    });
    // Constants come first among the slots.
    let constants = names.model.constants.len();
    let mut captured: Vec<Slot> = Vec::new();
    let mut occurrences = Vec::new();
    let mut read: Vec<(ExprKind, usize)> = Vec::new();
    walk_expr(expr, &mut |node| {
        if let Node::Expr(inner) = node
            && let Some(slot) = names.slot_of(inner)
            && slot >= constants
            && !bound.contains(&slot)
        {
            // By first occurrence, not by slot: alpha-equivalent expressions then capture corresponding names at the same places.
            let place = captured.iter().position(|known| *known == slot).unwrap_or_else(|| {
                captured.push(slot);
                captured.len() - 1
            });
            occurrences.push(u32::try_from(place).expect("fewer than 2^32 names"));
            if !read.iter().any(|(known, _)| *known == inner.kind) {
                read.push((inner.kind.clone(), place));
            }
        }
    });
    Captures { captured, occurrences, names: read, bound }
}
