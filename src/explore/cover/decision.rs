//! Decisions and their conditions, for modified condition/decision coverage.
//!
//! A condition is a part of a predicate without connectives; parts that are equal up to bound names are one condition, as they have one
//! value. The form of MC/DC is the masking one: a condition decides in an evaluation if flipping it, with all others unchanged, flips the
//! predicate (Chilenski, 2001). Conditions are evaluated in any order, like those of B; one that is ill-defined in a state may have either
//! value there. Invariant: shapes name conditions by their position. Deliberately elsewhere: recording the values in a run (`instrument`).

use bcheck_ir::{
    BinaryOp, Comparison, Expr, ExprKind, FunctionKind, IntegerSet, LocalId, Node, Pred, PredKind, Subst, SubstKind, Type, UnaryOp,
    alpha_equivalent_preds, walk_expr,
};

/// A predicate that decides what a run does.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) conditions: Vec<Pred>,
    shape: Shape,
}

/// How the value of a decision depends on those of its conditions.
#[derive(Clone, Debug)]
enum Shape {
    Constant(bool),
    Condition(usize),
    Not(Box<Shape>),
    And(Vec<Shape>),
    Or(Vec<Shape>),
    Equivalent(Box<Shape>, Box<Shape>),
}

/// The values of all conditions in one evaluation; `None` for one that is ill-defined there.
pub(super) type Vector = Vec<Option<bool>>;

impl Decision {
    /// The decision of a predicate, without the conjuncts that only generate values.
    pub(super) fn of(pred: &Pred, is_left_out: &dyn Fn(&Pred) -> bool) -> Self {
        let mut decision = Self { conditions: Vec::new(), shape: Shape::Constant(true) };
        let parts = conjuncts(pred).iter().filter(|part| !is_left_out(part)).map(|part| decision.shape_of(part)).collect();
        decision.shape = Shape::And(parts);
        decision
    }

    fn shape_of(&mut self, pred: &Pred) -> Shape {
        match &pred.kind {
            PredKind::True => Shape::Constant(true),
            PredKind::False => Shape::Constant(false),
            PredKind::Not(inner) => Shape::Not(Box::new(self.shape_of(inner))),
            PredKind::And(parts) => Shape::And(parts.iter().map(|part| self.shape_of(part)).collect()),
            PredKind::Or(parts) => Shape::Or(parts.iter().map(|part| self.shape_of(part)).collect()),
            PredKind::Implies(left, right) => Shape::Or(vec![Shape::Not(Box::new(self.shape_of(left))), self.shape_of(right)]),
            PredKind::Equivalent(left, right) => Shape::Equivalent(Box::new(self.shape_of(left)), Box::new(self.shape_of(right))),
            PredKind::Compare(..)
            | PredKind::Forall(..)
            | PredKind::Exists(..)
            | PredKind::If(..)
            | PredKind::Let(..)
            | PredKind::Finite(_)
            | PredKind::Partition(..) => {
                let known = self.conditions.iter().position(|other| alpha_equivalent_preds(other, pred));
                Shape::Condition(known.unwrap_or_else(|| {
                    self.conditions.push(pred.clone());
                    self.conditions.len() - 1
                }))
            }
        }
    }

    /// The value in an evaluation; `None` where it depends on ill-defined conditions.
    pub(super) fn value(&self, vector: &[Option<bool>]) -> Option<bool> {
        self.shape.value(vector)
    }

    /// Whether a condition decides in an evaluation.
    pub(super) fn decides(&self, condition: usize, vector: &[Option<bool>]) -> bool {
        let (Some(own), Some(outcome)) = (vector[condition], self.value(vector)) else { return false };
        let mut flipped = vector.to_vec();
        flipped[condition] = Some(!own);
        // Without a value it depends on conditions that are ill-defined here, and would have the other one with some values of these.
        self.value(&flipped) != Some(outcome)
    }
}

