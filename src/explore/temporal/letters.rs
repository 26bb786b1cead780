//! Letters of states and steps: the propositions that hold of them.
//!
//! Invariant: the bit of a proposition in a letter is set if it holds. Steps are those that the evaluator computes for the current state,
//! before anything is renamed: a step to a symmetric state is a step to another state. Deliberately elsewhere: which propositions there are
//! (`propositions`), who needs letters (`search::edge_records`, `concrete`).

use crate::TraceStep;
use bcheck_eval::{CompiledExpr, CompiledPred, EvalError, EvalErrorKind, Machine, PackedPred};
use bcheck_ir::temporal::{Comparing, Pattern, StateProposition, StepProposition};
use bcheck_ir::{Comparison, Expr, ExprKind, OperationId, Pred, PredKind, Rewrite, rewrite_expr};
use bcheck_temporal::formula::Proposition;
use bcheck_value::Value;

/// Evaluates the propositions of some formulas, by number.
#[derive(Default)]
pub(crate) struct Letters {
    pub(super) states: Vec<StateTest>,
    pub(super) steps: Vec<StepTest>,
}

/// A proposition by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LetterBit {
    /// Of states.
    State(Proposition),
    /// Of steps.
    Step(Proposition),
}

/// A letter. Propositions without a value do not hold.
#[derive(Debug, Default)]
pub(crate) struct Valued {
    pub(crate) letter: u64,
    /// The propositions that have no value, and why.
    pub(crate) without: Vec<(LetterBit, EvalError)>,
}

/// A step of a state, as seen by propositions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenStep<'s> {
    pub(crate) operation: OperationId,
    pub(crate) arguments: &'s [Value],
    pub(crate) next: &'s [Value],
}

impl<'s> SeenStep<'s> {
    /// A step of a trace; `None` for a set-up or an initialisation.
    pub(crate) fn of(step: &'s TraceStep) -> Option<Self> {
        let TraceStep { operation, arguments, state, .. } = step;
        operation.map(|operation| Self { operation, arguments, next: state })
    }
}

/// A summary of the steps of a state, which is enough if no proposition depends on their arguments or successors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlook {
    /// By operation: whether it has steps.
    pub(crate) enabled: Vec<bool>,
    /// Whether some step leaves the state.
    pub(crate) leads_on: bool,
    /// Whether steps may be missing.
    pub(crate) is_open: bool,
}

/// A proposition of states that can be evaluated.
pub(super) enum StateTest {
    Holds(Box<StatePred>),
    Enabled(PatternTest),
    Deadlock,
    Sink,
    /// The number of these that are enabled lies between two numbers.
    Enabling(Vec<PatternTest>, usize, usize),
    /// `current`: no state of a search is the current state of an animation.
    Never,
}

/// A predicate about states.
pub(crate) struct StatePred {
    pub(crate) general: CompiledPred,
    /// The predicate on words, if it fits.
    pub(crate) packed: Option<PackedPred>,
}

/// A proposition of steps that can be evaluated.
pub(super) enum StepTest {
    Taken(PatternTest),
    Holds(CompiledPred),
}

impl StateTest {
    pub(super) fn new(machine: &Machine, proposition: &StateProposition) -> Self {
        let tests = |patterns: &[Pattern]| patterns.iter().map(|pattern| PatternTest::new(machine, pattern)).collect::<Vec<_>>();
        match proposition {
            StateProposition::Holds(pred) => {
                let general = machine.compile_pred(pred);
                Self::Holds(Box::new(StatePred { packed: machine.pack_pred(&general), general }))
            }
            StateProposition::Enabled(pattern) => Self::Enabled(PatternTest::new(machine, pattern)),
            StateProposition::Deadlock => Self::Deadlock,
            StateProposition::Sink => Self::Sink,
            StateProposition::NoneEnabled(patterns) => Self::Enabling(tests(patterns), 0, 0),
            StateProposition::OneEnabled(patterns) => Self::Enabling(tests(patterns), 1, 1),
            StateProposition::AtMostOneEnabled(patterns) => Self::Enabling(tests(patterns), 0, 1),
            StateProposition::Current => Self::Never,
        }
    }
}

