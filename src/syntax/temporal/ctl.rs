//! The grammar of CTL: operands with the spellings of ProB.
//!
//! `not`, `EX` and the other unary operators bind more tightly than `E f U g`; beyond ProB there are `A f U g` and quantifiers. Invariant:
//! the tree has no operator of LTL. Deliberately elsewhere: connectives and quantifiers (`operators`).

use super::parts::{Parts, Proposition, Read};
use super::tree::{StateWord, Temporal, TemporalKind, TemporalUnary};
use crate::source::Diagnostic;
use crate::syntax::ast::Quantifier;

const PROPOSITIONS: &[(&str, Proposition)] = &[
    ("true", Proposition::Constant(true)),
    ("false", Proposition::Constant(false)),
    ("deadlock", Proposition::Word(StateWord::Deadlock)),
    ("sink", Proposition::Word(StateWord::Sink)),
    ("goal", Proposition::Word(StateWord::Goal)),
    ("current", Proposition::Word(StateWord::Current)),
    ("error", Proposition::Word(StateWord::Error)),
    ("det_output", Proposition::Word(StateWord::DetOutput)),
    // Without a blank, as in ProB.
    ("e(", Proposition::Enabled),
];

const PATH: &[(&str, TemporalUnary)] = &[("X", TemporalUnary::Next), ("F", TemporalUnary::Finally), ("G", TemporalUnary::Globally)];

const QUANTIFIERS: &[(&str, Quantifier)] = &[("E", Quantifier::Exists), ("A", Quantifier::Forall)];

/// Spellings that begin no formula of CTL, and what to write.
const REFUSED: &[(&str, &str)] = &[
    ("non_det", "CTL has no word for it; combine e(op1) and e(op2)"),
    ("enabled", "CTL writes e(op)"),
    ("available", "CTL writes e(op)"),
    ("Av", "CTL writes e(op)"),
    ("e", "CTL writes e(op), without a blank before the parenthesis"),
    ("controller", "CTL has no word for it; combine e(op1) and e(op2)"),
    ("deterministic", "CTL has no word for it; combine e(op1) and e(op2)"),
    ("unchanged", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("changed", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("increasing", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("decreasing", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("BA", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("before_after", "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("WF", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("SF", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("WEF", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("SEF", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("wf", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("sf", "only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("G", "CTL writes AG f or EG f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("F", "CTL writes AF f or EF f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("X", "CTL writes AX f or EX f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("globally", "CTL writes AG f or EG f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("before", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("after", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("between", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("after_until", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("absence", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("universality", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("existence", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("precedence", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("response", "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("finally", "CTL writes AF f or EF f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("next", "CTL writes AX f or EX f; or give it as LTL (--ltl, ASSERT_LTL…)"),
    ("H", "CTL has no past; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("O", "CTL has no past; give it as LTL (--ltl, ASSERT_LTL…)"),
    ("Y", "CTL has no past; give it as LTL (--ltl, ASSERT_LTL…)"),
];

/// A formula.
pub(super) fn formula(parts: &mut Parts<'_>) -> Read<Temporal> {
    parts.operators(1, operand)
}

fn operand(parts: &mut Parts<'_>) -> Read<Temporal> {
    let start = parts.start();
    if let Some(found) = parts.in_brackets()? {
        return Ok(found);
    }
    if parts.scanner.take("(") {
        parts.deeper()?;
        let inner = formula(parts)?;
        parts.close(start)?;
        return Ok(inner);
    }
    // Before its first letter is read as a quantifier.
    if parts.word_in_other_case().is_some() {
        return Err(parts.no_operand());
    }
    if let Some((spelling, word)) = parts.scanner.longest(PROPOSITIONS) {
        // The parenthesis in `e(` only tells it from a name; it belongs to the pattern that follows.
        parts.scanner.take(spelling.trim_end_matches('('));
        let kind = parts.proposition(word, spelling)?;
        return Ok(Temporal { kind, span: parts.span_from(start) });
    }
    if let Some(found) = parts.quantified_or_negated(operand, formula)? {
        return Ok(found);
    }
    if ["not", "¬"].iter().any(|sign| parts.scanner.take(sign)) {
        parts.deeper()?;
        let body = operand(parts)?;
        return Ok(Temporal { kind: TemporalKind::Unary(TemporalUnary::Not, Box::new(body)), span: parts.span_from(start) });
    }
    // `Av` is LTL's word for `e`; read as A it would lead to an error about a path quantifier that nobody wrote.
    match parts.scanner.longest(QUANTIFIERS).filter(|_| !parts.scanner.sees("Av")) {
        Some((spelling, quantifier)) => {
            parts.deeper()?;
            parts.scanner.take(spelling);
            let kind = path(parts, spelling, quantifier)?;
            Ok(Temporal { kind, span: parts.span_from(start) })
        }
        None => Err(no_operand(parts)),
    }
}

/// What follows E or A.
fn path(parts: &mut Parts<'_>, spelling: &'static str, quantifier: Quantifier) -> Read<TemporalKind> {
    if let Some((letter, op)) = parts.scanner.longest(PATH) {
        parts.scanner.take(letter);
        // `EX [op] f` takes a step by op; `AX [op]` is about the proposition `[op]`: ProB has no action there.
        let takes_step = quantifier == Quantifier::Exists && op == TemporalUnary::Next && parts.scanner.sees("[");
        let start = parts.start();
        let step = if takes_step { Some(parts.pattern()?) } else { None };
        // Where no formula follows, as in `EX [op] & f`, what stands in brackets is the formula that holds next.
        if let Some(pattern) = step.clone().filter(|_| parts.ends_operand()) {
            let taken = Temporal { kind: TemporalKind::Taken(pattern), span: parts.span_from(start) };
            return Ok(TemporalKind::Path(quantifier, op, None, Box::new(taken)));
        }
        let has_proposition = step.is_none() && op == TemporalUnary::Next && parts.scanner.sees("[");
        let body = Box::new(operand(parts)?);
        if has_proposition && ["{", "[", "("].iter().any(|bracket| parts.scanner.sees(bracket)) {
            let title = "AX takes no operation: this follows the formula AX [op]".to_owned();
            return Err(parts.refused(parts.scanner.clone().piece(), title, "of the steps by op alone: not EX[op] not f"));
        }
        return Ok(TemporalKind::Path(quantifier, op, step, body));
    }
    // An operand on both sides: `E f U g` has no priorities of its own, so connectives inside need parentheses.
    let before = Box::new(operand(parts)?);
    if !parts.scanner.take("U") && !parts.scanner.take("until") {
        let help = format!("write {spelling} f U g without parentheses around f U g, or {spelling}X f, {spelling}F f, {spelling}G f");
        return Err(parts.expected("U").help(help));
    }
    Ok(TemporalKind::Until(quantifier, before, Box::new(operand(parts)?)))
}

/// The error that nothing here begins a formula of CTL.
fn no_operand(parts: &mut Parts<'_>) -> Diagnostic {
    match parts.scanner.longest(REFUSED) {
        // The letter begins some other word.
        Some((spelling, _)) if spelling.len() == 1 && parts.is_cut(spelling) => parts.no_operand(),
        Some((spelling, help)) => parts.refused(spelling, format!("`{spelling}` does not begin a formula of CTL here"), help),
        None => parts.no_operand(),
    }
}
