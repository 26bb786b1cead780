//! Property patterns in words: a scope, and a requirement in it: `before({r}) absence({p})`.
//!
//! Invariant: formulas inside are parsed by the grammar that is passed in, and each is stored once, as written. Deliberately elsewhere:
//! which formula of LTL a pattern denotes (`sema`), patterns of steps (`patterns`).
//!
//! Scopes and patterns are those of Dwyer, Avrunin and Corbett, Patterns in property specifications for finite-state verification (ICSE
//! 1999), with the order of arguments of their catalogue: "s precedes p", "s responds to p".

use super::operators::Grammar;
use super::parts::{Parts, Read};
use super::tree::{PatternKind, PatternScope, PropertyPattern, Proposition, Temporal, TemporalKind};
use bcheck_source::{Code, Diagnostic};

/// More occurrences than this are not counted: each takes two states of the automaton.
const MOST_OCCURRENCES: u8 = 9;

/// Words that begin a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeWord {
    Globally,
    Before,
    After,
    Between,
    AfterUntil,
}

/// Words of patterns.
#[derive(Clone, Copy, Debug)]
pub(super) enum PatternWord {
    Absence,
    Universality,
    Existence,
    Precedence,
    Response,
}

const SCOPES: &[(&str, ScopeWord)] = &[
    ("globally", ScopeWord::Globally),
    ("before", ScopeWord::Before),
    ("after", ScopeWord::After),
    ("between", ScopeWord::Between),
    ("after_until", ScopeWord::AfterUntil),
];

/// The words of patterns.
pub(super) const PATTERNS: &[(&str, PatternWord)] = &[
    ("absence", PatternWord::Absence),
    ("universality", PatternWord::Universality),
    ("existence", PatternWord::Existence),
    ("precedence", PatternWord::Precedence),
    ("response", PatternWord::Response),
];

/// One side of a precedence or response.
struct Side {
    first: Temporal,
    then: Option<Temporal>,
    without: Option<Temporal>,
}

