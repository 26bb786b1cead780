//! Property patterns against a definition of scopes and patterns that goes through the positions of a path, on random paths; and against
//! the published formulas, with a list of those that say something else than their words.
//!
//! Invariant: the definition has no formulas. Deliberately elsewhere: the syntax (`src/syntax`), that formulas are judged rightly
//! (`src/temporal`).

use crate::dice::Dice;
use crate::program::bcheck;
use crate::random_temporal;
use bcheck::ir::Model;
use bcheck::ir::temporal::{StateProposition, Temporal, TemporalBinary, TemporalKind, TemporalProposition, TemporalUnary};
use bcheck::sema::{FormulaContext, Logic, Macros, NoFiles, analyse_parsed, read_temporal};
use bcheck::source::{FileId, SourceMap};
use bcheck::syntax::parse_machine;
use bcheck::temporal::formula::Formula;
use bcheck::temporal::word::{Letter, Word, holds};
use std::ops::Range;

/// Each proposition is that an operation is enabled; its bit of a letter is the number of the operation.
const MACHINE: &str = "MACHINE m OPERATIONS p = skip; q = skip; r = skip; s = skip; t = skip; z = skip END";
const P: usize = 0;
const Q: usize = 1;
const R: usize = 2;
const S: usize = 3;
const T: usize = 4;
const Z: usize = 5;

const SCOPES: [&str; 5] = ["globally", "before(e(r))", "after(e(q))", "between(e(q), e(r))", "after_until(e(q), e(r))"];

/// Each pattern with the published formulas in the order of the scopes (Dwyer, Avrunin and Corbett, FMSP 1998 and ICSE 1999, with the
/// notation `p` for `e(p)`).
const PATTERNS: [(&str, [&str; 5]); 11] = [
    ("absence(e(p))", ["G !p", "F r -> (!p U r)", "G (q -> G !p)", "G ((q & !r & F r) -> (!p U r))", "G (q & !r -> (!p W r))"]),
    ("universality(e(p))", ["G p", "F r -> (p U r)", "G (q -> G p)", "G ((q & !r & F r) -> (p U r))", "G (q & !r -> (p W r))"]),
    ("existence(e(p))", ["F p", "!r W (p & !r)", "G !q | F (q & F p)", "G (q & !r -> (!r W (p & !r)))", "G (q & !r -> (!r U (p & !r)))"]),
    (
        "existence(e(p), at_most 2)",
        [
            "!p W (p W (!p W (p W G !p)))",
            "F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
            "F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))",
            "G (q & F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
            "G (q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | G p)))))))))",
        ],
    ),
    (
        "precedence(e(s), e(p))",
        [
            "!p W s",
            "F r -> (!p U (s | r))",
            "G !q | F (q & (!p W s))",
            "G ((q & !r & F r) -> (!p U (s | r)))",
            "G (q & !r -> (!p W (s | r)))",
        ],
    ),
    (
        "precedence(e(s) then e(t), e(p))",
        [
            "F p -> (!p U (s & !p & X (!p U t)))",
            "F r -> (!p U (r | (s & !p & X (!p U t))))",
            "G !q | (!q U ((q & F p) -> (!p U (s & !p & X (!p U t)))))",
            "G ((q & F r) -> (!p U (r | (s & !p & X (!p U t)))))",
            "G (q -> (F p -> (!p U (r | (s & !p & X (!p U t))))))",
        ],
    ),
    (
        "precedence(e(p), e(s) then e(t))",
        [
            "F (s & X F t) -> (!s U p)",
            "F r -> (!(s & !r & X (!r U (t & !r))) U (r | p))",
            "G !q | (!q U (q & (F (s & X F t) -> (!s U p))))",
            "G ((q & F r) -> (!(s & !r & X (!r U (t & !r))) U (r | p)))",
            "G (q -> ((!(s & !r & X (!r U (t & !r))) U (r | p)) | G !(s & X F t)))",
        ],
    ),
    (
        "response(e(s), e(p))",
        [
            "G (p -> F s)",
            "F r -> ((p -> (!r U (s & !r))) U r)",
            "G (q -> G (p -> F s))",
            "G ((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))",
            "G (q & !r -> ((p -> (!r U (s & !r))) W r))",
        ],
    ),
    (
        "response(e(s) then e(t), e(p))",
        [
            "G (p -> F (s & X F t))",
            "F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r)",
            "G (q -> G (p -> s & X F t))",
            "G ((q & F r) -> ((p -> (!r U (s & !r & X (!r U t)))) U r))",
            "G (q -> ((p -> (!r U (s & !r & X (!r U t)))) U (r | G (p -> s & X F t))))",
        ],
    ),
    (
        "response(e(s) then e(t) without e(z), e(p))",
        [
            "G (p -> F (s & !z & X (!z U t)))",
            "F r -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r)",
            "G (q -> G (p -> s & !z & X (!z U t)))",
            "G ((q & F r) -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r))",
            "G (q -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U (r | G (p -> s & !z & X (!z U t)))))",
        ],
    ),
    (
        "response(e(p), e(s) then e(t))",
        [
            "G (s & X F t -> X F (t & F p))",
            "F r -> ((s & X (!r U t) -> X (!r U (t & F p))) U r)",
            "G (q -> G (s & X F t -> X (!t U (t & F p))))",
            "G ((q & F r) -> ((s & X (!r U t) -> X (!r U (t & F p))) U r))",
            "G (q -> ((s & X (!r U t) -> X (!r U (t & F p))) U (r | G (s & X (!r U t) -> X (!r U (t & F p))))))",
        ],
    ),
];

