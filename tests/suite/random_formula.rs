//! Random well-typed formulas of the core language over a fixed model, for the laws that every operator must obey.
//!
//! Invariant: a formula of the wanted type is always produced, and each operator is reachable; the same seed gives the same formula.

pub(crate) use crate::dice::Dice;
use bcheck::ir::{
    BinaryOp, Binder, Comparison, Declaration, Expr, ExprKind, FunctionKind, GivenSet, GivenSetKind, IntegerSet, LocalId, Model, Pred,
    PredKind, Scope, SetId, Settings, Subst, SubstKind, Type, UnaryOp, VariableId,
};
use bcheck::source::Span;
use bcheck::value::{Element, Set, Valuation, Value};
use indexmap::IndexMap;

pub(crate) const S: SetId = SetId(0);
pub(crate) const T: SetId = SetId(1);
pub(crate) const SIZES: [u32; 2] = [3, 2];

fn given(set: SetId) -> Type {
    Type::Given(set)
}

fn sequence_of(ty: Type) -> Type {
    Type::relation(Type::Integer, ty)
}

/// The variables of the model: at least one of each type that operators need.
fn variable_types() -> Vec<Type> {
    let (s, t) = (given(S), given(T));
    vec![
        s.clone(),
        t.clone(),
        Type::Integer,
        Type::Bool,
        Type::set(s.clone()),
        Type::set(t.clone()),
        Type::set(Type::Integer),
        Type::relation(s.clone(), t.clone()),
        Type::relation(s.clone(), s.clone()),
        Type::relation(t.clone(), s.clone()),
        Type::relation(s.clone(), Type::Integer),
        sequence_of(s.clone()),
        sequence_of(t.clone()),
        Type::set(Type::set(s.clone())),
        Type::relation(s.clone(), Type::set(t.clone())),
        Type::relation(s, Type::relation(t.clone(), t)),
    ]
}

/// A model with two deferred sets and one variable per type above.
pub(crate) fn model() -> Model {
    model_of(&variable_types())
}

/// Types whose values fit words.
pub(crate) fn word_types() -> Vec<Type> {
    let (s, t) = (given(S), given(T));
    vec![
        s.clone(),
        t.clone(),
        Type::Integer,
        Type::Bool,
        Type::set(s.clone()),
        Type::set(t.clone()),
        Type::relation(s.clone(), t.clone()),
        Type::relation(s.clone(), s.clone()),
        Type::relation(t.clone(), s.clone()),
        Type::pair(s, t),
    ]
}

/// How many names formulas may bind.
const LOCALS: u32 = 1024;

/// A model with two deferred sets and one variable per given type.
pub(crate) fn model_of(types: &[Type]) -> Model {
    let nowhere = Span::nowhere();
    let sets = [("S", S), ("T", T)]
        .map(|(name, _)| (name.to_owned(), GivenSet { kind: GivenSetKind::Deferred, element_prefix: name.to_owned(), span: nowhere }));
    let variables = types.iter().cloned().enumerate().map(|(at, ty)| (format!("v{at}"), Declaration { ty, span: nowhere }));
    Model {
        name: "random".to_owned(),
        sets: sets.into_iter().collect(),
        free_types: IndexMap::new(),
        constants: IndexMap::new(),
        variables: variables.collect(),
        properties: Vec::new(),
        has_properties: false,
        invariant: Vec::new(),
        assertions: Vec::new(),
        initialisation: Subst { kind: SubstKind::Skip, span: nowhere },
        operations: IndexMap::new(),
        goal: None,
        expanded: None,
        temporal: Vec::new(),
        settings: Settings::default(),
        within: Vec::new(),
        callable: None,
        not_checked: Vec::new(),
        only_seen: false,
        locals: (0..LOCALS).map(|at| format!("x{at}")).collect(),
        comprehensions: Default::default(),
    }
}

pub(crate) fn scope() -> Scope {
    Scope { sizes: SIZES.to_vec(), minint: -1, maxint: 3 }
}

