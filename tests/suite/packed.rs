//! The fast tier (states as words) against the general evaluator: the same steps in the same order, the same invariant; over small
//! sets, where everything fits one word, and over larger ones, where sets and relations have several.

use crate::random_formula::{Dice, Maker, S, SIZES, T, model_of, state_of, word_types};
use bcheck::eval::Machine;
use bcheck::ir::{
    BinaryOp, Comparison, Conjunct, Expr, ExprKind, FunctionKind, LocalId, Model, Operation, OperationId, Pred, PredKind, Scope, Subst,
    SubstKind, Target, Type, UnaryOp, VariableId,
};
use bcheck::source::Span;
use bcheck::value::Value;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Relations of 81, 108 and 144 bits.
const WIDE: [u32; 2] = [9, 12];

/// Sets of 70 elements, relations of 140 bits between rows of 70 and rows of 2.
const LONG: [u32; 2] = [2, 70];

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::nowhere() }
}

fn pred(kind: PredKind) -> Pred {
    Pred { kind, span: Span::nowhere() }
}

fn subst(kind: SubstKind) -> Subst {
    Subst { kind, span: Span::nowhere() }
}

fn given(set: bcheck::ir::SetId) -> Type {
    Type::Given(set)
}

fn whole(set: bcheck::ir::SetId) -> Expr {
    expr(ExprKind::GivenSet(set), Type::set(given(set)))
}

fn compare(comparison: Comparison, left: Expr, right: Expr) -> Pred {
    pred(PredKind::Compare(comparison, Box::new(left), Box::new(right)))
}

fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
}

fn pair(left: Expr, right: Expr) -> Expr {
    let ty = Type::pair(left.ty.clone(), right.ty.clone());
    binary(BinaryOp::Pair, left, right, ty)
}

fn id_of(name: &Expr) -> LocalId {
    match name.kind {
        ExprKind::Local(id) => id,
        _ => unreachable!("only bound names are asked for their ids"),
    }
}

/// Random operations over variables of some types.
struct Writer<'d, 't> {
    maker: Maker<'d>,
    types: &'t [Type],
}

impl Writer<'_, '_> {
    fn below(&mut self, n: usize) -> usize {
        self.maker.dice.below(n)
    }

    /// One of the relations between the given sets that variables have.
    fn relation_type(&mut self) -> (Type, Type, Type) {
        let relations: Vec<(Type, Type, Type)> = self
            .types
            .iter()
            .filter_map(|ty| match ty.element() {
                Some(Type::Pair(a, b)) => Some((ty.clone(), (**a).clone(), (**b).clone())),
                _ => None,
            })
            .collect();
        let at = self.below(relations.len());
        relations[at].clone()
    }

    fn set_type(&mut self) -> Type {
        let sets: Vec<&Type> = self.types.iter().filter(|ty| matches!(ty, Type::Set(_))).collect();
        let at = self.below(sets.len());
        sets[at].clone()
    }

    /// At most three elements.
    fn extension(&mut self, ty: &Type) -> Expr {
        let element = ty.element().expect("a set").clone();
        let items = (0..1 + self.below(3)).map(|_| self.maker.expr(&element, 1)).collect();
        expr(ExprKind::SetExtension(items), ty.clone())
    }

    /// What machines usually do to a variable of this type.
    fn update(&mut self, ty: &Type) -> Expr {
        let old = self.maker.expr(ty, 0);
        let Type::Set(element) = ty else { return old };
        let change = self.extension(ty);
        let Type::Pair(a, b) = &**element else {
            let op = [BinaryOp::Union, BinaryOp::Difference, BinaryOp::Intersection][self.below(3)];
            return binary(op, old, change, ty.clone());
        };
        match self.below(7) {
            0 => binary(BinaryOp::Union, old, change, ty.clone()),
            1 => binary(BinaryOp::Difference, old, change, ty.clone()),
            2 => binary(BinaryOp::DomainSubtract, self.extension(&Type::set((**a).clone())), old, ty.clone()),
            3 => binary(BinaryOp::RangeSubtract, old, self.extension(&Type::set((**b).clone())), ty.clone()),
            4 => binary(BinaryOp::DomainRestrict, self.extension(&Type::set((**a).clone())), old, ty.clone()),
            _ => binary(BinaryOp::Override, old, change, ty.clone()),
        }
    }

