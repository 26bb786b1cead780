//! Temporal formulas as text: for messages, for round trips, with all parentheses, and operator by operator.
//!
//! Invariant: parsing the text of a whole formula yields an equal tree, spans aside (`Error` nodes excepted). Deliberately elsewhere: the
//! formulas of B inside (`syntax::pretty`).

use super::tree::{
    Counting, PatternKind, PatternScope, Prefix, Premise, PremiseKind, PropertyPattern, Proposition, StepPattern, Temporal, TemporalBinary,
    TemporalKind, Trend, operands,
};
use crate::ast::Quantifier;
use crate::pretty::{declared, used};
use std::fmt::{Display, Formatter, Result, Write};

/// The level of operands.
const OPERAND: u8 = 5;

/// A level that nothing has: an operand in parentheses, whatever it is.
const ENCLOSED: u8 = OPERAND + 1;

/// How the operands of operators are written.
#[derive(Clone, Copy, Debug)]
enum Operands {
    /// In parentheses where these are needed.
    Plain,
    /// In parentheses if they have an operator; those of a pattern as in [`Operands::Plain`].
    Parenthesised,
    /// As the letters f and g.
    Letters,
}

/// A formula as text.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    formula: &'a Temporal,
    operands: Operands,
}

/// The formula with parentheses only where they are needed, except around fairness assumptions.
#[must_use]
pub fn printed(formula: &Temporal) -> Printed<'_> {
    Printed { formula, operands: Operands::Plain }
}

/// The formula with parentheses around each operand that has an operator.
#[must_use]
pub fn parenthesised(formula: &Temporal) -> Printed<'_> {
    Printed { formula, operands: Operands::Parenthesised }
}

/// The outermost operator, with the letters f and g for its operands; a proposition as it is.
#[must_use]
pub fn operator(formula: &Temporal) -> Printed<'_> {
    Printed { formula, operands: Operands::Letters }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.formula.kind {
            TemporalKind::Constant(value) => write!(f, "{value}"),
            TemporalKind::Proposition(proposition) => write!(f, "{proposition}"),
            TemporalKind::Unary(op, body) => {
                // A blank, as letters need one before a word or a quantifier.
                write!(f, "{} ", op.sign())?;
                self.operand('f', body, OPERAND, f)
            }
            TemporalKind::Binary(op, left, right) => {
                // To the left; an equivalence is not an operand of another.
                let own = op.level();
                self.operand('f', left, if *op == TemporalBinary::Equivalent { own + 1 } else { own }, f)?;
                write!(f, " {} ", op.sign())?;
                // The right operand one level tighter, as the parser associates to the left.
                self.operand('g', right, own + 1, f)
            }
            TemporalKind::Prefixed(Prefix::Path(quantifier, step), path) => self.path(*quantifier, step.as_ref(), path, f),
            TemporalKind::Prefixed(Prefix::Quantified { quantifier, name, condition }, body) => {
                let (sign, joint) = if *quantifier == Quantifier::Forall { ('!', "=>") } else { ('#', "&") };
                f.write_char(sign)?;
                declared(&name.text, f)?;
                write!(f, ".({{{condition}}} {joint} ")?;
                self.operand('f', body, 1, f)?;
                f.write_char(')')
            }
            TemporalKind::Prefixed(Prefix::Fair(premise), body) => {
                match self.operands {
                    Operands::Letters => f.write_str("FAIR"),
                    Operands::Plain | Operands::Parenthesised => write!(f, "{premise}"),
                }?;
                f.write_str(" => ")?;
                self.operand('f', body, 1, f)
            }
        }
    }
}

impl Printed<'_> {
    /// An operand, which must bind at least as tightly as the level `minimum`.
    fn operand(&self, letter: char, formula: &Temporal, minimum: u8, f: &mut Formatter<'_>) -> Result {
        let is_enclosed = match self.operands {
            Operands::Plain => level(formula) < minimum,
            Operands::Parenthesised => !operands(formula).is_empty(),
            Operands::Letters => return f.write_char(letter),
        };
        let operand = Printed { formula, ..*self };
        if is_enclosed { write!(f, "({operand})") } else { write!(f, "{operand}") }
    }

    /// `EX f`, `EX[op] f`, `AG f`, `E f U g`, ….
    fn path(&self, quantifier: Quantifier, step: Option<&StepPattern>, path: &Temporal, f: &mut Formatter<'_>) -> Result {
        f.write_char(if quantifier == Quantifier::Forall { 'A' } else { 'E' })?;
        match &path.kind {
            TemporalKind::Unary(op, body) => {
                f.write_str(op.sign())?;
                step.iter().try_for_each(|step| write!(f, "[{step}]"))?;
                f.write_char(' ')?;
                // Without parentheses, `AX [op]` would be fine and `EX [op]` would not: it would be `EX[op]`.
                let is_step = matches!(body.kind, TemporalKind::Proposition(Proposition::Taken(_)));
                self.operand('f', body, if is_step { ENCLOSED } else { OPERAND }, f)
            }
            TemporalKind::Binary(op, before, after) => {
                // In `E a U b U c` it would be ambiguous which U belongs to the quantifier.
                let minimum = |operand: &Temporal| if is_until_of_path(operand) { ENCLOSED } else { OPERAND };
                f.write_char(' ')?;
                self.operand('f', before, minimum(before), f)?;
                write!(f, " {} ", op.sign())?;
                self.operand('g', after, minimum(after), f)
            }
            // No parser puts a path quantifier in front of anything else.
            _ => write!(f, " {}", Printed { formula: path, ..*self }),
        }
    }
}

/// How tightly the outermost operator binds.
fn level(formula: &Temporal) -> u8 {
    match &formula.kind {
        TemporalKind::Prefixed(Prefix::Fair(_), _) => 0,
        TemporalKind::Binary(op, ..) => op.level(),
        _ => OPERAND,
    }
}

/// `E f U g` and `A f U g`, which extend as far to the right as possible.
fn is_until_of_path(formula: &Temporal) -> bool {
    let TemporalKind::Prefixed(Prefix::Path(..), path) = &formula.kind else { return false };
    matches!(path.kind, TemporalKind::Binary(..))
}

impl Display for Proposition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Predicate(pred) => write!(f, "{{{pred}}}"),
            Self::Word(word) => f.write_str(word.text()),
            Self::Enabled(pattern) => write!(f, "e({pattern})"),
            Self::Taken(pattern) => write!(f, "[{pattern}]"),
            Self::Counted(counting, patterns) => {
                write!(f, "{}(", counting_text(*counting))?;
                write_list(patterns, f)?;
                f.write_char(')')
            }
            Self::Compared(trend, expr) => write!(f, "{}({{{expr}}})", trend_text(*trend)),
            Self::BeforeAfter(pred) => write!(f, "BA({{{pred}}})"),
            Self::Pattern(pattern) => write_pattern(pattern, f),
            Self::Error => f.write_str("<error>"),
        }
    }
}

/// A formula in a pattern, where fairness needs parentheses.
struct Within<'a>(&'a Temporal);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        printed(self.0).operand('f', self.0, 1, f)
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