/// A random value of a type over sets of these sizes; not so small when they are not.
fn value_over(dice: &mut Dice, ty: &Type, sizes: [u32; 2]) -> Value {
    let value = |dice: &mut Dice, ty: &Type| value_over(dice, ty, sizes);
    let element = |set: SetId, index: usize| Value::Element(Element { set, index: u32::try_from(index).expect("small") });
    match ty {
        Type::Bool => Value::Bool(dice.below(2) == 0),
        Type::Integer => Value::integer(i64::try_from(dice.below(5)).expect("small") - 1),
        Type::Free(_) => unreachable!("no free type is drawn"),
        Type::String => Value::string(["", "a", "bc"][dice.below(3)]),
        Type::Given(set) => element(*set, dice.below(sizes[set.index()] as usize)),
        Type::Set(member) => {
            if sizes != SIZES && dice.below(3) > 0 {
                // A total function, or a set with about half of all there is.
                if let Type::Pair(first, second) = &**member
                    && let Type::Given(set) = &**first
                {
                    let all = 0..sizes[set.index()] as usize;
                    return Value::set(all.map(|at| Value::pair(element(*set, at), value(dice, second))).collect());
                }
                return Value::set((0..dice.below(100)).map(|_| value(dice, member)).collect());
            }
            if let Type::Pair(first, second) = &**member {
                if **first == Type::Integer && dice.below(4) > 0 {
                    let items = (0..dice.below(4)).map(|_| value(dice, second)).collect();
                    return Value::Set(bcheck::value::sequence::from_sequence(items));
                }
                if dice.below(2) == 0 {
                    let pairs: Vec<Value> = (0..dice.below(4)).map(|_| Value::pair(value(dice, first), value(dice, second))).collect();
                    let set = Set::from_values(pairs);
                    let mut seen = std::collections::BTreeSet::new();
                    return Value::Set(set.iter().filter(|pair| seen.insert(pair.as_pair().expect("pair").0.clone())).collect());
                }
            }
            Value::set((0..dice.below(4)).map(|_| value(dice, member)).collect())
        }
        Type::Pair(first, second) => Value::pair(value(dice, first), value(dice, second)),
        Type::Record(fields) => Value::Record(fields.iter().map(|(name, ty)| (name.clone(), value(dice, ty))).collect()),
    }
}

/// A random state of the model.
pub(crate) fn state(dice: &mut Dice) -> Valuation {
    state_of(dice, &variable_types(), SIZES)
}

/// A random valuation of these types over sets of these sizes.
pub(crate) fn state_of(dice: &mut Dice, types: &[Type], sizes: [u32; 2]) -> Valuation {
    types.iter().map(|ty| value_over(dice, ty, sizes)).collect()
}

/// Makes formulas.
pub(crate) struct Maker<'d> {
    pub(crate) dice: &'d mut Dice,
    types: Vec<Type>,
    /// The id of the next bound name.
    pub(crate) next_local: u32,
    bound: Vec<(LocalId, Type)>,
}

impl<'d> Maker<'d> {
    pub(crate) fn new(dice: &'d mut Dice) -> Self {
        Maker { dice, types: variable_types(), next_local: 0, bound: Vec::new() }
    }

    /// A maker for a model with variables of these types, whose bound names have ids from this one on.
    pub(crate) fn over(dice: &'d mut Dice, types: Vec<Type>, next_local: u32) -> Self {
        Maker { dice, types, next_local, bound: Vec::new() }
    }

    /// Binds a new name; until [`Self::unbind`], formulas may mention it.
    pub(crate) fn bind(&mut self, ty: &Type) -> Expr {
        let (id, ty) = self.local(ty.clone());
        self.bound.push((id, ty.clone()));
        self.make(ExprKind::Local(id), ty)
    }

    /// Ends what the last [`Self::bind`] began.
    pub(crate) fn unbind(&mut self) {
        self.bound.pop();
    }

