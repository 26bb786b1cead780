//! Equality up to bound names, held against formulas that are equal by construction, and against texts in which names are substituted.

use crate::formula_text::expression;
use crate::random_formula::{Dice, Maker, S, T, model, word_types};
use bcheck::ir::{
    BinaryOp, Comparison, Expr, ExprKind, LocalId, Pred, PredKind, Rewrite, Type, alpha_equivalent, alpha_hash, rewrite_expr,
};
use bcheck::source::Span;
use std::collections::BTreeMap;

/// The text with names numbered by first occurrence: no name is bound twice, so that this is a substitution.
fn substituted(expr: &Expr) -> String {
    let text = expression(&model(), expr);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('x') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_name = digits > 0 && !rest[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
        let end = at + 1 + digits;
        result.push_str(&rest[..at]);
        if is_name {
            let next = numbers.len();
            let number = *numbers.entry(rest[at..end].to_owned()).or_insert(next);
            result.push_str(&format!("name{number}"));
        } else {
            result.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    result + rest
}

/// Changes one literal, variable or operator, if the formula has as many.
struct Change {
    left: usize,
    is_done: bool,
}

impl Rewrite for Change {
    fn expr(&mut self, expr: &mut Expr) {
        let changed = match &expr.kind {
            ExprKind::Integer(number) => ExprKind::Integer(number + 1),
            ExprKind::Bool(value) => ExprKind::Bool(!value),
            ExprKind::Binary(BinaryOp::Union, left, right) => ExprKind::Binary(BinaryOp::Intersection, left.clone(), right.clone()),
            ExprKind::Binary(BinaryOp::Add, left, right) => ExprKind::Binary(BinaryOp::Multiply, left.clone(), right.clone()),
            _ => return,
        };
        if self.left == 0 && !self.is_done {
            expr.kind = changed;
            self.is_done = true;
        }
        self.left = self.left.wrapping_sub(1);
    }
}

#[test]
fn formulas_are_equivalent_exactly_where_a_substitution_makes_them_equal() {
    let types = [Type::set(Type::Given(S)), Type::relation(Type::Given(S), Type::Given(T)), Type::Integer, Type::set(Type::Integer)];
    let (mut equal, mut different) = (0, 0);
    for seed in 0..2_000_u64 {
        let ty = &types[usize::try_from(seed % 4).expect("small")];
        let made = |first: u32| Maker::over(&mut Dice::new(seed), word_types(), first).expr(ty, 4);
        let (one, mut other) = (made(0), made(1_000));
        assert!(alpha_equivalent(&one, &other), "{}", substituted(&one));
        assert_eq!(alpha_hash(&one), alpha_hash(&other), "{}", substituted(&one));
        let mut change = Change { left: usize::try_from(seed / 4 % 5).expect("small"), is_done: false };
        rewrite_expr(&mut other, &mut change);
        assert_eq!(alpha_equivalent(&one, &other), substituted(&one) == substituted(&other), "{}", substituted(&one));
        assert_eq!(alpha_equivalent(&other, &one), !change.is_done, "{}", substituted(&one));
        *(if change.is_done { &mut different } else { &mut equal }) += 1;
    }
    assert!(equal > 200 && different > 200, "{equal} equal, {different} different");
}

fn local(id: u32) -> Expr {
    Expr { kind: ExprKind::Local(LocalId(id)), ty: Type::Integer, span: Span::nowhere() }
}

/// `{a, b | left < right}`
fn set(a: u32, b: u32, left: u32, right: u32) -> Expr {
    let pred = Pred { kind: PredKind::Compare(Comparison::Less, Box::new(local(left)), Box::new(local(right))), span: Span::nowhere() };
    let locals = vec![(LocalId(a), Type::Integer), (LocalId(b), Type::Integer)];
    let ty = Type::relation(Type::Integer, Type::Integer);
    Expr { kind: ExprKind::Comprehension { locals, pred: Box::new(pred), value: None }, ty, span: Span::nowhere() }
}

#[test]
fn names_correspond_one_to_one_and_scope_by_scope() {
    for (one, other, are_equivalent) in [
        (set(1, 2, 1, 2), set(3, 4, 3, 4), true),
        (set(1, 2, 1, 2), set(2, 1, 2, 1), true),
        (set(1, 2, 1, 2), set(3, 4, 4, 3), false),
        (set(1, 2, 1, 1), set(3, 4, 3, 4), false),
        // Free names: 9 stands where 8 does.
        (set(1, 2, 1, 9), set(3, 4, 3, 8), true),
        (set(1, 2, 9, 9), set(3, 4, 8, 8), true),
        (set(1, 2, 9, 9), set(3, 4, 8, 7), false),
        // A bound name is not a free one.
        (set(1, 2, 1, 9), set(3, 4, 3, 4), false),
        (set(1, 2, 1, 2), set(3, 4, 3, 2), false),
    ] {
        assert_eq!(alpha_equivalent(&one, &other), are_equivalent, "{one:?} {other:?}");
        assert_eq!(alpha_equivalent(&other, &one), are_equivalent, "{other:?} {one:?}");
    }
}
