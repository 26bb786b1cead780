//! Property patterns: the formulas of LTL that they stand for.
//!
//! The scope of a pattern is a segment of the path: it begins at some position and ends before the first r from there on, or with the path.
//! What a pattern says of a whole path is a short formula; of a segment it says the same, with every operator confined to positions before
//! that r ([`Segment`]). So there are eleven patterns and five scopes instead of 55 formulas, and each means what the catalogue says in
//! words (Dwyer, Avrunin, Corbett: Patterns in property specifications for finite-state verification, ICSE 1999). Where a published formula
//! is weaker or stronger than its words, the words count: `tests/suite/property_patterns.rs` lists these and compares the others.
//!
//! Invariant: an argument is elaborated once, and has its place; all else has the place of the pattern. On a finite path a segment may end
//! with the path. Deliberately elsewhere: the syntax (`syntax::temporal`).

use super::propositions::Propositions;
use bcheck_ir::temporal::{Temporal, TemporalBinary, TemporalKind, TemporalProposition, TemporalUnary};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::temporal::{PatternKind, PatternScope, PropertyPattern};

/// The most operators of the formula of a pattern: nested patterns copy their arguments.
const MOST_OPERATORS: usize = 2_000;

impl Propositions<'_> {
    /// The formula of a pattern.
    pub(super) fn property_pattern(&mut self, pattern: &PropertyPattern, span: Span) -> Temporal {
        // In the order of the text, as errors are reported in it.
        let scope: Vec<Temporal> = match &pattern.scope {
            PatternScope::Globally => Vec::new(),
            PatternScope::Before(bound) | PatternScope::After(bound) => vec![self.inner(bound)],
            PatternScope::Between(bounds) | PatternScope::AfterUntil(bounds) => bounds.iter().map(|bound| self.inner(bound)).collect(),
        };
        let make = Maker { span };
        let meaning = match (&pattern.scope, scope.as_slice()) {
            (PatternScope::Before(_), [r]) => {
                let inside = self.inside(&pattern.kind, &Segment { make, end: Some(r) });
                make.implies(make.finally(r.clone()), inside)
            }
            (PatternScope::After(_), [q]) => {
                let inside = self.inside(&pattern.kind, &Segment { make, end: None });
                make.binary(TemporalBinary::WeakUntil, make.not(q.clone()), make.and(q.clone(), inside))
            }
            (PatternScope::Between(_), [q, r]) => {
                let inside = self.inside(&pattern.kind, &Segment { make, end: Some(r) });
                let begins = make.and(make.and(q.clone(), make.not(r.clone())), make.finally(r.clone()));
                make.globally(make.implies(begins, inside))
            }
            (PatternScope::AfterUntil(_), [q, r]) => {
                let inside = self.inside(&pattern.kind, &Segment { make, end: Some(r) });
                make.globally(make.implies(make.and(q.clone(), make.not(r.clone())), inside))
            }
            _ => self.inside(&pattern.kind, &Segment { make, end: None }),
        };
        if operators(&meaning) <= MOST_OPERATORS {
            return meaning;
        }
        // Where patterns are nested, only the innermost one that is too large is reported.
        if !self.has_errors() {
            let title = format!("the formula that this pattern stands for has more than {MOST_OPERATORS} operators");
            self.report(Diagnostic::error(Code::TooDeep, span, title).help("do not nest patterns, or state several formulas"));
        }
        make.of(TemporalKind::Proposition(TemporalProposition::State(Self::anything(span))))
    }

    /// The formula that must hold where a segment begins.
    fn inside(&mut self, kind: &PatternKind, segment: &Segment<'_>) -> Temporal {
        let make = segment.make;
        match kind {
            PatternKind::Absence(p) => segment.globally(make.not(self.inner(p))),
            PatternKind::Universality(p) => segment.globally(self.inner(p)),
            PatternKind::Existence(p) => segment.finally(self.inner(p)),
            // At most that many stretches of p: `not p W (p W (not p W … G not p))`, an alternation that may stop anywhere, as every W may
            // last to the end.
            PatternKind::BoundedExistence(p, most) => {
                let p = self.inner(p);
                let never = segment.globally(make.not(p.clone()));
                // From the last time that p becomes true back to the first.
                (0..*most).fold(never, |later, _| segment.weak_until(make.not(p.clone()), segment.weak_until(p.clone(), later)))
            }
            PatternKind::Precedence(sides) => {
                let [s, p] = sides.each_ref().map(|side| self.inner(side));
                // Up to the first s there is no p; s and p at the same position count as p preceded by s, as W allows both there.
                segment.weak_until(make.not(p), s)
            }
            PatternKind::ChainPrecedes(sides) => {
                let [s, t, p] = sides.each_ref().map(|side| self.inner(side));
                let no_p = make.not(p);
                // t comes strictly after s, and no p before it: the chain is complete before the first p.
                let then = segment.next(segment.weak_until(no_p.clone(), t));
                segment.weak_until(no_p.clone(), make.and(make.and(s, no_p), then))
            }
            PatternKind::PrecedesChain(sides) => {
                let [p, s, t] = sides.each_ref().map(|side| self.inner(side));
                // A chain s, t may begin only once p has been; the t may be any later one in the segment.
                segment.weak_until(make.not(make.and(s, segment.next(segment.finally(t)))), p)
            }
            PatternKind::Response(sides) => {
                let [s, p] = sides.each_ref().map(|side| self.inner(side));
                // s at the position of p itself counts as a response.
                segment.globally(make.implies(p, segment.finally(s)))
            }
            PatternKind::ChainResponds(sides) => {
                let [s, t, p] = sides.each_ref().map(|side| self.inner(side));
                let chain = make.and(s, segment.next(segment.finally(t)));
                segment.globally(make.implies(p, segment.finally(chain)))
            }
            PatternKind::ConstrainedChainResponds(sides) => {
                let [s, t, z, p] = sides.each_ref().map(|side| self.inner(side));
                let no_z = make.not(z);
                // No z from s on until t, at whose position it may hold; `inside` confines both sides of the until to the segment.
                let chain = make.and(make.and(s, no_z.clone()), segment.next(segment.until(no_z, t)));
                segment.globally(make.implies(p, segment.finally(chain)))
            }
            PatternKind::RespondsToChain(sides) => {
                let [p, s, t] = sides.each_ref().map(|side| self.inner(side));
                let chain = make.and(s, segment.next(segment.finally(t.clone())));
                // A p after any such t is also one after the first t.
                segment.globally(make.implies(chain, segment.next(segment.finally(make.and(t, segment.finally(p))))))
            }
        }
    }
}

