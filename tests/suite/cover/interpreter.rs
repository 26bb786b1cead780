//! What the steps of a machine cover, by an interpreter as simple as can be: it walks the typed text, tries all values of each bound name,
//! and keeps no plans, no probes and no representatives. Formulas are evaluated with names replaced by their values.

use bcheck::eval::Machine;
use bcheck::explore::{BranchKind, TargetKind};
use bcheck::ir::{
    Expr, ExprKind, LocalId, Model, OperationId, Pred, PredKind, Rewrite, Subst, SubstKind, Target, Type, alpha_equivalent_preds,
    rewrite_expr, rewrite_pred,
};
use bcheck::source::Span;
use bcheck::value::{Valuation, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A target, in a form that can be ordered: operation, kind, place.
pub(crate) type Key = (Option<u32>, String, u32, u32);

/// Integers from here to there are tried for a name.
const INTEGERS: std::ops::RangeInclusive<i64> = -2..=9;
/// A loop with more iterations is a fault of the test.
const ITERATIONS: usize = 100;

pub(crate) fn key(operation: Option<OperationId>, kind: TargetKind, span: Span) -> Key {
    (operation.map(|id| id.0), format!("{kind:?}"), span.start, span.end)
}

/// The values of constants, variables and names at some point of a run, and what the run has covered so far.
#[derive(Clone)]
struct Point {
    state: Vec<Option<Value>>,
    names: BTreeMap<LocalId, Value>,
    covered: BTreeSet<Key>,
}

pub(crate) struct Interpreter<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) text: &'a str,
    /// Conjuncts of guards that only say from where values are taken, as written.
    pub(crate) left_out: &'a [&'a str],
    pub(crate) has_conditions: bool,
}

/// A step: where it leads, and what it covers.
pub(crate) type Step = (Valuation, BTreeSet<Key>);

