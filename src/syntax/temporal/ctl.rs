//! The grammar of CTL: operands with the spellings of ProB.
//!
//! `not`, `EX` and the other unary operators bind more tightly than `E f U g`; beyond ProB there are `A f U g` and quantifiers. Invariant:
//! the tree has no operator of LTL. Deliberately elsewhere: connectives and quantifiers (`operators`).

use super::parts::{Parts, PropositionWord, Read};
use super::tree::{Prefix, Proposition, StateWord, StepPattern, Temporal, TemporalBinary, TemporalKind, TemporalUnary};
use crate::ast::Quantifier;
use bcheck_source::Diagnostic;

const PROPOSITIONS: &[(&str, PropositionWord)] = &[
    ("true", PropositionWord::Constant(true)),
    ("false", PropositionWord::Constant(false)),
    ("deadlock", PropositionWord::Word(StateWord::Deadlock)),
    ("sink", PropositionWord::Word(StateWord::Sink)),
    ("goal", PropositionWord::Word(StateWord::Goal)),
    ("current", PropositionWord::Word(StateWord::Current)),
    ("error", PropositionWord::Word(StateWord::Error)),
    ("det_output", PropositionWord::Word(StateWord::DetOutput)),
    // Without a blank, as in ProB.
    ("e(", PropositionWord::Enabled),
];

const PATH: &[(&str, TemporalUnary)] = &[("X", TemporalUnary::Next), ("F", TemporalUnary::Finally), ("G", TemporalUnary::Globally)];

const QUANTIFIERS: &[(&str, Quantifier)] = &[("E", Quantifier::Exists), ("A", Quantifier::Forall)];

/// Remedies for spellings that begin no formula of CTL.
const REFUSED: &[(&str, &[&str])] = &[
    ("CTL has no word for it; combine e(op1) and e(op2)", &["non_det", "controller", "deterministic"]),
    ("CTL writes e(op)", &["enabled", "available", "Av"]),
    ("CTL writes e(op), without a blank before the parenthesis", &["e"]),
    (
        "only LTL speaks of steps; give it as LTL (--ltl, ASSERT_LTL…)",
        &["unchanged", "changed", "increasing", "decreasing", "BA", "before_after"],
    ),
    ("only LTL has fairness; give it as LTL (--ltl, ASSERT_LTL…)", &["WF", "SF", "WEF", "SEF", "wf", "sf"]),
    ("CTL writes AG f or EG f; or give it as LTL (--ltl, ASSERT_LTL…)", &["G", "globally"]),
    ("CTL writes AF f or EF f; or give it as LTL (--ltl, ASSERT_LTL…)", &["F", "finally"]),
    ("CTL writes AX f or EX f; or give it as LTL (--ltl, ASSERT_LTL…)", &["X", "next"]),
    (
        "only LTL has patterns; give it as LTL (--ltl, ASSERT_LTL…)",
        &["before", "after", "between", "after_until", "absence", "universality", "existence", "precedence", "response"],
    ),
    ("CTL has no past; give it as LTL (--ltl, ASSERT_LTL…)", &["H", "O", "Y"]),
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
        // The parenthesis in `e(` only distinguishes it from a name; it belongs to the pattern that follows.
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
    // `Av` is LTL's word for `e`; read as A it would cause an error about a path quantifier that was not written.
    match parts.scanner.longest(QUANTIFIERS).filter(|_| !parts.scanner.sees("Av")) {
        Some((spelling, quantifier)) => {
            parts.deeper()?;
            parts.scanner.take(spelling);
            let (step, kind) = path(parts, spelling, quantifier)?;
            let span = parts.span_from(start);
            let path = Box::new(Temporal { kind, span });
            Ok(Temporal { kind: TemporalKind::Prefixed(Prefix::Path(quantifier, step), path), span })
        }
        None => Err(no_operand(parts)),
    }
}

/// The operator after E or A with its operands, and the steps of `EX[op]`.
fn path(parts: &mut Parts<'_>, spelling: &'static str, quantifier: Quantifier) -> Read<(Option<StepPattern>, TemporalKind)> {
    if let Some((letter, op)) = parts.scanner.longest(PATH) {
        parts.scanner.take(letter);
        // `EX [op] f` takes a step by op; `AX [op]` is about the proposition `[op]`: ProB has no action there.
        let takes_step = quantifier == Quantifier::Exists && op == TemporalUnary::Next && parts.scanner.sees("[");
        let start = parts.start();
        let step = if takes_step { Some(parts.pattern()?) } else { None };
        // Where no formula follows, as in `EX [op] & f`, the brackets contain the formula that holds next.
        if let Some(pattern) = step.clone().filter(|_| parts.ends_operand()) {
            let kind = TemporalKind::Proposition(Proposition::Taken(pattern));
            let taken = Temporal { kind, span: parts.span_from(start) };
            return Ok((None, TemporalKind::Unary(op, Box::new(taken))));
        }
        let has_proposition = step.is_none() && op == TemporalUnary::Next && parts.scanner.sees("[");
        let body = Box::new(operand(parts)?);
        if has_proposition && ["{", "[", "("].iter().any(|bracket| parts.scanner.sees(bracket)) {
            let title = "AX takes no operation: this follows the formula AX [op]".to_owned();
            return Err(parts.refused(parts.scanner.clone().piece(), title, "of the steps by op alone: not EX[op] not f"));
        }
        return Ok((step, TemporalKind::Unary(op, body)));
    }
    // An operand on both sides: `E f U g` has no priorities, so connectives inside need parentheses.
    let before = Box::new(operand(parts)?);
    if !parts.scanner.take("U") && !parts.scanner.take("until") {
        let help = format!("write {spelling} f U g without parentheses around f U g, or {spelling}X f, {spelling}F f, {spelling}G f");
        return Err(parts.expected("U").help(help));
    }
    Ok((None, TemporalKind::Binary(TemporalBinary::Until, before, Box::new(operand(parts)?))))
}

/// The error that nothing here begins a formula of CTL.
fn no_operand(parts: &mut Parts<'_>) -> Diagnostic {
    let refused: Vec<(&str, &str)> =
        REFUSED.iter().flat_map(|(help, spellings)| spellings.iter().map(|spelling| (*spelling, *help))).collect();
    match parts.scanner.longest(&refused) {
        // The letter begins some other word.
        Some((spelling, _)) if spelling.len() == 1 && parts.is_cut(spelling) => parts.no_operand(),
        Some((spelling, help)) => parts.refused(spelling, format!("`{spelling}` does not begin a formula of CTL here"), help),
        None => parts.no_operand(),
    }
}