/// A part of a path: from the position where a formula is evaluated to before the first `end`, or to the end of the path.
///
/// Its operators are evaluated at positions inside and at its beginning, which is its end if it is empty; they only refer to positions
/// inside. In an empty segment F is false, G and W are true.
struct Segment<'a> {
    make: Maker,
    end: Option<&'a Temporal>,
}

impl Segment<'_> {
    /// The formula at a position inside the segment.
    fn inside(&self, formula: Temporal) -> Temporal {
        match self.end {
            Some(end) => self.make.and(formula, self.make.not(end.clone())),
            None => formula,
        }
    }

    fn next(&self, formula: Temporal) -> Temporal {
        self.make.unary(TemporalUnary::Next, self.inside(formula))
    }

    fn finally(&self, formula: Temporal) -> Temporal {
        // An until, not `F (f and not end)`: the first `end` must not come before.
        match self.end {
            Some(end) => self.make.binary(TemporalBinary::Until, self.make.not(end.clone()), self.inside(formula)),
            None => self.make.finally(formula),
        }
    }

    fn globally(&self, formula: Temporal) -> Temporal {
        // Weak: a segment without an end lasts as long as the path. Its `end` itself lies outside, so the formula need not hold there.
        match self.end {
            Some(end) => self.make.binary(TemporalBinary::WeakUntil, formula, end.clone()),
            None => self.make.globally(formula),
        }
    }

    fn until(&self, before: Temporal, after: Temporal) -> Temporal {
        self.make.binary(TemporalBinary::Until, self.inside(before), self.inside(after))
    }

    fn weak_until(&self, before: Temporal, after: Temporal) -> Temporal {
        // The end of the segment releases as `after` does: the awaited event lies beyond it.
        let after = match self.end {
            Some(end) => self.make.or(end.clone(), after),
            None => after,
        };
        self.make.binary(TemporalBinary::WeakUntil, before, after)
    }
}

/// Makes formulas with the place of a pattern.
#[derive(Clone, Copy)]
struct Maker {
    span: Span,
}

impl Maker {
    fn of(self, kind: TemporalKind) -> Temporal {
        Temporal { kind, span: self.span }
    }

    fn unary(self, operator: TemporalUnary, operand: Temporal) -> Temporal {
        self.of(TemporalKind::Unary(operator, Box::new(operand)))
    }

    fn binary(self, operator: TemporalBinary, left: Temporal, right: Temporal) -> Temporal {
        self.of(TemporalKind::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn not(self, operand: Temporal) -> Temporal {
        self.unary(TemporalUnary::Not, operand)
    }

    fn globally(self, operand: Temporal) -> Temporal {
        self.unary(TemporalUnary::Globally, operand)
    }

    fn finally(self, operand: Temporal) -> Temporal {
        self.unary(TemporalUnary::Finally, operand)
    }

    fn and(self, left: Temporal, right: Temporal) -> Temporal {
        self.binary(TemporalBinary::And, left, right)
    }

    fn or(self, left: Temporal, right: Temporal) -> Temporal {
        self.binary(TemporalBinary::Or, left, right)
    }

    fn implies(self, left: Temporal, right: Temporal) -> Temporal {
        self.binary(TemporalBinary::Implies, left, right)
    }
}

/// The number of operators of a formula.
fn operators(formula: &Temporal) -> usize {
    let is_operator = !matches!(formula.kind, TemporalKind::Constant(_) | TemporalKind::Proposition(_));
    usize::from(is_operator) + formula.parts().map(operators).sum::<usize>()
}