/// The published formulas that say something else than their words, by pattern and scope, with the reason.
const DEVIATING: &[(&str, usize, &str)] = &[
    ("precedence(e(s), e(p))", 2, "it is satisfied if any later q has no p before an s"),
    ("precedence(e(s) then e(t), e(p))", 2, "it is satisfied wherever no q holds"),
    ("response(e(p), e(s) then e(t))", 1, "p may come after r"),
    ("response(e(p), e(s) then e(t))", 3, "p may come after r"),
    ("response(e(p), e(s) then e(t))", 4, "p may come after r"),
    ("response(e(s) then e(t), e(p))", 1, "t may come with r"),
    ("response(e(s) then e(t), e(p))", 2, "s must come with p"),
    ("response(e(s) then e(t), e(p))", 3, "t may come with r"),
    ("response(e(s) then e(t), e(p))", 4, "t may come with r, and s must come with p if there is no r"),
    ("response(e(s) then e(t) without e(z), e(p))", 1, "t may come with r"),
    ("response(e(s) then e(t) without e(z), e(p))", 2, "s must come with p"),
    ("response(e(s) then e(t) without e(z), e(p))", 3, "t may come with r"),
    ("response(e(s) then e(t) without e(z), e(p))", 4, "t may come with r, and s must come with p if there is no r"),
];

/// A path as a list of positions, long enough for every later letter to show behind any position that is looked at.
struct Path {
    letters: Vec<u64>,
    /// Positions that differ: all later ones are like one of them.
    distinct: usize,
}

impl Path {
    fn new(word: &Word) -> Self {
        let distinct = word.letters.len();
        // A scope begins in twice the length of the word, what it asks of all positions it asks in twice the length from there, and what
        // must follow does so within one length each time; changes of one proposition that never end are more than any bound.
        let round = distinct - word.back.unwrap_or(0);
        let letters = word.unrolled(8 * distinct / round + 1).letters.iter().map(|letter| letter.state).collect();
        Self { letters, distinct: if word.back.is_some() { 2 * distinct } else { distinct } }
    }

    fn is(&self, proposition: usize, at: usize) -> bool {
        self.letters[at] >> proposition & 1 == 1
    }

    fn first(&self, proposition: usize, mut range: Range<usize>) -> Option<usize> {
        range.find(|&at| self.is(proposition, at))
    }

    /// The parts of the path that a scope speaks of.
    fn segments(&self, scope: usize) -> Vec<Range<usize>> {
        let end = self.letters.len();
        let begins = |at: &usize| self.is(Q, *at) && !self.is(R, *at);
        let all_begins = (0..self.distinct).filter(begins);
        match scope {
            0 => std::iter::once(0..end).collect(),
            1 => self.first(R, 0..end).map(|first| 0..first).into_iter().collect(),
            2 => self.first(Q, 0..end).map(|first| first..end).into_iter().collect(),
            3 => all_begins.filter_map(|at| self.first(R, at..end).map(|next| at..next)).collect(),
            _ => all_begins.map(|at| at..self.first(R, at..end).unwrap_or(end)).collect(),
        }
    }

