//! Formulas of linear time.
//!
//! Invariant: fairness occurs outermost, below universal quantifiers only; elsewhere it is refused. Deliberately elsewhere: propositions,
//! the formulas of property patterns (`property_patterns`).

use super::propositions::Propositions;
use bcheck_ir::temporal::{Linear, LinearBinary, LinearKind, LinearUnary, StateProposition, StepProposition};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::Quantifier;
use bcheck_syntax::temporal::{Premise, Temporal, TemporalBinary, TemporalKind, TemporalUnary};

impl Propositions<'_> {
    /// A complete formula.
    pub(super) fn linear(&mut self, tree: &Temporal) -> Linear {
        self.linear_at(tree, true)
    }

    /// A part; `is_outermost`: it is enclosed by universal quantifiers only.
    fn linear_at(&mut self, tree: &Temporal, is_outermost: bool) -> Linear {
        let span = tree.span;
        let kind = match &tree.kind {
            TemporalKind::Constant(value) => LinearKind::Constant(*value),
            TemporalKind::Predicate(pred) => LinearKind::State(StateProposition::Holds(self.pred(pred))),
            TemporalKind::Word(word) => LinearKind::State(self.word(*word, span)),
            TemporalKind::Enabled(pattern) => LinearKind::State(StateProposition::Enabled(self.pattern(pattern))),
            TemporalKind::Counted(counting, patterns) => LinearKind::State(self.counted(*counting, patterns)),
            TemporalKind::Taken(pattern) => LinearKind::Step(StepProposition::Taken(self.pattern(pattern))),
            TemporalKind::Compared(trend, expr) => LinearKind::Step(self.compared(*trend, expr)),
            TemporalKind::BeforeAfter(pred) => LinearKind::Step(self.before_after(pred)),
            TemporalKind::Unary(op, body) => LinearKind::Unary(unary(*op), self.boxed(body)),
            TemporalKind::Binary(op, left, right) => LinearKind::Binary(binary(*op), self.boxed(left), self.boxed(right)),
            TemporalKind::Quantified { quantifier, name, condition, body } => {
                let is_universal = *quantifier == Quantifier::Forall;
                // A conjunction over values may share one assumption; below an existential quantifier each value would assume something
                // else.
                let below = is_outermost && is_universal;
                let (local, ty, condition, body) = self.quantified(name, condition, |this| this.linear_at(body, below));
                LinearKind::Quantified { is_universal, local, ty, condition, body: Box::new(body) }
            }
            TemporalKind::Pattern(pattern) => return self.property_pattern(pattern, span),
            TemporalKind::Fair(premise, body) => {
                if !is_outermost {
                    self.misplaced(premise, span);
                }
                let premises = self.fairness(premise);
                LinearKind::Fair(premises, Box::new(self.linear_at(body, false)))
            }
            // Not in trees of LTL, or reported by the parser.
            TemporalKind::Path(..) | TemporalKind::Until(..) | TemporalKind::Error => LinearKind::State(Self::anything(span)),
        };
        Linear { kind, span }
    }

    /// A part that is not outermost.
    pub(super) fn inner(&mut self, tree: &Temporal) -> Linear {
        self.linear_at(tree, false)
    }

    fn boxed(&mut self, tree: &Temporal) -> Box<Linear> {
        Box::new(self.inner(tree))
    }

    fn misplaced(&mut self, premise: &Premise, whole: Span) {
        self.report(
            Diagnostic::error(Code::NotSupportedEver, premise.span, "a fairness assumption cannot stand inside a formula")
                .label("an assumption about whole paths")
                .also(whole, "of this part only")
                .help(format!("write it in front of the whole formula: {premise} => f; only !x.({{p}} => …) may stand around it")),
        );
    }
}

fn unary(op: TemporalUnary) -> LinearUnary {
    match op {
        TemporalUnary::Not => LinearUnary::Not,
        TemporalUnary::Globally => LinearUnary::Globally,
        TemporalUnary::Finally => LinearUnary::Finally,
        TemporalUnary::Next => LinearUnary::Next,
        TemporalUnary::Historically => LinearUnary::Historically,
        TemporalUnary::Once => LinearUnary::Once,
        TemporalUnary::Yesterday => LinearUnary::Yesterday,
    }
}

pub(super) fn binary(op: TemporalBinary) -> LinearBinary {
    match op {
        TemporalBinary::And => LinearBinary::And,
        TemporalBinary::Or => LinearBinary::Or,
        TemporalBinary::Implies => LinearBinary::Implies,
        TemporalBinary::Equivalent => LinearBinary::Equivalent,
        TemporalBinary::Until => LinearBinary::Until,
        TemporalBinary::WeakUntil => LinearBinary::WeakUntil,
        TemporalBinary::Release => LinearBinary::Release,
        TemporalBinary::Since => LinearBinary::Since,
        TemporalBinary::Trigger => LinearBinary::Trigger,
    }
}