impl Shape {
    fn value(&self, vector: &[Option<bool>]) -> Option<bool> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Condition(at) => vector[*at],
            Self::Not(inner) => inner.value(vector).map(|value| !value),
            Self::And(parts) => unless(parts, false, vector),
            Self::Or(parts) => unless(parts, true, vector),
            Self::Equivalent(left, right) => Some(left.value(vector)? == right.value(vector)?),
        }
    }
}

/// The value that one of the parts forces, otherwise the other one, as far as all are known.
fn unless(parts: &[Shape], forcing: bool, vector: &[Option<bool>]) -> Option<bool> {
    let values: Vec<Option<bool>> = parts.iter().map(|part| part.value(vector)).collect();
    match values.contains(&Some(forcing)) {
        true => Some(forcing),
        false => values.iter().all(Option::is_some).then_some(!forcing),
    }
}

/// The conjuncts of a predicate.
pub(super) fn conjuncts(pred: &Pred) -> &[Pred] {
    match &pred.kind {
        PredKind::And(parts) => parts,
        _ => std::slice::from_ref(pred),
    }
}

/// The disjuncts of the conjuncts of a predicate that have several.
pub(super) fn disjuncts(pred: &Pred) -> impl Iterator<Item = &Pred> {
    conjuncts(pred).iter().filter_map(|part| if let PredKind::Or(parts) = &part.kind { Some(parts) } else { None }).flatten()
}

/// Whether a conjunct only states a type, so that it is never false.
pub(super) fn is_typing(pred: &Pred) -> bool {
    match &pred.kind {
        PredKind::Compare(Comparison::Member, _, set) => is_whole(set),
        PredKind::Compare(Comparison::Subset, _, set) => is_whole(set),
        _ => false,
    }
}

/// Whether a set has all values of its type.
fn is_whole(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::GivenSet(_) | ExprKind::TypeSet | ExprKind::BoolSet | ExprKind::StringSet | ExprKind::IntegerSet(IntegerSet::Integer) => {
            true
        }
        ExprKind::Unary(UnaryOp::Pow, base) => is_whole(base),
        ExprKind::Binary(BinaryOp::Product | BinaryOp::Relations(FunctionKind::Relations), left, right) => {
            is_whole(left) && is_whole(right)
        }
        _ => false,
    }
}

/// The conjuncts that generate the values of parameters, for parameters whose types have too many values to try all of them. `guards` are
/// the predicates at the top of an operation, from the outermost on, and `within` the names of LET among them.
pub(super) fn domains<'m>(parameters: &[(LocalId, Type)], (guards, within): (&[&'m Pred], &[LocalId])) -> Vec<&'m Pred> {
    let mut open: Vec<LocalId> = parameters.iter().filter(|(_, ty)| !is_small(ty)).map(|(id, _)| *id).collect();
    let mut found = Vec::new();
    // Whether the conjuncts before may be false: a formula that is defined only where they are true cannot be evaluated without them.
    let mut may_be_false = false;
    for pred in guards.iter().flat_map(|guard| conjuncts(guard)) {
        let PredKind::Compare(Comparison::Member | Comparison::Subset | Comparison::Equal, left, right) = &pred.kind else {
            may_be_false = true;
            continue;
        };
        let names = names_of(left);
        let is_bound = names.iter().any(|name| open.contains(name)) && names.iter().all(|name| parameters.iter().any(|(id, _)| id == name));
        if is_bound && reads_none(right, &open) && reads_none(right, within) && (!may_be_false || right.is_total()) {
            open.retain(|id| !names.contains(id));
            found.push(pred);
        } else {
            may_be_false |= !is_typing(pred);
        }
    }
    found
}

/// The parameters, among those whose types have too many values, that no such conjunct binds.
pub(super) fn unbound(parameters: &[(LocalId, Type)], domains: &[&Pred]) -> Vec<LocalId> {
    let bound: Vec<LocalId> =
        domains.iter().flat_map(|pred| if let PredKind::Compare(_, left, _) = &pred.kind { names_of(left) } else { Vec::new() }).collect();
    parameters.iter().filter(|(id, ty)| !is_small(ty) && !bound.contains(id)).map(|(id, _)| *id).collect()
}