impl Interpreter<'_> {
    fn model(&self) -> &Model {
        self.machine.model()
    }

    /// All initial states under these constants.
    pub(crate) fn initial(&self, constants: &[Value]) -> Vec<Step> {
        let state = constants.iter().cloned().map(Some).chain(self.model().variables.values().map(|_| None)).collect();
        let start = Point { state, names: BTreeMap::new(), covered: BTreeSet::new() };
        self.run(&self.model().initialisation, start, (None, false)).into_iter().map(finished).collect()
    }

    /// All steps of an operation, and what it covers by being refused.
    pub(crate) fn steps(&self, state: &[Value], id: OperationId) -> (Vec<Step>, BTreeSet<Key>) {
        let (_, operation) = self.model().operations.get_index(id.index()).expect("an operation");
        let parameters: Vec<(LocalId, Type)> = operation.parameters.iter().map(|(_, id, ty)| (*id, ty.clone())).collect();
        let (mut steps, mut refused) = (Vec::new(), BTreeSet::new());
        for names in self.bindings(&parameters) {
            let state = state.iter().cloned().map(Some).collect();
            let start = Point { state, names, covered: BTreeSet::from([key(Some(id), TargetKind::Operation, operation.span)]) };
            self.refusals(&operation.body, start.clone(), id, &mut refused);
            steps.extend(self.run(&operation.body, start, (Some(id), true)).into_iter().map(finished));
        }
        (steps, refused)
    }

    /// All outcomes of a substitution. Ill-defined runs have none.
    fn run(&self, subst: &Subst, mut point: Point, (operation, is_top): (Option<OperationId>, bool)) -> Vec<Point> {
        let inner = (operation, false);
        let branch = |kind, span| key(operation, TargetKind::Branch(kind), span);
        match &subst.kind {
            SubstKind::Skip => vec![point],
            SubstKind::Assign(assignments) => {
                let values: Option<Vec<Value>> = assignments.iter().map(|(_, value)| self.value(value, &point)).collect();
                let Some(values) = values else { return Vec::new() };
                let targets: Vec<Target> = assignments.iter().map(|(target, _)| *target).collect();
                self.assign(&mut point, &targets, values);
                vec![point]
            }
            SubstKind::BecomesIn(targets, set) => {
                let Some(Value::Set(set)) = self.value(set, &point) else { return Vec::new() };
                let assigned = |element: Value| {
                    let mut point = point.clone();
                    self.assign(&mut point, targets, components(&element, targets.len()));
                    point
                };
                set.iter().map(assigned).collect()
            }
            SubstKind::BecomesSuchThat(..) | SubstKind::Follow(_) => panic!("not in these machines"),
            SubstKind::Parallel(parts) => self.parallel(parts, &point, inner),
            SubstKind::Sequence(parts) => {
                let then = |points: Vec<Point>, part: &Subst| points.into_iter().flat_map(|point| self.run(part, point, inner)).collect();
                parts.iter().fold(vec![point], then)
            }
            SubstKind::Pre { pred, body, is_guard } => {
                if self.truth(pred, &point) != Some(true) {
                    return Vec::new();
                }
                if *is_guard {
                    self.note_guard(pred, &mut point, operation);
                }
                self.run(body, point, (operation, is_top && *is_guard))
            }
            SubstKind::Assert(pred, body) => {
                if self.truth(pred, &point) == Some(true) {
                    self.run(body, point, inner)
                } else {
                    Vec::new()
                }
            }
            SubstKind::Choice(parts) => parts
                .iter()
                .enumerate()
                .flat_map(|(at, part)| self.run(part, point.covering(branch(BranchKind::Choice(at), part.span)), inner))
                .collect(),
            SubstKind::If(..) => self.conditional(subst, point, inner, false),
            SubstKind::Select(branches, otherwise) => self.select((branches, otherwise.as_deref()), point, (operation, is_top)),
            SubstKind::Any(names, pred, body) => {
                let mut outcomes = Vec::new();
                for names in self.bindings(names) {
                    let mut point = point.clone();
                    point.names.extend(names);
                    if self.truth(pred, &point) == Some(true) {
                        if !is_top {
                            point = point.covering(branch(BranchKind::Any, pred.span));
                        }
                        self.note_disjuncts(pred, &mut point, operation);
                        outcomes.extend(self.run(body, point, inner));
                    }
                }
                outcomes
            }
            SubstKind::Let(bindings, body) => {
                for (name, value) in bindings {
                    let Some(value) = self.value(value, &point) else { return Vec::new() };
                    point.names.insert(*name, value);
                }
                let is_case = bindings.len() == 1 && self.model().local_name(bindings[0].0) == "case";
                if is_case { self.conditional(body, point, inner, true) } else { self.run(body, point, (operation, is_top)) }
            }
            SubstKind::Var(names, body) => {
                names.iter().for_each(|(name, _)| _ = point.names.remove(name));
                self.run(body, point, inner)
            }
            SubstKind::While { condition, body, .. } => {
                let (mut outcomes, mut level) = (Vec::new(), vec![point]);
                for _ in 0..ITERATIONS {
                    let (again, over): (Vec<Point>, Vec<Point>) =
                        level.into_iter().partition(|point| self.truth(condition, point).expect("well-defined"));
                    outcomes.extend(over);
                    let entered = again.into_iter().map(|point| point.covering(branch(BranchKind::While, condition.span)));
                    level = entered.flat_map(|point| self.run(body, point, inner)).collect();
                }
                assert!(level.is_empty(), "the loop ends");
                outcomes
            }
        }
    }

    fn parallel(&self, parts: &[Subst], before: &Point, inner: (Option<OperationId>, bool)) -> Vec<Point> {
        let mut outcomes = vec![before.clone()];
        for part in parts {
            let of_part = self.run(part, before.clone(), inner);
            let joined = |outcome: &Point| {
                let outcome = outcome.clone();
                of_part
                    .iter()
                    .map(move |other| {
                        let mut joined = outcome.clone();
                        for (at, value) in other.state.iter().enumerate().filter(|(at, value)| **value != before.state[*at]) {
                            joined.state[at].clone_from(value);
                        }
                        joined.names.extend(
                            other.names.iter().filter(|(name, value)| before.names.get(name) != Some(value)).map(|(n, v)| (*n, v.clone())),
                        );
                        joined.covered.extend(other.covered.iter().cloned());
                        joined
                    })
                    .collect::<Vec<_>>()
            };
            outcomes = outcomes.iter().flat_map(joined).collect();
        }
        outcomes
    }

    /// IF or CASE.
    fn conditional(&self, subst: &Subst, mut point: Point, inner: (Option<OperationId>, bool), is_case: bool) -> Vec<Point> {
        let SubstKind::If(branches, otherwise) = &subst.kind else { panic!("IF or CASE") };
        let kinds = match is_case {
            true => [BranchKind::Either, BranchKind::Or, BranchKind::CaseElse, BranchKind::PastCase],
            false => [BranchKind::If, BranchKind::ElsIf, BranchKind::Else, BranchKind::PastIf],
        };
        let branch = |kind, span| key(inner.0, TargetKind::Branch(kind), span);
        for (at, (pred, body)) in branches.iter().enumerate() {
            if !is_case {
                self.note_conditions(pred, &mut point, inner.0);
            }
            match self.truth(pred, &point) {
                Some(true) => return self.run(body, point.covering(branch(kinds[usize::from(at > 0)], pred.span)), inner),
                Some(false) => {}
                None => return Vec::new(),
            }
        }
        match otherwise {
            Some(body) => self.run(body, point.covering(branch(kinds[2], body.span)), inner),
            None => vec![point.covering(branch(kinds[3], subst.span))],
        }
    }

    fn select(
        &self,
        (branches, otherwise): (&[(Pred, Subst)], Option<&Subst>),
        mut point: Point,
        (operation, is_top): (Option<OperationId>, bool),
    ) -> Vec<Point> {
        let is_guard = is_top && branches.len() == 1 && otherwise.is_none();
        branches.iter().for_each(|(pred, _)| self.note_conditions(pred, &mut point, operation));
        let mut outcomes = Vec::new();
        let mut is_any = false;
        for (at, (pred, body)) in branches.iter().enumerate() {
            if self.truth(pred, &point) == Some(true) {
                is_any = true;
                let mut point = point.clone();
                if !is_guard {
                    let kind = if at == 0 { BranchKind::Select } else { BranchKind::When };
                    point = point.covering(key(operation, TargetKind::Branch(kind), pred.span));
                }
                self.note_disjuncts(pred, &mut point, operation);
                outcomes.extend(self.run(body, point, (operation, is_guard)));
            }
        }
        match otherwise {
            Some(body) if !is_any => {
                self.run(body, point.covering(key(operation, TargetKind::Branch(BranchKind::SelectElse), body.span)), (operation, false))
            }
            _ => outcomes,
        }
    }

    /// What guards at the top of an operation cover where they are false.
    fn refusals(&self, body: &Subst, mut point: Point, id: OperationId, refused: &mut BTreeSet<Key>) {
        let preds: Vec<&Pred> = match &body.kind {
            SubstKind::Pre { pred, is_guard: true, .. } => vec![pred],
            SubstKind::Select(branches, None) => branches.iter().map(|(pred, _)| pred).collect(),
            _ => return,
        };
        let is_taken =
            |pred: &&Pred| conjuncts(pred).iter().filter(|part| self.is_left_out(part)).all(|part| self.truth(part, &point) == Some(true));
        if preds.iter().any(|pred| self.truth(pred, &point) == Some(true)) {
            // The guards further down are asked for where these are true.
            match &body.kind {
                SubstKind::Pre { body, .. } => self.refusals(body, point, id, refused),
                SubstKind::Select(branches, _) if branches.len() == 1 => self.refusals(&branches[0].1, point, id, refused),
                _ => {}
            }
            return;
        }
        if !preds.iter().all(is_taken) {
            return;
        }
        point.covered.clear();
        preds.iter().for_each(|pred| self.note_conditions(pred, &mut point, Some(id)));
        refused.extend(point.covered);
    }

    fn note_guard(&self, pred: &Pred, point: &mut Point, operation: Option<OperationId>) {
        self.note_disjuncts(pred, point, operation);
        self.note_conditions(pred, point, operation);
    }

    fn note_disjuncts(&self, pred: &Pred, point: &mut Point, operation: Option<OperationId>) {
        for part in conjuncts(pred) {
            let PredKind::Or(parts) = &part.kind else { continue };
            let is_true = |part: &&Pred| self.truth(part, point) == Some(true);
            let keys: Vec<Key> = parts.iter().filter(is_true).map(|part| key(operation, TargetKind::Disjunct, part.span)).collect();
            point.covered.extend(keys);
        }
    }

    fn is_left_out(&self, part: &Pred) -> bool {
        let text = &self.text[part.span.start as usize..part.span.end as usize];
        self.left_out.contains(&text)
    }

    /// The conditions that decide here: with the other value, and any values of what is ill-defined, the outcome could be another one.
    fn note_conditions(&self, pred: &Pred, point: &mut Point, operation: Option<OperationId>) {
        if !self.has_conditions {
            return;
        }
        let parts: Vec<&Pred> = conjuncts(pred).iter().filter(|part| !self.is_left_out(part)).collect();
        let mut atoms: Vec<&Pred> = Vec::new();
        parts.iter().for_each(|part| collect(part, &mut atoms));
        let values: Vec<Option<bool>> = atoms.iter().map(|atom| self.truth(atom, point)).collect();
        let outcome = |values: &[bool]| parts.iter().all(|part| shape(part, &atoms, values));
        let outcomes: BTreeSet<bool> = completions(&values).iter().map(|values| outcome(values)).collect();
        if outcomes.len() != 1 {
            return;
        }
        for (at, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let decides = completions(&values).iter().any(|values| {
                let mut flipped = values.clone();
                flipped[at] = !flipped[at];
                outcome(&flipped) != outcome(values)
            });
            if decides {
                point.covered.insert(key(operation, TargetKind::Condition(*value), atoms[at].span));
            }
        }
    }

    fn assign(&self, point: &mut Point, targets: &[Target], values: Vec<Value>) {
        for (target, value) in targets.iter().zip(values) {
            match target {
                Target::Variable(id) => point.state[self.model().constants.len() + id.index()] = Some(value),
                Target::Local(id) => _ = point.names.insert(*id, value),
            }
        }
    }

    /// The value of an expression; none where it is ill-defined.
    fn value(&self, expr: &Expr, point: &Point) -> Option<Value> {
        let mut expr = expr.clone();
        rewrite_expr(&mut expr, &mut Values(&point.names));
        self.machine.evaluate(&expr, &point.known()?).ok()
    }

    fn truth(&self, pred: &Pred, point: &Point) -> Option<bool> {
        let mut pred = pred.clone();
        rewrite_pred(&mut pred, &mut Values(&point.names));
        self.machine.holds(&pred, &point.known()?).ok()
    }

    /// All values of some names.
    fn bindings(&self, names: &[(LocalId, Type)]) -> Vec<BTreeMap<LocalId, Value>> {
        names.iter().fold(vec![BTreeMap::new()], |bindings, (name, ty)| {
            let all = self.universe(ty);
            bindings
                .iter()
                .flat_map(|binding| {
                    all.iter()
                        .map(|value| {
                            let mut binding = binding.clone();
                            binding.insert(*name, value.clone());
                            binding
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        })
    }

    fn universe(&self, ty: &Type) -> Vec<Value> {
        match ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Integer => INTEGERS.map(Value::integer).collect(),
            Type::Given(set) => (0..self.machine.scope().size(*set)).map(|index| Value::element(*set, index)).collect(),
            Type::Pair(first, second) => {
                let (first, second) = (self.universe(first), self.universe(second));
                first.iter().flat_map(|left| second.iter().map(|right| Value::pair(left.clone(), right.clone()))).collect()
            }
            Type::Set(element) => {
                let all = self.universe(element);
                assert!(all.len() < 10, "few sets");
                let chosen =
                    |bits: usize| all.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, value)| value.clone()).collect();
                (0..1 << all.len()).map(|bits| Value::set(chosen(bits))).collect()
            }
            Type::String | Type::Record(_) | Type::Free(_) => panic!("not in these machines"),
        }
    }
}

