//! The operators of temporal formulas in words: one table for help pages, hovers of an editor, and formulas shown as trees.
//!
//! Invariant: every kind of formula that a parser produces has one row, whose meaning is that of `temporal::word` and
//! `temporal::branching`. Deliberately elsewhere: the grammar, with all spellings (`syntax::temporal`); pages (`temporal_logic`).

use bcheck_syntax::ast::Quantifier;
use bcheck_syntax::temporal::{
    Counting, Logic, Prefix, Premise, PremiseKind, Proposition, StateWord, TemporalBinary, TemporalKind, TemporalUnary, Trend,
};

/// The subject of an operator; a heading of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Propositions about the current state.
    OfState,
    /// Propositions about the next step.
    OfStep,
    /// Operators about the future.
    Future,
    /// Operators about the past.
    Past,
    /// Operators about the paths that begin here.
    Paths,
    /// Connectives and quantifiers.
    Connective,
    /// Assumptions in front of a formula.
    Fairness,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperatorWords {
    /// Its notation, with f and g for formulas, p for a predicate of B, op for an operation.
    pub(crate) form: &'static str,
    /// Alternative spellings.
    pub(crate) also: &'static str,
    /// Its meaning: a sentence without a full stop.
    pub(crate) meaning: &'static str,
    /// Its subject.
    pub(crate) topic: Topic,
    /// The logics that have it.
    logics: &'static [Logic],
}

impl OperatorWords {
    /// Whether a logic has it.
    pub(crate) fn is_of(&self, logic: Logic) -> bool {
        self.logics.contains(&logic)
    }
}

const BOTH: &[Logic] = &[Logic::Ltl, Logic::Ctl];
const LTL: &[Logic] = &[Logic::Ltl];
const CTL: &[Logic] = &[Logic::Ctl];

const fn row(form: &'static str, also: &'static str, meaning: &'static str, topic: Topic, logics: &'static [Logic]) -> OperatorWords {
    OperatorWords { form, also, meaning, topic, logics }
}