/// Whether all values of a type can be tried.
fn is_small(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Given(_) => true,
        Type::Pair(first, second) => is_small(first) && is_small(second),
        Type::Integer | Type::String | Type::Set(_) | Type::Record(_) | Type::Free(_) => false,
    }
}

/// The names in a tuple; empty where it has other parts.
fn names_of(expr: &Expr) -> Vec<LocalId> {
    match &expr.kind {
        ExprKind::Local(id) => vec![*id],
        ExprKind::Binary(BinaryOp::Pair, left, right) => match (names_of(left), names_of(right)) {
            (left, right) if !left.is_empty() && !right.is_empty() => [left, right].concat(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn reads_none(expr: &Expr, names: &[LocalId]) -> bool {
    let mut reads = false;
    walk_expr(expr, &mut |node| reads |= matches!(node, Node::Expr(Expr { kind: ExprKind::Local(id), .. }) if names.contains(id)));
    !reads
}

/// The predicates at the top of an operation without which it has no step, as far as each is one predicate, from the outermost on;
/// and the names of LET among them.
pub(super) fn guards_of(body: &Subst) -> (Vec<&Pred>, Vec<LocalId>) {
    let (mut found, mut names) = (Vec::new(), Vec::new());
    let mut at = body;
    loop {
        at = match &at.kind {
            SubstKind::Pre { pred, body, is_guard: true } => {
                found.push(pred);
                body
            }
            SubstKind::Select(branches, None) if branches.len() == 1 => {
                found.push(&branches[0].0);
                &branches[0].1
            }
            SubstKind::Let(bindings, body) => {
                names.extend(bindings.iter().map(|(id, _)| *id));
                body
            }
            _ => return (found, names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::Span;

    fn pred(kind: PredKind) -> Pred {
        Pred { kind, span: Span::nowhere() }
    }

    /// `n = n`, another condition for each number.
    fn atom(number: i64) -> Pred {
        let expr = || Box::new(Expr { kind: ExprKind::Integer(number.into()), ty: Type::Integer, span: Span::nowhere() });
        pred(PredKind::Compare(Comparison::Equal, expr(), expr()))
    }

    #[test]
    fn a_condition_decides_where_the_others_leave_the_outcome_to_it() {
        // a & (b or c)
        let either = pred(PredKind::Or(vec![atom(2), atom(3)]));
        let decision = Decision::of(&pred(PredKind::And(vec![atom(1), either])), &|_| false);
        assert_eq!(decision.conditions.len(), 3);
        let deciding = |vector: [bool; 3]| {
            let vector = vector.map(Some);
            (0..3).filter(|at| decision.decides(*at, &vector)).collect::<Vec<_>>()
        };
        assert_eq!(deciding([true, true, false]), [0, 1]);
        assert_eq!(deciding([true, true, true]), [0]);
        assert_eq!(deciding([true, false, false]), [1, 2]);
        assert_eq!(deciding([false, false, false]), Vec::<usize>::new());
    }

    #[test]
    fn what_is_ill_defined_may_have_either_value() {
        let decision = Decision::of(&pred(PredKind::And(vec![atom(1), atom(2)])), &|_| false);
        assert!(decision.decides(0, &[Some(false), None]), "with the second one true, the first one decides");
        assert!(!decision.decides(1, &[Some(false), None]), "without a value it decides nothing");
        assert_eq!((decision.value(&[Some(false), None]), decision.value(&[Some(true), None])), (Some(false), None));
    }

    #[test]
    fn equal_parts_are_one_condition() {
        let twice = pred(PredKind::Or(vec![
            pred(PredKind::And(vec![atom(1), atom(2)])),
            pred(PredKind::And(vec![pred(PredKind::Not(Box::new(atom(1)))), atom(3)])),
        ]));
        let decision = Decision::of(&twice, &|_| false);
        assert_eq!(decision.conditions.len(), 3);
        assert!(decision.decides(0, &[Some(true), Some(true), Some(false)]));
        assert!(!decision.decides(0, &[Some(true), Some(true), Some(true)]));
    }
}
