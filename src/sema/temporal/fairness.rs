//! Fairness assumptions in conjunctive normal form.
//!
//! Invariant: at most two assumptions come back, a strong and a weak one. Deliberately elsewhere: which assumptions can be joined
//! (`syntax::temporal`), and where they may stand (`linear`).

use super::propositions::Propositions;
use crate::ir::temporal::{FairnessKind, Pattern};
use crate::source::{Code, Diagnostic};
use crate::syntax::temporal::{Premise, PremiseKind};

/// The most disjunctions in one normal form: distributing `or` over `&` can double their number at each step.
const MAX_DISJUNCTIONS: usize = 1_000;

impl Propositions<'_> {
    /// The assumptions of a formula.
    pub(super) fn fairness(&mut self, premise: &Premise) -> Vec<FairnessKind> {
        match &premise.kind {
            // The `&` between two kinds is the outermost one.
            PremiseKind::And(left, right) if is_strong(left) != is_strong(right) => [self.fairness(left), self.fairness(right)].concat(),
            PremiseKind::Every { is_strong } => vec![FairnessKind::Every { is_strong: *is_strong, span: premise.span }],
            PremiseKind::And(..) | PremiseKind::Or(..) | PremiseKind::Of { .. } => {
                vec![FairnessKind::Of { is_strong: is_strong(premise), patterns: self.normal_form(premise) }]
            }
        }
    }

    fn normal_form(&mut self, premise: &Premise) -> Vec<Vec<Pattern>> {
        match &premise.kind {
            PremiseKind::Of { pattern, .. } => vec![vec![self.pattern(pattern)]],
            PremiseKind::And(left, right) => [self.normal_form(left), self.normal_form(right)].concat(),
            PremiseKind::Or(left, right) => {
                let (left, right) = (self.normal_form(left), self.normal_form(right));
                if left.len().saturating_mul(right.len()) > MAX_DISJUNCTIONS {
                    let title = format!("this assumption has more than {MAX_DISJUNCTIONS} conjuncts in conjunctive normal form");
                    let help = "write it as a conjunction of disjunctions";
                    self.report(Diagnostic::error(Code::NotSupportedEver, premise.span, title).help(help));
                    return left;
                }
                let joined = |one: &Vec<Pattern>| right.iter().map(|other| [one.clone(), other.clone()].concat()).collect::<Vec<_>>();
                left.iter().flat_map(joined).collect()
            }
            // The parser joins nothing to `WEF` and `SEF`.
            PremiseKind::Every { .. } => Vec::new(),
        }
    }
}

/// The kind of an assumption; of two kinds, that of the left one.
fn is_strong(premise: &Premise) -> bool {
    match &premise.kind {
        PremiseKind::Of { is_strong, .. } | PremiseKind::Every { is_strong } => *is_strong,
        PremiseKind::And(left, _) | PremiseKind::Or(left, _) => is_strong(left),
    }
}
