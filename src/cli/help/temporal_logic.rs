//! The pages on temporal formulas: operators with their meanings, priorities, fairness, examples.
//!
//! Invariant: operators and meanings are those of `operators`; every example parses. Deliberately elsewhere: the grammar
//! (`syntax::temporal`).

use super::operators::{OPERATORS, Topic};
use bcheck_syntax::temporal::Logic;
use std::fmt::Write as _;

/// A formula with its meaning.
type Example = (&'static str, &'static str);

const LINEAR_EXAMPLES: &[Example] = &[
    ("G {x : 0..9}", "x is never outside of 0..9: an invariant"),
    ("G ({p : waiting} => F {p : inside})", "whenever p waits, it comes in later"),
    ("G F [tick]", "tick happens again and again"),
    ("F G {queue = []}", "from some state on the queue stays empty"),
    ("not {ready = TRUE} U [start]", "start happens, and until then nothing is ready"),
    ("G ([leave(p)] => Y O [enter(p)])", "p only leaves if it entered before"),
    ("!p.({p : PROC} => G ({p : waiting} => F {p : inside}))", "the second example for every process"),
    ("WF(serve) => G ({p : waiting} => F {p : inside})", "the same of the runs where serve is not neglected for ever"),
];

const BRANCHING_EXAMPLES: &[Example] = &[
    ("AG {x : 0..9}", "x is never outside of 0..9: an invariant"),
    ("EF {card(db) = 3}", "a state with three entries can be reached"),
    ("AG EF {idle = TRUE}", "from wherever the machine is, it can become idle again"),
    ("AG ({request = TRUE} => AF {reply = TRUE})", "every request is answered, whatever happens"),
    ("AG (e(stop) => EX[stop] deadlock)", "wherever stop is enabled, it can end the machine"),
    ("E {safe = TRUE} U {arrived = TRUE}", "some run arrives, and is safe until then"),
];

/// The text about an operator of temporal logic; empty for another word.
pub(super) fn of_word(word: &str) -> String {
    let stands_for_others = ["p", "q", "f", "g", "op", "x", "o1", "o2", "true", "false", "not", "or"].contains(&word);
    let has_it = |form: &str| form.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|part| part == word);
    let mut text = String::new();
    let mut before = "";
    for row in OPERATORS.iter().filter(|row| !stands_for_others && has_it(row.form)) {
        if std::mem::replace(&mut before, row.meaning) != row.meaning {
            line(&mut text, format_args!("  {}\n      {} (temporal logic: bcheck help ltl, bcheck help ctl)", row.form, row.meaning));
        }
    }
    text
}

/// The page on LTL.
pub(super) fn linear() -> String {
    let mut text = "\
Formulas of linear time (LTL): what holds on every path of a machine.

A path begins in an initial state and goes on as long as steps are possible: for ever, or until a deadlock. A machine
satisfies a formula if every path does. Formulas are written as in ProB, and checked by
  bcheck MACHINE --ltl FORMULA          a formula of the command line (repeatable)
  bcheck MACHINE --temporal             those of DEFINITIONS: ASSERT_LTL1 == \"G {x : 0..9}\"
  bcheck eval --ltl FORMULA             how a formula is read, without checking it
"
    .to_owned();
    operators(Logic::Ltl, &mut text);
    text += "
Priorities, tightest first; binary operators of one line have the same and associate to the left:
  not G F X H O Y        G {p} U {q} is (G {p}) U {q}
  U W R S T
  & or                   {p} or {q} & {r} is ({p} or {q}) & {r}
  =>                     {p} => {q} => {r} is ({p} => {q}) => {r}
  <=>                    not at all: {p} <=> {q} <=> {r} needs parentheses
  FAIR => f              f is everything to the right of the first =>

Fairness stands in front of the whole formula (below parentheses and !x): (WF(a) or WF(b)) & SF(c) => f. Assumptions of
one kind are joined by & and or; the kinds, weak and strong, by one &. A step that changes nothing counts as taken.
Paths that end in a deadlock are fair. If no path is fair, the formula holds vacuously, and the report says so.
";
    examples(LINEAR_EXAMPLES, &mut text);
    text
}