/// All operators, topic by topic.
pub(crate) const OPERATORS: &[OperatorWords] = &[
    row("{p}", "", "the predicate p of B holds in the current state", Topic::OfState, BOTH),
    row("true", "", "holds everywhere", Topic::OfState, BOTH),
    row("false", "", "holds nowhere", Topic::OfState, BOTH),
    row("e(op)", "e(op(x, _))", "the operation op is enabled, perhaps with these arguments (_ for any)", Topic::OfState, CTL),
    row(
        "e(op)",
        "e(op(x, _)), enabled(op), Av(op), available(op)",
        "the operation op is enabled, perhaps with these arguments (_ for any)",
        Topic::OfState,
        LTL,
    ),
    row("deadlock", "", "no step is possible", Topic::OfState, BOTH),
    row("sink", "", "no step leads to another state", Topic::OfState, BOTH),
    row("goal", "", "the GOAL of the machine holds", Topic::OfState, BOTH),
    row("current", "", "this is the current state of the animation; only in `bcheck animate`", Topic::OfState, BOTH),
    row("deadlock(o1, o2)", "", "none of these operations is enabled", Topic::OfState, LTL),
    row("controller(o1, o2)", "", "exactly one of these operations is enabled", Topic::OfState, LTL),
    row("deterministic(o1, o2)", "", "at most one of these operations is enabled", Topic::OfState, LTL),
    row("[op]", "[op(x, _)]", "the next step is by the operation op, perhaps with these arguments (_ for any)", Topic::OfStep, LTL),
    row(
        "[op]",
        "[op(x, _)]",
        "the operation op is enabled, perhaps with these arguments (_ for any): the same as e(op)",
        Topic::OfState,
        CTL,
    ),
    row("unchanged({x})", "UNCHANGED", "the expression x has the same value after the next step", Topic::OfStep, LTL),
    row("changed({x})", "CHANGED", "the expression x has another value after the next step", Topic::OfStep, LTL),
    row("increasing({x})", "INCREASING", "the integer x is greater after the next step", Topic::OfStep, LTL),
    row("decreasing({x})", "DECREASING", "the integer x is less after the next step", Topic::OfStep, LTL),
    row("BA({p})", "before_after", "p holds after the next step, where x$0 is the value of x before it", Topic::OfStep, LTL),
    row("X f", "next", "there is a next state, and f holds in it; in a deadlock X f is false", Topic::Future, LTL),
    row("F f", "finally, eventually, ⋄, <>", "f holds here or in some later state", Topic::Future, LTL),
    row("G f", "globally, always, □", "f holds here and in every later state", Topic::Future, LTL),
    row("f U g", "until, stronguntil", "g holds here or later, and f holds in every state before that", Topic::Future, LTL),
    row("f W g", "weakuntil", "f holds in every state before g does, or for ever if g never holds", Topic::Future, LTL),
    row("f R g", "release", "g holds up to and including the first state where f holds, or for ever if f never holds", Topic::Future, LTL),
    row(
        "globally absence(f)",
        "",
        "a property pattern: a scope and what happens in it; `bcheck help patterns` lists and draws them",
        Topic::Future,
        LTL,
    ),
    row("Y f", "yesterday", "there is a state before this one, and f holds in it; in the first state Y f is false", Topic::Past, LTL),
    row("O f", "once", "f holds here or held in some earlier state", Topic::Past, LTL),
    row("H f", "historically", "f holds here and held in every earlier state", Topic::Past, LTL),
    row("f S g", "since", "g holds here or held earlier, and f has held in every state after that", Topic::Past, LTL),
    row("f T g", "trigger", "g has held since and including the last state where f held, or always if f never held", Topic::Past, LTL),
    row("EX f", "", "some step leads to a state where f holds", Topic::Paths, CTL),
    row("EX[op] f", "", "some step by the operation op leads to a state where f holds", Topic::Paths, CTL),
    row("AX f", "", "every step leads to a state where f holds; in a deadlock AX f is true", Topic::Paths, CTL),
    row("EF f", "", "f holds here, or in some state that can be reached from here", Topic::Paths, CTL),
    row("AF f", "", "on every path from here f holds at some point", Topic::Paths, CTL),
    row("EG f", "", "on some path from here f holds in every state, for ever or up to a deadlock", Topic::Paths, CTL),
    row("AG f", "", "f holds here and in every state that can be reached from here", Topic::Paths, CTL),
    row("E f U g", "until", "on some path from here g holds at some point, and f in every state before that", Topic::Paths, CTL),
    row("A f U g", "until", "on every path from here g holds at some point, and f in every state before that", Topic::Paths, CTL),
    row("not f", "!f, ¬f", "f does not hold", Topic::Connective, BOTH),
    row("f & g", "&&, and, ∧", "f and g hold", Topic::Connective, BOTH),
    row("f or g", "|, ||, ∨", "f holds, or g, or both", Topic::Connective, BOTH),
    row("f => g", "->, implies, ⇒", "if f holds, g holds too", Topic::Connective, BOTH),
    row("f <=> g", "<->, equivalent, ⇔", "f and g both hold, or neither does", Topic::Connective, BOTH),
    row("!x.({p} => f)", "", "f holds for every value of x that satisfies p; p gives x its type", Topic::Connective, BOTH),
    row("#x.({p} & f)", "", "f holds for some value of x that satisfies p; p gives x its type", Topic::Connective, BOTH),
    row(
        "FAIR => f",
        "",
        "f holds of the paths that are fair; FAIR stands outermost and joins assumptions by & and or",
        Topic::Fairness,
        LTL,
    ),
    row("WF(op)", "wf, WF(op(x, _))", "weak fairness: if op is enabled for ever, it is taken again and again", Topic::Fairness, LTL),
    row(
        "SF(op)",
        "sf, SF(op(x, _))",
        "strong fairness: if op is enabled again and again, it is taken again and again",
        Topic::Fairness,
        LTL,
    ),
    row("WEF", "wef", "weak fairness of every operation with every tuple of arguments", Topic::Fairness, LTL),
    row("SEF", "sef", "strong fairness of every operation with every tuple of arguments", Topic::Fairness, LTL),
];

