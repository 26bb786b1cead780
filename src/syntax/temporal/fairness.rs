//! The fairness assumption in front of a formula of LTL.
//!
//! Invariant: the result is one kind (WF, SF), joined by `&` and `or` to the left, or two kinds with one `&` between them; `WEF` and `SEF`
//! denote a whole kind. Deliberately elsewhere: where assumptions may occur, and their normal form (`sema`).

use super::parts::{Parts, Read};
use super::tree::{Premise, PremiseKind, TemporalBinary};
use bcheck_source::{Code, Diagnostic};

/// A word of fairness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fairness {
    is_strong: bool,
    is_of_every: bool,
}

const WEAK: Fairness = Fairness { is_strong: false, is_of_every: false };
const STRONG: Fairness = Fairness { is_strong: true, is_of_every: false };
const EVERY_WEAK: Fairness = Fairness { is_strong: false, is_of_every: true };
const EVERY_STRONG: Fairness = Fairness { is_strong: true, is_of_every: true };

/// The spellings of fairness.
pub(super) const FAIRNESS: &[(&str, Fairness)] = &[
    ("WF", WEAK),
    ("wf", WEAK),
    ("SF", STRONG),
    ("sf", STRONG),
    ("WEF", EVERY_WEAK),
    ("wef", EVERY_WEAK),
    ("SEF", EVERY_STRONG),
    ("sef", EVERY_STRONG),
];

/// Which kinds an assumption has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    /// SF, or WF.
    One {
        is_strong: bool,
    },
    Both,
}

/// The assumption at the cursor with its `=>`; `None`, without moving the cursor, if a formula follows.
pub(super) fn premise(parts: &mut Parts<'_>) -> Read<Option<Premise>> {
    let start = parts.start();
    // Most formulas end here.
    while parts.scanner.take("(") {}
    // `WF` here cannot be W and F: an operand is expected.
    let is_fairness = parts.scanner.longest(FAIRNESS).is_some();
    parts.scanner.move_to(start);
    if !is_fairness {
        return Ok(None);
    }
    let mark = parts.mark();
    let found = joined(parts)?;
    let is_premise = found.is_some() && parts.take_connective(TemporalBinary::Implies);
    if !is_premise {
        // `(WF(a) => f)` and `WF(a) & {p}`: parsed again as a formula, whose parser reports any error.
        parts.back_to(mark);
        return Ok(None);
    }
    Ok(found)
}

/// Assumptions joined by `&` and `or`; `None` if there is anything else among them.
fn joined(parts: &mut Parts<'_>) -> Read<Option<Premise>> {
    let start = parts.start();
    let Some(mut left) = item(parts)? else { return Ok(None) };
    // One kind: what `left` is. The second kind begins behind the only `&` that joins kinds.
    let mut first: Option<Premise> = None;
    let mut group = start;
    loop {
        let is_and = match () {
            () if parts.take_connective(TemporalBinary::And) => true,
            () if parts.take_connective(TemporalBinary::Or) => false,
            () => break,
        };
        let begin = parts.start();
        let Some(right) = item(parts)? else { return Ok(None) };
        let span = parts.span_from(begin);
        let (of_left, of_right) = (kinds(&left), kinds(&right));
        if of_left == of_right && of_left != Kinds::Both {
            if is_whole_kind(&left) || is_whole_kind(&right) {
                let title = "WEF and SEF stand for every operation, so nothing can be joined to them".to_owned();
                let help = "leave out the other assumptions of this kind; WEF & SF(op) and SEF & WF(op) join two kinds";
                return Err(Diagnostic::error(Code::UnexpectedToken, span, title).help(help));
            }
            let (one, other) = (Box::new(left), Box::new(right));
            let kind = if is_and { PremiseKind::And(one, other) } else { PremiseKind::Or(one, other) };
            left = Premise { kind, span: parts.span_from(group) };
        // `&` binds both kinds once: what the two groups assume is a conjunction, and a disjunction across kinds has no normal form of this
        // shape.
        } else if is_and && first.is_none() && of_left != Kinds::Both && of_right != Kinds::Both {
            first = Some(std::mem::replace(&mut left, right));
            group = begin;
        } else {
            return Err(Diagnostic::error(Code::UnexpectedToken, span, "weak and strong fairness are mixed here")
                .label("of the other kind")
                .help("join each kind by itself, and both by one &: (SF(a) or SF(b)) & (WF(c) & WF(d)) => f"));
        }
    }
    Ok(Some(match first {
        Some(first) => Premise { kind: PremiseKind::And(Box::new(first), Box::new(left)), span: parts.span_from(start) },
        None => left,
    }))
}

/// `WF(op)`, `SEF`, or assumptions in parentheses.
fn item(parts: &mut Parts<'_>) -> Read<Option<Premise>> {
    let start = parts.start();
    if parts.scanner.take("(") {
        parts.deeper()?;
        let inner = joined(parts)?;
        // Without a complete premise this is not yet an error: the formula is parsed again as one without assumptions.
        return Ok(inner.filter(|_| parts.scanner.take(")")));
    }
    let Some((spelling, word)) = parts.scanner.longest(FAIRNESS) else { return Ok(None) };
    parts.scanner.take(spelling);
    let is_strong = word.is_strong;
    let kind = if word.is_of_every {
        PremiseKind::Every { is_strong }
    } else if parts.scanner.sees("(") {
        PremiseKind::Of { is_strong, pattern: parts.pattern()? }
    } else {
        return Err(parts.expected("(").help(format!("write {spelling}(op) with the name of an operation")));
    };
    Ok(Some(Premise { kind, span: parts.span_from(start) }))
}

fn is_whole_kind(premise: &Premise) -> bool {
    matches!(premise.kind, PremiseKind::Every { .. })
}

fn kinds(premise: &Premise) -> Kinds {
    match &premise.kind {
        PremiseKind::Of { is_strong, .. } | PremiseKind::Every { is_strong } => Kinds::One { is_strong: *is_strong },
        PremiseKind::Or(left, _) => kinds(left),
        PremiseKind::And(left, right) => {
            // The left side once only: it is the deep one.
            let of_left = kinds(left);
            if of_left == kinds(right) { of_left } else { Kinds::Both }
        }
    }
}
