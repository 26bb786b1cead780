//! A temporal formula as a tree in words, and as text with all parentheses.
//!
//! Invariant: the text with parentheses parses to the same formula. Deliberately elsewhere: the words (`help::operators`), how a tree is
//! printed (`report::formula`).

use crate::help::operators::{operator_of, operator_of_premise};
use bcheck_report::formula::FormulaTree;
use bcheck_syntax::ast::Quantifier;
use bcheck_syntax::temporal::{Logic, Premise, PremiseKind, Temporal, TemporalKind};

/// The tree of a formula.
pub(crate) fn tree(formula: &Temporal, logic: Logic) -> FormulaTree {
    let meaning = operator_of(&formula.kind, logic).map_or("", |words| words.meaning);
    let operands: Vec<FormulaTree> = match &formula.kind {
        TemporalKind::Fair(premise, body) => vec![of_premise(premise), tree(body, logic)],
        kind => operands(kind).into_iter().map(|operand| tree(operand, logic)).collect(),
    };
    let is_plain = matches!(formula.kind, TemporalKind::Predicate(_) | TemporalKind::Constant(_));
    FormulaTree { text: written(formula, logic, &["f", "g"]), meaning, is_plain, operands }
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

/// The text of a formula, with every compound operand in parentheses.
pub(crate) fn parenthesised(formula: &Temporal, logic: Logic) -> String {
    let inner: Vec<String> = operands(&formula.kind)
        .into_iter()
        .map(|operand| {
            let text = parenthesised(operand, logic);
            if operands(&operand.kind).is_empty() { text } else { format!("({text})") }
        })
        .collect();
    let inner: Vec<&str> = inner.iter().map(String::as_str).collect();
    match &formula.kind {
        TemporalKind::Fair(premise, _) => format!("{premise} => {}", inner[0]),
        _ => written(formula, logic, &inner),
    }
}

/// The operands of an operator.
fn operands(kind: &TemporalKind) -> Vec<&Temporal> {
    match kind {
        TemporalKind::Unary(_, body)
        | TemporalKind::Path(_, _, _, body)
        | TemporalKind::Quantified { body, .. }
        | TemporalKind::Fair(_, body) => vec![body],
        TemporalKind::Binary(_, left, right) | TemporalKind::Until(_, left, right) => vec![left, right],
        TemporalKind::Pattern(pattern) => pattern.formulas(),
        TemporalKind::Constant(_)
        | TemporalKind::Predicate(_)
        | TemporalKind::Word(_)
        | TemporalKind::Enabled(_)
        | TemporalKind::Taken(_)
        | TemporalKind::Counted(..)
        | TemporalKind::Compared(..)
        | TemporalKind::BeforeAfter(_)
        | TemporalKind::Error => Vec::new(),
    }
}

/// An operator applied to these texts; a proposition unchanged.
fn written(formula: &Temporal, logic: Logic, operands: &[&str]) -> String {
    let form = operator_of(&formula.kind, logic).map_or("", |words| words.form);
    // The operator without the letters of its operands: `U` of `f U g`, `G` of `G f`.
    let sign = || form.trim_start_matches("f ").trim_end_matches(" f").trim_end_matches(" g");
    match &formula.kind {
        TemporalKind::Unary(..) | TemporalKind::Path(_, _, None, _) => format!("{} {}", sign(), operands[0]),
        TemporalKind::Path(_, _, Some(step), _) => format!("EX[{step}] {}", operands[0]),
        TemporalKind::Binary(..) => format!("{} {} {}", operands[0], sign(), operands[1]),
        TemporalKind::Until(Quantifier::Exists, ..) => format!("E {} U {}", operands[0], operands[1]),
        TemporalKind::Until(Quantifier::Forall, ..) => format!("A {} U {}", operands[0], operands[1]),
        TemporalKind::Quantified { quantifier: Quantifier::Forall, name, condition, .. } => {
            format!("!{}.({{{condition}}} => {})", name.text, operands[0])
        }
        TemporalKind::Quantified { quantifier: Quantifier::Exists, name, condition, .. } => {
            format!("#{}.({{{condition}}} & {})", name.text, operands[0])
        }
        TemporalKind::Fair(..) => form.to_owned(),
        _ => formula.to_string(),
    }
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
    fn parentheses_change_nothing() {
        let formulas = [
            (Logic::Ltl, "GF{p=1}=>F[stop]", "(G (F {p = 1})) => (F [stop])"),
            (Logic::Ltl, "G {a = 1} U not X e(op) & deadlock", "((G {a = 1}) U (not (X e(op)))) & deadlock"),
            (Logic::Ltl, "WF(a) or WF(b) => {x = 1} or {y = 1} S H sink", "WF(a) or WF(b) => ({x = 1} or ({y = 1} S (H sink)))"),
            (Logic::Ltl, "!x.({x : 1..2} => #y.({y : 1..2} & G {x = y}))", "!x.({x : 1 .. 2} => (#y.({y : 1 .. 2} & (G {x = y}))))"),
            (Logic::Ltl, "{a = 1} <=> {b = 1}", "{a = 1} <=> {b = 1}"),
            (Logic::Ctl, "AG EX[op] {a = 1} & E {b = 1} U EF true", "(AG (EX[op] {a = 1})) & (E {b = 1} U (EF true))"),
            (Logic::Ctl, "A not {b = 1} U {c = 1} => AX false", "(A (not {b = 1}) U {c = 1}) => (AX false)"),
        ];
        for (logic, text, wanted) in formulas {
            let formula = read(logic, text);
            let found = parenthesised(&formula, logic);
            assert_eq!(found, wanted);
            assert_eq!(read(logic, &found).to_string(), formula.to_string());
        }
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
