//! The propositions of a formula: numbered, compiled, and evaluated in states and on steps.
//!
//! Invariant: a proposition has one number however often it occurs, and its bit of a letter says whether it holds. Steps are those that the
//! plain evaluator makes of the state at hand, before anything is renamed: a step to a symmetric state is a step to another state.
//! Deliberately elsewhere: quantifiers, which are written out before (`instances`), what is said about propositions (`temporal`).

use crate::eval::{CompiledExpr, CompiledPred, EvalError, Machine};
use crate::explore::TraceStep;
use crate::ir::temporal::{
    Branching, BranchingKind, Comparing, FairnessKind, Linear, LinearBinary, LinearKind, LinearUnary, Pattern, StateProposition,
    StepProposition,
};
use crate::ir::{Comparison, Expr, ExprKind, OperationId, Pred, PredKind, Rewrite, rewrite_expr};
use crate::temporal::formula::{self, Fairness, Formula, PROPOSITIONS, Proposition};
use crate::value::Value;

/// The formula has more propositions than a letter has bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyPropositions;

impl std::fmt::Display for TooManyPropositions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the formula is about more than {PROPOSITIONS} propositions of states, or of steps")
    }
}

/// The propositions of a formula by number.
pub(super) struct Propositions<'a> {
    machine: &'a Machine,
    states: Vec<(StateProposition, StateTest)>,
    steps: Vec<(StepProposition, StepTest)>,
    /// Whether a proposition numbered since this was cleared is about what is enabled, so that no step may be missing.
    pub(super) asks_enabled: bool,
}

/// A proposition of states that can be evaluated.
enum StateTest {
    Holds(CompiledPred),
    Enabled(PatternTest),
    Deadlock,
    Sink,
    /// How many of these are enabled: the least and the greatest number.
    Enabling(Vec<PatternTest>, usize, usize),
    /// No state of a search is that of an animation.
    Never,
}

/// A proposition of steps that can be evaluated.
enum StepTest {
    Taken(PatternTest),
    Holds(CompiledPred),
}

/// Steps of an operation with some arguments.
struct PatternTest {
    operation: OperationId,
    arguments: Vec<Option<CompiledExpr>>,
}

impl PatternTest {
    fn new(machine: &Machine, pattern: &Pattern) -> Self {
        let arguments = pattern.arguments.iter().map(|argument| argument.as_ref().map(|expr| machine.compile_expr(expr)));
        Self { operation: pattern.operation, arguments: arguments.collect() }
    }

    /// The wanted arguments in a state; `None` where any will do.
    fn wanted(&self, state: &[Value]) -> Result<Vec<Option<Value>>, EvalError> {
        self.arguments.iter().map(|argument| argument.as_ref().map(|expr| expr.evaluate(state)).transpose()).collect()
    }

    fn is_any(&self, state: &[Value], steps: &[TraceStep]) -> Result<bool, EvalError> {
        let wanted = self.wanted(state)?;
        Ok(steps.iter().any(|step| self.is_step(&wanted, step)))
    }

    fn is_step(&self, wanted: &[Option<Value>], step: &TraceStep) -> bool {
        let fits = |(wanted, given): (&Option<Value>, &Value)| wanted.as_ref().is_none_or(|wanted| wanted == given);
        step.operation == Some(self.operation) && wanted.iter().zip(&step.arguments).all(fits)
    }
}