impl Parts<'_> {
    /// The word of a scope at the cursor; the cursor stays before it.
    pub(super) fn scope_word(&mut self) -> Option<(&'static str, ScopeWord)> {
        let (spelling, word) = self.scanner.longest(SCOPES)?;
        // Looks ahead on a copy: two words and a parenthesis decide, and nothing has to be undone.
        let mut behind = self.scanner.clone();
        behind.take(spelling);
        let pattern = behind.longest(PATTERNS).map_or("", |(pattern, _)| pattern);
        // `globally` before anything else is the operator G.
        let is_scope = word != ScopeWord::Globally || !pattern.is_empty() && behind.take(pattern) && behind.sees("(");
        is_scope.then_some((spelling, word))
    }

    /// A pattern with its scope, from the word of the scope on.
    pub(super) fn property_pattern(&mut self, spelling: &str, word: ScopeWord, formula: Grammar) -> Read<Temporal> {
        let start = self.start();
        self.deeper()?;
        self.scanner.take(spelling);
        let scope = match word {
            ScopeWord::Globally => PatternScope::Globally,
            ScopeWord::Before => PatternScope::Before(Box::new(self.one("write before(r)", formula)?)),
            ScopeWord::After => PatternScope::After(Box::new(self.one("write after(q)", formula)?)),
            ScopeWord::Between => PatternScope::Between(Box::new(self.two("write between(q, r)", formula)?)),
            ScopeWord::AfterUntil => PatternScope::AfterUntil(Box::new(self.two("write after_until(q, r)", formula)?)),
        };
        let Some((spelling, word)) = self.scanner.longest(PATTERNS) else {
            let help = "write absence(p), universality(p), existence(p), precedence(s, p) or response(s, p) behind a scope";
            return Err(self.expected("a pattern").help(help));
        };
        self.scanner.take(spelling);
        let kind = match word {
            PatternWord::Absence => PatternKind::Absence(Box::new(self.one("write absence(p)", formula)?)),
            PatternWord::Universality => PatternKind::Universality(Box::new(self.one("write universality(p)", formula)?)),
            PatternWord::Existence => self.existence(formula)?,
            PatternWord::Precedence => self.precedence(formula)?,
            PatternWord::Response => self.response(formula)?,
        };
        let pattern = Proposition::Pattern(Box::new(PropertyPattern { scope, kind }));
        Ok(Temporal { kind: TemporalKind::Proposition(pattern), span: self.span_from(start) })
    }

    /// `(f)`
    fn one(&mut self, form: &str, formula: Grammar) -> Read<Temporal> {
        let opener = self.opened(form)?;
        let found = formula(self)?;
        self.closed(opener, form)?;
        Ok(found)
    }

    /// `(f, g)`
    fn two(&mut self, form: &str, formula: Grammar) -> Read<[Temporal; 2]> {
        let opener = self.opened(form)?;
        let first = formula(self)?;
        self.require(",", "a comma").map_err(|diagnostic| diagnostic.help(form))?;
        let second = formula(self)?;
        self.closed(opener, form)?;
        Ok([first, second])
    }

    fn opened(&mut self, form: &str) -> Read<usize> {
        let opener = self.start();
        self.require("(", "(").map_err(|diagnostic| diagnostic.help(form))?;
        Ok(opener)
    }

    fn closed(&mut self, opener: usize, form: &str) -> Read<()> {
        self.close(opener).map_err(|diagnostic| diagnostic.help(form))
    }

    /// `(p)`, `(p, at_most 2)`
    fn existence(&mut self, formula: Grammar) -> Read<PatternKind> {
        let form = "write existence(p), or existence(p, at_most 2)";
        let opener = self.opened(form)?;
        // A comma ends the formula, as no operator of a formula is one: the list of arguments needs no bracket counting.
        let found = Box::new(formula(self)?);
        if !self.scanner.take(",") {
            self.closed(opener, form)?;
            return Ok(PatternKind::Existence(found));
        }
        self.require("at_most", "at_most").map_err(|diagnostic| diagnostic.help(form))?;
        // The complete piece: `2x` must not be read as 2.
        let digits = self.scanner.piece();
        let Some(most) = digits.parse::<u8>().ok().filter(|most| (1..=MOST_OCCURRENCES).contains(most)) else {
            let help = "at_most 0 is written absence(p)";
            return Err(self.expected(&format!("a number from 1 to {MOST_OCCURRENCES}")).help(help));
        };
        self.scanner.take(digits);
        self.closed(opener, form)?;
        Ok(PatternKind::BoundedExistence(found, most))
    }

    /// `(s, p)`, `(s then t, p)`, `(p, s then t)`
    fn precedence(&mut self, formula: Grammar) -> Read<PatternKind> {
        let form = "write precedence(s, p), precedence(s then t, p) or precedence(p, s then t)";
        let [cause, effect] = self.sides(form, false, formula)?;
        // The position of the chain decides the pattern: "s, t precede p" or "s precedes p … t". `sides` has refused two of them.
        Ok(match (cause.then, effect.then) {
            (Some(then), _) => PatternKind::ChainPrecedes(Box::new([cause.first, then, effect.first])),
            (None, Some(then)) => PatternKind::PrecedesChain(Box::new([cause.first, effect.first, then])),
            (None, None) => PatternKind::Precedence(Box::new([cause.first, effect.first])),
        })
    }

    /// `(s, p)`, `(s then t, p)`, `(s then t without z, p)`, `(p, s then t)`
    fn response(&mut self, formula: Grammar) -> Read<PatternKind> {
        let form = "write response(s, p), response(s then t, p), response(s then t without z, p) or response(p, s then t)";
        // The catalogue's order: "s responds to p", so the response comes first although it happens last.
        let [response, stimulus] = self.sides(form, true, formula)?;
        Ok(match (response.then, response.without, stimulus.then) {
            (Some(then), Some(without), _) => {
                PatternKind::ConstrainedChainResponds(Box::new([response.first, then, without, stimulus.first]))
            }
            (Some(then), None, _) => PatternKind::ChainResponds(Box::new([response.first, then, stimulus.first])),
            (None, _, Some(then)) => PatternKind::RespondsToChain(Box::new([response.first, stimulus.first, then])),
            (None, _, None) => PatternKind::Response(Box::new([response.first, stimulus.first])),
        })
    }

    /// Both sides in parentheses, of which at most one is a chain.
    fn sides(&mut self, form: &str, takes_without: bool, formula: Grammar) -> Read<[Side; 2]> {
        let opener = self.opened(form)?;
        let first = self.side(form, takes_without, formula)?;
        self.require(",", "a comma").map_err(|diagnostic| diagnostic.help(form))?;
        let second = self.side(form, false, formula)?;
        if let (Some(_), Some(then)) = (&first.then, &second.then) {
            let title = "only one side can be a chain";
            return Err(Diagnostic::error(Code::UnexpectedToken, then.span, title).label("the second chain").help(form));
        }
        self.closed(opener, form)?;
        Ok([first, second])
    }

    /// `s`, `s then t`, `s then t without z`
    fn side(&mut self, form: &str, takes_without: bool, formula: Grammar) -> Read<Side> {
        let first = formula(self)?;
        // `then` and `without` begin no operator either, so they end the formula before them.
        let then = if self.scanner.take("then") { Some(formula(self)?) } else { None };
        if then.is_some() && self.scanner.sees("then") {
            return Err(self.refused("then", "a chain has two members".to_owned(), form));
        }
        let can_be_without = takes_without && then.is_some();
        if !can_be_without && self.scanner.sees("without") {
            return Err(self.refused("without", "`without` belongs to a chain that responds".to_owned(), form));
        }
        let without = if self.scanner.take("without") { Some(formula(self)?) } else { None };
        Ok(Side { first, then, without })
    }
}
