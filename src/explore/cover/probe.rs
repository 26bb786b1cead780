//! The variables in which a step records its coverage, and the meaning of their values.
//!
//! Invariant: the probes come after all variables of the machine, so a state of it is a prefix of one with probes; where a step begins
//! each probe has its initial value. Deliberately elsewhere: where they are assigned (`instrument`).

use super::decision::{Decision, Vector};
use bcheck_ir::{BinaryOp, Declaration, Expr, ExprKind, Model, Pred, PredKind, Subst, SubstKind, Target, Type, VariableId};
use bcheck_source::Span;
use bcheck_value::{Set, Value};

/// A variable that is added to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// TRUE once the target with this number is covered.
    Mark(usize),
    /// The vectors of values with which the decision with this number was evaluated, each a tuple of numbers.
    Vectors(usize),
    /// The value of a condition while a vector is made.
    Condition,
}

/// All probes of a machine, in the order of their variables.
#[derive(Debug, Default)]
pub(super) struct Probes {
    probes: Vec<Probe>,
    /// Each with the number of the first target of its conditions.
    decisions: Vec<(Decision, usize)>,
}

/// The numbers that encode the values of a condition; before it is evaluated, and where it is ill-defined, it has `NONE`.
const NONE: i64 = 0;
const FALSE: i64 = 1;
const TRUE: i64 = 2;

impl Probes {
    /// The substitution that assigns TRUE to a new probe.
    pub(super) fn assign(&mut self, original: &Model, probe: Probe, span: Span) -> Subst {
        let variable = self.add(original, probe);
        assignment(vec![(variable, expr(ExprKind::Bool(true), Type::Bool, span))], span)
    }

    /// The substitution that records the values of the conditions of a decision.
    pub(super) fn record(&mut self, original: &Model, decision: Decision, first_target: usize, span: Span) -> Subst {
        let vectors = self.add(original, Probe::Vectors(self.decisions.len()));
        let values: Vec<VariableId> = decision.conditions.iter().map(|_| self.add(original, Probe::Condition)).collect();
        // A guard that is ill-defined is false, so that neither number is assigned.
        let evaluate = |(condition, value): (&Pred, &VariableId)| {
            let is = |pred: Pred, number| (pred, assignment(vec![(*value, number_of(number, span))], span));
            let negated = Pred { kind: PredKind::Not(Box::new(condition.clone())), span: condition.span };
            let branches = vec![is(condition.clone(), TRUE), is(negated, FALSE)];
            Subst { kind: SubstKind::Select(branches, Some(Box::new(skip(span)))), span }
        };
        let mut parts: Vec<Subst> = decision.conditions.iter().zip(&values).map(evaluate).collect();
        let one = values.iter().map(|value| expr(ExprKind::Variable(*value), Type::Integer, span)).reduce(|left, right| {
            let ty = Type::pair(left.ty.clone(), Type::Integer);
            expr(ExprKind::Binary(BinaryOp::Pair, Box::new(left), Box::new(right)), ty, span)
        });
        let one = one.expect("a decision with conditions");
        let ty = Type::set(one.ty.clone());
        let before = expr(ExprKind::Variable(vectors), ty.clone(), span);
        let added = expr(ExprKind::SetExtension(vec![one]), ty.clone(), span);
        let united = expr(ExprKind::Binary(BinaryOp::Union, Box::new(before), Box::new(added)), ty, span);
        parts.push(assignment(vec![(vectors, united)], span));
        parts.push(assignment(values.iter().map(|value| (*value, number_of(NONE, span))).collect(), span));
        self.decisions.push((decision, first_target));
        sequence(parts, span)
    }

    fn add(&mut self, original: &Model, probe: Probe) -> VariableId {
        let at = original.variables.len() + self.probes.len();
        self.probes.push(probe);
        VariableId(u32::try_from(at).expect("fewer variables than 2^32"))
    }

    /// The substitution that initialises each probe.
    pub(super) fn reset(&self, original: &Model, span: Span) -> Subst {
        let first = |(at, probe): (usize, &Probe)| {
            let id = VariableId(u32::try_from(original.variables.len() + at).expect("fewer variables than 2^32"));
            (
                id,
                match probe {
                    Probe::Mark(_) => expr(ExprKind::Bool(false), Type::Bool, span),
                    Probe::Vectors(_) => expr(ExprKind::EmptySet, self.type_of(*probe), span),
                    Probe::Condition => number_of(NONE, span),
                },
            )
        };
        match self.probes.is_empty() {
            true => skip(span),
            false => assignment(self.probes.iter().enumerate().map(first).collect(), span),
        }
    }