    fn make(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: Span::nowhere() }
    }

    fn local(&mut self, ty: Type) -> (LocalId, Type) {
        let id = LocalId(self.next_local);
        self.next_local += 1;
        (id, ty)
    }

    fn simple_type(&mut self) -> Type {
        [given(S), given(T), Type::Integer, Type::Bool][self.dice.below(4)].clone()
    }

    fn element_type(&mut self) -> Type {
        [given(S), given(T), given(S)][self.dice.below(3)].clone()
    }

    fn leaf(&mut self, ty: &Type) -> Expr {
        let mut choices: Vec<ExprKind> = self.bound.iter().filter(|(_, known)| known == ty).map(|(id, _)| ExprKind::Local(*id)).collect();
        for (at, known) in self.types.iter().enumerate() {
            if known == ty {
                choices.push(ExprKind::Variable(VariableId(u32::try_from(at).expect("small"))));
            }
        }
        match ty {
            Type::Bool => choices.push(ExprKind::Bool(self.dice.below(2) == 0)),
            Type::Integer => choices.push(ExprKind::Integer((i64::try_from(self.dice.below(5)).expect("small") - 1).into())),
            Type::Set(element) => {
                choices.push(ExprKind::EmptySet);
                match &**element {
                    Type::Given(set) => choices.push(ExprKind::GivenSet(*set)),
                    Type::Integer => choices.push(ExprKind::IntegerSet(IntegerSet::Nat)),
                    Type::Bool => choices.push(ExprKind::BoolSet),
                    _ => {}
                }
            }
            Type::Pair(first, second) if choices.is_empty() => {
                let (first, second) = (self.leaf(first), self.leaf(second));
                choices.push(ExprKind::Binary(BinaryOp::Pair, Box::new(first), Box::new(second)));
            }
            Type::String => choices.push(ExprKind::String("a".into())),
            Type::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.leaf(ty))).collect();
                choices.push(ExprKind::Record(fields));
            }
            Type::Given(_) | Type::Free(_) | Type::Pair(..) => {}
        }
        let at = self.dice.below(choices.len());
        let kind = choices.swap_remove(at);
        self.make(kind, ty.clone())
    }

    /// A formula of this type.
    pub(crate) fn expr(&mut self, ty: &Type, depth: usize) -> Expr {
        if depth == 0 || self.dice.below(4) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.dice.below(8) {
            0 => {
                let pred = Box::new(self.pred(depth));
                let kind = ExprKind::If(pred, Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth)));
                return self.make(kind, ty.clone());
            }
            1 => {
                let from = self.element_type();
                let function = self.expr(&Type::relation(from.clone(), ty.clone()), depth);
                let argument = self.expr(&from, depth);
                return self.make(ExprKind::Binary(BinaryOp::Apply, Box::new(function), Box::new(argument)), ty.clone());
            }
            2 => {
                let inner = self.simple_type();
                let bound = self.expr(&inner, depth);
                let (id, _) = self.local(inner.clone());
                self.bound.push((id, inner));
                let body = self.expr(ty, depth);
                self.bound.pop();
                return self.make(ExprKind::Let(vec![(id, bound)], Box::new(body)), ty.clone());
            }
            _ => {}
        }
        match ty {
            Type::Integer => self.integer(depth),
            Type::Bool => {
                let pred = Box::new(self.pred(depth));
                self.make(ExprKind::BoolOf(pred), Type::Bool)
            }
            Type::Set(element) => self.set(element, depth),
            Type::Pair(first, second) => {
                let (a, b) = (self.expr(first, depth), self.expr(second, depth));
                self.make(ExprKind::Binary(BinaryOp::Pair, Box::new(a), Box::new(b)), ty.clone())
            }
            Type::Given(_) | Type::Free(_) | Type::String | Type::Record(_) => {
                let op = [UnaryOp::First, UnaryOp::Last, UnaryOp::First2, UnaryOp::Second2][self.dice.below(4)];
                self.unary(op, ty, depth)
            }
        }
    }

    fn integer(&mut self, depth: usize) -> Expr {
        if self.dice.below(3) == 0 {
            let op = [UnaryOp::Negate, UnaryOp::Card, UnaryOp::Min, UnaryOp::Max, UnaryOp::Size][self.dice.below(5)];
            return self.unary(op, &Type::Integer, depth);
        }
        if self.dice.below(5) == 0 {
            let binder = [Binder::Sigma, Binder::Pi][self.dice.below(2)];
            return self.binder(binder, &Type::Integer, depth);
        }
        let ops = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Divide, BinaryOp::Modulo, BinaryOp::Power];
        let op = ops[self.dice.below(ops.len())];
        self.binary(op, &Type::Integer, depth)
    }

    fn binder(&mut self, binder: Binder, ty: &Type, depth: usize) -> Expr {
        let inner = self.element_type();
        let local = self.local(inner.clone());
        self.bound.push(local.clone());
        let pred = Box::new(self.condition(&local, depth));
        let body = Box::new(self.expr(ty, depth));
        self.bound.pop();
        let result = if binder == Binder::Lambda { Type::relation(inner, ty.clone()) } else { ty.clone() };
        self.make(ExprKind::Binder { binder, locals: vec![local], pred, body }, result)
    }

    /// A condition that generates the local and asks a little more.
    fn condition(&mut self, local: &(LocalId, Type), depth: usize) -> Pred {
        let name = self.make(ExprKind::Local(local.0), local.1.clone());
        let set = self.expr(&Type::set(local.1.clone()), depth.min(1));
        let member = Pred { kind: PredKind::Compare(Comparison::Member, Box::new(name), Box::new(set)), span: Span::nowhere() };
        if self.dice.below(2) == 0 {
            return member;
        }
        let more = self.pred(depth.min(1));
        let mut parts = vec![member, more];
        if self.dice.below(3) == 0 {
            parts.reverse();
        }
        Pred { kind: PredKind::And(parts), span: Span::nowhere() }
    }

    fn set(&mut self, element: &Type, depth: usize) -> Expr {
        let ty = Type::set(element.clone());
        let general = [BinaryOp::Union, BinaryOp::Intersection, BinaryOp::Difference];
        if self.dice.below(3) == 0 {
            let op = general[self.dice.below(3)];
            return self.binary(op, &ty, depth);
        }
        match self.dice.below(7) {
            0 => {
                let items = (0..1 + self.dice.below(3)).map(|_| self.expr(element, depth)).collect();
                return self.make(ExprKind::SetExtension(items), ty);
            }
            1 if matches!(element, Type::Given(_)) => {
                let local = self.local(element.clone());
                self.bound.push(local.clone());
                let pred = Box::new(self.condition(&local, depth));
                self.bound.pop();
                return self.make(ExprKind::Comprehension { locals: vec![local], pred, value: None }, ty);
            }
            2 => {
                let inner = self.element_type();
                let local = self.local(inner);
                self.bound.push(local.clone());
                let pred = Box::new(self.condition(&local, depth));
                let value = Some(Box::new(self.expr(element, depth)));
                self.bound.pop();
                return self.make(ExprKind::Comprehension { locals: vec![local], pred, value }, ty);
            }
            3 => {
                let op = [UnaryOp::GeneralUnion, UnaryOp::GeneralInter, UnaryOp::Domain, UnaryOp::Range][self.dice.below(4)];
                return self.unary(op, &ty, depth);
            }
            4 => {
                let binder = [Binder::Union, Binder::Inter][self.dice.below(2)];
                return self.binder(binder, &ty, depth);
            }
            5 => return self.binary(BinaryOp::Image, &ty, depth),
            _ => {}
        }
        match element {
            Type::Pair(first, second) => self.relation(first, second, depth),
            Type::Set(base) => self.space(base, depth),
            Type::Integer => self.binary(BinaryOp::Interval, &ty, depth),
            _ => self.leaf(&ty),
        }
    }

    fn relation(&mut self, first: &Type, second: &Type, depth: usize) -> Expr {
        let ty = Type::relation(first.clone(), second.clone());
        if *first == Type::Integer && self.dice.below(2) == 0 {
            let unary = [UnaryOp::Front, UnaryOp::Tail, UnaryOp::Reverse, UnaryOp::ConcatAll];
            let binary = [BinaryOp::Concat, BinaryOp::InsertFront, BinaryOp::InsertTail, BinaryOp::TakeFirst, BinaryOp::DropFirst];
            let at = self.dice.below(10);
            if at < 4 {
                return self.unary(unary[at], &ty, depth);
            }
            if at < 9 {
                return self.binary(binary[at - 4], &ty, depth);
            }
            let items = (0..1 + self.dice.below(3)).map(|_| self.expr(second, depth)).collect();
            return self.make(ExprKind::SequenceExtension(items), ty);
        }
        let mut unary = vec![UnaryOp::Inverse];
        if first == second {
            unary.extend([UnaryOp::Identity, UnaryOp::Closure1]);
        }
        if matches!(second, Type::Set(_)) {
            unary.push(UnaryOp::Function);
        }
        unary.push(UnaryOp::Relation);
        let mut binary = vec![
            BinaryOp::Product,
            BinaryOp::Override,
            BinaryOp::Compose,
            BinaryOp::DomainRestrict,
            BinaryOp::DomainSubtract,
            BinaryOp::RangeRestrict,
            BinaryOp::RangeSubtract,
        ];
        if first == second {
            binary.push(BinaryOp::Iterate);
        }
        if let Type::Pair(a, b) = first {
            if **a == *second {
                binary.push(BinaryOp::Projection1);
            }
            if **b == *second {
                binary.push(BinaryOp::Projection2);
            }
            if matches!(second, Type::Pair(..)) {
                binary.push(BinaryOp::ParallelProduct);
            }
        }
        if matches!(second, Type::Pair(..)) {
            binary.push(BinaryOp::DirectProduct);
        }
        let at = self.dice.below(unary.len() + binary.len() + 2);
        if at < unary.len() {
            self.unary(unary[at], &ty, depth)
        } else if at < unary.len() + binary.len() {
            self.binary(binary[at - unary.len()], &ty, depth)
        } else if matches!(first, Type::Given(_)) {
            let local = self.local(first.clone());
            self.bound.push(local.clone());
            let pred = Box::new(self.condition(&local, depth));
            let body = Box::new(self.expr(second, depth));
            self.bound.pop();
            self.make(ExprKind::Binder { binder: Binder::Lambda, locals: vec![local], pred, body }, ty)
        } else {
            self.leaf(&ty)
        }
    }

    /// A set of sets.
    fn space(&mut self, base: &Type, depth: usize) -> Expr {
        let ty = Type::set(Type::set(base.clone()));
        if let Type::Pair(first, _) = base {
            if **first == Type::Integer {
                let op = [UnaryOp::Iseq, UnaryOp::Iseq1, UnaryOp::Perm][self.dice.below(3)];
                return self.unary(op, &ty, 0);
            }
            let op = BinaryOp::Relations(FunctionKind::ALL[self.dice.below(FunctionKind::ALL.len())]);
            return self.binary(op, &ty, 0);
        }
        let op = [UnaryOp::Pow, UnaryOp::Pow1, UnaryOp::Fin, UnaryOp::Fin1][self.dice.below(4)];
        self.unary(op, &ty, depth.min(1))
    }

    /// An application of this operator with a result of this type.
    pub(crate) fn unary(&mut self, op: UnaryOp, ty: &Type, depth: usize) -> Expr {
        let element = ty.element().cloned();
        let pair = |ty: &Type| match ty {
            Type::Pair(a, b) => Some(((**a).clone(), (**b).clone())),
            _ => None,
        };
        let operand = match op {
            UnaryOp::Negate => Type::Integer,
            UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 => element.expect("a set of sets"),
            UnaryOp::Card => {
                [Type::set(given(S)), Type::relation(given(S), given(T)), Type::set(Type::set(given(S)))][self.dice.below(3)].clone()
            }
            UnaryOp::GeneralUnion | UnaryOp::GeneralInter => Type::set(ty.clone()),
            UnaryOp::Min | UnaryOp::Max => Type::set(Type::Integer),
            UnaryOp::Domain => Type::relation(element.expect("a set"), self.element_type()),
            UnaryOp::Range => Type::relation(self.element_type(), element.expect("a set")),
            UnaryOp::Identity => Type::set(pair(&element.expect("a relation")).expect("pairs").0),
            UnaryOp::Inverse => {
                let (a, b) = pair(&element.expect("a relation")).expect("pairs");
                Type::relation(b, a)
            }
            UnaryOp::Closure1 | UnaryOp::Front | UnaryOp::Tail | UnaryOp::Reverse => ty.clone(),
            UnaryOp::Function => {
                let (a, b) = pair(&element.expect("a relation")).expect("pairs");
                Type::relation(a, b.element().expect("a set").clone())
            }
            UnaryOp::Relation => {
                let (a, b) = pair(&element.expect("a relation")).expect("pairs");
                Type::relation(a, Type::set(b))
            }
            UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
                Type::set(pair(element.expect("sequences").element().expect("a sequence")).expect("pairs").1)
            }
            UnaryOp::Size => sequence_of(given(S)),
            UnaryOp::First | UnaryOp::Last => sequence_of(ty.clone()),
            UnaryOp::ConcatAll => sequence_of(ty.clone()),
            UnaryOp::First2 => Type::pair(ty.clone(), self.element_type()),
            UnaryOp::Second2 => Type::pair(self.element_type(), ty.clone()),
        };
        let operand = self.expr(&operand, depth);
        self.make(ExprKind::Unary(op, Box::new(operand)), ty.clone())
    }

    /// An application of this operator with a result of this type.
    pub(crate) fn binary(&mut self, op: BinaryOp, ty: &Type, depth: usize) -> Expr {
        let relation = |ty: &Type| match ty.element() {
            Some(Type::Pair(a, b)) => Some(((**a).clone(), (**b).clone())),
            _ => None,
        };
        let (left, right) = match op {
            BinaryOp::Pair => match ty {
                Type::Pair(a, b) => ((**a).clone(), (**b).clone()),
                _ => unreachable!("a pair has a pair type"),
            },
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::Power
            | BinaryOp::Interval => (Type::Integer, Type::Integer),
            BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference | BinaryOp::Override | BinaryOp::Concat => {
                (ty.clone(), ty.clone())
            }
            BinaryOp::Product => {
                let (a, b) = relation(ty).expect("a relation");
                (Type::set(a), Type::set(b))
            }
            BinaryOp::Relations(_) => {
                let (a, b) = relation(ty.element().expect("a set of relations")).expect("relations");
                (Type::set(a), Type::set(b))
            }
            BinaryOp::DirectProduct => {
                let (a, b) = relation(ty).expect("a relation");
                let Type::Pair(b, c) = b else { unreachable!("to pairs") };
                (Type::relation(a.clone(), (*b).clone()), Type::relation(a, (*c).clone()))
            }
            BinaryOp::ParallelProduct => {
                let (Type::Pair(a, b), Type::Pair(c, d)) = relation(ty).expect("a relation") else { unreachable!("between pairs") };
                (Type::relation((*a).clone(), (*c).clone()), Type::relation((*b).clone(), (*d).clone()))
            }
            BinaryOp::Compose => {
                let (a, b) = relation(ty).expect("a relation");
                let middle = self.element_type();
                (Type::relation(a, middle.clone()), Type::relation(middle, b))
            }
            BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => (Type::set(relation(ty).expect("a relation").0), ty.clone()),
            BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => (ty.clone(), Type::set(relation(ty).expect("a relation").1)),
            BinaryOp::Iterate | BinaryOp::TakeFirst | BinaryOp::DropFirst => (ty.clone(), Type::Integer),
            BinaryOp::Projection1 | BinaryOp::Projection2 => {
                let (Type::Pair(a, b), _) = relation(ty).expect("a relation") else { unreachable!("from pairs") };
                (Type::set((*a).clone()), Type::set((*b).clone()))
            }
            BinaryOp::Image => {
                let from = self.element_type();
                (Type::relation(from.clone(), ty.element().expect("a set").clone()), Type::set(from))
            }
            BinaryOp::Apply => {
                let from = self.element_type();
                (Type::relation(from.clone(), ty.clone()), from)
            }
            BinaryOp::InsertFront => (relation(ty).expect("a sequence").1, ty.clone()),
            BinaryOp::InsertTail => (ty.clone(), relation(ty).expect("a sequence").1),
        };
        let (left, right) = (self.expr(&left, depth), self.expr(&right, depth));
        self.make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty.clone())
    }

    /// A predicate.
    pub(crate) fn pred(&mut self, depth: usize) -> Pred {
        let kind = if depth == 0 {
            self.comparison(0)
        } else {
            let inner = depth - 1;
            match self.dice.below(8) {
                0 => PredKind::And(vec![self.pred(inner), self.pred(inner)]),
                1 => PredKind::Or(vec![self.pred(inner), self.pred(inner)]),
                2 => PredKind::Not(Box::new(self.pred(inner))),
                3 => PredKind::Implies(Box::new(self.pred(inner)), Box::new(self.pred(inner))),
                4 => PredKind::Equivalent(Box::new(self.pred(inner)), Box::new(self.pred(inner))),
                5 => {
                    let ty = self.element_type();
                    let local = self.local(ty);
                    self.bound.push(local.clone());
                    let hypothesis = self.condition(&local, inner);
                    let conclusion = self.pred(inner);
                    self.bound.pop();
                    if self.dice.below(2) == 0 {
                        let body = Pred { kind: PredKind::Implies(Box::new(hypothesis), Box::new(conclusion)), span: Span::nowhere() };
                        PredKind::Forall(vec![local], Box::new(body))
                    } else {
                        let body = Pred { kind: PredKind::And(vec![hypothesis, conclusion]), span: Span::nowhere() };
                        PredKind::Exists(vec![local], Box::new(body))
                    }
                }
                _ => self.comparison(inner),
            }
        };
        Pred { kind, span: Span::nowhere() }
    }

    fn comparison(&mut self, depth: usize) -> PredKind {
        let ops = COMPARISONS;
        let op = ops[self.dice.below(ops.len())];
        let ty = self.simple_type();
        let (left, right) = match op {
            Comparison::Less | Comparison::LessEqual | Comparison::Greater | Comparison::GreaterEqual => (Type::Integer, Type::Integer),
            Comparison::Equal | Comparison::NotEqual => {
                let ty = if self.dice.below(2) == 0 { Type::set(ty) } else { ty };
                (ty.clone(), ty)
            }
            Comparison::Member | Comparison::NotMember => (ty.clone(), Type::set(ty)),
            Comparison::Subset | Comparison::NotSubset | Comparison::StrictSubset | Comparison::NotStrictSubset => {
                (Type::set(ty.clone()), Type::set(ty))
            }
        };
        PredKind::Compare(op, Box::new(self.expr(&left, depth)), Box::new(self.expr(&right, depth)))
    }
}