    fn value(&mut self, ty: &Type) -> Expr {
        if self.below(3) == 0 { self.update(ty) } else { self.maker.expr(ty, 2) }
    }

    /// Conditions as they are written about relations and sets.
    fn condition(&mut self) -> Pred {
        match self.below(9) {
            0 => {
                let (ty, a, b) = self.relation_type();
                let space = BinaryOp::Relations(FunctionKind::ALL[self.below(FunctionKind::ALL.len())]);
                let relation = self.maker.expr(&ty, 1);
                let (from, to) = (self.maker.expr(&Type::set(a), 1), self.maker.expr(&Type::set(b), 1));
                compare(Comparison::Member, relation, binary(space, from, to, Type::set(ty)))
            }
            1 => {
                let (ty, a, b) = self.relation_type();
                let element = pair(self.maker.expr(&a, 1), self.maker.expr(&b, 1));
                let comparison = [Comparison::Member, Comparison::NotMember][self.below(2)];
                compare(comparison, element, self.maker.expr(&ty, 2))
            }
            2 => {
                let ty = self.set_type();
                let comparisons = [
                    Comparison::Equal,
                    Comparison::NotEqual,
                    Comparison::Subset,
                    Comparison::NotSubset,
                    Comparison::StrictSubset,
                    Comparison::NotStrictSubset,
                ];
                compare(comparisons[self.below(6)], self.value(&ty), self.maker.expr(&ty, 1))
            }
            3 => {
                let ty = self.set_type();
                let parts = (0..2).map(|_| self.maker.expr(&ty, 1)).collect();
                pred(PredKind::Partition(Box::new(self.maker.expr(&ty, 1)), parts))
            }
            4 => {
                let (ty, a, b) = self.relation_type();
                let relation = Box::new(self.maker.expr(&ty, 1));
                let is_domain = self.below(2) == 0;
                let (op, of) = if is_domain { (UnaryOp::Domain, a) } else { (UnaryOp::Range, b) };
                let element = self.maker.expr(&of, 1);
                compare(Comparison::Member, element, expr(ExprKind::Unary(op, relation), Type::set(of)))
            }
            5 => {
                let (ty, a, b) = self.relation_type();
                let row = self.maker.expr(&a, 0);
                let rows = expr(ExprKind::SetExtension(vec![row]), Type::set(a));
                let image = binary(BinaryOp::Image, self.maker.expr(&ty, 1), rows, Type::set(b.clone()));
                compare(Comparison::Member, self.maker.expr(&b, 1), image)
            }
            6 => {
                let (ty, a, b) = self.relation_type();
                let relation = self.maker.expr(&ty, 1);
                let (first, second) = (self.maker.bind(&a), self.maker.bind(&b));
                let locals = vec![(id_of(&first), a), (id_of(&second), b)];
                let hypothesis = compare(Comparison::Member, pair(first, second), relation);
                let conclusion = self.maker.pred(1);
                self.maker.unbind();
                self.maker.unbind();
                if self.below(2) == 0 {
                    pred(PredKind::Forall(locals, Box::new(pred(PredKind::Implies(Box::new(hypothesis), Box::new(conclusion))))))
                } else {
                    pred(PredKind::Exists(locals, Box::new(pred(PredKind::And(vec![hypothesis, conclusion])))))
                }
            }
            7 => {
                let (local, generator) = self.chosen_set();
                let ty = local.ty.clone();
                let more = compare(Comparison::Subset, local.clone(), self.maker.expr(&ty, 1));
                self.maker.unbind();
                pred(PredKind::Exists(vec![(id_of(&local), ty)], Box::new(pred(PredKind::And(vec![generator, more])))))
            }
            _ => {
                let element = self.maker.expr(&given(S), 1);
                let local = self.maker.bind(&given(S));
                let condition = pred(PredKind::And(vec![compare(Comparison::Member, local.clone(), whole(S)), self.maker.pred(1)]));
                self.maker.unbind();
                let kind = ExprKind::Comprehension { locals: vec![(id_of(&local), given(S))], pred: Box::new(condition), value: None };
                compare(Comparison::Member, element, expr(kind, Type::set(given(S))))
            }
        }
    }

