//! Every operator commutes with renaming elements: eval(g·e, g·s) = g·eval(e, s). Symmetry reduction rests on this law.
//!
//! The formulas name no element, so g·e = e. Ill-definedness must agree too: whether an expression has a value may not depend on
//! names or on the order of elements.

use crate::random_formula::{Dice, Maker, SIZES, binary_operators, model, scope, state, unary_operators};
use bcheck::eval::{EvalError, EvalErrorKind, Machine};
use bcheck::ir::{Expr, Pred, Type};
use bcheck::symmetry::Permutation;
use bcheck::value::Value;
use proptest::prelude::*;
use std::sync::Arc;

fn machine() -> Machine {
    Machine::compile(Arc::new(model()), scope())
}

fn permutation(dice: &mut Dice) -> Permutation {
    let images = SIZES.iter().map(|&size| {
        let mut images: Vec<u32> = (0..size).collect();
        for at in (1..images.len()).rev() {
            images.swap(at, dice.below(at + 1));
        }
        images
    });
    Permutation::from_images(images.collect())
}

/// What must be equal in both worlds: the value, or that there is none (and of which sort).
fn outcome(result: Result<Value, EvalError>, g: &Permutation) -> Result<Value, &'static str> {
    result.map(|value| g.apply(&value)).map_err(|error| match error.kind {
        EvalErrorKind::Unbounded(_) => "unbounded",
        EvalErrorKind::Undecided(_) => "undecided",
        _ => "ill-defined",
    })
}

fn agree_on_expr(machine: &Machine, expr: &Expr, dice: &mut Dice) -> bool {
    let before = state(dice);
    let g = permutation(dice);
    let there = machine.evaluate(expr, &g.apply_all(&before));
    let here = machine.evaluate(expr, &before);
    let defined = here.is_ok();
    let (there, here) = (outcome(there, &Permutation::identity()), outcome(here, &g));
    assert_eq!(there, here, "{expr:?}\nin {before:?}\nunder {g:?}");
    defined
}

fn agree_on_pred(machine: &Machine, pred: &Pred, dice: &mut Dice) {
    let before = state(dice);
    let g = permutation(dice);
    let there = outcome(machine.holds(pred, &g.apply_all(&before)).map(Value::Bool), &Permutation::identity());
    let here = outcome(machine.holds(pred, &before).map(Value::Bool), &g);
    assert_eq!(there, here, "{pred:?}\nin {before:?}\nunder {g:?}");
}

#[test]
fn every_operator_with_one_operand_commutes_with_renaming() {
    let machine = machine();
    for (op, ty) in unary_operators() {
        let mut dice = Dice::new(7);
        let mut defined = 0;
        for _ in 0..150 {
            let expr = Maker::new(&mut dice).unary(op, &ty, 1);
            defined += usize::from(agree_on_expr(&machine, &expr, &mut dice));
        }
        assert!(defined > 10, "{op:?} hardly ever had a value");
    }
}

#[test]
fn every_operator_with_two_operands_commutes_with_renaming() {
    let machine = machine();
    for (op, ty) in binary_operators() {
        let mut dice = Dice::new(11);
        let mut defined = 0;
        for _ in 0..150 {
            let expr = Maker::new(&mut dice).binary(op, &ty, 1);
            defined += usize::from(agree_on_expr(&machine, &expr, &mut dice));
        }
        assert!(defined > 10, "{op:?} hardly ever had a value");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn predicates_commute_with_renaming(seed in any::<u64>()) {
        let machine = machine();
        let mut dice = Dice::new(seed);
        for _ in 0..10 {
            let pred = Maker::new(&mut dice).pred(3);
            agree_on_pred(&machine, &pred, &mut dice);
        }
    }

    #[test]
    fn expressions_commute_with_renaming(seed in any::<u64>()) {
        let machine = machine();
        let mut dice = Dice::new(seed);
        for _ in 0..10 {
            let ty = [Type::Integer, Type::set(Type::Given(crate::random_formula::S)),
                Type::relation(Type::Given(crate::random_formula::S), Type::Given(crate::random_formula::T))][dice.below(3)].clone();
            let expr = Maker::new(&mut dice).expr(&ty, 3);
            agree_on_expr(&machine, &expr, &mut dice);
        }
    }
}