    /// The declarations of the probes.
    pub(super) fn declarations(&self, span: Span) -> impl Iterator<Item = (String, Declaration)> {
        // No name in a text has a space.
        self.probes.iter().enumerate().map(move |(at, probe)| (format!("probe {at}"), Declaration { ty: self.type_of(*probe), span }))
    }

    fn type_of(&self, probe: Probe) -> Type {
        match probe {
            Probe::Mark(_) => Type::Bool,
            Probe::Condition => Type::Integer,
            Probe::Vectors(decision) => {
                let count = self.decisions[decision].0.conditions.len();
                Type::set((1..count).fold(Type::Integer, |ty, _| Type::pair(ty, Type::Integer)))
            }
        }
    }

    /// The values of the probes where a step begins.
    pub(super) fn first_values(&self) -> impl Iterator<Item = Value> {
        self.probes.iter().map(|probe| match probe {
            Probe::Mark(_) => Value::Bool(false),
            Probe::Vectors(_) => Value::Set(Set::empty()),
            Probe::Condition => Value::integer(NONE),
        })
    }

    /// The targets that these values of the probes show to be covered, in ascending order.
    pub(super) fn covered(&self, values: &[Value]) -> Vec<usize> {
        self.shown(values, true)
    }

    /// The targets that these values show to be covered by guards that were false: what an observer leaves.
    pub(super) fn covered_by_refusals(&self, values: &[Value]) -> Vec<usize> {
        self.shown(values, false)
    }

    fn shown(&self, values: &[Value], is_step: bool) -> Vec<usize> {
        let mut targets = Vec::new();
        for (probe, value) in self.probes.iter().zip(values) {
            match probe {
                Probe::Mark(target) if value.as_bool() == Some(true) => targets.push(*target),
                Probe::Vectors(decision) => {
                    let (decision, first) = &self.decisions[*decision];
                    for vector in value.as_set().into_iter().flat_map(Set::iter) {
                        let vector = vector_of(&vector, decision.conditions.len());
                        if is_step || decision.value(&vector) == Some(false) {
                            let deciding = (0..vector.len()).filter(|at| decision.decides(*at, &vector));
                            targets.extend(deciding.map(|at| first + 2 * at + usize::from(vector[at] == Some(false))));
                        }
                    }
                }
                Probe::Mark(_) | Probe::Condition => {}
            }
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

/// The values of conditions from a tuple of their numbers.
fn vector_of(tuple: &Value, count: usize) -> Vector {
    let read = |number: &Value| match number {
        number if *number == Value::integer(TRUE) => Some(true),
        number if *number == Value::integer(FALSE) => Some(false),
        _ => None,
    };
    let (mut vector, mut rest) = (Vec::with_capacity(count), tuple);
    while let Some((left, right)) = rest.as_pair() {
        vector.push(read(right));
        rest = left;
    }
    vector.push(read(rest));
    vector.reverse();
    vector
}

fn expr(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

fn number_of(value: i64, span: Span) -> Expr {
    expr(ExprKind::Integer(value.into()), Type::Integer, span)
}

fn assignment(values: Vec<(VariableId, Expr)>, span: Span) -> Subst {
    let values = values.into_iter().map(|(variable, value)| (Target::Variable(variable), value)).collect();
    Subst { kind: SubstKind::Assign(values), span }
}

pub(super) fn skip(span: Span) -> Subst {
    Subst { kind: SubstKind::Skip, span }
}

pub(super) fn sequence(mut parts: Vec<Subst>, span: Span) -> Subst {
    match parts.len() {
        0 => skip(span),
        1 => parts.remove(0),
        _ => Subst { kind: SubstKind::Sequence(parts), span },
    }
}

/// Executes a substitution where a predicate is true, and nothing where it is false or ill-defined.
pub(super) fn where_true(pred: Pred, body: Subst) -> Subst {
    let span = pred.span;
    Subst { kind: SubstKind::Select(vec![(pred, body)], Some(Box::new(skip(span)))), span }
}