    /// A bound name for a set, and the condition on it.
    fn chosen_set(&mut self) -> (Expr, Pred) {
        let ty = self.set_type();
        if self.below(4) == 0 {
            let (first, second) = (self.value(&ty), self.extension(&ty));
            let local = self.maker.bind(&ty);
            let parts = vec![compare(Comparison::Equal, local.clone(), first), compare(Comparison::Subset, local.clone(), second)];
            return (local, pred(PredKind::Or(parts)));
        }
        let (comparison, base) = match self.below(3) {
            0 => (Comparison::Equal, self.value(&ty)),
            1 => (Comparison::StrictSubset, self.extension(&ty)),
            _ => (Comparison::Subset, self.extension(&ty)),
        };
        let local = self.maker.bind(&ty);
        (local.clone(), compare(comparison, local, base))
    }

    /// A loop of at most three rounds around a substitution.
    fn rounds(&mut self, body: Subst) -> SubstKind {
        let number = |value: i64| expr(ExprKind::Integer(value.into()), Type::Integer);
        let counter = self.maker.bind(&Type::Integer);
        let id = id_of(&counter);
        let assign = |value| subst(SubstKind::Assign(vec![(Target::Local(id), value)]));
        let mut condition = vec![compare(Comparison::Less, counter.clone(), number(3))];
        if self.below(2) == 0 {
            condition.push(self.maker.pred(1));
        }
        let invariant = if self.below(3) == 0 { self.maker.pred(1) } else { pred(PredKind::True) };
        let last = if self.below(8) == 0 { number(2) } else { number(3) };
        let variant = binary(BinaryOp::Subtract, last, counter.clone(), Type::Integer);
        let step = assign(binary(BinaryOp::Add, counter.clone(), number(1), Type::Integer));
        let body = Box::new(subst(SubstKind::Sequence(vec![body, step])));
        let looping = subst(SubstKind::While { condition: pred(PredKind::And(condition)), body, invariant, variant });
        self.maker.unbind();
        SubstKind::Var(vec![(id, Type::Integer)], Box::new(subst(SubstKind::Sequence(vec![assign(number(0)), looping]))))
    }

    fn target(&mut self) -> usize {
        self.below(self.types.len())
    }

