//! Translates formulas into formulas over numbered propositions.
//!
//! Invariant: a number denotes one proposition, however often it is written: up to names that it binds, and its places in the texts, of
//! which messages give the first. Deliberately elsewhere: quantifiers, which are expanded before (`instances`), how propositions are
//! evaluated (`letters`), formulas over numbers (`temporal`).

use super::letters::{LetterBit, Letters, StateTest, StepTest};
use bcheck_eval::Machine;
use bcheck_ir::temporal::{
    FairnessKind, Pattern, Prefix, StateProposition, StepProposition, Temporal, TemporalBinary, TemporalKind, TemporalProposition,
    TemporalUnary,
};
use bcheck_ir::{Expr, alpha_equivalent, alpha_equivalent_preds};
use bcheck_temporal::formula::{self, Fairness, Formula, PROPOSITIONS, Proposition};

/// The formula has more propositions than a letter has bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyPropositions;

impl std::fmt::Display for TooManyPropositions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the formula is about more than {PROPOSITIONS} propositions of states, or of steps")
    }
}

/// The fairness assumptions of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assumptions {
    /// Sets of assumptions: a path is fair if it satisfies all assumptions of one of the sets.
    pub(super) choices: Vec<Vec<Fairness>>,
    /// Whether a path must be fair to each operation with each tuple of arguments, and whether strongly.
    pub(super) each_is_strong: Option<bool>,
}

/// The propositions of some formulas by number.
pub(super) struct Propositions<'a> {
    machine: &'a Machine,
    states: Vec<StateProposition>,
    steps: Vec<StepProposition>,
    /// The propositions in the form in which they are evaluated.
    pub(super) letters: Letters,
    /// The propositions that have occurred since this was cleared.
    pub(super) used: Used,
}

/// The propositions of one formula.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    /// By number of a proposition of states.
    states: u64,
    /// By number of a proposition of steps.
    steps: u64,
    /// Whether one depends on which operations are enabled, so that it has no value in an open state.
    pub(super) asks_enabled: bool,
}

impl Used {
    /// Whether a proposition occurs in the formula.
    pub(super) fn contains(&self, proposition: LetterBit) -> bool {
        match proposition {
            LetterBit::State(number) => self.states >> number & 1 == 1,
            LetterBit::Step(number) => self.steps >> number & 1 == 1,
        }
    }
}