/// The page on CTL.
pub(super) fn branching() -> String {
    let mut text = "\
Formulas of branching time (CTL): what holds of the paths that begin in a state.

A machine satisfies a formula if every initial state does. Formulas are written as in ProB, and checked by
  bcheck MACHINE --ctl FORMULA          a formula of the command line (repeatable)
  bcheck MACHINE --temporal             those of DEFINITIONS: ASSERT_CTL1 == \"AG EF {idle = TRUE}\"
  bcheck MACHINE --ctl FORMULA --witness    also a run where a formula with EF, EG, EU or EX outermost holds
  bcheck eval --ctl FORMULA             how a formula is read, without checking it
"
    .to_owned();
    operators(Logic::Ctl, &mut text);
    text += "
Priorities, tightest first; binary operators of one line have the same and associate to the left:
  not EX AX EF AF EG AG  AG {p} & {q} is (AG {p}) & {q}
  E f U g, A f U g       without parentheses around f U g
  & or
  =>
  <=>                    not at all: {p} <=> {q} <=> {r} needs parentheses
";
    examples(BRANCHING_EXAMPLES, &mut text);
    text
}

/// The operators of a logic, topic by topic.
fn operators(logic: Logic, text: &mut String) {
    let topics = [
        (Topic::OfState, "Of the current state"),
        (Topic::OfStep, "Of the next step (false in a deadlock)"),
        (Topic::Future, "Of the future"),
        (Topic::Past, "Of the past"),
        (Topic::Paths, "Of the paths that begin here"),
        (Topic::Connective, "Connectives and quantifiers"),
        (Topic::Fairness, "Fairness"),
    ];
    for (topic, heading) in topics {
        let rows: Vec<_> = OPERATORS.iter().filter(|row| row.topic == topic && row.is_of(logic)).collect();
        if rows.is_empty() {
            continue;
        }
        line(text, format_args!("\n{heading}:"));
        for row in rows {
            line(text, format_args!("  {:22} {}", row.form, row.meaning));
            if !row.also.is_empty() {
                line(text, format_args!("  {:22} also: {}", "", row.also));
            }
        }
    }
}

fn examples(examples: &[Example], text: &mut String) {
    line(text, format_args!("\nExamples:"));
    for (formula, meaning) in examples {
        line(text, format_args!("  {formula}\n      {meaning}"));
    }
}

fn line(text: &mut String, parts: std::fmt::Arguments<'_>) {
    writeln!(text, "{parts}").expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::super::operators::OperatorWords;
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::temporal::{parse_temporal, printed};

    #[test]
    fn every_example_parses() {
        for (logic, examples) in [(Logic::Ltl, LINEAR_EXAMPLES), (Logic::Ctl, BRANCHING_EXAMPLES)] {
            for (formula, _) in examples {
                let parsed = parse_temporal(FileId(0), logic, formula);
                assert!(parsed.diagnostics.is_empty(), "{formula}: {:?}", parsed.diagnostics);
            }
        }
    }

    #[test]
    fn every_operator_is_on_the_page_of_its_logic() {
        for row in OPERATORS {
            for (logic, page) in [(Logic::Ltl, linear()), (Logic::Ctl, branching())] {
                let line = format!("\n  {:22} {}\n", row.form, row.meaning);
                // If both logics have an operator, its other spellings may differ.
                let is_same = |other: &&OperatorWords| (other.form, other.meaning) == (row.form, row.meaning) && other.is_of(logic);
                assert_eq!(page.contains(&line), OPERATORS.iter().any(|other| is_same(&other)), "{} {}", row.form, logic.name());
            }
        }
    }

    #[test]
    fn priorities_are_as_the_pages_say() {
        let reads_as = |logic, text: &str, meant: &str| {
            let [text, meant] = [text, meant].map(|text| printed(&parse_temporal(FileId(0), logic, text).tree).to_string());
            assert_eq!(text, meant);
        };
        reads_as(Logic::Ltl, "G {p = 1} U {q = 1}", "(G {p = 1}) U {q = 1}");
        reads_as(Logic::Ltl, "{p = 1} or {q = 1} & {r = 1}", "({p = 1} or {q = 1}) & {r = 1}");
        reads_as(Logic::Ltl, "{p = 1} => {q = 1} => {r = 1}", "({p = 1} => {q = 1}) => {r = 1}");
        reads_as(Logic::Ctl, "AG {p = 1} & {q = 1}", "(AG {p = 1}) & {q = 1}");
    }
}
