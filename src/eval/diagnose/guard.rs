//! The conjuncts of a guard, to be evaluated in many states: which of them disable the operation there.
//!
//! Invariant: a conjunct without open parameters counts as false where it is, or has no value; one with parameters where no values of them
//! satisfy it and the open conjuncts before it, while those before it leave some. Deliberately elsewhere: the first obstacle in one state,
//! with values (`obstacle`).

use crate::compile::Compiler;
use crate::order;
use crate::order::conjuncts::conjuncts;
use crate::plan::{PredPlan, Search, Slot};
use crate::run::context::Context;
use crate::run::frame::{Flow, Frame};
use crate::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{OperationId, Pred, Type};
use bcheck_value::Value;
use std::collections::BTreeSet;

/// The compiled conjuncts of the guard of one operation.
#[derive(Debug)]
pub struct GuardConjuncts {
    context: Context,
    preds: Vec<Pred>,
    tests: Vec<GuardTest>,
}

/// How a conjunct is tested.
#[derive(Debug)]
enum GuardTest {
    /// It reads no parameters.
    Closed(PredPlan),
    /// The search for values of parameters that satisfy it and the open conjuncts before it.
    Open(Search),
}

impl Machine {
    /// The conjuncts of the guard of an operation.
    #[must_use]
    pub fn guard_conjuncts(&self, operation: OperationId) -> GuardConjuncts {
        let mut compiler = Compiler::resume(self.model(), self.context());
        let mut guards: Vec<Pred> = self.model().expanded.iter().cloned().collect();
        let mut open: Vec<(Slot, Type)> = Vec::new();
        if let Some((_, operation)) = self.model().operations.get_index(operation.index()) {
            order::collect_shown_guards(&mut compiler, &operation.body, &mut guards);
            open.extend(operation.parameters.iter().map(|(_, id, ty)| (compiler.names().local_slot(*id), ty.clone())));
        }
        let preds = conjuncts(&guards.iter().collect::<Vec<_>>());
        let (mut tests, mut before): (Vec<GuardTest>, Vec<&Pred>) = (Vec::new(), Vec::new());
        let slots: BTreeSet<Slot> = open.iter().map(|(slot, _)| *slot).collect();
        for pred in &preds {
            if compiler.names().slots_of_pred(pred).is_disjoint(&slots) {
                tests.push(GuardTest::Closed(compiler.pred(pred)));
                continue;
            }
            before.push(pred);
            // A parameter that no conjunct so far mentions may have any value.
            let mentioned: BTreeSet<Slot> = before.iter().flat_map(|pred| compiler.names().slots_of_pred(pred)).collect();
            let names: Vec<(Slot, Type)> = open.iter().filter(|(slot, _)| mentioned.contains(slot)).cloned().collect();
            tests.push(GuardTest::Open(compiler.choice(&names, &before, pred.span)));
        }
        GuardConjuncts { context: compiler.context, preds, tests }
    }
}

impl GuardConjuncts {
    /// The conjuncts, in the order of the text.
    #[must_use]
    pub fn preds(&self) -> &[Pred] {
        &self.preds
    }

    /// Whether each conjunct reads parameters of the operation.
    pub fn are_open(&self) -> impl Iterator<Item = bool> {
        self.tests.iter().map(|test| matches!(test, GuardTest::Open(_)))
    }

    /// Which conjuncts disable the operation in a state. One that cannot be decided does not count.
    ///
    /// # Errors
    /// An interrupt only.
    pub fn false_in(&self, state: &[Value]) -> Result<Vec<bool>, EvalError> {
        let mut frame = Frame::new(&self.context, state);
        let mut is_left = true;
        let mut all = Vec::with_capacity(self.tests.len());
        for test in &self.tests {
            let result = match test {
                GuardTest::Closed(plan) => frame.holds(plan).map(|holds| !holds),
                // Without values for the conjuncts before, this one has none either.
                GuardTest::Open(_) if !is_left => Ok(false),
                GuardTest::Open(search) => {
                    let mut is_found = false;
                    let run = frame.run_guard(search, &mut |_| {
                        is_found = true;
                        Ok(Flow::Stop)
                    });
                    run.map(|_| {
                        is_left = is_found;
                        !is_found
                    })
                }
            };
            all.push(match result {
                Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
                Err(error) => error.kind.is_ill_defined(),
                Ok(is_false) => is_false,
            });
        }
        Ok(all)
    }
}