impl StepTest {
    pub(super) fn new(machine: &Machine, proposition: &StepProposition) -> Self {
        match proposition {
            StepProposition::Taken(pattern) => Self::Taken(PatternTest::new(machine, pattern)),
            StepProposition::BeforeAfter(pred) => Self::Holds(machine.compile_pred(pred)),
            StepProposition::Compared(comparing, expr) => Self::Holds(machine.compile_pred(&compared(*comparing, expr))),
        }
    }
}

/// Steps of an operation with some arguments.
pub(super) struct PatternTest {
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

    fn is_any(&self, state: &[Value], steps: &[SeenStep<'_>]) -> Result<bool, EvalError> {
        // As for `[op(…)]`, which is false of steps of other operations: without a step of this one, arguments are not evaluated.
        if steps.iter().all(|step| step.operation != self.operation) {
            return Ok(false);
        }
        let wanted = self.wanted(state)?;
        Ok(steps.iter().any(|step| self.is_step(&wanted, *step)))
    }

    fn is_step(&self, wanted: &[Option<Value>], step: SeenStep<'_>) -> bool {
        let fits = |(wanted, given): (&Option<Value>, &Value)| wanted.as_ref().is_none_or(|wanted| wanted == given);
        // Parameters that the pattern leaves out fit anything: `zip` ends with the shorter list.
        step.operation == self.operation && wanted.iter().zip(step.arguments).all(fits)
    }

    fn asks_for_values(&self) -> bool {
        self.arguments.iter().any(Option::is_some)
    }
}

impl Valued {
    /// Sets the bit of a proposition, unless it has no value; an interrupt is an error.
    fn add(&mut self, proposition: LetterBit, holds: Result<bool, EvalError>) -> Result<(), EvalError> {
        let (LetterBit::State(number) | LetterBit::Step(number)) = proposition;
        match holds {
            Ok(holds) => self.letter |= u64::from(holds) << number,
            Err(error) if error.kind == EvalErrorKind::Interrupted => return Err(error),
            Err(error) => self.without.push((proposition, error)),
        }
        Ok(())
    }
}

impl Letters {
    /// Whether there are propositions of steps.
    pub(crate) fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Whether any proposition reads arguments or successors of steps, not only their operations.
    pub(crate) fn asks_for_values(&self) -> bool {
        let of_state = |test: &StateTest| match test {
            StateTest::Enabled(pattern) => pattern.asks_for_values(),
            StateTest::Enabling(patterns, ..) => patterns.iter().any(PatternTest::asks_for_values),
            StateTest::Holds(_) | StateTest::Deadlock | StateTest::Sink | StateTest::Never => false,
        };
        let of_step = |test: &StepTest| match test {
            StepTest::Taken(pattern) => pattern.asks_for_values(),
            StepTest::Holds(_) => true,
        };
        self.states.iter().any(of_state) || self.steps.iter().any(of_step)
    }

