//! Questions: for which values of its free names is a predicate true?
//!
//! The names are treated like constants in PROPERTIES: ordered or solved together, and unbounded integers are tried in a range, which is
//! recorded. Invariant: every answer within those ranges is visited, each once; and every visited one satisfies the predicate as written,
//! with its infinite sets and not only with the ranges in their places. Deliberately elsewhere: which names of a formula are free (`sema`),
//! how many answers are wanted (`cli`).

use super::EvalError;
use super::compile::Compiler;
use super::machine::Machine;
use super::plan::{Action, Search, Slot, TriedRange};
use super::run::context::Context;
use super::run::distinct::DistinctWish;
use super::run::frame::Frame;
use crate::thresholds::SOLVED_PROPERTIES;
use bcheck_ir::{LocalId, Model, Pred, Type};
use bcheck_value::{Renaming, Valuation, Value};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A compiled question.
#[derive(Debug)]
pub struct Question {
    context: Context,
    search: Search,
    names: Vec<Slot>,
    tried: BTreeSet<TriedRange>,
}

impl Machine {
    /// Compiles a question about names of this machine's model. Integers that nothing bounds are tried from `range.0` to `range.1`; by
    /// default, from MININT to MAXINT.
    #[must_use]
    pub fn compile_question(&self, names: &[(LocalId, Type)], pred: &Pred, range: Option<(i64, i64)>) -> Question {
        let mut compiler = Compiler::resume(self.model(), self.context());
        compiler.default_range = range.unwrap_or(compiler.default_range);
        let names = compiler.names().with_slots(names);
        let search = compiler.constants(&names, &[pred], pred.span, SOLVED_PROPERTIES.get());
        let Compiler { context, notes, .. } = compiler;
        Question { context, search, names: names.into_iter().map(|(slot, _)| slot).collect(), tried: notes.tried }
    }
}

impl Question {
    /// Names that nothing bounds, with the ranges that are tried for their integers: there may be answers outside of these.
    #[must_use]
    pub fn tried(&self) -> &BTreeSet<TriedRange> {
        &self.tried
    }

    /// The model with the comprehensions of this question as well, which its answers may be printed with.
    #[must_use]
    pub fn model(&self) -> Arc<Model> {
        self.context.model_of_formula()
    }

    /// The estimated number of bindings that a plain search visits.
    #[must_use]
    pub fn cost(&self) -> f64 {
        // Where names are solved together, the estimate of the search leaves them out; its fallback has the estimate for all names.
        let plain = self.search.actions.iter().find_map(|action| if let Action::Solve { plain, .. } = action { Some(plain) } else { None });
        plain.map_or(self.search.cost, |plain| plain.cost)
    }

    /// Visits the answers in a state, each once: the values of the names, in the order of the question.
    ///
    /// # Errors
    /// When a name cannot be enumerated, or the predicate decided for some values, and when it is ill-defined for some values and true for
    /// none.
    pub fn for_each_answer(&self, state: &[Value], visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>) -> Result<(), EvalError> {
        self.for_each_answer_but_images(state, &[], visit)
    }

    /// As [`Self::for_each_answer`], but answers may be left out that are images of others under some of these renamings, which must
    /// preserve the predicate and the values in the state that it mentions.
    ///
    /// # Errors
    /// As [`Self::for_each_answer`].
    pub fn for_each_answer_but_images(
        &self,
        state: &[Value],
        renamings: &[Renaming],
        visit: &mut dyn FnMut(Valuation) -> ControlFlow<()>,
    ) -> Result<(), EvalError> {
        // Cutting sets of integers to a range changes sets of functions on them: `f : NATURAL --> BOOL` finds functions on 0..MAXINT, which
        // are not answers. So the predicate is evaluated again on each binding.
        let wish = DistinctWish { is_tested: !self.tried.is_empty(), renamings, assumes_unknown: false };
        Frame::new(&self.context, state).each_distinct(&self.search, &self.names, wish, visit).map(drop)
    }

    /// The error for a question without an answer; `None` where no range was cut, so that there is certainly no answer.
    #[must_use]
    pub fn none_within_ranges(&self) -> Option<EvalError> {
        self.tried.first().map(TriedRange::none_inside)
    }
}