    /// A substitution of one variable.
    fn assign(&mut self, at: usize) -> Subst {
        let ty = self.types[at].clone();
        let variable = VariableId(u32::try_from(at).expect("few"));
        let target = Target::Variable(variable);
        subst(match self.below(10) {
            0 => SubstKind::BecomesIn(vec![target], self.maker.expr(&Type::set(ty), 2)),
            1 => {
                let value = self.value(&ty);
                let local = self.maker.bind(&ty);
                self.maker.unbind();
                let id = id_of(&local);
                let old = expr(ExprKind::OldVariable(variable), ty.clone());
                let more = compare(Comparison::NotEqual, local.clone(), old);
                let condition = vec![compare(Comparison::Equal, local, value), more];
                SubstKind::BecomesSuchThat(vec![(target, id, ty)], pred(PredKind::And(condition)))
            }
            2 => {
                let value = self.value(&ty);
                let local = self.maker.bind(&ty);
                let body = subst(SubstKind::Assign(vec![(target, self.value(&ty))]));
                self.maker.unbind();
                SubstKind::Let(vec![(id_of(&local), value)], Box::new(body))
            }
            3 => {
                let value = self.value(&ty);
                let local = self.maker.bind(&ty);
                let id = id_of(&local);
                let first =
                    if self.below(6) == 0 { subst(SubstKind::Skip) } else { subst(SubstKind::Assign(vec![(Target::Local(id), value)])) };
                let again = subst(SubstKind::Assign(vec![(Target::Local(id), self.update(&ty))]));
                let last = subst(SubstKind::Assign(vec![(target, local)]));
                self.maker.unbind();
                SubstKind::Var(vec![(id, ty)], Box::new(subst(SubstKind::Sequence(vec![first, again, last]))))
            }
            4 => {
                let (local, generator) = self.chosen_set();
                let mut condition = vec![generator];
                if self.below(2) == 0 {
                    condition.push(self.maker.pred(1));
                }
                let body = subst(SubstKind::Assign(vec![(target, self.value(&ty))]));
                self.maker.unbind();
                SubstKind::Any(vec![(id_of(&local), local.ty.clone())], pred(PredKind::And(condition)), Box::new(body))
            }
            5 => {
                // One of two numbers.
                let (first, second) = (self.maker.expr(&Type::Integer, 1), self.maker.expr(&Type::Integer, 1));
                let local = self.maker.bind(&Type::Integer);
                let parts = vec![compare(Comparison::Equal, local.clone(), first), compare(Comparison::Equal, local.clone(), second)];
                let body = subst(SubstKind::Assign(vec![(target, self.value(&ty))]));
                self.maker.unbind();
                SubstKind::Any(vec![(id_of(&local), Type::Integer)], pred(PredKind::Or(parts)), Box::new(body))
            }
            6 => {
                let other = self.target();
                let (first, second) = (self.value(&ty), self.value(&self.types[other].clone()));
                let other = Target::Variable(VariableId(u32::try_from(other).expect("few")));
                let mut assignments = vec![(target, first), (other, second)];
                if other == target {
                    assignments.pop();
                }
                SubstKind::Assign(assignments)
            }
            _ => SubstKind::Assign(vec![(target, self.value(&ty))]),
        })
    }

    /// `op(x, y) = PRE x : S & y : T & P THEN body END` with random P and body.
    fn operation(&mut self) -> Operation {
        let names: Vec<Expr> = [S, T].map(|set| self.maker.bind(&given(set))).to_vec();
        let mut guards: Vec<Pred> =
            names.iter().zip([S, T]).map(|(name, set)| compare(Comparison::Member, name.clone(), whole(set))).collect();
        guards.push(if self.below(2) == 0 { self.condition() } else { self.maker.pred(2) });
        let first = self.target();
        let second = (first + 1 + self.below(self.types.len() - 1)) % self.types.len();
        let (a, b) = (self.assign(first), self.assign(second));
        let body = match self.below(7) {
            6 => {
                let body = subst(if self.below(2) == 0 { SubstKind::Sequence(vec![a, b]) } else { SubstKind::Choice(vec![a, b]) });
                self.rounds(body)
            }
            0 => SubstKind::Sequence(vec![a, b]),
            1 => SubstKind::Choice(vec![a, b]),
            2 => SubstKind::If(vec![(self.condition(), a)], Some(Box::new(b))),
            3 => SubstKind::Select(vec![(self.maker.pred(2), a), (self.condition(), b)], None),
            4 => {
                // A part that does one thing after another, and has several outcomes.
                let third = self.assign(first);
                SubstKind::Parallel(vec![subst(SubstKind::Sequence(vec![a, third])), b])
            }
            _ => SubstKind::Parallel(vec![a, b]),
        };
        let body = subst(SubstKind::Pre { pred: pred(PredKind::And(guards)), body: Box::new(subst(body)), is_guard: true });
        names.iter().for_each(|_| self.maker.unbind());
        let parameters = names.into_iter().map(|name| (format!("p{}", id_of(&name).0), id_of(&name), name.ty)).collect();
        Operation { parameters, results: Vec::new(), body, span: Span::nowhere() }
    }
}

fn random_model(dice: &mut Dice, types: &[Type], operations: u32) -> Model {
    let mut model = model_of(types);
    let mut writer = Writer { maker: Maker::over(dice, types.to_vec(), 0), types };
    for at in 0..operations {
        let operation = writer.operation();
        model.operations.insert(format!("op{at}"), operation);
    }
    for _ in 0..2 {
        let conjunct = writer.condition();
        model.invariant.push(Conjunct { pred: conjunct, label: None, given: None });
    }
    assert!((writer.maker.next_local as usize) < model.locals.len(), "more names are bound than the model has");
    model
}

