//! Vacuity: a formula holds, but only because its premise never holds, or because a proposition never changes.
//!
//! Decided on complete graphs only. The premise is the left side of `=>`, outermost or below an outermost G or AG; it never holds if its
//! negation holds there, by the same algorithms. A proposition is constant if it has one value in all reachable states. If the constant
//! ones alone make the formula true in Kleene's three-valued logic, the rest of the formula is not tested: it holds vacuously, unless all
//! it says is that these propositions always have these values.
//! Invariant: `None` where this was not decided. Beer, Ben-David, Eisner and Rodeh (Efficient Detection of Vacuity in Temporal Model
//! Checking, 2001) replace any part by the constant that makes the formula hardest; only these two kinds have reasons that a user can
//! check at once.
//! Deliberately elsewhere: formulas for which no path is fair (`judge`).

use super::letters::LetterBit;
use bcheck_ir::temporal::{Prefix, Temporal, TemporalFormula, TemporalKind};
use bcheck_source::Span;
use bcheck_temporal::formula::{Branching, Formula, Proposition};
use bcheck_temporal::graph::Graph;

/// The value of an operator when some of its parts are constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    True,
    False,
    Bit(LetterBit),
    Not,
    And,
    Or,
    Implies,
    Equivalent,
    /// G, AG, H: constants are unchanged.
    Always,
    /// F, EF, O: the same.
    Ever,
    /// AF, EG, and U, R, S, T: worth the last part where that is constant.
    Last,
    /// W: as `Last`, but true as well where its first part is.
    WeakUntil,
    /// X, Y, EX: false if there is no such position.
    Next,
    /// AX: true if there is no such position.
    AllNext,
}

/// A formula over numbers, of either logic.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered<'a> {
    Linear(&'a Formula),
    Branching(&'a Branching),
}

/// A part of a formula, with its place in the text.
struct FormulaPart<'a> {
    operator: Operator,
    span: Span,
    numbered: Numbered<'a>,
    parts: Vec<FormulaPart<'a>>,
}

/// Where a premise has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// In every state.
    Always,
    /// In the initial states.
    Initially,
}

/// The values of propositions in all reachable states.
struct Constants {
    /// State propositions that hold in every state, and in some state.
    everywhere: u64,
    somewhere: u64,
    /// Step propositions that hold of some step.
    of_some_step: u64,
}

impl Constants {
    fn of(graph: &Graph) -> Self {
        Self {
            everywhere: graph.letters().iter().fold(u64::MAX, |all, letter| all & letter),
            somewhere: graph.letters().iter().fold(0, |any, letter| any | letter),
            of_some_step: graph.steps().iter().fold(0, |any, letter| any | letter),
        }
    }

    fn value(&self, proposition: LetterBit) -> Option<bool> {
        let has = |bits: u64, number: Proposition| bits >> number & 1 == 1;
        match proposition {
            LetterBit::State(number) if has(self.everywhere, number) => Some(true),
            LetterBit::State(number) => (!has(self.somewhere, number)).then_some(false),
            // Never constant true: even one that every step satisfies is false in the last state of a finite path.
            LetterBit::Step(number) => (!has(self.of_some_step, number)).then_some(false),
        }
    }
}

impl<'a> FormulaPart<'a> {
    fn linear(stated: &Temporal, numbered: &'a Formula) -> Self {
        if let TemporalKind::Prefixed(Prefix::Fair(_), body) = &stated.kind {
            return Self::linear(body, numbered);
        }
        let operator = match numbered {
            Formula::True => Operator::True,
            Formula::False => Operator::False,
            Formula::State(number) => Operator::Bit(LetterBit::State(*number)),
            Formula::Step(number) => Operator::Bit(LetterBit::Step(*number)),
            Formula::Not(_) => Operator::Not,
            Formula::And(..) => Operator::And,
            Formula::Or(..) => Operator::Or,
            Formula::Implies(..) => Operator::Implies,
            Formula::Equivalent(..) => Operator::Equivalent,
            Formula::Globally(_) | Formula::Historically(_) => Operator::Always,
            Formula::Finally(_) | Formula::Once(_) => Operator::Ever,
            Formula::Until(..) | Formula::Release(..) | Formula::Since(..) | Formula::Trigger(..) => Operator::Last,
            Formula::WeakUntil(..) => Operator::WeakUntil,
            Formula::Next(_) | Formula::Yesterday(_) => Operator::Next,
        };
        // Both trees have the same shape: the numbered one was made of the other, part by part.
        let parts = stated.parts().zip(numbered.arguments()).map(|(part, numbered)| Self::linear(part, numbered)).collect();
        Self { operator, span: stated.span, numbered: Numbered::Linear(numbered), parts }
    }

