//! Formulas of both logics: the operators around propositions.
//!
//! Invariant: fairness is outermost, below universal quantifiers only; elsewhere it is refused. In branching time `[op]` is `e(op)`.
//! Deliberately elsewhere: propositions, the formulas that patterns denote (`property_patterns`), which operators a logic has (`syntax`).

use super::propositions::Propositions;
use bcheck_ir::temporal::{self as ir, Prefix, StateProposition, StepProposition, TemporalProposition};
use bcheck_source::{Code, Diagnostic, Logic, Span};
use bcheck_syntax::ast::Quantifier;
use bcheck_syntax::temporal::{self as written, Premise, Proposition, Temporal, TemporalKind};

impl Propositions<'_> {
    /// A whole formula.
    pub(super) fn formula(&mut self, tree: &Temporal) -> ir::Temporal {
        self.formula_at(tree, true)
    }

    /// A part; `is_outermost`: only universal quantifiers are around it.
    fn formula_at(&mut self, tree: &Temporal, is_outermost: bool) -> ir::Temporal {
        use ir::TemporalKind as To;
        let span = tree.span;
        let kind = match &tree.kind {
            TemporalKind::Constant(value) => To::Constant(*value),
            TemporalKind::Proposition(Proposition::Pattern(pattern)) => return self.property_pattern(pattern, span),
            TemporalKind::Proposition(proposition) => To::Proposition(self.proposition(proposition, span)),
            TemporalKind::Unary(op, body) => To::Unary(*op, self.boxed(body)),
            TemporalKind::Binary(op, left, right) => To::Binary(*op, self.boxed(left), self.boxed(right)),
            TemporalKind::Prefixed(written::Prefix::Path(quantifier, step), path) => {
                let step = step.as_ref().map(|step| self.pattern(step));
                To::Prefixed(Prefix::Path { is_existential: *quantifier == Quantifier::Exists, step }, self.boxed(path))
            }
            TemporalKind::Prefixed(written::Prefix::Quantified { quantifier, name, condition }, body) => {
                let is_universal = *quantifier == Quantifier::Forall;
                // A conjunction over values may share one assumption; below an existential quantifier each value would assume something
                // else.
                let below = is_outermost && is_universal;
                let (local, ty, condition, body) = self.quantified(name, condition, |this| this.formula_at(body, below));
                To::Prefixed(Prefix::Quantified { is_universal, local, ty, condition }, Box::new(body))
            }
            TemporalKind::Prefixed(written::Prefix::Fair(premise), body) => {
                if !is_outermost {
                    self.misplaced(premise, span);
                }
                let premises = self.fairness(premise);
                To::Prefixed(Prefix::Fair(premises), Box::new(self.formula_at(body, false)))
            }
        };
        ir::Temporal { kind, span }
    }

    /// A part that is not outermost.
    pub(super) fn inner(&mut self, tree: &Temporal) -> ir::Temporal {
        self.formula_at(tree, false)
    }

    fn boxed(&mut self, tree: &Temporal) -> Box<ir::Temporal> {
        Box::new(self.inner(tree))
    }

    fn proposition(&mut self, proposition: &Proposition, span: Span) -> TemporalProposition {
        use TemporalProposition::{State, Step};
        match proposition {
            Proposition::Predicate(pred) => State(StateProposition::Holds(self.pred(pred))),
            Proposition::Word(word) => State(self.word(*word, span)),
            Proposition::Enabled(pattern) => State(StateProposition::Enabled(self.pattern(pattern))),
            Proposition::Taken(pattern) => match self.logic {
                Logic::Ltl => Step(StepProposition::Taken(self.pattern(pattern))),
                Logic::Ctl => State(StateProposition::Enabled(self.pattern(pattern))),
            },
            Proposition::Counted(counting, patterns) => State(self.counted(*counting, patterns)),
            Proposition::Compared(trend, expr) => Step(self.compared(*trend, expr)),
            Proposition::BeforeAfter(pred) => Step(self.before_after(pred)),
            Proposition::Pattern(_) => unreachable!("a pattern stands for a formula"),
            // Reported by the parser.
            Proposition::Error => State(Self::anything(span)),
        }
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