/// Interrupts a machine that takes too long: what comes out then is not compared.
struct Patience {
    _is_over: Sender<()>,
}

impl Patience {
    fn with(machine: &Machine) -> Self {
        let interrupt = machine.interrupt().clone();
        let (sender, is_over) = channel();
        std::thread::spawn(move || {
            if is_over.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                interrupt.store(true, Ordering::Relaxed);
            }
        });
        Self { _is_over: sender }
    }
}

/// What can be packed over sets of these sizes.
fn types_over(sizes: [u32; 2]) -> Vec<Type> {
    let mut types = word_types();
    if sizes[1] < 64 {
        types.push(Type::relation(given(T), given(T)));
    }
    types
}

/// Sets and relations with integers.
fn types_with_integers() -> Vec<Type> {
    let (s, t) = (given(S), given(T));
    let relation = |from: &Type, to: &Type| Type::relation(from.clone(), to.clone());
    let integers = [relation(&s, &Type::Integer), relation(&Type::Integer, &t), relation(&Type::Integer, &Type::Integer)];
    let others = [s.clone(), t.clone(), Type::Integer, Type::Bool, Type::set(s), Type::set(Type::Integer), Type::pair(t, Type::Integer)];
    integers.into_iter().chain(others).collect()
}

/// Compares both evaluators on some states; gives how many runs were packed to the end, and how many steps they had.
fn agree(seed: u64, sizes: [u32; 2], states: usize) -> (usize, usize) {
    let types = types_over(sizes);
    let mut dice = Dice::new(seed);
    let machine = compiled(random_model(&mut dice, &types, 4), sizes);
    assert!(machine.is_packed());
    agree_on(&machine, &types, &mut dice, sizes, states, seed)
}

/// The same with integers in sets, where an operation may not fit words, and a state neither.
fn agree_with_integers(seed: u64, sizes: [u32; 2], states: usize) -> (usize, usize) {
    let types = types_with_integers();
    let mut dice = Dice::new(seed);
    let machine = compiled(random_model(&mut dice, &types, 1), sizes);
    if machine.is_packed() { agree_on(&machine, &types, &mut dice, sizes, states, seed) } else { (0, 0) }
}

fn compiled(model: Model, sizes: [u32; 2]) -> Machine {
    Machine::compile(Arc::new(model), Scope { sizes: sizes.to_vec(), minint: -1, maxint: 3 })
}

/// The value with 0 in place of its negative numbers.
fn not_negative(value: &Value) -> Value {
    match value {
        Value::Integer(number) if number.is_negative() => Value::integer(0),
        Value::Pair(pair) => Value::pair(not_negative(&pair.0), not_negative(&pair.1)),
        Value::Set(set) => Value::set(set.iter().map(|element| not_negative(&element)).collect()),
        _ => value.clone(),
    }
}

fn agree_on(machine: &Machine, types: &[Type], dice: &mut Dice, sizes: [u32; 2], states: usize, seed: u64) -> (usize, usize) {
    let has_integers = types.contains(&Type::set(Type::Integer));
    let _patience = Patience::with(machine);
    let mut frame = machine.packed_state(&[]).expect("there are no constants");
    let (mut runs, mut steps) = (0, 0);
    for _ in 0..states {
        let mut state = state_of(dice, types, sizes);
        if has_integers && dice.below(8) > 0 {
            state = state.iter().map(not_negative).collect();
        }
        let mut words = Vec::new();
        if !machine.pack(&state, &mut words) {
            assert!(has_integers, "small values fit words");
            continue;
        }
        assert_eq!(machine.unpack(&[], &words), state);
        for at in 0..u32::try_from(machine.model().operations.len()).expect("few") {
            let mut packed = Vec::new();
            let run =
                machine.packed_successors(OperationId(at), &mut frame, &words, &mut |step| packed.push(machine.unpack(&[], step.next)));
            let Ok(general) = machine.successors(&state, OperationId(at)) else { continue };
            let expected: Vec<_> = general.steps.iter().map(|step| step.next.clone()).collect();
            let Some(run) = run else {
                assert!(expected.starts_with(&packed) || !general.ill_defined.is_empty(), "a trapped run visits a prefix");
                continue;
            };
            assert_eq!(packed, expected, "operation {at} in {state:?}, seed {seed}");
            assert!(general.ill_defined.is_empty(), "the fast tier missed what is ill-defined, seed {seed}");
            assert!(run.ill_defined_guard || general.ill_defined_guard.is_none(), "the fast tier missed an ill-defined guard");
            runs += 1;
            steps += packed.len();
        }
        if machine.packed_invariant_holds(&mut frame, &words) && !machine.interrupt().load(Ordering::Relaxed) {
            assert_eq!(machine.violated_invariant(&state), Ok(None), "seed {seed}");
        }
    }
    (runs, steps)
}