/// All comparisons.
pub(crate) const COMPARISONS: [Comparison; 12] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Member,
    Comparison::NotMember,
    Comparison::Subset,
    Comparison::NotSubset,
    Comparison::StrictSubset,
    Comparison::NotStrictSubset,
    Comparison::Less,
    Comparison::LessEqual,
    Comparison::Greater,
    Comparison::GreaterEqual,
];

/// Every operator with one operand, with result types on which it is tried.
pub(crate) fn unary_operators() -> Vec<(UnaryOp, Type)> {
    let (s, t) = (given(S), given(T));
    let set = Type::set(s.clone());
    let relation = Type::relation(s.clone(), t.clone());
    let endo = Type::relation(s.clone(), s.clone());
    let sequence = sequence_of(s.clone());
    vec![
        (UnaryOp::Negate, Type::Integer),
        (UnaryOp::Pow, Type::set(set.clone())),
        (UnaryOp::Pow1, Type::set(set.clone())),
        (UnaryOp::Fin, Type::set(set.clone())),
        (UnaryOp::Fin1, Type::set(set.clone())),
        (UnaryOp::Card, Type::Integer),
        (UnaryOp::GeneralUnion, set.clone()),
        (UnaryOp::GeneralInter, set.clone()),
        (UnaryOp::Min, Type::Integer),
        (UnaryOp::Max, Type::Integer),
        (UnaryOp::Domain, set.clone()),
        (UnaryOp::Range, set.clone()),
        (UnaryOp::Identity, endo.clone()),
        (UnaryOp::Inverse, relation.clone()),
        (UnaryOp::Closure1, endo.clone()),
        (UnaryOp::Function, Type::relation(s.clone(), Type::set(t))),
        (UnaryOp::Relation, relation),
        (UnaryOp::Seq, Type::set(sequence.clone())),
        (UnaryOp::Seq1, Type::set(sequence.clone())),
        (UnaryOp::Iseq, Type::set(sequence.clone())),
        (UnaryOp::Iseq1, Type::set(sequence.clone())),
        (UnaryOp::Perm, Type::set(sequence.clone())),
        (UnaryOp::Size, Type::Integer),
        (UnaryOp::First, s.clone()),
        (UnaryOp::Last, s.clone()),
        (UnaryOp::Front, sequence.clone()),
        (UnaryOp::Tail, sequence.clone()),
        (UnaryOp::Reverse, sequence.clone()),
        (UnaryOp::ConcatAll, sequence),
        (UnaryOp::First2, s.clone()),
        (UnaryOp::Second2, s),
    ]
}