impl Point {
    fn covering(&self, key: Key) -> Self {
        let mut point = self.clone();
        point.covered.insert(key);
        point
    }

    /// The variables; those without a value yet must not be read, so any will do.
    fn known(&self) -> Option<Valuation> {
        Some(self.state.iter().map(|value| value.clone().unwrap_or(Value::integer(0))).collect())
    }
}

fn finished(point: Point) -> Step {
    (point.state.into_iter().map(|value| value.expect("all variables have values")).collect(), point.covered)
}

fn components(tuple: &Value, count: usize) -> Vec<Value> {
    match tuple.as_pair() {
        Some((left, right)) if count > 1 => [components(left, count - 1), vec![right.clone()]].concat(),
        _ => vec![tuple.clone()],
    }
}

fn conjuncts(pred: &Pred) -> &[Pred] {
    if let PredKind::And(parts) = &pred.kind { parts } else { std::slice::from_ref(pred) }
}

/// The parts without connectives, equal ones once.
fn collect<'p>(pred: &'p Pred, atoms: &mut Vec<&'p Pred>) {
    match &pred.kind {
        PredKind::And(parts) | PredKind::Or(parts) => parts.iter().for_each(|part| collect(part, atoms)),
        PredKind::Not(inner) => collect(inner, atoms),
        PredKind::Implies(left, right) | PredKind::Equivalent(left, right) => {
            [left, right].into_iter().for_each(|part| collect(part, atoms))
        }
        PredKind::True | PredKind::False => {}
        _ if atoms.iter().any(|atom| alpha_equivalent_preds(atom, pred)) => {}
        _ => atoms.push(pred),
    }
}