impl<'a> Propositions<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        Self { machine, states: Vec::new(), steps: Vec::new(), asks_enabled: false }
    }

    /// Whether anything is said about steps.
    pub(super) fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The propositions, one bit each, that are about what is enabled: of an open state they are unknown.
    pub(super) fn about_enabled(&self) -> u64 {
        let is_about = |test: &StateTest| !matches!(test, StateTest::Holds(_) | StateTest::Never);
        self.states.iter().enumerate().filter(|(_, (_, test))| is_about(test)).fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The letter of a state whose steps these are; of an open one more may exist.
    pub(super) fn state(&self, state: &[Value], steps: &[TraceStep], is_open: bool) -> Result<u64, EvalError> {
        let mut letter = 0;
        for (number, (_, test)) in self.states.iter().enumerate() {
            let holds = match test {
                StateTest::Holds(pred) => pred.holds(state)?,
                StateTest::Enabled(pattern) => pattern.is_any(state, steps)?,
                StateTest::Deadlock => steps.is_empty() && !is_open,
                StateTest::Sink => steps.iter().all(|step| step.state == state),
                StateTest::Enabling(patterns, least, most) => {
                    let mut enabled = 0;
                    for pattern in patterns {
                        enabled += usize::from(pattern.is_any(state, steps)?);
                    }
                    (*least..=*most).contains(&enabled)
                }
                StateTest::Never => false,
            };
            letter |= u64::from(holds) << number;
        }
        Ok(letter)
    }

    /// The letter of a step of a state.
    pub(super) fn step(&self, state: &[Value], step: &TraceStep) -> Result<u64, EvalError> {
        let mut letter = 0;
        for (number, (_, test)) in self.steps.iter().enumerate() {
            let holds = match test {
                StepTest::Taken(pattern) => step.operation == Some(pattern.operation) && pattern.is_step(&pattern.wanted(state)?, step),
                StepTest::Holds(pred) => pred.holds_of_step(state, &step.state)?,
            };
            letter |= u64::from(holds) << number;
        }
        Ok(letter)
    }

    fn state_number(&mut self, proposition: &StateProposition) -> Result<Proposition, TooManyPropositions> {
        // Also of a proposition that has its number from another formula.
        self.asks_enabled |= !matches!(proposition, StateProposition::Holds(_) | StateProposition::Current);
        if let Some(known) = self.states.iter().position(|(known, _)| known == proposition) {
            return number(known);
        }
        let tests = |patterns: &[Pattern]| patterns.iter().map(|pattern| PatternTest::new(self.machine, pattern)).collect::<Vec<_>>();
        let test = match proposition {
            StateProposition::Holds(pred) => StateTest::Holds(self.machine.compile_pred(pred)),
            StateProposition::Enabled(pattern) => StateTest::Enabled(PatternTest::new(self.machine, pattern)),
            StateProposition::Deadlock => StateTest::Deadlock,
            StateProposition::Sink => StateTest::Sink,
            StateProposition::NoneEnabled(patterns) => StateTest::Enabling(tests(patterns), 0, 0),
            StateProposition::OneEnabled(patterns) => StateTest::Enabling(tests(patterns), 1, 1),
            StateProposition::AtMostOneEnabled(patterns) => StateTest::Enabling(tests(patterns), 0, 1),
            StateProposition::Current => StateTest::Never,
        };
        self.states.push((proposition.clone(), test));
        number(self.states.len() - 1)
    }

    fn step_number(&mut self, proposition: &StepProposition) -> Result<Proposition, TooManyPropositions> {
        if let Some(known) = self.steps.iter().position(|(known, _)| known == proposition) {
            return number(known);
        }
        let test = match proposition {
            StepProposition::Taken(pattern) => StepTest::Taken(PatternTest::new(self.machine, pattern)),
            StepProposition::BeforeAfter(pred) => StepTest::Holds(self.machine.compile_pred(pred)),
            StepProposition::Compared(comparing, expr) => StepTest::Holds(self.machine.compile_pred(&compared(*comparing, expr))),
        };
        self.steps.push((proposition.clone(), test));
        number(self.steps.len() - 1)
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

    /// The sets of assumptions of which one must be met: a path is fair if all of one set hold of it.
    pub(super) fn fairness(&mut self, kinds: &[FairnessKind]) -> Result<Vec<Vec<Fairness>>, TooManyPropositions> {
        let mut choices: Vec<Vec<Fairness>> = vec![Vec::new()];
        for kind in kinds {
            let FairnessKind::Of { is_strong, patterns } = kind else { unreachable!("fairness of every call is written out before") };
            for disjunction in patterns {
                let mut longer = Vec::new();
                for pattern in disjunction {
                    let enabled = self.state_number(&StateProposition::Enabled(pattern.clone()))?;
                    let taken = self.step_number(&StepProposition::Taken(pattern.clone()))?;
                    let assumption = Fairness { is_strong: *is_strong, enabled, taken };
                    longer.extend(choices.iter().map(|choice| [choice.as_slice(), &[assumption]].concat()));
                }
                choices = longer;
            }
        }
        Ok(choices)
    }
}

fn number(index: usize) -> Result<Proposition, TooManyPropositions> {
    u8::try_from(index).ok().filter(|number| *number < PROPOSITIONS).ok_or(TooManyPropositions)
}

/// A comparison of an expression after a step with the same before it.
fn compared(comparing: Comparing, expr: &Expr) -> Pred {
    let mut before = expr.clone();
    rewrite_expr(&mut before, &mut Before);
    let comparison = match comparing {
        Comparing::Unchanged => Comparison::Equal,
        Comparing::Changed => Comparison::NotEqual,
        // Of integers: `sema` refuses the others.
        Comparing::Increasing => Comparison::Greater,
        Comparing::Decreasing => Comparison::Less,
    };
    Pred { kind: PredKind::Compare(comparison, Box::new(expr.clone()), Box::new(before)), span: expr.span }
}

/// Makes variables mean their values before the step.
struct Before;

impl Rewrite for Before {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Variable(id) = expr.kind {
            expr.kind = ExprKind::OldVariable(id);
        }
    }
}