/// The row of an operator of a logic; none for a part that could not be parsed, or that has no meaning here.
pub(crate) fn operator_of(kind: &TemporalKind, logic: Logic) -> Option<&'static OperatorWords> {
    let form = match kind {
        TemporalKind::Constant(true) => "true",
        TemporalKind::Constant(false) => "false",
        TemporalKind::Proposition(proposition) => proposition_form(proposition)?,
        TemporalKind::Unary(operator, _) => unary_form(*operator),
        TemporalKind::Binary(operator, ..) => binary_form(*operator),
        TemporalKind::Prefixed(Prefix::Path(Quantifier::Exists, Some(_)), _) => "EX[op] f",
        TemporalKind::Prefixed(Prefix::Path(quantifier, None), path) => path_form(*quantifier, &path.kind)?,
        TemporalKind::Prefixed(Prefix::Path(Quantifier::Forall, Some(_)), _) => return None,
        TemporalKind::Prefixed(Prefix::Quantified { quantifier: Quantifier::Forall, .. }, _) => "!x.({p} => f)",
        TemporalKind::Prefixed(Prefix::Quantified { quantifier: Quantifier::Exists, .. }, _) => "#x.({p} & f)",
        TemporalKind::Prefixed(Prefix::Fair(_), _) => "FAIR => f",
    };
    row_of(form, logic)
}

fn proposition_form(proposition: &Proposition) -> Option<&'static str> {
    Some(match proposition {
        Proposition::Predicate(_) => "{p}",
        Proposition::Word(word) => return word_form(*word),
        Proposition::Enabled(_) => "e(op)",
        Proposition::Taken(_) => "[op]",
        Proposition::Counted(Counting::None, _) => "deadlock(o1, o2)",
        Proposition::Counted(Counting::One, _) => "controller(o1, o2)",
        Proposition::Counted(Counting::AtMostOne, _) => "deterministic(o1, o2)",
        Proposition::Compared(Trend::Unchanged, _) => "unchanged({x})",
        Proposition::Compared(Trend::Changed, _) => "changed({x})",
        Proposition::Compared(Trend::Increasing, _) => "increasing({x})",
        Proposition::Compared(Trend::Decreasing, _) => "decreasing({x})",
        Proposition::BeforeAfter(_) => "BA({p})",
        Proposition::Pattern(_) => "globally absence(f)",
        Proposition::Error => return None,
    })
}

/// The row of an assumption; for a conjunction or disjunction of assumptions, that of the connective.
pub(crate) fn operator_of_premise(premise: &Premise) -> Option<&'static OperatorWords> {
    let form = match premise.kind {
        PremiseKind::Of { is_strong: false, .. } => "WF(op)",
        PremiseKind::Of { is_strong: true, .. } => "SF(op)",
        PremiseKind::Every { is_strong: false } => "WEF",
        PremiseKind::Every { is_strong: true } => "SEF",
        PremiseKind::And(..) => "f & g",
        PremiseKind::Or(..) => "f or g",
    };
    row_of(form, Logic::Ltl)
}

fn row_of(form: &str, logic: Logic) -> Option<&'static OperatorWords> {
    OPERATORS.iter().find(|row| row.form == form && row.is_of(logic))
}

fn word_form(word: StateWord) -> Option<&'static str> {
    match word {
        StateWord::Deadlock | StateWord::Sink | StateWord::Goal | StateWord::Current => Some(word.text()),
        // Parsed so that the refusal can say what to write instead.
        StateWord::Error | StateWord::DetOutput => None,
    }
}

