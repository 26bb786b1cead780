//! Formulas of branching time.
//!
//! Invariant: `[op]` is `e(op)`; connectives are the only binary operators. Deliberately elsewhere: propositions.

use super::linear::binary;
use super::propositions::Propositions;
use bcheck_ir::temporal::{Branching, BranchingKind, LinearUnary, StateProposition};
use bcheck_syntax::ast::Quantifier;
use bcheck_syntax::temporal::{Temporal, TemporalKind, TemporalUnary};

impl Propositions<'_> {
    /// A formula of branching time.
    pub(super) fn branching(&mut self, tree: &Temporal) -> Branching {
        let span = tree.span;
        let kind = match &tree.kind {
            TemporalKind::Constant(value) => BranchingKind::Constant(*value),
            TemporalKind::Predicate(pred) => BranchingKind::State(StateProposition::Holds(self.pred(pred))),
            TemporalKind::Word(word) => BranchingKind::State(self.word(*word, span)),
            TemporalKind::Enabled(pattern) | TemporalKind::Taken(pattern) => {
                BranchingKind::State(StateProposition::Enabled(self.pattern(pattern)))
            }
            TemporalKind::Counted(counting, patterns) => BranchingKind::State(self.counted(*counting, patterns)),
            TemporalKind::Unary(_, body) => BranchingKind::Not(Box::new(self.branching(body))),
            TemporalKind::Binary(op, left, right) => {
                BranchingKind::Binary(binary(*op), Box::new(self.branching(left)), Box::new(self.branching(right)))
            }
            TemporalKind::Path(quantifier, op, step, body) => BranchingKind::Path {
                is_existential: *quantifier == Quantifier::Exists,
                operator: match op {
                    TemporalUnary::Globally => LinearUnary::Globally,
                    TemporalUnary::Finally => LinearUnary::Finally,
                    // The parser puts no other operator behind E and A.
                    _ => LinearUnary::Next,
                },
                step: step.as_ref().map(|step| self.pattern(step)),
                body: Box::new(self.branching(body)),
            },
            TemporalKind::Until(quantifier, before, after) => BranchingKind::Until {
                is_existential: *quantifier == Quantifier::Exists,
                before: Box::new(self.branching(before)),
                after: Box::new(self.branching(after)),
            },
            TemporalKind::Quantified { quantifier, name, condition, body } => {
                let (local, ty, condition, body) = self.quantified(name, condition, |this| this.branching(body));
                let is_universal = *quantifier == Quantifier::Forall;
                BranchingKind::Quantified { is_universal, local, ty, condition, body: Box::new(body) }
            }
            // Not in trees of CTL, or reported by the parser.
            TemporalKind::Compared(..)
            | TemporalKind::BeforeAfter(_)
            | TemporalKind::Pattern(_)
            | TemporalKind::Fair(..)
            | TemporalKind::Error => BranchingKind::State(Self::anything(span)),
        };
        Branching { kind, span }
    }
}
