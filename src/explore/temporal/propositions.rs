//! Translates formulas into formulas over numbered propositions.
//!
//! Invariant: a number stands for one proposition, however often it is written: up to names that it binds, and its places in the texts, of
//! which messages give the first. Deliberately elsewhere: quantifiers, which are expanded before (`instances`), how propositions are
//! evaluated (`letters`), formulas over numbers (`temporal`).

use super::letters::{LetterBit, Letters, StateTest, StepTest};
use bcheck_eval::Machine;
use bcheck_ir::temporal::{
    Branching, BranchingKind, FairnessKind, Linear, LinearBinary, LinearKind, LinearUnary, Pattern, StateProposition, StepProposition,
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
    /// The same, as they are evaluated.
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
        // Two numbers for one proposition would be sound, but an automaton that does not know that they are equal is larger.
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
    pub(super) fn linear(&mut self, linear: &Linear) -> Result<Formula, TooManyPropositions> {
        let boxed = |formula| Box::new(formula);
        Ok(match &linear.kind {
            LinearKind::Constant(true) => Formula::True,
            LinearKind::Constant(false) => Formula::False,
            LinearKind::State(proposition) => Formula::State(self.state_number(proposition)?),
            LinearKind::Step(proposition) => Formula::Step(self.step_number(proposition)?),
            LinearKind::Unary(operator, operand) => {
                let operand = boxed(self.linear(operand)?);
                match operator {
                    LinearUnary::Not => Formula::Not(operand),
                    LinearUnary::Globally => Formula::Globally(operand),
                    LinearUnary::Finally => Formula::Finally(operand),
                    LinearUnary::Next => Formula::Next(operand),
                    LinearUnary::Historically => Formula::Historically(operand),
                    LinearUnary::Once => Formula::Once(operand),
                    LinearUnary::Yesterday => Formula::Yesterday(operand),
                }
            }
            LinearKind::Binary(operator, left, right) => {
                let (left, right) = (boxed(self.linear(left)?), boxed(self.linear(right)?));
                match operator {
                    LinearBinary::And => Formula::And(left, right),
                    LinearBinary::Or => Formula::Or(left, right),
                    LinearBinary::Implies => Formula::Implies(left, right),
                    LinearBinary::Equivalent => Formula::Equivalent(left, right),
                    LinearBinary::Until => Formula::Until(left, right),
                    LinearBinary::WeakUntil => Formula::WeakUntil(left, right),
                    LinearBinary::Release => Formula::Release(left, right),
                    LinearBinary::Since => Formula::Since(left, right),
                    LinearBinary::Trigger => Formula::Trigger(left, right),
                }
            }
            LinearKind::Quantified { .. } | LinearKind::Fair(..) => unreachable!("quantifiers and fairness are taken off before"),
        })
    }

    /// A formula of branching time over the numbers of its propositions.
    pub(super) fn branching(&mut self, branching: &Branching) -> Result<formula::Branching, TooManyPropositions> {
        use formula::Branching as To;
        Ok(match &branching.kind {
            BranchingKind::Constant(true) => To::True,
            BranchingKind::Constant(false) => To::False,
            BranchingKind::State(proposition) => To::State(self.state_number(proposition)?),
            BranchingKind::Not(operand) => To::Not(Box::new(self.branching(operand)?)),
            BranchingKind::Binary(operator, left, right) => {
                let (left, right) = (Box::new(self.branching(left)?), Box::new(self.branching(right)?));
                match operator {
                    LinearBinary::And => To::And(left, right),
                    LinearBinary::Or => To::Or(left, right),
                    LinearBinary::Implies => To::Implies(left, right),
                    LinearBinary::Equivalent => To::Equivalent(left, right),
                    _ => unreachable!("branching time has path quantifiers instead"),
                }
            }
            BranchingKind::Until { is_existential, before, after } => {
                let (before, after) = (Box::new(self.branching(before)?), Box::new(self.branching(after)?));
                if *is_existential { To::ExistsUntil(before, after) } else { To::AllUntil(before, after) }
            }
            BranchingKind::Quantified { .. } => unreachable!("quantifiers are written out before"),
            BranchingKind::Path { is_existential, operator, step, body } => {
                let step = step.as_ref().map(|pattern| self.step_number(&StepProposition::Taken(pattern.clone()))).transpose()?;
                let body = Box::new(self.branching(body)?);
                match (is_existential, operator) {
                    (true, LinearUnary::Next) => To::ExistsNext(step, body),
                    (true, LinearUnary::Finally) => To::ExistsFinally(body),
                    (true, _) => To::ExistsGlobally(body),
                    (false, LinearUnary::Next) => To::AllNext(body),
                    (false, LinearUnary::Finally) => To::AllFinally(body),
                    (false, _) => To::AllGlobally(body),
                }
            }
        })
    }

    /// What is assumed of paths.
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
                // Distribution of `and` over `or`: a path is fair if one of the choices holds of it, so a counterexample to one of them
                // is enough. There are no more of them than `sema` lets pass.
                longer.extend(choices.iter().map(|choice| [choice.as_slice(), &all].concat()));
            }
            choices = absorbed(longer);
        }
        Ok(Assumptions { choices, each_is_strong })
    }
}

/// Whether two propositions are equal but for their places. They are closed, so alpha-equivalence renames what they bind only.
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
    // A letter is one word of 64 bits, and graphs keep one for each state.
    u8::try_from(index).ok().filter(|number| *number < PROPOSITIONS).ok_or(TooManyPropositions)
}
