//! Expressions that passes build from others.
//!
//! Invariant: the new expression is typed, and has the place of the one that it is built from.

use super::{BinaryOp, Conjunct, ConstantId, Declaration, Expr, ExprKind, LocalId, Model, Pred, PredKind, Rewrite, Type, rewrite_pred};

/// `expr + by`.
pub fn shifted(expr: &Expr, by: i64) -> Expr {
    let one = Expr { kind: ExprKind::Integer(by.into()), ty: Type::Integer, span: expr.span };
    Expr { kind: ExprKind::Binary(BinaryOp::Add, Box::new(expr.clone()), Box::new(one)), ty: Type::Integer, span: expr.span }
}

/// `r[{x}]`
pub fn image(relation: &Expr, argument: &Expr) -> Expr {
    // The operator is typed by its callers; `to` is the type of the elements of the image.
    let Some(Type::Pair(_, to)) = relation.ty.element() else { unreachable!("typed as a relation") };
    let expr = |kind, ty| Expr { kind, ty, span: relation.span };
    let arguments = expr(ExprKind::SetExtension(vec![argument.clone()]), Type::set(argument.ty.clone()));
    expr(ExprKind::Binary(BinaryOp::Image, Box::new(relation.clone()), Box::new(arguments)), Type::set((**to).clone()))
}

/// The union of several sets, from left to right; `None` without sets.
pub fn union_of(parts: &[Expr]) -> Option<Expr> {
    // To the left, as the parser groups `\/`: each union has the place of its first part.
    parts.iter().cloned().reduce(|left, right| Expr {
        span: left.span,
        ty: left.ty.clone(),
        kind: ExprKind::Binary(BinaryOp::Union, Box::new(left), Box::new(right)),
    })
}

/// The invariant as a question about the variables: a fresh name of the model for each variable, in their order, and the conjunction with
/// these names in place of the variables.
pub fn invariant_question(model: &mut Model) -> (Vec<(LocalId, Type)>, Pred) {
    struct Renaming<'n>(&'n [(LocalId, Type)]);
    impl Rewrite for Renaming<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            if let ExprKind::Variable(id) = expr.kind {
                expr.kind = ExprKind::Local(self.0[id.index()].0);
            }
        }
    }
    let Model { variables, locals, invariant, initialisation, .. } = model;
    let names: Vec<(LocalId, Type)> = variables
        .iter()
        .map(|(name, declaration)| {
            // A local is its index in `Model::locals`, so a pushed name is fresh even if others have the same text.
            locals.push(name.clone());
            (LocalId(u32::try_from(locals.len() - 1).expect("fewer names than 2^32")), declaration.ty.clone())
        })
        .collect();
    let parts = invariant.iter().map(|conjunct| {
        let mut pred = conjunct.pred.clone();
        rewrite_pred(&mut pred, &mut Renaming(&names));
        pred
    });
    let parts: Vec<Pred> = parts.collect();
    let span = parts.first().map_or(initialisation.span, |first| first.span);
    (names, Pred { kind: if parts.is_empty() { PredKind::True } else { PredKind::And(parts) }, span })
}

/// A model without variables whose PROPERTIES are the conjuncts of a predicate about these names of another one, which are its constants.
/// The predicate mentions no constants and no variables of that model.
pub fn as_properties(model: &Model, names: &[(LocalId, Type)], pred: &Pred) -> Model {
    struct Renaming<'n>(&'n [(LocalId, Type)]);
    impl Rewrite for Renaming<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            if let ExprKind::Local(id) = expr.kind
                && let Some(at) = self.0.iter().position(|(name, _)| *name == id)
            {
                expr.kind = ExprKind::Constant(ConstantId(u32::try_from(at).expect("fewer names than 2^32")));
            }
        }
    }
    let mut pred = pred.clone();
    rewrite_pred(&mut pred, &mut Renaming(names));
    // As in a clause: a conjunction is a list of conjuncts, so that each can be ordered and blamed separately.
    let conjuncts = match pred.kind {
        PredKind::And(parts) => parts,
        kind => vec![Pred { kind, span: pred.span }],
    };
    // Constant `i` is name `i`: the renaming above relies on this order.
    let constant = |(id, ty): &(LocalId, Type)| (model.local_name(*id).to_owned(), Declaration { ty: ty.clone(), span: pred.span });
    Model {
        sets: model.sets.clone(),
        free_types: model.free_types.clone(),
        constants: names.iter().map(constant).collect(),
        properties: conjuncts.into_iter().map(|pred| Conjunct { pred, label: None, given: None }).collect(),
        has_properties: true,
        settings: model.settings.clone(),
        locals: model.locals.clone(),
        ..Model::empty(&model.name, pred.span)
    }
}
