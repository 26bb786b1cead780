//! The fast tier (states as words) against the general evaluator: the same steps in the same order, the same invariant.

use crate::random_formula::{Dice, Maker, S, T, model_of, scope, state_of, word_types};
use bcheck::eval::Machine;
use bcheck::ir::{
    Comparison, Conjunct, Expr, ExprKind, LocalId, Model, Operation, OperationId, Pred, PredKind, Subst, SubstKind, Target, Type,
    VariableId,
};
use bcheck::source::Span;
use proptest::prelude::*;
use std::sync::Arc;

fn pred(kind: PredKind) -> Pred {
    Pred { kind, span: Span::nowhere() }
}

fn subst(kind: SubstKind) -> Subst {
    Subst { kind, span: Span::nowhere() }
}

fn whole(set: bcheck::ir::SetId) -> Expr {
    Expr { kind: ExprKind::GivenSet(set), ty: Type::set(Type::Given(set)), span: Span::nowhere() }
}

/// `op(x, y) = PRE x : S & y : T & P THEN body END` with random P and body.
fn operation(dice: &mut Dice, types: &[Type]) -> Operation {
    let parameters = vec![(LocalId(0), Type::Given(S)), (LocalId(1), Type::Given(T))];
    let mut maker = Maker::over(dice, types.to_vec(), parameters.clone());
    let mut guards: Vec<Pred> = [(0, S), (1, T)]
        .iter()
        .map(|(id, set)| {
            let name = Expr { kind: ExprKind::Local(LocalId(*id)), ty: Type::Given(*set), span: Span::nowhere() };
            pred(PredKind::Compare(Comparison::Member, Box::new(name), Box::new(whole(*set))))
        })
        .collect();
    guards.push(maker.pred(2));
    let assign = |maker: &mut Maker<'_>, at: usize| {
        let target = Target::Variable(VariableId(u32::try_from(at).expect("few")));
        if maker.dice.below(4) == 0 {
            return subst(SubstKind::BecomesIn(vec![target], maker.expr(&Type::set(types[at].clone()), 2)));
        }
        subst(SubstKind::Assign(vec![(target, maker.expr(&types[at], 2))]))
    };
    let first = maker.dice.below(types.len());
    let second = (first + 1 + maker.dice.below(types.len() - 1)) % types.len();
    let (a, b) = (assign(&mut maker, first), assign(&mut maker, second));
    let body = match maker.dice.below(5) {
        0 => SubstKind::Sequence(vec![a, b]),
        1 => SubstKind::Choice(vec![a, b]),
        2 => SubstKind::If(vec![(maker.pred(2), a)], Some(Box::new(b))),
        3 => SubstKind::Select(vec![(maker.pred(2), a), (maker.pred(2), b)], None),
        _ => SubstKind::Parallel(vec![a, b]),
    };
    let body = subst(SubstKind::Pre { pred: pred(PredKind::And(guards)), body: Box::new(subst(body)), is_guard: true });
    let parameters = parameters.into_iter().map(|(id, ty)| (format!("p{}", id.0), id, ty)).collect();
    Operation { parameters, results: Vec::new(), body, span: Span::nowhere() }
}

fn random_model(dice: &mut Dice, types: &[Type]) -> Model {
    let mut model = model_of(types);
    for at in 0..4 {
        model.operations.insert(format!("op{at}"), operation(dice, types));
    }
    let conjunct = Maker::over(dice, types.to_vec(), Vec::new()).pred(3);
    model.invariant.push(Conjunct { pred: conjunct, label: None });
    model
}

/// Compares both evaluators on some states; gives how many runs were packed to the end, and how many steps they had.
fn agree(seed: u64) -> (usize, usize) {
    let types = word_types();
    let mut dice = Dice::new(seed);
    let machine = Machine::compile(Arc::new(random_model(&mut dice, &types)), scope());
    assert!(machine.is_packed());
    let mut frame = machine.packed_state(&[]).expect("there are no constants");
    let (mut runs, mut steps) = (0, 0);
    for _ in 0..12 {
        let state = state_of(&mut dice, &types);
        let mut words = Vec::new();
        assert!(machine.pack(&state, &mut words), "small values fit words");
        assert_eq!(machine.unpack(&[], &words), state);
        for at in 0..4 {
            let mut packed = Vec::new();
            let run =
                machine.packed_successors(OperationId(at), &mut frame, &words, &mut |step| packed.push(machine.unpack(&[], step.next)));
            let Ok(general) = machine.successors(&state, OperationId(at)) else { continue };
            let expected: Vec<_> = general.steps.iter().map(|step| step.next.clone()).collect();
            let Some(run) = run else {
                assert!(expected.starts_with(&packed) || !general.ill_defined.is_empty(), "a trapped run visits a prefix");
                continue;
            };
            assert_eq!(packed, expected, "operation {at} in {state:?}");
            assert!(general.ill_defined.is_empty(), "the fast tier missed what is ill-defined");
            assert!(run.ill_defined_guard || general.ill_defined_guard.is_none(), "the fast tier missed an ill-defined guard");
            runs += 1;
            steps += packed.len();
        }
        if machine.packed_invariant_holds(&mut frame, &words) {
            assert_eq!(machine.violated_invariant(&state), Ok(None));
        }
    }
    (runs, steps)
}

#[test]
fn many_random_operations_run_packed() {
    let (mut runs, mut steps) = (0, 0);
    for seed in 0..150 {
        let (more_runs, more_steps) = agree(seed);
        runs += more_runs;
        steps += more_steps;
    }
    assert!(runs > 1500 && steps > 1500, "only {runs} runs with {steps} steps were packed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn packed_and_general_runs_agree(seed in any::<u64>()) {
        agree(seed);
    }
}