impl<'a> Propositions<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        Self { machine, states: Vec::new(), steps: Vec::new(), letters: Letters::default(), used: Used::default() }
    }

    /// The propositions of states and of steps, each in the order of the numbers.
    pub(super) fn stated(&self) -> (impl Iterator<Item = &StateProposition>, impl Iterator<Item = &StepProposition>) {
        (self.states.iter(), self.steps.iter())
    }

    fn state_number(&mut self, proposition: &StateProposition) -> Result<Proposition, TooManyPropositions> {
        // Two numbers for one proposition would be sound, but an automaton without the knowledge that they are equal is larger.
        let known = self.states.iter().position(|known| are_equal_states(known, proposition));
        let number = number(known.unwrap_or_else(|| {
            self.states.push(proposition.clone());
            self.letters.states.push(StateTest::new(self.machine, proposition));
            self.states.len() - 1
        }))?;
        // Even if the proposition already has its number from another formula.
        self.used.asks_enabled |= !matches!(proposition, StateProposition::Holds(_) | StateProposition::Current);
        self.used.states |= 1 << number;
        Ok(number)
    }

    fn step_number(&mut self, proposition: &StepProposition) -> Result<Proposition, TooManyPropositions> {
        // As for states; no proposition of steps depends on what is enabled.
        let known = self.steps.iter().position(|known| are_equal_steps(known, proposition));
        let number = number(known.unwrap_or_else(|| {
            self.steps.push(proposition.clone());
            self.letters.steps.push(StepTest::new(self.machine, proposition));
            self.steps.len() - 1
        }))?;
        self.used.steps |= 1 << number;
        Ok(number)
    }

    /// A formula of linear time, without quantifiers and fairness, over the numbers of its propositions.
    pub(super) fn linear(&mut self, formula: &Temporal) -> Result<Formula, TooManyPropositions> {
        Ok(match &formula.kind {
            TemporalKind::Constant(true) => Formula::True,
            TemporalKind::Constant(false) => Formula::False,
            TemporalKind::Proposition(TemporalProposition::State(proposition)) => Formula::State(self.state_number(proposition)?),
            TemporalKind::Proposition(TemporalProposition::Step(proposition)) => Formula::Step(self.step_number(proposition)?),
            TemporalKind::Unary(operator, operand) => {
                let operand = Box::new(self.linear(operand)?);
                match operator {
                    TemporalUnary::Not => Formula::Not(operand),
                    TemporalUnary::Globally => Formula::Globally(operand),
                    TemporalUnary::Finally => Formula::Finally(operand),
                    TemporalUnary::Next => Formula::Next(operand),
                    TemporalUnary::Historically => Formula::Historically(operand),
                    TemporalUnary::Once => Formula::Once(operand),
                    TemporalUnary::Yesterday => Formula::Yesterday(operand),
                }
            }
            TemporalKind::Binary(operator, left, right) => {
                let (left, right) = (Box::new(self.linear(left)?), Box::new(self.linear(right)?));
                match operator {
                    TemporalBinary::And => Formula::And(left, right),
                    TemporalBinary::Or => Formula::Or(left, right),
                    TemporalBinary::Implies => Formula::Implies(left, right),
                    TemporalBinary::Equivalent => Formula::Equivalent(left, right),
                    TemporalBinary::Until => Formula::Until(left, right),
                    TemporalBinary::WeakUntil => Formula::WeakUntil(left, right),
                    TemporalBinary::Release => Formula::Release(left, right),
                    TemporalBinary::Since => Formula::Since(left, right),
                    TemporalBinary::Trigger => Formula::Trigger(left, right),
                }
            }
            TemporalKind::Prefixed(..) => unreachable!("prefixes are taken off before, and linear time has no path quantifiers"),
        })
    }

    /// A formula of branching time over the numbers of its propositions.
    pub(super) fn branching(&mut self, formula: &Temporal) -> Result<formula::Branching, TooManyPropositions> {
        use formula::Branching as To;
        Ok(match &formula.kind {
            TemporalKind::Constant(true) => To::True,
            TemporalKind::Constant(false) => To::False,
            TemporalKind::Proposition(TemporalProposition::State(proposition)) => To::State(self.state_number(proposition)?),
            TemporalKind::Unary(TemporalUnary::Not, operand) => To::Not(Box::new(self.branching(operand)?)),
            TemporalKind::Binary(operator, left, right) => {
                let (left, right) = (Box::new(self.branching(left)?), Box::new(self.branching(right)?));
                match operator {
                    TemporalBinary::And => To::And(left, right),
                    TemporalBinary::Or => To::Or(left, right),
                    TemporalBinary::Implies => To::Implies(left, right),
                    TemporalBinary::Equivalent => To::Equivalent(left, right),
                    _ => unreachable!("the parser puts it below a path quantifier only"),
                }
            }
            TemporalKind::Prefixed(Prefix::Path { is_existential, step }, path) => {
                let step = step.as_ref().map(|pattern| self.step_number(&StepProposition::Taken(pattern.clone()))).transpose()?;
                let mut parts = path.parts().map(|part| self.branching(part).map(Box::new)).collect::<Result<Vec<_>, _>>()?.into_iter();
                match (is_existential, &path.kind, parts.next(), parts.next()) {
                    (true, TemporalKind::Unary(TemporalUnary::Next, _), Some(body), _) => To::ExistsNext(step, body),
                    (true, TemporalKind::Unary(TemporalUnary::Finally, _), Some(body), _) => To::ExistsFinally(body),
                    (true, TemporalKind::Unary(..), Some(body), _) => To::ExistsGlobally(body),
                    (false, TemporalKind::Unary(TemporalUnary::Next, _), Some(body), _) => To::AllNext(body),
                    (false, TemporalKind::Unary(TemporalUnary::Finally, _), Some(body), _) => To::AllFinally(body),
                    (false, TemporalKind::Unary(..), Some(body), _) => To::AllGlobally(body),
                    (true, _, Some(before), Some(after)) => To::ExistsUntil(before, after),
                    (false, _, Some(before), Some(after)) => To::AllUntil(before, after),
                    _ => unreachable!("the parser puts X, F, G or U below a path quantifier"),
                }
            }
            TemporalKind::Proposition(TemporalProposition::Step(_)) | TemporalKind::Unary(..) | TemporalKind::Prefixed(..) => {
                unreachable!("quantifiers are written out before, and branching time has no such formula")
            }
        })
    }

    /// The assumptions on paths.
    pub(super) fn fairness(&mut self, kinds: &[FairnessKind]) -> Result<Assumptions, TooManyPropositions> {
        let mut choices: Vec<Vec<Fairness>> = vec![Vec::new()];
        let mut each_is_strong = None;
        for kind in kinds {
            let (is_strong, alternatives) = match kind {
                FairnessKind::Of { is_strong, alternatives } => (is_strong, alternatives),
                FairnessKind::Every { is_strong, .. } => {
                    self.used.asks_enabled = true;
                    // Strong fairness implies weak fairness, and is the greater of the two options.
                    each_is_strong = each_is_strong.max(Some(*is_strong));
                    continue;
                }
            };
            let mut longer = Vec::new();
            for patterns in alternatives {
                let mut all = Vec::with_capacity(patterns.len());
                for pattern in patterns {
                    let enabled = self.state_number(&StateProposition::Enabled(pattern.clone()))?;
                    let taken = self.step_number(&StepProposition::Taken(pattern.clone()))?;
                    all.push(Fairness { is_strong: *is_strong, enabled, taken });
                }
                // Distribution of `and` over `or`: a path is fair if it satisfies one of the choices, so a counterexample to one of them
                // is enough. `sema` limits their number.
                longer.extend(choices.iter().map(|choice| [choice.as_slice(), &all].concat()));
            }
            choices = absorbed(longer);
        }
        Ok(Assumptions { choices, each_is_strong })
    }
}