    /// Whether a pattern is satisfied on a part of the path.
    fn satisfies(&self, pattern: usize, part: Range<usize>) -> bool {
        let Range { start, end } = part;
        // Of a part without end, these positions are like all of its positions.
        let asked = || start..end.min(start + self.distinct);
        let chain = |from: usize, to: usize| (from..to).any(|first| self.is(S, first) && (first + 1..to).any(|second| self.is(T, second)));
        match pattern {
            0 => self.first(P, part).is_none(),
            1 => asked().all(|at| self.is(P, at)),
            2 => self.first(P, part).is_some(),
            3 => part.filter(|&at| self.is(P, at) && (at == start || !self.is(P, at - 1))).count() <= 2,
            4 => self.first(P, part).is_none_or(|first| self.first(S, start..first + 1).is_some()),
            5 => self.first(P, part).is_none_or(|first| chain(start, first + 1)),
            6 => asked().all(|at| {
                let begins_chain = self.is(S, at) && self.first(T, at + 1..end).is_some();
                !begins_chain || self.first(P, start..at + 1).is_some()
            }),
            7 => asked().filter(|&at| self.is(P, at)).all(|at| self.first(S, at..end).is_some()),
            8 => asked().filter(|&at| self.is(P, at)).all(|at| chain(at, end)),
            9 => asked().filter(|&at| self.is(P, at)).all(|at| {
                (at..end).filter(|&first| self.is(S, first)).any(|first| {
                    let responds = |second: &usize| self.is(T, *second) && self.first(Z, first..*second).is_none();
                    (first + 1..end).any(|second| responds(&second))
                })
            }),
            _ => asked().filter(|&at| self.is(S, at)).all(|at| match self.first(T, at + 1..end) {
                Some(second) => self.first(P, second..end).is_some(),
                None => true,
            }),
        }
    }

    fn holds(&self, scope: usize, pattern: usize) -> bool {
        self.segments(scope).into_iter().all(|part| self.satisfies(pattern, part))
    }
}

/// A reader of formulas about [`MACHINE`].
struct Reader {
    model: Model,
    macros: Macros,
}

impl Reader {
    fn new() -> Self {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", MACHINE);
        let analysis = analyse_parsed(parse_machine(file, MACHINE), &mut NoFiles);
        Self { model: analysis.model.expect("a correct machine"), macros: analysis.macros }
    }

    fn formula(&self, text: &str) -> Formula {
        let context = FormulaContext { model: Some(&self.model), ..FormulaContext::default() };
        let (formula, _) =
            read_temporal(FileId(1), Logic::Ltl, "f", text, context, &self.macros).unwrap_or_else(|found| panic!("{text}: {found:?}"));
        numbered(&formula.body)
    }

    /// A published formula, in which a small letter is a proposition.
    fn published(&self, text: &str) -> Formula {
        let written = text.chars().map(|letter| if letter.is_lowercase() { format!("e({letter})") } else { letter.to_string() });
        self.formula(&written.collect::<String>())
    }
}

fn numbered(formula: &Temporal) -> Formula {
    let boxed = |part: &Temporal| Box::new(numbered(part));
    match &formula.kind {
        TemporalKind::Constant(true) => Formula::True,
        TemporalKind::Proposition(TemporalProposition::State(StateProposition::Enabled(pattern))) => {
            Formula::State(u8::try_from(pattern.operation.index()).expect("few"))
        }
        TemporalKind::Unary(TemporalUnary::Not, operand) => Formula::Not(boxed(operand)),
        TemporalKind::Unary(TemporalUnary::Next, operand) => Formula::Next(boxed(operand)),
        TemporalKind::Unary(TemporalUnary::Globally, operand) => Formula::Globally(boxed(operand)),
        TemporalKind::Unary(TemporalUnary::Finally, operand) => Formula::Finally(boxed(operand)),
        TemporalKind::Binary(TemporalBinary::And, left, right) => Formula::And(boxed(left), boxed(right)),
        TemporalKind::Binary(TemporalBinary::Or, left, right) => Formula::Or(boxed(left), boxed(right)),
        TemporalKind::Binary(TemporalBinary::Implies, left, right) => Formula::Implies(boxed(left), boxed(right)),
        TemporalKind::Binary(TemporalBinary::Until, left, right) => Formula::Until(boxed(left), boxed(right)),
        TemporalKind::Binary(TemporalBinary::WeakUntil, left, right) => Formula::WeakUntil(boxed(left), boxed(right)),
        other => panic!("no pattern needs {other:?}"),
    }
}

