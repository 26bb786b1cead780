//! Operators around operands, common to both logics: binary operators with their spellings, and quantifiers.
//!
//! Tightest first: `U` and its kin, `&` and `or` on one level, `=>`, `<=>`. All are left-associative but `<=>`, which is not associative.
//! Priorities are those of ProB, and so are spellings; beyond them there are `!f`, `|`, `&&`, `->` and `<->`, and CTL has the connectives
//! of LTL.
//! Invariant: a formula of CTL has no binary operator but connectives. Deliberately elsewhere: operands (`ltl`, `ctl`), which are read by
//! the function that is passed in.

use super::parts::{Parts, Read};
use super::tree::{Logic, Prefix, Temporal, TemporalBinary, TemporalKind, TemporalUnary};
use crate::ast::Quantifier;

/// A part of the grammar that one of the logics defines.
pub(super) type Grammar = fn(&mut Parts<'_>) -> Read<Temporal>;

const CONNECTIVES: &[(&str, TemporalBinary)] = &[
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
];

const OF_LINEAR_TIME: &[(&str, TemporalBinary)] = &[
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

impl Parts<'_> {
    /// The binary operator at the cursor, with its spelling; the cursor stays before it.
    fn binary(&mut self) -> Option<(&'static str, TemporalBinary)> {
        if self.word_in_other_case().is_some() {
            return None;
        }
        let of_linear_time = if self.logic == Logic::Ltl { OF_LINEAR_TIME } else { &[] };
        // No spelling of one table begins with one of the other.
        self.scanner.longest(CONNECTIVES).or_else(|| self.scanner.longest(of_linear_time))
    }

    /// Whether an operand of CTL ends here: at an operator, at the `U` of a path quantifier, or at the end of what is around it.
    pub(super) fn ends_operand(&mut self) -> bool {
        let behind = self.scanner.at();
        let ends = self.start() == self.scanner.text().len()
            || [")", ",", "U", "until"].iter().any(|sign| self.scanner.sees(sign))
            || self.binary().is_some();
        // Blanks behind an operand are not a part of it.
        self.scanner.move_to(behind);
        ends
    }

    /// Reads a connective, if it is next.
    pub(super) fn take_connective(&mut self, wanted: TemporalBinary) -> bool {
        let found = self.scanner.longest(CONNECTIVES).filter(|(_, op)| *op == wanted);
        found.is_some_and(|(spelling, _)| self.scanner.take(spelling))
    }

    /// An operand and all operators behind it of at least this level.
    pub(super) fn operators(&mut self, minimum: u8, operand: Grammar) -> Read<Temporal> {
        let start = self.start();
        let mut left = operand(self)?;
        let mut is_equivalence = false;
        // Invariant: `left` is the text from `start` to the cursor.
        loop {
            let behind = self.scanner.at();
            let Some((spelling, op)) = self.binary().filter(|(_, op)| op.level() >= minimum) else {
                // Blanks behind the formula are not a part of it.
                self.scanner.move_to(behind);
                return Ok(left);
            };
            if op == TemporalBinary::Equivalent && std::mem::replace(&mut is_equivalence, true) {
                let title = format!("`{spelling}` follows another equivalence");
                return Err(self.refused(spelling, title, "write (f <=> g) <=> h, or f <=> (g <=> h)"));
            }
            self.deeper()?;
            self.scanner.take(spelling);
            // One level tighter on the right makes operators of one level associate to the left (precedence climbing).
            let right = self.operators(op.level() + 1, operand)?;
            left = Temporal { kind: TemporalKind::Binary(op, Box::new(left), Box::new(right)), span: self.span_from(start) };
        }
    }

    /// `!x.({p} => f)`, `#x.({p} & f)`, `!f`; `None` if neither sign is next. `formula` reads the body of a quantifier.
    pub(super) fn quantified_or_negated(&mut self, operand: Grammar, formula: Grammar) -> Read<Option<Temporal>> {
        let start = self.start();
        if self.scanner.take("#") {
            return self.quantified(start, Quantifier::Exists, formula).map(Some);
        }
        if !self.scanner.take("!") {
            return Ok(None);
        }
        let behind = self.scanner.at();
        // `!x.` or `!x, y.` begins a quantifier; any other `!` is a negation, which ProB does not have.
        let is_quantifier = self.scanner.name().is_some() && (self.scanner.sees(".") || self.scanner.sees(","));
        self.scanner.move_to(behind);
        if is_quantifier {
            return self.quantified(start, Quantifier::Forall, formula).map(Some);
        }
        self.deeper()?;
        let body = operand(self)?;
        Ok(Some(Temporal { kind: TemporalKind::Unary(TemporalUnary::Not, Box::new(body)), span: self.span_from(start) }))
    }

    /// A quantifier, from its name on.
    fn quantified(&mut self, start: usize, quantifier: Quantifier, formula: Grammar) -> Read<Temporal> {
        self.deeper()?;
        let (form, nested, op) = match quantifier {
            Quantifier::Forall => ("write !x.({x : S} => f)", "write !x.({x : S} => !y.({y : T} => f))", TemporalBinary::Implies),
            Quantifier::Exists => ("write #x.({x : S} & f)", "write #x.({x : S} & #y.({y : T} & f))", TemporalBinary::And),
        };
        let name = self.bound_name().map_err(|diagnostic| diagnostic.help(form))?;
        if self.scanner.sees(",") {
            return Err(self.refused(",", "a quantifier of a formula binds one name".to_owned(), nested));
        }
        self.require(".", "a dot behind the bound name").map_err(|diagnostic| diagnostic.help(form))?;
        let opener = self.start();
        self.require("(", "(").map_err(|diagnostic| diagnostic.help(form))?;
        let condition = Box::new(self.predicate().map_err(|diagnostic| diagnostic.help(form))?);
        if !self.take_connective(op) {
            let wanted = if quantifier == Quantifier::Forall { "=>" } else { "&" };
            return Err(self.expected(&format!("{wanted} behind the condition of `{}`", name.text)).help(form));
        }
        // A complete formula: the parenthesis delimits it.
        let body = Box::new(formula(self)?);
        self.close(opener)?;
        let prefix = Prefix::Quantified { quantifier, name, condition };
        Ok(Temporal { kind: TemporalKind::Prefixed(prefix, body), span: self.span_from(start) })
    }
}