    fn branching(stated: &Temporal, numbered: &'a Branching) -> Self {
        // A path quantifier and the operator below it are one operator of branching time.
        let path = if let TemporalKind::Prefixed(Prefix::Path { .. }, path) = &stated.kind { path } else { stated };
        let operator = match numbered {
            Branching::True => Operator::True,
            Branching::False => Operator::False,
            Branching::State(number) => Operator::Bit(LetterBit::State(*number)),
            Branching::Not(_) => Operator::Not,
            Branching::And(..) => Operator::And,
            Branching::Or(..) => Operator::Or,
            Branching::Implies(..) => Operator::Implies,
            Branching::Equivalent(..) => Operator::Equivalent,
            Branching::ExistsNext(..) => Operator::Next,
            Branching::AllNext(_) => Operator::AllNext,
            Branching::ExistsFinally(_) => Operator::Ever,
            Branching::AllGlobally(_) => Operator::Always,
            Branching::AllFinally(_) | Branching::ExistsGlobally(_) | Branching::ExistsUntil(..) | Branching::AllUntil(..) => {
                Operator::Last
            }
        };
        let of_numbered: &[&'a Branching] = match numbered {
            Branching::True | Branching::False | Branching::State(_) => &[],
            Branching::Not(operand)
            | Branching::ExistsNext(_, operand)
            | Branching::AllNext(operand)
            | Branching::ExistsFinally(operand)
            | Branching::ExistsGlobally(operand)
            | Branching::AllFinally(operand)
            | Branching::AllGlobally(operand) => &[operand],
            Branching::And(left, right)
            | Branching::Or(left, right)
            | Branching::Implies(left, right)
            | Branching::Equivalent(left, right)
            | Branching::ExistsUntil(left, right)
            | Branching::AllUntil(left, right) => &[left, right],
        };
        let parts = path.parts().zip(of_numbered).map(|(part, numbered)| Self::branching(part, numbered)).collect();
        Self { operator, span: stated.span, numbered: Numbered::Branching(numbered), parts }
    }

    /// The value that follows, in every state of every path, from the constant propositions.
    fn value(&self, of: &dyn Fn(LetterBit) -> Option<bool>) -> Option<bool> {
        // A part with a value here has it at every position of every path, and from each position on there is one at least: `G true` and
        // `F true` are true, `G false` and `F false` are false.
        let part = |index: usize| self.parts[index].value(of);
        let last = || self.parts.last().and_then(|part| part.value(of));
        match self.operator {
            Operator::True => Some(true),
            Operator::False => Some(false),
            Operator::Bit(proposition) => of(proposition),
            Operator::Not => part(0).map(|value| !value),
            Operator::And => both(part(0), part(1)),
            Operator::Or => any(part(0), part(1)),
            Operator::Implies => any(part(0).map(|value| !value), part(1)),
            Operator::Equivalent => part(0).zip(part(1)).map(|(one, other)| one == other),
            Operator::Always | Operator::Ever | Operator::Last => last(),
            Operator::WeakUntil => any(part(0).filter(|value| *value), last()),
            Operator::Next => part(0).filter(|value| !value),
            Operator::AllNext => part(0).filter(|value| *value),
        }
    }

    /// Whether its value in a state does not depend on paths.
    fn is_of_states(&self) -> bool {
        let is_plain = match self.operator {
            Operator::Bit(LetterBit::Step(_)) => false,
            Operator::True | Operator::False | Operator::Bit(LetterBit::State(_)) => true,
            Operator::Not | Operator::And | Operator::Or | Operator::Implies | Operator::Equivalent => true,
            Operator::Always | Operator::Ever | Operator::Last | Operator::WeakUntil | Operator::Next | Operator::AllNext => false,
        };
        is_plain && self.parts.iter().all(Self::is_of_states)
    }

    /// The premise of the formula, and where it must hold. A premise that always holds, such as the condition of a quantifier, does not
    /// count: that of the conclusion does.
    fn premise(&self, constants: &Constants, when: When) -> Option<(&Self, When)> {
        match self.operator {
            Operator::Always => self.parts[0].premise(constants, When::Always),
            Operator::Implies => match self.parts[0].value(&|proposition| constants.value(proposition)) {
                Some(true) => self.parts[1].premise(constants, when),
                _ => Some((&self.parts[0], when)),
            },
            _ => None,
        }
    }

    /// Whether it only states that propositions always have these values; `is_positive`: not below a negation.
    fn is_invariant(&self, of: &dyn Fn(LetterBit) -> Option<bool>, is_positive: bool) -> bool {
        let all = |is_positive: bool| self.parts.iter().all(|part| part.is_invariant(of, is_positive));
        match self.operator {
            Operator::True | Operator::False | Operator::Bit(_) => true,
            Operator::Not => all(!is_positive),
            Operator::And | Operator::Always | Operator::AllNext => is_positive && all(true),
            Operator::Or | Operator::Ever => !is_positive && all(false),
            // With a premise that always holds, the formula is equivalent to its conclusion.
            Operator::Implies => is_positive && self.parts[0].value(of) == Some(true) && self.parts[1].is_invariant(of, true),
            Operator::Equivalent | Operator::Last | Operator::WeakUntil | Operator::Next => false,
        }
    }