/// A word in which each proposition holds more or less often; r, which ends scopes, holds seldom.
fn varied_word(dice: &mut Dice) -> Word {
    let often: Vec<usize> = (0..6).map(|proposition| *dice.pick(if proposition == R { &[1, 2, 3] } else { &[2, 4, 8] })).collect();
    let mut word = random_temporal::word(dice, 14, 1);
    for letter in &mut word.letters {
        letter.state =
            (0..6).filter(|&proposition| dice.below(16) < often[proposition]).fold(0, |bits, proposition| bits | 1 << proposition);
    }
    word
}

#[test]
fn patterns_mean_what_their_definition_says() {
    let reader = Reader::new();
    for (pattern, (text, _)) in PATTERNS.iter().enumerate() {
        for (scope, begin) in SCOPES.iter().enumerate() {
            let whole = format!("{begin} {text}");
            let formula = reader.formula(&whole);
            let mut dice = Dice::new(1_000 + (pattern * SCOPES.len() + scope) as u64);
            let mut verdicts = [0; 2];
            for _ in 0..500 {
                let word = varied_word(&mut dice);
                let expected = Path::new(&word).holds(scope, pattern);
                assert_eq!(holds(&formula, &word), expected, "{whole} on {word:?}");
                verdicts[usize::from(expected)] += 1;
            }
            assert!(verdicts.iter().all(|count| *count >= 3), "{whole} is false and true of so many words: {verdicts:?}");
        }
    }
}

#[test]
fn published_formulas_mean_the_same_but_for_those_listed() {
    let reader = Reader::new();
    let mut wrong = Vec::new();
    for (text, published) in &PATTERNS {
        for (scope, by_catalogue) in published.iter().enumerate() {
            let whole = format!("{} {text}", SCOPES[scope]);
            let (ours, theirs) = (reader.formula(&whole), reader.published(by_catalogue));
            let mut dice = Dice::new(7);
            let words = std::iter::repeat_with(|| varied_word(&mut dice)).take(800);
            let differing = words.filter(|word| holds(&ours, word) != holds(&theirs, word)).min_by_key(|word| word.letters.len());
            let is_listed = DEVIATING.iter().any(|(pattern, of, _)| pattern == text && *of == scope);
            if differing.is_some() != is_listed {
                wrong.push(format!("{whole}, published as {by_catalogue}: {differing:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A path as the help page draws it, with its last state for ever after.
fn drawn(picture: &str) -> Word {
    let states: Vec<&str> = picture.split(' ').filter(|state| *state != ">").collect();
    let bits = |state: &str| "pqrstz".find(state).map_or(0, |proposition| 1 << proposition);
    let letters: Vec<Letter> = states.iter().map(|state| Letter { state: bits(state), step: 0 }).collect();
    Word { back: Some(letters.len() - 1), letters }
}

/// What stands on a line of the help page behind a label.
fn behind<'a>(label: &str, line: &'a str) -> Option<&'a str> {
    line.strip_prefix("      ")?.strip_prefix(label)?.strip_prefix("   ")
}

#[test]
fn the_pictures_of_the_help_page_are_true() {
    let page = bcheck(&["help", "patterns"]).stdout;
    let reader = Reader::new();
    let lines: Vec<&str> = page.lines().collect();
    let (mut scopes, mut patterns) = (0, 0);
    for triple in lines.windows(3) {
        let [form, first, second] = triple else { continue };
        if let (Some(path), Some(states)) = (behind("path ", first), behind("scope", second)) {
            let segments = Path::new(&drawn(path)).segments(scopes);
            for state in 0..10 {
                let is_marked = states.get(2 * state..).is_some_and(|rest| rest.starts_with('='));
                assert_eq!(segments.iter().any(|part| part.contains(&state)), is_marked, "{form}: state {state}");
            }
            scopes += 1;
        }
        if let (Some(good), Some(bad)) = (behind("holds", first), behind("fails", second)) {
            let (text, _) = PATTERNS[patterns];
            let plain =
                ["p", "s", "t", "z"].into_iter().fold(text.to_owned(), |text, letter| text.replace(&format!("e({letter})"), letter));
            assert!(form.trim_start().starts_with(&plain), "{form} is about {plain}");
            let formula = reader.formula(&format!("globally {text}"));
            for (picture, expected) in [(good, true), (bad, false)] {
                let word = drawn(picture);
                assert_eq!((holds(&formula, &word), Path::new(&word).holds(0, patterns)), (expected, expected), "{text} on {picture}");
            }
            patterns += 1;
        }
    }
    assert_eq!((scopes, patterns), (SCOPES.len(), PATTERNS.len()), "{page}");
}
