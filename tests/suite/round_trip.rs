//! Random well-typed expressions: packed and general evaluation agree on them; printed, read again, and evaluated again,
//! they have the same value; and so has the printed value.
//!
//! Where an expression has no value, the others have none either.

use crate::formula_text;
use crate::program::part;
use crate::random_formula::{Dice, Maker, S, SIZES, T, model, model_of, scope, state, state_of, word_types};
use bcheck::eval::Machine;
use bcheck::ir::{Expr, Model, Operation, OperationId, Subst, SubstKind, Target, Type, VariableId};
use bcheck::sema::{Formula, FormulaContext, Macros, analyse_formula};
use bcheck::source::{Diagnostic, Severity, SourceMap, Span};
use bcheck::syntax::parse_formula;
use bcheck::value::display::display;
use bcheck::value::{Valuation, Value};
use std::sync::Arc;

/// The seeds of the expressions that each test looks at.
const SEEDS: u64 = 3_000;

/// The same for the tests that take long.
const MORE_SEEDS: std::ops::Range<u64> = 3_000..30_000;

/// Operations of one model.
const OPERATIONS: usize = 10;

/// What a text means over a model; and the text as the printer of the project has it.
fn read(model: &Model, text: &str) -> (Formula, Model, String) {
    let mut sources = SourceMap::default();
    let parsed = parse_formula(sources.add("formula", text), text);
    // The printer leaves out parentheses that priorities make needless, which a reader is warned of.
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    assert!(!parsed.diagnostics.iter().any(is_error), "{text}: {:?}", parsed.diagnostics);
    let scope = scope();
    let context = FormulaContext { model: Some(model), scope: Some(&scope), expected: None, has_current: false };
    let (formula, model) = analyse_formula(&parsed.tree, context, &Macros::default()).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    (formula, model, parsed.tree.to_string())
}

/// The value of a text in a state, if it has one.
fn value_of(model: &Model, text: &str, state: &Valuation) -> (Option<Value>, String) {
    let (formula, model, printed) = read(model, text);
    let machine = Machine::compile(Arc::new(model), scope());
    let value = match formula {
        Formula::Expr(expr) => machine.evaluate(&expr, state).ok(),
        Formula::Pred(pred) => machine.holds(&pred, state).ok().map(Value::Bool),
    };
    (value, printed)
}

fn result_types() -> Vec<Type> {
    let (s, t) = (Type::Given(S), Type::Given(T));
    vec![
        Type::Integer,
        Type::Bool,
        s.clone(),
        Type::set(s.clone()),
        Type::set(Type::Integer),
        Type::relation(s.clone(), t.clone()),
        Type::relation(s.clone(), s.clone()),
        Type::relation(Type::Integer, s.clone()),
        Type::set(Type::set(s)),
        Type::pair(t.clone(), Type::Integer),
    ]
}

/// How many of these expressions have a value.
fn read_again(seeds: std::ops::Range<u64>) -> usize {
    let model = model();
    let machine = Machine::compile(Arc::new(model.clone()), scope());
    let types = result_types();
    let mut defined = 0;
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let ty = &types[dice.below(types.len())];
        let expr = Maker::new(&mut dice).expr(ty, 3);
        let state = state(&mut dice);
        let expected = machine.evaluate(&expr, &state).ok();
        let text = formula_text::expression(&model, &expr);
        let (again, printed) = value_of(&model, &text, &state);
        assert_eq!(again, expected, "seed {seed}: {text} in {state:?}");
        assert_eq!(value_of(&model, &printed, &state).0, expected, "seed {seed}: {printed} in {state:?}");
        // Infinite sets and large ones are described by formulas of their own.
        if let Some(value) = expected.filter(|value| !matches!(value, Value::Symbolic(_))) {
            let shown = display(&value, &model);
            assert_eq!(value_of(&model, &shown, &state).0, Some(value), "seed {seed}: {text} in {state:?}");
            defined += 1;
        }
    }
    defined
}

/// How many of these expressions have a value, by both ways.
fn packed_agrees(seeds: std::ops::Range<u64>) -> usize {
    let types = word_types();
    let mut defined = 0;
    for seed in seeds.step_by(OPERATIONS) {
        let mut dice = Dice::new(seed);
        let mut model = model_of(&types);
        let mut expressions: Vec<(usize, Expr)> = Vec::new();
        let mut next_local = 0;
        for at in 0..OPERATIONS {
            let target = dice.below(types.len());
            let mut maker = Maker::over(&mut dice, types.clone(), next_local);
            let expr = maker.expr(&types[target], 3);
            next_local = maker.next_local;
            let variable = Target::Variable(VariableId(u32::try_from(target).expect("few")));
            let body = Subst { kind: SubstKind::Assign(vec![(variable, expr.clone())]), span: Span::nowhere() };
            let operation = Operation { parameters: Vec::new(), results: Vec::new(), body, span: Span::nowhere() };
            model.operations.insert(format!("op{at}"), operation);
            expressions.push((target, expr));
        }
        let machine = Machine::compile(Arc::new(model), scope());
        let mut frame = machine.packed_state(&[]).expect("there are no constants");
        let state = state_of(&mut dice, &types, SIZES);
        let mut words = Vec::new();
        assert!(machine.pack(&state, &mut words), "small values fit words");
        for (at, (target, expr)) in (0u32..).zip(&expressions) {
            let mut packed: Vec<Value> = Vec::new();
            let mut visit = |step: bcheck::eval::PackedStep<'_>| packed.push(machine.unpack(&[], step.next)[*target].clone());
            // What does not fit words is left to general evaluation.
            if machine.packed_successors(OperationId(at), &mut frame, &words, &mut visit).is_none() {
                continue;
            }
            let expected = machine.evaluate(expr, &state);
            assert_eq!(Ok(packed), expected.map(|value| vec![value]), "seed {seed}, operation {at}: {expr:?} in {state:?}");
            defined += 1;
        }
    }
    defined
}

#[test]
fn thousands_of_expressions_read_again_have_the_same_value() {
    let defined = read_again(0..part(SEEDS, 3));
    assert!(defined as u64 > part(1_200, 3), "only {defined} have a value");
}

#[test]
fn packed_and_general_evaluation_agree_on_thousands_of_expressions() {
    let defined = packed_agrees(0..part(SEEDS, 3));
    assert!(defined as u64 > part(1_200, 3), "only {defined} have a value");
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
fn many_more_expressions_agree() {
    read_again(MORE_SEEDS);
    packed_agrees(MORE_SEEDS);
}
