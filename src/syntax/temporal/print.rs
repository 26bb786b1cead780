//! Temporal formulas as text, for messages and for round trips.
//!
//! Invariant: parsing the text yields an equal tree, spans aside (`Error` nodes excepted). Parentheses occur only where they are needed,
//! except around fairness assumptions. Deliberately elsewhere: the formulas of B inside (`syntax::pretty`).

use super::tree::{
    Counting, PatternKind, PatternScope, Premise, PremiseKind, PropertyPattern, StepPattern, Temporal, TemporalBinary, TemporalKind, Trend,
};
use crate::ast::Quantifier;
use crate::pretty::{declared, used};
use std::fmt::{Display, Formatter, Result, Write};

/// The level of operands.
const OPERAND: u8 = 5;

impl Display for Temporal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_bare(self, f)
    }
}

/// How tightly the outermost operator binds.
fn level(formula: &Temporal) -> u8 {
    match &formula.kind {
        TemporalKind::Fair(..) => 0,
        TemporalKind::Binary(op, ..) => op.level(),
        _ => OPERAND,
    }
}

fn write_at(formula: &Temporal, minimum: u8, f: &mut Formatter<'_>) -> Result {
    if level(formula) >= minimum {
        return write_bare(formula, f);
    }
    write!(f, "({formula})")
}

/// An operand of `E … U …`, which itself extends as far to the right as possible.
fn write_around_until(formula: &Temporal, f: &mut Formatter<'_>) -> Result {
    match &formula.kind {
        // In `E a U b U c` it would be ambiguous which U belongs to the quantifier.
        TemporalKind::Until(..) => write!(f, "({formula})"),
        _ => write_at(formula, OPERAND, f),
    }
}

// A list: the text of each kind of formula.
fn write_bare(formula: &Temporal, f: &mut Formatter<'_>) -> Result {
    match &formula.kind {
        TemporalKind::Constant(value) => write!(f, "{value}"),
        TemporalKind::Predicate(pred) => write!(f, "{{{pred}}}"),
        TemporalKind::Word(word) => f.write_str(word.text()),
        TemporalKind::Enabled(pattern) => write!(f, "e({pattern})"),
        TemporalKind::Taken(pattern) => write!(f, "[{pattern}]"),
        TemporalKind::Counted(counting, patterns) => {
            write!(f, "{}(", counting_text(*counting))?;
            write_list(patterns, f)?;
            f.write_char(')')
        }
        TemporalKind::Compared(trend, expr) => write!(f, "{}({{{expr}}})", trend_text(*trend)),
        TemporalKind::BeforeAfter(pred) => write!(f, "BA({{{pred}}})"),
        TemporalKind::Unary(op, body) => {
            // A blank, as letters need one before a word or a quantifier.
            write!(f, "{} ", op.sign())?;
            write_at(body, OPERAND, f)
        }
        TemporalKind::Binary(op, left, right) => {
            // To the left; an equivalence is not an operand of another.
            let own = op.level();
            write_at(left, if *op == TemporalBinary::Equivalent { own + 1 } else { own }, f)?;
            write!(f, " {} ", op.sign())?;
            // The right operand one level tighter, as the parser associates to the left.
            write_at(right, own + 1, f)
        }
        TemporalKind::Path(quantifier, op, step, body) => {
            write!(f, "{}{}", path_text(*quantifier), op.sign())?;
            step.iter().try_for_each(|step| write!(f, "[{step}]"))?;
            f.write_char(' ')?;
            // Without parentheses, `AX [op]` would be fine and `EX [op]` would not: it would be `EX[op]`.
            match &body.kind {
                TemporalKind::Taken(_) => write!(f, "({body})"),
                _ => write_at(body, OPERAND, f),
            }
        }
        TemporalKind::Until(quantifier, before, after) => {
            write!(f, "{} ", path_text(*quantifier))?;
            write_around_until(before, f)?;
            f.write_str(" U ")?;
            write_around_until(after, f)
        }
        TemporalKind::Quantified { quantifier, name, condition, body } => {
            let (sign, joint) = if *quantifier == Quantifier::Forall { ('!', "=>") } else { ('#', "&") };
            f.write_char(sign)?;
            declared(&name.text, f)?;
            write!(f, ".({{{condition}}} {joint} ")?;
            write_at(body, 1, f)?;
            f.write_char(')')
        }
        TemporalKind::Pattern(pattern) => write_pattern(pattern, f),
        TemporalKind::Fair(premise, body) => {
            write!(f, "{premise} => ")?;
            write_at(body, 1, f)
        }
        TemporalKind::Error => f.write_str("<error>"),
    }
}

