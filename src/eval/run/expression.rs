//! Evaluating expressions.
//!
//! Invariant: every operator of the core language is handled here or in the files it names; an operand that is a description is
//! written out only where the operator needs its elements.

use super::external;
use super::frame::{Flow, Frame};
use crate::error::ill_defined;
use crate::plan::{ExprPlan, ExprPlanKind, Fold, PredPlan, Search};
use crate::thresholds::WRITTEN_PRODUCT;
use crate::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, UnaryOp};
use bcheck_source::Span;
use bcheck_value::SequenceKind;
use bcheck_value::cardinality::{Cardinality, cardinality, interval};
use bcheck_value::{IllDefined, Integer, Set, Symbolic, Value, relation, sequence};
use num_bigint::BigUint;
use std::sync::Arc;

fn described(symbolic: Symbolic) -> Value {
    Value::Symbolic(Arc::new(symbolic))
}

impl Frame<'_> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, plan: &ExprPlan) -> Result<Value, EvalError> {
        let span = plan.span;
        match &plan.kind {
            ExprPlanKind::Value(value) => Ok(value.clone()),
            ExprPlanKind::Slot(slot) => self.get(*slot, span).cloned(),
            ExprPlanKind::Unary(op, operand) => {
                let value = self.eval(operand)?;
                self.unary(*op, value, span)
            }
            ExprPlanKind::Binary(op, left, right) => {
                if *op == BinaryOp::Apply
                    && let Some(value) = self.apply_in_place(left, right, span)
                {
                    return value;
                }
                // From left to right, so that of two ill-defined operands the first is reported, on every tier.
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                if let (Value::Integer(_), Value::Integer(_)) = (&left, &right)
                    && *op != BinaryOp::Pair
                {
                    return arithmetic(*op, &left, &right).map_err(|kind| EvalError { kind, span });
                }
                self.binary(*op, left, right, span)
            }
            _ => self.eval_rarer(plan),
        }
    }

    /// `f(x)` for two names with values, neither of which is copied; `None` if the function is symbolic, or if that may matter to `x`.
    fn apply_in_place(&self, function: &ExprPlan, argument: &ExprPlan, span: Span) -> Option<Result<Value, EvalError>> {
        let (ExprPlanKind::Slot(function), ExprPlanKind::Slot(argument)) = (&function.kind, &argument.kind) else { return None };
        let (Value::Set(function), argument) = (self.content(*function)?, self.content(*argument)?) else { return None };
        (!argument.holds_description()).then(|| relation::apply(function, argument).or_else(|reason| ill_defined(reason, span)))
    }

    /// The less frequent cases: separate, because the hot part needs little stack.
    #[inline(never)]
    fn eval_rarer(&mut self, plan: &ExprPlan) -> Result<Value, EvalError> {
        let span = plan.span;
        match &plan.kind {
            ExprPlanKind::Value(_) | ExprPlanKind::Slot(_) | ExprPlanKind::Unary(..) | ExprPlanKind::Binary(..) => {
                unreachable!("in the hot part")
            }
            ExprPlanKind::SlotOrEmpty(slot) => Ok(self.get(*slot, span).cloned().unwrap_or_else(|_| Value::Set(Set::empty()))),
            ExprPlanKind::SetExtension(items) => {
                let values = self.items(items)?;
                Ok(Value::Set(self.set_of(values, plan.span)?))
            }
            ExprPlanKind::SequenceExtension(items) => Ok(Value::Set(sequence::from_sequence(self.items(items)?))),
            ExprPlanKind::Record(fields) => self.record(fields, span),
            ExprPlanKind::Struct(fields) => self.record_space(fields),
            ExprPlanKind::Field(record, name) => {
                let Value::Record(fields) = self.eval(record)? else { unreachable!("typed as a record") };
                match fields.iter().find(|(field, _)| field == name) {
                    Some((_, value)) => Ok(value.clone()),
                    None => ill_defined(IllDefined::NoSuchField(name.to_string()), span),
                }
            }
            ExprPlanKind::BoolOf(pred) => self.holds(pred).map(Value::Bool),
            ExprPlanKind::If(pred, then, otherwise) => self.choose(pred, then, otherwise),
            ExprPlanKind::Let(bindings, body) => {
                for (slot, value) in bindings {
                    let value = self.eval(value)?;
                    // Slots are distinct within a machine, so nothing has to be restored.
                    self.set(*slot, value);
                }
                self.eval(body)
            }
            ExprPlanKind::Comprehension(closure) => self.comprehension(closure),
            ExprPlanKind::Closure(closure) => self.closure_value(closure),
            ExprPlanKind::Fold(fold, search, body) => self.fold_binder(*fold, search, body, span),
            ExprPlanKind::ApplyExtension(pairs, argument) => self.apply_extension(pairs, argument, span),
            ExprPlanKind::Parts(whole) => {
                let whole = self.eval(whole)?;
                let whole = self.listed(whole, span)?;
                Ok(Value::Set(if let Value::Set(whole) = &whole { sequence::parts(whole) } else { Set::empty() }))
            }
            ExprPlanKind::External(function, arguments) => {
                // Not made explicit: CHOOSE and membership work on descriptions, and functions that need elements expand their argument
                // themselves.
                let values = arguments.iter().map(|argument| self.eval(argument)).collect::<Result<Vec<_>, _>>()?;
                external::call(self, *function, &values, span)
            }
        }
    }

    /// `rec(f : E, …)`
    fn record(&mut self, fields: &[(Arc<str>, ExprPlan)], span: Span) -> Result<Value, EvalError> {
        let mut values = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let value = self.eval(value)?;
            // Components of other values are explicit if they can be, so that equal values have equal forms.
            values.push((name.clone(), self.listed(value, span)?));
        }
        Ok(Value::Record(values.into()))
    }

    /// `struct(f : S, …)`
    fn record_space(&mut self, fields: &[(Arc<str>, ExprPlan)]) -> Result<Value, EvalError> {
        let mut sets = Vec::with_capacity(fields.len());
        for (name, set) in fields {
            sets.push((name.clone(), self.eval(set)?));
        }
        Ok(described(Symbolic::Struct(sets.into())))
    }

    /// `IF P THEN E ELSE F END`: only the chosen side is evaluated, as the other one may be ill-defined.
    fn choose(&mut self, pred: &PredPlan, then: &ExprPlan, otherwise: &ExprPlan) -> Result<Value, EvalError> {
        if self.holds(pred)? { self.eval(then) } else { self.eval(otherwise) }
    }

    /// The values of an extension's items, as elements of a set.
    fn items(&mut self, items: &[ExprPlan]) -> Result<Vec<Value>, EvalError> {
        items
            .iter()
            .map(|item| {
                let value = self.eval(item)?;
                self.listed(value, item.span)
            })
            .collect()
    }

    fn fold_binder(&mut self, fold: Fold, search: &Search, body: &ExprPlan, span: Span) -> Result<Value, EvalError> {
        match fold {
            Fold::Sum | Fold::Product => {
                // 0 and 1, the values of an empty sum and product.
                let mut total = Integer::from(i64::from(fold == Fold::Product));
                self.run(search, &mut |frame| {
                    let Value::Integer(value) = frame.eval(body)? else { unreachable!("typed as an integer") };
                    // A sum over any enumerable search has few more bits than its terms; only a product can outgrow the limit.
                    let larger = if fold == Fold::Sum { Some(total.add(&value)) } else { total.multiply(&value) };
                    total = larger.ok_or(EvalError { kind: EvalErrorKind::TooLarge, span })?;
                    Ok(Flow::Continue)
                })?;
                Ok(Value::Integer(total))
            }
            Fold::Union | Fold::Inter => {
                let mut combined: Option<Value> = None;
                self.run(search, &mut |frame| {
                    let value = frame.eval(body)?;
                    combined = Some(match combined.take() {
                        None => value,
                        // Values may be descriptions, so they are combined by the operators of expressions.
                        Some(before) if fold == Fold::Union => frame.union(before, value, span)?,
                        Some(before) => frame.intersection(before, value, span)?,
                    });
                    Ok(Flow::Continue)
                })?;
                match combined {
                    Some(value) => Ok(value),
                    None if fold == Fold::Union => Ok(Value::Set(Set::empty())),
                    None => ill_defined(IllDefined::InterOfEmpty, span),
                }
            }
        }
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Result<Value, EvalError> {
        let power = |base: Value, nonempty: bool, finite: bool| Ok(described(Symbolic::Power { base, nonempty, finite }));
        match op {
            UnaryOp::Negate => match value {
                Value::Integer(number) => Ok(Value::Integer(number.negate())),
                _ => unreachable!("typed as an integer"),
            },
            // Never expanded here: membership and inclusion work on the base, and a caller that needs the elements enumerates them.
            UnaryOp::Pow => power(value, false, false),
            UnaryOp::Pow1 => power(value, true, false),
            UnaryOp::Fin => power(value, false, true),
            UnaryOp::Fin1 => power(value, true, true),
            UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
                Ok(described(Symbolic::Sequences(SequenceKind::of(op).expect("these make sets of sequences"), value)))
            }
            UnaryOp::Card => match self.count(&value, span)? {
                Some(count) => Ok(Value::Integer(Integer::from(num_bigint::BigInt::from(count)))),
                None => ill_defined(IllDefined::CardOfInfinite, span),
            },
            UnaryOp::Min | UnaryOp::Max => self.extreme(&value, op == UnaryOp::Min, span),
            UnaryOp::Domain => self.domain(&value, span),
            UnaryOp::Range => self.range(&value, span),
            UnaryOp::Identity => match value {
                Value::Set(set) => Ok(Value::Set(relation::identity(&set))),
                base => Ok(described(Symbolic::Identity(base))),
            },
            UnaryOp::Inverse => Ok(self.inverse(&value)),
            UnaryOp::First2 | UnaryOp::Second2 => {
                let (first, second) = value.as_pair().expect("typed as a pair");
                Ok(if op == UnaryOp::First2 { first.clone() } else { second.clone() })
            }
            // For an infinite relation, each argument is followed when it is applied.
            UnaryOp::Closure1 => match self.listed(value, span)? {
                Value::Set(relation) => self.unary_on_explicit(op, &relation, span),
                relation => Ok(described(Symbolic::Transitive(relation))),
            },
            UnaryOp::GeneralUnion
            | UnaryOp::GeneralInter
            | UnaryOp::Function
            | UnaryOp::Relation
            | UnaryOp::Size
            | UnaryOp::First
            | UnaryOp::Last
            | UnaryOp::Front
            | UnaryOp::Tail
            | UnaryOp::Reverse
            | UnaryOp::ConcatAll => {
                let set = self.explicit(&value, span)?;
                self.unary_on_explicit(op, &set, span)
            }
        }
    }

    fn extreme(&mut self, set: &Value, least: bool, span: Span) -> Result<Value, EvalError> {
        use bcheck_ir::IntegerSet;
        if let Value::Symbolic(symbolic) = set {
            match (&**symbolic, least) {
                // A symbolic interval is not empty.
                (Symbolic::Interval(from, _), true) => return Ok(Value::Integer(from.clone())),
                (Symbolic::Interval(_, to), false) => return Ok(Value::Integer(to.clone())),
                (Symbolic::Integers(IntegerSet::Natural), true) => return Ok(Value::integer(0)),
                (Symbolic::Integers(IntegerSet::Natural1), true) => return Ok(Value::integer(1)),
                // After the cases of NATURAL and NATURAL1, only INTEGER is left.
                (Symbolic::Integers(_), true) => return ill_defined(IllDefined::MinOfUnbounded, span),
                (Symbolic::Integers(_), false) => return ill_defined(IllDefined::MaxOfUnbounded, span),
                _ => {}
            }
        }
        let set = self.explicit(set, span)?;
        // Elements have no `min`, so all members are integers, and the order of values is that of integers.
        let found = if least { set.iter().min() } else { set.iter().max() };
        match found {
            Some(value) => Ok(value),
            None => ill_defined(if least { IllDefined::MinOfEmpty } else { IllDefined::MaxOfEmpty }, span),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match op {
            BinaryOp::Pair => Ok(Value::pair(self.listed(left, span)?, self.listed(right, span)?)),
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::Power
            | BinaryOp::Interval => arithmetic(op, &left, &right).map_err(|kind| EvalError { kind, span }),
            BinaryOp::Union => self.union(left, right, span),
            BinaryOp::Intersection => self.intersection(left, right, span),
            BinaryOp::Difference => self.difference(left, right, span),
            BinaryOp::Apply => self.apply(&left, &right, span),
            BinaryOp::Image => self.image(&left, &right, span),
            BinaryOp::Product => self.product(left, right),
            BinaryOp::Relations(kind) => Ok(described(Symbolic::Functions(kind, left, right))),
            BinaryOp::Override => self.relational(left, right, [first, first], relation::override_with, Symbolic::Override, span),
            BinaryOp::DirectProduct => {
                self.relational(left, right, [first, first], relation::direct_product, Symbolic::DirectProduct, span)
            }
            BinaryOp::ParallelProduct => self.parallel_product(left, right, span),
            BinaryOp::Compose => self.compose(left, right, span),
            BinaryOp::DomainRestrict => self.restrict_domain(left, right, span),
            BinaryOp::DomainSubtract => {
                let description = |set, relation| Symbolic::DomainRestrict(set, relation, true);
                self.relational(left, right, [whole, first], relation::domain_subtract, description, span)
            }
            BinaryOp::RangeRestrict => {
                let description = |relation, set| Symbolic::RangeRestrict(relation, set, false);
                self.relational(left, right, [second, whole], relation::range_restrict, description, span)
            }
            BinaryOp::RangeSubtract => {
                let description = |relation, set| Symbolic::RangeRestrict(relation, set, true);
                self.relational(left, right, [second, whole], relation::range_subtract, description, span)
            }
            BinaryOp::Iterate => self.iterate(left, &right, span),
            BinaryOp::Projection1 | BinaryOp::Projection2 => {
                let (left, right) = (self.explicit(&left, span)?, self.explicit(&right, span)?);
                Ok(Value::Set(if op == BinaryOp::Projection1 { relation::prj1(&left, &right) } else { relation::prj2(&left, &right) }))
            }
            BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail | BinaryOp::TakeFirst | BinaryOp::DropFirst => {
                self.sequence_operator(op, &left, &right, span)
            }
        }
    }

    fn sequence_operator(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Result<Value, EvalError> {
        let number = |value: &Value| value.as_integer().cloned().expect("typed as an integer");
        // Sequences are finite, so these operands are written out.
        let result = match op {
            BinaryOp::Concat => sequence::concat(&self.explicit(left, span)?, &self.explicit(right, span)?),
            BinaryOp::InsertFront => {
                let element = self.listed(left.clone(), span)?;
                sequence::insert_front(element, &self.explicit(right, span)?)
            }
            BinaryOp::InsertTail => {
                let element = self.listed(right.clone(), span)?;
                sequence::insert_tail(&self.explicit(left, span)?, element)
            }
            BinaryOp::TakeFirst => sequence::take_first(&self.explicit(left, span)?, &number(right)),
            BinaryOp::DropFirst => sequence::drop_first(&self.explicit(left, span)?, &number(right)),
            _ => unreachable!("only operators on sequences come here"),
        };
        result.map(Value::Set).or_else(|reason| ill_defined(reason, span))
    }

    /// `A * B`: written out when small, since it is often a relation that is then modified.
    fn product(&mut self, left: Value, right: Value) -> Result<Value, EvalError> {
        if let (Value::Set(left), Value::Set(right)) = (&left, &right)
            && left.len().saturating_mul(right.len()) <= WRITTEN_PRODUCT.get()
        {
            return Ok(Value::Set(relation::product(left, right)));
        }
        Ok(described(Symbolic::Product(left, right)))
    }

    /// `(r || s)`: a product of relations.
    fn parallel_product(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        match (cardinality(&left), cardinality(&right)) {
            // Counted before anything is expanded: operands may be small and their product large.
            (Cardinality::Finite(a), Cardinality::Finite(b)) if a.clone() * &b > BigUint::from(WRITTEN_PRODUCT.get()) => {
                Ok(described(Symbolic::ParallelProduct(left, right)))
            }
            _ => self.relational(left, right, [first, first], relation::parallel_product, Symbolic::ParallelProduct, span),
        }
    }

    /// An operator on two explicit sets that becomes symbolic when one of them cannot be expanded. It compares the parts of the elements
    /// of either side that `compared` returns.
    fn relational(
        &mut self,
        left: Value,
        right: Value,
        compared: [ElementPart; 2],
        explicit: fn(&Set, &Set) -> Set,
        description: impl FnOnce(Value, Value) -> Symbolic,
        span: Span,
    ) -> Result<Value, EvalError> {
        if let Some((one, other)) = self.both_explicit(&left, &right, span)?
            && !hold_description(&one, compared[0])
            && !hold_description(&other, compared[1])
        {
            return Ok(Value::Set(explicit(&one, &other)));
        }
        // Equal parts may differ in form, which operators on explicit sets would miss, but membership does not. And the result may be
        // finite although an operand is infinite, as in `r |> S`.
        self.listed(described(description(left, right)), span)
    }

    /// `S <| r`: the explicit operand limits how much of the other one is computed.
    fn restrict_domain(&mut self, set: Value, relation: Value, span: Span) -> Result<Value, EvalError> {
        // An infinite relation need only be applied to the elements of an explicit set.
        if let (Value::Set(set), Value::Symbolic(_)) = (&set, &relation) {
            let mut pairs = Vec::new();
            for argument in set.iter() {
                self.related(&relation, &argument, span, &mut |frame, value| {
                    let value = frame.listed(value, span)?;
                    pairs.push(Value::pair(argument.clone(), value));
                    Ok(Flow::Continue)
                })?;
            }
            return Ok(Value::Set(self.set_of(pairs, span)?));
        }
        // An infinite set need only be tested for the arguments of an explicit relation.
        if let (Value::Symbolic(_), Value::Set(relation)) = (&set, &relation) {
            return self.with_first_in(&set, relation, span);
        }
        let description = |set, relation| Symbolic::DomainRestrict(set, relation, false);
        self.relational(set, relation, [whole, first], relation::domain_restrict, description, span)
    }

    /// `(r ; s)`: for an explicit r only the images of its range under s are needed.
    fn compose(&mut self, left: Value, right: Value, span: Span) -> Result<Value, EvalError> {
        // An infinite relation need only be applied at finitely many middles.
        if let (Value::Set(first), Value::Symbolic(_)) = (&left, &right) {
            let mut pairs = Vec::new();
            for pair in first.iter() {
                let (argument, middle) = pair.as_pair().expect("elements of a relation are pairs");
                self.related(&right, middle, span, &mut |frame, value| {
                    let value = frame.listed(value, span)?;
                    pairs.push(Value::pair(argument.clone(), value));
                    Ok(Flow::Continue)
                })?;
            }
            return Ok(Value::Set(self.set_of(pairs, span)?));
        }
        match self.relational(left, right, [second, first], relation::compose, Symbolic::Compose, span)? {
            // Without the middles, pairs may differ in form only.
            Value::Set(pairs) => Ok(Value::Set(self.merged(pairs, span)?)),
            composed => Ok(composed),
        }
    }
}

/// A part of the elements of a set.
type ElementPart = fn(&Value) -> &Value;

fn whole(element: &Value) -> &Value {
    element
}

fn first(pair: &Value) -> &Value {
    pair.as_pair().expect("elements of a relation are pairs").0
}

fn second(pair: &Value) -> &Value {
    pair.as_pair().expect("elements of a relation are pairs").1
}

/// Whether one of these parts is, or holds, a description. Elements have one type, so the first one is enough for most sets.
fn hold_description(set: &Set, part: ElementPart) -> bool {
    set.first_element().is_some_and(|element| !part(&element).is_plain()) && set.iter().any(|element| part(&element).holds_description())
}

/// Arithmetic and `..`; numbers beyond the limit on bits are a separate error, not ill-defined.
fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, EvalErrorKind> {
    let (Value::Integer(a), Value::Integer(b)) = (left, right) else { unreachable!("typed as integers") };
    Ok(match op {
        BinaryOp::Add => Value::Integer(a.add(b)),
        BinaryOp::Subtract => Value::Integer(a.subtract(b)),
        BinaryOp::Multiply => Value::Integer(a.multiply(b).ok_or(EvalErrorKind::TooLarge)?),
        BinaryOp::Divide => Value::Integer(a.divide(b)?),
        BinaryOp::Modulo => Value::Integer(a.modulo(b)?),
        BinaryOp::Power => Value::Integer(a.power(b)?.ok_or(EvalErrorKind::TooLarge)?),
        BinaryOp::Interval => interval(a, b),
        _ => unreachable!("only arithmetic operators and `..` come here"),
    })
}