/// The value that the connectives give.
fn shape(pred: &Pred, atoms: &[&Pred], values: &[bool]) -> bool {
    match &pred.kind {
        PredKind::And(parts) => parts.iter().all(|part| shape(part, atoms, values)),
        PredKind::Or(parts) => parts.iter().any(|part| shape(part, atoms, values)),
        PredKind::Not(inner) => !shape(inner, atoms, values),
        PredKind::Implies(left, right) => !shape(left, atoms, values) || shape(right, atoms, values),
        PredKind::Equivalent(left, right) => shape(left, atoms, values) == shape(right, atoms, values),
        PredKind::True => true,
        PredKind::False => false,
        _ => values[atoms.iter().position(|atom| alpha_equivalent_preds(atom, pred)).expect("an atom")],
    }
}

/// All ways to give a value to what has none.
fn completions(values: &[Option<bool>]) -> Vec<Vec<bool>> {
    values.iter().fold(vec![Vec::new()], |all, value| {
        let choices = value.map_or(vec![false, true], |value| vec![value]);
        all.iter().flat_map(|begun| choices.iter().map(|value| [begun.as_slice(), &[*value]].concat())).collect()
    })
}

/// Replaces names by their values.
struct Values<'n>(&'n BTreeMap<LocalId, Value>);

impl Rewrite for Values<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Local(id) = &expr.kind
            && let Some(value) = self.0.get(id)
        {
            expr.kind = literal(value, &expr.ty, expr.span).kind;
        }
    }
}

fn literal(value: &Value, ty: &Type, span: Span) -> Expr {
    let boxed = |value: &Value, ty: &Type| Box::new(literal(value, ty, span));
    let kind = match (value, ty) {
        (Value::Bool(value), _) => ExprKind::Bool(*value),
        (Value::Integer(value), _) => ExprKind::Integer(value.to_string().parse().expect("an integer")),
        (Value::Element(element), _) => ExprKind::Element(element.set, element.index),
        (Value::Pair(pair), Type::Pair(first, second)) => {
            ExprKind::Binary(bcheck::ir::BinaryOp::Pair, boxed(&pair.0, first), boxed(&pair.1, second))
        }
        (Value::Set(set), _) if set.is_empty() => ExprKind::EmptySet,
        (Value::Set(set), Type::Set(element)) => ExprKind::SetExtension(set.iter().map(|value| literal(&value, element, span)).collect()),
        _ => panic!("not in these machines"),
    };
    Expr { kind, ty: ty.clone(), span }
}
