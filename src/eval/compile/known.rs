//! Values known at compile time: the set of all values of a type, and the values of closed expressions.
//!
//! Invariant: such a value equals the one at run time. Work is limited only by a budget (`folding_work`, and for the tests of
//! [`Names::first_fitting`]), which counts the steps of loops, as evaluation does.

use super::Compiler;
use super::cost;
use super::names::Names;
use crate::plan::{ExprPlanKind, PredPlan, PredPlanKind, Slot};
use crate::run::frame::Frame;
use crate::thresholds::{LISTED_FREE_VALUES, TESTED_CONSTANTS_WORK};
use bcheck_ir::{Comparison, Expr, FreeType, FreeTypeDeclaration, IntegerSet, Type};
use bcheck_source::Span;
use bcheck_value::cardinality::interval;
use bcheck_value::{Integer, Set, Symbolic, Value};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'c> Names<'c> {
    /// The set of all values of a type; a symbolic set for infinite types and for those made of others.
    pub(crate) fn type_set(&self, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Set(Set::from_values(vec![Value::Bool(false), Value::Bool(true)])),
            Type::Integer => Value::Symbolic(Arc::new(Symbolic::Integers(IntegerSet::Integer))),
            Type::String => Value::Symbolic(Arc::new(Symbolic::Strings)),
            Type::Given(set) => Value::Set(Set::full(*set, self.scope().size(*set))),
            Type::Free(free) => self.free_values(free).unwrap_or_else(|| {
                let is_finite = is_finite(&self.model.free_types, ty, &mut Vec::new());
                Value::Symbolic(Arc::new(Symbolic::Free { name: free.name.clone(), is_finite }))
            }),
            Type::Set(element) => {
                // A description, because the list would have 2^n elements; membership in it is decided by membership in the base.
                let base = self.type_set(element);
                Value::Symbolic(Arc::new(Symbolic::Power { base, nonempty: false, finite: false }))
            }
            Type::Pair(first, second) => Value::Symbolic(Arc::new(Symbolic::Product(self.type_set(first), self.type_set(second)))),
            Type::Record(fields) => {
                Value::Symbolic(Arc::new(Symbolic::Struct(fields.iter().map(|(name, ty)| (name.clone(), self.type_set(ty))).collect())))
            }
        }
    }

    /// All values of a free type, if they can be enumerated.
    fn free_values(&self, free: &FreeType) -> Option<Value> {
        let is_listed = |ty: &Type| cost::type_cost(self, ty) <= LISTED_FREE_VALUES.get();
        let mut values = Vec::new();
        for (name, argument) in &self.model.free_types.get(&*free.name)?.cases {
            let Some(argument) = argument else {
                values.push(Value::free(name, None));
                continue;
            };
            // A recursive type has infinitely many values.
            if is_recursive(&self.model.free_types, argument, &free.name, &mut BTreeSet::new()) || !is_listed(argument) {
                return None;
            }
            let arguments = self.folding_frame().explicit(&self.type_set(argument), Span::nowhere()).ok()?;
            values.extend(arguments.iter().map(|argument| Value::free(name, Some(argument))));
        }
        Some(Value::set(values))
    }

    pub(super) fn integer_set(&self, which: IntegerSet) -> Value {
        let interval = |from: i64, to: i64| interval(&Integer::from(from), &Integer::from(to));
        match which {
            IntegerSet::Integer | IntegerSet::Natural | IntegerSet::Natural1 => Value::Symbolic(Arc::new(Symbolic::Integers(which))),
            IntegerSet::Int => interval(self.scope().minint, self.scope().maxint),
            IntegerSet::Nat => interval(0, self.scope().maxint),
            IntegerSet::Nat1 => interval(1, self.scope().maxint),
        }
    }

    /// Whether a test only states that a bound name has a value of its type: `n : Name`, where `Name` is a whole given set.
    pub(crate) fn follows_from_type(&self, test: &PredPlan, bound: &[(Slot, Type)]) -> bool {
        let PredPlanKind::Compare(Comparison::Member, element, set) = &test.kind else { return false };
        match (&element.kind, &element.ty, &set.kind) {
            (ExprPlanKind::Slot(slot), ty @ (Type::Bool | Type::Integer | Type::String | Type::Given(_)), ExprPlanKind::Value(set)) => {
                bound.iter().any(|(own, _)| own == slot) && *set == self.type_set(ty)
            }
            _ => false,
        }
    }

    /// The number that an integer expression without names is equal to, if it has a value that fits.
    pub(crate) fn closed_integer(&self, expr: &Expr) -> Option<i64> {
        if expr.ty != Type::Integer || !self.slots_of_expr(expr).is_empty() {
            return None;
        }
        // A separate compiler, because a view is immutable. An expression that does not fold is ill-defined, or is left to the run.
        let mut compiler = Compiler::resume(self.model, self.context);
        compiler.folding_work = self.folding_work;
        match compiler.expr(expr).kind {
            ExprPlanKind::Value(Value::Integer(number)) => number.to_i64(),
            _ => None,
        }
    }

    /// The first number that no test refutes, when a slot has it; the first one left where that takes too long.
    pub(crate) fn first_fitting(&self, slot: Slot, tests: &[PredPlan], mut numbers: impl Iterator<Item = i64>) -> Option<i64> {
        let mut frame = Frame::new(self.context, &[]);
        frame.limits.limit_work(TESTED_CONSTANTS_WORK.get());
        numbers.find(|number| {
            // Simple tests cost nothing by themselves, but there may be 2^64 numbers.
            if frame.tick(Span::nowhere()).is_err() {
                return true;
            }
            frame.set(slot, Value::integer(*number));
            tests.iter().all(|test| match frame.holds(test) {
                Ok(holds) => holds,
                // A test that could not be decided within the budget refutes nothing, so the next number passes. An ill-defined test
                // refutes the number: the conjunct does not hold for it.
                Err(error) => !error.kind.is_ill_defined(),
            })
        })
    }

    /// The frame in which closed expressions are evaluated.
    pub(super) fn folding_frame(&self) -> Frame<'c> {
        let mut frame = Frame::new(self.context, &[]);
        if let Some(work) = self.folding_work {
            frame.limits.limit_work(work);
        }
        frame
    }
}

