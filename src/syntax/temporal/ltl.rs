//! The grammar of LTL: operands with the spellings of ProB, and the fairness assumption in front.
//!
//! Invariant: a fairness assumption is read only at the start of a formula, and everything to the right of its `=>` is the formula that it
//! is about. Deliberately elsewhere: binary operators and quantifiers (`operators`), assumptions (`fairness`).

use super::fairness::{FAIRNESS, premise};
use super::parts::{Parts, PropositionWord, Read};
use super::property_patterns::{PATTERNS, ScopeWord};
use super::tree::{Counting, Prefix, StateWord, Temporal, TemporalKind, TemporalUnary, Trend};
use bcheck_source::{Code, Diagnostic};

/// The possible beginnings of an operand.
#[derive(Clone, Copy)]
enum Opening {
    Unary(TemporalUnary),
    Proposition(PropositionWord),
    Scope(ScopeWord),
    Pattern,
    Fairness,
    NonDet,
}

const UNARY: &[(&str, TemporalUnary)] = &[
    ("not", TemporalUnary::Not),
    ("¬", TemporalUnary::Not),
    ("G", TemporalUnary::Globally),
    ("globally", TemporalUnary::Globally),
    ("always", TemporalUnary::Globally),
    ("□", TemporalUnary::Globally),
    ("F", TemporalUnary::Finally),
    ("finally", TemporalUnary::Finally),
    ("eventually", TemporalUnary::Finally),
    ("⋄", TemporalUnary::Finally),
    ("<>", TemporalUnary::Finally),
    ("X", TemporalUnary::Next),
    ("next", TemporalUnary::Next),
    ("H", TemporalUnary::Historically),
    ("historically", TemporalUnary::Historically),
    ("O", TemporalUnary::Once),
    ("once", TemporalUnary::Once),
    ("Y", TemporalUnary::Yesterday),
    ("yesterday", TemporalUnary::Yesterday),
];

const PROPOSITIONS: &[(&str, PropositionWord)] = &[
    ("true", PropositionWord::Constant(true)),
    ("false", PropositionWord::Constant(false)),
    ("deadlock", PropositionWord::Word(StateWord::Deadlock)),
    ("sink", PropositionWord::Word(StateWord::Sink)),
    ("goal", PropositionWord::Word(StateWord::Goal)),
    ("current", PropositionWord::Word(StateWord::Current)),
    ("error", PropositionWord::Word(StateWord::Error)),
    ("det_output", PropositionWord::Word(StateWord::DetOutput)),
    ("controller", PropositionWord::Counted(Counting::One)),
    ("deterministic", PropositionWord::Counted(Counting::AtMostOne)),
    ("e", PropositionWord::Enabled),
    ("enabled", PropositionWord::Enabled),
    ("Av", PropositionWord::Enabled),
    ("available", PropositionWord::Enabled),
    ("unchanged", PropositionWord::Compared(Trend::Unchanged)),
    ("UNCHANGED", PropositionWord::Compared(Trend::Unchanged)),
    ("changed", PropositionWord::Compared(Trend::Changed)),
    ("CHANGED", PropositionWord::Compared(Trend::Changed)),
    ("increasing", PropositionWord::Compared(Trend::Increasing)),
    ("INCREASING", PropositionWord::Compared(Trend::Increasing)),
    ("decreasing", PropositionWord::Compared(Trend::Decreasing)),
    ("DECREASING", PropositionWord::Compared(Trend::Decreasing)),
    ("BA", PropositionWord::BeforeAfter),
    ("before_after", PropositionWord::BeforeAfter),
];

/// A formula with the fairness assumption in front of it, if there is one.
pub(super) fn formula(parts: &mut Parts<'_>) -> Read<Temporal> {
    let start = parts.start();
    if let Some(premise) = premise(parts)? {
        parts.deeper()?;
        // Not `formula`: a second assumption belongs to the first, with &.
        let body = without_premise(parts)?;
        return Ok(Temporal { kind: TemporalKind::Prefixed(Prefix::Fair(premise), Box::new(body)), span: parts.span_from(start) });
    }
    without_premise(parts)
}