fn unary_form(operator: TemporalUnary) -> &'static str {
    match operator {
        TemporalUnary::Not => "not f",
        TemporalUnary::Globally => "G f",
        TemporalUnary::Finally => "F f",
        TemporalUnary::Next => "X f",
        TemporalUnary::Historically => "H f",
        TemporalUnary::Once => "O f",
        TemporalUnary::Yesterday => "Y f",
    }
}

fn binary_form(operator: TemporalBinary) -> &'static str {
    match operator {
        TemporalBinary::And => "f & g",
        TemporalBinary::Or => "f or g",
        TemporalBinary::Implies => "f => g",
        TemporalBinary::Equivalent => "f <=> g",
        TemporalBinary::Until => "f U g",
        TemporalBinary::WeakUntil => "f W g",
        TemporalBinary::Release => "f R g",
        TemporalBinary::Since => "f S g",
        TemporalBinary::Trigger => "f T g",
    }
}

/// The form of an operator on some path, or on all paths; nothing if branching time does not have it.
fn path_form(quantifier: Quantifier, path: &TemporalKind) -> Option<&'static str> {
    let (on_some, on_all) = match path {
        TemporalKind::Unary(TemporalUnary::Next, _) => ("EX f", "AX f"),
        TemporalKind::Unary(TemporalUnary::Finally, _) => ("EF f", "AF f"),
        TemporalKind::Unary(TemporalUnary::Globally, _) => ("EG f", "AG f"),
        TemporalKind::Binary(TemporalBinary::Until, ..) => ("E f U g", "A f U g"),
        _ => return None,
    };
    Some(if quantifier == Quantifier::Exists { on_some } else { on_all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcheck_source::FileId;
    use bcheck_syntax::temporal::parse_temporal;

    /// A form with formulas substituted for its letters.
    fn example(form: &str) -> String {
        let mut text = form.replace("FAIR", "WF(op)").replace("{p}", "{a = 1}");
        for (letter, formula) in [("f", "{a = 1}"), ("g", "{b = 1}")] {
            let parts: Vec<String> = text
                .split(' ')
                .map(|part| if part == letter { formula.to_owned() } else { part.replace(&format!("{letter})"), &format!("{formula})")) })
                .collect();
            // `e(f)` does not occur in the table; a parenthesis behind a letter closes a quantifier.
            text = parts.join(" ");
        }
        if ["WF(op)", "SF(op)", "WEF", "SEF"].contains(&form) { format!("{form} => {{a = 1}}") } else { text }
    }

    #[test]
    fn every_row_is_found_by_what_its_form_is_parsed_to() {
        for row in OPERATORS {
            for &logic in row.logics {
                let text = example(row.form);
                let parsed = parse_temporal(FileId(0), logic, &text);
                assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
                let found = match &parsed.tree.kind {
                    TemporalKind::Prefixed(Prefix::Fair(premise), _) if row.form != "FAIR => f" => operator_of_premise(premise),
                    kind => operator_of(kind, logic),
                };
                assert_eq!(found.map(|found| (found.form, found.meaning)), Some((row.form, row.meaning)), "{text}");
            }
        }
    }

    #[test]
    fn other_spellings_are_those_of_the_parser() {
        for row in OPERATORS.iter().filter(|row| matches!(row.topic, Topic::Future | Topic::Past | Topic::Connective)) {
            let own: String = row.form.split(' ').find(|part| !["f", "g"].contains(part)).unwrap_or_default().to_owned();
            for spelling in row.also.split(", ").filter(|spelling| !spelling.is_empty()) {
                let text = row.form.replace(&own, spelling.trim_end_matches('f'));
                for &logic in row.logics {
                    let parsed = parse_temporal(FileId(0), logic, &example(&text));
                    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
                    assert_eq!(operator_of(&parsed.tree.kind, logic).map(|found| found.form), Some(row.form), "{text}");
                }
            }
        }
    }
}