    /// The propositions, each with its first place.
    fn propositions(&self, found: &mut Vec<(LetterBit, Span)>) {
        if let Operator::Bit(proposition) = self.operator
            && found.iter().all(|(known, _)| *known != proposition)
        {
            found.push((proposition, self.span));
        }
        self.parts.iter().for_each(|part| part.propositions(found));
    }
}

fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn any(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    both(one.map(|value| !value), other.map(|value| !value)).map(|value| !value)
}

/// Why a formula that holds on a complete graph holds vacuously, if it does. `is_never` decides, if it can, whether a premise never holds
/// on fair paths where it must; `assumes`: whether fairness is assumed.
pub(super) fn vacuity(
    stated: &TemporalFormula,
    numbered: Numbered<'_>,
    graph: &Graph,
    assumes: bool,
    is_never: &mut dyn FnMut(Numbered<'_>, When) -> Option<bool>,
) -> Option<String> {
    let formula = match numbered {
        Numbered::Linear(numbered) => FormulaPart::linear(&stated.body, numbered),
        Numbered::Branching(numbered) => FormulaPart::branching(&stated.body, numbered),
    };
    let constants = Constants::of(graph);
    if let Some((premise, when)) = formula.premise(&constants, When::Initially)
        && (premise.value(&|proposition| constants.value(proposition)) == Some(false)
            || is_never_met(premise, when, graph, assumes, is_never))
    {
        let is_of_states = premise.is_of_states();
        let premise = text(stated, premise.span).map(|text| format!(" {text}")).unwrap_or_default();
        return Some(match (when, assumes) {
            (When::Always, false) => format!("its premise{premise} never holds"),
            (When::Initially, false) if is_of_states => format!("its premise{premise} holds in no initial state"),
            (When::Initially, false) => format!("its premise{premise} holds of no path"),
            (When::Always, true) => format!("its premise{premise} never holds on a fair path"),
            (When::Initially, true) => format!("its premise{premise} holds of no fair path"),
        });
    }
    constant(stated, &formula, &constants)
}

/// Whether a premise never holds.
fn is_never_met(
    premise: &FormulaPart<'_>,
    when: When,
    graph: &Graph,
    assumes: bool,
    is_never: &mut dyn FnMut(Numbered<'_>, When) -> Option<bool>,
) -> bool {
    if premise.is_of_states() {
        // The distinct letters of a graph are few, however many states have them.
        let holds = |letter: u64| {
            let of = |proposition| match proposition {
                LetterBit::State(number) => Some(letter >> number & 1 == 1),
                LetterBit::Step(_) => None,
            };
            premise.value(&of) == Some(true)
        };
        let is_met = match when {
            When::Always => graph.letters().iter().any(|letter| holds(*letter)),
            When::Initially => graph.initial().iter().any(|state| holds(graph.letter(*state))),
        };
        // Every reachable state lies on some path, but perhaps on no fair one.
        if !is_met || !assumes {
            return !is_met;
        }
    }
    is_never(premise.numbered, when) == Some(true)
}

/// The constant propositions that make a formula true.
fn constant(stated: &TemporalFormula, formula: &FormulaPart<'_>, constants: &Constants) -> Option<String> {
    let mut propositions = Vec::new();
    formula.propositions(&mut propositions);
    // The others have both values: they count as unknown.
    propositions.retain(|(proposition, _)| constants.value(*proposition).is_some());
    let decide = |some: &[(LetterBit, Span)]| {
        let of = |wanted| some.iter().find(|(known, _)| *known == wanted).and_then(|(known, _)| constants.value(*known));
        formula.value(&of) == Some(true)
    };
    if formula.is_invariant(&|proposition| constants.value(proposition), true) || !decide(&propositions) {
        return None;
    }
    // A minimal set: each proposition without which the formula is still true is left out.
    let mut index = 0;
    while index < propositions.len() {
        let left_out = propositions.remove(index);
        if !decide(&propositions) {
            propositions.insert(index, left_out);
            index += 1;
        }
    }
    let reason = |(proposition, span): &(LetterBit, Span)| {
        let text = text(stated, *span)?;
        Some(match (proposition, constants.value(*proposition)) {
            (LetterBit::Step(_), _) => format!("{text} holds of no step"),
            (LetterBit::State(_), Some(true)) => format!("{text} holds in every reachable state"),
            (LetterBit::State(_), _) => format!("{text} holds in no reachable state"),
        })
    };
    let reasons: Option<Vec<String>> = propositions.iter().map(reason).collect();
    reasons.filter(|reasons| !reasons.is_empty()).map(|reasons| reasons.join(", and "))
}

/// The text of a part; `None` if it comes from a property pattern.
fn text(stated: &TemporalFormula, span: Span) -> Option<String> {
    let part = stated.part(span).filter(|_| span != stated.span)?;
    Some(part.split_whitespace().collect::<Vec<_>>().join(" "))
}