fn packed_at_least(sizes: [u32; 2], seeds: u64, states: usize, enough: usize) {
    packed_at_least_by(agree, sizes, seeds, states, enough);
}

type Agree = fn(u64, [u32; 2], usize) -> (usize, usize);

fn packed_at_least_by(agree: Agree, sizes: [u32; 2], seeds: u64, states: usize, enough: usize) {
    let (mut runs, mut steps) = (0, 0);
    for seed in 0..seeds {
        let (more_runs, more_steps) = agree(seed, sizes, states);
        runs += more_runs;
        steps += more_steps;
    }
    assert!(runs > enough && steps > enough, "only {runs} runs with {steps} steps were packed");
}

#[test]
fn a_part_of_a_parallel_substitution_keeps_its_writes_while_it_goes_through_its_choices() {
    let machine = "MACHINE choices VARIABLES x, y INVARIANT x : NAT & y : NAT INITIALISATION x, y := 0, 0
        OPERATIONS op = PRE x = 0 THEN
            BEGIN x := 1 ; ANY e WHERE e : 1..2 THEN y := x + e END END || skip
        END END";
    let checked = bcheck::check_text("choices.mch", machine, &bcheck::Request::default()).expect("a correct machine");
    let state = |x, y| vec![Value::integer(x), Value::integer(y)];
    let general = checked.machine.successors(&state(0, 0), OperationId(0)).expect("the choices are bounded");
    let next: Vec<_> = general.steps.into_iter().map(|step| step.next.to_vec()).collect();
    assert_eq!(next, [state(1, 2), state(1, 3)]);
}