/// Whether a type has finitely many values, however many; `around` are the free types that it is a part of.
fn is_finite(free_types: &IndexMap<String, FreeTypeDeclaration>, ty: &Type, around: &mut Vec<Arc<str>>) -> bool {
    match ty {
        Type::Bool | Type::Given(_) => true,
        Type::Integer | Type::String => false,
        Type::Set(element) => is_finite(free_types, element, around),
        Type::Pair(first, second) => is_finite(free_types, first, around) && is_finite(free_types, second, around),
        Type::Record(fields) => fields.iter().all(|(_, ty)| is_finite(free_types, ty, around)),
        Type::Free(free) => {
            if around.contains(&free.name) {
                return false;
            }
            around.push(free.name.clone());
            let cases = free_types.get(&*free.name).into_iter().flat_map(|declaration| &declaration.cases);
            let is_finite = cases.filter_map(|(_, argument)| argument.as_ref()).all(|argument| is_finite(free_types, argument, around));
            around.pop();
            is_finite
        }
    }
}

/// Whether values of a type may contain values of a free type.
fn is_recursive(free_types: &IndexMap<String, FreeTypeDeclaration>, ty: &Type, of: &str, met: &mut BTreeSet<Arc<str>>) -> bool {
    let mut inside = |ty: &Type| is_recursive(free_types, ty, of, met);
    match ty {
        Type::Bool | Type::Integer | Type::String | Type::Given(_) => false,
        Type::Set(element) => inside(element),
        Type::Pair(first, second) => inside(first) || inside(second),
        Type::Record(fields) => fields.iter().any(|(_, ty)| inside(ty)),
        Type::Free(free) if *free.name == *of => true,
        // Visited already. If that type contains itself, it has infinitely many values; the caller checks this by `type_cost`.
        Type::Free(free) if !met.insert(free.name.clone()) => false,
        Type::Free(free) => {
            let cases = free_types.get(&*free.name).into_iter().flat_map(|declaration| &declaration.cases);
            cases.filter_map(|(_, argument)| argument.as_ref()).any(|argument| is_recursive(free_types, argument, of, met))
        }
    }
}
