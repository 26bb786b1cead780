//! Fairness assumptions: a conjunction of disjunctive normal forms.
//!
//! Invariant: the assumption is equivalent to the conjunction of the returned ones, which have at most [`MAX_ALTERNATIVES`] alternatives
//! together. Deliberately elsewhere: which assumptions can be joined (`syntax::temporal`), where they may occur (`linear`), which
//! alternatives follow from others (`explore::temporal`, where patterns have numbers).

use super::propositions::Propositions;
use bcheck_ir::temporal::{FairnessKind, Pattern};
use bcheck_source::{Code, Diagnostic};
use bcheck_syntax::temporal::{Premise, PremiseKind};

/// The limit on alternatives of an assumption: the formula is judged once for each, and distributing `&` over `or` multiplies them.
const MAX_ALTERNATIVES: usize = 1_024;

impl Propositions<'_> {
    /// The assumptions of a formula.
    pub(super) fn fairness(&mut self, premise: &Premise) -> Vec<FairnessKind> {
        // Before anything is distributed.
        if count(premise) > MAX_ALTERNATIVES {
            let title = format!("this assumption has more than {MAX_ALTERNATIVES} alternatives in disjunctive normal form");
            let help = "assume less: fewer disjunctions that are joined by &";
            self.report(Diagnostic::error(Code::NotSupportedEver, premise.span, title).help(help));
            return Vec::new();
        }
        self.conjuncts(premise)
    }

    fn conjuncts(&mut self, premise: &Premise) -> Vec<FairnessKind> {
        match &premise.kind {
            PremiseKind::And(left, right) => [self.conjuncts(left), self.conjuncts(right)].concat(),
            PremiseKind::Every { is_strong } => vec![FairnessKind::Every { is_strong: *is_strong, span: premise.span }],
            PremiseKind::Or(..) | PremiseKind::Of { .. } => {
                vec![FairnessKind::Of { is_strong: is_strong(premise), alternatives: self.alternatives(premise) }]
            }
        }
    }

    fn alternatives(&mut self, premise: &Premise) -> Vec<Vec<Pattern>> {
        match &premise.kind {
            PremiseKind::Of { pattern, .. } => vec![vec![self.pattern(pattern)]],
            PremiseKind::Or(left, right) => [self.alternatives(left), self.alternatives(right)].concat(),
            PremiseKind::And(left, right) => {
                let (left, right) = (self.alternatives(left), self.alternatives(right));
                let joined = |one: &Vec<Pattern>| right.iter().map(|other| [one.clone(), other.clone()].concat()).collect::<Vec<_>>();
                left.iter().flat_map(joined).collect()
            }
            // The parser joins nothing to `WEF` and `SEF`.
            PremiseKind::Every { .. } => Vec::new(),
        }
    }
}

/// How many alternatives a disjunctive normal form has.
fn count(premise: &Premise) -> usize {
    match &premise.kind {
        PremiseKind::Of { .. } | PremiseKind::Every { .. } => 1,
        PremiseKind::And(left, right) => count(left).saturating_mul(count(right)),
        PremiseKind::Or(left, right) => count(left).saturating_add(count(right)),
    }
}

/// The kind of a disjunction, whose parts are of one kind.
fn is_strong(premise: &Premise) -> bool {
    match &premise.kind {
        PremiseKind::Of { is_strong, .. } | PremiseKind::Every { is_strong } => *is_strong,
        PremiseKind::And(left, _) | PremiseKind::Or(left, _) => is_strong(left),
    }
}