/// Every operator with two operands, with result types on which it is tried.
pub(crate) fn binary_operators() -> Vec<(BinaryOp, Type)> {
    let (s, t) = (given(S), given(T));
    let relation = Type::relation(s.clone(), t.clone());
    let endo = Type::relation(s.clone(), s.clone());
    let sequence = sequence_of(s.clone());
    let pair = Type::pair(s.clone(), t.clone());
    let mut all = vec![
        (BinaryOp::Pair, pair.clone()),
        (BinaryOp::Add, Type::Integer),
        (BinaryOp::Subtract, Type::Integer),
        (BinaryOp::Multiply, Type::Integer),
        (BinaryOp::Divide, Type::Integer),
        (BinaryOp::Modulo, Type::Integer),
        (BinaryOp::Power, Type::Integer),
        (BinaryOp::Interval, Type::set(Type::Integer)),
        (BinaryOp::Union, relation.clone()),
        (BinaryOp::Intersection, relation.clone()),
        (BinaryOp::Difference, relation.clone()),
        (BinaryOp::Product, relation.clone()),
        (BinaryOp::Override, relation.clone()),
        (BinaryOp::DirectProduct, Type::relation(s.clone(), Type::pair(t.clone(), s.clone()))),
        (BinaryOp::ParallelProduct, Type::relation(pair.clone(), Type::pair(t.clone(), s.clone()))),
        (BinaryOp::Compose, relation.clone()),
        (BinaryOp::DomainRestrict, relation.clone()),
        (BinaryOp::DomainSubtract, relation.clone()),
        (BinaryOp::RangeRestrict, relation.clone()),
        (BinaryOp::RangeSubtract, relation.clone()),
        (BinaryOp::Iterate, endo),
        (BinaryOp::Projection1, Type::relation(pair.clone(), s.clone())),
        (BinaryOp::Projection2, Type::relation(pair, t.clone())),
        (BinaryOp::Image, Type::set(s.clone())),
        (BinaryOp::Apply, s),
        (BinaryOp::Concat, sequence.clone()),
        (BinaryOp::InsertFront, sequence.clone()),
        (BinaryOp::InsertTail, sequence.clone()),
        (BinaryOp::TakeFirst, sequence.clone()),
        (BinaryOp::DropFirst, sequence),
    ];
    all.extend(FunctionKind::ALL.map(|kind| (BinaryOp::Relations(kind), Type::set(relation.clone()))));
    all
}
