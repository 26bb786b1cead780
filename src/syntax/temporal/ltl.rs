//! The grammar of LTL.
//!
//! Tightest first: unary operators, `U` and its kin, `&` and `or` on one level, `=>`, `<=>`; all to the left, `<=>` not at all.
//! Spellings and priorities are those of ProB; beyond it `!f` is not and `|` is or. Invariant: a fairness assumption is read only at the
//! start of a formula, and everything to the right of its `=>` is the formula that it is about.

use super::fairness::{FAIRNESS, premise};
use super::parts::{Parts, Proposition, Read};
use super::tree::{Counting, StateWord, Temporal, TemporalBinary, TemporalKind, TemporalUnary, Trend};
use crate::source::{Code, Diagnostic};
use crate::syntax::ast::Quantifier;

/// What may begin an operand.
#[derive(Clone, Copy)]
enum Opening {
    Unary(TemporalUnary),
    Proposition(Proposition),
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

const PROPOSITIONS: &[(&str, Proposition)] = &[
    ("true", Proposition::Constant(true)),
    ("false", Proposition::Constant(false)),
    ("deadlock", Proposition::Word(StateWord::Deadlock)),
    ("sink", Proposition::Word(StateWord::Sink)),
    ("goal", Proposition::Word(StateWord::Goal)),
    ("current", Proposition::Word(StateWord::Current)),
    ("error", Proposition::Word(StateWord::Error)),
    ("det_output", Proposition::Word(StateWord::DetOutput)),
    ("controller", Proposition::Counted(Counting::One)),
    ("deterministic", Proposition::Counted(Counting::AtMostOne)),
    ("e", Proposition::Enabled),
    ("enabled", Proposition::Enabled),
    ("Av", Proposition::Enabled),
    ("available", Proposition::Enabled),
    ("unchanged", Proposition::Compared(Trend::Unchanged)),
    ("UNCHANGED", Proposition::Compared(Trend::Unchanged)),
    ("changed", Proposition::Compared(Trend::Changed)),
    ("CHANGED", Proposition::Compared(Trend::Changed)),
    ("increasing", Proposition::Compared(Trend::Increasing)),
    ("INCREASING", Proposition::Compared(Trend::Increasing)),
    ("decreasing", Proposition::Compared(Trend::Decreasing)),
    ("DECREASING", Proposition::Compared(Trend::Decreasing)),
    ("BA", Proposition::BeforeAfter),
    ("before_after", Proposition::BeforeAfter),
];

const BINARY: &[(&str, TemporalBinary)] = &[
    ("&", TemporalBinary::And),
    ("&&", TemporalBinary::And),
    ("and", TemporalBinary::And),
    ("∧", TemporalBinary::And),
    ("or", TemporalBinary::Or),
    ("|", TemporalBinary::Or),
    ("||", TemporalBinary::Or),
    ("∨", TemporalBinary::Or),
    ("=>", TemporalBinary::Implies),
    ("->", TemporalBinary::Implies),
    ("implies", TemporalBinary::Implies),
    ("⇒", TemporalBinary::Implies),
    ("<=>", TemporalBinary::Equivalent),
    ("<->", TemporalBinary::Equivalent),
    ("equivalent", TemporalBinary::Equivalent),
    ("⇔", TemporalBinary::Equivalent),
    ("U", TemporalBinary::Until),
    ("until", TemporalBinary::Until),
    ("stronguntil", TemporalBinary::Until),
    ("W", TemporalBinary::WeakUntil),
    ("weakuntil", TemporalBinary::WeakUntil),
    ("R", TemporalBinary::Release),
    ("release", TemporalBinary::Release),
    ("S", TemporalBinary::Since),
    ("since", TemporalBinary::Since),
    ("T", TemporalBinary::Trigger),
    ("trigger", TemporalBinary::Trigger),
];

/// A formula with the fairness assumption in front of it, if there is one.
pub(super) fn formula(parts: &mut Parts<'_>) -> Read<Temporal> {
    let start = parts.start();
    if let Some(premise) = premise(parts)? {
        parts.deeper()?;
        // Not `formula`: a second assumption belongs to the first, with &.
        let body = operators(parts, 1)?;
        return Ok(Temporal { kind: TemporalKind::Fair(Box::new(premise), Box::new(body)), span: parts.span_from(start) });
    }
    operators(parts, 1)
}

/// An operand and all operators behind it of at least this level.
fn operators(parts: &mut Parts<'_>, minimum: u8) -> Read<Temporal> {
    let start = parts.start();
    let mut left = operand(parts)?;
    let mut is_equivalence = false;
    // Invariant: `left` is what stands between `start` and the cursor.
    loop {
        let behind = parts.scanner.at();
        let Some((spelling, op)) = parts.scanner.longest(BINARY).filter(|(_, op)| op.level() >= minimum) else {
            // Blanks behind the formula are not a part of it.
            parts.scanner.move_to(behind);
            return Ok(left);
        };
        if op == TemporalBinary::Equivalent && std::mem::replace(&mut is_equivalence, true) {
            let title = format!("`{spelling}` follows another equivalence");
            return Err(parts.refused(spelling, title, "write (f <=> g) <=> h, or f <=> (g <=> h)"));
        }
        parts.deeper()?;
        parts.scanner.take(spelling);
        let right = operators(parts, op.level() + 1)?;
        left = Temporal { kind: TemporalKind::Binary(op, Box::new(left), Box::new(right)), span: parts.span_from(start) };
    }
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
    if parts.scanner.take("#") {
        return quantified(parts, start, Quantifier::Exists);
    }
    if parts.scanner.take("!") {
        return negated_or_quantified(parts, start);
    }
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
    let fairness = parts.scanner.longest(FAIRNESS).map(|(spelling, _)| (spelling, Opening::Fairness));
    let refused = parts.scanner.longest(&[("non_det", Opening::NonDet)]);
    [unary, word, fairness, refused].into_iter().flatten().max_by_key(|(spelling, _)| spelling.len())
}

/// Behind `!`: a quantifier if a name and a dot follow, else the operator not.
fn negated_or_quantified(parts: &mut Parts<'_>, start: usize) -> Read<Temporal> {
    let behind = parts.scanner.at();
    let is_quantifier = parts.scanner.name().is_some() && (parts.scanner.sees(".") || parts.scanner.sees(","));
    parts.scanner.move_to(behind);
    if is_quantifier {
        return quantified(parts, start, Quantifier::Forall);
    }
    parts.deeper()?;
    let body = operand(parts)?;
    Ok(Temporal { kind: TemporalKind::Unary(TemporalUnary::Not, Box::new(body)), span: parts.span_from(start) })
}

/// `!x.({p} => f)`, `#x.({p} & f)`, from the name on.
fn quantified(parts: &mut Parts<'_>, start: usize, quantifier: Quantifier) -> Read<Temporal> {
    parts.deeper()?;
    let (form, nested, op) = match quantifier {
        Quantifier::Forall => ("write !x.({x : S} => f)", "write !x.({x : S} => !y.({y : T} => f))", TemporalBinary::Implies),
        Quantifier::Exists => ("write #x.({x : S} & f)", "write #x.({x : S} & #y.({y : T} & f))", TemporalBinary::And),
    };
    let name = parts.bound_name().map_err(|diagnostic| diagnostic.help(form))?;
    if parts.scanner.sees(",") {
        return Err(parts.refused(",", "a quantifier of a formula binds one name".to_owned(), nested));
    }
    parts.require(".", "a dot behind the bound name").map_err(|diagnostic| diagnostic.help(form))?;
    let opener = parts.start();
    parts.require("(", "(").map_err(|diagnostic| diagnostic.help(form))?;
    let condition = Box::new(parts.predicate().map_err(|diagnostic| diagnostic.help(form))?);
    match parts.scanner.longest(BINARY).filter(|(_, found)| *found == op) {
        Some((spelling, _)) => parts.scanner.take(spelling),
        None => {
            let wanted = if quantifier == Quantifier::Forall { "=>" } else { "&" };
            return Err(parts.expected(&format!("{wanted} behind the condition of `{}`", name.text)).help(form));
        }
    };
    let body = Box::new(formula(parts)?);
    parts.close(opener)?;
    Ok(Temporal { kind: TemporalKind::Quantified { quantifier, name, condition, body }, span: parts.span_from(start) })
}

/// The error that nothing here begins a formula of LTL.
fn no_operand(parts: &mut Parts<'_>) -> Diagnostic {
    let branching = ["AG", "AF", "AX", "EG", "EF", "EX", "A", "E"];
    let Some(found) = branching.into_iter().find(|spelling| parts.scanner.sees(spelling)) else { return parts.no_operand() };
    let help = match found {
        "AG" | "AF" | "AX" => format!("in LTL, which speaks of all paths, write {}; or give it as CTL (--ctl, ASSERT_CTL…)", &found[1..]),
        _ => "LTL speaks of all paths; give it as CTL (--ctl, ASSERT_CTL…)".to_owned(),
    };
    Diagnostic { code: Code::UnexpectedToken, ..parts.refused(found, format!("`{found}` is an operator of CTL"), &help) }
}