    /// The letter of the steps of an operation, if no proposition depends on their arguments or successors.
    pub(crate) fn letter_of(&self, operation: OperationId) -> u64 {
        let is_of = |test: &StepTest| matches!(test, StepTest::Taken(pattern) if pattern.operation == operation);
        self.steps.iter().enumerate().filter(|(_, test)| is_of(test)).fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// By number of a state proposition: its predicate, if it is one.
    pub(crate) fn predicates(&self) -> impl Iterator<Item = Option<&StatePred>> {
        self.states.iter().map(|test| if let StateTest::Holds(pred) = test { Some(&**pred) } else { None })
    }

    /// The state propositions, one bit each, that depend on which operations are enabled: in an open state they are unknown.
    pub(super) fn about_enabled(&self) -> u64 {
        let is_about = |test: &StateTest| !matches!(test, StateTest::Holds(_) | StateTest::Never);
        self.states.iter().enumerate().filter(|(_, test)| is_about(test)).fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The letter of a state with these steps; if it is open, it may have more.
    ///
    /// # Errors
    /// An interrupt only.
    pub(crate) fn state(&self, state: &[Value], steps: &[SeenStep<'_>], is_open: bool) -> Result<Valued, EvalError> {
        let mut valued = Valued::default();
        for (number, test) in (0..).zip(&self.states) {
            let holds = match test {
                StateTest::Holds(pred) => pred.general.holds(state),
                // Arguments of the pattern are evaluated in the current state: `e(op(x + 1))` refers to the current x.
                StateTest::Enabled(pattern) => pattern.is_any(state, steps),
                // Unknown in an open state: there the bit has some value, which is not read (`about_enabled`).
                StateTest::Deadlock => Ok(steps.is_empty() && !is_open),
                // A deadlock is also a sink: no step leads away.
                StateTest::Sink => Ok(steps.iter().all(|step| step.next == state)),
                StateTest::Enabling(patterns, least, most) => {
                    let enabled = patterns.iter().map(|pattern| pattern.is_any(state, steps)).collect::<Result<Vec<_>, _>>();
                    enabled.map(|enabled| (*least..=*most).contains(&enabled.into_iter().filter(|is_any| *is_any).count()))
                }
                StateTest::Never => Ok(false),
            };
            valued.add(LetterBit::State(number), holds)?;
        }
        Ok(valued)
    }

    /// As [`Self::state`], from a summary of the steps; `holds` evaluates a predicate, given its number.
    ///
    /// # Errors
    /// An interrupt only.
    pub(crate) fn state_with(
        &self,
        outlook: &Outlook,
        mut holds: impl FnMut(usize, &StatePred) -> Result<bool, EvalError>,
    ) -> Result<Valued, EvalError> {
        let mut valued = Valued::default();
        let is_enabled = |pattern: &PatternTest| outlook.enabled[pattern.operation.index()];
        for (number, test) in (0..).zip(&self.states) {
            let holds = match test {
                StateTest::Holds(pred) => holds(usize::from(number), pred),
                StateTest::Enabled(pattern) => Ok(is_enabled(pattern)),
                StateTest::Deadlock => Ok(!outlook.is_open && outlook.enabled.iter().all(|enabled| !enabled)),
                StateTest::Sink => Ok(!outlook.leads_on),
                StateTest::Enabling(patterns, least, most) => {
                    Ok((*least..=*most).contains(&patterns.iter().filter(|pattern| is_enabled(pattern)).count()))
                }
                StateTest::Never => Ok(false),
            };
            valued.add(LetterBit::State(number), holds)?;
        }
        Ok(valued)
    }

    /// The letter of a step of a state.
    ///
    /// # Errors
    /// An interrupt only.
    pub(crate) fn step(&self, state: &[Value], step: SeenStep<'_>) -> Result<Valued, EvalError> {
        let mut valued = Valued::default();
        for (number, test) in (0..).zip(&self.steps) {
            let holds = match test {
                StepTest::Taken(pattern) if step.operation != pattern.operation => Ok(false),
                StepTest::Taken(pattern) => pattern.wanted(state).map(|wanted| pattern.is_step(&wanted, step)),
                StepTest::Holds(pred) => pred.holds_of_step(state, step.next),
            };
            valued.add(LetterBit::Step(number), holds)?;
        }
        Ok(valued)
    }
}

/// A comparison of an expression after a step with the same before it.
fn compared(comparing: Comparing, expr: &Expr) -> Pred {
    let mut before = expr.clone();
    rewrite_expr(&mut before, &mut Before);
    // The expression after the step comes first: `increasing` means that it is greater than before.
    let comparison = match comparing {
        Comparing::Unchanged => Comparison::Equal,
        Comparing::Changed => Comparison::NotEqual,
        // The expression is an integer: `sema` refuses others.
        Comparing::Increasing => Comparison::Greater,
        Comparing::Decreasing => Comparison::Less,
    };
    Pred { kind: PredKind::Compare(comparison, Box::new(expr.clone()), Box::new(before)), span: expr.span }
}

/// Replaces variables by their values before the step.
struct Before;

impl Rewrite for Before {
    fn expr(&mut self, expr: &mut Expr) {
        // Constants do not change, and names bound by the predicate belong to no state.
        if let ExprKind::Variable(id) = expr.kind {
            expr.kind = ExprKind::OldVariable(id);
        }
    }
}