#[test]
fn loops_branches_and_relations_of_several_words_run_packed() {
    let machine = r"MACHINE packed SETS S VARIABLES n, r INVARIANT n : NAT & r : S <-> S INITIALISATION n, r := 0, {}
        OPERATIONS
          close = VAR i, old IN
              i := 5; old := {};
              WHILE i > 0 & old /= r DO old := r; r := r \/ (r ; r); i := i - 1
              INVARIANT old <: r & n = n$0 VARIANT i END
            END;
          choose = ANY i, s WHERE (i = 2 or i = n + 1 or i = -1) & (s = r~ or s = {} or #x.(x : S & s = {x |-> x})) THEN
              n := i || r := s
            END
        END";
    let request = bcheck::Request { size: Some(9), ..Default::default() };
    let checked = bcheck::check_text("packed.mch", machine, &request).expect("a correct machine");
    let machine = &checked.machine;
    let element = |index: u32| Value::element(S, index);
    let chain = Value::set((0..8).map(|at| Value::pair(element(at), element(at + 1))).collect());
    let state = vec![Value::integer(2), chain];
    let (mut words, mut frame) = (Vec::new(), machine.packed_state(&[]).expect("there are no constants"));
    assert!(machine.pack(&state, &mut words));
    for (at, steps) in [(0, 1), (1, 33)] {
        let mut packed = Vec::new();
        let mut visit = |step: bcheck::eval::PackedStep<'_>| packed.push(machine.unpack(&[], step.next));
        assert!(machine.packed_successors(OperationId(at), &mut frame, &words, &mut visit).is_some());
        let general = machine.successors(&state, OperationId(at)).expect("the choices are bounded");
        assert_eq!(packed, general.steps.into_iter().map(|step| step.next).collect::<Vec<_>>());
        assert_eq!(packed.len(), steps);
    }
}

/// Runs every operation of a machine in every state that it reaches, in both ways; gives the number of states.
fn all_states_agree(text: &str, size: u32) -> usize {
    let request = bcheck::Request { size: Some(size), ..Default::default() };
    let checked = bcheck::check_text("packed.mch", text, &request).expect("a correct machine");
    let machine = &checked.machine;
    assert!(machine.is_packed());
    let mut frame = machine.packed_state(&[]).expect("there are no constants");
    let mut states = indexmap::IndexSet::new();
    let initial = machine.for_each_initial(&[], &mut |state| {
        states.insert(state);
        ControlFlow::Continue(())
    });
    initial.expect("the initialisation is well-defined");
    let mut at = 0;
    while let Some(state) = states.get_index(at).cloned() {
        let mut words = Vec::new();
        assert!(machine.pack(&state, &mut words), "{state:?}");
        for operation in (0..machine.model().operations.len()).map(|at| OperationId(u32::try_from(at).expect("few operations"))) {
            let mut packed = Vec::new();
            let mut visit = |step: bcheck::eval::PackedStep<'_>| packed.push(machine.unpack(&[], step.next));
            let run = machine.packed_successors(operation, &mut frame, &words, &mut visit);
            let general = machine.successors(&state, operation).expect("the choices are bounded");
            assert_eq!(run.is_some(), general.ill_defined.is_empty(), "{operation:?} in {state:?}");
            assert_eq!(packed, general.steps.iter().map(|step| step.next.clone()).collect::<Vec<_>>(), "{operation:?} in {state:?}");
            states.extend(general.steps.into_iter().map(|step| step.next));
        }
        let holds = machine.packed_invariant_holds(&mut frame, &words);
        assert_eq!(holds, machine.violated_invariant(&state) == Ok(None), "{state:?}");
        at += 1;
    }
    states.len()
}

#[test]
fn sequences_run_packed() {
    let machine = r"MACHINE sequences SETS S DEFINITIONS MOST == 3
        VARIABLES q, n INVARIANT q : seq(S) & size(q) <= MOST & q : 1..MOST +-> S & (q : iseq(S) or q /: perm(S)) & n : 0..MOST
        INITIALISATION q, n := <>, 0
        OPERATIONS
          add(x) = PRE x : S & size(q) < MOST THEN q := q <- x END;
          push(x) = PRE x : S & size(q) < MOST THEN q := x -> q END;
          ends = SELECT q /= <> THEN q := [last(q), first(q)] END;
          shorter = CHOICE q := tail(q) OR q := front(q) END;
          turned = q := rev(q);
          doubled = SELECT 2 * size(q) <= MOST THEN q := q ^ q END;
          cut = SELECT n <= size(q) THEN CHOICE q := q /|\ n OR q := q \|/ n END END;
          swap(i, j) = PRE i : dom(q) & j : dom(q) & i < j THEN q := q <+ {i |-> q(j), j |-> q(i)} END;
          count(x) = PRE x : ran(q) THEN n := card(q |> {x}) END;
          lowest(x) = PRE x : ran(q) THEN n := min(q~[{x}]) END
        END";
    // 1 + 2 + 4 + 8 sequences, from each of which n can be changed on its own.
    assert_eq!(all_states_agree(machine, 2), 15 * 4);
}

#[test]
fn functions_and_sets_of_integers_run_packed() {
    let machine = r"MACHINE integers SETS S
        VARIABLES f, s INVARIANT f : S --> 0..3 & s <: 1..3 & s : POW(NATURAL1) & !x.(x : S => f(x) <= 3) & f : S +-> NAT
        INITIALISATION f := S * {0} || s := {}
        OPERATIONS
          more(x) = PRE x : S & f(x) + 1 : 0..3 THEN f(x) := f(x) + 1 END;
          least(x) = PRE x : S & s /= {} THEN f(x) := min(s) END;
          greatest(x) = PRE x : dom(f |> s) & max(s) /: ran(f) THEN f(x) := max(s) END;
          taken = ANY n WHERE n : ran(f) & n > 0 THEN s := s \/ {n} END;
          given(n) = PRE n : s THEN s := s - {n} || f := f |>> {n} <+ (S - dom(f |>> {n})) * {0} END;
          above(n) = PRE n : 1..3 & n - 1 : ran(f) THEN s := n..3 END;
          chosen = CHOICE s := {1} OR s := {2, 3} END;
          total = SELECT SIGMA(x).(x : S | f(x)) > 4 THEN f := S * {card(s)} END
        END";
    assert_eq!(all_states_agree(machine, 2), 16 * 8);
}

#[test]
fn functions_to_sets_are_read_row_by_row() {
    let text = std::fs::read_to_string(crate::program::root().join("machines/language/trams.mch")).expect("the machine is there");
    let checked = bcheck::check_text("trams.mch", &text, &bcheck::Request::default()).expect("a correct machine");
    let machine = &checked.machine;
    let mut constants = Vec::new();
    let _ = machine.for_each_setup(&mut |found| {
        constants.push(found);
        std::ops::ControlFlow::Continue(())
    });
    let [constants] = constants.as_slice() else { panic!("one set-up, not {}", constants.len()) };
    let mut frame = machine.packed_state(constants).expect("what does not fit is a table");
    let mut states = Vec::new();
    let _ = machine.for_each_initial(constants, &mut |found| {
        states.push(found);
        std::ops::ControlFlow::Continue(())
    });
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        at += 1;
        let mut words = Vec::new();
        assert!(machine.pack(&state, &mut words));
        assert!(machine.packed_invariant_holds(&mut frame, &words), "decided in words: {state:?}");
        assert!(machine.packed_assertions_hold(&mut frame, &words), "decided in words: {state:?}");
        for operation in (0..3).map(OperationId) {
            let mut packed = Vec::new();
            let mut visit = |step: bcheck::eval::PackedStep<'_>| packed.push(machine.unpack(constants, step.next));
            let run = machine.packed_successors(operation, &mut frame, &words, &mut visit).expect("runs in words");
            let general = machine.successors(&state, operation).expect("nothing is unbounded");
            assert_eq!(run.ill_defined_guard, general.ill_defined_guard.is_some(), "{operation:?} in {state:?}");
            assert_eq!(packed, general.steps.into_iter().map(|step| step.next).collect::<Vec<_>>());
            let new: Vec<_> = packed.into_iter().filter(|next| !states.contains(next)).collect();
            new.into_iter().for_each(|next| {
                if !states.contains(&next) {
                    states.push(next)
                }
            });
        }
    }
    assert!(states.len() > 30, "only {} states", states.len());
}

#[test]
fn many_random_operations_run_packed() {
    packed_at_least(SIZES, 200, 12, 1700);
}

#[test]
fn many_random_operations_on_relations_of_several_words_run_packed() {
    packed_at_least(WIDE, 200, 4, 600);
}

#[test]
fn many_random_operations_on_sets_of_several_words_run_packed() {
    packed_at_least(LONG, 120, 4, 300);
}

#[test]
fn many_random_operations_on_sets_of_integers_run_packed() {
    packed_at_least_by(agree_with_integers, SIZES, 400, 12, 1000);
}

#[test]
#[ignore = "takes minutes: scripts/long.sh"]
fn thousands_of_random_operations_agree() {
    for seed in 1000..4000 {
        agree_with_integers(seed, SIZES, 12);
        agree_with_integers(seed, WIDE, 6);
        agree(seed, SIZES, 6);
        agree(seed, WIDE, 3);
        agree(seed, LONG, 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn packed_and_general_runs_agree(seed in any::<u64>()) {
        agree(seed, SIZES, 12);
        agree_with_integers(seed, SIZES, 12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn packed_and_general_runs_agree_on_several_words(seed in any::<u64>()) {
        agree(seed, WIDE, 3);
        agree(seed, LONG, 3);
    }
}
