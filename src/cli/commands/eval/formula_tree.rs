//! A temporal formula as a tree in words.
//!
//! Invariant: each operator of the formula is a node, a path quantifier together with the operator behind it. Deliberately elsewhere: the
//! words (`help::operators`), the texts (`syntax::temporal`), how a tree is printed (`report::formula`).

use crate::help::operators::{operator_of, operator_of_premise};
use bcheck_report::formula::FormulaTree;
use bcheck_syntax::temporal::{Logic, Prefix, Premise, PremiseKind, Proposition, Temporal, TemporalKind, operands, operator};

/// The tree of a formula.
pub(crate) fn tree(formula: &Temporal, logic: Logic) -> FormulaTree {
    let meaning = operator_of(&formula.kind, logic).map_or("", |words| words.meaning);
    let premise = if let TemporalKind::Prefixed(Prefix::Fair(premise), _) = &formula.kind { Some(of_premise(premise)) } else { None };
    let operands = premise.into_iter().chain(operands(formula).into_iter().map(|operand| tree(operand, logic))).collect();
    let is_plain = matches!(formula.kind, TemporalKind::Proposition(Proposition::Predicate(_)) | TemporalKind::Constant(_));
    FormulaTree { text: operator(formula).to_string(), meaning, is_plain, operands }
}

fn of_premise(premise: &Premise) -> FormulaTree {
    let words = operator_of_premise(premise);
    let operands = match &premise.kind {
        PremiseKind::And(left, right) | PremiseKind::Or(left, right) => vec![of_premise(left), of_premise(right)],
        PremiseKind::Of { .. } | PremiseKind::Every { .. } => Vec::new(),
    };
    let text = if operands.is_empty() { premise.to_string() } else { words.map_or("", |words| words.form).to_owned() };
    FormulaTree { text, meaning: words.map_or("", |words| words.meaning), is_plain: false, operands }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::temporal::parse_temporal;

    fn read(logic: Logic, text: &str) -> Temporal {
        let parsed = parse_temporal(FileId(0), logic, text);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
        parsed.tree
    }

    #[test]
    fn a_tree_has_the_operators_with_their_operands() {
        let found = tree(&read(Logic::Ltl, "WF(a) & WF(b) => {x = 1} W G [op]"), Logic::Ltl);
        let texts = |tree: &FormulaTree| tree.operands.iter().map(|operand| operand.text.clone()).collect::<Vec<_>>();
        assert_eq!((found.text.as_str(), texts(&found)), ("FAIR => f", vec!["f & g".to_owned(), "f W g".to_owned()]));
        assert_eq!(texts(&found.operands[0]), ["WF(a)", "WF(b)"]);
        assert_eq!(texts(&found.operands[1]), ["{x = 1}", "G f"]);
        assert!(found.operands[1].operands[0].is_plain && !found.meaning.is_empty());
    }
}
