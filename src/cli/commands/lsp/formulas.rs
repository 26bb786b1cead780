//! The operator of a stated temporal formula under the cursor: its meaning in words.
//!
//! Invariant: text in braces, and the operations of patterns, belong to B and are left to `hover`. Deliberately elsewhere: the words
//! (`help::operators`), verdicts on formulas (`verdict`).

use super::analysis::Understood;
use super::declared::covers;
use crate::help::operators::{OperatorWords, operator_of, operator_of_premise};
use bcheck_source::{FileId, Shown, Span};
use bcheck_syntax::Anchor;
use bcheck_syntax::temporal::{Logic, Prefix, Premise, PremiseKind, Proposition, Temporal, TemporalKind, operands, parse_temporal_at};

/// The hover text of the operator at a place, as Markdown, with the span of its formula.
pub(super) fn operator_at(understood: &Understood, offset: usize) -> Option<(String, Span)> {
    let is_here = |literal: Span| literal.file == FileId(0) && covers(literal, offset);
    let stated = understood.stated.iter().find(|stated| is_here(stated.literal))?;
    let (anchor, text) = Anchor::of_literal(stated.literal, understood.sources.text(stated.literal))?;
    let tree = parse_temporal_at(&anchor, stated.logic, &text).tree;
    let (words, span) = at(&tree, stated.logic, offset)??;
    let formula = understood.sources.text(span);
    let text = format!("```text\n{formula}\n```\n\n`{}`: {}", words.form, words.meaning);
    Some((Shown::lines(&text).to_string(), span))
}

/// The innermost operator around a place, with the span of its formula; `None` inside a formula of B.
type Innermost = Option<(&'static OperatorWords, Span)>;

/// Whether a place is within a span; directly behind it does not count, as the next formula may begin there.
fn contains(span: Span, offset: usize) -> bool {
    (span.start as usize..span.end as usize).contains(&offset)
}

/// The operator at a place of a formula; nothing outside of the formula.
fn at(formula: &Temporal, logic: Logic, offset: usize) -> Option<Innermost> {
    if !contains(formula.span, offset) {
        return None;
    }
    let is_of_b = |spans: &[Span]| spans.iter().any(|span| covers(*span, offset));
    let inner = match &formula.kind {
        TemporalKind::Proposition(proposition) if is_of_b(&spans_of_b(proposition)) => Some(None),
        TemporalKind::Prefixed(Prefix::Path(_, Some(step)), _) if is_of_b(&[step.span]) => Some(None),
        TemporalKind::Prefixed(Prefix::Quantified { name, condition, .. }, _) if is_of_b(&[name.span, condition.span]) => Some(None),
        TemporalKind::Prefixed(Prefix::Fair(premise), _) => of_premise(premise, offset),
        _ => None,
    };
    let inner = inner.or_else(|| operands(formula).into_iter().find_map(|operand| at(operand, logic, offset)));
    inner.or_else(|| Some(operator_of(&formula.kind, logic).map(|words| (words, formula.span))))
}

/// The parts of a proposition that belong to B.
fn spans_of_b(proposition: &Proposition) -> Vec<Span> {
    match proposition {
        Proposition::Predicate(expr) | Proposition::BeforeAfter(expr) | Proposition::Compared(_, expr) => vec![expr.span],
        Proposition::Taken(pattern) | Proposition::Enabled(pattern) => vec![pattern.span],
        Proposition::Counted(_, patterns) => patterns.iter().map(|pattern| pattern.span).collect(),
        Proposition::Word(_) | Proposition::Pattern(_) | Proposition::Error => Vec::new(),
    }
}

fn of_premise(premise: &Premise, offset: usize) -> Option<Innermost> {
    if !contains(premise.span, offset) {
        return None;
    }
    let inner = match &premise.kind {
        PremiseKind::And(left, right) | PremiseKind::Or(left, right) => of_premise(left, offset).or_else(|| of_premise(right, offset)),
        PremiseKind::Of { pattern, .. } => covers(pattern.span, offset).then_some(None),
        PremiseKind::Every { .. } => None,
    };
    inner.or_else(|| Some(operator_of_premise(premise).map(|words| (words, premise.span))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::FolderArgs;
    use crate::commands::lsp::analysis::understand;
    use crate::project::OpenTexts;
    use std::path::Path;

    const TEXT: &str = "MACHINE m DEFINITIONS ASSERT_LTL1 == \"WF(up) => G ({x = 1} U [up]) or sink\"; ASSERT_CTL == \"AG EX[up] {x = 1}\"
        VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0 OPERATIONS up = PRE x < 3 THEN x := x + 1 END END";

    fn hovered(part: &str, behind: usize) -> Option<String> {
        let understood = understand(Path::new("m.mch"), TEXT, &FolderArgs::default(), &OpenTexts::default());
        let offset = TEXT.find(part).expect("a part of the text") + behind;
        operator_at(&understood, offset).map(|(text, _)| text)
    }

    #[test]
    fn operators_are_explained_and_parts_of_b_are_not() {
        for (part, behind, form, formula) in [
            ("WF(up)", 0, "WF(op)", "WF(up)"),
            ("=> G", 0, "FAIR => f", "WF(up) => G ({x = 1} U [up]) or sink"),
            ("G ({x", 0, "G f", "G ({x = 1} U [up])"),
            ("U [up]", 0, "f U g", "{x = 1} U [up]"),
            ("[up])", 0, "[op]", "[up]"),
            ("or sink", 0, "f or g", "G ({x = 1} U [up]) or sink"),
            ("sink", 1, "sink", "sink"),
            ("AG EX", 1, "AG f", "AG EX[up] {x = 1}"),
            ("EX[up]", 0, "EX[op] f", "EX[up] {x = 1}"),
        ] {
            let text = hovered(part, behind).unwrap_or_default();
            assert!(text.starts_with(&format!("```text\n{formula}\n```\n\n`{form}`: ")), "{part}: {text}");
        }
        for (part, behind) in [("x = 1", 0), ("WF(up)", 3), ("[up])", 1), ("EX[up]", 3), ("x < 3", 0), ("ASSERT_LTL1", 2)] {
            assert_eq!(hovered(part, behind), None, "{part}");
        }
    }
}