/// A formula in a pattern, where fairness needs parentheses.
struct Within<'a>(&'a Temporal);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_at(self.0, 1, f)
    }
}

fn write_pattern(pattern: &PropertyPattern, f: &mut Formatter<'_>) -> Result {
    match &pattern.scope {
        PatternScope::Globally => f.write_str("globally "),
        PatternScope::Before(r) => write!(f, "before({}) ", Within(r)),
        PatternScope::After(q) => write!(f, "after({}) ", Within(q)),
        PatternScope::Between(bounds) => write!(f, "between({}, {}) ", Within(&bounds[0]), Within(&bounds[1])),
        PatternScope::AfterUntil(bounds) => write!(f, "after_until({}, {}) ", Within(&bounds[0]), Within(&bounds[1])),
    }?;
    match &pattern.kind {
        PatternKind::Absence(p) => write!(f, "absence({})", Within(p)),
        PatternKind::Universality(p) => write!(f, "universality({})", Within(p)),
        PatternKind::Existence(p) => write!(f, "existence({})", Within(p)),
        PatternKind::BoundedExistence(p, most) => write!(f, "existence({}, at_most {most})", Within(p)),
        PatternKind::Precedence(sides) => write!(f, "precedence({}, {})", Within(&sides[0]), Within(&sides[1])),
        PatternKind::Response(sides) => write!(f, "response({}, {})", Within(&sides[0]), Within(&sides[1])),
        PatternKind::ChainPrecedes(sides) => write_sides("precedence", [&sides[..2], &sides[2..]], None, f),
        PatternKind::PrecedesChain(sides) => write_sides("precedence", [&sides[..1], &sides[1..]], None, f),
        PatternKind::ChainResponds(sides) => write_sides("response", [&sides[..2], &sides[2..]], None, f),
        PatternKind::RespondsToChain(sides) => write_sides("response", [&sides[..1], &sides[1..]], None, f),
        PatternKind::ConstrainedChainResponds(sides) => write_sides("response", [&sides[..2], &sides[3..]], Some(&sides[2]), f),
    }
}

/// `response(s then t without z, p)`
fn write_sides(word: &str, sides: [&[Temporal]; 2], without: Option<&Temporal>, f: &mut Formatter<'_>) -> Result {
    let chain = |side: &[Temporal]| side.iter().map(|part| Within(part).to_string()).collect::<Vec<_>>().join(" then ");
    let without = without.map_or_else(String::new, |without| format!(" without {}", Within(without)));
    write!(f, "{word}({}{without}, {})", chain(sides[0]), chain(sides[1]))
}

fn write_list(patterns: &[StepPattern], f: &mut Formatter<'_>) -> Result {
    for (index, pattern) in patterns.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{pattern}")?;
    }
    Ok(())
}

impl Display for StepPattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        used(&self.operation.text, f)?;
        let Some(arguments) = &self.arguments else { return Ok(()) };
        f.write_char('(')?;
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match argument {
                Some(argument) => write!(f, "{argument}")?,
                None => f.write_char('_')?,
            }
        }
        f.write_char(')')
    }
}

impl Display for Premise {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let letter = |is_strong: bool| if is_strong { 'S' } else { 'W' };
        match &self.kind {
            PremiseKind::Of { is_strong, pattern } => write!(f, "{}F({pattern})", letter(*is_strong)),
            PremiseKind::Every { is_strong } => write!(f, "{}EF", letter(*is_strong)),
            PremiseKind::And(left, right) => write!(f, "{} & {}", Joined(left), Joined(right)),
            PremiseKind::Or(left, right) => write!(f, "{} or {}", Joined(left), Joined(right)),
        }
    }
}

/// A part of an assumption, in parentheses if it is joined itself.
struct Joined<'a>(&'a Premise);

impl Display for Joined<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.0.kind {
            PremiseKind::And(..) | PremiseKind::Or(..) => write!(f, "({})", self.0),
            PremiseKind::Of { .. } | PremiseKind::Every { .. } => write!(f, "{}", self.0),
        }
    }
}

fn counting_text(counting: Counting) -> &'static str {
    match counting {
        Counting::None => "deadlock",
        Counting::One => "controller",
        Counting::AtMostOne => "deterministic",
    }
}

fn trend_text(trend: Trend) -> &'static str {
    match trend {
        Trend::Unchanged => "unchanged",
        Trend::Changed => "changed",
        Trend::Increasing => "increasing",
        Trend::Decreasing => "decreasing",
    }
}

fn path_text(quantifier: Quantifier) -> char {
    match quantifier {
        Quantifier::Forall => 'A',
        Quantifier::Exists => 'E',
    }
}