/// Whether two propositions are equal except for their places. They are closed, so alpha-equivalence only renames names bound inside.
fn are_equal_states(left: &StateProposition, right: &StateProposition) -> bool {
    use StateProposition as P;
    match (left, right) {
        (P::Holds(left), P::Holds(right)) => alpha_equivalent_preds(left, right),
        (P::Enabled(left), P::Enabled(right)) => are_equal_patterns(left, right),
        (P::NoneEnabled(left), P::NoneEnabled(right))
        | (P::OneEnabled(left), P::OneEnabled(right))
        | (P::AtMostOneEnabled(left), P::AtMostOneEnabled(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| are_equal_patterns(left, right))
        }
        // The others are single words, which have no place inside.
        _ => left == right,
    }
}

fn are_equal_steps(left: &StepProposition, right: &StepProposition) -> bool {
    use StepProposition as P;
    match (left, right) {
        (P::Taken(left), P::Taken(right)) => are_equal_patterns(left, right),
        (P::Compared(comparing, left), P::Compared(other, right)) => comparing == other && alpha_equivalent(left, right),
        (P::BeforeAfter(left), P::BeforeAfter(right)) => alpha_equivalent_preds(left, right),
        _ => false,
    }
}

fn are_equal_patterns(left: &Pattern, right: &Pattern) -> bool {
    let are_equal = |(left, right): (&Option<Expr>, &Option<Expr>)| match (left, right) {
        (Some(left), Some(right)) => alpha_equivalent(left, right),
        (None, None) => true,
        _ => false,
    };
    left.operation == right.operation
        && left.arguments.len() == right.arguments.len()
        && left.arguments.iter().zip(&right.arguments).all(are_equal)
}

/// Without repetitions and without choices that assume all that another one does: a path that is fair to them is fair to that one.
fn absorbed(choices: Vec<Vec<Fairness>>) -> Vec<Vec<Fairness>> {
    let includes = |more: &[Fairness], fewer: &[Fairness]| fewer.iter().all(|assumption| more.contains(assumption));
    let mut kept: Vec<Vec<Fairness>> = Vec::new();
    for choice in choices {
        let mut set: Vec<Fairness> = Vec::with_capacity(choice.len());
        for assumption in choice {
            if !set.contains(&assumption) {
                set.push(assumption);
            }
        }
        if !kept.iter().any(|other| includes(&set, other)) {
            kept.retain(|other| !includes(other, &set));
            kept.push(set);
        }
    }
    kept
}

fn number(index: usize) -> Result<Proposition, TooManyPropositions> {
    // A letter is one word of 64 bits, and graphs store one for each state.
    u8::try_from(index).ok().filter(|number| *number < PROPOSITIONS).ok_or(TooManyPropositions)
}