fn without_premise(parts: &mut Parts<'_>) -> Read<Temporal> {
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
    if let Some(found) = parts.quantified_or_negated(operand, formula)? {
        return Ok(found);
    }
    // Before its first letter is read as an operator.
    if parts.word_in_other_case().is_some() {
        return Err(parts.no_operand());
    }
    // Brackets, parentheses and signs of quantifiers are not in the tables of spellings, so they are tested first.
    let Some((spelling, opening)) = opening(parts) else { return Err(no_operand(parts)) };
    match opening {
        Opening::Unary(op) => {
            parts.deeper()?;
            parts.scanner.take(spelling);
            let body = operand(parts)?;
            Ok(Temporal { kind: TemporalKind::Unary(op, Box::new(body)), span: parts.span_from(start) })
        }
        Opening::Proposition(word) => {
            parts.scanner.take(spelling);
            let kind = parts.proposition(word, spelling)?;
            Ok(Temporal { kind, span: parts.span_from(start) })
        }
        // Without assumptions inside: a pattern is about segments of a path, fairness about whole paths.
        Opening::Scope(word) => parts.property_pattern(spelling, word, without_premise),
        Opening::Pattern => Err(parts.refused(
            spelling,
            format!("`{spelling}` is a pattern, of which the scope is missing"),
            "write the scope in front and formulas in parentheses: globally absence(p), between(q, r) response(s, p)",
        )),
        Opening::Fairness => Err(parts.refused(
            spelling,
            format!("`{spelling}` is an assumption, not a formula"),
            "write assumptions in front of a formula, joined by & and or: WF(op1) & SF(op2) => f",
        )),
        Opening::NonDet => Err(parts.refused(
            spelling,
            "`non_det` is not supported".to_owned(),
            "write not deterministic(op1, op2), or state with e(…) which operations exclude each other",
        )),
    }
}

/// The longest spelling that may begin an operand.
fn opening(parts: &mut Parts<'_>) -> Option<(&'static str, Opening)> {
    let unary = parts.scanner.longest(UNARY).map(|(spelling, op)| (spelling, Opening::Unary(op)));
    let word = parts.scanner.longest(PROPOSITIONS).map(|(spelling, word)| (spelling, Opening::Proposition(word)));
    // `WF` at this place is an assumption where none is allowed, which has an error of its own.
    let fairness = parts.scanner.longest(FAIRNESS).map(|(spelling, _)| (spelling, Opening::Fairness));
    let scope = parts.scope_word().map(|(spelling, word)| (spelling, Opening::Scope(word)));
    let pattern = parts.scanner.longest(PATTERNS).map(|(spelling, _)| (spelling, Opening::Pattern));
    let refused = parts.scanner.longest(&[("non_det", Opening::NonDet)]);
    // Of two of equal length the last one is taken: `globally` begins a scope if it can.
    [unary, word, fairness, refused, pattern, scope].into_iter().flatten().max_by_key(|(spelling, _)| spelling.len())
}

/// The error that nothing here begins a formula of LTL.
fn no_operand(parts: &mut Parts<'_>) -> Diagnostic {
    // Longer ones first: `A` would match them all.
    let branching = ["AG", "AF", "AX", "EG", "EF", "EX", "A", "E"];
    let found = branching.into_iter().find(|spelling| parts.scanner.sees(spelling));
    // A word such as `Allways` is not one of CTL.
    let Some(found) = found.filter(|spelling| spelling.len() > 1 || !parts.is_cut(spelling)) else { return parts.no_operand() };
    let help = match found {
        "AG" | "AF" | "AX" => format!("in LTL, which speaks of all paths, write {}; or give it as CTL (--ctl, ASSERT_CTL…)", &found[1..]),
        _ => "LTL speaks of all paths; give it as CTL (--ctl, ASSERT_CTL…)".to_owned(),
    };
    Diagnostic { code: Code::UnexpectedToken, ..parts.refused(found, format!("`{found}` is an operator of CTL"), &help) }
}
